/* SPDX-License-Identifier: Apache-2.0
 *
 * Live ranges: sets to a fixpoint, webs, interference.
 *
 * Sets are bits, blocks are swept from the last to the first until nothing changes: a reducible program of depth d
 * takes d + 2 sweeps.  Webs come from reaching definitions, joined by union-find.
 */
#include "sched/alg/live.h"

#include <string.h>

live_program *live_new(void)
{
	live_program *p = g_new0(live_program, 1);

	p->values = g_array_new(FALSE, FALSE, sizeof(live_value));
	p->blocks = g_array_new(FALSE, FALSE, sizeof(live_block));
	return p;
}

void live_free(live_program *p)
{
	if (!p)
		return;
	for (guint b = 0; b < p->blocks->len; b++)
		g_array_unref(live_block_at(p, b)->insns);
	g_array_unref(p->blocks);
	g_array_unref(p->values);
	g_free(p);
}

live_program *live_copy(const live_program *p)
{
	live_program *copy = live_new();

	g_array_append_vals(copy->values, p->values->data, p->values->len);
	g_array_append_vals(copy->blocks, p->blocks->data, p->blocks->len);
	for (guint b = 0; b < p->blocks->len; b++)
		live_block_at(copy, b)->insns = g_array_copy(live_block_at(p, b)->insns);
	return copy;
}

uint32_t live_add_value(live_program *p, uint32_t width, double store, double load)
{
	live_value v = {.width = width,
	                .fixed = LIVE_NONE,
	                .store = store,
	                .load = load,
	                .home = p->values->len,
	                .slot = LIVE_NONE};

	g_array_append_val(p->values, v);
	return v.home;
}

uint32_t live_add_block(live_program *p, double frequency)
{
	live_block b = {.insns = g_array_new(FALSE, FALSE, sizeof(live_insn)), .frequency = frequency};

	g_array_append_val(p->blocks, b);
	return p->blocks->len - 1;
}

void live_add_next(live_program *p, uint32_t block, uint32_t next)
{
	live_block *b = live_block_at(p, block);

	g_assert(b->nexts < G_N_ELEMENTS(b->next) && next);
	b->next[b->nexts++] = next;
}

live_insn *live_add_insn(live_program *p, uint32_t block, uint32_t tag, uint32_t def, const uint32_t *use)
{
	GArray *insns = live_block_at(p, block)->insns;
	live_insn n = {.kind = LIVE_GIVEN, .tag = tag, .def = def, .remake = -1};

	while (use && n.uses < LIVE_USES_MAX && use[n.uses] != LIVE_NONE) {
		n.use[n.uses] = use[n.uses];
		n.uses++;
	}
	g_array_append_val(insns, n);
	return &g_array_index(insns, live_insn, insns->len - 1);
}

/* ------------------------------------------------------------------------------------------------------- sets */

static void put(uint64_t *set, uint32_t v)
{
	set[v / 64] |= UINT64_C(1) << v % 64;
}

static void drop(uint64_t *set, uint32_t v)
{
	set[v / 64] &= ~(UINT64_C(1) << v % 64);
}

/* What is alive before N, from what is alive after it. */
static void step_back(const live_insn *n, uint64_t *alive)
{
	if (n->def != LIVE_NONE)
		drop(alive, n->def);
	for (unsigned u = 0; u < n->uses; u++)
		put(alive, n->use[u]);
}

static bool sweep_block(const live_program *p, live_sets *s, uint32_t block, uint64_t *alive)
{
	const live_block *b = live_block_at(p, block);
	uint64_t *in = s->in + (size_t)block * s->words;
	uint64_t *out = s->out + (size_t)block * s->words;

	for (unsigned n = 0; n < b->nexts; n++)
		for (uint32_t w = 0; w < s->words; w++)
			out[w] |= s->in[(size_t)b->next[n] * s->words + w];
	memcpy(alive, out, s->words * sizeof *alive);
	for (guint i = b->insns->len; i-- > 0;)
		step_back(live_insn_at(b, i), alive);
	if (!memcmp(alive, in, s->words * sizeof *alive))
		return false;
	memcpy(in, alive, s->words * sizeof *alive);
	return true;
}

void live_analyse(const live_program *p, live_sets *s)
{
	uint32_t words = (p->values->len + 63) / 64;
	g_autofree uint64_t *alive = g_new0(uint64_t, words + 1);
	bool changed = true;

	*s = (live_sets){.words = words,
	                 .in = g_new0(uint64_t, (size_t)words * p->blocks->len + 1),
	                 .out = g_new0(uint64_t, (size_t)words * p->blocks->len + 1)};
	while (changed) {
		changed = false;
		s->rounds++;
		for (uint32_t b = p->blocks->len; b-- > 0;)
			changed |= sweep_block(p, s, b, alive);
	}
}

void live_sets_fini(live_sets *s)
{
	g_clear_pointer(&s->in, g_free);
	g_clear_pointer(&s->out, g_free);
}

