/* SPDX-License-Identifier: Apache-2.0
 *
 * Single vector instructions into a kernel's program: each makes a new value of its result.
 */
#include "sched/emit/ascend/vector_write.h"

#include "isa/num.h"

enum { SPLAT_BYTES_BLOCKS = 8, BLOCK_BYTES = 32 };

enum asc_type avk_type(enum isa_type type)
{
	static const enum asc_type types[ISA_TYPE_COUNT] = {[ISA_TYPE_I8] = ASC_I8,
	                                                    [ISA_TYPE_I16] = ASC_I16,
	                                                    [ISA_TYPE_I32] = ASC_I32,
	                                                    [ISA_TYPE_F16] = ASC_F16,
	                                                    [ISA_TYPE_F32] = ASC_F32};

	return types[type];
}

bool avk_dense(const avk_view *v)
{
	return !v->splat && v->first == 0 && (v->row == 1 || v->rows == 1) && (v->shared || v->unit == v->rows);
}

static uint32_t new_reg(avk_program *p, avk_reg reg)
{
	g_array_append_val(p->regs, reg);
	return p->regs->len - 1;
}

avk_view avk_new_value(avk_program *p, uint32_t bits)
{
	uint32_t reg = new_reg(p, (avk_reg){.rows = p->rows, .bits = bits, .shared = p->shared});

	return (avk_view){.reg = reg, .unit = p->shared ? 0 : p->rows, .row = 1, .shared = p->shared, .rows = p->rows};
}

avk_op *avk_add(avk_program *p, enum asc_op op, enum asc_type type)
{
	avk_op o = {.kind = AVK_VECTOR,
	            .op = op,
	            .type = type,
	            .dtype = type,
	            .rows = p->rows,
	            .shared = p->shared,
	            .mask = AVK_NONE,
	            .node = p->node};

	g_array_append_val(p->ops, o);
	return &g_array_index(p->ops, avk_op, p->ops->len - 1);
}

uint32_t avw_bits_of(enum asc_type type)
{
	return 8 * asc_type_bytes(type);
}

avk_view avw_unary(avk_program *p, enum asc_op op, enum asc_type type, avk_view a)
{
	avk_view z = avk_new_value(p, avw_bits_of(type));
	avk_op *o = avk_add(p, op, type);

	o->dst = z;
	o->src[0] = a;
	o->srcs = 1;
	return z;
}

avk_view avw_binary(avk_program *p, enum asc_op op, enum asc_type type, avk_view a, avk_view b)
{
	avk_view z = avw_unary(p, op, type, a);
	avk_op *o = &g_array_index(p->ops, avk_op, p->ops->len - 1);

	o->src[1] = b;
	o->srcs = 2;
	return z;
}

avk_view avw_scalar(avk_program *p, enum asc_op op, enum asc_type type, avk_view a, int64_t bits)
{
	avk_view z = avw_unary(p, op, type, a);

	g_array_index(p->ops, avk_op, p->ops->len - 1).extra = bits;
	return z;
}

avk_view avw_conv(avk_program *p, enum asc_type from, enum asc_type to, avk_view a, int64_t round)
{
	avk_view z = avk_new_value(p, avw_bits_of(to));
	avk_op *o = avk_add(p, ASC_OP_VCONV, from);

	o->dtype = to;
	o->dst = z;
	o->src[0] = a;
	o->srcs = 1;
	o->extra = round;
	return z;
}

/* One number in every lane of a repeat, written before the first tile. */
avk_view avw_splat(avk_program *p, enum asc_type type, int64_t bits)
{
	avk_view z = {.row = 0, .splat = true, .shared = true, .rows = 1};
	avk_op *o;

	for (uint32_t i = 0; i < p->ops->len; i++) {
		o = &g_array_index(p->ops, avk_op, i);
		if (o->once && o->op == ASC_OP_VDUP && o->type == type && o->extra == bits)
			return o->dst;
	}
	z.reg = new_reg(p, (avk_reg){.once = true, .bytes = SPLAT_BYTES_BLOCKS * BLOCK_BYTES, .shared = true});
	o = avk_add(p, ASC_OP_VDUP, type);
	o->once = true;
	o->extra = bits;
	o->dst = z;
	return z;
}

avk_view avk_copy(avk_program *p, enum isa_type type, const avk_view *a)
{
	enum asc_type copied = isa_type_bytes(type) == 4 ? ASC_I32 : ASC_I16;
	avk_view z = avk_new_value(p, 8 * isa_type_bytes(type));
	avk_op *o = avk_add(p, ASC_OP_VCOPY, copied);

	o->dst = z;
	o->src[0] = *a;
	o->srcs = 1;
	o->halves = isa_type_bytes(type) == 1;
	return z;
}

/* Bitwise, on 16-bit pieces of whatever type. */
avk_view avw_bitwise(avk_program *p, enum asc_op op, enum isa_type type, avk_view a, const avk_view *b)
{
	avk_view z = avk_new_value(p, 8 * isa_type_bytes(type));
	avk_op *o = avk_add(p, op, ASC_I16);

	o->dst = z;
	o->src[0] = a;
	o->srcs = 1;
	if (b) {
		o->src[1] = *b;
		o->srcs = 2;
	}
	o->halves = true;
	return z;
}

avk_view avw_whole(avk_program *p, enum asc_type type, avk_view a)
{
	if (a.splat || (avk_dense(&a) && a.rows == p->rows && a.shared == p->shared))
		return a;
	return avw_unary(p, ASC_OP_VCOPY, type, a);
}

/* One where CONDITION holds between A and B, else zero, as bits.  Compare and select count lanes through: their
 * operands are runs. */
uint32_t avw_compare(avk_program *p, enum asc_type type, int64_t condition, avk_view a, avk_view b)
{
	avk_op *o;
	avk_view z;

	a = avw_whole(p, type, a);
	b = avw_whole(p, type, b);
	z = avk_new_value(p, 1);
	o = avk_add(p, ASC_OP_VCMP, type);
	o->extra = condition;
	o->dst = z;
	o->src[0] = a;
	o->src[1] = b;
	o->srcs = 2;
	return z.reg;
}

avk_view avw_choose(avk_program *p, enum asc_type type, uint32_t mask, avk_view a, avk_view b)
{
	avk_view z;

	a = avw_whole(p, type, a);
	b = avw_whole(p, type, b);
	z = avw_binary(p, ASC_OP_VSEL, type, a, b);
	g_array_index(p->ops, avk_op, p->ops->len - 1).mask = mask;
	return z;
}

int64_t avw_float_bits(enum asc_type type, float f)
{
	return type == ASC_F16 ? num_f32_to_f16(f) : (int64_t)num_f32_bits(f);
}

avk_view avw_second(avk_program *p, const avw_operands *o)
{
	return o->has_imm ? avw_splat(p, o->type, o->imm) : o->b;
}

avk_view avw_with_scalar(avk_program *p, const avw_operands *o, enum asc_op vector, enum asc_op with)
{
	return o->has_imm ? avw_scalar(p, with, o->type, o->a, o->imm) : avw_binary(p, vector, o->type, o->a, o->b);
}
