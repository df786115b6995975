/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of schedules.  Capacities: for each resource (of each processor, unless shared) what tasks take and give
 * back and how the capacity steps are one list of events, sorted by time; the running sum must never be above.
 */
#include "sched/alg/check.h"

#include <stdlib.h>

typedef struct judge {
	const alg_problem *problem;
	const alg_schedule *schedule;
	GString *offences;
	unsigned most, found;
} judge;

static void offence(judge *j, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void offence(judge *j, const char *format, ...)
{
	va_list args;

	if (j->found++ >= j->most || !j->offences)
		return;
	va_start(args, format);
	g_string_append_vprintf(j->offences, format, args);
	va_end(args);
	g_string_append_c(j->offences, '\n');
}

static const alg_mode *mode_of(const judge *j, uint32_t v)
{
	uint32_t first = g_array_index(j->problem->tasks, alg_task, v).first_mode;

	return &g_array_index(j->problem->modes, alg_mode, first + j->schedule->mode[v]);
}

static int64_t end_of(const judge *j, uint32_t v)
{
	return j->schedule->start_cycles[v] + mode_of(j, v)->duration_cycles;
}

/* Everything else relies on the modes being there. */
static void check_modes(judge *j)
{
	uint32_t processors = j->problem->rows * j->problem->cols;

	for (uint32_t v = 0; v < j->problem->tasks->len; v++) {
		uint32_t there = g_array_index(j->problem->tasks, alg_task, v).mode_count;
		uint32_t mode = j->schedule->mode[v], processor = j->schedule->processor[v];

		if (mode >= there)
			offence(j, "task %u runs in mode %u of %u", v, mode, there);
		else if (processor >= processors ||
		         (mode_of(j, v)->processor != ALG_ANY_PROCESSOR && mode_of(j, v)->processor != processor))
			offence(j, "task %u runs on processor %u, where its mode %u does not", v, processor, mode);
	}
}

static void check_windows(judge *j)
{
	int64_t last = 0;

	for (uint32_t v = 0; v < j->problem->tasks->len; v++) {
		const alg_task *task = &g_array_index(j->problem->tasks, alg_task, v);

		if (j->schedule->start_cycles[v] < 0 || j->schedule->start_cycles[v] < task->release_cycles)
			offence(j, "task %u starts at %" G_GINT64_FORMAT ", before %" G_GINT64_FORMAT, v,
			        j->schedule->start_cycles[v], MAX(task->release_cycles, 0));
		if (end_of(j, v) > task->deadline_cycles)
			offence(j, "task %u ends at %" G_GINT64_FORMAT ", after %" G_GINT64_FORMAT, v, end_of(j, v),
			        task->deadline_cycles);
		if (end_of(j, v) > last)
			last = end_of(j, v);
	}
	if (last != j->schedule->makespan_cycles)
		offence(j, "the makespan is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, last,
		        j->schedule->makespan_cycles);
}

static int64_t transfer(const judge *j, const alg_edge *edge)
{
	uint32_t cols = j->problem->cols;
	uint32_t a = j->schedule->processor[edge->from], b = j->schedule->processor[edge->to];
	int64_t hops =
		llabs((int64_t)(a / cols) - (int64_t)(b / cols)) + llabs((int64_t)(a % cols) - (int64_t)(b % cols));
	double cycles = (double)edge->bytes / j->problem->link_bytes_per_cycle;
	int64_t whole = (int64_t)cycles;

	return hops * (whole + ((double)whole < cycles ? 1 : 0) + j->problem->hop_cycles);
}

static void check_edges(judge *j)
{
	for (uint32_t e = 0; e < j->problem->edges->len; e++) {
		const alg_edge *edge = &g_array_index(j->problem->edges, alg_edge, e);
		int64_t from =
			edge->kind == ALG_FROM_START ? j->schedule->start_cycles[edge->from] : end_of(j, edge->from);
		int64_t least = from + edge->lag_cycles + transfer(j, edge);

		if (j->schedule->start_cycles[edge->to] < least)
			offence(j,
			        "task %u starts at %" G_GINT64_FORMAT "; task %u lets it from %" G_GINT64_FORMAT " on",
			        edge->to, j->schedule->start_cycles[edge->to], edge->from, least);
	}
}

/* At TIME, USE more is taken and CAPACITY more is there. */
typedef struct event {
	uint64_t place; /* resource and processor */
	int64_t time, use, capacity;
} event;

static int compare_events(const void *a, const void *b)
{
	const event *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

static void add_event(GArray *events, uint32_t resource, uint32_t processor, int64_t time, int64_t use,
                      int64_t capacity)
{
	event e = {(uint64_t)resource << 32 | processor, time, use, capacity};

	g_array_append_val(events, e);
}

static void add_capacities(const judge *j, GArray *events)
{
	for (uint32_t r = 0; r < j->problem->resources->len; r++) {
		const alg_resource *resource = &g_array_index(j->problem->resources, alg_resource, r);
		uint32_t copies = resource->shared ? 1 : j->problem->rows * j->problem->cols;

		for (uint32_t q = 0; q < copies; q++) {
			int64_t level = resource->capacity;

			add_event(events, r, q, INT64_MIN, 0, level);
			for (guint s = 0; resource->steps && s < resource->steps->len; s++) {
				const alg_step *step = &g_array_index(resource->steps, alg_step, s);

				add_event(events, r, q, step->from_cycles, 0, (int64_t)step->capacity - level);
				level = step->capacity;
			}
		}
	}
}

static void check_capacities(judge *j)
{
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(event));
	int64_t used = 0, there = 0;

	add_capacities(j, events);
	for (uint32_t v = 0; v < j->problem->tasks->len; v++) {
		const alg_mode *mode = mode_of(j, v);

		for (uint32_t d = mode->first_demand;
		     mode->duration_cycles > 0 && d < mode->first_demand + mode->demand_count; d++) {
			const alg_demand *demand = &g_array_index(j->problem->demands, alg_demand, d);
			bool shared = g_array_index(j->problem->resources, alg_resource, demand->resource).shared;
			uint32_t at = shared ? 0 : j->schedule->processor[v];

			add_event(events, demand->resource, at, j->schedule->start_cycles[v], demand->amount, 0);
			add_event(events, demand->resource, at, end_of(j, v), -(int64_t)demand->amount, 0);
		}
	}
	if (events->len)
		qsort(events->data, events->len, sizeof(event), compare_events);
	for (guint i = 0; i < events->len; i++) {
		const event *e = &g_array_index(events, event, i);
		const event *next = i + 1 < events->len ? e + 1 : NULL;

		used += e->use;
		there += e->capacity;
		if ((!next || next->place != e->place || next->time != e->time) && used > there)
			offence(j,
			        "resource %u of processor %u has %" G_GINT64_FORMAT " units at %" G_GINT64_FORMAT
			        " and %" G_GINT64_FORMAT " are taken",
			        (uint32_t)(e->place >> 32), (uint32_t)e->place, there, e->time, used);
		if (!next || next->place != e->place)
			used = there = 0;
	}
}

bool alg_check(const alg_problem *problem, const alg_schedule *schedule, GString *offences, unsigned most)
{
	judge j = {problem, schedule, offences, most, 0};

	check_modes(&j);
	if (j.found == 0) {
		check_windows(&j);
		check_edges(&j);
		check_capacities(&j);
	}
	return j.found == 0;
}
