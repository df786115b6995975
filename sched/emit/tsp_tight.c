/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels whose values find no registers at the times that suit them.
 *
 * One iteration is a straight line: its values are live ranges for sched/alg/regalloc.h, which gives each a register,
 * or keeps it in memory, or makes it again: a load of what the kernel does not change, an operation whose operands are
 * still there.  Every step then waits until the value before it in its register has been sampled for the last time, in
 * the order of the line: such a placement always exists, and is as early as that order admits.  Iterations follow each
 * other as the registers become free.
 */
#include "sched/alg/regalloc.h"
#include "sched/emit/tsp.h"

enum { TRIES = 64 };
#define REMAKE_OPERATION 0.5 /* an operation costs less than an access to the memory */

uint32_t tspe_value_bytes(const tspe *e, const tspe_step *s)
{
	const isa_insn *insn = &s->insn;

	switch (isa_ops[insn->op].unit) {
	case ISA_UNIT_MEM:
		return insn->seg ? insn->seg * insn->count : insn->len;
	case ISA_UNIT_VXM:
		return insn->lanes * isa_type_bytes(insn->dtype);
	case ISA_UNIT_MXM:
		return insn->lanes * isa_type_bytes(ISA_TYPE_F32);
	default:
		return (uint32_t)e->m->lanes * isa_type_bytes(insn->type);
	}
}

/* ------------------------------------------------------------------------------------------------- as a program */

/* Does a step of the kernel store to T? */
static bool is_stored(const tspe_kernel *k, const tspe_tensor *t)
{
	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++)
		if (s->memory && !tspe_is_load(s) && s->tensor == t)
			return true;
	return false;
}

/* What making a step's value once more costs; negative: it must not be. */
static double remake_cost(const tspe_kernel *k, const tspe_step *s)
{
	if (s->fan > 1 || s->members > 1)
		return -1;
	if (s->memory)
		return is_stored(k, s->tensor) ? -1 : s->beats_max;
	return isa_ops[s->insn.op].unit == ISA_UNIT_VXM ? REMAKE_OPERATION : -1;
}

/* A value for each group of values; tags are numbers of steps. */
static live_program *as_program(const tspe_kernel *k)
{
	live_program *p = live_new();
	g_autofree uint32_t *value = g_new(uint32_t, k->step_count + 1);

	live_add_block(p, k->count - k->next);
	for (unsigned i = 0; i < k->step_count; i++) {
		const tspe_step *s = &k->step[i];
		uint32_t use[4] = {LIVE_NONE, LIVE_NONE, LIVE_NONE, LIVE_NONE};
		unsigned uses = 0;
		bool leads = s->result == TSPE_REGISTERS && s->member == 0;

		value[i] = LIVE_NONE;
		for (unsigned o = 0; o < 2; o++)
			if (s->in[o] >= 0 && value[s->in[o]] != LIVE_NONE)
				use[uses++] = value[s->in[o]];
		if (leads)
			value[i] = live_add_value(p, (uint32_t)s->members * s->span, s->span, s->span);
		else if (s->result == TSPE_REGISTERS)
			use[uses++] = value[i] = value[i - s->member];
		live_add_insn(p, 0, i, leads ? value[i] : LIVE_NONE, use)->remake = leads ? remake_cost(k, s) : -1;
	}
	return p;
}

/* ------------------------------------------------------------------------------------------------------ refusals */

static const char *node_name(const tspe_kernel *k)
{
	return g_array_index(k->e->program->nodes, isa_node, k->e->node).name;
}

static bool refuse(const tspe_kernel *k, const char *key, int64_t there, uint64_t needed, const char *mnemonic,
                   const char *what, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "%s is %" G_GINT64_FORMAT ": '%s' needs %" G_GUINT64_FORMAT " (one %s %s)", key, there,
	            node_name(k), needed, mnemonic, what);
	return false;
}

