/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the timing models: a run, the histogram of delays, and the loop that lockstep and fifo share.  Both serve
 * requests in order of group and lane from one queue a bank; they differ only in when a group arrives (lockstep: when
 * the group before has been served; fifo: a cycle after it), so `free_cycle` needs no clearing between groups.
 */
#ifndef TSPSIM_BANK_MODEL_INT_H
#define TSPSIM_BANK_MODEL_INT_H

#include "bank/model.h"

#include <glib.h>

enum { BANK_ABSENT = 0xffff /* no bank number: banks of a memory are fewer */ };

typedef struct bank_delays {
	uint64_t *count;
	size_t room;    /* entries of count */
	uint64_t *tail; /* delays of BANK_DELAYS_EXACT and more: 12 bits after the leading one; NULL until needed */
	uint64_t tail_requests;
	uint64_t max;
} bank_delays;

void bank_delays_init(bank_delays *delays);
void bank_delays_clear(bank_delays *delays);
void bank_delays_add_slow(bank_delays *delays, uint64_t delay);
/* The delay of the request of this RANK (from 1) in ascending order; *EXACT is false where it is rounded up. */
uint64_t bank_delays_rank(const bank_delays *delays, uint64_t rank, bool *exact);

static inline void bank_delays_add(bank_delays *delays, uint64_t delay)
{
	if (G_LIKELY(delay < delays->room))
		delays->count[delay]++;
	else
		bank_delays_add_slow(delays, delay);
}

typedef struct bank_window bank_window;
typedef struct bank_rules bank_rules;
typedef struct bank_closed bank_closed;

/* A batch after merging and mapping.  Lanes that merging took away are BANK_ABSENT in the closed model and are left out
 * in the others. */
typedef struct bank_mapped {
	size_t groups;
	const uint32_t *start;
	const uint64_t *blocks;
	const uint8_t *kinds;  /* NULL: all are reads */
	const uint32_t *lanes; /* of each request in its group; NULL: its place */
	const uint16_t *banks;
} bank_mapped;

struct bank_run {
	bank_options options;
	unsigned memory_banks; /* for the ideal */
	unsigned room;         /* bank numbers are below */
	bool ideal_map;
	bank_result *result;  /* counters, filled as we go */
	uint64_t arrival;     /* of the next group */
	uint64_t idle_groups; /* groups without accesses */
	uint64_t last;        /* fifo: the last cycle of service + 1 */
	uint64_t *free_cycle; /* of each bank: when it can start another request */
	bank_delays delays;
	bank_window *window;
	bank_rules *rules;   /* NULL: one port, no separation, no bank groups */
	bank_closed *closed; /* NULL: another model */
	uint16_t *banks;
	size_t banks_room;
	/* merging */
	uint64_t *keys;
	uint32_t *key_epochs;
	uint32_t epoch;
	size_t key_room;
	bank_batch merged;
	uint32_t *lanes;
	size_t lanes_room;
};

/* Beats of a group of REQUESTS requests, WRITES of them writes, when they are spread as well as can be. */
uint64_t bank_ideal_beats(const bank_run *run, size_t requests, size_t writes);
/* Serves one group that arrives in cycle ARRIVAL; returns the longest delay in it. */
uint64_t bank_serve_rules(bank_run *run, const bank_mapped *m, size_t group, uint64_t arrival);
bank_rules *bank_rules_new(const bank_run *run);
void bank_rules_free(bank_rules *rules);

void bank_lockstep_push(bank_run *run, const bank_mapped *m);
void bank_fifo_push(bank_run *run, const bank_mapped *m);

bank_closed *bank_closed_new(bank_run *run);
void bank_closed_push(bank_run *run, const bank_mapped *m);
bool bank_closed_done(const bank_closed *closed);
bool bank_closed_end(bank_run *run, GError **error);
void bank_closed_free(bank_closed *closed);

/* Merges same-block accesses of each group of BATCH into run->merged and run->lanes (or, with KEEP, marks them in
 * run->lanes by BANK_ABSENT and leaves them in place). */
void bank_merge(bank_run *run, const bank_batch *batch, bool keep);

/* Notes the first conflict, that of request AT of GROUP with request BEFORE of it. */
void bank_note_first(bank_run *run, const bank_mapped *m, size_t group, size_t before, size_t at);
/* The same where it is the first request that one of its group delays; nothing when a first one is noted already. */
void bank_note_group(bank_run *run, const bank_mapped *m, size_t group);
/* Is a group's sequence of COUNT blocks a progression? */
bool bank_progression(const uint64_t *blocks, size_t count, int64_t *stride);

bank_window *bank_window_new(unsigned banks, unsigned requests);
void bank_window_add(bank_window *window, const uint16_t *banks, size_t count);
void bank_window_finish(const bank_window *window, bank_result *result);
void bank_window_free(bank_window *window);

static inline unsigned bank_lane(const bank_mapped *m, size_t group, size_t at)
{
	return m->lanes ? m->lanes[at] : (unsigned)(at - m->start[group]);
}

static inline size_t bank_group_writes(const bank_mapped *m, size_t group)
{
	size_t writes = 0;

	if (m->kinds)
		for (uint32_t i = m->start[group]; i < m->start[group + 1]; i++)
			writes += m->kinds[i] & BANK_WRITE;
	return writes;
}

/* One port a bank, one cycle a request, no rules: the loop that evaluation lives in.  Returns the longest delay of the
 * group. */
static inline uint64_t bank_serve(bank_run *run, const bank_mapped *m, size_t group, uint64_t arrival)
{
	const uint16_t *banks = m->banks + m->start[group];
	size_t count = m->start[group + 1] - m->start[group];
	uint64_t *free_cycle = run->free_cycle;
	uint64_t longest = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start = MAX(free_cycle[banks[i]], arrival);
		uint64_t delay = start - arrival;

		free_cycle[banks[i]] = start + 1;
		sum += delay;
		longest = MAX(longest, delay);
		bank_delays_add(&run->delays, delay);
	}
	run->result->delay_sum_cycles += sum;
	return longest;
}

/* The same, and delayed writes are counted. */
static inline uint64_t bank_serve_kinds(bank_run *run, const bank_mapped *m, size_t group, uint64_t arrival)
{
	uint64_t longest = 0;

	for (uint32_t i = m->start[group]; i < m->start[group + 1]; i++) {
		uint64_t start = MAX(run->free_cycle[m->banks[i]], arrival);
		uint64_t delay = start - arrival;

		run->free_cycle[m->banks[i]] = start + 1;
		run->result->delay_sum_cycles += delay;
		run->result->kind_delayed[1] += delay && (m->kinds[i] & BANK_WRITE);
		longest = MAX(longest, delay);
		bank_delays_add(&run->delays, delay);
	}
	return longest;
}

#endif
