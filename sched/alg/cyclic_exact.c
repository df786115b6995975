/* SPDX-License-Identifier: Apache-2.0
 *
 * Is there a modulo schedule at interval II?  As clauses.
 *
 * What resources see of an operation is its row, its start modulo II; whether rows fit dependences matters only inside
 * recurrences, since anything else can start a whole number of intervals later.  So an operation outside of a
 * recurrence has II starts to choose from, and the operations of one are bound to each other by windows on both sides
 * (longest ways to and from one of them, which takes one row of II).  Nothing has a horizon, and "no" is a proof.  With
 * a number of stages given, windows are those of a schedule of that length, and all dependences hold between them.
 *
 * A variable says "starts at t or before" (order encoding), which sets a literal for the row, and with the mode one for
 * row and mode; sums over the latter are bounded for each resource and cycle by the diagrams of sched/alg/exact_sum.c.
 */
#include <string.h>

#include "sched/alg/cyclic_int.h"
#include "sched/alg/engines.h"
#include "sched/alg/exact_formula.h"

const bool cyclic_has_exact = true;

enum { STARTS_MAX = 2000000, ROWS_MAX = 4000000 };
#define LITERALS_MAX UINT64_C(20000000)

typedef struct encoder {
	const cyclic_graph *g;
	const cyclic_problem *p;
	int64_t ii;
	bool timed; /* all dependences hold between starts, not only those inside recurrences */
	uint32_t *group;
	int64_t *early, *late; /* [ops] */
	int *first;            /* [ops] "starts by early" is this variable, later times follow */
	int **row;             /* [ops][modes * ii]; 0: cannot be */
	int **mode;            /* [ops][modes] */
	exact_model model;     /* of the sums: tasks without lags */
	alg_solve_options solve_options;
	alg_solve_result solve_result;
	exact_formula f;
} encoder;

/* ---- Windows. ---- */

/* Longest ways from ROOT inside its group, forward or backward: WAY[op], CYCLIC_NEVER outside. */
static void ways(const encoder *x, uint32_t root, bool backward, const uint32_t *members, uint32_t count, int64_t *way)
{
	const uint32_t *first = backward ? x->g->first_in : x->g->first_out;
	const uint32_t *edges = backward ? x->g->in : x->g->out;
	bool moved = true;

	for (uint32_t i = 0; i < count; i++)
		way[members[i]] = CYCLIC_NEVER;
	way[root] = 0;
	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t v = members[i];

			for (uint32_t k = first[v]; way[v] != CYCLIC_NEVER && k < first[v + 1]; k++) {
				const cyclic_edge *e = cyclic_edge_at(x->p, edges[k]);
				uint32_t to = backward ? e->from : e->to;
				int64_t length = way[v] + cyclic_i_lag(e, x->ii);

				if (x->group[to] != x->group[root] || length <= way[to])
					continue;
				way[to] = length;
				moved = true;
			}
		}
	}
}

/* Starts relative to one operation of each group; that of the largest group takes row 0, since a schedule may be
 * turned. */
static void loose_windows(encoder *x, uint32_t groups)
{
	uint32_t n = x->p->ops->len, largest = 0;
	g_autofree uint32_t *size = g_new0(uint32_t, groups + 1), *first = g_new0(uint32_t, groups + 2);
	g_autofree uint32_t *members = g_new(uint32_t, n + 1), *at = NULL;
	g_autofree int64_t *to = g_new(int64_t, n + 1), *back = g_new(int64_t, n + 1);

	for (uint32_t v = 0; v < n; v++)
		size[x->group[v]]++;
	for (uint32_t i = 0; i < groups; i++) {
		first[i + 1] = first[i] + size[i];
		largest = size[i] > size[largest] ? i : largest;
	}
	at = g_memdup2(first, (groups + 1) * sizeof(uint32_t));
	for (uint32_t v = 0; v < n; v++)
		members[at[x->group[v]]++] = v;
	for (uint32_t i = 0; i < groups; i++) {
		uint32_t root = members[first[i]];
		int64_t rows = i == largest ? 0 : x->ii - 1;

		ways(x, root, false, members + first[i], size[i], to);
		ways(x, root, true, members + first[i], size[i], back);
		for (uint32_t k = first[i]; k < first[i + 1]; k++) {
			x->early[members[k]] = to[members[k]];
			x->late[members[k]] = rows - back[members[k]];
		}
	}
}

