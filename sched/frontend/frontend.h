/* SPDX-License-Identifier: Apache-2.0
 *
 * Front ends: from a workload text or file to graphs, one per layer.
 */
#ifndef TSPSIM_SCHED_FRONTEND_FRONTEND_H
#define TSPSIM_SCHED_FRONTEND_FRONTEND_H

#include "isa/machine.h"
#include "sched/ir/graph.h"

typedef struct frontend_options {
	/* csv.form: "auto", "conv", "gemm"; csv.dialect: "floor" (default) or "scale-sim"; csv.dtype: type name */
	const char *csv_form;
	const char *csv_dialect;
	const char *csv_dtype;
} frontend_options;

/* What a machine does to the order of sums, and so to the graphs: fp16 sums of SUM_LANES lanes are taken exactly before
 * they are rounded, K blocks have BLOCK_LANES lanes (0: all of K is one block). */
typedef struct frontend_target {
	uint64_t block_lanes, sum_lanes;
	enum graph_kblock kind;   /* of convolutions */
	uint64_t conv_chan_bytes; /* CHANNELS: of a chunk of channels */
} frontend_target;
frontend_target frontend_target_tsp(const isa_machine *machine);
/* Cubes add one product after the other to an fp32 sum, 32 bytes of channels inside the filter's positions. */
frontend_target frontend_target_ascend(void);

/* Workload text ("gemm:1024x1024x512:fp16", see docs/workloads.md) or path of a SCALE-Sim CSV or text graph.  MACHINE
 * gives lanes, MXM rows and sub-sum, and whether K blocks are RUNS (hashed SRAM) or TAPS (direct); TARGET likewise.
 * Returns graphs in order (GPtrArray of graph, with free function), verified.  OPTIONS and its fields may be NULL:
 * defaults. */
GPtrArray *frontend_read(const char *workload, const isa_machine *machine, const frontend_options *options,
                         GError **error);

GPtrArray *frontend_read_for(const char *workload, const frontend_target *target, const frontend_options *options,
                             GError **error);

/* Does WORKLOAD name a file (by its ending)? */
bool frontend_is_file(const char *workload);

/* Generators, for lists and tests. */
typedef struct frontend_generator {
	const char *name;   /* "gemm" */
	const char *syntax; /* "gemm:MxNxK[:int8|fp16]" */
	const char *doc;
} frontend_generator;
extern const frontend_generator frontend_generators[];
extern const size_t frontend_generator_count;

#endif
