/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim color FILE: registers for the live ranges of an interference graph.
 */
#include "isa/file.h"
#include "sched/alg/color.h"
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/tool.h"

static gint64 registers;
static gint64 moves = 1000000;
static gint64 seed = 1;
static double time_cap;

static const GOptionEntry options[] = {
	{"registers", 'k', 0, G_OPTION_ARG_INT64, &registers, "there are K registers (default: as few as can be found)",
         "K"},
	{"moves", 0, 0, G_OPTION_ARG_INT64, &moves, "repair what spills with N moves of a search at most (1000000)",
         "N"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of the search (1)", "N"},
	{"time", 0, 0, G_OPTION_ARG_DOUBLE, &time_cap, "end the search after S seconds, whatever moves are left", "S"},
	{0},
};

static gint64 started;
static bool capped;

static bool stop(void *state)
{
	(void)state;
	if (time_cap > 0 && (double)(g_get_monotonic_time() - started) / 1e6 >= time_cap)
		capped = true;
	return capped || interrupt_happened();
}

typedef struct answer {
	const color_graph *g;
	color_result r;
	uint32_t registers;
	uint32_t clique, degeneracy;
	bool valid;
	double seconds;
} answer;

static const char *status_of(const answer *a)
{
	if (a->r.spills)
		return a->clique > a->registers ? "infeasible" : "spilled";
	return a->r.colors == a->clique ? "optimal" : "colored";
}

static char *answer_json(const answer *a)
{
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "status", status_of(a));
	json_uint(j, "registers", a->registers);
	json_uint(j, "colors", a->r.colors);
	json_uint(j, "spills", a->r.spills);
	json_real(j, "spill_cost", a->r.spill_cost);
	json_uint(j, "coalesced", a->r.coalesced);
	json_uint(j, "affinities", a->g->affinities->len);
	json_real(j, "copy_cost", a->r.copy_cost);
	json_uint(j, "lower_bound", a->clique);
	json_uint(j, "degeneracy_bound", a->degeneracy);
	json_string(j, "by", a->r.by);
	json_uint(j, "moves", a->r.moves);
	json_uint(j, "nodes", a->g->nodes);
	json_uint(j, "edges", a->g->edges);
	json_bool(j, "valid", a->valid);
	json_bool(j, "capped", capped);
	json_bool(j, "interrupted", interrupt_happened());
	json_real(j, "seconds", a->seconds);
	json_array(j, "assignment");
	for (uint32_t i = 0; i < a->g->nodes; i++)
		if (a->r.color[i] == COLOR_NONE)
			json_null(j, NULL);
		else
			json_uint(j, NULL, a->r.color[i]);
	json_end(j);
	json_end(j);
	return json_finish(j);
}

static char *answer_text(const answer *a)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "graph        %u live range%s, %" G_GUINT64_FORMAT " interference%s, %u %s\n",
	                       a->g->nodes, tsp_s(a->g->nodes), a->g->edges, tsp_s(a->g->edges), a->g->affinities->len,
	                       tsp_noun(a->g->affinities->len, "copy", "copies"));
	g_string_append_printf(out, "registers    %u of %u in use, found by %s%s\n", a->r.colors, a->registers, a->r.by,
	                       interrupt_ending(capped));
	g_string_append_printf(out, "bounds       at least %u (a clique), %u always suffice (degeneracy)\n", a->clique,
	                       a->degeneracy);
	if (a->r.spills)
		g_string_append_printf(out, "spilled      %u range%s, cost %g\n", a->r.spills, tsp_s(a->r.spills),
		                       a->r.spill_cost);
	else
		g_string_append(out, "spilled      none\n");
	if (a->g->affinities->len)
		g_string_append_printf(out, "copies       %u of %u coalesced, cost %g left\n", a->r.coalesced,
		                       a->g->affinities->len, a->r.copy_cost);
	return g_string_free(out, FALSE);
}

static int solve(const color_graph *g, GError **error)
{
	color_options how = {
		.registers = (uint32_t)registers, .seed = (uint64_t)seed, .moves = (uint64_t)moves, .stop = stop};
	answer a = {.g = g, .clique = color_clique_bound(g), .degeneracy = color_degeneracy_bound(g)};
	g_autofree char *text = NULL;
	int status = TOOL_USER_ERROR;

	started = g_get_monotonic_time();
	interrupt_defer(true);
	if (!options_given("registers"))
		color_minimise(g, &how, &a.r);
	else
		color_solve(g, &how, &a.r);
	a.registers = options_given("registers") ? how.registers : a.r.colors;
	a.valid = color_check(g, &a.r, a.registers);
	a.seconds = (double)(g_get_monotonic_time() - started) / 1e6;
	text = tool_json ? answer_json(&a) : answer_text(&a);
	if ((tool_quiet && !tool_json) || tool_print(text, error))
		status = interrupt_happened() ? TOOL_INTERRUPTED : a.r.spills ? TOOL_FOUND : TOOL_OK;
	interrupt_defer(false);
	if (!a.valid) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "the check refuses this colouring");
		status = TOOL_INTERNAL;
	}
	color_result_fini(&a.r);
	return status;
}

static int run_color(int argc, char **argv, GError **error)
{
	g_autofree char *text = NULL;
	color_graph *g;
	int status = TOOL_USER_ERROR;

	(void)argc;
	if (!(text = tsp_file_read(tool_input(argv[0]), NULL, error)))
		return status;
	g = color_read(text, argv[0], error);
	if (g)
		status = solve(g, error);
	color_graph_free(g);
	return status;
}

const tool_command cmd_color = {
	.name = "color",
	.synopsis = "FILE.col [-k K] [OPTION...]",
	.doc = "Allocate registers by colouring an interference graph.",
	.details = "FILE is a DIMACS graph; 'n NODE COST' and 'a A B WEIGHT' give costs of spilling and copies.  Exit "
		   "status 2:\n"
		   "ranges were spilled.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_color,
};