static bool make_windows(encoder *x, uint32_t stages)
{
	uint32_t groups = cyclic_i_components(x->g, x->group);
	int64_t starts = 0;

	if (stages) {
		cyclic_i_lengths(x->p, x->ii, x->early, x->late);
		for (uint32_t v = 0; v < x->p->ops->len; v++)
			x->late[v] = (int64_t)stages * x->ii - 1 - x->late[v];
	} else {
		loose_windows(x, groups);
	}
	for (uint32_t v = 0; v < x->p->ops->len; v++) {
		if (x->late[v] < x->early[v])
			return true;
		starts += x->late[v] - x->early[v] + 1;
		if (starts > STARTS_MAX)
			return false;
	}
	return true;
}

/* ---- Clauses. ---- */

static int starts_by(const encoder *x, uint32_t v, int64_t t)
{
	if (t < x->early[v])
		return EXACT_FALSE;
	if (t >= x->late[v])
		return EXACT_TRUE;
	return x->first[v] + (int)(t - x->early[v]);
}

static bool mode_fits(cyclic_table *empty, uint32_t v, uint32_t m)
{
	bool fits = cyclic_i_take(empty, v, m, 0);

	if (fits)
		cyclic_i_release(empty, v, m, 0);
	return fits;
}

static void declare_op(encoder *x, uint32_t v, cyclic_table *empty)
{
	uint32_t modes = cyclic_op_at(x->p, v)->modes;
	exact_formula *f = &x->f;
	g_autofree int *row = g_new0(int, (gsize)x->ii);
	g_autofree int *all = g_new(int, modes + 1);
	unsigned some = 0;

	x->first[v] = f->variables + 1;
	f->variables += (int)(x->late[v] - x->early[v]);
	for (int64_t t = x->early[v]; t + 1 < x->late[v]; t++)
		exact_i_clause(f, (int[]){-starts_by(x, v, t), starts_by(x, v, t + 1)}, 2);
	x->mode[v] = g_new(int, modes);
	for (uint32_t m = 0; m < modes; m++) {
		x->mode[v][m] = modes == 1 ? EXACT_TRUE : exact_i_new_variable(f);
		if (!mode_fits(empty, v, m))
			exact_i_clause(f, (int[]){-x->mode[v][m]}, 1);
		all[some++] = x->mode[v][m];
	}
	exact_i_clause(f, all, some);
	for (int64_t t = x->early[v]; t <= x->late[v]; t++) {
		int64_t i = cyclic_i_row(t, x->ii);

		if (!row[i])
			row[i] = x->early[v] == x->late[v] ? EXACT_TRUE : exact_i_new_variable(f);
		exact_i_clause(f, (int[]){-starts_by(x, v, t), starts_by(x, v, t - 1), row[i]}, 3);
	}
	x->row[v] = g_new0(int, (gsize)x->ii *modes);
	for (uint32_t m = 0; m < modes; m++)
		for (int64_t i = 0; i < x->ii; i++) {
			int *cell = &x->row[v][m * x->ii + i];

			if (!row[i])
				continue;
			if (modes == 1) {
				*cell = row[i];
				continue;
			}
			*cell = exact_i_new_variable(f);
			exact_i_clause(f, (int[]){-row[i], -x->mode[v][m], *cell}, 3);
		}
}

