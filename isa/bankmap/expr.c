/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps given as expressions: bank=E and perhaps row=E over the block number b, with the operators and precedence of C
 * for unsigned 64-bit numbers; shifts by 64 and more give 0.  The expression becomes code for a stack of columns, so
 * that each operation runs over many blocks at once.  Before use it is evaluated on every word of the memory: a bank
 * that does not exist, or a division by zero, is an error that names the block.  For larger blocks, which nothing
 * stores, such banks are reduced modulo the banks used and such quotients are 0.
 */
#include "isa/bankmap/bankmap_int.h"

#include <string.h>

enum { DEPTH_MAX = 12, NESTING_MAX = 32, CODE_MAX = 256 };

enum operation { LOAD_BLOCK, LOAD, OR, XOR, AND, SHIFT_LEFT, SHIFT_RIGHT, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER };

static const struct {
	const char *text;
	unsigned level; /* binds tighter when higher */
	enum operation operation;
} operators[] = {
	{"|", 1, OR},  {"^", 2, XOR},      {"&", 3, AND},      {"<<", 4, SHIFT_LEFT}, {">>", 4, SHIFT_RIGHT},
	{"+", 5, ADD}, {"-", 5, SUBTRACT}, {"*", 6, MULTIPLY}, {"/", 6, DIVIDE},      {"%", 6, REMAINDER},
};

typedef struct instruction {
	enum operation operation;
	bool constant; /* the right operand is `value`, not on the stack */
	uint64_t value;
	bankmap_divisor by; /* of a constant divisor above 0 */
} instruction;

typedef struct expr {
	GArray *bank, *row; /* instruction; row NULL: b div banks used */
} expr;

typedef struct parser {
	const bankmap *map;
	const char *text, *at;
	GArray *code;
	unsigned depth, nesting;
} parser;

static bool expected(const parser *p, const char *what, GError **error)
{
	return bankmap_refuse(p->map, error, "expected %s at '%s'", what, *p->at ? p->at : "the end");
}

static bool emit(parser *p, instruction i, int grow, GError **error)
{
	p->depth = (unsigned)((int)p->depth + grow);
	if (p->depth > DEPTH_MAX || p->code->len == CODE_MAX)
		return bankmap_refuse(p->map, error, "the expression is too long or too deep");
	g_array_append_val(p->code, i);
	return true;
}

static bool parse_level(parser *p, unsigned level, GError **error);

static bool parse_primary(parser *p, GError **error)
{
	instruction i = {LOAD, true, 0, {0, 0}};
	char *end;

	if (*p->at == '(') {
		if (++p->nesting > NESTING_MAX)
			return bankmap_refuse(p->map, error, "more than %d parentheses inside each other", NESTING_MAX);
		p->at++;
		if (!parse_level(p, 1, error))
			return false;
		if (*p->at != ')')
			return expected(p, "')' or an operator", error);
		p->at++;
		p->nesting--;
		return true;
	}
	if (*p->at == 'b' && !g_ascii_isalnum(p->at[1])) {
		p->at++;
		i.operation = LOAD_BLOCK;
		return emit(p, i, 1, error);
	}
	if (!g_ascii_isdigit(*p->at))
		return expected(p, "b, a number or '('", error);
	i.value = g_ascii_strtoull(p->at, &end, p->at[0] == '0' && (p->at[1] | 32) == 'x' ? 16 : 10);
	p->at = end;
	return emit(p, i, 1, error);
}

/* A constant just loaded becomes part of the instruction. */
static bool emit_binary(parser *p, enum operation operation, GError **error)
{
	instruction *last = &g_array_index(p->code, instruction, p->code->len - 1);

	if (last->operation == LOAD && p->code->len > 1) {
		last->operation = operation;
		if (last->value)
			last->by = bankmap_divisor_of(last->value);
		p->depth--;
		return true;
	}
	return emit(p, (instruction){operation, false, 0, {0, 0}}, -1, error);
}

