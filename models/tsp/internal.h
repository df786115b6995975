/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of models/tsp share.  One kernel process per instruction queue runs at the cycle in which the queue's
 * present instruction samples its operands; it executes, files results under their due times, and says when it samples
 * next.  What several queues compete for is settled later in the same cycle: the hashed SRAM in RESOLVE, sorted by
 * queue; over-use and collisions in AUDIT, blamed on the highest queues.  So no result depends on the order inside a
 * phase.
 *
 * Names: T (issue) is a queue's issue cycle, NOW its sampling cycle.  Results are due after NOW, always.
 */
#ifndef TSPSIM_MODELS_TSP_INTERNAL_H
#define TSPSIM_MODELS_TSP_INTERNAL_H

#include "models/common/banks.h"
#include "models/common/cell.h"
#include "models/common/source.h"
#include "models/common/store.h"
#include "models/common/value.h"
#include "models/tsp/chip.h"

enum {
	TSP_LANES_MAX = 320,
	TSP_ALUS_MAX = 32,
	TSP_PLANES_MAX = 4,
	TSP_STREAMS = 64, /* ids: 0..31 eastward, 32..63 westward */
	TSP_STREAM_WEST = 32,
	TSP_TRANSPOSE = 16, /* operands of TRANSPOSE */
	TSP_NO_VIOLATION = -1,
};
#define TSP_NO_INSN UINT32_MAX

typedef struct tsp_queue tsp_queue;

/* Where an operand or result lies, resolved once per queue word. */
typedef struct tsp_place {
	uint8_t kind;   /* enum isa_place_kind */
	uint8_t count;  /* registers or streams it takes */
	uint16_t index; /* first register or stream, plane mask, plane, ALU */
} tsp_place;

/* What sampling an operand gave.  VALUE is borrowed until the end of the execution, its bytes begin at OFFSET; NULL
 * when no bytes are known (never in functional mode). */
typedef struct tsp_operand {
	model_value *value;
	uint32_t offset;
} tsp_operand;

static inline const uint8_t *tsp_operand_bytes(const tsp_operand *o)
{
	return o->value->data + o->offset;
}

typedef void (*tsp_exec_fn)(tsp_chip *chip, tsp_queue *q);

/* What a queue does next: one more issue of the present run, a new word, something illegal, or it notices that its next
 * word never comes. */
enum tsp_next { TSP_NEXT_STEP, TSP_NEXT_WORD, TSP_NEXT_BAD_WORD, TSP_NEXT_BAD_REPEAT, TSP_NEXT_DRY };
/* A word that was not there when it was to be read.  OWN: it is an instruction, not a NOP or REPEAT behind one. */
typedef struct tsp_dry {
	int64_t cycle;
	uint32_t word;
	bool own;
} tsp_dry;
enum tsp_queue_state { TSP_QUEUE_RUNNING, TSP_QUEUE_PARKED, TSP_QUEUE_DONE };

struct tsp_queue {
	/* the present instruction and issue */
	int64_t issue; /* T */
	int64_t now;   /* NOW = T + skew */
	tsp_exec_fn exec;
	int64_t addr, waddr;        /* stepped by the loops */
	int32_t rot[ISA_ROT_COUNT]; /* present offset of each rotating operand */
	uint32_t tag;               /* instance of this issue */
	uint32_t id;                /* instruction; TSP_NO_INSN beyond the program's list */
	uint32_t index;             /* issue number over both loops */
	uint32_t i0, i1;
	tsp_place dst, src[2];
	const isa_source *source[ISA_OPERANDS];
	uint8_t source_count[ISA_OPERANDS];
	int64_t arrival[ISA_OPERANDS]; /* found by sampling */
	int64_t extra;                 /* cycles this word takes beyond its op's (SXM distance); link occupancy */
	isa_insn insn;                 /* as decoded; loops as the REPEAT words said */
	model_value *temp[2];          /* operands put together from pieces */

	/* what it used this cycle, for the audit */
	uint32_t reads, writes; /* register ports */
	int64_t writes_due;
	uint32_t weight_bytes;
	bool collided;

	/* fixed */
	tsp_chip *chip;
	sim_process *process;
	const isa_queue_info *info;
	uint16_t number;
	int64_t skew;

