/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products and convolutions as kernels.
 *
 * A pass multiplies a chunk of rows with one K block of weights.  Its weights go into the shadow buffers while the pass
 * before it runs; the install overlaps that pass's last rows, so passes follow each other without a gap unless memory
 * binds.  Rows are loaded into the activation ports of all units of a job at once.  After the last K block the
 * accumulator rows are read out in the rhythm in which they were completed, converted (fp16) and stored, while the next
 * job already overwrites the rows behind.
 */
#include "sched/emit/tsp_mxm.h"

enum {
	ROTATION_MAX = 15, /* registers that one issue can move on by */
	FAN_BEATS = 2,     /* stores that take longer have a queue each */
};

/* ---------------------------------------------------------------------------------------------- state of units */

void tspe_mxm_init(tspe *e)
{
	for (unsigned p = 0; p < e->m->mxm_planes; p++) {
		tspe_plane *plane = &e->plane[p];
		size_t rows = (size_t)e->m->mxm_acc_rows;

		*plane = (tspe_plane){.shadow_free = TSPE_NEVER, .active_until = TSPE_NEVER};
		plane->row_due = g_new(int64_t, rows);
		plane->row_free = g_new(int64_t, rows);
		plane->row_instance = g_new0(int64_t, rows);
		for (size_t r = 0; r < rows; r++)
			plane->row_due[r] = plane->row_free[r] = TSPE_NEVER;
	}
}

void tspe_mxm_fini(tspe *e)
{
	for (unsigned p = 0; p < TSPE_PLANES_MAX; p++) {
		g_free(e->plane[p].row_due);
		g_free(e->plane[p].row_free);
		g_free(e->plane[p].row_instance);
	}
}

/* The planes change between working in pairs and alone: whoever begins waits until everything in them is done. */
static void change_kind(tspe *e, bool pair)
{
	int64_t idle = TSPE_NEVER;

	for (unsigned p = 0; p < e->m->mxm_planes; p++) {
		const tspe_plane *plane = &e->plane[p];

		if (plane->pair == pair)
			continue;
		idle = MAX(idle, MAX(plane->shadow_free, plane->active_until + e->m->mxm_abc_cycles));
		for (int64_t r = 0; r < e->m->mxm_acc_rows; r++)
			idle = MAX(idle, MAX(plane->row_due[r], plane->row_free[r]));
	}
	if (idle == TSPE_NEVER) {
		for (unsigned p = 0; p < e->m->mxm_planes; p++)
			e->plane[p].pair = pair;
		return;
	}
	idle += e->m->mxm_lw_cycles + e->m->mxm_iw_cycles + e->m->mxm_abc_cycles;
	for (unsigned p = 0; p < e->m->mxm_planes; p++) {
		tspe_plane *plane = &e->plane[p];

		plane->pair = pair;
		plane->held = NULL;
		plane->shadow_free = plane->active_until = idle;
		for (int64_t r = 0; r < e->m->mxm_acc_rows; r++)
			plane->row_due[r] = plane->row_free[r] = idle;
	}
}

/* -------------------------------------------------------------------------------------------------------- rows */

typedef struct rows_state {
	const mxm_pass *p;
	int load, abc[TSPE_PLANES_MAX];
	mxm_rhythm beat;
} rows_state;

static void note_rows(tspe_kernel *k, void *state)
{
	rows_state *s = state;

	s->beat.first = k->step[s->load].start;
	s->beat.last = tspe_issue_at(k, &k->step[s->load], k->n - 1, 0);
	for (unsigned i = 0; i < s->p->job->units; i++) {
		const tspe_step *abc = &k->step[s->abc[i]];
		tspe_plane *plane = s->p->units[i].state;

		for (uint32_t n = 0; n < k->n; n++) {
			uint32_t row = (uint32_t)abc->addr[k->first + n];

			plane->row_due[row] = tspe_due_at(k, abc, n, 0);
			plane->row_instance[row] = abc->instance + n;
		}
		plane->active_until = MAX(plane->active_until, tspe_sample_at(k, abc, k->n - 1, 0));
	}
}

