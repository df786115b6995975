/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a machine file with libyaml's event interface.  The file is nested mappings along the dotted key paths; each
 * leaf is a mapping of value, class, source and, if need be, note.  Every key of the table of the file's kind of
 * machine must be there once, and nothing else; a file that names a base may leave keys to it.  Errors carry
 * file:line:column and the nearest legal word.
 *
 * Not read: anchors, aliases, tags, several documents.
 */
#include "isa/machine_int.h"

#include <string.h>
#include <yaml.h>

#include "isa/file.h"

typedef struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* current one; deleted by the next call of next_event() */
	bool has_event;
	const char *file;
	const isa_key_view *v;
	char *name, *title, *alias, *kind, *base;
	unsigned depth; /* files that named this one as their base */
	bool *seen;     /* a key, by its index */
	GError **error;
} reader;

static bool fail_at(reader *r, yaml_mark_t mark, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool fail_at(reader *r, yaml_mark_t mark, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(r->error, TSP_ERROR, TSP_ERROR_USER, "%s:%zu:%zu: %s", r->file, mark.line + 1, mark.column + 1,
	            text);
	return false;
}

#define FAIL(r, ...) fail_at(r, (r)->event.start_mark, __VA_ARGS__)

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
	return true;
}

static const char *scalar(const reader *r)
{
	return (const char *)r->event.data.scalar.value;
}

static bool expect(reader *r, yaml_event_type_t type, const char *what)
{
	return next_event(r) && (r->event.type == type || FAIL(r, "expected %s", what));
}

/* Reads a plain text into *TEXT, once. */
static bool read_text(reader *r, const char *name, char **text)
{
	if (*text)
		return FAIL(r, "'%s' stands here twice", name);
	if (!expect(r, YAML_SCALAR_EVENT, "a text"))
		return false;
	*text = g_strdup(scalar(r));
	return true;
}

static bool read_class(reader *r, int key)
{
	static const char *const names[] = {"published", "measured", "derived", "assumed", NULL};
	g_autofree char *hint = NULL;

	if (!expect(r, YAML_SCALAR_EVENT, "published, measured, derived or assumed"))
		return false;
	for (int i = 0; names[i]; i++)
		if (strcmp(names[i], scalar(r)) == 0) {
			r->v->origin[key].class_ = (enum isa_key_class)i;
			return true;
		}
	hint = isa_hint(scalar(r), names);
	return FAIL(r, "unknown class '%s', expected published, measured, derived or assumed%s", scalar(r), hint);
}

static bool read_value(reader *r, int key)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) cause = NULL;
	yaml_mark_t mark;

	if (!next_event(r))
		return false;
	mark = r->event.start_mark;
	if (r->event.type == YAML_SCALAR_EVENT) {
		g_ptr_array_add(texts, g_strdup(scalar(r)));
	} else if (r->event.type == YAML_SEQUENCE_START_EVENT) {
		if (r->v->keys[key].type != ISA_KEY_TABLE)
			return FAIL(r, "%s: expected one value, found a list", r->v->keys[key].path);
		for (;;) {
			if (!next_event(r))
				return false;
			if (r->event.type == YAML_SEQUENCE_END_EVENT)
				break;
			if (r->event.type != YAML_SCALAR_EVENT)
				return FAIL(r, "%s: expected a number", r->v->keys[key].path);
			g_ptr_array_add(texts, g_strdup(scalar(r)));
		}
	} else {
		return FAIL(r, "%s: expected a value", r->v->keys[key].path);
	}
	if (!isa_view_store(r->v, key, (const char *const *)texts->pdata, texts->len, &cause))
		return fail_at(r, mark, "%s", cause->message);
	return true;
}

