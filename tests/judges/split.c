/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules or assembles, runs, compares, runs again blindly.
 *
 * The blind run executes the same queues with everything else about time gone from the container: predictions, the
 * predicted length, the instructions' absolute cycles.  What the models then say can come from nowhere but the queues
 * and their own machine.
 */
#include "tests/judges/split.h"

#include <string.h>

#include "models/tsp/chip.h"
#include "sched/frontend/frontend.h"
#include "sched/sched.h"
#include "tools/compare.h"
#include "tools/verify.h"

struct split_lab {
	GHashTable *machines; /* "preset settings" -> isa_machine, not finished */
	GHashTable *programs; /* "preset settings program" -> made, for the machine as it is */
};

/* A program with the graphs it was made from, or why there is none. */
typedef struct made {
	isa_program *program;
	GPtrArray *graphs; /* NULL for assembly */
	char *refusal;
} made;

static void made_free(void *data)
{
	made *m = data;

	if (m->program)
		isa_program_free(m->program);
	if (m->graphs)
		g_ptr_array_unref(m->graphs);
	g_free(m->refusal);
	g_free(m);
}

static void machine_free(void *data)
{
	isa_machine_free(data);
}

split_lab *split_lab_new(void)
{
	split_lab *lab = g_new0(split_lab, 1);

	lab->machines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, machine_free);
	lab->programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, made_free);
	return lab;
}

void split_lab_free(split_lab *lab)
{
	g_hash_table_unref(lab->programs);
	g_hash_table_unref(lab->machines);
	g_free(lab);
}

static bool apply(isa_machine *m, const char *settings, GError **error)
{
	g_auto(GStrv) words = g_strsplit(settings, " ", -1);

	for (char **word = words; *word; word++) {
		g_auto(GStrv) pair = g_strsplit(*word, "=", 2);

		if (**word && !isa_machine_set(m, pair[0], pair[1], error))
			return false;
	}
	return true;
}

const isa_machine *split_machine(split_lab *lab, const char *machine, const char *settings)
{
	g_autofree char *name = g_strconcat(machine, " ", settings, NULL);
	isa_machine *m = g_hash_table_lookup(lab->machines, name);

	if (m)
		return m;
	m = isa_machine_load(machine, NULL);
	if (!m || !apply(m, settings, NULL)) {
		isa_machine_free(m);
		return NULL;
	}
	g_hash_table_insert(lab->machines, g_steal_pointer(&name), m);
	return m;
}

int split_elements(const isa_machine *m, int key)
{
	g_autofree char *text = isa_machine_get_text(m, key);
	g_auto(GStrv) values = g_strsplit(text, ",", -1);

	return isa_keys[key].type == ISA_KEY_TABLE ? (int)g_strv_length(values) : 0;
}

char *split_one_unit(const isa_machine *m, int key, int element, bool more)
{
	g_autofree char *text = isa_machine_get_text(m, key);
	g_auto(GStrv) values = g_strsplit(text, ",", -1);
	char **value = &values[MAX(element, 0)];
	gint64 next = g_ascii_strtoll(*value, NULL, 10) + (more ? 1 : -1);
	g_autofree char *joined = NULL;

	g_free(*value);
	*value = g_strdup_printf("%" G_GINT64_FORMAT, next);
	joined = g_strjoinv(",", values);
	return g_strdup_printf("%s=%s", isa_keys[key].path, joined);
}

bool split_is_assembly(const char *program)
{
	return g_str_has_suffix(program, ".tsp");
}

static void fail(split_outcome *out, enum split_verdict verdict, const char *message)
{
	out->verdict = verdict;
	out->message = g_strdup(message);
}

/* The machine of one side; NULL when there can be none, which OUT then says. */
static isa_machine *side_machine(split_lab *lab, const split_case *c, enum split_side side, split_outcome *out)
{
	const isa_machine *base = split_machine(lab, c->machine, c->settings);
	g_autoptr(GError) error = NULL;
	isa_machine *m;

	if (!base) {
		fail(out, SPLIT_BROKEN, "the settings for both machines are refused");
		return NULL;
	}
	m = isa_machine_copy(base);
	if (c->side == side && !apply(m, c->changes, &error))
		fail(out, SPLIT_LIMIT, error->message);
	else if (!isa_machine_finish(m, &error))
		fail(out, SPLIT_NO_MACHINE, error->message);
	else
		return m;
	isa_machine_free(m);
	return NULL;
}

