/* SPDX-License-Identifier: Apache-2.0
 *
 * Lower bounds of the initiation interval.
 *
 * Resources: for a set of them, what every operation asks of the set in whichever mode asks least, over what of the
 * set's capacity the amounts asked for can fill.  Single resources and, for alternative units, the sets that modes
 * span: those of one operation, and unions of such up to a number; for operations that take one unit of one of several
 * resources for one cycle these sets are all that matters (Hall).  Then intervals at which some operation, alone, meets
 * itself.  Recurrences: the largest ratio of latency to distance over all cycles, exactly.
 */
#include <string.h>

#include "sched/alg/cyclic_int.h"

enum { SETS_MAX = 512, FILL_MAX = 1 << 16, SET_WORDS_MAX = (CYCLIC_RESOURCES_MAX + 63) / 64 };

typedef struct resource_set {
	uint64_t in[SET_WORDS_MAX];
} resource_set;

static bool has(const resource_set *s, uint32_t r)
{
	return s->in[r / 64] >> r % 64 & 1;
}

/* Appends SET unless it is there. */
static void add_set(GArray *sets, const resource_set *set)
{
	for (guint i = 0; i < sets->len; i++)
		if (memcmp(&g_array_index(sets, resource_set, i), set, sizeof(*set)) == 0)
			return;
	if (sets->len < SETS_MAX)
		g_array_append_vals(sets, set, 1);
}

/* The sets of several resources to look at. */
static GArray *sets_of(const cyclic_problem *p)
{
	GArray *sets = g_array_new(FALSE, FALSE, sizeof(resource_set));
	guint spans;

	for (uint32_t v = 0; v < p->ops->len; v++) {
		const cyclic_op *op = cyclic_op_at(p, v);
		resource_set set = {{0}};

		for (uint32_t m = 0; m < op->modes; m++)
			for (uint32_t u = 0; u < cyclic_mode_at(p, v, m)->uses; u++) {
				uint32_t r = cyclic_use_at(p, cyclic_mode_at(p, v, m)->first_use + u)->resource;

				set.in[r / 64] |= UINT64_C(1) << r % 64;
			}
		if (op->modes > 1)
			add_set(sets, &set);
	}
	spans = sets->len;
	for (guint a = 0; a < sets->len && sets->len < SETS_MAX; a++)
		for (guint b = 0; b < spans && sets->len < SETS_MAX; b++) {
			resource_set set = g_array_index(sets, resource_set, a);

			for (unsigned w = 0; w < SET_WORDS_MAX; w++)
				set.in[w] |= g_array_index(sets, resource_set, b).in[w];
			add_set(sets, &set);
		}
	return sets;
}

/* Unit cycles that operation V asks of SET at least. */
static uint64_t work_of(const cyclic_problem *p, uint32_t v, const resource_set *set)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t m = 0; m < cyclic_op_at(p, v)->modes; m++) {
		const cyclic_mode *mode = cyclic_mode_at(p, v, m);
		uint64_t work = 0;

		for (uint32_t u = mode->first_use; u < mode->first_use + mode->uses; u++)
			if (has(set, cyclic_use_at(p, u)->resource))
				work += (uint64_t)cyclic_use_at(p, u)->amount * cyclic_use_at(p, u)->length;
		least = MIN(least, work);
	}
	return least;
}

static char *names_of(const cyclic_problem *p, const resource_set *set)
{
	GString *names = g_string_new(NULL);

	for (uint32_t r = 0; r < p->resources->len; r++)
		if (has(set, r))
			g_string_append_printf(names, "%s%s", names->len ? " + " : "", cyclic_resource_at(p, r)->name);
	return g_string_free(names, FALSE);
}

/* The most of CAPACITY that COUNT amounts asked for can fill: 120 of 139 by forties. */
static uint64_t fill_of(uint32_t capacity, const uint32_t *amounts, uint32_t count)
{
	g_autofree uint8_t *sum = NULL;

	if (capacity > FILL_MAX)
		return capacity;
	sum = g_new0(uint8_t, capacity + 1);
	sum[0] = 1;
	for (uint32_t a = 0; a < count; a++) {
		uint32_t amount = amounts[a];

		/* Of an amount seen before nothing new comes. */
		if (amount > capacity || sum[amount] == 2)
			continue;
		for (uint32_t i = amount; i <= capacity; i++)
			if (sum[i - amount] && !sum[i])
				sum[i] = 1;
		sum[amount] = 2;
	}
	while (capacity && !sum[capacity])
		capacity--;
	return capacity;
}

/* That of each resource; g_free. */
static uint64_t *fills_of(const cyclic_problem *p)
{
	uint32_t n = p->resources->len;
	g_autofree uint32_t *first = g_new0(uint32_t, n + 2), *amounts = g_new(uint32_t, p->uses->len + 1);
	uint64_t *fill = g_new(uint64_t, n + 1);

	/* Amounts by resource, in order: two places on, so that filling moves each beginning to its own place. */
	for (uint32_t u = 0; u < p->uses->len; u++)
		first[cyclic_use_at(p, u)->resource + 2]++;
	for (uint32_t r = 1; r < n + 2; r++)
		first[r] += first[r - 1];
	for (uint32_t u = 0; u < p->uses->len; u++)
		amounts[first[cyclic_use_at(p, u)->resource + 1]++] = cyclic_use_at(p, u)->amount;
	for (uint32_t r = 0; r < n; r++)
		fill[r] = fill_of(cyclic_resource_at(p, r)->capacity, amounts + first[r], first[r + 1] - first[r]);
	return fill;
}

