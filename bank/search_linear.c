/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices over GF(2) as circuits and as texts: XOR2 counts, null spaces.  The search among them is in
 * search_anneal.c.
 */
#include "bank/search_linear.h"

#include <glib.h>
#include <string.h>

unsigned bank_linear_ones(const bank_linear *map)
{
	unsigned ones = 0;

	for (unsigned j = 0; j < map->address_bits - map->bits; j++)
		ones += (unsigned)__builtin_popcount(map->columns[j]);
	return ones;
}

void bank_linear_masks(const bank_linear *map, uint64_t masks[BANK_LINEAR_BITS])
{
	for (unsigned i = 0; i < map->bits; i++) {
		masks[i] = UINT64_C(1) << i;
		for (unsigned j = map->bits; j < map->address_bits; j++)
			masks[i] |= (uint64_t)(map->columns[j - map->bits] >> i & 1) << j;
	}
}

char *bank_linear_text(const bank_linear *map)
{
	GString *text = g_string_new("gf2:");
	uint64_t masks[BANK_LINEAR_BITS];

	bank_linear_masks(map, masks);
	for (unsigned i = 0; i < map->bits; i++)
		g_string_append_printf(text, "%s0x%" G_GINT64_MODIFIER "x", i ? "," : "", masks[i]);
	return g_string_free(text, FALSE);
}

unsigned bank_xor2_shared(const uint64_t *masks, unsigned count, unsigned *plain)
{
	g_autofree uint64_t *rest = g_memdup2(masks, count * sizeof *masks);
	unsigned total = 0, best;

	for (unsigned i = 0; i < count; i++)
		if (masks[i])
			total += (unsigned)__builtin_popcountll(masks[i]) - 1;
	*plain = total;
	do {
		uint64_t pair = 0;

		best = 1;
		for (unsigned a = 0; a < 63; a++)
			for (unsigned b = a + 1; b < 64; b++) {
				uint64_t both = UINT64_C(1) << a | UINT64_C(1) << b;
				unsigned rows = 0;

				for (unsigned i = 0; i < count; i++)
					rows += (rest[i] & both) == both;
				if (rows > best) {
					best = rows;
					pair = both;
				}
			}
		for (unsigned i = 0; i < count && best > 1; i++)
			if ((rest[i] & pair) == pair)
				rest[i] &= ~pair;
		total -= best - 1;
	} while (best > 1);
	return total;
}

void bank_linear_null_space(const bank_linear *map, uint64_t *basis)
{
	for (unsigned j = 0; j < map->address_bits - map->bits; j++)
		basis[j] = UINT64_C(1) << (map->bits + j) | map->columns[j];
}

bool bank_linear_of(const bankmap *map, unsigned address_bits, bank_linear *linear)
{
	unsigned bits = 0;

	while (1U << bits < bankmap_banks_used(map))
		bits++;
	*linear = (bank_linear){.bits = bits, .address_bits = address_bits};
	if (!bankmap_is_linear(map) || bits > BANK_LINEAR_BITS || address_bits > BANK_LINEAR_ADDRESS_BITS)
		return false;
	for (unsigned j = 0; j < bits; j++)
		if (bankmap_bank(map, UINT64_C(1) << j) != 1U << j)
			return false;
	for (unsigned j = bits; j < address_bits; j++)
		linear->columns[j - bits] = (uint16_t)bankmap_bank(map, UINT64_C(1) << j);
	return true;
}
