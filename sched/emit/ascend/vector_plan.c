/* SPDX-License-Identifier: Apache-2.0
 *
 * From the nodes of a stage to the operations of its tiles.
 *
 * With U units a node of R rows has R / U rows in each.  Element-wise nodes stay inside their unit; a reduction wants
 * one group a unit; views map rows of a unit to rows of the same unit, or to rows that all units share, or are read
 * that way from global memory at once; joins write both halves of a unit.  Where a node is not of that form the stage
 * cannot have it with this U, and the caller tries another, or begins a new stage.
 *
 * Reductions go level by level as the graph states: pairs of rows, an odd last one copied.
 */
#include "sched/emit/ascend/vector_int.h"

enum { BLOCK_BITS = 256 };

void avk_program_free(avk_program *p)
{
	if (!p)
		return;
	g_array_free(p->regs, TRUE);
	g_array_free(p->ops, TRUE);
	g_free(p->value);
	g_free(p->made);
	g_free(p);
}

static const graph_node *node_of(const avk_program *p, uint32_t i)
{
	return &avk_node_at(p->nodes, i)->n;
}

static void scope(avk_program *p, uint64_t rows, bool shared)
{
	p->rows = rows;
	p->shared = shared;
}

/* ROWS rows a unit (or in all) of external node I: row first + u unit + j row. */
static avk_view load(avk_program *p, uint32_t i, uint64_t rows, bool shared, uint64_t first, uint64_t unit,
                     uint64_t row)
{
	const avk_node *x = avk_node_at(p->nodes, i);
	avk_view v;
	avk_op *o;

	for (uint32_t k = 0; k < p->ops->len; k++) {
		o = &g_array_index(p->ops, avk_op, k);
		if (o->kind == AVK_LOAD && !o->once && o->node == i && o->rows == rows && o->shared == shared &&
		    o->gm_first == first && o->gm_unit == unit && o->gm_row == row)
			return o->dst;
	}
	scope(p, rows, shared);
	v = avk_new_value(p, 8 * isa_type_bytes(x->n.type));
	o = avk_add(p, ASC_OP_GM_TO_UB, avk_type(x->n.type));
	o->kind = AVK_LOAD;
	o->dst = v;
	o->node = i;
	o->address = x->address;
	o->pitch_bytes = x->pitch_bytes;
	o->gm_first = first;
	o->gm_unit = unit;
	o->gm_row = row;
	o->element_bytes = isa_type_bytes(x->n.type);
	return v;
}

/* Node I as an operand that has a row for each of the consumer's: ROWS a unit. */
static bool unit_operand(avk_program *p, uint32_t i, uint64_t rows, avk_view *v)
{
	if (avk_node_at(p->nodes, i)->external) {
		*v = load(p, i, rows, false, 0, rows, 1);
		return true;
	}
	*v = p->value[i];
	return p->made[i] && !v->shared && v->rows == rows;
}

/* Node I, all of whose rows every unit sees. */
static bool shared_operand(avk_program *p, uint32_t i, avk_view *v)
{
	const avk_node *x = avk_node_at(p->nodes, i);

	if (x->external) {
		if (x->n.rows > 1 && !x->partial && p->units > 1)
			return false;
		*v = load(p, i, x->n.rows, p->units > 1, 0, p->units > 1 ? 0 : x->n.rows, 1);
		return true;
	}
	*v = p->value[i];
	return p->made[i] && (v->shared || p->units == 1);
}

/* One row for all of the consumer's. */
static bool repeated_operand(avk_program *p, uint32_t i, avk_view *v)
{
	if (!shared_operand(p, i, v) || v->rows != 1)
		return false;
	v->row = 0;
	return true;
}

static bool operand(avk_program *p, const graph_node *n, uint32_t i, uint64_t rows, bool shared, avk_view *v)
{
	const graph_node *x = node_of(p, i);

	if (x->rows == 1 && n->rows > 1)
		return repeated_operand(p, i, v);
	return shared ? shared_operand(p, i, v) : unit_operand(p, i, rows, v);
}

