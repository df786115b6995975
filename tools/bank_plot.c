/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers behind the pictures of `tspsim bank eval`.  A series is what one map, model and k have over the sources;
 * a source is a pattern, a file or a trace with one k.
 */
#include "tools/bank_plot.h"

#include <math.h>
#include <string.h>

#include "tools/tool.h"
#include "traces/draw.h"

enum { MOST_PANELS = 16, MOST_SERIES = 10, MOST_BARS = 40, SINGLE_BINS = 32 };

typedef struct plot_kind {
	bank_plot_kind base;
	const char *drawing; /* traces/plots/<drawing>.gp */
	bool (*add)(const bank_evaluation *e, trace_drawing *d, const char *kind, GError **error);
} plot_kind;

/* One map, model and k; bars compares across k, so there a series has none. */
typedef struct series {
	const bankmap *map;
	enum bank_model model;
	unsigned k;
	char *label;
	unsigned points;
	double conflict, worst, worst_x; /* sum, most and where */
} series;

static void clear_series(gpointer data)
{
	g_free(((series *)data)->label);
}

/* Do all rows have one model, one k? */
static void what_varies(const bank_evaluation *e, bool *models, bool *sizes)
{
	const bank_row *first = g_ptr_array_index(e->rows, 0);

	*models = *sizes = false;
	for (guint i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);

		*models |= row->result.model != first->result.model;
		*sizes |= row->k != first->k;
	}
}

static char *label_of(const bank_row *row, bool models, bool sizes)
{
	GString *label = g_string_new(bankmap_text(row->map));

	if (label->len > 40) {
		g_string_truncate(label, 38);
		g_string_append(label, "...");
	}
	if (models)
		g_string_append_printf(label, ", %s", bank_model_name(row->result.model));
	if (sizes && row->k)
		g_string_append_printf(label, ", k %u", row->k);
	return g_string_free(label, FALSE);
}

/* The series of ROW in ALL; a new one at the end when it is the first. */
static unsigned series_of(GArray *all, const bank_evaluation *e, const bank_row *row, bool by_size)
{
	bool models, sizes;
	series s = {.map = row->map, .model = row->result.model, .k = by_size ? row->k : 0};

	for (guint i = 0; i < all->len; i++) {
		const series *other = &g_array_index(all, series, i);

		if (other->map == s.map && other->model == s.model && other->k == s.k)
			return i;
	}
	what_varies(e, &models, &sizes);
	s.label = label_of(row, models, by_size && sizes);
	g_array_append_val(all, s);
	return all->len - 1;
}

static GArray *series_new(void)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(series));

	g_array_set_clear_func(all, clear_series);
	return all;
}

static bool few_enough(const char *kind, const char *what, guint count, guint most, const char *advice, GError **error)
{
	if (count <= most)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "--plot %s: %u %s do not fit one picture, which has room for %u%s", kind, count, what, most,
	            advice);
	return false;
}

/* "lockstep, k = 16, 144 banks, 1 port, 1 cycle a request" */
static void add_subheading(const bank_evaluation *e, trace_drawing *d, const char *rest)
{
	const bank_row *row = g_ptr_array_index(e->rows, 0);
	GString *out = g_string_new(NULL);
	bool models, sizes;

	what_varies(e, &models, &sizes);
	if (!models)
		g_string_append_printf(out, "%s, ", bank_model_name(row->result.model));
	if (!sizes && row->k)
		g_string_append_printf(out, "k = %u, ", row->k);
	g_string_append_printf(out, "%u banks of %u port%s, %u cycle%s a request", e->banks, e->options.ports,
	                       e->options.ports == 1 ? "" : "s", e->options.busy_cycles,
	                       e->options.busy_cycles == 1 ? "" : "s");
	g_string_append(out, rest);
	trace_drawing_text(d, "subheading", out->str);
	g_string_free(out, TRUE);
}

/* ------------------------------------------------------------------------------------------------ stride and pitch */

/* The number that KIND varies: "stride:16", "s16", "s16u", "pitch:8192,2", "pitch8192/320B".  False when NAME is
 * another pattern. */
