/* SPDX-License-Identifier: Apache-2.0
 *
 * What the readers of machine descriptions share; private to isa/.  A view is a machine of either kind seen as a table
 * of keys: where its values, their origins, its name and title are.
 */
#ifndef TSPSIM_ISA_MACHINE_INT_H
#define TSPSIM_ISA_MACHINE_INT_H

#include "isa/machine.h"

typedef struct isa_key_view {
	const char *kind; /* "tsp", "ascend": what stands behind kind: in a machine file; "tsp" when nothing does */
	const isa_key_info *keys;
	size_t count;
	void *values; /* the struct the offsets of KEYS are of */
	isa_key_origin *origin;
	char **name, **title;
} isa_key_view;

/* A machine with no values; every key's class is ISA_CLASS_ASSUMED. */
isa_machine *isa_machine_empty(void);
isa_key_view isa_machine_view(const isa_machine *machine);

/* Where key KEY's value lives. */
static inline int64_t *isa_view_int(const isa_key_view *v, size_t key)
{
	return (int64_t *)((char *)v->values + v->keys[key].offset);
}
static inline char **isa_view_string(const isa_key_view *v, size_t key)
{
	return (char **)((char *)v->values + v->keys[key].offset);
}
static inline isa_table *isa_view_table(const isa_key_view *v, size_t key)
{
	return (isa_table *)((char *)v->values + v->keys[key].offset);
}
static inline int64_t *isa_key_int(const isa_machine *m, int key)
{
	return (int64_t *)((char *)m + isa_keys[key].offset);
}

/* machine_table.c */
isa_key_origin *isa_origins_new(size_t count);
int isa_view_find(const isa_key_view *v, const char *path); /* -1 when unknown */
/* An exact integer written "144", "1_600_000", "0.9e9"; ERROR says what is wrong without naming the place. */
bool isa_parse_integer(const char *text, int64_t *value, GError **error);
/* Stores TEXT (or the COUNT texts of a table) as the value of KEY, with type and range checked; the text of ERROR does
 * not name the place. */
bool isa_view_store(const isa_key_view *v, int key, const char *const *texts, unsigned count, GError **error);
bool isa_view_set(const isa_key_view *v, const char *key, const char *value, GError **error);
char *isa_view_text(const isa_key_view *v, int key); /* g_free */
char *isa_view_dump(const isa_key_view *v);          /* g_free */
/* Gives the values of TO, a shallow copy of FROM with origins of its own, strings of their own. */
void isa_view_copy(const isa_key_view *to, const isa_key_view *from);
void isa_view_clear(const isa_key_view *v); /* frees strings, origins, name, title */
/* " (did you mean 'x'?)" or "", g_free. */
char *isa_hint(const char *word, const char *const *candidates);

/* machine_yaml.c */
/* The file of the machine NAME (preset, alias, path) and what kind it is; g_free both.  NULL: ERROR names the presets,
 * of every kind. */
char *isa_machine_file(const char *name, char **kind, GError **error);
char **isa_preset_names(const char *kind); /* sorted, NULL-terminated; g_strfreev */
/* Reads the file of NAME, which must be of V's kind, into the empty V. */
bool isa_view_load(const isa_key_view *v, const char *name, GError **error);

#endif
