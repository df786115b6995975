/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of a tile's registers in the unified buffer.
 *
 * Registers that copies write or read are there as often as tiles are in flight; all others once, since the vector unit
 * takes one tile after the other.
 *
 * A register takes the lowest free place for as long as its value lives; a result may take the place of an operand
 * that dies with it where both are runs of elements of one size.  Two sources of one instruction begin in different
 * halves of the bank groups, so that their blocks, which a repeat reads in one cycle, meet in none; a result begins in
 * the half of its first source, so that its writes, which come a repeat later, go round the groups in step with its
 * reads.
 */
#include "sched/emit/ascend/vector_int.h"

enum { ANY_PHASE = 2 };

static avk_op *op_at(const avk_program *p, uint32_t i)
{
	return &g_array_index(p->ops, avk_op, i);
}

static uint64_t turn_of(const avk_program *p)
{
	return (uint64_t)(p->machine->ub_row_bytes * p->machine->ub_groups);
}

uint64_t avk_once_bytes(const avk_program *p)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < p->regs->len; i++)
		if (avk_reg_at(p, i)->once)
			bytes += avk_reg_at(p, i)->bytes;
	return avk_up(bytes, turn_of(p));
}

/* Until a copy out has read a value, which may be long after the vector unit has gone on, APART keeps its place. */
static uint32_t last_of(const avk_program *p, const avk_reg *r)
{
	return p->apart && r->stored ? UINT32_MAX : r->last;
}

/* May the result of operation I lie where its operand S lies? */
static bool in_place(const avk_program *p, uint32_t i, unsigned s)
{
	const avk_op *o = op_at(p, i);
	const avk_reg *from = avk_reg_at(p, o->src[s].reg), *to = avk_reg_at(p, o->dst.reg);

	return o->kind == AVK_VECTOR && o->op != ASC_OP_VGATHER && !o->fold && !o->src[s].splat && !from->once &&
	       last_of(p, from) == i && to->first == i && from->bits == to->bits && from->rows == to->rows &&
	       from->shared == to->shared && o->rows == to->rows && avk_dense(&o->src[s]) && avk_dense(&o->dst) &&
	       o->src[s].shared == o->dst.shared && from->ring == to->ring;
}

/* The operand whose place the result of operation I takes; -1: none. */
static int taken_over(const avk_program *p, uint32_t i)
{
	for (unsigned s = 0; s < op_at(p, i)->srcs; s++)
		if (in_place(p, i, s))
			return (int)s;
	return -1;
}

/* Halves of the bank groups: first the sources of one instruction apart, then results as their sources.  SAME: the
 * register whose place each has. */
static void choose_phases(avk_program *p)
{
	g_autofree uint32_t *same = g_new(uint32_t, p->regs->len);

	for (uint32_t i = 0; i < p->regs->len; i++) {
		avk_reg_at(p, i)->phase = ANY_PHASE;
		same[i] = i;
	}
	for (uint32_t i = 0; i < p->ops->len; i++)
		if (op_at(p, i)->kind == AVK_VECTOR && taken_over(p, i) >= 0)
			same[op_at(p, i)->dst.reg] = same[op_at(p, i)->src[taken_over(p, i)].reg];
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = op_at(p, i);
		avk_reg *a, *b;

		if (o->kind != AVK_VECTOR || o->srcs != 2 || o->src[0].splat || o->src[1].splat)
			continue;
		a = avk_reg_at(p, same[o->src[0].reg]);
		b = avk_reg_at(p, same[o->src[1].reg]);
		if (a->phase == ANY_PHASE && b->phase == ANY_PHASE)
			a->phase = 0;
		if (a->phase == ANY_PHASE)
			a->phase = !b->phase;
		else if (b->phase == ANY_PHASE)
			b->phase = !a->phase;
	}
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const avk_op *o = op_at(p, i);
		avk_reg *to = avk_reg_at(p, same[o->dst.reg]);

		if (o->kind != AVK_STORE && to->phase == ANY_PHASE)
			to->phase = o->srcs && avk_reg_at(p, same[o->src[0].reg])->phase == 1 ? 1 : 0;
	}
	for (uint32_t i = 0; i < p->regs->len; i++)
		avk_reg_at(p, i)->phase = avk_reg_at(p, same[i])->phase;
}

static bool alive(const avk_program *p, const avk_reg *r, const avk_reg *with)
{
	return r->ring == with->ring && r->first <= last_of(p, with) && with->first <= last_of(p, r);
}

/* Lowest place from AT on that no register of PLACED that lives with R has. */
static uint64_t find_place(const avk_program *p, const GArray *placed, const avk_reg *r, uint64_t turn)
{
	uint64_t at = r->phase == 1 ? turn / 2 : 0;

	for (uint32_t k = 0; k < placed->len; k++) { /* by address */
		const avk_reg *q = avk_reg_at(p, g_array_index(placed, uint32_t, k));

		if (!alive(p, q, r) || q->address + q->bytes <= at)
			continue;
		if (at + r->bytes <= q->address)
			break;
		at = avk_up(q->address + q->bytes, turn) + (r->phase == 1 ? turn / 2 : 0);
		if (r->phase != 1 && at < q->address + q->bytes)
			at += turn;
	}
	return at;
}

static void insert(const avk_program *p, GArray *placed, uint32_t reg)
{
	uint32_t k = 0;

	while (k < placed->len &&
	       avk_reg_at(p, g_array_index(placed, uint32_t, k))->address <= avk_reg_at(p, reg)->address)
		k++;
	g_array_insert_val(placed, k, reg);
}

static bool take_over(avk_program *p, uint32_t reg)
{
	avk_reg *r = avk_reg_at(p, reg);
	const avk_op *o = op_at(p, r->first);
	int s = o->dst.reg == reg ? taken_over(p, r->first) : -1;

	if (s >= 0)
		r->address = avk_reg_at(p, o->src[s].reg)->address;
	return s >= 0;
}

static uint64_t place_once(avk_program *p)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < p->regs->len; i++)
		if (avk_reg_at(p, i)->once) {
			avk_reg_at(p, i)->address = at;
			at += avk_reg_at(p, i)->bytes;
		}
	return at;
}

avk_room avk_place(avk_program *p, uint64_t units, uint64_t pitch)
{
	g_autoptr(GArray) placed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint64_t turn = turn_of(p), row = (uint64_t)p->machine->ub_row_bytes;
	avk_room room = {0, 0};

	for (uint32_t i = 0; i < p->ops->len; i++)
		if (op_at(p, i)->kind == AVK_STORE)
			avk_reg_at(p, op_at(p, i)->src[0].reg)->stored = true;
	choose_phases(p);
	place_once(p);
	for (uint32_t i = 0; i < p->ops->len; i++) {
		uint32_t reg = op_at(p, i)->dst.reg;
		avk_reg *r = avk_reg_at(p, reg);
		uint64_t *end = r->ring ? &room.ring : &room.fixed;

		/* Registers in the order in which they are first written. */
		if (op_at(p, i)->kind == AVK_STORE || r->once || r->first != i)
			continue;
		r->bytes = avk_up(r->rows * (r->shared ? 1 : units) * pitch * r->bits / 8, row);
		if (!take_over(p, reg))
			r->address = find_place(p, placed, r, turn);
		insert(p, placed, reg);
		*end = MAX(*end, r->address + r->bytes);
	}
	room.fixed = avk_up(room.fixed, turn);
	room.ring = avk_up(room.ring, turn);
	return room;
}
