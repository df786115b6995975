/* SPDX-License-Identifier: Apache-2.0
 *
 * Closed loop: as many streams as a group has lanes, each with one request outstanding.  A cycle: every bank with
 * waiting streams and a free port grants one of them (as many as it has free ports) by priority; then the granted
 * streams present their next requests, which wait from the next cycle on.
 * Waiting streams of a bank are a bit mask, banks with waiting streams a list, so a grant costs the same whatever the
 * numbers of banks and (up to 64 a word) streams.
 *
 * A group with more lanes than those before it begins new streams, in the cycle in which the first stream reaches it:
 * the result does not depend on how groups come in batches.
 *
 * Streams drift apart, so groups that not all lanes have taken are kept; beyond the lookahead a stream that has none
 * left waits for the slowest (lookahead_limited).  Time stands still while a stream waits for the next batch.
 */
#include "bank/model_int.h"

#include <string.h>

enum { SEEN = 1, CONFLICT = 2 };

typedef struct stream {
	uint64_t group;     /* of its next request */
	uint64_t presented; /* in this cycle */
	uint16_t bank;
	bool waiting; /* presented, not granted; else it has no group left that is here */
} stream;

/* The request granted last by a bank's side or a bank group's slot: whom a waiting one waits for. */
typedef struct holder {
	uint64_t block, group;
	unsigned lane, bank;
} holder;

struct bank_closed {
	bank_run *run;
	uint64_t cycle;
	uint64_t limit;              /* accesses kept */
	unsigned streams, presented; /* begun so far; of which have presented their first request */
	unsigned widest;             /* group of those here */
	unsigned idle;               /* streams that are not waiting */
	stream *stream;
	/* Groups first .. first + groups - 1 are here. */
	uint64_t first, groups;
	GArray *start, *banks, *blocks, *kinds, *flags;
	bool blocks_kept; /* until the first conflict is noted */
	bool even;        /* all groups are of `streams` lanes, all present: places are products */
	bool writes;      /* some access is a write: kinds are kept */
	uint64_t last_grant;
	/* Waiting streams of each bank. */
	unsigned words;
	uint64_t *mask;   /* [bank][word] */
	bool counting;    /* this cycle is measured */
	bool whole;       /* there is no warm-up and no end: all groups count */
	unsigned *next;   /* round robin, [bank]: stream that the scan begins with; rotating: NULL */
	unsigned turn;    /* rotating: that stream in this cycle */
	uint16_t *active; /* banks whose mask is not empty */
	unsigned active_count;
	uint64_t *port_free;  /* [bank][side][port] when service is long, ports are several, or there are rules */
	uint64_t *group_free; /* [group][kind] */
	holder *bank_holder;  /* [bank][side], kept as long as blocks are */
	holder *group_holder; /* [group][kind] */
	unsigned *granted;
	unsigned granted_count;
};

bank_closed *bank_closed_new(bank_run *run)
{
	bank_closed *c = g_new0(bank_closed, 1);
	const bank_options *o = &run->options;

	c->run = run;
	c->limit = o->lookahead_accesses ? o->lookahead_accesses : BANK_CLOSED_LOOKAHEAD_ACCESSES;
	c->start = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	c->banks = g_array_new(FALSE, FALSE, sizeof(uint16_t));
	c->blocks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	c->kinds = g_array_new(FALSE, TRUE, sizeof(uint8_t));
	c->flags = g_array_new(FALSE, TRUE, sizeof(uint8_t));
	c->blocks_kept = true;
	c->even = !o->merge;
	c->next = o->priority == BANK_ROUND_ROBIN ? g_new0(unsigned, run->room) : NULL;
	c->whole = !o->warmup_cycles && !o->measure_cycles;
	c->active = g_new(uint16_t, run->room);
	c->bank_holder = g_new0(holder, (size_t)run->room * 2);
	c->group_holder = g_new0(holder, (size_t)MAX(o->groups, 1) * 2);
	if (run->rules) {
		c->port_free = g_new0(uint64_t, (size_t)run->room * 2 * o->ports);
		c->group_free = g_new0(uint64_t, (size_t)MAX(o->groups, 1) * 2);
	}
	return c;
}

