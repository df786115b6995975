/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles for a convolution: every legal one is costed by closed formulas, the cheapest are kept for a closer look.
 *
 *   cube    ceil(m/16) ceil(n/16) ceil(k/depth) steps a mmad and the gap between two
 *   loads   L1 to L0A, slower where a load touches several rows of the filter or strides, and to L0B
 *   copies  the band of the image that a tile needs and its weights, at a core's share of L2, and what of their starts
 *           the data in flight do not cover; weights that stay in L1 are not copied again
 *   out     L0C to memory
 * A tile takes the longest of them, the whole so many rounds of it, and no less than memory takes for what it has.
 */
#include "sched/emit/ascend/conv.h"

enum {
	MOST_SUMS = 2,
	MOST_DEPTH = 4080,
	MOST_AREA = 16384,
	MOST_FILTER = 255,
	MOST_SIDE = 32767,
	MOST_BURST = 2097120,
	REQUEST = 512
};

typedef struct search {
	const asc_machine *machine;
	const ask_product *p;
	const ask_image *g;
	uint32_t blocks;
	uint64_t size, row; /* bytes of an element; depth of a row of the filter */
	uint64_t l1, half;  /* bytes of L1 */
	double read_rate, memory_rate;
	GArray *best; /* ask_tile, cheapest first */
	unsigned most;
} search;

void ask_image_band(const ask_image *g, const ask_tile *t, uint64_t filter, uint64_t *rows, uint64_t *columns)
{
	uint64_t down = 1, across = g->ow;

	if (t->run == g->ow)
		across = MIN(t->m, g->ow);
	else if (t->m % g->ow == 0)
		down = t->m / g->ow;
	else
		/* A run may begin at the end of a row. */
		down = g->ow % t->m == 0 ? 1 : (t->m - 1) / g->ow + 2;
	*rows = MIN((MIN(down, g->oh) - 1) * g->stride_h + filter, g->h);
	*columns = across == g->ow ? g->w : MIN((across - 1) * g->stride_w + g->s, g->w);
}

uint64_t ask_image_copies(const ask_image *g, uint64_t rows, uint64_t columns)
{
	return g->whole || columns == g->w ? 1 : rows;
}

/* Can copies bring the band, and load3d read it? */
static bool legal(const search *s, const ask_tile *t, uint64_t rows, uint64_t columns)
{
	if (rows > MOST_SIDE || columns > MOST_SIDE || t->filter_rows > MOST_FILTER ||
	    t->channels * s->g->r * s->row > UINT16_MAX)
		return false;
	if (s->g->whole)
		return rows * columns * ASK_BLOCK <= MOST_BURST;
	return rows * columns <= MOST_AREA;
}

/* Cycles of a core's link for PIXELS pixels of so many CHANNELS, of which all belong to one row of memory or not. */
static double pixel_cycles(const search *s, uint64_t pixels, uint64_t channels, double rate)
{
	uint64_t bytes = MIN(channels * ASK_BLOCK, s->g->c * s->size), burst = bytes;

	if (s->g->whole)
		return (double)(pixels * ASK_BLOCK) / rate;
	if (bytes < s->g->pixel_bytes || bytes >= REQUEST) {
		/* The rest counts as a half or a quarter of a request. */
		uint64_t rest = bytes % REQUEST;

		burst = bytes - rest;
		if (rest)
			burst += rest > REQUEST / 2 ? REQUEST : rest > REQUEST / 4 ? REQUEST / 2 : REQUEST / 4;
	}
	return (double)(pixels * burst) / rate;
}

static double start_cycles(const search *s, uint64_t bytes, uint64_t copies, bool fractals)
{
	const asc_machine *m = s->machine;
	double flight = (double)MIN(bytes, (uint64_t)(m->mte2_outstanding * REQUEST)) / s->read_rate;
	double start = (double)(m->mte2_start_cycles + (fractals ? m->mte2_nd2nz_cycles : 0));

	return (double)copies * (start + MAX((double)m->l2_hit_cycles - flight, 0));
}

/* Cycles of a step of load3d into L0A, which moves mte1.load3d_bytes. */
static double left_cycles(const search *s, uint64_t depth)
{
	const asc_machine *m = s->machine;
	uint64_t stride = s->g->stride_w, rows = MIN(ask_div_up(depth, s->row), s->g->r);
	double slowest = (double)m->mte1_load3d_bytes / (double)m->mte1_load3d_least_bytes_per_cycle;
	double cycles = (double)(2 * stride + (rows > 1 ? rows : 0));

	if (stride != 1 && stride != 2 && stride != 4 && stride != 8)
		return slowest;
	return stride > 1 ? MIN(cycles, slowest) : cycles;
}

