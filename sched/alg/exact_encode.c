/* SPDX-License-Identifier: Apache-2.0
 *
 * A scheduling problem as clauses.  A variable says "task v starts at t or before" for each t of its window but the
 * last (order encoding; Crawford and Baker 1994, Tamura et al. 2009), so a lag is one binary clause for each time.  A
 * choice of mode and processor is a literal.  A task runs at t when it has started by t and had not by t - duration; of
 * these literals sums of amounts are bounded for every resource and time (sched/alg/exact_sum.c).  Two tasks that never
 * fit together get a literal that says which goes first; resources on which any two tasks are such need no sums.
 *
 * Variables are written with the sign that makes "true", which the solver tries first, the hint's value for starts,
 * and the harmless value elsewhere.
 */
#include "sched/alg/exact_formula.h"

#include <stdlib.h>

#include "sched/alg/engines.h"

/* About a gigabyte in the solver. */
#define MOST_SIZE UINT64_C(40000000)
/* Variables for starts. */
#define MOST_STARTS 4000000
#define ASK_EVERY   UINT64_C(200000)

int exact_i_new_variable(exact_formula *f)
{
	return ++f->variables;
}

void exact_i_clause(exact_formula *f, const int *literals, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (literals[i] == EXACT_TRUE)
			return;
	if (f->given_up)
		return;
	for (unsigned i = 0; i < count; i++)
		if (literals[i] != EXACT_FALSE) {
			ccadical_add(f->solver, literals[i]);
			f->size++;
		}
	ccadical_add(f->solver, 0);
	f->size++;
	if (f->size > f->most_size)
		f->given_up = true;
	if (f->size - f->asked > ASK_EVERY) {
		f->asked = f->size;
		f->given_up = f->given_up || alg_stopped(f->options, f->result);
	}
}

int exact_i_starts_by(const exact_formula *f, uint32_t v, int64_t t)
{
	int variable;

	if (t < f->early[v])
		return EXACT_FALSE;
	if (t >= f->late[v])
		return EXACT_TRUE;
	variable = f->first[v] + (int)(t - f->early[v]);
	return f->hint && f->hint[v] > t ? -variable : variable;
}

int exact_i_guard(const exact_formula *f, uint32_t v)
{
	return f->guard[v];
}

static void declare(exact_formula *f)
{
	const exact_model *m = f->m;

	for (uint32_t v = 0; v <= m->tasks; v++) {
		uint32_t from = m->first_choice[v], to = m->first_choice[v + 1];

		f->first[v] = f->variables + 1;
		if (f->late[v] - f->early[v] > MOST_STARTS - f->variables) {
			f->given_up = true;
			return;
		}
		f->variables += (int)(f->late[v] - f->early[v]);
		for (uint32_t c = from; c < to; c++)
			f->choice[c] = to - from == 1 ? EXACT_TRUE : exact_i_new_variable(f);
		for (uint32_t a = from; a < to && to - from > 1; a++)
			for (uint32_t b = a + 1; b < to; b++)
				exact_i_clause(f, (int[]){-f->choice[a], -f->choice[b]}, 2);
		if (to - from > 1) {
			for (uint32_t c = from; c < to; c++)
				ccadical_add(f->solver, f->choice[c]);
			ccadical_add(f->solver, 0);
		}
	}
	for (uint32_t g = 0; f->guarded && g < m->tasks + m->resources; g++)
		f->guard[g] = exact_i_new_variable(f);
	for (uint32_t v = 0; v <= m->tasks; v++)
		for (int64_t t = f->early[v]; t + 1 < f->late[v]; t++)
			exact_i_clause(f, (int[]){-exact_i_starts_by(f, v, t), exact_i_starts_by(f, v, t + 1)}, 2);
}