void bank_closed_free(bank_closed *c)
{
	if (!c)
		return;
	g_free(c->stream);
	g_array_free(c->start, TRUE);
	g_array_free(c->banks, TRUE);
	g_array_free(c->blocks, TRUE);
	g_array_free(c->kinds, TRUE);
	g_array_free(c->flags, TRUE);
	g_free(c->mask);
	g_free(c->next);
	g_free(c->active);
	g_free(c->port_free);
	g_free(c->group_free);
	g_free(c->bank_holder);
	g_free(c->group_holder);
	g_free(c->granted);
	g_free(c);
}

static bool measuring(const bank_closed *c)
{
	const bank_options *o = &c->run->options;

	return c->cycle >= o->warmup_cycles && (!o->measure_cycles || c->cycle < o->warmup_cycles + o->measure_cycles);
}

bool bank_closed_done(const bank_closed *c)
{
	const bank_options *o = &c->run->options;

	return o->measure_cycles && c->cycle >= o->warmup_cycles + o->measure_cycles;
}

/* Where request GROUP of stream LANE stands in the arrays. */
static inline size_t place(const bank_closed *c, uint64_t group, unsigned lane)
{
	size_t g = (size_t)(group - c->first);

	if (c->even)
		return g * c->streams + lane;
	return (size_t)(g_array_index(c->start, uint64_t, g) - g_array_index(c->start, uint64_t, 0)) + lane;
}

static size_t lanes_of(const bank_closed *c, uint64_t group)
{
	size_t g = (size_t)(group - c->first);

	return (size_t)(g_array_index(c->start, uint64_t, g + 1) - g_array_index(c->start, uint64_t, g));
}

static inline bool empty_mask(const bank_closed *c, unsigned bank)
{
	for (unsigned w = 0; w < c->words; w++)
		if (c->mask[(size_t)bank * c->words + w])
			return false;
	return true;
}

static inline void wait_for(bank_closed *c, unsigned lane, unsigned bank)
{
	uint64_t *mask = c->mask + (size_t)bank * c->words;

	if (empty_mask(c, bank))
		c->active[c->active_count++] = (uint16_t)bank;
	mask[lane / 64] |= UINT64_C(1) << lane % 64;
}

/* GROUP has been reached: its lanes are streams from now on. */
static void reach(bank_closed *c, uint64_t group)
{
	unsigned streams = (unsigned)lanes_of(c, group);
	unsigned words = (streams + 63) / 64;
	uint64_t *mask;

	if (streams <= c->streams)
		return;
	if (words > c->words) {
		mask = g_new0(uint64_t, (size_t)c->run->room * words);
		for (size_t b = 0; c->words && b < c->run->room; b++)
			memcpy(mask + b * words, c->mask + b * c->words, c->words * sizeof *mask);
		g_free(c->mask);
		c->mask = mask;
		c->words = words;
	}
	c->stream = g_renew(stream, c->stream, streams);
	c->granted = g_renew(unsigned, c->granted, streams);
	for (; c->streams < streams; c->streams++, c->idle++)
		c->stream[c->streams] = (stream){.group = group};
}

/* Presents the next request of stream LANE in cycle CYCLE, when its group is here. */
static inline bool present(bank_closed *c, unsigned lane, uint64_t cycle)
{
	stream *s = &c->stream[lane];

	for (; s->group < c->first + c->groups; s->group++) {
		uint16_t bank;

		if (!c->even) {
			reach(c, s->group);
			s = &c->stream[lane];
			if (lane >= lanes_of(c, s->group))
				continue;
		}
		bank = g_array_index(c->banks, uint16_t, place(c, s->group, lane));
		if (bank == BANK_ABSENT)
			continue;
		s->presented = cycle;
		s->bank = bank;
		s->waiting = true;
		wait_for(c, lane, bank);
		return true;
	}
	s->waiting = false;
	return false;
}

