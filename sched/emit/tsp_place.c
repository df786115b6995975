/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding times for a chunk of a kernel.
 *
 * Steps are placed in order, each at the earliest time at which its operands are there and its whole burst fits, by
 * trying one cycle after the other.  Lower bounds are first pulled backwards from consumers to producers, so that
 * values are made just in time.  A value in a port must be sampled before the next one is due, a value in registers
 * within SLACK cycles; when a later step finds no place, the last memory step before it moves on (under a modulo map
 * this changes the distance between two bursts), and when that is exhausted everything starts later.
 */
#include "sched/emit/tsp.h"

enum {
	WORK_LEAST = 1 << 14, /* accesses tried before a search gives up */
	WORK_BURSTS = 24,     /* or whole bursts of every step, if that is more */
	TRY_WORK = 8,         /* a try that fails at once, in accesses */
};

int64_t tspe_due_at(const tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j)
{
	unsigned beats = 1;

	if (s->memory)
		beats = s->beats_max == s->beats_min
		                ? s->beats_max
		                : bank_calendar_beats(k->e->cal.banks, s->prints[(size_t)(k->first + i) * s->fan + j]);
	return tspe_sample_at(k, s, s->once ? 0 : i, j) + s->delay + (int64_t)beats - 1;
}

const tspe_step *tspe_producer(const tspe_kernel *k, const tspe_step *s, unsigned o, unsigned j, unsigned *value)
{
	const tspe_step *p = &k->step[s->in[o]];

	*value = 0;
	if (s->fan > 1 && p->fan == 1)
		return p + j;
	if (p->fan > 1)
		*value = s->fan > 1 ? j : s->in_member[o];
	return p;
}

/* ------------------------------------------------------------------------------------------------- resources */

static tspe_ports reads_of(const tspe_step *s)
{
	return (tspe_ports){.reads = s->read_ports, .weight_bytes = s->weight_bytes};
}

static tspe_ports writes_of(const tspe_step *s)
{
	return (tspe_ports){.writes = s->result == TSPE_REGISTERS ? s->span : 0};
}

enum clash { NO_CLASH, BANK_CLASH, PORT_CLASH };

static bank_print print_of(const tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j)
{
	return s->prints[(size_t)(k->first + i) * s->fan + j];
}

static void release_access(tspe_kernel *k, tspe_step *s, uint32_t i, uint32_t j)
{
	tspe_calendars *c = &k->e->cal;
	int64_t sample = tspe_sample_at(k, s, i, j);

	if (s->memory)
		bank_calendar_release(c->banks, sample, print_of(k, s, i, j), k->arena);
	if (s->read_ports || s->weight_bytes)
		tspe_release_ports(c, sample, reads_of(s));
	if (s->result == TSPE_REGISTERS)
		tspe_release_ports(c, tspe_due_at(k, s, i, j), writes_of(s));
}

/* Is what the access asks for free? */
static enum clash look_at(const tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j)
{
	const tspe_calendars *c = &k->e->cal;
	int64_t sample = tspe_sample_at(k, s, i, j);

	if (s->memory && !bank_calendar_free_for(c->banks, sample, print_of(k, s, i, j), k->arena))
		return BANK_CLASH;
	if ((s->read_ports || s->weight_bytes) && !tspe_ports_free(c, sample, reads_of(s)))
		return PORT_CLASH;
	if (s->result == TSPE_REGISTERS && !tspe_ports_free(c, tspe_due_at(k, s, i, j), writes_of(s)))
		return PORT_CLASH;
	return NO_CLASH;
}

static void take_access(tspe_kernel *k, const tspe_step *s, uint32_t i, uint32_t j)
{
	tspe_calendars *c = &k->e->cal;
	int64_t sample = tspe_sample_at(k, s, i, j);

	if (s->memory)
		bank_calendar_put(c->banks, sample, print_of(k, s, i, j), k->arena);
	if (s->read_ports || s->weight_bytes)
		tspe_put_ports(c, sample, reads_of(s));
	if (s->result == TSPE_REGISTERS)
		tspe_put_ports(c, tspe_due_at(k, s, i, j), writes_of(s));
}

