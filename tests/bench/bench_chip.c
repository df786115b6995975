/* SPDX-License-Identifier: Apache-2.0
 *
 * How many instruction issues a second does the model do, untraced?  Two steady states without violations, every
 * operand with its producer named: a register-style fp16 matrix product with its loads, conversions and stores, and a
 * stream-style int8 one with sixteen weight streams.  Usage: bench_chip [ROUNDS [KERNEL]].
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "models/tsp/chip.h"

/* Two pairs, an ABC each every 2 cycles on a shared activation row; pair 0's weights are renewed every 2048 cycles, a
 * row every 8; every 4 cycles a result row is converted and stored.  Addresses keep what meets in a cycle in different
 * banks of mod:139: weights begin 47 banks after activations. */
static const char registers[] =
	".epoch \"e\" start=0\n.image 0 8000000\n"
	"p: @4 mem3: load wt.2 addr=0x500000 len=640 x16 every 8\n\t.source 0 resident\n"
	"plw: @8 mxm3.w: lw wt.2 addr=0 count=1 type=fp16 lanes=320 x16 every 8 step 1\n\t.source 0 from=p step=1\n"
	"iw2: @140 mxm2.w: iw count=16 type=fp16\n\t.source 0 from=plw seg=1\n"
	"w: @0 mem1: load wt.0 addr=2620624 len=640 x256 every 8 step 2560 x%u every 2048\n\t.source 0 resident\n"
	"lw: @4 mxm1.w: lw wt.0 addr=0 count=1 type=fp16 lanes=320 x256 every 8 step 1 x%u every 2048\n"
	"\t.source 0 from=w step=1/256\n"
	"iw: @2049 mxm0.w: iw count=256 type=fp16 x%u every 2048\n\t.source 0 from=lw step=256 seg=1\n"
	"a: @2048 mem0: load act.5 addr=0 len=640 x1024 every 2 step 640 x%u every 2048\n\t.source 0 resident\n"
	"abc: @2052 mxm0.a: abc act.1 addr=0 type=fp16 lanes=256 x1024 every 2 step 1 x%u every 2048\n"
	"\t.source 0 from=a step=1/1024\n\t.source 1 from=iw step=0/1\n"
	"abc2: @2052 mxm2.a: abc act.4 addr=0 type=fp16 lanes=16 x1024 every 2 step 1 x%u every 2048\n"
	"\t.source 0 from=a step=1/1024\n\t.source 1 from=iw2\n"
	"acc: @2066 mxm0.c: acc r0 addr=0 type=fp16 lanes=320 x512 every 4 step 2 x%u every 2048\n"
	"\t.source 0 from=abc step=2/1024\n"
	"cvt: @2100 vxm0: cvt r2, r0 type=fp32 dtype=fp16 lanes=320 x512 every 4 x%u every 2048\n"
	"\t.source 0 from=acc step=1/512\n"
	"@2103 mem2: store r2 addr=0x600000 len=640 x512 every 4 step 1280 x%u every 2048\n"
	"\t.source 0 from=cvt step=1/512\n";

typedef struct figures {
	uint64_t issues;
	uint64_t violations;
	int64_t cycles;
} figures;

static void show(void *state, const probe_violation *v)
{
	unsigned *shown = state;

	if ((*shown)++ < 3)
		printf("%s at %" G_GINT64_FORMAT ": instruction %u.%u, other %u, detail %" G_GINT64_FORMAT "\n",
		       isa_violation_name((enum isa_violation)v->kind), v->cycle, v->insn, v->index, v->other,
		       v->detail);
}

/* Processor time, so that a busy machine does not matter much. */
static int64_t cpu_us(void)
{
	return (int64_t)clock() * (1000000 / CLOCKS_PER_SEC);
}

