/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions of the reference: lanes, masks, strides, and what one lane becomes.
 */
#include "tests/differential/asc_num.h"
#include "tests/differential/asc_ref.h"

#include <math.h>

enum { BLOCK = 32, LANES_MAX = 128, REPEAT_BYTES = 256 };

typedef struct operand {
	uint64_t base, block_stride, repeat_stride; /* bytes */
	enum asc_type type;
	unsigned size;
} operand;

typedef struct shape {
	unsigned lanes;
	int64_t repeats;
} shape;

static operand operand_of(const asc_ref *r, const char *name, enum asc_type type)
{
	g_autofree char *block = g_strconcat(name, "_blk", NULL), *repeat = g_strconcat(name, "_rep", NULL);
	int block_field = asc_field_by_name(r->op, block), repeat_field = asc_field_by_name(r->op, repeat);

	return (operand){(uint64_t)ref_field(r, name), BLOCK * (block_field < 0 ? 1 : (uint64_t)r->f[block_field]),
	                 BLOCK * (repeat_field < 0 ? 0 : (uint64_t)r->f[repeat_field]), type, asc_type_bytes(type)};
}

static uint64_t place(const operand *o, int64_t repeat, unsigned lane)
{
	unsigned byte = lane * o->size;

	return o->base + (uint64_t)repeat * o->repeat_stride + byte / BLOCK * o->block_stride + byte % BLOCK;
}

static uint64_t lane_get(asc_ref *r, const operand *o, int64_t repeat, unsigned lane)
{
	return ref_get(r, ASC_UB, place(o, repeat, lane), o->size);
}

static void lane_put(asc_ref *r, const operand *o, int64_t repeat, unsigned lane, uint64_t bits)
{
	ref_put(r, ASC_UB, place(o, repeat, lane), o->size, bits);
}

static shape shape_of(const asc_ref *r, unsigned size)
{
	shape s = {MIN(REPEAT_BYTES / size, LANES_MAX), 1};
	int field = asc_field_by_name(r->op, "repeat");

	if (field >= 0)
		s.repeats = r->f[field];
	if (r->counter)
		s.repeats = (int64_t)((r->mask[0] + s.lanes - 1) / s.lanes);
	return s;
}

static bool is_active(const asc_ref *r, const shape *s, int64_t repeat, unsigned lane)
{
	if (r->counter)
		return (uint64_t)repeat * s->lanes + lane < r->mask[0];
	return r->mask[lane / 64] >> lane % 64 & 1;
}

/* In each block of a repeat all from the first to the last lane that is on counts as touched; with block stride 0 all
 * lanes lie in one. */
static void touch(asc_ref *r, const operand *o, const shape *s, int64_t repeat, bool write)
{
	unsigned lanes = BLOCK / o->size;
	int first = -1, last = -1;

	for (unsigned lane = 0; lane < s->lanes; lane++) {
		if (is_active(r, s, repeat, lane)) {
			first = first < 0 ? (int)(lane % lanes) : MIN(first, (int)(lane % lanes));
			last = MAX(last, (int)(lane % lanes));
		}
		if ((lane + 1) % lanes && lane + 1 < s->lanes)
			continue;
		if (o->block_stride == 0 && lane + 1 < s->lanes)
			continue;
		if (first >= 0)
			ref_touch(r, ASC_UB, write, place(o, repeat, lane / lanes * lanes) + (unsigned)first * o->size,
			          (uint64_t)(last - first + 1) * o->size);
		first = last = -1;
	}
}

/* NaN is above all; +0 above -0. */
static bool is_above(enum asc_type type, uint64_t a, uint64_t b)
{
	big x = big_from_bits(type, a), y = big_from_bits(type, b);
	int order;

	if (x.class == BIG_NAN || y.class == BIG_NAN)
		return x.class == BIG_NAN && y.class != BIG_NAN;
	order = big_compare(x, y);
	return order > 0 || (order == 0 && !x.negative && y.negative);
}

static uint64_t canonical(enum asc_type type, uint64_t bits)
{
	big x = big_from_bits(type, bits);

	return x.class == BIG_NAN ? big_round(x, type, ROUND_EVEN) : bits;
}

