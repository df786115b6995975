/* SPDX-License-Identifier: Apache-2.0
 *
 * The library of stored schedules: looking up, and putting decisions into a sheet.
 */
#include <string.h>

#include "sched/pattern/pattern.h"

#define STORED(machine, pattern, shape, decisions) {machine, pattern, shape, decisions},
const sched_stored sched_library[] = {
#include "sched/pattern/stored.def"
	{NULL, NULL, NULL, NULL},
};
#undef STORED

static bool begins(const char *item, const char *name)
{
	size_t length = strlen(name);

	return strncmp(item, name, length) == 0 && (!item[length] || strchr(".+", item[length]));
}

/* Does ITEM begin with the name of one of NODES, or of the host's data that they read?  Decisions about the whole graph
 * have no item. */
static bool belongs(const graph *g, const GArray *nodes, const char *item)
{
	if (!*item)
		return true;
	for (guint i = 0; i < nodes->len; i++) {
		const graph_node *n = graph_at(g, g_array_index(nodes, uint32_t, i));

		if (begins(item, n->name))
			return true;
		for (unsigned o = 0; o < graph_arity(n); o++) {
			const graph_node *x = graph_at(g, n->in[o]);

			if ((x->op == GRAPH_INPUT || x->op == GRAPH_CONST) && begins(item, x->name))
				return true;
		}
	}
	return false;
}

/* KIND[INDEX]=VALUE; without an index all of the kind. */
static void decide(const graph *g, const GArray *nodes, const char *kind, gint64 index, uint32_t value,
                   sched_sheet *sheet)
{
	gint64 number = 0;

	for (guint i = 0; i < sheet->decisions->len; i++) {
		sched_decision *d = &g_array_index(sheet->decisions, sched_decision, i);

		if (strcmp(d->kind, kind) != 0 || !belongs(g, nodes, d->item))
			continue;
		if ((index < 0 || index == number) && value < d->count)
			d->value = value;
		number++;
	}
}

static void set_order(const char *text, sched_sheet *sheet)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	guint count = g_strv_length(words);

	if (!count || count != sheet->asked_count)
		return;
	g_free(sheet->order);
	sheet->order = g_new(uint32_t, count);
	sheet->order_count = count;
	for (guint i = 0; i < count; i++)
		sheet->order[i] = (uint32_t)g_ascii_strtoull(words[i], NULL, 10);
}

void sched_patterns_decide(const graph *g, const GArray *nodes, const char *decisions, sched_sheet *sheet)
{
	g_auto(GStrv) all = g_strsplit(decisions, ", ", -1);

	for (char **one = all; *one; one++) {
		char *value = strchr(*one, '='), *bracket;

		if (!value)
			continue;
		*value++ = '\0';
		bracket = strchr(*one, '[');
		if (strcmp(*one, "order") == 0) {
			set_order(value, sheet);
			continue;
		}
		if (bracket)
			*bracket++ = '\0';
		decide(g, nodes, *one, bracket ? g_ascii_strtoll(bracket, NULL, 10) : -1,
		       (uint32_t)g_ascii_strtoull(value, NULL, 10), sheet);
	}
}

static const sched_stored *look_up(const char *machine, const sched_match *m)
{
	for (const sched_stored *s = sched_library; s->machine; s++)
		if (strcmp(s->machine, machine) == 0 && strcmp(s->pattern, m->pattern->name) == 0 &&
		    strcmp(s->shape, m->shape) == 0)
			return s;
	return NULL;
}

static bool has_machine(const char *machine)
{
	for (const sched_stored *s = sched_library; s->machine; s++)
		if (strcmp(s->machine, machine) == 0)
			return true;
	return false;
}

bool sched_patterns_known(const graph *g, const char *machine)
{
	g_autoptr(GArray) found = has_machine(machine) ? sched_patterns_find(g) : NULL;

	for (guint i = 0; found && i < found->len; i++)
		if (look_up(machine, &g_array_index(found, sched_match, i)))
			return true;
	return false;
}

static void add_name(GString *text, const sched_match *m)
{
	g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", m->pattern->name, m->shape);
}

char *sched_patterns_text(const graph *g)
{
	g_autoptr(GArray) found = sched_patterns_find(g);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < found->len; i++)
		add_name(text, &g_array_index(found, sched_match, i));
	return g_string_free(text, text->len == 0);
}

char *sched_patterns_apply(const graph *g, const char *machine, sched_sheet *sheet)
{
	g_autoptr(GArray) found = sched_patterns_find(g);
	GString *used = g_string_new(NULL);

	for (guint i = 0; i < found->len; i++) {
		const sched_match *m = &g_array_index(found, sched_match, i);
		const sched_stored *s = look_up(machine, m);

		if (!s)
			continue;
		sched_patterns_decide(g, m->nodes, s->decisions, sheet);
		add_name(used, m);
	}
	return g_string_free(used, used->len == 0);
}
