/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler of Ascend-style programs: one line an instruction,
 *   [label:] [@start[..end]] mnemonic name=value ...
 * Directives (isa/ascend/asm_directives.c) state the rest.  The language is described in docs/ascend-assembly.md; every
 * mnemonic, field and limit comes from the tables.  Errors carry file:line:column and the nearest legal word.
 */
#include "isa/ascend/asm_int.h"
#include "isa/machine_int.h"
#include "isa/num.h"

#include <string.h>

bool asc_asm_fail(asc_assembler *as, unsigned column, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(as->error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: %s", as->file, as->line, column, text);
	return false;
}

bool asc_asm_integer(asc_assembler *as, unsigned column, const char *what, const char *text, int64_t min, int64_t max,
                     int64_t *value)
{
	g_autoptr(GError) cause = NULL;

	return isa_tokens_integer(text, min, max, value, &cause) ||
	       asc_asm_fail(as, column, "%s: %s", what, cause->message);
}

/* One rounding from DOUBLE to the type. */
static int64_t bits_of(enum asc_type type, double value)
{
	uint32_t bits;

	if (type == ASC_F16)
		return num_f64_to_f16(value);
	bits = num_f32_bits((float)value);
	if (type == ASC_BF16) {
		if ((bits & 0x7FFFFFFF) > 0x7F800000)
			return 0x7FC0;
		return (int64_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
	}
	return bits;
}

bool asc_bits_from_text(enum asc_type type, const char *text, int64_t *bits)
{
	bool floating = type == ASC_F16 || type == ASC_BF16 || type == ASC_F32;
	bool hex = g_str_has_prefix(text, "0x") || g_str_has_prefix(text, "-0x");
	char *end;
	double value;

	if (hex || !floating)
		return isa_tokens_integer(text, INT64_MIN, INT64_MAX, bits, NULL);
	value = g_ascii_strtod(text, &end);
	if (end == text || *end)
		return false;
	*bits = bits_of(type, value);
	return true;
}

/* The value behind "name=" when it is "rN"; -1 when it is not. */
static int register_of(const char *text)
{
	int64_t number;

	if (*text != 'r' || !g_ascii_isdigit(text[1]) || strlen(text) > 3)
		return -1;
	return isa_tokens_integer(text + 1, 0, ASC_REGISTERS - 1, &number, NULL) ? (int)number : -1;
}

typedef struct line_parser {
	asc_assembler *as;
	asc_insn insn;
	const asc_op_info *info;
	unsigned first;                  /* token of the mnemonic */
	const isa_token *at[ASC_FIELDS]; /* token that gives a field */
	char *text[ASC_FIELDS];          /* its value, in the token */
} line_parser;

/* Fails at the value of FIELD, with the nearest of NAMES. */
static bool fail_word(line_parser *lp, unsigned field, const char *what, const char *const *names)
{
	g_autofree char *hint = isa_hint(lp->text[field], names);

	return asc_asm_fail(lp->as, lp->at[field]->column, "%s: unknown %s '%s'%s", lp->info->field[field].name, what,
	                    lp->text[field], hint);
}

static bool read_type(line_parser *lp, unsigned field)
{
	const char *names[ASC_TYPES + 1] = {NULL};
	int type = asc_type_by_name(lp->text[field]);

	for (int i = 0; i < ASC_TYPES; i++)
		names[i] = asc_type_name((enum asc_type)i);
	lp->insn.f[field] = type;
	return type >= 0 || fail_word(lp, field, "type", names);
}

static bool read_pipe(line_parser *lp, unsigned field)
{
	const char *names[ASC_PIPES + 2] = {NULL};
	int pipe = asc_pipe_by_name(lp->text[field]);

	for (int i = 0; i < ASC_PIPES; i++)
		names[i] = asc_pipe_name((enum asc_pipe)i);
	names[ASC_PIPES] = lp->info->field[field].max == ASC_PIPE_ALL ? "all" : NULL;
	lp->insn.f[field] = pipe;
	return pipe >= 0 || fail_word(lp, field, "pipe", names);
}

static bool read_register(line_parser *lp, unsigned field)
{
	int number = register_of(lp->text[field]);

	lp->insn.f[field] = number;
	return number >= 0 ||
	       asc_asm_fail(lp->as, lp->at[field]->column, "%s: expected a register, r0 to r%d, found '%s'",
	                    lp->info->field[field].name, ASC_REGISTERS - 1, lp->text[field]);
}

static bool read_bits(line_parser *lp, unsigned field)
{
	int type_field = asc_field_by_name((enum asc_op)lp->insn.op, "type");
	enum asc_type type = ASC_F32;

	if (lp->info->field[field].value == ASC_VALUE_BITS && type_field >= 0)
		type = (enum asc_type)lp->insn.f[type_field];
	return asc_bits_from_text(type, lp->text[field], &lp->insn.f[field]) ||
	       asc_asm_fail(lp->as, lp->at[field]->column,
	                    "%s: expected a number of %s or hexadecimal bits, found '%s'", lp->info->field[field].name,
	                    asc_type_name(type), lp->text[field]);
}

/* Labels are read when the instruction has its place. */
static bool read_field(line_parser *lp, unsigned field)
{
	const asc_field_info *info = &lp->info->field[field];
	int number;

	switch (info->value) {
	case ASC_VALUE_TYPE:
		return read_type(lp, field);
	case ASC_VALUE_PIPE:
		return read_pipe(lp, field);
	case ASC_VALUE_REGISTER:
		return read_register(lp, field);
	case ASC_VALUE_LABEL:
		return true;
	default:
		number = register_of(lp->text[field]);
		if (number >= 0) {
			lp->insn.regs |= (uint16_t)(1u << field);
			lp->insn.f[field] = number;
			return true;
		}
		if (info->value == ASC_VALUE_BITS || info->value == ASC_VALUE_BITS32)
			return read_bits(lp, field);
		/* Limits are held against the rules later, which have names. */
		return asc_asm_integer(lp->as, lp->at[field]->column, info->name, lp->text[field], INT64_MIN, INT64_MAX,
		                       &lp->insn.f[field]);
	}
}

static bool unknown_field(line_parser *lp, const isa_token *token, const char *name)
{
	const char *names[ASC_FIELDS + 1] = {NULL};
	g_autofree char *hint = NULL;

	for (unsigned i = 0; i < lp->info->fields; i++)
		names[i] = lp->info->field[i].name;
	hint = isa_hint(name, names);
	return asc_asm_fail(lp->as, token->column, "%s has no field '%s'%s", lp->info->mnemonic, name, hint);
}

/* Which token gives which field; then their values, types first, for the bits of numbers depend on them. */
static bool read_fields(line_parser *lp)
{
	for (unsigned i = lp->first + 1; i < lp->as->tokens->len; i++) {
		const isa_token *token = asc_asm_token(lp->as, i);
		char *equals = token->quoted ? NULL : strchr(token->text, '=');
		g_autofree char *name = NULL;
		int field;

		if (!equals)
			return asc_asm_fail(lp->as, token->column, "expected name=value, found '%s'", token->text);
		name = g_strndup(token->text, (gsize)(equals - token->text));
		field = asc_field_by_name((enum asc_op)lp->insn.op, name);
		if (field < 0)
			return unknown_field(lp, token, name);
		if (lp->at[field])
			return asc_asm_fail(lp->as, token->column, "%s is given twice", name);
		lp->at[field] = token;
		lp->text[field] = equals + 1;
	}
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < lp->info->fields; i++)
			if (lp->at[i] && (lp->info->field[i].value == ASC_VALUE_TYPE) == (pass == 0) &&
			    !read_field(lp, i))
				return false;
	return true;
}

/* "@12", "@12..30", "@..30" */
static bool read_times(line_parser *lp, const isa_token *token)
{
	char *dots = strstr(token->text, "..");
	g_autofree char *start =
		dots ? g_strndup(token->text + 1, (gsize)(dots - token->text - 1)) : g_strdup(token->text + 1);

	if ((*start || !dots) &&
	    !asc_asm_integer(lp->as, token->column, "start", start, INT64_MIN + 1, INT64_MAX, &lp->insn.start))
		return false;
	return !dots ||
	       asc_asm_integer(lp->as, token->column, "end", dots + 2, INT64_MIN + 1, INT64_MAX, &lp->insn.end);
}

static bool read_mnemonic(line_parser *lp, const isa_token *token)
{
	const char *names[ASC_OP_COUNT + 1] = {NULL};
	g_autofree char *hint = NULL;
	int op = asc_op_by_name(token->text);

	if (op >= 0) {
		int64_t start = lp->insn.start, end = lp->insn.end;

		lp->insn = asc_insn_make((enum asc_op)op);
		lp->insn.start = start;
		lp->insn.end = end;
		lp->info = asc_op((enum asc_op)op);
		return true;
	}
	for (int i = 0; i < ASC_OP_COUNT; i++)
		names[i] = asc_op((enum asc_op)i)->mnemonic;
	hint = isa_hint(token->text, names);
	return asc_asm_fail(lp->as, token->column, "unknown instruction '%s'%s", token->text, hint);
}

static bool add_jump(line_parser *lp, unsigned field)
{
	asc_assembler *as = lp->as;
	const isa_token *token = lp->at[field];
	asc_asm_jump jump = {.stream = as->stream, .insn = as->stream->insns->len, .field = field, .line = as->line};

	if (!token)
		return asc_asm_fail(as, asc_asm_token(as, lp->first)->column, "%s needs label=NAME",
		                    lp->info->mnemonic);
	jump.column = token->column;
	jump.label = g_strdup(lp->text[field]);
	g_array_append_val(as->jumps, jump);
	return true;
}

static char *label_key(const asc_stream *stream, const char *name)
{
	return g_strdup_printf("%d.%d.%d/%s", (int)stream->kind, stream->sub, stream->block, name);
}

static void place_labels(asc_assembler *as)
{
	for (guint i = 0; i < as->pending->len; i++)
		g_hash_table_insert(as->labels, label_key(as->stream, as->pending->pdata[i]),
		                    GUINT_TO_POINTER(as->stream->insns->len + 1));
	g_ptr_array_set_size(as->pending, 0);
}

static bool parse_instruction(asc_assembler *as, unsigned first)
{
	line_parser lp = {.as = as, .first = first, .insn = {.start = ASC_NO_TIME, .end = ASC_NO_TIME}};
	const isa_token *token = asc_asm_token(as, first);
	g_autoptr(GError) cause = NULL;
	int field;

	if (!as->stream)
		return asc_asm_fail(as, token->column, "an instruction without .stream above it");
	if (*token->text == '@') {
		if (!read_times(&lp, token))
			return false;
		token = asc_asm_token(as, ++lp.first);
		if (!token)
			return asc_asm_fail(as, asc_asm_token(as, first)->column,
			                    "expected an instruction behind the time");
	}
	if (!read_mnemonic(&lp, token) || !read_fields(&lp))
		return false;
	for (unsigned i = 0; i < lp.info->fields; i++)
		if (lp.info->field[i].value == ASC_VALUE_LABEL && !add_jump(&lp, i))
			return false;
	if (!asc_check_insn(&lp.insn, as->stream->kind, INT64_MAX, as->machine, &field, &cause))
		return asc_asm_fail(as, field >= 0 && lp.at[field] ? lp.at[field]->column : token->column, "%s: %s",
		                    lp.info->mnemonic, cause->message);
	lp.insn.node = as->node;
	place_labels(as);
	g_array_append_val(as->stream->insns, lp.insn);
	return true;
}

static bool parse_label(asc_assembler *as, const isa_token *token)
{
	g_autofree char *name = g_strndup(token->text, strlen(token->text) - 1);
	g_autofree char *key = NULL;
	bool twice;

	if (!as->stream)
		return asc_asm_fail(as, token->column, "a label without .stream above it");
	if (!*name || strchr(name, '='))
		return asc_asm_fail(as, token->column, "expected the name of a label before ':'");
	key = label_key(as->stream, name);
	twice = g_hash_table_contains(as->labels, key) ||
	        g_ptr_array_find_with_equal_func(as->pending, name, g_str_equal, NULL);
	if (twice)
		return asc_asm_fail(as, token->column, "label '%s' stands twice in this stream", name);
	g_ptr_array_add(as->pending, g_steal_pointer(&name));
	return true;
}

static bool parse_line(asc_assembler *as)
{
	for (unsigned first = 0; first < as->tokens->len; first++) {
		const isa_token *token = asc_asm_token(as, first);

		if (token->quoted)
			return asc_asm_fail(as, token->column, "expected an instruction or a directive, found a text");
		if (*token->text == '.' && first == 0)
			return asc_asm_directive(as);
		if (!g_str_has_suffix(token->text, ":"))
			return parse_instruction(as, first);
		if (!parse_label(as, token))
			return false;
	}
	return true;
}

static bool resolve_jumps(asc_assembler *as)
{
	for (guint i = 0; i < as->jumps->len; i++) {
		const asc_asm_jump *jump = &g_array_index(as->jumps, asc_asm_jump, i);
		g_autofree char *key = label_key(jump->stream, jump->label);
		guint target = GPOINTER_TO_UINT(g_hash_table_lookup(as->labels, key));

		if (!target) {
			as->line = jump->line;
			return asc_asm_fail(as, jump->column, "this stream has no label '%s'", jump->label);
		}
		g_array_index(jump->stream->insns, asc_insn, jump->insn).f[jump->field] = target - 1;
	}
	return true;
}

static bool assemble(asc_assembler *as, const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n');
		unsigned column;

		if (!end)
			end = text + strlen(text);
		as->line++;
		if (!isa_tokens_cut(as->tokens, text, end, &column))
			return asc_asm_fail(as, column, "the text is not closed by '\"'");
		if (!parse_line(as))
			return false;
		text = *end ? end + 1 : end;
	}
	if (as->pending->len)
		return asc_asm_fail(as, 1, "label '%s' has no instruction", (char *)as->pending->pdata[0]);
	return asc_asm_image_complete(as) && resolve_jumps(as);
}

static void clear_jump(gpointer jump)
{
	g_free(((asc_asm_jump *)jump)->label);
}

asc_program *asc_assemble(const char *text, const char *file, const asc_machine *machine, GError **error)
{
	asc_assembler as = {.machine = machine, .file = file, .error = error, .node = ASC_NO_NODE};
	g_autoptr(GError) cause = NULL;
	bool ok;

	as.program = asc_program_new();
	as.program->machine_name = g_strdup(machine->name);
	as.program->machine_text = asc_machine_dump(machine);
	as.tokens = isa_tokens_new();
	as.labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	as.jumps = g_array_new(FALSE, TRUE, sizeof(asc_asm_jump));
	g_array_set_clear_func(as.jumps, clear_jump);
	as.pending = g_ptr_array_new_with_free_func(g_free);
	ok = assemble(&as, text);
	if (ok && !asc_check(as.program, machine, &cause)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s", file, cause->message);
		ok = false;
	}
	g_ptr_array_unref(as.pending);
	g_array_unref(as.jumps);
	g_hash_table_unref(as.labels);
	g_array_unref(as.tokens);
	if (ok)
		return as.program;
	asc_program_free(as.program);
	return NULL;
}
