/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the checker: the state of a chip as far as producers and times go, without values.
 *
 * Written after docs/design.md ("Exact timing", "Rules in detail") alone; it shares no code with the back ends or the
 * models.  Issues are visited in the order of their sampling cycles.  A result is always due later than its operands
 * are sampled, so whatever an operand can see is filed before it is looked for.
 */
#ifndef TSPSIM_SCHED_CHECK_H
#define TSPSIM_SCHED_CHECK_H

#include "isa/bankmap.h"
#include "sched/sched.h"

enum { CHECK_INLINE = 2, CHECK_STREAMS = 64, CHECK_PLANES = 4, CHECK_ALUS = 32, CHECK_LINKS = 64 };

/* What was, is or will be in a place: by due cycle, ascending. */
typedef struct check_version {
	int64_t due;
	uint32_t instance;
} check_version;
typedef struct check_cell {
	uint16_t count, capacity; /* capacity 0: versions are in FIRST */
	union {
		check_version first[CHECK_INLINE];
		check_version *more;
	};
} check_cell;

/* Values on one diagonal of one stream. */
typedef struct check_drive {
	int16_t position;
	uint32_t instance;
} check_drive;
typedef struct check_slot {
	int64_t diagonal;
	GArray *drives; /* check_drive */
} check_slot;

/* How much of something is used in one cycle. */
typedef struct check_count {
	int64_t cycle;
	uint64_t used;
} check_count;

typedef struct check_link {
	GQueue vectors; /* check_version: receivable at due */
	int64_t free;
} check_link;

typedef struct check {
	const isa_program *p;
	const isa_machine *m;
	GString *report;
	unsigned limit;
	uint64_t offences;
	uint32_t epoch;
	/* places */
	check_cell *vreg, act[CHECK_PLANES], wt[CHECK_PLANES], alu[CHECK_ALUS];
	check_slot *slots[CHECK_STREAMS];
	uint64_t slot_mask;
	check_cell *shadow[CHECK_PLANES], active[CHECK_PLANES], *rows[CHECK_PLANES / 2];
	int64_t plane_free[CHECK_PLANES];
	check_link link[CHECK_LINKS];
	/* memory: pages of cells, one a granule (hashed) or word (direct) */
	check_cell **pages;
	uint64_t page_count, unit_bytes;
	bankmap *map;
	int64_t *bank_free; /* per bank and port */
	/* uses of ports, in the present cycle and in cycles to come */
	check_count reads, weights;
	check_count *writes; /* ring */
} check;

/* One issue of one instruction, loops and rotation resolved. */
typedef struct check_issue {
	const isa_insn *insn;
	const isa_queue_info *queue;
	uint32_t id, index, i0, i1;
	uint32_t instance;
	int64_t t, q;
	uint32_t addr, waddr;
	unsigned dst, src0, src1;
	/* found out */
	int64_t arrival[ISA_OPERANDS]; /* ISA_NO_TIME, or relative to the issue */
	int64_t result;
	int32_t beats;
} check_issue;

/* check.c */
void check_offend(check *c, const check_issue *issue, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The instance that the program names for a segment of an operand; false when it names none. */
bool check_named(const check *c, const check_issue *issue, unsigned operand, unsigned segment, uint32_t *instance);

/* check_place.c */
void check_places_init(check *c);
void check_places_fini(check *c);
void check_put(const check_issue *issue, check_cell *cell, int64_t due);
void check_cell_clear(check_cell *cell);
/* Does the newest version come from INSTANCE? */
bool check_has(check_cell *cell, uint32_t instance);
const check_version *check_at(check_cell *cell, int64_t time);
/* Compares what was found (NULL: nothing) with what the program names, and notes its arrival. */
void check_found(check *c, check_issue *issue, unsigned operand, unsigned segment, const check_version *found,
                 const char *place);
/* VECTORS vectors of WIDTH bytes an element and BYTES bytes in PLACE, sampled at TIME. */
void check_sample(check *c, check_issue *issue, unsigned operand, unsigned place, unsigned width, uint64_t bytes,
                  unsigned vectors, int64_t time);
/* The same, due at DUE. */
void check_write(check *c, check_issue *issue, unsigned width, uint64_t bytes, unsigned vectors, int64_t due);
/* Who drove what STREAM carries at the issue's position and time TIME; false when nothing is there. */
bool check_stream_at(const check *c, const check_issue *issue, unsigned stream, int64_t time, uint32_t *instance);

/* check_unit.c */
void check_vxm(check *c, check_issue *issue);
void check_mxm(check *c, check_issue *issue);
void check_sxm(check *c, check_issue *issue);
void check_c2c(check *c, check_issue *issue);

/* check_memory.c */
bool check_memory_init(check *c, GError **error);
void check_memory_fini(check *c);
/* The host's data of the present epoch replaces everything. */
void check_memory_epoch(check *c);
void check_memory(check *c, check_issue *issue);

#endif
