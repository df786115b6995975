/* SPDX-License-Identifier: Apache-2.0
 *
 * The flat hashed SRAM.  Queues only announce their accesses; once a cycle, when all have, they are served sorted by
 * queue: block requests to the banks the map names, per-bank FIFO, an access ending with its last block.  A load reads
 * the bytes as they are in that cycle.  Under freeze the memory is lockstep: the accesses of a cycle form a group, and
 * a group that finds the memory occupied stops the machine; program time does not see that, only the slip grows.
 * Refresh, ECC and read-modify-write of part blocks are not modelled.
 */
#include "models/tsp/internal.h"

bool tsp_sram_init(tsp_chip *chip, GError **error)
{
	const isa_machine *m = chip->machine;
	tsp_sram *s = &chip->sram;

	s->cycle = INT64_MIN;
	s->waiting = g_new(tsp_queue *, isa_machine_queue_count(m));
	s->group = g_array_new(FALSE, FALSE, sizeof(tsp_group_access));
	if (!m->hashed)
		return tsp_buffers_init(chip, error);
	s->map = bankmap_new(m->sram_map, (unsigned)m->sram_banks, (uint64_t)m->sram_rows, error);
	if (!s->map)
		return false;
	model_banks_init(&s->banks, s->map, (uint64_t)isa_machine_sram_bytes(m), (uint32_t)m->sram_block_bytes,
	                 (uint32_t)m->sram_port_bytes, (uint32_t)m->sram_ports, chip->freeze);
	if (!tsp_buffers_init(chip, error))
		return false;
	s->scratch = g_new0(uint32_t, s->banks.banks);
	return true;
}

static void forget_group(tsp_chip *chip)
{
	GArray *group = chip->sram.group;

	for (guint i = 0; i < group->len; i++)
		model_value_unref(&chip->pool, g_array_index(group, tsp_group_access, i).index_value);
	g_array_set_size(group, 0);
}

void tsp_sram_fini(tsp_chip *chip)
{
	tsp_sram *s = &chip->sram;

	forget_group(chip);
	g_array_unref(s->group);
	g_free(s->waiting);
	tsp_buffers_fini(chip);
	if (s->map)
		model_banks_fini(&s->banks);
	bankmap_free(s->map);
	g_free(s->scratch);
}

static bool is_load(const tsp_queue *q)
{
	return q->insn.op == ISA_OP_LOAD || q->insn.op == ISA_OP_LOADS || q->insn.op == ISA_OP_LOADX;
}

static bool is_indexed(const tsp_queue *q)
{
	return q->insn.op == ISA_OP_LOADX || q->insn.op == ISA_OP_STOREX;
}

static uint32_t run_bytes(const tsp_queue *q)
{
	return q->insn.op == ISA_OP_LOAD || q->insn.op == ISA_OP_STORE ? q->insn.len : q->insn.seg;
}

static uint32_t runs(const tsp_queue *q)
{
	return q->insn.op == ISA_OP_LOAD || q->insn.op == ISA_OP_STORE ? 1 : q->insn.count;
}

int tsp_sram_prepare(tsp_queue *q)
{
	uint32_t bytes = run_bytes(q) * runs(q);
	int fault = TSP_NO_VIOLATION;

	if (!bytes || q->insn.buffer > q->chip->program->buffers->len)
		return ISA_VIOLATION_ILLEGAL;
	if (is_indexed(q))
		fault = tsp_place_resolve(q, q->insn.src1, 4 * runs(q), 4, false, &q->src[1]);
	if (fault != TSP_NO_VIOLATION)
		return fault;
	if (is_load(q))
		return tsp_place_resolve(q, q->insn.dst, bytes, 1, true, &q->dst);
	return tsp_place_resolve(q, q->insn.src0, bytes, 1, false, &q->src[0]);
}

/* Announces the access; tsp_sram_run() serves it. */
static void announce(tsp_chip *chip, tsp_queue *q)
{
	tsp_sram *s = &chip->sram;

	if (s->cycle != q->now) {
		s->cycle = q->now;
		s->waiting_count = 0;
		sim_process_wake(chip->sram_process, q->now);
	}
	s->waiting[s->waiting_count++] = q;
}

void tsp_exec_LOAD(tsp_chip *chip, tsp_queue *q)
{
	announce(chip, q);
}

void tsp_exec_STORE(tsp_chip *chip, tsp_queue *q)
{
	announce(chip, q);
}

void tsp_exec_LOADS(tsp_chip *chip, tsp_queue *q)
{
	announce(chip, q);
}

