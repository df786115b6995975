/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer of issues as a virtual table of the writer's own connection, so that one statement, INSERT INTO issue SELECT
 * FROM it, stores the buffer.  Twice as fast as binding and stepping an INSERT for each row.
 */
#include "traces/trace_impl.h"

typedef struct cursor {
	sqlite3_vtab_cursor base; /* must be first */
	const trace_issue_source *source;
	size_t next;
} cursor;

typedef struct table {
	sqlite3_vtab base; /* must be first */
	const trace_issue_source *source;
} table;

/* Columns in the order of table issue. */
static int issue_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	table *t = sqlite3_malloc(sizeof *t);

	(void)argc;
	(void)argv;
	(void)message;
	if (!t)
		return SQLITE_NOMEM;
	*t = (table){.source = aux};
	*out = &t->base;
	return sqlite3_declare_vtab(
		db, "CREATE TABLE batch (cycle, insn, idx, arrival, latency, beats, requests, delayed, delay, work)");
}

static int issue_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int issue_best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedRows = TRACE_BATCH_ISSUES;
	info->estimatedCost = TRACE_BATCH_ISSUES;
	return SQLITE_OK;
}

static int issue_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	cursor *c = sqlite3_malloc(sizeof *c);

	if (!c)
		return SQLITE_NOMEM;
	*c = (cursor){.source = ((table *)t)->source};
	*out = &c->base;
	return SQLITE_OK;
}

static int issue_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

/* Skips what lies outside the window. */
static void settle(cursor *c)
{
	while (c->next < c->source->count && (c->source->records[c->next].cycle < c->source->start ||
	                                      c->source->records[c->next].cycle >= c->source->stop))
		c->next++;
}

static int issue_filter(sqlite3_vtab_cursor *base, int index, const char *text, int argc, sqlite3_value **argv)
{
	cursor *c = (cursor *)base;

	(void)index;
	(void)text;
	(void)argc;
	(void)argv;
	c->next = 0;
	settle(c);
	return SQLITE_OK;
}

static int issue_next(sqlite3_vtab_cursor *base)
{
	cursor *c = (cursor *)base;

	c->next++;
	settle(c);
	return SQLITE_OK;
}

static int issue_eof(sqlite3_vtab_cursor *base)
{
	return ((cursor *)base)->next >= ((cursor *)base)->source->count;
}

/* TIME as cycles after the issue, NULL when there is none. */
static void result_after(sqlite3_context *context, int64_t time, int64_t cycle)
{
	if (time != PROBE_NO_TIME)
		sqlite3_result_int64(context, time - cycle);
}

static int issue_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const cursor *c = (const cursor *)base;
	const probe_issue *r = &c->source->records[c->next];

	switch (column) {
	case 0:
		sqlite3_result_int64(context, r->cycle);
		break;
	case 1:
		sqlite3_result_int64(context, r->insn);
		break;
	case 2:
		sqlite3_result_int64(context, r->index);
		break;
	case 3:
		result_after(context, MAX(MAX(r->arrival[0], r->arrival[1]), r->arrival[2]), r->cycle);
		break;
	case 4:
		result_after(context, r->result, r->cycle);
		break;
	case 5:
		sqlite3_result_int(context, r->beats);
		break;
	case 6:
		sqlite3_result_int(context, r->requests);
		break;
	case 7:
		sqlite3_result_int(context, r->delayed);
		break;
	case 8:
		sqlite3_result_int64(context, r->delay);
		break;
	default:
		sqlite3_result_int64(context, r->work);
		break;
	}
	return SQLITE_OK;
}

static int issue_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((cursor *)base)->next;
	return SQLITE_OK;
}

/* No xCreate: the table exists by itself and is not part of the schema. */
static const sqlite3_module issue_module = {
	.xConnect = issue_connect,
	.xBestIndex = issue_best_index,
	.xDisconnect = issue_disconnect,
	.xOpen = issue_open,
	.xClose = issue_close,
	.xFilter = issue_filter,
	.xNext = issue_next,
	.xEof = issue_eof,
	.xColumn = issue_column,
	.xRowid = issue_rowid,
};

bool trace_i_issue_table(sqlite3 *db, const char *path, trace_issue_source *source, GError **error)
{
	if (sqlite3_create_module(db, "batch", &issue_module, source) == SQLITE_OK)
		return true;
	trace_i_sqlite_error(db, path, error);
	return false;
}
