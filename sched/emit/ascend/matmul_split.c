/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of products added up: what the cube has summed for each part of the depth lies in memory, and vector sub-cores
 * add the parts in their order, ((p0 + p1) + p2) ..., each sum rounded to the type of the sums, the last one to that of
 * the result.  So the graph has it, whose blocks of K they are.
 *
 * Rows are dealt out to all vector sub-cores in pieces; the next part of a piece is copied in while one is added.
 */
#include "sched/emit/ascend/product.h"
#include "sched/emit/ascend/vector_int.h"

enum { LANES = 64, MOST_REPEATS = 255, TURNS = 2, IN_TURNS = 3, ROUND_EVEN = 1, REPEAT_BYTES = 256 };

typedef struct adder {
	asb *b;
	asb_core core;
	const ask_product *p;
	const ask_place *from, *to;
	uint64_t rows, columns; /* of a piece */
	uint64_t in[IN_TURNS], sum[TURNS], out[TURNS];
	uint64_t loads, pieces;
} adder;

typedef struct piece {
	uint64_t batch, row, rows, column, columns, pitch; /* pitch: elements from row to row in the unified buffer */
} piece;

/* Elements in a row: repeats under a whole mask, the rest under its own. */
static void run(const adder *a, const asc_insn *like, const unsigned *size, unsigned operands, uint64_t count)
{
	for (uint64_t at = 0; at < count;) {
		uint64_t repeats = MIN((count - at) / LANES, MOST_REPEATS),
			 lanes = repeats ? repeats * LANES : count - at;
		asc_insn insn = *like;

		for (unsigned i = 0; i < operands; i++)
			insn.f[asc_field_by_name((enum asc_op)insn.op, i ? operands == 2 ? "src"
			                                                       : i == 1  ? "src0"
			                                                                 : "src1"
			                                                 : "dst")] += (int64_t)(at * size[i]);
		avk_mask_lanes(a->b, a->core, repeats ? 2 * LANES : lanes);
		avk_set(&insn, "repeat", repeats ? (int64_t)repeats : 1);
		asb_step(a->b, a->core, &insn);
		at += lanes;
	}
}

static void add(const adder *a, uint64_t sum, uint64_t part, uint64_t first, uint64_t count)
{
	static const unsigned size[] = {ASK_SUM, ASK_SUM, ASK_SUM};
	asc_insn insn = asc_insn_make(ASC_OP_VADD);

	avk_set(&insn, "type", a->p->sum);
	avk_set(&insn, "dst", (int64_t)sum);
	avk_set(&insn, "src0", (int64_t)first);
	avk_set(&insn, "src1", (int64_t)part);
	run(a, &insn, size, G_N_ELEMENTS(size), count);
}

static void round_sums(const adder *a, uint64_t to, uint64_t sum, uint64_t count)
{
	static const unsigned size[] = {sizeof(uint16_t), ASK_SUM};
	asc_insn insn = asc_insn_make(ASC_OP_VCONV);

	avk_set(&insn, "type", ASC_F32);
	avk_set(&insn, "dtype", ASC_F16);
	avk_set(&insn, "round", ROUND_EVEN);
	avk_set(&insn, "dst", (int64_t)to);
	avk_set(&insn, "src", (int64_t)sum);
	avk_set(&insn, "dst_rep", REPEAT_BYTES / 2 / ASK_BLOCK);
	run(a, &insn, size, G_N_ELEMENTS(size), count);
}

static uint64_t load(adder *a, const piece *n, uint64_t part)
{
	uint64_t at = a->in[a->loads++ % IN_TURNS], row = (n->batch * a->p->parts + part) * a->p->m + n->row;

	avk_copy_in(a->b, a->core, at, n->pitch * ASK_SUM,
	            a->from->address + row * a->from->pitch_bytes + n->column * ASK_SUM, a->from->pitch_bytes, n->rows,
	            n->columns * ASK_SUM, n->pitch * ASK_SUM);
	return at;
}

