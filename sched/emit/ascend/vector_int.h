/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the vector kernels of Ascend-style chips.
 *
 * A kernel is cut into stages; between stages lies global memory.  A stage computes its nodes tile by tile.  Its
 * iteration space is units x lanes: every value is either of a unit (so many rows of each unit) or shared by all units.
 * A tile is some units by some lanes; what it does is a list of operations on registers, which are pieces of the
 * unified buffer.  Rows in registers are PITCH elements apart, the same for every register of a tile, so that operands
 * of one shape are one run of elements whatever their type.
 */
#ifndef TSPSIM_SCHED_EMIT_ASCEND_VECTOR_INT_H
#define TSPSIM_SCHED_EMIT_ASCEND_VECTOR_INT_H

#include "sched/emit/ascend/ascend.h"

/* A node of the kernel, or a value it reads (external). */
typedef struct avk_node {
	graph_node n;                  /* borrowed strings and data; in[] are indices into the same array */
	bool external;                 /* read from global memory */
	bool stored;                   /* somebody outside the stage reads it */
	bool part;                     /* first level of a reduction in two */
	bool partial;                  /* external: few rows that every tile may reduce for itself */
	uint64_t address, pitch_bytes; /* place in global memory; 0 while it has none */
	uint32_t uses;                 /* by nodes of the kernel */
} avk_node;

enum { AVK_NONE = UINT32_MAX };

/* Row j of unit u is row first + u unit + j row of the register; splat: one block, the same for all lanes and rows. */
typedef struct avk_view {
	uint32_t reg;
	uint64_t first, unit, row;
	bool splat, shared;
	uint64_t rows; /* of a unit, or in all where shared */
} avk_view;

typedef struct avk_reg {
	uint64_t rows; /* of a unit, or in all where shared */
	uint32_t bits; /* of an element; 1: a mask of compare */
	bool shared;
	bool once; /* written once, before the first tile; BYTES is its size */
	bool ring; /* copies write or read it: tiles in flight have one each */
	uint64_t bytes, address;
	uint32_t first, last; /* operations that write and read it */
	unsigned phase;       /* half of the bank groups in which it begins, where it matters */
	bool stored;          /* a copy reads it: filled by avk_place() */
} avk_reg;

enum avk_kind { AVK_LOAD, AVK_STORE, AVK_VECTOR };

typedef struct avk_op {
	enum avk_kind kind;
	enum asc_op op;
	enum asc_type type, dtype;
	int64_t extra; /* scalar, condition, rounding */
	avk_view dst, src[2];
	unsigned srcs;
	uint32_t mask; /* register of vsel's bits */
	uint64_t rows; /* of a unit, or in all where shared */
	bool shared, once;
	bool halves;   /* elements are counted in 16 bits whatever the value's type: bitwise operations */
	uint32_t fold; /* rows are cut into pieces of so many lanes, of which half are handled; 0: whole */
	uint32_t src_lane, dst_lane; /* in a piece */
	uint32_t node;
	uint64_t address, pitch_bytes; /* global memory of LOAD and STORE: row gm_first + u gm_unit + j gm_row */
	uint64_t gm_first, gm_unit, gm_row;
	uint32_t element_bytes;
} avk_op;

/* What the tiles of a stage do. */
typedef struct avk_program {
	const asc_machine *machine;
	GArray *nodes; /* avk_node, borrowed */
	GArray *regs;  /* avk_reg */
	GArray *ops;   /* avk_op */
	uint64_t units, lanes;
	uint64_t granule; /* lanes of a tile are a multiple of this, the last tile of a row excepted */
	uint64_t rows;    /* of the value being made: a unit's, or in all */
	bool shared;
	bool apart; /* values that are stored keep their places to the end of the tile */
	uint32_t node;
	avk_view *value; /* [nodes] */
	bool *made;
	asb *b;
} avk_program;

/* A place in the iteration space. */
typedef struct avk_tile {
	uint64_t unit, units, lane, lanes, pitch;
	uint64_t base, ring; /* of registers in the unified buffer; of those that tiles have for themselves */
	asb_core core;
} avk_tile;

/* vector_plan.c: the program of the stage that NODES (all that are not external) make with UNITS units; NULL when it
 * cannot be.  B may be NULL for a trial. */
