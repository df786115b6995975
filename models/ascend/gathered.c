/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that a gather reads beside its offsets: where there are values the offsets tell, from the lowest to the highest
 * element they name.  What lies between counts as read, too, but need not have been written.
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

unsigned asc_gathered(const asc_exec *x, const asc_machine *machine, asc_data *data, asc_range *range)
{
	uint64_t low = UINT64_MAX, high = 0, at;
	asc_vop o;

	if (!is_gather(x, machine, data, &o))
		return 0;
	for (unsigned n = 0; n < o.repeats; n++)
		for (unsigned i = 0; i < o.lanes; i++)
			if (element(&o, data, n, i, &at)) {
				low = MIN(low, at);
				high = MAX(high, at + o.dst.lane_bytes);
			}
	if (low >= high)
		return 0;
	*range = (asc_range){ASC_UB, false, low, high - low, 1, 0};
	return 1;
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
