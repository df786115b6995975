/* SPDX-License-Identifier: Apache-2.0
 *
 * Chunks of short bursts in rows.
 *
 * Where iterations are to begin faster than one burst a step allows, or there are more steps than queues, a chunk is
 * made of bursts of N iterations, a row of them after the other, each row N cycles long.  A value then reaches the
 * vector unit within its row, and a store in the next one.  The next chunk begins ROWS rows later, so that rows of
 * different chunks run side by side: a store whose row is not below ROWS does so with the next chunk's bursts.  Which
 * bursts can share a row is known exactly, from the bank map; which go where is found by trying, the burst with the
 * fewest rows left first.
 */
#include <limits.h>
#include <string.h>

#include "sched/emit/tsp.h"

enum {
	NODES = 400,      /* of a search */
	SORTED_ROWS = 12, /* that change places */
	BUBBLES = 2,      /* cycles by which an operation waits for a free port */
};

static bool in_burst(const tspe_step *s)
{
	return s->memory && !s->once;
}

/* Do bursts of N iterations meet when they run side by side, A's LATER chunks after B's?  What moves apart does so from
 * end to end, so ends come first. */
static bool bursts_meet(const tspe_kernel *k, const tspe_step *a, const tspe_step *b, int32_t later)
{
	uint32_t n = k->n, of_a = later > 0 ? n : 0, of_b = later < 0 ? n : 0;

	if (MAX(of_a, of_b) + n > k->count)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i == 1 ? n - 1 : i ? i - 1 : 0;

		if (bank_calendar_meet(k->e->cal.banks, a->prints[of_a + at], b->prints[of_b + at], k->arena))
			return true;
	}
	return false;
}

/* Bursts on their way into rows.  A burst in row R of its own chunk runs beside those in rows R + ROWS of the chunk
 * before. */
typedef struct filling {
	const tspe_kernel *k;
	unsigned count, queues, rows;
	unsigned step[TSPE_STEPS_MAX];
	uint64_t feeds[TSPE_STEPS_MAX];    /* of stores: the loads that they wait for, by number */
	uint64_t meets[3][TSPE_STEPS_MAX]; /* numbers of bursts, when this one is a chunk earlier, the same, a chunk
	                                      later */
	uint64_t known[3][TSPE_STEPS_MAX]; /* whether they do */
	int32_t row[TSPE_STEPS_MAX];
	int32_t after[TSPE_STEPS_MAX];   /* the first row after those of the loads that a burst waits for */
	uint64_t filled[TSPE_STEPS_MAX]; /* by row modulo ROWS: numbers of bursts that are there, */
	uint64_t late[TSPE_STEPS_MAX];   /* and which of these are in rows from ROWS on */
	unsigned used[TSPE_STEPS_MAX];   /* likewise: how many */
	unsigned nodes;                  /* that may still be looked at */
} filling;

/* Loads that each step waits for, by numbers of bursts. */
static void find_feeds(filling *f)
{
	const tspe_kernel *k = f->k;
	uint64_t feeds[TSPE_STEPS_MAX] = {0};
	unsigned burst = 0;

	for (unsigned i = 0; i < k->step_count; i++) {
		const tspe_step *s = &k->step[i];

		for (unsigned o = 0; o < 2; o++)
			feeds[i] |= s->in[o] >= 0 ? feeds[s->in[o]] : 0;
		if (!in_burst(s))
			continue;
		f->feeds[burst] = feeds[i];
		if (tspe_is_load(s))
			feeds[i] = UINT64_C(1) << burst;
		burst++;
	}
}

/* False: bursts cannot be. */
static bool begin_filling(filling *f, const tspe_kernel *k)
{
	*f = (filling){.k = k};
	for (unsigned i = 0; i < k->step_count; i++) {
		if (!in_burst(&k->step[i]))
			continue;
		/* Longer accesses would meet the next ones of their own burst. */
		if (k->step[i].beats_max > 1)
			return false;
		f->queues = k->step[i].queue_count;
		f->step[f->count++] = i;
	}
	find_feeds(f);
	return f->count > 0;
}

