/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of an allocation: what every register and every place in memory holds is followed along all paths, from the
 * values' names in the program as it was given; where paths disagree, nothing is known.  Instructions must be those
 * given, in their order, except that what can be made again may be missing or repeated.
 */
#include "sched/alg/regalloc.h"

#include <string.h>

/* Each register and slot is a cell: a set of what it holds, part K of value HOME being one member.  After a copy a cell
 * may hold two values. */
typedef struct replay {
	const regalloc_result *r;
	uint32_t registers, cells; /* registers, then slots */
	uint32_t values, words;    /* of a set */
	uint64_t *end;             /* [blocks] rows of cells */
	uint8_t *visited;          /* [blocks] */
	bool fine;
} replay;

static uint32_t home_of(const replay *c, uint32_t v)
{
	return live_value_at(c->r->program, v)->home;
}

static uint32_t width_of(const replay *c, uint32_t v)
{
	return live_value_at(c->r->program, v)->width;
}

static uint64_t *set_of(const replay *c, uint64_t *cell, uint32_t at)
{
	return cell + (size_t)at * c->words;
}

static bool has_place(const replay *c, uint32_t v)
{
	uint32_t reg = c->r->reg[v], fixed = live_value_at(c->r->program, v)->fixed;

	return reg <= c->registers && width_of(c, v) <= c->registers - reg && (fixed == LIVE_NONE || fixed == reg);
}

static bool contains(const replay *c, uint64_t *cell, uint32_t at, uint32_t home, uint32_t k)
{
	uint32_t member = home + k * c->values;

	return set_of(c, cell, at)[member / 64] >> member % 64 & 1;
}

static void include(const replay *c, uint64_t *cell, uint32_t at, uint32_t home, uint32_t k)
{
	uint32_t member = home + k * c->values;

	set_of(c, cell, at)[member / 64] |= UINT64_C(1) << member % 64;
}

static bool holds(const replay *c, uint64_t *cell, uint32_t v)
{
	for (uint32_t k = 0; k < width_of(c, v); k++)
		if (!has_place(c, v) || !contains(c, cell, c->r->reg[v] + k, home_of(c, v), k))
			return false;
	return true;
}

static bool put(const replay *c, uint64_t *cell, uint32_t v)
{
	for (uint32_t k = 0; has_place(c, v) && k < width_of(c, v); k++) {
		memset(set_of(c, cell, c->r->reg[v] + k), 0, c->words * sizeof *cell);
		include(c, cell, c->r->reg[v] + k, home_of(c, v), k);
	}
	return has_place(c, v);
}

/* A new value under an old name: older copies hold something else now. */
static void outdate(const replay *c, uint64_t *cell, uint32_t home)
{
	for (uint32_t i = 0; i < c->cells; i++)
		for (uint32_t member = home; member < c->words * 64; member += c->values)
			set_of(c, cell, i)[member / 64] &= ~(UINT64_C(1) << member % 64);
}

/* Whoever holds the source holds the copy, too. */
static bool copy(const replay *c, const live_insn *n, uint64_t *cell)
{
	uint32_t from = home_of(c, n->use[0]), to = home_of(c, n->def);

	outdate(c, cell, to);
	for (uint32_t k = 0; k < width_of(c, n->def); k++)
		for (uint32_t i = 0; i < c->cells; i++)
			if (contains(c, cell, i, from, k))
				include(c, cell, i, to, k);
	if (!has_place(c, n->def))
		return false;
	for (uint32_t k = 0; k < width_of(c, n->def); k++)
		memmove(set_of(c, cell, c->r->reg[n->def] + k), set_of(c, cell, c->r->reg[n->use[0]] + k),
		        c->words * sizeof *cell);
	return true;
}

/* The effect of N, whether or not its operands are what they should be. */
static bool step(const replay *c, const live_insn *n, uint64_t *cell)
{
	bool fine = true;

	for (unsigned u = 0; u < n->uses; u++)
		fine &= holds(c, cell, n->use[u]);
	if (n->kind == LIVE_STORE) {
		memset(set_of(c, cell, c->registers + n->tag), 0, c->words * sizeof *cell);
		include(c, cell, c->registers + n->tag, home_of(c, n->use[0]), 0);
		return fine;
	}
	if (n->def == LIVE_NONE)
		return fine;
	if (n->kind == LIVE_LOAD)
		fine &= contains(c, cell, c->registers + n->tag, home_of(c, n->def), 0);
	if (n->kind == LIVE_GIVEN && n->copy && has_place(c, n->use[0]))
		return copy(c, n, cell) && fine;
	if (n->kind == LIVE_GIVEN)
		outdate(c, cell, home_of(c, n->def));
	return put(c, cell, n->def) && fine;
}

