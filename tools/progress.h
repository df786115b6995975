/* SPDX-License-Identifier: Apache-2.0
 *
 * Progress of long work: one line on stderr with share done and time left, when stderr is a terminal and --quiet is not
 * given.  Nothing is drawn in the first second.  Host time is used for display only.
 */
#ifndef TSPSIM_TOOLS_PROGRESS_H
#define TSPSIM_TOOLS_PROGRESS_H

#include <stdbool.h>

typedef struct progress progress;

/* One at a time; WHAT is kept. */
progress *progress_begin(const char *what);
bool progress_is_shown(void);                   /* would an update ever be drawn? */
void progress_update(void *p, double fraction); /* P is a progress; 0 to 1, NAN: nobody can tell */
void progress_end(progress *p);                 /* clears the line */

#endif
