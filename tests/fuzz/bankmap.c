/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of bank maps: no two blocks share a place, none lies outside the banks and rows there are, each place gives
 * back its block, the canonical text names the same map, and the scheduler's own maps agree.  A text that cannot store
 * may still be analysed; then all blocks have banks that exist.
 */
#include "isa/bankmap.h"

#include "sched/emit/bank_map.h"
#include "tests/fuzz/fuzz.h"

enum { BANKS = 145, ROWS = 32 };

static void look_at(const bankmap *map)
{
	uint64_t blocks[64];
	uint16_t banks[64];
	bankmap_facts facts;
	char *text;

	for (unsigned i = 0; i < 64; i++)
		blocks[i] = UINT64_MAX >> i;
	bankmap_map(map, blocks, 64, banks);
	for (unsigned i = 0; i < 64; i++)
		FUZZ_EXPECT(banks[i] < bankmap_banks_used(map) && banks[i] == bankmap_bank(map, blocks[i]));
	bankmap_describe(map, 16, &facts);
	FUZZ_EXPECT(facts.banks_used <= BANKS && facts.capacity_blocks == bankmap_capacity_blocks(map));
	FUZZ_EXPECT(!facts.injective || bankmap_is_injective(map));
	text = bankmap_facts_text(map, &facts);
	g_free(text);
	bankmap_facts_clear(&facts);
}

static void look_at_storage(const bankmap *map)
{
	g_autofree bool *taken = g_new0(bool, BANKS *ROWS);
	bankmap *again = bankmap_new(bankmap_text(map), BANKS, ROWS, NULL);
	bank_map *other = bank_map_new(bankmap_text(map), BANKS, ROWS, NULL);

	FUZZ_EXPECT(again && g_str_equal(bankmap_text(map), bankmap_text(again)));
	FUZZ_EXPECT(other && bank_map_capacity_blocks(other) == bankmap_capacity_blocks(map));
	FUZZ_EXPECT(bankmap_capacity_blocks(map) <= BANKS * ROWS);
	for (uint64_t block = 0; block < bankmap_capacity_blocks(map); block++) {
		unsigned bank = bankmap_bank(map, block);
		uint64_t row = bankmap_row(map, block), back;

		FUZZ_EXPECT(bank < BANKS && row < ROWS);
		FUZZ_EXPECT(!taken[bank * ROWS + row]);
		FUZZ_EXPECT(bank == bankmap_bank(again, block) && bank == bank_map_bank(other, block));
		FUZZ_EXPECT(block % 61 || (bankmap_inverse(map, bank, row, &back) && back == block));
		taken[bank * ROWS + row] = true;
	}
	bankmap_free(again);
	bank_map_free(other);
}

void fuzz_bankmap(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	GError *error = NULL;
	bankmap *map = bankmap_new(text, BANKS, ROWS, &error);
	bankmap *analysis = bankmap_new_analysis(text, BANKS, ROWS, NULL);

	FUZZ_EXPECT(analysis || !map);
	if (analysis)
		look_at(analysis);
	if (fuzz_judge(map != NULL, &error))
		look_at_storage(map);
	bankmap_free(map);
	bankmap_free(analysis);
}
