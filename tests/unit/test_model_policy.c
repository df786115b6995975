/* SPDX-License-Identifier: Apache-2.0
 *
 * Run control: policies, freeze against a lockstep memory replayed by hand and by a small program, epochs, the limit of
 * reports, and that neither the order inside a phase nor carrying values changes anything.
 */
#include "isa/bankmap.h"
#include "isa/rng.h"
#include "tests/unit/model_rig.h"

#include <string.h>

#define HOST ".epoch \"e\" start=0\n.image 0 1000000\n"

static const probe_slip *slip_at(const rig *r, guint i)
{
	CU_ASSERT_FATAL(i < r->slips->len);
	return &g_array_index(r->slips, probe_slip, i);
}

static void fault_stop_ends_after_the_cycle_of_the_first_violation(void)
{
	/* Two violations in cycle 3, one in cycle 5. */
	const char *text = "@3 vxm0: copy r1, r0 type=fp16 lanes=320\n@3 vxm1: copy r1, r0 type=fp16 lanes=320\n"
			   "@5 vxm0: copy r1, r0 type=fp16 lanes=320\n";
	rig *r = rig_run(text, &(rig_setup){.policy = TSP_POLICY_FAULT_STOP});

	CU_ASSERT_EQUAL(r->counters->violations, 2);
	CU_ASSERT_EQUAL(r->counters->issues, 2);
	CU_ASSERT_EQUAL(tsp_chip_now(r->chip), 3);
	rig_free(r);
	r = rig_run(text, NULL);
	CU_ASSERT_EQUAL(r->counters->violations, 3);
	rig_free(r);
}

static void reports_stop_at_the_limit_counting_goes_on(void)
{
	const char *text =
		"@3 vxm1: copy r1, r0 type=fp16 lanes=320 x5 every 1\n@3 vxm0: copy r2, r0 type=fp16 lanes=320\n";
	rig *r = rig_run(text, &(rig_setup){.max_violations = 2});

	CU_ASSERT_EQUAL(r->counters->violations, 6);
	CU_ASSERT_EQUAL(r->violations->len, 2);
	/* Of one cycle the lower queue comes first. */
	CU_ASSERT_EQUAL(g_array_index(r->violations, probe_violation, 0).insn, 1);
	rig_free(r);
}

static void freeze_waits_for_the_group_before(void)
{
	/* Group of cycle 0: 3 requests in bank 0 (three segments 2224 apart): occupies 3 cycles of wall time.  The next
	 * one, in cycle 1, waits 2; the one in cycle 2 (wall 4) follows at once.  Program time: the first takes its 3
	 * beats. */
	const char *text = HOST "a: @0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=3\n"
				"b: @1 mem1: load r1 addr=0 len=640\n"
				"c: @2 mem0: load r2 addr=0 len=640\n";
	rig *r = rig_run(text, &(rig_setup){.policy = TSP_POLICY_FREEZE});

	CU_ASSERT_EQUAL(r->counters->slip_cycles, 2);
	CU_ASSERT_EQUAL(r->slips->len, 1);
	CU_ASSERT_EQUAL(slip_at(r, 0)->cycle, 1);
	CU_ASSERT_EQUAL(slip_at(r, 0)->cycles, 2);
	CU_ASSERT_EQUAL(slip_at(r, 0)->insn, 1);
	CU_ASSERT_EQUAL(slip_at(r, 0)->other, 0);
	CU_ASSERT_EQUAL(slip_at(r, 0)->bank, 0);
	RIG_RESULT(r, 0, 6);
	RIG_RESULT(r, 1, 5);
	RIG_RESULT(r, 2, 6);
	RIG_CLEAN(r);
	rig_free(r);
	/* Under fault the bank delays instead: b's block 0 waits for cycle 3, due 3 + 4. */
	r = rig_run(text, NULL);
	CU_ASSERT_EQUAL(r->counters->slip_cycles, 0);
	RIG_RESULT(r, 1, 7);
	rig_free(r);
}

static void freeze_groups_all_that_a_cycle_presents(void)
{
	/* Two queues in bank 5 in one cycle: load 2.  A third cycle's access waits 1; in program time all take one
	 * beat. */
	rig *r = rig_run(HOST "a: @0 mem0: load r0 addr=80 len=16\nb: @0 mem1: load r1 addr=2304 len=16\n"
	                      "c: @1 mem0: load r2 addr=0 len=16\n",
	                 &(rig_setup){.policy = TSP_POLICY_FREEZE});

	CU_ASSERT_EQUAL(r->counters->slip_cycles, 1);
	CU_ASSERT_EQUAL(slip_at(r, 0)->insn, 2);
	CU_ASSERT_EQUAL(slip_at(r, 0)->other, 0);
	CU_ASSERT_EQUAL(slip_at(r, 0)->bank, 5);
	RIG_RESULT(r, 0, 4);
	RIG_RESULT(r, 1, 4);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->delayed, 1);
	CU_ASSERT_EQUAL(rig_issue(r, 1, 0)->delay, 0);
	rig_free(r);
}

