/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of docs/ascend.md as edges: queues, barriers, flags, counters between sub-cores, words, unit flags.
 *
 * The n-th wait belongs to the n-th set of its flag, the n-th wait for a counter to the n-th time that all members of
 * the group have set it; which is so as long as no set meets its flag set, which is asked for (judge_demand).
 */
#include "tests/mutation/asc_weigh_int.h"

enum { NOBODY = UINT32_MAX, MARKS_TAKES = 2 };

static enum asc_pipe pipe_of(const asc_insn *insn)
{
	switch (insn->op) {
	case ASC_OP_SETFLAG:
	case ASC_OP_SETCROSS:
		return (enum asc_pipe)insn->f[0];
	case ASC_OP_WAITFLAG:
		return (enum asc_pipe)insn->f[1];
	case ASC_OP_BARRIER:
		return insn->f[0] == ASC_PIPE_ALL ? ASC_PIPE_S : (enum asc_pipe)insn->f[0];
	default:
		return asc_op((enum asc_op)insn->op)->pipe;
	}
}

/* The last step of a stream, of each pipe, so far. */
typedef struct front {
	uint32_t push, scalar, last[ASC_PIPES], fence[ASC_PIPES];
	GArray *queue[ASC_PIPES]; /* uint32_t: all steps */
} front;

static void after(judge *j, uint32_t before, enum event e, uint32_t i, enum event now)
{
	if (before != NOBODY)
		judge_edge(j, before, e, i, now, true);
}

static void queue_step(judge *j, front *f, uint32_t i)
{
	const step *s = step_at(j, i);
	enum asc_pipe p = s->pipe;
	enum asc_op op = (enum asc_op)s->insn->op;
	uint32_t depth = (uint32_t)j->machine->queue_depth[p], n = f->queue[p]->len;

	after(j, f->push, PUSH, i, PUSH);
	after(j, f->scalar, DONE, i, PUSH);
	judge_edge(j, i, PUSH, i, START, true);
	judge_edge(j, i, START, i, DONE, true);
	judge_edge(j, i, DONE, i, SOFAR, true);
	after(j, f->last[p], START, i, START);
	after(j, f->last[p], SOFAR, i, SOFAR);
	after(j, f->fence[p], DONE, i, START);
	if (p != ASC_PIPE_S && n >= depth)
		judge_edge(j, g_array_index(f->queue[p], uint32_t, n - depth), START, i, PUSH, false);
	if (op == ASC_OP_SETFLAG || op == ASC_OP_SETCROSS)
		after(j, f->last[p], SOFAR, i, DONE);
	for (unsigned q = 0; op == ASC_OP_BARRIER && q < ASC_PIPES; q++)
		if (q == p || s->insn->f[0] == ASC_PIPE_ALL)
			after(j, f->last[q], SOFAR, i, START);
	if (op == ASC_OP_BARRIER || op == ASC_OP_WAITFLAG)
		f->fence[p] = i;
	if (p == ASC_PIPE_S)
		f->scalar = i;
	f->push = f->last[p] = i;
	g_array_append_val(f->queue[p], i);
}

void judge_streams(judge *j)
{
	for (guint k = 0; k < j->program->streams->len; k++) {
		const asc_stream *stream = g_ptr_array_index(j->program->streams, k);
		step s = {.stream = k, .mask = {UINT64_MAX, UINT64_MAX}};
		front f = {.push = NOBODY, .scalar = NOBODY};

		for (unsigned p = 0; p < ASC_PIPES; p++) {
			f.last[p] = f.fence[p] = NOBODY;
			f.queue[p] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		}
		for (guint i = 0; i < stream->insns->len; i++) {
			s.insn = &g_array_index(stream->insns, asc_insn, i);
			if (s.insn->op == ASC_OP_END)
				break;
			g_assert(!s.insn->regs && !(s.insn->op > ASC_OP_MOVI && s.insn->op <= ASC_OP_STG));
			if (s.insn->op == ASC_OP_SETMASK) {
				s.mask[0] = (uint64_t)s.insn->f[0];
				s.mask[1] = (uint64_t)s.insn->f[1];
			}
			if (s.insn->op == ASC_OP_SETCTRL)
				s.counter = s.insn->f[0] != 0;
			s.pipe = pipe_of(s.insn);
			s.accesses = g_array_new(FALSE, FALSE, sizeof(ref_access));
			g_array_append_val(j->steps, s);
			queue_step(j, &f, j->steps->len - 1);
		}
		for (unsigned p = 0; p < ASC_PIPES; p++)
			g_array_unref(f.queue[p]);
	}
}

/* Steps of OP of STREAM whose first FIELDS fields from the FIRST on are those of F. */
static GArray *steps_like(const judge *j, uint32_t stream, enum asc_op op, unsigned first, unsigned fields,
                          const int64_t *f)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < j->steps->len; i++) {
		const step *s = step_at(j, i);
		bool same = s->stream == stream && s->insn->op == op;

		for (unsigned k = 0; same && k < fields; k++)
			same = s->insn->f[first + k] == f[k];
		if (same)
			g_array_append_val(all, i);
	}
	return all;
}

