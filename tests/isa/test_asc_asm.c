/* SPDX-License-Identifier: Apache-2.0
 *
 * Ascend-style assembly and program files: what is written is read back, the manual's examples assemble, mistakes are
 * named where they stand, damaged files are refused.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "isa/ascend/asc_int.h"
#include "tests/lib/tap.h"

static asc_machine *machine(const char *name)
{
	GError *error = NULL;
	asc_machine *m = asc_machine_load(name, &error);

	if (!m)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(asc_machine_finish(m, &error));
	return m;
}

static asc_program *assemble(const char *text, const asc_machine *m)
{
	GError *error = NULL;
	asc_program *p = asc_assemble(text, "test", m, &error);

	if (!p)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static const asc_insn *insn(const asc_program *p, unsigned stream, unsigned i)
{
	return &g_array_index(((asc_stream *)p->streams->pdata[stream])->insns, asc_insn, i);
}

static int64_t value(const asc_insn *i, const char *name)
{
	int field = asc_field_by_name((enum asc_op)i->op, name);

	CU_ASSERT_TRUE_FATAL(field >= 0);
	return i->f[field];
}

/* As the disassembler writes. */
static const char sample[] = ".machine ascend-910b\n"
			     ".workload \"a \\\"b\\\"\\n\"\n"
			     ".blocks 4\n"
			     ".useful macs=4096 vector_ops=7\n"
			     ".predicted_cycles 1234\n"
			     ".image 0x1000 40\n"
			     ".hex 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
			     ".hex 2021222324252627\n"
			     ".image 0x2000 8192\n"
			     ".tensor \"x\" type=bf16 shape=4x5 stride=-10x2 address=0x1000 bytes=40\n"
			     ".tensor \"y\" type=int32 address=0x2000 bytes=8 output\n"
			     ".node \"one\"\n"
			     ".node \"two\"\n"
			     "\n"
			     ".stream cube sub=0 block=all\n"
			     ".node none\n"
			     "L0:\n"
			     "\tmovi rd=r1 imm=-9223372036854775808\n"
			     ".node 1\n"
			     "\t@12..30 mmad type=fp16 c=0x400 a=0x200 b=0x0 m=32 k=r2 bias=0x0 unit_flag=3\n"
			     "\t@..31 set_flag from=M to=FIX id=7\n"
			     "\tpipe_barrier pipe=all\n"
			     "\tbne rn=r1 rm=r31 label=L0\n"
			     "\tend\n"
			     "\n"
			     ".stream vector sub=all block=3\n"
			     "\t@-5 vadds type=fp32 dst=0x20 src=r4 scalar=0x3f800000 repeat=2\n"
			     "\tset_mask lo=15\n";

static void text_comes_back_letter_by_letter(void)
{
	asc_machine *m = machine("ascend-910b");
	asc_program *p = assemble(sample, m);
	g_autofree char *text = asc_disassemble(p, m);

	if (strcmp(text, sample) != 0)
		tap_note("%s", text);
	CU_ASSERT_STRING_EQUAL(text, sample);
	asc_program_free(p);
	asc_machine_free(m);
}

static void text_means_what_it_says(void)
{
	asc_machine *m = machine("ascend-910b");
	asc_program *p = assemble(sample, m);
	const asc_insn *mmad = insn(p, 0, 1);
	const asc_stream *vector = p->streams->pdata[1];
	const asc_image *image = &g_array_index(p->images, asc_image, 0);
	const asc_tensor *x = &g_array_index(p->tensors, asc_tensor, 0);

	CU_ASSERT_STRING_EQUAL(p->workload, "a \"b\"\n");
	CU_ASSERT_EQUAL(p->blocks, 4);
	CU_ASSERT_EQUAL(p->macs, 4096);
	CU_ASSERT_EQUAL(p->predicted_cycles, 1234);
	CU_ASSERT_EQUAL(image->data[39], 39);
	CU_ASSERT_PTR_NULL(g_array_index(p->images, asc_image, 1).data);
	CU_ASSERT_EQUAL(x->rank, 2);
	CU_ASSERT_EQUAL(x->stride[0], -10);
	CU_ASSERT_EQUAL(x->type, ASC_BF16);
	CU_ASSERT_EQUAL(mmad->start, 12);
	CU_ASSERT_EQUAL(mmad->end, 30);
	CU_ASSERT_EQUAL(mmad->node, 1);
	CU_ASSERT_EQUAL(mmad->regs, 1u << asc_field_by_name(ASC_OP_MMAD, "k"));
	CU_ASSERT_EQUAL(value(mmad, "n"), 16); /* standard */
	CU_ASSERT_EQUAL(value(insn(p, 0, 2), "id"), 7);
	CU_ASSERT_EQUAL(insn(p, 0, 2)->start, ASC_NO_TIME);
	CU_ASSERT_EQUAL(value(insn(p, 0, 3), "pipe"), ASC_PIPE_ALL);
	CU_ASSERT_EQUAL(value(insn(p, 0, 4), "label"), 0);
	CU_ASSERT_EQUAL(vector->kind, ASC_VECTOR);
	CU_ASSERT_EQUAL(vector->sub, ASC_ALL_BLOCKS);
	CU_ASSERT_EQUAL(vector->block, 3);
	CU_ASSERT_EQUAL(insn(p, 1, 0)->start, -5);
	asc_program_free(p);
	asc_machine_free(m);
}

