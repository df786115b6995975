/* SPDX-License-Identifier: Apache-2.0
 *
 * Entry points for fuzzing, one for each kind of input that people write or that a disk may damage.  Each takes any
 * bytes and holds the parser to its word: it gives a result or a message, not both, and never calls bad input a defect
 * of its own; what it accepts prints to a text that reads back to the same; what is small enough is carried on to the
 * scheduler, its checker and the model.  A broken promise aborts.
 *
 * tests/fuzz/driver.c makes one libFuzzer program of each (make fuzz); tests/fuzz/replay.c runs the corpora as a test.
 */
#ifndef TSPSIM_TESTS_FUZZ_FUZZ_H
#define TSPSIM_TESTS_FUZZ_FUZZ_H

#include "isa/ascend/machine.h"
#include "isa/program.h"

#define TARGET(name, what) void fuzz_##name(const uint8_t *data, size_t size);
#include "tests/fuzz/targets.def"

/* Aborts, saying what was expected, unless TRUE. */
#define FUZZ_EXPECT(condition) ((condition) ? (void)0 : fuzz_abort(#condition, __FILE__, __LINE__))
void fuzz_abort(const char *expected, const char *file, int line) G_GNUC_NORETURN;

/* A preset, loaded once. */
const isa_machine *fuzz_machine(const char *name);
const asc_machine *fuzz_ascend_machine(const char *name);
/* OK and no error, or not OK and an error with a text that blames the input; clears it, returns OK. */
bool fuzz_judge(bool ok, GError **error);
/* Runs PROGRAM's queues on MACHINE for some hundred cycles, with values. */
void fuzz_simulate(const isa_program *program, const isa_machine *machine, unsigned policy);
/* Schedules GRAPHS (GPtrArray of graph) on both presets when they are small; what comes out must pass the checker. */
void fuzz_schedule(GPtrArray *graphs);

#endif
