/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact search for an allocation within a capacity.
 *
 * State: for every buffer without an address the least it may have, `low`; placing a buffer lifts those that overlap
 * it.  The floor of a clique is the least `low` in it.  In a solution pushed down as far as it goes every buffer is at
 * its `low` or on top of another.  Where the floor is lower than beside it, a flat valley, only buffers that lie inside
 * the valley can be at its level; so for a clique in it: one of these is at the floor, or none is, and then the floor
 * rises to the next level at which anything can begin.  The search branches at the clique with the fewest choices,
 * weighed by how often it has failed.
 *
 * Bound: in each clique, buffers one on top of the other in the order of their `low` end above the capacity.
 *
 * Valleys in parts of time that no open buffer joins are solved apart: a part that fails makes the whole fail, whatever
 * the others do.  What fails is a set of (buffer, low), and is remembered under a hash of 128 bits, also from one
 * restart to the next.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/alloc_int.h"

enum { RESTART_NODES = 500, TABLE_BITS_MAX = 20, STOP_EVERY = 256, KEYS = 4 };

typedef struct hash {
	uint64_t a, b;
} hash;

/* What is known of a clique in a state; all of it follows from the lows of its open buffers. */
typedef struct clique {
	int64_t floor;  /* the least low; INT64_MAX: nothing is open */
	int64_t second; /* the least low, or fixed address, above the floor; INT64_MAX: none */
	int64_t open;   /* bytes without an address */
	int64_t least;  /* size of the smallest open buffer */
	uint32_t at_floor;
} clique;

typedef struct undo_low {
	uint32_t buffer;
	int64_t low;
} undo_low;

typedef struct undo_clique {
	uint32_t clique;
	clique was;
} undo_clique;

typedef struct search {
	const alloc_map *m;
	const alloc_options *o;
	int64_t capacity;
	int64_t *low; /* [count] */
	bool *placed; /* [count] */
	int64_t *size, *alignment, *fixed;
	clique *at;           /* [cliques] */
	bool *dirty;          /* [cliques] a low in it has changed since it was looked at */
	hash *sum;            /* [cliques] of the open buffers that begin there */
	uint32_t *cross;      /* [cliques] open buffers that join it and the next */
	uint32_t *members;    /* as in the map, each clique sorted by low: nearly sorted from one look to the next */
	uint32_t *begins;     /* [cliques + 1] into starters */
	uint32_t *starters;   /* buffers by first clique */
	uint64_t *weight;     /* [cliques] failures: one of weights */
	uint64_t *weights[2]; /* of even restarts, halved from one to the next, and of one odd restart */
	double *key;          /* [count] what is tried first */
	uint32_t *same; /* [count] the first buffer with its life, size and rules: one of them is as good as another */
	GArray *lows, *cliques, *places; /* undo_low, undo_clique, and buffers placed, in the order it happened */
	hash *table;
	uint64_t table_mask;
	uint64_t nodes, limit; /* of all, of this restart */
	bool cut, stopped;
	rng random;
} search;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Adds buffer B at its low to the sum of its first clique (SIGN 1), or takes it out (-1). */
static void count_in(search *s, uint32_t b, uint64_t sign)
{
	uint64_t x = mix((uint64_t)s->low[b] * UINT64_C(0x9e3779b97f4a7c15) + s->same[b] + 1);
	hash *sum = &s->sum[s->m->first[b]];

	sum->a += sign * x;
	sum->b += sign * mix(x + UINT64_C(0x632be59bd9b4e019));
}

static void set_placed(search *s, uint32_t b, bool placed)
{
	count_in(s, b, placed ? UINT64_MAX : 1);
	s->placed[b] = placed;
	for (uint32_t t = s->m->first[b]; t < s->m->last[b]; t++)
		s->cross[t] += placed ? UINT32_MAX : 1;
}

static void set_low(search *s, uint32_t b, int64_t low)
{
	count_in(s, b, UINT64_MAX);
	s->low[b] = low;
	count_in(s, b, 1);
}

