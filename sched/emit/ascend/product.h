/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels on the cube share: tiles of a result, one after the other on each core, from operands in global memory
 * to rows of global memory.  A kernel says how its left operand comes (ask_source); all else is the same for all.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_PRODUCT_H
#define TSPSIM_SCHED_EMIT_ASCEND_PRODUCT_H

#include "sched/emit/ascend/ascend.h"
#include "sched/emit/ascend/matmul.h"

enum { ASK_SIDE = 16, ASK_BLOCK = 32, ASK_SUM = 4, ASK_TURNS = 4, ASK_SLOTS = 8, ASK_TAIL = 4, ASK_VECTORS = 2 };
/* Tiles that a kernel tries, cheapest by formula first, and those that a decision chooses from. */
enum { ASK_TRIED = 12, ASK_CANDIDATES = 48 };

/* Buffers in turn. */
typedef struct ask_ring {
	uint64_t address[ASK_TURNS];
	unsigned turns, next;
} ask_ring;

/* How the depth of a tile is cut, the same for all tiles: stages of the left and the right operand in L1, steps of the
 * cube.  Each list ends with the depth; no step crosses a border of a stage. */
typedef struct ask_depths {
	GArray *stage[2], *step; /* uint64_t */
} ask_depths;

/* One operand: its buffers in L1, and which of them the stages to come lie in. */
typedef struct ask_feed {
	ask_ring ring;
	uint64_t next; /* stages loaded, over all tiles of the core */
	unsigned last, slot[ASK_SLOTS];
	uint64_t batch, at; /* what lies in the buffer loaded last */
} ask_feed;

/* An element-wise operation on the result, fp16. */
typedef struct ask_tail_op {
	enum asc_op op;
	bool number, row; /* with a number; with one row for all */
	uint32_t bits;
	ask_place y; /* the other operand; no pitch: none */
} ask_tail_op;
typedef struct ask_tail {
	bool relu; /* first, done by the way out of L0C */
	unsigned count;
	ask_tail_op op[ASK_TAIL];
	ask_place to; /* where the result of the last one goes */
} ask_tail;

typedef struct ask_source ask_source;
typedef struct ask_work {
	asb *b;
	asb_core core;
	const ask_product *p;
	const ask_tile *t;
	const ask_source *source;
	const void *shape; /* the source's own */
	ask_place a, w, c;
	const ask_depths *depths;
	uint64_t tiles; /* of this core */
	ask_feed feed[2];
	ask_ring l0a, l0b, l0c, ub;
	uint64_t ub_bytes;
	uint64_t at_m, at_n, rows, columns, batch; /* of the tile looked up last */
	const ask_tail *tail;                      /* NULL: none */
	bool relu;                                 /* as the result leaves L0C */
	uint64_t tail_bytes;                       /* of a turn of the unified buffer */
	ask_ring tail_ub[ASK_VECTORS], tail_y[ASK_VECTORS];
} ask_work;

struct ask_source {
	/* How T cuts the depth; ask_depths_free(). */
	ask_depths *(*depths)(const ask_work *w, const ask_tile *t);
	/* Most bytes that a stage of the left operand takes in L1. */
	uint64_t (*stage_bytes)(const ask_work *w, const ask_tile *t);
	/* Steps that bring stage STAGE of the tile looked up to ADDRESS of L1. */
	void (*load)(ask_work *w, unsigned stage, uint64_t address);
	/* A step that brings depth K to K + DEPTH of that stage to TO of L0A. */
	void (*extract)(ask_work *w, unsigned stage, uint64_t address, uint64_t to, uint64_t k, uint64_t depth);
};

static inline uint64_t ask_div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}
static inline uint64_t ask_up(uint64_t a, uint64_t b)
{
	return ask_div_up(a, b) * b;
}
static inline uint64_t ask_work_size(const ask_work *w)
{
	return asc_type_bytes(w->p->type);
}

ask_depths *ask_depths_new(void);
void ask_depths_free(ask_depths *d);
/* Borders FROM, FROM + STEP, ... before TO. */
void ask_depths_cut(GArray *borders, uint64_t from, uint64_t to, uint64_t step);
/* Steps in order, and also where stages begin. */
void ask_depths_close(ask_depths *d, uint64_t depth);
uint64_t ask_depths_at(const GArray *borders, guint i);

/* Tiles of a run of the result's rows; all of a batch. */
uint64_t ask_tiles_down(const ask_product *p, const ask_tile *t);
uint64_t ask_tiles_of(const ask_product *p, const ask_tile *t);

/* Rows of a packed right operand, and bytes of one. */
uint64_t ask_packed_rows(const ask_product *p, const ask_tile *t);
uint64_t ask_packed_row(const ask_product *p, const ask_tile *t);

/* nd2nz of ROWS rows of COLUMNS elements, PITCH_BYTES apart, to fractals whose columns are STRIDE rows apart. */
void ask_fractals(ask_work *w, uint64_t to, uint64_t from, uint64_t rows, uint64_t columns, uint64_t pitch_bytes,
                  uint64_t stride);
/* The source of a matrix in rows of memory. */
extern const ask_source ask_rows_source;

/* Types of a product of int8 (WHOLE) or fp16. */
void ask_product_types(ask_product *p, bool whole);
/* That of TILES (cheapest first by formula) that takes least time by prediction, or that is decided (build.h); false
 * where none can be built. */
bool ask_product_choose(const ask_work *w, const GArray *tiles, ask_tile *best);
/* product_tail.c: a MATMUL node and what of its tail goes with it. */
void ask_tail_describe(const ask_kernel *k, ask_tail *tail);
bool ask_tail_take(ask_work *w, asb_core core, unsigned vector, GError **error);
void ask_tail_of_tile(ask_work *w); /* split cores: the tile looked up has been sent to memory */
/* ROWS x COLUMNS of the result from ROW, COLUMN on lie in the unified buffer, PITCH elements apart. */
typedef struct ask_tail_piece {
	uint64_t ub, row, rows, column, columns, pitch;
} ask_tail_piece;
/* The operations, in place, and the way to memory; OTHERS: buffers for other operands. */
void ask_tail_apply(ask_work *w, asb_core core, ask_ring *others, const ask_tail_piece *n);
/* matmul_split.c: parts of products of P at FROM, added up in order to rows of what P's sums become, at TO. */
bool ask_add_parts(asb *b, const ask_product *p, const ask_place *from, const ask_place *to, GError **error);
/* All steps of all blocks with tile T. */
bool ask_product_write(ask_work *w, const ask_tile *t, GError **error);

#endif
