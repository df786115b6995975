/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified buffer: published geometry and conflict examples, cost by stride, the measured additions, copies beside
 * the vector unit, and thousands of random instructions against an oracle that steps every cycle with lists of blocks.
 */
#include "isa/rng.h"
#include "models/ascend/ub.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { DELAY = 13 };

static asc_machine *machine(void)
{
	static asc_machine *m;

	if (!m) {
		GError *error = NULL;

		m = asc_machine_load("ascend-910b", &error);
		if (!m || !asc_machine_finish(m, &error))
			g_error("%s", error->message);
		if (m->ub_write_delay_cycles != DELAY)
			g_error("the derivations below are for a delay of %d", DELAY);
	}
	return m;
}

/* N repeats of eight blocks. */
static asc_ub_operand rows(uint64_t address, int64_t blk, int64_t rep)
{
	return (asc_ub_operand){address, blk * 32, rep * 32, 0xff, 0xff};
}

static asc_ub_vector two(uint64_t a, uint64_t b, uint64_t to, unsigned repeats)
{
	return (asc_ub_vector){.read = {rows(a, 1, 8), rows(b, 1, 8)},
	                       .write = rows(to, 1, 8),
	                       .reads = 2,
	                       .repeats = repeats,
	                       .interval = 1};
}

/* Cycles beyond one a repeat, of an instruction alone in the buffer: its last write comes DELAY + repeats cycles after
 * the start when nothing is in the way. */
static int64_t extra(asc_ub_vector v)
{
	asc_ub *ub = asc_ub_new(machine());

	asc_ub_access(ub, &v);
	asc_ub_free(ub);
	return v.write_end - v.start - DELAY - (int64_t)v.repeats * v.interval + v.interval - 1;
}

static void the_published_addresses_lie_in_the_published_banks(void)
{
	asc_ub *ub = asc_ub_new(machine());

	/* bank = address div 65536 x 16 + group, group = address div 32 mod 16 */
	CU_ASSERT_EQUAL(asc_ub_bank(ub, 0x10000), 16);
	CU_ASSERT_EQUAL(asc_ub_bank(ub, 0x10020), 17);
	CU_ASSERT_EQUAL(asc_ub_bank(ub, 0x20020), 33);
	CU_ASSERT_EQUAL(asc_ub_bank(ub, 0x10e20), 17);
	CU_ASSERT_EQUAL(asc_ub_group(ub, 0x10020), 1);
	CU_ASSERT_EQUAL(asc_ub_group(ub, 0x20020), 1);
	CU_ASSERT_EQUAL(asc_ub_row(ub, 0x10020), 0);
	CU_ASSERT_EQUAL(asc_ub_row(ub, 0x10e20), 7); /* 0xe00 / 512 */
	CU_ASSERT_EQUAL(asc_ub_row(ub, 0x1ffff), 127);
	/* every (bank, row) once: 48 x 128 rows */
	{
		static uint8_t seen[48][128];

		for (uint64_t a = 0; a < 196608; a += 32)
			seen[asc_ub_bank(ub, a)][asc_ub_row(ub, a)]++;
		for (unsigned b = 0; b < 48; b++)
			for (unsigned r = 0; r < 128; r++)
				if (seen[b][r] != 1)
					CU_FAIL("not a bijection");
	}
	asc_ub_free(ub);
}

static void two_reads_clash_in_a_group_and_in_no_other(void)
{
	asc_ub *ub = asc_ub_new(machine());
	uint64_t apart[2] = {0x10020, 0x10000}, group[2] = {0x10020, 0x20020}, same[2] = {0x10020, 0x1003f};

	CU_ASSERT_EQUAL(asc_ub_beats(ub, apart, 2, false), 1);
	CU_ASSERT_EQUAL(asc_ub_beats(ub, group, 2, false), 2);
	CU_ASSERT_EQUAL(asc_ub_beats(ub, same, 2, false), 1); /* one block is read once */
	asc_ub_free(ub);
}

/* Read and write of one block in step with each other: with one repeat every DELAY cycles the write of repeat n is due
 * in the cycle in which repeat n + 1 reads.  They share that cycle unless they are in one bank. */
