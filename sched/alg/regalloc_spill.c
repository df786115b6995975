/* SPDX-License-Identifier: Apache-2.0
 *
 * Spill code: what a value in memory costs, and the stores, loads and repeated instructions that keep it there.
 */
#include "sched/alg/regalloc.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ making again */

/* The only definition of each value, or NULL. */
typedef struct origin {
	const live_insn *insn; /* NULL: none or several */
	uint32_t block;
	guint at;
	unsigned count;
} origin;

static origin *find_origins(const live_program *p)
{
	origin *o = g_new0(origin, p->values->len + 1);

	for (uint32_t b = 0; b < p->blocks->len; b++)
		for (guint i = 0; i < live_block_at(p, b)->insns->len; i++) {
			const live_insn *n = live_insn_at(live_block_at(p, b), i);

			if (n->def == LIVE_NONE)
				continue;
			o[n->def].insn = o[n->def].count++ ? NULL : n;
			o[n->def].block = b;
			o[n->def].at = i;
		}
	return o;
}

typedef struct remaking {
	const live_program *p;
	const origin *origins;
	uint32_t value, block;
	guint from;
	bool possible;
} remaking;

/* Are the operands of the value's definition alive wherever it is used, and still what they were? */
static void look_at_use(void *state, guint insn, const uint64_t *after)
{
	remaking *r = state;
	const live_insn *n = live_insn_at(live_block_at(r->p, r->block), insn);
	const live_insn *made = r->origins[r->value].insn;
	bool used = false;

	for (unsigned u = 0; u < n->uses; u++)
		used |= n->use[u] == r->value;
	if (!used)
		return;
	if (r->block != r->origins[r->value].block || insn <= r->from)
		r->possible = false;
	for (unsigned u = 0; u < made->uses; u++) {
		const origin *o = &r->origins[made->use[u]];
		bool alive = live_has(after, made->use[u]) && n->def != made->use[u];

		for (unsigned k = 0; k < n->uses; k++)
			alive |= n->use[k] == made->use[u];
		if (!alive || o->count > 1 || (o->count && o->block == r->block && o->at > r->from))
			r->possible = false;
	}
}

static bool can_remake(const live_program *p, const live_sets *s, const origin *origins, uint32_t v)
{
	const live_insn *made = origins[v].insn;
	remaking r = {.p = p, .origins = origins, .value = v, .from = origins[v].at, .possible = true};

	if (!made || made->remake < 0 || live_has(s->in, v) || live_value_at(p, v)->slot != LIVE_NONE)
		return false;
	for (r.block = 0; made->uses && r.block < p->blocks->len && r.possible; r.block++)
		live_walk(p, s, r.block, look_at_use, &r);
	return r.possible;
}

/* ------------------------------------------------------------------------------------------------------- costs */

/* Frequencies of all definitions and all uses of each value. */
static void count_accesses(const live_program *p, double *defs, double *uses)
{
	for (uint32_t b = 0; b < p->blocks->len; b++) {
		const live_block *block = live_block_at(p, b);

		for (guint i = 0; i < block->insns->len; i++) {
			const live_insn *n = live_insn_at(block, i);

			if (n->def != LIVE_NONE)
				defs[n->def] += block->frequency;
			for (unsigned u = 0; u < n->uses; u++)
				uses[n->use[u]] += block->frequency;
		}
	}
}

double *regalloc_i_costs(const live_program *p)
{
	double *cost = g_new0(double, p->values->len + 1);
	g_autofree double *uses = g_new0(double, p->values->len + 1);
	g_autofree origin *origins = find_origins(p);
	live_sets s;

	live_analyse(p, &s);
	count_accesses(p, cost, uses);
	for (uint32_t v = 0; v < p->values->len; v++) {
		const live_value *value = live_value_at(p, v);

		cost[v] *= value->slot == LIVE_NONE ? value->store : 0;
		cost[v] += uses[v] * value->load;
		if (can_remake(p, &s, origins, v))
			cost[v] = MIN(cost[v], uses[v] * origins[v].insn->remake);
		if (value->split || value->fixed != LIVE_NONE)
			cost[v] = REGALLOC_NEVER;
	}
	live_sets_fini(&s);
	return cost;
}

/* --------------------------------------------------------------------------------------------------- rewriting */

typedef struct rewrite {
	live_program *p;
	const uint8_t *spill;
	uint32_t values; /* before */
	uint32_t registers;
	regalloc_result *r;
	uint8_t *remake;   /* [values] */
	live_insn *made;   /* [values] what makes it, when remade */
	uint32_t *present; /* [values] the part of it in a register now, or LIVE_NONE */
	uint32_t *since;   /* [values] accesses of the present part */
	uint32_t
		*pressure; /* [instructions of the block + 1] registers alive before each, spilled values not counted */
	const live_block *at; /* as it was */
	guint insn;
	GArray *out;
	double frequency;
} rewrite;

