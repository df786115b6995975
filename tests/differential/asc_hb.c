/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of a step: its push by the scalar unit, its start on its pipe, its completion.  Flags join the n-th set with
 * the n-th wait, which is what happens as long as no set finds its flag set; so do cross-core counters, of which each
 * id is set by one kind of sub-core in one mode and from one pipe.
 */
#include "tests/differential/asc_hb.h"

enum event { PUSH, START, DONE, EVENTS };

static unsigned event_of(unsigned step, enum event e)
{
	return step * EVENTS + e;
}

static uint8_t *cell(const asc_hb *h, unsigned a, unsigned b)
{
	return h->before + (size_t)a * EVENTS * h->count + b;
}

static void edge(asc_hb *h, unsigned a, enum event ea, unsigned b, enum event eb)
{
	*cell(h, event_of(a, ea), event_of(b, eb)) = 1;
}

static const asc_insn *insn_of(const asc_hb *h, unsigned i)
{
	return &h->steps[i].insn;
}

/* The pipe whose queue a step goes into. */
static enum asc_pipe pipe_of(const asc_insn *insn)
{
	switch (insn->op) {
	case ASC_OP_SETFLAG:
		return (enum asc_pipe)insn->f[0];
	case ASC_OP_WAITFLAG:
		return (enum asc_pipe)insn->f[1];
	case ASC_OP_SETCROSS:
		return (enum asc_pipe)insn->f[0];
	case ASC_OP_BARRIER:
		return insn->f[0] == ASC_PIPE_ALL ? ASC_PIPE_S : (enum asc_pipe)insn->f[0];
	default:
		return asc_op((enum asc_op)insn->op)->pipe;
	}
}

static bool is_barrier_of_all(const asc_insn *insn)
{
	return insn->op == ASC_OP_BARRIER && insn->f[0] == ASC_PIPE_ALL;
}

/* Does the scalar unit execute it itself, and stand still until it is done? */
static bool is_scalar(const asc_insn *insn)
{
	return pipe_of(insn) == ASC_PIPE_S;
}

static bool is_set(const asc_insn *insn)
{
	return insn->op == ASC_OP_SETFLAG || insn->op == ASC_OP_SETCROSS;
}

static bool is_word(const asc_insn *insn)
{
	return insn->op == ASC_OP_SETWORD || insn->op == ASC_OP_WAITWORD;
}

/* Random instructions wait for words that any value ends. */
static bool is_wait(const asc_insn *insn)
{
	return insn->op == ASC_OP_WAITFLAG || insn->op == ASC_OP_WAITCROSS ||
	       (insn->op == ASC_OP_WAITWORD && insn->f[1] == HB_WORD);
}

/* The id of a cross-core instruction. */
static int64_t cross_id(const asc_insn *insn)
{
	return insn->f[insn->op == ASC_OP_SETCROSS ? 2 : 1];
}

static bool same_flag(const asc_insn *a, const asc_insn *b)
{
	bool cross = a->op == ASC_OP_SETCROSS || a->op == ASC_OP_WAITCROSS;

	if (cross != (b->op == ASC_OP_SETCROSS || b->op == ASC_OP_WAITCROSS))
		return false;
	if (cross)
		return cross_id(a) == cross_id(b);
	return a->f[0] == b->f[0] && a->f[1] == b->f[1] && a->f[2] == b->f[2];
}

/* The N-th step of OP with the flag of STEP on sub-core SUB, -1. */
static int nth(const asc_hb *h, unsigned step, unsigned sub, enum asc_op op, unsigned n)
{
	for (unsigned i = 0; i < h->count; i++)
		if (h->steps[i].sub == sub && insn_of(h, i)->op == op && same_flag(insn_of(h, i), insn_of(h, step)) &&
		    n-- == 0)
			return (int)i;
	return -1;
}

/* How many steps of its opcode and flag come before STEP. */
static unsigned place_of(const asc_hb *h, unsigned step)
{
	unsigned n = 0;

	for (unsigned i = 0; i < step; i++)
		n += h->steps[i].sub == h->steps[step].sub && insn_of(h, i)->op == insn_of(h, step)->op &&
		     same_flag(insn_of(h, i), insn_of(h, step));
	return n;
}

/* What orders B after A, which comes before it in the stream. */
static void pair_edges(asc_hb *h, unsigned a, unsigned b)
{
	const asc_insn *x = insn_of(h, a), *y = insn_of(h, b);

	edge(h, a, PUSH, b, PUSH);
	if (is_scalar(x))
		edge(h, a, DONE, b, PUSH);
	if (is_barrier_of_all(y)) {
		edge(h, a, DONE, b, START);
		return;
	}
	if (pipe_of(x) != pipe_of(y))
		return;
	edge(h, a, START, b, START);
	if (is_set(y))
		edge(h, a, DONE, b, DONE);
	if (y->op == ASC_OP_BARRIER)
		edge(h, a, DONE, b, START);
	if (x->op == ASC_OP_BARRIER || x->op == ASC_OP_WAITFLAG)
		edge(h, a, DONE, b, START);
}

