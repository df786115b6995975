/* SPDX-License-Identifier: Apache-2.0
 *
 * How many instructions a second do the models of Ascend-style cores do, untraced and with reports?  Three steady
 * states without findings: a matrix product on every cube core of ascend-910b, double-buffered in L1 and L0 (tiles of
 * 128 x 256 x 256, steps of 64, as a hand-written kernel would have them); its inner steps without global memory; and a
 * chain of vector instructions on every vector core, with copies in and out under it.
 *
 * Usage: bench_ascend [SIZE [KERNEL]]: the product is SIZE x SIZE x SIZE, a multiple of 512 (default 2048).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "models/ascend/chip.h"

enum { TILE_M = 128, TILE_N = 256, STEP_L1 = 256, STEP_L0 = 64, HALF = 2 };
enum { L1_A = TILE_M * STEP_L1 * HALF, L1_B = TILE_N * STEP_L1 * HALF };

static void product_step_l0(GString *s, unsigned p)
{
	for (unsigned q = 0; q < STEP_L1 / STEP_L0; q++) {
		unsigned a = p * L1_A + q * STEP_L0 * TILE_M * HALF;
		unsigned b = 2 * L1_A + p * L1_B + q * STEP_L0 * TILE_N * HALF;
		unsigned to_a = (q & 1) * TILE_M * STEP_L0 * HALF, to_b = (q & 1) * TILE_N * STEP_L0 * HALF;

		g_string_append_printf(s, "\twait_flag from=M to=MTE1 id=%u\n", q & 1);
		for (unsigned i = 0; i < TILE_M / 16; i++)
			g_string_append_printf(s, "\tload2d_a dst=%u src=%u repeat=%u src_stride=%u\n",
			                       to_a + i * STEP_L0 / 16 * 512, a + i * 512, STEP_L0 / 16, TILE_M / 16);
		g_string_append_printf(s,
		                       "\tload2d_b dst=%u src=%u repeat=%u\n"
		                       "\tset_flag from=MTE1 to=M id=%u\n"
		                       "\twait_flag from=MTE1 to=M id=%u\n"
		                       "\tmmad type=fp16 c=0 a=%u b=%u m=%u k=%u n=%u init=r6\n"
		                       "\tmovi rd=r6 imm=0\n"
		                       "\tset_flag from=M to=MTE1 id=%u\n",
		                       to_b, b, TILE_N * STEP_L0 / 256, q & 1, q & 1, to_a, to_b, TILE_M, STEP_L0,
		                       TILE_N, q & 1);
	}
}

/* One of the two buffers P of L1: copy both operands in, then its steps of L0. */
static void product_step(GString *s, unsigned p, unsigned size)
{
	g_string_append_printf(s,
	                       "\twait_flag from=MTE1 to=MTE2 id=%u\n"
	                       "\tnd2nz type=fp16 dst=%u src=r4 n=%u d=%u src_pitch=%u dst_c0_stride=%u\n"
	                       "\tnd2nz type=fp16 dst=%u src=r5 n=%u d=%u src_pitch=%u dst_c0_stride=%u\n"
	                       "\tset_flag from=MTE2 to=MTE1 id=%u\n"
	                       "\twait_flag from=MTE2 to=MTE1 id=%u\n",
	                       p, p * L1_A, TILE_M, STEP_L1, size, TILE_M, 2 * L1_A + p * L1_B, TILE_N, STEP_L1, size,
	                       TILE_N, p, p);
	product_step_l0(s, p);
	g_string_append_printf(s,
	                       "\tset_flag from=MTE1 to=MTE2 id=%u\n"
	                       "\tadd rd=r4 rn=r4 rm=%u\n"
	                       "\tadd rd=r5 rn=r5 rm=%u\n",
	                       p, STEP_L1 * HALF, STEP_L1 * HALF);
}

