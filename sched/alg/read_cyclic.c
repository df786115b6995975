/* SPDX-License-Identifier: Apache-2.0
 *
 * Loop bodies as text, a statement a line, '#' begins a comment:
 *
 *   resource NAME CAPACITY
 *   op NAME [USE... [| USE...]...]             modes between bars; "-" is a mode that uses nothing
 *   value FROM TO LATENCY [DISTANCE]           TO reads what FROM writes
 *   order FROM TO LATENCY [DISTANCE]           only the order matters
 *
 * A USE is RESOURCE[*AMOUNT][@OFFSET][:LENGTH].  What is named has been declared above.
 */
#include <string.h>

#include "sched/alg/cyclic.h"

typedef struct cursor {
	const char *file, *line, *at;
	unsigned number;
	cyclic_problem *p;
	GHashTable *resources, *ops; /* name -> number + 1 */
} cursor;

static bool fail_at(const cursor *c, const char *at, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);

static bool fail_at(const cursor *c, const char *at, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: %s", c->file, c->number, (unsigned)(at - c->line) + 1,
	            text);
	return false;
}

/* To the next word; false at the end of the line. */
static bool next(cursor *c)
{
	while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')
		c->at++;
	return *c->at && *c->at != '#';
}

static bool is_name(char ch)
{
	return g_ascii_isalnum(ch) || ch == '_' || ch == '.' || ch == '-';
}

/* A name: letters, digits, '_', '.', '-', not a digit or '-' first; g_free. */
static char *name(cursor *c, const char *what, GError **error)
{
	const char *begin;

	next(c);
	begin = c->at;
	if (!g_ascii_isalpha(*c->at) && *c->at != '_') {
		fail_at(c, begin, error, "expected %s", what);
		return NULL;
	}
	while (is_name(*c->at))
		c->at++;
	return g_strndup(begin, (gsize)(c->at - begin));
}

static bool whole(cursor *c, const char *what, int64_t least, int64_t most, int64_t *value, GError **error)
{
	const char *begin;
	int64_t v = 0;
	bool minus;

	next(c);
	begin = c->at;
	minus = *c->at == '-' && least < 0;
	c->at += minus;
	if (!g_ascii_isdigit(*c->at))
		return fail_at(c, begin, error, "expected %s", what);
	while (g_ascii_isdigit(*c->at) && v <= CYCLIC_CAPACITY_MAX)
		v = v * 10 + (*c->at++ - '0');
	v = minus ? -v : v;
	if (v < least || v > most || is_name(*c->at))
		return fail_at(c, begin, error,
		               "expected %s, a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, what,
		               least, most);
	*value = v;
	return true;
}

