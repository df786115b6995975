/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing JSON: objects and arrays are opened and closed by calls, commas and escapes follow.  KEY is NULL inside
 * arrays and for the outermost value.  Strings are taken as UTF-8; bytes that are not become U+FFFD, so the output is
 * always valid.
 */
#ifndef TSPSIM_TOOLS_JSON_H
#define TSPSIM_TOOLS_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct json json;

json *json_new(void);
/* Closes nothing: every open object must have been ended.  Returns the text with a final newline, g_free; frees J. */
char *json_finish(json *j);

void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end(json *j);                                        /* of the innermost object or array */
void json_string(json *j, const char *key, const char *value); /* NULL: null */
void json_int(json *j, const char *key, int64_t value);
void json_uint(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value); /* not finite: null */
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);

#endif