/* Streams that have begun present their first requests, by which more may begin. */
static void present_new(bank_closed *c)
{
	for (; c->presented < c->streams; c->presented++)
		if (present(c, c->presented, c->cycle))
			c->idle--;
}

/* The waiting stream of BANK that priority favours. */
static inline unsigned favoured(const bank_closed *c, unsigned bank)
{
	const uint64_t *mask = c->mask + (size_t)bank * c->words;
	unsigned from = c->next ? c->next[bank] : c->turn;
	unsigned w = from / 64;
	uint64_t bits = w < c->words ? mask[w] & UINT64_MAX << from % 64 : 0;

	while (!bits) {
		w = w + 1 >= c->words ? 0 : w + 1;
		bits = mask[w];
	}
	return w * 64 + (unsigned)__builtin_ctzll(bits);
}

/* Notes the first conflict: stream LANE waits for what HELD holds. */
static void note_first(bank_closed *c, unsigned lane, const holder *held)
{
	bank_result *r = c->run->result;
	const stream *late = &c->stream[lane];
	size_t start = place(c, late->group, 0);

	r->first_group = late->group;
	r->first_other_group = held->group;
	r->first_bank = late->bank;
	r->first_other_bank = held->bank;
	r->first_lane[0] = held->lane;
	r->first_lane[1] = lane;
	r->first_block[0] = held->block;
	r->first_block[1] = g_array_index(c->blocks, uint64_t, place(c, late->group, lane));
	r->first_is_progression = bank_progression(&g_array_index(c->blocks, uint64_t, start), lanes_of(c, late->group),
	                                           &r->first_stride);
	c->blocks_kept = false;
	g_array_set_size(c->blocks, 0);
}

/* Remembers that stream LANE, which is granted, holds its bank and the slot of its bank group. */
static void hold(bank_closed *c, unsigned lane, unsigned kind)
{
	const bank_options *o = &c->run->options;
	const stream *s = &c->stream[lane];
	holder now = {g_array_index(c->blocks, uint64_t, place(c, s->group, lane)), s->group, lane, s->bank};

	c->bank_holder[(size_t)s->bank * 2 + (o->separate ? kind : 0)] = now;
	c->group_holder[o->groups ? s->bank % o->groups * 2 + kind : 0] = now;
}

/* Counts the grant of stream LANE in this cycle. */
static inline void count_grant(bank_closed *c, unsigned lane, unsigned kind)
{
	const stream *s = &c->stream[lane];
	bank_result *r = c->run->result;
	uint64_t delay = c->cycle - s->presented;

	r->requests++;
	r->bank_requests[s->bank]++;
	r->delay_sum_cycles += delay;
	bank_delays_add(&c->run->delays, delay);
	if (kind) {
		r->kind_requests[1]++;
		r->kind_delayed[1] += delay > 0;
	}
	if (delay || !c->whole) {
		uint8_t *flag = &g_array_index(c->flags, uint8_t, (size_t)(s->group - c->first));

		r->groups += !(*flag & SEEN);
		r->conflict_groups += delay && !(*flag & CONFLICT);
		*flag |= (uint8_t)(SEEN | (delay ? CONFLICT : 0));
	}
	if (c->run->window)
		bank_window_add(c->run->window, &s->bank, 1);
}

static inline unsigned kind_of(const bank_closed *c, unsigned lane)
{
	return c->writes ? g_array_index(c->kinds, uint8_t, place(c, c->stream[lane].group, lane)) & BANK_WRITE : 0;
}

static inline void grant(bank_closed *c, unsigned lane)
{
	unsigned bank = c->stream[lane].bank;

	c->mask[(size_t)bank * c->words + lane / 64] &= ~(UINT64_C(1) << lane % 64);
	if (c->next)
		c->next[bank] = lane + 1;
	c->granted[c->granted_count++] = lane;
	if (G_UNLIKELY(c->blocks_kept))
		hold(c, lane, kind_of(c, lane));
	if (c->counting)
		count_grant(c, lane, kind_of(c, lane));
}

