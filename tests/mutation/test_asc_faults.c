/* SPDX-License-Identifier: Apache-2.0
 *
 * Would a wrong program of the Ascend-style back end be found?  Scheduled programs get one fault each
 * (tests/mutation/asc_faults.def) and are judged twice:
 *   by the brute force of asc_weigh.h: harmful when some accesses are not in order, something never starts, a flag
 *   may be set twice or is left, bytes are read that nobody wrote, or when results differ from the graph's;
 *   by the models, with the results they leave compared with the graph's.
 * Each harmful fault must be found, by the models or by the results; harmless ones, which the brute force proves to be
 * so, must not be reported.
 *
 * By default a seeded fault of each kind and program; as many as TSPSIM_MUTANTS says, or all.  TSPSIM_MACHINE and
 * TSPSIM_WORKLOAD ask for one machine, one workload.
 */
#include "tests/mutation/asc_faults.h"
#include "tests/mutation/asc_weigh.h"
#include "tests/sched/asc_sched.h"
#include "tools/asc_tally.h"

#include "isa/rng.h"

#include <string.h>

typedef struct tally {
	unsigned refused;                               /* by the check of limits, before anything runs */
	unsigned harmful, by_models, by_result, missed; /* found by the models; only by the results */
	unsigned harmless, alarms;
	unsigned gathers;   /* harmless only because of what a gather does not read of what it could */
	unsigned differing; /* values other than those of the brute force, though all is in order */
} tally;

typedef struct subject {
	const char *machine_name, *workload;
	char *name;
	asc_machine *machine;
	GPtrArray *graphs;
	sched_report report;
	asc_program *program;
	GPtrArray *wanted; /* of each tensor: bytes without padding, or NULL */
} subject;

/* Products with tails and, in buffers that hold little, of many tiles; vector kernels, copies, gathers; graphs of
 * several kernels, at which sub-cores meet.  A name that ends in .graph is of a file of this folder. */
static const char *const plain[] = {"cores=2", "l2.bytes=65536", "l2.ways=2", NULL};
static const char *const small[] = {"cores=2",        "l2.bytes=65536", "l2.ways=2",      "l1.bytes=8192",
                                    "l0a.bytes=2048", "l0b.bytes=2048", "l0c.bytes=8192", NULL};
static const char *const one[] = {"cores=1", "l2.bytes=65536", "l2.ways=2", "ub.bytes=12288", NULL};
/* Meetings by words of global memory cost so little that one core alone is not faster. */
static const char *const meeting[] = {
	"cores=3", "l2.bytes=65536", "l2.ways=2", "scalar.load_cycles=1", "scalar.publish_cycles=1", NULL};
static const struct {
	const char *workload, *const *sets;
} workloads[] = {
	{"gemm:17x33x45:fp16", plain},
	{"gemm:33x65x40:int8", plain},
	{"gemm:34x36x50:fp16", small},
	{"gemm:40x64x120:int8", small},
	{"bmm:3x17x18x20:fp16", plain},
	{"vmap:exp,1000", plain},
	{"vmap:add,3000:fp32", one},
	{"softmax:40x12", plain},
	{"softmax:80x20", one},
	{"layernorm:20x16", plain},
	{"transpose:40x24", plain},
	{"embedding:50,16,20", plain},
	{"kvcache:24x2x32,page=4", plain},
	{"fft:16", plain},
	{"conv:1x8x6x6,8x3x3,stride=1,pad=1", plain},
	{"conv:1x20x9x9,12x3x3,pad=1:int8", small},
	{"attention:1x2x16x16", plain},
	{"block.graph", meeting},
};
static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};

static void fill(subject *s)
{
	g_autoptr(GError) error = NULL;
	const graph *g = g_ptr_array_index(s->graphs, 0);
	uint8_t **values = g_new0(uint8_t *, graph_size(g) + 1);
	bool good = graph_evaluate(g, values, &error);

	CU_ASSERT_TRUE_FATAL(good);
	s->wanted = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < s->program->tensors->len; i++) {
		const asc_tensor *t = &g_array_index(s->program->tensors, asc_tensor, i);
		uint8_t *value = NULL;

		for (uint32_t n = 0; t->output && n < graph_size(g); n++)
			if (!strcmp(graph_at(g, n)->name, t->name))
				value = g_memdup2(values[n], t->shape[0] * t->shape[1] * asc_type_bytes(t->type));
		g_ptr_array_add(s->wanted, value);
	}
	for (uint32_t n = 0; n < graph_size(g); n++)
		g_free(values[n]);
	g_free(values);
}

