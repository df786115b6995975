/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no schedule.  Without releases, deadlines and changes of capacity a problem with maximum lags has a
 * schedule exactly when every group of tasks that lags hold together both ways has one on its own (Neumann and Zhan
 * 1995); with them that is still necessary.  In a group the first task may be given any start, so the others' windows
 * are a few lags wide and no formula repeats itself along time.
 *
 * An explanation is a set of tasks and resources without a schedule, none of which can be left out as far as a budget
 * of conflicts showed.
 */
#include "sched/alg/engines.h"
#include "sched/alg/exact_int.h"

enum { CORE_CONFLICTS = 100000, TRY_CONFLICTS = 5000, MOST_NAMED = 12 };

static int64_t path(const exact_model *m, uint32_t from, uint32_t to)
{
	return m->distance[(size_t)from * (m->tasks + 1) + to];
}

/* ---- The core. ---- */

/* Tasks, then resources: those kept of KEPT that failed. */
static bool core_holds(exact_formula *f, const exact_model *m, bool *kept, uint64_t conflicts)
{
	uint32_t all = m->tasks + m->resources;

	for (uint32_t g = 0; g < all; g++)
		if (kept[g])
			exact_i_assume(f, exact_i_guard(f, g));
	if (exact_i_search(f, conflicts) != EXACT_UNSAT)
		return false;
	for (uint32_t g = 0; g < all; g++)
		kept[g] = kept[g] && exact_i_failed(f, exact_i_guard(f, g));
	return true;
}

static bool find_core(exact_formula *f, const exact_model *m, bool *kept)
{
	uint32_t all = m->tasks + m->resources;

	for (uint32_t g = 0; g < all; g++)
		kept[g] = true;
	if (!core_holds(f, m, kept, CORE_CONFLICTS))
		return false;
	for (uint32_t g = 0; g < all; g++) {
		g_autofree bool *fewer = g_memdup2(kept, all * sizeof(bool));

		fewer[g] = false;
		if (kept[g] && core_holds(f, m, fewer, TRY_CONFLICTS))
			for (uint32_t k = 0; k < all; k++)
				kept[k] = fewer[k];
	}
	return true;
}

static void name_resources(GString *text, const exact_model *m, const bool *kept)
{
	uint32_t of_one = m->problem->resources->len, named = 0;

	for (uint32_t r = 0; r < m->resources; r++) {
		if (!kept[m->tasks + r])
			continue;
		g_string_append_printf(text, "%sresource %u", named++ ? ", " : "", r % of_one);
		if (m->resources > of_one && !m->resource[r]->shared)
			g_string_append_printf(text, " of processor %u", r / of_one);
		g_string_append_printf(text, " (capacity %u)", m->capacity[r]);
	}
}

static void name_task(GString *text, const exact_model *m, const exact_windows *w, const bool *kept, uint32_t v,
                      uint32_t first)
{
	g_string_append_printf(text, "; task %u", m->name[v]);
	if (!m->steady || !m->distance)
		g_string_append_printf(text, " starts from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
		                       w->early[v] * m->scale, w->late[v] * m->scale);
	else if (v != first)
		g_string_append_printf(text,
		                       " starts %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " cycles after task %u",
		                       path(m, first, v) * m->scale, -path(m, v, first) * m->scale, m->name[first]);
	for (uint32_t c = m->first_choice[v]; c < m->first_choice[v + 1]; c++) {
		const exact_choice *choice = &g_array_index(m->choices, exact_choice, c);

		g_string_append_printf(text, "%s %" G_GINT64_FORMAT " cycles",
		                       c > m->first_choice[v] ? " or" : ", takes", choice->duration * m->scale);
		for (uint32_t d = choice->first_demand; d < choice->first_demand + choice->demand_count; d++) {
			const alg_demand *demand = &g_array_index(m->demands, alg_demand, d);

			if (kept[m->tasks + demand->resource])
				g_string_append_printf(text, " with %u of resource %u", demand->amount,
				                       demand->resource % m->problem->resources->len);
		}
	}
}

