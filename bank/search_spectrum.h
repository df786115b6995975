/* SPDX-License-Identifier: Apache-2.0
 *
 * Difference spectra: how often two accesses of one group differ by d, counted once over a stream.  Whether two blocks
 * share a bank depends on their difference alone for the maps that are searched, so a spectrum replaces the stream:
 *   xor      a ^ b, for maps over GF(2): they collide when the map's matrix takes the difference to 0
 *   minus    |a - b|, for bank = b mod M: when M divides it
 *   rows     (dq, dr) of b = q base + r, for bank = (r + x q) mod M: when M divides dr + x dq
 * Colliding pairs bound the request conflict of lockstep with one port: of a group of k with p colliding pairs at most
 * p are delayed, and, as k accesses in n banks make p >= k (k / n - 1) / 2, at most k - k / (1 + 2 p / k).
 * Not kept: the order of accesses, so the spectrum says nothing of which request waits.
 */
#ifndef TSPSIM_BANK_SEARCH_SPECTRUM_H
#define TSPSIM_BANK_SEARCH_SPECTRUM_H

#include "bank/stream.h"
#include "isa/bankmap.h"

enum { BANK_COLUMNS = 64 };

typedef enum bank_difference { BANK_XOR, BANK_MINUS, BANK_ROWS, BANK_DIFFERENCES } bank_difference;

typedef struct bank_spectrum_entry {
	uint64_t key; /* bank_difference_key(); never that of equal blocks */
	uint64_t pairs;
} bank_spectrum_entry;

typedef struct bank_spectrum {
	bank_difference kind;
	uint64_t base;                /* of BANK_ROWS */
	bank_spectrum_entry *entries; /* by key, rising; owned */
	size_t count;
	uint64_t groups, requests; /* counted; requests after merging */
	uint64_t equal_pairs;      /* of one block: they collide under every map; 0 when merged */
	uint64_t all_groups;       /* of the stream, counted or not */
	bool full;                 /* there were more differences than asked for, counting stopped */
} bank_spectrum;

/* What makes two blocks of one group collide under a map. */
typedef struct bank_rule {
	bank_difference kind;
	uint64_t base;                  /* BANK_ROWS */
	uint64_t modulus, multiplier;   /* BANK_MINUS, BANK_ROWS */
	uint16_t columns[BANK_COLUMNS]; /* BANK_XOR: bank of block 2^j */
} bank_rule;

/* False for families whose collisions are not a matter of such a difference. */
bool bank_rule_of(const bankmap *map, bank_rule *rule);
bool bank_rule_collides(const bank_rule *rule, uint64_t key);
uint64_t bank_difference_key(bank_difference kind, uint64_t base, uint64_t a, uint64_t b);

/* Counts SOURCE from its beginning, every EVERY-th group (1: all), up to MOST distinct differences.  MERGE: equal
 * blocks of a group are one request.  SPECTRUM is cleared by bank_spectrum_clear; on error it is empty. */
bool bank_spectrum_count(bank_source *source, bank_difference kind, uint64_t base, bool merge, uint64_t every,
                         size_t most, bank_spectrum *spectrum, GError **error);
/* The same with the smallest power of 4 for EVERY under which the differences are at most MOST. */
bool bank_spectrum_sample(bank_source *source, bank_difference kind, uint64_t base, bool merge, size_t most,
                          bank_spectrum *spectrum, GError **error);
void bank_spectrum_clear(bank_spectrum *spectrum);
uint64_t bank_spectrum_colliding(const bank_spectrum *spectrum, const bank_rule *rule); /* pairs, equal blocks too */

/* The bound above for so many colliding pairs in REQUESTS, 0 to 1: concave, so that it also bounds the mean. */
static inline double bank_conflict_bound(uint64_t pairs, uint64_t requests)
{
	double c = requests ? (double)pairs / (double)requests : 0;

	return c < 0.5 ? c : 2 * c / (1 + 2 * c);
}

/* Every STEP-th group of INNER from the one numbered FIRST; owns INNER and has its name. */
bank_source *bank_source_every(bank_source *inner, uint64_t step, uint64_t first);

#endif
