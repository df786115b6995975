/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's front door: graphs in, a program with predictions out.
 */
#ifndef TSPSIM_SCHED_SCHED_H
#define TSPSIM_SCHED_SCHED_H

#include "isa/program.h"
#include "sched/ir/graph.h"

struct sched_sheet;

typedef struct sched_options {
	double alpha, beta, gamma; /* weights of the list priority: critical path, resource use, fan-out */
	uint64_t seed;             /* breaks ties */
	uint64_t placement; /* moves tensors by less than a bank map's round, another way for each number; 0: not */
	bool ideal_banks;   /* layout and order as for the machine's map, but no two requests ever meet; for its
	                       length only, the program is not meant to run */
	bool functional;    /* put data of inputs and constants into the program's images */
	const char *method; /* a name of sched_methods (sched/search.h); NULL: list */
	uint64_t schedules; /* that the method may build for a graph; 0: its default */
	unsigned threads;   /* of the method, >= 1; changes nothing but the time */
	bool patterns;      /* use stored schedules of known patterns where they are shorter */
	bool brief;         /* leave out notes that take long to find */
	bool report;        /* fill sched_report.search whatever the method is */
	bool (*stop)(void *state); /* asked now and then, from any thread: true ends the method.  May be NULL */
	void *stop_state;
	struct sched_sheet *const *sheets;              /* what is decided, a sheet a graph (sched/sheet.h); or NULL */
	struct sched_sheet *sheet;                      /* that of the graph at hand, set by the front door */
	void (*progress)(void *state, double fraction); /* may be NULL */
	void *progress_state;
} sched_options;
void sched_options_init(sched_options *options);

/* Vector registers, over all epochs. */
typedef struct sched_registers {
	uint32_t count;         /* that there are; 0: not this kind of machine */
	uint32_t used;          /* that anything was ever put into */
	uint32_t most_live;     /* that held something still to be read at one moment */
	uint64_t stores, loads; /* issues that keep values in memory for want of registers */
	uint64_t remade;        /* issues that make a value again instead */
	uint64_t coalesced;     /* copies that became nothing */
	uint64_t spilled;       /* loops that needed any of that */
	uint64_t tight;         /* loops that had to run one iteration after the other, those included */
} sched_registers;
char *sched_registers_text(const sched_registers *r); /* one line without end; g_free */

typedef struct sched_search sched_search; /* sched/search.h */

/* A loop in its steady state: CYCLES for so many ITERATIONS, and that no schedule takes fewer than BOUND_CYCLES for
 * BOUND_ITERATIONS of them.  docs/engines-cyclic.md says what the bounds take as given. */
typedef struct sched_interval {
	char *loop, *binds; /* what it computes; what the bound counts */
	const char *unit;   /* what an iteration is, in the plural; static */
	int64_t cycles, iterations;
	int64_t bound_cycles, bound_iterations;
} sched_interval;
/* They are equal. */
bool sched_interval_proved(const sched_interval *i);

/* What the scheduler can say about its result, for the run report. */
typedef struct sched_report {
	int64_t cycles; /* predicted */
	char *binds;    /* what bounds the length, in words with figures ("MXM: 8,192 of 8,420 cycles"); g_free */
	GString *notes; /* further lines: bytes per cycle by operand, capacity lost to the map, moved operations */
	uint64_t macro_ops;
	uint64_t bank_moves; /* macro-operations started later because of banks */
	int64_t bank_move_cycles;
	sched_registers registers;
	sched_search *search; /* how the method went, or NULL */
	GArray *intervals;    /* sched_interval of the loops found, or NULL */
} sched_report;
void sched_report_fini(sched_report *report);
/* Adds a loop, with its strings copied; and a line of NOTES where they are not NULL. */
void sched_report_interval(sched_report *report, const sched_interval *interval);

/* Schedules GRAPHS (array of graph *) one after another, an epoch each, for MACHINE (the sched parameter set).  The
 * program's tensors name the graph nodes of outputs ("node name"), so that a caller can compare them with a reference.
 */
isa_program *sched_compile(GPtrArray *graphs, const isa_machine *machine, const sched_options *options,
                           sched_report *report, GError **error);

/* The independent checker (sched/check.c): replays a program's container (not its queues) against the machine by
 * interval arithmetic of its own.  Verifies queue exclusiveness, operand timing against predictions, register and
 * stream life times, bank exclusiveness, address ranges.  First COUNT offences as text lines; true when there are none.
 */
bool sched_check(const isa_program *program, const isa_machine *machine, GString *report, unsigned count);

#endif