	/* the word stream */
	const isa_word *words;
	const uint32_t *ids;
	uint32_t word_count, id_count;
	uint32_t next_word, next_id;
	isa_insn ahead;      /* the next word, when it is an instruction */
	int64_t first_ahead; /* and its cycle */
	uint8_t next;        /* enum tsp_next */
	int64_t run_first;   /* issue cycle of the inner run's first issue */
	int64_t resume;      /* the next word is not read before this cycle */
	GArray *dry;         /* tsp_dry: words read late on the way to the next issue */
	uint8_t repeats;     /* REPEAT words taken; ISA_LOOPS = no more allowed */
	uint8_t state;       /* enum tsp_queue_state */
	int8_t fault;        /* what is wrong with the present word as such; TSP_NO_VIOLATION */
	int64_t fault_detail;
	GArray *fetches; /* int64_t: IFETCH cycles; finite queues only */
	uint64_t issues;
};

/* Register ports: how many writes are due in each coming cycle.  Entry of cycle c at c & mask, valid when stamped c. */
typedef struct tsp_port_slot {
	int64_t cycle;
	uint32_t used;
} tsp_port_slot;

typedef struct tsp_vregs {
	model_cell *cells;
	uint32_t count, bytes, read_ports, write_ports;
	int64_t read_cycle;
	uint32_t reads; /* in read_cycle */
	tsp_port_slot *due;
	uint32_t mask;
} tsp_vregs;

/* A value on a stream: what somebody put there, at its position. */
typedef struct tsp_drive {
	model_value *value;
	int64_t filed;
	uint32_t tag;
	int16_t position;
	uint16_t queue;
	uint8_t width, byte; /* lane i is byte i*width + byte of the value */
} tsp_drive;

/* All drives that move along one diagonal of space and time. */
enum { TSP_SLOT_INLINE = 2 };
typedef struct tsp_slot {
	int64_t diagonal;
	uint16_t count;
	uint16_t capacity; /* of spill; 0 = the drives lie in here */
	tsp_drive *spill;
	tsp_drive in[TSP_SLOT_INLINE];
} tsp_slot;

/* A ring of diagonals: diagonal d at d & mask; a slot that holds another one is empty. */
typedef struct tsp_stream {
	tsp_slot *slots;
	uint64_t mask;
} tsp_stream;

typedef struct tsp_fabric {
	tsp_stream stream[TSP_STREAMS];
	int64_t positions, hop;
} tsp_fabric;

typedef struct tsp_collision {
	int64_t diagonal;
	uint16_t stream;
	int16_t position;
} tsp_collision;

/* Weights as installed: shared by the planes of a pair and by cells' versions. */
typedef struct tsp_weights {
	uint32_t refs;
	uint8_t type;
	uint16_t rows, lanes;     /* rows installed; columns of the widest */
	uint32_t *columns;        /* [rows + 1]: loaded in all rows before this one */
	struct tsp_weights *next; /* free list */
	union {
		float *f16; /* [rows][TSP_LANES_MAX], exact; functional fp16 */
		int8_t *i8; /* [rows][TSP_LANES_MAX]; functional int8 */
		void *data; /* NULL in timing mode */
	};
} tsp_weights;

/* Rows on their way into the shadow buffer of a plane. */
typedef struct tsp_row {    /* one byte a lane: lane i is byte offset + i*width of the value */
	model_value *value; /* owned; NULL reads as zeros */
	uint16_t offset;
	uint16_t width;
} tsp_row;
typedef struct tsp_loading {
	int64_t due, filed;
	tsp_row *row; /* [rows], owned; NULL without values */
	uint32_t tag;
	uint16_t first, rows, lanes;
	uint16_t queue;
} tsp_loading;

/* The last use of something that is busy for a while; BEFORE is what UNTIL was ahead of cycle START. */
typedef struct tsp_use {
	int64_t start, until, before;
} tsp_use;

typedef struct tsp_plane {
	uint32_t *tag; /* [rows] of the shadow buffer */
	int64_t *due;  /* [rows]; INT64_MAX: never loaded */
	uint16_t *lanes;
	uint8_t *bytes;       /* [rows][TSP_LANES_MAX]; functional */
	tsp_loading *loading; /* sorted by (due, queue) */
	uint32_t first, count, capacity;
	model_cell active; /* of tsp_weights */
	tsp_use own, pair; /* by the plane's own ABC, and as half of a pair */
} tsp_plane;

typedef struct tsp_mxm {
	tsp_plane plane[TSP_PLANES_MAX];
	model_cell *acc[TSP_PLANES_MAX / 2]; /* [acc_cells] of a pair */
	uint32_t acc_cells, pair_rows, plane_rows;
	tsp_weights *spare;
	int64_t load_cycle;
	uint64_t load_bytes; /* in load_cycle */
} tsp_mxm;

