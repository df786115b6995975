/* SPDX-License-Identifier: Apache-2.0
 *
 * Values, functional mode: matrix products, lane moves, strided and indexed accesses, streams and links, each against
 * its definition written down again here with number formats of the test's own.
 */
#include <string.h>

#include "tests/unit/model_values.h"

enum { LANES = 320 };

/* --- MXM --- */

/* The block's value, by the text: sub-sums in double in order, each rounded to fp32, added in fp32. */
static float block_value(const uint16_t *a, const uint16_t *w, unsigned k, unsigned sum_rows, unsigned pitch)
{
	float block = 0;

	for (unsigned first = 0; first < k; first += sum_rows) {
		double sum = 0;

		for (unsigned i = first; i < k && i < first + sum_rows; i++)
			sum += values_half_value(a[i]) * values_half_value(w[i * pitch]);
		block = first ? block + (float)sum : (float)sum;
	}
	return block;
}

static void try_fp16(uint64_t seed, unsigned k, unsigned n, unsigned abc_lanes)
{
	g_autofree uint16_t *w = g_new(uint16_t, k * n);
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	uint16_t a[2][LANES];
	uint8_t want[4 * LANES], got[4 * LANES];
	rng random;
	rig *r;

	rng_seed(&random, seed, 0);
	values_fill(&random, (uint8_t *)w, k * n, ISA_TYPE_F16);
	values_fill(&random, (uint8_t *)a, 2 * LANES, ISA_TYPE_F16);
	/* Only a few specials: else all sums are NaN. */
	for (unsigned i = 0; i < k * n; i++)
		if ((w[i] & 0x7c00) == 0x7c00 && rng_below(&random, 400))
			w[i] = 0x3800;
	for (unsigned i = 0; i < 2 * LANES; i++)
		if ((a[i / LANES][i % LANES] & 0x7c00) == 0x7c00)
			a[i / LANES][i % LANES] = 0xb400;
	values_image(text, 0, (const uint8_t *)w, 2 * k * n);
	values_image(text, 1000000, (const uint8_t *)a, 4 * LANES);
	g_string_append_printf(
		text,
		"@0 mem0: load wt.0 addr=0 len=%u x%u every 4 step %u\n"
		"@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=%u x%u every 4 step 1\n"
		"@1500 mxm0.w: iw count=%u type=fp16\n"
		"@1500 mem0: load act.1 addr=1000000 len=640\n@1510 mem0: load act.2 addr=1000640 len=640\n"
		"@1520 mxm0.a: abc act.1 addr=5 type=fp16 lanes=%u\n"
		"@1522 mxm0.a: abc act.2 addr=5 mode=add type=fp16 lanes=%u\n"
		"@1540 mxm0.c: acc r0 addr=5 type=fp16 lanes=%u\n@1580 mem0: store r0 addr=2000000 len=%u\n",
		2 * n, k, 2 * n, n, k, k, abc_lanes, abc_lanes, n, 4 * n);
	r = rig_run(text->str, &(rig_setup){.functional = true});
	RIG_CLEAN(r);
	values_read(r, 2000000, got, 4 * n);
	for (unsigned i = 0; i < n; i++) {
		unsigned rows = MIN(k, abc_lanes);
		float first = block_value(a[0], w + i, rows, 160, n);

		values_put_float(want, i, ISA_TYPE_F32, first + block_value(a[1], w + i, rows, 160, n));
	}
	values_compare("fp16 sums", got, want, n, 4);
	rig_free(r);
}

static void fp16_sums_round_where_the_text_says(void)
{
	try_fp16(1, 320, 320, 320);
	try_fp16(2, 161, 100, 320); /* rows beyond the installed ones contribute nothing */
	try_fp16(3, 300, 33, 160);  /* lanes beyond those named neither */
	try_fp16(4, 1, 1, 1);
}

