/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim alloc FILE: addresses for buffers with known lives, and, with a bank map, few accesses that meet in a bank.
 */
#include <string.h>

#include "isa/bankmap.h"
#include "isa/file.h"
#include "sched/alg/alloc.h"
#include "sched/alg/alloc_bank.h"
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/tool.h"

static gint64 capacity; /* 0: none is given */
static gboolean minimise, hints;
static gint64 moves = 2000;
static gint64 nodes = 20000000;
static gint64 seed = 1;
static double time_cap;
static char *output, *map_text, *accesses_file;
static gint64 banks, block, refine = 20000;

static const GOptionEntry options[] = {
	{"capacity", 'c', 0, G_OPTION_ARG_INT64, &capacity,
         "the memory has so many bytes (default: as few as can be found)", "BYTES"},
	{"minimise", 'm', 0, G_OPTION_ARG_NONE, &minimise, "go on below the capacity", NULL},
	{"moves", 0, 0, G_OPTION_ARG_INT64, &moves, "local search over orders makes N moves at most (2000)", "N"},
	{"nodes", 0, 0, G_OPTION_ARG_INT64, &nodes, "the exact search has N nodes at most (20000000)", "N"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of the searches (1)", "N"},
	{"time", 0, 0, G_OPTION_ARG_DOUBLE, &time_cap, "end the searches after S seconds, whatever budget is left",
         "S"},
	{"free-offsets", 0, 0, G_OPTION_ARG_NONE, &hints, "a column 'offset' fixes no addresses", NULL},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write buffers and addresses as CSV", "FILE"},
	{"accesses", 0, 0, G_OPTION_ARG_FILENAME, &accesses_file,
         "what is accessed in one cycle (cycle,id[,byte]), or in step (first,second), shall be in different banks",
         "FILE"},
	{"map", 0, 0, G_OPTION_ARG_STRING, &map_text, "the bank map, as in 'tspsim bank'", "MAP"},
	{"banks", 0, 0, G_OPTION_ARG_INT64, &banks, "of N banks", "N"},
	{"block", 0, 0, G_OPTION_ARG_INT64, &block, "whose blocks have N bytes", "BYTES"},
	{"refine", 0, 0, G_OPTION_ARG_INT64, &refine, "try N times to move a buffer for the sake of banks (20000)",
         "N"},
	{0},
};

static gint64 started;
static bool capped;

static double seconds_since_start(void)
{
	return (double)(g_get_monotonic_time() - started) / 1e6;
}

static bool stop(void *state)
{
	(void)state;
	if (time_cap > 0 && seconds_since_start() >= time_cap)
		capped = true;
	return capped || interrupt_happened();
}

typedef struct answer {
	const alloc_problem *p;
	alloc_result r;
	char *wrong; /* what the check says, or NULL */
	double seconds;
	bool has_banks;
	alloc_occupancy before, after;
	uint64_t refinements;
} answer;

static void occupancy_json(json *j, const char *key, const alloc_occupancy *o)
{
	json_object(j, key);
	json_uint(j, "conflicts", o->conflicts);
	json_uint(j, "cycles_in_conflict", o->cycles_in_conflict);
	json_uint(j, "fullest", o->fullest);
	json_real(j, "mean_fullest", o->mean_fullest);
	json_end(j);
}

static bool proved(const answer *a)
{
	return a->r.status == ALLOC_OPTIMAL || a->r.status == ALLOC_INFEASIBLE;
}

static char *answer_json(const answer *a)
{
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "status", alloc_status_name(a->r.status));
	json_int(j, "height", a->r.height_bytes);
	if (capacity)
		json_int(j, "capacity", capacity);
	else
		json_null(j, "capacity");
	json_int(j, "lower_bound", a->r.lower_bound_bytes);
	json_int(j, "greedy_height", a->r.greedy_height_bytes);
	json_bool(j, "proved", proved(a));
	json_string(j, "by", a->r.by);
	json_uint(j, "buffers", a->p->count);
	json_uint(j, "moves", a->r.moves);
	json_uint(j, "nodes", a->r.nodes);
	json_array(j, "colliding");
	for (unsigned i = 0; i < 2 && a->r.collide; i++)
		json_string(j, NULL, a->p->buffers[a->r.colliding[i]].id);
	json_end(j);
	json_bool(j, "valid", !a->wrong);
	json_bool(j, "capped", capped);
	json_bool(j, "interrupted", interrupt_happened());
	json_real(j, "seconds", a->seconds);
	if (a->has_banks) {
		json_object(j, "banks");
		json_uint(j, "accesses", a->after.accesses);
		json_uint(j, "cycles", a->after.cycles);
		occupancy_json(j, "before", &a->before);
		occupancy_json(j, "after", &a->after);
		json_uint(j, "moves", a->refinements);
		json_end(j);
	}
	json_array(j, "addresses");
	for (uint32_t i = 0; a->r.address && i < a->p->count; i++)
		json_int(j, NULL, a->r.address[i]);
	json_end(j);
	json_end(j);
	return json_finish(j);
}

