/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs.  Times are drawn so that operands often are just in time, just late, or gone; places from small
 * pools, so that instructions meet.  Nothing here knows when a value arrives, except for streams, where a blind draw
 * would never hit.
 */
#include "tests/mutation/random_int.h"

#include <string.h>

/* --- places --- */

static unsigned any_register(maker *m)
{
	return ISA_PLACE_VREG((unsigned)random_below(m, random_chance(m, 95) ? 6 : 8));
}

static unsigned any_stream(maker *m)
{
	int id = (int)random_below(m, 5);

	return (unsigned)ISA_PLACE_STREAM(random_chance(m, 50), id);
}

/* A place that VXM, SXM, links write to. */
static unsigned any_result(maker *m, bool ports)
{
	unsigned planes = (unsigned)m->p->sched->mxm_planes;

	if (m->p->sched->streams)
		return any_stream(m);
	if (ports && random_chance(m, 15))
		return ISA_PLACE_ACT(1 + (unsigned)random_below(m, (1U << planes) - 1));
	if (ports && random_chance(m, 10))
		return ISA_PLACE_WT((unsigned)random_below(m, planes));
	return any_register(m);
}

static unsigned any_operand(maker *m)
{
	return m->p->sched->streams ? any_stream(m) : any_register(m);
}

/* --- instructions --- */

static void fill_hashed(maker *m, isa_insn *insn)
{
	int64_t bytes = isa_machine_sram_bytes(m->p->sched);
	bool store = insn->op == ISA_OP_STORE || insn->op == ISA_OP_STORES || insn->op == ISA_OP_STOREX;

	insn->addr = (uint32_t)(random_chance(m, 97) ? 8 * random_between(m, 0, 60)
	                                             : random_between(m, bytes - 40, bytes + 20));
	insn->len = (uint16_t)random_between(m, 1, random_chance(m, 80) ? 64 : 128);
	insn->seg = (uint16_t)random_between(m, 1, random_chance(m, 70) ? 8 : 24);
	insn->count = (uint32_t)random_between(m, 1, 5);
	insn->pitch = (int32_t)(8 * random_between(m, random_chance(m, 95) ? 0 : -8, 30));
	if (store)
		insn->src0 = (uint16_t)any_register(m);
	else
		insn->dst = (uint16_t)any_result(m, true);
	if (insn->op == ISA_OP_LOADX || insn->op == ISA_OP_STOREX)
		insn->src1 = (uint16_t)any_register(m);
	/* Fields that the format lacks must be neutral. */
	if (insn->op == ISA_OP_LOAD || insn->op == ISA_OP_STORE) {
		insn->seg = 0;
		insn->count = 0;
		insn->pitch = 0;
	} else {
		insn->len = 0;
		if (insn->op == ISA_OP_LOADX || insn->op == ISA_OP_STOREX)
			insn->pitch = 0;
	}
}

static void fill_direct(maker *m, isa_insn *insn)
{
	bool by_map = insn->op == ISA_OP_GATHER || insn->op == ISA_OP_SCATTER;

	if (!by_map)
		insn->addr = (uint32_t)random_below(m, random_chance(m, 97) ? 12 : 13);
	if (insn->op == ISA_OP_READWRITE)
		insn->waddr = (uint32_t)random_below(m, 12);
	if (insn->op == ISA_OP_READ || insn->op == ISA_OP_READWRITE || insn->op == ISA_OP_GATHER)
		insn->dst = (uint16_t)any_stream(m);
	if (insn->op == ISA_OP_WRITE || insn->op == ISA_OP_READWRITE || insn->op == ISA_OP_SCATTER)
		insn->src0 = (uint16_t)any_stream(m);
	if (by_map)
		insn->src1 = (uint16_t)any_stream(m);
}

