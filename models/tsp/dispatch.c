/* SPDX-License-Identifier: Apache-2.0
 *
 * From op to code, by the rows of isa/ops.def: tsp_exec_<id>() executes one issue, tsp_prepare_<unit>() looks at a
 * queue word once, checks all that does not change between its issues and resolves its places.  A row without its
 * function does not link.  Vector operations share one execution; their arithmetic is tsp_vxm_<id>() in vxm_math.c.
 */
#include "models/tsp/internal.h"

const tsp_op_row tsp_ops[ISA_OP_COUNT] = {
#define OP(id, mnemonic, unit, format, timing, needs, doc) [ISA_OP_##id] = {tsp_exec_##id, tsp_prepare_##unit},
#define VXM_OP(id, mnemonic, arity, types, timing, doc)    [ISA_OP_##id] = {tsp_exec_vxm, tsp_prepare_VXM},
#include "isa/ops.def"
};
