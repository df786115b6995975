/* SPDX-License-Identifier: Apache-2.0
 *
 * How a tensor lies in its part of the flat memory: pitches between rows, lane blocks, pixels and lines, chosen so that
 * accesses that run side by side stay on different banks.
 *
 * Uniform: every lane block of a tensor has the pitch of a full vector, block by block, and tensors that share a vector
 * loop have one pitch, whatever their types: all accesses step alike and keep their distance under a modulo map.
 * Weights lie in stripes.  When that does not fit, each type has its own pitch (roomy); then rows are dense, one beside
 * the other.  The input of a convolution is dense [y][x][c] with its zero borders, so that a filter row is one run of
 * bytes; its lines are spaced so that the filter rows of one block meet different banks.
 *
 * What all this needs of a map is its period (bank_period.c).  Maps without one (folds, polynomials) get dense layouts,
 * and lines spaced by the beats that leads to.
 */
#include "sched/emit/tsp.h"

#include <string.h>

#include "sched/sheet.h"

static int64_t round_up(int64_t value, int64_t to)
{
	return (value + to - 1) / to * to;
}

/* ------------------------------------------------------------------------------------------------- addresses */

static uint64_t striped_addr(const tspe_tensor *t, uint64_t row, uint64_t lane)
{
	uint64_t block = lane / t->low->vector_lanes;
	const tspe_stripes *s = &t->stripes[block >= t->low->blocks];
	int64_t at = s->base + (int64_t)(row / s->count) * s->line + (int64_t)(row % s->count) * s->window +
	             (int64_t)(lane % t->low->vector_lanes) * t->element;

	return t->base + (uint64_t)(at + (block < t->low->blocks ? (int64_t)block * s->column : 0));
}

uint64_t tspe_element_addr(const tspe_tensor *t, uint64_t row, uint64_t lane)
{
	int64_t at = t->border;

	if (t->stripes[0].count || t->stripes[1].count)
		return striped_addr(t, row, lane);
	at += (int64_t)(lane / t->low->vector_lanes) * t->block_stride +
	      (int64_t)(lane % t->low->vector_lanes) * t->element;
	if (t->conv) {
		at += (int64_t)(row / (t->conv->h * t->conv->w)) * t->image_pitch +
		      (int64_t)(row / t->conv->w % t->conv->h) * t->line_pitch;
		row %= t->conv->w;
	}
	return t->base + (uint64_t)(at + (int64_t)row * t->row_pitch);
}

uint64_t tspe_vector_addr(const tspe_tensor *t, unsigned section, int64_t v, uint32_t *cell)
{
	uint64_t index = section ? t->low->blocks * t->low->rows + (uint64_t)v : (uint64_t)v;

	*cell = (uint32_t)(index * t->parts);
	return tspe_element_addr(t, index % t->low->rows, index / t->low->rows * t->low->vector_lanes);
}

uint32_t tspe_cell_at(const tspe_tensor *t, uint64_t addr)
{
	uint64_t at = addr - t->base;
	uint64_t pitch = (uint64_t)t->row_pitch, stride = (uint64_t)t->block_stride;
	uint64_t vector = at % pitch / stride * t->low->rows + at / pitch, offset = at % pitch % stride;

	if (stride > pitch) { /* block by block, with a gap between blocks where banks ask for one */
		vector = at / stride * t->low->rows + at % stride / pitch;
		offset = at % stride % pitch;
	}
	if (t->parts == 1)
		return (uint32_t)vector;
	return (uint32_t)(vector * t->parts + MIN(offset / (t->part_lanes * t->element), t->parts - 1));
}

/* ---------------------------------------------------------------------------------------------------- layout */

