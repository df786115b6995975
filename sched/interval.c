/* SPDX-License-Identifier: Apache-2.0
 *
 * Initiation intervals of a report's loops, and how they are said.
 *
 * Intervals and bounds are fractions, so that "equal" is exact.
 */
#include "sched/sched.h"

bool sched_interval_proved(const sched_interval *i)
{
	return i->cycles * i->bound_iterations == i->bound_cycles * i->iterations;
}

static void clear(gpointer p)
{
	sched_interval *i = p;

	g_free(i->loop);
	g_free(i->binds);
}

/* The bound for as many iterations as the interval is for: a whole number, or two decimals. */
static void say_bound(GString *out, const sched_interval *i)
{
	int64_t product = i->bound_cycles * i->iterations;

	if (product % i->bound_iterations == 0)
		g_string_append_printf(out, "%" G_GINT64_FORMAT, product / i->bound_iterations);
	else
		g_string_append_printf(out, "%.2f", (double)product / (double)i->bound_iterations);
}

static void say(GString *out, const sched_interval *i)
{
	g_string_append_printf(out, "%s: initiation interval %" G_GINT64_FORMAT, i->loop, i->cycles);
	if (i->iterations != 1)
		g_string_append_printf(out, " for %" G_GINT64_FORMAT " %s", i->iterations, i->unit);
	g_string_append(out, ", at least ");
	say_bound(out, i);
	g_string_append_printf(out, " (%s)%s\n", i->binds, sched_interval_proved(i) ? ", proved" : "");
}

static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return MAX(a, 1);
}

void sched_report_interval(sched_report *report, const sched_interval *interval)
{
	sched_interval i = *interval;
	int64_t by = common(i.cycles, i.iterations), bound_by = common(i.bound_cycles, i.bound_iterations);

	i.cycles /= by;
	i.iterations /= by;
	i.bound_cycles /= bound_by;
	i.bound_iterations /= bound_by;
	i.loop = g_strdup(i.loop);
	i.binds = g_strdup(i.binds);
	if (!report->intervals) {
		report->intervals = g_array_new(FALSE, FALSE, sizeof(sched_interval));
		g_array_set_clear_func(report->intervals, clear);
	}
	g_array_append_val(report->intervals, i);
	if (report->notes)
		say(report->notes, &i);
}
