/* SPDX-License-Identifier: Apache-2.0
 *
 * Random lists of steps through the builder and the models: whatever kernels write, the result has no race, no flag set
 * twice or left over, and comes to its end.  Then each flag in turn is taken out: the models must find the race, or the
 * two orders that are left prove that it was not needed; the share of either is said.
 *
 * Places are few and small, so that nearly everything depends on something.
 */
#include "tests/sched/asc_sched.h"

enum { CASES = 150, REMOVED_CASES = 24, MOST_STEPS = 40 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

/* One of four operands of a vector instruction: the same as another or apart. */
static int64_t operand(void)
{
	return (int64_t)draw(4) * 1024;
}

/* One of a few places of BYTES each; now and then half a place off. */
static int64_t place(uint64_t first, uint64_t bytes)
{
	return (int64_t)(first + draw(4) * bytes + (draw(6) == 0) * (bytes / 2));
}

static uint64_t shared; /* global memory that all sub-cores use */
static bool alone;      /* one sub-core only */

static int64_t memory(asb_core core)
{
	return place(draw(4) && !alone ? shared : shared + 65536 + core * 16384, 1024);
}

static asc_insn vector_step(void)
{
	static const enum asc_op unary[] = {ASC_OP_VABS, ASC_OP_VEXP, ASC_OP_VCOPY, ASC_OP_VRELU};
	static const enum asc_op binary[] = {ASC_OP_VADD, ASC_OP_VMUL, ASC_OP_VMLA, ASC_OP_VMAX};
	asc_insn insn;

	switch (draw(4)) {
	case 0:
		insn = asc_insn_make(unary[draw(4)]);
		insn.f[1] = operand();
		insn.f[2] = operand();
		insn.f[3] = 1 + (int64_t)draw(4);
		break;
	case 1:
		insn = asc_insn_make(binary[draw(4)]);
		for (unsigned i = 1; i < 4; i++)
			insn.f[i] = operand();
		insn.f[4] = 1 + (int64_t)draw(4);
		insn.f[6] = (int64_t)draw(3);
		break;
	case 2:
		insn = asc_insn_make(ASC_OP_VCADD);
		insn.f[1] = operand();
		insn.f[2] = operand();
		insn.f[3] = 1 + (int64_t)draw(4);
		break;
	default:
		insn = asc_insn_make(ASC_OP_VDUP);
		insn.f[1] = operand();
		insn.f[3] = 1 + (int64_t)draw(4);
		break;
	}
	return insn;
}

static asc_insn vector_core_step(asb_core core)
{
	asc_insn insn;

	switch (draw(5)) {
	case 0:
		insn = asc_insn_make(ASC_OP_GM_TO_UB);
		insn.f[0] = place(0, 1024);
		insn.f[1] = memory(core);
		insn.f[2] = 1 + (int64_t)draw(2);
		insn.f[3] = 256;
		insn.f[5] = draw(2) ? 256 : 0;
		return insn;
	case 1:
		insn = asc_insn_make(ASC_OP_UB_TO_GM);
		insn.f[0] = memory(core);
		insn.f[1] = place(0, 1024);
		insn.f[2] = 1 + (int64_t)draw(2);
		insn.f[3] = 256;
		return insn;
	case 2:
		insn = asc_insn_make(draw(2) ? ASC_OP_LDG : ASC_OP_STG);
		insn.f[0] = 3;
		insn.f[1] = memory(core);
		return draw(4) ? vector_step() : insn;
	default:
		return vector_step();
	}
}

static asc_insn cube_step(asb_core core, bool coupled)
{
	asc_insn insn;

	switch (draw(7)) {
	case 0:
		insn = asc_insn_make(ASC_OP_ND2NZ);
		insn.f[1] = place(0, 2048);
		insn.f[2] = memory(core);
		return insn;
	case 1:
		insn = asc_insn_make(ASC_OP_GM_TO_L1);
		insn.f[0] = place(0, 2048);
		insn.f[1] = memory(core);
		insn.f[3] = 512;
		return insn;
	case 2:
	case 3:
		insn = asc_insn_make(draw(2) ? ASC_OP_LOAD2D_A : ASC_OP_LOAD2D_B);
		insn.f[0] = place(0, 1024);
		insn.f[1] = place(0, 2048);
		insn.f[2] = 1 + (int64_t)draw(3);
		return insn;
	case 4:
	case 5:
		insn = asc_insn_make(ASC_OP_MMAD);
		insn.f[1] = (int64_t)draw(3) * 1024;
		insn.f[2] = place(0, 1024);
		insn.f[3] = place(0, 1024);
		insn.f[7] = (int64_t)draw(2);
		return insn;
	default:
		insn = asc_insn_make(coupled ? ASC_OP_L0C_TO_UB : draw(3) ? ASC_OP_FIX_GM : ASC_OP_FIX_L1);
		insn.f[0] = ASC_F32;
		insn.f[1] = ASC_F16;
		insn.f[2] = insn.op == ASC_OP_FIX_GM ? memory(core) : place(0, 1024);
		insn.f[3] = (int64_t)draw(3) * 1024;
		insn.f[8] = 1;
		return insn;
	}
}

static asc_machine *machine_of(unsigned number)
{
	static const char *const small[] = {"l2.bytes=65536", "l2.ways=2", "cores=2", NULL};
	static const char *const few_ids[] = {"l2.bytes=65536",     "l2.ways=2",       "cores=2", "flag.ids=1",
	                                      "queue.mte1_depth=1", "queue.v_depth=2", NULL};
	static const char *const names[] = {"ascend-910b", "ascend-310p", "ascend-910b"};

	return asc_sched_machine(names[number % 3], number / 3 % 3 == 2 ? few_ids : small);
}

/* NUMBER decides the machine and whether one sub-core has steps or those of two cores. */
static asc_program *random_program(unsigned number, const asc_machine *machine, sched_report *report)
{
	g_autoptr(GError) error = NULL;
	asc_program *program = asc_program_new();
	sched_options options;
	asb *b;
	unsigned steps = 4 + (unsigned)draw(MOST_STEPS - 4);
	asb_core core;

	sched_options_init(&options);
	*report = (sched_report){.notes = NULL};
	b = asb_new(program, machine, &options);
	shared = asb_scratch(b, 1 << 20);
	alone = number % 2;
	core = machine->coupled ? 0 : (asb_core)draw(3);
	for (unsigned i = 0; i < steps; i++) {
		asc_insn insn;

		if (!alone)
			core = (asb_core)draw(machine->coupled ? 2 : 6);
		if (asb_kind(b, core) == ASC_COUPLED)
			insn = draw(2) ? vector_core_step(core) : cube_step(core, true);
		else
			insn = asb_kind(b, core) == ASC_CUBE ? cube_step(core, false) : vector_core_step(core);
		if (asb_kind(b, core) != ASC_CUBE && !draw(8))
			asb_mask(b, core, draw(2) ? UINT64_MAX : 0xffff, draw(2) ? UINT64_MAX : 0);
		if (!draw(40))
			asb_sync(b);
		asb_step(b, core, &insn);
	}
	CU_ASSERT_TRUE_FATAL(asb_finish(b, report, &error));
	if (!asc_check(program, machine, &error))
		tap_note("%s", error->message);
	asb_free(b);
	return program;
}

/* Operands that overlap inside a repeat are the steps' own fault. */
static void forget_overlaps(asc_run *r)
{
	for (guint i = r->violations->len; i-- > 0;)
		if (g_array_index(r->violations, asc_violation, i).kind == ASC_FINDING_OVERLAP)
			g_array_remove_index(r->violations, i);
}

static void nothing_is_wrong_with_random_steps(void)
{
	for (unsigned n = 0; n < CASES; n++) {
		asc_machine *machine = machine_of(n);
		g_autofree char *what = g_strdup_printf("case %u", n);
		sched_report report;
		asc_program *program;
		asc_run *r;

		state = 1000 + n;
		program = random_program(n, machine, &report);
		r = asc_sched_run(program, machine, false, false);
		forget_overlaps(r);
		asc_run_clean(r, what);
		asc_run_free(r);
		asc_program_free(program);
		sched_report_fini(&report);
		asc_machine_free(machine);
	}
}

/* The wait that takes what set I of STREAM sets; ids are used in turn, so the n-th set belongs to the n-th wait. */
static guint wait_of(const asc_stream *stream, guint set)
{
	const asc_insn *s = &g_array_index(stream->insns, asc_insn, set);
	unsigned before = 0;

	for (guint i = 0; i < set; i++) {
		const asc_insn *x = &g_array_index(stream->insns, asc_insn, i);

		before += x->op == ASC_OP_SETFLAG && !memcmp(x->f, s->f, 3 * sizeof(x->f[0]));
	}
	for (guint i = 0; i < stream->insns->len; i++) {
		const asc_insn *x = &g_array_index(stream->insns, asc_insn, i);

		if (x->op == ASC_OP_WAITFLAG && !memcmp(x->f, s->f, 3 * sizeof(x->f[0])) && !before--)
			return i;
	}
	CU_FAIL_FATAL("a set without a wait");
	return 0;
}

/* Takes instruction I out by making it one that does nothing. */
static asc_insn blank(asc_stream *stream, guint i)
{
	asc_insn *x = &g_array_index(stream->insns, asc_insn, i), old = *x;

	*x = asc_insn_make(ASC_OP_MOVI);
	return old;
}

typedef struct shares {
	unsigned flags, races, double_sets, barriers, barrier_races;
} shares;

static void take_out_each(asc_program *program, const asc_machine *machine, shares *all)
{
	for (guint k = 0; k < program->streams->len; k++) {
		asc_stream *stream = g_ptr_array_index(program->streams, k);

		for (guint i = 0; i < stream->insns->len; i++) {
			asc_insn *x = &g_array_index(stream->insns, asc_insn, i), set, wait = {.op = 0};
			bool flag = x->op == ASC_OP_SETFLAG;
			bool barrier = x->op == ASC_OP_BARRIER && x->f[0] != ASC_PIPE_ALL;
			guint at = flag ? wait_of(stream, i) : i;
			asc_run *r;

			if (!flag && !barrier)
				continue;
			set = blank(stream, i);
			if (flag)
				wait = blank(stream, at);
			r = asc_sched_run(program, machine, false, false);
			if (flag) {
				all->flags++;
				all->races += asc_run_found(r, ASC_FINDING_RACE) > 0;
				all->double_sets += !asc_run_found(r, ASC_FINDING_RACE) &&
				                    asc_run_found(r, ASC_FINDING_FLAG_DOUBLE_SET) > 0;
			} else {
				all->barriers++;
				all->barrier_races += asc_run_found(r, ASC_FINDING_RACE) > 0 ||
				                      asc_run_found(r, ASC_FINDING_FLAG_DOUBLE_SET) > 0;
			}
			asc_run_free(r);
			g_array_index(stream->insns, asc_insn, i) = set;
			if (flag)
				g_array_index(stream->insns, asc_insn, at) = wait;
		}
	}
}

static void the_lack_of_every_flag_and_barrier_is_found(void)
{
	shares all = {.flags = 0};

	for (unsigned n = 0; n < REMOVED_CASES; n++) {
		asc_machine *machine = machine_of(n);
		sched_report report;
		asc_program *program;

		state = 5000 + n;
		program = random_program(n, machine, &report);
		take_out_each(program, machine, &all);
		asc_program_free(program);
		sched_report_fini(&report);
		asc_machine_free(machine);
	}
	tap_note("%u flags taken out: %u races, %u double sets, %u of %u barriers", all.flags, all.races,
	         all.double_sets, all.barrier_races, all.barriers);
	CU_ASSERT_TRUE(all.flags > 100);
	CU_ASSERT_EQUAL(all.races + all.double_sets, all.flags);
	CU_ASSERT_EQUAL(all.barrier_races, all.barriers);
}

int main(void)
{
	static const tap_case cases[] = {
		{"nothing_is_wrong_with_random_steps", nothing_is_wrong_with_random_steps},
		{"the_lack_of_every_flag_and_barrier_is_found", the_lack_of_every_flag_and_barrier_is_found},
	};

	return tap_run("ascend synchronisation, random", cases, G_N_ELEMENTS(cases));
}
