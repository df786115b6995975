/* SPDX-License-Identifier: Apache-2.0
 *
 * From command line words to the two machines of a run, its workload's graphs and its program.
 */
#ifndef TSPSIM_TOOLS_SETUP_H
#define TSPSIM_TOOLS_SETUP_H

#include "tools/requests.h"
#include "isa/program.h"
#include "sched/frontend/frontend.h"
#include "sched/sched.h"

#define SETUP_DEFAULT_MACHINE  "tsp"
#define SETUP_DEFAULT_WORKLOAD "gemm:1024x1024x512"

/* The parameter sets: what is scheduled for, and what is simulated. */
typedef struct setup {
	isa_machine *sched, *hw;
	frontend_options frontend; /* strings owned here */
} setup;

/* Loads machine NAME twice and applies SETS, "key=value" each (NULL: none): "sched.KEY" and "hw.KEY" to one parameter
 * set, KEY to both, "csv.KEY" to the CSV front end.  Both machines are finished. */
bool setup_init(setup *s, const char *name, char **sets, GError **error);
void setup_fini(setup *s);

/* The same for machines of any kind: where settings go. */
typedef struct setup_sides {
	const char *kind; /* of both machines: "tsp", "ascend" */
	void *sched, *hw;
	frontend_options *frontend;
} setup_sides;
/* Refuses settings of the CSV front end for a WORKLOAD that is none of its files; NULL: a program. */
bool setup_check_csv(const frontend_options *options, const char *workload, GError **error);
bool setup_apply(const setup_sides *sides, char **sets, GError **error);
void setup_frontend_fini(frontend_options *options);

/* Is a word of the command line a program (assembly by its name, binary by its name or first bytes), rather than a
 * workload? */
bool setup_is_program(const char *word);
/* Is what lies at PATH a program file, by its ending or its first bytes?  Else it is assembly text. */
bool setup_is_container(const char *path);

/* False, and an error that says what it is, when WORD names a file or folder that holds no workload; words that name
 * nothing are left to whoever reads workloads. */
bool setup_check_workload(const char *word, GError **error);

/* The text of an assembly file, g_free. */
char *setup_read_text(const char *path, GError **error);
/* What stands behind ".machine" at the beginning of a line of TEXT, g_free; NULL when there is no such line. */
char *setup_named_machine(const char *text);
bool setup_parse_priority(const char *text, sched_options *options, GError **error);

/* Opens a program with the machines to run it on: the one it names (a .tspo always does, a .tsp by .machine), which
 * NAME (or NULL) overrides, or tsp.  A .tsp is assembled and its queues encoded for the machine that is scheduled for.
 */
isa_program *setup_open(setup *s, const char *path, const char *name, char **sets, GError **error);

/* The scheduler's knobs as the command line sets them. */
typedef struct setup_schedule {
	const char *workload;
	const char *priority; /* "ALPHA,BETA,GAMMA" or NULL */
	uint64_t seed;
	bool functional;    /* inputs get seeded data, which the program carries */
	bool specials;      /* with infinities, NaN and extreme integers among them */
	uint64_t placement; /* as in sched_options */
	bool ideal_banks;
	bool brief;                   /* without notes that take long to find */
	const method_request *search; /* or NULL: list, nothing from the library */
	struct cyclic_memo *loops;    /* as in sched_options */
} setup_schedule;

/* Gives the inputs of GRAPHS seeded values; false, and an error, where a graph's operands and results are more bytes
 * than the host has. */
bool setup_fill_inputs(GPtrArray *graphs, uint64_t seed, bool specials, GError **error);

/* Front end, data, scheduler.  *GRAPHS is owned by the caller (g_ptr_array_unref), as is the report. */
isa_program *setup_compile(const setup *s, const setup_schedule *how, GPtrArray **graphs, sched_report *report,
                           GError **error);

#endif
