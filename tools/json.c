/* SPDX-License-Identifier: Apache-2.0
 *
 * A JSON writer of one page.  Indents by two spaces; one member a line.
 */
#include "tools/json.h"

#include <math.h>

struct json {
	GString *text;
	GString *open; /* a stack of closing brackets */
	bool first;    /* is the next member the first of its object? */
};

json *json_new(void)
{
	json *j = g_new(json, 1);

	*j = (json){.text = g_string_new(NULL), .open = g_string_new(NULL), .first = true};
	return j;
}

static void append_quoted(GString *out, const char *value)
{
	g_autofree char *valid = g_utf8_make_valid(value, -1);

	g_string_append_c(out, '"');
	for (const char *p = valid; *p; p++) {
		if (*p == '"' || *p == '\\')
			g_string_append_printf(out, "\\%c", *p);
		else if (*p == '\n')
			g_string_append(out, "\\n");
		else if (*p == '\t')
			g_string_append(out, "\\t");
		else if ((unsigned char)*p < 0x20 || *p == 0x7f)
			g_string_append_printf(out, "\\u%04x", (unsigned)(unsigned char)*p);
		else
			g_string_append_c(out, *p);
	}
	g_string_append_c(out, '"');
}

/* Comma, new line, indentation and key before a value. */
static void begin_value(json *j, const char *key)
{
	if (j->open->len) {
		if (!j->first)
			g_string_append_c(j->text, ',');
		g_string_append_printf(j->text, "\n%*s", (int)(2 * j->open->len), "");
	}
	if (key) {
		append_quoted(j->text, key);
		g_string_append(j->text, ": ");
	}
	j->first = false;
}

static void open_bracket(json *j, const char *key, char opening, char closing)
{
	begin_value(j, key);
	g_string_append_c(j->text, opening);
	g_string_append_c(j->open, closing);
	j->first = true;
}

void json_object(json *j, const char *key)
{
	open_bracket(j, key, '{', '}');
}

void json_array(json *j, const char *key)
{
	open_bracket(j, key, '[', ']');
}

void json_end(json *j)
{
	char closing;

	g_assert(j->open->len);
	closing = j->open->str[j->open->len - 1];
	g_string_truncate(j->open, j->open->len - 1);
	if (!j->first)
		g_string_append_printf(j->text, "\n%*s", (int)(2 * j->open->len), "");
	g_string_append_c(j->text, closing);
	j->first = false;
}

void json_string(json *j, const char *key, const char *value)
{
	if (!value) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	append_quoted(j->text, value);
}

void json_int(json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	g_string_append_printf(j->text, "%" G_GINT64_FORMAT, value);
}

void json_uint(json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	g_string_append_printf(j->text, "%" G_GUINT64_FORMAT, value);
}

void json_real(json *j, const char *key, double value)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	g_string_append(j->text, g_ascii_formatd(buffer, sizeof buffer, "%.10g", value));
}

void json_bool(json *j, const char *key, bool value)
{
	begin_value(j, key);
	g_string_append(j->text, value ? "true" : "false");
}

void json_null(json *j, const char *key)
{
	begin_value(j, key);
	g_string_append(j->text, "null");
}

char *json_finish(json *j)
{
	char *text;

	g_assert(!j->open->len);
	g_string_append_c(j->text, '\n');
	text = g_string_free(j->text, FALSE);
	g_string_free(j->open, TRUE);
	g_free(j);
	return text;
}
