/* SPDX-License-Identifier: Apache-2.0
 *
 * Open loop: a group arrives every cycle, each bank has an unbounded queue.  Queues that are offered more than they
 * serve grow without end: the result says so (saturated), since delays then depend on the length of the stream.
 */
#include "bank/model_int.h"

void bank_fifo_push(bank_run *run, const bank_mapped *m)
{
	bank_result *r = run->result;
	uint64_t busy = run->options.busy_cycles;

	for (size_t g = 0; g < m->groups; g++, run->arrival++) {
		size_t count = m->start[g + 1] - m->start[g];
		uint64_t ideal = bank_ideal_beats(run, count, run->rules ? bank_group_writes(m, g) : 0);
		uint64_t longest = 0;

		if (!count) {
			run->idle_groups++;
			continue;
		}
		if (run->ideal_map)
			run->delays.count[0] += count;
		else if (run->rules)
			longest = bank_serve_rules(run, m, g, run->arrival);
		else if (m->kinds)
			longest = bank_serve_kinds(run, m, g, run->arrival);
		else
			longest = bank_serve(run, m, g, run->arrival);
		if (longest && !run->rules)
			bank_note_group(run, m, g);
		r->conflict_groups += longest + busy > ideal;
		run->last = MAX(run->last, run->arrival + longest + busy);
	}
}
