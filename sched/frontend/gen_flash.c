/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention whose keys and values come tile by tile, with running maxima and sums (online softmax, as FlashAttention
 * does it).  What a tile adds is scaled to the maximum so far, and what was there before is rescaled to it; tiles
 * follow one another in order, so the order of every sum is the graph's.
 */
#include "sched/frontend/internal.h"
#include "isa/num.h"

#include <math.h>

enum { TILE = 128, TILES_MOST = 4096 };

typedef struct flash {
	graph *g;
	const frontend_target *target;
	uint64_t heads, queries, depth;
	float scale;
	uint32_t qt;
	uint32_t max, sum, out; /* so far */
	char name[32];
} flash;

static const char *named(flash *f, const char *what, uint64_t tile)
{
	g_snprintf(f->name, sizeof(f->name), "%s%" G_GUINT64_FORMAT, what, tile);
	return f->name;
}

/* The row of each head becomes ROWS rows. */
static uint32_t spread(flash *f, const char *what, uint64_t tile, uint32_t x, uint64_t rows)
{
	return graph_view(f->g, named(f, what, tile), x, f->heads * rows, 0, f->heads, 1, 0);
}

static uint32_t product(flash *f, const char *what, uint64_t tile, uint32_t a, uint32_t b)
{
	uint64_t k = graph_at(f->g, a)->lanes;

	return graph_matmul(f->g, named(f, what, tile), a, b, f->heads, ISA_TYPE_F16,
	                    f->target->block_lanes ? f->target->block_lanes : k, f->target->sum_lanes);
}

static uint32_t binary(flash *f, const char *what, uint64_t tile, enum isa_op op, uint32_t x, uint32_t y)
{
	return graph_binary(f->g, named(f, what, tile), op, ISA_TYPE_F32, x, y);
}

static uint32_t unary(flash *f, const char *what, uint64_t tile, enum isa_op op, enum isa_type type, uint32_t x)
{
	return graph_unary(f->g, named(f, what, tile), op, type, x);
}

/* What was there before counts exp(old maximum - new maximum) times. */
static void rescale(flash *f, uint64_t tile, uint32_t old, uint32_t sum, uint32_t out)
{
	uint32_t c = binary(f, "c", tile, ISA_OP_SUB, old, f->max);
	uint32_t a = unary(f, "a", tile, ISA_OP_EXP, ISA_TYPE_F32, c);

	f->sum = binary(f, "ls", tile, ISA_OP_MUL, f->sum, a);
	f->sum = binary(f, "l", tile, ISA_OP_ADD, f->sum, sum);
	f->out = binary(f, "os", tile, ISA_OP_MUL, f->out, spread(f, "aa", tile, a, f->depth));
	f->out = binary(f, "o", tile, ISA_OP_ADD, f->out, out);
}

static void add_tile(flash *f, uint64_t tile, uint64_t keys)
{
	uint32_t k = graph_input(f->g, named(f, "k", tile), ISA_TYPE_F16, f->heads * keys, f->depth);
	uint32_t vt = graph_input(f->g, named(f, "vt", tile), ISA_TYPE_F16, f->heads * f->depth, keys);
	uint32_t x = product(f, "x", tile, k, f->qt), old = f->max, e, sum, p, out;

	x = graph_binary_imm(f->g, named(f, "t", tile), ISA_OP_MUL, ISA_TYPE_F32, x, num_f32_bits(f->scale));
	f->max = graph_reduce(f->g, named(f, "mx", tile), ISA_OP_MAX, x, f->heads);
	if (tile)
		f->max = binary(f, "m", tile, ISA_OP_MAX, old, f->max);
	e = binary(f, "d", tile, ISA_OP_SUB, x, spread(f, "ma", tile, f->max, keys));
	e = unary(f, "e", tile, ISA_OP_EXP, ISA_TYPE_F32, e);
	sum = graph_reduce(f->g, named(f, "lx", tile), ISA_OP_ADD, e, f->heads);
	p = unary(f, "p", tile, ISA_OP_CVT, ISA_TYPE_F16, e);
	out = product(f, "ox", tile, vt, p);
	out = unary(f, "of", tile, ISA_OP_CVT, ISA_TYPE_F32, out);
	if (tile) {
		rescale(f, tile, old, sum, out);
	} else {
		f->sum = sum;
		f->out = out;
	}
}

/* ",tile=T" or nothing. */
static bool read_tile(frontend_spec *s, uint64_t *tile)
{
	const char *begin;
	g_autofree char *word = NULL;

	if (*s->at != ',')
		return true;
	begin = ++s->at;
	word = frontend_i_word(s);
	if (g_strcmp0(word, "tile"))
		return frontend_i_fail(s, begin, "expected tile=, found '%s'; nearest is 'tile'", word);
	return frontend_i_expect(s, '=', "'=' and a number") && frontend_i_size(s, "the keys of a tile", tile);
}

graph *frontend_i_generate_flash(frontend_spec *s, const frontend_target *target)
{
	uint64_t d[4], tile = TILE;
	enum isa_type type;
	flash f = {.target = target};
	uint32_t q, r;

	if (!frontend_i_sizes(s, "BHSD", 4, d) || !read_tile(s, &tile) ||
	    !frontend_i_type(s, 1u << ISA_TYPE_F16, &type) ||
	    !frontend_i_fits(s, (uint64_t[]){d[0], d[1], d[2], d[2], d[3]}, 5))
		return NULL;
	if (d[2] > tile * TILES_MOST) {
		frontend_i_fail(s, s->text, "%" G_GUINT64_FORMAT " keys are more than %d tiles of %" G_GUINT64_FORMAT,
		                d[2], TILES_MOST, tile);
		return NULL;
	}
	f.g = graph_new(s->text);
	f.heads = d[0] * d[1];
	f.queries = d[2];
	f.depth = d[3];
	f.scale = (float)(1 / sqrt((double)d[3]));
	f.qt = graph_input(f.g, "qt", ISA_TYPE_F16, f.heads * f.depth, f.queries);
	for (uint64_t at = 0, i = 0; at < d[2]; at += tile, i++)
		add_tile(&f, i, MIN(tile, d[2] - at));
	q = graph_unary(f.g, "q", ISA_OP_RSQRT, ISA_TYPE_F32, f.sum);
	r = graph_binary(f.g, "r", ISA_OP_MUL, ISA_TYPE_F32, q, q);
	r = graph_view(f.g, "r.all", r, f.heads * f.depth, 0, f.heads, 1, 0);
	graph_mark_output(f.g, graph_binary(f.g, "ot", ISA_OP_MUL, ISA_TYPE_F16, f.out, r));
	return f.g;
}
