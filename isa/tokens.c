/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a line of assembly and the numbers among them.
 */
#include "isa/tokens.h"
#include "isa/error.h"

#include <errno.h>

static void clear_token(gpointer token)
{
	g_free(((isa_token *)token)->text);
}

GArray *isa_tokens_new(void)
{
	GArray *tokens = g_array_new(FALSE, TRUE, sizeof(isa_token));

	g_array_set_clear_func(tokens, clear_token);
	return tokens;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

bool isa_tokens_cut(GArray *tokens, const char *line, const char *line_end, unsigned *column)
{
	const char *at = line;

	g_array_set_size(tokens, 0);
	for (;;) {
		isa_token token = {.quoted = false};
		const char *begin;

		while (at < line_end && is_space(*at))
			at++;
		if (at == line_end || *at == ';')
			return true;
		begin = at;
		token.column = (unsigned)(at - line) + 1;
		if (*at == '"') {
			g_autofree char *raw = NULL;

			for (at++; at < line_end && *at != '"'; at++)
				at += *at == '\\' && at + 1 < line_end;
			if (at == line_end) {
				*column = token.column;
				return false;
			}
			raw = g_strndup(begin + 1, (gsize)(at - begin - 1));
			token.text = g_strcompress(raw);
			token.quoted = true;
			at++;
		} else {
			while (at < line_end && !is_space(*at) && *at != ';')
				at++;
			token.text = g_strndup(begin, (gsize)(at - begin));
		}
		g_array_append_val(tokens, token);
	}
}

/* Is TEXT a number, and if one of 64 bits, *VALUE. */
static bool read_number(const char *text, bool whole, int64_t *value, bool *fits)
{
	bool negative = *text == '-';
	const char *digits = text + negative;
	bool hex = g_str_has_prefix(digits, "0x");
	guint64 magnitude;
	char *end;

	digits += hex ? 2 : 0;
	if (!g_ascii_isxdigit(*digits))
		return false;
	errno = 0;
	magnitude = g_ascii_strtoull(digits, &end, hex ? 16 : 10);
	if (*end || end == digits)
		return false;
	*fits = errno == 0 && (magnitude <= (guint64)INT64_MAX + negative || (hex && whole && !negative));
	*value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

bool isa_tokens_integer(const char *text, int64_t min, int64_t max, int64_t *value, GError **error)
{
	bool fits = false;

	if (!read_number(text, min == INT64_MIN && max == INT64_MAX, value, &fits)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "expected a number, found '%s'", text);
		return false;
	}
	if (fits && *value >= min && *value <= max)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "%s is out of range, expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, text, min, max);
	return false;
}
