/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace in the formats of other programs' viewers (docs/export.md): trace-event JSON for Perfetto, of both kinds of
 * machine; the output of Huawei's operator profiler (simulator and on-board tables), of Ascend-style machines.
 */
#ifndef TSPSIM_TRACES_EXPORT_H
#define TSPSIM_TRACES_EXPORT_H

#include "traces/read.h"

typedef struct trace_export_options {
	int64_t start, stop;   /* what begins in cycles start <= c < stop; start = stop = 0: everything */
	bool (*end_now)(void); /* folders: asked now and then, true gives the export up; NULL: goes to its end */
} trace_export_options;

typedef struct trace_export_counts {
	uint64_t files, slices, flows, counters; /* counters: values of them */
} trace_export_counts;

/* A way to export: PATH is a file, or a folder that is made where it does not exist.  What fails leaves
 * what was there. */
typedef struct trace_export_format {
	const char *name, *doc;
	bool folder;
	bool (*write)(trace_reader *reader, const char *path, const trace_export_options *options,
	              trace_export_counts *counts, GError **error);
} trace_export_format;
/* Where the file PATH grows until it is whole; g_free. */
char *trace_export_beside(const char *path);
extern const trace_export_format trace_export_formats[]; /* ended by a NULL name */

#endif