static void int8_sums_are_exact(void)
{
	enum { K = 77, N = 320 };
	static int8_t w[K * N];
	int8_t a[LANES];
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	uint8_t want[4 * LANES], got[4 * LANES];
	rng random;
	rig *r;

	rng_seed(&random, 9, 0);
	values_fill(&random, (uint8_t *)w, K * N, ISA_TYPE_I8);
	values_fill(&random, (uint8_t *)a, LANES, ISA_TYPE_I8);
	values_image(text, 0, (const uint8_t *)w, sizeof w);
	values_image(text, 1000000, (const uint8_t *)a, LANES);
	/* plane 3, whose accumulators are the upper half of pair 1's */
	g_string_append(
		text, "@0 mem0: load wt.3 addr=0 len=320 x77 every 4 step 320\n"
		      "@4 mxm3.w: lw wt.3 addr=0 count=1 type=int8 lanes=320 x77 every 4 step 1\n"
		      "@500 mxm3.w: iw count=77 type=int8\n@500 mem0: load act.8 addr=1000000 len=320\n"
		      "@520 mxm3.a: abc act.8 addr=511 type=int8 lanes=320 x3 every 1\n"
		      "@523 mxm3.a: abc act.8 addr=511 mode=add type=int8 lanes=320 x4 every 1\n"
		      "@560 mxm3.c: acc r0 addr=511 type=int8 lanes=320\n@600 mem0: store r0 addr=2000000 len=1280\n");
	r = rig_run(text->str, &(rig_setup){.functional = true});
	RIG_CLEAN(r);
	values_read(r, 2000000, got, 1280);
	for (unsigned n = 0; n < N; n++) {
		int64_t sum = 0;

		for (unsigned k = 0; k < K; k++)
			sum += a[k] * w[k * N + n];
		values_put_integer(want, n, ISA_TYPE_I32, 5 * sum); /* one overwrites, four are added */
	}
	values_compare("int8 sums", got, want, N, 4);
	rig_free(r);
}

static void a_wrapping_int32_sum_is_an_overflow_in_functional_mode_only(void)
{
	/* 320 products of 127 * 127 are 5,161,280; the 417th of them exceeds 2^31 - 1: issue 416, counted from 0. */
	g_autofree uint8_t *ones = g_malloc(102400);
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	rig *r;

	memset(ones, 127, 102400);
	values_image(text, 0, ones, 102400);
	g_string_append(text, "@0 mem0: load wt.0 addr=0 len=320 x320 every 1 step 320\n"
	                      "@4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=320 x320 every 1 step 1\n"
	                      "@400 mxm0.w: iw count=320 type=int8\n@400 mem0: load act.1 addr=0 len=320\n"
	                      "@410 mxm0.a: abc act.1 addr=0 type=int8 lanes=320\n"
	                      "b: @411 mxm0.a: abc act.1 addr=0 mode=add type=int8 lanes=320 x500 every 1\n");
	r = rig_run(text->str, &(rig_setup){.functional = true});
	RIG_ONE(r, ISA_VIOLATION_INT_OVERFLOW, 5, 411 + 415 + 13); /* when the row changes */
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).index, 415);
	rig_free(r);
	r = rig_run(text->str, NULL);
	RIG_CLEAN(r);
	rig_free(r);
}

/* --- lanes --- */

static void lane_moves_permute_bytes(void)
{
	static const char *const maps = ".map 0: 319-0\n.map 1: 15-0 none*16 32*16 48-319\n.map 2: 0*160 1*160\n";
	uint16_t x[LANES], y[LANES], want[8][LANES], got[8][LANES];
	uint8_t bytes[16][LANES], turned[16][LANES];
	g_autoptr(GString) text = g_string_new(maps);
	rng random;
	rig *r;

	rng_seed(&random, 4, 0);
	values_fill(&random, (uint8_t *)x, LANES, ISA_TYPE_I16);
	values_fill(&random, (uint8_t *)y, LANES, ISA_TYPE_I16);
	values_fill(&random, (uint8_t *)bytes, 16 * LANES, ISA_TYPE_I8);
	g_string_append(text, ".epoch \"e\" start=0\n");
	values_image(text, 0, (uint8_t *)x, 640);
	values_image(text, 640, (uint8_t *)y, 640);
	values_image(text, 10000, (uint8_t *)bytes, sizeof bytes);
	g_string_append(text, "@0 mem0: load r0 addr=0 len=640\n@1 mem0: load r1 addr=640 len=640\n"
	                      "@10 sxm.shift0: shift r2, r0 distance=5 type=int16\n@11 sxm.shift0: shift r3, r0 "
	                      "distance=-37 type=int16\n"
	                      "@10 sxm.rotate0: rotate r4, r0 distance=3 type=int16\n@11 sxm.rotate0: rotate r5, r0 "
	                      "distance=-18 type=int16\n"
	                      "@10 sxm.permute0: permute r6, r0 map=0 type=int16\n@10 sxm.distribute0: distribute r7, "
	                      "r0 map=1 type=int16\n"
	                      "@10 sxm.select0: select r8, r0, r1 map=2 type=int16\n@11 sxm.select0: select r9, r1, r0 "
	                      "map=2 type=int16\n"
	                      "@50 mem0: store r2 addr=20000 len=640 x8 every 1 step 640 rot.src0=1\n"
	                      "@60 mem0: load r20 addr=10000 len=320 x16 every 1 step 320 rot.dst=1\n"
	                      "@90 sxm.transpose0: transpose r40, r20\n"
	                      "@100 mem0: store r40 addr=40000 len=320 x16 every 1 step 320 rot.src0=1\n");
	r = rig_run(text->str, &(rig_setup){.functional = true});
	RIG_CLEAN(r);
	for (int i = 0; i < LANES; i++) {
		int tile = i / 16 * 16;

		want[0][i] = i - 5 >= 0 ? x[i - 5] : 0;
		want[1][i] = i + 37 < LANES ? x[i + 37] : 0;
		want[2][i] = x[tile + (i - tile + 13) % 16];
		want[3][i] = x[tile + (i - tile + 18) % 16];
		want[4][i] = x[319 - i];
		want[5][i] = i < 16 ? x[15 - i] : i < 32 ? 0 : i < 48 ? x[32] : x[i];
		want[6][i] = i < 160 ? x[i] : y[i];
		want[7][i] = i < 160 ? y[i] : x[i];
		for (int k = 0; k < 16; k++)
			turned[k][i] = bytes[i % 16][tile + k];
	}
	values_read(r, 20000, (uint8_t *)got, sizeof got);
	for (int k = 0; k < 8; k++)
		values_compare("lane move", (uint8_t *)got[k], (uint8_t *)want[k], LANES, 2);
	values_read(r, 40000, (uint8_t *)bytes, sizeof bytes);
	values_compare("transpose", (uint8_t *)bytes, (uint8_t *)turned, 16 * LANES, 1);
	rig_free(r);
}

