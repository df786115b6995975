/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's lane movement: every operation as "result lane i is source lane so and so of that operand", with its
 * distance in tiles where that costs time.
 */
#include "tests/lib/oracle_int.h"

#include <string.h>

enum { OR_TILE = 16, OR_ZERO = -1 };

/* Which lane of the operand does lane LANE of the result show?  OR_ZERO for none. */
static int source_lane(const or_run *run, const or_issue *issue, int lane)
{
	const isa_insn *insn = issue->insn;
	int lanes = (int)run->hw->lanes;
	int tile = lane / OR_TILE * OR_TILE;
	int from;

	switch (insn->op) {
	case ISA_OP_SHIFT:
		from = lane - insn->distance;
		return from >= 0 && from < lanes ? from : OR_ZERO;
	case ISA_OP_ROTATE:
		from = (lane - tile - insn->distance) % OR_TILE;
		return tile + (from < 0 ? from + OR_TILE : from);
	case ISA_OP_PERMUTE:
	case ISA_OP_DISTRIBUTE:
		from = g_array_index(run->program->maps, isa_lane_map, insn->map).lane[lane];
		return from < lanes ? from : OR_ZERO;
	default:
		return lane;
	}
}

/* Largest positive source tile minus destination tile. */
static int distance_cycles(const or_run *run, const or_issue *issue)
{
	int most = 0;

	if (issue->insn->op != ISA_OP_SHIFT && issue->insn->op != ISA_OP_PERMUTE)
		return 0;
	for (int lane = 0; lane < (int)run->hw->lanes; lane++) {
		int from = source_lane(run, issue, lane);

		if (from != OR_ZERO)
			most = MAX(most, from / OR_TILE - lane / OR_TILE);
	}
	return most;
}

static void move_lanes(const or_run *run, const or_issue *issue, const uint8_t *from, uint8_t *to)
{
	unsigned element = isa_type_bytes(issue->insn->type);

	for (int lane = 0; lane < (int)run->hw->lanes; lane++) {
		int source = source_lane(run, issue, lane);

		if (source != OR_ZERO)
			memcpy(to + (unsigned)lane * element, from + (unsigned)source * element, element);
	}
}

static void select_lanes(const or_run *run, const or_issue *issue, const uint8_t *zero, const uint8_t *other,
                         uint8_t *to)
{
	unsigned element = isa_type_bytes(issue->insn->type);
	const isa_lane_map *map = &g_array_index(run->program->maps, isa_lane_map, issue->insn->map);

	for (unsigned lane = 0; lane < (unsigned)run->hw->lanes; lane++)
		memcpy(to + lane * element, (map->lane[lane] ? other : zero) + lane * element, element);
}

static void transpose(const or_run *run, const uint8_t *from, uint8_t *to)
{
	unsigned lanes = (unsigned)run->hw->lanes;

	for (unsigned lane = 0; lane < lanes; lane++)
		for (unsigned row = 0; row < OR_TILE; row++)
			to[row * lanes + lane] = from[lane % OR_TILE * lanes + lane / OR_TILE * OR_TILE + row];
}

void or_sxm(or_run *run, or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	int64_t due = run->now + isa_machine_timing(run->hw, isa_ops[insn->op].timing) + distance_cycles(run, issue);
	g_autofree uint8_t *first = g_malloc0(OR_BYTES_MAX);
	g_autofree uint8_t *second = g_malloc0(OR_BYTES_MAX);
	g_autofree uint8_t *result = g_malloc0(OR_BYTES_MAX);

	or_sample(run, issue, 0, OR_FIELD_SRC0, first);
	if (insn->op == ISA_OP_SELECT)
		or_sample(run, issue, 1, OR_FIELD_SRC1, second);
	if (insn->op == ISA_OP_SELECT)
		select_lanes(run, issue, first, second, result);
	else if (insn->op == ISA_OP_TRANSPOSE)
		transpose(run, first, result);
	else
		move_lanes(run, issue, first, result);
	issue->record.work = (uint32_t)run->hw->lanes;
	or_write(run, issue, result, due);
	or_result(run, issue, due);
}
