/* SPDX-License-Identifier: Apache-2.0
 *
 * Dataflow graphs in the XML of the SDF3 tools: <applicationGraph> with <sdf> or <csdf> (actors with ports, channels)
 * and their properties (execution times).
 *
 * Read: structure, rates, initial tokens, and of each actor the execution time on its default processor (the first of
 * several, which public graphs have), or the first one.  Rates and times of cyclo-static graphs are lists by phase;
 * "2*3" in a list stands for 3, 3.  Other elements are skipped, and so are prefixes that stand for a namespace.
 * Scenario-aware graphs are refused.
 */
#include "sched/alg/sdf.h"

#include <string.h>

typedef struct port {
	char *name;
	bool out;
	GArray *rates; /* uint64_t */
} port;

typedef struct reading {
	sdf_graph *g;
	const char *file;
	GMarkupParseContext *context;
	GPtrArray *ports; /* of each actor: GPtrArray of port */
	bool inside, seen;
	uint32_t timed;             /* actor whose properties these are */
	bool default_processor;     /* inside the default one */
	bool processor;             /* inside any */
	bool has_time;              /* which has a time already */
	GArray *has_default;        /* bool, by actor */
	GHashTable *has_properties; /* actor + 1 */
	GHashTable *actor_number;   /* name -> number + 1 */
	GHashTable *channel_names;
} reading;

static void free_port(gpointer data)
{
	port *p = data;

	g_free(p->name);
	g_array_free(p->rates, TRUE);
	g_free(p);
}

static void fail(const reading *r, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void fail(const reading *r, GError **error, const char *format, ...)
{
	va_list args;
	gint line, column;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_markup_parse_context_get_position(r->context, &line, &column);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%d:%d: %s", r->file, line, column, text);
}

/* XML has each attribute of an element once; the parser does not look. */
static bool each_once(const reading *r, const char *element, const char **names, GError **error)
{
	for (const char **name = names; *name; name++)
		for (const char **other = name + 1; *other; other++)
			if (strcmp(*name, *other) == 0) {
				fail(r, error, "attribute %s of <%s> is there twice", *name, element);
				return false;
			}
	return true;
}

/* The value of attribute WANTED, NULL when it is not there. */
static const char *find(const char *wanted, const char **names, const char **values)
{
	for (; *names; names++, values++)
		if (strcmp(*names, wanted) == 0)
			return *values;
	return NULL;
}

static const char *need(const reading *r, const char *element, const char *wanted, const char **names,
                        const char **values, GError **error)
{
	const char *value = find(wanted, names, values);

	if (!value)
		fail(r, error, "expected attribute %s of <%s>", wanted, element);
	return value;
}

enum { PHASES_MAX = 1 << 16 };

/* TEXT, "3,1" or "2*3,1", appended to LIST as numbers. */
static bool read_list(const reading *r, const char *what, const char *text, GArray *list, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, ",", -1);

	for (char **part = parts; *part; part++) {
		g_autofree char *trimmed = g_strdup(g_strstrip(*part));
		char *star = strchr(trimmed, '*');
		guint64 times = 1, value;

		if (star) {
			*star = '\0';
			if (!g_ascii_string_to_unsigned(trimmed, 10, 1, PHASES_MAX, &times, NULL)) {
				fail(r, error, "%s '%s': expected a count before '*'", what, text);
				return false;
			}
		}
		if (!g_ascii_string_to_unsigned(star ? star + 1 : trimmed, 10, 0, UINT32_MAX, &value, NULL) ||
		    list->len + times > PHASES_MAX) {
			fail(r, error, "%s '%s': expected whole numbers below 2^32, at most %d of them, with commas",
			     what, text, PHASES_MAX);
			return false;
		}
		while (times--)
			g_array_append_val(list, value);
	}
	return true;
}

