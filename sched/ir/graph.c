/* SPDX-License-Identifier: Apache-2.0
 *
 * Building graphs: constructors that derive shapes, K-block geometry of convolutions, sizes.
 *
 * Constructors do not check: a generator or parser builds the whole graph and asks graph_verify() once.  An operand
 * index that does not exist gives a node of shape 0 x 0, which the verifier then names.
 */
#include "sched/ir/graph.h"

#include <string.h>

static void clear_node(gpointer p)
{
	graph_node *n = p;

	g_free(n->name);
	g_free(n->data);
}

graph *graph_new(const char *name)
{
	graph *g = g_new0(graph, 1);

	g->name = g_strdup(name);
	g->nodes = g_array_new(FALSE, TRUE, sizeof(graph_node));
	g_array_set_clear_func(g->nodes, clear_node);
	return g;
}

void graph_free(graph *g)
{
	if (!g)
		return;
	g_array_free(g->nodes, TRUE);
	g_free(g->name);
	g_free(g);
}

const char *graph_op_name(enum graph_op op)
{
	static const char *const names[GRAPH_OP_COUNT] = {"input", "const",     "unary",  "binary", "reduce", "matmul",
	                                                  "conv",  "transpose", "gather", "lanes",  "rows",   "join"};

	return names[op];
}

static graph_node make(const graph *g, const char *name, enum graph_op op, enum isa_type type, uint32_t x, uint32_t y)
{
	graph_node n = {.op = op, .type = type, .in = {x, y}};

	n.name = name ? g_strdup(name) : g_strdup_printf("n%u", graph_size(g));
	if (x < graph_size(g)) {
		n.rows = graph_at(g, x)->rows;
		n.lanes = graph_at(g, x)->lanes;
	}
	return n;
}

static uint32_t append(graph *g, const graph_node *n)
{
	g_array_append_val(g->nodes, *n);
	return graph_size(g) - 1;
}

static enum isa_type type_of(const graph *g, uint32_t x)
{
	return x < graph_size(g) ? graph_at(g, x)->type : ISA_TYPE_F32;
}

uint32_t graph_input(graph *g, const char *name, enum isa_type type, uint64_t rows, uint64_t lanes)
{
	graph_node n = make(g, name, GRAPH_INPUT, type, UINT32_MAX, UINT32_MAX);

	n.rows = rows;
	n.lanes = lanes;
	return append(g, &n);
}

uint32_t graph_const(graph *g, const char *name, enum isa_type type, uint64_t rows, uint64_t lanes, const void *data)
{
	graph_node n = make(g, name, GRAPH_CONST, type, UINT32_MAX, UINT32_MAX);

	n.rows = rows;
	n.lanes = lanes;
	n.data = g_memdup2(data, graph_node_bytes(&n));
	return append(g, &n);
}

uint32_t graph_unary(graph *g, const char *name, enum isa_op op, enum isa_type type, uint32_t x)
{
	graph_node n = make(g, name, GRAPH_UNARY, type, x, UINT32_MAX);

	n.vxm_op = op;
	return append(g, &n);
}

uint32_t graph_binary(graph *g, const char *name, enum isa_op op, enum isa_type type, uint32_t x, uint32_t y)
{
	graph_node n = make(g, name, GRAPH_BINARY, type, x, y);

	n.vxm_op = op;
	if (y < graph_size(g))
		n.rows = MAX(n.rows, graph_at(g, y)->rows);
	return append(g, &n);
}

uint32_t graph_binary_imm(graph *g, const char *name, enum isa_op op, enum isa_type type, uint32_t x, uint32_t imm_bits)
{
	graph_node n = make(g, name, GRAPH_BINARY, type, x, UINT32_MAX);

	n.vxm_op = op;
	n.has_imm = true;
	n.imm = imm_bits;
	return append(g, &n);
}

uint32_t graph_reduce(graph *g, const char *name, enum isa_op op, uint32_t x, uint64_t groups)
{
	graph_node n = make(g, name, GRAPH_REDUCE, type_of(g, x), x, UINT32_MAX);

	n.vxm_op = op;
	n.groups = groups;
	n.rows = groups;
	return append(g, &n);
}

uint32_t graph_matmul(graph *g, const char *name, uint32_t a, uint32_t b, uint64_t batches, enum isa_type type,
                      uint64_t block_run, uint64_t sum_rows)
{
	graph_node n = make(g, name, GRAPH_MATMUL, type, a, b);

	n.batches = batches;
	n.m = batches ? n.rows / batches : 0;
	n.k = n.lanes;
	n.n = b < graph_size(g) ? graph_at(g, b)->lanes : 0;
	n.lanes = n.n;
	n.block_run = block_run;
	n.sum_rows = sum_rows;
	return append(g, &n);
}

uint32_t graph_conv2d(graph *g, const char *name, uint32_t x, uint32_t w, const graph_conv *conv, enum isa_type type,
                      uint64_t sum_rows)
{
	graph_node n = make(g, name, GRAPH_CONV, type, x, w);

	n.conv = *conv;
	n.rows = conv->images * conv->groups * conv->oh * conv->ow;
	n.lanes = conv->n;
	n.sum_rows = sum_rows;
	return append(g, &n);
}

uint32_t graph_transpose(graph *g, const char *name, uint32_t x)
{
	graph_node n = make(g, name, GRAPH_TRANSPOSE, type_of(g, x), x, UINT32_MAX);
	uint64_t rows = n.rows;

	n.rows = n.lanes;
	n.lanes = rows;
	return append(g, &n);
}

uint32_t graph_columns(graph *g, const char *name, uint32_t x, uint64_t count)
{
	uint32_t node = graph_transpose(g, name, x);

	graph_at(g, node)->rows = count;
	return node;
}

