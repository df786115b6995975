/* SPDX-License-Identifier: Apache-2.0
 *
 * The copy engines of ascend-910b: published formulas exactly, measured tables within the error stated with each.
 * Measured GB/s are GiB/s at 1.85 GHz: 1 GiB/s = 0.5804 B a cycle.
 */
#include <math.h>
#include <string.h>

#include "isa/num.h"
#include "tests/lib/tap.h"
#include "tests/unit/asc_rig.h"

static double gib(const rig *r, double bytes, int64_t cycles)
{
	return bytes / (double)cycles * (double)r->machine->clock_hz / 1073741824.0;
}

static bool within(double got, double want, double percent)
{
	if (fabs(got / want - 1) * 100 <= percent)
		return true;
	tap_note("%.2f, expected %.2f within %.1f %%", got, want, percent);
	return false;
}

/* Pipe time: L0A 2 cycles a fractal (256 B) + 1, at least 4; L0B 4 (128 B) + 1.  Measured B a cycle x 1.80 / 1.85 (see
 * mte1.gap_cycles): all within 0.6 %. */
static void load2d_by_repeats_as_measured(void)
{
	static const struct {
		enum asc_op op;
		int64_t repeats, cycles;
		double measured;
	} rows[] = {
		{ASC_OP_LOAD2D_A, 1, 4, 129.5},   {ASC_OP_LOAD2D_A, 2, 5, 209},     {ASC_OP_LOAD2D_A, 4, 9, 233},
		{ASC_OP_LOAD2D_A, 16, 33, 255},   {ASC_OP_LOAD2D_A, 128, 257, 262}, {ASC_OP_LOAD2D_B, 1, 5, 104.6},
		{ASC_OP_LOAD2D_B, 128, 513, 131},
	};
	rig *r = rig_new("ascend-910b", 1, false);
	int64_t at = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		asc_insn insn = rig_insn(rows[i].op, NULL);
		asc_exec x;

		rig_set(&insn, "repeat", rows[i].repeats);
		for (unsigned k = 0; k < 5; k++) {
			x = rig_run(r, 0, &insn, at);
			CU_ASSERT_EQUAL(x.free - at, rows[i].cycles);
			CU_ASSERT_EQUAL(x.done - x.free, 26);
			at = x.free;
		}
		CU_ASSERT(within(512.0 * (double)rows[i].repeats / (double)rows[i].cycles,
		                 rows[i].measured * 1.80 / 1.85, 1.6));
	}
	rig_free(r);
}

/* m_extent 128 x k_extent: bytes over the published rate, B a cycle: one row of the filter touched (1 x 1) 512 / (2s)
 * into L0A, 512 / (2s + 2) into L0B; n = 3 rows (3 x 3) 512 / (2s + n), 512 / (2s + 2 + n); not below 32 for s = 2, 4,
 * 8; else 32, 28. */
static void load3d_rates_by_filter_and_stride_as_published(void)
{
	static const struct {
		bool b;
		int64_t filter, stride, rows;
		double rate;
	} rows[] = {
		{false, 1, 1, 1, 256},       {true, 1, 1, 1, 128},        {false, 3, 1, 3, 512.0 / 5},
		{true, 3, 1, 3, 512.0 / 7},  {false, 1, 2, 1, 512.0 / 4}, {true, 1, 2, 1, 512.0 / 6},
		{false, 3, 2, 3, 512.0 / 7}, {true, 3, 2, 3, 512.0 / 9},  {false, 1, 4, 1, 512.0 / 8},
		{true, 1, 4, 1, 512.0 / 10}, {false, 3, 8, 3, 32},        {true, 3, 8, 3, 32},
		{false, 1, 8, 1, 32},        {true, 1, 8, 1, 32},         {false, 1, 3, 1, 32},
		{true, 1, 3, 1, 28},         {false, 3, 5, 3, 32},        {true, 3, 5, 3, 28},
	};
	rig *r = rig_new("ascend-910b", 1, false);

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		asc_insn insn =
			rig_insn(rows[i].b ? ASC_OP_LOAD3D_B : ASC_OP_LOAD3D_A, "h=64", "w=64", "m_extent=128", NULL);
		int64_t k = rows[i].filter * rows[i].filter * 16, start = (int64_t)i * 10000;

		rig_set(&insn, "kernel", rows[i].filter * 0x101);
		rig_set(&insn, "stride", rows[i].stride * 0x101);
		rig_set(&insn, "k_extent", k);
		CU_ASSERT_EQUAL(rig_run(r, 0, &insn, start).free - start,
		                (int64_t)ceil((double)(128 * k * 2) / rows[i].rate));
	}
	rig_free(r);
}

