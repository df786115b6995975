/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector kernels: element-wise operations, reductions, views, joins.
 *
 * The nodes of a kernel are cut into stages of what can be done tile by tile in one pass over global memory: as many
 * nodes in a row as fit (vector_plan.c).  Tiles are spread over all vector sub-cores in contiguous shares, so that
 * every core walks through memory in order and all cores are at like places of their shares at any time.  Where
 * reductions leave too few lanes for the cores, or one needs more rows than the unified buffer has room for, it is done
 * in two levels, blocks of 2^j rows first: the pairs are those of the graph.
 *
 * Between stages all cores meet.  On machines whose cores cannot, kernels of several stages run on one core.
 */
#include "sched/emit/ascend/vector_int.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ nodes */

static uint32_t add_node(GArray *nodes, const ask_kernel *k, uint32_t i, bool external)
{
	avk_node node = {.n = *graph_at(k->g, i),
	                 .external = external,
	                 .address = k->place[i].pitch_bytes ? k->place[i].address : 0,
	                 .pitch_bytes = k->place[i].pitch_bytes};

	node.stored = node.pitch_bytes != 0;
	g_array_append_val(nodes, node);
	return nodes->len - 1;
}

/* The kernel's nodes and, before each, what it reads from elsewhere. */
static GArray *collect(const ask_kernel *k)
{
	GArray *nodes = g_array_new(FALSE, TRUE, sizeof(avk_node));
	g_autofree uint32_t *at = g_new(uint32_t, graph_size(k->g));

	memset(at, 0xff, graph_size(k->g) * sizeof *at);
	for (guint m = 0; m < k->nodes->len; m++)
		at[g_array_index(k->nodes, uint32_t, m)] = AVK_NONE - 1;
	for (guint m = 0; m < k->nodes->len; m++) {
		uint32_t i = g_array_index(k->nodes, uint32_t, m), in[2] = {AVK_NONE, AVK_NONE}, self;
		const graph_node *n = graph_at(k->g, i);

		for (unsigned o = 0; o < graph_arity(n); o++) {
			if (at[n->in[o]] == AVK_NONE)
				at[n->in[o]] = add_node(nodes, k, n->in[o], true);
			in[o] = at[n->in[o]];
		}
		self = add_node(nodes, k, i, false);
		at[i] = self;
		memcpy(avk_node_at(nodes, self)->n.in, in, sizeof in);
	}
	return nodes;
}

/* Global memory for NODE. */
static void give_place(asb *b, avk_node *node)
{
	node->pitch_bytes = node->n.lanes * isa_type_bytes(node->n.type);
	if (node->n.rows > 1)
		node->pitch_bytes = avk_up(node->pitch_bytes, (uint64_t)asb_machine(b)->ub_row_bytes);
	node->address = asb_scratch(b, node->n.rows * node->pitch_bytes);
}

/* Nodes [FIRST, LAST) as a stage of their own: earlier ones are external, later ones absent. */
static GArray *stage_nodes(GArray *nodes, uint32_t first, uint32_t last)
{
	GArray *own = g_array_new(FALSE, TRUE, sizeof(avk_node));

	g_array_append_vals(own, nodes->data, last);
	for (uint32_t i = 0; i < last; i++) {
		avk_node *node = avk_node_at(own, i);

		node->external |= i < first;
		for (uint32_t user = last; !node->external && user < nodes->len; user++)
			node->stored |=
				avk_node_at(nodes, user)->n.in[0] == i || avk_node_at(nodes, user)->n.in[1] == i;
	}
	return own;
}

/* ------------------------------------------------------------------------------------------------- tiles */

static uint64_t budget(const avk_program *p)
{
	uint64_t turn = (uint64_t)(p->machine->ub_row_bytes * p->machine->ub_groups);

	return (uint64_t)asc_space_bytes(p->machine, ASC_UB) / turn * turn - avk_once_bytes(p);
}

static bool fits(avk_program *p, uint64_t units, uint64_t lanes, unsigned sets)
{
	avk_room room = avk_place(p, units, avk_up(lanes, p->granule));

	return room.fixed + room.ring * sets <= budget(p);
}

