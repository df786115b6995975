/* SPDX-License-Identifier: Apache-2.0
 *
 * The independent checker: schedules of both back ends are clean, and each kind of damage is found and named.  A
 * damaged program differs from a clean one in one place.
 */
#include "sched/frontend/frontend.h"
#include "sched/sched.h"

#include <string.h>

#include "tests/lib/tap.h"

static isa_machine *machine_of(const char *name, const char *setting)
{
	g_autoptr(GError) error = NULL;
	isa_machine *m = isa_machine_load(name, &error);

	g_assert_no_error(error);
	if (setting) {
		g_auto(GStrv) pair = g_strsplit(setting, "=", 2);

		isa_machine_set(m, pair[0], pair[1], &error);
		g_assert_no_error(error);
	}
	isa_machine_finish(m, &error);
	g_assert_no_error(error);
	return m;
}

static isa_program *compile(const char *workload, const isa_machine *m)
{
	frontend_options frontend = {0};
	sched_options options;
	sched_report report = {0};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) graphs = frontend_read(workload, m, &frontend, &error);
	isa_program *p;

	g_assert_no_error(error);
	sched_options_init(&options);
	p = sched_compile(graphs, m, &options, &report, &error);
	g_assert_no_error(error);
	sched_report_fini(&report);
	return p;
}

static void assert_clean(const char *machine, const char *workload)
{
	isa_machine *m = machine_of(machine, NULL);
	isa_program *p = compile(workload, m);
	g_autoptr(GString) report = g_string_new(NULL);

	CU_ASSERT_TRUE(sched_check(p, m, report, 3));
	CU_ASSERT_STRING_EQUAL(report->str, "");
	if (report->len)
		tap_note("%s %s:\n%s", machine, workload, report->str);
	isa_program_free(p);
	isa_machine_free(m);
}

/* The first instruction of kind OP. */
static isa_insn *find(isa_program *p, enum isa_op op)
{
	for (uint32_t i = 0; i < p->insns->len; i++)
		if (isa_program_insn(p, i)->op == op)
			return isa_program_insn(p, i);
	g_assert_not_reached();
}

static uint32_t id_of(const isa_program *p, const isa_insn *insn)
{
	return (uint32_t)(insn - isa_program_insn(p, 0));
}

static isa_prediction *prediction_of(isa_program *p, const isa_insn *insn)
{
	return &g_array_index(p->predictions, isa_prediction, id_of(p, insn));
}

static isa_source *source_of(isa_program *p, const isa_insn *insn, unsigned operand)
{
	guint at = id_of(p, insn) * ISA_OPERANDS + operand;

	return &g_array_index(p->sources, isa_source, g_array_index(p->first_source, uint32_t, at));
}

/* Damages a clean schedule of WORKLOAD and expects the checker to say WORDS. */
static void assert_found(const char *machine, const char *workload, void (*damage)(isa_program *), const char *words)
{
	isa_machine *m = machine_of(machine, NULL);
	isa_program *p = compile(workload, m);
	g_autoptr(GString) report = g_string_new(NULL);

	damage(p);
	CU_ASSERT_FALSE(sched_check(p, m, report, 1000));
	CU_ASSERT_PTR_NOT_NULL(strstr(report->str, words));
	if (!strstr(report->str, words))
		tap_note("expected \"%s\", found:\n%.600s", words, report->str);
	isa_program_free(p);
	isa_machine_free(m);
}

/* Checks a schedule for the preset against a machine with SETTING. */
static void assert_other_machine_found(const char *machine, const char *workload, const char *setting,
                                       const char *words)
{
	isa_machine *m = machine_of(machine, NULL), *other = machine_of(machine, setting);
	isa_program *p = compile(workload, m);
	g_autoptr(GString) report = g_string_new(NULL);

	CU_ASSERT_FALSE(sched_check(p, other, report, 1000));
	CU_ASSERT_PTR_NOT_NULL(strstr(report->str, words));
	if (!strstr(report->str, words))
		tap_note("%s: expected \"%s\", found:\n%.600s", setting, words, report->str);
	isa_program_free(p);
	isa_machine_free(m);
	isa_machine_free(other);
}

#define STREAMS   "tsp-isca20"
#define REGISTERS "tsp"
#define PRODUCT   "gemm:20x10x400"

