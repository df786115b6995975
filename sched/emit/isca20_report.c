/* SPDX-License-Identifier: Apache-2.0
 *
 * What bounds an epoch, from the calendars: the resource that is taken for most of its cycles; and which operands the
 * memory's bytes belong to.
 */
#include "sched/emit/isca20.h"

typedef struct resource {
	const char *name;
	uint64_t cycles;
} resource;

static uint64_t line_cycles(const isca_line *line)
{
	uint64_t cycles = 0;

	for (guint i = 0; i < line->spans->len; i++) {
		const isca_span *span = &g_array_index(line->spans, isca_span, i);

		cycles += (uint64_t)(span->last - span->first + 1);
	}
	return cycles;
}

/* Cycles of the fullest queue of a unit and role (UINT_MAX: any). */
static uint64_t fullest(const isca *c, enum isa_unit unit, unsigned role)
{
	uint64_t most = 0;

	for (unsigned q = 0; q < isa_machine_queue_count(c->m); q++) {
		const isa_queue_info *info = isa_machine_queue(c->m, q);
		uint64_t cycles;

		if (info->unit != unit || (role != UINT_MAX && info->role != role))
			continue;
		cycles = line_cycles(&c->lines[q]);
		most = MAX(most, cycles);
	}
	return most;
}

static uint64_t alu_cycles(const isca *c)
{
	uint64_t cycles = 0;

	for (unsigned i = 0; i < c->alus; i++)
		cycles += line_cycles(&c->lines[c->first_alu + i]);
	return cycles / c->alus;
}

/* Diagonals in use, as if all streams of the busier direction shared the load. */
static uint64_t stream_cycles(const isca *c)
{
	uint64_t most = 0;

	for (unsigned west = 0; west < 2; west++) {
		uint64_t diagonals = 0;

		for (unsigned s = 0; s < c->stream_count; s++)
			for (guint i = 0; i < c->streams[west][s].uses->len; i++)
				diagonals += g_array_index(c->streams[west][s].uses, isca_use, i).count;
		most = MAX(most, diagonals / c->stream_count);
	}
	return most;
}

static char *describe(const isca *c, int64_t cycles)
{
	const resource all[] = {
		{"MXM, activations", fullest(c, ISA_UNIT_MXM, 1)},
		{"MXM, weights", fullest(c, ISA_UNIT_MXM, 0)},
		{"VXM", alu_cycles(c)},
		{"SXM, the fullest queue", fullest(c, ISA_UNIT_SXM, UINT_MAX)},
		{"SRAM, the fullest slice", fullest(c, ISA_UNIT_MEM, UINT_MAX)},
		{"streams", stream_cycles(c)},
	};
	const resource *best = &all[0];
	g_autofree char *total = emit_grouped(cycles);
	g_autofree char *taken = NULL;

	for (unsigned i = 1; i < G_N_ELEMENTS(all); i++)
		if (all[i].cycles > best->cycles)
			best = &all[i];
	taken = emit_grouped((int64_t)best->cycles);
	if (2 * best->cycles < (uint64_t)cycles)
		return g_strdup_printf("dependences: nothing is taken for long, %s for %s of %s cycles", best->name,
		                       taken, total);
	return g_strdup_printf("%s: taken for %s of %s cycles", best->name, taken, total);
}

/* A line on the epoch: what binds it, and whose bytes are on the move. */
static void note(const isca *c, const char *binds, int64_t cycles)
{
	static const char *const names[ISCA_TRAFFIC_COUNT] = {"operands",    "results",      "weights",
	                                                      "activations", "partial sums", "turning buffers"};
	const char *separator = "";

	g_string_append_printf(c->report->notes, "%s: %s; bytes a cycle: ", c->low->g->name, binds);
	for (unsigned i = 0; i < ISCA_TRAFFIC_COUNT; i++) {
		if (!c->traffic[i])
			continue;
		g_string_append_printf(c->report->notes, "%s%s %.1f", separator, names[i],
		                       (double)c->traffic[i] / (double)cycles);
		separator = ", ";
	}
	g_string_append_c(c->report->notes, '\n');
}

void isca_report(const isca *c)
{
	/* A barrier is part of the run. */
	bool barrier = c->epoch == 0 && c->m->icu_barrier_cycles > 0;
	int64_t cycles = c->last - (barrier ? 0 : c->first);
	g_autofree char *binds = cycles > 0 ? describe(c, cycles) : NULL;

	if (!binds)
		return;
	if (c->epoch < EMIT_NOTED_EPOCHS)
		note(c, binds, cycles);
	/* One sentence cannot say it for several epochs. */
	g_clear_pointer(&c->report->binds, g_free);
	if (c->epoch == 0)
		c->report->binds = g_steal_pointer(&binds);
}
