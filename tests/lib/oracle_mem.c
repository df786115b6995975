/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's memory: bytes, and the producer of each granule (hashed) or word (direct); accesses to the hashed SRAM
 * as requests that stand in the queues of their banks until a port is free; in the freeze policy the lockstep of groups
 * besides.
 */
#include "tests/lib/oracle_int.h"

#include <string.h>

enum { OR_PAGE_BYTES = 4096 };

static void memory_clear(oracle_memory *m)
{
	g_free(m->byte);
	g_free(m->byte_written);
	g_free(m->unit);
	g_free(m->page_touched);
	m->byte = g_malloc0(m->bytes);
	m->byte_written = g_malloc0(m->bytes);
	m->unit = g_new0(or_value *, m->bytes / m->unit_bytes + 1);
	m->page_touched = g_malloc0(m->bytes / OR_PAGE_BYTES + 1);
}

oracle_memory *oracle_memory_new(const isa_machine *hw)
{
	oracle_memory *m = g_new0(oracle_memory, 1);

	m->bytes = (uint64_t)isa_machine_sram_bytes(hw);
	m->unit_bytes = hw->hashed ? ISA_TAG_GRANULE : (uint64_t)hw->lanes;
	memory_clear(m);
	return m;
}

void oracle_memory_free(oracle_memory *memory)
{
	if (!memory)
		return;
	g_free(memory->byte);
	g_free(memory->byte_written);
	g_free(memory->unit);
	g_free(memory->page_touched);
	g_free(memory);
}

bool oracle_memory_read(const oracle_memory *memory, uint64_t location, void *out, uint64_t bytes)
{
	if (bytes > memory->bytes || location > memory->bytes - bytes)
		return false;
	for (uint64_t i = 0; i < bytes; i++)
		if (!memory->byte_written[location + i])
			return false;
	memcpy(out, memory->byte + location, bytes);
	return true;
}

uint64_t oracle_memory_size(const oracle_memory *memory)
{
	return memory->bytes;
}

uint64_t oracle_memory_next(const oracle_memory *memory, uint64_t location)
{
	while (location < memory->bytes && !memory->byte_written[location]) {
		location++;
		while (location < memory->bytes && location % OR_PAGE_BYTES == 0 &&
		       !memory->page_touched[location / OR_PAGE_BYTES])
			location += OR_PAGE_BYTES;
	}
	return MIN(location, memory->bytes);
}

static void memory_put(oracle_memory *m, uint64_t location, const uint8_t *bytes, uint64_t count, or_value *producer)
{
	uint8_t known = bytes != NULL; /* resident data may have no bytes */
	for (uint64_t i = 0; i < count; i++) {
		m->byte[location + i] = bytes ? bytes[i] : 0;
		m->byte_written[location + i] = known;
		m->page_touched[(location + i) / OR_PAGE_BYTES] = 1;
		m->unit[(location + i) / m->unit_bytes] = producer;
	}
}

void or_mem_epoch(or_run *run, const isa_epoch *epoch)
{
	oracle_memory *m = run->memory;
	or_value *host = or_value_new(run, 0, epoch->start, NULL, 0);

	memory_clear(m);
	for (unsigned i = 0; epoch->images && i < epoch->images->len; i++) {
		const isa_image *image = &g_array_index(epoch->images, isa_image, i);

		if (image->location < m->bytes)
			memory_put(m, image->location, image->data, MIN(image->bytes, m->bytes - image->location),
			           host);
	}
}

bool or_mem_init(or_run *run, GError **error)
{
	const isa_machine *hw = run->hw;

	if (!hw->hashed)
		return true;
	if (oracle_bank(hw->sram_map, (unsigned)hw->sram_banks, (uint64_t)hw->sram_rows, 0) == -1) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "the oracle does not know the bank map '%s'",
		            hw->sram_map);
		return false;
	}
	run->bank = g_new0(or_bank, hw->sram_banks);
	for (int64_t b = 0; b < hw->sram_banks; b++) {
		g_queue_init(&run->bank[b].waiting);
		for (unsigned port = 0; port < G_N_ELEMENTS(run->bank[b].free_at); port++)
			run->bank[b].free_at[port] = INT64_MIN;
	}
	run->lockstep_free_at = INT64_MIN;
	return true;
}

static int64_t bank_of(const or_run *run, uint64_t block)
{
	return oracle_bank(run->hw->sram_map, (unsigned)run->hw->sram_banks, (uint64_t)run->hw->sram_rows, block);
}

