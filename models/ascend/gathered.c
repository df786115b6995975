/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that a gather reads beside its offsets: where there are values the offsets tell.  Elements that touch are one
 * run; where there are more runs than room, one from the lowest to the highest element stands for all: what lies
 * between counts as read, too, but need not have been written.  In timing mode nobody knows what a gather picks.
 */
#include "models/ascend/front_int.h"
#include "models/ascend/vector.h"

#include <string.h>

/* The element that lane LANE of a repeat names; false: the lane is off. */
static bool element(const asc_vop *o, asc_data *data, unsigned repeat, unsigned lane, uint64_t *address)
{
	uint32_t offset;
	int64_t row = o->src[0].repeat_bytes * (int64_t)repeat;
	const uint8_t *word = asc_data_at(
		data, ASC_UB, o->src[0].address + (uint64_t)row + (uint64_t)lane * sizeof(offset), sizeof(offset));

	if (!word || (o->dst.masked && !asc_vop_active(o, repeat, lane)))
		return false;
	memcpy(&offset, word, sizeof(offset));
	*address = o->aux + offset;
	return true;
}

static bool is_gather(const asc_exec *x, const asc_machine *machine, asc_data *data, asc_vop *o)
{
	return (x->insn->op == ASC_OP_VGATHER || x->insn->op == ASC_OP_VGATHERB) && asc_data_functional(data) &&
	       asc_vop_read(x, machine, o);
}

static int by_value(gconstpointer a, gconstpointer b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Addresses of elements of BYTES each, in order, as runs that touch; returns their number, ROOM at most: one from the
 * first to the last where there are more. */
static unsigned runs_of(const GArray *at, uint64_t bytes, asc_range *ranges, unsigned room)
{
	unsigned n = 0;

	for (guint i = 0; i < at->len; i++) {
		uint64_t address = g_array_index(at, uint64_t, i);
		asc_range *last = n ? &ranges[n - 1] : NULL;

		if (last && address <= last->address + last->bytes) {
			last->bytes = MAX(last->bytes, address + bytes - last->address);
		} else if (n < room) {
			ranges[n++] = (asc_range){ASC_UB, false, address, bytes, 1, 0};
		} else {
			uint64_t low = g_array_index(at, uint64_t, 0), high = g_array_index(at, uint64_t, at->len - 1);

			ranges[0] = (asc_range){ASC_UB, false, low, high + bytes - low, 1, 0};
			return 1;
		}
	}
	return n;
}

unsigned asc_gathered(const asc_exec *x, const asc_machine *machine, asc_data *data, asc_range *ranges, unsigned room)
{
	g_autoptr(GArray) found = NULL;
	uint64_t at;
	asc_vop o;

	if (!room || !is_gather(x, machine, data, &o))
		return 0;
	found = g_array_new(FALSE, FALSE, sizeof(at));
	for (unsigned n = 0; n < o.repeats; n++)
		for (unsigned i = 0; i < o.lanes; i++)
			if (element(&o, data, n, i, &at))
				g_array_append_val(found, at);
	g_array_sort(found, by_value);
	return runs_of(found, (uint64_t)o.dst.lane_bytes, ranges, room);
}

bool asc_gathered_written(const asc_exec *x, const asc_machine *machine, asc_data *data, uint64_t *first)
{
	uint64_t at;
	asc_vop o;

	if (!is_gather(x, machine, data, &o))
		return true;
	for (unsigned n = 0; n < o.repeats; n++)
		for (unsigned i = 0; i < o.lanes; i++)
			if (element(&o, data, n, i, &at) &&
			    !asc_data_written(data, ASC_UB, at, (uint64_t)o.dst.lane_bytes, first))
				return false;
	return true;
}