static void mark_dirty(search *s, uint32_t b)
{
	memset(s->dirty + s->m->first[b], true, (s->m->last[b] - s->m->first[b] + 1) * sizeof(*s->dirty));
}

static void lift(search *s, uint32_t b, int64_t to)
{
	undo_low entry = {b, s->low[b]};

	if (s->placed[b] || s->low[b] >= to)
		return;
	g_array_append_val(s->lows, entry);
	set_low(s, b, alloc_i_up(to, s->alignment[b]));
	mark_dirty(s, b);
}

/* Lifts what overlaps cliques FIRST to LAST to TO. */
static void lift_range(search *s, uint32_t first, uint32_t last, int64_t to)
{
	for (uint32_t i = s->m->start[first]; i < s->m->start[first + 1]; i++)
		lift(s, s->members[i], to);
	for (uint32_t i = s->begins[first + 1]; i < s->begins[last + 1]; i++)
		lift(s, s->starters[i], to);
}

/* A state to come back to. */
typedef struct mark {
	guint lows, cliques, places;
} mark;

static mark here(const search *s)
{
	return (mark){s->lows->len, s->cliques->len, s->places->len};
}

/* Parts that were filled before another failed are emptied, too. */
static void take_back(search *s, mark to)
{
	for (guint i = s->places->len; i-- > to.places;)
		set_placed(s, g_array_index(s->places, uint32_t, i), false);
	for (guint i = s->lows->len; i-- > to.lows;) {
		const undo_low *entry = &g_array_index(s->lows, undo_low, i);

		set_low(s, entry->buffer, entry->low);
	}
	for (guint i = s->cliques->len; i-- > to.cliques;) {
		const undo_clique *entry = &g_array_index(s->cliques, undo_clique, i);

		s->at[entry->clique] = entry->was;
	}
	g_array_set_size(s->places, to.places);
	g_array_set_size(s->lows, to.lows);
	g_array_set_size(s->cliques, to.cliques);
}

/* Sorts the members of clique T by low, those that have their address last. */
static void sort_members(search *s, uint32_t t)
{
	uint32_t *list = s->members + s->m->start[t], n = s->m->start[t + 1] - s->m->start[t];

	for (uint32_t i = 1; i < n; i++) {
		uint32_t b = list[i], k = i;

		if (s->placed[b])
			continue;
		for (; k > 0 && (s->placed[list[k - 1]] || s->low[list[k - 1]] > s->low[b]); k--)
			list[k] = list[k - 1];
		list[k] = b;
	}
}

/* Looks at clique T again: do its open buffers end within the capacity? */
static bool look(search *s, uint32_t t)
{
	const uint32_t *list = s->members + s->m->start[t];
	uint32_t n = s->m->start[t + 1] - s->m->start[t];
	undo_clique entry = {t, s->at[t]};
	clique now = {.floor = INT64_MAX, .second = INT64_MAX, .least = INT64_MAX};
	int64_t end = 0;

	g_array_append_val(s->cliques, entry);
	sort_members(s, t);
	for (uint32_t i = 0; i < n && !s->placed[list[i]]; i++) {
		uint32_t b = list[i];

		if (s->fixed[b] != ALLOC_FREE && s->low[b] > s->fixed[b])
			return false;
		if (i == 0)
			now.floor = s->low[b];
		if (s->low[b] > now.floor)
			now.second = MIN(now.second, s->low[b]);
		else
			now.at_floor++;
		end = MAX(end, s->low[b]) + s->size[b];
		now.open += s->size[b];
		now.least = MIN(now.least, s->size[b]);
	}
	s->at[t] = now;
	return end <= s->capacity;
}

static bool look_range(search *s, uint32_t first, uint32_t last)
{
	bool fine = true;

	for (uint32_t t = first; t <= last && fine; t++) {
		if (!s->dirty[t])
			continue;
		fine = look(s, t);
		s->weight[t] += !fine;
	}
	memset(s->dirty + first, false, (last - first + 1) * sizeof(*s->dirty));
	return fine;
}

