/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of a timing model: batches come in, are merged and mapped, and go to the model; at the end counters become a
 * result.  What the models count is said in bank/model.h.
 */
#include "bank/model_int.h"

#include <math.h>
#include <string.h>

static const char *const model_names[] = {"lockstep", "fifo", "closed", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(model_names) == BANK_MODEL_COUNT + 1);

static const char *const priority_names[] = {"rotating", "round-robin", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(priority_names) == BANK_PRIORITY_COUNT + 1);

/* The place of NAME among NAMES, or -1 and an error that says what a WHAT can be. */
static int find_name(const char *name, const char *const *names, const char *what, GError **error)
{
	const char *near = tsp_nearest(name, names);
	g_autofree char *all = g_strjoinv(", ", (char **)names);

	for (int i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	if (near)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown %s '%s'; did you mean '%s'?", what, name, near);
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown %s '%s'; expected one of: %s", what, name, all);
	return -1;
}

const char *bank_model_name(enum bank_model model)
{
	return model_names[model];
}

bool bank_model_parse(const char *name, enum bank_model *model, GError **error)
{
	int i = find_name(name, model_names, "timing model", error);

	if (i >= 0)
		*model = (enum bank_model)i;
	return i >= 0;
}

const char *bank_priority_name(enum bank_priority priority)
{
	return priority_names[priority];
}

bool bank_priority_parse(const char *name, enum bank_priority *priority, GError **error)
{
	int i = find_name(name, priority_names, "priority", error);

	if (i >= 0)
		*priority = (enum bank_priority)i;
	return i >= 0;
}

void bank_options_init(bank_options *options)
{
	*options = (bank_options){.model = BANK_LOCKSTEP, .ports = 1, .busy_cycles = 1};
}

static bool check_options(const bank_options *o, GError **error)
{
	const char *why = NULL;

	if (o->ports < 1 || o->ports > BANK_MAX_PORTS)
		why = "ports of a bank must be 1 to 64";
	else if (o->busy_cycles < 1 || o->busy_cycles > BANK_MAX_BUSY_CYCLES)
		why = "busy cycles of a request must be 1 to 4096";
	else if (o->banks >= BANK_ABSENT || bankmap_banks_used(o->map) >= BANK_ABSENT || o->groups >= BANK_ABSENT)
		why = "banks and bank groups must be below 65535";
	else if (o->model != BANK_CLOSED && (o->warmup_cycles || o->measure_cycles))
		why = "warm-up and measured cycles belong to the closed model";
	else if (o->priority != BANK_ROTATING && (o->groups || o->separate))
		why = "with bank groups or separate ports priority rotates";
	if (why)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank evaluation: %s", why);
	return !why;
}

bank_run *bank_run_new(const bank_options *options, GError **error)
{
	bank_run *run;

	if (!check_options(options, error))
		return NULL;
	run = g_new0(bank_run, 1);
	run->options = *options;
	run->memory_banks = options->banks ? options->banks : bankmap_banks_used(options->map);
	run->room = MAX(run->memory_banks, bankmap_banks_used(options->map));
	run->ideal_map = bankmap_is_ideal(options->map);
	run->result = g_new0(bank_result, 1);
	run->result->first_group = UINT64_MAX;
	run->result->bank_requests = g_new0(uint64_t, run->room);
	run->free_cycle = g_new0(uint64_t, run->room);
	bank_delays_init(&run->delays);
	if (options->window_requests)
		run->window = bank_window_new(bankmap_banks_used(options->map), options->window_requests);
	if (options->ports > 1 || options->busy_cycles > 1 || options->separate || options->groups)
		run->rules = bank_rules_new(run);
	if (options->model == BANK_CLOSED)
		run->closed = bank_closed_new(run);
	return run;
}

uint64_t bank_ideal_beats(const bank_run *run, size_t requests, size_t writes)
{
	const bank_options *o = &run->options;
	uint64_t width = (uint64_t)run->memory_banks * o->ports;
	uint64_t reads = requests - writes;
	uint64_t beats;

	if (run->ideal_map)
		return requests ? o->busy_cycles : 0;
	if (!run->rules)
		return requests <= width ? requests > 0 : (requests + width - 1) / width;
	if (o->separate)
		beats = (MAX(reads, writes) + width - 1) / width;
	else
		beats = (requests + width - 1) / width;
	if (o->groups) { /* a memory of few banks has as few bank groups */
		unsigned groups = MIN(o->groups, run->memory_banks);

		beats = MAX(beats, (MAX(reads, writes) + groups - 1) / groups);
	}
	return beats * o->busy_cycles;
}

bool bank_progression(const uint64_t *blocks, size_t count, int64_t *stride)
{
	*stride = count > 1 ? (int64_t)(blocks[1] - blocks[0]) : 0;
	for (size_t i = 2; i < count; i++)
		if ((int64_t)(blocks[i] - blocks[i - 1]) != *stride)
			return false;
	return count > 1;
}

void bank_note_first(bank_run *run, const bank_mapped *m, size_t group, size_t before, size_t at)
{
	bank_result *r = run->result;
	uint32_t start = m->start[group];

	r->first_group = r->first_other_group = r->groups + group;
	r->first_block[0] = m->blocks[before];
	r->first_block[1] = m->blocks[at];
	r->first_lane[0] = bank_lane(m, group, before);
	r->first_lane[1] = bank_lane(m, group, at);
	r->first_bank = r->first_other_bank = m->banks[at];
	r->first_is_progression = bank_progression(m->blocks + start, m->start[group + 1] - start, &r->first_stride);
}

/* Counts what does not depend on the model. */
static void count_batch(bank_run *run, const bank_mapped *m)
{
	bank_result *r = run->result;
	size_t count = m->start[m->groups];

	for (size_t i = 0; i < count; i++)
		r->bank_requests[m->banks[i]]++;
	r->requests += count;
	for (size_t g = 0; m->kinds && g < m->groups; g++)
		r->kind_requests[1] += bank_group_writes(m, g);
	if (run->window)
		bank_window_add(run->window, m->banks, count);
}

void bank_run_push(bank_run *run, const bank_batch *batch)
{
	const bank_batch *use = batch;
	const uint32_t *lanes = NULL;
	bank_mapped m;

	if (bank_run_done(run))
		return;
	run->result->accesses += batch->accesses;
	if (run->options.merge) {
		bank_merge(run, batch, run->closed != NULL);
		use = run->closed ? batch : &run->merged;
		lanes = run->lanes;
	}
	if (use->accesses > run->banks_room) {
		run->banks_room = MAX(use->accesses, BANK_BATCH_ACCESSES);
		run->banks = g_renew(uint16_t, run->banks, run->banks_room);
	}
	bankmap_map(run->options.map, use->blocks, use->accesses, run->banks);
	m = (bank_mapped){.groups = use->groups,
	                  .start = use->start,
	                  .blocks = use->blocks,
	                  .kinds = batch->has_kinds ? use->kinds : NULL,
	                  .lanes = lanes,
	                  .banks = run->banks};
	if (run->closed) {
		for (size_t i = 0; lanes && i < use->accesses; i++)
			if (lanes[i] == BANK_ABSENT)
				run->banks[i] = BANK_ABSENT;
		m.lanes = NULL;
		bank_closed_push(run, &m);
		return;
	}
	count_batch(run, &m);
	if (run->options.model == BANK_LOCKSTEP)
		bank_lockstep_push(run, &m);
	else
		bank_fifo_push(run, &m);
	run->result->groups += m.groups;
}

bool bank_run_done(const bank_run *run)
{
	return run->closed && bank_closed_done(run->closed);
}

static void finish_delays(bank_run *run)
{
	bank_result *r = run->result;
	bank_delays *d = &run->delays;
	size_t last = d->room;

	r->max_delay_cycles = d->max;
	r->p99_exact = true;
	while (last > 1 && !d->count[last - 1])
		last--;
	d->max = MAX(d->max, last - 1);
	r->max_delay_cycles = d->max;
	r->delayed = r->requests - d->count[0];
	if (r->requests)
		r->p99_delay_cycles = bank_delays_rank(d, r->requests - r->requests / 100, &r->p99_exact);
	r->delays_count = last + (d->tail_requests != 0);
	r->delays = g_new(uint64_t, r->delays_count);
	memcpy(r->delays, d->count, last * sizeof *r->delays);
	if (d->tail_requests)
		r->delays[last] = d->tail_requests;
}

/* A bank is saturated when offered a service time or more a cycle: requests x busy >= cycles of arrival x ports. */
static void finish_saturation(bank_run *run)
{
	bank_result *r = run->result;
	uint64_t cycles = r->model == BANK_CLOSED ? r->cycles : r->groups;
	uint64_t busy = run->options.busy_cycles;
	uint64_t ports = (uint64_t)run->options.ports * (run->options.separate ? 2 : 1);

	r->saturation_requests = MAX((cycles * ports + busy - 1) / busy, 1);
	for (unsigned b = 0; b < r->banks && !run->ideal_map; b++)
		r->saturated |= r->bank_requests[b] >= r->saturation_requests;
}

/* Groups without accesses let time pass in fifo, whose cycles are those of arrival; nothing else counts them. */
static void drop_idle_groups(bank_run *run)
{
	bank_result *r = run->result;

	if (run->options.measure_cycles || run->options.warmup_cycles)
		return; /* only groups with a grant have been counted */
	r->groups -= run->idle_groups;
	if (r->model == BANK_CLOSED)
		r->ideal_cycles -= run->idle_groups;
}

bool bank_run_end(bank_run *run, bank_result *result, GError **error)
{
	bank_result *r = run->result;

	*result = (bank_result){.first_group = UINT64_MAX};
	if (run->closed && !bank_closed_end(run, error))
		return false;
	r->model = run->options.model;
	r->ports = run->options.ports;
	r->busy_cycles = run->options.busy_cycles;
	r->banks_used = bankmap_banks_used(run->options.map);
	r->banks = run->room;
	if (r->model == BANK_FIFO) {
		r->cycles = MAX(run->last, r->groups);
		r->ideal_cycles = r->groups;
	}
	if (r->model != BANK_FIFO)
		drop_idle_groups(run);
	r->kind_requests[0] = r->requests - r->kind_requests[1];
	finish_delays(run);
	r->kind_delayed[0] = r->delayed - r->kind_delayed[1];
	if (r->model != BANK_CLOSED || !run->options.measure_cycles)
		r->slowdown = r->ideal_cycles ? (double)r->cycles / (double)r->ideal_cycles : 1;
	r->grants_per_cycle = r->cycles ? (double)r->requests / (double)r->cycles : 0;
	finish_saturation(run);
	if (r->model == BANK_FIFO)
		drop_idle_groups(run);
	if (run->window)
		bank_window_finish(run->window, r);
	*result = *r;
	*r = (bank_result){0};
	return true;
}

void bank_run_free(bank_run *run)
{
	if (!run)
		return;
	bank_result_clear(run->result);
	g_free(run->result);
	g_free(run->free_cycle);
	bank_delays_clear(&run->delays);
	bank_window_free(run->window);
	bank_rules_free(run->rules);
	bank_closed_free(run->closed);
	g_free(run->banks);
	g_free(run->keys);
	g_free(run->key_epochs);
	bank_batch_clear(&run->merged);
	g_free(run->lanes);
	g_free(run);
}

bool bank_evaluate(bank_source *source, const bank_options *options, bank_result *result, GError **error)
{
	GError *failure = NULL;
	bank_run *run = bank_run_new(options, error);
	bank_batch batch = {0};
	bool ok = false;

	*result = (bank_result){.first_group = UINT64_MAX};
	if (!run)
		return false;
	while (!bank_run_done(run) && bank_source_next(source, &batch, &failure))
		bank_run_push(run, &batch);
	if (failure)
		g_propagate_error(error, failure);
	else
		ok = bank_run_end(run, result, error);
	bank_batch_clear(&batch);
	bank_run_free(run);
	return ok;
}

void bank_result_clear(bank_result *result)
{
	g_free(result->bank_requests);
	g_free(result->delays);
	*result = (bank_result){.first_group = UINT64_MAX};
}
