/* SPDX-License-Identifier: Apache-2.0
 *
 * Random small cases for the oracle of bank maps: a map as the text that the program reads and as the oracle's own
 * parameters, and a stream of groups.  A case is a function of its number alone, so a failure is repeated by number.
 */
#ifndef TSPSIM_TESTS_BANK_RANDOM_CASE_H
#define TSPSIM_TESTS_BANK_RANDOM_CASE_H

#include "isa/rng.h"
#include "tests/bank/oracle.h"

enum { CASE_MAX_GROUPS = 40, CASE_MAX_LANES = 80, CASE_TEXT = 1024 };

/* TEXT has CASE_TEXT bytes. */
void random_map(rng *r, enum oracle_family family, oracle_map *map, char *text);

typedef struct random_stream {
	size_t count, groups;
	unsigned lanes; /* of the longest group */
	bool even;      /* all groups have LANES accesses, all read */
	oracle_access a[CASE_MAX_GROUPS * CASE_MAX_LANES];
} random_stream;

/* Strided, random, few-block and mixed groups of blocks below LIMIT. */
void random_groups(rng *r, uint64_t limit, bool writes, random_stream *out);

#endif