static hash state_of(const search *s, uint32_t first, uint32_t last)
{
	hash h = {0, 0};

	for (uint32_t t = first; t <= last; t++) {
		h.a += s->sum[t].a;
		h.b += s->sum[t].b;
	}
	return h;
}

static bool failed_before(const search *s, hash h)
{
	const hash *at = s->table + (h.a & s->table_mask);

	return at->a == h.a && at->b == h.b;
}

typedef struct choice {
	uint32_t clique;
	uint32_t left, right; /* the valley */
	int64_t next;         /* the floor when nothing is at it; INT64_MAX: something must be */
	double score;
} choice;

/* The level that a floor rises to when nothing is placed there: what is not at its low stands on something in the
 * valley, of LEAST bytes or more. */
static void weigh_valley(search *s, uint32_t left, uint32_t right, choice *best)
{
	int64_t least = INT64_MAX;

	for (uint32_t t = left; t <= right; t++)
		least = MIN(least, s->at[t].least);
	for (uint32_t t = left; t <= right; t++) {
		const clique *c = &s->at[t];
		int64_t next = MIN(c->second, c->floor + least);
		uint32_t count = c->at_floor;
		double score;

		if (next - c->floor > s->capacity - c->floor - c->open)
			next = INT64_MAX;
		else
			count++;
		score = count <= 1 ? 0 : count / (double)(1 + s->weight[t]);
		if (score < best->score)
			*best = (choice){t, left, right, next, score};
	}
}

static choice choose(search *s, uint32_t first, uint32_t last)
{
	choice best = {.score = 1e300};

	for (uint32_t left = first, right; left <= last; left = right + 1) {
		right = left;
		while (right < last && s->at[right + 1].floor == s->at[left].floor)
			right++;
		if ((left == first || s->at[left - 1].floor > s->at[left].floor) &&
		    (right == last || s->at[right + 1].floor > s->at[left].floor))
			weigh_valley(s, left, right, &best);
		if (best.score <= 0)
			break;
	}
	return best;
}

static bool fill(search *s, uint32_t first, uint32_t last);

/* The parts of FIRST to LAST one after the other, the one that failed most often first. */
static bool fill_parts(search *s, uint32_t first, uint32_t last)
{
	g_autoptr(GArray) parts = NULL;
	uint32_t left = first;

	for (uint32_t t = first; t <= last; t++) {
		if (s->at[t].floor == INT64_MAX) {
			left = t + 1;
		} else if (t == last || s->cross[t] == 0) {
			if (left == first && t == last)
				return fill(s, first, last);
			if (!parts)
				parts = g_array_new(FALSE, FALSE, sizeof(choice));
			g_array_append_val(parts, ((choice){.left = left, .right = t}));
			left = t + 1;
		}
	}
	for (guint i = 0; parts && i < parts->len; i++) {
		choice *part = &g_array_index(parts, choice, i);

		for (uint32_t t = part->left; t <= part->right; t++)
			part->score += (double)s->weight[t];
	}
	while (parts && parts->len) {
		choice part;
		guint at = 0;

		for (guint i = 1; i < parts->len; i++)
			if (g_array_index(parts, choice, i).score > g_array_index(parts, choice, at).score)
				at = i;
		part = g_array_index(parts, choice, at);
		g_array_remove_index(parts, at);
		if (!fill(s, part.left, part.right))
			return false;
	}
	return true;
}

/* The buffers that may be at the floor of the chosen clique, those tried first in front; equal ones once. */
static uint32_t *candidates(const search *s, uint32_t t, uint32_t *count)
{
	uint32_t *list = g_new(uint32_t, s->m->start[t + 1] - s->m->start[t] + 1), n = 0;

	for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++) {
		uint32_t b = s->members[i], at = n;
		bool again = false;

		if (s->placed[b] || s->low[b] != s->at[t].floor)
			continue;
		for (uint32_t k = 0; k < n; k++)
			again = again || s->same[list[k]] == s->same[b];
		if (again)
			continue;
		n++;
		for (; at > 0 && s->key[list[at - 1]] < s->key[b]; at--)
			list[at] = list[at - 1];
		list[at] = b;
	}
	*count = n;
	return list;
}

