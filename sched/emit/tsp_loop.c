/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector loops as kernels.
 *
 * A loop whose steps all find a queue of their own runs as one burst a step.  One with more steps than queues, or whose
 * iterations go faster by twos or threes (three accesses fit the banks in a cycle, two an iteration: three iterations
 * in two cycles), runs in blocks: each step a short burst, in rows by a modulo schedule, values of a whole block in
 * registers.  Loads that do not move from iteration to iteration are made once a chunk.
 */
#include <math.h>

#include "sched/emit/tsp.h"

enum {
	ONCE_ITERATIONS = 4,
	BLOCK_MAX = 64,
	ROW_LEAST = 8, /* bursts shorter than that are not worth rows */
	WAIT_CHUNKS = 4,
	COPIES_MAX = 6, /* iterations side by side */
	COPIES_FEW = 2,
	PARTS_MAX = 2, /* of each */
	STRANDS_MAX = COPIES_MAX * PARTS_MAX,
	MISSES_MAX = 16, /* lengths of bursts that had rows and no place */
	PLANS_MAX = 5,   /* that bursts are tried for */
	PLANS_KEPT = 32, /* that are looked at again */
	SAMPLED = 16,    /* iterations that stand for all */
	SMALL = 128,     /* loops whose chunks may wait for each other */
	SHORT = 1024,    /* loops in which bursts of all lengths are tried */
	ITERATIONS_LEAST = 4 * ROW_LEAST,
};

/* A plan so near its bound ends the search for a better one. */
#define NEAR 1.03
/* What gaps between short bursts cost, as a factor. */
#define GAPS    1.34
#define FOREVER 1e18

typedef struct loop_shape {
	const low_vloop *loop;
	uint64_t from;  /* first iteration of the kernel, over both levels */
	uint32_t count; /* iterations of the kernel: COPIES of the loop's each */
	unsigned copies;
	uint32_t segment;    /* consecutive iterations of a copy */
	unsigned parts;      /* in which each iteration is made, one beside the other */
	uint64_t part_lanes; /* of the first one */
	bool once_inner;     /* are loads with step0 = 0 constant over the kernel? */
} loop_shape;

static const low_step *step_at(const low_vloop *loop, guint i)
{
	return &g_array_index(loop->steps, low_step, i);
}

static bool is_once(const loop_shape *shape, const low_step *s)
{
	if (s->kind != LOW_LOAD)
		return false;
	if (s->ref.step0 == 0 && s->ref.step1 == 0)
		return true;
	return s->ref.step0 == 0 && shape->once_inner;
}

/* One of the strands that run side by side: part PART of the iterations of copy COPY. */
typedef struct strand {
	unsigned copy, part;
} strand;

static uint64_t lanes_of(const loop_shape *shape, strand at)
{
	if (shape->parts == 1)
		return shape->loop->lanes;
	return at.part ? shape->loop->lanes - shape->part_lanes : shape->part_lanes;
}

static void fill_addresses(tspe_kernel *k, int index, const loop_shape *shape, strand which, const low_step *s)
{
	tspe_step *step = &k->step[index];

	step->cell = tspe_kernel_alloc(k, shape->count * sizeof(uint32_t));
	for (uint32_t i = 0; i < shape->count; i++) {
		uint64_t at = shape->from + (uint64_t)(i / shape->segment) * shape->segment * shape->copies +
		              (uint64_t)which.copy * shape->segment + i % shape->segment;
		int64_t v = s->ref.first + (int64_t)(at % shape->loop->n0) * s->ref.step0 +
		            (int64_t)(at / shape->loop->n0) * s->ref.step1;

		step->addr[i] = (int64_t)(tspe_vector_addr(step->tensor, s->ref.section, v, &step->cell[i]) +
		                          which.part * shape->part_lanes * step->tensor->element);
		step->cell[i] += which.part;
	}
}

