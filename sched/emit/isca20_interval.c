/* SPDX-License-Identifier: Apache-2.0
 *
 * How many iterations of a loop over vectors can begin in a cycle, and how many do.
 *
 * Given: instructions of a burst repeat every cycle, so an ALU that serves an iteration serves it in every cycle of the
 * burst; each operand is brought to the VXM once an iteration, or once for all iterations of a cycle where they share
 * it; a value that waits in ALUs is copied.  Counted: ALUs, copies included; bytes that pass the VXM, eastward and
 * westward, whichever hemisphere they lie in; accesses to slices; queues of the SXM.  docs/engines-cyclic.md.
 */
#include "sched/emit/isca20_loop.h"

/* Starts of operations tried when copies are counted. */
enum { TRIED = 200000 };

typedef struct counter {
	const isca *c;
	const isca_loop *loop;
	isca_chain chain; /* as early as possible */
	int64_t length;   /* of that */
	int64_t start[ISCA_STEPS_MAX];
	unsigned best, tried;
} counter;

static bool is_op(const isca_loop *loop, int i)
{
	return i >= 0 && isca_step(loop, (unsigned)i)->kind == LOW_OP;
}

static bool reads(const low_step *s, unsigned value)
{
	return s->in[0] == (int)value || s->in[1] == (int)value;
}

/* When the value of step I, whose operation starts at START, is there. */
static int64_t due(const counter *k, unsigned i, int64_t start)
{
	return start + isca_op_cycles(k->c, isca_step(k->loop, i)->op);
}

/* Copies that hand on the value of step I; UINT_MAX when a wait is no number of them. */
static unsigned copies_of(const counter *k, unsigned i)
{
	int64_t first = INT64_MAX, last = INT64_MIN, from, copy = k->c->m->vxm_op_cycles;
	unsigned count = 0;

	for (unsigned j = i + 1; j < k->loop->steps->len; j++)
		if (is_op(k->loop, (int)j) && reads(isca_step(k->loop, j), i)) {
			first = MIN(first, k->start[j]);
			last = MAX(last, k->start[j]);
		}
	if (last == INT64_MIN)
		return 0;
	/* An operand from memory comes when it is first wanted. */
	from = is_op(k->loop, (int)i) ? due(k, i, k->start[i]) : first;
	for (unsigned j = i + 1; j < k->loop->steps->len; j++)
		if (is_op(k->loop, (int)j) && reads(isca_step(k->loop, j), i) && (k->start[j] - from) % copy)
			return UINT_MAX;
	count = (unsigned)((last - from) / copy);
	return count;
}

/* Chooses the start of step I and of all that follow. */
static void choose(counter *k, unsigned i)
{
	unsigned copies = 0;

	if (++k->tried > TRIED)
		return;
	if (i < k->loop->steps->len) {
		int64_t from = 0;

		for (unsigned o = 0; o < 2 && is_op(k->loop, (int)i); o++) {
			int in = isca_step(k->loop, i)->in[o];

			if (is_op(k->loop, in))
				from = MAX(from, due(k, (unsigned)in, k->start[in]));
		}
		k->start[i] = from;
		choose(k, i + 1);
		if (!is_op(k->loop, (int)i))
			return;
		for (int64_t at = from + 1; due(k, i, at) <= k->length; at++) {
			k->start[i] = at;
			choose(k, i + 1);
		}
		return;
	}
	for (unsigned v = 0; v < k->loop->steps->len; v++) {
		enum low_step_kind kind = isca_step(k->loop, v)->kind;
		unsigned more = kind == LOW_OP || kind == LOW_LOAD ? copies_of(k, v) : 0;

		if (more == UINT_MAX || (copies += more) >= k->best)
			return;
	}
	k->best = copies;
}

unsigned isca_least_copies(const isca *c, const isca_loop *loop)
{
	counter k = {.c = c, .loop = loop, .best = UINT_MAX};

	for (unsigned i = 0; i < loop->steps->len; i++) {
		int64_t from = 0;

		for (unsigned o = 0; o < 2 && is_op(loop, (int)i); o++) {
			int in = isca_step(loop, i)->in[o];

			if (is_op(loop, in))
				from = MAX(from, due(&k, (unsigned)in, k.start[in]));
		}
		k.start[i] = from;
		if (is_op(loop, (int)i))
			k.length = MAX(k.length, due(&k, i, from));
	}
	choose(&k, 0);
	return k.tried > TRIED || k.best == UINT_MAX ? 0 : k.best;
}

