/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering, the outline: which nodes are needed, where each value lies, and one macro-operation or more for each unit.
 *
 * A ROWS node is a way of referring to another tensor, and the operands of a JOIN are written where the join wants
 * them. Both hold as long as a row index is first + g*pitch + j*step with one number of groups in a loop; whatever does
 * not fit that form is copied.  Machine timing plays no part here; the machine gives its lanes only.
 */
#include "sched/lower/internal.h"

static void clear_macro(gpointer p)
{
	low_macro *m = p;

	if (m->kind == LOW_VLOOP)
		g_array_unref(m->vloop.steps);
	g_array_unref(m->after);
	g_free(m->name);
}

void low_free(low_program *p)
{
	if (!p)
		return;
	g_array_unref(p->tensors);
	g_array_unref(p->macros);
	g_free(p);
}

/* Batches, groups and lane blocks make macros each; a workload that would take hours to schedule is refused instead. */
enum { MACROS_MAX = 1 << 20 };

bool low_i_room(lowering *l, uint64_t macros)
{
	if (!l->failed && macros + l->p->macros->len > MACROS_MAX) {
		g_set_error(l->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "graph '%s': expected at most %d macro-operations", l->g->name, MACROS_MAX);
		l->failed = true;
	}
	return !l->failed;
}

low_macro *low_i_add_macro(lowering *l, enum low_kind kind, uint32_t node, const char *name)
{
	low_macro m = {.kind = kind, .node = node, .name = g_strdup(name)};

	m.after = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	if (kind == LOW_VLOOP)
		m.vloop.steps = g_array_new(FALSE, TRUE, sizeof(low_step));
	g_array_append_val(l->p->macros, m);
	return &g_array_index(l->p->macros, low_macro, l->p->macros->len - 1);
}

uint32_t low_i_add_tensor(lowering *l, uint32_t node, uint64_t rows)
{
	const graph_node *n = low_i_node(l, node);
	low_tensor t = {
		.node = node,
		.name = n->name,
		.type = n->type,
		.rows = rows,
		.lanes = n->lanes,
		.vector_lanes = l->vector_lanes[node],
		.conv_input_of = -1,
		.conv_weight_of = -1,
		.index_of = -1,
	};

	t.blocks = t.lanes / t.vector_lanes;
	t.tail = t.lanes % t.vector_lanes;
	g_array_append_val(l->p->tensors, t);
	return l->p->tensors->len - 1;
}

uint32_t low_i_tensor_of(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	low_tensor *t;

	if (l->tensor_of[node] != LOW_NONE)
		return l->tensor_of[node];
	l->tensor_of[node] = low_i_add_tensor(l, node, n->rows);
	t = &g_array_index(l->p->tensors, low_tensor, l->tensor_of[node]);
	t->host = n->op == GRAPH_INPUT || n->op == GRAPH_CONST;
	t->output = n->output;
	return l->tensor_of[node];
}

static void find_live(lowering *l)
{
	for (uint32_t i = l->count; i-- > 0;) {
		const graph_node *n = low_i_node(l, i);

		l->live[i] |= n->output;
		for (unsigned o = 0; l->live[i] && o < graph_arity(n); o++) {
			l->live[n->in[o]] = true;
			g_array_append_val(l->users[n->in[o]], i);
		}
	}
}

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

/* Nodes that may share a loop have equal vectors; those that a LANES node belongs to are one vector wide. */
static bool choose_vectors(lowering *l)
{
	uint64_t lanes = (uint64_t)l->machine->lanes;
	g_autofree uint32_t *parent = g_new(uint32_t, l->count);
	g_autofree bool *whole = g_new0(bool, l->count);

	for (uint32_t i = 0; i < l->count; i++) {
		const graph_node *n = low_i_node(l, i);

		parent[i] = i;
		if (n->op == GRAPH_MATMUL || n->op == GRAPH_CONV || n->op == GRAPH_TRANSPOSE || n->op == GRAPH_GATHER)
			continue;
		for (unsigned o = 0; o < graph_arity(n); o++)
			parent[find_root(parent, n->in[o])] = i;
	}
	for (uint32_t i = 0; i < l->count; i++) {
		const graph_node *n = low_i_node(l, i);

		if (n->op != GRAPH_LANES)
			continue;
		if (n->lanes > lanes) {
			g_set_error(l->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
			            "graph '%s': node '%s': lanes are exchanged inside one vector, %" G_GINT64_FORMAT
			            " lanes on this machine, and the tensor has %" G_GUINT64_FORMAT,
			            l->g->name, n->name, l->machine->lanes, n->lanes);
			return false;
		}
		whole[find_root(parent, i)] = true;
	}
	for (uint32_t i = 0; i < l->count; i++)
		l->vector_lanes[i] = whole[find_root(parent, i)] ? low_i_node(l, i)->lanes : lanes;
	return true;
}

