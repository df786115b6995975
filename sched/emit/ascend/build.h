/* SPDX-License-Identifier: Apache-2.0
 *
 * Building programs of Ascend-style chips.  Kernels write down what each sub-core does as steps, one instruction each,
 * in an order that would be right if every instruction waited for the one before.  The builder finds out from the bytes
 * that steps touch who depends on whom (touch.c), orders each pipe's queue for overlap (order.c), covers every
 * dependence that queue order does not cover with as few flags, barriers and cross-core sets as that takes (sync.c),
 * predicts when each instruction runs (predict.c), and writes the streams.
 *
 * Steps never are flags, barriers, cross-core sets, branches or the end: those are the builder's.  Fields are numbers.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_BUILD_H
#define TSPSIM_SCHED_EMIT_ASCEND_BUILD_H

#include "isa/ascend/machine.h"
#include "sched/sched.h"

typedef struct asb asb;

/* Steps go into PROGRAM, whose blocks are set to CORES of the machine; both outlive the builder. */
asb *asb_new(asc_program *program, const asc_machine *machine, const sched_options *options);
void asb_free(asb *b);
const asc_machine *asb_machine(const asb *b);

/* Sub-cores to write steps for.  On a coupled machine the cube and the one vector sub-core of a block are the same. */
typedef uint32_t asb_core;
uint32_t asb_blocks(const asb *b); /* blocks, each on a core of its own */
asb_core asb_cube(const asb *b, uint32_t block);
uint32_t asb_block_of(const asb *b, asb_core core); /* the block that a sub-core belongs to */
unsigned asb_vectors(const asb *b);                 /* vector sub-cores of a block */
asb_core asb_vector(const asb *b, uint32_t block, unsigned number);
enum asc_kind asb_kind(const asb *b, asb_core core);

/* What follows is the kernel that begins with node NAME, which lives on. */
void asb_kernel(asb *b, const char *name);
/* What the sheet of the graph at hand says about this kernel, 0 where it says nothing (sched/sheet.h). */
uint32_t asb_decide(const asb *b, const char *kind, uint32_t count);
enum { ASB_HALVINGS = 2 };
/* How often the tiles of a vector kernel are to be halved, at most ASB_HALVINGS. */
uint32_t asb_halvings(asb *b);
/* Blocks that the next kernel may use: COUNT (0: all) from FIRST on, round the chip.  asb_blocks() and the numbers of
 * blocks are about these. */
void asb_window(asb *b, uint32_t first, uint32_t count);

/* Steps that follow come from this graph node or macro-operation. */
void asb_node(asb *b, const char *name);
/* What follows is of layer NAME of several: its nodes and remarks bear its name.  NULL: of the only one. */
void asb_layer(asb *b, const char *name);
void asb_step(asb *b, asb_core core, const asc_insn *insn);
/* Loops, for the report: a loop over UNIT ("tiles", static) begins on CORE and maybe others, the name is that of the
 * node at hand; what the kernel did on other cores under that name is the same loop.  Steps of CORE that follow are of
 * iteration NUMBER.  asb_kernel() ends it. */
void asb_loop(asb *b, asb_core core, const char *unit);
void asb_iteration(asb *b, asb_core core, uint64_t number);
/* Vector steps of CORE that follow run under this mask; costs an instruction where it changes.  The standard is all
 * lanes, no counter mode. */
void asb_mask(asb *b, asb_core core, uint64_t low, uint64_t high);
void asb_count(asb *b, asb_core core, uint32_t elements); /* counter mode */
/* Everything before, of all sub-cores, is complete before anything that follows begins. */
void asb_sync(asb *b);
/* No step is moved past here for the sake of order.  What another sub-core has to finish first belongs behind what has
 * not: its wait stops the whole stream. */
void asb_hold(asb *b);

/* Global memory.  Tensors lie row by row, each row PITCH_BYTES after the one before; 512-byte aligned.  DATA (rows *
 * lanes elements without padding, copied) may be NULL.  A tensor without DATA that no step writes is host data in
 * timing mode. */
uint64_t asb_tensor(asb *b, const char *name, enum asc_type type, uint64_t rows, uint64_t lanes, uint64_t pitch_bytes,
                    bool output, const void *data);
uint64_t asb_scratch(asb *b, uint64_t bytes); /* global memory between kernels */

/* Local buffers, a bump allocator a space and sub-core; asb_release() forgets what was taken since the mark.  An error
 * names space, bytes asked and left. */
bool asb_take(asb *b, asb_core core, enum asc_space space, uint64_t bytes, uint64_t align_bytes, uint64_t *address,
              GError **error);
uint64_t asb_mark(const asb *b, asb_core core, enum asc_space space);
void asb_release(asb *b, asb_core core, enum asc_space space, uint64_t mark);
/* Unified buffer for COUNT operands of BYTES each of one vector operation, the last one being written, so that reading
 * and writing meet in no bank group (padding up to what the machine needs); reports what that saves. */
bool asb_take_operands(asb *b, asb_core core, unsigned count, const uint64_t *bytes, uint64_t *address, GError **error);

/* Useful work, for the program's totals. */
void asb_work(asb *b, uint64_t macs, uint64_t vector_ops);

/* A line of the report's notes. */
void asb_remark(asb *b, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Dependences, order, flags, predictions, streams; the program's predicted_cycles.  Notes and what binds go into
 * REPORT. */
bool asb_finish(asb *b, sched_report *report, GError **error);

#endif
