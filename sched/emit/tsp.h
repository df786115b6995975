/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the register-style back end share.
 *
 * Everything is placed as *kernels*: a few steps (loads, vector operations, rows of the matrix unit, stores) that run
 * in lockstep, iteration i of each step INTERVAL cycles after iteration i-1.  A kernel is cut into chunks of
 * consecutive iterations; in a chunk each step becomes one looped instruction, or several where addresses, beats or
 * producers do not follow one affine rule.  Placement is exact: a chunk is committed only where queues, register ports,
 * banks, weight bandwidth and registers are free in every cycle it touches.
 *
 *   tsp.c           one epoch; tsp_order.c, tsp_report.c its order and what is said about it
 *   tsp_memory.c    where tensors lie, tsp_layout.c and how; images
 *   tsp_calendar.c  what is taken when
 *   tsp_kernel.c    building kernels, cutting them into chunks
 *   tsp_place.c     finding times for a chunk
 *   tsp_registers.c registers for a chunk's values; tsp_tight.c, tsp_spill.c when there are few
 *   tsp_issue.c     turning a placed chunk into instructions with producers and predictions
 *   tsp_loop.c      vector loops as kernels, tsp_turn.c transposes, tsp_gather.c rows picked by an index
 *   tsp_plan.c      how many iterations of a loop run side by side, in bursts how long
 *   tsp_cyclic.c    kernels as cyclic problems: initiation intervals and their bounds
 *   tsp_bursts.c    chunks of short bursts in rows
 *   tsp_mxm.c       matrix products and convolutions as kernels (tsp_product.c, tsp_tile.c, tsp_weights.c, tsp_rows.c)
 */
#ifndef TSPSIM_SCHED_EMIT_TSP_H
#define TSPSIM_SCHED_EMIT_TSP_H

#include "sched/alg/regalloc.h"
#include "sched/emit/banks.h"
#include "sched/emit/emit.h"

enum {
	TSPE_GRANULE = ISA_TAG_GRANULE,
	TSPE_ITERATIONS_MAX = 65536, /* of one kernel: what one loop can count */
	TSPE_STEPS_MAX = 64,         /* of one kernel as it is built */
	TSPE_SPILLED_MAX = 512,      /* with what keeps its values in memory */
	TSPE_PLANES_MAX = 4,
	TSPE_QUEUES_MAX = 32, /* of one kind */
};
#define TSPE_NEVER (INT64_MIN / 4)

/* Cycles in which something that serves one at a time is taken: disjoint intervals [from, to), ascending. */
typedef struct tspe_cycles {
	int64_t from, to;
} tspe_cycles;
typedef struct tspe_busy {
	GArray *taken; /* tspe_cycles */
} tspe_busy;

/* The earliest time not before FROM at which LENGTH cycles are free; *UNTIL, unless NULL, is when they next are not. */
int64_t tspe_busy_earliest(const tspe_busy *b, int64_t from, int64_t length, int64_t *until);
void tspe_busy_take(tspe_busy *b, int64_t from, int64_t length);
void tspe_busy_release(tspe_busy *b, int64_t from, int64_t length);

/* What one cycle takes of the shared ports. */
typedef struct tspe_ports {
	uint16_t reads, writes; /* registers */
	uint32_t weight_bytes;
	int32_t live; /* registers more that hold something from here on than before */
} tspe_ports;

/* What is taken when.  Nothing is placed before FLOOR; nothing placed reaches HORIZON. */
typedef struct tspe_calendars {
	const isa_machine *machine;
	bank_calendar *banks;
	tspe_busy *queue; /* [queues] */
	unsigned queues;
	tspe_busy *reg; /* [registers] */
	unsigned registers;
	uint8_t *touched;                    /* [registers] has anything been put there? */
	int64_t live, most_live;             /* registers that hold something: before first_page, at most */
	tspe_busy port[2 * TSPE_PLANES_MAX]; /* activation ports, then weight ports: hold one value at a time */
	GPtrArray *pages;                    /* of tspe_ports */
	int64_t first_page;
	int64_t floor, horizon;
} tspe_calendars;

