/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs to be cut into pipeline stages: the JSON of the device placement benchmarks of 2020, and the profiles of
 * PipeDream.
 *
 * JSON: nodes (id, supportedOnFpga, cpuLatency, fpgaLatency, size, isBackwardNode, colorClass), edges (sourceId,
 * destId, cost), maxFPGAs, maxCPUs, maxSizePerFPGA.  The cost of an edge is that of its source's output, the same on
 * all edges of a node; elements without one take no time.  Other members are skipped.
 */
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/alg/partition.h"

/* A member of OBJECT that is a number, or STANDARD where it is missing; false when it is something else or negative. */
static bool number(JsonObject *object, const char *name, double standard, double *out)
{
	JsonNode *node = json_object_get_member(object, name);
	GType type;

	*out = standard;
	if (!node || JSON_NODE_HOLDS_NULL(node))
		return true;
	if (!JSON_NODE_HOLDS_VALUE(node))
		return false;
	type = json_node_get_value_type(node);
	if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE && type != G_TYPE_BOOLEAN)
		return false;
	*out = type == G_TYPE_BOOLEAN ? json_node_get_boolean(node) : json_node_get_double(node);
	return *out >= 0 && isfinite(*out);
}

static bool fail(const char *file, const char *where, guint index, const char *what, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s[%u]: expected %s", file, where, index, what);
	return false;
}

static bool read_node(const char *file, JsonArray *array, guint i, part_problem *p, GHashTable *numbers, GError **error)
{
	JsonNode *element = json_array_get_element(array, i);
	JsonObject *o;
	part_node n = {.class = UINT32_MAX};
	double id, on_accelerator, backward, class;

	if (!JSON_NODE_HOLDS_OBJECT(element))
		return fail(file, "nodes", i, "an object", error);
	o = json_node_get_object(element);
	if (!json_object_has_member(o, "id") || !number(o, "id", 0, &id) || id != floor(id) || id > UINT32_MAX)
		return fail(file, "nodes", i, "id, a whole number", error);
	if (!number(o, "supportedOnFpga", 1, &on_accelerator) || !number(o, "isBackwardNode", 0, &backward))
		return fail(file, "nodes", i, "supportedOnFpga and isBackwardNode to be 0 or 1", error);
	if (!number(o, "fpgaLatency", 0, &n.work) || !number(o, "cpuLatency", 0, &n.host_work) ||
	    !number(o, "size", 0, &n.bytes))
		return fail(file, "nodes", i, "fpgaLatency, cpuLatency and size to be numbers from 0", error);
	if (!number(o, "colorClass", UINT32_MAX, &class) || class > UINT32_MAX)
		return fail(file, "nodes", i, "colorClass to be a whole number", error);
	if (!g_hash_table_insert(numbers, GUINT_TO_POINTER((guint)id), GUINT_TO_POINTER(p->nodes->len)))
		return fail(file, "nodes", i, "an id that no other node has", error);
	if (on_accelerator == 0)
		n.work = INFINITY;
	n.backward = backward != 0;
	n.class = (uint32_t) class;
	n.name = g_strdup_printf("%u", (guint)id);
	g_array_append_val(p->nodes, n);
	return true;
}

static bool read_edge(const char *file, JsonArray *array, guint i, part_problem *p, GHashTable *numbers, GError **error)
{
	JsonNode *element = json_array_get_element(array, i);
	static const char *const names[] = {"sourceId", "destId"};
	uint32_t end[2];
	part_edge e;
	part_node *source;
	double cost;

	if (!JSON_NODE_HOLDS_OBJECT(element))
		return fail(file, "edges", i, "an object", error);
	for (unsigned k = 0; k < 2; k++) {
		double id;
		gpointer found;

		if (!number(json_node_get_object(element), names[k], -1, &id) || id != floor(id) || id > UINT32_MAX ||
		    !g_hash_table_lookup_extended(numbers, GUINT_TO_POINTER((guint)id), NULL, &found))
			return fail(file, "edges", i, "sourceId and destId to be ids of nodes", error);
		end[k] = GPOINTER_TO_UINT(found);
	}
	if (!number(json_node_get_object(element), "cost", 0, &cost))
		return fail(file, "edges", i, "cost to be a number from 0", error);
	if (end[0] == end[1])
		return fail(file, "edges", i, "two nodes", error);
	source = &g_array_index(p->nodes, part_node, end[0]);
	source->transfer = MAX(source->transfer, cost);
	e = (part_edge){end[0], end[1]};
	g_array_append_val(p->edges, e);
	return true;
}

