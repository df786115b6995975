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
 * the others do.  What fails is a set of (buffer, low), and is remembered under a hash of 128 bits, also from one restart
 * to the next.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/alloc_int.h"

enum { RESTART_NODES = 500, TABLE_BITS_MAX = 20, STOP_EVERY = 256, KEYS = 4 };

typedef struct hash {
	uint64_t a, b;
} hash;

typedef struct undo {
	uint32_t buffer;
	int64_t low;
} undo;

typedef struct search {
	const alloc_map *m;
	const alloc_options *o;
	int64_t capacity;
	int64_t *low;       /* [count] */
	bool *placed;       /* [count] */
	int64_t *size, *alignment, *fixed;
	int64_t *floor;     /* [cliques] of the state last looked at; INT64_MAX: nothing open */
	uint64_t *weight;   /* [cliques] failures */
	double *key;        /* [count] what is tried first */
	int64_t *cross;     /* [cliques + 1] scratch: open buffers that join a clique and the next */
	undo *sorted;       /* [count] scratch of one clique */
	uint32_t *same;     /* [count] the first buffer with its life, size and rules: one of them is as good as another */
	GArray *trail;      /* undo */
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

static void lift(search *s, uint32_t b, int64_t to)
{
	undo entry = {b, s->low[b]};

	to = alloc_i_up(to, s->alignment[b]);
	if (s->low[b] >= to)
		return;
	g_array_append_val(s->trail, entry);
	s->low[b] = to;
}

static void take_back(search *s, guint mark)
{
	for (guint i = s->trail->len; i-- > mark;) {
		const undo *entry = &g_array_index(s->trail, undo, i);

		s->low[entry->buffer] = entry->low;
	}
	g_array_set_size(s->trail, mark);
}

/* Lifts what overlaps cliques FIRST to LAST to TO.  A buffer is met first in its first clique, or in FIRST. */
static void lift_range(search *s, uint32_t first, uint32_t last, int64_t to)
{
	const alloc_map *m = s->m;

	for (uint32_t t = first; t <= last; t++)
		for (uint32_t i = m->start[t]; i < m->start[t + 1]; i++) {
			uint32_t b = m->members[i];

			if (!s->placed[b] && (t == first || m->first[b] == t))
				lift(s, b, to);
		}
}

/* The floor of clique T, and whether its open buffers end within the capacity. */
static bool look(search *s, uint32_t t)
{
	const alloc_map *m = s->m;
	uint32_t n = 0;
	int64_t end = 0;

	for (uint32_t i = m->start[t]; i < m->start[t + 1]; i++) {
		uint32_t b = m->members[i], at = n;

		if (s->placed[b])
			continue;
		if (s->fixed[b] != ALLOC_FREE && s->low[b] > s->fixed[b])
			return false;
		n++;
		for (; at > 0 && s->sorted[at - 1].low > s->low[b]; at--)
			s->sorted[at] = s->sorted[at - 1];
		s->sorted[at] = (undo){b, s->low[b]};
	}
	s->floor[t] = n ? s->sorted[0].low : INT64_MAX;
	for (uint32_t i = 0; i < n; i++)
		end = MAX(end, s->sorted[i].low) + s->size[s->sorted[i].buffer];
	return end <= s->capacity;
}

static bool look_range(search *s, uint32_t first, uint32_t last)
{
	for (uint32_t t = first; t <= last; t++)
		if (!look(s, t)) {
			s->weight[t]++;
			return false;
		}
	return true;
}

static hash state_of(const search *s, uint32_t first, uint32_t last)
{
	hash h = {0, 0};

	for (uint32_t t = first; t <= last; t++)
		for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++) {
			uint32_t b = s->m->members[i];
			uint64_t x;

			if (s->placed[b] || (t != first && s->m->first[b] != t))
				continue;
			x = mix((uint64_t)s->low[b] * UINT64_C(0x9e3779b97f4a7c15) + s->same[b] + 1);
			h.a += x;
			h.b += mix(x + UINT64_C(0x632be59bd9b4e019));
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

static bool at_floor(const search *s, uint32_t b, uint32_t t)
{
	return !s->placed[b] && s->low[b] == s->floor[t] && (s->fixed[b] == ALLOC_FREE || s->fixed[b] == s->low[b]);
}

/* The level that the floor of T rises to when nothing is placed there.  LEAST is the smallest open buffer that touches
 * the valley: what is not at its `low` stands on something. */
static int64_t next_level(const search *s, uint32_t t, int64_t least)
{
	int64_t level = s->floor[t] + least;

	for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++) {
		uint32_t b = s->m->members[i];

		if (!s->placed[b] && s->low[b] > s->floor[t])
			level = MIN(level, s->low[b]);
		else if (!s->placed[b] && s->fixed[b] > s->floor[t])
			level = MIN(level, s->fixed[b]);
	}
	return level;
}

/* Bytes that clique T can lose. */
static int64_t slack(const search *s, uint32_t t)
{
	int64_t open = 0;

	for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++)
		if (!s->placed[s->m->members[i]])
			open += s->size[s->m->members[i]];
	return s->capacity - s->floor[t] - open;
}

