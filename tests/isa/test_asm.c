/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembly: what is written is read back bit for bit, the manual's examples assemble, mistakes are named where they
 * stand.
 */
#include "isa/asm_int.h"
#include "tests/isa/sample.h"
#include "tests/isa/support.h"

static isa_program *assemble(const char *text, const isa_machine *m)
{
	GError *error = NULL;
	isa_program *p = isa_assemble(text, "test", m, &error);

	if (!p)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

/* The sample is written as the disassembler prints, so it must come back letter by letter. */
static void sample_comes_back_letter_by_letter(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = assemble(sample_text, m);
	g_autofree char *text = isa_disassemble(p, m);

	if (strcmp(text, sample_text) != 0)
		tap_note("%s", text);
	CU_ASSERT_STRING_EQUAL(text, sample_text);
	isa_program_free(p);
	isa_machine_free(m);
}

static void sample_means_what_it_says(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = assemble(sample_text, m);
	const isa_insn *load = isa_program_insn(p, 0);
	const isa_source *s;
	const isa_lane_map *map;
	const isa_tensor *t;
	const isa_epoch *e;

	CU_ASSERT_EQUAL(p->insns->len, 5);
	CU_ASSERT_STRING_EQUAL(p->workload, "sample \"quoted\" \n");
	CU_ASSERT_EQUAL(p->predicted_cycles, 123456789012);
	CU_ASSERT_EQUAL(load->cycle, 5);
	CU_ASSERT_EQUAL(load->dst, 12);
	CU_ASSERT_EQUAL(load->addr, 0x1000);
	CU_ASSERT_EQUAL(load->loop[0].count, 4);
	CU_ASSERT_EQUAL(load->loop[0].interval, 2);
	CU_ASSERT_EQUAL(load->loop[0].step, 640);
	CU_ASSERT_EQUAL(load->loop[1].count, 3);
	CU_ASSERT_EQUAL(load->loop[1].step, -2560);
	CU_ASSERT_EQUAL(load->rot[ISA_ROT_DST].step, -1);
	CU_ASSERT_EQUAL(load->rot[ISA_ROT_DST].wrap, 8);
	CU_ASSERT_EQUAL(isa_program_insn(p, 1)->imm, 0xbeaaaaab); /* -1/3 in fp32 */
	/* operand 0 of the add: two pieces; the load has instances 1..12, i0 + 3 is 4 */
	CU_ASSERT_EQUAL(g_array_index(p->source_count, uint8_t, 1 * ISA_OPERANDS + 0), 2);
	s = &g_array_index(p->sources, isa_source, g_array_index(p->first_source, uint32_t, 1 * ISA_OPERANDS));
	CU_ASSERT_EQUAL(s[0].base, 4);
	CU_ASSERT_EQUAL(s[0].step0, 1);
	CU_ASSERT_EQUAL(s[0].step1, -4);
	CU_ASSERT_EQUAL(s[0].seg_step, 2);
	CU_ASSERT_EQUAL(s[0].seg_div, 40);
	CU_ASSERT_EQUAL(s[0].segments, 40);
	CU_ASSERT_EQUAL(s[1].base, 99);
	/* operand 1 names i3, which stands below: 12 loads, 1 add, 1 permute, so 15 */
	s = &g_array_index(p->sources, isa_source, g_array_index(p->first_source, uint32_t, 1 * ISA_OPERANDS + 1));
	CU_ASSERT_EQUAL(s->base, 15);
	map = &g_array_index(p->maps, isa_lane_map, 1);
	CU_ASSERT_EQUAL(map->lane[0], 319);
	CU_ASSERT_EQUAL(map->lane[19], 300);
	CU_ASSERT_EQUAL(map->lane[20], 0xffff);
	CU_ASSERT_EQUAL(map->lane[22], 0xffff);
	CU_ASSERT_EQUAL(map->lane[24], 7);
	CU_ASSERT_EQUAL(map->lane[25], 0);
	CU_ASSERT_EQUAL(map->lane[319], 294);
	t = &g_array_index(p->tensors, isa_tensor, 0);
	/* row 3, column 5, byte 1: 0x1000 + 1*1280 + 1*640 + 10 + 1 */
	CU_ASSERT_EQUAL(isa_tensor_location(t, (const uint64_t[]){3, 5}, 1), 0x1000 + 1280 + 640 + 11);
	CU_ASSERT_TRUE(t->output);
	e = &g_array_index(p->epochs, isa_epoch, 0);
	CU_ASSERT_EQUAL(e->images->len, 2);
	CU_ASSERT_EQUAL(g_array_index(e->images, isa_image, 0).data[34], 0xff);
	CU_ASSERT_PTR_NULL(g_array_index(e->images, isa_image, 1).data);
	CU_ASSERT_EQUAL(e->mxm_ceiling, 0.64);
	CU_ASSERT_EQUAL(g_array_index(p->node_of, uint32_t, 0), 1);
	CU_ASSERT_EQUAL(g_array_index(p->node_of, uint32_t, 1), 0);
	CU_ASSERT_EQUAL(g_array_index(p->predictions, isa_prediction, 1).arrival[0], -12);
	CU_ASSERT_EQUAL(g_array_index(p->predictions, isa_prediction, 1).arrival[2], ISA_NO_TIME);
	isa_program_free(p);
	isa_machine_free(m);
}

/* Both directions of the round trip for whatever the tables allow. */
static void random_programs_survive_the_round_trip(void)
{
	static const char *const presets[] = {"tsp", "tsp-isca20"};
	GRand *rand = g_rand_new_with_seed(5);

	for (size_t k = 0; k < G_N_ELEMENTS(presets); k++) {
		isa_machine *m = machine(presets[k]);
		isa_program *p = isa_program_new(m);
		isa_program *back;
		g_autofree char *text = NULL;
		g_autofree char *again = NULL;
		uint16_t lanes[320];

		for (int i = 0; i < 70; i++) {
			for (int lane = 0; lane < 320; lane++)
				lanes[lane] =
					(uint16_t)(g_rand_boolean(rand) ? g_rand_int_range(rand, 0, 320) : 0xffff);
			isa_program_add_map(p, lanes);
		}
		for (uint64_t i = 0; i < ISA_BUFFERS_MAX; i++) {
			isa_buffer buffer = {g_strdup_printf("b\"%u", (unsigned)i), i << 20, 4096,
			                     g_strdup("expr:bank=(b+7*(b/144))%144;row=b/144"), 0};

			g_array_append_val(p->buffers, buffer);
		}
		for (int i = 0; i < 3000; i++) {
			unsigned q = (unsigned)g_rand_int_range(rand, 0, (gint32)isa_machine_queue_count(m));
			unsigned op = (unsigned)g_rand_int_range(rand, ISA_OP_SYNC, ISA_OP_COUNT);
			isa_insn insn;
			isa_source source = {.seg_div = 1};

			if (isa_ops[op].unit != ISA_UNIT_ICU && isa_ops[op].unit != isa_machine_queue(m, q)->unit)
				continue;
			insn = random_insn(rand, op, q, g_rand_int_range(rand, 0, 1 << 30));
			if (insn.map)
				insn.map %= 70;
			for (int level = 0; level < ISA_LOOPS; level++)
				if (g_rand_boolean(rand))
					insn.loop[level] = (isa_loop){(uint32_t)g_rand_int_range(rand, 1, 65),
					                              (uint32_t)g_rand_int_range(rand, 0, 1 << 20),
					                              (int32_t)g_rand_int(rand)};
			for (int j = 0; j < ISA_ROT_COUNT; j++)
				insn.rot[j] = (isa_rotation){(int8_t)g_rand_int_range(rand, -16, 16),
				                             (uint16_t)g_rand_int_range(rand, 0, 1024)};
			isa_program_add(p, &insn, 0);
			source.base = (uint32_t)g_rand_int_range(rand, 0, 300000);
			source.step0 = (int32_t)g_rand_int(rand);
			source.resident = g_rand_boolean(rand);
			isa_program_add_source(p, p->insns->len - 1, (unsigned)g_rand_int_range(rand, 0, ISA_OPERANDS),
			                       &source);
		}
		text = isa_disassemble(p, m);
		back = assemble(text, m);
		again = isa_disassemble(back, m);
		CU_ASSERT_STRING_EQUAL(text, again);
		CU_ASSERT_EQUAL_FATAL(back->insns->len, p->insns->len);
		for (uint32_t id = 0; id < p->insns->len; id++)
			CU_ASSERT_TRUE_FATAL(same_insn(isa_program_insn(p, id), isa_program_insn(back, id)));
		{
			g_autofree char *hash = isa_program_hash(p);
			g_autofree char *hash_back = isa_program_hash(back);

			CU_ASSERT_STRING_EQUAL(hash, hash_back);
		}
		isa_program_free(back);
		isa_program_free(p);
		isa_machine_free(m);
	}
	g_rand_free(rand);
}

/* What lowering inserts is part of the container: its text lowers to the same queues. */
static void a_lowered_program_lowers_to_the_same_queues_from_its_text(void)
{
	isa_machine *m = machine("tsp-isca20");
	isa_program *p = isa_program_new(m);
	isa_program *back;
	g_autofree char *text = NULL;
	g_autofree char *hash = NULL;
	g_autofree char *hash_back = NULL;

	for (int64_t i = 0; i < 300; i++) {
		isa_insn insn = isa_insn_make(ISA_OP_SEND, queue(m, "c2c.e3"), 40 + 3 * i);

		insn.src0 = ISA_PLACE_STREAM(1, 7);
		isa_program_add(p, &insn, 0);
	}
	CU_ASSERT_TRUE_FATAL(isa_lower(p, m, NULL));
	CU_ASSERT_TRUE(p->insns->len > 301); /* NOTIFY and some IFETCH */
	text = isa_disassemble(p, m);
	back = assemble(text, m);
	CU_ASSERT_TRUE_FATAL(isa_lower(back, m, NULL));
	hash = isa_program_hash(p);
	hash_back = isa_program_hash(back);
	CU_ASSERT_STRING_EQUAL(hash, hash_back);
	isa_program_free(back);
	isa_program_free(p);
	isa_machine_free(m);
}

static void every_place_has_a_text_that_leads_back(void)
{
	char buffer[ISA_PLACE_TEXT];

	for (unsigned place = 0; place < 4096; place++) {
		const char *text = isa_place_text(place, buffer);
		bool exists = isa_place_kind(place) != ISA_PLACE_KIND_BAD;

		CU_ASSERT_EQUAL(isa_place_from_text(text), exists ? (int)place : -1);
	}
	CU_ASSERT_STRING_EQUAL(isa_place_text(ISA_PLACE_STREAM(1, 5), buffer), "w5");
	CU_ASSERT_STRING_EQUAL(isa_place_text(ISA_PLACE_STREAM(0, 31), buffer), "e31");
	CU_ASSERT_STRING_EQUAL(isa_place_text(ISA_PLACE_ACT(3), buffer), "act.3");
	CU_ASSERT_EQUAL(isa_place_from_text("r1024"), -1);
	CU_ASSERT_EQUAL(isa_place_from_text("e32"), -1);
	CU_ASSERT_EQUAL(isa_place_from_text("r"), -1);
	CU_ASSERT_EQUAL(isa_place_from_text("r1x"), -1);
}

static void immediates_keep_their_bits(void)
{
	static const uint32_t bits[] = {0,          1,          0x80000000, 0x3f800000, 0x7f800000,
	                                0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001, 0x3eaaaaab,
	                                0xffffffff, 0x7fffffff, 0x33800000};

	for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
		for (size_t i = 0; i < G_N_ELEMENTS(bits); i++) {
			g_autofree char *text = isa_imm_text(type, bits[i]);
			uint32_t back = 77;

			CU_ASSERT_TRUE(isa_imm_from_text(type, text, &back));
			CU_ASSERT_EQUAL(back, bits[i]);
		}
	{
		g_autofree char *one = isa_imm_text(ISA_TYPE_F16, 0x3f800000);
		g_autofree char *minus = isa_imm_text(ISA_TYPE_I8, 0xffffffff);

		CU_ASSERT_STRING_EQUAL(one, "1");
		CU_ASSERT_STRING_EQUAL(minus, "-1");
	}
}

/* Each ```asm block of docs/assembly.md assembles for the machine its first line names, and lowers. */
static void examples_of_the_manual_assemble_and_lower(void)
{
	const char *root = g_getenv("TSPSIM_SRCDIR");
	g_autofree char *path = g_build_filename(root ? root : TSPSIM_SRCDIR, "docs/assembly.md", NULL);
	g_autofree char *manual = NULL;
	g_auto(GStrv) parts = NULL;
	unsigned count = 0;

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &manual, NULL, NULL));
	parts = g_strsplit(manual, "```asm\n", -1);
	for (char **part = parts + 1; *part; part++, count++) {
		g_auto(GStrv) block = g_strsplit(*part, "```", 2);
		g_auto(GStrv) words = g_strsplit_set(*part, " \n", 3);
		isa_machine *m = machine(words[1]);
		isa_program *p = assemble(block[0], m);
		isa_program *back;
		GError *error = NULL;
		g_autofree char *text = NULL;

		if (!isa_lower(p, m, &error))
			tap_note("%s", error->message);
		CU_ASSERT_PTR_NULL_FATAL(error);
		text = isa_disassemble(p, m);
		back = assemble(text, m);
		CU_ASSERT_EQUAL(back->insns->len, p->insns->len);
		isa_program_free(back);
		isa_program_free(p);
		isa_machine_free(m);
	}
	CU_ASSERT_EQUAL(count, 2);
}

