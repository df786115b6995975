/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of viewers, after the sources of their parsers (docs/export.md).  Times are compared as the decimals that
 * the file has, times a million.
 */
#include "tests/unit/viewer_rules.h"

#include <string.h>

#include "tests/lib/tap.h"

typedef struct interval {
	gint64 start, stop;
} interval;

typedef struct track {
	GArray *slices; /* interval, in the file's order */
	bool named;
	gint64 last;
} track;

typedef struct checking {
	unsigned broken;
	GHashTable *tracks; /* "pid tid" -> track */
	GHashTable *open;   /* id -> interval or end, by kind */
	GHashTable *processes, *threads;
} checking;

static void rule(checking *c, bool kept, const char *what, guint event)
{
	if (kept)
		return;
	c->broken++;
	tap_note("event %u: %s", event, what);
}

static void track_free(gpointer data)
{
	g_array_free(((track *)data)->slices, TRUE);
	g_free(data);
}

static void begin(checking *c)
{
	*c = (checking){0};
	c->tracks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, track_free);
	c->open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	c->processes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	c->threads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void end(checking *c)
{
	g_hash_table_unref(c->tracks);
	g_hash_table_unref(c->open);
	g_hash_table_unref(c->processes);
	g_hash_table_unref(c->threads);
}

static track *track_of(checking *c, const jvalue *event)
{
	char *key = g_strdup_printf("%s %s", jvalue_text(event, "pid"), jvalue_text(event, "tid"));
	track *t = g_hash_table_lookup(c->tracks, key);

	if (t) {
		g_free(key);
		return t;
	}
	t = g_new0(track, 1);
	t->slices = g_array_new(FALSE, FALSE, sizeof(interval));
	t->last = G_MININT64;
	g_hash_table_insert(c->tracks, key, t);
	return t;
}

/* A time of the file, in millionths of what it says; G_MININT64 when there is none. */
static gint64 time_of(const jvalue *event, const char *key)
{
	const char *text = jvalue_text(event, key), *point = text ? strchr(text, '.') : NULL;
	gint64 whole, part = 0;

	if (!text)
		return G_MININT64;
	whole = g_ascii_strtoll(text, NULL, 10);
	for (int i = 0; i < 6; i++)
		part = part * 10 + (point && g_ascii_isdigit(point[1]) ? *++point - '0' : 0);
	return whole * 1000000 + part;
}

static bool inside(const track *t, gint64 ts)
{
	for (guint i = 0; i < t->slices->len; i++)
		if (g_array_index(t->slices, interval, i).start <= ts &&
		    ts < g_array_index(t->slices, interval, i).stop)
			return true;
	return false;
}

/* ---- Perfetto ---- */

static void check_meta(checking *c, const jvalue *event, guint n)
{
	const char *what = jvalue_text(event, "name"), *name = jvalue_text(jvalue_get(event, "args"), "name");

	rule(c, name && *name, "a name is missing", n);
	if (what && strcmp(what, "process_name") == 0)
		g_hash_table_add(c->processes, g_strdup(jvalue_text(event, "pid")));
	else if (what && strcmp(what, "thread_name") == 0) {
		track_of(c, event)->named = true;
		rule(c, g_hash_table_add(c->threads, g_strdup(jvalue_text(event, "tid"))), "a thread number twice", n);
	} else {
		rule(c, false, "metadata that Perfetto does not read", n);
	}
}

static void check_slice(checking *c, const jvalue *event, guint n)
{
	gint64 ts = jvalue_int(event, "ts"), dur = jvalue_int(event, "dur");
	const char *name = jvalue_text(event, "name");
	interval x = {ts * 1000000, (ts + dur) * 1000000};
	track *t = track_of(c, event);

	rule(c, dur != G_MININT64, "a slice without a duration in whole cycles", n);
	rule(c, dur >= 0, "a negative duration", n);
	rule(c, name && *name, "a slice without a name", n);
	rule(c, t->named, "a slice on a thread without a name", n);
	g_array_append_val(t->slices, x);
}

static gint by_start(gconstpointer a, gconstpointer b)
{
	const interval *x = a, *y = b;

	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return (x->stop < y->stop) - (x->stop > y->stop);
}

static void check_nesting(checking *c, const char *key, track *t)
{
	g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(gint64));

	g_array_sort(t->slices, by_start);
	for (guint i = 0; i < t->slices->len; i++) {
		const interval *x = &g_array_index(t->slices, interval, i);

		while (stack->len && g_array_index(stack, gint64, stack->len - 1) <= x->start)
			g_array_set_size(stack, stack->len - 1);
		if (stack->len && x->stop > g_array_index(stack, gint64, stack->len - 1)) {
			c->broken++;
			tap_note("thread %s: a slice from %" G_GINT64_FORMAT " overlaps the one around it in part", key,
			         x->start / 1000000);
		}
		g_array_append_val(stack, x->stop);
	}
}

