/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that instructions read and write, worked out by hand from the documented layouts.
 */
#include "models/ascend/internal.h"
#include "tests/lib/tap.h"

#include <stdarg.h>

static asc_machine machine = {.vector_bytes = 256, .ub_row_bytes = 32};
static asc_insn insn;
static asc_exec x;
static asc_range found[ASC_RANGES];
static unsigned count;

/* Fields by name, then NULL; the others at their standard, every lane active. */
static void look(enum asc_op op, ...)
{
	va_list fields;
	const char *name;

	insn = asc_insn_make(op);
	va_start(fields, op);
	while ((name = va_arg(fields, const char *))) {
		int field = asc_field_by_name(op, name);

		CU_ASSERT_TRUE_FATAL(field >= 0);
		insn.f[field] = va_arg(fields, int);
	}
	va_end(fields);
	x.insn = &insn;
	x.info = asc_op(op);
	memcpy(x.f, insn.f, sizeof(x.f));
	count = asc_ranges(&x, &machine, found);
}

static void mask(uint64_t lo, uint64_t hi, bool counter)
{
	x = (asc_exec){.mask = {lo, hi}, .counter_mode = counter};
}

static void is(unsigned i, enum asc_space space, bool write, uint64_t address, uint64_t bytes, uint32_t runs,
               int64_t pitch)
{
	CU_ASSERT_TRUE_FATAL(i < count);
	CU_ASSERT_EQUAL(found[i].space, space);
	CU_ASSERT_EQUAL(found[i].write, write);
	CU_ASSERT_EQUAL(found[i].address, address);
	CU_ASSERT_EQUAL(found[i].bytes, bytes);
	CU_ASSERT_EQUAL(found[i].count, runs);
	if (runs > 1)
		CU_ASSERT_EQUAL(found[i].pitch, pitch);
}

static void a_whole_vector_operand_is_a_run_a_repeat(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_VADD, "dst", 0x1000, "src0", 0x2000, "src1", 0x3000, "repeat", 3, NULL);
	CU_ASSERT_EQUAL(count, 3);
	is(0, ASC_UB, false, 0x2000, 256, 3, 256);
	is(1, ASC_UB, false, 0x3000, 256, 3, 256);
	is(2, ASC_UB, true, 0x1000, 256, 3, 256);
}

static void block_strides_are_blocks_apart(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	/* dst: blocks two apart, repeats 16 apart: one run of blocks.  src: blocks three apart, repeats one apart. */
	look(ASC_OP_VABS, "dst", 0, "src", 0x4000, "repeat", 2, "dst_blk", 2, "dst_rep", 16, "src_blk", 3, "src_rep", 1,
	     NULL);
	CU_ASSERT_EQUAL(count, 9);
	for (unsigned b = 0; b < 8; b++)
		is(b, ASC_UB, false, 0x4000 + b * 96, 32, 2, 32);
	is(8, ASC_UB, true, 0, 32, 16, 64);
}

static void a_block_stride_of_0_is_one_block(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_VADD, "src0", 0x2000, "src0_blk", 0, "src0_rep", 8, "repeat", 4, NULL);
	is(0, ASC_UB, false, 0x2000, 32, 4, 256);
}

static void the_mask_trims(void)
{
	/* fp32: 64 lanes, the low word.  Lanes 4 to 19: bytes 16 to 79. */
	mask(0xffff0, UINT64_MAX, false);
	look(ASC_OP_VABS, "type", ASC_F32, "dst", 0, "src", 0x1000, NULL);
	is(0, ASC_UB, false, 0x1010, 64, 1, 0);
	/* Lanes 0 and 8 of 16 a block (fp16), block stride 1: a hole, so each block for itself. */
	mask(0x101, 0, false);
	look(ASC_OP_VABS, "dst", 0, "src", 0x1000, NULL);
	CU_ASSERT_EQUAL(count, 2);
	is(0, ASC_UB, false, 0x1000, 18, 1, 0);
	mask(0, 0, false);
	look(ASC_OP_VABS, NULL);
	CU_ASSERT_EQUAL(count, 0);
}