static void a_read_and_a_write_clash_in_a_bank_only(void)
{
	asc_ub_vector v = {.read = {{0x10020, 32, 0, 1, 1}},
	                   .write = {0x10000, 32, 0, 1, 1},
	                   .reads = 1,
	                   .repeats = 2,
	                   .interval = DELAY};

	CU_ASSERT_EQUAL(extra(v), 0); /* banks 17 and 16 */
	v.write.address = 0x10e20;    /* bank 17 too */
	CU_ASSERT_EQUAL(extra(v), 1);
	v.write.address = 0x20020; /* the same group, bank 33 */
	CU_ASSERT_EQUAL(extra(v), 0);
}

static void eight_writes_take_the_published_beats(void)
{
	/* cycles = 8 / min(8, 16 / gcd(stride, 16)) */
	static const struct {
		int64_t stride;
		unsigned beats;
	} row[] = {{1, 1},  {2, 1},  {3, 1},  {4, 2},  {5, 1},  {6, 1},  {7, 1},   {8, 4},
	           {12, 2}, {15, 1}, {16, 8}, {17, 1}, {24, 4}, {48, 8}, {144, 8}, {145, 1}};
	asc_ub *ub = asc_ub_new(machine());

	for (unsigned i = 0; i < G_N_ELEMENTS(row); i++) {
		uint64_t at[8];

		for (unsigned b = 0; b < 8; b++)
			at[b] = (uint64_t)(b * row[i].stride * 32);
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, true), row[i].beats);
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, false), row[i].beats);
	}
	{
		uint64_t at[8];

		for (unsigned b = 0; b < 8; b++)
			at[b] = 0x1fe00 + b * 512u; /* the published example: all in group 0 */
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, true), 8);
		for (unsigned b = 0; b < 8; b++)
			at[b] = 0x1fe00 + b * 256u;
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, true), 4);
		for (unsigned b = 0; b < 8; b++)
			at[b] = 0x1fe00 + b * 32u;
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, true), 1);
	}
	asc_ub_free(ub);
}

/* The same in time, for reads and for writes, with the other side out of the way: 64 repeats, (beats - 1) x 64 beyond.
 */
static void a_stride_costs_its_beats_every_repeat(void)
{
	static const struct {
		int64_t stride;
		int64_t beats;
	} row[] = {{1, 1}, {2, 1}, {3, 1}, {4, 2}, {8, 4}, {16, 8}};

	for (unsigned i = 0; i < G_N_ELEMENTS(row); i++) {
		asc_ub_vector v = {.read = {rows(0, row[i].stride, 0)},
		                   .write = rows(0x10000, 1, 0),
		                   .reads = 1,
		                   .repeats = 64,
		                   .interval = 1};

		CU_ASSERT_EQUAL(extra(v), 64 * (row[i].beats - 1));
		v.read[0] = rows(0, 1, 0);
		v.write = rows(0x10000, row[i].stride, 0);
		CU_ASSERT_EQUAL(extra(v), 64 * (row[i].beats - 1));
	}
}

/* The newer geometry by keys: 16 banks of 16 KB in 8 groups, consecutive blocks over all 16, two reads or one read and
 * one write of a group.  Stride 2: four groups, two banks each: one beat of reads, two of writes. */
static void the_geometry_of_the_newer_part_is_a_matter_of_keys(void)
{
	static const struct {
		int64_t stride;
		unsigned read, write;
	} row[] = {{1, 1, 1}, {3, 1, 1}, {2, 1, 2}, {4, 2, 4}, {8, 4, 8}, {16, 8, 8}};
	asc_machine *m = asc_machine_copy(machine());
	GError *error = NULL;
	asc_ub *ub;

	asc_machine_set(m, "ub.bytes", "262144", NULL);
	asc_machine_set(m, "ub.banks", "16", NULL);
	asc_machine_set(m, "ub.groups", "8", NULL);
	asc_machine_set(m, "ub.read_ports", "2", NULL);
	asc_machine_set(m, "ub.bank_interleave_bytes", "256", NULL);
	CU_ASSERT_TRUE(asc_machine_finish(m, &error));
	g_clear_error(&error);
	ub = asc_ub_new(m);
	CU_ASSERT_EQUAL(asc_ub_bank(ub, 0x100), 8);
	CU_ASSERT_EQUAL(asc_ub_group(ub, 0x100), 0);
	CU_ASSERT_EQUAL(asc_ub_row(ub, 0x200), 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(row); i++) {
		uint64_t at[8];

		for (unsigned b = 0; b < 8; b++)
			at[b] = (uint64_t)(b * row[i].stride * 32);
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, false), row[i].read);
		CU_ASSERT_EQUAL(asc_ub_beats(ub, at, 8, true), row[i].write);
	}
	asc_ub_free(ub);
	asc_machine_free(m);
}

