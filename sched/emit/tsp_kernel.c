/* SPDX-License-Identifier: Apache-2.0
 *
 * Building kernels, and running one: which interval, how many iterations at a time.
 *
 * The whole kernel at the least interval is tried first, then larger intervals, then shorter chunks; a chunk that fits
 * nowhere near goes behind everything placed so far if that costs little.  A single iteration always finds a place,
 * unless it holds more values than there are registers: tsp_tight.c sees to that.
 */
#include "sched/emit/tsp.h"
#include "sched/sheet.h"

#include <string.h>

enum { SLACK_CYCLES = 96, SAMPLED_ITERATIONS = 64, WAIT_CYCLES = 64, WAIT_TIMES = 2 };

tspe_kernel *tspe_kernel_new(tspe *e, uint32_t count)
{
	return tspe_kernel_new_sized(e, count, TSPE_STEPS_MAX);
}

tspe_kernel *tspe_kernel_new_sized(tspe *e, uint32_t count, unsigned step_max)
{
	tspe_kernel *k = g_new0(tspe_kernel, 1);

	g_assert(count >= 1 && count <= TSPE_ITERATIONS_MAX);
	k->e = e;
	k->step = g_new(tspe_step, step_max); /* tspe_kernel_add() fills them */
	k->step_max = step_max;
	k->count = count;
	k->arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	k->owned = g_ptr_array_new_with_free_func(g_free);
	k->ready = TSPE_NEVER;
	return k;
}

void tspe_kernel_free(tspe_kernel *k)
{
	if (!k)
		return;
	g_array_unref(k->arena);
	g_ptr_array_unref(k->owned);
	g_free(k->step);
	g_free(k);
}

void *tspe_kernel_alloc(tspe_kernel *k, size_t bytes)
{
	void *at = g_malloc0(bytes);

	g_ptr_array_add(k->owned, at);
	return at;
}

int tspe_kernel_add(tspe_kernel *k, enum isa_op op, const uint16_t *queues, unsigned queue_count)
{
	const isa_machine *m = k->e->m;
	const isa_op_info *info = &isa_ops[op];
	tspe_step *s = &k->step[k->step_count];

	g_assert(k->step_count < k->step_max && queue_count > 0);
	*s = (tspe_step){
		.insn = isa_insn_make(op, queues[0], 0),
		.queues = queues,
		.queue_count = queue_count,
		.after = -1,
		.in = {-1, -1},
		.fan = 1,
		.members = 1,
		.cells = 1,
		.cell_step = 1,
		.skew = (int32_t)isa_machine_skew(m, info->unit),
		.delay = (int32_t)isa_machine_timing(m, info->timing),
		.hold = 1,
		.beats_max = 1,
		.beats_min = 1,
		.not_before = TSPE_NEVER,
	};
	if (info->unit == ISA_UNIT_VXM) {
		/* A slow operation keeps its ALU until no faster one could overtake it. */
		s->hold += MAX(0, s->delay - (int32_t)m->vxm_op_cycles);
		s->delay += (int32_t)m->vxm_entry_cycles;
	}
	return (int)k->step_count++;
}

void tspe_kernel_link(tspe_kernel *k, int step, unsigned operand, int from)
{
	tspe_step *s = &k->step[step];

	s->in[operand] = (int16_t)from;
	if (k->step[from].result == TSPE_REGISTERS)
		s->read_ports = (uint8_t)(s->read_ports + k->step[from].span);
}

void tspe_kernel_result(tspe_kernel *k, int step, unsigned span)
{
	k->step[step].result = TSPE_REGISTERS;
	k->step[step].span = (uint8_t)span;
}

