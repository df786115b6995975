/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory matrix work takes on the stream-style machine: words of a convolution's input counted one by one, the
 * host's words in compiled programs, and runs on machines with so little memory that layers fit only when they share
 * slices or words.
 */
#include "sched/emit/isca20_mxm.h"
#include "sched/frontend/frontend.h"
#include "tests/sched/isca_chip.h"

#include <string.h>

#include "tests/lib/tap.h"

/* The convolution of WORKLOAD; the graph list stays alive. */
static const graph_conv *conv_of(const char *workload, GPtrArray **graphs)
{
	isa_machine *m = isca_machine(NULL);
	const graph *g;

	*graphs = frontend_read(workload, m, NULL, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(*graphs);
	isa_machine_free(m);
	g = g_ptr_array_index(*graphs, 0);
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (graph_at(g, i)->op == GRAPH_CONV)
			return &graph_at(g, i)->conv;
	CU_FAIL_FATAL("no convolution");
	return NULL;
}

/* Checks that words and first pixels are the same thing for every output, filter row and tap block, and that all words
 * numbered are used. */
static void check_words(const graph_conv *c)
{
	isca_taps t = isca_taps_of(c);
	uint64_t words = t.lines * t.line_words, used = 0;
	g_autofree bool *seen = g_new0(bool, words);

	for (uint64_t row = 0; row < c->oh; row++)
		for (uint64_t column = 0; column < c->ow; column++)
			for (uint64_t r = 0; r < c->r; r++)
				for (uint64_t s = 0; s < c->s; s += c->block_taps) {
					uint64_t word = isca_taps_at(&t, c, row, column, r, s);

					CU_ASSERT_FATAL(word < words);
					CU_ASSERT_EQUAL(isca_taps_height(&t, c, word / t.line_words),
					                row * c->stride_h + r);
					CU_ASSERT_EQUAL(isca_taps_pixel(&t, c, word % t.line_words),
					                column * c->stride_w + s);
					used += !seen[word];
					seen[word] = true;
				}
	CU_ASSERT_EQUAL(used, words);
}

/* The number of different first pixels, by looking at all. */
static uint64_t count_pixels(const graph_conv *c)
{
	uint64_t width = c->w + 2 * c->pad + c->s, rows = 0, columns = 0;
	g_autofree bool *row = g_new0(bool, c->h + 2 * c->pad + c->r);
	g_autofree bool *column = g_new0(bool, width);

	for (uint64_t i = 0; i < c->oh; i++)
		for (uint64_t r = 0; r < c->r; r++) {
			rows += !row[i * c->stride_h + r];
			row[i * c->stride_h + r] = true;
		}
	for (uint64_t i = 0; i < c->ow; i++)
		for (uint64_t s = 0; s < c->s; s += c->block_taps) {
			columns += !column[i * c->stride_w + s];
			column[i * c->stride_w + s] = true;
		}
	return rows * columns;
}

static void each_first_pixel_that_an_output_needs_is_one_word(void)
{
	static const char *const workloads[] = {"conv:1x3x9x9,4x3x3",
	                                        "conv:1x64x9x40,7x2x11,stride=1x3",
	                                        "conv:1x100x9x40,7x2x11,stride=1x4",
	                                        "conv:1x1x12x700,3x2x600,stride=7x3",
	                                        "conv:1x1x12x700,3x2x600,stride=64",
	                                        "conv:1x400x7x9,3x3x3,stride=2x3,pad=1",
	                                        "conv:1x1x4x1600,33x1x1600",
	                                        "conv:1x1x4x1600,3x2x1500,stride=5x7",
	                                        "conv:1x7x9x300,3x5x299,stride=4x1",
	                                        "conv:1x2x5x320,3x3x170,stride=1x25",
	                                        "conv:1x40x9x99,3x2x33,stride=5x12",
	                                        "conv:1x160x6x7,24x1x1,stride=2"};

	for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++) {
		GPtrArray *graphs;
		const graph_conv *c = conv_of(workloads[i], &graphs);
		isca_taps t = isca_taps_of(c);

		check_words(c);
		CU_ASSERT_EQUAL(t.lines * t.line_words, count_pixels(c));
		g_ptr_array_unref(graphs);
	}
}

/* 1 channel, filter 1 x 1600, input width 1600: one output column, tap blocks at 0, 320, .. 1280: 5 words a line, and
 * each is read for one output only. */
static void a_product_written_as_a_convolution_has_a_word_for_each_k_block(void)
{
	GPtrArray *graphs;
	const graph_conv *c = conv_of("conv:1x1x1024x1600,48x1x1600", &graphs);
	isca_taps t = isca_taps_of(c);

	CU_ASSERT_EQUAL(t.line_words, 5);
	CU_ASSERT_EQUAL(t.lines, 1024);
	CU_ASSERT_FALSE(isca_taps_share(&t, c));
	g_ptr_array_unref(graphs);
}

