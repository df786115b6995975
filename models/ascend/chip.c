/* SPDX-License-Identifier: Apache-2.0
 *
 * A chip of Ascend-style cores: builds sub-cores and what they share, gives each core its blocks one after the other,
 * and ends the run: everything done, or nothing can go on.
 *
 * One process of a phase after the sub-cores' executes what they filed in a cycle, in order of core, sub-core and pipe,
 * matches cross-core sets, and hands on reports and findings.
 */
#include "models/ascend/front_int.h"

#include <string.h>

enum { US_PER_S = 1000000 };

static const asc_who nobody = {.stream = UINT32_MAX, .insn = UINT32_MAX};

const char *asc_stall_name(enum asc_stall stall)
{
	static const char *const names[ASC_STALLS] = {
		[ASC_STALL_NONE] = "none",
		[ASC_STALL_FLAG] = "flag",
		[ASC_STALL_CROSS] = "cross",
		[ASC_STALL_BARRIER] = "barrier",
		[ASC_STALL_QUEUE_FULL] = "queue-full",
		[ASC_STALL_BANK_GROUP] = "bank-group",
		[ASC_STALL_BANK] = "bank",
		[ASC_STALL_RESOURCE] = "resource",
		[ASC_STALL_MTE] = "mte",
		[ASC_STALL_OUTSTANDING] = "outstanding",
		[ASC_STALL_LINE] = "line",
	};

	return names[stall];
}

void asc_violate_at(asc_subcore *s, asc_violation v)
{
	s->counters.violations++;
	s->counters.by_kind[v.kind]++;
	g_array_append_val(s->violations, v);
}

void asc_violate(asc_subcore *s, enum asc_finding kind, int64_t cycle, uint32_t insn, asc_who other)
{
	asc_violation v = {.kind = kind,
	                   .cycle = cycle,
	                   .core = s->core,
	                   .sub = s->sub,
	                   .stream = s->stream_index,
	                   .insn = insn,
	                   .other_stream = other.stream,
	                   .other_insn = other.insn,
	                   .space = ASC_SPACES,
	                   .met = true};

	asc_violate_at(s, v);
}

void asc_chip_dirty(asc_subcore *s)
{
	if (s->dirty)
		return;
	s->dirty = true;
	g_array_append_val(s->chip->dirty, s->index);
}

