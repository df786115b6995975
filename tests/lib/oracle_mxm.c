/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's matrix unit: shadow rows, installed weights, accumulator rows, one plane after the other.  The weights
 * of an fp16 pair lie in both planes, low bytes in the even one; its accumulator rows belong to the even plane.
 */
#include "tests/lib/oracle_int.h"

#include "isa/num.h"

#include <math.h>
#include <string.h>

static unsigned plane_of(const or_issue *issue)
{
	unsigned plane = issue->queue->index;

	return issue->insn->type == ISA_TYPE_F16 ? plane & ~1U : plane;
}

static unsigned planes_used(const or_issue *issue)
{
	return issue->insn->type == ISA_TYPE_F16 ? 2 : 1;
}

static uint64_t shadow_index(const or_run *run, unsigned plane, int64_t row)
{
	return (uint64_t)(plane * run->hw->mxm_rows + row);
}

static void load_weights(or_run *run, or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	unsigned element = isa_type_bytes(insn->type);
	or_shape shape = or_operand_shape(run, issue, OR_FIELD_SRC0);
	g_autofree uint8_t *packed = g_malloc0(shape.vectors * shape.bytes + 1);
	int64_t due = run->now + run->hw->mxm_lw_cycles;

	if (issue->addr < 0 || issue->addr + insn->count > run->hw->mxm_rows) {
		or_violate(run, issue, ISA_VIOLATION_ADDRESS_RANGE, UINT32_MAX, issue->addr);
		return;
	}
	or_sample(run, issue, 0, OR_FIELD_SRC0, packed);
	issue->record.work = shape.vectors * shape.bytes;
	run->weight_bytes += issue->record.work;
	if (run->weight_bytes > run->hw->mxm_weight_bytes)
		or_violate(run, issue, ISA_VIOLATION_PORT_OVERUSE, UINT32_MAX, run->weight_bytes);
	for (unsigned k = 0; k < insn->count; k++)
		for (unsigned half = 0; half < element; half++) {
			or_place place = {OR_SHADOW, shadow_index(run, plane_of(issue) + half, issue->addr + k), 0};
			or_value *row = or_value_new(run, issue->tag, due, NULL, insn->lanes);

			for (unsigned lane = 0; lane < insn->lanes; lane++)
				row->bytes[lane] = packed[(k * insn->lanes + lane) * element + half];
			or_put(run, issue, &place, row);
		}
	or_result(run, issue, due);
}

static void installed(or_run *run, or_item *item)
{
	or_plane *plane = &run->plane[item->place.index];

	plane->active = g_new0(or_install, 1);
	g_ptr_array_add(run->garbage, plane->active);
	plane->active->value = item->value;
	for (unsigned row = 0; row < item->issue->insn->count; row++)
		plane->active->row_lanes[row] = item->issue->row_lanes[row];
	plane->active->rows = item->issue->insn->count;
	plane->active->type = item->issue->insn->type;
}

/* What the shadow buffers hold in rows 0..count-1, row by row in all planes used. */
static void check_rows(or_run *run, or_issue *issue)
{
	issue->row_lanes = g_new0(uint16_t, OR_ROWS);
	for (unsigned row = 0; row < issue->insn->count; row++)
		for (unsigned half = 0; half < planes_used(issue); half++) {
			unsigned plane = plane_of(issue) + half;
			const or_value *found = run->plane[plane].shadow[row];

			or_check(run, issue, 0, row, &(or_place){OR_SHADOW, shadow_index(run, plane, row), 0}, found,
			         ISA_VIOLATION_IW_BEFORE_WEIGHTS);
			if (found)
				issue->row_lanes[row] = MAX(issue->row_lanes[row], (uint16_t)found->size);
		}
}

static void install_weights(or_run *run, or_issue *issue)
{
	unsigned rows = issue->insn->count, lanes = (unsigned)run->hw->lanes;
	int64_t due = run->now + run->hw->mxm_iw_cycles;

	check_rows(run, issue);
	for (unsigned half = 0; half < planes_used(issue); half++) {
		or_place place = {OR_ACTIVE, plane_of(issue) + half, 0};
		or_value *weights = or_value_new(run, issue->tag, due, NULL, rows * lanes);

		for (unsigned row = 0; row < rows; row++) {
			const or_value *found = run->plane[place.index].shadow[row];

			if (found)
				memcpy(weights->bytes + row * lanes, found->bytes, MIN(lanes, found->size));
		}
		or_log(run, issue->tag, &place, due);
		or_file(run, due, OR_PHASE_DUE,
		        &(or_item){.run = installed, .issue = issue, .place = place, .value = weights});
	}
	or_result(run, issue, due);
}

