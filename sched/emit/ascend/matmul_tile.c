/* SPDX-License-Identifier: Apache-2.0
 *
 * The tile of a product: every legal one is costed by closed formulas, the cheapest is taken.
 *
 *   cube    ceil(m/16) ceil(n/16) ceil(k/depth) steps a mmad and the gap between two
 *   loads   L1 to L0A and L0B, one after the other on MTE1
 *   copies  global memory to L1, at a core's share of L2, never faster than a core's port; lines that no other core of
 *           the moment reads too come from memory
 *   out     L0C to memory
 * A tile takes the longest of them; the cores take tiles in rounds.  Before the first mmad stands the way of the first
 * operands, behind the last one the way out; where L0C holds one tile only, what the way out takes longer than a mmad
 * stands between two tiles.
 */
#include "sched/emit/ascend/matmul.h"

#include <math.h>

/* Requests of many cores meet in L2's slices by chance: what share of its rate they get together. */
enum { SLICES_PERCENT = 85 };
enum { SIDE = 16, BLOCK = 32, SUM = 4, MOST_SUMS = 2, MOST_STAGES = 4, MOST_DEPTH = 4080, REQUEST = 512 };

typedef struct search {
	const asc_machine *machine;
	const ask_product *p;
	uint64_t size, c0, out_size;
	double read_rate, memory_rate; /* bytes a cycle of a core, of all */
	ask_tile best;
	bool any;
} search;

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t up(uint64_t a, uint64_t b)
{
	return div_up(a, b) * b;
}

/* Depth of a stage of L1: whole lines of memory where the depth runs along them, some 32 KB where it does not. */
static bool choose_stages(const search *s, ask_tile *t)
{
	uint64_t half = (uint64_t)asc_space_bytes(s->machine, ASC_L1) / 2, depth = up(s->p->k, t->k);
	uint64_t line = up(MAX(REQUEST / s->size, t->k), t->k), wide = up(t->n, s->c0) * s->size;

	for (t->a_depth = MIN(line, depth); t->a_depth * t->m * s->size * 2 > half; t->a_depth -= t->k)
		if (t->a_depth <= t->k)
			return false;
	t->b_depth = MIN(up(MAX(half / 4 / wide, t->k), t->k), depth);
	for (; t->b_depth * wide * 2 > half; t->b_depth -= t->k)
		if (t->b_depth <= t->k)
			return false;
	t->a_stages = (unsigned)MIN(half / (t->a_depth * t->m * s->size), MOST_STAGES);
	t->b_stages = (unsigned)MIN(half / (t->b_depth * wide), MOST_STAGES);
	return true;
}

/* Rows of tiles that the cores at work share, so that they read least. */
static uint64_t choose_rows(const search *s, const ask_tile *t)
{
	uint64_t cores = (uint64_t)s->machine->cores, down = div_up(s->p->m, t->m), best = 1, least = UINT64_MAX;

	for (uint64_t rows = 1; rows <= MIN(cores, down); rows++) {
		uint64_t bytes = rows * t->m + div_up(cores, rows) * t->n;

		if (bytes < least) {
			least = bytes;
			best = rows;
		}
	}
	return best;
}

/* Bytes of the link that a row of BYTES takes: whole requests, the rest rounded up to a half or a quarter of one, and
 * one request more where rows do not begin at lines. */
static double row_bytes(uint64_t bytes)
{
	uint64_t whole = bytes / REQUEST * REQUEST, rest = bytes - whole, taken = whole;

	if (rest)
		taken += rest > REQUEST / 2 ? REQUEST : rest > REQUEST / 4 ? REQUEST / 2 : REQUEST / 4;
	return (double)taken + (rest && whole ? (double)REQUEST / 4 : 0);
}

