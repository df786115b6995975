/* SPDX-License-Identifier: Apache-2.0
 *
 * Three timing models of a banked memory under one bank map, and what is counted:
 *   lockstep  a group occupies the memory until its last request has been served, the next group waits; delay of a
 *             request = service cycles of earlier requests (lane order) of its group in its bank
 *   fifo      group t arrives in cycle t whatever happened before; one unbounded queue a bank; delay = start - arrival
 *   closed    lane i of successive groups is stream i with one request outstanding; a stream's next request is
 *             presented in the cycle after its grant; delay = grant - presentation.  Priority rotates (default) or
 *             each bank grants round robin; neither starves a stream.
 * A bank has `ports` ports; a request holds one for `busy_cycles`, service is pipelined when busy_cycles is 1.
 * Rules: with `separate` a bank has `ports` ports for reads and as many for writes; with `groups` N, bank b belongs to
 * bank group b mod N, and a bank group begins one read and one write at a time.  In lockstep and fifo a request starts
 * as soon as its bank and its bank group are free of earlier ones (in order of group and lane); in closed, streams are
 * tried in rotating order.
 * Not modelled: latency of the array itself (a constant that callers add), queues of finite depth.
 */
#ifndef TSPSIM_BANK_MODEL_H
#define TSPSIM_BANK_MODEL_H

#include "bank/stream.h"
#include "isa/bankmap.h"

enum bank_model { BANK_LOCKSTEP, BANK_FIFO, BANK_CLOSED, BANK_MODEL_COUNT };

/* closed: which of the streams that wait for a bank it grants. */
enum bank_priority {
	BANK_ROTATING,    /* in cycle t the first of t mod k, t mod k + 1, ..., cyclically; k streams */
	BANK_ROUND_ROBIN, /* the first after the one that the bank granted last */
	BANK_PRIORITY_COUNT
};

enum {
	BANK_DELAYS_EXACT = 1 << 22, /* delays below are counted one by one, longer ones to 1 part in 4096 */
	BANK_MAX_PORTS = 64,
	BANK_MAX_BUSY_CYCLES = 4096,
	/* closed: a stream that is this many accesses ahead of the slowest (all lanes) waits for it */
	BANK_CLOSED_LOOKAHEAD_ACCESSES = 1 << 24,
};

typedef struct bank_options {
	const bankmap *map;
	enum bank_model model;
	unsigned ports;       /* of a bank, 1 */
	unsigned busy_cycles; /* a request holds its port so long, 1 */
	bool merge;           /* accesses of a group to one block (and of one kind) count once */
	uint64_t warmup_cycles,
		measure_cycles;   /* closed: grants are counted in so many cycles after the warm-up; 0: all */
	unsigned banks;           /* of the memory, for the ideal; 0: those that the map uses */
	bool separate;            /* ports for reads and for writes */
	unsigned groups;          /* bank groups; 0: none */
	unsigned window_requests; /* windowed entropy over so many successive requests; 0: none */
	enum bank_priority priority;
	uint64_t lookahead_accesses; /* closed, 0: the constant above */
} bank_options;

/* Definitions with their denominators: docs/bank-eval.md, and beside the numbers in tools/bank_report. */
typedef struct bank_result {
	enum bank_model model;
	unsigned ports, busy_cycles; /* as evaluated */
	uint64_t accesses;           /* before merging */
	uint64_t requests, delayed;
	uint64_t kind_requests[2], kind_delayed[2]; /* reads, writes */
	uint64_t groups,
		conflict_groups; /* groups that take more than their ideal beats; closed: with a delayed request */
	uint64_t cycles,
		ideal_cycles; /* lockstep: sum of fullest banks, of ideal; fifo: last service cycle + 1, groups */
	uint64_t delay_sum_cycles, p99_delay_cycles, max_delay_cycles; /* p99 by nearest rank */
	bool p99_exact;                                                /* false: rounded up by less than 1 in 4096 */
	double slowdown;                                               /* cycles / ideal_cycles */
	double grants_per_cycle;                                       /* requests / cycles */
	bool saturated;               /* some bank is offered a service time a cycle or more */
	uint64_t saturation_requests; /* such banks have this many requests or more */
	unsigned streams;             /* closed: lanes of the longest group */
	bool lookahead_limited;       /* closed: a stream waited for the slowest */
	unsigned banks, banks_used;   /* entries of bank_requests; banks that the map uses */
	uint64_t *bank_requests;      /* owned */
	uint64_t *delays;             /* histogram of delays 0 .. delays_count - 1, the last holds the rest; owned */
	size_t delays_count;
	/* The first delayed request [1] and the one before it in its bank or bank group [0]; first_group UINT64_MAX
	 * when none. */
	uint64_t first_group, first_block[2], first_other_group;
	unsigned first_lane[2], first_bank, first_other_bank;
	bool first_is_progression; /* the blocks of its group are a progression */
	int64_t first_stride;      /* its difference */
	uint64_t windows;          /* whole windows; the entropies are of the banks of a window, in bits */
	double window_entropy_mean, window_entropy_min, window_entropy_limit; /* limit: log2(min(banks, window)) */
} bank_result;

const char *bank_model_name(enum bank_model model);
bool bank_model_parse(const char *name, enum bank_model *model, GError **error);

const char *bank_priority_name(enum bank_priority priority);
bool bank_priority_parse(const char *name, enum bank_priority *priority, GError **error);

void bank_options_init(bank_options *options); /* lockstep, 1 port, 1 cycle, merge off */
/* Runs SOURCE from where it stands to its end.  RESULT is cleared first and freed with bank_result_clear. */
bool bank_evaluate(bank_source *source, const bank_options *options, bank_result *result, GError **error);
void bank_result_clear(bank_result *result);

/* The same in steps, so that one pass over a source feeds many runs. */
typedef struct bank_run bank_run;
bank_run *bank_run_new(const bank_options *options, GError **error); /* OPTIONS are copied, the map is kept */
void bank_run_push(bank_run *run, const bank_batch *batch);
bool bank_run_done(const bank_run *run); /* further batches would change nothing (measure_cycles are over) */
bool bank_run_end(bank_run *run, bank_result *result, GError **error);
void bank_run_free(bank_run *run); /* NULL is fine */

#endif
