/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembly text: what assembles, disassembles to text that assembles to the same program, and what can be encoded runs.
 */
#include "tests/fuzz/fuzz.h"

static void one_machine(const char *text, const isa_machine *machine)
{
	GError *error = NULL;
	isa_program *first = isa_assemble(text, "x.tsp", machine, &error);
	isa_program *second;
	g_autofree char *printed = NULL;
	g_autofree char *hash = NULL;
	g_autofree char *again = NULL;

	if (!fuzz_judge(first != NULL, &error))
		return;
	printed = isa_disassemble(first, machine);
	second = isa_assemble(printed, "y.tsp", machine, &error);
	if (!second)
		fuzz_abort(error->message, "the disassembly to assemble; not", 0);
	hash = isa_program_hash(first);
	again = isa_program_hash(second);
	FUZZ_EXPECT(g_str_equal(hash, again));
	if (fuzz_judge(isa_lower(first, machine, &error), &error))
		fuzz_simulate(first, machine, 0);
	isa_program_free(first);
	isa_program_free(second);
}

void fuzz_assembler(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);

	one_machine(text, fuzz_machine("tsp"));
	one_machine(text, fuzz_machine("tsp-isca20"));
}
