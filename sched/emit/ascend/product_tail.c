/* SPDX-License-Identifier: Apache-2.0
 *
 * Element-wise nodes behind a product in the product's kernel: fp16 operations with a number, a row (bias) or a matrix
 * (residual), and relu.  Operations of fp16 numbers in fp32, rounded to fp16, are those of fp16 instructions, since
 * fp32 has more than twice as many digits; so nothing is converted.
 *
 * A relu that comes first is done by the copy out of L0C.  On coupled cores a piece of a tile is worked on in the
 * unified buffer on its way out.  On split ones fixpipe writes the tile to memory, and the vector sub-cores of the core
 * take its rows from there, L2, while the cube goes on; no core waits for another.
 */
#include "sched/emit/ascend/product.h"
#include "sched/emit/ascend/vector_int.h"

#include "isa/num.h"

enum { LANES = 128, MOST_REPEATS = 255, HALF = 2, REPEAT_BYTES = 256 };

/* ---- the pattern ---- */

/* The only node that reads I; UINT32_MAX where there is none or another. */
static uint32_t only_user(const graph *g, uint32_t i)
{
	uint32_t user = UINT32_MAX;

	if (graph_at(g, i)->output)
		return UINT32_MAX;
	for (uint32_t u = i + 1; u < graph_size(g); u++)
		for (unsigned k = 0; k < graph_arity(graph_at(g, u)); k++)
			if (graph_at(g, u)->in[k] == i) {
				if (user != UINT32_MAX)
					return UINT32_MAX;
				user = u;
			}
	return user;
}

static bool is_half(uint32_t bits)
{
	return num_f32_bits(num_f16_to_f32(num_f32_to_f16(num_bits_f32(bits)))) == bits;
}

/* The instruction of node N; ASC_OP_COUNT where there is none. */
static enum asc_op with_matrix(const graph_node *n)
{
	switch (n->vxm_op) {
	case ISA_OP_ADD:
		return ASC_OP_VADD;
	case ISA_OP_SUB:
		return ASC_OP_VSUB;
	case ISA_OP_MUL:
		return ASC_OP_VMUL;
	case ISA_OP_MAX:
		return ASC_OP_VMAX;
	case ISA_OP_MIN:
		return ASC_OP_VMIN;
	default:
		return ASC_OP_COUNT;
	}
}

static enum asc_op with_number(const graph_node *n)
{
	switch (n->vxm_op) {
	case ISA_OP_ADD:
	case ISA_OP_SUB:
		return ASC_OP_VADDS;
	case ISA_OP_MUL:
		return ASC_OP_VMULS;
	case ISA_OP_MAX:
		return ASC_OP_VMAXS;
	case ISA_OP_MIN:
		return ASC_OP_VMINS;
	default:
		return ASC_OP_COUNT;
	}
}

static enum asc_op alone(const graph_node *n)
{
	return n->vxm_op == ISA_OP_RELU ? ASC_OP_VRELU : n->vxm_op == ISA_OP_ABS ? ASC_OP_VABS : ASC_OP_COUNT;
}

/* Node U on what node X computes, as an operation of the tail; Y: its other operand, UINT32_MAX when it has none. */
static bool describe(const graph *g, uint32_t u, uint32_t x, ask_tail_op *op, uint32_t *y)
{
	const graph_node *n = graph_at(g, u), *other;

	*op = (ask_tail_op){.op = ASC_OP_COUNT};
	*y = UINT32_MAX;
	if (n->type != ISA_TYPE_F16)
		return false;
	if (n->op == GRAPH_UNARY)
		return (op->op = alone(n)) != ASC_OP_COUNT;
	if (n->op != GRAPH_BINARY)
		return false;
	if (n->has_imm) {
		op->op = with_number(n);
		op->number = true;
		op->bits = num_f32_to_f16(num_bits_f32(n->imm));
		if (n->vxm_op == ISA_OP_SUB)
			op->bits ^= 0x8000;
		return op->op != ASC_OP_COUNT && is_half(n->imm);
	}
	/* A difference from the product only. */
	if (n->in[0] == n->in[1] || (n->in[0] != x && n->vxm_op == ISA_OP_SUB))
		return false;
	*y = n->in[0] == x ? n->in[1] : n->in[0];
	other = graph_at(g, *y);
	op->op = with_matrix(n);
	op->row = other->rows == 1 && n->rows > 1;
	return op->op != ASC_OP_COUNT && other->type == ISA_TYPE_F16 && graph_at(g, x)->rows == n->rows;
}

