/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of isa/ascend/rules.def: limits and alignment of fields, which sub-core has which instruction, pipe and flag,
 * buffer sizes, operand types.  What depends on values in registers, on flags being set twice or on overlaps is found
 * by the models.
 */
#include "isa/ascend/asc_int.h"

#include <string.h>

static const struct {
	const char *name, *source;
} rules[ASC_RULE_COUNT] = {
#define ASC_RULE(id, name, source, doc) [ASC_RULE_##id] = {name, source},
#include "isa/ascend/rules.def"
};

static bool broken(GError **error, enum asc_rule rule, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool broken(GError **error, enum asc_rule rule, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s (rule %s; %s)", text, rules[rule].name, rules[rule].source);
	return false;
}

int asc_pipe_by_name(const char *name)
{
	for (int i = 0; i < ASC_PIPES; i++)
		if (strcmp(asc_pipe_name((enum asc_pipe)i), name) == 0)
			return i;
	return strcmp(name, "all") == 0 ? (int)ASC_PIPE_ALL : -1;
}

int asc_kind_by_name(const char *name)
{
	for (int i = 0; i < ASC_KINDS; i++)
		if (strcmp(asc_kind_name((enum asc_kind)i), name) == 0)
			return i;
	return -1;
}

bool asc_kind_has_pipe(enum asc_kind kind, enum asc_pipe pipe)
{
	switch (pipe) {
	case ASC_PIPE_V:
		return kind != ASC_CUBE;
	case ASC_PIPE_M:
	case ASC_PIPE_MTE1:
		return kind != ASC_VECTOR;
	case ASC_PIPE_FIX:
		return kind == ASC_CUBE;
	default:
		return true;
	}
}

enum { MMAD_BIAS_ALIGN_BYTES = 128, MMAD_F32_ALIGN_BYTES = 1024, MMAD_FROM_BIAS = 2 };

/* Floating products are summed in fp32, a fractal of which is 1 KB. */
unsigned asc_alignment(enum asc_op op, unsigned field, const int64_t *f, uint32_t regs)
{
	unsigned usual = asc_op(op)->field[field].align_bytes;
	int type, init;

	if (op != ASC_OP_MMAD)
		return usual;
	type = asc_field_by_name(op, "type");
	init = asc_field_by_name(op, "init");
	if ((int)field == asc_field_by_name(op, "c"))
		return f[type] == ASC_F16 || f[type] == ASC_BF16 || f[type] == ASC_F32 ? MMAD_F32_ALIGN_BYTES : usual;
	if ((int)field == asc_field_by_name(op, "bias") && !(regs >> init & 1) && f[init] == MMAD_FROM_BIAS)
		return MMAD_BIAS_ALIGN_BYTES;
	return usual;
}

/* The limits of the whole field are those of its halves, one beside the other. */
bool asc_packed_limits(enum asc_op op, unsigned field, int64_t *min, int64_t *max)
{
	const asc_field_info *info = &asc_op(op)->field[field];

	if (op != ASC_OP_LOAD3D_A && op != ASC_OP_LOAD3D_B)
		return false;
	if (strcmp(info->name, "kernel") != 0 && strcmp(info->name, "stride") != 0 &&
	    strcmp(info->name, "dilation") != 0)
		return false;
	*min = info->min & 0xff;
	*max = info->max & 0xff;
	return true;
}

bool asc_packed_fits(enum asc_op op, unsigned field, int64_t value)
{
	int64_t min, max, low = value & 0xff, high = value >> 8;

	return !asc_packed_limits(op, field, &min, &max) || (low >= min && low <= max && high >= min && high <= max);
}

/* A register instead of a value: its number, and whether the field may have one. */
static bool check_register(const asc_field_info *info, int64_t value, GError **error)
{
	if (info->value == ASC_VALUE_TYPE || info->value == ASC_VALUE_PIPE || info->value == ASC_VALUE_LABEL ||
	    info->value == ASC_VALUE_REGISTER)
		return broken(error, ASC_RULE_REGISTER, "%s: takes no value from a register", info->name);
	return (value >= 0 && value < ASC_REGISTERS) ||
	       broken(error, ASC_RULE_REGISTER, "%s: r%" G_GINT64_FORMAT ", expected r0 to r%d", info->name, value,
	              ASC_REGISTERS - 1);
}

static bool check_address(const asc_insn *insn, unsigned i, const asc_machine *machine, GError **error)
{
	const asc_field_info *info = &asc_op((enum asc_op)insn->op)->field[i];
	unsigned align_bytes = asc_alignment((enum asc_op)insn->op, i, insn->f, insn->regs);
	int64_t value = insn->f[i];
	int64_t bytes = asc_space_bytes(machine, info->space);

	if (value % align_bytes)
		return broken(error, ASC_RULE_ALIGNMENT,
		              "%s: 0x%" G_GINT64_MODIFIER "x, expected a multiple of %u in %s", info->name,
		              (guint64)value, align_bytes, asc_space_name(info->space));
	return value < bytes || (value == 0 && bytes == 0) ||
	       broken(error, ASC_RULE_BUFFER,
	              "%s: 0x%" G_GINT64_MODIFIER "x lies behind %s, whose programs have 0x%" G_GINT64_MODIFIER
	              "x bytes",
	              info->name, (guint64)value, asc_space_name(info->space), (guint64)bytes);
}

static bool check_field(const asc_insn *insn, unsigned i, int64_t length, const asc_machine *machine, GError **error)
{
	const asc_field_info *info = &asc_op((enum asc_op)insn->op)->field[i];
	int64_t value = insn->f[i], min, max;

	if (insn->regs >> i & 1)
		return check_register(info, value, error);
	if (info->value == ASC_VALUE_LABEL)
		return (value >= 0 && value < length) ||
		       broken(error, ASC_RULE_LABEL,
		              "%s: %" G_GINT64_FORMAT ", expected one of %" G_GINT64_FORMAT " instructions", info->name,
		              value, length);
	if (value < info->min || value > info->max)
		return broken(error, info->value == ASC_VALUE_REGISTER ? ASC_RULE_REGISTER : ASC_RULE_RANGE,
		              "%s: %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
		              info->name, value, info->min, info->max);
	if (info->value == ASC_VALUE_ADDRESS)
		return check_address(insn, i, machine, error);
	if (asc_packed_limits((enum asc_op)insn->op, i, &min, &max) &&
	    !asc_packed_fits((enum asc_op)insn->op, i, value))
		return broken(error, ASC_RULE_RANGE,
		              "%s: 0x%04" G_GINT64_MODIFIER "x, expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
		              " in either byte",
		              info->name, (guint64)value, min, max);
	return info->align_bytes <= 1 || value % info->align_bytes == 0 ||
	       broken(error, ASC_RULE_GRANULARITY, "%s: %" G_GINT64_FORMAT ", expected a multiple of %u", info->name,
	              value, info->align_bytes);
}

/* The value of field NAME when it stands in the instruction, else OTHERWISE. */
static int64_t known(const asc_insn *insn, const char *name, int64_t otherwise, int *field)
{
	*field = asc_field_by_name((enum asc_op)insn->op, name);
	return *field < 0 || insn->regs >> *field & 1 ? otherwise : insn->f[*field];
}

static bool check_flag(const asc_insn *insn, enum asc_kind kind, const asc_machine *machine, int *field, GError **error)
{
	int from_field, to_field;
	enum asc_pipe from = (enum asc_pipe)known(insn, "from", 0, &from_field);
	enum asc_pipe to = (enum asc_pipe)known(insn, "to", 0, &to_field);
	int64_t id;

	*field = to_field;
	if (!asc_flag_pair(kind, from, to))
		return broken(error, ASC_RULE_FLAG_PAIR, "%s cores have no flags from %s to %s", asc_kind_name(kind),
		              asc_pipe_name(from), asc_pipe_name(to));
	id = known(insn, "id", 0, field);
	return id < machine->flag_ids ||
	       broken(error, ASC_RULE_FLAG_ID, "id: %" G_GINT64_FORMAT ", expected 0 to %" G_GINT64_FORMAT, id,
	              machine->flag_ids - 1);
}

static bool check_pipe(const asc_insn *insn, enum asc_kind kind, int *field, GError **error)
{
	int64_t pipe = known(insn, "pipe", ASC_PIPE_ALL, field);

	if (insn->op == ASC_OP_BARRIER && pipe == ASC_PIPE_S)
		return broken(error, ASC_RULE_BARRIER_S, "pipe: S has no barrier");
	return pipe == ASC_PIPE_ALL || asc_kind_has_pipe(kind, (enum asc_pipe)pipe) ||
	       broken(error, ASC_RULE_PIPE, "pipe: %s cores have no pipe %s", asc_kind_name(kind),
	              asc_pipe_name((enum asc_pipe)pipe));
}

static bool check_cross(const asc_insn *insn, enum asc_kind kind, const asc_machine *machine, int *field,
                        GError **error)
{
	int64_t id = known(insn, "id", 0, field);
	int64_t mode;

	if (id >= machine->cross_ids)
		return broken(error, ASC_RULE_CROSS_ID,
		              "id: %" G_GINT64_FORMAT ", expected less than %" G_GINT64_FORMAT, id, machine->cross_ids);
	mode = known(insn, "mode", 0, field);
	if (mode > 2 || (mode == 1 && kind != ASC_VECTOR))
		return broken(error, ASC_RULE_CROSS_MODE, "mode: %" G_GINT64_FORMAT " on a %s core", mode,
		              asc_kind_name(kind));
	return check_pipe(insn, kind, field, error);
}

static bool check_mmad(const asc_insn *insn, const asc_machine *machine, int *field, GError **error)
{
	enum asc_type type = (enum asc_type)known(insn, "type", ASC_F16, field);
	bool ok = type == ASC_I8 || type == ASC_U8 || type == ASC_F16 || (type == ASC_BF16 && machine->cube_bf16) ||
	          (type == ASC_F32 && machine->cube_f32_k);

	if (!ok)
		return broken(error, ASC_RULE_TYPES, "type: the cube does not multiply %s", asc_type_name(type));
	if (known(insn, "init", 0, field) == MMAD_FROM_BIAS && machine->bt_bytes == 0)
		return broken(error, ASC_RULE_BUFFER, "init: 2, but there is no bias table");
	return true;
}

static const struct {
	enum asc_type type, dtype;
	int64_t quant;
} quantisations[] = {
	{ASC_F32, ASC_F32, 0},  {ASC_I32, ASC_I32, 0},  {ASC_F32, ASC_F16, 1},  {ASC_F32, ASC_BF16, 16},
	{ASC_F32, ASC_I8, 23},  {ASC_F32, ASC_I8, 24},  {ASC_I32, ASC_I8, 8},   {ASC_I32, ASC_I8, 9},
	{ASC_I32, ASC_F16, 10}, {ASC_I32, ASC_F16, 11}, {ASC_I32, ASC_I16, 12}, {ASC_I32, ASC_I16, 13},
};

bool asc_fixpipe_types(int64_t quant, enum asc_type type, enum asc_type dtype)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(quantisations); i++)
		if (quantisations[i].quant == quant && quantisations[i].type == type && quantisations[i].dtype == dtype)
			return true;
	return false;
}