/* Steps of the loop name each other by MAP[]: numbers of the kernel's steps. */
static int add_memory(tspe_kernel *k, const loop_shape *shape, strand which, const low_step *s, const int *map)
{
	tspe *e = k->e;
	bool load = s->kind == LOW_LOAD;
	tspe_tensor *t = &e->tensors[s->ref.tensor];
	int index = tspe_kernel_add(k, load ? ISA_OP_LOAD : ISA_OP_STORE, e->mem.at, e->mem.count);

	tspe_kernel_memory(k, index, t, (uint32_t)(lanes_of(shape, which) * t->element), 0, 1);
	fill_addresses(k, index, shape, which, s);
	if (shape->parts > 1)
		k->step[index].cells = 1;
	if (load) {
		tspe_kernel_result(k, index, tspe_span(e->m, lanes_of(shape, which), t->low->type));
		k->step[index].once = is_once(shape, s);
	} else {
		tspe_kernel_link(k, index, 0, map[s->in[0]]);
	}
	return index;
}

static int add_op(tspe_kernel *k, const loop_shape *shape, strand which, const low_step *s, const int *map)
{
	tspe *e = k->e;
	int index = tspe_kernel_add(k, s->op, e->vxm.at, e->vxm.count);
	isa_insn *insn = &k->step[index].insn;

	insn->type = (uint8_t)s->type;
	insn->dtype = (uint8_t)s->dtype;
	insn->lanes = (uint16_t)lanes_of(shape, which);
	insn->imm = s->in[1] == -2 ? s->imm : 0;
	if (s->in[1] == -2)
		insn->src1 = ISA_PLACE_IMM;
	tspe_kernel_result(k, index, tspe_span(e->m, lanes_of(shape, which), s->dtype));
	for (unsigned o = 0; o < 2; o++)
		if (s->in[o] >= 0)
			tspe_kernel_link(k, index, o, map[s->in[o]]);
	return index;
}

/* Tiles that the farthest lane moves up. */
static int32_t tile_distance(const isa_machine *m, const uint16_t *map)
{
	int64_t farthest = 0;

	for (int64_t lane = 0; lane < m->lanes; lane++)
		farthest = MAX(farthest, map[lane] / m->lanes_per_superlane - lane / m->lanes_per_superlane);
	return (int32_t)farthest;
}

/* Lane i of COUNT takes lane i ^ XOR; the rest stays. */
static void exchange_map(uint16_t *map, uint32_t count, uint32_t xor)
{
	for (uint32_t lane = 0; lane < 320; lane++)
		map[lane] = (uint16_t)(lane < count ? lane ^ xor : lane);
}

/* A vector of wide elements that fits one register moves as twice as many 16-bit lanes: the unit works on whole
 * registers, and of a wide operand the second one would be read although nothing is in it. */
static uint32_t lane_parts(const tspe *e, const low_vloop *loop, const low_step *s)
{
	return isa_type_bytes(s->type) == 4 && tspe_span(e->m, loop->lanes, s->type) == 1 ? 2 : 1;
}

static int add_lanes(tspe_kernel *k, const loop_shape *shape, const low_step *s, const int *map)
{
	tspe *e = k->e;
	uint64_t lanes = shape->loop->lanes;
	/* A vector that fits one register moves as 16-bit lanes: the unit works on whole registers, and of a wide
	 * operand the second one would be read although nothing is in it. */
	bool halves = isa_type_bytes(s->type) == 4 && tspe_span(e->m, lanes, s->type) == 1;
	uint32_t parts = halves ? 2 : 1;
	enum isa_type type = halves ? ISA_TYPE_I16 : s->type;
	bool local = s->lane_xor * parts < (uint32_t)e->m->lanes_per_superlane && e->distribute.count;
	const tspe_queues *queues = local ? &e->distribute : &e->permute;
	int index = tspe_kernel_add(k, local ? ISA_OP_DISTRIBUTE : ISA_OP_PERMUTE, queues->at, queues->count);
	tspe_step *step = &k->step[index];
	uint16_t lane[320];

	exchange_map(lane, (uint32_t)lanes * parts, s->lane_xor * parts);
	step->insn.map = (uint16_t)isa_program_add_map(e->program, lane);
	step->insn.type = (uint8_t)type;
	if (!local)
		step->delay += tile_distance(e->m, lane);
	tspe_kernel_result(k, index, tspe_span(e->m, (uint64_t)e->m->lanes, type));
	tspe_kernel_link(k, index, 0, map[s->in[0]]);
	return index;
}

