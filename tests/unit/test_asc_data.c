/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of buffers and global memory in functional mode, and the checks that values in registers escape the
 * assembler's.
 */
#include "tests/unit/asc_core_rig.h"

#define COUPLED .machine = "ascend-910a"
#define VALUES  .options.functional = true

static void bytes_travel_from_image_to_memory(void)
{
	asc_rig *r =
		asc_rig_run(".image 0x1000 32\n.hex 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
	                    ".stream coupled\n"
	                    "gm_to_ub dst=64 src=0x1000\n"
	                    "pipe_barrier pipe=all\n"
	                    "ub_to_gm dst=0x2000 src=64\n"
	                    "end\n",
	                    &(asc_rig_setup){COUPLED, VALUES});
	uint8_t bytes[32];

	ASC_CLEAN(r);
	CU_ASSERT_TRUE(asc_chip_read(r->chip, 0x2000, bytes, sizeof(bytes)));
	for (unsigned i = 0; i < 32; i++)
		CU_ASSERT_EQUAL(bytes[i], i);
	CU_ASSERT_EQUAL(r->counters->bytes[ASC_GM][ASC_UB], 32);
	CU_ASSERT_EQUAL(r->counters->bytes[ASC_UB][ASC_GM], 32);
	asc_rig_free(r);
}

static void scalar_stores_and_loads_see_each_other(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "movi rd=r1 imm=0x1234567\n"
	                         "stg rn=r1 dst=0x3001 bytes=4\n"
	                         "ldg rd=r2 src=0x3002 bytes=2\n"
	                         "stg rn=r2 dst=0x4000 bytes=8\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, VALUES});
	uint64_t value;

	ASC_CLEAN(r);
	CU_ASSERT_TRUE(asc_chip_read(r->chip, 0x4000, &value, 8));
	CU_ASSERT_EQUAL(value, 0x2345);
	asc_rig_free(r);
}

static void timing_mode_has_no_bytes(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nend\n", &(asc_rig_setup){COUPLED});
	uint8_t byte;

	CU_ASSERT_FALSE(asc_chip_read(r->chip, 0, &byte, 1));
	asc_rig_free(r);
}

static void bytes_nobody_wrote_are_found(void)
{
	/* 32 bytes come in, 64 are read: the 33rd is the first. */
	asc_rig *r = asc_rig_run(".image 0 64\n.stream coupled\n"
	                         "gm_to_ub dst=64 src=0\n"
	                         "pipe_barrier pipe=all\n"
	                         "ub_to_gm dst=0x2000 src=64 burst_bytes=64\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, VALUES});
	const asc_violation *v = asc_rig_find(r, ASC_FINDING_UNINITIALISED);

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(v->insn, 2);
	CU_ASSERT_EQUAL(v->space, ASC_UB);
	CU_ASSERT_EQUAL(v->address, 96);
	asc_rig_free(r);
}

static void global_memory_nobody_wrote_is_found(void)
{
	asc_rig *r =
		asc_rig_run(".stream coupled\ngm_to_ub dst=64 src=0x123456\nend\n", &(asc_rig_setup){COUPLED, VALUES});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_UNINITIALISED)->address, 0x123456);
	asc_rig_free(r);
}

static void the_first_byte_nobody_wrote_is_named(void)
{
	asc_rig *r = asc_rig_run(".image 0x3 10\n.stream coupled\ngm_to_ub dst=64 src=0x5\nend\n",
	                         &(asc_rig_setup){COUPLED, VALUES});

	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_UNINITIALISED)->address, 13);
	asc_rig_free(r);
}

static void a_load_sees_memory_as_it_is_in_its_cycle(void)
{
	/* Core 1 stores in 1; core 0 loads in 20, without any order between them: a race, and the new value. */
	GString *text = g_string_new(".blocks 2\n.image 0x1000 8\n.stream coupled block=0\n");
	asc_rig *r;
	uint64_t value = 0;

	for (unsigned i = 0; i < 20; i++)
		g_string_append(text, "movi rd=r1 imm=0\n");
	g_string_append(text, "ldg rd=r1 src=0x1000\nstg rn=r1 dst=0x2000\nend\n"
	                      ".stream coupled block=1\nmovi rd=r1 imm=77\nstg rn=r1 dst=0x1000\nend\n");
	r = asc_rig_run(text->str,
	                &(asc_rig_setup){COUPLED, .sets = {"scalar.dual_issue=0", "scalar.load_cycles=5"}, VALUES});
	CU_ASSERT_TRUE(asc_chip_read(r->chip, 0x2000, &value, 8));
	CU_ASSERT_EQUAL(value, 77);
	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_RACE), 1);
	CU_ASSERT_FALSE(asc_rig_find(r, ASC_FINDING_RACE)->met);
	g_string_free(text, TRUE);
	asc_rig_free(r);
}

