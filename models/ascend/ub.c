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
 * answer is a formula; otherwise cycles are stepped.  The beats of repeats come round with the phase of their addresses,
 * and are made once a phase.  When the pipe, too, stands as it stood a whole number of phases ago, and no copy is under
 * way, everything repeats from there and is skipped, up to where an operand enters another stretch of banks.  All three
 * give the same cycles.  Copies book their beats in a calendar of cycles, by cycle
 * modulo its size.  Who asks later sees what is booked: the vector unit puts off a copy's beat by up to
 * ub.mte_age_cycles, and stops for one it cannot put off; a copy takes the cycle after waiting so long, and the vector
 * unit's next instruction starts that much later.  The end of a copy that was answered is not corrected for beats put
 * off afterwards: it is at most ub.mte_age_cycles early.  Not modelled: that a gather reads elements anywhere in the
 * buffer; refresh; ECC.
 */
#include "models/ascend/ub.h"

#include <string.h>

enum { CALENDAR = 1 << 14, RUNS = 16, BEATS = ASC_UB_READS * ASC_UB_BLOCKS, PIPE_MAX = 64 };
enum { PHASES = 16, ECHOES = 64, LOG = 1 << 12, IMAGE = PIPE_MAX * (ASC_UB_BLOCKS + 1) + 1, KNOWN = 64 };

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

/* The beats of one repeat. */
typedef struct beats {
	unsigned reads, writes;
	uint64_t read[BEATS], write[ASC_UB_BLOCKS];
} beats;

typedef struct front {
	const beats *of;
	unsigned next, repeat;
	int64_t eligible; /* the execution unit takes this repeat's first operands */
	int64_t began;
	bool waiting; /* a repeat is there */
} front;

/* In cycles from FROM to UNTIL the vector unit does what it did in PERIOD cycles of the log, over and over. */
typedef struct echo {
	int64_t from, until, period;
	uint64_t at; /* in the log */
} echo;

/* How the unit stood before a repeat, and what had happened by then. */
typedef struct image {
	uint64_t word[IMAGE];
	unsigned words, repeat;
	int64_t now, stall[ASC_STALLS];
	uint64_t at; /* in the log */
} image;

/* Operands whose conflicts have been looked for before. */
typedef struct known {
	asc_ub_operand operand[ASC_UB_READS + 1];
	unsigned reads, repeats;
	int64_t interval;
	bool is_free;
} known;

struct asc_ub {
	int row_shift, group_shift, stretch_shift; /* log2, -1 for what is no power of two */
	unsigned in_group;                         /* banks of a group */
	unsigned groups, banks, row_bytes, delay, ports[2], group_ports, bank_ports;
	int64_t interleave, age, copy_bytes[2];
	cell *calendar, forgotten;
	int64_t copies_until; /* no copy has a beat at or after this */
	pipe pipe;
	int64_t now;             /* cycle the pipe stands at */
	asc_ub_vector run[RUNS]; /* conflict-free instructions, whose cycles follow from their start */
	unsigned runs;           /* ever */
	bool lazy;               /* the pipe's content is the end of the last run */
	int64_t debt;            /* cycles copies have taken from the vector unit */
	beats phase[PHASES], single;
	bool made[PHASES]; /* phase */
	echo echo[ECHOES];
	unsigned echoes; /* ever */
	uint64_t log[LOG][2], logged; /* banks read, written, a cycle */
	image then, here;
	known known[KNOWN];
};

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

/* Splits blocks into beats.  Blocks are the same when their keys are. */
typedef struct splitter {
	const asc_ub *ub;
	uint64_t *beat;
	unsigned beats, limit;
	bool write;
	uint64_t key[64][BEATS];
	uint8_t used[64];
} splitter;

static void split_begin(splitter *s, const asc_ub *ub, uint64_t *beat, unsigned limit, bool write)
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

static void split_operand(splitter *s, const asc_ub_operand *o, unsigned repeat, bool last, uint64_t tag)
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
	splitter s;

	split_begin(&s, ub, beat, BEATS, write);
	for (unsigned i = 0; i < n; i++)
		split_add(&s, address[i], 0);
	return s.beats;
}

