/* SPDX-License-Identifier: Apache-2.0
 *
 * A chip of Ascend-style cores: scalar front ends, pipes, local buffers, flags, shared L2 and memory.  Executes the
 * streams of an asc_program under a kernel; finds races, leftovers and deadlocks itself; reports through a listener.
 */
#ifndef TSPSIM_MODELS_ASCEND_CHIP_H
#define TSPSIM_MODELS_ASCEND_CHIP_H

#include "isa/ascend/machine.h"
#include "sim/kernel.h"

typedef struct asc_chip asc_chip;

/* Why a pipe (or the scalar unit) did not go on. */
enum asc_stall {
	ASC_STALL_NONE,
	ASC_STALL_FLAG,  /* wait_flag: other = the setter */
	ASC_STALL_CROSS, /* cross-core flag */
	ASC_STALL_BARRIER,
	ASC_STALL_QUEUE_FULL,  /* scalar unit: the instruction queue of a pipe */
	ASC_STALL_BANK_GROUP,  /* vector: PMU 100 */
	ASC_STALL_BANK,        /* 101 */
	ASC_STALL_RESOURCE,    /* 102 */
	ASC_STALL_MTE,         /* 103 */
	ASC_STALL_OUTSTANDING, /* MTE: requests in flight at their limit */
	ASC_STALL_LINE,        /* another core holds the same line */
	ASC_STALLS
};
const char *asc_stall_name(enum asc_stall stall); /* "none" "flag" "cross" ... */

enum asc_finding {
#define ASC_VIOLATION(id, name, doc) ASC_FINDING_##id,
#include "isa/ascend/violations.def"
	ASC_FINDINGS
};

/* Who set what an instruction waited for. */
typedef struct asc_setter {
	uint32_t stream, insn; /* UINT32_MAX: nobody */
	uint32_t core, sub;
	enum asc_pipe pipe;
	int64_t start, effect; /* of the set on its pipe; when it took effect, or arrived */
} asc_setter;

/* One instruction, reported when it is complete.  Cycles of the core clock. */
typedef struct asc_report {
	uint32_t core, sub, stream, insn, block;
	uint64_t execution; /* n-th instruction executed by this sub-core */
	enum asc_pipe pipe;
	int64_t queued, start, free,
		done;              /* entered its queue; began; pipe could begin the next; reads and writes complete */
	int64_t stall[ASC_STALLS]; /* cycles by cause, before and within */
	int64_t held;              /* of those, cycles before start: by a flag, counter, barrier or unit of L0C */
	uint32_t waited_for;       /* flags: instruction of the setter in its stream; UINT32_MAX when none */
	asc_setter setter;         /* the same in full; by timestamp nobody */
	uint64_t bytes;            /* moved */
	uint64_t work;             /* MACs or lanes */
} asc_report;

/* COUNT runs of BYTES, PITCH apart, that an instruction reads or writes. */
typedef struct asc_range {
	enum asc_space space;
	bool write;
	uint64_t address, bytes; /* of a run */
	uint32_t count;
	int64_t pitch;
} asc_range;

/* What one instruction touches, reported in the order in which instructions begin, which is that of time on each
 * pipe. */
typedef struct asc_touch {
	uint32_t core, sub, stream, insn;
	int64_t start, done;
	const asc_range *ranges; /* valid during the call */
	unsigned count;
} asc_touch;

typedef struct asc_violation {
	enum asc_finding kind;
	int64_t cycle;
	uint32_t core, sub, stream, insn;
	uint32_t other_stream, other_insn; /* UINT32_MAX when none */
	enum asc_space space;              /* ASC_SPACES: no place in memory */
	uint64_t address, bytes;
	bool met; /* race: the two accesses really overlapped in time; double set: the flag really
	           * was set, not only not ordered after the wait that clears it */
} asc_violation;

typedef struct asc_listener {
	void *state;
	void (*report)(void *state, const asc_report *r);
	void (*violation)(void *state, const asc_violation *v);
	/* Waiting at the end: who waits for which flag or counter, and who could set it. */
	void (*deadlock)(void *state, const char *diagnosis);
	void (*touch)(void *state, const asc_touch *t);
} asc_listener;

typedef struct asc_options {
	bool functional;
	bool by_timestamp; /* issue at predicted start instead of by flags; races then say whether that was safe */
	bool stop_at_first;
	bool launch; /* blocks begin launch_us after cycle 0 */
} asc_options;

enum { ASC_CROSS_IDS = 32 }; /* ids of cross-core counters that instructions can name */

/* What vector repeats work on, as the hardware's counters divide them. */
enum asc_work {
	ASC_WORK_FP32,
	ASC_WORK_FP16_128, /* lanes a cycle */
	ASC_WORK_FP16_64,
	ASC_WORK_FP16_32,
	ASC_WORK_INT32,
	ASC_WORK_INT16,
	ASC_WORK_MISC,
	ASC_WORKS
};

/* What the units count while they execute; requests are of the bytes that isa/ascend/pmu.def says. */
typedef struct asc_traffic {
	uint64_t repeats, vector[ASC_WORKS];
	uint64_t cube_fp, cube_int; /* steps */
	uint64_t l0a_read, l0a_write, l0b_read, l0b_write, l0c_read, l0c_write, l1_read, l1_write;
	uint64_t ub_mte, mte_ub, ub_read, ub_write; /* unified buffer: by copies; by the vector pipe */
	uint64_t fix_l1, l0c_fix;
	uint64_t l2_write_hits, l2_write_misses, l2_read_hits, l2_read_misses;
	uint64_t gm_write, gm_read;
} asc_traffic;

typedef struct asc_counters {
	int64_t cycles;
	uint64_t instructions, violations, by_kind[ASC_FINDINGS];
	int64_t busy[ASC_PIPES], stall[ASC_PIPES][ASC_STALLS];
	uint64_t macs, vector_lane_ops;
	uint64_t bytes[ASC_SPACES][ASC_SPACES]; /* from, to */
	uint64_t l2_hits, l2_misses;
	int64_t queue_full[ASC_PIPES];     /* cycles the scalar unit was stopped by the queue of that pipe */
	int64_t cross_wait[ASC_CROSS_IDS]; /* cycles the scalar unit waited for a cross-core counter */
	uint64_t single_issue, dual_issue; /* cycles in which the scalar unit issued one, several instructions */
	uint64_t races_met;                /* of by_kind[ASC_FINDING_RACE] */
	uint64_t gathers_unseen;           /* timing mode: gathers whose elements the race detector does not know */
	uint64_t executed[ASC_PIPES];      /* instructions that a unit carried out; not flags and barriers */
	asc_traffic traffic;
} asc_counters; /* of one sub-core; asc_chip_counters adds all up, the hardware's counters are asc_pmu_value()'s */

/* What the hardware's counter ROW would show. */
uint64_t asc_pmu_value(const asc_counters *counters, enum asc_pmu row);

/* launch_us in cycles of the core clock. */
int64_t asc_launch_cycles(const asc_machine *machine);
asc_chip *asc_chip_new(const asc_machine *machine, const asc_program *program, sim_kernel *kernel,
                       const asc_listener *listener, const asc_options *options, GError **error);
void asc_chip_free(asc_chip *chip);
const asc_counters *asc_chip_counters(asc_chip *chip);
const asc_counters *asc_chip_core_counters(asc_chip *chip, uint32_t core, uint32_t sub);
bool asc_chip_read(const asc_chip *chip, uint64_t address, void *out, uint64_t bytes); /* global memory */

#endif