/* Cycles that one request holds a port. */
static int64_t hold(const or_run *run)
{
	return (run->hw->sram_block_bytes + run->hw->sram_port_bytes - 1) / run->hw->sram_port_bytes;
}

static bool is_ideal(const or_run *run)
{
	return strcmp(run->hw->sram_map, "ideal") == 0;
}

enum { OR_OUTSIDE = -1 }; /* a unit that does not exist */

/* The units of UNIT bytes that each range touches, range after range; OR_OUTSIDE where it leaves the memory. */
static GArray *touched(const GArray *ranges, uint64_t unit)
{
	GArray *units = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (unsigned k = 0; k < ranges->len; k++) {
		const or_range *range = &g_array_index(ranges, or_range, k);

		for (uint64_t u = range->location / unit; u <= (range->location + range->bytes - 1) / unit; u++) {
			uint64_t known = range->outside ? (uint64_t)OR_OUTSIDE : u;

			g_array_append_val(units, known);
		}
	}
	return units;
}

/* Beats of the most loaded bank when these requests are alone in the memory. */
static int64_t beats_alone(const or_run *run, const GArray *banks)
{
	int64_t most = 0;

	for (unsigned i = 0; i < banks->len; i++) {
		int64_t load = 0;

		for (unsigned k = 0; k < banks->len; k++)
			load += g_array_index(banks, unsigned, i) == g_array_index(banks, unsigned, k);
		if (is_ideal(run))
			load = 1;
		most = MAX(most, (load + run->hw->sram_ports - 1) / run->hw->sram_ports * hold(run));
	}
	return most;
}

static void store_due(or_run *run, or_item *item)
{
	const or_issue *issue = item->issue;
	const uint8_t *at = issue->packed;

	for (unsigned k = 0; k < issue->ranges->len; k++) {
		const or_range *range = &g_array_index(issue->ranges, or_range, k);

		if (!range->outside)
			memory_put(run->memory, range->location, at, range->bytes, item->value);
		at += range->bytes;
	}
}

void or_store(or_run *run, or_issue *issue, int64_t due)
{
	or_value *producer = or_value_new(run, issue->tag, due, NULL, 0);
	g_autoptr(GArray) units = touched(issue->ranges, run->memory->unit_bytes);

	for (unsigned i = 0; i < units->len; i++)
		or_log(run, issue->tag, &(or_place){OR_SRAM, g_array_index(units, uint64_t, i), 0}, due);
	or_file(run, due, OR_PHASE_DUE, &(or_item){.run = store_due, .issue = issue, .value = producer});
}

void or_fetch(or_run *run, or_issue *issue, unsigned operand)
{
	g_autoptr(GArray) units = touched(issue->ranges, run->memory->unit_bytes);
	uint8_t *at = issue->packed;

	for (unsigned i = 0; i < units->len; i++) {
		uint64_t unit = g_array_index(units, uint64_t, i);

		if (unit != (uint64_t)OR_OUTSIDE)
			or_check(run, issue, operand, i, &(or_place){OR_SRAM, unit, 0}, run->memory->unit[unit],
			         ISA_VIOLATION_UNWRITTEN);
	}
	for (unsigned k = 0; k < issue->ranges->len; k++) {
		const or_range *range = &g_array_index(issue->ranges, or_range, k);

		if (!range->outside)
			memcpy(at, run->memory->byte + range->location, range->bytes);
		at += range->bytes;
	}
}

/* The access has ended in cycle END: the load's value, or the store's bytes, follow. */
static void access_ended(or_run *run, or_issue *issue, int64_t end)
{
	int64_t due = end + run->hw->sram_latency_cycles;

	if (issue->record.beats)
		issue->record.delay = (uint32_t)(end - (issue->q + issue->record.beats - 1));
	or_result(run, issue, due);
	if (issue->is_store)
		or_store(run, issue, due);
	else
		or_write(run, issue, issue->packed, due);
}

static void present(or_run *run, or_issue *issue, const GArray *banks)
{
	issue->record.requests = (uint16_t)banks->len;
	issue->record.beats = (uint16_t)beats_alone(run, banks);
	issue->waiting = banks->len;
	issue->end = INT64_MIN;
	issue->banks = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_array_append_vals(issue->banks, banks->data, banks->len);
	if (banks->len || run->options.freeze)
		g_ptr_array_add(run->presented, issue);
	else
		access_ended(run, issue, issue->q); /* nothing to ask for */
}

