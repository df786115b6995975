/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector loops as kernels.
 *
 * A loop whose steps all find a queue of their own runs as one burst a step.  One with more steps than queues, or whose
 * iterations go faster by twos or threes (three accesses fit the banks in a cycle, two an iteration: three iterations
 * in two cycles), runs in blocks: each step a short burst, in rows by a modulo schedule, values of a whole block in
 * registers.  Loads that do not move from iteration to iteration are made once a chunk.
 */
#include "sched/emit/tsp_loop.h"

enum { ONCE_ITERATIONS = 4, BLOCK_MAX = 64, ITERATIONS_LEAST = 32 };

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

tspe_kernel *tspe_loop_build(tspe *e, const loop_shape *shape)
{
	tspe_kernel *k = tspe_kernel_new(e, shape->count);
	unsigned strands = shape->copies * shape->parts;
	int map[TSPE_STRANDS_MAX][TSPE_STEPS_MAX];

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
bool tspe_loop_has_parts(const tspe *e, loop_shape *shape)
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
bool tspe_fits_queues(const tspe_kernel *k)
{
	const tspe *e = k->e;
	unsigned used[ISA_UNIT_COUNT] = {0};

	for (unsigned i = 0; i < k->step_count; i++)
		used[isa_ops[k->step[i].insn.op].unit] += !k->step[i].once;
	return used[ISA_UNIT_MEM] <= e->mem.count && used[ISA_UNIT_VXM] <= e->vxm.count &&
	       used[ISA_UNIT_SXM] <= MAX(e->permute.count, 1);
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

	tspe_loop_has_parts(e, &rows);
	plan->least = TSPE_FOREVER;
	if (plan->copies && shape->count >= plan->copies * plan->segment)
		sample = tspe_build_sample(e, &rows, plan, &registers);
	if (!sample) {
		*plan = tspe_plan_rows(e, &rows, *ready);
		if (!plan->copies)
			return 0;
		plan->least = TSPE_FOREVER;
		sample = tspe_build_sample(e, &rows, plan, &registers);
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
	k = tspe_loop_build(e, &rows);
	tspe_copy_rows(k, sample);
	k->ready = *ready;
	while (k->next < k->count && tspe_place_rows(k, k->next, plan->segment)) {
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

	tspe_kernel_limit(k, tspe_fits_queues(k) ? k->slowest : INT64_MAX, &rate);
	/* Of blocks, what an iteration took in the mean, rounded up. */
	rate.interval = k->before ? (k->latest - k->began + k->before - 1) / k->before : 0;
	if (tspe_fits_queues(k))
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
	g_autoptr(tspe_kernel) k = tspe_loop_build(e, shape);
	uint32_t interval = tspe_kernel_interval(k);
	tspe_policy policy = {.interval_min = interval, .interval_max = interval + (interval + 1) / 2 + 1};

	k->ready = *ready;
	if (!tspe_fits_queues(k)) {
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
