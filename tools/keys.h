/* SPDX-License-Identifier: Apache-2.0
 *
 * Setting machine keys, whatever the kind of machine.
 */
#ifndef TSPSIM_TOOLS_KEYS_H
#define TSPSIM_TOOLS_KEYS_H

#include <glib.h>
#include <stdbool.h>

/* Sets KEY of MACHINE, which is of KIND ("tsp", "ascend"); of a key that only another kind of machine has, the error
 * says that and what comes nearest to it. */
bool keys_set(const char *kind, void *machine, const char *key, const char *value, GError **error);

#endif
