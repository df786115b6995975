/* SPDX-License-Identifier: Apache-2.0
 *
 * What the copy engines ask the shared memory: requests of at most a line, in ticks (calendar.h).
 */
#ifndef TSPSIM_MODELS_ASCEND_MEMORY_H
#define TSPSIM_MODELS_ASCEND_MEMORY_H

#include "models/ascend/calendar.h"
#include "models/ascend/internal.h"

typedef struct asc_answer {
	int64_t at;        /* read: the data are at L2's way out; write: L2 has taken them */
	int64_t line_wait; /* ticks another request held the line */
	bool hit;
} asc_answer;

/* No later request will be for a time before NOW. */
void asc_memory_advance(asc_memory *m, int64_t now);
/* BYTES at ADDRESS, inside one line, asked for at tick AT. */
asc_answer asc_memory_request(asc_memory *m, bool write, uint64_t address, uint64_t bytes, int64_t at);
/* The same for a read that L2 is told not to keep: a line it has it serves; another one's bytes come from the memory
 * behind it and leave no trace but the time in which the line is held. */
asc_answer asc_memory_pass(asc_memory *m, uint64_t address, uint64_t bytes, int64_t at);
/* A request for SOON will come, then one for LATER: only the host gains from it. */
void asc_memory_expect(const asc_memory *m, uint64_t soon, uint64_t later);
void asc_memory_count(const asc_memory *m, uint64_t *hits, uint64_t *misses);
/* Bytes that crossed to and from the memory behind L2. */
uint64_t asc_memory_traffic(const asc_memory *m);

#endif
