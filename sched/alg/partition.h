/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting a graph of layers or operators into pipeline stages, one a device, so that the busiest device has as little
 * to do as can be.
 *
 * A split is contiguous: the forward nodes of a device are the difference of two down-sets of the graph, those of
 * training's backward part likewise; nodes of one class go to one device.  Where backward nodes use what forward ones
 * produce, the backward part runs through the devices the other way; where it is a copy of the forward part beside it,
 * the same way.  The load of an accelerator that
 * holds S is the work of S, and the transfer of every node outside S with an edge into S, and of every node of S with
 * an edge out of it, once each; its memory is the sum of sizes.  The load of a host core is its work; it has no
 * transfers.
 *
 * Source: Tarnawski et al. 2020 (dynamic program over down-sets), Narayanan et al. 2019 (profiles).
 */
#ifndef TSPSIM_SCHED_ALG_PARTITION_H
#define TSPSIM_SCHED_ALG_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

typedef struct part_node {
	char *name;
	double work, host_work; /* time on an accelerator (infinite: not there), on a host core */
	double transfer;        /* time to move what it produces to or from an accelerator */
	double bytes;           /* on an accelerator */
	bool backward;
	uint32_t class; /* nodes of one class share a device; UINT32_MAX: alone */
} part_node;

typedef struct part_edge {
	uint32_t from, to;
} part_edge;

typedef struct part_problem {
	GArray *nodes; /* part_node */
	GArray *edges; /* part_edge */
	uint32_t accelerators, hosts;
	double memory_bytes; /* of an accelerator */
} part_problem;

part_problem *part_problem_new(void);
void part_problem_free(part_problem *p);

/* JSON with nodes, edges, maxFPGAs, maxCPUs and maxSizePerFPGA; errors carry the file. */
part_problem *part_read_json(const char *text, gsize length, const char *file, GError **error);
/* A profile: "node1 -- layer -- forward_compute_time=.., backward_compute_time=.., activation_size=..,
 * parameter_size=.." a line, edges "\tnode1 -- node2" after.  Work is forward and backward together, one accelerator,
 * no host core, transfers take no time unless BYTES_PER_MS is above 0. */
part_problem *part_read_profile(const char *text, const char *file, double bytes_per_ms, GError **error);

typedef struct part_options {
	uint64_t ideals_max;       /* down-sets, above which the problem is refused (UNSUPPORTED) */
	bool (*stop)(void *state); /* NULL, or asked now and then: true ends the search with the best so far */
	void *stop_state;
} part_options;

typedef struct part_result {
	double max_load;
	uint32_t *device; /* [nodes] accelerators from 0, then hosts; g_free */
	uint64_t ideals, pairs;
	double lower_bound;
	bool proved;     /* the least over contiguous splits */
	bool infeasible; /* there is no contiguous split that fits: DEVICE is NULL */
} part_result;
/* False with ERROR when there is no split that fits (INFEASIBLE), too many down-sets, or when it was stopped before a
 * split was found. */
bool part_solve(const part_problem *p, const part_options *options, part_result *result, GError **error);
void part_result_fini(part_result *r);

/* The loads that DEVICE gives, by definition, [accelerators + hosts], g_free; sets *VALID: every node has a device,
 * memory suffices, the split is contiguous, classes are together.  Shares no code with the solver. */
double *part_check(const part_problem *p, const uint32_t *device, bool *valid);

#endif