static subject *subject_new(const char *machine, const char *workload, const char *const *sets)
{
	g_autofree char *path = g_build_filename(g_getenv("TSPSIM_SRCDIR"), "tests", "mutation", workload, NULL);
	g_autoptr(GError) error = NULL;
	frontend_target target = frontend_target_ascend();
	subject *s = g_new0(subject, 1);

	s->machine_name = machine;
	s->workload = workload;
	s->name = g_strdup_printf("%s %s", machine, workload);
	s->machine = asc_sched_machine(machine, sets);
	s->graphs = frontend_read_for(g_str_has_suffix(workload, ".graph") ? path : workload, &target, NULL, &error);
	if (!s->graphs)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s->graphs);
	CU_ASSERT_EQUAL_FATAL(s->graphs->len, 1);
	graph_fill_inputs(g_ptr_array_index(s->graphs, 0), 7, false);
	s->program = asc_sched_compile(s->graphs, s->machine, true, &s->report);
	fill(s);
	return s;
}

static void subject_free(subject *s)
{
	g_ptr_array_unref(s->wanted);
	asc_program_free(s->program);
	sched_report_fini(&s->report);
	g_ptr_array_unref(s->graphs);
	asc_machine_free(s->machine);
	g_free(s->name);
	g_free(s);
}

typedef bool (*read_fn)(const void *from, uint64_t address, void *out, uint64_t bytes);

static bool read_chip(const void *from, uint64_t address, void *out, uint64_t bytes)
{
	return asc_chip_read(from, address, out, bytes);
}

static bool read_weigh(const void *from, uint64_t address, void *out, uint64_t bytes)
{
	const weigh *w = from;

	if (address + bytes > w->bytes)
		return false;
	memcpy(out, w->memory + address, bytes);
	return true;
}

/* Are the results those of the graph? */
static bool is_right(const subject *s, read_fn read, const void *from)
{
	for (guint i = 0; i < s->program->tensors->len; i++) {
		const asc_tensor *t = &g_array_index(s->program->tensors, asc_tensor, i);
		const uint8_t *wanted = s->wanted->pdata[i];
		uint64_t row = t->shape[1] * asc_type_bytes(t->type);
		g_autofree uint8_t *got = g_malloc(row + 1);

		for (uint64_t y = 0; wanted && y < t->shape[0]; y++)
			if (!read(from, t->address + y * (uint64_t)t->stride[0], got, row) ||
			    memcmp(got, wanted + y * row, row) != 0)
				return false;
	}
	return true;
}

/* Do both leave the same global memory? */
static bool same_memory(const weigh *w, const asc_run *r)
{
	g_autofree uint8_t *got = g_malloc(w->bytes + 1);

	return asc_chip_read(r->chip, 0, got, w->bytes) && memcmp(got, w->memory, w->bytes) == 0;
}

static void say(const subject *s, const asc_fault *f, const weigh *w, const asc_run *r, const char *what)
{
	g_autofree char *text = asc_fault_text(s->program, f);
	g_autoptr(GString) found = g_string_new(NULL);

	for (unsigned i = 0; w && i < WEIGH_FAULTS; i++)
		if (w->count[i])
			g_string_append_printf(found, " %u %s", w->count[i], weigh_fault_name((enum weigh_fault)i));
	tap_note("%s: %s: %s;%s; models: %u%s%s", s->name, what, text, found->str, r ? r->violations->len : 0,
	         r && r->violations->len ? asc_violation_name(g_array_index(r->violations, asc_violation, 0).kind) : "",
	         r && r->deadlock ? " deadlock" : "");
}

enum { SHOWN = 6 };

static void judge(const subject *s, const asc_fault *f, tally *t)
{
	asc_program *program = asc_fault_plant(s->program, f);
	bool harmful, right, found;
	asc_run *r;
	weigh *w;

	if (!asc_check(program, s->machine, NULL)) {
		t->refused++;
		asc_fault_undo(program);
		return;
	}
	w = weigh_program(program, s->machine, false);
	r = asc_sched_run(program, s->machine, true, false);
	harmful = !weigh_is_sound(w) || !w->memory || !is_right(s, read_weigh, w);
	found = r->violations->len || r->deadlock;
	right = is_right(s, read_chip, r->chip);
	t->harmful += harmful;
	t->harmless += !harmful;
	t->by_models += harmful && found;
	t->by_result += harmful && !found && !right;
	if (harmful && !found && right && t->missed++ < SHOWN)
		say(s, f, w, r, "missed");
	if (!harmful && (found || !right) && t->alarms++ < SHOWN)
		say(s, f, w, r, "false alarm");
	if (weigh_is_sound(w) && w->memory && !same_memory(w, r) && t->differing++ < SHOWN)
		say(s, f, w, r, "other values");
	if (!harmful && (f->kind == ASC_FAULT_FLAG || f->kind == ASC_FAULT_BARRIER)) {
		weigh *wide = weigh_program(program, s->machine, true);

		t->gathers += wide->count[WEIGH_UNORDERED] > 0;
		if (!wide->count[WEIGH_UNORDERED])
			say(s, f, w, r, "not needed");
		weigh_free(wide);
	}
	weigh_free(w);
	asc_run_free(r);
	asc_fault_undo(program);
}