static tspe_kernel *build(tspe *e, const loop_shape *shape)
{
	tspe_kernel *k = tspe_kernel_new(e, shape->count);
	unsigned strands = shape->copies * shape->parts;
	int map[STRANDS_MAX][TSPE_STEPS_MAX];

	/* With several strands, what copies share comes first.  Strands of a step stand beside each other: their
	 * accesses follow each other in memory. */
	for (guint i = 0; strands > 1 && i < shape->loop->steps->len; i++)
		for (unsigned p = 0; p < shape->parts && is_once(shape, step_at(shape->loop, i)); p++)
			map[p][i] = add_memory(k, shape, (strand){0, p}, step_at(shape->loop, i), NULL);
	for (guint i = 0; i < shape->loop->steps->len; i++)
		for (unsigned n = 0; n < strands; n++) {
			const low_step *s = step_at(shape->loop, i);
			strand at = {n / shape->parts, n % shape->parts};

			if (strands > 1 && is_once(shape, s))
				map[n][i] = map[at.part][i];
			else if (s->kind == LOW_OP)
				map[n][i] = add_op(k, shape, at, s, map[n]);
			else if (s->kind == LOW_LANES)
				map[n][i] = add_lanes(k, shape, s, map[n]);
			else
				map[n][i] = add_memory(k, shape, at, s, map[n]);
		}
	tspe_kernel_finish(k);
	return k;
}

/* Can iterations be made in parts?  Each lane for itself, and what is stored is kept by parts. */
static bool has_parts(const tspe *e, loop_shape *shape)
{
	shape->part_lanes = 0;
	for (guint i = 0; i < shape->loop->steps->len; i++) {
		const low_step *s = step_at(shape->loop, i);
		const tspe_tensor *t = &e->tensors[s->ref.tensor];

		if (s->kind == LOW_LANES)
			return false;
		if (s->kind == LOW_OP || (s->kind == LOW_LOAD && (t->parts == 1 || t->turned)))
			continue;
		if (t->parts == 1 || (shape->part_lanes && shape->part_lanes != t->part_lanes))
			return false;
		shape->part_lanes = t->part_lanes;
	}
	return shape->part_lanes && shape->part_lanes < shape->loop->lanes;
}

/* Registers that one iteration holds at its fullest moment. */
static unsigned live_registers(const tspe_kernel *k)
{
	unsigned most = 1;

	for (unsigned i = 0; i < k->step_count; i++) {
		unsigned live = 0;

		for (unsigned p = 0; p <= i; p++) {
			bool used = p == i;

			for (unsigned c = i; c < k->step_count && !used; c++)
				used = k->step[c].in[0] == (int)p || k->step[c].in[1] == (int)p;
			live += used && k->step[p].result == TSPE_REGISTERS ? k->step[p].span : 0;
		}
		most = MAX(most, live);
	}
	return most;
}

/* Has every step a queue of its own? */
static bool fits_queues(const tspe_kernel *k)
{
	const tspe *e = k->e;
	unsigned used[ISA_UNIT_COUNT] = {0};

	for (unsigned i = 0; i < k->step_count; i++)
		used[isa_ops[k->step[i].insn.op].unit] += !k->step[i].once;
	return used[ISA_UNIT_MEM] <= e->mem.count && used[ISA_UNIT_VXM] <= e->vxm.count &&
	       used[ISA_UNIT_SXM] <= MAX(e->permute.count, 1);
}

/* How a loop runs in rows: COPIES iterations side by side, in PARTS, each in bursts of SEGMENT, ROWS bursts one after
 * the other. */
typedef struct row_plan {
	unsigned copies, parts;
	bool alone; /* chunks may wait for each other */
	uint32_t segment, rows;
	double bound; /* cycles an iteration, at least, with so many side by side, */
	double best;  /* and whatever is side by side; */
	double rest;  /* what iterations take that are left over; */
	double least; /* cycles of the loop, at most */
} row_plan;

/* By how many cycles the bursts of N iterations may miss their rows. */
static int64_t most_skew(uint32_t n)
{
	return MAX(n / 4, 2);
}