static char *product(unsigned size)
{
	GString *s = g_string_new(".blocks 24\n.stream cube\n");
	unsigned across = size / TILE_N, tiles = size / TILE_M * across;
	uint64_t bytes = (uint64_t)size * size * HALF;

	for (unsigned i = 0; i < 2; i++)
		g_string_append_printf(s, "\tset_flag from=MTE1 to=MTE2 id=%u\n\tset_flag from=M to=MTE1 id=%u\n", i,
		                       i);
	g_string_append_printf(
		s,
		"\tset_flag from=FIX to=M id=0\n"
		"\tmovi rd=r1 imm=0\n\tadd rd=r1 rn=r1 rm=r31\n"
		"tile:\tbge rn=r1 rm=%u label=over\n"
		"\tdiv rd=r2 rn=r1 rm=%u\n\trem rd=r3 rn=r1 rm=%u\n"
		"\tmul rd=r4 rn=r2 rm=%u\n\tmul rd=r5 rn=r3 rm=%u\n\tadd rd=r5 rn=r5 rm=%" G_GUINT64_FORMAT "\n"
		"\tmovi rd=r6 imm=1\n\tmovi rd=r7 imm=0\n"
		"\twait_flag from=FIX to=M id=0\n"
		"deep:\n",
		tiles, across, across, TILE_M * size * HALF, TILE_N * size * HALF, bytes);
	product_step(s, 0, size);
	product_step(s, 1, size);
	g_string_append_printf(
		s,
		"\tadd rd=r7 rn=r7 rm=%u\n\tblt rn=r7 rm=%u label=deep\n"
		"\tset_flag from=M to=FIX id=0\n\twait_flag from=M to=FIX id=0\n"
		"\tmul rd=r8 rn=r2 rm=%u\n\tmul rd=r9 rn=r3 rm=%u\n\tadd rd=r8 rn=r8 rm=r9\n"
		"\tadd rd=r8 rn=r8 rm=%" G_GUINT64_FORMAT "\n"
		"\tfix_gm type=fp32 dtype=fp16 dst=r8 src=0 m=%u n=%u src_stride=%u dst_pitch=%u quant=1\n"
		"\tset_flag from=FIX to=M id=0\n\tadd rd=r1 rn=r1 rm=24\n\tjump label=tile\n"
		"over:\twait_flag from=FIX to=M id=0\n",
		2 * STEP_L1, size, TILE_M * size * HALF, TILE_N * HALF, 2 * bytes, TILE_M, TILE_N, TILE_M, size);
	for (unsigned i = 0; i < 2; i++)
		g_string_append_printf(s, "\twait_flag from=MTE1 to=MTE2 id=%u\n\twait_flag from=M to=MTE1 id=%u\n", i,
		                       i);
	g_string_append(s, "\tend\n");
	return g_string_free(s, FALSE);
}

/* The product's steps of L0 alone, again and again: queues, flags and the scalar unit, no global memory. */
static char *front(unsigned rounds)
{
	GString *s = g_string_new(".blocks 24\n.stream cube\n"
	                          "\tset_flag from=M to=MTE1 id=0\n\tset_flag from=M to=MTE1 id=1\n"
	                          "\tmovi rd=r7 imm=0\n\tmovi rd=r6 imm=1\nmore:\n");

	product_step_l0(s, 0);
	product_step_l0(s, 1);
	g_string_append_printf(s,
	                       "\tadd rd=r7 rn=r7 rm=1\n\tblt rn=r7 rm=%u label=more\n"
	                       "\twait_flag from=M to=MTE1 id=0\n\twait_flag from=M to=MTE1 id=1\n\tend\n",
	                       rounds);
	return g_string_free(s, FALSE);
}

