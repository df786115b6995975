/* SPDX-License-Identifier: Apache-2.0
 *
 * MEM slices with direct addresses: one queue a slice, one instruction a cycle, the bank in the top bit of the address.
 * A word is one byte a lane and carries one producer.  READWRITE is the only instruction that can meet itself in a
 * bank; GATHER and SCATTER reach both banks of their slice at once, one word a superlane.
 */
#include "models/tsp/internal.h"

int tsp_prepare_MEM(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	uint32_t lanes = chip->lanes;
	int fault = TSP_NO_VIOLATION;

	if (chip->machine->hashed)
		return tsp_sram_prepare(q);
	if (insn->op != ISA_OP_WRITE && insn->op != ISA_OP_SCATTER)
		fault = tsp_place_resolve(q, insn->dst, lanes, 1, true, &q->dst);
	if (fault == TSP_NO_VIOLATION && insn->op != ISA_OP_READ && insn->op != ISA_OP_GATHER)
		fault = tsp_place_resolve(q, insn->src0, lanes, 1, false, &q->src[0]);
	if (fault == TSP_NO_VIOLATION && (insn->op == ISA_OP_GATHER || insn->op == ISA_OP_SCATTER))
		fault = tsp_place_resolve(q, insn->src1, lanes, 1, false, &q->src[1]);
	return fault;
}

static int64_t slice_words(const tsp_chip *chip)
{
	return chip->machine->mem_banks_per_slice * chip->machine->mem_words_per_bank;
}

static bool check_address(tsp_queue *q, int64_t address)
{
	if (G_LIKELY(address >= 0 && address < slice_words(q->chip)))
		return true;
	tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, address);
	return false;
}

/* An access that goes nowhere. */
static void report_nothing(tsp_queue *q)
{
	tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
}

static int64_t location_of(const tsp_queue *q, int64_t address)
{
	return (int64_t)isa_word_location(q->chip->machine, q->info->side, q->info->index, (unsigned)address);
}

/* Bank of ADDRESS among all banks of the chip. */
static uint64_t bank_of(const tsp_queue *q, int64_t address)
{
	const isa_machine *m = q->chip->machine;
	uint64_t slice = q->info->side * (uint64_t)m->mem_slices + q->info->index;

	return slice * (uint64_t)m->mem_banks_per_slice + (uint64_t)(address / m->mem_words_per_bank);
}

static void count_access(tsp_queue *q, int64_t address)
{
	q->chip->counters.bank_requests++;
	q->chip->counters.bank_count[bank_of(q, address)]++;
}

static model_value *read_word(tsp_queue *q, const model_shape *shape)
{
	tsp_chip *chip = q->chip;
	model_value *value = NULL;
	model_reading reading;
	model_expect expect;

	model_store_settle(&chip->store, q->now);
	if (chip->store.any_bytes) {
		value = model_value_new(&chip->pool);
		model_value_seal(value, chip->lanes);
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

static void file_write(tsp_queue *q, const model_shape *shape, model_value *index_value, const tsp_operand *data)
{
	tsp_chip *chip = q->chip;
	model_write write = {
		.due = q->now + chip->delay[ISA_TIMING_MEM_WRITE],
		.filed = q->now,
		.shape = *shape,
		.value = model_value_ref(data->value),
		.index_value = index_value,
		.offset = data->offset,
		.tag = q->tag,
		.queue = q->number,
	};

	model_store_write(&chip->store, &write);
	tsp_note_due(chip, write.due);
}

static void account(tsp_queue *q, uint32_t requests, uint32_t words, int64_t due)
{
	model_service service = {.end = q->now, .requests = requests, .beats = 1};

	q->chip->counters.bank_beats++;
	q->chip->counters.sram_bytes += (uint64_t)words * q->chip->lanes;
	tsp_report(q, due, &service, 1, 0, words * q->chip->lanes);
}

void tsp_exec_READ(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_MEM_READ];
	model_shape shape;

	if (!check_address(q, q->addr)) {
		report_nothing(q);
		return;
	}
	shape = (model_shape){location_of(q, q->addr), 0, chip->lanes, 1, NULL};
	count_access(q, q->addr);
	tsp_write(q, due, read_word(q, &shape));
	account(q, 1, 1, due);
}

void tsp_exec_WRITE(tsp_chip *chip, tsp_queue *q)
{
	model_shape shape;
	tsp_operand data;

	if (!check_address(q, q->addr)) {
		report_nothing(q);
		return;
	}
	shape = (model_shape){location_of(q, q->addr), 0, chip->lanes, 1, NULL};
	count_access(q, q->addr);
	tsp_sample(q, 0, 0, q->now, &data);
	file_write(q, &shape, NULL, &data);
	account(q, 1, 1, q->now + chip->delay[ISA_TIMING_MEM_WRITE]);
}

static void meet_itself(tsp_chip *chip, tsp_queue *q)
{
	uint64_t bank = bank_of(q, q->waddr);

	chip->counters.bank_delayed++;
	chip->counters.bank_wait[bank]++;
	if (!chip->freeze) {
		tsp_violate(q, ISA_VIOLATION_BANK_CONFLICT, q->now, q->id, (int64_t)bank);
		return;
	}
	if (!chip->froze || q->number < chip->froze->number)
		chip->froze = q;
	tsp_audit_now(q);
}

void tsp_exec_READWRITE(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_MEM_READ];
	model_shape from, to;
	tsp_operand data;

	if (!check_address(q, q->addr) || !check_address(q, q->waddr)) {
		report_nothing(q);
		return;
	}
	from = (model_shape){location_of(q, q->addr), 0, chip->lanes, 1, NULL};
	to = (model_shape){location_of(q, q->waddr), 0, chip->lanes, 1, NULL};
	count_access(q, q->addr);
	count_access(q, q->waddr);
	if (bank_of(q, q->addr) == bank_of(q, q->waddr))
		meet_itself(chip, q);
	tsp_write(q, due, read_word(q, &from));
	tsp_sample(q, 1, 0, q->now, &data);
	file_write(q, &to, NULL, &data);
	account(q, 2, 2, due);
}

