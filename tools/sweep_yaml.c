/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a sweep file with libyaml's event interface, which carries line and column.  Only the form is checked here:
 * which keys the document has, what is a list, a mapping or a value, how ranges count.
 *
 * Not read: anchors, aliases, tags, several documents.
 */
#include <stdarg.h>
#include <string.h>
#include <yaml.h>

#include "tools/sweep.h"

typedef struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* current one; deleted by the next call of next_event() */
	bool has_event;
	unsigned values; /* read so far */
	sweep *s;
	GError **error;
} reader;

static bool fail_at(reader *r, yaml_mark_t mark, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool fail_at(reader *r, yaml_mark_t mark, const char *format, ...)
{
	sweep_text where = {NULL, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return sweep_fail(r->s, &where, r->error, "%s", text);
}

#define FAIL(r, ...) fail_at(r, (r)->event.start_mark, __VA_ARGS__)

static const char *scalar(const reader *r)
{
	return (const char *)r->event.data.scalar.value;
}

static bool next_event(reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = false;
	if (!yaml_parser_parse(&r->parser, &r->event))
		return fail_at(r, r->parser.problem_mark, "%s", r->parser.problem ? r->parser.problem : "not YAML");
	r->has_event = true;
	if (r->event.type == YAML_ALIAS_EVENT)
		return FAIL(r, "YAML aliases are not read here");
	if (r->event.type == YAML_SCALAR_EVENT && strlen(scalar(r)) != r->event.data.scalar.length)
		return FAIL(r, "a zero byte is part of no word");
	return true;
}

static bool expect(reader *r, yaml_event_type_t type, const char *what)
{
	return next_event(r) && (r->event.type == type || FAIL(r, "expected %s", what));
}

static sweep_text text_here(const reader *r)
{
	return (sweep_text){g_strdup(scalar(r)), (unsigned)r->event.start_mark.line + 1,
	                    (unsigned)r->event.start_mark.column + 1};
}

static bool count_value(reader *r, yaml_mark_t mark)
{
	return ++r->values <= SWEEP_MAX_VALUES || fail_at(r, mark, "more than %d values", SWEEP_MAX_VALUES);
}

/* Checks the present event, a value, and appends it to TEXTS. */
static bool take_value(reader *r, GArray *texts, const char *what)
{
	sweep_text text;

	if (r->event.type != YAML_SCALAR_EVENT)
		return FAIL(r, "expected %s", what);
	if (!*scalar(r))
		return FAIL(r, "expected %s, found nothing", what);
	text = text_here(r);
	g_array_append_val(texts, text);
	return count_value(r, r->event.start_mark);
}

/* The values of a list that has just begun. */
static bool read_list(reader *r, GArray *texts, const char *what)
{
	bool flow = r->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	yaml_mark_t end = {0};

	for (;;) {
		bool plain;

		if (!next_event(r))
			return false;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		if (!take_value(r, texts, what))
			return false;
		/* skew:144,5 in brackets is two values to YAML, and was hardly meant so. */
		plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		if (flow && plain && end.index && r->event.start_mark.index == end.index + 1 &&
		    strchr(g_array_index(texts, sweep_text, texts->len - 2).text, ':'))
			return FAIL(r,
			            "a value with a comma stands in quotes: '%s,%s' (for two values write a blank "
			            "after the comma)",
			            g_array_index(texts, sweep_text, texts->len - 2).text, scalar(r));
		end = plain ? r->event.end_mark : (yaml_mark_t){0};
	}
}

/* One value or a list. */
static bool read_values(reader *r, GArray *texts)
{
	if (!next_event(r))
		return false;
	if (r->event.type == YAML_SEQUENCE_START_EVENT)
		return read_list(r, texts, "a value");
	return take_value(r, texts, "a value or a list of values");
}

static void clear_text(gpointer text)
{
	g_free(((sweep_text *)text)->text);
}

static GArray *new_texts(void)
{
	GArray *texts = g_array_new(FALSE, TRUE, sizeof(sweep_text));

	g_array_set_clear_func(texts, clear_text);
	return texts;
}

static void clear_entry(gpointer data)
{
	sweep_entry *entry = data;

	g_free(entry->key.text);
	g_array_unref(entry->values);
	if (entry->index)
		g_hash_table_unref(entry->index);
}

static GArray *new_entries(void)
{
	GArray *entries = g_array_new(FALSE, TRUE, sizeof(sweep_entry));

	g_array_set_clear_func(entries, clear_entry);
	return entries;
}

/* ---- ranges ---- */

enum { FROM, TO, STEP, TIMES, RANGE_WORDS };
static const char *const range_words[] = {"from", "to", "step", "times", NULL};

typedef struct range {
	int64_t value[RANGE_WORDS];
	bool has[RANGE_WORDS];
	yaml_mark_t start;
} range;

static bool count_range(reader *r, const range *g, GArray *values)
{
	int64_t at = g->value[FROM];
	uint64_t count = 0;

	while (g->value[STEP] < 0 ? at >= g->value[TO] : at <= g->value[TO]) {
		sweep_text text = {g_strdup_printf("%" G_GINT64_FORMAT, at), (unsigned)g->start.line + 1,
		                   (unsigned)g->start.column + 1};

		g_array_append_val(values, text);
		if (!count_value(r, g->start))
			return false;
		if (++count > SWEEP_MAX_POINTS)
			return fail_at(r, g->start, "a range of more than %d values", SWEEP_MAX_POINTS);
		if (g->has[TIMES] ? __builtin_mul_overflow(at, g->value[TIMES], &at)
		                  : __builtin_add_overflow(at, g->value[STEP], &at))
			break;
	}
	return count || fail_at(r, g->start, "a range without values: %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
	                        g->value[FROM], g->value[TO]);
}

/* {from: 1, to: 10, step: 3} or {from: 1, to: 16, times: 2}; its mapping has just begun. */
static bool read_range(reader *r, GArray *values)
{
	range g = {.value = {[STEP] = 1}, .start = r->event.start_mark};

	for (;;) {
		int word = 0;

		if (!next_event(r))
			return false;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			break;
		while (r->event.type == YAML_SCALAR_EVENT && range_words[word] &&
		       strcmp(range_words[word], scalar(r)) != 0)
			word++;
		if (r->event.type != YAML_SCALAR_EVENT || !range_words[word])
			return FAIL(r, "expected a range: from, to, and step or times");
		if (g.has[word])
			return FAIL(r, "'%s' stands here twice", range_words[word]);
		g.has[word] = true;
		if (!expect(r, YAML_SCALAR_EVENT, "a number"))
			return false;
		if (!g_ascii_string_to_signed(scalar(r), 10, G_MININT64, G_MAXINT64, &g.value[word], NULL))
			return FAIL(r, "%s: expected an integer, found '%s'", range_words[word], scalar(r));
		if ((word == STEP && g.value[STEP] == 0) || (word == TIMES && g.value[TIMES] < 2))
			return FAIL(r, "%s",
			            word == STEP ? "step: expected an integer other than 0"
			                         : "times: expected an integer from 2");
	}
	if (!g.has[FROM] || !g.has[TO] || (g.has[STEP] && g.has[TIMES]))
		return fail_at(r, g.start, "expected a range: from, to, and step or times");
	if (g.has[TIMES] && g.value[FROM] < 1)
		return fail_at(r, g.start, "a range with times begins at 1 or above");
	return count_range(r, &g, values);
}

/* ---- the parts of the document ---- */

static bool read_axis_values(reader *r, GArray *values)
{
	if (!next_event(r))
		return false;
	if (r->event.type == YAML_MAPPING_START_EVENT)
		return read_range(r, values);
	if (r->event.type != YAML_SEQUENCE_START_EVENT)
		return FAIL(r, "expected a list of values or a range");
	return read_list(r, values, "a value");
}

/* A mapping of keys to values, which has just begun. */
static bool read_entries(reader *r, GArray *entries, bool (*values)(reader *, GArray *))
{
	for (;;) {
		sweep_entry entry;

		if (!next_event(r))
			return false;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return true;
		if (r->event.type != YAML_SCALAR_EVENT)
			return FAIL(r, "expected a key");
		for (guint i = 0; i < entries->len; i++)
			if (strcmp(g_array_index(entries, sweep_entry, i).key.text, scalar(r)) == 0)
				return FAIL(r, "'%s' stands here twice", scalar(r));
		entry = (sweep_entry){.key = text_here(r), .values = new_texts()};
		g_array_append_val(entries, entry);
		if (!values(r, entry.values))
			return false;
		if (!entry.values->len)
			return FAIL(r, "%s: expected at least one value", entry.key.text);
	}
}

static bool read_name(reader *r)
{
	if (!expect(r, YAML_SCALAR_EVENT, "a name"))
		return false;
	g_free(r->s->name);
	r->s->name = g_strdup(scalar(r));
	return true;
}

static bool read_command(reader *r)
{
	return read_values(r, r->s->command);
}

static bool read_base(reader *r)
{
	return expect(r, YAML_MAPPING_START_EVENT, "a mapping of keys to values") &&
	       read_entries(r, r->s->base, read_values);
}

static bool read_axes(reader *r)
{
	return expect(r, YAML_MAPPING_START_EVENT, "a mapping of keys to lists or ranges") &&
	       read_entries(r, r->s->axes, read_axis_values);
}

static bool read_outputs(reader *r)
{
	return expect(r, YAML_SEQUENCE_START_EVENT, "a list of keys of the answer") &&
	       read_list(r, r->s->outputs, "a key of the answer, as 'cycles' or 'utilisation.mxm'");
}

static bool read_zips(reader *r)
{
	if (!expect(r, YAML_SEQUENCE_START_EVENT, "a list of lists of axes"))
		return false;
	for (;;) {
		GArray *group;

		if (!next_event(r))
			return false;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		if (r->event.type != YAML_SEQUENCE_START_EVENT)
			return FAIL(r, "expected a list of axes that move together");
		group = new_texts();
		g_ptr_array_add(r->s->zips, group);
		if (!read_list(r, group, "the name of an axis"))
			return false;
	}
}

static bool read_excludes(reader *r)
{
	if (!expect(r, YAML_SEQUENCE_START_EVENT, "a list of mappings of axes to values"))
		return false;
	for (;;) {
		GArray *rule;

		if (!next_event(r))
			return false;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		if (r->event.type != YAML_MAPPING_START_EVENT)
			return FAIL(r, "expected a mapping of axes to values");
		if (r->s->excludes->len == SWEEP_MAX_RULES)
			return FAIL(r, "more than %d rules", SWEEP_MAX_RULES);
		rule = new_entries();
		g_ptr_array_add(r->s->excludes, rule);
		if (!read_entries(r, rule, read_values))
			return false;
		if (!rule->len)
			return FAIL(r, "a rule without conditions would exclude every point");
	}
}

static const struct section {
	const char *name;
	bool (*read)(reader *r);
} sections[] = {
	{"name", read_name}, {"command", read_command},  {"base", read_base},       {"axes", read_axes},
	{"zip", read_zips},  {"exclude", read_excludes}, {"outputs", read_outputs},
};

static bool read_section(reader *r, bool *seen)
{
	const char *names[G_N_ELEMENTS(sections) + 1] = {0};
	g_autofree char *list = NULL;
	const char *near;

	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		names[i] = sections[i].name;
		if (strcmp(scalar(r), sections[i].name) != 0)
			continue;
		if (seen[i])
			return FAIL(r, "'%s' stands here twice", sections[i].name);
		seen[i] = true;
		return sections[i].read(r);
	}
	near = tsp_nearest(scalar(r), names);
	list = g_strjoinv(", ", (char **)names);
	if (near)
		return FAIL(r, "unknown word '%s'; did you mean '%s'?", scalar(r), near);
	return FAIL(r, "unknown word '%s'; expected one of: %s", scalar(r), list);
}

static bool read_document(reader *r)
{
	bool seen[G_N_ELEMENTS(sections)] = {0};

	if (!expect(r, YAML_STREAM_START_EVENT, "YAML") ||
	    !expect(r, YAML_DOCUMENT_START_EVENT, "the description of a sweep") ||
	    !expect(r, YAML_MAPPING_START_EVENT, "a mapping: name, command, base, axes, zip, exclude, outputs"))
		return false;
	for (;;) {
		if (!next_event(r))
			return false;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (r->event.type != YAML_SCALAR_EVENT)
			return FAIL(r, "expected one of name, command, base, axes, zip, exclude, outputs");
		if (!read_section(r, seen))
			return false;
	}
	if (!r->s->axes->len || !r->s->outputs->len)
		return FAIL(r, "%s is missing or empty", r->s->axes->len ? "outputs" : "axes");
	return expect(r, YAML_DOCUMENT_END_EVENT, "the end of the sweep") &&
	       expect(r, YAML_STREAM_END_EVENT, "one sweep only");
}

static char *default_name(const char *file)
{
	g_autofree char *base = g_path_get_basename(file);

	if (g_str_has_suffix(base, ".yaml"))
		base[strlen(base) - 5] = '\0';
	return g_strdup(base);
}

sweep *sweep_parse(const char *text, size_t length, const char *file, GError **error)
{
	sweep *s = g_new0(sweep, 1);
	reader r = {.s = s, .error = error};
	bool fine;

	*s = (sweep){
		.file = g_strdup(file),
		.text = g_strndup(text, length),
		.name = default_name(file),
		.command = new_texts(),
		.base = new_entries(),
		.axes = new_entries(),
		.outputs = new_texts(),
		.zips = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref),
		.excludes = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref),
	};
	if (!yaml_parser_initialize(&r.parser)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "libyaml does not start");
		sweep_free(s);
		return NULL;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
	fine = read_document(&r);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	if (!fine)
		g_clear_pointer(&s, sweep_free);
	return s;
}

void sweep_free(sweep *s)
{
	if (!s)
		return;
	g_array_unref(s->command);
	g_array_unref(s->base);
	g_array_unref(s->axes);
	g_array_unref(s->outputs);
	g_ptr_array_unref(s->zips);
	g_ptr_array_unref(s->excludes);
	if (s->points)
		g_array_unref(s->points);
	if (s->machines)
		g_ptr_array_unref(s->machines);
	g_free(s->optional);
	g_free(s->dimension);
	g_free(s->length);
	g_free(s->points_digest);
	g_free(s->inputs_digest);
	g_free(s->file);
	g_free(s->text);
	g_free(s->name);
	g_free(s);
}
