/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler: one line an instruction,
 *   [label:] @cycle queue: mnemonic places fields [xN every D [step S]] [xN every D [step S]] [rot.OPERAND=STEP[/WRAP]]
 * Directives (isa/asm_directives.c) state the rest of the container.  The language is described in docs/assembly.md;
 * every mnemonic, field and width comes from the tables.  Errors carry file:line:column and the nearest legal word.
 */
#include "isa/asm_int.h"
#include "isa/format.h"
#include "isa/machine_int.h"
#include "isa/program_int.h"

#include <string.h>

bool isa_asm_fail(isa_assembler *as, unsigned column, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(as->error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: %s", as->file, as->line, column, text);
	return false;
}

bool isa_asm_integer(isa_assembler *as, unsigned column, const char *what, const char *text, int64_t min, int64_t max,
                     int64_t *value)
{
	g_autoptr(GError) cause = NULL;

	return isa_tokens_integer(text, min, max, value, &cause) ||
	       isa_asm_fail(as, column, "%s: %s", what, cause->message);
}

/* Cuts LINE into the tokens of this line. */
static bool tokenize(isa_assembler *as, const char *line, const char *line_end)
{
	unsigned column;

	return isa_tokens_cut(as->tokens, line, line_end, &column) ||
	       isa_asm_fail(as, column, "the text is not closed by '\"'");
}

/* Keys of TABLE as a NULL-terminated list; g_free the list only. */
static const char **key_list(GHashTable *table)
{
	return (const char **)g_hash_table_get_keys_as_array(table, NULL);
}

typedef struct line_parser {
	isa_assembler *as;
	isa_insn insn;
	const isa_format_info *format;
	const isa_token *mnemonic;
	uint32_t given; /* bit per enum isa_field */
	unsigned loops; /* read so far */
	const isa_token *imm;
	const char *imm_text;
} line_parser;

static bool store_field(line_parser *lp, const isa_token *token, const isa_format_field *f, int64_t value)
{
	if (lp->given >> f->field & 1)
		return isa_asm_fail(lp->as, token->column, "%s is given twice", isa_field_name(f->field));
	lp->given |= UINT32_C(1) << f->field;
	isa_field_set(&lp->insn, f->field, value);
	return true;
}

static bool parse_place(line_parser *lp, const isa_token *token)
{
	static const enum isa_field order[] = {ISA_FIELD_DST, ISA_FIELD_SRC0, ISA_FIELD_SRC1};
	int place = isa_place_from_text(token->text);

	if (place < 0)
		return isa_asm_fail(
			lp->as, token->column,
			"expected a place (r12, e5, w5, act.3, wt.0, alu.4, imm, -), field=value or xN, found '%s'",
			token->text);
	for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
		const isa_format_field *f = isa_format_find(isa_ops[lp->insn.op].format, order[i]);

		if (f && !(lp->given >> order[i] & 1))
			return store_field(lp, token, f, place);
	}
	return isa_asm_fail(lp->as, token->column, "%s takes no further place", lp->mnemonic->text);
}

/* Enumerated fields: TEXT as one of NAMES, its index is the value. */
static bool parse_name(line_parser *lp, const isa_token *token, const isa_format_field *f, const char *text,
                       const char *const *names)
{
	g_autofree char *hint = NULL;
	g_autofree char *list = NULL;

	for (int i = 0; names[i]; i++)
		if (strcmp(names[i], text) == 0)
			return store_field(lp, token, f, i);
	hint = isa_hint(text, names);
	list = g_strjoinv(", ", (char **)names);
	return isa_asm_fail(lp->as, token->column, "%s: unknown '%s', expected one of %s%s", isa_field_name(f->field),
	                    text, list, hint);
}

static bool parse_value(line_parser *lp, const isa_token *token, const isa_format_field *f, const char *text)
{
	static const char *const modes[] = {"overwrite", "add", NULL};
	const char *types[ISA_TYPE_COUNT + 1] = {NULL};
	int64_t min, max, value;

	switch (f->kind) {
	case ISA_KIND_TYPE:
		for (unsigned i = 0; i < ISA_TYPE_COUNT; i++)
			types[i] = isa_type_name(i);
		return parse_name(lp, token, f, text, types);
	case ISA_KIND_MODE:
		return parse_name(lp, token, f, text, modes);
	case ISA_KIND_FBITS: /* needs the type, which may stand behind */
		lp->imm = token;
		lp->imm_text = text;
		return store_field(lp, token, f, 0);
	default:
		isa_field_range(f, &min, &max);
		return isa_asm_integer(lp->as, token->column, isa_field_name(f->field), text, min, max, &value) &&
		       store_field(lp, token, f, value);
	}
}