static void make_beats(const asc_ub *ub, const asc_ub_vector *v, unsigned repeat, beats *b)
{
	bool last = repeat + 1 == v->repeats;
	splitter s;

	split_begin(&s, ub, b->read, BEATS, false);
	for (unsigned i = 0; i < v->reads; i++)
		split_operand(&s, &v->read[i], repeat, last, 0);
	b->reads = s.beats;
	split_begin(&s, ub, b->write, ASC_UB_BLOCKS, true);
	split_operand(&s, &v->write, repeat, last, 0);
	b->writes = s.beats;
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
static enum asc_stall cycle_of(asc_ub *ub, pipe *p, front *f, int64_t now)
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

static void empty_pipe(asc_ub *ub)
{
	for (unsigned i = 0; i < ub->delay; i++)
		ub->pipe.at[i].beats = ub->pipe.at[i].next = 0;
	ub->pipe.end = ub->pipe.used = 0;
}

static void copy_pipe(const asc_ub *ub, pipe *to, const pipe *from)
{
	for (unsigned i = 0; i < ub->delay; i++) {
		to->at[i].beats = from->at[i].beats;
		to->at[i].next = from->at[i].next;
		memcpy(to->at[i].beat, from->at[i].beat, from->at[i].beats * sizeof(from->at[i].beat[0]));
	}
	to->end = from->end;
	to->used = from->used;
}

/* ---- phases ---- */

static unsigned divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return (unsigned)a;
}

/* Repeats after which all operands are in the same groups again; 0: never, or too many. */
static unsigned phases_of(const asc_ub *ub, const asc_ub_vector *v)
{
	uint64_t round = (uint64_t)ub->row_bytes * ub->groups, phases = 1;

	for (unsigned i = 0; i <= v->reads; i++) {
		int64_t bytes = i < v->reads ? v->read[i].repeat_bytes : v->write.repeat_bytes;
		uint64_t own = round / divisor(round, (uint64_t)ABS(bytes));

		if (bytes % ub->row_bytes)
			return 0;
		phases = phases / divisor(phases, own) * own;
		if (phases > PHASES)
			return 0;
	}
	return (unsigned)phases;
}

/* First and last address of a block of repeat N. */
static void blocks_of(const asc_ub_operand *o, unsigned n, int64_t *low, int64_t *high)
{
	int64_t reach = o->block_bytes * (31 - __builtin_clz(o->active | o->last | 1));
	int64_t at = (int64_t)o->address + o->repeat_bytes * (int64_t)n;

	*low = at + MIN(reach, 0);
	*high = at + MAX(reach, 0);
}

/* May sources share blocks in some repeats and not in others? */
static bool sharing_varies(const asc_ub *ub, const asc_ub_vector *v)
{
	for (unsigned i = 0; i < v->reads; i++)
		for (unsigned j = 0; j < i; j++) {
			int64_t low[2], high[2], first, last;

			if (v->read[i].repeat_bytes == v->read[j].repeat_bytes)
				continue;
			for (unsigned k = 0; k < 2; k++) {
				const asc_ub_operand *o = &v->read[k ? i : j];

				blocks_of(o, 0, &low[k], &high[k]);
				blocks_of(o, v->repeats - 1, &first, &last);
				low[k] = MIN(low[k], first);
				high[k] = MAX(high[k], last);
			}
			if (low[0] <= high[1] + ub->row_bytes && low[1] <= high[0] + ub->row_bytes)
				return true;
		}
	return false;
}

/* First repeat after N in which an operand has blocks in another stretch of the bank interleave than in N; N where
 * blocks of one operand lie in several. */
static unsigned stretch_end(const asc_ub *ub, const asc_ub_vector *v, unsigned n)
{
	unsigned end = v->repeats;

	for (unsigned i = 0; i <= v->reads; i++) {
		const asc_ub_operand *o = i < v->reads ? &v->read[i] : &v->write;
		int64_t low, high, from, room;

		blocks_of(o, n, &low, &high);
		from = low - low % ub->interleave;
		if (low < 0 || high >= from + ub->interleave)
			return n;
		if (!o->repeat_bytes)
			continue;
		room = o->repeat_bytes > 0 ? (from + ub->interleave - 1 - high) / o->repeat_bytes
		                           : (low - from) / -o->repeat_bytes;
		if (room < (int64_t)(end - n) - 1)
			end = n + (unsigned)room + 1;
	}
	return end;
}

/* ---- the formula ---- */

/* Repeats after which groups come round, or all. */
static unsigned distinct(const asc_ub *ub, const asc_ub_vector *v)
{
	bool blocks = v->write.repeat_bytes % ub->row_bytes == 0;
	unsigned phases = phases_of(ub, v);

	for (unsigned i = 0; i < v->reads; i++)
		blocks &= v->read[i].repeat_bytes % ub->row_bytes == 0;
	return MIN(v->repeats, phases ? phases : blocks ? ub->groups : v->repeats);
}