/* The number of something declared. */
static bool look_up(cursor *c, GHashTable *table, const char *what, uint32_t *number, GError **error)
{
	g_autofree char *word = NULL;
	const char *begin, *near;
	gpointer found;

	next(c);
	begin = c->at;
	word = name(c, what, error);
	if (!word)
		return false;
	found = g_hash_table_lookup(table, word);
	if (!found) {
		GPtrArray *names = g_ptr_array_new();
		guint count = table == c->ops ? c->p->ops->len : c->p->resources->len;

		for (uint32_t i = 0; i < count; i++)
			g_ptr_array_add(names, table == c->ops ? cyclic_op_at(c->p, i)->name
			                                       : cyclic_resource_at(c->p, i)->name);
		g_ptr_array_add(names, NULL);
		near = tsp_nearest(word, (const char *const *)names->pdata);
		fail_at(c, begin, error, "expected %s declared above, found '%s'%s%s%s", what, word,
		        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
		g_ptr_array_free(names, TRUE);
		return false;
	}
	*number = GPOINTER_TO_UINT(found) - 1;
	return true;
}

/* A new name. */
static char *declare(cursor *c, GHashTable *table, const char *what, guint count, guint most, GError **error)
{
	const char *begin;
	char *word;

	next(c);
	begin = c->at;
	word = name(c, what, error);
	if (!word)
		return NULL;
	if (g_hash_table_contains(table, word) || count >= most) {
		if (count >= most)
			fail_at(c, begin, error, "more than %u: too many", most);
		else
			fail_at(c, begin, error, "expected a new name, and '%s' is declared above", word);
		g_free(word);
		return NULL;
	}
	g_hash_table_insert(table, g_strdup(word), GUINT_TO_POINTER(count + 1));
	return word;
}

static bool read_resource(cursor *c, GError **error)
{
	g_autofree char *word =
		declare(c, c->resources, "the name of a resource", c->p->resources->len, CYCLIC_RESOURCES_MAX, error);
	int64_t capacity;

	if (!word || !whole(c, "a capacity", 0, CYCLIC_CAPACITY_MAX, &capacity, error))
		return false;
	cyclic_add_resource(c->p, word, (uint32_t)capacity);
	return true;
}

static bool read_use(cursor *c, GError **error)
{
	int64_t amount = 1, offset = 0, length = 1;
	uint32_t resource;

	if (!look_up(c, c->resources, "a resource", &resource, error))
		return false;
	for (; *c->at == '*' || *c->at == '@' || *c->at == ':';) {
		char what = *c->at++;
		int64_t *value = what == '*' ? &amount : what == '@' ? &offset : &length;

		if (!g_ascii_isdigit(*c->at))
			return fail_at(c, c->at, error, "expected a number after '%c'", what);
		if (!whole(c, "a number", what == '@' ? 0 : 1, what == '*' ? CYCLIC_CAPACITY_MAX : CYCLIC_CYCLES_MAX,
		           value, error))
			return false;
	}
	if (*c->at && !strchr(" \t\r#|", *c->at))
		return fail_at(c, c->at, error, "expected '*AMOUNT', '@OFFSET', ':LENGTH' or a blank");
	cyclic_add_use(c->p, resource, (uint32_t)amount, (uint32_t)offset, (uint32_t)length);
	return true;
}

static bool read_op(cursor *c, GError **error)
{
	g_autofree char *word = declare(c, c->ops, "the name of an operation", c->p->ops->len, CYCLIC_OPS_MAX, error);
	unsigned modes = 1;
	bool empty = true, nothing = false;

	if (!word)
		return false;
	cyclic_add_op(c->p, word);
	cyclic_add_mode(c->p);
	while (next(c)) {
		if (*c->at == '|') {
			if (empty)
				return fail_at(c, c->at, error, "expected a use or '-' before '|'");
			if (++modes > CYCLIC_MODES_MAX)
				return fail_at(c, c->at, error, "more than %d modes", CYCLIC_MODES_MAX);
			c->at++;
			cyclic_add_mode(c->p);
			empty = true;
			nothing = false;
		} else if (*c->at == '-' && empty) {
			c->at++;
			empty = false;
			nothing = true;
		} else if (nothing) {
			return fail_at(c, c->at, error, "expected '|' or the end of the line after '-'");
		} else {
			if (!read_use(c, error))
				return false;
			empty = false;
		}
	}
	return !empty || modes == 1 || fail_at(c, c->at, error, "expected a use or '-' after '|'");
}

static bool read_edge(cursor *c, bool value, GError **error)
{
	uint32_t from, to;
	int64_t latency, distance = 0;

	if (!look_up(c, c->ops, "an operation", &from, error) || !look_up(c, c->ops, "an operation", &to, error) ||
	    !whole(c, "a latency", -CYCLIC_CYCLES_MAX, CYCLIC_CYCLES_MAX, &latency, error))
		return false;
	if (next(c) && !whole(c, "a distance", 0, CYCLIC_DISTANCE_MAX, &distance, error))
		return false;
	cyclic_add_edge(c->p, from, to, latency, (uint32_t)distance, value);
	return true;
}

static bool read_line(cursor *c, GError **error)
{
	static const char *const words[] = {"resource", "op", "value", "order", NULL};
	g_autofree char *word = NULL;
	const char *begin, *near;
	bool fine;

	if (!next(c))
		return true;
	begin = c->at;
	word = name(c, "'resource', 'op', 'value' or 'order'", error);
	if (!word)
		return false;
	if (strcmp(word, "resource") == 0)
		fine = read_resource(c, error);
	else if (strcmp(word, "op") == 0)
		fine = read_op(c, error);
	else if (strcmp(word, "value") == 0 || strcmp(word, "order") == 0)
		fine = read_edge(c, strcmp(word, "value") == 0, error);
	else {
		near = tsp_nearest(word, words);
		return fail_at(c, begin, error, "expected 'resource', 'op', 'value' or 'order', found '%s'%s%s%s", word,
		               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	return fine && (!next(c) || fail_at(c, c->at, error, "expected the end of the line"));
}

cyclic_problem *cyclic_read(const char *text, const char *file, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	cursor c = {.file = file, .number = 1, .p = cyclic_problem_new()};
	bool fine = true;

	c.resources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	c.ops = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (guint i = 0; fine && lines[i]; i++) {
		c.line = c.at = lines[i];
		c.number = i + 1;
		fine = read_line(&c, error);
	}
	if (fine && !c.p->ops->len) {
		c.line = c.at = "";
		fine = fail_at(&c, c.at, error, "expected a line 'op NAME'");
	}
	if (!fine)
		g_clear_pointer(&c.p, cyclic_problem_free);
	g_hash_table_destroy(c.resources);
	g_hash_table_destroy(c.ops);
	return c.p;
}
