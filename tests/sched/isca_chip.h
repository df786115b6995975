/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of the stream-style back end on the model: scheduled, encoded, run on the reference kernel with a listener
 * that compares every reported time with its prediction, and (functional) every output element with the graph's
 * evaluation.
 */
#ifndef TSPSIM_TESTS_SCHED_ISCA_CHIP_H
#define TSPSIM_TESTS_SCHED_ISCA_CHIP_H

#include "isa/program.h"
#include "sched/sched.h"

typedef struct isca_trial {
	int64_t cycles, predicted;
	uint64_t violations;
	uint64_t compared, mispredicted; /* times */
	uint64_t values, wrong;          /* output elements */
	uint64_t macs;
	double ceiling; /* of the first epoch */
	bool checked;   /* by sched_check() */
	GString *text;  /* the first few of everything that is not as it should be */
	sched_report report;
} isca_trial;

/* The published machine with KEY=VALUE settings (NULL-terminated; NULL = none), finished.  Aborts on an error. */
isa_machine *isca_machine(const char *const *settings);
/* WORKLOAD as the command line has it, or several graph texts.  False and ERROR when it is refused; isca_trial_fini()
 * in any case. */
bool isca_try_workload(const char *workload, const isa_machine *machine, isca_trial *run, GError **error);
bool isca_try_texts(const char *const *texts, const isa_machine *machine, isca_trial *run, GError **error);
void isca_trial_fini(isca_trial *run);
/* Only schedules. */
isa_program *isca_compile(const char *workload, const isa_machine *machine, sched_report *report, GError **error);

#endif
