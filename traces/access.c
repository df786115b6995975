/* SPDX-License-Identifier: Apache-2.0
 *
 * One statement over the issues in order of cycle, by the index that a closed trace has; SQLite sorts no more than the
 * issues of one cycle.  A trace whose run was killed lacks the index and is sorted in a temporary file.
 */
#include "traces/access.h"

#include <string.h>

#include "traces/query.h"

struct trace_accesses {
	trace_reader *reader;
	sqlite3_stmt *query;
};

/* CROSS JOIN keeps the order of the loops. */
static const char accesses_sql[] =
	"SELECT s.cycle, s.insn, s.idx, a.write,"
	" a.addr + (s.idx % i.count0) * a.step0 + (s.idx / i.count0) * a.step1, a.pitch, a.segments, a.bytes, "
	"o.offsets "
	"FROM issue s CROSS JOIN access a ON a.insn = s.insn CROSS JOIN insn i ON i.id = s.insn "
	"LEFT JOIN access_offsets o ON o.insn = s.insn AND o.idx = s.idx "
	"WHERE s.cycle >= ?1 ORDER BY s.cycle, i.queue";

static bool has_table(const trace_reader *reader)
{
	sqlite3_stmt *query = trace_i_prepare(reader->db, reader->path,
	                                      "SELECT 1 FROM sqlite_schema WHERE name = 'access_offsets'", NULL);
	bool found = query && sqlite3_step(query) == SQLITE_ROW;

	sqlite3_finalize(query);
	return found;
}

static bool check(trace_reader *reader, GError **error)
{
	g_autofree char *map = trace_machine_value(reader, "sram.map");
	const char *machine = trace_reader_manifest(reader, "machine");
	const char *level = trace_reader_manifest(reader, "trace.level");

	if (strcmp(trace_reader_kind(reader), "tsp") != 0)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: a trace of machine %s, which has no bank map that another one could replace; trace a "
		            "run on a "
		            "machine with hashed SRAM, such as tsp",
		            reader->path, machine ? machine : "?");
	else if (map && strcmp(map, "direct") == 0)
		g_set_error(
			error, TSP_ERROR, TSP_ERROR_USER,
			"%s: machine %s has no bank map: slice, bank and word stand in its instructions, so there is "
			"nothing that another map could change; trace a run on a machine with hashed SRAM, such as tsp",
			reader->path, machine ? machine : "?");
	else if (trace_i_reader_level(reader) < TRACE_FULL)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: accesses are in traces of level full; this one has %s", reader->path,
		            level ? level : "summary");
	else if (!has_table(reader))
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: an earlier version wrote this trace, without the addresses of accesses; run it again",
		            reader->path);
	else
		return true;
	return false;
}

trace_accesses *trace_accesses_open(trace_reader *reader, GError **error)
{
	trace_accesses *a;
	sqlite3_stmt *query;

	if (!check(reader, error))
		return NULL;
	query = trace_i_prepare(reader->db, reader->path, accesses_sql, error);
	if (!query)
		return NULL;
	a = g_new0(trace_accesses, 1);
	a->reader = reader;
	a->query = query;
	trace_accesses_seek(a, INT64_MIN);
	return a;
}

/* A damaged or edited trace must not lead outside of the offsets. */
static bool offsets_suffice(const trace_accesses *a, const trace_access *access, int bytes, GError **error)
{
	bool indexed = sqlite3_column_type(a->query, 5) == SQLITE_NULL;

	if (!indexed || (uint64_t)bytes == 4 * (uint64_t)access->segments)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "%s: issue %" G_GUINT32_FORMAT " of instruction %" G_GUINT32_FORMAT
	            " has offsets of %d segments, not "
	            "of %" G_GUINT32_FORMAT,
	            a->reader->path, access->index, access->insn, bytes / 4, access->segments);
	return false;
}

bool trace_accesses_next(trace_accesses *a, trace_access *access, GError **error)
{
	int result = sqlite3_step(a->query);

	if (result == SQLITE_DONE)
		return false;
	if (result != SQLITE_ROW) {
		trace_i_sqlite_error(a->reader->db, a->reader->path, error);
		return false;
	}
	*access = (trace_access){
		.cycle = sqlite3_column_int64(a->query, 0),
		.insn = (uint32_t)sqlite3_column_int64(a->query, 1),
		.index = (uint32_t)sqlite3_column_int64(a->query, 2),
		.write = sqlite3_column_int(a->query, 3) != 0,
		.base = sqlite3_column_int64(a->query, 4),
		.pitch = sqlite3_column_int64(a->query, 5),
		.segments = (uint32_t)sqlite3_column_int64(a->query, 6),
		.segment_bytes = (uint32_t)sqlite3_column_int64(a->query, 7),
		.offsets = sqlite3_column_blob(a->query, 8),
	};
	return offsets_suffice(a, access, sqlite3_column_bytes(a->query, 8), error);
}

void trace_accesses_seek(trace_accesses *a, int64_t first)
{
	sqlite3_reset(a->query);
	sqlite3_bind_int64(a->query, 1, first);
}

void trace_accesses_free(trace_accesses *a)
{
	if (!a)
		return;
	sqlite3_finalize(a->query);
	g_free(a);
}

char *trace_insn_text(trace_reader *reader, uint32_t insn)
{
	sqlite3_stmt *query = trace_i_prepare(reader->db, reader->path,
	                                      "SELECT i.op || ' (i' || i.id || coalesce(', tensor ' || i.tensor, '')"
	                                      " || coalesce(' of ' || i.epoch, '') || ')' FROM insns i WHERE i.id = ?1",
	                                      NULL);
	char *text = NULL;

	if (query) {
		sqlite3_bind_int64(query, 1, insn);
		if (sqlite3_step(query) == SQLITE_ROW)
			text = g_strdup((const char *)sqlite3_column_text(query, 0));
		sqlite3_finalize(query);
	}
	return text ? text : g_strdup_printf("i%" G_GUINT32_FORMAT, insn);
}

char *trace_machine_value(const trace_reader *reader, const char *key)
{
	const char *text = trace_reader_manifest(reader, "machine_hw");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit(*line, " ", 4); /* key = value rest */

		if (words[0] && words[1] && words[2] && strcmp(words[0], key) == 0 && strcmp(words[1], "=") == 0)
			return g_strdup(words[2]);
	}
	return NULL;
}
