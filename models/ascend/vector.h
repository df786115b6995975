/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector instruction with its fields read: lanes, repeats, masks and where every operand lies.  The timing
 * (vector.c), the values (vector_math.c) and whoever wants the bytes it touches read the same.
 */
#ifndef TSPSIM_MODELS_ASCEND_VECTOR_H
#define TSPSIM_MODELS_ASCEND_VECTOR_H

#include "models/ascend/internal.h"

enum { ASC_VOP_SOURCES = 2, ASC_VOP_LANES = 256 };

/* Lane i of repeat n lies at address + n repeat_bytes + (i lane_bytes div 32) block_bytes + i lane_bytes mod 32. */
typedef struct asc_vop_operand {
	uint64_t address;
	int64_t block_bytes, repeat_bytes;
	unsigned lane_bytes, lanes; /* lanes: of a repeat, with or without a mask */
	bool masked;                /* lanes are the instruction's lanes, and those off are not touched */
} asc_vop_operand;

typedef struct asc_vop {
	enum asc_op op;
	enum asc_type type, dtype; /* of the sources, of the result */
	unsigned lanes, repeats;
	uint64_t mask[4], last[4]; /* of every repeat but the last, of the last */
	int64_t scalar, choice;    /* choice: rounding mode, condition */
	unsigned length;           /* vmrgsort: elements of a list */
	unsigned pattern;          /* vreducev2 */
	uint64_t picked;           /* by it so far, in the repeats that are done */
	asc_vop_operand dst, src[ASC_VOP_SOURCES];
	unsigned srcs;
	bool reads_dst;
	uint64_t aux; /* mask of vsel, base of a gather */
} asc_vop;

/* Reads the fields of X.  False when it is not a vector instruction (l0c_to_ub, too, stands on this pipe). */
bool asc_vop_read(const asc_exec *x, const asc_machine *machine, asc_vop *o);

static inline bool asc_vop_active(const asc_vop *o, unsigned repeat, unsigned lane)
{
	const uint64_t *mask = repeat + 1 == o->repeats ? o->last : o->mask;

	return mask[lane / 64] >> (lane % 64) & 1;
}

/* Of vreducev2: is element LANE picked by a fixed pattern (1 to 7)? */
static inline bool asc_pattern_picks(unsigned pattern, unsigned lane)
{
	return pattern == 7 || (pattern <= 2 ? lane % 2 + 1 == pattern : lane % 4 + 3 == pattern);
}

/* Carries out O on the unified buffer. */
void asc_vop_compute(asc_vop *o, asc_data *data);

#endif