static int by_number(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Kernels that do not shuffle run sub-cores in this order anyway. */
static void sort_dirty(asc_chip *chip)
{
	for (guint i = 1; i < chip->dirty->len; i++)
		if (g_array_index(chip->dirty, uint32_t, i) < g_array_index(chip->dirty, uint32_t, i - 1)) {
			g_array_sort(chip->dirty, by_number);
			return;
		}
}

static void hand_on(asc_chip *chip, asc_subcore *s)
{
	const asc_listener *l = &chip->listener;

	for (guint i = 0; l->report && i < s->reports->len; i++)
		l->report(l->state, &g_array_index(s->reports, asc_report, i));
	for (guint i = 0; l->violation && i < s->violations->len; i++)
		l->violation(l->state, &g_array_index(s->violations, asc_violation, i));
	if (s->violations->len && chip->options.stop_at_first)
		sim_kernel_stop(chip->kernel);
	g_array_set_size(s->reports, 0);
	g_array_set_size(s->violations, 0);
}

/* Everything a core did is complete, and its next block knows it. */
static void join_core(asc_chip *chip, uint32_t core)
{
	asc_subcore *first = &chip->sub[core * chip->subs_per_core];
	uint32_t count = chip->subs * ASC_PIPES;
	asc_foreign *all = NULL;

	for (uint32_t i = 0; i < chip->subs_per_core; i++)
		for (unsigned p = 0; p < ASC_PIPES; p++) {
			asc_clock clock = asc_pipe_complete(&first[i], (enum asc_pipe)p);
			asc_foreign *one = asc_clock_export(&clock, first[i].index, count);

			asc_foreign_join(&all, one);
			asc_foreign_unref(one);
			asc_clock_clear(&clock);
		}
	for (uint32_t i = 0; i < chip->subs_per_core; i++)
		asc_clock_import(&first[i].pipe[ASC_PIPE_S].clock, all, first[i].index);
	asc_foreign_unref(all);
}

/* Core CORE has done its block: find what it left behind, begin the next one. */
static void end_block(asc_chip *chip, uint32_t core, int64_t now)
{
	asc_subcore *first = &chip->sub[core * chip->subs_per_core];
	int64_t finish = 0;

	for (uint32_t i = 0; i < chip->subs_per_core; i++) {
		finish = MAX(finish, first[i].finish);
		asc_flags_leftover(&first[i], first[i].finish);
	}
	chip->blocks_left--;
	chip->block[core] += chip->cores;
	if (chip->block[core] >= chip->program->blocks)
		return;
	join_core(chip, core);
	for (uint32_t i = 0; i < chip->subs_per_core; i++)
		asc_subcore_begin(&first[i], chip->block[core], MAX(finish, now + 1));
}

static bool core_finished(const asc_chip *chip, uint32_t core)
{
	for (uint32_t i = 0; i < chip->subs_per_core; i++)
		if (!chip->sub[core * chip->subs_per_core + i].finished)
			return false;
	return true;
}

static void end_run(asc_chip *chip, int64_t now)
{
	chip->over = true;
	/* Sets on their way arrive after the end. */
	asc_cross_deliver(chip->cross, SIM_NEVER - 1);
	for (uint32_t i = 0; i < chip->subs; i++) {
		asc_cross_leftover(chip->cross, &chip->sub[i], now);
		hand_on(chip, &chip->sub[i]);
	}
}

static void deadlock(asc_chip *chip, int64_t now)
{
	g_autofree char *text = asc_diagnose(chip, now);

	chip->over = true;
	for (uint32_t i = 0; i < chip->subs; i++) {
		asc_subcore *s = &chip->sub[i];

		if (!s->finished) {
			s->counters.cycles = MAX(s->counters.cycles, now);
			asc_violate(s, ASC_FINDING_DEADLOCK, now, s->scalar.pc, nobody);
		}
		hand_on(chip, s);
	}
	if (chip->listener.deadlock)
		chip->listener.deadlock(chip->listener.state, text);
}

static bool anything_due(const asc_chip *chip)
{
	for (uint32_t i = 0; i < chip->subs; i++)
		if (chip->sub[i].next != SIM_NEVER)
			return true;
	return asc_cross_next(chip->cross) != SIM_NEVER;
}

static void settle(asc_chip *chip, int64_t now)
{
	/* Somebody stopped, or a set arrived and moved nobody. */
	bool idle = !chip->dirty->len;

	sort_dirty(chip);
	for (guint i = 0; i < chip->dirty->len; i++) {
		asc_subcore *s = &chip->sub[g_array_index(chip->dirty, uint32_t, i)];
		int64_t next = asc_subcore_next(s, now);

		if (next == SIM_NEVER)
			idle = true;
		else
			sim_process_wake(s->process, next);
		while (s->finished && chip->block[s->core] < chip->program->blocks && core_finished(chip, s->core))
			end_block(chip, s->core, now);
	}
	for (guint i = 0; i < chip->dirty->len; i++) {
		asc_subcore *s = &chip->sub[g_array_index(chip->dirty, uint32_t, i)];

		s->dirty = false;
		hand_on(chip, s);
	}
	g_array_set_size(chip->dirty, 0);
	if (!chip->blocks_left)
		end_run(chip, now);
	else if (idle && !anything_due(chip))
		deadlock(chip, now);
}

static sim_time resolve(void *state, sim_time now)
{
	asc_chip *chip = state;

	if (chip->over)
		return SIM_NEVER;
	sort_dirty(chip);
	for (guint i = 0; i < chip->dirty->len; i++)
		asc_subcore_execute(&chip->sub[g_array_index(chip->dirty, uint32_t, i)], now);
	for (guint i = 0; i < chip->dirty->len; i++)
		asc_cross_collect(chip->cross, &chip->sub[g_array_index(chip->dirty, uint32_t, i)]);
	asc_cross_deliver(chip->cross, now);
	settle(chip, now);
	return chip->over ? SIM_NEVER : asc_cross_next(chip->cross);
}

static sim_process *add_process(asc_chip *chip, const char *name, enum sim_phase phase, uint32_t unit,
                                sim_process_fn run, void *state)
{
	sim_process_spec spec = {name, phase, unit, run, state};

	return sim_kernel_add_process(chip->kernel, sim_kernel_reference_domain(chip->kernel), &spec);
}

/* Kinds of sub-cores and machine must match: a stream nobody runs is a mistake. */
static bool check(const asc_machine *machine, const asc_program *program, GError **error)
{
	for (guint i = 0; i < program->streams->len; i++) {
		const asc_stream *stream = g_ptr_array_index(program->streams, i);

		if (asc_machine_has_kind(machine, stream->kind))
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "the program has a stream for a %s sub-core; machine %s has none",
		            asc_kind_name(stream->kind), machine->name);
		return false;
	}
	return true;
}

