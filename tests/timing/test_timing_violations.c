/* SPDX-License-Identifier: Apache-2.0
 *
 * One program for each kind of violation that has exactly that one, beside a neighbour that has none.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#include <string.h>

#define HASHED ".epoch \"e\" start=0\n.image 0 8192\n"
#define DIRECT ".epoch \"e\" start=0\n.image $w43:0 3200\n.image $w42:0 3200\nx: @40 mem.w43: read e0 addr=0\n"
#define WEIGHTS                                                                                                        \
	HASHED "@0 mem0: load wt.0 addr=0 len=16\n@4 mem0: load act.1 addr=16 len=16\n"                                \
	       "l: @4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=16\n"
/* Queues of 8 words, fetched by 4 in 4 cycles; see test_timing_queues.c. */
#define FETCHED "tsp-isca20 icu.queue_words=8 icu.ifetch_words=4 icu.ifetch_cycles=4"
#define FIVE_READS                                                                                                     \
	".epoch \"e\" start=0\n.image $w43:0 3200\n"                                                                   \
	"@35 mem.w43: read e0 addr=0\n@37 mem.w43: read e0 addr=5\n@39 mem.w43: read e0 addr=1\n"                      \
	"@41 mem.w43: read e0 addr=7\n@43 mem.w43: read e0 addr=2\n"

#define HASHED_LOW ".epoch \"e\" start=0\n.image 0 22240\n.image 23040 23040\n"
#define SKEWED     ".buffer \"b\" \"skew:144,5\" base=23040 bytes=23040\n"

static const struct {
	enum isa_violation kind;
	const char *machine, *text;           /* exactly one */
	const char *good_machine, *good_text; /* none; NULL = the same */
} programs[] = {
	{ISA_VIOLATION_BANK_CONFLICT, "tsp-isca20", DIRECT "@41 mem.w42: readwrite e1, e0 addr=0 waddr=4095\n", NULL,
         DIRECT "@41 mem.w42: readwrite e1, e0 addr=0 waddr=4096\n"},
	{ISA_VIOLATION_STREAM_COLLISION, "tsp-isca20", DIRECT "@40 mem.w42: read e0 addr=0\n", NULL,
         DIRECT "@41 mem.w42: read e0 addr=0\n"},
	{ISA_VIOLATION_UNDRIVEN_CELL, "tsp-isca20", DIRECT "@42 mem.w42: write e0 addr=100\n", NULL,
         DIRECT "@41 mem.w42: write e0 addr=100\n"},
	{ISA_VIOLATION_WRONG_OPERAND, "tsp",
         HASHED "a: @0 mem0: load r0 addr=0 len=16\nb: @1 mem0: load r0 addr=16 len=16\n"
                "@5 vxm0: copy r1, r0 type=int8 lanes=16\n.source 0 from=a\n",
         NULL,
         HASHED "a: @0 mem0: load r0 addr=0 len=16\nb: @1 mem0: load r0 addr=16 len=16\n"
                "@4 vxm0: copy r1, r0 type=int8 lanes=16\n.source 0 from=a\n"},
	{ISA_VIOLATION_LATE_OPERAND, "tsp",
         HASHED "a: @0 mem0: load r0 addr=0 len=16\n@3 vxm0: copy r1, r0 type=int8 lanes=16\n.source 0 from=a\n", NULL,
         HASHED "a: @0 mem0: load r0 addr=0 len=16\n@4 vxm0: copy r1, r0 type=int8 lanes=16\n.source 0 from=a\n"},
	{ISA_VIOLATION_UNWRITTEN, "tsp",
         HASHED "@0 mem0: load r0 addr=0 len=16\n@4 vxm0: copy r2, r1 type=int8 lanes=16\n", NULL,
         HASHED "@0 mem0: load r0 addr=0 len=16\n@4 vxm0: copy r2, r0 type=int8 lanes=16\n"},
	{ISA_VIOLATION_PORT_OVERUSE, "tsp vreg.read_ports=1",
         HASHED "@0 mem0: load r0 addr=0 len=16\n@4 vxm0: add r2, r0, r0 type=int8 lanes=16\n", "tsp vreg.read_ports=2",
         NULL},
	{ISA_VIOLATION_QUEUE_UNDERRUN, FETCHED " hw.icu.ifetch_cycles=5", FIVE_READS, FETCHED, NULL},
	{ISA_VIOLATION_ADDRESS_RANGE, "tsp", /* 139 banks x 100,000 rows x 16 B */
         ".epoch \"e\" start=0\n.image 222399984 16\n@0 mem0: load r0 addr=222400000 len=16\n", NULL,
         ".epoch \"e\" start=0\n.image 222399984 16\n@0 mem0: load r0 addr=222399984 len=16\n"},
	{ISA_VIOLATION_IW_BEFORE_WEIGHTS, "tsp", WEIGHTS "@5 mxm0.w: iw count=2 type=int8\n", NULL,
         WEIGHTS "@5 mxm0.w: iw count=1 type=int8\n"},
	{ISA_VIOLATION_ACC_OVERFLOW, "tsp",
         WEIGHTS "@5 mxm0.w: iw count=1 type=int8\n@8 mxm0.a: abc act.1 addr=512 type=int8 lanes=16\n", NULL,
         WEIGHTS "@5 mxm0.w: iw count=1 type=int8\n@8 mxm0.a: abc act.1 addr=511 type=int8 lanes=16\n"},
	{ISA_VIOLATION_WRONG_MAP,
         "tsp", /* block 1440 is the first of row 10 under the skew; mod:139 has row 9 end before */
         HASHED_LOW SKEWED "@0 mem0: load r0 addr=23040 len=16\n", NULL,
         HASHED_LOW SKEWED "@0 mem0: load r0 addr=23040 len=16 buffer=1\n"},
	{ISA_VIOLATION_ILLEGAL, "tsp", /* bitwise operations have no floating type */
         HASHED "@0 mem0: load r0 addr=0 len=16\n@4 vxm0: not r1, r0 type=fp16 lanes=8\n", NULL,
         HASHED "@0 mem0: load r0 addr=0 len=16\n@4 vxm0: not r1, r0 type=int16 lanes=8\n"},
};

