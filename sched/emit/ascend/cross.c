/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters between sub-cores.
 *
 * Inside a core the cube sub-core raises the counters of its vector sub-cores and they, all of them, raise its one
 * (mode 2).  A counter belongs to a pipe of the setter: two sets of one pipe may arrive in either order, but when one
 * has arrived everything before the earlier one is complete.  Where only one vector sub-core has something to wait for
 * the other takes its waits when it next has, or at the end; where only one has something to tell, the other sets as
 * early as it can.  A counter holds few sets: one more is placed only where the setter is known to come after the wait
 * that makes room for it.
 *
 * Whatever else depends across sub-cores makes all cores meet, when all they have done to global memory is complete:
 * those of a kind by mode 0, then both kinds of a core by mode 2, as far as they have done something, and go on.  Cores
 * without counters meet by words of global memory, in rounds: in each a core sets a word of its own and waits for that
 * of the core 1, 2, 4 ... before it, so that after the last it has heard of all of them.
 */
#include "sched/emit/ascend/sync_int.h"

enum { MEET_KIND_ID = 11, MEET_CORE_ID = 12, MODE_KIND = 0, MODE_CORE = 2, MOST_BEHIND = 8 };

void cross_init(front *f)
{
	neighbours none = {.from = 0};

	f->neighbours = g_array_new(FALSE, FALSE, sizeof(neighbours));
	g_array_append_val(f->neighbours, none);
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		f->cross[p].wait = g_array_new(FALSE, FALSE, sizeof(knowledge));
		f->cross[p].placed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	}
}

void cross_fini(front *f)
{
	g_array_free(f->neighbours, TRUE);
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		g_array_free(f->cross[p].wait, TRUE);
		g_array_free(f->cross[p].placed, TRUE);
	}
}

static neighbours *now_known(const front *f)
{
	return &g_array_index(f->neighbours, neighbours, f->neighbours->len - 1);
}

/* What F knew of its neighbours when it pushed step ITEM. */
static const neighbours *known_at(const front *f, uint32_t item)
{
	guint low = 0, high = f->neighbours->len;

	while (high - low > 1) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(f->neighbours, neighbours, middle).from <= item)
			low = middle;
		else
			high = middle;
	}
	return &g_array_index(f->neighbours, neighbours, low);
}

static bool same_core(const syncer *s, const front *f, uint32_t sub)
{
	return s->front[sub].sub->block == f->sub->block;
}

bool cross_knows(const syncer *s, const front *f, const away *a)
{
	return same_core(s, f, a->sub) && now_known(f)->of[s->front[a->sub].member].of[a->pipe] >= complete(a->step);
}

/* From the step at hand on F knows WHAT more of its neighbours, and what they knew of F. */
static void learn(front *f, const neighbours *what)
{
	neighbours n = *now_known(f);

	for (unsigned m = 0; m < SYNC_MEMBERS; m++)
		knowledge_join(&n.of[m], &what->of[m]);
	knowledge_join(&f->pipe[ASC_PIPE_S].know, &what->of[f->member]);
	n.from = f->cursor;
	if (now_known(f)->from == f->cursor)
		*now_known(f) = n;
	else
		g_array_append_val(f->neighbours, n);
}

/* What a set behind STEP of pipe P of F tells of the whole core. */
static neighbours tells(const front *f, unsigned p, uint32_t step)
{
	neighbours n = *known_at(f, step ? g_array_index(f->pipe[p].item, uint32_t, step - 1) : 0);
	knowledge own = front_told(f, p, step);

	knowledge_join(&n.of[f->member], &own);
	return n;
}

/* The core's vector sub-cores, or its cube sub-core: those that are not of F's kind. */
static front *partner(syncer *s, const front *f, unsigned i)
{
	uint32_t first = f->index - f->member;

	if (f->sub->kind == ASC_VECTOR)
		return i ? NULL : &s->front[first];
	return i + 1 < s->b->subs ? &s->front[first + 1 + i] : NULL;
}

/* One more set of pipe P of F behind STEP: is there room in TO's counter when it comes? */
static bool has_room(const syncer *s, const front *f, unsigned p, uint32_t step, const front *to)
{
	uint32_t limit = (uint32_t)s->b->machine->cross_max, number = f->cross[p].sets + 1;
	neighbours known = tells(f, p, step);
	const knowledge *before;

	if (number <= limit)
		return true;
	if (to->cross[p].wait->len < number - limit)
		return false;
	/* The wait comes before the next step of any pipe. */
	before = &g_array_index(to->cross[p].wait, knowledge, number - limit - 1);
	for (unsigned q = 0; q < ASC_PIPES; q++)
		if (known.of[to->member].of[q] >= complete(before->of[q] + 1))
			return true;
	return false;
}

