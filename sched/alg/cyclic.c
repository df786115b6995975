/* SPDX-License-Identifier: Apache-2.0
 *
 * Modulo scheduling: problems, and the walk from the lower bound upward.  At each interval the search with ejection
 * goes first, in several orders; where it fails the exact part says whether there is a schedule.  Feasibility is not
 * monotone in II (a reservation table may meet itself at one interval and not at a smaller one), so every interval on
 * the way is refuted for itself.
 */
#include "sched/alg/cyclic_int.h"

#include <string.h>

enum {
	PLACEMENTS = 2000000,
	CONFLICTS = 200000,
	MOVES = 100000,
	ORDERS = 4,            /* of one interval */
	PLACEMENTS_PER_OP = 8, /* of one order, as Rau's budget ratio */
};

const char *const cyclic_status_names[CYCLIC_STATUS_COUNT] = {"optimal", "feasible", "infeasible", "unknown"};

cyclic_problem *cyclic_problem_new(void)
{
	cyclic_problem *p = g_new0(cyclic_problem, 1);

	p->resources = g_array_new(FALSE, FALSE, sizeof(cyclic_resource));
	p->uses = g_array_new(FALSE, FALSE, sizeof(cyclic_use));
	p->modes = g_array_new(FALSE, FALSE, sizeof(cyclic_mode));
	p->ops = g_array_new(FALSE, FALSE, sizeof(cyclic_op));
	p->edges = g_array_new(FALSE, FALSE, sizeof(cyclic_edge));
	return p;
}

void cyclic_problem_free(cyclic_problem *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->resources->len; i++)
		g_free(cyclic_resource_at(p, i)->name);
	for (uint32_t i = 0; i < p->ops->len; i++)
		g_free(cyclic_op_at(p, i)->name);
	g_array_free(p->resources, TRUE);
	g_array_free(p->uses, TRUE);
	g_array_free(p->modes, TRUE);
	g_array_free(p->ops, TRUE);
	g_array_free(p->edges, TRUE);
	g_free(p);
}

uint32_t cyclic_add_resource(cyclic_problem *p, const char *name, uint32_t capacity)
{
	cyclic_resource r = {g_strdup(name), capacity};

	g_array_append_val(p->resources, r);
	return p->resources->len - 1;
}

uint32_t cyclic_add_op(cyclic_problem *p, const char *name)
{
	cyclic_op op = {g_strdup(name), p->modes->len, 0};

	g_array_append_val(p->ops, op);
	return p->ops->len - 1;
}

void cyclic_add_mode(cyclic_problem *p)
{
	cyclic_mode mode = {p->uses->len, 0};

	g_array_append_val(p->modes, mode);
	g_array_index(p->ops, cyclic_op, p->ops->len - 1).modes++;
}

void cyclic_add_use(cyclic_problem *p, uint32_t resource, uint32_t amount, uint32_t offset, uint32_t length)
{
	cyclic_use use = {resource, amount, offset, length};

	g_array_append_val(p->uses, use);
	g_array_index(p->modes, cyclic_mode, p->modes->len - 1).uses++;
}

void cyclic_add_edge(cyclic_problem *p, uint32_t from, uint32_t to, int64_t latency, uint32_t distance, bool value)
{
	cyclic_edge edge = {from, to, latency, distance, value};

	g_array_append_val(p->edges, edge);
}

void cyclic_options_init(cyclic_options *options)
{
	*options = (cyclic_options){.placements = PLACEMENTS, .conflicts = CONFLICTS, .moves = MOVES, .seed = 1};
}

bool cyclic_i_stopped(const cyclic_options *options, cyclic_result *result)
{
	if (!result->capped && options->stop && options->stop(options->stop_state))
		result->capped = true;
	return result->capped;
}

/* An interval at which iterations need not overlap: all operations one after the other. */
static int64_t sequential(const cyclic_problem *p)
{
	int64_t sum = 1;

	for (uint32_t i = 0; i < p->uses->len; i++)
		sum += (int64_t)cyclic_use_at(p, i)->offset + cyclic_use_at(p, i)->length;
	for (uint32_t i = 0; i < p->edges->len; i++)
		sum += MAX(cyclic_edge_at(p, i)->latency, 0);
	return sum;
}

