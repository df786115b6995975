/* SPDX-License-Identifier: Apache-2.0
 *
 * A listener for violations and slips.
 */
#include "tools/findings.h"

#include <string.h>

void findings_init(findings *f)
{
	*f = (findings){.slip_of_bank = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free)};
}

void findings_fini(findings *f)
{
	g_clear_pointer(&f->slip_of_bank, g_hash_table_unref);
}

static void keep_violation(void *state, const probe_violation *record)
{
	findings *f = state;

	if (record->kind < ISA_VIOLATION_COUNT && f->kept[record->kind] < FINDINGS_KEPT)
		f->first[record->kind][f->kept[record->kind]++] = *record;
}

static void keep_slip(void *state, const probe_slip *record)
{
	findings *f = state;
	gint64 *cycles = g_hash_table_lookup(f->slip_of_bank, GUINT_TO_POINTER(record->bank));

	f->slips++;
	if (!cycles) {
		cycles = g_new0(gint64, 1);
		g_hash_table_insert(f->slip_of_bank, GUINT_TO_POINTER(record->bank), cycles);
	}
	*cycles += record->cycles;
}

probe_listener findings_listener(findings *f)
{
	return (probe_listener){.state = f, .violation = keep_violation, .slip = keep_slip};
}

bool findings_worst_bank(const findings *f, uint32_t *bank, int64_t *cycles)
{
	GHashTableIter iter;
	gpointer key, value;
	bool found = false;

	/* The maximum with the lowest bank does not depend on the table's order. */
	g_hash_table_iter_init(&iter, f->slip_of_bank);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		uint32_t this = GPOINTER_TO_UINT(key);
		int64_t lost = *(gint64 *)value;

		if (!found || lost > *cycles || (lost == *cycles && this < *bank)) {
			*bank = this;
			*cycles = lost;
			found = true;
		}
	}
	return found;
}

char *findings_insn_text(const isa_program *program, const isa_machine *machine, uint32_t id)
{
	isa_program *one;
	isa_insn insn;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (id >= program->insns->len)
		return g_strdup("(no instruction of the container)");
	/* A container with this one instruction: the disassembler works on whole programs. */
	one = isa_program_new(machine);
	insn = *isa_program_insn(program, id);
	if (insn.map < program->maps->len)
		insn.map =
			(uint16_t)isa_program_add_map(one, g_array_index(program->maps, isa_lane_map, insn.map).lane);
	isa_program_add(one, &insn, 0);
	text = isa_disassemble(one, machine);
	isa_program_free(one);
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_strstrip(*line);
		if (**line == '@')
			return g_strdup(*line);
	}
	return g_strdup("(not printable)");
}
