/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops over vectors: element-wise units cut into loops, reductions, copies.
 *
 * A loop is first drafted over rows (row = first + i0*c0 + i1*c1), then cut into sections: full lane blocks, where
 * vector number = block*rows + row, and the narrower last block.  Blocks join a loop level when every reference steps
 * evenly through them; else each block has a loop of its own.
 */
#include "sched/lower/internal.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ drafts into macros */

static uint64_t tensor_rows(const lowering *l, const low_draft *d)
{
	return g_array_index(l->p->tensors, low_tensor, d->tensor).rows;
}

static bool is_reference(const low_draft *d)
{
	return d->step.kind == LOW_LOAD || d->step.kind == LOW_STORE;
}

typedef struct nest {
	uint64_t n0, n1;
	uint64_t lanes;
	uint8_t section;
	uint64_t block;   /* vectors begin at block * rows of the tensor */
	bool blocks_in_1; /* the outer loop steps from block to block */
} nest;

/* (n0, n1) as one loop where all references allow it. */
static void collapse(low_draft *drafts, guint count, uint64_t *n0, uint64_t *n1)
{
	bool even = true;

	for (guint i = 0; i < count; i++) {
		if (*n0 == 1)
			drafts[i].c0 = drafts[i].c1;
		else if (is_reference(&drafts[i]))
			even &= drafts[i].c1 == *n0 * drafts[i].c0;
	}
	if (*n0 > 1 && !even)
		return;
	*n0 *= *n1;
	*n1 = 1;
}

static void add_loop(lowering *l, uint32_t node, const char *name, const low_draft *drafts, guint count,
                     const nest *shape)
{
	low_vloop *loop = &low_i_add_macro(l, LOW_VLOOP, node, name)->vloop;
	g_autofree low_draft *flat = g_memdup2(drafts, count * sizeof(low_draft));

	for (guint i = 0; i < count && shape->blocks_in_1; i++)
		flat[i].c1 = is_reference(&flat[i]) ? tensor_rows(l, &flat[i]) : 0;
	loop->lanes = shape->lanes;
	loop->n0 = shape->n0;
	loop->n1 = shape->n1;
	collapse(flat, count, &loop->n0, &loop->n1);
	for (guint i = 0; i < count; i++) {
		low_step step = flat[i].step;

		if (is_reference(&flat[i])) {
			uint64_t first = flat[i].first + shape->block * tensor_rows(l, &flat[i]);

			step.ref = (low_ref){flat[i].tensor, shape->section, (int64_t)first,
			                     loop->n0 > 1 ? (int64_t)flat[i].c0 : 0,
			                     loop->n1 > 1 ? (int64_t)flat[i].c1 : 0};
		}
		g_array_append_val(loop->steps, step);
	}
}

/* Do all references step from block to block as from one outer iteration to the next? */
static bool blocks_continue_outer(const lowering *l, const low_draft *drafts, guint count, uint64_t n1)
{
	for (guint i = 0; i < count; i++)
		if (is_reference(&drafts[i]) && n1 * drafts[i].c1 != tensor_rows(l, &drafts[i]))
			return false;
	return true;
}

/* Makes macros of the drafts of a loop (N0, N1) over tensors whose vectors are cut as those of tensor LIKE. */
static void emit(lowering *l, uint32_t node, const char *name, low_draft *drafts, guint count, uint64_t n0, uint64_t n1,
                 uint32_t like)
{
	low_tensor t = g_array_index(l->p->tensors, low_tensor, like);

	collapse(drafts, count, &n0, &n1);
	if (t.blocks == 1 || (t.blocks > 1 && n1 == 1)) {
		nest shape = {n0, n1 * t.blocks, t.vector_lanes, 0, 0, t.blocks > 1};

		add_loop(l, node, name, drafts, count, &shape);
	} else if (t.blocks > 1 && blocks_continue_outer(l, drafts, count, n1)) {
		nest shape = {n0, n1 * t.blocks, t.vector_lanes, 0, 0, false};

		add_loop(l, node, name, drafts, count, &shape);
	} else if (low_i_room(l, t.blocks)) {
		for (uint64_t b = 0; b < t.blocks; b++) {
			nest shape = {n0, n1, t.vector_lanes, 0, b, false};
			g_autofree char *block_name = g_strdup_printf("%s.block%" G_GUINT64_FORMAT, name, b);

			add_loop(l, node, block_name, drafts, count, &shape);
		}
	}
	if (t.tail) {
		nest shape = {n0, n1, t.tail, 1, 0, false};
		g_autofree char *tail_name = t.blocks ? g_strconcat(name, ".tail", NULL) : g_strdup(name);

		add_loop(l, node, tail_name, drafts, count, &shape);
	}
}