static bool number_in(const char *name, const char *kind, double *x)
{
	const char *const forms[2][3] = {{"strideu", "stride", "s"}, {"pitch", NULL, NULL}};
	bool pitch = strcmp(kind, "pitch") == 0;

	for (unsigned i = 0; i < 3 && forms[pitch][i]; i++) {
		const char *at = name;

		if (!g_str_has_prefix(at, forms[pitch][i]))
			continue;
		at += strlen(forms[pitch][i]);
		at += *at == ':';
		if (g_ascii_isdigit(*at)) {
			*x = (double)g_ascii_strtoull(at, NULL, 10);
			return true;
		}
	}
	return false;
}

typedef struct point {
	unsigned series;
	double x, conflict, slowdown;
} point;

static gint compare_points(gconstpointer a, gconstpointer b)
{
	const point *p = a, *q = b;

	if (p->series != q->series)
		return p->series < q->series ? -1 : 1;
	return p->x < q->x ? -1 : p->x > q->x;
}

/* Doubling from value to value asks for a logarithmic axis. */
static bool is_geometric(const GArray *points)
{
	double ratio = 0, least = HUGE_VAL, most = 0;
	guint steps = 0;

	for (guint i = 0; i < points->len; i++) {
		const point *p = &g_array_index(points, point, i);

		least = MIN(least, p->x);
		most = MAX(most, p->x);
		if (i && p->series == p[-1].series && p[-1].x > 0 && p->x > p[-1].x) {
			ratio += p->x / p[-1].x;
			steps++;
		}
	}
	return steps && least > 0 && most / least >= 16 && ratio / steps > 1.4;
}

/* Values that the first series has: few where the axis is logarithmic, and then each has its tic. */
static void add_tics(trace_drawing *d, const GArray *points)
{
	GString *tics = g_string_new(NULL);

	for (guint i = 0; i < points->len && g_array_index(points, point, i).series == 0; i++) {
		trace_drawing_value(tics, g_array_index(points, point, i).x, '\t');
		trace_drawing_value(tics, g_array_index(points, point, i).x, '\n');
	}
	trace_drawing_table(d, tics);
}

static void add_points(trace_drawing *d, const GArray *points, GArray *all)
{
	GString *rows = g_string_new(NULL);
	GString *panels = g_string_new(NULL);

	for (guint i = 0; i < points->len; i++) {
		const point *p = &g_array_index(points, point, i);

		trace_drawing_value(rows, p->series, '\t');
		trace_drawing_value(rows, p->x, '\t');
		trace_drawing_value(rows, p->conflict, '\t');
		trace_drawing_value(rows, p->slowdown, '\n');
	}
	for (guint i = 0; i < all->len; i++) {
		const series *s = &g_array_index(all, series, i);

		trace_drawing_value(panels, i, '\t');
		trace_drawing_cell(panels, s->label, '\t');
		trace_drawing_value(panels, s->conflict / s->points, '\t');
		trace_drawing_value(panels, s->worst, '\t');
		trace_drawing_value(panels, s->worst_x, '\n');
	}
	trace_drawing_table(d, rows);
	trace_drawing_table(d, panels);
	add_tics(d, points);
	trace_drawing_number(d, "panels", all->len);
	trace_drawing_number(d, "values", (double)points->len / all->len);
	trace_drawing_number(d, "geometric", is_geometric(points));
}

static bool add_sweep(const bank_evaluation *e, trace_drawing *d, const char *kind, GError **error)
{
	bool pitch = strcmp(kind, "pitch") == 0;
	g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(point));
	g_autoptr(GArray) all = series_new();

	for (guint i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);
		point p;
		series *s;

		if (!number_in(row->pattern, kind, &p.x))
			continue;
		p.series = series_of(all, e, row, true);
		p.conflict = 100 * bank_request_conflict(&row->result);
		p.slowdown = row->result.slowdown;
		g_array_append_val(points, p);
		s = &g_array_index(all, series, p.series);
		s->conflict += p.conflict;
		if (!s->points++ || p.conflict > s->worst) {
			s->worst = p.conflict;
			s->worst_x = p.x;
		}
	}
	if (!points->len) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--plot %s: nothing to draw: give --pattern %s", kind,
		            pitch ? "pitch:128..65536*2, say" : "stride:1..256, say");
		return false;
	}
	if (!few_enough(kind, "combinations of map, model and k", all->len, MOST_PANELS, "", error))
		return false;
	g_array_sort(points, compare_points);
	trace_drawing_text(d, "heading", pitch ? "Conflict rate against row pitch" : "Conflict rate against stride");
	add_subheading(e, d, "; request conflict = requests delayed / requests");
	trace_drawing_text(d, "axis", pitch ? "row pitch (bytes)" : "stride (blocks)");
	trace_drawing_text(d, "word", pitch ? "pitch" : "stride");
	add_points(d, points, all);
	return true;
}

