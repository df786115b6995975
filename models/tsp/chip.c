/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream processor: builds its units from a machine description, feeds its queues from a program, keeps the counters.
 * Both presets are the same units: registers and a hashed SRAM, or streams and MEM slices.  Modelled after the
 * published descriptions of the first TSP (docs/sources.md); power, clocks, ECC, the host's bus and meshes of several
 * processors are not modelled.
 */
#include "models/tsp/internal.h"

static int64_t largest_skew(const isa_machine *machine)
{
	int64_t skew = 0;

	for (int unit = 0; unit < ISA_UNIT_COUNT; unit++)
		skew = MAX(skew, isa_machine_skew(machine, (enum isa_unit)unit));
	return skew;
}

static bool check(const isa_machine *m, const isa_program *program, GError **error)
{
	unsigned count = isa_machine_queue_count(m);

	for (guint i = count; i < program->queues->len; i++) {
		const GArray *words = g_ptr_array_index(program->queues, i);

		if (!words->len)
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "the program uses queue %u, but machine %s has %u queues; it was made for %s", i, m->name,
		            count, program->machine_name);
		return false;
	}
	if (m->icu_barrier_cycles && m->icu_barrier_cycles <= largest_skew(m)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "icu.barrier_cycles (%" G_GINT64_FORMAT
		            ") must be 0 or above the largest skew of a unit (%" G_GINT64_FORMAT ")",
		            m->icu_barrier_cycles, largest_skew(m));
		return false;
	}
	return true;
}

static void init_store(tsp_chip *chip)
{
	const isa_machine *m = chip->machine;
	uint32_t granule = m->hashed ? ISA_TAG_GRANULE : chip->lanes;

	model_store_init(&chip->store, (uint64_t)isa_machine_sram_bytes(m), granule, chip->functional, &chip->pool);
}

/* Every epoch's images once, so that nothing can go wrong in the middle of the run; then the first epoch, if it begins
 * at once. */
static bool init_epochs(tsp_chip *chip, GError **error)
{
	const GArray *epochs = chip->program->epochs;
	const isa_epoch *first = epochs->len ? &g_array_index(epochs, isa_epoch, 0) : NULL;

	for (guint i = 0; i < epochs->len; i++)
		if (!model_store_begin(&chip->store, g_array_index(epochs, isa_epoch, i).images, error)) {
			g_prefix_error(error, "epoch %s: ", g_array_index(epochs, isa_epoch, i).name);
			return false;
		}
	model_store_begin(&chip->store, NULL, NULL);
	if (first && first->start <= 0) {
		model_store_begin(&chip->store, first->images, NULL);
		chip->next_epoch = 1;
	}
	return true;
}

static sim_process *add_process(tsp_chip *chip, const char *name, enum sim_phase phase, uint32_t unit,
                                sim_process_fn run, void *state)
{
	sim_process_spec spec = {name, phase, unit, run, state};

	return sim_kernel_add_process(chip->kernel, sim_kernel_reference_domain(chip->kernel), &spec);
}

static void init_queues(tsp_chip *chip)
{
	const isa_program *p = chip->program;

	chip->queue_count = isa_machine_queue_count(chip->machine);
	chip->queues = g_new0(tsp_queue, chip->queue_count);
	chip->audit_process = add_process(chip, "audit", SIM_PHASE_AUDIT, 0, tsp_audit_run, chip);
	chip->sram_process = add_process(chip, "sram", SIM_PHASE_RESOLVE, 0, tsp_sram_run, chip);
	chip->release_process = add_process(chip, "release", SIM_PHASE_RESOLVE, 1, tsp_release_run, chip);
	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];

		q->chip = chip;
		q->number = (uint16_t)i;
		q->info = isa_machine_queue(chip->machine, i);
		q->skew = isa_machine_skew(chip->machine, q->info->unit);
		q->process = add_process(chip, q->info->name, SIM_PHASE_ISSUE, i, tsp_queue_run, q);
		q->fetches = g_array_new(FALSE, FALSE, sizeof(int64_t));
		q->dry = g_array_new(FALSE, FALSE, sizeof(tsp_dry));
		if (i < p->queues->len) {
			const GArray *words = g_ptr_array_index(p->queues, i);

			q->words = (const isa_word *)(void *)words->data;
			q->word_count = words->len;
		}
		if (i < p->queue_insns->len) {
			const GArray *ids = g_ptr_array_index(p->queue_insns, i);

			q->ids = (const uint32_t *)(void *)ids->data;
			q->id_count = ids->len;
		}
	}
}

static void init_counters(tsp_chip *chip)
{
	const isa_machine *m = chip->machine;
	tsp_counters *c = &chip->counters;

	c->queue_issues_size = isa_machine_queue_count(m);
	c->queue_issues = g_new0(uint64_t, c->queue_issues_size);
	c->bank_count_size = (uint64_t)m->sram_banks;
	c->bank_count = g_new0(uint64_t, c->bank_count_size);
	c->bank_wait = g_new0(uint64_t, c->bank_count_size);
}

/* Do instance numbers identify instructions, that is, do they not wrap? */
static bool is_tagged(const isa_program *p)
{
	uint64_t issues = 0;

	for (guint i = 0; i < p->insns->len; i++)
		issues += isa_insn_issues(isa_program_insn(p, i));
	return issues < UINT32_MAX;
}

