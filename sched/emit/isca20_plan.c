/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations and tensors of an epoch, and where the tensors lie.
 */
#include "sched/emit/isca20_plan.h"
#include "sched/sheet.h"

#include <stdlib.h>

static void clear_operation(gpointer p)
{
	isca_operation *op = p;

	g_clear_pointer(&op->loop, isca_loop_free);
	g_clear_pointer(&op->work, isca_work_free);
	g_clear_pointer(&op->turn, isca_turn_free);
}

static void clear_tensor(gpointer p)
{
	isca_tensor *t = p;

	g_clear_pointer(&t->tiles, g_array_unref);
}

static void list_tensors(isca_plan *plan)
{
	const low_program *low = plan->c->low;

	for (guint i = 0; i < low->tensors->len; i++) {
		const low_tensor *l = &g_array_index(low->tensors, low_tensor, i);
		isca_tensor t = {
			.name = l->name,
			.type = l->type,
			.rows = l->rows,
			.lanes = l->lanes,
			.vector_lanes = l->vector_lanes,
			.full_blocks = l->blocks,
			.blocks = l->blocks + (l->tail > 0),
			.node = l->node,
			.host = l->host,
			.output = l->output,
		};

		g_array_append_val(plan->tensors, t);
	}
}

static void add_loops(isca_plan *plan, uint32_t macro)
{
	const low_macro *m = &g_array_index(plan->c->low->macros, low_macro, macro);
	GPtrArray *loops = isca_split_loop(plan->c, &m->vloop, m->name, &plan->limits, plan->tensors);

	for (guint l = 0; l < loops->len; l++) {
		isca_operation op = {.kind = m->kind, .macro = macro, .loop = g_ptr_array_index(loops, l)};

		g_array_append_val(plan->operations, op);
	}
	g_ptr_array_set_free_func(loops, NULL);
	g_ptr_array_unref(loops);
}

/* Products of one graph node are one operation. */
static uint32_t add_work(isca_plan *plan, uint32_t first)
{
	const GArray *macros = plan->c->low->macros;
	const low_macro *m = &g_array_index(macros, low_macro, first);
	isca_operation op = {.kind = m->kind, .macro = first};
	uint32_t count = 1;

	while (first + count < macros->len && m[count].kind == m->kind && m[count].node == m->node)
		count++;
	op.work = isca_work_new(plan->c, plan->tensors, first, count, &plan->thrift);
	if (!op.work)
		return 0;
	if (isca_has_strips(op.work)) {
		isca_tensor *result = isca_plan_tensor(plan, op.work->c);

		result->strips = op.work->packing.strips;
		result->strip_rows = op.work->packing.strip_rows;
		result->strip_columns = op.work->conv.ow;
	}
	g_array_append_val(plan->operations, op);
	return count;
}

/* Does anything but macro NUMBER use tensor I? */
static bool used_elsewhere(const low_program *low, uint32_t i, uint32_t number)
{
	for (guint m = 0; m < low->macros->len; m++) {
		const low_macro *macro = &g_array_index(low->macros, low_macro, m);

		for (guint s = 0; macro->kind == LOW_VLOOP && s < macro->vloop.steps->len; s++) {
			const low_step *step = &g_array_index(macro->vloop.steps, low_step, s);

			if ((step->kind == LOW_LOAD || step->kind == LOW_STORE) && step->ref.tensor == i)
				return true;
		}
		if (macro->kind == LOW_MATMUL && (macro->matmul.a == i || macro->matmul.b == i || macro->matmul.c == i))
			return true;
		if (macro->kind == LOW_CONV && macro->conv.y == i)
			return true;
		if (macro->kind == LOW_TRANSPOSE && m != number && (macro->transpose.x == i || macro->transpose.y == i))
			return true;
	}
	return false;
}