static void check_counter(checking *c, const jvalue *event, guint n)
{
	const jvalue *args = jvalue_get(event, "args");
	g_autofree char *key = g_strdup_printf("counter %s %s", jvalue_text(event, "pid"), jvalue_text(event, "name"));
	gint64 *last = g_hash_table_lookup(c->open, key), ts = jvalue_int(event, "ts");

	rule(c, args && args->kind == JVALUE_OBJECT && args->item->len > 0, "a counter without values", n);
	for (guint i = 0; args && i < args->item->len; i++)
		rule(c, ((const jvalue *)args->item->pdata[i])->kind == JVALUE_NUMBER, "a counter that is no number",
		     n);
	rule(c, !last || *last <= ts, "a counter that goes back in time", n);
	if (!last) {
		last = g_new(gint64, 1);
		g_hash_table_insert(c->open, g_steal_pointer(&key), last);
	}
	*last = ts;
}

static void check_flow(checking *c, const jvalue *event, char ph, guint n)
{
	gint64 ts = time_of(event, "ts");
	g_autofree char *key = g_strdup_printf("flow %s %s", jvalue_text(event, "cat"), jvalue_text(event, "id"));
	gint64 *from = g_hash_table_lookup(c->open, key);

	rule(c, jvalue_text(event, "id") != NULL, "a flow without an id", n);
	rule(c, inside(track_of(c, event), ts), "a flow outside every slice of its thread", n);
	if (ph == 's') {
		rule(c, !from, "a flow that begins twice", n);
		from = g_new(gint64, 1);
		*from = ts;
		g_hash_table_insert(c->open, g_steal_pointer(&key), from);
	} else {
		const char *bp = jvalue_text(event, "bp");

		rule(c, from != NULL, "a flow that ends and did not begin", n);
		rule(c, !from || *from <= ts, "a flow against time", n);
		rule(c, bp && strcmp(bp, "e") == 0, "the end of a flow not bound to the slice around it", n);
		g_hash_table_remove(c->open, key);
	}
}

static void check_left(checking *c)
{
	GHashTableIter at;
	gpointer key, value;

	g_hash_table_iter_init(&at, c->open);
	while (g_hash_table_iter_next(&at, &key, &value))
		if (g_str_has_prefix(key, "flow ") || g_str_has_prefix(key, "flag ")) {
			c->broken++;
			tap_note("%s has no end", (const char *)key);
		}
	g_hash_table_iter_init(&at, c->threads);
	while (g_hash_table_iter_next(&at, &key, NULL))
		if (g_hash_table_contains(c->processes, key)) {
			c->broken++;
			tap_note("number %s is one of a process and of a thread", (const char *)key);
		}
}

unsigned viewer_perfetto(const jvalue *file)
{
	const jvalue *events = jvalue_get(file, "traceEvents");
	GHashTableIter at;
	gpointer key, value;
	checking c;

	begin(&c);
	rule(&c, events && events->kind == JVALUE_ARRAY, "no traceEvents", 0);
	for (guint n = 0; events && n < events->item->len; n++) {
		const jvalue *event = events->item->pdata[n];
		const char *ph = jvalue_text(event, "ph");

		rule(&c, ph && strlen(ph) == 1 && strchr("MXCsfi", *ph), "a phase that is not expected", n);
		rule(&c, jvalue_int(event, "pid") >= 0, "a process that is no number", n);
		rule(&c, ph && (*ph == 'M' || jvalue_int(event, "ts") >= 0), "a time that is no whole cycle", n);
		rule(&c, ph && (*ph == 'M' || g_hash_table_contains(c.processes, jvalue_text(event, "pid"))),
		     "a process without a name", n);
		if (ph && *ph == 'M')
			check_meta(&c, event, n);
		else if (ph && *ph == 'X')
			check_slice(&c, event, n);
		else if (ph && *ph == 'C')
			check_counter(&c, event, n);
		else if (ph && (*ph == 's' || *ph == 'f'))
			check_flow(&c, event, *ph, n);
	}
	g_hash_table_iter_init(&at, c.tracks);
	while (g_hash_table_iter_next(&at, &key, &value))
		check_nesting(&c, key, value);
	check_left(&c);
	end(&c);
	return c.broken;
}

/* ---- MindStudio Insight ---- */

/* Lanes that the viewer knows. */
static const char *const lanes[] = {"SCALAR", "SCALARLDST", "VECTOR",   "CUBE", "MTE1", "MTE2",
                                    "MTE3",   "FIXP",       "FLOWCTRL", "ALL",  NULL};

static void check_flag(checking *c, const jvalue *event, bool first, guint n)
{
	const char *id = jvalue_text(event, "id");
	g_autofree char *key = g_strdup_printf("flag %s", id), *past = g_strdup_printf("was flag %s", id);
	gint64 *from = g_hash_table_lookup(c->open, key), ts = time_of(event, "ts");

	rule(c, id != NULL, "a flag without an id", n);
	if (first) {
		rule(c, !from && !g_hash_table_contains(c->open, past), "an id of two flags", n);
		from = g_new(gint64, 1);
		*from = ts;
		g_hash_table_insert(c->open, g_steal_pointer(&key), from);
		return;
	}
	rule(c, from && *from <= ts, "a flag that ends before it begins", n);
	if (from) {
		interval x = {*from, ts + 1}; /* flows meet its end */

		g_array_append_val(track_of(c, event)->slices, x);
	}
	g_hash_table_remove(c->open, key);
	g_hash_table_insert(c->open, g_steal_pointer(&past), NULL);
}