static char *describe(const exact_model *m, const exact_windows *w, const bool *kept)
{
	GString *text = g_string_new("lags leave no room for these tasks on ");
	uint32_t first = UINT32_MAX, named = 0;

	name_resources(text, m, kept);
	for (uint32_t v = 0; v < m->tasks; v++) {
		if (!kept[v])
			continue;
		first = first == UINT32_MAX ? v : first;
		if (named++ < MOST_NAMED)
			name_task(text, m, w, kept, v, first);
	}
	if (named > MOST_NAMED)
		g_string_append_printf(text, "; and %u more", named - MOST_NAMED);
	return g_string_free(text, FALSE);
}

/* Lags and windows alone contradict each other for some choice of modes and processors that all plain bounds allow. */
static char *describe_empty(const exact_model *m, const exact_windows *w)
{
	for (uint32_t v = 0; v < m->tasks; v++)
		if (w->early[v] > w->late[v])
			return g_strdup_printf("task %u cannot start before %" G_GINT64_FORMAT
			                       " and must, for deadlines and lags, start by %" G_GINT64_FORMAT,
			                       m->name[v], w->early[v] * m->scale, w->late[v] * m->scale);
	return NULL;
}

char *exact_i_explain(const exact_model *m, int64_t horizon, const alg_solve_options *options, alg_solve_result *result)
{
	g_autofree bool *kept = g_new0(bool, m->tasks + m->resources + 1);
	exact_formula *f = NULL;
	exact_windows w;
	char *text;

	exact_i_windows_init(&w, m);
	if (exact_i_lag_windows(m, horizon, &w)) {
		f = exact_i_encode(m, &w, NULL, true, options, result);
		text = f && find_core(f, m, kept) ? describe(m, &w, kept) : NULL;
	} else {
		text = describe_empty(m, &w);
	}
	exact_i_formula_free(f);
	exact_i_windows_fini(&w);
	return text ? text : g_strdup("no starts meet all lags, windows and capacities");
}

/* ---- Groups. ---- */

/* Windows of a group's tasks when the first one starts so that none starts before 0. */
static int64_t hold_together(exact_model *g, const exact_model *m, const uint32_t *members)
{
	int64_t shift = 0, horizon = 0;

	for (uint32_t i = 0; i < g->tasks; i++)
		shift = MAX(shift, -path(m, members[0], members[i]));
	for (uint32_t i = 0; i < g->tasks; i++) {
		g->release[i] = shift + path(m, members[0], members[i]);
		g->deadline[i] = shift - path(m, members[i], members[0]) + g->most[i];
		horizon = MAX(horizon, g->deadline[i]);
	}
	return horizon;
}

static void try_group(const alg_problem *problem, const exact_model *m, const uint32_t *members, uint32_t count,
                      const alg_solve_options *options, alg_solve_result *result, uint64_t conflicts)
{
	exact_model *g = exact_i_model_new(problem, members, count, true);
	exact_windows w;
	bool infeasible = false;
	int64_t horizon;

	if (!g)
		return;
	exact_i_windows_init(&w, g);
	horizon = hold_together(g, m, members);
	infeasible = !exact_i_tighten(g, horizon, &w, options, result);
	if (!infeasible) {
		exact_formula *f = exact_i_encode(g, &w, NULL, false, options, result);

		infeasible = f && exact_i_search(f, conflicts) == EXACT_UNSAT;
		exact_i_formula_free(f);
	}
	if (infeasible) {
		result->status = ALG_INFEASIBLE;
		result->explanation = exact_i_explain(g, horizon, options, result);
	}
	exact_i_windows_fini(&w);
	exact_i_model_free(g);
}

void exact_i_try_groups(const alg_problem *problem, const exact_model *m, const alg_solve_options *options,
                        alg_solve_result *result, uint64_t conflicts)
{
	g_autofree bool *seen = g_new0(bool, m->tasks + 1);
	g_autofree uint32_t *members = g_new(uint32_t, m->tasks + 1);

	for (uint32_t v = 0; m->distance && v < m->tasks && result->status != ALG_INFEASIBLE; v++) {
		uint32_t count = 0;

		for (uint32_t k = v; k < m->tasks && !seen[v]; k++)
			if (path(m, v, k) > EXACT_NO_PATH && path(m, k, v) > EXACT_NO_PATH)
				members[count++] = k;
		for (uint32_t i = 0; i < count; i++)
			seen[members[i]] = true;
		if (count > 1 && !alg_stopped(options, result))
			try_group(problem, m, members, count, options, result, conflicts);
	}
}