static int64_t row_addr(const mxm_work *work, const mxm_block *block, uint64_t row)
{
	return work->a_first + (int64_t)(row / work->line_rows) * work->a_line +
	       (int64_t)(row % work->line_rows) * work->a_row + block->offset;
}

static void add_abc(tspe_kernel *k, const mxm_pass *p, const mxm_unit *u, int index)
{
	tspe_step *s = &k->step[index];
	const tspe *e = k->e;
	int64_t *ready = tspe_kernel_alloc(k, k->count * sizeof(int64_t));

	s->addr = tspe_kernel_alloc(k, k->count * sizeof(int64_t));
	s->insn.mode = p->index > 0;
	s->insn.type = (uint8_t)p->work->type;
	s->insn.lanes = (uint16_t)p->block->lanes;
	s->hold = (int32_t)p->work->interval;
	s->not_before = u->state->installed - s->skew;
	s->origin[1] =
		(tspe_origin){.kind = TSPE_ORIGIN_ONE, .instance = u->state->installer, .due = u->state->installed};
	if (s->insn.mode) {
		int64_t *each = tspe_kernel_alloc(k, k->count * sizeof(int64_t));
		int64_t *dues = tspe_kernel_alloc(k, k->count * sizeof(int64_t));

		for (uint32_t i = 0; i < k->count; i++) {
			each[i] = u->state->row_instance[i];
			dues[i] = u->state->row_due[i];
		}
		s->origin[2] = (tspe_origin){.kind = TSPE_ORIGIN_EACH, .each = each, .dues = dues};
	}
	/* A row is accumulated after what it adds to, and overwritten after it has been read out. */
	for (uint32_t i = 0; i < k->count; i++) {
		uint32_t row = i;

		s->addr[i] = row;
		ready[i] = MAX(u->state->row_due[row], u->state->row_free[row]) + 1 - e->m->mxm_abc_cycles;
	}
	s->ready = ready;
}

static bool multiply(mxm_pass *p, GError **error)
{
	const mxm_work *work = p->work;
	tspe *e = work->e;
	g_autoptr(tspe_kernel) k = tspe_kernel_new(e, p->job->rows);
	int load = tspe_kernel_add(k, ISA_OP_LOAD, e->mem.at, e->mem.count);
	rows_state state = {.p = p, .load = load};
	unsigned ports = 0;
	tspe_policy policy;
	bool steady;

	tspe_kernel_memory(k, load, work->a, p->block->seg, p->block->pitch, p->block->count);
	for (uint32_t i = 0; i < p->job->rows; i++)
		k->step[load].addr[i] = row_addr(work, p->block, p->job->row + i);
	for (unsigned i = 0; i < p->job->units; i++) {
		const mxm_unit *u = &p->units[i];

		state.abc[i] = tspe_kernel_add(k, ISA_OP_ABC, e->activations[u->plane].at, 1);
		add_abc(k, p, u, state.abc[i]);
		ports |= 1u << u->plane;
	}
	tspe_kernel_finish(k);
	policy = (tspe_policy){.interval_min = MAX(work->interval, tspe_kernel_interval(k))};
	policy.interval_max = policy.interval_min + 2;
	steady = (uint32_t)(k->step[load].beats_max - k->step[load].beats_min) < policy.interval_min;
	if (steady) {
		k->step[load].result = TSPE_PORT;
		k->step[load].insn.dst = (uint16_t)ISA_PLACE_ACT(ports);
	} else {
		tspe_kernel_result(k, load, tspe_span(e->m, p->block->lanes, work->type));
	}
	for (unsigned i = 0; i < p->job->units; i++) {
		tspe_kernel_link(k, state.abc[i], 0, load);
		if (steady)
			k->step[state.abc[i]].insn.src0 = (uint16_t)ISA_PLACE_ACT(1u << p->units[i].plane);
	}
	k->rhythm = p->beat.last == TSPE_NEVER ? 0 : work->interval;
	k->step[load].beat = p->beat.first;
	k->placed = note_rows;
	k->placed_state = &state;
	e->use.activation_bytes += (uint64_t)p->block->lanes * work->a->element * p->job->rows;
	if (!tspe_run(k, &policy, error))
		return false;
	p->beat = state.beat;
	return true;
}