static uint64_t extreme(enum asc_type type, uint64_t a, uint64_t b, bool largest)
{
	if (type_floats(type) && big_from_bits(type, a).class == BIG_NAN)
		return canonical(type, a);
	if (type_floats(type) && big_from_bits(type, b).class == BIG_NAN)
		return canonical(type, b);
	return is_above(type, b, a) == largest ? b : a;
}

static uint64_t wrapped(enum asc_type type, int64_t value)
{
	return (uint64_t)value & ((1ull << 8 * asc_type_bytes(type)) - 1);
}

static uint64_t sum(enum asc_type type, uint64_t a, uint64_t b)
{
	if (!type_floats(type))
		return wrapped(type, type_integer(type, a) + type_integer(type, b));
	return big_round(big_add(big_from_bits(type, a), big_from_bits(type, b)), type, ROUND_EVEN);
}

static uint64_t product(enum asc_type type, uint64_t a, uint64_t b)
{
	if (!type_floats(type))
		return wrapped(type, (int64_t)((uint64_t)type_integer(type, a) * (uint64_t)type_integer(type, b)));
	return big_round(big_mul(big_from_bits(type, a), big_from_bits(type, b)), type, ROUND_EVEN);
}

static uint64_t product_sum(enum asc_type type, uint64_t a, uint64_t b, uint64_t c)
{
	if (!type_floats(type))
		return sum(type, product(type, a, b), c);
	return big_round(big_add(big_mul(big_from_bits(type, a), big_from_bits(type, b)), big_from_bits(type, c)), type,
	                 ROUND_EVEN);
}

static uint64_t negated(enum asc_type type, uint64_t a)
{
	big x = big_from_bits(type, a);

	return type_floats(type) ? big_round(big_negate(x), type, ROUND_EVEN) : wrapped(type, -type_integer(type, a));
}

static long double to_long_double(big x)
{
	long double magnitude;

	if (x.class == BIG_NAN)
		return (long double)NAN;
	magnitude = x.class == BIG_INFINITE ? (long double)INFINITY : ldexpl((long double)x.mantissa, x.exponent);
	return x.negative ? -magnitude : magnitude;
}

static uint64_t exponential(enum asc_type type, big x)
{
	long double value = to_long_double(x), result;
	uint64_t single;

	if (x.class == BIG_FINITE && (value > 200 || value < -200))
		result = value > 0 ? (long double)INFINITY : 1e-4000L;
	else
		result = expl(value);
	single = big_round(big_from_long_double(result, isfinite(result) && result != 1 && result != 0), ASC_F32,
	                   ROUND_EVEN);
	return big_round(big_from_bits(ASC_F32, single), type, ROUND_EVEN);
}

static uint64_t logarithm(enum asc_type type, big x)
{
	long double value = to_long_double(x), result = logl(value);

	return big_round(big_from_long_double(result, isfinite(result) && result != 0), type, ROUND_EVEN);
}

static uint64_t reciprocal_root(enum asc_type type, big x)
{
	uint64_t single = big_round(big_rsqrt(x), ASC_F32, ROUND_EVEN);

	return big_round(big_from_bits(ASC_F32, single), type, ROUND_EVEN);
}

static uint64_t shifted(enum asc_type type, uint64_t a, uint64_t by, bool left)
{
	unsigned width = 8 * asc_type_bytes(type);
	int64_t value = type_integer(type, a);
	uint64_t count = by & ((1ull << width) - 1);

	if (count >= width)
		return left || value >= 0 ? 0 : wrapped(type, -1);
	return left ? wrapped(type, (int64_t)((uint64_t)value << count)) : wrapped(type, value >> count);
}

static uint64_t unary(enum asc_op op, enum asc_type type, uint64_t a)
{
	big x = big_from_bits(type, a), one = {BIG_FINITE, false, false, 1, 0};

	switch (op) {
	case ASC_OP_VABS:
		if (type_floats(type))
			return x.negative ? negated(type, a) : canonical(type, a);
		return type_integer(type, a) < 0 ? negated(type, a) : a;
	case ASC_OP_VRELU:
		return extreme(type, a, 0, true);
	case ASC_OP_VEXP:
		return exponential(type, x);
	case ASC_OP_VLN:
		return logarithm(type, x);
	case ASC_OP_VSQRT:
		return big_round(big_sqrt(x), type, ROUND_EVEN);
	case ASC_OP_VRSQRT:
		return reciprocal_root(type, x);
	case ASC_OP_VREC:
		return big_round(big_div(one, x), type, ROUND_EVEN);
	case ASC_OP_VNOT:
		return wrapped(type, (int64_t)~a);
	default: /* vcopy */
		return a;
	}
}