static void cost(const search *s, ask_tile *t, uint64_t rows, uint64_t columns)
{
	const asc_machine *m = s->machine;
	const ask_product *p = s->p;
	uint64_t tm = MIN(t->m, ask_up(t->run, ASK_SIDE)), tn = MIN(t->n, ask_up(p->n, ASK_SIDE));
	uint64_t down = ask_tiles_down(p, t), across = ask_div_up(p->n, t->n),
		 cube_k = (uint64_t)m->cube_k_bytes / s->size;
	uint64_t stages = ask_div_up(s->g->blocks, t->channels) * ask_div_up(s->g->r, t->filter_rows);
	uint64_t right_stages = ask_div_up(p->k, t->b_depth), mmads = MAX(ask_div_up(p->k, t->k), stages);
	uint64_t copies = stages * ask_image_copies(s->g, rows, columns), left, right = p->k * tn * s->size;
	double steps = (double)(ask_div_up(tm, (uint64_t)m->cube_m) * ask_div_up(tn, (uint64_t)m->cube_n));
	double rounds, rate, a, b, first;

	left = rows * columns * s->g->blocks * ASK_BLOCK * ask_div_up(s->g->r, t->filter_rows);
	t->tiles = ask_tiles_of(p, t);
	t->rounds = ask_div_up(t->tiles, s->blocks);
	/* All of them where weights are to stay. */
	t->rows = across == 1 ? down : ask_tile_rows(s->blocks, down, left, right);
	rounds = (double)t->rounds;
	rate = MIN(s->read_rate, (double)m->l2_read_bytes_per_cycle / (double)MIN(s->blocks, t->tiles));
	t->cube = steps * (double)ask_div_up(p->k, cube_k) + (double)(mmads * (uint64_t)m->cube_gap_cycles);
	t->loads = (double)(p->k * tm * s->size) / (double)m->mte1_load3d_bytes * left_cycles(s, t->k) +
	           (double)right / (double)m->mte1_load3d_bytes * (double)(2 + m->mte1_load3d_l0b_cycles);
	a = pixel_cycles(s, rows * columns * ask_div_up(s->g->r, t->filter_rows), t->channels, rate) *
	    (double)ask_div_up(s->g->blocks, t->channels);
	a += start_cycles(s, left / copies, copies, !s->g->whole);
	b = (double)right / rate;
	if (!p->packed)
		b *= (double)MAX(REQUEST / 4, tn * s->size) / (double)(tn * s->size);
	b += start_cycles(s, right / right_stages, right_stages, true);
	first = a / (double)stages + b / (double)right_stages + (double)(m->l2_hit_cycles + m->hbm_miss_cycles);
	t->copies = a + b;
	if (across == 1 && p->right_batches == 1 && right_stages == 1)
		t->copies = a + b / rounds;
	t->out = (double)(tm * tn) / (double)MIN(m->fix_elements_per_cycle,
	                                         (m->coupled ? m->mte3_gm_bytes_per_cycle : m->fix_gm_bytes_per_cycle) /
	                                                 (int64_t)asc_type_bytes(p->result));
	t->cycles = rounds * MAX(MAX(t->cube, t->loads), MAX(t->copies, t->out));
	t->cycles = MAX(t->cycles, (double)(p->batches * s->g->h * s->g->w * s->g->pixel_bytes +
	                                    p->right_batches * p->k * p->n * s->size +
	                                    p->batches * p->m * p->n * asc_type_bytes(p->result)) /
	                                   s->memory_rate);
	t->cycles += first + t->out;
	if (t->a_stages == 1)
		t->cycles += rounds * MIN(a, MAX(t->cube, t->loads));
	if (t->sums == 1)
		t->cycles += (rounds - 1) * MAX(t->out - t->cube / (double)mmads, 0);
}

/* Weights in what the image leaves of L1: all of them where two fit, else whole stages of the image or whole parts of
 * one, so that no step is cut short. */
static bool choose_right(const search *s, ask_tile *t, uint64_t left)
{
	uint64_t room = s->l1 - MAX(left, s->half), full = ASK_BLOCK / s->size;
	uint64_t wide = ask_up(t->n, full) * s->size, most = MIN(room / 2 / wide, MOST_AREA) / full * full;
	uint64_t stage = t->channels * t->filter_rows * s->row, steps = ask_div_up(stage, t->k), parts;

	if (!most)
		return false;
	if (s->p->k <= most) {
		t->b_depth = s->p->k;
	} else {
		/* Shorter ones begin to come earlier. */
		if (most / 2 >= t->k)
			most /= 2;
		parts = MIN(ask_div_up(stage, most), steps);
		while (parts < steps && steps % parts)
			parts++;
		t->b_depth = stage <= most ? most / stage * stage : MIN(steps / parts * t->k, most);
	}
	t->b_stages = (unsigned)MIN(room / (t->b_depth * wide), ASK_TURNS);
	return true;
}