/* rot.dst=STEP[/WRAP] */
static bool parse_rotation(line_parser *lp, const isa_token *token, const char *name, const char *text)
{
	static const char *const names[] = {"rot.dst", "rot.src0", "rot.src1", NULL};
	g_auto(GStrv) parts = g_strsplit(text, "/", 2);
	int64_t value[2] = {0, 0};
	g_autofree char *hint = NULL;

	for (unsigned i = 0; names[i]; i++) {
		unsigned field = ISA_FIELD_ROT_DST_STEP + 2 * i;

		if (strcmp(names[i], name) != 0)
			continue;
		if (lp->given >> field & 1)
			return isa_asm_fail(lp->as, token->column, "%s is given twice", name);
		lp->given |= UINT32_C(1) << field;
		for (unsigned j = 0; j < 2 && parts[j]; j++) {
			int64_t min, max;

			isa_field_range(isa_format_find(ISA_FORMAT_REPEAT, field + j), &min, &max);
			if (!isa_asm_integer(lp->as, token->column, name, parts[j], min, max, &value[j]))
				return false;
		}
		lp->insn.rot[i] = (isa_rotation){(int8_t)value[0], (uint16_t)value[1]};
		return true;
	}
	hint = isa_hint(name, names);
	return isa_asm_fail(lp->as, token->column, "unknown rotation '%s', expected rot.dst, rot.src0 or rot.src1%s",
	                    name, hint);
}

static bool parse_field(line_parser *lp, const isa_token *token, const char *equals)
{
	g_autofree char *name = g_strndup(token->text, (gsize)(equals - token->text));
	const char *names[ISA_FORMAT_FIELDS + 1] = {NULL};
	size_t count = 0;
	g_autofree char *hint = NULL;

	if (g_str_has_prefix(name, "rot."))
		return parse_rotation(lp, token, name, equals + 1);
	for (const isa_format_field *f = lp->format->fields; f->bits; f++) {
		if (f->kind == ISA_KIND_PLACE)
			continue;
		names[count++] = isa_field_name(f->field);
		if (strcmp(names[count - 1], name) == 0)
			return parse_value(lp, token, f, equals + 1);
	}
	hint = isa_hint(name, names);
	return isa_asm_fail(lp->as, token->column, "%s has no field '%s'%s", lp->mnemonic->text, name, hint);
}

static bool repeat_number(line_parser *lp, const isa_token *token, enum isa_field field, const char *what,
                          const char *text, int64_t *value)
{
	int64_t min, max;

	isa_field_range(isa_format_find(ISA_FORMAT_REPEAT, field), &min, &max);
	if (field == ISA_FIELD_COUNT) { /* the word counts the issues that come on top */
		min = 1;
		max++;
	}
	return isa_asm_integer(lp->as, token->column, what, text, min, max, value);
}

/* xN every D [step S], from token *I. */
static bool parse_loop(line_parser *lp, unsigned *i)
{
	const isa_token *token = isa_asm_token(lp->as, *i);
	const isa_token *every = isa_asm_token(lp->as, *i + 1);
	const isa_token *interval = isa_asm_token(lp->as, *i + 2);
	const isa_token *step = isa_asm_token(lp->as, *i + 3);
	const isa_token *stride = isa_asm_token(lp->as, *i + 4);
	int64_t count, cycles, add = 0;

	if (lp->loops == ISA_LOOPS)
		return isa_asm_fail(lp->as, token->column, "an instruction has two loops at most");
	if (!every || strcmp(every->text, "every") != 0 || !interval)
		return isa_asm_fail(lp->as, every ? every->column : token->column, "expected 'every CYCLES' after '%s'",
		                    token->text);
	if (!repeat_number(lp, token, ISA_FIELD_COUNT, "loop count", token->text + 1, &count) ||
	    !repeat_number(lp, interval, ISA_FIELD_INTERVAL, "loop interval", interval->text, &cycles))
		return false;
	*i += 2;
	if (step && strcmp(step->text, "step") == 0) {
		if (!stride)
			return isa_asm_fail(lp->as, step->column, "expected a number after 'step'");
		if (!repeat_number(lp, stride, ISA_FIELD_STEP, "loop step", stride->text, &add))
			return false;
		*i += 2;
	}
	lp->insn.loop[lp->loops++] = (isa_loop){(uint32_t)count, (uint32_t)cycles, (int32_t)add};
	return true;
}

/* What may be left out: an unary operation's second source, the mode (overwrite), the immediate, the buffer (none), and
 * the result's type when it is the operands'. */