/* A port of a bank's side that is free in this cycle, or NULL. */
static uint64_t *free_port(bank_closed *c, unsigned bank, unsigned side)
{
	uint64_t *ports = c->port_free + ((size_t)bank * 2 + side) * c->run->options.ports;

	for (unsigned p = 0; p < c->run->options.ports; p++)
		if (ports[p] <= c->cycle)
			return &ports[p];
	return NULL;
}

/* Banks do not depend on one another: each grants for itself. */
static void grant_banks(bank_closed *c)
{
	bool ports = c->port_free != NULL;
	uint64_t busy = c->run->options.busy_cycles;

	for (unsigned a = 0; a < c->active_count;) {
		unsigned bank = c->active[a];

		if (!ports) {
			grant(c, favoured(c, bank));
		} else {
			uint64_t *port;

			while (!empty_mask(c, bank) && (port = free_port(c, bank, 0)) != NULL) {
				*port = c->cycle + busy;
				grant(c, favoured(c, bank));
			}
		}
		if (!empty_mask(c, bank)) {
			if (c->blocks_kept)
				note_first(c, favoured(c, bank), &c->bank_holder[(size_t)bank * 2]);
			a++;
		} else {
			c->active[a] = c->active[--c->active_count];
		}
	}
}

/* Bank groups or separate ports tie banks and kinds together: streams are tried in turn, from one further each cycle.
 */
static void grant_in_turn(bank_closed *c)
{
	const bank_options *o = &c->run->options;

	for (unsigned i = 0; i < c->streams; i++) {
		unsigned lane = (c->turn + i) % c->streams;
		const stream *s = &c->stream[lane];
		uint64_t *slot;
		uint64_t *port;
		unsigned kind;

		if (!s->waiting)
			continue;
		kind = kind_of(c, lane);
		slot = &c->group_free[o->groups ? s->bank % o->groups * 2 + kind : 0];
		port = free_port(c, s->bank, o->separate ? kind : 0);
		if (!port || (o->groups && *slot > c->cycle)) {
			if (c->blocks_kept)
				note_first(c, lane,
				           port ? &c->group_holder[slot - c->group_free]
				                : &c->bank_holder[(size_t)s->bank * 2 + (o->separate ? kind : 0)]);
			continue;
		}
		*port = *slot = c->cycle + o->busy_cycles;
		grant(c, lane);
	}
	for (unsigned a = 0; a < c->active_count;)
		if (empty_mask(c, c->active[a]))
			c->active[a] = c->active[--c->active_count];
		else
			a++;
}

static void one_cycle(bank_closed *c)
{
	c->granted_count = 0;
	c->counting = measuring(c);
	c->turn = (unsigned)(c->cycle % c->streams);
	if (c->run->ideal_map) {
		for (unsigned lane = 0; lane < c->streams; lane++)
			if (c->stream[lane].waiting)
				grant(c, lane);
		c->active_count = 0;
	} else if (c->run->options.groups || c->run->options.separate) {
		grant_in_turn(c);
	} else {
		grant_banks(c);
	}
	if (c->counting && c->granted_count)
		c->last_grant = c->cycle;
	c->cycle++;
	for (unsigned i = 0; i < c->granted_count; i++) {
		c->stream[c->granted[i]].group++;
		if (!present(c, c->granted[i], c->cycle))
			c->idle++;
	}
	present_new(c);
}

/* Forgets groups that all streams have taken. */
static void forget(bank_closed *c)
{
	uint64_t oldest = c->first + c->groups;
	size_t groups, accesses;

	for (unsigned lane = 0; lane < c->streams; lane++)
		oldest = MIN(oldest, c->stream[lane].group);
	groups = (size_t)(oldest - c->first);
	if (!groups || groups < c->groups / 2)
		return;
	accesses = place(c, oldest, 0);
	g_array_remove_range(c->start, 0, (guint)groups);
	g_array_remove_range(c->flags, 0, (guint)groups);
	if (accesses) {
		g_array_remove_range(c->banks, 0, (guint)accesses);
		if (c->writes)
			g_array_remove_range(c->kinds, 0, (guint)accesses);
		if (c->blocks_kept)
			g_array_remove_range(c->blocks, 0, (guint)accesses);
	}
	c->first = oldest;
	c->groups -= groups;
}

