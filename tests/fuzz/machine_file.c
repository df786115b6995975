/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine files: the values of an accepted machine print to texts that set the same values.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* Machines are read from files; this one exists in memory only. */
static isa_machine *load(const void *data, size_t size, GError **error)
{
	int file = memfd_create("machine", 0);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", file);
	isa_machine *machine;

	FUZZ_EXPECT(file >= 0 && write(file, data, size) == (ssize_t)size);
	machine = isa_machine_load(path, error);
	close(file);
	return machine;
}

void fuzz_machine_file(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	isa_machine *machine = load(data, size, &error);

	if (!fuzz_judge(machine != NULL, &error))
		return;
	if (fuzz_judge(isa_machine_finish(machine, &error), &error)) {
		isa_machine *again = isa_machine_copy(fuzz_machine("tsp"));

		for (size_t key = 0; key < isa_key_count; key++) {
			g_autofree char *text = isa_machine_get_text(machine, (int)key);

			if (!isa_machine_set(again, isa_keys[key].path, text, &error))
				fuzz_abort(error->message, "a value to be read back; not", 0);
		}
		FUZZ_EXPECT(isa_machine_finish(again, NULL));
		for (size_t key = 0; key < isa_key_count; key++) {
			g_autofree char *first = isa_machine_get_text(machine, (int)key);
			g_autofree char *second = isa_machine_get_text(again, (int)key);

			FUZZ_EXPECT(g_str_equal(first, second));
		}
		isa_machine_free(again);
	}
	isa_machine_free(machine);
}
