/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions whose result is not lane for lane: compare, select, reduce, broadcast, gather, transpose, sort.
 * Sums of a repeat and of a block add neighbours pairwise, every sum rounded to the type; lanes that are off are
 * absent, and a result without any lane is not written.  Extremes give the first of equals, and its lane as index.  A
 * NaN compares unequal; as an extreme and in sorting it is beyond all numbers, and +0 is above -0, as in max and min.
 * Sorting is stable, largest first.
 */
#include "models/ascend/vector_int.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };

static uint8_t *ub_at(asc_data *data, uint64_t address, uint64_t bytes)
{
	return asc_data_at(data, ASC_UB, address, bytes);
}

static uint64_t get_bits(const uint8_t *p, unsigned bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, p, MIN(bytes, sizeof bits));
	return bits;
}

static void put_bits(uint8_t *p, uint64_t bits, unsigned bytes)
{
	memcpy(p, &bits, MIN(bytes, sizeof bits));
}

/* ---- compare and select ---- */

enum condition { LESS, GREATER, EQUAL, LESS_EQUAL, GREATER_EQUAL, NOT_EQUAL };

static bool holds(int64_t condition, bool less, bool equal, bool ordered)
{
	switch (condition) {
	case LESS:
		return less;
	case GREATER:
		return ordered && !less && !equal;
	case EQUAL:
		return equal;
	case LESS_EQUAL:
		return less || equal;
	case GREATER_EQUAL:
		return ordered && !less;
	default:
		return !equal;
	}
}

static void compare(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane a[ASC_VOP_LANES], b[ASC_VOP_LANES];
	bool floating = asc_is_float(o->type);

	asc_lanes_load(o, &o->src[0], o->type, data, repeat, a);
	asc_lanes_load(o, &o->src[1], o->type, data, repeat, b);
	for (unsigned i = 0; i < o->lanes; i++) {
		uint8_t *at = asc_lane_at(&o->dst, data, repeat, i / 8);
		bool less = floating ? a[i].f < b[i].f : a[i].i < b[i].i;
		bool equal = floating ? a[i].f == b[i].f : a[i].i == b[i].i;
		bool ordered = !floating || !(isnan(a[i].f) || isnan(b[i].f)), one;

		if (!at || !asc_vop_active(o, repeat, i))
			continue;
		one = holds(o->choice, less, equal, ordered);
		*at = (uint8_t)((*at & ~(1u << i % 8)) | (unsigned)one << i % 8);
	}
}

static void choose(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane a[ASC_VOP_LANES], b[ASC_VOP_LANES];
	uint8_t bits[ASC_VOP_LANES / 8] = {0};
	const uint8_t *at = ub_at(data, o->aux + (uint64_t)repeat * o->lanes / 8, o->lanes / 8);

	if (at)
		memcpy(bits, at, o->lanes / 8);
	asc_lanes_load(o, &o->src[0], o->type, data, repeat, a);
	asc_lanes_load(o, &o->src[1], o->type, data, repeat, b);
	for (unsigned i = 0; i < o->lanes; i++)
		if (asc_vop_active(o, repeat, i))
			asc_lane_store(&o->dst, data, repeat, i, bits[i / 8] >> (i % 8) & 1 ? a[i].bits : b[i].bits);
}

/* ---- reductions ---- */

static asc_lane sum_of(asc_lane a, asc_lane b, enum asc_type type)
{
	return asc_is_float(type) ? asc_lane_of_float(a.f + b.f, type) : asc_lane_of_integer(a.i + b.i, type);
}

/* Neighbours pairwise, then pairs of pairs, over N lanes (a power of two); false when all are off. */
static bool tree_sum(asc_lane *v, bool *on, unsigned n, enum asc_type type)
{
	for (; n > 1; n /= 2)
		for (unsigned i = 0; i < n / 2; i++) {
			bool left = on[2 * i], right = on[2 * i + 1];

			v[i] = left && right ? sum_of(v[2 * i], v[2 * i + 1], type) : left ? v[2 * i] : v[2 * i + 1];
			on[i] = left || right;
		}
	return on[0];
}

/* Is A above B as max has it?  NaN is above all numbers. */
static bool is_above(const asc_lane *a, const asc_lane *b, enum asc_type type)
{
	if (!asc_is_float(type))
		return a->i > b->i;
	if (isnan(a->f) || isnan(b->f))
		return isnan(a->f) && !isnan(b->f);
	return a->f > b->f || (a->f == b->f && !signbit(a->f) && signbit(b->f));
}