int64_t asc_launch_cycles(const asc_machine *machine)
{
	return machine->launch_us * machine->clock_hz / US_PER_S;
}

asc_chip *asc_chip_new(const asc_machine *machine, const asc_program *program, sim_kernel *kernel,
                       const asc_listener *listener, const asc_options *options, GError **error)
{
	int64_t begin = options && options->launch ? asc_launch_cycles(machine) : 0;
	asc_chip *chip;

	if (!check(machine, program, error))
		return NULL;
	chip = g_new0(asc_chip, 1);
	chip->machine = machine;
	chip->program = program;
	chip->kernel = kernel;
	if (listener)
		chip->listener = *listener;
	if (options)
		chip->options = *options;
	chip->cores = MIN((uint32_t)machine->cores, program->blocks);
	chip->subs_per_core = machine->subcores;
	chip->subs = chip->cores * chip->subs_per_core;
	chip->memory = asc_memory_new(machine);
	chip->global = asc_data_new_global(program, chip->options.functional);
	chip->sub = g_new0(asc_subcore, MAX(chip->subs, 1));
	chip->block = g_new0(uint32_t, MAX(chip->cores, 1));
	chip->dirty = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	chip->blocks_left = program->blocks;
	chip->resolve = add_process(chip, "ascend", SIM_PHASE_RESOLVE, 0, resolve, chip);
	for (uint32_t i = 0; i < chip->subs; i++) {
		g_autofree char *name = NULL;

		asc_subcore_init(&chip->sub[i], chip, i);
		name = g_strdup_printf("core%u.%u", chip->sub[i].core, chip->sub[i].sub);
		chip->sub[i].process = add_process(chip, name, SIM_PHASE_ISSUE, i, asc_subcore_run, &chip->sub[i]);
	}
	chip->cross = asc_cross_new(chip);
	chip->words = asc_words_new(chip);
	chip->races = asc_races_new(chip);
	for (uint32_t i = 0; i < chip->subs; i++) {
		chip->block[i / chip->subs_per_core] = i / chip->subs_per_core;
		asc_subcore_begin(&chip->sub[i], chip->sub[i].core, begin);
	}
	/* A block without any stream is done at once. */
	for (uint32_t i = 0; i < chip->subs; i++)
		asc_chip_dirty(&chip->sub[i]);
	sim_process_wake(chip->resolve, 0);
	return chip;
}

void asc_chip_free(asc_chip *chip)
{
	if (!chip)
		return;
	for (uint32_t i = 0; i < chip->subs; i++)
		asc_subcore_fini(&chip->sub[i]);
	asc_cross_free(chip->cross);
	asc_words_free(chip->words);
	asc_races_free(chip->races);
	asc_memory_free(chip->memory);
	asc_data_free(chip->global);
	g_array_free(chip->dirty, TRUE);
	g_free(chip->sub);
	g_free(chip->block);
	g_free(chip);
}

/* The times of COUNTERS are those of the whole; everything else is a sum, a field at a time of one width. */
static void add_counters(asc_counters *sum, const asc_counters *c)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)c;
	int64_t cycles = MAX(sum->cycles, c->cycles);

	_Static_assert(sizeof(asc_counters) % sizeof(uint64_t) == 0, "every counter has 64 bits");
	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
	sum->cycles = cycles;
}

const asc_counters *asc_chip_counters(asc_chip *chip)
{
	memset(&chip->total, 0, sizeof(chip->total));
	for (uint32_t i = 0; i < chip->subs; i++)
		add_counters(&chip->total, &chip->sub[i].counters);
	return &chip->total;
}

const asc_counters *asc_chip_core_counters(asc_chip *chip, uint32_t core, uint32_t sub)
{
	if (core >= chip->cores || sub >= chip->subs_per_core)
		return NULL;
	return &chip->sub[core * chip->subs_per_core + sub].counters;
}

bool asc_chip_read(const asc_chip *chip, uint64_t address, void *out, uint64_t bytes)
{
	const uint8_t *at = asc_data_at(chip->global, ASC_GM, address, bytes);

	if (at)
		memcpy(out, at, bytes);
	return at != NULL;
}
