/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of the reference: bursts, fractals out of rows, accumulators on their way out.
 */
#include "tests/differential/asc_num.h"
#include "tests/differential/asc_ref.h"

enum { BLOCK = 32 };

static uint64_t blocks(uint64_t bytes)
{
	return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

/* Bursts lie one gap apart; in a local buffer each takes whole blocks, what is left of the last is zero. */
static void bursts(asc_ref *r)
{
	const asc_op_info *info = asc_op(r->op);
	enum asc_space to = info->field[0].space, from = info->field[1].space;
	uint64_t dst = (uint64_t)ref_field(r, "dst"), src = (uint64_t)ref_field(r, "src");
	uint64_t bytes = (uint64_t)ref_field(r, "burst_bytes"), left = (uint64_t)ref_field(r, "left");
	uint64_t right = (uint64_t)ref_field(r, "right"), value = (uint64_t)ref_field(r, "value");
	uint64_t to_bytes = to == ASC_GM ? bytes : blocks(left + bytes + right);
	uint64_t from_bytes = from == ASC_GM ? bytes : blocks(bytes);

	for (int64_t b = 0; b < ref_field(r, "bursts") && !r->beyond; b++) {
		uint64_t d = dst + (uint64_t)b * (to_bytes + (uint64_t)ref_field(r, "dst_gap"));
		uint64_t s = src + (uint64_t)b * (from_bytes + (uint64_t)ref_field(r, "src_gap"));

		for (uint64_t i = 0; i < to_bytes && !r->beyond; i++) {
			uint64_t byte = 0;

			if (i >= left && i < left + bytes)
				byte = ref_get(r, from, s + i - left, 1);
			else if (i < left + bytes + right)
				byte = value >> i % 8 * 8 & 0xff;
			ref_put(r, to, d + i, 1, byte);
		}
	}
}

/* Columns of 32 bytes, dst_c0_stride rows apart; matrix after matrix on both sides. */
static void rows_to_fractals(asc_ref *r)
{
	unsigned size = asc_type_bytes((enum asc_type)ref_field(r, "type"));
	uint64_t n = (uint64_t)ref_field(r, "n"), d = (uint64_t)ref_field(r, "d"), c0 = BLOCK / size;
	uint64_t pitch = (uint64_t)ref_field(r, "src_pitch") * size, stride = (uint64_t)ref_field(r, "dst_c0_stride");
	uint64_t columns = (d + c0 - 1) / c0;

	for (uint64_t matrix = 0; matrix < (uint64_t)ref_field(r, "nd") && !r->beyond; matrix++)
		for (uint64_t i = 0; i < n && !r->beyond; i++)
			for (uint64_t j = 0; j < columns * c0; j++) {
				uint64_t src = (uint64_t)ref_field(r, "src") + (matrix * n + i) * pitch + j * size;
				uint64_t dst = (uint64_t)ref_field(r, "dst") +
				               ((matrix * columns + j / c0) * stride + i) * BLOCK + j % c0 * size;

				ref_put(r, ASC_L1, dst, size, j < d ? ref_get(r, ASC_GM, src, size) : 0);
			}
}

void ref_copy(asc_ref *r)
{
	if (r->op == ASC_OP_ND2NZ)
		rows_to_fractals(r);
	else
		bursts(r);
}

static big single(big x)
{
	return big_from_bits(ASC_F32, big_round(x, ASC_F32, ROUND_EVEN));
}

/* relu, factor, conversion; in fp32, but for integers that stay what they are. */
static uint64_t out_value(const asc_ref *r, uint64_t bits, enum asc_type type, enum asc_type dtype)
{
	int64_t quant = ref_field(r, "quant"), relu = ref_field(r, "relu");
	uint64_t scale = (uint64_t)ref_field(r, "scale");
	big x = big_from_bits(type, bits);
	bool below = x.class != BIG_NAN && x.negative && (x.class == BIG_INFINITE || x.mantissa);

	if (type == ASC_I32 && quant == 0)
		return below && relu == 1 ? 0 : bits;
	x = single(x);
	if (below && relu)
		x = relu == 1 ? big_from_integer(0) : single(big_mul(x, big_from_bits(ASC_F32, scale >> 32)));
	if (quant >= 8 && quant != 16)
		x = single(big_mul(x, big_from_bits(ASC_F32, scale)));
	return big_round(x, dtype, ROUND_EVEN);
}

void ref_fixpipe(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type"), dtype = (enum asc_type)ref_field(r, "dtype");
	enum asc_space to = asc_op(r->op)->field[asc_field_by_name(r->op, "dst")].space;
	unsigned size = asc_type_bytes(dtype);
	uint64_t m = (uint64_t)ref_field(r, "m"), n = (uint64_t)ref_field(r, "n"), c0 = BLOCK / size;
	uint64_t stride = (uint64_t)ref_field(r, "src_stride"), pitch = (uint64_t)ref_field(r, "dst_pitch");
	uint64_t fractals = (n + 15) / 16;
	bool rows = ref_field(r, "nz2nd") != 0;

	for (uint64_t f = 0; f < fractals; f++)
		ref_touch(r, ASC_L0C, false, (uint64_t)ref_field(r, "src") + f * stride * 64, m * 64);
	/* Whole columns; what lies behind the fractals of the n is zero. */
	if (!rows)
		n = (n + c0 - 1) / c0 * c0;
	for (uint64_t i = 0; i < m && !r->beyond; i++)
		for (uint64_t j = 0; j < n && !r->beyond; j++) {
			uint64_t value = 0;
			uint64_t src = (uint64_t)ref_field(r, "src") + ((j / 16 * stride + i) * 16 + j % 16) * 4;
			uint64_t dst = (uint64_t)ref_field(r, "dst") +
			               (rows ? (i * pitch + j) * size : (j / c0 * pitch + i) * BLOCK + j % c0 * size);

			if (j < fractals * 16)
				value = out_value(r, ref_get(r, ASC_L0C, src, 4), type, dtype);
			ref_put(r, to, dst, size, value);
		}
}