/* Where all literals of UNLESS (two at most) are false, TO starts LAG or more after FROM. */
static void order(exact_formula *f, uint32_t from, uint32_t to, int64_t lag, const int *unless, unsigned count)
{
	int literals[4];
	int64_t first = MAX(f->early[to], f->early[from] + lag - 1), last = MIN(f->late[to], f->late[from] + lag - 1);

	for (unsigned i = 0; i < count; i++)
		literals[i] = unless[i];
	/* Before FIRST, TO has not started or FROM cannot have; one clause says so. */
	first = MIN(first, f->late[to]);
	for (int64_t t = first; t <= last && !f->given_up; t++) {
		literals[count] = -exact_i_starts_by(f, to, t);
		literals[count + 1] = exact_i_starts_by(f, from, t - lag);
		exact_i_clause(f, literals, count + 2);
	}
}

static void encode_arc(exact_formula *f, const exact_arc *arc)
{
	const exact_model *m = f->m;

	order(f, arc->from, arc->to, arc->lag, NULL, 0);
	for (uint32_t a = m->first_choice[arc->from]; arc->varies && a < m->first_choice[arc->from + 1]; a++) {
		int64_t least = INT64_MAX;

		for (uint32_t b = m->first_choice[arc->to]; b < m->first_choice[arc->to + 1]; b++)
			least = MIN(least, exact_i_lag(m, arc, a, b));
		if (least > arc->lag)
			order(f, arc->from, arc->to, least, (int[]){-f->choice[a]}, 1);
		for (uint32_t b = m->first_choice[arc->to]; b < m->first_choice[arc->to + 1]; b++)
			if (exact_i_lag(m, arc, a, b) > least)
				order(f, arc->from, arc->to, exact_i_lag(m, arc, a, b),
				      (int[]){-f->choice[a], -f->choice[b]}, 2);
	}
}

/* An arc to the end that a longer way to the end makes needless. */
static bool needless(const exact_formula *f, const exact_arc *arc)
{
	const exact_model *m = f->m;

	if (arc->edge != EXACT_NO_EDGE || arc->varies || !m->distance)
		return false;
	for (uint32_t v = 0; v < m->tasks; v++)
		if (v != arc->from && m->distance[(size_t)arc->from * (m->tasks + 1) + v] >= 0 &&
		    m->distance[(size_t)arc->from * (m->tasks + 1) + v] + m->least[v] >= arc->lag &&
		    /* Of two tasks that make each other needless, the first stays. */
		    (m->distance[(size_t)v * (m->tasks + 1) + arc->from] + arc->lag < m->least[v] || v < arc->from))
			return true;
	return false;
}

static void encode_lags(exact_formula *f)
{
	const exact_model *m = f->m;

	for (guint i = 0; i < m->arcs->len && !f->given_up; i++) {
		const exact_arc *arc = &g_array_index(m->arcs, exact_arc, i);

		if (!needless(f, arc))
			encode_arc(f, arc);
	}
	/* Longer choices must meet the deadline, too. */
	for (uint32_t v = 0; v < m->tasks; v++)
		for (uint32_t c = m->first_choice[v]; m->deadline[v] != INT64_MAX && c < m->first_choice[v + 1]; c++)
			exact_i_clause(
				f,
				(int[]){-f->choice[c],
			                exact_i_starts_by(f, v,
			                                  m->deadline[v] -
			                                          g_array_index(m->choices, exact_choice, c).duration)},
				2);
}

static void encode_pair(exact_formula *f, uint32_t a, uint32_t b)
{
	const exact_model *m = f->m;
	bool a_first = f->early[a] + m->least[a] <= f->late[b], b_first = f->early[b] + m->least[b] <= f->late[a];
	int before = EXACT_TRUE;

	if (a_first && b_first) {
		before = exact_i_new_variable(f);
		if (f->hint && f->hint[b] < f->hint[a])
			before = -before;
	} else if (b_first) {
		before = EXACT_FALSE;
	}
	/* Where neither can go first the formula is false, and so it must become. */
	for (unsigned turn = 0; turn < 2; turn++) {
		uint32_t from = turn ? b : a, to = turn ? a : b;
		int unless = turn ? before : -before;

		for (uint32_t c = m->first_choice[from]; unless != EXACT_TRUE && c < m->first_choice[from + 1]; c++)
			order(f, from, to, g_array_index(m->choices, exact_choice, c).duration,
			      (int[]){unless, -f->choice[c]}, 2);
	}
}

