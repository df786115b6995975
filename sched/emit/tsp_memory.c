/* SPDX-License-Identifier: Apache-2.0
 *
 * Where tensors lie in the flat memory, and what the host puts there.
 *
 * One after the other, in the widest layout of tsp_layout.c that fits; when none does, densely, with memory of dead
 * values used again.  An epoch that does not fit even so is refused: there is nowhere to spill to.  What is left above
 * all tensors serves values that find no register (tsp_spill.c).
 */
#include "isa/rng.h"
#include "sched/emit/tsp.h"

#include <string.h>

#include "sched/sheet.h"

enum { PLACES_LEAST = 64 }; /* that ties over a tensor's base choose from, at least */

/* Whole blocks and granules.  Under a map that folds address bits, tensors begin where all low bits are zero: from
 * there on powers of two keep apart, from anywhere else they do not. */
static int64_t base_alignment(const tspe *e)
{
	const isa_machine *m = e->m;
	const bank_map *map = bank_calendar_map(e->cal.banks);
	int64_t a = TSPE_GRANULE, b = m->sram_block_bytes, round = 1;

	while (!e->bank_period && !bank_map_is_ideal(map) && round < bank_map_banks_used(map))
		round *= 2;

	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return TSPE_GRANULE / a * m->sram_block_bytes * round;
}

/* ------------------------------------------------------------------------------------------------ allocation */

static bool lives_with(const tspe_tensor *a, const tspe_tensor *b)
{
	uint32_t a_first = a->low->host ? 0 : a->low->first_macro,
		 a_last = a->low->output ? UINT32_MAX : a->low->last_macro;
	uint32_t b_first = b->low->host ? 0 : b->low->first_macro,
		 b_last = b->low->output ? UINT32_MAX : b->low->last_macro;

	return a_first <= b_last && b_first <= a_last;
}

static int by_base(const void *a, const void *b)
{
	const tspe_tensor *x = *(tspe_tensor *const *)a, *y = *(tspe_tensor *const *)b;

	return x->base < y->base ? -1 : x->base > y->base;
}

/* The lowest place beside all tensors before number INDEX that live at the same time. */
static uint64_t first_fit(const tspe *e, guint index, uint64_t alignment)
{
	const tspe_tensor *t = &e->tensors[index];
	g_autoptr(GPtrArray) others = g_ptr_array_new();
	uint64_t at = 0;

	for (guint i = 0; i < index; i++)
		if (lives_with(t, &e->tensors[i]))
			g_ptr_array_add(others, &e->tensors[i]);
	if (others->len)
		qsort(others->pdata, others->len, sizeof(gpointer), by_base);
	for (guint i = 0; i < others->len; i++) {
		const tspe_tensor *o = g_ptr_array_index(others, i);

		if (o->base >= at + t->bytes)
			break;
		at = MAX(at, (o->base + o->bytes + alignment - 1) / alignment * alignment);
	}
	return at;
}

/* Where a tensor begins is a tie between all places so aligned; the seed breaks it. */
static uint64_t jitter(const tspe *e, guint tensor, uint64_t alignment)
{
	uint64_t places = (uint64_t)e->m->sram_banks * (uint64_t)e->m->sram_block_bytes / alignment;
	rng r;

	if (!e->options->placement)
		return 0;
	rng_seed(&r, e->options->placement, tensor);
	return rng_below(&r, MAX(places, PLACES_LEAST)) * alignment;
}

/* Places all tensors; returns the bytes taken. */
static uint64_t place_all(tspe *e, enum tspe_plan plan)
{
	uint64_t alignment = (uint64_t)base_alignment(e);
	uint64_t top = 0;

	for (guint i = 0; i < e->low->tensors->len; i++) {
		tspe_tensor *t = &e->tensors[i];

		tspe_lay_out(e, t, plan);
		t->base = plan == TSPE_PLAN_REUSE
		                  ? first_fit(e, i, alignment)
		                  : (top + alignment - 1) / alignment * alignment + jitter(e, i, alignment);
		top = MAX(top, t->base + t->bytes);
	}
	return top;
}

