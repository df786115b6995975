/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers to modulo scheduling problems that come up again: a search emits the same loops a thousand times.
 */
#ifndef TSPSIM_SCHED_ALG_CYCLIC_MEMO_H
#define TSPSIM_SCHED_ALG_CYCLIC_MEMO_H

#include "sched/alg/cyclic.h"

typedef struct cyclic_memo cyclic_memo;

cyclic_memo *cyclic_memo_new(void);
void cyclic_memo_free(cyclic_memo *memo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(cyclic_memo, cyclic_memo_free)
/* What cyclic_solve() says, from any thread; RESULT is the caller's own.  Problems are the same when all their numbers
 * and names are.  MEMO may be NULL.  Not for options with a stop function. */
void cyclic_memo_solve(cyclic_memo *memo, const cyclic_problem *p, const cyclic_options *options,
                       cyclic_result *result);
/* How often was an answer there already? */
uint64_t cyclic_memo_hits(cyclic_memo *memo);

#endif
