/* SPDX-License-Identifier: Apache-2.0
 *
 * The methods.
 *
 *   list    the back end's own program
 *   anneal  simulated annealing over the decisions.  Operators are the kinds of decisions, two moves of the order of
 *           operations, and a new order by the neutral annealer on the model; which one is next is chosen by upper
 *           confidence bounds on its past gain, or drawn evenly.  Candidates go in fixed groups, so that cores change
 *           the time only; what a budget leaves at last is one smaller group.
 *   exact   what anneal does, and the model solved by the exact engine, whose order is a candidate
 *
 * A schedule of the model counts one, a program emitted SCHED_PROGRAM_SCHEDULES.
 */
#include "sched/search_int.h"

#include <math.h>
#include <string.h>

enum {
	ANNEAL_SCHEDULES = 5000,
	PROGRAM_SCHEDULES = SCHED_PROGRAM_SCHEDULES,
	GROUP = 4,
	STALE_GROUPS = 6,
	MODEL_SCHEDULES = 50,
	PROOF_SCHEDULES = 200 /* kept for the exact engine and the two programs of its order */
};
#define COOLING    0.95
#define FIRST_HEAT 0.01 /* of the list's length */

const sched_method sched_methods[] = {
	{"list", "the back end's own order and choices, by list priorities"},
	{"anneal", "simulated annealing over order, tiles, cores, placement; never longer than list"},
	{"exact", "what anneal does, and the model of the graph solved with proof"},
	{NULL, NULL},
};

/* Does the library have anything for one of GRAPHS? */
static bool knows_any(GPtrArray *graphs, const char *machine)
{
	for (guint i = 0; i < graphs->len; i++)
		if (sched_patterns_known(g_ptr_array_index(graphs, i), machine))
			return true;
	return false;
}

bool sched_wants_search(const sched_options *options, GPtrArray *graphs, const char *machine)
{
	return options->report || (options->method && strcmp(options->method, "list") != 0) ||
	       (options->patterns && knows_any(graphs, machine));
}

static bool wants_stop(const hunt *h)
{
	return h->options->stop && h->options->stop(h->options->stop_state);
}

/* ---------------------------------------------------------------------------------------------------- candidates */

typedef struct candidate {
	sched_sheet *sheet;
	unsigned move;
	int64_t cycles; /* -1: no program */
} candidate;

typedef struct group {
	const hunt *h;
	candidate *all;
	guint count;
	gint next;
} group;

static gpointer emit_some(gpointer state)
{
	group *g = state;

	for (;;) {
		guint i = (guint)g_atomic_int_add(&g->next, 1);
		candidate *c;

		if (i >= g->count)
			return NULL;
		c = &g->all[i];
		c->sheet->stop = g->h->options->stop;
		c->sheet->stop_state = g->h->options->stop_state;
		c->cycles = g->h->emitter->emit(g->h->emitter->state, g->h->graph, c->sheet, NULL);
	}
}

/* Emits COUNT candidates, on as many threads as allowed. */
static void emit_group(hunt *h, candidate *all, guint count)
{
	group g = {h, all, count, 0};
	GThread *helper[GROUP] = {NULL};
	unsigned helpers = MIN(MAX(h->options->threads, 1), MIN(count, GROUP)) - (count ? 1 : 0);

	for (unsigned i = 0; i < helpers; i++)
		helper[i] = g_thread_new("schedule", emit_some, &g);
	emit_some(&g);
	for (unsigned i = 0; i < helpers; i++)
		g_thread_join(helper[i]);
	h->found->programs += count;
	h->found->schedules += (uint64_t)count * PROGRAM_SCHEDULES;
}

/* The lowest bound of all models seen bounds every program: decisions may change how the graph is lowered. */
static void note_bound(hunt *h, const sched_sheet *sheet)
{
	g_autoptr(GArray) bounds = g_array_new(FALSE, FALSE, sizeof(sched_bound));
	int64_t bound;

	if (!sheet->model)
		return;
	bound = sched_model_bounds(sheet->model, bounds);
	if (h->found->bounds->len && bound >= h->found->bound_cycles)
		return;
	h->found->bound_cycles = bound;
	g_array_set_size(h->found->bounds, 0);
	g_array_append_vals(h->found->bounds, bounds->data, bounds->len);
}

