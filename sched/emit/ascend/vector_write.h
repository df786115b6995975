/* SPDX-License-Identifier: Apache-2.0
 *
 * What the expansions of operations (vector_ops.c, vector_ints.c) are made of.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_VECTOR_WRITE_H
#define TSPSIM_SCHED_EMIT_ASCEND_VECTOR_WRITE_H

#include "sched/emit/ascend/vector_int.h"

enum { ROUND_EVEN = 1, ROUND_DOWN = 2 };
enum { LESS = 0, GREATER = 1, EQUAL = 2, GREATER_EQUAL = 4, NOT_EQUAL = 5 };

uint32_t avw_bits_of(enum asc_type type);
avk_view avw_unary(avk_program *p, enum asc_op op, enum asc_type type, avk_view a);
avk_view avw_binary(avk_program *p, enum asc_op op, enum asc_type type, avk_view a, avk_view b);
/* With a number, its bits. */
avk_view avw_scalar(avk_program *p, enum asc_op op, enum asc_type type, avk_view a, int64_t bits);
avk_view avw_conv(avk_program *p, enum asc_type from, enum asc_type to, avk_view a, int64_t round);
/* One number in every lane of a repeat, written before the first tile. */
avk_view avw_splat(avk_program *p, enum asc_type type, int64_t bits);
/* Bitwise, on 16-bit pieces of whatever type; B may be NULL. */
avk_view avw_bitwise(avk_program *p, enum asc_op op, enum isa_type type, avk_view a, const avk_view *b);
/* A, copied where it is no run. */
avk_view avw_whole(avk_program *p, enum asc_type type, avk_view a);
/* One where CONDITION holds between A and B, else zero, as bits. */
uint32_t avw_compare(avk_program *p, enum asc_type type, int64_t condition, avk_view a, avk_view b);
avk_view avw_choose(avk_program *p, enum asc_type type, uint32_t mask, avk_view a, avk_view b);

/* Bits of F in fp16 or fp32. */
int64_t avw_float_bits(enum asc_type type, float f);

typedef struct avw_operands {
	enum asc_type type;
	avk_view a, b; /* b: a splat where it is an immediate */
	bool has_imm;
	int64_t imm; /* bits of the type */
} avw_operands;
/* The second operand, and both with the instruction for vectors or for a number. */
avk_view avw_second(avk_program *p, const avw_operands *o);
avk_view avw_with_scalar(avk_program *p, const avw_operands *o, enum asc_op vector, enum asc_op with);

/* vector_ops.c.  An operation on fp16 or fp32; changes O. */
avk_view avw_float_op(avk_program *p, enum isa_op op, avw_operands *o);
avk_view avw_convert(avk_program *p, enum isa_type from, enum isa_type to, avk_view a);
/* vector_ints.c: as avk_expand(), of integers. */
avk_view avw_expand_int(avk_program *p, enum isa_op op, enum isa_type type, const avk_view *a, const avk_view *b,
                        bool has_imm, uint32_t imm);

#endif
