/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank explain: the fields that each map decodes addresses into; without addresses, what the maps are: banks,
 * words lost and shared, gates, weak strides.  A map that shares words is explained, not refused.
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

void bank_facts_json(json *j, const bankmap *map, const bankmap_facts *f)
{
	json_object(j, NULL);
	json_string(j, "map", bankmap_text(map));
	json_uint(j, "banks_used", f->banks_used);
	json_uint(j, "banks", f->banks);
	json_uint(j, "rows_needed", f->rows_needed);
	json_uint(j, "rows", f->rows);
	json_uint(j, "blocks", f->domain_blocks);
	json_uint(j, "capacity_blocks", f->capacity_blocks);
	json_bool(j, "injective", f->injective);
	json_uint(j, "shared_blocks", f->aliased_blocks);
	if (!f->injective) {
		json_array(j, "first_pair");
		json_uint(j, NULL, f->alias.block[0]);
		json_uint(j, NULL, f->alias.block[1]);
		json_end(j);
	}
	json_uint(j, "outside_blocks", f->outside_blocks);
	json_uint(j, "lost_words", f->lost_words);
	json_uint(j, "lost_bytes", f->lost_bytes);
	json_uint(j, "largest_fill", f->largest_fill);
	json_uint(j, "least_fill", f->least_fill);
	json_real(j, "mean_fill", f->mean_fill);
	json_uint(j, "address_bits", f->address_bits);
	json_uint(j, "covered_bits", f->covered_bits);
	if (f->linear) {
		json_uint(j, "xor2", f->xor2);
		json_uint(j, "xor2_shared", f->xor2_shared);
	}
	json_string(j, "gates_class", bankmap_gate_class_name(f->gates_class));
	if (f->gates_class != BANKMAP_GATES_NONE) {
		json_real(j, "gates_nand2", f->gates_nand2);
		json_string(j, "gates_note", f->gates_note);
	}
	json_array(j, "weak_strides");
	for (size_t i = 0; i < f->weak_count; i++) {
		json_object(j, NULL);
		json_uint(j, "stride", f->weak[i].stride_blocks);
		json_uint(j, "banks", f->weak[i].distinct_banks);
		json_string(j, "reason", f->weak[i].reason);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static char *gates_text(const bankmap_facts *f)
{
	if (f->gates_class == BANKMAP_GATES_NONE)
		return g_strdup("-");
	return g_strdup_printf("%.0f %s", f->gates_nand2, bankmap_gate_class_name(f->gates_class));
}

static void facts_cells(bank_table *t, const bankmap *map, const bankmap_facts *f)
{
	bank_table_cell(t, g_strdup(bankmap_text(map)));
	bank_table_cell(t, g_strdup_printf("%u", f->banks_used));
	bank_table_cell(t, g_strdup_printf("%" G_GUINT64_FORMAT, f->lost_words));
	bank_table_cell(t, g_strdup_printf("%.2f", (double)f->lost_bytes / 1e6));
	bank_table_cell(t, g_strdup_printf("%" G_GUINT64_FORMAT, f->aliased_blocks));
	bank_table_cell(t, f->injective ? g_strdup("-")
	                                : g_strdup_printf("%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, f->alias.block[0],
	                                                  f->alias.block[1]));
	bank_table_cell(t, f->linear ? g_strdup_printf("%u", f->xor2) : g_strdup("-"));
	bank_table_cell(t, gates_text(f));
	bank_table_cell(t, f->weak_count ? g_strdup_printf("%" G_GUINT64_FORMAT " on %u", f->weak[0].stride_blocks,
	                                                   f->weak[0].distinct_banks)
	                                 : g_strdup("none"));
}

static const char facts_legend[] =
	"lost: words that no block reaches, of banks x rows; MB of 10^6 bytes.  shared: blocks whose word an earlier "
	"block has;\npair: the first two.  XOR2: two-input gates before sharing, of maps that are nothing else.  "
	"NAND2: "
	"gate equivalents,\nmeasured by synthesis or derived by formula.  weakest: the stride of 1 to 1024 whose 64 "
	"terms "
	"from block 0 lie on the\nfewest banks.\n";

/* What each map is, or a table of several. */
static void explain_maps(const GPtrArray *maps, json *j, GString *out)
{
	static const char *const names[] = {"map",  "banks", "lost",  "MB",      "shared",
	                                    "pair", "XOR2",  "NAND2", "weakest", NULL};
	bank_table t = {.left = 1, .last_is_text = true};
	bool table = !j && maps->len > 1;

	if (table)
		bank_table_heads(&t, names);
	for (unsigned i = 0; i < maps->len; i++) {
		const bankmap *map = g_ptr_array_index(maps, i);
		bankmap_facts facts;

		bankmap_describe(map, (uint64_t)bank_setting.block_bytes, &facts);
		if (j) {
			bank_facts_json(j, map, &facts);
		} else if (table) {
			facts_cells(&t, map, &facts);
		} else {
			g_autofree char *text = bankmap_facts_text(map, &facts);

			g_string_append(out, text);
		}
		bankmap_facts_clear(&facts);
	}
	if (table) {
		bank_table_end(&t, out);
		g_string_append(out, facts_legend);
	}
}

int bank_explain(int argc, char **argv, GError **error)
{
	g_autoptr(GPtrArray) maps = g_ptr_array_new_with_free_func((GDestroyNotify)bankmap_free);
	g_autoptr(GString) out = g_string_new(NULL);
	json *j;
	place p;

	for (char **text = bank_setting.maps; *text; text++) {
		bankmap *map =
			bankmap_new_analysis(*text, (unsigned)bank_setting.banks, (uint64_t)bank_setting.rows, error);

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
	if (!argc)
		explain_maps(maps, j, out);
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
