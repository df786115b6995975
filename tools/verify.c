/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads output tensors through their layout and compares them with the reference evaluation of the graph.  Rows are
 * read in runs: the longest stretch of the last dimension over which the layout is linear (whole lane blocks, in
 * practice).
 */
#include "tools/verify.h"

#include <string.h>

#include "isa/num.h"

struct verify {
	GPtrArray *graphs;
	const isa_program *program;
	GError *error; /* of a reference evaluation */
	char *first;
	uint64_t values, outputs, wrong;
	uint32_t epochs; /* checked */
	uint32_t empty;  /* epochs without an output tensor */
};

verify *verify_new(GPtrArray *graphs, const isa_program *program)
{
	verify *v = g_new0(verify, 1);

	v->graphs = graphs;
	v->program = program;
	return v;
}

void verify_free(verify *v)
{
	if (!v)
		return;
	g_clear_error(&v->error);
	g_free(v->first);
	g_free(v);
}

/* How a tensor's last dimension lies in memory: aligned runs of RUN elements, ELEMENT bytes from one to the next, whose
 * bytes are BYTE apart. */
typedef struct shape_of_run {
	uint64_t run;
	int64_t element;
	int64_t byte;
} shape_of_run;

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static shape_of_run find_runs(const isa_tensor *t)
{
	uint32_t last = t->rank - 1;
	shape_of_run s = {.run = 0};

	for (uint32_t i = 0; i < t->terms; i++) {
		const isa_layout_term *term = &t->term[i];

		if (term->dim == t->rank && term->div <= 1 &&
		    (term->mod == 0 || term->mod >= isa_type_bytes(t->type))) {
			s.byte += term->stride;
		} else if (term->dim == t->rank) {
			/* Bytes that do not step evenly: read byte by byte. */
			return (shape_of_run){.run = 1, .byte = INT64_MAX};
		} else if (term->dim == last && term->div > 1) {
			s.run = gcd(s.run, term->div);
		} else if (term->dim == last) {
			s.run = gcd(s.run, term->mod);
			s.element += term->stride;
		}
	}
	if (s.run == 0)
		s.run = t->shape[last];
	return s;
}

/* Reads elements INDEX (last dimension) .. + COUNT-1, COUNT at most a run, into OUT. */
static bool read_run(const tsp_chip *chip, const isa_tensor *t, const shape_of_run *s, const uint64_t *index,
                     uint64_t count, uint8_t *out, uint8_t *scratch)
{
	unsigned bytes = isa_type_bytes(t->type);
	uint64_t at = isa_tensor_location(t, index, 0);

	if (s->byte == 1 && (s->element == bytes || count == 1))
		return tsp_chip_read(chip, at, out, count * bytes);
	if (bytes == 1 && s->element == 1)
		return tsp_chip_read(chip, at, out, count);
	if (s->byte != INT64_MAX && s->element == 1) {
		/* One vector per byte of the element, as streams carry them. */
		for (unsigned b = 0; b < bytes; b++) {
			if (!tsp_chip_read(chip, (uint64_t)((int64_t)at + b * s->byte), scratch, count))
				return false;
			for (uint64_t i = 0; i < count; i++)
				out[i * bytes + b] = scratch[i];
		}
		return true;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t here[ISA_RANK_MAX];

		memcpy(here, index, sizeof here);
		here[t->rank - 1] += i;
		for (unsigned b = 0; b < bytes; b++)
			if (!tsp_chip_read(chip, isa_tensor_location(t, here, b), &out[i * bytes + b], 1))
				return false;
	}
	return true;
}

/* The value at P as text. */
static char *value_text(enum isa_type type, const uint8_t *p)
{
	uint32_t bits = 0;

	memcpy(&bits, p, isa_type_bytes(type));
	switch (type) {
	case ISA_TYPE_I8:
		return g_strdup_printf("%d", (int8_t)bits);
	case ISA_TYPE_I16:
		return g_strdup_printf("%d", (int16_t)bits);
	case ISA_TYPE_I32:
		return g_strdup_printf("%d", (int32_t)bits);
	case ISA_TYPE_F16:
		return g_strdup_printf("%g (0x%04x)", (double)num_f16_to_f32((uint16_t)bits), bits);
	default: {
		float value;

		memcpy(&value, &bits, sizeof value);
		return g_strdup_printf("%g (0x%08x)", (double)value, bits);
	}
	}
}