/* The eight published additions: 64 repeats of two sources.  Beyond one cycle a repeat:
 * 1 no conflict; 2, 3 both sources in the same groups: 64; 4, 6, 8 the write of repeat n meets the read of n + 13,
 * which has the other half of the groups; 5 the same shifted by one block: every read from repeat 13 on meets a write
 * in one bank: 64 - 13 = 51.  Measured 2390, 4167, 4167, 2389, 3751, 2390, 3584, 2389 ticks of 20 ns for a thousand:
 * at 1.8 GHz 22 cycles and 64, 128, 128, 64, 113.0, 64, 107.0, 64: beyond 0, 64, 64, 0, 49, 0, 43, 0. */
static void the_measured_additions_cost_what_was_measured(void)
{
	CU_ASSERT_EQUAL(extra(two(0, 0x10100, 0x20000, 64)), 0);
	CU_ASSERT_EQUAL(extra(two(0, 0x4000, 0x10000, 64)), 64);
	CU_ASSERT_EQUAL(extra(two(0, 0x10000, 0x14100, 64)), 64);
	CU_ASSERT_EQUAL(extra(two(0, 0x10100, 0x4000, 64)), 0);
	CU_ASSERT_EQUAL(extra(two(0, 0x10100, 0x4020, 64)), 51);
	CU_ASSERT_EQUAL(extra(two(0, 0x10100, 0x10100, 64)), 0);
	{
		asc_ub_vector v = two(0, 0x10100, 0x10100, 64);

		/* Case 7: the source's only block moves on by one a repeat: 8 of 16 repeats clash, 32 in all, and the
		 * half steps they put into the pipe bring 16 writes under reads of their own bank (oracle below): 48.
		 */
		v.read[0] = rows(0, 0, 1);
		CU_ASSERT_EQUAL(extra(v), 48);
		v.read[0] = rows(0, 0, 8);
		CU_ASSERT_EQUAL(extra(v), 0);
	}
}

/* Sources and result one behind the other, as allocators place them: two cycles a repeat, no more, whatever the size.
 */
static void adjacent_operands_cost_two_cycles_a_repeat(void)
{
	for (unsigned repeats = 4; repeats <= 64; repeats *= 2)
		CU_ASSERT_EQUAL(extra(two(0, repeats * 256, repeats * 512, repeats)), repeats);
	CU_ASSERT_EQUAL(extra(two(0, 0x4000, 0x4000, 64)), 64); /* in place */
	CU_ASSERT_EQUAL(extra(two(0, 0, 0x4000, 64)), 0);       /* a source with itself */
}

static void stalls_say_why_and_add_up(void)
{
	static const struct {
		uint64_t a, b, to;
		int64_t group, bank;
	} row[] = {{0, 0x10100, 0x20000, 0, 0}, {0, 0x4000, 0x10000, 64, 0}, {0, 0x10100, 0x4020, 0, 51}};

	for (unsigned i = 0; i < G_N_ELEMENTS(row); i++) {
		asc_ub_vector v = two(row[i].a, row[i].b, row[i].to, 64);
		asc_ub *ub = asc_ub_new(machine());

		asc_ub_access(ub, &v);
		CU_ASSERT_EQUAL(v.stall[ASC_STALL_BANK_GROUP], row[i].group);
		CU_ASSERT_EQUAL(v.stall[ASC_STALL_BANK], row[i].bank);
		CU_ASSERT_EQUAL(v.stall[ASC_STALL_MTE], 0);
		CU_ASSERT_EQUAL(v.stall[ASC_STALL_RESOURCE], 0);
		CU_ASSERT_EQUAL(v.read_end, 64 + row[i].group + row[i].bank);
		asc_ub_free(ub);
	}
}

/* ---- copies ---- */

static void a_copy_alone_takes_its_own_time(void)
{
	asc_ub *ub = asc_ub_new(machine());

	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0, 4096, 100, 132), 132);        /* 32 beats of 128 B in 32 cycles */
	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0, 4096, 200, 300), 300);        /* slower at its other end */
	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0, 4096, 400, 410), 432);        /* 32 beats at least */
	CU_ASSERT_EQUAL(asc_ub_copy(ub, false, 0x10000, 4096, 400, 432), 432); /* reads have a port of their own */
	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0x10000, 128, 400, 401), 433);   /* writes share theirs */
	asc_ub_free(ub);
}

