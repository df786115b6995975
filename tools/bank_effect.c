/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank effect; see bank_effect.h.
 */
#include "tools/bank_effect.h"

#include <stdlib.h>
#include <string.h>

#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/setup.h"
#include "tools/simulate.h"
#include "tools/tool.h"

static void clear_row(gpointer p)
{
	bank_effect *row = p;

	g_free(row->map);
	g_free(row->refusal);
}

/* Bank beats and accesses as scheduled. */
static void count_accesses(bank_effect *row, const isa_program *program, const isa_machine *m)
{
	uint64_t service = (uint64_t)((m->sram_block_bytes + m->sram_port_bytes - 1) / m->sram_port_bytes);

	for (guint i = 0; i < program->predictions->len && i < program->insns->len; i++) {
		const isa_insn *insn = isa_program_insn(program, i);
		const isa_prediction *p = &g_array_index(program->predictions, isa_prediction, i);

		if (isa_ops[insn->op].unit != ISA_UNIT_MEM)
			continue;
		row->accesses += isa_insn_issues(insn);
		row->self_beats += isa_insn_issues(insn) * ((uint64_t)p->beats - service);
	}
}

/* Runs the schedule and holds it against its predictions. */
static bool try_it(bank_effect *row, const setup *s, const isa_program *program, GError **error)
{
	simulate_options options = {.kernel = "ref", .policy = TSP_POLICY_FAULT_CONTINUE, .seed = 1};
	simulation *done = simulate(s->sched, s->hw, program, NULL, &options, error);
	report r = {.sched = s->sched, .hw = s->hw, .program = program};
	uint64_t service = (uint64_t)((s->hw->sram_block_bytes + s->hw->sram_port_bytes - 1) / s->hw->sram_port_bytes);
	uint64_t fullest = 0;

	if (!done)
		return false;
	simulation_report(done, &r);
	for (uint64_t b = 0; b < r.counters->bank_count_size; b++)
		fullest = MAX(fullest, r.counters->bank_count[b]);
	/* Banks that never conflict serve any load at once. */
	if (strcmp(s->hw->sram_map, "ideal") != 0)
		row->load_bound = (fullest * service + (uint64_t)s->hw->sram_ports - 1) / (uint64_t)s->hw->sram_ports;
	row->beats = r.counters->bank_beats;
	row->as_predicted = !r.counters->violations && r.compare && !compare_mismatches(r.compare) &&
	                    r.counters->cycles == program->predicted_cycles;
	if (r.interrupted)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "interrupted");
	simulation_free(done);
	return !r.interrupted;
}

/* Schedules by tie break number SEED; -1 with an error when that is refused. */
static int64_t schedule(bank_effect *row, const setup *s, const char *workload, unsigned seed, bool ideal,
                        GError **error)
{
	setup_schedule how = {
		.workload = workload, .seed = seed, .placement = seed - 1, .ideal_banks = ideal, .brief = true};
	g_autoptr(GPtrArray) graphs = NULL;
	sched_report said = {0};
	isa_program *program = setup_compile(s, &how, &graphs, &said, error);
	int64_t cycles = program ? program->predicted_cycles : -1;

	if (program && seed == 1 && !ideal) {
		row->cycles = cycles;
		row->macro_ops = said.macro_ops;
		row->moved_ops = said.bank_moves;
		row->moved_cycles = said.bank_move_cycles;
		count_accesses(row, program, s->sched);
		if (!try_it(row, s, program, error))
			cycles = -1;
	}
	if (program && seed == 1 && ideal)
		row->ideal_cycles = cycles;
	isa_program_free(program);
	sched_report_fini(&said);
	return cycles;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* All tie breaks under one map. */
static bool measure(bank_effect *row, const setup *s, const bank_effect_options *o, unsigned seeds, GError **error)
{
	const char *workload = o->workload ? o->workload : SETUP_DEFAULT_WORKLOAD;
	g_autofree int64_t *length = g_new(int64_t, seeds);
	g_autofree int64_t *over = g_new(int64_t, seeds);

	for (unsigned i = 0; i < seeds; i++) {
		int64_t ideal;

		length[i] = schedule(row, s, workload, i + 1, false, error);
		if (length[i] < 0)
			return false;
		ideal = schedule(row, s, workload, i + 1, true, error);
		if (ideal < 0)
			return false;
		over[i] = length[i] - ideal;
		if (interrupt_happened()) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "interrupted");
			return false;
		}
	}
	qsort(length, seeds, sizeof *length, by_value);
	qsort(over, seeds, sizeof *over, by_value);
	row->least = length[0];
	row->median = length[seeds / 2];
	row->most = length[seeds - 1];
	row->over_ideal = over[seeds / 2];
	return true;
}

