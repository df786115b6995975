/* SPDX-License-Identifier: Apache-2.0
 *
 * MTE2 and MTE3: copies between global memory, L1 and the unified buffer, and the requests they are cut into.
 *
 * Requests (CANN's tiling model, Ascend C): a burst is cut into pieces of mte2.packet_bytes (512), its rest is one
 * more; a piece that crosses a line becomes two; each occupies the link as if rounded up to 512, 256 or 128 bytes.
 * Bursts smaller than that which touch are merged, up to eight.  One request leaves a cycle while fewer than
 * mte2.outstanding are in flight; data come back in order, at the slowest link's rate.  A request that L2 misses takes
 * at least mte2.packet_cycles (mte3.packet_cycles) of the engine, whatever its size.
 *
 * The pipe is free when the last request has left, so that the start and the way of the next copy overlap with this
 * one's data.  Writes are posted; a copy is done when the last is known to have arrived.
 */
#include "models/ascend/mte_int.h"
#include "models/ascend/ub.h"

mte_stream mte_stream_begin(asc_mte *m, asc_exec *x, bool write, int64_t rate, int64_t start)
{
	const asc_machine *machine = m->machine;
	int64_t at = asc_ticks(x->start + start);

	return (mte_stream){
		.mte = m,
		.exec = x,
		.write = write,
		.rate = MIN(rate,
	                    write ? machine->l2_core_write_bytes_per_cycle : machine->l2_core_read_bytes_per_cycle),
		.largest = write ? machine->mte3_packet_bytes : machine->mte2_packet_bytes,
		.packet_ticks = asc_ticks(write ? machine->mte3_packet_cycles : machine->mte2_packet_cycles),
		.issue = at,
		.end = at,
		.first = INT64_MAX,
		.last = at,
	};
}

static uint64_t rounded(const mte_stream *s, uint64_t bytes)
{
	uint64_t size = (uint64_t)s->largest;

	while (size / 2 >= bytes && size > (uint64_t)s->largest / 4)
		size /= 2;
	return size;
}

static void account(mte_stream *s, const asc_answer *answer, uint64_t bytes)
{
	asc_traffic *t = s->exec->traffic;

	if (answer->hit)
		s->exec->l2_hits++;
	else
		s->exec->l2_misses++;
	if (t && s->write) {
		*(answer->hit ? &t->l2_write_hits : &t->l2_write_misses) += 1;
		t->gm_write += asc_requests(bytes, ASC_PMU_GM_WRITE);
	} else if (t) {
		*(answer->hit ? &t->l2_read_hits : &t->l2_read_misses) += 1;
		t->gm_read += asc_requests(bytes, ASC_PMU_GM_READ);
	}
	s->exec->stall[ASC_STALL_LINE] += answer->line_wait / ASC_TICKS;
}

/* One request, inside a line. */
static void request(mte_stream *s, uint64_t address, uint64_t bytes)
{
	mte_way *way = &s->mte->way[s->write ? MTE_WRITE : MTE_READ];
	int64_t *returns = &way->returns[way->next], ticks = asc_ticks_of(rounded(s, bytes), s->rate, 1);
	int64_t at = MAX(s->issue, *returns);
	asc_answer answer;

	s->exec->stall[ASC_STALL_OUTSTANDING] += (at - s->issue) / ASC_TICKS;
	if (s->write) {
		at = MAX(at, way->link);
		way->link = at + ticks;
		answer = asc_memory_request(s->mte->memory, true, address, bytes, way->link);
		if (!answer.hit)
			way->link = MAX(way->link, at + s->packet_ticks);
		s->issue = way->link;
		s->first = MIN(s->first, at);
		*returns = MAX(answer.at, way->link) + s->latency;
	} else {
		answer = s->past ? asc_memory_pass(s->mte->memory, address, bytes, at)
		                 : asc_memory_request(s->mte->memory, false, address, bytes, at);
		at = MAX(way->link, answer.at);
		way->link = at + (answer.hit ? ticks : MAX(ticks, s->packet_ticks));
		s->issue = MAX(s->issue, *returns) + ASC_TICKS;
		s->first = MIN(s->first, at);
		*returns = way->link + s->latency;
	}
	account(s, &answer, bytes);
	s->last = MAX(s->last, way->link);
	s->end = MAX(s->end, *returns);
	way->next = (way->next + 1) % s->mte->limit;
}