/* 64 channels: blocks of 5 taps at 0, 5, 10; stride 3: first pixels 3 i + {0, 5, 10} with i < 10, three phases, nothing
 * in common: 30 words a line.  Stride 5: 5 i + {0, 5, 10} with i < 6: pixels 0, 5, .. 35, 8 words instead of 18. */
static void tap_blocks_share_words_when_the_stride_divides_their_distance(void)
{
	GPtrArray *graphs;
	const graph_conv *c = conv_of("conv:1x64x9x40,7x2x11,stride=1x3", &graphs);

	CU_ASSERT_EQUAL(isca_taps_of(c).line_words, 30);
	g_ptr_array_unref(graphs);
	c = conv_of("conv:1x64x9x40,7x2x11,stride=1x5", &graphs);
	CU_ASSERT_EQUAL(isca_taps_of(c).line_words, 8);
	g_ptr_array_unref(graphs);
}

/* A machine with so many words in each of two banks of a slice; 0: the published number. */
static isa_machine *machine_of(unsigned words_per_bank)
{
	g_autofree char *setting = g_strdup_printf("mem.words_per_bank=%u", words_per_bank);

	return isca_machine(words_per_bank ? (const char *const[]){setting, NULL} : NULL);
}

static isa_program *compile(const char *workload, unsigned words_per_bank)
{
	isa_machine *m = machine_of(words_per_bank);
	sched_report report = {0};
	g_autoptr(GError) error = NULL;
	isa_program *program = isca_compile(workload, m, &report, &error);

	if (error)
		tap_note("%s: %s", workload, error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	sched_report_fini(&report);
	isa_machine_free(m);
	return program;
}

/* Words that the host fills for WORKLOAD. */
static uint64_t host_words(const char *workload, unsigned words_per_bank)
{
	isa_program *program = compile(workload, words_per_bank);
	uint64_t bytes = 0;

	for (guint e = 0; e < program->epochs->len; e++) {
		const GArray *images = g_array_index(program->epochs, isa_epoch, e).images;

		for (guint i = 0; i < images->len; i++)
			bytes += g_array_index(images, isa_image, i).bytes;
	}
	isa_program_free(program);
	return bytes / 320;
}

/* Issues of OP in the program for WORKLOAD. */
static uint64_t count_issues(const char *workload, unsigned words_per_bank, enum isa_op op)
{
	isa_program *program = compile(workload, words_per_bank);
	uint64_t issues = 0;

	for (guint i = 0; i < program->insns->len; i++)
		if (isa_program_insn(program, i)->op == op)
			issues += isa_insn_issues(isa_program_insn(program, i));
	isa_program_free(program);
	return issues;
}

/* 5 K blocks for 2 engines (fp16): engine 0 takes blocks 0 and 2, engine 1 blocks 1 and 3, each half of the rows of
 * block 4; two words a vector.  Input 1024 x 5 x 2; weights 1600 x 2, those of block 4 once more for the other engine:
 * 320 x 2. */
static void engines_store_only_what_they_take_of_a_product(void)
{
	CU_ASSERT_EQUAL(host_words("conv:1x1x1024x1600,48x1x1600", 0), 1024 * 5 * 2 + 1600 * 2 + 320 * 2);
	CU_ASSERT_EQUAL(host_words("gemm:1024x48x1600", 0), 1024 * 5 * 2 + 1600 * 2 + 320 * 2);
}

/* 3 channels, 3 x 3, stride 2, 20 x 33: 9 x 16 outputs; a word for each of 16 columns in each of 19 lines.  3 K blocks:
 * engine 0 takes blocks 0 and 2 (36 rows a quarter are too few to cut block 2), engine 1 block 1: both meet all lines.
 * Weights: 9 rows a block in loads of 8, so 16 slices of 2 words. */
static void engines_that_meet_the_same_pixels_have_copies(void)
{
	CU_ASSERT_EQUAL(host_words("conv:1x3x20x33,4x3x3,stride=2", 0), 2 * 19 * 16 * 2 + 3 * 16 * 2);
}

/* 64 words a slice; 3 channels, 60 x 61, 16 filters of 3 x 3: 58 x 59 outputs.  A word for each output and line: 60 *
 * 59 * 2 = 7080 of 5632 words.  Instead, a word holds all 61 pixels of a line.  Results of 16 lanes: s strips of r = 58
 * / s rows, rounded up to an even number of slices of one row each, take r * 59 * 2 words; weights 27 * s * 2, twice;
 * lines (r / 2 + 2) * s * 2, twice: the least is s = 10, r = 6 with 708 + 1080 + 200.  So each engine has 10 strips of
 * 3 + 2 lines, two bytes; and for each of 3 K blocks, 16 slices with 10 times 9 rows, eight at a time. */
static void narrow_vectors_share_words_when_memory_is_short(void)
{
	CU_ASSERT_EQUAL(host_words("conv:1x3x60x61,16x3x3:fp16", 32), 2 * 10 * 5 * 2 + 2 * 3 * 16 * 10 * 2);
}

/* As above.  Every pixel but those of column 0 begins in the middle of a word, 3 lines each: 58 * 58 * 3 shifts.  Each
 * pixel of the 9 strips after the first takes two XORs: 58 rows but for the first 6. */
static void shared_words_cost_a_shift_and_two_operations(void)
{
	CU_ASSERT_EQUAL(count_issues("conv:1x3x60x61,16x3x3:fp16", 32, ISA_OP_SHIFT), 58 * 58 * 3);
	CU_ASSERT_EQUAL(count_issues("conv:1x3x60x61,16x3x3:fp16", 32, ISA_OP_XOR), 2 * 52 * 59);
	CU_ASSERT_EQUAL(count_issues("conv:1x3x60x61,16x3x3:fp16", 0, ISA_OP_SHIFT), 0);
}

static void assert_agrees(const char *workload, unsigned words_per_bank)
{
	isa_machine *m = machine_of(words_per_bank);
	g_autoptr(GError) error = NULL;
	isca_trial run;
	bool ok = isca_try_workload(workload, m, &run, &error);

	ok = ok && run.cycles == run.predicted && !run.violations && !run.mispredicted && run.values && !run.wrong &&
	     run.checked;
	CU_ASSERT_TRUE(ok);
	if (!ok)
		tap_note("%s, %u words a bank: %s\n%s", workload, words_per_bank, error ? error->message : "ran",
		         run.text->str);
	isca_trial_fini(&run);
	isa_machine_free(m);
}

/* Inputs have infinities and NaN, so that a lane which takes part without being asked shows. */
static void layers_in_little_memory_compute_the_same_values(void)
{
	static const struct {
		const char *workload;
		unsigned words_per_bank;
	} cases[] = {
		{"conv:1x3x60x61,16x3x3:fp16", 32},
		{"conv:1x3x60x61,16x3x3:fp16", 64},
		{"conv:1x3x60x61,16x3x3,pad=1:int8", 32},
		{"conv:1x3x60x61,16x3x3,pad=1:int8", 128},
		{"conv:2x4x40x41,10x3x5,stride=2,pad=2:fp16", 32},
		{"conv:2x4x40x41,10x3x5,stride=2,pad=2:fp16", 48},
		{"conv:2x8x40x41,30x3x3,groups=2:int8", 48},
		{"conv:1x40x40x40,100x3x3:fp16", 64},
		{"conv:1x200x30x30,50x3x3,stride=1x2:fp16", 72},
		{"gemm:1000x1000x64:fp16", 64},
		{"gemm:1000x64x1000:fp16", 96},
		{"gemm:1000x330x330:int8", 80},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		if (tap_part((unsigned)i, 3))
			assert_agrees(cases[i].workload, cases[i].words_per_bank);
}

/* 500 x 500 x 161, 161 filters of 3 x 3, 498 x 498 results, two bytes each: 80,500,000 + 466,578 + 79,857,288.  161
 * lanes are too many for two vectors to share a word: 500 lines of 500 words, 9 * 161 rows of weights, 498 * 498
 * results, two words each. */
static void refusal_tells_bytes_from_whole_vectors(void)
{
	isa_machine *m = isca_machine(NULL);
	sched_report report = {0};
	g_autoptr(GError) error = NULL;
	isa_program *program = isca_compile("conv:1x161x500x500,161x3x3:fp16", m, &report, &error);

	CU_ASSERT_PTR_NULL(program);
	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message,
	                              "160823866 bytes take 319649920 in whole vectors (998906 words of 320 bytes), "
	                              "capacity 230686720 bytes"));
	sched_report_fini(&report);
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"each_first_pixel_that_an_output_needs_is_one_word",
	         each_first_pixel_that_an_output_needs_is_one_word},
		{"a_product_written_as_a_convolution_has_a_word_for_each_k_block",
	         a_product_written_as_a_convolution_has_a_word_for_each_k_block},
		{"tap_blocks_share_words_when_the_stride_divides_their_distance",
	         tap_blocks_share_words_when_the_stride_divides_their_distance},
		{"engines_store_only_what_they_take_of_a_product", engines_store_only_what_they_take_of_a_product},
		{"engines_that_meet_the_same_pixels_have_copies", engines_that_meet_the_same_pixels_have_copies},
		{"narrow_vectors_share_words_when_memory_is_short", narrow_vectors_share_words_when_memory_is_short},
		{"shared_words_cost_a_shift_and_two_operations", shared_words_cost_a_shift_and_two_operations},
		{"layers_in_little_memory_compute_the_same_values", layers_in_little_memory_compute_the_same_values},
		{"refusal_tells_bytes_from_whole_vectors", refusal_tells_bytes_from_whole_vectors},
	};

	return tap_run("capacity", cases, G_N_ELEMENTS(cases));
}
