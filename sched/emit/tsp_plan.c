/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of vector loops in rows: how many iterations run side by side, whole or in parts, in bursts how long.
 *
 * The bound of each number side by side says which are worth a search; for these, bursts of all lengths get rows
 * (tsp_bursts.c), and what two chunks, really placed, take from one to the next is what a plan is judged by.  Plans are
 * looked at again for loops that are alike.
 */
#include <math.h>

#include "sched/emit/tsp_loop.h"

enum {
	BLOCK_MAX = 64,
	ROW_LEAST = 8, /* bursts shorter than that are not worth rows */
	WAIT_CHUNKS = 4,
	COPIES_FEW = 2,
	MISSES_MAX = 16, /* lengths of bursts that had rows and no place */
	PLANS_MAX = 5,   /* that bursts are tried for */
	PLANS_KEPT = 32, /* that are looked at again */
	SAMPLED = 16,    /* iterations that stand for all */
	SMALL = 128,     /* loops whose chunks may wait for each other */
	SHORT = 1024,    /* loops in which bursts of all lengths are tried */
};

/* A plan so near its bound ends the search for a better one. */
#define NEAR 1.03
/* What gaps between short bursts cost, as a factor. */
#define GAPS 1.34

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
bool tspe_place_rows(tspe_kernel *k, uint32_t first, uint32_t n)
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
tspe_kernel *tspe_build_sample(tspe *e, const loop_shape *shape, const row_plan *plan, uint64_t *registers)
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
	k = tspe_loop_build(e, &sample);
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
	if (!tspe_place_rows(k, 0, plan->segment))
		return 0;
	if (k->count > k->n) {
		next.copies = plan->copies;
		next.parts = plan->parts;
		next.segment = next.count = plan->segment;
		next.from += plan->copies * plan->segment;
		second = tspe_loop_build(e, &next);
		tspe_copy_rows(second, k);
		began = tspe_first_row(k, &skew);
		second->ready = began + (int64_t)k->rows * k->n;
		rows = 0;
		if (tspe_place_rows(second, 0, plan->segment)) {
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
		k = tspe_build_sample(e, shape, &tried, &registers);
		if (!k && !registers && shape->count <= SMALL) {
			tried.alone = true;
			k = tspe_build_sample(e, shape, &tried, &registers);
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
static unsigned find_plans(tspe *e, const loop_shape *shape, row_plan tried[TSPE_STRANDS_MAX])
{
	loop_shape sample = *shape;
	unsigned parts = tspe_loop_has_parts(e, &sample) ? TSPE_PARTS_MAX : 1, count = 0;
	unsigned most = tspe_manner_now(e) == TSPE_MANNER_FEW ? COPIES_FEW : TSPE_COPIES_MAX;
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
			k = tspe_loop_build(e, &sample);
			plan.bound = (double)tspe_kernel_bound(k) / sample.copies;
			/* With more steps than queues, bursts have gaps, unless they all follow one another. */
			if (!count)
				rest = plan.bound * (tspe_fits_queues(k) || plan.bound >= count_bursts(k) ? 1 : GAPS);
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
	row_plan tried[TSPE_STRANDS_MAX], plan;
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

row_plan tspe_plan_rows(tspe *e, const loop_shape *shape, int64_t ready)
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
		again.least = TSPE_FOREVER;
		k = tspe_build_sample(e, shape, &again, &registers);
		if (k && rows_kept(e, shape, k, &again, ready) * k->n * (shape->count / (again.copies * k->n)) <=
		                 r->plan.least)
			return r->plan;
	}
	new.plan = make_plan(e, shape, ready);
	g_array_append_val(e->plans, new);
	return new.plan;
}
