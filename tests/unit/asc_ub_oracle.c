/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified buffer again, for comparison with models/ascend/ub.c: the same rules (docs/ascend.md), every repeat split
 * into beats anew, every cycle stepped and kept in the calendar; no formula, no phases, nothing skipped.  It shares no
 * code with the model but the geometry, asc_ub_group and asc_ub_bank, which have tests of their own.
 */
#include "tests/unit/asc_ub_oracle.h"

#include <string.h>

enum { CALENDAR = 1 << 14, BEATS = ASC_UB_READS * ASC_UB_BLOCKS, PIPE_MAX = 64 };

typedef struct cell {
	int64_t cycle;
	uint64_t vector[2], copy[2]; /* banks read, written */
	int64_t due[2];              /* of the copy's beat */
} cell;

typedef struct slot {
	uint8_t beats, next;
	uint64_t beat[ASC_UB_BLOCKS];
} slot;

typedef struct pipe {
	slot at[PIPE_MAX]; /* at[end] is written next, at[end + 1] a step later */
	unsigned end, used;
} pipe;

typedef struct front {
	uint64_t beat[BEATS];
	unsigned beats, next, repeat;
	int64_t eligible; /* the execution unit takes this repeat's first operands */
	int64_t began;
	bool waiting; /* a repeat is there */
	slot result;
} front;

struct asc_ub_oracle {
	asc_ub *geometry;
	unsigned groups, banks, row_bytes, delay, ports[2], group_ports, bank_ports;
	int64_t age, copy_bytes[2];
	cell *calendar, forgotten;
	int64_t copies_until; /* no copy has a beat at or after this */
	pipe pipe;
	int64_t now;  /* cycle the pipe stands at */
	int64_t debt; /* cycles copies have taken from the vector unit */
};

asc_ub_oracle *asc_ub_oracle_new(const asc_machine *m)
{
	asc_ub_oracle *ub = g_new0(asc_ub_oracle, 1);

	ub->groups = (unsigned)m->ub_groups;
	ub->banks = (unsigned)m->ub_banks;
	ub->row_bytes = (unsigned)m->ub_row_bytes;
	ub->delay = (unsigned)m->ub_write_delay_cycles;
	ub->ports[0] = (unsigned)m->ub_read_ports;
	ub->ports[1] = (unsigned)m->ub_write_ports;
	ub->group_ports = (unsigned)m->ub_group_ports;
	ub->bank_ports = (unsigned)m->ub_bank_ports;
	ub->geometry = asc_ub_new(m);
	ub->age = m->ub_mte_age_cycles;
	ub->copy_bytes[0] = m->ub_mte_read_bytes_per_cycle;
	ub->copy_bytes[1] = m->ub_mte_write_bytes_per_cycle;
	ub->calendar = g_new(cell, CALENDAR);
	for (unsigned i = 0; i < CALENDAR; i++)
		ub->calendar[i].cycle = INT64_MIN;
	ub->now = ub->copies_until = INT64_MIN;
	return ub;
}

void asc_ub_oracle_free(asc_ub_oracle *ub)
{
	asc_ub_free(ub->geometry);
	g_free(ub->calendar);
	g_free(ub);
}

static unsigned in_group(const asc_ub_oracle *ub, uint64_t banks, unsigned group)
{
	unsigned n = 0;

	for (unsigned b = group; b < ub->banks; b += ub->groups)
		n += (unsigned)(banks >> b & 1);
	return n;
}

/* May these banks be read and those written in one cycle?  (Symmetric.) */
static bool fits(const asc_ub_oracle *ub, uint64_t read, uint64_t write)
{
	if (ub->bank_ports == 1 && (read & write))
		return false;
	if (ub->ports[0] + ub->ports[1] <= ub->group_ports)
		return true;
	for (unsigned g = 0; g < ub->groups; g++)
		if (in_group(ub, read, g) + in_group(ub, write, g) > ub->group_ports)
			return false;
	return true;
}

/* May two parties use these banks for one kind of access in one cycle? */
static bool shares(const asc_ub_oracle *ub, uint64_t a, uint64_t b, bool write)
{
	if (a & b)
		return false;
	for (unsigned g = 0; a && b && g < ub->groups; g++)
		if (in_group(ub, a, g) + in_group(ub, b, g) > ub->ports[write])
			return false;
	return true;
}

/* Splits blocks into beats.  Blocks are the same when their keys are. */
typedef struct splitter {
	const asc_ub_oracle *ub;
	uint64_t *beat;
	unsigned beats, limit;
	bool write;
	uint64_t key[64][BEATS];
	uint8_t used[64];
} splitter;

