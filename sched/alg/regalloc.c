/* SPDX-License-Identifier: Apache-2.0
 *
 * Register allocation: colour, keep in memory what found no register, and again.
 *
 * Every round divides what it keeps in memory: first into parts that several accesses share, then into single accesses.
 * Single accesses are never kept in memory, so rounds end.
 */
#include "sched/alg/regalloc.h"

#include <string.h>

enum { ROUNDS_MAX = 200 };

/* ------------------------------------------------------------------------------------------------------- needs */

static uint32_t operand_registers(const live_program *p, const live_insn *n, bool distinct)
{
	uint32_t width = 0;

	for (unsigned u = 0; u < n->uses; u++) {
		bool again = false;

		for (unsigned k = 0; k < u && distinct; k++)
			again |= n->use[k] == n->use[u];
		width += again ? 0 : live_value_at(p, n->use[u])->width;
	}
	return width;
}

void regalloc_needs(const live_program *p, regalloc_need *need)
{
	*need = (regalloc_need){0};
	for (uint32_t b = 0; b < p->blocks->len; b++)
		for (guint i = 0; i < live_block_at(p, b)->insns->len; i++) {
			const live_insn *n = live_insn_at(live_block_at(p, b), i);
			uint32_t result = n->def == LIVE_NONE ? 0 : live_value_at(p, n->def)->width;
			uint32_t most = MAX(operand_registers(p, n, true), result);

			if (most > need->registers) {
				need->registers = most;
				need->block = b;
				need->insn = i;
			}
			need->read_ports = MAX(need->read_ports, operand_registers(p, n, false));
			need->write_ports = MAX(need->write_ports, result);
		}
}

static bool enough(const live_program *p, const regalloc_options *o, GError **error)
{
	regalloc_need need;
	const char *what = NULL;
	uint32_t needed = 0, there = 0;

	regalloc_needs(p, &need);
	if (need.registers > o->registers) {
		what = "registers";
		needed = need.registers;
		there = o->registers;
	} else if (o->read_ports && need.read_ports > o->read_ports) {
		what = "read ports";
		needed = need.read_ports;
		there = o->read_ports;
	} else if (o->write_ports && need.write_ports > o->write_ports) {
		what = "write ports";
		needed = need.write_ports;
		there = o->write_ports;
	}
	if (what)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "one instruction needs %u %s, there are %u", needed, what,
		            there);
	return !what;
}

/* --------------------------------------------------------------------------------------------------- colouring */

static bool is_accessed(const live_program *p, uint8_t *accessed)
{
	memset(accessed, 0, p->values->len);
	for (uint32_t b = 0; b < p->blocks->len; b++)
		for (guint i = 0; i < live_block_at(p, b)->insns->len; i++) {
			const live_insn *n = live_insn_at(live_block_at(p, b), i);

			if (n->def != LIVE_NONE)
				accessed[n->def] = 1;
			for (unsigned u = 0; u < n->uses; u++)
				accessed[n->use[u]] = 1;
		}
	return true;
}

static void color(const live_program *p, const color_graph *g, const regalloc_options *o, regalloc_result *r)
{
	g_autofree uint32_t *width = g_new(uint32_t, g->nodes + 1);
	bool single = true;

	for (uint32_t v = 0; v < g->nodes; v++) {
		width[v] = live_value_at(p, v)->width;
		single &= width[v] == 1;
	}
	g_free(r->reg);
	if (single) {
		color_options how = {.registers = o->registers, .seed = o->seed, .moves = o->moves};
		color_result found;

		color_solve(g, &how, &found);
		r->reg = g_steal_pointer(&found.color);
		color_result_fini(&found);
	} else {
		r->reg = g_new(uint32_t, g->nodes + 1);
		regalloc_i_color(g, width, o->registers, r->reg);
	}
}

