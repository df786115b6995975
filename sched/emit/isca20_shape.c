/* SPDX-License-Identifier: Apache-2.0
 *
 * How a tensor's vectors are spread over slices.
 *
 * A spreading is one digit of the row number and one of the block number.  Candidates come from wishes (of the matrix
 * unit), from the default (consecutive vectors in different slices), and from the distances between vectors that a loop
 * uses at once (butterflies); each is tried on all iterations of all loops, the first that keeps vectors apart is
 * taken.
 */
#include "sched/emit/isca20_plan.h"

/* Iterations looked at; longer loops repeat themselves. */
enum { ITERATIONS_MAX = 1 << 14 };

static uint64_t group_of(const isca_tensor *t, const isca_shape *s, const low_ref *ref, uint64_t v)
{
	uint64_t block = ref->section ? t->full_blocks : v / t->rows;
	uint64_t row = ref->section ? v : v % t->rows;

	return row / s->row_div % s->row_mod * s->block_mod + block % s->block_mod;
}

static bool is_ref_of(const low_step *s, uint32_t tensor)
{
	return (s->kind == LOW_LOAD || s->kind == LOW_STORE) && s->ref.tensor == tensor;
}

/* Are the vectors of tensor I that LOOP uses in one iteration always in different groups? */
static bool keeps_apart(const isca_plan *plan, uint32_t i, const isca_shape *shape, const isca_loop *loop)
{
	const isca_tensor *t = isca_plan_tensor(plan, i);
	const low_ref *refs[ISCA_STEPS_MAX];
	uint64_t total = MIN(loop->n0 * loop->n1, ITERATIONS_MAX);
	unsigned count = 0;

	for (unsigned s = 0; s < loop->steps->len; s++)
		if (is_ref_of(isca_step(loop, s), i))
			refs[count++] = &isca_step(loop, s)->ref;
	for (uint64_t n = 0; count > 1 && n < total; n++) {
		isca_set taken = {{0}};

		for (unsigned r = 0; r < count; r++) {
			int64_t v = refs[r]->first + (int64_t)(n % loop->n0) * refs[r]->step0 +
			            (int64_t)(n / loop->n0) * refs[r]->step1;
			uint64_t group = group_of(t, shape, refs[r], (uint64_t)v);

			if (group >= ISCA_SLICES_MAX || isca_set_has(&taken, (unsigned)group))
				return false;
			isca_set_add(&taken, (unsigned)group);
		}
	}
	return true;
}

static bool good_shape(const isca_plan *plan, uint32_t i, const isca_shape *shape)
{
	const isca_tensor *t = isca_plan_tensor(plan, i);

	if (shape->row_mod * shape->block_mod * isa_type_bytes(t->type) > 2 * plan->c->slices_per_side)
		return false;
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		if (op->kind == LOW_VLOOP && !keeps_apart(plan, i, shape, op->loop))
			return false;
	}
	return true;
}

/* A digit of MOD values that tells vectors apart at a distance found between references of one loop. */
static bool try_distances(const isca_plan *plan, uint32_t i, uint64_t mod, isca_shape *shape)
{
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);
		int64_t last = -1;

		for (unsigned s = 0; op->kind == LOW_VLOOP && s < op->loop->steps->len; s++) {
			const low_step *step = isca_step(op->loop, s);
			uint64_t d;

			if (!is_ref_of(step, i))
				continue;
			d = last < 0 ? 0 : (uint64_t)ABS(step->ref.first - last);
			last = step->ref.first;
			*shape = (isca_shape){MAX(2 * d / mod, 1), mod, 1, false, false};
			if (d && good_shape(plan, i, shape))
				return true;
		}
	}
	return false;
}

/* What the work that computes (or multiplies) tensor I would like: strands of one step, or units of neighbouring
 * engines, write their rows at the same time. */
static bool wish_of_work(const isca_plan *plan, uint32_t i, isca_shape *shape)
{
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_work *w = g_array_index(plan->operations, isca_operation, o).work;

		/* What it reads as activations is read part by part, too. */
		if (!w || (w->c != i && (w->a != i || w->a_private)))
			continue;
		if (w->patches)
			return false;
		if (!w->own)
			*shape = (isca_shape){w->part_rows, ISCA_PARTS, 1, true, false};
		else if (w->by_batch)
			/* Batches in progress and those before them, which others may read already. */
			*shape = (isca_shape){w->m, 2 * w->engines, 1, true, false};
		else
			*shape = (isca_shape){1, 1, w->engines, true, false};
		return true;
	}
	return false;
}

/* A transposition reads or writes sixteen rows at once, one byte of each; it needs no other byte at that time. */
static bool wish_of_turn(const isca_plan *plan, uint32_t i, isca_shape *shape)
{
	bool turned = false, alone = true;

	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		if (!isca_uses(op, i))
			continue;
		turned = turned || op->turn;
		alone = alone && (op->turn || isca_plan_tensor(plan, i)->planes);
	}
	*shape = (isca_shape){1, ISCA_TURN_ROWS, 1, false, alone};
	return turned;
}

/* Vectors that neighbouring iterations use at once. */
static uint64_t spread_of(const isca_plan *plan, uint32_t i)
{
	uint64_t spread = MAX(plan->cap / isa_type_bytes(isca_plan_tensor(plan, i)->type), 1), most = 0;

	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_operation *op = &g_array_index(plan->operations, isca_operation, o);

		if (op->loop && isca_uses(op, i))
			most = MAX(most, isca_side_by_side(plan, op));
	}
	return most ? most : spread;
}

