/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader of JSON (RFC 8259) that knows nothing of who wrote it: strict, whole texts only.
 */
#ifndef TSPSIM_TESTS_LIB_JSONREAD_H
#define TSPSIM_TESTS_LIB_JSONREAD_H

#include <glib.h>
#include <stdbool.h>

enum jvalue_kind { JVALUE_NULL, JVALUE_BOOL, JVALUE_NUMBER, JVALUE_STRING, JVALUE_ARRAY, JVALUE_OBJECT };

typedef struct jvalue {
	enum jvalue_kind kind;
	char *text;      /* of a string, or of a number as written; "true" "false" */
	GPtrArray *item; /* jvalue, of arrays and objects */
	GPtrArray *key;  /* char *, of objects */
} jvalue;

/* NULL when TEXT is not JSON; *WHERE is the byte at which it ceases to be. */
jvalue *jvalue_read(const char *text, size_t *where);
void jvalue_free(jvalue *v);
const jvalue *jvalue_get(const jvalue *object, const char *key); /* NULL: none */
const char *jvalue_text(const jvalue *object, const char *key);  /* of a string or number; NULL: none */
gint64 jvalue_int(const jvalue *object, const char *key);        /* G_MININT64: none, or no whole number */

#endif