static void schedules_of_both_back_ends_are_clean(void)
{
	static const char *const workloads[] = {"vmap:add,1000:int8",
	                                        "softmax:40x20",
	                                        "gemm:50x30x700",
	                                        "gemm:50x30x700:int8",
	                                        "fft:512",
	                                        "transpose:50x33",
	                                        "attention:1x2x40x50",
	                                        "layernorm:20x30:fp32",
	                                        "conv:1x8x9x9,8x3x3,pad=1"};

	for (unsigned i = 0; i < G_N_ELEMENTS(workloads); i++) {
		assert_clean(STREAMS, workloads[i]);
		assert_clean(REGISTERS, workloads[i]);
	}
}

/* ----------------------------------------------------------------------------------------------------- queues */

static void move_into_first(isa_program *p)
{
	isa_insn *first = find(p, ISA_OP_ABC);
	isa_insn second = *first;

	second.cycle++;
	isa_program_add(p, &second, 0);
}

static void move_to_another_unit(isa_program *p)
{
	find(p, ISA_OP_ABC)->queue = find(p, ISA_OP_READ)->queue;
}

static void move_to_the_weights(isa_program *p)
{
	find(p, ISA_OP_ABC)->queue = find(p, ISA_OP_LW)->queue;
}

static void move_before_the_barrier(isa_program *p)
{
	find(p, ISA_OP_READ)->cycle = 3;
}

static void overlap_loops(isa_program *p)
{
	isa_insn *abc = find(p, ISA_OP_ABC);

	abc->loop[0] = (isa_loop){4, 2, 0};
	abc->loop[1] = (isa_loop){2, 6, 0};
}

static void queues_are_found_needed_twice(void)
{
	assert_found(STREAMS, PRODUCT, move_into_first, "occupies the queue to cycle");
	assert_found(STREAMS, PRODUCT, move_to_another_unit, "abc (instruction");
	assert_found(STREAMS, PRODUCT, move_to_another_unit, "does not belong into this queue");
	assert_found(STREAMS, PRODUCT, move_to_the_weights, "does not belong into this queue");
	assert_found(STREAMS, PRODUCT, move_before_the_barrier, "before the barrier is passed, in cycle 35");
	assert_found(STREAMS, PRODUCT, overlap_loops, "its loops overlap");
}

/* ---------------------------------------------------------------------------------------------------- operands */

static void delay_first_read(isa_program *p)
{
	find(p, ISA_OP_READ)->cycle++;
}

static void name_another_producer(isa_program *p)
{
	source_of(p, find(p, ISA_OP_ABC), 0)->base++;
}

static void name_another_iw(isa_program *p)
{
	source_of(p, find(p, ISA_OP_ABC), 1)->base--;
}

static void drive_another_stream(isa_program *p)
{
	isa_insn *acc = find(p, ISA_OP_ACC);

	acc->dst = (uint16_t)ISA_PLACE_STREAM(isa_place_index(acc->dst) < 32, 0);
}

static void drive_beyond_the_streams(isa_program *p)
{
	find(p, ISA_OP_ACC)->dst = (uint16_t)ISA_PLACE_STREAM(false, 30);
}

static void install_one_row_more(isa_program *p)
{
	find(p, ISA_OP_IW)->count++;
}

static void install_too_early(isa_program *p)
{
	find(p, ISA_OP_IW)->cycle--;
}

static void load_rows_beyond_the_last(isa_program *p)
{
	find(p, ISA_OP_LW)->addr = 310;
}

static void accumulate_elsewhere(isa_program *p)
{
	find(p, ISA_OP_ABC)->addr = 5;
}

static void accumulate_too_fast(isa_program *p)
{
	find(p, ISA_OP_ABC)->loop[0].interval = 1;
}

static void operands_of_the_matrix_unit_are_followed(void)
{
	assert_found(STREAMS, PRODUCT, delay_first_read, "there is nothing in w");
	assert_found(STREAMS, PRODUCT, name_another_producer, "holds the result of instance");
	assert_found(STREAMS, PRODUCT, name_another_iw, "the array holds the result of instance");
	assert_found(STREAMS, PRODUCT, drive_another_stream, "there is nothing in");
	assert_found(STREAMS, PRODUCT, drive_beyond_the_streams, "needs 4 streams from 30 on");
	assert_found(STREAMS, "gemm:20x10x40", install_one_row_more, "there is nothing in the shadow buffer");
	assert_found(STREAMS, "gemm:20x10x400:int8", install_too_early, "arrival of operand 0 is predicted");
	assert_found(STREAMS, PRODUCT, load_rows_beyond_the_last, "weight rows 318 to 325 do not all exist");
	assert_found(STREAMS, PRODUCT, accumulate_elsewhere, "accumulator row 5 does not exist");
	assert_found(STREAMS, PRODUCT, accumulate_too_fast, "is busy until cycle");
}