static void freeze_pauses_do_not_cost_slip(void)
{
	/* The second group comes when the first has left. */
	rig *r = rig_run(HOST
	                 "a: @0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=3\nb: @3 mem1: load r1 addr=0 len=640\n",
	                 &(rig_setup){.policy = TSP_POLICY_FREEZE});

	CU_ASSERT_EQUAL(r->counters->slip_cycles, 0);
	rig_free(r);
}

static void freeze_equals_the_lockstep_model_on_a_recorded_trace(void)
{
	/* 300 cycles of random accesses of one to three queues.  Replay: a group occupies the memory for the largest
	 * number of its requests in one bank; the next begins when it is presented or when the memory is free. */
	g_autoptr(GString) text = g_string_new(HOST);
	bankmap *map = bankmap_new("mod:139", 144, 100000, NULL);
	int64_t wall = 0, free_at = 0, slip = 0;
	rng random;
	rig *r;

	rng_seed(&random, 5, 0);
	for (int64_t cycle = 0; cycle < 300; cycle++) {
		unsigned load[144] = {0};
		unsigned largest = 0;

		for (unsigned queue = 0; queue < 3; queue++) {
			unsigned count = 1 + (unsigned)rng_below(&random, 6);
			unsigned base = 16 * (unsigned)rng_below(&random, 500);
			unsigned pitch = 16 * (unsigned)rng_below(&random, 300);

			if (rng_below(&random, 3) == 0)
				continue;
			g_string_append_printf(text, "@%u mem%u: loads r%u addr=%u seg=16 pitch=%u count=%u\n",
			                       (unsigned)cycle, queue, queue, base, pitch, count);
			for (unsigned i = 0; i < count; i++) {
				unsigned *bank = &load[bankmap_bank(map, (base + i * pitch) / 16)];

				++*bank;
				largest = MAX(largest, *bank);
			}
		}
		wall = cycle + slip;
		if (!largest)
			continue;
		if (free_at > wall) {
			slip += free_at - wall;
			wall = free_at;
		}
		free_at = wall + largest;
	}
	r = rig_run(text->str, &(rig_setup){.policy = TSP_POLICY_FREEZE});
	CU_ASSERT_TRUE(slip > 20);
	CU_ASSERT_EQUAL(r->counters->slip_cycles, slip);
	RIG_CLEAN(r);
	rig_free(r);
	bankmap_free(map);
}

static void freeze_on_slices_costs_one_cycle_a_conflict(void)
{
	/* Two slices meet themselves in cycle 101: one freeze; another in 105. */
	const char *text =
		".epoch \"e\" start=0\n.image 0 10485760\n"
		"@100 mem.w0: read e0 addr=9\n"
		"@101 mem.w1: readwrite e1, e0 addr=3 waddr=4\n@101 mem.w2: readwrite e2, e0 addr=3 waddr=4\n"
		"@104 mem.w0: read e0 addr=9\n@105 mem.w1: readwrite e1, e0 addr=4099 waddr=4100\n";
	rig *r = rig_run(text, &(rig_setup){.machine = "tsp-isca20", .policy = TSP_POLICY_FREEZE});

	RIG_CLEAN(r);
	CU_ASSERT_EQUAL(r->counters->slip_cycles, 2);
	CU_ASSERT_EQUAL(r->slips->len, 2);
	CU_ASSERT_EQUAL(slip_at(r, 0)->cycle, 101);
	CU_ASSERT_EQUAL(slip_at(r, 0)->insn, 1);
	CU_ASSERT_EQUAL(slip_at(r, 1)->bank, 3);
	rig_free(r);
}

