/* SPDX-License-Identifier: Apache-2.0
 *
 * Every vector operation through the whole model, functional mode, against its definition written down again here, one
 * lane at a time, in double or 64-bit integers.
 */
#include <math.h>
#include <string.h>

#include "tests/unit/model_values.h"

enum { LANES = 320 };

static int64_t type_max(int type)
{
	return (INT64_C(1) << (8 * values_width(type) - 1)) - 1;
}

static int64_t clamp(int64_t value, int type)
{
	return value > type_max(type) ? type_max(type) : value < -type_max(type) - 1 ? -type_max(type) - 1 : value;
}

static int64_t integer_op(const char *op, int64_t x, int64_t y, int type)
{
	unsigned shift = (unsigned)((uint64_t)y % (8 * values_width(type)));

	if (!strcmp(op, "copy"))
		return x;
	if (!strcmp(op, "neg"))
		return -x;
	if (!strcmp(op, "abs"))
		return x < 0 ? -x : x;
	if (!strcmp(op, "not"))
		return -1 - x;
	if (!strcmp(op, "relu"))
		return x < 0 ? 0 : x;
	if (!strcmp(op, "add"))
		return x + y;
	if (!strcmp(op, "sub"))
		return x - y;
	if (!strcmp(op, "mul"))
		return x * y;
	if (!strcmp(op, "add_sat"))
		return clamp(x + y, type);
	if (!strcmp(op, "sub_sat"))
		return clamp(x - y, type);
	if (!strcmp(op, "mul_sat"))
		return clamp(x * y, type);
	if (!strcmp(op, "max"))
		return x < y ? y : x;
	if (!strcmp(op, "min"))
		return x < y ? x : y;
	if (!strcmp(op, "eq"))
		return x == y;
	if (!strcmp(op, "lt"))
		return x < y;
	if (!strcmp(op, "and"))
		return x & y;
	if (!strcmp(op, "or"))
		return x | y;
	if (!strcmp(op, "xor"))
		return x ^ y;
	if (!strcmp(op, "shl"))
		return (int64_t)((uint64_t)x << shift);
	if (!strcmp(op, "shr"))
		return (int64_t)floor((double)x / ldexp(1, (int)shift));
	if (!strcmp(op, "mask"))
		return y ? x : 0;
	if (!strcmp(op, "mask_bar"))
		return y ? 0 : x;
	CU_FAIL_FATAL("an operation the test does not know");
	return 0;
}

/* In fp32; +, - and * of two fp32 in double are exact or, rounded to fp32, right (double has more than twice the bits).
 */
static float float_op(const char *op, double x, double y)
{
	bool nan = isnan(x) || isnan(y);

	if (!strcmp(op, "copy"))
		return (float)x;
	if (!strcmp(op, "neg"))
		return (float)-x;
	if (!strcmp(op, "abs"))
		return (float)fabs(x);
	if (!strcmp(op, "relu"))
		return isnan(x) ? NAN : x > 0 ? (float)x : 0;
	if (!strcmp(op, "exp"))
		return (float)expl((long double)x);
	if (!strcmp(op, "tanh"))
		return (float)tanhl((long double)x);
	if (!strcmp(op, "rsqrt"))
		return x < 0 ? NAN : x == 0 ? (signbit(x) ? -INFINITY : INFINITY) : (float)(1 / sqrtl((long double)x));
	if (!strcmp(op, "add"))
		return (float)(x + y);
	if (!strcmp(op, "sub"))
		return (float)(x - y);
	if (!strcmp(op, "mul"))
		return (float)(x * y);
	if (!strcmp(op, "max"))
		return nan                ? NAN
		       : x == 0 && y == 0 ? (signbit(x) && signbit(y) ? -0.0f : 0.0f)
		                          : (float)(x > y ? x : y);
	if (!strcmp(op, "min"))
		return nan                ? NAN
		       : x == 0 && y == 0 ? (signbit(x) || signbit(y) ? -0.0f : 0.0f)
		                          : (float)(x < y ? x : y);
	if (!strcmp(op, "eq"))
		return x == y;
	if (!strcmp(op, "lt"))
		return x < y;
	if (!strcmp(op, "mask"))
		return y == 0 ? 0 : (float)x;
	if (!strcmp(op, "mask_bar"))
		return y == 0 ? (float)x : 0;
	CU_FAIL_FATAL("an operation the test does not know");
	return 0;
}

static void convert(uint8_t *out, unsigned i, double x, int to)
{
	if (to == ISA_TYPE_F16) {
		uint16_t half = values_half_of(x);

		memcpy(out + 2 * i, &half, 2);
	} else if (to == ISA_TYPE_F32) {
		values_put_float(out, i, to, (float)x);
	} else {
		double top = (double)type_max(to);

		values_put_integer(out, i, to,
		                   isnan(x)       ? 0
		                   : x > top      ? type_max(to)
		                   : x < -top - 1 ? -type_max(to) - 1
		                                  : llrint(x));
	}
}

