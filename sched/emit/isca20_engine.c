/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines' side of a pass: weights into the shadow buffers, installing them, activations through the planes.
 *
 * Weights are loaded as soon as the shadow buffer is free, that is while the pass before is running; they are installed
 * so late that they become active exactly with the first activation.  Activations that begin in the middle of a word
 * pass the SXM, which shifts them down.
 */
#include "sched/emit/isca20_pass.h"

unsigned isca_pass_engine(const isca_pass *p, unsigned link)
{
	unsigned e = p->strand->engine[link];

	return e == ISCA_OWN_ENGINE ? p->own : e;
}

uint32_t isca_pass_lanes(const isca_pass *p)
{
	const isca_tensor *c = &g_array_index(p->tensors, isca_tensor, p->w->c);
	uint64_t first = p->block * c->vector_lanes;

	if (isca_has_strips(p->w))
		return (uint32_t)((p->strip + 1) * c->lanes);
	return (uint32_t)MIN(c->vector_lanes, c->lanes - first);
}

unsigned isca_mxm_queue(const isca_pass *p, unsigned plane, unsigned role)
{
	return (unsigned)isa_machine_queue_find(p->c->m, ISA_UNIT_MXM, 2 * plane / ISCA_ENGINES, role, plane);
}

static enum isca_share share_of(const isca_strand *s)
{
	return s->parts == ISCA_PARTS ? ISCA_ALL : s->parts == ISCA_PARTS / 2 ? ISCA_HALF : ISCA_QUARTER;
}

/* The LWs of ROUNDS times COUNT rows, from row FIRST_ROW on, at element OFFSET of the wire. */
static isca_track *add_lw(isca_pass *p, int wire, unsigned engine, uint32_t offset, uint32_t rounds, unsigned count,
                          unsigned first_row)
{
	const isa_machine *m = p->c->m;
	unsigned queue = isca_mxm_queue(p, isca_engine_plane(p->w, engine), 0);
	isca_track *k = isca_add_unit(p->t, ISA_OP_LW, queue, 1, (int64_t)offset - m->mxm_skew_cycles, rounds);

	k->uses_share = true;
	k->insn.addr = first_row;
	k->addr_step = (int32_t)count;
	k->insn.count = count;
	k->insn.type = (uint8_t)p->w->type;
	k->insn.lanes = (uint16_t)isca_pass_lanes(p);
	k->result = (int32_t)(m->mxm_skew_cycles + m->mxm_lw_cycles);
	isca_sample(p->t, k, 0, wire, 0, count * p->w->bytes, (int)m->pos_mxm.at[isca_engine_side(p->w, engine)]);
	k->in[0].offset = offset;
	return k;
}

bool isca_load_weights(isca_pass *p, unsigned kblock, unsigned engine, unsigned each, isca_loaded *result)
{
	const isa_machine *m = p->c->m;
	isca_work *w = p->w;
	uint32_t rows = isca_kblock_at(w, kblock)->rows;
	uint32_t rounds = (rows + each - 1) / each, full = rows / each, rest = rows % each;
	unsigned side = isca_engine_side(w, engine);
	const isca_plane *planes = &p->c->mxm->plane[isca_engine_plane(w, engine)];
	isca_track *first = NULL;
	int wire;

	p->t = isca_template_new(p->c, 1);
	wire = isca_add_wire(p->t, side == 0, MIN(each, rows) * w->bytes, rounds, (int)m->pos_mxm.at[side], 0);
	for (unsigned r = 0; r < MIN(each, rows); r++)
		for (unsigned byte = 0; byte < w->bytes; byte++) {
			isca_track *k = isca_add_memory(p->t, ISA_OP_READ, wire, r * w->bytes + byte,
			                                (rows - r + each - 1) / each);

			k->traffic = ISCA_TRAFFIC_WEIGHTS;
			for (uint32_t i = 0; i < k->count; i++)
				k->place[i] = isca_b_place(w, p->tensors, p->batch, kblock,
				                           isca_has_strips(w) ? p->strip : p->block, i * each + r,
				                           engine, byte);
		}
	if (full)
		first = add_lw(p, wire, engine, 0, full, each, 0);
	if (rest) {
		isca_track *k = add_lw(p, wire, engine, full, 1, rest, full * each);

		first = first ? first : k;
	}
	for (unsigned i = 0; i < isca_plane_count(w); i++)
		isca_not_before(p->t, first, planes[i].loadable);
	if (isca_prepare(p->t) != ISCA_FITS) {
		isca_template_free(p->t);
		return false;
	}
	isca_place(p->t);
	*result = (isca_loaded){first->instance[0], (uint16_t)each,
	                        p->t->origin + (int64_t)rounds - 1 + m->mxm_lw_cycles, 0};
	isca_template_free(p->t);
	return true;
}