/* Counts the elements of a run that differ and describes the first one. */
static void note_difference(verify *v, const isa_tensor *t, const uint64_t *index, uint64_t count, const uint8_t *got,
                            const uint8_t *want)
{
	unsigned bytes = isa_type_bytes(t->type);

	for (uint64_t i = 0; i < count; i++) {
		if (memcmp(got + i * bytes, want + i * bytes, bytes) == 0)
			continue;
		if (!v->wrong++) {
			g_autoptr(GString) where = g_string_new(NULL);
			g_autofree char *is = value_text(t->type, got + i * bytes);
			g_autofree char *should = value_text(t->type, want + i * bytes);

			for (uint32_t d = 0; d < t->rank; d++)
				g_string_append_printf(where, "[%" G_GUINT64_FORMAT "]",
				                       index[d] + (d == t->rank - 1 ? i : 0));
			v->first = g_strdup_printf("%s%s is %s, expected %s", t->name, where->str, is, should);
		}
	}
}

static void compare_tensor(verify *v, const tsp_chip *chip, const isa_tensor *t, const uint8_t *want)
{
	unsigned bytes = isa_type_bytes(t->type);
	uint64_t lanes = t->shape[t->rank - 1];
	shape_of_run s = find_runs(t);
	uint64_t index[ISA_RANK_MAX] = {0};
	uint64_t rows = 1;
	uint64_t longest = MIN(s.run, lanes);
	g_autofree uint8_t *row = g_malloc(longest * bytes);
	g_autofree uint8_t *scratch = g_malloc(longest);

	for (uint32_t d = 0; d + 1 < t->rank; d++)
		rows *= t->shape[d];
	v->outputs++;
	v->values += rows * lanes;
	for (uint64_t r = 0; r < rows; r++) {
		for (uint64_t lane = 0; lane < lanes; lane += s.run) {
			uint64_t count = MIN(s.run, lanes - lane);
			const uint8_t *expected = want + (r * lanes + lane) * bytes;

			index[t->rank - 1] = lane;
			if (!read_run(chip, t, &s, index, count, row, scratch)) {
				if (!v->wrong)
					v->first = g_strdup_printf("%s: row %" G_GUINT64_FORMAT " was never written",
					                           t->name, r);
				v->wrong += count;
			} else if (memcmp(row, expected, count * bytes) != 0) {
				note_difference(v, t, index, count, row, expected);
			}
		}
		for (int64_t d = (int64_t)t->rank - 2; d >= 0 && ++index[d] == t->shape[d]; d--)
			index[d] = 0;
	}
}

/* The graph node whose value T holds; UINT32_MAX when there is none of that name and size. */
static uint32_t node_of_tensor(const graph *g, const isa_tensor *t)
{
	uint64_t elements = 1;

	for (uint32_t d = 0; d < t->rank; d++)
		elements *= t->shape[d];
	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);

		if (n->output && strcmp(n->name, t->name) == 0 && n->type == t->type && n->rows * n->lanes == elements)
			return i;
	}
	return UINT32_MAX;
}

static void verify_graph(verify *v, const tsp_chip *chip, uint32_t epoch, const graph *g)
{
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	uint64_t before = v->outputs;
	uint64_t outputs = 0;

	if (!graph_evaluate(g, values, &v->error))
		return;
	for (uint32_t i = 0; i < v->program->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(v->program->tensors, isa_tensor, i);
		uint32_t node;

		if (t->epoch != epoch || !t->output)
			continue;
		node = node_of_tensor(g, t);
		if (node == UINT32_MAX)
			g_set_error(&v->error, TSP_ERROR, TSP_ERROR_INTERNAL,
			            "output tensor '%s' of epoch %u matches no output of its graph", t->name, epoch);
		else
			compare_tensor(v, chip, t, values[node]);
		if (v->error)
			break;
	}
	for (uint32_t i = 0; i < graph_size(g); i++) {
		outputs += graph_at(g, i)->output;
		g_free(values[i]);
	}
	v->epochs++;
	if (v->outputs - before != outputs || !outputs)
		v->empty++;
}

void verify_epoch(void *state, tsp_chip *chip, uint32_t epoch)
{
	verify *v = state;
	const isa_epoch *e = &g_array_index(v->program->epochs, isa_epoch, epoch);

	if (v->error)
		return;
	if (e->graph >= v->graphs->len)
		g_set_error(&v->error, TSP_ERROR, TSP_ERROR_INTERNAL, "epoch %u names graph %u of %u", epoch, e->graph,
		            v->graphs->len);
	else
		verify_graph(v, chip, epoch, g_ptr_array_index(v->graphs, e->graph));
}

uint64_t verify_values(const verify *v)
{
	return v->values;
}

uint64_t verify_outputs(const verify *v)
{
	return v->outputs;
}

uint64_t verify_wrong(const verify *v)
{
	return v->wrong;
}

const char *verify_first(const verify *v)
{
	return v->first;
}

bool verify_passed(const verify *v, GError **error)
{
	if (v->error) {
		g_propagate_error(error, g_error_copy(v->error));
		return false;
	}
	if (v->epochs != v->program->epochs->len || v->empty) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL,
		            "the functional check saw %u of %u epochs, %u of them without all their outputs", v->epochs,
		            v->program->epochs->len, v->empty);
		return false;
	}
	return v->wrong == 0;
}
