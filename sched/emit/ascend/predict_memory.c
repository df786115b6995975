/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of global memory, predicted: a copy is so many requests over a core's link; slices of L2 and channels of the
 * memory behind it serve all cores like fluids: of each stretch of time so many cycles can be taken, by the first who
 * asks.  A channel remembers the line and the direction of the access asked for last.  A line is in L2 while fewer
 * other lines than its set has ways have come into the set since it was last touched; one that was read in parts of
 * sectors, or past L2, is not.  Places of lines: docs/ascend.md.
 */
#include "sched/emit/ascend/predict.h"

#include <math.h>

/* Cycles of each stretch that are taken; a channel's last line + 1 and direction. */
typedef struct fluid {
	double bytes_per_cycle;
	GArray *taken; /* float */
	uint64_t open;
	bool wrote;
} fluid;
enum { STRETCH_CYCLES = 64 };

typedef struct line {
	uint32_t touched; /* number of misses so far when last touched, from the capacity on; 0: never */
	float from, to;   /* its last run of requests */
	float valid;      /* its data have come */
	bool dirty;
} line;

/* Lines that have come so far, and of those how many have been looked at again; from the number of ways on. */
typedef struct set {
	uint32_t misses, oldest;
} set;

struct ask_memory {
	const asc_machine *machine;
	uint64_t line_bytes, count;
	unsigned limit;
	line *lines; /* [count] */
	set *sets;
	uint32_t set_count, ways;
	uint32_t *came;             /* [sets][2 ways]: a ring of lines in the order in which they came */
	fluid *read, *all, *behind; /* [slices], [slices], [channels] */
};

static fluid *new_fluids(int64_t parts, double bytes_per_cycle)
{
	fluid *f = g_new0(fluid, (size_t)parts);

	for (int64_t i = 0; i < parts; i++) {
		f[i].bytes_per_cycle = bytes_per_cycle / (double)parts;
		f[i].taken = g_array_new(FALSE, TRUE, sizeof(float));
	}
	return f;
}

static void free_fluids(fluid *f, int64_t parts)
{
	for (int64_t i = 0; i < parts; i++)
		g_array_free(f[i].taken, TRUE);
	g_free(f);
}

/* The part that has a line: neighbours follow one another, and the digits of its number stir. */
static fluid *part_of(fluid *f, int64_t parts, uint64_t number)
{
	uint64_t sum = number, count = (uint64_t)parts;

	for (uint64_t digits = number / count; digits; digits /= count)
		sum += digits ^ digits >> 1;
	return &f[sum % count];
}

/* CYCLES from AT on; returns when the last of them is over. */
static double flow(fluid *f, double at, double cycles)
{
	guint i = (guint)(at / STRETCH_CYCLES);
	double end = at + cycles, left = cycles;

	for (;; i++) {
		float *taken;
		double room;

		if (f->taken->len <= i)
			g_array_set_size(f->taken, i + 1);
		taken = &g_array_index(f->taken, float, i);
		room = STRETCH_CYCLES - (double)*taken;
		if (room >= left) {
			*taken += (float)left;
			return MAX(end, (double)i * STRETCH_CYCLES + (double)*taken);
		}
		left -= room;
		*taken = STRETCH_CYCLES;
	}
}

/* When the first of BYTES is through a part of L2. */
static double through(fluid *f, double at, uint64_t bytes)
{
	double cycles = (double)bytes / f->bytes_per_cycle;

	return flow(f, at, cycles) - cycles;
}

ask_memory *ask_memory_new(const asc_machine *machine, uint64_t bytes)
{
	ask_memory *m = g_new0(ask_memory, 1);

	m->machine = machine;
	m->line_bytes = (uint64_t)machine->l2_line_bytes;
	m->count = bytes / m->line_bytes + 2;
	m->limit = (unsigned)machine->mte2_outstanding;
	m->lines = g_new0(line, m->count);
	m->ways = (uint32_t)machine->l2_ways;
	m->set_count = (uint32_t)MAX((uint64_t)machine->l2_bytes / (m->line_bytes * m->ways), 1);
	m->sets = g_new(set, m->set_count);
	m->came = g_new(uint32_t, 2 * (size_t)m->ways * m->set_count);
	for (uint32_t i = 0; i < m->set_count; i++)
		m->sets[i].misses = m->sets[i].oldest = m->ways + 1;
	m->read = new_fluids(machine->l2_slices, (double)machine->l2_read_bytes_per_cycle);
	m->all = new_fluids(machine->l2_slices, (double)machine->l2_bytes_per_cycle);
	m->behind = new_fluids(machine->hbm_channels, (double)machine->hbm_bytes_per_second *
	                                                      (double)machine->hbm_efficiency_percent / 100 /
	                                                      (double)machine->clock_hz);
	return m;
}

