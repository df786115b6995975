/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that a gather reads beside its offsets: where there are values the offsets tell, from the lowest to the highest
 * element they name.  What lies between counts as read, too.
 */
#include "models/ascend/vector.h"

#include <string.h>

/* Lowest and highest byte of the elements that the offsets of one repeat name. */
static void offsets_of(const asc_vop *o, asc_data *data, unsigned repeat, uint64_t *low, uint64_t *high)
{
	for (unsigned i = 0; i < o->lanes; i++) {
		uint32_t offset;
		int64_t row = o->src[0].repeat_bytes * (int64_t)repeat;
		uint64_t at = o->src[0].address + (uint64_t)row + (uint64_t)i * sizeof(offset);
		const uint8_t *word = asc_data_at(data, ASC_UB, at, sizeof(offset));

		if (!word || (o->dst.masked && !asc_vop_active(o, repeat, i)))
			continue;
		memcpy(&offset, word, sizeof(offset));
		*low = MIN(*low, o->aux + offset);
		*high = MAX(*high, o->aux + offset + o->dst.lane_bytes);
	}
}

unsigned asc_gathered(const asc_exec *x, const asc_machine *machine, asc_data *data, asc_range *range)
{
	uint64_t low = UINT64_MAX, high = 0;
	asc_vop o;

	if ((x->insn->op != ASC_OP_VGATHER && x->insn->op != ASC_OP_VGATHERB) || !asc_data_functional(data) ||
	    !asc_vop_read(x, machine, &o))
		return 0;
	for (unsigned n = 0; n < o.repeats; n++)
		offsets_of(&o, data, n, &low, &high);
	if (low >= high)
		return 0;
	*range = (asc_range){ASC_UB, false, low, high - low, 1, 0};
	return 1;
}
