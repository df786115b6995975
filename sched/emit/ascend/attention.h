/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the attention kernel share: the problem, how it is cut, buffers of a block.
 *
 * A unit is up to WIDTH queries of one head.  The cube sub-core makes its scores, a row a query; vector sub-cores turn
 * rows into probabilities, in place; the cube sub-core multiplies them with the values.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_ATTENTION_H
#define TSPSIM_SCHED_EMIT_ASCEND_ATTENTION_H

#include "sched/emit/ascend/ascend.h"

enum {
	ATN_SIDE = 16,
	ATN_BLOCK = 32,
	ATN_SUM = 4,
	ATN_HALF = 2,
	ATN_TURNS = 2,
	ATN_AHEAD = 2,
	ATN_IN_TURNS = 3,
	ATN_OUT_TURNS = 2,
	ATN_MOST_TURNS = 32,
	ATN_LANES = 64,
	ATN_HALF_LANES = 128,
	ATN_BLOCKS = 8
};

typedef struct atn_ring {
	uint64_t address[ATN_MOST_TURNS];
	unsigned turns, next;
} atn_ring;

typedef struct atn_unit {
	uint64_t head, first, queries; /* in its head */
} atn_unit;

/* Rows of scores that a vector sub-core has at once. */
typedef struct atn_batch {
	uint64_t unit, first, rows; /* rows of its unit */
} atn_batch;

/* Stages of K or V in L1.  With as many turns as a head has stages, those of the unit before are still there. */
typedef struct atn_feed {
	atn_ring ring;
	uint64_t keys;                 /* of a stage */
	uint64_t stages, next;         /* of a head; stages asked for so far, over all units of the block */
	uint64_t held[ATN_MOST_TURNS]; /* head whose stage a turn holds */
} atn_feed;

/* A vector sub-core's part of the unified buffer. */
typedef struct atn_soft {
	asb_core core;
	uint64_t column;     /* rows of fp32 */
	uint64_t partial[2]; /* of reductions */
	uint64_t value[2];   /* one number a row */
	uint64_t block[2];   /* a block of equal numbers a row: maximum, factor */
	atn_ring in, out;
	GArray *batches; /* atn_batch, of the block */
	uint64_t next;   /* batch whose pieces were asked for last */
	uint64_t pieces; /* of it, asked for */
} atn_soft;

typedef struct atn {
	asb *b;
	const asc_machine *machine;
	bool coupled;
	bool chip; /* coupled cores: scores and shares stay on the chip */
	uint64_t heads, queries, keys, depth;
	ask_place q, k, v, o;
	uint32_t scale; /* fp32 */
	const char *name_scores, *name_soft, *name_out;
	/* how it is cut */
	uint64_t width, chunk, stage; /* queries of a unit; keys of a product's columns, of a stage of V and P */
	uint64_t rows;                /* of a batch of a vector sub-core */
	uint64_t io_rows, io_keys;    /* of a piece that copies move */
	uint64_t pitch;               /* elements from row to row of scores */
	/* of the block at hand */
	asb_core core;
	GArray *units;                    /* atn_unit */
	GHashTable *turns[ATN_AHEAD + 1]; /* global memory for scores, by queries of the unit: then each row always has
	                                 one owner */
	atn_feed feed_k, feed_v;
	atn_ring l1_q, l1_p, l0a, l0b, l0c_s, l0c_o, ub;
	atn_soft soft[2];
	uint64_t p_at[ATN_TURNS]; /* stages of shares in L1 */
} atn;

static inline uint64_t atn_div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}
static inline uint64_t atn_up(uint64_t a, uint64_t b)
{
	return atn_div_up(a, b) * b;
}
static inline uint64_t atn_turn(atn_ring *r)
{
	return r->address[r->next++ % r->turns];
}
static inline const atn_unit *atn_unit_at(const atn *a, uint64_t i)
{
	return &g_array_index(a->units, atn_unit, i);
}
/* How full the memories of a block's sub-cores are. */
enum { ATN_SUBS = 3, ATN_SPACES = 5 };
typedef struct atn_marks {
	uint64_t at[ATN_SUBS][ATN_SPACES];
} atn_marks;
/* Units and sub-cores of block BLOCK, and what its memories have taken; false when it has no unit.  The end gives back
 * what was taken since. */
bool atn_begin_block(atn *a, uint32_t block, atn_marks *marks);
void atn_end_block(atn *a, const atn_marks *marks);
/* Rows of scores of UNIT. */
uint64_t atn_scores_at(atn *a, uint64_t unit);
/* On the chip: scores of UNIT in the unified buffer, its shares in L1. */
static inline uint64_t atn_chip_scores(const atn *a, uint64_t unit)
{
	return a->soft[0].in.address[unit % a->soft[0].in.turns];
}
static inline uint64_t atn_chip_shares(const atn *a, uint64_t unit)
{
	return a->l1_p.address[unit % a->l1_p.turns];
}
bool atn_take_ring(atn *a, asb_core core, atn_ring *r, enum asc_space space, uint64_t bytes, uint64_t align,
                   unsigned turns, GError **error);