/* ----------------------------------------------------------------------------------------------------- results */

typedef struct drain_state {
	const mxm_pass *p;
	unsigned first, count; /* units */
	int acc;               /* step of the first one */
} drain_state;

static void note_drain(tspe_kernel *k, void *state)
{
	const drain_state *d = state;

	for (unsigned i = 0; i < d->count; i++) {
		const tspe_step *acc = &k->step[d->acc + (int)i];
		tspe_plane *plane = d->p->units[d->first + i].state;

		for (uint32_t n = 0; n < k->n; n++) {
			int64_t *free = &plane->row_free[acc->addr[k->first + n]];

			*free = MAX(*free, tspe_sample_at(k, acc, n, 0));
		}
	}
}

static int add_acc(tspe_kernel *k, const mxm_pass *p, const mxm_unit *u)
{
	tspe *e = k->e;
	int index = tspe_kernel_add(k, ISA_OP_ACC, e->accumulators[u->plane].at, 1);
	tspe_step *s = &k->step[index];
	int64_t *each = tspe_kernel_alloc(k, k->count * sizeof(int64_t));
	int64_t *dues = tspe_kernel_alloc(k, k->count * sizeof(int64_t));

	s->addr = tspe_kernel_alloc(k, k->count * sizeof(int64_t));
	s->insn.type = (uint8_t)p->work->type;
	s->insn.lanes = (uint16_t)u->lanes;
	for (uint32_t i = 0; i < k->count; i++) {
		s->addr[i] = i;
		each[i] = u->state->row_instance[i];
		dues[i] = u->state->row_due[i];
	}
	s->origin[0] = (tspe_origin){.kind = TSPE_ORIGIN_EACH, .each = each, .dues = dues};
	tspe_kernel_result(k, index, tspe_span(e->m, u->lanes, ISA_TYPE_F32));
	return index;
}

static int add_narrowing(tspe_kernel *k, const mxm_unit *u, int acc)
{
	tspe *e = k->e;
	int index = tspe_kernel_add(k, ISA_OP_CVT, e->vxm.at, e->vxm.count);
	isa_insn *insn = &k->step[index].insn;

	insn->type = ISA_TYPE_F32;
	insn->dtype = ISA_TYPE_F16;
	insn->lanes = (uint16_t)u->lanes;
	tspe_kernel_result(k, index, tspe_span(e->m, u->lanes, ISA_TYPE_F16));
	tspe_kernel_link(k, index, 0, acc);
	return index;
}

/* A step for each unit reads out its rows, and another narrows them (fp16); returns the first of the last ones. */
static int add_values(tspe_kernel *k, drain_state *d)
{
	bool narrow = d->p->work->type == ISA_TYPE_F16;
	int value;

	for (unsigned i = 0; i < d->count; i++) {
		int acc = add_acc(k, d->p, &d->p->units[d->first + i]);

		d->acc = i ? d->acc : acc;
	}
	value = d->acc;
	for (unsigned i = 0; narrow && i < d->count; i++) {
		int step = add_narrowing(k, &d->p->units[d->first + i], d->acc + (int)i);

		value = i ? value : step;
	}
	for (unsigned i = 0; i < d->count; i++) {
		k->step[value + (int)i].member = (uint8_t)i;
		k->step[value + (int)i].members = (uint8_t)d->count;
	}
	return value;
}

