/* SPDX-License-Identifier: Apache-2.0
 *
 * The program container in memory: building it, and where a tensor's element lies.  Encoding is in isa/lower.c, the
 * file format in isa/container.c, the text form in isa/asm.c and isa/disasm.c.
 */
#include "isa/program_int.h"

#include <string.h>

static void clear_node(gpointer at)
{
	g_free(((isa_node *)at)->name);
}

static void clear_image(gpointer at)
{
	g_free(((isa_image *)at)->data);
}

static void clear_epoch(gpointer at)
{
	isa_epoch *epoch = at;

	g_free(epoch->name);
	if (epoch->images) {
		g_array_set_clear_func(epoch->images, clear_image);
		g_array_unref(epoch->images);
	}
}

static void clear_tensor(gpointer at)
{
	g_free(((isa_tensor *)at)->name);
}

static void clear_buffer(gpointer at)
{
	g_free(((isa_buffer *)at)->name);
	g_free(((isa_buffer *)at)->map);
}

static GArray *new_array(guint element_size, GDestroyNotify clear)
{
	GArray *array = g_array_new(FALSE, TRUE, element_size);

	g_array_set_clear_func(array, clear);
	return array;
}

isa_program *isa_program_blank(void)
{
	isa_program *p = g_new0(isa_program, 1);

	p->insns = new_array(sizeof(isa_insn), NULL);
	p->node_of = new_array(sizeof(uint32_t), NULL);
	p->first_source = new_array(sizeof(uint32_t), NULL);
	p->source_count = new_array(sizeof(uint8_t), NULL);
	p->sources = new_array(sizeof(isa_source), NULL);
	p->predictions = new_array(sizeof(isa_prediction), NULL);
	p->instance_base = new_array(sizeof(uint32_t), NULL);
	p->nodes = new_array(sizeof(isa_node), clear_node);
	p->maps = new_array(sizeof(isa_lane_map), NULL);
	p->epochs = new_array(sizeof(isa_epoch), clear_epoch);
	p->tensors = new_array(sizeof(isa_tensor), clear_tensor);
	p->buffers = new_array(sizeof(isa_buffer), clear_buffer);
	p->queues = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	p->queue_insns = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	p->predicted_cycles = -1;
	return p;
}

isa_program *isa_program_new(const isa_machine *machine)
{
	isa_program *p = isa_program_blank();

	p->machine_name = g_strdup(machine->name);
	p->machine_text = isa_machine_dump(machine);
	p->workload = g_strdup("");
	return p;
}

void isa_program_free(isa_program *program)
{
	if (!program)
		return;
	g_free(program->machine_name);
	g_free(program->machine_text);
	g_free(program->workload);
	g_array_unref(program->insns);
	g_array_unref(program->node_of);
	g_array_unref(program->first_source);
	g_array_unref(program->source_count);
	g_array_unref(program->sources);
	g_array_unref(program->predictions);
	g_array_unref(program->instance_base);
	g_array_unref(program->nodes);
	g_array_unref(program->maps);
	g_array_unref(program->epochs);
	g_array_unref(program->tensors);
	g_array_unref(program->buffers);
	g_ptr_array_unref(program->queues);
	g_ptr_array_unref(program->queue_insns);
	g_free(program);
}

/* Nothing predicted. */
static void add_empty_predictions(isa_program *program)
{
	isa_prediction none = {.result = ISA_NO_TIME, .beats = 0};

	for (int i = 0; i < ISA_OPERANDS; i++)
		none.arrival[i] = ISA_NO_TIME;
	while (program->predictions->len < program->insns->len)
		g_array_append_val(program->predictions, none);
}

uint32_t isa_program_add(isa_program *program, const isa_insn *insn, uint32_t node)
{
	uint32_t id = program->insns->len;
	uint32_t base = 1;
	uint32_t no_source = 0;
	uint8_t no_count = 0;

	if (id)
		base = isa_program_instance(program, id - 1) +
		       (uint32_t)isa_insn_issues(isa_program_insn(program, id - 1));
	g_array_append_val(program->insns, *insn);
	g_array_append_val(program->node_of, node);
	g_array_append_val(program->instance_base, base);
	for (int i = 0; i < ISA_OPERANDS; i++) {
		g_array_append_val(program->first_source, no_source);
		g_array_append_val(program->source_count, no_count);
	}
	if (program->has_predictions)
		add_empty_predictions(program);
	return id;
}

void isa_program_add_source(isa_program *program, uint32_t insn, unsigned operand, const isa_source *source)
{
	uint32_t at = insn * ISA_OPERANDS + operand;
	uint32_t *first = &g_array_index(program->first_source, uint32_t, at);
	uint8_t *count = &g_array_index(program->source_count, uint8_t, at);
	isa_source piece = *source;

	g_return_if_fail(operand < ISA_OPERANDS && insn < program->insns->len);
	g_return_if_fail(*count < UINT8_MAX);
	/* Pieces of one operand lie together: others may have been added since, then the earlier pieces move to the
	 * end. */
	if (*count && *first + *count != program->sources->len) {
		uint32_t moved = program->sources->len;

		for (uint32_t i = 0; i < *count; i++) {
			isa_source earlier = g_array_index(program->sources, isa_source, *first + i);

			g_array_append_val(program->sources, earlier);
		}
		*first = moved;
	} else if (!*count) {
		*first = program->sources->len;
	}
	piece.seg_div = MAX(piece.seg_div, 1);
	g_array_append_val(program->sources, piece);
	(*count)++;
}

void isa_program_set_prediction(isa_program *program, uint32_t insn, const isa_prediction *prediction)
{
	g_return_if_fail(insn < program->insns->len);
	program->has_predictions = true;
	add_empty_predictions(program);
	g_array_index(program->predictions, isa_prediction, insn) = *prediction;
}

uint32_t isa_program_add_node(isa_program *program, const char *name, uint32_t epoch)
{
	isa_node node = {g_strdup(name), epoch};

	g_array_append_val(program->nodes, node);
	return program->nodes->len - 1;
}

uint32_t isa_program_add_map(isa_program *program, const uint16_t *lanes320)
{
	isa_lane_map map;

	memcpy(map.lane, lanes320, sizeof map.lane);
	for (uint32_t i = 0; i < program->maps->len; i++)
		if (memcmp(&map, &g_array_index(program->maps, isa_lane_map, i), sizeof map) == 0)
			return i;
	g_array_append_val(program->maps, map);
	return program->maps->len - 1;
}

uint64_t isa_tensor_location(const isa_tensor *t, const uint64_t *index, unsigned byte)
{
	uint64_t location = t->base;

	for (uint32_t i = 0; i < t->terms; i++) {
		const isa_layout_term *term = &t->term[i];
		uint64_t at = term->dim == t->rank ? byte : index[term->dim];

		at /= term->div ? term->div : 1;
		if (term->mod)
			at %= term->mod;
		location += at * (uint64_t)term->stride;
	}
	return location;
}
