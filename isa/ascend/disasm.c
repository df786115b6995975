/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of an Ascend-style program, which isa/ascend/asm.c reads back to the same program.  Fields at their standard
 * are left out, except addresses, types, pipes and registers.
 */
#include "isa/ascend/asc_int.h"

static void put_quoted(GString *out, const char *text)
{
	g_autofree char *escaped = g_strescape(text, NULL);

	g_string_append_printf(out, "\"%s\"", escaped);
}

static void put_image(GString *out, const asc_image *image)
{
	enum { BYTES_A_LINE = 32 };

	g_string_append_printf(out, ".image 0x%" G_GINT64_MODIFIER "x %" G_GUINT64_FORMAT "\n", image->address,
	                       image->bytes);
	for (uint64_t i = 0; image->data && i < image->bytes; i++) {
		if (i % BYTES_A_LINE == 0)
			g_string_append(out, i ? "\n.hex " : ".hex ");
		g_string_append_printf(out, "%02x", image->data[i]);
	}
	if (image->data && image->bytes)
		g_string_append_c(out, '\n');
}

static void put_tensor(GString *out, const asc_tensor *t)
{
	g_string_append(out, ".tensor ");
	put_quoted(out, t->name);
	g_string_append_printf(out, " type=%s", asc_type_name(t->type));
	for (uint32_t i = 0; i < t->rank; i++)
		g_string_append_printf(out, "%s%" G_GUINT64_FORMAT, i ? "x" : " shape=", t->shape[i]);
	for (uint32_t i = 0; i < t->rank; i++)
		g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? "x" : " stride=", t->stride[i]);
	g_string_append_printf(out, " address=0x%" G_GINT64_MODIFIER "x bytes=%" G_GUINT64_FORMAT "%s\n", t->address,
	                       t->bytes, t->output ? " output" : "");
}

static void put_head(GString *out, const asc_program *p, const asc_machine *machine)
{
	g_string_append_printf(out, ".machine %s\n", machine->name);
	if (p->workload) {
		g_string_append(out, ".workload ");
		put_quoted(out, p->workload);
		g_string_append_c(out, '\n');
	}
	g_string_append_printf(out, ".blocks %u\n", p->blocks);
	if (p->macs || p->vector_ops)
		g_string_append_printf(out, ".useful macs=%" G_GUINT64_FORMAT " vector_ops=%" G_GUINT64_FORMAT "\n",
		                       p->macs, p->vector_ops);
	if (p->predicted_cycles >= 0)
		g_string_append_printf(out, ".predicted_cycles %" G_GINT64_FORMAT "\n", p->predicted_cycles);
	for (guint i = 0; i < p->images->len; i++)
		put_image(out, &g_array_index(p->images, asc_image, i));
	for (guint i = 0; i < p->tensors->len; i++)
		put_tensor(out, &g_array_index(p->tensors, asc_tensor, i));
	for (guint i = 0; i < p->nodes->len; i++) {
		g_string_append(out, ".node ");
		put_quoted(out, p->nodes->pdata[i]);
		g_string_append_c(out, '\n');
	}
}

static void put_value(GString *out, const asc_field_info *info, int64_t value)
{
	switch (info->value) {
	case ASC_VALUE_ADDRESS:
		g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", (guint64)value);
		break;
	case ASC_VALUE_TYPE:
		g_string_append(out, asc_type_name((enum asc_type)value));
		break;
	case ASC_VALUE_PIPE:
		g_string_append(out, value == ASC_PIPE_ALL ? "all" : asc_pipe_name((enum asc_pipe)value));
		break;
	case ASC_VALUE_REGISTER:
		g_string_append_printf(out, "r%" G_GINT64_FORMAT, value);
		break;
	case ASC_VALUE_BITS:
	case ASC_VALUE_BITS32:
		g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", (guint64)value);
		break;
	case ASC_VALUE_LABEL:
		g_string_append_printf(out, "L%" G_GINT64_FORMAT, value);
		break;
	default:
		g_string_append_printf(out, "%" G_GINT64_FORMAT, value);
		break;
	}
}