/* Accumulator rows there are for the issue's type. */
static int64_t row_count(const or_run *run, const or_issue *issue)
{
	return issue->insn->type == ISA_TYPE_F16 ? run->hw->mxm_acc_rows : MAX(1, run->hw->mxm_acc_rows / 2);
}

/* Rows of a pair: fp16 row r is row r, so is int8 row r of the even plane; int8 row r of the odd plane is row
 * max(1, acc_rows / 2) + r. */
static uint64_t pair_row(const or_run *run, const or_issue *issue)
{
	int64_t half = MAX(1, run->hw->mxm_acc_rows / 2);

	return (uint64_t)(plane_of(issue) % 2 ? half + issue->addr : issue->addr);
}

static or_value **row_at(or_run *run, const or_issue *issue)
{
	return &run->plane[plane_of(issue) & ~1U].row[pair_row(run, issue)];
}

static or_place row_place(const or_run *run, const or_issue *issue)
{
	return (or_place){OR_ROW, (plane_of(issue) / 2) * (uint64_t)(run->hw->mxm_acc_rows + 1) + pair_row(run, issue),
	                  0};
}

static void set_f32(or_value *row, unsigned lane, float value)
{
	float canonical = num_canonical(value);

	memcpy(row->bytes + 4 * lane, &canonical, 4);
}

static float get_f32(const or_value *row, unsigned lane)
{
	float value;

	memcpy(&value, row->bytes + 4 * lane, 4);
	return value;
}

static void set_i32(or_value *row, unsigned lane, int64_t value)
{
	int32_t wrapped = (int32_t)value;

	memcpy(row->bytes + 4 * lane, &wrapped, 4);
}

static int64_t get_i32(const or_value *row, unsigned lane)
{
	int32_t value;

	memcpy(&value, row->bytes + 4 * lane, 4);
	return value;
}

/* One lane of an fp16 block: sub-sums of sum_rows products in double from +0, each rounded once, added in fp32. */
static float fp16_lane(const or_run *run, const or_plane *even, unsigned rows, unsigned lane, const uint8_t *activation)
{
	unsigned lanes = (unsigned)run->hw->lanes;
	float block = 0;

	for (unsigned begin = 0; begin < rows; begin += (unsigned)run->hw->mxm_fp16_sum_rows) {
		unsigned end = MIN(rows, begin + (unsigned)run->hw->mxm_fp16_sum_rows);
		double sum = 0;
		float rounded;

		for (unsigned k = begin; k < end; k++) {
			unsigned at = k * lanes + lane;
			unsigned low = even[0].active->value->bytes[at];
			unsigned high = even[1].active->value->bytes[at];
			float w = num_f16_to_f32((num_f16)(low | high << 8));
			float a = num_f16_to_f32((num_f16)(activation[2 * k] | (unsigned)activation[2 * k + 1] << 8));

			if (lane < even[0].active->row_lanes[k])
				sum += (double)a * (double)w;
		}
		rounded = num_canonical((float)sum);
		block = begin == 0 ? rounded : num_canonical(block + rounded);
	}
	return block;
}

static int64_t int8_lane(const or_run *run, const or_plane *plane, unsigned rows, unsigned lane,
                         const uint8_t *activation)
{
	int64_t sum = 0;

	for (unsigned k = 0; k < rows; k++)
		sum += (int8_t)activation[k] * (int8_t)plane->active->value->bytes[k * (unsigned)run->hw->lanes + lane];
	return sum;
}

/* In cycle q + abc: the block's value overwrites the row, or is added to it. */
static void accumulate(or_run *run, or_item *item)
{
	or_issue *issue = item->issue;
	const isa_insn *insn = issue->insn;
	or_value **row = row_at(run, issue);
	or_place place = row_place(run, issue);
	or_value *block = item->value;
	const or_value *old = *row;
	bool wrapped = false;

	/* As it was before this cycle, should the pair's other plane write it too. */
	if (old && old->due == run->now)
		old = old->before;
	if (insn->mode) {
		or_check(run, issue, 2, 0, &place, old, ISA_VIOLATION_UNWRITTEN);
		for (unsigned lane = 0; lane < (unsigned)run->hw->lanes && old; lane++) {
			if (insn->type == ISA_TYPE_F16) {
				set_f32(block, lane, get_f32(old, lane) + get_f32(block, lane));
			} else {
				int64_t sum = get_i32(old, lane) + get_i32(block, lane);

				wrapped = wrapped || sum != (int32_t)sum;
				set_i32(block, lane, sum);
			}
		}
	}
	if (wrapped && run->options.functional)
		or_violate(run, issue, ISA_VIOLATION_INT_OVERFLOW, UINT32_MAX, issue->addr);
	block->before = old;
	*row = block;
}