/* --------------------------------------------------------------------------------------------------- queue depths */

/* Bins 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15, ...: half octaves. */
static uint64_t bin_start(unsigned bin, bool single)
{
	if (single || bin < 4)
		return bin;
	return (UINT64_C(2) + bin % 2) << (bin / 2 - 1);
}

static double share_of_bin(const bank_result *r, uint64_t from, uint64_t below)
{
	uint64_t sum = 0;

	for (uint64_t delay = from; delay < below && delay < r->delays_count; delay++)
		sum += r->delays[delay];
	return r->requests ? 100 * (double)sum / (double)r->requests : 0;
}

/* Rows of bins, a column for each evaluation; the least share that is not 0. */
static double add_bins(const bank_evaluation *e, trace_drawing *d, unsigned bins, bool single)
{
	GString *rows = g_string_new(NULL);
	double least = 100;

	for (unsigned bin = 0; bin < bins; bin++) {
		uint64_t from = bin_start(bin, single), below = bin_start(bin + 1, single);
		g_autofree char *label =
			below == from + 1 ? g_strdup_printf("%" G_GUINT64_FORMAT, from)
					  : g_strdup_printf("%" G_GUINT64_FORMAT "\342\200\223%" G_GUINT64_FORMAT, from,
		                                            below - 1);

		trace_drawing_value(rows, bin, '\t');
		trace_drawing_cell(rows, label, '\t');
		for (guint i = 0; i < e->rows->len; i++) {
			const bank_row *row = g_ptr_array_index(e->rows, i);
			double share = share_of_bin(&row->result, from, bin + 1 == bins ? UINT64_MAX : below);

			trace_drawing_value(rows, share, i + 1 < e->rows->len ? '\t' : '\n');
			if (share > 0)
				least = MIN(least, share);
		}
	}
	trace_drawing_table(d, rows);
	return least;
}

static bool several_sources(const bank_evaluation *e)
{
	const bank_row *first = g_ptr_array_index(e->rows, 0);

	for (guint i = 1; i < e->rows->len; i++)
		if (strcmp(((const bank_row *)g_ptr_array_index(e->rows, i))->pattern, first->pattern) != 0)
			return true;
	return false;
}

static bool add_queue(const bank_evaluation *e, trace_drawing *d, const char *kind, GError **error)
{
	const bank_row *first = g_ptr_array_index(e->rows, 0);
	bool sources = several_sources(e), depth = e->options.ports == 1 && e->options.busy_cycles == 1;
	g_autofree char *heading = NULL;
	GString *labels;
	size_t longest = 1;
	unsigned bins = 1;
	bool models, sizes;

	if (!few_enough(kind, "combinations of source, map, model and k", e->rows->len, MOST_SERIES, "", error))
		return false;
	for (guint i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);

		longest = MAX(longest, row->result.delays_count);
		depth &= row->result.model != BANK_CLOSED;
	}
	while (bin_start(bins, longest <= SINGLE_BINS) < longest)
		bins++;
	heading = g_strconcat("Queues that requests met", sources ? NULL : ": ", first->pattern, NULL);
	trace_drawing_text(d, "heading", heading);
	add_subheading(e, d, "");
	trace_drawing_text(d, "axis",
	                   depth && !e->options.groups && !e->options.separate
	                           ? "requests ahead in the queue of the bank = cycles waited"
	                           : "cycles waited");
	trace_drawing_number(d, "bins", bins);
	trace_drawing_number(d, "series", e->rows->len);
	trace_drawing_number(d, "least", add_bins(e, d, bins, longest <= SINGLE_BINS));
	what_varies(e, &models, &sizes);
	labels = g_string_new(NULL);
	for (guint i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);
		g_autofree char *label = label_of(row, models, sizes);
		g_autofree char *full = sources ? g_strdup_printf("%s, %s", row->pattern, label) : g_strdup(label);

		trace_drawing_cell(labels, full, '\t');
		trace_drawing_value(labels, bank_mean_delay(&row->result), '\n');
	}
	trace_drawing_table(d, labels);
	return true;
}