static uint32_t accesses(const tspe_kernel *k, const tspe_step *s)
{
	return (s->once ? 1 : k->n) * s->fan;
}

static void release_accesses(tspe_kernel *k, tspe_step *s, uint32_t count)
{
	while (count-- > 0)
		release_access(k, s, count / s->fan, count % s->fan);
}

/* Can no two accesses of the step's burst ask for the same thing?  They sample, and have their results, in different
 * cycles, and each leaves its banks before the next one comes. */
static bool is_apart(const tspe_kernel *k, const tspe_step *s)
{
	return s->fan == 1 && s->beats_min == s->beats_max && (s->once || k->interval >= s->beats_max);
}

/* How many accesses of a step whose accesses are apart find what they ask for, before one does not; *CLASH says why. */
static uint32_t count_free(const tspe_kernel *k, const tspe_step *s, enum clash *clash)
{
	const tspe_calendars *c = &k->e->cal;
	uint32_t count = accesses(k, s), most = count;
	int64_t sample = tspe_sample_at(k, s, 0, 0), due = tspe_due_at(k, s, 0, 0);

	*clash = NO_CLASH;
	if (s->memory)
		count = bank_calendar_count_free(c->banks, sample, k->interval, s->prints + k->first, count, k->arena);
	if (count < most)
		*clash = BANK_CLASH;
	most = count;
	if (s->read_ports || s->weight_bytes)
		count = tspe_count_free(c, sample, k->interval, reads_of(s), count);
	if (s->result == TSPE_REGISTERS)
		count = tspe_count_free(c, due, k->interval, writes_of(s), count);
	if (count < most)
		*clash = PORT_CLASH;
	return count;
}

/* All accesses of step S at its start, or none. */
static enum clash take_accesses(tspe_kernel *k, tspe_step *s)
{
	uint32_t count = accesses(k, s);
	bool apart = is_apart(k, s);
	enum clash clash = NO_CLASH;
	uint32_t a = 0;

	if (!s->memory && !s->read_ports && !s->weight_bytes && s->result != TSPE_REGISTERS)
		return NO_CLASH;
	if (apart)
		a = count_free(k, s, &clash);
	for (; !apart && a < count && (clash = look_at(k, s, a / s->fan, a % s->fan)) == NO_CLASH; a++)
		take_access(k, s, a / s->fan, a % s->fan);
	k->budget -= (int64_t)a * s->beats_max + TRY_WORK;
	if (clash != NO_CLASH && !apart)
		release_accesses(k, s, a);
	for (a = 0; clash == NO_CLASH && apart && a < count; a++)
		take_access(k, s, a, 0);
	return clash;
}

/* Cycles for which the step holds its queue. */
static int64_t burst_cycles(const tspe_kernel *k, const tspe_step *s)
{
	uint32_t last = (s->once ? 1 : k->n) - 1;

	return (int64_t)last * k->interval + (int64_t)(s->fan - 1) * s->fan_interval + s->hold;
}

static void undo_step(tspe_kernel *k, tspe_step *s)
{
	if (s->memory || s->read_ports || s->weight_bytes || s->result == TSPE_REGISTERS)
		release_accesses(k, s, accesses(k, s));
	tspe_release_queue(&k->e->cal, s->queue, s->start, burst_cycles(k, s));
}

/* ---------------------------------------------------------------------------------------------------- search */

/* Do the registers of A's and B's groups of values overlap? */
static bool share_registers(const tspe_step *a, const tspe_step *b)
{
	return a->reg < b->reg + (unsigned)b->members * b->span && b->reg < a->reg + (unsigned)a->members * a->span;
}

