/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front end's files share: sub-cores with their scalar unit, queues, flags and clocks; cross-core counters;
 * the race detector; the chip.
 *
 * Model of time.  A sub-core is a process of phase ISSUE: in a cycle it lets flags take effect, starts the heads of its
 * queues and runs its scalar unit.  What starts is filed and executed by the chip's process of phase RESOLVE in order
 * of (core, sub, pipe), which is the only one that touches what sub-cores share.  So shared memory is asked in order of
 * time, and no result depends on the order of processes inside a phase.
 *
 * The scalar unit runs ahead of the clock while it meets nothing that depends on the present: its pushes carry the
 * cycle in which they happen.
 */
#ifndef TSPSIM_MODELS_ASCEND_FRONT_INT_H
#define TSPSIM_MODELS_ASCEND_FRONT_INT_H

#include "models/ascend/internal.h"

typedef struct asc_cross asc_cross;
typedef struct asc_races asc_races;
typedef struct asc_words asc_words;

/* A vector clock: of each pipe of a sub-core, how many of its instructions are known to be complete.  Those of the own
 * sub-core stand in local; those of others in an immutable vector that clocks share, NULL while none is known. */
typedef struct asc_foreign {
	unsigned references;
	uint32_t count; /* sub-cores x ASC_PIPES */
	uint64_t at[];
} asc_foreign;
typedef struct asc_clock {
	uint64_t local[ASC_PIPES];
	asc_foreign *foreign;
} asc_clock;
void asc_clock_set(asc_clock *to, const asc_clock *from);
void asc_clock_join(asc_clock *into, const asc_clock *from);
void asc_clock_clear(asc_clock *clock);
asc_foreign *asc_foreign_ref(asc_foreign *foreign);
void asc_foreign_unref(asc_foreign *foreign); /* NULL is fine */
void asc_foreign_join(asc_foreign **into, asc_foreign *from);
/* The clock as others see it, a new reference; COUNT entries. */
asc_foreign *asc_clock_export(const asc_clock *clock, uint32_t sub, uint32_t count);
void asc_clock_import(asc_clock *clock, asc_foreign *foreign, uint32_t sub);

/* Who did something: an instruction of a stream, as executed by a sub-core. */
typedef struct asc_who {
	uint32_t stream, insn;
	uint32_t sub;          /* of the chip */
	enum asc_pipe pipe;    /* sets: where it was queued */
	int64_t start, effect; /* sets: on that pipe; when it took effect, or arrived */
} asc_who;
#define ASC_NOBODY ((asc_who){.stream = UINT32_MAX, .insn = UINT32_MAX})

/* One bit; its pending sets are in asc_subcore.effects. */
typedef struct asc_flag {
	bool set;
	uint64_t sets, waits;
	uint64_t wait_epoch; /* of the last wait, on pipe to */
	int64_t since;
	asc_who setter;
	asc_clock clock;   /* of what the setter had before it, complete */
	GQueue pending;    /* by timestamp: struct effect of sets in order, not yet taken by a wait */
	GArray *unordered; /* insns whose set was reported as not ordered after the wait; NULL when none */
} asc_flag;
typedef struct asc_effect {
	int64_t time;
	uint8_t from, to, id;
	bool unordered; /* nothing orders it after the wait that clears the flag */
	asc_who who;
	asc_clock clock;
} asc_effect;

typedef struct asc_entry {
	asc_exec x;
	uint32_t insn;
	uint64_t execution;
	int64_t queued;
	asc_clock clock; /* of the scalar unit at the push */
} asc_entry;

typedef struct asc_pipeline {
	asc_entry *entry; /* [depth + 1], a ring; one more, so that what has just started stays where it is */
	uint32_t depth, head, used;
	bool filed;         /* started in this cycle, its times not yet known */
	asc_entry *current; /* what is filed */
	int64_t left;       /* cycle in which the last entry left the queue */
	int64_t free, done; /* next start; all so far complete */
	int64_t busy_until; /* for the busy counter */
	uint64_t epoch;     /* instructions started, flags among them */
	asc_clock clock;    /* what is known complete before whatever starts next */
	GArray *passed;     /* by timestamp: asc_entry of waits and barriers passed since the last start */
} asc_pipeline;

typedef struct asc_scalar {
	uint32_t pc;
	bool ended, pending; /* a load or store is filed */
	int64_t reg[ASC_REGISTERS];
	uint64_t mask[2];
	bool counter_mode;
	int64_t next;  /* first cycle of the next group */
	int64_t wake;  /* when it wants to look again; SIM_NEVER while stopped */
	int64_t group; /* cycle of the group being formed, -1 when none */
	unsigned members, pushes;
	uint32_t written; /* registers that the group writes */
	bool stopped;
	int64_t since; /* it is stopped */
	enum asc_stall cause;
	enum asc_pipe full; /* queue that stops it */
	unsigned counter;   /* cross-core counter that stops it */
	bool polls;         /* a word of global memory does, not a counter */
	uint64_t poll_address;
	int64_t poll_value, first_look;
} asc_scalar;