/* Every pair of awkward floating numbers, in the first 256 lanes. */
static void fill_pairs(uint8_t *x, uint8_t *y, int type)
{
	static const uint32_t awkward[16] = {0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
	                                     0x477fe000, 0xc77fe000, 0x7f800000, 0xff800000, 0x7fc00000, 0x33800000,
	                                     0x40490fdb, 0xb3000000, 0x38800000, 0x42280000};

	for (unsigned i = 0; i < 256; i++) {
		values_put_float(x, i, type, values_float_of(awkward[i / 16]));
		values_put_float(y, i, type, values_float_of(awkward[i % 16]));
	}
}

/* Runs OP on the machine and compares all lanes. */
static void try_op(rng *random, const isa_op_info *op, int type, int dtype, bool immediate)
{
	uint8_t x[4 * LANES], y[4 * LANES], want[4 * LANES] = {0}, got[4 * LANES];
	bool pairs = values_is_float(type) && rng_below(random, 2);
	unsigned lanes = pairs ? 256 : 1 + (unsigned)rng_below(random, LANES);
	g_autoptr(GString) text = g_string_new(".epoch \"e\" start=0\n");
	g_autofree char *what = NULL;
	uint32_t imm = type == ISA_TYPE_F16 ? 0x40490fdb : type == ISA_TYPE_F32 ? 0xc02df854 : 3;
	rig *r;

	values_fill(random, x, LANES, type);
	values_fill(random, y, LANES, type);
	if (pairs)
		fill_pairs(x, y, type);
	values_image(text, 0, x, LANES * values_width(type));
	values_image(text, 10000, y, LANES * values_width(type));
	g_string_append_printf(text, "@0 mem0: load r0 addr=0 len=%u\n@5 mem0: load r2 addr=10000 len=%u\n",
	                       LANES * values_width(type), LANES * values_width(type));
	g_string_append_printf(text, "@20 vxm0: %s r4, r0, %s type=%s dtype=%s lanes=%u imm=0x%08x\n", op->mnemonic,
	                       op->arity == 1 ? "-"
	                       : immediate    ? "imm"
	                                      : "r2",
	                       isa_type_name((enum isa_type)type), isa_type_name((enum isa_type)dtype), lanes,
	                       op->arity == 2 && immediate ? imm : 0);
	g_string_append_printf(text, "@50 mem0: store r4 addr=20000 len=%u\n", lanes * values_width(dtype));
	r = rig_run(text->str, &(rig_setup){.functional = true});
	RIG_CLEAN(r);
	values_read(r, 20000, got, lanes * values_width(dtype));
	for (unsigned i = 0; i < lanes; i++) {
		double a = values_element(x, i, type);
		double b = immediate ? (values_is_float(type) ? (double)values_float_of(imm) : 3)
		                     : values_element(y, i, type);

		if (op->types == ISA_TYPES_CVT)
			convert(want, i, a, dtype);
		else if (values_is_float(type))
			values_put_float(want, i, dtype, float_op(op->mnemonic, a, b));
		else
			values_put_integer(want, i, dtype, integer_op(op->mnemonic, (int64_t)a, (int64_t)b, type));
	}
	what = g_strdup_printf("%s %s to %s", op->mnemonic, isa_type_name((enum isa_type)type),
	                       isa_type_name((enum isa_type)dtype));
	values_compare(what, got, want, lanes, values_width(dtype));
	rig_free(r);
}

static void every_vector_operation_computes_its_definition(void)
{
	rng random;

	rng_seed(&random, 1, 0);
	for (int op = 0; op < ISA_OP_COUNT; op++) {
		const isa_op_info *info = &isa_ops[op];

		if (info->unit != ISA_UNIT_VXM)
			continue;
		for (int type = 0; type < ISA_TYPE_COUNT; type++)
			for (int dtype = 0; dtype < ISA_TYPE_COUNT; dtype++) {
				bool converts = info->types == ISA_TYPES_CVT;
				bool fits = info->types != (values_is_float(type) ? ISA_TYPES_INT : ISA_TYPES_FLOAT);
				bool result = values_is_float(type) ? values_is_float(dtype) : dtype == type;

				if (!converts && (!fits || !result))
					continue;
				for (int round = 0; round < 4; round++)
					try_op(&random, info, type, dtype, false);
				if (info->arity == 2)
					try_op(&random, info, type, dtype, true);
			}
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(every_vector_operation_computes_its_definition),
	};

	return tap_run("model vector values", cases, G_N_ELEMENTS(cases));
}
