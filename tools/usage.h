/* SPDX-License-Identifier: Apache-2.0
 *
 * Utilisation of a finished run: useful work / (peak x cycles), peaks from the machine description.
 */
#ifndef TSPSIM_TOOLS_USAGE_H
#define TSPSIM_TOOLS_USAGE_H

#include "isa/program.h"
#include "models/tsp/chip.h"

typedef struct usage {
	double mxm, vxm, sxm, sram; /* fractions of peak */
	double mxm_ceiling;         /* what block quantisation alone allows; < 0 when there is no MXM work */
	double mxm_cycles;          /* cycles the MXM's work takes at peak */
	double sram_peak_bytes;     /* a cycle */
} usage;

usage usage_of_run(const isa_machine *machine, const isa_program *program, const tsp_counters *counters);

/* The resource with the most work, in cycles at its peak (MXM: of whole blocks), and the one after it: "MXM: whole
 * blocks take 8,192 of 8,414 cycles at peak; then SRAM, 2,275"; latency when no unit is busy half of the time.  g_free.
 * NULL for a run without work. */
char *usage_binds(const isa_machine *machine, const usage *u, const tsp_counters *counters);

/* Peak MACs a cycle for operands of TYPE (I8 or F16). */
double usage_mxm_peak(const isa_machine *machine, enum isa_type type);

#endif