typedef struct tsp_parcel {
	int64_t receivable; /* wall time */
	model_value *value;
	uint32_t tag;
} tsp_parcel;

typedef struct tsp_link {
	int64_t busy_until; /* wall time */
	GArray *parcels;    /* tsp_parcel, in order */
	guint first;
} tsp_link;

/* The hashed SRAM's cycle: queues with a request, served in RESOLVE; and, under freeze, who holds the memory. */
typedef struct tsp_group_access {
	const bankmap *map;
	model_shape shape;
	model_value *index_value; /* owned; holds shape.index */
	uint32_t id;
} tsp_group_access;
typedef struct tsp_buffer {
	const isa_buffer *of;
	bankmap *map;
} tsp_buffer;
typedef struct tsp_sram {
	GArray *buffers; /* tsp_buffer, by number - 1 */
	tsp_queue **waiting;
	uint32_t waiting_count;
	int64_t cycle;
	bankmap *map;
	model_banks banks;
	/* freeze */
	GArray *group;     /* tsp_group_access: the last group presented */
	int64_t free_at;   /* wall time */
	uint32_t *scratch; /* [banks] */
} tsp_sram;

struct tsp_chip {
	const isa_machine *machine;
	const isa_program *program;
	sim_kernel *kernel;
	probe *probe;
	tsp_options options;
	bool functional, freeze;
	bool tagged; /* do instances identify instructions (fewer than 2^32 issues)? */

	int64_t delay[ISA_TIMING_COUNT];
	uint32_t lanes, superlanes;
	model_pool pool;
	model_value *zero; /* all bytes 0; functional stand-in for what is not there */

	tsp_queue *queues;
	uint32_t queue_count;
	uint32_t active, parked;
	GArray *releases; /* int64_t, ascending: cycles at which parked queues go on */
	sim_process *release_process, *sram_process, *audit_process;

	model_store store;
	tsp_sram sram;
	tsp_vregs vregs;
	model_cell act[TSP_PLANES_MAX], wt[TSP_PLANES_MAX], alu[TSP_ALUS_MAX];
	tsp_fabric fabric;
	tsp_mxm mxm;
	tsp_link *links;
	uint64_t *map_span; /* per lane map: largest positive tile distance */
	uint8_t *map_flags; /* per lane map: TSP_MAP_* */

	/* settled in AUDIT */
	GArray *violations;    /* probe_violation of this cycle */
	GArray *misses;        /* tsp_miss of this cycle and later ones */
	GArray *collisions;    /* tsp_collision of this cycle */
	GArray *write_overuse; /* int64_t: due cycles with too many register writes, found this cycle */
	bool read_overuse, load_overuse, plane_overuse;
	const tsp_queue *froze; /* direct SRAM, freeze: the lowest queue whose READWRITE met itself this cycle */
	bool auditing;

	uint32_t next_epoch; /* to be started */
	bool ended;          /* all queues have run out and the last epoch_end was called */
	int64_t first_issue, last_due;
	int64_t slip;
	tsp_counters counters;
};

enum { TSP_MAP_BIJECTION = 1, TSP_MAP_LOCAL = 2 };

/* An operand that was not what it should be.  Whether the named value is merely late can be told only when all queues
 * have run in this cycle. */
enum tsp_miss_place { TSP_MISS_CELL, TSP_MISS_STREAM, TSP_MISS_STORE, TSP_MISS_PLANE };
typedef struct tsp_miss {
	probe_violation record; /* unless the named value is late */
	enum tsp_miss_place place;
	union {
		model_cell *cell;
		uint32_t stream;
		const tsp_plane *plane;
	};
	int64_t time; /* of sampling */
	uint32_t named;
} tsp_miss;

/* dispatch.c */
typedef struct tsp_op_row {
	tsp_exec_fn exec;
	int (*prepare)(tsp_chip *chip, tsp_queue *q); /* violation kind, or TSP_NO_VIOLATION; resolves places */
} tsp_op_row;
extern const tsp_op_row tsp_ops[ISA_OP_COUNT];

/* icu.c */
void tsp_queue_start(tsp_queue *q);
sim_time tsp_queue_run(void *state, sim_time now);
sim_time tsp_release_run(void *state, sim_time now);
void tsp_release_stuck(tsp_chip *chip, int64_t now);

