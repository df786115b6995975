/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads past L2.  Where a program's data do not all fit into L2, lines that it touches only once would push out what is
 * needed again, and send written lines to memory while others are read.  Copies of nothing but such lines say l2=0
 * (the hint CACHE_MODE_DISABLE; docs/ascend.md).
 */
#include "sched/emit/ascend/build_int.h"

static bool knows_memory(enum asc_op op)
{
	const asc_op_info *info = asc_op(op);

	for (unsigned i = 0; i < info->fields; i++)
		if (info->field[i].value == ASC_VALUE_ADDRESS && info->field[i].space == ASC_GM)
			return true;
	return false;
}

/* Counts the lines of a box once more; false: one of them had been counted before. */
static bool count_lines(const asb_box *box, uint64_t line_bytes, uint8_t *count, uint64_t lines, uint8_t more)
{
	bool once = true;

	for (uint32_t i = 0; i < box->count; i++) {
		uint64_t low = box->low + i * box->pitch, last = (low + box->bytes - 1) / line_bytes;

		for (uint64_t line = low / line_bytes; line <= last && line < lines; line++) {
			count[line] = (uint8_t)MIN(count[line] + more, 2);
			once &= count[line] <= 1;
		}
	}
	return once;
}

/* Touches what STEP does; may it be read past L2? */
static bool count_step(const asb *b, const asb_item *item, uint8_t *count, uint64_t lines, uint8_t more)
{
	asb_box box[ASB_BOXES];
	const asb_mode *mode = &g_array_index(b->modes, asb_mode, item->mode);
	unsigned boxes = asb_touch(&item->insn, mode, b->machine, box);
	bool once = true;

	for (unsigned i = 0; i < boxes; i++)
		if (box[i].space == ASC_GM)
			once &= count_lines(&box[i], (uint64_t)b->machine->l2_line_bytes, count, lines, more);
	return once;
}

void asb_read_past(asb *b)
{
	uint64_t lines = b->global / (uint64_t)b->machine->l2_line_bytes + 1;
	g_autofree uint8_t *count = NULL;
	uint64_t past = 0;

	if (b->global <= (uint64_t)b->machine->l2_bytes)
		return;
	count = g_new0(uint8_t, lines);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t s = 0; s < b->blocks * b->subs; s++)
			for (uint32_t i = 0; i < b->sub[s].items->len; i++) {
				asb_item *item = asb_item_at(&b->sub[s], i);
				enum asc_op op = (enum asc_op)item->insn.op;
				int hint = asc_field_by_name(op, "l2");

				if ((!round && knows_memory(op)) || (round && hint >= 0)) {
					bool once = count_step(b, item, count, lines, !round);

					if (round && once) {
						item->insn.f[hint] = 0;
						past++;
					}
				}
			}
	if (past)
		asb_remark(b, "copies past L2: %" G_GUINT64_FORMAT ", of lines that are read once", past);
}