/* A way from a load to a value, as a chunk in rows keeps to it: its beginning is due in the first iteration by DUE,
 * counted from row 0; for BUSY cycles of it an iteration is inside of an operation. */
typedef struct lane_way {
	bool any;
	int64_t due, busy;
	unsigned span; /* the least of its values */
} lane_way;

/* Of the ways to step S, one along which least time passes inside of operations. */
static lane_way way_to(const tspe_step *s, const lane_way *ways, uint32_t n)
{
	lane_way best = {false, 0, 0, UINT_MAX};

	if (s->memory && tspe_is_load(s))
		return (lane_way){!s->once, (int64_t)s->row * n + most_skew(n) + tspe_latest_due(s, 0), 0, s->span};
	for (unsigned o = 0; o < 2; o++) {
		const lane_way *way = s->in[o] >= 0 ? &ways[s->in[o]] : &best;

		if (way->any && (!best.any || way->due + way->busy < best.due + best.busy))
			best = *way;
	}
	if (!s->memory) {
		best.busy += s->delay;
		best.span = MIN(best.span, s->span);
	}
	return best;
}

/* Would a chunk that keeps to its rows need more registers than may be used?  Between a load and the store that it
 * leads to an iteration keeps one value at least, unless it is inside of an operation, and iterations follow each other
 * cycle by cycle. */
static bool lacks_registers(const tspe_kernel *k, uint32_t n)
{
	lane_way ways[TSPE_STEPS_MAX];

	for (unsigned i = 0; i < k->step_count; i++) {
		const tspe_step *s = &k->step[i];
		int64_t passed, kept;

		ways[i] = way_to(s, ways, n);
		if (!s->memory || tspe_is_load(s) || !ways[i].any)
			continue;
		passed = (int64_t)s->row * n + s->skew - ways[i].due;
		kept = MIN(passed + 1, (int64_t)n) - ways[i].busy;
		if (kept * ways[i].span > (int64_t)k->e->registers)
			return true;
	}
	return false;
}

/* Places a chunk in rows, near what it waits for or behind everything; false when it does not keep to them.  What could
 * begin long before, while the memory has room for it, rather fills gaps, in bursts one by one. */
static bool place_rows(tspe_kernel *k, uint32_t first, uint32_t n)
{
	int64_t earliest = tspe_earliest(k, first, n, 1);
	int64_t wait = k->e->cal.horizon - earliest;
	int64_t skew;

	if (lacks_registers(k, n))
		return false;
	if (!tspe_place(k, first, n, 1, TSPE_NEVER)) {
		if (tspe_manner_now(k->e) != TSPE_MANNER_PATIENT && wait > (int64_t)WAIT_CHUNKS * k->rows * n &&
		    (bank_calendar_is_ideal(k->e->cal.banks) || !tspe_is_crowded(k, first, k->rows, earliest)))
			return false;
		if (!tspe_place(k, first, n, 1, k->e->cal.horizon))
			return false;
	}
	tspe_first_row(k, &skew);
	if (skew <= most_skew(n))
		return true;
	tspe_unplace(k);
	return false;
}

/* Rows from the first burst of a chunk to the end of its last. */
static int64_t rows_spanned(const tspe_kernel *k)
{
	int64_t last = 0;

	for (unsigned i = 0; i < k->step_count; i++)
		last = MAX(last, k->step[i].row);
	return last + 1;
}

/* What the loop would take: whole chunks in rows, one ROWS rows after the other, and the rest at REST cycles an
 * iteration. */
static double estimate(const loop_shape *shape, const tspe_kernel *k, unsigned copies, double rows, double rest)
{
	uint32_t chunks = shape->count / (copies * k->n);

	return ((chunks - 1) * rows + (double)rows_spanned(k)) * k->n +
	       (double)(shape->count - chunks * copies * k->n) * rest;
}

static unsigned count_bursts(const tspe_kernel *k)
{
	unsigned count = 0;

	for (unsigned i = 0; i < k->step_count; i++)
		count += k->step[i].memory && !k->step[i].once;
	return count;
}

