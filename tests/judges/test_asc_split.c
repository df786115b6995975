/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of the Ascend-style back end on a machine other than the one they were made for: each key, a step less and
 * a step more, on the side of the scheduler and on that of the models.
 *
 * Flags keep a program in order whatever the times are: no key of time may make one violate anything.  But times must
 * be others than predicted wherever the key is used.  Keys of structure (asc_splits.def) may break a program.  What
 * starts by predicted times instead of flags has no such promise, and must be seen to violate.
 *
 * By default a key is tried until a program uses it, on the side of the models; with TSPSIM_SPLITS=all every program,
 * on both sides, and keys that no program uses, too.
 */
#include "tests/sched/asc_sched.h"

#include <string.h>

enum outcome { NOTHING, DIFFERS, VIOLATES, UNFIT, NO_PROGRAM, NO_MACHINE, OUTCOMES };
static const char letters[OUTCOMES + 1] = "NDVUPX";

/* A step: one unit, or an eighth of what has many; half or twice as many where that makes no machine. */
enum { MANY = 64, PARTS = 8 };

static const struct {
	const char *key, *why;
} structural[] = {
#define ASC_STRUCTURE(key, why) {key, why},
#define ASC_UNUSED(key, machines, why)
#include "tests/judges/asc_splits.def"
};

/* On which of the machines below no program uses a key, as digits. */
static const struct {
	const char *key, *machines, *why;
} unused[] = {
#define ASC_STRUCTURE(key, why)
#define ASC_UNUSED(key, machines, why) {key, machines, why},
#include "tests/judges/asc_splits.def"
};

static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};
static const char *const plain[] = {"cores=2", "l2.bytes=65536", "l2.ways=2", NULL};
static const char *const small[] = {"cores=2",        "l2.bytes=65536", "l2.ways=2",      "l1.bytes=8192",
                                    "l0a.bytes=2048", "l0b.bytes=2048", "l0c.bytes=8192", NULL};
static const struct {
	const char *workload, *const *sets;
} programs[] = {
	{"softmax:200x24", plain},
	{"gemm:50x70x60:fp16", small},
	{"attention:1x2x16x16", plain},
	{"gemm:40x64x120:int8", small},
	{"layernorm:60x16", plain},
	{"transpose:72x40", plain},
	{"embedding:50,16,20", plain},
	{"vmap:exp,3000", plain},
	{"vmap:tanh,3000", plain},
	{"vmap:and,3000:int16", plain},
	{"vmap:relu,2000", plain},
	{"vmap:rsqrt,2000:fp32", plain},
	{"fft:64", plain},
	{"vmap:add,5000:fp32", plain},
	{"bmm:3x20x30x40:fp16", plain},
	{"kvcache:24x2x32,page=4", plain},
};
enum { PROGRAMS = G_N_ELEMENTS(programs) };

typedef struct result {
	bool refused;
	uint64_t times; /* of all instructions, hashed */
	uint64_t violations;
} result;

typedef struct made {
	asc_program *program; /* NULL: the scheduler has none */
	uint64_t predicted;   /* instructions and their times, hashed */
} made;

static struct {
	unsigned runs, at_home, by_time,
		by_time_violate; /* by timestamp: with violations, on the program's own machine */
} tally;

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * 0x9e3779b97f4a7c15u;
	*hash ^= *hash >> 29;
}

static void on_report(void *state, const asc_report *r)
{
	result *o = state;

	mix(&o->times, (uint64_t)r->stream << 32 | r->insn);
	mix(&o->times, (uint64_t)r->start);
	mix(&o->times, (uint64_t)r->done);
}

static void on_violation(void *state, const asc_violation *v)
{
	(void)v;
	((result *)state)->violations++;
}

static void on_deadlock(void *state, const char *diagnosis)
{
	(void)diagnosis;
	((result *)state)->violations++;
}

static result run(const asc_program *program, const asc_machine *machine, bool by_timestamp)
{
	result o = {.refused = true};
	asc_listener listener = {.state = &o, .report = on_report, .violation = on_violation, .deadlock = on_deadlock};
	/* Predicted times count from the first block. */
	asc_options options = {.by_timestamp = by_timestamp, .launch = !by_timestamp};
	sim_kernel *kernel = sim_kernel_new("ref", NULL, NULL);
	asc_chip *chip = NULL;

	if (asc_check(program, machine, NULL))
		chip = asc_chip_new(machine, program, kernel, &listener, &options, NULL);
	if (chip && sim_kernel_run(kernel, SIM_NEVER, NULL))
		o.refused = false;
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	tally.runs++;
	return o;
}