static void fill_mem(maker *m, isa_insn *insn)
{
	static const uint16_t hashed[] = {ISA_OP_LOAD,   ISA_OP_LOAD,  ISA_OP_STORE, ISA_OP_LOADS,
	                                  ISA_OP_STORES, ISA_OP_LOADX, ISA_OP_STOREX};
	static const uint16_t direct[] = {ISA_OP_READ,      ISA_OP_READ,   ISA_OP_WRITE,  ISA_OP_WRITE,
	                                  ISA_OP_READWRITE, ISA_OP_GATHER, ISA_OP_SCATTER};

	if (m->p->sched->hashed) {
		insn->op = hashed[random_below(m, G_N_ELEMENTS(hashed))];
		fill_hashed(m, insn);
	} else {
		insn->op = direct[random_below(m, G_N_ELEMENTS(direct))];
		fill_direct(m, insn);
	}
}

static uint8_t any_type(maker *m, int class)
{
	switch (class) {
	case ISA_TYPES_INT:
		return (uint8_t)random_below(m, 3);
	case ISA_TYPES_FLOAT:
		return (uint8_t)(ISA_TYPE_F16 + random_below(m, 2));
	default:
		return (uint8_t)random_below(m, ISA_TYPE_COUNT);
	}
}

static void fill_vxm(maker *m, isa_insn *insn)
{
	static const float immediates[] = {0.0f, 1.0f, -2.5f, 65504.0f, 1e-6f};
	const isa_op_info *info;
	float imm;

	do
		insn->op = (uint16_t)random_below(m, ISA_OP_COUNT);
	while (isa_ops[insn->op].unit != ISA_UNIT_VXM);
	info = &isa_ops[insn->op];
	insn->type = any_type(m, info->types);
	insn->dtype = insn->op == ISA_OP_CVT ? any_type(m, ISA_TYPES_ALL) : insn->type;
	if (insn->type >= ISA_TYPE_F16 && insn->op != ISA_OP_CVT && random_chance(m, 20))
		insn->dtype = any_type(m, ISA_TYPES_FLOAT);
	insn->lanes = (uint16_t)random_between(m, 1, 32);
	insn->dst = (uint16_t)(random_chance(m, 15) ? ISA_PLACE_NONE : any_result(m, true));
	insn->src0 = (uint16_t)(random_chance(m, 25) ? (unsigned)ISA_PLACE_ALU((unsigned)random_below(m, 3))
	                                             : any_operand(m));
	if (info->arity < 2)
		return;
	insn->src1 = (uint16_t)(random_chance(m, 20) ? (unsigned)ISA_PLACE_ALU((unsigned)random_below(m, 3))
	                                             : any_operand(m));
	if (random_chance(m, 70))
		return;
	insn->src1 = ISA_PLACE_IMM;
	imm = immediates[random_below(m, G_N_ELEMENTS(immediates))];
	if (insn->type >= ISA_TYPE_F16)
		memcpy(&insn->imm, &imm, sizeof imm);
	else
		insn->imm = (uint32_t)random_between(m, 0, 200);
}

static void fill_mxm(maker *m, isa_insn *insn, const isa_queue_info *queue)
{
	unsigned plane = queue->index;
	bool wide = (plane % 2 == 0 || queue->role == 0) && random_chance(m, 50);
	unsigned rows = (unsigned)m->p->sched->mxm_rows;

	insn->type = wide ? ISA_TYPE_F16 : ISA_TYPE_I8;
	insn->lanes = (uint16_t)random_between(m, 1, 32);
	if (queue->role == 0 && (random_chance(m, 65) || (wide && plane % 2))) {
		insn->op = ISA_OP_LW;
		insn->src0 = (uint16_t)(m->p->sched->streams   ? any_stream(m)
		                        : random_chance(m, 70) ? (unsigned)ISA_PLACE_WT(plane)
		                                               : any_register(m));
		insn->addr = (uint32_t)random_below(m, random_chance(m, 98) ? 4 : rows + 1);
		insn->count = (uint32_t)random_between(m, 1, 3);
	} else if (queue->role == 0) {
		insn->op = ISA_OP_IW;
		insn->count = (uint32_t)(random_chance(m, 98) ? random_between(m, 1, 4) : rows + 1);
		insn->lanes = 0;
	} else if (queue->role == 1) {
		insn->op = ISA_OP_ABC;
		insn->src0 = (uint16_t)(m->p->sched->streams   ? any_stream(m)
		                        : random_chance(m, 70) ? (unsigned)ISA_PLACE_ACT(1U << plane)
		                                               : any_register(m));
		insn->addr = (uint32_t)random_below(m, 3);
		insn->mode = (uint8_t)random_below(m, 2);
	} else {
		insn->op = ISA_OP_ACC;
		insn->dst = (uint16_t)any_result(m, true);
		insn->addr = (uint32_t)random_below(m, 3);
	}
}