/* The sets that wait B is for, one of each sub-core that must set; -1 for one that never is.  Returns their number. */
static unsigned sets_of(const asc_hb *h, unsigned b, int set[3])
{
	unsigned n = place_of(h, b), sub = h->steps[b].sub, count = 0;

	/* A word that is waited for is set once. */
	if (is_word(insn_of(h, b))) {
		set[0] = -1;
		for (unsigned i = 0; i < h->count; i++)
			if (insn_of(h, i)->op == ASC_OP_SETWORD && insn_of(h, i)->f[0] == insn_of(h, b)->f[0] &&
			    insn_of(h, i)->f[1] == HB_WORD)
				set[0] = (int)i;
		return 1;
	}
	if (insn_of(h, b)->op == ASC_OP_WAITFLAG) {
		set[0] = nth(h, b, sub, ASC_OP_SETFLAG, n);
		return 1;
	}
	/* Who sets it: the cube core for vector cores; both vector cores for the cube core, and in mode 1 for
	 * themselves. */
	for (unsigned s = 0; s < 3; s++) {
		int first = nth(h, b, s, ASC_OP_SETCROSS, 0);

		if (first >= 0 && s == 0 && sub != 0) {
			set[0] = nth(h, b, 0, ASC_OP_SETCROSS, n);
			return 1;
		}
	}
	for (unsigned s = 1; s < 3; s++)
		set[count++] = nth(h, b, s, ASC_OP_SETCROSS, n);
	return count;
}

static bool has_its_sets(const asc_hb *h, unsigned wait)
{
	int set[3];
	unsigned n = sets_of(h, wait, set);

	for (unsigned i = 0; i < n; i++)
		if (set[i] < 0)
			return false;
	return true;
}

static void build(asc_hb *h)
{
	unsigned events = EVENTS * h->count;

	for (unsigned b = 0; b < h->count; b++) {
		edge(h, b, PUSH, b, START);
		edge(h, b, START, b, DONE);
		for (unsigned a = 0; a < b; a++)
			if (h->steps[a].sub == h->steps[b].sub)
				pair_edges(h, a, b);
		if (is_wait(insn_of(h, b))) {
			int set[3];
			unsigned n = sets_of(h, b, set);

			for (unsigned i = 0; i < n; i++)
				if (set[i] >= 0)
					edge(h, (unsigned)set[i], DONE, b, START);
		}
	}
	for (unsigned k = 0; k < events; k++)
		for (unsigned a = 0; a < events; a++)
			if (*cell(h, a, k))
				for (unsigned b = 0; b < events; b++)
					*cell(h, a, b) |= *cell(h, k, b);
}

/* Never executed: waits without a set, what waits for itself, and all that comes behind either. */
static void find_stuck(asc_hb *h)
{
	for (unsigned i = 0; i < h->count; i++) {
		bool waits = is_wait(insn_of(h, i));
		unsigned start = event_of(i, START);

		if (!*cell(h, start, start) && !(waits && !has_its_sets(h, i)))
			continue;
		h->deadlock = true;
		h->stuck[i] = true;
		for (unsigned k = 0; k < h->count; k++)
			if (*cell(h, start, event_of(k, START)))
				h->stuck[k] = true;
	}
}

bool asc_hb_ordered(const asc_hb *h, unsigned a, unsigned b)
{
	return *cell(h, event_of(a, DONE), event_of(b, START));
}

static bool touches(const hb_step *s, enum asc_space space, uint64_t byte, bool *writes)
{
	bool any = false;

	*writes = false;
	for (guint i = 0; i < s->accesses->len; i++) {
		const ref_access *a = &g_array_index(s->accesses, ref_access, i);

		if (a->space != space || byte < a->address || byte >= a->address + a->bytes)
			continue;
		any = true;
		*writes |= a->write;
	}
	return any;
}

bool asc_hb_writes(const hb_step *s, enum asc_space space, uint64_t byte)
{
	bool writes;

	return touches(s, space, byte, &writes) && writes;
}

bool asc_hb_gathers(const hb_step *s)
{
	return s->insn.op == ASC_OP_VGATHER || s->insn.op == ASC_OP_VGATHERB;
}

bool asc_hb_clash_at(const hb_step *a, const hb_step *b, enum asc_space space, uint64_t byte)
{
	bool write_a, write_b;

	if (space != ASC_GM && a->sub != b->sub)
		return false;
	return touches(a, space, byte, &write_a) && touches(b, space, byte, &write_b) && (write_a || write_b);
}