/* The unit's result of row ROW of the job. */
static uint64_t result_at(const mxm_pass *p, const mxm_unit *u, uint64_t row, uint32_t *cell)
{
	const tspe_tensor *c = p->work->c;

	row += p->work->c_row + p->job->row;
	*cell = (uint32_t)(u->column * c->low->rows + row);
	return tspe_element_addr(c, row, u->column * c->low->vector_lanes);
}

static int add_store(tspe_kernel *k, const drain_state *d, int value)
{
	const mxm_pass *p = d->p;
	tspe *e = k->e;
	int store = tspe_kernel_add(k, ISA_OP_STORE, e->mem.at, e->mem.count);
	tspe_step *s = &k->step[store];

	s->fan = (uint16_t)d->count;
	tspe_kernel_memory(k, store, p->work->c, p->units[d->first].lanes * p->work->c->element, 0, 1);
	tspe_kernel_link(k, store, 0, value);
	s->cell = tspe_kernel_alloc(k, (size_t)k->count * d->count * sizeof(uint32_t));
	for (uint32_t a = 0; a < k->count * d->count; a++)
		s->addr[a] = (int64_t)result_at(p, &p->units[d->first + a % d->count], a / d->count, &s->cell[a]);
	/* Results move through the banks like the rows, so both fit into the same cycles. */
	k->rhythm = p->work->interval;
	s->beat = p->beat.first;
	return store;
}

/* Stores of one iteration follow each other as fast as their beats allow; the units read out accordingly. */
static void space_stores(tspe_kernel *k, const drain_state *d, int store)
{
	k->step[store].fan_interval = k->step[store].beats_max;
	for (unsigned i = 0; i < d->count; i++) {
		const tspe_step *acc = &k->step[d->acc + (int)i];
		int64_t *ready = tspe_kernel_alloc(k, k->count * sizeof(int64_t));

		for (uint32_t n = 0; n < k->count; n++)
			ready[n] = acc->origin[0].dues[n] + i * (int64_t)k->step[store].fan_interval;
		k->step[d->acc + (int)i].ready = ready;
	}
}

/* Reads out, converts and stores the rows of COUNT units from FIRST on, all of the same lanes, by one store queue. */
static bool drain(const mxm_pass *p, unsigned first, unsigned count, GError **error)
{
	const mxm_work *work = p->work;
	g_autoptr(tspe_kernel) k = tspe_kernel_new(work->e, p->job->rows);
	drain_state state = {.p = p, .first = first, .count = count};
	int store = add_store(k, &state, add_values(k, &state));
	tspe_policy policy = {0};

	tspe_kernel_finish(k);
	space_stores(k, &state, store);
	k->placed = note_drain;
	k->placed_state = &state;
	work->e->use.result_bytes += (uint64_t)k->step[store].insn.len * k->count * count;
	policy.interval_min = MAX(work->interval, tspe_kernel_interval(k));
	if (work->interval == 1)
		policy.interval_min = MAX(policy.interval_min, MIN(work->columns, work->units));
	policy.interval_max = 2 * policy.interval_min + 1;
	return tspe_run(k, &policy, error);
}

/* Beats of a store of the unit's results: of the first row. */
static unsigned store_beats(const mxm_pass *p, const mxm_unit *u)
{
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bank_calendar *banks = p->work->e->cal.banks;
	uint32_t cell;
	bank_access access = {result_at(p, u, 0, &cell), u->lanes * p->work->c->element, 0, 1};

	return bank_calendar_beats(banks, bank_calendar_print(banks, &access, arena));
}

/* Units of one width whose results a single queue can store without falling behind go together; the narrow block, which
 * stands first, finds a place beside them. */
