/* SPDX-License-Identifier: Apache-2.0
 *
 * Several ports, long service, separate reads and writes, bank groups: what lockstep and fifo do off the fast path.  A
 * request takes the first free port of its bank and the read or write slot of its bank group; both must be free of
 * requests before it.  The Ascend unified buffer is bank groups over shared banks: a read and a write clash in a bank,
 * two reads or two writes clash in a bank group.
 */
#include "bank/model_int.h"

typedef struct last_request {
	uint64_t block, group;
	unsigned lane, bank;
} last_request;

struct bank_rules {
	unsigned ports, busy, sides; /* sides: 2 when reads and writes have ports of their own */
	unsigned groups;
	uint64_t *port_free;  /* [bank][side][port] */
	uint64_t *group_free; /* [group][kind] */
	last_request *bank_last;
	last_request *group_last;
};

bank_rules *bank_rules_new(const bank_run *run)
{
	const bank_options *o = &run->options;
	bank_rules *rules = g_new0(bank_rules, 1);

	*rules = (bank_rules){
		.ports = o->ports, .busy = o->busy_cycles, .sides = o->separate ? 2 : 1, .groups = o->groups};
	rules->port_free = g_new0(uint64_t, (size_t)run->room * rules->sides * rules->ports);
	rules->bank_last = g_new0(last_request, (size_t)run->room * rules->sides);
	if (o->groups) {
		rules->group_free = g_new0(uint64_t, (size_t)o->groups * 2);
		rules->group_last = g_new0(last_request, (size_t)o->groups * 2);
	}
	return rules;
}

void bank_rules_free(bank_rules *rules)
{
	if (!rules)
		return;
	g_free(rules->port_free);
	g_free(rules->group_free);
	g_free(rules->bank_last);
	g_free(rules->group_last);
	g_free(rules);
}

static void note_first(bank_run *run, const bank_mapped *m, size_t group, size_t at, const last_request *other)
{
	bank_result *r = run->result;

	bank_note_first(run, m, group, at, at);
	r->first_other_group = other->group;
	r->first_block[0] = other->block;
	r->first_lane[0] = other->lane;
	r->first_other_bank = other->bank;
}

uint64_t bank_serve_rules(bank_run *run, const bank_mapped *m, size_t group, uint64_t arrival)
{
	bank_rules *rules = run->rules;
	bank_result *r = run->result;
	uint64_t longest = 0;

	for (uint32_t i = m->start[group]; i < m->start[group + 1]; i++) {
		unsigned kind = m->kinds ? m->kinds[i] & BANK_WRITE : 0;
		size_t side = (size_t)m->banks[i] * rules->sides + (rules->sides == 2 ? kind : 0);
		uint64_t *ports = rules->port_free + side * rules->ports;
		size_t slot = rules->groups ? (size_t)(m->banks[i] % rules->groups) * 2 + kind : 0;
		last_request *blocker = &rules->bank_last[side];
		last_request now = {m->blocks[i], r->groups + group, bank_lane(m, group, i), m->banks[i]};
		unsigned port = 0;
		uint64_t start;

		for (unsigned p = 1; p < rules->ports; p++)
			if (ports[p] < ports[port])
				port = p;
		start = MAX(arrival, ports[port]);
		if (rules->groups && rules->group_free[slot] > start) {
			start = rules->group_free[slot];
			blocker = &rules->group_last[slot];
		}
		if (start > arrival) {
			if (r->first_group == UINT64_MAX)
				note_first(run, m, group, i, blocker);
			r->kind_delayed[1] += kind;
		}
		ports[port] = start + rules->busy;
		rules->bank_last[side] = now;
		if (rules->groups) {
			rules->group_free[slot] = start + rules->busy;
			rules->group_last[slot] = now;
		}
		r->delay_sum_cycles += start - arrival;
		longest = MAX(longest, start - arrival);
		bank_delays_add(&run->delays, start - arrival);
	}
	return longest;
}