static uint32_t nth(const GArray *steps, guint n)
{
	return g_array_index(steps, uint32_t, n);
}

static void one_flag(judge *j, uint32_t stream, const int64_t *f)
{
	GArray *sets = steps_like(j, stream, ASC_OP_SETFLAG, 0, 3, f);
	GArray *waits = steps_like(j, stream, ASC_OP_WAITFLAG, 0, 3, f);

	for (guint n = 0; n < MIN(sets->len, waits->len); n++) {
		judge_edge(j, nth(sets, n), DONE, nth(waits, n), START, true);
		if (n + 1 < sets->len)
			judge_demand(j, nth(waits, n), nth(sets, n + 1), WEIGH_DOUBLED);
	}
	if (waits->len > sets->len)
		j->w->count[WEIGH_DEADLOCK] += waits->len - sets->len;
	else
		j->w->count[WEIGH_LEFT] += sets->len - waits->len;
	g_array_unref(sets);
	g_array_unref(waits);
}

void judge_flags(judge *j)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (uint32_t i = 0; i < j->steps->len; i++) {
		const step *s = step_at(j, i);
		const int64_t *f = s->insn->f;
		gint64 key;

		if (s->insn->op != ASC_OP_SETFLAG && s->insn->op != ASC_OP_WAITFLAG)
			continue;
		key = ((gint64)s->stream << 32) + f[0] * 10000 + f[1] * 100 + f[2];
		if (g_hash_table_add(seen, g_memdup2(&key, sizeof(key))))
			one_flag(j, s->stream, f);
	}
}

/* Is stream A in the group of stream BY for sets of MODE; is it a target of theirs? */
static void role_of(const asc_stream *a, const asc_stream *by, int64_t mode, bool *member, bool *target)
{
	bool kind = a->kind == by->kind, core = a->block == by->block;

	*member = mode == 0 ? kind : core && kind;
	*target = mode == 2 ? core && !kind : *member;
}

/* Sets of MODE and ID by the group of stream BY, and what the waits of its targets for them are. */
static void one_counter(judge *j, uint32_t by, int64_t mode, int64_t id)
{
	const GPtrArray *streams = j->program->streams;
	g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	guint most = 0, least = UINT32_MAX, limit = (guint)j->machine->cross_max;
	bool member, target;

	for (guint k = 0; k < streams->len; k++) {
		role_of(streams->pdata[k], streams->pdata[by], mode, &member, &target);
		if (!member)
			continue;
		g_ptr_array_add(sets, steps_like(j, k, ASC_OP_SETCROSS, 1, 2, (int64_t[]){mode, id}));
		least = MIN(least, ((GArray *)sets->pdata[sets->len - 1])->len);
		most = MAX(most, ((GArray *)sets->pdata[sets->len - 1])->len);
	}
	j->w->count[WEIGH_LEFT] += most - least;
	for (guint a = 0; a < sets->len; a++)
		for (guint b = 0; b < sets->len; b++)
			for (guint n = limit; a != b && n < least; n++)
				judge_demand(j, nth(sets->pdata[a], n - limit), nth(sets->pdata[b], n), WEIGH_OVERFLOW);
	for (guint k = 0; k < streams->len; k++) {
		GArray *waits;

		role_of(streams->pdata[k], streams->pdata[by], mode, &member, &target);
		if (!target)
			continue;
		waits = steps_like(j, k, ASC_OP_WAITCROSS, 1, 1, &id);
		if (waits->len > least)
			j->w->count[WEIGH_DEADLOCK] += waits->len - least;
		else
			j->w->count[WEIGH_LEFT] += least - waits->len;
		for (guint n = 0; n < MIN(least, waits->len); n++)
			for (guint a = 0; a < sets->len; a++) {
				judge_edge(j, nth(sets->pdata[a], n), DONE, nth(waits, n), START, true);
				/* The last set of a group raises the counter; one that waits for it raises none. */
				if (n >= limit && sets->len == 1)
					judge_demand(j, nth(waits, n - limit), nth(sets->pdata[a], n), WEIGH_OVERFLOW);
			}
		g_array_unref(waits);
	}
}

/* Waits that no set is for. */
static void lonely_waits(judge *j)
{
	for (uint32_t i = 0; i < j->steps->len; i++) {
		const asc_insn *wait = step_at(j, i)->insn;
		bool found = false, member, target;

		for (uint32_t k = 0; wait->op == ASC_OP_WAITCROSS && k < j->steps->len; k++) {
			const asc_insn *set = step_at(j, k)->insn;

			if (set->op != ASC_OP_SETCROSS || set->f[2] != wait->f[1])
				continue;
			role_of(stream_of(j, i), stream_of(j, k), set->f[1], &member, &target);
			found |= target;
		}
		j->w->count[WEIGH_DEADLOCK] += wait->op == ASC_OP_WAITCROSS && !found;
	}
}