static made make(const char *workload, const asc_machine *machine)
{
	frontend_target target = frontend_target_ascend();
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, NULL);
	sched_options options;
	sched_report report;
	made m = {NULL, 0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	sched_options_init(&options);
	m.program = sched_ascend_compile(graphs, machine, &options, &report, NULL);
	for (guint k = 0; m.program && k < m.program->streams->len; k++) {
		const asc_stream *stream = g_ptr_array_index(m.program->streams, k);

		for (guint i = 0; i < stream->insns->len; i++) {
			const asc_insn *insn = &g_array_index(stream->insns, asc_insn, i);

			mix(&m.predicted, insn->op);
			mix(&m.predicted, (uint64_t)insn->start);
			mix(&m.predicted, (uint64_t)insn->end);
			for (unsigned f = 0; f < ASC_FIELDS; f++)
				mix(&m.predicted, (uint64_t)insn->f[f]);
		}
	}
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	return m;
}

/* The value a step below or above. */
static int64_t stepped(int64_t value, int step, bool twice)
{
	if (twice)
		return step < 0 ? value / 2 : value * 2;
	return value + step * (value < MANY ? 1 : value / PARTS);
}

static asc_machine *machine_at(const char *name, const char *const *sets, int key, int step, bool twice)
{
	asc_machine *m = asc_machine_load(name, NULL);
	bool good = m != NULL;

	for (; good && *sets; sets++) {
		g_auto(GStrv) parts = g_strsplit(*sets, "=", 2);

		good = asc_machine_set(m, parts[0], parts[1], NULL);
	}
	if (good && step) {
		g_autofree char *now = asc_machine_get_text(m, key);
		g_autofree char *then =
			g_strdup_printf("%" G_GINT64_FORMAT, stepped(g_ascii_strtoll(now, NULL, 0), step, twice));

		good = asc_machine_set(m, asc_keys[key].path, then, NULL);
	}
	if (good && asc_machine_finish(m, NULL))
		return m;
	asc_machine_free(m);
	return NULL;
}

/* The machine with SETS, and KEY a step less or more; NULL when there is none. */
static asc_machine *machine_of(const char *name, const char *const *sets, int key, int step)
{
	asc_machine *m = machine_at(name, sets, key, step, false);

	return m ? m : machine_at(name, sets, key, step, true);
}

/* A program made for the unchanged machine, and how it runs there. */
typedef struct base {
	asc_machine *machine;
	made made;
	result result;
} base;

static enum outcome on_models(const base *b, const asc_machine *changed)
{
	result r = run(b->made.program, changed, false), t;

	if (r.refused)
		return UNFIT;
	if (r.violations)
		return VIOLATES;
	if (r.times == b->result.times)
		return NOTHING;
	t = run(b->made.program, changed, true);
	tally.by_time++;
	tally.by_time_violate += t.violations > 0;
	return DIFFERS;
}

static enum outcome on_scheduler(const base *b, const char *workload, const asc_machine *changed)
{
	made m = make(workload, changed);
	enum outcome o = NO_PROGRAM;
	result r;

	if (!m.program)
		return o;
	r = run(m.program, b->machine, false);
	o = r.refused ? UNFIT : r.violations ? VIOLATES : m.predicted == b->made.predicted ? NOTHING : DIFFERS;
	asc_program_free(m.program);
	return o;
}

static const char *why_structural(const char *key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(structural); i++)
		if (!strcmp(structural[i].key, key))
			return structural[i].why;
	return NULL;
}

static bool is_unused(const char *key, unsigned machine)
{
	for (size_t i = 0; i < G_N_ELEMENTS(unused); i++)
		if (g_pattern_match_simple(unused[i].key, key) && strchr(unused[i].machines, '0' + (int)machine))
			return true;
	return false;
}