static bool out_of_budget(search *s)
{
	if (s->nodes >= s->limit)
		s->cut = true;
	if (s->nodes % STOP_EVERY == 0 && s->o->stop && s->o->stop(s->o->stop_state))
		s->cut = s->stopped = true;
	return s->cut;
}

static bool fill(search *s, uint32_t first, uint32_t last)
{
	hash h = state_of(s, first, last);
	mark before = here(s);
	g_autofree uint32_t *list = NULL;
	uint32_t count;
	choice at;
	bool done = false;

	if (failed_before(s, h) || out_of_budget(s))
		return false;
	at = choose(s, first, last);
	list = candidates(s, at.clique, &count);
	for (uint32_t i = 0; i < count && !done && !s->cut; i++) {
		uint32_t b = list[i];

		s->nodes++;
		set_placed(s, b, true);
		g_array_append_val(s->places, b);
		mark_dirty(s, b);
		lift_range(s, s->m->first[b], s->m->last[b], s->low[b] + s->size[b]);
		done = look_range(s, first, last) && fill_parts(s, first, last);
		if (!done)
			take_back(s, before);
	}
	if (!done && !s->cut && at.next != INT64_MAX) {
		s->nodes++;
		lift_range(s, at.clique, at.clique, at.next);
		done = look_range(s, first, last) && fill_parts(s, first, last);
		if (!done)
			take_back(s, before);
	}
	if (!done && !s->cut)
		s->table[h.a & s->table_mask] = h;
	return done;
}

/* Where a restart begins: nothing placed, and the order in which buffers are tried. */
static void begin(search *s, uint64_t restart)
{
	const alloc_map *m = s->m;

	s->weight = s->weights[restart % 2];
	for (uint32_t t = 0; t < m->cliques; t++)
		s->weight[t] = restart % 2 ? 0 : s->weight[t] / 2;
	memset(s->sum, 0, m->cliques * sizeof(*s->sum));
	memset(s->cross, 0, m->cliques * sizeof(*s->cross));
	memset(s->dirty, true, m->cliques * sizeof(*s->dirty));
	for (uint32_t b = 0; b < m->count; b++) {
		double length = m->last[b] - m->first[b] + 1, size = (double)s->size[b];
		double keys[KEYS] = {length * size, length, size, length * length * size};

		s->low[b] = MAX(s->fixed[b], 0);
		set_placed(s, b, false);
		s->key[b] = keys[restart / 2 % KEYS];
		if (restart / 2 >= KEYS)
			s->key[b] *= 0.5 + rng_unit(&s->random);
	}
	g_array_set_size(s->lows, 0);
	g_array_set_size(s->cliques, 0);
	g_array_set_size(s->places, 0);
	s->cut = false;
}

static uint64_t luby(uint64_t i)
{
	uint64_t k = 1;

	while ((UINT64_C(1) << k) - 1 < i + 1)
		k++;
	while ((UINT64_C(1) << k) - 1 != i + 1) {
		i -= (UINT64_C(1) << (k - 1)) - 1;
		k = 1;
		while ((UINT64_C(1) << k) - 1 < i + 1)
			k++;
	}
	return UINT64_C(1) << (k - 1);
}

static void find_same(search *s)
{
	for (uint32_t b = 0; b < s->m->count; b++) {
		uint32_t t = s->m->first[b];

		s->same[b] = b;
		for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++) {
			uint32_t c = s->members[i];

			if (c < s->same[b] && s->m->first[c] == t && s->m->last[c] == s->m->last[b] &&
			    s->size[c] == s->size[b] && s->alignment[c] == s->alignment[b] &&
			    s->fixed[c] == s->fixed[b])
				s->same[b] = c;
		}
	}
}