/* Where segment K begins, before it is known to lie in the memory. */
static int64_t segment_location(const or_issue *issue, const uint8_t *map, unsigned k)
{
	const isa_insn *insn = issue->insn;

	switch (insn->op) {
	case ISA_OP_LOADS:
	case ISA_OP_STORES:
		return (int64_t)issue->addr + (int64_t)k * insn->pitch;
	case ISA_OP_LOADX:
	case ISA_OP_STOREX:
		return (int64_t)issue->addr + (int32_t)((uint32_t)map[4 * k] | (uint32_t)map[4 * k + 1] << 8 |
		                                        (uint32_t)map[4 * k + 2] << 16 |
		                                        (uint32_t)map[4 * k + 3] << 24);
	default:
		return issue->addr;
	}
}

static bool lies_inside(const or_run *run, int64_t location, int64_t bytes)
{
	if (location < 0 || location + bytes > (int64_t)run->memory->bytes)
		return false;
	for (int64_t b = location / run->hw->sram_block_bytes; b <= (location + bytes - 1) / run->hw->sram_block_bytes;
	     b++)
		if (bank_of(run, (uint64_t)b) < 0)
			return false;
	return true;
}

/* The ranges an access touches, in packed order; LOADX and STOREX sample their map register for it. */
static void find_ranges(or_run *run, or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	bool whole = insn->op == ISA_OP_LOAD || insn->op == ISA_OP_STORE;
	unsigned count = whole ? 1 : insn->count, bytes = whole ? insn->len : insn->seg;
	bool outside = false;
	uint8_t map[OR_BYTES_MAX];

	issue->ranges = g_array_new(FALSE, FALSE, sizeof(or_range));
	if (insn->op == ISA_OP_LOADX || insn->op == ISA_OP_STOREX)
		or_sample(run, issue, 1, OR_FIELD_SRC1, map);
	for (unsigned k = 0; k < count; k++) {
		int64_t location = segment_location(issue, map, k);
		or_range range = {(uint64_t)location, bytes, !lies_inside(run, location, bytes)};

		outside = outside || range.outside;
		g_array_append_val(issue->ranges, range);
	}
	if (outside)
		or_violate(run, issue, ISA_VIOLATION_ADDRESS_RANGE, UINT32_MAX, issue->addr);
}

static const isa_epoch *epoch_at(const or_run *run, uint32_t number)
{
	return &g_array_index(run->program->epochs, isa_epoch, number);
}

/* The map that memory at LOCATION lies under now. */
static const char *map_at(const or_run *run, uint64_t location)
{
	uint32_t now = 0;

	for (uint32_t e = 0; e < run->program->epochs->len; e++)
		if (epoch_at(run, e)->start <= run->now)
			now = e;
	for (unsigned i = 0; i < run->program->buffers->len; i++) {
		const isa_buffer *b = &g_array_index(run->program->buffers, isa_buffer, i);

		if (b->epoch == now && b->base <= location && location < b->base + b->bytes)
			return b->map;
	}
	return run->hw->sram_map;
}

/* Does everything the access touches lie under MAP?  The first byte that does not, else -1. */
static int64_t strange_byte(const or_run *run, const or_issue *issue, const char *map)
{
	for (unsigned r = 0; run->program->buffers->len && r < issue->ranges->len; r++) {
		const or_range *range = &g_array_index(issue->ranges, or_range, r);

		for (uint64_t k = 0; !range->outside && k < range->bytes; k++)
			if (strcmp(map_at(run, range->location + k), map) != 0)
				return (int64_t)(range->location + k);
	}
	return -1;
}

void or_mem_hashed(or_run *run, or_issue *issue)
{
	const char *map = issue->insn->buffer
	                          ? g_array_index(run->program->buffers, isa_buffer, issue->insn->buffer - 1u).map
	                          : run->hw->sram_map;
	int64_t strange;
	g_autoptr(GArray) blocks = NULL;
	g_autoptr(GArray) banks = g_array_new(FALSE, FALSE, sizeof(unsigned));
	or_shape shape;

	find_ranges(run, issue);
	strange = strange_byte(run, issue, map);
	if (strange >= 0)
		or_violate(run, issue, ISA_VIOLATION_WRONG_MAP, UINT32_MAX, strange);
	blocks = touched(issue->ranges, (uint64_t)run->hw->sram_block_bytes);
	for (unsigned i = 0; i < blocks->len; i++) {
		uint64_t block = g_array_index(blocks, uint64_t, i);
		unsigned bank =
			(unsigned)oracle_bank(map, (unsigned)run->hw->sram_banks, (uint64_t)run->hw->sram_rows, block);

		if (block != (uint64_t)OR_OUTSIDE)
			g_array_append_val(banks, bank);
	}
	issue->is_store = isa_ops[issue->insn->op].timing == ISA_TIMING_SRAM_STORE;
	shape = or_operand_shape(run, issue, issue->is_store ? OR_FIELD_SRC0 : OR_FIELD_DST);
	issue->packed = g_malloc0(MAX(1, shape.bytes));
	if (issue->is_store)
		or_sample(run, issue, 0, OR_FIELD_SRC0, issue->packed);
	else
		or_fetch(run, issue, 0);
	issue->record.work = shape.bytes;
	present(run, issue, banks);
}

