/* SPDX-License-Identifier: Apache-2.0
 *
 * Each block knows when what it holds was written and last read; when that ends, two changes of the level are filed.
 * Neighbours that live equally long are one change.  Changes are sorted and added up when there are many.
 */
#include "traces/alive.h"

typedef struct block {
	int64_t start; /* of the write; NOTHING */
	int64_t last;  /* end of the last read, of the write at least */
} block;

/* "cycle" and by how much the level changes then. */
typedef alive_level change;

struct alive {
	block *blocks;
	uint64_t count;
	GArray *changes; /* change */
	guint limit;     /* length at which changes of one cycle are added up */
};

enum { FIRST_LIMIT = 1 << 18 };
#define NOTHING INT64_MIN

alive *alive_new(uint64_t bytes)
{
	alive *a = g_new0(alive, 1);

	a->count = (bytes + ALIVE_BLOCK - 1) / ALIVE_BLOCK;
	a->blocks = g_new(block, MAX(a->count, 1));
	for (uint64_t i = 0; i < a->count; i++)
		a->blocks[i] = (block){NOTHING, NOTHING};
	a->changes = g_array_new(FALSE, FALSE, sizeof(change));
	a->limit = FIRST_LIMIT;
	return a;
}

void alive_free(alive *a)
{
	if (!a)
		return;
	g_array_unref(a->changes);
	g_free(a->blocks);
	g_free(a);
}

static gint by_cycle(gconstpointer a, gconstpointer b)
{
	int64_t p = ((const change *)a)->cycle, q = ((const change *)b)->cycle;

	return (p > q) - (p < q);
}

/* Sorted, one change a cycle, none of 0. */
static void add_up(alive *a)
{
	guint kept = 0;

	g_array_sort(a->changes, by_cycle);
	for (guint i = 0; i < a->changes->len;) {
		change sum = g_array_index(a->changes, change, i);

		for (i++; i < a->changes->len && g_array_index(a->changes, change, i).cycle == sum.cycle; i++)
			sum.bytes += g_array_index(a->changes, change, i).bytes;
		if (sum.bytes)
			g_array_index(a->changes, change, kept++) = sum;
	}
	g_array_set_size(a->changes, kept);
	while (kept > a->limit / 2)
		a->limit *= 2;
}

static void file(alive *a, int64_t start, int64_t stop, uint64_t blocks)
{
	change on = {start, (int64_t)blocks * ALIVE_BLOCK};
	change off = {stop, -on.bytes};

	if (start == NOTHING || stop <= start)
		return;
	g_array_append_val(a->changes, on);
	g_array_append_val(a->changes, off);
	if (a->changes->len >= a->limit)
		add_up(a);
}

/* Ends what blocks FIRST .. LAST - 1 hold, at NOW at the latest. */
static void end(alive *a, uint64_t first, uint64_t last, int64_t now)
{
	for (uint64_t i = first; i < last;) {
		block held = a->blocks[i];
		uint64_t from = i;

		while (i < last && a->blocks[i].start == held.start && a->blocks[i].last == held.last)
			i++;
		file(a, held.start, MIN(held.last, now), i - from);
	}
}

/* Blocks FIRST .. LAST - 1 of a run; false: outside. */
static bool blocks_of(const alive *a, uint64_t address, uint64_t bytes, uint64_t *first, uint64_t *last)
{
	*first = address / ALIVE_BLOCK;
	if (!bytes || *first >= a->count)
		return false;
	*last = bytes > a->count * ALIVE_BLOCK ? a->count
	                                       : MIN((address + bytes + ALIVE_BLOCK - 1) / ALIVE_BLOCK, a->count);
	return true;
}

void alive_read(alive *a, uint64_t address, uint64_t bytes, uint32_t count, int64_t pitch, int64_t done)
{
	uint64_t first, last;

	for (uint32_t r = 0; r < count; r++, address += (uint64_t)pitch)
		if (blocks_of(a, address, bytes, &first, &last))
			for (uint64_t i = first; i < last; i++)
				a->blocks[i].last = MAX(a->blocks[i].last, done);
}

void alive_write(alive *a, uint64_t address, uint64_t bytes, uint32_t count, int64_t pitch, int64_t start, int64_t done)
{
	uint64_t first, last;

	for (uint32_t r = 0; r < count; r++, address += (uint64_t)pitch)
		if (blocks_of(a, address, bytes, &first, &last)) {
			end(a, first, last, start);
			for (uint64_t i = first; i < last; i++)
				a->blocks[i] = (block){start, done};
		}
}

GArray *alive_levels(alive *a)
{
	GArray *levels;
	int64_t level = 0;

	end(a, 0, a->count, INT64_MAX);
	for (uint64_t i = 0; i < a->count; i++)
		a->blocks[i] = (block){NOTHING, NOTHING};
	add_up(a);
	levels = g_array_sized_new(FALSE, FALSE, sizeof(alive_level), a->changes->len);
	for (guint i = 0; i < a->changes->len; i++) {
		alive_level at = g_array_index(a->changes, change, i);

		level += at.bytes;
		at.bytes = level;
		g_array_append_val(levels, at);
	}
	return levels;
}

alive_level alive_peak(const GArray *levels)
{
	alive_level peak = {0, 0};

	for (guint i = 0; i < levels->len; i++)
		if (g_array_index(levels, alive_level, i).bytes > peak.bytes)
			peak = g_array_index(levels, alive_level, i);
	return peak;
}

static void append_level(GArray *to, int64_t cycle, int64_t bytes)
{
	alive_level at = {cycle, bytes};

	if (!to->len || g_array_index(to, alive_level, to->len - 1).bytes != bytes)
		g_array_append_val(to, at);
}

GArray *alive_thin(const GArray *levels, guint most, int64_t *width)
{
	GArray *thin = g_array_new(FALSE, FALSE, sizeof(alive_level));
	int64_t origin, stop, window, peak, level = 0;

	*width = 1;
	if (levels->len <= most) {
		g_array_append_vals(thin, levels->data, levels->len);
		return thin;
	}
	origin = g_array_index(levels, alive_level, 0).cycle;
	stop = g_array_index(levels, alive_level, levels->len - 1).cycle;
	*width = (stop - origin) / most + 1;
	window = 0;
	peak = 0;
	for (guint i = 0; i < levels->len; i++) {
		alive_level at = g_array_index(levels, alive_level, i);
		int64_t in = (at.cycle - origin) / *width;

		if (in > window) {
			append_level(thin, origin + window * *width, peak);
			if (in > window + 1)
				append_level(thin, origin + (window + 1) * *width, level);
			window = in;
			/* What was alive when the window began, unless that ends at once. */
			peak = at.cycle > origin + in * *width ? level : 0;
		}
		level = at.bytes;
		peak = MAX(peak, level);
	}
	append_level(thin, origin + window * *width, peak);
	append_level(thin, origin + (window + 1) * *width, 0);
	return thin;
}
