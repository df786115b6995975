/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine files: the values of an accepted machine print to texts that set the same values.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* The path of a file that exists in memory only, with DATA; g_free. */
static char *memory_file(const void *data, size_t size, int *file)
{
	*file = memfd_create("machine", 0);
	FUZZ_EXPECT(*file >= 0 && write(*file, data, size) == (ssize_t)size);
	return g_strdup_printf("/proc/self/fd/%d", *file);
}

/* The other kind of machine goes through the same reader, with bases. */
static void ascend(const char *path)
{
	GError *error = NULL;
	asc_machine *machine = asc_machine_load(path, &error);

	if (!fuzz_judge(machine != NULL, &error))
		return;
	fuzz_judge(asc_machine_finish(machine, &error), &error);
	g_free(asc_machine_dump(machine));
	asc_machine_free(machine);
}

void fuzz_machine_file(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	int file;
	g_autofree char *path = memory_file(data, size, &file);
	isa_machine *machine;

	ascend(path);
	machine = isa_machine_load(path, &error);
	close(file);
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