static void enter_first(const replay *c, uint64_t *cell)
{
	live_sets s;

	live_analyse(c->r->program, &s);
	for (uint32_t v = 0; v < c->r->program->values->len; v++)
		if (live_has(s.in, v))
			put(c, cell, v);
	live_sets_fini(&s);
}

/* What is known at BLOCK's beginning; false when nothing leads there yet. */
static bool enter(const replay *c, uint32_t block, uint64_t *cell)
{
	const live_program *p = c->r->program;
	size_t row = (size_t)c->cells * c->words;
	bool visited = block == 0;

	memset(cell, 0, row * sizeof *cell);
	if (visited)
		enter_first(c, cell);
	for (uint32_t b = 0; b < p->blocks->len; b++)
		for (unsigned n = 0; n < live_block_at(p, b)->nexts; n++) {
			if (live_block_at(p, b)->next[n] != block || !c->visited[b])
				continue;
			for (size_t i = 0; i < row; i++)
				cell[i] = visited ? cell[i] & c->end[b * row + i] : c->end[b * row + i];
			visited = true;
		}
	return visited;
}

static bool sweep(replay *c, uint64_t *cell, bool judge)
{
	const live_program *p = c->r->program;
	size_t row = (size_t)c->cells * c->words;
	bool changed = false;

	for (uint32_t b = 0; b < p->blocks->len; b++) {
		const live_block *block = live_block_at(p, b);
		uint64_t *end = c->end + b * row;

		if (!enter(c, b, cell))
			continue;
		for (guint i = 0; i < block->insns->len; i++)
			if (!step(c, live_insn_at(block, i), cell) && judge)
				c->fine = false;
		changed |= !c->visited[b] || memcmp(end, cell, row * sizeof *cell) != 0;
		c->visited[b] = 1;
		memcpy(end, cell, row * sizeof *cell);
	}
	return changed;
}

static bool same_insn(const replay *c, const live_insn *given, const live_insn *n)
{
	bool same =
		given->tag == n->tag && given->uses == n->uses && (given->def == LIVE_NONE) == (n->def == LIVE_NONE);

	if (same && n->def != LIVE_NONE)
		same = home_of(c, n->def) == given->def;
	for (unsigned u = 0; same && u < n->uses; u++)
		same = home_of(c, n->use[u]) == given->use[u];
	return same;
}

/* Are the instructions given all there, in their order? */
static bool is_whole(const replay *c)
{
	for (uint32_t b = 0; b < c->r->given->blocks->len; b++) {
		const live_block *given = live_block_at(c->r->given, b), *now = live_block_at(c->r->program, b);
		guint at = 0;

		for (guint i = 0; i < now->insns->len; i++) {
			const live_insn *n = live_insn_at(now, i);

			if (n->kind != LIVE_GIVEN)
				continue;
			while (at < given->insns->len && !same_insn(c, live_insn_at(given, at), n) &&
			       live_insn_at(given, at)->remake >= 0)
				at++;
			if (at == given->insns->len || !same_insn(c, live_insn_at(given, at), n))
				return false;
			at++;
		}
		for (; at < given->insns->len; at++)
			if (live_insn_at(given, at)->remake < 0)
				return false;
	}
	return true;
}

bool regalloc_check(const regalloc_result *r, uint32_t registers)
{
	replay c = {.r = r, .registers = registers, .cells = registers + r->slots, .fine = true};
	g_autofree uint64_t *cell = NULL;
	uint32_t widest = 1;

	c.values = r->given->values->len;
	for (uint32_t v = 0; v < c.values; v++)
		widest = MAX(widest, live_value_at(r->given, v)->width);
	c.words = (c.values * widest + 63) / 64;
	cell = g_new0(uint64_t, (size_t)c.cells * c.words + 1);
	c.end = g_new0(uint64_t, (size_t)c.cells * c.words * r->program->blocks->len + 1);
	c.visited = g_new0(uint8_t, r->program->blocks->len + 1);
	while (sweep(&c, cell, false))
		;
	sweep(&c, cell, true);
	g_free(c.end);
	g_free(c.visited);
	return c.fine && is_whole(&c);
}