/* The unplanted program must be in order, for both, or faults in it say nothing. */
static bool is_sound(const subject *s)
{
	weigh *w = weigh_program(s->program, s->machine, false);
	asc_run *r = asc_sched_run(s->program, s->machine, true, false);
	bool clean = asc_run_clean(r, s->name), sound = weigh_is_sound(w);

	for (unsigned i = 0; i < WEIGH_FAULTS; i++)
		if (w->count[i])
			tap_note("%s: %u %s", s->name, w->count[i], weigh_fault_name((enum weigh_fault)i));
	if (w->memory && (!is_right(s, read_weigh, w) || !is_right(s, read_chip, r->chip) || !same_memory(w, r))) {
		tap_note("%s: results of brute force %s, of the models %s, memory %s", s->name,
		         is_right(s, read_weigh, w) ? "right" : "wrong",
		         is_right(s, read_chip, r->chip) ? "right" : "wrong", same_memory(w, r) ? "same" : "other");
		sound = false;
	}
	CU_ASSERT_TRUE(sound);
	weigh_free(w);
	asc_run_free(r);
	return clean && sound;
}

static void judge_workload(const char *machine, const char *workload, const char *const *sets, unsigned count,
                           tally *tallies)
{
	subject *s = subject_new(machine, workload, sets);
	bool sound = is_sound(s);
	rng r;

	rng_seed(&r, 1, g_str_hash(s->name));
	for (unsigned kind = 0; sound && kind < ASC_FAULTS; kind++) {
		GArray *faults = asc_faults_list(s->program, s->machine, (enum asc_fault_kind)kind);

		for (guint i = 0; i < (count ? MIN(count, faults->len) : faults->len); i++) {
			guint other = i + (guint)(count ? rng_below(&r, faults->len - i) : 0);
			asc_fault f = g_array_index(faults, asc_fault, other);

			g_array_index(faults, asc_fault, other) = g_array_index(faults, asc_fault, i);
			judge(s, &f, &tallies[kind]);
		}
		g_array_unref(faults);
	}
	subject_free(s);
}

static void report(const char *machine, const tally *tallies)
{
	unsigned missed = 0, alarms = 0, differing = 0, unneeded = 0;

	for (unsigned kind = 0; kind < ASC_FAULTS; kind++) {
		const tally *t = &tallies[kind];

		missed += t->missed;
		alarms += t->alarms;
		differing += t->differing;
		if (kind == ASC_FAULT_FLAG || kind == ASC_FAULT_BARRIER)
			unneeded += t->harmless - t->gathers;
		if (t->refused + t->harmful + t->harmless)
			tap_note("%s: %s: %u refused; %u harmful, %u found by the models, %u by the result, %u missed; "
			         "%u "
			         "harmless, %u of them for gathers, %u false alarms; %u other values",
			         machine, asc_fault_doc((enum asc_fault_kind)kind), t->refused, t->harmful,
			         t->by_models, t->by_result, t->missed, t->harmless, t->gathers, t->alarms,
			         t->differing);
	}
	CU_ASSERT_EQUAL(missed, 0);
	CU_ASSERT_EQUAL(alarms, 0);
	CU_ASSERT_EQUAL(differing, 0);
	CU_ASSERT_EQUAL(unneeded, 0);
}

