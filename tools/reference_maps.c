/* SPDX-License-Identifier: Apache-2.0
 *
 * Markdown from isa/bankmaps.def and isa/bankgates.def, with what each example says of itself.
 */
#include <string.h>

#include "isa/bankmap.h"
#include "tools/reference.h"

enum { BANKS = 144, ROWS = 5000, BLOCK_BYTES = 320 };

#define U64 "%" G_GUINT64_FORMAT

static const char *const sources[] = {
#define BANKMAP(id, syntax, example, doc, source) source,
#define BANKMAP_ANALYSIS                          BANKMAP
#include "isa/bankmaps.def"
};

static const struct measured {
	const char *text;
	unsigned address_bits;
	double nand2;
	const char *note;
} measured[] = {
#define GATES_UNIT(id, nand2, doc)
#define GATES_MEASURED(text, address_bits, nand2, note) {text, address_bits, nand2, note},
#include "isa/bankgates.def"
};

static const struct unit {
	const char *name;
	double nand2;
	const char *doc;
} units[] = {
#define GATES_UNIT(id, nand2, doc) {#id, nand2, doc},
#define GATES_MEASURED(text, address_bits, nand2, note)
#include "isa/bankgates.def"
};

static const char head[] =
	"# Bank maps\n\n"
	"Written by `tspsim list maps --markdown` from isa/bankmaps.def, isa/bankgates.def and the maps themselves; a "
	"test holds\n"
	"this page against them. Sources: sources.md. What to choose for 144 banks: bank-hashing.md.\n\n"
	"A map takes a block number b (byte address div block size) to a bank and a row. It can store data when no two "
	"blocks\n"
	"share a (bank, row). `--set sram.map=TEXT` refuses a map that is not injective and names the first two blocks "
	"that meet;\n"
	"such maps serve analysis only. Numbers are decimal or, with 0x, hexadecimal; `[ ]` marks what may be left "
	"out.\n\n"
	"- `gf2:FILE`, `table:FILE`: the same words in a file, separated by commas, blanks or lines; `#` begins a "
	"comment.\n"
	"- `file:PATH`: the text of any map, or `bank=E` and `row=E` on lines, or a table.\n"
	"- Files are read once; programs and reports carry their content.\n"
	"- Expressions know `b`, numbers, `( )` and, from loose to tight, `|`, `^`, `&`, `<< >>`, `+ -`, `* / %`, on "
	"unsigned 64-bit\n"
	"  numbers. A bank that does not exist or a division by zero is an error that names the block.\n"
	"- A text with `;`, `|`, `&`, `<`, `>`, `*` or parentheses wants quotes in a shell.\n\n";

static char *cell(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, "|", -1);

	return g_strjoinv("\\|", parts);
}

static void add_families(GString *out)
{
	g_string_append(out, "## Families\n\n| syntax | what | banks | source |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < bankmap_family_count(); i++) {
		g_autofree char *syntax = cell(bankmap_family_syntax(i));
		g_autofree char *doc = cell(bankmap_family_doc(i));

		g_string_append_printf(out, "| `%s` | %s | %s | %s |\n", syntax, doc, bankmap_family_counts(i),
		                       sources[i]);
	}
}

static void add_facts(GString *out, size_t i)
{
	bankmap *map = bankmap_new_analysis(bankmap_family_example(i), BANKS, ROWS, NULL);
	g_autofree char *text = cell(bankmap_text(map));
	g_autofree char *gates = NULL;
	bankmap_facts f;

	bankmap_describe(map, BLOCK_BYTES, &f);
	gates = f.gates_class == BANKMAP_GATES_NONE
	                ? g_strdup("")
	                : g_strdup_printf("%.0f, %s", f.gates_nand2, bankmap_gate_class_name(f.gates_class));
	g_string_append_printf(out, "| `%s` | %u | " U64 " | " U64 " (%.2f %%) | %.3f | ", text, f.banks_used,
	                       f.capacity_blocks, f.lost_words, 100.0 * (double)f.lost_words / (BANKS * ROWS),
	                       (double)f.largest_fill / f.mean_fill);
	if (f.injective)
		g_string_append(out, "none | ");
	else
		g_string_append_printf(out, U64 ", first " U64 " and " U64 " | ", f.aliased_blocks, f.alias.block[0],
		                       f.alias.block[1]);
	g_string_append_printf(out, "%s | ", gates);
	if (f.linear)
		g_string_append_printf(out, "%u | ", f.xor2);
	else
		g_string_append(out, "| ");
	if (f.weak_count)
		g_string_append_printf(out, U64 ": %u (%s) |\n", f.weak[0].stride_blocks, f.weak[0].distinct_banks,
		                       f.weak[0].reason);
	else
		g_string_append(out, "none |\n");
	bankmap_facts_clear(&f);
	bankmap_free(map);
}

static void add_gates(GString *out)
{
	g_string_append(out, "\n## Gates\n\n"
	                     "NAND2 equivalents: NOT 0.5, NAND and NOR 1, AND and OR 1.5, XOR, XNOR and MUX 2.5; "
	                     "area-optimised, for the bank\n"
	                     "and, where it is not wires, the row. *measured*: synthesised with Yosys 0.23 and ABC for "
	                     "these parameters and 20\n"
	                     "address bits:\n\n| map | address bits | NAND2 | note |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(measured); i++)
		g_string_append_printf(out, "| `%s` | %u | %.0f | %s |\n", measured[i].text, measured[i].address_bits,
		                       measured[i].nand2, measured[i].note);
	g_string_append(out,
	                "\n*derived*: by formula from these unit costs, for all other parameters and widths; the note "
	                "of a map names the\n"
	                "formula. Division by a number takes (address bits - its bits + 1) steps of its bits + 1.\n\n"
	                "| unit | NAND2 | what |\n| --- | --- | --- |\n");
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		g_string_append_printf(out, "| %s | %g | %s |\n", units[i].name, units[i].nand2, units[i].doc);
}

char *reference_maps(GError **error)
{
	GString *out = g_string_new(head);

	(void)error;
	add_families(out);
	g_string_append_printf(
		out,
		"\n## Examples\n\n"
		"In %d banks of %d rows of %d bytes, %d words. Every block was looked at. Lost words are those that no "
		"block reaches;\n"
		"fill is the largest bank over the mean. XOR2 are two-input gates before sharing. The worst stride "
		"from 1 to 1024 is\n"
		"given with the number of banks that 64 terms from block 0 meet.\n\n"
		"| map | banks | blocks | lost words | fill | shared words | NAND2 | XOR2 | worst stride |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
		BANKS, ROWS, BLOCK_BYTES, BANKS * ROWS);
	for (size_t i = 0; i < bankmap_family_count(); i++)
		add_facts(out, i);
	add_gates(out);
	return g_string_free(out, FALSE);
}
