/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph: tensor operations in SSA form, machine-neutral, with the arithmetic stated to the last rounding.
 *
 * Tensors are [rows][lanes]: the last dimension runs along the lanes of vectors, all others are flattened into rows.
 * Which dimension of a workload is the last one is the generator's choice and part of the graph (softmax:RxC, for
 * example, is a [C][R] tensor: each problem row stays in one lane, so that its reduction walks over vectors).
 *
 * Every node computes one value from earlier ones.  Element-wise nodes compute in fp32 (or the integer type) and round
 * once to the node's type.  The graph text (graph_print) names all this; the reference (sched/ir/reference.c) and the
 * lowering read the same nodes, and share no code.
 */
#ifndef TSPSIM_SCHED_IR_GRAPH_H
#define TSPSIM_SCHED_IR_GRAPH_H

#include "isa/isa.h"

enum graph_op {
	GRAPH_INPUT,     /* host data */
	GRAPH_CONST,     /* data known at compile time (twiddles); values in node->data */
	GRAPH_UNARY,     /* z = vxm_op(x); CVT included: the type is the node's */
	GRAPH_BINARY,    /* z = vxm_op(x, y); y may be an immediate; either may have rows == 1 and is then repeated down
	                    the rows */
	GRAPH_REDUCE,    /* over rows, in groups: rows = groups x n -> rows = groups; binary tree, see below */
	GRAPH_MATMUL,    /* batches of [m][k] x [k][n] -> [m][n] */
	GRAPH_CONV,      /* see graph_conv */
	GRAPH_TRANSPOSE, /* [r][c] -> [c][r]; with fewer rows than c, the first columns of x */
	GRAPH_GATHER,    /* z[row][lane] = x[index[row]][first_lane + lane]; index: a CONST of one row of int32 */
	GRAPH_LANES,     /* z[row][lane] = x[row][lane ^ lane_xor] */
	GRAPH_ROWS, /* a view without work: row (g, j), j < rows / groups, is row first_row + g*pitch + j*step of x */
	GRAPH_JOIN, /* groups of rows of x and y in turn: rows / (2 groups) of x, as many of y, and so on */
	GRAPH_OP_COUNT
};

/* Element-wise arithmetic: floating operands widen to fp32, the operation gives one correctly rounded fp32 value, and
 * that is converted to the node's type (a second rounding only where the node is fp16).  Both operands have one type.
 */

/* REDUCE: level by level, y[i] = x[2i] (op) x[2i+1]; an odd last element passes unchanged; until one is left.  Each
 * operation rounds to the node's type, which is the operand's. */

/* ROWS repeats rows as well: pitch 1, step 0 gives each of GROUPS rows rows / groups times; pitch 0, step 1 gives a
 * block of rows / groups rows GROUPS times. */

/* CONV: input [images*groups][h][w][c/groups] flattened to rows = images*groups*h*w, lanes = c/groups, padding zeros
 * implied; weights rows = groups * K, lanes = n/groups; K runs in the order of the K blocks below; output rows =
 * images*groups*oh*ow, lanes = n/groups.  out = floor((in + 2 pad - k) / stride) + 1, or the ceil form of the scale-sim
 * dialect (positions beyond the input read zeros).
 *
 * K blocks: the K products of one output are cut into blocks, in this order:
 *   RUNS: for r in steps of block_rows: for chunks of block_run of the run (s, c) of length S*C: lanes are, for each of
 *         the block's filter rows in turn, that chunk of its run.  (block_rows > 1 only with block_run >= S*C.)
 *   CHANNELS: one block; for c in steps of block_chan: for r: for s: the chunk of channels.
 *   TAPS: for r: for s in steps of block_taps: for c in steps of block_chan: lanes are tap by tap the chunk of
 * channels. fp16: in each block, sums of sum_rows lanes are taken in double in lane order from +0, each rounded once to
 * fp32; the block's sub-sums are added in fp32 in lane order to the block's value, and the blocks' values are added in
 * fp32 in block order: ((b0 + b1) + b2) + ... with b0 = (s00 + s01), beginning with the first value itself.  Result
 * fp16 = the fp32 sum rounded once.  int8: exact int32, wrapping.  MATMUL: blocks of block_run consecutive k. */
enum graph_kblock { GRAPH_KBLOCK_RUNS, GRAPH_KBLOCK_TAPS, GRAPH_KBLOCK_CHANNELS };
typedef struct graph_conv {
	uint64_t images, groups;
	uint64_t h, w, c; /* c per group */
	uint64_t n;       /* filters per group */
	uint64_t r, s;    /* filter */
	uint64_t stride_h, stride_w;
	uint64_t pad;
	uint64_t oh, ow;
	enum graph_kblock kind;
	uint64_t block_rows, block_run;  /* RUNS */
	uint64_t block_taps, block_chan; /* TAPS; CHANNELS: block_chan only */
} graph_conv;