static void encode_pairs(exact_formula *f)
{
	for (guint i = 0; i < f->m->pairs->len && !f->given_up; i++) {
		exact_pair p = g_array_index(f->m->pairs, exact_pair, i);

		encode_pair(f, p.a, p.b);
	}
}

/* Literal of: V runs by choice C at time T. */
static int running_literal(exact_formula *f, uint32_t v, uint32_t c, int64_t t)
{
	int64_t duration = g_array_index(f->m->choices, exact_choice, c).duration;
	int started = exact_i_starts_by(f, v, t), ended = exact_i_starts_by(f, v, t - duration);
	int runs, conditions[5] = {started, -ended, f->choice[c], f->guarded ? f->guard[v] : EXACT_TRUE};
	unsigned open = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (conditions[i] == EXACT_FALSE)
			return EXACT_FALSE;
		if (conditions[i] != EXACT_TRUE)
			conditions[open++] = conditions[i];
	}
	if (open == 0)
		return EXACT_TRUE;
	if (open == 1)
		return conditions[0];
	runs = -exact_i_new_variable(f);
	for (unsigned i = 0; i < open; i++)
		conditions[i] = -conditions[i];
	conditions[open] = runs;
	exact_i_clause(f, conditions, open + 1);
	return runs;
}

static void declare_running(exact_formula *f)
{
	const exact_model *m = f->m;
	g_autofree bool *needed = g_new0(bool, m->resources + 1);

	for (uint32_t r = 0; r < m->resources; r++)
		needed[r] = f->guarded || !exact_i_unary(m, r);
	for (uint32_t v = 0; v < m->tasks; v++)
		for (uint32_t c = m->first_choice[v]; c < m->first_choice[v + 1] && !f->given_up; c++) {
			const exact_choice *choice = &g_array_index(m->choices, exact_choice, c);
			bool runs = false;

			for (uint32_t d = choice->first_demand; d < choice->first_demand + choice->demand_count; d++)
				runs = runs || needed[g_array_index(m->demands, alg_demand, d).resource];
			if (!runs)
				continue;
			f->running_until[c] = f->late[v] + choice->duration;
			f->running[c] = g_new(int, (gsize)(f->running_until[c] - f->early[v] + 1));
			for (int64_t t = f->early[v]; t < f->running_until[c] && !f->given_up; t++)
				f->running[c][t - f->early[v]] = running_literal(f, v, c, t);
		}
}

/* What uses one resource. */
typedef struct use {
	uint32_t task, choice, amount;
} use;

static void encode_resource(exact_formula *f, uint32_t r)
{
	const exact_model *m = f->m;
	g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(use));
	g_autofree exact_term *terms = NULL;
	int64_t from = INT64_MAX, until = INT64_MIN;

	if (!f->guarded && exact_i_unary(m, r))
		return;
	for (uint32_t v = 0; v < m->tasks; v++)
		for (uint32_t c = m->first_choice[v]; c < m->first_choice[v + 1]; c++) {
			use u = {v, c, exact_i_amount(m, &g_array_index(m->choices, exact_choice, c), r)};

			if (u.amount == 0)
				continue;
			g_array_append_val(uses, u);
			from = MIN(from, f->early[v]);
			until = MAX(until, f->running_until[c]);
		}
	terms = g_new(exact_term, uses->len + 1);
	for (int64_t t = from; t < until && !f->given_up; t++) {
		unsigned count = 0;

		for (guint i = 0; i < uses->len; i++) {
			const use *u = &g_array_index(uses, use, i);

			if (t >= f->early[u->task] && t < f->running_until[u->choice])
				terms[count++] =
					(exact_term){u->task, f->running[u->choice][t - f->early[u->task]], u->amount};
		}
		exact_i_sum(f, terms, count, exact_i_capacity(m, r, t),
		            f->guarded ? -f->guard[m->tasks + r] : EXACT_FALSE);
	}
}

/* ---- The solver. ---- */

static int terminate(void *state)
{
	exact_formula *f = state;

	return alg_stopped(f->options, f->result);
}

static void learn(void *state, int *clause)
{
	(void)clause;
	((exact_formula *)state)->learned++;
}