/* What an iteration takes, and what all iterations of a cycle share. */
typedef struct demand {
	unsigned alus, passing, shared; /* bytes past the VXM */
	unsigned accesses, shared_accesses;
	unsigned permutes, distributes;
} demand;

static bool passes_vxm(const isca_loop *loop, unsigned load)
{
	for (unsigned j = load + 1; j < loop->steps->len; j++)
		if (is_op(loop, (int)j) && reads(isca_step(loop, j), load))
			return true;
	return false;
}

/* Is the operation's value stored, or exchanged between lanes? */
static bool leaves_vxm(const isca_loop *loop, unsigned value)
{
	for (unsigned j = value + 1; j < loop->steps->len; j++)
		if (!is_op(loop, (int)j) && reads(isca_step(loop, j), value))
			return true;
	return false;
}

static demand demand_of(const isca *c, const isca_loop *loop)
{
	demand d = {.alus = isca_least_copies(c, loop)};

	for (unsigned i = 0; i < loop->steps->len; i++) {
		const low_step *s = isca_step(loop, i);
		unsigned bytes = isa_type_bytes(s->type);

		switch (s->kind) {
		case LOW_OP:
			d.alus++;
			d.passing += leaves_vxm(loop, i) ? isa_type_bytes(s->dtype) : 0;
			break;
		case LOW_LOAD:
			*(s->ref.step0 ? &d.passing : &d.shared) += passes_vxm(loop, i) ? bytes : 0;
			*(s->ref.step0 ? &d.accesses : &d.shared_accesses) += bytes;
			break;
		case LOW_STORE:
			d.accesses += bytes;
			break;
		default:
			*(s->lane_xor < (uint64_t)c->m->lanes_per_superlane ? &d.distributes : &d.permutes) += 1;
		}
	}
	return d;
}

static void lower(unsigned *most, const char **why, unsigned there_is, unsigned shared, unsigned each, const char *what)
{
	unsigned count = there_is > shared ? (there_is - shared) / MAX(each, 1) : 0;

	if (each && count < *most) {
		*most = count;
		*why = what;
	}
}

unsigned isca_most_iterations(const isca *c, const isca_loop *loop, const char **why)
{
	demand d = demand_of(c, loop);
	unsigned most = UINT_MAX;

	*why = "VXM";
	lower(&most, why, c->alus, 0, d.alus, "VXM");
	lower(&most, why, 2 * c->stream_count, d.shared, d.passing, "streams");
	lower(&most, why, 2 * c->slices_per_side, d.shared_accesses, d.accesses, "SRAM slices");
	lower(&most, why, 2 * (unsigned)c->m->sxm_queues.at[ISA_SXM_PERMUTE], 0, d.permutes, "SXM");
	lower(&most, why, 2 * (unsigned)c->m->sxm_queues.at[ISA_SXM_DISTRIBUTE], 0, d.distributes, "SXM");
	return MAX(most, 1);
}

/* ---- what was scheduled ---- */

void isca_note_begins(GArray *begins, int64_t first, uint32_t count)
{
	isca_begin b = {first, count};

	g_array_append_val(begins, b);
}

static int by_first(gconstpointer a, gconstpointer b)
{
	const isca_begin *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Cycles in which something begins. */
static int64_t beginning(GArray *begins)
{
	int64_t cycles = 0, end = INT64_MIN;

	g_array_sort(begins, by_first);
	for (guint i = 0; i < begins->len; i++) {
		const isca_begin *b = &g_array_index(begins, isca_begin, i);
		int64_t from = MAX(b->first, end), to = b->first + b->count;

		cycles += MAX(to - from, 0);
		end = MAX(end, to);
	}
	return cycles;
}

void isca_note_interval(isca *c, const isca_loop *loop, GArray *begins)
{
	sched_interval i = {.unit = "iterations"};
	const char *why;
	unsigned most = isca_most_iterations(c, loop, &why);

	i.loop = g_array_index(c->program->nodes, isa_node, c->node).name;
	i.binds = (char *)why;
	i.cycles = beginning(begins);
	i.iterations = i.bound_iterations = (int64_t)(loop->n0 * loop->n1);
	i.bound_cycles = (i.iterations + most - 1) / most;
	sched_report_interval(c->report, &i);
}
