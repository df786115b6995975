/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of global memory, predicted: a copy is so many requests over a core's link; slices of L2 and channels of the
 * memory behind it serve all cores, who take the time that is free, the first who asks first.  A channel remembers the
 * line and the direction of the access asked for last.  L2 gives up the line of a set that was asked for longest ago; a
 * line that was read in parts of sectors, or past L2, is left nowhere.  Places of lines: docs/ascend.md.
 */
#include "sched/emit/ascend/predict_int.h"

#include <math.h>

/* A slice of L2 or a channel, whose last line + 1 and direction are known. */
typedef struct part {
	double bytes_per_cycle;
	ask_calendar taken;
	uint64_t open;
	bool wrote;
} part;

/* A line's last run of requests; its data have come. */
typedef struct times {
	double from, to, valid;
} times;

typedef struct way {
	uint64_t line, age; /* number + 1, 0: empty; when it was last asked for */
	times times;
	bool dirty;
} way;

/* A line that a read past L2 holds. */
typedef struct passing {
	uint64_t line; /* number + 1 */
	times times;
} passing;
enum { PASSING = 1 << 16, LATER_CYCLES = 256 };

struct ask_memory {
	const asc_machine *machine;
	uint64_t line_bytes, sets, clock;
	unsigned limit, ways;
	double forgotten; /* nobody asks for time before */
	way *way;         /* [sets][ways] */
	passing *passing;
	part *read, *all, *behind; /* [slices], [slices], [channels] */
};

static part *new_parts(int64_t parts, double bytes_per_cycle)
{
	part *p = g_new0(part, (size_t)parts);

	for (int64_t i = 0; i < parts; i++) {
		p[i].bytes_per_cycle = bytes_per_cycle / (double)parts;
		ask_calendar_init(&p[i].taken);
	}
	return p;
}

static void free_parts(part *p, int64_t parts)
{
	for (int64_t i = 0; i < parts; i++)
		ask_calendar_clear(&p[i].taken);
	g_free(p);
}

/* The part that has a line: neighbours follow one another, and a hash says where each row of them begins. */
static part *part_of(part *p, int64_t parts, uint64_t number)
{
	uint64_t count = (uint64_t)parts, row = number / count * 0x9e3779b97f4a7c15u;

	row = (row ^ row >> 29) * 0xbf58476d1ce4e5b9u;
	return &p[((row >> 32) + number) % count];
}

ask_memory *ask_memory_new(const asc_machine *machine)
{
	ask_memory *m = g_new0(ask_memory, 1);

	m->machine = machine;
	m->line_bytes = (uint64_t)machine->l2_line_bytes;
	m->limit = (unsigned)machine->mte2_outstanding;
	m->ways = (unsigned)machine->l2_ways;
	m->sets = MAX((uint64_t)machine->l2_bytes / (m->line_bytes * m->ways), 1);
	m->way = g_new0(way, m->sets * m->ways);
	m->passing = g_new0(passing, PASSING);
	m->read = new_parts(machine->l2_slices, (double)machine->l2_read_bytes_per_cycle);
	m->all = new_parts(machine->l2_slices, (double)machine->l2_bytes_per_cycle);
	m->behind = new_parts(machine->hbm_channels, (double)machine->hbm_bytes_per_second *
	                                                     (double)machine->hbm_efficiency_percent / 100 /
	                                                     (double)machine->clock_hz);
	return m;
}

void ask_memory_free(ask_memory *m)
{
	free_parts(m->read, m->machine->l2_slices);
	free_parts(m->all, m->machine->l2_slices);
	free_parts(m->behind, m->machine->hbm_channels);
	g_free(m->way);
	g_free(m->passing);
	g_free(m);
}

/* Copies begin in order of time, and their starts are the same for all. */
static void forget_past(ask_memory *m, double at)
{
	double now = at - (double)MAX(m->machine->mte2_start_cycles + m->machine->mte2_nd2nz_cycles,
	                              m->machine->mte3_start_cycles);

	if (now < m->forgotten + LATER_CYCLES)
		return;
	m->forgotten = now;
	for (int64_t i = 0; i < m->machine->l2_slices; i++) {
		ask_calendar_forget(&m->read[i].taken, now);
		ask_calendar_forget(&m->all[i].taken, now);
	}
	for (int64_t i = 0; i < m->machine->hbm_channels; i++)
		ask_calendar_forget(&m->behind[i].taken, now);
}

