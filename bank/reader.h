/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of addresses as sources of groups, plain or compressed by gzip, read through one buffer whatever their size.
 *   groups          a group a line: blank-separated numbers, decimal or 0x hexadecimal; "#" begins a comment; R or W
 *                   marks the numbers after it on its line ("R 1 2 W 3"), which are reads without one
 *   flat            the same text, lines meaning nothing: k successive numbers are a group
 *   ramulator-cpu   "<instructions> <read address> [<write-back address>]", the CPU traces of Ramulator
 *   ramulator-dram  "<address> R|W", the memory traces of Ramulator 1
 *   load-store      "LD|ST <address>", the load/store traces of Ramulator 2
 *   stl             "<cycle>: [(<bytes>)] read|write <hexadecimal address> [<data>]", DRAMSys
 * The format is recognised from the first lines unless it is given.  Numbers are byte addresses and are divided by the
 * block size, or block numbers.  Not modelled: time stamps, but that with k 0 the accesses of one cycle of an STL
 * trace are a group; lengths of accesses (each touches the block of its address).
 *
 * k 0: a group is a line.  Otherwise traces, and groups files of which each line has one number, are joined to groups
 * of k successive accesses, a last shorter one is kept; k says nothing of lines with several numbers, which are the
 * groups they are.  With phase_lanes every group that is longer is presented in groups of that many, its phases.
 */
#ifndef TSPSIM_BANK_READER_H
#define TSPSIM_BANK_READER_H

#include "bank/stream.h"

typedef enum bank_format {
	BANK_FORMAT_AUTO,
	BANK_FORMAT_GROUPS,
	BANK_FORMAT_FLAT,
	BANK_FORMAT_RAMULATOR_CPU,
	BANK_FORMAT_RAMULATOR_DRAM,
	BANK_FORMAT_LOAD_STORE,
	BANK_FORMAT_STL,
	BANK_FORMAT_COUNT
} bank_format;

enum {
	BANK_READER_MAX_GROUP = 1048576,      /* accesses of a line */
	BANK_READER_MAX_LINE_BYTES = 1 << 25, /* a longer line is an error */
};

typedef struct bank_reader_options {
	bank_format format;
	bool blocks;              /* numbers are block numbers */
	uint64_t block_bytes;     /* otherwise byte addresses, divided by this */
	unsigned k;               /* accesses that are joined to a group; 0: as the lines are */
	unsigned phase_lanes;     /* a group is presented in phases of so many lanes; 0: at once */
	bool no_reads, no_writes; /* accesses to leave out, before groups are formed of the others */
} bank_reader_options;

/* Format recognised, byte addresses, blocks of 320 bytes, k 0. */
void bank_reader_options_init(bank_reader_options *options);
/* NAME ("stl") to *FORMAT; the error names the nearest. */
bool bank_format_parse(const char *name, bank_format *format, GError **error);
const char *bank_format_name(bank_format format);

/* The file at PATH, or standard input when it is "-".  Errors name file, line and column. */
bank_source *bank_reader_open(const char *path, const bank_reader_options *options, GError **error);
/* The same of SIZE bytes of text (copied), called NAME in errors. */
bank_source *bank_reader_of_bytes(const char *name, const void *data, size_t size, const bank_reader_options *options,
                                  GError **error);
/* The format given or recognised; BANK_FORMAT_AUTO for sources that are no readers. */
bank_format bank_reader_format(const bank_source *source);

#endif
