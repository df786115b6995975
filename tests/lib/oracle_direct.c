/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's MEM slices with direct addresses, and its links, which are looped back to themselves.
 */
#include "tests/lib/oracle_int.h"

#include <string.h>

enum { OR_SUPERLANE = 16 };

static bool in_slice(const or_run *run, int64_t addr)
{
	return addr >= 0 && addr < run->hw->mem_banks_per_slice * run->hw->mem_words_per_bank;
}

static bool address_exists(or_run *run, const or_issue *issue, int64_t addr)
{
	if (in_slice(run, addr))
		return true;
	or_violate(run, issue, ISA_VIOLATION_ADDRESS_RANGE, UINT32_MAX, addr);
	return false;
}

static void add_range(const or_run *run, or_issue *issue, int64_t addr, uint64_t offset, uint64_t bytes)
{
	unsigned word = in_slice(run, addr) ? (unsigned)addr : 0;
	or_range range = {isa_word_location(run->hw, issue->queue->side, issue->queue->index, word) + offset, bytes,
	                  !in_slice(run, addr)};

	g_array_append_val(issue->ranges, range);
}

static void begin_ranges(const or_run *run, or_issue *issue)
{
	if (issue->ranges)
		g_array_unref(issue->ranges);
	g_free(issue->packed);
	issue->ranges = g_array_new(FALSE, FALSE, sizeof(or_range));
	issue->packed = g_malloc0((size_t)run->hw->lanes);
}

/* The word at the issue's address, or the superlanes whose addresses the map operand brings. */
static bool find_words(or_run *run, or_issue *issue, int64_t addr)
{
	bool by_map = issue->insn->op == ISA_OP_GATHER || issue->insn->op == ISA_OP_SCATTER;
	int64_t outside = -1;
	uint8_t map[OR_BYTES_MAX];

	begin_ranges(run, issue);
	if (!by_map) {
		add_range(run, issue, addr, 0, (uint64_t)run->hw->lanes);
		return address_exists(run, issue, addr);
	}
	or_sample(run, issue, 1, OR_FIELD_SRC1, map);
	for (uint64_t lane = 0; lane < (uint64_t)run->hw->lanes; lane += OR_SUPERLANE) {
		addr = map[lane] + 256 * map[lane + 1];
		add_range(run, issue, addr, lane, OR_SUPERLANE);
		if (!in_slice(run, addr))
			outside = addr;
	}
	if (outside >= 0)
		address_exists(run, issue, outside); /* reports it */
	return true;
}

/* One beat, whatever it touches; one word, or one a superlane. */
static void count_access(or_issue *issue)
{
	issue->record.beats = 1;
	for (unsigned k = 0; k < issue->ranges->len; k++) {
		issue->record.requests++;
		issue->record.work += (uint32_t)g_array_index(issue->ranges, or_range, k).bytes;
	}
}

static bool read_words(or_run *run, or_issue *issue, int64_t delay)
{
	int64_t due = run->now + delay;

	if (!find_words(run, issue, issue->addr))
		return false;
	or_fetch(run, issue, 0);
	or_write(run, issue, issue->packed, due);
	or_result(run, issue, due);
	count_access(issue);
	return true;
}

static bool write_words(or_run *run, or_issue *issue, int64_t addr, unsigned operand)
{
	int64_t due = run->now + run->hw->mem_write_cycles;

	if (!find_words(run, issue, addr))
		return false;
	or_sample(run, issue, operand, OR_FIELD_SRC0, issue->packed);
	or_store(run, issue, due);
	or_due(run, due);
	count_access(issue);
	return true;
}

/* One more cycle serves all slices that need it. */
static void slip_one_cycle(or_run *run, const or_issue *issue)
{
	uint32_t bank = (uint32_t)(issue->addr / run->hw->mem_words_per_bank);
	uint32_t insn = issue->record.insn;
	probe_slip slip = {run->now, 1, insn, issue->record.index, insn, bank, insn};

	if (run->result->slip_cycles > run->earlier_slip)
		return;
	g_array_append_val(run->result->slips, slip);
	run->result->slip_cycles++;
}

