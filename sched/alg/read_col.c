/* SPDX-License-Identifier: Apache-2.0
 *
 * DIMACS .col files: "c" comments, one "p edge NODES EDGES" (or "p col"), then "e A B" an edge each, which may be
 * listed once or twice.  Beyond it: "n NODE COST", as in weighted sets, and "a A B WEIGHT", a copy between two nodes.
 */
#include <math.h>
#include <string.h>

#include "sched/alg/color.h"

typedef struct cursor {
	const char *file, *line, *at;
	unsigned number;
	GHashTable *costs; /* nodes that have a line 'n' */
} cursor;

static bool fail(const cursor *c, const char *expected, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: expected %s", c->file, c->number,
	            (unsigned)(c->at - c->line) + 1, expected);
	return false;
}

static void skip_space(cursor *c)
{
	while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')
		c->at++;
}

/* A whole number from MIN to MAX. */
static bool whole(cursor *c, uint64_t min, uint64_t max, const char *expected, uint64_t *out, GError **error)
{
	const char *begin;
	uint64_t value = 0;

	skip_space(c);
	begin = c->at;
	while (g_ascii_isdigit(*c->at) && value <= max)
		value = value * 10 + (uint64_t)(*c->at++ - '0');
	if (c->at == begin || value < min || value > max || g_ascii_isdigit(*c->at)) {
		c->at = begin;
		return fail(c, expected, error);
	}
	*out = value;
	return true;
}

static bool weight(cursor *c, double *out, GError **error)
{
	char *end;

	skip_space(c);
	*out = g_ascii_strtod(c->at, &end);
	if (end == c->at || !(*out >= 0) || isinf(*out))
		return fail(c, "a number from 0", error);
	c->at = end;
	return true;
}

static bool line_end(cursor *c, GError **error)
{
	skip_space(c);
	return !*c->at || fail(c, "the end of the line", error);
}

static bool read_problem(cursor *c, color_graph **g, GError **error)
{
	uint64_t nodes, edges;

	if (*g)
		return fail(c, "one line 'p', found a second one", error);
	skip_space(c);
	if (g_str_has_prefix(c->at, "edges"))
		c->at += 5;
	else if (g_str_has_prefix(c->at, "edge"))
		c->at += 4;
	else if (g_str_has_prefix(c->at, "col"))
		c->at += 3;
	else
		return fail(c, "'edge' or 'col'", error);
	if (!whole(c, 1, COLOR_NODES_MAX, "a number of nodes from 1 to 40000", &nodes, error) ||
	    !whole(c, 0, UINT32_MAX, "a number of edges", &edges, error) || !line_end(c, error))
		return false;
	*g = color_graph_new((uint32_t)nodes);
	return true;
}

static bool read_line(cursor *c, color_graph **g, GError **error)
{
	const char *begin = c->at;
	char what = *c->at++;
	uint64_t a, b;
	double value;

	if (!what || what == 'c')
		return true;
	/* DIMACS: dimension, places of nodes, parameters of the generator. */
	if ((what == 'd' || what == 'v' || what == 'x') && (*c->at == ' ' || *c->at == '\t'))
		return true;
	if (what == 'p')
		return read_problem(c, g, error);
	if ((what != 'e' && what != 'n' && what != 'a') || (*c->at && *c->at != ' ' && *c->at != '\t')) {
		c->at = begin;
		return fail(c, "a line 'c', 'p', 'e', 'n' or 'a'", error);
	}
	if (!*g) {
		c->at = begin;
		return fail(c, "'p edge NODES EDGES' before it", error);
	}
	if (!whole(c, 1, (*g)->nodes, "the number of a node", &a, error))
		return false;
	if (what == 'n') {
		if (!g_hash_table_add(c->costs, GUINT_TO_POINTER((guint)a))) {
			c->at = begin;
			return fail(c, "one line 'n' for each node, found a second one", error);
		}
		if (!weight(c, &value, error) || !line_end(c, error))
			return false;
		(*g)->cost[a - 1] = value;
		return true;
	}
	if (!whole(c, 1, (*g)->nodes, "the number of a node", &b, error))
		return false;
	if (what == 'a') {
		color_affinity affinity = {(uint32_t)a - 1, (uint32_t)b - 1, 1};

		if (!weight(c, &affinity.weight, error) || !line_end(c, error))
			return false;
		g_array_append_val((*g)->affinities, affinity);
		return true;
	}
	if (!line_end(c, error))
		return false;
	color_add_edge(*g, (uint32_t)a - 1, (uint32_t)b - 1);
	return true;
}

color_graph *color_read(const char *text, const char *file, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GHashTable) costs = g_hash_table_new(NULL, NULL);
	cursor c = {.file = file, .costs = costs};
	color_graph *g = NULL;
	bool fine = true;

	for (guint i = 0; fine && lines[i]; i++) {
		c.line = c.at = lines[i];
		c.number = i + 1;
		skip_space(&c);
		fine = read_line(&c, &g, error);
	}
	if (fine && !g)
		fine = fail(&(cursor){file, "", "", 1, NULL}, "a line 'p edge NODES EDGES'", error);
	if (!fine)
		g_clear_pointer(&g, color_graph_free);
	return g;
}
