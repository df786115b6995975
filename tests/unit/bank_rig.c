/* SPDX-License-Identifier: Apache-2.0
 *
 * See bank_rig.h.  The oracle is written after the definitions, not after bank/: a queue a bank, served port by port as
 * cycles pass, and no shortcut.
 */
#include "tests/unit/bank_rig.h"

#include "bank/pattern.h"

#include <stdio.h>
#include <stdlib.h>

bankmap *rig_map(const rig *r)
{
	GError *error = NULL;
	bankmap *map = bankmap_new_analysis(r->map, r->banks ? r->banks : 144, r->rows ? r->rows : 5000, &error);

	if (!map) {
		fprintf(stderr, "%s\n", error->message);
		exit(1);
	}
	return map;
}

static bank_options options_of(const rig *r, const bankmap *map)
{
	bank_options o;

	bank_options_init(&o);
	o.map = map;
	o.model = r->model;
	o.ports = r->ports ? r->ports : 1;
	o.busy_cycles = r->busy ? r->busy : 1;
	o.merge = r->merge;
	o.separate = r->separate;
	o.groups = r->groups;
	o.warmup_cycles = r->warmup;
	o.measure_cycles = r->measure;
	o.window_requests = r->window;
	o.banks = r->banks;
	o.lookahead_accesses = r->lookahead;
	o.priority = r->priority;
	return o;
}

static void must(bool ok, GError *error)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", error ? error->message : "failed");
	exit(1);
}

bank_result rig_kinds(const rig *r, const uint64_t *blocks, const uint8_t *kinds, size_t count, unsigned k)
{
	bankmap *map = rig_map(r);
	bank_options o = options_of(r, map);
	GError *error = NULL;
	bank_run *run = bank_run_new(&o, &error);
	bank_batch batch = {0};
	bank_result result;

	must(run != NULL, error);
	bank_batch_reserve(&batch, 1, 1);
	batch.start[0] = 0;
	/* Small batches, so that state between batches is tested, too. */
	for (size_t at = 0; at < count;) {
		batch.groups = batch.accesses = 0;
		for (unsigned g = 0; g < 3 && at < count; g++) {
			size_t n = MIN(k, count - at);

			bank_batch_add(&batch, blocks + at, n);
			for (size_t i = 0; i < n; i++)
				batch.kinds[batch.accesses - n + i] = kinds ? kinds[at + i] : 0;
			at += n;
		}
		batch.has_kinds = kinds != NULL;
		bank_run_push(run, &batch);
	}
	must(bank_run_end(run, &result, &error), error);
	bank_run_free(run);
	bank_batch_clear(&batch);
	bankmap_free(map);
	return result;
}

bank_result rig_blocks(const rig *r, const uint64_t *blocks, size_t count, unsigned k)
{
	return rig_kinds(r, blocks, NULL, count, k);
}

bank_result rig_stride(const rig *r, uint64_t base, uint64_t stride, size_t groups, unsigned k)
{
	g_autofree uint64_t *blocks = g_new(uint64_t, groups * k);

	for (size_t i = 0; i < groups * k; i++)
		blocks[i] = base + i * stride;
	return rig_blocks(r, blocks, groups * k, k);
}

bank_result rig_pattern(const rig *r, const char *pattern, unsigned k, uint64_t groups)
{
	bankmap *map = rig_map(r);
	bank_options o = options_of(r, map);
	bank_pattern_options po;
	GError *error = NULL;
	bank_source *source;
	bank_result result;

	bank_pattern_options_init(&po);
	po.k = k;
	po.groups = groups;
	source = bank_pattern_source(pattern, &po, &error);
	must(source != NULL, error);
	must(bank_evaluate(source, &o, &result, &error), error);
	bank_source_free(source);
	bankmap_free(map);
	return result;
}

typedef struct waiting {
	uint64_t arrival;
	size_t group;
} waiting;

typedef struct queue {
	GArray *wait; /* of waiting, in order */
	guint head;
	uint64_t port_free[BANK_MAX_PORTS];
} queue;

static void count_delay(oracle *o, uint64_t delay)
{
	o->requests++;
	o->delayed += delay > 0;
	o->delay_sum += delay;
	o->max_delay = MAX(o->max_delay, delay);
}