static void fill_sxm(maker *m, isa_insn *insn, unsigned role)
{
	static const uint16_t ops[ISA_SXM_ROLES] = {
		[ISA_SXM_SHIFT] = ISA_OP_SHIFT,     [ISA_SXM_SELECT] = ISA_OP_SELECT,
		[ISA_SXM_PERMUTE] = ISA_OP_PERMUTE, [ISA_SXM_DISTRIBUTE] = ISA_OP_DISTRIBUTE,
		[ISA_SXM_ROTATE] = ISA_OP_ROTATE,   [ISA_SXM_TRANSPOSE] = ISA_OP_TRANSPOSE};

	insn->op = ops[role];
	insn->dst = (uint16_t)any_result(m, true);
	insn->src0 = (uint16_t)any_operand(m);
	if (role == ISA_SXM_TRANSPOSE)
		return;
	insn->type = any_type(m, ISA_TYPES_ALL);
	if (role == ISA_SXM_SELECT)
		insn->src1 = (uint16_t)any_operand(m);
	if (role == ISA_SXM_SHIFT || role == ISA_SXM_ROTATE)
		insn->distance = (int16_t)random_between(m, -40, 40);
	else
		insn->map = (uint16_t)(role == ISA_SXM_PERMUTE ? random_below(m, 2) : 1 + random_below(m, 2));
}

static void fill_c2c(maker *m, isa_insn *insn)
{
	insn->op = random_chance(m, 50) ? ISA_OP_SEND : ISA_OP_RECV;
	if (insn->op == ISA_OP_SEND)
		insn->src0 = (uint16_t)any_operand(m);
	else
		insn->dst = (uint16_t)any_result(m, true);
}

static void fill(maker *m, isa_insn *insn)
{
	const isa_queue_info *queue = isa_machine_queue(m->p->sched, insn->queue);

	switch (queue->unit) {
	case ISA_UNIT_MEM:
		fill_mem(m, insn);
		break;
	case ISA_UNIT_VXM:
		fill_vxm(m, insn);
		break;
	case ISA_UNIT_MXM:
		fill_mxm(m, insn, queue);
		break;
	case ISA_UNIT_SXM:
		fill_sxm(m, insn, queue->role);
		break;
	default:
		fill_c2c(m, insn);
		break;
	}
}

static void add_loops(maker *m, isa_insn *insn)
{
	int64_t span;

	if (random_chance(m, 65))
		return;
	insn->loop[0] = (isa_loop){(uint32_t)random_between(m, 2, 4), (uint32_t)random_between(m, 1, 3),
	                           random_chance(m, 60) ? 0 : (int32_t)random_between(m, -1, 2)};
	if (isa_ops[insn->op].need == ISA_NEED_HASHED)
		insn->loop[0].step *= 16;
	span = (int64_t)(insn->loop[0].count - 1) * insn->loop[0].interval;
	if (random_chance(m, 30))
		insn->loop[1] =
			(isa_loop){(uint32_t)random_between(m, 2, 3), (uint32_t)(span + random_between(m, 1, 3)),
		                   random_chance(m, 60) ? 0 : insn->loop[0].step};
	for (int k = 0; k < ISA_ROT_COUNT; k++)
		if (m->p->sched->vreg_count && random_chance(m, 30))
			insn->rot[k] = (isa_rotation){(int8_t)random_between(m, -2, 3), (uint16_t)random_below(m, 5)};
}

/* A unit as likely as any other, then one of its queues. */
static unsigned any_queue(maker *m)
{
	enum isa_unit unit = (enum isa_unit)random_between(m, ISA_UNIT_MEM, ISA_UNIT_C2C);
	unsigned queue;

	if (random_chance(m, 30))
		unit = ISA_UNIT_MEM;
	/* Queues that must be fetched are only interesting when they are long. */
	if (m->p->sched->icu_queue_words && random_chance(m, 85))
		return m->crowded + (unsigned)random_below(m, 2);
	do
		queue = (unsigned)random_below(m, isa_machine_queue_count(m->p->sched));
	while (isa_machine_queue(m->p->sched, queue)->unit != unit);
	return queue;
}

