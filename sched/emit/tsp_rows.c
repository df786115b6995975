/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows through the matrix unit, and results out of it.
 *
 * Rows are loaded into the activation ports of all units of a job at once.  After the last K block the accumulator rows
 * are read out in the rhythm in which they were completed, converted (fp16) and stored, while the next job already
 * overwrites the rows behind.
 */
#include "sched/emit/tsp_mxm.h"

enum {
	ROTATION_MAX = 15, /* registers that one issue can move on by */
	FAN_BEATS = 2,     /* stores that take longer have a queue each */
};

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

bool mxm_multiply(mxm_pass *p, GError **error)
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
	/* The units take rows no faster than that, and the bound is what the rest of the machine brings. */
	e->passes += k->slowest > 0;
	e->least_passes += k->slowest && k->slowest == MAX(work->interval, (uint32_t)tspe_kernel_bound(k));
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
	*cell = (uint32_t)(u->column * c->low->rows + row) * c->parts;
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
	k->in_step = work->interval == 1;
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
	bank_access access = {result_at(p, u, 0, &cell), u->lanes * p->work->c->element, 0, 1, NULL};

	return bank_calendar_beats(banks, bank_calendar_print(banks, &access, arena));
}

/* Units of one width whose results a single queue can store without falling behind go together; the narrow block, which
 * stands first, finds a place beside them. */
bool mxm_drain(const mxm_pass *p, GError **error)
{
	enum isa_type type = p->work->type == ISA_TYPE_F16 ? ISA_TYPE_F16 : ISA_TYPE_I32;
	unsigned last = p->job->units;

	while (last > 0) {
		unsigned span = tspe_span(p->work->e->m, p->units[last - 1].lanes, type);
		unsigned count = 1;

		while (p->work->type == ISA_TYPE_I8 && store_beats(p, &p->units[last - 1]) <= FAN_BEATS &&
		       count < last && (count + 1) * span <= MIN(ROTATION_MAX, p->work->e->registers) &&
		       p->units[last - 1 - count].lanes == p->units[last - 1].lanes)
			count++;
		if (!drain(p, last - count, count, error))
			return false;
		last -= count;
	}
	return true;
}