/* Index of the first extreme of N lanes, -1 when all are off.  A NaN is the extreme of either kind. */
static int extreme_of(const asc_lane *v, const bool *on, unsigned n, enum asc_type type, bool largest)
{
	int best = -1;

	for (unsigned i = 0; i < n; i++) {
		const asc_lane *a = &v[i], *b = best < 0 ? NULL : &v[best];
		bool nan = asc_is_float(type) && (isnan(a->f) || (b && isnan(b->f)));

		if (on[i] && (!b || (largest || nan ? is_above(a, b, type) : is_above(b, a, type))))
			best = (int)i;
	}
	return best;
}

/* A lane that is the only one of its sum, or an extreme, is a result like others: its NaN is canonical. */
static uint64_t result_of(const asc_lane *v, enum asc_type type)
{
	return asc_is_float(type) && isnan(v->f) ? asc_lane_of_float(v->f, type).bits : v->bits;
}

static void reduce(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane v[ASC_VOP_LANES];
	bool on[ASC_VOP_LANES];
	bool largest = o->op == ASC_OP_VCMAX || o->op == ASC_OP_VCGMAX, whole = false, sums = false;
	unsigned part = BLOCK / asc_type_bytes(o->type);

	switch (o->op) {
	case ASC_OP_VCADD:
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
		whole = true;
		part = o->lanes;
		break;
	case ASC_OP_VCPADD:
		part = 2;
		break;
	default:
		break;
	}
	sums = o->op == ASC_OP_VCADD || o->op == ASC_OP_VCGADD || o->op == ASC_OP_VCPADD;
	asc_lanes_load(o, &o->src[0], o->type, data, repeat, v);
	for (unsigned i = 0; i < o->lanes; i++)
		on[i] = asc_vop_active(o, repeat, i);
	for (unsigned first = 0; first < o->lanes; first += part) {
		unsigned to = first / part;
		int at;

		if (sums) {
			if (tree_sum(v + first, on + first, part, o->type))
				asc_lane_store(&o->dst, data, repeat, to, result_of(&v[first], o->type));
			continue;
		}
		at = extreme_of(v + first, on + first, part, o->type, largest);
		if (at < 0)
			continue;
		asc_lane_store(&o->dst, data, repeat, to, result_of(&v[first + (unsigned)at], o->type));
		if (whole)
			asc_lane_store(&o->dst, data, repeat, 1, (uint64_t)at);
	}
}

/* ---- data movement ---- */

static void broadcast_blocks(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane v[8];
	unsigned bytes = asc_type_bytes(o->type);

	asc_lanes_load(o, &o->src[0], o->type, data, repeat, v);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t *at = asc_lane_at(&o->dst, data, repeat, i);

		for (unsigned k = 0; at && k < BLOCK; k += bytes)
			put_bits(at + k, v[i].bits, bytes);
	}
}

/* Does a repeat of vreducev2 take element I? */
static bool picks(const asc_vop *o, asc_data *data, unsigned repeat, unsigned i)
{
	const uint8_t *bits;

	if (o->pattern)
		return asc_pattern_picks(o->pattern, i);
	bits = ub_at(data, o->src[1].address + (uint64_t)(o->src[1].repeat_bytes * (int64_t)repeat) + i / 8, 1);
	return bits && (*bits >> (i % 8) & 1);
}

static void pick(asc_vop *o, asc_data *data, unsigned repeat)
{
	unsigned bytes = asc_type_bytes(o->type);
	uint8_t taken[ASC_VOP_LANES * sizeof(uint64_t)], *at;
	uint64_t now = 0;

	for (unsigned i = 0; i < o->lanes; i++) {
		const uint8_t *from = picks(o, data, repeat, i) ? asc_lane_at(&o->src[0], data, repeat, i) : NULL;

		if (from)
			memcpy(taken + now++ * bytes, from, bytes);
	}
	at = ub_at(data, o->dst.address + o->picked * bytes, now * bytes);
	if (at)
		memcpy(at, taken, now * bytes);
	o->picked += now;
}

