/* SPDX-License-Identifier: Apache-2.0
 *
 * The vector unit and the unified buffer of ascend-910b against published rates, bank rules and measured cases: tables
 * in asc/banks.def, asc/adds.def and asc/vector.def.  Nothing here waits for memory.
 */
#include "tests/lib/tap.h"
#include "tests/timing/asc_micro.h"

#define VECTOR ".stream vector sub=0 block=0\n"

/* TEXT with FEW and with MANY repeats, apart by a barrier; the cycles each further repeat costs. */
static double slope(const char *text, unsigned few, unsigned many)
{
	g_autofree char *program =
		g_strdup_printf(VECTOR "%s repeat=%u\npipe_barrier pipe=V\n%s repeat=%u\n", text, few, text, many);
	g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", program);

	return (double)(asc_micro_time(m, 2) - asc_micro_time(m, 0)) / (many - few);
}

static void cycles_a_repeat_by_bank(void)
{
	static const struct {
		const char *name, *text;
		double cycles, tolerance;
		const char *source;
		enum asc_class class;
	} rows[] = {
#define BANK(name, text, cycles, tolerance, source, class) {name, text, cycles, tolerance, source, ASC_##class},
#include "tests/timing/asc/banks.def"
	};

	/* 20 repeats fill whatever waits; 80 more are the steady state. */
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		asc_micro_compare(rows[i].name, slope(rows[i].text, 20, 100), rows[i].cycles, rows[i].tolerance,
		                  rows[i].source, rows[i].class);
}

static void measured_adds(void)
{
	static const struct {
		int number;
		const char *text;
		double ticks, tolerance;
		enum asc_class class;
	} rows[] = {
#define ADDS(number, text, ticks, tolerance, class) {number, text, ticks, tolerance, ASC_##class},
#include "tests/timing/asc/adds.def"
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name = g_strdup_printf("case %d, cycles an add", rows[i].number);
		g_autofree char *program = g_strdup_printf(VECTOR "movi rd=r1 imm=0\n"
		                                                  "pipe_barrier pipe=all\n"
		                                                  "more: vadd type=fp32 repeat=64 %s\n"
		                                                  "add rd=r1 rn=r1 rm=1\n"
		                                                  "blt rn=r1 rm=1000 label=more\n"
		                                                  "pipe_barrier pipe=all\n",
		                                           rows[i].text);
		g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", program);
		asc_report first = asc_micro_first(m, 0, 2), last = asc_micro_last(m, 0, 2);

		CU_ASSERT_EQUAL(asc_micro_executions(m, 0, 2), 1000);
		asc_micro_compare(name, (double)(last.done - first.start) / 1000, rows[i].ticks * 37 / 1000,
		                  rows[i].tolerance, "4.4", rows[i].class);
	}
}

/* Tiles of 144 x 128 of fp16 to fractals, one copy of 144 repeats a tile, 76 tiles a core; the two buffers in turn at
 * 0x12000 and 0x1b000.  47.79 us of 1.85 GHz for 8192^2 / 128 / 48 = 10,923 repeats are 8.09 cycles each, 7.13 us
 * are 1.21. */
static void rows_to_fractals_by_stride(void)
{
	static const double measured[] = {8.09, 1.21};

	for (int wide = 0; wide < 2; wide++) {
		g_autofree char *program =
			g_strdup_printf(VECTOR "vcopy type=fp16 dst=0x12000 src=0x0 repeat=144 dst_blk=%d src_blk=1 "
		                               "dst_rep=1 src_rep=8\n",
		                        144 + wide);
		g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", program);

		asc_micro_compare(wide ? "stride 145, cycles a repeat" : "stride 144, cycles a repeat",
		                  (double)asc_micro_time(m, 0) / 144, measured[wide], 15, "4.5", ASC_PREDICTION);
	}
}

static void elements_a_cycle(void)
{
	static const struct {
		const char *text;
		double elements, rate;
		const char *source;
	} rows[] = {
#define RATE(text, elements, rate, source) {text, elements, rate, source},
#define HEAD(text, head, slope, class)
#define CLASH(text, head, slope, class)
#include "tests/timing/asc/vector.def"
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		/* A rate of 5 elements is 25.6 cycles of a repeat: whole cycles are within 2 % of it. */
		asc_micro_compare(rows[i].text, slope(rows[i].text, 20, 100), rows[i].elements / rows[i].rate, 2,
		                  rows[i].source, ASC_FORMULA);
	}
}

