/* SPDX-License-Identifier: Apache-2.0
 *
 * One of the entry points, FUZZ_TARGET, as a libFuzzer program.
 */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FUZZ_TARGET(data, size);
	return 0;
}