/* Does no repeat need two beats? */
static bool single_beats(const asc_ub *ub, const asc_ub_vector *v)
{
	unsigned repeats = distinct(ub, v);
	uint64_t beat[BEATS];
	splitter s;

	for (unsigned n = 0; n < repeats; n++) {
		split_begin(&s, ub, beat, BEATS, false);
		for (unsigned i = 0; i < v->reads; i++)
			split_operand(&s, &v->read[i], n, false, i);
		if (s.beats > 1)
			return false;
		split_begin(&s, ub, beat, BEATS, true);
		split_operand(&s, &v->write, n, false, 0);
		if (s.beats > 1)
			return false;
	}
	return true;
}

/* Stretches of the bank interleave that an operand touches, as a set; all when it wraps. */
static uint64_t stretches(const asc_ub *ub, const asc_ub_vector *v, const asc_ub_operand *o)
{
	int64_t top = 31 - __builtin_clz(o->active | o->last | 1), reach = o->block_bytes * top;
	int64_t travel = o->repeat_bytes * (int64_t)(v->repeats - 1);
	int64_t low = (int64_t)o->address + MIN(reach, 0) + MIN(travel, 0);
	int64_t high = (int64_t)o->address + MAX(reach, 0) + MAX(travel, 0);
	uint64_t set = 0;

	if (low < 0)
		return UINT64_MAX;
	for (int64_t i = low / ub->interleave; i <= high / ub->interleave; i++) {
		if (i - low / ub->interleave >= ub->in_group)
			return UINT64_MAX;
		set |= (uint64_t)1 << (i % (ub->in_group));
	}
	return set;
}

static uint64_t banks_of(const asc_ub *ub, const asc_ub_operand *o, unsigned repeat, uint32_t active)
{
	uint64_t at = o->address + (uint64_t)(o->repeat_bytes * (int64_t)repeat), banks = 0;

	for (; active; active >>= 1, at += (uint64_t)o->block_bytes)
		if (active & 1)
			banks |= (uint64_t)1 << asc_ub_bank(ub, at);
	return banks;
}

/* Can no read meet a write?  A read of repeat m meets the write of n where m intervals are n intervals and the delay.
 */
static bool never_meet(const asc_ub *ub, const asc_ub_vector *v)
{
	uint64_t put = stretches(ub, v, &v->write), get = 0;
	bool one = !(put & (put - 1));
	int64_t lag = (int64_t)ub->delay / v->interval;

	for (unsigned i = 0; i < v->reads; i++) {
		uint64_t set = stretches(ub, v, &v->read[i]);

		get |= set;
		one &= !(set & (set - 1));
	}
	if (!(get & put) || (int64_t)ub->delay % v->interval || (int64_t)v->repeats <= lag)
		return true;
	for (unsigned n = 0; one && n < distinct(ub, v); n++)
		for (unsigned i = 0; i < v->reads; i++)
			if (banks_of(ub, &v->write, n, v->write.active | v->write.last) &
			    banks_of(ub, &v->read[i], n + (unsigned)lag, v->read[i].active | v->read[i].last))
				return false;
	return one;
}

/* Neither beat nor repeat of V can meet another: looked for once. */
static bool conflict_free(asc_ub *ub, const asc_ub_vector *v)
{
	uint64_t h = v->write.address * 0x9e3779b97f4a7c15u;
	known *k;

	for (unsigned i = 0; i < v->reads; i++)
		h = (h ^ v->read[i].address ^ v->repeats) * 0xbf58476d1ce4e5b9u;
	k = &ub->known[h >> 58 & (KNOWN - 1)];
	if (k->repeats == v->repeats && k->reads == v->reads && k->interval == v->interval &&
	    memcmp(&k->operand[ASC_UB_READS], &v->write, sizeof(v->write)) == 0 &&
	    memcmp(k->operand, v->read, v->reads * sizeof(v->read[0])) == 0)
		return k->is_free;
	k->repeats = v->repeats;
	k->reads = v->reads;
	k->interval = v->interval;
	memcpy(k->operand, v->read, sizeof(v->read));
	k->operand[ASC_UB_READS] = v->write;
	k->is_free = single_beats(ub, v) && never_meet(ub, v);
	return k->is_free;
}

