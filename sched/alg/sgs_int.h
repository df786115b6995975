/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two kinds of schedule generation share.
 */
#ifndef TSPSIM_SCHED_ALG_SGS_INT_H
#define TSPSIM_SCHED_ALG_SGS_INT_H

#include "sched/alg/calendar.h"
#include "sched/alg/sgs.h"

struct alg_sgs {
	const alg_flat *f;
	int64_t horizon;         /* no schedule is longer */
	uint32_t words;          /* of a slot; 0: calendars */
	uint64_t *need;          /* [task * words + word] */
	uint64_t *fresh;         /* [cycle * words + word]: what is free in an empty schedule, guards set */
	uint64_t *slots;         /* what is free now */
	int64_t dirty;           /* slots from here on are fresh */
	struct waiting *waiting; /* of parallel generation, or NULL */
};

/* Guard bits of the lanes of a word, and whether FREE has NEED in all of them. */
#define ALG_SLOT_GUARDS            UINT64_C(0x8000800080008000)
#define ALG_SLOT_TAKES(free, need) ((((free) - (need)) & ALG_SLOT_GUARDS) == ALG_SLOT_GUARDS)

alg_calendar **alg_sgs_i_calendars(const alg_flat *f);
void alg_sgs_i_free_calendars(const alg_flat *f, alg_calendar **calendars);
/* The earliest start of V from FROM on at which all its demands are met. */
int64_t alg_sgs_i_earliest(const alg_flat *f, alg_calendar **calendars, uint32_t v, int64_t from);
void alg_sgs_i_free_parallel(alg_sgs *s);

#endif
