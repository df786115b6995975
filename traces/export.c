/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats that traces are exported to, and what their writers share.
 */
#include "traces/export_int.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

const trace_export_format trace_export_formats[] = {
	{"perfetto", "trace-event JSON for ui.perfetto.dev", false, trace_i_export_perfetto},
	{"msprof", "output of msprof op simulator, and tables of msprof op, for MindStudio Insight", true,
         trace_i_export_msprof},
	{NULL, NULL, false, NULL},
};

/* ---- files ---- */

static void file_error(const char *path, int cause, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, g_strerror(cause));
}

/* A file is written beside its place, so that what fails or is cut off leaves what was there; what is no regular file
 * is written itself. */
bool trace_i_export_open(export_file *f, const char *path, GError **error)
{
	bool itself = g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR);

	*f = (export_file){.path = g_strdup(path), .beside = itself ? NULL : trace_export_beside(path)};
	f->file = fopen(f->beside ? f->beside : path, "w");
	if (f->file)
		return true;
	file_error(path, errno, error);
	g_free(f->beside);
	g_free(f->path);
	return false;
}

char *trace_export_beside(const char *path)
{
	return g_strconcat(path, ".part", NULL);
}

void trace_i_export_put(export_file *f, const char *text)
{
	if (!f->failure && fputs(text, f->file) == EOF)
		f->failure = errno;
}

void trace_i_export_event(export_file *f, const char *event)
{
	if (!f->failure && f->end_now && f->end_now())
		f->failure = EINTR;
	trace_i_export_put(f, f->lines++ ? ",\n" : "\n");
	trace_i_export_put(f, event);
}

static bool close_file(export_file *f, bool keep, GError **error)
{
	bool fine;

	if (fclose(f->file) != 0 && !f->failure)
		f->failure = errno;
	if (f->beside && keep && !f->failure && g_rename(f->beside, f->path) != 0)
		f->failure = errno;
	fine = f->failure == 0;
	if (!fine)
		file_error(f->path, f->failure, error);
	if (f->beside && !(fine && keep))
		g_unlink(f->beside);
	g_free(f->beside);
	g_free(f->path);
	return fine;
}

bool trace_i_export_close(export_file *f, GError **error)
{
	return close_file(f, true, error);
}

void trace_i_export_drop(export_file *f)
{
	close_file(f, false, NULL);
}

bool trace_i_export_some(const trace_reader *reader, const trace_export_options *o, uint64_t slices, GError **error)
{
	const char *window = trace_reader_manifest(reader, "trace.window");

	if (slices)
		return true;
	if (o->start == o->stop)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: nothing to export: nothing was executed",
		            trace_reader_path(reader));
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: nothing to export: nothing begins in cycles %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT
		            "%s%s%s",
		            trace_reader_path(reader), o->start, o->stop, window ? "; the trace has those of " : "",
		            window ? window : "", window ? " only" : "");
	return false;
}

bool trace_i_export_folder(const char *path, GError **error)
{
	if (g_mkdir_with_parents(path, 0777) == 0)
		return true;
	file_error(path, errno, error);
	return false;
}

/* ---- texts ---- */

void trace_i_json_text(GString *out, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	g_string_append_c(out, '"');
	for (const char *c = valid; *c; c++)
		if (*c == '"' || *c == '\\')
			g_string_append_printf(out, "\\%c", *c);
		else if ((unsigned char)*c < 0x20)
			g_string_append_printf(out, "\\u%04x", *c);
		else
			g_string_append_c(out, *c);
	g_string_append_c(out, '"');
}

void trace_i_json_pair(GString *out, const char *key, const char *value)
{
	g_string_append_printf(out, "\"%s\":", key);
	trace_i_json_text(out, value);
}

void trace_i_csv_text(GString *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		g_string_append(out, text);
		return;
	}
	g_string_append_c(out, '"');
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *c);
	}
	g_string_append_c(out, '"');
}

/* ---- the trace ---- */