/* ----------------------------------------------------------------------------------------- element-wise units */

/* A loop being put together from consecutive members of a unit. */
typedef struct body {
	low_draft drafts[LOW_STEPS_MAX + 1]; /* one beyond the limit shows that it does not fit */
	low_place places[LOW_STEPS_MAX + 1]; /* of references */
	bool repeated[LOW_STEPS_MAX + 1];    /* one row for all */
	guint count;
	uint64_t bytes; /* crossing into or out of the loop, per lane and row */
} body;

static int16_t add_step(body *b, enum low_step_kind kind)
{
	if (b->count > LOW_STEPS_MAX)
		return LOW_STEPS_MAX;
	b->drafts[b->count] = (low_draft){.step = {.kind = kind, .in = {-1, -1}}};
	return (int16_t)b->count++;
}

/* The step that loads node X's value for a loop of ROWS rows. */
static int16_t add_load(const lowering *l, body *b, uint32_t x, uint64_t rows)
{
	low_place p = l->places[x];
	const graph_node *n = low_i_node(l, x);
	bool repeated = n->rows == 1 && rows > 1;
	int16_t at;

	for (guint i = 0; i < b->count; i++) {
		const low_place *q = &b->places[i];

		if (b->drafts[i].step.kind == LOW_LOAD && b->repeated[i] == repeated && q->node == p.node &&
		    q->first == p.first && q->groups == p.groups && q->pitch == p.pitch && q->step == p.step)
			return (int16_t)i;
	}
	at = add_step(b, LOW_LOAD);
	b->places[at] = p;
	b->repeated[at] = repeated;
	b->drafts[at].step.type = b->drafts[at].step.dtype = n->type;
	if (!repeated)
		b->bytes += isa_type_bytes(n->type);
	return at;
}

static bool read_outside(const lowering *l, uint32_t i, const uint32_t *members, guint count)
{
	const GArray *users = l->users[i];

	if (low_i_node(l, i)->output)
		return true;
	for (guint u = 0; u < users->len; u++) {
		guint m = 0;

		while (m < count && members[m] != g_array_index(users, uint32_t, u))
			m++;
		if (m == count)
			return true;
	}
	return false;
}

static int16_t add_member(const lowering *l, body *b, uint32_t i, const uint32_t *members, const int16_t *step_of,
                          guint count)
{
	const graph_node *n = low_i_node(l, i);
	low_step step = {.kind = n->op == GRAPH_LANES ? LOW_LANES : LOW_OP, .in = {-1, -1}};
	int16_t at;

	for (unsigned o = 0; o < graph_arity(n); o++) {
		guint m = 0;

		while (m < count && members[m] != n->in[o])
			m++;
		step.in[o] = m < count ? step_of[m] : add_load(l, b, n->in[o], n->rows);
	}
	if (n->has_imm)
		step.in[1] = -2;
	step.op = n->op == GRAPH_LANES ? ISA_OP_COPY : n->vxm_op;
	step.type = low_i_node(l, n->in[0])->type;
	step.dtype = n->type;
	step.imm = n->imm;
	step.lane_xor = n->lane_xor;
	at = add_step(b, step.kind);
	b->drafts[at].step = step;
	return at;
}

/* The most values alive between two steps. */
static unsigned most_live(const body *b)
{
	unsigned most = 0;

	for (guint at = 0; at + 1 < b->count; at++) {
		unsigned live = 0;

		for (guint i = 0; i <= at; i++) {
			bool used = false;

			for (guint u = at + 1; u < b->count; u++)
				used |= b->drafts[u].step.in[0] == (int)i || b->drafts[u].step.in[1] == (int)i;
			live += used;
		}
		most = MAX(most, live);
	}
	return most;
}

