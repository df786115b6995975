/* SPDX-License-Identifier: Apache-2.0
 *
 * Local buffers: a bump allocator a space and sub-core, and places for the operands of one vector operation that never
 * meet in a bank group.
 */
#include "sched/emit/ascend/build_int.h"

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return to ? (n + to - 1) / to * to : n;
}

bool asb_take(asb *b, asb_core core, enum asc_space space, uint64_t bytes, uint64_t align_bytes, uint64_t *address,
              GError **error)
{
	asb_sub *s = &b->sub[core];
	uint64_t size = asc_kind_has_space(s->kind, space) ? (uint64_t)asc_space_bytes(b->machine, space) : 0;
	uint64_t at = align_up(s->taken[space], align_bytes), left = size > at ? size - at : 0;

	if (bytes > left) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s of a %s sub-core: %" G_GUINT64_FORMAT " bytes asked, %" G_GUINT64_FORMAT " left of %" G_GUINT64_FORMAT,
		            asc_space_name(space), asc_kind_name(s->kind), bytes, left, size);
		return false;
	}
	*address = at;
	s->taken[space] = at + bytes;
	return true;
}

uint64_t asb_mark(const asb *b, asb_core core, enum asc_space space)
{
	return b->sub[core].taken[space];
}

void asb_release(asb *b, asb_core core, enum asc_space space, uint64_t mark)
{
	b->sub[core].taken[space] = mark;
}

/* A repeat has eight blocks of a row, which lie in groups one after the other: two sources meet in no group when their
 * starts are half the groups apart.  A result is written while another repeat is read: it must not lie in the bank the
 * sources are read from, or start in the same group as the first so that both go round the banks in step. */
bool asb_take_operands(asb *b, asb_core core, unsigned count, const uint64_t *bytes, uint64_t *address, GError **error)
{
	const asc_machine *m = b->machine;
	uint64_t row = (uint64_t)m->ub_row_bytes, turn = row * (uint64_t)m->ub_groups;
	uint64_t mark = asb_mark(b, core, ASC_UB), slope = 1;

	for (unsigned i = 0; i < count; i++) {
		/* Sources alternate between the halves of the groups, the result starts with the first source. */
		bool result = i + 1 == count;
		uint64_t phase = result ? 0 : i % 2 * (turn / 2), at, span;

		if (!asb_take(b, core, ASC_UB, 0, turn, &at, error))
			return false;
		span = bytes[i] + phase;
		if (!asb_take(b, core, ASC_UB, span, turn, &at, error)) {
			asb_release(b, core, ASC_UB, mark);
			return false;
		}
		address[i] = at + phase;
		if (i == 1 && !result)
			b->counts.conflicts_saved += bytes[i] / (uint64_t)m->vector_bytes * slope;
	}
	return true;
}
