/* SPDX-License-Identifier: Apache-2.0
 *
 * Fixed programs of Ascend-style chips against published times.
 *
 * A program is written down here as its source has it: tiling, order, size of copies, flags.  No scheduler has a part
 * in it.  A run is a program on one machine, in timing mode; a figure is one number of a run against the published one.
 * What is compared, and what a run leaves out, stands in docs/validation-ascend.md.
 */
#ifndef TSPSIM_TESTS_VALIDATION_VALID_H
#define TSPSIM_TESTS_VALIDATION_VALID_H

#include "models/ascend/chip.h"

/* One field of an instruction: a number, or the value of a scalar register. */
typedef struct valid_field {
	const char *name;
	int64_t value;
	bool reg;
} valid_field;
#define VN(name, value)                                                                                                \
	{                                                                                                              \
		name, value, false                                                                                     \
	}
#define VR(name, value)                                                                                                \
	{                                                                                                              \
		name, value, true                                                                                      \
	}
#define PUT(stream, op, ...)                                                                                           \
	valid_put(stream, ASC_OP_##op, (const valid_field[]){__VA_ARGS__},                                             \
	          G_N_ELEMENTS(((const valid_field[]){__VA_ARGS__})))

/* Appends an instruction; an unknown field ends the program. */
void valid_put(asc_stream *stream, enum asc_op op, const valid_field *fields, size_t count);
/* A flag of ID from pipe FROM to pipe TO. */
void valid_set(asc_stream *stream, enum asc_pipe from, enum asc_pipe to, int64_t id);
void valid_wait(asc_stream *stream, enum asc_pipe from, enum asc_pipe to, int64_t id);
/* REGISTER = NUMBER. */
void valid_movi(asc_stream *stream, int64_t reg, int64_t number);
/* TARGET = REGISTER + NUMBER. */
void valid_addi(asc_stream *stream, int64_t target, int64_t reg, int64_t number);
/* COUNTER += 1; goes to LABEL while it is below LIMIT. */
void valid_loop(asc_stream *stream, int64_t counter, int64_t limit, guint label);
/* The stream of vector sub-core NUMBER of the chip, counted through all cores. */
asc_stream *valid_vector(asc_program *program, unsigned number);
asc_stream *valid_cube(asc_program *program, unsigned number);

/* Where the operands of all programs lie in global memory: far apart, on lines. */
enum { VALID_X = 0x0, VALID_Y = 0x20000000, VALID_Z = 0x40000000 };

enum valid_metric {
	VALID_TASK, /* the last sub-core's end and the launch, us */
	VALID_LAST, /* the last sub-core's end */
	VALID_CORE, /* the mean of the ends of sub-cores that have work */
	VALID_MTE2, /* the mean time the pipe works */
	VALID_MTE3,
	VALID_MTE1,
	VALID_CUBE,
	VALID_VECTOR,
	VALID_FIX,
	VALID_HITS, /* share of requests that L2 has, % */
	VALID_METRICS
};

/* What a run found. */
typedef struct valid_result {
	double metric[VALID_METRICS];
	uint64_t by_kind[ASC_FINDINGS];
	uint64_t instructions;
	double stall[ASC_PIPES][ASC_STALLS]; /* mean cycles of a sub-core */
} valid_result;

/* Programs.  Each returns what the machine is to run; parameters are those of the sources. */
typedef struct valid_gemm {
	unsigned m, k, n, base_m, base_k, base_n;
	unsigned single_m, single_n; /* of a core; 0: blocks are dealt out one by one */
	unsigned step_a, step_b;     /* basic blocks of a copy, along the depth */
	unsigned cores, buffers;     /* of L1, for each operand */
	bool b_is_n_by_k;            /* rows of B in memory are columns of the product */
	bool b_is_nz;                /* B lies in memory as fractals, in columns of 16 */
	bool ahead;           /* copies into L1 are issued where a buffer gets free, B first; else where it is needed */
	bool unit_flag, fp32; /* of the way out */
	unsigned rounds;      /* the rows of A in so many parts, one after the other, for L2 */
	bool columns_outside; /* blocks of columns in the outer loop, of rows in the inner one */
	unsigned swizzle;     /* blocks dealt out: rows (columns) of blocks in a group; 0: three */
	bool across;          /* groups of columns */
	unsigned rows;        /* of the block that is there, where it is less than base_m; 0: all */
} valid_gemm;
asc_program *valid_gemm_program(const valid_gemm *g);

enum valid_copy { VALID_ONCE, VALID_WHOLE_4, VALID_QUARTERS_4, VALID_SAME, VALID_STAGGERED };
typedef struct valid_copies {
	bool l1; /* nd2nz into L1 by the cube sub-cores; else into the unified buffer by the vector sub-cores */
	enum valid_copy what;
	unsigned m, n, tile_m, tile_n;
} valid_copies;
asc_program *valid_copies_program(const valid_copies *c);

typedef struct valid_add {
	unsigned cores, elements; /* elements of a copy */
	bool two_buffers, bypass, apart;
} valid_add;
asc_program *valid_add_program(const valid_add *a);

typedef struct valid_nd2nz {
	unsigned stride; /* blocks between columns of fractals in the unified buffer */
} valid_nd2nz;
asc_program *valid_nd2nz_program(const valid_nd2nz *p);

enum valid_reduction { VALID_REPEATS_TWICE, VALID_BLOCKS_THRICE, VALID_BLOCKS_REPEATS };
asc_program *valid_reduction_program(enum valid_reduction how);

typedef struct valid_attention {
	unsigned rows, tile; /* length of the sequence; columns of scores that softmax takes at once */
} valid_attention;
asc_program *valid_attention_program(const valid_attention *a);

/* Runs PROGRAM, which it frees, on the machine; SETTINGS, "key=value" words, may be NULL.  Ends the program when the
 * machine refuses it. */
valid_result valid_run(const char *machine, const char *settings, asc_program *program);

#endif
