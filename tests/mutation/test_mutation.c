/* SPDX-License-Identifier: Apache-2.0
 *
 * Would a wrong schedule be found?  Scheduled programs are changed by one cycle in one place:
 *   issue +1, -1   one instruction, with its whole loop, in the container, which is then lowered again;
 *   nop +1, -1     one NOP word of an encoded queue, which moves all that follows it in that queue.
 * The oracle judges a mutant harmful when it finds a violation or a result that differs from the unchanged program's.
 * The models, which know no predictions, must record a violation for every harmful mutant and none for a harmless one.
 *
 * By default a seeded sample of each small program; with TSPSIM_MUTANTS=all every mutant, of larger ones too.
 */
#include "sched/frontend/frontend.h"
#include "sched/sched.h"
#include "tests/lib/judge.h"
#include "tests/lib/tap.h"

#include "isa/rng.h"

#include <string.h>
#include <unistd.h>

enum mutation { ISSUE_LATER, ISSUE_EARLIER, NOP_LONGER, NOP_SHORTER, MUTATIONS };
static const char *const mutation_names[MUTATIONS] = {"issue +1", "issue -1", "nop +1", "nop -1"};

typedef struct mutant {
	enum mutation mutation;
	uint32_t insn;        /* issue mutants */
	uint32_t queue, word; /* NOP mutants */
} mutant;

typedef struct tally {
	unsigned harmful, harmless, not_encodable; /* by the oracle */
	unsigned missed, false_alarms;             /* by the models, against it */
	unsigned silent;                           /* a wrong result that nothing but the result shows */
	unsigned differing;                        /* not reported alike in every record */
} tally;

/* A scheduled program, written to a file of which every mutant is a copy. */
typedef struct subject {
	const char *machine_name, *workload;
	isa_machine *machine;
	isa_program *program;
	char *path;
	GByteArray *results; /* of the unchanged program */
	GArray *mutants;
} subject;

typedef bool (*read_fn)(const void *from, uint64_t location, void *out, uint64_t bytes);

static bool read_oracle(const void *from, uint64_t location, void *out, uint64_t bytes)
{
	return oracle_memory_read(from, location, out, bytes);
}

/* Calls step() on each index of TENSOR, last dimension fastest; false when none is left. */
static bool next_index(const isa_tensor *tensor, uint64_t *index)
{
	for (uint32_t dim = tensor->rank; dim-- > 0;) {
		if (++index[dim] < tensor->shape[dim])
			return true;
		index[dim] = 0;
	}
	return false;
}

/* Every byte of every output, 0xee and 0x11 where nothing was written. */
static GByteArray *collect_results(const isa_program *program, read_fn read, const void *from)
{
	GByteArray *bytes = g_byte_array_new();

	for (unsigned i = 0; i < program->tensors->len; i++) {
		const isa_tensor *tensor = &g_array_index(program->tensors, isa_tensor, i);
		uint64_t index[ISA_RANK_MAX] = {0};

		if (!tensor->output)
			continue;
		do {
			for (unsigned b = 0; b < isa_type_bytes(tensor->type); b++) {
				uint8_t byte = 0xee, known = 0;

				if (!read(from, isa_tensor_location(tensor, index, b), &byte, 1))
					known = 0x11;
				g_byte_array_append(bytes, &byte, 1);
				g_byte_array_append(bytes, &known, 1);
			}
		} while (next_index(tensor, index));
	}
	return bytes;
}

