/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the corpora, and what has been a crash once, through the fuzzing entry points: a case a file.
 * With names of targets and files (replay TARGET FILE...) only these.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static const struct {
	const char *name, *what;
	void (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name, what) {#name, what, fuzz_##name},
#include "tests/fuzz/targets.def"
};

static unsigned count;

static void replay(size_t target, const char *file)
{
	g_autofree char *data = NULL;
	gsize size;

	if (!g_file_get_contents(file, &data, &size, NULL)) {
		printf("not ok %u - %s cannot be read\n", ++count, file);
		return;
	}
	targets[target].run((const uint8_t *)data, size);
	/* Aborting is how a case fails. */
	printf("ok %u - %s: %s\n", ++count, targets[target].what, strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	fflush(stdout);
}

static int compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void replay_corpus(size_t target, const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL)
		g_ptr_array_add(files, g_build_filename(folder, name, NULL));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(files, compare);
	if (!files->len)
		printf("not ok %u - %s has files\n", ++count, folder);
	for (guint i = 0; i < files->len; i++)
		replay(target, g_ptr_array_index(files, i));
}

int main(int argc, char **argv)
{
	const char *source = getenv("TSPSIM_SRCDIR");

	for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
		g_autofree char *folder =
			g_build_filename(source ? source : TSPSIM_SRCDIR, "tests/fuzz/corpus", targets[i].name, NULL);

		if (argc < 2)
			replay_corpus(i, folder);
		for (int file = 2; file < argc && strcmp(argv[1], targets[i].name) == 0; file++)
			replay(i, argv[file]);
	}
	printf("1..%u\n", count);
	return 0;
}