/* What came of KEY on machine MACHINE, by outcome: on the side of the models, of the scheduler. */
static void try_key(unsigned machine, const base *bases, int key, bool all, unsigned *seen, unsigned *planned)
{
	for (unsigned i = 0; i < PROGRAMS && (all || !seen[DIFFERS]); i++)
		for (int step = -1; step <= 1; step += 2) {
			asc_machine *changed = machine_of(machines[machine], programs[i].sets, key, step);
			enum outcome o = changed ? on_models(&bases[i], changed) : NO_MACHINE;

			seen[o]++;
			if ((o == VIOLATES || o == UNFIT) && !why_structural(asc_keys[key].path))
				tap_note("%s %s %+d on the models' side: %s %c", machines[machine], asc_keys[key].path,
				         step, programs[i].workload, letters[o]);
			if (changed && all) {
				o = on_scheduler(&bases[i], programs[i].workload, changed);
				planned[o]++;
				if ((o == VIOLATES || o == UNFIT) && !why_structural(asc_keys[key].path))
					tap_note("%s %s %+d on the scheduler's side: %s %c", machines[machine],
					         asc_keys[key].path, step, programs[i].workload, letters[o]);
			}
			if (changed)
				asc_machine_free(changed);
		}
}

static void judge_keys(unsigned machine, const base *bases)
{
	bool all = g_strcmp0(g_getenv("TSPSIM_SPLITS"), "all") == 0;
	unsigned parted = 0, idle = 0, broken = 0;

	for (size_t key = 0; key < asc_key_count; key++) {
		const char *path = asc_keys[key].path;
		unsigned seen[OUTCOMES] = {0}, planned[OUTCOMES] = {0};

		if (!all &&
		    ((!why_structural(path) && is_unused(path, machine)) || !tap_part((unsigned)key + machine, 2)))
			continue;
		try_key(machine, bases, (int)key, all, seen, planned);
		parted += seen[DIFFERS] > 0;
		broken += seen[VIOLATES] || seen[UNFIT] || planned[VIOLATES] || planned[UNFIT];
		if (!why_structural(path)) {
			idle += !seen[DIFFERS];
			CU_ASSERT_EQUAL(seen[VIOLATES] + seen[UNFIT] + planned[VIOLATES] + planned[UNFIT], 0);
			if (all && !seen[DIFFERS] != !planned[DIFFERS])
				tap_note("%s %s: moves only %s", machines[machine], path,
				         seen[DIFFERS] ? "the models' times" : "the scheduler's plans");
			if (!seen[DIFFERS] != is_unused(path, machine))
				tap_note("%s %s: times %s", machines[machine], path,
				         seen[DIFFERS] ? "differ" : "do not differ");
			CU_ASSERT_EQUAL(!seen[DIFFERS], is_unused(path, machine));
		}
	}
	tap_note("%s: %u keys: %u move times, %u of time move none of these programs, %u of structure break one",
	         machines[machine], (unsigned)asc_key_count, parted, idle, broken);
}

static void judge_machine(unsigned machine)
{
	base bases[PROGRAMS];

	memset(&tally, 0, sizeof(tally));
	for (unsigned i = 0; i < PROGRAMS; i++) {
		bases[i].machine = machine_of(machines[machine], programs[i].sets, 0, 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(bases[i].machine);
		bases[i].made = make(programs[i].workload, bases[i].machine);
		CU_ASSERT_PTR_NOT_NULL_FATAL(bases[i].made.program);
		bases[i].result = run(bases[i].made.program, bases[i].machine, false);
		tally.at_home += run(bases[i].made.program, bases[i].machine, true).violations > 0;
		CU_ASSERT_FALSE(bases[i].result.refused);
		CU_ASSERT_EQUAL(bases[i].result.violations, 0);
	}
	judge_keys(machine, bases);
	tap_note(
		"%s: %u runs; by timestamp %u of %u programs violate where they were made for, %u of %u runs elsewhere",
		machines[machine], tally.runs, tally.at_home, (unsigned)PROGRAMS, tally.by_time_violate, tally.by_time);
	CU_ASSERT_TRUE(tally.by_time_violate > 0);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		asc_program_free(bases[i].made.program);
		asc_machine_free(bases[i].machine);
	}
}

static void no_key_of_time_breaks_a_910a_program(void)
{
	judge_machine(0);
}

static void no_key_of_time_breaks_a_910b_program(void)
{
	judge_machine(1);
}

static void no_key_of_time_breaks_a_310p_program(void)
{
	judge_machine(2);
}

int main(void)
{
	static const tap_case cases[] = {
		{"no_key_of_time_breaks_a_910a_program", no_key_of_time_breaks_a_910a_program},
		{"no_key_of_time_breaks_a_910b_program", no_key_of_time_breaks_a_910b_program},
		{"no_key_of_time_breaks_a_310p_program", no_key_of_time_breaks_a_310p_program},
	};

	return tap_run("ascend splits", cases, G_N_ELEMENTS(cases));
}
