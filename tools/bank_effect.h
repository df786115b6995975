/* SPDX-License-Identifier: Apache-2.0
 *
 * What a bank map does to a whole run.  A scheduler that avoids conflicts hides a map's cost in the length of its
 * schedule, so the cost is looked for in five places: beats that accesses lose to themselves; operations that moved
 * because a bank was taken; the length beyond that of the same operations, in the same order and places, on banks that
 * never conflict; the fullest bank's load, below which no order can go; and how far the length moves when ties are
 * broken otherwise.  Two maps whose lengths differ by less than that are not told apart.
 */
#ifndef TSPSIM_TOOLS_BANK_EFFECT_H
#define TSPSIM_TOOLS_BANK_EFFECT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { BANK_EFFECT_SEEDS = 10, BANK_EFFECT_SEEDS_MAX = 1000 };

typedef struct bank_effect_options {
	const char *machine;  /* NULL: the default */
	const char *workload; /* NULL: the default */
	char **sets;          /* as `run --set`; NULL: none */
	char **maps;          /* NULL-terminated, one at least */
	unsigned seeds;       /* 0: BANK_EFFECT_SEEDS */
} bank_effect_options;

enum bank_effect_verdict {
	BANK_EFFECT_FIRST,  /* the map that others are held against */
	BANK_EFFECT_NONE,   /* no difference: the ranges of lengths overlap */
	BANK_EFFECT_FASTER, /* always shorter */
	BANK_EFFECT_SLOWER
};

/* Lengths in cycles.  Figures that are not a range are of the first tie break, which is `run`'s. */
typedef struct bank_effect {
	char *map;
	char *refusal; /* why there is no schedule under this map, NULL where there is one; the rest is 0 then */
	uint64_t accesses;
	uint64_t beats;      /* bank beats, as simulated */
	uint64_t self_beats; /* of them beyond those of accesses without self conflict */
	uint64_t macro_ops, moved_ops;
	int64_t moved_cycles;
	int64_t cycles;
	int64_t ideal_cycles;        /* the same order and places, no conflicts */
	uint64_t load_bound;         /* cycles for which the fullest bank's ports are taken; 0 under map ideal */
	int64_t least, median, most; /* over tie breaks */
	int64_t over_ideal;          /* median over tie breaks of the length beyond the ideal */
	bool as_predicted;           /* simulated = predicted in every compared event, and no violation */
	enum bank_effect_verdict verdict;
} bank_effect;

/* One row a map, in order; g_array_unref.  A map that is refused has a row that says why; NULL with ERROR when the
 * workload or the machine is. */
GArray *bank_effect_run(const bank_effect_options *options, GError **error);
char *bank_effect_text(const GArray *rows, const bank_effect_options *options); /* g_free */
char *bank_effect_json(const GArray *rows, const bank_effect_options *options); /* g_free */

/* The verb `tspsim bank effect`: runs, prints, and returns the exit status.  TOOL_FOUND when a simulation differed from
 * its prediction. */
int bank_effect_main(const bank_effect_options *options, GError **error);

#endif