static bool make_elementwise(avk_program *p, uint32_t at, bool shared)
{
	const graph_node *n = node_of(p, at);
	uint64_t rows = shared ? n->rows : n->rows / p->units;
	bool two = n->op == GRAPH_BINARY && !n->has_imm;
	avk_view a, b;

	if (!shared && n->rows % p->units)
		return false;
	if (!operand(p, n, n->in[0], rows, shared, &a) || (two && !operand(p, n, n->in[1], rows, shared, &b)))
		return false;
	scope(p, rows, shared);
	if (a.row == 0 && two && b.row == 0 && rows > 1) /* nothing gives the result its rows otherwise */
		a = avk_copy(p, node_of(p, n->in[0])->type, &a);
	a.rows = rows;
	if (two)
		b.rows = rows;
	p->value[at] =
		avk_expand(p, n->vxm_op, node_of(p, n->in[0])->type, n->type, &a, two ? &b : NULL, n->has_imm, n->imm);
	return true;
}

/* Rows FIRST, FIRST + STEP, ... of a unit of V. */
static avk_view part(const avk_view *v, uint64_t first, uint64_t step, uint64_t rows)
{
	avk_view z = *v;

	z.first += first * v->row;
	z.row *= step;
	z.rows = rows;
	return z;
}

static bool make_reduce(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at), *x = node_of(p, n->in[0]);
	bool shared = p->units > 1 && n->groups == 1;
	avk_view v;

	if (n->groups != p->units && !shared)
		return false;
	if (shared ? !shared_operand(p, n->in[0], &v) : !unit_operand(p, n->in[0], x->rows / n->groups, &v))
		return false;
	for (uint64_t left = x->rows / n->groups; left > 1; left = (left + 1) / 2) {
		avk_view a = part(&v, 0, 2, left / 2), b = part(&v, 1, 2, left / 2), z, last;

		scope(p, left / 2, shared);
		z = avk_expand(p, n->vxm_op, n->type, n->type, &a, &b, false, 0);
		if (left % 2) {
			avk_op *o;

			/* A select counts lanes through: its result has no room between units. */
			if (g_array_index(p->ops, avk_op, p->ops->len - 1).op == ASC_OP_VSEL)
				z = avk_copy(p, n->type, &z);
			o = &g_array_index(p->ops, avk_op, p->ops->len - 1);
			/* The result's register gets one more row a unit. */
			avk_reg_at(p, z.reg)->rows = left / 2 + 1;
			z.unit = shared ? 0 : left / 2 + 1;
			o->dst.unit = z.unit;
			scope(p, 1, shared);
			last = part(&v, left - 1, 1, 1);
			avk_copy(p, n->type, &last);
			o = &g_array_index(p->ops, avk_op, p->ops->len - 1);
			g_array_set_size(p->regs, p->regs->len - 1);
			o->dst = part(&z, left / 2, 1, 1);
			z.rows = left / 2 + 1;
		}
		v = z;
	}
	p->value[at] = v;
	return true;
}

/* The view of rows of an external node, loaded as it is seen. */
static bool load_rows(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at);
	uint64_t per_group = n->rows / n->groups, rows = n->rows / p->units;
	uint64_t unit = n->pitch, row = n->step;

	if (n->rows % p->units)
		return false;
	if (n->groups != p->units) {
		/* One run of rows after all? */
		if (per_group == 1)
			row = n->pitch;
		else if (n->groups > 1 && n->pitch != per_group * n->step)
			return false;
		unit = rows * row;
	}
	if (unit == 0 && p->units > 1) {
		/* All units see the same. */
		p->value[at] = load(p, n->in[0], row ? rows : 1, true, n->first_row, 0, row ? row : 1);
		p->value[at].row = row ? 1 : 0;
		p->value[at].shared = false;
		p->value[at].rows = rows;
		return true;
	}
	p->value[at] = load(p, n->in[0], row ? rows : 1, false, n->first_row, unit, row ? row : 1);
	p->value[at].row = row ? 1 : 0;
	p->value[at].rows = rows;
	return true;
}

