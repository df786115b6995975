/* SPDX-License-Identifier: Apache-2.0
 *
 * Instruction queues: reads words, unfolds NOP and REPEAT, issues one instruction a cycle at most, runs dry, parks and
 * is released.  A queue's process runs once an issue, in the cycle in which the instruction samples its operands.
 * Dispatch paths, instruction decoding time and the barrier's wiring are not modelled beyond their published delays.
 */
#include "models/tsp/internal.h"

static void exec_bad_word(tsp_chip *chip, tsp_queue *q)
{
	(void)chip;
	if (q->fault != TSP_NO_VIOLATION)
		tsp_violate(q, (enum isa_violation)q->fault, q->issue, TSP_NO_INSN, q->fault_detail);
	q->fault = TSP_NO_VIOLATION; /* once a word, however often it repeats */
}

static void exec_nothing(tsp_chip *chip, tsp_queue *q)
{
	(void)chip;
	(void)q;
}

/* NOP and REPEAT are taken out of the stream before anything is executed. */
void tsp_exec_NOP(tsp_chip *chip, tsp_queue *q)
{
	exec_nothing(chip, q);
}

void tsp_exec_REPEAT(tsp_chip *chip, tsp_queue *q)
{
	exec_nothing(chip, q);
}

int tsp_prepare_ICU(tsp_chip *chip, tsp_queue *q)
{
	const isa_machine *m = chip->machine;
	bool fetch = q->insn.op == ISA_OP_IFETCH;

	q->fault_detail = q->insn.op;
	if (fetch ? !m->icu_queue_words : !m->icu_barrier_cycles)
		return ISA_VIOLATION_ILLEGAL;
	if (!fetch)
		q->repeats = ISA_LOOPS;
	return TSP_NO_VIOLATION;
}

/* The first release after cycle T that is known, SIM_NEVER when none is. */
static int64_t release_after(const tsp_chip *chip, int64_t t)
{
	for (guint i = 0; i < chip->releases->len; i++)
		if (g_array_index(chip->releases, int64_t, i) > t)
			return g_array_index(chip->releases, int64_t, i);
	return SIM_NEVER;
}

static void park(tsp_chip *chip, tsp_queue *q)
{
	q->resume = release_after(chip, q->issue);
	if (q->resume != SIM_NEVER)
		return;
	q->state = TSP_QUEUE_PARKED;
	chip->parked++;
	tsp_audit_now(q); /* is anybody left to release it? */
}

void tsp_exec_SYNC(tsp_chip *chip, tsp_queue *q)
{
	tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
	park(chip, q);
}

void tsp_exec_NOTIFY(tsp_chip *chip, tsp_queue *q)
{
	int64_t release = q->issue + chip->machine->icu_barrier_cycles;
	guint at = chip->releases->len;

	tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
	/* Those long past interest nobody: a SYNC is executed at most its unit's skew after its issue. */
	while (chip->releases->len && g_array_index(chip->releases, int64_t, 0) < q->now - 64) {
		g_array_remove_index(chip->releases, 0);
		at--;
	}
	while (at && g_array_index(chip->releases, int64_t, at - 1) > release)
		at--;
	g_array_insert_val(chip->releases, at, release);
	/* In RESOLVE of the cycle before the release every NOTIFY that could name an earlier one has run. */
	sim_process_wake(chip->release_process, release - 1);
	park(chip, q);
}

void tsp_exec_IFETCH(tsp_chip *chip, tsp_queue *q)
{
	const isa_machine *m = chip->machine;
	uint64_t limit = (uint64_t)m->icu_queue_words + q->fetches->len * (uint64_t)m->icu_ifetch_words;
	uint64_t held = limit - q->next_word;

	tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
	if (held + (uint64_t)m->icu_ifetch_words > (uint64_t)m->icu_queue_words)
		tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, q->issue, TSP_NO_INSN,
		            (int64_t)(held + (uint64_t)m->icu_ifetch_words));
	g_array_append_val(q->fetches, q->issue);
}

