/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads tensors element by element through their strides, rows of the last dimension at once where they lie packed.
 */
#include "tools/asc_verify.h"

#include <string.h>

#include "isa/num.h"
#include "sched/ir/graph.h"

static char *value_text(enum asc_type type, const uint8_t *p)
{
	uint32_t bits = 0;

	memcpy(&bits, p, asc_type_bytes(type));
	switch (type) {
	case ASC_I8:
		return g_strdup_printf("%d", (int8_t)bits);
	case ASC_I16:
		return g_strdup_printf("%d", (int16_t)bits);
	case ASC_I32:
		return g_strdup_printf("%d", (int32_t)bits);
	case ASC_F16:
		return g_strdup_printf("%g (0x%04x)", (double)num_f16_to_f32((uint16_t)bits), bits);
	case ASC_F32: {
		float value;

		memcpy(&value, &bits, sizeof value);
		return g_strdup_printf("%g (0x%08x)", (double)value, bits);
	}
	default:
		return g_strdup_printf("0x%x", bits);
	}
}

static void note(asc_verify *v, const asc_tensor *t, const uint64_t *index, const uint8_t *got, const uint8_t *want)
{
	g_autofree char *is = NULL;
	g_autofree char *should = NULL;
	g_autoptr(GString) where = NULL;

	if (v->wrong++)
		return;
	where = g_string_new(NULL);
	for (uint32_t d = 0; d < t->rank; d++)
		g_string_append_printf(where, "[%" G_GUINT64_FORMAT "]", index[d]);
	is = value_text(t->type, got);
	should = value_text(t->type, want);
	v->first = g_strdup_printf("%s%s is %s, expected %s", t->name, where->str, is, should);
}

static uint64_t elements_of(const asc_tensor *t)
{
	uint64_t elements = 1;

	for (uint32_t d = 0; d < t->rank; d++)
		elements *= t->shape[d];
	return elements;
}

static void next_row(const asc_tensor *t, uint64_t *index)
{
	for (uint32_t d = t->rank - 1; d-- > 0;) {
		if (++index[d] < t->shape[d])
			return;
		index[d] = 0;
	}
}

static bool read_row(const asc_chip *chip, const asc_tensor *t, const uint64_t *index, uint8_t *row)
{
	uint32_t last = t->rank - 1;
	unsigned bytes = asc_type_bytes(t->type);
	int64_t at = (int64_t)t->address;

	for (uint32_t d = 0; d < last; d++)
		at += (int64_t)index[d] * t->stride[d];
	if (t->stride[last] == (int64_t)bytes)
		return asc_chip_read(chip, (uint64_t)at, row, t->shape[last] * bytes);
	for (uint64_t i = 0; i < t->shape[last]; i++)
		if (!asc_chip_read(chip, (uint64_t)(at + (int64_t)i * t->stride[last]), row + i * bytes, bytes))
			return false;
	return true;
}

static void check_tensor(asc_verify *v, const asc_chip *chip, const asc_tensor *t, const uint8_t *want)
{
	unsigned bytes = asc_type_bytes(t->type);
	uint64_t lanes = t->rank ? t->shape[t->rank - 1] : 0;
	uint64_t elements = elements_of(t);
	uint64_t index[ASC_RANK_MAX] = {0};
	g_autofree uint8_t *row = g_malloc(MAX(lanes * bytes, 1));

	for (uint64_t at = 0; lanes && at < elements; at += lanes, next_row(t, index)) {
		if (!read_row(chip, t, index, row)) {
			if (!v->wrong)
				v->first = g_strdup_printf("%s: row %" G_GUINT64_FORMAT " was never written", t->name,
				                           at / lanes);
			v->wrong += lanes;
			continue;
		}
		for (uint64_t i = 0; memcmp(row, want + at * bytes, lanes * bytes) != 0 && i < lanes; i++) {
			index[t->rank - 1] = i;
			if (memcmp(row + i * bytes, want + (at + i) * bytes, bytes) != 0)
				note(v, t, index, row + i * bytes, want + (at + i) * bytes);
		}
		index[t->rank - 1] = 0;
	}
	v->values += elements;
}

/* The next output tensor for NODE of those not yet USED. */
static const asc_tensor *tensor_of(const asc_program *program, const graph_node *node, uint8_t *used)
{
	for (guint i = 0; i < program->tensors->len; i++) {
		const asc_tensor *t = &g_array_index(program->tensors, asc_tensor, i);

		if (used[i] || !t->output || strcmp(t->name, node->name) != 0 ||
		    elements_of(t) * asc_type_bytes(t->type) != graph_node_bytes(node))
			continue;
		used[i] = 1;
		return t;
	}
	return NULL;
}

static bool check_graph(asc_verify *v, const asc_chip *chip, const asc_program *program, const graph *g, uint8_t *used,
                        GError **error)
{
	g_autofree uint8_t **values = g_new0(uint8_t *, graph_size(g));
	bool fine = graph_evaluate(g, values, error);

	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *node = graph_at(g, i);
		const asc_tensor *t = fine && node->output ? tensor_of(program, node, used) : NULL;

		if (t) {
			check_tensor(v, chip, t, values[i]);
		} else if (fine && node->output) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL,
			            "the program has no tensor for output '%s' of %s", node->name, g->name);
			fine = false;
		}
		g_free(values[i]);
	}
	return fine;
}

bool asc_verify_run(asc_verify *v, const asc_chip *chip, const asc_program *program, GPtrArray *graphs, GError **error)
{
	g_autofree uint8_t *used = g_new0(uint8_t, MAX(program->tensors->len, 1));

	*v = (asc_verify){0};
	for (guint i = 0; i < graphs->len; i++)
		if (!check_graph(v, chip, program, g_ptr_array_index(graphs, i), used, error))
			return false;
	return true;
}

void asc_verify_fini(asc_verify *v)
{
	g_clear_pointer(&v->first, g_free);
}
