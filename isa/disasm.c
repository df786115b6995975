/* SPDX-License-Identifier: Apache-2.0
 *
 * The container as assembly text, in the order in which instructions were added, so that assembling it gives the same
 * container: instructions, sources, predictions, nodes, epochs with their images, maps, tensors.  Encoded queues are
 * not printed, isa_lower() makes them again.  Also the text forms of single operands that the assembler shares.
 */
#include "isa/asm_int.h"
#include "isa/format.h"
#include "isa/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define I64 "%" G_GINT64_FORMAT
#define U64 "%" G_GUINT64_FORMAT

const char *isa_place_text(unsigned place, char *buffer)
{
	unsigned index = isa_place_index(place);

	switch (isa_place_kind(place)) {
	case ISA_PLACE_KIND_VREG:
		g_snprintf(buffer, ISA_PLACE_TEXT, "r%u", index);
		break;
	case ISA_PLACE_KIND_STREAM:
		g_snprintf(buffer, ISA_PLACE_TEXT, "%c%u", index < 32 ? 'e' : 'w', index % 32);
		break;
	case ISA_PLACE_KIND_ACT:
		g_snprintf(buffer, ISA_PLACE_TEXT, "act.%u", index);
		break;
	case ISA_PLACE_KIND_WT:
		g_snprintf(buffer, ISA_PLACE_TEXT, "wt.%u", index);
		break;
	case ISA_PLACE_KIND_ALU:
		g_snprintf(buffer, ISA_PLACE_TEXT, "alu.%u", index);
		break;
	case ISA_PLACE_KIND_IMM:
		return "imm";
	case ISA_PLACE_KIND_NONE:
		return "-";
	default:
		g_snprintf(buffer, ISA_PLACE_TEXT, "?%u", place);
		break;
	}
	return buffer;
}

int isa_place_from_text(const char *text)
{
	static const struct {
		const char *prefix;
		int base, count;
	} kinds[] = {
		{"r", ISA_PLACE_VREG(0), 1024}, {"e", ISA_PLACE_STREAM(0, 0), 32}, {"w", ISA_PLACE_STREAM(1, 0), 32},
		{"act.", ISA_PLACE_ACT(0), 16}, {"wt.", ISA_PLACE_WT(0), 8},       {"alu.", ISA_PLACE_ALU(0), 32},
	};

	if (strcmp(text, "imm") == 0)
		return ISA_PLACE_IMM;
	if (strcmp(text, "-") == 0)
		return ISA_PLACE_NONE;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const char *digits = text + strlen(kinds[i].prefix);
		char *end;
		long index;

		if (!g_str_has_prefix(text, kinds[i].prefix) || !g_ascii_isdigit(*digits))
			continue;
		index = strtol(digits, &end, 10);
		return *end || index >= kinds[i].count ? -1 : kinds[i].base + (int)index;
	}
	return -1;
}

static bool is_float(enum isa_type type)
{
	return type == ISA_TYPE_F16 || type == ISA_TYPE_F32;
}

char *isa_imm_text(enum isa_type type, uint32_t imm)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];
	uint32_t back;

	if (!is_float(type))
		return g_strdup_printf("%d", (int32_t)imm);
	g_ascii_formatd(text, sizeof text, "%.9g", (double)num_bits_f32(imm));
	if (isfinite(num_bits_f32(imm)) && isa_imm_from_text(type, text, &back) && back == imm)
		return g_strdup(text);
	return g_strdup_printf("0x%08x", imm);
}

bool isa_imm_from_text(enum isa_type type, const char *text, uint32_t *imm)
{
	char *end;
	gint64 value;

	if (g_str_has_prefix(text, "0x")) {
		guint64 bits = g_ascii_strtoull(text + 2, &end, 16);

		*imm = (uint32_t)bits;
		return end != text + 2 && !*end && bits <= UINT32_MAX;
	}
	if (is_float(type)) {
		double real = g_ascii_strtod(text, &end);

		*imm = num_f32_bits((float)real);
		return end != text && !*end && isfinite(real);
	}
	value = g_ascii_strtoll(text, &end, 10);
	*imm = (uint32_t)value;
	return end != text && !*end && value >= INT32_MIN && value <= UINT32_MAX;
}

typedef struct printer {
	const isa_program *program;
	const isa_machine *machine;
	GString *out;
	uint32_t node;        /* of the instructions that follow */
	uint32_t nodes_done;  /* already defined */
	bool exact_instances; /* do instances name instructions (no wrap)? */
	guint8 *labelled;     /* per instruction */
} printer;