/* audit.c */
sim_time tsp_audit_run(void *state, sim_time now);

/* violation.c */
/* Records one; it reaches the probe in this cycle's AUDIT, sorted. */
void tsp_violate(tsp_queue *q, enum isa_violation kind, int64_t cycle, uint32_t other, int64_t detail);
/* Records MISS of queue Q, found at miss->time; NAMED and TAG are what the program names, FOUND is the instance there
 * (0: none or host data). */
void tsp_miss_operand(tsp_queue *q, tsp_miss *miss, enum isa_violation kind, bool named, uint32_t tag, uint32_t found,
                      int64_t detail);
/* Makes violations of the misses up to NOW; returns when the next one is to be judged. */
int64_t tsp_misses_settle(tsp_chip *chip, int64_t now);
void tsp_violations_flush(tsp_chip *chip);
/* The instruction that issue TAG belongs to; TSP_NO_INSN for host data and when it cannot be told. */
uint32_t tsp_insn_of(const tsp_chip *chip, uint32_t tag);

/* operand.c */
/* Resolves PLACE for an operand of BYTES, or of STREAMS where it lies on streams; violation kind or TSP_NO_VIOLATION.
 */
int tsp_place_resolve(tsp_queue *q, unsigned place, uint32_t bytes, uint32_t streams, bool is_result,
                      tsp_place *resolved);
/* Samples operand NUMBER (a source index of the side table) at PLACE as it is at TIME; SLOT names its temporary and its
 * rotation (0: SRC0, 1: SRC1).  Checks it and sets q->arrival[number]. */
void tsp_sample(tsp_queue *q, unsigned number, unsigned slot, int64_t time, tsp_operand *operand);
/* Samples one stream of operand NUMBER: the next segment of E.  *REPORTED says whether the operand has its violation.
 */
const tsp_drive *tsp_sample_stream(tsp_queue *q, unsigned number, uint32_t stream, int64_t time, model_expect *e,
                                   bool *reported);
/* Samples one register of a many-register operand NUMBER at q->now: the next segment of E.  The value is borrowed. */
tsp_row tsp_sample_vreg(tsp_queue *q, unsigned number, int64_t index, model_expect *e, bool *reported);
/* Checks version V (NULL: nothing there) of CELL, sampled at TIME, against what operand NUMBER names; sets its arrival.
 * DETAIL goes into the violation.  True when all is right. */
bool tsp_check_version(tsp_queue *q, unsigned number, model_cell *cell, const model_version *v, int64_t time,
                       int64_t detail);
/* Files this issue's result at q->dst, due at DUE.  Takes over the reference VALUE. */
void tsp_write(tsp_queue *q, int64_t due, model_value *value);
/* Files part K of a result of several separate vectors: the K-th stream or register from q->dst on. */
void tsp_write_part(tsp_queue *q, unsigned k, int64_t due, model_value *value);
void tsp_drop_value(void *pool, void *value);
/* May values be needed although nobody asked for them?  True when functional or when the operand has bytes. */
static inline bool tsp_carries(const tsp_chip *chip, const tsp_operand *operand)
{
	return chip->functional || operand->value;
}

/* vreg.c */
void tsp_vregs_init(tsp_chip *chip);
void tsp_vregs_fini(tsp_chip *chip);
void tsp_vregs_count_reads(tsp_queue *q, uint32_t n);
void tsp_vregs_count_writes(tsp_queue *q, int64_t due, uint32_t n);
void tsp_vregs_audit(tsp_chip *chip, int64_t now);

/* stream.c */
void tsp_fabric_init(tsp_chip *chip);
void tsp_fabric_fini(tsp_chip *chip);
/* Puts byte BYTE of WIDTH of VALUE (a reference is taken) on STREAM at the queue's position, due at DUE. */
void tsp_stream_drive(tsp_queue *q, uint32_t stream, int64_t due, model_value *value, unsigned width, unsigned byte);
/* What a sampler at the queue's position sees at TIME; NULL when nothing is there. */
const tsp_drive *tsp_stream_at(tsp_queue *q, uint32_t stream, int64_t time);
/* Is TAG's value on STREAM where FOUND hides it from the queue's sampler at TIME? */
bool tsp_stream_hides(const tsp_queue *q, uint32_t stream, int64_t time, uint32_t tag);
/* Does TAG's value, driven before TIME, reach the queue's sampler after TIME? */
bool tsp_stream_comes_later(const tsp_queue *q, uint32_t stream, int64_t time, uint32_t tag);
void tsp_stream_audit(tsp_chip *chip, int64_t now);