/* Drafts the loop of COUNT members; false when it exceeds the limits of one loop. */
static bool draft_members(const lowering *l, const uint32_t *members, guint count, body *b)
{
	g_autofree int16_t *step_of = g_new(int16_t, count);

	b->count = 0;
	b->bytes = 0;
	for (guint m = 0; m < count; m++) {
		const graph_node *n = low_i_node(l, members[m]);

		step_of[m] = add_member(l, b, members[m], members, step_of, m);
		if (read_outside(l, members[m], members, count)) {
			int16_t at = add_step(b, LOW_STORE);

			b->places[at] = l->places[members[m]];
			b->repeated[at] = false;
			b->drafts[at].step.in[0] = step_of[m];
			b->drafts[at].step.type = b->drafts[at].step.dtype = n->type;
			b->bytes += isa_type_bytes(n->type);
		}
		if (b->count > LOW_STEPS_MAX)
			return false;
	}
	return most_live(b) <= LOW_LIVE_MAX;
}

/* Turns a place into tensor and coefficients for a loop over PER_GROUP rows of each group. */
static void resolve(lowering *l, low_draft *d, const low_place *p, bool repeated, uint64_t per_group)
{
	d->tensor = low_i_tensor_of(l, p->node);
	d->first = p->first;
	d->c0 = repeated ? 0 : p->step;
	d->c1 = repeated ? 0 : p->groups == 1 ? per_group * p->step : p->pitch;
}

static char *loop_name(const lowering *l, const uint32_t *members, guint count)
{
	GString *name = g_string_new(low_i_node(l, members[0])->name);

	for (guint m = 1; m < MIN(count, 4u); m++)
		g_string_append_printf(name, "+%s", low_i_node(l, members[m])->name);
	if (count > 4)
		g_string_append_printf(name, "..%s", low_i_node(l, members[count - 1])->name);
	return g_string_free(name, FALSE);
}

static void emit_members(lowering *l, const uint32_t *members, guint count, uint64_t groups)
{
	g_autofree char *name = loop_name(l, members, count);
	uint64_t rows = low_i_node(l, members[0])->rows;
	uint32_t like = LOW_NONE;
	body b;

	draft_members(l, members, count, &b);
	for (guint i = 0; i < b.count; i++) {
		if (!is_reference(&b.drafts[i]))
			continue;
		resolve(l, &b.drafts[i], &b.places[i], b.repeated[i], rows / groups);
		like = b.drafts[i].tensor;
	}
	emit(l, members[count - 1], name, b.drafts, b.count, rows / groups, groups, like);
}

/* Cuts the unit into loops so that the fewest bytes cross the cuts, then the fewest loops result. */
void low_i_emit_unit(lowering *l, const low_unit *unit)
{
	const uint32_t *members = (const uint32_t *)(const void *)unit->members->data;
	guint count = unit->members->len;
	g_autofree uint64_t *best = g_new(uint64_t, count + 1);
	g_autofree guint *cut = g_new(guint, count + 1);
	g_autofree guint *ends = g_new(guint, count + 1);
	guint loops = 0;
	body b;

	best[0] = 0;
	for (guint end = 1; end <= count; end++) {
		best[end] = UINT64_MAX;
		for (guint begin = end; begin-- > 0 && end - begin <= LOW_STEPS_MAX;) {
			uint64_t cost;

			if (!draft_members(l, members + begin, end - begin, &b))
				break;
			cost = best[begin] + b.bytes * LOW_STEPS_MAX + 1;
			if (cost < best[end]) {
				best[end] = cost;
				cut[end] = begin;
			}
		}
	}
	for (guint end = count; end > 0; end = cut[end])
		ends[loops++] = end;
	while (loops-- > 0)
		emit_members(l, members + cut[ends[loops]], ends[loops] - cut[ends[loops]], unit->groups);
}

/* ------------------------------------------------------------------------------------------------- reductions */

/* Where the elements of a reduction lie: row of element i of group g = first + g*pitch + i*step. */
typedef struct elements {
	uint32_t tensor;
	uint64_t first, pitch, step;
} elements;

static void append_draft(GArray *drafts, const low_draft *d)
{
	g_array_append_val(drafts, *d);
}

/* Adds the steps that reduce elements LOW .. LOW + LEN - 1 of a run; returns the step of the result.  Splitting at the
 * largest power of two below LEN pairs elements as the level-by-level rule does. */