static bool drain_all(const mxm_pass *p, GError **error)
{
	enum isa_type type = p->work->type == ISA_TYPE_F16 ? ISA_TYPE_F16 : ISA_TYPE_I32;
	unsigned last = p->job->units;

	while (last > 0) {
		unsigned span = tspe_span(p->work->e->m, p->units[last - 1].lanes, type);
		unsigned count = 1;

		while (p->work->type == ISA_TYPE_I8 && store_beats(p, &p->units[last - 1]) <= FAN_BEATS &&
		       count < last && (count + 1) * span <= ROTATION_MAX &&
		       p->units[last - 1 - count].lanes == p->units[last - 1].lanes)
			count++;
		if (!drain(p, last - count, count, error))
			return false;
		last -= count;
	}
	return true;
}

/* -------------------------------------------------------------------------------------------------------- jobs */

static void begin_units(const mxm_work *work, const mxm_job *job, mxm_unit *units)
{
	for (unsigned i = 0; i < job->units; i++) {
		mxm_unit *u = &units[i];

		*u = (mxm_unit){.plane = job->unit[i] * work->stride, .column = job->column[i]};
		u->state = &work->e->plane[u->plane];
		u->lanes = mxm_column_lanes(work, u->column);
	}
}

/* All passes of a piece of work, in order: for each round, for each K block, the passes of its jobs. */
typedef struct mxm_course {
	const mxm_work *work;
	const GArray *rounds;
	mxm_rhythm beat;
	mxm_unit units[2][TSPE_PLANES_MAX][TSPE_PLANES_MAX]; /* of a step and the next, of each job */
} mxm_course;

static const mxm_round *round_of(const mxm_course *c, guint step)
{
	return &g_array_index(c->rounds, mxm_round, step / c->work->blocks->len);
}

static mxm_pass pass_of(mxm_course *c, guint step, unsigned job)
{
	unsigned block = step % c->work->blocks->len;
	const mxm_job *j = &round_of(c, step)->job[job];

	return (mxm_pass){
		.work = c->work,
		.job = j,
		.units = c->units[step % 2][job],
		.index = block,
		.block = &g_array_index(c->work->blocks, mxm_block, block),
		.beside_rows = c->beat.last != TSPE_NEVER && mxm_rows_bind(c->work, round_of(c, step), block),
		.beat = c->beat,
	};
}

/* Weights of all jobs of a step. */
static bool prepare(mxm_course *c, guint step, GError **error)
{
	mxm_pass passes[TSPE_PLANES_MAX];
	unsigned jobs = round_of(c, step)->jobs;

	for (unsigned j = 0; j < jobs; j++) {
		passes[j] = pass_of(c, step, j);
		begin_units(c->work, passes[j].job, passes[j].units);
	}
	return mxm_prepare(passes, jobs, error);
}

static bool run_rows(mxm_course *c, guint step, GError **error)
{
	for (unsigned j = 0; j < round_of(c, step)->jobs; j++) {
		mxm_pass p = pass_of(c, step, j);

		if (!multiply(&p, error))
			return false;
		c->beat = p.beat;
	}
	return true;
}

static bool run_drains(mxm_course *c, guint step, GError **error)
{
	for (unsigned j = 0; j < round_of(c, step)->jobs && (step + 1) % c->work->blocks->len == 0; j++) {
		mxm_pass p = pass_of(c, step, j);

		if (!drain_all(&p, error))
			return false;
	}
	return true;
}

/* Would rows and results alone keep all memory queues?  Then the next weights must get in before the results. */
static bool weights_go_first(const mxm_course *c, guint step)
{
	const mxm_round *r = round_of(c, step);
	unsigned bursts = r->jobs;

	for (unsigned j = 0; j < r->jobs; j++)
		bursts += c->work->type == ISA_TYPE_I8 ? 1 : r->job[j].units;
	return bursts >= c->work->e->mem.count;
}

