/* SPDX-License-Identifier: Apache-2.0
 *
 * What a map says of itself: capacity and aliases by a walk over all of its blocks, weak strides by trying them, and an
 * estimate of its gates.  Nothing here is taken from a list of known weaknesses; reasons explain what was counted.
 */
#include "isa/bankmap/bankmap_int.h"

#include <string.h>

#define U64 "%" G_GUINT64_FORMAT

enum { STRIDES = 1024, TERMS = 64, WEAK_MAX = 8 };

static void describe_domain(const bankmap *map, uint64_t block_bytes, bankmap_facts *facts)
{
	bankmap_walk walk;
	uint64_t words = map->banks * map->rows, places;

	bankmap_walk_domain(map, false, &walk);
	facts->banks = map->banks;
	facts->rows = map->rows;
	facts->rows_needed = walk.rows_needed;
	facts->domain_blocks = map->domain;
	facts->outside_blocks = walk.outside;
	facts->aliased_blocks = walk.aliased;
	facts->injective = walk.aliased == 0;
	if (walk.aliased) {
		facts->alias.block[0] = bankmap_first_in_place(map, walk.first_aliased);
		facts->alias.block[1] = walk.first_aliased;
		facts->alias.bank = bankmap_bank(map, walk.first_aliased);
		facts->alias.row = bankmap_row(map, walk.first_aliased);
	}
	facts->capacity_blocks = MIN(map->capacity, walk.first_outside);
	places = facts->injective ? facts->capacity_blocks : map->domain - walk.outside - walk.aliased;
	facts->lost_words = words - places;
	facts->lost_bytes = facts->lost_words * block_bytes;
	facts->least_fill = UINT64_MAX;
	for (unsigned b = 0; b < map->used; b++) {
		facts->banks_used += walk.fill[b] > 0;
		facts->largest_fill = MAX(facts->largest_fill, walk.fill[b]);
		facts->least_fill = MIN(facts->least_fill, walk.fill[b]);
	}
	facts->mean_fill = (double)(map->domain - walk.outside) / map->used;
	g_free(walk.fill);
}

static unsigned distinct_banks(const bankmap *map, uint64_t stride)
{
	g_autofree bool *met = g_new0(bool, map->used);
	uint64_t blocks[TERMS];
	uint16_t banks[TERMS];
	unsigned distinct = 0;

	for (unsigned i = 0; i < TERMS; i++)
		blocks[i] = i * stride;
	bankmap_map(map, blocks, TERMS, banks);
	for (unsigned i = 0; i < TERMS; i++) {
		distinct += !met[banks[i]];
		met[banks[i]] = true;
	}
	return distinct;
}

/* When the family has no reason: what the banks of the terms do. */
static char *counted_reason(const bankmap *map, uint64_t stride)
{
	g_autofree unsigned *steps = g_new0(unsigned, map->used);
	unsigned usual = 0, back = 0;

	for (unsigned i = 1; i < TERMS; i++) {
		unsigned from = bankmap_bank(map, (i - 1) * stride), to = bankmap_bank(map, i * stride);
		unsigned step = (to + map->used - from) % map->used;

		if (++steps[step] > steps[usual])
			usual = step;
		if (!back && to == bankmap_bank(map, 0))
			back = i;
	}
	if (steps[usual] > TERMS / 2 && bankmap_gcd(usual, map->used) > 1)
		return g_strdup_printf("%u of %u steps advance by %u, gcd(%u,%u) = %u", steps[usual], TERMS - 1, usual,
		                       usual, map->used, (unsigned)bankmap_gcd(usual, map->used));
	if (back)
		return g_strdup_printf("term %u is back in the bank of term 0", back);
	return g_strdup("counted");
}

static int worse_stride(gconstpointer a, gconstpointer b)
{
	const bankmap_stride *x = a, *y = b;

	if (x->distinct_banks != y->distinct_banks)
		return x->distinct_banks < y->distinct_banks ? -1 : 1;
	return x->stride_blocks < y->stride_blocks ? -1 : x->stride_blocks > y->stride_blocks;
}

static void describe_strides(const bankmap *map, bankmap_facts *facts)
{
	bankmap_stride all[STRIDES];
	unsigned best = MIN(TERMS, map->used);

	if (bankmap_is_ideal(map))
		return;
	for (unsigned s = 1; s <= STRIDES; s++)
		all[s - 1] = (bankmap_stride){.stride_blocks = s, .distinct_banks = distinct_banks(map, s)};
	qsort(all, STRIDES, sizeof all[0], worse_stride);
	while (facts->weak_count < WEAK_MAX && all[facts->weak_count].distinct_banks < best) {
		bankmap_stride *s = &all[facts->weak_count++];

		s->reason = map->ops->reason ? map->ops->reason(map, s->stride_blocks) : NULL;
		if (!s->reason)
			s->reason = counted_reason(map, s->stride_blocks);
	}
	facts->weak = g_memdup2(all, facts->weak_count * sizeof all[0]);
}

