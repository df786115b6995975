/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of L0C under the unit flag, shared by the cube unit that marks them and the fixpipe that drains them.
 */
#ifndef TSPSIM_MODELS_ASCEND_CUBE_INT_H
#define TSPSIM_MODELS_ASCEND_CUBE_INT_H

#include "models/ascend/calendar.h"
#include "models/ascend/internal.h"

/* Places of fields in isa/ascend/formats.def. */
enum { MMAD_TYPE, MMAD_C, MMAD_A, MMAD_B, MMAD_M, MMAD_K, MMAD_N, MMAD_INIT, MMAD_BIAS, MMAD_UNIT_FLAG };
enum {
	FIX_TYPE,
	FIX_DTYPE,
	FIX_DST,
	FIX_SRC,
	FIX_M,
	FIX_N,
	FIX_SRC_STRIDE,
	FIX_DST_PITCH,
	FIX_QUANT,
	FIX_SCALE,
	FIX_RELU,
	FIX_NZ2ND,
	FIX_UNIT_FLAG
};
/* Values of unit_flag: bit 1 obeys the flags, bit 0 changes them as well. */
enum { UNIT_CHANGES = 1, UNIT_OBEYS = 2 };
enum { L0C_FRACTAL_ROWS = 16, L0C_FRACTAL_COLUMNS = 16, L0C_ELEMENT_BYTES = 4, L0C_FRACTAL_BYTES = 1024 };

/* Tick from which the byte at ADDRESS of L0C may be read (it was marked). */
int64_t asc_cube_marked_at(const asc_cube *c, uint64_t address);
/* The unit at ADDRESS has been read, until tick AT. */
void asc_cube_drain(asc_cube *c, uint64_t address, int64_t at);

#endif