/* Rows of bursts of a loop: the same in all ways of one layout. */
typedef struct sample_key {
	const low_vloop *loop;
	uint64_t from;
	uint32_t count, segment, rows_from, rows_to, copies, parts, dense, alone;
} sample_key;
G_STATIC_ASSERT(sizeof(sample_key) == sizeof(low_vloop *) + sizeof(uint64_t) + 8 * sizeof(uint32_t)); /* no holes */

typedef struct sample_rows {
	uint32_t rows; /* 0: there are none */
	uint64_t registers;
	int32_t row[TSPE_STEPS_MAX];
} sample_rows;

static const sample_rows *find_rows(tspe *e, const sample_key *key, tspe_kernel *k)
{
	sample_rows *found = g_new0(sample_rows, 1);

	if (tspe_kernel_rows(k, key->rows_from, key->rows_to, key->alone, &found->registers))
		found->rows = k->rows;
	for (unsigned i = 0; i < k->step_count; i++)
		found->row[i] = k->step[i].row;
	tspe_keep(e, key, sizeof *key, found);
	return found;
}

/* A kernel of one burst a step by PLAN, with its rows, from the first of SHAPE's iterations; NULL when it has none so
 * short, or too few registers for them. */
static tspe_kernel *build_sample(tspe *e, const loop_shape *shape, const row_plan *plan, uint64_t *registers)
{
	loop_shape sample = *shape;
	g_autoptr(tspe_kernel) k = NULL;
	uint32_t chunks = shape->count / (plan->copies * plan->segment);
	sample_key key = {.loop = shape->loop,
	                  .from = shape->from,
	                  .segment = plan->segment,
	                  .dense = e->partials_dense,
	                  .alone = plan->alone};
	const sample_rows *known;

	*registers = 0;
	key.rows_from = key.rows_to = plan->rows;
	if (!plan->rows) {
		key.rows_from = (uint32_t)ceil(plan->bound * plan->copies - 0.01);
		key.rows_to = (uint32_t)(plan->least / (chunks * plan->segment));
	}
	if (key.rows_to < key.rows_from)
		return NULL;
	key.copies = sample.copies = plan->copies;
	key.parts = sample.parts = plan->parts;
	sample.segment = plan->segment;
	key.count = sample.count = plan->segment * MIN(chunks, 2);
	known = tspe_recall(e, &key, sizeof key);
	if (known)
		*registers = known->registers;
	if (known && (!known->rows || known->registers > (uint64_t)e->m->vreg_count))
		return NULL;
	k = build(e, &sample);
	k->n = plan->segment;
	if (!known)
		known = find_rows(e, &key, k);
	*registers = known->registers;
	k->rows = known->rows;
	for (unsigned i = 0; i < k->step_count; i++)
		k->step[i].row = known->row[i];
	if (!known->rows || known->registers > (uint64_t)e->m->vreg_count ||
	    estimate(shape, k, plan->copies, k->rows, plan->rest) >= plan->least)
		return NULL;
	return g_steal_pointer(&k);
}

/* Rows from one chunk to the next as they come out where both are placed: registers and ports that none of the rows
 * knows of, or chunks of other loops, may keep the second one away.  0: the first has no place. */
static double rows_kept(tspe *e, const loop_shape *shape, tspe_kernel *k, const row_plan *plan, int64_t ready)
{
	loop_shape next = *shape;
	g_autoptr(tspe_kernel) second = NULL;
	double rows = k->rows;
	int64_t skew, began;

	k->ready = ready;
	if (!place_rows(k, 0, plan->segment))
		return 0;
	if (k->count > k->n) {
		next.copies = plan->copies;
		next.parts = plan->parts;
		next.segment = next.count = plan->segment;
		next.from += plan->copies * plan->segment;
		second = build(e, &next);
		tspe_copy_rows(second, k);
		began = tspe_first_row(k, &skew);
		second->ready = began + (int64_t)k->rows * k->n;
		rows = 0;
		if (place_rows(second, 0, plan->segment)) {
			rows = (double)(tspe_first_row(second, &skew) - began) / k->n;
			tspe_unplace(second);
		}
	}
	tspe_unplace(k);
	return rows;
}

/* Tries bursts of all lengths for what is side by side in TRIED; the best becomes PLAN if it takes less than
 * PLAN->least cycles. */