static void occupy(or_run *run, const or_issue *issue)
{
	int64_t interval = issue->insn->type == ISA_TYPE_F16 ? run->hw->mxm_fp16_interval_cycles
	                                                     : run->hw->mxm_int8_interval_cycles;
	bool busy = false;

	for (unsigned half = 0; half < planes_used(issue); half++) {
		or_plane *plane = &run->plane[plane_of(issue) + half];

		busy = busy || run->now < plane->busy_until;
		plane->busy_until = MAX(plane->busy_until, run->now + interval);
	}
	if (busy)
		or_violate(run, issue, ISA_VIOLATION_PORT_OVERUSE, UINT32_MAX, plane_of(issue));
}

static bool row_exists(or_run *run, const or_issue *issue)
{
	if (issue->addr >= 0 && issue->addr < row_count(run, issue))
		return true;
	or_violate(run, issue, ISA_VIOLATION_ACC_OVERFLOW, UINT32_MAX, issue->addr);
	return false;
}

static void check_weights(or_run *run, or_issue *issue, unsigned plane)
{
	const or_install *active = run->plane[plane].active;

	or_check(run, issue, 1, 0, &(or_place){OR_ACTIVE, plane, 0}, active ? active->value : NULL,
	         ISA_VIOLATION_UNWRITTEN);
	if (!active || active->type == issue->insn->type || issue->doubted & 2)
		return;
	issue->doubted |= 2;
	or_violate(run, issue, ISA_VIOLATION_WRONG_OPERAND, UINT32_MAX, plane);
}

/* Do all planes of an ABC hold weights of its type?  Others contribute nothing. */
static bool weights_fit(const or_run *run, const or_issue *issue)
{
	for (unsigned half = 0; half < planes_used(issue); half++) {
		const or_install *active = run->plane[plane_of(issue) + half].active;

		if (!active || active->type != issue->insn->type)
			return false;
	}
	return true;
}

static void multiply(or_run *run, or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	or_plane *plane = &run->plane[plane_of(issue)];
	int64_t due = run->now + run->hw->mxm_abc_cycles;
	g_autofree uint8_t *activation = g_malloc0(OR_BYTES_MAX);
	or_value *block = or_value_new(run, issue->tag, due, NULL, (unsigned)run->hw->lanes * 4);
	or_place place = row_place(run, issue);
	unsigned rows = 0;

	occupy(run, issue);
	or_sample(run, issue, 0, OR_FIELD_SRC0, activation);
	for (unsigned half = 0; half < planes_used(issue); half++)
		check_weights(run, issue, plane_of(issue) + half);
	if (weights_fit(run, issue))
		rows = MIN(plane->active->rows, insn->lanes);
	for (unsigned lane = 0; lane < (unsigned)run->hw->lanes && rows; lane++) {
		if (insn->type == ISA_TYPE_F16)
			set_f32(block, lane, fp16_lane(run, plane, rows, lane, activation));
		else
			set_i32(block, lane, int8_lane(run, plane, rows, lane, activation));
	}
	for (unsigned row = 0; row < rows; row++)
		issue->record.work += plane->active->row_lanes[row];
	if (!row_exists(run, issue))
		return;
	or_log(run, issue->tag, &place, due);
	or_file(run, due, OR_PHASE_DUE, &(or_item){.run = accumulate, .issue = issue, .value = block});
	or_result(run, issue, due);
}

static void emit(or_run *run, or_issue *issue)
{
	or_place place = row_place(run, issue);
	int64_t due = run->now + run->hw->mxm_acc_cycles;
	const or_value *row;
	g_autofree uint8_t *none = g_malloc0(OR_BYTES_MAX);

	if (!row_exists(run, issue))
		return;
	or_check_result(run, issue);
	row = *row_at(run, issue);
	or_check(run, issue, 0, 0, &place, row, ISA_VIOLATION_UNWRITTEN);
	issue->record.work = issue->insn->lanes;
	or_write(run, issue, row ? row->bytes : none, due);
	or_result(run, issue, due);
}

void or_mxm(or_run *run, or_issue *issue)
{
	switch (issue->insn->op) {
	case ISA_OP_LW:
		load_weights(run, issue);
		break;
	case ISA_OP_IW:
		install_weights(run, issue);
		break;
	case ISA_OP_ABC:
		multiply(run, issue);
		break;
	default:
		emit(run, issue);
		break;
	}
}