static bool same_bytes(const GByteArray *a, const GByteArray *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static bool is_nop(isa_word word)
{
	isa_insn insn;

	return isa_decode(word, &insn) && insn.op == ISA_OP_NOP;
}

static void list_mutants(subject *s)
{
	s->mutants = g_array_new(FALSE, TRUE, sizeof(mutant));
	for (uint32_t id = 0; id < s->program->insns->len; id++)
		for (unsigned m = ISSUE_LATER; m <= ISSUE_EARLIER; m++) {
			mutant one = {.mutation = (enum mutation)m, .insn = id};

			if (isa_ops[isa_program_insn(s->program, id)->op].unit != ISA_UNIT_ICU)
				g_array_append_val(s->mutants, one);
		}
	for (uint32_t q = 0; q < s->program->queues->len; q++) {
		const GArray *words = g_ptr_array_index(s->program->queues, q);

		for (uint32_t w = 0; w < words->len; w++)
			for (unsigned m = NOP_LONGER; m <= NOP_SHORTER && is_nop(g_array_index(words, isa_word, w));
			     m++) {
				mutant one = {.mutation = (enum mutation)m, .queue = q, .word = w};

				g_array_append_val(s->mutants, one);
			}
	}
}

static bool schedule(subject *s, GError **error)
{
	static const frontend_options frontend = {"auto", "floor", "fp16"};
	sched_report report = {0};
	sched_options options;
	GPtrArray *graphs;

	s->machine = isa_machine_load(s->machine_name, error);
	if (!s->machine || !isa_machine_finish(s->machine, error))
		return false;
	graphs = frontend_read(s->workload, s->machine, &frontend, error);
	if (!graphs)
		return false;
	for (unsigned i = 0; i < graphs->len; i++)
		graph_fill_inputs(g_ptr_array_index(graphs, i), 7, false);
	sched_options_init(&options);
	options.functional = true;
	s->program = sched_compile(graphs, s->machine, &options, &report, error);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	return s->program && (s->program->queues->len || isa_lower(s->program, s->machine, error));
}

/* The unchanged program must be in order, or mutants of it say nothing. */
static bool unchanged_is_fine(subject *s, GError **error)
{
	oracle_options options = {.functional = true};
	oracle_result *oracle = oracle_execute(s->program, s->machine, &options, error);
	bool fine;

	if (!oracle)
		return false;
	fine = !oracle->violations->len && oracle->cycles == s->program->predicted_cycles;
	s->results = collect_results(s->program, read_oracle, oracle->memory);
	CU_ASSERT_EQUAL(oracle->violations->len, 0);
	CU_ASSERT_EQUAL(oracle->cycles, s->program->predicted_cycles);
	oracle_result_free(oracle);
	return fine;
}

static void subject_free(subject *s)
{
	if (s->path)
		unlink(s->path);
	g_free(s->path);
	if (s->results)
		g_byte_array_unref(s->results);
	if (s->mutants)
		g_array_unref(s->mutants);
	if (s->program)
		isa_program_free(s->program);
	isa_machine_free(s->machine);
	g_free(s);
}

static subject *subject_new(const char *machine, const char *workload)
{
	subject *s = g_new0(subject, 1);
	g_autoptr(GError) error = NULL;
	int file;

	s->machine_name = machine;
	s->workload = workload;
	file = g_file_open_tmp("tspsim-mutant-XXXXXX", &s->path, NULL);
	if (file >= 0)
		close(file);
	if (schedule(s, &error) && unchanged_is_fine(s, &error) && isa_program_write(s->program, s->path, &error)) {
		list_mutants(s);
		return s;
	}
	if (error)
		tap_note("%s %s: %s", machine, workload, error->message);
	CU_ASSERT_PTR_NULL(error);
	subject_free(s);
	return NULL;
}

/* Moves every instruction behind word WORD of QUEUE by BY cycles in the container. */
static void move_rest(isa_program *program, uint32_t queue, uint32_t word, int by)
{
	const GArray *words = g_ptr_array_index(program->queues, queue);
	const GArray *ids = g_ptr_array_index(program->queue_insns, queue);
	unsigned real = 0;

	for (uint32_t w = 0; w < words->len; w++) {
		isa_insn insn;
		bool known = isa_decode(g_array_index(words, isa_word, w), &insn);

		if (known && (insn.op == ISA_OP_NOP || insn.op == ISA_OP_REPEAT))
			continue;
		if (w > word)
			isa_program_insn(program, g_array_index(ids, uint32_t, real))->cycle += by;
		real++;
	}
}

/* A copy of the program with the mutation in its queues, and in its container as the oracle is to see it. */
static isa_program *mutate(const subject *s, const mutant *m)
{
	int by = m->mutation == ISSUE_LATER || m->mutation == NOP_LONGER ? 1 : -1;
	isa_program *program = isa_program_read(s->path, NULL);
	isa_word *word;
	isa_insn nop;
	bool ok;

	if (m->mutation <= ISSUE_EARLIER)
		isa_program_insn(program, m->insn)->cycle += by;
	ok = isa_lower(program, s->machine, NULL);
	if (ok && m->mutation >= NOP_LONGER) {
		word = &g_array_index((GArray *)g_ptr_array_index(program->queues, m->queue), isa_word, m->word);
		ok = isa_decode(*word, &nop) && (int64_t)nop.count + by > 0;
		if (ok) {
			*word = isa_encode_nop((uint32_t)((int64_t)nop.count + by));
			move_rest(program, m->queue, m->word, by);
		}
	}
	if (ok)
		return program;
	isa_program_free(program);
	return NULL;
}

static void name_mutant(const subject *s, const mutant *m, const char *what)
{
	if (m->mutation <= ISSUE_EARLIER)
		tap_note("%s %s: %s of instruction %u (%s): %s", s->machine_name, s->workload,
		         mutation_names[m->mutation], m->insn,
		         isa_ops[isa_program_insn(s->program, m->insn)->op].mnemonic, what);
	else
		tap_note("%s %s: %s, word %u of queue %s: %s", s->machine_name, s->workload,
		         mutation_names[m->mutation], m->word, isa_machine_queue(s->machine, m->queue)->name, what);
}

/* Runs one mutant past both judges. */
static void judge_mutant(const subject *s, const mutant *m, tally *t)
{
	oracle_options options = {.functional = true};
	judge_options model_options = {.functional = true};
	isa_program *program = mutate(s, m);
	g_autoptr(GString) report = g_string_new(NULL);
	GByteArray *results;
	oracle_result *oracle;
	judge_run *run;
	bool found, wrong, alarm;

	if (!program) {
		t->not_encodable++;
		return;
	}
	oracle = oracle_execute(program, s->machine, &options, NULL);
	run = judge_model(program, s->machine, &model_options, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(run);
	results = collect_results(program, read_oracle, oracle->memory);
	found = oracle->violations->len > 0;
	wrong = !same_bytes(results, s->results);
	alarm = judge_violations(run)->len > 0;
	t->harmful += found || wrong;
	t->harmless += !found && !wrong;
	t->silent += wrong && !found;
	if ((found || wrong) && !alarm && t->missed++ < 3)
		name_mutant(s, m, "harmful, and the models say nothing");
	if (!found && !wrong && alarm && t->false_alarms++ < 3)
		name_mutant(s, m, "harmless, and the models report a violation");
	if (judge_compare(oracle, run, program, true, report, 1)) {
		t->differing++;
		if (t->differing <= 3)
			name_mutant(s, m, g_strchomp(report->str));
	}
	g_byte_array_unref(results);
	judge_free(run);
	oracle_result_free(oracle);
	isa_program_free(program);
}

static void add(tally *sum, const tally *t)
{
	sum->harmful += t->harmful;
	sum->harmless += t->harmless;
	sum->not_encodable += t->not_encodable;
	sum->missed += t->missed;
	sum->false_alarms += t->false_alarms;
	sum->silent += t->silent;
	sum->differing += t->differing;
}

/* Judges COUNT mutants of the program, all of them when COUNT is 0; adds what comes of them to TALLIES. */
static void judge_program(const char *machine, const char *workload, unsigned count, tally *tallies)
{
	subject *s = subject_new(machine, workload);
	tally own[MUTATIONS] = {{0}}, sum = {0};
	rng r;

	if (!s)
		return;
	rng_seed(&r, 1, g_str_hash(workload));
	for (unsigned i = 0; i < (count ? MIN(count, s->mutants->len) : s->mutants->len); i++) {
		/* the first COUNT of a shuffle */
		unsigned other = i + (unsigned)(count ? rng_below(&r, s->mutants->len - i) : 0);
		mutant m = g_array_index(s->mutants, mutant, other);

		g_array_index(s->mutants, mutant, other) = g_array_index(s->mutants, mutant, i);
		judge_mutant(s, &m, &own[m.mutation]);
	}
	for (int m = 0; m < MUTATIONS; m++) {
		add(&sum, &own[m]);
		add(&tallies[m], &own[m]);
	}
	tap_note("%s %s: %u mutants: %u harmful, %u of them recorded, %u missed; %u harmless, %u false alarms", machine,
	         workload, sum.harmful + sum.harmless, sum.harmful, sum.harmful - sum.missed, sum.missed, sum.harmless,
	         sum.false_alarms);
	subject_free(s);
}

static const char *const small[] = {
	"gemm:33x65x40",  "gemm:33x65x40:int8",  "conv:1x8x6x6,8x3x3,stride=1,pad=1",
	"softmax:40x12",  "layernorm:20x16",     "transpose:40x24",
	"vmap:exp,1000",  "attention:1x1x16x16", "fft:16",
	"bmm:2x16x16x16",
};
static const char *const large[] = {
	"gemm:128x400x350", "conv:1x16x14x14,32x3x3,stride=2,pad=1", "softmax:64x330", "layernorm:330x20", "fft:64",
};

static void report(const char *machine, const tally *tallies)
{
	tally sum = {0};

	for (int m = 0; m < MUTATIONS; m++) {
		const tally *t = &tallies[m];
		unsigned judged = t->harmful + t->harmless;

		tap_note("%s: %-8s %5u mutants: %3u %% harmful, %3u %% harmless; %u not encodable; %u missed, %u false "
		         "alarms, "
		         "%u silent, %u reported otherwise",
		         machine, mutation_names[m], judged, judged ? 100 * t->harmful / judged : 0,
		         judged ? 100 * t->harmless / judged : 0, t->not_encodable, t->missed, t->false_alarms,
		         t->silent, t->differing);
		add(&sum, t);
	}
	CU_ASSERT_EQUAL(sum.missed, 0);
	CU_ASSERT_EQUAL(sum.false_alarms, 0);
	CU_ASSERT_EQUAL(sum.differing, 0);
	/* Both verdicts must occur somewhere, or the test could not fail; on a stream nothing waits, so a cycle is
	 * rarely harmless there. */
	CU_ASSERT_TRUE(sum.harmful > 0);
	CU_ASSERT_TRUE(sum.harmless > 0 || strcmp(machine, "tsp") != 0);
}

static void judge_machine(const char *machine)
{
	bool all = g_strcmp0(g_getenv("TSPSIM_MUTANTS"), "all") == 0;
	tally tallies[MUTATIONS] = {{0}};

	for (size_t i = 0; i < G_N_ELEMENTS(small); i++)
		judge_program(machine, small[i], all ? 0 : 30, tallies);
	for (size_t i = 0; all && i < G_N_ELEMENTS(large); i++)
		judge_program(machine, large[i], 200, tallies);
	report(machine, tallies);
}

static void harmful_mutants_of_register_style_programs_are_found(void)
{
	judge_machine("tsp");
}

static void harmful_mutants_of_stream_style_programs_are_found(void)
{
	judge_machine("tsp-isca20");
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(harmful_mutants_of_register_style_programs_are_found),
		CASE(harmful_mutants_of_stream_style_programs_are_found),
	};

	return tap_run("mutants", cases, G_N_ELEMENTS(cases));
}