static isa_program *schedule(made *out, const char *workload, const isa_machine *machine, GError **error)
{
	frontend_options frontend = {0};
	sched_options options;
	sched_report report = {0};
	isa_program *program;

	out->graphs = frontend_read(workload, machine, &frontend, error);
	if (!out->graphs)
		return NULL;
	for (guint i = 0; i < out->graphs->len; i++)
		graph_fill_inputs(g_ptr_array_index(out->graphs, i), 1 + i, false);
	sched_options_init(&options);
	options.functional = true;
	program = sched_compile(out->graphs, machine, &options, &report, error);
	sched_report_fini(&report);
	return program;
}

/* Of a file of this folder; g_free. */
static char *path_of(const char *name)
{
	const char *source = g_getenv("TSPSIM_SRCDIR");

	return g_build_filename(source ? source : TSPSIM_SRCDIR, "tests", "judges", name, NULL);
}

static isa_program *assemble(const char *name, const isa_machine *machine, GError **error)
{
	g_autofree char *path = path_of(name);
	g_autofree char *text = NULL;
	isa_program *program;

	if (!g_file_get_contents(path, &text, NULL, error))
		return NULL;
	program = isa_assemble(text, path, machine, error);
	if (program && !isa_lower(program, machine, error))
		g_clear_pointer(&program, isa_program_free);
	return program;
}

static made *make(const char *program, const isa_machine *machine)
{
	made *out = g_new0(made, 1);
	g_autoptr(GError) error = NULL;

	if (split_is_assembly(program)) {
		out->program = assemble(program, machine, &error);
	} else if (g_str_has_suffix(program, ".graph")) {
		g_autofree char *path = path_of(program);

		out->program = schedule(out, path, machine, &error);
	} else {
		out->program = schedule(out, program, machine, &error);
	}
	if (!out->program)
		out->refusal = g_strdup(error->message);
	return out;
}

/* The unsplit scheduler's program is the same for every case of the simulated side. */
static made *make_or_recall(split_lab *lab, const split_case *c, const isa_machine *machine, bool *keep)
{
	g_autofree char *name = NULL;
	made *known;

	*keep = c->side != SPLIT_SCHED;
	if (!*keep)
		return make(c->program, machine);
	name = g_strconcat(c->machine, " ", c->settings, " ", c->program, NULL);
	known = g_hash_table_lookup(lab->programs, name);
	if (!known) {
		known = make(c->program, machine);
		g_hash_table_insert(lab->programs, g_steal_pointer(&name), known);
	}
	return known;
}

/* What one simulation says. */
typedef struct said {
	bool refused, broken;
	char *failure;
	uint64_t by_kind[ISA_VIOLATION_COUNT];
	uint64_t violations, mismatches, wrong;
	int64_t cycles, slip_cycles;
} said;

static bool run_chip(said *out, const isa_machine *hw, made *m, enum tsp_policy policy, probe *listeners,
                     sim_kernel *kernel)
{
	verify *check = m->graphs ? verify_new(m->graphs, m->program) : NULL;
	tsp_options options = {
		.policy = policy,
		.functional = m->graphs != NULL,
		.epoch_end = check ? verify_epoch : NULL,
		.epoch_state = check,
	};
	g_autoptr(GError) error = NULL;
	tsp_chip *chip = tsp_chip_new(hw, m->program, kernel, listeners, &options, &error);
	const tsp_counters *counters;

	out->refused = !chip;
	out->broken = chip && !sim_kernel_run(kernel, SIM_NEVER, &error);
	if (chip && !out->broken) {
		probe_flush(listeners);
		counters = tsp_chip_counters(chip);
		memcpy(out->by_kind, counters->violations_by_kind, sizeof out->by_kind);
		out->violations = counters->violations;
		out->cycles = counters->cycles;
		out->slip_cycles = counters->slip_cycles;
		out->broken = check && !verify_passed(check, &error) && error;
		out->wrong = check ? verify_wrong(check) : 0;
	}
	if (error)
		out->failure = g_strdup(error->message);
	if (chip)
		tsp_chip_free(chip);
	verify_free(check);
	return !out->refused && !out->broken;
}