static void numbers_of_a_type_become_its_bits(void)
{
	asc_machine *m = machine("ascend-910b");
	asc_program *p = assemble(".stream vector\n"
	                          "vadds type=fp16 scalar=-1.5\n" /* sign, exponent 15, 0.5: 0xBE00 */
	                          "vadds scalar=0.1 type=fp32\n"  /* 0x3DCCCCCD */
	                          "vadds type=bf16 scalar=0.1\n"  /* 0x3DCCCCCD rounded: 0x3DCD */
	                          "vadds type=int16 scalar=-2\n"
	                          "vadds type=fp16 scalar=0x3c00\n"
	                          "vadds type=fp16 scalar=inf\n"
	                          "set_mask lo=0xffffffffffffffff\n",
	                          m);
	static const int64_t expected[] = {0xBE00, 0x3DCCCCCD, 0x3DCD, -2, 0x3C00, 0x7C00};

	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
		CU_ASSERT_EQUAL(value(insn(p, 0, i), "scalar"), expected[i]);
	CU_ASSERT_EQUAL(value(insn(p, 0, 6), "lo"), -1);
	asc_program_free(p);
	asc_machine_free(m);
}

static void mistakes_are_named_where_they_stand(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"end\n", "test:1:1: an instruction without .stream above it"},
		{".stream vectr\n", "test:1:9: unknown kind of sub-core 'vectr', expected coupled, cube or vector; did "
	                            "you mean 'vector'?"},
		{".stream coupled\n", "test:1:9: ascend-910b has no coupled cores (rule stream-kind; Ascend C)"},
		{".stream vector sub=2\n", "test:1:9: sub-core 2, expected less than 2 (rule stream-block; design)"},
		{".stream vector block=1\n", "test:1:9: block 1, expected less than 1 (rule stream-block; design)"},
		{".stream cube\n vad type=fp16\n", "test:2:2: unknown instruction 'vad'; did you mean 'vadd'?"},
		{".stream cube\n vadd type=fp16\n",
	         "test:2:2: vadd: cube cores do not have it (rule core-kind; Ascend C)"},
		{".stream vector\nvadd typ=fp16\n", "test:2:6: vadd has no field 'typ'; did you mean 'type'?"},
		{".stream vector\nvadd type=fp1\n", "test:2:6: type: unknown type 'fp1'; did you mean 'fp16'?"},
		{".stream vector\nvadd dst=0x0 dst=0x20\n", "test:2:14: dst is given twice"},
		{".stream vector\nvadd src0=0x21\n",
	         "test:2:6: vadd: src0: 0x21, expected a multiple of 32 in ub (rule alignment; Ascend C)"},
		{".stream vector\nvadd src0=0x2ff00\n", "test:2:6: vadd: src0: 0x2ff00 lies behind ub, whose programs "
	                                                "have 0x2ff00 bytes (rule buffer; Ascend C)"},
		{".stream vector\nvadd dst=0x0 repeat=256\n",
	         "test:2:14: vadd: repeat: 256, expected 0 to 255 (rule range; Ascend C)"},
		{".stream vector\nmovi rd=5\n", "test:2:6: rd: expected a register, r0 to r31, found '5'"},
		{".stream vector\nvadd dst=r32\n", "test:2:6: dst: expected a number, found 'r32'"},
		{".stream vector\njump label=x\nend\n", "test:2:6: this stream has no label 'x'"},
		{".stream vector\njump\nend\n", "test:2:1: jump needs label=NAME"},
		{".stream vector\nx:\n", "test:2:1: label 'x' has no instruction"},
		{".stream vector\nx: x: end\n", "test:2:4: label 'x' stands twice in this stream"},
		{".stream vector\nset_flag from=MTE1 to=V\n",
	         "test:2:20: set_flag: vector cores have no flags from MTE1 to V (rule flag-pair; Ascend C)"},
		{".stream vector\nset_flag from=V to=MTE4\n",
	         "test:2:17: to: unknown pipe 'MTE4'; did you mean 'MTE1'?"},
		{".stream vector\n@x end\n", "test:2:1: start: expected a number, found 'x'"},
		{".image 0x0 4\n.hex 0011\n.blocks 1\n", "test:3:1: the image above has 4 bytes, 2 are given"},
		{".image 0x0 1\n.hex 0011\n", "test:2:6: expected two digits a byte and no more than 1 bytes here"},
		{".hex 00\n", "test:1:1: .hex: no .image stands above"},
		{".machine ascend-910a\n", "test:1:10: this program is for ascend-910a, not for ascend-910b"},
		{".tensor \"x\" shape=4\n", "test:1:9: shape and stride have 1 and 0 dimensions"},
		{".strem\n", "test:1:1: unknown directive '.strem'; did you mean '.stream'?"},
		{".stream vector\nvadds scalar=1.5x\n",
	         "test:2:7: scalar: expected a number of fp16 or hexadecimal bits, found '1.5x'"},
		{".workload \"x\n", "test:1:11: the text is not closed by '\"'"},
	};
	asc_machine *m = machine("ascend-910b");

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		GError *error = NULL;
		asc_program *p = asc_assemble(cases[i].text, "test", m, &error);

		CU_ASSERT_PTR_NULL(p);
		asc_program_free(p);
		if (g_strcmp0(error ? error->message : NULL, cases[i].message) != 0)
			tap_note("%zu: %s", i, error ? error->message : "(accepted)");
		CU_ASSERT_STRING_EQUAL(error ? error->message : "", cases[i].message);
		g_clear_error(&error);
	}
	asc_machine_free(m);
}