/* The mapping {value, class, source, note} of one key. */
static bool read_leaf(reader *r, int key)
{
	static const char *const names[] = {"value", "class", "source", "note", NULL};
	isa_key_origin *origin = &r->v->origin[key];
	bool has_value = false, has_class = false;
	yaml_mark_t start;

	if (r->seen[key])
		return FAIL(r, "key '%s' stands here twice", r->v->keys[key].path);
	r->seen[key] = true;
	g_clear_pointer(&origin->source, g_free);
	g_clear_pointer(&origin->note, g_free);
	if (!expect(r, YAML_MAPPING_START_EVENT, "a mapping {value: ..., class: ..., source: ...}"))
		return false;
	start = r->event.start_mark;
	for (;;) {
		if (!next_event(r))
			return false;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (r->event.type != YAML_SCALAR_EVENT)
			return FAIL(r, "expected one of value, class, source, note");
		if (strcmp(scalar(r), "value") == 0) {
			if (has_value)
				return FAIL(r, "'value' stands here twice");
			has_value = true;
			if (!read_value(r, key))
				return false;
		} else if (strcmp(scalar(r), "class") == 0) {
			if (has_class)
				return FAIL(r, "'class' stands here twice");
			has_class = true;
			if (!read_class(r, key))
				return false;
		} else if (strcmp(scalar(r), "source") == 0) {
			if (!read_text(r, "source", &origin->source))
				return false;
		} else if (strcmp(scalar(r), "note") == 0) {
			if (!read_text(r, "note", &origin->note))
				return false;
		} else {
			g_autofree char *hint = isa_hint(scalar(r), names);

			return FAIL(r, "%s: unknown word '%s', expected value, class, source or note%s",
			            r->v->keys[key].path, scalar(r), hint);
		}
	}
	if (!has_value || !has_class || !origin->source)
		return fail_at(r, start, "%s: %s is missing", r->v->keys[key].path,
		               !has_value   ? "value"
		               : !has_class ? "class"
		                            : "source");
	return true;
}

/* Do keys begin with "PATH."? */
static bool is_group(const reader *r, const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < r->v->count; i++)
		if (strncmp(r->v->keys[i].path, path, length) == 0 && r->v->keys[i].path[length] == '.')
			return true;
	return false;
}

static bool fail_unknown(reader *r, const char *path)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *hint = NULL;

	for (size_t i = 0; i < r->v->count; i++) {
		const char *dot = strchr(r->v->keys[i].path, '.');

		g_ptr_array_add(names, g_strdup(r->v->keys[i].path));
		if (dot)
			g_ptr_array_add(names, g_strndup(r->v->keys[i].path, (gsize)(dot - r->v->keys[i].path)));
	}
	g_ptr_array_add(names, NULL);
	hint = isa_hint(path, (const char *const *)names->pdata);
	return FAIL(r, "unknown machine key '%s'%s", path, hint);
}

static bool read_file(const isa_key_view *v, const char *file, unsigned depth, GError **error);
static char *preset_file(const char *name);
static char *kind_of(const char *file);

/* Another preset of the same kind, whose values stand where this file gives none. */
static bool read_base(reader *r)
{
	enum { DEPTH_MAX = 4 };
	g_autofree char *file = NULL;
	g_autofree char *kind = NULL;

	if (!read_text(r, "base", &r->base))
		return false;
	for (size_t i = 0; i < r->v->count; i++)
		if (r->seen[i])
			return FAIL(r, "base stands before the keys");
	if (r->depth == DEPTH_MAX)
		return FAIL(r, "more than %d bases, one below the other", DEPTH_MAX);
	file = preset_file(r->base);
	if (!file)
		return FAIL(r, "base '%s' is no preset", r->base);
	kind = kind_of(file);
	if (strcmp(kind, r->v->kind) != 0)
		return FAIL(r, "base '%s' is of kind '%s', expected '%s'", r->base, kind, r->v->kind);
	return read_file(r->v, file, r->depth + 1, r->error);
}

/* The mapping that has just begun; its keys lie below PREFIX ("" at the top). */
static bool read_group(reader *r, const char *prefix)
{
	for (;;) {
		g_autofree char *path = NULL;
		int key;
		bool ok;

		if (!next_event(r))
			return false;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return true;
		if (r->event.type != YAML_SCALAR_EVENT)
			return FAIL(r, "expected a key");
		path = *prefix ? g_strconcat(prefix, ".", scalar(r), NULL) : g_strdup(scalar(r));
		key = isa_view_find(r->v, path);
		if (key >= 0)
			ok = read_leaf(r, key);
		else if (strcmp(path, "name") == 0)
			ok = read_text(r, path, &r->name);
		else if (strcmp(path, "title") == 0)
			ok = read_text(r, path, &r->title);
		else if (strcmp(path, "alias") == 0)
			ok = read_text(r, path, &r->alias);
		else if (strcmp(path, "kind") == 0)
			ok = read_text(r, path, &r->kind);
		else if (strcmp(path, "base") == 0)
			ok = read_base(r);
		else if (!is_group(r, path))
			ok = fail_unknown(r, path);
		else
			ok = expect(r, YAML_MAPPING_START_EVENT, "a mapping") && read_group(r, path);
		if (!ok)
			return false;
	}
}

