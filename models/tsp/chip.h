/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream processor: instruction queues, SRAM, VXM, MXM, SXM, links; register style or stream style as its machine
 * description says.  Executes encoded queues only; reports every issue and every hazard it finds through a probe.
 */
#ifndef TSPSIM_MODELS_TSP_CHIP_H
#define TSPSIM_MODELS_TSP_CHIP_H

#include "isa/program.h"
#include "sim/kernel.h"
#include "traces/probe.h"

typedef struct tsp_chip tsp_chip;

enum tsp_policy { TSP_POLICY_FAULT_CONTINUE, TSP_POLICY_FAULT_STOP, TSP_POLICY_FREEZE };

typedef struct tsp_options {
	enum tsp_policy policy;
	bool functional;         /* carry values */
	uint64_t max_violations; /* report at most so many to the probe (all are counted); 0 = no limit */
	/* Called when an epoch's last result is available and before the next one's data replaces it; may read the SRAM
	 * by tsp_chip_read().  NULL is fine. */
	void (*epoch_end)(void *state, tsp_chip *chip, uint32_t epoch);
	void *epoch_state;
} tsp_options;

typedef struct tsp_counters {
	int64_t cycles;      /* cycle of the last result minus cycle of the first issue, program time */
	int64_t first_issue; /* cycle */
	int64_t slip_cycles; /* freeze only */
	uint64_t issues;     /* instruction issues, repeats counted, NOP and REPEAT words not */
	uint64_t violations; /* all kinds */
	uint64_t violations_by_kind[ISA_VIOLATION_COUNT];
	uint64_t macs; /* multiply-accumulates done on useful rows and lanes (rows of weights in use x lanes named) */
	uint64_t mxm_busy_cycles; /* plane-cycles busy */
	uint64_t vxm_ops;         /* vector operations */
	uint64_t vxm_lane_ops;    /* lanes counted */
	uint64_t sxm_ops;
	uint64_t bank_requests; /* block requests (hashed), word accesses (direct) */
	uint64_t bank_delayed;  /* requests that waited for another in their bank (own access included) */
	uint64_t bank_beats;    /* sum over accesses of beats */
	uint64_t sram_bytes;    /* moved, payload */
	uint64_t link_vectors;
	uint64_t queue_issues_size;
	uint64_t *queue_issues; /* per queue */
	uint64_t *bank_count;   /* requests per bank */
	uint64_t *bank_wait;    /* delay cycles per bank */
	uint64_t bank_count_size;
} tsp_counters;

/* Builds a chip that will execute PROGRAM's queues on MACHINE (the hw parameter set) under KERNEL, reporting to PROBE.
 * All are kept, not owned.  Refuses a program whose queues the machine does not have. */
tsp_chip *tsp_chip_new(const isa_machine *machine, const isa_program *program, sim_kernel *kernel, probe *probe,
                       const tsp_options *options, GError **error);
void tsp_chip_free(tsp_chip *chip);

const tsp_counters *tsp_chip_counters(tsp_chip *chip);
/* Copies BYTES at flat LOCATION; false when the range was never written or loaded, or values are not carried. */
bool tsp_chip_read(const tsp_chip *chip, uint64_t location, void *out, uint64_t bytes);
sim_time tsp_chip_now(const tsp_chip *chip);

#endif
