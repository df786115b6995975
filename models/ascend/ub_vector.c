/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions on the unified buffer, as ub.c has the rules: the formula of those in which nothing can meet, and
 * the stepping of all others, with what comes round made once and skipped (ub.c).
 */
#include "models/ascend/ub_int.h"

static void make_beats(const asc_ub *ub, const asc_ub_vector *v, unsigned repeat, beats *b)
{
	bool last = repeat + 1 == v->repeats;
	asc_ub_splitter s;

	asc_ub_split_begin(&s, ub, b->read, BEATS, false);
	for (unsigned i = 0; i < v->reads; i++)
		asc_ub_split(&s, &v->read[i], repeat, last, 0);
	b->reads = s.beats;
	asc_ub_split_begin(&s, ub, b->write, ASC_UB_BLOCKS, true);
	asc_ub_split(&s, &v->write, repeat, last, 0);
	b->writes = s.beats;
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
	asc_ub_splitter s;

	for (unsigned n = 0; n < repeats; n++) {
		asc_ub_split_begin(&s, ub, beat, BEATS, false);
		for (unsigned i = 0; i < v->reads; i++)
			asc_ub_split(&s, &v->read[i], n, false, i);
		if (s.beats > 1)
			return false;
		asc_ub_split_begin(&s, ub, beat, BEATS, true);
		asc_ub_split(&s, &v->write, n, false, 0);
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
			if (asc_ub_banks(ub, &v->write, n, v->write.active | v->write.last) &
			    asc_ub_banks(ub, &v->read[i], n + (unsigned)lag, v->read[i].active | v->read[i].last))
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
		asc_ub_splitter s;

		if (step >= (int64_t)ub->delay)
			break;
		if (step < 0)
			continue;
		asc_ub_split_begin(&s, ub, p->at[step].beat, ASC_UB_BLOCKS, true);
		asc_ub_split(&s, &v->write, n, n + 1 == v->repeats, 0);
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
		asc_ub_cycle(ub, &ub->pipe, NULL, ub->now);
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
	ub->echo[ub->echoes++ % ECHOES] =
		(echo){.from = ub->now, .until = ub->now + times * cycles, .period = cycles, .at = ub->then.at};
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
		memcpy(&ub->then, &ub->here, offsetof(image, word) + ub->here.words * sizeof(ub->here.word[0]));
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
			why = asc_ub_cycle(ub, &ub->pipe, &f, ub->now);
			v->stall[why] += why != ASC_STALL_NONE;
			ub->now++;
		} while (why != ASC_STALL_NONE);
		f.eligible = f.began + v->interval;
	}
	v->read_end = MAX(ub->now, f.eligible);
	copy_pipe(ub, &rest, &ub->pipe);
	for (now = ub->now; rest.used; now++) {
		bool more = rest.at[rest.end].next + 1 < rest.at[rest.end].beats;

		asc_ub_cycle(ub, &rest, NULL, now);
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