static bool check_quantisation(const asc_insn *insn, int *field, GError **error)
{
	int type_field;
	enum asc_type type = (enum asc_type)known(insn, "type", ASC_F32, &type_field);
	enum asc_type dtype = (enum asc_type)known(insn, "dtype", ASC_F32, &type_field);
	int64_t quant = known(insn, "quant", -1, field);

	return quant < 0 || asc_fixpipe_types(quant, type, dtype) ||
	       broken(error, ASC_RULE_TYPES, "quant: %" G_GINT64_FORMAT " does not make %s of %s", quant,
	              asc_type_name(dtype), asc_type_name(type));
}

static bool check_fixpipe(const asc_insn *insn, int *field, GError **error)
{
	int nz2nd_field;
	int64_t nz2nd = known(insn, "nz2nd", 0, &nz2nd_field);
	int64_t m;

	if (!check_quantisation(insn, field, error))
		return false;
	m = known(insn, "m", 0, field);
	return !nz2nd || m <= 8192 ||
	       broken(error, ASC_RULE_NZ2ND, "m: %" G_GINT64_FORMAT ", expected at most 8192 with nz2nd", m);
}

static bool check_special(const asc_insn *insn, enum asc_kind kind, const asc_machine *machine, int *field,
                          GError **error)
{
	switch (insn->op) {
	case ASC_OP_SETFLAG:
	case ASC_OP_WAITFLAG:
		return check_flag(insn, kind, machine, field, error);
	case ASC_OP_BARRIER:
		return check_pipe(insn, kind, field, error);
	case ASC_OP_SETCROSS:
	case ASC_OP_WAITCROSS:
		return check_cross(insn, kind, machine, field, error);
	case ASC_OP_MMAD:
		return check_mmad(insn, machine, field, error);
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		return check_fixpipe(insn, field, error);
	default:
		return true;
	}
}

