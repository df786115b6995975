/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files, read and written.  A regular file is replaced by a complete one, through a temporary file beside it, so
 * that a full disk or an interrupt leaves the old one.  A device or a pipe is written to and stays what it is.
 */
#ifndef TSPSIM_ISA_FILE_H
#define TSPSIM_ISA_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/error.h"

/* The bytes of the file PATH and, where LENGTH is not NULL, how many; a zero byte follows them; g_free.  NULL with a
 * TSP_ERROR_IO "PATH: why", also of a folder. */
char *tsp_file_read(const char *path, size_t *length, GError **error);

/* Puts SIZE bytes into the file PATH (what it leads to, where it is a symbolic link); false with a TSP_ERROR_IO that
 * names PATH. */
bool tsp_file_write(const char *path, const void *bytes, size_t size, GError **error);

#endif