/* Is there enough of everything for each operation alone? */
static bool each_fits(const tspe_kernel *k, const live_program *p, GError **error)
{
	const isa_machine *m = k->e->m;
	regalloc_need need;

	regalloc_needs(p, &need);
	if (need.registers > k->e->registers)
		return refuse(k, "vreg.count", k->e->registers, need.registers,
		              isa_ops[k->step[need.insn].insn.op].mnemonic, "has operands or a result of so many",
		              error);
	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++) {
		const char *mnemonic = isa_ops[s->insn.op].mnemonic;

		if (s->read_ports > m->vreg_read_ports)
			return refuse(k, "vreg.read_ports", m->vreg_read_ports, s->read_ports, mnemonic,
			              "reads so many registers", error);
		if (s->result == TSPE_REGISTERS && s->span > m->vreg_write_ports)
			return refuse(k, "vreg.write_ports", m->vreg_write_ports, s->span, mnemonic,
			              "writes so many registers", error);
		if (s->weight_bytes > (uint64_t)m->mxm_weight_bytes)
			return refuse(k, "mxm.weight_bytes_per_cycle", m->mxm_weight_bytes, s->weight_bytes, mnemonic,
			              "takes so many bytes", error);
	}
	return true;
}

/* ----------------------------------------------------------------------------------------------------- placement */

/* The next iteration, at the earliest time at which its registers are free. */
static bool place_one(tspe_kernel *k)
{
	int64_t ready = TSPE_NEVER;

	for (int tries = 0; tries < TRIES && ready < k->e->cal.horizon; tries++) {
		if (tspe_place(k, k->next, 1, 1, ready))
			return true;
		if (k->retry_at == TSPE_NEVER)
			break;
		ready = MAX(ready + 1, k->retry_at);
	}
	return tspe_place(k, k->next, 1, 1, k->e->cal.horizon);
}

/* Stores of values wait until the iteration before has loaded its own. */
static void guard_slots(tspe_kernel *k)
{
	for (tspe_step *s = k->step; s < k->step + k->step_count; s++)
		if (s->memory && !tspe_is_load(s) && !s->tensor->low)
			s->not_before = MAX(s->tensor->last_read, s->tensor->last_due) + 1 - s->skew;
}

static bool run_iterations(tspe_kernel *k, GError **error)
{
	k->tight = true;
	while (k->next < k->count) {
		if (k->e->limit && k->e->end >= k->e->limit)
			return false;
		guard_slots(k);
		if (!place_one(k)) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL,
			            "'%s': an iteration with given registers finds no place", node_name(k));
			return false;
		}
		tspe_commit(k);
	}
	return true;
}

static void count_spills(const tspe_kernel *k, const regalloc_result *r, uint64_t iterations)
{
	sched_registers *n = &k->e->needed;
	bool spilled = r->stores || r->loads || r->remade;

	n->tight++;
	n->spilled += spilled;
	n->stores += r->stores * iterations;
	n->loads += r->loads * iterations;
	n->remade += r->remade * iterations;
	n->coalesced += r->coalesced;
}

/* The kernel's own steps, in the registers that R gives. */
static bool run_as_it_is(tspe_kernel *k, const regalloc_result *r, GError **error)
{
	const live_block *b = live_block_at(r->program, 0);

	for (guint i = 0; i < b->insns->len; i++) {
		const live_insn *n = live_insn_at(b, i);

		if (n->def != LIVE_NONE)
			k->step[n->tag].reg = r->reg[n->def];
	}
	return run_iterations(k, error);
}

static bool run_spilled(tspe_kernel *k, const regalloc_result *r, GError **error)
{
	g_autoptr(tspe_kernel) spilled = tspe_spill(k, r, error);

	if (!spilled || !run_iterations(spilled, error))
		return false;
	/* For those who look where K ended. */
	for (unsigned i = 0; i < k->step_count; i++)
		k->step[i].start = spilled->step[0].start;
	k->ready = spilled->ready;
	k->next = k->count;
	k->first = k->count - 1;
	k->n = 1;
	return true;
}

bool tspe_run_tight(tspe_kernel *k, GError **error)
{
	g_autoptr(live_program) p = as_program(k);
	regalloc_options options = {.registers = k->e->registers, .seed = 1};
	uint64_t iterations = k->count - k->next;
	regalloc_result r;
	bool done;

	if (!each_fits(k, p, error) || !regalloc_run(p, &options, &r, error))
		return false;
	if (!regalloc_check(&r, options.registers)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "'%s': registers are not what they should be",
		            node_name(k));
		done = false;
	} else {
		count_spills(k, &r, iterations);
		done = (r.stores || r.loads || r.remade ? run_spilled : run_as_it_is)(k, &r, error);
	}
	regalloc_result_fini(&r);
	return done;
}
