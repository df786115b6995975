/* SPDX-License-Identifier: Apache-2.0
 *
 * The banks of the unified buffer, predicted.  Each repeat's blocks are split into beats; beats of reads enter a pipe
 * of ub.write_delay_cycles steps, at whose end the results' beats are written.  Beats of copies lie in a calendar of
 * cycles, evenly over the time in which their data come: a copy waits for what the vector unit uses, and goes first
 * after ub.mte_age_cycles; the vector unit puts a younger beat off, and else waits.  docs/ascend.md has the rules.
 * Repeats are followed one after the other, since what is written of one meets what is read of another.
 */
#include "sched/emit/ascend/predict_int.h"

#include <string.h>

enum { MOST_DELAY = 64, MOST_GROUPS = 64, READ_BEATS = ASK_BLOCKS * ASK_READS, CALENDAR = 1 << 14 };
enum { READS, WRITES, WAYS };

/* Banks that are used in one cycle each, one bit a bank. */
typedef struct beats {
	unsigned count, next;
	uint64_t banks[READ_BEATS];
} beats;

typedef struct result {
	unsigned count, next;
	uint64_t banks[ASK_BLOCKS];
} result;

/* Banks that are read and written in a cycle, and when the copy's beat was due. */
typedef struct cell {
	int64_t cycle;
	uint64_t vector[WAYS], copy[WAYS];
	int64_t due[WAYS];
} cell;

struct ask_banks {
	const asc_machine *machine;
	unsigned groups, in_group, delay, ports[WAYS];
	uint64_t row_bytes, stretch;
	result step[MOST_DELAY]; /* step[end] is written next */
	unsigned end, used;
	int64_t now; /* cycle that the pipe stands at */
	cell *calendar, lost;
	int64_t copies_until;                    /* no copy has a beat from here on */
	int64_t debt;                            /* cycles copies have taken from the vector unit */
	uint64_t block[MOST_GROUPS][READ_BEATS]; /* of the repeat at hand */
	uint8_t in[MOST_GROUPS];
};

ask_banks *ask_banks_new(const asc_machine *m)
{
	ask_banks *b = g_new0(ask_banks, 1);

	b->machine = m;
	b->groups = (unsigned)CLAMP(m->ub_groups, 1, MOST_GROUPS);
	b->in_group = (unsigned)MAX(m->ub_banks / b->groups, 1);
	b->delay = (unsigned)CLAMP(m->ub_write_delay_cycles, 1, MOST_DELAY);
	b->ports[READS] = (unsigned)m->ub_read_ports;
	b->ports[WRITES] = (unsigned)m->ub_write_ports;
	b->row_bytes = (uint64_t)m->ub_row_bytes;
	b->stretch = (uint64_t)m->ub_bank_interleave_bytes;
	return b;
}

void ask_banks_free(ask_banks *b)
{
	g_free(b->calendar);
	g_free(b);
}

static unsigned bank_of(const ask_banks *b, uint64_t address)
{
	unsigned group = (unsigned)(address / b->row_bytes % b->groups);

	return group + b->groups * (unsigned)(address / b->stretch % b->in_group);
}

static unsigned used_in(const ask_banks *b, uint64_t banks, unsigned group)
{
	unsigned n = 0;

	for (unsigned i = group; i < b->groups * b->in_group; i += b->groups)
		n += (unsigned)(banks >> i & 1);
	return n;
}

/* Splits the blocks of operand O in repeat N: each block goes into the first beat with a port of its group. */
static void split(ask_banks *b, const ask_operand *o, int64_t n, bool last, unsigned ports, uint64_t *banks,
                  unsigned *count)
{
	uint64_t at = (uint64_t)(o->address + n * o->rep);

	for (uint32_t left = last ? o->last : o->blocks; left; left >>= 1, at += (uint64_t)o->blk) {
		uint64_t block = at / b->row_bytes;
		unsigned group = (unsigned)(block % b->groups), bank = bank_of(b, at), i = 0, beat;

		if (!(left & 1))
			continue;
		while (i < b->in[group] && b->block[group][i] != block)
			i++;
		if (i < b->in[group])
			continue;
		b->block[group][b->in[group]++] = block;
		beat = ports == 1 ? i : 0;
		while (ports > 1 && beat < *count &&
		       (banks[beat] >> bank & 1 || used_in(b, banks[beat], group) >= ports))
			beat++;
		while (*count <= beat)
			banks[(*count)++] = 0;
		banks[beat] |= (uint64_t)1 << bank;
	}
}