void mte_stream_burst(mte_stream *s, uint64_t address, uint64_t bytes)
{
	uint64_t line = (uint64_t)s->mte->machine->l2_line_bytes;

	while (bytes) {
		uint64_t piece = MIN(bytes, (uint64_t)s->largest), head = line - address % line;

		if (head < piece) {
			request(s, address, head);
			request(s, address + head, piece - head);
		} else {
			request(s, address, piece);
		}
		address += piece;
		bytes -= piece;
	}
}

void mte_stream_bursts(mte_stream *s, uint64_t address, int64_t bursts, uint64_t bytes, uint64_t pitch)
{
	enum { MERGED = 8, SOON = 4, LATER = 8 };

	while (bursts > 0) {
		int64_t merged = pitch == bytes && bytes < (uint64_t)s->largest ? MIN(bursts, MERGED) : 1;

		asc_memory_expect(s->mte->memory, address + SOON * pitch, address + LATER * pitch);
		mte_stream_burst(s, address, bytes * (uint64_t)merged);
		address += pitch * (uint64_t)merged;
		bursts -= merged;
	}
}

/* Where the bursts of a copy lie: local buffers hold them in whole 32-byte blocks. */
typedef struct bursts {
	uint64_t global, local, bytes, local_bytes, global_pitch, local_pitch;
	int64_t count;
} bursts;

static bursts bursts_of(const asc_exec *x, bool write)
{
	const int64_t *f = x->f;
	bursts b = {.bytes = (uint64_t)f[COPY_BURST_BYTES], .count = f[COPY_BURSTS]};

	b.global = (uint64_t)f[write ? COPY_DST : COPY_SRC];
	b.local = (uint64_t)f[write ? COPY_SRC : COPY_DST];
	b.local_bytes = mte_block_up(b.bytes + (write ? 0 : (uint64_t)(f[COPY_LEFT] + f[COPY_RIGHT])));
	b.global_pitch = b.bytes + (uint64_t)f[write ? COPY_DST_GAP : COPY_SRC_GAP];
	b.local_pitch = b.local_bytes + (uint64_t)f[write ? COPY_SRC_GAP : COPY_DST_GAP];
	return b;
}

static uint64_t payload(const asc_exec *x)
{
	return (uint64_t)x->f[COPY_BURSTS] * (uint64_t)x->f[COPY_BURST_BYTES];
}

/* COUNT runs of BYTES in a local buffer. */
static void account_local(const asc_exec *x, enum asc_space space, bool write, uint64_t bytes, uint64_t count)
{
	asc_traffic *t = x->traffic;

	if (!t)
		return;
	if (space == ASC_UB && write)
		t->mte_ub += count * asc_requests(bytes, ASC_PMU_MTE_UB);
	else if (space == ASC_UB)
		t->ub_mte += count * asc_requests(bytes, ASC_PMU_UB_MTE);
	else if (write)
		t->l1_write += count * asc_requests(bytes, ASC_PMU_L1_WRITE);
	else
		t->l1_read += count * asc_requests(bytes, ASC_PMU_L1_READ);
}

