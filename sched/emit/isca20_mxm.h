/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products and convolutions on the stream-style machine.
 *
 * An *engine* is what takes one activation vector: a plane (int8) or a pair of planes (fp16).  Work is cut into
 * *units*: a batch, a tile of rows and a block of columns; a unit's K blocks are worked off in *steps*.  In a step one
 * or more *strands* run side by side, each for some of the unit's rows: activations flow outward from the slices to the
 * engines of the strand, their sums inward to the VXM, which adds them in K order to the old sum and sends the new one
 * back to the slices.
 *
 * Two ways to share the engines: all of them on one unit (K blocks over engines; K blocks left over are cut by rows),
 * or units of their own, which is better when units are short and many.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_MXM_H
#define TSPSIM_SCHED_EMIT_ISCA20_MXM_H

#include "sched/emit/isca20_memory.h"

enum { ISCA_ENGINES = 4, ISCA_PARTS = 4 };

/* Which words of a convolution's input (TAPS) there are.  A word holds what a tap block meets at an output column;
 * blocks whose starts differ by a multiple of the stride (one phase) meet the same pixels and share words when there
 * are enough columns.  Likewise filter rows share lines.  What no output uses is not stored. */
typedef struct isca_taps {
	uint64_t starts, phases; /* tap blocks of a filter row, and sets of them that share words */
	uint64_t span;           /* words from one start to the next of its phase */
	uint64_t line_words;     /* of one line and channel block */
	uint64_t line_step;      /* lines from one output row to the next */
	uint64_t lines;
} isca_taps;

isca_taps isca_taps_of(const graph_conv *conv);
/* Are there fewer words than output rows times K blocks? */
bool isca_taps_share(const isca_taps *taps, const graph_conv *conv);
/* Number of the word that the tap block beginning with tap S of filter row R meets at output (ROW, COLUMN). */
uint64_t isca_taps_at(const isca_taps *taps, const graph_conv *conv, uint64_t row, uint64_t column, uint64_t r,
                      uint64_t s);
/* Back: pixel row of a line, and first pixel of a line's WORD, both in the padded input. */
uint64_t isca_taps_height(const isca_taps *taps, const graph_conv *conv, uint64_t line);
uint64_t isca_taps_pixel(const isca_taps *taps, const graph_conv *conv, uint64_t word);

/* How a work makes do with less memory.  All zero: as fast as it can. */
typedef struct isca_thrift {
	uint32_t tile_rows; /* rows of a tile at most */
	unsigned load_rows; /* rows of weights in one LW at most: each takes slices of its own */
	bool share;         /* operands used at once may lie in one slice; they take turns, a few rows each */
	bool patches;       /* convolutions by patches */
} isca_thrift;

/* Consecutive rows of the right-hand operand; of a convolution, one filter row, some taps, some channels. */
typedef struct isca_kblock {
	uint64_t row;
	uint32_t rows;
	uint64_t r, s, c;
} isca_kblock;

/* Which of the four equal parts of a unit's rows. */
enum isca_share { ISCA_ALL, ISCA_HALF, ISCA_QUARTER, ISCA_SHARES };

typedef struct isca_strand {
	uint8_t part, parts; /* parts PART .. PART + PARTS - 1 of ISCA_PARTS */
	uint8_t count;
	uint16_t kblock[ISCA_ENGINES];
	uint8_t engine[ISCA_ENGINES]; /* ISCA_OWN_ENGINE: the unit's */
} isca_strand;
enum { ISCA_OWN_ENGINE = 0xff };

typedef struct isca_stage {
	unsigned count;
	isca_strand strand[ISCA_ENGINES];
} isca_stage;

/* isca20_patch.c: how a convolution saves memory. */
typedef struct isca_packing {
	uint64_t word_pixels; /* of a line of the input, from one word to the next; 0: words of taps */
	uint64_t columns;     /* from one output column of a patch to the next */
	uint64_t line_words;
	uint64_t strips, strip_rows;
	uint64_t band_rows;  /* rows of a strip that an engine takes */
	uint64_t band_lines; /* lines of the input that they meet */
} isca_packing;

/* Output rows ROW.. of each strip; columns COLUMN, COLUMN + packing.columns, ... */
typedef struct isca_patch {
	unsigned engine;
	uint64_t row, rows, column, columns;
} isca_patch;

typedef struct isca_batch {
	uint64_t a, b, c; /* first rows in the tensors (A of a convolution: number of image and group) */
	uint64_t group;   /* which set of weights */
} isca_batch;

