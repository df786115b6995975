/* SPDX-License-Identifier: Apache-2.0
 *
 * What the families of bank maps share; private to isa/.  A family is a row of isa/bankmaps.def and a `bankmap_ops`
 * called bankmap_family_<id> in one of isa/bankmap/<kind>.c.
 */
#ifndef TSPSIM_ISA_BANKMAP_BANKMAP_INT_H
#define TSPSIM_ISA_BANKMAP_BANKMAP_INT_H

#include "isa/bankmap.h"

enum {
	BANKMAP_PARAMETERS = 3,
	BANKMAP_BITS_MAX = 12, /* of a bank number of a family over GF(2) */
	BANKMAP_BYTES = 8,
	BANKMAP_CHUNK = 256, /* blocks that a batch looks at together */
	BANKMAP_BANKS_MAX = 65536,
};
#define BANKMAP_PLACES_MAX (UINT64_C(1) << 32)

__extension__ typedef unsigned __int128 bankmap_wide;

/* Division by a number known when the map is made: one multiplication, and one correction, because the reciprocal is
 * rounded down and so the quotient is low by less than one. */
typedef struct bankmap_divisor {
	uint64_t d, reciprocal; /* floor(2^64 / d), 2^64 - 1 for 1 */
} bankmap_divisor;

static inline bankmap_divisor bankmap_divisor_of(uint64_t d)
{
	return (bankmap_divisor){d, d > 1 ? (uint64_t)(((bankmap_wide)1 << 64) / d) : UINT64_MAX};
}

static inline uint64_t bankmap_divide(bankmap_divisor by, uint64_t n, uint64_t *remainder)
{
	uint64_t q = (uint64_t)((bankmap_wide)n * by.reciprocal >> 64);
	uint64_t r = n - q * by.d;
	bool low = r >= by.d;

	*remainder = low ? r - by.d : r;
	return q + low;
}

static inline uint64_t bankmap_quotient(bankmap_divisor by, uint64_t n)
{
	uint64_t r;

	return bankmap_divide(by, n, &r);
}

static inline uint64_t bankmap_remainder(bankmap_divisor by, uint64_t n)
{
	uint64_t r;

	bankmap_divide(by, n, &r);
	return r;
}

typedef struct bankmap_ops {
	const char *counts;            /* legal numbers of banks, in words */
	bool (*legal)(unsigned banks); /* NULL: any */
	bool analysis_only;            /* never injective */
	bool proven;                   /* parse refuses what is not injective; else bankmap_new() walks the domain */
	unsigned hex;                  /* bit i: parameter i is written in hexadecimal */
	/* Reads what stands after the colon and appends its canonical form; NULL: numbers as the syntax says. */
	bool (*read)(bankmap *map, const char *argument, GString *canonical, GError **error);
	/* Checks p[] and sets used, domain and whatever the functions below want. */
	bool (*parse)(bankmap *map, GError **error);
	unsigned (*bank)(const bankmap *map, uint64_t block);
	uint64_t (*row)(const bankmap *map, uint64_t block);
	void (*map)(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks);
	/* Rows of at most BANKMAP_CHUNK blocks; NULL: row() of each. */
	void (*rows)(const bankmap *map, const uint64_t *blocks, size_t count, uint64_t *rows);
	/* Of an injective map; BANK and ROW exist.  The caller checks that the block is below the capacity.  NULL:
	 * search. */
	uint64_t (*inverse)(const bankmap *map, unsigned bank, uint64_t row);
	/* Estimates the gates at facts->address_bits when no measurement is on record. */
	void (*gates)(const bankmap *map, bankmap_facts *facts);
	/* Why STRIDE meets few banks; NULL when there is no short reason.  g_free. */
	char *(*reason)(const bankmap *map, uint64_t stride);
	void (*clear)(bankmap *map);
} bankmap_ops;

struct bankmap {
	const bankmap_ops *ops;
	size_t family;
	char *text;
	unsigned banks; /* of the memory */
	uint64_t rows;
	unsigned used;     /* highest bank + 1 */
	uint64_t domain;   /* blocks that the family would store */
	uint64_t capacity; /* of them, blocks that it can */
	bool analysis, injective;
	uint64_t p[BANKMAP_PARAMETERS];
	unsigned given; /* parameters in the text */
	unsigned covered_bits;

	bankmap_divisor by_banks, by_row; /* most families: bank and row are remainder and quotient by these */
	unsigned modulus;                 /* bank = block mod modulus; 0: not so */
	unsigned bits;                    /* of the part of the bank number that is over GF(2), or of its mask */
	uint64_t multiplier, multiplier_inverse;
	/* Bits of the bank as masks of block bits; the row is the bits above. */
	bool linear; /* the whole bank, not a part of it */
	uint64_t masks[BANKMAP_BITS_MAX];
	uint16_t solve[BANKMAP_BITS_MAX]; /* low block bits that give bank bit i alone, when the high ones are 0 */
	uint16_t (*parities)[256];        /* hash of each byte of the block number; NULL: none */
	void *extra;                      /* table, expr */
};