static uint64_t requests(rig *r, int64_t src, int64_t bursts, int64_t bytes, int64_t gap)
{
	asc_insn insn = rig_insn(ASC_OP_GM_TO_UB, NULL);
	asc_exec x;

	rig_set(&insn, "src", src);
	rig_set(&insn, "bursts", bursts);
	rig_set(&insn, "burst_bytes", bytes);
	rig_set(&insn, "src_gap", gap);
	x = rig_run(r, 0, &insn, r->next[0]);
	r->next[0] = x.done + 1000;
	return x.l2_hits + x.l2_misses;
}

static void bursts_are_cut_into_requests(void)
{
	rig *r = rig_new("ascend-910b", 1, false);

	CU_ASSERT_EQUAL(requests(r, 0, 1, 512, 0), 1);
	CU_ASSERT_EQUAL(requests(r, 0, 1, 513, 0), 2);
	CU_ASSERT_EQUAL(requests(r, 0, 1, 1000, 0), 2);
	CU_ASSERT_EQUAL(requests(r, 0, 4, 513, 511), 8);
	CU_ASSERT_EQUAL(requests(r, 32, 1, 512, 0), 2); /* crosses a line */
	CU_ASSERT_EQUAL(requests(r, 0, 8, 64, 0), 1);   /* touch: eight are one */
	CU_ASSERT_EQUAL(requests(r, 0, 16, 32, 0), 2);
	CU_ASSERT_EQUAL(requests(r, 0, 4, 64, 64), 4); /* do not touch */
	rig_free(r);
}

/* 512 B: 20 to the request, 4 + 179 + 152 in the memory, 8 of the engine.  From memory each further request 8 cycles,
 * whatever its size: 16 of 512 B and 16 of 32 B take the same. */
static void a_request_that_l2_misses_takes_8_cycles_whatever_its_size(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn insn = rig_insn(ASC_OP_GM_TO_L1, "burst_bytes=512", NULL);

	CU_ASSERT_EQUAL(rig_run(r, 0, &insn, 0).done, 363);
	rig_set(&insn, "bursts", 16);
	rig_set(&insn, "src", 1 << 20);
	CU_ASSERT_EQUAL(rig_run(r, 0, &insn, 10000).done, 10000 + 355 + 16 * 8);
	rig_set(&insn, "burst_bytes", 32);
	rig_set(&insn, "src_gap", 480);
	rig_set(&insn, "src", 2 << 20);
	CU_ASSERT_EQUAL(rig_run(r, 0, &insn, 20000).done, 20000 + 355 + 16 * 8);
	rig_free(r);
}

/* Runs a copy twice, so that L2 holds what it reads or writes; GiB/s of the second. */
static double rate_of(rig *r, const asc_insn *insn, double bytes)
{
	asc_exec x = rig_run(r, 0, insn, r->next[0]);

	x = rig_run(r, 0, insn, x.done + 1000);
	r->next[0] = x.done + 1000;
	return gib(r, bytes, x.done - x.start);
}

/* Calibrated by the three rows of 1 KB (l2.hit_cycles, mte2.ub_cycles, mte3.response_cycles); the others are
 * predictions with the error each has.  GM to L1 at 4 KB is missed: measured 243 cycles, predicted 199. */
