/* SPDX-License-Identifier: Apache-2.0
 *
 * State of one run of the oracle (tests/lib/oracle.h), shared by its files.
 *
 * Every place that can be sampled holds a pointer to the newest value due there, or NULL.  What is still to happen is
 * filed by cycle and phase; inside a cycle: results fall due, operands are sampled, ALUs start, banks are served.
 */
#ifndef TSPSIM_TESTS_LIB_ORACLE_INT_H
#define TSPSIM_TESTS_LIB_ORACLE_INT_H

#include "tests/lib/oracle.h"

enum {
	OR_BYTES_MAX = 8192, /* largest operand of all but LW and the hashed SRAM: 16 operands of TRANSPOSE */
	OR_STREAMS = 64,
	OR_PLANES = 4,
	OR_ROWS = 1024,
	OR_ALUS = 32,
	OR_LINKS = 128,
};

/* A value some instruction left somewhere. */
typedef struct or_value {
	int64_t due;                   /* where it was written or driven */
	uint32_t tag;                  /* instance of its producer; 0 = the host */
	int64_t wall;                  /* vectors on a link: when receivable, in wall time */
	const struct or_value *before; /* accumulator rows: the value of an earlier cycle */
	unsigned size;
	uint8_t bytes[];
} or_value;

/* Kinds of places, for the log of everything that ever fell due somewhere. */
enum or_where { OR_VREG, OR_ACT, OR_WT, OR_ALU, OR_STREAM, OR_SRAM, OR_SHADOW, OR_ACTIVE, OR_ROW, OR_LINK };

typedef struct or_place {
	enum or_where where;
	uint64_t index;   /* register, plane, ALU, stream 0..63, granule or word, plane*rows+row, ... */
	int64_t position; /* streams only: where it was driven, or is sampled */
} or_place;

typedef struct or_log_entry {
	or_place place;
	int64_t due;
} or_log_entry;

typedef struct or_range {
	uint64_t location;
	uint64_t bytes;
	bool outside; /* leaves the memory: dropped */
} or_range;

/* One issue of one instruction, loops and rotation resolved. */
typedef struct or_issue {
	const isa_insn *insn;
	const isa_queue_info *queue;
	uint64_t i0, i1;
	uint32_t tag;
	int64_t q;
	int64_t addr, waddr;
	unsigned dst, src0, src1;
	int64_t rotation[3]; /* of a register in each of these, by enum or_operand_field */
	probe_issue record;
	bool executes;       /* nothing is wrong with the word */
	unsigned doubted;    /* operands whose violation is on record, one bit each */
	uint8_t *operand[2]; /* VXM: sampled at q (ALU latches at s), used at s */
	uint16_t *row_lanes; /* IW: as in or_install */
	/* hashed SRAM */
	bool is_store;
	GArray *ranges;   /* or_range, packed order */
	uint8_t *packed;  /* payload */
	GArray *banks;    /* unsigned: of each request */
	unsigned waiting; /* requests not yet begun */
	int64_t end;      /* cycle in which the last request begun so far finishes */
	or_value *block;  /* ABC: the block's value, int32 or fp32 a lane */
} or_issue;

/* What an operand is made of: VECTORS vectors of BYTES bytes, elements of ELEMENT bytes; in packed order vector after
 * vector, element after element, low byte first. */
typedef struct or_shape {
	unsigned element, bytes, vectors;
} or_shape;
enum or_operand_field { OR_FIELD_DST, OR_FIELD_SRC0, OR_FIELD_SRC1 };

enum or_phase { OR_PHASE_DUE, OR_PHASE_SAMPLE, OR_PHASE_START, OR_PHASES };

struct or_run;
typedef struct or_item {
	void (*run)(struct or_run *run, struct or_item *item);
	or_issue *issue;
	or_place place;
	or_value *value;
} or_item;

/* A mismatch, judged at the end of the run: only then is it known whether the named producer's value came later. */
typedef struct or_doubt {
	or_issue *issue;
	or_place place;
	int64_t q;
	uint32_t expected;
	bool expects;
	const or_value *found;
	enum isa_violation otherwise; /* kind when the named producer's value never came later */
} or_doubt;

typedef struct or_request {
	or_issue *issue;
	unsigned bank;
} or_request;

typedef struct or_bank {
	GQueue waiting;     /* or_request */
	int64_t free_at[4]; /* per port: first cycle in which it is free */
} or_bank;

/* Weights that one IW installed in a plane. */
typedef struct or_install {
	or_value *value; /* rows x lanes bytes */
	unsigned rows;
	enum isa_type type;
	uint16_t row_lanes[OR_ROWS]; /* lanes each row was loaded with */
} or_install;

typedef struct or_plane {
	or_value **shadow;  /* per weight row */
	or_install *active; /* NULL = none yet */
	or_value **row;     /* accumulator rows of the pair; even planes only */
	int64_t busy_until; /* first cycle in which the next ABC may be sampled */
} or_plane;

typedef struct or_link {
	GQueue vectors; /* or_value, due = receivable */
	int64_t free_at;
} or_link;

