/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows picked out of a table as kernels.  An iteration moves as many rows as fit one register: it loads their index,
 * loads the rows by it (LOADX), and stores them side by side.  Rows at equal distances need no index: a strided load
 * reaches them.  How many beats either takes is the bank map's affair; the scheduler knows the index and counts them.
 */
#include "sched/emit/tsp.h"

#include <string.h>

/* Rows named by an index meet each other irregularly: one access after the other finds its place, not a burst as a
 * whole. Very many go in short bursts, for the sake of the program's length. */
enum { LONE_ITERATIONS = 1 << 16, CHUNK = 8 };

typedef struct picking {
	const low_gather *work;
	tspe_tensor *x, *index, *y;
	const graph_node *node; /* of the gather */
	const graph *g;
	uint64_t lane; /* first one of the lane block in Y */
	uint32_t seg;  /* bytes of a row in this lane block */
	uint32_t rows; /* that an iteration moves */
	int64_t step;  /* rows from one to the next when that is always the same; else there is an index */
	bool even;
} picking;

static int64_t row_at(const picking *p, uint64_t i)
{
	return graph_gather_row(p->g, p->node, i);
}

/* Are all rows of Y equally far from each other in X? */
static void find_step(picking *p)
{
	uint64_t count = p->y->low->rows;

	p->step = count > 1 ? row_at(p, 1) - row_at(p, 0) : 1;
	p->even = true;
	for (uint64_t i = 2; i < count && p->even; i++)
		p->even = row_at(p, i) - row_at(p, i - 1) == p->step;
}

/* The rows as the index names them. */
static int add_indexed(tspe_kernel *k, const picking *p, uint64_t first)
{
	tspe *e = k->e;
	int list = tspe_kernel_add(k, ISA_OP_LOAD, e->mem.at, e->mem.count);
	int load = tspe_kernel_add(k, ISA_OP_LOADX, e->mem.at, e->mem.count);
	tspe_step *s = &k->step[load];

	tspe_kernel_memory(k, list, p->index, 4 * p->rows, 0, 1);
	tspe_kernel_result(k, list, tspe_span(e->m, p->rows, ISA_TYPE_I32));
	tspe_kernel_indexed(k, load, p->x, p->seg, p->rows);
	tspe_kernel_link(k, load, 1, list);
	for (uint32_t i = 0; i < k->count; i++) {
		k->step[list].addr[i] = (int64_t)tspe_element_addr(p->index, 0, first + (uint64_t)i * p->rows);
		s->addr[i] = (int64_t)tspe_element_addr(p->x, 0, p->work->first_lane + p->lane);
		for (uint32_t r = 0; r < p->rows; r++)
			s->index[i * p->rows + r] =
				(int32_t)(row_at(p, first + (uint64_t)i * p->rows + r) * p->x->row_pitch);
	}
	return load;
}

static int add_strided(tspe_kernel *k, const picking *p, uint64_t first)
{
	tspe *e = k->e;
	int load = tspe_kernel_add(k, ISA_OP_LOAD, e->mem.at, e->mem.count);

	tspe_kernel_memory(k, load, p->x, p->seg, (int32_t)(p->step * p->x->row_pitch), p->rows);
	for (uint32_t i = 0; i < k->count; i++)
		k->step[load].addr[i] = (int64_t)tspe_element_addr(
			p->x, (uint64_t)row_at(p, first + (uint64_t)i * p->rows), p->work->first_lane + p->lane);
	return load;
}

/* COUNT iterations from row FIRST of Y on. */
static bool run_rows(tspe *e, const picking *p, uint64_t first, uint32_t count, int64_t *ready, GError **error)
{
	g_autoptr(tspe_kernel) k = tspe_kernel_new(e, count);
	int load = p->even ? add_strided(k, p, first) : add_indexed(k, p, first);
	int store = tspe_kernel_add(k, ISA_OP_STORE, e->mem.at, e->mem.count);
	tspe_policy policy = {.chunk = p->even ? 0 : count <= LONE_ITERATIONS ? 1 : CHUNK};

	tspe_kernel_result(k, load, (p->rows * p->seg + (unsigned)e->m->vreg_bytes - 1) / (unsigned)e->m->vreg_bytes);
	tspe_kernel_memory(k, store, p->y, p->seg, (int32_t)p->y->row_pitch, p->rows);
	tspe_kernel_link(k, store, 0, load);
	k->step[store].cell = tspe_kernel_alloc(k, count * sizeof(uint32_t));
	k->step[store].cells = p->rows * p->y->parts;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t row = first + (uint64_t)i * p->rows;

		k->step[store].addr[i] = (int64_t)tspe_element_addr(p->y, row, p->lane);
		k->step[store].cell[i] =
			(uint32_t)(p->lane / p->y->low->vector_lanes * p->y->low->rows + row) * p->y->parts;
	}
	tspe_kernel_finish(k);
	k->ready = *ready;
	policy.interval_min = tspe_kernel_interval(k);
	policy.interval_max = MAX(policy.interval_min, (uint32_t)k->step[load].beats_max + k->step[store].beats_max);
	if (!tspe_run(k, &policy, error))
		return false;
	*ready = MAX(*ready, tspe_issue_at(k, &k->step[load], k->n - 1, 0));
	return true;
}

static bool run_block(tspe *e, picking *p, int64_t *ready, GError **error)
{
	uint64_t rows = p->y->low->rows;
	uint32_t most = (uint32_t)MAX(e->m->vreg_bytes / MAX(p->seg, 4), 1);
	uint64_t row = 0;

	p->rows = (uint32_t)MIN(rows, most);
	while (row < rows) {
		uint64_t count = MIN((rows - row) / p->rows, TSPE_ITERATIONS_MAX / p->rows);

		if (count == 0) {
			p->rows = (uint32_t)(rows - row);
			continue;
		}
		if (!run_rows(e, p, row, (uint32_t)count, ready, error))
			return false;
		row += count * p->rows;
	}
	return true;
}

bool tspe_gather(tspe *e, const low_macro *macro, int64_t ready, GError **error)
{
	const low_gather *work = &macro->gather;
	picking p = {
		.work = work,
		.x = &e->tensors[work->x],
		.index = &e->tensors[work->index],
		.y = &e->tensors[work->y],
		.g = e->low->g,
		.node = graph_at(e->low->g, macro->node),
	};
	const low_tensor *y = p.y->low;

	find_step(&p);
	for (p.lane = 0; p.lane < y->lanes; p.lane += y->vector_lanes) {
		p.seg = (uint32_t)(MIN(y->vector_lanes, y->lanes - p.lane) * p.y->element);
		if (!run_block(e, &p, &ready, error))
			return false;
	}
	return true;
}