static void copies_by_size_as_measured(void)
{
	static const struct {
		enum asc_op op;
		int64_t bytes;
		double measured, percent;
	} rows[] = {
		{ASC_OP_GM_TO_L1, 1024, 9.9, 1},       {ASC_OP_GM_TO_L1, 4096, 29, 23},
		{ASC_OP_GM_TO_L1, 49152, 166, 4},      {ASC_OP_GM_TO_L1, 511 * 1024, 262, 5},
		{ASC_OP_GM_TO_UB, 1024, 7.3, 1},       {ASC_OP_GM_TO_UB, 190 * 1024, 187, 3},
		{ASC_OP_UB_TO_GM, 1024, 11, 1},        {ASC_OP_UB_TO_GM, 16384, 87, 8},
		{ASC_OP_UB_TO_GM, 31 * 1024, 110, 12},
	};
	rig *r = rig_new("ascend-910b", 1, false);

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		asc_insn insn = rig_insn(rows[i].op, NULL);

		rig_set(&insn, "burst_bytes", rows[i].bytes);
		CU_ASSERT(within(rate_of(r, &insn, (double)rows[i].bytes), rows[i].measured, rows[i].percent));
	}
	rig_free(r);
}

/* Rows of 256 B.  4 KB is missed: measured 802 cycles, predicted 409 (the shape is not published). */
static void nd2nz_by_size_as_measured(void)
{
	static const double measured[][3] = {{64, 133, 5}, {128, 191, 5}, {192, 204, 1}};
	rig *r = rig_new("ascend-910b", 1, false);

	for (unsigned i = 0; i < G_N_ELEMENTS(measured); i++) {
		asc_insn insn = rig_insn(ASC_OP_ND2NZ, "d=128", "src_pitch=128", NULL);

		rig_set(&insn, "n", (int64_t)measured[i][0] * 4);
		rig_set(&insn, "dst_c0_stride", (int64_t)measured[i][0] * 4);
		CU_ASSERT(within(rate_of(r, &insn, measured[i][0] * 1024), measured[i][1], measured[i][2]));
	}
	rig_free(r);
}

static void nd2nz_starts_210_cycles_later_than_a_copy(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn nd = rig_insn(ASC_OP_ND2NZ, "n=64", "d=256", "src_pitch=256", "dst_c0_stride=64", NULL);
	asc_insn copy = rig_insn(ASC_OP_GM_TO_L1, "bursts=64", "burst_bytes=512", NULL);
	int64_t plain;

	rig_run(r, 0, &copy, 0);
	plain = rig_run(r, 0, &copy, 10000).done - 10000;
	CU_ASSERT_EQUAL(rig_run(r, 0, &nd, 20000).done - 20000, plain + 210);
	rig_free(r);
}

/* Calibrated by 1 KB; 16 x 32, 80 x 32, 208 x 32 sums to fp16. */
static void copies_out_of_l0c_by_size_as_measured(void)
{
	static const double measured[][3] = {{16, 20.8, 1}, {80, 105, 2}, {208, 200, 4}};
	rig *r = rig_new("ascend-910b", 1, false);

	for (unsigned i = 0; i < G_N_ELEMENTS(measured); i++) {
		asc_insn insn = rig_insn(ASC_OP_FIX_GM, "n=32", "dst_pitch=32", "quant=1", NULL);

		rig_set(&insn, "type", ASC_F32);
		rig_set(&insn, "dtype", ASC_F16);
		rig_set(&insn, "m", (int64_t)measured[i][0]);
		rig_set(&insn, "src_stride", (int64_t)measured[i][0]);
		CU_ASSERT(within(rate_of(r, &insn, measured[i][0] * 64), measured[i][1], measured[i][2]));
	}
	rig_free(r);
}

/* 64 sums a cycle into L1: 64 x 64 to fp16 (128 B a cycle) 64 cycles, to int8 (64 B a cycle) 64 as well. */
static void copies_into_l1_move_64_sums_a_cycle(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn insn =
		rig_insn(ASC_OP_FIX_L1, "m=64", "n=64", "src_stride=64", "dst_pitch=64", "nz2nd=0", "quant=1", NULL);

	rig_set(&insn, "type", ASC_F32);
	rig_set(&insn, "dtype", ASC_F16);
	CU_ASSERT_EQUAL(rig_run(r, 0, &insn, 0).free, 64);
	rig_set(&insn, "quant", 23);
	rig_set(&insn, "dtype", ASC_I8);
	CU_ASSERT_EQUAL(rig_run(r, 0, &insn, 1000).free, 1064);
	rig_free(r);
}