static void heads_and_slopes(void)
{
	static const struct {
		const char *text;
		int head, slope;
		enum asc_class class;
	} rows[] = {
#define RATE(text, elements, rate, source)
#define HEAD(text, head, slope, class)  {text, head, slope, ASC_##class},
#define CLASH(text, head, slope, class) {text, head, slope, ASC_##class},
#include "tests/timing/asc/vector.def"
	};
	static const unsigned repeats[] = {1, 8, 64};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		for (unsigned k = 0; k < G_N_ELEMENTS(repeats); k++) {
			g_autofree char *program = g_strdup_printf(VECTOR "%s repeat=%u\n", rows[i].text, repeats[k]);
			g_autofree char *name = g_strdup_printf("%s repeat=%u", rows[i].text, repeats[k]);
			g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", program);

			/* Heads were fitted over repeats: one cycle either way is below their resolution. */
			asc_micro_compare(
				name, (double)asc_micro_time(m, 0), rows[i].head + rows[i].slope * (double)repeats[k],
				100.0 / (rows[i].head + rows[i].slope * (double)repeats[k]), "5.2", rows[i].class);
		}
}

/* About 26 cycles a call of one repeat; 18 for vbrcb. */
static void calls_of_one_repeat(void)
{
	g_autoptr(asc_micro) gather =
		asc_micro_run("ascend-910b", VECTOR "vgather type=fp16 dst=0x20000 offsets=0x0 base=0x10100\n");
	g_autoptr(asc_micro) brcb =
		asc_micro_run("ascend-910b", VECTOR "vbrcb type=fp16 dst=0x20000 src=0x0 src_rep=1\n");

	asc_micro_compare("vgather", (double)asc_micro_time(gather, 0), 26, 4, "5.2", ASC_CALIBRATION);
	asc_micro_compare("vbrcb", (double)asc_micro_time(brcb, 0), 18, 0, "5.2", ASC_CALIBRATION);
}

/* Independent ones without work to speak of: 3 cycles from start to start at least, and, as nothing else binds, at
 * most 4. */
static void vector_instructions_start_three_cycles_apart(void)
{
	g_autoptr(asc_micro) m = asc_micro_run("ascend-910b", VECTOR "vdup type=fp16 dst=0x0 repeat=1\n"
	                                                             "vdup type=fp16 dst=0x200 repeat=1\n"
	                                                             "vdup type=fp16 dst=0x400 repeat=1\n"
	                                                             "vdup type=fp16 dst=0x600 repeat=1\n");
	int64_t gap = asc_micro_first(m, 0, 3).start - asc_micro_first(m, 0, 2).start;

	asc_micro_compare("gap", (double)gap, 3, 0, "5.2", ASC_CALIBRATION);
}

/* In counter mode the mask is a count of elements and the hardware makes the repeats: 4096 of fp32 are 64.  A floor of
 * 16 cycles for few. */
static void counter_mode_makes_the_repeats(void)
{
	g_autoptr(asc_micro) many =
		asc_micro_run("ascend-910b", VECTOR "set_ctrl counter=1\nset_mask lo=4096 hi=0\n"
	                                            "vadd type=fp32 dst=0x20000 src0=0x0 src1=0x10100\n");
	g_autoptr(asc_micro) few =
		asc_micro_run("ascend-910b", VECTOR "set_ctrl counter=1\nset_mask lo=64 hi=0\n"
	                                            "vadd type=fp32 dst=0x20000 src0=0x0 src1=0x10100\n");

	asc_micro_compare("4096 elements", (double)asc_micro_time(many, 2), 24 + 64, 2, "5.2", ASC_PREDICTION);
	asc_micro_compare("64 elements", (double)asc_micro_time(few, 2), 24 + 16, 3, "5.2", ASC_CALIBRATION);
}

/* The mask registers take one write a cycle. */
static void mask_writes_take_a_cycle_each(void)
{
	g_autoptr(asc_micro) m =
		asc_micro_run("ascend-910b", VECTOR "set_mask lo=1\nset_mask lo=2\nset_mask lo=3\nset_mask lo=4\n");

	CU_ASSERT_EQUAL(asc_micro_first(m, 0, 3).start - asc_micro_first(m, 0, 0).start, 3);
}

static void figures_by_class(void)
{
	asc_micro_summary();
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(cycles_a_repeat_by_bank),
		CASE(measured_adds),
		CASE(rows_to_fractals_by_stride),
		CASE(elements_a_cycle),
		CASE(heads_and_slopes),
		CASE(calls_of_one_repeat),
		CASE(vector_instructions_start_three_cycles_apart),
		CASE(counter_mode_makes_the_repeats),
		CASE(mask_writes_take_a_cycle_each),
		CASE(figures_by_class),
	};

	return tap_run("vector unit of an Ascend-style core", cases, G_N_ELEMENTS(cases));
}