void ask_match_product(const graph *g, uint32_t first, const uint32_t *kernel_of, GArray *nodes)
{
	const graph_node *n = graph_at(g, first);
	uint32_t x = first;

	if (n->op != GRAPH_MATMUL)
		return;
	g_array_append_val(nodes, first);
	for (unsigned i = 0; i < ASK_TAIL && n->type == ISA_TYPE_F16 && n->block_run >= n->k; i++) {
		uint32_t u = only_user(g, x), y;
		ask_tail_op op;

		if (u == UINT32_MAX || !describe(g, u, x, &op, &y) ||
		    (y != UINT32_MAX && graph_arity(graph_at(g, y)) && kernel_of[y] == UINT32_MAX))
			return;
		g_array_append_val(nodes, u);
		x = u;
	}
}

void ask_tail_describe(const ask_kernel *k, ask_tail *tail)
{
	uint32_t x = g_array_index(k->nodes, uint32_t, 0);

	*tail = (ask_tail){.count = 0};
	for (guint i = 1; i < k->nodes->len; i++) {
		uint32_t u = g_array_index(k->nodes, uint32_t, i), y;
		ask_tail_op *op = &tail->op[tail->count++];

		describe(k->g, u, x, op, &y);
		if (y != UINT32_MAX)
			op->y = k->place[y];
		x = u;
		/* Sums begin at +0 and never are -0, and what is rounded to 0 is 0 either way. */
		if (i == 1 && op->op == ASC_OP_VRELU) {
			tail->relu = true;
			tail->count = 0;
		}
	}
	tail->to = k->place[x];
}

/* ---- steps ---- */

/* COUNT elements in a row at DST, in place, with as many at Y (0: none). */
static void run(ask_work *w, asb_core core, const ask_tail_op *op, uint64_t dst, uint64_t y, uint64_t count)
{
	for (uint64_t at = 0; at < count;) {
		uint64_t repeats = MIN((count - at) / LANES, MOST_REPEATS),
			 lanes = repeats ? repeats * LANES : count - at;
		asc_insn insn = asc_insn_make(op->op);

		avk_mask_lanes(w->b, core, repeats ? LANES : lanes);
		avk_set(&insn, "type", ASC_F16);
		avk_set(&insn, "dst", (int64_t)(dst + at * HALF));
		avk_set(&insn, y ? "src0" : "src", (int64_t)(dst + at * HALF));
		if (y)
			avk_set(&insn, "src1", (int64_t)(y + at * HALF));
		if (op->number)
			avk_set(&insn, "scalar", op->bits);
		avk_set(&insn, "repeat", repeats ? (int64_t)repeats : 1);
		asb_step(w->b, core, &insn);
		at += lanes;
	}
}

/* The same row at Y for all rows. */
static void run_rows(ask_work *w, asb_core core, const ask_tail_op *op, uint64_t dst, uint64_t y, uint64_t rows,
                     uint64_t pitch)
{
	asc_insn insn = asc_insn_make(op->op);

	avk_set(&insn, "type", ASC_F16);
	avk_set(&insn, "dst_rep", (int64_t)(pitch * HALF / ASK_BLOCK));
	avk_set(&insn, "src0_rep", (int64_t)(pitch * HALF / ASK_BLOCK));
	avk_set(&insn, "src1_rep", 0);
	for (uint64_t at = 0; at < pitch; at += LANES)
		for (uint64_t r = 0; r < rows; r += MOST_REPEATS) {
			avk_mask_lanes(w->b, core, MIN(pitch - at, LANES));
			avk_set(&insn, "dst", (int64_t)(dst + (r * pitch + at) * HALF));
			avk_set(&insn, "src0", (int64_t)(dst + (r * pitch + at) * HALF));
			avk_set(&insn, "src1", (int64_t)(y + at * HALF));
			avk_set(&insn, "repeat", (int64_t)MIN(rows - r, MOST_REPEATS));
			asb_step(w->b, core, &insn);
		}
}