static void try_copies(tspe *e, const loop_shape *shape, row_plan tried, int64_t ready, row_plan *plan)
{
	uint32_t longest = MIN(shape->count / tried.copies, BLOCK_MAX);

	uint32_t shorter = 1;
	unsigned misses = 0;

	for (tried.segment = longest;
	     tried.segment >= ROW_LEAST && misses < MISSES_MAX && plan->least > NEAR * plan->best * shape->count;
	     tried.segment -= shorter) {
		g_autoptr(tspe_kernel) k = NULL;
		uint64_t registers;
		double rows, cycles;

		tried.least = plan->least;
		tried.rows = 0;
		tried.alone = false;
		k = build_sample(e, shape, &tried, &registers);
		if (!k && !registers && shape->count <= SMALL) {
			tried.alone = true;
			k = build_sample(e, shape, &tried, &registers);
		}
		/* Registers that are kept shrink with bursts. */
		shorter = 1;
		if (registers > 2 * (uint64_t)e->m->vreg_count)
			shorter = tried.segment / 4;
		else if (shape->count > SHORT)
			shorter = MAX(tried.segment / 16, 1);
		rows = k ? rows_kept(e, shape, k, &tried, ready) : 0;
		misses += k && rows < 1;
		if (rows < 1)
			continue;
		cycles = estimate(shape, k, tried.copies, rows, tried.rest);
		if (cycles >= plan->least)
			continue;
		tried.rows = k->rows;
		tried.least = cycles;
		*plan = tried;
		misses = 0;
	}
}

/* What could run side by side, that of the least bound first; returns how many of them. */
static unsigned find_plans(tspe *e, const loop_shape *shape, row_plan tried[STRANDS_MAX])
{
	loop_shape sample = *shape;
	unsigned parts = has_parts(e, &sample) ? PARTS_MAX : 1, count = 0;
	unsigned most = tspe_manner_now(e) == TSPE_MANNER_FEW ? COPIES_FEW : COPIES_MAX;
	double rest = 0;

	sample.count = sample.segment = SAMPLED;
	for (sample.parts = 1; sample.parts <= parts; sample.parts++)
		for (sample.copies = 1; sample.copies <= most; sample.copies++) {
			g_autoptr(tspe_kernel) k = NULL;
			row_plan plan = {.copies = sample.copies, .parts = sample.parts};
			unsigned at = count;

			if (sample.copies * sample.parts * shape->loop->steps->len > TSPE_STEPS_MAX ||
			    shape->count < SAMPLED * sample.copies)
				break;
			k = build(e, &sample);
			plan.bound = (double)tspe_kernel_bound(k) / sample.copies;
			/* With more steps than queues, bursts have gaps, unless they all follow one another. */
			if (!count)
				rest = plan.bound * (fits_queues(k) || plan.bound >= count_bursts(k) ? 1 : GAPS);
			plan.rest = rest;
			for (; at && tried[at - 1].bound > plan.bound; at--)
				tried[at] = tried[at - 1];
			tried[at] = plan;
			count++;
		}
	for (unsigned i = 0; i < count; i++)
		tried[i].best = tried[0].bound;
	return count;
}

/* What a plan was made for.  Loops that are alike but for where their tensors lie often keep to the same one. */
typedef struct remembered {
	uint64_t kind;
	uint32_t count;
	row_plan plan;
} remembered;

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t kind_of(const tspe *e, const low_vloop *loop)
{
	uint64_t hash = mix(mix(mix(UINT64_C(0xcbf29ce484222325), loop->lanes), loop->n0), loop->n1);

	hash = mix(hash, tspe_manner_now(e));
	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = step_at(loop, i);
		bool memory = s->kind == LOW_LOAD || s->kind == LOW_STORE;

		hash = mix(mix(mix(hash, s->kind), s->type), (uint64_t)s->in[0] << 16 ^ (uint64_t)s->in[1]);
		if (memory)
			hash = mix(mix(mix(hash, (uint64_t)s->ref.step0), (uint64_t)s->ref.step1),
			           (uint64_t)e->tensors[s->ref.tensor].row_pitch);
	}
	return hash;
}

