/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of `tspsim bank eval` for people: one row a combination, units and denominators below; for a single
 * combination, or with --details, occupancy, entropies, access times and the first offending pair.
 */
#include <math.h>
#include <string.h>

#include "bank/metrics.h"
#include "tools/bank.h"
#include "tools/tool.h"

enum { BAR = 32, MOST_DEPTHS = 16 };

static char *percent(double fraction)
{
	return g_strdup_printf("%.1f", 100 * fraction);
}

static char *size_text(unsigned k)
{
	return k ? g_strdup_printf("%u", k) : g_strdup("line");
}

static void row_cells(bank_table *t, const bank_row *row)
{
	const bank_result *r = &row->result;

	bank_table_cell(t, g_strdup_printf("%s%s", row->pattern, row->merge ? " (merged)" : ""));
	bank_table_cell(t, g_strdup(bankmap_text(row->map)));
	bank_table_cell(t, g_strdup(bank_model_name(r->model)));
	bank_table_cell(t, size_text(row->k));
	bank_table_cell(t, percent(bank_request_conflict(r)));
	bank_table_cell(t, percent(bank_group_conflict(r)));
	bank_table_cell(t, percent(bank_excess(r)));
	bank_table_cell(t, g_strdup_printf("%.3f", bank_mean_delay(r)));
	bank_table_cell(t, g_strdup_printf("%s%" G_GUINT64_FORMAT, r->p99_exact ? "" : "~", r->p99_delay_cycles));
	bank_table_cell(t, g_strdup_printf("%" G_GUINT64_FORMAT, r->max_delay_cycles));
	bank_table_cell(t, g_strdup_printf("%.3f", r->slowdown));
	bank_table_cell(t, g_strdup_printf("%.3f", r->grants_per_cycle));
	bank_table_cell(t, g_strdup(r->saturated ? "yes" : "-"));
}

static const char legend[] =
	"req%: requests delayed / requests.  grp%: groups above their ideal beats / groups.  exc%: cycles beyond ideal "
	"/ "
	"cycles.\nmean, p99, max: delay of a request in cycles (p99 by nearest rank).  slow: cycles / ideal cycles.\n"
	"/cyc: requests served a cycle.  sat: some bank is offered a service time a cycle or more; in fifo its delays "
	"then grow\nwith the stream.\n";

static void append_rows(GString *out, const bank_evaluation *e)
{
	static const char *const names[] = {"pattern", "map", "model", "k",    "req%", "grp%", "exc%",
	                                    "mean",    "p99", "max",   "slow", "/cyc", "sat",  NULL};
	bank_table t = {.left = 3};

	bank_table_heads(&t, names);
	for (unsigned i = 0; i < e->rows->len; i++)
		row_cells(&t, g_ptr_array_index(e->rows, i));
	bank_table_end(&t, out);
	g_string_append(out, legend);
}

static void append_summaries(GString *out, const bank_evaluation *e)
{
	static const char *const names[] = {"pattern", "map",  "model", "k",    "sources", "req%", "grp%",
	                                    "exc%",    "mean", "slow",  "most", "worst",   NULL};
	g_autoptr(GArray) all = bank_summaries(e);
	bank_table t = {.left = 3, .last_is_text = true};

	bank_table_heads(&t, names);
	for (unsigned i = 0; i < all->len; i++) {
		const bank_summary *s = &g_array_index(all, bank_summary, i);

		bank_table_cell(&t, g_strdup(s->first->group_name));
		bank_table_cell(&t, g_strdup(bankmap_text(s->first->map)));
		bank_table_cell(&t, g_strdup(bank_model_name(s->first->result.model)));
		bank_table_cell(&t, size_text(s->first->k));
		bank_table_cell(&t, g_strdup_printf("%u", s->sources));
		bank_table_cell(&t, g_strdup_printf("%.2f", 100 * s->request_conflict));
		bank_table_cell(&t, g_strdup_printf("%.2f", 100 * s->group_conflict));
		bank_table_cell(&t, g_strdup_printf("%.2f", 100 * s->excess));
		bank_table_cell(&t, g_strdup_printf("%.3f", s->mean_delay));
		bank_table_cell(&t, g_strdup_printf("%.3f", s->slowdown));
		bank_table_cell(&t, percent(bank_request_conflict(&s->worst->result)));
		bank_table_cell(&t, g_strdup(s->worst->pattern));
	}
	bank_table_end(&t, out);
	g_string_append(out, "Means over the sources of a pattern, each alike; most, worst: the highest req% and its "
	                     "source.\nreq%: requests delayed / requests.  grp%: groups above their ideal beats / "
	                     "groups.  exc%: cycles beyond ideal / cycles.\nmean: delay of a request in cycles.  slow: "
	                     "cycles / ideal cycles.\n");
}

