/* SPDX-License-Identifier: Apache-2.0
 *
 * What each pipe of an Ascend-style chip did, and what was predicted for it, from the models' reports: instructions,
 * first and last cycle, and of the first execution of every instruction with predicted times by each sub-core, how
 * long the pipe would be busy and is.  A pipe is busy from start to done of its instructions; flags and barriers are
 * counted, but make no pipe busy.  When it is not, it waits for what its next instruction waits for, in the predicted
 * times as in the simulated ones: differences between the two have a pipe and a cause.
 */
#ifndef TSPSIM_TOOLS_ASC_TALLY_H
#define TSPSIM_TOOLS_ASC_TALLY_H

#include "models/ascend/chip.h"

/* What an idle pipe waits for. */
enum asc_tally_wait {
	ASC_TALLY_FLAG,  /* of another pipe */
	ASC_TALLY_CROSS, /* another sub-core: the scalar unit */
	ASC_TALLY_ISSUE, /* something to do: the scalar unit has not come so far, or L0C is not handed over */
	ASC_TALLY_WAITS
};
const char *asc_tally_wait_name(enum asc_tally_wait wait);

typedef struct asc_tally_pipe {
	uint64_t instructions;
	int64_t start, stop;       /* of the first; when the last was done */
	uint64_t compared, differ; /* executions with predicted times; of them other than predicted */
	int64_t predicted_busy, compared_busy, predicted_start, predicted_stop;
	int64_t predicted_until, compared_until; /* busy up to here */
	int64_t predicted_wait[ASC_TALLY_WAITS], compared_wait[ASC_TALLY_WAITS];
	int64_t predicted_cursor, compared_cursor; /* busy, or waits are known, up to here */
	/* How much longer instructions took than predicted, by what held them up; NONE: by nothing that is counted. */
	int64_t longer[ASC_STALLS];
} asc_tally_pipe;

/* The execution that missed its prediction first, by its own time. */
typedef struct asc_tally_miss {
	uint32_t core, sub, stream, insn;
	int64_t predicted, simulated; /* starts; or, where these agree, ends */
	bool end;
} asc_tally_miss;

typedef struct asc_tally asc_tally;

asc_tally *asc_tally_new(const asc_machine *machine, const asc_program *program);
void asc_tally_free(asc_tally *t); /* NULL is fine */
/* Before the first report: blocks begin at these cycles; nobody waits for anything before. */
void asc_tally_begin(asc_tally *t, int64_t predicted, int64_t simulated);
void asc_tally_add(asc_tally *t, const asc_report *r);

const asc_tally_pipe *asc_tally_at(const asc_tally *t, uint32_t core, uint32_t sub, enum asc_pipe pipe);
uint64_t asc_tally_executed(const asc_tally *t);
uint64_t asc_tally_compared(const asc_tally *t);
uint64_t asc_tally_differ(const asc_tally *t);
const asc_tally_miss *asc_tally_first_miss(const asc_tally *t); /* NULL: none */

/* Flags, counters and barriers. */
bool asc_tally_is_sync(enum asc_op op);
uint32_t asc_tally_cores(const asc_machine *machine, const asc_program *program); /* that run blocks */

#endif