static void read_and_write(or_run *run, or_issue *issue)
{
	int64_t words = run->hw->mem_words_per_bank;

	/* With one address at fault nothing is done. */
	if (in_slice(run, issue->addr) && !address_exists(run, issue, issue->waddr))
		return;
	if (!read_words(run, issue, run->hw->mem_read_cycles))
		return;
	write_words(run, issue, issue->waddr, 1);
	if (issue->addr / words != issue->waddr / words)
		return;
	if (run->options.freeze)
		slip_one_cycle(run, issue);
	else
		or_violate(run, issue, ISA_VIOLATION_BANK_CONFLICT, issue->record.insn, issue->addr / words);
}

void or_mem_direct(or_run *run, or_issue *issue)
{
	const isa_machine *hw = run->hw;

	switch (issue->insn->op) {
	case ISA_OP_READ:
		read_words(run, issue, hw->mem_read_cycles);
		break;
	case ISA_OP_GATHER:
		read_words(run, issue, hw->mem_gather_cycles);
		break;
	case ISA_OP_READWRITE:
		read_and_write(run, issue);
		break;
	default:
		if (write_words(run, issue, issue->addr, 0))
			issue->record.result = run->now + hw->mem_write_cycles;
		break;
	}
}

/* Cycles a vector of BYTES occupies the link: ceil((bytes + overhead) * clock / rate). */
static int64_t link_slots(const isa_machine *hw, int64_t bytes)
{
	__int128 bit_time = (__int128)(bytes + hw->link_overhead_bytes) * hw->clock_hz;

	return (int64_t)((bit_time + hw->link_bytes_per_s - 1) / hw->link_bytes_per_s);
}

/* Links live in wall time: under freeze that runs ahead of program time by the slip so far. */
static int64_t wall_time(const or_run *run)
{
	return run->now + run->earlier_slip;
}

static void send(or_run *run, or_issue *issue)
{
	or_link *link = &run->link[issue->queue->index];
	uint8_t packed[OR_BYTES_MAX];
	unsigned bytes = or_operand_shape(run, issue, OR_FIELD_SRC0).bytes;
	int64_t slots = link_slots(run->hw, bytes);
	int64_t begin = MAX(wall_time(run), link->free_at);
	int64_t receivable = begin + slots + run->hw->link_latency_cycles;
	int64_t due = receivable - run->earlier_slip;
	or_value *vector;

	or_sample(run, issue, 0, OR_FIELD_SRC0, packed);
	if (wall_time(run) < link->free_at)
		or_violate(run, issue, ISA_VIOLATION_PORT_OVERUSE, UINT32_MAX, issue->queue->index);
	issue->record.delay = (uint32_t)(begin - wall_time(run));
	link->free_at = begin + slots;
	vector = or_value_new(run, issue->tag, due, packed, bytes);
	vector->wall = receivable;
	g_queue_push_tail(&link->vectors, vector);
	issue->record.beats = (uint16_t)slots;
	issue->record.work = bytes;
	or_result(run, issue, due);
}

static void receive(or_run *run, or_issue *issue)
{
	or_link *link = &run->link[issue->queue->index];
	or_value *vector = g_queue_peek_head(&link->vectors);
	or_place place = {OR_LINK, issue->queue->index, 0};
	int64_t due = run->now + run->hw->link_receive_cycles;

	if (!vector || vector->wall > wall_time(run)) {
		or_violate(run, issue, vector ? ISA_VIOLATION_LATE_OPERAND : ISA_VIOLATION_UNWRITTEN, UINT32_MAX, 0);
		return;
	}
	or_check_result(run, issue);
	or_check(run, issue, 0, 0, &place, vector, ISA_VIOLATION_UNWRITTEN);
	g_queue_pop_head(&link->vectors);
	issue->record.work = vector->size;
	or_write(run, issue, vector->bytes, due);
	or_result(run, issue, due);
}

void or_c2c(or_run *run, or_issue *issue)
{
	if (issue->insn->op == ISA_OP_SEND)
		send(run, issue);
	else
		receive(run, issue);
}