/* When may step S start, whose register is given, for the sake of those that were there before it? */
static int64_t after_others(const tspe_kernel *k, const tspe_step *s)
{
	int64_t from = INT64_MIN;

	for (const tspe_step *p = k->step; s->result == TSPE_REGISTERS && p < s - s->member; p++)
		if (p->result == TSPE_REGISTERS && tspe_leads(p) && share_registers(p, s - s->member))
			from = MAX(from, tspe_last_sample(k, p, s) + 1 - tspe_earliest_due(s, 0));
	return from;
}

/* When may step S start for its operands' sake, and until when for those that wait in ports? */
static void operand_window(const tspe_kernel *k, const tspe_step *s, int64_t *from, int64_t *to)
{
	for (unsigned o = 0; o < 2; o++)
		for (unsigned j = 0; s->in[o] >= 0 && j < s->fan; j++) {
			unsigned value;
			const tspe_step *p = tspe_producer(k, s, o, j, &value);
			int64_t lead = s->skew + (int64_t)j * s->fan_interval;

			*from = MAX(*from, p->start + tspe_latest_due(p, value) - lead);
			if (p->result == TSPE_PORT && k->n > 1)
				*to = MIN(*to, p->start + tspe_earliest_due(p, value) + k->interval - 1 - lead);
		}
	if (s->after >= 0)
		*from = MAX(*from, k->step[s->after].start + tspe_latest_due(&k->step[s->after], 0) - s->skew);
	if (k->tight)
		*from = MAX(*from, after_others(k, s));
}

static bool has_operands(const tspe_step *s)
{
	return s->in[0] >= 0 || s->in[1] >= 0;
}

/* Puts step S at the earliest time in FROM..TO at which it fits. */
static enum tspe_outcome place_step(tspe_kernel *k, unsigned index, int64_t from, int64_t to)
{
	tspe_step *s = &k->step[index];
	tspe_calendars *c = &k->e->cal;
	int64_t cycles = burst_cycles(k, s);
	int64_t first = INT64_MIN, until = INT64_MIN;

	for (int64_t at = from;; at++) {
		enum clash clash;

		if (until < INT64_MAX && at + cycles > until)
			s->queue = tspe_find_queue(c, s->queues, s->queue_count, at, cycles, &at, &until);
		s->start = at;
		if (first == INT64_MIN) {
			first = at;
			if (!has_operands(s))
				to = at + k->reach;
		}
		if (at > to) {
			k->raise_step = (int)index;
			k->raise_to = at;
			return first > to ? TSPE_RAISED : TSPE_FAILED;
		}
		if (k->strict && s->memory && (at - s->beat) % k->rhythm)
			continue;
		clash = take_accesses(k, s);
		if (clash == NO_CLASH) {
			s->queue = tspe_best_queue(c, s->queues, s->queue_count, at, cycles);
			tspe_take_queue(c, s->queue, at, cycles);
			return TSPE_PLACED;
		}
		if (clash == BANK_CLASH)
			k->bank_delay = MAX(k->bank_delay, at + 1 - first);
		if (k->budget < 0)
			return TSPE_ABORTED;
	}
}

static enum tspe_outcome place_from(tspe_kernel *k, const int64_t *bound, unsigned index)
{
	tspe_step *s = &k->step[index];
	int64_t from, to;

	if (index == k->step_count)
		return tspe_take_windows(k);
	from = bound[index];
	to = INT64_MAX;
	operand_window(k, s, &from, &to);
	to = MIN(to, from + (has_operands(s) ? k->slack : 0));
	for (;;) {
		enum tspe_outcome outcome = place_step(k, index, from, to);

		if (outcome != TSPE_PLACED)
			return outcome;
		outcome = place_from(k, bound, index + 1);
		if (outcome == TSPE_PLACED)
			return TSPE_PLACED;
		undo_step(k, s);
		if (outcome != TSPE_FAILED || !s->memory || k->budget < 0)
			return outcome;
		from = s->start + 1;
		if (!has_operands(s))
			k->reach--;
	}
}

