/* SPDX-License-Identifier: Apache-2.0
 *
 * How the scheduler is to search, as the command line says it, and what its reports say.
 */
#include "tools/method.h"

#include <string.h>

#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/tool.h"

bool method_read(const method_words *words, method_request *request, GError **error)
{
	const char *names[4] = {NULL};
	bool known = !words->method;

	for (unsigned i = 0; sched_methods[i].name; i++) {
		names[i] = sched_methods[i].name;
		known |= words->method && strcmp(words->method, names[i]) == 0;
	}
	if (!known) {
		tool_unknown(error, "method", words->method, names);
		return false;
	}
	if (words->method && strcmp(words->method, "list") != 0 && options_given("schedules") &&
	    words->schedules < SCHED_PROGRAM_SCHEDULES) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "--schedules %" G_GINT64_FORMAT
		            ": the list's program alone counts %d; %d more for each other "
		            "program to try",
		            words->schedules, SCHED_PROGRAM_SCHEDULES, SCHED_PROGRAM_SCHEDULES);
		return false;
	}
	*request = (method_request){
		.method = words->method,
		.schedules = (uint64_t)words->schedules,
		.time_s = words->time_s,
		.threads = words->jobs ? (unsigned)words->jobs : g_get_num_processors(),
		.uniform = words->uniform,
		.patterns = !words->no_patterns,
	};
	return true;
}

uint64_t method_holds(const method_request *request)
{
	return request->method && strcmp(request->method, "list") != 0 ? NEED_SEARCHED : 0;
}

static gint64 begin_us, end_us;
static gint first_ms; /* until the first question */

/* The first question comes when one program has been emitted; as much time is kept for the last one. */
static bool stop(void *state)
{
	gint64 now = g_get_monotonic_time();

	(void)state;
	g_atomic_int_compare_and_exchange(&first_ms, 0, (gint)MIN((now - begin_us) / 1000 + 1, G_MAXINT));
	return interrupt_happened() || (end_us && now + 1000 * (gint64)g_atomic_int_get(&first_ms) >= end_us);
}

void method_begin(const method_request *request, sched_options *options)
{
	options->method = request->method;
	options->schedules = request->schedules;
	options->threads = MAX(request->threads, 1);
	options->uniform = request->uniform;
	options->patterns = request->patterns;
	options->report = request->report;
	begin_us = g_get_monotonic_time();
	end_us = request->time_s > 0 ? begin_us + (gint64)MIN(request->time_s * 1e6, 1e18) : 0;
	if (!request->method || strcmp(request->method, "list") == 0)
		return;
	options->stop = stop;
	interrupt_defer(true);
}

void method_end(void)
{
	interrupt_defer(false);
}

bool method_interrupted(void)
{
	return interrupt_happened();
}

/* ------------------------------------------------------------------------------------------------------- reports */

static double gap_of(int64_t cycles, int64_t bound)
{
	return bound > 0 ? (double)cycles / (double)bound - 1 : 0;
}

static const char *binding(const sched_found *f)
{
	const char *by = "nothing";
	int64_t most = -1;

	for (guint i = 0; i < f->bounds->len; i++) {
		const sched_bound *b = &g_array_index(f->bounds, sched_bound, i);

		if (b->cycles > most) {
			most = b->cycles;
			by = b->by;
		}
	}
	return by;
}

static void add_bounds(GString *out, const sched_found *f)
{
	for (guint i = 0; i < f->bounds->len; i++) {
		const sched_bound *b = &g_array_index(f->bounds, sched_bound, i);
		g_autofree char *cycles = tool_count((uint64_t)b->cycles);

		tool_line(out, i ? "" : "bounds", "%s: %s cycles", b->by, cycles);
	}
}

static void add_model(GString *out, const sched_found *f)
{
	g_autofree char *cycles = tool_count((uint64_t)f->model_cycles), *bound = tool_count((uint64_t)f->model_bound);

	if (f->status == ALG_OPTIMAL)
		tool_line(out, "model", "solved: its optimum is %s cycles (%s)", cycles, f->model_bound_by);
	else if (f->status == ALG_FEASIBLE)
		tool_line(out, "model", "%s cycles found, at least %s of the model, not of programs (%s)", cycles,
		          bound, f->model_bound_by);
}

static void add_moves(GString *out, const sched_found *f)
{
	const char *label = "moves";

	for (guint i = 0; i < f->moves->len; i++) {
		const alg_move_count *m = &g_array_index(f->moves, alg_move_count, i);

		if (!m->tried)
			continue;
		tool_line(out, label,
		          "%s: tried %" G_GUINT64_FORMAT ", accepted %" G_GUINT64_FORMAT ", shorter %" G_GUINT64_FORMAT,
		          m->name, m->tried, m->accepted, m->improved);
		label = "";
	}
}