static int16_t draft_tree(const graph_node *n, const elements *x, uint64_t low, uint64_t len, uint64_t stride,
                          GArray *drafts)
{
	low_draft d = {.step = {.in = {-1, -1}, .type = n->type, .dtype = n->type}};
	uint64_t half = 1;

	if (len == 1) {
		d.step.kind = LOW_LOAD;
		d.tensor = x->tensor;
		d.first = x->first + low * x->step;
		d.c0 = stride * x->step;
		d.c1 = x->pitch;
	} else {
		while (2 * half < len)
			half *= 2;
		d.step.kind = LOW_OP;
		d.step.op = n->vxm_op;
		d.step.in[0] = draft_tree(n, x, low, half, stride, drafts);
		d.step.in[1] = draft_tree(n, x, low + half, len - half, stride, drafts);
	}
	append_draft(drafts, &d);
	return (int16_t)(drafts->len - 1);
}

/* One loop: COUNT runs of LEN elements from element BEGIN on, each group, into element TO and following of Y. */
static void emit_level(lowering *l, uint32_t node, const char *name, const elements *x, uint64_t begin, uint64_t len,
                       uint64_t count, const elements *y, uint64_t to)
{
	const graph_node *n = low_i_node(l, node);
	g_autoptr(GArray) drafts = g_array_new(FALSE, FALSE, sizeof(low_draft));
	low_draft d = {.step = {.kind = LOW_STORE, .in = {-1, -1}, .type = n->type, .dtype = n->type}};
	low_draft copy = {
		.step = {.kind = LOW_OP, .op = ISA_OP_COPY, .in = {0, -1}, .type = n->type, .dtype = n->type}};

	d.step.in[0] = draft_tree(n, x, begin, len, len, drafts);
	if (len == 1) {
		append_draft(drafts, &copy);
		d.step.in[0] = 1;
	}
	d.tensor = y->tensor;
	d.first = y->first + to * y->step;
	d.c0 = y->step;
	d.c1 = y->pitch;
	append_draft(drafts, &d);
	emit(l, node, name, (low_draft *)(void *)drafts->data, drafts->len, count, n->groups, y->tensor);
}

void low_i_emit_reduce(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	const low_place *p = &l->places[n->in[0]];
	uint64_t left = low_i_node(l, n->in[0])->rows / n->groups;
	elements x = {low_i_tensor_of(l, p->node), p->first, p->groups == 1 ? left * p->step : p->pitch, p->step};

	for (unsigned level = 0; level == 0 || left > 1; level++) {
		uint64_t runs = left / l->radix, rest = left % l->radix;
		uint64_t next = runs + (rest > 0);
		elements y = {.pitch = next, .step = 1};
		g_autofree char *name = g_strdup_printf("%s.%u", n->name, level);
		g_autofree char *rest_name = g_strdup_printf("%s.%u.rest", n->name, level);

		y.tensor = next == 1 ? low_i_tensor_of(l, node) : low_i_add_tensor(l, node, n->groups * next);
		if (runs)
			emit_level(l, node, name, &x, 0, l->radix, runs, &y, 0);
		if (rest)
			emit_level(l, node, runs ? rest_name : name, &x, runs * l->radix, rest, 1, &y, runs);
		x = y;
		left = next;
	}
}

/* ----------------------------------------------------------------------------------------------------- copies */

void low_i_emit_copy(lowering *l, uint32_t node, uint32_t from, const low_place *to, uint64_t rows)
{
	const low_place *source = &l->places[from];
	enum isa_type type = low_i_node(l, from)->type;
	uint64_t groups = MAX(source->groups, to->groups);
	low_draft drafts[3] = {
		{.step = {.kind = LOW_LOAD, .in = {-1, -1}, .type = type, .dtype = type}},
		{.step = {.kind = LOW_OP, .op = ISA_OP_COPY, .in = {0, -1}, .type = type, .dtype = type}},
		{.step = {.kind = LOW_STORE, .in = {1, -1}, .type = type, .dtype = type}},
	};
	g_autofree char *name = g_strdup_printf("%s.copy", low_i_node(l, from)->name);

	resolve(l, &drafts[0], source, false, rows / groups);
	resolve(l, &drafts[2], to, false, rows / groups);
	emit(l, node, name, drafts, 3, rows / groups, groups, drafts[2].tensor);
}
