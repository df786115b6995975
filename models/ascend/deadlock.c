/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing can go on: who waits for which flag, counter or queue, and who could help.  Setters are looked for in queues
 * (they are behind something that waits itself) and in the rest of the program.
 */
#include "models/ascend/front_int.h"

static bool same_flag(const asc_insn *insn, const int64_t *f, const int64_t *wanted)
{
	return insn->op == ASC_OP_SETFLAG && f[0] == wanted[0] && f[1] == wanted[1] && f[2] == wanted[2];
}

static void explain_setter(const asc_subcore *s, uint32_t insn, const char *queue, GString *text)
{
	g_string_append_printf(text, "; set_flag at insn %u could set it, ", insn);
	if (queue)
		g_string_append_printf(text, "in the queue of %s behind what waits there", queue);
	else
		g_string_append_printf(text, "the scalar unit has not come to it and stands at insn %u", s->scalar.pc);
}

/* The set that comes next: in a queue, else ahead of the scalar unit, else nowhere. */
static void find_flag_setter(const asc_subcore *s, const int64_t *wanted, GString *text)
{
	const asc_pipeline *p = &s->pipe[wanted[0]];
	const GArray *insns = s->stream->insns;

	for (uint32_t i = 0; i < p->used; i++) {
		const asc_entry *e = &p->entry[(p->head + i) % (p->depth + 1)];

		if (same_flag(e->x.insn, e->x.f, wanted)) {
			explain_setter(s, e->insn, asc_pipe_name((enum asc_pipe)wanted[0]), text);
			return;
		}
	}
	for (guint i = 0; i < insns->len && !s->scalar.ended; i++) {
		guint at = (s->scalar.pc + i) % insns->len;
		const asc_insn *insn = &g_array_index(insns, asc_insn, at);

		if (same_flag(insn, insn->f, wanted)) {
			explain_setter(s, at, NULL, text);
			return;
		}
	}
	g_string_append(text, "; nothing that is still to be executed sets it");
}

static void wait_text(const asc_subcore *s, const int64_t *f, GString *text)
{
	g_string_append_printf(text, "waits for flag %s->%s %" G_GINT64_FORMAT, asc_pipe_name((enum asc_pipe)f[0]),
	                       asc_pipe_name((enum asc_pipe)f[1]), f[2]);
	find_flag_setter(s, f, text);
}

/* Does a sub-core have a set of the counter still to come, in a queue or from where its scalar unit stands on? */
static bool find_cross_setter(const asc_subcore *s, unsigned id, const asc_subcore *by, GString *text)
{
	const GArray *insns = by->stream ? by->stream->insns : NULL;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		for (uint32_t i = 0; i < by->pipe[p].used; i++) {
			const asc_entry *e = &by->pipe[p].entry[(by->pipe[p].head + i) % (by->pipe[p].depth + 1)];

			if (e->x.insn->op != ASC_OP_SETCROSS || !asc_cross_reaches(s, id, by, e->x.f[1], e->x.f[2]))
				continue;
			g_string_append_printf(
				text, "; set_cross at insn %u of core %u sub %u could raise it, in the queue of %s",
				e->insn, by->core, by->sub, asc_pipe_name((enum asc_pipe)p));
			return true;
		}
	for (guint i = 0; insns && i < insns->len && !by->scalar.ended; i++) {
		guint at = (by->scalar.pc + i) % insns->len;
		const asc_insn *insn = &g_array_index(insns, asc_insn, at);

		if (insn->op != ASC_OP_SETCROSS || !asc_cross_reaches(s, id, by, insn->f[1], insn->f[2]))
			continue;
		g_string_append_printf(
			text,
			"; set_cross at insn %u of core %u sub %u could raise it, the scalar unit stands at insn %u",
			at, by->core, by->sub, by->scalar.pc);
		return true;
	}
	return false;
}

static void cross_text(const asc_subcore *s, unsigned id, GString *text)
{
	bool any = false;

	g_string_append_printf(text, "waits for cross-core counter %u", id);
	for (uint32_t i = 0; i < s->chip->subs; i++)
		any |= find_cross_setter(s, id, &s->chip->sub[i], text);
	if (!any)
		g_string_append(text, "; nothing that is still to be executed raises it");
}

