/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing fixed programs down, and running them.
 */
#include "tests/validation/valid.h"

#include <string.h>

void valid_put(asc_stream *stream, enum asc_op op, const valid_field *fields, size_t count)
{
	asc_insn insn = asc_insn_make(op);

	for (size_t i = 0; i < count; i++) {
		int f = asc_field_by_name(op, fields[i].name);

		if (f < 0)
			g_error("%s has no field %s", asc_op(op)->mnemonic, fields[i].name);
		insn.f[f] = fields[i].value;
		if (fields[i].reg)
			insn.regs = (uint16_t)(insn.regs | 1u << f);
	}
	g_array_append_val(stream->insns, insn);
}

void valid_set(asc_stream *stream, enum asc_pipe from, enum asc_pipe to, int64_t id)
{
	PUT(stream, SETFLAG, VN("from", from), VN("to", to), VN("id", id));
}

void valid_wait(asc_stream *stream, enum asc_pipe from, enum asc_pipe to, int64_t id)
{
	PUT(stream, WAITFLAG, VN("from", from), VN("to", to), VN("id", id));
}

void valid_movi(asc_stream *stream, int64_t reg, int64_t number)
{
	PUT(stream, MOVI, VN("rd", reg), VN("imm", number));
}

void valid_addi(asc_stream *stream, int64_t target, int64_t reg, int64_t number)
{
	PUT(stream, ADD, VN("rd", target), VN("rn", reg), VN("rm", number));
}

void valid_loop(asc_stream *stream, int64_t counter, int64_t limit, guint label)
{
	valid_addi(stream, counter, counter, 1);
	PUT(stream, BLT, VN("rn", counter), VN("rm", limit), VN("label", label));
}

asc_stream *valid_vector(asc_program *program, unsigned number)
{
	return asc_program_stream(program, ASC_VECTOR, (int32_t)(number % 2), (int32_t)(number / 2));
}

asc_stream *valid_cube(asc_program *program, unsigned number)
{
	return asc_program_stream(program, ASC_CUBE, 0, (int32_t)number);
}

static asc_machine *machine_of(const char *name, const char *settings)
{
	GError *error = NULL;
	asc_machine *machine = asc_machine_load(name, &error);
	g_auto(GStrv) words = g_strsplit(settings ? settings : "", " ", -1);

	for (unsigned i = 0; machine && words[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);

		if (*words[i] && !asc_machine_set(machine, pair[0], pair[1], &error))
			break;
	}
	if (error || !machine || !asc_machine_finish(machine, &error))
		g_error("%s", error->message);
	return machine;
}

static void collect(asc_chip *chip, const asc_machine *machine, valid_result *r)
{
	static const struct {
		enum valid_metric metric;
		enum asc_pipe pipe;
	} busy[] = {{VALID_MTE2, ASC_PIPE_MTE2}, {VALID_MTE3, ASC_PIPE_MTE3}, {VALID_MTE1, ASC_PIPE_MTE1},
	            {VALID_CUBE, ASC_PIPE_M},    {VALID_VECTOR, ASC_PIPE_V},  {VALID_FIX, ASC_PIPE_FIX}};
	const asc_counters *all = asc_chip_counters(chip);
	double us = 1e6 / (double)machine->clock_hz, cores = 0, ends = 0;

	for (uint32_t core = 0; core < machine->cores; core++)
		for (uint32_t sub = 0; sub < machine->subcores; sub++) {
			const asc_counters *c = asc_chip_core_counters(chip, core, sub);

			if (!c || !c->instructions)
				continue;
			cores++;
			ends += (double)c->cycles;
		}
	cores = MAX(cores, 1);
	r->metric[VALID_LAST] = (double)all->cycles * us;
	r->metric[VALID_TASK] = r->metric[VALID_LAST] + (double)machine->launch_us;
	r->metric[VALID_CORE] = ends / cores * us;
	for (unsigned i = 0; i < G_N_ELEMENTS(busy); i++)
		r->metric[busy[i].metric] = (double)all->busy[busy[i].pipe] / cores * us;
	r->metric[VALID_HITS] = 100.0 * (double)all->l2_hits / MAX((double)all->l2_hits + (double)all->l2_misses, 1.0);
	memcpy(r->by_kind, all->by_kind, sizeof(r->by_kind));
	r->instructions = all->instructions;
	for (unsigned pipe = 0; pipe < ASC_PIPES; pipe++)
		for (unsigned why = 0; why < ASC_STALLS; why++)
			r->stall[pipe][why] = (double)all->stall[pipe][why] / cores;
}

valid_result valid_run(const char *machine_name, const char *settings, asc_program *program)
{
	asc_machine *machine = machine_of(machine_name, settings);
	GError *error = NULL;
	sim_kernel_options kernel_options = {0};
	asc_options options = {0};
	asc_listener listener = {0};
	valid_result r = {0};
	sim_kernel *kernel = sim_kernel_new("ref", &kernel_options, &error);
	asc_chip *chip = NULL;

	if (kernel && asc_check(program, machine, &error))
		chip = asc_chip_new(machine, program, kernel, &listener, &options, &error);
	if (!chip || !sim_kernel_run(kernel, SIM_NEVER - 1, &error))
		g_error("%s: %s", machine_name, error->message);
	collect(chip, machine, &r);
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	asc_program_free(program);
	asc_machine_free(machine);
	return r;
}
