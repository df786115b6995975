/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a cycle: what needs all of it to be known (over-used ports, collisions, conflicts), violations in their
 * final order, and the turn from one epoch to the next.  Runs only in cycles that gave it something to do.
 */
#include "models/tsp/internal.h"

static const isa_epoch *epoch_at(const tsp_chip *chip, uint32_t i)
{
	return &g_array_index(chip->program->epochs, isa_epoch, i);
}

static void finish_epoch(tsp_chip *chip, int64_t now)
{
	model_store_settle(&chip->store, now);
	if (chip->next_epoch && chip->options.epoch_end)
		chip->options.epoch_end(chip->options.epoch_state, chip, chip->next_epoch - 1);
}

/* Starts the epochs that begin before any access of cycle NOW + 1.  Returns when the next one begins. */
static int64_t turn_epochs(tsp_chip *chip, int64_t now)
{
	while (chip->next_epoch < chip->program->epochs->len) {
		const isa_epoch *epoch = epoch_at(chip, chip->next_epoch);

		if (epoch->start > now + 1)
			return epoch->start - 1;
		finish_epoch(chip, now + 1);
		model_store_begin(&chip->store, epoch->images, NULL); /* checked when the chip was made */
		chip->next_epoch++;
	}
	return SIM_NEVER;
}

/* Once all queues have run out: the cycle of the last result; then the last epoch's end. */
static int64_t finish_run(tsp_chip *chip, int64_t now)
{
	if (chip->active || chip->ended)
		return SIM_NEVER;
	if (chip->last_due > now)
		return chip->last_due;
	chip->ended = true;
	finish_epoch(chip, now);
	return SIM_NEVER;
}

sim_time tsp_audit_run(void *state, sim_time now)
{
	tsp_chip *chip = state;
	int64_t next_miss, next_start, end = SIM_NEVER;

	chip->auditing = true;
	tsp_vregs_audit(chip, now);
	tsp_stream_audit(chip, now);
	tsp_mem_audit(chip, now);
	tsp_mxm_audit(chip, now);
	tsp_release_stuck(chip, now);
	next_miss = tsp_misses_settle(chip, now);
	tsp_violations_flush(chip);
	chip->auditing = false;
	next_start = turn_epochs(chip, now);
	if (next_start == SIM_NEVER)
		end = finish_run(chip, now);
	return MIN(next_miss, MIN(next_start, end));
}