bool trace_i_export_rows(trace_reader *reader, const char *sql, int64_t parameter, export_row row, void *state,
                         GError **error)
{
	sqlite3_stmt *query = trace_i_prepare(reader->db, reader->path, sql, error);
	int result = SQLITE_DONE;

	if (!query)
		return false;
	if (sqlite3_bind_parameter_count(query))
		sqlite3_bind_int64(query, 1, parameter);
	while ((result = sqlite3_step(query)) == SQLITE_ROW && row(state, query))
		;
	if (result != SQLITE_DONE && result != SQLITE_ROW)
		trace_i_sqlite_error(reader->db, reader->path, error);
	sqlite3_finalize(query);
	return result == SQLITE_DONE;
}

bool trace_i_is_ascend(const trace_reader *reader)
{
	const char *kind = trace_reader_manifest(reader, "kind");

	return kind && strcmp(kind, "ascend") == 0;
}

bool trace_i_export_level(const trace_reader *reader, const char *what, int least, GError **error)
{
	int level = trace_i_reader_level(reader);

	if (level >= least)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: a trace of level %s; %s needs level %s",
	            trace_reader_path(reader), level < 0 ? "unknown" : trace_level_names[level], what,
	            trace_level_names[least]);
	return false;
}

/* ---- executions ---- */

typedef struct waiting {
	int64_t pipe, insn, stop, start;
} waiting;

/* Two cursors in one order: executions, and the waits that their starts ended. */
typedef struct cursors {
	sqlite3_stmt *waits;
	bool more;     /* has the query of waits a row left? */
	GArray *group; /* waiting: those of one pipe and cycle */
	int64_t pipe, stop;
	export_execution_fn each;
	void *state;
} cursors;

static void take_wait(cursors *c)
{
	waiting w = {sqlite3_column_int64(c->waits, 0), sqlite3_column_int64(c->waits, 1),
	             sqlite3_column_int64(c->waits, 2), sqlite3_column_int64(c->waits, 3)};

	g_array_append_val(c->group, w);
	c->more = sqlite3_step(c->waits) == SQLITE_ROW;
}

/* Moves to the waits of (PIPE, STOP). */
static void seek(cursors *c, int64_t pipe, int64_t stop)
{
	if (c->pipe == pipe && c->stop == stop)
		return;
	c->pipe = pipe;
	c->stop = stop;
	g_array_set_size(c->group, 0);
	while (c->more) {
		int64_t p = sqlite3_column_int64(c->waits, 0), s = sqlite3_column_int64(c->waits, 2);

		if (p > pipe || (p == pipe && s > stop))
			return;
		if (p == pipe && s == stop)
			take_wait(c);
		else
			c->more = sqlite3_step(c->waits) == SQLITE_ROW;
	}
}

static bool is_sync(const char *op)
{
	switch (asc_op_by_name(op)) {
	case ASC_OP_SETFLAG:
	case ASC_OP_WAITFLAG:
	case ASC_OP_BARRIER:
	case ASC_OP_SETCROSS:
	case ASC_OP_WAITCROSS:
	case ASC_OP_SETWORD:
	case ASC_OP_WAITWORD:
		return true;
	default:
		return false;
	}
}

static bool execution_row(void *state, sqlite3_stmt *row)
{
	cursors *c = state;
	export_execution e = {.pipe = sqlite3_column_int64(row, 0),
	                      .subcore = sqlite3_column_int64(row, 1),
	                      .kind = (enum asc_pipe)(sqlite3_column_int64(row, 0) % TRACE_ASC_PIPE_STEP),
	                      .start = sqlite3_column_int64(row, 2),
	                      .bytes = sqlite3_column_int64(row, 6),
	                      .work = sqlite3_column_int64(row, 7),
	                      .insn = sqlite3_column_int64(row, 8),
	                      .stream = sqlite3_column_int64(row, 9),
	                      .number = sqlite3_column_int64(row, 10),
	                      .op = (const char *)sqlite3_column_text(row, 11),
	                      .text = (const char *)sqlite3_column_text(row, 12),
	                      .node = (const char *)sqlite3_column_text(row, 13),
	                      .block = sqlite3_column_int64(row, 14)};

	e.free = e.start + sqlite3_column_int64(row, 3);
	e.done = e.start + sqlite3_column_int64(row, 4);
	e.queued = e.start - sqlite3_column_int64(row, 5);
	e.ready = e.start;
	e.sync = is_sync(e.op);
	seek(c, e.pipe, e.start);
	for (guint i = 0; i < c->group->len; i++)
		if (g_array_index(c->group, waiting, i).insn == e.insn)
			e.ready = g_array_index(c->group, waiting, i).start;
	c->each(c->state, &e);
	return true;
}

