/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker's VXM, MXM, SXM and links: which operands an instruction samples and when, and when its result is due.
 */
#include "sched/check.h"

#define I64 "%" G_GINT64_FORMAT

void check_vxm(check *c, check_issue *issue)
{
	const isa_insn *insn = issue->insn;
	const isa_machine *m = c->m;
	bool slow = isa_ops[insn->op].timing == ISA_TIMING_VXM_TRANSCENDENTAL;
	int64_t start = issue->q + m->vxm_entry_cycles;
	int64_t due = start + (slow ? m->vxm_transcendental_cycles : m->vxm_op_cycles);
	unsigned width = isa_type_bytes((enum isa_type)insn->type);
	const unsigned places[] = {issue->src0, issue->src1};

	if (!insn->lanes || insn->lanes > m->lanes)
		check_offend(c, issue, "%u lanes", insn->lanes);
	for (unsigned o = 0; o < isa_ops[insn->op].arity; o++) {
		bool latch = isa_place_kind(places[o]) == ISA_PLACE_KIND_ALU;

		if (latch && isa_place_index(places[o]) >= (uint64_t)m->vxm_ops) {
			check_offend(c, issue, "operand %u names an ALU that does not exist", o);
			continue;
		}
		check_sample(c, issue, o, places[o], width, (uint64_t)insn->lanes * width, 1, latch ? start : issue->q);
	}
	check_put(issue, &c->alu[issue->queue->index], due);
	width = isa_type_bytes((enum isa_type)insn->dtype);
	check_write(c, issue, width, (uint64_t)insn->lanes * width, 1, due);
}

/* ---------------------------------------------------------------------------------------------------- matrix */

static bool is_wide(const check_issue *issue)
{
	return issue->insn->type == ISA_TYPE_F16;
}

static unsigned first_plane(const check_issue *issue)
{
	return is_wide(issue) ? issue->queue->index & ~1u : issue->queue->index;
}

static unsigned last_plane(const check_issue *issue)
{
	return is_wide(issue) ? issue->queue->index | 1u : issue->queue->index;
}

static void load_weights(check *c, check_issue *issue)
{
	const isa_insn *insn = issue->insn;
	unsigned width = isa_type_bytes((enum isa_type)insn->type);
	uint64_t row = (uint64_t)insn->lanes * width;
	bool streams = isa_place_kind(issue->src0) == ISA_PLACE_KIND_STREAM;
	int64_t due = issue->q + c->m->mxm_lw_cycles;

	if (!insn->count || issue->addr + insn->count > (uint64_t)c->m->mxm_rows) {
		check_offend(c, issue, "weight rows %u to %u do not all exist", issue->addr,
		             issue->addr + insn->count - 1);
		return;
	}
	if (streams)
		check_sample(c, issue, 0, issue->src0, width, row, insn->count, issue->q);
	else
		check_sample(c, issue, 0, issue->src0, width, row * insn->count, 1, issue->q);
	if (c->weights.cycle != issue->q)
		c->weights = (check_count){issue->q, 0};
	c->weights.used += row * insn->count;
	if (c->weights.used > (uint64_t)c->m->mxm_weight_bytes)
		check_offend(c, issue, "%" G_GUINT64_FORMAT " bytes of weights in cycle " I64 ", the planes take " I64,
		             c->weights.used, issue->q, c->m->mxm_weight_bytes);
	for (unsigned plane = first_plane(issue); plane <= last_plane(issue); plane++)
		for (unsigned r = 0; r < insn->count; r++)
			check_put(issue, &c->shadow[plane][issue->addr + r], due);
	issue->result = due - issue->t;
}