/* attention_cube.c */
/* ROWS of COLUMNS elements of global memory to fractals in L1, COLUMN_ROWS rows a column of them. */
void atn_to_fractals(atn *a, uint64_t dst, uint64_t src, uint64_t rows, uint64_t columns, uint64_t pitch_bytes,
                     uint64_t column_rows);
void atn_load2d(atn *a, enum asc_op op, uint64_t dst, uint64_t src, uint64_t fractals, bool transpose);
/* COUNT columns from FROM on of fractals of ROWS x COLUMNS into L0A. */
void atn_load_rows(atn *a, uint64_t dst, uint64_t src, uint64_t rows, uint64_t columns, uint64_t from, uint64_t count);
/* SIZE: m, k, n. */
void atn_multiply(atn *a, uint64_t c, uint64_t at_a, uint64_t at_b, const uint64_t size[3], bool first, bool last);
/* ROWS x COLUMNS of L0C to rows of global memory, by way of the unified buffer where there is no other. */
void atn_way_out(atn *a, uint64_t c, uint64_t rows, uint64_t columns, uint64_t dst, uint64_t pitch_bytes);
/* On coupled cores to rows of the unified buffer, PITCH elements apart. */
void atn_to_ub(atn *a, uint64_t c, uint64_t rows, uint64_t columns, uint64_t ub, uint64_t pitch);
bool atn_cube_take(atn *a, GError **error);
void atn_scores(atn *a, uint64_t unit);
void atn_output(atn *a, uint64_t unit);
/* Buffers of the cube side for WIDTH queries: do they fit? */
bool atn_cube_fits(atn *a);

/* attention_lanes.c */
/* Elements in a row: OP on COUNT of them; BLOCK: a block for all lanes, or with EACH as many elements. */
typedef struct atn_run {
	enum asc_op op;
	enum asc_type type, dtype;
	uint64_t dst, src, block;
	bool has_block, each, has_scalar;
	uint32_t scalar;
} atn_run;
void atn_put_run(atn *a, asb_core core, const atn_run *r, uint64_t count);
/* Rows of COUNT elements, PITCH elements apart, of fp32 in place: (op) the row's block. */
void atn_put_rows(atn *a, asb_core core, enum asc_op op, uint64_t at, uint64_t pitch, uint64_t rows, uint64_t count,
                  uint64_t block);
typedef struct atn_fold {
	enum asc_op op;
	enum asc_type type;
	uint64_t dst, dst_pitch, src, src_pitch; /* elements */
} atn_fold;
/* Each block of elements of ROWS rows of COUNT becomes one element. */
void atn_put_folds(atn *a, asb_core core, const atn_fold *f, uint64_t rows, uint64_t count);
/* ROWS rows of COUNT fp32, one behind the other, as rows of fp16 DST_PITCH elements apart. */
void atn_round(atn *a, asb_core core, uint64_t dst, uint64_t dst_pitch, uint64_t src, uint64_t rows, uint64_t count);
/* ROWS rows of COLUMNS fp16 to fractals in L1, a column of them at a time. */
void atn_to_l1(atn *a, asb_core core, uint64_t dst, uint64_t src, uint64_t src_pitch, uint64_t rows, uint64_t columns);
void atn_zero(atn *a, asb_core core, uint64_t at, uint64_t bytes); /* in whole repeats */
/* Every row's COUNT elements at SRC become one at DST, by way of the two areas PARTIAL. */
void atn_reduce(atn *a, asb_core core, const uint64_t partial[2], enum asc_op op, enum asc_type type, uint64_t dst,
                uint64_t src, uint64_t pitch, uint64_t rows, uint64_t count, unsigned area);
/* A block of equal numbers a row, of ROWS numbers; eight at a time. */
void atn_spread(atn *a, asb_core core, uint64_t dst, uint64_t src, uint64_t rows);
/* Bytes of area AREA for ROWS rows of KEYS scores. */
uint64_t atn_partial_bytes(uint64_t keys, uint64_t rows, unsigned area);

/* attention_soft.c */
bool atn_soft_plan(atn *a); /* rows, io_*; false when not even one row fits */
bool atn_soft_take(atn *a, unsigned vector, GError **error);
void atn_soft_give(atn *a, unsigned vector);
void atn_softmax(atn *a, uint64_t unit);

#endif