/* The other end of the copy, between the stream's first and last byte; returns when it is through. */
static int64_t local_end(asc_mte *m, const mte_stream *s, const bursts *b, enum asc_space space)
{
	uint64_t bytes = b->local_bytes;
	int64_t count = b->count, from = s->first / ASC_TICKS, until = asc_cycles_up(s->last), end = until;

	if (b->local_pitch == bytes) {
		bytes *= (uint64_t)count;
		count = 1;
	}
	account_local(s->exec, space, !s->write, bytes, (uint64_t)count);
	for (int64_t i = 0; i < count; i++) {
		uint64_t at = b->local + (uint64_t)i * b->local_pitch;
		int64_t begin = from + (until - from) * i / count, to = from + (until - from) * (i + 1) / count;

		if (space == ASC_UB && m->ub)
			to = asc_ub_copy(m->ub, !s->write, at, bytes, begin, MAX(to, begin));
		else if (space == ASC_L1 && s->write)
			to = asc_cycles_up(mte_l1_read(m, at, bytes, asc_ticks(begin)));
		end = MAX(end, to);
	}
	return end;
}

/* Data of one burst have come into L1 between two ticks: a write of each line's worth when it arrives. */
static void spread_into_l1(asc_mte *m, uint64_t address, uint64_t bytes, int64_t from, int64_t to)
{
	uint64_t piece = (uint64_t)m->machine->mte2_packet_bytes, pieces = (bytes + piece - 1) / piece;

	for (uint64_t i = 0; i < pieces; i++) {
		uint64_t at = i * piece;

		mte_l1_write(m, address + at, MIN(piece, bytes - at),
		             from + (to - from) * (int64_t)i / (int64_t)pieces);
	}
}

static void copy_in(asc_mte *m, asc_exec *x, enum asc_space to)
{
	const asc_machine *machine = m->machine;
	bursts b = bursts_of(x, false);
	mte_stream s = mte_stream_begin(
		m, x, false, to == ASC_UB ? machine->mte2_ub_bytes_per_cycle : machine->mte2_l1_bytes_per_cycle,
		machine->mte2_start_cycles);
	int64_t end;

	s.past = !x->f[COPY_L2];
	s.latency = to == ASC_UB ? asc_ticks(machine->mte2_ub_cycles) : 0;
	mte_stream_bursts(&s, b.global, b.count, b.bytes, b.global_pitch);
	end = local_end(m, &s, &b, to);
	if (to == ASC_L1)
		for (int64_t i = 0; i < b.count; i++)
			spread_into_l1(m, b.local + (uint64_t)i * b.local_pitch, b.local_bytes,
			               s.first + (s.last - s.first) * i / b.count,
			               s.first + (s.last - s.first) * (i + 1) / b.count);
	x->stall[ASC_STALL_BANK] += end - asc_cycles_up(s.last);
	x->free = asc_cycles_up(s.issue);
	x->done = asc_cycles_up(s.end) + end - asc_cycles_up(s.last);
}

static void copy_out(asc_mte *m, asc_exec *x, enum asc_space from)
{
	const asc_machine *machine = m->machine;
	bursts b = bursts_of(x, true);
	mte_stream s = mte_stream_begin(
		m, x, true, from == ASC_UB ? machine->mte3_gm_bytes_per_cycle : machine->mte3_l1_gm_bytes_per_cycle,
		machine->mte3_start_cycles);
	int64_t end;

	s.latency = asc_ticks(machine->mte3_response_cycles);
	mte_stream_bursts(&s, b.global, b.count, b.bytes, b.global_pitch);
	end = local_end(m, &s, &b, from);
	x->stall[ASC_STALL_BANK] += end - asc_cycles_up(s.last);
	x->free = end;
	x->done = asc_cycles_up(s.end) + end - asc_cycles_up(s.last);
}