static uint64_t binary(enum asc_op op, enum asc_type type, uint64_t a, uint64_t b, uint64_t old)
{
	switch (op) {
	case ASC_OP_VADD:
	case ASC_OP_VADDS:
		return sum(type, a, b);
	case ASC_OP_VSUB:
		return sum(type, a, negated(type, b));
	case ASC_OP_VMUL:
	case ASC_OP_VMULS:
		return product(type, a, b);
	case ASC_OP_VDIV:
		return big_round(big_div(big_from_bits(type, a), big_from_bits(type, b)), type, ROUND_EVEN);
	case ASC_OP_VMAX:
	case ASC_OP_VMAXS:
		return extreme(type, a, b, true);
	case ASC_OP_VMIN:
	case ASC_OP_VMINS:
		return extreme(type, a, b, false);
	case ASC_OP_VAND:
		return a & b;
	case ASC_OP_VOR:
		return a | b;
	case ASC_OP_VMLA:
	case ASC_OP_VAXPY:
		return product_sum(type, a, b, old);
	case ASC_OP_VLRELU: {
		big x = big_from_bits(type, a);

		if (type_floats(type) && x.class == BIG_NAN)
			return canonical(type, a);
		return x.negative && (x.class == BIG_INFINITE || x.mantissa) ? product(type, a, b) : a;
	}
	case ASC_OP_VSHL:
		return shifted(type, a, b, true);
	default:
		return shifted(type, a, b, false);
	}
}

/* One, two or no sources, and perhaps a scalar: all of a repeat is read before it is written. */
static void lanewise(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand dst = operand_of(r, "dst", type), a, b;
	bool two = asc_field_by_name(r->op, "src1") >= 0, none = r->op == ASC_OP_VDUP;
	int scalar = asc_field_by_name(r->op, "scalar");
	shape s = shape_of(r, dst.size);
	uint64_t result[LANES_MAX];

	a = none ? dst : operand_of(r, two ? "src0" : "src", type);
	b = two ? operand_of(r, "src1", type) : a;
	for (int64_t i = 0; i < s.repeats; i++) {
		for (unsigned lane = 0; lane < s.lanes; lane++) {
			uint64_t x, y, old = 0;

			if (!is_active(r, &s, i, lane))
				continue;
			x = none ? 0 : lane_get(r, &a, i, lane);
			y = two ? lane_get(r, &b, i, lane) : scalar >= 0 ? wrapped(type, r->f[scalar]) : 0;
			if (r->op == ASC_OP_VMLA || r->op == ASC_OP_VAXPY)
				old = lane_get(r, &dst, i, lane);
			result[lane] = none                 ? y
			               : two || scalar >= 0 ? binary(r->op, type, x, y, old)
			                                    : unary(r->op, type, x);
		}
		for (unsigned lane = 0; lane < s.lanes; lane++)
			if (is_active(r, &s, i, lane))
				lane_put(r, &dst, i, lane, result[lane]);
		touch(r, &dst, &s, i, true);
		if (!none)
			touch(r, &a, &s, i, false);
		if (two)
			touch(r, &b, &s, i, false);
		if (r->beyond)
			return;
	}
}

static void convert(asc_ref *r)
{
	enum asc_type from = (enum asc_type)ref_field(r, "type"), to = (enum asc_type)ref_field(r, "dtype");
	operand dst = operand_of(r, "dst", to), src = operand_of(r, "src", from);
	enum rounding mode = (enum rounding)ref_field(r, "round");
	shape s = shape_of(r, MAX(dst.size, src.size));
	uint64_t result[LANES_MAX];

	for (int64_t i = 0; i < s.repeats && !r->beyond; i++) {
		for (unsigned lane = 0; lane < s.lanes; lane++)
			if (is_active(r, &s, i, lane))
				result[lane] = big_round(big_from_bits(from, lane_get(r, &src, i, lane)), to, mode);
		touch(r, &src, &s, i, false);
		touch(r, &dst, &s, i, true);
		for (unsigned lane = 0; lane < s.lanes; lane++)
			if (is_active(r, &s, i, lane))
				lane_put(r, &dst, i, lane, result[lane]);
	}
}