/* sram.c, mem.c */
bool tsp_sram_init(tsp_chip *chip, GError **error);
void tsp_sram_fini(tsp_chip *chip);
sim_time tsp_sram_run(void *state, sim_time now);
int tsp_prepare_MEM(tsp_chip *chip, tsp_queue *q);
int tsp_sram_prepare(tsp_queue *q);
void tsp_slip(tsp_chip *chip, const probe_slip *record);
/* sram_buffers.c */
bool tsp_buffers_init(tsp_chip *chip, GError **error);
void tsp_buffers_fini(tsp_chip *chip);
/* The buffer of EPOCH that holds LOCATION, or NULL. */
const tsp_buffer *tsp_buffer_at(const tsp_chip *chip, uint64_t location, uint32_t epoch);
/* The map that the queue's access goes through. */
const bankmap *tsp_buffer_map(const tsp_queue *q);
/* Is that the map which all that the access touches lies under?  A violation when it is not. */
void tsp_check_map(tsp_queue *q, const model_shape *shape);
void tsp_mem_audit(tsp_chip *chip, int64_t now);
/* Turns what a store found into a violation and operand 0's arrival. */
void tsp_check_reading(tsp_queue *q, const model_reading *reading);

/* vxm.c, mxm.c, sxm.c, c2c.c */
int tsp_prepare_ICU(tsp_chip *chip, tsp_queue *q);
int tsp_prepare_VXM(tsp_chip *chip, tsp_queue *q);
int tsp_prepare_MXM(tsp_chip *chip, tsp_queue *q);
int tsp_prepare_SXM(tsp_chip *chip, tsp_queue *q);
int tsp_prepare_C2C(tsp_chip *chip, tsp_queue *q);
void tsp_mxm_init(tsp_chip *chip);
void tsp_mxm_fini(tsp_chip *chip);
void tsp_mxm_audit(tsp_chip *chip, int64_t now);
/* Was TAG, before cycle NOW, on its way to row ROW of the shadow buffer? */
bool tsp_mxm_is_loading(const tsp_plane *plane, uint32_t tag, unsigned row, int64_t now);
void tsp_sxm_init(tsp_chip *chip);
void tsp_sxm_fini(tsp_chip *chip);
void tsp_links_init(tsp_chip *chip);
void tsp_links_fini(tsp_chip *chip);

/* Every op's execution, named after its row; a missing one does not link. */
#define OP(id, mnemonic, unit, format, timing, needs, doc) void tsp_exec_##id(tsp_chip *chip, tsp_queue *q);
#define VXM_OP(id, mnemonic, arity, types, timing, doc)
#include "isa/ops.def"
void tsp_exec_vxm(tsp_chip *chip, tsp_queue *q);

/* Asks for AUDIT in this cycle. */
static inline void tsp_audit_now(tsp_queue *q)
{
	sim_process_wake(q->chip->audit_process, sim_kernel_now(q->chip->kernel));
}

/* The expectations of operand NUMBER at this issue. */
static inline void tsp_expect(const tsp_queue *q, unsigned number, model_expect *e)
{
	model_expect_begin(e, q->source[number], q->source_count[number], q->i0, q->i1);
}

static inline void tsp_note_due(tsp_chip *chip, int64_t due)
{
	chip->last_due = MAX(chip->last_due, due);
}

/* The queue's record, when somebody listens; everything of the issue must be known. */
static inline void tsp_report(const tsp_queue *q, int64_t result, const model_service *service, uint32_t beats,
                              int64_t delay, uint32_t work)
{
	probe *p = q->chip->probe;
	probe_issue *r;

	if (G_LIKELY(!p->issues_wanted))
		return;
	r = probe_slot(p);
	*r = (probe_issue){
		.cycle = q->issue,
		.arrival = {q->arrival[0], q->arrival[1], q->arrival[2]},
		.result = result,
		.insn = q->id,
		.index = q->index,
		.queue = q->number,
		.beats = (uint16_t)MIN(beats, UINT16_MAX),
		.requests = (uint16_t)(service ? MIN(service->requests, UINT16_MAX) : 0),
		.delayed = (uint16_t)(service ? MIN(service->delayed, UINT16_MAX) : 0),
		.delay = (uint32_t)MIN(delay, UINT32_MAX),
		.work = work,
	};
	probe_commit(p);
}

#endif
