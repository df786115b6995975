/* SPDX-License-Identifier: Apache-2.0
 *
 * After how many blocks does a bank map begin again?  Layouts that keep accesses apart need that number, and not what
 * the map is called, so it is measured: the least distance at which nearly all blocks of a sample lie in one bank.
 * Modulo maps have it exactly.  A skew of M banks by D has it but for the blocks that cross one of its rows, at M - D;
 * maps that fold address bits by exclusive or have none.
 */
#include "sched/emit/bank_map.h"

enum {
	SAMPLES = 2048,
	SAMPLE_STEP = 331, /* odd and prime: passes through all residues of small moduli */
	STRAYS = SAMPLES / 16,
};

unsigned bank_map_period(const bank_map *map)
{
	uint64_t capacity = bank_map_capacity_blocks(map);
	unsigned longest = 2 * bank_map_banks_used(map);

	if (bank_map_is_ideal(map) || capacity <= longest)
		return 0;
	for (unsigned period = 1; period <= longest; period++) {
		unsigned strays = 0;

		for (unsigned i = 0; i < SAMPLES && strays <= STRAYS; i++) {
			uint64_t block = (uint64_t)i * SAMPLE_STEP % (capacity - longest);

			strays += bank_map_bank(map, block) != bank_map_bank(map, block + period);
		}
		if (strays <= STRAYS)
			return period;
	}
	return 0;
}