/* ---- one line ---- */

/* When a request at TIME gets its line, which serves one after another. */
static double hold(times *t, double cycles, double time)
{
	double at = time;

	if (time + cycles <= t->from)
		return time;
	if (time < t->to) {
		at = t->to;
		t->to += cycles;
		return at;
	}
	if (time > t->to)
		t->from = time;
	t->to = time + cycles;
	return at;
}

/* BYTES of a line from or to its channel; returns when they begin, or have ended where they are written. */
static double access(ask_memory *m, uint64_t number, bool write, uint64_t bytes, double at)
{
	part *p = part_of(m->behind, m->machine->hbm_channels, number);
	double line = floor((double)m->line_bytes / p->bytes_per_cycle * ASK_CYCLE_PARTS + 0.5);
	double data = MAX(floor(line * (double)bytes / (double)m->line_bytes), 1) / ASK_CYCLE_PARTS, before = 0, begin,
	       end;

	if (p->open != number + 1)
		before += (double)m->machine->hbm_access_cycles;
	if (p->wrote != write)
		before += (double)m->machine->hbm_turnaround_cycles;
	p->open = number + 1;
	p->wrote = write;
	end = ask_calendar_take(&p->taken, at, before + data, &begin);
	return write ? end : end - data;
}

/* When BYTES of a line that is held from AT on begin to go through its slice. */
static double serve(ask_memory *m, uint64_t number, bool write, uint64_t bytes, double at)
{
	part *all = part_of(m->all, m->machine->l2_slices, number);
	part *read = part_of(m->read, m->machine->l2_slices, number);
	double begin, own;

	ask_calendar_take(&all->taken, at, ask_parts_up((double)bytes / all->bytes_per_cycle), &begin);
	if (write)
		return begin;
	ask_calendar_take(&read->taken, at, ask_parts_up((double)bytes / read->bytes_per_cycle), &own);
	return MAX(begin, own);
}

/* When the request is answered. */
typedef struct answer {
	double at;
	bool hit;
} answer;

/* A read that leaves nothing in L2: of the line, which then serves whoever comes before it has, or of its own bytes. */
static answer read_past(ask_memory *m, uint64_t number, uint64_t bytes, bool whole, double at)
{
	passing *p = &m->passing[number % PASSING];
	answer a;
	double served;

	if (p->line != number + 1)
		*p = (passing){.line = number + 1};
	a.hit = whole && at < p->times.valid;
	served = serve(m, number, false, bytes, hold(&p->times, (double)m->machine->l2_line_cycles, at));
	if (!a.hit)
		p->times.valid = access(m, number, false, whole ? m->line_bytes : bytes, served) +
		                 (double)m->machine->hbm_miss_cycles;
	a.at = MAX(served, p->times.valid) + (double)m->machine->l2_hit_cycles;
	return a;
}

/* The way that has a line, or is to have it. */
static way *find_way(ask_memory *m, uint64_t number, bool *hit)
{
	way *set = m->way + number % m->sets * m->ways, *oldest = set;

	for (way *w = set; w < set + m->ways; w++) {
		if (w->line == number + 1) {
			*hit = true;
			return w;
		}
		if (w->age < oldest->age)
			oldest = w;
	}
	*hit = false;
	return oldest;
}

static answer ask(ask_memory *m, const ask_copy *c, uint64_t address, uint64_t bytes, double at)
{
	uint64_t number = address / m->line_bytes, sector = (uint64_t)m->machine->l2_sector_bytes;
	bool parts = address % sector || bytes % sector;
	double room = at, served;
	answer a;
	way *w = find_way(m, number, &a.hit);

	if (!a.hit && !c->write && (c->past || parts))
		return read_past(m, number, bytes, !c->past, at);
	if (!a.hit) {
		if (w->dirty)
			room = access(m, w->line - 1, true, m->line_bytes, at);
		*w = (way){.line = number + 1, .times.valid = room};
		/* A write of whole sectors reads nothing; one of a part is merged when the rest comes. */
		if (!c->write || parts) {
			room = access(m, number, false, m->line_bytes, room);
			w->times.valid = room + (double)m->machine->hbm_miss_cycles;
		}
	}
	served = serve(m, number, c->write, bytes, hold(&w->times, (double)m->machine->l2_line_cycles, at));
	w->age = ++m->clock;
	w->dirty |= c->write;
	a.at = c->write ? MAX(served, room) : MAX(served, w->times.valid) + (double)m->machine->l2_hit_cycles;
	return a;
}