/* Who goes to memory instead of V, which cannot: the cheapest for what it blocks of those in V's way. */
static uint32_t instead_of(const live_program *p, const color_graph *g, uint32_t v)
{
	uint32_t best = LIVE_NONE;

	for (uint32_t n = 0; n < p->values->len; n++)
		if (color_interfere(g, v, n) && g->cost[n] < REGALLOC_NEVER &&
		    (best == LIVE_NONE || g->cost[n] * color_degree(g, best) < g->cost[best] * color_degree(g, n)))
			best = n;
	return best;
}

/* Marks what is to be kept in memory; false when nothing can be. */
static bool choose_spills(const live_program *p, const color_graph *g, const regalloc_result *r, uint8_t *spill,
                          const uint8_t *accessed, bool *any)
{
	bool possible = true;

	*any = false;
	for (uint32_t v = 0; v < g->nodes; v++) {
		uint32_t who = g->cost[v] < REGALLOC_NEVER ? v : LIVE_NONE;

		if (r->reg[v] != COLOR_NONE || !accessed[v])
			continue;
		*any = true;
		if (who == LIVE_NONE)
			who = instead_of(p, g, v);
		if (who == LIVE_NONE)
			possible = false;
		else
			spill[who] = 1;
	}
	return possible;
}

/* One colouring; *DONE when everything has a register. */
static bool round_of(live_program *p, const regalloc_options *o, regalloc_result *r, bool *done)
{
	live_sets s;
	color_graph *g;
	g_autofree uint8_t *spill = g_new0(uint8_t, p->values->len + 1);
	g_autofree uint8_t *accessed = g_new0(uint8_t, p->values->len + 1);
	bool any, possible;

	live_analyse(p, &s);
	g = live_interference(p, &s);
	g_free(g->cost);
	g->cost = regalloc_i_costs(p);
	is_accessed(p, accessed);
	color(p, g, o, r);
	possible = choose_spills(p, g, r, spill, accessed, &any);
	color_graph_free(g);
	live_sets_fini(&s);
	r->rounds++;
	*done = !any;
	if (any && possible)
		regalloc_i_spill(p, spill, o->registers, r);
	return !any || possible;
}

/* ------------------------------------------------------------------------------------------------------ result */

static void count_result(regalloc_result *r)
{
	const live_program *p = r->program;
	g_autofree uint8_t *accessed = g_new0(uint8_t, p->values->len + 1);
	uint8_t used[1 << 11] = {0};

	is_accessed(p, accessed);
	for (uint32_t v = 0; v < p->values->len; v++)
		for (uint32_t k = 0; accessed[v] && k < live_value_at(p, v)->width; k++)
			used[(r->reg[v] + k) % sizeof used] = 1;
	for (unsigned i = 0; i < sizeof used; i++)
		r->registers += used[i];
	for (uint32_t b = 0; b < p->blocks->len; b++)
		for (guint i = 0; i < live_block_at(p, b)->insns->len; i++) {
			const live_insn *n = live_insn_at(live_block_at(p, b), i);

			r->coalesced += n->copy && n->def != LIVE_NONE && r->reg[n->def] == r->reg[n->use[0]];
		}
}

bool regalloc_run(const live_program *p, const regalloc_options *options, regalloc_result *r, GError **error)
{
	bool done = false, possible = true;
	live_sets s;

	*r = (regalloc_result){.program = live_copy(p)};
	if (!enough(p, options, error)) {
		regalloc_result_fini(r);
		return false;
	}
	r->renamed = live_rename(r->program);
	for (uint32_t v = 0; v < r->program->values->len; v++)
		live_value_at(r->program, v)->home = v;
	r->given = live_copy(r->program);
	live_analyse(r->given, &s);
	r->most = live_most(r->given, &s);
	live_sets_fini(&s);
	while (!done && possible && r->rounds < ROUNDS_MAX)
		possible = round_of(r->program, options, r, &done);
	if (!done) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "values that must lie in certain registers leave too few of %u for the rest",
		            options->registers);
		regalloc_result_fini(r);
		return false;
	}
	count_result(r);
	return true;
}

void regalloc_result_fini(regalloc_result *r)
{
	g_clear_pointer(&r->given, live_free);
	g_clear_pointer(&r->program, live_free);
	g_clear_pointer(&r->reg, g_free);
}