static size_t operator_at(const char *at)
{
	size_t i = 0;

	while (i < G_N_ELEMENTS(operators) && !g_str_has_prefix(at, operators[i].text))
		i++;
	return i;
}

static bool parse_level(parser *p, unsigned level, GError **error)
{
	if (!(level <= 6 ? parse_level(p, level + 1, error) : parse_primary(p, error)))
		return false;
	for (size_t i = operator_at(p->at); i < G_N_ELEMENTS(operators) && operators[i].level == level;
	     i = operator_at(p->at)) {
		p->at += strlen(operators[i].text);
		if (!parse_level(p, level + 1, error) || !emit_binary(p, operators[i].operation, error))
			return false;
	}
	return true;
}

static GArray *parse_expression(const bankmap *map, const char *text, GError **error)
{
	parser p = {map, text, text, g_array_new(FALSE, FALSE, sizeof(instruction)), 0, 0};

	if (parse_level(&p, 1, error) && (!*p.at || expected(&p, "an operator or the end", error)))
		return p.code;
	g_array_unref(p.code);
	return NULL;
}

static uint64_t shift(uint64_t a, uint64_t by, bool left)
{
	if (by > 63)
		return 0;
	return left ? a << by : a >> by;
}

#define EACH(expression)                                                                                               \
	for (size_t i = 0; i < count; i++) {                                                                           \
		uint64_t x = a[i], y = constant ? value : b[i];                                                        \
		a[i] = expression;                                                                                     \
	}                                                                                                              \
	break

/* a = a OPERATION (value or b); true when some divisor was 0. */
static bool run_binary(const instruction *in, uint64_t *a, const uint64_t *b, size_t count)
{
	const bool constant = in->constant;
	const uint64_t value = in->value;
	bool zero = false;

	switch (in->operation) {
	case OR:
		EACH(x | y);
	case XOR:
		EACH(x ^ y);
	case AND:
		EACH(x & y);
	case SHIFT_LEFT:
		EACH(shift(x, y, true));
	case SHIFT_RIGHT:
		EACH(shift(x, y, false));
	case ADD:
		EACH(x + y);
	case SUBTRACT:
		EACH(x - y);
	case MULTIPLY:
		EACH(x * y);
	default:
		for (size_t i = 0; i < count; i++) {
			uint64_t y = constant ? value : b[i], q = 0, r = 0;

			if (!y)
				zero = true;
			else if (constant)
				q = bankmap_divide(in->by, a[i], &r);
			else {
				q = a[i] / y;
				r = a[i] % y;
			}
			a[i] = in->operation == DIVIDE ? q : r;
		}
	}
	return zero;
}

/* RESULT[i] = value of CODE for BLOCKS[i]; COUNT at most BANKMAP_CHUNK.  True when some divisor was 0. */
static bool run(const GArray *code, const uint64_t *blocks, size_t count, uint64_t *result)
{
	uint64_t stack[DEPTH_MAX][BANKMAP_CHUNK];
	unsigned top = 0;
	bool zero = false;

	for (guint n = 0; n < code->len; n++) {
		const instruction *in = &g_array_index(code, instruction, n);

		if (in->operation == LOAD_BLOCK) {
			memcpy(stack[top++], blocks, count * sizeof *blocks);
		} else if (in->operation == LOAD) {
			for (size_t i = 0; i < count; i++)
				stack[top][i] = in->value;
			top++;
		} else {
			top -= !in->constant;
			zero |= run_binary(in, stack[top - 1], stack[in->constant ? top - 1 : top], count);
		}
	}
	memcpy(result, stack[0], count * sizeof *result);
	return zero;
}

static unsigned expr_bank(const bankmap *map, uint64_t block)
{
	uint64_t bank;

	run(((const expr *)map->extra)->bank, &block, 1, &bank);
	return (unsigned)(bank < map->used ? bank : bank % map->used);
}