/* The tree over slots 0 .. N - 1 of VALUE, a power of two; lanes that are off are absent. */
static uint64_t tree_sum(enum asc_type type, const uint64_t *value, const bool *on, unsigned n, bool *any)
{
	uint64_t left, right;
	bool has_left, has_right;

	if (n == 1) {
		*any = on[0];
		return type_floats(type) && on[0] ? canonical(type, value[0]) : value[0];
	}
	left = tree_sum(type, value, on, n / 2, &has_left);
	right = tree_sum(type, value + n / 2, on + n / 2, n / 2, &has_right);
	*any = has_left || has_right;
	return has_left && has_right ? sum(type, left, right) : has_left ? left : right;
}

static uint64_t extreme_of(enum asc_type type, const uint64_t *value, const bool *on, unsigned n, bool largest,
                           unsigned *lane, bool *any)
{
	uint64_t best = 0;

	*any = false;
	for (unsigned i = 0; i < n; i++) {
		uint64_t x;

		if (!on[i])
			continue;
		x = type_floats(type) ? canonical(type, value[i]) : value[i];
		if (!*any || (extreme(type, best, x, largest) == x && best != x)) {
			best = x;
			*lane = i;
		}
		*any = true;
	}
	return best;
}

/* Results of N lanes each, one behind the other. */
static void reduce_groups(asc_ref *r, enum asc_type type, const shape *s, uint64_t at, const uint64_t *value,
                          const bool *on, unsigned n)
{
	unsigned size = asc_type_bytes(type), lane = 0;
	bool maximum = r->op == ASC_OP_VCGMAX || r->op == ASC_OP_VCMAX;
	bool minimum = r->op == ASC_OP_VCGMIN || r->op == ASC_OP_VCMIN, any;

	for (unsigned g = 0; g < s->lanes / n; g++) {
		uint64_t result = maximum || minimum
		                          ? extreme_of(type, value + g * n, on + g * n, n, maximum, &lane, &any)
		                          : tree_sum(type, value + g * n, on + g * n, n, &any);

		if (!any)
			continue;
		ref_put(r, ASC_UB, at + (uint64_t)g * size, size, result);
		if (r->op == ASC_OP_VCMAX || r->op == ASC_OP_VCMIN)
			ref_put(r, ASC_UB, at + size, size, lane);
	}
}

static void reduce(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand src = operand_of(r, "src", type);
	shape s = shape_of(r, src.size);
	uint64_t dst = (uint64_t)ref_field(r, "dst"), stride = (uint64_t)ref_field(r, "dst_rep");
	unsigned group, results;

	switch (r->op) {
	case ASC_OP_VCADD:
		group = s.lanes;
		results = 1;
		break;
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
		group = s.lanes;
		results = 2;
		break;
	case ASC_OP_VCPADD:
		group = 2;
		results = s.lanes / 2;
		break;
	default:
		group = BLOCK / src.size;
		results = 8;
		break;
	}
	for (int64_t i = 0; i < s.repeats && !r->beyond; i++) {
		uint64_t value[LANES_MAX] = {0};
		bool on[LANES_MAX];

		for (unsigned lane = 0; lane < s.lanes; lane++) {
			on[lane] = is_active(r, &s, i, lane);
			if (on[lane])
				value[lane] = lane_get(r, &src, i, lane);
		}
		touch(r, &src, &s, i, false);
		ref_touch(r, ASC_UB, true, dst + (uint64_t)i * stride * results * src.size,
		          (uint64_t)results * src.size);
		reduce_groups(r, type, &s, dst + (uint64_t)i * stride * results * src.size, value, on, group);
	}
}

static bool holds(int64_t condition, enum asc_type type, uint64_t a, uint64_t b)
{
	big x = big_from_bits(type, a), y = big_from_bits(type, b);
	int order;

	if (x.class == BIG_NAN || y.class == BIG_NAN)
		return condition == 5;
	order = big_compare(x, y);
	switch (condition) {
	case 0:
		return order < 0;
	case 1:
		return order > 0;
	case 2:
		return order == 0;
	case 3:
		return order <= 0;
	case 4:
		return order >= 0;
	default:
		return order != 0;
	}
}

