/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of addresses: any bytes are groups or a message, the same ones again after rewinding, within the limits that
 * batches have.  The first byte chooses format, unit and lanes of a group.
 */
#include "bank/reader.h"

#include "tests/fuzz/fuzz.h"

/* A number that changes with any of the groups. */
static uint64_t digest(bank_source *source, unsigned k, GError **error)
{
	bank_batch batch = {0};
	uint64_t sum = 0;

	while (bank_source_next(source, &batch, error)) {
		FUZZ_EXPECT(batch.groups && batch.start[0] == 0 && batch.start[batch.groups] == batch.accesses);
		for (size_t g = 0; g < batch.groups; g++) {
			FUZZ_EXPECT(batch.start[g] < batch.start[g + 1]);
			FUZZ_EXPECT(!k || batch.start[g + 1] - batch.start[g] <= k);
			for (uint32_t i = batch.start[g]; i < batch.start[g + 1]; i++) {
				FUZZ_EXPECT(batch.kinds[i] <= batch.has_kinds);
				sum = (sum + batch.blocks[i] + batch.kinds[i]) * UINT64_C(0x9e3779b97f4a7c15);
			}
			sum = sum * 3 + 1;
		}
	}
	bank_batch_clear(&batch);
	return sum;
}

void fuzz_addresses(const uint8_t *data, size_t size)
{
	static const unsigned lanes[] = {0, 1, 3, 16};
	unsigned choice = size ? data[0] : 0;
	bank_reader_options options;
	bank_source *source;
	GError *error = NULL;
	uint64_t sum;

	bank_reader_options_init(&options);
	options.format = (bank_format)(choice % 8 % BANK_FORMAT_COUNT);
	options.k = lanes[choice >> 3 & 3];
	options.phase_lanes = options.k;
	options.no_writes = choice >> 7;
	options.blocks = choice >> 5 & 1;
	options.block_bytes = choice & 64 ? 64 : 320;
	source = bank_reader_of_bytes("x", size ? data + 1 : data, size ? size - 1 : 0, &options, &error);
	FUZZ_EXPECT(source);
	sum = digest(source, options.k, &error);
	if (fuzz_judge(!error, &error)) {
		FUZZ_EXPECT(bank_source_rewind(source, NULL));
		FUZZ_EXPECT(digest(source, options.k, &error) == sum && !error);
	}
	bank_source_free(source);
}
