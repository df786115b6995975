/* SPDX-License-Identifier: Apache-2.0
 *
 * The cursor of traces/ has one access after another; here they become groups of block numbers.  The access that begins
 * the next group is kept between batches.
 */
#include "tools/bank_trace.h"

#include <string.h>

#include "tools/tool.h"
#include "traces/access.h"

typedef struct trace_source {
	bank_source base;
	trace_reader *reader;
	trace_accesses *accesses;
	uint64_t block_bytes, memory_bytes;
	bool no_reads, no_writes;
	trace_access held; /* the first of the next group */
	bool holds, any;
	int64_t first, cycle; /* of group 0, of the next group */
} trace_source;

/* A number of the traced machine; 0 and an error when its manifest does not have it. */
static gint64 machine_number(const trace_reader *reader, const char *key, GError **error)
{
	g_autofree char *text = trace_machine_value(reader, key);
	gint64 value = 0;

	if (text && g_ascii_string_to_signed(text, 10, 1, INT64_MAX, &value, NULL))
		return value;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: its manifest does not say the machine's %s",
	            trace_reader_path(reader), key);
	return 0;
}

bool bank_trace_settings(const char *path, bank_settings *s, GError **error)
{
	trace_reader *reader = trace_reader_open(path, error);
	trace_accesses *accesses = reader ? trace_accesses_open(reader, error) : NULL; /* can it be evaluated? */
	gint64 banks, rows, block, port, ports;
	bool ok = false;

	if (accesses && (banks = machine_number(reader, "sram.banks", error)) &&
	    (rows = machine_number(reader, "sram.rows", error)) &&
	    (block = machine_number(reader, "sram.block_bytes", error)) &&
	    (port = machine_number(reader, "sram.port_bytes", error)) &&
	    (ports = machine_number(reader, "sram.ports", error))) {
		if (!s->block_bytes)
			s->block_bytes = block;
		if (!s->banks)
			s->banks = (gint)MIN(banks, G_MAXINT);
		if (!s->rows && s->block_bytes > 0)
			s->rows = MAX(rows * block / s->block_bytes, 1);
		if (!s->ports)
			s->ports = (gint)MIN(ports, G_MAXINT);
		if (!s->busy && s->block_bytes > 0)
			s->busy = (gint)MIN((s->block_bytes + port - 1) / port, G_MAXINT);
		if (!s->maps) {
			s->maps = g_new0(char *, 2);
			s->maps[0] = trace_machine_value(reader, "sram.map");
		}
		ok = true;
	}
	trace_accesses_free(accesses);
	trace_reader_free(reader);
	return ok;
}

/* Blocks of segment I: their number, 0 when it leaves the memory, and the first. */
static uint64_t segment_blocks(const trace_source *t, const trace_access *access, uint32_t i, uint64_t *first)
{
	int64_t start = trace_access_segment(access, i);
	uint64_t bytes = access->segment_bytes;

	if (!bytes || start < 0 || (uint64_t)start >= t->memory_bytes || bytes > t->memory_bytes - (uint64_t)start)
		return 0;
	*first = (uint64_t)start / t->block_bytes;
	return ((uint64_t)start + bytes - 1) / t->block_bytes - *first + 1;
}

static void add_access(const trace_source *t, const trace_access *access, bank_batch *batch)
{
	for (uint32_t i = 0; i < access->segments; i++) {
		uint64_t first = 0;
		uint64_t n = segment_blocks(t, access, i, &first);

		bank_batch_reserve(batch, 1, n);
		for (uint64_t b = 0; b < n; b++, batch->accesses++) {
			batch->blocks[batch->accesses] = first + b;
			batch->kinds[batch->accesses] = access->write ? BANK_WRITE : 0;
		}
	}
}

/* Takes the next access that is wanted into t->held. */
static void take(trace_source *t, GError **error)
{
	do
		t->holds = trace_accesses_next(t->accesses, &t->held, error);
	while (t->holds && (t->held.write ? t->no_writes : t->no_reads));
}