static void install_weights(check *c, check_issue *issue)
{
	int64_t due = issue->q + c->m->mxm_iw_cycles;

	if (!issue->insn->count || issue->insn->count > (uint64_t)c->m->mxm_rows) {
		check_offend(c, issue, "%u weight rows", issue->insn->count);
		return;
	}
	for (unsigned plane = first_plane(issue); plane <= last_plane(issue); plane++) {
		for (unsigned r = 0; r < issue->insn->count; r++)
			check_found(c, issue, 0, r, check_at(&c->shadow[plane][r], issue->q), "the shadow buffer");
		check_put(issue, &c->active[plane], due);
	}
	issue->result = due - issue->t;
}

/* The accumulator row that the instruction names; NULL when there is none. */
static check_cell *row_of(check *c, const check_issue *issue)
{
	uint64_t pair = (uint64_t)c->m->mxm_acc_rows, own = MAX(pair / 2, 1);
	uint64_t first = !is_wide(issue) && issue->queue->index % 2 ? own : 0;

	if (issue->addr < (is_wide(issue) ? pair : own))
		return &c->rows[issue->queue->index / 2][first + issue->addr];
	check_offend(c, issue, "accumulator row %u does not exist", issue->addr);
	return NULL;
}

static void multiply(check *c, check_issue *issue)
{
	const isa_insn *insn = issue->insn;
	unsigned width = isa_type_bytes((enum isa_type)insn->type);
	int64_t interval = is_wide(issue) ? c->m->mxm_fp16_interval_cycles : c->m->mxm_int8_interval_cycles;
	int64_t due = issue->q + c->m->mxm_abc_cycles;
	check_cell *row = row_of(c, issue);

	check_sample(c, issue, 0, issue->src0, width, (uint64_t)insn->lanes * width, 1, issue->q);
	for (unsigned plane = first_plane(issue); plane <= last_plane(issue); plane++) {
		if (plane == first_plane(issue))
			check_found(c, issue, 1, 0, check_at(&c->active[plane], issue->q), "the array");
		if (c->plane_free[plane] > issue->q)
			check_offend(c, issue, "plane %u is busy until cycle " I64, plane, c->plane_free[plane]);
		c->plane_free[plane] = issue->q + interval;
	}
	if (!row)
		return;
	if (insn->mode)
		check_found(c, issue, 2, 0, check_at(row, due), "the accumulator row");
	check_put(issue, row, due);
	issue->result = due - issue->t;
}

static void emit_row(check *c, check_issue *issue)
{
	check_cell *row = row_of(c, issue);

	if (!row)
		return;
	check_found(c, issue, 0, 0, check_at(row, issue->q), "the accumulator row");
	check_write(c, issue, 4, 4 * (uint64_t)issue->insn->lanes, 1, issue->q + c->m->mxm_acc_cycles);
}

void check_mxm(check *c, check_issue *issue)
{
	const isa_insn *insn = issue->insn;

	if (insn->type != ISA_TYPE_I8 && insn->type != ISA_TYPE_F16) {
		check_offend(c, issue, "the matrix unit has int8 and fp16 only");
		return;
	}
	if (is_wide(issue) && insn->op != ISA_OP_LW && issue->queue->index % 2) {
		check_offend(c, issue, "an fp16 instruction stands in the even plane's queue");
		return;
	}
	if (insn->op != ISA_OP_IW && (!insn->lanes || insn->lanes > MAX(c->m->lanes, c->m->mxm_rows)))
		check_offend(c, issue, "%u lanes", insn->lanes);
	if (insn->op == ISA_OP_LW)
		load_weights(c, issue);
	else if (insn->op == ISA_OP_IW)
		install_weights(c, issue);
	else if (insn->op == ISA_OP_ABC)
		multiply(c, issue);
	else
		emit_row(c, issue);
}

/* ------------------------------------------------------------------------------------------------------ lanes */