/* Most beats that a load of the filter rows of one block takes, with lines PITCH bytes apart, over some pixels. */
static unsigned worst_beats(tspe *e, const tspe_tensor *t, int64_t pitch, GArray *arena)
{
	const graph_conv *c = t->conv;
	unsigned worst = 0;

	for (uint64_t x = 0; x < MIN(c->ow, 24); x++)
		for (uint64_t y = 0; y < MIN(c->oh, 3); y++) {
			bank_access access = {
				.addr = t->base + (uint64_t)((int64_t)(y * c->stride_h) * pitch +
			                                     (int64_t)(x * c->stride_w) * t->row_pitch),
				.seg = (uint32_t)(MIN(c->s * c->c, c->block_run) * t->element),
				.pitch = (int32_t)pitch,
				.count = (uint32_t)c->block_rows,
			};

			g_array_set_size(arena, 0);
			worst = MAX(worst, bank_calendar_beats(e->cal.banks,
			                                       bank_calendar_print(e->cal.banks, &access, arena)));
		}
	return worst;
}

/* Space between lines: the least that lets the filter rows of a block be read in as few beats as any other does, if
 * possible one at which the step from line to line continues the steps from pixel to pixel under a modulo map. */
static void space_lines(tspe *e, tspe_tensor *t)
{
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	const graph_conv *c = t->conv;
	int64_t period = e->bank_period;
	int64_t chosen = t->line_pitch;
	unsigned least = UINT32_MAX;
	bool steady = false;

	for (int64_t i = 0; i <= e->m->sram_banks; i++) {
		int64_t pitch = t->line_pitch + i * TSPE_GRANULE;
		int64_t jump = (int64_t)c->stride_h * pitch - (int64_t)(c->ow * c->stride_w) * t->row_pitch;
		bool continues = period && jump % period == 0;
		unsigned beats = c->block_rows > 1 ? worst_beats(e, t, pitch, arena) : 1;

		if (beats > least || (beats == least && (steady || !continues)))
			continue;
		least = beats;
		chosen = pitch;
		steady = continues;
	}
	t->line_pitch = chosen;
}

static void lay_out_conv(tspe *e, tspe_tensor *t, enum tspe_plan plan)
{
	const graph_conv *c = t->conv;
	uint64_t images = t->low->rows / (c->h * c->w);
	int64_t pixel = (int64_t)(c->c * t->element);
	uint64_t height = MAX(c->pad + c->h, (c->oh - 1) * c->stride_h + c->r);
	uint64_t width = MAX(c->pad + c->w, (c->ow - 1) * c->stride_w + c->s);

	t->row_pitch = pixel;
	t->block_stride = (int64_t)(t->low->vector_lanes * t->element);
	t->line_pitch = round_up((int64_t)width * pixel, TSPE_GRANULE);
	if (plan <= TSPE_PLAN_ROOMY)
		space_lines(e, t);
	t->image_pitch = (int64_t)height * t->line_pitch;
	t->border = (int64_t)c->pad * (t->line_pitch + pixel);
	t->bytes = images * (uint64_t)t->image_pitch;
}

/* COUNT stripes of vectors of WIDTH blocks in a line of LINE blocks, from block OFFSET on. */
static tspe_stripes cut_line(const tspe *e, int64_t line, int64_t offset, int64_t width, int64_t count)
{
	int64_t block = e->m->sram_block_bytes;

	return (tspe_stripes){
		.count = (uint32_t)MIN(count, (int64_t)e->mem.count),
		.line = line * block,
		.window = width * block,
		.base = offset * block,
	};
}

static int64_t lines_of(const tspe_tensor *t, const tspe_stripes *s)
{
	return s->count ? (int64_t)((t->low->rows + s->count - 1) / s->count) : 0;
}

/* The narrow last lane block shares the lines with the full ones if two of its rows fit beside them: where there is one
 * full block, whose partner it is, the full one makes room. */
static void cut_stripes(const tspe *e, tspe_tensor *t, int64_t line, int64_t full, int64_t narrow)
{
	int64_t wide = t->low->blocks ? line / full : 0;

	if (t->low->blocks == 1 && narrow && wide > 2 && 2 * full + 2 * narrow <= line)
		wide = 2;
	if (wide)
		t->stripes[0] = cut_line(e, line, 0, full, wide);
	wide = t->stripes[0].count * full;
	if (narrow && wide + 2 * narrow <= line)
		t->stripes[1] = cut_line(e, line, wide, narrow, (line - wide) / narrow);
	else if (narrow)
		t->stripes[1] = cut_line(e, line, lines_of(t, &t->stripes[0]) * (int64_t)t->low->blocks * line, narrow,
		                         line / narrow);
}

