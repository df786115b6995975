/* SPDX-License-Identifier: Apache-2.0
 *
 * Number formats and the arithmetic of both presets: fp16 <-> fp32, canonical NaN, correctly rounded functions.
 * Rounding is to nearest even; denormals are kept; NaN results are 0x7E00 (fp16) and 0x7FC00000 (fp32).
 */
#ifndef TSPSIM_ISA_NUM_H
#define TSPSIM_ISA_NUM_H

#include <stdint.h>

typedef uint16_t num_f16; /* bit pattern */

float num_f16_to_f32(num_f16 h);  /* exact; NaN becomes canonical */
num_f16 num_f32_to_f16(float f);  /* one rounding; overflow gives inf */
num_f16 num_f64_to_f16(double d); /* one rounding */
float num_canonical(float f);     /* NaN -> 0x7FC00000, else f */
uint32_t num_f32_bits(float f);
float num_bits_f32(uint32_t bits);

/* Correctly rounded in fp32 (double first, long double where the double result lies too near a rounding boundary). */
float num_exp_f32(float x);
float num_tanh_f32(float x);
float num_rsqrt_f32(float x); /* 1/sqrt(x): +inf at +0, -inf at -0, NaN below 0 */

#endif