/* A loop that moves byte BYTE of SECTION's vectors of tensor FROM to tensor TO. */
static void add_byte_copy(isca_plan *plan, uint32_t macro, uint32_t from, uint32_t to, unsigned section, unsigned byte)
{
	const isca_tensor *t = isca_plan_tensor(plan, from);
	uint64_t tail = t->lanes % t->vector_lanes;
	isca_operation op = {.kind = LOW_VLOOP, .macro = macro};
	low_step step = {.kind = LOW_LOAD,
	                 .ref = {from, (uint8_t)section, 0, 1, (int64_t)t->rows},
	                 .type = ISA_TYPE_I8,
	                 .dtype = ISA_TYPE_I8,
	                 .op = ISA_OP_COPY,
	                 .in = {-1, -1},
	                 .imm = byte};

	op.loop = isca_loop_new(t->rows, section ? 1 : t->full_blocks, section ? tail : t->vector_lanes);
	g_array_append_val(op.loop->steps, step);
	step.kind = LOW_OP;
	step.in[0] = 0;
	step.imm = 0;
	g_array_append_val(op.loop->steps, step);
	step.kind = LOW_STORE;
	step.ref.tensor = to;
	step.in[0] = 1;
	step.imm = byte;
	g_array_append_val(op.loop->steps, step);
	g_array_append_val(plan->operations, op);
}

static void add_copy(isca_plan *plan, uint32_t macro, uint32_t from, uint32_t to)
{
	const isca_tensor *t = isca_plan_tensor(plan, from);
	unsigned bytes = isa_type_bytes(t->type);
	bool full = t->full_blocks > 0, tail = t->blocks > t->full_blocks;

	for (unsigned byte = 0; byte < bytes; byte++) {
		if (full)
			add_byte_copy(plan, macro, from, to, 0, byte);
		if (tail)
			add_byte_copy(plan, macro, from, to, 1, byte);
	}
}

/* A tensor like I for a transposition alone. */
static uint32_t add_twin(isca_plan *plan, uint32_t i)
{
	isca_tensor twin = *isca_plan_tensor(plan, i);

	twin.node = UINT32_MAX;
	twin.host = twin.output = false;
	twin.planes = true;
	g_array_append_val(plan->tensors, twin);
	return plan->tensors->len - 1;
}

static void add_turn(isca_plan *plan, uint32_t macro)
{
	const low_program *low = plan->c->low;
	low_transpose work = g_array_index(low->macros, low_macro, macro).transpose;
	bool wide = isa_type_bytes(isca_plan_tensor(plan, work.x)->type) > 1 && plan->limits.apart;
	bool copy_x = wide && used_elsewhere(low, work.x, macro), copy_y = wide && used_elsewhere(low, work.y, macro);
	isca_operation op = {.kind = LOW_TRANSPOSE, .macro = macro};
	low_transpose own = work;

	if (copy_x) {
		own.x = add_twin(plan, work.x);
		add_copy(plan, macro, work.x, own.x);
	}
	if (copy_y)
		own.y = add_twin(plan, work.y);
	op.turn = isca_turn_new(plan->c, &own, plan->tensors);
	g_array_append_val(plan->operations, op);
	if (copy_y)
		add_copy(plan, macro, own.y, work.y);
}

static bool list_operations(isca_plan *plan)
{
	const low_program *low = plan->c->low;

	for (guint i = 0; i < low->macros->len;) {
		const low_macro *m = &g_array_index(low->macros, low_macro, i);
		uint32_t count = 1;

		if (m->kind == LOW_VLOOP)
			add_loops(plan, i);
		else if (m->kind == LOW_TRANSPOSE)
			add_turn(plan, i);
		else
			count = add_work(plan, i);
		if (!count)
			return false;
		i += count;
	}
	return true;
}

/* How often does LOOP load (store) tensor I in one iteration? */
static unsigned count_refs(const isca_loop *loop, uint32_t i, enum low_step_kind kind)
{
	unsigned count = 0;

	for (unsigned s = 0; loop && s < loop->steps->len; s++)
		count += isca_step(loop, s)->kind == kind && isca_step(loop, s)->ref.tensor == i;
	return count;
}

/* Those loads that are not the same in all iterations. */
static unsigned count_moving(const isca_loop *loop, uint32_t i)
{
	unsigned count = 0;

	for (unsigned s = 0; s < loop->steps->len; s++) {
		const low_step *step = isca_step(loop, s);

		count += step->kind == LOW_LOAD && step->ref.tensor == i && step->ref.step0;
	}
	return count;
}

static bool is_long(const isca_operation *op)
{
	enum { LONG = 128 };

	return op->loop && op->loop->n0 * op->loop->n1 >= LONG;
}

