/* SPDX-License-Identifier: Apache-2.0
 *
 * Micro-programs of Ascend-style cores: a few lines of assembly on a preset with some keys changed, run under every
 * kernel and measured.
 *
 * A machine is a text, "PRESET [KEY=VALUE | functional]...": with values, or (without) for the times only. Instructions
 * are named by their place in the text of their stream, from 0, streams by their place in the program.  Whatever goes
 * wrong on the way to a result, and any difference between two kernels, fails the running test.
 */
#ifndef TSPSIM_TESTS_TIMING_ASC_MICRO_H
#define TSPSIM_TESTS_TIMING_ASC_MICRO_H

#include "models/ascend/chip.h"

typedef struct asc_micro {
	asc_machine *machine;
	bool functional;
	asc_program *program;
	GArray *reports;    /* asc_report, as they came */
	GArray *violations; /* asc_violation */
	asc_counters counters;
	char *diagnosis; /* of a deadlock, or NULL */
	bool refused;    /* machine or text */
	char *refusal;
} asc_micro;

asc_micro *asc_micro_run(const char *machine, const char *text); /* never NULL; asc_micro_free() */
/* Assembles and checks only; a refusal is a result. */
asc_micro *asc_micro_try(const char *machine, const char *text);
void asc_micro_free(asc_micro *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(asc_micro, asc_micro_free)

/* The report of the first, or last, execution of instruction INSN of STREAM; start, free, done INT64_MIN when there is
 * none. */
asc_report asc_micro_first(const asc_micro *m, uint32_t stream, uint32_t insn);
asc_report asc_micro_last(const asc_micro *m, uint32_t stream, uint32_t insn);
unsigned asc_micro_executions(const asc_micro *m, uint32_t stream, uint32_t insn);
/* Start to completion, and to the pipe free again, of the first execution, in stream 0. */
int64_t asc_micro_time(const asc_micro *m, uint32_t insn);
/* Cycles from one start to the next, of an instruction in a loop, on average; in stream 0. */
double asc_micro_pitch(const asc_micro *m, uint32_t insn);
uint64_t asc_micro_count(const asc_micro *m, enum asc_finding kind); /* ASC_FINDINGS: of all kinds */

enum asc_class { ASC_CALIBRATION, ASC_PREDICTION, ASC_FORMULA };
/* One figure against what a source says; prints both when they differ by more than TOLERANCE_PERCENT. */
void asc_micro_compare(const char *name, double found, double expected, double tolerance_percent, const char *source,
                       enum asc_class class);
/* A figure known to miss EXPECTED by more than TOLERANCE_PERCENT, and WHY: prints it, and fails unless it is still the
 * RECORDED one and still missed. */
void asc_micro_missed(const char *name, double found, double recorded, double expected, double tolerance_percent,
                      const char *why, enum asc_class class);
/* Prints how many of the figures so far, by class, are within their tolerance, and how many are known to miss it. */
void asc_micro_summary(void);

#endif
