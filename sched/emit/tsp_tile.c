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

/* Rows of weights a cycle that reach the shadow buffers, for rows of LANES lanes. */
static double weight_rate(const mxm_work *work, uint32_t lanes)
{
	const isa_machine *m = work->e->m;
	double bytes = (double)lanes * isa_type_bytes(work->type);
	double memory = (double)(bank_map_banks_used(bank_calendar_map(work->e->cal.banks)) * (uint64_t)m->sram_ports) *
	                (double)MIN(m->sram_block_bytes, m->sram_port_bytes) / bytes;
	double slots = m->sram_issue_per_cycle > 1 ? (double)m->sram_issue_per_cycle - 0.5 : 0.5;

	return MIN(MIN(slots, memory), (double)m->mxm_weight_bytes / bytes);
}

static double weight_cycles(const mxm_work *work, const mxm_job *job, unsigned block)
{
	double cycles = 0;

	for (unsigned u = 0; u < job->units; u++)
		cycles += g_array_index(work->blocks, mxm_block, block).lanes /
		          weight_rate(work, mxm_column_lanes(work, job->column[u]));
	return cycles;
}

bool mxm_rows_bind(const mxm_work *work, const mxm_job *job, unsigned block)
{
	return (double)job->rows * work->interval > weight_cycles(work, job, block);
}

int64_t mxm_estimate(const mxm_work *work, const mxm_job *job)
{
	double cycles = 0;

	for (guint b = 0; b < work->blocks->len; b++)
		cycles += MAX((double)job->rows * work->interval, weight_cycles(work, job, b));
	return (int64_t)cycles;
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

static int64_t estimate_rounds(const mxm_work *work, const GArray *rounds)
{
	int64_t sum = 0;

	for (guint i = 0; i < rounds->len; i++) {
		const mxm_round *r = &g_array_index(rounds, mxm_round, i);
		int64_t longest = 0;

		/* Jobs beside each other share the bandwidth of weights. */
		for (unsigned j = 0; j < r->jobs; j++)
			longest = MAX(longest, mxm_estimate(work, &r->job[j]));
		for (guint b = 0; b < work->blocks->len && r->jobs > 1; b++) {
			double weights = 0;

			for (unsigned j = 0; j < r->jobs; j++)
				weights += weight_cycles(work, &r->job[j], b);
			longest = MAX(longest, (int64_t)(weights * work->blocks->len));
		}
		sum += longest;
	}
	return sum;
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

GArray *mxm_cut(const mxm_work *work)
{
	GArray *rounds = g_array_new(FALSE, FALSE, sizeof(mxm_round));
	g_autofree unsigned *order = g_new(unsigned, work->columns);
	unsigned full = work->columns / work->units * work->units;

	for (unsigned i = 0; i < work->columns; i++)
		order[i] = (i + work->columns - 1) % work->columns;
	for (unsigned i = 0; i < full; i += work->units)
		add_rounds(work, order + i, work->units, 1, rounds);
	if (full < work->columns)
		add_rest(work, order + full, work->columns - full, rounds);
	return rounds;
}
