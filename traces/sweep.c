/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing the results of a sweep.
 *
 * A rollback journal, and not a write-ahead log, since tasks of a cluster leave their databases on shared file systems,
 * where the latter does not work.  The lock that keeps a second process out stands on bytes of the file that SQLite
 * does not use, and belongs to the open file, so it goes with its process and leaves nothing behind.
 */
#define _GNU_SOURCE
#include "traces/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/trace_impl.h"

struct trace_sweep {
	char *path;
	const trace_sweep_plan *plan;
	sqlite3 *db;
	bool unborn;   /* it is new, and could not be made */
	int lock;      /* descriptor; closed after the database: closing it earlier would drop SQLite's own locks */
	char **places; /* [outputs]: SQLite's JSON paths */
	sqlite3_stmt *extract, *add_outcome, *add_result, *add_wall;
};

/* ---- one holder ---- */

static bool take_lock(trace_sweep *sweep, GError **error)
{
	/* SQLite's own lock bytes are at 1 GiB. */
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};

	sweep->lock = open(sweep->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (sweep->lock < 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", sweep->path, g_strerror(errno));
		return false;
	}
	if (fcntl(sweep->lock, F_OFD_SETLK, &whole) == 0)
		return true;
	if (errno == EAGAIN || errno == EACCES)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: another tspsim sweep is at work on it", sweep->path);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: cannot be locked: %s", sweep->path, g_strerror(errno));
	return false;
}

/* ---- what a file is ---- */

/* The one value of a query, g_free; NULL when there is none. */
static char *ask_text(trace_sweep *sweep, const char *sql)
{
	sqlite3_stmt *query = trace_i_prepare(sweep->db, sweep->path, sql, NULL);
	char *text = NULL;

	if (query && sqlite3_step(query) == SQLITE_ROW)
		text = g_strdup((const char *)sqlite3_column_text(query, 0));
	sqlite3_finalize(query);
	return text;
}

static int64_t ask_number(trace_sweep *sweep, const char *sql)
{
	g_autofree char *text = ask_text(sweep, sql);

	return text ? g_ascii_strtoll(text, NULL, 10) : -1;
}

/* Is the database, under SCHEMA ("main" or that of an attached file), without tables: new, or left while it was made?
 */
static bool is_unborn(trace_sweep *sweep, const char *schema)
{
	g_autofree char *tables = g_strdup_printf("SELECT count(*) FROM %s.sqlite_schema", schema);
	g_autofree char *id = g_strdup_printf("PRAGMA %s.application_id", schema);

	return ask_number(sweep, tables) == 0 && ask_number(sweep, id) == 0;
}

/* Is KEY's value in table run of SCHEMA the one of this plan? */
static bool has_value(trace_sweep *sweep, const char *schema, const char *key, const char *value)
{
	g_autofree char *sql = g_strdup_printf("SELECT value FROM %s.run WHERE key = '%s'", schema, key);
	g_autofree char *found = ask_text(sweep, sql);

	return g_strcmp0(found, value) == 0;
}

static void fail_other(const char *path, GError **error)
{
	g_clear_error(error);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: not the database of a sweep; it is left as it is", path);
}

/* Does SCHEMA, read from PATH, hold this plan's sweep? */
static bool check_same(trace_sweep *sweep, const char *schema, const char *path, GError **error)
{
	g_autofree char *id = g_strdup_printf("PRAGMA %s.application_id", schema);
	g_autofree char *format = g_strdup_printf("PRAGMA %s.user_version", schema);
	const trace_sweep_plan *plan = sweep->plan;

	if (ask_number(sweep, id) != TRACE_SWEEP_APPLICATION_ID)
		fail_other(path, error);
	else if (ask_number(sweep, format) != TRACE_SWEEP_FORMAT)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: sweep format %d; this program has format %d", path,
		            (int)ask_number(sweep, format), TRACE_SWEEP_FORMAT);
	else if (!has_value(sweep, schema, "version", plan->version))
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: begun by another version of tspsim than %s; results of two versions are not mixed",
		            path, plan->version);
	else if (!has_value(sweep, schema, "points_digest", plan->points_digest))
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: holds another sweep: its points or outputs are not these", path);
	else if (!has_value(sweep, schema, "inputs_digest", plan->inputs_digest))
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: a machine or a file that the points read has changed since this sweep began", path);
	else
		return true;
	return false;
}

/* ---- a new database ---- */