/* --- memory --- */

static void strided_and_indexed_accesses_pack_and_unpack(void)
{
	uint8_t memory[4000], got[400], want[400] = {0};
	int32_t index[9] = {0, 4, -8, 100, 16, 1900, -40, 77, 1};
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	rng random;
	rig *r;

	rng_seed(&random, 6, 0);
	values_fill(&random, memory, 4000, ISA_TYPE_I8);
	values_image(text, 0, memory, sizeof memory);
	values_image(text, 5008, (uint8_t *)index, sizeof index);
	g_string_append(text,
	                "@0 mem0: load r9 addr=5008 len=36\n"
	                "@10 mem0: loads r0 addr=3000 seg=7 pitch=-33 count=20\n@40 mem0: store r0 addr=10000 len=140\n"
	                "@50 mem0: loadx r1, r9 addr=1000 seg=3 count=9\n@80 mem0: store r1 addr=11001 len=27\n"
	                "@90 mem0: stores r0 addr=12000 seg=5 pitch=9 count=28\n"
	                "@130 mem0: storex r0, r9 addr=14000 seg=1 count=9\n"
	                "@160 mem0: load r2 addr=10000 len=10\n@170 mem0: store r2 addr=16000 len=640\n");
	r = rig_run(text->str, &(rig_setup){.functional = true});
	RIG_CLEAN(r);
	for (unsigned i = 0; i < 140; i++)
		want[i] = memory[3000 - 33 * (i / 7) + i % 7];
	values_read(r, 10000, got, 140);
	values_compare("loads", got, want, 140, 1);
	for (unsigned i = 0; i < 28; i++) {
		values_read(r, 12000 + 9 * i, got, 5);
		values_compare("stores", got, want + 5 * i, 5, 1);
	}
	for (unsigned i = 0; i < 9; i++) {
		values_read(r, (uint64_t)(14000 + index[i]), got, 1);
		values_compare("storex", got, want + i, 1, 1);
	}
	/* What a short load leaves of its register is zero. */
	memset(want + 10, 0, sizeof want - 10);
	values_read(r, 16000, got, 400);
	values_compare("short load", got, want, 400, 1);
	for (unsigned i = 0; i < 27; i++)
		want[i] = memory[1000 + index[i / 3] + (int)(i % 3)];
	values_read(r, 11001, got, 27);
	values_compare("loadx", got, want, 27, 1);
	/* Beside what was stored there are zeros, in granules that count as written; elsewhere nothing is known. */
	CU_ASSERT_FALSE(tsp_chip_read(r->chip, 13000, got, 1));
	CU_ASSERT_FALSE(tsp_chip_read(r->chip, 5043, got, 20));
	rig_free(r);
}