/* Bursts keep their rows: if one has to wait, all do.  Accesses made once a chunk come before the first row, where they
 * are in nobody's way. */
static void bound_rows(const tspe_kernel *k, int64_t *bound)
{
	int64_t base = INT64_MIN, once = 0;

	for (unsigned i = 0; i < k->step_count; i++)
		once += k->step[i].memory && k->step[i].once ? k->step[i].beats_max : 0;
	for (unsigned i = 0; i < k->step_count; i++)
		if (k->step[i].memory)
			base = MAX(base, bound[i] + once - (k->step[i].once ? 0 : (int64_t)k->step[i].row * k->n));
	for (unsigned i = 0; i < k->step_count; i++)
		if (!k->step[i].once)
			bound[i] = MAX(bound[i], base + (int64_t)k->step[i].row * k->n);
}

/* Earliest starts from what each step waits for itself, pulled back to the steps that feed it. */
static void bound_starts(const tspe_kernel *k, int64_t ready, int64_t *bound)
{
	for (unsigned i = 0; i < k->step_count; i++) {
		const tspe_step *s = &k->step[i];

		bound[i] = MAX(MAX(bound[i], ready), s->not_before);
		for (uint32_t n = 0; s->ready && n < (s->once ? 1 : k->n); n++)
			bound[i] = MAX(bound[i], s->ready[k->first + n] - s->skew - (int64_t)n * k->interval);
	}
	for (unsigned i = k->step_count; i-- > 0;) {
		const tspe_step *s = &k->step[i];

		for (unsigned o = 0; o < 2; o++)
			for (unsigned j = 0; s->in[o] >= 0 && j < s->fan; j++) {
				unsigned value;
				const tspe_step *p = tspe_producer(k, s, o, j, &value);
				int64_t *b = &bound[p - k->step];

				*b = MAX(*b,
				         bound[i] + s->skew + (int64_t)j * s->fan_interval - tspe_latest_due(p, value));
			}
	}
	if (k->rows)
		bound_rows(k, bound);
}

int64_t tspe_earliest(tspe_kernel *k, uint32_t first, uint32_t n, uint32_t interval)
{
	int64_t bound[TSPE_SPILLED_MAX];

	for (unsigned i = 0; i < k->step_count; i++)
		bound[i] = INT64_MIN;
	k->first = first;
	k->n = n;
	k->interval = interval;
	bound_starts(k, MAX(k->ready, k->e->cal.floor), bound);
	return bound[0];
}

bool tspe_place(tspe_kernel *k, uint32_t first, uint32_t n, uint32_t interval, int64_t ready)
{
	int64_t bound[TSPE_SPILLED_MAX];
	int64_t reach = k->reach;
	enum tspe_outcome outcome;

	for (unsigned i = 0; i < k->step_count; i++)
		bound[i] = INT64_MIN;
	k->first = first;
	k->n = n;
	k->interval = interval;
	k->bank_delay = 0;
	k->retry_at = TSPE_NEVER;
	k->budget = MAX((int64_t)WORK_LEAST, (int64_t)WORK_BURSTS * n * k->step_count);
	ready = MAX(MAX(ready, k->ready), k->e->cal.floor);
	do {
		k->reach = reach;
		bound_starts(k, ready, bound);
		outcome = place_from(k, bound, 0);
		if (outcome == TSPE_RAISED)
			bound[k->raise_step] = MAX(bound[k->raise_step] + 1, k->raise_to);
		k->budget -= TRY_WORK * k->step_count;
	} while (outcome == TSPE_RAISED && k->budget > 0);
	k->reach = reach;
	return outcome == TSPE_PLACED;
}

void tspe_unplace(tspe_kernel *k)
{
	tspe_release_windows(k);
	for (unsigned i = 0; i < k->step_count; i++)
		undo_step(k, &k->step[i]);
}