/* Bits of a repeat lie in lanes / 8 bytes, those of the next behind them. */
static void compare(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand a = operand_of(r, "src0", type), b = operand_of(r, "src1", type);
	shape s = shape_of(r, a.size);
	uint64_t dst = (uint64_t)ref_field(r, "dst");

	for (int64_t i = 0; i < s.repeats && !r->beyond; i++) {
		uint8_t bits[LANES_MAX / 8] = {0}, on[LANES_MAX / 8] = {0};

		touch(r, &a, &s, i, false);
		touch(r, &b, &s, i, false);
		ref_touch(r, ASC_UB, true, dst + (uint64_t)i * s.lanes / 8, s.lanes / 8);
		for (unsigned lane = 0; lane < s.lanes; lane++) {
			if (!is_active(r, &s, i, lane))
				continue;
			on[lane / 8] |= (uint8_t)(1u << lane % 8);
			if (holds(ref_field(r, "cond"), type, lane_get(r, &a, i, lane), lane_get(r, &b, i, lane)))
				bits[lane / 8] |= (uint8_t)(1u << lane % 8);
		}
		for (unsigned byte = 0; byte < s.lanes / 8; byte++) {
			uint64_t at = dst + (uint64_t)i * s.lanes / 8 + byte, old = 0;

			if (!on[byte])
				continue;
			if (on[byte] != 0xff)
				old = ref_get(r, ASC_UB, at, 1);
			ref_put(r, ASC_UB, at, 1, bits[byte] | (old & ~(uint64_t)on[byte]));
		}
	}
}

static void choose(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand dst = operand_of(r, "dst", type), a = operand_of(r, "src0", type), b = operand_of(r, "src1", type);
	shape s = shape_of(r, a.size);
	uint64_t mask = (uint64_t)ref_field(r, "mask"), result[LANES_MAX];

	for (int64_t i = 0; i < s.repeats && !r->beyond; i++) {
		for (unsigned lane = 0; lane < s.lanes; lane++) {
			uint64_t x, y, bits;

			if (!is_active(r, &s, i, lane))
				continue;
			bits = ref_get(r, ASC_UB, mask + (uint64_t)i * s.lanes / 8 + lane / 8, 1);
			x = lane_get(r, &a, i, lane);
			y = lane_get(r, &b, i, lane);
			result[lane] = bits >> lane % 8 & 1 ? x : y;
		}
		touch(r, &a, &s, i, false);
		touch(r, &b, &s, i, false);
		touch(r, &dst, &s, i, true);
		ref_touch(r, ASC_UB, false, mask + (uint64_t)i * s.lanes / 8, s.lanes / 8);
		for (unsigned lane = 0; lane < s.lanes; lane++)
			if (is_active(r, &s, i, lane))
				lane_put(r, &dst, i, lane, result[lane]);
	}
}

/* What a gather takes: it counts as reading all from the lowest to the highest byte of that, and where it reaches
 * beyond the buffer does nothing.  Blind ones are asked for their offsets only. */
typedef struct picked {
	uint64_t low, high;
} picked;

static uint64_t gathered(asc_ref *r, picked *t, uint64_t address, unsigned bytes)
{
	uint64_t value = 0;

	t->low = MIN(t->low, address);
	t->high = MAX(t->high, address + bytes);
	if (address > r->bytes[ASC_UB] || bytes > r->bytes[ASC_UB] - address)
		return 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)r->memory[ASC_UB][address + i] << 8 * i;
	return value;
}

static void touch_taken(asc_ref *r, const picked *t)
{
	if (!r->blind && t->low < t->high)
		ref_touch(r, ASC_UB, false, t->low, t->high - t->low);
}

