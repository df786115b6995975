/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank explain ADDRESS...: the fields that each map decodes an address into.
 */
#include "bank/metrics.h"
#include "tools/bank.h"
#include "tools/json.h"
#include "tools/tool.h"

typedef struct place {
	uint64_t address, offset, block;
} place;

static bool parse_address(const char *text, place *p, GError **error)
{
	bool hex = text[0] == '0' && (text[1] | 32) == 'x';
	uint64_t value;

	if (!(hex ? g_ascii_string_to_unsigned(text + 2, 16, 0, UINT64_MAX, &value, NULL)
	          : g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL))) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank explain: '%s' is no address; expected a decimal or 0x hexadecimal number", text);
		return false;
	}
	if (bank_setting.blocks) {
		*p = (place){.block = value, .address = value * (uint64_t)bank_setting.block_bytes};
	} else {
		*p = (place){.address = value,
		             .block = value / (uint64_t)bank_setting.block_bytes,
		             .offset = value % (uint64_t)bank_setting.block_bytes};
	}
	return true;
}

static void explain_one(const bankmap *map, const place *p, json *j, GString *out)
{
	unsigned bank = bankmap_bank(map, p->block);
	uint64_t row = bankmap_row(map, p->block);
	bool fits = p->block < bankmap_capacity_blocks(map);

	if (j) {
		json_object(j, NULL);
		json_uint(j, "address", p->address);
		json_uint(j, "block", p->block);
		json_uint(j, "offset", p->offset);
		json_string(j, "map", bankmap_text(map));
		json_uint(j, "bank", bank);
		json_uint(j, "row", row);
		json_bool(j, "fits", fits);
		json_end(j);
		return;
	}
	g_string_append_printf(out,
	                       "address %" G_GUINT64_FORMAT " (0x%" G_GINT64_MODIFIER "x): block %" G_GUINT64_FORMAT
	                       " byte %" G_GUINT64_FORMAT ", %s: bank %u row %" G_GUINT64_FORMAT "%s\n",
	                       p->address, p->address, p->block, p->offset, bankmap_text(map), bank, row,
	                       fits ? "" : " (beyond the map's capacity)");
}

int bank_explain(int argc, char **argv, GError **error)
{
	g_autoptr(GPtrArray) maps = g_ptr_array_new_with_free_func((GDestroyNotify)bankmap_free);
	g_autoptr(GString) out = g_string_new(NULL);
	json *j;
	place p;

	if (!argc) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank explain: too few arguments; expected addresses");
		return TOOL_USER_ERROR;
	}
	for (char **text = bank_setting.maps; *text; text++) {
		bankmap *map = bank_map_of(*text, error);

		if (!map)
			return TOOL_USER_ERROR;
		g_ptr_array_add(maps, map);
	}
	for (int i = 0; i < argc; i++)
		if (!parse_address(argv[i], &p, error))
			return TOOL_USER_ERROR;
	j = tool_json ? json_new() : NULL;
	if (j)
		json_array(j, NULL);
	for (int i = 0; i < argc; i++)
		for (unsigned m = 0; m < maps->len && parse_address(argv[i], &p, NULL); m++)
			explain_one(g_ptr_array_index(maps, m), &p, j, out);
	if (j) {
		g_autofree char *text = NULL;

		json_end(j);
		text = json_finish(j);
		g_string_assign(out, text);
	}
	return tool_print(out->str, error) ? TOOL_OK : TOOL_USER_ERROR;
}
