/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank --matrix FIGURE: one figure of every combination, maps side by side: a row for each source, model and k,
 * a column for each map.  With --summary a row is the mean over the sources of a pattern.
 */
#include <string.h>

#include "bank/metrics.h"
#include "tools/bank.h"
#include "tools/tool.h"

static double p99_delay(const bank_result *r)
{
	return (double)r->p99_delay_cycles;
}

static double max_delay(const bank_result *r)
{
	return (double)r->max_delay_cycles;
}

static double slowdown(const bank_result *r)
{
	return r->slowdown;
}

static double grants(const bank_result *r)
{
	return r->grants_per_cycle;
}

enum { NO_MEAN = -1 };

/* Figures by the names of their columns in the long table; where summaries have the mean of one. */
static const struct figure {
	const char *name, *legend;
	double (*of)(const bank_result *r);
	double factor;
	int digits;
	glong mean; /* offset into bank_summary, or NO_MEAN */
} figures[] = {
	{"req", "requests delayed / requests, in %", bank_request_conflict, 100, 1,
         G_STRUCT_OFFSET(bank_summary, request_conflict)},
	{"grp", "groups above their ideal beats / groups, in %", bank_group_conflict, 100, 1,
         G_STRUCT_OFFSET(bank_summary, group_conflict)},
	{"exc", "cycles beyond ideal / cycles, in %", bank_excess, 100, 1, G_STRUCT_OFFSET(bank_summary, excess)},
	{"mean", "mean delay of a request in cycles", bank_mean_delay, 1, 3, G_STRUCT_OFFSET(bank_summary, mean_delay)},
	{"p99", "delay of requests in cycles, 99th percentile by nearest rank", p99_delay, 1, 0, NO_MEAN},
	{"max", "largest delay of a request in cycles", max_delay, 1, 0, NO_MEAN},
	{"slow", "cycles / ideal cycles", slowdown, 1, 2, G_STRUCT_OFFSET(bank_summary, slowdown)},
	{"cyc", "requests served a cycle", grants, 1, 2, NO_MEAN},
};

static const struct figure *figure_of(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}

bool bank_matrix_check(GError **error)
{
	const char *names[G_N_ELEMENTS(figures) + 1] = {NULL};
	const struct figure *figure;

	if (!bank_setting.matrix)
		return true;
	figure = figure_of(bank_setting.matrix);
	if (figure && bank_setting.summary && figure->mean == NO_MEAN) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "--matrix %s: --summary has no mean of it; expected req, "
		            "grp, exc, mean or slow",
		            figure->name);
		return false;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++)
		names[i] = figures[i].name;
	if (!figure)
		tool_unknown(error, "figure", bank_setting.matrix, names);
	return figure != NULL;
}

static void add_row_head(bank_table *t, const char *pattern, const bank_row *row)
{
	bank_table_cell(t, g_strdup_printf("%s%s", pattern, row->merge ? " (merged)" : ""));
	bank_table_cell(t, g_strdup(bank_model_name(row->result.model)));
	bank_table_cell(t, row->k ? g_strdup_printf("%u", row->k) : g_strdup("line"));
}

static void add_value(bank_table *t, const struct figure *figure, double value)
{
	bank_table_cell(t, g_strdup_printf("%.*f", figure->digits, figure->factor * value));
}

void bank_matrix_text(GString *out, const bank_evaluation *e)
{
	const struct figure *figure = figure_of(bank_setting.matrix);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	bank_table t = {.left = 2};
	unsigned maps = e->maps->len;

	g_ptr_array_add(names, "pattern");
	g_ptr_array_add(names, "model");
	g_ptr_array_add(names, "k");
	for (unsigned m = 0; m < maps; m++)
		g_ptr_array_add(names, (gpointer)bankmap_text(g_ptr_array_index(e->maps, m)));
	g_ptr_array_add(names, NULL);
	bank_table_heads(&t, (const char *const *)names->pdata);
	if (bank_setting.summary) {
		g_autoptr(GArray) all = bank_summaries(e);

		for (unsigned i = 0; i < all->len; i++) {
			const bank_summary *s = &g_array_index(all, bank_summary, i);

			if (i % maps == 0)
				add_row_head(&t, s->first->group_name, s->first);
			add_value(&t, figure, G_STRUCT_MEMBER(double, s, figure->mean));
		}
	} else {
		for (unsigned i = 0; i < e->rows->len; i++) {
			const bank_row *row = g_ptr_array_index(e->rows, i);

			if (i % maps == 0)
				add_row_head(&t, row->pattern, row);
			add_value(&t, figure, figure->of(&row->result));
		}
	}
	bank_table_end(&t, out);
	g_string_append_printf(out, "%s: %s%s\n", figure->name, figure->legend,
	                       bank_setting.summary ? "; means over the sources of a pattern, each alike" : "");
}
