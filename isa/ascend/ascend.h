/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between scheduler and models of an Ascend-style core: pipes, buffers, instructions, programs.
 *
 * A program has streams.  A stream is the code of one sub-core (the coupled core, the cube core, a vector core) in
 * program order: its scalar unit executes the scalar instructions and pushes the others into the queues of their pipes.
 * Fields are numbers, or scalar registers where an instruction says so.  Instructions may carry predicted times, which
 * models ignore unless a run issues by timestamp.
 *
 * Source of structure and limits: docs/sources.md (Ascend C documentation, profiler sources).  Opcodes and bit
 * positions are ours: the published encodings are not needed to answer questions of time.
 */
#ifndef TSPSIM_ISA_ASCEND_ASCEND_H
#define TSPSIM_ISA_ASCEND_ASCEND_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

enum asc_pipe {
	ASC_PIPE_S,
	ASC_PIPE_V,
	ASC_PIPE_M,
	ASC_PIPE_MTE1,
	ASC_PIPE_MTE2,
	ASC_PIPE_MTE3,
	ASC_PIPE_FIX,
	ASC_PIPES
};
const char *asc_pipe_name(enum asc_pipe pipe); /* "S" "V" "M" "MTE1" "MTE2" "MTE3" "FIX" */

enum asc_space { ASC_GM, ASC_L1, ASC_L0A, ASC_L0B, ASC_L0C, ASC_UB, ASC_BT, ASC_FB, ASC_SPACES };
const char *asc_space_name(enum asc_space space); /* "gm" "l1" ...; ASC_SPACES: "-" */

/* Kinds of sub-cores: all pipes in one; cube core; vector core. */
enum asc_kind { ASC_COUPLED, ASC_CUBE, ASC_VECTOR, ASC_KINDS };

enum asc_type { ASC_I8, ASC_U8, ASC_I16, ASC_U16, ASC_I32, ASC_U32, ASC_F16, ASC_BF16, ASC_F32, ASC_TYPES };
unsigned asc_type_bytes(enum asc_type type);
const char *asc_type_name(enum asc_type type); /* "int8" "uint8" ... "fp16" "bf16" "fp32" */
int asc_type_by_name(const char *name);        /* -1 */

/* Classes of time, isa/ascend/timing.def. */
enum asc_timing {
#define ASC_TIMING(id, head, b16, b32, doc) ASC_TIMING_##id,
#include "isa/ascend/timing.def"
	ASC_TIMING_COUNT
};

enum asc_op {
#define ASC_OP(id, mnemonic, pipe, format, timing, cores, doc) ASC_OP_##id,
#include "isa/ascend/ops.def"
	ASC_OP_COUNT
};

/* A format names up to ASC_FIELDS fields (isa/ascend/formats.def); f[i] is the i-th of them. */
enum { ASC_FIELDS = 16, ASC_REGISTERS = 32 };

typedef struct asc_insn {
	uint16_t op;
	uint16_t regs;      /* bit i: f[i] is the number of a scalar register whose value is meant */
	uint32_t node;      /* graph node or macro-operation it came from */
	int64_t start, end; /* predicted first cycle on its pipe and completion; ASC_NO_TIME when unknown.  Of its
	                     * first execution where a loop executes it again. */
	int64_t f[ASC_FIELDS];
} asc_insn;
#define ASC_NO_TIME INT64_MIN
/* The value of a pipe field that means every pipe of the sub-core; pipe_barrier only. */
enum { ASC_PIPE_ALL = ASC_PIPES };
asc_insn asc_insn_make(enum asc_op op); /* every field at its standard, no registers, no node, no times */
#define ASC_NO_NODE UINT32_MAX

enum { ASC_ALL_BLOCKS = -1 };

typedef struct asc_stream {
	enum asc_kind kind;
	int32_t sub;   /* vector core of its cube core: 0, 1; ASC_ALL_BLOCKS: both */
	int32_t block; /* block that runs it; ASC_ALL_BLOCKS: every one.  Register 31 holds the block at the start, 30
	                  the sub */
	GArray *insns; /* asc_insn */
} asc_stream;

/* Bytes of global memory the host provides, and tensors for checking and attribution. */
typedef struct asc_image {
	uint64_t address, bytes;
	uint8_t *data; /* owned, or NULL in timing mode */
} asc_image;
enum { ASC_RANK_MAX = 6 };
typedef struct asc_tensor {
	char *name;
	enum asc_type type;
	uint32_t rank;
	uint64_t shape[ASC_RANK_MAX];
	int64_t stride[ASC_RANK_MAX]; /* bytes */
	uint64_t address, bytes;
	bool output;
} asc_tensor;

typedef struct asc_program {
	char *machine_name, *machine_text, *workload;
	uint32_t blocks;    /* blocks spread over cores in order: block b runs on core b mod cores, a core runs one at a
	                       time */
	GPtrArray *streams; /* asc_stream */
	GPtrArray *nodes;   /* char * */
	GArray *images;     /* asc_image */
	GArray *tensors;    /* asc_tensor */
	uint64_t macs, vector_ops; /* useful */
	int64_t predicted_cycles;  /* -1 when unknown */
} asc_program;

asc_program *asc_program_new(void);
void asc_program_free(asc_program *program);
asc_stream *asc_program_stream(asc_program *program, enum asc_kind kind, int32_t sub,
                               int32_t block); /* finds or adds */