static bool run_course(mxm_course *c, GError **error)
{
	guint steps = c->rounds->len * c->work->blocks->len;

	if (!prepare(c, 0, error))
		return false;
	for (guint step = 0; step < steps; step++) {
		bool first = weights_go_first(c, step);

		if (!run_rows(c, step, error) || (!first && !run_drains(c, step, error)))
			return false;
		if ((step + 1 < steps && !prepare(c, step + 1, error)) || (first && !run_drains(c, step, error)))
			return false;
	}
	return true;
}

static void count_work(const mxm_work *work, const GArray *rounds)
{
	tspe *e = work->e;
	const isa_machine *m = e->m;
	uint64_t passes = work->columns * (uint64_t)work->blocks->len;

	e->block_peak += passes * work->rows * (uint64_t)(m->mxm_rows * m->lanes);
	for (guint b = 0; b < work->blocks->len; b++)
		e->block_work += work->rows * g_array_index(work->blocks, mxm_block, b).lanes * work->c->low->lanes;
	for (guint i = 0; i < rounds->len; i++) {
		const mxm_round *r = &g_array_index(rounds, mxm_round, i);
		uint64_t longest = 0;

		for (unsigned j = 0; j < r->jobs; j++)
			longest = MAX(longest, r->job[j].rows);
		e->use.mxm_cycles += (int64_t)(longest * work->interval * work->blocks->len);
	}
}

static bool run_work(mxm_work *work, GError **error)
{
	tspe *e = work->e;
	const isa_machine *m = e->m;
	bool pair = work->type == ISA_TYPE_F16;
	g_autofree mxm_course *course = NULL;
	g_autoptr(GArray) rounds = NULL;

	work->stride = pair ? 2 : 1;
	work->units = (unsigned)m->mxm_planes / work->stride;
	work->acc_rows = (uint32_t)(pair ? m->mxm_acc_rows : MAX(1, m->mxm_acc_rows / 2));
	work->interval = (uint32_t)(pair ? m->mxm_fp16_interval_cycles : m->mxm_int8_interval_cycles);
	work->columns = (unsigned)(work->c->low->blocks + (work->c->low->tail > 0));
	change_kind(e, pair);
	rounds = mxm_cut(work);
	count_work(work, rounds);
	course = g_new0(mxm_course, 1);
	course->work = work;
	course->rounds = rounds;
	course->beat.last = TSPE_NEVER;
	return run_course(course, error);
}

/* ------------------------------------------------------------------------------------------- macro-operations */

static bool check_machine(const tspe *e, uint64_t block_lanes, uint64_t weight_lanes, enum isa_type type,
                          GError **error)
{
	int64_t row_bytes = (int64_t)(MIN(weight_lanes, (uint64_t)e->m->lanes) * isa_type_bytes(type));

	if (block_lanes > (uint64_t)MIN(e->m->lanes, e->m->mxm_rows)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "K blocks of %" G_GUINT64_FORMAT " lanes: a vector has %" G_GINT64_FORMAT
		            " lanes (lanes), a plane %" G_GINT64_FORMAT " rows (mxm.rows)",
		            block_lanes, e->m->lanes, e->m->mxm_rows);
		return false;
	}
	if (row_bytes > e->m->mxm_weight_bytes) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "mxm.weight_bytes_per_cycle is %" G_GINT64_FORMAT ": a row of weights has %" G_GINT64_FORMAT
		            " bytes and enters in one cycle",
		            e->m->mxm_weight_bytes, row_bytes);
		return false;
	}
	return true;
}