static void add_found(GString *out, const sched_search *s, const sched_found *f, bool full)
{
	g_autofree char *list = tool_count((uint64_t)f->list_cycles), *cycles = tool_count((uint64_t)f->cycles);
	g_autofree char *bound = tool_count((uint64_t)f->bound_cycles), *built = tool_count(f->schedules);
	g_autofree char *gap = tool_percent(gap_of(f->cycles, f->bound_cycles));
	g_autofree char *text = sched_sheet_text(f->sheet, true);

	if (s->found->len > 1)
		tool_line(out, "graph", "%s", f->graph);
	tool_line(out, "method",
	          "%s: %s cycles, list %s, bound %s (%s), gap %s; %s schedule%s, %" G_GUINT64_FORMAT " program%s%s",
	          s->method, cycles, list, bound, binding(f), gap, built, tsp_s(f->schedules), f->programs,
	          tsp_s(f->programs), f->capped ? interrupt_ending(true) : "");
	if (f->patterns) {
		g_autofree char *with = tool_count((uint64_t)MAX(f->pattern_cycles, 0));

		if (f->pattern_cycles < 0)
			tool_line(out, "patterns", "%s: the stored schedule does not fit here", f->patterns);
		else
			tool_line(out, "patterns", "%s: %s cycles with the stored schedule, %s without", f->patterns,
			          with, list);
	}
	if (!full)
		return;
	if (f->recognised && !f->patterns)
		tool_line(out, "patterns", "%s", f->recognised);
	add_bounds(out, f);
	add_model(out, f);
	add_moves(out, f);
	tool_line(out, "decided", "%s", *text ? text : "as the back end does by itself");
}

void method_text(GString *out, const sched_search *search, bool full)
{
	enum { MOST_GRAPHS = 8 };

	if (!search)
		return;
	for (guint i = 0; i < search->found->len && (full || i < MOST_GRAPHS); i++)
		add_found(out, search, g_ptr_array_index(search->found, i), full);
}

static void found_json(json *j, const sched_found *f)
{
	g_autofree char *text = sched_sheet_text(f->sheet, true);

	json_object(j, NULL);
	json_string(j, "graph", f->graph);
	json_int(j, "list_cycles", f->list_cycles);
	json_int(j, "annealed_cycles", f->annealed_cycles);
	json_int(j, "cycles", f->cycles);
	json_int(j, "lower_bound", f->bound_cycles);
	json_string(j, "binds", binding(f));
	json_real(j, "gap", gap_of(f->cycles, f->bound_cycles));
	json_array(j, "bounds");
	for (guint i = 0; i < f->bounds->len; i++) {
		const sched_bound *b = &g_array_index(f->bounds, sched_bound, i);

		json_object(j, NULL);
		json_string(j, "by", b->by);
		json_int(j, "cycles", b->cycles);
		json_end(j);
	}
	json_end(j);
	json_string(j, "model_status", alg_status_names[f->status]);
	json_int(j, "model_cycles", f->model_cycles);
	json_int(j, "model_lower_bound", f->model_bound);
	json_uint(j, "schedules", f->schedules);
	json_uint(j, "programs", f->programs);
	json_uint(j, "conflicts", f->conflicts);
	json_bool(j, "capped", f->capped);
	json_string(j, "recognised", f->recognised);
	json_string(j, "patterns", f->patterns);
	if (f->pattern_cycles >= 0)
		json_int(j, "pattern_cycles", f->pattern_cycles);
	else
		json_null(j, "pattern_cycles");
	json_string(j, "decisions", text);
	json_array(j, "moves");
	for (guint i = 0; i < f->moves->len; i++) {
		const alg_move_count *m = &g_array_index(f->moves, alg_move_count, i);

		json_object(j, NULL);
		json_string(j, "move", m->name);
		json_uint(j, "tried", m->tried);
		json_uint(j, "accepted", m->accepted);
		json_uint(j, "improved", m->improved);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void method_json(json *j, const sched_search *search)
{
	json_string(j, "method", search ? search->method : "list");
	if (!search)
		return;
	json_uint(j, "schedules", search->schedules);
	json_uint(j, "seed", search->seed);
	json_bool(j, "uniform", search->uniform);
	json_bool(j, "capped", search->capped);
	json_array(j, "searches");
	for (guint i = 0; i < search->found->len; i++)
		found_json(j, g_ptr_array_index(search->found, i));
	json_end(j);
}

void method_manifest(const char *method, const sched_search *search,
                     void (*write)(void *state, const char *key, const char *value), void *state)
{
	g_autofree char *schedules = NULL;

	if (!method)
		return;
	write(state, "method", search ? search->method : method);
	schedules = g_strdup_printf("%" G_GUINT64_FORMAT, search ? search->schedules : 1);
	write(state, "schedules", schedules);
	write(state, "uniform", search && search->uniform ? "yes" : "no");
	write(state, "sched_capped", search && search->capped ? "yes" : "no");
}