static void cost(const search *s, ask_tile *t)
{
	const asc_machine *m = s->machine;
	const ask_product *p = s->p;
	uint64_t cores = (uint64_t)m->cores, tm = MIN(t->m, up(p->m, SIDE)), tn = MIN(t->n, up(p->n, SIDE));
	double mmads = (double)div_up(p->k, t->k), depth = (double)div_up(t->k, (uint64_t)m->cube_k_bytes / s->size);
	double steps = (double)(div_up(tm, (uint64_t)m->cube_m) * div_up(tn, (uint64_t)m->cube_n));
	double l0a = (double)m->mte1_load3d_bytes / 2, l0b = (double)m->mte1_load3d_bytes / (2 + (double)m->mte1_load3d_l0b_cycles);
	double bytes = (double)(tm * div_up(p->k, t->a_depth)) * row_bytes(MIN(t->a_depth, p->k) * s->size) +
	               (double)p->k * row_bytes(tn * s->size);
	double rounds, unique, memory, first;
	uint64_t at_once;

	t->tiles = p->batches * div_up(p->m, t->m) * div_up(p->n, t->n);
	t->rounds = div_up(t->tiles, cores);
	rounds = (double)t->rounds;
	at_once = MIN(cores, t->tiles);
	t->rows = choose_rows(s, t);
	/* The last mmad may be shallower. */
	t->cube = (steps * depth + (double)m->cube_gap_cycles) * (mmads - 1) +
	          steps * (double)div_up(p->k - (uint64_t)(mmads - 1) * t->k, (uint64_t)m->cube_k_bytes / s->size) +
	          (double)m->cube_gap_cycles;
	t->loads = (double)(p->k * s->size) * ((double)tm / l0a + (double)tn / l0b);
	t->copies = bytes / MIN(s->read_rate,
	                        (double)m->l2_read_bytes_per_cycle * SLICES_PERCENT / 100 / (double)at_once);
	unique = (double)(MIN(t->rows, at_once) * tm + div_up(at_once, t->rows) * tn) * (double)(p->k * s->size);
	memory = unique / s->memory_rate;
	t->copies = MAX(t->copies, memory);
	t->out = (double)(tm * tn) /
	         MIN((double)m->fix_elements_per_cycle,
	             (double)MIN(m->fix_gm_bytes_per_cycle, m->l2_core_write_bytes_per_cycle) / (double)s->out_size);
	first = (double)(m->mte2_start_cycles + m->mte2_nd2nz_cycles + m->l2_hit_cycles + m->hbm_miss_cycles) +
	        (double)(t->a_depth * tm + t->b_depth * tn) * (double)s->size / s->read_rate;
	t->cycles = rounds * MAX(MAX(t->cube, t->loads), MAX(t->copies, t->out)) + first + t->out;
	if (t->sums == 1)
		t->cycles += (rounds - 1) * MAX(t->out - t->cube / mmads, 0);
}

static void consider(search *s, uint64_t m, uint64_t n, uint64_t k)
{
	const asc_machine *machine = s->machine;
	uint64_t sums = m * n * SUM, l0c = (uint64_t)machine->l0c_bytes;
	ask_tile t = {.m = m, .n = n, .k = k};

	if (m * k * s->size * 2 > (uint64_t)machine->l0a_bytes || n * k * s->size * 2 > (uint64_t)machine->l0b_bytes ||
	    sums > l0c)
		return;
	t.sums = (unsigned)MIN(l0c / sums, MOST_SUMS);
	if (!choose_stages(s, &t))
		return;
	cost(s, &t);
	if (s->any && t.cycles >= s->best.cycles)
		return;
	s->best = t;
	s->any = true;
}

bool ask_choose_tile(const asc_machine *machine, const ask_product *p, ask_tile *tile)
{
	search s = {.machine = machine, .p = p};
	uint64_t m_end = MIN(up(p->m, SIDE), (uint64_t)machine->l0c_bytes / (SIDE * SUM));
	uint64_t n_end = MIN(up(p->n, SIDE), (uint64_t)machine->l0c_bytes / (SIDE * SUM));

	s.size = asc_type_bytes(p->type);
	s.out_size = asc_type_bytes(p->result);
	s.c0 = BLOCK / s.size;
	s.read_rate = (double)MIN(machine->mte2_l1_bytes_per_cycle, machine->l2_core_read_bytes_per_cycle);
	s.memory_rate = (double)machine->hbm_bytes_per_second * (double)machine->hbm_efficiency_percent / 100 /
	                (double)machine->clock_hz;
	for (uint64_t m = SIDE; m <= m_end; m += SIDE)
		for (uint64_t n = SIDE; n <= n_end; n += SIDE) {
			/* As deep as both operands' buffers allow twice, and half as deep. */
			uint64_t most = MIN((uint64_t)machine->l0a_bytes / (2 * m * s.size),
			                    (uint64_t)machine->l0b_bytes / (2 * n * s.size)) /
			                s.c0 * s.c0;

			most = MIN(MIN(most, up(p->k, s.c0)), MOST_DEPTH / s.c0 * s.c0);
			for (uint64_t k = most; k && k * 4 >= most; k = k / 2 / s.c0 * s.c0)
				consider(&s, m, n, k);
		}
	*tile = s.best;
	return s.any;
}