static void append_saturated(GString *out, const bank_result *r)
{
	unsigned count = 0;

	for (unsigned b = 0; b < r->banks; b++) {
		if (!bank_is_saturated(r, b))
			continue;
		if (count < MOST_DEPTHS)
			g_string_append_printf(out, "%s%u", count ? ", " : "  saturated banks: ", b);
		count++;
	}
	if (count > MOST_DEPTHS)
		g_string_append_printf(out, ", ... (%u in all)", count);
	if (count)
		g_string_append(out, "\n");
}

static void append_occupancy(GString *out, const bank_result *r)
{
	bank_occupancy o;

	bank_occupancy_of(r, &o);
	g_string_append_printf(
		out,
		"  requests by bank: max/mean %.3f, min/mean %.3f, %u of %u bank%s empty (%u more are not "
		"in the map), Gini %.3f\n",
		o.max_over_mean, o.min_over_mean, o.empty, r->banks_used, tsp_s(r->banks_used), o.unused, o.gini);
	g_string_append_printf(
		out, "  entropy of banks: %.3f of %.3f bits; chi-square %.1f with %u degree%s of freedom\n",
		o.entropy_bits, o.entropy_limit, o.chi_square, o.chi_square_freedom, tsp_s(o.chi_square_freedom));
	if (r->windows)
		g_string_append_printf(out, "  in %" G_GUINT64_FORMAT " window%s: mean %.3f, least %.3f of %.3f bits\n",
		                       r->windows, tsp_s(r->windows), r->window_entropy_mean, r->window_entropy_min,
		                       r->window_entropy_limit);
	append_saturated(out, r);
}

/* With one port, DELAY / busy (rounded up) requests were ahead of a request in its bank's queue. */
static void append_depths(GString *out, const bank_result *r)
{
	size_t most = MIN(r->delays_count, MOST_DEPTHS);
	uint64_t rest = r->requests;

	g_string_append(out, "  delay of requests, cycles: share\n");
	for (size_t d = 0; d < most; d++) {
		double share = r->requests ? (double)r->delays[d] / (double)r->requests : 0;

		rest -= r->delays[d];
		if (r->delays[d])
			g_string_append_printf(out, "    %6zu  %6.2f %%  %.*s\n", d, 100 * share,
			                       (int)ceil(share * BAR), "################################");
	}
	if (rest)
		g_string_append_printf(out, "    longer  %6.2f %%\n", 100 * (double)rest / (double)r->requests);
}

static void append_access_time(GString *out, const bank_evaluation *e, const bank_result *r)
{
	bank_access_time t;
	double t_lat = e->latency > 0 ? e->latency : r->busy_cycles;
	double t_base = e->t_base > 0 ? e->t_base : t_lat;

	bank_access_time_of(r, t_lat, t_base, &t);
	g_string_append_printf(out, "  mean access time, cycles: measured %.3f\n", t.measured);
	g_string_append_printf(out, "    T_lat + t_b E[W]       %10.3f  %+.3f  (T_lat %.4g)\n", t.replacement,
	                       t.replacement - t.measured, t_lat);
	g_string_append_printf(out,
	                       "    T_base (1 + c (q - 1)) %10.3f  %+.3f  q %.3f, mean number in a bank (T_base %.4g, "
	                       "c %.4f)\n",
	                       t.textbook_mean, t.textbook_mean - t.measured, t.q_mean, t_base,
	                       bank_request_conflict(r));
	g_string_append_printf(out, "                           %10.3f  %+.3f  q %.0f, longest queue\n", t.textbook_max,
	                       t.textbook_max - t.measured, t.q_max);
	g_string_append_printf(out, "                           %10.3f  %+.3f  q %.3f, 1 + E[W given W > 0] / t_b\n",
	                       t.textbook_waiting, t.textbook_waiting - t.measured, t.q_waiting);
}

