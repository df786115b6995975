/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams: steps in order, flags and barriers at their places, mask writes where the mask changes.
 */
#include "sched/emit/ascend/build_int.h"

enum asc_pipe asb_queue_of(const asc_insn *insn)
{
	switch ((enum asc_op)insn->op) {
	case ASC_OP_SETFLAG:
	case ASC_OP_BARRIER:
	case ASC_OP_SETCROSS:
		return (enum asc_pipe)insn->f[0];
	case ASC_OP_WAITFLAG:
		return (enum asc_pipe)insn->f[1];
	default:
		return asc_op((enum asc_op)insn->op)->pipe;
	}
}

/* MEETINGS so far; a word counts them. */
static asc_insn note_insn(const asb *b, const asb_note *n, uint32_t node, int64_t *meetings)
{
	asc_insn insn = asc_insn_make((enum asc_op)n->op);

	insn.f[0] = n->a;
	if (n->op == ASC_OP_SETWORD || n->op == ASC_OP_WAITWORD) {
		*meetings += n->op == ASC_OP_SETWORD && !n->a;
		insn.f[0] = (int64_t)asb_word(b, n->a, n->c);
		insn.f[1] = *meetings;
	} else if (n->op != ASC_OP_BARRIER) {
		insn.f[1] = n->b;
		if (n->op != ASC_OP_WAITCROSS)
			insn.f[2] = n->c;
	}
	insn.node = node;
	return insn;
}

static void write_mode(asb *b, asc_stream *out, asb_mode *now, const asb_mode *wanted, uint32_t node)
{
	asc_insn insn;

	if (now->counter != wanted->counter) {
		insn = asc_insn_make(ASC_OP_SETCTRL);
		insn.f[0] = wanted->counter;
		insn.node = node;
		g_array_append_val(out->insns, insn);
		b->counts.modes++;
	}
	if (now->low != wanted->low || now->high != wanted->high) {
		insn = asc_insn_make(ASC_OP_SETMASK);
		insn.f[0] = (int64_t)wanted->low;
		insn.f[1] = (int64_t)wanted->high;
		insn.node = node;
		g_array_append_val(out->insns, insn);
		b->counts.modes++;
	}
	*now = *wanted;
}

static void write_sub(asb *b, asb_sub *s)
{
	asc_stream *out;
	asb_mode now = {UINT64_MAX, UINT64_MAX, false};
	guint next = 0;
	int64_t meetings = 0;
	asc_insn insn;

	if (!s->items->len && !s->joins)
		return;
	out = asc_program_stream(b->program, s->kind, s->kind == ASC_VECTOR ? (int32_t)s->vector : 0,
	                         (int32_t)s->block);
	g_array_set_size(out->insns, s->items->len + s->before->len + s->behind->len + 1);
	g_array_set_size(out->insns, 0);
	for (uint32_t i = 0; i <= s->items->len; i++) {
		const asb_item *item = i < s->items->len ? asb_item_at(s, i) : NULL;
		uint32_t node = item ? item->insn.node : ASC_NO_NODE;

		for (; next < s->before->len && g_array_index(s->before, asb_note, next).step == i; next++) {
			insn = note_insn(b, &g_array_index(s->before, asb_note, next), node, &meetings);
			g_array_append_val(out->insns, insn);
		}
		if (!item)
			break;
		if (asb_masked((enum asc_op)item->insn.op))
			write_mode(b, out, &now, &g_array_index(b->modes, asb_mode, item->mode), node);
		g_array_append_val(out->insns, item->insn);
		for (uint32_t n = s->last ? s->last[i] : ASB_NONE; n != ASB_NONE;) {
			const asb_note *note = &g_array_index(s->behind, asb_note, n);

			insn = note_insn(b, note, node, &meetings);
			g_array_append_val(out->insns, insn);
			n = note->next;
		}
	}
	insn = asc_insn_make(ASC_OP_END);
	g_array_append_val(out->insns, insn);
}

void asb_emit(asb *b)
{
	for (uint32_t i = 0; i < b->blocks * b->subs; i++) {
		asb_sub *s = &b->sub[i];

		write_sub(b, s);
		s->tags = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), s->items->len);
		for (uint32_t n = 0; n < s->items->len; n++)
			g_array_append_val(s->tags, asb_item_at(s, n)->tag);
		/* Steps of large programs are hundreds of megabytes. */
		g_array_free(s->items, TRUE);
		s->items = g_array_new(FALSE, FALSE, sizeof(asb_item));
	}
}
