/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel with spill code: values that found no register are stored to the memory above all tensors and loaded from
 * there, or made again.
 *
 * A slot holds one value of one iteration; the next iteration's goes there when this one's has been loaded for the last
 * time.  Slots are used again by later kernels.  What a kernel loads once for all iterations is here loaded in each.
 */
#include "sched/alg/regalloc.h"
#include "sched/emit/tsp.h"

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Slot number SLOT, or NULL. */
static tspe_tensor *slot_at(tspe *e, uint32_t slot, GError **error)
{
	uint64_t unit = (uint64_t)TSPE_GRANULE * (uint64_t)e->m->sram_block_bytes;
	uint64_t bytes = round_up(2 * (uint64_t)e->m->vreg_bytes, unit);
	uint64_t base = round_up(e->memory_top, unit);
	uint64_t capacity =
		bank_map_capacity_blocks(bank_calendar_map(e->cal.banks)) * (uint64_t)e->m->sram_block_bytes;

	if (!e->slots)
		e->slots = g_ptr_array_new_with_free_func(g_free);
	while (e->slots->len <= slot) {
		tspe_tensor *t = g_new0(tspe_tensor, 1);

		*t = (tspe_tensor){.element = 1, .parts = 1, .base = base + e->slots->len * bytes, .bytes = bytes};
		t->last_read = t->last_due = t->writable = TSPE_NEVER;
		g_ptr_array_add(e->slots, t);
		if (t->base + bytes <= capacity)
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "layer '%s': vreg.count is %u, and of the SRAM's %" G_GUINT64_FORMAT
		            " bytes too few are left for the values that find no register",
		            e->low->g->name, e->registers, capacity);
		return NULL;
	}
	return g_ptr_array_index(e->slots, slot);
}

/* ---------------------------------------------------------------------------------------------------------- steps */

typedef struct spilling {
	tspe_kernel *from, *to;
	const regalloc_result *r;
	int *maker;      /* [values] step of TO that makes it */
	uint32_t *bytes; /* [values of the program as given] */
	int *store;      /* [slots] step of TO that fills it */
	GError **error;
} spilling;

/* A step of the kernel as it was, from the first iteration that is left. */
static int copy_step(spilling *w, uint32_t step)
{
	const tspe_step *was = &w->from->step[step];
	tspe_step *s = &w->to->step[w->to->step_count];
	size_t skip = w->from->next;

	g_assert(w->to->step_count < w->to->step_max && was->fan == 1 && was->members == 1);
	*s = *was;
	s->in[0] = s->in[1] = -1;
	s->read_ports = 0;
	s->once = false;
	s->ready = NULL;
	s->prints = NULL;
	s->addr = was->addr ? was->addr + skip : NULL;
	s->cell = was->cell ? was->cell + skip : NULL;
	s->index = was->index ? was->index + skip * was->insn.count : NULL;
	if (s->memory && tspe_is_load(s))
		s->origin[0] = (tspe_origin){.kind = s->tensor->instance ? TSPE_ORIGIN_CELLS : TSPE_ORIGIN_HOST};
	return (int)w->to->step_count++;
}

static int add_access(spilling *w, enum isa_op op, uint32_t slot, uint32_t bytes)
{
	tspe *e = w->to->e;
	tspe_tensor *t = slot_at(e, slot, w->error);
	int index;

	if (!t)
		return -1;
	index = tspe_kernel_add(w->to, op, e->mem.at, e->mem.count);
	tspe_kernel_memory(w->to, index, t, bytes, 0, 1);
	for (uint32_t i = 0; i < w->to->count; i++)
		w->to->step[index].addr[i] = (int64_t)t->base;
	return index;
}

static uint32_t bytes_of(const spilling *w, uint32_t value)
{
	return w->bytes[live_value_at(w->r->program, value)->home];
}

static int add_load(spilling *w, const live_insn *n)
{
	int index = add_access(w, ISA_OP_LOAD, n->tag, bytes_of(w, n->def));
	tspe_step *s;

	if (index < 0)
		return index;
	s = &w->to->step[index];
	tspe_kernel_result(w->to, index, live_value_at(w->r->program, n->def)->width);
	s->after = (int16_t)w->store[n->tag];
	s->origin[0] = (tspe_origin){.kind = TSPE_ORIGIN_AFTER};
	return index;
}

static int add_store(spilling *w, const live_insn *n)
{
	int index = add_access(w, ISA_OP_STORE, n->tag, bytes_of(w, n->use[0]));

	if (index < 0)
		return index;
	tspe_kernel_link(w->to, index, 0, w->maker[n->use[0]]);
	return w->store[n->tag] = index;
}

static int add_copy(spilling *w, const live_insn *n)
{
	const tspe_step *was = &w->from->step[n->tag];
	int index = copy_step(w, n->tag);
	unsigned use = 0;

	for (unsigned o = 0; o < 2; o++)
		if (was->in[o] >= 0)
			tspe_kernel_link(w->to, index, o, w->maker[n->use[use++]]);
	return index;
}

static bool add_insn(spilling *w, const live_insn *n)
{
	int index = n->kind == LIVE_STORE ? add_store(w, n) : n->kind == LIVE_LOAD ? add_load(w, n) : add_copy(w, n);

	if (index < 0)
		return false;
	if (n->def != LIVE_NONE) {
		w->maker[n->def] = index;
		w->to->step[index].reg = w->r->reg[n->def];
	}
	return true;
}

static void find_bytes(spilling *w)
{
	const live_block *b = live_block_at(w->r->given, 0);

	for (guint i = 0; i < b->insns->len; i++) {
		const live_insn *n = live_insn_at(b, i);

		if (n->def != LIVE_NONE)
			w->bytes[n->def] = tspe_value_bytes(w->from->e, &w->from->step[n->tag]);
	}
}

tspe_kernel *tspe_spill(tspe_kernel *k, const regalloc_result *r, GError **error)
{
	const live_block *b = live_block_at(r->program, 0);
	spilling w = {.from = k, .r = r, .error = error};
	bool done = b->insns->len <= TSPE_SPILLED_MAX;

	if (!done) {
		g_set_error(
			error, TSP_ERROR, TSP_ERROR_USER,
			"vreg.count is %u: a loop would have %u steps, most of them loads and stores of what finds no "
			"register; %d is the most",
			k->e->registers, b->insns->len, TSPE_SPILLED_MAX);
		return NULL;
	}
	w.to = tspe_kernel_new_sized(k->e, k->count - k->next, b->insns->len);
	w.to->ready = k->ready;
	w.maker = g_new0(int, r->program->values->len + 1);
	w.bytes = g_new0(uint32_t, r->given->values->len + 1);
	w.store = g_new0(int, r->slots + 1);
	find_bytes(&w);
	for (guint i = 0; i < b->insns->len && done; i++)
		done = add_insn(&w, live_insn_at(b, i));
	if (done)
		tspe_kernel_finish(w.to);
	else
		g_clear_pointer(&w.to, tspe_kernel_free);
	g_free(w.maker);
	g_free(w.bytes);
	g_free(w.store);
	return w.to;
}