/* What a walk over blocks 0 .. domain - 1 finds. */
typedef struct bankmap_walk {
	uint64_t outside, first_outside; /* blocks whose row does not exist; domain when none */
	uint64_t aliased;
	uint64_t first_aliased; /* its place was taken; valid when aliased */
	uint64_t rows_needed;
	uint64_t *fill; /* blocks with a row, per bank */
} bankmap_walk;

#define BANKMAP(id, syntax, example, doc, source) extern const bankmap_ops bankmap_family_##id;
#define BANKMAP_ANALYSIS                          BANKMAP
#include "isa/bankmaps.def"

/* The loop of a family, with its function inlined and the map in registers. */
#define BANKMAP_LOOP(id)                                                                                               \
	static void id##_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks)                \
	{                                                                                                              \
		const bankmap m = *map;                                                                                \
		for (size_t i = 0; i < count; i++)                                                                     \
			banks[i] = (uint16_t)id##_bank(&m, blocks[i]);                                                 \
	}

/* map.c: for parse functions.  All return false with ERROR set, naming the map's text. */
G_GNUC_PRINTF(3, 4) bool bankmap_refuse(const bankmap *map, GError **error, const char *format, ...);
/* Sets the banks used and the domain of PER_ROW blocks a row (0: as many as banks). */
bool bankmap_use(bankmap *map, uint64_t banks, uint64_t per_row, GError **error);
bool bankmap_use_bits(bankmap *map, uint64_t bits, GError **error);
/* The map is complete and not injective: refused with the pair and WHY, or noted when it is for analysis. */
bool bankmap_alias(bankmap *map, uint64_t first, uint64_t second, const char *why, GError **error);
/* Walks the domain.  STOP: at the first alias.  g_free(walk->fill). */
void bankmap_walk_domain(const bankmap *map, bool stop, bankmap_walk *walk);
/* The first block that shares BLOCK's place. */
uint64_t bankmap_first_in_place(const bankmap *map, uint64_t block);
uint64_t bankmap_gcd(uint64_t a, uint64_t b);
bool bankmap_power_of_two(unsigned banks);
/* x with a x = 1 mod m; gcd(a, m) = 1. */
uint64_t bankmap_modular_inverse(uint64_t a, uint64_t m);

/* text.c */
/* The words of ARGUMENT, or of the file that it names when it does not begin with a digit; comments from '#'. */
char **bankmap_words(const char *argument, GError **error);
/* Text of a file, without comments. */
char *bankmap_file(const char *path, GError **error);
bool bankmap_number(const char *word, uint64_t *value);

/* linear.c: maps over GF(2). */
/* Makes the tables from masks[0 .. bits - 1]; singular low bits make the map alias. */
bool bankmap_linear_use(bankmap *map, GError **error);
/* Tables alone, for families of which only a part is linear. */
void bankmap_linear_tables(bankmap *map);
void bankmap_poly_masks(uint64_t polynomial, unsigned degree, uint64_t *masks);
unsigned bankmap_degree(uint64_t polynomial);
unsigned bankmap_linear_rank(const uint64_t *rows, unsigned count);

static inline unsigned bankmap_linear_hash(const bankmap *map, uint64_t n)
{
	unsigned hash = 0;

	for (unsigned i = 0; n; i++, n >>= 8)
		hash ^= map->parities[i][n & 255];
	return hash;
}

/* gates.c: estimates, each with the formula in words. */
G_GNUC_PRINTF(3, 4) void bankmap_gates(bankmap_facts *facts, double nand2, const char *format, ...);
bool bankmap_gates_measured(const bankmap *map, bankmap_facts *facts);
/* NAND2 equivalents of dividing a number of BITS bits by D, quotient and remainder. */
double bankmap_gates_divide(unsigned bits, uint64_t d);
/* Remainder alone, by folding digits. */
double bankmap_gates_fold(unsigned bits, uint64_t d);
double bankmap_gates_add(unsigned bits);
double bankmap_gates_xor(unsigned count);
double bankmap_gates_select(uint64_t inputs, unsigned bits);
/* XOR2 of a matrix, over the lowest ADDRESS_BITS, before and after sharing. */
void bankmap_gates_linear(const uint64_t *masks, unsigned count, unsigned address_bits, unsigned *plain,
                          unsigned *shared);
unsigned bankmap_bit_length(uint64_t n);

#endif
