/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzzing entry points share.  See tests/fuzz/fuzz.h.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/tsp/chip.h"
#include "sched/sched.h"

/* Beyond these a run says nothing new and takes its time. */
enum { CYCLES = 400, SMALL_NODES = 40, SMALL_BYTES = 1 << 15, SMALL_MACS = 1 << 16 };

void fuzz_abort(const char *expected, const char *file, int line)
{
	fprintf(stderr, "%s:%d: expected %s\n", file, line, expected);
	abort();
}

const isa_machine *fuzz_machine(const char *name)
{
	static GHashTable *machines;
	isa_machine *machine;

	if (!machines)
		machines = g_hash_table_new(g_str_hash, g_str_equal);
	machine = g_hash_table_lookup(machines, name);
	if (machine)
		return machine;
	machine = isa_machine_load(name, NULL);
	FUZZ_EXPECT(machine && isa_machine_finish(machine, NULL));
	g_hash_table_insert(machines, g_strdup(name), machine);
	return machine;
}

const asc_machine *fuzz_ascend_machine(const char *name)
{
	static GHashTable *machines;
	asc_machine *machine;

	if (!machines)
		machines = g_hash_table_new(g_str_hash, g_str_equal);
	machine = g_hash_table_lookup(machines, name);
	if (machine)
		return machine;
	machine = asc_machine_load(name, NULL);
	FUZZ_EXPECT(machine && asc_machine_finish(machine, NULL));
	g_hash_table_insert(machines, g_strdup(name), machine);
	return machine;
}

bool fuzz_judge(bool ok, GError **error)
{
	FUZZ_EXPECT(ok == !*error);
	if (ok)
		return true;
	FUZZ_EXPECT((*error)->message[0]);
	if (g_error_matches(*error, TSP_ERROR, TSP_ERROR_INTERNAL))
		fuzz_abort((*error)->message, "not to be", 0);
	g_clear_error(error);
	return false;
}

void fuzz_simulate(const isa_program *program, const isa_machine *machine, unsigned policy)
{
	sim_kernel *kernel = sim_kernel_new("ref", &(sim_kernel_options){0}, NULL);
	tsp_options options = {.policy = (enum tsp_policy)(policy % 3), .functional = true, .max_violations = 10};
	GError *error = NULL;
	tsp_chip *chip;
	probe listener;

	probe_init(&listener);
	chip = tsp_chip_new(machine, program, kernel, &listener, &options, &error);
	if (fuzz_judge(chip != NULL, &error)) {
		FUZZ_EXPECT(sim_kernel_run(kernel, CYCLES, &error));
		probe_flush(&listener);
		tsp_chip_free(chip);
	}
	sim_kernel_free(kernel);
	probe_fini(&listener);
}

static bool is_small(GPtrArray *graphs)
{
	unsigned __int128 bytes = 0, macs = 0;
	uint64_t nodes = 0;

	for (guint i = 0; i < graphs->len; i++) {
		const graph *g = g_ptr_array_index(graphs, i);

		nodes += graph_size(g);
		macs += graph_macs(g);
		for (uint32_t n = 0; n < graph_size(g); n++)
			bytes += graph_node_bytes(graph_at(g, n));
	}
	return nodes <= SMALL_NODES && bytes <= SMALL_BYTES && macs <= SMALL_MACS;
}

void fuzz_schedule(GPtrArray *graphs)
{
	static const char *const machines[] = {"tsp", "tsp-isca20"};

	for (unsigned i = 0; i < G_N_ELEMENTS(machines) && is_small(graphs); i++) {
		const isa_machine *machine = fuzz_machine(machines[i]);
		g_autoptr(GString) offences = g_string_new(NULL);
		sched_options options;
		sched_report report = {0};
		GError *error = NULL;
		isa_program *program;

		sched_options_init(&options);
		program = sched_compile(graphs, machine, &options, &report, &error);
		if (fuzz_judge(program != NULL, &error)) {
			if (!sched_check(program, machine, offences, 3))
				fuzz_abort(offences->str, machines[i], 0);
			isa_program_free(program);
		}
		sched_report_fini(&report);
	}
}