static void mistakes_are_named_where_they_stand(void)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"@0 mem0: lode r1 addr=0 len=16", "test:1:10: unknown instruction 'lode'; did you mean 'load'?"},
		{"\n@0 mem9: load r1 addr=0 len=16", "test:2:4: machine tsp has no queue 'mem9'; did you mean 'mem"},
		{"@0 mem0 load r1", "test:1:4: expected 'queue:' after the cycle"},
		{"@0", "test:1:1: expected 'queue:' after the cycle"},
		{"@0 mem0:", "test:1:4: expected a mnemonic after the queue"},
		{"@x mem0: load r1 addr=0 len=16", "test:1:2: cycle: expected a number, found 'x'"},
		{"@-1 mem0: load r1 addr=0 len=16", "test:1:2: cycle: -1 is out of range"},
		{"@0 vxm0: load r1 addr=0 len=16",
	         "test:1:10: load is an instruction of the mem, queue vxm0 belongs to the vxm"},
		{"@0 mem0: nop", "test:1:10: nop is not written"},
		{"@0 mem0: load r1 addr=0", "test:1:10: load needs len="},
		{"@0 mem0: load addr=0 len=16", "test:1:10: load needs a place for dst"},
		{"@0 mem0: load r1, r2 addr=0 len=16", "test:1:19: load takes no further place"},
		{"@0 mem0: load r1 addr=0 len=16 len=16", "test:1:32: len is given twice"},
		{"@0 mem0: load r1 addr=0 lanes=16", "test:1:25: load has no field 'lanes'"},
		{"@0 mem0: load r1 adr=0 len=16", "test:1:18: load has no field 'adr'; did you mean 'addr'?"},
		{"@0 mem0: load r1 addr=0 len=4096", "test:1:25: len: 4096 is out of range, expected 0 to 4095"},
		{"@0 mem0: load r1 addr=0 len=1k", "test:1:25: len: expected a number, found '1k'"},
		{"@0 mem0: load q1 addr=0 len=16", "test:1:15: expected a place"},
		{"@0 mem0: load r1 addr=0 len=16 x4", "test:1:32: expected 'every CYCLES' after 'x4'"},
		{"@0 mem0: load r1 addr=0 len=16 x4 each 2", "test:1:35: expected 'every CYCLES' after 'x4'"},
		{"@0 mem0: load r1 addr=0 len=16 x65537 every 1",
	         "test:1:32: loop count: 65537 is out of range, expected 1 to 65536"},
		{"@0 mem0: load r1 addr=0 len=16 x2 every 1 x2 every 2 x2 every 4",
	         "test:1:54: an instruction has two loops at most"},
		{"@0 mem0: load r1 addr=0 len=16 rot.dts=1", "test:1:32: unknown rotation 'rot.dts', expected rot.dst"},
		{"@0 mem0: load r1 addr=0 len=16 rot.dst=16",
	         "test:1:32: rot.dst: 16 is out of range, expected -16 to 15"},
		{"@0 vxm0: add r1, r2, r3 type=fp61 lanes=1",
	         "test:1:25: type: unknown 'fp61', expected one of int8, int16, int32, fp16, fp32; did you mean"},
		{"@0 vxm0: add r1, r2, imm type=int8 lanes=1 imm=x", "test:1:44: imm: expected a number of type int8"},
		{"@0 vxm0: add r1, r2 type=int8 lanes=1", "test:1:10: add needs a place for src1"},
		{"@0 mxm0.a: abc act.1 addr=0 mode=sum type=int8 lanes=1",
	         "test:1:29: mode: unknown 'sum', expected one of overwrite, add"},
		{"@0 sxm.permute0: permute r1, r2 map=3 type=int8", "test:1:18: map 3 is not defined above (.map)"},
		{"foo bar", "test:1:1: expected @CYCLE, a label or a directive, found 'foo'"},
		{"a-b: @0 c2c.0: send r1", "test:1:1: 'a-b' is no label"},
		{"a: @0 c2c.0: send r1\na: @1 c2c.0: send r1", "test:2:1: label 'a' stands here twice"},
		{"a:", "test:1:1: label 'a' has no instruction"},
		{".nodes \"x\"", "test:1:1: unknown directive '.nodes'; did you mean '.node'?"},
		{".node x", "test:1:7: node: expected a number, found 'x'"},
		{".node 0", "test:1:7: node: 0 is out of range"},
		{".node \"x\" epoch=1", "test:1:11: epoch: 1 is out of range, expected 0 to 0"},
		{".node \"x", "test:1:7: the text is not closed"},
		{".machine tsp-isca20", "test:1:10: the text is for machine 'tsp-isca20', it is assembled for 'tsp'"},
		{".source 0 resident", "test:1:1: .source must stand below its instruction"},
		{"@0 c2c.0: send r1\n.source 3 resident", "test:2:9: operand: 3 is out of range, expected 0 to 2"},
		{"@0 c2c.0: send r1\n.source 0", "test:2:9: expected from=LABEL, instance=NUMBER or resident"},
		{"@0 c2c.0: send r1\n.source 0 from=nope", "test:2:11: unknown label 'nope'"},
		{"here: @0 c2c.0: send r1\n.source 0 from=her", "test:2:11: unknown label 'her'; did you mean 'here'?"},
		{"@0 c2c.0: send r1\n.source 0 resident seg=1/0", "test:2:20: seg: the divisor must be 1 to 65535"},
		{"@0 c2c.0: send r1\n.source 0 residents",
	         "test:2:11: 'residents' does not belong to .source; did you mean 'resident'?"},
		{".predict result=3", "test:1:1: .predict must stand below its instruction"},
		{".image 0 4", "test:1:1: .image must stand below its .epoch"},
		{".hex 00", "test:1:1: .hex must stand below an .image"},
		{".epoch \"e\"\n.image 0 2\n.hex 0g", "test:3:6: expected two hexadecimal digits"},
		{".epoch \"e\"\n.image 0 2\n.hex 001122", "test:3:10: the image has only 2 bytes"},
		{".epoch \"e\"\n.image 0 2\n.hex 00\n.node \"x\"",
	         "test:4:1: the image above has 2 bytes, .hex gives 1"},
		{".epoch \"e\"\n.image 0 2\n.hex 00\n", "the image above has 2 bytes, .hex gives 1"},
		{".epoch", "test:1:1: .epoch: expected a name in quotes"},
		{".epoch \"e\" start=-1", "test:1:12: start: -1 is out of range"},
		{".map 1: 0-319", "test:1:6: maps are numbered in order, expected '0:'"},
		{".map 0: 0-318", "test:1:6: a map has 320 lanes, found 319"},
		{".map 0: 0-319 0", "test:1:15: a map has 320 lanes"},
		{".map 0: 0-320", "test:1:9: lane: 320 is out of range"},
		{".tensor \"t\"", "expected type=int8, int16, int32, fp16 or fp32"},
		{".tensor \"t\" type=fp16 shape=4 layout=1*2", "test:1:31: layout: 1 is out of range, expected 0 to 0"},
		{".tensor \"t\" type=fp16 shape=4 layout=0*2+", "test:1:31: layout: expected a number"},
		{".tensor \"t\" type=fp16 shape=1x1x1x1x1x1x1", "test:1:23: shape: a tensor has at most 6 dimensions"},
	};
	isa_machine *m = machine("tsp");

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		GError *error = NULL;
		isa_program *p = isa_assemble(bad[i].text, "test", m, &error);

		CU_ASSERT_PTR_NULL(p);
		if (p)
			tap_note("accepted: %s", bad[i].text);
		else
			expect_error(&error, bad[i].error);
		isa_program_free(p);
	}
	isa_machine_free(m);
}

