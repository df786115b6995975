/* SPDX-License-Identifier: Apache-2.0
 *
 * Program files of Ascend-style cores behind their checksum: what is read can be printed and checked, and written again
 * it is the same program.
 */
#include "isa/ascend/asc_int.h"
#include "tests/fuzz/fuzz.h"

void fuzz_ascend_container(const uint8_t *data, size_t size)
{
	const asc_machine *machine = fuzz_ascend_machine("ascend-910b");
	g_autoptr(GByteArray) file = g_byte_array_new();
	GError *error = NULL;
	asc_program *program;
	guint8 checksum[32] = {0};

	g_byte_array_append(file, data, (guint)size);
	g_byte_array_append(file, checksum, sizeof checksum);
	program = asc_program_parse("x.asco", file->data, file->len, false, &error);
	if (!fuzz_judge(program != NULL, &error))
		return;
	g_free(asc_disassemble(program, machine));
	fuzz_judge(asc_check(program, machine, &error), &error);
	asc_program_free(program);
}
