/* SPDX-License-Identifier: Apache-2.0
 *
 * Change points: key = time, value = amount taken from that time on until the next key.  Neighbouring equal values are
 * merged, so a resource that is reserved back to back costs one entry.  Keys and values are integers in pointers.
 */
#include "sched/alg/calendar.h"

G_STATIC_ASSERT(sizeof(gpointer) >= sizeof(int64_t));

struct alg_calendar {
	GTree *points;
	uint32_t capacity;
};

static gpointer box(int64_t time)
{
	return (gpointer)(intptr_t)time;
}

static int64_t unbox(gconstpointer key)
{
	return (int64_t)(intptr_t)key;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
	return (unbox(a) > unbox(b)) - (unbox(a) < unbox(b));
}

alg_calendar *alg_calendar_new(uint32_t capacity)
{
	alg_calendar *calendar = g_new0(alg_calendar, 1);

	calendar->points = g_tree_new(compare_times);
	calendar->capacity = capacity;
	return calendar;
}

void alg_calendar_free(alg_calendar *calendar)
{
	if (!calendar)
		return;
	g_tree_unref(calendar->points);
	g_free(calendar);
}

/* The last change point at or before TIME, or NULL. */
static GTreeNode *point_at(const alg_calendar *calendar, int64_t time)
{
	GTreeNode *after = g_tree_upper_bound(calendar->points, box(time));

	return after ? g_tree_node_previous(after) : g_tree_node_last(calendar->points);
}

uint32_t alg_calendar_used(const alg_calendar *calendar, int64_t time)
{
	GTreeNode *point = point_at(calendar, time);

	return point ? (uint32_t)unbox(g_tree_node_value(point)) : 0;
}

int64_t alg_calendar_earliest(const alg_calendar *calendar, int64_t from, int64_t length, uint32_t amount)
{
	uint32_t most = calendar->capacity - MIN(amount, calendar->capacity);
	int64_t start = from;
	GTreeNode *point = point_at(calendar, from);

	if (amount > calendar->capacity)
		return INT64_MAX;
	if (!point)
		point = g_tree_node_first(calendar->points);
	for (; point; point = g_tree_node_next(point)) {
		int64_t begins = unbox(g_tree_node_key(point));
		GTreeNode *next = g_tree_node_next(point);

		if (begins >= start + length)
			break;
		if ((uint32_t)unbox(g_tree_node_value(point)) > most) {
			if (!next)
				return INT64_MAX;
			start = MAX(start, unbox(g_tree_node_key(next)));
		}
	}
	return start;
}

bool alg_calendar_fits(const alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount)
{
	return alg_calendar_earliest(calendar, start, length, amount) == start;
}

/* Makes TIME a change point without changing the function. */
static void split_at(alg_calendar *calendar, int64_t time)
{
	if (!g_tree_lookup_extended(calendar->points, box(time), NULL, NULL))
		g_tree_insert(calendar->points, box(time), box(alg_calendar_used(calendar, time)));
}

/* Removes the change point at TIME if it changes nothing. */
static void merge_at(alg_calendar *calendar, int64_t time)
{
	GTreeNode *point = g_tree_lookup_node(calendar->points, box(time));
	GTreeNode *before = point ? g_tree_node_previous(point) : NULL;
	int64_t level = before ? unbox(g_tree_node_value(before)) : 0;

	if (point && unbox(g_tree_node_value(point)) == level)
		g_tree_remove(calendar->points, box(time));
}

static void change(alg_calendar *calendar, int64_t start, int64_t length, int64_t amount)
{
	int64_t end = start + length;

	if (length <= 0 || amount == 0)
		return;
	split_at(calendar, start);
	split_at(calendar, end);
	for (GTreeNode *point = g_tree_lookup_node(calendar->points, box(start)); unbox(g_tree_node_key(point)) < end;
	     point = g_tree_node_next(point))
		g_tree_replace_node(calendar->points, g_tree_node_key(point),
		                    box(unbox(g_tree_node_value(point)) + amount));
	merge_at(calendar, end);
	merge_at(calendar, start);
}

void alg_calendar_reserve(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount)
{
	change(calendar, start, length, (int64_t)amount);
}

void alg_calendar_release(alg_calendar *calendar, int64_t start, int64_t length, uint32_t amount)
{
	change(calendar, start, length, -(int64_t)amount);
}

void alg_calendar_forget(alg_calendar *calendar, int64_t time)
{
	GTreeNode *point;

	split_at(calendar, time);
	while ((point = g_tree_node_first(calendar->points)) && unbox(g_tree_node_key(point)) < time)
		g_tree_remove(calendar->points, g_tree_node_key(point));
	merge_at(calendar, time);
}
