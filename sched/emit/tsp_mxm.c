/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products and convolutions: the order of their passes.
 *
 * A pass multiplies a chunk of rows with one K block of weights.  Its weights go into the shadow buffers while the pass
 * before it runs; the install overlaps that pass's last rows, so passes follow each other without a gap unless memory
 * binds.  Products that do not depend on each other make one course, so that this holds from one to the next.
 */
#include "sched/emit/tsp_mxm.h"

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

/* -------------------------------------------------------------------------------------------------------- jobs */

static void begin_units(const mxm_work *work, const mxm_job *job, mxm_unit *units)
{
	for (unsigned i = 0; i < job->units; i++) {
		mxm_unit *u = &units[i];

		*u = (mxm_unit){.plane = job->unit[i] * work->stride,
		                .column = job->column[i],
		                .port_free = {TSPE_NEVER, TSPE_NEVER}};
		u->state = &work->e->plane[u->plane];
		u->lanes = mxm_column_lanes(work, u->column);
	}
}

/* One K block of one round. */
typedef struct mxm_step {
	mxm_work *work;
	const mxm_round *round;
	unsigned block;
} mxm_step;

/* All passes of several products, in order: for each product and round, for each K block, the passes of its jobs. */
typedef struct mxm_course {
	GArray *steps; /* mxm_step */
	mxm_rhythm beat;
	mxm_unit units[2][TSPE_PLANES_MAX][TSPE_PLANES_MAX]; /* of a step and the next, of each job */
} mxm_course;

static const mxm_step *step_at(const mxm_course *c, guint step)
{
	return &g_array_index(c->steps, mxm_step, step);
}

static mxm_pass pass_of(mxm_course *c, guint step, unsigned job)
{
	const mxm_step *s = step_at(c, step);

	return (mxm_pass){
		.work = s->work,
		.job = &s->round->job[job],
		.units = c->units[step % 2][job],
		.index = s->block,
		.block = &g_array_index(s->work->blocks, mxm_block, s->block),
		.beside_rows = c->beat.last != TSPE_NEVER && mxm_rows_bind(s->work, s->round, s->block),
		.beat = c->beat,
	};
}

/* What is issued from now on belongs to WORK's macro-operation; what moved because of banks until now, to the one
 * before. */
static void attribute(tspe *e, mxm_work **present, mxm_work *work)
{
	if (*present)
		(*present)->bank_delay = MAX((*present)->bank_delay, e->bank_delay);
	e->bank_delay = 0;
	e->node = work ? work->node : e->node;
	*present = work;
}

/* Weights of all jobs of a step. */
static bool prepare(mxm_course *c, guint step, GError **error)
{
	mxm_pass passes[TSPE_PLANES_MAX];
	const mxm_step *s = step_at(c, step);

	for (unsigned j = 0; j < s->round->jobs; j++) {
		passes[j] = pass_of(c, step, j);
		begin_units(s->work, passes[j].job, passes[j].units);
	}
	return mxm_prepare(passes, s->round->jobs, error);
}

static bool run_rows(mxm_course *c, guint step, GError **error)
{
	for (unsigned j = 0; j < step_at(c, step)->round->jobs; j++) {
		mxm_pass p = pass_of(c, step, j);

		if (!mxm_multiply(&p, error))
			return false;
		c->beat = p.beat;
	}
	return true;
}

static bool run_drains(mxm_course *c, guint step, GError **error)
{
	const mxm_step *s = step_at(c, step);

	for (unsigned j = 0; j < s->round->jobs && s->block + 1 == s->work->blocks->len; j++) {
		mxm_pass p = pass_of(c, step, j);

		if (!mxm_drain(&p, error))
			return false;
	}
	return true;
}

/* Would rows and results alone keep all memory queues?  Then the next weights must get in before the results. */
static bool weights_go_first(const mxm_course *c, guint step)
{
	const mxm_step *s = step_at(c, step);
	unsigned bursts = s->round->jobs;

	for (unsigned j = 0; j < s->round->jobs; j++)
		bursts += s->work->type == ISA_TYPE_I8 ? 1 : s->round->job[j].units;
	return (bursts >= s->work->e->mem.count) != s->work->drain_late;
}

static bool run_step(mxm_course *c, guint step, mxm_work **present, GError **error)
{
	mxm_work *work = step_at(c, step)->work;
	bool first = weights_go_first(c, step);

	attribute(work->e, present, work);
	if (!run_rows(c, step, error) || (!first && !run_drains(c, step, error)))
		return false;
	if (step + 1 < c->steps->len) {
		attribute(work->e, present, step_at(c, step + 1)->work);
		if (!prepare(c, step + 1, error))
			return false;
		attribute(work->e, present, work);
	}
	return !first || run_drains(c, step, error);
}

static bool run_course(mxm_course *c, GError **error)
{
	tspe *e = step_at(c, 0)->work->e;
	mxm_work *present = NULL;

	attribute(e, &present, step_at(c, 0)->work);
	if (!prepare(c, 0, error))
		return false;
	for (guint step = 0; step < c->steps->len; step++)
		if (!run_step(c, step, &present, error))
			return false;
	attribute(e, &present, NULL);
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

/* Cuts WORK and appends its steps. */
static void add_steps(mxm_course *c, mxm_work *work)
{
	work->rounds = mxm_cut(work);
	count_work(work, work->rounds);
	for (guint r = 0; r < work->rounds->len; r++)
		for (unsigned b = 0; b < work->blocks->len; b++) {
			mxm_step step = {work, &g_array_index(work->rounds, mxm_round, r), b};

			g_array_append_val(c->steps, step);
		}
}

static bool run_works(tspe *e, mxm_work *works, unsigned count, GError **error)
{
	g_autofree mxm_course *course = g_new0(mxm_course, 1);
	bool done;

	course->steps = g_array_new(FALSE, FALSE, sizeof(mxm_step));
	course->beat.last = TSPE_NEVER;
	change_kind(e, works[0].type == ISA_TYPE_F16);
	for (unsigned i = 0; i < count; i++)
		add_steps(course, &works[i]);
	done = run_course(course, error);
	g_array_unref(course->steps);
	return done;
}

bool tspe_products(tspe *e, const uint32_t *macros, unsigned count, GError **error)
{
	g_autofree mxm_work *works = g_new0(mxm_work, count);
	bool done = true;

	for (unsigned i = 0; i < count && done; i++) {
		const low_macro *macro = &g_array_index(e->low->macros, low_macro, macros[i]);

		e->node = isa_program_add_node(e->program, macro->name, e->epoch);
		done = mxm_make(e, macro, &works[i], error);
		works[i].node = e->node;
	}
	done = done && run_works(e, works, count, error);
	for (unsigned i = 0; i < count; i++) {
		tspe_count_macro(e, works[i].bank_delay);
		mxm_clear(&works[i]);
	}
	return done;
}
