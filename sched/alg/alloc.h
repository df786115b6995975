/* SPDX-License-Identifier: Apache-2.0
 *
 * Static memory allocation: buffers with known lives and sizes get addresses, so that no two that live at once share a
 * byte and the highest byte is low.  Lives are half-open, [lower, upper).
 *
 * Three engines.  Greedy: first and best fit over several orders, and first descents of the exact search.  Local search
 * over orders, first fit deciding.  An exact search for a given capacity: skylines are filled from below, where the
 * fewest buffers can come next; every set of buffers that live at once is a machine whose earliest-release schedule
 * must end below the capacity; parts that share no buffer are solved apart; states that failed are remembered.
 * Canonical solutions and the cut into sections are those of MiniMalloc (Moffitt, ASPLOS 2024).  Budgets are numbers of
 * moves and nodes.
 *
 * Buffers whose life has gaps are not modelled.
 */
#ifndef TSPSIM_SCHED_ALG_ALLOC_H
#define TSPSIM_SCHED_ALG_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

enum { ALLOC_BUFFERS_MAX = 65536, ALLOC_FREE = -1 };
#define ALLOC_SIZE_MAX (INT64_C(1) << 44) /* of a size, an alignment, a fixed address: sums stay below 2^62 */

typedef struct alloc_buffer {
	char *id; /* owned; no two alike */
	int64_t lower, upper;
	int64_t size_bytes;
	int64_t alignment_bytes; /* its address is a multiple of it; 1 or more */
	int64_t fixed;           /* the address it must have, or ALLOC_FREE */
} alloc_buffer;

typedef struct alloc_problem {
	alloc_buffer *buffers;
	uint32_t count;
} alloc_problem;

void alloc_problem_free(alloc_problem *p);

/* CSV with a header line: id (or buffer, buffer_id), lower (begin, start), upper or end, size, and where wanted
 * alignment, offset (a fixed address; empty: none) and gaps (must be empty), in any order.  The last cycle of an "end"
 * column is one the buffer still lives in.  FIXED false: a column "offset" is a hint and is not looked at.  Errors
 * carry file:line:column. */
alloc_problem *alloc_read(const char *text, const char *file, bool fixed, GError **error);

typedef struct alloc_access {
	int64_t cycle;
	uint32_t buffer;
	int64_t byte; /* of the buffer */
} alloc_access;

typedef struct alloc_pair {
	uint32_t first, second; /* read or written in step, block by block from their beginnings */
} alloc_pair;

typedef struct alloc_accesses {
	GArray *single; /* alloc_access */
	GArray *pairs;  /* alloc_pair */
} alloc_accesses;

/* CSV with a header line, either cycle, id and where wanted byte, or first and second. */
alloc_accesses *alloc_read_accesses(const char *text, const char *file, const alloc_problem *p, GError **error);
void alloc_accesses_free(alloc_accesses *a);

/* The most bytes that live at once, and no less than what fixed addresses take: no allocation is lower. */
int64_t alloc_max_live(const alloc_problem *p);

typedef struct alloc_options {
	int64_t capacity_bytes; /* 0: none given */
	bool minimise;          /* go on below the capacity */
	uint64_t moves;         /* of the local search */
	uint64_t nodes;         /* of the exact search */
	uint64_t seed;
	bool (*stop)(void *state); /* NULL, or asked now and then */
	void *stop_state;
} alloc_options;

enum alloc_status {
	ALLOC_OPTIMAL,    /* no allocation is lower */
	ALLOC_FEASIBLE,   /* within the capacity */
	ALLOC_INFEASIBLE, /* proved: no allocation is within the capacity, or fixed addresses collide */
	ALLOC_UNKNOWN,    /* budgets ended above the capacity */
};

typedef struct alloc_result {
	enum alloc_status status;
	int64_t *address;     /* [count] the lowest allocation found, whether within the capacity or not; g_free */
	int64_t height_bytes; /* of it */
	int64_t greedy_height_bytes;
	int64_t lower_bound_bytes;
	const char *by; /* "greedy" "skyline" "local" "exact" */
	bool collide;   /* the fixed addresses of these two buffers do */
	uint32_t colliding[2];
	uint64_t moves, nodes;
} alloc_result;

void alloc_solve(const alloc_problem *p, const alloc_options *options, alloc_result *result);
void alloc_result_fini(alloc_result *r);
const char *alloc_status_name(enum alloc_status status);

/* NULL when ADDRESS keeps every rule and ends at or below LIMIT_BYTES; else what it breaks, g_free.  Shares no code
 * with the engines. */
char *alloc_check(const alloc_problem *p, const int64_t *address, int64_t limit_bytes);

/* What it costs that BUFFER is at ADDRESS while the others are where they are. */
typedef int64_t (*alloc_cost)(void *state, uint32_t buffer, int64_t address);

typedef struct alloc_refinement {
	int64_t capacity_bytes;
	int64_t step_bytes; /* addresses tried in a hole are this far apart */
	unsigned steps;     /* at most so many from either end of a hole */
	uint64_t moves;
	uint64_t seed;
	alloc_cost cost;
	void (*moved)(void *state, uint32_t buffer, int64_t from, int64_t to);
	void *state;
	bool (*stop)(void *state);
	void *stop_state;
} alloc_refinement;

/* Moves buffers of a legal ADDRESS, one at a time, to holes where they cost less, and at equal cost anywhere; the best
 * met is left there.  Returns its cost less that of the beginning, at most 0; *MOVES takes the moves made. */
int64_t alloc_refine(const alloc_problem *p, const alloc_refinement *how, int64_t *address, uint64_t *moves);

#endif
