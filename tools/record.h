/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace of one run: opens the writer, gives it the manifest, the banks' counters on the way and all counters at the
 * end.
 */
#ifndef TSPSIM_TOOLS_RECORD_H
#define TSPSIM_TOOLS_RECORD_H

#include "models/tsp/chip.h"
#include "tools/simulate.h"
#include "traces/trace.h"

typedef struct record record;

/* Before long work: are level and window legal? */
bool record_check(const char *level, const char *window, GError **error);
/* What --trace-level and --trace-window (NULL: none) mean. */
bool record_parse(const char *level, const char *window, trace_options *parsed, GError **error);

/* Before the run of PROGRAM: false, and an error, when nothing can lie in the window.  Only what has predictions and
 * cannot slip is known that far. */
bool record_window(const simulate_options *options, const isa_program *program, GError **error);

/* Of a run: OK, it could be made; STOPPED, it ended before its program did. */
enum trace_status record_status(bool ok, bool stopped, bool interrupted);
/* What a run's error is when closing its trace failed, too, with FAILURE, which is taken: the first one.  OK: was there
 * none before? */
void record_failed(bool ok, GError *failure, GError **error);

/* An existing file that is no trace is refused. */
record *record_open(const simulate_options *options, const isa_machine *sched, const isa_machine *hw,
                    const isa_program *program, GError **error);
void record_free(record *r); /* closed or not */

void record_listen(record *r, probe *p);
/* Everything before CYCLE has been simulated. */
void record_step(record *r, tsp_chip *chip, int64_t cycle);
/* At the end of the run.  COMPARED may be NULL. */
void record_totals(record *r, tsp_chip *chip, const compare *compared, enum report_checked checked);
/* An error when something did not reach the file, or when the trace would hold nothing, and then there is none. */
bool record_close(record *r, enum trace_status status, GError **error);
void record_drop(const char *path);     /* takes a trace without content away */
uint64_t record_bytes(const record *r); /* of the closed file */

#endif
