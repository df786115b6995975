/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of Ascend-style cores as data: instructions with their fields, pipes, buffers, types, flag pairs and the
 * order hardware keeps within a pipe.  Nothing here knows a single instruction; adding one is a row in a table.
 */
#include "isa/ascend/ascend.h"

#include <string.h>

enum { CORES_C = 1 << ASC_COUPLED, CORES_M = 1 << ASC_CUBE, CORES_V = 1 << ASC_VECTOR };
enum { CORES_CM = CORES_C | CORES_M, CORES_CV = CORES_C | CORES_V, CORES_MV = CORES_M | CORES_V };
enum { CORES_CMV = CORES_C | CORES_M | CORES_V };

#define F(field, kind, where, low, high, value_, align)                                                                \
	{.name = field,                                                                                                \
	 .value = ASC_VALUE_##kind,                                                                                    \
	 .space = ASC_##where,                                                                                         \
	 .min = low,                                                                                                   \
	 .max = high,                                                                                                  \
	 .standard = value_,                                                                                           \
	 .align_bytes = align},
#define ASC_FORMAT(id, ...) static const asc_field_info format_##id[] = {__VA_ARGS__{.name = NULL}};
#include "isa/ascend/formats.def"

static const asc_op_info ops[ASC_OP_COUNT] = {
#define ASC_OP(id, name, pipe_, format, timing_, cores_, text)                                                         \
	[ASC_OP_##id] = {.mnemonic = name,                                                                             \
	                 .doc = text,                                                                                  \
	                 .pipe = ASC_PIPE_##pipe_,                                                                     \
	                 .timing = ASC_TIMING_##timing_,                                                               \
	                 .cores = CORES_##cores_,                                                                      \
	                 .fields = G_N_ELEMENTS(format_##format) - 1,                                                  \
	                 .field = format_##format},
#include "isa/ascend/ops.def"
};

const asc_op_info *asc_op(enum asc_op op)
{
	return &ops[op];
}

int asc_op_by_name(const char *mnemonic)
{
	for (int i = 0; i < ASC_OP_COUNT; i++)
		if (strcmp(ops[i].mnemonic, mnemonic) == 0)
			return i;
	return -1;
}

int asc_field_by_name(enum asc_op op, const char *name)
{
	for (unsigned i = 0; i < ops[op].fields; i++)
		if (strcmp(ops[op].field[i].name, name) == 0)
			return (int)i;
	return -1;
}

int64_t asc_get(const asc_insn *insn, int field, const int64_t *registers)
{
	return insn->regs >> field & 1 ? registers[insn->f[field]] : insn->f[field];
}

asc_insn asc_insn_make(enum asc_op op)
{
	asc_insn insn = {.op = (uint16_t)op, .node = ASC_NO_NODE, .start = ASC_NO_TIME, .end = ASC_NO_TIME};

	for (unsigned i = 0; i < ops[op].fields; i++)
		insn.f[i] = ops[op].field[i].standard;
	return insn;
}

const char *asc_pipe_name(enum asc_pipe pipe)
{
	static const char *const names[ASC_PIPES] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

	return names[pipe];
}

const char *asc_space_name(enum asc_space space)
{
	static const char *const names[ASC_SPACES + 1] = {"gm", "l1", "l0a", "l0b", "l0c", "ub", "bt", "fb", "-"};

	return names[space];
}

const char *asc_kind_name(enum asc_kind kind)
{
	static const char *const names[ASC_KINDS] = {"coupled", "cube", "vector"};

	return names[kind];
}

static const struct {
	const char *name;
	unsigned bytes;
} types[ASC_TYPES] = {
	[ASC_I8] = {"int8", 1},    [ASC_U8] = {"uint8", 1},  [ASC_I16] = {"int16", 2},
	[ASC_U16] = {"uint16", 2}, [ASC_I32] = {"int32", 4}, [ASC_U32] = {"uint32", 4},
	[ASC_F16] = {"fp16", 2},   [ASC_BF16] = {"bf16", 2}, [ASC_F32] = {"fp32", 4},
};

unsigned asc_type_bytes(enum asc_type type)
{
	return types[type].bytes;
}

const char *asc_type_name(enum asc_type type)
{
	return types[type].name;
}

int asc_type_by_name(const char *name)
{
	for (int i = 0; i < ASC_TYPES; i++)
		if (strcmp(types[i].name, name) == 0)
			return i;
	return -1;
}

bool asc_flag_pair(enum asc_kind kind, enum asc_pipe from, enum asc_pipe to)
{
	static const bool pairs[ASC_KINDS][ASC_PIPES][ASC_PIPES] = {
#define ASC_FLAG_PAIR(kind_, from_, to_) [ASC_##kind_][ASC_PIPE_##from_][ASC_PIPE_##to_] = true,
#include "isa/ascend/flags.def"
	};

	return pairs[kind][from][to];
}

enum { ORDER_READ = 1, ORDER_WRITE = 2, ORDER_ANY = 3 };

bool asc_ordered(enum asc_pipe pipe, enum asc_space space, bool earlier_writes, bool later_writes)
{
	static const struct {
		enum asc_pipe pipe;
		enum asc_space space;
		unsigned earlier, later;
	} rows[] = {
#define ASC_ORDER(pipe_, space_, earlier_, later_, class_, source_, doc_)                                              \
	{ASC_PIPE_##pipe_, ASC_##space_, ORDER_##earlier_, ORDER_##later_},
#include "isa/ascend/order.def"
	};
	unsigned earlier = earlier_writes ? ORDER_WRITE : ORDER_READ;
	unsigned later = later_writes ? ORDER_WRITE : ORDER_READ;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		if (rows[i].pipe == pipe && (rows[i].space == space || rows[i].space == ASC_SPACES) &&
		    (rows[i].earlier & earlier) && (rows[i].later & later))
			return true;
	return false;
}

static const struct {
	const char *name, *doc;
} findings[] = {
#define ASC_VIOLATION(id, name, doc) {name, doc},
#include "isa/ascend/violations.def"
};

const char *asc_violation_name(unsigned finding)
{
	return findings[finding].name;
}

const char *asc_violation_doc(unsigned finding)
{
	return findings[finding].doc;
}

const asc_pmu_info *asc_pmu(enum asc_pmu row)
{
	static const asc_pmu_info rows[] = {
#define ASC_PMU(row_, id, value, name, unit, bytes, cores, class, doc)                                                 \
	{id, name, unit, bytes, CORES_##cores, class, doc},
#define ASC_PMU_ABSENT(id, name, why)
#include "isa/ascend/pmu.def"
	};

	return &rows[row];
}

const asc_pmu_info *asc_pmu_absent(unsigned n)
{
	static const asc_pmu_info rows[] = {
#define ASC_PMU(row, id, value, name, unit, bytes, cores, class, doc)
#define ASC_PMU_ABSENT(id, name, why) {id, name, "", 0, 0, "", why},
#include "isa/ascend/pmu.def"
	};

	return n < G_N_ELEMENTS(rows) ? &rows[n] : NULL;
}

int asc_pmu_by_id(unsigned id)
{
	for (unsigned row = 0; row < ASC_PMU_COUNT; row++)
		if (asc_pmu((enum asc_pmu)row)->id == id)
			return (int)row;
	return -1;
}
