/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags and barriers inside a sub-core.
 *
 * Each pipe knows how far every other pipe is complete; a step that depends on more than its pipe knows gets a wait
 * before it, and the step depended on a set right behind it.  A set carries what its pipe knew then, so one flag often
 * stands for several; of what a step needs only what no other of its needs brings along gets a flag.  Nothing is put in
 * front of what is already placed, so a flag that was needed stays needed.
 *
 * Sets stand before their waits in the stream, so one instruction after another always can go on, whatever the depth of
 * the queues.  Ids: a set takes an id whose last wait the setting pipe is known to come after; where there is none, a
 * later place of the same pipe, and in the end a round trip.
 */
#include "sched/emit/ascend/sync_int.h"

enum { LATER_STEPS = 32 };

void knowledge_join(knowledge *into, const knowledge *from)
{
	for (unsigned p = 0; p < ASC_PIPES; p++)
		into->of[p] = MAX(into->of[p], from->of[p]);
}

knowledge front_told(const front *f, unsigned p, uint32_t step)
{
	knowledge k = {.of = {0}};

	if (step)
		k = g_array_index(f->pipe[p].past, knowledge, step - 1);
	k.of[p] = complete(step);
	return k;
}

knowledge front_told_now(const front *f, unsigned p)
{
	knowledge k = f->pipe[p].know;

	knowledge_join(&k, &f->pipe[ASC_PIPE_S].know);
	k.of[ASC_PIPE_S] = complete(f->pipe[ASC_PIPE_S].count);
	k.of[p] = complete(f->pipe[p].count);
	return k;
}

void note_before(front *f, enum asc_op op, unsigned a, unsigned b, unsigned c)
{
	asb_note n = {f->cursor, ASB_NONE, (uint16_t)op, (uint8_t)a, (uint8_t)b, (uint16_t)c};

	g_array_append_val(f->sub->before, n);
}

void note_behind(front *f, uint32_t item, enum asc_op op, unsigned a, unsigned b, unsigned c)
{
	asb_note n = {item, f->sub->last[item], (uint16_t)op, (uint8_t)a, (uint8_t)b, (uint16_t)c};

	f->sub->last[item] = f->sub->behind->len;
	g_array_append_val(f->sub->behind, n);
}

/* The id of (from, to) whose last wait is longest ago. */
static unsigned oldest_id(const front *f, unsigned from, unsigned to)
{
	unsigned ids = MIN((unsigned)f->b->machine->flag_ids, SYNC_IDS), best = 0;

	for (unsigned id = 1; id < ids; id++)
		if (f->waited[from][to][id] < f->waited[from][to][best])
			best = id;
	return best;
}

static void take_wait(front *f, unsigned from, unsigned to, unsigned id, const knowledge *what)
{
	note_before(f, ASC_OP_WAITFLAG, from, to, id);
	f->waited[from][to][id] = 2 * (f->pipe[to].count + 1);
	knowledge_join(&f->pipe[to].know, what);
	f->b->counts.flags++;
}

/* Everything the sub-core has begun is complete. */
static void stop_all(front *f)
{
	note_before(f, ASC_OP_BARRIER, ASC_PIPE_ALL, 0, 0);
	for (unsigned p = 0; p < ASC_PIPES; p++)
		for (unsigned q = 0; q < ASC_PIPES; q++)
			f->pipe[p].know.of[q] = complete(f->pipe[q].count);
	memset(f->waited, 0, sizeof(f->waited));
	f->b->counts.barriers++;
}

/* A flag from the end of pipe FROM to pipe TO, both now; false when no id is safe. */
static bool raise_now(front *f, unsigned from, unsigned to)
{
	unsigned id = oldest_id(f, from, to);
	knowledge what = front_told_now(f, from);

	if (what.of[to] < f->waited[from][to][id])
		return false;
	note_before(f, ASC_OP_SETFLAG, from, to, id);
	take_wait(f, from, to, id, &what);
	return true;
}

/* Pipe TO, before its next step, waits for step STEP of pipe FROM. */
static void raise_flag(front *f, unsigned from, uint32_t step, unsigned to)
{
	unsigned id = oldest_id(f, from, to);
	uint32_t last = MIN(f->pipe[from].count, step + LATER_STEPS);

	for (uint32_t at = step; at <= last; at++) {
		knowledge what = front_told(f, from, at);

		if (what.of[to] < f->waited[from][to][id])
			continue;
		note_behind(f, g_array_index(f->pipe[from].item, uint32_t, at - 1), ASC_OP_SETFLAG, from, to, id);
		take_wait(f, from, to, id, &what);
		return;
	}
	if (raise_now(f, from, to))
		return;
	f->b->counts.round_trips++;
	if (!asc_flag_pair(f->sub->kind, (enum asc_pipe)to, (enum asc_pipe)from) || !raise_now(f, to, from) ||
	    !raise_now(f, from, to))
		stop_all(f);
}

/* A pipe between FROM and TO that has flags of both; ASC_PIPES when there is none. */
static unsigned between(const front *f, unsigned from, unsigned to)
{
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		if (asc_flag_pair(f->sub->kind, (enum asc_pipe)from, (enum asc_pipe)p) &&
		    asc_flag_pair(f->sub->kind, (enum asc_pipe)p, (enum asc_pipe)to))
			return p;
	return ASC_PIPES;
}

static bool knows(const front *f, unsigned p, unsigned of, uint32_t step)
{
	return f->pipe[p].know.of[of] >= complete(step);
}

static void connect(front *f, unsigned from, uint32_t step, unsigned to)
{
	unsigned over;

	if (asc_flag_pair(f->sub->kind, (enum asc_pipe)from, (enum asc_pipe)to)) {
		raise_flag(f, from, step, to);
		return;
	}
	over = between(f, from, to);
	if (over == ASC_PIPES) {
		stop_all(f);
		return;
	}
	if (!knows(f, over, from, step))
		raise_flag(f, from, step, over);
	if (!knows(f, to, from, step) && !raise_now(f, over, to))
		stop_all(f);
}

void cover(front *f, unsigned p, const needs *n)
{
	knowledge tells[ASC_PIPES];
	bool open[ASC_PIPES] = {false};

	for (unsigned q = 0; q < ASC_PIPES; q++) {
		open[q] = n->of[q] && !knows(f, p, q, n->of[q]) && q != p;
		if (open[q])
			tells[q] = front_told(f, q, n->of[q]);
	}
	for (unsigned q = 0; q < ASC_PIPES; q++)
		for (unsigned r = 0; open[q] && r < ASC_PIPES; r++)
			if (r != q && open[r] && tells[r].of[q] >= complete(n->of[q]))
				open[q] = false;
	for (unsigned q = 0; q < ASC_PIPES; q++)
		if (open[q] && !knows(f, p, q, n->of[q]))
			connect(f, q, n->of[q], p);
	if (!n->of[p] || knows(f, p, p, n->of[p]))
		return;
	note_before(f, ASC_OP_BARRIER, p, 0, 0);
	f->pipe[p].know.of[p] = complete(f->pipe[p].count);
	f->b->counts.barriers++;
}