tsp_chip *tsp_chip_new(const isa_machine *machine, const isa_program *program, sim_kernel *kernel, probe *listeners,
                       const tsp_options *options, GError **error)
{
	tsp_chip *chip;

	if (!check(machine, program, error))
		return NULL;
	chip = g_new0(tsp_chip, 1);
	chip->machine = machine;
	chip->program = program;
	chip->kernel = kernel;
	chip->probe = listeners;
	chip->options = *options;
	chip->functional = options->functional;
	chip->freeze = options->policy == TSP_POLICY_FREEZE;
	chip->tagged = is_tagged(program);
	chip->first_issue = INT64_MAX;
	chip->last_due = INT64_MIN;
	chip->lanes = (uint32_t)machine->lanes;
	chip->superlanes = (uint32_t)(machine->lanes / machine->lanes_per_superlane);
	for (int i = 0; i < ISA_TIMING_COUNT; i++)
		chip->delay[i] = isa_machine_timing(machine, (enum isa_timing)i);
	model_pool_init(&chip->pool);
	chip->zero = model_value_new(&chip->pool);
	model_value_seal(chip->zero, 0);
	chip->violations = g_array_new(FALSE, FALSE, sizeof(probe_violation));
	chip->misses = g_array_new(FALSE, FALSE, sizeof(tsp_miss));
	chip->collisions = g_array_new(FALSE, FALSE, sizeof(tsp_collision));
	chip->write_overuse = g_array_new(FALSE, FALSE, sizeof(int64_t));
	chip->releases = g_array_new(FALSE, FALSE, sizeof(int64_t));
	init_counters(chip);
	init_store(chip);
	tsp_vregs_init(chip);
	tsp_fabric_init(chip);
	tsp_mxm_init(chip);
	tsp_sxm_init(chip);
	tsp_links_init(chip);
	if (!tsp_sram_init(chip, error) || !init_epochs(chip, error)) {
		tsp_chip_free(chip);
		return NULL;
	}
	init_queues(chip);
	for (uint32_t i = 0; i < chip->queue_count; i++)
		tsp_queue_start(&chip->queues[i]);
	/* Epochs, and the end of a program without queues, need a first look. */
	if (chip->next_epoch < program->epochs->len)
		sim_process_wake(chip->audit_process,
		                 MAX(g_array_index(program->epochs, isa_epoch, chip->next_epoch).start - 1, 0));
	else if (!chip->active)
		sim_process_wake(chip->audit_process, 0);
	return chip;
}

static void clear_latches(tsp_chip *chip)
{
	for (unsigned i = 0; i < TSP_PLANES_MAX; i++) {
		model_cell_clear(&chip->act[i], tsp_drop_value, &chip->pool);
		model_cell_clear(&chip->wt[i], tsp_drop_value, &chip->pool);
	}
	for (unsigned i = 0; i < TSP_ALUS_MAX; i++)
		model_cell_clear(&chip->alu[i], tsp_drop_value, &chip->pool);
}

void tsp_chip_free(tsp_chip *chip)
{
	if (!chip)
		return;
	for (uint32_t i = 0; i < chip->queue_count; i++) {
		g_array_unref(chip->queues[i].fetches);
		g_array_unref(chip->queues[i].dry);
		for (unsigned k = 0; k < G_N_ELEMENTS(chip->queues[i].temp); k++)
			model_value_unref(&chip->pool, chip->queues[i].temp[k]);
	}
	g_free(chip->queues);
	clear_latches(chip);
	tsp_links_fini(chip);
	tsp_sxm_fini(chip);
	tsp_mxm_fini(chip);
	tsp_fabric_fini(chip);
	tsp_vregs_fini(chip);
	tsp_sram_fini(chip);
	model_store_fini(&chip->store);
	g_array_unref(chip->violations);
	g_array_unref(chip->misses);
	g_array_unref(chip->collisions);
	g_array_unref(chip->write_overuse);
	g_array_unref(chip->releases);
	g_free(chip->counters.queue_issues);
	g_free(chip->counters.bank_count);
	g_free(chip->counters.bank_wait);
	model_pool_fini(&chip->pool);
	g_free(chip);
}

const tsp_counters *tsp_chip_counters(tsp_chip *chip)
{
	tsp_counters *c = &chip->counters;

	c->issues = 0;
	for (uint32_t i = 0; i < chip->queue_count; i++) {
		c->queue_issues[i] = chip->queues[i].issues;
		c->issues += chip->queues[i].issues;
	}
	c->slip_cycles = chip->slip;
	c->first_issue = c->issues ? chip->first_issue : 0;
	c->cycles = c->issues && chip->last_due != INT64_MIN ? chip->last_due - c->first_issue : 0;
	if (chip->machine->hashed) {
		memset(c->bank_count, 0, c->bank_count_size * sizeof *c->bank_count);
		model_banks_totals(&chip->sram.banks, c->bank_count);
		memcpy(c->bank_wait, chip->sram.banks.wait, chip->sram.banks.banks * sizeof *c->bank_wait);
	}
	return c;
}

bool tsp_chip_read(const tsp_chip *chip, uint64_t location, void *out, uint64_t bytes)
{
	return model_store_peek(&chip->store, location, out, bytes);
}

sim_time tsp_chip_now(const tsp_chip *chip)
{
	return sim_kernel_now(chip->kernel);
}
