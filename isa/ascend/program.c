/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of Ascend-style cores in memory: streams, nodes, images, tensors and who owns them.
 */
#include "isa/ascend/ascend.h"

static void free_stream(gpointer data)
{
	asc_stream *stream = data;

	g_array_unref(stream->insns);
	g_free(stream);
}

static void clear_image(gpointer data)
{
	g_free(((asc_image *)data)->data);
}

static void clear_tensor(gpointer data)
{
	g_free(((asc_tensor *)data)->name);
}

asc_program *asc_program_new(void)
{
	asc_program *p = g_new0(asc_program, 1);

	p->blocks = 1;
	p->streams = g_ptr_array_new_with_free_func(free_stream);
	p->nodes = g_ptr_array_new_with_free_func(g_free);
	p->images = g_array_new(FALSE, TRUE, sizeof(asc_image));
	g_array_set_clear_func(p->images, clear_image);
	p->tensors = g_array_new(FALSE, TRUE, sizeof(asc_tensor));
	g_array_set_clear_func(p->tensors, clear_tensor);
	p->predicted_cycles = -1;
	return p;
}

void asc_program_free(asc_program *program)
{
	if (!program)
		return;
	g_free(program->machine_name);
	g_free(program->machine_text);
	g_free(program->workload);
	g_ptr_array_unref(program->streams);
	g_ptr_array_unref(program->nodes);
	g_array_unref(program->images);
	g_array_unref(program->tensors);
	g_free(program);
}

asc_stream *asc_program_stream(asc_program *program, enum asc_kind kind, int32_t sub, int32_t block)
{
	asc_stream *stream;

	for (guint i = 0; i < program->streams->len; i++) {
		stream = program->streams->pdata[i];
		if (stream->kind == kind && stream->sub == sub && stream->block == block)
			return stream;
	}
	stream = g_new0(asc_stream, 1);
	stream->kind = kind;
	stream->sub = sub;
	stream->block = block;
	stream->insns = g_array_new(FALSE, TRUE, sizeof(asc_insn));
	g_ptr_array_add(program->streams, stream);
	return stream;
}
