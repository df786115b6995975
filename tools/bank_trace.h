/* SPDX-License-Identifier: Apache-2.0
 *
 * The accesses of a traced run as a source of groups.  A group is what is presented to the SRAM in one cycle: the block
 * requests of all accesses that issue in it, in the order in which the machine serves them (queue, then packed order of
 * the access), blocks that two segments touch asked for twice.  Cycles in which nothing is presented are empty groups
 * from the first access to the last one, so that time passes in the fifo model as it did in the run.
 * Left out, as in the machine: segments that leave the memory.  Not looked at: maps that buffers of the program have
 * for themselves; the evaluation puts all data under one map.
 */
#ifndef TSPSIM_TOOLS_BANK_TRACE_H
#define TSPSIM_TOOLS_BANK_TRACE_H

#include "bank/stream.h"
#include "tools/bank.h"

/* Gives SETTINGS that are 0 or NULL the values of the traced machine: banks, rows, block bytes, ports, busy, map. */
bool bank_trace_settings(const char *path, bank_settings *settings, GError **error);
/* The source of trace PATH in blocks of BLOCK_BYTES; reads or writes alone as asked. */
bank_source *bank_trace_open(const char *path, uint64_t block_bytes, bool no_reads, bool no_writes, GError **error);
/* Which instruction and tensor request LANE of GROUP belongs to; g_free.  NULL when SOURCE is no trace. */
char *bank_trace_who(bank_source *source, uint64_t group, uint64_t lane);

#endif