static bool actor_of(const reading *r, const char *name, uint32_t *actor, GError **error)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(r->actor_number, name));
	g_autoptr(GPtrArray) names = NULL;
	const char *nearest;

	if (number) {
		*actor = number - 1;
		return true;
	}
	names = g_ptr_array_new();
	for (uint32_t i = 0; i < r->g->actors->len; i++)
		g_ptr_array_add(names, sdf_actor_at(r->g, i)->name);
	g_ptr_array_add(names, NULL);
	nearest = tsp_nearest(name, (const char *const *)names->pdata);
	fail(r, error, "expected the name of an actor, found '%s'%s%s%s", name, nearest ? "; nearest is '" : "",
	     nearest ? nearest : "", nearest ? "'" : "");
	return false;
}

static void start_actor(reading *r, const char **names, const char **values, GError **error)
{
	const char *name = need(r, "actor", "name", names, values, error);
	sdf_actor a = {.phases = 1};
	bool none = false;

	if (!name)
		return;
	if (g_hash_table_contains(r->actor_number, name)) {
		fail(r, error, "actor '%s' is there twice", name);
		return;
	}
	a.name = g_strdup(name);
	g_array_append_val(r->g->actors, a);
	g_array_append_val(r->has_default, none);
	g_hash_table_insert(r->actor_number, a.name, GUINT_TO_POINTER(r->g->actors->len));
	g_ptr_array_add(r->ports, g_ptr_array_new_with_free_func(free_port));
}

/* Has the actor that is being read a port of that NAME and direction? */
static bool has_port(const reading *r, const char *name, bool out)
{
	const GPtrArray *ports = g_ptr_array_index(r->ports, r->ports->len - 1);

	for (guint i = 0; i < ports->len; i++) {
		const port *p = ports->pdata[i];

		if (p->out == out && strcmp(p->name, name) == 0)
			return true;
	}
	return false;
}

static void start_port(reading *r, const char **names, const char **values, GError **error)
{
	const char *name = need(r, "port", "name", names, values, error);
	const char *type = name ? need(r, "port", "type", names, values, error) : NULL;
	const char *rate = type ? need(r, "port", "rate", names, values, error) : NULL;
	sdf_actor *a;
	port *p;

	if (!rate)
		return;
	if (strcmp(type, "in") != 0 && strcmp(type, "out") != 0) {
		fail(r, error, "type of port '%s': expected in or out, found '%s'", name, type);
		return;
	}
	if (!r->ports->len) {
		fail(r, error, "expected <port> inside an actor");
		return;
	}
	if (has_port(r, name, *type == 'o')) {
		fail(r, error, "port '%s' is there twice in this actor", name);
		return;
	}
	p = g_new0(port, 1);
	p->name = g_strdup(name);
	p->out = *type == 'o';
	p->rates = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_ptr_array_add(g_ptr_array_index(r->ports, r->ports->len - 1), p);
	a = sdf_actor_at(r->g, r->g->actors->len - 1);
	if (!read_list(r, "rate", rate, p->rates, error))
		return;
	if (p->rates->len != 1 && a->phases != 1 && p->rates->len != a->phases)
		fail(r, error, "rate of port '%s': %u phases, where another port of the actor has %u", name,
		     p->rates->len, a->phases);
	a->phases = MAX(a->phases, p->rates->len);
}

static port *port_of(const reading *r, uint32_t actor, const char *name, bool out, GError **error)
{
	const GPtrArray *ports = g_ptr_array_index(r->ports, actor);

	for (guint i = 0; i < ports->len; i++) {
		port *p = ports->pdata[i];

		if (p->out == out && strcmp(p->name, name) == 0)
			return p;
	}
	fail(r, error, "actor '%s' has no %s port '%s'", sdf_actor_at(r->g, actor)->name, out ? "out" : "in", name);
	return NULL;
}

/* Rates of P for each phase of its actor; g_free. */
static uint64_t *spread(const port *p, uint32_t phases)
{
	uint64_t *rates = g_new(uint64_t, phases);

	for (uint32_t i = 0; i < phases; i++)
		rates[i] = g_array_index(p->rates, uint64_t, p->rates->len == 1 ? 0 : i);
	return rates;
}

