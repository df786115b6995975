/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles for a product: every legal one is costed by closed formulas, the cheapest are kept for a closer look.
 *
 *   cube    ceil(m/16) ceil(n/16) ceil(k/depth) steps a mmad and the gap between two
 *   loads   L1 to L0A and L0B, one after the other on MTE1
 *   copies  global memory to L1 by requests of whole lines or parts of them, at a core's share of L2, never faster than
 *           a core's port nor than lines that several cores want serve them; a line's first request is a miss
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
	GArray *best;                  /* ask_tile, cheapest first */
	unsigned most;
} search;

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t up(uint64_t a, uint64_t b)
{
	return div_up(a, b) * b;
}

/* Depth of a stage of L1: one SHARE-th of a half, whole lines of memory where the depth runs along them. */
static bool choose_stages(const search *s, ask_tile *t, uint64_t share)
{
	uint64_t half = (uint64_t)asc_space_bytes(s->machine, ASC_L1) / 2, depth = up(s->p->k, t->k);
	uint64_t line = up(MAX(REQUEST / s->size, t->k), t->k), wide = up(t->n, s->c0) * s->size;

	/* Short copies do not hide the start of the next one. */
	line *= MAX(half / share / (t->m * line * s->size), 1);
	for (t->a_depth = MIN(line, depth); t->a_depth * t->m * s->size * 2 > half; t->a_depth -= t->k)
		if (t->a_depth <= t->k)
			return false;
	t->b_depth = MIN(up(MAX(half / share / wide, t->k), t->k), depth);
	for (; t->b_depth * wide * 2 > half; t->b_depth -= t->k)
		if (t->b_depth <= t->k)
			return false;
	t->a_stages = (unsigned)MIN(half / (t->a_depth * t->m * s->size), MOST_STAGES);
	t->b_stages = (unsigned)MIN(half / (t->b_depth * wide), MOST_STAGES);
	return true;
}

uint64_t ask_tile_rows(uint64_t cores, uint64_t down, uint64_t left, uint64_t right)
{
	uint64_t best = 1, least = UINT64_MAX;

	for (uint64_t rows = 1; rows <= MIN(cores, down); rows++) {
		uint64_t bytes = rows * left + div_up(cores, rows) * right;

		if (bytes < least) {
			least = bytes;
			best = rows;
		}
	}
	return best;
}

/* Cycles of a core's link for ROWS rows of BYTES, PITCH apart, whose lines SHARERS cores read at the same time. */
static double row_cycles(const search *s, double rows, uint64_t bytes, uint64_t pitch, double sharers, double rate)
{
	uint64_t rest = bytes % REQUEST, per_line = 1;
	double requests = rows * (double)(bytes / REQUEST), taken = requests * REQUEST, held;

	if (pitch == bytes && bytes < REQUEST) {
		/* Rows that touch go together. */
		requests = rows * (double)bytes / REQUEST;
		taken = requests * REQUEST;
	} else if (rest) {
		/* The rest counts as a half or a quarter of a request; now and then it lies in two lines. */
		double across = bytes > REQUEST || pitch % REQUEST || REQUEST % rest ? (double)rest / REQUEST : 0;

		requests += rows * (1 + across);
		taken += rows * (1 + across) *
		         (double)(rest > REQUEST / 2   ? REQUEST
		                  : rest > REQUEST / 4 ? REQUEST / 2
		                                       : REQUEST / 4);
		per_line = MAX(REQUEST / pitch, 1);
	}
	/* While a line serves its requests one by one a core has so many others in flight. */
	held = sharers * (double)per_line * (double)s->machine->l2_line_cycles / (double)s->machine->mte2_outstanding;
	return MAX(taken / rate, requests * held);
}

/* What of the starts of COPIES the data in flight do not cover. */
static double start_cycles(const search *s, uint64_t bytes, uint64_t copies)
{
	const asc_machine *m = s->machine;
	double flight = (double)MIN(bytes, (uint64_t)(m->mte2_outstanding * REQUEST)) / s->read_rate;

	return (double)copies *
	       MAX((double)(m->mte2_start_cycles + m->mte2_nd2nz_cycles + m->l2_hit_cycles) - flight, 0);
}