static void consider(search *s, ask_tile *t)
{
	uint64_t rows, columns, left, sums = t->m * t->n * ASK_SUM;

	ask_image_band(s->g, t, t->filter_rows, &rows, &columns);
	left = t->channels * rows * columns * ASK_BLOCK;
	if (!legal(s, t, rows, columns) || left > s->l1)
		return;
	t->a_stages = (unsigned)MIN(s->half / left, ASK_TURNS);
	if (!t->a_stages)
		t->a_stages = 1;
	if (!choose_right(s, t, left * t->a_stages))
		return;
	t->sums = (unsigned)MIN((uint64_t)s->machine->l0c_bytes / sums, MOST_SUMS);
	cost(s, t, rows, columns);
	ask_tile_keep(s->best, s->most, t);
}

/* Stages of whole filters: as many blocks of channels as fit twice, and fewer; else some rows of the filter. */
static void stages(search *s, ask_tile *t)
{
	uint64_t rows, columns, block, most, last = 0;

	ask_image_band(s->g, t, s->g->r, &rows, &columns);
	block = rows * columns * ASK_BLOCK;
	most = MIN(MIN(s->half / 2 / block, s->g->blocks), UINT16_MAX / (s->g->r * s->row));
	t->filter_rows = s->g->r;
	for (uint64_t channels = most; channels && (channels == most || channels * 4 >= most); channels /= 2) {
		/* Whole lines of memory, where that many fit. */
		uint64_t line = REQUEST / ASK_BLOCK;

		t->channels = channels > line ? channels / line * line : channels;
		if (t->channels == last)
			continue;
		last = t->channels;
		consider(s, t);
	}
	if (most)
		return;
	t->channels = 1;
	for (uint64_t parts = 1; parts <= s->g->r; parts++) {
		guint before = s->best->len;

		t->filter_rows = ask_div_up(s->g->r, parts);
		ask_image_band(s->g, t, t->filter_rows, &rows, &columns);
		if (parts > 1 && rows * columns * ASK_BLOCK > s->half / 2)
			continue;
		consider(s, t);
		if (parts > 1 || s->best->len > before)
			break;
	}
}

/* Depths of mmads: rows of the filter, as many as fit; parts of one where none does. */
static void depths(search *s, ask_tile *t)
{
	const asc_machine *m = s->machine;
	uint64_t full = ASK_BLOCK / s->size, left = (uint64_t)m->l0a_bytes / (2 * t->m * s->size);
	uint64_t most = MIN(MIN(left, (uint64_t)m->l0b_bytes / (2 * t->n * s->size)), MOST_DEPTH) / full * full;

	most = MIN(most, s->p->k);
	if (!most)
		return;
	if (most < s->row) {
		t->k = ask_up(ask_div_up(s->row, ask_div_up(s->row, most)), full);
		stages(s, t);
		return;
	}
	for (uint64_t rows = most / s->row; rows; rows = rows > 1 ? (rows > s->g->r ? rows / 2 : 1) : 0) {
		t->k = rows * s->row;
		stages(s, t);
	}
}

static void shape(search *s, uint64_t m, uint64_t n)
{
	ask_tile t = {.m = m, .n = n, .run = s->p->m};

	if (m * n * ASK_SUM > (uint64_t)s->machine->l0c_bytes)
		return;
	depths(s, &t);
	if (s->g->oh > 1 && m < ask_up(s->g->ow, ASK_SIDE) + ASK_SIDE) {
		t.run = s->g->ow;
		depths(s, &t);
	}
}

GArray *ask_conv_tiles(const asc_machine *machine, const ask_product *p, const ask_image *g, uint32_t blocks,
                       unsigned count)
{
	search s = {.machine = machine, .p = p, .g = g, .blocks = blocks, .most = count};
	uint64_t most = (uint64_t)machine->l0c_bytes / (ASK_SIDE * ASK_SUM);

	s.best = g_array_new(FALSE, FALSE, sizeof(ask_tile));
	s.size = asc_type_bytes(p->type);
	s.row = ask_image_row(g, s.size);
	s.l1 = (uint64_t)asc_space_bytes(machine, ASC_L1);
	s.half = (uint64_t)machine->l1_bytes / 2;
	s.read_rate = (double)MIN(machine->mte2_l1_bytes_per_cycle, machine->l2_core_read_bytes_per_cycle);
	s.memory_rate = (double)machine->hbm_bytes_per_second * (double)machine->hbm_efficiency_percent / 100 /
	                (double)machine->clock_hz;
	for (uint64_t m = ASK_SIDE; m <= MIN(ask_up(p->m, ASK_SIDE), most); m += ASK_SIDE)
		for (uint64_t n = ASK_SIDE; n <= MIN(ask_up(p->n, ASK_SIDE), most); n += ASK_SIDE)
			shape(&s, m, n);
	return s.best;
}