/* ---- who may use what in one cycle ---- */

/* May these banks be read and those written? */
static bool fits(const ask_banks *b, uint64_t read, uint64_t write)
{
	const asc_machine *m = b->machine;

	if (m->ub_bank_ports == 1 && read & write)
		return false;
	if (m->ub_read_ports + m->ub_write_ports <= m->ub_group_ports)
		return true;
	for (unsigned g = 0; g < b->groups; g++)
		if (used_in(b, read, g) + used_in(b, write, g) > (unsigned)m->ub_group_ports)
			return false;
	return true;
}

/* May two parties use these banks, both for reading or both for writing? */
static bool shares(const ask_banks *b, uint64_t one, uint64_t other, unsigned way)
{
	if (one & other)
		return false;
	for (unsigned g = 0; one && other && g < b->groups; g++)
		if (used_in(b, one, g) + used_in(b, other, g) > b->ports[way])
			return false;
	return true;
}

static cell *cell_at(ask_banks *b, int64_t cycle)
{
	cell *c;

	if (!b->calendar) {
		b->calendar = g_new(cell, CALENDAR);
		for (unsigned i = 0; i < CALENDAR; i++)
			b->calendar[i].cycle = -1;
	}
	c = &b->calendar[cycle % CALENDAR];
	if (c->cycle > cycle) {
		b->lost = (cell){.cycle = cycle};
		return &b->lost;
	}
	if (c->cycle != cycle)
		*c = (cell){.cycle = cycle};
	return c;
}

/* Puts the copy's beat of cycle C off, if it is young enough to find another cycle. */
static bool put_off(ask_banks *b, cell *c, unsigned way)
{
	for (int64_t t = c->cycle + 1; t <= c->due[way] + b->machine->ub_mte_age_cycles; t++) {
		cell *to = cell_at(b, t);

		if (to->copy[way] || !fits(b, c->copy[way], to->copy[!way]))
			continue;
		to->copy[way] = c->copy[way];
		to->due[way] = c->due[way];
		c->copy[way] = 0;
		b->copies_until = MAX(b->copies_until, t + 1);
		return true;
	}
	return false;
}

/* May the vector unit use BANKS in cycle C, putting copies off where it can? */
static bool granted(ask_banks *b, cell *c, uint64_t banks, unsigned way)
{
	uint64_t both[WAYS];

	if (c->copy[way] && !shares(b, banks, c->copy[way], way) && !put_off(b, c, way))
		return false;
	if (!c->copy[!way])
		return true;
	both[way] = banks | c->copy[way];
	both[!way] = c->copy[!way];
	return fits(b, both[READS], both[WRITES]) || put_off(b, c, !way);
}

/* ---- the vector unit ---- */

/* One cycle; GET: banks that are to be read, 0: none.  Were they?  STEPS: does the pipe go on? */
static bool cycle(ask_banks *b, uint64_t get, bool *steps)
{
	result *tail = &b->step[b->end];
	uint64_t put = tail->next < tail->count ? tail->banks[tail->next] : 0;
	bool copies = b->now < b->copies_until, read = true;
	cell *c = get || put ? cell_at(b, b->now) : NULL;

	if (put && copies && !granted(b, c, put, WRITES))
		put = 0;
	if (get && put && !fits(b, get, put))
		read = false;
	else if (get && copies)
		read = granted(b, c, get, READS);
	if (put) {
		tail->next++;
		c->vector[WRITES] |= put;
	}
	if (get && read)
		c->vector[READS] |= get;
	*steps = read && tail->next >= tail->count;
	b->now++;
	return read;
}

static void go_on(ask_banks *b, const result *enters)
{
	result *tail = &b->step[b->end];

	b->used -= tail->count > 0;
	tail->count = tail->next = 0;
	if (enters && enters->count) {
		tail->count = enters->count;
		memcpy(tail->banks, enters->banks, enters->count * sizeof(enters->banks[0]));
		b->used++;
	}
	b->end = b->end + 1 == b->delay ? 0 : b->end + 1;
}

double ask_banks_start(ask_banks *b, double start)
{
	int64_t time = (int64_t)start + b->debt;

	b->debt = 0;
	while (b->used && b->now < time) {
		bool steps;

		cycle(b, 0, &steps);
		if (steps)
			go_on(b, NULL);
	}
	b->now = MAX(b->now, time);
	return (double)b->now;
}