static void gather(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane offset[ASC_VOP_LANES];
	uint8_t taken[ASC_VOP_LANES][BLOCK] = {{0}};

	asc_lanes_load(o, &o->src[0], ASC_U32, data, repeat, offset);
	for (unsigned i = 0; i < o->lanes; i++) {
		const uint8_t *at = ub_at(data, o->aux + (uint64_t)offset[i].i, o->dst.lane_bytes);

		if (at)
			memcpy(taken[i], at, o->dst.lane_bytes);
	}
	for (unsigned i = 0; i < o->lanes; i++) {
		uint8_t *at =
			!o->dst.masked || asc_vop_active(o, repeat, i) ? asc_lane_at(&o->dst, data, repeat, i) : NULL;

		if (at)
			memcpy(at, taken[i], o->dst.lane_bytes);
	}
}

static void transpose(const asc_vop *o, asc_data *data)
{
	asc_lane v[ASC_VOP_LANES];

	asc_lanes_load(o, &o->src[0], o->type, data, 0, v);
	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 16; j++)
			asc_lane_store(&o->dst, data, 0, 16 * i + j, v[16 * j + i].bits);
}

/* ---- sorting: elements of eight bytes, value (fp16: in the low half of the word) and index ---- */

static bool sorts_before(const asc_vop *o, uint64_t a, uint64_t b)
{
	asc_lane x = asc_lane_of_bits(a & 0xffffffff, o->type), y = asc_lane_of_bits(b & 0xffffffff, o->type);

	return is_above(&x, &y, o->type);
}

static void sort32(const asc_vop *o, asc_data *data, unsigned repeat)
{
	asc_lane v[32], index[32];
	uint64_t sorted[32];

	asc_lanes_load(o, &o->src[0], o->type, data, repeat, v);
	asc_lanes_load(o, &o->src[1], ASC_U32, data, repeat, index);
	for (unsigned i = 0; i < 32; i++) {
		uint64_t bytes = asc_type_bytes(o->type);
		uint64_t e = (v[i].bits & (bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1)) |
		             (uint64_t)(uint32_t)index[i].bits << 32;
		unsigned at = i;

		for (; at > 0 && sorts_before(o, e, sorted[at - 1]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = e;
	}
	for (unsigned i = 0; i < 32; i++)
		asc_lane_store(&o->dst, data, repeat, i, sorted[i]);
}

static void merge_sort(const asc_vop *o, asc_data *data, unsigned repeat)
{
	uint64_t *v = g_new0(uint64_t, o->lanes);
	unsigned next[4] = {0};

	for (unsigned i = 0; i < o->lanes; i++) {
		const uint8_t *at = asc_lane_at(&o->src[0], data, repeat, i);

		v[i] = at ? get_bits(at, 8) : 0;
	}
	for (unsigned i = 0; i < o->lanes; i++) {
		unsigned best = 4;

		for (unsigned k = 0; k < 4; k++)
			if (next[k] < o->length && (best == 4 || sorts_before(o, v[k * o->length + next[k]],
			                                                      v[best * o->length + next[best]])))
				best = k;
		asc_lane_store(&o->dst, data, repeat, i, v[best * o->length + next[best]++]);
	}
	g_free(v);
}

bool asc_vop_move(asc_vop *o, asc_data *data, unsigned repeat)
{
	switch (o->op) {
	case ASC_OP_VCMP:
		compare(o, data, repeat);
		break;
	case ASC_OP_VSEL:
		choose(o, data, repeat);
		break;
	case ASC_OP_VCADD:
	case ASC_OP_VCMAX:
	case ASC_OP_VCMIN:
	case ASC_OP_VCGADD:
	case ASC_OP_VCGMAX:
	case ASC_OP_VCGMIN:
	case ASC_OP_VCPADD:
		reduce(o, data, repeat);
		break;
	case ASC_OP_VBRCB:
		broadcast_blocks(o, data, repeat);
		break;
	case ASC_OP_VGATHER:
	case ASC_OP_VGATHERB:
		gather(o, data, repeat);
		break;
	case ASC_OP_VREDUCEV2:
		pick(o, data, repeat);
		break;
	case ASC_OP_VTRANS:
		transpose(o, data);
		break;
	case ASC_OP_VSORT32:
		sort32(o, data, repeat);
		break;
	case ASC_OP_VMRGSORT:
		merge_sort(o, data, repeat);
		break;
	default:
		return false;
	}
	return true;
}
