/* SPDX-License-Identifier: Apache-2.0
 *
 * Utilisation.  int8 and fp16 have different peaks, so MXM work is counted in cycles at the peak of its own type; for a
 * run of one type that is useful MACs / (peak x cycles).  An epoch's type is that of its ABC instructions.
 */
#include "tools/usage.h"

#include <stdlib.h>

#include "tools/tool.h"

double usage_mxm_peak(const isa_machine *machine, enum isa_type type)
{
	double planes = (double)machine->mxm_planes;
	double block = (double)(machine->mxm_rows * machine->lanes);

	/* A plane pair serves one fp16 vector. */
	return type == ISA_TYPE_I8 ? planes * block / (double)machine->mxm_int8_interval_cycles
	                           : planes / 2 * block / (double)machine->mxm_fp16_interval_cycles;
}

/* What the epochs' MXM work is: cycles at peak, and cycles that whole blocks would take. */
typedef struct mxm_work {
	double macs, cycles, ceiling_cycles;
} mxm_work;

/* Type of each epoch's ABC instructions, -1 where there are none; g_free.  *ONLY is the program's one type, or that of
 * the first. */
static int *epoch_types(const isa_program *program, int *only)
{
	int *types = g_new(int, program->epochs->len);

	*only = -1;
	for (guint e = 0; e < program->epochs->len; e++)
		types[e] = -1;
	for (uint32_t id = 0; id < program->insns->len; id++) {
		const isa_insn *insn = isa_program_insn(program, id);
		uint32_t node = id < program->node_of->len ? g_array_index(program->node_of, uint32_t, id) : UINT32_MAX;

		if (insn->op != ISA_OP_ABC)
			continue;
		if (*only < 0)
			*only = insn->type;
		if (node < program->nodes->len) {
			uint32_t epoch = g_array_index(program->nodes, isa_node, node).epoch;

			if (epoch < program->epochs->len)
				types[epoch] = insn->type;
		}
	}
	return types;
}

static mxm_work work_of_epochs(const isa_machine *machine, const isa_program *program, const int *types)
{
	mxm_work work = {0};

	for (guint e = 0; e < program->epochs->len; e++) {
		const isa_epoch *epoch = &g_array_index(program->epochs, isa_epoch, e);
		double cycles;

		if (types[e] < 0 || !epoch->macs)
			continue;
		cycles = (double)epoch->macs / usage_mxm_peak(machine, (enum isa_type)types[e]);
		work.macs += (double)epoch->macs;
		work.cycles += cycles;
		if (epoch->mxm_ceiling > 0)
			work.ceiling_cycles += cycles / epoch->mxm_ceiling;
	}
	return work;
}

static double sram_peak(const isa_machine *machine)
{
	/* Direct: a slice reads one word and writes one in a cycle. */
	if (!machine->hashed)
		return (double)(2 * machine->mem_slices * 2 * machine->lanes);
	return (double)(machine->sram_banks * machine->sram_ports * machine->sram_port_bytes);
}

usage usage_of_run(const isa_machine *machine, const isa_program *program, const tsp_counters *counters)
{
	usage u = {.mxm_ceiling = -1};
	double cycles = (double)counters->cycles;
	int only;
	g_autofree int *types = epoch_types(program, &only);
	mxm_work work = work_of_epochs(machine, program, types);
	unsigned sxm_queues = 0;

	if (work.cycles > 0) {
		u.mxm_cycles = work.cycles * (double)counters->macs / work.macs;
		if (work.ceiling_cycles > 0)
			u.mxm_ceiling = work.cycles / work.ceiling_cycles;
	} else if (only >= 0) {
		u.mxm_cycles = (double)counters->macs / usage_mxm_peak(machine, (enum isa_type)only);
	}
	u.sram_peak_bytes = sram_peak(machine);
	for (unsigned q = 0; q < isa_machine_queue_count(machine); q++)
		sxm_queues += isa_machine_queue(machine, q)->unit == ISA_UNIT_SXM;
	if (counters->cycles <= 0)
		return u;
	u.mxm = u.mxm_cycles / cycles;
	u.vxm = (double)counters->vxm_lane_ops / ((double)(machine->vxm_ops * machine->lanes) * cycles);
	u.sram = (double)counters->sram_bytes / (u.sram_peak_bytes * cycles);
	if (sxm_queues)
		u.sxm = (double)counters->sxm_ops / (sxm_queues * cycles);
	return u;
}

typedef struct bound {
	const char *name, *what;
	double cycles;
} bound;

static int more_first(const void *a, const void *b)
{
	double difference = ((const bound *)b)->cycles - ((const bound *)a)->cycles;

	return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

char *usage_binds(const isa_machine *machine, const usage *u, const tsp_counters *counters)
{
	double lanes = (double)(machine->vxm_ops * machine->lanes);
	bound bounds[] = {
		{"MXM", "whole blocks take ", u->mxm_ceiling > 0 ? u->mxm_cycles / u->mxm_ceiling : u->mxm_cycles},
		{"SRAM", "its bytes take ", (double)counters->sram_bytes / u->sram_peak_bytes},
		{"VXM", "its operations take ", (double)counters->vxm_lane_ops / lanes},
		{"SXM", "its operations take ", u->sxm * (double)counters->cycles},
	};
	g_autofree char *first = NULL;
	g_autofree char *second = NULL;
	g_autofree char *all = tool_count((uint64_t)counters->cycles);

	qsort(bounds, G_N_ELEMENTS(bounds), sizeof bounds[0], more_first);
	if (bounds[0].cycles <= 0)
		return NULL;
	first = tool_count((uint64_t)(bounds[0].cycles + 0.5));
	second = tool_count((uint64_t)(bounds[1].cycles + 0.5));
	return g_strdup_printf("%s%s: %s%s of %s cycles at peak; then %s, %s",
	                       bounds[0].cycles * 2 < (double)counters->cycles ? "latency, no unit's throughput. " : "",
	                       bounds[0].name, bounds[0].what, first, all, bounds[1].name, second);
}