static bool refuse(const tspe *e, uint64_t bytes, uint64_t capacity, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "layer '%s' needs %" G_GUINT64_FORMAT
	            " bytes of SRAM for its operands and results, map '%s' reaches %" G_GUINT64_FORMAT,
	            e->low->g->name, bytes, e->m->sram_map, capacity);
	return false;
}

/* ---------------------------------------------------------------------------------------------------- images */

/* Row numbers as the memory holds them: LOADX wants bytes from the table's beginning. */
static void add_index(tspe *e, const tspe_tensor *t)
{
	const graph_node *n = graph_at(e->low->g, t->low->node);
	const tspe_tensor *table = &e->tensors[t->low->index_of];
	isa_image image = {.location = t->base, .bytes = t->bytes, .data = g_malloc0(t->bytes)};

	for (uint64_t i = 0; i < t->low->lanes; i++) {
		int32_t row, offset;

		memcpy(&row, n->data + 4 * i, sizeof row);
		offset = (int32_t)(row * table->row_pitch);
		memcpy(image.data + (tspe_element_addr(t, 0, i) - t->base), &offset, sizeof offset);
	}
	g_array_append_val(g_array_index(e->program->epochs, isa_epoch, e->epoch).images, image);
}

static bool add_image(tspe *e, const tspe_tensor *t, GError **error)
{
	const graph_node *n = graph_at(e->low->g, t->low->node);
	isa_image image = {.location = t->base, .bytes = t->bytes};
	uint64_t vector_bytes = t->low->vector_lanes * t->element;
	uint64_t row_bytes = t->low->lanes * t->element;

	if (e->options->functional) {
		if (!n->data) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "layer '%s': input '%s' has no data",
			            e->low->g->name, n->name);
			return false;
		}
		image.data = g_malloc0(t->bytes);
		for (uint64_t r = 0; r < t->low->rows; r++)
			for (uint64_t at = 0; at < row_bytes; at += vector_bytes)
				memcpy(image.data + (tspe_element_addr(t, r, at / t->element) - t->base),
				       n->data + r * row_bytes + at, MIN(vector_bytes, row_bytes - at));
	}
	g_array_append_val(g_array_index(e->program->epochs, isa_epoch, e->epoch).images, image);
	return true;
}

static void add_term(isa_tensor *t, uint32_t dim, uint64_t div, uint64_t mod, int64_t stride)
{
	t->term[t->terms++] = (isa_layout_term){dim, div, mod, stride};
}

static isa_tensor tensor_entry(const tspe *e, const tspe_tensor *t)
{
	return (isa_tensor){
		.name = g_strdup(t->low->name),
		.type = t->low->type,
		.rank = 2,
		.shape = {t->low->rows, t->low->lanes},
		.base = t->base + (uint64_t)t->border,
		.epoch = e->epoch,
		.output = t->low->output,
		.bytes = t->bytes,
	};
}

/* Full lane blocks and the narrow last one do not follow one rule: an entry for each. */
static void add_striped_tensor(tspe *e, const tspe_tensor *t)
{
	for (unsigned section = 0; section < 2; section++) {
		const tspe_stripes *s = &t->stripes[section];
		isa_tensor entry;

		if (!s->count)
			continue;
		entry = tensor_entry(e, t);
		entry.base += (uint64_t)s->base;
		entry.shape[1] = section ? t->low->tail : t->low->blocks * t->low->vector_lanes;
		add_term(&entry, 0, s->count, 0, s->line);
		add_term(&entry, 0, 1, s->count, s->window);
		add_term(&entry, 1, 1, t->low->vector_lanes, t->element);
		add_term(&entry, 1, t->low->vector_lanes, 0, s->column);
		add_term(&entry, 2, 1, 0, 1);
		g_array_append_val(e->program->tensors, entry);
	}
}

static void add_tensor(tspe *e, const tspe_tensor *t)
{
	isa_tensor entry;

	if (t->stripes[0].count || t->stripes[1].count) {
		add_striped_tensor(e, t);
		return;
	}
	entry = tensor_entry(e, t);
	if (t->conv) {
		add_term(&entry, 0, 1, t->conv->w, t->row_pitch);
		add_term(&entry, 0, t->conv->w, t->conv->h, t->line_pitch);
		add_term(&entry, 0, t->conv->w * t->conv->h, 0, t->image_pitch);
	} else {
		add_term(&entry, 0, 1, 0, t->row_pitch);
	}
	add_term(&entry, 1, 1, t->low->vector_lanes, t->element);
	add_term(&entry, 1, t->low->vector_lanes, 0, t->block_stride);
	add_term(&entry, 2, 1, 0, 1);
	g_array_append_val(e->program->tensors, entry);
}