static bool step_once(trace_sweep *sweep, sqlite3_stmt *statement, GError **error)
{
	int result = sqlite3_step(statement);

	if (result != SQLITE_DONE)
		trace_i_sqlite_error(sweep->db, sweep->path, error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return result == SQLITE_DONE;
}

/* TEXT as a number where it is one written in the usual way, so that settings sort and plot as numbers. */
static void bind_setting(sqlite3_stmt *statement, int place, const char *text)
{
	size_t digits = strspn(text, "0123456789.eE+-");
	char *end = NULL;
	int64_t number;
	g_autofree char *again = NULL;

	errno = 0;
	number = g_ascii_strtoll(text, &end, 10);
	again = g_strdup_printf("%" G_GINT64_FORMAT, number);
	if (errno == 0 && strcmp(again, text) == 0) {
		sqlite3_bind_int64(statement, place, number);
		return;
	}
	if (g_ascii_isdigit(text[0]) && text[digits] == '\0' && strpbrk(text, ".eE")) {
		double real = g_ascii_strtod(text, &end);

		if (*end == '\0') {
			sqlite3_bind_double(statement, place, real);
			return;
		}
	}
	sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

/* Inserts pairs of texts, or, NUMBERED, (number, text). */
static bool insert_list(trace_sweep *sweep, const char *sql, const char *const *texts, bool numbered, GError **error)
{
	sqlite3_stmt *insert = trace_i_prepare(sweep->db, sweep->path, sql, error);
	bool fine = insert != NULL;

	for (int i = 0; fine && texts && texts[i]; i += numbered ? 1 : 2) {
		if (numbered)
			sqlite3_bind_int(insert, 1, i);
		else
			sqlite3_bind_text(insert, 1, texts[i], -1, SQLITE_STATIC);
		sqlite3_bind_text(insert, 2, texts[i + !numbered], -1, SQLITE_STATIC);
		fine = step_once(sweep, insert, error);
	}
	sqlite3_finalize(insert);
	return fine;
}

static bool insert_points(trace_sweep *sweep, GError **error)
{
	const trace_sweep_plan *plan = sweep->plan;
	sqlite3_stmt *point =
		trace_i_prepare(sweep->db, sweep->path, "INSERT INTO point (id, command) VALUES (?1, ?2)", error);
	sqlite3_stmt *setting =
		point ? trace_i_prepare(sweep->db, sweep->path,
	                                "INSERT INTO setting (point, axis, value) VALUES (?1, ?2, ?3)", error)
		      : NULL;
	bool fine = setting != NULL;

	for (uint32_t p = 0; fine && p < plan->points; p++) {
		sqlite3_bind_int64(point, 1, p);
		sqlite3_bind_text(point, 2, plan->command(plan->state, p), -1, g_free);
		fine = step_once(sweep, point, error);
		for (unsigned axis = 0; fine && plan->axes[axis]; axis++) {
			sqlite3_bind_int64(setting, 1, p);
			sqlite3_bind_int64(setting, 2, axis);
			bind_setting(setting, 3, plan->setting(plan->state, p, axis));
			fine = step_once(sweep, setting, error);
		}
	}
	sqlite3_finalize(point);
	sqlite3_finalize(setting);
	return fine;
}

/* Appends ", (SELECT ...) AS NAME" for each of NAMES. */
static void append_columns(GString *sql, const char *table, const char *key, const char *const *names)
{
	for (int i = 0; names[i]; i++) {
		char *column =
			sqlite3_mprintf(", (SELECT value FROM %s t WHERE t.point = p.id AND t.%s = %d) AS \"%w\"",
		                        table, key, i, names[i]);

		g_string_append(sql, column);
		sqlite3_free(column);
	}
}

static bool create_view(trace_sweep *sweep, GError **error)
{
	g_autoptr(GString) sql = g_string_new("CREATE VIEW points AS SELECT p.id AS point");

	append_columns(sql, "setting", "axis", sweep->plan->axes);
	g_string_append(sql, ", o.status AS exit_status");
	append_columns(sql, "result", "output", sweep->plan->outputs);
	g_string_append(sql, " FROM point p LEFT JOIN outcome o ON o.point = p.id");
	return trace_i_exec(sweep->db, sweep->path, sql->str, error);
}

/* All in one transaction: a database is complete in itself, or unborn. */
static bool create(trace_sweep *sweep, GError **error)
{
	const trace_sweep_plan *plan = sweep->plan;
	const char *identity[] = {"points_digest",
	                          plan->points_digest,
	                          "inputs_digest",
	                          plan->inputs_digest,
	                          "version",
	                          plan->version,
	                          NULL};

	return trace_i_exec(sweep->db, sweep->path, "BEGIN", error) &&
	       trace_i_exec(sweep->db, sweep->path, trace_sweep_sql, error) &&
	       insert_list(sweep, "INSERT INTO run (key, value) VALUES (?1, ?2)", identity, false, error) &&
	       insert_list(sweep, "INSERT INTO run (key, value) VALUES (?1, ?2)", plan->manifest, false, error) &&
	       insert_list(sweep, "INSERT INTO machine (name, text) VALUES (?1, ?2)", plan->machines, false, error) &&
	       insert_list(sweep, "INSERT INTO axis (id, name) VALUES (?1, ?2)", plan->axes, true, error) &&
	       insert_list(sweep, "INSERT INTO output (id, name) VALUES (?1, ?2)", plan->outputs, true, error) &&
	       insert_points(sweep, error) && create_view(sweep, error) &&
	       trace_i_exec(sweep->db, sweep->path, "COMMIT", error);
}

/* ---- opening and closing ---- */

/* '$."layers"[0]."cycles"' for "layers.0.cycles"; g_free. */
static char *json_place(const char *output)
{
	g_auto(GStrv) parts = g_strsplit(output, ".", -1);
	GString *place = g_string_new("$");

	for (char **part = parts; *part; part++)
		if ((*part)[strspn(*part, "0123456789")] == '\0')
			g_string_append_printf(place, "[%s]", *part);
		else
			g_string_append_printf(place, ".\"%s\"", *part);
	return g_string_free(place, FALSE);
}

static bool prepare_all(trace_sweep *sweep, GError **error)
{
	const struct {
		sqlite3_stmt **statement;
		const char *sql;
	} all[] = {
		{&sweep->extract, "SELECT json_type(?1, ?2), json_extract(?1, ?2)"},
		{&sweep->add_outcome, "INSERT INTO outcome (point, status, message) VALUES (?1, ?2, ?3)"},
		{&sweep->add_result, "INSERT INTO result (point, output, value) VALUES (?1, ?2, ?3)"},
		{&sweep->add_wall, "INSERT OR REPLACE INTO wall (point, seconds, host) VALUES (?1, ?2, ?3)"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		*all[i].statement = trace_i_prepare(sweep->db, sweep->path, all[i].sql, error);
		if (!*all[i].statement)
			return false;
	}
	return true;
}

static bool open_database(trace_sweep *sweep, bool *fresh, GError **error)
{
	g_autofree char *absolute = g_canonicalize_filename(sweep->path, NULL);

	if (sqlite3_open_v2(absolute, &sweep->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		trace_i_sqlite_error(sweep->db, sweep->path, error);
		return false;
	}
	sqlite3_extended_result_codes(sweep->db, 1);
	/* Readers hold the file for moments only. */
	sqlite3_busy_timeout(sweep->db, 60000);
	/* NORMAL: a crash of the host may cost the last outcomes, not the file. */
	if (!trace_i_exec(sweep->db, sweep->path, "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL",
	                  error)) {
		if (sqlite3_errcode(sweep->db) == SQLITE_NOTADB)
			fail_other(sweep->path, error);
		return false;
	}
	*fresh = is_unborn(sweep, "main");
	sweep->unborn = *fresh && !create(sweep, error);
	if (sweep->unborn || (!*fresh && !check_same(sweep, "main", sweep->path, error)))
		return false;
	return prepare_all(sweep, error);
}

trace_sweep *trace_sweep_open(const char *path, const trace_sweep_plan *plan, bool *fresh, GError **error)
{
	trace_sweep *sweep = g_new0(trace_sweep, 1);
	g_autoptr(GPtrArray) places = g_ptr_array_new();
	bool unborn;

	sweep->path = g_strdup(path);
	sweep->plan = plan;
	sweep->lock = -1;
	for (unsigned i = 0; plan->outputs[i]; i++)
		g_ptr_array_add(places, json_place(plan->outputs[i]));
	g_ptr_array_add(places, NULL);
	sweep->places = (char **)g_ptr_array_free(g_steal_pointer(&places), FALSE);
	if (take_lock(sweep, error) && open_database(sweep, fresh, error))
		return sweep;
	unborn = sweep->unborn;
	trace_sweep_close(sweep);
	if (unborn)
		trace_i_remove(path);
	return NULL;
}

void trace_sweep_close(trace_sweep *sweep)
{
	if (!sweep)
		return;
	sqlite3_finalize(sweep->extract);
	sqlite3_finalize(sweep->add_outcome);
	sqlite3_finalize(sweep->add_result);
	sqlite3_finalize(sweep->add_wall);
	/* Takes the emptied journal away. */
	if (sweep->extract)
		sqlite3_exec(sweep->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	sqlite3_close(sweep->db);
	if (sweep->lock >= 0)
		close(sweep->lock);
	g_strfreev(sweep->places);
	g_free(sweep->path);
	g_free(sweep);
}

/* ---- outcomes ---- */

uint8_t *trace_sweep_ended(trace_sweep *sweep, GError **error)
{
	sqlite3_stmt *query = trace_i_prepare(sweep->db, sweep->path, "SELECT point FROM outcome", error);
	g_autofree uint8_t *ended = g_new0(uint8_t, sweep->plan->points);
	int result;

	if (!query)
		return NULL;
	while ((result = sqlite3_step(query)) == SQLITE_ROW) {
		sqlite3_int64 point = sqlite3_column_int64(query, 0);

		if (point >= 0 && point < sweep->plan->points)
			ended[point] = 1;
	}
	if (result != SQLITE_DONE)
		trace_i_sqlite_error(sweep->db, sweep->path, error);
	sqlite3_finalize(query);
	return result == SQLITE_DONE ? g_steal_pointer(&ended) : NULL;
}

bool trace_sweep_forget_failures(trace_sweep *sweep, GError **error)
{
	return trace_i_exec(sweep->db, sweep->path, "DELETE FROM outcome WHERE message IS NOT NULL", error);
}

/* Asks for output OUTPUT of ANSWER; the row stands in sweep->extract until it is reset.  False when there is none. */
static bool extract(trace_sweep *sweep, const char *answer, unsigned output)
{
	sqlite3_reset(sweep->extract);
	sqlite3_bind_text(sweep->extract, 1, answer, -1, SQLITE_STATIC);
	sqlite3_bind_text(sweep->extract, 2, sweep->places[output], -1, SQLITE_STATIC);
	return sqlite3_step(sweep->extract) == SQLITE_ROW &&
	       (sqlite3_column_type(sweep->extract, 0) != SQLITE_NULL || sweep->plan->optional[output]);
}

/* Names of single values that ANSWER has, as outputs are written; g_strfreev. */
static char **names_in(trace_sweep *sweep, const char *answer)
{
	sqlite3_stmt *query = trace_i_prepare(
		sweep->db, sweep->path,
		"SELECT replace(replace(replace(substr(fullkey, 3), '\"', ''), '[', '.'), ']', '') FROM json_tree(?1) "
		"WHERE atom IS NOT NULL OR type = 'null' LIMIT 1000",
		NULL);
	GPtrArray *names = g_ptr_array_new();

	if (query) {
		sqlite3_bind_text(query, 1, answer, -1, SQLITE_STATIC);
		while (sqlite3_step(query) == SQLITE_ROW)
			g_ptr_array_add(names, g_strdup((const char *)sqlite3_column_text(query, 0)));
		sqlite3_finalize(query);
	}
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

/* Is ANSWER one JSON object? */
static bool is_object(trace_sweep *sweep, const char *answer)
{
	sqlite3_stmt *query =
		trace_i_prepare(sweep->db, sweep->path, "SELECT json_valid(?1) AND json_type(?1) = 'object'", NULL);
	bool fine = false;

	if (query) {
		sqlite3_bind_text(query, 1, answer, -1, SQLITE_STATIC);
		fine = sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int(query, 0) == 1;
		sqlite3_finalize(query);
	}
	return fine;
}

char *trace_sweep_lacks(trace_sweep *sweep, const char *answer, unsigned *output)
{
	char *message = NULL;

	*output = 0;
	if (!answer || !is_object(sweep, answer))
		return g_strdup("the answer is not a JSON object");
	for (*output = 0; sweep->plan->outputs[*output] && !message; ++*output)
		if (!extract(sweep, answer, *output)) {
			const char *name = sweep->plan->outputs[*output];
			g_auto(GStrv) names = names_in(sweep, answer);
			const char *near = tsp_nearest(name, (const char *const *)names);

			message = g_strdup_printf("the answer has no '%s'%s%s%s", name, near ? "; did you mean '" : "",
			                          near ? near : "", near ? "'?" : "");
			break;
		}
	sqlite3_reset(sweep->extract);
	return message;
}

static bool add_results(trace_sweep *sweep, const trace_sweep_outcome *outcome, GError **error)
{
	for (unsigned i = 0; sweep->plan->outputs[i]; i++) {
		extract(sweep, outcome->answer, i);
		sqlite3_bind_int64(sweep->add_result, 1, outcome->point);
		sqlite3_bind_int64(sweep->add_result, 2, i);
		sqlite3_bind_value(sweep->add_result, 3, sqlite3_column_value(sweep->extract, 1));
		if (!step_once(sweep, sweep->add_result, error))
			return false;
	}
	sqlite3_reset(sweep->extract);
	return true;
}

static bool add_outcome(trace_sweep *sweep, const trace_sweep_outcome *outcome, const char *message, GError **error)
{
	sqlite3_bind_int64(sweep->add_outcome, 1, outcome->point);
	sqlite3_bind_int64(sweep->add_outcome, 2, outcome->status);
	if (message)
		sqlite3_bind_text(sweep->add_outcome, 3, message, -1, SQLITE_STATIC);
	if (!step_once(sweep, sweep->add_outcome, error))
		return false;
	sqlite3_bind_int64(sweep->add_wall, 1, outcome->point);
	sqlite3_bind_double(sweep->add_wall, 2, outcome->wall_s);
	sqlite3_bind_text(sweep->add_wall, 3, outcome->host, -1, SQLITE_STATIC);
	return step_once(sweep, sweep->add_wall, error) && (message || add_results(sweep, outcome, error));
}

bool trace_sweep_record(trace_sweep *sweep, const trace_sweep_outcome *outcome, GError **error)
{
	g_autofree char *message = g_strdup(outcome->message);
	unsigned output;
	bool fine;

	if (!message)
		message = trace_sweep_lacks(sweep, outcome->answer, &output);
	if (!trace_i_exec(sweep->db, sweep->path, "BEGIN IMMEDIATE", error))
		return false;
	fine = add_outcome(sweep, outcome, message, error) && trace_i_exec(sweep->db, sweep->path, "COMMIT", error);
	if (!fine)
		sqlite3_exec(sweep->db, "ROLLBACK", NULL, NULL, NULL);
	return fine;
}

/* ---- many databases ---- */

static const char copy_sql[] =
	"BEGIN IMMEDIATE;"
	"CREATE TEMP TABLE taken AS SELECT point FROM part.outcome EXCEPT SELECT point FROM main.outcome;"
	"INSERT INTO main.outcome SELECT * FROM part.outcome WHERE point IN taken;"
	"INSERT INTO main.result SELECT * FROM part.result WHERE point IN taken;"
	"INSERT OR REPLACE INTO main.wall SELECT * FROM part.wall WHERE point IN taken;"
	"DROP TABLE taken;"
	"COMMIT";

static bool copy_part(trace_sweep *sweep, const char *path, GError **error)
{
	if (is_unborn(sweep, "part"))
		return true;
	if (!check_same(sweep, "part", path, error))
		return false;
	if (trace_i_exec(sweep->db, path, copy_sql, error))
		return true;
	sqlite3_exec(sweep->db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

bool trace_sweep_collect(trace_sweep *sweep, const char *path, GError **error)
{
	g_autofree char *absolute = g_canonicalize_filename(path, NULL);
	struct stat part, own;
	bool fine;
	char *attach;

	/* SQLite would make a file that is missing. */
	if (stat(path, &part) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", path, g_strerror(errno));
		return false;
	}
	if (fstat(sweep->lock, &own) == 0 && own.st_dev == part.st_dev && own.st_ino == part.st_ino) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: a database cannot be collected into itself", path);
		return false;
	}
	attach = sqlite3_mprintf("ATTACH %Q AS part", absolute);
	fine = trace_i_exec(sweep->db, path, attach, error);
	sqlite3_free(attach);
	if (!fine)
		return false;
	fine = copy_part(sweep, path, error);
	return trace_i_exec(sweep->db, path, "DETACH part", fine ? error : NULL) && fine;
}

bool trace_sweep_tally(trace_sweep *sweep, trace_sweep_count *count, GError **error)
{
	sqlite3_stmt *query = trace_i_prepare(
		sweep->db, sweep->path,
		"SELECT count(*), count(message), count(*) FILTER (WHERE message IS NULL AND status > 0), "
		"ifnull(min(point) FILTER (WHERE message IS NOT NULL), -1) FROM outcome",
		error);
	g_autofree char *sql = NULL;

	if (!query)
		return false;
	*count = (trace_sweep_count){.first_failed = -1};
	if (sqlite3_step(query) == SQLITE_ROW) {
		count->ended = (uint32_t)sqlite3_column_int64(query, 0);
		count->failed = (uint32_t)sqlite3_column_int64(query, 1);
		count->found = (uint32_t)sqlite3_column_int64(query, 2);
		count->first_failed = sqlite3_column_int64(query, 3);
	}
	sqlite3_finalize(query);
	sql = g_strdup_printf("SELECT message FROM outcome WHERE point = %" G_GINT64_FORMAT, count->first_failed);
	count->first_message = ask_text(sweep, sql);
	return true;
}