static void print_quoted(GString *out, const char *text)
{
	g_autofree char *escaped = g_strescape(text ? text : "", NULL);

	g_string_append_printf(out, " \"%s\"", escaped);
}

/* The instruction that instance NUMBER is an issue of, or -1. */
static int64_t find_instance(const printer *pr, uint32_t number)
{
	const isa_program *p = pr->program;
	uint32_t low = 0, high = p->insns->len;

	if (!pr->exact_instances || number < 1 || !high)
		return -1;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (isa_program_instance(p, middle) <= number)
			low = middle;
		else
			high = middle;
	}
	return number - isa_program_instance(p, low) < isa_insn_issues(isa_program_insn(p, low)) ? (int64_t)low : -1;
}

/* Calls VISIT for each source of instruction ID. */
static void each_source(printer *pr, uint32_t id, void (*visit)(printer *, unsigned operand, const isa_source *))
{
	const isa_program *p = pr->program;

	for (unsigned operand = 0; operand < ISA_OPERANDS; operand++) {
		uint32_t at = id * ISA_OPERANDS + operand;

		for (uint8_t i = 0; i < g_array_index(p->source_count, uint8_t, at); i++)
			visit(pr, operand,
			      &g_array_index(p->sources, isa_source, g_array_index(p->first_source, uint32_t, at) + i));
	}
}

static void mark_label(printer *pr, unsigned operand, const isa_source *source)
{
	int64_t id = find_instance(pr, source->base);

	(void)operand;
	if (id >= 0)
		pr->labelled[id] = 1;
}

/* Do all instances have different numbers? */
static bool instances_are_exact(const isa_program *p)
{
	uint64_t next = 1;

	for (uint32_t id = 0; id < p->insns->len; id++) {
		if (next > UINT32_MAX || isa_program_instance(p, id) != next)
			return false;
		next += isa_insn_issues(isa_program_insn(p, id));
	}
	return next <= UINT32_MAX;
}

/* The shortest of 15 or 17 digits that is read back as VALUE. */
static void print_real(GString *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(text, sizeof text, "%.15g", value);
	if (g_ascii_strtod(text, NULL) < value || g_ascii_strtod(text, NULL) > value)
		g_ascii_formatd(text, sizeof text, "%.17g", value);
	g_string_append(out, text);
}

static void print_image(GString *out, const isa_image *image)
{
	g_string_append_printf(out, ".image 0x%" G_GINT64_MODIFIER "x " U64 "\n", image->location, image->bytes);
	for (uint64_t i = 0; image->data && i < image->bytes; i++) {
		if (i % 32 == 0)
			g_string_append(out, i ? "\n\t.hex " : "\t.hex ");
		g_string_append_printf(out, "%02x", image->data[i]);
	}
	if (image->data && image->bytes)
		g_string_append_c(out, '\n');
}

static void print_epochs(printer *pr)
{
	GString *out = pr->out;

	for (guint i = 0; i < pr->program->epochs->len; i++) {
		const isa_epoch *e = &g_array_index(pr->program->epochs, isa_epoch, i);

		g_string_append(out, ".epoch");
		print_quoted(out, e->name);
		g_string_append_printf(out,
		                       " start=" I64 " end=" I64 " macs=" U64 " vxm_ops=" U64 " ceiling=", e->start,
		                       e->end, e->macs, e->vxm_ops);
		print_real(out, e->mxm_ceiling);
		g_string_append_printf(out, " graph=%u\n", e->graph);
		for (guint j = 0; e->images && j < e->images->len; j++)
			print_image(out, &g_array_index(e->images, isa_image, j));
	}
}

/* Lane maps as runs: up, down, or one value repeated. */
static void print_map(GString *out, const isa_lane_map *map)
{
	for (unsigned i = 0; i < 320;) {
		unsigned first = map->lane[i];
		unsigned run = 1;
		int step = 0;

		if (i + 1 < 320 && first < 320 && map->lane[i + 1] < 320)
			step = (int)map->lane[i + 1] - (int)first;
		if (step < -1 || step > 1)
			step = 0;
		while (i + run < 320 && map->lane[i + run] == (int)first + (int)run * step)
			run++;
		if (first >= 320)
			g_string_append(out, " none");
		else
			g_string_append_printf(out, " %u", first);
		if (step)
			g_string_append_printf(out, "-%u", (unsigned)((int)first + ((int)run - 1) * step));
		else if (run > 1)
			g_string_append_printf(out, "*%u", run);
		i += run;
	}
	g_string_append_c(out, '\n');
}