void ask_memory_free(ask_memory *m)
{
	free_fluids(m->read, m->machine->l2_slices);
	free_fluids(m->all, m->machine->l2_slices);
	free_fluids(m->behind, m->machine->hbm_channels);
	g_free(m->lines);
	g_free(m->came);
	g_free(m->sets);
	g_free(m);
}

typedef struct asked {
	ask_memory *memory;
	ask_link *link;
	bool write;
	double rate, latency;
	double issue, last; /* of the next request; when the last one's data are through */
	double end;         /* last return */
	double first;       /* byte over the link */
	double room;        /* a write that misses has its place */
	bool past;          /* reads leave nothing in L2 */
} asked;

static double link_bytes(uint64_t bytes, uint64_t largest)
{
	uint64_t size = largest;

	while (size / 2 >= bytes && size > largest / 4)
		size /= 2;
	return (double)size;
}

/* How long a request at TIME waits for its line, which serves one after another. */
static double hold(ask_memory *m, uint64_t number, double time)
{
	float cycles = (float)m->machine->l2_line_cycles, at = (float)time, wait;
	line *l = &m->lines[number];

	if (at + cycles <= l->from)
		return 0;
	if (at >= l->to) {
		if (at > l->to)
			l->from = at;
		l->to = at + cycles;
		return 0;
	}
	wait = l->to - at;
	l->to += cycles;
	return (double)wait;
}

/* BYTES of a line from or to its channel; returns when they begin, or have ended where they are written. */
static double access(ask_memory *m, uint64_t number, bool write, uint64_t bytes, double at)
{
	fluid *f = part_of(m->behind, m->machine->hbm_channels, number);
	double data = (double)bytes / f->bytes_per_cycle, before = 0, end;

	if (f->open != number + 1)
		before += (double)m->machine->hbm_access_cycles;
	if (f->wrote != write)
		before += (double)m->machine->hbm_turnaround_cycles;
	f->open = number + 1;
	f->wrote = write;
	end = flow(f, at, before + data);
	return write ? end : end - data;
}

/* Lines that have been out of use for so long that L2 has given them up: what was written goes to memory, from AT on.
 */
static double give_up(ask_memory *m, set *s, double at)
{
	const uint32_t *came = m->came + 2 * (size_t)m->ways * (size_t)(s - m->sets);
	double left = at;

	while (s->misses - s->oldest > m->ways) {
		uint32_t number = came[s->oldest % (2 * m->ways)];
		line *l = &m->lines[number];

		s->oldest++;
		/* Touched since: it will be found when it comes anew. */
		if (!l->dirty || s->misses - l->touched < m->ways)
			continue;
		l->dirty = false;
		left = access(m, number, true, m->line_bytes, at);
	}
	return left;
}

/* A read that leaves nothing in L2: of the line, which then serves whoever comes before it has, or of its own bytes. */
static bool look_past(ask_memory *m, const asked *a, uint64_t number, uint64_t bytes, bool whole)
{
	line *l = &m->lines[number];

	if (whole && a->issue < (double)l->valid)
		return true;
	l->valid = (float)(access(m, number, false, whole ? m->line_bytes : bytes, a->issue) +
	                   (double)m->machine->hbm_miss_cycles);
	return false;
}