static void set_behind(front *f, unsigned p, uint32_t step)
{
	if (step)
		note_behind(f, g_array_index(f->pipe[p].item, uint32_t, step - 1), ASC_OP_SETCROSS, p, MODE_CORE, p);
	else
		note_before(f, ASC_OP_SETCROSS, p, MODE_CORE, p);
	f->cross[p].sets++;
	g_array_append_val(f->cross[p].placed, step);
	f->cross[p].last = MAX(f->cross[p].last, step);
	f->b->counts.crossings++;
}

static void wait_for(front *f, unsigned p)
{
	knowledge before;

	for (unsigned q = 0; q < ASC_PIPES; q++)
		before.of[q] = f->pipe[q].count;
	note_before(f, ASC_OP_WAITCROSS, ASC_PIPE_S, p, 0);
	f->cross[p].waits++;
	g_array_append_val(f->cross[p].wait, before);
}

/* The vector sub-core F needs STEP of pipe P of its cube sub-core. */
static bool from_cube(syncer *s, front *f, front *cube, unsigned p, uint32_t step)
{
	neighbours what;
	front *v;

	/* A set that stands for the other vector sub-core, and that F has not taken, is as good. */
	for (uint32_t n = f->cross[p].waits; n < cube->cross[p].sets; n++) {
		uint32_t placed = g_array_index(cube->cross[p].placed, uint32_t, n);

		if (placed < step)
			continue;
		while (f->cross[p].waits <= n)
			wait_for(f, p);
		what = tells(cube, p, placed);
		learn(f, &what);
		return true;
	}
	/* Sets of one pipe follow one another. */
	step = MAX(step, cube->cross[p].last);
	what = tells(cube, p, step);
	for (unsigned i = 0; (v = partner(s, cube, i)) != NULL; i++) {
		while (v != f && cube->cross[p].sets > v->cross[p].waits + MOST_BEHIND)
			wait_for(v, p);
		if (!has_room(s, cube, p, step, v))
			return false;
	}
	set_behind(cube, p, step);
	while (f->cross[p].waits < cube->cross[p].sets)
		wait_for(f, p);
	learn(f, &what);
	return true;
}

/* The cube sub-core F needs STEP[i] of pipe P of vector sub-core i, 0 where it needs nothing. */
static bool from_vectors(syncer *s, front *f, unsigned p, uint32_t *step)
{
	neighbours what = {.from = 0};
	front *v;

	for (unsigned i = 0; (v = partner(s, f, i)) != NULL; i++) {
		/* Sets of one pipe follow one another. */
		step[i] = MAX(step[i], v->cross[p].last);
		if (!has_room(s, v, p, step[i], f))
			return false;
	}
	for (unsigned i = 0; (v = partner(s, f, i)) != NULL; i++) {
		neighbours one = tells(v, p, step[i]);

		for (unsigned m = 0; m < SYNC_MEMBERS; m++)
			knowledge_join(&what.of[m], &one.of[m]);
		set_behind(v, p, step[i]);
	}
	wait_for(f, p);
	learn(f, &what);
	return true;
}

/* A set in front of all steps of its sub-core would stand behind what was set later. */
static bool connect_cube(syncer *s, front *f, unsigned p)
{
	uint32_t step[SYNC_MEMBERS] = {0};
	bool any = false;

	for (guint i = 0; i < s->away->len; i++) {
		const away *a = &g_array_index(s->away, away, i);

		if (a->pipe != p || cross_knows(s, f, a))
			continue;
		step[s->front[a->sub].member - 1] = MAX(step[s->front[a->sub].member - 1], a->step);
		any = true;
	}
	return !any || from_vectors(s, f, p, step);
}

bool cross_connect(syncer *s, front *f)
{
	for (guint i = 0; i < s->away->len; i++) {
		const away *a = &g_array_index(s->away, away, i);

		if (!cross_knows(s, f, a) && (!same_core(s, f, a->sub) || s->front[a->sub].sub->kind == f->sub->kind ||
		                              f->b->machine->cross_ids <= ASC_PIPES))
			return false;
	}
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		uint32_t step = 0;

		if (f->sub->kind == ASC_CUBE) {
			if (!connect_cube(s, f, p))
				return false;
			continue;
		}
		for (guint i = 0; i < s->away->len; i++) {
			const away *a = &g_array_index(s->away, away, i);

			if (a->pipe == p && !cross_knows(s, f, a))
				step = MAX(step, a->step);
		}
		if (step && !from_cube(s, f, partner(s, f, 0), p, step))
			return false;
	}
	return true;
}