static void print_tensor(GString *out, const isa_tensor *t)
{
	g_string_append(out, ".tensor");
	print_quoted(out, t->name);
	g_string_append_printf(out, " type=%s", isa_type_name(t->type));
	for (uint32_t i = 0; i < t->rank; i++)
		g_string_append_printf(out, "%s" U64, i ? "x" : " shape=", t->shape[i]);
	g_string_append_printf(out, " base=0x%" G_GINT64_MODIFIER "x bytes=" U64 " epoch=%u%s", t->base, t->bytes,
	                       t->epoch, t->output ? " output" : "");
	for (uint32_t i = 0; i < t->terms; i++) {
		const isa_layout_term *term = &t->term[i];

		g_string_append(out, i ? "+" : " layout=");
		if (term->dim == t->rank)
			g_string_append(out, "byte");
		else
			g_string_append_printf(out, "%u", term->dim);
		if (term->div != 1)
			g_string_append_printf(out, "/" U64, term->div);
		if (term->mod)
			g_string_append_printf(out, "%%" U64, term->mod);
		g_string_append_printf(out, "*" I64, term->stride);
	}
	g_string_append_c(out, '\n');
}

static void print_buffer(GString *out, const isa_buffer *b)
{
	g_string_append(out, ".buffer");
	print_quoted(out, b->name);
	print_quoted(out, b->map);
	g_string_append_printf(out, " base=0x%" G_GINT64_MODIFIER "x bytes=" U64 " epoch=%u\n", b->base, b->bytes,
	                       b->epoch);
}

/* Makes NODE the current one, defining what is not defined yet. */
static void print_node(printer *pr, uint32_t node)
{
	if (node < pr->nodes_done && node != pr->node)
		g_string_append_printf(pr->out, ".node %u\n", node);
	for (; pr->nodes_done <= node && pr->nodes_done < pr->program->nodes->len; pr->nodes_done++) {
		const isa_node *n = &g_array_index(pr->program->nodes, isa_node, pr->nodes_done);

		g_string_append(pr->out, ".node");
		print_quoted(pr->out, n->name);
		g_string_append_printf(pr->out, " epoch=%u\n", n->epoch);
	}
	pr->node = node;
}

static void print_fields(GString *out, const isa_insn *insn)
{
	static const enum isa_field places[] = {ISA_FIELD_DST, ISA_FIELD_SRC0, ISA_FIELD_SRC1};
	const isa_op_info *op = &isa_ops[insn->op];
	char buffer[ISA_PLACE_TEXT];
	bool first = true;

	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		unsigned place = (unsigned)isa_field_get(insn, places[i]);

		if (!isa_format_find(op->format, places[i]))
			continue;
		if (op->arity == 1 && places[i] == ISA_FIELD_SRC1 && place == ISA_PLACE_NONE)
			continue;
		g_string_append_printf(out, "%s %s", first ? "" : ",", isa_place_text(place, buffer));
		first = false;
	}
	for (const isa_format_field *f = isa_formats[op->format].fields; f->bits; f++) {
		int64_t value = isa_field_get(insn, f->field);
		g_autofree char *imm = NULL;

		if (f->kind == ISA_KIND_PLACE || (f->kind == ISA_KIND_FBITS && !value) ||
		    (f->field == ISA_FIELD_BUFFER && !value))
			continue;
		g_string_append_printf(out, " %s=", isa_field_name(f->field));
		if (f->kind == ISA_KIND_TYPE)
			g_string_append(out, isa_type_name((enum isa_type)value));
		else if (f->kind == ISA_KIND_MODE)
			g_string_append(out, value ? "add" : "overwrite");
		else if (f->kind == ISA_KIND_FBITS)
			g_string_append(out, imm = isa_imm_text(insn->type, (uint32_t)value));
		else if (f->field == ISA_FIELD_ADDR || f->field == ISA_FIELD_WADDR)
			g_string_append_printf(out, "0x%x", (unsigned)value);
		else
			g_string_append_printf(out, I64, value);
	}
}

static void print_loops(GString *out, const isa_insn *insn)
{
	static const char *const names[ISA_ROT_COUNT] = {"dst", "src0", "src1"};
	int levels = 0;

	for (int i = 0; i < ISA_LOOPS; i++)
		if (insn->loop[i].count != 1 || insn->loop[i].interval || insn->loop[i].step)
			levels = i + 1;
	for (int i = 0; i < levels; i++) {
		g_string_append_printf(out, " x%u every %u", insn->loop[i].count, insn->loop[i].interval);
		if (insn->loop[i].step)
			g_string_append_printf(out, " step %d", insn->loop[i].step);
	}
	for (int i = 0; i < ISA_ROT_COUNT; i++) {
		if (!insn->rot[i].step && !insn->rot[i].wrap)
			continue;
		g_string_append_printf(out, " rot.%s=%d", names[i], insn->rot[i].step);
		if (insn->rot[i].wrap)
			g_string_append_printf(out, "/%u", insn->rot[i].wrap);
	}
}