/* exp(2 x + 1) + x, 16 KB at a time in two halves of the unified buffer; every step with 64 repeats. */
static char *chain(unsigned tiles)
{
	GString *s = g_string_new(".blocks 24\n.stream vector\n");

	for (unsigned p = 0; p < 2; p++)
		g_string_append_printf(s, "\tset_flag from=V to=MTE2 id=%u\n\tset_flag from=MTE3 to=V id=%u\n", p, p);
	g_string_append_printf(s,
	                       "\tmul rd=r1 rn=r31 rm=2\n\tadd rd=r1 rn=r1 rm=r30\n\tmul rd=r1 rn=r1 rm=%u\n"
	                       "\tadd rd=r2 rn=r1 rm=0x40000000\n\tmovi rd=r3 imm=0\n"
	                       "more:\n",
	                       2 * tiles * 16384);
	for (unsigned p = 0; p < 2; p++) {
		unsigned x = p * 0x4000, t = 0x10000 + p * 0x4000, y = 0x20000 + p * 0x4000;

		g_string_append_printf(s,
		                       "\twait_flag from=V to=MTE2 id=%u\n"
		                       "\tgm_to_ub dst=%u src=r1 burst_bytes=16384\n"
		                       "\tset_flag from=MTE2 to=V id=%u\n\twait_flag from=MTE2 to=V id=%u\n"
		                       "\twait_flag from=MTE3 to=V id=%u\n"
		                       "\tvmuls type=fp32 dst=%u src=%u scalar=2 repeat=64\n\tpipe_barrier pipe=V\n"
		                       "\tvadds type=fp32 dst=%u src=%u scalar=1 repeat=64\n\tpipe_barrier pipe=V\n"
		                       "\tvexp type=fp32 dst=%u src=%u repeat=64\n\tpipe_barrier pipe=V\n"
		                       "\tvadd type=fp32 dst=%u src0=%u src1=%u repeat=64\n\tpipe_barrier pipe=V\n"
		                       "\tvmul type=fp32 dst=%u src0=%u src1=%u repeat=64\n"
		                       "\tset_flag from=V to=MTE2 id=%u\n\tset_flag from=V to=MTE3 id=%u\n"
		                       "\twait_flag from=V to=MTE3 id=%u\n"
		                       "\tub_to_gm dst=r2 src=%u burst_bytes=16384\n"
		                       "\tset_flag from=MTE3 to=V id=%u\n"
		                       "\tadd rd=r1 rn=r1 rm=16384\n\tadd rd=r2 rn=r2 rm=16384\n",
		                       p, x, p, p, p, t, x, t, t, t, t, y, t, x, y, y, x, p, p, p, y, p);
	}
	g_string_append_printf(s, "\tadd rd=r3 rn=r3 rm=1\n\tblt rn=r3 rm=%u label=more\n", tiles);
	for (unsigned p = 0; p < 2; p++)
		g_string_append_printf(s, "\twait_flag from=V to=MTE2 id=%u\n\twait_flag from=MTE3 to=V id=%u\n", p, p);
	g_string_append(s, "\tend\n");
	return g_string_free(s, FALSE);
}

static void count_report(void *state, const asc_report *r)
{
	(void)r;
	++*(uint64_t *)state;
}

static void show(void *state, const asc_violation *v)
{
	(void)state;
	printf("finding %d at %" G_GINT64_FORMAT ": instruction %u, other %u\n", v->kind, v->cycle, v->insn,
	       v->other_insn);
}

static void hang(void *state, const char *diagnosis)
{
	(void)state;
	printf("%s\n", diagnosis);
}

/* Processor time, so that a busy machine does not matter much. */
static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static bool run(const char *name, const char *text, const char *kernel_name, bool reports)
{
	GError *error = NULL;
	uint64_t reported = 0;
	asc_listener listener = {
		.state = &reported, .report = reports ? count_report : NULL, .violation = show, .deadlock = hang};
	asc_options options = {.functional = false};
	asc_machine *machine = asc_machine_load("ascend-910b", &error);
	asc_program *program = NULL;
	sim_kernel *kernel = NULL;
	asc_chip *chip = NULL;
	const asc_counters *c;
	double start;
	bool fine;

	if (machine && asc_machine_finish(machine, &error))
		program = asc_assemble(text, name, machine, &error);
	if (program && asc_check(program, machine, &error))
		kernel = sim_kernel_new(kernel_name, NULL, &error);
	if (kernel)
		chip = asc_chip_new(machine, program, kernel, &listener, &options, &error);
	start = cpu_s();
	if (!chip || !sim_kernel_run(kernel, SIM_NEVER - 1, &error)) {
		fprintf(stderr, "%s: %s\n", name, error->message);
		exit(1);
	}
	c = asc_chip_counters(chip);
	printf("%-8s %-9s %9" G_GUINT64_FORMAT " instructions %9" G_GINT64_FORMAT
	       " cycles %8.3f s %7.3f M instructions/s\n",
	       name, reports ? "reported" : "untraced", c->instructions, c->cycles, cpu_s() - start,
	       (double)c->instructions / 1e6 / MAX(cpu_s() - start, 1e-9));
	fine = c->instructions && !c->violations && (!reports || reported == c->instructions);
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	asc_program_free(program);
	asc_machine_free(machine);
	return fine;
}

int main(int argc, char **argv)
{
	unsigned size = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2048;
	const char *kernel = argc > 2 ? argv[2] : "ref";
	g_autofree char *matrices = product(size), *steps = front(100), *vectors = chain(64);
	bool fine = true;

	fine &= run("front", steps, kernel, false);
	fine &= run("front", steps, kernel, true);
	fine &= run("product", matrices, kernel, false);
	fine &= run("product", matrices, kernel, true);
	fine &= run("chain", vectors, kernel, false);
	fine &= run("chain", vectors, kernel, true);
	return !fine;
}
