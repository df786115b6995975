/* SPDX-License-Identifier: Apache-2.0
 *
 * The three models, cycle by cycle, with every request in a list.
 *
 * A memory is ports that are busy until a cycle, for each bank and kind (one kind unless ports are separate), and for
 * each bank group and kind a cycle until which it is busy.  A request may start in a cycle when
 *   its bank has a port that is free in this cycle and not wanted by an earlier request that still waits, and
 *   its bank group is not busy with another of its kind, nor wanted by an earlier one that still waits.
 * In lockstep the list is one group's; in fifo group t joins the list in cycle t; in closed the list is the request
 * that each stream has outstanding, in the order of priority, and none blocks another by only waiting.
 */
#include "tests/bank/oracle.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
	const oracle_options *options;
	unsigned banks;
	uint64_t *port_free;  /* first cycle in which the port is free: [bank][kind][port] */
	uint64_t *group_free; /* the same of a bank group: [group][kind] */
} memory;

typedef struct waiting {
	size_t access; /* index into the accesses */
	unsigned bank;
	unsigned port_kind, group_kind;
	uint64_t since;
} waiting;

static void memory_init(memory *m, const oracle_options *options, unsigned banks)
{
	m->options = options;
	m->banks = banks;
	m->port_free = g_new0(uint64_t, (size_t)banks * 2 * options->ports);
	m->group_free = g_new0(uint64_t, (size_t)(options->groups ? options->groups : 1) * 2);
}

static void memory_clear(memory *m)
{
	g_free(m->port_free);
	g_free(m->group_free);
}

static uint64_t *ports_of(const memory *m, const waiting *w)
{
	return m->port_free + ((size_t)w->bank * 2 + w->port_kind) * m->options->ports;
}

static unsigned free_ports(const memory *m, const waiting *w, uint64_t cycle)
{
	unsigned free = 0;

	for (unsigned i = 0; i < m->options->ports; i++)
		free += ports_of(m, w)[i] <= cycle;
	return free;
}

static uint64_t *group_of(const memory *m, const waiting *w)
{
	return m->group_free + w->bank % m->options->groups * 2 + w->group_kind;
}

static void start(memory *m, const waiting *w, uint64_t cycle)
{
	uint64_t *ports = ports_of(m, w);

	for (unsigned i = 0; i < m->options->ports; i++)
		if (ports[i] <= cycle) {
			ports[i] = cycle + m->options->busy;
			break;
		}
	if (m->options->groups)
		*group_of(m, w) = cycle + m->options->busy;
}

/* Starts what can start of the list in CYCLE; a request waits behind the earlier ones of its bank and kind that still
 * wait, and of its bank group and kind.  Started ones get their delay and leave the list. */
static void start_in_order(memory *m, GArray *list, uint64_t cycle, uint64_t *delays)
{
	unsigned groups = m->options->groups;
	unsigned *bank_waits = g_new0(unsigned, (size_t)m->banks * 2); /* of those in the list before this one */
	unsigned *group_waits = g_new0(unsigned, ((size_t)groups + 1) * 2);
	guint kept = 0;

	for (guint i = 0; i < list->len; i++) {
		waiting w = g_array_index(list, waiting, i);
		unsigned *before = &bank_waits[w.bank * 2 + w.port_kind];
		unsigned *group_before = &group_waits[groups ? w.bank % groups * 2 + w.group_kind : 0];
		bool group_taken = groups && (*group_before || *group_of(m, &w) > cycle);

		if (free_ports(m, &w, cycle) > *before && !group_taken) {
			start(m, &w, cycle);
			delays[w.access] = cycle - w.since;
		} else {
			g_array_index(list, waiting, kept++) = w;
			++*before;
			++*group_before;
		}
	}
	g_array_set_size(list, kept);
	g_free(bank_waits);
	g_free(group_waits);
}

static waiting waiting_for(const oracle_map *map, const oracle_options *o, const oracle_access *a, size_t i,
                           uint64_t since)
{
	waiting w = {.access = i, .since = since, .bank = oracle_bank(map, a[i].block)};

	if (map->family == ORACLE_IDEAL)
		w.bank = (unsigned)i;

	w.port_kind = o->separate && a[i].write;
	w.group_kind = a[i].write;
	return w;
}

static uint64_t ceiling(uint64_t n, uint64_t d)
{
	return (n + d - 1) / d;
}