/* Does A, LATER chunks after them, meet one of OTHERS? */
static bool meets_any(filling *f, unsigned a, uint64_t others, int32_t later)
{
	uint64_t unknown = others & ~f->known[later + 1][a];

	for (unsigned b = 0; unknown >> b; b++) {
		if (!(unknown >> b & 1))
			continue;
		f->known[later + 1][a] |= UINT64_C(1) << b;
		f->known[1 - later][b] |= UINT64_C(1) << a;
		if (!bursts_meet(f->k, &f->k->step[f->step[a]], &f->k->step[f->step[b]], later))
			continue;
		f->meets[later + 1][a] |= UINT64_C(1) << b;
		f->meets[1 - later][b] |= UINT64_C(1) << a;
	}
	return f->meets[later + 1][a] & others;
}

/* The loads have their rows. */
static void set_after(filling *f)
{
	for (unsigned a = 0; a < f->count; a++) {
		f->after[a] = 0;
		for (unsigned i = 0; f->feeds[a] >> i; i++)
			if (f->feeds[a] >> i & 1)
				f->after[a] = MAX(f->after[a], f->row[i] + 1);
	}
}

/* The row of burst A when it stands ROW rows, modulo ROWS, after the beginning. */
static int32_t row_in(const filling *f, unsigned a, unsigned row)
{
	return (int32_t)row >= f->after[a] ? (int32_t)row : (int32_t)(row + f->rows);
}

static bool goes_into(filling *f, unsigned a, unsigned row)
{
	bool late = row_in(f, a, row) >= (int32_t)f->rows;

	return f->used[row] < f->queues && !meets_any(f, a, f->filled[row] & ~f->late[row], -late) &&
	       !meets_any(f, a, f->late[row], 1 - late);
}

static void put_burst(filling *f, unsigned a, unsigned row)
{
	f->row[a] = row_in(f, a, row);
	f->filled[row] |= UINT64_C(1) << a;
	if (f->row[a] >= (int32_t)f->rows)
		f->late[row] |= UINT64_C(1) << a;
	f->used[row]++;
}

static void take_burst(filling *f, unsigned a, unsigned row)
{
	f->filled[row] &= ~(UINT64_C(1) << a);
	f->late[row] &= ~(UINT64_C(1) << a);
	f->used[row]--;
}

static uint64_t loads_of(const filling *f)
{
	uint64_t loads = 0;

	for (unsigned i = 0; i < f->count; i++)
		loads |= (uint64_t)tspe_is_load(&f->k->step[f->step[i]]) << i;
	return loads;
}

static uint64_t loads_and_stores(const filling *f)
{
	return f->count == 64 ? UINT64_MAX : (UINT64_C(1) << f->count) - 1;
}

/* Loads first: what rows stores can take depends on theirs.  Of LEFT, the burst that fewest rows take is next; of rows
 * that are still empty one stands for all while there are only loads. */
static bool fill(filling *f, uint64_t left, uint64_t loads)
{
	uint64_t now = left & loads ? left & loads : left;
	unsigned best = 0, fewest = UINT_MAX, empty = 0;

	if (!left)
		return true;
	if (!f->nodes)
		return false;
	f->nodes--;
	if (!(left & loads) && left == (loads_and_stores(f) & ~loads))
		set_after(f);
	for (unsigned i = 0; i < f->count && fewest; i++) {
		unsigned takes = 0;

		for (unsigned r = 0; now >> i & 1 && r < f->rows && takes < fewest; r++)
			takes += goes_into(f, i, r);
		if (now >> i & 1 && takes < fewest) {
			fewest = takes;
			best = i;
		}
	}
	for (unsigned n = 0; n < f->rows && fewest; n++) {
		unsigned r = (unsigned)(f->after[best] + (int32_t)n) % f->rows;

		if (!goes_into(f, best, r) || (left & loads && !f->used[r] && empty++))
			continue;
		put_burst(f, best, r);
		if (fill(f, left & ~(UINT64_C(1) << best), loads))
			return true;
		take_burst(f, best, r);
	}
	return false;
}

static void empty_rows(filling *f)
{
	memset(f->filled, 0, sizeof f->filled);
	memset(f->late, 0, sizeof f->late);
	memset(f->used, 0, sizeof f->used);
	memset(f->after, 0, sizeof f->after);
}

/* Each burst, loads first and in the order of the steps, into the first row after what it waits for that takes it. */
static bool fill_first(filling *f)
{
	uint64_t loads = loads_of(f);

	empty_rows(f);
	for (unsigned n = 0; n < 2 * f->count; n++) {
		unsigned i = n % f->count, tried = 0;

		if (n == f->count)
			set_after(f);
		if ((loads >> i & 1) != (n < f->count))
			continue;
		while (tried < f->rows && !goes_into(f, i, ((unsigned)f->after[i] + tried) % f->rows))
			tried++;
		if (tried == f->rows)
			return false;
		put_burst(f, i, ((unsigned)f->after[i] + tried) % f->rows);
	}
	return true;
}