/* Is the line in L2?  If not it comes, from when on it can be read. */
static bool look(ask_memory *m, asked *a, uint64_t number, uint64_t address, uint64_t bytes)
{
	line *l = &m->lines[number];
	set *s = &m->sets[number % m->set_count];
	uint64_t sector = (uint64_t)m->machine->l2_sector_bytes;
	bool parts = address % sector || bytes % sector;
	double room;

	if (!l->touched || s->misses - l->touched >= m->ways) {
		if (!a->write && (a->past || parts))
			return look_past(m, a, number, bytes, !a->past);
		m->came[2 * (size_t)m->ways * (number % m->set_count) + s->misses++ % (2 * m->ways)] = (uint32_t)number;
		room = give_up(m, s, a->issue);
		l->from = l->to = 0;
		l->valid = (float)room;
		/* A write of whole sectors reads nothing; one of a part is merged when the rest comes. */
		if (!a->write || parts) {
			room = access(m, number, false, m->line_bytes, room);
			l->valid = (float)(room + (double)m->machine->hbm_miss_cycles);
		}
		a->room = room;
		l->dirty = a->write;
		l->touched = s->misses;
		return false;
	}
	l->dirty |= a->write;
	l->touched = s->misses;
	return true;
}

/* It goes out when one in flight is back, waits for its line and its share of L2, and its data come over the link in
 * turn. */
static void one_request(asked *a, uint64_t address, uint64_t bytes)
{
	ask_memory *m = a->memory;
	const asc_machine *machine = m->machine;
	uint64_t largest = (uint64_t)(a->write ? machine->mte3_packet_bytes : machine->mte2_packet_bytes);
	uint64_t number = MIN(address / m->line_bytes, m->count - 1);
	double *returns = &a->link->returns[a->link->next], ticks = link_bytes(bytes, largest) / a->rate, served, read;
	bool hit;

	a->issue = MAX(a->issue, *returns);
	if (a->write)
		a->issue = MAX(a->issue, a->link->free);
	hit = look(m, a, number, address, bytes);
	served = a->issue + hold(m, number, a->issue);
	read = a->write ? 0 : through(part_of(m->read, machine->l2_slices, number), served, bytes);
	served = through(part_of(m->all, machine->l2_slices, number), served, bytes);
	served = MAX(served, read);
	if (!hit)
		ticks = MAX(ticks, (double)(a->write ? machine->mte3_packet_cycles : machine->mte2_packet_cycles));
	if (a->write) {
		a->link->free = a->issue + ticks;
		served = MAX(served, hit ? 0 : a->room);
		*returns = MAX(served, a->link->free) + a->latency;
		a->issue = a->link->free;
	} else {
		served = MAX(served, (double)m->lines[number].valid) + (double)machine->l2_hit_cycles;
		a->link->free = MAX(a->link->free, served) + ticks;
		*returns = a->link->free + a->latency;
		a->issue += 1;
	}
	a->last = a->link->free;
	a->first = MIN(a->first, a->last - ticks);
	a->end = MAX(a->end, *returns);
	a->link->next = (a->link->next + 1) % m->limit;
}

static void one_burst(asked *a, uint64_t address, uint64_t bytes)
{
	const asc_machine *machine = a->memory->machine;
	uint64_t largest = (uint64_t)(a->write ? machine->mte3_packet_bytes : machine->mte2_packet_bytes);

	while (bytes) {
		uint64_t piece = MIN(bytes, largest), head = a->memory->line_bytes - address % a->memory->line_bytes;

		if (head < piece) {
			one_request(a, address, head);
			one_request(a, address + head, piece - head);
		} else {
			one_request(a, address, piece);
		}
		address += piece;
		bytes -= piece;
	}
}

ask_times ask_memory_copy(ask_memory *m, ask_link *link, bool write, const ask_bursts *b, double at, double rate,
                          double latency)
{
	enum { MERGED = 8 };
	uint64_t largest = (uint64_t)(write ? m->machine->mte3_packet_bytes : m->machine->mte2_packet_bytes);
	asked a = {m, link, write, rate, latency, at, at, at, INFINITY, 0, b->past};
	ask_times t = {.start = at};

	if (!link->returns)
		link->returns = g_new0(double, m->limit);
	for (uint64_t i = 0; i < b->count;) {
		uint64_t merged = b->pitch == b->bytes && b->bytes < largest ? MIN(b->count - i, MERGED) : 1;

		one_burst(&a, b->address + i * b->pitch, b->bytes * merged);
		i += merged;
	}
	t.free = write ? a.last : a.issue;
	t.done = a.end;
	t.first = MIN(a.first, a.last);
	return t;
}