/* ------------------------------------------------------------------------------------------------ entropy of bits */

static bool add_entropy(const bank_evaluation *e, trace_drawing *d, const char *kind, GError **error)
{
	GString *rows = g_string_new(NULL);
	GString *labels = g_string_new(NULL);
	const bank_bits *last = NULL;
	unsigned panels = 0, most = 1;
	bool models, sizes;

	what_varies(e, &models, &sizes);
	for (guint i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);
		g_autofree char *label = NULL;

		if (row->bits == last)
			continue;
		last = row->bits;
		label = sizes && row->k ? g_strdup_printf("%s, k %u", row->pattern, row->k) : g_strdup(row->pattern);
		trace_drawing_cell(labels, label, '\t');
		trace_drawing_value(labels, last->window_accesses, '\n');
		most = MAX(most, bank_bits_used(last));
		for (unsigned bit = 0; bit < MAX(bank_bits_used(last), 1); bit++) {
			trace_drawing_value(rows, panels, '\t');
			trace_drawing_value(rows, bit, '\t');
			trace_drawing_value(rows, bank_bits_entropy(last, bit), '\t');
			trace_drawing_value(rows, bank_bits_window_entropy(last, bit), '\n');
		}
		panels++;
	}
	trace_drawing_table(d, rows);
	trace_drawing_table(d, labels);
	trace_drawing_number(d, "panels", panels);
	trace_drawing_number(d, "bits", most);
	trace_drawing_text(d, "heading", "Entropy of each bit of the block numbers");
	trace_drawing_text(
		d, "subheading",
		"a hash must not rely on bits that hardly change within a window, whatever they do over the whole");
	return few_enough(kind, "sources", panels, MOST_PANELS, "", error);
}

/* ------------------------------------------------------------------------------------------------ maps side by side */

typedef struct bar {
	const bank_row *row;
	const char *name;
	double conflict, slowdown;
} bar;

/* A bar for each row, or summary when there are summaries. */
static GArray *bars_of(const bank_evaluation *e)
{
	GArray *bars = g_array_new(FALSE, FALSE, sizeof(bar));

	if (bank_setting.summary) {
		g_autoptr(GArray) all = bank_summaries(e);

		for (guint i = 0; i < all->len; i++) {
			const bank_summary *s = &g_array_index(all, bank_summary, i);
			bar b = {s->first, s->first->group_name, 100 * s->request_conflict, s->slowdown};

			g_array_append_val(bars, b);
		}
		return bars;
	}
	for (guint i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);
		bar b = {row, row->pattern, 100 * bank_request_conflict(&row->result), row->result.slowdown};

		g_array_append_val(bars, b);
	}
	return bars;
}

static void add_bar_tables(trace_drawing *d, const GArray *bars, const GArray *all, const GPtrArray *places)
{
	GString *names = g_string_new(NULL);
	GString *labels = g_string_new(NULL);

	for (guint i = 0; i < places->len; i++) {
		trace_drawing_value(names, i, '\t');
		trace_drawing_cell(names, g_ptr_array_index(places, i), '\n');
	}
	for (guint i = 0; i < all->len; i++) {
		const series *s = &g_array_index(all, series, i);

		trace_drawing_cell(labels, s->label, '\t');
		trace_drawing_value(labels, s->conflict / MAX(s->points, 1), '\n');
	}
	trace_drawing_table(d, names);
	trace_drawing_table(d, labels);
	trace_drawing_number(d, "series", all->len);
	trace_drawing_number(d, "places", places->len);
	trace_drawing_number(d, "bars", bars->len);
}