static bool make_rows(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at), *x = node_of(p, n->in[0]);
	uint64_t rows = n->rows / p->units;
	avk_view v;

	if (avk_node_at(p->nodes, n->in[0])->external)
		return load_rows(p, at);
	v = p->value[n->in[0]];
	if (!p->made[n->in[0]] || n->rows % p->units)
		return false;
	if (v.shared && p->units > 1) {
		bool same = n->groups == 1 && n->step == 0;

		if (n->groups != p->units && !same)
			return false;
		v.unit = same ? 0 : n->pitch * v.row;
		v.first += n->first_row * v.row;
		v.row *= n->step;
		v.rows = rows;
		/* Tiles begin anywhere among the units. */
		v.shared = false;
		p->value[at] = v;
		return v.unit == 0;
	}
	if (n->groups != p->units || (p->units > 1 && n->pitch != x->rows / p->units) || x->rows % p->units)
		return false;
	p->value[at] = part(&v, n->first_row, n->step, rows);
	return n->first_row + (rows - 1) * n->step < x->rows / p->units;
}

static avk_op *add_store(avk_program *p, uint32_t at, const avk_view *v, uint64_t rows, uint64_t first, uint64_t unit)
{
	const avk_node *x = avk_node_at(p->nodes, at);
	avk_op *o;

	scope(p, rows, v->shared);
	o = avk_add(p, ASC_OP_UB_TO_GM, avk_type(x->n.type));
	o->kind = AVK_STORE;
	o->src[0] = *v;
	o->srcs = 1;
	o->node = at;
	o->address = x->address;
	o->pitch_bytes = x->pitch_bytes;
	o->gm_first = first;
	o->gm_unit = unit;
	o->gm_row = 1;
	o->element_bytes = isa_type_bytes(x->n.type);
	return o;
}

/* Something inside the stage reads it. */
static bool read_inside(const avk_program *p, uint32_t at)
{
	for (uint32_t i = at + 1; i < p->nodes->len; i++)
		if (!avk_node_at(p->nodes, i)->external && (node_of(p, i)->in[0] == at || node_of(p, i)->in[1] == at))
			return true;
	return false;
}

static bool make_join(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at);
	uint64_t rows = n->rows / 2 / p->units;
	avk_view half[2], z, to;

	if (n->groups != p->units)
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (!unit_operand(p, n->in[i], rows, &half[i]))
			return false;
	if (avk_node_at(p->nodes, at)->stored)
		for (unsigned i = 0; i < 2; i++) {
			if (half[i].row == 0 && rows > 1) {
				scope(p, rows, false);
				half[i] = avk_copy(p, n->type, &half[i]);
			}
			add_store(p, at, &half[i], rows, i * rows, 2 * rows);
		}
	if (!read_inside(p, at))
		return true;
	scope(p, 2 * rows, false);
	z = avk_new_value(p, 8 * isa_type_bytes(n->type));
	for (unsigned i = 0; i < 2; i++) {
		scope(p, rows, false);
		to = part(&z, i * rows, 1, rows);
		avk_copy(p, n->type, &half[i]);
		g_array_set_size(p->regs, p->regs->len - 1);
		g_array_index(p->ops, avk_op, p->ops->len - 1).dst = to;
	}
	p->value[at] = z;
	return true;
}

