/* SPDX-License-Identifier: Apache-2.0
 *
 * Problems with maximum lags.
 */
#include "sched/alg/engines.h"

bool alg_solve_lags(const alg_problem *problem, const alg_solve_options *options, alg_solve_result *result,
                    GError **error)
{
	(void)problem;
	(void)options;
	(void)error;
	result->status = ALG_UNKNOWN;
	return true;
}