/* Takes the sheet of C over where it is the shortest so far; notes its bound. */
static bool offer(hunt *h, candidate *c)
{
	bool better = c->cycles >= 0 && c->cycles < h->found->cycles;

	if (c->cycles >= 0)
		note_bound(h, c->sheet);
	if (!better)
		return false;
	sched_sheet_free(h->found->sheet);
	h->found->sheet = sched_sheet_copy(c->sheet);
	/* The program that is wanted in the end is emitted whenever that is. */
	h->found->sheet->stop = NULL;
	h->found->cycles = c->cycles;
	return true;
}

/* ------------------------------------------------------------------------------------------------------- models */

typedef struct rank {
	int64_t start;
	uint32_t place, operation;
} rank;

static int compare_ranks(const void *a, const void *b)
{
	const rank *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* The operations in the order in which SCHEDULE starts their tasks. */
static void order_by(sched_sheet *s, const alg_schedule *schedule)
{
	g_autofree rank *ranks = g_new(rank, s->asked_count + 1);

	for (uint32_t i = 0; i < s->asked_count; i++) {
		uint32_t task = s->task_of ? s->task_of[s->asked[i]] : s->asked[i];

		ranks[i] = (rank){schedule->start_cycles[task], i, s->asked[i]};
	}
	qsort(ranks, s->asked_count, sizeof(rank), compare_ranks);
	hunt_own_order(s);
	for (uint32_t i = 0; i < s->asked_count; i++)
		s->order[i] = ranks[i].operation;
}

/* METHOD on the model; its order into S where that can be one. */
static bool solve_model(hunt *h, const char *method, uint64_t schedules, uint64_t seed, sched_sheet *s)
{
	sched_found *f = h->found;
	alg_solve_options o;
	alg_solve_result r;
	bool good;

	if (!h->model || !h->model->tasks->len)
		return false;
	alg_solve_options_init(&o);
	o.method = method;
	o.schedules = schedules;
	o.seed = seed;
	o.threads = MAX(h->options->threads, 1);
	o.stop = h->options->stop;
	o.stop_state = h->options->stop_state;
	good = alg_solve(h->model->problem, &o, &r, NULL);
	if (good) {
		f->schedules += r.schedules;
		f->conflicts += r.conflicts;
		good = r.status == ALG_OPTIMAL || r.status == ALG_FEASIBLE;
	}
	if (good && (f->status == ALG_UNKNOWN || r.lower_bound_cycles >= f->model_bound)) {
		f->model_bound = r.lower_bound_cycles;
		f->model_bound_by = r.bound_by;
	}
	if (good && (f->status == ALG_UNKNOWN || r.schedule.makespan_cycles <= f->model_cycles))
		f->model_cycles = r.schedule.makespan_cycles;
	if (good) {
		f->status = f->model_cycles <= f->model_bound ? ALG_OPTIMAL : ALG_FEASIBLE;
		if (s && h->free_order)
			order_by(s, &r.schedule);
	}
	alg_solve_result_fini(&r);
	return good;
}

/* ------------------------------------------------------------------------------------------------------- anneal */

static void apply(hunt *h, unsigned move, sched_sheet *s)
{
	switch (move) {
	case MOVE_ORDER:
		hunt_shift(h, s);
		return;
	case MOVE_SWAP:
		hunt_swap(h, s);
		return;
	case MOVE_MODEL:
		solve_model(h, "anneal", MODEL_SCHEDULES, h->options->seed + h->tried, s);
		return;
	default:
		hunt_decide_anew(h, s, hunt_move_at(h, move)->name);
	}
}

/* Something new from where the search is; false when nothing new comes up. */
static bool propose(hunt *h, candidate *c)
{
	enum { TRIES = 12 };

	c->move = hunt_choose_move(h);
	if (c->move == UINT_MAX) {
		h->repeated++;
		return false;
	}
	hunt_move_at(h, c->move)->tried++;
	h->tried++;
	for (unsigned n = 0; n < TRIES; n++) {
		char *text;

		c->sheet = sched_sheet_copy(h->now);
		apply(h, c->move, c->sheet);
		text = sched_sheet_text(c->sheet, true);
		if (g_hash_table_add(h->known, text))
			return true;
		sched_sheet_free(c->sheet);
		c->sheet = NULL;
		/* The model's answer would be the same again. */
		if (c->move == MOVE_MODEL)
			break;
	}
	h->repeated++;
	return false;
}

/* From C on, if it is shorter or the heat allows it. */
static bool accept(hunt *h, candidate *c)
{
	bool shorter = c->cycles >= 0 && c->cycles < h->now_cycles;
	double worse = (double)(c->cycles - h->now_cycles);

	if (c->cycles < 0 || (!shorter && rng_unit(&h->random) >= exp(-worse / MAX(h->heat, 1e-9))))
		return false;
	hunt_move_at(h, c->move)->accepted++;
	hunt_move_at(h, c->move)->improved += shorter;
	g_array_index(h->gain, double, c->move) += shorter;
	sched_sheet_free(h->now);
	h->now = g_steal_pointer(&c->sheet);
	h->now_cycles = c->cycles;
	return true;
}

static void begin_from_best(hunt *h)
{
	sched_sheet_free(h->now);
	h->now = sched_sheet_copy(h->found->sheet);
	h->now_cycles = h->found->cycles;
}

/* What the budget leaves when COUNT programs more have been emitted. */
static uint64_t room(const hunt *h, uint64_t budget, guint count)
{
	return budget - MIN(budget, h->found->schedules + (uint64_t)count * PROGRAM_SCHEDULES);
}

static bool one_group(hunt *h, uint64_t budget)
{
	candidate all[GROUP] = {{0}};
	guint count = 0;
	bool better = false;

	for (unsigned i = 0; i < GROUP && room(h, budget, count) >= PROGRAM_SCHEDULES; i++) {
		h->model_fits = room(h, budget, count) >= PROGRAM_SCHEDULES + MODEL_SCHEDULES;
		count += propose(h, &all[count]);
	}
	emit_group(h, all, count);
	if (wants_stop(h))
		h->found->capped = true;
	for (guint i = 0; i < count; i++) {
		/* What a stop cut short is no result. */
		better |= offer(h, &all[i]);
		accept(h, &all[i]);
		sched_sheet_free(all[i].sheet);
	}
	return better;
}

static void anneal(hunt *h, uint64_t budget)
{
	enum { MOST_REPEATED = 64 };
	unsigned stale = 0;

	h->heat = FIRST_HEAT * (double)h->found->list_cycles;
	begin_from_best(h);
	while (room(h, budget, 0) >= PROGRAM_SCHEDULES && !h->found->capped && h->repeated < MOST_REPEATED &&
	       h->found->cycles > h->found->bound_cycles) {
		stale = one_group(h, budget) ? 0 : stale + 1;
		h->heat *= COOLING;
		if (stale >= STALE_GROUPS) {
			begin_from_best(h);
			stale = 0;
		}
		if (h->options->progress)
			h->options->progress(h->options->progress_state,
			                     ((double)h->graph + (double)h->found->schedules / (double)budget) /
			                             (double)h->graphs);
	}
}

/* The exact engine's order of the model, or with it the decisions of the shortest program. */
static void prove(hunt *h, uint64_t budget)
{
	candidate c[2] = {{.sheet = sched_sheet_copy(h->standard)}, {.sheet = sched_sheet_copy(h->found->sheet)}};
	uint64_t left = room(h, budget, 0);
	guint programs = (guint)MIN((left - MIN(left, 1)) / PROGRAM_SCHEDULES, G_N_ELEMENTS(c));

	if (left && solve_model(h, "exact", left - programs * PROGRAM_SCHEDULES, h->options->seed, c[0].sheet) &&
	    h->free_order && c[0].sheet->order) {
		g_free(c[1].sheet->order);
		c[1].sheet->order = g_memdup2(c[0].sheet->order, c[0].sheet->order_count * sizeof(uint32_t));
		c[1].sheet->order_count = c[0].sheet->order_count;
		emit_group(h, c, programs);
		for (guint i = 0; i < programs; i++)
			offer(h, &c[i]);
	}
	if (wants_stop(h))
		h->found->capped = true;
	sched_sheet_free(c[0].sheet);
	sched_sheet_free(c[1].sheet);
}

/* ---------------------------------------------------------------------------------------------------- one graph */

/* The back end's own program, and what there is to decide. */
static bool begin(hunt *h, const graph *g, GError **error)
{
	sched_found *f = h->found;

	h->standard = sched_sheet_new();
	f->list_cycles = h->emitter->emit(h->emitter->state, h->graph, h->standard, error);
	if (f->list_cycles < 0)
		return false;
	f->graph = g_strdup(g->name);
	f->cycles = f->annealed_cycles = f->list_cycles;
	f->pattern_cycles = -1;
	f->recognised = sched_patterns_text(g);
	f->sheet = sched_sheet_copy(h->standard);
	f->programs = 1;
	f->schedules = PROGRAM_SCHEDULES;
	h->model = h->standard->model;
	h->free_order = hunt_has_freedom(h->standard);
	note_bound(h, h->standard);
	g_hash_table_add(h->known, sched_sheet_text(h->standard, true));
	return true;
}

static void use_patterns(hunt *h, const graph *g)
{
	enum { ROUNDS = 2 };
	candidate c = {.sheet = sched_sheet_copy(h->standard)};

	/* Some decisions come up only when others are made. */
	for (unsigned n = 0; n < ROUNDS; n++) {
		g_free(h->found->patterns);
		h->found->patterns = sched_patterns_apply(g, h->emitter->machine, c.sheet);
		if (!h->found->patterns)
			break;
		emit_group(h, &c, 1);
		if (c.cycles >= 0 && (h->found->pattern_cycles < 0 || c.cycles < h->found->pattern_cycles))
			h->found->pattern_cycles = c.cycles;
		offer(h, &c);
	}
	sched_sheet_free(c.sheet);
}

static sched_found *new_found(void)
{
	sched_found *f = g_new0(sched_found, 1);

	f->bounds = g_array_new(FALSE, FALSE, sizeof(sched_bound));
	f->moves = g_array_new(FALSE, TRUE, sizeof(alg_move_count));
	f->status = ALG_UNKNOWN;
	return f;
}

static void free_found(gpointer p)
{
	sched_found *f = p;

	g_free(f->graph);
	g_free(f->patterns);
	g_free(f->recognised);
	sched_sheet_free(f->sheet);
	g_array_unref(f->bounds);
	g_array_unref(f->moves);
	g_free(f);
}

static bool search_graph(hunt *h, const graph *g, const char *method, uint64_t budget, GError **error)
{
	static const char *const order_moves[MOVE_KINDS] = {"shift", "swap", "model"};
	bool exact = strcmp(method, "exact") == 0;
	bool good;

	rng_seed(&h->random, h->options->seed, h->graph);
	h->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	h->gain = g_array_new(FALSE, TRUE, sizeof(double));
	for (unsigned i = 0; i < MOVE_KINDS; i++)
		hunt_add_move(h, order_moves[i]);
	good = begin(h, g, error);
	if (good && h->options->patterns)
		use_patterns(h, g);
	if (good && strcmp(method, "list") != 0) {
		uint64_t kept = exact ? PROOF_SCHEDULES : 0;

		if (room(h, budget, 0) >= kept + MODEL_SCHEDULES)
			solve_model(h, "anneal", MODEL_SCHEDULES, h->options->seed, NULL);
		anneal(h, budget - MIN(budget, kept));
		h->found->annealed_cycles = h->found->cycles;
		if (exact && !h->found->capped)
			prove(h, budget);
	}
	sched_sheet_free(h->standard);
	sched_sheet_free(h->now);
	g_hash_table_destroy(h->known);
	g_array_unref(h->gain);
	return good;
}

sched_search *sched_search_run(GPtrArray *graphs, const sched_emitter *emitter, const sched_options *options,
                               GError **error)
{
	sched_search *search = g_new0(sched_search, 1);
	bool good = true;

	search->method = options->method ? options->method : "list";
	search->seed = options->seed;
	search->uniform = options->uniform;
	search->schedules = strcmp(search->method, "list") == 0 ? 1
	                    : options->schedules                ? options->schedules
	                                                        : ANNEAL_SCHEDULES;
	search->found = g_ptr_array_new_with_free_func(free_found);
	for (guint i = 0; good && i < graphs->len; i++) {
		hunt h = {.graph = i,
		          .graphs = graphs->len,
		          .emitter = emitter,
		          .options = options,
		          .found = new_found()};

		g_ptr_array_add(search->found, h.found);
		good = search_graph(&h, g_ptr_array_index(graphs, i), search->method, search->schedules, error);
		search->capped |= h.found->capped;
	}
	if (good)
		return search;
	sched_search_free(search);
	return NULL;
}

void sched_search_free(sched_search *search)
{
	if (!search)
		return;
	g_ptr_array_unref(search->found);
	g_free(search);
}

sched_sheet **sched_search_sheets(const sched_search *search)
{
	sched_sheet **sheets = g_new0(sched_sheet *, search->found->len + 1);

	for (guint i = 0; i < search->found->len; i++)
		sheets[i] = ((sched_found *)g_ptr_array_index(search->found, i))->sheet;
	return sheets;
}
