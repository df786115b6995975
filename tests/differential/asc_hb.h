/* SPDX-License-Identifier: Apache-2.0
 *
 * What nothing orders, by brute force: of the streams of a core, without jumps, the whole happens-before relation,
 * every pair of instructions, every byte.  After docs/ascend.md, "Time" and "Races"; shares nothing with
 * models/ascend/.
 */
#ifndef TSPSIM_TESTS_DIFFERENTIAL_ASC_HB_H
#define TSPSIM_TESTS_DIFFERENTIAL_ASC_HB_H

#include "tests/differential/asc_ref.h"

/* A step of the stream of a sub-core: 0 the cube core or the only one, 1 and 2 vector cores.  Those of a sub-core
 * follow one another. */
/* The value of words that sub-cores wait for; no random word has it. */
#define HB_WORD INT64_MAX

typedef struct hb_step {
	asc_insn insn;
	unsigned sub;
	GArray *accesses; /* ref_access */
} hb_step;

typedef struct hb_race {
	unsigned earlier, later; /* steps */
	enum asc_space space;
	uint64_t address; /* the first byte of theirs that has no earlier pair of its own */
} hb_race;

typedef struct asc_hb {
	unsigned count;
	const hb_step *steps;
	uint8_t *before;        /* [3 count][3 count]: does one event come before the other? */
	GArray *races;          /* hb_race: all pairs */
	bool deadlock;          /* some wait has no set, or comes before it */
	bool *stuck;            /* [count]: never executed */
	GArray *unordered_sets; /* unsigned: sets that nothing orders after the wait for the one before */
	GArray *left;           /* unsigned: the last set of each flag that stays set */
	bool cross_left;        /* more cross-core sets than waits */
} asc_hb;

asc_hb *asc_hb_new(const hb_step *steps, unsigned count);
void asc_hb_free(asc_hb *h);
/* Is step A complete before step B starts? */
bool asc_hb_ordered(const asc_hb *h, unsigned a, unsigned b);
bool asc_hb_writes(const hb_step *s, enum asc_space space, uint64_t byte);
/* Does what it reads depend on values? */
bool asc_hb_gathers(const hb_step *s);
/* Do A and B touch BYTE of SPACE, one of them writing? */
bool asc_hb_clash_at(const hb_step *a, const hb_step *b, enum asc_space space, uint64_t byte);

#endif