/* Lane l becomes lane l ^ bit: pieces of 2 bit lanes, whose halves change places. */
static avk_view swap_halves(avk_program *p, enum isa_type type, const avk_view *v, uint32_t bit)
{
	avk_view z = {0};

	for (unsigned i = 0; i < 2; i++) {
		avk_view copy = avk_copy(p, type, v);
		avk_op *o = &g_array_index(p->ops, avk_op, p->ops->len - 1);

		if (i) {
			g_array_set_size(p->regs, p->regs->len - 1);
			o->dst = z;
		} else {
			z = copy;
		}
		o->fold = 2 * bit;
		o->src_lane = i ? bit : 0;
		o->dst_lane = i ? 0 : bit;
	}
	return z;
}

/* The bytes each lane comes from, for one repeat; a tensor of the program. */
static avk_view offsets(avk_program *p, uint32_t lane_xor, uint32_t bytes)
{
	uint32_t lanes = (uint32_t)p->machine->vector_bytes / bytes;
	g_autofree int32_t *table = g_new(int32_t, lanes);
	g_autofree char *name = g_strdup_printf("lanes.xor%u.of%u", lane_xor, bytes);
	avk_view z = {.shared = true, .row = 1, .rows = 1};
	avk_reg reg = {.once = true, .bytes = 4 * (uint64_t)lanes, .shared = true};
	avk_op *o;

	for (uint32_t i = 0; i < p->ops->len; i++) {
		o = &g_array_index(p->ops, avk_op, i);
		if (o->once && o->kind == AVK_LOAD && o->extra == (int64_t)lane_xor && o->gm_row == bytes)
			return o->dst;
	}
	for (uint32_t i = 0; i < lanes; i++)
		table[i] = (int32_t)((i ^ lane_xor) * bytes);
	g_array_append_val(p->regs, reg);
	z.reg = p->regs->len - 1;
	o = avk_add(p, ASC_OP_GM_TO_UB, ASC_I32);
	o->kind = AVK_LOAD;
	o->once = true;
	o->extra = lane_xor;
	o->dst = z;
	o->gm_row = bytes;
	o->pitch_bytes = reg.bytes;
	o->address = p->b ? asb_tensor(p->b, name, ASC_I32, 1, lanes, reg.bytes, false, table) : 0;
	return z;
}

static bool make_lanes(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at);
	uint32_t bytes = isa_type_bytes(n->type), inside = MAX(n->lane_xor, 1), low;
	uint64_t rows = n->rows / p->units;
	enum isa_type type = n->type;
	avk_view v, table;
	avk_op *o;

	if (n->rows % p->units || !unit_operand(p, n->in[0], rows, &v))
		return false;
	while (inside & (inside + 1))
		inside |= inside >> 1;
	p->granule = MAX(p->granule, (uint64_t)inside + 1);
	scope(p, rows, false);
	if (bytes == 1) { /* through fp16, which holds every int8 */
		v = avk_expand(p, ISA_OP_CVT, n->type, ISA_TYPE_F16, &v, NULL, false, 0);
		type = ISA_TYPE_F16;
		bytes = 2;
	}
	if (!avk_dense(&v) || n->lane_xor == 0)
		v = avk_copy(p, type, &v);
	low = n->lane_xor & (BLOCK_BITS / (8 * bytes) - 1);
	for (uint32_t bit = BLOCK_BITS / (8 * bytes); bit <= n->lane_xor; bit *= 2)
		if (n->lane_xor & bit)
			v = swap_halves(p, type, &v, bit);
	if (low) {
		avk_view z;

		table = offsets(p, low, bytes);
		scope(p, rows, false);
		z = avk_new_value(p, 8 * bytes);
		o = avk_add(p, ASC_OP_VGATHER, bytes == 2 ? ASC_I16 : ASC_I32);
		o->dst = z;
		o->src[0] = table;
		o->src[1] = v;
		o->srcs = 2;
		v = z;
	}
	if (type != n->type)
		v = avk_expand(p, ISA_OP_CVT, type, n->type, &v, NULL, false, 0);
	p->value[at] = v;
	return true;
}