static void each_kind_alone_and_its_neighbour(void)
{
	bool seen[ISA_VIOLATION_COUNT] = {[ISA_VIOLATION_INT_OVERFLOW] = true}; /* below */

	for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
		const char *good_machine = programs[i].good_machine ? programs[i].good_machine : programs[i].machine;
		const char *good_text = programs[i].good_text ? programs[i].good_text : programs[i].text;
		g_autoptr(micro) bad = micro_run(programs[i].machine, programs[i].text);
		g_autoptr(micro) good = micro_run(good_machine, good_text);

		if (micro_count(bad, programs[i].kind) != 1 || micro_count(good, ISA_VIOLATION_COUNT))
			tap_note("%s", isa_violation_name(programs[i].kind));
		CU_ASSERT_EQUAL(micro_count(bad, programs[i].kind), 1);
		CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
		CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
		seen[programs[i].kind] = true;
	}
	for (int kind = 0; kind < ISA_VIOLATION_COUNT; kind++)
		CU_ASSERT_TRUE(seen[kind]);
}

/* Weights and activations of -128 in 320 rows: each ABC adds 320 * 128 * 128 = 5,242,880 to its row; 409 of them are
 * 2,144,337,920, 410 are 2,149,580,800, above 2^31 - 1. */
static micro *sum_of(const char *machine, int count)
{
	g_autofree char *activation = g_strnfill(640, '8');
	g_autofree char *text = NULL;

	for (int i = 1; i < 640; i += 2)
		activation[i] = '0';
	text = g_strdup_printf(".epoch \"e\" start=0\n.image 0 320\n.hex %s\n"
	                       "@0 mem0: load wt.0 addr=0 len=1\n@0 mem1: load act.1 addr=0 len=320\n"
	                       "@4 mxm0.w: lw wt.0 addr=0 count=1 type=int8 lanes=1 x320 every 1 step 1\n"
	                       "@324 mxm0.w: iw count=320 type=int8\n"
	                       "@327 mxm0.a: abc act.1 addr=0 type=int8 lanes=320\n"
	                       "@328 mxm0.a: abc act.1 addr=0 mode=add type=int8 lanes=320 x%d every 1\n",
	                       activation, count - 1);
	return micro_run(machine, text);
}

