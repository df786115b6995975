/* SPDX-License-Identifier: Apache-2.0
 *
 * Gates of a map by yosys(1): the map as Verilog, mapped to generic gates for area, counted with the areas that
 * isa/bankgates.def was measured with: NOT 0.5, NAND and NOR 1, AND and OR 1.5, XOR, XNOR and MUX 2.5.  Families that
 * have no Verilog here keep their estimates.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "tools/bank_search.h"

static const struct {
	const char *cell;
	double nand2;
} areas[] = {
	{"$_NOT_", 0.5},   {"$_NAND_", 1},  {"$_NOR_", 1},    {"$_AND_", 1.5}, {"$_OR_", 1.5},   {"$_ANDNOT_", 1.5},
	{"$_ORNOT_", 1.5}, {"$_XOR_", 2.5}, {"$_XNOR_", 2.5}, {"$_MUX_", 2.5}, {"$_NMUX_", 2.5},
};

static unsigned bit_length(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 1;
}

static void linear_body(GString *v, const bank_candidate *c)
{
	bank_linear linear;
	uint64_t masks[BANK_LINEAR_BITS];

	bank_linear_of(c->map, c->address_bits, &linear);
	bank_linear_masks(&linear, masks);
	for (unsigned i = 0; i < linear.bits; i++)
		g_string_append_printf(v, "assign bank[%u] = ^(b & %u'h%" G_GINT64_MODIFIER "x);\n", i, c->address_bits,
		                       masks[i]);
	g_string_append_printf(v, "assign row = b >> %u;\n", linear.bits);
}

/* Digit sums with end-around carry; all ones is another zero. */
static void mersenne_body(GString *v, unsigned n, unsigned address_bits)
{
	unsigned digits = (address_bits + n - 1) / n;

	g_string_append_printf(v, "wire [%u:0] p = b;\n", digits * n - 1);
	g_string_append_printf(v, "wire [%u:0] s0 = p[%u:0];\n", n - 1, n - 1);
	for (unsigned i = 1; i < digits; i++)
		g_string_append_printf(v, "wire [%u:0] t%u = s%u + p[%u:%u];\nwire [%u:0] s%u = t%u[%u:0] + t%u[%u];\n",
		                       n, i, i - 1, (i + 1) * n - 1, i * n, n - 1, i, i, n - 1, i, n);
	g_string_append_printf(v, "assign bank = &s%u ? 0 : s%u;\nassign row = b / %u;\n", digits - 1, digits - 1,
	                       (1U << n) - 1);
}

/* The body of the module; false for a family without one. */
static bool verilog_body(GString *v, const bank_candidate *c)
{
	const char *text = bankmap_text(c->map);
	unsigned a, b, extra;

	if (c->linear) {
		linear_body(v, c);
	} else if (sscanf(text, "mod:%u", &a) == 1) {
		g_string_append_printf(v, "assign row = b / %u;\nassign bank = b - row * %u;\n", a, a);
	} else if (sscanf(text, "bsp:%u", &a) == 1) {
		g_string_append_printf(v, "assign bank = b %% %u;\nassign row = b >> %u;\n", a, bit_length(a) - 1);
	} else if (sscanf(text, "skew:%u,%u", &a, &b) == 2) {
		/* One divider: the remainder is what a multiplication by a constant leaves. */
		extra = bit_length((uint64_t)b << c->address_bits);
		g_string_append_printf(
			v,
			"assign row = b / %u;\nwire [%u:0] r = b - row * %u;\nwire [%u:0] d = r + %u * row;\n"
			"assign bank = d %% %u;\n",
			a, bit_length(a - 1) - 1, a, extra, b, a);
	} else if (sscanf(text, "pdisp:%u,%u", &a, &b) == 2) {
		g_string_append_printf(v, "assign row = b >> %u;\nassign bank = b + %u * row;\n", a, b);
	} else if (sscanf(text, "mersenne:%u", &a) == 1) {
		mersenne_body(v, a, c->address_bits);
	} else {
		return false;
	}
	return true;
}