void cross_settle(syncer *s, front *f)
{
	if (f->sub->kind != ASC_VECTOR || (!f->sub->items->len && !f->sub->joins))
		return;
	for (unsigned p = 0; p < ASC_PIPES; p++)
		while (f->cross[p].waits < partner(s, f, 0)->cross[p].sets)
			wait_for(f, p);
}

/* ---- meetings ---- */

static bool takes_part(const front *f)
{
	return f->sub->items->len || f->sub->joins;
}

/* The pipe whose sets tell what F has done. */
static unsigned way_out(const front *f)
{
	return !f->b->machine->cross_ids ? ASC_PIPE_S : f->sub->kind == ASC_CUBE ? ASC_PIPE_FIX : ASC_PIPE_MTE3;
}

/* A set at the end of the way out, to come now, tells of everything of F that others may depend on. */
static void gather(front *f)
{
	unsigned out = way_out(f);
	needs n = {.of = {0}};

	for (unsigned p = 0; p < ASC_PIPES; p++)
		if (p != out)
			n.of[p] = f->memory[p];
	knowledge_join(&f->pipe[out].know, &f->pipe[ASC_PIPE_S].know);
	f->pipe[out].know.of[ASC_PIPE_S] = MAX(f->pipe[out].know.of[ASC_PIPE_S], complete(f->pipe[ASC_PIPE_S].count));
	cover(f, out, &n);
}

/* The NUMBER-th core of those with steps meets the others by words of global memory. */
static void meet_by_words(front *f, uint32_t number)
{
	asb *b = f->b;

	for (unsigned round = 0; round < asb_words_rounds(b); round++) {
		note_before(f, ASC_OP_SETWORD, round, 0, number);
		note_before(f, ASC_OP_WAITWORD, round, 0, (number + b->words_cores - (1u << round)) % b->words_cores);
	}
}

static void place_words(syncer *s)
{
	asb *b = s->b;

	if (b->words || b->machine->cross_ids)
		return;
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		b->words_cores += b->sub[i].items->len > 0;
	b->words = asb_scratch(b, asb_words_bytes(b));
}

/* What a meeting is for: kinds that have done something for other cores meet among themselves; then, core by core, who
 * goes on hears what the other kind has told its own since it last heard of that.  Who does nothing before the next
 * meeting hears it then, unless others of its kind have by that time. */
typedef struct meeting {
	bool fresh[ASC_KINDS];
	uint32_t members[ASC_KINDS], cores;
} meeting;

/* What its own kind, and the other kind of its core, hear of a sub-core. */
typedef struct telling {
	knowledge kind, core;
} telling;

static bool is_told(const syncer *s, const front *f, enum asc_kind from, enum asc_kind to)
{
	return s->link[f->sub->block].tells[from][to];
}

/* Kind TO meets: what any of its members has heard all hear. */
static void spread_heard(syncer *s, enum asc_kind from, enum asc_kind to)
{
	bool heard = false;

	for (uint32_t block = 0; block < s->b->blocks; block++)
		heard |= s->link[block].takes_part && !s->link[block].owed[from][to];
	for (uint32_t block = 0; heard && block < s->b->blocks; block++)
		s->link[block].owed[from][to] = false;
}

static meeting plan_meeting(syncer *s, const bool *present)
{
	meeting m = {.cores = 0};

	for (uint32_t block = 0; block < s->b->blocks; block++)
		s->link[block].takes_part = false;
	for (uint32_t i = 0; i < s->b->blocks * s->b->subs; i++) {
		const front *f = &s->front[i];

		if (!takes_part(f))
			continue;
		m.members[f->sub->kind]++;
		m.fresh[f->sub->kind] |= f->used || !present;
		m.cores += !s->link[f->sub->block].takes_part;
		s->link[f->sub->block].takes_part = true;
	}
	for (unsigned from = 0; from < ASC_KINDS; from++)
		for (unsigned to = 0; to < ASC_KINDS; to++) {
			if (m.fresh[to])
				spread_heard(s, (enum asc_kind)from, (enum asc_kind)to);
			for (uint32_t block = 0; block < s->b->blocks; block++) {
				core_link *l = &s->link[block];

				l->owed[from][to] |= from != to && s->both && l->takes_part && m.fresh[from];
				l->tells[from][to] = l->owed[from][to] && (!present || present[block * ASC_KINDS + to]);
			}
		}
	return m;
}

static bool has_purpose(const syncer *s, const meeting *m)
{
	bool any = false;

	for (unsigned kind = 0; kind < ASC_KINDS; kind++) {
		any |= m->fresh[kind];
		for (uint32_t block = 0; block < s->b->blocks; block++)
			for (unsigned to = 0; to < ASC_KINDS; to++)
				any |= s->link[block].tells[kind][to];
	}
	return any;
}