/* The copy's first beats: groups 0-3.  The vector unit reads groups 0-7 in even and 8-15 in odd cycles: read after read
 * waits a cycle where it comes even. */
static void a_copy_waits_for_ports_the_vector_unit_holds(void)
{
	asc_ub_vector v = {
		.read = {rows(0, 1, 8)}, .write = rows(0x10000, 1, 8), .reads = 1, .repeats = 64, .interval = 1};
	asc_ub *ub = asc_ub_new(machine());

	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(asc_ub_copy(ub, false, 0x20000, 128, 10, 11), 12);
	CU_ASSERT_EQUAL(asc_ub_copy(ub, false, 0x20000, 128, 21, 22), 22);
	/* a write into the other stretch meets only the vector unit's writes: repeat n in cycle n + 13, odd for groups
	 * 0-7 */
	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0x20000, 128, 30, 31), 31);
	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0x20000, 128, 33, 34), 35);
	/* before the first write nothing is in the way */
	CU_ASSERT_EQUAL(asc_ub_copy(ub, true, 0x20080, 128, 11, 12), 12);
	asc_ub_free(ub);
}

/* With copies that wait 8 cycles at most. */
static asc_ub *impatient(void)
{
	asc_machine *m = asc_machine_copy(machine());
	asc_ub *ub;

	m->ub_mte_age_cycles = 8;
	ub = asc_ub_new(m);
	asc_machine_free(m);
	return ub;
}

/* The vector unit reads groups 0-7 in every cycle: the copy waits 8, goes first, and the next instruction pays a cycle.
 */
static void a_copy_that_waited_long_goes_first(void)
{
	asc_ub_vector v = {
		.read = {rows(0, 1, 0)}, .write = rows(0x10100, 1, 0), .reads = 1, .repeats = 64, .interval = 1};
	asc_ub *ub = impatient();

	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(asc_ub_copy(ub, false, 0x20000, 128, 10, 11), 19);
	v.start = 100;
	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(v.start, 101);
	CU_ASSERT_EQUAL(v.stall[ASC_STALL_MTE], 1);
	v.start = 300;
	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(v.start, 300);
	CU_ASSERT_EQUAL(v.stall[ASC_STALL_MTE], 0);
	asc_ub_free(ub);
}

/* A copy booked before: one beat can be put off, a train of them cannot, since the beat would wait longer than it may.
 */
static void the_vector_unit_puts_off_single_beats_and_waits_for_trains(void)
{
	asc_ub_vector v = {
		.read = {rows(0, 1, 0)}, .write = rows(0x10100, 1, 0), .reads = 1, .repeats = 4, .interval = 1};
	asc_ub *ub = impatient();

	asc_ub_copy(ub, false, 0x20000, 128, 1, 2);
	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(v.read_end, 4);
	CU_ASSERT_EQUAL(v.stall[ASC_STALL_MTE], 0);
	asc_ub_free(ub);
	/* 64 beats of groups 0-3, 4-7, 8-11, 12-15 in turn from cycle 0 on: cycles 0, 1, 4, 5 are in the way of groups
	 * 0-7, no beat may wait more than 8: the four repeats read in 2, 3, 6, 7. */
	ub = impatient();
	asc_ub_copy(ub, false, 0x20000, 8192, 0, 64);
	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(v.read_end, 8);
	CU_ASSERT_EQUAL(v.stall[ASC_STALL_MTE], 4);
	asc_ub_free(ub);
}

/* The same with the machine's own wait: the train lets all four repeats pass. */
static void copies_wait_while_their_buffers_have_room(void)
{
	asc_ub_vector v = {
		.read = {rows(0, 1, 0)}, .write = rows(0x10100, 1, 0), .reads = 1, .repeats = 4, .interval = 1};
	asc_ub *ub = asc_ub_new(machine());

	asc_ub_copy(ub, false, 0x20000, 8192, 0, 64);
	asc_ub_access(ub, &v);
	CU_ASSERT_EQUAL(v.read_end, 4);
	CU_ASSERT_EQUAL(v.stall[ASC_STALL_MTE], 0);
	asc_ub_free(ub);
	/* What may be in flight, at the rate of the port. */
	CU_ASSERT_EQUAL(machine()->ub_mte_age_cycles, machine()->mte2_outstanding * machine()->mte2_packet_bytes /
	                                                      machine()->ub_mte_write_bytes_per_cycle);
}

/* ---- the oracle ---- */

