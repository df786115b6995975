/* SPDX-License-Identifier: Apache-2.0
 *
 * An independent judge of the evaluation of bank maps: the definitions written down once more, slow and obvious.  Maps
 * are plain % and loops over bits; the three models are simulated cycle by cycle with explicit lists of waiting
 * requests; metrics come from the raw list of delays.  It shares no code with bank/ and isa/bankmap, and knows their
 * headers only for the names of what is compared.
 * Not here: maps that are defined by a generator of random numbers (pae, random); the oracle takes their banks from a
 * function it is given.  Not modelled: windows, occupancy, reasons.
 */
#ifndef TSPSIM_TESTS_BANK_ORACLE_H
#define TSPSIM_TESTS_BANK_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oracle_family {
	ORACLE_MOD,
	ORACLE_PRIME,
	ORACLE_BSP,
	ORACLE_CRT,
	ORACLE_MERSENNE,
	ORACLE_BSG,
	ORACLE_IDENTITY,
	ORACLE_SKEW,
	ORACLE_PDISP,
	ORACLE_HYBRID,
	ORACLE_AMD,
	ORACLE_XORFOLD,
	ORACLE_SWIZZLE,
	ORACLE_POLY,
	ORACLE_GF2,
	ORACLE_MULT,
	ORACLE_BITREV,
	ORACLE_XORMOD,
	ORACLE_TABLE,
	ORACLE_EXPR,
	ORACLE_IPOLYMOD,
	ORACLE_IDEAL,
	ORACLE_GIVEN, /* banks come from a function */
	ORACLE_FAMILY_COUNT
};

enum { ORACLE_TABLE_ENTRIES = 64, ORACLE_GF2_ROWS = 8 };

/* The meaning of a, b, c and of the arrays stands with each family in oracle_maps.c. */
typedef struct oracle_map {
	enum oracle_family family;
	unsigned banks; /* of the memory */
	uint64_t rows;  /* of a bank */
	uint64_t a, b, c;
	uint64_t masks[ORACLE_GF2_ROWS];
	unsigned table[ORACLE_TABLE_ENTRIES];
	unsigned (*given)(const void *what, uint64_t block);
	const void *what;
} oracle_map;

unsigned oracle_bank(const oracle_map *map, uint64_t block);
uint64_t oracle_row(const oracle_map *map, uint64_t block); /* undefined for table, ipolymod, ideal, given */

enum oracle_model { ORACLE_LOCKSTEP, ORACLE_FIFO, ORACLE_CLOSED };

typedef struct oracle_options {
	enum oracle_model model;
	unsigned banks; /* M of the ideal */
	unsigned ports, busy, groups;
	bool merge, separate;
	bool round_robin;         /* closed, without rules */
	uint64_t warmup, measure; /* closed; measure 0: to the end */
} oracle_options;

/* One access: of group GROUP, in lane LANE. */
typedef struct oracle_access {
	size_t group;
	unsigned lane;
	uint64_t block;
	bool write;
} oracle_access;

typedef struct oracle_result {
	uint64_t requests, delayed, kind_requests[2], kind_delayed[2];
	uint64_t groups, conflict_groups, cycles, ideal_cycles;
	uint64_t delay_sum, p99, max;
	uint64_t *bank_requests; /* BANKS_USED entries; owned */
} oracle_result;

/* ACCESSES in the order of groups and lanes; groups are numbered from 0 without gaps.  Clear RESULT with
 * oracle_result_clear. */
void oracle_evaluate(const oracle_map *map, const oracle_options *options, const oracle_access *accesses, size_t count,
                     unsigned bank_limit, oracle_result *result);
void oracle_result_clear(oracle_result *result);

#endif