/* Where the bars of this source and k stand. */
static guint place_of(GPtrArray *places, const bar *b, bool sizes)
{
	g_autofree char *name =
		sizes && b->row->k ? g_strdup_printf("%s, k %u", b->name, b->row->k) : g_strdup(b->name);
	guint at;

	if (g_ptr_array_find_with_equal_func(places, name, g_str_equal, &at))
		return at;
	g_ptr_array_add(places, g_steal_pointer(&name));
	return places->len - 1;
}

static bool add_bars(const bank_evaluation *e, trace_drawing *d, const char *kind, GError **error)
{
	g_autoptr(GArray) bars = bars_of(e);
	g_autoptr(GArray) all = series_new();
	g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(g_free);
	GString *rows = g_string_new(NULL);
	double slowest = 1, most = 0;
	bool models, sizes;

	what_varies(e, &models, &sizes);
	for (guint i = 0; i < bars->len; i++) {
		const bar *b = &g_array_index(bars, bar, i);
		unsigned at = series_of(all, e, b->row, false);
		series *s = &g_array_index(all, series, at);

		s->conflict += b->conflict;
		s->points++;
		trace_drawing_value(rows, place_of(places, b, sizes), '\t');
		trace_drawing_value(rows, at, '\t');
		trace_drawing_value(rows, b->conflict, '\t');
		trace_drawing_value(rows, b->slowdown, '\n');
		slowest = MAX(slowest, b->slowdown);
		most = MAX(most, b->conflict);
	}
	trace_drawing_table(d, rows);
	add_bar_tables(d, bars, all, places);
	trace_drawing_number(d, "slowest", slowest);
	trace_drawing_number(d, "most", most);
	trace_drawing_text(d, "heading", "Bank maps compared");
	add_subheading(e, d,
	               bank_setting.summary ? "; means over the sources of a pattern, each alike"
	                                    : "; request conflict = requests delayed / requests");
	return few_enough(kind, "combinations of map and model", all->len, MOST_SERIES, "", error) &&
	       few_enough(kind, "sources", places->len, MOST_BARS, "; --summary makes one of each pattern", error);
}

/* ---------------------------------------------------------------------------------------------------------- kinds */

static const plot_kind kinds[] = {
	{{"stride", "conflict rate against stride, a strip for each map"}, "bank_sweep", add_sweep},
	{{"pitch", "conflict rate against the pitch of rows in bytes"}, "bank_sweep", add_sweep},
	{{"queue", "histogram of the queues that requests met"}, "bank_queue", add_queue},
	{{"entropy", "entropy of each bit of the block numbers, whole and in windows"}, "bank_entropy", add_entropy},
	{{"bars", "maps side by side: conflict rate and slowdown of each source"}, "bank_bars", add_bars},
};

const bank_plot_kind *bank_plot_kinds(size_t *count)
{
	static bank_plot_kind list[G_N_ELEMENTS(kinds)];

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		list[i] = kinds[i].base;
	*count = G_N_ELEMENTS(kinds);
	return list;
}

static const plot_kind *find_kind(const char *name, GError **error)
{
	const char *names[G_N_ELEMENTS(kinds) + 1] = {NULL};

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		names[i] = kinds[i].base.name;
		if (strcmp(names[i], name) == 0)
			return &kinds[i];
	}
	tool_unknown(error, "--plot", name, names);
	return NULL;
}

bool bank_plot_check(const char *kind, const char *output, GError **error)
{
	if (!kind && !output)
		return true;
	if (!kind || !output) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank: %s",
		            kind ? "give the file of --plot with -o FILE.png, .svg, .pdf or .tsv"
		                 : "-o is the file of a picture; say which with --plot KIND");
		return false;
	}
	if (!find_kind(kind, error) || !trace_draw_check(output, error))
		return false;
	if (bank_setting.summary && strcmp(kind, "bars") != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "--plot %s draws each source; --summary is for --plot bars", kind);
		return false;
	}
	return true;
}

bool bank_plot(const bank_evaluation *e, const char *kind, const char *output, GError **error)
{
	const plot_kind *k = find_kind(kind, error);
	trace_drawing *d = trace_drawing_new();
	bool ok = k && k->add(e, d, kind, error) && trace_draw(d, k->drawing, output, error);

	trace_drawing_free(d);
	return ok;
}