/* When is the next word there for a queue that reads it at CYCLE?  SIM_NEVER: it never comes. */
static int64_t word_arrival(const tsp_queue *q, int64_t cycle)
{
	const isa_machine *m = q->chip->machine;
	uint64_t capacity = (uint64_t)m->icu_queue_words;
	uint64_t at, fetch;

	if (!capacity || q->next_word < capacity)
		return cycle;
	at = q->next_word - capacity;
	fetch = at / (uint64_t)m->icu_ifetch_words;
	if (fetch >= q->fetches->len)
		return SIM_NEVER;
	return MAX(cycle, g_array_index(q->fetches, int64_t, fetch) + m->icu_ifetch_cycles +
	                          (int64_t)(at % (uint64_t)m->icu_ifetch_words));
}

static void begin_word(tsp_queue *q)
{
	q->id = q->next_id < q->id_count ? q->ids[q->next_id] : TSP_NO_INSN;
	q->next_id++;
	q->index = q->i0 = q->i1 = 0;
	q->tag = TSP_NO_INSN;
	memset(q->rot, 0, sizeof q->rot);
	memset(q->source_count, 0, sizeof q->source_count);
	if (q->id < q->chip->program->insns->len) {
		const isa_program *p = q->chip->program;

		q->tag = isa_program_instance(p, q->id);
		for (unsigned i = 0; i < ISA_OPERANDS; i++) {
			uint32_t at = q->id * ISA_OPERANDS + i;

			q->source_count[i] = g_array_index(p->source_count, uint8_t, at);
			if (q->source_count[i])
				q->source[i] = &g_array_index(p->sources, isa_source,
				                              g_array_index(p->first_source, uint32_t, at));
		}
	}
	q->repeats = 0;
	q->extra = 0;
	q->fault = TSP_NO_VIOLATION;
	q->fault_detail = 0;
}

/* A word that cannot be executed: it passes through the queue, takes its cycle, and is reported. */
static void fail_word(tsp_queue *q, int fault)
{
	q->fault = (int8_t)fault;
	q->exec = exec_bad_word;
}

static bool has_what_it_needs(const tsp_queue *q, const isa_op_info *op)
{
	const isa_machine *m = q->chip->machine;

	switch (op->need) {
	case ISA_NEED_HASHED:
		return m->hashed;
	case ISA_NEED_DIRECT:
		return !m->hashed;
	case ISA_NEED_STREAM:
		return m->streams > 0;
	default:
		return true;
	}
}

static void prepare(tsp_queue *q, const isa_insn *insn)
{
	const isa_op_info *op = &isa_ops[insn->op];
	int fault = ISA_VIOLATION_ILLEGAL;

	q->insn = *insn;
	q->insn.queue = q->number;
	q->addr = insn->addr;
	q->waddr = insn->waddr;
	q->exec = tsp_ops[insn->op].exec;
	q->dst = q->src[0] = q->src[1] = (tsp_place){.kind = ISA_PLACE_KIND_NONE};
	q->fault_detail = insn->op;
	if ((op->unit == ISA_UNIT_ICU || op->unit == q->info->unit) && has_what_it_needs(q, op))
		fault = tsp_ops[insn->op].prepare(q->chip, q);
	if (fault != TSP_NO_VIOLATION)
		fail_word(q, fault);
}

/* Takes a REPEAT word that was read LATE cycles after it was due; false when it is not legal here. */
static bool take_repeat(tsp_queue *q, const isa_insn *word, int64_t late)
{
	const isa_loop *loop = &word->loop[0];
	unsigned level = q->repeats;
	int64_t inner = (int64_t)(q->insn.loop[0].count - 1) * q->insn.loop[0].interval;

	if (level >= ISA_LOOPS || (loop->count > 1 && loop->interval <= (level ? inner : 0)))
		return false;
	for (int i = 0; i < ISA_ROT_COUNT; i++) {
		if (level && (word->rot[i].step || word->rot[i].wrap))
			return false;
		if (!level)
			q->insn.rot[i] = word->rot[i];
	}
	q->insn.loop[level] = *loop;
	q->repeats++;
	q->run_first += late;
	return true;
}