/* When all that is in the pipe has been written, nothing following: a step or a beat a cycle, where no copy is there.
 * Copies that come later see it. */
static int64_t without_copies(ask_banks *b)
{
	int64_t time = b->now;
	unsigned left = b->used;

	for (unsigned i = 0; left; i++) {
		const result *s = &b->step[(b->end + i) % b->delay];

		for (unsigned k = s->next; k < s->count; k++)
			cell_at(b, time + k - s->next)->vector[WRITES] |= s->banks[k];
		time += MAX((int64_t)s->count - (int64_t)s->next, 1);
		left -= s->count > 0;
	}
	return time;
}

static int64_t all_written(ask_banks *b)
{
	result kept[MOST_DELAY];
	int64_t now = b->now, time;
	unsigned end = b->end, used = b->used;

	if (b->copies_until <= now)
		return without_copies(b);
	for (unsigned i = 0; i < b->delay; i++) {
		kept[i].count = b->step[i].count;
		kept[i].next = b->step[i].next;
		memcpy(kept[i].banks, b->step[i].banks, kept[i].count * sizeof(kept[i].banks[0]));
	}
	while (b->used) {
		bool steps;

		cycle(b, 0, &steps);
		if (steps)
			go_on(b, NULL);
	}
	time = b->now;
	for (unsigned i = 0; i < b->delay; i++) {
		b->step[i].count = kept[i].count;
		b->step[i].next = kept[i].next;
		memcpy(b->step[i].banks, kept[i].banks, kept[i].count * sizeof(kept[i].banks[0]));
	}
	b->now = now;
	b->end = end;
	b->used = used;
	return time;
}

double ask_banks_follow(ask_banks *b, const ask_repeats *o, double *written)
{
	int64_t eligible = b->now;
	beats in;
	result out;

	for (int64_t n = 0; n < o->repeats; n++) {
		bool last = n + 1 == o->repeats, steps;
		int64_t began = -1;

		in.count = in.next = out.count = out.next = 0;
		memset(b->in, 0, b->groups);
		for (unsigned i = 0; i < o->reads; i++)
			split(b, &o->read[i], n, last, b->ports[READS], in.banks, &in.count);
		memset(b->in, 0, b->groups);
		split(b, &o->write, n, last, b->ports[WRITES], out.banks, &out.count);
		for (;;) {
			bool begins = b->now >= eligible;
			uint64_t get = begins && in.next < in.count ? in.banks[in.next] : 0;
			int64_t now = b->now;

			if (cycle(b, get, &steps) && begins) {
				if (began < 0)
					began = now;
				in.next += get != 0;
			}
			if (!steps)
				continue;
			if (began >= 0 && in.next >= in.count) {
				go_on(b, &out);
				break;
			}
			go_on(b, NULL);
		}
		eligible = began + o->interval;
	}
	*written = (double)all_written(b);
	return (double)MAX(b->now, eligible);
}

/* ---- copies ---- */

double ask_banks_copy(ask_banks *b, bool write, uint64_t address, uint64_t bytes, double start, double until)
{
	const asc_machine *m = b->machine;
	uint64_t each = (uint64_t)(write ? m->ub_mte_write_bytes_per_cycle : m->ub_mte_read_bytes_per_cycle);
	int64_t pieces = (int64_t)((bytes + each - 1) / each), first = (int64_t)start, after = first;
	int64_t time = MAX((int64_t)until - first, 0), end = first + time;

	for (int64_t i = 0; i < pieces; i++) {
		uint64_t from = address + (uint64_t)i * each, to = MIN(from + each, address + bytes), banks = 0;
		int64_t due = MAX(first + i * time / pieces, after), t;

		for (uint64_t at = from - from % b->row_bytes; at < to; at += b->row_bytes)
			banks |= (uint64_t)1 << bank_of(b, at);
		for (t = due;; t++) {
			cell *c = cell_at(b, t);

			if (c->copy[write] || !fits(b, banks, c->copy[!write]))
				continue;
			if (!shares(b, c->vector[write], banks, write) || !fits(b, banks, c->vector[!write])) {
				if (t < due + m->ub_mte_age_cycles)
					continue;
				b->debt++;
			}
			c->copy[write] = banks;
			c->due[write] = due;
			break;
		}
		after = t + 1;
		end = MAX(end, after);
		b->copies_until = MAX(b->copies_until, after);
	}
	return (double)end;
}