static bool measure_map(bank_effect *row, const bank_effect_options *o, unsigned seeds, GError **error)
{
	g_autoptr(GPtrArray) sets = g_ptr_array_new();
	g_autofree char *set = g_strconcat("sram.map=", row->map, NULL);
	setup s;
	bool fine;

	for (char **other = o->sets; other && *other; other++)
		g_ptr_array_add(sets, *other);
	g_ptr_array_add(sets, set);
	g_ptr_array_add(sets, NULL);
	if (!setup_init(&s, o->machine, (char **)sets->pdata, error))
		return false;
	if (!s.sched->hashed) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "machine '%s' has no hashed SRAM, so no bank map",
		            s.sched->name);
		fine = false;
	} else {
		fine = measure(row, &s, o, seeds, error);
	}
	setup_fini(&s);
	return fine;
}

static void judge(GArray *rows)
{
	const bank_effect *first = NULL;

	for (guint i = 0; i < rows->len; i++) {
		bank_effect *row = &g_array_index(rows, bank_effect, i);

		if (row->refusal)
			continue;
		if (!first) {
			first = row;
			row->verdict = BANK_EFFECT_FIRST;
		} else if (row->most < first->least) {
			row->verdict = BANK_EFFECT_FASTER;
		} else {
			row->verdict = row->least > first->most ? BANK_EFFECT_SLOWER : BANK_EFFECT_NONE;
		}
	}
}

GArray *bank_effect_run(const bank_effect_options *options, GError **error)
{
	unsigned seeds = options->seeds ? options->seeds : BANK_EFFECT_SEEDS;
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(bank_effect));
	bool any = false;
	g_autoptr(GError) last = NULL;

	g_array_set_clear_func(rows, clear_row);
	if (!options->maps || !*options->maps || seeds > BANK_EFFECT_SEEDS_MAX) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank effect: expected %s",
		            seeds > BANK_EFFECT_SEEDS_MAX ? "at most 1000 tie breaks" : "--map MAP, once or more");
		g_array_unref(rows);
		return NULL;
	}
	for (char **map = options->maps; *map; map++) {
		bank_effect row = {.map = g_strdup(*map)};
		GError *failure = NULL;

		if (measure_map(&row, options, seeds, &failure)) {
			any = true;
		} else {
			g_autofree char *name = row.map;

			row = (bank_effect){.map = g_steal_pointer(&name), .refusal = g_strdup(failure->message)};
			g_clear_error(&last);
			last = failure;
		}
		g_array_append_val(rows, row);
		if (interrupt_happened()) {
			any = false;
			break;
		}
	}
	if (any) {
		judge(rows);
		return rows;
	}
	g_array_unref(rows);
	if (last)
		g_propagate_error(error, g_steal_pointer(&last));
	else
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "interrupted");
	return NULL;
}

/* ------------------------------------------------------------------------------------------------------ output */

static const char *const verdicts[] = {
	[BANK_EFFECT_FIRST] = "-",
	[BANK_EFFECT_NONE] = "no difference",
	[BANK_EFFECT_FASTER] = "faster",
	[BANK_EFFECT_SLOWER] = "slower",
};

/* "slower, 12.3 %": by the medians. */
static char *verdict_text(const bank_effect *row, const bank_effect *first)
{
	double change = first->median ? (double)(row->median - first->median) / (double)first->median : 0;

	if (row->verdict == BANK_EFFECT_FIRST || row->verdict == BANK_EFFECT_NONE)
		return g_strdup(verdicts[row->verdict]);
	return g_strdup_printf("%s, %.2f %%", verdicts[row->verdict], 100 * ABS(change));
}

static const bank_effect *first_of(const GArray *rows)
{
	for (guint i = 0; i < rows->len; i++)
		if (!g_array_index(rows, bank_effect, i).refusal)
			return &g_array_index(rows, bank_effect, i);
	return &g_array_index(rows, bank_effect, 0);
}