/* Most of UNITS that fit, 0: none. */
static uint64_t fitting_units(avk_program *p, uint64_t units, uint64_t lanes, unsigned sets)
{
	uint64_t low = 0, high = units;

	while (low < high) {
		uint64_t middle = (low + high + 1) / 2;

		if (fits(p, middle, lanes, sets))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Most lanes of at most LANES, in steps of STEP, that fit; 0: none. */
static uint64_t fitting_lanes(avk_program *p, uint64_t lanes, uint64_t step, unsigned sets)
{
	uint64_t low = 0, high = (lanes + step - 1) / step;

	while (low < high) {
		uint64_t middle = (low + high + 1) / 2;

		if (fits(p, 1, MIN(middle * step, lanes), sets))
			low = middle;
		else
			high = middle - 1;
	}
	return MIN(low * step, lanes);
}

typedef struct tiling {
	uint64_t units, lanes; /* of a tile */
	unsigned sets;         /* tiles that are in the buffer at once */
} tiling;

/* Bytes of the narrowest value that crosses global memory. */
static uint64_t narrowest(const avk_program *p)
{
	uint64_t bytes = sizeof(uint32_t);

	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = &g_array_index(p->ops, avk_op, i);

		if (o->kind != AVK_VECTOR && !o->once)
			bytes = MIN(bytes, o->element_bytes);
	}
	return bytes;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Is it a column of rows that one core walks down, so that few lanes are much work? */
static bool is_tall(const avk_program *p)
{
	enum { TALL = 16 };

	for (uint32_t i = 0; i < p->regs->len; i++)
		if (avk_reg_at(p, i)->rows >= TALL)
			return true;
	return false;
}

/* Whole rows where there are units for every core, else pieces of rows; tiles as large as fit SETS times, but so that a
 * core has a few to overlap. */
static bool choose_tiles(avk_program *p, uint64_t cores, unsigned sets, tiling *t)
{
	uint64_t bytes = narrowest(p), line = MAX((uint64_t)p->machine->l2_line_bytes / bytes, p->granule);
	uint64_t step = fits(p, 1, MIN(line, p->lanes), sets) ? line : p->granule, wanted, most, few;
	uint64_t small = (uint64_t)(p->machine->mte2_packet_bytes * p->machine->mte2_packet_cycles) / bytes;

	t->sets = sets;
	most = fitting_lanes(p, p->lanes, step, sets);
	if (!most)
		return false;
	if (p->units >= cores && most == p->lanes) {
		uint64_t share = div_up(p->units, cores);

		t->lanes = p->lanes;
		t->units = fitting_units(p, share, p->lanes, sets);
		if (t->units * t->lanes > small)
			t->units = MIN(t->units, div_up(share, MIN(share, (uint64_t)sets + 1)));
		t->units = div_up(share, div_up(share, t->units));
		return true;
	}
	wanted = avk_up(div_up(p->lanes, div_up(cores, p->units)), p->granule);
	if (wanted >= step || !is_tall(p))
		wanted = avk_up(wanted, step);
	wanted = MIN(wanted, avk_up(p->lanes, p->granule));
	few = MAX(MIN((uint64_t)sets + 1, wanted / small), div_up(wanted, most));
	few = MAX(few, 1);
	t->lanes = div_up(wanted, few);
	t->lanes = MIN(avk_up(t->lanes, t->lanes >= step ? step : p->granule), most);
	t->units = MAX(fitting_units(p, div_up(p->units, cores), t->lanes, sets), 1);
	return true;
}

/* Who does what of a stage: CORES sub-cores from FIRST on, lanes from LANE on. */
typedef struct share {
	uint64_t first, cores, lane;
} share;

typedef struct spread {
	const share *who;
	const tiling *t;
	avk_room room;
	uint64_t once, across, cores, tiles;
} spread;

static avk_tile tile_of(asb *b, const avk_program *p, const spread *s, uint64_t core, uint64_t from, uint64_t i)
{
	const tiling *t = s->t;
	avk_tile tile = {.unit = i / s->across * t->units,
	                 .lane = i % s->across * t->lanes,
	                 .base = s->once,
	                 .ring = s->once + s->room.fixed + (i - from) % t->sets * s->room.ring,
	                 .core = avk_core(b, (uint32_t)(s->who->first + core))};

	tile.units = MIN(t->units, p->units - tile.unit);
	tile.lanes = MIN(t->lanes, p->lanes - tile.lane);
	tile.pitch = avk_up(tile.lanes, p->granule);
	tile.lane += s->who->lane;
	return tile;
}

/* Loads run ahead of what is computed by as many tiles as there is room for: queues are short, and a load that stands
 * behind a tile's instructions would be asked for when most of them are done. */
static void run_tiles(asb *b, avk_program *p, const tiling *t, const share *who)
{
	spread s = {.who = who, .t = t, .across = div_up(p->lanes, t->lanes)};

	s.room = avk_place(p, t->units, avk_up(t->lanes, p->granule));
	s.once = avk_once_bytes(p);
	s.tiles = s.across * div_up(p->units, t->units);
	s.cores = MIN(who->cores, s.tiles);
	for (uint64_t c = 0; c < s.cores; c++) {
		uint64_t from = s.tiles * c / s.cores, to = s.tiles * (c + 1) / s.cores, loaded = from;

		for (uint64_t i = from; i < to; i++) {
			avk_tile tile;

			for (; loaded < MIN(i + t->sets, to); loaded++) {
				tile = tile_of(b, p, &s, c, from, loaded);
				avk_emit(b, p, &tile, loaded == from, true);
			}
			tile = tile_of(b, p, &s, c, from, i);
			avk_emit(b, p, &tile, i == from, false);
		}
	}
}

/* Values of one row and lanes without end where that changes nothing: whole tensors without gaps between rows. */
static bool flatten(GArray *nodes)
{
	uint64_t rows = 0, lanes = 0;

	for (uint32_t i = 0; i < nodes->len; i++) {
		const avk_node *node = avk_node_at(nodes, i);
		const graph_node *n = &node->n;

		if (node->external && !node->uses)
			continue;
		if (!node->external && n->op != GRAPH_UNARY && n->op != GRAPH_BINARY)
			return false;
		if (!rows) {
			rows = n->rows;
			lanes = n->lanes;
		}
		if (n->rows != rows || n->lanes != lanes ||
		    ((node->external || node->stored) && node->pitch_bytes != lanes * isa_type_bytes(n->type)))
			return false;
	}
	for (uint32_t i = 0; i < nodes->len; i++) {
		graph_node *n = &avk_node_at(nodes, i)->n;

		n->lanes *= n->rows;
		n->rows = 1;
		avk_node_at(nodes, i)->pitch_bytes = n->lanes * isa_type_bytes(n->type);
	}
	return true;
}

static void count_uses(GArray *nodes)
{
	for (uint32_t i = 0; i < nodes->len; i++)
		avk_node_at(nodes, i)->uses = 0;
	for (uint32_t i = 0; i < nodes->len; i++)
		for (unsigned o = 0; o < 2 && !avk_node_at(nodes, i)->external; o++)
			if (avk_node_at(nodes, i)->n.in[o] != AVK_NONE)
				avk_node_at(nodes, avk_node_at(nodes, i)->n.in[o])->uses++;
}

/* ---------------------------------------------------------------------------------------- two-level reductions */

/* Reductions of ROWS rows are done in blocks of BLOCK rows, a power of two, of which there are WHOLE and perhaps a
 * shorter one; BLOCK 0: they are not. */
typedef struct splitting {
	uint64_t rows, block, whole;
	uint64_t again; /* second levels of at most so many rows are done again in every tile that needs them */
} splitting;

static uint64_t blocks_of(const splitting *s)
{
	return s->whole + (s->rows % s->block != 0);
}

/* NODES with every reduction of s->rows rows in two levels. */
static GArray *split(GArray *nodes, const splitting *s)
{
	GArray *both = g_array_new(FALSE, TRUE, sizeof(avk_node));
	g_autofree uint32_t *now = g_new(uint32_t, nodes->len);

	for (uint32_t i = 0; i < nodes->len; i++) {
		avk_node node = *avk_node_at(nodes, i);

		for (unsigned o = 0; o < 2; o++)
			if (!node.external && node.n.in[o] != AVK_NONE)
				node.n.in[o] = now[node.n.in[o]];
		if (!node.external && node.n.op == GRAPH_REDUCE) {
			avk_node part = node;

			part.n.rows = part.n.groups = blocks_of(s);
			part.n.output = part.stored = false;
			part.address = part.pitch_bytes = 0;
			part.part = true;
			g_array_append_val(both, part);
			node.n.in[0] = both->len - 1;
		}
		g_array_append_val(both, node);
		now[i] = both->len - 1;
	}
	return both;
}

/* The whole blocks' part of a stage, or the last block's. */
static void narrow(GArray *nodes, const splitting *s, bool tail)
{
	uint64_t skipped = tail ? s->whole : 0;

	for (uint32_t i = 0; i < nodes->len; i++) {
		avk_node *node = avk_node_at(nodes, i);

		if (node->part && node->external) {
			node->partial = node->n.rows <= s->again;
		} else if (node->part) {
			node->n.rows = node->n.groups = tail ? 1 : s->whole;
			node->address += skipped * node->pitch_bytes;
		} else if (node->n.rows == s->rows) {
			node->n.rows = tail ? s->rows % s->block : s->whole * s->block;
			node->address += skipped * s->block * node->pitch_bytes;
		}
	}
}

/* Rows of the kernel's reductions where they can be split: of one group all, of the same rows, nothing but element-wise
 * operations beside them; else 0. */
static uint64_t rows_to_split(GArray *nodes)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < nodes->len; i++) {
		const graph_node *n = &avk_node_at(nodes, i)->n;
		uint64_t own;

		if (avk_node_at(nodes, i)->external || n->op == GRAPH_UNARY || n->op == GRAPH_BINARY ||
		    (n->op == GRAPH_ROWS && n->groups == 1 && n->step == 0))
			continue;
		if (n->op != GRAPH_REDUCE || n->groups != 1)
			return 0;
		own = avk_node_at(nodes, n->in[0])->n.rows;
		if (own < 4 || (rows && rows != own))
			return 0;
		rows = own;
	}
	return rows;
}