static void occupancy_text(GString *out, const char *label, const alloc_occupancy *o)
{
	tool_line(out, label,
	          "%" G_GUINT64_FORMAT " conflict%s in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
	          " cycle%s, fullest bank %u, on average %.3f",
	          o->conflicts, tsp_s(o->conflicts), o->cycles_in_conflict, o->cycles, tsp_s(o->cycles), o->fullest,
	          o->mean_fullest);
}

static char *answer_text(const answer *a)
{
	GString *out = g_string_new(NULL);

	tool_line(out, "buffers", "%u", a->p->count);
	tool_line(out, "status", "%s%s", alloc_status_name(a->r.status), interrupt_ending(capped));
	if (a->r.collide) {
		const alloc_buffer *one = &a->p->buffers[a->r.colliding[0]];
		const alloc_buffer *other = &a->p->buffers[a->r.colliding[1]];

		tool_line(out, "collide",
		          "'%s' fixed at %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " byte%s, and '%s' fixed at "
		          "%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " byte%s, live at once",
		          one->id, one->fixed, one->size_bytes, tsp_s((uint64_t)one->size_bytes), other->id,
		          other->fixed, other->size_bytes, tsp_s((uint64_t)other->size_bytes));
	}
	if (a->r.address)
		tool_line(out, "height", "%" G_GINT64_FORMAT " byte%s, found by %s", a->r.height_bytes,
		          tsp_s((uint64_t)a->r.height_bytes), a->r.by);
	if (capacity)
		tool_line(out, "capacity", "%" G_GINT64_FORMAT " byte%s", capacity, tsp_s((uint64_t)capacity));
	tool_line(out, "bound", "at least %" G_GINT64_FORMAT " byte%s", a->r.lower_bound_bytes,
	          tsp_s((uint64_t)a->r.lower_bound_bytes));
	if (a->has_banks) {
		occupancy_text(out, "banks before", &a->before);
		occupancy_text(out, "banks after", &a->after);
	}
	return g_string_free(out, FALSE);
}

static bool write_output(const answer *a, GError **error)
{
	g_autoptr(GString) out = g_string_new("id,lower,upper,size,offset\n");

	for (uint32_t i = 0; i < a->p->count; i++) {
		const alloc_buffer *b = &a->p->buffers[i];

		g_string_append_printf(
			out, "%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "\n",
			b->id, b->lower, b->upper, b->size_bytes, a->r.address[i]);
	}
	return tsp_file_write(output, out->str, out->len, error);
}

/* Rows enough for every block below LIMIT_BYTES, as a power of two. */
static uint64_t rows_for(int64_t limit_bytes)
{
	uint64_t blocks = (uint64_t)(limit_bytes / block) + 1, rows = 1;

	while (rows * (uint64_t)banks < blocks)
		rows *= 2;
	return rows;
}

static unsigned bank_of(const void *map, uint64_t number)
{
	return bankmap_bank(map, number);
}

