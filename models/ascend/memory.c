/* SPDX-License-Identifier: Apache-2.0
 *
 * L2 and the memory behind it, shared by all cores.
 *
 * L2: l2.bytes in lines of l2.line_bytes, l2.ways ways, least recently used, write-back, write-allocate (sets, ways and
 * policy as in the vendor's functional model of it).  Lines go to l2.slices slices and hbm.channels channels by a
 * fold of their number's digits.  A slice serves reads at its share of l2.read_bytes_per_cycle, reads and writes
 * together at its share of l2.bytes_per_cycle.  Requests of one line are served one after another, l2.line_cycles each.
 * A miss reads its whole line from the channel and evicts the oldest; a write of whole sectors (l2.sector_bytes) reads
 * nothing; the sectors it does not write count as there.  A read past L2 that misses reads its own bytes and evicts
 * nothing.  A read that misses and is not of whole sectors reads its line, which serves others until it has come and is
 * then left nowhere.
 *
 * An access of a channel takes its bytes at hbm.efficiency_percent of the peak rate, hbm.access_cycles unless the
 * access before was of the same line, and hbm.turnaround_cycles where that went the other way.
 *
 * A copy is asked for once, with all its requests, when it begins; calendars hold what was granted to others, so its
 * later requests find the free time between those.  Order inside L2 (age of lines) is by copy, not by request: a line
 * may be evicted up to one copy's time early.  Not modelled: virtual addresses, network hops, refresh, rows of the
 * DRAM.
 */
#include "models/ascend/memory.h"

typedef struct line_times {
	int64_t busy_from, busy_to; /* last run of requests served */
	int64_t valid;              /* its data have come */
} line_times;

/* A line that a read past L2 holds. */
typedef struct passing {
	uint64_t line;
	line_times times;
} passing;
enum { PASSING = 65536 }; /* lines remembered: many more than are in flight */

typedef struct slice {
	asc_calendar read, all;
} slice;

struct asc_memory {
	uint64_t line_bytes, sets;
	unsigned ways, slices, channels;
	uint64_t *tags;   /* tag + 1 and whether the line is dirty in bit 0, zero where it is empty */
	uint64_t *ages;   /* when it was last asked for */
	uint16_t *shorts; /* [sets][short_ways] the low bits of tag + 1: what a search reads of the host's memory */
	uint16_t *shorts_held; /* the same before it was moved to the start of such a line */
	unsigned short_ways;
	line_times *times;
	passing *passing; /* by line mod PASSING */
	uint64_t clock;   /* of ages */
	int64_t advanced; /* when calendars were last shortened */
	slice *slice;
	asc_calendar *channel;
	bool *wrote;    /* a channel's last access was a write */
	uint64_t *open; /* its line + 1 */
	int64_t line_ticks, hit_ticks, miss_ticks, fetch_ticks, access_ticks, turnaround_ticks;
	uint64_t sector_bytes;
	int64_t read_rate, all_rate;
	uint64_t hits, misses, traffic;
};

asc_memory *asc_memory_new(const asc_machine *machine)
{
	asc_memory *m = g_new0(asc_memory, 1);
	uint64_t lines;
	double bytes_per_cycle = (double)machine->hbm_bytes_per_second * (double)machine->hbm_efficiency_percent /
	                         100.0 / (double)machine->clock_hz;

	m->line_bytes = (uint64_t)machine->l2_line_bytes;
	m->ways = (unsigned)machine->l2_ways;
	m->sets = MAX((uint64_t)machine->l2_bytes / (m->line_bytes * m->ways), 1);
	m->slices = (unsigned)machine->l2_slices;
	m->channels = (unsigned)machine->hbm_channels;
	lines = m->sets * m->ways;
	m->tags = g_new0(uint64_t, lines);
	m->ages = g_new0(uint64_t, lines);
	m->short_ways = (m->ways + 31) / 32 * 32; /* whole cache lines of the host */
	m->shorts_held = g_new0(uint16_t, m->sets * m->short_ways + 32);
	m->shorts = (uint16_t *)(((uintptr_t)m->shorts_held + 63) / 64 * 64);
	m->times = g_new0(line_times, lines);
	m->passing = g_new0(passing, PASSING);
	m->slice = g_new(slice, m->slices);
	for (unsigned i = 0; i < m->slices; i++) {
		asc_calendar_init(&m->slice[i].read);
		asc_calendar_init(&m->slice[i].all);
	}
	m->channel = g_new(asc_calendar, m->channels);
	for (unsigned i = 0; i < m->channels; i++)
		asc_calendar_init(&m->channel[i]);
	m->wrote = g_new0(bool, m->channels);
	m->open = g_new0(uint64_t, m->channels);
	m->sector_bytes = (uint64_t)machine->l2_sector_bytes;
	m->line_ticks = asc_ticks(machine->l2_line_cycles);
	m->hit_ticks = asc_ticks(machine->l2_hit_cycles);
	m->miss_ticks = asc_ticks(machine->hbm_miss_cycles);
	m->access_ticks = asc_ticks(machine->hbm_access_cycles);
	m->turnaround_ticks = asc_ticks(machine->hbm_turnaround_cycles);
	m->fetch_ticks = MAX((int64_t)((double)m->line_bytes * m->channels * ASC_TICKS / bytes_per_cycle + 0.5), 1);
	m->read_rate = machine->l2_read_bytes_per_cycle;
	m->all_rate = machine->l2_bytes_per_cycle;
	return m;
}

