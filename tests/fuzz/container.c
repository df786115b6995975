/* SPDX-License-Identifier: Apache-2.0
 *
 * Program files whose checksum is right: what is read can be printed, and run on either machine.  (A damaged file fails
 * by its checksum; one that was made to harm does not.)
 */
#include "isa/program_int.h"
#include "tests/fuzz/fuzz.h"

void fuzz_container(const uint8_t *data, size_t size)
{
	static const char *const machines[] = {"tsp", "tsp-isca20"};
	g_autoptr(GByteArray) file = g_byte_array_new();
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize length = sizeof digest;
	GError *error = NULL;
	isa_program *program;

	g_checksum_update(sum, data, (gssize)size);
	g_checksum_get_digest(sum, digest, &length);
	g_byte_array_append(file, data, (guint)size);
	g_byte_array_append(file, digest, sizeof digest);
	program = isa_program_parse("x.tspo", file->data, file->len, &error);
	if (!fuzz_judge(program != NULL, &error))
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(machines); i++) {
		g_free(isa_disassemble(program, fuzz_machine(machines[i])));
		fuzz_simulate(program, fuzz_machine(machines[i]), (unsigned)size);
	}
	isa_program_free(program);
}
