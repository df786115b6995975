/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that make, write and read containers share; private to isa/.
 */
#ifndef TSPSIM_ISA_PROGRAM_INT_H
#define TSPSIM_ISA_PROGRAM_INT_H

#include "isa/program.h"

/* A container without machine_name, machine_text and workload, which the caller sets. */
isa_program *isa_program_blank(void);

/* Reads a container from LENGTH bytes at DATA; PATH is for messages. */
isa_program *isa_program_parse(const char *path, const void *data, size_t length, GError **error);

/* Sections of the file in their order: SECTION(tag, name of the functions, part of the program's hash?).  A section may
 * refer to what stands before it. */
#define ISA_SECTIONS(SECTION)                                                                                          \
	SECTION("HEAD", head, false)                                                                                   \
	SECTION("EPOC", epochs, true)                                                                                  \
	SECTION("NODE", nodes, true)                                                                                   \
	SECTION("MAPS", maps, true)                                                                                    \
	SECTION("TENS", tensors, true)                                                                                 \
	SECTION("BUFF", buffers, true)                                                                                 \
	SECTION("INSN", insns, true)                                                                                   \
	SECTION("SRCS", sources, true)                                                                                 \
	SECTION("PRED", predictions, true)                                                                             \
	SECTION("QUEU", queues, true)

enum {
	ISA_CONTAINER_VERSION = 2,
	ISA_MAGIC_BYTES = 8, /* with the version */
	ISA_SECTION_HEAD_BYTES = 12,
	ISA_DIGEST_BYTES = 32,
	ISA_INSN_BYTES = 31,     /* of an instruction without extras */
	ISA_INSN_BYTES_MAX = 64, /* 31 + 2 x 12 + 9 */
	ISA_SOURCE_BYTES = 21,
	ISA_PREDICTION_BYTES = 20,
};
/* No instruction issues at or after this cycle (18 minutes at 1 GHz): bounds the NOP words of a queue. */
#define ISA_CYCLE_MAX (INT64_C(1) << 40)
/* Bound of any other time, location and size in a container: sums of a few of them stay far from overflow. */
#define ISA_NUMBER_MAX (INT64_C(1) << 56)

/* Bit i: loop i is more than {1, 0, 0}; ISA_EXTRA_ROTATIONS: a rotation is not zero. */
enum { ISA_EXTRA_ROTATIONS = 1 << ISA_LOOPS };
unsigned isa_insn_extras(const isa_insn *insn);

/* What keeps INSN from being lowered or decoded on any machine; NULL when nothing does.  g_free. */
char *isa_insn_problem(const isa_program *p, const isa_insn *insn);

#endif
