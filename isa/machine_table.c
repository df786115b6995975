/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of machine keys read from text, set, printed, copied and freed through the key table of their kind of machine,
 * which a view names.  Files are read in isa/machine_yaml.c.
 */
#include "isa/machine_int.h"

#include <string.h>

isa_key_origin *isa_origins_new(size_t count)
{
	isa_key_origin *origin = g_new0(isa_key_origin, count);

	for (size_t i = 0; i < count; i++)
		origin[i].class_ = ISA_CLASS_ASSUMED;
	return origin;
}

int isa_view_find(const isa_key_view *v, const char *path)
{
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->keys[i].path, path) == 0)
			return (int)i;
	return -1;
}

const char *isa_class_name(enum isa_key_class class_)
{
	static const char *const names[] = {"published", "measured", "derived", "assumed", "set"};

	return names[class_];
}

char *isa_hint(const char *word, const char *const *candidates)
{
	const char *nearest = tsp_nearest(word, candidates);

	return nearest ? g_strdup_printf("; did you mean '%s'?", nearest) : g_strdup("");
}

/* value = value * 10 + digit; false on overflow. */
static bool push_digit(int64_t *value, int digit)
{
	return !__builtin_mul_overflow(*value, 10, value) && !__builtin_add_overflow(*value, digit, value);
}

/* Reads digits with single underscores between them; returns how many. */
static int read_digits(const char **at, int64_t *value, bool *overflow)
{
	int count = 0;

	while (g_ascii_isdigit(**at) || (**at == '_' && count && g_ascii_isdigit((*at)[1]))) {
		if (**at != '_') {
			*overflow |= !push_digit(value, **at - '0');
			count++;
		}
		(*at)++;
	}
	return count;
}

bool isa_parse_integer(const char *text, int64_t *value, GError **error)
{
	const char *at = text;
	bool negative = *at == '-';
	bool overflow = false;
	int digits, fraction = 0;
	int64_t exponent = 0;

	*value = 0;
	at += negative;
	digits = read_digits(&at, value, &overflow);
	if (*at == '.') {
		at++;
		fraction = read_digits(&at, value, &overflow);
	}
	if (digits && (*at | 32) == 'e') {
		at++;
		at += *at == '+';
		if (!read_digits(&at, &exponent, &overflow))
			digits = 0;
	}
	if (!digits || *at) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "expected an integer such as 144, 1_600_000 or 0.9e9, found '%s'", text);
		return false;
	}
	for (; fraction > exponent; fraction--) {
		if (*value % 10) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "'%s' is not an integer", text);
			return false;
		}
		*value /= 10;
	}
	for (; exponent > fraction && *value && !overflow; exponent--)
		overflow |= !push_digit(value, 0);
	if (overflow) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "'%s' does not fit 64 bits", text);
		return false;
	}
	if (negative)
		*value = -*value;
	return true;
}

static bool parse_in_range(const isa_key_info *info, const char *text, int64_t *value, GError **error)
{
	if (!isa_parse_integer(text, value, error)) {
		g_prefix_error(error, "%s: ", info->path);
		return false;
	}
	if (*value < info->min || *value > info->max) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: %" G_GINT64_FORMAT " is out of range, expected %" G_GINT64_FORMAT
		            " to %" G_GINT64_FORMAT "%s%s",
		            info->path, *value, info->min, info->max, *info->unit ? " " : "", info->unit);
		return false;
	}
	return true;
}