static void an_access_beyond_its_buffer_is_found_and_not_executed(void)
{
	/* 910A: 253952 bytes of the unified buffer are usable. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=253696 src=0\n"
	                         "vabs dst=253728 src=0x1000 repeat=9 dst_rep=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED});
	const asc_violation *v = asc_rig_find(r, ASC_FINDING_ADDRESS_RANGE);

	CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_ADDRESS_RANGE), 1);
	CU_ASSERT_EQUAL(v->insn, 1);
	CU_ASSERT_EQUAL(v->address, 253728);
	ASC_DONE(r, 1, 2);
	asc_rig_free(r);
}

static void an_address_register_off_its_alignment_is_found(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\nmovi rd=r1 imm=48\nvabs dst=r1 src=0x1000\nend\n",
	                         &(asc_rig_setup){COUPLED});

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_ALIGNMENT)->address, 48);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_ALIGNMENT)->insn, 1);
	asc_rig_free(r);
}

static unsigned overlaps(const char *line)
{
	g_autofree char *text = g_strdup_printf(".stream coupled\n%s\nend\n", line);
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){COUPLED});
	unsigned n = asc_rig_count(r, ASC_FINDING_OVERLAP);

	CU_ASSERT_EQUAL(r->counters->violations, n);
	asc_rig_free(r);
	return n;
}

static void source_and_destination_of_a_repeat_are_the_same_or_apart(void)
{
	CU_ASSERT_EQUAL(overlaps("vabs dst=0 src=0 repeat=4"), 0);
	CU_ASSERT_EQUAL(overlaps("vabs dst=0 src=256 repeat=4"), 0);
	CU_ASSERT_EQUAL(overlaps("vabs dst=0 src=32 repeat=4"), 1);
	CU_ASSERT_EQUAL(overlaps("vadd dst=0 src0=0x1000 src1=224"), 1);
	CU_ASSERT_EQUAL(overlaps("vadd dst=0 src0=0x1000 src1=0 src1_blk=2"), 1);
	/* Blocks between one another; and strides that meet in the third repeat only. */
	CU_ASSERT_EQUAL(overlaps("vabs dst=0 src=32 dst_blk=2 src_blk=2"), 0);
	CU_ASSERT_EQUAL(overlaps("vabs dst=0 src=544 dst_rep=8 src_rep=0 repeat=2"), 0);
	CU_ASSERT_EQUAL(overlaps("vabs dst=0 src=544 dst_rep=8 src_rep=0 repeat=3"), 1);
}

static void functional_and_timing_mode_take_the_same_cycles(void)
{
	static const char text[] = ".image 0 64\n.stream coupled\n"
				   "gm_to_ub dst=64 src=0 bursts=9\n"
				   "set_flag from=MTE2 to=MTE3 id=0\n"
				   "wait_flag from=MTE2 to=MTE3 id=0\n"
				   "ub_to_gm dst=0x2000 src=64 burst_bytes=64\n"
				   "end\n";
	asc_rig *values = asc_rig_run(text, &(asc_rig_setup){COUPLED, VALUES});
	asc_rig *times = asc_rig_run(text, &(asc_rig_setup){COUPLED});

	CU_ASSERT_EQUAL(values->counters->cycles, times->counters->cycles);
	asc_rig_free(values);
	asc_rig_free(times);
}

int main(void)
{
	static const tap_case cases[] = {
		{"bytes_travel_from_image_to_memory", bytes_travel_from_image_to_memory},
		{"scalar_stores_and_loads_see_each_other", scalar_stores_and_loads_see_each_other},
		{"timing_mode_has_no_bytes", timing_mode_has_no_bytes},
		{"bytes_nobody_wrote_are_found", bytes_nobody_wrote_are_found},
		{"global_memory_nobody_wrote_is_found", global_memory_nobody_wrote_is_found},
		{"the_first_byte_nobody_wrote_is_named", the_first_byte_nobody_wrote_is_named},
		{"a_load_sees_memory_as_it_is_in_its_cycle", a_load_sees_memory_as_it_is_in_its_cycle},
		{"an_access_beyond_its_buffer_is_found_and_not_executed",
	         an_access_beyond_its_buffer_is_found_and_not_executed},
		{"an_address_register_off_its_alignment_is_found", an_address_register_off_its_alignment_is_found},
		{"source_and_destination_of_a_repeat_are_the_same_or_apart",
	         source_and_destination_of_a_repeat_are_the_same_or_apart},
		{"functional_and_timing_mode_take_the_same_cycles", functional_and_timing_mode_take_the_same_cycles},
	};

	return tap_run("asc_data", cases, G_N_ELEMENTS(cases));
}
