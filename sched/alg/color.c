/* SPDX-License-Identifier: Apache-2.0
 *
 * Interference graphs: building, bounds, the choice between engines, and the check.
 */
#include "sched/alg/color.h"

#include "sched/alg/color_heap.h"

#include <string.h>

color_graph *color_graph_new(uint32_t nodes)
{
	color_graph *g = g_new0(color_graph, 1);

	g->nodes = nodes;
	g->words = (nodes + 63) / 64;
	g->matrix = g_new0(uint64_t, (size_t)nodes * g->words + 1);
	g->cost = g_new(double, nodes + 1);
	g->fixed = g_new(uint32_t, nodes + 1);
	g->affinities = g_array_new(FALSE, FALSE, sizeof(color_affinity));
	for (uint32_t i = 0; i < nodes; i++) {
		g->cost[i] = 1;
		g->fixed[i] = COLOR_NONE;
	}
	return g;
}

void color_graph_free(color_graph *g)
{
	if (!g)
		return;
	g_free(g->matrix);
	g_free(g->cost);
	g_free(g->fixed);
	g_array_free(g->affinities, TRUE);
	g_free(g);
}

void color_add_edge(color_graph *g, uint32_t a, uint32_t b)
{
	if (a == b || color_interfere(g, a, b))
		return;
	g->matrix[(size_t)a * g->words + b / 64] |= UINT64_C(1) << b % 64;
	g->matrix[(size_t)b * g->words + a / 64] |= UINT64_C(1) << a % 64;
	g->edges++;
}

uint32_t color_degree(const color_graph *g, uint32_t node)
{
	uint32_t degree = 0;

	for (uint32_t w = 0; w < g->words; w++)
		degree += (uint32_t)__builtin_popcountll(g->matrix[(size_t)node * g->words + w]);
	return degree;
}

/* Takes nodes of least degree out one after the other into ORDER; the largest degree met. */
static uint32_t smallest_last(const color_graph *g, uint32_t *order)
{
	color_heap h;
	uint32_t largest = 0;

	color_heap_init(&h, g->nodes);
	for (uint32_t i = 0; i < g->nodes; i++)
		color_heap_push(&h, i, color_degree(g, i));
	for (uint32_t n = 0; n < g->nodes; n++) {
		uint32_t least = color_heap_pop(&h);

		largest = MAX(largest, (uint32_t)h.key[least]);
		order[n] = least;
		for (uint32_t w = 0; w < g->words; w++)
			for (uint64_t bits = g->matrix[(size_t)least * g->words + w]; bits; bits &= bits - 1) {
				uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);

				if (color_heap_holds(&h, i))
					color_heap_raise(&h, i, h.key[i] - 1);
			}
	}
	color_heap_fini(&h);
	return largest;
}

uint32_t color_degeneracy_bound(const color_graph *g)
{
	g_autofree uint32_t *order = g_new(uint32_t, g->nodes + 1);

	return g->nodes ? smallest_last(g, order) + 1 : 0;
}