bool tspe_calendars_init(tspe_calendars *c, const isa_machine *machine, int64_t start, GError **error);
void tspe_calendars_fini(tspe_calendars *c);
/* Forgets what lies so far behind the horizon that nothing will be placed there. */
void tspe_calendars_advance(tspe_calendars *c);
/* Are so many ports free in CYCLE?  Takes them, unasked. */
bool tspe_ports_free(const tspe_calendars *c, int64_t cycle, tspe_ports use);
/* Of COUNT uses, INTERVAL cycles apart from CYCLE on, how many come before the first for which ports are not free? */
uint32_t tspe_count_free(const tspe_calendars *c, int64_t cycle, uint32_t interval, tspe_ports use, uint32_t count);
void tspe_put_ports(tspe_calendars *c, int64_t cycle, tspe_ports use);
void tspe_release_ports(tspe_calendars *c, int64_t cycle, tspe_ports use);
/* The queue of QUEUES that is free for LENGTH cycles soonest, not before FROM; *START is when, *UNTIL when it is taken
 * next. */
unsigned tspe_find_queue(const tspe_calendars *c, const uint16_t *queues, unsigned count, int64_t from, int64_t length,
                         int64_t *start, int64_t *until);
/* Of those free for LENGTH cycles from START on, the one that was used last. */
unsigned tspe_best_queue(const tspe_calendars *c, const uint16_t *queues, unsigned count, int64_t start,
                         int64_t length);
void tspe_take_queue(tspe_calendars *c, unsigned queue, int64_t start, int64_t length);
void tspe_release_queue(tspe_calendars *c, unsigned queue, int64_t start, int64_t length);
/* The first of COUNT registers from FIRST on that is taken in cycles FROM..TO, or COUNT. */
unsigned tspe_first_taken(const tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to);
/* Consecutive registers, free in cycles FROM..TO. */
void tspe_take_registers(tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to);
/* COUNT registers hold something in cycles FROM..TO: for the report. */
void tspe_count_live(tspe_calendars *c, unsigned count, int64_t from, int64_t to);
int64_t tspe_most_live(tspe_calendars *c);
void tspe_release_registers(tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to);

/* Do the operand ports that PLACE writes hold no other value in cycles FROM..TO?  Then takes them. */
bool tspe_take_latches(tspe_calendars *c, unsigned place, int64_t from, int64_t to);
void tspe_release_latches(tspe_calendars *c, unsigned place, int64_t from, int64_t to);

/* Weights in stripes: a line of memory holds COUNT consecutive rows beside each other, and lines have the length of the
 * bank map's period.  Rows of one stripe then use the same banks over and over, and different stripes never meet. */
typedef struct tspe_stripes {
	uint32_t count;               /* 0: the tensor is not laid out so */
	int64_t line, window, column; /* bytes from line to line, stripe to stripe, lane block to lane block */
	int64_t base;                 /* bytes after the tensor's */
} tspe_stripes;

/* A tensor in the SRAM.  Element (row, lane) lies at base + row*row_pitch + (lane / vector)*block_stride +
 * (lane mod vector)*element; a convolution's input has rows (image, y, x) with borders of zeros around each image. */
typedef struct tspe_tensor {
	const low_tensor *low;
	unsigned element;     /* bytes */
	uint64_t base, bytes; /* bytes: all of it, padding included */
	int64_t row_pitch, block_stride;
	const graph_conv *conv;          /* input of a convolution, else NULL */
	bool weights;                    /* host data used as weights only? */
	bool straddled;                  /* does a K block of a product cross a border between lane blocks? */
	tspe_stripes stripes[2];         /* weights: of full lane blocks, of the narrow last one */
	int64_t line_pitch, image_pitch; /* conv: bytes between lines, between images */
	int64_t row_step, block_step;    /* bytes like which rows, lane blocks should move through the banks; 0: any */
	int64_t shared_pitch;            /* row_pitch that all tensors of the same loops can have */
	int64_t border;                  /* conv: bytes of lines and pixels before the first one */
	unsigned parts;                  /* that a vector may be stored in: 2 where two of them do not fit the banks */
	uint64_t part_lanes;             /* of the first part, or of each */
	bool turned;                     /* are its vectors stored granule by granule, each a part? */
	uint32_t cells;                  /* vectors as stored, by parts: (nb * rows + row) * parts + part */
	uint32_t *instance;              /* [cells]: who stored it; NULL for host data */
	int64_t *due;                    /* [cells]: readable from this cycle on */
	int64_t last_read;               /* latest sampling by a load */
	int64_t last_due;                /* latest due time of a store */
	int64_t writable; /* stores must be presented after this cycle: older data here is read until then */
} tspe_tensor;