/* Where steps A and B clash unordered by the hardware; false when nowhere. */
static bool clash(const hb_step *a, const hb_step *b, bool one_pipe, enum asc_pipe pipe, hb_race *race)
{
	for (guint i = 0; i < a->accesses->len; i++)
		for (guint k = 0; k < b->accesses->len; k++) {
			const ref_access *x = &g_array_index(a->accesses, ref_access, i);
			const ref_access *y = &g_array_index(b->accesses, ref_access, k);
			uint64_t low = MAX(x->address, y->address),
				 high = MIN(x->address + x->bytes, y->address + y->bytes);

			if (x->space != y->space || (x->space != ASC_GM && a->sub != b->sub) || low >= high ||
			    !(x->write || y->write))
				continue;
			if (one_pipe && asc_ordered(pipe, x->space, x->write, y->write))
				continue;
			race->space = x->space;
			race->address = low;
			return true;
		}
	return false;
}

static void find_races(asc_hb *h)
{
	for (unsigned b = 0; b < h->count; b++)
		for (unsigned a = 0; a < b; a++) {
			enum asc_pipe pipe = pipe_of(insn_of(h, a));
			hb_race race = {a, b, ASC_SPACES, 0};

			if (is_word(insn_of(h, a)) && is_word(insn_of(h, b)))
				continue;
			if (h->stuck[a] || h->stuck[b] || asc_hb_ordered(h, a, b) || asc_hb_ordered(h, b, a))
				continue;
			if (clash(&h->steps[a], &h->steps[b],
			          h->steps[a].sub == h->steps[b].sub && pipe == pipe_of(insn_of(h, b)), pipe, &race))
				g_array_append_val(h->races, race);
		}
}

static void find_sets(asc_hb *h)
{
	for (unsigned i = 0; i < h->count; i++) {
		unsigned n, sub = h->steps[i].sub;
		int wait, next;

		if (insn_of(h, i)->op != ASC_OP_SETFLAG || h->stuck[i])
			continue;
		n = place_of(h, i);
		wait = n ? nth(h, i, sub, ASC_OP_WAITFLAG, n - 1) : -1;
		if (n && (wait < 0 || !*cell(h, event_of((unsigned)wait, DONE), event_of(i, DONE))))
			g_array_append_val(h->unordered_sets, i);
		next = nth(h, i, sub, ASC_OP_WAITFLAG, n);
		if (next < 0 || h->stuck[next])
			g_array_append_val(h->left, i);
	}
}

static unsigned count_of(const asc_hb *h, unsigned sub, enum asc_op op, int64_t id)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->count; i++)
		n += h->steps[i].sub == sub && insn_of(h, i)->op == op && cross_id(insn_of(h, i)) == id;
	return n;
}

/* Does each set of ID, of each sub-core, find a wait of each target? */
static bool all_taken(const asc_hb *h, int64_t id)
{
	unsigned cube = count_of(h, 0, ASC_OP_SETCROSS, id), one = count_of(h, 1, ASC_OP_SETCROSS, id);
	unsigned two = count_of(h, 2, ASC_OP_SETCROSS, id), wait[3];

	for (unsigned s = 0; s < 3; s++)
		wait[s] = count_of(h, s, ASC_OP_WAITCROSS, id);
	if (cube)
		return wait[1] >= cube && wait[2] >= cube;
	for (unsigned i = 0; i < h->count; i++)
		if (insn_of(h, i)->op == ASC_OP_SETCROSS && cross_id(insn_of(h, i)) == id && insn_of(h, i)->f[1] == 1)
			return one == two && wait[1] >= one && wait[2] >= one;
	return one == two && wait[0] >= one;
}

asc_hb *asc_hb_new(const hb_step *steps, unsigned count)
{
	asc_hb *h = g_new0(asc_hb, 1);

	h->count = count;
	h->steps = steps;
	h->before = g_malloc0((size_t)EVENTS * count * EVENTS * count + 1);
	h->stuck = g_new0(bool, count + 1);
	h->races = g_array_new(FALSE, FALSE, sizeof(hb_race));
	h->unordered_sets = g_array_new(FALSE, FALSE, sizeof(unsigned));
	h->left = g_array_new(FALSE, FALSE, sizeof(unsigned));
	build(h);
	find_stuck(h);
	find_races(h);
	find_sets(h);
	for (unsigned i = 0; i < count; i++)
		h->cross_left |= steps[i].insn.op == ASC_OP_SETCROSS && !all_taken(h, cross_id(&steps[i].insn));
	return h;
}

void asc_hb_free(asc_hb *h)
{
	g_free(h->before);
	g_free(h->stuck);
	g_array_unref(h->races);
	g_array_unref(h->unordered_sets);
	g_array_unref(h->left);
	g_free(h);
}
