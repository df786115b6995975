/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of bank evaluation share: runs on arrays and patterns, and an oracle that steps queues cycle by cycle.
 */
#ifndef TSPSIM_TESTS_UNIT_BANK_RIG_H
#define TSPSIM_TESTS_UNIT_BANK_RIG_H

#include "bank/metrics.h"
#include "bank/model.h"

#include <glib.h>

/* A memory and how it is evaluated; zeros mean 1 port, 1 cycle, the banks that the map uses, 5000 rows. */
typedef struct rig {
	const char *map;
	enum bank_model model;
	unsigned banks; /* of the memory, 144 when 0 */
	unsigned ports, busy;
	bool merge, separate;
	unsigned groups; /* bank groups */
	uint64_t warmup, measure;
	unsigned window;
	uint64_t rows;
	uint64_t lookahead;
	enum bank_priority priority;
} rig;

bankmap *rig_map(const rig *r); /* fails the program when the map is refused; also maps that are not injective */
/* Evaluates COUNT blocks in groups of K; KINDS may be NULL.  Cleared with bank_result_clear. */
bank_result rig_kinds(const rig *r, const uint64_t *blocks, const uint8_t *kinds, size_t count, unsigned k);
bank_result rig_blocks(const rig *r, const uint64_t *blocks, size_t count, unsigned k);
/* The same of a column: blocks base, base + stride, ... */
bank_result rig_stride(const rig *r, uint64_t base, uint64_t stride, size_t groups, unsigned k);
bank_result rig_pattern(const rig *r, const char *pattern, unsigned k, uint64_t groups);

/* The oracle: queues of requests, stepped one cycle at a time.  Sums over the whole run. */
typedef struct oracle {
	uint64_t requests, delayed, delay_sum, max_delay, cycles, conflict_groups;
} oracle;

oracle oracle_open(const rig *r, const uint64_t *blocks, size_t count, unsigned k);
oracle oracle_closed(const rig *r, const uint64_t *blocks, size_t count, unsigned k);

#endif