static void split_begin(splitter *s, const asc_ub_oracle *ub, uint64_t *beat, unsigned limit, bool write)
{
	s->ub = ub;
	s->beat = beat;
	s->beats = 0;
	s->limit = limit;
	s->write = write;
	memset(s->used, 0, ub->groups);
}

static void split_add(splitter *s, uint64_t address, uint64_t tag)
{
	const asc_ub_oracle *ub = s->ub;
	unsigned group = asc_ub_group(ub->geometry, address), j = 0;
	uint64_t bank = (uint64_t)1 << asc_ub_bank(ub->geometry, address), key = address / ub->row_bytes << 3 | tag;

	for (unsigned i = 0; i < s->used[group]; i++)
		if (s->key[group][i] == key)
			return;
	if (s->used[group] >= s->limit)
		return;
	s->key[group][s->used[group]++] = key;
	if (ub->ports[s->write] == 1)
		j = s->used[group] - 1u;
	else
		while (j < s->beats && ((s->beat[j] & bank) || in_group(ub, s->beat[j], group) >= ub->ports[s->write]))
			j++;
	while (s->beats <= j)
		s->beat[s->beats++] = 0;
	s->beat[j] |= bank;
}

static void split_operand(splitter *s, const asc_ub_operand *o, unsigned repeat, bool last, uint64_t tag)
{
	uint32_t active = last ? o->last : o->active;
	uint64_t at = o->address + (uint64_t)(o->repeat_bytes * (int64_t)repeat);

	for (; active; active >>= 1, at += (uint64_t)o->block_bytes)
		if (active & 1)
			split_add(s, at, tag);
}

static void load_front(const asc_ub_oracle *ub, const asc_ub_vector *v, front *f)
{
	bool last = f->repeat + 1 == v->repeats;
	splitter s;

	split_begin(&s, ub, f->beat, BEATS, false);
	for (unsigned i = 0; i < v->reads; i++)
		split_operand(&s, &v->read[i], f->repeat, last, 0);
	f->beats = s.beats;
	f->next = 0;
	f->began = INT64_MIN;
	split_begin(&s, ub, f->result.beat, ASC_UB_BLOCKS, true);
	split_operand(&s, &v->write, f->repeat, last, 0);
	f->result.beats = (uint8_t)s.beats;
	f->result.next = 0;
	f->waiting = true;
}

static cell *cell_at(asc_ub_oracle *ub, int64_t cycle)
{
	cell *c = &ub->calendar[(uint64_t)cycle % CALENDAR];

	if (c->cycle > cycle) {
		/* A booking a whole calendar ahead keeps its place. */
		ub->forgotten = (cell){.cycle = cycle};
		return &ub->forgotten;
	}
	if (c->cycle != cycle)
		*c = (cell){.cycle = cycle};
	return c;
}

/* The vector unit wants banks that a copy holds in this cycle: puts the copy's beat off if its age allows. */
static bool put_off(asc_ub_oracle *ub, cell *c, bool write)
{
	for (int64_t t = c->cycle + 1; t <= c->due[write] + ub->age; t++) {
		cell *to = cell_at(ub, t);

		if (to->copy[write] || !fits(ub, c->copy[write], to->copy[!write]))
			continue;
		to->copy[write] = c->copy[write];
		to->due[write] = c->due[write];
		c->copy[write] = 0;
		ub->copies_until = MAX(ub->copies_until, t + 1);
		return true;
	}
	return false;
}

/* Can the vector unit have BANKS in cycle C, putting off copies where it may? */
static bool granted(asc_ub_oracle *ub, cell *c, uint64_t banks, bool write)
{
	if (c->copy[write] && !shares(ub, banks, c->copy[write], write) && !put_off(ub, c, write))
		return false;
	if (c->copy[!write]) {
		uint64_t read = write ? c->copy[0] : banks | c->copy[0], put = write ? banks | c->copy[1] : c->copy[1];

		if (!fits(ub, read, put) && !put_off(ub, c, !write))
			return false;
	}
	return true;
}

/* One cycle of the vector unit.  Returns why no repeat entered the pipe, ASC_STALL_NONE when one did or none was there.
 */
static enum asc_stall cycle_of(asc_ub_oracle *ub, pipe *p, front *f, int64_t now)
{
	slot *tail = &p->at[p->end];
	bool wants = f && f->waiting && f->next < f->beats && now >= f->eligible, turned_away = false;
	enum asc_stall why = ASC_STALL_RESOURCE;
	uint64_t put = tail->next < tail->beats ? tail->beat[tail->next] : 0, get = wants ? f->beat[f->next] : 0;
	cell *c = now < ub->copies_until || put || get ? cell_at(ub, now) : NULL;
	bool copies = now < ub->copies_until, begins = f && f->waiting && f->next == 0 && now >= f->eligible;