void live_walk(const live_program *p, const live_sets *s, uint32_t block, live_fn fn, void *state)
{
	const live_block *b = live_block_at(p, block);
	g_autofree uint64_t *alive = g_new0(uint64_t, s->words + 1);

	memcpy(alive, s->out + (size_t)block * s->words, s->words * sizeof *alive);
	for (guint i = b->insns->len; i-- > 0;) {
		fn(state, i, alive);
		step_back(live_insn_at(b, i), alive);
	}
}

/* ------------------------------------------------------------------------------------------------------- webs */

typedef struct webs {
	live_program *p;
	uint32_t sites; /* definitions, and a beginning of each value */
	uint32_t words;
	uint32_t *value, *above; /* [sites] */
	GPtrArray *of;           /* [values] its sites, a GArray of uint32_t each */
	uint64_t *reach;         /* [blocks] rows: what reaches their ends */
} webs;

static uint32_t top(const webs *w, uint32_t site)
{
	while (w->above[site] != site)
		site = w->above[site];
	return site;
}

static void join(webs *w, uint32_t a, uint32_t b)
{
	a = top(w, a);
	b = top(w, b);
	w->above[MAX(a, b)] = MIN(a, b);
}

static void add_site(webs *w, uint32_t value)
{
	g_array_append_val((GArray *)g_ptr_array_index(w->of, value), w->sites);
	w->value[w->sites] = value;
	w->above[w->sites] = w->sites;
	w->sites++;
}

static const GArray *sites_of(const webs *w, uint32_t value)
{
	return g_ptr_array_index(w->of, value);
}

/* SITE takes the place of all others of its value. */
static void define(const webs *w, uint64_t *reach, uint32_t site)
{
	const GArray *all = sites_of(w, w->value[site]);

	for (guint i = 0; i < all->len; i++)
		drop(reach, g_array_index(all, uint32_t, i));
	put(reach, site);
}

/* The first site of V that reaches this place; all that do become one web. */
static uint32_t join_reaching(webs *w, const uint64_t *reach, uint32_t v)
{
	const GArray *all = sites_of(w, v);
	uint32_t first = LIVE_NONE;

	for (guint i = 0; i < all->len; i++) {
		uint32_t site = g_array_index(all, uint32_t, i);

		if (!live_has(reach, site))
			continue;
		if (first == LIVE_NONE)
			first = site;
		else
			join(w, first, site);
	}
	return first;
}

/* What reaches BLOCK's beginning, from the ends of those before it. */
static void enter(const webs *w, uint32_t block, uint64_t *reach)
{
	memset(reach, 0, w->words * sizeof *reach);
	for (uint32_t v = 0; !block && v < w->of->len; v++)
		put(reach, v);
	for (uint32_t b = 0; b < w->p->blocks->len; b++) {
		const live_block *from = live_block_at(w->p, b);

		for (unsigned n = 0; n < from->nexts; n++)
			for (uint32_t i = 0; from->next[n] == block && i < w->words; i++)
				reach[i] |= w->reach[(size_t)b * w->words + i];
	}
}

/* Definitions are numbered in the order of the program, after the values' beginnings. */
static bool flow(webs *w, uint64_t *reach)
{
	uint32_t site = w->of->len;
	bool changed = false;

	for (uint32_t b = 0; b < w->p->blocks->len; b++) {
		const live_block *block = live_block_at(w->p, b);
		uint64_t *end = w->reach + (size_t)b * w->words;

		enter(w, b, reach);
		for (guint i = 0; i < block->insns->len; i++)
			if (live_insn_at(block, i)->def != LIVE_NONE)
				define(w, reach, site++);
		changed |= memcmp(end, reach, w->words * sizeof *reach) != 0;
		memcpy(end, reach, w->words * sizeof *reach);
	}
	return changed;
}

/* NAME of each web's first site, when it has one already. */
static uint32_t name_web(webs *w, uint32_t *name, uint32_t site)
{
	uint32_t first = top(w, site), v = w->value[site];

	if (name[first] != LIVE_NONE)
		return name[first];
	if (live_value_at(w->p, v)->fixed == LIVE_NONE && live_value_at(w->p, v)->split) {
		live_value copy = *live_value_at(w->p, v);

		copy.split = false;
		copy.home = name[first] = w->p->values->len;
		g_array_append_val(w->p->values, copy);
		return name[first];
	}
	/* Marks that the value's own name is given away. */
	live_value_at(w->p, v)->split = true;
	return name[first] = v;
}