static void values_travel_on_streams_and_links(void)
{
	/* Words of w0 go east through the VXM as int8 and as fp16 made of two streams, come back and over a link. */
	uint8_t words[3][LANES], got[LANES];
	uint8_t zeros[LANES] = {0}, map[LANES] = {0};
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	rng random;
	rig *r;

	rng_seed(&random, 8, 0);
	values_fill(&random, (uint8_t *)words, 3 * LANES, ISA_TYPE_I8);
	for (unsigned i = 0; i < LANES; i++)
		words[2][i] &= 0x3b; /* high bytes of finite fp16 */
	for (unsigned s = 0; s < 20; s++)
		map[16 * s] = (uint8_t)(s % 3); /* word s mod 3 for superlane s */
	values_image(text, 0, (uint8_t *)words, sizeof words);
	values_image(text, 2621440, words[2], LANES); /* word 0 of w1 */
	values_image(text, 2 * 2621440, map, LANES);  /* word 0 of w2 */
	values_image(text, 2621440 + 320 * 50, zeros, LANES);
	/* VXM at 22; slices w0..w3 at 21, one hop; entry 5, op 3; back one hop: read 100, at the VXM 102, back at 111.
	 */
	g_string_append(
		text,
		"@100 mem.w0: read e0 addr=0\n@102 vxm0: not w0, e0 type=int8 lanes=320\n@111 mem.w3: write w0 addr=0\n"
		"@120 mem.w0: read e0 addr=1\n@120 mem.w1: read e1 addr=0\n"
		"@122 vxm0: neg w0, e0 type=fp16 lanes=320\n@131 mem.w3: write w1 addr=1\n"
		"@131 mem.w2: write w0 addr=9\n"
		"@140 mem.w2: read e2 addr=0\n@141 mem.w0: gather e3, e2\n@143 mem.w3: write e3 addr=2\n"
		"@150 mem.w2: read e2 addr=0\n@150 mem.w0: read e3 addr=2\n@151 mem.w1: scatter e3, e2\n"
		"@200 mem.w0: read w5 addr=1\n@215 c2c.w0: send w5\n@451 c2c.w0: recv e5\n@466 mem.w3: write e5 "
		"addr=3\n");
	r = rig_run(text->str, &(rig_setup){.machine = "tsp-isca20", .functional = true});
	RIG_CLEAN(r);
	values_read(r, 3 * 2621440, got, LANES);
	for (unsigned i = 0; i < LANES; i++)
		CU_ASSERT_EQUAL(got[i], (uint8_t)~words[0][i]);
	values_read(r, 3 * 2621440 + 320, got, LANES); /* the high byte with the sign turned */
	for (unsigned i = 0; i < LANES; i++)
		CU_ASSERT_EQUAL(got[i], words[2][i] ^ 0x80);
	values_read(r, 2 * 2621440 + 9 * 320, got, LANES); /* the low byte */
	values_compare("low bytes", got, words[1], LANES, 1);
	values_read(r, 3 * 2621440 + 2 * 320, got, LANES);
	for (unsigned i = 0; i < LANES; i++)
		CU_ASSERT_EQUAL(got[i], words[i / 16 % 3][i]);
	for (unsigned i = 0; i < LANES; i++) {
		uint8_t byte;

		values_read(r, 2621440 + 320 * (i / 16 % 3) + i, &byte, 1);
		CU_ASSERT_EQUAL(byte, words[2][i]);
	}
	values_read(r, 3 * 2621440 + 3 * 320, got, LANES);
	values_compare("link", got, words[1], LANES, 1);
	rig_free(r);
}