/* ------------------------------------------------------------------------------------------------ stages */

static void add_candidate(GArray *units, uint64_t n)
{
	for (guint i = 0; i < units->len; i++)
		if (g_array_index(units, uint64_t, i) == n)
			return;
	g_array_append_val(units, n);
}

static int descending(gconstpointer a, gconstpointer b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool all_shared(const avk_program *p)
{
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = &g_array_index(p->ops, avk_op, i);

		if (!o->once && !o->shared)
			return false;
	}
	return true;
}

static bool divided(GArray *nodes, uint64_t long_rows)
{
	for (uint32_t i = 0; long_rows && i < nodes->len; i++)
		if (!avk_node_at(nodes, i)->external && avk_node_at(nodes, i)->n.rows == long_rows)
			return true;
	return false;
}

/* The largest number of units with which NODES make a stage of which LANES lanes fit; 0: none.  LONG_ROWS: nodes of so
 * many rows must be divided. */
static uint64_t find_units(const asc_machine *machine, GArray *nodes, uint64_t lanes, uint64_t long_rows)
{
	g_autoptr(GArray) units = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (uint32_t i = 0; i < nodes->len; i++) {
		const avk_node *node = avk_node_at(nodes, i);

		if (node->external)
			continue;
		add_candidate(units, node->n.rows);
		if (node->n.op == GRAPH_REDUCE || node->n.op == GRAPH_ROWS || node->n.op == GRAPH_JOIN)
			add_candidate(units, node->n.groups);
	}
	if (!divided(nodes, long_rows))
		add_candidate(units, 1);
	g_array_sort(units, descending);
	for (guint i = 0; i < units->len; i++) {
		uint64_t n = g_array_index(units, uint64_t, i);
		g_autoptr(avk_program) p = avk_program_new(NULL, machine, nodes, n);

		if (p && (n == 1 || !all_shared(p)) && fits(p, 1, MIN(MAX(lanes, p->granule), p->lanes), 1))
			return n;
	}
	return 0;
}