typedef struct tspe tspe;
typedef struct tspe_step tspe_step;
typedef struct tspe_kernel tspe_kernel;

enum tspe_result { TSPE_NOTHING, TSPE_REGISTERS, TSPE_PORT };

/* Who produced an operand that does not come from a step of the same kernel. */
enum tspe_origin_kind {
	TSPE_ORIGIN_NONE,
	TSPE_ORIGIN_HOST,
	TSPE_ORIGIN_ONE,   /* the same for all accesses */
	TSPE_ORIGIN_EACH,  /* one for each access */
	TSPE_ORIGIN_PARTS, /* memory: one for each part of what each access reads */
	TSPE_ORIGIN_CELLS, /* memory: whoever stored the cells that the access touches */
	TSPE_ORIGIN_AFTER, /* memory: a store of the same iteration */
};
typedef struct tspe_origin {
	enum tspe_origin_kind kind;
	uint32_t instance;   /* ONE: of all iterations */
	int64_t due;         /* ONE: when it arrived; TSPE_NEVER: not to be predicted */
	const int64_t *each; /* EACH, PARTS: instance per access, of the first part */
	const int64_t *step; /* PARTS: from there to that of the second part */
	const int64_t *dues; /* EACH: when it arrived, or NULL */
} tspe_origin;

struct tspe_step {
	isa_insn insn; /* what does not change; queue, cycle, loops and registers come with placement */
	const uint16_t *queues;
	unsigned queue_count;
	int16_t after;        /* the store whose bytes this one loads; -1: none */
	int16_t in[2];        /* steps whose values SRC0 and SRC1 take; -1: the place is in insn */
	uint8_t in_member[2]; /* which value of an iteration, when that step makes several */
	uint16_t fan; /* memory: accesses an iteration makes; a store takes the values of in[0] .. in[0] + fan - 1.  The
	                 transposer takes that many at once, and makes that many */
	uint32_t fan_interval; /* cycles between them */
	enum tspe_result result;
	uint8_t span;            /* registers of one value */
	uint8_t member, members; /* its value is number MEMBER of MEMBERS that rotate together, leader first */
	uint8_t read_ports;
	bool memory;
	bool once;     /* issues in the first iteration of a chunk only; its value serves all of them */
	int32_t skew;  /* sampling after issue */
	int32_t delay; /* result after sampling, first beat */
	int32_t hold;  /* cycles the queue stays taken from its last issue on */
	uint32_t weight_bytes;
	int64_t not_before; /* first issue */
	int64_t beat;       /* while the kernel keeps a rhythm: memory accesses whole beats from this cycle */
	int32_t row; /* while the kernel runs in rows: the one in which its burst starts, or follows its operands */
	const int64_t *ready; /* [iterations]: sampling not before; NULL = any time */
	int64_t *addr;        /* [iterations * fan]: ADDR; NULL = insn's */
	bank_print *prints;   /* [iterations * fan], memory */
	uint16_t beats_max, beats_min;
	tspe_tensor *tensor; /* memory */
	uint32_t *cell;      /* [iterations * fan]: tensor cell, or NULL */
	uint32_t cells;      /* that a store writes, from that one on, */
	uint32_t cell_step;  /* each so many after the one before */
	int32_t *index;      /* [iterations * insn.count]: bytes from ADDR to each segment; NULL: by pitch */
	tspe_origin origin[ISA_OPERANDS];

	/* of the present chunk */
	int64_t start;
	unsigned queue;
	unsigned reg, wrap; /* leaders: first register; iterations until it comes round */
	uint32_t instance;  /* of the chunk's first access */
};