static bool check_given(line_parser *lp)
{
	const isa_op_info *op = &isa_ops[lp->insn.op];

	for (const isa_format_field *f = lp->format->fields; f->bits; f++) {
		if (lp->given >> f->field & 1)
			continue;
		if (f->field == ISA_FIELD_DTYPE)
			lp->insn.dtype = lp->insn.type;
		else if (f->kind == ISA_KIND_PLACE && !(op->arity == 1 && f->field == ISA_FIELD_SRC1))
			return isa_asm_fail(lp->as, lp->mnemonic->column, "%s needs a place for %s", op->mnemonic,
			                    isa_field_name(f->field));
		else if (f->kind != ISA_KIND_PLACE && f->kind != ISA_KIND_MODE && f->kind != ISA_KIND_FBITS &&
		         f->field != ISA_FIELD_BUFFER)
			return isa_asm_fail(lp->as, lp->mnemonic->column, "%s needs %s=", op->mnemonic,
			                    isa_field_name(f->field));
	}
	if (lp->imm && !isa_imm_from_text(lp->insn.type, lp->imm_text, &lp->insn.imm))
		return isa_asm_fail(lp->as, lp->imm->column,
		                    "imm: expected a number of type %s or 32 raw bits (0x...), found '%s'",
		                    isa_type_name(lp->insn.type), lp->imm_text);
	return true;
}

static bool parse_queue(isa_assembler *as, const isa_token *token, unsigned *queue)
{
	g_autofree char *name = token ? g_strdup(token->text) : NULL;
	g_autofree const char **names = NULL;
	g_autofree char *hint = NULL;
	gpointer index;

	if (!name || !g_str_has_suffix(name, ":"))
		return isa_asm_fail(as, token ? token->column : 1, "expected 'queue:' after the cycle");
	name[strlen(name) - 1] = '\0';
	index = g_hash_table_lookup(as->queues, name);
	if (index) {
		*queue = GPOINTER_TO_UINT(index) - 1;
		return true;
	}
	names = key_list(as->queues);
	hint = isa_hint(name, names);
	return isa_asm_fail(as, token->column, "machine %s has no queue '%s'%s", as->machine->name, name, hint);
}

static bool parse_mnemonic(isa_assembler *as, const isa_token *token, unsigned queue, int *op)
{
	const char *names[ISA_OP_COUNT + 1] = {NULL};
	const isa_queue_info *info = isa_machine_queue(as->machine, queue);
	g_autofree char *hint = NULL;

	if (!token)
		return isa_asm_fail(as, isa_asm_token(as, as->tokens->len - 1)->column,
		                    "expected a mnemonic after the queue");
	*op = isa_op_from_mnemonic(token->text);
	if (*op < 0) {
		for (int i = 0; i < ISA_OP_COUNT; i++)
			names[i] = isa_ops[i].mnemonic;
		hint = isa_hint(token->text, names);
		return isa_asm_fail(as, token->column, "unknown instruction '%s'%s", token->text, hint);
	}
	if (*op == ISA_OP_NOP || *op == ISA_OP_REPEAT)
		return isa_asm_fail(as, token->column,
		                    "%s is not written: it follows from cycles and loops (xN every D)", token->text);
	if (isa_ops[*op].unit != ISA_UNIT_ICU && isa_ops[*op].unit != info->unit)
		return isa_asm_fail(as, token->column, "%s is an instruction of the %s, queue %s belongs to the %s",
		                    token->text, isa_unit_name(isa_ops[*op].unit), info->name,
		                    isa_unit_name(info->unit));
	return true;
}

/* The instruction from token FIRST on. */
static bool parse_insn(isa_assembler *as, unsigned first)
{
	const isa_token *at = isa_asm_token(as, first);
	line_parser lp = {.as = as, .mnemonic = isa_asm_token(as, first + 2)};
	int64_t cycle;
	unsigned queue = 0;
	int op = 0;

	if (*at->text != '@' || at->quoted)
		return isa_asm_fail(as, at->column, "expected @CYCLE, a label or a directive, found '%s'", at->text);
	if (!isa_asm_integer(as, at->column + 1, "cycle", at->text + 1, 0, ISA_CYCLE_MAX - 1, &cycle) ||
	    !parse_queue(as, isa_asm_token(as, first + 1), &queue) || !parse_mnemonic(as, lp.mnemonic, queue, &op))
		return false;
	lp.insn = isa_insn_make((enum isa_op)op, queue, cycle);
	lp.format = &isa_formats[isa_ops[op].format];
	for (unsigned i = first + 3; i < as->tokens->len; i++) {
		const isa_token *token = isa_asm_token(as, i);
		const char *equals = strchr(token->text, '=');
		bool ok;

		if (token->quoted)
			ok = isa_asm_fail(as, token->column, "a text does not belong here");
		else if (equals)
			ok = parse_field(&lp, token, equals);
		else if (token->text[0] == 'x' && g_ascii_isdigit(token->text[1]))
			ok = parse_loop(&lp, &i);
		else
			ok = parse_place(&lp, token);
		if (!ok)
			return false;
	}
	if (!check_given(&lp))
		return false;
	if (lp.insn.map && lp.insn.map >= as->program->maps->len)
		return isa_asm_fail(as, lp.mnemonic->column, "map %u is not defined above (.map)", lp.insn.map);
	if (lp.insn.buffer > as->program->buffers->len)
		return isa_asm_fail(as, lp.mnemonic->column, "buffer %u is not defined above (.buffer)",
		                    lp.insn.buffer);
	as->last = isa_program_add(as->program, &lp.insn, as->node);
	for (guint i = 0; i < as->pending->len; i++)
		g_hash_table_insert(as->labels, g_strdup(g_ptr_array_index(as->pending, i)),
		                    GUINT_TO_POINTER((guint)as->last + 1));
	g_ptr_array_set_size(as->pending, 0);
	return true;
}