bool asc_check_insn(const asc_insn *insn, enum asc_kind kind, int64_t length, const asc_machine *machine, int *field,
                    GError **error)
{
	const asc_op_info *info;

	*field = -1;
	if (insn->op >= ASC_OP_COUNT)
		return broken(error, ASC_RULE_OPCODE, "opcode %u, expected less than %d", insn->op, ASC_OP_COUNT);
	info = asc_op((enum asc_op)insn->op);
	if (!(info->cores >> kind & 1))
		return broken(error, ASC_RULE_CORE_KIND, "%s cores do not have it", asc_kind_name(kind));
	if (insn->regs >> info->fields)
		return broken(error, ASC_RULE_REGISTER, "a register behind the last field");
	for (unsigned i = 0; i < info->fields; i++) {
		*field = (int)i;
		if (!check_field(insn, i, length, machine, error))
			return false;
	}
	*field = -1;
	return check_special(insn, kind, machine, field, error);
}

bool asc_check_stream(const asc_stream *stream, const asc_program *program, const asc_machine *machine, GError **error)
{
	int64_t subs = stream->kind == ASC_VECTOR ? machine->core_vector_cores : 1;

	if ((unsigned)stream->kind >= ASC_KINDS || !asc_machine_has_kind(machine, stream->kind))
		return broken(error, ASC_RULE_STREAM_KIND, "%s has no %s cores", machine->name,
		              (unsigned)stream->kind < ASC_KINDS ? asc_kind_name(stream->kind) : "such");
	if (stream->sub < ASC_ALL_BLOCKS || stream->sub >= subs)
		return broken(error, ASC_RULE_STREAM_BLOCK, "sub-core %d, expected less than %" G_GINT64_FORMAT,
		              stream->sub, subs);
	return (stream->block >= ASC_ALL_BLOCKS && (int64_t)stream->block < (int64_t)program->blocks) ||
	       broken(error, ASC_RULE_STREAM_BLOCK, "block %d, expected less than %u", stream->block, program->blocks);
}

bool asc_check(const asc_program *program, const asc_machine *machine, GError **error)
{
	for (guint s = 0; s < program->streams->len; s++) {
		const asc_stream *stream = program->streams->pdata[s];

		if (!asc_check_stream(stream, program, machine, error)) {
			g_prefix_error(error, "stream %u: ", s);
			return false;
		}
		for (guint i = 0; i < stream->insns->len; i++) {
			const asc_insn *insn = &g_array_index(stream->insns, asc_insn, i);
			int field;

			if (asc_check_insn(insn, stream->kind, stream->insns->len, machine, &field, error))
				continue;
			g_prefix_error(error, "stream %u (%s), instruction %u (%s): ", s, asc_kind_name(stream->kind),
			               i, insn->op < ASC_OP_COUNT ? asc_op((enum asc_op)insn->op)->mnemonic : "?");
			return false;
		}
	}
	return true;
}