static void links_see_wall_time(void)
{
	/* SEND at 4 (wall 4) is receivable at wall 8.  A slip of 2 in cycle 6 makes program cycle 7 wall 9: RECV may
	 * come at program cycle 7, which is late without the slip. */
	const char *text = HOST "@0 mem0: load r0 addr=0 len=640\ns: @4 c2c.0: send r0\n"
				"@5 mem0: loads r1 addr=0 seg=16 pitch=2224 count=3\n@6 mem0: load r2 addr=0 len=640\n"
				"@7 c2c.0: recv r3\n\t.source 0 from=s\n";
	rig *r = rig_run(text, &(rig_setup){.policy = TSP_POLICY_FREEZE});

	CU_ASSERT_EQUAL(r->counters->slip_cycles, 2);
	RIG_CLEAN(r);
	RIG_RESULT(r, 4, 8);
	rig_free(r);
	r = rig_run(text, NULL);
	RIG_ONE(r, ISA_VIOLATION_LATE_OPERAND, 4, 7);
	rig_free(r);
}

/* --- epochs --- */

typedef struct epoch_log {
	char text[200];
} epoch_log;

static void note_epoch(void *state, tsp_chip *chip, uint32_t epoch)
{
	epoch_log *log = state;
	uint8_t at_0, at_640;
	bool known_0 = tsp_chip_read(chip, 0, &at_0, 1);
	bool known_640 = tsp_chip_read(chip, 640, &at_640, 1);
	size_t used = strlen(log->text);

	g_snprintf(log->text + used, sizeof log->text - used, "%u@%d:%d,%d ", epoch, (int)tsp_chip_now(chip),
	           known_0 ? at_0 : -1, known_640 ? at_640 : -1);
}

static void every_epoch_ends_once_before_the_next_data(void)
{
	/* Epoch 0 copies byte 7 from 0 to 640 (readable at 8); epoch 1 begins at 20 with 9 at 0 and copies it: readable
	 * at 30, the last result.  At 20 byte 640 is gone. */
	const char *text = ".epoch \"a\" start=0\n.image 0 1\n.hex 07\n"
			   "@0 mem0: load r0 addr=0 len=1\n@4 mem0: store r0 addr=640 len=1\n"
			   ".epoch \"b\" start=20\n.image 0 1\n.hex 09\n"
			   "@20 mem1: load r1 addr=640 len=1\n"
			   "@22 mem0: load r0 addr=0 len=1\n\t.source 0 resident\n@26 mem0: store r0 addr=640 len=1\n";
	epoch_log log = {""};
	rig *r = rig_run(text, &(rig_setup){.functional = true, .epoch_end = note_epoch, .state = &log});

	CU_ASSERT_STRING_EQUAL(log.text, "0@19:7,7 1@30:9,9 ");
	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 2, 20);
	rig_free(r);
}

static void the_last_access_before_an_epoch_sees_the_old_data(void)
{
	const char *text = ".epoch \"a\" start=0\n.image 0 640\n.epoch \"b\" start=20\n.image 640 640\n"
			   "@19 mem0: load r0 addr=0 len=640\n@20 mem0: load r1 addr=640 len=640\n";
	rig *r = rig_run(text, NULL);

	RIG_CLEAN(r);
	rig_free(r);
	r = rig_run(".epoch \"a\" start=0\n.image 0 640\n.epoch \"b\" start=20\n.image 640 640\n"
	            "@19 mem0: load r0 addr=640 len=640\n@20 mem0: load r1 addr=0 len=640\n",
	            NULL);
	CU_ASSERT_EQUAL(rig_count(r, ISA_VIOLATION_UNWRITTEN), 2);
	rig_free(r);
}

static void an_epoch_that_begins_later_finds_an_empty_memory_before(void)
{
	rig *r = rig_run(".epoch \"a\" start=5\n.image 0 640\n@4 mem0: load r0 addr=0 len=640 x2 every 1\n", NULL);

	RIG_ONE(r, ISA_VIOLATION_UNWRITTEN, 0, 4);
	rig_free(r);
}

static void a_program_without_instructions_still_ends_its_epochs(void)
{
	epoch_log log = {""};
	rig *r = rig_run(".epoch \"a\" start=0\n.epoch \"b\" start=7\n",
	                 &(rig_setup){.functional = true, .epoch_end = note_epoch, .state = &log});

	CU_ASSERT_STRING_EQUAL(log.text, "0@6:-1,-1 1@6:-1,-1 ");
	CU_ASSERT_EQUAL(r->counters->cycles, 0);
	CU_ASSERT_EQUAL(r->counters->issues, 0);
	rig_free(r);
}

static void values_are_not_carried_in_timing_mode(void)
{
	epoch_log log = {""};
	rig *r = rig_run(".epoch \"a\" start=0\n.image 0 640\n@0 mem0: load r0 addr=0 len=640\n@4 mem0: store r0 "
	                 "addr=640 len=1\n",
	                 &(rig_setup){.epoch_end = note_epoch, .state = &log});

	CU_ASSERT_STRING_EQUAL(log.text, "0@8:-1,-1 ");
	rig_free(r);
}