static void counter_mode_counts_elements(void)
{
	/* 300 fp16: two repeats of 128 and 44 elements, whatever repeat says. */
	mask(300, 0, true);
	look(ASC_OP_VDUP, "dst", 0, "repeat", 1, NULL);
	CU_ASSERT_EQUAL(count, 2);
	is(0, ASC_UB, true, 0, 256, 2, 256);
	is(1, ASC_UB, true, 512, 88, 1, 0);
}

static void multiply_and_add_reads_its_destination(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_VMLA, "dst", 0x1000, "src0", 0x2000, "src1", 0x3000, NULL);
	CU_ASSERT_EQUAL(count, 4);
	is(2, ASC_UB, false, 0x1000, 256, 1, 0);
	look(ASC_OP_VAXPY, "dst", 0x1000, "src", 0x2000, NULL);
	CU_ASSERT_EQUAL(count, 3);
}

static void conversions_fill_the_wider_side(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	/* fp32 to fp16: 64 elements; 256 bytes to 128. */
	look(ASC_OP_VCONV, "type", ASC_F32, "dtype", ASC_F16, "dst", 0, "src", 0x1000, "repeat", 2, "dst_rep", 4, NULL);
	is(0, ASC_UB, false, 0x1000, 256, 2, 256);
	is(1, ASC_UB, true, 0, 128, 2, 128);
}

static void reductions_write_a_little(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_VCADD, "dst", 64, "src", 0x1000, "repeat", 5, NULL);
	is(1, ASC_UB, true, 64, 2, 5, 2);
	look(ASC_OP_VCGADD, "type", ASC_F32, "dst", 64, "src", 0x1000, "repeat", 5, NULL);
	is(1, ASC_UB, true, 64, 32, 5, 32);
}

static void compare_writes_bits_and_select_reads_them(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_VCMP, "dst", 64, "src0", 0x1000, "src1", 0x2000, "repeat", 3, NULL);
	is(2, ASC_UB, true, 64, 48, 1, 0);
	look(ASC_OP_VSEL, "type", ASC_F32, "mask", 64, "repeat", 3, NULL);
	is(0, ASC_UB, false, 64, 24, 1, 0);
}

static void many_strided_operands_fit(void)
{
	/* Counter mode with a tail, four operands with strides: 1 + 3 x (8 + 8). */
	mask(128 + 127, 0, true);
	look(ASC_OP_VSEL, "dst_blk", 3, "src0_blk", 3, "src1_blk", 3, "dst_rep", 1, "src0_rep", 1, "src1_rep", 1, NULL);
	CU_ASSERT_TRUE(count <= ASC_RANGES);
	/* Tail: lane 127 is off, the last block is two bytes shorter. */
	CU_ASSERT_EQUAL(found[count - 1].bytes, 30);
}

static void mmad_reads_fractals_and_writes_accumulators(void)
{
	/* fp16 m 20 -> 32, k 30 -> 32, n 16. */
	look(ASC_OP_MMAD, "c", 0x400, "a", 0x200, "b", 0x600, "m", 20, "k", 30, "n", 16, "init", 0, NULL);
	CU_ASSERT_EQUAL(count, 4);
	is(0, ASC_L0A, false, 0x200, 32 * 32 * 2, 1, 0);
	is(1, ASC_L0B, false, 0x600, 32 * 16 * 2, 1, 0);
	is(2, ASC_L0C, false, 0x400, 32 * 16 * 4, 1, 0);
	is(3, ASC_L0C, true, 0x400, 32 * 16 * 4, 1, 0);
	look(ASC_OP_MMAD, "init", 1, NULL);
	CU_ASSERT_EQUAL(count, 3);
	look(ASC_OP_MMAD, "init", 2, "bias", 64, NULL);
	is(2, ASC_BT, false, 64, 64, 1, 0);
}

static void load2d_moves_fractals(void)
{
	look(ASC_OP_LOAD2D_B, "dst", 0x200, "src", 0x1000, "repeat", 4, "src_stride", 3, "dst_gap", 1, NULL);
	is(0, ASC_L1, false, 0x1000, 512, 4, 1536);
	is(1, ASC_L0B, true, 0x200, 512, 4, 1024);
}

