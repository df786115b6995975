/* SPDX-License-Identifier: Apache-2.0
 *
 * What isa/machine.c, isa/machine_yaml.c and isa/machine_finish.c share; private to isa/.
 */
#ifndef TSPSIM_ISA_MACHINE_INT_H
#define TSPSIM_ISA_MACHINE_INT_H

#include "isa/machine.h"

/* A machine with no values; every key's class is ISA_CLASS_ASSUMED. */
isa_machine *isa_machine_empty(void);

/* Where key KEY's value lives. */
static inline int64_t *isa_key_int(const isa_machine *m, int key)
{
	return (int64_t *)((char *)m + isa_keys[key].offset);
}
static inline char **isa_key_string(const isa_machine *m, int key)
{
	return (char **)((char *)m + isa_keys[key].offset);
}
static inline isa_table *isa_key_table(const isa_machine *m, int key)
{
	return (isa_table *)((char *)m + isa_keys[key].offset);
}

/* An exact integer written "144", "1_600_000", "0.9e9"; ERROR says what is wrong without naming the place. */
bool isa_parse_integer(const char *text, int64_t *value, GError **error);
/* Stores TEXT (or the COUNT texts of a table) as the value of KEY, with type and range checked; the text of ERROR does
 * not name the place. */
bool isa_key_store(isa_machine *m, int key, const char *const *texts, unsigned count, GError **error);
/* " (did you mean 'x'?)" or "", g_free. */
char *isa_hint(const char *word, const char *const *candidates);

#endif
