/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the text form that sched/ir/print.c writes (docs/workloads.md).
 *
 * A line is read by a cursor; every refusal is "file:line:column: what was expected", with the nearest valid name where
 * a name was looked up.  Lines may be empty, and `//` begins a comment.  The finished graph is verified by the caller.
 */
#include "sched/ir/graph.h"
#include "isa/num.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Constants written out in a text; a short run must not fill the memory. */
#define TEXT_ELEMENTS_MAX ((uint64_t)1 << 26)

typedef struct reader {
	const char *file;
	const char *line; /* begin of the current line */
	const char *at;
	unsigned number; /* of the line, from 1 */
	graph *g;
	GHashTable *index; /* name (of the node) -> index + 1 */
	GError **error;
} reader;

static bool G_GNUC_PRINTF(3, 4) fail(reader *r, const char *where, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(r->error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%d: %s", r->file, r->number, (int)(where - r->line) + 1,
	            text);
	return false;
}

static bool fail_name(reader *r, const char *where, const char *what, const char *found, const char *const *names)
{
	const char *nearest = tsp_nearest(found, names);

	return fail(r, where, "expected %s, found '%s'%s%s%s", what, found, nearest ? "; nearest is '" : "",
	            nearest ? nearest : "", nearest ? "'" : "");
}

static void skip_blanks(reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
	if (r->at[0] == '/' && r->at[1] == '/')
		r->at += strlen(r->at);
}

static bool expect(reader *r, char wanted)
{
	skip_blanks(r);
	if (*r->at != wanted)
		return fail(r, r->at, "expected '%c'", wanted);
	r->at++;
	return true;
}

static bool expect_end(reader *r)
{
	skip_blanks(r);
	return !*r->at || fail(r, r->at, "expected the end of the line");
}

/* A name or keyword; *WHERE is its begin. */
static char *read_word(reader *r, const char **where)
{
	skip_blanks(r);
	*where = r->at;
	while (g_ascii_isalnum(*r->at) || *r->at == '_' || *r->at == '.')
		r->at++;
	return g_strndup(*where, (gsize)(r->at - *where));
}

static bool read_number(reader *r, uint64_t *value)
{
	char *end;

	skip_blanks(r);
	errno = 0;
	if (!g_ascii_isdigit(*r->at))
		return fail(r, r->at, "expected a number");
	*value = g_ascii_strtoull(r->at, &end, 10);
	if (errno)
		return fail(r, r->at, "expected a number below 2^64");
	r->at = end;
	return true;
}

static bool read_type(reader *r, enum isa_type *type)
{
	const char *names[ISA_TYPE_COUNT + 1] = {NULL};
	const char *where;
	g_autofree char *word = read_word(r, &where);
	int found = isa_type_from_name(word);

	for (unsigned i = 0; i < ISA_TYPE_COUNT; i++)
		names[i] = isa_type_name((enum isa_type)i);
	if (found < 0)
		return fail_name(r, where, "a type", word, names);
	*type = (enum isa_type)found;
	return true;
}

static bool read_operand(reader *r, uint32_t *node)
{
	const char *where;
	g_autofree char *word = read_word(r, &where);
	guint found = GPOINTER_TO_UINT(g_hash_table_lookup(r->index, word));
	g_autofree const char **names = NULL;

	if (found) {
		*node = found - 1;
		return true;
	}
	names = g_new0(const char *, graph_size(r->g) + 1);
	for (uint32_t i = 0; i < graph_size(r->g); i++)
		names[i] = graph_at(r->g, i)->name;
	return fail_name(r, where, "an earlier node", word, names);
}

/* After '#': bits, an integer, or a floating number, as TYPE wants. */
static bool read_imm(reader *r, enum isa_type type, uint32_t *imm)
{
	const char *begin = r->at;
	char *end;

	errno = 0;
	if (begin[0] == '0' && begin[1] == 'x') {
		guint64 bits = g_ascii_strtoull(begin, &end, 16);

		if (bits > UINT32_MAX)
			return fail(r, begin, "expected at most 32 bits");
		*imm = (uint32_t)bits;
	} else if (type == ISA_TYPE_F16 || type == ISA_TYPE_F32) {
		*imm = num_f32_bits(num_canonical((float)g_ascii_strtod(begin, &end)));
	} else {
		gint64 value = g_ascii_strtoll(begin, &end, 10);
		gint64 limit = (gint64)1 << (8 * isa_type_bytes(type) - 1);

		if (value < -limit || value >= limit)
			return fail(r, begin, "expected an %s", isa_type_name(type));
		*imm = (uint32_t)value;
	}
	if (end == begin)
		return fail(r, begin, "expected a number");
	r->at = end;
	return true;
}

