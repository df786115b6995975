/* SPDX-License-Identifier: Apache-2.0
 *
 * Three timing models of a banked memory under one bank map, and what is counted:
 *   lockstep  a group occupies the memory for as many cycles as its fullest bank needs, the next group waits; delay of
 * a request = service cycles of earlier requests (lane order) of its group in its bank fifo      group t arrives in
 * cycle t whatever happened before; one unbounded queue a bank; delay = start - arrival closed    lane i of successive
 * groups is stream i with one request outstanding; rotating priority; a stream's next request is presented in the cycle
 * after its grant; delay = grant - presentation A bank has `ports` ports; a request holds one for `busy_cycles`,
 * service is pipelined when busy_cycles is 1. Not modelled: latency of the array itself (a constant that callers add),
 * queues of finite depth.
 */
#ifndef TSPSIM_BANK_MODEL_H
#define TSPSIM_BANK_MODEL_H

#include "bank/stream.h"
#include "isa/bankmap.h"

enum bank_model { BANK_LOCKSTEP, BANK_FIFO, BANK_CLOSED };

typedef struct bank_options {
	const bankmap *map;
	enum bank_model model;
	unsigned ports;       /* of a bank, 1 */
	unsigned busy_cycles; /* a request holds its port so long, 1 */
	bool merge;           /* accesses of a group to one block count once; requests are counted after merging */
	uint64_t warmup_cycles,
		measure_cycles; /* closed: grants are counted in so many cycles after the warm-up; 0: all */
} bank_options;

/* Definitions with their denominators are printed beside every number: tools/bank_report. */
typedef struct bank_result {
	uint64_t accesses; /* before merging */
	uint64_t requests, delayed;
	uint64_t groups, conflict_groups; /* groups that take more than their ideal beats */
	uint64_t cycles,
		ideal_cycles; /* lockstep: sum of fullest banks, of ideal; fifo: last service cycle + 1, groups */
	uint64_t delay_sum_cycles, p99_delay_cycles, max_delay_cycles; /* p99 by nearest rank */
	double slowdown;                                               /* cycles / ideal_cycles */
	double grants_per_cycle;                                       /* closed */
	bool saturated; /* some bank is offered a service time a cycle or more */
	unsigned banks;
	uint64_t *bank_requests; /* banks entries, owned */
	uint64_t *delays;        /* histogram of delays 0 .. delays_count - 1, the last holds the rest; owned */
	size_t delays_count;
	uint64_t first_group, first_block[2]; /* the first pair that met in a bank; first_group UINT64_MAX when none */
	unsigned first_lane[2], first_bank;
} bank_result;

void bank_options_init(bank_options *options); /* lockstep, 1 port, 1 cycle, merge off */
/* Runs SOURCE from where it stands to its end.  RESULT is cleared first and freed with bank_result_clear. */
bool bank_evaluate(bank_source *source, const bank_options *options, bank_result *result, GError **error);
void bank_result_clear(bank_result *result);

#endif