static int stream_of(unsigned place)
{
	return isa_place_kind(place) == ISA_PLACE_KIND_STREAM ? (int)isa_place_index(place) : -1;
}

/* The cycle in which an earlier result on the stream of INSN's operand passes by, or a cycle beside it; -1: none does.
 */
static int64_t passing(maker *m, const isa_insn *insn)
{
	const isa_machine *hw = m->p->sched;
	const isa_queue_info *here = isa_machine_queue(hw, insn->queue);
	const random_insn *from;
	const isa_queue_info *there;
	int stream;
	int64_t hops, delay;

	if (!m->p->insns->len)
		return -1;
	from = &g_array_index(m->p->insns, random_insn, random_below(m, m->p->insns->len));
	there = isa_machine_queue(hw, from->insn.queue);
	stream = stream_of(from->insn.dst);
	if (stream < 0 || stream_of(insn->src0) < 0)
		return -1;
	hops = stream < 32 ? here->position - there->position : there->position - here->position;
	if (hops < 0)
		return -1;
	delay = isa_machine_timing(hw, isa_ops[from->insn.op].timing) + isa_machine_skew(hw, there->unit) +
	        (there->unit == ISA_UNIT_VXM ? hw->vxm_entry_cycles : 0) - isa_machine_skew(hw, here->unit);
	return from->insn.cycle + delay + hops * hw->stream_hop_cycles +
	       (random_chance(m, 70) ? 0 : random_between(m, -1, 2));
}

static void aim_at_stream(maker *m, isa_insn *insn)
{
	const random_insn *from = &g_array_index(m->p->insns, random_insn, random_below(m, m->p->insns->len));

	if (stream_of(insn->src0) >= 0 && stream_of(from->insn.dst) >= 0 && random_chance(m, 80))
		insn->src0 = from->insn.dst;
}

static void make_insn(maker *m)
{
	random_insn item = {.sources = g_array_new(FALSE, TRUE, sizeof(random_source))};
	unsigned queue = any_queue(m);
	int64_t *free_at = &g_array_index(m->free_at, int64_t, queue);
	int64_t aimed = -1;

	item.insn = isa_insn_make(ISA_OP_NOP, queue, 0);
	fill(m, &item.insn);
	add_loops(m, &item.insn);
	if (m->p->insns->len)
		aim_at_stream(m, &item.insn);
	for (int tries = 0; tries < 8 && aimed < *free_at; tries++)
		aimed = passing(m, &item.insn);
	item.insn.cycle = aimed >= *free_at ? aimed : MAX(*free_at, m->now + random_between(m, 0, 3));
	*free_at = isa_insn_last(&item.insn) + 1;
	m->now += random_between(m, 0, 3);
	g_array_append_val(m->p->insns, item);
}

/* Appends one instruction in the first free cycle of its queue at or after NOW. */
static void put(maker *m, isa_insn insn)
{
	random_insn item = {.insn = insn, .sources = g_array_new(FALSE, TRUE, sizeof(random_source))};
	int64_t *free_at = &g_array_index(m->free_at, int64_t, insn.queue);

	item.insn.cycle = MAX(*free_at, m->now);
	*free_at = isa_insn_last(&item.insn) + 1;
	g_array_append_val(m->p->insns, item);
}

static isa_insn insn_in(maker *m, enum isa_op op, enum isa_unit unit, unsigned role, unsigned index)
{
	for (unsigned side = 0; side < 2; side++) {
		int queue = isa_machine_queue_find(m->p->sched, unit, side, role, index);

		if (queue >= 0)
			return isa_insn_make(op, (unsigned)queue, 0);
	}
	g_assert_not_reached();
}

