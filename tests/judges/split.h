/* SPDX-License-Identifier: Apache-2.0
 *
 * One program, scheduled for one machine and run on another that differs in one key: what do the models find, what does
 * the comparison with the predictions find, and do the models find the same when nobody tells them what was predicted?
 *
 * Programs are workloads (scheduled) or assembly (their own times, queues encoded for the scheduled-for machine).
 * Scheduled programs carry values, so a result that is wrong although nobody complained is noticed.
 */
#ifndef TSPSIM_TESTS_JUDGES_SPLIT_H
#define TSPSIM_TESTS_JUDGES_SPLIT_H

#include "isa/machine.h"

/* What came of a run: the strongest that holds of what ran, or why nothing did. */
enum split_verdict {
	SPLIT_NOTHING,    /* all is as predicted */
	SPLIT_DIFFERS,    /* times differ from the predicted ones, no hazard */
	SPLIT_RESULT,     /* values differ from the reference's, no hazard */
	SPLIT_SLIPS,      /* no hazard, but under freeze the machine loses cycles */
	SPLIT_VIOLATES,   /* the models found hazards */
	SPLIT_UNFIT,      /* the simulated machine refuses the program */
	SPLIT_NO_PROGRAM, /* the scheduler has no program for its machine */
	SPLIT_NO_MACHINE, /* there is no such machine: a combination of values that is refused */
	SPLIT_LIMIT,      /* beyond the key's legal values */
	SPLIT_BROKEN      /* the run itself failed: a defect */
};
/* Was the difference found by the models alone? */
static inline bool split_is_caught(enum split_verdict verdict)
{
	return verdict == SPLIT_SLIPS || verdict == SPLIT_VIOLATES || verdict == SPLIT_UNFIT;
}

enum split_side { SPLIT_NEITHER, SPLIT_SCHED, SPLIT_HW };

typedef struct split_case {
	const char *machine;  /* preset */
	const char *settings; /* "KEY=VALUE ..." for both machines, or "" */
	const char *program;  /* workload, or the name of an assembly or graph file of this folder */
	enum split_side side; /* whose machine differs */
	const char *changes;  /* "KEY=VALUE ..." there */
} split_case;

typedef struct split_outcome {
	enum split_verdict verdict;
	uint64_t violations;
	uint64_t mismatches;
	uint64_t wrong; /* values */
	int64_t slip_cycles;
	bool blind; /* did a run without predictions find the same violations in as many cycles (or none were there)? */
	char *message; /* of a refusal or failure, else NULL */
} split_outcome;

/* Keeps machines and programs from case to case. */
typedef struct split_lab split_lab;
split_lab *split_lab_new(void);
void split_lab_free(split_lab *lab);

split_outcome split_run(split_lab *lab, const split_case *c);
void split_outcome_fini(split_outcome *outcome);
/* The preset with SETTINGS, not finished; owned by the lab.  NULL when there is no such preset or setting. */
const isa_machine *split_machine(split_lab *lab, const char *machine, const char *settings);
/* "KEY=VALUE" for the value one less (MORE: one more) than M's, of table element ELEMENT (-1: of the key itself);
 * g_free. */
char *split_one_unit(const isa_machine *m, int key, int element, bool more);
/* Elements of a table key, 0 for other keys. */
int split_elements(const isa_machine *m, int key);
/* Does PROGRAM bring its own times? */
bool split_is_assembly(const char *program);

#endif