uint32_t graph_gather(graph *g, const char *name, uint32_t x, uint32_t index, uint64_t first_lane, uint64_t lanes)
{
	graph_node n = make(g, name, GRAPH_GATHER, type_of(g, x), x, index);

	n.rows = index < graph_size(g) ? graph_at(g, index)->lanes : 0;
	n.lanes = lanes;
	n.first_lane = first_lane;
	return append(g, &n);
}

int32_t graph_gather_row(const graph *g, const graph_node *n, uint64_t i)
{
	int32_t row;

	memcpy(&row, graph_at(g, n->in[1])->data + 4 * i, sizeof row);
	return row;
}

uint32_t graph_lanes(graph *g, const char *name, uint32_t x, uint32_t lane_xor)
{
	graph_node n = make(g, name, GRAPH_LANES, type_of(g, x), x, UINT32_MAX);

	n.lane_xor = lane_xor;
	return append(g, &n);
}

uint32_t graph_rows(graph *g, const char *name, uint32_t x, uint64_t first_row, uint64_t rows)
{
	return graph_view(g, name, x, rows, first_row, 1, 0, 1);
}

uint32_t graph_view(graph *g, const char *name, uint32_t x, uint64_t rows, uint64_t first_row, uint64_t groups,
                    uint64_t pitch, uint64_t step)
{
	graph_node n = make(g, name, GRAPH_ROWS, type_of(g, x), x, UINT32_MAX);

	n.rows = rows;
	n.first_row = first_row;
	n.groups = groups;
	n.pitch = pitch;
	n.step = step;
	return append(g, &n);
}

uint32_t graph_join(graph *g, const char *name, uint32_t x, uint32_t y, uint64_t groups)
{
	graph_node n = make(g, name, GRAPH_JOIN, type_of(g, x), x, y);

	n.rows *= 2;
	n.groups = groups;
	return append(g, &n);
}

void graph_mark_output(graph *g, uint32_t node)
{
	graph_at(g, node)->output = true;
}

uint64_t graph_node_bytes(const graph_node *n)
{
	return n->rows * n->lanes * isa_type_bytes(n->type);
}

uint64_t graph_macs(const graph *g)
{
	uint64_t macs = 0;

	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);

		if (n->op == GRAPH_MATMUL)
			macs += n->batches * n->m * n->k * n->n;
		else if (n->op == GRAPH_CONV)
			macs += n->rows * n->lanes * graph_conv_k(&n->conv);
	}
	return macs;
}

uint64_t graph_conv_k(const graph_conv *c)
{
	return c->c * c->r * c->s;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Where a block begins, and how far it reaches.  RUNS: rows from r on, an interval [first, first + run) of the (s, c)
 * run.  TAPS: one row, taps from s on, channels from ch on.
 * CHANNELS has one block of everything, which graph_conv_lane() finds its way in. */
typedef struct block {
	uint64_t r, rows, first, run;
	uint64_t s, taps, ch, chans;
} block;

static block block_at(const graph_conv *c, uint64_t index)
{
	block b = {0};

	if (c->kind == GRAPH_KBLOCK_RUNS) {
		uint64_t chunks = div_up(c->s * c->c, c->block_run);

		b.r = index / chunks * c->block_rows;
		b.rows = MIN(c->block_rows, c->r - b.r);
		b.first = index % chunks * c->block_run;
		b.run = MIN(c->block_run, c->s * c->c - b.first);
	} else {
		uint64_t chunks = div_up(c->c, c->block_chan);
		uint64_t steps = div_up(c->s, c->block_taps);

		b.r = index / (chunks * steps);
		b.s = index / chunks % steps * c->block_taps;
		b.taps = MIN(c->block_taps, c->s - b.s);
		b.ch = index % chunks * c->block_chan;
		b.chans = MIN(c->block_chan, c->c - b.ch);
	}
	return b;
}

uint64_t graph_conv_block_count(const graph_conv *c)
{
	if (c->kind == GRAPH_KBLOCK_CHANNELS)
		return 1;
	if (c->kind == GRAPH_KBLOCK_RUNS)
		return div_up(c->r, c->block_rows) * div_up(c->s * c->c, c->block_run);
	return c->r * div_up(c->s, c->block_taps) * div_up(c->c, c->block_chan);
}

uint64_t graph_conv_block_lanes(const graph_conv *c, uint64_t index)
{
	block b;

	if (c->kind == GRAPH_KBLOCK_CHANNELS)
		return graph_conv_k(c);
	b = block_at(c, index);
	return c->kind == GRAPH_KBLOCK_RUNS ? b.rows * b.run : b.taps * b.chans;
}

void graph_conv_lane(const graph_conv *c, uint64_t index, uint64_t lane, uint64_t *r, uint64_t *s, uint64_t *ch)
{
	block b;

	if (c->kind == GRAPH_KBLOCK_CHANNELS) {
		uint64_t taps = c->r * c->s, first = lane / (taps * c->block_chan) * c->block_chan;
		uint64_t chans = MIN(c->block_chan, c->c - first);

		lane -= first * taps;
		*r = lane / (c->s * chans);
		*s = lane / chans % c->s;
		*ch = first + lane % chans;
		return;
	}
	b = block_at(c, index);
	if (c->kind == GRAPH_KBLOCK_RUNS) {
		uint64_t at = b.first + lane % b.run;

		*r = b.r + lane / b.run;
		*s = at / c->c;
		*ch = at % c->c;
	} else {
		*r = b.r;
		*s = b.s + lane / b.chans;
		*ch = b.ch + lane % b.chans;
	}
}
