/* SPDX-License-Identifier: Apache-2.0
 *
 * Between a search and a back end.  Graphs are searched one by one; where there are several, the back end's own program
 * is kept when all of them together are no shorter.
 */
#include "sched/drive.h"

#include "sched/search.h"

typedef struct driven {
	const sched_back_end *back_end;
	GPtrArray *graphs;
	const void *machine;
	const sched_options *options;
} driven;

/* For the search: the length of one graph's program. */
static int64_t emit_one(const void *state, guint number, sched_sheet *sheet, GError **error)
{
	const driven *d = state;
	sched_options own = *d->options;
	GPtrArray *one = g_ptr_array_new();
	sched_report report = {0};
	gpointer program;
	int64_t cycles = -1;

	/* Values change no length. */
	own.functional = false;
	own.brief = true;
	own.progress = NULL;
	own.sheets = &sheet;
	g_ptr_array_add(one, g_ptr_array_index(d->graphs, number));
	program = d->back_end->compile(one, d->machine, &own, &report, error);
	if (program)
		cycles = d->back_end->cycles(program);
	d->back_end->free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(one);
	return cycles;
}

/* PROGRAM, or the back end's own, with its REPORT. */
static gpointer shorter_of(const driven *d, gpointer program, sched_report *report)
{
	sched_report other = {0};
	gpointer list = d->back_end->compile(d->graphs, d->machine, d->options, &other, NULL);

	if (list && d->back_end->cycles(list) < d->back_end->cycles(program)) {
		sched_report_fini(report);
		*report = other;
		d->back_end->free(program);
		return list;
	}
	d->back_end->free(list);
	sched_report_fini(&other);
	return program;
}

static gpointer compile_found(const driven *d, sched_search *search, sched_report *report, GError **error)
{
	g_autofree sched_sheet **sheets = sched_search_sheets(search);
	sched_options own = *d->options;
	gpointer program;

	own.sheets = sheets;
	program = d->back_end->compile(d->graphs, d->machine, &own, report, error);
	if (program && d->graphs->len > 1)
		program = shorter_of(d, program, report);
	report->search = search;
	return program;
}

gpointer sched_drive(const sched_back_end *back_end, GPtrArray *graphs, const void *machine, const char *machine_name,
                     const sched_options *options, sched_report *report, GError **error)
{
	driven d = {back_end, graphs, machine, options};
	sched_emitter emitter = {emit_one, &d, machine_name};
	sched_search *search;

	search = sched_search_run(graphs, &emitter, options, error);
	return search ? compile_found(&d, search, report, error) : NULL;
}
