/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that steps touch, by hand from the documented meaning of the instructions.
 */
#include "sched/emit/ascend/build_int.h"
#include "tests/lib/tap.h"

static asc_machine *machine;
static asb_mode mode;
static asb_box box[ASB_BOXES];
static unsigned boxes;

static void touch(const asc_insn *insn)
{
	boxes = asb_touch(insn, &mode, machine, box);
}

static void all_lanes(void)
{
	mode = (asb_mode){UINT64_MAX, UINT64_MAX, false};
}

/* Is box I this? */
#define BOX(i, s, w, a, n, c, p)                                                                                       \
	do {                                                                                                           \
		CU_ASSERT_EQUAL(box[i].space, s);                                                                      \
		CU_ASSERT_EQUAL(box[i].write, w);                                                                      \
		CU_ASSERT_EQUAL(box[i].low, a);                                                                        \
		CU_ASSERT_EQUAL(box[i].bytes, n);                                                                      \
		CU_ASSERT_EQUAL(box[i].count, c);                                                                      \
		if ((c) > 1)                                                                                           \
			CU_ASSERT_EQUAL(box[i].pitch, p);                                                              \
	} while (0)

/* 3 repeats of 128 fp16 from 256: 768 bytes in a row. */
static void rows_in_a_row_are_one_run(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VADD);

	all_lanes();
	i.f[1] = 0x4000;
	i.f[2] = 0x100;
	i.f[3] = 0x2000;
	i.f[4] = 3;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 3);
	BOX(0, ASC_UB, false, 0x100, 768, 1, 0);
	BOX(1, ASC_UB, false, 0x2000, 768, 1, 0);
	BOX(2, ASC_UB, true, 0x4000, 768, 1, 0);
}

/* Block stride 2, one repeat: 8 blocks of 32 bytes 64 apart; block stride 0: one block. */
static void blocks_apart_and_one_block_for_all(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VADD);

	all_lanes();
	i.f[6] = 2;
	i.f[7] = 0;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 3);
	BOX(0, ASC_UB, false, 0, 32, 8, 64);
	BOX(1, ASC_UB, false, 0, 32, 1, 0);
}

/* 20 of 64 fp32 lanes of 4 repeats, 512 bytes apart: 80 bytes each. */
static void mask_trims(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VABS);

	mode = (asb_mode){0xfffff, 0, false};
	i.f[0] = ASC_F32;
	i.f[3] = 4;
	i.f[6] = 16;
	i.f[7] = 16;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_UB, false, 0, 80, 4, 512);
	BOX(1, ASC_UB, true, 0, 80, 4, 512);
}

/* 300 fp16 elements: 2 whole repeats and 44 lanes, whatever `repeat` says. */
static void count_makes_repeats(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VABS);

	mode = (asb_mode){300, 0, true};
	i.f[3] = 200;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 4);
	BOX(0, ASC_UB, false, 0, 512, 1, 0);
	BOX(1, ASC_UB, false, 512, 88, 1, 0);
}

/* fp32 to fp16: 64 lanes a repeat on both sides, 128 bytes of the narrow one in each 256. */
static void conversion_goes_by_the_wider_type(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VCONV);

	all_lanes();
	i.f[0] = ASC_F32;
	i.f[1] = ASC_F16;
	i.f[2] = 0x1000;
	i.f[5] = 2;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_UB, false, 0, 512, 1, 0);
	BOX(1, ASC_UB, true, 0x1000, 128, 2, 256);
}

/* Largest of a repeat: value and lane, dst_rep counts such pairs.  Sums of blocks: eight a repeat. */
static void reductions(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VCMAX);

	all_lanes();
	i.f[1] = 0x1000;
	i.f[3] = 5;
	i.f[4] = 2;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(1, ASC_UB, true, 0x1000, 4, 5, 8);
	i.op = ASC_OP_VCGADD;
	i.f[4] = 1;
	touch(&i);
	BOX(1, ASC_UB, true, 0x1000, 80, 1, 0);
}

/* One bit an element: 128 lanes of 3 repeats are 48 bytes. */
static void comparison_writes_bits(void)
{
	asc_insn i = asc_insn_make(ASC_OP_VCMP);

	all_lanes();
	i.f[2] = 0x800;
	i.f[5] = 3;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 3);
	BOX(2, ASC_UB, true, 0x800, 48, 1, 0);
}

/* m 17, k 20, n 33 of fp16: rows up to 32, depth up to 32, columns up to 48. */
static void product_takes_whole_fractals(void)
{
	asc_insn i = asc_insn_make(ASC_OP_MMAD);

	i.f[4] = 17;
	i.f[5] = 20;
	i.f[6] = 33;
	i.f[7] = 0;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 4);
	BOX(0, ASC_L0A, false, 0, 32 * 32 * 2, 1, 0);
	BOX(1, ASC_L0B, false, 0, 48 * 32 * 2, 1, 0);
	BOX(2, ASC_L0C, false, 0, 32 * 48 * 4, 1, 0);
	BOX(3, ASC_L0C, true, 0, 32 * 48 * 4, 1, 0);
	i.f[7] = 1;
	touch(&i);
	CU_ASSERT_EQUAL(boxes, 3);
}

/* 20 rows of 40 fp16 (80 bytes, 3 blocks), 64 elements apart, into columns of 32 blocks. */
static void rows_to_fractals(void)
{
	asc_insn i = asc_insn_make(ASC_OP_ND2NZ);

	i.f[1] = 0x400;
	i.f[2] = 0x10000;
	i.f[4] = 20;
	i.f[5] = 40;
	i.f[6] = 64;
	i.f[7] = 32;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_GM, false, 0x10000, 80, 20, 128);
	BOX(1, ASC_L1, true, 0x400, 640, 3, 1024);
}

