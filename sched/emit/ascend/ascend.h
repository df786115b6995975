/* SPDX-License-Identifier: Apache-2.0
 *
 * The back end of Ascend-style chips: graphs become kernels, kernels become streams (build.h).
 *
 * A graph is cut into kernels (plan.c); each kernel is one function that writes steps for every block.  Tensors between
 * kernels lie in global memory.  Values follow the graph to the last rounding; where the chip has no instruction for an
 * operation, legal.c writes the graph in operations it has, and the reference evaluates that graph.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_ASCEND_H
#define TSPSIM_SCHED_EMIT_ASCEND_ASCEND_H

#include "sched/emit/ascend/build.h"

/* Schedules GRAPHS one after another for MACHINE (the sched parameter set).  Graphs may be rewritten in place (legal.c)
 * to operations the chip has.  Outputs are tensors of the program named like their graph nodes. */
asc_program *sched_ascend_compile(GPtrArray *graphs, const asc_machine *machine, const sched_options *options,
                                  sched_report *report, GError **error);

/* Nodes FIRST .. LAST of a graph that make one kernel, and where each node's value lies. */
typedef struct ask_place {
	uint64_t address, pitch_bytes; /* of rows; a node that no kernel stores has none */
} ask_place;
typedef struct ask_kernel {
	const graph *g;
	GArray *nodes;          /* uint32_t, in graph order: what the kernel computes */
	const ask_place *place; /* [graph_size(g)] */
} ask_kernel;

/* Kernels.  Each writes the steps of all blocks. */
bool ask_matmul(asb *b, const ask_kernel *k, GError **error);    /* a MATMUL node, and an elementwise tail where it
                                                                     fits the way out */
bool ask_conv(asb *b, const ask_kernel *k, GError **error);      /* a CONV node */
bool ask_vector(asb *b, const ask_kernel *k, GError **error);    /* element-wise nodes, reductions, views, joins */
bool ask_transpose(asb *b, const ask_kernel *k, GError **error); /* a TRANSPOSE node */
bool ask_gather(asb *b, const ask_kernel *k, GError **error);    /* a GATHER node */
bool ask_flash(asb *b, const ask_kernel *k, GError **error);     /* the same tile by tile */
bool ask_attention(asb *b, const ask_kernel *k, GError **error); /* product, softmax, product: scores stay on chip */

/* Which nodes these take (ask_pattern). */
void ask_match_vector(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
void ask_match_product(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
void ask_match_transpose(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
void ask_match_flash(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
void ask_match_attention(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
void ask_match_gather(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
void ask_match_conv(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes);
/* Is host data INPUT read by nothing but convolutions that want its rows without gaps? */
bool ask_conv_dense(const graph *g, uint32_t input);

/* Writes G in operations the chip has; what that changes goes into NOTES. */
bool ask_legalise(graph *g, GString *notes, GError **error);

#endif
