/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting reports by pipe.
 */
#include "tools/asc_tally.h"

struct asc_tally {
	const asc_program *program;
	uint32_t subs_per_core, subs;
	asc_tally_pipe *pipe; /* [subs * ASC_PIPES] */
	uint8_t **executed;   /* [subs * streams] a bit an instruction, NULL until used */
	uint64_t total, compared, differ;
	bool missed;
	asc_tally_miss miss;
};

uint32_t asc_tally_cores(const asc_machine *machine, const asc_program *program)
{
	return MIN((uint32_t)machine->cores, program->blocks);
}

bool asc_tally_is_sync(enum asc_op op)
{
	return op == ASC_OP_SETFLAG || op == ASC_OP_WAITFLAG || op == ASC_OP_BARRIER || op == ASC_OP_SETCROSS ||
	       op == ASC_OP_WAITCROSS || op == ASC_OP_SETWORD || op == ASC_OP_WAITWORD;
}

asc_tally *asc_tally_new(const asc_machine *machine, const asc_program *program)
{
	asc_tally *t = g_new0(asc_tally, 1);

	t->program = program;
	t->subs_per_core = machine->subcores;
	t->subs = asc_tally_cores(machine, program) * machine->subcores;
	t->pipe = g_new0(asc_tally_pipe, MAX(t->subs * ASC_PIPES, 1));
	t->executed = g_new0(uint8_t *, MAX(t->subs * program->streams->len, 1));
	return t;
}

void asc_tally_free(asc_tally *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->subs * t->program->streams->len; i++)
		g_free(t->executed[i]);
	g_free(t->executed);
	g_free(t->pipe);
	g_free(t);
}

void asc_tally_begin(asc_tally *t, int64_t predicted, int64_t simulated)
{
	for (uint32_t i = 0; i < t->subs * ASC_PIPES; i++) {
		t->pipe[i].predicted_cursor = predicted;
		t->pipe[i].compared_cursor = simulated;
	}
}

static int64_t extend(int64_t *until, int64_t start, int64_t stop)
{
	int64_t added = MAX(stop - MAX(start, *until), 0);

	*until = MAX(*until, stop);
	return added;
}

/* Is it the first execution of this instruction by its sub-core? */
static bool is_first(asc_tally *t, const asc_report *r, const asc_stream *stream)
{
	uint32_t sub = r->core * t->subs_per_core + r->sub;
	uint8_t **bits = &t->executed[sub * t->program->streams->len + r->stream];
	uint8_t bit = (uint8_t)(1u << r->insn % 8);

	if (!*bits)
		*bits = g_new0(uint8_t, stream->insns->len / 8 + 1);
	if ((*bits)[r->insn / 8] & bit)
		return false;
	(*bits)[r->insn / 8] |= bit;
	return true;
}

const char *asc_tally_wait_name(enum asc_tally_wait wait)
{
	static const char *const names[ASC_TALLY_WAITS] = {"flags", "cross-core", "issue"};

	return names[wait];
}

static enum asc_tally_wait wait_of(enum asc_op op)
{
	return op == ASC_OP_WAITFLAG ? ASC_TALLY_FLAG : op == ASC_OP_WAITCROSS ? ASC_TALLY_CROSS : ASC_TALLY_ISSUE;
}

/* An instruction from START to STOP; what is before it and not accounted for, it waited. */
static void account_wait(int64_t wait[], int64_t *cursor, enum asc_op op, int64_t start, int64_t stop)
{
	wait[wait_of(op)] += MAX(start - *cursor, 0);
	*cursor = MAX(*cursor, stop);
}

/* Cycles that R took longer than INSN says, to the causes that held it up most. */
static void account_longer(int64_t longer[], const asc_report *r, const asc_insn *insn)
{
	int64_t left = (r->done - r->start) - (insn->end - insn->start);
	bool used[ASC_STALLS] = {[ASC_STALL_NONE] = true,
	                         [ASC_STALL_CROSS] = true,
	                         [ASC_STALL_BARRIER] = true,
	                         [ASC_STALL_QUEUE_FULL] = true};

	while (left > 0) {
		unsigned most = ASC_STALL_NONE;

		for (unsigned i = 0; i < ASC_STALLS; i++)
			if (!used[i] && r->stall[i] > 0 && (!most || r->stall[i] > r->stall[most]))
				most = i;
		if (most == ASC_STALL_NONE)
			break;
		used[most] = true;
		longer[most] += MIN(left, r->stall[most]);
		left -= MIN(left, r->stall[most]);
	}
	longer[ASC_STALL_NONE] += left;
}

static void note_miss(asc_tally *t, const asc_report *r, const asc_insn *insn)
{
	bool end = r->start == insn->start;
	asc_tally_miss miss = {.core = r->core,
	                       .sub = r->sub,
	                       .stream = r->stream,
	                       .insn = r->insn,
	                       .predicted = end ? insn->end : insn->start,
	                       .simulated = end ? r->done : r->start,
	                       .end = end};

	t->differ++;
	if (t->missed && t->miss.simulated <= miss.simulated)
		return;
	t->missed = true;
	t->miss = miss;
}

static void hold_against(asc_tally *t, asc_tally_pipe *p, const asc_report *r, const asc_insn *insn)
{
	bool differs = r->start != insn->start || (insn->end != ASC_NO_TIME && r->done != insn->end);

	if (!p->compared)
		p->predicted_start = insn->start;
	p->predicted_start = MIN(p->predicted_start, insn->start);
	p->predicted_stop = MAX(p->predicted_stop, MAX(insn->start, insn->end));
	p->compared++;
	t->compared++;
	if (differs) {
		p->differ++;
		note_miss(t, r, insn);
	}
	account_wait(p->compared_wait, &p->compared_cursor, (enum asc_op)insn->op, r->start, r->done);
	account_wait(p->predicted_wait, &p->predicted_cursor, (enum asc_op)insn->op, insn->start,
	             MAX(insn->start, insn->end));
	if (asc_tally_is_sync((enum asc_op)insn->op))
		return;
	p->compared_busy += extend(&p->compared_until, r->start, r->done);
	if (insn->end == ASC_NO_TIME)
		return;
	p->predicted_busy += extend(&p->predicted_until, insn->start, insn->end);
	account_longer(p->longer, r, insn);
}

void asc_tally_add(asc_tally *t, const asc_report *r)
{
	const asc_stream *stream = g_ptr_array_index(t->program->streams, r->stream);
	const asc_insn *insn = &g_array_index(stream->insns, asc_insn, r->insn);
	asc_tally_pipe *p = &t->pipe[(r->core * t->subs_per_core + r->sub) * ASC_PIPES + r->pipe];

	if (!p->instructions || r->start < p->start)
		p->start = r->start;
	p->stop = MAX(p->stop, r->done);
	p->instructions++;
	t->total++;
	if (insn->start != ASC_NO_TIME && is_first(t, r, stream))
		hold_against(t, p, r, insn);
}

const asc_tally_pipe *asc_tally_at(const asc_tally *t, uint32_t core, uint32_t sub, enum asc_pipe pipe)
{
	return &t->pipe[(core * t->subs_per_core + sub) * ASC_PIPES + pipe];
}

uint64_t asc_tally_executed(const asc_tally *t)
{
	return t->total;
}

uint64_t asc_tally_compared(const asc_tally *t)
{
	return t->compared;
}

uint64_t asc_tally_differ(const asc_tally *t)
{
	return t->differ;
}

const asc_tally_miss *asc_tally_first_miss(const asc_tally *t)
{
	return t->missed ? &t->miss : NULL;
}
