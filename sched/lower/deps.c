/* SPDX-License-Identifier: Apache-2.0
 *
 * Which macro-operations does each one wait for, and how long is each tensor needed?
 *
 * Read-after-write only, by tensor, section and interval of rows: every tensor element is written once, so nothing else
 * orders macros until a back end reuses memory.
 */
#include "sched/lower/internal.h"

/* Rows LOW .. HIGH of the sections in the mask. */
typedef struct extent {
	uint32_t tensor;
	uint8_t sections;
	uint64_t low, high;
} extent;

typedef struct write_record {
	extent what;
	uint32_t macro;
} write_record;

static extent all_of(uint32_t tensor, uint64_t first, uint64_t rows)
{
	return (extent){tensor, 3, first, first + rows - 1};
}

/* A reference of a loop; several lane blocks cover all rows. */
static extent of_ref(const low_program *p, const low_vloop *loop, const low_ref *ref)
{
	const low_tensor *t = &g_array_index(p->tensors, low_tensor, ref->tensor);
	uint64_t low = (uint64_t)ref->first;
	uint64_t high = low + (loop->n0 - 1) * (uint64_t)ref->step0 + (loop->n1 - 1) * (uint64_t)ref->step1;
	extent e = {ref->tensor, (uint8_t)(1u << ref->section), low % t->rows, high % t->rows};

	if (low / t->rows != high / t->rows) {
		e.low = 0;
		e.high = t->rows - 1;
	}
	return e;
}

static void find_extents(const low_program *p, const low_macro *m, GArray *reads, GArray *writes)
{
	extent e[3] = {0};

	g_array_set_size(reads, 0);
	g_array_set_size(writes, 0);
	switch (m->kind) {
	case LOW_VLOOP:
		for (guint i = 0; i < m->vloop.steps->len; i++) {
			const low_step *s = &g_array_index(m->vloop.steps, low_step, i);

			if (s->kind != LOW_LOAD && s->kind != LOW_STORE)
				continue;
			e[0] = of_ref(p, &m->vloop, &s->ref);
			g_array_append_val(s->kind == LOW_LOAD ? reads : writes, e[0]);
		}
		return;
	case LOW_MATMUL:
		e[0] = all_of(m->matmul.a, m->matmul.a_row, m->matmul.m);
		e[1] = all_of(m->matmul.b, m->matmul.b_row, m->matmul.k);
		e[2] = all_of(m->matmul.c, m->matmul.c_row, m->matmul.m);
		break;
	case LOW_CONV:
		e[0] = all_of(m->conv.x, m->conv.x_row, m->conv.conv.h * m->conv.conv.w);
		e[1] = all_of(m->conv.w, m->conv.w_row, graph_conv_k(&m->conv.conv));
		e[2] = all_of(m->conv.y, m->conv.y_row, m->conv.conv.oh * m->conv.conv.ow);
		break;
	case LOW_TRANSPOSE:
		e[0] = all_of(m->transpose.x, 0, g_array_index(p->tensors, low_tensor, m->transpose.x).rows);
		e[1] = e[0];
		e[2] = all_of(m->transpose.y, 0, g_array_index(p->tensors, low_tensor, m->transpose.y).rows);
		break;
	case LOW_GATHER:
		e[0] = all_of(m->gather.x, 0, g_array_index(p->tensors, low_tensor, m->gather.x).rows);
		e[1] = all_of(m->gather.index, 0, 1);
		e[2] = all_of(m->gather.y, 0, g_array_index(p->tensors, low_tensor, m->gather.y).rows);
		break;
	}
	g_array_append_vals(reads, e, 2);
	g_array_append_val(writes, e[2]);
}

static bool meet(const extent *a, const extent *b)
{
	return (a->sections & b->sections) && a->low <= b->high && b->low <= a->high;
}

static gint compare_index(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_and_unite(GArray *indices)
{
	guint kept = 0;

	g_array_sort(indices, compare_index);
	for (guint i = 0; i < indices->len; i++) {
		uint32_t index = g_array_index(indices, uint32_t, i);

		if (kept == 0 || g_array_index(indices, uint32_t, kept - 1) != index)
			g_array_index(indices, uint32_t, kept++) = index;
	}
	g_array_set_size(indices, kept);
}

static void extend_life(low_program *p, uint32_t tensor, uint32_t macro)
{
	low_tensor *t = &g_array_index(p->tensors, low_tensor, tensor);

	t->last_macro = MAX(t->last_macro, macro);
	if (!t->host)
		t->first_macro = MIN(t->first_macro, macro);
}

void low_i_find_dependences(low_program *p)
{
	g_autoptr(GArray) reads = g_array_new(FALSE, FALSE, sizeof(extent));
	g_autoptr(GArray) writes = g_array_new(FALSE, FALSE, sizeof(extent));
	g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint t = 0; t < p->tensors->len; t++) {
		low_tensor *tensor = &g_array_index(p->tensors, low_tensor, t);

		tensor->first_macro = tensor->host ? 0 : UINT32_MAX;
		tensor->last_macro = tensor->output && p->macros->len ? p->macros->len - 1 : 0;
		g_ptr_array_add(written, g_array_new(FALSE, FALSE, sizeof(write_record)));
	}
	for (guint i = 0; i < p->macros->len; i++) {
		low_macro *m = &g_array_index(p->macros, low_macro, i);

		find_extents(p, m, reads, writes);
		for (guint r = 0; r < reads->len; r++) {
			const extent *e = &g_array_index(reads, extent, r);
			const GArray *records = g_ptr_array_index(written, e->tensor);

			extend_life(p, e->tensor, i);
			for (guint w = 0; w < records->len; w++) {
				const write_record *record = &g_array_index(records, write_record, w);

				if (meet(e, &record->what))
					g_array_append_val(m->after, record->macro);
			}
		}
		sort_and_unite(m->after);
		for (guint w = 0; w < writes->len; w++) {
			write_record record = {g_array_index(writes, extent, w), i};

			extend_life(p, record.what.tensor, i);
			g_array_append_val((GArray *)g_ptr_array_index(written, record.what.tensor), record);
		}
	}
}