/* --- order and mode change nothing --- */

/* A program with everything that competes: banks, ports, planes, cells, late and wrong operands, links. */
static const char *const busy[] = {
	HOST "a: @0 mem0: load r0 addr=0 len=640 x60 every 1 step 656 rot.dst=1/20\n"
	     "b: @0 mem1: load r20 addr=1 len=640 x60 every 1 step 1312 rot.dst=1/20\n"
	     "c: @0 mem2: loads r40 addr=0 seg=16 pitch=2224 count=7 x30 every 2 rot.dst=2/20\n"
	     "d: @3 mem3: store r0 addr=100000 len=640 x50 every 1 step 80 rot.src0=1/20\n"
	     "@2 vxm0: add r100, r0, r20 type=fp16 lanes=320 x50 every 1 rot.src0=1/20 rot.src1=1/20\n"
	     "\t.source 0 from=a step=1\n\t.source 1 from=b step=1\n"
	     "@2 vxm1: add r100, r1, r21 type=fp16 lanes=320 x50 every 1 rot.src0=1/20\n"
	     "@2 vxm2: mul r101, r1, r21 type=fp32 lanes=320 x50 every 1\n"
	     "@2 vxm3: tanh r102, r1 type=fp32 lanes=320 x50 every 1\n\t.source 0 from=c step=1\n"
	     "@5 mxm0.w: lw r0 addr=0 count=1 type=fp16 lanes=320 x40 every 1 step 1\n"
	     "@5 mxm1.w: lw r1 addr=2 count=1 type=fp16 lanes=320 x40 every 1 step 1\n"
	     "@5 mxm2.w: lw r2 addr=0 count=2 type=int8 lanes=320 x40 every 1\n"
	     "@5 mxm3.w: lw r3 addr=0 count=2 type=int8 lanes=320 x40 every 1\n"
	     "@48 mxm0.w: iw count=40 type=fp16 x10 every 1\n@48 mxm3.w: iw count=2 type=int8 x10 every 1\n"
	     "@50 mxm0.a: abc r0 addr=0 mode=add type=fp16 lanes=320 x20 every 1 step 1\n"
	     "@50 mxm1.a: abc r0 addr=0 mode=add type=int8 lanes=320 x20 every 1 step 1\n"
	     "@55 mxm0.c: acc r120 addr=0 type=fp16 lanes=320 x20 every 1 step 1\n"
	     "@10 c2c.0: send r0 x5 every 1\n@15 c2c.0: recv r1 x9 every 1\n"
	     "@20 sxm.transpose0: transpose r0, r5 x4 every 1\n",
	".epoch \"e\" start=0\n.image 0 20971520\n"
	"a: @100 mem.w0: read e0 addr=0 x20 every 1 step 1\nb: @100 mem.w1: read e0 addr=0 x20 every 1 step 1\n"
	"c: @101 mem.w4: read e0 addr=0 x20 every 1 step 1\nd: @100 mem.e0: read e0 addr=0 x20 every 2 step 1\n"
	"@100 mem.w5: readwrite e1, e0 addr=0 waddr=9 x20 every 1\n"
	"@104 mem.e5: write e0 addr=0 x20 every 1 step 1\n\t.source 0 from=a step=1\n"
	"@103 vxm0: copy w0, e0 type=int8 lanes=320 x20 every 1\n\t.source 0 from=b step=1\n"
	"@103 vxm1: copy w0, e0 type=fp16 lanes=320 x20 every 1\n"
	"@113 vxm2: copy w1, alu.0 type=int8 lanes=320 x20 every 1\n"
	"@120 mem.w7: gather e0, w0 x9 every 1\n@120 mem.w6: scatter w1, w0 x9 every 1\n"
	"@115 sxm.e.rotate0: rotate w0, e0 distance=3 type=int8 x20 every 1\n",
};
static const char *const busy_machine[] = {"tsp", "tsp-isca20"};