/* One instruction of the tables, for assembler, models and documentation. */
enum asc_value {
	ASC_VALUE_NUMBER,
	ASC_VALUE_ADDRESS,
	ASC_VALUE_TYPE,
	ASC_VALUE_PIPE,
	ASC_VALUE_REGISTER,
	ASC_VALUE_BITS,   /* low bits: a number of the instruction's type, floating or not */
	ASC_VALUE_BITS32, /* low 32 bits: a number of fp32 */
	ASC_VALUE_LABEL   /* index of an instruction of the stream */
};
typedef struct asc_field_info {
	const char *name; /* "dst" "src0" "repeat" "dst_blk" ... */
	enum asc_value value;
	enum asc_space space;       /* of an address */
	int64_t min, max, standard; /* limits as documented; what stands when the text leaves it out */
	unsigned align_bytes;       /* of an address; of a number: it is a multiple of this */
} asc_field_info;
typedef struct asc_op_info {
	const char *mnemonic, *doc;
	enum asc_pipe pipe;
	enum asc_timing timing;
	unsigned cores; /* bit asc_kind */
	unsigned fields;
	const asc_field_info *field;
} asc_op_info;
const asc_op_info *asc_op(enum asc_op op);
int asc_op_by_name(const char *mnemonic);                /* -1 */
int asc_field_by_name(enum asc_op op, const char *name); /* -1 */
int64_t asc_get(const asc_insn *insn, int field, const int64_t *registers);
/* What address field FIELD of OP must be a multiple of, in bytes, when the fields have the values F; those of which
 * REGS has a bit are not known yet and decide nothing. */
unsigned asc_alignment(enum asc_op op, unsigned field, const int64_t *f, uint32_t regs);
/* The lowest and highest byte that packed field FIELD of OP may hold in its two halves; false when it is not packed. */
bool asc_packed_limits(enum asc_op op, unsigned field, int64_t *min, int64_t *max);
/* Does VALUE, which lies within the limits of the whole field, keep them in each half? */
bool asc_packed_fits(enum asc_op op, unsigned field, int64_t value);
/* Do accumulators of TYPE leave L0C as DTYPE with this quantisation code? */
bool asc_fixpipe_types(int64_t quant, enum asc_type type, enum asc_type dtype);
/* Does field FIELD of OP name a register it writes or reads as such?  Others may hold one where insn.regs says so. */
static inline bool asc_field_is_register(const asc_op_info *info, unsigned field)
{
	return info->field[field].value == ASC_VALUE_REGISTER;
}

/* Does the hardware order two accesses of SPACE by instructions of one PIPE, one after the other in its queue, without
 * a barrier?  isa/ascend/order.def. */
bool asc_ordered(enum asc_pipe pipe, enum asc_space space, bool earlier_writes, bool later_writes);
/* Is (FROM, TO) a pair of pipes that flags of this kind of sub-core exist for?  isa/ascend/flags.def. */
bool asc_flag_pair(enum asc_kind kind, enum asc_pipe from, enum asc_pipe to);
/* Findings of the models, isa/ascend/violations.def. */
const char *asc_violation_name(unsigned finding);
const char *asc_violation_doc(unsigned finding);
/* Hardware counters, isa/ascend/pmu.def; models/ascend/pmu.h has their values. */
enum asc_pmu {
#define ASC_PMU(row, id, value, name, unit, bytes, cores, class, doc) ASC_PMU_##row,
#define ASC_PMU_ABSENT(id, name, why)
#include "isa/ascend/pmu.def"
	ASC_PMU_COUNT
};
typedef struct asc_pmu_info {
	unsigned id; /* of the event in the hardware */
	const char *name, *unit;
	unsigned bytes; /* that a count stands for; 0: none */
	unsigned cores; /* bit asc_kind: sub-cores that have it */
	const char *class_name, *doc;
} asc_pmu_info;
const asc_pmu_info *asc_pmu(enum asc_pmu row);
int asc_pmu_by_id(unsigned id); /* row, -1 */
/* The n-th counter of the hardware that models cannot count, with the reason as doc; NULL behind the last. */
const asc_pmu_info *asc_pmu_absent(unsigned n);
bool asc_kind_has_pipe(enum asc_kind kind, enum asc_pipe pipe);
const char *asc_kind_name(enum asc_kind kind); /* "coupled" "cube" "vector" */

/* Assembly: "[@start] mnemonic name=value ..." a line, labels "name:", directives .stream .image .tensor .blocks .node;
 * docs/ascend-assembly.md.  Errors carry file:line:column and the nearest legal word; limits and alignment are refused
 * by the documented rule's name.  Assembling a disassembly gives the same program. */
typedef struct asc_machine asc_machine;
asc_program *asc_assemble(const char *text, const char *file, const asc_machine *machine, GError **error);
char *asc_disassemble(const asc_program *program, const asc_machine *machine);
char *asc_insn_text(const asc_insn *insn);          /* mnemonic and fields, g_free */
char *asc_program_hash(const asc_program *program); /* SHA-256 of what a file of it holds, g_free; NULL
                                                     * when it is too large for one */
#define ASC_MAGIC "ASCO" /* first bytes of a file */
bool asc_program_write(const asc_program *program, const char *path, GError **error);
asc_program *asc_program_read(const char *path, GError **error);
/* Limits, alignment, kinds of cores and legal flag pairs; the rule's name is in the message, with stream and
 * instruction. */
bool asc_check(const asc_program *program, const asc_machine *machine, GError **error);

#endif