static void name_uses(webs *w, uint32_t *name, uint64_t *reach)
{
	uint32_t site = w->of->len;

	for (uint32_t b = 0; b < w->p->blocks->len; b++) {
		const live_block *block = live_block_at(w->p, b);

		enter(w, b, reach);
		for (guint i = 0; i < block->insns->len; i++) {
			live_insn *n = live_insn_at(block, i);

			for (unsigned u = 0; u < n->uses; u++) {
				uint32_t from = join_reaching(w, reach, n->use[u]);

				if (name && from != LIVE_NONE)
					n->use[u] = name_web(w, name, from);
			}
			if (n->def == LIVE_NONE)
				continue;
			define(w, reach, site);
			if (name)
				n->def = name_web(w, name, site);
			site++;
		}
	}
}

static void begin_webs(webs *w, live_program *p)
{
	uint32_t most = p->values->len;

	for (guint b = 0; b < p->blocks->len; b++)
		most += live_block_at(p, b)->insns->len;
	*w = (webs){.p = p, .words = (most + 63) / 64, .of = g_ptr_array_new()};
	w->value = g_new(uint32_t, most + 1);
	w->above = g_new(uint32_t, most + 1);
	w->reach = g_new0(uint64_t, (size_t)w->words * p->blocks->len + 1);
	for (uint32_t v = 0; v < p->values->len; v++)
		g_ptr_array_add(w->of, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
	for (uint32_t v = 0; v < p->values->len; v++)
		add_site(w, v);
	for (guint b = 0; b < p->blocks->len; b++)
		for (guint i = 0; i < live_block_at(p, b)->insns->len; i++)
			if (live_insn_at(live_block_at(p, b), i)->def != LIVE_NONE)
				add_site(w, live_insn_at(live_block_at(p, b), i)->def);
}

uint32_t live_rename(live_program *p)
{
	uint32_t before = p->values->len;
	g_autofree uint64_t *reach = NULL;
	g_autofree uint32_t *name = NULL;
	webs w;

	begin_webs(&w, p);
	reach = g_new0(uint64_t, w.words + 1);
	name = g_new(uint32_t, w.sites + 1);
	for (uint32_t i = 0; i < w.sites; i++)
		name[i] = LIVE_NONE;
	while (flow(&w, reach))
		;
	name_uses(&w, NULL, reach);
	name_uses(&w, name, reach);
	for (uint32_t v = 0; v < before; v++) {
		live_value_at(p, v)->split = false;
		g_array_unref(g_ptr_array_index(w.of, v));
	}
	g_ptr_array_unref(w.of);
	g_free(w.value);
	g_free(w.above);
	g_free(w.reach);
	return p->values->len - before;
}

/* ------------------------------------------------------------------------------------------------ interference */

static uint32_t width_of_set(const live_program *p, const uint64_t *set, uint32_t words)
{
	uint32_t width = 0;

	for (uint32_t w = 0; w < words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1)
			width += live_value_at(p, w * 64 + (uint32_t)__builtin_ctzll(bits))->width;
	return width;
}

typedef struct walk {
	const live_program *p;
	const live_sets *s;
	const live_block *block;
	uint32_t most;
	color_graph *g;
} walk;

static void count_alive(void *state, guint insn, const uint64_t *after)
{
	walk *w = state;
	const live_insn *n = live_insn_at(w->block, insn);
	uint32_t width = width_of_set(w->p, after, w->s->words);

	if (n->def != LIVE_NONE && !live_has(after, n->def))
		width += live_value_at(w->p, n->def)->width;
	w->most = MAX(w->most, width);
}

uint32_t live_most(const live_program *p, const live_sets *s)
{
	walk w = {.p = p, .s = s};

	for (uint32_t b = 0; b < p->blocks->len; b++) {
		w.block = live_block_at(p, b);
		w.most = MAX(w.most, width_of_set(p, s->in + (size_t)b * s->words, s->words));
		live_walk(p, s, b, count_alive, &w);
	}
	return w.most;
}

static void join_def(void *state, guint insn, const uint64_t *after)
{
	walk *w = state;
	const live_insn *n = live_insn_at(w->block, insn);

	if (n->def == LIVE_NONE)
		return;
	for (uint32_t v = 0; v < w->p->values->len; v++)
		if (live_has(after, v) && v != n->def && !(n->copy && v == n->use[0]))
			color_add_edge(w->g, n->def, v);
	if (n->copy) {
		color_affinity a = {n->def, n->use[0], w->block->frequency};

		g_array_append_val(w->g->affinities, a);
	}
}

color_graph *live_interference(const live_program *p, const live_sets *s)
{
	walk w = {.p = p, .s = s, .g = color_graph_new(p->values->len)};

	for (uint32_t v = 0; v < p->values->len; v++) {
		w.g->fixed[v] = live_value_at(p, v)->fixed;
		for (uint32_t o = 0; p->blocks->len && o < v; o++)
			if (live_has(s->in, v) && live_has(s->in, o))
				color_add_edge(w.g, v, o);
	}
	for (uint32_t b = 0; b < p->blocks->len; b++) {
		w.block = live_block_at(p, b);
		live_walk(p, s, b, join_def, &w);
	}
	return w.g;
}