/* ---- copies ---- */

static double link_bytes(uint64_t bytes, uint64_t largest)
{
	uint64_t size = largest;

	while (size / 2 >= bytes && size > largest / 4)
		size /= 2;
	return (double)size;
}

/* It goes out when one in flight is back; data of reads come over the link in turn, those of writes before L2 is asked.
 */
static void one_request(ask_copy *c, uint64_t address, uint64_t bytes)
{
	const asc_machine *m = c->memory->machine;
	uint64_t largest = (uint64_t)(c->write ? m->mte3_packet_bytes : m->mte2_packet_bytes);
	double *returns = &c->link->returns[c->link->next], ticks = ask_parts_up(link_bytes(bytes, largest) / c->rate);
	double at = MAX(c->issue, *returns), least;
	answer a;

	if (c->write) {
		at = MAX(at, c->link->free);
		a = ask(c->memory, c, address, bytes, at + ticks);
		least = a.hit ? 0 : (double)m->mte3_packet_cycles;
		c->issue = c->link->free = at + MAX(ticks, least);
		c->link->busy += MAX(ticks, least);
		*returns = MAX(a.at, c->link->free) + c->latency;
	} else {
		a = ask(c->memory, c, address, bytes, at);
		least = a.hit ? 0 : (double)m->mte2_packet_cycles;
		c->issue = at + 1;
		at = MAX(a.at, c->link->free);
		c->link->free = at + MAX(ticks, least);
		c->link->busy += MAX(ticks, least);
		*returns = c->link->free + c->latency;
	}
	c->first = MIN(c->first, at);
	c->last = MAX(c->last, c->link->free);
	c->end = MAX(c->end, *returns);
	c->link->next = (c->link->next + 1) % c->memory->limit;
}

static void one_burst(ask_copy *c, uint64_t address, uint64_t bytes)
{
	const asc_machine *machine = c->memory->machine;
	uint64_t largest = (uint64_t)(c->write ? machine->mte3_packet_bytes : machine->mte2_packet_bytes);

	while (bytes) {
		uint64_t piece = MIN(bytes, largest), head = c->memory->line_bytes - address % c->memory->line_bytes;

		if (head < piece) {
			one_request(c, address, head);
			one_request(c, address + head, piece - head);
		} else {
			one_request(c, address, piece);
		}
		address += piece;
		bytes -= piece;
	}
}

ask_copy ask_copy_begin(ask_memory *m, ask_link *link, bool write, double at, double rate, double latency)
{
	const asc_machine *machine = m->machine;

	if (!link->returns)
		link->returns = g_new0(double, m->limit);
	forget_past(m, at);
	return (ask_copy){.memory = m,
	                  .link = link,
	                  .write = write,
	                  .rate = MIN(rate, (double)(write ? machine->l2_core_write_bytes_per_cycle
	                                                   : machine->l2_core_read_bytes_per_cycle)),
	                  .latency = latency,
	                  .issue = at,
	                  .first = INFINITY,
	                  .last = at,
	                  .end = at};
}

void ask_copy_bursts(ask_copy *c, uint64_t address, uint64_t count, uint64_t bytes, uint64_t pitch)
{
	enum { MERGED = 8 };
	uint64_t largest =
		(uint64_t)(c->write ? c->memory->machine->mte3_packet_bytes : c->memory->machine->mte2_packet_bytes);

	for (uint64_t i = 0; i < count;) {
		uint64_t merged = pitch == bytes && bytes < largest ? MIN(count - i, MERGED) : 1;

		one_burst(c, address + i * pitch, bytes * merged);
		i += merged;
	}
}
