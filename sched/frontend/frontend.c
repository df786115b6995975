/* SPDX-License-Identifier: Apache-2.0
 *
 * From a workload text or file to graphs: the table of generators, the choice between text and file, and the cursor
 * that generators read their arguments with.
 *
 * A text whose word before the first ':' is a generator's name is a generator; any other text names a file, read as a
 * graph when it ends in ".graph" and as SCALE-Sim CSV when it ends in ".csv".
 */
#include "sched/frontend/internal.h"

#include <stdarg.h>
#include <string.h>

#include "isa/file.h"

const frontend_generator frontend_generators[] = {
	{"gemm", "gemm:MxNxK[,split=P][:int8|fp16]", "One matrix product [M][K] x [K][N]."},
	{"bmm", "bmm:BxMxNxK[,split=P][:int8|fp16]", "B independent matrix products [M][K] x [K][N]."},
	{"conv", "conv:NxCxHxW,KxRxS[,stride=S][,pad=P][,groups=G][:int8|fp16]",
         "2-D convolution of N images of C channels with K filters."},
	{"attention", "attention:BxHxSxD[:int8|fp16]",
         "softmax(Q K^T / sqrt D) V of B x H heads, sequence S, head size D."},
	{"flash", "flash:BxHxSxD[,tile=T]",
         "What attention is, over tiles of T keys (128) with running maxima and sums."},
	{"softmax", "softmax:RxC[:fp16|fp32]", "Softmax over the C elements of each of R rows."},
	{"layernorm", "layernorm:RxC[:fp16|fp32]", "Layer normalisation over the C elements of each of R rows."},
	{"transpose", "transpose:RxC[:TYPE]", "The transpose of an R x C matrix."},
	{"fft", "fft:N[:fp16|fp32]", "Complex FFT of N points, N a power of two, bit-reversed output."},
	{"vmap", "vmap:OP,N[:TYPE]", "One vector operation on N elements."},
	{"embedding", "embedding:V,D,N[,zipf=S][:TYPE]", "N rows of D elements gathered from a table of V rows."},
	{"kvcache", "kvcache:TxHxD[,page=P][:TYPE]",
         "Each of H heads of size D gathered from a token-major cache of T tokens."},
	{"columns", "columns:RxC,N[:TYPE]", "The first N columns of a row-major R x C matrix."},
};
const size_t frontend_generator_count = G_N_ELEMENTS(frontend_generators);

static const generate_function functions[] = {
	frontend_i_generate_gemm,      frontend_i_generate_bmm,       frontend_i_generate_conv,
	frontend_i_generate_attention, frontend_i_generate_flash,     frontend_i_generate_softmax,
	frontend_i_generate_layernorm, frontend_i_generate_transpose, frontend_i_generate_fft,
	frontend_i_generate_vmap,      frontend_i_generate_embedding, frontend_i_generate_kvcache,
	frontend_i_generate_columns,
};
G_STATIC_ASSERT(G_N_ELEMENTS(functions) == G_N_ELEMENTS(frontend_generators));

/* One size; products are checked apart. */
#define SIZE_MAX_TEXT ((uint64_t)1 << 40)

bool frontend_i_fail(const frontend_spec *s, const char *where, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(s->error, TSP_ERROR, TSP_ERROR_USER, "workload '%s', column %d: %s", s->text,
	            (int)(where - s->text) + 1, text);
	return false;
}

bool frontend_i_size(frontend_spec *s, const char *what, uint64_t *value)
{
	const char *begin = s->at;
	uint64_t number = 0;

	while (g_ascii_isdigit(*s->at)) {
		number = number * 10 + (uint64_t)(*s->at++ - '0');
		if (number > SIZE_MAX_TEXT)
			return frontend_i_fail(s, begin, "%s exceeds 2^40", what);
	}
	if (s->at == begin)
		return frontend_i_fail(s, begin, "expected %s, a positive number", what);
	if (number == 0)
		return frontend_i_fail(s, begin, "expected %s, a positive number, found 0", what);
	*value = number;
	return true;
}

bool frontend_i_sizes(frontend_spec *s, const char *names, unsigned count, uint64_t *values)
{
	for (unsigned i = 0; i < count; i++) {
		char what[] = {names[i], '\0'};

		if (i > 0 && !frontend_i_expect(s, 'x', "'x' and a further size"))
			return false;
		if (!frontend_i_size(s, what, &values[i]))
			return false;
	}
	return true;
}

bool frontend_i_expect(frontend_spec *s, char wanted, const char *what)
{
	if (*s->at != wanted)
		return frontend_i_fail(s, s->at, "expected %s", what);
	s->at++;
	return true;
}

char *frontend_i_word(frontend_spec *s)
{
	const char *begin = s->at;

	while (g_ascii_isalnum(*s->at) || *s->at == '_')
		s->at++;
	return g_strndup(begin, (gsize)(s->at - begin));
}

/* "int8, fp16 or fp32" */
static char *legal_types(unsigned legal)
{
	GString *text = g_string_new(NULL);

	for (unsigned t = 0; t < ISA_TYPE_COUNT; t++) {
		if (!(legal >> t & 1))
			continue;
		if (text->len)
			g_string_append(text, legal >> (t + 1) ? ", " : " or ");
		g_string_append(text, isa_type_name((enum isa_type)t));
	}
	return g_string_free(text, FALSE);
}