/* Every instruction with every field off its standard survives text and file. */
static asc_program *everything(const asc_machine *m)
{
	asc_program *p = asc_program_new();

	p->machine_name = g_strdup(m->name);
	p->machine_text = asc_machine_dump(m);
	for (int kind = 0; kind < ASC_KINDS; kind++) {
		asc_stream *stream;

		if (!asc_machine_has_kind(m, (enum asc_kind)kind))
			continue;
		stream = asc_program_stream(p, (enum asc_kind)kind, 0, 0);
		for (int op = 0; op < ASC_OP_COUNT; op++) {
			const asc_op_info *info = asc_op((enum asc_op)op);
			asc_insn i = asc_insn_make((enum asc_op)op);

			if (!(info->cores >> kind & 1))
				continue;
			for (unsigned f = 0; f < info->fields; f++)
				if (info->field[f].value == ASC_VALUE_NUMBER && info->field[f].max > 31 && f % 2)
					i.f[f] = info->field[f].max - info->field[f].max % info->field[f].align_bytes;
				else if (info->field[f].value == ASC_VALUE_ADDRESS && f % 3 == 0) {
					i.regs |= (uint16_t)(1u << f);
					i.f[f] = 31;
				}
			if (op == ASC_OP_SETFLAG || op == ASC_OP_WAITFLAG) {
				i.f[0] = ASC_PIPE_MTE2;
				i.f[1] = ASC_PIPE_MTE3;
			}
			if (op == ASC_OP_FIX_GM || op == ASC_OP_FIX_L1 || op == ASC_OP_L0C_TO_UB)
				i.f[asc_field_by_name((enum asc_op)op, "m")] = 8192;
			i.node = (uint32_t)op;
			i.start = op % 2 ? op : ASC_NO_TIME;
			g_array_append_val(stream->insns, i);
		}
	}
	return p;
}