/* The cycle of the next issue of the present run, SIM_NEVER when it is over. */
static int64_t next_in_run(const tsp_queue *q)
{
	const isa_loop *loop = q->insn.loop;

	if (q->i0 + 1 < loop[0].count)
		return q->run_first + (int64_t)(q->i0 + 1) * loop[0].interval;
	if (q->i1 + 1 < loop[1].count)
		return q->run_first + loop[1].interval;
	return SIM_NEVER;
}

static void rotate(tsp_queue *q)
{
	for (int i = 0; i < ISA_ROT_COUNT; i++) {
		const isa_rotation *rot = &q->insn.rot[i];

		if (!rot->step)
			continue;
		q->rot[i] += rot->step;
		if (rot->wrap) {
			q->rot[i] %= rot->wrap;
			if (q->rot[i] < 0)
				q->rot[i] += rot->wrap;
		}
	}
}

/* Makes the run's next issue the present one. */
static void step_run(tsp_queue *q)
{
	const isa_loop *loop = q->insn.loop;
	int64_t step = loop[0].step;

	if (q->i0 + 1 < loop[0].count) {
		q->i0++;
	} else {
		step = loop[1].step - (int64_t)q->i0 * loop[0].step;
		q->i0 = 0;
		q->i1++;
		q->run_first += loop[1].interval;
	}
	q->addr += step;
	q->waddr += step;
	q->index++;
	q->tag++;
	rotate(q);
}

static int64_t end_queue(tsp_queue *q)
{
	q->state = TSP_QUEUE_DONE;
	q->chip->active--;
	tsp_audit_now(q);
	return SIM_NEVER;
}

static void note_dry(tsp_queue *q, int64_t cycle, bool own)
{
	tsp_dry dry = {cycle, q->next_word, own};

	g_array_append_val(q->dry, dry);
}

/* Reports the words that were late: NOP and REPEAT words (OWN false) for the instruction before them, others for
 * themselves. */
static void report_dry(tsp_queue *q, bool own)
{
	for (guint i = 0; i < q->dry->len;) {
		const tsp_dry *dry = &g_array_index(q->dry, tsp_dry, i);

		if (dry->own != own) {
			i++;
			continue;
		}
		tsp_violate(q, ISA_VIOLATION_QUEUE_UNDERRUN, dry->cycle, TSP_NO_INSN, dry->word);
		g_array_remove_index(q->dry, i);
	}
}

/* Reads words from CYCLE on up to the next issue: sets q->next and returns the issue's cycle, SIM_NEVER at the end. The
 * present instruction stays as it is, others still look at it in this cycle. */
static int64_t read_words(tsp_queue *q, int64_t cycle)
{
	while (q->next_word < q->word_count) {
		int64_t arrival = word_arrival(q, cycle);
		int64_t late = arrival - cycle;
		bool legal = isa_decode(q->words[q->next_word], &q->ahead);
		bool is_nop = legal && q->ahead.op == ISA_OP_NOP;
		bool is_repeat = legal && q->ahead.op == ISA_OP_REPEAT;

		q->first_ahead = cycle;
		if (late)
			note_dry(q, cycle, !is_nop && !is_repeat);
		if (arrival == SIM_NEVER) {
			q->next = TSP_NEXT_DRY;
			return cycle;
		}
		q->next_word++;
		cycle = q->first_ahead = arrival;
		q->next = legal ? TSP_NEXT_WORD : TSP_NEXT_BAD_WORD;
		if (is_nop) {
			cycle += q->ahead.count;
			q->repeats = ISA_LOOPS;
			continue;
		}
		if (is_repeat) {
			q->next = TSP_NEXT_STEP;
			if (take_repeat(q, &q->ahead, late)) {
				if (next_in_run(q) == SIM_NEVER)
					continue;
				return next_in_run(q);
			}
			q->repeats = ISA_LOOPS;
			q->next = TSP_NEXT_BAD_REPEAT;
		}
		return cycle;
	}
	return end_queue(q);
}