static JsonArray *array_of(JsonObject *o, const char *name, const char *file, GError **error)
{
	JsonNode *node = json_object_get_member(o, name);

	if (node && JSON_NODE_HOLDS_ARRAY(node))
		return json_node_get_array(node);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected an array '%s'", file, name);
	return NULL;
}

enum { DEVICES_MAX = 1000, LEVELS_MAX = 64 };

/* Where a look over the text is. */
typedef struct glance {
	const char *file, *at, *end, *begin; /* BEGIN: of the line */
	unsigned line, levels;
	GHashTable *members[LEVELS_MAX + 1]; /* names of each open object; NULL: an array */
} glance;

static bool G_GNUC_PRINTF(3, 4) glance_fail(const glance *g, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: %s", g->file, g->line,
	            (unsigned)(g->at - g->begin) + 1, text);
	return false;
}

/* A string, at whose first quote the cursor is; left at its last one.  Is it a member's name, and there already? */
static bool glance_at_string(glance *g, GError **error)
{
	const char *from = g->at, *to, *next;
	g_autofree char *quoted = NULL;
	g_autoptr(JsonNode) name = NULL;

	for (to = from + 1; to < g->end && *to != '"'; to++)
		if (*to == '\\' && to + 1 < g->end)
			to++;
	next = MIN(to + 1, g->end);
	while (next < g->end && g_ascii_isspace(*next))
		next++;
	if (to >= g->end || next == g->end || *next != ':' || !g->members[g->levels]) {
		g->at = to;
		return true;
	}
	quoted = g_strndup(from, (gsize)(to + 1 - from));
	name = json_from_string(quoted, NULL);
	if (name && json_node_get_string(name) &&
	    !g_hash_table_add(g->members[g->levels], g_strdup(json_node_get_string(name))))
		return glance_fail(g, error, "member '%s' stands twice in this object", json_node_get_string(name));
	g->at = to;
	return true;
}

/* What the parser does not say: names that stand twice in an object, of which it would take the last, and depth, since
 * it goes down by recursion; files of the benchmarks have three levels. */
static bool look_over(const char *text, gsize length, const char *file, GError **error)
{
	glance g = {.file = file, .at = text, .end = text + length, .begin = text, .line = 1};
	bool fine = true;

	for (; fine && g.at < g.end; g.at++) {
		if (*g.at == '\n') {
			g.line++;
			g.begin = g.at + 1;
		} else if (*g.at == '"') {
			fine = glance_at_string(&g, error);
		} else if ((*g.at == '{' || *g.at == '[') && g.levels == LEVELS_MAX) {
			fine = glance_fail(&g, error, "expected at most %d levels", LEVELS_MAX);
		} else if (*g.at == '{' || *g.at == '[') {
			g.members[++g.levels] =
				*g.at == '{' ? g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) : NULL;
		} else if ((*g.at == '}' || *g.at == ']') && g.levels) {
			g_clear_pointer(&g.members[g.levels--], g_hash_table_unref);
		}
	}
	while (g.levels)
		g_clear_pointer(&g.members[g.levels--], g_hash_table_unref);
	return fine;
}

static bool read_object(JsonObject *o, const char *file, part_problem *p, GError **error)
{
	JsonArray *nodes = array_of(o, "nodes", file, error);
	JsonArray *edges = nodes ? array_of(o, "edges", file, error) : NULL;
	g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
	double accelerators, hosts;

	if (!edges)
		return false;
	if (!number(o, "maxFPGAs", 1, &accelerators) || !number(o, "maxCPUs", 0, &hosts) ||
	    accelerators > DEVICES_MAX || hosts > DEVICES_MAX || accelerators + hosts < 1 ||
	    !number(o, "maxSizePerFPGA", INFINITY, &p->memory_bytes)) {
		g_set_error(
			error, TSP_ERROR, TSP_ERROR_USER,
			"%s: expected maxFPGAs and maxCPUs to be numbers up to %d, not both 0, and maxSizePerFPGA one "
			"from 0",
			file, DEVICES_MAX);
		return false;
	}
	p->accelerators = (uint32_t)accelerators;
	p->hosts = (uint32_t)hosts;
	for (guint i = 0; i < json_array_get_length(nodes); i++)
		if (!read_node(file, nodes, i, p, numbers, error))
			return false;
	for (guint i = 0; i < json_array_get_length(edges); i++)
		if (!read_edge(file, edges, i, p, numbers, error))
			return false;
	if (p->nodes->len)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected at least one node", file);
	return false;
}