exact_formula *exact_i_encode(const exact_model *m, const exact_windows *w, const int64_t *hint, bool guarded,
                              const alg_solve_options *options, alg_solve_result *result)
{
	exact_formula *f = g_new0(exact_formula, 1);

	f->m = m;
	f->options = options;
	f->result = result;
	f->hint = hint ? g_memdup2(hint, (m->tasks + 1) * sizeof(*hint)) : NULL;
	f->guarded = guarded;
	f->most_size = MOST_SIZE;
	f->early = g_memdup2(w->early, (m->tasks + 1) * sizeof(int64_t));
	f->late = g_memdup2(w->late, (m->tasks + 1) * sizeof(int64_t));
	f->first = g_new0(int, m->tasks + 1);
	f->choice = g_new0(int, m->choices->len + 1);
	f->guard = g_new0(int, m->tasks + m->resources + 1);
	f->running_until = g_new0(int64_t, m->choices->len + 1);
	f->running = g_new0(int *, m->choices->len + 1);
	f->solver = ccadical_init();
	ccadical_set_option(f->solver, "quiet", 1);
	/* It tries simple assignments at every call, which never fit here. */
	ccadical_set_option(f->solver, "lucky", 0);
	declare(f);
	encode_lags(f);
	if (!guarded)
		encode_pairs(f);
	declare_running(f);
	for (uint32_t r = 0; r < m->resources && !f->given_up; r++)
		encode_resource(f, r);
	if (f->given_up) {
		exact_i_formula_free(f);
		return NULL;
	}
	for (int64_t t = f->early[m->tasks]; t < f->late[m->tasks]; t++)
		ccadical_freeze(f->solver, exact_i_starts_by(f, m->tasks, t));
	ccadical_set_terminate(f->solver, f, terminate);
	ccadical_set_learn(f->solver, f, INT32_MAX, learn);
	return f;
}

void exact_i_formula_free(exact_formula *f)
{
	if (!f)
		return;
	ccadical_release(f->solver);
	for (guint c = 0; c < f->m->choices->len; c++)
		g_free(f->running[c]);
	g_free((gpointer)f->hint);
	g_free(f->early);
	g_free(f->late);
	g_free(f->first);
	g_free(f->choice);
	g_free(f->guard);
	g_free(f->running_until);
	g_free(f->running);
	g_free(f);
}

void exact_i_add_unit(exact_formula *f, int literal)
{
	exact_i_clause(f, &literal, 1);
}

void exact_i_assume(exact_formula *f, int literal)
{
	if (literal != EXACT_TRUE)
		ccadical_assume(f->solver, literal);
}

bool exact_i_failed(exact_formula *f, int literal)
{
	return literal != EXACT_TRUE && ccadical_failed(f->solver, literal);
}

enum exact_answer exact_i_search(exact_formula *f, uint64_t conflicts)
{
	int limit = (int)MIN(conflicts, INT32_MAX), answer;
	uint64_t before = f->learned;

	ccadical_limit(f->solver, "conflicts", limit);
	answer = ccadical_solve(f->solver);
	f->result->conflicts +=
		answer == 0 && !f->result->capped ? (uint64_t)limit : MIN(f->learned - before, (uint64_t)limit);
	return answer == 10 ? EXACT_SAT : answer == 20 ? EXACT_UNSAT : EXACT_OPEN;
}

static bool is_true(exact_formula *f, int literal)
{
	if (literal == EXACT_TRUE || literal == EXACT_FALSE)
		return literal == EXACT_TRUE;
	return literal > 0 ? ccadical_val(f->solver, literal) > 0 : ccadical_val(f->solver, -literal) < 0;
}

void exact_i_values(exact_formula *f, int64_t *start, uint32_t *choice)
{
	for (uint32_t v = 0; v <= f->m->tasks; v++) {
		start[v] = f->early[v];
		while (!is_true(f, exact_i_starts_by(f, v, start[v])))
			start[v]++;
		choice[v] = f->m->first_choice[v];
		while (choice[v] + 1 < f->m->first_choice[v + 1] && !is_true(f, f->choice[choice[v]]))
			choice[v]++;
	}
}

uint64_t exact_i_size(const exact_formula *f)
{
	return f->size;
}
