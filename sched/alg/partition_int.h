/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the partition engine share.
 */
#ifndef TSPSIM_SCHED_ALG_PARTITION_INT_H
#define TSPSIM_SCHED_ALG_PARTITION_INT_H

#include "sched/alg/partition.h"

typedef struct part_solver {
	const part_problem *p;
	const part_options *options;
	uint32_t groups;
	uint32_t *group;   /* [nodes] */
	uint32_t *first;   /* [groups + 1] into member */
	uint32_t *member;  /* [nodes] nodes by group */
	uint32_t *succ_at; /* [nodes + 1] edges out of a node, into succ */
	uint32_t *succ;    /* [edges] */
	uint32_t *pred_at, *pred;
	GArray *before;    /* part_edge between groups, no two the same */
	uint32_t *need_at; /* [groups + 1] into need: groups that must come before */
	uint32_t *need;
	double *work, *host_work, *bytes; /* [groups] */
	/* down-sets */
	unsigned words;
	GArray *bits;    /* uint64_t [words] each */
	GArray *next_at; /* uint32_t: first of its steps */
	GArray *step;    /* struct step */
	uint64_t count;
	/* program */
	uint32_t cells;   /* (accelerators + 1) (hosts + 1) */
	double *best;     /* [count][cells] */
	uint32_t *from;   /* [count][cells] down-set before the last device; its high bit: it is a host */
	uint32_t *linear; /* [groups] devices of the best cut of a linear order */
	double linear_load;
	uint32_t *stamp; /* [count] */
	double bound;    /* maximum load known to be possible */
	uint64_t pairs;
	bool stopped;
} part_solver;

static inline const part_node *node_at(const part_problem *p, uint32_t i)
{
	return &g_array_index(p->nodes, part_node, i);
}

/* Fills groups of S->p and the edges between them; all are freed with S. */
void part_make_groups(part_solver *s);

#endif