static live_value *value_of(const rewrite *w, uint32_t v)
{
	return live_value_at(w->p, v);
}

/* A new part of value V, in a register. */
static uint32_t new_part(rewrite *w, uint32_t v)
{
	live_value part = *value_of(w, v);

	/* What has been divided once is next divided down to single accesses. */
	part.part = true;
	part.split = w->spill[v] == 2;
	g_array_append_val(w->p->values, part);
	return w->p->values->len - 1;
}

static void append(rewrite *w, const live_insn *n)
{
	g_array_append_val(w->out, *n);
}

static void note_pressure(void *state, guint insn, const uint64_t *after)
{
	rewrite *w = state;
	uint32_t width = 0;

	for (uint32_t v = 0; v < w->values; v++)
		if (live_has(after, v) && !w->spill[v])
			width += live_value_at(w->p, v)->width;
	w->pressure[insn + 1] = width;
}

/* May the part of V in a register stay there until the present instruction? */
static bool may_stay(const rewrite *w, uint32_t v, guint from)
{
	uint32_t width = value_of(w, v)->width;

	if (w->spill[v] == 2)
		return false;
	for (guint i = from; i <= w->insn; i++) {
		const live_insn *n = live_insn_at(w->at, i);
		uint32_t inside = 0, result = 0;

		/* Other spilled operands and results pass by. */
		for (unsigned u = 0; u < n->uses; u++)
			inside += w->spill[n->use[u]] && n->use[u] != v ? value_of(w, n->use[u])->width : 0;
		if (n->def != LIVE_NONE && w->spill[n->def] && n->def != v)
			result = value_of(w, n->def)->width;
		if (w->pressure[i] + inside + width > w->registers)
			return false;
		if (i < w->insn && w->pressure[i + 1] + result + width > w->registers)
			return false;
	}
	return true;
}

static void remake(rewrite *w, uint32_t v, uint32_t part)
{
	live_insn n = w->made[v];

	n.kind = LIVE_REMAKE;
	n.def = part;
	append(w, &n);
	w->r->remade++;
	w->r->cost += w->frequency * n.remake;
}

static void load(rewrite *w, uint32_t v, uint32_t part)
{
	live_insn n = {.kind = LIVE_LOAD, .tag = value_of(w, v)->slot, .def = part, .remake = -1};

	append(w, &n);
	w->r->loads++;
	w->r->cost += w->frequency * value_of(w, v)->load;
}

static void store(rewrite *w, uint32_t v, uint32_t part)
{
	live_insn n = {.kind = LIVE_STORE,
	               .tag = value_of(w, v)->slot,
	               .def = LIVE_NONE,
	               .use = {part},
	               .uses = 1,
	               .remake = -1};

	append(w, &n);
	w->r->stores++;
	w->r->cost += w->frequency * value_of(w, v)->store;
}

/* V in a register for the present instruction. */
static uint32_t fetch(rewrite *w, uint32_t v)
{
	uint32_t part = w->present[v];

	if (part != LIVE_NONE && may_stay(w, v, w->since[v])) {
		w->since[v] = w->insn;
		return part;
	}
	part = new_part(w, v);
	if (w->remake[v])
		remake(w, v, part);
	else
		load(w, v, part);
	w->present[v] = part;
	w->since[v] = w->insn;
	return part;
}

static void rewrite_insn(rewrite *w, live_insn n)
{
	uint32_t given = n.def;

	/* It is stored where it is made. */
	if (n.kind == LIVE_STORE && w->spill[n.use[0]] && value_of(w, n.use[0])->slot == n.tag) {
		w->r->stores--;
		w->r->cost -= w->frequency * value_of(w, n.use[0])->store;
		return;
	}
	for (unsigned u = 0; u < n.uses; u++)
		if (n.use[u] < w->values && w->spill[n.use[u]]) {
			uint32_t v = n.use[u];

			n.use[u] = fetch(w, v);
			/* The same operand twice is one. */
			for (unsigned k = u + 1; k < n.uses; k++)
				n.use[k] = n.use[k] == v ? n.use[u] : n.use[k];
		}
	if (given == LIVE_NONE || !w->spill[given]) {
		append(w, &n);
		return;
	}
	n.def = new_part(w, given);
	append(w, &n);
	w->present[given] = n.def;
	w->since[given] = w->insn + 1;
	/* A part that came from memory needs no way back. */
	if (!w->remake[given] && n.kind != LIVE_LOAD)
		store(w, given, n.def);
}