void tspe_kernel_memory(tspe_kernel *k, int step, tspe_tensor *tensor, uint32_t seg, int32_t pitch, uint32_t count)
{
	tspe_step *s = &k->step[step];
	bool load = s->insn.op == ISA_OP_LOAD;

	s->memory = true;
	s->tensor = tensor;
	if (count == 1) {
		s->insn.len = (uint16_t)seg;
	} else {
		s->insn.op = load ? ISA_OP_LOADS : ISA_OP_STORES;
		s->insn.seg = (uint16_t)seg;
		s->insn.pitch = pitch;
		s->insn.count = count;
	}
	s->addr = tspe_kernel_alloc(k, (size_t)k->count * s->fan * sizeof(int64_t));
	s->cells = tensor->parts;
	if (load)
		s->origin[0].kind = tensor->instance ? TSPE_ORIGIN_CELLS : TSPE_ORIGIN_HOST;
}

void tspe_kernel_indexed(tspe_kernel *k, int step, tspe_tensor *tensor, uint32_t seg, uint32_t count)
{
	tspe_step *s = &k->step[step];

	s->memory = true;
	s->tensor = tensor;
	s->insn.seg = (uint16_t)seg;
	s->insn.count = count;
	s->addr = tspe_kernel_alloc(k, (size_t)k->count * sizeof(int64_t));
	s->index = tspe_kernel_alloc(k, (size_t)k->count * count * sizeof(int32_t));
	s->origin[0].kind = tensor->instance ? TSPE_ORIGIN_CELLS : TSPE_ORIGIN_HOST;
}

static void finish_prints(tspe_kernel *k, tspe_step *s)
{
	uint32_t count = k->count * s->fan;
	bank_access access = {.seg = s->insn.len, .count = 1};

	if (s->insn.seg)
		access = (bank_access){.seg = s->insn.seg, .pitch = s->insn.pitch, .count = s->insn.count};
	s->prints = tspe_kernel_alloc(k, count * sizeof(bank_print));
	s->beats_min = UINT16_MAX;
	s->beats_max = 0;
	for (uint32_t a = 0; a < count; a++) {
		unsigned beats;

		access.addr = (uint64_t)s->addr[a];
		access.index = s->index ? s->index + (size_t)a * access.count : NULL;
		if (a && !s->index && s->addr[a] == s->addr[a - 1])
			s->prints[a] = s->prints[a - 1];
		else
			s->prints[a] = bank_calendar_print(k->e->cal.banks, &access, k->arena);
		beats = bank_calendar_beats(k->e->cal.banks, s->prints[a]);
		s->beats_min = (uint16_t)MIN(s->beats_min, beats);
		s->beats_max = (uint16_t)MAX(s->beats_max, beats);
	}
}

/* Calls FN for each granule of access A, in packed order. */
typedef void (*granule_fn)(void *state, const tspe_tensor *t, uint32_t cell);

static void each_granule(const tspe_step *s, uint32_t a, granule_fn fn, void *state)
{
	uint32_t segments = s->insn.seg ? s->insn.count : 1;
	uint64_t bytes = s->insn.seg ? s->insn.seg : s->insn.len;

	for (uint32_t i = 0; i < segments; i++) {
		int64_t offset = s->index ? s->index[(size_t)a * segments + i] : (int64_t)i * s->insn.pitch;
		uint64_t from = (uint64_t)(s->addr[a] + offset);

		for (uint64_t g = from / TSPE_GRANULE; g <= (from + bytes - 1) / TSPE_GRANULE; g++)
			fn(state, s->tensor, tspe_cell_at(s->tensor, MAX(g * TSPE_GRANULE, from)));
	}
}

static void latest_granule(void *state, const tspe_tensor *t, uint32_t cell)
{
	int64_t *due = state;

	*due = MAX(*due, t->due[cell]);
}

typedef struct granule_runs {
	GArray *runs; /* isa_source */
} granule_runs;

/* Extends the last piece by one granule, or begins the next one. */
static void add_granule(void *state, const tspe_tensor *t, uint32_t cell)
{
	GArray *runs = ((granule_runs *)state)->runs;
	isa_source *last = runs->len ? &g_array_index(runs, isa_source, runs->len - 1) : NULL;
	uint32_t instance = t->instance[cell];
	isa_source next = {.base = instance, .seg_div = 1, .segments = 1};

	if (last && last->segments == 1 && !last->seg_step) {
		last->seg_step = (int32_t)(instance - last->base);
		last->segments = 2;
		return;
	}
	if (last && instance == last->base + last->segments * (uint32_t)last->seg_step) {
		last->segments++;
		return;
	}
	g_array_append_val(runs, next);
}