static char *verilog_of(const bank_candidate *c)
{
	GString *v = g_string_new(NULL);
	uint64_t capacity = bankmap_capacity_blocks(c->map);
	uint64_t row = capacity ? bankmap_row(c->map, capacity - 1) : 0;

	g_string_append_printf(v, "module map(input [%u:0] b, output [%u:0] bank, output [%u:0] row);\n",
	                       c->address_bits - 1, bit_length(bankmap_banks_used(c->map) - 1) - 1,
	                       bit_length(row) - 1);
	if (!verilog_body(v, c)) {
		g_string_free(v, TRUE);
		return NULL;
	}
	g_string_append(v, "endmodule\n");
	return g_string_free(v, FALSE);
}

/* Of lines "  $_XOR_  12" after the last heading; false when there are cells without an area. */
static bool area_of(const char *report, double *nand2)
{
	g_auto(GStrv) lines = g_strsplit(report, "\n", -1);

	*nand2 = 0;
	for (char **line = lines; *line; line++) {
		char cell[64];
		unsigned count;
		bool known = false;

		if (sscanf(*line, " $_%60s %u", cell, &count) != 2)
			continue;
		for (size_t i = 0; i < G_N_ELEMENTS(areas); i++)
			if (!strcmp(areas[i].cell + 2, cell)) {
				*nand2 += areas[i].nand2 * count;
				known = true;
			}
		if (!known)
			return false;
	}
	return true;
}

static bool run_yosys(const char *folder, const char *verilog, double *nand2, GError **error)
{
	g_autofree char *source = g_build_filename(folder, "map.v", NULL);
	g_autofree char *report = g_build_filename(folder, "map.stat", NULL);
	g_autofree char *script = g_strdup_printf(
		"read_verilog %s; proc; techmap; opt -fast; abc -g NAND,NOR,AND,OR,XOR,XNOR,MUX; opt_clean; "
		"tee -o %s stat",
		source, report);
	char *arguments[] = {"yosys", "-q", "-p", script, NULL};
	g_autofree char *text = NULL;
	g_autofree char *complaint = NULL;
	GError *failure = NULL;
	bool ok = false;
	int status;

	if (g_file_set_contents(source, verilog, -1, &failure) &&
	    g_spawn_sync(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
	                 &complaint, &status, &failure) &&
	    g_spawn_check_wait_status(status, &failure) && g_file_get_contents(report, &text, NULL, &failure)) {
		ok = area_of(text, nand2);
		if (!ok)
			g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "yosys: a cell in its report has no area");
	} else {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "bank search: --yosys: %s%s%s", failure->message,
		            complaint && *complaint ? ": " : "", complaint ? g_strchomp(complaint) : "");
		g_clear_error(&failure);
	}
	g_remove(source);
	g_remove(report);
	return ok;
}

bool bank_yosys_measure(void *state, bank_candidate *candidate, GError **error)
{
	g_autofree char *verilog = verilog_of(candidate);
	g_autofree char *folder = NULL;
	GError *failure = NULL;
	double nand2;
	bool ok;

	(void)state;
	if (!verilog)
		return true;
	folder = g_dir_make_tmp("tspsim-yosys-XXXXXX", &failure);
	if (!folder) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "bank search: --yosys: %s", failure->message);
		g_error_free(failure);
		return false;
	}
	ok = run_yosys(folder, verilog, &nand2, error);
	g_rmdir(folder);
	if (!ok)
		return false;
	candidate->gates_nand2 = nand2;
	candidate->gates_class = nand2 > 0 ? BANKMAP_GATES_MEASURED : BANKMAP_GATES_WIRES;
	g_free(candidate->gates_note);
	candidate->gates_note = g_strdup("yosys");
	return true;
}