static void sum_beyond_32_bits_is_found_in_functional_mode_only(void)
{
	g_autoptr(micro) fits = sum_of("tsp", 409);
	g_autoptr(micro) wraps = sum_of("tsp", 410);
	g_autoptr(micro) timing = sum_of("tsp timing", 410);

	CU_ASSERT_EQUAL(micro_count(fits, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(wraps, ISA_VIOLATION_INT_OVERFLOW), 1);
	CU_ASSERT_EQUAL(micro_count(wraps, ISA_VIOLATION_COUNT), 1);
	CU_ASSERT_EQUAL(micro_violation(wraps).index, 408);
	CU_ASSERT_EQUAL(micro_count(timing, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_cycles(timing), micro_cycles(wraps));
}

static void register_ports_count_reads_sampled_and_writes_due_in_a_cycle(void)
{
	/* Two copies at 4: two reads, two writes due at 7; the exp of 7 - 12 cycles before is due then too. */
	const char *text = HASHED "@0 mem0: load r0 addr=0 len=16\n"
				  "@4 vxm0: exp r3, r0 type=fp16 lanes=8\n"
				  "@13 vxm1: copy r1, r0 type=int8 lanes=16\n"
				  "@13 vxm2: copy r2, r0 type=int8 lanes=16\n";
	g_autoptr(micro) enough = micro_run("tsp vreg.read_ports=2 vreg.write_ports=3", text);
	g_autoptr(micro) reads = micro_run("tsp vreg.read_ports=1 vreg.write_ports=3", text);
	g_autoptr(micro) writes = micro_run("tsp vreg.read_ports=2 vreg.write_ports=2", text);
	g_autoptr(micro) one = micro_run("tsp vreg.read_ports=2 vreg.write_ports=1", text);

	/* exp: 4 + 12 = 16; copies: 13 + 3 = 16. */
	CU_ASSERT_EQUAL(micro_count(enough, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(reads, ISA_VIOLATION_PORT_OVERUSE), 1);
	CU_ASSERT_EQUAL(micro_violation(reads).cycle, 13);
	CU_ASSERT_EQUAL(micro_count(writes, ISA_VIOLATION_PORT_OVERUSE), 1);
	CU_ASSERT_EQUAL(micro_violation(writes).cycle, 16);
	CU_ASSERT_EQUAL(micro_count(one, ISA_VIOLATION_PORT_OVERUSE), 2);
}

static void wide_operands_count_twice_at_the_ports(void)
{
	const char *text = HASHED "@0 mem0: load r0 addr=0 len=1280\n@4 vxm0: neg r2, r0 type=fp32 lanes=320\n";
	g_autoptr(micro) enough = micro_run("tsp vreg.read_ports=2 vreg.write_ports=2", text);
	g_autoptr(micro) few = micro_run("tsp vreg.read_ports=1 vreg.write_ports=2", text);
	g_autoptr(micro) few_writes = micro_run("tsp vreg.read_ports=2 vreg.write_ports=1", text);

	CU_ASSERT_EQUAL(micro_count(enough, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(few, ISA_VIOLATION_PORT_OVERUSE), 1);
	/* the load's two registers at 4, the neg's at 7 */
	CU_ASSERT_EQUAL(micro_count(few_writes, ISA_VIOLATION_PORT_OVERUSE), 2);
}

static void named_host_data_must_not_have_been_overwritten(void)
{
	const char *text = HASHED "@0 mem0: load r0 addr=0 len=16\n@4 mem0: store r0 addr=16 len=16\n"
				  "@%d mem1: load r1 addr=16 len=16\n.source 0 resident\n";
	g_autofree char *before = g_strdup_printf(text, 7);
	g_autofree char *after = g_strdup_printf(text, 8);
	g_autoptr(micro) good = micro_run("tsp", before);
	g_autoptr(micro) bad = micro_run("tsp", after);

	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_WRONG_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
}

static void granules_of_one_load_may_name_several_producers(void)
{
	/* Two stores of 16 bytes at 64 and 80; a load of 32 names one for each granule, first in order, then the wrong
	 * way. */
	const char *text = HASHED "@0 mem0: load r0 addr=0 len=16\n"
				  "a: @4 mem0: store r0 addr=64 len=16\nb: @4 mem1: store r0 addr=80 len=16\n"
				  "@8 mem0: load r1 addr=64 len=32\n.source 0 from=%c segments=1\n.source 0 from=%c\n";
	g_autofree char *right = g_strdup_printf(text, 'a', 'b');
	g_autofree char *wrong = g_strdup_printf(text, 'a', 'a');
	g_autoptr(micro) good = micro_run("tsp", right);
	g_autoptr(micro) bad = micro_run("tsp", wrong);

	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_WRONG_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
}

static void instances_of_a_loop_are_told_apart(void)
{
	/* Four loads into one register, one a cycle; four copies name them one by one.  Shifted by one, each finds its
	 * neighbour: the last comes in late, the others as late too, since what they want is due the cycle after. */
	const char *text = HASHED "x: @0 mem0: load r0 addr=0 len=16 x4 every 1 step 16\n"
				  "@%d vxm0: copy r1, r0 type=int8 lanes=16 x4 every 1\n.source 0 from=x step=1\n";
	g_autofree char *in_step = g_strdup_printf(text, 4);
	g_autofree char *early = g_strdup_printf(text, 3);
	g_autofree char *late = g_strdup_printf(text, 5);
	g_autoptr(micro) good = micro_run("tsp", in_step);
	g_autoptr(micro) too_early = micro_run("tsp", early);
	g_autoptr(micro) too_late = micro_run("tsp", late);

	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(too_early, ISA_VIOLATION_LATE_OPERAND), 4);
	CU_ASSERT_EQUAL(micro_count(too_early, ISA_VIOLATION_COUNT), 4);
	/* The fourth value stays: only three are overwritten. */
	CU_ASSERT_EQUAL(micro_count(too_late, ISA_VIOLATION_WRONG_OPERAND), 3);
	CU_ASSERT_EQUAL(micro_count(too_late, ISA_VIOLATION_COUNT), 3);
}

static void register_beyond_the_last_is_found(void)
{
	/* Scheduled for 320 registers, run with 300; once a word, twice it issues. */
	const char *text =
		HASHED "@0 mem0: load r0 addr=0 len=16\n@4 vxm0: copy r%d, r0 type=int8 lanes=16 x2 every 1\n";
	g_autofree char *last = g_strdup_printf(text, 299);
	g_autofree char *beyond = g_strdup_printf(text, 300);
	g_autoptr(micro) good = micro_run("tsp hw.vreg.count=300", last);
	g_autoptr(micro) bad = micro_run("tsp hw.vreg.count=300", beyond);

	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_ADDRESS_RANGE), 1);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
}

static void weights_of_both_planes_of_a_pair_are_checked(void)
{
	/* fp16 weights in the pair of planes 0 and 1, then int8 weights of plane 1 over the high bytes. */
	const char *text = HASHED "@0 mem0: load wt.0 addr=0 len=640\n@0 mem1: load wt.1 addr=640 len=320\n"
				  "@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=320\n"
				  "i: @5 mxm0.w: iw count=1 type=fp16\n"
				  "@6 mxm1.w: lw wt.1 addr=0 count=1 type=int8 lanes=320\n"
				  "@7 mxm1.w: iw count=1 type=int8\n"
				  "@4 mem0: load act.1 addr=0 len=640\n"
				  "@%d mxm0.a: abc act.1 addr=0 type=fp16 lanes=320\n.source 1 from=i\n";
	g_autofree char *before = g_strdup_printf(text, 9);
	g_autofree char *after = g_strdup_printf(text, 12);
	g_autoptr(micro) good = micro_run("tsp", before);
	g_autoptr(micro) bad = micro_run("tsp", after);

	/* The second IW is active from 10 on. */
	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_WRONG_OPERAND), 1);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
}

static void direct_address_beyond_the_slice_is_found(void)
{
	g_autoptr(micro) good = micro_run("tsp-isca20", DIRECT "@41 mem.w42: write e0 addr=8191\n");
	g_autoptr(micro) bad = micro_run("tsp-isca20", DIRECT "@41 mem.w42: write e0 addr=8192\n");

	CU_ASSERT_EQUAL(micro_count(good, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_ADDRESS_RANGE), 1);
	CU_ASSERT_EQUAL(micro_count(bad, ISA_VIOLATION_COUNT), 1);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(each_kind_alone_and_its_neighbour),
		CASE(sum_beyond_32_bits_is_found_in_functional_mode_only),
		CASE(register_ports_count_reads_sampled_and_writes_due_in_a_cycle),
		CASE(wide_operands_count_twice_at_the_ports),
		CASE(named_host_data_must_not_have_been_overwritten),
		CASE(granules_of_one_load_may_name_several_producers),
		CASE(instances_of_a_loop_are_told_apart),
		CASE(register_beyond_the_last_is_found),
		CASE(weights_of_both_planes_of_a_pair_are_checked),
		CASE(direct_address_beyond_the_slice_is_found),
	};

	return tap_run("violations", cases, G_N_ELEMENTS(cases));
}
