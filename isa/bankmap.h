/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps: block number -> (bank, row), one row each in isa/bankmaps.def.  The models use this module; the scheduler
 * has its own implementation (sched/emit/banks.c), and tests a third.
 */
#ifndef TSPSIM_ISA_BANKMAP_H
#define TSPSIM_ISA_BANKMAP_H

#include "isa/isa.h"

typedef struct bankmap bankmap;

/* Parses a map text such as "mod:139", "skew:144,5", "poly:0x83", "swizzle:7,0,7", "ideal" for a memory of BANKS banks
 * of ROWS rows.  Refuses a map that needs more banks than there are, or that is not injective on its capacity. */
bankmap *bankmap_new(const char *text, unsigned banks, uint64_t rows, GError **error);
/* The same for analysis: also maps that are not injective (several blocks share a bank and a row). */
bankmap *bankmap_new_analysis(const char *text, unsigned banks, uint64_t rows, GError **error);
void bankmap_free(bankmap *map);

unsigned bankmap_bank(const bankmap *map, uint64_t block);
uint64_t bankmap_row(const bankmap *map, uint64_t block);
/* Banks of COUNT consecutive blocks from FIRST. */
void bankmap_banks(const bankmap *map, uint64_t first, unsigned count, uint16_t *banks);
/* Banks of COUNT blocks; the loop that evaluation lives in. */
void bankmap_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks);
/* The modulus when bank = block mod M for all blocks, else 0: lets callers treat runs as intervals. */
unsigned bankmap_modulus(const bankmap *map);
bool bankmap_is_ideal(const bankmap *map); /* no two requests ever meet */

uint64_t bankmap_capacity_blocks(const bankmap *map); /* blocks 0..capacity-1 have a bank and a row that exist */
unsigned bankmap_banks_used(const bankmap *map);
const char *bankmap_text(const bankmap *map); /* canonical */
/* Names and one-line docs of all families. */
size_t bankmap_family_count(void);
const char *bankmap_family_name(size_t i);
const char *bankmap_family_doc(size_t i);

#endif
