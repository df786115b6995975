/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of groups of accesses, as everything in bank/ takes them: a group is what is presented to the memory in one
 * cycle, its accesses are in lane order, and each access is a block number (byte address div block size; the reader or
 * pattern has already divided).  Sources: built-in patterns, address files, access streams of traced runs.  A source
 * fills batches, so that cost per access is that of a loop over an array and memory does not grow with the stream.
 */
#ifndef TSPSIM_BANK_STREAM_H
#define TSPSIM_BANK_STREAM_H

#include "isa/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BANK_BATCH_ACCESSES = 65536, /* blocks of a batch at most, but for one group that is longer */
	BANK_WRITE = 1,              /* bit of a kind */
};

/* Groups g = 0 .. groups - 1 are accesses start[g] .. start[g + 1] - 1.  Owned by the caller, arrays grown by sources
 * with bank_batch_reserve. */
typedef struct bank_batch {
	size_t groups;
	size_t accesses; /* start[groups] */
	uint32_t *start;
	uint64_t *blocks;
	uint8_t *kinds; /* of each access, or all zero (reads) when has_kinds is false */
	bool has_kinds;
	size_t group_room, access_room;
} bank_batch;

typedef struct bank_source bank_source;
struct bank_source {
	/* Fills the batch with the next groups; false at the end and on error (then *error is set). */
	bool (*next)(bank_source *source, bank_batch *batch, GError **error);
	/* Begins anew with the same groups; false when that cannot be (a pipe). */
	bool (*rewind)(bank_source *source, GError **error);
	void (*free)(bank_source *source);
	char *name; /* as users wrote it: "s16u", "file.txt"; owned */
};

bool bank_source_next(bank_source *source, bank_batch *batch, GError **error);
bool bank_source_rewind(bank_source *source, GError **error);
void bank_source_free(bank_source *source); /* NULL is fine */

void bank_batch_clear(bank_batch *batch); /* frees the arrays */
/* Room for so many more groups and accesses. */
void bank_batch_reserve(bank_batch *batch, size_t groups, size_t accesses);
/* Appends one group of reads. */
void bank_batch_add(bank_batch *batch, const uint64_t *blocks, size_t count);

/* The groups of an array, for tests and tools: BLOCKS (copied) in groups of K; a last shorter group is kept. */
bank_source *bank_source_of_blocks(const char *name, const uint64_t *blocks, size_t count, unsigned k);

#endif
