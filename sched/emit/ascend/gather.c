/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows picked by an index that is known now: copies alone.
 *
 * Each core makes a contiguous share of the result.  Rows whose numbers follow one another at one distance come with
 * one copy of many bursts, others with one each; what has been gathered leaves in one copy.
 */
#include "sched/emit/ascend/vector_int.h"

enum { SETS = 3, BLOCK = 32 };

typedef struct picking {
	asb *b;
	const ask_kernel *k;
	const graph_node *n;
	uint64_t from, from_pitch, to, to_pitch; /* of global memory, first lane included */
	uint64_t rows, bytes, pitch;             /* of a tile */
	uint64_t pieces, piece_bytes;            /* a row in pieces where it does not fit */
} picking;

/* Rows of the result from FIRST on, at most MOST, that one copy can bring; their distance in STEP. */
static uint64_t run_length(const picking *p, uint64_t first, uint64_t most, uint64_t *step)
{
	int64_t row = graph_gather_row(p->k->g, p->n, first), next, far;
	uint64_t n = 1;

	*step = 1;
	if (most < 2)
		return n;
	far = graph_gather_row(p->k->g, p->n, first + 1) - row;
	if (far < 1)
		return n;
	*step = (uint64_t)far;
	for (next = row + far; n < most && graph_gather_row(p->k->g, p->n, first + n) == next; next += far)
		n++;
	return n;
}

static void tile(const picking *p, asb_core core, uint64_t ub, uint64_t first, uint64_t rows, uint64_t lane_bytes,
                 uint64_t bytes)
{
	for (uint64_t r = 0; r < rows;) {
		uint64_t step, n = run_length(p, first + r, rows - r, &step);
		uint64_t row = (uint64_t)graph_gather_row(p->k->g, p->n, first + r);

		avk_copy_in(p->b, core, ub + r * p->pitch, p->pitch, p->from + row * p->from_pitch + lane_bytes,
		            n > 1 ? step * p->from_pitch : bytes, n, bytes, 0);
		r += n;
	}
	avk_copy_out(p->b, core, p->to + first * p->to_pitch + lane_bytes, rows > 1 ? p->to_pitch : bytes, ub, p->pitch,
	             rows, bytes);
}

bool ask_gather(asb *b, const ask_kernel *k, GError **error)
{
	uint32_t node = g_array_index(k->nodes, uint32_t, 0);
	const graph_node *n = graph_at(k->g, node);
	const asc_machine *m = asb_machine(b);
	uint64_t element = isa_type_bytes(n->type), room = (uint64_t)asc_space_bytes(m, ASC_UB) / SETS / BLOCK * BLOCK;
	uint64_t cores = avk_cores(b), shares, tiles;
	picking p = {.b = b,
	             .k = k,
	             .n = n,
	             .from = k->place[n->in[0]].address + n->first_lane * element,
	             .from_pitch = k->place[n->in[0]].pitch_bytes,
	             .to = k->place[node].address,
	             .to_pitch = k->place[node].pitch_bytes,
	             .bytes = n->lanes * element};

	(void)error;
	p.pieces = (p.bytes + room - 1) / room;
	p.piece_bytes = MIN(avk_up((p.bytes + p.pieces - 1) / p.pieces, BLOCK), p.bytes);
	p.pitch = avk_up(p.piece_bytes, BLOCK);
	shares = (n->rows + cores - 1) / cores;
	p.rows = MAX(MIN(shares, room / p.pitch), 1);
	/* Several tiles a core, to overlap reading and writing, when they are worth a copy each. */
	if (p.rows * p.pitch > (uint64_t)(m->mte2_packet_bytes * m->mte2_packet_cycles))
		p.rows = MAX(MIN(p.rows, (shares + SETS) / (SETS + 1)), 1);
	tiles = (n->rows + p.rows - 1) / p.rows * p.pieces;
	cores = MIN(cores, tiles);
	asb_node(b, n->name);
	asb_loop(b, avk_core(b, 0), "tiles");
	for (uint64_t c = 0; c < cores; c++)
		for (uint64_t from = tiles * c / cores, i = from; i < tiles * (c + 1) / cores; i++) {
			uint64_t row = i / p.pieces * p.rows, lane = i % p.pieces * p.piece_bytes;

			asb_iteration(b, avk_core(b, (uint32_t)c), i - from);
			tile(&p, avk_core(b, (uint32_t)c), (i - from) % SETS * room, row, MIN(p.rows, n->rows - row),
			     lane, MIN(p.piece_bytes, p.bytes - lane));
		}
	return true;
}