bool isca_choose_shape(const isca_plan *plan, uint32_t i, isca_shape *shape)
{
	const isca_tensor *t = isca_plan_tensor(plan, i);
	uint64_t spread = spread_of(plan, i);
	bool by_rows = t->rows >= t->blocks;

	*shape = (isca_shape){1, 1, 1, false, false};
	if (t->strips)
		return true;
	if ((wish_of_turn(plan, i, shape) || wish_of_work(plan, i, shape)) && good_shape(plan, i, shape))
		return true;
	if (by_rows)
		*shape = (isca_shape){1, MIN(spread, t->rows), 1, false, false};
	else
		*shape = (isca_shape){1, 1, MIN(spread, t->blocks), false, false};
	if (good_shape(plan, i, shape))
		return true;
	for (uint64_t mod = 2; mod <= 32; mod *= 2) {
		*shape = (isca_shape){1, mod, 1, false, false};
		if (good_shape(plan, i, shape) || try_distances(plan, i, mod, shape))
			return true;
	}
	return false;
}

/* Adds the terms of a digit whose values lie PITCH slices apart; the upper half of them in the east when it is to take
 * both hemispheres. */
static void add_digit(const isca_plan *plan, isca_tile *tile, enum isca_dim dim, uint64_t div, uint64_t mod,
                      int64_t pitch, bool both)
{
	if (mod <= 1)
		return;
	if (!both) {
		isca_tile_add(tile, dim, div, mod, pitch, 0);
		return;
	}
	if (mod > 2)
		isca_tile_add(tile, dim, div, mod / 2, pitch, 0);
	isca_tile_add(tile, dim, div * (mod / 2), 2, plan->c->slices_per_side, 0);
}

/* Words in the order of the rows of a strip, half of the rows in each hemisphere.  All slices have equally many whole
 * rows, so that the terms can name them. */
static isca_tile strips_tile(const isca_plan *plan, const isca_tensor *t, isca_wish *wish)
{
	uint64_t columns = t->strip_columns, words = t->strip_rows * columns, parts = 1, images;
	uint64_t bytes = isa_type_bytes(t->type);
	isca_tile tile = {.period = words,
	                  .rows = words,
	                  .batches = (t->rows - 1) / words + 1,
	                  .blocks = 1,
	                  .bytes = (unsigned)bytes};
	isca_fold fold = {ISCA_DIM_BATCH, t->strips, (tile.batches - 1) / t->strips + 1};

	while (parts < t->strip_rows &&
	       (words / parts > plan->part_words || t->strip_rows % parts || (parts > 1 && parts % 2)))
		parts++;
	wish->split = parts % 2 == 0;
	images = isca_tile_lay(&tile, words / parts, &fold, 1, plan->part_words, (wish->split ? parts / 2 : 1) * bytes);
	isca_tile_add(&tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
	isca_tile_add(&tile, ISCA_DIM_ROW, 1, words / parts, 0, 1);
	if (parts > 2)
		isca_tile_add(&tile, ISCA_DIM_ROW, words / parts, parts / 2, (int64_t)bytes, 0);
	if (wish->split)
		isca_tile_add(&tile, ISCA_DIM_ROW, words / 2, 0, plan->c->slices_per_side, 0);
	wish->wide = !wish->split && images * bytes > plan->c->slices_per_side;
	return tile;
}

isca_tile isca_shape_tile(const isca_plan *plan, const isca_tensor *t, const isca_shape *shape, isca_wish *wish)
{
	int64_t bytes = isa_type_bytes(t->type);
	int64_t pitch = shape->stacked ? 1 : bytes;
	uint64_t width = shape->row_mod * shape->block_mod * (uint64_t)pitch;
	uint64_t turn_rows = shape->row_div * shape->row_mod, turns = (t->rows - 1) / turn_rows + 1;
	isca_tile tile = {.period = turns * turn_rows,
	                  .rows = turns * turn_rows,
	                  .batches = 1,
	                  .blocks = t->blocks,
	                  .bytes = (unsigned)bytes};
	isca_fold folds[] = {
		{ISCA_DIM_ROW, turn_rows, turns},
		{ISCA_DIM_BLOCK, shape->block_mod, (t->blocks - 1) / shape->block_mod + 1},
		{ISCA_DIM_BYTE, 1, (uint64_t)bytes},
	};
	uint64_t parts;

	if (t->strips)
		return strips_tile(plan, t, wish);
	/* A spreading that takes more than half of a hemisphere is halved between the two. */
	wish->split = shape->split || (width > plan->c->slices_per_side / 2 && isca_can_split(shape));
	if (!shape->stacked)
		isca_tile_add(&tile, ISCA_DIM_BYTE, 1, 0, 1, 0);
	add_digit(plan, &tile, ISCA_DIM_BLOCK, 1, shape->block_mod, pitch, wish->split && shape->row_mod == 1);
	add_digit(plan, &tile, ISCA_DIM_ROW, shape->row_div, shape->row_mod, pitch * (int64_t)shape->block_mod,
	          wish->split);
	if (shape->row_div > 1)
		isca_tile_add(&tile, ISCA_DIM_ROW, 1, shape->row_div, 0, 1);
	parts = isca_tile_lay(&tile, shape->row_div, folds, shape->stacked ? 3 : 2, plan->part_words,
	                      wish->split ? width / 2 : width);
	/* A transposition writes somewhere what it cannot help writing. */
	for (guint o = 0; o < plan->operations->len; o++) {
		const isca_turn *turn = g_array_index(plan->operations, isca_operation, o).turn;

		if (turn && isca_plan_tensor(plan, turn->y) == t)
			tile.spare = 2;
	}
	wish->wide = !wish->split && parts * width > plan->c->slices_per_side;
	wish->align = wish->wide ? (unsigned)width : 0;
	return tile;
}
