/* SPDX-License-Identifier: Apache-2.0
 *
 * Lockstep: the next group waits until the one before has been served, as a vector unit or a GPU's shared memory does.
 */
#include "bank/model_int.h"

/* The first two requests of a group that meet, for a group that has some: the first delayed one and the one of its bank
 * before it. */
static void note_in_group(bank_run *run, const bank_mapped *m, size_t group)
{
	uint32_t start = m->start[group];

	for (uint32_t at = start; at < m->start[group + 1]; at++)
		for (uint32_t before = at; before-- > start;)
			if (m->banks[before] == m->banks[at]) {
				bank_note_first(run, m, group, before, at);
				return;
			}
}

void bank_note_group(bank_run *run, const bank_mapped *m, size_t group)
{
	if (run->result->first_group == UINT64_MAX)
		note_in_group(run, m, group);
}

void bank_lockstep_push(bank_run *run, const bank_mapped *m)
{
	bank_result *r = run->result;
	uint64_t busy = run->options.busy_cycles;

	for (size_t g = 0; g < m->groups; g++) {
		size_t count = m->start[g + 1] - m->start[g];
		uint64_t ideal = bank_ideal_beats(run, count, run->rules ? bank_group_writes(m, g) : 0);
		uint64_t beats = 0;

		if (!count) {
			run->idle_groups++;
			continue;
		}
		if (run->ideal_map) {
			run->delays.count[0] += count;
			beats = busy;
		} else if (run->rules) {
			beats = bank_serve_rules(run, m, g, run->arrival) + busy;
		} else if (m->kinds) {
			beats = bank_serve_kinds(run, m, g, run->arrival) + 1;
		} else {
			beats = bank_serve(run, m, g, run->arrival) + 1;
		}
		if (beats > 1 && !run->rules && !run->ideal_map)
			bank_note_group(run, m, g);
		run->arrival += beats;
		r->cycles += beats;
		r->ideal_cycles += ideal;
		r->conflict_groups += beats > ideal;
	}
}
