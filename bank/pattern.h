/* SPDX-License-Identifier: Apache-2.0
 *
 * Built-in access patterns: texts such as "s16", "s16u", "tr1024/32B", "zipf1" become sources of groups.  The table of
 * patterns is bank/patterns.def; the exact order of accesses of each stands with its generator (pattern_walk.c,
 * pattern_matrix.c, pattern_conv.c).  A text with a range, A..B, A..B:STEP or A..B*FACTOR, in place of a number
 * becomes one source for each value: "stride:1..1024", "pitch:128..65536*2".
 *
 * A pattern is a sequence of waves, a wave the accesses of wave_lanes lanes; a wave is presented in groups of k lanes
 * (its phases), the last of a wave maybe shorter.  With wave_lanes 0 a wave is a group.  Patterns only read, and what
 * they read is a function of text and options alone: the only randomness is isa/rng with the seed given.
 *
 * Suffixes: "/320B" sets the block size of this pattern; "/pt" puts one element in a block; "/merge" asks for merging.
 */
#ifndef TSPSIM_BANK_PATTERN_H
#define TSPSIM_BANK_PATTERN_H

#include "bank/stream.h"

#include <glib.h>

enum {
	BANK_PATTERN_MAX_LANES = 65536,    /* of a group, of a wave */
	BANK_PATTERN_MAX_SOURCES = 262144, /* of one text with ranges */
	BANK_PATTERN_GROUPS = 2048,        /* groups of a pattern when options say nothing, but for fft and streams */
	BANK_PATTERN_STREAM_GROUPS = 8192, /* streams:K, which a closed loop consumes at up to one group a cycle */
};

typedef struct bank_pattern_options {
	unsigned k;                /* lanes of a group */
	unsigned wave_lanes;       /* lanes of a wave; 0: k */
	uint64_t block_bytes;      /* of patterns that are laid out in bytes; "/NB" in the text wins */
	uint64_t footprint_blocks; /* blocks 0 .. footprint - 1 are there to be used */
	uint64_t groups;        /* at most so many; 0: the default (above; fft: all stages); UINT64_MAX: to the end */
	unsigned element_bytes; /* 0: the pattern's own */
	uint64_t seed;
} bank_pattern_options;

/* A row of bank/patterns.def. */
typedef struct bank_pattern_row {
	const char *name, *syntax, *example, *doc, *source;
} bank_pattern_row;

/* k 16, waves of k, blocks of 320 bytes, footprint 635,000 blocks, default groups, seed 1. */
void bank_pattern_options_init(bank_pattern_options *options);
/* The table, COUNT rows. */
const bank_pattern_row *bank_pattern_rows(size_t *count);
/* Appends to SOURCES (GPtrArray of bank_source) one source for each value of TEXT's ranges, named as users would write
 * it.  On error SOURCES is as before. */
bool bank_pattern_sources(const char *text, const bank_pattern_options *options, GPtrArray *sources, GError **error);
/* One source; a text with a range is an error.  Freed with bank_source_free. */
bank_source *bank_pattern_source(const char *text, const bank_pattern_options *options, GError **error);

/* Is the pattern defined with same-block accesses of a group merged (fft, bitrev with a byte block, "/merge")?  False
 * for sources that are no patterns. */
bool bank_pattern_merges(const bank_source *source);
/* Bytes of a block the pattern was laid out for; 0 where it is laid out in blocks, and for other sources. */
uint64_t bank_pattern_block_bytes(const bank_source *source);

#endif
