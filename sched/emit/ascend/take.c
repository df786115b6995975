/* SPDX-License-Identifier: Apache-2.0
 *
 * Local buffers: a bump allocator a space and sub-core, and places for the operands of one vector operation that never
 * meet in a bank group.
 */
#include "sched/emit/ascend/predict.h"

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
		            "%s of a %s sub-core: %" G_GUINT64_FORMAT " bytes asked, %" G_GUINT64_FORMAT
		            " left of %" G_GUINT64_FORMAT,
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

/* Cycles of a repeat of a vector operation of COUNT operands at ADDRESS, the last one the result, elements in a row. */
static double repeat_cycles(const asc_machine *m, unsigned count, const uint64_t *address)
{
	enum { REPEATS = 16, MOST = 3 };
	static const asb_mode all = {UINT64_MAX, UINT64_MAX, false};
	asc_insn insn = asc_insn_make(count == MOST ? ASC_OP_VADD : ASC_OP_VABS);

	insn.f[1] = (int64_t)address[count - 1];
	insn.f[2] = (int64_t)address[0];
	insn.f[3] = count == MOST ? (int64_t)address[1] : REPEATS;
	if (count == MOST)
		insn.f[4] = REPEATS;
	return ask_vector_cycles(&insn, &all, m) / REPEATS;
}

/* A repeat has eight blocks, which lie in groups of banks one after the other: two sources meet in no group when their
 * starts are half the groups apart.  A result is written some steps after its sources are read, and meets whichever
 * source then goes through the same half of the groups, unless it lies in another bank: of both halves, here or in the
 * next bank, the place where a repeat takes least is taken, the nearest among equals. */
bool asb_take_operands(asb *b, asb_core core, unsigned count, const uint64_t *bytes, uint64_t *address, GError **error)
{
	enum { MOST = 3 };
	const asc_machine *m = b->machine;
	uint64_t turn = (uint64_t)(m->ub_row_bytes * m->ub_groups), bank = (uint64_t)m->ub_bank_interleave_bytes;
	uint64_t mark = asb_mark(b, core, ASC_UB), packed[MOST] = {0}, at, best = 0;
	double least = 0, plain;

	for (unsigned i = 0; i + 1 < count; i++) {
		if (!asb_take(b, core, ASC_UB, bytes[i] + i % 2 * (turn / 2), turn, &at, error)) {
			asb_release(b, core, ASC_UB, mark);
			return false;
		}
		address[i] = at + i % 2 * (turn / 2);
	}
	at = align_up(asb_mark(b, core, ASC_UB), turn);
	for (unsigned i = 0; count > 1 && count <= MOST && i < 4; i++) {
		uint64_t place = (i / 2 ? align_up(at, bank) : at) + i % 2 * (turn / 2);
		double cycles;

		if (place + bytes[count - 1] > (uint64_t)asc_space_bytes(m, ASC_UB))
			continue;
		address[count - 1] = place;
		cycles = repeat_cycles(m, count, address);
		if (best && cycles >= least)
			continue;
		best = place;
		least = cycles;
	}
	if (!best)
		best = at;
	if (best > asb_mark(b, core, ASC_UB))
		b->sub[core].taken[ASC_UB] = best;
	if (!asb_take(b, core, ASC_UB, bytes[count - 1], m->ub_row_bytes > 0 ? (uint64_t)m->ub_row_bytes : 1,
	              &address[count - 1], error)) {
		asb_release(b, core, ASC_UB, mark);
		return false;
	}
	if (count < 2 || count > MOST)
		return true;
	for (unsigned i = 0; i < count; i++)
		packed[i] = i ? packed[i - 1] + align_up(bytes[i - 1], (uint64_t)m->ub_row_bytes) : mark;
	plain = repeat_cycles(m, count, packed);
	if (plain > least)
		b->counts.conflicts_saved +=
			(uint64_t)((plain - least) * (double)bytes[count - 1] / (double)m->vector_bytes);
	return true;
}
