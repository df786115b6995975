/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter of lowered programs.  Arithmetic is the reference's own, called on graphs of one node: what is tested
 * is where data lies and in which order it is used, not arithmetic.
 */
#include "tests/unit/low_run.h"

#include <stdarg.h>
#include <string.h>

enum { UNWRITTEN = -1, HOST = -2 };

typedef struct section {
	uint64_t vectors, lanes;
	uint8_t *data;
	int64_t *writer; /* macro, UNWRITTEN or HOST */
} section;

typedef struct run {
	const graph *g;
	const low_program *p;
	unsigned radix;
	section (*tensors)[2];
	uint32_t macro; /* being executed */
	GString *report;
	bool ok;
} run;

static void G_GNUC_PRINTF(2, 3) offence(run *r, const char *format, ...)
{
	va_list args;

	if (!r->ok)
		return;
	r->ok = false;
	g_string_printf(r->report, "graph '%s' macro %u: ", r->g->name, r->macro);
	va_start(args, format);
	g_string_append_vprintf(r->report, format, args);
	va_end(args);
}

static const low_tensor *tensor_at(const run *r, uint32_t t)
{
	return &g_array_index(r->p->tensors, low_tensor, t);
}

static const low_macro *macro_at(const run *r, uint32_t m)
{
	return &g_array_index(r->p->macros, low_macro, m);
}

/* The bytes of vector V of a section, for reading or writing by the current macro; NULL after an offence. */
static uint8_t *vector_at(run *r, uint32_t tensor, unsigned which, int64_t v, bool write)
{
	const low_tensor *t = tensor_at(r, tensor);
	section *s = &r->tensors[tensor][which];
	const low_macro *m = macro_at(r, r->macro);
	bool named = false;

	if (v < 0 || (uint64_t)v >= s->vectors) {
		offence(r, "tensor %u section %u has no vector %d", tensor, which, (int)v);
		return NULL;
	}
	if (r->macro < t->first_macro || r->macro > t->last_macro)
		offence(r, "tensor %u lives from %u to %u", tensor, t->first_macro, t->last_macro);
	if (write) {
		/* The vectors of a matrix result are visited once an element. */
		if (s->writer[v] != UNWRITTEN && (m->kind == LOW_VLOOP || s->writer[v] != r->macro))
			offence(r, "tensor %u section %u vector %d is written twice", tensor, which, (int)v);
		s->writer[v] = r->macro;
	} else if (s->writer[v] == UNWRITTEN || s->writer[v] == r->macro) {
		offence(r, "tensor %u section %u vector %d is read before it is written", tensor, which, (int)v);
	} else if (s->writer[v] >= 0) {
		for (guint i = 0; i < m->after->len; i++)
			named |= g_array_index(m->after, uint32_t, i) == s->writer[v];
		if (!named)
			offence(r, "reads from macro %d, which `after` does not name", (int)s->writer[v]);
	}
	return s->data + (uint64_t)v * s->lanes * isa_type_bytes(t->type);
}

static uint8_t *element_at(run *r, uint32_t tensor, uint64_t row, uint64_t lane, bool write)
{
	const low_tensor *t = tensor_at(r, tensor);
	uint64_t block = lane / t->vector_lanes;
	unsigned which = block < t->blocks ? 0 : 1;
	uint8_t *v = vector_at(r, tensor, which, (int64_t)(which ? row : block * t->rows + row), write);

	return v ? v + lane % t->vector_lanes * isa_type_bytes(t->type) : NULL;
}

/* Evaluates the last node of G, and frees G; the result is the caller's. */
static uint8_t *evaluate(graph *g)
{
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	uint32_t last = graph_size(g) - 1;
	g_autoptr(GError) error = NULL;
	uint8_t *result;

	graph_mark_output(g, last);
	if (!graph_verify(g, &error) || !graph_evaluate(g, values, &error))
		g_error("%s", error->message);
	result = values[last];
	graph_free(g);
	return result;
}

static uint8_t *run_op(const low_step *s, uint64_t lanes, const uint8_t *x, const uint8_t *y)
{
	graph *g = graph_new("op");

	graph_const(g, "x", s->type, 1, lanes, x);
	if (s->kind == LOW_LANES) {
		graph_lanes(g, "z", 0, s->lane_xor);
	} else if (s->in[1] == -2) {
		graph_binary_imm(g, "z", s->op, s->dtype, 0, s->imm);
	} else if (s->in[1] >= 0) {
		graph_const(g, "y", s->type, 1, lanes, y);
		graph_binary(g, "z", s->op, s->dtype, 0, 1);
	} else {
		graph_unary(g, "z", s->op, s->dtype, 0);
	}
	return evaluate(g);
}

