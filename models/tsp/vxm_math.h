/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of the vector unit, apart from its timing.
 */
#ifndef TSPSIM_MODELS_TSP_VXM_MATH_H
#define TSPSIM_MODELS_TSP_VXM_MATH_H

#include "isa/isa.h"

/* Lanes widened to what the unit computes in: integers to int32, floating numbers to fp32. */
enum { TSP_VXM_LANES = 320 };
typedef union tsp_lanes {
	int32_t i[TSP_VXM_LANES];
	float f[TSP_VXM_LANES];
} tsp_lanes;

/* Z = op(X, Y) for N lanes of TYPE; Y is not looked at by unary operations.  Integer results may exceed the type, the
 * caller wraps them; the _SAT forms do not.  Floating results need not be canonical NaN. */
typedef void (*tsp_vxm_fn)(tsp_lanes *z, const tsp_lanes *x, const tsp_lanes *y, unsigned n, enum isa_type type);
#define OP(id, mnemonic, unit, format, timing, needs, doc)
#define VXM_OP(id, mnemonic, arity, types, timing, doc)                                                                \
	void tsp_vxm_##id(tsp_lanes *z, const tsp_lanes *x, const tsp_lanes *y, unsigned n, enum isa_type type);
#include "isa/ops.def"

/* One instruction: X and Y hold its lanes packed, Y NULL = the immediate (or nothing); OUT gets packed lanes of the
 * destination type. */
void tsp_vxm_compute(const isa_insn *insn, const uint8_t *x, const uint8_t *y, uint8_t *out);

#endif