static bool is_used(const GArray *insns, uint32_t v)
{
	for (guint i = 0; i < insns->len; i++)
		for (unsigned u = 0; u < g_array_index(insns, live_insn, i).uses; u++)
			if (g_array_index(insns, live_insn, i).use[u] == v)
				return true;
	return false;
}

/* What makes a value only so that it can be made again need not be done. */
static void drop_unused(rewrite *w)
{
	for (guint i = w->out->len; i-- > 0;) {
		const live_insn *n = &g_array_index(w->out, live_insn, i);

		if (n->def != LIVE_NONE && n->def >= w->values && n->remake >= 0 && !is_used(w->out, n->def)) {
			if (n->kind == LIVE_REMAKE) {
				w->r->remade--;
				w->r->cost -= w->frequency * n->remake;
			}
			g_array_remove_index(w->out, i);
		} else if (n->kind == LIVE_LOAD && n->def >= w->values && !is_used(w->out, n->def)) {
			w->r->loads--;
			w->r->cost -= w->frequency * live_value_at(w->p, n->def)->load;
			g_array_remove_index(w->out, i);
		}
	}
}

static void rewrite_block(rewrite *w, const live_sets *s, uint32_t b)
{
	live_block *block = live_block_at(w->p, b);
	live_block old = *block;

	w->at = &old;
	w->frequency = block->frequency;
	w->pressure = g_new0(uint32_t, old.insns->len + 1);
	live_walk(w->p, s, b, note_pressure, w);
	for (uint32_t v = 0; v < w->values; v++) {
		w->present[v] = LIVE_NONE;
		w->pressure[0] += live_has(s->in + (size_t)b * s->words, v) && !w->spill[v] ? value_of(w, v)->width : 0;
	}
	w->out = g_array_new(FALSE, FALSE, sizeof(live_insn));
	for (uint32_t v = 0; b == 0 && v < w->values; v++)
		if (w->spill[v] && live_has(s->in, v))
			store(w, v, v);
	for (w->insn = 0; w->insn < old.insns->len; w->insn++)
		rewrite_insn(w, *live_insn_at(&old, w->insn));
	drop_unused(w);
	live_block_at(w->p, b)->insns = w->out;
	g_array_unref(old.insns);
	g_free(w->pressure);
}

/* Chooses how each value is kept. */
static void begin(rewrite *w, const live_sets *s, uint8_t *how)
{
	g_autofree origin *origins = find_origins(w->p);
	g_autofree double *defs = g_new0(double, w->values + 1);
	g_autofree double *uses = g_new0(double, w->values + 1);

	count_accesses(w->p, defs, uses);
	for (uint32_t v = 0; v < w->values; v++) {
		live_value *value = value_of(w, v);

		if (!w->spill[v])
			continue;
		how[v] = value->part ? 2 : 1;
		if (can_remake(w->p, s, origins, v) &&
		    uses[v] * origins[v].insn->remake <= defs[v] * value->store + uses[v] * value->load) {
			w->remake[v] = 1;
			w->made[v] = *origins[v].insn;
		} else if (value->slot == LIVE_NONE) {
			value->slot = w->r->slots++;
			w->r->spilled++;
		}
		/* What is left of it, at the beginning, stays. */
		value->split = true;
	}
	/* What is made from a remade value keeps it alive longer: that is settled in the next round. */
	for (uint32_t v = 0; v < w->values; v++)
		for (unsigned u = 0; w->remake[v] && u < w->made[v].uses; u++)
			if (w->spill[w->made[v].use[u]]) {
				w->remake[v] = 0;
				value_of(w, v)->slot = w->r->slots++;
				w->r->spilled++;
			}
}

void regalloc_i_spill(live_program *p, const uint8_t *spill, uint32_t registers, regalloc_result *r)
{
	rewrite w = {.p = p, .spill = spill, .values = p->values->len, .registers = registers, .r = r};
	g_autofree uint8_t *how = g_new0(uint8_t, w.values + 1);
	live_sets s;

	live_analyse(p, &s);
	w.remake = g_new0(uint8_t, w.values + 1);
	w.made = g_new0(live_insn, w.values + 1);
	w.present = g_new(uint32_t, w.values + 1);
	w.since = g_new0(uint32_t, w.values + 1);
	begin(&w, &s, how);
	w.spill = how;
	for (uint32_t b = 0; b < p->blocks->len; b++)
		rewrite_block(&w, &s, b);
	live_sets_fini(&s);
	g_free(w.remake);
	g_free(w.made);
	g_free(w.present);
	g_free(w.since);
}
