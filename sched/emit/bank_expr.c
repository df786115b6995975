/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of bank maps for the scheduler: read with two stacks (operators, operands) into a tree, evaluated by
 * walking the tree.  Unsigned 64-bit numbers; a shift by 64 or more gives 0.
 */
#include <string.h>

#include "sched/emit/bank_map.h"

enum { STACK_MAX = 256 };

struct bank_expr {
	char operation; /* 'b', '#' for a number, or the operator, '<' and '>' for shifts */
	uint64_t number;
	bank_expr *left, *right;
};

typedef struct reader {
	char operators[STACK_MAX];
	bank_expr *operands[STACK_MAX];
	unsigned operator_count, operand_count;
} reader;

void bank_expr_free(bank_expr *expr)
{
	if (!expr)
		return;
	bank_expr_free(expr->left);
	bank_expr_free(expr->right);
	g_free(expr);
}

/* Position in the line of operators from loose to tight, equal ones together. */
static int tightness(char operation)
{
	static const char *const classes[] = {"(", "|", "^", "&", "<>", "+-", "*/%"};
	int n = 0;

	while (!strchr(classes[n], operation))
		n++;
	return n;
}

/* The two operands on top become one. */
static bool fold(reader *r)
{
	bank_expr *node;

	if (r->operand_count < 2)
		return false;
	node = g_new0(bank_expr, 1);
	node->operation = r->operators[--r->operator_count];
	node->right = r->operands[--r->operand_count];
	node->left = r->operands[--r->operand_count];
	r->operands[r->operand_count++] = node;
	return true;
}

static bool push_operand(reader *r, char operation, uint64_t number)
{
	bank_expr *node;

	if (r->operand_count == STACK_MAX)
		return false;
	node = g_new0(bank_expr, 1);
	node->operation = operation;
	node->number = number;
	r->operands[r->operand_count++] = node;
	return true;
}

static bool push_operator(reader *r, char operation)
{
	while (r->operator_count && operation != '(' &&
	       tightness(r->operators[r->operator_count - 1]) >= tightness(operation))
		if (!fold(r))
			return false;
	if (r->operator_count == STACK_MAX)
		return false;
	r->operators[r->operator_count++] = operation;
	return true;
}

static bool close_parenthesis(reader *r)
{
	while (r->operator_count && r->operators[r->operator_count - 1] != '(')
		if (!fold(r))
			return false;
	if (!r->operator_count)
		return false;
	r->operator_count--;
	return true;
}

/* One operand, with the parentheses that open before it and close after it. */
static bool read_operand(reader *r, const char **at, const char *end)
{
	bool good = true;

	for (; good && *at < end && **at == '('; ++*at)
		good = push_operator(r, '(');
	if (!good || *at == end)
		return false;
	if (**at == 'b') {
		++*at;
		good = push_operand(r, 'b', 0);
	} else if (g_ascii_isdigit(**at)) {
		char *after;
		uint64_t number = bank_map_number(*at, &after);

		*at = after;
		good = push_operand(r, '#', number);
	} else {
		return false;
	}
	for (; good && *at < end && **at == ')'; ++*at)
		good = close_parenthesis(r);
	return good;
}

static bool read_all(reader *r, const char *at, const char *end)
{
	while (read_operand(r, &at, end)) {
		if (at == end) {
			while (r->operator_count)
				if (r->operators[r->operator_count - 1] == '(' || !fold(r))
					return false;
			return r->operand_count == 1;
		}
		if (!strchr("|^&<>+-*/%", *at) || !push_operator(r, *at))
			return false;
		if ((*at == '<' || *at == '>') && *++at != r->operators[r->operator_count - 1])
			return false;
		at++;
	}
	return false;
}

bank_expr *bank_expr_new(const char *text, size_t length)
{
	reader *r = g_new0(reader, 1);
	bank_expr *expr = NULL;

	if (read_all(r, text, text + length))
		expr = r->operands[--r->operand_count];
	while (r->operand_count)
		bank_expr_free(r->operands[--r->operand_count]);
	g_free(r);
	return expr;
}

bool bank_expr_value(const bank_expr *expr, uint64_t block, uint64_t *value)
{
	uint64_t a, b;

	if (expr->operation == 'b' || expr->operation == '#') {
		*value = expr->operation == 'b' ? block : expr->number;
		return true;
	}
	if (!bank_expr_value(expr->left, block, &a) || !bank_expr_value(expr->right, block, &b))
		return false;
	if ((expr->operation == '/' || expr->operation == '%') && !b)
		return false;
	*value = expr->operation == '|'   ? a | b
	         : expr->operation == '^' ? a ^ b
	         : expr->operation == '&' ? a & b
	         : expr->operation == '<' ? (b < 64 ? a << b : 0)
	         : expr->operation == '>' ? (b < 64 ? a >> b : 0)
	         : expr->operation == '+' ? a + b
	         : expr->operation == '-' ? a - b
	         : expr->operation == '*' ? a * b
	         : expr->operation == '/' ? a / b
	                                  : a % b;
	return true;
}
