/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of asc_weigh.h share: steps, events, edges.
 */
#ifndef TSPSIM_TESTS_MUTATION_ASC_WEIGH_INT_H
#define TSPSIM_TESTS_MUTATION_ASC_WEIGH_INT_H

#include "tests/differential/asc_ref.h"
#include "tests/mutation/asc_weigh.h"

enum event { PUSH, START, DONE, SOFAR, EVENTS }; /* SOFAR: it and everything before it on its pipe is done */

typedef struct step {
	const asc_insn *insn;
	uint32_t stream;
	enum asc_pipe pipe;
	uint64_t mask[2];
	bool counter;
	GArray *accesses; /* ref_access, joined */
} step;

/* FROM comes before TO; a fact only of how units work, or one that says that everything is complete. */
typedef struct edge {
	uint32_t from, to;
	bool tells;
} edge;

typedef struct judge {
	const asc_program *program;
	const asc_machine *machine;
	bool wide;
	weigh *w;
	GArray *steps;   /* step */
	GArray *edges;   /* edge */
	GArray *demands; /* demand */
	uint32_t *order; /* events in an order that all edges allow */
	uint32_t words;  /* of a set of steps */
	uint64_t *known; /* [events][words]: steps that are done before the event */
} judge;

static inline step *step_at(const judge *j, uint32_t i)
{
	return &g_array_index(j->steps, step, i);
}

static inline const asc_stream *stream_of(const judge *j, uint32_t i)
{
	return g_ptr_array_index(j->program->streams, step_at(j, i)->stream);
}

static inline uint32_t event_of(uint32_t i, enum event e)
{
	return i * EVENTS + e;
}

/* A thing to ask when all is known: is BEFORE done before AFTER is?  FAULT if not. */
typedef struct demand {
	uint32_t before, after;
	enum weigh_fault fault;
} demand;

void judge_edge(judge *j, uint32_t a, enum event ea, uint32_t b, enum event eb, bool tells);
void judge_demand(judge *j, uint32_t before, uint32_t after, enum weigh_fault fault);

void judge_streams(judge *j); /* queues, barriers, depth of queues */
void judge_flags(judge *j);
void judge_counters(judge *j);
void judge_words(judge *j);
void judge_units(judge *j); /* unit flags of L0C */
bool judge_knows(const judge *j, uint32_t before, uint32_t after, enum event e);
void judge_execute(judge *j); /* accesses and values, in the order found */

#endif