static void gather_elements(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand dst = operand_of(r, "dst", type);
	shape s = shape_of(r, dst.size);
	uint64_t offsets = (uint64_t)ref_field(r, "offsets"), base = (uint64_t)ref_field(r, "base"), result[LANES_MAX];
	picked t = {UINT64_MAX, 0};

	/* All that it names, by the offsets that lie there before anything is written. */
	for (int64_t i = 0; i < s.repeats && !r->beyond; i++)
		for (unsigned lane = 0; lane < s.lanes; lane++)
			if (is_active(r, &s, i, lane))
				gathered(r, &t,
				         base + ref_get(r, ASC_UB, offsets + 4 * ((uint64_t)i * s.lanes + lane), 4),
				         dst.size);
	touch_taken(r, &t);
	for (int64_t i = 0; i < s.repeats && !r->beyond; i++) {
		for (unsigned lane = 0; lane < s.lanes; lane++) {
			uint64_t offset;

			if (!is_active(r, &s, i, lane))
				continue;
			offset = ref_get(r, ASC_UB, offsets + 4 * ((uint64_t)i * s.lanes + lane), 4);
			result[lane] = gathered(r, &t, base + offset, dst.size);
		}
		touch(r, &dst, &s, i, true);
		ref_touch(r, ASC_UB, false, offsets + 4 * (uint64_t)i * s.lanes, 4 * s.lanes);
		for (unsigned lane = 0; lane < s.lanes; lane++)
			if (is_active(r, &s, i, lane))
				lane_put(r, &dst, i, lane, result[lane]);
	}
}

static void gather_blocks(asc_ref *r)
{
	operand dst = operand_of(r, "dst", ASC_U8);
	uint64_t offsets = (uint64_t)ref_field(r, "offsets"), base = (uint64_t)ref_field(r, "base");
	int64_t repeats = ref_field(r, "repeat");
	picked t = {UINT64_MAX, 0};

	for (uint64_t b = 0; b < (uint64_t)repeats * 8 && !r->beyond; b++)
		for (unsigned w = 0; w < 4; w++)
			gathered(r, &t, base + ref_get(r, ASC_UB, offsets + 4 * b, 4) + 8 * w, 8);
	touch_taken(r, &t);
	for (int64_t i = 0; i < repeats && !r->beyond; i++) {
		uint64_t word[8][4];

		for (unsigned b = 0; b < 8; b++) {
			uint64_t offset = ref_get(r, ASC_UB, offsets + 4 * ((uint64_t)i * 8 + b), 4);

			for (unsigned w = 0; w < 4; w++)
				word[b][w] = gathered(r, &t, base + offset + 8 * w, 8);
		}
		for (unsigned b = 0; b < 8; b++)
			for (unsigned w = 0; w < 4; w++)
				ref_put(r, ASC_UB, dst.base + (uint64_t)i * dst.repeat_stride + BLOCK * b + 8 * w, 8,
				        word[b][w]);
	}
}

static bool picks(int64_t pattern, unsigned lane)
{
	if (pattern == 7)
		return true;
	return pattern <= 2 ? lane % 2 == (unsigned)pattern - 1 : lane % 4 == (unsigned)pattern - 3;
}

/* No lane is off.  With a pattern from memory as many results count as written as there could be. */
static void pick(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand src = operand_of(r, "src0", type);
	int64_t repeats = ref_field(r, "repeat"), pattern = ref_field(r, "pattern");
	unsigned lanes = MIN(REPEAT_BYTES / src.size, LANES_MAX);
	uint64_t bits = (uint64_t)ref_field(r, "src1"), stride = BLOCK * (uint64_t)ref_field(r, "src1_rep");
	uint64_t dst = (uint64_t)ref_field(r, "dst");

	if (!pattern)
		ref_touch(r, ASC_UB, true, dst, (uint64_t)repeats * lanes * src.size);
	for (int64_t i = 0; i < repeats && !r->beyond; i++) {
		uint64_t result[LANES_MAX];
		unsigned count = 0;

		for (unsigned lane = 0; lane < lanes; lane++) {
			uint64_t value = lane_get(r, &src, i, lane);
			bool wanted =
				pattern ? picks(pattern, lane)
					: ref_get(r, ASC_UB, bits + (uint64_t)i * stride + lane / 8, 1) >> lane % 8 & 1;

			if (wanted)
				result[count++] = value;
		}
		for (unsigned e = 0; e < count; e++, dst += src.size)
			ref_put(r, ASC_UB, dst, src.size, result[e]);
	}
}

/* The elements lie in a row; source strides say nothing. */
static void broadcast(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	operand dst = operand_of(r, "dst", type), src = operand_of(r, "src", type);
	int64_t repeats = ref_field(r, "repeat");

	for (int64_t i = 0; i < repeats && !r->beyond; i++) {
		uint64_t value[8];

		for (unsigned e = 0; e < 8; e++)
			value[e] = ref_get(r, ASC_UB, src.base + ((uint64_t)i * 8 + e) * src.size, src.size);
		for (unsigned e = 0; e < 8; e++)
			for (unsigned j = 0; j < BLOCK / dst.size; j++)
				lane_put(r, &dst, i, e * BLOCK / dst.size + j, value[e]);
	}
}