char *bank_effect_text(const GArray *rows, const bank_effect_options *options)
{
	static const char *const heads[] = {"map",       "cycles",     "self beats",       "moved",
	                                    "by cycles", "over ideal", "load bound",       "least",
	                                    "median",    "most",       "against the first"};
	enum { COLUMNS = G_N_ELEMENTS(heads) };
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
	const bank_effect *first = first_of(rows);
	GString *out = g_string_new(NULL);
	int width[COLUMNS] = {0};

	for (unsigned c = 0; c < COLUMNS; c++)
		g_ptr_array_add(cells, g_strdup(heads[c]));
	for (guint i = 0; i < rows->len; i++) {
		const bank_effect *row = &g_array_index(rows, bank_effect, i);
		const int64_t values[] = {row->cycles,
		                          (int64_t)row->self_beats,
		                          (int64_t)row->moved_ops,
		                          row->moved_cycles,
		                          row->over_ideal,
		                          (int64_t)row->load_bound,
		                          row->least,
		                          row->median,
		                          row->most};

		g_ptr_array_add(cells, g_strdup(row->map));
		for (unsigned c = 0; c < G_N_ELEMENTS(values); c++)
			g_ptr_array_add(cells,
			                row->refusal ? g_strdup("-") : g_strdup_printf("%" G_GINT64_FORMAT, values[c]));
		g_ptr_array_add(cells, row->refusal ? g_strdup("refused") : verdict_text(row, first));
	}
	for (guint i = 0; i < cells->len; i++)
		width[i % COLUMNS] = MAX(width[i % COLUMNS], (int)strlen(g_ptr_array_index(cells, i)));
	g_string_append_printf(out, "workload     %s, %u tie break%s\n",
	                       options->workload ? options->workload : SETUP_DEFAULT_WORKLOAD,
	                       options->seeds ? options->seeds : BANK_EFFECT_SEEDS,
	                       tsp_s(options->seeds ? options->seeds : BANK_EFFECT_SEEDS));
	for (guint i = 0; i < cells->len; i++) {
		const char *text = g_ptr_array_index(cells, i);
		unsigned c = i % COLUMNS;

		if (c == 0 || c + 1 == COLUMNS)
			g_string_append_printf(out, "%-*s%s", c ? 0 : width[c], text, c ? "\n" : "");
		else
			g_string_append_printf(out, "  %*s", width[c], text);
		if (c + 2 == COLUMNS)
			g_string_append(out, "  ");
	}
	for (guint i = 0; i < rows->len; i++) {
		const bank_effect *row = &g_array_index(rows, bank_effect, i);

		if (row->refusal)
			g_string_append_printf(out, "refused      %s: %s\n", row->map, row->refusal);
		else if (!row->as_predicted)
			g_string_append_printf(out, "DIFFERS      %s: the simulation is not what was predicted\n",
			                       row->map);
	}
	return g_string_free(out, FALSE);
}

static void row_json(json *j, const bank_effect *row)
{
	json_object(j, NULL);
	json_string(j, "map", row->map);
	json_string(j, "refused", row->refusal);
	json_int(j, "cycles", row->cycles);
	json_bool(j, "as_predicted", row->as_predicted);
	json_uint(j, "accesses", row->accesses);
	json_uint(j, "beats", row->beats);
	json_uint(j, "self_conflict_beats", row->self_beats);
	json_uint(j, "operations", row->macro_ops);
	json_uint(j, "moved_operations", row->moved_ops);
	json_int(j, "moved_cycles", row->moved_cycles);
	json_int(j, "ideal_cycles", row->ideal_cycles);
	json_int(j, "over_ideal_cycles", row->over_ideal);
	json_uint(j, "bank_load_bound_cycles", row->load_bound);
	json_int(j, "least_cycles", row->least);
	json_int(j, "median_cycles", row->median);
	json_int(j, "most_cycles", row->most);
	json_int(j, "spread_cycles", row->most - row->least);
	json_string(j, "against_first", row->refusal ? NULL : verdicts[row->verdict]);
	json_end(j);
}

char *bank_effect_json(const GArray *rows, const bank_effect_options *options)
{
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "workload", options->workload ? options->workload : SETUP_DEFAULT_WORKLOAD);
	json_uint(j, "tie_breaks", options->seeds ? options->seeds : BANK_EFFECT_SEEDS);
	json_array(j, "maps");
	for (guint i = 0; i < rows->len; i++)
		row_json(j, &g_array_index(rows, bank_effect, i));
	json_end(j);
	json_end(j);
	return json_finish(j);
}

int bank_effect_main(const bank_effect_options *options, GError **error)
{
	g_autoptr(GArray) rows = bank_effect_run(options, error);
	g_autofree char *text = NULL;

	if (!rows)
		return interrupt_happened() ? TOOL_INTERRUPTED : TOOL_USER_ERROR;
	text = tool_json ? bank_effect_json(rows, options) : bank_effect_text(rows, options);
	if ((!tool_quiet || tool_json) && !tool_print(text, error))
		return TOOL_USER_ERROR;
	for (guint i = 0; i < rows->len; i++) {
		const bank_effect *row = &g_array_index(rows, bank_effect, i);

		if (!row->refusal && !row->as_predicted)
			return TOOL_FOUND;
	}
	return TOOL_OK;
}