static low_place plain_place(uint32_t node)
{
	return (low_place){.node = node, .groups = 1, .step = 1};
}

/* A view of a value that lies at INNER with one group. */
static low_place compose(const low_place *inner, const graph_node *view)
{
	low_place p = {
		.node = inner->node,
		.first = inner->first + view->first_row * inner->step,
		.groups = view->groups,
		.pitch = view->pitch * inner->step,
		.step = view->step * inner->step,
	};
	uint64_t rows = view->rows / view->groups;

	/* Evenly spaced groups are one group. */
	if (rows == 1)
		p = (low_place){.node = p.node, .first = p.first, .groups = 1, .step = view->groups == 1 ? 1 : p.pitch};
	else if (p.pitch == rows * p.step)
		p.groups = 1;
	if (p.groups == 1)
		p.pitch = 0;
	return p;
}

static void make_own(lowering *l, uint32_t node)
{
	l->own[node] = true;
	l->places[node] = plain_place(node);
}

/* Element-wise: all operands and the result agree on the number of groups. */
static void settle_groups(lowering *l, const graph_node *n, uint64_t groups)
{
	for (unsigned o = 0; o < graph_arity(n); o++) {
		uint64_t theirs = l->places[n->in[o]].groups;

		if (theirs == 1)
			continue;
		if (groups > 1 && groups != theirs)
			make_own(l, n->in[o]);
		else
			groups = theirs;
	}
}

/* Copies operands that node I cannot refer to where they are. */
static void settle_operands(lowering *l, uint32_t i)
{
	const graph_node *n = low_i_node(l, i);

	if (low_i_is_elementwise(n))
		settle_groups(l, n, 1);
	else if (n->op == GRAPH_JOIN)
		settle_groups(l, n, n->groups);
	for (unsigned o = 0; o < graph_arity(n); o++) {
		const low_place *p = &l->places[n->in[o]];
		bool whole = p->node == n->in[o];
		bool fits = true;

		if (n->op == GRAPH_ROWS)
			fits = p->groups == 1;
		else if (n->op == GRAPH_REDUCE)
			fits = p->groups == 1 || p->groups == n->groups;
		else if (n->op == GRAPH_MATMUL)
			fits = p->groups == 1 && (p->step == 1 || low_i_node(l, n->in[o])->rows == 1);
		else if (n->op == GRAPH_TRANSPOSE || n->op == GRAPH_CONV || n->op == GRAPH_GATHER)
			fits = whole;
		if (!fits)
			make_own(l, n->in[o]);
	}
}

/* Element-wise operands of a JOIN are computed in place when nobody else reads them. */
static void absorb(lowering *l, uint32_t join)
{
	const graph_node *n = low_i_node(l, join);
	uint64_t rows = n->rows / (2 * n->groups);

	for (unsigned o = 0; o < 2; o++) {
		const graph_node *x = low_i_node(l, n->in[o]);
		uint64_t groups = 1;

		if (!low_i_is_elementwise(x) || x->output || l->users[n->in[o]]->len != 1)
			continue;
		for (unsigned q = 0; q < graph_arity(x); q++)
			groups = MAX(groups, l->places[x->in[q]].groups);
		if (groups > 1 && n->groups > 1 && groups != n->groups)
			continue;
		l->own[n->in[o]] = false;
		l->places[n->in[o]] = (low_place){.node = join,
		                                  .first = o * rows,
		                                  .groups = n->groups,
		                                  .pitch = n->groups > 1 ? 2 * rows : 0,
		                                  .step = 1};
	}
}

static void place_values(lowering *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		const graph_node *n = low_i_node(l, i);

		if (!l->live[i])
			continue;
		make_own(l, i);
		settle_operands(l, i);
		if (n->op == GRAPH_ROWS && !n->output) {
			l->own[i] = false;
			l->places[i] = compose(&l->places[n->in[0]], n);
		}
	}
	for (uint32_t i = 0; i < l->count; i++)
		if (l->live[i] && low_i_node(l, i)->op == GRAPH_JOIN)
			absorb(l, i);
}

static void emit_matmul(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	const low_place *a = &l->places[n->in[0]];
	const low_place *b = &l->places[n->in[1]];
	low_matmul work = {
		.a = low_i_tensor_of(l, a->node),
		.b = low_i_tensor_of(l, b->node),
		.c = low_i_tensor_of(l, node),
		.m = n->m,
		.k = n->k,
		.n = n->n,
		.type = low_i_node(l, n->in[0])->type,
		.block_run = n->block_run,
		.sum_rows = n->sum_rows,
	};

	if (!low_i_room(l, n->batches))
		return;
	for (uint64_t i = 0; i < n->batches; i++) {
		g_autofree char *name =
			n->batches == 1 ? g_strdup(n->name) : g_strdup_printf("%s.%" G_GUINT64_FORMAT, n->name, i);

		work.a_row = a->first + i * n->m;
		work.b_row = b->first + i * n->k;
		work.c_row = i * n->m;
		low_i_add_macro(l, LOW_MATMUL, node, name)->matmul = work;
	}
}

