/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators of work that picks rows or columns out of a tensor that lies as the host has it: embedding, kvcache,
 * columns.  Which rows is known when the schedule is made: an index is a constant of the program, seeded by nothing but
 * the workload itself.
 */
#include "sched/frontend/internal.h"

#include "isa/rng.h"

#include <math.h>
#include <string.h>

#define ALL_TYPES ((1u << ISA_TYPE_COUNT) - 1)

/* Streams of the random numbers, so that one generator's do not become another's. */
enum { INDEX_SEED = 20, STREAM_EMBEDDING = 1, STREAM_PAGES = 2 };
enum { TABLE_MAX = 1 << 26, INDEX_MAX = 1 << 22, HEADS_MAX = 1024 };

static bool at_most(const frontend_spec *s, const char *where, const char *what, uint64_t value, uint64_t limit)
{
	return value <= limit || frontend_i_fail(s, where, "expected at most %" G_GUINT64_FORMAT " %s", limit, what);
}

/* "NAME=" after a comma; false without an error when there is no comma. */
static bool read_option(frontend_spec *s, const char *name, bool *given)
{
	const char *begin = s->at + 1;
	g_autofree char *word = NULL;

	*given = *s->at == ',';
	if (!*given)
		return true;
	s->at++;
	word = frontend_i_word(s);
	if (strcmp(word, name))
		return frontend_i_fail(s, begin, "expected %s=, found '%s'", name, word);
	return frontend_i_expect(s, '=', "'=' and a number");
}

static bool read_exponent(frontend_spec *s, double *exponent)
{
	const char *begin = s->at;
	char *end;
	bool given;

	*exponent = 0;
	if (!read_option(s, "zipf", &given))
		return false;
	if (!given)
		return true;
	begin = s->at;
	*exponent = g_ascii_strtod(begin, &end);
	if (end == begin || !(*exponent >= 0 && *exponent <= 8))
		return frontend_i_fail(s, begin, "expected an exponent from 0 to 8");
	s->at = end;
	return true;
}

/* The least row whose cumulative weight reaches U of the total. */
static uint64_t find_row(const double *cumulative, uint64_t rows, double u)
{
	uint64_t low = 0, high = rows - 1;
	double wanted = u * cumulative[rows - 1];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (cumulative[middle] > wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* COUNT rows of ROWS: row r with a probability proportional to 1 / (r + 1)^EXPONENT. */
static int32_t *draw_rows(uint64_t rows, uint64_t count, double exponent)
{
	int32_t *index = g_new(int32_t, count);
	double *cumulative = g_new(double, rows);
	rng r;

	for (uint64_t i = 0; i < rows; i++)
		cumulative[i] = (i ? cumulative[i - 1] : 0) + pow((double)(i + 1), -exponent);
	rng_seed(&r, INDEX_SEED, STREAM_EMBEDDING);
	for (uint64_t i = 0; i < count; i++)
		index[i] = (int32_t)find_row(cumulative, rows, rng_unit(&r));
	g_free(cumulative);
	return index;
}

graph *frontend_i_generate_embedding(frontend_spec *s, const frontend_target *target)
{
	static const char *const names[] = {"the rows of the table", "the elements of a row", "the number of look-ups"};
	const char *begin[3];
	uint64_t d[3];
	enum isa_type type;
	double exponent;
	int32_t *index;
	uint32_t x, i;
	graph *g;

	(void)target;
	for (unsigned n = 0; n < 3; n++) {
		if (n && !frontend_i_expect(s, ',', "',' and a further size"))
			return NULL;
		begin[n] = s->at;
		if (!frontend_i_size(s, names[n], &d[n]))
			return NULL;
	}
	if (!read_exponent(s, &exponent) || !frontend_i_type(s, ALL_TYPES, &type) || !frontend_i_fits(s, d, 2) ||
	    !at_most(s, begin[0], "rows", d[0], TABLE_MAX) || !at_most(s, begin[2], "look-ups", d[2], INDEX_MAX))
		return NULL;
	g = graph_new(s->text);
	x = graph_input(g, "table", type, d[0], d[1]);
	index = draw_rows(d[0], d[2], exponent);
	i = graph_const(g, "index", ISA_TYPE_I32, 1, d[2], index);
	g_free(index);
	graph_mark_output(g, graph_gather(g, "y", x, i, 0, d[1]));
	return g;
}

/* Token t lies in row index[t]: pages of PAGE tokens in a random order. */
static int32_t *page_table(uint64_t tokens, uint64_t page)
{
	uint64_t pages = tokens / page;
	g_autofree uint64_t *order = g_new(uint64_t, pages);
	int32_t *index = g_new(int32_t, tokens);
	rng r;

	rng_seed(&r, INDEX_SEED, STREAM_PAGES);
	for (uint64_t p = 0; p < pages; p++) {
		uint64_t other = rng_below(&r, p + 1);

		order[p] = order[other];
		order[other] = p;
	}
	for (uint64_t t = 0; t < tokens; t++)
		index[t] = (int32_t)(order[t / page] * page + t % page);
	return index;
}

graph *frontend_i_generate_kvcache(frontend_spec *s, const frontend_target *target)
{
	const char *begin = s->at;
	enum isa_type type;
	uint64_t d[3], page;
	int32_t *index;
	uint32_t x, i;
	bool paged;
	graph *g;

	(void)target;
	if (!frontend_i_sizes(s, "THD", 3, d) || !read_option(s, "page", &paged))
		return NULL;
	page = d[0];
	if (paged) {
		const char *where = s->at;

		if (!frontend_i_size(s, "the tokens of a page", &page))
			return NULL;
		if (d[0] % page) {
			frontend_i_fail(s, where, "expected pages that divide the %" G_GUINT64_FORMAT " tokens", d[0]);
			return NULL;
		}
	}
	if (!frontend_i_type(s, ALL_TYPES, &type) || !frontend_i_fits(s, d, 3) ||
	    !at_most(s, begin, "tokens", d[0], INDEX_MAX) || !at_most(s, begin, "heads", d[1], HEADS_MAX))
		return NULL;
	g = graph_new(s->text);
	x = graph_input(g, "cache", type, d[0], d[1] * d[2]);
	index = page_table(d[0], page);
	i = graph_const(g, "tokens", ISA_TYPE_I32, 1, d[0], index);
	g_free(index);
	for (uint64_t h = 0; h < d[1]; h++) {
		g_autofree char *name = g_strdup_printf("head%" G_GUINT64_FORMAT, h);

		graph_mark_output(g, graph_gather(g, name, x, i, h * d[2], d[2]));
	}
	return g;
}

graph *frontend_i_generate_columns(frontend_spec *s, const frontend_target *target)
{
	const char *where;
	enum isa_type type;
	uint64_t d[2], count;
	graph *g;

	(void)target;
	if (!frontend_i_sizes(s, "RC", 2, d) || !frontend_i_expect(s, ',', "',' and the number of columns"))
		return NULL;
	where = s->at;
	if (!frontend_i_size(s, "the number of columns", &count) || !at_most(s, where, "columns", count, d[1]) ||
	    !frontend_i_type(s, ALL_TYPES, &type) || !frontend_i_fits(s, d, 2))
		return NULL;
	g = graph_new(s->text);
	graph_mark_output(g, graph_columns(g, "y", graph_input(g, "x", type, d[0], d[1]), count));
	return g;
}