void tsp_exec_STORES(tsp_chip *chip, tsp_queue *q)
{
	announce(chip, q);
}

void tsp_exec_LOADX(tsp_chip *chip, tsp_queue *q)
{
	announce(chip, q);
}

void tsp_exec_STOREX(tsp_chip *chip, tsp_queue *q)
{
	announce(chip, q);
}

void tsp_check_reading(tsp_queue *q, const model_reading *r)
{
	tsp_miss miss = {.place = TSP_MISS_STORE, .time = q->now};

	q->arrival[0] = r->due; /* INT64_MIN is PROBE_NO_TIME */
	if (G_UNLIKELY(r->fault))
		tsp_miss_operand(q, &miss,
		                 r->fault == MODEL_FAULT_WRONG ? ISA_VIOLATION_WRONG_OPERAND : ISA_VIOLATION_UNWRITTEN,
		                 r->named != 0, r->named, r->found, (int64_t)r->location);
}

/* Where does the access go?  Reports what leaves the memory, once. */
static void find_shape(tsp_queue *q, const tsp_operand *map, model_shape *shape)
{
	const model_store *store = &q->chip->store;

	*shape = (model_shape){q->addr, q->insn.pitch, run_bytes(q), runs(q), NULL};
	if (is_indexed(q))
		shape->index = (const int32_t *)(const void *)tsp_operand_bytes(map);
	for (uint32_t i = 0; i < shape->runs; i++)
		if (G_UNLIKELY(!model_store_holds(store, model_shape_run(shape, i), shape->run_bytes))) {
			tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, model_shape_run(shape, i));
			return;
		}
}

/* The bytes that LANES of index need; a value that nobody knows counts as zeros and is reported. */
static void sample_map(tsp_queue *q, tsp_operand *map)
{
	tsp_sample(q, 1, 1, q->now, map);
	if (map->value)
		return;
	tsp_violate(q, ISA_VIOLATION_ILLEGAL, q->now, TSP_NO_INSN, q->insn.op);
	map->value = q->chip->zero;
	map->offset = 0;
}

static void join_group(tsp_chip *chip, tsp_queue *q, const model_shape *shape, const tsp_operand *map)
{
	tsp_group_access access = {tsp_buffer_map(q), *shape, shape->index ? model_value_ref(map->value) : NULL, q->id};

	g_array_append_val(chip->sram.group, access);
}

/* Bytes of a load, or NULL when nobody knows them. */
static model_value *read_store(tsp_queue *q, const model_shape *shape)
{
	tsp_chip *chip = q->chip;
	model_value *value = NULL;
	model_reading reading;
	model_expect expect;

	if (chip->store.any_bytes) {
		value = model_value_new(&chip->pool);
		model_value_seal(value, shape->runs * shape->run_bytes);
	}
	tsp_expect(q, 0, &expect);
	model_store_read(&chip->store, shape, &expect, value ? value->data : NULL, &reading);
	tsp_check_reading(q, &reading);
	if (value && !chip->functional && !reading.has_bytes) {
		model_value_unref(&chip->pool, value);
		value = NULL;
	}
	return value;
}

static void file_store(tsp_queue *q, const model_shape *shape, const tsp_operand *map, int64_t due)
{
	model_write write = {
		.due = due,
		.filed = q->now,
		.shape = *shape,
		.index_value = shape->index ? model_value_ref(map->value) : NULL,
		.tag = q->tag,
		.queue = q->number,
	};
	tsp_operand data;

	tsp_sample(q, 0, 0, q->now, &data);
	write.value = model_value_ref(data.value);
	write.offset = data.offset;
	model_store_write(&q->chip->store, &write);
	tsp_note_due(q->chip, due);
}

/* Cycles that the access ended later than alone. */
static int64_t lateness(const tsp_queue *q, const model_service *service)
{
	return service->end - (q->now + MAX(service->beats, 1) - 1);
}

static void report_conflict(tsp_chip *chip, const tsp_queue *q, const model_service *service)
{
	probe_report_conflict(chip->probe, &(probe_conflict){
						   .cycle = q->now,
						   .insn = q->id,
						   .index = q->index,
						   .other = service->other,
						   .bank = service->bank,
						   .beats = service->beats,
						   .delay = (uint32_t)lateness(q, service),
						   .due = service->end + chip->delay[ISA_TIMING_SRAM_LOAD],
					   });
}