static bool fill_any(filling *f)
{
	if (fill_first(f))
		return true;
	empty_rows(f);
	f->nodes = NODES;
	return fill(f, loads_and_stores(f), loads_of(f));
}

/* Registers that chunks of K's iterations in these rows keep at a time, nearly: a value waits from its maker's row to
 * its last reader's, operations run as soon as their operands are there, and no chunk keeps more values of a step than
 * it has iterations. */
static uint64_t registers_kept(const tspe_kernel *k)
{
	int64_t row[TSPE_STEPS_MAX] = {0}, last[TSPE_STEPS_MAX] = {0};
	int64_t n = k->n, period = n * k->rows;
	uint64_t sum = 0;

	for (unsigned i = 0; i < k->step_count; i++) {
		const tspe_step *s = &k->step[i];

		row[i] = s->row;
		for (unsigned o = 0; o < 2; o++)
			if (s->in[o] >= 0 && !in_burst(s))
				row[i] = MAX(row[i], row[s->in[o]]);
		last[i] = row[i];
		for (unsigned o = 0; o < 2; o++)
			if (s->in[o] >= 0)
				last[s->in[o]] = MAX(last[s->in[o]], row[i]);
	}
	for (unsigned i = 0; i < k->step_count; i++) {
		const tspe_step *s = &k->step[i];
		int64_t life = (last[i] - row[i]) * n + s->delay + BUBBLES;

		if (s->result == TSPE_REGISTERS)
			sum += (uint64_t)(s->span * MIN(n, life) * (n + life) / period);
	}
	return sum;
}

static void set_rows(tspe_kernel *k, const filling *f)
{
	for (unsigned i = 0; i < k->step_count; i++)
		k->step[i].row = 0;
	for (unsigned i = 0; i < f->count; i++)
		k->step[f->step[i]].row = f->row[i];
	k->rows = f->rows;
}

static int32_t last_row(const filling *f)
{
	int32_t last = 0;

	for (unsigned i = 0; i < f->count; i++)
		last = MAX(last, f->row[i]);
	return last;
}

/* OTHER: F with rows A and B in each other's place; false if bursts would meet. */
static bool exchange(const filling *f, filling *other, unsigned a, unsigned b)
{
	uint64_t loads = loads_of(f);

	*other = *f;
	empty_rows(other);
	for (unsigned stores = 0; stores < 2; stores++) {
		for (unsigned i = 0; i < f->count; i++) {
			unsigned row = (unsigned)f->row[i] % f->rows;

			if ((loads >> i & 1) == stores)
				continue;
			row = row == a ? b : row == b ? a : row;
			if (!goes_into(other, i, row))
				return false;
			put_burst(other, i, row);
		}
		set_after(other);
	}
	return true;
}

/* Rows change places while chunks get shorter, or as long with values in fewer registers. */
static uint64_t sort_rows(tspe_kernel *k, filling *f)
{
	uint64_t least = (set_rows(k, f), registers_kept(k));
	int32_t span = last_row(f);
	bool better = f->rows <= SORTED_ROWS;

	while (better) {
		better = false;
		for (unsigned a = 0; a < f->rows; a++)
			for (unsigned b = 0; b < a; b++) {
				filling other;
				uint64_t registers;

				if (!exchange(f, &other, a, b))
					continue;
				set_rows(k, &other);
				registers = registers_kept(k);
				if (last_row(&other) > span || (last_row(&other) == span && registers >= least))
					continue;
				span = last_row(&other);
				least = registers;
				*f = other;
				better = true;
			}
	}
	set_rows(k, f);
	return least;
}

bool tspe_kernel_rows(tspe_kernel *k, uint32_t from, uint32_t to, uint64_t *registers)
{
	filling f;
	bool done = false;

	k->rows = 0;
	if (!begin_filling(&f, k))
		return false;
	for (f.rows = MAX(from, (f.count + f.queues - 1) / f.queues); !done && f.rows <= MIN(to, f.count);
	     f.rows += !done)
		done = fill_any(&f);
	if (done)
		*registers = sort_rows(k, &f);
	return done;
}

void tspe_copy_rows(tspe_kernel *k, const tspe_kernel *from)
{
	k->rows = from->rows;
	for (unsigned i = 0; i < k->step_count; i++)
		k->step[i].row = from->step[i].row;
}
