/* SPDX-License-Identifier: Apache-2.0
 *
 * What a generator of a pattern is given and what it must set.  bank/pattern.c reads the text, cuts waves into groups,
 * and stops at the limit; a generator only knows the order of accesses, one wave at a time.
 */
#ifndef TSPSIM_BANK_PATTERN_INT_H
#define TSPSIM_BANK_PATTERN_INT_H

#include "bank/divide.h"
#include "bank/pattern.h"
#include "isa/rng.h"

enum { PATTERN_NUMBERS = 6, PATTERN_COUNTERS = 4 };

typedef struct pattern pattern;
struct pattern {
	bank_source base;
	bank_pattern_options options;

	/* The text. */
	unsigned count;
	uint64_t number[PATTERN_NUMBERS];
	double real[PATTERN_NUMBERS];     /* the same, with a fraction where one was written */
	bool by[PATTERN_NUMBERS];         /* an "x" stood before it */
	bool unaligned, per_point, merge; /* suffixes u, /pt, /merge */
	bool has_block_bytes;             /* suffix /NB */

	/* Set by the generator's maker; begin may stay NULL.  lanes is wave_lanes or k unless the maker changes it. */
	unsigned lanes;
	bool in_bytes;             /* laid out in bytes: block_bytes matters */
	uint64_t default_groups;   /* BANK_PATTERN_GROUPS unless the maker changes it */
	void (*begin)(pattern *p); /* before the first wave, counters are zero and rng is seeded */
	/* Writes the next wave to BLOCKS, at most lanes of them; their number, 0 after the last wave. */
	unsigned (*wave)(pattern *p, uint64_t *blocks);

	/* The generator's own. */
	rng random;
	uint64_t at[PATTERN_COUNTERS]; /* zeroed by rewinding */
	uint64_t rows, columns, row_bytes, element_bytes, offset_bytes, length, reach;
	uint64_t kernel[2], step, dilation;
	bank_divider by_block;
	double exponent;
	double *cumulative; /* owned */
	uint64_t *table;    /* owned */

	/* bank/pattern.c's own. */
	uint64_t groups, groups_left;
	bool begun; /* tables are made when the first wave is asked for: sweeps have many sources */
};

/* Sets *error: "pattern 'TEXT': expected ..."; false. */
bool pattern_i_fail(const pattern *p, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

#define BANK_PATTERN(id, name, least, most, syntax, example, doc, source)                                              \
	bool pattern_i_##id(pattern *p, GError **error);
/* Rows of one family share a generator. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
#include "bank/patterns.def"
#pragma GCC diagnostic pop

#endif
