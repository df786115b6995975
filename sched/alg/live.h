/* SPDX-License-Identifier: Apache-2.0
 *
 * Live ranges: a program of basic blocks, what is alive where, and who gets into whose way.
 *
 * LIVE_in = USE u (LIVE_out - DEF), LIVE_out = the union over the blocks that may follow, to the least fixpoint.
 * Renaming gives every web (definitions that reach a common use) a value of its own, so that using a name again, as
 * unrolled loops do, orders nothing.  After Chaitin (1982) and Muchnick, Advanced Compiler Design and Implementation,
 * ch. 8 and 16.
 *
 * A value is WIDTH consecutive registers.  An instruction reads its operands before it writes its result: a result may
 * take the register of an operand that dies there.
 */
#ifndef TSPSIM_SCHED_ALG_LIVE_H
#define TSPSIM_SCHED_ALG_LIVE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/alg/color.h"

enum { LIVE_NONE = UINT32_MAX, LIVE_USES_MAX = 8 };

typedef struct live_value {
	uint32_t width;     /* registers */
	uint32_t fixed;     /* the first one it must have, or LIVE_NONE */
	double store, load; /* what one of each costs */
	uint32_t home;      /* the value of the program as it was given that this one holds */
	uint32_t slot;      /* its place in memory, or LIVE_NONE */
	bool part;          /* of a value kept in memory */
	bool split;         /* lives around single accesses only: cannot be divided any more */
} live_value;

enum live_kind { LIVE_GIVEN, LIVE_STORE, LIVE_LOAD, LIVE_REMAKE };
typedef struct live_insn {
	enum live_kind kind;
	uint32_t tag; /* GIVEN, REMAKE: the caller's number; STORE, LOAD: the slot */
	uint32_t def; /* value, or LIVE_NONE */
	uint32_t use[LIVE_USES_MAX];
	unsigned uses;
	bool copy;     /* of its only operand */
	double remake; /* what making its result once more costs; negative: it must not be */
} live_insn;

typedef struct live_block {
	GArray *insns; /* live_insn */
	double frequency;
	uint32_t next[2]; /* blocks that may follow */
	unsigned nexts;
} live_block;

/* Block 0 is where it begins; no block leads there.  Values alive at its beginning come from outside. */
typedef struct live_program {
	GArray *values; /* live_value */
	GArray *blocks; /* live_block */
} live_program;

live_program *live_new(void);
void live_free(live_program *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(live_program, live_free)
live_program *live_copy(const live_program *p);
uint32_t live_add_value(live_program *p, uint32_t width, double store, double load);
uint32_t live_add_block(live_program *p, double frequency);
void live_add_next(live_program *p, uint32_t block, uint32_t next);
/* Appends to BLOCK; operands end with LIVE_NONE or after LIVE_USES_MAX.  Valid until the next one is appended. */
live_insn *live_add_insn(live_program *p, uint32_t block, uint32_t tag, uint32_t def, const uint32_t *use);

static inline live_value *live_value_at(const live_program *p, uint32_t v)
{
	return &g_array_index(p->values, live_value, v);
}
static inline live_block *live_block_at(const live_program *p, uint32_t b)
{
	return &g_array_index(p->blocks, live_block, b);
}
static inline live_insn *live_insn_at(const live_block *b, guint i)
{
	return &g_array_index(b->insns, live_insn, i);
}

/* Sets of values, a row of WORDS for each block. */
typedef struct live_sets {
	uint32_t words;
	uint64_t *in, *out;
	unsigned rounds; /* over all blocks until nothing changed, that last one included */
} live_sets;
void live_analyse(const live_program *p, live_sets *s);
void live_sets_fini(live_sets *s);
static inline bool live_has(const uint64_t *set, uint32_t v)
{
	return set[v / 64] >> v % 64 & 1;
}

/* Calls FN at each instruction of BLOCK, last first, with what is alive after it. */
typedef void (*live_fn)(void *state, guint insn, const uint64_t *after);
void live_walk(const live_program *p, const live_sets *s, uint32_t block, live_fn fn, void *state);

/* A value for each web; fixed values keep their names.  Returns how many values that adds. */
uint32_t live_rename(live_program *p);
/* Most registers that values alive at one moment take. */
uint32_t live_most(const live_program *p, const live_sets *s);
/* Who may not share a register with whom; copies are affinities, weighted by frequency.  Costs stay 1. */
color_graph *live_interference(const live_program *p, const live_sets *s);

#endif
