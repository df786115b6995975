/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace as the output of `msprof op simulator`, after the source of its writer (docs/sources.md, msOpProf):
 * FOLDER/simulator/trace.json of all sub-cores, FOLDER/simulator/CORE/ of each its own trace.json, CORE_instr_exe.csv
 * and CORE_code_exe.csv.  Of level full.  The tables of the on-board profiler are export_board.c's.
 *
 * Times are microseconds with six decimals, computed from cycles as integers: the original rounds to float and loses
 * steps of a nanosecond beyond 16 ms.  Names without a time of day, so that equal traces give equal files.  An address
 * is 2^32 the stream and four bytes an instruction; "code" is the node, as there are no lines of source.  Lanes and
 * rules are those of the original: SET_FLAG lies in its last cycle, WAIT_FLAG begins where the work before it on the
 * lane has ended.
 */
#include "traces/export_msprof.h"

#include <string.h>

static int lane_of_pipe(enum asc_pipe pipe)
{
	static const int of[ASC_PIPES] = {
		[ASC_PIPE_S] = LANE_SCALAR,  [ASC_PIPE_V] = LANE_VECTOR,  [ASC_PIPE_M] = LANE_CUBE,
		[ASC_PIPE_MTE1] = LANE_MTE1, [ASC_PIPE_MTE2] = LANE_MTE2, [ASC_PIPE_MTE3] = LANE_MTE3,
		[ASC_PIPE_FIX] = LANE_FIXP,
	};

	return of[pipe];
}

static int lane_of(int op, enum asc_pipe pipe)
{
	if (pipe != ASC_PIPE_S)
		return lane_of_pipe(pipe);
	switch (op) {
	case ASC_OP_LDG:
	case ASC_OP_STG:
	case ASC_OP_SETWORD:
	case ASC_OP_WAITWORD:
		return LANE_SCALARLDST;
	case ASC_OP_BARRIER:
		return LANE_ALL;
	case ASC_OP_JUMP:
	case ASC_OP_BEQ:
	case ASC_OP_BNE:
	case ASC_OP_BLT:
	case ASC_OP_BGE:
	case ASC_OP_END:
		return LANE_FLOWCTRL;
	default:
		return LANE_SCALAR;
	}
}

/* The original's names where the viewer looks for them, ours in its capitals elsewhere; g_free. */
static char *name_of(int op, const char *mnemonic)
{
	switch (op) {
	case ASC_OP_BARRIER:
		return g_strdup("BAR");
	case ASC_OP_SETCROSS:
		return g_strdup("SET_CROSS_CORE");
	case ASC_OP_WAITCROSS:
		return g_strdup("WAIT_FLAG_DEV");
	default:
		return g_ascii_strup(mnemonic, -1);
	}
}

/* ---- reading ---- */

static void code_clear(gpointer data)
{
	g_array_free(((code *)data)->intervals, TRUE);
}

static void instruction_clear(gpointer data)
{
	instruction *i = data;

	g_free(i->name);
	g_free(i->detail);
	g_free(i->node);
}

static void core_free(gpointer data)
{
	core *c = data;

	g_array_free(c->instruction, TRUE);
	g_hash_table_unref(c->known);
	g_array_free(c->event, TRUE);
	g_hash_table_unref(c->code);
	g_array_free(c->codes, TRUE);
	g_free(c->name);
	g_free(c);
}

static bool core_row(void *state, sqlite3_stmt *row)
{
	msprof *m = state;
	core *c = g_new0(core, 1);

	c->id = sqlite3_column_int64(row, 0);
	c->name = trace_i_core_name(sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
	                            (const char *)sqlite3_column_text(row, 3));
	c->instruction = g_array_new(FALSE, FALSE, sizeof(instruction));
	g_array_set_clear_func(c->instruction, instruction_clear);
	c->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	c->event = g_array_new(FALSE, FALSE, sizeof(event));
	c->code = g_hash_table_new(g_str_hash, g_str_equal);
	c->codes = g_array_new(FALSE, FALSE, sizeof(code));
	g_array_set_clear_func(c->codes, code_clear);
	g_ptr_array_add(m->cores, c);
	return true;
}

/* The value of FIELD in "name=value" words, DEFAULT where it is left out; g_free. */
static char *field_of(const char *text, const char *field, const char *standard)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (unsigned i = 0; words[i]; i++) {
		const char *equals = strchr(words[i], '=');

		if (equals && (size_t)(equals - words[i]) == strlen(field) &&
		    strncmp(words[i], field, strlen(field)) == 0)
			return g_strdup(equals + 1);
	}
	return g_strdup(standard);
}

