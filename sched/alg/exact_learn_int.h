/* SPDX-License-Identifier: Apache-2.0
 *
 * What the learning search (sched/alg/exact_learn.c) and its rules (sched/alg/exact_rules.c) share.
 */
#ifndef TSPSIM_SCHED_ALG_EXACT_LEARN_INT_H
#define TSPSIM_SCHED_ALG_EXACT_LEARN_INT_H

#include "sched/alg/exact_learn.h"

typedef struct learn_literal {
	uint32_t key;
	int32_t least;
} learn_literal;

enum learn_reason { LEARN_NONE, LEARN_CLAUSE, LEARN_ARC, LEARN_LIST };

/* A value that has grown. */
typedef struct learn_event {
	uint32_t key;
	int32_t old, now;
	int32_t before; /* the event of the same key before this one, or -1 */
	uint32_t level;
	enum learn_reason kind;
	uint32_t reason; /* number of clause or arc, place in the list of literals */
} learn_event;

typedef struct learn_clause {
	uint32_t size, levels; /* how many decisions its literals hung on when it was learned */
	float activity;
	learn_literal literal[];
} learn_clause;

/* Key TO is at least key FROM and LAG. */
typedef struct learn_arc {
	uint32_t from, to;
	int32_t lag;
} learn_arc;

typedef struct learn_watch {
	uint32_t clause;
	learn_literal other; /* one that may make the clause true */
} learn_watch;

/* What uses a resource. */
typedef struct learn_use {
	uint32_t task;
	int32_t amount;
} learn_use;

struct exact_learner {
	const exact_model *m;
	const alg_solve_options *options;
	alg_solve_result *result;
	uint32_t keys; /* two a task, and two for the end */
	int32_t *value, *root;
	int32_t *duration; /* per task */
	int32_t horizon;
	bool refuted; /* there is no schedule at all */

	GArray *events; /* learn_event */
	int32_t *last;  /* per key: its last event, or -1 */
	GArray *levels; /* guint: events before each decision */
	GArray *marks;  /* guint: literals in lists before each decision */
	GArray *lists;  /* learn_literal; a list is its length, as a literal's least, then its literals */
	guint handled;  /* events whose consequences are drawn */

	uint32_t *first_arc; /* per key */
	learn_arc *arc;
	uint32_t *first_pair; /* per task */
	uint32_t *pair;       /* tasks that never run at the same time as it */
	uint32_t resources;
	uint32_t *first_use; /* per resource */
	learn_use *use;
	uint32_t *first_resource; /* per task */
	uint32_t *resource;
	bool *dirty;                         /* per resource */
	int32_t *profile;                    /* by time: what surely runs, of one resource */
	int32_t profile_from, profile_until; /* where it may be other than 0 */
	int32_t *capacity;                   /* [resource * horizon + time] */

	int32_t *offset;   /* per task: atom OFFSET + T is "starts at T or later" */
	uint32_t *task_of; /* per atom */
	uint32_t atoms;
	double *activity; /* per atom */
	double increment;
	bool *phase;       /* per atom: what to try first */
	uint32_t *heap;    /* atoms by falling activity */
	uint32_t *in_heap; /* per atom: place + 1, or 0 */
	uint32_t heap_size;

	GPtrArray *clauses; /* learn_clause */
	GArray **watch;     /* per atom and sign: learn_watch of clauses that must see it become false; NULL: none */
	float clause_increment;
	uint64_t restarts, until_restart, most_clauses;

	GArray *conflict;  /* learn_literal: true all of them, and never all at once */
	GArray *learned;   /* learn_literal */
	GArray *touched;   /* guint: events below the level of the conflict that it hangs on */
	GArray *needed;    /* int32_t, per event: at least this is needed for the conflict, or INT32_MIN */
	int32_t *greatest; /* per key: the greatest of needed, or INT32_MIN */
	GArray *stamp;     /* uint32_t, per level */
	uint32_t stamped;
};

#define LEARN_EVENT(l, i) (&g_array_index((l)->events, learn_event, (i)))

/* Decisions that hold. */
static inline uint32_t exact_i_level(const exact_learner *l)
{
	return l->levels->len;
}

static inline learn_literal exact_i_opposite(learn_literal x)
{
	return (learn_literal){x.key ^ 1, 1 - x.least};
}

static inline uint32_t exact_i_atom(const exact_learner *l, uint32_t key, int32_t least)
{
	return (uint32_t)(l->offset[key / 2] + (key % 2 ? 1 - least : least));
}

/* Adds to OUT literals that together make key KEY LEAST or more, as KIND and REASON say. */
void exact_i_why(exact_learner *l, enum learn_reason kind, uint32_t reason, uint32_t key, int32_t least, GArray *out);
/* Takes the last event back. */
void exact_i_undo(exact_learner *l);
/* A conflict has named ATOM. */
void exact_i_bump(exact_learner *l, uint32_t atom);

/* The highest level in the conflict; 0: there is no schedule. */
uint32_t exact_i_conflict_level(const exact_learner *l);
/* Of a conflict at the present level: fills l->learned, its one literal of that level first, then one of the highest
 * level below, which is returned.  LEVELS: of all literals.  Events of the present level are taken back in part. */
uint32_t exact_i_conflict_clause(exact_learner *l, uint32_t *levels);

/* LITERAL becomes true, because of what KIND and REASON say.  False: it cannot; then the conflict is filled. */
bool exact_i_raise(exact_learner *l, uint32_t key, int32_t least, enum learn_reason kind, uint32_t reason);
/* Lists of literals: begin, add, and the place for exact_i_raise(). */
guint exact_i_list_begin(exact_learner *l);
void exact_i_list_add(exact_learner *l, uint32_t key, int32_t least);
/* The list at PLACE is the conflict. */
void exact_i_list_fails(exact_learner *l, guint place);

/* Restarts and clauses as at the beginning. */
void exact_i_learner_reset(exact_learner *l);

/* What follows from pairs with TASK, and from what surely runs on RESOURCE.  False: a conflict. */
bool exact_i_rule_pairs(exact_learner *l, uint32_t task);
bool exact_i_rule_capacity(exact_learner *l, uint32_t resource);

#endif
