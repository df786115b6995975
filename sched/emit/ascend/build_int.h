/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the Ascend-style builder share: steps as kernels wrote them, the bytes that steps touch, where
 * flags go, predicted times.
 *
 * Everything about one sub-core is kept apart, so that programs of millions of steps are handled one sub-core after
 * another; `sequence` alone says how steps of several sub-cores follow one another.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_BUILD_INT_H
#define TSPSIM_SCHED_EMIT_ASCEND_BUILD_INT_H

#include "sched/emit/ascend/build.h"

/* State of the vector mask under which a step runs. */
typedef struct asb_mode {
	uint64_t low, high; /* counter mode: low = elements */
	bool counter;
} asb_mode;

typedef struct asb_item {
	asc_insn insn;
	uint32_t mode; /* number in asb.modes */
	uint32_t tag;  /* of a loop's iteration, ASB_NO_TAG */
} asb_item;

/* Number of a loop + 1, and of its iteration. */
enum { ASB_NO_TAG = 0, ASB_TAG_BITS = 20, ASB_LOOPS = 1 << (32 - ASB_TAG_BITS) };
typedef struct asb_loop_name {
	uint32_t node;
	const char *unit;
} asb_loop_name;

/* An instruction of the builder's own: behind step STEP of a sub-core, or before it. */
typedef struct asb_note {
	uint32_t step, next; /* of those behind one step */
	uint16_t op;
	uint8_t a, b; /* the instruction's first fields; of a word of a meeting its round, and whose it is */
	uint16_t c;
} asb_note;
enum { ASB_NONE = UINT32_MAX };

typedef struct asb_sub {
	enum asc_kind kind;
	uint32_t block;
	unsigned vector;
	GArray *items;  /* asb_item */
	uint32_t mode;  /* of steps that follow */
	uint32_t tag;   /* the same */
	GArray *tags;   /* uint32_t of each step, when its stream has been written; NULL before */
	GArray *before; /* asb_note by step */
	GArray *behind; /* asb_note, chains by `last` */
	uint32_t *last; /* [items] the last note behind a step, ASB_NONE */
	bool joins;     /* has a stream even without a step */
	uint64_t taken[ASC_SPACES];
} asb_sub;

typedef struct asb_block_tensor {
	uint64_t address, bytes;
	bool data, written;
} asb_block_tensor;

/* What the builder counted, for the report. */
typedef struct asb_counts {
	uint64_t dependences, flags, barriers, crossings, syncs, round_trips, modes;
	uint64_t windows;         /* whose order was changed */
	uint64_t conflicts_saved; /* cycles that placing of operands saves */
} asb_counts;

/* Of the work that is reported as progress: writing steps; the rest is finding their times. */
#define ASB_EMIT_SHARE 0.2

struct asb {
	asc_program *program;
	const asc_machine *machine;
	sched_options options;
	double progress_from, progress_share; /* of the next prediction */
	uint32_t blocks, subs;                /* sub-cores: blocks x subs */
	uint32_t first_block, used_blocks;    /* what kernels see of them; used 0: all */
	asb_sub *sub;
	GArray *sequence; /* asb_core of each step in the order of kernels, ASB_SYNC between them */
	GArray *modes;    /* asb_mode */
	GArray *loops;    /* asb_loop_name */
	guint loop;       /* number + 1 of that at hand */
	guint old_loops;  /* of earlier kernels */
	uint32_t node;
	char *layer;        /* and a full stop, or NULL */
	const char *kernel; /* its first node */
	GHashTable *node_numbers;
	uint64_t global; /* first byte of global memory not yet given */
	GArray *tensors; /* asb_block_tensor */
	GString *remarks;
	asb_counts counts;
	uint32_t halvings; /* of vector kernels' tiles, where no sheet decides */
	unsigned tiled;    /* vector kernels */
	bool halvings_decided;
	uint64_t words;       /* global memory by which cores without counters meet, 0: none */
	uint32_t words_cores; /* how many meet */
};
/* Each core has a line of the data cache for each round of a meeting, so that no other core writes into it. */
enum { ASB_WORD_BYTES = 64 };
static inline uint64_t asb_word(const asb *b, unsigned round, uint32_t of)
{
	return b->words + ((uint64_t)round * b->words_cores + of) * ASB_WORD_BYTES;
}
static inline unsigned asb_words_rounds(const asb *b)
{
	unsigned rounds = 0;

	while (1u << rounds < b->words_cores)
		rounds++;
	return rounds;
}
static inline uint64_t asb_words_bytes(const asb *b)
{
	return (uint64_t)asb_words_rounds(b) * b->words_cores * ASB_WORD_BYTES;
}

enum { ASB_SYNC = UINT32_MAX, ASB_HOLD = UINT32_MAX - 1 }; /* marks in the sequence */

/* Fewer blocks than the machine has cores; before the first step. */
void asb_limit_blocks(asb *b, uint32_t blocks);

static inline asb_item *asb_item_at(const asb_sub *s, uint32_t i)
{
	return &g_array_index(s->items, asb_item, i);
}

/* touch.c: COUNT runs of BYTES, PITCH apart, of one space. */
typedef struct asb_box {
	uint64_t low, high; /* first byte, end of the last */
	uint64_t bytes, pitch;
	uint32_t count;
	uint8_t space;
	bool write;
} asb_box;
enum { ASB_BOXES = 48 };
/* What INSN reads and writes under MODE, at most ASB_BOXES boxes. */
unsigned asb_touch(const asc_insn *insn, const asb_mode *mode, const asc_machine *machine, asb_box box[ASB_BOXES]);
bool asb_box_meet(const asb_box *a, const asb_box *b);  /* do they share a byte? */
bool asb_box_holds(const asb_box *a, const asb_box *b); /* has A every byte of B? */
/* Does the mask decide what vector instruction OP does? */
bool asb_masked(enum asc_op op);

/* spans.c: a set of boxes by extent. */
typedef struct asb_span {
	asb_box box;
	uint64_t reach; /* highest end of the subtree */
	uint64_t rank;
	struct asb_span *left, *right;
	uint32_t sub, step; /* number among its pipe's, from 1 */
	uint8_t pipe;
	bool unit_flag;
} asb_span;
typedef struct asb_spans {
	asb_span *root, *spare;
	uint64_t numbers;
	size_t size;
} asb_spans;
void asb_spans_clear(asb_spans *s);
void asb_spans_fini(asb_spans *s);
asb_span *asb_spans_add(asb_spans *s, const asb_span *span);
void asb_spans_remove(asb_spans *s, asb_span *span);
/* Spans whose extent meets [low, high), appended to FOUND by address. */
void asb_spans_find(const asb_spans *s, uint64_t low, uint64_t high, GPtrArray *found);

/* past.c: copies of lines that are read once, where not everything fits into L2, leave them out of it. */
void asb_read_past(asb *b);
/* order.c: steps in an order that takes less time; did anything change? */
bool asb_order(asb *b);
/* sync.c: notes that cover every dependence. */
bool asb_synchronise(asb *b, GError **error);
/* emit.c: streams. */
void asb_emit(asb *b);
/* Pipe whose queue INSN goes to; a flag's is the one that sets or waits. */
enum asc_pipe asb_queue_of(const asc_insn *insn);

#endif