part_problem *part_read_json(const char *text, gsize length, const char *file, GError **error)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	part_problem *p = part_problem_new();
	GError *cause = NULL;
	JsonNode *root;
	bool fine = false;

	if (!look_over(text, length, file, error)) {
		part_problem_free(p);
		return NULL;
	}
	if (!json_parser_load_from_data(parser, text, (gssize)length, &cause)) {
		const char *place =
			g_str_has_prefix(cause->message, "<data>:") ? cause->message + strlen("<data>:") : NULL;

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%s", file, place ? place : cause->message);
		g_error_free(cause);
	} else {
		root = json_parser_get_root(parser);
		if (root && JSON_NODE_HOLDS_OBJECT(root))
			fine = read_object(json_node_get_object(root), file, p, error);
		else
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:1:1: expected an object", file);
	}
	if (!fine)
		g_clear_pointer(&p, part_problem_free);
	return p;
}

/* The number after KEY= in TEXT, where it stands once. */
static bool figure(const char *text, const char *key, double *out)
{
	g_autofree char *wanted = g_strconcat(key, "=", NULL);
	const char *at = strstr(text, wanted), *start;
	char *end;

	if (!at || strstr(at + 1, wanted))
		return false;
	at += strlen(wanted);
	start = at;
	/* A tensor list's size is the sum of its members. */
	end = (char *)at;
	if (*at == '[')
		for (*out = 0, at++; *at && *at != ']'; at = *end == ';' ? end + 1 : end) {
			double one = g_ascii_strtod(at, &end);

			if (end == at)
				return false;
			*out += one;
		}
	else
		*out = g_ascii_strtod(at, &end);
	return end != start && *out >= 0 && isfinite(*out);
}

static bool place_error(const char *file, guint line, const char *what, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:1: expected %s", file, line, what);
	return false;
}

static bool read_line(part_problem *p, GHashTable *numbers, const char *file, guint line, char *text, double rate,
                      GError **error)
{
	bool is_edge = g_ascii_isspace(text[0]);
	g_auto(GStrv) parts = g_strsplit(g_strstrip(text), " -- ", 3);
	guint count = g_strv_length(parts);
	gpointer from, to;

	if (!is_edge) {
		part_node n = {.class = UINT32_MAX, .host_work = INFINITY};
		double forward, backward, activation, parameters;

		if (count != 3 || !figure(parts[2], "forward_compute_time", &forward) ||
		    !figure(parts[2], "backward_compute_time", &backward) ||
		    !figure(parts[2], "activation_size", &activation) ||
		    !figure(parts[2], "parameter_size", &parameters))
			return place_error(file, line,
			                   "'NAME -- LAYER -- forward_compute_time=.., backward_compute_time=.., "
			                   "activation_size=.., parameter_size=..', each once",
			                   error);
		if (g_hash_table_contains(numbers, parts[0]))
			return place_error(file, line, "a name that no other node has", error);
		n.name = g_strdup(parts[0]);
		n.work = forward + backward;
		n.bytes = parameters;
		n.transfer = rate > 0 ? activation / rate : 0;
		g_hash_table_insert(numbers, n.name, GUINT_TO_POINTER(p->nodes->len));
		g_array_append_val(p->nodes, n);
		return true;
	}
	if (count != 2 || !g_hash_table_lookup_extended(numbers, g_strstrip(parts[0]), NULL, &from) ||
	    !g_hash_table_lookup_extended(numbers, g_strstrip(parts[1]), NULL, &to) || from == to)
		return place_error(file, line, "'NAME -- NAME', two nodes from above", error);
	g_array_append_val(p->edges, ((part_edge){GPOINTER_TO_UINT(from), GPOINTER_TO_UINT(to)}));
	return true;
}

part_problem *part_read_profile(const char *text, const char *file, double bytes_per_ms, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
	part_problem *p = part_problem_new();
	bool fine = true;

	p->accelerators = 1;
	p->memory_bytes = INFINITY;
	/* Nodes first: an edge may stand before one of its ends. */
	for (unsigned edges = 0; edges < 2; edges++)
		for (guint i = 0; fine && lines[i]; i++)
			if (*lines[i] && (g_ascii_isspace(lines[i][0]) != 0) == (edges == 1) &&
			    lines[i][strspn(lines[i], " \t\r")])
				fine = read_line(p, numbers, file, i + 1, lines[i], bytes_per_ms, error);
	if (fine && !p->nodes->len)
		fine = place_error(file, 1, "at least one node", error);
	if (!fine)
		g_clear_pointer(&p, part_problem_free);
	return p;
}
