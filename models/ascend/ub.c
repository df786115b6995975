/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified buffer, after the published geometry and conflict rules (docs/sources.md, Ascend C; docs/ascend.md has
 * the rules in full).  A cycle allows, in a group of banks, ub.read_ports reads and ub.write_ports writes,
 * ub.group_ports together, and in a bank ub.bank_ports accesses.  Lanes that read one block share its access.
 *
 * The vector unit is one rigid pipe.  The reads of a repeat are split into beats: the blocks of all its sources in
 * order, each in the first beat with a port of its group free.  A beat reads in one cycle or not at all; with its last
 * beat the repeat enters the pipe, and ub.write_delay_cycles steps later its result is written, in beats of its own.
 * The pipe makes one step a cycle unless the write at its end has beats left or the beat at its front was turned away:
 * a read and a write that meet in one bank so cost a cycle each, and nothing else moves.  That the write happens a
 * fixed number of steps after the read, and not when it is free to, is what makes measured conflicts cost more than
 * counting them says (docs/deviations.md).
 *
 * Time: instructions come in the order of their starts.  Where no beat can meet another and no copy is under way the
 * answer is a formula; otherwise cycles are stepped.  The beats of repeats come round with the phase of their
 * addresses, and are made once a phase.  When the pipe, too, stands as it stood a whole number of phases ago, and no
 * copy is under way, everything repeats from there and is skipped, up to where an operand enters another stretch of
 * banks.  All three give the same cycles.  Copies book their beats in a calendar of cycles, by cycle modulo its size.
 * Who asks later sees what is booked: the vector unit puts off a copy's beat by up to ub.mte_age_cycles, and stops for
 * one it cannot put off; a copy takes the cycle after waiting so long, and the vector unit's next instruction starts
 * that much later.  The end of a copy that was answered is not corrected for beats put off afterwards: it is at most
 * ub.mte_age_cycles early.  Not modelled: that a gather reads elements anywhere in the buffer; refresh; ECC.
 */
#include "models/ascend/ub_int.h"

static uint64_t divided(uint64_t a, uint64_t by, int shift)
{
	return shift >= 0 ? a >> shift : a / by;
}

/* log2, or -1 for what is no power of two. */
static int shift_of(uint64_t n)
{
	return n & (n - 1) ? -1 : __builtin_ctzll(n);
}

asc_ub *asc_ub_new(const asc_machine *m)
{
	asc_ub *ub = g_new0(asc_ub, 1);

	ub->groups = (unsigned)m->ub_groups;
	ub->banks = (unsigned)m->ub_banks;
	ub->row_bytes = (unsigned)m->ub_row_bytes;
	ub->delay = (unsigned)m->ub_write_delay_cycles;
	ub->ports[0] = (unsigned)m->ub_read_ports;
	ub->ports[1] = (unsigned)m->ub_write_ports;
	ub->group_ports = (unsigned)m->ub_group_ports;
	ub->bank_ports = (unsigned)m->ub_bank_ports;
	ub->interleave = m->ub_bank_interleave_bytes;
	ub->in_group = MAX(ub->banks / ub->groups, 1);
	ub->row_shift = shift_of(ub->row_bytes);
	ub->group_shift = shift_of(ub->groups);
	ub->stretch_shift = shift_of((uint64_t)ub->interleave);
	ub->age = m->ub_mte_age_cycles;
	ub->copy_bytes[0] = m->ub_mte_read_bytes_per_cycle;
	ub->copy_bytes[1] = m->ub_mte_write_bytes_per_cycle;
	ub->calendar = g_new(cell, CALENDAR);
	for (unsigned i = 0; i < CALENDAR; i++)
		ub->calendar[i].cycle = INT64_MIN;
	ub->now = ub->copies_until = INT64_MIN;
	return ub;
}

void asc_ub_free(asc_ub *ub)
{
	if (!ub)
		return;
	g_free(ub->calendar);
	g_free(ub);
}

unsigned asc_ub_group(const asc_ub *ub, uint64_t address)
{
	uint64_t block = divided(address, ub->row_bytes, ub->row_shift);

	return (unsigned)(ub->group_shift >= 0 ? block & (ub->groups - 1) : block % ub->groups);
}