/* 64 KB in L2.  Pieces of 512 B from 32 B into a line on become 480 B (512 on the link) and 32 B (128): 25 % more on
 * the link; twice the requests, so that those in flight carry half the bytes and touch each line twice.  Documented: 30
 * % of the bandwidth is lost at 32 B.  Predicted: 31 %; 34 % at 192 B (512 + 256 on the link), 28 % at 256 B. */
static void copies_that_are_not_aligned_lose_a_third(void)
{
	static const int64_t offset[] = {0, 32, 192, 256};
	static const double lost[] = {0, 0.308, 0.337, 0.277};
	rig *r = rig_new("ascend-910b", 1, false);
	double rate[4];

	for (unsigned i = 0; i < 4; i++) {
		asc_insn insn = rig_insn(ASC_OP_GM_TO_L1, "burst_bytes=65536", NULL);
		asc_exec x;

		/* Unaligned reads would not fill L2. */
		rig_set(&insn, "src", 0);
		rig_set(&insn, "burst_bytes", 65536 + 512);
		rate_of(r, &insn, 65536);
		rig_set(&insn, "burst_bytes", 65536);
		rig_set(&insn, "src", offset[i]);
		x = rig_run(r, 0, &insn, r->next[0]);
		r->next[0] = x.done + 1000;
		/* Without the 172 cycles to the first byte. */
		rate[i] = 65536.0 / (double)(x.done - x.start - 172);
		CU_ASSERT_DOUBLE_EQUAL(1 - rate[i] / rate[0], lost[i], 0.002);
	}
	rig_free(r);
}

/* With one request in flight each waits for the one before: 2 x (152 + 3.35) + 20 = 330.7. */
static void requests_in_flight_are_limited(void)
{
	rig *r;
	GError *error = NULL;
	asc_insn insn = rig_insn(ASC_OP_GM_TO_L1, "burst_bytes=1024", NULL);
	asc_machine *machine = asc_machine_load("ascend-910b", &error);
	asc_memory *memory;
	asc_mte *mte;
	asc_exec x = {.insn = &insn};

	r = rig_new("ascend-910b", 1, false);
	CU_ASSERT_TRUE_FATAL(asc_machine_set(machine, "mte2.outstanding", "1", &error));
	memory = asc_memory_new(machine);
	mte = asc_mte_new(machine, 0, memory, NULL, NULL, NULL);
	memcpy(x.f, insn.f, sizeof(x.f));
	asc_mte_execute(mte, &x);
	x.start = 10000;
	x.stall[ASC_STALL_OUTSTANDING] = 0;
	asc_mte_execute(mte, &x);
	CU_ASSERT_EQUAL(x.done, 10331);
	CU_ASSERT_EQUAL(x.stall[ASC_STALL_OUTSTANDING], 154);
	asc_mte_free(mte);
	asc_memory_free(memory);
	asc_machine_free(machine);
	rig_free(r);
}

/* A copy of 64 KB streams into L1 at 153 B a cycle and takes 256 B a cycle of its half: a load of 128 fractals (256
 * cycles) in that half loses cycles, one in the other half loses none. */
static void a_copy_into_the_same_half_of_l1_slows_a_load(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn copy = rig_insn(ASC_OP_GM_TO_L1, "burst_bytes=65536", NULL);
	asc_insn same = rig_insn(ASC_OP_LOAD2D_A, "repeat=128", "src=131072", NULL), other = same;
	asc_exec x;

	rig_set(&other, "src", 262144);
	rig_run(r, 0, &copy, 0);
	rig_run(r, 0, &copy, 10000);
	/* From 10200 on data stream; 428 cycles in all. */
	x = rig_run(r, 0, &other, 10200);
	CU_ASSERT_EQUAL(x.free, 10457);
	rig_run(r, 0, &copy, 20000);
	x = rig_run(r, 0, &same, 20200);
	CU_ASSERT(x.free > 20457 + 200);
	CU_ASSERT_EQUAL(x.stall[ASC_STALL_BANK], x.free - 20457);
	rig_free(r);
}

