/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the operands of vector instructions stand among their fields, which have other names in other instructions.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_OPERANDS_H
#define TSPSIM_SCHED_EMIT_ASCEND_OPERANDS_H

#include "isa/ascend/ascend.h"

enum operand_index {
	OPERAND_TYPE,
	OPERAND_DTYPE,
	OPERAND_DST,
	OPERAND_SRC,
	OPERAND_SRC1,
	OPERAND_OFFSETS,
	OPERAND_AUX, /* what is read in no order: bits of a select, elements of a gather */
	OPERAND_REPEAT,
	OPERAND_LENGTH,
	OPERAND_PATTERN,
	OPERAND_DST_BLK,
	OPERAND_SRC_BLK,
	OPERAND_SRC1_BLK,
	OPERAND_DST_REP,
	OPERAND_SRC_REP,
	OPERAND_SRC1_REP,
	OPERANDS
};

/* By operand_index: the number of OP's field, -1 where it has none. */
const int8_t *ask_operands(enum asc_op op);

#endif
