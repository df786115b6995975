/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of modulo schedules.  It unrolls nothing and shares nothing with the search: dependences by their
 * definition, resources by counting, for each cycle of the kernel, the iterations that take units in it.
 */
#include <string.h>

#include "sched/alg/cyclic.h"

/* AMOUNT units in LENGTH cycles from FROM on, as changes from cycle to cycle of the kernel: whole turns take every
 * cycle, the rest may run over its end. */
static void add_use(int64_t *change, int64_t ii, int64_t from, int64_t length, int64_t amount)
{
	int64_t first = from % ii, last = first + length % ii;

	change[0] += length / ii * amount;
	change[first] += amount;
	change[MIN(last, ii)] -= amount;
	if (last > ii) {
		change[0] += amount;
		change[last - ii] -= amount;
	}
}

/* A use, where it is. */
typedef struct taken {
	uint32_t resource;
	int64_t from, length, amount;
} taken;

static int by_resource(gconstpointer a, gconstpointer b)
{
	const taken *x = a, *y = b;

	return (x->resource > y->resource) - (x->resource < y->resource);
}

static GArray *list_uses(const cyclic_problem *p, const int64_t *start, const uint32_t *mode)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(taken));

	for (uint32_t v = 0; v < p->ops->len; v++) {
		const cyclic_mode *m = cyclic_mode_at(p, v, mode[v]);

		for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++) {
			const cyclic_use *use = cyclic_use_at(p, u);
			taken one = {use->resource, start[v] + use->offset, use->length, use->amount};

			g_array_append_val(all, one);
		}
	}
	g_array_sort(all, by_resource);
	return all;
}

static char *check_resources(const cyclic_problem *p, int64_t ii, const int64_t *start, const uint32_t *mode)
{
	g_autofree int64_t *change = g_new(int64_t, (gsize)ii + 1);
	g_autoptr(GArray) all = list_uses(p, start, mode);

	for (guint i = 0; i < all->len;) {
		uint32_t r = g_array_index(all, taken, i).resource;
		int64_t sum = 0;

		memset(change, 0, ((gsize)ii + 1) * sizeof(*change));
		for (; i < all->len && g_array_index(all, taken, i).resource == r; i++) {
			const taken *t = &g_array_index(all, taken, i);

			add_use(change, ii, t->from, t->length, t->amount);
		}
		for (int64_t cycle = 0; cycle < ii; cycle++) {
			sum += change[cycle];
			if (sum > cyclic_resource_at(p, r)->capacity)
				return g_strdup_printf(
					"%" G_GINT64_FORMAT " of %u units of '%s' in cycle %" G_GINT64_FORMAT, sum,
					cyclic_resource_at(p, r)->capacity, cyclic_resource_at(p, r)->name, cycle);
		}
	}
	return NULL;
}

char *cyclic_check(const cyclic_problem *p, int64_t ii, const int64_t *start, const uint32_t *mode)
{
	if (ii < 1)
		return g_strdup("no initiation interval");
	for (uint32_t v = 0; v < p->ops->len; v++) {
		if (mode[v] >= cyclic_op_at(p, v)->modes)
			return g_strdup_printf("'%s' has no mode %u", cyclic_op_at(p, v)->name, mode[v]);
		if (start[v] < 0)
			return g_strdup_printf("'%s' starts before its iteration", cyclic_op_at(p, v)->name);
	}
	for (uint32_t i = 0; i < p->edges->len; i++) {
		const cyclic_edge *e = cyclic_edge_at(p, i);

		if (start[e->to] + ii * e->distance < start[e->from] + e->latency)
			return g_strdup_printf("'%s' starts too early after '%s'", cyclic_op_at(p, e->to)->name,
			                       cyclic_op_at(p, e->from)->name);
	}
	return check_resources(p, ii, start, mode);
}
