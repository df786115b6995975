/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps over GF(2) of the form H = [I, A]: bank = low n bits ^ A (higher bits), row = the higher bits, which is
 * injective for every A.  A is kept by columns: column j is the bank of block 2^(n + j).
 *
 * How XOR2 are counted: a bank bit that is the parity of t address bits takes t - 1, so without sharing a map takes as
 * many as A has ones.  Sharing is one level deep: a pair of address bits that several bank bits contain is built once,
 * the pair in most bank bits first (then the lowest), an address bit being in one pair of a bank bit at most.  IPOLY by
 * x^7 + x + 1 on 20 bits takes 28 and 27.  Not counted: sharing of sums of three and more bits.
 *
 * Annealing starts from the fold and minimises mean bound + lambda x XOR2 over several lambda, the bound being
 * bank_conflict_bound() of the spectra; the best map of every number of XOR2 is kept.
 */
#ifndef TSPSIM_BANK_SEARCH_LINEAR_H
#define TSPSIM_BANK_SEARCH_LINEAR_H

#include "bank/search_spectrum.h"

enum {
	BANK_LINEAR_BITS = 12,
	BANK_LINEAR_ADDRESS_BITS = 40,
	BANK_LINEAR_ONES = 256,
	BANK_LINEAR_DIFFERENCES = 1 << 16, /* that annealing looks at, the heaviest */
};

typedef struct bank_linear {
	unsigned bits, address_bits;
	uint16_t columns[BANK_LINEAR_ADDRESS_BITS]; /* of A; address_bits - bits of them */
} bank_linear;

unsigned bank_linear_ones(const bank_linear *map);
/* Masks of block bits, one for each bank bit. */
void bank_linear_masks(const bank_linear *map, uint64_t masks[BANK_LINEAR_BITS]);
char *bank_linear_text(const bank_linear *map); /* "gf2:0x81,..."; g_free */
/* XOR2 of COUNT bank bits that are parities of address bits under MASKS; *plain without sharing. */
unsigned bank_xor2_shared(const uint64_t *masks, unsigned count, unsigned *plain);
/* A basis of the address bits' combinations that the map takes to bank 0; address_bits - bits vectors. */
void bank_linear_null_space(const bank_linear *map, uint64_t *basis);
/* From a map over GF(2) whose matrix on the low bits is the identity; false for others. */
bool bank_linear_of(const bankmap *map, unsigned address_bits, bank_linear *linear);

/* What annealing looks at: the spectra (BANK_XOR) of all sources merged. */
typedef struct bank_linear_problem bank_linear_problem;
bank_linear_problem *bank_linear_problem_new(unsigned bits, unsigned address_bits, const bank_spectrum *spectra,
                                             unsigned count);
void bank_linear_problem_free(bank_linear_problem *p);
size_t bank_linear_problem_differences(const bank_linear_problem *p);
double bank_linear_bound(const bank_linear_problem *p, const bank_linear *map); /* mean over sources */

/* The best map found with each number of XOR2 before sharing; bound above 1 where there is none. */
typedef struct bank_archive {
	double bound[BANK_LINEAR_ONES];
	bank_linear map[BANK_LINEAR_ONES];
} bank_archive;

void bank_archive_init(bank_archive *archive);
void bank_archive_merge(bank_archive *into, const bank_archive *from);

/* Looks at all maps that differ in one entry, or in a one that moved, from those of the archive that are better than
 * all with fewer XOR2, until none improves it or WANTED (may be NULL) says no. */
void bank_archive_polish(const bank_linear_problem *p, unsigned most_xor2, bank_archive *archive,
                         bool (*wanted)(void *state), void *state);

typedef struct bank_anneal {
	double lambda;      /* of bound, for each XOR2 */
	uint64_t steps;     /* proposals */
	unsigned most_xor2; /* before sharing; proposals above it are refused */
	uint64_t seed, stream;
} bank_anneal;

/* One chain; a function of its arguments alone.  TICK (may be NULL) is called now and then with steps done since. */
void bank_linear_anneal(const bank_linear_problem *p, const bank_anneal *how, bank_archive *archive,
                        void (*tick)(void *state, uint64_t steps), void *state);

#endif
