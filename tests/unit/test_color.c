/* SPDX-License-Identifier: Apache-2.0
 *
 * Colouring: graphs whose answers are known by hand, properties on random graphs, and the register graphs of the public
 * set joined to exactly 320 registers.
 */
#include <stdlib.h>
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/color.h"
#include "tests/lib/tap.h"

static color_graph *cycle(uint32_t nodes)
{
	color_graph *g = color_graph_new(nodes);

	for (uint32_t i = 0; i < nodes; i++)
		color_add_edge(g, i, (i + 1) % nodes);
	return g;
}

static void solve(const color_graph *g, uint32_t registers, uint64_t moves, color_result *r)
{
	color_options how = {.registers = registers, .seed = 1, .moves = moves};

	color_solve(g, &how, r);
	CU_ASSERT_TRUE(color_check(g, r, registers));
}

/* Chaitin's square: every node has two neighbours, so none is simplified with two registers, but opposite corners may
 * share one: the candidate for spilling finds a register free. */
static void a_square_needs_no_spill_with_two_registers(void)
{
	color_graph *g = cycle(4);
	color_result r;

	solve(g, 2, 0, &r);
	CU_ASSERT_EQUAL(r.spills, 0);
	CU_ASSERT_EQUAL(r.colors, 2);
	CU_ASSERT_STRING_EQUAL(r.by, "briggs");
	color_result_fini(&r);
	color_graph_free(g);
}

/* An odd ring cannot do with two: the cheapest node for its two neighbours goes to memory. */
static void an_odd_ring_spills_its_cheapest_range(void)
{
	color_graph *g = cycle(5);
	color_result r;

	for (uint32_t i = 0; i < 5; i++)
		g->cost[i] = 10 - i;
	solve(g, 2, 1000, &r);
	CU_ASSERT_EQUAL(r.spills, 1);
	CU_ASSERT_EQUAL(r.spill_cost, 6.0);
	CU_ASSERT_EQUAL(r.color[4], COLOR_NONE);
	color_result_fini(&r);
	solve(g, 3, 0, &r);
	CU_ASSERT_EQUAL(r.spills, 0);
	color_result_fini(&r);
	color_graph_free(g);
}

/* Of a clique of 5 with 3 registers the two cheapest spill; with none, all do. */
static void a_clique_spills_what_is_too_much(void)
{
	color_graph *g = color_graph_new(5);
	color_result r;

	for (uint32_t i = 0; i < 5; i++)
		for (uint32_t k = 0; k < i; k++)
			color_add_edge(g, i, k);
	for (uint32_t i = 0; i < 5; i++)
		g->cost[i] = 1 + i;
	CU_ASSERT_EQUAL(g->edges, 10);
	CU_ASSERT_EQUAL(color_clique_bound(g), 5);
	CU_ASSERT_EQUAL(color_degeneracy_bound(g), 5);
	solve(g, 3, 1000, &r);
	CU_ASSERT_EQUAL(r.spills, 2);
	CU_ASSERT_EQUAL(r.spill_cost, 3.0);
	color_result_fini(&r);
	solve(g, 0, 1000, &r);
	CU_ASSERT_EQUAL(r.spills, 5);
	color_result_fini(&r);
	color_graph_free(g);
}

static void add_copy(color_graph *g, uint32_t a, uint32_t b, double weight)
{
	color_affinity copy = {a, b, weight};

	g_array_append_val(g->affinities, copy);
}

/* A path 0 - 1 - 2 with a copy between its ends: they share a register, at no cost. */
static void copies_between_free_ends_are_coalesced(void)
{
	color_graph *g = color_graph_new(3);
	color_result r;

	color_add_edge(g, 0, 1);
	color_add_edge(g, 1, 2);
	add_copy(g, 0, 2, 4);
	solve(g, 2, 0, &r);
	CU_ASSERT_EQUAL(r.color[0], r.color[2]);
	CU_ASSERT_EQUAL(r.coalesced, 1);
	CU_ASSERT_EQUAL(r.copy_cost, 0.0);
	color_result_fini(&r);
	color_graph_free(g);
}

/* 0 has copies with 1 and 2, which interfere: the heavier one wins. */
static void of_two_copies_that_exclude_each_other_the_heavier_is_coalesced(void)
{
	color_graph *g = color_graph_new(3);
	color_result r;

	color_add_edge(g, 1, 2);
	add_copy(g, 0, 1, 1);
	add_copy(g, 0, 2, 5);
	solve(g, 2, 0, &r);
	CU_ASSERT_EQUAL(r.color[0], r.color[2]);
	CU_ASSERT_EQUAL(r.coalesced, 1);
	CU_ASSERT_EQUAL(r.copy_cost, 1.0);
	color_result_fini(&r);
	color_graph_free(g);
}