/* Freeze: the group presented in this cycle, in queue order, waits until the one before it has left the memory. */
static void lockstep(or_run *run)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(unsigned));
	int64_t wall = run->now + run->result->slip_cycles;
	const or_issue *first = g_ptr_array_index(run->presented, 0);
	g_autofree int64_t *load = g_new0(int64_t, run->hw->sram_banks);
	unsigned fullest = 0;

	for (unsigned i = 0; i < run->presented->len; i++) {
		or_issue *issue = g_ptr_array_index(run->presented, i);

		for (unsigned k = 0; k < issue->banks->len; k++) {
			unsigned bank = g_array_index(issue->banks, unsigned, k);

			if (!is_ideal(run) && load[bank] >= run->hw->sram_ports)
				issue->record.delayed++;
			load[bank]++;
			fullest = load[bank] > load[fullest] ? bank : fullest;
		}
		g_array_append_vals(all, issue->banks->data, issue->banks->len);
		access_ended(run, issue, issue->q + MAX(1, issue->record.beats) - 1);
	}
	if (run->lockstep_free_at > wall) {
		probe_slip slip = {
			run->now,           run->lockstep_free_at - wall, first->record.insn, first->record.index,
			run->lockstep_insn, run->lockstep_bank,           UINT32_MAX};

		g_array_append_val(run->result->slips, slip);
		run->result->slip_cycles += slip.cycles;
		wall = run->lockstep_free_at;
	}
	run->lockstep_free_at = wall + beats_alone(run, all);
	run->lockstep_insn = first->record.insn;
	run->lockstep_bank = fullest;
}

/* Requests of this cycle join the banks' queues in the order of queue and block. */
static void join_queues(or_run *run)
{
	for (unsigned i = 0; i < run->presented->len; i++) {
		or_issue *issue = g_ptr_array_index(run->presented, i);

		for (unsigned k = 0; k < issue->banks->len; k++) {
			or_request *request = g_new(or_request, 1);

			*request = (or_request){issue, g_array_index(issue->banks, unsigned, k)};
			g_queue_push_tail(&run->bank[request->bank].waiting, request);
		}
	}
}

static void begin_request(or_run *run, or_request *request, int64_t *port_free_at)
{
	or_issue *issue = request->issue;

	*port_free_at = run->now + hold(run);
	if (run->now > issue->q)
		issue->record.delayed++;
	issue->end = MAX(issue->end, *port_free_at - 1);
	if (--issue->waiting == 0)
		access_ended(run, issue, issue->end);
	g_free(request);
}

void or_mem_serve(or_run *run)
{
	if (!run->hw->hashed)
		return;
	if (run->options.freeze) {
		if (run->presented->len)
			lockstep(run);
		g_ptr_array_set_size(run->presented, 0);
		return;
	}
	join_queues(run);
	g_ptr_array_set_size(run->presented, 0);
	for (int64_t b = 0; b < run->hw->sram_banks; b++) {
		or_bank *bank = &run->bank[b];
		int64_t unlimited = 0;

		for (int64_t port = 0; port < run->hw->sram_ports && !is_ideal(run); port++)
			if (bank->free_at[port] <= run->now && !g_queue_is_empty(&bank->waiting))
				begin_request(run, g_queue_pop_head(&bank->waiting), &bank->free_at[port]);
		while (is_ideal(run) && !g_queue_is_empty(&bank->waiting))
			begin_request(run, g_queue_pop_head(&bank->waiting), &unlimited);
	}
}

bool or_mem_busy(const or_run *run)
{
	for (int64_t b = 0; run->hw->hashed && b < run->hw->sram_banks; b++)
		if (!g_queue_is_empty(&run->bank[b].waiting))
			return true;
	return false;
}