static void copies_lie_in_whole_blocks_locally(void)
{
	look(ASC_OP_GM_TO_UB, "dst", 64, "src", 1000, "bursts", 3, "burst_bytes", 40, "src_gap", 10, "dst_gap", 32,
	     NULL);
	is(0, ASC_GM, false, 1000, 40, 3, 50);
	is(1, ASC_UB, true, 64, 64, 3, 96);
	look(ASC_OP_UB_TO_GM, "dst", 1000, "src", 64, "bursts", 3, "burst_bytes", 40, "src_gap", 32, NULL);
	is(0, ASC_UB, false, 64, 40, 3, 96);
	is(1, ASC_GM, true, 1000, 40, 3, 40);
}

static void nd2nz_makes_columns_of_blocks(void)
{
	/* 20 rows of 40 fp16 (80 B) 100 elements apart: three columns of 20 blocks, 24 blocks apart. */
	look(ASC_OP_ND2NZ, "dst", 0, "src", 1000, "n", 20, "d", 40, "src_pitch", 100, "dst_c0_stride", 24, NULL);
	is(0, ASC_GM, false, 1000, 80, 20, 200);
	is(1, ASC_L1, true, 0, 640, 3, 768);
}

static void fixpipe_makes_rows_of_columns(void)
{
	/* 20 x 40 accumulators: three columns of 20 x 64 B, 32 x 64 B apart, into rows of 40 fp16, 50 apart. */
	look(ASC_OP_FIX_GM, "dtype", ASC_F16, "dst", 1000, "src", 0, "m", 20, "n", 40, "src_stride", 32, "dst_pitch",
	     50, NULL);
	is(0, ASC_L0C, false, 0, 1280, 3, 2048);
	is(1, ASC_GM, true, 1000, 80, 20, 100);
}

static void load3d_reads_the_rows_under_the_filter(void)
{
	/* A map of 16 x 16 x 16 fp16, rows of 512 B; a filter of 3 x 3, padding 1 all round: 16 positions a row.
	 * Positions 32 to 47 are row 2 of the result, over rows 1 to 3. */
	look(ASC_OP_LOAD3D_A, "h", 16, "w", 16, "c", 16, "kernel", 0x0303, "pad", 0x01010101, "m_start", 32, "m_extent",
	     16, "k_extent", 144, NULL);
	is(0, ASC_L1, false, 512, 3 * 512, 1, 0);
	/* Depth 48 to 95 is the middle row of the filter. */
	look(ASC_OP_LOAD3D_A, "h", 16, "w", 16, "c", 16, "kernel", 0x0303, "pad", 0x01010101, "m_start", 32, "m_extent",
	     16, "k_start", 48, "k_extent", 48, NULL);
	is(0, ASC_L1, false, 1024, 512, 1, 0);
	/* The first row of the result begins in the padding: rows 0 and 1.  Two groups of channels, 8 KB apart. */
	look(ASC_OP_LOAD3D_A, "h", 16, "w", 16, "c", 32, "kernel", 0x0303, "pad", 0x01010101, "m_extent", 16,
	     "k_extent", 288, NULL);
	is(0, ASC_L1, false, 0, 2 * 512, 2, 8192);
	/* Stride 2 of the height, dilation 2: rows 4 of the result over rows 8 - 1, 10 - 1, 12 - 1. */
	look(ASC_OP_LOAD3D_A, "h", 16, "w", 16, "c", 16, "kernel", 0x0303, "pad", 0x01010101, "stride", 0x0201,
	     "dilation", 0x0201, "m_start", 64, "m_extent", 16, "k_extent", 144, NULL);
	is(0, ASC_L1, false, 7 * 512, 5 * 512, 1, 0);
}

