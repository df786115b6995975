/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of the matrix unit, apart from its timing: one vector times the rows of a block of weights.
 */
#ifndef TSPSIM_MODELS_TSP_MXM_MATH_H
#define TSPSIM_MODELS_TSP_MXM_MATH_H

#include <stdint.h>

enum { MXM_LANES = 320 }; /* row pitch of weights and sums, elements */

/* OUT[n] = sum of A[k] * W[k][n] over K rows: sums of SUM_ROWS products each in double in k order, rounded once to
 * fp32, added in fp32 in order.  All MXM_LANES results are computed; K >= 1. */
void tsp_mxm_f16(const float *a, const float *w, unsigned k, unsigned sum_rows, float *out);
/* The same where W's rows differ in width: row k has COLUMNS[k + 1] - COLUMNS[k] weights, what is beyond them is not
 * multiplied.  For blocks that are rare: a lane at a time. */
void tsp_mxm_f16_ragged(const float *a, const float *w, const uint32_t *columns, unsigned k, unsigned sum_rows,
                        float *out);
/* The same as the first in exact int32: K <= 320 products of int8 cannot overflow. */
void tsp_mxm_i8(const int8_t *a, const int8_t *w, unsigned k, int32_t *out);

#endif