/* Installs what was loaded so that it is active from CYCLE on. */
static isca_track *add_iw(isca_pass *p, unsigned link, const isca_loaded *weights, int64_t cycle)
{
	const isa_machine *m = p->c->m;
	unsigned plane = isca_engine_plane(p->w, isca_pass_engine(p, link));
	isca_track *iw = isca_add_unit(p->t, ISA_OP_IW, isca_mxm_queue(p, plane, 0), 1,
	                               cycle - m->mxm_iw_cycles - m->mxm_skew_cycles, 1);

	iw->insn.count = isca_kblock_at(p->w, p->strand->kblock[link])->rows;
	iw->insn.type = (uint8_t)p->w->type;
	iw->result = (int32_t)(m->mxm_skew_cycles + m->mxm_iw_cycles);
	iw->in[0].feed = ISCA_FEED_ROWS;
	iw->in[0].instance = weights->instance;
	iw->in[0].rows = weights->rows;
	iw->in[0].due = weights->due;
	isca_not_before(p->t, iw, weights->due);
	return iw;
}

uint64_t isca_pass_row(const isca_pass *p, uint64_t i)
{
	return isca_tile_row(p->w, p->tile, p->strip, p->first + i);
}

/* Cycles of a shift down by LANE lanes: the farthest tile distance comes on top. */
static int64_t shift_cycles(const isca *c, unsigned lane)
{
	const isa_machine *m = c->m;
	int64_t tile = m->lanes_per_superlane, distance = 0;

	for (int64_t i = lane; i < m->lanes; i++)
		distance = MAX(distance, i / tile - (i - (int64_t)lane) / tile);
	return m->sxm_shift_cycles + distance;
}

/* A wire that comes to the SXM so early that what it carries is on wire TO in time. */
static int add_unshifted(isca_pass *p, unsigned side, unsigned lane, int to)
{
	int position = (int)p->c->m->pos_sxm.at[side];
	int64_t due = isca_passes(p->c, side == 0, position, isca_wire_at(p->t, to)->diagonal);

	return isca_add_wire(p->t, side == 0, p->w->bytes, p->rows, position, due - shift_cycles(p->c, lane));
}

/* Shifts what comes on wire FROM down by LANE lanes, on to wire TO. */
static void add_shift(isca_pass *p, unsigned side, unsigned lane, int from, int to)
{
	const isa_machine *m = p->c->m;
	int position = (int)m->pos_sxm.at[side];
	int first = isa_machine_queue_find(m, ISA_UNIT_SXM, side, ISA_SXM_SHIFT, 0);
	int64_t sampled = isca_passes(p->c, side == 0, position, isca_wire_at(p->t, from)->diagonal);
	isca_track *k = isca_add_unit(p->t, ISA_OP_SHIFT, (unsigned)first, (unsigned)m->sxm_queues.at[ISA_SXM_SHIFT],
	                              sampled - m->sxm_skew_cycles, p->rows);

	k->insn.distance = (int16_t) - (int)lane;
	k->insn.type = (uint8_t)p->w->type;
	k->result = (int32_t)(m->sxm_skew_cycles + shift_cycles(p->c, lane));
	isca_sample(p->t, k, 0, from, 0, p->w->bytes, position);
	isca_drive(p->t, k, to, position);
}

isca_track *isca_add_abc(isca_pass *p, unsigned link, const isca_loaded *weights, int64_t cycle)
{
	const isa_machine *m = p->c->m;
	const isca_work *w = p->w;
	unsigned e = isca_pass_engine(p, link), side = isca_engine_side(w, e), plane = isca_engine_plane(w, e);
	unsigned kblock = p->strand->kblock[link];
	int position = (int)m->pos_mxm.at[side];
	unsigned lane = isca_packed_lane(w, isca_pass_row(p, 0), isca_kblock_at(w, kblock));
	int wire = isca_add_wire(p->t, side == 0, w->bytes, p->rows, position, cycle);
	int read = lane ? add_unshifted(p, side, lane, wire) : wire;
	isca_track *iw = weights->installed ? NULL : add_iw(p, link, weights, cycle);
	isca_track *abc;

	for (unsigned byte = 0; byte < w->bytes; byte++) {
		isca_track *k = isca_add_memory(p->t, ISA_OP_READ, read, byte, p->rows);

		k->traffic = ISCA_TRAFFIC_ACTIVATIONS;
		for (uint32_t i = 0; i < p->rows; i++)
			k->place[i] = isca_a_place(w, p->tensors, p->batch, kblock, isca_pass_row(p, i), e,
			                           share_of(p->strand), byte);
	}
	if (lane)
		add_shift(p, side, lane, read, wire);
	abc = isca_add_unit(p->t, ISA_OP_ABC, isca_mxm_queue(p, plane, 1), 1, cycle - m->mxm_skew_cycles, p->rows);
	abc->hold = w->interval - 1;
	abc->insn.type = (uint8_t)w->type;
	abc->insn.lanes = (uint16_t)isca_kblock_at(w, kblock)->rows;
	abc->result = (int32_t)(m->mxm_skew_cycles + m->mxm_abc_cycles);
	isca_sample(p->t, abc, 0, wire, 0, w->bytes, position);
	abc->in[1].feed = iw ? ISCA_FEED_ONE : ISCA_FEED_ROWS;
	abc->in[1].track = iw;
	abc->in[1].instance = weights->installed;
	abc->in[1].rows = 1;
	for (unsigned i = 0; i < isca_plane_count(w); i++)
		isca_not_before(p->t, abc, p->c->mxm->plane[plane + i].free);
	return abc;
}
