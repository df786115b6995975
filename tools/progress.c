/* SPDX-License-Identifier: Apache-2.0
 *
 * The progress line.
 */
#include "tools/progress.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tools/tool.h"

struct progress {
	const char *what;
	gint64 start, last; /* microseconds, monotonic */
	bool drawn;
};

enum { FIRST_US = 1000000, AGAIN_US = 200000 };

bool progress_is_shown(void)
{
	return !tool_quiet && isatty(STDERR_FILENO);
}

progress *progress_begin(const char *what)
{
	static progress only;

	only = (progress){.what = what, .start = g_get_monotonic_time()};
	only.last = only.start + FIRST_US - AGAIN_US;
	return &only;
}

void progress_update(void *state, double fraction)
{
	progress *p = state;
	gint64 now;
	double left;

	if (!progress_is_shown())
		return;
	now = g_get_monotonic_time();
	if (now - p->last < AGAIN_US)
		return;
	p->last = now;
	p->drawn = true;
	if (isnan(fraction)) {
		fprintf(stderr, "\r%s, %.0f s so far \033[K", p->what, (double)(now - p->start) / 1e6);
		fflush(stderr);
		return;
	}
	fraction = CLAMP(fraction, 0.0, 1.0);
	left = fraction > 0 ? (double)(now - p->start) * (1 - fraction) / fraction / 1e6 : 0;
	fprintf(stderr, "\r%s %5.1f %%, %.0f s left \033[K", p->what, fraction * 100, left);
	fflush(stderr);
}

void progress_end(progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
