/* SPDX-License-Identifier: Apache-2.0
 *
 * Annealing.
 */
#include "sched/alg/engines.h"

bool alg_solve_anneal(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                      GError **error)
{
	return alg_solve_list(problem, options, result, error);
}