struct tspe_kernel {
	tspe *e;
	uint32_t count; /* iterations, <= TSPE_ITERATIONS_MAX */
	unsigned step_count;
	tspe_step *step; /* [step_max] */
	unsigned step_max;
	GArray *arena;    /* bank prints */
	GPtrArray *owned; /* arrays freed with the kernel */
	int64_t ready;    /* no issue before */
	/* the chunk */
	uint32_t next; /* iterations issued so far */
	uint32_t first, n;
	uint32_t interval;
	uint32_t slowest;      /* greatest interval of a chunk of several iterations */
	int64_t began, latest; /* starts of the first and of the last chunk, */
	uint32_t before;       /* and iterations before the last */
	int64_t bank_delay;    /* cycles its steps start later because of banks */
	bool tight;            /* registers are given: what takes one waits for the value before it */
	/* search */
	int64_t retry_at;     /* when a register was taken: first start at which it may not be; TSPE_NEVER: no matter */
	int64_t budget;       /* accesses that may still be tried */
	uint32_t rhythm;      /* cycles between beats; first tried is to issue on them; 0: any cycle is as good */
	bool strict;          /* keep the rhythm now? */
	bool in_step;         /* it moves through the banks like what is there: worth a try however full they are */
	int64_t reach, slack; /* cycles that a step without, with operands may move */
	uint32_t rows;        /* bursts of a chunk start in rows as long as a burst, the next chunk so many rows later;
	                         0: each as early as can be */
	int raise_step;
	int64_t raise_to;
	int64_t earliest; /* when its first step could start at best */
	/* after each chunk has been issued; may be NULL */
	void (*placed)(tspe_kernel *kernel, void *state);
	void *placed_state;
};

typedef struct tspe_policy {
	uint32_t interval_min, interval_max;
	uint32_t chunk; /* most iterations at a time; 0 = all */
	int64_t reach;  /* cycles to look beyond the earliest time; 0 = default */
} tspe_policy;

tspe_kernel *tspe_kernel_new(tspe *e, uint32_t count);
tspe_kernel *tspe_kernel_new_sized(tspe *e, uint32_t count, unsigned step_max);
void tspe_kernel_free(tspe_kernel *k);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(tspe_kernel, tspe_kernel_free)
/* Memory that lives as long as the kernel. */
void *tspe_kernel_alloc(tspe_kernel *k, size_t bytes);
/* A step on one of QUEUES without operands, result or address; returns its index. */
int tspe_kernel_add(tspe_kernel *k, enum isa_op op, const uint16_t *queues, unsigned queue_count);
/* SRC<operand> of STEP is the value of step FROM. */
void tspe_kernel_link(tspe_kernel *k, int step, unsigned operand, int from);
/* STEP writes registers: SPAN of them a value. */
void tspe_kernel_result(tspe_kernel *k, int step, unsigned span);
/* LOAD, STORE, LOADS, STORES of COUNT segments of SEG bytes, PITCH apart, at step->addr (filled by the caller). */
void tspe_kernel_memory(tspe_kernel *k, int step, tspe_tensor *tensor, uint32_t seg, int32_t pitch, uint32_t count);
/* LOADX of COUNT segments of SEG bytes of TENSOR at step->addr (filled by the caller) plus step->index (likewise); SRC1
 * is linked by the caller. */
void tspe_kernel_indexed(tspe_kernel *k, int step, tspe_tensor *tensor, uint32_t seg, uint32_t count);
/* Call when all steps are complete: bank prints, earliest times from the tensors. */
void tspe_kernel_finish(tspe_kernel *k);

/* Pieces that name who stored what access number ACCESS (over the whole kernel) of a load reads. */
void tspe_cell_sources(const tspe_step *s, uint32_t access, GArray *sources);
/* Registers of LANES elements of TYPE. */
unsigned tspe_span(const isa_machine *m, uint64_t lanes, enum isa_type type);
/* Least interval that memory, queues and ports admit for the whole kernel. */
uint32_t tspe_kernel_interval(const tspe_kernel *k);

/* Due time of value number MEMBER of an iteration after its step's start, at the latest and earliest. */
static inline int64_t tspe_latest_due(const tspe_step *s, unsigned member)
{
	return s->skew + s->delay + s->beats_max - 1 + (int64_t)member * s->fan_interval;
}
static inline int64_t tspe_earliest_due(const tspe_step *s, unsigned member)
{
	return s->skew + s->delay + s->beats_min - 1 + (int64_t)member * s->fan_interval;
}