/* Puts what the last conflict-free run still has to write into the pipe, as of cycle NOW. */
static void fill_pipe(asc_ub *ub, int64_t now)
{
	const asc_ub_vector *v = &ub->run[(ub->runs - 1) % RUNS];
	int64_t first = (now - v->start - (int64_t)ub->delay) / v->interval;
	pipe *p = &ub->pipe;

	empty_pipe(ub);
	ub->now = now;
	for (unsigned n = (unsigned)MAX(first, 0); n < v->repeats; n++) {
		int64_t step = v->start + (int64_t)n * v->interval + (int64_t)ub->delay - now;
		splitter s;

		if (step >= (int64_t)ub->delay)
			break;
		if (step < 0)
			continue;
		split_begin(&s, ub, p->at[step].beat, ASC_UB_BLOCKS, true);
		split_operand(&s, &v->write, n, n + 1 == v->repeats, 0);
		p->at[step].beats = (uint8_t)s.beats;
		p->used += s.beats > 0;
	}
}

/* Brings the pipe to cycle NOW with nothing new at its front. */
static void idle_until(asc_ub *ub, int64_t now)
{
	if (ub->lazy) {
		const asc_ub_vector *v = &ub->run[(ub->runs - 1) % RUNS];
		int64_t entered = v->start + (int64_t)(v->repeats - 1) * v->interval + 1;

		/* Copies that came after it may hold up what it has still to write. */
		ub->lazy = false;
		if (ub->copies_until > entered)
			fill_pipe(ub, entered);
		else if (now < v->write_end)
			fill_pipe(ub, now);
	}
	while (ub->pipe.used && ub->now < now) {
		cycle_of(ub, &ub->pipe, NULL, ub->now);
		ub->now++;
	}
	if (!ub->pipe.used)
		empty_pipe(ub);
	ub->now = now;
}

/* Also brings the pipe to the start of V. */
static bool is_free_of_conflict(asc_ub *ub, const asc_ub_vector *v)
{
	/* Banks of a group must be far apart for sets of stretches to say anything; and with more ports than one it is
	 * their banks, not only their groups, that decide how blocks share a beat. */
	bool plain = ub->ports[0] == 1 && ub->ports[1] == 1 && ub->group_ports >= 2 &&
	             ub->interleave >= 16 * (int64_t)ub->row_bytes * ub->groups;

	idle_until(ub, v->start);
	return plain && ub->copies_until <= v->start && !ub->pipe.used && conflict_free(ub, v);
}

/* What decides how the unit goes on, as words. */
static void take_image(const asc_ub *ub, const asc_ub_vector *v, const front *f, image *to)
{
	uint64_t *w = to->word;

	*w++ = (uint64_t)MAX(f->eligible - ub->now, 0);
	for (unsigned i = 0; i < ub->delay; i++) {
		const slot *s = &ub->pipe.at[(ub->pipe.end + i) % ub->delay];

		*w++ = (uint64_t)s->beats << 8 | s->next;
		for (unsigned b = s->next; b < s->beats; b++)
			*w++ = s->beat[b];
	}
	to->words = (unsigned)(w - to->word);
	to->repeat = f->repeat;
	to->now = ub->now;
	to->at = ub->logged;
	memcpy(to->stall, v->stall, sizeof(to->stall));
}

/* Before repeat f->repeat, the unit standing as in ub->then: goes on by whole periods, to before END. */
static void skip(asc_ub *ub, asc_ub_vector *v, front *f, unsigned end)
{
	unsigned period = f->repeat - ub->then.repeat, times = (end - f->repeat) / period;
	int64_t cycles = ub->now - ub->then.now;

	if (!times)
		return;
	ub->echo[ub->echoes++ % ECHOES] = (echo){.from = ub->now,
	                                         .until = ub->now + times * cycles,
	                                         .period = cycles,
	                                         .at = ub->then.at};
	f->repeat += times * period;
	f->eligible += times * cycles;
	ub->now += times * cycles;
	for (unsigned i = 0; i < ASC_STALLS; i++)
		v->stall[i] += times * (v->stall[i] - ub->then.stall[i]);
}

/* Of an instruction that is stepped: where its repeats are alike. */
typedef struct course {
	unsigned phases; /* 0: every repeat is made anew */
	unsigned end;    /* of the repeats in one stretch of banks */
	bool seen;       /* ub->then is of this stretch */
	bool skipped;    /* in this stretch */
	unsigned window; /* repeats after which ub->then is taken anew */
} course;

static void enter_stretch(asc_ub *ub, const asc_ub_vector *v, course *c, unsigned repeat)
{
	if (!c->phases || repeat < c->end)
		return;
	c->end = stretch_end(ub, v, repeat);
	c->seen = c->skipped = false;
	c->window = c->phases;
	memset(ub->made, 0, sizeof(ub->made));
}

