/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector kernels of Ascend-style cores: their instructions, worked out by hand for small ones; times against
 * predictions and a published figure; what odd distances save in a transpose; how far an expanded tanh is off.
 */
#include "tests/sched/asc_sched.h"

#include "isa/num.h"
#include "sched/emit/ascend/vector_int.h"

#include <string.h>

static void must(bool good, const GError *error)
{
	if (!good)
		tap_note("%s", error ? error->message : "failed");
	CU_ASSERT_TRUE_FATAL(good);
}

static GPtrArray *read_graphs(const char *workload)
{
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, &error);

	must(graphs != NULL, error);
	return graphs;
}

/* How many instructions of OP has PROGRAM, and what repeats do they add up to? */
static unsigned count(const asc_program *program, enum asc_op op, int64_t *repeats)
{
	int field = asc_field_by_name(op, "repeat");
	unsigned n = 0;

	*repeats = 0;
	for (guint s = 0; s < program->streams->len; s++) {
		const asc_stream *stream = g_ptr_array_index(program->streams, s);

		for (guint i = 0; i < stream->insns->len; i++) {
			const asc_insn *insn = &g_array_index(stream->insns, asc_insn, i);

			if (insn->op != op)
				continue;
			n++;
			*repeats += field < 0 ? 0 : insn->f[field];
		}
	}
	return n;
}

static void expect(const asc_program *program, enum asc_op op, unsigned number, int64_t repeats)
{
	int64_t found;
	unsigned n = count(program, op, &found);

	if (n != number || found != repeats)
		tap_note("%s: %u with %" G_GINT64_FORMAT " repeats", asc_op(op)->mnemonic, n, found);
	CU_ASSERT_EQUAL(n, number);
	CU_ASSERT_EQUAL(found, repeats);
}

static asc_program *compiled(const char *workload, const char *const *sets)
{
	asc_machine *machine = asc_sched_machine("ascend-910b", sets);
	GPtrArray *graphs = read_graphs(workload);
	sched_report report;
	asc_program *program = asc_sched_compile(graphs, machine, false, &report);

	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
	return program;
}

/* 19,176 fp16 elements are 75 lines of 256, two a sub-core: 37 sub-cores have 512 and four repeats each, the last one
 * has 232, padded to 240, in two repeats: in counter mode, 240 not being a multiple of 128, which it has to turn on. */
static void a_chain_of_one_operation(void)
{
	asc_program *p = compiled("vmap:add,19176", NULL);

	expect(p, ASC_OP_GM_TO_UB, 76, 0);
	expect(p, ASC_OP_VADD, 38, 37 * 4 + 2);
	expect(p, ASC_OP_UB_TO_GM, 38, 0);
	expect(p, ASC_OP_SETCTRL, 1, 0);
	asc_program_free(p);
}

/* 1000 elements in four lines would be two repeats on each of four sub-cores, one after the other.  Halved, seven
 * sub-cores have 128 and one has 104: a repeat each, and one of a mask needs no counter. */
static void little_work_is_spread_over_more_cores(void)
{
	asc_program *p = compiled("vmap:add,1000", NULL);

	expect(p, ASC_OP_GM_TO_UB, 16, 0);
	expect(p, ASC_OP_VADD, 8, 8);
	expect(p, ASC_OP_UB_TO_GM, 8, 0);
	expect(p, ASC_OP_SETCTRL, 0, 0);
	asc_program_free(p);
}