static bool lay_out_stripes(tspe *e, tspe_tensor *t)
{
	int64_t line = e->bank_period / e->m->sram_block_bytes;
	int64_t block = e->m->sram_block_bytes;
	int64_t full = (int64_t)(t->low->vector_lanes * t->element + (uint64_t)block - 1) / block;
	int64_t narrow = (int64_t)(t->low->tail * t->element + (uint64_t)block - 1) / block;
	int64_t lines;

	if (!t->weights || line < 2 * (t->low->blocks ? full : narrow) || e->mem.count < 2)
		return false;
	cut_stripes(e, t, line, full, narrow);
	lines = lines_of(t, &t->stripes[0]);
	t->stripes[0].column = lines * line * block;
	lines = MAX(lines * (int64_t)t->low->blocks, t->stripes[1].base / (line * block) + lines_of(t, &t->stripes[1]));
	t->bytes = (uint64_t)(lines * line * block);
	return true;
}

/* The least number of bytes from BYTES on that moves through the banks as STEP bytes do; BYTES when STEP is 0. */
static int64_t in_step(const tspe *e, int64_t bytes, int64_t step)
{
	int64_t period = e->bank_period;

	if (!step || !period || (step - bytes) % TSPE_GRANULE)
		return bytes;
	return bytes + ((step - bytes) % period + period) % period;
}

void tspe_lay_out(tspe *e, tspe_tensor *t, enum tspe_plan plan)
{
	static const int64_t wider[] = {0, 1, 2, 4, 8, 16};
	const low_tensor *low = t->low;
	uint64_t blocks = low->blocks + (low->tail > 0);
	uint64_t widest = low->blocks ? low->vector_lanes : low->tail;

	/* An earlier plan, which did not fit, may have cut some. */
	memset(t->stripes, 0, sizeof t->stripes);
	if (t->conv) {
		lay_out_conv(e, t, plan);
		return;
	}
	if (plan == TSPE_PLAN_UNIFORM && lay_out_stripes(e, t))
		return;
	if (t->straddled || low->row_major || low->index_of >= 0 ||
	    (plan > TSPE_PLAN_ROOMY && low->blocks && low->tail)) {
		t->row_pitch = round_up((int64_t)(low->lanes * t->element), TSPE_GRANULE);
		t->block_stride = (int64_t)(low->vector_lanes * t->element);
		t->bytes = low->rows * (uint64_t)t->row_pitch;
		return;
	}
	t->row_pitch = round_up((int64_t)(widest * t->element), TSPE_GRANULE);
	if (plan == TSPE_PLAN_UNIFORM)
		t->row_pitch = in_step(e, MAX(t->row_pitch, t->shared_pitch), t->row_step);
	/* Columns of rows a little farther apart may meet in fewer banks. */
	t->row_pitch += wider[sched_decide(e->options->sheet, "pitch", low->name, G_N_ELEMENTS(wider))] * TSPE_GRANULE;
	t->block_stride = (int64_t)low->rows * t->row_pitch;
	if (plan == TSPE_PLAN_UNIFORM)
		t->block_stride = in_step(e, t->block_stride, t->block_step);
	t->bytes = blocks * (uint64_t)t->block_stride;
}

/* Host data that is used as weights and for nothing else. */
static bool is_weights(const tspe *e, uint32_t tensor)
{
	bool used = false;

	for (guint i = 0; i < e->low->macros->len; i++) {
		const low_macro *m = &g_array_index(e->low->macros, low_macro, i);

		used = used || (m->kind == LOW_MATMUL && m->matmul.b == tensor) ||
		       (m->kind == LOW_CONV && m->conv.w == tensor);
		if (m->kind == LOW_MATMUL && (m->matmul.a == tensor || m->matmul.c == tensor))
			return false;
		if (m->kind == LOW_GATHER && (m->gather.x == tensor || m->gather.y == tensor))
			return false;
		if (m->kind == LOW_TRANSPOSE && (m->transpose.x == tensor || m->transpose.y == tensor))
			return false;
		for (guint s = 0; m->kind == LOW_VLOOP && s < m->vloop.steps->len; s++) {
			const low_step *step = &g_array_index(m->vloop.steps, low_step, s);

			if ((step->kind == LOW_LOAD || step->kind == LOW_STORE) && step->ref.tensor == tensor)
				return false;
		}
	}
	return used && tspe_low_tensor(e, tensor)->host && !tspe_low_tensor(e, tensor)->output;
}