typedef struct plan {
	const asc_machine *machine;
	GArray *nodes; /* avk_node */
	splitting split;
	GArray *begin, *units; /* stage i is nodes [begin[i], begin[i + 1]) with units[i] units */
	uint32_t culprit;      /* what cannot be done */
} plan;

static void plan_clear(plan *p)
{
	g_clear_pointer(&p->nodes, g_array_unref);
	g_clear_pointer(&p->begin, g_array_unref);
	g_clear_pointer(&p->units, g_array_unref);
}

/* Cuts the nodes into stages of each of which at least LANES lanes fit. */
static bool cut(plan *p, uint64_t lanes)
{
	uint32_t first = 0, count = p->nodes->len;

	p->begin = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	p->units = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	while (first < count) {
		uint32_t last = first, good = 0;
		uint64_t with = 0;

		while (last < count) {
			g_autoptr(GArray) own = NULL;
			uint64_t n;

			last++;
			if (last < count && avk_node_at(p->nodes, last - 1)->external)
				continue;
			own = stage_nodes(p->nodes, first, last);
			if (p->split.block)
				narrow(own, &p->split, false);
			n = find_units(p->machine, own, lanes, p->split.whole * p->split.block);
			if (!n)
				break;
			good = last;
			with = n;
		}
		if (!good) {
			p->culprit = last - 1;
			return false;
		}
		g_array_append_val(p->begin, first);
		g_array_append_val(p->units, with);
		first = good;
	}
	g_array_append_val(p->begin, first);
	return true;
}

