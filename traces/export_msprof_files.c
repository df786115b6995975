/* SPDX-License-Identifier: Apache-2.0
 *
 * The timelines and tables of `msprof op simulator` from the events of a trace (export_msprof.c has the rules).
 */
#include "traces/export_msprof.h"

#include <string.h>

const char *const trace_i_msprof_lanes[LANES] = {
	"SCALAR", "FLOWCTRL", "MTE1", "CUBE", "FIXP", "MTE2", "VECTOR", "MTE3", "SCALARLDST", "ALL",
};
/* The viewer's colours, and the numbers it sorts lanes by: the original has others in between. */
static const char *const colours[LANES] = {
	"startup",
	"cq_build_passed",
	"thread_state_running",
	"background_memory_dump",
	"thread_state_unknown",
	"thread_state_iowait",
	"cq_build_failed",
	"rail_response",
	"startup",
	"good",
};
static const int sort_index[LANES] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11};

/* ---- times ---- */

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
	return i->op == ASC_OP_SETFLAG ? "black" : i->op == ASC_OP_WAITFLAG ? "yellow" : colours[i->lane];
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
	g_string_append_printf(w->line, ",\"pid\":\"%s\",\"tid\":\"%s\"", w->c->name, trace_i_msprof_lanes[i->lane]);
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
	file.end_now = m->options->end_now;
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
			                w.c->name, trace_i_msprof_lanes[l], sort_index[l]);
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
		g_autofree char *name = g_strdup_printf("%s_%u", trace_i_msprof_lanes[number], t + 1);

		g_array_append_val(lane->ends, e->stop);
		if (t == 0) {
			put_meta(w, "process_name", number, 0, trace_i_msprof_lanes[number], 0);
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
	file.end_now = m->options->end_now;
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
	file.end_now = m->options->end_now;
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
		                       i->name, i->address, trace_i_msprof_lanes[i->lane], i->calls, i->cycles);
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

bool trace_i_msprof_write(msprof *m, const char *folder, GError **error)
{
	return write_all(m, folder, error) && write_cores(m, folder, error);
}
