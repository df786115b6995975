/* SPDX-License-Identifier: Apache-2.0
 *
 * The text form of a graph: a line `graph "NAME"`, one line a node, then one line an output.
 *
 *     y: fp16[64][128] = mul e, rv
 *
 * Everything the arithmetic depends on is there: types, grouping, order of K blocks, bits of immediates (floating ones
 * as the shortest decimal that reads back to them, NaNs as 0x bits) and of constant data (hexadecimal elements, COUNT
 * after a `*` for runs).  sched/ir/parse.c reads it back; docs/workloads.md describes it.
 */
#include "sched/ir/graph.h"
#include "isa/num.h"

#include <math.h>
#include <string.h>

#define U64 G_GUINT64_FORMAT

static void print_imm(GString *out, enum isa_type type, uint32_t imm)
{
	float f = num_bits_f32(imm);
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (type != ISA_TYPE_F16 && type != ISA_TYPE_F32)
		g_string_append_printf(out, "#%d", (int32_t)imm);
	else if (isnan(f))
		g_string_append_printf(out, "#0x%08x", imm);
	else if (isinf(f))
		g_string_append(out, f < 0 ? "#-inf" : "#inf");
	else
		g_string_append_printf(out, "#%s", g_ascii_formatd(text, sizeof(text), "%.9g", (double)f));
}

static uint64_t element(const graph_node *n, uint64_t i)
{
	unsigned bytes = isa_type_bytes(n->type);
	uint64_t value = 0;

	for (unsigned b = 0; b < bytes; b++)
		value |= (uint64_t)n->data[i * bytes + b] << (8 * b);
	return value;
}

static void print_data(GString *out, const graph_node *n)
{
	uint64_t count = n->rows * n->lanes;
	int digits = (int)(2 * isa_type_bytes(n->type));
	uint64_t run;

	for (uint64_t i = 0; i < count; i += run) {
		uint64_t value = element(n, i);

		for (run = 1; i + run < count && element(n, i + run) == value; run++)
			;
		g_string_append_printf(out, " %0*" G_GINT64_MODIFIER "x", digits, value);
		if (run > 1)
			g_string_append_printf(out, "*%" U64, run);
	}
}

static void print_conv(GString *out, const graph_node *n)
{
	const graph_conv *c = &n->conv;

	g_string_append_printf(out, ", images %" U64 ", groups %" U64 ", h %" U64 ", w %" U64 ", c %" U64 ", n %" U64,
	                       c->images, c->groups, c->h, c->w, c->c, c->n);
	g_string_append_printf(out, ", r %" U64 ", s %" U64 ", stride_h %" U64 ", stride_w %" U64 ", pad %" U64, c->r,
	                       c->s, c->stride_h, c->stride_w, c->pad);
	g_string_append_printf(out, ", oh %" U64 ", ow %" U64, c->oh, c->ow);
	if (c->kind == GRAPH_KBLOCK_RUNS)
		g_string_append_printf(out, ", block_rows %" U64 ", block_run %" U64, c->block_rows, c->block_run);
	else if (c->kind == GRAPH_KBLOCK_CHANNELS)
		g_string_append_printf(out, ", block_chan %" U64, c->block_chan);
	else
		g_string_append_printf(out, ", block_taps %" U64 ", block_chan %" U64, c->block_taps, c->block_chan);
	g_string_append_printf(out, ", sum %" U64, n->sum_rows);
}

/* What follows the operands. */
static void print_attributes(GString *out, const graph *g, const graph_node *n)
{
	switch (n->op) {
	case GRAPH_INPUT:
	case GRAPH_CONST:
		if (n->data)
			print_data(out, n);
		break;
	case GRAPH_BINARY:
		if (n->has_imm) {
			g_string_append(out, ", ");
			print_imm(out, graph_at(g, n->in[0])->type, n->imm);
		}
		break;
	case GRAPH_REDUCE:
	case GRAPH_JOIN:
		g_string_append_printf(out, ", groups %" U64, n->groups);
		break;
	case GRAPH_MATMUL:
		g_string_append_printf(out, ", batches %" U64 ", block_run %" U64 ", sum %" U64, n->batches,
		                       n->block_run, n->sum_rows);
		break;
	case GRAPH_CONV:
		print_conv(out, n);
		break;
	case GRAPH_LANES:
		g_string_append_printf(out, ", xor %u", n->lane_xor);
		break;
	case GRAPH_ROWS:
		g_string_append_printf(out, ", first %" U64 ", groups %" U64 ", pitch %" U64 ", step %" U64,
		                       n->first_row, n->groups, n->pitch, n->step);
		break;
	case GRAPH_GATHER:
		g_string_append_printf(out, ", lane %" U64, n->first_lane);
		break;
	case GRAPH_UNARY:
	case GRAPH_TRANSPOSE:
	case GRAPH_OP_COUNT:
		break;
	}
}

static void print_node(GString *out, const graph *g, const graph_node *n)
{
	g_string_append_printf(out, "%s: %s[%" U64 "][%" U64 "] = ", n->name, isa_type_name(n->type), n->rows,
	                       n->lanes);
	if (n->op == GRAPH_UNARY || n->op == GRAPH_BINARY)
		g_string_append(out, isa_ops[n->vxm_op].mnemonic);
	else
		g_string_append(out, graph_op_name(n->op));
	if (n->op == GRAPH_REDUCE)
		g_string_append_printf(out, " %s", isa_ops[n->vxm_op].mnemonic);
	for (unsigned i = 0; i < graph_arity(n); i++)
		g_string_append_printf(out, "%s%s", i ? ", " : " ", graph_at(g, n->in[i])->name);
	print_attributes(out, g, n);
	g_string_append_c(out, '\n');
}

char *graph_print(const graph *g)
{
	g_autofree char *name = g_strescape(g->name, NULL);
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "graph \"%s\"\n", name);
	for (uint32_t i = 0; i < graph_size(g); i++)
		print_node(out, g, graph_at(g, i));
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (graph_at(g, i)->output)
			g_string_append_printf(out, "output %s\n", graph_at(g, i)->name);
	return g_string_free(out, FALSE);
}