static void no_result_depends_on_the_order_inside_a_phase(void)
{
	static const enum tsp_policy policies[] = {TSP_POLICY_FAULT_CONTINUE, TSP_POLICY_FAULT_STOP, TSP_POLICY_FREEZE};

	for (size_t i = 0; i < G_N_ELEMENTS(busy); i++)
		for (size_t p = 0; p < G_N_ELEMENTS(policies); p++)
			for (unsigned functional = 0; functional < 2; functional++) {
				g_autofree char *want = NULL;

				for (uint64_t seed = 0; seed < 8; seed++) {
					rig *r = rig_run(busy[i], &(rig_setup){.machine = busy_machine[i],
					                                       .sets = {"vreg.read_ports=9",
					                                                "vreg.write_ports=4"},
					                                       .policy = policies[p],
					                                       .functional = functional,
					                                       .max_violations = 500,
					                                       .shuffle = seed});
					g_autofree char *got = rig_dump(r);

					CU_ASSERT_TRUE(r->counters->violations > 1);
					if (!want)
						want = g_steal_pointer(&got);
					else
						CU_ASSERT_STRING_EQUAL(got, want);
					rig_free(r);
				}
			}
}

static void functional_runs_have_the_same_times_and_verdicts(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(busy); i++) {
		g_autofree char *text = NULL;
		g_autofree char *timing = NULL;
		g_autofree char *functional = NULL;
		rig *r;

		/* Unknown maps are what timing mode alone complains about; leave GATHER and SCATTER out. */
		const char *end = strstr(busy[i], "@120 mem.w7");

		text = end ? g_strndup(busy[i], (gsize)(end - busy[i])) : g_strdup(busy[i]);
		r = rig_run(text, &(rig_setup){.machine = busy_machine[i]});
		timing = rig_dump(r);
		rig_free(r);
		r = rig_run(text, &(rig_setup){.machine = busy_machine[i], .functional = true});
		functional = rig_dump(r);
		rig_free(r);
		CU_ASSERT_STRING_EQUAL(timing, functional);
	}
}

static void nobody_listening_changes_no_counter(void)
{
	rig *loud = rig_run(busy[0], NULL);
	rig *quiet = rig_run(busy[0], &(rig_setup){.quiet = true});

	CU_ASSERT_EQUAL(quiet->issues->len, 0);
	CU_ASSERT_EQUAL(loud->issues->len, loud->counters->issues);
	CU_ASSERT_EQUAL(loud->counters->issues, quiet->counters->issues);
	CU_ASSERT_EQUAL(loud->counters->violations, quiet->counters->violations);
	CU_ASSERT_EQUAL(loud->counters->cycles, quiet->counters->cycles);
	CU_ASSERT_EQUAL(loud->counters->bank_delayed, quiet->counters->bank_delayed);
	rig_free(loud);
	rig_free(quiet);
}

static void a_store_due_at_the_next_epochs_start_belongs_to_the_old_one(void)
{
	/* Readable at 8, when the next epoch begins. */
	const char *text = ".epoch \"a\" start=0\n.image 0 1\n.hex 07\n"
			   "@0 mem0: load r0 addr=0 len=1\n@4 mem0: store r0 addr=640 len=1\n.epoch \"b\" start=8\n";
	epoch_log log = {""};
	rig *r = rig_run(text, &(rig_setup){.functional = true, .epoch_end = note_epoch, .state = &log});

	CU_ASSERT_STRING_EQUAL(log.text, "0@7:7,7 1@8:-1,-1 ");
	rig_free(r);
}

static void cycles_count_from_the_first_issue(void)
{
	rig *r = rig_run(HOST "@10 mem0: load r0 addr=0 len=640\n", NULL);

	CU_ASSERT_EQUAL(r->counters->first_issue, 10);
	CU_ASSERT_EQUAL(r->counters->cycles, 4);
	rig_free(r);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(fault_stop_ends_after_the_cycle_of_the_first_violation),
		CASE(reports_stop_at_the_limit_counting_goes_on),
		CASE(freeze_waits_for_the_group_before),
		CASE(freeze_groups_all_that_a_cycle_presents),
		CASE(freeze_pauses_do_not_cost_slip),
		CASE(freeze_equals_the_lockstep_model_on_a_recorded_trace),
		CASE(freeze_on_slices_costs_one_cycle_a_conflict),
		CASE(links_see_wall_time),
		CASE(every_epoch_ends_once_before_the_next_data),
		CASE(the_last_access_before_an_epoch_sees_the_old_data),
		CASE(an_epoch_that_begins_later_finds_an_empty_memory_before),
		CASE(a_program_without_instructions_still_ends_its_epochs),
		CASE(a_store_due_at_the_next_epochs_start_belongs_to_the_old_one),
		CASE(cycles_count_from_the_first_issue),
		CASE(values_are_not_carried_in_timing_mode),
		CASE(no_result_depends_on_the_order_inside_a_phase),
		CASE(functional_runs_have_the_same_times_and_verdicts),
		CASE(nobody_listening_changes_no_counter),
	};

	return tap_run("model policies", cases, G_N_ELEMENTS(cases));
}