static void describe_gates(const bankmap *map, bankmap_facts *facts)
{
	facts->address_bits = bankmap_bit_length(facts->domain_blocks - 1);
	facts->covered_bits = map->covered_bits;
	facts->linear = map->linear;
	if (map->linear)
		bankmap_gates_linear(map->masks, map->bits, facts->address_bits, &facts->xor2, &facts->xor2_shared);
	if (!bankmap_gates_measured(map, facts) && map->ops->gates)
		map->ops->gates(map, facts);
}

void bankmap_describe(const bankmap *map, uint64_t block_bytes, bankmap_facts *facts)
{
	*facts = (bankmap_facts){0};
	describe_domain(map, block_bytes, facts);
	describe_strides(map, facts);
	describe_gates(map, facts);
}

void bankmap_describe_gates(const bankmap *map, bankmap_facts *facts)
{
	*facts = (bankmap_facts){.domain_blocks = map->domain};
	describe_gates(map, facts);
}

void bankmap_facts_clear(bankmap_facts *facts)
{
	for (size_t i = 0; i < facts->weak_count; i++)
		g_free(facts->weak[i].reason);
	g_free(facts->weak);
	g_free(facts->gates_note);
	*facts = (bankmap_facts){0};
}

const char *bankmap_gate_class_name(enum bankmap_gate_class class_)
{
	static const char *const names[] = {"none", "wires", "measured", "derived"};

	return names[class_];
}

static void print_placement(const bankmap_facts *f, GString *out)
{
	g_string_append_printf(out, "banks used: %u of %u\n", f->banks_used, f->banks);
	g_string_append_printf(out, "rows needed: " U64 " of " U64 " for " U64 " blocks\n", f->rows_needed, f->rows,
	                       f->domain_blocks);
	if (f->injective)
		g_string_append(out, "injective: yes, every block looked at\n");
	else
		g_string_append_printf(out,
		                       "injective: no, " U64 " of " U64 " blocks share a word; the first pair is " U64
		                       " and " U64 ", bank %u, row " U64 "\n",
		                       f->aliased_blocks, f->domain_blocks - f->outside_blocks, f->alias.block[0],
		                       f->alias.block[1], f->alias.bank, f->alias.row);
	if (f->outside_blocks)
		g_string_append_printf(out, "outside: " U64 " blocks have no row that exists\n", f->outside_blocks);
	g_string_append_printf(out, "capacity: " U64 " blocks\n", f->capacity_blocks);
	g_string_append_printf(out, "words lost: " U64 " of " U64 " (%.2f %%)", f->lost_words, f->banks * f->rows,
	                       100.0 * (double)f->lost_words / (double)(f->banks * f->rows));
	if (f->lost_bytes)
		g_string_append_printf(out, ", " U64 " bytes", f->lost_bytes);
	g_string_append_printf(out, "\nbank fill: largest " U64 ", mean %.2f, least " U64 "; largest/mean %.3f\n",
	                       f->largest_fill, f->mean_fill, f->least_fill, (double)f->largest_fill / f->mean_fill);
}

char *bankmap_facts_text(const bankmap *map, const bankmap_facts *f)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "map: %s\n", map->text);
	print_placement(f, out);
	if (!f->covered_bits)
		g_string_append(out, "covered: no block bit\n");
	else if (f->covered_bits < 64)
		g_string_append_printf(out, "covered: block bits 0 to %u of %u\n", f->covered_bits - 1,
		                       f->address_bits);
	if (f->linear)
		g_string_append_printf(out, "xor: %u XOR2, %u after sharing pairs, for %u address bits\n", f->xor2,
		                       f->xor2_shared, f->address_bits);
	if (f->gates_class == BANKMAP_GATES_WIRES)
		g_string_append(out, "gates: none, wires only\n");
	else if (f->gates_class != BANKMAP_GATES_NONE)
		g_string_append_printf(out, "gates: %.0f NAND2 equivalents [%s; %s] for %u address bits\n",
		                       f->gates_nand2, bankmap_gate_class_name(f->gates_class), f->gates_note,
		                       f->address_bits);
	if (!f->weak_count)
		g_string_append_printf(out, "weak strides: none from 1 to %d at %d terms\n", STRIDES, TERMS);
	for (size_t i = 0; i < f->weak_count; i++)
		g_string_append_printf(out, "weak stride: " U64 ", %d terms meet %u bank%s (%s)\n",
		                       f->weak[i].stride_blocks, TERMS, f->weak[i].distinct_banks,
		                       f->weak[i].distinct_banks == 1 ? "" : "s", f->weak[i].reason);
	return g_string_free(out, FALSE);
}
