/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembly of Ascend-style cores: what assembles keeps the rules and disassembles to text that gives the same text
 * again.
 */
#include "isa/ascend/machine.h"
#include "tests/fuzz/fuzz.h"

static void one_machine(const char *text, const asc_machine *machine)
{
	GError *error = NULL;
	asc_program *first = asc_assemble(text, "x.asc", machine, &error);
	asc_program *second;
	g_autofree char *printed = NULL;
	g_autofree char *again = NULL;

	if (!fuzz_judge(first != NULL, &error))
		return;
	FUZZ_EXPECT(asc_check(first, machine, NULL));
	printed = asc_disassemble(first, machine);
	second = asc_assemble(printed, "y.asc", machine, &error);
	if (!second)
		fuzz_abort(error->message, "the disassembly to assemble; not", 0);
	again = asc_disassemble(second, machine);
	FUZZ_EXPECT(g_str_equal(printed, again));
	asc_program_free(first);
	asc_program_free(second);
}

void fuzz_ascend_assembler(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);

	one_machine(text, fuzz_ascend_machine("ascend-910a"));
	one_machine(text, fuzz_ascend_machine("ascend-910b"));
}
