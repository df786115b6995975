/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps: block number -> (bank, row), one family a row of isa/bankmaps.def.  The models and the evaluation of maps
 * use this module; the scheduler has its own implementation (sched/emit/bank_map.c), and tests a third.
 *
 * A map can be used for storage when no two blocks share a place, a place being a (bank, row) that exists.  Maps that
 * are not injective are refused by bankmap_new() and accepted by bankmap_new_analysis(), for "what if" only.
 * Not modelled: maps that depend on time.  A map belongs to a buffer for the life of its data.
 */
#ifndef TSPSIM_ISA_BANKMAP_H
#define TSPSIM_ISA_BANKMAP_H

#include "isa/isa.h"

typedef struct bankmap bankmap;

/* Parses a map text such as "mod:139", "skew:144,5", "poly:0x83", "gf2:0x81,0x102", "expr:bank=b%139;row=b/139" for a
 * memory of BANKS banks (1 .. 65536) of ROWS rows.  "gf2:FILE", "table:FILE" and "file:PATH" read files here and now;
 * bankmap_text() then holds their content.  Refuses, with the first aliased pair, a map that is not injective; refuses
 * a map that needs more banks than there are, with the counts that the family has.  bankmap_free() the result. */
bankmap *bankmap_new(const char *text, unsigned banks, uint64_t rows, GError **error);
/* The same for analysis: also maps under which several blocks share a bank and a row. */
bankmap *bankmap_new_analysis(const char *text, unsigned banks, uint64_t rows, GError **error);
void bankmap_free(bankmap *map);

/* Any block has a bank below bankmap_banks_used(); blocks from the capacity on are not
 * stored, their row may not exist. */
unsigned bankmap_bank(const bankmap *map, uint64_t block);
uint64_t bankmap_row(const bankmap *map, uint64_t block);
/* Banks of COUNT consecutive blocks from FIRST. */
void bankmap_banks(const bankmap *map, uint64_t first, unsigned count, uint16_t *banks);
/* Banks of COUNT blocks in any order; the loop that evaluation lives in. */
void bankmap_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks);
/* The block stored in (BANK, ROW): false when there is none, or when the map is not injective.  Closed form, except
 * expr, table and xormod with a row divisor, which search the capacity. */
bool bankmap_inverse(const bankmap *map, unsigned bank, uint64_t row, uint64_t *block);
/* The modulus when bank = block mod M for all blocks, else 0: lets callers treat runs as intervals. */
unsigned bankmap_modulus(const bankmap *map);
bool bankmap_is_ideal(const bankmap *map);     /* no two requests ever meet */
bool bankmap_is_linear(const bankmap *map);    /* over GF(2): the bank of a ^ b is that of a ^ that of b */
bool bankmap_is_injective(const bankmap *map); /* on its capacity; true of every map from bankmap_new() */

uint64_t bankmap_capacity_blocks(const bankmap *map); /* blocks 0..capacity-1 have a bank and a row that exist */
unsigned bankmap_banks_used(const bankmap *map);      /* highest bank + 1 */
const char *bankmap_text(const bankmap *map);         /* canonical: a text that gives the same map anywhere */

/* How a number of gates is known. */
enum bankmap_gate_class {
	BANKMAP_GATES_NONE,     /* the family is no circuit, or has no estimate */
	BANKMAP_GATES_WIRES,    /* exactly 0: wires only */
	BANKMAP_GATES_MEASURED, /* synthesised for these parameters at 20 address bits */
	BANKMAP_GATES_DERIVED,  /* by the formula in gates_note */
};

typedef struct bankmap_stride {
	uint64_t stride_blocks;
	unsigned distinct_banks; /* met by 64 terms from block 0 */
	char *reason;            /* owned */
} bankmap_stride;

/* What a map says of itself; lengths in blocks (words).  The domain is what the family would store: banks it uses x
 * rows for most, all words of the memory for expr, table, and xormod with the row of the hashed number. */
typedef struct bankmap_facts {
	unsigned banks, banks_used; /* of the memory; with at least one block */
	uint64_t rows, rows_needed; /* of the memory; highest row of the domain + 1 */
	uint64_t domain_blocks;     /* looked at, one by one */
	uint64_t outside_blocks;    /* of the domain: their row does not exist */
	uint64_t aliased_blocks;    /* of the domain: their place belongs to an earlier block */
	bool injective;             /* no aliased block in the whole domain */
	struct {
		uint64_t block[2]; /* block[0] < block[1], block[1] the first whose place is taken */
		unsigned bank;
		uint64_t row;
	} alias; /* valid when not injective */
	uint64_t capacity_blocks;
	uint64_t lost_words, lost_bytes;   /* of banks x rows; bytes 0 when no block size was given */
	uint64_t largest_fill, least_fill; /* blocks in the fullest and emptiest bank below banks_used */
	double mean_fill;
	unsigned address_bits;      /* of the domain's block numbers */
	unsigned covered_bits;      /* the bank depends on block bits below this only; 64: on all */
	bool linear;                /* over GF(2): the next two are valid */
	unsigned xor2, xor2_shared; /* two-input XORs for address_bits, plain and after sharing pairs greedily */
	enum bankmap_gate_class gates_class;
	double gates_nand2;   /* NAND2 equivalents of the bank logic, and of the row unless gates_note says otherwise */
	char *gates_note;     /* owned; reference or formula */
	bankmap_stride *weak; /* strides 1 .. 1024 with the fewest distinct banks, worst first; owned */
	size_t weak_count;    /* 0 when every stride meets min(64, banks used) banks */
} bankmap_facts;

/* Walks the whole domain with a bitmap of banks x rows bits.  BLOCK_BYTES 0: not given.  Clear FACTS afterwards. */
void bankmap_describe(const bankmap *map, uint64_t block_bytes, bankmap_facts *facts);
/* Only domain_blocks, address and covered bits, XOR2 and gates, without a walk.  Clear FACTS afterwards. */
void bankmap_describe_gates(const bankmap *map, bankmap_facts *facts);
void bankmap_facts_clear(bankmap_facts *facts);
/* FACTS as lines "what: value"; g_free. */
char *bankmap_facts_text(const bankmap *map, const bankmap_facts *facts);
const char *bankmap_gate_class_name(enum bankmap_gate_class class_);

/* Columns of all families in the order of isa/bankmaps.def. */
size_t bankmap_family_count(void);
const char *bankmap_family_name(size_t i);
const char *bankmap_family_syntax(size_t i);
const char *bankmap_family_example(size_t i);
const char *bankmap_family_doc(size_t i);
const char *bankmap_family_counts(size_t i); /* the numbers of banks it can use */
bool bankmap_family_analysis_only(size_t i); /* never injective: bankmap_new() refuses it */

#endif
