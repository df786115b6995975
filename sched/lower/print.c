/* SPDX-License-Identifier: Apache-2.0
 *
 * The text form of a lowered program, for --dump and for tests that compare whole programs.
 *
 *     tensor 2 e: fp32[64][128] host? blocks 0 tail 128 life 1..3
 *     macro 1 d+e after 0: loop 64 lanes 128
 *       0 load t0.1[0+1*i0] fp16
 */
#include "sched/lower/lower.h"

#define U64 G_GUINT64_FORMAT

static void print_tensor(GString *out, guint index, const low_tensor *t)
{
	g_string_append_printf(out, "tensor %u %s: %s[%" U64 "][%" U64 "] vector %" U64 " blocks %" U64 " tail %" U64,
	                       index, t->name, isa_type_name(t->type), t->rows, t->lanes, t->vector_lanes, t->blocks,
	                       t->tail);
	g_string_append_printf(out, "%s%s", t->host ? " host" : "", t->output ? " output" : "");
	if (t->conv_input_of >= 0)
		g_string_append_printf(out, " conv-input %d", t->conv_input_of);
	if (t->conv_weight_of >= 0)
		g_string_append_printf(out, " conv-weight %d", t->conv_weight_of);
	g_string_append_printf(out, " life %u..%u\n", t->first_macro, t->last_macro);
}

static void print_ref(GString *out, const low_ref *ref)
{
	g_string_append_printf(out, "t%u.%u[%" G_GINT64_FORMAT, ref->tensor, ref->section, ref->first);
	if (ref->step0)
		g_string_append_printf(out, "+%" G_GINT64_FORMAT "*i0", ref->step0);
	if (ref->step1)
		g_string_append_printf(out, "+%" G_GINT64_FORMAT "*i1", ref->step1);
	g_string_append_c(out, ']');
}

static void print_step(GString *out, guint index, const low_step *s)
{
	g_string_append_printf(out, "  %u ", index);
	switch (s->kind) {
	case LOW_LOAD:
		g_string_append(out, "load ");
		print_ref(out, &s->ref);
		g_string_append_printf(out, " %s\n", isa_type_name(s->type));
		return;
	case LOW_STORE:
		g_string_append_printf(out, "store %d ", s->in[0]);
		print_ref(out, &s->ref);
		g_string_append_printf(out, " %s\n", isa_type_name(s->type));
		return;
	case LOW_LANES:
		g_string_append_printf(out, "lanes %d xor %u %s\n", s->in[0], s->lane_xor, isa_type_name(s->type));
		return;
	case LOW_OP:
		g_string_append_printf(out, "%s %d", isa_ops[s->op].mnemonic, s->in[0]);
		if (s->in[1] >= 0)
			g_string_append_printf(out, ", %d", s->in[1]);
		else if (s->in[1] == -2)
			g_string_append_printf(out, ", #0x%08x", s->imm);
		g_string_append_printf(out, " %s", isa_type_name(s->type));
		if (s->dtype != s->type)
			g_string_append_printf(out, " -> %s", isa_type_name(s->dtype));
		g_string_append_c(out, '\n');
	}
}

static void print_macro(GString *out, guint index, const low_macro *m)
{
	g_string_append_printf(out, "macro %u %s", index, m->name);
	for (guint i = 0; i < m->after->len; i++)
		g_string_append_printf(out, "%s%u", i ? "," : " after ", g_array_index(m->after, uint32_t, i));
	switch (m->kind) {
	case LOW_VLOOP:
		g_string_append_printf(out, ": loop %" U64, m->vloop.n0);
		if (m->vloop.n1 > 1)
			g_string_append_printf(out, " x %" U64, m->vloop.n1);
		g_string_append_printf(out, " lanes %" U64 "\n", m->vloop.lanes);
		for (guint i = 0; i < m->vloop.steps->len; i++)
			print_step(out, i, &g_array_index(m->vloop.steps, low_step, i));
		break;
	case LOW_MATMUL:
		g_string_append_printf(out, ": matmul t%u[%" U64 "] x t%u[%" U64 "] -> t%u[%" U64 "]", m->matmul.a,
		                       m->matmul.a_row, m->matmul.b, m->matmul.b_row, m->matmul.c, m->matmul.c_row);
		g_string_append_printf(out, " m %" U64 " k %" U64 " n %" U64 " %s block_run %" U64 " sum %" U64 "\n",
		                       m->matmul.m, m->matmul.k, m->matmul.n, isa_type_name(m->matmul.type),
		                       m->matmul.block_run, m->matmul.sum_rows);
		break;
	case LOW_CONV:
		g_string_append_printf(out, ": conv t%u[%" U64 "] * t%u[%" U64 "] -> t%u[%" U64 "]", m->conv.x,
		                       m->conv.x_row, m->conv.w, m->conv.w_row, m->conv.y, m->conv.y_row);
		g_string_append_printf(
			out, " %" U64 "x%" U64 "x%" U64 " filter %" U64 "x%" U64 "x%" U64 " out %" U64 "x%" U64 " %s\n",
			m->conv.conv.c, m->conv.conv.h, m->conv.conv.w, m->conv.conv.n, m->conv.conv.r, m->conv.conv.s,
			m->conv.conv.oh, m->conv.conv.ow, isa_type_name(m->conv.type));
		break;
	case LOW_GATHER:
		g_string_append_printf(out, ": gather t%u by t%u lane %" U64 " -> t%u\n", m->gather.x, m->gather.index,
		                       m->gather.first_lane, m->gather.y);
		break;
	case LOW_TRANSPOSE:
		g_string_append_printf(out, ": transpose t%u -> t%u\n", m->transpose.x, m->transpose.y);
		break;
	}
}

char *low_print(const low_program *p)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < p->tensors->len; i++)
		print_tensor(out, i, &g_array_index(p->tensors, low_tensor, i));
	for (guint i = 0; i < p->macros->len; i++)
		print_macro(out, i, &g_array_index(p->macros, low_macro, i));
	return g_string_free(out, FALSE);
}