/* Mnemonic and fields. */
static void put_operation(GString *out, const asc_insn *insn)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	g_string_append(out, info->mnemonic);
	for (unsigned i = 0; i < info->fields; i++) {
		const asc_field_info *field = &info->field[i];
		bool plain = field->value == ASC_VALUE_NUMBER || field->value == ASC_VALUE_BITS ||
		             field->value == ASC_VALUE_BITS32;
		bool in_register = insn->regs >> i & 1;

		if (plain && !in_register && insn->f[i] == field->standard)
			continue;
		g_string_append_printf(out, " %s=", field->name);
		if (in_register)
			g_string_append_printf(out, "r%" G_GINT64_FORMAT, insn->f[i]);
		else
			put_value(out, field, insn->f[i]);
	}
}

char *asc_insn_text(const asc_insn *insn)
{
	GString *out = g_string_new(NULL);

	put_operation(out, insn);
	return g_string_free(out, FALSE);
}

static void put_insn(GString *out, const asc_insn *insn)
{
	g_string_append_c(out, '\t');
	if (insn->start != ASC_NO_TIME || insn->end != ASC_NO_TIME) {
		g_string_append_c(out, '@');
		if (insn->start != ASC_NO_TIME)
			g_string_append_printf(out, "%" G_GINT64_FORMAT, insn->start);
		if (insn->end != ASC_NO_TIME)
			g_string_append_printf(out, "..%" G_GINT64_FORMAT, insn->end);
		g_string_append_c(out, ' ');
	}
	put_operation(out, insn);
	g_string_append_c(out, '\n');
}

/* Which instructions of the stream jumps lead to; one byte each, g_free. */
static uint8_t *find_targets(const asc_stream *stream)
{
	uint8_t *targets = g_new0(uint8_t, stream->insns->len + 1);

	for (guint i = 0; i < stream->insns->len; i++) {
		const asc_insn *insn = &g_array_index(stream->insns, asc_insn, i);
		const asc_op_info *info = asc_op((enum asc_op)insn->op);

		for (unsigned f = 0; f < info->fields; f++)
			if (info->field[f].value == ASC_VALUE_LABEL && insn->f[f] >= 0 &&
			    insn->f[f] < stream->insns->len)
				targets[insn->f[f]] = 1;
	}
	return targets;
}

static void put_stream(GString *out, const asc_stream *stream, uint32_t *node)
{
	g_autofree uint8_t *targets = find_targets(stream);

	g_string_append_printf(out, "\n.stream %s", asc_kind_name(stream->kind));
	if (stream->sub == ASC_ALL_BLOCKS)
		g_string_append(out, " sub=all");
	else
		g_string_append_printf(out, " sub=%d", stream->sub);
	if (stream->block == ASC_ALL_BLOCKS)
		g_string_append(out, " block=all\n");
	else
		g_string_append_printf(out, " block=%d\n", stream->block);
	for (guint i = 0; i < stream->insns->len; i++) {
		const asc_insn *insn = &g_array_index(stream->insns, asc_insn, i);

		if (insn->node != *node) {
			*node = insn->node;
			if (*node == ASC_NO_NODE)
				g_string_append(out, ".node none\n");
			else
				g_string_append_printf(out, ".node %u\n", *node);
		}
		if (targets[i])
			g_string_append_printf(out, "L%u:\n", i);
		put_insn(out, insn);
	}
}

char *asc_disassemble(const asc_program *program, const asc_machine *machine)
{
	GString *out = g_string_new(NULL);
	uint32_t node = program->nodes->len ? program->nodes->len - 1 : ASC_NO_NODE;

	put_head(out, program, machine);
	for (guint i = 0; i < program->streams->len; i++)
		put_stream(out, program->streams->pdata[i], &node);
	return g_string_free(out, FALSE);
}
