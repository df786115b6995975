/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operands, made of the names of fields when it is first asked for.
 */
#include "sched/emit/ascend/operands.h"

const int8_t *ask_operands(enum asc_op op)
{
	static const char *const names[OPERANDS][2] = {
		{"type", "type"},         {"dtype", "dtype"},     {"dst", "dst"},          {"src", "src0"},
		{"src1", "src1"},         {"offsets", "offsets"}, {"mask", "base"},        {"repeat", "repeat"},
		{"length", "length"},     {"pattern", "pattern"}, {"dst_blk", "dst_blk"},  {"src_blk", "src0_blk"},
		{"src1_blk", "src1_blk"}, {"dst_rep", "dst_rep"}, {"src_rep", "src0_rep"}, {"src1_rep", "src1_rep"}};
	static int8_t table[ASC_OP_COUNT][OPERANDS];
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		for (unsigned o = 0; o < ASC_OP_COUNT; o++)
			for (unsigned i = 0; i < OPERANDS; i++) {
				int at = asc_field_by_name((enum asc_op)o, names[i][0]);

				if (at < 0)
					at = asc_field_by_name((enum asc_op)o, names[i][1]);
				table[o][i] = (int8_t)at;
			}
		g_once_init_leave(&ready, 1);
	}
	return table[op];
}