static const char *lane_named(const char *pipe)
{
	for (unsigned p = 0; p < ASC_PIPES; p++)
		if (strcmp(asc_pipe_name((enum asc_pipe)p), pipe) == 0)
			return trace_i_msprof_lanes[lane_of_pipe((enum asc_pipe)p)];
	return pipe;
}

/* Flags as the viewer's parser wants them: pipe that waits, pipe that sets, id.  Others: the fields. */
static char *detail_of(int op, const char *text)
{
	const char *space = strchr(text, ' ');

	if (op == ASC_OP_SETFLAG || op == ASC_OP_WAITFLAG) {
		g_autofree char *from = field_of(text, "from", "S"), *to = field_of(text, "to", "S");
		g_autofree char *id = field_of(text, "id", "0");

		return g_strdup_printf("PIPE:%s,TRIGGERPIPE:%s,FLAGID:%s,", lane_named(to), lane_named(from), id);
	}
	return g_strdup(space ? space + 1 : "");
}

static uint32_t instruction_of(core *c, const export_execution *e)
{
	int64_t key = e->insn * 16 + (int64_t)e->kind + 1;
	gpointer known = g_hash_table_lookup(c->known, &key);
	instruction i = {.insn = e->insn,
	                 .address = (e->stream << 32) + 4 * e->number,
	                 .op = asc_op_by_name(e->op),
	                 .node = g_strdup(e->node),
	                 .until = INT64_MIN};
	int64_t *kept;

	if (known) {
		g_free(i.node);
		return GPOINTER_TO_UINT(known) - 1;
	}
	i.lane = lane_of(i.op, e->kind);
	i.name = name_of(i.op, e->op);
	i.detail = detail_of(i.op, e->text);
	g_array_append_val(c->instruction, i);
	kept = g_new(int64_t, 1);
	*kept = key;
	g_hash_table_insert(c->known, kept, GUINT_TO_POINTER(c->instruction->len));
	return c->instruction->len - 1;
}

static void count_code(core *c, const char *node, const event *e)
{
	gpointer known = g_hash_table_lookup(c->code, node);
	code *of;

	if (!known) {
		code made = {.name = node, .intervals = g_array_new(FALSE, FALSE, sizeof(int64_t))};

		g_array_append_val(c->codes, made);
		known = GUINT_TO_POINTER(c->codes->len);
		g_hash_table_insert(c->code, (gpointer)node, known);
	}
	of = &g_array_index(c->codes, code, GPOINTER_TO_UINT(known) - 1);
	of->calls++;
	of->cycles += e->stop - e->start;
	g_array_append_val(of->intervals, e->start);
	g_array_append_val(of->intervals, e->stop);
}

static void add_execution(void *state, const export_execution *x)
{
	msprof *m = state;
	event e = {.start = x->start, .stop = x->sync ? x->free : x->done, .bytes = x->bytes, .flow = -1};
	instruction *i;

	if (m->pipe != x->pipe) {
		m->pipe = x->pipe;
		m->ended = INT64_MIN;
		m->now = g_ptr_array_index(m->cores, (guint)x->subcore);
	}
	if (!trace_i_export_wants(m->options, x->start))
		return;
	e.instruction = instruction_of(m->now, x);
	i = &g_array_index(m->now->instruction, instruction, e.instruction);
	if (i->op == ASC_OP_BARRIER)
		e.start = e.stop - 1;
	else if (x->sync && x->ready < x->start)
		e.start = MIN(x->start, MAX(x->ready, m->ended));
	if (i->op == ASC_OP_SETFLAG)
		e.start = e.stop - 1;
	m->ended = MAX(m->ended, e.stop);
	g_array_append_val(m->now->event, e);
	i->calls++;
	i->cycles += e.stop - e.start;
	if (e.stop > i->until) {
		i->running += e.stop - MAX(e.start, i->until);
		i->until = e.stop;
	}
	if (i->node)
		count_code(m->now, i->node, &e);
}

/* ---- flags: pairs ---- */

typedef struct end {
	int64_t pipe, insn, start;
} end;

static guint end_hash(gconstpointer p)
{
	const end *e = p;

	return (guint)(e->start * 31 + e->insn * 7 + e->pipe);
}

static gboolean end_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(end)) == 0;
}