static void weigh_valley(search *s, uint32_t left, uint32_t right, choice *best)
{
	int64_t least = INT64_MAX;

	for (uint32_t t = left; t <= right; t++)
		for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++)
			if (!s->placed[s->m->members[i]])
				least = MIN(least, s->size[s->m->members[i]]);
	for (uint32_t t = left; t <= right; t++) {
		int64_t next = next_level(s, t, least);
		uint32_t count = 0;
		double score;

		for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++)
			count += at_floor(s, s->m->members[i], t);
		if (next - s->floor[t] > slack(s, t))
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
		while (right < last && s->floor[right + 1] == s->floor[left])
			right++;
		if ((left == first || s->floor[left - 1] > s->floor[left]) &&
		    (right == last || s->floor[right + 1] > s->floor[left]))
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

	memset(s->cross + first, 0, (last - first + 2) * sizeof(*s->cross));
	for (uint32_t t = first; t <= last; t++)
		for (uint32_t i = s->m->start[t]; i < s->m->start[t + 1]; i++) {
			uint32_t b = s->m->members[i];

			if (!s->placed[b] && (t == first || s->m->first[b] == t)) {
				s->cross[t]++;
				s->cross[MIN(s->m->last[b], last)]--;
			}
		}
	for (uint32_t t = first; t < last; t++)
		s->cross[t + 1] += s->cross[t];
	for (uint32_t t = first; t <= last; t++) {
		if (s->floor[t] == INT64_MAX) {
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
		uint32_t b = s->m->members[i], at = n;
		bool again = false;

		if (!at_floor(s, b, t))
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
	guint mark = s->trail->len;
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
		s->placed[b] = true;
		lift_range(s, s->m->first[b], s->m->last[b], s->low[b] + s->size[b]);
		done = look_range(s, first, last) && fill_parts(s, first, last);
		if (!done) {
			take_back(s, mark);
			s->placed[b] = false;
		}
	}
	if (!done && !s->cut && at.next != INT64_MAX) {
		s->nodes++;
		/* The floors belong to a state below; NEXT does not. */
		lift_range(s, at.clique, at.clique, at.next);
		done = look_range(s, first, last) && fill_parts(s, first, last);
		if (!done)
			take_back(s, mark);
	}
	if (!done && !s->cut)
		s->table[h.a & s->table_mask] = h;
	return done;
}

/* Where a restart begins: lows, and the order in which buffers are tried. */
static void begin(search *s, uint64_t restart)
{
	const alloc_map *m = s->m;

	for (uint32_t b = 0; b < m->count; b++) {
		double length = m->last[b] - m->first[b] + 1, size = (double)s->size[b];
		double keys[KEYS] = {length * size, length, size, length * length * size};

		s->placed[b] = false;
		s->low[b] = MAX(s->fixed[b], 0);
		s->key[b] = keys[restart % KEYS];
		if (restart >= KEYS)
			s->key[b] *= 0.5 + rng_unit(&s->random);
	}
	g_array_set_size(s->trail, 0);
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
			uint32_t c = s->m->members[i];

			if (c < s->same[b] && s->m->first[c] == t && s->m->last[c] == s->m->last[b] &&
			    s->size[c] == s->size[b] && s->alignment[c] == s->alignment[b] && s->fixed[c] == s->fixed[b])
				s->same[b] = c;
		}
	}
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
	s->floor = g_new(int64_t, s->m->cliques);
	s->weight = g_new0(uint64_t, s->m->cliques);
	s->key = g_new(double, n);
	s->cross = g_new(int64_t, s->m->cliques + 1);
	s->sorted = g_new(undo, n);
	s->same = g_new(uint32_t, n);
	s->trail = g_array_new(FALSE, FALSE, sizeof(undo));
	s->table = g_new0(hash, table);
	s->table_mask = table - 1;
	for (uint32_t b = 0; b < n; b++) {
		s->size[b] = s->m->p->buffers[b].size_bytes;
		s->alignment[b] = s->m->p->buffers[b].alignment_bytes;
		s->fixed[b] = s->m->p->buffers[b].fixed;
	}
	find_same(s);
	rng_seed(&s->random, s->o->seed, 1);
}

static void tear_down(search *s)
{
	g_free(s->low);
	g_free(s->placed);
	g_free(s->size);
	g_free(s->alignment);
	g_free(s->fixed);
	g_free(s->floor);
	g_free(s->weight);
	g_free(s->key);
	g_free(s->cross);
	g_free(s->sorted);
	g_free(s->same);
	g_free(s->table);
	g_array_free(s->trail, TRUE);
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
		s.limit = MIN(limit, s.nodes + luby(restart) * (RESTART_NODES + m->count));
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
