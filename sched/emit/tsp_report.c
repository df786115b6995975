/* SPDX-License-Identifier: Apache-2.0
 *
 * What bounds an epoch: for each resource the cycles it would take alone, from what was issued; and which operands the
 * matrix unit's bytes belong to.
 */
#include "sched/emit/tsp.h"

typedef struct resource {
	const char *name;
	double cycles;
} resource;

static char *describe(const tspe *e, int64_t cycles)
{
	const isa_machine *m = e->m;
	const bank_map *map = bank_calendar_map(e->cal.banks);
	const resource all[] = {
		{"MXM", (double)e->use.mxm_cycles},
		{"SRAM banks",
	         bank_calendar_is_ideal(e->cal.banks)
	                 ? 0
	                 : (double)e->use.bank_cycles / (double)(bank_map_banks_used(map) * (uint64_t)m->sram_ports)},
		{"SRAM issue slots", (double)e->use.accesses / e->mem.count},
		{"weights into the MXM", (double)e->use.weight_bytes / (double)m->mxm_weight_bytes},
		{"VXM", (double)e->use.vector_ops / (double)m->vxm_ops},
		{"SXM", (double)e->use.lane_ops / MAX(e->permute.count + e->distribute.count, 1)},
	};
	const resource *best = &all[0];
	g_autofree char *total = emit_grouped(cycles);
	g_autofree char *taken = NULL;

	for (unsigned i = 1; i < G_N_ELEMENTS(all); i++)
		if (all[i].cycles > best->cycles)
			best = &all[i];
	taken = emit_grouped((int64_t)best->cycles);
	if (2 * best->cycles < (double)cycles)
		return g_strdup_printf("dependences: %s alone would take %s of %s cycles", best->name, taken, total);
	return g_strdup_printf("%s: %s of %s cycles", best->name, taken, total);
}

static void add_traffic(const tspe *e, int64_t cycles)
{
	const struct {
		const char *name;
		uint64_t bytes;
	} parts[] = {
		{"activations", e->use.activation_bytes},
		{"weights", e->use.loaded_weight_bytes},
		{"results", e->use.result_bytes},
	};
	const char *separator = "";

	g_string_append_printf(e->report->notes, "%s: bytes a cycle: ", e->low->g->name);
	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_string_append_printf(e->report->notes, "%s%s %.1f", separator, parts[i].name,
		                       (double)parts[i].bytes / (double)cycles);
		separator = ", ";
	}
	g_string_append_c(e->report->notes, '\n');
}

/* Adds what the epoch made of the registers. */
static void add_registers(tspe *e)
{
	sched_registers *all = &e->report->registers, *n = &e->needed;

	n->count = (uint32_t)e->m->vreg_count;
	n->most_live = (uint32_t)tspe_most_live(&e->cal);
	for (unsigned r = 0; r < e->cal.registers; r++)
		n->used += e->cal.touched[r];
	all->count = n->count;
	all->used = MAX(all->used, n->used);
	all->most_live = MAX(all->most_live, n->most_live);
	all->stores += n->stores;
	all->loads += n->loads;
	all->remade += n->remade;
	all->coalesced += n->coalesced;
	all->spilled += n->spilled;
	all->tight += n->tight;
}

char *sched_registers_text(const sched_registers *r)
{
	g_autofree char *stores = emit_grouped((int64_t)r->stores);
	g_autofree char *loads = emit_grouped((int64_t)r->loads);
	g_autofree char *remade = emit_grouped((int64_t)r->remade);

	if (!r->tight)
		return g_strdup_printf("%u of %u used, at most %u hold something", r->used, r->count, r->most_live);
	return g_strdup_printf(
		"%u of %u used, at most %u hold something; spilled: %s store%s, %s load%s, %s made again", r->used,
		r->count, r->most_live, stores, tsp_s((uint64_t)r->stores), loads, tsp_s((uint64_t)r->loads), remade);
}

void tspe_report(tspe *e)
{
	int64_t cycles = e->end - e->start;
	g_autofree char *binds = cycles > 0 ? describe(e, cycles) : NULL;

	add_registers(e);
	if (!binds)
		return;
	if (e->use.mxm_cycles && e->epoch < EMIT_NOTED_EPOCHS)
		add_traffic(e, cycles);
	if (e->passes && e->epoch < EMIT_NOTED_EPOCHS)
		g_string_append_printf(e->report->notes,
		                       "%s: rows of %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
		                       " matrix passes at the least initiation interval, proved\n",
		                       e->low->g->name, e->least_passes, e->passes);
	/* One sentence cannot say it for several epochs. */
	g_clear_pointer(&e->report->binds, g_free);
	if (e->epoch == 0)
		e->report->binds = g_steal_pointer(&binds);
}
