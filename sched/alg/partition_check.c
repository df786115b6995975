/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of a split by definition, and whether it is one.
 *
 * A set of nodes is contiguous when no path leaves it and comes back: for each device, whatever can be reached from its
 * nodes by way of others must not reach it again; forward and backward nodes apart.
 */
#include "sched/alg/partition.h"

#include <math.h>

static const part_node *node_at(const part_problem *p, uint32_t i)
{
	return &g_array_index(p->nodes, part_node, i);
}

static const part_edge *edge_at(const part_problem *p, guint i)
{
	return &g_array_index(p->edges, part_edge, i);
}

/* Does a path from DEVICE's nodes of one direction come back to them through others of that direction? */
static bool comes_back(const part_problem *p, const uint32_t *device, uint32_t which, bool backward)
{
	g_autofree bool *outside = g_new0(bool, p->nodes->len + 1);
	bool moved = true, back = false;

	while (moved) {
		moved = false;
		for (guint i = 0; i < p->edges->len; i++) {
			const part_edge *e = edge_at(p, i);
			bool from = device[e->from] == which, to = device[e->to] == which;

			if (node_at(p, e->from)->backward != backward || node_at(p, e->to)->backward != backward)
				continue;
			back = back || (outside[e->from] && to);
			if (!to && !outside[e->to] && (from || outside[e->from]))
				moved = outside[e->to] = true;
		}
	}
	return back;
}

static double load_of(const part_problem *p, const uint32_t *device, uint32_t which)
{
	g_autofree bool *moved = g_new0(bool, p->nodes->len + 1);
	bool host = which >= p->accelerators;
	double load = 0;

	for (uint32_t i = 0; i < p->nodes->len; i++)
		if (device[i] == which)
			load += host ? node_at(p, i)->host_work : node_at(p, i)->work;
	for (guint i = 0; i < p->edges->len && !host; i++) {
		const part_edge *e = edge_at(p, i);

		if ((device[e->from] == which) == (device[e->to] == which) || moved[e->from])
			continue;
		moved[e->from] = true;
		load += node_at(p, e->from)->transfer;
	}
	return load;
}

double *part_check(const part_problem *p, const uint32_t *device, bool *valid)
{
	uint32_t devices = p->accelerators + p->hosts;
	double *load = g_new0(double, devices + 1);

	*valid = true;
	for (uint32_t i = 0; i < p->nodes->len; i++) {
		*valid = *valid && device[i] < devices;
		for (uint32_t k = 0; k < i; k++)
			if (node_at(p, i)->class != UINT32_MAX && node_at(p, i)->class == node_at(p, k)->class)
				*valid = *valid && device[i] == device[k];
	}
	for (uint32_t d = 0; *valid && d < devices; d++) {
		double bytes = 0;

		for (uint32_t i = 0; i < p->nodes->len; i++)
			bytes += device[i] == d ? node_at(p, i)->bytes : 0;
		load[d] = load_of(p, device, d);
		*valid = isfinite(load[d]) && (d >= p->accelerators || bytes <= p->memory_bytes) &&
		         !comes_back(p, device, d, false) && !comes_back(p, device, d, true);
	}
	return load;
}