void judge_counters(judge *j)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (uint32_t i = 0; i < j->steps->len; i++) {
		const asc_insn *insn = step_at(j, i)->insn;
		const asc_stream *by = stream_of(j, i);

		if (insn->op == ASC_OP_SETCROSS &&
		    g_hash_table_add(seen, g_strdup_printf("%d %d %d %d", (int)insn->f[1], (int)insn->f[2],
		                                           (int)by->kind, insn->f[1] ? (int)by->block : 0)))
			one_counter(j, step_at(j, i)->stream, insn->f[1], insn->f[2]);
	}
	lonely_waits(j);
}

/* A wait ends with the first set of its word that is enough; sets of a word are of one core, and count up. */
void judge_words(judge *j)
{
	for (uint32_t i = 0; i < j->steps->len; i++) {
		const asc_insn *wait = step_at(j, i)->insn;
		uint32_t set = NOBODY;

		if (wait->op != ASC_OP_WAITWORD || wait->f[1] <= 0)
			continue;
		for (uint32_t k = 0; set == NOBODY && k < j->steps->len; k++) {
			const asc_insn *insn = step_at(j, k)->insn;

			if (insn->op == ASC_OP_SETWORD && insn->f[0] == wait->f[0] && insn->f[1] >= wait->f[1])
				set = k;
		}
		if (set == NOBODY)
			j->w->count[WEIGH_DEADLOCK]++;
		else
			judge_edge(j, set, DONE, i, START, true);
	}
}

/* Calls FN for each unit of L0C that an instruction with unit flags uses. */
static void each_unit(const judge *j, const asc_insn *insn, GArray *units)
{
	enum { FRACTAL_ROWS = 16, ROW_BYTES = 64 };
	bool product = insn->op == ASC_OP_MMAD;
	int64_t rows = insn->f[asc_field_by_name((enum asc_op)insn->op, "m")];
	int64_t columns = (insn->f[asc_field_by_name((enum asc_op)insn->op, "n")] + 15) / 16, pitch, at;

	if (product) {
		rows = (rows + FRACTAL_ROWS - 1) / FRACTAL_ROWS * FRACTAL_ROWS;
		pitch = rows * ROW_BYTES;
		at = insn->f[asc_field_by_name(ASC_OP_MMAD, "c")];
	} else {
		pitch = insn->f[asc_field_by_name((enum asc_op)insn->op, "src_stride")] * ROW_BYTES;
		at = insn->f[asc_field_by_name((enum asc_op)insn->op, "src")];
	}
	g_array_set_size(units, 0);
	for (int64_t c = 0; c < columns; c++)
		for (int64_t b = at + c * pitch; b < at + c * pitch + rows * ROW_BYTES;
		     b += j->machine->fix_unit_bytes) {
			uint32_t unit = (uint32_t)(b / j->machine->fix_unit_bytes);

			g_array_append_val(units, unit);
		}
}

/* Marks and takes of a unit so far. */
typedef struct unit {
	GArray *step[MARKS_TAKES];
} unit;

/* Products mark, copies take; PASS 0 collects, PASS 1 connects. */
static void one_pass(judge *j, uint32_t stream, unit *unit_of, uint32_t count, unsigned pass)
{
	g_autoptr(GArray) units = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autofree guint *done = g_new0(guint, (size_t)count * MARKS_TAKES);

	for (uint32_t i = 0; i < j->steps->len; i++) {
		const step *s = step_at(j, i);
		int field = asc_field_by_name((enum asc_op)s->insn->op, "unit_flag");
		unsigned own = s->insn->op != ASC_OP_MMAD;

		if (s->stream != stream || field < 0 || !(s->insn->f[field] & 2))
			continue;
		each_unit(j, s->insn, units);
		for (guint k = 0; k < units->len; k++) {
			uint32_t u = nth(units, k) % count;
			GArray *others = unit_of[u].step[!own];
			/* A product needs all earlier marks taken, a copy the mark after those taken. */
			guint *mine = &done[u * MARKS_TAKES + own], needed = *mine + own;

			if (pass && needed > others->len)
				j->w->count[WEIGH_DEADLOCK]++;
			else if (pass && needed)
				judge_edge(j, nth(others, needed - 1), START, i, START, false);
			if (s->insn->f[field] == 3) {
				(*mine)++;
				if (!pass)
					g_array_append_val(unit_of[u].step[own], i);
			}
		}
	}
}

void judge_units(judge *j)
{
	uint32_t count = (uint32_t)(j->machine->l0c_bytes / j->machine->fix_unit_bytes);

	for (guint stream = 0; stream < j->program->streams->len; stream++) {
		g_autofree unit *unit_of = g_new0(unit, count);

		for (uint32_t u = 0; u < count; u++)
			for (unsigned i = 0; i < MARKS_TAKES; i++)
				unit_of[u].step[i] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		one_pass(j, stream, unit_of, count, 0);
		one_pass(j, stream, unit_of, count, 1);
		for (uint32_t u = 0; u < count; u++)
			for (unsigned i = 0; i < MARKS_TAKES; i++)
				g_array_unref(unit_of[u].step[i]);
	}
}