/* What a sub-core waits for cross-core: a counter and the sets that raised it, oldest first. */
typedef struct asc_arrival {
	asc_who who;
	uint32_t sub; /* setter, of the chip */
	asc_foreign *clock;
} asc_arrival;
typedef struct asc_counter {
	unsigned count;
	unsigned owed;    /* by timestamp: waits that went on before their set arrived */
	GArray *arrivals; /* asc_arrival, `count` of them */
} asc_counter;

struct asc_subcore {
	asc_chip *chip;
	uint32_t index, core, sub; /* of the chip; core; sub-core of its core: coupled or cube 0, vectors from 0 or 1 */
	enum asc_kind kind;
	int32_t vector; /* number among the core's vector sub-cores, 0 for others */
	sim_process *process;
	asc_ub *ub;
	asc_vector *vector_unit;
	asc_cube *cube;
	asc_mte *mte;
	asc_data *data;

	const asc_stream *stream; /* NULL: nothing to do in this block */
	uint32_t stream_index;
	bool finished, dirty;
	int64_t finish; /* cycle in which it was done with its block */
	int64_t next;   /* as last asked of the kernel */
	uint64_t executions;
	uint8_t *executed; /* by timestamp: [insns] has it been executed in this block? */
	asc_scalar scalar;
	asc_pipeline pipe[ASC_PIPES];         /* [ASC_PIPE_S]: clock, epoch, done and `current` of the scalar unit */
	asc_flag *flag[ASC_PIPES][ASC_PIPES]; /* [flag_ids], NULL until used */
	GArray *effects;                      /* asc_effect by time */
	asc_counter cross[ASC_CROSS_IDS];
	GArray *cross_sets; /* struct asc_cross_set filed in this cycle */
	GArray *reports;    /* asc_report not yet handed on */
	GArray *violations; /* asc_violation */
	asc_counters counters;
};

typedef struct asc_cross_set {
	int64_t time; /* of arrival */
	uint32_t sub;
	uint8_t mode, id;
	asc_who who;
	asc_foreign *clock;
} asc_cross_set;

struct asc_chip {
	const asc_machine *machine;
	const asc_program *program;
	sim_kernel *kernel;
	asc_listener listener;
	asc_options options;
	sim_process *resolve;
	asc_memory *memory;
	asc_data *global; /* global memory, which sub-cores' data share */
	uint32_t cores, subs_per_core, subs;
	asc_subcore *sub; /* [subs], by core, then sub */
	uint32_t *block;  /* [cores] the block that runs */
	GArray *dirty;    /* uint32_t: sub-cores that ran in this cycle */
	asc_cross *cross;
	asc_words *words;
	asc_races *races;
	uint32_t blocks_left;
	bool over;
	asc_counters total;
};

/* core.c */
void asc_subcore_init(asc_subcore *s, asc_chip *chip, uint32_t index);
void asc_subcore_fini(asc_subcore *s);
void asc_subcore_begin(asc_subcore *s, uint32_t block, int64_t time);
sim_time asc_subcore_run(void *state, sim_time now);
void asc_subcore_execute(asc_subcore *s, int64_t now); /* what is filed */
int64_t asc_subcore_next(asc_subcore *s, int64_t now); /* when to run next; finds out whether it is finished */
bool asc_queue_room(const asc_subcore *s, enum asc_pipe pipe, int64_t time); /* for a push in that cycle */
asc_entry *asc_push(asc_subcore *s, enum asc_pipe pipe); /* where the next entry goes; its clock is empty */
/* Numbers, times and stalls of an instruction, handed on to the listener. */
void asc_report_entry(asc_subcore *s, enum asc_pipe pipe, const asc_entry *e, asc_who waited_for);
bool asc_unit_ready(const asc_subcore *s, const asc_exec *x); /* has it the units of L0C it needs? */
bool asc_subcore_idle(const asc_subcore *s);                  /* every queue empty, nothing filed */
int64_t asc_subcore_done(const asc_subcore *s);
asc_clock asc_pipe_complete(const asc_subcore *s, enum asc_pipe pipe); /* its clock, all it has started complete */

/* scalar.c */
bool asc_scalar_run(asc_subcore *s, int64_t now);     /* did anything happen? */
void asc_scalar_execute(asc_subcore *s, int64_t now); /* a load or store that was filed */
/* When wait_word, which stops it, looks again with success; SIM_NEVER: nobody has set the word yet. */
int64_t asc_scalar_next_look(const asc_subcore *s, int64_t now);