static bool same(const asc_program *a, const asc_program *b)
{
	if (a->streams->len != b->streams->len || g_strcmp0(a->machine_text, b->machine_text) != 0)
		return false;
	for (guint s = 0; s < a->streams->len; s++) {
		const asc_stream *x = a->streams->pdata[s], *y = b->streams->pdata[s];

		if (x->kind != y->kind || x->sub != y->sub || x->block != y->block || x->insns->len != y->insns->len ||
		    memcmp(x->insns->data, y->insns->data, x->insns->len * sizeof(asc_insn)) != 0)
			return false;
	}
	return true;
}

static void every_instruction_survives_text_and_file(void)
{
	static const char *const names[] = {"ascend-910a", "ascend-910b"};
	g_autofree char *dir = g_dir_make_tmp("ascXXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "p.asco", NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		asc_machine *m = machine(names[i]);
		asc_program *p = everything(m);
		g_autofree char *text = asc_disassemble(p, m);
		asc_program *again = assemble(text, m);
		GError *error = NULL;

		CU_ASSERT_TRUE(same(p, again));
		asc_program_free(again);
		CU_ASSERT_TRUE_FATAL(asc_program_write(p, path, &error));
		again = asc_program_read(path, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(again);
		CU_ASSERT_TRUE(same(p, again));
		asc_program_free(again);
		asc_program_free(p);
		asc_machine_free(m);
	}
	g_unlink(path);
	g_rmdir(dir);
}

static void file_of_the_sample_gives_its_text(void)
{
	asc_machine *m = machine("ascend-910b");
	asc_program *p = assemble(sample, m);
	g_autofree char *dir = g_dir_make_tmp("ascXXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "p.asco", NULL);
	g_autofree char *data = NULL;
	g_autofree char *text = NULL;
	asc_program *again;
	GError *error = NULL;
	gsize length;
	unsigned accepted = 0;

	CU_ASSERT_TRUE_FATAL(asc_program_write(p, path, &error));
	again = asc_program_read(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	text = asc_disassemble(again, m);
	CU_ASSERT_STRING_EQUAL(text, sample);
	asc_program_free(again);
	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &data, &length, NULL));
	/* Cut anywhere, or with any byte changed, it is refused. */
	for (gsize i = 0; i < length; i += 7) {
		again = asc_program_parse("x", (guint8 *)data, i, true, NULL);
		accepted += again != NULL;
		asc_program_free(again);
		data[i] ^= 1;
		again = asc_program_parse("x", (guint8 *)data, length, true, NULL);
		accepted += again != NULL;
		asc_program_free(again);
		data[i] ^= 1;
	}
	CU_ASSERT_EQUAL(accepted, 0);
	g_unlink(path);
	g_rmdir(dir);
	asc_program_free(p);
	asc_machine_free(m);
}

/* The code blocks of docs/ascend-assembly.md, each with its .machine. */
static void examples_of_the_manual_assemble(void)
{
	g_autofree char *page = NULL;
	g_auto(GStrv) blocks = NULL;
	unsigned count = 0;

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(TSPSIM_SRCDIR "/docs/ascend-assembly.md", &page, NULL, NULL));
	blocks = g_strsplit(page, "```", -1);
	for (unsigned i = 1; blocks[i] && blocks[i + 1]; i += 2) {
		asc_machine *m;
		asc_program *p, *again;
		g_autofree char *text = NULL;

		CU_ASSERT_TRUE_FATAL(g_str_has_prefix(blocks[i], "asm\n"));
		m = machine(strstr(blocks[i], "910a") ? "ascend-910a" : "ascend-910b");
		p = assemble(blocks[i] + 4, m);
		text = asc_disassemble(p, m);
		again = assemble(text, m);
		CU_ASSERT_TRUE(same(p, again));
		asc_program_free(again);
		asc_program_free(p);
		asc_machine_free(m);
		count++;
	}
	CU_ASSERT_EQUAL(count, 3);
}

int main(void)
{
	static const tap_case cases[] = {
		{"text_comes_back_letter_by_letter", text_comes_back_letter_by_letter},
		{"text_means_what_it_says", text_means_what_it_says},
		{"numbers_of_a_type_become_its_bits", numbers_of_a_type_become_its_bits},
		{"mistakes_are_named_where_they_stand", mistakes_are_named_where_they_stand},
		{"every_instruction_survives_text_and_file", every_instruction_survives_text_and_file},
		{"file_of_the_sample_gives_its_text", file_of_the_sample_gives_its_text},
		{"examples_of_the_manual_assemble", examples_of_the_manual_assemble},
	};

	return tap_run("asc_asm", cases, G_N_ELEMENTS(cases));
}