unsigned asc_ub_bank(const asc_ub *ub, uint64_t address)
{
	uint64_t stretch = divided(address, (uint64_t)ub->interleave, ub->stretch_shift);

	if (stretch >= ub->in_group)
		stretch %= ub->in_group;
	return asc_ub_group(ub, address) + ub->groups * (unsigned)stretch;
}

/* Rows of a bank follow each other inside a stretch of the interleave, then over the stretches that come back to it. */
unsigned asc_ub_row(const asc_ub *ub, uint64_t address)
{
	uint64_t line = (uint64_t)ub->row_bytes * ub->groups, stretch = (uint64_t)ub->interleave;

	return (unsigned)(address / (stretch * (ub->in_group)) * (stretch / line) + address % stretch / line);
}

uint64_t asc_ub_banks(const asc_ub *ub, const asc_ub_operand *o, unsigned repeat, uint32_t active)
{
	uint64_t at = o->address + (uint64_t)(o->repeat_bytes * (int64_t)repeat), banks = 0;

	for (; active; active >>= 1, at += (uint64_t)o->block_bytes)
		if (active & 1)
			banks |= (uint64_t)1 << asc_ub_bank(ub, at);
	return banks;
}

static unsigned in_group(const asc_ub *ub, uint64_t banks, unsigned group)
{
	unsigned n = 0;

	for (unsigned b = group; b < ub->banks; b += ub->groups)
		n += (unsigned)(banks >> b & 1);
	return n;
}

/* May these banks be read and those written in one cycle?  (Symmetric.) */
static bool fits(const asc_ub *ub, uint64_t read, uint64_t write)
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
static bool shares(const asc_ub *ub, uint64_t a, uint64_t b, bool write)
{
	if (a & b)
		return false;
	for (unsigned g = 0; a && b && g < ub->groups; g++)
		if (in_group(ub, a, g) + in_group(ub, b, g) > ub->ports[write])
			return false;
	return true;
}

void asc_ub_split_begin(asc_ub_splitter *s, const asc_ub *ub, uint64_t *beat, unsigned limit, bool write)
{
	s->ub = ub;
	s->beat = beat;
	s->beats = 0;
	s->limit = limit;
	s->write = write;
	memset(s->used, 0, ub->groups);
}