static bool place_in_banks(answer *a, const alloc_accesses *accesses, GError **error)
{
	int64_t limit = capacity ? MAX(capacity, a->r.height_bytes) : a->r.height_bytes;
	bankmap *map = bankmap_new(map_text, (unsigned)banks, rows_for(limit), error);
	alloc_bank_map by = {
		.banks = map ? bankmap_banks_used(map) : 0, .block_bytes = block, .bank = bank_of, .state = map};
	alloc_banks *state = map ? alloc_banks_new(a->p, accesses, &by, a->r.address, error) : NULL;
	alloc_refinement how = {.capacity_bytes = limit,
	                        .step_bytes = block,
	                        .steps = (unsigned)banks,
	                        .moves = (uint64_t)refine,
	                        .seed = (uint64_t)seed,
	                        .cost = alloc_banks_cost,
	                        .moved = alloc_banks_moved,
	                        .state = state,
	                        .stop = stop};

	if (state) {
		a->before = alloc_banks_occupancy(state, a->r.address);
		alloc_refine(a->p, &how, a->r.address, &a->refinements);
		a->after = alloc_banks_occupancy(state, a->r.address);
		a->has_banks = true;
		a->r.height_bytes = 0;
		for (uint32_t i = 0; i < a->p->count; i++)
			a->r.height_bytes = MAX(a->r.height_bytes, a->r.address[i] + a->p->buffers[i].size_bytes);
	}
	alloc_banks_free(state);
	bankmap_free(map);
	return state != NULL;
}

static int exit_status(const answer *a)
{
	if (interrupt_happened())
		return TOOL_INTERRUPTED;
	return a->r.status == ALLOC_OPTIMAL || a->r.status == ALLOC_FEASIBLE ? TOOL_OK : TOOL_FOUND;
}

static int solve(const alloc_problem *p, const alloc_accesses *accesses, GError **error)
{
	alloc_options how = {.capacity_bytes = capacity,
	                     .minimise = minimise,
	                     .moves = (uint64_t)moves,
	                     .nodes = (uint64_t)nodes,
	                     .seed = (uint64_t)seed,
	                     .stop = stop};
	answer a = {.p = p};
	g_autofree char *text = NULL;
	int status = TOOL_USER_ERROR;

	started = g_get_monotonic_time();
	interrupt_defer(true);
	alloc_solve(p, &how, &a.r);
	if (!accesses || !a.r.address || place_in_banks(&a, accesses, error)) {
		a.wrong = a.r.address ? alloc_check(p, a.r.address, a.r.height_bytes) : NULL;
		a.seconds = seconds_since_start();
		text = tool_json ? answer_json(&a) : answer_text(&a);
		if (((tool_quiet && !tool_json) || tool_print(text, error)) &&
		    (!output || !a.r.address || write_output(&a, error)))
			status = exit_status(&a);
	}
	interrupt_defer(false);
	if (a.wrong) {
		g_clear_error(error);
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "the check refuses this allocation: %s", a.wrong);
		status = TOOL_INTERNAL;
	}
	g_free(a.wrong);
	alloc_result_fini(&a.r);
	return status;
}

static int run_alloc(int argc, char **argv, GError **error)
{
	g_autofree char *text = NULL, *more = NULL;
	alloc_accesses *accesses = NULL;
	alloc_problem *p;
	int status = TOOL_USER_ERROR;

	(void)argc;
	if (!options_check(0, error) || !(text = tsp_file_read(tool_input(argv[0]), NULL, error)) ||
	    (accesses_file && !(more = tsp_file_read(accesses_file, NULL, error))))
		return status;
	p = alloc_read(text, argv[0], !hints, error);
	if (p && more)
		accesses = alloc_read_accesses(more, accesses_file, p, error);
	if (p && (!more || accesses))
		status = solve(p, accesses, error);
	alloc_accesses_free(accesses);
	alloc_problem_free(p);
	return status;
}

const tool_command cmd_alloc = {
	.name = "alloc",
	.synopsis = "FILE.csv [-c BYTES] [OPTION...]",
	.doc = "Give buffers with known lives addresses in a memory.",
	.details = "FILE has columns id, lower, upper, size, and where wanted alignment and offset.  Exit status 2: "
		   "they do "
		   "not\nfit, or no way was found.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_alloc,
};
