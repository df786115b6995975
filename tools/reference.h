/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference pages written from the tables.
 */
#ifndef TSPSIM_TOOLS_REFERENCE_H
#define TSPSIM_TOOLS_REFERENCE_H

#include <glib.h>

/* docs/isa.md: every instruction with its fields, encoding and timing class; violations; g_free. */
char *reference_ops(GError **error);
/* docs/ascend-isa.md: the same for Ascend-style cores, with timing classes, flag pairs, order and rules; g_free. */
char *reference_ascend_ops(GError **error);
/* docs/ascend-counters.md: hardware counters of Ascend-style cores, and those that the models cannot count; g_free. */
char *reference_ascend_counters(GError **error);
/* docs/machines.md, docs/ascend-machines.md: every machine key of a kind of machine with its value, class and source in
 * every preset; g_free. */
struct tool_style;
char *reference_keys(const struct tool_style *style, GError **error);
/* docs/bank-maps.md: every family of bank maps and what its example says of itself; g_free. */
char *reference_maps(GError **error);

/* Unit, fields, delay and what a machine must have, of instruction OP: two indented lines for explain, g_free. */
char *reference_op(unsigned op);
/* Pipe, sub-cores, fields and times of instruction OP of Ascend-style cores. */
char *reference_ascend_op(unsigned op);

#endif