/* Beats of accesses A[first .. last - 1] on a memory in which no two meet that need not. */
static uint64_t ideal_beats(const oracle_map *map, const oracle_options *o, const oracle_access *a, size_t first,
                            size_t last)
{
	uint64_t kinds[2] = {0, 0}, all = last - first, beats;

	if (map->family == ORACLE_IDEAL)
		return o->busy;
	for (size_t i = first; i < last; i++)
		kinds[a[i].write]++;
	if (o->separate)
		beats = MAX(ceiling(kinds[0], (uint64_t)o->banks * o->ports),
		            ceiling(kinds[1], (uint64_t)o->banks * o->ports)) *
		        o->busy;
	else
		beats = ceiling(all, (uint64_t)o->banks * o->ports) * o->busy;
	if (o->groups) {
		uint64_t groups = MIN(o->groups, o->banks);

		beats = MAX(beats, MAX(ceiling(kinds[0], groups), ceiling(kinds[1], groups)) * o->busy);
	}
	return beats;
}

static void lockstep(const oracle_map *map, memory *m, const oracle_access *a, size_t count, uint64_t *delays,
                     oracle_result *r)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(waiting));
	uint64_t now = 0;

	for (size_t first = 0, last; first < count; first = last) {
		uint64_t begin = now, end = now, ideal;

		for (last = first; last < count && a[last].group == a[first].group; last++) {
			waiting w = waiting_for(map, m->options, a, last, begin);

			g_array_append_val(list, w);
		}
		for (; list->len; now++)
			start_in_order(m, list, now, delays);
		for (size_t i = first; i < last; i++)
			end = MAX(end, begin + delays[i] + m->options->busy);
		ideal = ideal_beats(map, m->options, a, first, last);
		r->conflict_groups += end - begin > ideal;
		r->ideal_cycles += ideal;
		now = end;
	}
	r->cycles = now;
	g_array_free(list, TRUE);
}

static void fifo(const oracle_map *map, memory *m, const oracle_access *a, size_t count, uint64_t *delays,
                 oracle_result *r)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(waiting));

	for (size_t next = 0, now = 0; next < count || list->len; now++) {
		for (; next < count && a[next].group == now; next++) {
			waiting w = waiting_for(map, m->options, a, next, now);

			g_array_append_val(list, w);
		}
		start_in_order(m, list, now, delays);
	}
	for (size_t first = 0, last; first < count; first = last) {
		uint64_t longest = 0;

		for (last = first; last < count && a[last].group == a[first].group; last++)
			longest = MAX(longest, delays[last]);
		r->conflict_groups += longest + m->options->busy > ideal_beats(map, m->options, a, first, last);
		r->cycles = MAX(r->cycles, a[first].group + longest + m->options->busy);
	}
	r->ideal_cycles = r->groups;
	g_array_free(list, TRUE);
}

typedef struct stream {
	size_t next; /* access outstanding, COUNT when there is none */
	uint64_t since;
} stream;

typedef struct loop {
	const oracle_access *a;
	size_t count, groups;
	unsigned *width; /* lanes of each group before merging */
	stream *s;
	unsigned begun; /* streams */
	size_t reached; /* groups 0 .. reached - 1 have been looked at by some stream */
} loop;

/* Stream LANE presents, in cycle NOW, its first access in groups FROM and later. */
static void present(loop *l, unsigned lane, size_t from, uint64_t now)
{
	size_t i = 0;

	while (i < l->count && (l->a[i].lane != lane || l->a[i].group < from))
		i++;
	l->s[lane] = (stream){.next = i, .since = now};
	l->reached = MAX(l->reached, i < l->count ? l->a[i].group + 1 : l->groups);
}

/* All lanes of groups that have been reached are streams, those of later groups are not yet. */
static void begin_reached(loop *l, uint64_t now)
{
	for (size_t group = 0; group < l->reached; group++)
		while (l->begun < l->width[group])
			present(l, l->begun++, group, now);
}

static bool can_start(const memory *m, const waiting *w, uint64_t now)
{
	return free_ports(m, w, now) && !(m->options->groups && *group_of(m, w) > now);
}

/* In each cycle banks choose among the streams that wait for them, of those begun: the first from stream
 * NOW mod k, or round robin from the one after the last granted.  One pass over all banks, or, when bank groups or
 * kinds tie the choices of banks together, one pass over all streams. */
