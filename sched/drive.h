/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the same for every back end: search, and emit what was found.
 */
#ifndef TSPSIM_SCHED_DRIVE_H
#define TSPSIM_SCHED_DRIVE_H

#include "isa/error.h"
#include "sched/sched.h"

/* A back end, whose programs are of a type of its own. */
typedef struct sched_back_end {
	/* All of GRAPHS for MACHINE; NULL and an error where that cannot be.  Called from several threads at a time. */
	gpointer (*compile)(GPtrArray *graphs, const void *machine, const sched_options *options, sched_report *report,
	                    GError **error);
	void (*free)(gpointer program); /* takes NULL */
	int64_t (*cycles)(gconstpointer program);
} sched_back_end;

/* Searches (sched_wants_search() says whether that is wanted) and emits the program found, with the search in REPORT;
 * NULL and ERROR. */
gpointer sched_drive(const sched_back_end *back_end, GPtrArray *graphs, const void *machine, const char *machine_name,
                     const sched_options *options, sched_report *report, GError **error);

#endif