/* When the chunk's first step could start at best, for its operands' sake. */
int64_t tspe_earliest(tspe_kernel *k, uint32_t first, uint32_t n, uint32_t interval);
/* From EARLIEST to the end of what is placed so far, is too little of the memory free for the kernel's share of that
 * time? */
bool tspe_is_crowded(const tspe_kernel *k, uint32_t first, uint32_t interval, int64_t earliest);
/* Finds times for iterations FIRST .. FIRST + N - 1, INTERVAL apart, not before READY, and takes them. */
bool tspe_place(tspe_kernel *k, uint32_t first, uint32_t n, uint32_t interval, int64_t ready);
/* Gives back what tspe_place() took. */
void tspe_unplace(tspe_kernel *k);
/* Appends the placed chunk's instructions; called by tspe_commit(). */
void tspe_issue(tspe_kernel *k);
/* Of a placed chunk in rows: where its row 0 begins, and by how many cycles the bursts miss their rows. */
int64_t tspe_first_row(const tspe_kernel *k, int64_t *skew);
/* Issues the placed chunk and counts it as done. */
void tspe_commit(tspe_kernel *k);

/* tsp_registers.c: registers and ports for all values of the chunk, or none. */
enum tspe_outcome { TSPE_PLACED, TSPE_FAILED, TSPE_RAISED, TSPE_ABORTED }; /* ABORTED: no other times would help */
enum tspe_outcome tspe_take_windows(tspe_kernel *k);
void tspe_release_windows(tspe_kernel *k);
/* Counts what the placed chunk's values take. */
void tspe_count_registers(tspe_kernel *k);
/* Last sampling, by steps before END, of what LEADER's group of values holds in the first iteration, at least its last
 * due time. */
int64_t tspe_last_sample(const tspe_kernel *k, const tspe_step *leader, const tspe_step *end);
static inline bool tspe_leads(const tspe_step *s)
{
	return s->result != TSPE_NOTHING && s->member == 0;
}

/* tsp_tight.c: the rest of the kernel, one iteration after the other, its values where register allocation puts them.
 * Fails when an operation needs more than there is. */
bool tspe_run_tight(tspe_kernel *k, GError **error);
/* tsp_spill.c: the rest of K with what R adds; NULL when there is no memory left for it. */
tspe_kernel *tspe_spill(tspe_kernel *k, const regalloc_result *r, GError **error);
/* Bytes of the value that a step makes. */
uint32_t tspe_value_bytes(const tspe *e, const tspe_step *s);

/* Places and issues all that is not done yet. */
bool tspe_run(tspe_kernel *k, const tspe_policy *policy, GError **error);

/* Issue of access J of iteration I (counted from the chunk's first), its sampling, and when its result is due. */
static inline int64_t tspe_issue_at(const tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j)
{
	return s->start + (int64_t)i * k->interval + (int64_t)j * s->fan_interval;
}
static inline bool tspe_is_load(const tspe_step *s)
{
	return s->insn.op == ISA_OP_LOAD || s->insn.op == ISA_OP_LOADS || s->insn.op == ISA_OP_LOADX;
}
static inline int64_t tspe_sample_at(const tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j)
{
	return tspe_issue_at(k, s, i, j) + s->skew;
}
/* Operand O of a step, access J of an iteration: the step that makes it, and which of its values it is. */
const tspe_step *tspe_producer(const tspe_kernel *k, const tspe_step *s, unsigned o, unsigned j, unsigned *value);
int64_t tspe_due_at(const tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j);

/* How a loop runs, for the sake of what is beside it. */
enum tspe_manner {
	TSPE_MANNER_ROWS,    /* as is best for itself */
	TSPE_MANNER_BURSTS,  /* without rows */
	TSPE_MANNER_PATIENT, /* chunks in rows wait however long, rather than fill gaps */
	TSPE_MANNER_FEW,     /* few iterations side by side */
	TSPE_MANNERS
};
enum { TSPE_MANNERED = 16 }; /* the last of them stands for all later ones */
typedef struct tspe_manners {
	uint8_t of[TSPE_MANNERED];
} tspe_manners;

