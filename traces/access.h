/* SPDX-License-Identifier: Apache-2.0
 *
 * The accesses of a traced run, one by one, as a cursor: memory does not grow with the trace.  An access is an issue of
 * a load or store to the hashed memory: segments of bytes, in packed order.  What they cost in the run stands beside
 * them in table issue; here is where they went, so that another map or block size can be tried on them.
 */
#ifndef TSPSIM_TRACES_ACCESS_H
#define TSPSIM_TRACES_ACCESS_H

#include "traces/read.h"

typedef struct trace_access {
	int64_t cycle; /* issue; all accesses are presented the same number of cycles later */
	uint32_t insn, index;
	bool write;
	int64_t base; /* byte address that segments count from; may be outside the memory */
	int64_t pitch;
	uint32_t segments, segment_bytes;
	const uint8_t *offsets; /* little-endian 32-bit signed, of each segment; NULL: by pitch.  Until the next one */
} trace_access;

/* Byte address at which segment I begins. */
static inline int64_t trace_access_segment(const trace_access *access, uint32_t i)
{
	const uint8_t *o = access->offsets ? access->offsets + 4 * (size_t)i : NULL;

	if (!o)
		return access->base + (int64_t)i * access->pitch;
	return access->base + (int32_t)(o[0] | (uint32_t)o[1] << 8 | (uint32_t)o[2] << 16 | (uint32_t)o[3] << 24);
}

typedef struct trace_accesses trace_accesses;

/* The accesses of READER, which must live longer, in order of cycle, then queue.  Refuses traces below level full, of
 * machines without a hashed memory, and without a table of accesses. */
trace_accesses *trace_accesses_open(trace_reader *reader, GError **error);
/* False at the end, and on an error (then *error is set). */
bool trace_accesses_next(trace_accesses *accesses, trace_access *access, GError **error);
/* Begins anew, with the accesses issued in cycles FIRST and later. */
void trace_accesses_seek(trace_accesses *accesses, int64_t first);
void trace_accesses_free(trace_accesses *accesses); /* NULL is fine */

/* What instruction INSN is: "loads (i12, tensor A of layer conv1)"; g_free. */
char *trace_insn_text(trace_reader *reader, uint32_t insn);
/* The value that KEY had in the machine that the run simulated, without its unit: "mod:139"; g_free.  NULL when the
 * manifest does not say. */
char *trace_machine_value(const trace_reader *reader, const char *key);

#endif
