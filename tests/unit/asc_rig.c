/* SPDX-License-Identifier: Apache-2.0
 *
 * Copy engines, cube and memory without a chip around them.
 */
#include "tests/unit/asc_rig.h"

#include <stdarg.h>
#include <string.h>

rig *rig_new(const char *name, unsigned cores, bool functional)
{
	rig *r = g_new0(rig, 1);
	GError *error = NULL;

	r->machine = asc_machine_load(name, &error);
	if (!r->machine)
		g_error("%s", error->message);
	r->cores = cores;
	r->memory = asc_memory_new(r->machine);
	r->program = asc_program_new();
	if (functional) {
		r->global = asc_data_new_global(r->program, true);
		r->data = asc_data_new(r->machine, r->global);
	}
	for (unsigned i = 0; i < cores; i++) {
		r->ub[i] = asc_ub_new(r->machine);
		r->cube[i] = asc_cube_new(r->machine, r->data);
		r->mte[i] = asc_mte_new(r->machine, i, r->memory, r->ub[i], r->cube[i], r->data);
	}
	return r;
}

void rig_free(rig *r)
{
	for (unsigned i = 0; i < r->cores; i++) {
		asc_mte_free(r->mte[i]);
		asc_cube_free(r->cube[i]);
		asc_ub_free(r->ub[i]);
	}
	asc_memory_free(r->memory);
	asc_data_free(r->data);
	asc_data_free(r->global);
	asc_program_free(r->program);
	asc_machine_free(r->machine);
	g_free(r);
}

void rig_set(asc_insn *insn, const char *field, int64_t value)
{
	int i = asc_field_by_name((enum asc_op)insn->op, field);

	if (i < 0)
		g_error("no field %s", field);
	insn->f[i] = value;
}

asc_insn rig_insn(enum asc_op op, ...)
{
	asc_insn insn = asc_insn_make(op);
	const char *text;
	va_list list;

	va_start(list, op);
	while ((text = va_arg(list, const char *))) {
		const char *equals = strchr(text, '=');
		char *name = g_strndup(text, (gsize)(equals - text));

		rig_set(&insn, name, g_ascii_strtoll(equals + 1, NULL, 0));
		g_free(name);
	}
	va_end(list);
	return insn;
}

asc_exec rig_run(rig *r, unsigned core, const asc_insn *insn, int64_t start)
{
	asc_exec x = {.insn = insn, .info = asc_op((enum asc_op)insn->op), .start = start};

	memcpy(x.f, insn->f, sizeof(x.f));
	if (x.info->pipe == ASC_PIPE_M)
		asc_cube_execute(r->cube[core], &x);
	else
		asc_mte_execute(r->mte[core], &x);
	return x;
}

uint8_t *rig_bytes(rig *r, enum asc_space space, uint64_t address)
{
	return asc_data_at(r->data, space, address, 1);
}
