/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the register-style back end: what the report says of them against hand-made figures and a recount from
 * the program; and planted faults: an operand or a result in another register than the one it was given must be
 * recorded by the models and refused by the checker whenever the oracle finds it harmful, and never otherwise.
 */
#include "sched/frontend/frontend.h"
#include "sched/sched.h"
#include "tests/lib/judge.h"
#include "tests/lib/tap.h"
#include "tests/sched/replay.h"

#include "isa/rng.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static isa_machine *machine_with(unsigned registers)
{
	g_autofree char *setting = g_strdup_printf("vreg.count=%u", registers);
	const char *settings[] = {setting, NULL};

	return replay_machine("tsp", settings);
}

/* --------------------------------------------------------------------------------------------------- by hand */

static sched_registers registers_of(const char *workload, unsigned count)
{
	isa_machine *m = machine_with(count);
	replay r;
	GError *error = NULL;
	bool ran = replay_workload(workload, m, true, REPLAY_CHIP, &r, &error);
	sched_registers found = r.report.registers;

	if (!ran)
		tap_note("%s: %s", workload, error->message);
	CU_ASSERT_TRUE(ran && replay_is_clean(&r) && r.values > 0);
	g_clear_error(&error);
	replay_fini(&r);
	isa_machine_free(m);
	return found;
}

/* Both operands are due and sampled in cycle 4, the sum is due and sampled in cycle 7: two registers, then one of them
 * again. */
static void a_sum_takes_two_registers(void)
{
	sched_registers r = registers_of("vmap:add,320", 320);

	CU_ASSERT_EQUAL(r.count, 320);
	CU_ASSERT_EQUAL(r.used, 2);
	CU_ASSERT_EQUAL(r.most_live, 2);
	CU_ASSERT_EQUAL(r.stores + r.loads + r.remade + r.tight, 0);
}

/* 160 lanes of fp32 fill a register, 320 a pair: a and b and the product of pairs. */
static void wide_values_take_pairs(void)
{
	CU_ASSERT_EQUAL(registers_of("vmap:mul,160:fp32", 320).used, 2);
	CU_ASSERT_EQUAL(registers_of("vmap:mul,320:fp32", 320).used, 4);
	CU_ASSERT_EQUAL(registers_of("vmap:mul,320:fp32", 320).most_live, 4);
}

static char *graph_file(const char *text)
{
	char *path = NULL;
	int file = g_file_open_tmp("tspsim-registers-XXXXXX.graph", &path, NULL);

	g_assert(file >= 0);
	close(file);
	g_assert(g_file_set_contents(path, text, -1, NULL));
	return path;
}

/* y = ((a + b) - a b) + a.  Both a + b = s and a b = p are made at once, when a and b are there; then a, s and p are:
 * three registers.  With two, in the order s, p, d = s - p, y = d + a:
 *
 * Neighbours: a: b s p d; b: a s; s: a b p; p: a s; d: a.  Costs: s, p, d a store and a load, 2; a and b come from
 * memory that does not change: a beat for each use, 3 and 2.  d leaves the graph first (one neighbour); of the rest s
 * costs least for its neighbours, 2 / 3 (a 3 / 3, b and p 2 / 2): it is stored behind the sum and loaded before the
 * difference.  Until it is stored it is in the way of a and b still; it cannot be divided further, so the cheapest of
 * these goes: a, 3 / 5 (b 2 / 2). Its first load serves the sum; before the product, and before the last sum, it is
 * loaded again. */
