/* SPDX-License-Identifier: Apache-2.0
 *
 * A second, naive executor of programs, to judge the models by: docs/design.md "Exact timing" taken literally, one
 * cycle after the other, with all state laid out flat.  It walks the container (instructions with cycles and loops),
 * not the encoded queues, shares no code with models/ or sched/, and is far too slow for anything but tests.
 *
 * It yields what a model reports through its probe: one record an issue, every violation, every slip, the cycles of the
 * run, and the memory at the end.  Not modelled: fault-stop, the counters of a chip, traces.
 */
#ifndef TSPSIM_TESTS_LIB_ORACLE_H
#define TSPSIM_TESTS_LIB_ORACLE_H

#include "isa/program.h"
#include "traces/probe.h"

typedef struct oracle_memory oracle_memory;

typedef struct oracle_options {
	bool functional; /* report int-overflow; values are carried in any case */
	bool freeze;     /* else fault-continue */
	const isa_machine
		*sched; /* machine whose barrier the container's cycles count from; NULL = the simulated one */
	/* Called when an epoch is over (the next one begins, or the run ends). */
	void (*epoch_end)(void *state, const oracle_memory *memory, uint32_t epoch);
	void *epoch_state;
	/* Called for every segment of an operand that is sampled: the instance found there, 0 for the host's data, and
	 * whether anything was. */
	void (*sampled)(void *state, uint32_t insn, uint32_t index, unsigned operand, unsigned segment, bool found,
	                uint32_t instance);
	void *sampled_state;
} oracle_options;

typedef struct oracle_result {
	GArray *issues;     /* probe_issue, by (cycle, queue) */
	GArray *violations; /* probe_violation, by (cycle, queue, insn, index, kind) */
	GArray *slips;      /* probe_slip, by cycle */
	int64_t first_issue;
	int64_t cycles; /* last due cycle of any result minus first_issue; 0 when there is no result */
	int64_t slip_cycles;
	uint64_t by_kind[ISA_VIOLATION_COUNT];
	oracle_memory *memory; /* as it is after the last result */
} oracle_result;

/* Runs PROGRAM on HW.  OPTIONS may be NULL.  The caller frees the result.  Fails (USER) for a bank map it does not know
 * or a queue HW does not have. */
oracle_result *oracle_execute(const isa_program *program, const isa_machine *hw, const oracle_options *options,
                              GError **error);
void oracle_result_free(oracle_result *result);

/* Copies BYTES at flat LOCATION; false when one of them was never written or loaded. */
bool oracle_memory_read(const oracle_memory *memory, uint64_t location, void *out, uint64_t bytes);
uint64_t oracle_memory_size(const oracle_memory *memory);
/* The first byte at or after LOCATION that was ever written or loaded; the size when there is none. */
uint64_t oracle_memory_next(const oracle_memory *memory, uint64_t location);

/* Violations of KIND; of any kind when KIND is ISA_VIOLATION_COUNT. */
uint64_t oracle_count(const oracle_result *result, enum isa_violation kind);
/* The record of issue INDEX of instruction INSN, NULL when it never issued. */
const probe_issue *oracle_issue(const oracle_result *result, uint32_t insn, uint32_t index);

/* Bank of BLOCK under a map text, by the definition of its family; -1 for a text that is not understood, -2 for a block
 * whose row does not exist.  ROWS rows in each of BANKS banks. */
int64_t oracle_bank(const char *map, unsigned banks, uint64_t rows, uint64_t block);

#endif
