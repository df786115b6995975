/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's own bank maps, written from the definitions in isa/bankmaps.def and not from isa/bankmap/, so that a
 * mistake in either shows as a misprediction.  Every injective family; canonical texts only, no files.
 */
#ifndef TSPSIM_SCHED_EMIT_BANK_MAP_H
#define TSPSIM_SCHED_EMIT_BANK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

typedef struct bank_map bank_map;

/* TEXT as isa/bankmaps.def describes it, for BANKS banks of ROWS rows. */
bank_map *bank_map_new(const char *text, unsigned banks, uint64_t rows, GError **error);
void bank_map_free(bank_map *map);
unsigned bank_map_bank(const bank_map *map, uint64_t block);
uint64_t bank_map_capacity_blocks(const bank_map *map);
unsigned bank_map_banks_used(const bank_map *map);
/* M when bank = block mod M, else 0. */
unsigned bank_map_modulus(const bank_map *map);
/* Do no two requests ever meet? */
bool bank_map_is_ideal(const bank_map *map);

/* A number in decimal or, after 0x, hexadecimal; a leading 0 means nothing. */
static inline uint64_t bank_map_number(const char *text, char **end)
{
	return g_ascii_strtoull(text, end, g_ascii_strncasecmp(text, "0x", 2) == 0 ? 16 : 10);
}

/* An expression over b, in C's precedence, as a tree; NULL when TEXT of LENGTH bytes is none. */
typedef struct bank_expr bank_expr;
bank_expr *bank_expr_new(const char *text, size_t length);
void bank_expr_free(bank_expr *expr);
/* False when something is divided by zero. */
bool bank_expr_value(const bank_expr *expr, uint64_t block, uint64_t *value);

#endif