struct oracle_memory {
	uint64_t bytes, unit_bytes;
	uint8_t *byte;
	uint8_t *byte_written;
	or_value **unit;       /* who wrote a granule or word last; NULL = nobody */
	uint8_t *page_touched; /* for finding the next byte written */
};

typedef struct or_run {
	const isa_program *program;
	const isa_machine *hw;
	oracle_options options;
	oracle_result *result;
	int64_t now;
	int64_t last_due;
	bool any_due;
	GPtrArray *issues;  /* or_issue, by (cycle, queue); owned */
	GHashTable *by_tag; /* tag -> or_issue */
	unsigned next_issue;
	GHashTable *agenda; /* cycle -> GPtrArray[OR_PHASES] of or_item */
	GPtrArray *garbage; /* or_value and other blocks, freed at the end */
	GHashTable *log;    /* tag -> GArray of or_log_entry */
	GArray *doubts;
	/* places */
	or_value **vreg;
	or_value *act[OR_PLANES], *wt[OR_PLANES], *alu[OR_ALUS];
	or_value **cell[OR_STREAMS]; /* [positions x hop]: what is there now */
	int64_t cells;
	or_plane plane[OR_PLANES];
	or_link link[OR_LINKS];
	oracle_memory *memory;
	/* uses in this cycle */
	int64_t reads, writes, weight_bytes;
	int64_t earlier_slip; /* before this cycle */
	/* hashed SRAM */
	or_bank *bank;
	GPtrArray *presented;     /* or_issue whose requests were presented in this cycle */
	int64_t lockstep_free_at; /* freeze: wall cycle in which the memory is free again */
	uint32_t lockstep_insn;   /* an access of the group that occupies it, and its fullest bank */
	unsigned lockstep_bank;
} or_run;

/* oracle.c */
void or_file(or_run *run, int64_t cycle, enum or_phase phase, const or_item *item);
void or_violate(or_run *run, const or_issue *issue, enum isa_violation kind, uint32_t other, int64_t detail);
void or_violate_at(or_run *run, const or_issue *issue, int64_t cycle, enum isa_violation kind, uint32_t other,
                   int64_t detail);
or_value *or_value_new(or_run *run, uint32_t tag, int64_t due, const void *bytes, unsigned size);
void or_result(or_run *run, or_issue *issue, int64_t due); /* the record's result, and the run's last due cycle */
void or_due(or_run *run, int64_t due);                     /* the latter only */
bool or_find_instance(const isa_program *program, uint32_t tag, uint32_t *insn, uint32_t *index);

/* oracle_queue.c: all issues with their actual cycles, sorted; false and ERROR when a queue does not exist. */
bool or_enumerate(or_run *run, GError **error);

/* oracle_legal.c */
/* What is wrong with the word itself: illegal-instruction, address-range, or ISA_VIOLATION_COUNT for nothing. */
enum isa_violation or_word_fault(const or_run *run, const or_issue *issue);
unsigned or_registers(const or_run *run, const or_shape *shape); /* that one vector of SHAPE takes */

/* oracle_place.c */
or_shape or_operand_shape(const or_run *run, const or_issue *issue, enum or_operand_field field);
/* Samples an operand now: PACKED gets its bytes (zero where there is nothing), checks and arrival are done. */
void or_sample(or_run *run, or_issue *issue, unsigned operand, enum or_operand_field field, uint8_t *packed);
/* Reports a result register that does not exist. */
void or_check_result(or_run *run, or_issue *issue);
/* Files PACKED to be in DST at DUE. */
void or_write(or_run *run, or_issue *issue, const uint8_t *packed, int64_t due);
/* Files VALUE to be at PLACE when it is due, and logs it. */
void or_put(or_run *run, or_issue *issue, const or_place *place, or_value *value);
/* Is what was FOUND (NULL = nothing) at PLACE what the program names?  ABSENT: the violation when nothing was. */
void or_check(or_run *run, or_issue *issue, unsigned operand, unsigned segment, const or_place *place,
              const or_value *found, enum isa_violation absent);
void or_log(or_run *run, uint32_t tag, const or_place *place, int64_t due);
void or_shift_streams(or_run *run);
void or_judge_doubts(or_run *run);

/* Per unit: what happens in cycle q (run->now) of an issue. */
void or_mem_hashed(or_run *run, or_issue *issue);
void or_mem_direct(or_run *run, or_issue *issue);
void or_vxm(or_run *run, or_issue *issue);
void or_mxm(or_run *run, or_issue *issue);
void or_sxm(or_run *run, or_issue *issue);
void or_c2c(or_run *run, or_issue *issue);

/* oracle_mem.c */
bool or_mem_init(or_run *run, GError **error);
void or_mem_serve(or_run *run); /* the banks' part of a cycle */
bool or_mem_busy(const or_run *run);
void or_mem_epoch(or_run *run, const isa_epoch *epoch);
oracle_memory *oracle_memory_new(const isa_machine *hw);
void oracle_memory_free(oracle_memory *memory);
void or_fetch(or_run *run, or_issue *issue, unsigned operand); /* ranges -> packed, with the check of each unit */
void or_store(or_run *run, or_issue *issue, int64_t due);      /* packed -> ranges, readable at DUE */

#endif