avk_program *avk_program_new(asb *b, const asc_machine *machine, GArray *nodes, uint64_t units);
void avk_program_free(avk_program *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(avk_program, avk_program_free)

/* vector_ops.c: instructions for one element-wise operation; operands A and B (NULL: immediate IMM or none). */
avk_view avk_expand(avk_program *p, enum isa_op op, enum isa_type from, enum isa_type to, const avk_view *a,
                    const avk_view *b, bool has_imm, uint32_t imm);
avk_view avk_new_value(avk_program *p, uint32_t bits);
avk_view avk_copy(avk_program *p, enum isa_type type, const avk_view *a);
avk_op *avk_add(avk_program *p, enum asc_op op, enum asc_type type);
bool avk_dense(const avk_view *v);
enum asc_type avk_type(enum isa_type type);

/* vector_place.c: places of registers in a tile of UNITS units and PITCH lanes.  Before them lie those that are written
 * once. */
typedef struct avk_room {
	uint64_t fixed, ring; /* bytes that all tiles share, that each tile in flight has */
} avk_room;
avk_room avk_place(avk_program *p, uint64_t units, uint64_t pitch);
uint64_t avk_once_bytes(const avk_program *p);

/* vector_emit.c: the steps of a tile: its LOADS, or all others.  FIRST: with what is done once. */
void avk_emit(asb *b, avk_program *p, const avk_tile *tile, bool first, bool loads);
int avk_field(enum asc_op op, const char *name);
void avk_set(asc_insn *insn, const char *name, int64_t value);
/* The first N lanes of elements of BYTES. */
void avk_mask_lanes(asb *b, asb_core core, uint64_t n);
unsigned avk_lanes_of(const asc_machine *machine, enum asc_type type, enum asc_type dtype);

/* Copies of ROWS rows of BYTES between global memory and the unified buffer; pitches of both; rows of the unified
 * buffer begin at multiples of 32 bytes.  FILL: bytes up to which a row is filled with zeros, at most the next block.
 */
void avk_copy_in(asb *b, asb_core core, uint64_t ub, uint64_t ub_pitch, uint64_t gm, uint64_t gm_pitch, uint64_t rows,
                 uint64_t bytes, uint64_t fill);
void avk_copy_out(asb *b, asb_core core, uint64_t gm, uint64_t gm_pitch, uint64_t ub, uint64_t ub_pitch, uint64_t rows,
                  uint64_t bytes);

/* transpose.c: with PAD 0 rows are as many blocks apart as they have, for comparison. */
bool avk_transpose(asb *b, const ask_kernel *k, unsigned pad, GError **error);

/* All vector sub-cores in the order of their blocks. */
uint32_t avk_cores(const asb *b);
asb_core avk_core(const asb *b, uint32_t i);

/* vector_tiles.c.  Who does what of a stage: CORES sub-cores from FIRST on, lanes from LANE on. */
typedef struct avk_share {
	uint64_t first, cores, lane;
} avk_share;
/* Do SETS tiles of so many units and lanes fit the unified buffer? */
bool avk_fits(avk_program *p, uint64_t units, uint64_t lanes, unsigned sets);
bool avk_run_tiles(asb *b, avk_program *p, const avk_share *who); /* false: nothing fits */

/* vector_split.c. */
/* Reductions of ROWS rows are done in blocks of BLOCK rows, a power of two, of which there are WHOLE and perhaps a
 * shorter one; BLOCK 0: they are not. */
typedef struct avk_splitting {
	uint64_t rows, block, whole;
	uint64_t again; /* second levels of at most so many rows are done again in every tile that needs them */
} avk_splitting;
/* NODES with every reduction of s->rows rows in two levels. */
GArray *avk_split(GArray *nodes, const avk_splitting *s);
/* The whole blocks' part of a stage, or the last block's. */
void avk_narrow(GArray *nodes, const avk_splitting *s, bool tail);
/* Rows of the kernel's reductions where they can be split, else 0. */
uint64_t avk_rows_to_split(GArray *nodes);
/* Groups that all reductions of the kernel have and nothing joins; 1 where there are none. */
uint64_t avk_groups(GArray *nodes);
/* The kernel's nodes for group WHICH alone. */
GArray *avk_one_group(GArray *nodes, uint64_t groups, uint64_t which);

static inline uint64_t avk_div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}
static inline avk_node *avk_node_at(GArray *nodes, uint32_t i)
{
	return &g_array_index(nodes, avk_node, i);
}
static inline avk_reg *avk_reg_at(const avk_program *p, uint32_t i)
{
	return &g_array_index(p->regs, avk_reg, i);
}
static inline uint64_t avk_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

#endif
