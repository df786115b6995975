/* SPDX-License-Identifier: Apache-2.0
 *
 * SIGINT and SIGTERM.  While a kernel runs they stop it after the present cycle, so that the trace is closed and
 * marked; at any other time, and when they come a second time, they end the process with status 130 and a word
 * on standard error.
 */
#ifndef TSPSIM_TOOLS_INTERRUPT_H
#define TSPSIM_TOOLS_INTERRUPT_H

#include <stdbool.h>

#include "sim/kernel.h"

void interrupt_install(void);
/* From now on signals stop KERNEL; NULL: they end the process again. */
void interrupt_watch(sim_kernel *kernel);
/* From now on the first signal is only noted, for work that asks interrupt_happened(); false: as before. */
void interrupt_defer(bool defer);
/* The end of what a signal must not cut off: one that came since interrupt_defer(true) ends the process now. */
void interrupt_resume(void);
/* A signal that ends the process takes the file PATH away first; it must stay valid.  NULL: none. */
void interrupt_removes(const char *path);
bool interrupt_happened(void);
/* What a report adds when work was ended before its budget was spent, by a signal or because its time was up, which
 * CAPPED says: "; interrupted", "; ended by the time limit", or "". */
const char *interrupt_ending(bool capped);

#endif