/* "bits" or "bits*count": VALUE, as many as LEFT at most. */
static bool read_element(reader *r, enum isa_type type, uint64_t left, uint64_t *value, uint64_t *run)
{
	unsigned bytes = isa_type_bytes(type);
	const char *begin = r->at;
	char *end = NULL;

	*value = g_ascii_isxdigit(*begin) ? g_ascii_strtoull(begin, &end, 16) : 0;
	if (!end || *value >> (8 * bytes))
		return fail(r, begin, "expected the %u hexadecimal digits of an element of %s", 2 * bytes,
		            isa_type_name(type));
	r->at = end;
	*run = 1;
	if (*r->at != '*')
		return true;
	r->at++;
	if (!read_number(r, run))
		return false;
	return *run <= left || fail(r, begin, "expected at most %" G_GUINT64_FORMAT " further elements", left);
}

/* Elements in hexadecimal until the tensor is full. */
static bool read_data(reader *r, graph_node *n)
{
	unsigned bytes = isa_type_bytes(n->type);
	uint64_t count, filled = 0;

	skip_blanks(r);
	if (!*r->at)
		return n->op == GRAPH_INPUT || fail(r, r->at, "expected the constant's elements");
	if (!n->rows || !n->lanes || n->rows > TEXT_ELEMENTS_MAX / n->lanes)
		return fail(r, r->at, "expected a shape of at most 2^26 elements");
	count = n->rows * n->lanes;
	n->data = g_malloc(count * bytes);
	while (*r->at && filled < count) {
		uint64_t run, value;

		if (!read_element(r, n->type, count - filled, &value, &run))
			return false;
		for (uint64_t i = 0; i < run; i++, filled++)
			for (unsigned b = 0; b < bytes; b++)
				n->data[filled * bytes + b] = (uint8_t)(value >> (8 * b));
		skip_blanks(r);
	}
	if (filled < count)
		return fail(r, r->at, "expected %" G_GUINT64_FORMAT " elements, found %" G_GUINT64_FORMAT, count,
		            filled);
	return true;
}

/* ", key number" pairs; every key of the table exactly once except optional ones that the caller looks at. */
typedef struct attribute {
	const char *key;
	uint64_t *value;
	bool optional;
	bool seen;
} attribute;

static bool read_attributes(reader *r, attribute *table, unsigned count)
{
	const char *names[32] = {NULL};

	for (unsigned i = 0; i < count; i++)
		names[i] = table[i].key;
	for (skip_blanks(r); *r->at; skip_blanks(r)) {
		const char *where;
		g_autofree char *word = NULL;
		unsigned i = 0;

		if (!expect(r, ','))
			return false;
		word = read_word(r, &where);
		while (i < count && strcmp(table[i].key, word))
			i++;
		if (i == count)
			return fail_name(r, where, "an attribute", word, names);
		if (table[i].seen)
			return fail(r, where, "'%s' is given twice", word);
		table[i].seen = true;
		if (!read_number(r, table[i].value))
			return false;
	}
	for (unsigned i = 0; i < count; i++)
		if (!table[i].seen && !table[i].optional)
			return fail(r, r->at, "expected ', %s' and a number", table[i].key);
	return true;
}

