/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of synchronisation share: what pipes know of one another, what a step needs, who has accessed what.
 *
 * Times of knowledge: 2k is the moment before step k of a pipe (its waits taken), 2k + 1 that after which it is
 * complete.  Steps of a pipe count from 1.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_SYNC_INT_H
#define TSPSIM_SCHED_EMIT_ASCEND_SYNC_INT_H

#include "sched/emit/ascend/build_int.h"

enum { SYNC_IDS = 16, SYNC_MEMBERS = 3 }; /* members: sub-cores of a core */

typedef struct knowledge {
	uint32_t of[ASC_PIPES];
} knowledge;

typedef struct queue {
	uint32_t count; /* steps so far */
	knowledge know; /* of what starts next */
	GArray *past;   /* knowledge at each step's start */
	GArray *item;   /* uint32_t: the step's number in its sub-core */
} queue;

typedef struct place {
	asb_spans reads, writes;
} place;

/* What a sub-core knows of the others of its core; by the step from which on. */
typedef struct neighbours {
	uint32_t from;
	knowledge of[SYNC_MEMBERS];
} neighbours;

/* Cross-core sets of one pipe of a sub-core, and where its waits for those of the others stand. */
typedef struct crossing {
	uint32_t sets;  /* so far */
	uint32_t last;  /* step of the pipe behind which the last one stands */
	uint32_t waits; /* taken from the counter of this pipe's number */
	GArray *placed; /* uint32_t: step behind which each set stands, in order */
	GArray *wait;   /* knowledge each: steps of each pipe that stand before the wait */
} crossing;

/* What has to bring what a step did to those that depend on it: nothing, counters of its core, a meeting. */
enum asked_by { ASKED_BY_NONE, ASKED_BY_CORE, ASKED_BY_OTHERS };

typedef struct front {
	asb *b;
	asb_sub *sub;
	uint32_t index, cursor; /* cursor: number of the step at hand */
	unsigned member;        /* of its core */
	bool used;              /* it did something for other cores since its kind last told of it */
	queue pipe[ASC_PIPES];
	uint32_t waited[ASC_PIPES][ASC_PIPES][SYNC_IDS]; /* time on `to` of the last wait for (from, to, id) */
	place place[ASC_SPACES];
	uint8_t *asked;             /* [items] enum asked_by: does a later step of another sub-core depend on it? */
	uint32_t memory[ASC_PIPES]; /* last step of each pipe that is asked for */
	GArray *neighbours;         /* neighbours, by step */
	crossing cross[ASC_PIPES];
} front;

/* A step of another sub-core that the step at hand depends on. */
typedef struct away {
	uint32_t sub, step;
	uint8_t pipe;
} away;

/* Between the kinds of a core: the first has told its own what the second has not heard; tells it in this meeting. */
typedef struct core_link {
	bool takes_part, owed[ASC_KINDS][ASC_KINDS], tells[ASC_KINDS][ASC_KINDS];
} core_link;

typedef struct syncer {
	asb *b;
	front *front; /* [sub-cores] */
	place global;
	GArray *written; /* uint64_t pairs: extents of global memory that any step writes */
	GPtrArray *found;
	GArray *away;       /* what the step at hand needs of other sub-cores */
	bool pending, both; /* a meeting is due; both kinds have steps */
	core_link *link;    /* [cores] */
} syncer;

/* What the step at hand must know of its own sub-core. */
typedef struct needs {
	uint32_t of[ASC_PIPES]; /* step number, 0: none */
} needs;

static inline uint32_t complete(uint32_t step)
{
	return 2 * step + 1;
}

/* flags.c */
void knowledge_join(knowledge *into, const knowledge *from);
/* What a set right behind step STEP of pipe P tells of its own sub-core. */
knowledge front_told(const front *f, unsigned p, uint32_t step);
void note_before(front *f, enum asc_op op, unsigned a, unsigned b, unsigned c);
void note_behind(front *f, uint32_t item, enum asc_op op, unsigned a, unsigned b, unsigned c);
/* What a set at the end of pipe P tells now. */
knowledge front_told_now(const front *f, unsigned p);
void cover(front *f, unsigned p, const needs *n); /* flags and barriers before the next step of pipe P */

/* cross.c */
void cross_init(front *f);
void cross_fini(front *f);
/* Does F know that STEP of PIPE of another sub-core of its core is complete? */
bool cross_knows(const syncer *s, const front *f, const away *a);
/* Counters between the sub-cores of a core for what the step at hand of F needs; false when all cores must meet. */
bool cross_connect(syncer *s, front *f);
void cross_settle(syncer *s, front *f); /* waits for what was set for F and not yet taken */
/* All sub-cores.  PRESENT: [cores][ASC_KINDS] who has steps before the next meeting; NULL: not known. */
void cross_meet(syncer *s, const bool *present);

#endif