/* One end of a flow that waits for the other. */
typedef struct arrow {
	bool first;
	gint64 ts;
} arrow;

static void check_arrow(checking *c, const jvalue *event, bool first, guint n)
{
	const char *cat = jvalue_text(event, "cat"), *lane = jvalue_text(event, "tid");
	g_autofree char *key = g_strdup_printf("flow %s %s", cat, jvalue_text(event, "id"));
	arrow own = {first, time_of(event, "ts")}, *other = g_hash_table_lookup(c->open, key);
	bool ours = cat && lane && (first ? g_str_has_prefix(cat, lane) : g_str_has_suffix(cat, lane));

	rule(c, g_strcmp0(jvalue_text(event, "name"), "flow") == 0, "a flow of another name", n);
	rule(c, ours && strstr(cat, "To"), "a flow whose cat does not name its lanes", n);
	rule(c, inside(track_of(c, event), own.ts), "a flow outside every flag of its lane", n);
	/* Lanes are written one after the other: either end may come first in the file. */
	rule(c, !other || other->first != first, "an end of a flow twice", n);
	if (!other) {
		g_hash_table_insert(c->open, g_steal_pointer(&key), g_memdup2(&own, sizeof(own)));
		return;
	}
	rule(c, first ? own.ts <= other->ts : other->ts <= own.ts, "a flow against time", n);
	g_hash_table_remove(c->open, key);
}

/* Where processes and lanes stand: each says it once, with a number. */
static void check_place(checking *c, const jvalue *event, guint n)
{
	const char *name = jvalue_text(event, "name"), *pid = jvalue_text(event, "pid");
	bool process = g_strcmp0(name, "process_sort_index") == 0;
	g_autofree char *who = process ? g_strdup(pid) : g_strdup_printf("%s %s", pid, jvalue_text(event, "tid"));
	GHashTable *known = process ? c->processes : c->threads;

	rule(c, process || g_strcmp0(name, "thread_sort_index") == 0, "metadata that is not expected", n);
	rule(c, jvalue_int(jvalue_get(event, "args"), "sort_index") > 0, "a place that is no number", n);
	rule(c, !g_hash_table_contains(known, who), "a place said twice", n);
	g_hash_table_add(known, g_steal_pointer(&who));
}

/* What every event but metadata has. */
static void check_event(checking *c, const jvalue *event, char ph, guint n)
{
	const char *pid = jvalue_text(event, "pid"), *tid = jvalue_text(event, "tid");
	g_autofree char *who = g_strdup_printf("%s %s", pid, tid);

	rule(c, tid && g_strv_contains(lanes, tid), "a lane that the viewer does not know", n);
	rule(c, pid && g_hash_table_contains(c->processes, pid) && g_hash_table_contains(c->threads, who),
	     "a process or lane without a place", n);
	rule(c, time_of(event, "ts") >= 0, "no time", n);
	rule(c, ph != 'X' || time_of(event, "dur") >= 0, "a duration that is negative or missing", n);
	if (!strchr("XB", ph))
		return;
	rule(c, jvalue_text(jvalue_get(event, "args"), "pc_addr"), "an instruction without its address", n);
	rule(c, jvalue_text(event, "name") && jvalue_text(event, "cname"), "an instruction without name or colour", n);
}

unsigned viewer_msprof(const jvalue *file)
{
	const jvalue *events = jvalue_get(file, "traceEvents");
	checking c;

	begin(&c);
	rule(&c, jvalue_int(file, "schemaVersion") == 2, "schema", 0);
	rule(&c, events && events->kind == JVALUE_ARRAY, "no traceEvents", 0);
	for (guint n = 0; events && n < events->item->len; n++) {
		const jvalue *event = events->item->pdata[n], *pid = jvalue_get(event, "pid"),
			     *tid = jvalue_get(event, "tid");
		const char *ph = jvalue_text(event, "ph");

		rule(&c, ph && strlen(ph) == 1 && strchr("MXBEst", *ph), "a phase that is not expected", n);
		rule(&c, pid && pid->kind == JVALUE_STRING && tid && tid->kind == JVALUE_STRING,
		     "a process or thread that is no text", n);
		if (!ph)
			continue;
		if (*ph == 'M')
			check_place(&c, event, n);
		else
			check_event(&c, event, *ph, n);
		if (*ph == 'B' || *ph == 'E')
			check_flag(&c, event, *ph == 'B', n);
		else if (*ph == 's' || *ph == 't')
			check_arrow(&c, event, *ph == 's', n);
	}
	check_left(&c);
	end(&c);
	return c.broken;
}