/* Unified buffer to L1, inside the core. */
static void copy_across(asc_mte *m, asc_exec *x)
{
	const int64_t *f = x->f;
	uint64_t bytes = mte_block_up((uint64_t)f[COPY_BURST_BYTES]);
	int64_t from = x->start, ticks = asc_ticks_of(bytes, m->machine->mte3_ub_l1_bytes_per_cycle, 1), end = from;

	account_local(x, ASC_UB, false, bytes, (uint64_t)f[COPY_BURSTS]);
	account_local(x, ASC_L1, true, bytes, (uint64_t)f[COPY_BURSTS]);
	for (int64_t i = 0; i < f[COPY_BURSTS]; i++) {
		uint64_t src = (uint64_t)f[COPY_SRC] + (uint64_t)i * (bytes + (uint64_t)f[COPY_SRC_GAP]);
		uint64_t dst = (uint64_t)f[COPY_DST] + (uint64_t)i * (bytes + (uint64_t)f[COPY_DST_GAP]);
		int64_t until = asc_cycles_up(asc_ticks(from) + ticks * (i + 1));

		if (m->ub)
			until = asc_ub_copy(m->ub, false, src, bytes, from + ticks * i / ASC_TICKS, until);
		end = MAX(end, until);
		spread_into_l1(m, dst, bytes, asc_ticks(from) + ticks * i, asc_ticks(from) + ticks * (i + 1));
	}
	x->free = x->done = end;
}

void mte_copy(asc_mte *m, asc_exec *x)
{
	enum asc_space from = ASC_GM, to = ASC_GM;

	switch ((enum asc_op)x->insn->op) {
	case ASC_OP_GM_TO_L1:
		to = ASC_L1;
		copy_in(m, x, to);
		break;
	case ASC_OP_GM_TO_UB:
		to = ASC_UB;
		copy_in(m, x, to);
		break;
	case ASC_OP_UB_TO_GM:
		from = ASC_UB;
		copy_out(m, x, from);
		break;
	case ASC_OP_L1_TO_GM:
		from = ASC_L1;
		copy_out(m, x, from);
		break;
	case ASC_OP_UB_TO_L1:
		from = ASC_UB;
		to = ASC_L1;
		copy_across(m, x);
		break;
	default:
		return;
	}
	x->bytes = payload(x);
	if (m->data)
		mte_copy_values(m, x, from, to);
}

void mte_nd2nz(asc_mte *m, asc_exec *x)
{
	const int64_t *f = x->f;
	uint64_t size = asc_type_bytes((enum asc_type)f[ND2NZ_TYPE]), row = (uint64_t)f[ND2NZ_D] * size;
	uint64_t pitch = (uint64_t)f[ND2NZ_SRC_PITCH] * size;
	uint64_t column = (uint64_t)f[ND2NZ_C0_STRIDE] * C0_BYTES, columns = mte_block_up(row) / C0_BYTES;
	mte_stream s = mte_stream_begin(m, x, false, m->machine->mte2_l1_bytes_per_cycle,
	                                m->machine->mte2_start_cycles + m->machine->mte2_nd2nz_cycles);

	s.past = !f[ND2NZ_L2];
	for (int64_t nd = 0; nd < f[ND2NZ_ND]; nd++) {
		int64_t first = s.last;

		mte_stream_bursts(&s, (uint64_t)f[ND2NZ_SRC] + (uint64_t)(nd * f[ND2NZ_N]) * pitch, f[ND2NZ_N], row,
		                  pitch);
		for (uint64_t c = 0; c < columns; c++)
			spread_into_l1(m, (uint64_t)f[ND2NZ_DST] + ((uint64_t)nd * columns + c) * column,
			               (uint64_t)f[ND2NZ_N] * C0_BYTES, nd ? first : MIN(s.first, s.last), s.last);
	}
	account_local(x, ASC_L1, true, (uint64_t)f[ND2NZ_N] * C0_BYTES, (uint64_t)f[ND2NZ_ND] * columns);
	x->bytes = (uint64_t)(f[ND2NZ_ND] * f[ND2NZ_N]) * row;
	x->free = asc_cycles_up(s.issue);
	x->done = asc_cycles_up(s.end);
	if (m->data)
		mte_nd2nz_values(m, x);
}