/* A copy into an argument register: George's test lets the range have it; a range that interferes with it does not. */
static void fixed_registers_keep_their_ranges(void)
{
	color_graph *g = color_graph_new(4);
	color_result r;

	g->fixed[0] = 2;
	color_add_edge(g, 0, 3);
	add_copy(g, 0, 1, 1);
	solve(g, 4, 0, &r);
	CU_ASSERT_EQUAL(r.color[0], 2);
	CU_ASSERT_EQUAL(r.color[1], 2);
	CU_ASSERT_NOT_EQUAL(r.color[3], 2);
	color_result_fini(&r);
	color_graph_free(g);
}

/* Conservative: coalescing never turns a graph that has a colouring by simplifying alone into one that spills. */
static void coalescing_costs_no_spill_where_degrees_are_low(void)
{
	rng r;

	rng_seed(&r, 3, 0);
	for (unsigned round = 0; round < 200; round++) {
		uint32_t nodes = 10 + (uint32_t)rng_below(&r, 30), k;
		color_graph *g = color_graph_new(nodes);
		color_result result;

		for (uint32_t i = 0; i < nodes * 3; i++)
			color_add_edge(g, (uint32_t)rng_below(&r, nodes), (uint32_t)rng_below(&r, nodes));
		for (uint32_t i = 0; i < nodes; i++)
			add_copy(g, (uint32_t)rng_below(&r, nodes), (uint32_t)rng_below(&r, nodes),
			         (double)rng_below(&r, 9));
		k = color_degeneracy_bound(g);
		solve(g, k, 0, &result);
		CU_ASSERT_EQUAL(result.spills, 0);
		color_result_fini(&result);
		color_graph_free(g);
	}
}

/* The least number of registers, by trying every colouring. */
static bool colorable(const color_graph *g, uint32_t k, uint32_t *color, uint32_t node)
{
	if (node == g->nodes)
		return true;
	for (uint32_t c = 0; c < MIN(k, node + 1); c++) {
		bool free_here = true;

		for (uint32_t i = 0; i < node; i++)
			free_here = free_here && !(color_interfere(g, i, node) && color[i] == c);
		color[node] = c;
		if (free_here && colorable(g, k, color, node + 1))
			return true;
	}
	return false;
}

static void small_random_graphs_take_as_few_registers_as_they_can(void)
{
	rng r;

	rng_seed(&r, 8, 0);
	for (unsigned round = 0; round < 200; round++) {
		uint32_t nodes = 4 + (uint32_t)rng_below(&r, 8), color[12], k = 1;
		color_graph *g = color_graph_new(nodes);
		color_options how = {.seed = 1, .moves = 2000};
		color_result result;

		for (uint32_t i = 0; i < nodes * nodes / 3; i++)
			color_add_edge(g, (uint32_t)rng_below(&r, nodes), (uint32_t)rng_below(&r, nodes));
		while (!colorable(g, k, color, 0))
			k++;
		color_minimise(g, &how, &result);
		CU_ASSERT_EQUAL(result.colors, k);
		CU_ASSERT_TRUE(color_check(g, &result, k));
		CU_ASSERT_TRUE(color_clique_bound(g) <= k && k <= color_degeneracy_bound(g));
		color_result_fini(&result);
		color_graph_free(g);
	}
}

static void the_check_sees_what_is_wrong(void)
{
	color_graph *g = cycle(4);
	uint32_t color[] = {0, 1, 0, 1};
	color_result r = {.color = color};

	CU_ASSERT_TRUE(color_check(g, &r, 2));
	CU_ASSERT_FALSE(color_check(g, &r, 1));
	color[1] = 0;
	CU_ASSERT_FALSE(color_check(g, &r, 2));
	color[1] = COLOR_NONE;
	CU_ASSERT_TRUE(color_check(g, &r, 2));
	g->fixed[0] = 1;
	CU_ASSERT_FALSE(color_check(g, &r, 2));
	color_graph_free(g);
}