static bool parse_label(isa_assembler *as, const isa_token *token)
{
	char *name = g_strndup(token->text, strlen(token->text) - 1);
	bool ok = g_ascii_isalpha(*name) || *name == '_';

	for (const char *c = name; *c; c++)
		ok = ok && (g_ascii_isalnum(*c) || *c == '_');
	if (!ok || g_hash_table_contains(as->labels, name) ||
	    g_ptr_array_find_with_equal_func(as->pending, name, g_str_equal, NULL)) {
		isa_asm_fail(as, token->column,
		             ok ? "label '%s' stands here twice" : "'%s' is no label: letters, digits and _ only",
		             name);
		g_free(name);
		return false;
	}
	g_ptr_array_add(as->pending, name);
	return true;
}

static bool parse_line(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 0);
	unsigned first = 0;

	if (!token)
		return true;
	if (*token->text == '.' && !token->quoted)
		return isa_asm_directive(as);
	if (*token->text != '@' && !token->quoted && g_str_has_suffix(token->text, ":")) {
		if (!parse_label(as, token))
			return false;
		first = 1;
	}
	return first == as->tokens->len || parse_insn(as, first);
}

/* Gives the program its sources, now that every label is known. */
static bool resolve_sources(isa_assembler *as)
{
	for (guint i = 0; i < as->sources->len; i++) {
		isa_asm_source *s = &g_array_index(as->sources, isa_asm_source, i);
		gpointer id = s->label ? g_hash_table_lookup(as->labels, s->label) : NULL;

		as->line = s->line;
		if (s->label && !id) {
			g_autofree const char **names = key_list(as->labels);
			g_autofree char *hint = isa_hint(s->label, names);

			return isa_asm_fail(as, s->column, "unknown label '%s'%s", s->label, hint);
		}
		if (id)
			s->source.base = isa_program_instance(as->program, GPOINTER_TO_UINT(id) - 1) + s->plus;
		isa_program_add_source(as->program, s->insn, s->operand, &s->source);
	}
	return true;
}

static bool assemble(isa_assembler *as, const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n');

		if (!end)
			end = text + strlen(text);
		as->line++;
		if (!tokenize(as, text, end) || !parse_line(as))
			return false;
		text = *end ? end + 1 : end;
	}
	if (as->pending->len)
		return isa_asm_fail(as, 1, "label '%s' has no instruction", (char *)g_ptr_array_index(as->pending, 0));
	return isa_asm_directives_end(as) && resolve_sources(as);
}

static void clear_source(gpointer source)
{
	g_free(((isa_asm_source *)source)->label);
}

isa_program *isa_assemble(const char *text, const char *file, const isa_machine *machine, GError **error)
{
	isa_assembler as = {.machine = machine, .file = file, .error = error, .last = -1};
	bool ok;

	as.program = isa_program_new(machine);
	as.tokens = isa_tokens_new();
	as.sources = g_array_new(FALSE, TRUE, sizeof(isa_asm_source));
	g_array_set_clear_func(as.sources, clear_source);
	as.pending = g_ptr_array_new_with_free_func(g_free);
	as.labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	as.queues = g_hash_table_new(g_str_hash, g_str_equal);
	for (unsigned i = 0; i < isa_machine_queue_count(machine); i++)
		g_hash_table_insert(as.queues, (gpointer)isa_machine_queue(machine, i)->name, GUINT_TO_POINTER(i + 1));
	ok = assemble(&as, text);
	g_hash_table_unref(as.queues);
	g_hash_table_unref(as.labels);
	g_ptr_array_unref(as.pending);
	g_array_unref(as.sources);
	g_array_unref(as.tokens);
	if (ok)
		return as.program;
	isa_program_free(as.program);
	return NULL;
}