static void closed(const oracle_map *map, memory *m, const oracle_access *a, size_t count, unsigned *width,
                   uint64_t *delays, bool *counted, oracle_result *r)
{
	const oracle_options *o = m->options;
	unsigned lanes = 0, banks = o->separate || o->groups ? 1 : m->banks;
	unsigned *first = g_new0(unsigned, banks); /* round robin */
	size_t left = count;
	loop l = {.a = a, .count = count, .groups = r->groups, .width = width, .reached = 1};

	for (size_t group = 0; group < r->groups; group++)
		lanes = MAX(lanes, width[group]);
	l.s = g_new0(stream, lanes);
	begin_reached(&l, 0);
	for (uint64_t now = 0; left && !(o->measure && now >= o->warmup + o->measure); now++) {
		size_t *done = g_new(size_t, lanes);
		waiting *want = g_new0(waiting, lanes);
		unsigned streams = l.begun;

		for (unsigned i = 0; i < streams; i++) {
			done[i] = SIZE_MAX;
			if (l.s[i].next < count)
				want[i] = waiting_for(map, o, a, l.s[i].next, l.s[i].since);
		}
		for (unsigned bank = 0; bank < banks; bank++) {
			unsigned from = o->round_robin ? first[bank] : (unsigned)(now % streams);

			for (unsigned i = 0; i < streams; i++) {
				unsigned j = (from + i) % streams;
				waiting w = want[j];

				if (l.s[j].next >= count || done[j] != SIZE_MAX)
					continue;
				if ((banks > 1 && w.bank != bank) || !can_start(m, &w, now))
					continue;
				start(m, &w, now);
				delays[w.access] = now - w.since;
				counted[w.access] = now >= o->warmup;
				r->cycles = MAX(r->cycles, now + o->busy);
				done[j] = w.access;
				first[bank] = j + 1;
				left--;
			}
		}
		for (unsigned j = 0; j < streams; j++)
			if (done[j] != SIZE_MAX)
				present(&l, j, a[done[j]].group + 1, now + 1);
		begin_reached(&l, now + 1);
		g_free(done);
		g_free(want);
	}
	r->ideal_cycles = r->groups;
	g_free(first);
	g_free(l.s);
}

/* Keeps the first access of a group to a block, of each kind. */
static size_t merged(const oracle_access *a, size_t count, oracle_access *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= a[j].group == a[i].group && a[j].block == a[i].block && a[j].write == a[i].write;
		if (!again)
			out[kept++] = a[i];
	}
	return kept;
}

static int compare_delays(gconstpointer x, gconstpointer y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

static void measure(const oracle_map *map, const oracle_options *o, const oracle_access *a, size_t count,
                    const uint64_t *delays, const bool *counted, oracle_result *r)
{
	uint64_t *sorted = g_new(uint64_t, count + 1);
	size_t conflict_group = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		if (!counted[i])
			continue;
		sorted[r->requests++] = delays[i];
		r->delayed += delays[i] > 0;
		r->kind_requests[a[i].write]++;
		r->kind_delayed[a[i].write] += delays[i] > 0;
		r->delay_sum += delays[i];
		r->max = MAX(r->max, delays[i]);
		if (map->family != ORACLE_IDEAL)
			r->bank_requests[oracle_bank(map, a[i].block)]++;
		if (o->model == ORACLE_CLOSED && delays[i] && conflict_group != a[i].group) {
			conflict_group = a[i].group;
			r->conflict_groups++;
		}
	}
	qsort(sorted, r->requests, sizeof(*sorted), compare_delays);
	if (r->requests)
		r->p99 = sorted[(r->requests * 99 + 99) / 100 - 1];
	g_free(sorted);
}

void oracle_evaluate(const oracle_map *map, const oracle_options *o, const oracle_access *accesses, size_t count,
                     unsigned bank_limit, oracle_result *r)
{
	oracle_access *a = g_memdup2(accesses, count * sizeof(*accesses));
	uint64_t *delays = g_new0(uint64_t, count);
	bool *counted = g_new0(bool, count);
	size_t accesses_count = count;
	unsigned *width;
	oracle_options ideal = *o;
	memory m;

	*r = (oracle_result){.bank_requests = g_new0(uint64_t, bank_limit)};
	if (map->family == ORACLE_IDEAL)
		bank_limit = (unsigned)count; /* each access has a bank to itself, and no bank group */
	if (map->family == ORACLE_IDEAL) {
		ideal.groups = 0;
		o = &ideal;
	}
	if (o->merge)
		count = merged(accesses, count, a);
	r->groups = count ? a[count - 1].group + 1 : 0;
	width = g_new0(unsigned, r->groups);
	for (size_t i = 0; i < accesses_count; i++)
		width[accesses[i].group] = accesses[i].lane + 1;
	memory_init(&m, o, bank_limit);
	if (o->model == ORACLE_CLOSED) {
		closed(map, &m, a, count, width, delays, counted, r);
	} else {
		memset(counted, true, count * sizeof(*counted));
		(o->model == ORACLE_FIFO ? fifo : lockstep)(map, &m, a, count, delays, r);
	}
	measure(map, o, a, count, delays, counted, r);
	memory_clear(&m);
	g_free(a);
	g_free(delays);
	g_free(counted);
	g_free(width);
}

void oracle_result_clear(oracle_result *r)
{
	g_free(r->bank_requests);
	*r = (oracle_result){0};
}
