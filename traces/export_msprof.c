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
#include "traces/export_int.h"

#include <string.h>

/* Lanes in the viewer's order, with its colours. */
static const struct lane {
	const char *name, *colour;
} lanes[] = {
	{"SCALAR", "startup"},
	{"FLOWCTRL", "cq_build_passed"},
	{"MTE1", "thread_state_running"},
	{"CUBE", "background_memory_dump"},
	{"FIXP", "thread_state_unknown"},
	{"MTE2", "thread_state_iowait"},
	{"VECTOR", "cq_build_failed"},
	{"MTE3", "rail_response"},
	{"SCALARLDST", "startup"},
	{"ALL", "good"},
};
/* Numbers that the viewer sorts them by: the original has others in between. */
static const int sort_index[G_N_ELEMENTS(lanes)] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11};
enum { SCALAR, FLOWCTRL, MTE1, CUBE, FIXP, MTE2, VECTOR, MTE3, SCALARLDST, ALL, LANES };

static int lane_of_pipe(enum asc_pipe pipe)
{
	static const int of[ASC_PIPES] = {
		[ASC_PIPE_S] = SCALAR,  [ASC_PIPE_V] = VECTOR,  [ASC_PIPE_M] = CUBE,   [ASC_PIPE_MTE1] = MTE1,
		[ASC_PIPE_MTE2] = MTE2, [ASC_PIPE_MTE3] = MTE3, [ASC_PIPE_FIX] = FIXP,
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
		return SCALARLDST;
	case ASC_OP_BARRIER:
		return ALL;
	case ASC_OP_JUMP:
	case ASC_OP_BEQ:
	case ASC_OP_BNE:
	case ASC_OP_BLT:
	case ASC_OP_BGE:
	case ASC_OP_END:
		return FLOWCTRL;
	default:
		return SCALAR;
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
			return lanes[lane_of_pipe((enum asc_pipe)p)].name;
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

static gint by_start(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Cycles that intervals cover. */
static void measure_codes(core *c)
{
	for (guint k = 0; k < c->codes->len; k++) {
		code *of = &g_array_index(c->codes, code, k);
		int64_t *at = (int64_t *)(void *)of->intervals->data, until = INT64_MIN;

		qsort(at, of->intervals->len / 2, 2 * sizeof(*at), by_start);
		for (guint n = 0; n < of->intervals->len; n += 2)
			if (at[n + 1] > until) {
				of->running += at[n + 1] - MAX(at[n], until);
				until = at[n + 1];
			}
		g_array_set_size(of->intervals, 0);
	}
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
	GHashTable *number; /* end -> number + 1, of both ends */
	uint32_t count;
} pairs;

static void add_flow(void *state, const export_flow *f)
{
	pairs *p = state;
	end from = {f->from_pipe, f->from_insn, f->from_start}, to = {f->to_pipe, f->to_insn, f->to_start};

	if (f->cross)
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

/* ---- writing ---- */

/* CYCLES as microseconds with six decimals. */
static void put_us(GString *out, int64_t cycles, int64_t clock_hz)
{
	enum { US = 1000000 };
	int64_t us = cycles * US / clock_hz, rest = cycles * US % clock_hz;
	int64_t ps = (rest * US + clock_hz / 2) / clock_hz;

	g_string_append_printf(out, "%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT, us + ps / US, ps % US);
}

/* From START to STOP, so that both ends stay what they are. */
static void put_us_between(GString *out, int64_t start, int64_t stop, int64_t clock_hz)
{
	enum { US = 1000000 };
	int64_t stamp[2], cycles[2] = {start, stop};

	for (unsigned i = 0; i < 2; i++)
		stamp[i] = cycles[i] * US / clock_hz * US + (cycles[i] * US % clock_hz * US + clock_hz / 2) / clock_hz;
	g_string_append_printf(out, "%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT, (stamp[1] - stamp[0]) / US,
	                       (stamp[1] - stamp[0]) % US);
}

typedef struct writing {
	const msprof *m;
	const core *c;
	export_file *file;
	GString *line;
} writing;

static void put_args(GString *out, const instruction *i, int64_t bytes)
{
	g_string_append_printf(out, ",\"args\":{\"pc_addr\":\"0x%" G_GINT64_MODIFIER "x\",", (guint64)i->address);
	trace_i_json_pair(out, "code", i->node ? i->node : "");
	g_string_append_c(out, ',');
	trace_i_json_pair(out, "detail", i->detail);
	if (bytes)
		g_string_append_printf(out, ",\"process_bytes\":\"%" G_GINT64_FORMAT "\"", bytes);
	g_string_append_c(out, '}');
}

static const char *colour_of(const instruction *i)
{
	return i->op == ASC_OP_SETFLAG ? "black" : i->op == ASC_OP_WAITFLAG ? "yellow" : lanes[i->lane].colour;
}

static void put_begin(writing *w, const char *ph, const instruction *i, int64_t cycle)
{
	g_string_assign(w->line, "{");
	trace_i_json_pair(w->line, "name", i->name);
	g_string_append_printf(w->line, ",\"cname\":\"%s\",\"ph\":\"%s\",\"ts\":", colour_of(i), ph);
	put_us(w->line, cycle, w->m->clock_hz);
}

static void put_where(writing *w, const instruction *i)
{
	g_string_append_printf(w->line, ",\"pid\":\"%s\",\"tid\":\"%s\"", w->c->name, lanes[i->lane].name);
}

static void put_flow(writing *w, const instruction *i, const event *e)
{
	bool set = i->op == ASC_OP_SETFLAG;
	const char *comma = strchr(i->detail, ','), *colon = strchr(comma + 1, ':');
	g_autofree char *to = g_strndup(i->detail + strlen("PIPE:"), (gsize)(comma - i->detail) - strlen("PIPE:"));
	g_autofree char *from = g_strndup(colon + 1, strcspn(colon + 1, ","));

	g_string_printf(w->line, "{\"name\":\"flow\",\"id\":\"%s_%d\",\"ph\":\"%s\",\"ts\":", w->c->name, e->flow,
	                set ? "s" : "t");
	put_us(w->line, e->stop, w->m->clock_hz);
	put_where(w, i);
	g_string_append_printf(w->line, ",\"cat\":\"%sTo%s\"}", from, to);
	trace_i_export_event(w->file, w->line->str);
	w->m->counts->flows += !set;
}

/* An event of the timeline of all cores: flags as pairs of begin and end with one id, all others complete. */
static void put_core_event(writing *w, const event *e, guint number)
{
	const instruction *i = &g_array_index(w->c->instruction, instruction, e->instruction);
	bool flag = i->op == ASC_OP_SETFLAG || i->op == ASC_OP_WAITFLAG;

	for (int k = 0; k < (flag ? 2 : 1); k++) {
		put_begin(w, !flag ? "X" : k ? "E" : "B", i, k ? e->stop : e->start);
		if (!flag) {
			g_string_append(w->line, ",\"dur\":");
			put_us_between(w->line, e->start, e->stop, w->m->clock_hz);
		}
		put_where(w, i);
		if (flag && e->flow >= 0)
			g_string_append_printf(w->line, ",\"id\":\"%s_%s_%d\"", w->c->name,
			                       i->op == ASC_OP_SETFLAG ? "set" : "wait", e->flow);
		else if (flag)
			g_string_append_printf(w->line, ",\"id\":\"%s_alone_%u\"", w->c->name, number);
		if (k == 0)
			put_args(w->line, i, e->bytes);
		else
			g_string_append(w->line, ",\"args\":{}");
		g_string_append_c(w->line, '}');
		trace_i_export_event(w->file, w->line->str);
	}
	w->m->counts->slices++;
	if (flag && e->flow >= 0)
		put_flow(w, i, e);
}

static void put_file_head(export_file *f, int version)
{
	g_autofree char *head = g_strdup_printf(
		"{\"schemaVersion\":%d,\"displayTimeUnit\":\"ns\",\"profilingType\":\"op\",\"traceEvents\":[", version);

	trace_i_export_put(f, head);
}

/* Place of a core in the viewer: three of each core, the cube sub-core first. */
static int core_index(const char *name)
{
	int number = (int)g_ascii_strtoll(name + strlen("core"), NULL, 10);
	const char *vector = strstr(name, "veccore");

	return number * 3 + (vector ? 2 + (int)g_ascii_strtoll(vector + strlen("veccore"), NULL, 10) : 1);
}

static bool write_all(msprof *m, const char *folder, GError **error)
{
	g_autofree char *path = g_build_filename(folder, "trace.json", NULL);
	export_file file;
	writing w = {.m = m, .file = &file, .line = NULL};

	if (!trace_i_export_open(&file, path, error))
		return false;
	w.line = g_string_new(NULL);
	put_file_head(&file, 2);
	for (guint c = 0; c < m->cores->len; c++) {
		w.c = g_ptr_array_index(m->cores, c);
		if (!w.c->event->len)
			continue;
		g_string_printf(w.line,
		                "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":\"%s\",\"tid\":\"NA\",\"args\":"
		                "{\"sort_index\":%d}}",
		                w.c->name, core_index(w.c->name));
		trace_i_export_event(&file, w.line->str);
	}
	for (guint c = 0; c < m->cores->len; c++) {
		w.c = g_ptr_array_index(m->cores, c);
		for (unsigned l = 0; w.c->event->len && l < LANES; l++) {
			g_string_printf(w.line,
			                "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":\"%s\",\"tid\":\"%s\","
			                "\"args\":{\"sort_index\":%d}}",
			                w.c->name, lanes[l].name, sort_index[l]);
			trace_i_export_event(&file, w.line->str);
		}
		for (guint i = 0; i < w.c->event->len; i++)
			put_core_event(&w, &g_array_index(w.c->event, event, i), i);
	}
	trace_i_export_put(&file, "\n]}\n");
	g_string_free(w.line, TRUE);
	m->counts->files++;
	return trace_i_export_close(&file, error);
}

/* ---- one sub-core: lanes as processes, threads where instructions overlap ---- */

typedef struct placed {
	GArray *ends; /* int64_t of each thread of a lane */
} placed;

static void put_meta(writing *w, const char *what, int pid, guint tid, const char *name, int index)
{
	g_string_printf(w->line, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{", what, pid, tid);
	if (name)
		trace_i_json_pair(w->line, "name", name);
	else
		g_string_append_printf(w->line, "\"sort_index\":%d", index);
	g_string_append(w->line, "}}");
	trace_i_export_event(w->file, w->line->str);
}

/* The first thread of the lane that is free by the event's start. */
static guint thread_of(writing *w, placed *lane, int number, const event *e)
{
	guint t = 0;

	while (t < lane->ends->len && g_array_index(lane->ends, int64_t, t) > e->start)
		t++;
	if (t == lane->ends->len) {
		g_autofree char *name = g_strdup_printf("%s_%u", lanes[number].name, t + 1);

		g_array_append_val(lane->ends, e->stop);
		if (t == 0) {
			put_meta(w, "process_name", number, 0, lanes[number].name, 0);
			put_meta(w, "process_sort_index", number, 0, NULL, sort_index[number]);
		}
		put_meta(w, "thread_name", number, t + 1, name, 0);
		put_meta(w, "thread_sort_index", number, t + 1, NULL, (int)t + 1);
	}
	g_array_index(lane->ends, int64_t, t) = e->stop;
	return t + 1;
}

static void put_own_event(writing *w, placed *lane, const event *e)
{
	const instruction *i = &g_array_index(w->c->instruction, instruction, e->instruction);
	guint tid = thread_of(w, &lane[i->lane], i->lane, e);

	put_begin(w, "X", i, e->start);
	g_string_append(w->line, ",\"dur\":");
	put_us_between(w->line, e->start, e->stop, w->m->clock_hz);
	g_string_append_printf(w->line, ",\"pid\":%d,\"tid\":%u", i->lane, tid);
	put_args(w->line, i, e->bytes);
	g_string_append_c(w->line, '}');
	trace_i_export_event(w->file, w->line->str);
}

static gint by_time(gconstpointer a, gconstpointer b, gpointer state)
{
	const GArray *events = state;
	const event *x = &g_array_index(events, event, *(const guint *)a);
	const event *y = &g_array_index(events, event, *(const guint *)b);

	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return (*(const guint *)a > *(const guint *)b) - (*(const guint *)a < *(const guint *)b);
}

static bool write_own(const msprof *m, const core *c, const char *folder, GError **error)
{
	g_autofree char *path = g_build_filename(folder, "trace.json", NULL);
	g_autofree guint *order = g_new(guint, MAX(c->event->len, 1));
	placed lane[LANES];
	export_file file;
	writing w = {.m = m, .c = c, .file = &file};

	if (!trace_i_export_open(&file, path, error))
		return false;
	w.line = g_string_new(NULL);
	for (unsigned l = 0; l < LANES; l++)
		lane[l].ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
	for (guint i = 0; i < c->event->len; i++)
		order[i] = i;
	g_qsort_with_data(order, (gint)c->event->len, sizeof(guint), by_time, c->event);
	put_file_head(&file, 1);
	for (guint i = 0; i < c->event->len; i++)
		put_own_event(&w, lane, &g_array_index(c->event, event, order[i]));
	trace_i_export_put(&file, "\n]}\n");
	for (unsigned l = 0; l < LANES; l++)
		g_array_free(lane[l].ends, TRUE);
	g_string_free(w.line, TRUE);
	m->counts->files++;
	return trace_i_export_close(&file, error);
}

/* ---- tables of a sub-core ---- */

static gint by_cycles(gconstpointer a, gconstpointer b)
{
	const instruction *x = a, *y = b;

	if (x->cycles != y->cycles)
		return (x->cycles < y->cycles) - (x->cycles > y->cycles);
	if (x->address != y->address)
		return (x->address > y->address) - (x->address < y->address);
	return x->lane - y->lane;
}

static bool write_table(const msprof *m, const core *c, const char *folder, const char *what, GString *text,
                        GError **error)
{
	g_autofree char *name = g_strdup_printf("%s_%s_exe.csv", c->name, what);
	g_autofree char *path = g_build_filename(folder, name, NULL);
	export_file file;

	if (!trace_i_export_open(&file, path, error))
		return false;
	trace_i_export_put(&file, text->str);
	m->counts->files++;
	return trace_i_export_close(&file, error);
}

static bool write_instructions(const msprof *m, core *c, const char *folder, GError **error)
{
	g_autoptr(GString) out = g_string_new("instr,addr,pipe,call_count,cycles,running_time(us),detail\n");

	g_array_sort(c->instruction, by_cycles);
	for (guint n = 0; n < c->instruction->len; n++) {
		const instruction *i = &g_array_index(c->instruction, instruction, n);
		g_auto(GStrv) quotes = g_strsplit(i->detail, "\"", -1);
		g_autofree char *detail = g_strjoinv("\"\"", quotes);

		g_string_append_printf(out, "%s,%" G_GINT64_FORMAT ",%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",",
		                       i->name, i->address, lanes[i->lane].name, i->calls, i->cycles);
		put_us(out, i->running, m->clock_hz);
		g_string_append_printf(out, ",\"%s\"\n", detail);
	}
	return write_table(m, c, folder, "instr", out, error);
}

static gint by_code(gconstpointer a, gconstpointer b)
{
	const code *x = a, *y = b;

	if (x->cycles != y->cycles)
		return (x->cycles < y->cycles) - (x->cycles > y->cycles);
	return strcmp(x->name, y->name);
}

static bool write_codes(const msprof *m, core *c, const char *folder, GError **error)
{
	g_autoptr(GString) out = g_string_new("code,call_count,cycles,running_time(us)\n");

	measure_codes(c);
	g_array_sort(c->codes, by_code);
	for (guint n = 0; n < c->codes->len; n++) {
		const code *of = &g_array_index(c->codes, code, n);

		trace_i_csv_text(out, of->name);
		g_string_append_printf(out, ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",", of->calls, of->cycles);
		put_us(out, of->running, m->clock_hz);
		g_string_append_c(out, '\n');
	}
	return write_table(m, c, folder, "code", out, error);
}

/* The timelines first: tables sort the instructions. */
static bool write_cores(msprof *m, const char *folder, GError **error)
{
	for (guint n = 0; n < m->cores->len; n++) {
		core *c = g_ptr_array_index(m->cores, n);
		g_autofree char *own = g_build_filename(folder, c->name, NULL);

		if (c->event->len && (!trace_i_export_folder(own, error) || !write_own(m, c, own, error) ||
		                      !write_codes(m, c, own, error) || !write_instructions(m, c, own, error)))
			return false;
	}
	return true;
}

static bool read_events(msprof *m, GError **error)
{
	pairs p = {.number = g_hash_table_new_full(end_hash, end_equal, g_free, NULL)};
	void *both[] = {m, &p};
	bool fine = trace_i_executions(m->reader, -1, add_execution, m, error) &&
	            trace_i_flows(m->reader, add_flow, &p, error);

	m->pipe = -1;
	m->now = NULL;
	fine = fine && trace_i_executions(m->reader, -1, number_flag, both, error);
	g_hash_table_unref(p.number);
	return fine;
}

bool trace_i_export_msprof(trace_reader *reader, const char *path, const trace_export_options *options,
                           trace_export_counts *counts, GError **error)
{
	msprof m = {.reader = reader, .options = options, .counts = counts, .pipe = -1};
	g_autofree char *folder = g_build_filename(path, "simulator", NULL);
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
	m.cores = g_ptr_array_new_with_free_func(core_free);
	fine = trace_i_export_rows(reader, "SELECT id, core, sub, kind FROM subcores ORDER BY id", 0, core_row, &m,
	                           error) &&
	       read_events(&m, error) && trace_i_export_folder(folder, error) && write_all(&m, folder, error) &&
	       write_cores(&m, folder, error) && trace_i_export_board(reader, path, counts, error);
	g_ptr_array_unref(m.cores);
	return fine;
}