/* TO starts LAG or more after FROM. */
static void encode_edge(encoder *x, const cyclic_edge *e)
{
	int64_t lag = cyclic_i_lag(e, x->ii);

	if (e->from == e->to || (!x->timed && x->group[e->from] != x->group[e->to]))
		return;
	for (int64_t t = x->early[e->from] + lag - 1; t < x->late[e->to] && !x->f.given_up; t++)
		exact_i_clause(&x->f, (int[]){-starts_by(x, e->to, t), starts_by(x, e->from, t - lag)}, 2);
}

/* Units of a mode started in row 0 in each cycle of the kernel, of one resource. */
static void profile(const encoder *x, const cyclic_mode *m, uint32_t resource, int64_t *units)
{
	memset(units, 0, (gsize)x->ii * sizeof(*units));
	for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++) {
		const cyclic_use *use = cyclic_use_at(x->p, u);

		for (uint32_t i = 0; use->resource == resource && i < use->length; i++)
			units[((int64_t)use->offset + i) % x->ii] += use->amount;
	}
}

static void encode_resource(encoder *x, uint32_t resource)
{
	GArray **terms = g_new(GArray *, (gsize)x->ii);
	g_autofree int64_t *units = g_new(int64_t, (gsize)x->ii);

	for (int64_t c = 0; c < x->ii; c++)
		terms[c] = g_array_new(FALSE, FALSE, sizeof(exact_term));
	for (uint32_t v = 0; v < x->p->ops->len; v++)
		for (uint32_t m = 0; m < cyclic_op_at(x->p, v)->modes; m++) {
			profile(x, cyclic_mode_at(x->p, v, m), resource, units);
			for (int64_t i = 0; i < x->ii; i++)
				for (int64_t row = 0; units[i] && row < x->ii; row++) {
					exact_term term = {v, x->row[v][m * x->ii + row], units[i]};

					if (term.literal)
						g_array_append_val(terms[(row + i) % x->ii], term);
				}
		}
	for (int64_t c = 0; c < x->ii; c++) {
		if (!x->f.given_up)
			exact_i_sum(&x->f, &g_array_index(terms[c], exact_term, 0), terms[c]->len,
			            cyclic_resource_at(x->p, resource)->capacity, EXACT_FALSE);
		g_array_free(terms[c], TRUE);
	}
	g_free(terms);
}

static void encode(encoder *x)
{
	cyclic_table empty;
	int64_t rows = 0;

	for (uint32_t v = 0; v < x->p->ops->len; v++)
		rows += x->ii * cyclic_op_at(x->p, v)->modes;
	if (rows > ROWS_MAX || !cyclic_i_table_init(&empty, x->p, x->ii)) {
		x->f.given_up = true;
		return;
	}
	for (uint32_t v = 0; v < x->p->ops->len && !x->f.given_up; v++)
		declare_op(x, v, &empty);
	cyclic_i_table_fini(&empty);
	for (uint32_t i = 0; i < x->p->edges->len && !x->f.given_up; i++)
		encode_edge(x, cyclic_edge_at(x->p, i));
	for (uint32_t r = 0; r < x->p->resources->len && !x->f.given_up; r++)
		encode_resource(x, r);
}

/* ---- Answers. ---- */

static bool is_true(const encoder *x, int literal)
{
	return literal == EXACT_TRUE || (literal != EXACT_FALSE && ccadical_val(x->f.solver, literal) > 0);
}

static void read_answer(const encoder *x, int64_t *start, uint32_t *mode)
{
	for (uint32_t v = 0; v < x->p->ops->len; v++) {
		start[v] = x->early[v];
		while (!is_true(x, starts_by(x, v, start[v])))
			start[v]++;
		mode[v] = 0;
		while (!is_true(x, x->mode[v][mode[v]]))
			mode[v]++;
	}
}