/* ----------------------------------------------------------------------------------------------------- plan */

/* Vectors of which no two fit the banks in one cycle may be stored by halves, of whole granules whatever their type. */
static void cut_vectors(const tspe *e, tspe_tensor *t)
{
	uint64_t lanes = t->low->blocks ? t->low->vector_lanes : t->low->tail;
	uint64_t requests =
		(lanes * t->element + (uint64_t)e->m->sram_block_bytes - 1) / (uint64_t)e->m->sram_block_bytes;
	uint64_t ports = bank_map_banks_used(bank_calendar_map(e->cal.banks)) * (uint64_t)e->m->sram_ports;

	t->part_lanes = (lanes / 2 + TSPE_GRANULE - 1) / TSPE_GRANULE * TSPE_GRANULE;
	t->parts = requests <= ports && 2 * requests > ports && t->part_lanes < lanes ? 2 : 1;
}

static void begin_tensor(tspe *e, guint index)
{
	tspe_tensor *t = &e->tensors[index];
	unsigned pieces;

	t->low = tspe_low_tensor(e, index);
	t->element = isa_type_bytes(t->low->type);
	cut_vectors(e, t);
	pieces = tspe_turned_pieces(e, index);
	if (pieces) {
		t->turned = true;
		t->parts = pieces;
		t->part_lanes = TSPE_GRANULE / t->element;
	}
	t->cells = (uint32_t)(t->low->rows * (t->low->blocks + (t->low->tail > 0))) * t->parts;
	t->last_read = t->last_due = t->writable = TSPE_NEVER;
}

/* Only once everything is known to fit: what does not may have any size. */
static void begin_cells(tspe_tensor *t)
{
	if (t->low->host)
		return;
	t->instance = g_new0(uint32_t, t->cells);
	t->due = g_new0(int64_t, t->cells);
}

bool tspe_memory_plan(tspe *e, GError **error)
{
	uint64_t capacity =
		bank_map_capacity_blocks(bank_calendar_map(e->cal.banks)) * (uint64_t)e->m->sram_block_bytes;
	uint64_t bytes = 0;

	e->tensors = g_new0(tspe_tensor, e->low->tensors->len + 1);
	for (guint i = 0; i < e->low->tensors->len; i++)
		begin_tensor(e, i);
	tspe_layout_begin(e);
	for (enum tspe_plan plan = sched_decide(e->options->sheet, "layout", "", TSPE_PLAN_REUSE);
	     plan <= TSPE_PLAN_REUSE; plan++) {
		bytes = place_all(e, plan);
		e->memory_reused = plan == TSPE_PLAN_REUSE;
		if (bytes <= capacity)
			break;
	}
	if (bytes > capacity)
		return refuse(e, bytes, capacity, error);
	e->memory_top = bytes;
	for (guint i = 0; i < e->low->tensors->len; i++) {
		begin_cells(&e->tensors[i]);
		add_tensor(e, &e->tensors[i]);
		if (e->tensors[i].low->index_of >= 0)
			add_index(e, &e->tensors[i]);
		else if (e->tensors[i].low->host && !add_image(e, &e->tensors[i], error))
			return false;
	}
	return true;
}

int64_t tspe_memory_writable(const tspe *e, const tspe_tensor *t)
{
	int64_t after = TSPE_NEVER;

	for (guint i = 0; e->memory_reused && i < e->low->tensors->len; i++) {
		const tspe_tensor *o = &e->tensors[i];

		if (o == t || o->base >= t->base + t->bytes || t->base >= o->base + o->bytes)
			continue;
		after = MAX(after, MAX(o->last_read, o->last_due));
	}
	return after;
}

void tspe_memory_free(tspe *e)
{
	for (guint i = 0; e->tensors && i < e->low->tensors->len; i++) {
		g_free(e->tensors[i].instance);
		g_free(e->tensors[i].due);
	}
	g_clear_pointer(&e->tensors, g_free);
}