void tspe_cell_sources(const tspe_step *s, uint32_t access, GArray *sources)
{
	granule_runs state = {sources};

	each_granule(s, access, add_granule, &state);
}

/* Cells that each access reads, if that is one cell or both of one vector for all of them; else 0. */
static unsigned cells_read(const tspe_step *s, uint32_t count)
{
	uint32_t most = 1;

	for (uint32_t a = 0; a < count; a++) {
		uint64_t from = (uint64_t)s->addr[a];
		uint32_t cell = tspe_cell_at(s->tensor, from);
		uint32_t more = s->insn.seg ? UINT32_MAX : tspe_cell_at(s->tensor, from + s->insn.len - 1u) - cell;

		if (more && (more > 1 || cell % s->tensor->parts))
			return 0;
		most = MAX(most, more + 1);
	}
	return most;
}

/* Who stored what each access reads of COUNT; both parts of a vector often come from one. */
static void set_origin(tspe_kernel *k, tspe_step *s, uint32_t count, unsigned cells)
{
	int64_t *each = tspe_kernel_alloc(k, count * sizeof(int64_t));
	int64_t *step = cells > 1 ? tspe_kernel_alloc(k, count * sizeof(int64_t)) : NULL;
	bool apart = false;

	for (uint32_t a = 0; a < count; a++) {
		uint32_t cell = tspe_cell_at(s->tensor, (uint64_t)s->addr[a]);

		each[a] = s->tensor->instance[cell];
		if (step && tspe_cell_at(s->tensor, (uint64_t)s->addr[a] + s->insn.len - 1u) != cell)
			step[a] = (int64_t)s->tensor->instance[cell + 1] - each[a];
		apart |= step && step[a];
	}
	s->origin[0].kind = apart ? TSPE_ORIGIN_PARTS : TSPE_ORIGIN_EACH;
	s->origin[0].each = each;
	s->origin[0].step = step;
}

/* A load waits for whoever stored what it reads. */
static void finish_load(tspe_kernel *k, tspe_step *s)
{
	uint32_t count = k->count * s->fan;
	int64_t *ready = tspe_kernel_alloc(k, k->count * sizeof(int64_t));
	unsigned cells = cells_read(s, count);

	if (cells)
		set_origin(k, s, count, cells);
	for (uint32_t i = 0; i < k->count; i++)
		ready[i] = TSPE_NEVER;
	for (uint32_t a = 0; a < count; a++) {
		int64_t due = TSPE_NEVER;

		if (cells) {
			uint32_t cell = tspe_cell_at(s->tensor, (uint64_t)s->addr[a]);

			due = s->tensor->due[cell];
			if (cells > 1)
				due = MAX(due, s->tensor->due[tspe_cell_at(s->tensor,
				                                           (uint64_t)s->addr[a] + s->insn.len - 1u)]);
		} else {
			each_granule(s, a, latest_granule, &due);
		}
		ready[a / s->fan] = MAX(ready[a / s->fan], due - (int64_t)(a % s->fan) * s->fan_interval);
	}
	s->ready = ready;
}

void tspe_kernel_finish(tspe_kernel *k)
{
	int64_t beats = 0;

	for (tspe_step *s = k->step; s < k->step + k->step_count; s++) {
		if (!s->memory)
			continue;
		finish_prints(k, s);
		beats += s->beats_max * s->fan;
		if (tspe_is_load(s)) {
			if (s->tensor->instance)
				finish_load(k, s);
		} else {
			s->not_before = MAX(s->not_before, s->tensor->writable + 1 - s->skew);
		}
	}
	k->reach = 2 * k->e->m->sram_banks + beats;
	k->slack = SLACK_CYCLES + beats;
}