static void a_sum_waits_in_memory_for_a_product(void)
{
	g_autofree char *path = graph_file("graph \"wait\"\na: fp16[1][320] = input\nb: fp16[1][320] = input\n"
	                                   "s: fp16[1][320] = add a, b\np: fp16[1][320] = mul a, b\n"
	                                   "d: fp16[1][320] = sub s, p\ny: fp16[1][320] = add d, a\n"
	                                   "output y\n");
	sched_registers two = registers_of(path, 2), three = registers_of(path, 3);

	CU_ASSERT_EQUAL(two.stores, 1);
	CU_ASSERT_EQUAL(two.loads, 1);
	CU_ASSERT_EQUAL(two.remade, 2);
	CU_ASSERT_EQUAL(two.spilled, 1);
	CU_ASSERT_EQUAL(two.used, 2);
	CU_ASSERT_EQUAL(two.most_live, 2);
	CU_ASSERT_EQUAL(three.stores + three.loads + three.remade, 0);
	CU_ASSERT_EQUAL(three.used, 3);
	CU_ASSERT_EQUAL(three.most_live, 3);
	unlink(path);
}

/* ------------------------------------------------------------------------------------------------- a recount */

typedef struct life {
	int64_t due, last;
} life;

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

enum { SIXTEEN = 16 }; /* registers that a transpose takes, and makes */

/* The lives of what instance INSTANCE made, a register each. */
static life *lives_of(GArray *lives, uint32_t instance)
{
	if ((uint64_t)instance * SIXTEEN + SIXTEEN > lives->len)
		g_array_set_size(lives, (instance + 1) * SIXTEEN);
	return &g_array_index(lives, life, instance * SIXTEEN);
}

static unsigned registers_at_once(const isa_insn *n)
{
	return n->op == ISA_OP_TRANSPOSE ? SIXTEEN : 1;
}

/* Notes that issue I of N, at cycle AT, samples operand S in register PLACE. */
static void note_sampling(GArray *lives, const isa_program *p, const isa_insn *n, uint64_t i, int64_t at,
                          unsigned place, const isa_source *s)
{
	for (unsigned k = 0; k < registers_at_once(n); k++) {
		uint32_t from = s->base + (uint32_t)(i % n->loop[0].count) * (uint32_t)s->step0 +
		                (uint32_t)(i / n->loop[0].count) * (uint32_t)s->step1 + k * (uint32_t)s->seg_step;
		unsigned which = 0;
		life *of;

		/* Each issue of a transpose is an instruction of its own here, so its place says it all. */
		for (uint32_t id = 0; id < p->insns->len; id++)
			if (isa_program_insn(p, id)->op == ISA_OP_TRANSPOSE && isa_program_instance(p, id) == from)
				which = isa_place_index(place) - isa_place_index(isa_program_insn(p, id)->dst);
		of = lives_of(lives, from) + which;
		of->last = MAX(of->last, at);
	}
}

/* When each issue's register value is due and last sampled, from instructions, producers and predictions. */
static GArray *find_lives(const isa_program *p, const isa_machine *m)
{
	GArray *lives = g_array_new(FALSE, TRUE, sizeof(life));

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t id = 0; id < p->insns->len; id++) {
			const isa_insn *n = isa_program_insn(p, id);
			const isa_prediction *say = &g_array_index(p->predictions, isa_prediction, id);
			int64_t skew = isa_machine_skew(m, isa_ops[n->op].unit);

			for (uint64_t i = 0; i < isa_insn_issues(n); i++) {
				life *made = lives_of(lives, isa_program_instance(p, id) + (uint32_t)i);
				int64_t at = n->cycle + isa_insn_offset(n, i);

				for (unsigned k = 0;
				     !pass && isa_place_kind(n->dst) == ISA_PLACE_KIND_VREG && k < registers_at_once(n);
				     k++)
					made[k] = (life){at + say->result, at + say->result};
				for (unsigned o = 0; pass && o < 2; o++) {
					unsigned place = o ? n->src1 : n->src0;
					guint piece = id * ISA_OPERANDS + o;

					if (isa_place_kind(place) == ISA_PLACE_KIND_VREG)
						note_sampling(lives, p, n, i, at + skew, place,
						              &g_array_index(
								      p->sources, isa_source,
								      g_array_index(p->first_source, uint32_t, piece)));
				}
			}
		}
	return lives;
}