static void white_space_commas_and_comments_separate_words(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = assemble(
		"; a comment\r\n\n  a:\t; alone\n@1\tvxm0:  add r1,r2 ,r3 lanes=320,type=fp16;end\r\n.source 0 from=a",
		m);

	CU_ASSERT_EQUAL(p->insns->len, 1);
	CU_ASSERT_EQUAL(isa_program_insn(p, 0)->src1, 3);
	CU_ASSERT_EQUAL(isa_program_insn(p, 0)->dtype, ISA_TYPE_F16); /* as type, when not given */
	CU_ASSERT_FALSE(p->has_predictions);
	isa_program_free(p);
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"sample_comes_back_letter_by_letter", sample_comes_back_letter_by_letter},
		{"sample_means_what_it_says", sample_means_what_it_says},
		{"random_programs_survive_the_round_trip", random_programs_survive_the_round_trip},
		{"a_lowered_program_lowers_to_the_same_queues_from_its_text",
	         a_lowered_program_lowers_to_the_same_queues_from_its_text},
		{"every_place_has_a_text_that_leads_back", every_place_has_a_text_that_leads_back},
		{"immediates_keep_their_bits", immediates_keep_their_bits},
		{"examples_of_the_manual_assemble_and_lower", examples_of_the_manual_assemble_and_lower},
		{"mistakes_are_named_where_they_stand", mistakes_are_named_where_they_stand},
		{"white_space_commas_and_comments_separate_words", white_space_commas_and_comments_separate_words},
	};

	return tap_run("asm", cases, G_N_ELEMENTS(cases));
}