static void weights_on_streams_enter_the_planes(void)
{
	/* Four rows of int8 weights on w0..w3 and an activation; and the same rows as two fp16 ones (streams in pairs).
	 */
	uint8_t rows[5][LANES], got[4][LANES];
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	rng random;
	rig *r;

	rng_seed(&random, 12, 0);
	values_fill(&random, (uint8_t *)rows, 5 * LANES, ISA_TYPE_I8);
	for (unsigned i = 0; i < LANES; i++) {
		rows[1][i] &= 0xbb; /* high bytes of small fp16 numbers */
		rows[3][i] &= 0xbb;
	}
	for (unsigned k = 0; k < 4; k++)
		values_image(text, k * 2621440, rows[k], LANES);
	values_image(text, 320, rows[4], LANES);
	/* slices at 21, MXM at 1: read at t, there at t + 21 */
	g_string_append(text, "@100 mem.w0: read w0 addr=0\n@100 mem.w1: read w1 addr=0\n@100 mem.w2: read w2 addr=0\n"
	                      "@100 mem.w3: read w3 addr=0\n@121 mxm1.w: lw w0 addr=0 count=4 type=int8 lanes=320\n"
	                      "@122 mxm1.w: iw count=4 type=int8\n"
	                      "@110 mem.w0: read w4 addr=1\n@131 mxm1.a: abc w4 addr=0 type=int8 lanes=4\n"
	                      "@144 mxm1.c: acc e0 addr=0 type=int8 lanes=320\n");
	/* ACC drives position 1 in 144 + 31 = 175; slice w0 at 21 sees it in 195. */
	g_string_append(text,
	                "@195 mem.w0: write e0 addr=7\n@195 mem.w1: write e1 addr=7\n@195 mem.w2: write e2 addr=7\n"
	                "@195 mem.w3: write e3 addr=7\n");
	r = rig_run(text->str, &(rig_setup){.machine = "tsp-isca20", .functional = true});
	RIG_CLEAN(r);
	for (unsigned k = 0; k < 4; k++)
		values_read(r, k * 2621440 + 7 * 320, got[k], LANES);
	for (unsigned n = 0; n < LANES; n++) {
		int32_t sum = 0;

		for (unsigned k = 0; k < 4; k++)
			sum += (int8_t)rows[4][k] * (int8_t)rows[k][n];
		CU_ASSERT_EQUAL((int32_t)(got[0][n] | (uint32_t)got[1][n] << 8 | (uint32_t)got[2][n] << 16 |
		                          (uint32_t)got[3][n] << 24),
		                sum);
	}
	rig_free(r);
}

static void fp16_weights_on_streams_are_pairs_of_bytes(void)
{
	uint8_t rows[4][LANES], got[4][LANES];
	uint16_t act[LANES] = {0x3c00, 0x4000}; /* 1, 2 */
	uint8_t low[LANES] = {0}, high[LANES] = {0x3c, 0x40};
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	rng random;
	rig *r;

	rng_seed(&random, 13, 0);
	values_fill(&random, (uint8_t *)rows, 4 * LANES, ISA_TYPE_I8);
	for (unsigned i = 0; i < LANES; i++) {
		rows[1][i] &= 0xbb;
		rows[3][i] &= 0xbb;
	}
	for (unsigned k = 0; k < 4; k++)
		values_image(text, k * 2621440, rows[k], LANES);
	values_image(text, 320, low, LANES);
	values_image(text, 2621440 + 320, high, LANES);
	g_string_append(text,
	                "@100 mem.w0: read w0 addr=0\n@100 mem.w1: read w1 addr=0\n@100 mem.w2: read w2 addr=0\n"
	                "@100 mem.w3: read w3 addr=0\n@121 mxm1.w: lw w0 addr=0 count=2 type=fp16 lanes=320\n"
	                "@122 mxm0.w: iw count=2 type=fp16\n"
	                "@110 mem.w0: read w4 addr=1\n@110 mem.w1: read w5 addr=1\n"
	                "@131 mxm0.a: abc w4 addr=0 type=fp16 lanes=2\n"
	                "@144 mxm0.c: acc e0 addr=0 type=fp16 lanes=320\n"
	                "@195 mem.w0: write e0 addr=7\n@195 mem.w1: write e1 addr=7\n@195 mem.w2: write e2 addr=7\n"
	                "@195 mem.w3: write e3 addr=7\n");
	r = rig_run(text->str, &(rig_setup){.machine = "tsp-isca20", .functional = true});
	RIG_CLEAN(r);
	for (unsigned k = 0; k < 4; k++)
		values_read(r, k * 2621440 + 7 * 320, got[k], LANES);
	for (unsigned n = 0; n < LANES; n++) {
		uint16_t w[2] = {(uint16_t)(rows[0][n] | rows[1][n] << 8), (uint16_t)(rows[2][n] | rows[3][n] << 8)};
		uint32_t bits =
			got[0][n] | (uint32_t)got[1][n] << 8 | (uint32_t)got[2][n] << 16 | (uint32_t)got[3][n] << 24;

		CU_ASSERT_EQUAL(bits, values_bits_of(block_value(act, w, 2, 160, 1)));
	}
	rig_free(r);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(fp16_sums_round_where_the_text_says),
		CASE(int8_sums_are_exact),
		CASE(a_wrapping_int32_sum_is_an_overflow_in_functional_mode_only),
		CASE(lane_moves_permute_bytes),
		CASE(strided_and_indexed_accesses_pack_and_unpack),
		CASE(values_travel_on_streams_and_links),
		CASE(weights_on_streams_enter_the_planes),
		CASE(fp16_weights_on_streams_are_pairs_of_bytes),
	};

	return tap_run("model values", cases, G_N_ELEMENTS(cases));
}
