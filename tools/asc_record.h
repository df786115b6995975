/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace of one Ascend-style run: opens the writer, hands reports on, and gives it manifest and counters.
 */
#ifndef TSPSIM_TOOLS_ASC_RECORD_H
#define TSPSIM_TOOLS_ASC_RECORD_H

#include "tools/asc_simulate.h"
#include "traces/ascend.h"

typedef struct asc_record asc_record;

asc_record *asc_record_open(const ascend_options *options, const asc_machine *sched, const asc_machine *hw,
                            const asc_program *program, GError **error);
void asc_record_free(asc_record *r); /* closed or not */
bool asc_record_wants_touches(const asc_record *r);
void asc_record_report(asc_record *r, const asc_report *report);
void asc_record_touch(asc_record *r, const asc_touch *touch);
void asc_record_violation(asc_record *r, const asc_violation *v);
void asc_record_deadlock(asc_record *r, const char *diagnosis);
void asc_record_totals(asc_record *r, asc_chip *chip, const asc_tally *tally, const ascend_result *result);
/* An error when something did not reach the file, or when the trace holds nothing of a run that did something. */
bool asc_record_close(asc_record *r, enum trace_status status, GError **error);
uint64_t asc_record_bytes(const asc_record *r); /* of the closed file */

#endif
