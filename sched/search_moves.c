/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators of a search: two of the order of operations, a new order by the model, and the kinds of decisions.  Which
 * one is next is chosen by upper confidence bounds on its past gain.
 */
#include "sched/search_int.h"

#include <math.h>
#include <string.h>

#define CURIOSITY 0.7 /* of the choice of operators */

alg_move_count *hunt_move_at(const hunt *h, unsigned i)
{
	return &g_array_index(h->found->moves, alg_move_count, i);
}

unsigned hunt_add_move(hunt *h, const char *name)
{
	alg_move_count move = {.name = g_intern_string(name)};
	double none = 0;

	for (unsigned i = 0; i < h->found->moves->len; i++)
		if (hunt_move_at(h, i)->name == move.name)
			return i;
	g_array_append_val(h->found->moves, move);
	g_array_append_val(h->gain, none);
	return h->found->moves->len - 1;
}

static bool stands_before(const sched_sheet *s, uint32_t a, uint32_t b)
{
	const GArray *list = g_ptr_array_index(s->pairs, b);

	for (guint i = 0; i < list->len; i++)
		if (g_array_index(list, uint32_t, i) == a)
			return true;
	return false;
}

/* Can two neighbours in the order change places? */
bool hunt_has_freedom(const sched_sheet *s)
{
	for (uint32_t i = 1; s->pairs && i < s->asked_count; i++)
		if (!stands_before(s, s->asked[i - 1], s->asked[i]))
			return true;
	return false;
}

/* Is there anything that operator MOVE can change? */
static bool applies(const hunt *h, unsigned move)
{
	if (move < MOVE_KINDS)
		return h->free_order && (move != MOVE_MODEL || (h->model && h->model_fits));
	for (guint i = 0; i < h->now->decisions->len; i++) {
		const sched_decision *d = &g_array_index(h->now->decisions, sched_decision, i);

		if (d->count > 1 && strcmp(d->kind, hunt_move_at(h, move)->name) == 0)
			return true;
	}
	return false;
}

unsigned hunt_choose_move(hunt *h)
{
	unsigned best = UINT_MAX, applicable = 0;
	double best_value = -1;

	for (guint i = 0; i < h->now->decisions->len; i++)
		hunt_add_move(h, g_array_index(h->now->decisions, sched_decision, i).kind);
	for (unsigned i = 0; i < h->found->moves->len; i++) {
		double tried = (double)hunt_move_at(h, i)->tried, value = INFINITY;

		if (!applies(h, i))
			continue;
		if (h->options->uniform) {
			best = rng_below(&h->random, ++applicable) == 0 ? i : best;
			continue;
		}
		if (tried > 0)
			value = g_array_index(h->gain, double, i) / tried +
			        CURIOSITY * sqrt(log((double)h->tried + 1) / tried);
		if (value > best_value) {
			best = i;
			best_value = value;
		}
	}
	return best;
}

void hunt_own_order(sched_sheet *s)
{
	g_free(s->order);
	s->order = g_memdup2(s->asked, s->asked_count * sizeof(uint32_t));
	s->order_count = s->asked_count;
}

static void move_to(uint32_t *order, uint32_t from, uint32_t to)
{
	uint32_t moved = order[from];

	if (from < to)
		memmove(order + from, order + from + 1, (to - from) * sizeof(uint32_t));
	else
		memmove(order + to + 1, order + to, (from - to) * sizeof(uint32_t));
	order[to] = moved;
}

/* An operation goes to another place between those it needs and those that need it. */
void hunt_shift(hunt *h, sched_sheet *s)
{
	hunt_own_order(s);
	uint32_t from = (uint32_t)rng_below(&h->random, s->order_count), low = from, high = from, to;

	while (low > 0 && !stands_before(s, s->order[low - 1], s->order[from]))
		low--;
	while (high + 1 < s->order_count && !stands_before(s, s->order[from], s->order[high + 1]))
		high++;
	if (low == high)
		return;
	to = low + (uint32_t)rng_below(&h->random, high - low);
	move_to(s->order, from, to + (to >= from));
}

/* Neighbours change places, a few times. */
void hunt_swap(hunt *h, sched_sheet *s)
{
	hunt_own_order(s);
	for (unsigned n = (unsigned)rng_below(&h->random, 3) + 1; n > 0; n--) {
		uint32_t at = (uint32_t)rng_below(&h->random, s->order_count - 1);

		if (!stands_before(s, s->order[at], s->order[at + 1]))
			move_to(s->order, at, at + 1);
	}
}

/* A decision of KIND gets another value; now and then all of that kind get it. */
void hunt_decide_anew(hunt *h, sched_sheet *s, const char *kind)
{
	g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
	sched_decision *d;
	uint32_t value;

	for (guint i = 0; i < s->decisions->len; i++) {
		d = &g_array_index(s->decisions, sched_decision, i);
		if (d->count > 1 && strcmp(d->kind, kind) == 0)
			g_array_append_val(places, i);
	}
	if (!places->len)
		return;
	d = &g_array_index(s->decisions, sched_decision,
	                   g_array_index(places, guint, rng_below(&h->random, places->len)));
	value = (uint32_t)rng_below(&h->random, d->count - 1);
	value += value >= d->value;
	if (places->len > 1 && rng_below(&h->random, 3) == 0)
		for (guint i = 0; i < places->len; i++) {
			sched_decision *other =
				&g_array_index(s->decisions, sched_decision, g_array_index(places, guint, i));

			other->value = MIN(value, other->count - 1);
		}
	d->value = value;
}