/* A row of 128 fp16 is a repeat: eight rows become four, two, one with one instruction each; 4 + 2 + 1 repeats. */
static void a_reduction_has_an_instruction_a_level(void)
{
	static const char *const text = "graph \"r\"\nx: fp16[8][128] = input\n"
					"m: fp16[1][128] = reduce max x, groups 1\noutput m\n";
	static const char *const one[] = {"cores=1", "core.vector_cores=1", NULL};
	g_autoptr(GError) error = NULL;
	GPtrArray *graphs = g_ptr_array_new_with_free_func((GDestroyNotify)graph_free);
	asc_machine *machine = asc_sched_machine("ascend-910b", one);
	sched_report report;
	asc_program *p;

	g_ptr_array_add(graphs, graph_parse(text, "text", &error));
	must(g_ptr_array_index(graphs, 0) != NULL, error);
	p = asc_sched_compile(graphs, machine, false, &report);
	expect(p, ASC_OP_GM_TO_UB, 1, 0);
	expect(p, ASC_OP_VMAX, 3, 7);
	expect(p, ASC_OP_UB_TO_GM, 1, 0);
	asc_program_free(p);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

/* 64 x 64 fp16 on one sub-core, in whole: the result's rows are 64 elements, 16 pieces of 16 x 16.  Two copies of eight
 * rows for each of four columns of pieces, four pieces each: 8 with 4 repeats, there and back. */
static void a_transpose_of_whole_pieces(void)
{
	static const char *const one[] = {"cores=1", "core.vector_cores=1", NULL};
	asc_program *p = compiled("transpose:64x64", one);

	expect(p, ASC_OP_VTRANS, 16, 0);
	expect(p, ASC_OP_VCOPY, 16, 64);
	expect(p, ASC_OP_GM_TO_UB, 1, 0);
	expect(p, ASC_OP_UB_TO_GM, 1, 0);
	asc_program_free(p);
}

static int64_t cycles_of(const char *workload, const char *machine_name, int64_t *predicted, double *us)
{
	asc_machine *machine = asc_sched_machine(machine_name, NULL);
	GPtrArray *graphs = read_graphs(workload);
	sched_report report;
	asc_program *program = asc_sched_compile(graphs, machine, false, &report);
	asc_run *r = asc_sched_run(program, machine, false, false);
	int64_t cycles = r->counters->cycles;

	asc_run_clean(r, workload);
	*predicted = program->predicted_cycles;
	*us = (double)cycles / (double)machine->clock_hz * 1e6;
	tap_note("%s: %" G_GINT64_FORMAT " cycles, %.1f us, predicted %" G_GINT64_FORMAT, workload, cycles, *us,
	         *predicted);
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
	return cycles;
}

/* 2 x 2^26 halves are 2^19 lines of 512 bytes, 2^14 a channel of 32.  At 1.85 GHz 1.8 TB/s are 973 bytes a cycle, 30.4
 * a channel: 16.84 cycles a line and 4 for opening it, 341,443 cycles or 184.6 us.  What is written stays in L2, so no
 * channel ever turns; that is left for the first copies to come and the last to leave.  The best published time of the
 * shape is 184.5 us: below what the memory of the model can do. */
static void adding_8192_by_8192_halves_takes_as_long_as_reading_them(void)
{
	int64_t predicted, cycles;
	double us;

	cycles = cycles_of("vmap:add,67108864", "ascend-910b", &predicted, &us);
	CU_ASSERT_TRUE(cycles >= 341443);
	CU_ASSERT_TRUE(us <= 184.6 * 1.01);
	CU_ASSERT_TRUE(1000 * ABS(predicted - cycles) <= cycles);
}

static void predictions_are_right_to_a_cycle_in_a_thousand(void)
{
	static const char *const workloads[] = {"vmap:tanh,2000000",        "vmap:shr,1048576:int32",
	                                        "softmax:1024x1024",        "layernorm:4096x1024",
	                                        "transpose:2048x2048:fp32", "kvcache:8192x8x128"};

	for (unsigned i = 0; i < G_N_ELEMENTS(workloads); i++) {
		int64_t predicted, cycles;
		double us;

		cycles = cycles_of(workloads[i], "ascend-910b", &predicted, &us);
		CU_ASSERT_TRUE(1000 * ABS(predicted - cycles) <= cycles);
	}
}

static int64_t transpose_cycles(unsigned pad)
{
	static const char *const one[] = {"cores=1", "core.vector_cores=1", NULL};
	g_autoptr(GError) error = NULL;
	asc_machine *machine = asc_sched_machine("ascend-910b", one);
	GPtrArray *graphs = read_graphs("transpose:1024x1024");
	const graph *g = g_ptr_array_index(graphs, 0);
	asc_program *program = asc_program_new();
	sched_options options;
	sched_report report = {.notes = g_string_new(NULL)};
	GArray *nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	ask_place place[2];
	ask_kernel k = {g, nodes, place};
	uint32_t node = 1;
	int64_t busy;
	asc_run *r;
	asb *b;

	sched_options_init(&options);
	b = asb_new(program, machine, &options);
	for (unsigned i = 0; i < 2; i++)
		place[i] =
			(ask_place){asb_tensor(b, graph_at(g, i)->name, ASC_F16, 1024, 1024, 2048, i == 1, NULL), 2048};
	g_array_append_val(nodes, node);
	must(avk_transpose(b, &k, pad, &error), error);
	must(asb_finish(b, &report, &error), error);
	asb_free(b);
	r = asc_sched_run(program, machine, false, false);
	asc_run_clean(r, "transpose");
	busy = r->counters->busy[ASC_PIPE_V];
	asc_run_free(r);
	asc_program_free(program);
	sched_report_fini(&report);
	g_array_unref(nodes);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
	return busy;
}

/* Rows of 64 elements are 4 blocks, of the result 16: eight blocks of a copy meet in 4 groups on the way in and in one
 * on the way out, 2 and 8 cycles a repeat; 5 and 17 blocks apart they meet in none. */
static void odd_distances_take_conflicts_out_of_a_transpose(void)
{
	int64_t even = transpose_cycles(0), odd = transpose_cycles(1);

	tap_note("vector pipe busy: %" G_GINT64_FORMAT " cycles with even, %" G_GINT64_FORMAT " with odd distances",
	         even, odd);
	/* 1024 x 1024 are 8192 repeats of 128: 1 more cycle each on the way in, 7 on the way out, and something where
	 * what is still to be written keeps what is read waiting. */
	CU_ASSERT_TRUE(even - odd >= 8192 * 8);
	CU_ASSERT_TRUE(even - odd < 8192 * 8 * 23 / 20);
}

/* Units of the last place between two numbers of BITS bits, through zero where their signs differ. */
static int64_t distance(uint32_t a, uint32_t b, unsigned bits)
{
	int64_t sign = (int64_t)1 << (bits - 1), x = a & (sign - 1), y = b & (sign - 1);

	x = a & sign ? -x : x;
	y = b & sign ? -y : y;
	return x > y ? x - y : y - x;
}

/* The rewritten tanh of so many operands, STEP apart in their bits, against tanh rounded correctly to fp32 and then to
 * TYPE: how many differ, by how many units at most. */
static unsigned tanh_errors(enum isa_type type, uint32_t operands, uint32_t step, int64_t *worst)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) notes = g_string_new(NULL);
	unsigned bytes = isa_type_bytes(type), wrong = 0;
	graph *g = graph_new("tanh");
	uint32_t x = graph_input(g, "x", type, 1, operands);
	uint8_t **values, *data = g_malloc0((size_t)bytes * operands);
	bool good;

	graph_mark_output(g, graph_unary(g, "z", ISA_OP_TANH, type, x));
	graph_at(g, x)->data = data;
	for (uint32_t i = 0; i < operands; i++) {
		uint32_t v = i * step;

		if (bytes == 2 ? (v & 0x7fff) > 0x7c00 : (v & 0x7fffffff) > 0x7f800000)
			v = bytes == 2 ? 0x7e00 : 0x7fc00000;
		memcpy(data + (size_t)i * bytes, &v, bytes);
	}
	good = ask_legalise(g, notes, &error);
	must(good, error);
	CU_ASSERT_TRUE(notes->len > 0);
	values = g_new0(uint8_t *, graph_size(g));
	good = graph_evaluate(g, values, &error);
	must(good, error);
	*worst = 0;
	for (uint32_t i = 0; i < operands; i++) {
		uint32_t in = 0, got = 0, right;

		memcpy(&in, graph_at(g, 0)->data + (size_t)i * bytes, bytes);
		memcpy(&got, values[graph_size(g) - 1] + (size_t)i * bytes, bytes);
		right = bytes == 2 ? num_f32_to_f16(num_tanh_f32(num_f16_to_f32((uint16_t)in)))
		                   : num_f32_bits(num_tanh_f32(num_bits_f32(in)));
		wrong += got != right;
		*worst = MAX(*worst, distance(got, right, 8 * bytes));
	}
	for (uint32_t i = 0; i < graph_size(g); i++)
		g_free(values[i]);
	g_free(values);
	graph_free(g);
	return wrong;
}