static void serve(tsp_chip *chip, tsp_queue *q)
{
	uint32_t bytes = run_bytes(q) * runs(q);
	tsp_operand map = {NULL, 0};
	model_service service;
	model_shape shape;
	int64_t due;

	if (is_indexed(q))
		sample_map(q, &map);
	find_shape(q, &map, &shape);
	if (shape.index)
		probe_report_offsets(chip->probe, &(probe_offsets){q->issue, q->id, q->index, shape.runs, shape.index});
	chip->sram.banks.who = q->id;
	if (G_LIKELY(!chip->sram.buffers->len)) {
		model_banks_serve(&chip->sram.banks, &shape, q->now, &service);
	} else {
		tsp_check_map(q, &shape);
		if (q->insn.buffer)
			model_banks_serve_under(&chip->sram.banks, tsp_buffer_map(q), &shape, q->now, &service);
		else
			model_banks_serve(&chip->sram.banks, &shape, q->now, &service);
	}
	if (G_UNLIKELY(lateness(q, &service)))
		report_conflict(chip, q, &service);
	if (chip->freeze) {
		join_group(chip, q, &shape, &map);
		service.end = q->now + MAX(service.beats, 1) - 1;
	}
	due = service.end + chip->delay[ISA_TIMING_SRAM_LOAD];
	if (is_load(q))
		tsp_write(q, due, read_store(q, &shape));
	else
		file_store(q, &shape, &map, due);
	chip->counters.bank_requests += service.requests;
	chip->counters.bank_delayed += service.delayed;
	chip->counters.bank_beats += service.beats;
	chip->counters.sram_bytes += bytes;
	tsp_report(q, due, &service, service.beats, lateness(q, &service), bytes);
}

/* Which bank holds the memory up, which instruction asked it first, and which asked it too? */
static void find_blocker(tsp_chip *chip, probe_slip *record)
{
	tsp_sram *s = &chip->sram;
	uint32_t worst = 0;

	memset(s->scratch, 0, s->banks.banks * sizeof *s->scratch);
	for (guint i = 0; i < s->group->len; i++)
		model_banks_count(&s->banks, g_array_index(s->group, tsp_group_access, i).map,
		                  &g_array_index(s->group, tsp_group_access, i).shape, s->scratch);
	for (uint32_t bank = 1; bank < s->banks.banks; bank++)
		if (s->scratch[bank] > s->scratch[worst])
			worst = bank;
	record->bank = worst;
	for (guint i = 0; i < s->group->len && record->met == record->other; i++) {
		const tsp_group_access *access = &g_array_index(s->group, tsp_group_access, i);

		memset(s->scratch, 0, s->banks.banks * sizeof *s->scratch);
		model_banks_count(&s->banks, access->map, &access->shape, s->scratch);
		if (!s->scratch[worst])
			continue;
		record->met = access->id;
		if (record->other == TSP_NO_INSN)
			record->other = access->id;
	}
}

void tsp_slip(tsp_chip *chip, const probe_slip *record)
{
	chip->slip += record->cycles;
	probe_report_slip(chip->probe, record);
}

/* Freeze: the group of this cycle waits until the one before it has left the memory. */
static void wait_for_memory(tsp_chip *chip, int64_t now)
{
	tsp_sram *s = &chip->sram;
	int64_t wait = s->free_at - (now + chip->slip);

	if (s->group->len && wait > 0) {
		probe_slip record = {
			.cycle = now,
			.cycles = wait,
			.insn = s->waiting[0]->id,
			.index = s->waiting[0]->index,
			.other = TSP_NO_INSN,
			.met = TSP_NO_INSN,
		};

		find_blocker(chip, &record);
		tsp_slip(chip, &record);
	}
	forget_group(chip);
}

sim_time tsp_sram_run(void *state, sim_time now)
{
	tsp_chip *chip = state;
	tsp_sram *s = &chip->sram;

	for (uint32_t i = 1; i < s->waiting_count; i++) {
		tsp_queue *q = s->waiting[i];
		uint32_t at = i;

		for (; at > 0 && s->waiting[at - 1]->number > q->number; at--)
			s->waiting[at] = s->waiting[at - 1];
		s->waiting[at] = q;
	}
	if (chip->freeze)
		wait_for_memory(chip, now);
	model_store_settle(&chip->store, now);
	for (uint32_t i = 0; i < s->waiting_count; i++)
		serve(chip, s->waiting[i]);
	if (chip->freeze)
		s->free_at = MAX(s->banks.busy_until, now + 1) + chip->slip;
	return SIM_NEVER;
}