static said simulate(const isa_machine *hw, made *m, enum tsp_policy policy)
{
	compare *predicted = m->program->has_predictions ? compare_new(m->program) : NULL;
	sim_kernel *kernel = sim_kernel_new("ref", &(sim_kernel_options){0}, NULL);
	said out = {0};
	probe listeners;

	probe_init(&listeners);
	if (predicted) {
		probe_listener listener = compare_listener(predicted);

		probe_add_listener(&listeners, &listener);
	}
	if (run_chip(&out, hw, m, policy, &listeners, kernel) && predicted) {
		compare_finish(predicted, out.cycles);
		out.mismatches = compare_mismatches(predicted);
	}
	compare_free(predicted);
	probe_fini(&listeners);
	sim_kernel_free(kernel);
	return out;
}

/* Nonsense where the container speaks of time. */
static void blindfold(isa_program *p)
{
	for (guint i = 0; i < p->insns->len; i++)
		isa_program_insn(p, i)->cycle = -1000003 * (int64_t)(i + 1);
	for (guint i = 0; i < p->predictions->len; i++)
		g_array_index(p->predictions, isa_prediction, i) = (isa_prediction){{-77777, 77777, 1}, -55555, 65535};
	p->has_predictions = false;
	p->predicted_cycles = -1;
}

typedef struct times {
	GArray *cycles, *predictions;
	int64_t predicted_cycles;
	bool has_predictions;
} times;

static times save_times(const isa_program *p)
{
	times t = {g_array_new(FALSE, FALSE, sizeof(int64_t)), g_array_copy(p->predictions), p->predicted_cycles,
	           p->has_predictions};

	for (guint i = 0; i < p->insns->len; i++)
		g_array_append_val(t.cycles, isa_program_insn(p, i)->cycle);
	return t;
}

static void restore_times(isa_program *p, times *t)
{
	for (guint i = 0; i < p->insns->len; i++)
		isa_program_insn(p, i)->cycle = g_array_index(t->cycles, int64_t, i);
	g_array_unref(p->predictions);
	p->predictions = t->predictions;
	p->predicted_cycles = t->predicted_cycles;
	p->has_predictions = t->has_predictions;
	g_array_unref(t->cycles);
}

static bool agrees_blindly(const isa_machine *hw, made *m, const said *seen)
{
	times t = save_times(m->program);
	said blind;
	bool same;

	blindfold(m->program);
	blind = simulate(hw, m, TSP_POLICY_FAULT_CONTINUE);
	restore_times(m->program, &t);
	same = !blind.failure && memcmp(blind.by_kind, seen->by_kind, sizeof blind.by_kind) == 0 &&
	       blind.cycles == seen->cycles && blind.wrong == seen->wrong;
	g_free(blind.failure);
	return same;
}

static void judge(split_outcome *out, const isa_machine *hw, made *m, bool always_blind)
{
	said seen = simulate(hw, m, TSP_POLICY_FAULT_CONTINUE);

	if (seen.failure) {
		fail(out, seen.refused ? SPLIT_UNFIT : SPLIT_BROKEN, seen.failure);
		g_free(seen.failure);
		return;
	}
	out->violations = seen.violations;
	out->mismatches = seen.mismatches;
	out->wrong = seen.wrong;
	if (seen.violations || always_blind)
		out->blind = agrees_blindly(hw, m, &seen);
	if (!seen.violations) {
		said frozen = simulate(hw, m, TSP_POLICY_FREEZE);

		out->slip_cycles = frozen.slip_cycles;
		g_free(frozen.failure);
	}
	out->verdict = seen.violations    ? SPLIT_VIOLATES
	               : out->slip_cycles ? SPLIT_SLIPS
	               : seen.wrong       ? SPLIT_RESULT
	               : seen.mismatches  ? SPLIT_DIFFERS
	                                  : SPLIT_NOTHING;
}

split_outcome split_run(split_lab *lab, const split_case *c)
{
	split_outcome out = {.blind = true};
	isa_machine *sched = side_machine(lab, c, SPLIT_SCHED, &out);
	isa_machine *hw = sched ? side_machine(lab, c, SPLIT_HW, &out) : NULL;
	made *m = NULL;
	bool keep = true;

	if (hw)
		m = make_or_recall(lab, c, sched, &keep);
	if (m && m->program)
		judge(&out, hw, m, c->side == SPLIT_NEITHER);
	else if (m)
		fail(&out, SPLIT_NO_PROGRAM, m->refusal);
	if (!keep)
		made_free(m);
	isa_machine_free(sched);
	isa_machine_free(hw);
	return out;
}

void split_outcome_fini(split_outcome *outcome)
{
	g_free(outcome->message);
}