/* 48 or 24 sub-cores read a 12288 x 12288 matrix of fp16, each its part, in tiles; microseconds. */
static double read_matrix(enum asc_op op, unsigned cores, int64_t tile, bool wait)
{
	rig *r = rig_new("ascend-910b", cores, false);
	int64_t part = (int64_t)12288 * 12288 * 2 / cores, end = 0, read[RIG_CORES] = {0};
	double us;

	for (;;) {
		unsigned core = cores;
		asc_insn insn = rig_insn(op, NULL);
		asc_exec x;

		for (unsigned i = 0; i < cores; i++)
			if (read[i] < part && (core == cores || r->next[i] < r->next[core]))
				core = i;
		if (core == cores)
			break;
		rig_set(&insn, "src", core * part + read[core]);
		rig_set(&insn, "burst_bytes", tile);
		x = rig_run(r, core, &insn, r->next[core]);
		r->next[core] = wait ? x.done : x.free;
		read[core] += tile;
		end = MAX(end, x.done);
	}
	us = (double)end * 1e6 / (double)r->machine->clock_hz;
	rig_free(r);
	return us;
}

/* Published: GM to UB, 48 vector cores, tiles of 128 B 548 us (calibrates mte2.start_cycles), 8 KB 221, 128 KB 203; GM
 * to L1, 24 cube cores, 8 KB 283.5, 32 KB 214.5.  How far the source's copies overlap is not published: without waiting
 * for one another they run at the memory's rate, 302 MB / 1.455 TB/s = 207.6 us; each waiting for the one before they
 * take longer with 8 KB.  The published times of 8 KB lie between; large tiles are within 3 % of the
 * memory's rate, which the first of them calibrates. */
static void many_cores_read_at_the_rate_of_the_memory(void)
{
	CU_ASSERT(within(read_matrix(ASC_OP_GM_TO_UB, 48, 131072, true), 207.6, 1));
	CU_ASSERT(within(read_matrix(ASC_OP_GM_TO_UB, 48, 131072, true), 203, 3));
	CU_ASSERT(within(read_matrix(ASC_OP_GM_TO_L1, 24, 32768, true), 207.6, 3));
	CU_ASSERT(within(read_matrix(ASC_OP_GM_TO_L1, 24, 32768, true), 214.5, 4));
	CU_ASSERT(read_matrix(ASC_OP_GM_TO_UB, 48, 8192, false) < 221);
	CU_ASSERT(read_matrix(ASC_OP_GM_TO_UB, 48, 8192, true) > 221);
	CU_ASSERT(read_matrix(ASC_OP_GM_TO_L1, 24, 8192, false) < 283.5);
	CU_ASSERT(read_matrix(ASC_OP_GM_TO_L1, 24, 8192, true) > 283.5);
}

/* A copy of 128 B starts 20 cycles, one request leaves: 21 cycles a tile; 49152 tiles a core: 558 us. */
static void copies_of_a_request_follow_one_another_by_their_start(void)
{
	rig *r = rig_new("ascend-910b", 1, false);
	asc_insn insn = rig_insn(ASC_OP_GM_TO_UB, "burst_bytes=128", NULL);
	int64_t at = 0;

	for (int64_t i = 0; i < 1000; i++) {
		rig_set(&insn, "src", i * 128);
		at = rig_run(r, 0, &insn, at).free;
	}
	CU_ASSERT_EQUAL(at, 21000);
	CU_ASSERT(within(49152.0 * 21 / 1850, 548, 2));
	rig_free(r);
}