static void set_bound(cyclic_bounds *b, uint64_t work, uint64_t capacity, char *why)
{
	int64_t bound = work && capacity ? (int64_t)((work + capacity - 1) / capacity) : 0;

	if (bound > b->resource) {
		b->resource = bound;
		g_free(b->resource_why);
		b->resource_why = g_strdup(why);
	}
	g_free(why);
}

/* Each resource by itself: for many of them, operation after operation is less than set after set. */
static void bound_single(const cyclic_problem *p, const uint64_t *fill, cyclic_bounds *b)
{
	uint32_t n = p->resources->len;
	g_autofree uint64_t *work = g_new0(uint64_t, n + 1), *mode_work = g_new0(uint64_t, n + 1);
	g_autofree uint32_t *uses = g_new0(uint32_t, n + 1);
	g_autofree uint64_t *least = g_new0(uint64_t, n + 1);

	for (uint32_t v = 0; v < p->ops->len; v++) {
		const cyclic_op *op = cyclic_op_at(p, v);

		/* A resource counts by the mode that asks least of it, and not at all where some mode asks nothing. */
		for (uint32_t m = 0; m < op->modes; m++) {
			const cyclic_mode *mode = cyclic_mode_at(p, v, m);

			for (uint32_t u = mode->first_use; u < mode->first_use + mode->uses; u++) {
				const cyclic_use *use = cyclic_use_at(p, u);

				mode_work[use->resource] += (uint64_t)use->amount * use->length;
			}
			for (uint32_t u = mode->first_use; u < mode->first_use + mode->uses; u++) {
				uint32_t r = cyclic_use_at(p, u)->resource;

				if (!mode_work[r])
					continue;
				least[r] = uses[r] ? MIN(least[r], mode_work[r]) : mode_work[r];
				uses[r]++;
				mode_work[r] = 0;
			}
		}
		for (uint32_t m = 0; m < op->modes; m++) {
			const cyclic_mode *mode = cyclic_mode_at(p, v, m);

			for (uint32_t u = mode->first_use; u < mode->first_use + mode->uses; u++) {
				uint32_t r = cyclic_use_at(p, u)->resource;

				work[r] += uses[r] == op->modes ? least[r] : 0;
				uses[r] = 0;
			}
		}
	}
	for (uint32_t r = 0; r < n; r++)
		set_bound(b, work[r], fill[r], g_strdup(cyclic_resource_at(p, r)->name));
}

static void bound_sets(const cyclic_problem *p, cyclic_bounds *b)
{
	GArray *sets = sets_of(p);
	g_autofree uint64_t *fill = fills_of(p);

	bound_single(p, fill, b);

	for (guint i = 0; i < sets->len; i++) {
		const resource_set *set = &g_array_index(sets, resource_set, i);
		uint64_t work = 0, capacity = 0;

		for (uint32_t r = 0; r < p->resources->len; r++)
			capacity += has(set, r) ? fill[r] : 0;
		for (uint32_t v = 0; v < p->ops->len; v++)
			work += work_of(p, v, set);
		set_bound(b, work, capacity, names_of(p, set));
	}
	g_array_free(sets, TRUE);
}

/* No interval helps an operation that asks for more than there is in one of its cycles. */
static uint32_t find_impossible(const cyclic_problem *p)
{
	int64_t longest = 1;
	uint32_t which = UINT32_MAX;

	for (uint32_t u = 0; u < p->uses->len; u++)
		longest = MAX(longest, (int64_t)cyclic_use_at(p, u)->offset + cyclic_use_at(p, u)->length);
	return cyclic_i_fits_alone(p, longest, &which) ? UINT32_MAX : which;
}

void cyclic_bound(const cyclic_problem *p, cyclic_bounds *b)
{
	GArray *arcs = g_array_new(FALSE, FALSE, sizeof(cyclic_arc));
	int64_t alone;
	uint32_t which;

	*b = (cyclic_bounds){.cycle = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
	b->impossible = find_impossible(p);
	bound_sets(p, b);
	for (alone = MAX(b->resource, 1); b->impossible == UINT32_MAX && !cyclic_i_fits_alone(p, alone, &which);
	     alone++) {
		g_free(b->resource_why);
		b->resource_why = g_strdup(cyclic_op_at(p, which)->name);
	}
	if (alone > 1)
		b->resource = alone;
	for (uint32_t i = 0; i < p->edges->len; i++) {
		const cyclic_edge *e = cyclic_edge_at(p, i);
		cyclic_arc arc = {e->from, e->to, i, e->latency, e->distance};

		g_array_append_val(arcs, arc);
	}
	/* A cycle of ratio 0 or below bounds nothing. */
	cyclic_best_ratio(arcs, p->ops->len, (cyclic_rate){0, 1}, &b->ratio, b->cycle);
	if (b->ratio.distance)
		b->recurrence = (b->ratio.time + b->ratio.distance - 1) / b->ratio.distance;
	g_array_free(arcs, TRUE);
}

void cyclic_bounds_fini(cyclic_bounds *b)
{
	g_free(b->resource_why);
	if (b->cycle)
		g_array_free(b->cycle, TRUE);
}