/* All matrix macros of one graph node. */
typedef struct isca_work {
	bool is_conv;
	graph_conv conv;
	bool has_taps; /* A lies as words that outputs share, else as one word for each output row and K block */
	isca_taps taps;
	enum isa_type type;
	unsigned bytes; /* of an element of A and B */
	unsigned engines;
	unsigned links; /* of a strand at most: its sums need an ALU each, and fp16 one to convert */
	uint32_t interval;
	/* rows multiplied so far by each engine, the first one's cycle, and that in which the next can be */
	uint64_t rows_of[ISCA_ENGINES];
	int64_t rows_first[ISCA_ENGINES], rows_end[ISCA_ENGINES];
	uint32_t a, b, c; /* tensors */
	uint64_t m, n;
	isca_thrift thrift;
	uint64_t blocks; /* of columns */
	GArray *batches; /* isca_batch */
	uint64_t groups;
	GArray *kblocks;      /* isca_kblock */
	GArray *steps;        /* isca_stage */
	GArray *patches;      /* isca_patch, one a tile; NULL: tiles of consecutive rows */
	isca_packing packing; /* with patches */
	bool own;             /* units have an engine of their own */
	bool by_batch;        /* then: by batch, else by patch or column block */
	uint64_t part_rows;   /* rows of a part; a tile has four */
	uint64_t tile_rows, tiles;
	uint32_t window;    /* units that take turns, so that sums are back before they are wanted */
	uint32_t load_rows; /* rows of B in one LW */
	/* layout; tiles of host operands are private */
	bool a_private, b_private;
	isca_tile a_tile[ISCA_ENGINES][ISCA_SHARES]; /* of the K blocks that the engine takes with that share */
	GArray *b_tiles;                             /* isca_tile: K block * engines + engine */
	isca_tile sum[2];                            /* partial sums: batch = unit in the window, row */
	isca_tile strip[2];                          /* words of the result with the strips so far, likewise */
	unsigned chunks;                             /* conv: channel blocks */
} isca_work;

/* Work of macros FIRST..FIRST+COUNT-1 (of one node).  NULL and c->error when this machine cannot do it. */
isca_work *isca_work_new(const isca *c, const GArray *tensors, uint32_t first, uint32_t count,
                         const isca_thrift *thrift);
void isca_work_free(isca_work *work);

static inline const isca_kblock *isca_kblock_at(const isca_work *w, unsigned i)
{
	return &g_array_index(w->kblocks, isca_kblock, i);
}
static inline const isca_batch *isca_batch_at(const isca_work *w, uint64_t i)
{
	return &g_array_index(w->batches, isca_batch, i);
}
static inline unsigned isca_engine_side(const isca_work *w, unsigned engine)
{
	return 2 * engine / w->engines;
}
/* The even plane of an engine. */
static inline unsigned isca_engine_plane(const isca_work *w, unsigned engine)
{
	return engine * (ISCA_ENGINES / w->engines);
}

/* Cuts a convolution into patches; false when it is none that can be. */
bool isca_cut_patches(const isca *c, isca_work *w, const isca_tensor *result);
static inline bool isca_has_strips(const isca_work *w)
{
	return w->patches && w->packing.strips > 1;
}
/* Rows of a tile in a strip, and the batch's row that row I of it is there. */
uint64_t isca_tile_rows(const isca_work *w, uint64_t tile, uint64_t strip);
uint64_t isca_tile_row(const isca_work *w, uint64_t tile, uint64_t strip, uint64_t i);
/* Does STRIP complete the word that row I of the tile shares with others? */
bool isca_is_whole(const isca_work *w, uint64_t tile, uint64_t strip, uint64_t i);
/* With patches: the number of ENGINE's word that K block K meets at output M, and the lane where it begins. */
uint64_t isca_packed_at(const isca_work *w, unsigned engine, uint64_t m, const isca_kblock *k);
unsigned isca_packed_lane(const isca_work *w, uint64_t m, const isca_kblock *k);
/* Back: row and first pixel of a word, in the padded input. */
uint64_t isca_packed_height(const isca_work *w, unsigned engine, uint64_t word);
uint64_t isca_packed_pixel(const isca_work *w, uint64_t word);

/* Where one byte of an activation lies: row M of batch BATCH, K block KBLOCK, for ENGINE. */
uint32_t isca_a_place(const isca_work *w, const GArray *tensors, uint64_t batch, unsigned kblock, uint64_t m,
                      unsigned engine, enum isca_share share, unsigned byte);
/* Where one byte of row ROW of a K block lies, columns of block BLOCK (with strips: for strip BLOCK). */
uint32_t isca_b_place(const isca_work *w, const GArray *tensors, uint64_t batch, unsigned kblock, uint64_t block,
                      uint32_t row, unsigned engine, unsigned byte);
uint32_t isca_c_place(const isca_work *w, const GArray *tensors, uint64_t batch, uint64_t m, uint64_t block,
                      unsigned byte);

/* Is the tile of engine E the same as that of an earlier engine in its hemisphere?  Returns that engine, or E. */
unsigned isca_same_weights(const isca_work *w, unsigned e, unsigned kblock);

/* Schedules all of it. */
bool isca_emit_work(isca *c, isca_work *work, const GArray *tensors);

/* State of the matrix unit: planes are taken in order, each pass after the one before. */
typedef struct isca_plane {
	int64_t loadable; /* cycle from which the shadow buffer may be loaded */
	int64_t free;     /* cycle from which new weights may be active */
} isca_plane;
struct isca_mxm {
	isca_plane plane[ISCA_ENGINES];
};

#endif