typedef struct oracle {
	int64_t now;
	struct {
		uint64_t at[32];
		unsigned beat[32], n, beats, next;
	} pipe[DELAY];
} oracle;

static unsigned oracle_group(uint64_t a)
{
	return (unsigned)(a >> 5 & 15);
}

static bool oracle_same_bank(uint64_t a, uint64_t b)
{
	return (a >> 5 & 15) == (b >> 5 & 15) && (a >> 16) % 3 == (b >> 16) % 3;
}

/* Lists the blocks of an operand and gives each the number of earlier, different blocks in its group. */
static unsigned oracle_list(const asc_ub_operand *o, unsigned repeat, uint32_t active, uint64_t *at, unsigned *beat,
                            unsigned n)
{
	for (unsigned b = 0; b < 32; b++) {
		uint64_t a = o->address + (uint64_t)(repeat * o->repeat_bytes + b * o->block_bytes);
		bool seen = false;

		if (!(active >> b & 1))
			continue;
		beat[n] = 0;
		for (unsigned i = 0; i < n; i++) {
			seen |= at[i] >> 5 == a >> 5;
			beat[n] += oracle_group(at[i]) == oracle_group(a);
		}
		if (!seen)
			at[n++] = a;
	}
	return n;
}

static unsigned last_beat(const unsigned *beat, unsigned n)
{
	unsigned beats = 0;

	for (unsigned i = 0; i < n; i++)
		beats = MAX(beats, beat[i] + 1);
	return beats;
}

/* One cycle: the blocks GET of beat NEXT and the tail's; true when the pipe moved. */
static bool oracle_cycle(oracle *o, const uint64_t *get, const unsigned *beat, unsigned n, unsigned beats,
                         unsigned *next, bool wants)
{
	unsigned end = DELAY - 1;
	bool meet = false, writes = o->pipe[end].next < o->pipe[end].beats;

	for (unsigned i = 0; wants && writes && *next < beats && i < n; i++)
		for (unsigned k = 0; k < o->pipe[end].n; k++)
			meet |= beat[i] == *next && o->pipe[end].beat[k] == o->pipe[end].next &&
			        oracle_same_bank(get[i], o->pipe[end].at[k]);
	o->pipe[end].next += writes;
	*next += wants && *next < beats && !meet;
	o->now++;
	if (meet || o->pipe[end].next < o->pipe[end].beats)
		return false;
	memmove(&o->pipe[1], &o->pipe[0], end * sizeof o->pipe[0]);
	memset(&o->pipe[0], 0, sizeof o->pipe[0]);
	return true;
}

static bool oracle_empty(const oracle *o)
{
	for (unsigned i = 0; i < DELAY; i++)
		if (o->pipe[i].next < o->pipe[i].beats)
			return false;
	return true;
}

static void oracle_run(oracle *o, asc_ub_vector *v)
{
	unsigned none = 0;
	int64_t eligible = v->start;
	oracle rest;

	while (o->now < v->start)
		oracle_cycle(o, NULL, NULL, 0, 0, &none, false);
	for (unsigned r = 0; r < v->repeats; r++) {
		uint64_t get[128];
		unsigned beat[128], n = 0, next = 0, beats;
		int64_t began = -1;
		bool moved;

		for (unsigned i = 0; i < v->reads; i++)
			n = oracle_list(&v->read[i], r, r + 1 == v->repeats ? v->read[i].last : v->read[i].active, get,
			                beat, n);
		beats = last_beat(beat, n);
		do {
			int64_t now = o->now;
			unsigned before = next;
			bool may = began >= 0 || now >= eligible;

			moved = oracle_cycle(o, get, beat, n, beats, &next, may);
			if (began < 0 && may && (next > before || (!beats && next == before)))
				began = now;
		} while (!moved || began < 0 || next < beats);
		o->pipe[0].n = oracle_list(&v->write, r, r + 1 == v->repeats ? v->write.last : v->write.active,
		                           o->pipe[0].at, o->pipe[0].beat, 0);
		o->pipe[0].beats = last_beat(o->pipe[0].beat, o->pipe[0].n);
		eligible = began + v->interval;
	}
	v->read_end = MAX(o->now, eligible);
	for (rest = *o; !oracle_empty(&rest);)
		oracle_cycle(&rest, NULL, NULL, 0, 0, &none, false);
	v->write_end = rest.now;
}