/* Cycles go on while every stream has a request; and, with more groups here than may be kept, while any has. */
static void run_cycles(bank_closed *c, bool to_the_end)
{
	while (!bank_closed_done(c) && c->idle < c->streams) {
		if (c->idle && !to_the_end) {
			if (c->banks->len <= c->limit)
				return;
			forget(c);
			if (c->banks->len <= c->limit)
				return;
			c->run->result->lookahead_limited = true;
		}
		one_cycle(c);
	}
}

/* Kinds are kept from the first write on. */
static void append_kinds(bank_closed *c, const bank_mapped *m, size_t count)
{
	for (size_t i = 0; m->kinds && !c->writes && i < count; i++)
		c->writes = m->kinds[i] & BANK_WRITE;
	if (!c->writes)
		return;
	g_array_set_size(c->kinds, c->banks->len);
	for (size_t i = 0; m->kinds && i < count; i++)
		g_array_index(c->kinds, uint8_t, c->banks->len - count + i) = m->kinds[i];
}

static void append(bank_closed *c, const bank_mapped *m)
{
	size_t count = m->start[m->groups];
	uint64_t base = c->start->len ? g_array_index(c->start, uint64_t, c->start->len - 1) : 0;

	if (!c->start->len)
		g_array_append_val(c->start, base);
	for (size_t g = 0; g < m->groups; g++) {
		uint64_t end = base + m->start[g + 1];

		if (c->first + c->groups + g)
			c->even &= m->start[g + 1] - m->start[g] == c->widest;
		c->run->idle_groups += m->start[g + 1] == m->start[g];
		c->widest = MAX(c->widest, m->start[g + 1] - m->start[g]);
		g_array_append_val(c->start, end);
	}
	g_array_append_vals(c->banks, m->banks, (guint)count);
	g_array_set_size(c->flags, c->flags->len + (guint)m->groups);
	if (c->blocks_kept)
		g_array_append_vals(c->blocks, m->blocks, (guint)count);
	append_kinds(c, m, count);
	c->groups += m->groups;
}

void bank_closed_push(bank_run *run, const bank_mapped *m)
{
	bank_closed *c = run->closed;

	forget(c);
	append(c, m);
	for (uint64_t g = c->first; !c->streams && g < c->first + c->groups; g++)
		reach(c, g);
	for (unsigned lane = 0; lane < c->presented; lane++)
		if (!c->stream[lane].waiting && present(c, lane, c->cycle))
			c->idle--;
	present_new(c);
	run_cycles(c, false);
}

bool bank_closed_end(bank_run *run, GError **error)
{
	bank_closed *c = run->closed;
	const bank_options *o = &run->options;
	bank_result *r = run->result;

	run_cycles(c, true);
	r->streams = c->streams;
	if (c->whole)
		r->groups = c->first + c->groups;
	if (o->warmup_cycles && c->cycle <= o->warmup_cycles) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "closed model: the stream ends after %" G_GUINT64_FORMAT
		            " cycles, within the warm-up of %" G_GUINT64_FORMAT,
		            c->cycle, o->warmup_cycles);
		return false;
	}
	if (o->measure_cycles) {
		r->cycles = MIN(c->cycle - o->warmup_cycles, o->measure_cycles);
	} else if (r->requests) {
		r->cycles = c->last_grant + o->busy_cycles - o->warmup_cycles;
	}
	r->ideal_cycles = o->measure_cycles || o->warmup_cycles ? (r->requests + c->streams - 1) / MAX(c->streams, 1)
	                                                        : c->first + c->groups;
	if (o->measure_cycles)
		r->slowdown = r->requests ? (double)r->cycles * c->streams / (double)r->requests : 1;
	return true;
}
