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

/* Workload text ("gemm:1024x1024x512:fp16", see docs/workloads.md) or path of a SCALE-Sim CSV or text graph.  MACHINE
 * gives lanes, MXM rows and sub-sum, and whether K blocks are RUNS (hashed SRAM) or TAPS (direct).  Returns graphs in
 * order (GPtrArray of graph, with free function), verified.  OPTIONS and its fields may be NULL: defaults. */
GPtrArray *frontend_read(const char *workload, const isa_machine *machine, const frontend_options *options,
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
