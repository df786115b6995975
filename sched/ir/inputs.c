/* SPDX-License-Identifier: Apache-2.0
 *
 * Data for inputs that have none: seeded, each tensor a stream of its own, so that adding a tensor changes no other.
 *
 * Floating values are uniform in [-2, 2): sums of many products stay far from overflow.  One element in 64 is a -0, a
 * denormal or the least normal number.  With SPECIALS a few elements of each tensor, at random places, are infinities
 * and NaN (few, or every sum would be NaN).  Integers are uniform, int8 over the whole range, wider types in +-1000
 * with, when SPECIALS, the extremes at a few places.
 */
#include "sched/ir/graph.h"
#include "isa/num.h"
#include "isa/rng.h"

enum { RARE = 64, WIDE_LIMIT = 1000, SPECIAL_PERIOD = 4096 };

static void put(graph_node *n, uint64_t i, uint32_t bits)
{
	for (unsigned b = 0, bytes = isa_type_bytes(n->type); b < bytes; b++)
		n->data[i * bytes + b] = (uint8_t)(bits >> (8 * b));
}

static uint32_t rare_float(rng *r, enum isa_type type)
{
	uint32_t sign = (uint32_t)rng_below(r, 2);
	uint32_t denormal = (uint32_t)rng_below(r, 1023) + 1;
	bool half = type == ISA_TYPE_F16;

	switch (rng_below(r, 3)) {
	case 0:
		return half ? 0x8000 : 0x80000000;
	case 1:
		return half ? sign << 15 | denormal : sign << 31 | denormal << 13;
	default:
		return half ? sign << 15 | 0x0400 : sign << 31 | 0x00800000;
	}
}

static uint32_t ordinary(rng *r, enum isa_type type)
{
	float value;

	if (type == ISA_TYPE_I8)
		return (uint32_t)rng_below(r, 256);
	if (type == ISA_TYPE_I16 || type == ISA_TYPE_I32)
		return (uint32_t)rng_below(r, 2 * WIDE_LIMIT + 1) - WIDE_LIMIT;
	if (rng_below(r, RARE) == 0)
		return rare_float(r, type);
	value = (float)(4 * rng_unit(r) - 2);
	return type == ISA_TYPE_F16 ? num_f32_to_f16(value) : num_f32_bits(value);
}

/* Number WHICH of the special values of a type. */
static uint32_t special(enum isa_type type, uint64_t which)
{
	static const uint32_t values[ISA_TYPE_COUNT][3] = {
		[ISA_TYPE_I8] = {0x7F, 0x80, 0x80},
		[ISA_TYPE_I16] = {0x7FFF, 0x8000, 0x8000},
		[ISA_TYPE_I32] = {0x7FFFFFFF, 0x80000000, 0x80000000},
		[ISA_TYPE_F16] = {0x7C00, 0xFC00, 0x7E00},
		[ISA_TYPE_F32] = {0x7F800000, 0xFF800000, 0x7FC00000},
	};

	return values[type][which % 3];
}

static void fill(graph_node *n, uint64_t seed, uint64_t stream, bool specials)
{
	uint64_t count = n->rows * n->lanes;
	rng r;

	rng_seed(&r, seed, stream);
	n->data = g_malloc(count * isa_type_bytes(n->type));
	for (uint64_t i = 0; i < count; i++)
		put(n, i, ordinary(&r, n->type));
	for (uint64_t i = 0; specials && i < 3 + count / SPECIAL_PERIOD; i++)
		put(n, rng_below(&r, count), special(n->type, i));
}

void graph_fill_inputs(graph *g, uint64_t seed, bool specials)
{
	for (uint32_t i = 0; i < graph_size(g); i++) {
		graph_node *n = graph_at(g, i);

		if (n->op == GRAPH_INPUT && !n->data)
			fill(n, seed, i, specials);
	}
}