/* Accesses that everybody now knows, the sub-core itself as well; what nobody else asks for is not told. */
static void forget_told(syncer *s, const meeting *m, asb_spans *set)
{
	g_ptr_array_set_size(s->found, 0);
	asb_spans_find(set, 0, UINT64_MAX, s->found);
	for (guint i = 0; i < s->found->len; i++) {
		asb_span *old = g_ptr_array_index(s->found, i);
		const front *f = &s->front[old->sub];

		if (m->fresh[f->sub->kind] &&
		    f->asked[g_array_index(f->pipe[old->pipe].item, uint32_t, old->step - 1)] &&
		    (!s->b->machine->cross_ids || m->members[f->sub->kind] > 1))
			asb_spans_remove(set, old);
	}
}

static void close_meeting(syncer *s, const meeting *m)
{
	for (uint32_t block = 0; block < s->b->blocks; block++)
		for (unsigned from = 0; from < ASC_KINDS; from++)
			for (unsigned to = 0; to < ASC_KINDS; to++)
				if (s->link[block].tells[from][to])
					s->link[block].owed[from][to] = false;
	forget_told(s, m, &s->global.reads);
	forget_told(s, m, &s->global.writes);
	s->b->counts.syncs++;
}

/* Sets and waits of F. */
static void meet(syncer *s, front *f, const meeting *m, uint32_t number, telling *told)
{
	enum asc_kind kind = f->sub->kind, other = kind == ASC_CUBE ? ASC_VECTOR : ASC_CUBE;
	unsigned out = way_out(f);

	if (m->fresh[kind])
		gather(f);
	told->kind = front_told_now(f, out);
	if (m->fresh[kind] && !s->b->machine->cross_ids) {
		meet_by_words(f, number);
	} else if (m->fresh[kind] && m->members[kind] > 1) {
		note_before(f, ASC_OP_SETCROSS, out, MODE_KIND, MEET_KIND_ID);
		note_before(f, ASC_OP_WAITCROSS, ASC_PIPE_S, MEET_KIND_ID, 0);
		/* Its own set is among those it waits for. */
		knowledge_join(&f->pipe[ASC_PIPE_S].know, &told->kind);
	}
	told->core = front_told_now(f, out);
	if (is_told(s, f, kind, other))
		note_before(f, ASC_OP_SETCROSS, out, MODE_CORE, MEET_CORE_ID);
	if (is_told(s, f, other, kind))
		note_before(f, ASC_OP_WAITCROSS, ASC_PIPE_S, MEET_CORE_ID, 0);
	if (m->fresh[kind])
		f->used = false;
}

/* What F has heard of its neighbours.  Counters between kinds of which the waiting one has told that it took all of
 * them begin anew. */
static void hear(syncer *s, front *f, const meeting *m, const telling *told)
{
	enum asc_kind kind = f->sub->kind, other = kind == ASC_CUBE ? ASC_VECTOR : ASC_CUBE;
	uint32_t first = f->index - f->member;
	neighbours n = {.from = 0};

	for (unsigned i = 0; i < s->b->subs && i < SYNC_MEMBERS; i++) {
		const front *g = &s->front[first + i];

		if (!takes_part(g))
			continue;
		if (g->sub->kind == kind && m->fresh[kind] && m->members[kind] > 1)
			n.of[i] = told[first + i].kind;
		if (g->sub->kind != kind && is_told(s, f, other, kind))
			n.of[i] = told[first + i].core;
	}
	learn(f, &n);
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		crossing *c = &f->cross[p];

		if (is_told(s, f, other, kind)) {
			c->sets = c->last = 0;
			g_array_set_size(c->placed, 0);
		}
		if (is_told(s, f, kind, other)) {
			c->waits = 0;
			g_array_set_size(c->wait, 0);
		}
	}
}

void cross_meet(syncer *s, const bool *present)
{
	asb *b = s->b;
	meeting m = plan_meeting(s, present);
	g_autofree telling *told = g_new0(telling, (size_t)b->blocks * b->subs);
	uint32_t number = 0;

	/* Inside a core counters and flags serve, step by step. */
	if (present && (m.cores < 2 || !has_purpose(s, &m)))
		return;
	place_words(s);
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		cross_settle(s, &s->front[i]);
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		if (takes_part(&s->front[i]))
			meet(s, &s->front[i], &m, number++, &told[i]);
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		if (takes_part(&s->front[i]))
			hear(s, &s->front[i], &m, told);
	close_meeting(s, &m);
}