static bool make(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at);

	p->node = at;
	switch (n->op) {
	case GRAPH_UNARY:
	case GRAPH_BINARY:
		if (p->units > 1 && n->rows == 1)
			return make_elementwise(p, at, true);
		return make_elementwise(p, at, false);
	case GRAPH_REDUCE:
		return make_reduce(p, at);
	case GRAPH_ROWS:
		return make_rows(p, at);
	case GRAPH_JOIN:
		return make_join(p, at);
	case GRAPH_LANES:
		return make_lanes(p, at);
	default:
		return false;
	}
}

static void store(avk_program *p, uint32_t at)
{
	const graph_node *n = node_of(p, at);
	avk_view v = p->value[at];
	uint64_t rows = v.rows;

	if (n->op == GRAPH_JOIN)
		return;
	if (v.row == 0 && rows > 1) {
		scope(p, rows, v.shared);
		v = avk_copy(p, n->type, &v);
	}
	add_store(p, at, &v, rows, 0, v.shared ? 0 : rows);
}

/* Lanes whose rows are whole blocks in every register. */
static void find_granule(avk_program *p)
{
	for (uint32_t i = 0; i < p->regs->len; i++) {
		const avk_reg *r = avk_reg_at(p, i);

		if (!r->once && r->bits >= 8)
			p->granule = MAX(p->granule, BLOCK_BITS / r->bits);
	}
}

/* What a tile reads comes before all it does: loads of the next tile are asked for while this one is computed. */
static void loads_first(avk_program *p)
{
	GArray *ops = g_array_new(FALSE, FALSE, sizeof(avk_op));

	for (unsigned loads = 1; loads < 2; loads--)
		for (uint32_t i = 0; i < p->ops->len; i++) {
			const avk_op *o = &g_array_index(p->ops, avk_op, i);

			if ((o->kind == AVK_LOAD) == loads)
				g_array_append_vals(ops, o, 1);
		}
	g_array_free(p->ops, TRUE);
	p->ops = ops;
}

static void find_lives(avk_program *p)
{
	for (uint32_t i = 0; i < p->regs->len; i++) {
		avk_reg_at(p, i)->first = AVK_NONE;
		avk_reg_at(p, i)->last = 0;
	}
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = &g_array_index(p->ops, avk_op, i);
		uint32_t used[4], count = 0;

		if (o->kind != AVK_STORE)
			used[count++] = o->dst.reg;
		for (unsigned s = 0; s < o->srcs; s++)
			used[count++] = o->src[s].reg;
		if (o->mask != AVK_NONE)
			used[count++] = o->mask;
		for (uint32_t u = 0; u < count; u++) {
			avk_reg *r = avk_reg_at(p, used[u]);

			r->first = MIN(r->first, i);
			r->last = MAX(r->last, i);
			r->ring |= o->kind != AVK_VECTOR && !r->once;
		}
	}
}

avk_program *avk_program_new(asb *b, const asc_machine *machine, GArray *nodes, uint64_t units)
{
	g_autoptr(avk_program) p = g_new0(avk_program, 1);

	p->b = b;
	p->machine = machine;
	p->nodes = nodes;
	p->units = units;
	p->granule = 1;
	p->regs = g_array_new(FALSE, FALSE, sizeof(avk_reg));
	p->ops = g_array_new(FALSE, FALSE, sizeof(avk_op));
	p->value = g_new0(avk_view, nodes->len);
	p->made = g_new0(bool, nodes->len);
	for (uint32_t i = 0; i < nodes->len; i++) {
		if (avk_node_at(nodes, i)->external)
			continue;
		p->lanes = node_of(p, i)->lanes;
		if (!make(p, i))
			return NULL;
		p->made[i] = true;
		if (avk_node_at(nodes, i)->stored)
			store(p, i);
	}
	find_granule(p);
	loads_first(p);
	find_lives(p);
	return g_steal_pointer(&p);
}
