/* SPDX-License-Identifier: Apache-2.0
 *
 * What vector_math.c (numbers, lane by lane) and vector_move.c (compare, reduce, move, sort) share.
 */
#ifndef TSPSIM_MODELS_ASCEND_VECTOR_INT_H
#define TSPSIM_MODELS_ASCEND_VECTOR_INT_H

#include "models/ascend/vector.h"

/* One lane of either class: F for floating types, I for integers, BITS as in memory (higher ones undefined). */
typedef struct asc_lane {
	double f;
	int64_t i;
	uint64_t bits;
} asc_lane;

bool asc_is_float(enum asc_type type);
asc_lane asc_lane_of_bits(uint64_t bits, enum asc_type type);
asc_lane asc_lane_of_float(double f, enum asc_type type);    /* one rounding, to nearest even */
asc_lane asc_lane_of_integer(int64_t i, enum asc_type type); /* wraps */

/* Where lane I of a repeat lies; NULL outside the buffer. */
uint8_t *asc_lane_at(const asc_vop_operand *p, asc_data *data, unsigned repeat, unsigned i);
/* Reads the lanes of a repeat that are on and inside the buffer; the rest is zero. */
void asc_lanes_load(const asc_vop *o, const asc_vop_operand *p, enum asc_type type, asc_data *data, unsigned repeat,
                    asc_lane *out);
void asc_lane_store(const asc_vop_operand *p, asc_data *data, unsigned repeat, unsigned i, uint64_t bits);

/* One repeat of an instruction whose result is not lane for lane; false when O is none. */
bool asc_vop_move(asc_vop *o, asc_data *data, unsigned repeat);

#endif