static void read_beyond_the_slice(isa_program *p)
{
	find(p, ISA_OP_READ)->addr = 9000;
}

static void read_an_empty_word(isa_program *p)
{
	find(p, ISA_OP_READ)->addr = 8000;
}

static void write_another_word(isa_program *p)
{
	find(p, ISA_OP_WRITE)->addr += 100;
}

static void read_latch_of_a_missing_alu(isa_program *p)
{
	for (uint32_t i = 0; i < p->insns->len; i++) {
		isa_insn *insn = isa_program_insn(p, i);

		if (isa_ops[insn->op].unit == ISA_UNIT_VXM && isa_place_kind(insn->src0) == ISA_PLACE_KIND_ALU) {
			insn->src0 = ISA_PLACE_ALU(20);
			return;
		}
	}
	g_assert_not_reached();
}

static void delay_first_vector_operation(isa_program *p)
{
	for (uint32_t i = 0; i < p->insns->len; i++)
		if (isa_ops[isa_program_insn(p, i)->op].unit == ISA_UNIT_VXM) {
			isa_program_insn(p, i)->cycle++;
			return;
		}
}

static void words_and_latches_are_followed(void)
{
	assert_found(STREAMS, "softmax:4x20", read_beyond_the_slice, "word 9000 of a slice of 8192");
	assert_found(STREAMS, "softmax:4x20", read_an_empty_word, "there is nothing in the word");
	assert_found(STREAMS, "softmax:4x20", write_another_word, "there is nothing in the word");
	assert_found(STREAMS, "softmax:4x20", read_latch_of_a_missing_alu, "names an ALU that does not exist");
	assert_found(STREAMS, "softmax:4x20", delay_first_vector_operation, "there is nothing in");
}

static void scatter_through_another_map(isa_program *p)
{
	for (uint32_t i = 0; i < g_array_index(p->epochs, isa_epoch, 0).images->len; i++) {
		isa_image *image = &g_array_index(g_array_index(p->epochs, isa_epoch, 0).images, isa_image, i);

		/* The address vectors of the gathers: an address that nobody wrote. */
		if (image->data) {
			image->data[1] = 0x1f;
			return;
		}
	}
}

static void use_a_missing_map(isa_program *p)
{
	find(p, ISA_OP_PERMUTE)->map = 4000;
}

static void drive_one_cell_twice(isa_program *p)
{
	isa_insn second = *find(p, ISA_OP_TRANSPOSE);

	/* the other transposer of the hemisphere, in the same cycles */
	second.queue++;
	isa_program_add(p, &second, 0);
}

static void lanes_and_address_vectors_are_followed(void)
{
	assert_found(STREAMS, "transpose:33x33:int8", scatter_through_another_map, "there is nothing in the word");
	assert_found(STREAMS, "transpose:33x33:int8", use_a_missing_map, "map 4000 does not exist");
	assert_found(STREAMS, "transpose:33x33:int8", drive_one_cell_twice, "holds the result of instance");
}

/* ------------------------------------------------------------------------------------------------- predictions */

static void predict_later_result(isa_program *p)
{
	prediction_of(p, find(p, ISA_OP_ACC))->result++;
}

static void predict_earlier_arrival(isa_program *p)
{
	prediction_of(p, find(p, ISA_OP_ACC))->arrival[0]--;
}

static void predict_more_beats(isa_program *p)
{
	prediction_of(p, find(p, ISA_OP_LOAD))->beats = 3;
}

static void predict_what_there_is_not(isa_program *p)
{
	prediction_of(p, find(p, ISA_OP_READ))->arrival[0] = 0; /* the host's data */
}

static void end_the_epoch_early(isa_program *p)
{
	g_array_index(p->epochs, isa_epoch, 0).end--;
}

static void predictions_are_compared(void)
{
	assert_found(STREAMS, PRODUCT, predict_later_result, "the result is predicted for cycle");
	assert_found(STREAMS, PRODUCT, predict_earlier_arrival, "arrival of operand 0 is predicted for cycle");
	assert_found(REGISTERS, PRODUCT, predict_more_beats, "3 beats are predicted");
	assert_found(STREAMS, PRODUCT, predict_what_there_is_not,
	             "arrival of operand 0 is predicted, but there is none");
	assert_found(STREAMS, PRODUCT, end_the_epoch_early, "after the end of epoch");
}