/* The machine's one freeze of this cycle, however many slices asked for it. */
void tsp_mem_audit(tsp_chip *chip, int64_t now)
{
	const tsp_queue *q = chip->froze;

	if (!q)
		return;
	tsp_slip(chip, &(probe_slip){now, 1, q->id, q->index, q->id, (uint32_t)bank_of(q, q->waddr), q->id});
	chip->froze = NULL;
}

/* Samples the map stream and makes a shape of it: a run a superlane, each at the superlane's place inside the word that
 * its first two bytes name.  Runs of bad addresses leave the memory, so that they are neither read nor written. */
static model_value *sample_map(tsp_queue *q, model_shape *shape)
{
	tsp_chip *chip = q->chip;
	uint32_t superlane = (uint32_t)chip->machine->lanes_per_superlane;
	model_value *indices = model_value_new(&chip->pool);
	int32_t *index = (int32_t *)(void *)indices->data;
	/* an index that leads out of the memory from wherever the slice begins */
	int32_t outside = location_of(q, 0) > INT32_MAX ? INT32_MAX : INT32_MIN;
	bool reported = false;
	tsp_operand map;

	tsp_sample(q, 1, 1, q->now, &map);
	if (!map.value) {
		tsp_violate(q, ISA_VIOLATION_ILLEGAL, q->now, TSP_NO_INSN, q->insn.op);
		map = (tsp_operand){chip->zero, 0};
	}
	model_value_seal(indices, 0);
	for (uint32_t s = 0; s < chip->superlanes; s++) {
		const uint8_t *bytes = tsp_operand_bytes(&map) + s * superlane;
		int64_t address = bytes[0] | bytes[1] << 8;

		index[s] = outside;
		if (address < slice_words(chip)) {
			count_access(q, address);
			index[s] = (int32_t)(address * chip->lanes + s * superlane);
		} else if (!reported) {
			reported = !check_address(q, address);
		}
	}
	*shape = (model_shape){location_of(q, 0), 0, superlane, chip->superlanes, index};
	return indices;
}

void tsp_exec_GATHER(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_MEM_GATHER];
	model_shape shape;
	model_value *indices = sample_map(q, &shape);

	tsp_write(q, due, read_word(q, &shape));
	model_value_unref(&chip->pool, indices);
	account(q, chip->superlanes, 1, due);
}

void tsp_exec_SCATTER(tsp_chip *chip, tsp_queue *q)
{
	model_shape shape;
	model_value *indices = sample_map(q, &shape);
	tsp_operand data;

	tsp_sample(q, 0, 0, q->now, &data);
	file_write(q, &shape, indices, &data);
	account(q, chip->superlanes, 1, q->now + chip->delay[ISA_TIMING_MEM_WRITE]);
}