void asc_memory_free(asc_memory *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->slices; i++) {
		asc_calendar_clear(&m->slice[i].read);
		asc_calendar_clear(&m->slice[i].all);
	}
	for (unsigned i = 0; i < m->channels; i++)
		asc_calendar_clear(&m->channel[i]);
	g_free(m->slice);
	g_free(m->channel);
	g_free(m->wrote);
	g_free(m->open);
	g_free(m->tags);
	g_free(m->ages);
	g_free(m->shorts_held);
	g_free(m->times);
	g_free(m->passing);
	g_free(m);
}

void asc_memory_count(const asc_memory *m, uint64_t *hits, uint64_t *misses)
{
	*hits = m->hits;
	*misses = m->misses;
}

uint64_t asc_memory_traffic(const asc_memory *m)
{
	return m->traffic;
}

void asc_memory_advance(asc_memory *m, int64_t now)
{
	enum { LAZY_CYCLES = 256 }; /* spans that are over do no harm for a while */

	if (now - m->advanced < asc_ticks(LAZY_CYCLES))
		return;
	m->advanced = now;
	for (unsigned i = 0; i < m->slices; i++) {
		asc_calendar_advance(&m->slice[i].read, now);
		asc_calendar_advance(&m->slice[i].all, now);
	}
	for (unsigned i = 0; i < m->channels; i++)
		asc_calendar_advance(&m->channel[i], now);
}

/* One of PARTS for LINE.  PARTS lines in a row have one each, from a place on that a hash chooses for every such row:
 * lines in a row go round, and no stride knows where the next row begins. */
static unsigned fold(uint64_t line, unsigned parts)
{
	uint64_t row = line / parts * 0x9e3779b97f4a7c15u;

	row = (row ^ row >> 29) * 0xbf58476d1ce4e5b9u;
	return (unsigned)(((row >> 32) + line) % parts);
}

/* An access of LINE's channel: its bytes, access_ticks unless the access before was of this line, and the turn from
 * reads to writes or back.  Returns when it is over; *BEGIN: when its bytes begin. */
static int64_t book_channel(asc_memory *m, uint64_t line, bool write, uint64_t bytes, int64_t at, int64_t *begin)
{
	unsigned channel = fold(line, m->channels);
	int64_t ticks = MAX((int64_t)((uint64_t)m->fetch_ticks * bytes / m->line_bytes), 1), over;
	int64_t before = (m->open[channel] == line + 1 ? 0 : m->access_ticks) +
	                 (m->wrote[channel] == write ? 0 : m->turnaround_ticks);

	m->wrote[channel] = write;
	m->open[channel] = line + 1;
	m->traffic += bytes;
	over = asc_calendar_book(&m->channel[channel], at, before + ticks, NULL);
	if (begin)
		*begin = over - ticks;
	return over;
}

/* Way of the line in its set, the oldest where it is not there. */
static uint64_t look_up(const asc_memory *m, uint64_t set, uint64_t tag, bool *hit)
{
	uint64_t base = set * m->ways, oldest = base;
	const uint16_t *shorts = &m->shorts[set * m->short_ways];

	for (unsigned i = 0; i < m->ways; i++)
		if (shorts[i] == (uint16_t)(tag + 1) && m->tags[base + i] >> 1 == tag + 1) {
			*hit = true;
			return base + i;
		}
	*hit = false;
	for (uint64_t i = base; i < base + m->ways; i++)
		if (m->ages[i] < m->ages[oldest])
			oldest = i;
	return oldest;
}

