/* SPDX-License-Identifier: Apache-2.0
 *
 * The row of the exact engine in a program that was built without its solver.
 */
#include "sched/alg/engines.h"

bool alg_solve_exact(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                     GError **error)
{
	(void)problem;
	(void)options;
	(void)result;
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "method exact is not built into this program; there are list and anneal");
	return false;
}