static bool read_conv(reader *r, graph_node *n)
{
	graph_conv *c = &n->conv;
	attribute table[] = {
		{"images", &c->images, false, false},
		{"groups", &c->groups, false, false},
		{"h", &c->h, false, false},
		{"w", &c->w, false, false},
		{"c", &c->c, false, false},
		{"n", &c->n, false, false},
		{"r", &c->r, false, false},
		{"s", &c->s, false, false},
		{"stride_h", &c->stride_h, false, false},
		{"stride_w", &c->stride_w, false, false},
		{"pad", &c->pad, false, false},
		{"oh", &c->oh, false, false},
		{"ow", &c->ow, false, false},
		{"block_rows", &c->block_rows, true, false},
		{"block_run", &c->block_run, true, false},
		{"block_taps", &c->block_taps, true, false},
		{"block_chan", &c->block_chan, true, false},
		{"sum", &n->sum_rows, false, false},
	};
	const attribute *rows = &table[13], *run = &table[14], *taps = &table[15], *chan = &table[16];

	if (!read_attributes(r, table, G_N_ELEMENTS(table)))
		return false;
	if (rows->seen != run->seen || (taps->seen && !chan->seen) || rows->seen == chan->seen)
		return fail(r, r->at,
		            "expected block_rows and block_run, block_taps and block_chan, or block_chan alone");
	c->kind = rows->seen ? GRAPH_KBLOCK_RUNS : taps->seen ? GRAPH_KBLOCK_TAPS : GRAPH_KBLOCK_CHANNELS;
	return true;
}

static bool read_matmul(reader *r, graph_node *n)
{
	const graph_node *a = graph_at(r->g, n->in[0]);
	const graph_node *b = graph_at(r->g, n->in[1]);
	attribute table[] = {{"batches", &n->batches, false, false},
	                     {"block_run", &n->block_run, false, false},
	                     {"sum", &n->sum_rows, false, false}};

	if (!read_attributes(r, table, G_N_ELEMENTS(table)))
		return false;
	n->m = n->batches ? a->rows / n->batches : 0;
	n->k = a->lanes;
	n->n = b->lanes;
	return true;
}

/* Everything after the operands. */
static bool read_rest(reader *r, graph_node *n)
{
	uint64_t lane_xor = 0;
	attribute groups[] = {{"groups", &n->groups, false, false}};
	attribute lanes[] = {{"xor", &lane_xor, false, false}};
	attribute gather[] = {{"lane", &n->first_lane, false, false}};
	attribute rows[] = {{"first", &n->first_row, false, false},
	                    {"groups", &n->groups, false, false},
	                    {"pitch", &n->pitch, false, false},
	                    {"step", &n->step, false, false}};

	switch (n->op) {
	case GRAPH_INPUT:
	case GRAPH_CONST:
		return read_data(r, n);
	case GRAPH_REDUCE:
	case GRAPH_JOIN:
		return read_attributes(r, groups, 1);
	case GRAPH_ROWS:
		return read_attributes(r, rows, G_N_ELEMENTS(rows));
	case GRAPH_LANES:
		if (!read_attributes(r, lanes, 1))
			return false;
		if (lane_xor > UINT32_MAX / 2)
			return fail(r, r->at, "expected a lane number");
		n->lane_xor = (uint32_t)lane_xor;
		return true;
	case GRAPH_GATHER:
		return read_attributes(r, gather, 1);
	case GRAPH_MATMUL:
		return read_matmul(r, n);
	case GRAPH_CONV:
		return read_conv(r, n);
	default:
		return true;
	}
}

static bool read_vxm(reader *r, const char *where, const char *word, enum isa_op *op)
{
	int found = isa_op_from_mnemonic(word);
	const char *names[ISA_OP_COUNT + GRAPH_OP_COUNT + 1] = {NULL};
	unsigned count = 0;

	if (found >= 0 && isa_ops[found].unit == ISA_UNIT_VXM) {
		*op = (enum isa_op)found;
		return true;
	}
	for (unsigned i = 0; i < ISA_OP_COUNT; i++)
		if (isa_ops[i].unit == ISA_UNIT_VXM)
			names[count++] = isa_ops[i].mnemonic;
	for (unsigned i = 0; i < GRAPH_OP_COUNT; i++)
		if (i != GRAPH_UNARY && i != GRAPH_BINARY)
			names[count++] = graph_op_name((enum graph_op)i);
	return fail_name(r, where, "an operation", word, names);
}