/* Does a K block of a product cross a border between lane blocks of this operand?  Then its rows must be dense. */
static bool is_straddled(const tspe *e, uint32_t tensor)
{
	const low_tensor *t = tspe_low_tensor(e, tensor);

	for (guint i = 0; i < e->low->macros->len; i++) {
		const low_macro *m = &g_array_index(e->low->macros, low_macro, i);

		if (m->kind == LOW_MATMUL && m->matmul.a == tensor && t->lanes > t->vector_lanes &&
		    t->vector_lanes % m->matmul.block_run)
			return true;
	}
	return false;
}

static guint find_group(guint *parent, guint i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void join_groups(guint *parent, guint a, guint b)
{
	parent[find_group(parent, a)] = find_group(parent, b);
}

/* Tensors that step through one loop together get the pitch of the widest of them; so do the rows of a product and
 * their results. */
static void share_pitches(tspe *e)
{
	guint count = e->low->tensors->len;
	g_autofree guint *parent = g_new(guint, count + 1);

	for (guint i = 0; i < count; i++)
		parent[i] = i;
	for (guint i = 0; i < e->low->macros->len; i++) {
		const low_macro *m = &g_array_index(e->low->macros, low_macro, i);
		guint first = count;

		for (guint s = 0; m->kind == LOW_VLOOP && s < m->vloop.steps->len; s++) {
			const low_step *step = &g_array_index(m->vloop.steps, low_step, s);

			if ((step->kind != LOW_LOAD && step->kind != LOW_STORE) || !step->ref.step0)
				continue;
			if (first < count)
				join_groups(parent, step->ref.tensor, first);
			first = step->ref.tensor;
		}
		if (m->kind == LOW_MATMUL)
			join_groups(parent, m->matmul.a,
			            m->matmul.type == ISA_TYPE_I8 && e->m->mxm_int8_interval_cycles == 1 ? m->matmul.b
			                                                                                 : m->matmul.c);
	}
	for (guint i = 0; i < count; i++) {
		const low_tensor *t = e->tensors[i].low;
		int64_t pitch = round_up((int64_t)((t->blocks ? t->vector_lanes : t->tail) * e->tensors[i].element),
		                         TSPE_GRANULE);
		tspe_tensor *group = &e->tensors[find_group(parent, i)];

		group->shared_pitch = MAX(group->shared_pitch, pitch);
	}
	for (guint i = 0; i < count; i++)
		e->tensors[i].shared_pitch = e->tensors[find_group(parent, i)].shared_pitch;
}

/* What a product's tensors need to keep their distance in the banks: results move like rows; and where rows come every
 * cycle, so that nothing fits between them, weights do too, and results of units beside each other follow at a row's
 * distance. */
static void keep_step(tspe *e, uint32_t w, uint32_t c, int64_t step, int64_t interval)
{
	tspe_tensor *weights = &e->tensors[w], *result = &e->tensors[c];
	int64_t columns = (int64_t)(result->low->blocks + (result->low->tail > 0));

	if (interval > 1) {
		result->row_step = step;
		return;
	}
	weights->row_step = weights->weights ? step : 0;
	weights->weights = false;
	result->row_step = step * MIN(columns, (int64_t)e->m->mxm_planes);
	result->block_step = step;
}

/* How far a loop's references to TENSOR move from iteration to iteration: 0 if none does, -1 if they differ. */
static int64_t step_over(const low_vloop *loop, uint32_t tensor, enum low_step_kind kind)
{
	int64_t step = 0;

	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = &g_array_index(loop->steps, low_step, i);

		if (s->kind != kind || s->ref.tensor != tensor || !s->ref.step0)
			continue;
		if (step && step != s->ref.step0)
			return -1;
		step = s->ref.step0;
	}
	return step;
}