/* Starts as early as their rows admit, whatever group they are in. */
static bool settle(const cyclic_problem *p, int64_t ii, int64_t *start)
{
	bool moved = true;

	for (uint32_t v = 0; v < p->ops->len; v++)
		start[v] = cyclic_i_row(start[v], ii);
	/* Longest ways have no more arcs than there are operations. */
	for (uint32_t round = 0; moved; round++) {
		if (round > p->ops->len)
			return false;
		moved = false;
		for (uint32_t i = 0; i < p->edges->len; i++) {
			const cyclic_edge *e = cyclic_edge_at(p, i);
			int64_t from = start[e->from] + cyclic_i_lag(e, ii);

			if (start[e->to] >= from)
				continue;
			start[e->to] = from + cyclic_i_row(start[e->to] - from, ii);
			moved = true;
		}
	}
	return true;
}

static int terminate(void *state)
{
	encoder *x = state;

	return alg_stopped(&x->solve_options, &x->solve_result);
}

static void learn(void *state, int *clause)
{
	(void)clause;
	((encoder *)state)->f.learned++;
}

static enum cyclic_answer search(encoder *x, uint64_t conflicts)
{
	int answer;

	ccadical_set_terminate(x->f.solver, x, terminate);
	ccadical_set_learn(x->f.solver, x, INT32_MAX, learn);
	ccadical_limit(x->f.solver, "conflicts", (int)MIN(conflicts, INT32_MAX));
	answer = ccadical_solve(x->f.solver);
	if (answer == 0 && !x->solve_result.capped)
		x->f.learned = MAX(x->f.learned, conflicts);
	return answer == 10 ? CYCLIC_YES : answer == 20 ? CYCLIC_NO : CYCLIC_OPEN;
}

static void encoder_init(encoder *x, const cyclic_graph *g, int64_t ii, uint32_t stages, const cyclic_options *options)
{
	uint32_t n = g->p->ops->len;

	*x = (encoder){.g = g, .p = g->p, .ii = ii, .timed = stages > 0};
	x->group = g_new(uint32_t, n + 1);
	x->early = g_new(int64_t, n + 1);
	x->late = g_new(int64_t, n + 1);
	x->first = g_new0(int, n + 1);
	x->row = g_new0(int *, n + 1);
	x->mode = g_new0(int *, n + 1);
	x->model.tasks = n;
	x->solve_options.stop = options->stop;
	x->solve_options.stop_state = options->stop_state;
	x->f = (exact_formula){.m = &x->model,
	                       .options = &x->solve_options,
	                       .result = &x->solve_result,
	                       .solver = ccadical_init(),
	                       .most_size = LITERALS_MAX};
	ccadical_set_option(x->f.solver, "quiet", 1);
}

static void encoder_fini(encoder *x)
{
	for (uint32_t v = 0; v < x->p->ops->len; v++) {
		g_free(x->row[v]);
		g_free(x->mode[v]);
	}
	ccadical_release(x->f.solver);
	g_free(x->group);
	g_free(x->early);
	g_free(x->late);
	g_free(x->first);
	g_free(x->row);
	g_free(x->mode);
}

enum cyclic_answer cyclic_i_exact(const cyclic_graph *g, int64_t ii, uint32_t stages, uint64_t conflicts,
                                  const cyclic_options *options, cyclic_result *result, int64_t *start, uint32_t *mode)
{
	enum cyclic_answer answer = CYCLIC_OPEN;
	encoder x;

	encoder_init(&x, g, ii, stages, options);
	if (make_windows(&x, stages)) {
		bool empty = false;

		for (uint32_t v = 0; v < g->p->ops->len; v++)
			empty = empty || x.late[v] < x.early[v];
		if (empty) {
			answer = CYCLIC_NO;
		} else {
			encode(&x);
			if (!x.f.given_up)
				answer = search(&x, conflicts);
		}
	}
	if (answer == CYCLIC_YES) {
		read_answer(&x, start, mode);
		if (!settle(g->p, ii, start))
			answer = CYCLIC_OPEN;
	}
	result->conflicts += x.f.learned;
	result->capped = result->capped || x.solve_result.capped;
	encoder_fini(&x);
	return answer;
}