static void files_are_read_or_refused_with_the_place(void)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "x.col:1:1: expected a line 'p edge NODES EDGES'"},
		{"e 1 2\n", "x.col:1:1: expected 'p edge NODES EDGES' before it"},
		{"p edge 3 2\ne 1 4\n", "x.col:2:5: expected the number of a node"},
		{"p edge 3 2\ne 0 1\n", "x.col:2:3: expected the number of a node"},
		{"p edge 3 2\ne 1 2 3\n", "x.col:2:7: expected the end of the line"},
		{"p edge 3 2\np edge 3 2\n", "x.col:2:2: expected one line 'p', found a second one"},
		{"p edge 0 0\n", "x.col:1:8: expected a number of nodes from 1 to 40000"},
		{"p graph 3 0\n", "x.col:1:3: expected 'edge' or 'col'"},
		{"q\n", "x.col:1:1: expected a line 'c', 'p', 'e', 'n' or 'a'"},
		{"p edge 3 2\nn 1 2\nn 2 2\n n 1 2\n",
	         "x.col:4:2: expected one line 'n' for each node, found a second one"},
		{"p edge 3 2\nn 1 -2\n", "x.col:2:5: expected a number from 0"},
	};
	color_graph *g =
		color_read("c a\np edge 3 2\nd 2\nv 1 0.5\nx seed 3\ne 1 2\ne 2 1\nn 3 2.5\na 1 3 4\n", "x.col", NULL);
	GError *error = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_EQUAL(g->edges, 1);
	CU_ASSERT_EQUAL(g->cost[2], 2.5);
	CU_ASSERT_EQUAL(g->affinities->len, 1);
	color_graph_free(g);
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		CU_ASSERT_PTR_NULL(color_read(rows[i].text, "x.col", &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i].message);
		if (strcmp(error->message, rows[i].message) != 0)
			tap_note("%s", error->message);
		g_clear_error(&error);
	}
}

/* Appends the graph of FILE to G, whose nodes from *AT on are free, each of them joined to every node before. */
static bool join(color_graph *g, uint32_t *at, const char *file)
{
	const char *data = g_getenv("TSPSIM_DATA");
	g_autofree char *path = g_build_filename(data ? data : "", "coloring", file, NULL), *text = NULL;
	color_graph *part;

	if (!data || !g_file_get_contents(path, &text, NULL, NULL))
		return false;
	part = color_read(text, file, NULL);
	for (uint32_t i = 0; i < part->nodes; i++) {
		for (uint32_t k = 0; k < *at; k++)
			color_add_edge(g, k, *at + i);
		for (uint32_t k = 0; k < i; k++)
			if (color_interfere(part, i, k))
				color_add_edge(g, *at + i, *at + k);
	}
	*at += part->nodes;
	color_graph_free(part);
	return true;
}

/* The chromatic number of a join is the sum: 65 + 54 + 54 + 49 + 49 + 49 = 320. */
static void the_join_of_320_registers_fits_and_319_spill(void)
{
	static const char *const parts[] = {"fpsol2.i.1.col", "inithx.i.1.col", "inithx.i.1.col",
	                                    "mulsol.i.1.col", "mulsol.i.1.col", "zeroin.i.1.col"};
	color_graph *g = color_graph_new(2829);
	uint32_t at = 0;
	color_result r;

	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
		if (!join(g, &at, parts[i])) {
			tap_skip("no benchmark inputs; see --with-data");
			color_graph_free(g);
			return;
		}
	CU_ASSERT_EQUAL(at, 2829);
	solve(g, 320, 0, &r);
	CU_ASSERT_EQUAL(r.spills, 0);
	CU_ASSERT_EQUAL(r.colors, 320);
	color_result_fini(&r);
	solve(g, 319, 0, &r);
	CU_ASSERT_TRUE(r.spills >= 1);
	color_result_fini(&r);
	color_graph_free(g);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_square_needs_no_spill_with_two_registers", a_square_needs_no_spill_with_two_registers},
		{"an_odd_ring_spills_its_cheapest_range", an_odd_ring_spills_its_cheapest_range},
		{"a_clique_spills_what_is_too_much", a_clique_spills_what_is_too_much},
		{"copies_between_free_ends_are_coalesced", copies_between_free_ends_are_coalesced},
		{"of_two_copies_that_exclude_each_other_the_heavier_is_coalesced",
	         of_two_copies_that_exclude_each_other_the_heavier_is_coalesced},
		{"fixed_registers_keep_their_ranges", fixed_registers_keep_their_ranges},
		{"coalescing_costs_no_spill_where_degrees_are_low", coalescing_costs_no_spill_where_degrees_are_low},
		{"small_random_graphs_take_as_few_registers_as_they_can",
	         small_random_graphs_take_as_few_registers_as_they_can},
		{"the_check_sees_what_is_wrong", the_check_sees_what_is_wrong},
		{"files_are_read_or_refused_with_the_place", files_are_read_or_refused_with_the_place},
		{"the_join_of_320_registers_fits_and_319_spill", the_join_of_320_registers_fits_and_319_spill},
	};

	return tap_run("color", cases, G_N_ELEMENTS(cases));
}
