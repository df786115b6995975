/* SPDX-License-Identifier: Apache-2.0
 *
 * Which assumed machine parameters does a program's timing rest on?  Delays count when an instruction of their timing
 * class is in the program; other keys of a unit when the program uses the unit; keys of the whole machine always.
 */
#include <string.h>

#include "tools/report.h"

static const char *const timing_keys[] = {
#define TIMING(id, key, doc) key,
#include "isa/timing.def"
};

/* The unit a key belongs to by the first part of its name. */
static const struct key_unit {
	const char *prefix;
	enum isa_unit unit;
} key_units[] = {
	{"sram.", ISA_UNIT_MEM}, {"vxm.", ISA_UNIT_VXM},  {"mxm.", ISA_UNIT_MXM},
	{"sxm.", ISA_UNIT_SXM},  {"link.", ISA_UNIT_C2C},
};

typedef struct used {
	bool timing[ISA_TIMING_COUNT];
	bool unit[ISA_UNIT_COUNT];
} used;

static used find_used(const isa_program *program)
{
	used u = {0};

	for (uint32_t id = 0; id < program->insns->len; id++) {
		const isa_op_info *op = &isa_ops[isa_program_insn(program, id)->op];

		u.timing[op->timing] = true;
		u.unit[op->unit] = true;
	}
	return u;
}

static bool matters(const used *u, const isa_machine *machine, const char *key)
{
	bool is_delay = false;

	for (unsigned t = 0; t < ISA_TIMING_COUNT; t++)
		if (timing_keys[t] && strcmp(timing_keys[t], key) == 0) {
			is_delay = true;
			if (u->timing[t])
				return true;
		}
	if (is_delay)
		return false;
	/* One processor: the mesh has no effect yet.  Fetch matters only where queues are finite. */
	if (g_str_has_prefix(key, "mesh."))
		return false;
	if (g_str_has_prefix(key, "icu."))
		return machine->icu_queue_words > 0;
	if (g_str_has_prefix(key, "streams.") || g_str_has_prefix(key, "floorplan."))
		return machine->streams > 0;
	if (g_str_has_prefix(key, "mem."))
		return !machine->hashed && u->unit[ISA_UNIT_MEM];
	if (g_str_has_prefix(key, "vreg."))
		return machine->vreg_count > 0;
	for (unsigned i = 0; i < G_N_ELEMENTS(key_units); i++)
		if (g_str_has_prefix(key, key_units[i].prefix))
			return u->unit[key_units[i].unit];
	return true;
}

/* What weight() looks at. */
typedef struct judged {
	const isa_machine *machine;
	used u;
} judged;

static double weight(const void *state, const char *key)
{
	const judged *j = state;

	return matters(&j->u, j->machine, key) ? 1 : -1;
}

static char *text_of(const void *machine, int key)
{
	return isa_machine_get_text(machine, key);
}

report_machine report_machine_of(const isa_machine *machine)
{
	return (report_machine){isa_keys, isa_key_count, machine, machine->origin, text_of};
}

char **report_assumed(const isa_machine *machine, const isa_program *program)
{
	judged j = {machine, find_used(program)};
	report_machine m = report_machine_of(machine);

	return report_assumed_keys(&m, weight, &j);
}