static void start_channel(reading *r, const char **names, const char **values, GError **error)
{
	static const char *const wanted[] = {"name", "srcActor", "srcPort", "dstActor", "dstPort"};
	const char *value[G_N_ELEMENTS(wanted)];
	const char *initial = find("initialTokens", names, values);
	guint64 tokens = 0;
	sdf_channel c = {0};
	port *from, *to;

	for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (!(value[i] = need(r, "channel", wanted[i], names, values, error)))
			return;
	if (g_hash_table_contains(r->channel_names, value[0])) {
		fail(r, error, "channel '%s' is there twice", value[0]);
		return;
	}
	if (initial && !g_ascii_string_to_unsigned(initial, 10, 0, UINT32_MAX, &tokens, NULL)) {
		fail(r, error, "initialTokens '%s': expected a whole number below 2^32", initial);
		return;
	}
	if (!actor_of(r, value[1], &c.from, error) || !actor_of(r, value[3], &c.to, error))
		return;
	from = port_of(r, c.from, value[2], true, error);
	to = from ? port_of(r, c.to, value[4], false, error) : NULL;
	if (!to)
		return;
	c.name = g_strdup(value[0]);
	c.produce = spread(from, sdf_actor_at(r->g, c.from)->phases);
	c.consume = spread(to, sdf_actor_at(r->g, c.to)->phases);
	c.initial = tokens;
	g_array_append_val(r->g->channels, c);
	g_hash_table_add(r->channel_names, c.name);
}

/* RATES, one, as that of PHASES phases. */
static void repeat(uint64_t **rates, uint32_t phases)
{
	*rates = g_renew(uint64_t, *rates, phases);
	for (uint32_t i = 1; i < phases; i++)
		(*rates)[i] = (*rates)[0];
}

/* Ports of one rate leave the number of phases to the times. */
static void take_phases(const reading *r, uint32_t phases)
{
	sdf_actor_at(r->g, r->timed)->phases = phases;
	for (uint32_t i = 0; i < r->g->channels->len; i++) {
		sdf_channel *c = sdf_channel_at(r->g, i);

		if (c->from == r->timed)
			repeat(&c->produce, phases);
		if (c->to == r->timed)
			repeat(&c->consume, phases);
	}
}

static void start_time(reading *r, const char **names, const char **values, GError **error)
{
	const char *time = need(r, "executionTime", "time", names, values, error);
	g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	sdf_actor *a;
	bool *has_default;

	if (!time)
		return;
	if (r->timed == UINT32_MAX || !r->processor) {
		fail(r, error, "expected <executionTime> inside a processor of <actorProperties>");
		return;
	}
	a = sdf_actor_at(r->g, r->timed);
	has_default = &g_array_index(r->has_default, bool, r->timed);
	if (r->has_time) {
		fail(r, error, "time of actor '%s' on this processor is there twice", a->name);
		return;
	}
	r->has_time = true;
	if (!read_list(r, "time", time, list, error) || *has_default || (a->time && !r->default_processor))
		return;
	if (a->phases == 1 && !a->time)
		take_phases(r, list->len);
	if (list->len != 1 && list->len != a->phases) {
		fail(r, error, "time of actor '%s': expected 1 or %u numbers, a phase each, found %u", a->name,
		     a->phases, list->len);
		return;
	}
	*has_default = r->default_processor;
	g_free(a->time);
	a->time = g_new(int64_t, a->phases);
	for (uint32_t i = 0; i < a->phases; i++)
		a->time[i] = (int64_t)g_array_index(list, uint64_t, list->len == 1 ? 0 : i);
}

static void start_properties(reading *r, const char **names, const char **values, GError **error)
{
	const char *name = need(r, "actorProperties", "actor", names, values, error);

	r->timed = UINT32_MAX;
	if (name && actor_of(r, name, &r->timed, error) &&
	    !g_hash_table_add(r->has_properties, GUINT_TO_POINTER(r->timed + 1)))
		fail(r, error, "properties of actor '%s' are there twice", name);
}

static void start_graph(reading *r, const char *element, const char **names, const char **values, GError **error)
{
	const char *name = find("name", names, values);

	if (r->seen) {
		fail(r, error, "expected one graph, found a second <%s>", element);
		return;
	}
	r->inside = r->seen = true;
	g_free(r->g->name);
	r->g->name = g_strdup(name ? name : "");
}

static const char *without_prefix(const char *element)
{
	const char *colon = strrchr(element, ':');

	return colon ? colon + 1 : element;
}