static asc_ub_operand random_operand(rng *r, bool narrow)
{
	static const int64_t stride[] = {0, 1, 1, 1, 2, 3, 4, 5, 8, 9, 16, 17};
	uint32_t active = rng_below(r, 4) ? 0xff : (uint32_t)rng_below(r, 256);
	asc_ub_operand o = {.address = 32 * rng_below(r, narrow ? 256 : 4096),
	                    .block_bytes = 32 * stride[rng_below(r, G_N_ELEMENTS(stride))],
	                    .repeat_bytes = 32 * (rng_below(r, 2) ? 8 : stride[rng_below(r, G_N_ELEMENTS(stride))]),
	                    .active = active,
	                    .last = rng_below(r, 2) ? active : active & 0xf};

	return o;
}

static void random_instructions_take_the_oracles_cycles(void)
{
	rng r;
	unsigned differences = 0, conflicts = 0, formulas = 0;

	rng_seed(&r, 20260101, 0);
	for (unsigned i = 0; i < 1500; i++) {
		asc_ub *ub = asc_ub_new(machine());
		oracle o = {.now = 0};
		int64_t start = 0;

		/* a few instructions, back to back, with gaps, or long after each other */
		for (unsigned k = 0; k < 4; k++) {
			asc_ub_vector v = {.reads = (unsigned)rng_below(&r, 4),
			                   .repeats = 1 + (unsigned)rng_below(&r, 40),
			                   .interval = 1 + (int64_t)(rng_below(&r, 3) ? 0 : (int64_t)rng_below(&r, 15)),
			                   .start = start},
				      w;
			bool narrow = rng_below(&r, 2);

			for (unsigned n = 0; n < v.reads; n++)
				v.read[n] = random_operand(&r, narrow);
			v.write = random_operand(&r, narrow);
			if (!v.write.active)
				v.write.active = v.write.last = 1;
			if (!v.write.last)
				v.write.last = v.write.active;
			w = v;
			asc_ub_access(ub, &v);
			oracle_run(&o, &w);
			if (v.read_end != w.read_end || v.write_end != w.write_end) {
				if (!differences++)
					tap_note("program %u, instruction %u: %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
					         ", oracle %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
					         i, k, v.read_end, v.write_end, w.read_end, w.write_end);
				break;
			}
			if (v.read_end - v.start > (int64_t)v.repeats * v.interval)
				conflicts++;
			else
				formulas++;
			start = v.read_end + (int64_t)(rng_below(&r, 2) ? 0 : (int64_t)rng_below(&r, 40));
		}
		asc_ub_free(ub);
	}
	CU_ASSERT_EQUAL(differences, 0);
	CU_ASSERT_TRUE(conflicts > 1000);
	CU_ASSERT_TRUE(formulas > 1000);
}

int main(void)
{
	static const tap_case cases[] = {
		{"the_published_addresses_lie_in_the_published_banks",
	         the_published_addresses_lie_in_the_published_banks},
		{"two_reads_clash_in_a_group_and_in_no_other", two_reads_clash_in_a_group_and_in_no_other},
		{"a_read_and_a_write_clash_in_a_bank_only", a_read_and_a_write_clash_in_a_bank_only},
		{"eight_writes_take_the_published_beats", eight_writes_take_the_published_beats},
		{"a_stride_costs_its_beats_every_repeat", a_stride_costs_its_beats_every_repeat},
		{"the_geometry_of_the_newer_part_is_a_matter_of_keys",
	         the_geometry_of_the_newer_part_is_a_matter_of_keys},
		{"the_measured_additions_cost_what_was_measured", the_measured_additions_cost_what_was_measured},
		{"adjacent_operands_cost_two_cycles_a_repeat", adjacent_operands_cost_two_cycles_a_repeat},
		{"stalls_say_why_and_add_up", stalls_say_why_and_add_up},
		{"a_copy_alone_takes_its_own_time", a_copy_alone_takes_its_own_time},
		{"a_copy_waits_for_ports_the_vector_unit_holds", a_copy_waits_for_ports_the_vector_unit_holds},
		{"a_copy_that_waited_long_goes_first", a_copy_that_waited_long_goes_first},
		{"copies_wait_while_their_buffers_have_room", copies_wait_while_their_buffers_have_room},
		{"the_vector_unit_puts_off_single_beats_and_waits_for_trains",
	         the_vector_unit_puts_off_single_beats_and_waits_for_trains},
		{"random_instructions_take_the_oracles_cycles", random_instructions_take_the_oracles_cycles},
	};

	return tap_run("asc_ub", cases, G_N_ELEMENTS(cases));
}
