/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles of a stage: how large, how many in flight, who does which, in what order.
 *
 * Every sub-core has a contiguous share of the tiles.  So each walks through memory in order, and all are at like
 * places of their shares at any time: where shares are a round of L2's sets apart, lines that are written come after
 * those that are read of the same set, and what has to make room is what was read.
 */
#include "sched/emit/ascend/vector_int.h"

static uint64_t budget(const avk_program *p)
{
	uint64_t turn = (uint64_t)(p->machine->ub_row_bytes * p->machine->ub_groups);

	return (uint64_t)asc_space_bytes(p->machine, ASC_UB) / turn * turn - avk_once_bytes(p);
}

bool avk_fits(avk_program *p, uint64_t units, uint64_t lanes, unsigned sets)
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

		if (avk_fits(p, middle, lanes, sets))
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

		if (avk_fits(p, 1, MIN(middle * step, lanes), sets))
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

uint64_t avk_narrowest(const avk_program *p)
{
	uint64_t bytes = sizeof(uint32_t);

	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = &g_array_index(p->ops, avk_op, i);

		if (o->kind != AVK_VECTOR && !o->once)
			bytes = MIN(bytes, o->element_bytes);
	}
	return bytes;
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
	uint64_t bytes = avk_narrowest(p), line = MAX((uint64_t)p->machine->l2_line_bytes / bytes, p->granule);
	uint64_t step = avk_fits(p, 1, MIN(line, p->lanes), sets) ? line : p->granule, wanted, most, few;
	uint64_t small = (uint64_t)(p->machine->mte2_packet_bytes * p->machine->mte2_packet_cycles) / bytes;

	t->sets = sets;
	most = fitting_lanes(p, p->lanes, step, sets);
	if (!most)
		return false;
	if (p->units >= cores && most == p->lanes) {
		uint64_t share = avk_div_up(p->units, cores);

		t->lanes = p->lanes;
		t->units = fitting_units(p, share, p->lanes, sets);
		if (t->units * t->lanes > small)
			t->units = MIN(t->units, avk_div_up(share, MIN(share, (uint64_t)sets + 1)));
		t->units = avk_div_up(share, avk_div_up(share, t->units));
		return true;
	}
	wanted = avk_up(avk_div_up(p->lanes, avk_div_up(cores, p->units)), p->granule);
	if (wanted >= step || !is_tall(p))
		wanted = avk_up(wanted, step);
	wanted = MIN(wanted, avk_up(p->lanes, p->granule));
	few = MAX(MIN((uint64_t)sets + 1, wanted / small), avk_div_up(wanted, most));
	few = MAX(few, 1);
	t->lanes = avk_div_up(wanted, few);
	t->lanes = MIN(avk_up(t->lanes, t->lanes >= step ? step : p->granule), most);
	t->units = MAX(fitting_units(p, avk_div_up(p->units, cores), t->lanes, sets), 1);
	return true;
}

typedef struct spread {
	const avk_share *who;
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

/* By the node of its last operation. */
static void name_loop(asb *b, const avk_program *p, asb_core core)
{
	if (p->ops->len)
		asb_node(b, avk_node_at(p->nodes, g_array_index(p->ops, avk_op, p->ops->len - 1).node)->n.name);
	asb_loop(b, core, "tiles");
}

/* Loads run ahead of what is computed by as many tiles as there is room for: queues are short, and a load that stands
 * behind a tile's instructions would be asked for when most of them are done. */
static void run(asb *b, avk_program *p, const tiling *t, const avk_share *who)
{
	spread s = {.who = who, .t = t, .across = avk_div_up(p->lanes, t->lanes)};

	s.room = avk_place(p, t->units, avk_up(t->lanes, p->granule));
	s.once = avk_once_bytes(p);
	s.tiles = s.across * avk_div_up(p->units, t->units);
	s.cores = MIN(who->cores, s.tiles);
	name_loop(b, p, avk_core(b, (uint32_t)who->first));
	for (uint64_t c = 0; c < s.cores; c++) {
		uint64_t from = s.tiles * c / s.cores, to = s.tiles * (c + 1) / s.cores, loaded = from;

		for (uint64_t i = from; i < to; i++) {
			avk_tile tile;

			for (; loaded < MIN(i + t->sets, to); loaded++) {
				tile = tile_of(b, p, &s, c, from, loaded);
				asb_iteration(b, tile.core, loaded - from);
				avk_emit(b, p, &tile, loaded == from, true);
			}
			tile = tile_of(b, p, &s, c, from, i);
			asb_iteration(b, tile.core, i - from);
			avk_emit(b, p, &tile, i == from, false);
		}
	}
}

/* Halves tiles TIMES times. */
static void make_smaller(const avk_program *p, tiling *t, uint32_t times)
{
	for (; times; times--)
		if (t->units > 1)
			t->units = avk_div_up(t->units, 2);
		else
			t->lanes = MIN(avk_up(avk_div_up(t->lanes, 2), p->granule), t->lanes);
}

/* Values that are stored keep their places, where tiles become no smaller by it. */
static bool choose_apart(avk_program *p, uint64_t cores, unsigned sets, tiling *t)
{
	tiling small;

	p->apart = false;
	if (!choose_tiles(p, cores, sets, t))
		return false;
	p->apart = true;
	if (choose_tiles(p, cores, sets, &small) && small.units == t->units && small.lanes == t->lanes)
		*t = small;
	else
		p->apart = false;
	return true;
}

bool avk_run_tiles(asb *b, avk_program *p, const avk_share *who)
{
	static const unsigned most[] = {3, 2, 4, 1};
	unsigned first = most[asb_decide(b, "sets", G_N_ELEMENTS(most))];
	tiling t;

	for (unsigned sets = first; sets; sets--)
		if (choose_apart(p, who->cores, sets, &t)) {
			make_smaller(p, &t, asb_halvings(b));
			run(b, p, &t, who);
			return true;
		}
	return false;
}