typedef struct pairs {
	const trace_export_options *options;
	GHashTable *number; /* end -> number + 1, of both ends */
	uint32_t count;
} pairs;

static void add_flow(void *state, const export_flow *f)
{
	pairs *p = state;
	end from = {f->from_pipe, f->from_insn, f->from_start}, to = {f->to_pipe, f->to_insn, f->to_start};

	if (f->cross || !trace_i_export_wants(p->options, f->from_start) ||
	    !trace_i_export_wants(p->options, f->to_start))
		return;
	p->count++;
	g_hash_table_insert(p->number, g_memdup2(&from, sizeof(from)), GUINT_TO_POINTER(p->count));
	g_hash_table_insert(p->number, g_memdup2(&to, sizeof(to)), GUINT_TO_POINTER(p->count));
}

static void number_flag(void *state, const export_execution *x)
{
	void **both = state;
	msprof *m = both[0];
	const pairs *p = both[1];
	end key = {x->pipe, x->insn, x->start};

	if (!trace_i_export_wants(m->options, x->start))
		return;
	if (m->pipe != x->pipe) {
		core *c = g_ptr_array_index(m->cores, (guint)x->subcore);

		if (m->now != c)
			m->ended = 0; /* number of the event in the core */
		m->now = c;
		m->pipe = x->pipe;
	}
	g_array_index(m->now->event, event, (guint)m->ended++).flow =
		(int32_t)GPOINTER_TO_UINT(g_hash_table_lookup(p->number, &key)) - 1;
}

static bool read_events(msprof *m, GError **error)
{
	pairs p = {.options = m->options, .number = g_hash_table_new_full(end_hash, end_equal, g_free, NULL)};
	void *both[] = {m, &p};
	bool fine = trace_i_executions(m->reader, -1, add_execution, m, error) &&
	            trace_i_flows(m->reader, add_flow, &p, error);

	m->pipe = -1;
	m->now = NULL;
	fine = fine && trace_i_executions(m->reader, -1, number_flag, both, error);
	g_hash_table_unref(p.number);
	return fine;
}

static uint64_t events_of(const msprof *m)
{
	uint64_t sum = 0;

	for (guint i = 0; i < m->cores->len; i++)
		sum += ((const core *)g_ptr_array_index(m->cores, i))->event->len;
	return sum;
}

/* Ends a query of the database. */
static int end_query(void *end_now)
{
	return (*(bool (*const *)(void))end_now)();
}

/* All files, into a folder beside PATH that takes its place. */
static bool write_folder(msprof *m, const char *path, GError **error)
{
	char *stage = trace_i_stage_begin(path, error);
	g_autofree char *simulator = stage ? g_build_filename(stage, "simulator", NULL) : NULL;

	return stage &&
	       trace_i_stage_end(stage, path,
	                         trace_i_export_folder(simulator, error) && trace_i_msprof_write(m, simulator, error) &&
	                                 trace_i_export_board(m->reader, stage, m->counts, error),
	                         error);
}

bool trace_i_export_msprof(trace_reader *reader, const char *path, const trace_export_options *options,
                           trace_export_counts *counts, GError **error)
{
	enum { OPCODES = 10000 }; /* from one question to the next */
	msprof m = {.reader = reader, .options = options, .counts = counts, .pipe = -1};
	bool (*end_now)(void) = options->end_now;
	const char *clock = trace_reader_manifest(reader, "clock_hz");
	bool fine;

	if (!trace_i_is_ascend(reader)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: msprof shows Ascend-style machines; use --format perfetto", trace_reader_path(reader));
		return false;
	}
	if (!trace_i_export_level(reader, "msprof", TRACE_FULL, error))
		return false;
	m.clock_hz = clock ? g_ascii_strtoll(clock, NULL, 10) : 0;
	if (m.clock_hz <= 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: the trace does not say its clock_hz",
		            trace_reader_path(reader));
		return false;
	}
	if (end_now)
		sqlite3_progress_handler(reader->db, OPCODES, end_query, &end_now);
	m.cores = g_ptr_array_new_with_free_func(core_free);
	fine = trace_i_export_rows(reader, "SELECT id, core, sub, kind FROM subcores ORDER BY id", 0, core_row, &m,
	                           error) &&
	       read_events(&m, error) && trace_i_export_some(reader, options, events_of(&m), error) &&
	       write_folder(&m, path, error);
	g_ptr_array_unref(m.cores);
	sqlite3_progress_handler(reader->db, 0, NULL, NULL);
	return fine;
}
