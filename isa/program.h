/* SPDX-License-Identifier: Apache-2.0
 *
 * The program container: instructions with absolute cycles, side tables without timing effect (producers, predictions,
 * graph nodes), epochs with their memory images, and the queues encoded from all that.
 *
 * An epoch is one layer: at its start the host's data is in the SRAM, whatever was there before is gone.
 */
#ifndef TSPSIM_ISA_PROGRAM_H
#define TSPSIM_ISA_PROGRAM_H

#include "isa/machine.h"

/* Producer of (part of) an operand.  Every issue of every instruction has a number, its instance: base(insn) + i, with
 * i the issue index over both loops; numbers begin at 1 and wrap at 2^32.  0 stands for data the host put there.
 * Expected instance for segment s of the operand at loop indices (i0, i1):
 *     base + i0*step0 + i1*step1 + (s / seg_div) * seg_step,   s counted from this piece's first segment.
 * A segment is: one stream of a wide stream operand; one 16-byte granule (from the operand's first granule, packed
 * order) of a hashed SRAM access; one word of direct SRAM (GATHER: one a superlane); one row of weights for IW; one
 * register of TRANSPOSE's 16; else the whole operand. */
typedef struct isa_source {
	uint32_t base;
	int32_t step0, step1;
	int32_t seg_step;
	uint16_t seg_div;  /* >= 1 */
	uint16_t segments; /* this piece covers so many segments; 0 = all that remain */
	bool resident;     /* expects host data: instance 0 always */
} isa_source;
enum { ISA_TAG_GRANULE = 16 }; /* bytes of hashed SRAM with one producer */

/* Which operand of which op a source belongs to (operand index):
 *   0: SRC0, or the SRAM data of LOAD*, READ, READWRITE, GATHER, the weight rows of IW, the SEND of RECV,
 *      the accumulator row of ACC (the last ABC into it)
 *   1: SRC1; the installed weights of ABC (the IW); the stored stream of READWRITE
 *   2: the ABC before this one into the same accumulator row, when this one adds */
enum { ISA_OPERANDS = 3 };

/* Prediction for one instruction, the same for each issue relative to that issue; cycles relative to the issue.
 * ISA_NO_TIME where there is nothing to predict. */
#define ISA_NO_TIME INT32_MIN
typedef struct isa_prediction {
	int32_t arrival[ISA_OPERANDS]; /* when the operand's value arrived where it is sampled (the due time of its
	                                * producer's result there: drive time + hops for a stream); may be negative */
	int32_t result; /* when the result is there: register or port written, cell driven, word readable, row
	                 * accumulated, vector receivable */
	int32_t beats;  /* bank beats (link slots) the access takes; 0 where none */
} isa_prediction;

typedef struct isa_node {
	char *name; /* of the graph node or macro-operation */
	uint32_t epoch;
} isa_node;

/* A run of bytes the host provides at the start of an epoch.  In timing mode only constant maps and index tensors have
 * bytes; others have data == NULL and stand for resident data. */
typedef struct isa_image {
	uint64_t location; /* flat byte address; direct SRAM: isa_word_location() */
	uint64_t bytes;
	uint8_t *data; /* owned, or NULL */
} isa_image;

/* Where an element of a tensor lies: location = base + sum over terms ((index[dim] / div) % mod) * stride; mod 0 = no
 * modulus; dim == rank stands for the byte inside the element. */
typedef struct isa_layout_term {
	uint32_t dim;
	uint64_t div, mod;
	int64_t stride;
} isa_layout_term;
enum { ISA_RANK_MAX = 6, ISA_LAYOUT_TERMS = 16 };
typedef struct isa_tensor {
	char *name;
	enum isa_type type;
	uint32_t rank;
	uint64_t shape[ISA_RANK_MAX];
	uint64_t base;
	uint32_t terms;
	isa_layout_term term[ISA_LAYOUT_TERMS];
	uint32_t epoch;
	bool output;    /* else input, constant or intermediate kept for attribution */
	uint64_t bytes; /* occupied in SRAM, padding included */
} isa_tensor;
uint64_t isa_tensor_location(const isa_tensor *t, const uint64_t *index, unsigned byte);

/* Memory whose data lies under a bank map of its own while it lives, one epoch.  Buffers do not overlap, and no two
 * blocks of an epoch share a place; the rest of the memory lies under the machine's map.  An instruction names a buffer
 * by its number in the program, from 1. */