/* Waiting for a word: who has a set of it still to come? */
static void word_text(const asc_subcore *s, GString *text)
{
	uint64_t address = s->scalar.poll_address;
	bool any = false;

	g_string_append_printf(text, "waits for the word at 0x%" G_GINT64_MODIFIER "x to be at least %" G_GINT64_FORMAT,
	                       address, s->scalar.poll_value);
	for (uint32_t i = 0; i < s->chip->subs; i++) {
		const asc_subcore *by = &s->chip->sub[i];
		const GArray *insns = by->stream ? by->stream->insns : NULL;

		for (guint n = by->scalar.pc; insns && n < insns->len && !by->scalar.ended; n++) {
			const asc_insn *insn = &g_array_index(insns, asc_insn, n);

			if (insn->op != ASC_OP_SETWORD || (uint64_t)asc_get(insn, 0, by->scalar.reg) != address)
				continue;
			g_string_append_printf(
				text,
				"; set_word at insn %u of core %u sub %u could, the scalar unit stands at insn %u", n,
				by->core, by->sub, by->scalar.pc);
			any = true;
			break;
		}
	}
	if (!any)
		g_string_append(text, "; nothing that is still to be executed sets it");
}

static void scalar_text(const asc_subcore *s, GString *text)
{
	const asc_scalar *sc = &s->scalar;
	const asc_insn *insn;

	if (sc->ended)
		return;
	insn = &g_array_index(s->stream->insns, asc_insn, sc->pc);
	g_string_append_printf(text, "core %u sub %u scalar unit at insn %u (%s) ", s->core, s->sub, sc->pc,
	                       asc_op((enum asc_op)insn->op)->mnemonic);
	switch (sc->cause) {
	case ASC_STALL_FLAG: {
		int64_t f[] = {asc_get(insn, 0, sc->reg), asc_get(insn, 1, sc->reg), asc_get(insn, 2, sc->reg)};

		wait_text(s, f, text);
		break;
	}
	case ASC_STALL_CROSS:
		if (sc->polls)
			word_text(s, text);
		else
			cross_text(s, sc->counter, text);
		break;
	case ASC_STALL_QUEUE_FULL:
		g_string_append_printf(text, "finds the queue of %s full", asc_pipe_name(sc->full));
		break;
	default:
		g_string_append(text, "waits for every pipe to be done");
		break;
	}
	g_string_append_c(text, '\n');
}

static void pipe_text(const asc_subcore *s, enum asc_pipe pipe, GString *text)
{
	const asc_pipeline *p = &s->pipe[pipe];
	const asc_entry *e = &p->entry[p->head];

	if (!p->used)
		return;
	g_string_append_printf(text, "core %u sub %u pipe %s at insn %u (%s) ", s->core, s->sub, asc_pipe_name(pipe),
	                       e->insn, e->x.info->mnemonic);
	if (e->x.insn->op == ASC_OP_WAITFLAG)
		wait_text(s, e->x.f, text);
	else if (!asc_unit_ready(s, &e->x))
		g_string_append_printf(text, "waits for units of l0c that %s has to hand over",
		                       pipe == ASC_PIPE_M ? "a copy out of it" : "an mmad with a unit flag");
	else
		g_string_append(text, "cannot start");
	g_string_append_c(text, '\n');
}

static void waiting_blocks(const asc_chip *chip, GString *text)
{
	for (uint32_t core = 0; core < chip->cores; core++)
		if (chip->block[core] + chip->cores < chip->program->blocks)
			g_string_append_printf(text, "core %u runs block %u; block %u has not begun\n", core,
			                       chip->block[core], chip->block[core] + chip->cores);
}

/* One line for each scalar unit and pipe that waits; g_free. */
char *asc_diagnose(const asc_chip *chip, int64_t now)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "nothing can go on after cycle %" G_GINT64_FORMAT "\n", now);
	for (uint32_t i = 0; i < chip->subs; i++) {
		const asc_subcore *s = &chip->sub[i];

		if (s->finished)
			continue;
		scalar_text(s, text);
		for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
			pipe_text(s, (enum asc_pipe)p, text);
	}
	waiting_blocks(chip, text);
	return g_string_free(text, FALSE);
}