bool frontend_i_type(frontend_spec *s, unsigned legal, enum isa_type *type)
{
	g_autofree char *names = legal_types(legal);
	g_autofree char *word = NULL;
	const char *begin;
	int found;

	*type = ISA_TYPE_F16;
	if (!*s->at)
		return true;
	if (*s->at != ':')
		return frontend_i_fail(s, s->at, "expected the end, or ':' and a type (%s)", names);
	begin = ++s->at;
	word = frontend_i_word(s);
	found = isa_type_from_name(word);
	if (found < 0 || !(legal >> found & 1))
		return frontend_i_fail(s, begin, "expected type %s, found '%s'", names, begin);
	if (*s->at)
		return frontend_i_fail(s, s->at, "expected the end of the workload");
	*type = (enum isa_type)found;
	return true;
}

bool frontend_i_fits(const frontend_spec *s, const uint64_t *values, unsigned count)
{
	unsigned __int128 product = 1;

	for (unsigned i = 0; i < count; i++) {
		product *= values[i];
		if (product >> 60)
			return frontend_i_fail(s, s->text, "the sizes multiply to more than 2^60");
	}
	return true;
}

static int find_generator(const char *name)
{
	for (size_t i = 0; i < frontend_generator_count; i++)
		if (!strcmp(frontend_generators[i].name, name))
			return (int)i;
	return -1;
}

static void set_unknown(const char *workload, const char *word, GError **error)
{
	const char *names[G_N_ELEMENTS(frontend_generators) + 1] = {NULL};
	GString *text = g_string_new(NULL);
	const char *nearest;

	for (size_t i = 0; i < frontend_generator_count; i++)
		names[i] = frontend_generators[i].name;
	nearest = tsp_nearest(word, names);
	g_string_append_printf(text, "workload '%s', column 1: expected ", workload);
	for (size_t i = 0; i < frontend_generator_count; i++)
		g_string_append_printf(text, "%s:..., ", names[i]);
	g_string_append(text, "or a file ending in .csv or .graph");
	if (nearest)
		g_string_append_printf(text, "; nearest is '%s'", nearest);
	g_set_error_literal(error, TSP_ERROR, TSP_ERROR_USER, text->str);
	g_string_free(text, TRUE);
}

static void free_graph(gpointer g)
{
	graph_free(g);
}

/* Takes G over and verifies it. */
static bool take(GPtrArray *graphs, graph *g, GError **error)
{
	if (!g)
		return false;
	g_ptr_array_add(graphs, g);
	return graph_verify(g, error);
}

static bool read_file(const char *path, const frontend_target *target, const frontend_options *options,
                      GPtrArray *graphs, GError **error)
{
	gsize length = 0;
	g_autofree char *text = tsp_file_read(path, &length, error);

	if (!text)
		return false;
	if (strlen(text) != length) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: expected text, found a NUL byte at offset %" G_GSIZE_FORMAT, path, strlen(text));
		return false;
	}
	if (g_str_has_suffix(path, ".graph")) {
		graph *g = graph_parse(text, path, error);

		if (take(graphs, g, error))
			return true;
		if (g)
			g_prefix_error(error, "%s: ", path);
		return false;
	}
	return frontend_i_read_csv(text, path, target, options, graphs, error);
}

static bool read_text(const char *workload, const frontend_target *target, GPtrArray *graphs, GError **error)
{
	frontend_spec s = {workload, workload, error};
	g_autofree char *word = frontend_i_word(&s);
	int index = find_generator(word);

	if (index < 0) {
		set_unknown(workload, word, error);
		return false;
	}
	if (!frontend_i_expect(&s, ':', "':' and the sizes"))
		return false;
	return take(graphs, functions[index](&s, target), error);
}

bool frontend_is_file(const char *workload)
{
	g_autofree char *lower = g_ascii_strdown(workload, -1);

	return g_str_has_suffix(lower, ".csv") || g_str_has_suffix(lower, ".graph");
}

frontend_target frontend_target_tsp(const isa_machine *machine)
{
	return (frontend_target){
		.block_lanes = (uint64_t)machine->mxm_rows,
		.sum_lanes = (uint64_t)machine->mxm_fp16_sum_rows,
		.kind = machine->hashed ? GRAPH_KBLOCK_RUNS : GRAPH_KBLOCK_TAPS,
	};
}

frontend_target frontend_target_ascend(void)
{
	return (frontend_target){.sum_lanes = 1, .kind = GRAPH_KBLOCK_CHANNELS, .conv_chan_bytes = 32};
}

GPtrArray *frontend_read(const char *workload, const isa_machine *machine, const frontend_options *options,
                         GError **error)
{
	frontend_target target = frontend_target_tsp(machine);

	return frontend_read_for(workload, &target, options, error);
}

GPtrArray *frontend_read_for(const char *workload, const frontend_target *target, const frontend_options *options,
                             GError **error)
{
	GPtrArray *graphs = g_ptr_array_new_with_free_func(free_graph);
	bool ok = frontend_is_file(workload) ? read_file(workload, target, options, graphs, error)
	                                     : read_text(workload, target, graphs, error);

	if (!ok) {
		g_ptr_array_unref(graphs);
		return NULL;
	}
	return graphs;
}