static void run_iteration(run *r, const low_vloop *loop, uint64_t i0, uint64_t i1)
{
	guint count = loop->steps->len;
	g_autofree uint8_t **values = g_new0(uint8_t *, count);

	for (guint i = 0; i < count && r->ok; i++) {
		const low_step *s = &g_array_index(loop->steps, low_step, i);
		int64_t v = s->ref.first + (int64_t)i0 * s->ref.step0 + (int64_t)i1 * s->ref.step1;
		uint8_t *at;

		if (s->in[0] >= (int)i || s->in[1] >= (int)i) {
			offence(r, "step %u uses a later one", i);
			break;
		}
		if (s->kind == LOW_OP || s->kind == LOW_LANES) {
			values[i] = run_op(s, loop->lanes, values[s->in[0]], s->in[1] >= 0 ? values[s->in[1]] : NULL);
			continue;
		}
		at = vector_at(r, s->ref.tensor, s->ref.section, v, s->kind == LOW_STORE);
		if (!at || r->tensors[s->ref.tensor][s->ref.section].lanes != loop->lanes ||
		    tensor_at(r, s->ref.tensor)->type != s->type) {
			offence(r, "step %u: the section has other lanes or another type than the loop", i);
			break;
		}
		if (s->kind == LOW_LOAD)
			values[i] = g_memdup2(at, loop->lanes * isa_type_bytes(s->type));
		else
			memcpy(at, values[s->in[0]], loop->lanes * isa_type_bytes(s->type));
	}
	for (guint i = 0; i < count; i++)
		g_free(values[i]);
}

static void run_loop(run *r, const low_vloop *loop)
{
	if (loop->steps->len > MAX((guint)LOW_STEPS_MAX, 2 * r->radix))
		offence(r, "%u steps", loop->steps->len);
	for (uint64_t i1 = 0; i1 < loop->n1; i1++)
		for (uint64_t i0 = 0; i0 < loop->n0 && r->ok; i0++)
			run_iteration(r, loop, i0, i1);
}

/* ROWS rows of a tensor from FIRST on, dense. */
static uint8_t *gather(run *r, uint32_t tensor, uint64_t first, uint64_t rows)
{
	const low_tensor *t = tensor_at(r, tensor);
	unsigned bytes = isa_type_bytes(t->type);
	uint8_t *out = g_malloc0(rows * t->lanes * bytes);

	for (uint64_t i = 0; i < rows * t->lanes && r->ok; i++) {
		const uint8_t *at = element_at(r, tensor, first + i / t->lanes, i % t->lanes, false);

		if (at)
			memcpy(out + i * bytes, at, bytes);
	}
	return out;
}

static void scatter(run *r, uint32_t tensor, uint64_t first, uint64_t rows, const uint8_t *data)
{
	const low_tensor *t = tensor_at(r, tensor);
	unsigned bytes = isa_type_bytes(t->type);

	for (uint64_t i = 0; i < rows * t->lanes && r->ok; i++) {
		uint8_t *at = element_at(r, tensor, first + i / t->lanes, i % t->lanes, true);

		if (at)
			memcpy(at, data + i * bytes, bytes);
	}
}

static void run_matmul(run *r, const low_matmul *w)
{
	g_autofree uint8_t *a = gather(r, w->a, w->a_row, w->m);
	g_autofree uint8_t *b = gather(r, w->b, w->b_row, w->k);
	graph *g = graph_new("matmul");
	g_autofree uint8_t *c = NULL;

	graph_const(g, "a", w->type, w->m, w->k, a);
	graph_const(g, "b", w->type, w->k, w->n, b);
	graph_matmul(g, "c", 0, 1, 1, tensor_at(r, w->c)->type, w->block_run, w->sum_rows);
	c = evaluate(g);
	scatter(r, w->c, w->c_row, w->m, c);
}

static void run_conv(run *r, const low_conv *w)
{
	const graph_conv *c = &w->conv;
	g_autofree uint8_t *x = gather(r, w->x, w->x_row, c->h * c->w);
	g_autofree uint8_t *k = gather(r, w->w, w->w_row, graph_conv_k(c));
	graph *g = graph_new("conv");
	g_autofree uint8_t *y = NULL;

	graph_const(g, "x", w->type, c->h * c->w, c->c, x);
	graph_const(g, "w", w->type, graph_conv_k(c), c->n, k);
	graph_conv2d(g, "y", 0, 1, c, tensor_at(r, w->y)->type, w->sum_rows);
	y = evaluate(g);
	scatter(r, w->y, w->y_row, c->oh * c->ow, y);
}

static void run_transpose(run *r, const low_transpose *w)
{
	const low_tensor *t = tensor_at(r, w->x);
	g_autofree uint8_t *x = gather(r, w->x, 0, t->rows);
	graph *g = graph_new("transpose");
	g_autofree uint8_t *y = NULL;

	graph_const(g, "x", t->type, t->rows, t->lanes, x);
	graph_columns(g, "y", 0, tensor_at(r, w->y)->rows);
	y = evaluate(g);
	scatter(r, w->y, 0, tensor_at(r, w->y)->rows, y);
}

static void run_gather(run *r, const low_gather *w)
{
	const low_tensor *t = tensor_at(r, w->x);
	const low_tensor *i = tensor_at(r, w->index);
	g_autofree uint8_t *x = gather(r, w->x, 0, t->rows);
	g_autofree uint8_t *index = gather(r, w->index, 0, 1);
	graph *g = graph_new("gather");
	g_autofree uint8_t *y = NULL;

	graph_const(g, "x", t->type, t->rows, t->lanes, x);
	graph_const(g, "i", ISA_TYPE_I32, 1, i->lanes, index);
	graph_gather(g, "y", 0, 1, w->first_lane, tensor_at(r, w->y)->lanes);
	y = evaluate(g);
	scatter(r, w->y, 0, tensor_at(r, w->y)->rows, y);
}