typedef struct isa_buffer {
	char *name;
	uint64_t base, bytes; /* whole blocks */
	char *map;
	uint32_t epoch;
} isa_buffer;
enum { ISA_BUFFERS_MAX = 15 };

typedef struct isa_epoch {
	char *name;         /* layer */
	int64_t start;      /* cycle */
	int64_t end;        /* predicted cycle in which its last result is available */
	GArray *images;     /* isa_image */
	uint64_t macs;      /* useful multiply-accumulates */
	uint64_t vxm_ops;   /* useful vector operations, lanes counted */
	double mxm_ceiling; /* useful MACs / (peak x quantised block cycles); < 0 when there is no MXM work */
	uint32_t graph;     /* index for the observer: which graph this epoch computes */
} isa_epoch;

/* Constant lane maps for SXM; entry i is a source lane or 0xffff. */
typedef struct isa_lane_map {
	uint16_t lane[320];
} isa_lane_map;

typedef struct isa_program {
	char *machine_name;
	char *machine_text; /* the sched machine, isa_machine_dump() */
	char *workload;
	GArray *insns;            /* isa_insn, in the order added; index = instruction id */
	GArray *node_of;          /* uint32_t per insn: index into nodes */
	GArray *first_source;     /* uint32_t per insn and operand (ISA_OPERANDS per insn): index into sources */
	GArray *source_count;     /* uint8_t likewise */
	GArray *sources;          /* isa_source */
	GArray *predictions;      /* isa_prediction per insn; empty when the program has none */
	GArray *instance_base;    /* uint32_t per insn, filled by isa_program_number() */
	GArray *nodes;            /* isa_node */
	GArray *maps;             /* isa_lane_map */
	GArray *epochs;           /* isa_epoch */
	GArray *tensors;          /* isa_tensor */
	GArray *buffers;          /* isa_buffer, at most ISA_BUFFERS_MAX */
	GPtrArray *queues;        /* per queue a GArray of isa_word, after isa_lower() */
	GPtrArray *queue_insns;   /* per queue a GArray of uint32_t: instruction id of each real word, in queue order */
	int64_t predicted_cycles; /* -1 when unknown */
	bool has_predictions;
} isa_program;

isa_program *isa_program_new(const isa_machine *machine);
void isa_program_free(isa_program *program);

/* Appends and returns the id.  The instruction's instance base is assigned at once (running sum). */
uint32_t isa_program_add(isa_program *program, const isa_insn *insn, uint32_t node);
void isa_program_add_source(isa_program *program, uint32_t insn, unsigned operand, const isa_source *source);
void isa_program_set_prediction(isa_program *program, uint32_t insn, const isa_prediction *prediction);
uint32_t isa_program_add_node(isa_program *program, const char *name, uint32_t epoch);
uint32_t isa_program_add_map(isa_program *program, const uint16_t *lanes320); /* same content: same id */
static inline isa_insn *isa_program_insn(const isa_program *p, uint32_t id)
{
	return &g_array_index(p->insns, isa_insn, id);
}
static inline uint32_t isa_program_instance(const isa_program *p, uint32_t id)
{
	return g_array_index(p->instance_base, uint32_t, id);
}

/* Encodes all queues: sorts each queue's instructions by cycle, fills gaps with NOP, writes REPEAT words, puts SYNC and
 * one NOTIFY at the heads of used queues where icu.barrier_cycles > 0, and IFETCH where icu.queue_words is finite (in
 * the first free cycle in which the words it brings have room).  Inserted instructions join the container; lowering
 * again adds none. Fails when two instructions need one queue in one cycle (loops that interleave on one queue are
 * refused: an instruction occupies its queue from first to last issue), or a queue would run dry. */
bool isa_lower(isa_program *program, const isa_machine *machine, GError **error);

#define ISA_MAGIC "TSPO" /* first bytes of a file */

/* Binary container, versioned, little-endian, with a checksum.  Reading checks every index and bound; a damaged file is
 * a USER error naming the offset. */
bool isa_program_write(const isa_program *program, const char *path, GError **error);
isa_program *isa_program_read(const char *path, GError **error);
/* SHA-256 of the encoded queues and side tables, hex; g_free. */
char *isa_program_hash(const isa_program *program);

/* Assembly: one instruction a line, "@cycle queue: mnemonic operands" (docs/assembly.md).  Assembling a disassembly
 * gives the same bits.  Errors carry file:line:column. */
isa_program *isa_assemble(const char *text, const char *file, const isa_machine *machine, GError **error);
char *isa_disassemble(const isa_program *program, const isa_machine *machine); /* g_free */

#endif