static const beats *beats_for(asc_ub *ub, const asc_ub_vector *v, const course *c, unsigned repeat)
{
	unsigned phase;

	if (!c->phases || repeat >= c->end || repeat + 1 == v->repeats) {
		make_beats(ub, v, repeat, &ub->single);
		return &ub->single;
	}
	phase = repeat % c->phases;
	if (!ub->made[phase])
		make_beats(ub, v, repeat, &ub->phase[phase]);
	ub->made[phase] = true;
	return &ub->phase[phase];
}

/* Looks for a state that has been before; skips as far as it carries. */
static void look_back(asc_ub *ub, asc_ub_vector *v, course *c, front *f)
{
	unsigned end = MIN(c->end, v->repeats - 1), since = f->repeat - ub->then.repeat;

	if (!c->phases || c->skipped || f->repeat + c->phases >= end)
		return;
	if (ub->now < ub->copies_until) {
		c->seen = false;
		return;
	}
	if (c->seen && since % c->phases)
		return;
	take_image(ub, v, f, &ub->here);
	if (c->seen && ub->here.at - ub->then.at < LOG / 2 && ub->here.words == ub->then.words &&
	    memcmp(ub->here.word, ub->then.word, ub->here.words * sizeof(ub->here.word[0])) == 0) {
		skip(ub, v, f, end);
		c->skipped = true;
	} else if (!c->seen || since >= c->window) {
		c->window = c->seen ? 2 * c->window : c->phases;
		c->seen = true;
		memcpy(ub->then.word, ub->here.word, ub->here.words * sizeof(ub->here.word[0]));
		memcpy((char *)&ub->then + sizeof(ub->then.word), (char *)&ub->here + sizeof(ub->here.word),
		       sizeof(ub->here) - sizeof(ub->here.word));
	}
}

static void step(asc_ub *ub, asc_ub_vector *v)
{
	front f = {.eligible = v->start};
	course c = {.phases = phases_of(ub, v)};
	pipe rest;
	int64_t now;

	if (c.phases && sharing_varies(ub, v))
		c.phases = 0;
	for (f.repeat = 0; f.repeat < v->repeats; f.repeat++) {
		enum asc_stall why;

		enter_stretch(ub, v, &c, f.repeat);
		look_back(ub, v, &c, &f);
		f.of = beats_for(ub, v, &c, f.repeat);
		f.next = 0;
		f.began = INT64_MIN;
		f.waiting = true;
		do {
			why = cycle_of(ub, &ub->pipe, &f, ub->now);
			v->stall[why] += why != ASC_STALL_NONE;
			ub->now++;
		} while (why != ASC_STALL_NONE);
		f.eligible = f.began + v->interval;
	}
	v->read_end = MAX(ub->now, f.eligible);
	copy_pipe(ub, &rest, &ub->pipe);
	for (now = ub->now; rest.used; now++) {
		bool more = rest.at[rest.end].next + 1 < rest.at[rest.end].beats;

		cycle_of(ub, &rest, NULL, now);
		v->stall[ASC_STALL_BANK_GROUP] += more;
	}
	v->write_end = MAX(now, ub->now);
}

void asc_ub_access(asc_ub *ub, asc_ub_vector *v)
{
	memset(v->stall, 0, sizeof v->stall);
	v->start += ub->debt;
	if (is_free_of_conflict(ub, v)) {
		v->read_end = v->start + (int64_t)v->repeats * v->interval;
		v->write_end = v->read_end - v->interval + (int64_t)ub->delay + 1;
		v->stall[ASC_STALL_RESOURCE] = (int64_t)(v->repeats - 1) * (v->interval - 1);
		ub->run[ub->runs++ % RUNS] = *v;
		ub->lazy = true;
	} else {
		step(ub, v);
	}
	v->stall[ASC_STALL_MTE] += ub->debt;
	ub->debt = 0;
}

/* ---- copies ---- */

/* Banks a conflict-free instruction uses for operand O, so many cycles after its first use of it. */
static uint64_t run_at(const asc_ub *ub, const asc_ub_vector *v, const asc_ub_operand *o, int64_t cycles)
{
	int64_t repeat = cycles / v->interval;

	if (cycles < 0 || cycles % v->interval || repeat >= v->repeats)
		return 0;
	return banks_of(ub, o, (unsigned)repeat, repeat + 1 == v->repeats ? o->last : o->active);
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