/* A plan by which iterations take fewer cycles than in one burst a step; copies 0: none. */
static row_plan make_plan(tspe *e, const loop_shape *shape, int64_t ready)
{
	row_plan tried[STRANDS_MAX], plan;
	unsigned count = find_plans(e, shape, tried);

	if (!count)
		return (row_plan){0};
	/* A tenth at least is to be gained: operations that overlap others lose some of it. */
	plan = (row_plan){.best = tried[0].bound, .least = tried[0].rest * shape->count * 0.9};
	for (unsigned i = 0; i < MIN(count, PLANS_MAX); i++)
		if (tried[i].bound * shape->count < plan.least && tried[i].bound <= 1.25 * plan.best)
			try_copies(e, shape, tried[i], ready, &plan);
	return plan;
}

static row_plan plan_rows(tspe *e, const loop_shape *shape, int64_t ready)
{
	remembered new = {kind_of(e, shape->loop), shape->count, {0}};

	if (!e->plans)
		e->plans = g_array_new(FALSE, FALSE, sizeof(remembered));
	for (guint i = 0; i < MIN(e->plans->len, PLANS_KEPT); i++) {
		const remembered *r = &g_array_index(e->plans, remembered, e->plans->len - 1 - i);
		row_plan again = r->plan;
		uint64_t registers;
		g_autoptr(tspe_kernel) k = NULL;

		if (r->kind != new.kind || r->count != new.count)
			continue;
		if (!again.copies)
			return again;
		again.least = FOREVER;
		k = build_sample(e, shape, &again, &registers);
		if (k && rows_kept(e, shape, k, &again, ready) * k->n * (shape->count / (again.copies * k->n)) <=
		                 r->plan.least)
			return r->plan;
	}
	new.plan = make_plan(e, shape, ready);
	g_array_append_val(e->plans, new);
	return new.plan;
}

/* As many iterations as keep to the rows of *PLAN, or of a new one in its place if they do not; returns how many. */
static uint32_t run_rows(tspe *e, const loop_shape *shape, int64_t *ready, row_plan *plan)
{
	loop_shape rows = *shape;
	g_autoptr(tspe_kernel) sample = NULL;
	g_autoptr(tspe_kernel) k = NULL;
	tspe_rate rate = {0};
	uint64_t registers;
	int64_t first = 0, last = 0, skew;

	has_parts(e, &rows);
	plan->least = FOREVER;
	if (plan->copies && shape->count >= plan->copies * plan->segment)
		sample = build_sample(e, &rows, plan, &registers);
	if (!sample) {
		*plan = plan_rows(e, &rows, *ready);
		if (!plan->copies)
			return 0;
		plan->least = FOREVER;
		sample = build_sample(e, &rows, plan, &registers);
	}
	if (!sample)
		return 0;
	e->in_rows = true;
	e->rowed |= UINT64_C(1) << MIN(e->loop, TSPE_MANNERED - 1);
	if (shape->from == 0 && tspe_notes_rates(e))
		tspe_kernel_limit(sample, sample->rows, &rate);
	rows.copies = plan->copies;
	rows.parts = plan->parts;
	rows.segment = plan->segment;
	rows.count = shape->count / (plan->copies * plan->segment) * plan->segment;
	k = build(e, &rows);
	tspe_copy_rows(k, sample);
	k->ready = *ready;
	while (k->next < k->count && place_rows(k, k->next, plan->segment)) {
		last = tspe_first_row(k, &skew);
		first = k->next ? first : last;
		tspe_commit(k);
	}
	if (!k->next)
		return 0;
	rate.interval = k->rows;
	rate.mean = k->first ? (double)(last - first) / k->first : k->rows;
	rate.proved = rate.interval == rate.bound;
	rate.several = plan->best;
	if (shape->from == 0)
		tspe_note_rate(e, &rate, rows.copies);
	*ready = MAX(*ready, tspe_issue_at(k, &k->step[0], k->n - 1, 0));
	return k->next * rows.copies;
}