static void split_add(asc_ub_splitter *s, uint64_t address, uint64_t tag)
{
	const asc_ub *ub = s->ub;
	unsigned group = asc_ub_group(ub, address), j = 0;
	uint64_t bank = (uint64_t)1 << asc_ub_bank(ub, address),
		 key = divided(address, ub->row_bytes, ub->row_shift) << 3 | tag;

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

void asc_ub_split(asc_ub_splitter *s, const asc_ub_operand *o, unsigned repeat, bool last, uint64_t tag)
{
	uint32_t active = last ? o->last : o->active;
	uint64_t at = o->address + (uint64_t)(o->repeat_bytes * (int64_t)repeat);

	for (; active; active >>= 1, at += (uint64_t)o->block_bytes)
		if (active & 1)
			split_add(s, at, tag);
}

unsigned asc_ub_beats(const asc_ub *ub, const uint64_t *address, unsigned n, bool write)
{
	uint64_t beat[BEATS];
	asc_ub_splitter s;

	asc_ub_split_begin(&s, ub, beat, BEATS, write);
	for (unsigned i = 0; i < n; i++)
		split_add(&s, address[i], 0);
	return s.beats;
}

static cell *cell_at(asc_ub *ub, int64_t cycle)
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
static bool put_off(asc_ub *ub, cell *c, bool write)
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
static bool granted(asc_ub *ub, cell *c, uint64_t banks, bool write)
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
enum asc_stall asc_ub_cycle(asc_ub *ub, pipe *p, front *f, int64_t now)
{
	slot *tail = &p->at[p->end];
	bool begins = f && f->waiting && now >= f->eligible, wants = begins && f->next < f->of->reads;
	bool turned_away = false, copies = now < ub->copies_until;
	enum asc_stall why = ASC_STALL_RESOURCE;
	uint64_t put = tail->next < tail->beats ? tail->beat[tail->next] : 0, get = wants ? f->of->read[f->next] : 0;
	cell *c = copies || put || get ? cell_at(ub, now) : NULL;

	begins = begins && f->next == 0;
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
	get = turned_away ? 0 : get;
	if (put) {
		tail->next++;
		c->vector[1] |= put;
	}
	if (get) {
		f->next++;
		c->vector[0] |= get;
	}
	if (f) {
		ub->log[ub->logged % LOG][0] = get;
		ub->log[ub->logged++ % LOG][1] = put;
	}
	if (begins && !turned_away)
		f->began = f->began == INT64_MIN ? now : f->began;
	if (tail->next < tail->beats || (wants && f->next < f->of->reads && !turned_away))
		why = why == ASC_STALL_RESOURCE ? ASC_STALL_BANK_GROUP : why;
	if (tail->next < tail->beats || turned_away)
		return why;
	if (tail->beats)
		p->used--;
	tail->beats = tail->next = 0;
	p->end = p->end + 1 == ub->delay ? 0 : p->end + 1;
	if (!f || !f->waiting || f->began == INT64_MIN || f->next < f->of->reads)
		return why;
	tail->beats = (uint8_t)f->of->writes;
	memcpy(tail->beat, f->of->write, f->of->writes * sizeof(tail->beat[0]));
	if (tail->beats)
		p->used++;
	f->waiting = false;
	return ASC_STALL_NONE;
}

/* ---- copies ---- */

/* Banks a conflict-free instruction uses for operand O, so many cycles after its first use of it. */
static uint64_t run_at(const asc_ub *ub, const asc_ub_vector *v, const asc_ub_operand *o, int64_t cycles)
{
	int64_t repeat = cycles / v->interval;

	if (cycles < 0 || cycles % v->interval || repeat >= v->repeats)
		return 0;
	return asc_ub_banks(ub, o, (unsigned)repeat, repeat + 1 == v->repeats ? o->last : o->active);
}

/* Banks the vector unit uses in cycle C, of conflict-free instructions and of what was skipped too. */
static void vector_at(asc_ub *ub, const cell *c, uint64_t banks[2])
{
	banks[0] = c->vector[0];
	banks[1] = c->vector[1];
	for (unsigned i = ub->runs; i-- > 0 && i + RUNS >= ub->runs;) {
		const asc_ub_vector *v = &ub->run[i % RUNS];
		int64_t cycles = c->cycle - v->start;

		if (v->write_end <= c->cycle)
			break;
		for (unsigned k = 0; k < v->reads; k++)
			banks[0] |= run_at(ub, v, &v->read[k], cycles);
		banks[1] |= run_at(ub, v, &v->write, cycles - (int64_t)ub->delay);
	}
	for (unsigned i = ub->echoes; i-- > 0 && i + ECHOES >= ub->echoes;) {
		const echo *e = &ub->echo[i % ECHOES];
		uint64_t at = e->at + (uint64_t)((c->cycle - e->from) % e->period);

		if (e->until <= c->cycle)
			break;
		if (e->from > c->cycle)
			continue;
		banks[0] |= ub->log[at % LOG][0];
		banks[1] |= ub->log[at % LOG][1];
	}
}

int64_t asc_ub_copy(asc_ub *ub, bool write, uint64_t address, uint64_t bytes, int64_t start, int64_t until)
{
	uint64_t unit = (uint64_t)ub->copy_bytes[write], pieces = (bytes + unit - 1) / unit;
	int64_t end = until, after = start;

	for (uint64_t i = 0; i < pieces; i++) {
		uint64_t from = address + i * unit, to = address + MIN((i + 1) * unit, bytes), banks = 0;
		int64_t due = MAX(start + (int64_t)i * (until - start) / (int64_t)pieces, after), t = due;

		for (uint64_t at = from - from % ub->row_bytes; at < to; at += ub->row_bytes)
			banks |= (uint64_t)1 << asc_ub_bank(ub, at);
		for (;; t++) {
			cell *c = cell_at(ub, t);
			uint64_t vector[2];

			if (c->copy[write] || !fits(ub, banks, c->copy[!write]))
				continue;
			vector_at(ub, c, vector);
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