void ask_tail_apply(ask_work *w, asb_core core, ask_ring *others, const ask_tail_piece *n)
{
	const ask_tail *tail = w->tail;

	for (unsigned i = 0; i < tail->count; i++) {
		const ask_tail_op *op = &tail->op[i];
		uint64_t y = 0;

		if (op->y.pitch_bytes) {
			y = others->address[others->next++ % others->turns];
			avk_copy_in(w->b, core, y, n->pitch * HALF,
			            op->y.address + (op->row ? 0 : n->row * op->y.pitch_bytes) + n->column * HALF,
			            op->y.pitch_bytes, op->row ? 1 : n->rows, n->columns * HALF, 0);
		}
		if (op->row)
			run_rows(w, core, op, n->ub, y, n->rows, n->pitch);
		else
			run(w, core, op, n->ub, y, n->rows * n->pitch);
	}
	avk_copy_out(w->b, core, tail->to.address + n->row * tail->to.pitch_bytes + n->column * HALF,
	             tail->to.pitch_bytes, n->ub, n->pitch * HALF, n->rows, n->columns * HALF);
}

/* The tile that has gone to memory, its rows shared by the vector sub-cores of the core. */
void ask_tail_of_tile(ask_work *w)
{
	uint32_t block = w->core / MAX(asb_cube(w->b, 1), 1);
	uint64_t pitch = ask_up(w->columns, ASK_SIDE);

	for (unsigned v = 0; v < asb_vectors(w->b); v++) {
		uint64_t at = w->rows * v / asb_vectors(w->b), end = w->rows * (v + 1) / asb_vectors(w->b);
		asb_core core = asb_vector(w->b, block, v);

		for (uint64_t now; at < end; at += now) {
			ask_ring *r = &w->tail_ub[v];
			ask_tail_piece n = {.ub = r->address[r->next++ % r->turns],
			                    .row = w->batch * w->p->m + w->at_m + at,
			                    .column = w->at_n,
			                    .columns = w->columns,
			                    .pitch = pitch};

			now = n.rows = MIN(w->tail_bytes / (pitch * HALF), end - at);
			avk_copy_in(w->b, core, n.ub, pitch * HALF,
			            w->c.address + n.row * w->c.pitch_bytes + n.column * HALF, w->c.pitch_bytes, n.rows,
			            n.columns * HALF, 0);
			ask_tail_apply(w, core, &w->tail_y[v], &n);
		}
	}
}

/* Two turns for what goes by, two for other operands, which lie half the bank groups away. */
bool ask_tail_take(ask_work *w, asb_core core, unsigned vector, GError **error)
{
	enum { TURNS = 2 };
	uint64_t room = (uint64_t)asc_space_bytes(asb_machine(w->b), ASC_UB) / (2 * TURNS) - 2 * REPEAT_BYTES;

	w->tail_bytes = room / (2 * REPEAT_BYTES) * (2 * REPEAT_BYTES);
	w->tail_ub[vector] = w->tail_y[vector] = (ask_ring){.turns = TURNS};
	for (unsigned i = 0; i < TURNS; i++) {
		asc_insn zero = asc_insn_make(ASC_OP_VDUP);

		if (!asb_take(w->b, core, ASC_UB, w->tail_bytes, 2 * REPEAT_BYTES, &w->tail_ub[vector].address[i],
		              error) ||
		    !asb_take(w->b, core, ASC_UB, w->tail_bytes + REPEAT_BYTES, 2 * REPEAT_BYTES,
		              &w->tail_y[vector].address[i], error))
			return false;
		w->tail_y[vector].address[i] += REPEAT_BYTES;
		/* Lanes behind the last column: nothing comes of them. */
		avk_mask_lanes(w->b, core, LANES);
		avk_set(&zero, "type", ASC_F16);
		for (uint64_t at = 0; at < w->tail_bytes && w->p->n % ASK_SIDE; at += MOST_REPEATS * REPEAT_BYTES) {
			avk_set(&zero, "dst", (int64_t)(w->tail_ub[vector].address[i] + at));
			avk_set(&zero, "repeat",
			        (int64_t)(MIN(w->tail_bytes - at, MOST_REPEATS * REPEAT_BYTES) / REPEAT_BYTES));
			asb_step(w->b, core, &zero);
		}
	}
	return true;
}