static bool read_document(reader *r)
{
	if (!expect(r, YAML_STREAM_START_EVENT, "YAML") ||
	    !expect(r, YAML_DOCUMENT_START_EVENT, "a machine description") ||
	    !expect(r, YAML_MAPPING_START_EVENT, "a mapping of machine keys") || !read_group(r, ""))
		return false;
	if (!r->name || !r->title)
		return FAIL(r, "%s is missing", r->name ? "title" : "name");
	for (size_t i = 0; i < r->v->count && !r->base; i++)
		if (!r->seen[i])
			return FAIL(r, "key '%s' is missing", r->v->keys[i].path);
	return expect(r, YAML_DOCUMENT_END_EVENT, "the end of the machine description") &&
	       expect(r, YAML_STREAM_END_EVENT, "one machine description only");
}

/* Reads FILE into V; DEPTH as in struct reader. */
static bool read_file(const isa_key_view *v, const char *file, unsigned depth, GError **error)
{
	gsize length;
	g_autofree char *text = tsp_file_read(file, &length, error);
	reader r = {.file = file, .v = v, .depth = depth, .error = error};
	bool ok;

	if (!text)
		return false;
	if (!yaml_parser_initialize(&r.parser)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "libyaml does not start");
		return false;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
	r.seen = g_new0(bool, v->count);
	ok = read_document(&r);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	g_free(r.seen);
	g_free(*v->name);
	g_free(*v->title);
	*v->name = r.name;
	*v->title = r.title;
	g_free(r.alias);
	g_free(r.kind);
	g_free(r.base);
	return ok;
}

/* What a file says of itself: the texts behind kind: and alias: at its top.  A file that does not parse says nothing;
 * reading it will tell. */
typedef struct head {
	char *kind, *alias;
} head;

