/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of bank maps: no two blocks share a place, none lies outside the banks and rows there are, and the canonical
 * text names the same map.
 */
#include "isa/bankmap.h"

#include "tests/fuzz/fuzz.h"

enum { BANKS = 145, ROWS = 32 };

void fuzz_bankmap(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autofree bool *taken = g_new0(bool, BANKS *ROWS);
	GError *error = NULL;
	bankmap *map = bankmap_new(text, BANKS, ROWS, &error);
	bankmap *again;

	if (!fuzz_judge(map != NULL, &error))
		return;
	again = bankmap_new(bankmap_text(map), BANKS, ROWS, NULL);
	FUZZ_EXPECT(again && g_str_equal(bankmap_text(map), bankmap_text(again)));
	FUZZ_EXPECT(bankmap_capacity_blocks(map) <= BANKS * ROWS);
	for (uint64_t block = 0; block < bankmap_capacity_blocks(map); block++) {
		unsigned bank = bankmap_bank(map, block);
		uint64_t row = bankmap_row(map, block);

		FUZZ_EXPECT(bank < BANKS && row < ROWS);
		FUZZ_EXPECT(bankmap_is_ideal(map) || !taken[bank * ROWS + row]);
		FUZZ_EXPECT(bank == bankmap_bank(again, block));
		taken[bank * ROWS + row] = true;
	}
	bankmap_free(map);
	bankmap_free(again);
}