static void print_source(printer *pr, unsigned operand, const isa_source *s)
{
	int64_t id = find_instance(pr, s->base);
	GString *out = pr->out;

	g_string_append_printf(out, "\t.source %u", operand);
	if (s->resident)
		g_string_append(out, " resident");
	if (id >= 0) {
		uint32_t plus = s->base - isa_program_instance(pr->program, (uint32_t)id);

		g_string_append_printf(out, " from=i" I64, id);
		if (plus)
			g_string_append_printf(out, "+%u", plus);
	} else if (s->base || !s->resident) {
		g_string_append_printf(out, " instance=%u", s->base);
	}
	if (s->step0 || s->step1)
		g_string_append_printf(out, " step=%d/%d", s->step0, s->step1);
	if (s->seg_step || s->seg_div != 1)
		g_string_append_printf(out, " seg=%d/%u", s->seg_step, s->seg_div);
	if (s->segments)
		g_string_append_printf(out, " segments=%u", s->segments);
	g_string_append_c(out, '\n');
}

static void print_time(GString *out, int32_t time)
{
	if (time == ISA_NO_TIME)
		g_string_append_c(out, '-');
	else
		g_string_append_printf(out, "%d", time);
}

static void print_prediction(GString *out, const isa_prediction *prediction)
{
	g_string_append(out, "\t.predict");
	for (int i = 0; i < ISA_OPERANDS; i++) {
		g_string_append(out, i ? "/" : " arrival=");
		print_time(out, prediction->arrival[i]);
	}
	g_string_append(out, " result=");
	print_time(out, prediction->result);
	g_string_append_printf(out, " beats=%d\n", prediction->beats);
}

static void print_insn(printer *pr, uint32_t id)
{
	const isa_insn *insn = isa_program_insn(pr->program, id);
	GString *out = pr->out;

	print_node(pr, g_array_index(pr->program->node_of, uint32_t, id));
	if (pr->labelled[id])
		g_string_append_printf(out, "i%u: ", id);
	g_string_append_printf(out, "@" I64 " ", insn->cycle);
	if (insn->queue < isa_machine_queue_count(pr->machine))
		g_string_append(out, isa_machine_queue(pr->machine, insn->queue)->name);
	else
		g_string_append_printf(out, "?%u", insn->queue);
	g_string_append_printf(out, ": %s", isa_ops[insn->op].mnemonic);
	print_fields(out, insn);
	print_loops(out, insn);
	g_string_append_c(out, '\n');
	each_source(pr, id, print_source);
	if (pr->program->has_predictions)
		print_prediction(out, &g_array_index(pr->program->predictions, isa_prediction, id));
}

char *isa_disassemble(const isa_program *program, const isa_machine *machine)
{
	printer pr = {.program = program, .machine = machine, .out = g_string_new(NULL)};

	pr.labelled = g_new0(guint8, program->insns->len + 1);
	pr.exact_instances = instances_are_exact(program);
	for (uint32_t id = 0; id < program->insns->len; id++)
		each_source(&pr, id, mark_label);
	g_string_append_printf(pr.out, ".machine %s\n.workload", program->machine_name);
	print_quoted(pr.out, program->workload);
	g_string_append_c(pr.out, '\n');
	if (program->predicted_cycles >= 0)
		g_string_append_printf(pr.out, ".predicted_cycles " I64 "\n", program->predicted_cycles);
	print_epochs(&pr);
	for (guint i = 0; i < program->maps->len; i++) {
		g_string_append_printf(pr.out, ".map %u:", i);
		print_map(pr.out, &g_array_index(program->maps, isa_lane_map, i));
	}
	for (guint i = 0; i < program->tensors->len; i++)
		print_tensor(pr.out, &g_array_index(program->tensors, isa_tensor, i));
	for (guint i = 0; i < program->buffers->len; i++)
		print_buffer(pr.out, &g_array_index(program->buffers, isa_buffer, i));
	for (uint32_t id = 0; id < program->insns->len; id++)
		print_insn(&pr, id);
	if (program->nodes->len)
		print_node(&pr, program->nodes->len - 1);
	g_free(pr.labelled);
	return g_string_free(pr.out, FALSE);
}
