/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory matrix work takes on the stream-style machine: words of a convolution's input counted one by one,
 * and the host's words in compiled programs.
 */
#include "sched/emit/isca20_mxm.h"
#include "sched/frontend/frontend.h"
#include "sched/sched.h"
#include "tests/lib/tap.h"

static isa_machine *machine(void)
{
	isa_machine *m = isa_machine_load("tsp-isca20", NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(isa_machine_finish(m, NULL));
	return m;
}

/* The convolution of WORKLOAD; the graph list stays alive. */
static const graph_conv *conv_of(const char *workload, GPtrArray **graphs)
{
	isa_machine *m = machine();
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

/* Words that the host fills for WORKLOAD. */
static uint64_t host_words(const char *workload)
{
	isa_machine *m = machine();
	GPtrArray *graphs = frontend_read(workload, m, NULL, NULL);
	sched_options options;
	sched_report report = {0};
	g_autoptr(GError) error = NULL;
	isa_program *program;
	uint64_t bytes = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	sched_options_init(&options);
	program = sched_compile(graphs, m, &options, &report, &error);
	if (error)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	for (guint e = 0; e < program->epochs->len; e++) {
		const GArray *images = g_array_index(program->epochs, isa_epoch, e).images;

		for (guint i = 0; i < images->len; i++)
			bytes += g_array_index(images, isa_image, i).bytes;
	}
	isa_program_free(program);
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	isa_machine_free(m);
	return bytes / 320;
}

/* 5 K blocks for 2 engines (fp16): engine 0 takes blocks 0 and 2, engine 1 blocks 1 and 3, each half of the rows of
 * block 4; two words a vector.  Input 1024 x 5 x 2; weights 1600 x 2, those of block 4 once more for the other engine:
 * 320 x 2. */
static void engines_store_only_what_they_take_of_a_product(void)
{
	CU_ASSERT_EQUAL(host_words("conv:1x1x1024x1600,48x1x1600"), 1024 * 5 * 2 + 1600 * 2 + 320 * 2);
	CU_ASSERT_EQUAL(host_words("gemm:1024x48x1600"), 1024 * 5 * 2 + 1600 * 2 + 320 * 2);
}

/* 3 channels, 3 x 3, stride 2, 20 x 33: 9 x 16 outputs; a word for each of 16 columns in each of 19 lines.  3 K blocks:
 * engine 0 takes blocks 0 and 2 (36 rows a quarter are too few to cut block 2), engine 1 block 1: both meet all lines.
 * Weights: 9 rows a block in loads of 8, so 16 slices of 2 words. */
static void engines_that_meet_the_same_pixels_have_copies(void)
{
	CU_ASSERT_EQUAL(host_words("conv:1x3x20x33,4x3x3,stride=2"), 2 * 19 * 16 * 2 + 3 * 16 * 2);
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
	};

	return tap_run("capacity", cases, G_N_ELEMENTS(cases));
}