/* What interval the kernel kept, against the least. */
static void note_bursts(tspe *e, const tspe_kernel *k, double best)
{
	tspe_rate rate;

	tspe_kernel_limit(k, fits_queues(k) ? k->slowest : INT64_MAX, &rate);
	/* Of blocks, what an iteration took in the mean, rounded up. */
	rate.interval = k->before ? (k->latest - k->began + k->before - 1) / k->before : 0;
	if (fits_queues(k))
		rate.interval = k->slowest;
	/* A few blocks beside one another say nothing about many. */
	if (rate.interval < rate.bound)
		rate.interval = 0;
	rate.proved = rate.interval == rate.bound;
	rate.several = best;
	tspe_note_rate(e, &rate, 1);
}

/* *READY: when the kernel may start; then, when the next one of the same loop may: memory binds them, so that they
 * would only get into each other's way. */
static bool run_bursts(tspe *e, const loop_shape *shape, double best, int64_t *ready, GError **error)
{
	g_autoptr(tspe_kernel) k = build(e, shape);
	uint32_t interval = tspe_kernel_interval(k);
	tspe_policy policy = {.interval_min = interval, .interval_max = interval + (interval + 1) / 2 + 1};

	k->ready = *ready;
	if (!fits_queues(k)) {
		unsigned block = e->registers / (2 * live_registers(k));

		e->in_blocks = true;
		policy = (tspe_policy){.interval_min = 1, .interval_max = 2, .chunk = CLAMP(block, 1, BLOCK_MAX)};
	}
	if (!tspe_run(k, &policy, error))
		return false;
	if (shape->from == 0 && k->count >= ITERATIONS_LEAST && tspe_notes_rates(e))
		note_bursts(e, k, best);
	*ready = MAX(*ready, tspe_issue_at(k, &k->step[0], k->n - 1, 0));
	return true;
}

static bool run_loop(tspe *e, const loop_shape *shape, int64_t *ready, GError **error)
{
	loop_shape rest = *shape;
	row_plan plan = {0};
	uint32_t done = tspe_manner_now(e) != TSPE_MANNER_BURSTS;

	/* What does not fill bursts of one length may fill shorter ones. */
	while (done && rest.count >= ITERATIONS_LEAST) {
		done = run_rows(e, &rest, ready, &plan);
		rest.from += done;
		rest.count -= done;
	}
	return !rest.count || run_bursts(e, &rest, plan.best, ready, error);
}

static bool check_lanes(const tspe *e, const low_vloop *loop, GError **error)
{
	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = step_at(loop, i);

		if (s->kind != LOW_LANES || e->permute.count)
			continue;
		if (e->distribute.count && s->lane_xor * lane_parts(e, loop, s) < (uint32_t)e->m->lanes_per_superlane)
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "lanes are exchanged across superlanes, and sxm.queues has no permute queue");
		return false;
	}
	return true;
}

/* Do loads stand still over the inner loop, long enough to be worth a kernel for each round of it? */
static bool has_inner_constant(const low_vloop *loop)
{
	for (guint i = 0; i < loop->steps->len && loop->n0 >= ONCE_ITERATIONS; i++) {
		const low_step *s = step_at(loop, i);

		if (s->kind == LOW_LOAD && s->ref.step0 == 0 && s->ref.step1 != 0)
			return true;
	}
	return false;
}

bool tspe_vloop(tspe *e, const low_macro *macro, int64_t ready, GError **error)
{
	const low_vloop *loop = &macro->vloop;
	uint64_t total = loop->n0 * loop->n1;
	loop_shape shape = {
		.loop = loop, .copies = 1, .segment = 1, .parts = 1, .once_inner = has_inner_constant(loop)};
	uint64_t most = shape.once_inner ? MIN(loop->n0, TSPE_ITERATIONS_MAX) : TSPE_ITERATIONS_MAX;

	if (loop->steps->len > TSPE_STEPS_MAX || !check_lanes(e, loop, error))
		return false;
	while (shape.from < total) {
		uint64_t rest = shape.once_inner ? loop->n0 - shape.from % loop->n0 : total - shape.from;

		shape.count = (uint32_t)MIN(rest, most);
		if (!run_loop(e, &shape, &ready, error))
			return false;
		shape.from += shape.count;
	}
	e->loop++;
	return true;
}