static void judge_machine(const char *machine)
{
	enum { SAMPLE = 1 };
	const char *mutants = g_getenv("TSPSIM_MUTANTS"), *only = g_getenv("TSPSIM_WORKLOAD");
	unsigned count = g_strcmp0(mutants, "all") == 0 ? 0 : mutants ? (unsigned)atoi(mutants) : SAMPLE;
	tally tallies[ASC_FAULTS] = {{0}};

	if (g_getenv("TSPSIM_MACHINE") && g_strcmp0(g_getenv("TSPSIM_MACHINE"), machine))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++)
		if (only ? !strcmp(only, workloads[i].workload)
		         : mutants || tap_part((unsigned)i + (unsigned)machine[strlen(machine) - 1], 2))
			judge_workload(machine, workloads[i].workload, workloads[i].sets, count, tallies);
	report(machine, tallies);
}

static void harmful_faults_of_910a_programs_are_found(void)
{
	judge_machine(machines[0]);
}

static void harmful_faults_of_910b_programs_are_found(void)
{
	judge_machine(machines[1]);
}

static void harmful_faults_of_310p_programs_are_found(void)
{
	judge_machine(machines[2]);
}

/* What the comparison makes of REPORTS when held against PROGRAM. */
static uint64_t differing(const subject *s, const GArray *reports, const asc_program *program)
{
	asc_tally *t = asc_tally_new(s->machine, program);
	uint64_t differ;

	for (guint i = 0; i < reports->len; i++)
		asc_tally_add(t, &g_array_index(reports, asc_report, i));
	differ = asc_tally_differ(t);
	asc_tally_free(t);
	return differ;
}

static bool same_reports(const GArray *a, const GArray *b)
{
	bool same = a->len == b->len;

	for (guint i = 0; same && i < a->len; i++) {
		const asc_report *x = &g_array_index(a, asc_report, i), *y = &g_array_index(b, asc_report, i);

		same = x->stream == y->stream && x->insn == y->insn && x->start == y->start && x->done == y->done;
	}
	return same;
}

/* Moves the prediction of each instruction in turn; EXACT counts those that were met before. */
static void move_predictions(const subject *s, unsigned *exact, unsigned *noticed, unsigned *others)
{
	asc_run *r = asc_sched_run(s->program, s->machine, true, true), *moved;
	asc_program *p = asc_fault_plant(s->program, NULL);
	uint64_t before = differing(s, r->reports, p);

	for (guint i = 0; i < r->reports->len; i++) {
		const asc_report *report = &g_array_index(r->reports, asc_report, i);
		asc_insn *insn = &g_array_index(((asc_stream *)p->streams->pdata[report->stream])->insns, asc_insn,
		                                report->insn);

		if (insn->start == ASC_NO_TIME)
			continue;
		if (insn->start == report->start && (insn->end == ASC_NO_TIME || insn->end == report->done)) {
			insn->start++;
			(*exact)++;
			*noticed += differing(s, r->reports, p) == before + 1;
			insn->start--;
		} else {
			(*others)++;
		}
	}
	for (guint i = 0; i < r->reports->len; i++) {
		const asc_report *report = &g_array_index(r->reports, asc_report, i);
		asc_stream *stream = p->streams->pdata[report->stream];

		g_array_index(stream->insns, asc_insn, report->insn).start = 1000 - report->start;
		g_array_index(stream->insns, asc_insn, report->insn).end = 1000;
	}
	moved = asc_sched_run(p, s->machine, true, true);
	CU_ASSERT_TRUE(same_reports(r->reports, moved->reports));
	CU_ASSERT_EQUAL(moved->violations->len, 0);
	asc_run_free(moved);
	asc_fault_undo(p);
	asc_run_free(r);
}

static void moved_predictions_are_noticed_by_the_comparison_alone(void)
{
	for (size_t m = 0; m < G_N_ELEMENTS(machines); m++) {
		unsigned exact = 0, noticed = 0, others = 0;

		for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++) {
			subject *s = subject_new(machines[m], workloads[i].workload, workloads[i].sets);

			move_predictions(s, &exact, &noticed, &others);
			subject_free(s);
		}
		tap_note("%s: %u predictions that were met, %u noticed when moved by a cycle; %u were not met before",
		         machines[m], exact, noticed, others);
		CU_ASSERT_TRUE(exact > 0);
		CU_ASSERT_EQUAL(noticed, exact);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"harmful_faults_of_910a_programs_are_found", harmful_faults_of_910a_programs_are_found},
		{"harmful_faults_of_910b_programs_are_found", harmful_faults_of_910b_programs_are_found},
		{"harmful_faults_of_310p_programs_are_found", harmful_faults_of_310p_programs_are_found},
		{"moved_predictions_are_noticed_by_the_comparison_alone",
	         moved_predictions_are_noticed_by_the_comparison_alone},
	};

	return tap_run("ascend faults", cases, G_N_ELEMENTS(cases));
}
