/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference pages written from the tables.
 */
#ifndef TSPSIM_TOOLS_REFERENCE_H
#define TSPSIM_TOOLS_REFERENCE_H

#include <glib.h>

/* docs/isa.md: every instruction with its fields, encoding and timing class; violations; g_free. */
char *reference_ops(GError **error);
/* docs/machines.md: every machine key with its value, class and source in every preset; g_free. */
char *reference_keys(GError **error);
/* docs/bank-maps.md: every family of bank maps and what its example says of itself; g_free. */
char *reference_maps(GError **error);

#endif