static void padding_fills_both_ends_and_zero_the_rest(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_GM_TO_UB, "src=100", "dst=64", "bursts=2", "burst_bytes=10", "src_gap=5",
	                         "dst_gap=32", "left=4", "right=6", "value=0x3c003c003c003c00", NULL);
	static const uint8_t pad[6] = {0x00, 0x3c, 0x00, 0x3c, 0x00, 0x3c};

	for (unsigned i = 0; i < 64; i++)
		*rig_bytes(r, ASC_GM, 100 + i) = (uint8_t)(i + 1);
	memset(rig_bytes(r, ASC_UB, 0), 0xee, 256);
	rig_run(r, 0, &insn, 0);
	for (unsigned burst = 0; burst < 2; burst++) {
		const uint8_t *at = rig_bytes(r, ASC_UB, 64 + burst * 64);

		CU_ASSERT_EQUAL(memcmp(at, pad, 4), 0);
		for (unsigned i = 0; i < 10; i++)
			CU_ASSERT_EQUAL(at[4 + i], burst * 15 + i + 1);
		CU_ASSERT_EQUAL(memcmp(at + 14, pad, 6), 0);
		for (unsigned i = 20; i < 32; i++)
			CU_ASSERT_EQUAL(at[i], 0);
		CU_ASSERT_EQUAL(at[32], 0xee);
	}
	/* And out again, only the bursts' own bytes. */
	insn = rig_insn(ASC_OP_UB_TO_GM, "src=64", "dst=1001", "bursts=2", "burst_bytes=10", "src_gap=32", "dst_gap=1",
	                NULL);
	rig_run(r, 0, &insn, 1000);
	CU_ASSERT_EQUAL(memcmp(rig_bytes(r, ASC_GM, 1001), rig_bytes(r, ASC_UB, 64), 10), 0);
	CU_ASSERT_EQUAL(*rig_bytes(r, ASC_GM, 1011), 0);
	CU_ASSERT_EQUAL(memcmp(rig_bytes(r, ASC_GM, 1012), rig_bytes(r, ASC_UB, 128), 10), 0);
	rig_free(r);
}

static void put16(rig *r, enum asc_space space, uint64_t at, unsigned v)
{
	uint16_t h = (uint16_t)v;

	memcpy(rig_bytes(r, space, at), &h, 2);
}

static unsigned get16(rig *r, enum asc_space space, uint64_t at)
{
	uint16_t h;

	memcpy(&h, rig_bytes(r, space, at), 2);
	return h;
}

/* 20 x 24 of 16 bits, rows 30 apart: column c lies in group c / 16 of 32-byte columns, each 24 rows apart. */
static void nd2nz_makes_columns_of_blocks(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_ND2NZ, "n=20", "d=24", "src_pitch=30", "dst_c0_stride=24", "dst=512", NULL);

	memset(rig_bytes(r, ASC_L1, 0), 0xee, 4096);
	for (unsigned i = 0; i < 20 * 30; i++)
		put16(r, ASC_GM, 2 * i, i + 1);
	rig_run(r, 0, &insn, 0);
	for (unsigned row = 0; row < 20; row++)
		for (unsigned c = 0; c < 32; c++)
			CU_ASSERT_EQUAL(get16(r, ASC_L1, 512 + c / 16 * 24 * 32 + row * 32 + c % 16 * 2),
			                c < 24 ? row * 30 + c + 1 : 0);
	CU_ASSERT_EQUAL(get16(r, ASC_L1, 512 + 20 * 32), 0xeeee);
	rig_free(r);
}

static void load2d_moves_fractals_and_transposes_them(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = rig_insn(ASC_OP_LOAD2D_B, "src=512", "dst=1024", "repeat=2", "src_stride=3", "dst_gap=1",
	                         "transpose=1", NULL);

	for (unsigned i = 0; i < 2048; i++)
		put16(r, ASC_L1, 2 * i, i);
	rig_run(r, 0, &insn, 0);
	for (unsigned f = 0; f < 2; f++)
		for (unsigned row = 0; row < 16; row++)
			for (unsigned c = 0; c < 16; c++)
				CU_ASSERT_EQUAL(get16(r, ASC_L0B, 1024 + f * 1024 + row * 32 + c * 2),
				                (1 + 3 * f) * 256 + c * 16 + row);
	rig_set(&insn, "transpose", 0);
	rig_run(r, 0, &insn, 1000);
	CU_ASSERT_EQUAL(memcmp(rig_bytes(r, ASC_L0B, 2048), rig_bytes(r, ASC_L1, 2048), 512), 0);
	rig_free(r);
}

enum { H = 5, W = 7, C1 = 2, KH = 3, KW = 2 };

/* Element of the img2col matrix of an H x W x 32 image, filter 3 x 2, stride 2 down and 1 right, dilation 1 down and 2
 * right, padding 1 left, 0 right, 2 above, 1 below; the value names its place. */
