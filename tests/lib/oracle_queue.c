/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's instruction control: in which cycle does each issue of each instruction really happen?
 *
 * With ideal fetch and the barrier the container was made for, in the cycle the container says.  Otherwise the words of
 * a queue are counted out one by one: NOPs for the gaps, one word an instruction, one a loop, and each must have
 * arrived before it can be read.  No word is encoded or decoded here.
 */
#include "tests/lib/oracle_int.h"

#define I64 "%" G_GINT64_FORMAT

enum { OR_NOP_MAX = (1 << 24) - 1 };

/* A queue while it is read. */
typedef struct reader {
	or_run *run;
	unsigned queue;
	uint64_t words;       /* read so far */
	GArray *fetches;      /* int64_t: actual issue cycles of the IFETCHes so far */
	int64_t container;    /* cycle at which the container has the next word read */
	int64_t actual;       /* and the cycle in which the queue is really ready for it */
	const isa_insn *last; /* instruction read last: words without one count as its */
	int64_t release;      /* INT64_MAX until a NOTIFY is known */
} reader;

/* When is word number WORD readable?  INT64_MIN: from the start.  INT64_MAX: never. */
static int64_t readable(const reader *r, uint64_t word)
{
	const isa_machine *hw = r->run->hw;
	uint64_t fetch, at;

	if (!hw->icu_queue_words || word < (uint64_t)hw->icu_queue_words)
		return INT64_MIN;
	word -= (uint64_t)hw->icu_queue_words;
	fetch = word / (uint64_t)hw->icu_ifetch_words;
	at = word % (uint64_t)hw->icu_ifetch_words;
	if (fetch >= r->fetches->len)
		return INT64_MAX;
	return g_array_index(r->fetches, int64_t, fetch) + hw->icu_ifetch_cycles + (int64_t)at;
}

static void word_violation(const reader *r, const isa_insn *insn, int64_t cycle, enum isa_violation kind)
{
	or_issue where = {.insn = insn};

	where.record.insn = insn ? (uint32_t)(insn - isa_program_insn(r->run->program, 0)) : UINT32_MAX;
	where.record.queue = (uint16_t)r->queue;
	or_violate_at(r->run, &where, cycle, kind, UINT32_MAX, (int64_t)r->words);
}

/* The next word is to be read in cycle CYCLE: returns when it is.  INT64_MAX when it never arrives. */
static int64_t read_word(reader *r, const isa_insn *insn, int64_t cycle)
{
	int64_t there = readable(r, r->words);

	if (there > cycle) {
		word_violation(r, insn, cycle, ISA_VIOLATION_QUEUE_UNDERRUN);
		cycle = there;
	}
	r->words++;
	return cycle;
}

static void add_issue(const reader *r, uint32_t id, uint64_t i, int64_t cycle)
{
	const isa_program *p = r->run->program;
	const isa_insn *insn = isa_program_insn(p, id);
	or_issue *issue = g_new0(or_issue, 1);

	issue->insn = insn;
	issue->queue = isa_machine_queue(r->run->hw, insn->queue);
	issue->i0 = i % insn->loop[0].count;
	issue->i1 = i / insn->loop[0].count;
	issue->tag = isa_program_instance(p, id) + (uint32_t)i;
	issue->record = (probe_issue){.cycle = cycle, .insn = id, .index = (uint32_t)i, .queue = insn->queue};
	issue->record.result = PROBE_NO_TIME;
	for (unsigned k = 0; k < 3; k++)
		issue->record.arrival[k] = PROBE_NO_TIME;
	g_ptr_array_add(r->run->issues, issue);
}

/* The NOPs before container cycle CYCLE. */
static bool idle_until(reader *r, int64_t cycle)
{
	while (r->container < cycle) {
		int64_t n = MIN(cycle - r->container, (int64_t)OR_NOP_MAX);
		int64_t at = read_word(r, r->last, r->actual);

		if (at == INT64_MAX)
			return false;
		r->container += n;
		r->actual = at + n;
	}
	return true;
}

static bool read_barrier(reader *r, uint32_t id, int64_t sched_barrier)
{
	r->last = isa_program_insn(r->run->program, id);
	add_issue(r, id, 0, read_word(r, r->last, r->actual));
	r->container = sched_barrier;
	r->actual = r->release;
	return r->release != INT64_MAX;
}