void asc_memory_expect(const asc_memory *m, uint64_t soon, uint64_t later)
{
	uint64_t line = soon / m->line_bytes, set = line % m->sets;
	const uint16_t *shorts = &m->shorts[set * m->short_ways];

	__builtin_prefetch(&m->shorts[later / m->line_bytes % m->sets * m->short_ways]);
	for (unsigned i = 0; i < m->ways; i++)
		if (shorts[i] == (uint16_t)(line / m->sets + 1)) {
			__builtin_prefetch(&m->times[set * m->ways + i]);
			__builtin_prefetch(&m->tags[set * m->ways + i]);
			return;
		}
}

/* The line is held for a time from AT on; a request that finds it held waits.  Only the last run of requests is kept:
 * an earlier free moment before it is free. */
static int64_t hold(line_times *t, int64_t at, int64_t ticks)
{
	if (at + ticks <= t->busy_from)
		return at;
	if (at < t->busy_to) {
		at = t->busy_to;
		t->busy_to += ticks;
		return at;
	}
	if (at > t->busy_to)
		t->busy_from = at;
	t->busy_to = at + ticks;
	return at;
}

static int64_t serve(asc_memory *m, uint64_t line, bool write, uint64_t bytes, int64_t at)
{
	slice *s = &m->slice[fold(line, m->slices)];
	int64_t begin, own;

	asc_calendar_book(&s->all, at, asc_ticks_of(bytes, m->all_rate, m->slices), &begin);
	if (write)
		return begin;
	asc_calendar_book(&s->read, at, asc_ticks_of(bytes, m->read_rate, m->slices), &own);
	return MAX(begin, own);
}

/* A read of LINE that L2 does not have and is not to keep.  A whole line, where that is read, serves who asks before it
 * has come; of a line in parts everyone reads his own. */
static asc_answer pass(asc_memory *m, uint64_t line, uint64_t bytes, bool whole, int64_t at)
{
	passing *p = &m->passing[line % PASSING];
	asc_answer answer = {.hit = false};
	int64_t served, begin;

	if (p->line != line)
		*p = (passing){.line = line};
	answer.hit = whole && at < p->times.valid;
	if (answer.hit)
		m->hits++;
	else
		m->misses++;
	served = hold(&p->times, at, m->line_ticks);
	answer.line_wait = served - at;
	served = serve(m, line, false, bytes, served);
	if (!answer.hit) {
		book_channel(m, line, false, whole ? m->line_bytes : bytes, served, &begin);
		p->times.valid = begin + m->miss_ticks;
	}
	answer.at = MAX(served, p->times.valid) + m->hit_ticks;
	return answer;
}

asc_answer asc_memory_request(asc_memory *m, bool write, uint64_t address, uint64_t bytes, int64_t at)
{
	uint64_t line = address / m->line_bytes, set = line % m->sets, tag = line / m->sets;
	asc_answer answer = {.hit = false};
	uint64_t way = look_up(m, set, tag, &answer.hit);
	line_times *t = &m->times[way];
	int64_t served, room = at;
	bool parts = address % m->sector_bytes || bytes % m->sector_bytes;

	if (!answer.hit && !write && parts)
		return pass(m, line, bytes, true, at);
	if (answer.hit) {
		m->hits++;
	} else {
		m->misses++;
		/* The oldest must have left before the new one may come. */
		if (m->tags[way] & 1)
			room = book_channel(m, ((m->tags[way] >> 1) - 1) * m->sets + set, true, m->line_bytes, at,
			                    NULL);
		m->tags[way] = (tag + 1) << 1;
		m->shorts[set * m->short_ways + way % m->ways] = (uint16_t)(tag + 1);
		*t = (line_times){.valid = room};
		if (!write || parts) {
			int64_t fetched;

			book_channel(m, line, false, m->line_bytes, room, &fetched);

			t->valid = fetched + m->miss_ticks;
			room = fetched;
		}
	}
	served = hold(t, at, m->line_ticks);
	answer.line_wait = served - at;
	served = serve(m, line, write, bytes, served);
	m->ages[way] = ++m->clock;
	m->tags[way] |= write;
	/* A write waits for a place only: its bytes and the line's are merged when those come. */
	answer.at = write ? MAX(served, room) : MAX(served, t->valid) + m->hit_ticks;
	return answer;
}

asc_answer asc_memory_pass(asc_memory *m, uint64_t address, uint64_t bytes, int64_t at)
{
	uint64_t line = address / m->line_bytes;
	bool hit;

	look_up(m, line % m->sets, line / m->sets, &hit);
	return hit ? asc_memory_request(m, false, address, bytes, at) : pass(m, line, bytes, false, at);
}