/* A plane, or the pair that it is the even plane of, as the scheduler keeps it. */
typedef struct tspe_plane {
	int64_t shadow_free;     /* rows of weights may become due after this cycle (the last IW sampled then) */
	int64_t active_until;    /* last sampling by an ABC of the installed weights */
	int64_t *row_due;        /* [acc rows]: last accumulation */
	int64_t *row_free;       /* [acc rows]: last sampling by an ACC */
	int64_t *row_instance;   /* [acc rows]: the last ABC */
	const tspe_tensor *held; /* whose weights are installed, from which row on, of which column block; NULL: none */
	uint64_t held_row;
	unsigned held_column;
	uint32_t held_rows;
	uint32_t installer; /* instance of the IW */
	int64_t installed;  /* weights active from this cycle on */
	bool pair;          /* last used as a pair? */
} tspe_plane;

typedef struct tspe_queues {
	uint16_t at[TSPE_QUEUES_MAX];
	unsigned count;
} tspe_queues;

/* What an epoch's instructions use, for the report. */
typedef struct tspe_use {
	int64_t mxm_cycles; /* that the units compute, if all rows followed each other */
	uint64_t accesses, bank_cycles;
	uint64_t vector_ops, lane_ops;
	uint64_t weight_bytes;                                        /* into shadow buffers */
	uint64_t activation_bytes, loaded_weight_bytes, result_bytes; /* the matrix unit's part of the memory's */
} tspe_use;

struct tspe {
	isa_program *program;
	const low_program *low;
	uint32_t epoch;
	int64_t start;
	const isa_machine *m;
	const sched_options *options;
	sched_report *report;
	tspe_calendars cal;
	tspe_tensor *tensors; /* one for each of low's */
	int64_t bank_period;  /* bytes after which the bank map begins again; 0: it does not */
	bool memory_reused;   /* do values lie where dead ones lay?  Then macro-operations keep their order */
	tspe_queues mem, vxm, permute, distribute, transpose;
	tspe_queues weights[TSPE_PLANES_MAX], activations[TSPE_PLANES_MAX], accumulators[TSPE_PLANES_MAX];
	tspe_plane plane[TSPE_PLANES_MAX];
	int64_t end;        /* latest result so far */
	int64_t bank_delay; /* of the present macro-operation: most cycles a chunk moved because of banks */
	uint32_t node;      /* program node of the present macro-operation */
	tspe_use use;
	uint64_t memory_top;    /* bytes of memory in use by tensors */
	GPtrArray *slots;       /* tspe_tensor: where values are kept that find no register */
	unsigned registers;     /* that may be used */
	bool bursts_only;       /* no loop runs in rows */
	bool in_rows;           /* has one? */
	tspe_manners manners;   /* of loops, in the order in which they are placed */
	unsigned loop;          /* number of the present one */
	uint64_t rowed;         /* by number: loops that have run in rows */
	bool partials_dense;    /* do partial results of reductions lie as close as they can? */
	GArray *plans;          /* tsp_loop.c: of rows, of loops so far */
	bool has_partials;      /* are there any that could lie otherwise? */
	bool trial;             /* only its length matters */
	sched_registers needed; /* what became of them */
	bool in_blocks;         /* does a loop run in blocks, whose length depends on how many there are? */
	GHashTable *known;      /* what tspe_keep() was given: of all tries of the epoch */
	int64_t limit;          /* a try that ends there or later is given up, without an error; 0: none */
	unsigned noted;         /* loops whose interval is in the report */
	uint64_t passes,
		least_passes; /* MXM: of several rows; those whose rows follow each other at the least interval */
	uint64_t block_work, block_peak; /* MXM: useful MACs; peak MACs of the quantised passes */
};

static inline const low_tensor *tspe_low_tensor(const tspe *e, uint32_t i)
{
	return &g_array_index(e->low->tensors, low_tensor, i);
}

static inline enum tspe_manner tspe_manner_now(const tspe *e)
{
	if (e->bursts_only)
		return TSPE_MANNER_BURSTS;
	return (enum tspe_manner)e->manners.of[MIN(e->loop, TSPE_MANNERED - 1)];
}

/* tsp_cyclic.c.  The steps of one iteration as operations of a loop: queues, banks, register ports and weight bandwidth
 * as resources.  How often can iterations start in the long run? */