static uint64_t vector_operations(const graph_node *n)
{
	return n->op == GRAPH_UNARY || n->op == GRAPH_BINARY || n->op == GRAPH_REDUCE ? n->rows * n->lanes : 0;
}

static void give_places(asb *b, const plan *p, guint stage)
{
	uint32_t last = g_array_index(p->begin, uint32_t, stage + 1);

	for (uint32_t i = g_array_index(p->begin, uint32_t, stage); i < last; i++) {
		avk_node *node = avk_node_at(p->nodes, i);

		for (uint32_t user = last; !node->external && !node->pitch_bytes && user < p->nodes->len; user++)
			if (avk_node_at(p->nodes, user)->n.in[0] == i || avk_node_at(p->nodes, user)->n.in[1] == i)
				give_place(b, node);
	}
}

static bool run_nodes(asb *b, GArray *nodes, uint64_t units, const share *who, uint64_t lanes)
{
	g_autoptr(avk_program) p = NULL;
	tiling t;

	for (uint32_t i = 0; i < nodes->len; i++)
		if (!avk_node_at(nodes, i)->external && !who->first)
			asb_work(b, 0, vector_operations(&avk_node_at(nodes, i)->n));
	p = avk_program_new(b, asb_machine(b), nodes, units);
	if (!p)
		return false;
	if (lanes)
		p->lanes = lanes;
	for (unsigned sets = 3; sets; sets--)
		if (choose_tiles(p, who->cores, sets, &t)) {
			run_tiles(b, p, &t, who);
			return true;
		}
	return false;
}

/* LANES: of the share; 0: all. */
static bool run_stage(asb *b, plan *p, guint stage, const share *who, uint64_t lanes)
{
	uint32_t first = g_array_index(p->begin, uint32_t, stage), last = g_array_index(p->begin, uint32_t, stage + 1);
	uint64_t units = g_array_index(p->units, uint64_t, stage);
	bool tail = p->split.block && p->split.rows % p->split.block, good;
	GArray *own = stage_nodes(p->nodes, first, last);

	if (p->split.block)
		narrow(own, &p->split, false);
	count_uses(own);
	if (!lanes && flatten(own))
		units = 1;
	good = run_nodes(b, own, units, who, lanes);
	g_array_unref(own);
	if (!good || !tail)
		return good;
	own = stage_nodes(p->nodes, first, last);
	narrow(own, &p->split, true);
	for (uint32_t i = first; i < last; i++) /* what all blocks share is done */
		if (avk_node_at(p->nodes, i)->n.rows == 1 && !avk_node_at(own, i)->part)
			avk_node_at(own, i)->stored = false;
	good = run_nodes(b, own, 1, who, lanes);
	g_array_unref(own);
	return good;
}

