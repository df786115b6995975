/* SPDX-License-Identifier: Apache-2.0
 *
 * How a matrix product is cut.  Rows go in equal chunks that the accumulators hold, columns in groups of as many blocks
 * as there are units; the narrow last block goes first, because its weights arrive sooner than a full block's.  What is
 * left of the columns is spread over the units by rows where the estimate says that this is faster: each row costs
 * an interval, each row of weights its share of the memory's bandwidth.
 */
#include "sched/emit/tsp_mxm.h"

uint32_t mxm_column_lanes(const mxm_work *work, unsigned column)
{
	const low_tensor *c = work->c->low;

	return (uint32_t)(column < c->blocks ? c->vector_lanes : c->tail);
}

/* What the passes of one K block over a round ask of the machine. */
typedef struct demand {
	double rows;    /* cycles that the units compute */
	double weights; /* rows of weights loaded; jobs with the same columns share them */
	double width;   /* their mean share of the banks */
	double ports;   /* rows of weights of the unit with the most, for each of its ports */
	unsigned jobs;
} demand;

static double width_of(const mxm_work *work, uint32_t lanes)
{
	const isa_machine *m = work->e->m;
	double bytes = (double)lanes * isa_type_bytes(work->type);
	double memory = (double)bank_map_banks_used(bank_calendar_map(work->e->cal.banks)) * (double)m->sram_ports *
	                (double)MIN(m->sram_block_bytes, m->sram_port_bytes);

	return MAX(bytes / memory, bytes / (double)m->mxm_weight_bytes);
}

static demand demand_of(const mxm_work *work, const mxm_job *jobs, unsigned count, unsigned block)
{
	double lanes = g_array_index(work->blocks, mxm_block, block).lanes;
	demand d = {.jobs = count, .ports = lanes / work->stride};

	for (unsigned j = 0; j < count; j++)
		d.rows = MAX(d.rows, (double)jobs[j].rows * work->interval);
	for (unsigned u = 0; u < jobs[0].units; u++) {
		d.weights += lanes;
		d.width += width_of(work, mxm_column_lanes(work, jobs[0].column[u])) / jobs[0].units;
	}
	return d;
}

/* Rows of weights a cycle beside rows of activations, and without them. */
static double rate_beside(const mxm_work *work, const demand *d)
{
	double queues = MAX((double)work->e->mem.count - d->jobs, 0.25);

	return MIN(queues, 1 / d->width) / work->interval;
}

static double rate_alone(const mxm_work *work, const demand *d)
{
	return MIN(MIN((double)work->e->mem.count, 1 / d->width), d->weights / d->ports);
}

static double pass_cycles(const mxm_work *work, const demand *d)
{
	double rest = d->weights - d->rows * rate_beside(work, d);

	return d->rows + (rest > 0 ? rest / rate_alone(work, d) : 0);
}

bool mxm_rows_bind(const mxm_work *work, const mxm_round *round, unsigned block)
{
	demand d = demand_of(work, round->job, round->jobs, block);

	return d.weights <= d.rows * rate_beside(work, &d);
}

static int64_t estimate_rounds(const mxm_work *work, const GArray *rounds)
{
	double sum = 0;

	for (guint i = 0; i < rounds->len; i++) {
		const mxm_round *r = &g_array_index(rounds, mxm_round, i);

		for (guint b = 0; b < work->blocks->len; b++) {
			demand d = demand_of(work, r->job, r->jobs, b);

			sum += pass_cycles(work, &d);
		}
	}
	return (int64_t)sum;
}

/* Adds rounds that give COLUMNS (COUNT of them) to GROUPS sets of units, each with its share of the rows. */
static void add_rounds(const mxm_work *work, const unsigned *columns, unsigned count, unsigned groups, GArray *rounds)
{
	uint64_t chunks =
		(work->rows + (uint64_t)work->acc_rows * groups - 1) / ((uint64_t)work->acc_rows * groups) * groups;
	uint64_t row = 0;

	for (uint64_t chunk = 0; chunk < chunks;) {
		mxm_round round = {0};

		for (unsigned g = 0; g < groups; g++, chunk++) {
			uint64_t end = work->rows * (chunk + 1) / chunks;
			mxm_job *job = &round.job[round.jobs];

			if (end == row)
				continue;
			*job = (mxm_job){.row = row, .rows = (uint32_t)(end - row), .units = count};
			for (unsigned u = 0; u < count; u++) {
				job->unit[u] = g * count + u;
				job->column[u] = columns[u];
			}
			round.jobs++;
			row = end;
		}
		g_array_append_val(rounds, round);
	}
}

/* The columns left when all units have had as many as they can have equally. */
static void add_rest(const mxm_work *work, const unsigned *columns, unsigned count, GArray *rounds)
{
	GArray *best = NULL;
	int64_t least = INT64_MAX;

	for (unsigned groups = 1; groups * count <= work->units; groups++) {
		GArray *tried = g_array_new(FALSE, FALSE, sizeof(mxm_round));
		int64_t cycles;

		add_rounds(work, columns, count, groups, tried);
		cycles = estimate_rounds(work, tried);
		if (cycles < least) {
			if (best)
				g_array_unref(best);
			best = tried;
			least = cycles;
		} else {
			g_array_unref(tried);
		}
	}
	g_array_append_vals(rounds, best->data, best->len);
	g_array_unref(best);
}

/* All columns COUNT at a time, each time on as many groups of units as there are. */
static void cut_narrow(const mxm_work *work, const unsigned *order, unsigned count, GArray *rounds)
{
	for (unsigned i = 0; i < work->columns; i += count) {
		unsigned now = MIN(count, work->columns - i);

		add_rounds(work, order + i, now, work->units / now, rounds);
	}
}

GArray *mxm_cut(const mxm_work *work)
{
	GArray *rounds = g_array_new(FALSE, FALSE, sizeof(mxm_round));
	g_autofree unsigned *order = g_new(unsigned, work->columns);
	unsigned full = work->columns / work->units * work->units;
	/* Results that follow each other in the step of the rows go column by column; cut 1 is the other order. */
	bool in_step = work->interval == 1 && !work->c->low->tail;

	for (unsigned i = 0; i < work->columns; i++)
		order[i] = in_step != (work->cut == 1) ? i : (i + work->columns - 1) % work->columns;
	if (work->cut > 1) {
		/* One column on all units, or two on half of them each. */
		cut_narrow(work, order, MIN(work->cut - 1, work->units), rounds);
		return rounds;
	}
	for (unsigned i = 0; i < full; i += work->units)
		add_rounds(work, order + i, work->units, 1, rounds);
	if (full < work->columns)
		add_rest(work, order + full, work->columns - full, rounds);
	return rounds;
}