/* A tensor laid out for a convolution can serve nothing else. */
static bool check_conv_operand(lowering *l, uint32_t conv, uint32_t x)
{
	const graph_node *n = low_i_node(l, x);

	if ((n->op == GRAPH_INPUT || n->op == GRAPH_CONST) && l->users[x]->len == 1 && !n->output)
		return true;
	g_set_error(l->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "graph '%s': node '%s': operand '%s' must be host data that only this convolution reads",
	            l->g->name, low_i_node(l, conv)->name, n->name);
	return false;
}

static bool emit_conv(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	const graph_conv *c = &n->conv;
	low_conv work = {.type = low_i_node(l, n->in[0])->type, .sum_rows = n->sum_rows, .conv = *c};

	if (!check_conv_operand(l, node, n->in[0]) || !check_conv_operand(l, node, n->in[1]) ||
	    !low_i_room(l, c->images * c->groups))
		return false;
	work.conv.images = work.conv.groups = 1;
	work.x = low_i_tensor_of(l, n->in[0]);
	work.w = low_i_tensor_of(l, n->in[1]);
	work.y = low_i_tensor_of(l, node);
	g_array_index(l->p->tensors, low_tensor, work.x).conv_input_of = (int32_t)l->p->macros->len;
	g_array_index(l->p->tensors, low_tensor, work.w).conv_weight_of = (int32_t)l->p->macros->len;
	for (uint64_t i = 0; i < c->images * c->groups; i++) {
		g_autofree char *name = c->images * c->groups == 1
		                                ? g_strdup(n->name)
		                                : g_strdup_printf("%s.%" G_GUINT64_FORMAT, n->name, i);

		work.x_row = i * c->h * c->w;
		work.w_row = i % c->groups * graph_conv_k(c);
		work.y_row = i * c->oh * c->ow;
		low_i_add_macro(l, LOW_CONV, node, name)->conv = work;
	}
	return true;
}

/* Rows or columns picked out of a tensor need a memory with byte addresses. */
static bool check_picking(lowering *l, uint32_t node)
{
	if (l->machine->hashed)
		return true;
	g_set_error(l->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "graph '%s': node '%s': rows or columns are picked out of one flat SRAM; this machine has slices "
	            "(mem.slices_per_hemisphere)",
	            l->g->name, low_i_node(l, node)->name);
	return false;
}

static void want_row_major(lowering *l, uint32_t tensor)
{
	low_tensor *t = &g_array_index(l->p->tensors, low_tensor, tensor);

	t->row_major = t->host;
}

static bool emit_transpose(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	low_transpose work = {low_i_tensor_of(l, n->in[0]), low_i_tensor_of(l, node)};

	if (n->rows != low_i_node(l, n->in[0])->lanes) {
		if (!check_picking(l, node))
			return false;
		want_row_major(l, work.x);
	}
	low_i_add_macro(l, LOW_TRANSPOSE, node, n->name)->transpose = work;
	return true;
}

/* The tensor of index node INDEX as used on tensor TABLE: row numbers may be stored as offsets into that. */
static uint32_t index_tensor(lowering *l, uint32_t index, uint32_t table)
{
	uint32_t found;
	low_tensor *t;

	for (found = 0; found < l->p->tensors->len; found++) {
		t = &g_array_index(l->p->tensors, low_tensor, found);
		if (t->node == index && t->index_of == (int32_t)table)
			return found;
	}
	found = low_i_add_tensor(l, index, 1);
	t = &g_array_index(l->p->tensors, low_tensor, found);
	t->host = true;
	t->index_of = (int32_t)table;
	return found;
}

static bool emit_gather(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	low_gather work = {
		.x = low_i_tensor_of(l, n->in[0]), .y = low_i_tensor_of(l, node), .first_lane = n->first_lane};

	if (!check_picking(l, node))
		return false;
	work.index = index_tensor(l, n->in[1], work.x);
	want_row_major(l, work.x);
	low_i_add_macro(l, LOW_GATHER, node, n->name)->gather = work;
	return true;
}

static void emit_join(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);
	uint64_t rows = n->rows / (2 * n->groups);

	for (unsigned o = 0; o < 2; o++) {
		low_place to = {.node = node,
		                .first = o * rows,
		                .groups = n->groups,
		                .pitch = n->groups > 1 ? 2 * rows : 0,
		                .step = 1};

		if (l->places[n->in[o]].node != node)
			low_i_emit_copy(l, node, n->in[o], &to, n->rows / 2);
	}
}