static void cost(const search *s, ask_tile *t)
{
	const asc_machine *m = s->machine;
	const ask_product *p = s->p;
	uint64_t cores = (uint64_t)m->cores, tm = MIN(t->m, up(p->m, SIDE)), tn = MIN(t->n, up(p->n, SIDE));
	double mmads = (double)div_up(p->k, t->k), depth = (double)div_up(t->k, (uint64_t)m->cube_k_bytes / s->size);
	double steps = (double)(div_up(tm, (uint64_t)m->cube_m) * div_up(tn, (uint64_t)m->cube_n));
	double l0a = (double)m->mte1_load3d_bytes / 2,
	       l0b = (double)m->mte1_load3d_bytes / (2 + (double)m->mte1_load3d_l0b_cycles);
	double rounds, unique, missed, rate, first, across;
	uint64_t at_once;

	t->tiles = p->batches * div_up(p->m, t->m) * div_up(p->n, t->n);
	t->rounds = div_up(t->tiles, cores);
	rounds = (double)t->rounds;
	at_once = MIN(cores, t->tiles);
	t->rows = ask_tile_rows(cores, div_up(p->m, t->m), t->m, t->n);
	/* The last mmad may be shallower. */
	t->cube = (steps * depth + (double)m->cube_gap_cycles) * (mmads - 1) +
	          steps * (double)div_up(p->k - (uint64_t)(mmads - 1) * t->k, (uint64_t)m->cube_k_bytes / s->size) +
	          (double)m->cube_gap_cycles;
	t->loads = (double)(p->k * s->size) * ((double)tm / l0a + (double)tn / l0b);
	rate = MIN(s->read_rate, (double)m->l2_read_bytes_per_cycle * SLICES_PERCENT / 100 / (double)at_once);
	across = (double)div_up(at_once, t->rows);
	t->copies = row_cycles(s, (double)(tm * div_up(p->k, t->a_depth)), MIN(t->a_depth, p->k) * s->size,
	                       p->k * s->size, across, rate) +
	            row_cycles(s, (double)p->k, tn * s->size, (p->packed ? tn : p->n) * s->size,
	                       MIN((double)t->rows * MAX(1, (double)REQUEST / (double)(tn * s->size)), (double)at_once),
	                       rate);
	unique = (double)(MIN(t->rows, at_once) * tm + (uint64_t)across * tn) * (double)(p->k * s->size);
	/* What comes from memory for the first time keeps its core waiting. */
	missed = (double)((p->m + p->n) * p->k * p->batches) * (double)s->size / (double)at_once / rounds / REQUEST;
	t->copies += missed * MAX((double)m->mte2_packet_cycles - REQUEST / rate, 0);
	t->copies += start_cycles(s, t->a_depth * tm * s->size, div_up(p->k, t->a_depth)) +
	             start_cycles(s, t->b_depth * tn * s->size, div_up(p->k, t->b_depth));
	t->copies = MAX(t->copies, unique / s->memory_rate);
	t->out = (double)(tm * tn) /
	         MIN((double)m->fix_elements_per_cycle,
	             (double)MIN(m->fix_gm_bytes_per_cycle, m->l2_core_write_bytes_per_cycle) / (double)s->out_size);
	first = (double)(m->mte2_start_cycles + m->mte2_nd2nz_cycles + m->l2_hit_cycles + m->hbm_miss_cycles) +
	        (double)(t->a_depth * tm + t->b_depth * tn) * (double)s->size / s->read_rate;
	t->cycles = rounds * MAX(MAX(t->cube, t->loads), MAX(t->copies, t->out)) + first + t->out;
	if (t->sums == 1)
		t->cycles += (rounds - 1) * MAX(t->out - t->cube / mmads, 0);
}

void ask_tile_keep(GArray *best, unsigned most, const ask_tile *t)
{
	guint at = best->len;

	while (at && g_array_index(best, ask_tile, at - 1).cycles > t->cycles)
		at--;
	if (at == most)
		return;
	g_array_insert_val(best, at, *t);
	if (best->len > most)
		g_array_set_size(best, most);
}

static void consider(search *s, uint64_t m, uint64_t n, uint64_t k)
{
	const asc_machine *machine = s->machine;
	uint64_t sums = m * n * SUM, l0c = (uint64_t)machine->l0c_bytes, last = 0;
	ask_tile t = {.m = m, .n = n, .k = k, .run = s->p->m};

	if (m * k * s->size * 2 > (uint64_t)machine->l0a_bytes || n * k * s->size * 2 > (uint64_t)machine->l0b_bytes ||
	    sums > l0c)
		return;
	t.sums = (unsigned)MIN(l0c / sums, MOST_SUMS);
	for (unsigned share = 4; share <= 8; share *= 2) {
		if (!choose_stages(s, &t, share) || t.a_depth * t.b_depth == last)
			continue;
		last = t.a_depth * t.b_depth;
		cost(s, &t);
		ask_tile_keep(s->best, s->most, &t);
	}
}

GArray *ask_tiles(const asc_machine *machine, const ask_product *p, unsigned count)
{
	search s = {.machine = machine, .p = p, .most = count};
	uint64_t m_end = MIN(up(p->m, SIDE), (uint64_t)machine->l0c_bytes / (SIDE * SUM));
	uint64_t n_end = MIN(up(p->n, SIDE), (uint64_t)machine->l0c_bytes / (SIDE * SUM));

	s.best = g_array_new(FALSE, FALSE, sizeof(ask_tile));
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
			for (uint64_t k = most; k && k * 2 >= most; k = k / 2 / s.c0 * s.c0)
				consider(&s, m, n, k);
		}
	return s.best;
}