/* A schedule at II, as the result's. */
static enum cyclic_answer try_interval(const cyclic_graph *g, const cyclic_options *options, int64_t ii,
                                       cyclic_result *r)
{
	uint64_t each = (uint64_t)PLACEMENTS_PER_OP * g->p->ops->len + 16;
	uint64_t left = options->conflicts - MIN(options->conflicts, r->conflicts);
	enum cyclic_answer answer = CYCLIC_OPEN;
	uint32_t alone;

	if (!cyclic_i_fits_alone(g->p, ii, &alone))
		return CYCLIC_NO;
	for (unsigned order = 0; order < ORDERS && r->placements < options->placements; order++) {
		cyclic_search s = {g, options, r, MIN(each, options->placements - r->placements), order};

		if (cyclic_i_list(&s, ii, r->start, r->mode)) {
			r->found_by = order ? "ejection, disturbed order" : "ejection";
			return CYCLIC_YES;
		}
	}
	/* Half of what is left: larger intervals may need the rest. */
	if (left && cyclic_has_exact && !cyclic_i_stopped(options, r))
		answer = cyclic_i_exact(g, ii, 0, MAX(left / 2, 1), options, r, r->start, r->mode);
	if (answer == CYCLIC_YES)
		r->found_by = "exact";
	return answer;
}

static void walk(const cyclic_graph *g, const cyclic_options *options, cyclic_result *r)
{
	int64_t limit = options->limit ? options->limit : MAX(sequential(g->p), r->lower_bound);
	bool proved = options->from <= r->lower_bound;

	for (int64_t ii = MAX(r->lower_bound, options->from); ii <= limit && !cyclic_i_stopped(options, r); ii++) {
		enum cyclic_answer answer = try_interval(g, options, ii, r);

		if (answer == CYCLIC_YES) {
			r->ii = ii;
			r->status = proved ? CYCLIC_OPTIMAL : CYCLIC_FEASIBLE;
			return;
		}
		proved = proved && answer == CYCLIC_NO;
		if (proved)
			r->lower_bound = ii + 1;
		/* Without a budget nothing but trying alone is left, and that is not worth a million intervals. */
		if (r->placements >= options->placements && r->conflicts >= options->conflicts)
			return;
	}
}

/* Fewer stages, by proof, where the moves left more than the longest way needs. */
static void prove_stages(const cyclic_graph *g, const cyclic_options *options, cyclic_result *r)
{
	uint32_t n = g->p->ops->len;
	g_autofree int64_t *tail = g_new(int64_t, n), *start = g_new(int64_t, n);
	g_autofree uint32_t *mode = g_new(uint32_t, n);
	int64_t longest = 0;
	uint32_t least;

	cyclic_i_lengths(g->p, r->ii, NULL, tail);
	for (uint32_t v = 0; v < n; v++)
		longest = MAX(longest, tail[v]);
	least = (uint32_t)(longest / r->ii) + 1;
	for (; least < r->stages && cyclic_has_exact; least++) {
		uint64_t left = options->conflicts - MIN(options->conflicts, r->conflicts);
		enum cyclic_answer answer;

		if (!left || cyclic_i_stopped(options, r))
			return;
		answer = cyclic_i_exact(g, r->ii, least, MAX(left / 2, 1), options, r, start, mode);
		if (answer == CYCLIC_OPEN)
			return;
		if (answer == CYCLIC_YES) {
			memcpy(r->start, start, n * sizeof(*start));
			memcpy(r->mode, mode, n * sizeof(*mode));
			cyclic_i_shape(g, options, r);
			break;
		}
	}
	r->stages_proved = least >= r->stages;
}

void cyclic_solve(const cyclic_problem *p, const cyclic_options *options, cyclic_result *r)
{
	g_autofree char *offence = NULL;
	cyclic_graph g;

	*r = (cyclic_result){.status = CYCLIC_UNKNOWN};
	cyclic_bound(p, &r->bounds);
	r->lower_bound = MAX(MAX(r->bounds.resource, r->bounds.recurrence), 1);
	if (r->bounds.impossible != UINT32_MAX || r->bounds.ratio.distance == 0) {
		r->status = CYCLIC_INFEASIBLE;
		return;
	}
	r->start = g_new0(int64_t, p->ops->len + 1);
	r->mode = g_new0(uint32_t, p->ops->len + 1);
	cyclic_i_graph_init(&g, p);
	walk(&g, options, r);
	if (r->ii) {
		cyclic_i_shape(&g, options, r);
		prove_stages(&g, options, r);
		offence = cyclic_check(p, r->ii, r->start, r->mode);
		r->valid = !offence;
	} else {
		g_clear_pointer(&r->start, g_free);
		g_clear_pointer(&r->mode, g_free);
	}
	cyclic_i_graph_fini(&g);
}

void cyclic_result_fini(cyclic_result *r)
{
	cyclic_bounds_fini(&r->bounds);
	g_free(r->start);
	g_free(r->mode);
}