static void end_group(trace_source *t, bank_batch *batch)
{
	bank_batch_reserve(batch, 1, 0);
	batch->start[++batch->groups] = (uint32_t)batch->accesses;
	t->cycle++;
}

static bool trace_next(bank_source *source, bank_batch *batch, GError **error)
{
	trace_source *t = (trace_source *)source;
	GError *cause = NULL;

	if (!t->any) {
		take(t, &cause);
		if (!cause && !t->holds)
			g_set_error(&cause, TSP_ERROR, TSP_ERROR_USER, "%s: nothing to evaluate: it has no %s",
			            trace_reader_path(t->reader),
			            t->no_reads    ? "writes"
			            : t->no_writes ? "reads"
			                           : "accesses to the SRAM");
		t->any = true;
		t->first = t->cycle = t->held.cycle;
	}
	batch->has_kinds = true;
	while (!cause && t->holds && batch->accesses < BANK_BATCH_ACCESSES && batch->groups < BANK_BATCH_ACCESSES) {
		while (!cause && t->holds && t->held.cycle == t->cycle) {
			add_access(t, &t->held, batch);
			take(t, &cause);
		}
		end_group(t, batch);
	}
	if (cause)
		g_propagate_error(error, cause);
	return !cause && batch->groups > 0;
}

static bool trace_rewind(bank_source *source, GError **error)
{
	trace_source *t = (trace_source *)source;

	(void)error;
	trace_accesses_seek(t->accesses, INT64_MIN);
	t->any = t->holds = false;
	return true;
}

static void trace_free(bank_source *source)
{
	trace_source *t = (trace_source *)source;

	trace_accesses_free(t->accesses);
	trace_reader_free(t->reader);
	g_free(t);
}

bank_source *bank_trace_open(const char *path, uint64_t block_bytes, bool no_reads, bool no_writes, GError **error)
{
	trace_source *t = g_new0(trace_source, 1);
	g_autofree char *map = NULL;
	gint64 banks, rows, block;

	t->base = (bank_source){.next = trace_next, .rewind = trace_rewind, .free = trace_free, .name = g_strdup(path)};
	t->block_bytes = block_bytes;
	t->no_reads = no_reads;
	t->no_writes = no_writes;
	t->reader = trace_reader_open(path, error);
	t->accesses = t->reader ? trace_accesses_open(t->reader, error) : NULL;
	if (t->accesses && (banks = machine_number(t->reader, "sram.banks", error)) &&
	    (rows = machine_number(t->reader, "sram.rows", error)) &&
	    (block = machine_number(t->reader, "sram.block_bytes", error))) {
		bankmap *own;

		map = trace_machine_value(t->reader, "sram.map");
		own = bankmap_new(map ? map : "", (unsigned)banks, (uint64_t)rows, error);
		if (own) {
			t->memory_bytes = bankmap_capacity_blocks(own) * (uint64_t)block;
			bankmap_free(own);
			return &t->base;
		}
	}
	bank_source_free(&t->base);
	return NULL;
}

char *bank_trace_who(bank_source *source, uint64_t group, uint64_t lane)
{
	trace_source *t = (trace_source *)source;
	trace_access access;
	uint32_t insn = UINT32_MAX;
	uint64_t lanes = 0;

	if (source->next != trace_next)
		return NULL;
	trace_accesses_seek(t->accesses, t->first + (int64_t)group);
	while (lanes <= lane && trace_accesses_next(t->accesses, &access, NULL)) {
		if (access.write ? t->no_writes : t->no_reads)
			continue;
		insn = access.insn;
		for (uint32_t i = 0; i < access.segments; i++) {
			uint64_t first = 0;

			lanes += segment_blocks(t, &access, i, &first);
		}
	}
	return insn == UINT32_MAX ? NULL : trace_insn_text(t->reader, insn);
}