unsigned isca_side_by_side(const isca_plan *plan, const isca_operation *op)
{
	const char *why;
	unsigned most, power = 1;

	if (plan->wide == WIDE_NOT || !is_long(op))
		return 0;
	most = isca_most_iterations(plan->c, op->loop, &why);
	while (2 * power <= most)
		power *= 2;
	return plan->wide == WIDE_ALL ? most : MAX(plan->wide == WIDE_HALF ? power / 2 : power, 1);
}

bool isca_uses(const isca_operation *op, uint32_t i)
{
	const isca_work *w = op->work;

	if (op->turn)
		return op->turn->x == i || op->turn->y == i;
	if (w)
		return w->c == i || (w->a == i && !w->a_private) || (w->b == i && !w->b_private);
	return count_refs(op->loop, i, LOW_LOAD) || count_refs(op->loop, i, LOW_STORE);
}

/* From the first operation that writes a tensor to the last that reads it; the host's live from the beginning, outputs
 * to the end. */
static void find_lives(isca_plan *plan)
{
	for (guint i = 0; i < plan->tensors->len; i++) {
		isca_tensor *t = isca_plan_tensor(plan, i);

		t->first = UINT32_MAX;
		t->last = 0;
		for (guint o = 0; o < plan->operations->len; o++) {
			if (!isca_uses(&g_array_index(plan->operations, isca_operation, o), i))
				continue;
			t->first = MIN(t->first, t->host ? 0 : o);
			t->last = t->output ? UINT32_MAX : o;
		}
	}
}

/* ------------------------------------------------------------------------------------------------ placement */

/* Bytes that tensor I adds to an operation's flow past the VXM.  SIDE 2: it lies in both hemispheres. */
static void add_flow(const isca_plan *plan, const isca_operation *op, uint32_t i, unsigned side, unsigned *flow)
{
	unsigned bytes = isa_type_bytes(isca_plan_tensor(plan, i)->type);
	unsigned loads = count_refs(op->loop, i, LOW_LOAD), stores = count_refs(op->loop, i, LOW_STORE);
	unsigned most = isca_side_by_side(plan, op);

	/* All iterations of a cycle bring what is not the same for all. */
	if (most) {
		loads += (most - 1) * count_moving(op->loop, i);
		stores *= most;
	}

	if (side == 2) {
		for (unsigned s = 0; s < 2; s++)
			flow[s] += bytes * ((loads + 1) / 2 + (stores + 1) / 2);
		return;
	}
	/* From the west eastward, to the west westward. */
	flow[side] += bytes * loads;
	flow[!side] += bytes * stores;
}

static bool flow_allows(const isca_plan *plan, uint32_t i, unsigned side)
{
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);
		unsigned flow[2] = {op->flow[0], op->flow[1]};

		if (!op->loop || !isca_uses(op, i))
			continue;
		add_flow(plan, op, i, side, flow);
		if (flow[0] > plan->c->stream_count || flow[1] > plan->c->stream_count)
			return false;
	}
	return true;
}

/* Slices that tensor I must keep away from. */
static void find_avoided(const isca_plan *plan, uint32_t i, const isca_shape *shape, isca_set *avoid)
{
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		/* The two sides of a transposition are not used at once, but the buffer between them needs room. */
		if (isca_uses(op, i) && (!op->turn || shape->stacked))
			isca_set_join(avoid, &op->used);
	}
}

static bool place_shape(isca_plan *plan, uint32_t i, const isca_shape *shape)
{
	isca_tensor *t = isca_plan_tensor(plan, i);
	isca_wish wish = {.side = -1, .first = t->first, .last = t->last};
	isca_tile tile = isca_shape_tile(plan, t, shape, &wish);
	bool both = wish.split || wish.wide;
	bool allowed[2] = {flow_allows(plan, i, both ? 2 : 0), flow_allows(plan, i, both ? 2 : 1)};

	if (!allowed[0] && !allowed[1])
		return false;
	if (allowed[0] != allowed[1])
		wish.side = allowed[1];
	find_avoided(plan, i, shape, &wish.avoid);
	if (!isca_allocate(plan->c, &tile, &wish))
		return false;
	g_array_append_val(t->tiles, tile);
	for (guint o = 0; o < plan->operations->len; o++) {
		isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		if (!isca_uses(op, i))
			continue;
		isca_set_join(&op->used, &tile.slices);
		if (op->loop)
			add_flow(plan, op, i, both ? 2 : tile.slice / plan->c->slices_per_side, op->flow);
	}
	return true;
}