bool tspe_matmul(tspe *e, const low_macro *macro, int64_t ready, GError **error)
{
	const low_matmul *l = &macro->matmul;
	g_autoptr(GArray) blocks = g_array_new(FALSE, TRUE, sizeof(mxm_block));
	tspe_tensor *a = &e->tensors[l->a];
	mxm_work work = {
		.e = e,
		.a = a,
		.w = &e->tensors[l->b],
		.c = &e->tensors[l->c],
		.rows = l->m,
		.c_row = l->c_row,
		.line_rows = l->m,
		.a_row = a->row_pitch,
		.type = l->type,
		.blocks = blocks,
	};

	(void)ready;
	if (!check_machine(e, MIN(l->block_run, l->k), l->n, l->type, error))
		return false;
	for (uint64_t k = 0; k < l->k; k += l->block_run) {
		mxm_block block = {.lanes = (uint32_t)MIN(l->block_run, l->k - k),
		                   .weight_row = l->b_row + k,
		                   .offset = (int64_t)tspe_element_addr(a, l->a_row, k),
		                   .count = 1};

		block.seg = block.lanes * a->element;
		g_array_append_val(blocks, block);
	}
	return run_work(&work, error);
}

/* Appends the K block that begins at filter row R, position S, channel C of the run, of COUNT segments of LANES. */
static void add_conv_block(GArray *blocks, const tspe_tensor *x, uint64_t *weight_row, int64_t offset, uint64_t lanes,
                           uint64_t count, int64_t pitch)
{
	mxm_block block = {
		.lanes = (uint32_t)(lanes * count),
		.weight_row = *weight_row,
		.offset = offset,
		.seg = (uint32_t)(lanes * x->element),
		.count = (uint32_t)count,
		.pitch = (int32_t)(count > 1 ? pitch : 0),
	};

	*weight_row += block.lanes;
	g_array_append_val(blocks, block);
}

static void cut_runs(const graph_conv *c, const tspe_tensor *x, uint64_t weight_row, GArray *blocks)
{
	uint64_t run = c->s * c->c;

	for (uint64_t r = 0; r < c->r; r += c->block_rows)
		for (uint64_t at = 0; at < run; at += c->block_run)
			add_conv_block(blocks, x, &weight_row, (int64_t)r * x->line_pitch + (int64_t)(at * x->element),
			               MIN(c->block_run, run - at), MIN(c->block_rows, c->r - r), x->line_pitch);
}

static void cut_taps(const graph_conv *c, const tspe_tensor *x, uint64_t weight_row, GArray *blocks)
{
	for (uint64_t r = 0; r < c->r; r++)
		for (uint64_t s = 0; s < c->s; s += c->block_taps)
			for (uint64_t at = 0; at < c->c; at += c->block_chan)
				add_conv_block(blocks, x, &weight_row,
				               (int64_t)r * x->line_pitch + (int64_t)s * x->row_pitch +
				                       (int64_t)(at * x->element),
				               MIN(c->block_chan, c->c - at), MIN(c->block_taps, c->s - s),
				               x->row_pitch);
}

bool tspe_conv(tspe *e, const low_macro *macro, int64_t ready, GError **error)
{
	const low_conv *l = &macro->conv;
	const graph_conv *c = &l->conv;
	g_autoptr(GArray) blocks = g_array_new(FALSE, TRUE, sizeof(mxm_block));
	tspe_tensor *x = &e->tensors[l->x];
	mxm_work work = {
		.e = e,
		.a = x,
		.w = &e->tensors[l->w],
		.c = &e->tensors[l->y],
		.rows = c->oh * c->ow,
		.c_row = l->y_row,
		.line_rows = c->ow,
		.a_first = (int64_t)x->base + (int64_t)(l->x_row / (c->h * c->w)) * x->image_pitch,
		.a_row = (int64_t)c->stride_w * x->row_pitch,
		.a_line = (int64_t)c->stride_h * x->line_pitch,
		.type = l->type,
		.blocks = blocks,
	};
	uint64_t widest = 0;

	(void)ready;
	(c->kind == GRAPH_KBLOCK_RUNS ? cut_runs : cut_taps)(c, x, l->w_row, blocks);
	for (guint i = 0; i < blocks->len; i++)
		widest = MAX(widest, g_array_index(blocks, mxm_block, i).lanes);
	return check_machine(e, widest, c->n, l->type, error) && run_work(&work, error);
}