static unsigned img2col(int64_t m, int64_t k)
{
	int64_t out_w = W + 1 - 2 * (KW - 1), c = k % 16, x = k / 16 % KW, y = k / (16 * KW) % KH,
		c1 = k / (16 * KW * KH);
	int64_t row = m / out_w * 2 + y - 2, column = m % out_w + x * 2 - 1, out_h = (H + 3 - KH) / 2 + 1;

	if (m >= out_w * out_h || row < 0 || row >= H || column < 0 || column >= W)
		return 0;
	return (unsigned)(((c1 * H + row) * W + column) * 16 + c + 1);
}

static void load3d_makes_the_img2col_matrix(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn =
		rig_insn(ASC_OP_LOAD3D_A, "h=5", "w=7", "c=32", "kernel=0x0302", "stride=0x0201", "dilation=0x0102",
	                 "pad=0x01020001", "m_start=3", "m_extent=32", "k_start=16", "k_extent=160", "dst=512", NULL);
	unsigned wrong = 0;

	for (unsigned i = 0; i < C1 * H * W * 16; i++)
		put16(r, ASC_L1, 2 * i, i + 1);
	rig_run(r, 0, &insn, 0);
	for (unsigned m = 0; m < 32; m++)
		for (unsigned k = 0; k < 160; k++)
			wrong += get16(r, ASC_L0A, 512 + (m / 16 * 10 + k / 16) * 512 + m % 16 * 32 + k % 16 * 2) !=
			         img2col(3 + m, 16 + k);
	CU_ASSERT_EQUAL(wrong, 0);
	/* Into L0B: rows of the matrix are the depth, columns the columns. */
	insn.op = ASC_OP_LOAD3D_B;
	rig_run(r, 0, &insn, 1000);
	for (unsigned m = 0; m < 32; m++)
		for (unsigned k = 0; k < 160; k++)
			wrong += get16(r, ASC_L0B, 512 + (m / 16 * 10 + k / 16) * 512 + k % 16 * 32 + m % 16 * 2) !=
			         img2col(3 + m, 16 + k);
	CU_ASSERT_EQUAL(wrong, 0);
	/* Of 16 channels there are 3 x 2 x 16 = 96 columns; behind them, from column 80 of what is loaded on, is
	 * nothing. */
	insn.f[asc_field_by_name(ASC_OP_LOAD3D_B, "c")] = 16;
	rig_run(r, 0, &insn, 2000);
	for (unsigned m = 0; m < 32; m++)
		for (unsigned k = 0; k < 160; k++)
			wrong += get16(r, ASC_L0B, 512 + (m / 16 * 10 + k / 16) * 512 + k % 16 * 32 + m % 16 * 2) !=
			         (k < 80 ? img2col(3 + m, 16 + k) : 0);
	CU_ASSERT_EQUAL(wrong, 0);
	rig_free(r);
}

static void put_sum(rig *r, unsigned row, unsigned column, uint32_t bits)
{
	memcpy(rig_bytes(r, ASC_L0C, (column / 16 * 32 + row) * 64 + column % 16 * 4), &bits, 4);
}

static asc_insn fix(int64_t quant, enum asc_type type, enum asc_type dtype, float scale, int64_t relu)
{
	asc_insn insn = rig_insn(ASC_OP_FIX_GM, "m=20", "n=24", "src_stride=32", "dst_pitch=40", "dst=4096", NULL);

	rig_set(&insn, "quant", quant);
	rig_set(&insn, "type", type);
	rig_set(&insn, "dtype", dtype);
	rig_set(&insn, "scale", num_f32_bits(scale));
	rig_set(&insn, "relu", relu);
	return insn;
}

static void fixpipe_writes_rows_and_rounds_to_nearest_even(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = fix(1, ASC_F32, ASC_F16, 0, 0);

	for (unsigned row = 0; row < 20; row++)
		for (unsigned c = 0; c < 24; c++)
			put_sum(r, row, c, num_f32_bits((float)(int)(row * 24 + c) - 100));
	put_sum(r, 0, 0, num_f32_bits(2049));  /* between 2048 and 2050: to the even mantissa, 2048 */
	put_sum(r, 0, 1, num_f32_bits(2051));  /* to 2052 */
	put_sum(r, 0, 2, num_f32_bits(65520)); /* to infinity */
	rig_run(r, 0, &insn, 0);
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4096), num_f32_to_f16(2048));
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4098), num_f32_to_f16(2052));
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4100), 0x7c00);
	for (unsigned row = 1; row < 20; row++)
		for (unsigned c = 0; c < 24; c++)
			CU_ASSERT_EQUAL(get16(r, ASC_GM, 4096 + (row * 40 + c) * 2),
			                num_f32_to_f16((float)(int)(row * 24 + c) - 100));
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4096 + 24 * 2), 0);
	rig_free(r);
}

