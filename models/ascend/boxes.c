/* SPDX-License-Identifier: Apache-2.0
 *
 * Strided boxes of bytes: do two share a byte, does one hold the other?  Closed forms where one of them is a single run
 * or both have one pitch; else one question a run of the box with fewer of them inside the common extent.
 */
#include "models/ascend/front_int.h"

bool asc_box_make(asc_box *box, const asc_range *range)
{
	int64_t pitch = range->pitch;
	uint64_t low = range->address;
	uint32_t count = range->count;

	if (!count || !range->bytes)
		return false;
	if (count > 1 && pitch < 0) {
		low -= (uint64_t)-pitch * (count - 1);
		pitch = -pitch;
	}
	if (!pitch)
		count = 1;
	*box = (asc_box){low, low + range->bytes + (uint64_t)pitch * (count - 1), range->bytes, (uint64_t)pitch, count};
	if (count == 1 || box->pitch <= box->bytes) {
		box->bytes = box->high - box->low;
		box->count = 1;
		box->pitch = box->bytes;
	}
	return true;
}

/* The first run of BOX that shares a byte with [low, high). */
static bool run_overlap(const asc_box *box, uint64_t low, uint64_t high, uint64_t *address, uint64_t *bytes)
{
	uint64_t i = 0, begin;

	if (low >= box->high || high <= box->low)
		return false;
	if (low >= box->low + box->bytes)
		i = (low - box->low - box->bytes) / box->pitch + 1;
	begin = box->low + i * box->pitch;
	if (i >= box->count || begin >= high)
		return false;
	*address = MAX(begin, low);
	*bytes = MIN(begin + box->bytes, high) - *address;
	return true;
}

/* Both strided, one pitch: the runs' offsets inside a pitch decide, then how far the boxes are apart. */
static bool same_pitch(const asc_box *a, const asc_box *b, uint64_t *address, uint64_t *bytes)
{
	/* a begins first; run i of b meets run i + skip, or the one after it, of a. */
	uint64_t skip = (b->low - a->low) / a->pitch;

	for (unsigned next = 0; next < 2; next++) {
		uint64_t j = skip + next, begin = a->low + j * a->pitch;
		uint64_t low = MAX(begin, b->low), high = MIN(begin + a->bytes, b->low + b->bytes);

		if (j < a->count && low < high) {
			*address = low;
			*bytes = high - low;
			return true;
		}
	}
	return false;
}

bool asc_box_overlap(const asc_box *a, const asc_box *b, uint64_t *address, uint64_t *bytes)
{
	uint64_t low = MAX(a->low, b->low), high = MIN(a->high, b->high);
	uint64_t from, to;

	if (low >= high)
		return false;
	if (b->low < a->low)
		return asc_box_overlap(b, a, address, bytes);
	if (b->count == 1)
		return run_overlap(a, b->low, b->high, address, bytes);
	if (a->count == 1)
		return run_overlap(b, a->low, a->high, address, bytes);
	if (a->pitch == b->pitch)
		return same_pitch(a, b, address, bytes);
	if ((high - low) / a->pitch < (high - low) / b->pitch) {
		const asc_box *swap = a;

		a = b;
		b = swap;
	}
	/* b has fewer runs in the common extent. */
	from = low > b->low ? (low - b->low) / b->pitch : 0;
	to = MIN((uint64_t)b->count, (high - b->low - 1) / b->pitch + 1);
	for (uint64_t i = from; i < to; i++)
		if (run_overlap(a, b->low + i * b->pitch, b->low + i * b->pitch + b->bytes, address, bytes))
			return true;
	return false;
}

bool asc_box_covers(const asc_box *a, const asc_box *b)
{
	uint64_t offset;

	if (b->low < a->low || b->high > a->high)
		return false;
	if (a->count == 1)
		return true;
	offset = (b->low - a->low) % a->pitch;
	if (offset + b->bytes > a->bytes)
		return false;
	return b->count == 1 || b->pitch % a->pitch == 0;
}