/* Serves what the ports of Q take in CYCLE; returns how many. */
static unsigned step(oracle *o, queue *q, const rig *r, uint64_t cycle, uint64_t *group_end)
{
	unsigned served = 0;

	for (unsigned p = 0; p < MAX(r->ports, 1); p++) {
		const waiting *w;

		if (q->port_free[p] > cycle || q->head == q->wait->len)
			continue;
		w = &g_array_index(q->wait, waiting, q->head++);
		count_delay(o, cycle - w->arrival);
		group_end[w->group] = MAX(group_end[w->group], cycle + MAX(r->busy, 1) - w->arrival);
		q->port_free[p] = cycle + MAX(r->busy, 1);
		o->cycles = MAX(o->cycles, cycle + MAX(r->busy, 1));
		served++;
	}
	return served;
}

oracle oracle_open(const rig *r, const uint64_t *blocks, size_t count, unsigned k)
{
	bankmap *map = rig_map(r);
	unsigned banks = r->banks ? r->banks : 144;
	size_t groups = (count + k - 1) / k;
	g_autofree queue *queues = g_new0(queue, banks);
	g_autofree uint64_t *group_end = g_new0(uint64_t, groups);
	oracle o = {0};
	size_t next = 0;

	for (unsigned b = 0; b < banks; b++)
		queues[b].wait = g_array_new(FALSE, FALSE, sizeof(waiting));
	for (uint64_t cycle = 0; o.requests < count; cycle++) {
		/* fifo: a group a cycle; lockstep: when all is quiet. */
		if (next < groups && (r->model == BANK_FIFO || (o.requests == next * k && cycle >= o.cycles))) {
			for (size_t i = next * k; i < MIN(count, (next + 1) * k); i++) {
				waiting w = {cycle, next};

				g_array_append_val(queues[bankmap_bank(map, blocks[i])].wait, w);
			}
			next++;
		}
		for (unsigned b = 0; b < banks; b++)
			step(&o, &queues[b], r, cycle, group_end);
	}
	for (size_t g = 0; g < groups; g++)
		o.conflict_groups += group_end[g] > (uint64_t)MAX(r->busy, 1); /* k is at most the ports of all banks */
	for (unsigned b = 0; b < banks; b++)
		g_array_free(queues[b].wait, TRUE);
	bankmap_free(map);
	return o;
}

oracle oracle_closed(const rig *r, const uint64_t *blocks, size_t count, unsigned k)
{
	bankmap *map = rig_map(r);
	unsigned banks = r->banks ? r->banks : 144;
	g_autofree size_t *at = g_new(size_t, k);
	g_autofree uint64_t *presented = g_new0(uint64_t, k);
	g_autofree unsigned *last = g_new(unsigned, banks);
	g_autofree uint64_t *port_free = g_new0(uint64_t, (size_t)banks * BANK_MAX_PORTS);
	g_autofree bool *late = g_new0(bool, count / k + 1);
	oracle o = {0};

	for (unsigned i = 0; i < k; i++)
		at[i] = i;
	for (unsigned b = 0; b < banks; b++)
		last[b] = k - 1;
	for (uint64_t cycle = 0; o.requests < count; cycle++) {
		for (unsigned b = 0; b < banks; b++)
			for (unsigned p = 0; p < MAX(r->ports, 1); p++) {
				unsigned n;

				if (port_free[b * BANK_MAX_PORTS + p] > cycle)
					continue;
				for (n = 1; n <= k; n++) {
					bool rotating = r->priority == BANK_ROTATING;
					unsigned s = (unsigned)((rotating ? cycle + n - 1 : last[b] + n) % k);

					if (at[s] < count && presented[s] <= cycle &&
					    bankmap_bank(map, blocks[at[s]]) == b) {
						count_delay(&o, cycle - presented[s]);
						late[at[s] / k] |= cycle > presented[s];
						at[s] += k;
						presented[s] = cycle + 1;
						last[b] = s;
						port_free[b * BANK_MAX_PORTS + p] = cycle + MAX(r->busy, 1);
						o.cycles = MAX(o.cycles, cycle + MAX(r->busy, 1));
						break;
					}
				}
			}
	}
	for (size_t g = 0; g <= count / k; g++)
		o.conflict_groups += late[g];
	bankmap_free(map);
	return o;
}