/* Values alive in one cycle, at most; all of one register. */
static int64_t recount(const isa_program *p, const isa_machine *m)
{
	g_autoptr(GArray) lives = find_lives(p, m);
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, 2 * sizeof(int64_t));
	int64_t alive = 0, most = 0;

	for (guint i = 0; i < lives->len; i++) {
		const life *l = &g_array_index(lives, life, i);
		int64_t begin[2] = {l->due, 1}, end[2] = {l->last + 1, -1};

		if (!l->due && !l->last)
			continue;
		g_array_append_val(events, begin);
		g_array_append_val(events, end);
	}
	qsort(events->data, events->len, 2 * sizeof(int64_t), by_time);
	for (guint i = 0; i < events->len; i++) {
		alive += ((int64_t *)(void *)events->data)[2 * i + 1];
		most = MAX(most, alive);
	}
	return most;
}

static void the_program_holds_as_many_values_as_the_report_says(void)
{
	static const char *const workloads[] = {"vmap:add,3200", "softmax:33x160", "layernorm:31x33", "fft:64",
	                                        "transpose:33x161"};
	static const unsigned counts[] = {320, 16, 8, 4};

	for (unsigned w = 0; w < G_N_ELEMENTS(workloads); w++)
		for (unsigned c = 0; c < G_N_ELEMENTS(counts); c++) {
			isa_machine *m = machine_with(counts[c]);
			sched_report report = {0};
			isa_program *p = replay_compile(workloads[w], m, false, &report, NULL, NULL);

			CU_ASSERT_PTR_NOT_NULL_FATAL(p);
			CU_ASSERT_EQUAL(recount(p, m), report.registers.most_live);
			CU_ASSERT_TRUE(report.registers.most_live <= report.registers.used);
			CU_ASSERT_TRUE(report.registers.used <= counts[c]);
			isa_program_free(p);
			sched_report_fini(&report);
			isa_machine_free(m);
		}
}

/* ------------------------------------------------------------------------------------------- planted faults */

typedef struct tally {
	unsigned planted, harmful, missed_by_models, missed_by_checker, alarms_of_models, alarms_of_checker;
} tally;

/* The place of instruction N that WHICH says, or NULL when it is no register. */
static uint16_t *place_of(isa_insn *n, unsigned which)
{
	uint16_t *place = which == 0 ? &n->dst : which == 1 ? &n->src0 : &n->src1;

	return isa_place_kind(*place) == ISA_PLACE_KIND_VREG ? place : NULL;
}

static void judge(const isa_program *p, const isa_machine *m, tally *t)
{
	oracle_options options = {.functional = false};
	judge_options model_options = {.functional = false};
	g_autoptr(GString) text = g_string_new(NULL);
	oracle_result *oracle = oracle_execute(p, m, &options, NULL);
	judge_run *run = judge_model(p, m, &model_options, NULL);
	bool harmful, recorded, refused;

	CU_ASSERT_PTR_NOT_NULL_FATAL(oracle);
	CU_ASSERT_PTR_NOT_NULL_FATAL(run);
	harmful = oracle->violations->len > 0;
	recorded = judge_violations(run)->len > 0;
	refused = !sched_check(p, m, text, 1);
	t->planted++;
	t->harmful += harmful;
	t->missed_by_models += harmful && !recorded;
	t->missed_by_checker += harmful && !refused;
	t->alarms_of_models += !harmful && recorded;
	t->alarms_of_checker += !harmful && refused;
	judge_free(run);
	oracle_result_free(oracle);
}

/* COUNT faults: one place of one instruction is a register further on or back. */
static void plant(const char *workload, unsigned registers, unsigned count, tally *t)
{
	isa_machine *m = machine_with(registers);
	sched_report report = {0};
	isa_program *p = replay_compile(workload, m, false, &report, NULL, NULL);
	rng r;

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	rng_seed(&r, registers, g_str_hash(workload));
	for (unsigned i = 0; i < count;) {
		isa_insn *n = isa_program_insn(p, (uint32_t)rng_below(&r, p->insns->len));
		uint16_t *place = place_of(n, (unsigned)rng_below(&r, 3));
		uint16_t was;

		if (!place)
			continue;
		i++;
		was = *place;
		*place = (uint16_t)((was + 1 + rng_below(&r, registers - 1)) % registers);
		if (isa_lower(p, m, NULL))
			judge(p, m, t);
		*place = was;
	}
	isa_program_free(p);
	sched_report_fini(&report);
	isa_machine_free(m);
}

