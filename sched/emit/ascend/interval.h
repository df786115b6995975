/* SPDX-License-Identifier: Apache-2.0
 *
 * Steady states of the loops of a predicted program, and what bounds them.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_INTERVAL_H
#define TSPSIM_SCHED_EMIT_ASCEND_INTERVAL_H

#include "sched/emit/ascend/predict.h"

/* A step of a loop, and what it takes by itself. */
typedef struct asi_step {
	const asc_insn *insn;
	asb_mode mode;
	enum asc_pipe pipe;
	uint32_t tag, iteration;
	double taken, latency; /* cycles of its pipe; until it is done */
	double link[2];        /* read, written: cycles of the link to L2 */
} asi_step;

/* A stretch of iterations of a sub-core that repeats: PERIODS periods of PERIOD iterations from FIRST on. */
typedef struct asi_stretch {
	uint32_t first, period, periods;
	GArray *steps; /* asi_step of those and of one period more, in the order of the stream */
} asi_stretch;
static inline asi_step *asi_step_at(const asi_stretch *s, guint i)
{
	return &g_array_index(s->steps, asi_step, i);
}

/* Cycles for a period, and of what (interned). */
typedef struct asi_bound {
	double cycles;
	const char *what;
} asi_bound;

/* interval_memory.c: lines of global memory, who touches them first. */
typedef struct asi_lines asi_lines;
asi_lines *asi_lines_new(const asb *b);
void asi_lines_free(asi_lines *l);
/* Does an iteration that touches BOX once touch all its lines as the first? */
bool asi_lines_new_to(const asi_lines *l, uint32_t tag, const asb_box *box);
/* What channels and slices of L2 need for iterations FIRST..END-1 of LOOP (number + 1) of all sub-cores, were they all
 * equally busy. */
asi_bound asi_lines_bound(const asi_lines *l, uint32_t loop, uint32_t first, uint32_t end);

/* Goes through the steps of a stream. */
typedef struct asi_walk {
	const GArray *insns, *tags;
	guint next, step;
	asb_mode mode;
	const asc_insn *insn;
	uint32_t loop, iteration; /* number + 1, 0: none */
} asi_walk;
asi_walk asi_walk_new(const asb *b, const asc_stream *stream);
bool asi_walk_on(asi_walk *w);
bool asi_knows_memory(const asc_insn *insn); /* does it move bytes of global memory? */

/* interval_alone.c: fills what steps take by themselves: nothing in the way, in L2 what it may ever find there. */
typedef struct asi_alone asi_alone;
asi_alone *asi_alone_new(const asb *b, const asi_lines *lines);
void asi_alone_free(asi_alone *a);
void asi_alone_measure(asi_alone *a, asi_step *s);

/* interval_graph.c: dependences of the steps of a stretch. */
typedef struct asi_graph asi_graph;
asi_graph *asi_graph_new(const asb *b, const asi_stretch *s);
void asi_graph_free(asi_graph *g);
/* Sets and waits that PIPE needs a period, when each iteration is handed over by itself. */
unsigned asi_graph_flags(const asi_graph *g, enum asc_pipe pipe);
/* Barriers that PIPE needs a period, and what the pipe loses by one at least. */
double asi_graph_barriers(const asi_graph *g, enum asc_pipe pipe);
/* The longest way from a step to the same step D periods on, over D, for the D with the most. */
asi_bound asi_graph_recurrence(const asi_graph *g);

#endif
