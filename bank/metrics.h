/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers made from the counters of a run, each with its denominator, and from the addresses of a stream.
 *   request conflict  delayed requests / requests
 *   group conflict    groups above their ideal beats / groups
 *   excess            cycles beyond ideal / cycles
 * Definitions in words and formulas: docs/bank-eval.md.
 */
#ifndef TSPSIM_BANK_METRICS_H
#define TSPSIM_BANK_METRICS_H

#include "bank/model.h"

double bank_request_conflict(const bank_result *r);
double bank_group_conflict(const bank_result *r);
double bank_excess(const bank_result *r);
double bank_mean_delay(const bank_result *r); /* cycles of waiting a request */
/* Cycles beyond ideal. */
uint64_t bank_excess_cycles(const bank_result *r);
bool bank_is_saturated(const bank_result *r, unsigned bank);

/* How evenly requests lie on the banks that the map uses, M of them. */
typedef struct bank_occupancy {
	double max_over_mean, min_over_mean;
	unsigned empty;              /* banks of the M without a request */
	unsigned unused;             /* banks of the memory beyond the M */
	double entropy_bits;         /* at most log2 M */
	double entropy_limit;        /* log2 M */
	double chi_square;           /* against equal shares */
	unsigned chi_square_freedom; /* M - 1 */
	double gini;                 /* 0: equal; 1 - 1/M: all in one bank */
} bank_occupancy;

void bank_occupancy_of(const bank_result *r, bank_occupancy *out);

/* Mean access time three ways.  With service time t_b (busy_cycles), E[W] the mean delay and c the request conflict:
 *   replacement  latency + t_b-scaled waiting: t_lat + E[W], E[W] in cycles
 *   textbook     t_base (1 + c (q - 1)), for each of the meanings that the queue depth q is given
 *   measured     latency + mean delay + service, request by request */
typedef struct bank_access_time {
	double measured, replacement;
	double q_mean, q_max, q_waiting; /* time average in a bank; longest; 1 + E[W given W > 0] / t_b */
	double textbook_mean, textbook_max, textbook_waiting;
} bank_access_time;

/* T_LAT: cycles of an access without waiting, service included; T_BASE: what the textbook multiplies. */
void bank_access_time_of(const bank_result *r, double t_lat, double t_base, bank_access_time *out);

/* Entropy of each bit of the block numbers of a stream: of the whole, and mean over windows of successive accesses. */
enum {
	BANK_BITS = 64,
	BANK_BITS_TABLE = 257, /* windows below this have their entropies in a table */
};

typedef struct bank_bits {
	uint64_t accesses, windows;
	unsigned window_accesses, filled;
	uint64_t ones[BANK_BITS];
	uint32_t window_ones[BANK_BITS];
	double window_sum[BANK_BITS];    /* of entropies of whole windows */
	double entropy[BANK_BITS_TABLE]; /* of a bit with so many ones in a window */
} bank_bits;

void bank_bits_init(bank_bits *bits, unsigned window_accesses);
void bank_bits_add(bank_bits *bits, const uint64_t *blocks, size_t count);
double bank_bits_entropy(const bank_bits *bits, unsigned bit);        /* bits, 0 to 1 */
double bank_bits_window_entropy(const bank_bits *bits, unsigned bit); /* 0 without a whole window */
unsigned bank_bits_used(const bank_bits *bits);                       /* highest bit that was ever one, plus 1 */

/* Why the first delayed request met the one before it: "lanes 0 and 9 of group 0: blocks 0 and 144 in bank 0, different
 * rows 0 and 1; stride 16: gcd(16,144) = 16, so 9 banks".  NULL when nothing was delayed; g_free. */
char *bank_first_reason(const bank_result *r, const bankmap *map);

#endif
