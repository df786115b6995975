/* SPDX-License-Identifier: Apache-2.0
 *
 * Histogram of delays: one counter a cycle up to BANK_DELAYS_EXACT; above, where only saturated queues get, counters
 * for the 12 bits after the leading one, so memory does not grow with the stream.
 */
#include "bank/model_int.h"

enum { FIRST_ROOM = 1024, TAIL_BITS = 12, TAIL_LEVELS = 64 };

void bank_delays_init(bank_delays *delays)
{
	*delays = (bank_delays){.count = g_new0(uint64_t, FIRST_ROOM), .room = FIRST_ROOM};
}

void bank_delays_clear(bank_delays *delays)
{
	g_free(delays->count);
	g_free(delays->tail);
	*delays = (bank_delays){0};
}

void bank_delays_add_slow(bank_delays *delays, uint64_t delay)
{
	unsigned level;

	delays->max = MAX(delays->max, delay);
	if (delay < BANK_DELAYS_EXACT) {
		size_t room = delays->room;

		while (delay >= room)
			room *= 2;
		delays->count = g_renew(uint64_t, delays->count, room);
		for (size_t i = delays->room; i < room; i++)
			delays->count[i] = 0;
		delays->room = room;
		delays->count[delay]++;
		return;
	}
	if (!delays->tail)
		delays->tail = g_new0(uint64_t, TAIL_LEVELS << TAIL_BITS);
	level = 63 - (unsigned)__builtin_clzll(delay);
	delays->tail[level << TAIL_BITS | (delay >> (level - TAIL_BITS) & ((1U << TAIL_BITS) - 1))]++;
	delays->tail_requests++;
}

uint64_t bank_delays_rank(const bank_delays *delays, uint64_t rank, bool *exact)
{
	*exact = true;
	for (size_t i = 0; i < delays->room; i++) {
		if (rank <= delays->count[i])
			return i;
		rank -= delays->count[i];
	}
	*exact = false;
	for (unsigned i = 0; delays->tail && i < TAIL_LEVELS << TAIL_BITS; i++) {
		if (rank <= delays->tail[i]) {
			unsigned shift = (i >> TAIL_BITS) - TAIL_BITS;
			uint64_t mantissa = i & ((1U << TAIL_BITS) - 1);
			uint64_t above = ((UINT64_C(1) << TAIL_BITS) + mantissa + 1) << shift;

			return MIN(above - 1, delays->max);
		}
		rank -= delays->tail[i];
	}
	return delays->max;
}