/* --------------------------------------------------------------------------------------- the register machine */

static void load_later(isa_program *p)
{
	find(p, ISA_OP_LOAD)->cycle++;
}

static void load_another_register(isa_program *p)
{
	for (uint32_t i = 0; i < p->insns->len; i++) {
		isa_insn *insn = isa_program_insn(p, i);

		if (insn->op == ISA_OP_LOAD && isa_place_kind(insn->dst) == ISA_PLACE_KIND_VREG) {
			insn->dst = (uint16_t)(insn->dst == 300 ? 301 : 300);
			return;
		}
	}
	g_assert_not_reached();
}

static void load_beyond_the_memory(isa_program *p)
{
	find(p, ISA_OP_LOAD)->addr = 230000000;
}

/* A load from the very blocks of another one, in the same cycle and another queue. */
static void load_twice_at_once(isa_program *p)
{
	isa_insn second = *find(p, ISA_OP_LOAD);
	bool taken[4] = {false};

	for (uint32_t i = 0; i < p->insns->len; i++) {
		const isa_insn *insn = isa_program_insn(p, i);

		if (insn->queue < 4 && insn->cycle <= second.cycle && isa_insn_last(insn) >= second.cycle)
			taken[insn->queue] = true;
	}
	for (uint16_t q = 0; q < 4; q++)
		if (!taken[q])
			second.queue = q;
	second.loop[0].count = second.loop[1].count = 1;
	second.dst = 319;
	isa_program_add(p, &second, 0);
}

static void registers_and_banks_are_followed(void)
{
	assert_found(REGISTERS, PRODUCT, load_later, "the result of instance");
	assert_found(REGISTERS, "softmax:4x20", load_another_register, "a register");
	assert_found(REGISTERS, PRODUCT, load_beyond_the_memory, "leaves the memory of");
	assert_found(REGISTERS, "vmap:neg,640:int8", load_twice_at_once, "later than alone: a bank is busy");
}

static void machines_with_less_are_found_out(void)
{
	assert_other_machine_found(REGISTERS, "softmax:4x200", "vreg.read_ports=1", "registers are read in cycle");
	assert_other_machine_found(REGISTERS, "softmax:4x200", "vreg.write_ports=1", "registers are written in cycle");
	assert_other_machine_found(REGISTERS, "gemm:20x320x400", "mxm.weight_bytes_per_cycle=640",
	                           "bytes of weights in cycle");
	assert_other_machine_found(STREAMS, "gemm:20x320x400", "mxm.weight_bytes_per_cycle=5120",
	                           "bytes of weights in cycle");
	assert_other_machine_found(STREAMS, PRODUCT, "vxm.entry_cycles=6", "there is nothing in");
	assert_other_machine_found(STREAMS, PRODUCT, "mxm.fp16_interval_cycles=3", "is busy until cycle");
	assert_other_machine_found(STREAMS, "softmax:4x20", "mem.write_cycles=2", "the word");
}

static void only_so_many_offences_are_written_down(void)
{
	isa_machine *m = machine_of(STREAMS, NULL), *other = machine_of(STREAMS, "mem.read_cycles=2");
	isa_program *p = compile(PRODUCT, m);
	g_autoptr(GString) report = g_string_new(NULL);
	unsigned lines = 0;

	CU_ASSERT_FALSE(sched_check(p, other, report, 3));
	for (const char *c = report->str; *c; c++)
		lines += *c == '\n';
	CU_ASSERT_EQUAL(lines, 3 + 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(report->str, "\nand "));
	isa_program_free(p);
	isa_machine_free(m);
	isa_machine_free(other);
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(name) {#name, name}
		CASE(schedules_of_both_back_ends_are_clean),    CASE(queues_are_found_needed_twice),
		CASE(operands_of_the_matrix_unit_are_followed), CASE(words_and_latches_are_followed),
		CASE(lanes_and_address_vectors_are_followed),   CASE(predictions_are_compared),
		CASE(registers_and_banks_are_followed),         CASE(machines_with_less_are_found_out),
		CASE(only_so_many_offences_are_written_down),
	};

	return tap_run("check", cases, G_N_ELEMENTS(cases));
}