/* The farthest that a lane travels towards lower tiles. */
static int64_t map_distance(check *c, const check_issue *issue)
{
	const isa_lane_map *map;
	int64_t tile = c->m->lanes_per_superlane, distance = 0;

	if (issue->insn->map >= c->p->maps->len) {
		check_offend(c, issue, "map %u does not exist", issue->insn->map);
		return 0;
	}
	map = &g_array_index(c->p->maps, isa_lane_map, issue->insn->map);
	for (int64_t i = 0; i < c->m->lanes; i++)
		if (map->lane[i] < c->m->lanes)
			distance = MAX(distance, map->lane[i] / tile - i / tile);
	return distance;
}

static int64_t lane_cycles(check *c, const check_issue *issue)
{
	const isa_machine *m = c->m;
	int64_t distance = issue->insn->distance, tile = m->lanes_per_superlane;

	switch (issue->insn->op) {
	case ISA_OP_SHIFT:
		/* Lane i comes from lane i - distance: from a higher tile only when it moves down, and from the last at
		 * most. */
		if (distance >= 0 || -distance >= m->lanes)
			return m->sxm_shift_cycles;
		return m->sxm_shift_cycles + MIN((-distance + tile - 1) / tile, (m->lanes - 1) / tile);
	case ISA_OP_SELECT:
		map_distance(c, issue);
		return m->sxm_select_cycles;
	case ISA_OP_PERMUTE:
		return m->sxm_permute_cycles + map_distance(c, issue);
	case ISA_OP_DISTRIBUTE:
		map_distance(c, issue);
		return m->sxm_distribute_cycles;
	case ISA_OP_ROTATE:
		return m->sxm_rotate_cycles;
	default:
		return m->sxm_transpose_cycles;
	}
}

void check_sxm(check *c, check_issue *issue)
{
	const isa_insn *insn = issue->insn;
	bool sixteen = insn->op == ISA_OP_TRANSPOSE;
	unsigned width = sixteen ? 1 : isa_type_bytes((enum isa_type)insn->type), vectors = sixteen ? 16 : 1;
	uint64_t bytes = (uint64_t)c->m->lanes * width;

	check_sample(c, issue, 0, issue->src0, width, bytes, vectors, issue->q);
	if (insn->op == ISA_OP_SELECT)
		check_sample(c, issue, 1, issue->src1, width, bytes, 1, issue->q);
	check_write(c, issue, width, bytes, vectors, issue->q + lane_cycles(c, issue));
}

/* ------------------------------------------------------------------------------------------------------ links */

static uint64_t vector_bytes(const check *c)
{
	return (uint64_t)(c->m->vreg_count ? c->m->vreg_bytes : c->m->lanes);
}

void check_c2c(check *c, check_issue *issue)
{
	const isa_machine *m = c->m;
	check_link *link = &c->link[issue->queue->index % CHECK_LINKS];
	check_version *vector;

	if (issue->insn->op == ISA_OP_SEND) {
		__extension__ unsigned __int128 bits =
			(unsigned __int128)(vector_bytes(c) + (uint64_t)m->link_overhead_bytes) * (uint64_t)m->clock_hz;
		int64_t slots = (int64_t)((bits + (uint64_t)m->link_bytes_per_s - 1) / (uint64_t)m->link_bytes_per_s);

		check_sample(c, issue, 0, issue->src0, 1, vector_bytes(c), 1, issue->q);
		if (link->free > issue->q)
			check_offend(c, issue, "the link is occupied until cycle " I64, link->free);
		link->free = MAX(link->free, issue->q) + slots;
		vector = g_new(check_version, 1);
		*vector = (check_version){link->free + m->link_latency_cycles, issue->instance};
		g_queue_push_tail(&link->vectors, vector);
		issue->result = vector->due - issue->t;
		issue->beats = (int32_t)slots;
		return;
	}
	vector = g_queue_peek_head(&link->vectors);
	check_found(c, issue, 0, 0, vector && vector->due <= issue->q ? vector : NULL, "the link");
	if (!vector || vector->due > issue->q)
		return;
	g_free(g_queue_pop_head(&link->vectors));
	check_write(c, issue, 1, vector_bytes(c), 1, issue->q + m->link_receive_cycles);
}