static int by_rank(gconstpointer a, gconstpointer b, gpointer data)
{
	const uint32_t *rank = data, x = rank[*(const uint32_t *)a], y = rank[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

/* The clique that grows from FIRST when its neighbours join, last RANK first; COMMON and LIST are room for nodes. */
static uint32_t grow_clique(const color_graph *g, uint32_t first, uint32_t *rank, uint64_t *common, uint32_t *list)
{
	uint32_t size = 1, count = 0;

	memcpy(common, g->matrix + (size_t)first * g->words, g->words * sizeof(*common));
	for (uint32_t w = 0; w < g->words; w++)
		for (uint64_t bits = common[w]; bits; bits &= bits - 1)
			list[count++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
	g_qsort_with_data(list, (gint)count, sizeof(*list), by_rank, rank);
	for (uint32_t n = 0; n < count; n++) {
		uint32_t i = list[n];

		if (!(common[i / 64] >> i % 64 & 1))
			continue;
		size++;
		for (uint32_t w = 0; w < g->words; w++)
			common[w] &= g->matrix[(size_t)i * g->words + w];
	}
	return size;
}

uint32_t color_clique_bound(const color_graph *g)
{
	g_autofree uint32_t *order = g_new(uint32_t, g->nodes + 1), *rank = g_new(uint32_t, g->nodes + 1);
	g_autofree uint64_t *common = g_new(uint64_t, g->words + 1);
	uint32_t best = 0;

	smallest_last(g, order);
	for (uint32_t i = 0; i < g->nodes; i++)
		rank[order[i]] = i;
	for (uint32_t i = 0; i < g->nodes; i++)
		best = MAX(best, grow_clique(g, i, rank, common, order));
	return best;
}

static uint32_t missing(const color_graph *g, const uint32_t *color)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->nodes; i++)
		count += color[i] == COLOR_NONE;
	return count;
}

static double missing_cost(const color_graph *g, const uint32_t *color)
{
	double cost = 0;

	for (uint32_t i = 0; i < g->nodes; i++)
		cost += color[i] == COLOR_NONE ? g->cost[i] : 0;
	return cost;
}

/* Figures of the colouring in R. */
static void finish(const color_graph *g, color_result *r)
{
	g_autoptr(GHashTable) used = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < g->nodes; i++)
		if (r->color[i] != COLOR_NONE)
			g_hash_table_add(used, GUINT_TO_POINTER(r->color[i] + 1));
	r->colors = g_hash_table_size(used);
	r->spills = missing(g, r->color);
	r->spill_cost = missing_cost(g, r->color);
	for (guint i = 0; i < g->affinities->len; i++) {
		const color_affinity *a = &g_array_index(g->affinities, color_affinity, i);

		if (r->color[a->a] == r->color[a->b] && r->color[a->a] != COLOR_NONE)
			r->coalesced++;
		else
			r->copy_cost += a->weight;
	}
}

void color_solve(const color_graph *g, const color_options *options, color_result *result)
{
	uint32_t *other = g_new(uint32_t, g->nodes + 1);

	*result = (color_result){.color = g_new(uint32_t, g->nodes + 1), .by = "briggs"};
	color_i_briggs(g, options->registers, result->color);
	if (missing(g, result->color)) {
		color_i_dsatur(g, options->registers, other);
		if (missing_cost(g, other) < missing_cost(g, result->color)) {
			memcpy(result->color, other, g->nodes * sizeof(*other));
			result->by = "dsatur";
		}
	}
	if (missing(g, result->color) && options->moves) {
		memcpy(other, result->color, g->nodes * sizeof(*other));
		result->moves = color_i_tabu(g, options, other);
		if (missing_cost(g, other) < missing_cost(g, result->color)) {
			memcpy(result->color, other, g->nodes * sizeof(*other));
			result->by = "tabu";
		}
	}
	g_free(other);
	finish(g, result);
}

void color_minimise(const color_graph *g, const color_options *options, color_result *result)
{
	color_options how = *options;
	uint64_t moves = 0;
	uint32_t least = g->nodes ? color_clique_bound(g) : 0;

	how.registers = MAX(color_degeneracy_bound(g), 1);
	color_solve(g, &how, result);
	while (result->colors > least && !(options->stop && options->stop(options->stop_state))) {
		color_result next;

		how.registers = result->colors - 1;
		color_solve(g, &how, &next);
		moves += next.moves;
		if (next.spills) {
			color_result_fini(&next);
			break;
		}
		color_result_fini(result);
		*result = next;
	}
	result->moves = moves;
}

void color_result_fini(color_result *r)
{
	g_clear_pointer(&r->color, g_free);
}

bool color_check(const color_graph *g, const color_result *r, uint32_t registers)
{
	for (uint32_t i = 0; i < g->nodes; i++) {
		if (r->color[i] == COLOR_NONE)
			continue;
		if (r->color[i] >= registers || (g->fixed[i] != COLOR_NONE && g->fixed[i] != r->color[i]))
			return false;
		for (uint32_t w = i / 64; w < g->words; w++)
			for (uint64_t row = g->matrix[(size_t)i * g->words + w], j = w * 64; row; row >>= 1, j++)
				if ((row & 1) && r->color[i] == r->color[j])
					return false;
	}
	return true;
}
