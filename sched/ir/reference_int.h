/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the reference: matrix products, which have a file of their own for speed.
 */
#ifndef TSPSIM_SCHED_IR_REFERENCE_INT_H
#define TSPSIM_SCHED_IR_REFERENCE_INT_H

#include "sched/ir/graph.h"

/* Z, of N's shape and type, from the row-major operands. */
void graph_i_matmul(const graph_node *n, enum isa_type type, const uint8_t *a, const uint8_t *b, uint8_t *z);
void graph_i_conv(const graph_node *n, enum isa_type type, const uint8_t *x, const uint8_t *w, uint8_t *z);

#endif