static void picks_write_as_many_elements_as_the_pattern_has(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	/* Every fourth of 64 fp32, 2 repeats: 32 elements; without src1. */
	look(ASC_OP_VREDUCEV2, "type", ASC_F32, "dst", 0x3000, "src0", 0x1000, "pattern", 3, "repeat", 2, NULL);
	CU_ASSERT_EQUAL(count, 2);
	is(0, ASC_UB, false, 0x1000, 256, 2, 256);
	is(1, ASC_UB, true, 0x3000, 128, 1, 0);
	/* From memory: 8 bytes of bits a repeat, a block apart; all 128 elements may be written. */
	look(ASC_OP_VREDUCEV2, "type", ASC_F32, "dst", 0x3000, "src0", 0x1000, "src1", 0x2000, "repeat", 2, NULL);
	CU_ASSERT_EQUAL(count, 3);
	is(1, ASC_UB, false, 0x2000, 8, 2, 32);
	is(2, ASC_UB, true, 0x3000, 512, 1, 0);
}

/* 128 lanes of int8 are 4 blocks: one run a repeat of 128 bytes, not of 256. */
static void lanes_of_8_bits_fill_half_a_repeat(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_VRELU, "type", ASC_I8, "dst", 0x1000, "src", 0x2000, "repeat", 2, NULL);
	is(0, ASC_UB, false, 0x2000, 128, 2, 256);
	is(1, ASC_UB, true, 0x1000, 128, 2, 256);
	/* Eight blocks all the same, with eight elements of a byte each as source. */
	look(ASC_OP_VBRCB, "type", ASC_I8, "dst", 0x1000, "src", 0x2000, "repeat", 2, NULL);
	is(0, ASC_UB, false, 0x2000, 16, 1, 0);
	is(1, ASC_UB, true, 0x1000, 256, 2, 256);
}

/* Lanes 1 of block 0 and 3 of block 1 (fp32, 8 a block) read bytes 4 to 15 of the one block. */
static void lanes_that_share_a_block_are_taken_together(void)
{
	mask(1u << 1 | 1u << 11, 0, false);
	look(ASC_OP_VRELU, "type", ASC_F32, "dst", 0x1000, "src", 0x2000, "src_blk", 0, NULL);
	is(0, ASC_UB, false, 0x2004, 12, 1, 0);
}

static void a_product_without_columns_touches_nothing(void)
{
	mask(UINT64_MAX, UINT64_MAX, false);
	look(ASC_OP_MMAD, "m", 16, "k", 16, "n", 0, NULL);
	CU_ASSERT_EQUAL(count, 0);
}

int main(void)
{
	static const tap_case cases[] = {
		{"load3d_reads_the_rows_under_the_filter", load3d_reads_the_rows_under_the_filter},
		{"picks_write_as_many_elements_as_the_pattern_has", picks_write_as_many_elements_as_the_pattern_has},
		{"a_whole_vector_operand_is_a_run_a_repeat", a_whole_vector_operand_is_a_run_a_repeat},
		{"block_strides_are_blocks_apart", block_strides_are_blocks_apart},
		{"a_block_stride_of_0_is_one_block", a_block_stride_of_0_is_one_block},
		{"the_mask_trims", the_mask_trims},
		{"lanes_of_8_bits_fill_half_a_repeat", lanes_of_8_bits_fill_half_a_repeat},
		{"lanes_that_share_a_block_are_taken_together", lanes_that_share_a_block_are_taken_together},
		{"a_product_without_columns_touches_nothing", a_product_without_columns_touches_nothing},
		{"counter_mode_counts_elements", counter_mode_counts_elements},
		{"multiply_and_add_reads_its_destination", multiply_and_add_reads_its_destination},
		{"conversions_fill_the_wider_side", conversions_fill_the_wider_side},
		{"reductions_write_a_little", reductions_write_a_little},
		{"compare_writes_bits_and_select_reads_them", compare_writes_bits_and_select_reads_them},
		{"many_strided_operands_fit", many_strided_operands_fit},
		{"mmad_reads_fractals_and_writes_accumulators", mmad_reads_fractals_and_writes_accumulators},
		{"load2d_moves_fractals", load2d_moves_fractals},
		{"copies_lie_in_whole_blocks_locally", copies_lie_in_whole_blocks_locally},
		{"nd2nz_makes_columns_of_blocks", nd2nz_makes_columns_of_blocks},
		{"fixpipe_makes_rows_of_columns", fixpipe_makes_rows_of_columns},
	};

	return tap_run("asc_ranges", cases, G_N_ELEMENTS(cases));
}
