/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference kernel: a loop from instant to instant.  Oracle for the SystemC kernel, and the kernel of builds
 * without SystemC.  Any number may live in one process.
 */
#include "sim/kernel_impl.h"

static bool ref_run(sim_kernel *kernel, int64_t limit, GError **error)
{
	(void)error;
	for (;;) {
		int64_t instant = sim_i_next(kernel);

		if (instant == SIM_NEVER || instant > limit || !sim_i_serve(kernel, instant))
			return true;
	}
}

const sim_kernel_ops sim_kernel_ref_ops = {.name = "ref", .run = ref_run};
