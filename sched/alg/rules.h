/* SPDX-License-Identifier: Apache-2.0
 *
 * Priority rules on flat problems (sched/alg/rules.def, one row each).
 */
#ifndef TSPSIM_SCHED_ALG_RULES_H
#define TSPSIM_SCHED_ALG_RULES_H

#include "sched/alg/flat.h"
#include "sched/alg/list.h"

/* What rules look at. */
typedef struct alg_rule_view {
	const alg_flat *flat;
	const alg_weights *weights;
	int64_t *head, *tail; /* see alg_flat_heads() and alg_flat_tails() */
	double *share;        /* demand as a share of capacity, summed over resources */
	double mean_share;
} alg_rule_view;

typedef struct alg_rule {
	const char *name;
	void (*values)(const alg_rule_view *view, double *value); /* per task; least first */
	const char *doc;
} alg_rule;

/* Ends with a row without a name. */
extern const alg_rule alg_rules[];
const alg_rule *alg_rule_find(const char *name, GError **error);

void alg_rule_view_init(alg_rule_view *view, const alg_flat *flat, const alg_weights *weights);
void alg_rule_view_fini(alg_rule_view *view);
/* Ranks by VALUE, ties by longer tail and then by number; RANK becomes a permutation. */
void alg_rule_ranks(const alg_rule_view *view, const double *value, uint32_t *rank);

#endif