unsigned tspe_span(const isa_machine *m, uint64_t lanes, enum isa_type type)
{
	uint64_t bytes = lanes * isa_type_bytes(type);

	return (unsigned)((bytes + (uint64_t)m->vreg_bytes - 1) / (uint64_t)m->vreg_bytes);
}

static uint32_t quotient(uint64_t amount, uint64_t capacity)
{
	return (uint32_t)((amount + capacity - 1) / MAX(capacity, 1));
}

/* Bank cycles that COUNT iterations from FIRST on take. */
static uint64_t bank_work(const tspe_kernel *k, uint32_t first, uint32_t count)
{
	uint64_t work = 0;

	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++)
		for (uint32_t a = 0; s->memory && !s->once && a < count * s->fan; a++)
			work += bank_calendar_work(k->e->cal.banks, s->prints[first * s->fan + a]);
	return work;
}

/* Bank cycles that one cycle offers; 0 when nothing is ever refused. */
static uint64_t bank_capacity(const tspe_kernel *k)
{
	const bank_map *map = bank_calendar_map(k->e->cal.banks);

	return bank_calendar_is_ideal(k->e->cal.banks) ? 0 : bank_map_banks_used(map) * (uint64_t)k->e->m->sram_ports;
}

uint32_t tspe_kernel_interval(const tspe_kernel *k)
{
	const isa_machine *m = k->e->m;
	uint64_t slots = 0, reads = 0, writes = 0, weights = 0, bursts = 1;
	uint32_t interval = 1;

	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++) {
		if (s->once)
			continue;
		slots += s->memory ? s->fan : 0;
		reads += (uint64_t)s->read_ports * s->fan;
		writes += s->result == TSPE_REGISTERS ? (uint64_t)s->span * s->fan : 0;
		weights += s->weight_bytes;
		bursts = MAX(bursts, (uint64_t)(s->fan - 1) * s->fan_interval + 1);
	}
	interval = MAX(interval, (uint32_t)bursts);
	interval = MAX(interval, quotient(slots, k->e->mem.count));
	interval = MAX(interval, quotient(reads, (uint64_t)m->vreg_read_ports));
	interval = MAX(interval, quotient(writes, (uint64_t)m->vreg_write_ports));
	interval = MAX(interval, quotient(weights, (uint64_t)m->mxm_weight_bytes));
	if (bank_capacity(k)) {
		uint32_t sampled = MIN(k->count, SAMPLED_ITERATIONS);

		interval = MAX(interval, quotient(bank_work(k, 0, sampled), bank_capacity(k) * sampled));
	}
	return interval;
}

/* An interval at which no two accesses of different iterations can meet. */
static uint32_t safe_interval(const tspe_kernel *k)
{
	uint32_t sum = 1;

	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++)
		sum += s->memory ? (uint32_t)s->beats_max * s->fan : 0;
	return MAX(sum, tspe_kernel_interval(k));
}

static bool try_intervals(tspe_kernel *k, uint32_t first, uint32_t n, uint32_t from, uint32_t to, int64_t ready)
{
	for (uint32_t interval = from; interval <= to; interval++)
		if (tspe_place(k, first, n, interval, ready))
			return true;
	return false;
}

bool tspe_is_crowded(const tspe_kernel *k, uint32_t first, uint32_t interval, int64_t earliest)
{
	int64_t wait = k->e->cal.horizon - earliest;
	int64_t iterations = MIN((int64_t)(k->count - first), wait / interval + 1);
	uint64_t work = bank_work(k, first, MIN((uint32_t)iterations, SAMPLED_ITERATIONS)) * (uint64_t)iterations /
	                (uint64_t)MIN(iterations, SAMPLED_ITERATIONS);

	return work * 5 / 4 > bank_calendar_free_work(k->e->cal.banks, earliest, k->e->cal.horizon);
}

/* Near the earliest time at one of the policy's intervals; or, where the memory is taken or waiting costs little, at
 * the end of what is placed so far. */