/* Fills what later instructions read: registers, ports, weights and rows of every plane. */
static void warm_registers(maker *m)
{
	const isa_machine *hw = m->p->sched;
	unsigned queues = (unsigned)hw->sram_issue_per_cycle;
	isa_insn insn;

	for (unsigned r = 0; r < 6 + 2 * (unsigned)hw->mxm_planes; r++) {
		insn = insn_in(m, ISA_OP_LOAD, ISA_UNIT_MEM, 0, r % queues);
		insn.addr = (uint32_t)(64 * r);
		insn.len = 64;
		insn.dst = (uint16_t)(r < 6        ? (unsigned)ISA_PLACE_VREG(r)
		                      : r % 2 == 0 ? (unsigned)ISA_PLACE_WT((r - 6) / 2)
		                                   : (unsigned)ISA_PLACE_ACT(1U << ((r - 6) / 2)));
		put(m, insn);
	}
	m->now += 12 + hw->sram_latency_cycles;
}

/* One row of weights and one accumulator row a plane, from the ports or from streams 0. */
static void warm_planes(maker *m)
{
	const isa_machine *hw = m->p->sched;
	bool wide = random_chance(m, 50);

	for (unsigned step = 0; step < 3; step++) {
		for (unsigned plane = 0; plane < (unsigned)hw->mxm_planes; plane += wide ? 2 : 1) {
			bool west = 2 * plane < (unsigned)hw->mxm_planes;
			unsigned stream = (unsigned)ISA_PLACE_STREAM(west, 0);
			isa_insn insn = insn_in(m,
			                        step == 0   ? ISA_OP_LW
			                        : step == 1 ? ISA_OP_IW
			                                    : ISA_OP_ABC,
			                        ISA_UNIT_MXM, step / 2, plane);

			insn.type = wide ? ISA_TYPE_F16 : ISA_TYPE_I8;
			insn.count = step < 2 ? 1 : 0;
			insn.lanes = step == 0 ? 32 : step == 1 ? 0 : 1;
			if (step == 0)
				insn.src0 = (uint16_t)(hw->streams ? stream : (unsigned)ISA_PLACE_WT(plane));
			if (step == 2)
				insn.src0 = (uint16_t)(hw->streams ? stream : (unsigned)ISA_PLACE_ACT(1U << plane));
			put(m, insn);
		}
		m->now += 3 + hw->mxm_iw_cycles;
	}
}

/* A word a cycle on streams 0..4 of both directions from the slices of the side they come from. */
static void warm_streams(maker *m)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned k = 0; k < 5; k++) {
			int queue = isa_machine_queue_find(m->p->sched, ISA_UNIT_MEM, side, 0, 4 - k);
			isa_insn insn = isa_insn_make(ISA_OP_READ, (unsigned)queue, 0);

			insn.addr = (uint32_t)random_below(m, 6);
			insn.dst = (uint16_t)ISA_PLACE_STREAM(side, (int)k);
			insn.loop[0] = (isa_loop){(uint32_t)random_between(m, 20, 60), 1, 0};
			put(m, insn);
		}
	m->now += 12 * m->p->sched->stream_hop_cycles;
}

static void warm_up(maker *m)
{
	if (m->p->sched->streams)
		warm_streams(m);
	else
		warm_registers(m);
	if (random_chance(m, 70))
		warm_planes(m);
}

/* A row of every plane's sums, all lanes of it, to registers and from there to memory, which is compared. */
static void store_sums(maker *m)
{
	const isa_machine *hw = m->p->sched;

	m->now += 64;
	for (unsigned plane = 0; plane < (unsigned)hw->mxm_planes; plane++) {
		isa_insn insn = insn_in(m, ISA_OP_ACC, ISA_UNIT_MXM, 2, plane);

		insn.type = plane % 2 == 0 && random_chance(m, 50) ? ISA_TYPE_F16 : ISA_TYPE_I8;
		insn.addr = (uint32_t)random_below(m, 3);
		insn.lanes = 32;
		insn.dst = (uint16_t)ISA_PLACE_VREG(8 + 2 * plane);
		put(m, insn);
	}
	m->now += 64;
	for (unsigned plane = 0; plane < (unsigned)hw->mxm_planes; plane++) {
		isa_insn insn = insn_in(m, ISA_OP_STORE, ISA_UNIT_MEM, 0, plane % (unsigned)hw->sram_issue_per_cycle);

		insn.addr = 1024 + 128 * plane;
		insn.len = 128;
		insn.src0 = (uint16_t)ISA_PLACE_VREG(8 + 2 * plane);
		put(m, insn);
	}
}

