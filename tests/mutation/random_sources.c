/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs as containers, and who feeds whom in them: seen by the oracle when it runs them.
 */
#include "tests/mutation/random_int.h"

#include "tests/lib/oracle.h"

static void add_epoch(const random_program *p, isa_program *program)
{
	isa_epoch epoch = {.name = g_strdup("random")};
	isa_image image = {0};

	image.bytes = (uint64_t)isa_machine_sram_bytes(p->sched) / (p->seed % 4 ? 1 : 2);
	image.data = g_memdup2(p->data, image.bytes);
	epoch.images = g_array_new(FALSE, TRUE, sizeof(isa_image));
	if (p->resident)
		g_array_append_val(epoch.images, image);
	else
		g_free(image.data);
	g_array_append_val(program->epochs, epoch);
}

/* Place in the list -> instruction of the container, -1 when left out. */
static GArray *add_insns(const random_program *p, isa_program *program, uint32_t node)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(int));

	for (unsigned i = 0; i < p->insns->len; i++) {
		const random_insn *item = &g_array_index(p->insns, random_insn, i);
		int id = item->left_out ? -1 : (int)isa_program_add(program, &item->insn, node);

		g_array_append_val(ids, id);
	}
	return ids;
}

static void add_sources(const random_program *p, isa_program *program, const GArray *ids)
{
	for (unsigned i = 0; i < p->insns->len; i++) {
		const random_insn *item = &g_array_index(p->insns, random_insn, i);
		int id = g_array_index(ids, int, i);

		for (unsigned k = 0; k < item->sources->len && id >= 0; k++) {
			const random_source *from = &g_array_index(item->sources, random_source, k);
			int producer = from->producer < 0 ? -1 : g_array_index(ids, int, from->producer);
			isa_source source = {.step0 = from->step0,
			                     .step1 = from->step1,
			                     .seg_step = from->seg_step,
			                     .seg_div = from->seg_div,
			                     .segments = from->segments,
			                     .resident = from->producer < 0};

			if (from->producer >= 0 && producer < 0)
				break; /* later pieces count on this one */
			if (producer >= 0)
				source.base = isa_program_instance(program, (uint32_t)producer) + from->issue;
			isa_program_add_source(program, (uint32_t)id, from->operand, &source);
		}
	}
}

isa_program *random_program_build(const random_program *p)
{
	isa_program *program = isa_program_new(p->sched);
	uint32_t node;
	GArray *ids;
	bool ok;

	add_epoch(p, program);
	node = isa_program_add_node(program, "random", 0);
	for (unsigned i = 0; i < p->maps->len; i++)
		isa_program_add_map(program, g_array_index(p->maps, isa_lane_map, i).lane);
	ids = add_insns(p, program, node);
	add_sources(p, program, ids);
	g_array_unref(ids);
	ok = isa_lower(program, p->sched, NULL);
	if (ok)
		return program;
	isa_program_free(program);
	return NULL;
}

/* --- producers --- */

typedef struct sighting {
	uint32_t insn, index, instance;
	unsigned operand, segment;
	bool found;
} sighting;

static void note_sighting(void *state, uint32_t insn, uint32_t index, unsigned operand, unsigned segment, bool found,
                          uint32_t instance)
{
	sighting s = {insn, index, instance, operand, segment, found};

	g_array_append_val((GArray *)state, s);
}

/* The first sighting of a segment of an operand in an issue, NULL when nothing was there. */
static const sighting *seen(const GArray *sightings, uint32_t insn, uint32_t index, unsigned operand, unsigned segment)
{
	for (unsigned i = 0; i < sightings->len; i++) {
		const sighting *s = &g_array_index(sightings, sighting, i);

		if (s->insn == insn && s->index == index && s->operand == operand && s->segment == segment)
			return s->found ? s : NULL;
	}
	return NULL;
}

static int32_t step_to(const GArray *sightings, const sighting *from, uint32_t index, unsigned segment)
{
	const sighting *to = seen(sightings, from->insn, index, from->operand, segment);

	return to ? (int32_t)(to->instance - from->instance) : 0;
}