static bool fit(tspe_kernel *k, uint32_t first, uint32_t n, const tspe_policy *policy)
{
	int64_t earliest = tspe_earliest(k, first, n, policy->interval_min);
	int64_t wait = k->e->cal.horizon - earliest;
	bool crowded = false, placed = false;
	uint32_t safe;

	if (!k->in_step && bank_capacity(k) && wait > 4 * WAIT_CYCLES)
		crowded = tspe_is_crowded(k, first, policy->interval_min, earliest);
	if (!crowded && k->rhythm > 1) {
		k->strict = true;
		placed = try_intervals(k, first, n, policy->interval_min, policy->interval_max, TSPE_NEVER);
		k->strict = false;
	}
	if (!crowded && !placed)
		placed = try_intervals(k, first, n, policy->interval_min, policy->interval_max, TSPE_NEVER);
	if (placed)
		return true;
	if (!crowded && wait > WAIT_CYCLES + (int64_t)n * policy->interval_min * WAIT_TIMES)
		return false;
	if (try_intervals(k, first, n, policy->interval_min, policy->interval_max,
	                  MAX(earliest, k->e->cal.horizon - WAIT_CYCLES)))
		return true;
	safe = n == 1 ? policy->interval_min : MAX(policy->interval_max, safe_interval(k));
	return try_intervals(k, first, n, policy->interval_min, safe, k->e->cal.horizon);
}

static int64_t first_start(const tspe_kernel *k)
{
	int64_t first = INT64_MAX;

	for (unsigned i = 0; i < k->step_count; i++)
		first = MIN(first, k->step[i].start);
	return first;
}

int64_t tspe_first_row(const tspe_kernel *k, int64_t *skew)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (const tspe_step *s = k->step; s < k->step + k->step_count; s++) {
		if (!s->memory || s->once)
			continue;
		first = MIN(first, s->start - (int64_t)s->row * k->n);
		last = MAX(last, s->start - (int64_t)s->row * k->n);
	}
	*skew = last - first;
	return first;
}

void tspe_commit(tspe_kernel *k)
{
	int64_t skew;

	/* Chunks follow each other; what they could not use before will not fit the next one either. */
	k->ready = MAX(k->ready, k->rows ? tspe_first_row(k, &skew) + (int64_t)k->rows * k->n : first_start(k));
	k->latest = first_start(k);
	k->began = k->first ? k->began : k->latest;
	k->before = k->first;
	if (k->n > 1)
		k->slowest = MAX(k->slowest, k->interval);
	tspe_issue(k);
	if (k->placed)
		k->placed(k, k->placed_state);
	k->next = k->first + k->n;
}

/* Iterations at a time: what the policy says, or shorter chunks, which find room where long ones do not. */
static uint32_t chunk_of(const tspe_kernel *k, const tspe_policy *policy)
{
	const char *node = g_array_index(k->e->program->nodes, isa_node, k->e->node).name;
	static const uint32_t shorter[] = {0, 256, 64, 16};
	uint32_t largest = policy->chunk ? MIN(policy->chunk, k->count) : k->count;
	uint32_t decided = shorter[sched_decide(k->e->options->sheet, "chunk", node, G_N_ELEMENTS(shorter))];

	return decided ? MIN(decided, largest) : largest;
}

bool tspe_run(tspe_kernel *k, const tspe_policy *policy, GError **error)
{
	uint32_t largest = chunk_of(k, policy);
	uint32_t size = largest;

	while (k->next < k->count) {
		uint32_t n = MIN(size, k->count - k->next);

		if (k->e->limit && k->e->end >= k->e->limit)
			return false;
		if (!fit(k, k->next, n, policy)) {
			if (n > 1) {
				size = n / 2;
				continue;
			}
			if (!tspe_place(k, k->next, 1, policy->interval_min, k->e->cal.horizon))
				return tspe_run_tight(k, error);
		}
		tspe_commit(k);
		size = MIN(largest, n < size ? size : size * 2);
	}
	return true;
}
