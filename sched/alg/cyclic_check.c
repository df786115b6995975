/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of modulo schedules.  It unrolls nothing and shares nothing with the search: dependences by their
 * definition, resources by counting, for each cycle of the kernel, the iterations that take units in it.
 */
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

static char *check_resource(const cyclic_problem *p, uint32_t r, int64_t ii, const int64_t *start, const uint32_t *mode)
{
	g_autofree int64_t *change = g_new0(int64_t, (gsize)ii + 1);
	int64_t sum = 0;

	for (uint32_t v = 0; v < p->ops->len; v++) {
		const cyclic_mode *m = cyclic_mode_at(p, v, mode[v]);

		for (uint32_t u = m->first_use; u < m->first_use + m->uses; u++)
			if (cyclic_use_at(p, u)->resource == r)
				add_use(change, ii, start[v] + cyclic_use_at(p, u)->offset, cyclic_use_at(p, u)->length,
				        cyclic_use_at(p, u)->amount);
	}
	for (int64_t cycle = 0; cycle < ii; cycle++) {
		sum += change[cycle];
		if (sum > cyclic_resource_at(p, r)->capacity)
			return g_strdup_printf("%" G_GINT64_FORMAT " of %u units of '%s' in cycle %" G_GINT64_FORMAT,
			                       sum, cyclic_resource_at(p, r)->capacity, cyclic_resource_at(p, r)->name,
			                       cycle);
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
	for (uint32_t r = 0; r < p->resources->len; r++) {
		char *offence = check_resource(p, r, ii, start, mode);

		if (offence)
			return offence;
	}
	return NULL;
}