/* Where one hemisphere has no room beside the other operands, half a hemisphere of each may do. */
static bool place_tensor(isca_plan *plan, uint32_t i)
{
	isca_shape shape = g_array_index(plan->shapes, isca_shape, i);

	if (place_shape(plan, i, &shape))
		return true;
	if (shape.split || !isca_can_split(&shape))
		return false;
	shape.split = true;
	return place_shape(plan, i, &shape);
}

typedef struct entry {
	uint64_t width;
	uint32_t tensor;
} entry;

static int compare_entries(const void *a, const void *b)
{
	const entry *x = a;
	const entry *y = b;

	if (x->width != y->width)
		return x->width > y->width ? -1 : 1;
	return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/* Chooses shapes and places all tensors, the widest first. */
static bool place_all(isca_plan *plan, bool *hopeless)
{
	g_autofree entry *order = g_new(entry, plan->tensors->len);
	guint count = 0;

	isca_memory_fini(plan->c);
	isca_memory_init(plan->c);
	for (guint o = 0; o < plan->operations->len; o++) {
		isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		op->used = op->busy = (isca_set){{0}};
		op->flow[0] = op->flow[1] = 0;
	}
	for (guint i = 0; i < plan->tensors->len; i++) {
		isca_tensor *t = isca_plan_tensor(plan, i);
		isca_shape *shape = &g_array_index(plan->shapes, isca_shape, i);

		g_array_set_size(t->tiles, 0);
		if (t->first > t->last)
			continue;
		if (!isca_choose_shape(plan, i, shape)) {
			*hopeless = true;
			return false;
		}
		order[count++] =
			(entry){shape->row_mod * shape->block_mod * (shape->stacked ? 1 : isa_type_bytes(t->type)), i};
	}
	qsort(order, count, sizeof(entry), compare_entries);
	for (guint i = 0; i < count; i++)
		if (!place_tensor(plan, order[i].tensor))
			return false;
	for (guint o = 0; o < plan->operations->len; o++) {
		isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		if (op->work && !isca_place_work(plan, op, o))
			return false;
		if (op->turn && !isca_place_turn(plan, op, o))
			return false;
	}
	return true;
}

/* Makes the lists anew, for the present limits. */
static bool list_all(isca_plan *plan)
{
	g_array_set_size(plan->operations, 0);
	g_array_set_size(plan->tensors, 0);
	list_tensors(plan);
	if (!list_operations(plan) || !isca_order_operations(plan))
		return false;
	find_lives(plan);
	g_array_set_size(plan->shapes, plan->tensors->len);
	for (guint i = 0; i < plan->tensors->len; i++)
		isca_plan_tensor(plan, i)->tiles = g_array_new(FALSE, TRUE, sizeof(isca_tile));
	return true;
}

/* Do long loops save more cycles by wider spreading than its slices, farther from the VXM, take longer to reach? */
static bool is_worth_it(const isca_plan *plan)
{
	int64_t saved = 0, lost = 0, way = plan->c->slices_per_side / plan->c->m->mem_slices_per_group;

	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);
		uint64_t narrow = UINT64_MAX, iterations;
		unsigned most = isca_side_by_side(plan, op);

		if (!most)
			continue;
		iterations = op->loop->n0 * op->loop->n1;
		for (unsigned s = 0; s < op->loop->steps->len; s++) {
			const low_step *step = isca_step(op->loop, s);

			if (step->kind == LOW_LOAD || step->kind == LOW_STORE)
				narrow = MIN(narrow, plan->cap / isa_type_bytes(step->type));
		}
		if (narrow >= most)
			continue;
		saved += (int64_t)(iterations / narrow - iterations / most);
		lost += 2 * way;
	}
	return saved > lost;
}

/* Tries less and less spreading, then smaller parts of tensors. */
static bool place_spread(isca_plan *plan)
{
	static const unsigned caps[] = {16, 8, 4, 2, 1};
	bool hopeless = false;

	unsigned first = sched_decide(plan->c->options->sheet, "spread", "", G_N_ELEMENTS(caps));

	plan->cap = caps[0];
	plan->part_words = plan->c->words_per_slice;
	for (plan->wide = first ? WIDE_NOT : WIDE_ALL; plan->wide > WIDE_NOT; plan->wide--) {
		if (is_worth_it(plan) && place_all(plan, &hopeless))
			return true;
		hopeless = false;
	}
	for (uint32_t divisor = 1; divisor <= 16; divisor *= 4) {
		for (unsigned i = first; i < G_N_ELEMENTS(caps) && !hopeless; i++) {
			plan->cap = caps[i];
			plan->part_words = MAX(plan->c->words_per_slice / divisor, 1);
			if (place_all(plan, &hopeless))
				return true;
		}
	}
	return false;
}