static bool read_op(reader *r, graph_node *n)
{
	const char *where;
	g_autofree char *word = read_word(r, &where);
	unsigned op = 0;

	while (op < GRAPH_OP_COUNT &&
	       (op == GRAPH_UNARY || op == GRAPH_BINARY || strcmp(graph_op_name((enum graph_op)op), word)))
		op++;
	if (op < GRAPH_OP_COUNT) {
		n->op = (enum graph_op)op;
		if (n->op == GRAPH_REDUCE) {
			g_autofree char *inner = read_word(r, &where);

			return read_vxm(r, where, inner, &n->vxm_op);
		}
		return true;
	}
	if (!read_vxm(r, where, word, &n->vxm_op))
		return false;
	n->op = isa_ops[n->vxm_op].arity == 2 ? GRAPH_BINARY : GRAPH_UNARY;
	return true;
}

static bool read_operands(reader *r, graph_node *n)
{
	bool two = n->op == GRAPH_BINARY || n->op == GRAPH_MATMUL || n->op == GRAPH_CONV || n->op == GRAPH_JOIN ||
	           n->op == GRAPH_GATHER;

	if (n->op == GRAPH_INPUT || n->op == GRAPH_CONST)
		return true;
	if (!read_operand(r, &n->in[0]))
		return false;
	if (!two)
		return true;
	if (!expect(r, ','))
		return false;
	skip_blanks(r);
	if (n->op == GRAPH_BINARY && *r->at == '#') {
		r->at++;
		n->has_imm = true;
		return read_imm(r, graph_at(r->g, n->in[0])->type, &n->imm);
	}
	return read_operand(r, &n->in[1]);
}

static bool read_body(reader *r, graph_node *n)
{
	return expect(r, ':') && read_type(r, &n->type) && expect(r, '[') && read_number(r, &n->rows) &&
	       expect(r, ']') && expect(r, '[') && read_number(r, &n->lanes) && expect(r, ']') && expect(r, '=') &&
	       read_op(r, n) && read_operands(r, n) && read_rest(r, n) && expect_end(r);
}

static bool read_node(reader *r, char *name, const char *where)
{
	graph_node n = {.name = name, .in = {UINT32_MAX, UINT32_MAX}};
	bool ok;

	if (g_hash_table_contains(r->index, name))
		ok = fail(r, where, "the name '%s' is taken by an earlier node", name);
	else
		ok = read_body(r, &n);
	if (!ok) {
		g_free(n.data);
		return false;
	}
	n.name = g_strdup(name);
	g_array_append_val(r->g->nodes, n);
	g_hash_table_insert(r->index, n.name, GUINT_TO_POINTER(graph_size(r->g)));
	return true;
}

/* graph "NAME" */
static bool read_title(reader *r)
{
	const char *begin, *end;
	g_autofree char *escaped = NULL;

	if (!expect(r, '"'))
		return false;
	begin = r->at;
	for (end = begin; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	if (!*end)
		return fail(r, begin, "expected '\"' at the end of the name");
	escaped = g_strndup(begin, (gsize)(end - begin));
	g_free(r->g->name);
	r->g->name = g_strcompress(escaped);
	r->at = end + 1;
	return expect_end(r);
}

static bool read_line(reader *r, bool first)
{
	const char *where;
	g_autofree char *word = read_word(r, &where);
	uint32_t node;

	if (first)
		return !strcmp(word, "graph") ? read_title(r) : fail(r, where, "expected graph \"NAME\"");
	if (!*word)
		return fail(r, where, "expected a node or 'output'");
	skip_blanks(r);
	if (*r->at == ':' || strcmp(word, "output"))
		return read_node(r, word, where);
	if (!read_operand(r, &node) || !expect_end(r))
		return false;
	graph_mark_output(r->g, node);
	return true;
}

graph *graph_parse(const char *text, const char *file, GError **error)
{
	reader r = {.file = file, .error = error, .g = graph_new("")};
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	bool first = true, ok = true;

	r.index = g_hash_table_new(g_str_hash, g_str_equal);
	for (unsigned i = 0; lines[i] && ok; i++) {
		char *end = lines[i] + strlen(lines[i]);

		if (end > lines[i] && end[-1] == '\r')
			end[-1] = '\0';
		r.line = r.at = lines[i];
		r.number = i + 1;
		skip_blanks(&r);
		if (!*r.at)
			continue;
		ok = read_line(&r, first);
		first = false;
	}
	if (ok && first) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:1:1: expected graph \"NAME\"", file);
		ok = false;
	}
	g_hash_table_unref(r.index);
	if (!ok) {
		graph_free(r.g);
		return NULL;
	}
	return r.g;
}
