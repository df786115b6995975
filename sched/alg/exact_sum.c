/* SPDX-License-Identifier: Apache-2.0
 *
 * sum of amounts of tasks that run at a time <= capacity, as a decision diagram.  Tasks of which at most one runs at a
 * time (lags, or two would be too much) form groups, found greedily by falling amounts; a layer of the diagram is a
 * group, an edge the amount that its running task takes, or none.  Nodes of a layer that allow the same are one (Abio
 * et al. 2012; with groups Bofill et al. 2020).  Sums only bound from above, so clauses go one way: a node that holds
 * makes its successors hold.
 */
#include "sched/alg/exact_formula.h"

#include <limits.h>
#include <stdlib.h>

/* Means for every budget from LOW to HIGH: the layers from here on stay within it. */
typedef struct node {
	int64_t low, high;
	int holds; /* literal */
} node;

typedef struct diagram {
	exact_formula *f;
	const exact_term *terms; /* group by group */
	unsigned *first;         /* terms of group g: [first[g], first[g + 1]) */
	unsigned groups;
	int64_t *rest; /* per group: the most that it and those after it take */
	GArray **layer;
} diagram;

static bool overlap(const exact_formula *f, uint32_t a, uint32_t b)
{
	const exact_model *m = f->m;
	unsigned why = a == b ? EXACT_BY_LAGS : !m->apart ? 0 : m->apart[(size_t)a * m->tasks + b];

	/* With guards, other resources are no reason. */
	return !(f->guarded ? why & EXACT_BY_LAGS : why);
}

static int by_amount(const void *a, const void *b)
{
	const exact_term *x = a, *y = b;

	if (x->amount != y->amount)
		return x->amount < y->amount ? 1 : -1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Numbers of groups, by term; how many groups. */
static unsigned group(const exact_formula *f, const exact_term *terms, unsigned count, unsigned *number)
{
	enum { NONE = UINT_MAX };
	g_autofree unsigned *last = g_new(unsigned, count + 1);   /* member of a group */
	g_autofree unsigned *before = g_new(unsigned, count + 1); /* the member before this one */
	unsigned groups = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned g = 0;

		for (; g < groups; g++) {
			bool fits = true;

			for (unsigned k = last[g]; k != NONE && fits; k = before[k])
				fits = !overlap(f, terms[i].task, terms[k].task);
			if (fits)
				break;
		}
		number[i] = g;
		before[i] = g < groups ? last[g] : NONE;
		last[g] = i;
		groups = MAX(groups, g + 1);
	}
	return groups;
}

static node build(diagram *d, unsigned g, int64_t budget)
{
	GArray *layer;
	node other, made;
	bool same = true;

	if (budget < 0)
		return (node){INT64_MIN / 2, -1, EXACT_FALSE};
	if (budget >= d->rest[g])
		return (node){d->rest[g], INT64_MAX / 2, EXACT_TRUE};
	layer = d->layer[g];
	for (guint i = 0; i < layer->len; i++) {
		node *n = &g_array_index(layer, node, i);

		if (n->low <= budget && budget <= n->high)
			return *n;
	}
	other = made = build(d, g + 1, budget);
	for (unsigned i = d->first[g]; i < d->first[g + 1] && !d->f->given_up; i++) {
		node taken = build(d, g + 1, budget - d->terms[i].amount);

		made.low = MAX(made.low, taken.low + d->terms[i].amount);
		made.high = MIN(made.high, taken.high + d->terms[i].amount);
		same = same && taken.holds == other.holds;
	}
	if (!same && !d->f->given_up) {
		made.holds = -exact_i_new_variable(d->f);
		exact_i_clause(d->f, (int[]){-made.holds, other.holds}, 2);
		for (unsigned i = d->first[g]; i < d->first[g + 1]; i++) {
			node taken = build(d, g + 1, budget - d->terms[i].amount);

			if (taken.holds != other.holds)
				exact_i_clause(d->f, (int[]){-made.holds, -d->terms[i].literal, taken.holds}, 3);
		}
	}
	g_array_append_val(layer, made);
	return made;
}

/* The first group, whose node is known to hold. */
static void root(diagram *d, int64_t room, int unless)
{
	exact_i_clause(d->f, (int[]){unless, build(d, 1, room).holds}, 2);
	for (unsigned i = d->first[0]; i < d->first[1] && !d->f->given_up; i++)
		exact_i_clause(d->f,
		               (int[]){unless, -d->terms[i].literal, build(d, 1, room - d->terms[i].amount).holds}, 3);
}

static void write(diagram *d, int64_t room, int unless)
{
	d->rest = g_new0(int64_t, d->groups + 1);
	d->layer = g_new(GArray *, d->groups + 1);
	for (unsigned g = d->groups; g-- > 0;) {
		int64_t most = 0;

		for (unsigned i = d->first[g]; i < d->first[g + 1]; i++)
			most = MAX(most, d->terms[i].amount);
		d->rest[g] = d->rest[g + 1] + most;
	}
	for (unsigned g = 0; g <= d->groups; g++)
		d->layer[g] = g_array_new(FALSE, FALSE, sizeof(node));
	if (d->rest[0] > room)
		root(d, room, unless);
	for (unsigned g = 0; g <= d->groups; g++)
		g_array_free(d->layer[g], TRUE);
	g_free(d->layer);
	g_free(d->rest);
}

void exact_i_sum(exact_formula *f, exact_term *terms, unsigned count, int64_t room, int unless)
{
	g_autofree unsigned *number = g_new(unsigned, count + 1);
	g_autofree exact_term *ordered = g_new(exact_term, count + 1);
	g_autofree unsigned *first = g_new0(unsigned, count + 2);
	g_autofree unsigned *taken = g_new0(unsigned, count + 1);
	diagram d = {.f = f, .terms = ordered, .first = first};
	unsigned kept = 0;
	int64_t sum = 0;

	/* What surely runs, and what alone is too much. */
	for (unsigned i = 0; i < count; i++)
		if (terms[i].literal == EXACT_TRUE)
			room -= terms[i].amount;
	if (room < 0) {
		exact_i_clause(f, (int[]){unless}, 1);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		if (terms[i].literal == EXACT_TRUE || terms[i].literal == EXACT_FALSE)
			continue;
		if (terms[i].amount > room) {
			exact_i_clause(f, (int[]){unless, -terms[i].literal}, 2);
			continue;
		}
		sum += terms[i].amount;
		terms[kept++] = terms[i];
	}
	if (sum <= room)
		return;
	qsort(terms, kept, sizeof(*terms), by_amount);
	d.groups = group(f, terms, kept, number);
	for (unsigned i = 0; i < kept; i++)
		first[number[i] + 1]++;
	for (unsigned g = 0; g < d.groups; g++)
		first[g + 1] += first[g];
	for (unsigned i = kept; i-- > 0;)
		ordered[first[number[i] + 1] - 1 - taken[number[i]]++] = terms[i];
	write(&d, room, unless);
}
