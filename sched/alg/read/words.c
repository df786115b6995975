/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a text with their places.
 */
#include "sched/alg/read/internal.h"

#include <string.h>

void words_init(words *w, const char *text, const char *name, char comment, GError **error)
{
	*w = (words){name, text, 1, 1, comment, error};
}

/* The end mark of old DOS files is one as well. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == '\x1a';
}

static void step(words *w)
{
	if (*w->at++ == '\n') {
		w->line++;
		w->column = 1;
	} else {
		w->column++;
	}
}

static void skip_comment(words *w)
{
	if (w->comment && *w->at == w->comment)
		while (*w->at && *w->at != '\n')
			step(w);
}

bool words_next(words *w)
{
	for (skip_comment(w); is_blank(*w->at); skip_comment(w))
		step(w);
	return *w->at != '\0';
}

bool words_on_line(words *w)
{
	for (skip_comment(w); is_blank(*w->at) && *w->at != '\n'; skip_comment(w))
		step(w);
	return *w->at && *w->at != '\n';
}

void words_error(words *w, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(w->error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: %s", w->name, w->line, w->column, text);
}

/* The word here, for errors. */
static char *quoted(const words *w)
{
	size_t n = 0;
	g_autofree char *raw = NULL;
	g_autofree char *text = NULL;

	while (w->at[n] && !is_blank(w->at[n]) && n < 30)
		n++;
	if (n == 0)
		return g_strdup("the end");
	raw = g_strndup(w->at, n);
	text = g_utf8_make_valid(raw, -1);
	return g_strdup_printf("'%s'", text);
}

static bool in_place(words *w, const char *from, const char *what, int64_t least, int64_t most, int64_t *value,
                     char end)
{
	char *after = NULL;
	gint64 v = 0;
	const char *digits = *from == '-' ? from + 1 : from;

	if (g_ascii_isdigit(*digits))
		v = g_ascii_strtoll(from, &after, 10);
	if (!after || (end ? *after != end : *after && !is_blank(*after)) || v < least || v > most) {
		g_autofree char *word = quoted(w);

		words_error(w, "expected %s, an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT "%s, found %s",
		            what, least, most, end ? " in brackets" : "", word);
		return false;
	}
	for (after += end ? 1 : 0; w->at < after;)
		step(w);
	*value = v;
	return true;
}

bool words_integer(words *w, const char *what, int64_t least, int64_t most, int64_t *value)
{
	words_next(w);
	return in_place(w, w->at, what, least, most, value, '\0');
}

bool words_bracketed(words *w, const char *what, int64_t least, int64_t most, int64_t *value)
{
	words_next(w);
	return in_place(w, *w->at == '[' ? w->at + 1 : "", what, least, most, value, ']');
}

void words_skip_line(words *w)
{
	while (*w->at && *w->at != '\n')
		step(w);
	if (*w->at)
		step(w);
}

/* To where TEXT begins. */
static bool find(words *w, const char *text)
{
	size_t length = strlen(text);

	for (words here = *w; *here.at; step(&here))
		if (strncmp(here.at, text, length) == 0) {
			*w = here;
			return true;
		}
	words_error(w, "expected a line with '%s' from here on, and there is none", text);
	return false;
}

bool words_seek(words *w, const char *text)
{
	if (!find(w, text))
		return false;
	words_skip_line(w);
	return true;
}

bool words_label(words *w, const char *label, const char *what, int64_t least, int64_t most, int64_t *value)
{
	if (!find(w, label) || !find(w, ":"))
		return false;
	step(w);
	return words_integer(w, what, least, most, value);
}

bool words_end(words *w)
{
	g_autofree char *word = NULL;

	if (!words_next(w))
		return true;
	word = quoted(w);
	words_error(w, "expected the end of the file, found %s", word);
	return false;
}

void words_shape(const char *text, char comment, int *counts, unsigned n, int64_t first[2])
{
	words w;

	words_init(&w, text, "", comment, NULL);
	first[0] = first[1] = 0;
	for (unsigned line = 0; line < n; line++) {
		counts[line] = 0;
		if (!words_next(&w))
			continue;
		while (words_on_line(&w)) {
			int64_t value;

			if (!words_integer(&w, "", INT64_MIN, INT64_MAX, &value)) {
				counts[line] = -1;
				words_skip_line(&w);
				break;
			}
			if (line == 0 && counts[line] < 2)
				first[counts[line]] = value;
			counts[line]++;
		}
	}
}
