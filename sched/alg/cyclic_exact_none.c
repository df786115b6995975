/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact part in a program that was built without its solver: it leaves every question open.
 */
#include "sched/alg/cyclic_int.h"

const bool cyclic_has_exact = false;

enum cyclic_answer cyclic_i_exact(const cyclic_graph *g, int64_t ii, uint32_t stages, uint64_t conflicts,
                                  const cyclic_options *options, cyclic_result *result, int64_t *start, uint32_t *mode)
{
	(void)g;
	(void)ii;
	(void)stages;
	(void)conflicts;
	(void)options;
	(void)result;
	(void)start;
	(void)mode;
	return CYCLIC_OPEN;
}
