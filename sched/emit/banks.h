/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's own view of the hashed SRAM: what one access does to the banks, and a calendar of bank ports by
 * cycle.
 *
 * An access that meets no other is served in waves: in wave w each bank serves its requests number w*ports ..
 * w*ports + ports - 1, and holds its ports for ceil(block / port) cycles.  The calendar lets an access in only where
 * every wave of it finds its ports free, so an access admitted takes exactly its own beats.
 */
#ifndef TSPSIM_SCHED_EMIT_BANKS_H
#define TSPSIM_SCHED_EMIT_BANKS_H

#include "isa/machine.h"
#include "sched/emit/bank_map.h"

/* COUNT segments of SEG bytes, the first at ADDR and the others PITCH bytes apart; with INDEX, segment i is INDEX[i]
 * bytes after ADDR. */
typedef struct bank_access {
	uint64_t addr;
	uint32_t seg;
	int32_t pitch;
	uint32_t count;
	const int32_t *index; /* NULL = by pitch */
} bank_access;

typedef struct bank_calendar bank_calendar;

/* What an access does to the banks: waves, and for each wave and port the banks that use so many ports. */
typedef struct bank_print {
	uint32_t waves;
	uint32_t first;    /* word in the arena it was made in */
	uint32_t requests; /* 0 under a map where none meet */
} bank_print;

/* Of the machine's SRAM; NULL when its map is not understood. */
bank_calendar *bank_calendar_new(const isa_machine *machine, GError **error);
void bank_calendar_free(bank_calendar *calendar);
const bank_map *bank_calendar_map(const bank_calendar *calendar);
/* From now on no two requests meet, whatever the map says: the yardstick for what a map costs. */
void bank_calendar_idealise(bank_calendar *calendar);
bool bank_calendar_is_ideal(const bank_calendar *calendar);

/* Appends the words of ACCESS's print to ARENA (GArray of uint64_t). */
bank_print bank_calendar_print(bank_calendar *calendar, const bank_access *access, GArray *arena);
/* Cycles the access takes alone in the memory. */
unsigned bank_calendar_beats(const bank_calendar *calendar, bank_print print);
/* Bank cycles the access takes. */
uint64_t bank_calendar_work(const bank_calendar *calendar, bank_print print);
/* Bank cycles not taken from FROM to TO, to the nearest 64 cycles. */
uint64_t bank_calendar_free_work(const bank_calendar *calendar, int64_t from, int64_t to);

/* Would two accesses of one beat each, presented in the same cycle, ask for more ports of a bank than there are? */
bool bank_calendar_meet(const bank_calendar *calendar, bank_print a, bank_print b, const GArray *arena);

/* Are all banks free that an access presented in CYCLE asks for?  Takes them, unasked. */
bool bank_calendar_free_for(const bank_calendar *calendar, int64_t cycle, bank_print print, const GArray *arena);
/* Of COUNT accesses, INTERVAL cycles apart from CYCLE on, how many come before the first for which banks are not free?
 * They are not looked at together. */
uint32_t bank_calendar_count_free(const bank_calendar *calendar, int64_t cycle, uint32_t interval,
                                  const bank_print *prints, uint32_t count, const GArray *arena);
void bank_calendar_put(bank_calendar *calendar, int64_t cycle, bank_print print, const GArray *arena);
/* Takes the banks if all are free; else changes nothing and returns false. */
bool bank_calendar_take(bank_calendar *calendar, int64_t cycle, bank_print print, const GArray *arena);
void bank_calendar_release(bank_calendar *calendar, int64_t cycle, bank_print print, const GArray *arena);
/* Nothing before CYCLE will be asked for again. */
void bank_calendar_forget(bank_calendar *calendar, int64_t cycle);

#endif