static figures run(const char *name, char *text, const char *kernel_name, bool functional)
{
	GError *error = NULL;
	isa_machine *machine = isa_machine_load(name, &error);
	isa_program *program = NULL;
	sim_kernel *kernel = NULL;
	tsp_chip *chip = NULL;
	tsp_options options = {.functional = functional};
	unsigned shown = 0;
	figures f = {0};
	probe none;
	int64_t start;

	probe_init(&none);
	probe_add_listener(&none, &(probe_listener){.state = &shown, .violation = show});
	if (machine && isa_machine_finish(machine, &error))
		program = isa_assemble(text, name, machine, &error);
	if (program && isa_lower(program, machine, &error))
		kernel = sim_kernel_new(kernel_name, NULL, &error);
	if (kernel)
		chip = tsp_chip_new(machine, program, kernel, &none, &options, &error);
	start = cpu_us();
	if (!chip || !sim_kernel_run(kernel, SIM_NEVER, &error)) {
		fprintf(stderr, "%s: %s\n", name, error->message);
		exit(1);
	}
	f = (figures){tsp_chip_counters(chip)->issues, tsp_chip_counters(chip)->violations,
	              tsp_chip_counters(chip)->cycles};
	printf("%-12s %-10s %10" G_GUINT64_FORMAT " issues %9" G_GINT64_FORMAT " cycles %8.3f s %7.2f M issues/s\n",
	       name, functional ? "functional" : "timing", f.issues, f.cycles, (double)(cpu_us() - start) / 1e6,
	       (double)f.issues / (double)MAX(cpu_us() - start, 1));
	tsp_chip_free(chip);
	sim_kernel_free(kernel);
	probe_fini(&none);
	isa_program_free(program);
	isa_machine_free(machine);
	g_free(text);
	return f;
}

/* Sixteen weight streams w0..w15 and an activation stream w16 reach the western MXM (position 1) at Q: slice i stands
 * at 21 - i/4 and reads that many cycles before.  Sums leave on e0..e3, 31 cycles later, for the VXM at 22; its result
 * goes back on w20 to slice 20 at position 16. */
static void load_weights(GString *s, unsigned q, const char *name, unsigned rounds)
{
	for (unsigned i = 0; i < 16; i++)
		g_string_append_printf(s,
		                       "%s%u: @%u mem.w%u: read w%u addr=0 x20 every 1 step 1 x%u every 20\n"
		                       "\t.source 0 resident\n",
		                       name, i, q - (21 - i / 4), i, i, rounds);
	g_string_append_printf(
		s,
		"%slw: @%u mxm0.w: lw w0 addr=0 count=16 type=int8 lanes=320 x20 every 1 step 16 x%u every "
		"20\n",
		name, q, rounds);
	for (unsigned i = 0; i < 16; i++)
		g_string_append_printf(s, "\t.source 0 from=%s%u step=1/20 segments=1\n", name, i);
}

static char *streams(unsigned rounds)
{
	GString *s = g_string_new(NULL);
	const unsigned q = 200;

	g_string_append(s, ".epoch \"e\" start=0\n");
	for (unsigned i = 0; i < 17; i++)
		g_string_append_printf(s, ".image %u 64000\n", i * 8192 * 320);
	load_weights(s, 100, "p", 1);
	g_string_append(s, "iw: @121 mxm0.w: iw count=320 type=int8\n\t.source 0 from=plw seg=1/16\n");
	load_weights(s, q, "r", rounds);
	g_string_append_printf(
		s, "a: @%u mem.w16: read w16 addr=0 x20 every 1 step 1 x%u every 20\n\t.source 0 resident\n", q - 17,
		rounds);
	g_string_append_printf(s,
	                       "b: @%u mxm0.a: abc w16 addr=0 type=int8 lanes=320 x20 every 1 x%u every 20\n"
	                       "\t.source 0 from=a step=1/20\n\t.source 1 from=iw\n",
	                       q, rounds);
	g_string_append_printf(s,
	                       "c: @%u mxm0.c: acc e0 addr=0 type=int8 lanes=320 x20 every 1 x%u every 20\n"
	                       "\t.source 0 from=b step=1/20\n",
	                       q + 13, rounds);
	g_string_append_printf(s,
	                       "v: @%u vxm0: cvt w20, e0 type=int32 dtype=int8 lanes=320 x20 every 1 x%u every 20\n"
	                       "\t.source 0 from=c step=1/20\n",
	                       q + 13 + 31 + 21, rounds);
	g_string_append_printf(s,
	                       "@%u mem.w20: write w20 addr=0 x20 every 1 step 1 x%u every 20\n"
	                       "\t.source 0 from=v step=1/20\n",
	                       q + 13 + 31 + 21 + 8 + 6, rounds);
	return g_string_free(s, FALSE);
}

static char *register_text(unsigned r)
{
	return g_strdup_printf(registers, r, r, r, r, r, r, r, r, r);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 400;
	const char *kernel = argc > 2 ? argv[2] : "ref";
	figures f[4];
	bool fine = true;

	f[0] = run("tsp", register_text(rounds), kernel, false);
	f[1] = run("tsp-isca20", streams(10 * rounds), kernel, false);
	f[2] = run("tsp", register_text(MAX(rounds / 100, 1)), kernel, true);
	f[3] = run("tsp-isca20", streams(MAX(rounds / 10, 1)), kernel, true);
	for (int i = 0; i < 4; i++)
		fine = fine && f[i].issues && !f[i].violations;
	return !fine;
}
