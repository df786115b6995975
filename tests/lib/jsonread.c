/* SPDX-License-Identifier: Apache-2.0
 *
 * A strict JSON reader by recursive descent.  Escapes of strings are taken apart; numbers are kept as written.
 */
#include "tests/lib/jsonread.h"

#include <string.h>

typedef struct reading {
	const char *begin, *at;
} reading;

static jvalue *read_value(reading *r, int depth);

static void blanks(reading *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

static jvalue *make(enum jvalue_kind kind)
{
	jvalue *v = g_new0(jvalue, 1);

	v->kind = kind;
	if (kind >= JVALUE_ARRAY)
		v->item = g_ptr_array_new_with_free_func((GDestroyNotify)jvalue_free);
	if (kind == JVALUE_OBJECT)
		v->key = g_ptr_array_new_with_free_func(g_free);
	return v;
}

void jvalue_free(jvalue *v)
{
	if (!v)
		return;
	if (v->item)
		g_ptr_array_unref(v->item);
	if (v->key)
		g_ptr_array_unref(v->key);
	g_free(v->text);
	g_free(v);
}

static bool hex(reading *r, gunichar *c)
{
	*c = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		if (!g_ascii_isxdigit(*r->at))
			return false;
		*c = *c * 16 + (gunichar)g_ascii_xdigit_value(*r->at);
	}
	return true;
}

static char *read_string(reading *r)
{
	GString *out = g_string_new(NULL);
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

	for (r->at++; *r->at != '"'; r->at++) {
		const char *escape;
		gunichar c;

		if ((unsigned char)*r->at < 0x20)
			goto bad;
		if (*r->at != '\\') {
			g_string_append_c(out, *r->at);
			continue;
		}
		r->at++;
		escape = *r->at ? strchr(from, *r->at) : NULL;
		if (escape) {
			g_string_append_c(out, to[escape - from]);
		} else if (*r->at == 'u') {
			r->at++;
			if (!hex(r, &c))
				goto bad;
			g_string_append_unichar(out, c);
			r->at--;
		} else {
			goto bad;
		}
	}
	if (!g_utf8_validate(out->str, (gssize)out->len, NULL))
		goto bad;
	r->at++;
	return g_string_free(out, FALSE);
bad:
	g_string_free(out, TRUE);
	return NULL;
}

static size_t digits(const char *at)
{
	return strspn(at, "0123456789");
}

static jvalue *read_number(reading *r)
{
	const char *begin = r->at;
	size_t n;
	jvalue *v;

	r->at += *r->at == '-';
	n = digits(r->at);
	if (n == 0 || (n > 1 && *r->at == '0'))
		return NULL;
	r->at += n;
	if (*r->at == '.') {
		n = digits(++r->at);
		if (n == 0)
			return NULL;
		r->at += n;
	}
	if (*r->at == 'e' || *r->at == 'E') {
		r->at++;
		r->at += *r->at == '+' || *r->at == '-';
		n = digits(r->at);
		if (n == 0)
			return NULL;
		r->at += n;
	}
	v = make(JVALUE_NUMBER);
	v->text = g_strndup(begin, (gsize)(r->at - begin));
	return v;
}

static jvalue *read_word(reading *r)
{
	static const struct {
		const char *word;
		enum jvalue_kind kind;
	} words[] = {{"true", JVALUE_BOOL}, {"false", JVALUE_BOOL}, {"null", JVALUE_NULL}};

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_has_prefix(r->at, words[i].word)) {
			jvalue *v = make(words[i].kind);

			v->text = g_strdup(words[i].word);
			r->at += strlen(words[i].word);
			return v;
		}
	return NULL;
}

/* An element, with its key in an object. */
static bool read_item(reading *r, jvalue *v, int depth)
{
	jvalue *item;

	if (v->kind == JVALUE_OBJECT) {
		char *key = *r->at == '"' ? read_string(r) : NULL;

		if (!key)
			return false;
		g_ptr_array_add(v->key, key);
		blanks(r);
		if (*r->at++ != ':')
			return false;
	}
	item = read_value(r, depth);
	if (!item)
		return false;
	g_ptr_array_add(v->item, item);
	blanks(r);
	return true;
}

static jvalue *read_list(reading *r, int depth)
{
	char close = *r->at == '{' ? '}' : ']';
	jvalue *v = make(*r->at == '{' ? JVALUE_OBJECT : JVALUE_ARRAY);

	r->at++;
	blanks(r);
	if (*r->at == close) {
		r->at++;
		return v;
	}
	for (;;) {
		if (!read_item(r, v, depth))
			break;
		if (*r->at == close) {
			r->at++;
			return v;
		}
		if (*r->at++ != ',')
			break;
		blanks(r);
	}
	jvalue_free(v);
	return NULL;
}

static jvalue *read_value(reading *r, int depth)
{
	enum { DEEPEST = 64 };
	jvalue *v;

	blanks(r);
	if (depth > DEEPEST)
		return NULL;
	switch (*r->at) {
	case '{':
	case '[':
		return read_list(r, depth + 1);
	case '"':
		v = make(JVALUE_STRING);
		v->text = read_string(r);
		if (v->text)
			return v;
		jvalue_free(v);
		return NULL;
	case '-':
	case '0' ... '9':
		return read_number(r);
	default:
		return read_word(r);
	}
}

jvalue *jvalue_read(const char *text, size_t *where)
{
	reading r = {text, text};
	jvalue *v = read_value(&r, 0);

	blanks(&r);
	*where = (size_t)(r.at - r.begin);
	if (v && *r.at) {
		jvalue_free(v);
		return NULL;
	}
	return v;
}

const jvalue *jvalue_get(const jvalue *object, const char *key)
{
	for (guint i = 0; object && object->kind == JVALUE_OBJECT && i < object->key->len; i++)
		if (strcmp(object->key->pdata[i], key) == 0)
			return object->item->pdata[i];
	return NULL;
}

const char *jvalue_text(const jvalue *object, const char *key)
{
	const jvalue *v = jvalue_get(object, key);

	return v && (v->kind == JVALUE_STRING || v->kind == JVALUE_NUMBER) ? v->text : NULL;
}

gint64 jvalue_int(const jvalue *object, const char *key)
{
	const jvalue *v = jvalue_get(object, key);
	gint64 value;

	if (!v || v->kind != JVALUE_NUMBER ||
	    !g_ascii_string_to_signed(v->text, 10, G_MININT64, G_MAXINT64, &value, NULL))
		return G_MININT64;
	return value;
}