	if (put && copies && !granted(ub, c, put, true)) {
		put = 0;
		why = ASC_STALL_MTE;
	}
	if (get && put && !fits(ub, get, put)) {
		turned_away = true;
		why = ASC_STALL_BANK;
	} else if (get && copies && !granted(ub, c, get, false)) {
		turned_away = true;
		why = ASC_STALL_MTE;
	}
	if (put) {
		tail->next++;
		c->vector[1] |= put;
	}
	if (get && !turned_away) {
		f->next++;
		c->vector[0] |= get;
	}
	if (begins && !turned_away)
		f->began = f->began == INT64_MIN ? now : f->began;
	if (tail->next < tail->beats || (wants && f->next < f->beats && !turned_away))
		why = why == ASC_STALL_RESOURCE ? ASC_STALL_BANK_GROUP : why;
	if (tail->next < tail->beats || turned_away)
		return why;
	if (tail->beats)
		p->used--;
	tail->beats = tail->next = 0;
	p->end = (p->end + 1) % ub->delay;
	if (!f || !f->waiting || f->began == INT64_MIN || f->next < f->beats)
		return why;
	*tail = f->result;
	if (tail->beats)
		p->used++;
	f->waiting = false;
	return ASC_STALL_NONE;
}

/* Brings the pipe to cycle NOW with nothing new at its front. */
static void idle_until(asc_ub_oracle *ub, int64_t now)
{
	while (ub->pipe.used && ub->now < now) {
		cycle_of(ub, &ub->pipe, NULL, ub->now);
		ub->now++;
	}
	if (!ub->pipe.used)
		memset(&ub->pipe, 0, sizeof ub->pipe);
	ub->now = now;
}

static void step(asc_ub_oracle *ub, asc_ub_vector *v)
{
	front f = {.eligible = v->start};
	pipe rest;
	int64_t now;

	idle_until(ub, v->start);
	for (f.repeat = 0; f.repeat < v->repeats; f.repeat++) {
		enum asc_stall why;

		load_front(ub, v, &f);
		do {
			why = cycle_of(ub, &ub->pipe, &f, ub->now);
			v->stall[why] += why != ASC_STALL_NONE;
			ub->now++;
		} while (why != ASC_STALL_NONE);
		f.eligible = f.began + v->interval;
	}
	v->read_end = MAX(ub->now, f.eligible);
	memcpy(rest.at, ub->pipe.at, ub->delay * sizeof rest.at[0]);
	rest.end = ub->pipe.end;
	rest.used = ub->pipe.used;
	for (now = ub->now; rest.used; now++) {
		bool more = rest.at[rest.end].next + 1 < rest.at[rest.end].beats;

		cycle_of(ub, &rest, NULL, now);
		v->stall[ASC_STALL_BANK_GROUP] += more;
	}
	v->write_end = MAX(now, ub->now);
}

void asc_ub_oracle_access(asc_ub_oracle *ub, asc_ub_vector *v)
{
	memset(v->stall, 0, sizeof v->stall);
	v->start += ub->debt;
	step(ub, v);
	v->stall[ASC_STALL_MTE] += ub->debt;
	ub->debt = 0;
}

/* ---- copies ---- */

int64_t asc_ub_oracle_copy(asc_ub_oracle *ub, bool write, uint64_t address, uint64_t bytes, int64_t start,
                           int64_t until)
{
	uint64_t unit = (uint64_t)ub->copy_bytes[write], beats = (bytes + unit - 1) / unit;
	int64_t end = until, after = start;

	for (uint64_t i = 0; i < beats; i++) {
		uint64_t from = address + i * unit, to = address + MIN((i + 1) * unit, bytes), banks = 0;
		int64_t due = MAX(start + (int64_t)i * (until - start) / (int64_t)beats, after), t = due;

		for (uint64_t at = from - from % ub->row_bytes; at < to; at += ub->row_bytes)
			banks |= (uint64_t)1 << asc_ub_bank(ub->geometry, at);
		for (;; t++) {
			cell *c = cell_at(ub, t);
			const uint64_t *vector = c->vector;

			if (c->copy[write] || !fits(ub, banks, c->copy[!write]))
				continue;
			if (!shares(ub, vector[write], banks, write) || !fits(ub, banks, vector[!write])) {
				if (t < due + ub->age)
					continue;
				ub->debt++;
			}
			c->copy[write] = banks;
			c->due[write] = due;
			break;
		}
		ub->copies_until = MAX(ub->copies_until, t + 1);
		end = MAX(end, t + 1);
		after = t + 1;
	}
	return end;
}