static void fixpipe_quantises_as_documented(void)
{
	rig *r = rig_new("ascend-910b", 1, true);
	asc_insn insn = fix(23, ASC_F32, ASC_I8, 0.5F, 0);
	static const float in[] = {5, 7, -5, 1000, -1000, 4};
	static const int8_t out[] = {2, 4, -2, 127, -128, 2}; /* 2.5 and -2.5 to even, 3.5 to 4, saturated */

	for (unsigned c = 0; c < 6; c++)
		put_sum(r, 0, c, num_f32_bits(in[c]));
	rig_run(r, 0, &insn, 0);
	CU_ASSERT_EQUAL(memcmp(rig_bytes(r, ASC_GM, 4096), out, 6), 0);
	/* relu first: negative values are 0. */
	insn = fix(23, ASC_F32, ASC_I8, 0.5F, 1);
	rig_run(r, 0, &insn, 1000);
	CU_ASSERT_EQUAL(*(int8_t *)rig_bytes(r, ASC_GM, 4096 + 2), 0);
	CU_ASSERT_EQUAL(*(int8_t *)rig_bytes(r, ASC_GM, 4096 + 3), 127);
	/* int32: 3 x 0.25 to fp16; to int16 it saturates; unchanged with 0. */
	put_sum(r, 0, 0, 3);
	put_sum(r, 0, 1, 1000000);
	insn = fix(10, ASC_I32, ASC_F16, 0.25F, 0);
	rig_run(r, 0, &insn, 2000);
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4096), num_f32_to_f16(0.75F));
	insn = fix(12, ASC_I32, ASC_I16, 1, 0);
	rig_run(r, 0, &insn, 3000);
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4098), 32767);
	insn = fix(0, ASC_I32, ASC_I32, 1, 0);
	rig_run(r, 0, &insn, 4000);
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4100), 1000000 & 0xffff);
	/* bf16: 1 + 2^-8 lies between 1 and 1 + 2^-7: to even, 1. */
	put_sum(r, 0, 0, num_f32_bits(1 + 0x1p-8F));
	insn = fix(16, ASC_F32, ASC_BF16, 1, 0);
	rig_run(r, 0, &insn, 5000);
	CU_ASSERT_EQUAL(get16(r, ASC_GM, 4096), 0x3f80);
	rig_free(r);
}

int main(void)
{
#define CASE(f)                                                                                                        \
	{                                                                                                              \
#f, f                                                                                                  \
	}
	static const tap_case cases[] = {
		CASE(load2d_by_repeats_as_measured),
		CASE(load3d_rates_by_filter_and_stride_as_published),
		CASE(bursts_are_cut_into_requests),
		CASE(a_request_that_l2_misses_takes_8_cycles_whatever_its_size),
		CASE(copies_by_size_as_measured),
		CASE(nd2nz_by_size_as_measured),
		CASE(nd2nz_starts_210_cycles_later_than_a_copy),
		CASE(copies_out_of_l0c_by_size_as_measured),
		CASE(copies_into_l1_move_64_sums_a_cycle),
		CASE(copies_that_are_not_aligned_lose_a_third),
		CASE(requests_in_flight_are_limited),
		CASE(a_copy_into_the_same_half_of_l1_slows_a_load),
		CASE(many_cores_read_at_the_rate_of_the_memory),
		CASE(copies_of_a_request_follow_one_another_by_their_start),
		CASE(padding_fills_both_ends_and_zero_the_rest),
		CASE(nd2nz_makes_columns_of_blocks),
		CASE(load2d_moves_fractals_and_transposes_them),
		CASE(load3d_makes_the_img2col_matrix),
		CASE(fixpipe_writes_rows_and_rounds_to_nearest_even),
		CASE(fixpipe_quantises_as_documented),
	};

	return tap_run("asc_mte", cases, G_N_ELEMENTS(cases));
}
