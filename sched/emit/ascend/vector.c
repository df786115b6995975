/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector kernels: element-wise operations, reductions, views, joins.
 *
 * The nodes of a kernel are cut into stages of what can be done tile by tile in one pass over global memory: as many
 * nodes in a row as fit (vector_plan.c).  Tiles are spread over all vector sub-cores in contiguous shares, so that every
 * core walks through memory in order and all cores are at like places of their shares at any time.  Where reductions
 * leave too few lanes for the cores, or one needs more rows than the unified buffer has room for, it is done in two
 * levels, blocks of 2^j rows first: the pairs are those of the graph.
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
			node->stored |= avk_node_at(nodes, user)->n.in[0] == i || avk_node_at(nodes, user)->n.in[1] == i;
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
	return avk_place(p, units, avk_up(lanes, p->granule)) * sets <= budget(p);
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

static void run_tiles(asb *b, avk_program *p, const tiling *t, uint64_t cores)
{
	uint64_t across = div_up(p->lanes, t->lanes), tiles = across * div_up(p->units, t->units);
	uint64_t once = avk_once_bytes(p), bytes = avk_place(p, t->units, avk_up(t->lanes, p->granule));

	cores = MIN(cores, tiles);
	for (uint64_t c = 0; c < cores; c++) {
		uint64_t from = tiles * c / cores, to = tiles * (c + 1) / cores;

		for (uint64_t i = from; i < to; i++) {
			avk_tile tile = {.unit = i / across * t->units,
			                 .lane = i % across * t->lanes,
			                 .base = once + (i - from) % t->sets * bytes,
			                 .core = avk_core(b, (uint32_t)c)};

			tile.units = MIN(t->units, p->units - tile.unit);
			tile.lanes = MIN(t->lanes, p->lanes - tile.lane);
			tile.pitch = avk_up(tile.lanes, p->granule);
			avk_emit(b, p, &tile, i == from);
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

/* The largest number of units with which NODES make a stage that fits; 0: none. */
static uint64_t find_units(const asc_machine *machine, GArray *nodes)
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
	add_candidate(units, 1);
	g_array_sort(units, descending);
	for (guint i = 0; i < units->len; i++) {
		uint64_t n = g_array_index(units, uint64_t, i);
		g_autoptr(avk_program) p = avk_program_new(NULL, machine, nodes, n);

		if (p && fits(p, 1, MIN(p->granule, p->lanes), 1))
			return n;
	}
	return 0;
}

/* Cuts NODES into stages: [begin[i], begin[i + 1]).  False where a node cannot be done at all. */
static bool cut(const asc_machine *machine, GArray *nodes, GArray *begin, GArray *units, uint32_t *culprit)
{
	uint32_t first = 0;

	while (first < nodes->len) {
		uint32_t last = first, good = 0;
		uint64_t with = 0;

		while (last < nodes->len) {
			g_autoptr(GArray) own = NULL;
			uint64_t n;

			last++;
			if (last < nodes->len && avk_node_at(nodes, last - 1)->external)
				continue;
			own = stage_nodes(nodes, first, last);
			n = find_units(machine, own);
			if (!n)
				break;
			good = last;
			with = n;
		}
		if (!good) {
			*culprit = last - 1;
			return false;
		}
		g_array_append_val(begin, first);
		g_array_append_val(units, with);
		first = good;
	}
	g_array_append_val(begin, first);
	return true;
}

static uint64_t vector_operations(const graph_node *n)
{
	return n->op == GRAPH_UNARY || n->op == GRAPH_BINARY || n->op == GRAPH_REDUCE ? n->rows * n->lanes : 0;
}

static bool run_stage(asb *b, GArray *nodes, uint32_t first, uint32_t last, uint64_t units, uint64_t cores)
{
	g_autoptr(GArray) own = NULL;
	g_autoptr(avk_program) p = NULL;
	tiling t;

	for (uint32_t i = first; i < last; i++) {
		avk_node *node = avk_node_at(nodes, i);

		for (uint32_t user = last; !node->external && !node->pitch_bytes && user < nodes->len; user++)
			if (avk_node_at(nodes, user)->n.in[0] == i || avk_node_at(nodes, user)->n.in[1] == i)
				give_place(b, node);
	}
	own = stage_nodes(nodes, first, last);
	count_uses(own);
	if (flatten(own))
		units = 1;
	for (uint32_t i = 0; i < own->len; i++)
		if (!avk_node_at(own, i)->external)
			asb_work(b, 0, vector_operations(&avk_node_at(own, i)->n));
	p = avk_program_new(b, asb_machine(b), own, units);
	if (!p)
		return false;
	for (unsigned sets = 3; sets; sets--)
		if (choose_tiles(p, cores, sets, &t)) {
			run_tiles(b, p, &t, cores);
			return true;
		}
	return false;
}

bool ask_vector(asb *b, const ask_kernel *k, GError **error)
{
	const asc_machine *machine = asb_machine(b);
	g_autoptr(GArray) nodes = collect(k);
	g_autoptr(GArray) begin = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GArray) units = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	uint32_t culprit = 0;
	bool good = cut(machine, nodes, begin, units, &culprit);

	for (guint i = 0; good && i < units->len; i++) {
		uint64_t cores = machine->cross_ids || units->len == 1 ? avk_cores(b) : 1;

		if (i)
			asb_sync(b);
		culprit = g_array_index(begin, uint32_t, i);
		good = run_stage(b, nodes, culprit, g_array_index(begin, uint32_t, i + 1),
		                 g_array_index(units, uint64_t, i), cores);
	}
	if (!good)
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s: '%s' does not fit the unified buffer in any way known",
		            avk_node_at(nodes, culprit)->n.name, graph_op_name(avk_node_at(nodes, culprit)->n.op));
	return good;
}
