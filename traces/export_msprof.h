/* SPDX-License-Identifier: Apache-2.0
 *
 * What reading a trace for msprof (export_msprof.c) and writing its timelines and tables (export_msprof_files.c) share.
 */
#ifndef TSPSIM_TRACES_EXPORT_MSPROF_H
#define TSPSIM_TRACES_EXPORT_MSPROF_H

#include "traces/export_int.h"

/* Lanes in the viewer's order. */
enum {
	LANE_SCALAR,
	LANE_FLOWCTRL,
	LANE_MTE1,
	LANE_CUBE,
	LANE_FIXP,
	LANE_MTE2,
	LANE_VECTOR,
	LANE_MTE3,
	LANE_SCALARLDST,
	LANE_ALL,
	LANES
};
extern const char *const trace_i_msprof_lanes[LANES];

/* One instruction of the program on one sub-core, all executions. */
typedef struct instruction {
	int64_t insn, address;
	int lane, op;
	char *name, *detail, *node;
	int64_t calls, cycles, running; /* running: cycles in which one was under way */
	int64_t until;
} instruction;

typedef struct event {
	int64_t start, stop, bytes;
	uint32_t instruction;
	int32_t flow; /* of flags: number of the pair, -1 */
} event;

typedef struct core {
	char *name;
	int64_t id;
	GArray *instruction; /* instruction */
	GHashTable *known;   /* insn * 16 + pipe + 1 -> index + 1 */
	GArray *event;       /* event, by pipe and start, then by end */
	GHashTable *code;    /* node -> code */
	GArray *codes;       /* code */
} core;

typedef struct code {
	const char *name;
	GArray *intervals; /* int64_t pairs */
	int64_t calls, cycles, running;
} code;

typedef struct msprof {
	trace_reader *reader;
	const trace_export_options *options;
	trace_export_counts *counts;
	int64_t clock_hz;
	GPtrArray *cores; /* core */
	core *now;
	int64_t pipe, ended; /* work of a pipe so far */
} msprof;

/* simulator/trace.json and, of each sub-core, its timeline and tables, in FOLDER.  Sorts the instructions. */
bool trace_i_msprof_write(msprof *m, const char *folder, GError **error);

#endif