static bool locate(const isa_program *program, uint32_t instance, uint32_t insns, int *producer, uint32_t *issue)
{
	for (uint32_t id = 0; id < insns; id++)
		if (instance - isa_program_instance(program, id) < isa_insn_issues(isa_program_insn(program, id))) {
			*producer = (int)id;
			*issue = instance - isa_program_instance(program, id);
			return true;
		}
	return false;
}

static void name_operand(maker *m, const isa_program *program, const GArray *sightings, uint32_t id, unsigned operand)
{
	random_insn *item = &g_array_index(m->p->insns, random_insn, id);
	const sighting *first = seen(sightings, id, 0, operand, 0);
	random_source source = {.operand = operand, .seg_div = 1, .producer = RANDOM_RESIDENT};

	if (random_chance(m, 25))
		return;
	if (first && random_chance(m, 80)) {
		if (first->instance &&
		    !locate(program, first->instance, m->p->insns->len, &source.producer, &source.issue))
			return;
		source.step0 = item->insn.loop[0].count > 1 ? step_to(sightings, first, 1, 0) : 0;
		source.step1 =
			item->insn.loop[1].count > 1 ? step_to(sightings, first, item->insn.loop[0].count, 0) : 0;
		source.seg_step = step_to(sightings, first, 0, 1);
	} else if (random_chance(m, 70)) {
		source.producer = (int)random_below(m, m->p->insns->len);
	}
	if (random_chance(m, 5))
		source.segments = 1;
	g_array_append_val(item->sources, source);
}

/* The instructions, in the order of the list, that a violation is about when the program runs on its own machine. */
static bool *accused_insns(const random_program *p, const isa_program *program)
{
	oracle_options options = {.sched = p->sched, .functional = true, .freeze = p->freeze};
	oracle_result *result = oracle_execute(program, p->sched, &options, NULL);
	bool *accused = g_new0(bool, program->insns->len);
	bool any = false;

	for (unsigned i = 0; i < result->violations->len; i++) {
		uint32_t insn = g_array_index(result->violations, probe_violation, i).insn;

		accused[insn] = true;
		any = any || insn < p->insns->len;
	}
	oracle_result_free(result);
	if (any)
		return accused;
	g_free(accused);
	return NULL;
}

static void remove_insns(random_program *p, const bool *which)
{
	GArray *kept = g_array_new(FALSE, TRUE, sizeof(random_insn));

	for (unsigned i = 0; i < p->insns->len; i++) {
		random_insn *item = &g_array_index(p->insns, random_insn, i);

		if (which[i])
			g_array_unref(item->sources);
		else
			g_array_append_val(kept, *item);
	}
	g_array_unref(p->insns);
	p->insns = kept;
}

void random_program_clean(random_program *p)
{
	bool *accused = NULL;

	do {
		isa_program *program = random_program_build(p);

		g_free(accused);
		accused = program ? accused_insns(p, program) : NULL;
		if (accused)
			remove_insns(p, accused);
		if (program)
			isa_program_free(program);
	} while (accused);
}

void random_program_drop_wrong_sources(random_program *p)
{
	isa_program *program = random_program_build(p);
	g_autofree bool *accused = program ? accused_insns(p, program) : NULL;

	for (unsigned i = 0; accused && i < p->insns->len; i++)
		if (accused[i])
			g_array_set_size(g_array_index(p->insns, random_insn, i).sources, 0);
	if (program)
		isa_program_free(program);
}

void random_program_name_sources(random_program *p)
{
	g_autoptr(GArray) sightings = g_array_new(FALSE, FALSE, sizeof(sighting));
	oracle_options options = {.sched = p->sched, .sampled = note_sighting, .sampled_state = sightings};
	isa_program *program = random_program_build(p);
	maker m = {.p = p};
	oracle_result *result;

	if (!program)
		return;
	rng_seed(&m.r, p->seed, 1);
	result = oracle_execute(program, p->sched, &options, NULL);
	for (uint32_t id = 0; id < p->insns->len; id++)
		for (unsigned operand = 0; operand < ISA_OPERANDS; operand++)
			name_operand(&m, program, sightings, id, operand);
	oracle_result_free(result);
	isa_program_free(program);
}
