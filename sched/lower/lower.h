/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering: a graph becomes macro-operations on whole vectors, the same for both back ends.
 *
 * A tensor is stored as vectors of up to VECTOR lanes.  Full lane blocks form section 0: vector number nb*rows + row.
 * A narrower last lane block forms section 1: vector number row.  Back ends decide where a (section, vector) lies.
 */
#ifndef TSPSIM_SCHED_LOWER_LOWER_H
#define TSPSIM_SCHED_LOWER_LOWER_H

#include "isa/machine.h"
#include "sched/ir/graph.h"

typedef struct low_tensor {
	uint32_t node;    /* graph node whose value this is */
	const char *name; /* the node's */
	enum isa_type type;
	uint64_t rows, lanes;
	uint64_t vector_lanes; /* lanes of a full vector, <= machine lanes */
	uint64_t blocks;       /* full lane blocks = lanes / vector_lanes */
	uint64_t tail;         /* lanes of section 1, 0 = none */
	bool host;             /* INPUT or CONST: resident at the start of the epoch */
	bool output;
	int32_t conv_input_of;  /* macro index when this is the input of a CONV (stored as the back end's conv layout),
	                           else -1 */
	int32_t conv_weight_of; /* likewise for its weights */
	int32_t index_of; /* tensor whose rows this one names, for a GATHER; else -1.  A back end may store row numbers
	                     in another form */
	bool row_major;   /* rows are to lie dense, as the host has them: a GATHER or a part of the columns is read */
	uint32_t first_macro, last_macro; /* life time in macro order, for memory reuse */
} low_tensor;

/* Vectors v(i0,i1) = first + i0*step0 + i1*step1 of a section. */
typedef struct low_ref {
	uint32_t tensor;
	uint8_t section;
	int64_t first, step0, step1;
} low_ref;

enum low_step_kind { LOW_LOAD, LOW_OP, LOW_LANES, LOW_STORE };
typedef struct low_step {
	enum low_step_kind kind;
	low_ref ref;         /* LOAD, STORE */
	enum isa_op op;      /* OP: a VXM op */
	enum isa_type type;  /* of operands (LOAD, STORE: of the tensor) */
	enum isa_type dtype; /* of the result */
	int16_t in[2];       /* earlier steps of this loop; -1 = none; -2 = the immediate (second operand of OP only) */
	uint32_t imm;
	uint32_t lane_xor; /* LANES */
} low_step;

/* for i1 < n1: for i0 < n0: all steps.  Iterations are independent of each other. */
typedef struct low_vloop {
	uint64_t n0, n1;
	uint64_t lanes;
	GArray *steps; /* low_step */
} low_vloop;

/* One batch: C[m][n] = A[m][k] x B[k][n].  Row offsets select the batch inside the tensors. */
typedef struct low_matmul {
	uint32_t a, b, c;
	uint64_t a_row, b_row, c_row;
	uint64_t m, k, n;
	enum isa_type type; /* I8 or F16; C is I32 or F16 */
	uint64_t block_run, sum_rows;
} low_matmul;

/* One image and group. */
typedef struct low_conv {
	uint32_t x, w, y;
	uint64_t x_row, w_row, y_row;
	graph_conv conv; /* of one image and group: images = groups = 1 */
	enum isa_type type;
	uint64_t sum_rows;
} low_conv;

typedef struct low_transpose {
	uint32_t x, y;
} low_transpose;

/* y[row][lane] = x[index[row]][first_lane + lane] */
typedef struct low_gather {
	uint32_t x, index, y;
	uint64_t first_lane;
} low_gather;

enum low_kind { LOW_VLOOP, LOW_MATMUL, LOW_CONV, LOW_TRANSPOSE, LOW_GATHER };
typedef struct low_macro {
	enum low_kind kind;
	char *name;    /* of the graph node(s), "softmax.exp+sub" */
	uint32_t node; /* graph node of the result */
	union {
		low_vloop vloop;
		low_matmul matmul;
		low_conv conv;
		low_transpose transpose;
		low_gather gather;
	};
	GArray *after; /* uint32_t: macros whose results this one reads (or whose memory it overwrites) */
} low_macro;

typedef struct low_program {
	const graph *g;
	GArray *tensors; /* low_tensor */
	GArray *macros;  /* low_macro, in an order that respects `after` */
} low_program;

/* Limits of an element-wise loop: steps, and values alive between two steps.  A reduction loop has 2 RADIX steps and
 * 1 + log2 RADIX values alive. */
enum { LOW_STEPS_MAX = 24, LOW_LIVE_MAX = 10, LOW_RADIX_MAX = 64 };

/* Element-wise nodes over the same rows and lanes are fused into loops (which may store several results); where the
 * limits force a cut, it goes where the fewest bytes cross.  Reductions become loops of radix-RADIX tree steps (RADIX a
 * power of two); ROWS and JOIN nodes become references, or a copying loop where a reference cannot say it. VECTOR_LANES
 * per tensor: the machine's lanes, or all of the tensor's lanes (not more than the machine's) where a LANES node works
 * on it or on a tensor that shares a loop with it.  A CONV takes its operands from the host only.  G must have passed
 * graph_verify() and outlive the result. */
low_program *low_lower(const graph *g, const isa_machine *machine, unsigned radix, GError **error);
void low_free(low_program *p);
char *low_print(const low_program *p); /* for --dump and tests; g_free */

#endif