/* The words of an IFETCH need room beside those that are there or on their way; the IFETCH itself has been read. */
static void fetch(reader *r, const isa_insn *insn, int64_t cycle)
{
	const isa_machine *hw = r->run->hw;
	uint64_t brought = (uint64_t)hw->icu_queue_words + r->fetches->len * (uint64_t)hw->icu_ifetch_words;

	if (hw->icu_queue_words && brought - r->words + (uint64_t)hw->icu_ifetch_words > (uint64_t)hw->icu_queue_words)
		word_violation(r, insn, cycle, ISA_VIOLATION_PORT_OVERUSE);
	g_array_append_val(r->fetches, cycle);
}

/* One instruction with its loops.  False when the queue stops for ever. */
static bool read_insn(reader *r, uint32_t id, int64_t sched_barrier)
{
	const isa_insn *insn = isa_program_insn(r->run->program, id);
	uint64_t inner = insn->loop[0].count, outer = insn->loop[1].count;
	int64_t first, repeat;

	if (insn->op == ISA_OP_SYNC || insn->op == ISA_OP_NOTIFY)
		return read_barrier(r, id, sched_barrier);
	if (!idle_until(r, insn->cycle))
		return false;
	r->last = insn;
	first = read_word(r, insn, r->actual);
	if (first == INT64_MAX)
		return false;
	if (insn->op == ISA_OP_IFETCH)
		fetch(r, insn, first);
	add_issue(r, id, 0, first);
	r->container = isa_insn_last(insn) + 1;
	r->actual = first + 1;
	if (inner == 1 && outer == 1)
		return true;

	/* A REPEAT word that arrives late moves the issues it makes, and everything after them, by its delay. */
	repeat = read_word(r, insn, r->actual);
	if (repeat == INT64_MAX)
		return false;
	first += repeat - r->actual;
	for (uint64_t i = 1; i < inner; i++)
		add_issue(r, id, i, first + isa_insn_offset(insn, i));
	r->actual = first + isa_insn_offset(insn, inner - 1) + 1;
	if (outer == 1)
		return true;
	repeat = read_word(r, insn, r->actual);
	if (repeat == INT64_MAX)
		return false;
	first += repeat - r->actual;
	for (uint64_t i = inner; i < inner * outer; i++)
		add_issue(r, id, i, first + isa_insn_offset(insn, i));
	r->actual = first + isa_insn_offset(insn, inner * outer - 1) + 1;
	return true;
}

static int compare_ids(gconstpointer a, gconstpointer b, gpointer program)
{
	const isa_insn *x = isa_program_insn(program, *(const uint32_t *)a);
	const isa_insn *y = isa_program_insn(program, *(const uint32_t *)b);

	return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

static int compare_issues(gconstpointer a, gconstpointer b)
{
	const probe_issue *x = &(*(or_issue *const *)a)->record;
	const probe_issue *y = &(*(or_issue *const *)b)->record;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return (int)x->queue - (int)y->queue;
}

static void read_queue(or_run *run, unsigned queue, int64_t release, int64_t sched_barrier)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	reader r = {.run = run, .queue = queue, .release = release};

	for (uint32_t id = 0; id < run->program->insns->len; id++)
		if (isa_program_insn(run->program, id)->queue == queue)
			g_array_append_val(ids, id);
	g_array_sort_with_data(ids, compare_ids, (gpointer)run->program);
	r.fetches = g_array_new(FALSE, FALSE, sizeof(int64_t));
	for (unsigned i = 0; i < ids->len; i++)
		if (!read_insn(&r, g_array_index(ids, uint32_t, i), sched_barrier))
			break;
	g_array_unref(r.fetches);
}

bool or_enumerate(or_run *run, GError **error)
{
	const isa_machine *sched = run->options.sched ? run->options.sched : run->hw;
	unsigned queues = isa_machine_queue_count(run->hw);
	int64_t release = INT64_MAX;

	for (uint32_t id = 0; id < run->program->insns->len; id++) {
		const isa_insn *insn = isa_program_insn(run->program, id);

		if (insn->queue >= queues || insn->op >= ISA_OP_COUNT) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "instruction %u: no such queue or operation", id);
			return false;
		}
		if (insn->op == ISA_OP_NOTIFY)
			release = insn->cycle + run->hw->icu_barrier_cycles;
	}
	for (unsigned q = 0; q < queues; q++)
		read_queue(run, q, release, sched->icu_barrier_cycles);
	g_ptr_array_sort(run->issues, compare_issues);
	return true;
}