static void append_bits(GString *out, const bank_bits *bits)
{
	unsigned used = bank_bits_used(bits);

	g_string_append_printf(out, "  entropy of block number bits (mean in windows of %u):", bits->window_accesses);
	for (unsigned b = 0; b < used; b++)
		g_string_append_printf(out, "%s%u: %.2f (%.2f)", b % 6 ? "  " : "\n    ", b, bank_bits_entropy(bits, b),
		                       bank_bits_window_entropy(bits, b));
	g_string_append(out, "\n");
}

static void append_details(GString *out, const bank_evaluation *e, const bank_row *row)
{
	const bank_result *r = &row->result;
	g_autofree char *reason = bank_first_reason(r, row->map);
	g_autofree char *size = size_text(row->k);
	uint64_t capacity = bankmap_capacity_blocks(row->map);

	g_string_append_printf(out, "\n%s, %s, %s, k %s\n", row->pattern, bankmap_text(row->map),
	                       bank_model_name(r->model), size);
	g_string_append_printf(out,
	                       "  %" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT " request%s%s in %" G_GUINT64_FORMAT
	                       " group%s; %" G_GUINT64_FORMAT " cycle%s, ideal %" G_GUINT64_FORMAT "\n",
	                       r->accesses, tsp_noun(r->accesses, "access", "accesses"), r->requests,
	                       tsp_s(r->requests), row->merge ? " after merging" : "", r->groups, tsp_s(r->groups),
	                       r->cycles, tsp_s(r->cycles), r->ideal_cycles);
	if (r->kind_requests[1])
		g_string_append_printf(out,
		                       "  reads %" G_GUINT64_FORMAT ", delayed %" G_GUINT64_FORMAT
		                       "; writes %" G_GUINT64_FORMAT ", delayed %" G_GUINT64_FORMAT "\n",
		                       r->kind_requests[0], r->kind_delayed[0], r->kind_requests[1],
		                       r->kind_delayed[1]);
	g_string_append_printf(out, "  first conflict: %s\n", reason ? reason : "none");
	if (row->who[0] && row->who[1])
		g_string_append_printf(out, "    of %s, behind %s\n", row->who[1], row->who[0]);
	append_occupancy(out, r);
	append_access_time(out, e, r);
	if (r->delayed)
		append_depths(out, r);
	if (row->bits)
		append_bits(out, row->bits);
	if (row->highest_block >= capacity && r->accesses)
		g_string_append_printf(out,
		                       "  note: block %" G_GUINT64_FORMAT
		                       " is beyond the map's capacity of %" G_GUINT64_FORMAT " block%s\n",
		                       row->highest_block, capacity, tsp_s(capacity));
	if (r->lookahead_limited)
		g_string_append(out, "  note: streams that were too far ahead waited for the slowest\n");
}

char *bank_report_text(const bank_evaluation *e)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "%u bank%s of %" G_GUINT64_FORMAT " row%s, %u port%s, %u cycle%s a request",
	                       e->banks, tsp_s(e->banks), e->rows_per_bank, tsp_s(e->rows_per_bank), e->options.ports,
	                       e->options.ports == 1 ? "" : "s", e->options.busy_cycles,
	                       e->options.busy_cycles == 1 ? "" : "s");
	if (e->options.separate)
		g_string_append(out, ", ports for reads and for writes");
	if (e->options.groups)
		g_string_append_printf(out, ", %u bank group%s", e->options.groups, tsp_s(e->options.groups));
	g_string_append(out, "\n");
	if (bank_setting.matrix)
		bank_matrix_text(out, e);
	else if (bank_setting.summary)
		append_summaries(out, e);
	else
		append_rows(out, e);
	for (unsigned i = 0; i < e->rows->len && !bank_setting.summary && !bank_setting.matrix; i++)
		if (bank_setting.details || e->rows->len == 1)
			append_details(out, e, g_ptr_array_index(e->rows, i));
	return g_string_free(out, FALSE);
}
