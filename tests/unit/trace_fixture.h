/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up runs for tests of traces/: names built piece by piece, and a blocked matrix product whose issues look like a
 * machine's, without machine or program.
 */
#ifndef TSPSIM_TESTS_UNIT_TRACE_FIXTURE_H
#define TSPSIM_TESTS_UNIT_TRACE_FIXTURE_H

#include "traces/trace.h"

typedef struct fixture {
	GArray *queues, *epochs, *nodes, *insns; /* trace_queue, trace_epoch, trace_node, trace_insn */
	GStringChunk *strings;
	trace_names names;                   /* views of the arrays, by fixture_names() */
	GArray *issues;                      /* probe_issue, in the order a machine would report them */
	uint64_t *bank_requests, *bank_wait; /* [banks] */
	unsigned banks;
} fixture;

enum { FIXTURE_LOAD, FIXTURE_STORE, FIXTURE_LW, FIXTURE_IW, FIXTURE_ABC, FIXTURE_ACC, FIXTURE_RELU, FIXTURE_PERMUTE };

fixture *fixture_new(void);
void fixture_free(fixture *f);

/* Each returns the new id. */
unsigned fixture_queue(fixture *f, const char *unit, unsigned side, const char *format, ...) G_GNUC_PRINTF(4, 5);
uint32_t fixture_epoch(fixture *f, const char *name, int64_t start, int64_t stop);
uint32_t fixture_node(fixture *f, uint32_t epoch, const char *format, ...) G_GNUC_PRINTF(3, 4);
uint32_t fixture_insn(fixture *f, const trace_insn *insn);
/* Issues of INSN as planned, with the given latency, useful work an issue, and bank requests. */
void fixture_issue_all(fixture *f, uint32_t insn, int64_t latency, uint32_t work, uint16_t requests);

/* Call when all is added. */
const trace_names *fixture_names(fixture *f);

/* A matrix product of LAYERS layers, BLOCKS blocks each; STREAMS gives it the published chip's 144 queues in two
 * hemispheres, else the default machine's 36.  144 banks. */
fixture *fixture_gemm(unsigned layers, unsigned blocks, bool streams);

/* Pushes all issues through a probe into WRITER, with banks after every WINDOW cycles (0: only at the end), counters
 * and manifest, and closes it.  Returns trace_writer_close()'s answer. */
bool fixture_write(fixture *f, trace_writer *writer, int64_t window, GError **error);

/* A new empty directory, and removal with what is in it. */
char *fixture_folder(void);
void fixture_remove(char *folder); /* frees FOLDER */

/* The rows of SQL on the database at PATH, "a|b\n" each, or "error: ..."; g_free. */
char *fixture_rows(const char *path, const char *sql);

#endif
