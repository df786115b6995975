/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of a front.  Columns of the CSV file are found by their names, so files with further ones, or of other
 * programs, can be drawn: map, gates_nand2, held_conflict_percent, lost_percent, and where there are any on_front and
 * xor2.
 */
#include <string.h>

#include "isa/file.h"
#include "tools/bank_plot.h"
#include "tools/tool.h"
#include "traces/draw.h"

enum { COLUMN_MAP, COLUMN_GATES, COLUMN_CONFLICT, COLUMN_LOST, COLUMN_FRONT, COLUMN_XOR, COLUMNS };
enum { MOST_NAMED = 40, NAME_CHARS = 30 };

static const char *const column_names[COLUMNS] = {"map",          "gates_nand2", "held_conflict_percent",
                                                  "lost_percent", "on_front",    "xor2"};

typedef struct candidate {
	char *map; /* or what stands for it */
	double gates, conflict, lost;
	bool front;
	unsigned line; /* keeps the order of the file among equals */
} candidate;

static void clear_candidate(gpointer data)
{
	g_free(((candidate *)data)->map);
}

/* A line of CSV as cells; quoted ones may hold commas, "" is a quote. */
static GPtrArray *cells_of(const char *line)
{
	GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
	GString *cell = g_string_new(NULL);
	bool quoted = false;

	for (;; line++) {
		if (*line == '"' && quoted && line[1] == '"') {
			g_string_append_c(cell, '"');
			line++;
		} else if (*line == '"') {
			quoted = !quoted;
		} else if (*line == '\0' || (*line == ',' && !quoted)) {
			g_ptr_array_add(cells, g_strdup(cell->str));
			g_string_truncate(cell, 0);
			if (!*line)
				break;
		} else if (*line != '\r') {
			g_string_append_c(cell, *line);
		}
	}
	g_string_free(cell, TRUE);
	return cells;
}

static bool find_columns(const char *path, const char *line, guint place[COLUMNS], GError **error)
{
	g_autoptr(GPtrArray) head = cells_of(line);

	for (unsigned c = 0; c < COLUMNS; c++)
		if (!g_ptr_array_find_with_equal_func(head, column_names[c], g_str_equal, &place[c])) {
			place[c] = UINT_MAX;
			if (c == COLUMN_FRONT || c == COLUMN_XOR)
				continue;
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "%s:1: no column '%s'; expected the file of `tspsim bank search --output`", path,
			            column_names[c]);
			return false;
		}
	return true;
}

static const char *cell_at(const GPtrArray *cells, guint place)
{
	return place < cells->len ? g_ptr_array_index(cells, place) : "";
}

/* A number of CELLS; *KNOWN becomes false where the cell is empty. */
static bool number_of(const char *path, unsigned line, const GPtrArray *cells, guint place, double *value, bool *known,
                      GError **error)
{
	const char *text = cell_at(cells, place);
	char *end;

	*value = 0;
	if (!*text) {
		*known = false;
		return true;
	}
	*value = g_ascii_strtod(text, &end);
	if (!*end && end != text)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u: expected a number, not '%s'", path, line, text);
	return false;
}

/* The map's text; of a long one its family and number of gates, or its beginning. */
static char *name_of(const GPtrArray *cells, const guint place[COLUMNS])
{
	const char *map = cell_at(cells, place[COLUMN_MAP]);
	const char *xor2 = cell_at(cells, place[COLUMN_XOR]);

	if (strlen(map) <= NAME_CHARS)
		return g_strdup(map);
	if (*xor2)
		return g_strdup_printf("%.*s of %s XOR2", (int)MIN(strcspn(map, ":"), NAME_CHARS), map, xor2);
	return g_strdup_printf("%.*s...", NAME_CHARS - 2, map);
}

/* Appends the candidate of one line; those without gates or conflict are counted in *LEFT_OUT. */
static bool read_line(const char *path, unsigned number, const char *line, const guint place[COLUMNS], GArray *all,
                      unsigned *left_out, GError **error)
{
	g_autoptr(GPtrArray) cells = cells_of(line);
	candidate c = {.line = number};
	bool known = true;
	double front = 0;
	bool marked = place[COLUMN_FRONT] != UINT_MAX;

	if (!number_of(path, number, cells, place[COLUMN_GATES], &c.gates, &known, error) ||
	    !number_of(path, number, cells, place[COLUMN_CONFLICT], &c.conflict, &known, error) ||
	    !number_of(path, number, cells, place[COLUMN_LOST], &c.lost, &known, error) ||
	    (marked && !number_of(path, number, cells, place[COLUMN_FRONT], &front, &known, error)))
		return false;
	if (!known) {
		(*left_out)++;
		return true;
	}
	c.front = !marked || front > 0;
	c.map = name_of(cells, place);
	g_array_append_val(all, c);
	return true;
}

