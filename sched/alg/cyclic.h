/* SPDX-License-Identifier: Apache-2.0
 *
 * Modulo schedules: a loop body whose iterations start every II cycles, each operation at the same distance from its
 * iteration's start, so that one kernel of II cycles repeats.  The initiation interval II is to be as small as can be.
 *
 * An operation takes units of resources in cycles counted from its start (its reservation table), in one of several
 * modes (alternative units, same timing).  An edge says that TO of iteration i + DISTANCE starts LATENCY or more after
 * FROM of iteration i; a negative latency bounds from above how long FROM may come after TO.
 *
 * Sources: Rau, "Iterative modulo scheduling", 1996 (bounds, ejection); Huff 1993 (life times); the exact part is an
 * order encoding over CaDiCaL of rows modulo II, in which operations outside recurrences have no horizon.
 * Not modelled: modes with latencies of their own, units that differ by iteration.
 */
#ifndef TSPSIM_SCHED_ALG_CYCLIC_H
#define TSPSIM_SCHED_ALG_CYCLIC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"
#include "sched/alg/cyclic_ratio.h"

enum {
	CYCLIC_OPS_MAX = 20000,
	CYCLIC_RESOURCES_MAX = 1000,
	CYCLIC_MODES_MAX = 256,      /* of one operation */
	CYCLIC_CYCLES_MAX = 1000000, /* offsets, lengths, latencies */
	CYCLIC_DISTANCE_MAX = 1000000,
	CYCLIC_CAPACITY_MAX = 1000000000,
};

typedef struct cyclic_resource {
	char *name;
	uint32_t capacity; /* units that can be taken in one cycle */
} cyclic_resource;

/* AMOUNT units in cycles OFFSET .. OFFSET + LENGTH - 1 after the start. */
typedef struct cyclic_use {
	uint32_t resource, amount, offset, length;
} cyclic_use;

typedef struct cyclic_mode {
	uint32_t first_use, uses;
} cyclic_mode;

typedef struct cyclic_op {
	char *name;
	uint32_t first_mode, modes; /* one at least */
} cyclic_op;

typedef struct cyclic_edge {
	uint32_t from, to;
	int64_t latency;
	uint32_t distance; /* iterations */
	bool value;        /* TO reads what FROM writes: it is kept from FROM's least latency until TO starts */
} cyclic_edge;

typedef struct cyclic_problem {
	GArray *resources, *uses, *modes, *ops, *edges;
} cyclic_problem;

cyclic_problem *cyclic_problem_new(void);
void cyclic_problem_free(cyclic_problem *p);
/* Modes are of the operation added last, uses of the mode added last.  Names are copied. */
uint32_t cyclic_add_resource(cyclic_problem *p, const char *name, uint32_t capacity);
uint32_t cyclic_add_op(cyclic_problem *p, const char *name);
void cyclic_add_mode(cyclic_problem *p);
void cyclic_add_use(cyclic_problem *p, uint32_t resource, uint32_t amount, uint32_t offset, uint32_t length);
void cyclic_add_edge(cyclic_problem *p, uint32_t from, uint32_t to, int64_t latency, uint32_t distance, bool value);

static inline const cyclic_resource *cyclic_resource_at(const cyclic_problem *p, uint32_t i)
{
	return &g_array_index(p->resources, cyclic_resource, i);
}
static inline const cyclic_op *cyclic_op_at(const cyclic_problem *p, uint32_t i)
{
	return &g_array_index(p->ops, cyclic_op, i);
}
static inline const cyclic_mode *cyclic_mode_at(const cyclic_problem *p, uint32_t op, uint32_t mode)
{
	return &g_array_index(p->modes, cyclic_mode, cyclic_op_at(p, op)->first_mode + mode);
}
static inline const cyclic_use *cyclic_use_at(const cyclic_problem *p, uint32_t i)
{
	return &g_array_index(p->uses, cyclic_use, i);
}
static inline const cyclic_edge *cyclic_edge_at(const cyclic_problem *p, uint32_t i)
{
	return &g_array_index(p->edges, cyclic_edge, i);
}

/* The text format of docs/engines-cyclic.md; errors carry file:line:column. */
cyclic_problem *cyclic_read(const char *text, const char *file, GError **error);

typedef struct cyclic_bounds {
	int64_t resource;    /* II is not below: what resources are asked for, and operations that meet themselves */
	char *resource_why;  /* names of what binds; g_free */
	int64_t recurrence;  /* the ratio rounded up; 0: no cycle bounds it */
	cyclic_rate ratio;   /* exact; distance 0: no II will do */
	GArray *cycle;       /* uint32_t: edges of a cycle that binds, in order; empty when there is none */
	uint32_t impossible; /* an operation that no capacity meets, or UINT32_MAX */
} cyclic_bounds;
void cyclic_bound(const cyclic_problem *p, cyclic_bounds *bounds);
void cyclic_bounds_fini(cyclic_bounds *bounds);

typedef struct cyclic_options {
	uint64_t placements;       /* of operations, in all (default 2,000,000) */
	uint64_t conflicts;        /* of the exact part, in all (default 200,000); 0: without it */
	uint64_t moves;            /* places looked at for fewer stages and values (default 100,000) */
	uint64_t seed;             /* of the orders tried after the first */
	int64_t from;              /* smallest II to try, if above the bounds; then none is proved to be the least */
	int64_t limit;             /* largest II to try; 0: one at which the iterations need not overlap */
	bool (*stop)(void *state); /* asked now and then; true ends the work.  May be NULL */
	void *stop_state;
} cyclic_options;
void cyclic_options_init(cyclic_options *options);
/* Is the exact part built in? */
extern const bool cyclic_has_exact;

enum cyclic_status {
	CYCLIC_OPTIMAL,    /* a schedule, and no smaller II has one */
	CYCLIC_FEASIBLE,   /* a schedule */
	CYCLIC_INFEASIBLE, /* no II has one */
	CYCLIC_UNKNOWN,    /* none was found up to the limit */
	CYCLIC_STATUS_COUNT
};
extern const char *const cyclic_status_names[CYCLIC_STATUS_COUNT];

typedef struct cyclic_result {
	enum cyclic_status status;
	cyclic_bounds bounds;
	int64_t ii;
	int64_t *start;      /* [ops] of iteration 0, the least is 0; NULL without a schedule */
	uint32_t *mode;      /* [ops] */
	int64_t lower_bound; /* no smaller II has a schedule: the bounds, raised by proofs */
	uint32_t stages;     /* iterations under way at a time: the last start / II + 1 */
	bool stages_proved;  /* none with fewer at this II */
	uint64_t max_live;   /* values kept at a time, in the fullest cycle */
	uint64_t live_bound; /* not fewer at this II */
	const char *found_by;
	uint64_t placements, conflicts; /* made */
	bool capped;                    /* the stop function ended the work */
	bool valid;                     /* judged by cyclic_check() */
} cyclic_result;

/* Fills RESULT (to be given to cyclic_result_fini() in any case). */
void cyclic_solve(const cyclic_problem *p, const cyclic_options *options, cyclic_result *result);
void cyclic_result_fini(cyclic_result *result);

/* cyclic_check.c: the independent judge.  Are all dependences kept, and no resource over-used in any cycle of the
 * kernel?  The first offence in words, or NULL; g_free. */
char *cyclic_check(const cyclic_problem *p, int64_t ii, const int64_t *start, const uint32_t *mode);

#endif