/* All 65536 numbers of fp16; of fp32 one in 4093. */
static void tanh_is_off_by_a_unit_of_fp16_and_by_seven_of_fp32_at_most(void)
{
	int64_t worst;
	unsigned wrong = tanh_errors(ISA_TYPE_F16, 1 << 16, 1, &worst);

	CU_ASSERT_EQUAL(wrong, 2);
	CU_ASSERT_EQUAL(worst, 1);
	wrong = tanh_errors(ISA_TYPE_F32, 1 << 20, 4093, &worst);
	tap_note("fp32: %u of 2^20 differ, by %" G_GINT64_FORMAT " units at most", wrong, worst);
	CU_ASSERT_EQUAL(worst, 7);
}

/* Both write two repeats 2 KB apart, the first just behind the block it reads.  Eight blocks of operands would share
 * seven; with eight lanes of fp32 on, one block, they share none. */
static void operands_overlap_in_lanes_that_are_on_only(void)
{
	static const char *const text = ".blocks 1\n.stream vector sub=0\nset_mask lo=%s hi=0\n"
					"vadds type=fp32 dst=32 src=0 repeat=2 dst_rep=64 src_rep=2\nend\n";
	static const char *const masks[] = {"0xff", "-1"};
	asc_machine *machine = asc_sched_machine("ascend-910b", NULL);

	for (unsigned i = 0; i < 2; i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *one = g_strdup_printf(text, masks[i]);
		asc_program *program = asc_assemble(one, "text", machine, &error);
		asc_run *r;

		must(program != NULL, error);
		r = asc_sched_run(program, machine, false, false);
		CU_ASSERT_EQUAL(asc_run_found(r, ASC_FINDING_OVERLAP), i);
		asc_run_free(r);
		asc_program_free(program);
	}
	asc_machine_free(machine);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a chain of one operation", a_chain_of_one_operation},
		{"little work is spread over more cores", little_work_is_spread_over_more_cores},
		{"a reduction has an instruction a level", a_reduction_has_an_instruction_a_level},
		{"a transpose of whole pieces", a_transpose_of_whole_pieces},
		{"adding 8192 x 8192 halves takes as long as reading them",
	         adding_8192_by_8192_halves_takes_as_long_as_reading_them},
		{"predictions are right to a cycle in a thousand", predictions_are_right_to_a_cycle_in_a_thousand},
		{"odd distances take conflicts out of a transpose", odd_distances_take_conflicts_out_of_a_transpose},
		{"operands overlap in lanes that are on only", operands_overlap_in_lanes_that_are_on_only},
		{"tanh is off by a unit of fp16 and by seven of fp32 at most",
	         tanh_is_off_by_a_unit_of_fp16_and_by_seven_of_fp32_at_most},
	};

	return tap_run("asc_vector_times", cases, G_N_ELEMENTS(cases));
}
