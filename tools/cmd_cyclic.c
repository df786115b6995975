/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim cyclic FILE: a modulo schedule of a loop body at the least initiation interval.
 */
#include <string.h>

#include "isa/file.h"
#include "sched/alg/cyclic.h"
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/tool.h"

static gint64 placements = 2000000;
static gint64 conflicts = 200000;
static gint64 limit;
static gint64 seed = 1;
static double time_cap;

static const GOptionEntry options[] = {
	{"placements", 0, 0, G_OPTION_ARG_INT64, &placements,
         "place operations N times at most, over all intervals and orders (2000000)", "N"},
	{"conflicts", 0, 0, G_OPTION_ARG_INT64, &conflicts,
         "prove with N conflicts of the exact part at most (200000); 0: without it", "N"},
	{"limit", 0, 0, G_OPTION_ARG_INT64, &limit, "try no interval above N (default: the sequential body's)", "N"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of the orders tried after the first (1)", "N"},
	{"time", 0, 0, G_OPTION_ARG_DOUBLE, &time_cap, "end the search after S seconds, whatever the budgets leave",
         "S"},
	{0},
};

static gint64 started;
static bool timed_out;

static bool stop(void *state)
{
	(void)state;
	if (time_cap > 0 && (double)(g_get_monotonic_time() - started) / 1e6 >= time_cap)
		timed_out = true;
	return timed_out || interrupt_happened();
}

/* "7/2", or "3". */
static char *rate_text(cyclic_rate r)
{
	return r.distance == 1 ? g_strdup_printf("%" G_GINT64_FORMAT, r.time)
	                       : g_strdup_printf("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, r.time, r.distance);
}

static void put_schedule(json *j, const cyclic_problem *p, const cyclic_result *r)
{
	json_array(j, "schedule");
	for (uint32_t v = 0; r->start && v < p->ops->len; v++) {
		json_object(j, NULL);
		json_string(j, "op", cyclic_op_at(p, v)->name);
		json_int(j, "start", r->start[v]);
		json_int(j, "row", r->start[v] % r->ii);
		json_int(j, "stage", r->start[v] / r->ii);
		json_uint(j, "mode", r->mode[v]);
		json_end(j);
	}
	json_end(j);
}

static char *answer_json(const cyclic_problem *p, const cyclic_result *r, double seconds)
{
	json *j = json_new();
	g_autofree char *exact = r->bounds.ratio.distance ? rate_text(r->bounds.ratio) : NULL;

	json_object(j, NULL);
	json_string(j, "status", cyclic_status_names[r->status]);
	json_uint(j, "operations", p->ops->len);
	if (r->ii)
		json_int(j, "ii", r->ii);
	else
		json_null(j, "ii");
	json_int(j, "bound_resource", r->bounds.resource);
	json_int(j, "bound_recurrence", r->bounds.recurrence);
	json_string(j, "recurrence_exact", exact);
	json_int(j, "lower_bound", r->lower_bound);
	json_bool(j, "proved", r->status == CYCLIC_OPTIMAL || r->status == CYCLIC_INFEASIBLE);
	json_string(j, "resource", r->bounds.resource_why);
	json_array(j, "recurrence");
	for (guint i = 0; i < r->bounds.cycle->len; i++)
		json_string(
			j, NULL,
			cyclic_op_at(p, cyclic_edge_at(p, g_array_index(r->bounds.cycle, uint32_t, i))->from)->name);
	json_end(j);
	json_uint(j, "stages", r->stages);
	json_bool(j, "stages_proved", r->stages_proved);
	json_uint(j, "max_live", r->max_live);
	json_uint(j, "live_bound", r->live_bound);
	json_string(j, "by", r->found_by);
	json_uint(j, "placements", r->placements);
	json_uint(j, "conflicts", r->conflicts);
	json_bool(j, "valid", r->valid);
	json_bool(j, "capped", r->capped);
	json_bool(j, "interrupted", interrupt_happened());
	json_real(j, "seconds", seconds);
	put_schedule(j, p, r);
	json_end(j);
	return json_finish(j);
}

static void add_why_not(GString *out, const cyclic_problem *p, const cyclic_result *r)
{
	if (r->bounds.impossible != UINT32_MAX)
		g_string_append_printf(out, "impossible   '%s' alone asks for more than there is\n",
		                       cyclic_op_at(p, r->bounds.impossible)->name);
	else if (!r->bounds.ratio.distance)
		g_string_append(out, "impossible   operations of one iteration wait for each other\n");
	else if (!r->ii)
		g_string_append_printf(out, "not found    the interval is at least %" G_GINT64_FORMAT "%s\n",
		                       r->lower_bound, limit && limit < r->lower_bound ? ", above --limit" : "");
}

/* One row of the kernel: the operations that start in it, with their stages. */
static void add_row(GString *out, const cyclic_problem *p, const cyclic_result *r, int64_t row)
{
	g_string_append_printf(out, "%10" G_GINT64_FORMAT "  ", row);
	for (uint32_t v = 0; v < p->ops->len; v++) {
		if (r->start[v] % r->ii != row)
			continue;
		g_string_append_printf(out, " %s", cyclic_op_at(p, v)->name);
		if (cyclic_op_at(p, v)->modes > 1)
			g_string_append_printf(out, "/%u", r->mode[v]);
		if (r->start[v] >= r->ii)
			g_string_append_printf(out, "[%" G_GINT64_FORMAT "]", r->start[v] / r->ii);
	}
	g_string_append_c(out, '\n');
}

static char *answer_text(const cyclic_problem *p, const cyclic_result *r)
{
	GString *out = g_string_new(NULL);
	g_autofree char *exact = rate_text(r->bounds.ratio);

	g_string_append_printf(out, "loop         %u operation%s, %u dependence%s, %u resource%s\nstatus       %s%s\n",
	                       p->ops->len, tsp_s(p->ops->len), p->edges->len, tsp_s(p->edges->len), p->resources->len,
	                       tsp_s(p->resources->len), cyclic_status_names[r->status], interrupt_ending(r->capped));
	if (r->ii)
		g_string_append_printf(
			out, "interval     %" G_GINT64_FORMAT " cycle%s, found by %s; at least %" G_GINT64_FORMAT "\n",
			r->ii, tsp_s((uint64_t)r->ii), r->found_by, r->lower_bound);
	if (r->bounds.impossible == UINT32_MAX)
		g_string_append_printf(out, "resources    at least %" G_GINT64_FORMAT "%s%s\n", r->bounds.resource,
		                       r->bounds.resource_why ? ", for " : "",
		                       r->bounds.resource_why ? r->bounds.resource_why : "");
	if (r->bounds.recurrence)
		g_string_append_printf(out, "recurrences  at least %" G_GINT64_FORMAT " (exactly %s), for",
		                       r->bounds.recurrence, exact);
	else if (r->bounds.ratio.distance)
		g_string_append(out, "recurrences  none");
	else
		g_string_append(out, "recurrences  no interval will do:");
	for (guint i = 0; i < r->bounds.cycle->len; i++)
		g_string_append_printf(
			out, " %s",
			cyclic_op_at(p, cyclic_edge_at(p, g_array_index(r->bounds.cycle, uint32_t, i))->from)->name);
	g_string_append_c(out, '\n');
	add_why_not(out, p, r);
	if (!r->ii)
		return g_string_free(out, FALSE);
	g_string_append_printf(out,
	                       "stages       %u%s\nvalues       %" G_GUINT64_FORMAT
	                       " kept at a time, at least %" G_GUINT64_FORMAT
	                       "\nkernel       cycle: operations [stage]\n",
	                       r->stages, r->stages_proved ? ", the fewest" : "", r->max_live, r->live_bound);
	for (int64_t row = 0; row < r->ii && row < 64; row++)
		add_row(out, p, r, row);
	return g_string_free(out, FALSE);
}

static int solve(const cyclic_problem *p, GError **error)
{
	cyclic_options how;
	cyclic_result r;
	g_autofree char *text = NULL;
	int status = TOOL_USER_ERROR;

	cyclic_options_init(&how);
	how.placements = (uint64_t)placements;
	how.conflicts = (uint64_t)conflicts;
	how.seed = (uint64_t)seed;
	how.limit = limit;
	how.stop = stop;
	interrupt_defer(true);
	started = g_get_monotonic_time();
	cyclic_solve(p, &how, &r);
	interrupt_defer(false);
	text = tool_json ? answer_json(p, &r, (double)(g_get_monotonic_time() - started) / 1e6) : answer_text(p, &r);
	if ((tool_quiet && !tool_json) || tool_print(text, error))
		status = interrupt_happened() ? TOOL_INTERRUPTED : r.ii ? TOOL_OK : TOOL_FOUND;
	if (r.ii && !r.valid) {
		g_clear_error(error);
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "the check refuses this schedule");
		status = TOOL_INTERNAL;
	}
	cyclic_result_fini(&r);
	return status;
}

static int run_cyclic(int argc, char **argv, GError **error)
{
	g_autofree char *text = NULL;
	cyclic_problem *p;
	int status = TOOL_USER_ERROR;

	(void)argc;
	if (!(text = tsp_file_read(tool_input(argv[0]), NULL, error)))
		return status;
	p = cyclic_read(text, argv[0], error);
	if (p)
		status = solve(p, error);
	cyclic_problem_free(p);
	return status;
}

const tool_command cmd_cyclic = {
	.name = "cyclic",
	.synopsis = "FILE [OPTION...]",
	.doc = "Schedule a loop body at the least initiation interval (modulo scheduling).",
	.details = "FILE holds lines 'resource NAME CAPACITY', 'op NAME USE... | USE...', 'value FROM TO LATENCY "
		   "DISTANCE'\n"
		   "and 'order FROM TO LATENCY DISTANCE'; a USE is RESOURCE*AMOUNT@OFFSET:LENGTH.  Exit status 2: no "
		   "schedule.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_cyclic,
};