/* The front by gates, then conflict; the others after it. */
static gint compare(gconstpointer a, gconstpointer b)
{
	const candidate *p = a, *q = b;

	if (p->front != q->front)
		return p->front ? -1 : 1;
	if (p->gates != q->gates)
		return p->gates < q->gates ? -1 : 1;
	if (p->conflict != q->conflict)
		return p->conflict < q->conflict ? -1 : 1;
	return p->line < q->line ? -1 : p->line > q->line;
}

static void add_candidates(trace_drawing *d, const GArray *all, unsigned left_out)
{
	GString *rows = g_string_new(NULL);
	unsigned front = 0;
	double most_gates = 1, most_conflict = 0, most_lost = 0;
	g_autofree char *subheading = NULL;

	for (guint i = 0; i < all->len; i++) {
		const candidate *c = &g_array_index(all, candidate, i);
		bool named = c->front && front < MOST_NAMED;

		front += c->front;
		trace_drawing_value(rows, c->gates, '\t');
		trace_drawing_value(rows, c->conflict, '\t');
		trace_drawing_value(rows, c->lost, '\t');
		trace_drawing_value(rows, c->front, '\t');
		trace_drawing_value(rows, named ? i + 1 : 0, '\t');
		trace_drawing_cell(rows, c->map, '\n');
		most_gates = MAX(most_gates, c->gates);
		most_conflict = MAX(most_conflict, c->conflict);
		most_lost = MAX(most_lost, c->lost);
	}
	subheading =
		left_out ? g_strdup_printf("%u map%s, %u on the front of conflicts, gates and lost capacity; %u more "
	                                   "have no estimate of gates",
	                                   all->len, tsp_s(all->len), front, left_out)
			 : g_strdup_printf("%u map%s, %u on the front of conflicts, gates and lost capacity", all->len,
	                                   tsp_s(all->len), front);
	trace_drawing_table(d, rows);
	trace_drawing_text(d, "heading", "Bank maps: conflict rate on held-out streams against gates");
	trace_drawing_text(d, "subheading", subheading);
	trace_drawing_number(d, "front", front);
	trace_drawing_number(d, "named", MIN(front, MOST_NAMED));
	trace_drawing_number(d, "gates", most_gates);
	trace_drawing_number(d, "conflict", most_conflict);
	trace_drawing_number(d, "lost", most_lost);
}

static GArray *read_csv(const char *path, unsigned *left_out, GError **error)
{
	g_autofree char *text = tsp_file_read(path, NULL, error);
	g_auto(GStrv) lines = NULL;
	GArray *all;
	guint place[COLUMNS];

	if (!text)
		return NULL;
	lines = g_strsplit(text, "\n", -1);
	if (!find_columns(path, lines[0] ? lines[0] : "", place, error))
		return NULL;
	all = g_array_new(FALSE, FALSE, sizeof(candidate));
	g_array_set_clear_func(all, clear_candidate);
	for (unsigned i = 1; lines[i]; i++)
		if (*lines[i] && !read_line(path, i + 1, lines[i], place, all, left_out, error)) {
			g_array_unref(all);
			return NULL;
		}
	if (all->len)
		return all;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: nothing to draw: no map has gates and a conflict rate",
	            path);
	g_array_unref(all);
	return NULL;
}

bool bank_front_plot(const char *csv, const char *output, GError **error)
{
	unsigned left_out = 0;
	GArray *all;
	trace_drawing *d;
	bool ok;

	if (!trace_draw_check(output, error))
		return false;
	all = read_csv(csv, &left_out, error);
	if (!all)
		return false;
	g_array_sort(all, compare);
	d = trace_drawing_new();
	add_candidates(d, all, left_out);
	ok = trace_draw(d, "front", output, error);
	trace_drawing_free(d);
	g_array_unref(all);
	return ok;
}