bool isa_view_store(const isa_key_view *v, int key, const char *const *texts, unsigned count, GError **error)
{
	const isa_key_info *info = &v->keys[key];

	if (info->type == ISA_KEY_TABLE) {
		isa_table table = {{0}, count};

		if (count > ISA_TABLE_MAX) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %u entries, at most %d are possible",
			            info->path, count, ISA_TABLE_MAX);
			return false;
		}
		for (unsigned i = 0; i < count; i++)
			if (!parse_in_range(info, texts[i], &table.at[i], error))
				return false;
		*isa_view_table(v, (size_t)key) = table;
		return true;
	}
	if (count != 1) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected one value, found a list", info->path);
		return false;
	}
	if (info->type == ISA_KEY_INT) {
		int64_t value;

		if (!parse_in_range(info, texts[0], &value, error))
			return false;
		*isa_view_int(v, (size_t)key) = value;
		return true;
	}
	if (!*texts[0]) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected a text", info->path);
		return false;
	}
	g_free(*isa_view_string(v, (size_t)key));
	*isa_view_string(v, (size_t)key) = g_strdup(texts[0]);
	return true;
}

bool isa_view_set(const isa_key_view *v, const char *key, const char *value, GError **error)
{
	int index = isa_view_find(v, key);
	isa_key_origin *origin;
	bool ok;

	if (index < 0) {
		g_autofree const char **paths = g_new0(const char *, v->count + 1);
		g_autofree char *hint = NULL;

		for (size_t i = 0; i < v->count; i++)
			paths[i] = v->keys[i].path;
		hint = isa_hint(key, paths);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown machine key '%s'%s", key, hint);
		return false;
	}
	if (v->keys[index].type == ISA_KEY_TABLE) {
		g_auto(GStrv) parts = g_strsplit(value, ",", -1);

		for (char **part = parts; *part; part++)
			g_strstrip(*part);
		ok = isa_view_store(v, index, (const char *const *)parts, g_strv_length(parts), error);
	} else {
		ok = isa_view_store(v, index, &value, 1, error);
	}
	if (!ok)
		return false;
	origin = &v->origin[index];
	origin->class_ = ISA_CLASS_SET;
	g_free(origin->source);
	g_free(origin->note);
	origin->source = g_strdup("--set");
	origin->note = NULL;
	return true;
}

char *isa_view_text(const isa_key_view *v, int key)
{
	const isa_table *table;
	GString *text;

	if (v->keys[key].type == ISA_KEY_STRING)
		return g_strdup(*isa_view_string(v, (size_t)key));
	if (v->keys[key].type == ISA_KEY_INT)
		return g_strdup_printf("%" G_GINT64_FORMAT, *isa_view_int(v, (size_t)key));
	table = isa_view_table(v, (size_t)key);
	text = g_string_new(NULL);
	for (unsigned i = 0; i < table->count; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "," : "", table->at[i]);
	return g_string_free(text, FALSE);
}

char *isa_view_dump(const isa_key_view *v)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < v->count; i++) {
		g_autofree char *value = isa_view_text(v, (int)i);
		const isa_key_origin *origin = &v->origin[i];

		g_string_append_printf(text, "%s = %s%s%s  [%s; %s]\n", v->keys[i].path, value,
		                       *v->keys[i].unit ? " " : "", v->keys[i].unit, isa_class_name(origin->class_),
		                       origin->source ? origin->source : "");
	}
	return g_string_free(text, FALSE);
}

void isa_view_copy(const isa_key_view *to, const isa_key_view *from)
{
	*to->name = g_strdup(*from->name);
	*to->title = g_strdup(*from->title);
	for (size_t i = 0; i < to->count; i++) {
		to->origin[i].class_ = from->origin[i].class_;
		to->origin[i].source = g_strdup(from->origin[i].source);
		to->origin[i].note = g_strdup(from->origin[i].note);
		if (to->keys[i].type == ISA_KEY_STRING)
			*isa_view_string(to, i) = g_strdup(*isa_view_string(from, i));
	}
}

void isa_view_clear(const isa_key_view *v)
{
	for (size_t i = 0; i < v->count; i++) {
		g_free(v->origin[i].source);
		g_free(v->origin[i].note);
		if (v->keys[i].type == ISA_KEY_STRING)
			g_free(*isa_view_string(v, i));
	}
	g_free(v->origin);
	g_free(*v->name);
	g_free(*v->title);
}