/* int8 into L0B: depth in blocks of 32, columns in 16: 40 x 20 are 2 x 2 fractals. */
static void image_into_l0b(void)
{
	asc_insn i = asc_insn_make(ASC_OP_LOAD3D_B);

	i.f[0] = ASC_I8;
	i.f[4] = 40;
	i.f[5] = 20;
	i.f[12] = 20;
	i.f[13] = 40;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_L1, false, 0, 40 * 32, 1, 0);
	BOX(1, ASC_L0B, true, 0, 4 * 512, 1, 0);
}

/* 70 channels of int8 are three groups of 32; depth 32 to 63 is the second, whose map is 40 x 32 bytes. */
static void load3d_reads_the_channels_of_its_depth(void)
{
	asc_insn i = asc_insn_make(ASC_OP_LOAD3D_A);

	i.f[0] = ASC_I8;
	i.f[4] = 40;
	i.f[5] = 70;
	i.f[10] = 32;
	i.f[12] = 32;
	i.f[13] = 40;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_L1, false, 40 * 32, 40 * 32, 1, 0);
	BOX(1, ASC_L0A, true, 0, 3 * 512, 1, 0);
}

/* 10 rows of 20 results of fp16, 64 elements apart; from two columns of sums, 16 rows of 64 bytes apart. */
static void way_out_of_the_sums(void)
{
	asc_insn i = asc_insn_make(ASC_OP_FIX_GM);

	i.f[1] = ASC_F16;
	i.f[2] = 0x5000;
	i.f[4] = 10;
	i.f[5] = 20;
	i.f[6] = 16;
	i.f[7] = 64;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_L0C, false, 0, 640, 2, 1024);
	BOX(1, ASC_GM, true, 0x5000, 40, 10, 128);
}

/* Bursts of 40 bytes lie in 64 of the unified buffer. */
static void copies_fill_blocks(void)
{
	asc_insn i = asc_insn_make(ASC_OP_GM_TO_UB);

	i.f[2] = 3;
	i.f[3] = 40;
	i.f[4] = 24;
	i.f[5] = 32;
	touch(&i);
	CU_ASSERT_EQUAL_FATAL(boxes, 2);
	BOX(0, ASC_GM, false, 0, 40, 3, 64);
	BOX(1, ASC_UB, true, 0, 64, 3, 96);
}

static asb_box box_of(uint64_t low, uint64_t bytes, uint32_t count, uint64_t pitch)
{
	return (asb_box){low,  low + (count - 1) * pitch + bytes, bytes, count == 1 ? bytes : pitch, count, ASC_GM,
	                 false};
}

static bool meet(asb_box a, asb_box b)
{
	CU_ASSERT_EQUAL(asb_box_meet(&a, &b), asb_box_meet(&b, &a));
	return asb_box_meet(&a, &b);
}

/* Against byte sets, for every small pair. */
static void boxes_meet_when_a_byte_is_in_both(void)
{
	unsigned tried = 0, wrong = 0;

	for (unsigned n = 0; n < 20000; n++) {
		uint64_t h = n * 2654435761u;
		asb_box a = box_of(h % 13, 1 + h / 13 % 4, 1 + h / 52 % 4, 5 + h / 208 % 5);
		asb_box b = box_of(h / 1040 % 23, 1 + h / 23920 % 4, 1 + h / 95680 % 4, 5 + h / 382720 % 5);
		bool in_a[80] = {false}, both = false, all = true;

		for (uint64_t r = 0; r < a.count; r++)
			for (uint64_t k = 0; k < a.bytes; k++)
				in_a[a.low + r * a.pitch + k] = true;
		for (uint64_t r = 0; r < b.count; r++)
			for (uint64_t k = 0; k < b.bytes; k++) {
				both |= in_a[b.low + r * b.pitch + k];
				all &= in_a[b.low + r * b.pitch + k];
			}
		tried++;
		wrong += meet(a, b) != both;
		/* Holding may be denied where it is so, never claimed where it is not. */
		wrong += asb_box_holds(&a, &b) && !all;
	}
	CU_ASSERT_EQUAL(tried, 20000);
	CU_ASSERT_EQUAL(wrong, 0);
}

int main(void)
{
	static const tap_case cases[] = {
		{"rows_in_a_row_are_one_run", rows_in_a_row_are_one_run},
		{"blocks_apart_and_one_block_for_all", blocks_apart_and_one_block_for_all},
		{"mask_trims", mask_trims},
		{"count_makes_repeats", count_makes_repeats},
		{"conversion_goes_by_the_wider_type", conversion_goes_by_the_wider_type},
		{"reductions", reductions},
		{"comparison_writes_bits", comparison_writes_bits},
		{"product_takes_whole_fractals", product_takes_whole_fractals},
		{"rows_to_fractals", rows_to_fractals},
		{"image_into_l0b", image_into_l0b},
		{"load3d_reads_the_channels_of_its_depth", load3d_reads_the_channels_of_its_depth},
		{"way_out_of_the_sums", way_out_of_the_sums},
		{"copies_fill_blocks", copies_fill_blocks},
		{"boxes_meet_when_a_byte_is_in_both", boxes_meet_when_a_byte_is_in_both},
	};
	int status;

	machine = asc_machine_load("ascend-910b", NULL);
	status = !machine || !asc_machine_finish(machine, NULL) || tap_run("ascend bytes", cases, G_N_ELEMENTS(cases));
	asc_machine_free(machine);
	return status;
}
