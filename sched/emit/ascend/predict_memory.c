/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of global memory, predicted: a copy is so many requests over a core's link; L2 and the memory behind it serve
 * all cores like fluids: of each stretch of time they have so many bytes to give, the first who asks takes; a line is in L2 while fewer other lines than L2 holds have come since
 * it was last touched.
 */
#include "sched/emit/ascend/predict.h"

/* BYTES of each stretch, and what is left of them. */
typedef struct fluid {
	double bytes;
	GArray *left; /* double */
} fluid;
enum { STRETCH_CYCLES = 128 };

struct ask_memory {
	const asc_machine *machine;
	uint64_t line, lines, capacity;
	uint32_t *touched; /* [lines] number of misses so far when last touched, from CAPACITY on; 0: never */
	uint32_t misses;
	fluid read, all, behind;
};

/* Requests of several cores meet in a slice by chance; what share of all slices' rate is reached. */
static const double reached = 0.93;

static void init_fluid(fluid *f, double bytes_per_cycle)
{
	f->bytes = bytes_per_cycle * STRETCH_CYCLES;
	f->left = g_array_new(FALSE, FALSE, sizeof(double));
}

/* BYTES from AT on, at RATE a cycle at most; returns when they are through. */
static double flow(fluid *f, double at, double bytes, double rate)
{
	double end = at;

	for (guint i = (guint)(at / STRETCH_CYCLES); bytes > 0; i++) {
		double begin = MAX(at, (double)i * STRETCH_CYCLES), room = (double)(i + 1) * STRETCH_CYCLES - begin, got;
		double *left;

		while (f->left->len <= i)
			g_array_append_val(f->left, f->bytes);
		left = &g_array_index(f->left, double, i);
		got = MIN(MIN(bytes, *left), room * rate);
		*left -= got;
		bytes -= got;
		if (got > 0)
			end = bytes > 0 ? begin + room : begin + got / rate;
	}
	return end;
}

ask_memory *ask_memory_new(const asc_machine *machine, uint64_t bytes)
{
	ask_memory *m = g_new0(ask_memory, 1);

	m->machine = machine;
	m->line = (uint64_t)machine->l2_line_bytes;
	m->lines = bytes / m->line + 2;
	m->capacity = (uint64_t)machine->l2_bytes / m->line;
	m->touched = g_new0(uint32_t, m->lines);
	m->misses = (uint32_t)m->capacity + 1;
	init_fluid(&m->read, (double)machine->l2_read_bytes_per_cycle * reached);
	init_fluid(&m->all, (double)machine->l2_bytes_per_cycle * reached);
	init_fluid(&m->behind, (double)machine->hbm_bytes_per_second * (double)machine->hbm_efficiency_percent / 100 /
	                               (double)machine->clock_hz);
	return m;
}

void ask_memory_free(ask_memory *m)
{
	g_array_free(m->read.left, TRUE);
	g_array_free(m->all.left, TRUE);
	g_array_free(m->behind.left, TRUE);
	g_free(m->touched);
	g_free(m);
}

typedef struct asked {
	uint64_t requests, bytes, missed_requests, fetched; /* fetched: lines from memory */
	double ticks;                                       /* of the link */
} asked;

static double link_bytes(uint64_t bytes, uint64_t largest)
{
	uint64_t size = largest;

	while (size / 2 >= bytes && size > largest / 4)
		size /= 2;
	return (double)size;
}

static void one_request(ask_memory *m, asked *a, bool write, uint64_t address, uint64_t bytes, double rate)
{
	const asc_machine *machine = m->machine;
	uint64_t largest = (uint64_t)(write ? machine->mte3_packet_bytes : machine->mte2_packet_bytes);
	uint64_t number = MIN(address / m->line, m->lines - 1);
	bool hit = m->touched[number] && m->misses - m->touched[number] < m->capacity;
	double ticks = link_bytes(bytes, largest) / rate;

	if (!hit) {
		m->misses++;
		a->missed_requests++;
		/* A write of a whole line reads nothing. */
		a->fetched += !write || bytes < m->line;
		ticks = MAX(ticks, (double)(write ? machine->mte3_packet_cycles : machine->mte2_packet_cycles));
	}
	m->touched[number] = m->misses;
	a->ticks += ticks;
	a->requests++;
	a->bytes += bytes;
}

static void one_burst(ask_memory *m, asked *a, bool write, uint64_t address, uint64_t bytes, double rate)
{
	uint64_t largest = (uint64_t)(write ? m->machine->mte3_packet_bytes : m->machine->mte2_packet_bytes);

	while (bytes) {
		uint64_t piece = MIN(bytes, largest), head = m->line - address % m->line;

		if (head < piece) {
			one_request(m, a, write, address, head, rate);
			one_request(m, a, write, address + head, piece - head, rate);
		} else {
			one_request(m, a, write, address, piece, rate);
		}
		address += piece;
		bytes -= piece;
	}
}

static asked ask(ask_memory *m, bool write, const ask_bursts *b, double rate)
{
	enum { MERGED = 8 };
	uint64_t largest = (uint64_t)(write ? m->machine->mte3_packet_bytes : m->machine->mte2_packet_bytes);
	asked a = {.requests = 0};

	for (uint64_t i = 0; i < b->count;) {
		uint64_t merged = b->pitch == b->bytes && b->bytes < largest ? MIN(b->count - i, MERGED) : 1;

		one_burst(m, &a, write, b->address + i * b->pitch, b->bytes * merged, rate);
		i += merged;
	}
	return a;
}

/* When request number BACK before the last of all so far came back. */
static double returned(const ask_link *l, uint64_t back)
{
	for (unsigned i = 0; i < MIN(l->flights, ASK_FLIGHTS); i++) {
		unsigned at = (l->flights - 1 - i) % ASK_FLIGHTS;
		uint64_t n = l->flight[at].requests;

		if (back < n)
			return l->flight[at].last -
			       (l->flight[at].last - l->flight[at].first) * (double)back / (double)MAX(n, 1);
		back -= n;
	}
	return 0;
}

ask_times ask_memory_copy(ask_memory *m, ask_link *link, bool write, const ask_bursts *bursts, double at, double rate,
                          double latency)
{
	const asc_machine *machine = m->machine;
	asked a = ask(m, write, bursts, rate);
	uint64_t limit = (uint64_t)machine->mte2_outstanding;
	double first, last, answer = write ? 0 : (double)machine->l2_hit_cycles, served, came = 0;
	ask_times t = {.start = at};

	/* The first request waits for a place among those in flight. */
	at = MAX(at, returned(link, limit - 1));
	served = flow(&m->all, at, (double)a.bytes, rate);
	if (!write)
		came = flow(&m->read, at, (double)a.bytes, rate);
	served = MAX(served, came);
	if (a.fetched) {
		came = flow(&m->behind, at, (double)(a.fetched * m->line), rate) + (double)machine->hbm_miss_cycles;
		if (!write)
			served = MAX(served, came);
	}
	first = MAX(link->free, at + answer);
	last = MAX(first + a.ticks, served + answer);
	link->free = last;
	link->flight[link->flights % ASK_FLIGHTS].first = first + latency;
	link->flight[link->flights % ASK_FLIGHTS].last = last + latency;
	link->flight[link->flights % ASK_FLIGHTS].requests = a.requests;
	link->flights++;
	t.done = last + latency;
	if (write)
		t.free = last;
	else
		t.free = MAX(at + (double)a.requests, returned(link, limit));
	return t;
}