/* Which tensors do others than reductions walk along?  g_free. */
static bool *find_walked(const tspe *e)
{
	bool *walked = g_new0(bool, e->low->tensors->len + 1);

	for (guint i = 0; i < e->low->tensors->len; i++)
		walked[i] = tspe_low_tensor(e, i)->output;
	for (guint i = 0; i < e->low->macros->len; i++) {
		const low_macro *m = &g_array_index(e->low->macros, low_macro, i);

		if (m->kind == LOW_MATMUL)
			walked[m->matmul.a] = walked[m->matmul.b] = walked[m->matmul.c] = true;
		else if (m->kind == LOW_GATHER)
			walked[m->gather.x] = walked[m->gather.y] = true;
		else if (m->kind == LOW_TRANSPOSE)
			walked[m->transpose.x] = walked[m->transpose.y] = true;
		for (guint s = 0; m->kind == LOW_VLOOP && s < m->vloop.steps->len; s++) {
			const low_step *step = &g_array_index(m->vloop.steps, low_step, s);

			if (step->kind == LOW_LOAD && step->ref.step0 == 1)
				walked[step->ref.tensor] = true;
		}
	}
	return walked;
}

/* Results of a reduction move through the banks as its operands do, several rows at a time, so that both keep their
 * distance. */
static void keep_partials(tspe *e, const low_vloop *loop, const bool *walked)
{
	const low_step *last = &g_array_index(loop->steps, low_step, loop->steps->len - 1);
	const low_step *first = &g_array_index(loop->steps, low_step, 0);
	const tspe_tensor *x = &e->tensors[first->ref.tensor];
	tspe_tensor *y = &e->tensors[last->ref.tensor];
	int64_t rows;

	if (first->kind != LOW_LOAD || last->kind != LOW_STORE || last->ref.step0 != 1)
		return;
	rows = step_over(loop, first->ref.tensor, LOW_LOAD);
	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = &g_array_index(loop->steps, low_step, i);

		if (s->kind == LOW_LOAD && s->ref.tensor != first->ref.tensor)
			return;
	}
	if (rows <= 1 || walked[last->ref.tensor])
		return;
	e->has_partials = true;
	if (!e->partials_dense)
		y->row_step = rows * in_step(e, x->shared_pitch, x->row_step);
}

static void find_steps(tspe *e)
{
	g_autofree bool *walked = find_walked(e);

	for (guint i = 0; i < e->low->macros->len; i++) {
		const low_macro *m = &g_array_index(e->low->macros, low_macro, i);
		enum isa_type type = m->kind == LOW_MATMUL ? m->matmul.type
		                     : m->kind == LOW_CONV ? m->conv.type
		                                           : ISA_TYPE_F32;
		int64_t interval =
			type == ISA_TYPE_F16 ? e->m->mxm_fp16_interval_cycles : e->m->mxm_int8_interval_cycles;

		if (m->kind == LOW_VLOOP && m->vloop.steps->len)
			keep_partials(e, &m->vloop, walked);
		else if (m->kind == LOW_CONV)
			keep_step(e, m->conv.w, m->conv.y,
			          (int64_t)(m->conv.conv.stride_w * m->conv.conv.c * e->tensors[m->conv.x].element),
			          interval);
		else if (m->kind == LOW_MATMUL)
			keep_step(e, m->matmul.b, m->matmul.c, e->tensors[m->matmul.a].shared_pitch, interval);
	}
}

static const graph_conv *conv_of(const tspe *e, const low_tensor *t)
{
	return t->conv_input_of < 0
	               ? NULL
	               : &graph_at(e->low->g, g_array_index(e->low->macros, low_macro, t->conv_input_of).node)->conv;
}

void tspe_layout_begin(tspe *e)
{
	for (guint i = 0; i < e->low->tensors->len; i++) {
		tspe_tensor *t = &e->tensors[i];

		t->conv = conv_of(e, t->low);
		t->weights = is_weights(e, i);
		t->straddled = is_straddled(e, i);
	}
	share_pitches(e);
	find_steps(e);
}
