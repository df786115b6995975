/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the copy engines share: state of a sub-core's engines, the stream of requests of one copy, L1.
 */
#ifndef TSPSIM_MODELS_ASCEND_MTE_INT_H
#define TSPSIM_MODELS_ASCEND_MTE_INT_H

#include "models/ascend/cube_int.h"
#include "models/ascend/memory.h"

/* Places of fields in isa/ascend/formats.def. */
enum {
	COPY_DST,
	COPY_SRC,
	COPY_BURSTS,
	COPY_BURST_BYTES,
	COPY_SRC_GAP,
	COPY_DST_GAP,
	COPY_LEFT,
	COPY_RIGHT,
	COPY_VALUE,
	COPY_L2 /* reads of global memory only */
};
enum { ND2NZ_TYPE, ND2NZ_DST, ND2NZ_SRC, ND2NZ_ND, ND2NZ_N, ND2NZ_D, ND2NZ_SRC_PITCH, ND2NZ_C0_STRIDE, ND2NZ_L2 };
enum { LOAD2D_DST, LOAD2D_SRC, LOAD2D_REPEAT, LOAD2D_SRC_STRIDE, LOAD2D_DST_GAP, LOAD2D_TRANSPOSE };
enum {
	LOAD3D_TYPE,
	LOAD3D_DST,
	LOAD3D_SRC,
	LOAD3D_H,
	LOAD3D_W,
	LOAD3D_C,
	LOAD3D_KERNEL,
	LOAD3D_STRIDE,
	LOAD3D_DILATION,
	LOAD3D_PAD,
	LOAD3D_K_START,
	LOAD3D_M_START,
	LOAD3D_K_EXTENT,
	LOAD3D_M_EXTENT
};
/* Layout: a fractal has 16 rows of 32 bytes (C0), and so have blocks of local buffers. */
enum { FRACTAL_BYTES = 512, FRACTAL_ROWS = 16, C0_BYTES = 32 };

enum { MTE_READ, MTE_WRITE, MTE_WAYS };

/* Requests in flight one way between a sub-core and the memory. */
typedef struct mte_way {
	int64_t link;     /* tick at which the link is free */
	int64_t *returns; /* ring: when request number i - limit came back */
	unsigned next;
} mte_way;

struct asc_mte {
	const asc_machine *machine;
	unsigned core;
	asc_memory *memory;
	asc_ub *ub;
	asc_cube *cube;
	asc_data *data;
	mte_way way[MTE_WAYS];
	unsigned limit;
	asc_calendar *l1; /* [l1_parts] */
	unsigned l1_parts;
};

/* The requests of one copy.  Rates are those of the slowest link on the way. */
typedef struct mte_stream {
	asc_mte *mte;
	asc_exec *exec;
	bool write;
	bool past;            /* reads: lines that L2 does not have are not kept in it */
	int64_t rate;         /* bytes a cycle */
	int64_t largest;      /* bytes of a request */
	int64_t packet_ticks; /* least time of a request that L2 does not have */
	int64_t latency; /* ticks beyond the memory's answer until the data are there, or the write is known to be done
	                  */
	int64_t issue;   /* tick of the next request */
	int64_t end;     /* last return */
	int64_t first;   /* tick at which the first byte came in or went out */
	int64_t last;    /* tick at which the last byte went over the link */
} mte_stream;

mte_stream mte_stream_begin(asc_mte *m, asc_exec *x, bool write, int64_t rate, int64_t start);
/* BYTES of global memory from ADDRESS on in one burst, cut into requests. */
void mte_stream_burst(mte_stream *s, uint64_t address, uint64_t bytes);
/* BURSTS of BYTES each, PITCH apart: small ones that touch are merged. */
void mte_stream_bursts(mte_stream *s, uint64_t address, int64_t bursts, uint64_t bytes, uint64_t pitch);

/* L1 as a copy engine sees it: writes take their cycles, reads what is left; returns the tick at which a read is over.
 */
void mte_l1_write(asc_mte *m, uint64_t address, uint64_t bytes, int64_t at);
int64_t mte_l1_read(asc_mte *m, uint64_t address, uint64_t bytes, int64_t at);

static inline int64_t mte_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}
static inline uint64_t mte_block_up(uint64_t bytes)
{
	return (bytes + C0_BYTES - 1) / C0_BYTES * C0_BYTES;
}

void mte_copy(asc_mte *m, asc_exec *x); /* MTE2, MTE3 */
void mte_nd2nz(asc_mte *m, asc_exec *x);
void mte_fixpipe(asc_mte *m, asc_exec *x); /* FIX, and L0C to the unified buffer */
/* Values, in functional mode. */
void mte_copy_values(asc_mte *m, const asc_exec *x, enum asc_space from, enum asc_space to);
void mte_nd2nz_values(asc_mte *m, const asc_exec *x);
void mte_load2d_values(asc_mte *m, const asc_exec *x, enum asc_space to);
void mte_load3d_values(asc_mte *m, const asc_exec *x, enum asc_space to);
void mte_fixpipe_values(asc_mte *m, const asc_exec *x, enum asc_space to);

#endif