static void one_piece(adder *a, const piece *n)
{
	uint64_t count = n->rows * n->pitch, turn = a->pieces++ % TURNS, before = load(a, n, 0), last = a->sum[turn];
	enum asc_type result = a->p->sum == ASC_F32 ? ASC_F16 : a->p->sum;
	uint64_t size = asc_type_bytes(result);

	for (uint64_t part = 1; part < a->p->parts; part++) {
		add(a, a->sum[turn], load(a, n, part), before, count);
		before = a->sum[turn];
	}
	if (result == ASC_F16) {
		last = a->out[turn];
		round_sums(a, last, a->sum[turn], count);
	}
	avk_copy_out(a->b, a->core,
	             a->to->address + (n->batch * a->p->m + n->row) * a->to->pitch_bytes + n->column * size,
	             a->to->pitch_bytes, last, n->pitch * size, n->rows, n->columns * size);
}

static uint64_t piece_bytes(const adder *a)
{
	return a->rows * ask_up(a->columns, ASK_SIDE) * ASK_SUM;
}

/* As large as keeps all cores busy and fits. */
static void choose(adder *a, uint64_t cores)
{
	uint64_t room = (uint64_t)asc_space_bytes(asb_machine(a->b), ASC_UB) / (IN_TURNS + 2 * TURNS + 1);
	uint64_t all = a->p->batches / a->p->parts * a->p->m * a->p->n;

	a->columns = MIN(a->p->n, room / ASK_SUM / LANES * LANES);
	a->columns = MIN(a->columns, MAX(ask_up(ask_div_up(all, cores), LANES), LANES));
	a->rows = MAX(
		MIN(MIN(room / (ask_up(a->columns, ASK_SIDE) * ASK_SUM), ask_div_up(all, cores * a->columns)), a->p->m),
		1);
}

/* Parts lie half the bank groups away from sums. */
static bool take(adder *a, GError **error)
{
	uint64_t bytes = piece_bytes(a);

	for (unsigned i = 0; i < IN_TURNS; i++) {
		if (!asb_take(a->b, a->core, ASC_UB, bytes + REPEAT_BYTES, 2 * REPEAT_BYTES, &a->in[i], error))
			return false;
		a->in[i] += REPEAT_BYTES;
	}
	for (unsigned i = 0; i < TURNS; i++)
		if (!asb_take(a->b, a->core, ASC_UB, bytes, 2 * REPEAT_BYTES, &a->sum[i], error) ||
		    !asb_take(a->b, a->core, ASC_UB, bytes, 2 * REPEAT_BYTES, &a->out[i], error))
			return false;
	return true;
}

static piece piece_at(const adder *a, uint64_t number)
{
	uint64_t across = ask_div_up(a->p->n, a->columns), down = ask_div_up(a->p->m, a->rows);
	piece n = {.batch = number / (down * across),
	           .row = number / across % down * a->rows,
	           .column = number % across * a->columns};

	n.rows = MIN(a->rows, a->p->m - n.row);
	n.columns = MIN(a->columns, a->p->n - n.column);
	n.pitch = ask_up(n.columns, ASK_SIDE);
	return n;
}

bool ask_add_parts(asb *b, const ask_product *p, const ask_place *from, const ask_place *to, GError **error)
{
	uint64_t cores = (uint64_t)asb_blocks(b) * asb_vectors(b), pieces;
	adder a = {.b = b, .p = p, .from = from, .to = to};

	choose(&a, cores);
	pieces = p->batches / p->parts * ask_div_up(p->m, a.rows) * ask_div_up(p->n, a.columns);
	asb_loop(b, asb_vector(b, 0, 0), "pieces");
	for (uint64_t c = 0; c < MIN(cores, pieces); c++) {
		uint64_t mark;

		a.core = asb_vector(b, (uint32_t)(c / asb_vectors(b)), (unsigned)(c % asb_vectors(b)));
		a.loads = a.pieces = 0;
		mark = asb_mark(b, a.core, ASC_UB);
		if (!take(&a, error))
			return false;
		for (uint64_t i = c; i < pieces; i += cores) {
			piece n = piece_at(&a, i);

			asb_iteration(b, a.core, i / cores);
			one_piece(&a, &n);
		}
		asb_release(b, a.core, ASC_UB, mark);
	}
	return true;
}
