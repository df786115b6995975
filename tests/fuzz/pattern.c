/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of patterns: a source or a message; a source gives groups of at most k lanes (a stream each for streams), no
 * more of them than asked for, and the same ones again.
 */
#include "bank/pattern.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { LANES = 6, WAVE = 10, GROUPS = 200, MAX_TABLE_TEXT = 40 };

static uint64_t digest(bank_source *source)
{
	bank_batch batch = {0};
	uint64_t sum = 0, groups = 0;

	while (bank_source_next(source, &batch, NULL)) {
		FUZZ_EXPECT(batch.groups && batch.start[batch.groups] == batch.accesses && !batch.has_kinds);
		for (size_t g = 0; g < batch.groups; g++) {
			size_t length = batch.start[g + 1] - batch.start[g];

			FUZZ_EXPECT(length > 0 && (length <= LANES || g_str_has_prefix(source->name, "streams")));
		}
		groups += batch.groups;
		for (size_t i = 0; i < batch.accesses; i++)
			sum = (sum + batch.blocks[i]) * UINT64_C(0x9e3779b97f4a7c15);
	}
	FUZZ_EXPECT(groups && groups <= GROUPS);
	bank_batch_clear(&batch);
	return sum;
}

void fuzz_pattern(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, MIN(size, MAX_TABLE_TEXT));
	bank_pattern_options options;
	bank_source *source;
	GError *error = NULL;

	bank_pattern_options_init(&options);
	options.k = LANES;
	options.wave_lanes = WAVE;
	options.groups = GROUPS;
	source = bank_pattern_source(text, &options, &error);
	if (!fuzz_judge(source != NULL, &error))
		return;
	/* Tables of millions of rows are slow, not wrong. */
	if (strlen(text) < sizeof "embedding:65536,1") {
		uint64_t sum = digest(source);

		FUZZ_EXPECT(bank_source_rewind(source, NULL));
		FUZZ_EXPECT(digest(source) == sum);
	}
	bank_source_free(source);
}