typedef struct tspe_rate {
	int64_t interval;  /* cycles an iteration, of a schedule; 0: none was found */
	int64_t bound;     /* no schedule has fewer */
	bool proved;       /* interval is the least */
	const char *binds; /* what gives the bound */
	double mean;       /* what chunks in rows took that had to wait for others, in the mean; 0: not looked at */
	double several;    /* cycles an iteration that some iterations side by side could take, or 0 */
} tspe_rate;
/* For an interval that is kept. */
void tspe_kernel_limit(const tspe_kernel *k, int64_t interval, tspe_rate *rate);
/* Only the bound, without a search. */
int64_t tspe_kernel_bound(const tspe_kernel *k);
/* Will the report have a line of the next loop?  Its proof takes longer than the loop does. */
bool tspe_notes_rates(const tspe *e);
/* Notes in the report what interval the present macro-operation has, for ITERATIONS iterations at a time. */
void tspe_note_rate(tspe *e, const tspe_rate *rate, unsigned iterations);

/* tsp_bursts.c.  Rows for bursts of K's first N iterations, from FROM to TO of them from a chunk to the next, as few as
 * are found; K has the iterations of the next chunk, too, if there is one.  ALONE: bursts of different chunks need not
 * keep apart, so that the next one may have to wait.  *REGISTERS: kept at a time, about.  False: none were found. */
bool tspe_kernel_rows(tspe_kernel *k, uint32_t from, uint32_t to, bool alone, uint64_t *registers);
/* K, whose steps are those of FROM, runs in its rows. */
void tspe_copy_rows(tspe_kernel *k, const tspe_kernel *from);

/* tsp_known.c.  What was found out about KEY, bytes that say which question it is, or NULL.  The answer must be the
 * same in all ways in which the epoch is tried. */
void *tspe_recall(const tspe *e, const void *key, size_t size);
/* FOUND, from g_malloc(), is kept for KEY, which is not known yet. */
void tspe_keep(tspe *e, const void *key, size_t size, void *found);
GHashTable *tspe_known_new(void);

/* tsp_order.c: macros in the order in which to place them; g_free. */
uint32_t *tspe_order(const tspe *e, GError **error);
/* tsp_report.c */
void tspe_report(tspe *e);

/* tsp_layout.c */
enum tspe_plan { TSPE_PLAN_UNIFORM, TSPE_PLAN_ROOMY, TSPE_PLAN_DENSE, TSPE_PLAN_REUSE };
/* Finds out what the tensors are used for. */
void tspe_layout_begin(tspe *e);
/* Sets pitches and sizes; the tensor's base is not known yet. */
void tspe_lay_out(tspe *e, tspe_tensor *t, enum tspe_plan plan);
/* Address and cell of vector V of a section. */
uint64_t tspe_vector_addr(const tspe_tensor *t, unsigned section, int64_t v, uint32_t *cell);
/* Address of an element. */
uint64_t tspe_element_addr(const tspe_tensor *t, uint64_t row, uint64_t lane);
/* Cell that holds ADDR. */
uint32_t tspe_cell_at(const tspe_tensor *t, uint64_t addr);

/* tsp_memory.c */
bool tspe_memory_plan(tspe *e, GError **error);
void tspe_memory_free(tspe *e);
/* The last cycle in which older data in T's place is accessed, as far as it is placed. */
int64_t tspe_memory_writable(const tspe *e, const tspe_tensor *t);

/* Macro-operations. */
bool tspe_vloop(tspe *e, const low_macro *macro, int64_t ready, GError **error);
bool tspe_transpose(tspe *e, const low_macro *macro, int64_t ready, GError **error);
/* Pieces in which vectors of TENSOR are stored that comes out of the transposer; 0: it does not. */
unsigned tspe_turned_pieces(const tspe *e, guint tensor);
bool tspe_gather(tspe *e, const low_macro *macro, int64_t ready, GError **error);
/* COUNT products and convolutions (macro numbers) of one type, none of which depends on another. */
bool tspe_products(tspe *e, const uint32_t *macros, unsigned count, GError **error);
/* Counts a macro-operation that starts BANK_DELAY cycles later because of banks. */
void tspe_count_macro(tspe *e, int64_t bank_delay);
void tspe_mxm_init(tspe *e);
void tspe_mxm_fini(tspe *e);

#endif
