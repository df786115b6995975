/* SPDX-License-Identifier: Apache-2.0
 *
 * Block sums.  A product of two fp16 numbers has at most 22 significant bits, so in double it is exact, and a fused
 * multiply-add gives the same result as multiply and add: contraction by the compiler is harmless here, and only here.
 * The sum over k stays in k order for every lane; lanes are computed side by side in vectors.  Written with the
 * compilers' vector extension, compiled twice: for any processor, and for those with AVX2 and FMA.
 */
#include "models/tsp/mxm_math.h"

#include <stdbool.h>
#include <string.h>

typedef double v4d __attribute__((vector_size(32)));
typedef float v4f __attribute__((vector_size(16)));
typedef int32_t v8i __attribute__((vector_size(32)));
typedef int8_t v8b __attribute__((vector_size(8)));

enum { TILE = 8, F_TILE = 4 * TILE, I_TILE = 8 * TILE }; /* accumulators that stay in registers */

#define INLINE static inline __attribute__((always_inline))

/* One sub-sum of F_TILE lanes. */
INLINE void f16_tile(const float *a, const float *w, unsigned k, float *out)
{
	v4d sum[TILE] = {{0}};

	for (unsigned i = 0; i < k; i++) {
		v4d x = {a[i], a[i], a[i], a[i]};

		for (unsigned t = 0; t < TILE; t++) {
			v4f y;

			memcpy(&y, w + i * MXM_LANES + 4 * t, sizeof y);
			sum[t] += x * __builtin_convertvector(y, v4d);
		}
	}
	for (unsigned t = 0; t < TILE; t++) {
		v4f rounded = __builtin_convertvector(sum[t], v4f);

		memcpy(out + 4 * t, &rounded, sizeof rounded);
	}
}

INLINE void f16_body(const float *a, const float *w, unsigned k, unsigned sum_rows, float *out)
{
	for (unsigned n = 0; n < MXM_LANES; n += F_TILE)
		for (unsigned first = 0; first < k; first += sum_rows) {
			unsigned rows = k - first < sum_rows ? k - first : sum_rows;
			float part[F_TILE];

			f16_tile(a + first, w + first * MXM_LANES + n, rows, first ? part : out + n);
			for (unsigned i = 0; first && i < F_TILE; i++)
				out[n + i] += part[i];
		}
}

INLINE void i8_body(const int8_t *a, const int8_t *w, unsigned k, int32_t *out)
{
	for (unsigned n = 0; n < MXM_LANES; n += I_TILE) {
		v8i sum[TILE] = {{0}};

		for (unsigned i = 0; i < k; i++)
			for (unsigned t = 0; t < TILE; t++) {
				v8b y;

				memcpy(&y, w + i * MXM_LANES + n + 8 * t, sizeof y);
				sum[t] += (int32_t)a[i] * __builtin_convertvector(y, v8i);
			}
		memcpy(out + n, sum, sizeof sum);
	}
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void f16_avx2(const float *a, const float *w, unsigned k, unsigned sum_rows,
                                                         float *out)
{
	f16_body(a, w, k, sum_rows, out);
}

__attribute__((target("avx2,fma"))) static void i8_avx2(const int8_t *a, const int8_t *w, unsigned k, int32_t *out)
{
	i8_body(a, w, k, out);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define f16_avx2 f16_body
#define i8_avx2  i8_body
static bool has_avx2(void)
{
	return false;
}
#endif

void tsp_mxm_f16(const float *a, const float *w, unsigned k, unsigned sum_rows, float *out)
{
	if (has_avx2())
		f16_avx2(a, w, k, sum_rows, out);
	else
		f16_body(a, w, k, sum_rows, out);
}

void tsp_mxm_f16_ragged(const float *a, const float *w, const uint32_t *columns, unsigned k, unsigned sum_rows,
                        float *out)
{
	for (unsigned n = 0; n < MXM_LANES; n++) {
		out[n] = 0;
		for (unsigned first = 0; first < k; first += sum_rows) {
			double sum = 0;

			for (unsigned i = first; i < k && i < first + sum_rows; i++)
				if (n < columns[i + 1] - columns[i])
					sum += (double)a[i] * (double)w[i * MXM_LANES + n];
			out[n] += (float)sum;
		}
	}
}

void tsp_mxm_i8(const int8_t *a, const int8_t *w, unsigned k, int32_t *out)
{
	if (has_avx2())
		i8_avx2(a, w, k, out);
	else
		i8_body(a, w, k, out);
}