/* flags.c: sub-core's flags */
bool asc_flag_valid(const asc_subcore *s, const int64_t *f);
asc_flag *asc_flag_at(asc_subcore *s, const int64_t *f); /* f: from, to, id */
void asc_flag_set(asc_subcore *s, asc_who who, const int64_t *f, int64_t time, asc_clock *clock);
bool asc_flag_take(asc_subcore *s, const int64_t *f, int64_t now, asc_clock *clock, uint64_t epoch, asc_who *setter);
bool asc_flags_due(asc_subcore *s, int64_t now);
int64_t asc_flags_next(const asc_subcore *s);
void asc_flags_leftover(asc_subcore *s, int64_t now);
void asc_flags_fini(asc_subcore *s);

/* cross.c */
asc_cross *asc_cross_new(asc_chip *chip);
void asc_cross_free(asc_cross *c);
bool asc_cross_valid(const asc_subcore *s, int64_t mode, int64_t id);
void asc_cross_file(asc_subcore *s, asc_who who, unsigned mode, unsigned id, int64_t time, const asc_clock *clock);
void asc_cross_collect(asc_cross *c, asc_subcore *s); /* what it filed */
void asc_cross_deliver(asc_cross *c, int64_t now);    /* raise counters for the next cycle */
int64_t asc_cross_next(const asc_cross *c);
bool asc_cross_take(asc_subcore *s, unsigned id, asc_clock *clock, asc_who *setter);
void asc_cross_leftover(asc_cross *c, asc_subcore *s, int64_t now);
/* Does a set of ID in MODE by BY count for ID_HERE of S?  Where a group has several members, all of them do. */
bool asc_cross_reaches(const asc_subcore *s, unsigned id_here, const asc_subcore *by, int64_t mode, int64_t id);

/* words.c */
enum { ASC_WORD_BYTES = 8 };
asc_words *asc_words_new(asc_chip *chip);
void asc_words_free(asc_words *w);
/* VALUE is seen from TIME on. */
void asc_word_set(asc_subcore *s, asc_who who, uint64_t address, int64_t value, int64_t time, const asc_clock *clock);
bool asc_word_reached(const asc_subcore *s, uint64_t address, int64_t value, int64_t now);
/* What goes with the first set of at least VALUE; SETTER stays as it is where that was there before all sets. */
void asc_word_take(const asc_subcore *s, uint64_t address, int64_t value, asc_clock *clock, asc_who *setter);
/* The first time from FROM on at which the word is at least VALUE, as far as sets have been executed. */
int64_t asc_word_next(const asc_subcore *s, uint64_t address, int64_t value, int64_t from);

/* races.c */
typedef struct asc_access {
	uint32_t sub, stream, insn;
	uint8_t pipe;
	bool unit_flag; /* units of L0C under a unit flag are handed over one by one */
	bool word;      /* of set_word and wait_word, which do not race with one another */
	uint64_t epoch; /* on its pipe, from 1 */
	int64_t start, done;
	const asc_clock *clock;
} asc_access;
asc_races *asc_races_new(asc_chip *chip);
void asc_races_free(asc_races *r);
void asc_races_access(asc_races *r, const asc_access *a, const asc_range *ranges, unsigned count);
size_t asc_races_live(const asc_races *r); /* accesses that are remembered */

/* boxes.c: COUNT runs of BYTES, PITCH apart */
typedef struct asc_box {
	uint64_t low, high; /* extent */
	uint64_t bytes, pitch;
	uint32_t count;
} asc_box;
bool asc_box_make(asc_box *box, const asc_range *range); /* false: empty */
bool asc_box_overlap(const asc_box *a, const asc_box *b, uint64_t *address,
                     uint64_t *bytes); /* the lowest common run */
bool asc_box_covers(const asc_box *a, const asc_box *b);

/* checks.c */
unsigned asc_register_fields(enum asc_op op); /* those that are the number of a register, as bits */
/* Has this sub-core the instruction, are the values (F, registers resolved) within limits?  Reports what is not. */
bool asc_check_push(asc_subcore *s, const asc_insn *insn, uint32_t number, const int64_t *f, int64_t time);
/* Alignment, extents, overlap, bytes nobody wrote; marks what is written.  False: it must not be executed. */
bool asc_check_access(asc_subcore *s, const asc_entry *e, const asc_range *ranges, unsigned count, unsigned gathered,
                      int64_t now);

/* data.c */
asc_data *asc_data_new_global(const asc_program *program, bool functional);
asc_data *asc_data_new(const asc_machine *machine, asc_data *global);
void asc_data_free(asc_data *data);
bool asc_data_written(const asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes, uint64_t *first);
void asc_data_mark(asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes);
uint64_t asc_data_image(const asc_data *data, uint64_t address, unsigned bytes); /* timing mode: as the host gave it */

/* deadlock.c */
char *asc_diagnose(const asc_chip *chip, int64_t now);

/* chip.c */
void asc_violate(asc_subcore *s, enum asc_finding kind, int64_t cycle, uint32_t insn, asc_who other);
void asc_violate_at(asc_subcore *s, asc_violation v);
void asc_chip_dirty(asc_subcore *s);

#endif