bool trace_i_executions(trace_reader *reader, int64_t subcore, export_execution_fn each, void *state, GError **error)
{
	cursors c = {.pipe = -1, .each = each, .state = state};
	bool fine;

	c.waits = trace_i_prepare(reader->db, reader->path,
	                          "SELECT pipe, insn, stop, start FROM wait ORDER BY pipe, stop, insn, rowid", error);
	if (!c.waits)
		return false;
	c.more = sqlite3_step(c.waits) == SQLITE_ROW;
	c.group = g_array_new(FALSE, FALSE, sizeof(waiting));
	fine = trace_i_export_rows(
		reader,
		"SELECT e.pipe, p.subcore, e.start, e.free, e.done, e.queued, e.bytes, e.work, i.id, i.stream, "
		"i.number, o.text, i.text, d.name, e.block FROM execution e JOIN pipe p ON p.id = e.pipe "
		"JOIN insn i ON i.id = e.insn JOIN name o ON o.id = i.op LEFT JOIN nodes d ON d.id = i.node "
		"WHERE ?1 < 0 OR p.subcore = ?1 ORDER BY e.pipe, e.start, e.id",
		subcore, execution_row, &c, error);
	g_array_free(c.group, TRUE);
	sqlite3_finalize(c.waits);
	return fine;
}

typedef struct flows {
	export_flow_fn each;
	void *state;
} flows;

static bool flow_row(void *state, sqlite3_stmt *row)
{
	flows *f = state;
	export_flow flow = {.from_pipe = sqlite3_column_int64(row, 0),
	                    .from_insn = sqlite3_column_int64(row, 1),
	                    .from_start = sqlite3_column_int64(row, 2),
	                    .from_done = sqlite3_column_int64(row, 3),
	                    .to_pipe = sqlite3_column_int64(row, 4),
	                    .to_insn = sqlite3_column_int64(row, 5),
	                    .to_start = sqlite3_column_int64(row, 6),
	                    .to_done = sqlite3_column_int64(row, 7),
	                    .cross = strcmp((const char *)sqlite3_column_text(row, 8), "cross") == 0};

	f->each(f->state, &flow);
	return true;
}

bool trace_i_flows(trace_reader *reader, export_flow_fn each, void *state, GError **error)
{
	flows f = {each, state};

	return trace_i_export_rows(
		reader,
		"SELECT w.setter_pipe, w.setter, w.issued, w.issued + s.done, w.pipe, w.insn, w.stop, w.stop + t.done, "
		"c.text FROM wait w JOIN execution s ON s.pipe = w.setter_pipe AND s.start = w.issued AND "
		"s.insn = w.setter JOIN execution t ON t.pipe = w.pipe AND t.start = w.stop AND t.insn = w.insn "
		"JOIN name c ON c.id = w.cause GROUP BY w.rowid ORDER BY w.stop, w.pipe, w.insn, w.rowid",
		0, flow_row, &f, error);
}

char *trace_i_core_name(int64_t core, int64_t sub, const char *kind)
{
	if (strcmp(kind, "vector") == 0)
		return g_strdup_printf("core%" G_GINT64_FORMAT ".veccore%" G_GINT64_FORMAT, core, sub - 1);
	if (strcmp(kind, "cube") == 0)
		return g_strdup_printf("core%" G_GINT64_FORMAT ".cubecore%" G_GINT64_FORMAT, core, sub);
	return g_strdup_printf("core%" G_GINT64_FORMAT, core);
}