static head read_head(const char *file)
{
	g_autofree char *text = NULL;
	g_autofree char *key = NULL;
	yaml_parser_t parser;
	enum { HEAD_LEVELS = 16 };
	yaml_event_t event;
	head h = {NULL, NULL};
	gsize length;
	int depth = 0;
	bool more = true;

	if (!g_file_get_contents(file, &text, &length, NULL) || !yaml_parser_initialize(&parser)) {
		h.kind = g_strdup("tsp");
		return h;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	/* libyaml takes quadratic time for deep nesting, which no machine has. */
	while (more && depth < HEAD_LEVELS && yaml_parser_parse(&parser, &event)) {
		bool is_key = false;

		depth += event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT;
		depth -= event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT;
		if (depth == 1 && event.type == YAML_SCALAR_EVENT) {
			const char *value = (const char *)event.data.scalar.value;
			char **to = g_strcmp0(key, "kind") == 0    ? &h.kind
			            : g_strcmp0(key, "alias") == 0 ? &h.alias
			                                           : NULL;

			is_key = !key;
			if (is_key)
				key = g_strdup(value);
			else if (to && !*to)
				*to = g_strdup(value);
		}
		if (!is_key && depth <= 1)
			g_clear_pointer(&key, g_free);
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	if (!h.kind)
		h.kind = g_strdup("tsp");
	return h;
}

static char *kind_of(const char *file)
{
	head h = read_head(file);

	g_free(h.alias);
	return h.kind;
}

/* Where machine files are looked for, in this order. */
static char **search_path(void)
{
	GPtrArray *path = g_ptr_array_new();
	const char *own = g_getenv("TSPSIM_MACHINES");
	const char *data = g_getenv("TSPSIM_DATADIR");

	if (own && *own)
		g_ptr_array_add(path, g_strdup(own));
	if (data && *data)
		g_ptr_array_add(path, g_build_filename(data, "isa/machines", NULL));
	g_ptr_array_add(path, g_strdup(TSPSIM_PKGDATADIR "/isa/machines"));
	g_ptr_array_add(path, g_strdup(TSPSIM_SRCDIR "/isa/machines"));
	g_ptr_array_add(path, NULL);
	return (char **)g_ptr_array_free(path, FALSE);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All of them, of whatever kind. */
static char **all_names(void)
{
	g_auto(GStrv) path = search_path();
	GPtrArray *names = g_ptr_array_new();

	for (char **folder = path; *folder; folder++) {
		GDir *dir = g_dir_open(*folder, 0, NULL);
		const char *file;

		while (dir && (file = g_dir_read_name(dir)) != NULL) {
			char *name = g_strndup(file, strlen(file) - (g_str_has_suffix(file, ".yaml") ? 5 : 0));

			if (g_str_has_suffix(file, ".yaml") &&
			    !g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
				g_ptr_array_add(names, name);
			else
				g_free(name);
		}
		if (dir)
			g_dir_close(dir);
	}
	g_ptr_array_sort(names, compare_names);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

/* The file of preset NAME in the first folder that has it, g_free; NULL when none has. */
static char *preset_file(const char *name)
{
	g_auto(GStrv) path = search_path();
	g_autofree char *file = g_strconcat(name, ".yaml", NULL);

	for (char **folder = path; *folder; folder++) {
		char *full = g_build_filename(*folder, file, NULL);

		if (g_file_test(full, G_FILE_TEST_IS_REGULAR))
			return full;
		g_free(full);
	}
	return NULL;
}

char **isa_preset_names(const char *kind)
{
	g_auto(GStrv) names = all_names();
	GPtrArray *some = g_ptr_array_new();

	for (char **name = names; *name; name++) {
		g_autofree char *file = preset_file(*name);
		head h = file ? read_head(file) : (head){NULL, NULL};

		if (g_strcmp0(h.kind, kind) == 0)
			g_ptr_array_add(some, g_strdup(*name));
		g_free(h.kind);
		g_free(h.alias);
	}
	g_ptr_array_add(some, NULL);
	return (char **)g_ptr_array_free(some, FALSE);
}

char *isa_machine_alias(const char *name)
{
	g_autofree char *file = preset_file(name);
	head h = file ? read_head(file) : (head){NULL, NULL};

	g_free(h.kind);
	return h.alias;
}

/* The file of the preset whose alias is NAME, or NULL. */
static char *alias_file(const char *name)
{
	g_auto(GStrv) names = all_names();
	char *found = NULL;

	for (char **preset = names; *preset && !found; preset++) {
		g_autofree char *file = preset_file(*preset);
		head h = file ? read_head(file) : (head){NULL, NULL};

		if (g_strcmp0(h.alias, name) == 0)
			found = g_steal_pointer(&file);
		g_free(h.kind);
		g_free(h.alias);
	}
	return found;
}

char *isa_machine_file(const char *name, char **kind, GError **error)
{
	bool is_file = strchr(name, '/') || g_str_has_suffix(name, ".yaml");
	char *file = is_file ? g_strdup(name) : preset_file(name);

	*kind = NULL;
	if (!file)
		file = alias_file(name);
	if (file) {
		*kind = kind_of(file);
	} else {
		g_auto(GStrv) names = all_names();
		g_autofree char *hint = isa_hint(name, (const char *const *)names);
		g_autofree char *list = g_strjoinv(", ", names);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "unknown machine '%s', expected a .yaml file or one of: %s%s", name, list, hint);
	}
	return file;
}

bool isa_view_load(const isa_key_view *v, const char *name, GError **error)
{
	g_autofree char *kind = NULL;
	g_autofree char *file = isa_machine_file(name, &kind, error);

	if (!file)
		return false;
	if (strcmp(kind, v->kind) != 0) {
		g_auto(GStrv) names = isa_preset_names(v->kind);
		g_autofree char *list = g_strjoinv(", ", names);

		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "machine '%s' is of kind '%s', expected one of kind '%s', such as %s", name, kind, v->kind,
		            list);
		return false;
	}
	return read_file(v, file, 0, error);
}