static void find_starters(search *s)
{
	const alloc_map *m = s->m;
	uint32_t n = 0;

	s->begins = g_new(uint32_t, m->cliques + 1);
	s->starters = g_new(uint32_t, m->count);
	for (uint32_t t = 0; t < m->cliques; t++) {
		s->begins[t] = n;
		for (uint32_t i = m->start[t]; i < m->start[t + 1]; i++)
			if (m->first[m->members[i]] == t)
				s->starters[n++] = m->members[i];
	}
	s->begins[m->cliques] = n;
}

static void set_up(search *s)
{
	uint32_t n = s->m->count;
	uint64_t table = 1024;

	while (table < s->limit && table < UINT64_C(1) << TABLE_BITS_MAX)
		table *= 2;
	s->low = g_new(int64_t, n);
	s->placed = g_new(bool, n);
	s->size = g_new(int64_t, n);
	s->alignment = g_new(int64_t, n);
	s->fixed = g_new(int64_t, n);
	s->at = g_new0(clique, s->m->cliques);
	s->dirty = g_new(bool, s->m->cliques);
	s->sum = g_new(hash, s->m->cliques);
	s->members = g_memdup2(s->m->members, s->m->start[s->m->cliques] * sizeof(*s->members));
	for (unsigned i = 0; i < 2; i++)
		s->weights[i] = g_new0(uint64_t, s->m->cliques);
	s->key = g_new(double, n);
	s->cross = g_new(uint32_t, s->m->cliques);
	s->same = g_new(uint32_t, n);
	s->lows = g_array_new(FALSE, FALSE, sizeof(undo_low));
	s->places = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	s->cliques = g_array_new(FALSE, FALSE, sizeof(undo_clique));
	s->table = g_new0(hash, table);
	s->table_mask = table - 1;
	for (uint32_t b = 0; b < n; b++) {
		s->size[b] = s->m->p->buffers[b].size_bytes;
		s->alignment[b] = s->m->p->buffers[b].alignment_bytes;
		s->fixed[b] = s->m->p->buffers[b].fixed;
	}
	find_same(s);
	find_starters(s);
	rng_seed(&s->random, s->o->seed, 1);
}

static void tear_down(search *s)
{
	g_free(s->low);
	g_free(s->placed);
	g_free(s->size);
	g_free(s->alignment);
	g_free(s->fixed);
	g_free(s->at);
	g_free(s->dirty);
	g_free(s->sum);
	g_free(s->members);
	g_free(s->begins);
	g_free(s->starters);
	g_free(s->weights[0]);
	g_free(s->weights[1]);
	g_free(s->key);
	g_free(s->cross);
	g_free(s->same);
	g_free(s->table);
	g_array_free(s->places, TRUE);
	g_array_free(s->lows, TRUE);
	g_array_free(s->cliques, TRUE);
}

enum alloc_i_outcome alloc_i_exact(const alloc_map *m, const alloc_options *o, int64_t capacity, uint64_t limit,
                                   int64_t *address, uint64_t *nodes)
{
	search s = {.m = m, .o = o, .capacity = capacity, .limit = limit};
	enum alloc_i_outcome outcome = ALLOC_I_CUT;

	if (m->count > ALLOC_EXACT_MAX || m->count == 0)
		return m->count ? ALLOC_I_CUT : ALLOC_I_FOUND;
	set_up(&s);
	for (uint64_t restart = 0; outcome == ALLOC_I_CUT && s.nodes < limit && !s.stopped; restart++) {
		begin(&s, restart);
		s.limit = MIN(limit, s.nodes + luby(restart / 2) * (RESTART_NODES + m->count));
		if (look_range(&s, 0, m->cliques - 1) && fill_parts(&s, 0, m->cliques - 1))
			outcome = ALLOC_I_FOUND;
		else if (!s.cut)
			outcome = ALLOC_I_NONE;
	}
	if (outcome == ALLOC_I_FOUND)
		memcpy(address, s.low, m->count * sizeof(*address));
	*nodes += s.nodes;
	tear_down(&s);
	return outcome;
}