/* ------------------------------------------------------------------------------------------------ kernels */

/* Lanes that no stage divides. */
static uint64_t share_granule(const plan *p)
{
	uint64_t granule = 1;

	for (guint i = 0; i < p->units->len; i++) {
		g_autoptr(GArray) own = stage_nodes(p->nodes, g_array_index(p->begin, uint32_t, i),
		                                    g_array_index(p->begin, uint32_t, i + 1));
		g_autoptr(avk_program) program = NULL;

		if (p->split.block)
			narrow(own, &p->split, false);
		program = avk_program_new(NULL, p->machine, own, g_array_index(p->units, uint64_t, i));
		granule = MAX(granule, program->granule);
	}
	return granule;
}

static uint64_t lanes_of(const plan *p)
{
	return avk_node_at(p->nodes, p->nodes->len - 1)->n.lanes;
}

/* Lanes of each core's share where cores go through all stages on their own; 0 where they share rows and meet. */
static uint64_t lanes_of_share(const plan *p, uint64_t cores)
{
	uint64_t lanes = lanes_of(p), granule;

	if (p->units->len == 1)
		return 0;
	granule = share_granule(p);
	if (p->machine->cross_ids && lanes < granule * cores)
		return 0;
	return avk_up(div_up(lanes, cores), granule);
}

static bool run_plan(asb *b, plan *p)
{
	uint64_t cores = avk_cores(b), lanes = lanes_of(p), of_share = lanes_of_share(p, cores);
	bool good = true;

	for (guint i = 0; i < p->units->len; i++)
		give_places(b, p, i);
	for (uint64_t lane = 0, c = 0; of_share && good && lane < lanes; lane += of_share, c++) {
		share who = {c, 1, lane};

		for (guint i = 0; good && i < p->units->len; i++) {
			good = run_stage(b, p, i, &who, MIN(of_share, lanes - lane));
			p->culprit = g_array_index(p->begin, uint32_t, i);
		}
	}
	for (guint i = 0; !of_share && good && i < p->units->len; i++) {
		share who = {0, cores, 0};

		if (i)
			asb_sync(b);
		good = run_stage(b, p, i, &who, 0);
		p->culprit = g_array_index(p->begin, uint32_t, i);
	}
	return good;
}

/* Blocks of reductions: so many rows that each core has one, and so few that a useful width fits. */
static bool split_plan(plan *p, GArray *nodes, uint64_t cores)
{
	uint64_t rows = rows_to_split(nodes), lanes = lanes_of(p), block = 1, width = 128;
	bool meet = p->machine->cross_ids && lanes < cores * 16;

	if (!rows)
		return false;
	if (meet)
		while (2 * block * div_up(cores, div_up(lanes, width)) <= rows)
			block *= 2;
	else
		while (2 * block <= rows / 2)
			block *= 2;
	for (; width; width /= 4)
		for (uint64_t rest = block; rest > 4; rest /= 2) {
			plan_clear(p);
			/* A stage of its own costs a meeting where cores have to meet, else next to nothing. */
			p->split = (splitting){rows, rest, rows / rest, meet ? 4 * rest : 0};
			p->nodes = split(nodes, &p->split);
			if (cut(p, MIN(width, lanes)))
				return true;
		}
	return false;
}

/* Does a piece of each row that is worth a copy fit with all rows of the kernel's reductions? */
static bool is_wide(const plan *p, uint64_t cores)
{
	enum { WIDTH = 64 };
	plan wide = {.machine = p->machine, .nodes = g_array_ref(p->nodes)};
	bool is = lanes_of(p) < cores * WIDTH || (cut(&wide, WIDTH) && wide.units->len == 1);

	plan_clear(&wide);
	return is;
}

