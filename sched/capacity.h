/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers that cannot fit into a machine's SRAM whatever their layout.
 */
#ifndef TSPSIM_SCHED_CAPACITY_H
#define TSPSIM_SCHED_CAPACITY_H

#include "isa/machine.h"
#include "sched/ir/graph.h"

/* Bytes of inputs, constants and results, without any padding. */
uint64_t sched_layer_bytes(const graph *g);
/* False, with an error that names layer, bytes and capacity, when one of GRAPHS has more bytes than MACHINE stores. */
bool sched_check_capacity(GPtrArray *graphs, const isa_machine *machine, GError **error);

#endif