static void expr_map(const bankmap *map, const uint64_t *blocks, size_t count, uint16_t *banks)
{
	uint64_t result[BANKMAP_CHUNK];

	for (size_t first = 0; first < count; first += BANKMAP_CHUNK) {
		size_t n = MIN(BANKMAP_CHUNK, count - first);

		run(((const expr *)map->extra)->bank, blocks + first, n, result);
		for (size_t i = 0; i < n; i++)
			banks[first + i] = (uint16_t)(result[i] < map->used ? result[i] : result[i] % map->used);
	}
}

/* Rows beyond all memories become one of them, so that a row + 1 is a number. */
static void expr_rows(const bankmap *map, const uint64_t *blocks, size_t count, uint64_t *rows)
{
	const expr *e = map->extra;

	if (e->row)
		run(e->row, blocks, count, rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = e->row ? MIN(rows[i], UINT64_MAX - 1) : bankmap_quotient(map->by_banks, blocks[i]);
}

static uint64_t expr_row(const bankmap *map, uint64_t block)
{
	uint64_t row;

	expr_rows(map, &block, 1, &row);
	return row;
}

/* Blanks go, lines become assignments; a blank inside a number or name is an error. */
static char *squeeze(const char *argument)
{
	GString *out = g_string_new(NULL);
	bool blank = false;

	for (const char *at = argument; *at; at++) {
		if (*at == '\n')
			g_string_append_c(out, ';');
		else if (!g_ascii_isspace(*at)) {
			if (blank && out->len && g_ascii_isalnum(*at) && g_ascii_isalnum(out->str[out->len - 1]))
				g_string_append_c(out, ' ');
			g_string_append_c(out, *at);
		}
		blank = g_ascii_isspace(*at);
	}
	return g_string_free(out, FALSE);
}

static bool expr_read(bankmap *map, const char *argument, GString *canonical, GError **error)
{
	g_autofree char *text = squeeze(argument);
	g_auto(GStrv) parts = g_strsplit(text, ";", -1);
	expr *e = g_new0(expr, 1);

	map->extra = e;
	for (char **part = parts; *part; part++) {
		GArray **code = g_str_has_prefix(*part, "bank=")  ? &e->bank
		                : g_str_has_prefix(*part, "row=") ? &e->row
		                                                  : NULL;

		if (!**part)
			continue;
		if (!code || *code)
			return bankmap_refuse(map, error,
			                      "expected bank=EXPRESSION and perhaps row=EXPRESSION, not '%s'", *part);
		*code = parse_expression(map, strchr(*part, '=') + 1, error);
		if (!*code)
			return false;
		g_string_append_printf(canonical, "%s%s", e->bank && e->row ? ";" : "", *part);
	}
	return e->bank || bankmap_refuse(map, error, "expected bank=EXPRESSION");
}

/* The first block of a chunk in which something is wrong, and what. */
static bool blame(const bankmap *map, const expr *e, uint64_t first, GError **error)
{
	for (uint64_t block = first;; block++) {
		uint64_t bank, row;

		if (run(e->bank, &block, 1, &bank) || (e->row && run(e->row, &block, 1, &row)))
			return bankmap_refuse(map, error, "division by zero for block %" G_GUINT64_FORMAT, block);
		if (bank >= map->banks)
			return bankmap_refuse(map, error,
			                      "block %" G_GUINT64_FORMAT " gets bank %" G_GUINT64_FORMAT
			                      ", the memory has %u",
			                      block, bank, map->banks);
	}
}

static bool expr_parse(bankmap *map, GError **error)
{
	const expr *e = map->extra;
	uint64_t words = map->banks * map->rows, most = 0;
	uint64_t blocks[BANKMAP_CHUNK], result[BANKMAP_CHUNK];

	for (uint64_t first = 0; first < words; first += BANKMAP_CHUNK) {
		size_t count = (size_t)MIN(BANKMAP_CHUNK, words - first);
		bool wrong;

		for (size_t i = 0; i < count; i++)
			blocks[i] = first + i;
		wrong = e->row && run(e->row, blocks, count, result);
		wrong |= run(e->bank, blocks, count, result);
		for (size_t i = 0; i < count; i++)
			most = MAX(most, result[i]);
		if (wrong || most >= map->banks)
			return blame(map, e, first, error);
	}
	return bankmap_use(map, most + 1, map->banks, error);
}

static unsigned capped(unsigned bits)
{
	return MIN(bits, 64);
}

/* Gates of X OPERATION Y, operands of so many bits; *X becomes the bits of the result. */
static double operation_gates(const instruction *in, unsigned *x, unsigned y)
{
	unsigned wide = MAX(*x, y), narrow = MIN(*x, y), was = *x;
	bool power = in->constant && !(in->value & (in->value - 1));
	uint64_t divisor = in->constant ? in->value : UINT64_MAX >> (64 - MIN(y, 64));

	switch (in->operation) {
	case OR:
	case XOR:
		*x = wide;
		return in->constant ? 0 : bankmap_gates_xor(narrow);
	case AND:
		*x = narrow;
		return in->constant ? 0 : bankmap_gates_xor(narrow);
	case SHIFT_LEFT:
	case SHIFT_RIGHT:
		if (!in->constant)
			return bankmap_gates_select(2, *x * y);
		*x = in->operation == SHIFT_LEFT ? capped(*x + (unsigned)MIN(in->value, 64))
		                                 : *x - (unsigned)MIN(in->value, *x);
		return 0;
	case ADD:
	case SUBTRACT:
		*x = capped(wide + 1);
		return bankmap_gates_add(wide);
	case MULTIPLY:
		*x = capped(*x + y);
		if (!in->constant)
			return narrow * bankmap_gates_add(wide);
		return power ? 0 : (__builtin_popcountll(in->value) - 1) * bankmap_gates_add(was);
	case DIVIDE:
		*x = in->constant ? was - MIN(was, y - 1) : was;
		return power ? 0 : bankmap_gates_divide(was, divisor);
	default:
		*x = narrow;
		return power ? 0 : bankmap_gates_divide(was, divisor);
	}
}

static double code_gates(const GArray *code, unsigned address_bits)
{
	unsigned bits[DEPTH_MAX], top = 0;
	double nand2 = 0;

	for (guint n = 0; n < code->len; n++) {
		const instruction *in = &g_array_index(code, instruction, n);

		if (in->operation == LOAD_BLOCK) {
			bits[top++] = address_bits;
		} else if (in->operation == LOAD) {
			bits[top++] = MAX(bankmap_bit_length(in->value), 1);
		} else {
			top -= !in->constant;
			nand2 += operation_gates(in, &bits[top - 1],
			                         in->constant ? MAX(bankmap_bit_length(in->value), 1)
			                                      : MAX(bits[top], 1));
		}
	}
	return nand2;
}

static void expr_gates(const bankmap *map, bankmap_facts *facts)
{
	const expr *e = map->extra;

	bankmap_gates(facts,
	              code_gates(e->bank, facts->address_bits) + (e->row ? code_gates(e->row, facts->address_bits) : 0),
	              "every operation for itself, nothing shared");
}

static void expr_clear(bankmap *map)
{
	expr *e = map->extra;

	if (!e)
		return;
	if (e->bank)
		g_array_unref(e->bank);
	if (e->row)
		g_array_unref(e->row);
	g_free(e);
}

const bankmap_ops bankmap_family_expr = {
	.counts = "any number of banks",
	.read = expr_read,
	.parse = expr_parse,
	.bank = expr_bank,
	.row = expr_row,
	.map = expr_map,
	.rows = expr_rows,
	.gates = expr_gates,
	.clear = expr_clear,
};