static void make_data(maker *m)
{
	uint64_t bytes = (uint64_t)isa_machine_sram_bytes(m->p->sched);
	isa_lane_map map;

	m->p->data = g_malloc0(bytes);
	for (uint64_t i = 0; i < bytes; i++)
		m->p->data[i] = (uint8_t)(random_chance(m, 70) ? random_below(m, 6) : random_below(m, 256));
	/* Words that are indices for LOADX: small multiples of 4. */
	for (uint64_t i = 0; i + 4 <= bytes && m->p->sched->hashed; i += 4)
		if (random_chance(m, 50)) {
			m->p->data[i] = (uint8_t)(4 * random_below(m, 64));
			m->p->data[i + 1] = (uint8_t)random_below(m, 2);
			m->p->data[i + 2] = m->p->data[i + 3] = 0;
		}
	/* Addresses for GATHER. */
	for (uint64_t i = 0; i + 16 <= bytes && !m->p->sched->hashed; i += 16)
		if (random_chance(m, 80)) {
			m->p->data[i] = (uint8_t)random_below(m, 12);
			m->p->data[i + 1] = 0;
		}
	m->p->maps = g_array_new(FALSE, TRUE, sizeof(isa_lane_map));
	for (unsigned kind = 0; kind < 3; kind++) {
		for (unsigned lane = 0; lane < 320; lane++)
			map.lane[lane] = (uint16_t)(kind == 0   ? (lane + 37) % 32
			                            : kind == 1 ? lane ^ 5
			                            : lane % 3  ? lane / 16 * 16 + lane % 7
			                                        : 0xffff);
		if (kind == 0)
			for (unsigned lane = 0; lane < 320; lane++)
				map.lane[lane] = (uint16_t)(lane < 32 ? (lane + 5) % 32 : lane);
		g_array_append_val(m->p->maps, map);
	}
}

random_program *random_program_new(uint64_t seed)
{
	random_program *p = g_new0(random_program, 1);
	maker m = {.p = p};
	unsigned count;
	bool indexed = false;

	rng_seed(&m.r, seed, 0);
	p->seed = seed;
	p->insns = g_array_new(FALSE, TRUE, sizeof(random_insn));
	random_machine(&m, random_chance(&m, 50));
	make_data(&m);
	p->resident = random_chance(&m, 90);
	p->freeze = random_chance(&m, 25);
	p->shuffle_seed = random_chance(&m, 50) ? 1 + random_below(&m, 1000) : 0;
	m.now = p->sched->icu_barrier_cycles;
	m.free_at = g_array_new(FALSE, TRUE, sizeof(int64_t));
	g_array_set_size(m.free_at, isa_machine_queue_count(p->sched));
	for (unsigned q = 0; q < m.free_at->len; q++)
		g_array_index(m.free_at, int64_t, q) = m.now;
	m.crowded = (unsigned)random_below(&m, isa_machine_queue_count(p->sched) - 1);
	if (p->resident && random_chance(&m, 60))
		warm_up(&m);
	count = (unsigned)random_between(&m, 2, 40);
	for (unsigned i = 0; i < count; i++)
		make_insn(&m);
	for (unsigned i = 0; i < p->insns->len; i++) {
		unsigned op = g_array_index(p->insns, random_insn, i).insn.op;

		indexed = indexed || op == ISA_OP_LOADX || op == ISA_OP_STOREX || op == ISA_OP_GATHER ||
		          op == ISA_OP_SCATTER;
	}
	p->functional = indexed || random_chance(&m, 80);
	if (p->sched->vreg_count && random_chance(&m, 60))
		store_sums(&m);
	g_array_unref(m.free_at);
	return p;
}

void random_program_free(random_program *p)
{
	for (unsigned i = 0; i < p->insns->len; i++)
		g_array_unref(g_array_index(p->insns, random_insn, i).sources);
	g_array_unref(p->insns);
	g_array_unref(p->maps);
	isa_machine_free(p->sched);
	isa_machine_free(p->hw);
	g_free(p->data);
	g_free(p->settings);
	g_free(p);
}