/* The next word never comes: nothing is left to do. */
static void exec_dry(tsp_chip *chip, tsp_queue *q)
{
	(void)chip;
	end_queue(q);
}

/* Makes what was read ahead the present issue. */
static void advance(tsp_queue *q)
{
	if (G_UNLIKELY(q->dry->len))
		report_dry(q, false);
	switch (q->next) {
	case TSP_NEXT_STEP:
		step_run(q);
		return;
	case TSP_NEXT_WORD:
		begin_word(q);
		prepare(q, &q->ahead);
		break;
	case TSP_NEXT_BAD_WORD:
		begin_word(q);
		q->insn = isa_insn_make(ISA_OP_NOP, q->number, 0);
		q->repeats = ISA_LOOPS;
		fail_word(q, ISA_VIOLATION_ILLEGAL);
		break;
	case TSP_NEXT_BAD_REPEAT:
		q->insn.loop[0].count = q->insn.loop[1].count = 1;
		q->fault_detail = ISA_OP_REPEAT;
		fail_word(q, ISA_VIOLATION_ILLEGAL);
		break;
	case TSP_NEXT_DRY:
		if (q->dry->len) /* the missing word is an instruction of its own */
			begin_word(q);
		q->exec = exec_dry;
		break;
	}
	q->run_first = q->first_ahead;
	if (G_UNLIKELY(q->dry->len))
		report_dry(q, true);
}

void tsp_queue_start(tsp_queue *q)
{
	int64_t issue;

	q->repeats = ISA_LOOPS;
	q->id = TSP_NO_INSN;
	q->now = q->issue = q->resume = INT64_MIN;
	if (!q->word_count) {
		q->state = TSP_QUEUE_DONE;
		return;
	}
	q->chip->active++;
	issue = read_words(q, 0);
	if (issue != SIM_NEVER)
		sim_process_wake(q->process, issue + q->skew);
}

static void clear_use(tsp_queue *q)
{
	q->reads = q->writes = q->weight_bytes = 0;
	q->collided = false;
	for (unsigned i = 0; i < ISA_OPERANDS; i++)
		q->arrival[i] = PROBE_NO_TIME;
}

sim_time tsp_queue_run(void *state, sim_time now)
{
	tsp_queue *q = state;
	int64_t next;

	q->now = now;
	q->issue = now - q->skew;
	clear_use(q);
	advance(q);
	if (G_LIKELY(q->exec != exec_bad_word && q->exec != exec_dry) && !q->issues++)
		q->chip->first_issue = MIN(q->chip->first_issue, q->issue);
	q->exec(q->chip, q);
	if (q->state != TSP_QUEUE_RUNNING)
		return SIM_NEVER;
	q->next = TSP_NEXT_STEP;
	next = next_in_run(q);
	if (next == SIM_NEVER)
		next = read_words(q, MAX(q->issue + 1, q->resume));
	return next == SIM_NEVER ? SIM_NEVER : next + q->skew;
}

sim_time tsp_release_run(void *state, sim_time now)
{
	tsp_chip *chip = state;
	int64_t later = release_after(chip, now + 1);

	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];
		int64_t issue;

		if (q->state != TSP_QUEUE_PARKED || q->issue > now)
			continue;
		q->state = TSP_QUEUE_RUNNING;
		q->resume = now + 1;
		chip->parked--;
		issue = read_words(q, q->resume);
		if (issue != SIM_NEVER)
			sim_process_wake(q->process, issue + q->skew);
	}
	return later == SIM_NEVER ? SIM_NEVER : later - 1;
}

void tsp_release_stuck(tsp_chip *chip, int64_t now)
{
	if (!chip->parked || chip->parked < chip->active || release_after(chip, now) != SIM_NEVER)
		return;
	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];

		if (q->state != TSP_QUEUE_PARKED)
			continue;
		q->state = TSP_QUEUE_DONE;
		chip->parked--;
		chip->active--;
		tsp_violate(q, ISA_VIOLATION_ILLEGAL, q->issue, TSP_NO_INSN, q->insn.op);
	}
}