/* Bytes from the first one behind all tensors are slots. */
static uint64_t first_slot(const isa_program *p)
{
	uint64_t top = 0;

	for (guint i = 0; i < p->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(p->tensors, isa_tensor, i);

		top = MAX(top, t->base + t->bytes);
	}
	return top;
}

/* Every store into a slot, or every load from one, goes to the next one in turn. */
static void plant_slots(const char *workload, unsigned registers, tally *t)
{
	isa_machine *m = machine_with(registers);
	sched_report report = {0};
	isa_program *p = replay_compile(workload, m, false, &report, NULL, NULL);
	uint64_t top;

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	top = first_slot(p);
	for (uint32_t id = 0; id < p->insns->len; id++) {
		isa_insn *n = isa_program_insn(p, id);

		if ((n->op != ISA_OP_LOAD && n->op != ISA_OP_STORE) || n->addr < top)
			continue;
		n->addr += 2 * (uint32_t)m->vreg_bytes;
		if (isa_lower(p, m, NULL))
			judge(p, m, t);
		n->addr -= 2 * (uint32_t)m->vreg_bytes;
	}
	isa_program_free(p);
	sched_report_fini(&report);
	isa_machine_free(m);
}

static void values_in_wrong_slots_are_found_by_models_and_checker(void)
{
	tally t = {0};

	plant_slots("fft:64", 3, &t);
	plant_slots("fft:256:fp32", 8, &t);
	tap_note("%u planted, %u harmful; missed: models %u, checker %u; false alarms: models %u, checker %u",
	         t.planted, t.harmful, t.missed_by_models, t.missed_by_checker, t.alarms_of_models,
	         t.alarms_of_checker);
	CU_ASSERT_TRUE(t.harmful > 10);
	CU_ASSERT_EQUAL(t.missed_by_models, 0);
	CU_ASSERT_EQUAL(t.missed_by_checker, 0);
	CU_ASSERT_EQUAL(t.alarms_of_models, 0);
}

static void wrong_registers_are_found_by_models_and_checker(void)
{
	tally t = {0};

	plant("fft:64", 8, 25, &t);
	plant("fft:256:fp32", 8, 25, &t);
	plant("softmax:3x160", 4, 25, &t);
	plant("layernorm:2x33", 16, 25, &t);
	plant("gemm:33x65x40", 8, 15, &t);
	tap_note("%u planted, %u harmful; missed: models %u, checker %u; false alarms: models %u, checker %u",
	         t.planted, t.harmful, t.missed_by_models, t.missed_by_checker, t.alarms_of_models,
	         t.alarms_of_checker);
	CU_ASSERT_TRUE(t.planted > 80);
	CU_ASSERT_TRUE(t.harmful > 60);
	CU_ASSERT_EQUAL(t.missed_by_models, 0);
	CU_ASSERT_EQUAL(t.missed_by_checker, 0);
	CU_ASSERT_EQUAL(t.alarms_of_models, 0);
	CU_ASSERT_EQUAL(t.alarms_of_checker, 0);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_sum_takes_two_registers", a_sum_takes_two_registers},
		{"wide_values_take_pairs", wide_values_take_pairs},
		{"a_sum_waits_in_memory_for_a_product", a_sum_waits_in_memory_for_a_product},
		{"the_program_holds_as_many_values_as_the_report_says",
	         the_program_holds_as_many_values_as_the_report_says},
		{"wrong_registers_are_found_by_models_and_checker", wrong_registers_are_found_by_models_and_checker},
		{"values_in_wrong_slots_are_found_by_models_and_checker",
	         values_in_wrong_slots_are_found_by_models_and_checker},
	};

	return tap_run("registers", cases, G_N_ELEMENTS(cases));
}
