/* SPDX-License-Identifier: Apache-2.0
 *
 * What the models report, inline and free when nobody listens.  Models append fixed records to a buffer; listeners
 * (trace writer, comparator, counters) get whole buffers.  Nothing flows back.
 */
#ifndef TSPSIM_TRACES_PROBE_H
#define TSPSIM_TRACES_PROBE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* One issue of one instruction, reported once all of it is known.  Times in cycles; PROBE_NO_TIME where none. */
#define PROBE_NO_TIME INT64_MIN
typedef struct probe_issue {
	int64_t cycle;      /* issue */
	int64_t arrival[3]; /* of each operand, where it is sampled */
	int64_t result;
	uint32_t insn;  /* instruction id */
	uint32_t index; /* issue number of this instruction, over both loops */
	uint16_t queue;
	uint16_t beats;    /* bank beats or link slots */
	uint16_t requests; /* bank block requests */
	uint16_t delayed;  /* of them delayed by other requests in their bank */
	uint32_t delay;    /* cycles the access ended later than alone in the memory */
	uint32_t work;     /* useful elements (VXM, SXM lanes), MACs (ABC), lanes (ACC), bytes (memory, links, LW) */
} probe_issue;

typedef struct probe_violation {
	int64_t cycle;
	uint32_t insn; /* where it was found */
	uint32_t index;
	uint32_t other; /* second instruction involved, UINT32_MAX when none */
	uint16_t queue;
	uint16_t kind;  /* enum isa_violation */
	int64_t detail; /* bank, address, stream, row, register: as the kind says */
} probe_violation;

/* Issue INDEX of INSN presented an access to banks in CYCLE that ended DELAY cycles later than alone in the memory (for
 * which it takes BEATS), because in BANK, where it ended, requests of OTHER stood in its way. */
typedef struct probe_conflict {
	int64_t cycle;
	uint32_t insn;
	uint32_t index;
	uint32_t other;
	uint32_t bank;
	uint32_t beats;
	uint32_t delay;
	int64_t due; /* of its result */
} probe_conflict;

/* Machine frozen for CYCLES at program time CYCLE because of bank BANK, first request by INSN, blocked by OTHER, whose
 * requests had met those of MET there (OTHER again where they met one another only). */
typedef struct probe_slip {
	int64_t cycle;
	int64_t cycles;
	uint32_t insn;
	uint32_t index;
	uint32_t other;
	uint32_t bank;
	uint32_t met;
} probe_slip;

/* Issue INDEX of INSN, an access by index, found its segments at these OFFSETS from the address of the instruction, in
 * bytes, COUNT of them; they are the model's, valid during the call. */
typedef struct probe_offsets {
	int64_t cycle; /* issue */
	uint32_t insn;
	uint32_t index;
	uint32_t count;
	const int32_t *offset;
} probe_offsets;

typedef struct probe_listener {
	void *state;
	void (*issues)(void *state, const probe_issue *records, size_t count);
	void (*violation)(void *state, const probe_violation *record);
	void (*slip)(void *state, const probe_slip *record);
	void (*conflict)(void *state, const probe_conflict *record);
	void (*offsets)(void *state, const probe_offsets *record);
} probe_listener;

enum { PROBE_BATCH = 4096, PROBE_LISTENERS = 4 };

typedef struct probe {
	bool issues_wanted; /* does any listener have issues()? */
	size_t used;
	probe_issue *batch; /* [PROBE_BATCH] */
	unsigned listener_count;
	probe_listener listener[PROBE_LISTENERS];
} probe;

static inline void probe_init(probe *p)
{
	*p = (probe){0};
	p->batch = g_new(probe_issue, PROBE_BATCH);
}
static inline void probe_add_listener(probe *p, const probe_listener *listener)
{
	g_assert(p->listener_count < PROBE_LISTENERS);
	p->listener[p->listener_count++] = *listener;
	p->issues_wanted = p->issues_wanted || listener->issues;
}
static inline void probe_flush(probe *p)
{
	for (unsigned i = 0; i < p->listener_count && p->used; i++)
		if (p->listener[i].issues)
			p->listener[i].issues(p->listener[i].state, p->batch, p->used);
	p->used = 0;
}
static inline void probe_fini(probe *p)
{
	g_clear_pointer(&p->batch, g_free);
}
/* The next record to fill in place; call probe_commit() when it is complete.  Only when issues_wanted. */
static inline probe_issue *probe_slot(probe *p)
{
	return &p->batch[p->used];
}
static inline void probe_commit(probe *p)
{
	if (++p->used == PROBE_BATCH)
		probe_flush(p);
}
static inline void probe_report_violation(const probe *p, const probe_violation *record)
{
	for (unsigned i = 0; i < p->listener_count; i++)
		if (p->listener[i].violation)
			p->listener[i].violation(p->listener[i].state, record);
}
static inline void probe_report_conflict(const probe *p, const probe_conflict *record)
{
	for (unsigned i = 0; i < p->listener_count; i++)
		if (p->listener[i].conflict)
			p->listener[i].conflict(p->listener[i].state, record);
}
static inline void probe_report_offsets(const probe *p, const probe_offsets *record)
{
	for (unsigned i = 0; i < p->listener_count; i++)
		if (p->listener[i].offsets)
			p->listener[i].offsets(p->listener[i].state, record);
}
static inline void probe_report_slip(const probe *p, const probe_slip *record)
{
	for (unsigned i = 0; i < p->listener_count; i++)
		if (p->listener[i].slip)
			p->listener[i].slip(p->listener[i].state, record);
}

#endif