/* Is it read as the index of GATHERs and in no other way?  Then only tensors of emit_gather() hold it. */
static bool is_index(const lowering *l, uint32_t node)
{
	const GArray *users = l->users[node];

	for (guint i = 0; i < users->len; i++) {
		const graph_node *n = low_i_node(l, g_array_index(users, uint32_t, i));

		if (n->op != GRAPH_GATHER || n->in[0] == node)
			return false;
	}
	return users->len && !low_i_node(l, node)->output;
}

static bool emit_node(lowering *l, uint32_t node)
{
	const graph_node *n = low_i_node(l, node);

	switch (n->op) {
	case GRAPH_INPUT:
	case GRAPH_CONST:
		if (!is_index(l, node))
			low_i_tensor_of(l, node);
		break;
	case GRAPH_REDUCE:
		low_i_emit_reduce(l, node);
		break;
	case GRAPH_MATMUL:
		emit_matmul(l, node);
		break;
	case GRAPH_CONV:
		return emit_conv(l, node);
	case GRAPH_TRANSPOSE:
		return emit_transpose(l, node);
	case GRAPH_GATHER:
		return emit_gather(l, node);
	case GRAPH_ROWS:
		if (l->own[node]) {
			low_place source = compose(&l->places[n->in[0]], n);
			low_place to = l->places[node];

			l->places[node] = source;
			low_i_emit_copy(l, node, node, &to, n->rows);
			l->places[node] = to;
		}
		break;
	case GRAPH_JOIN:
		emit_join(l, node);
		break;
	default:
		low_i_emit_unit(l, &l->units[l->unit_of[node]]);
	}
	return true;
}

/* Depth first, so that everything a unit reads is emitted before it. */
static bool visit(lowering *l, uint32_t unit, bool *done)
{
	const GArray *members = l->units[unit].members;

	if (done[unit])
		return true;
	done[unit] = true;
	for (guint m = 0; m < members->len; m++) {
		const graph_node *n = low_i_node(l, g_array_index(members, uint32_t, m));

		for (unsigned o = 0; o < graph_arity(n); o++)
			if (!visit(l, l->unit_of[n->in[o]], done))
				return false;
	}
	return emit_node(l, g_array_index(members, uint32_t, 0)) && !l->failed;
}

static bool emit_all(lowering *l)
{
	g_autofree bool *done = g_new0(bool, l->count);

	for (uint32_t i = 0; i < l->count; i++)
		if (l->live[i] && !visit(l, l->unit_of[i], done))
			return false;
	return true;
}

static void begin(lowering *l)
{
	l->count = graph_size(l->g);
	l->live = g_new0(bool, l->count);
	l->users = g_new0(GArray *, l->count);
	l->places = g_new0(low_place, l->count);
	l->own = g_new0(bool, l->count);
	l->vector_lanes = g_new0(uint64_t, l->count);
	l->tensor_of = g_new(uint32_t, l->count);
	l->unit_of = g_new(uint32_t, l->count);
	l->units = g_new0(low_unit, l->count);
	l->p = g_new0(low_program, 1);
	l->p->g = l->g;
	l->p->tensors = g_array_new(FALSE, TRUE, sizeof(low_tensor));
	l->p->macros = g_array_new(FALSE, TRUE, sizeof(low_macro));
	g_array_set_clear_func(l->p->macros, clear_macro);
	for (uint32_t i = 0; i < l->count; i++) {
		l->users[i] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		l->tensor_of[i] = LOW_NONE;
		l->unit_of[i] = i;
		l->units[i].members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		g_array_append_val(l->units[i].members, i);
	}
}

static void end(lowering *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		g_array_unref(l->users[i]);
		g_array_unref(l->units[i].members);
	}
	g_free(l->live);
	g_free(l->users);
	g_free(l->places);
	g_free(l->own);
	g_free(l->vector_lanes);
	g_free(l->tensor_of);
	g_free(l->unit_of);
	g_free(l->units);
}

low_program *low_lower(const graph *g, const isa_machine *machine, unsigned radix, GError **error)
{
	lowering l = {.g = g, .machine = machine, .radix = radix, .error = error};
	bool ok;

	if (radix < 2 || radix & (radix - 1) || radix > LOW_RADIX_MAX) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL,
		            "reduction radix %u is not a power of two from 2 to %d", radix, LOW_RADIX_MAX);
		return NULL;
	}
	begin(&l);
	find_live(&l);
	ok = choose_vectors(&l);
	if (ok) {
		place_values(&l);
		low_i_fuse(&l);
		ok = emit_all(&l);
	}
	if (ok)
		low_i_find_dependences(l.p);
	end(&l);
	if (!ok) {
		low_free(l.p);
		return NULL;
	}
	return l.p;
}