static bool has_patches(const isca_plan *plan)
{
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_work *w = g_array_index(plan->operations, isca_operation, o).work;

		if (w && w->patches)
			return true;
	}
	return false;
}

/* Rows of a tile: its sums lie in a few slices; longer ones gain nothing but memory for them. */
enum { TILE_ROWS = 2560, TILE_ROWS_FEW = 256, LOAD_ROWS = 16 };

static const isca_thrift thrifts[] = {
	{TILE_ROWS, LOAD_ROWS, false, false},    {TILE_ROWS, LOAD_ROWS, true, false},
	{TILE_ROWS, LOAD_ROWS, true, true},      {TILE_ROWS_FEW, LOAD_ROWS, true, true},
	{TILE_ROWS_FEW, LOAD_ROWS, true, false}, {TILE_ROWS_FEW, 2, true, false},
	{TILE_ROWS_FEW, 1, true, false},
};

static bool refuse(isca_plan *plan, const isca_limits *limits)
{
	uint64_t words = UINT64_MAX;

	plan->limits = *limits;
	for (unsigned t = 0; t < G_N_ELEMENTS(thrifts); t++) {
		uint64_t count;

		plan->thrift = thrifts[t];
		if (!list_all(plan))
			return false;
		count = isca_count_words(plan);
		words = MIN(words, count);
	}
	return isca_refuse(plan, words);
}

static bool place_somehow(isca_plan *plan)
{
	const isca_limits limits[] = {
		{plan->c->stream_count, false, false},
		{plan->c->stream_count, false, true},
		{16, false, true},
		{8, false, true},
		{8, true, true},
	};

	sched_sheet *sheet = plan->c->options->sheet;
	unsigned first = sched_decide(sheet, "limits", "", G_N_ELEMENTS(limits));

	for (unsigned t = sched_decide(sheet, "thrift", "", G_N_ELEMENTS(thrifts)); t < G_N_ELEMENTS(thrifts); t++)
		for (unsigned i = first; i < G_N_ELEMENTS(limits); i++) {
			plan->thrift = thrifts[t];
			plan->limits = limits[i];
			if (!list_all(plan))
				return false;
			if (plan->thrift.patches && !has_patches(plan))
				break;
			if (isca_may_fit(plan) && place_spread(plan))
				return true;
		}
	return refuse(plan, &limits[0]);
}

static void fill_memory(isca_plan *plan)
{
	for (guint i = 0; i < plan->tensors->len; i++) {
		const isca_tensor *t = isca_plan_tensor(plan, i);

		if (t->host && t->tiles->len)
			isca_add_images(plan->c, t, &g_array_index(t->tiles, isca_tile, 0));
		if (t->node != UINT32_MAX && t->tiles->len == 1)
			isca_describe(plan->c, t);
	}
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		if (op->work)
			isca_fill_work(plan, op->work);
		if (op->turn)
			isca_fill_turn(plan, op->turn);
	}
}

isca_plan *isca_plan_new(isca *c)
{
	isca_plan *plan = g_new0(isca_plan, 1);

	plan->c = c;
	plan->tensors = g_array_new(FALSE, TRUE, sizeof(isca_tensor));
	plan->operations = g_array_new(FALSE, TRUE, sizeof(isca_operation));
	plan->shapes = g_array_new(FALSE, TRUE, sizeof(isca_shape));
	g_array_set_clear_func(plan->operations, clear_operation);
	g_array_set_clear_func(plan->tensors, clear_tensor);
	if (!place_somehow(plan)) {
		isca_plan_free(plan);
		return NULL;
	}
	fill_memory(plan);
	return plan;
}

void isca_plan_free(isca_plan *plan)
{
	g_array_unref(plan->tensors);
	g_array_unref(plan->operations);
	g_array_unref(plan->shapes);
	g_free(plan);
}