/* NODES of the kernel in one level if they can be, keep the cores busy and move more than crumbs; else in two. */
static bool run_kernel(asb *b, GArray *nodes, uint32_t *culprit)
{
	enum { WORTH = 1 << 15, NARROW = 16 };
	plan p = {.machine = asb_machine(b), .nodes = g_array_ref(nodes)};
	uint64_t cores = avk_cores(b), lanes = lanes_of(&p), rows = rows_to_split(nodes);
	bool good = cut(&p, 1), idle = lanes * 2 < cores * NARROW && rows * MAX(lanes, NARROW) >= WORTH;

	if (rows && (!good || p.units->len > 1 || (idle && p.machine->cross_ids) || !is_wide(&p, cores))) {
		good = split_plan(&p, nodes, cores);
		if (!good) {
			plan_clear(&p);
			p.split.block = 0;
			p.nodes = g_array_ref(nodes);
			good = cut(&p, 1);
		}
	}
	good = good && run_plan(b, &p);
	*culprit = p.culprit;
	plan_clear(&p);
	return good;
}

/* Groups that all reductions of the kernel have and nothing joins; 1 where there are none. */
static uint64_t groups_of(GArray *nodes)
{
	uint64_t groups = 1;

	for (uint32_t i = 0; i < nodes->len; i++) {
		const graph_node *n = &avk_node_at(nodes, i)->n;

		if (!avk_node_at(nodes, i)->external && n->op == GRAPH_REDUCE)
			groups = MAX(groups, n->groups);
	}
	for (uint32_t i = 0; i < nodes->len; i++) {
		const graph_node *n = &avk_node_at(nodes, i)->n;

		if (avk_node_at(nodes, i)->external ? n->rows > 1 && n->rows % groups : n->rows % groups)
			return 1;
		if (avk_node_at(nodes, i)->external || n->op == GRAPH_UNARY || n->op == GRAPH_BINARY)
			continue;
		if (n->groups != groups ||
		    (n->op != GRAPH_REDUCE && (n->op != GRAPH_ROWS || n->step || n->pitch != 1 || n->first_row)))
			return 1;
	}
	return groups;
}

/* The kernel's nodes for group WHICH alone. */
static GArray *one_group(GArray *nodes, uint64_t groups, uint64_t which)
{
	GArray *own = g_array_new(FALSE, TRUE, sizeof(avk_node));

	g_array_append_vals(own, nodes->data, nodes->len);
	for (uint32_t i = 0; i < own->len; i++) {
		avk_node *node = avk_node_at(own, i);

		if (node->external && node->n.rows == 1)
			continue;
		node->n.rows /= groups;
		node->address += which * node->n.rows * node->pitch_bytes;
		if (node->n.op == GRAPH_REDUCE || node->n.op == GRAPH_ROWS)
			node->n.groups = 1;
	}
	return own;
}

bool ask_vector(asb *b, const ask_kernel *k, GError **error)
{
	g_autoptr(GArray) nodes = collect(k);
	plan whole = {.machine = asb_machine(b), .nodes = g_array_ref(nodes)};
	uint64_t groups = groups_of(nodes);
	uint32_t culprit = 0;
	bool good = true;

	/* Groups that do not fit are done one after the other, each in two levels. */
	if (groups > 1 && cut(&whole, 1) && whole.units->len == 1)
		groups = 1;
	plan_clear(&whole);
	for (uint64_t i = 0; good && i < groups; i++) {
		g_autoptr(GArray) own = groups > 1 ? one_group(nodes, groups, i) : g_array_ref(nodes);

		good = run_kernel(b, own, &culprit);
	}
	if (!good)
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s: '%s' does not fit the unified buffer in any way known",
		            avk_node_at(nodes, MIN(culprit, nodes->len - 1))->n.name,
		            graph_op_name(avk_node_at(nodes, MIN(culprit, nodes->len - 1))->n.op));
	return good;
}