static void transpose(asc_ref *r)
{
	uint64_t dst = (uint64_t)ref_field(r, "dst"), src = (uint64_t)ref_field(r, "src"), value[16][16];

	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 16; j++)
			value[i][j] = ref_get(r, ASC_UB, src + 32 * i + 2 * j, 2);
	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 16; j++)
			ref_put(r, ASC_UB, dst + 32 * i + 2 * j, 2, value[j][i]);
}

static void sort(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	unsigned size = asc_type_bytes(type);
	uint64_t dst = (uint64_t)ref_field(r, "dst"), values = (uint64_t)ref_field(r, "src0");
	uint64_t indices = (uint64_t)ref_field(r, "src1");

	for (int64_t i = 0; i < ref_field(r, "repeat") && !r->beyond; i++) {
		uint64_t value[32], index[32];

		for (unsigned e = 0; e < 32; e++) {
			value[e] = ref_get(r, ASC_UB, values + ((uint64_t)i * 32 + e) * size, size);
			index[e] = ref_get(r, ASC_UB, indices + ((uint64_t)i * 32 + e) * 4, 4);
		}
		/* The place of an element: how many come before it. */
		for (unsigned e = 0; e < 32; e++) {
			unsigned before = 0;

			for (unsigned o = 0; o < 32; o++)
				before += is_above(type, value[o], value[e]) ||
				          (o < e && !is_above(type, value[e], value[o]));
			ref_put(r, ASC_UB, dst + ((uint64_t)i * 32 + before) * 8, 4, value[e]);
			ref_put(r, ASC_UB, dst + ((uint64_t)i * 32 + before) * 8 + 4, 4, index[e]);
		}
	}
}

static void merge(asc_ref *r)
{
	enum asc_type type = (enum asc_type)ref_field(r, "type");
	uint64_t length = (uint64_t)ref_field(r, "length"), dst = (uint64_t)ref_field(r, "dst");
	uint64_t src = (uint64_t)ref_field(r, "src");

	for (int64_t i = 0; i < ref_field(r, "repeat") && !r->beyond; i++) {
		uint64_t at = (uint64_t)i * 4 * length * 8, taken[4] = {0};
		g_autofree uint64_t *element = g_new(uint64_t, 4 * length);

		for (uint64_t e = 0; e < 4 * length; e++)
			element[e] = ref_get(r, ASC_UB, src + at + 8 * e, 8);
		for (uint64_t e = 0; e < 4 * length; e++) {
			int best = -1;

			for (int list = 0; list < 4; list++)
				if (taken[list] < length &&
				    (best < 0 || is_above(type, element[(uint64_t)list * length + taken[list]],
				                          element[(uint64_t)best * length + taken[best]])))
					best = list;
			ref_put(r, ASC_UB, dst + at + 8 * e, 8, element[(uint64_t)best * length + taken[best]]);
			taken[best]++;
		}
	}
}

void ref_vector(asc_ref *r)
{
	switch (r->op) {
	case ASC_OP_VBRCB:
		broadcast(r);
		break;
	case ASC_OP_VCADD:
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
	case ASC_OP_VCGADD:
	case ASC_OP_VCGMAX:
	case ASC_OP_VCGMIN:
	case ASC_OP_VCPADD:
		reduce(r);
		break;
	case ASC_OP_VCONV:
		convert(r);
		break;
	case ASC_OP_VCMP:
		compare(r);
		break;
	case ASC_OP_VSEL:
		choose(r);
		break;
	case ASC_OP_VGATHER:
		gather_elements(r);
		break;
	case ASC_OP_VGATHERB:
		gather_blocks(r);
		break;
	case ASC_OP_VREDUCEV2:
		pick(r);
		break;
	case ASC_OP_VTRANS:
		transpose(r);
		break;
	case ASC_OP_VSORT32:
		sort(r);
		break;
	case ASC_OP_VMRGSORT:
		merge(r);
		break;
	default:
		lanewise(r);
		break;
	}
}