typedef struct graph_node {
	char *name;
	enum graph_op op;
	enum isa_op vxm_op; /* UNARY, BINARY, REDUCE */
	enum isa_type type; /* of the value */
	uint64_t rows, lanes;
	uint32_t in[2];            /* node indices, < own index; UINT32_MAX when unused */
	bool has_imm;              /* BINARY: second operand is imm */
	uint32_t imm;              /* bits, in fp32 for floating types, else the integer */
	uint64_t groups;           /* REDUCE, ROWS, JOIN */
	uint64_t batches, m, k, n; /* MATMUL: in[0] rows = batches*m lanes = k; in[1] rows = batches*k lanes = n */
	uint64_t block_run;        /* MATMUL: lanes of a K block (320) */
	uint64_t sum_rows;         /* MATMUL, CONV fp16: lanes of a sub-sum (160) */
	graph_conv conv;
	uint32_t lane_xor;    /* LANES */
	uint64_t first_row;   /* ROWS */
	uint64_t pitch, step; /* ROWS */
	uint64_t first_lane;  /* GATHER */
	uint8_t *data;        /* CONST: rows*lanes elements, row-major, no padding; INPUT: NULL or as CONST */
	bool output;
} graph_node;

typedef struct graph {
	char *name;    /* workload or layer */
	GArray *nodes; /* graph_node */
} graph;

graph *graph_new(const char *name);
void graph_free(graph *g);
static inline graph_node *graph_at(const graph *g, uint32_t i)
{
	return &g_array_index(g->nodes, graph_node, i);
}
static inline uint32_t graph_size(const graph *g)
{
	return g->nodes->len;
}

/* Constructors; each returns the new node's index.  Names (letters, digits, '_' and '.', not beginning with a digit)
 * and data are copied.  They derive the shape and check nothing: graph_verify() does. */
uint32_t graph_input(graph *g, const char *name, enum isa_type type, uint64_t rows, uint64_t lanes);
uint32_t graph_const(graph *g, const char *name, enum isa_type type, uint64_t rows, uint64_t lanes, const void *data);
uint32_t graph_unary(graph *g, const char *name, enum isa_op op, enum isa_type type, uint32_t x);
uint32_t graph_binary(graph *g, const char *name, enum isa_op op, enum isa_type type, uint32_t x, uint32_t y);
uint32_t graph_binary_imm(graph *g, const char *name, enum isa_op op, enum isa_type type, uint32_t x,
                          uint32_t imm_bits);
uint32_t graph_reduce(graph *g, const char *name, enum isa_op op, uint32_t x, uint64_t groups);
uint32_t graph_matmul(graph *g, const char *name, uint32_t a, uint32_t b, uint64_t batches, enum isa_type type,
                      uint64_t block_run, uint64_t sum_rows);
uint32_t graph_conv2d(graph *g, const char *name, uint32_t x, uint32_t w, const graph_conv *conv, enum isa_type type,
                      uint64_t sum_rows);
uint32_t graph_transpose(graph *g, const char *name, uint32_t x);
/* The first COUNT columns of X as rows. */
uint32_t graph_columns(graph *g, const char *name, uint32_t x, uint64_t count);
/* LANES lanes from FIRST_LANE on of the rows of X that INDEX names. */
uint32_t graph_gather(graph *g, const char *name, uint32_t x, uint32_t index, uint64_t first_lane, uint64_t lanes);
/* Element I of a GATHER's index. */
int32_t graph_gather_row(const graph *g, const graph_node *n, uint64_t i);
uint32_t graph_lanes(graph *g, const char *name, uint32_t x, uint32_t lane_xor);
uint32_t graph_rows(graph *g, const char *name, uint32_t x, uint64_t first_row, uint64_t rows);
uint32_t graph_view(graph *g, const char *name, uint32_t x, uint64_t rows, uint64_t first_row, uint64_t groups,
                    uint64_t pitch, uint64_t step);
uint32_t graph_join(graph *g, const char *name, uint32_t x, uint32_t y, uint64_t groups);
void graph_mark_output(graph *g, uint32_t node);

const char *graph_op_name(enum graph_op op); /* "input" "const" "unary" ... */
static inline unsigned graph_arity(const graph_node *n)
{
	return n->in[0] == UINT32_MAX ? 0 : n->in[1] == UINT32_MAX ? 1 : 2;
}

/* Checks SSA order, shapes, types, operand counts; the first offence as a USER error naming the node. */
bool graph_verify(const graph *g, GError **error);
/* Text form, one node a line; g_free.  graph_parse reads it back (errors carry file:line:column). */
char *graph_print(const graph *g);
graph *graph_parse(const char *text, const char *file, GError **error);

/* One lane of a K block of a CONV: filter position and channel.  Returns lanes of block B through *lanes. */
uint64_t graph_conv_k(const graph_conv *c); /* K of one output: c r s */
uint64_t graph_conv_block_count(const graph_conv *c);
uint64_t graph_conv_block_lanes(const graph_conv *c, uint64_t block);
void graph_conv_lane(const graph_conv *c, uint64_t block, uint64_t lane, uint64_t *r, uint64_t *s, uint64_t *ch);

uint64_t graph_node_bytes(const graph_node *n); /* rows*lanes*element */
uint64_t graph_macs(const graph *g);            /* MACs of MATMUL and CONV; products with padding zeros count */

/* Fills every INPUT without data with seeded values: mostly small numbers, and for floating types a sprinkle of -0,
 * denormals and, when SPECIALS, infinities and NaN. */
void graph_fill_inputs(graph *g, uint64_t seed, bool specials);
/* Evaluates the graph by definition, node by node: the independent reference.  values[i] = malloc'ed row-major data of
 * node i (g_free each); nodes that are not needed for outputs may be skipped (NULL). */
bool graph_evaluate(const graph *g, uint8_t **values, GError **error);

#endif
