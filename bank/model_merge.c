/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging: of several accesses of a group to one block and of one kind the first in lane order stays (a broadcast read,
 * a combined write).  A read and a write of one block stay two.  A hash table per group, emptied by counting epochs.
 */
#include "bank/model_int.h"

#include <string.h>

/* Is KEY new in this group? */
static bool first_of_group(bank_run *run, uint64_t key)
{
	size_t mask = run->key_room - 1;
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (run->key_epochs[at] == run->epoch) {
		if (run->keys[at] == key)
			return false;
		at = (at + 1) & mask;
	}
	run->key_epochs[at] = run->epoch;
	run->keys[at] = key;
	return true;
}

static void next_group(bank_run *run, size_t count)
{
	if (2 * count > run->key_room) {
		run->key_room = MAX(run->key_room, 64);
		while (run->key_room < 2 * count)
			run->key_room *= 2;
		g_free(run->keys);
		g_free(run->key_epochs);
		run->keys = g_new(uint64_t, run->key_room);
		run->key_epochs = g_new0(uint32_t, run->key_room);
		run->epoch = 0;
	}
	if (++run->epoch == 0) {
		memset(run->key_epochs, 0, run->key_room * sizeof *run->key_epochs);
		run->epoch = 1;
	}
}

void bank_merge(bank_run *run, const bank_batch *batch, bool keep)
{
	bank_batch *out = &run->merged;
	size_t n = 0;

	if (batch->accesses > run->lanes_room) {
		run->lanes_room = MAX(batch->accesses, BANK_BATCH_ACCESSES);
		run->lanes = g_renew(uint32_t, run->lanes, run->lanes_room);
	}
	out->groups = out->accesses = 0;
	bank_batch_reserve(out, batch->groups, batch->accesses);
	out->start[0] = 0;
	for (size_t g = 0; g < batch->groups; g++) {
		uint32_t start = batch->start[g];

		next_group(run, batch->start[g + 1] - start);
		for (uint32_t i = start; i < batch->start[g + 1]; i++) {
			uint8_t kind = batch->has_kinds ? batch->kinds[i] & BANK_WRITE : 0;
			bool first = first_of_group(run, batch->blocks[i] << 1 | kind);

			if (keep) {
				run->lanes[i] = first ? 0 : BANK_ABSENT;
			} else if (first) {
				run->lanes[n] = i - start;
				out->blocks[n] = batch->blocks[i];
				out->kinds[n++] = kind;
			}
		}
		out->start[g + 1] = (uint32_t)n;
	}
	out->groups = batch->groups;
	out->accesses = n;
	out->has_kinds = batch->has_kinds;
}