static void run_macros(run *r)
{
	for (r->macro = 0; r->macro < r->p->macros->len && r->ok; r->macro++) {
		const low_macro *m = macro_at(r, r->macro);

		for (guint i = 0; i < m->after->len; i++)
			if (g_array_index(m->after, uint32_t, i) >= r->macro)
				offence(r, "waits for a later macro");
		switch (m->kind) {
		case LOW_VLOOP:
			run_loop(r, &m->vloop);
			break;
		case LOW_MATMUL:
			run_matmul(r, &m->matmul);
			break;
		case LOW_CONV:
			run_conv(r, &m->conv);
			break;
		case LOW_TRANSPOSE:
			run_transpose(r, &m->transpose);
			break;
		case LOW_GATHER:
			run_gather(r, &m->gather);
			break;
		}
	}
}

static void make_tensors(run *r)
{
	r->tensors = g_malloc0(r->p->tensors->len * sizeof(*r->tensors));
	for (guint i = 0; i < r->p->tensors->len; i++) {
		const low_tensor *t = tensor_at(r, i);
		const uint8_t *data = graph_at(r->g, t->node)->data;
		unsigned bytes = isa_type_bytes(t->type);

		r->tensors[i][0] = (section){t->blocks * t->rows, t->vector_lanes, NULL, NULL};
		r->tensors[i][1] = (section){t->tail ? t->rows : 0, t->tail, NULL, NULL};
		for (unsigned s = 0; s < 2; s++) {
			section *to = &r->tensors[i][s];

			to->data = g_malloc0(to->vectors * to->lanes * bytes + 1);
			to->writer = g_new(int64_t, to->vectors + 1);
			for (uint64_t v = 0; v < to->vectors; v++)
				to->writer[v] = t->host ? HOST : UNWRITTEN;
		}
		for (uint64_t e = 0; t->host && e < t->rows * t->lanes; e++) {
			uint64_t row = e / t->lanes, lane = e % t->lanes, block = lane / t->vector_lanes;
			section *to = &r->tensors[i][block < t->blocks ? 0 : 1];
			uint64_t v = block < t->blocks ? block * t->rows + row : row;

			memcpy(to->data + (v * to->lanes + lane % t->vector_lanes) * bytes, data + e * bytes, bytes);
		}
	}
}

static void free_tensors(run *r)
{
	for (guint i = 0; i < r->p->tensors->len; i++) {
		for (unsigned s = 0; s < 2; s++) {
			g_free(r->tensors[i][s].data);
			g_free(r->tensors[i][s].writer);
		}
	}
	g_free(r->tensors);
}

/* Every output node has one tensor of its shape with the reference's bits. */
static void compare(run *r, uint8_t *const *values)
{
	/* As the last macro, which every output lives to see. */
	r->macro = r->p->macros->len ? r->p->macros->len - 1 : 0;
	for (uint32_t i = 0; i < graph_size(r->g); i++) {
		const graph_node *n = graph_at(r->g, i);
		unsigned bytes = isa_type_bytes(n->type), found = 0;

		for (guint t = 0; n->output && t < r->p->tensors->len; t++) {
			const low_tensor *tensor = tensor_at(r, t);

			if (tensor->node != i || !tensor->output)
				continue;
			found++;
			for (uint64_t e = 0; e < n->rows * n->lanes && r->ok; e++) {
				uint64_t row = e / n->lanes, lane = e % n->lanes, block = lane / tensor->vector_lanes;
				const section *s = &r->tensors[t][block < tensor->blocks ? 0 : 1];
				uint64_t v = block < tensor->blocks ? block * n->rows + row : row;

				if (s->writer[v] == UNWRITTEN)
					offence(r, "output '%s' row %d is never written", n->name, (int)row);
				else if (memcmp(s->data + (v * s->lanes + lane % tensor->vector_lanes) * bytes,
				                values[i] + e * bytes, bytes))
					offence(r, "output '%s' differs at [%d][%d]", n->name, (int)row, (int)lane);
			}
		}
		if (n->output && found != 1)
			offence(r, "output '%s' has %u tensors", n->name, found);
	}
}

bool low_run_agrees(const graph *g, const isa_machine *machine, unsigned radix, GString *report)
{
	g_autoptr(GError) error = NULL;
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	run r = {.g = g, .radix = radix, .report = report, .ok = true};
	low_program *p = low_lower(g, machine, radix, &error);

	if (!p || !graph_evaluate(g, values, &error)) {
		g_string_assign(report, error->message);
		low_free(p);
		return false;
	}
	r.p = p;
	make_tensors(&r);
	run_macros(&r);
	if (r.ok)
		compare(&r, values);
	free_tensors(&r);
	low_free(p);
	for (uint32_t i = 0; i < graph_size(g); i++)
		g_free(values[i]);
	return r.ok;
}