static void start(GMarkupParseContext *context, const char *full, const char **names, const char **values,
                  gpointer state, GError **error)
{
	const char *element = without_prefix(full);
	reading *r = state;

	(void)context;
	if (!each_once(r, element, names, error))
		return;
	if (strcmp(element, "sadf") == 0 || strcmp(element, "fsmsadf") == 0)
		fail(r, error, "<%s>: scenario-aware graphs are not modelled; expected <sdf> or <csdf>", element);
	else if (strcmp(element, "sdf") == 0 || strcmp(element, "csdf") == 0)
		start_graph(r, element, names, values, error);
	else if (r->inside && strcmp(element, "actor") == 0)
		start_actor(r, names, values, error);
	else if (r->inside && strcmp(element, "port") == 0)
		start_port(r, names, values, error);
	else if (r->inside && strcmp(element, "channel") == 0)
		start_channel(r, names, values, error);
	else if (strcmp(element, "actorProperties") == 0)
		start_properties(r, names, values, error);
	else if (strcmp(element, "processor") == 0) {
		r->processor = true;
		r->has_time = false;
		r->default_processor = g_strcmp0(find("default", names, values), "true") == 0;
	} else if (strcmp(element, "executionTime") == 0)
		start_time(r, names, values, error);
}

static void end(GMarkupParseContext *context, const char *full, gpointer state, GError **error)
{
	const char *element = without_prefix(full);
	reading *r = state;

	(void)context;
	(void)error;
	if (strcmp(element, "sdf") == 0 || strcmp(element, "csdf") == 0)
		r->inside = false;
	else if (strcmp(element, "processor") == 0)
		r->processor = r->default_processor = false;
	else if (strcmp(element, "actorProperties") == 0)
		r->timed = UINT32_MAX;
}

static bool parse(reading *r, const char *text, gsize length, GError **error)
{
	static const GMarkupParser parser = {.start_element = start, .end_element = end};
	GError *cause = NULL;
	bool fine;

	r->context = g_markup_parse_context_new(&parser, 0, r, NULL);
	fine = g_markup_parse_context_parse(r->context, text, (gssize)length, &cause) &&
	       g_markup_parse_context_end_parse(r->context, &cause);
	if (!fine && cause->domain == TSP_ERROR)
		g_propagate_error(error, cause);
	else if (!fine) {
		const char *place =
			g_str_has_prefix(cause->message, "Error on line ") ? strstr(cause->message, ": ") : NULL;

		fail(r, error, "not the XML of a graph: %s", place ? place + 2 : cause->message);
		g_error_free(cause);
	} else if (!r->seen || !r->g->actors->len) {
		fail(r, error, r->seen ? "expected at least one <actor>" : "expected <sdf> or <csdf>, found neither");
		fine = false;
	}
	g_markup_parse_context_free(r->context);
	return fine;
}

sdf_graph *sdf_read_sdf3(const char *text, gsize length, const char *file, GError **error)
{
	reading r = {.g = sdf_graph_new(file), .file = file, .timed = UINT32_MAX};
	bool fine;

	r.ports = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	r.has_default = g_array_new(FALSE, FALSE, sizeof(bool));
	r.actor_number = g_hash_table_new(g_str_hash, g_str_equal);
	r.channel_names = g_hash_table_new(g_str_hash, g_str_equal);
	r.has_properties = g_hash_table_new(NULL, NULL);
	fine = parse(&r, text, length, error);
	for (uint32_t i = 0; i < r.g->actors->len; i++) {
		sdf_actor *a = sdf_actor_at(r.g, i);

		if (!a->time) {
			a->time = g_new(int64_t, a->phases);
			for (uint32_t k = 0; k < a->phases; k++)
				a->time[k] = -1;
		}
	}
	g_hash_table_destroy(r.actor_number);
	g_hash_table_destroy(r.channel_names);
	g_hash_table_destroy(r.has_properties);
	g_array_free(r.has_default, TRUE);
	g_ptr_array_free(r.ports, TRUE);
	if (!fine)
		g_clear_pointer(&r.g, sdf_graph_free);
	return r.g;
}
