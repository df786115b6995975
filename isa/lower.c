/* SPDX-License-Identifier: Apache-2.0
 *
 * From absolute cycles to instruction queues: each queue's instructions in order of issue, NOP words for the time
 * between, REPEAT words for loops, SYNC and NOTIFY at the start where the machine has a barrier, IFETCH where its
 * queues are finite.
 *
 * When a queue reads its words (docs/design.md): the word after an instruction, or after the last issue that a REPEAT
 * makes, is read one cycle later; a NOP of n is read in the first of its n cycles; the word after SYNC or NOTIFY is
 * read at the release.  A word leaves the queue when it is read.  IFETCH is put at the first free cycle (one that a NOP
 * would fill) in which the words it brings have room: nowhere else would they arrive earlier.  An IFETCH that the
 * container holds already counts like an inserted one, so lowering twice changes nothing.
 */
#include "isa/program_int.h"
#include "isa/format.h"

#include <stdlib.h>

#define I64 "%" G_GINT64_FORMAT

typedef struct slot {
	int64_t cycle;
	uint32_t id;
} slot;

typedef struct writer {
	isa_program *program;
	const isa_machine *machine;
	unsigned queue;
	uint32_t icu_node;
	GArray *words; /* isa_word */
	GArray *ids;   /* uint32_t */
	/* finite queues only */
	GArray *fetches;    /* int64_t: issue cycles */
	uint64_t limit;     /* words begun with and fetched so far */
	uint64_t remaining; /* words still to be written if no IFETCH is added */
} writer;

static const char *queue_name(const writer *w)
{
	return isa_machine_queue(w->machine, w->queue)->name;
}

static void describe(const writer *w, uint32_t id, GString *text)
{
	const isa_insn *insn = isa_program_insn(w->program, id);
	uint32_t node = g_array_index(w->program->node_of, uint32_t, id);

	g_string_append_printf(text, "@" I64 " %s: %s", insn->cycle, queue_name(w), isa_ops[insn->op].mnemonic);
	if (node < w->program->nodes->len)
		g_string_append_printf(text, " (%s)", g_array_index(w->program->nodes, isa_node, node).name);
}

static bool fail_insn(const writer *w, uint32_t id, GError **error, const char *why)
{
	g_autoptr(GString) text = g_string_new(NULL);

	describe(w, id, text);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s", text->str, why);
	return false;
}

static bool is_barrier(const isa_insn *insn)
{
	return insn->op == ISA_OP_SYNC || insn->op == ISA_OP_NOTIFY;
}

/* The last cycle in which INSN occupies its queue. */
static int64_t busy_until(const writer *w, const isa_insn *insn)
{
	return is_barrier(insn) ? insn->cycle + w->machine->icu_barrier_cycles - 1 : isa_insn_last(insn);
}

static unsigned repeat_words(const isa_insn *insn)
{
	return insn->loop[1].count > 1 ? 2 : insn->loop[0].count > 1 ? 1 : 0;
}

static uint32_t nop_max(void)
{
	return (UINT32_C(1) << isa_formats[ISA_FORMAT_NOP].fields[0].bits) - 1;
}

static uint64_t nop_words(int64_t cycles)
{
	return ((uint64_t)cycles + nop_max() - 1) / nop_max();
}

/* Is INSN one that this queue of this machine can hold at all? */
static bool check_place(const writer *w, uint32_t id, GError **error)
{
	const isa_insn *insn = isa_program_insn(w->program, id);
	const isa_op_info *op = &isa_ops[insn->op];
	const isa_machine *m = w->machine;

	if (insn->op == ISA_OP_NOP || insn->op == ISA_OP_REPEAT)
		return fail_insn(w, id, error,
		                 "nop and repeat do not stand in a container, they follow from cycles and loops");
	if (op->unit != ISA_UNIT_ICU && op->unit != isa_machine_queue(m, w->queue)->unit)
		return fail_insn(w, id, error, "this queue belongs to another unit");
	if ((op->need == ISA_NEED_HASHED && !m->hashed) || (op->need == ISA_NEED_DIRECT && m->hashed))
		return fail_insn(w, id, error,
		                 m->hashed ? "needs MEM slices, this machine has a flat hashed SRAM"
		                           : "needs a flat hashed SRAM, this machine has MEM slices");
	if (op->need == ISA_NEED_STREAM && !m->streams)
		return fail_insn(w, id, error, "needs streams, this machine has none");
	if (is_barrier(insn) && !m->icu_barrier_cycles)
		return fail_insn(w, id, error, "this machine has no barrier (icu.barrier_cycles = 0)");
	if (insn->op == ISA_OP_IFETCH && !m->icu_queue_words)
		return fail_insn(w, id, error, "this machine's fetch is ideal (icu.queue_words = 0)");
	return true;
}

static bool check_time(const writer *w, uint32_t id, GError **error)
{
	const isa_insn *insn = isa_program_insn(w->program, id);
	const isa_loop *loop = insn->loop;
	int64_t first = w->machine->icu_barrier_cycles;

	if (loop[0].count < 1 || loop[1].count < 1)
		return fail_insn(w, id, error, "a loop of 0 issues");
	if (is_barrier(insn)) {
		if (insn->cycle || isa_insn_issues(insn) != 1)
			return fail_insn(w, id, error, "sync and notify stand at cycle 0, once");
		return true;
	}
	if (insn->cycle < first) {
		g_autofree char *why =
			g_strdup_printf("issues before cycle " I64 ", the first after the barrier", first);

		return fail_insn(w, id, error, first ? why : "issues before cycle 0");
	}
	if (insn->cycle >= ISA_CYCLE_MAX)
		return fail_insn(w, id, error, "issues later than a container can say");
	if (loop[0].count > 1 && !loop[0].interval)
		return fail_insn(w, id, error, "two issues in one cycle (interval 0)");
	if (loop[1].count > 1 && loop[1].interval <= (uint64_t)(loop[0].count - 1) * loop[0].interval)
		return fail_insn(w, id, error, "the outer loop begins again before the inner one has ended");
	if (insn->op == ISA_OP_IFETCH && isa_insn_issues(insn) != 1)
		return fail_insn(w, id, error, "ifetch does not repeat");
	return true;
}

static void add_word(writer *w, isa_word word)
{
	g_array_append_val(w->words, word);
}

/* Is the next word there when the queue reads it at CYCLE? */
static bool word_arrives(const writer *w, int64_t cycle, GError **error)
{
	uint64_t index = w->words->len;
	uint64_t capacity = (uint64_t)w->machine->icu_queue_words;
	uint64_t fetch_words = (uint64_t)w->machine->icu_ifetch_words;
	int64_t arrival;

	if (!capacity || index < capacity)
		return true;
	if (index >= w->limit) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "queue %s runs dry at cycle " I64 ": there was no free cycle in which an ifetch had room",
		            queue_name(w), cycle);
		return false;
	}
	index -= capacity;
	arrival = g_array_index(w->fetches, int64_t, index / fetch_words) + w->machine->icu_ifetch_cycles +
	          (int64_t)(index % fetch_words);
	if (arrival <= cycle)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "queue %s runs dry at cycle " I64 ": its next word arrives at " I64 ", from the ifetch at " I64,
	            queue_name(w), cycle, arrival, g_array_index(w->fetches, int64_t, index / fetch_words));
	return false;
}

/* Would the words of an IFETCH find room if it were the next word to be read? */
static bool has_room(const writer *w)
{
	uint64_t held = w->limit - (w->words->len + 1);

	return held + (uint64_t)w->machine->icu_ifetch_words <= (uint64_t)w->machine->icu_queue_words;
}

static void note_fetch(writer *w, int64_t cycle)
{
	g_array_append_val(w->fetches, cycle);
	w->limit += (uint64_t)w->machine->icu_ifetch_words;
}

/* Adds an instruction of the ICU's own to the container and to the queue. */
static void insert(writer *w, enum isa_op op, int64_t cycle)
{
	isa_insn insn = isa_insn_make(op, w->queue, cycle);
	uint32_t id = isa_program_add(w->program, &insn, w->icu_node);
	isa_word word = {0, 0};

	isa_encode(&insn, &word, NULL); /* no fields: cannot fail */
	add_word(w, word);
	g_array_append_val(w->ids, id);
}

/* Fills cycles FROM..TO-1 with NOP, and with IFETCH while more words are needed and have room. */
static bool fill_gap(writer *w, int64_t from, int64_t to, GError **error)
{
	w->remaining -= from < to ? nop_words(to - from) : 0;
	while (from < to) {
		uint64_t rest = w->words->len + nop_words(to - from) + w->remaining;
		uint32_t cycles;

		if (!word_arrives(w, from, error))
			return false;
		if (w->machine->icu_queue_words && rest > w->limit && has_room(w)) {
			insert(w, ISA_OP_IFETCH, from);
			note_fetch(w, from);
			from++;
			continue;
		}
		cycles = (uint32_t)MIN(to - from, (int64_t)nop_max());
		add_word(w, isa_encode_nop(cycles));
		from += cycles;
	}
	return true;
}

/* Writes instruction ID and its REPEAT words. */
static bool write_insn(writer *w, uint32_t id, GError **error)
{
	const isa_insn *insn = isa_program_insn(w->program, id);
	int64_t inner_last = insn->cycle + (int64_t)(insn->loop[0].count - 1) * insn->loop[0].interval;
	isa_word word;

	w->remaining -= 1 + repeat_words(insn);
	if (!word_arrives(w, insn->cycle, error))
		return false;
	if (!isa_encode(insn, &word, error)) {
		g_prefix_error(error, "@" I64 " %s: ", insn->cycle, queue_name(w));
		return false;
	}
	if (insn->op == ISA_OP_IFETCH) {
		if (!has_room(w))
			return fail_insn(w, id, error, "the queue has no room for the words it brings");
		note_fetch(w, insn->cycle);
	}
	add_word(w, word);
	g_array_append_val(w->ids, id);
	for (unsigned level = 0; level < repeat_words(insn); level++) {
		if (!word_arrives(w, (level ? inner_last : insn->cycle) + 1, error))
			return false;
		if (!isa_encode_repeat(insn, (int)level, &word, error)) {
			g_prefix_error(error, "@" I64 " %s: %s: ", insn->cycle, queue_name(w),
			               isa_ops[insn->op].mnemonic);
			return false;
		}
		add_word(w, word);
	}
	return true;
}

static int compare_slots(const void *a, const void *b)
{
	const slot *x = a;
	const slot *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Sorts the queue's instructions and checks that each can be there at its time. */
static bool arrange(const writer *w, GArray *slots, GError **error)
{
	bool sorted = true;

	for (guint i = 0; i < slots->len; i++) {
		const slot *s = &g_array_index(slots, slot, i);

		if (!check_place(w, s->id, error) || !check_time(w, s->id, error))
			return false;
		sorted = sorted && (!i || compare_slots(s - 1, s) < 0);
	}
	if (!sorted)
		qsort(slots->data, slots->len, sizeof(slot), compare_slots);
	for (guint i = 1; i < slots->len; i++) {
		const slot *s = &g_array_index(slots, slot, i);
		int64_t busy = busy_until(w, isa_program_insn(w->program, s[-1].id));
		g_autoptr(GString) text = NULL;

		if (s->cycle > busy)
			continue;
		text = g_string_new(NULL);
		describe(w, s[-1].id, text);
		g_string_append_printf(text, " occupies the queue to cycle " I64 ", ", busy);
		describe(w, s->id, text);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s needs it too", text->str);
		return false;
	}
	return true;
}

/* How many words will the queue have without any further IFETCH?  CURSOR is where it begins. */
static uint64_t count_words(const writer *w, const GArray *slots, int64_t cursor)
{
	uint64_t count = 0;

	for (guint i = 0; i < slots->len; i++) {
		const slot *s = &g_array_index(slots, slot, i);
		const isa_insn *insn = isa_program_insn(w->program, s->id);

		count += nop_words(s->cycle - cursor) + 1 + repeat_words(insn);
		cursor = busy_until(w, insn) + 1;
	}
	return count;
}

/* Writes one queue.  BARRIER is what to put at its head: SYNC, NOTIFY, or NOP for nothing. */
static bool write_queue(writer *w, GArray *slots, enum isa_op barrier, GError **error)
{
	int64_t cursor = 0;

	w->limit = (uint64_t)w->machine->icu_queue_words;
	g_array_set_size(w->fetches, 0);
	if (!slots->len)
		return true;
	if (!arrange(w, slots, error))
		return false;
	if (barrier != ISA_OP_NOP) {
		insert(w, barrier, 0);
		cursor = w->machine->icu_barrier_cycles;
	}
	w->remaining = count_words(w, slots, cursor);
	for (guint i = 0; i < slots->len; i++) {
		slot s = g_array_index(slots, slot, i);

		if (!fill_gap(w, cursor, s.cycle, error) || !write_insn(w, s.id, error))
			return false;
		cursor = busy_until(w, isa_program_insn(w->program, s.id)) + 1;
	}
	return true;
}

/* The node that SYNC, NOTIFY and IFETCH belong to; made only when there is something to insert. */
static uint32_t icu_node(isa_program *program)
{
	for (uint32_t i = 0; i < program->nodes->len; i++)
		if (g_strcmp0(g_array_index(program->nodes, isa_node, i).name, "icu") == 0)
			return i;
	return isa_program_add_node(program, "icu", 0);
}

/* What must stand at the head of a queue that does not begin with SYNC or NOTIFY yet?  The first used queue of a
 * program without NOTIFY gets that, all others SYNC. */
static enum isa_op barrier_for(const isa_program *program, const isa_machine *machine, const GArray *slots,
                               bool *notified)
{
	if (!machine->icu_barrier_cycles || !slots->len)
		return ISA_OP_NOP;
	for (guint i = 0; i < slots->len; i++)
		if (is_barrier(isa_program_insn(program, g_array_index(slots, slot, i).id)))
			return ISA_OP_NOP;
	if (*notified)
		return ISA_OP_SYNC;
	*notified = true;
	return ISA_OP_NOTIFY;
}

/* Sorts instruction ids by queue.  An array of GArray of slot, NULL on error. */
static GPtrArray *split(const isa_program *program, const isa_machine *machine, bool *notified, GError **error)
{
	unsigned count = isa_machine_queue_count(machine);
	GPtrArray *queues = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	*notified = false;
	for (unsigned q = 0; q < count; q++)
		g_ptr_array_add(queues, g_array_new(FALSE, FALSE, sizeof(slot)));
	for (uint32_t id = 0; id < program->insns->len; id++) {
		const isa_insn *insn = isa_program_insn(program, id);
		slot s = {insn->cycle, id};

		if (insn->queue >= count || insn->op >= ISA_OP_COUNT) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "instruction %u: %s %u does not exist on machine %s", id,
			            insn->queue >= count ? "queue" : "operation",
			            insn->queue >= count ? insn->queue : insn->op, machine->name);
			g_ptr_array_unref(queues);
			return NULL;
		}
		*notified = *notified || insn->op == ISA_OP_NOTIFY;
		g_array_append_val(g_ptr_array_index(queues, insn->queue), s);
	}
	return queues;
}

bool isa_lower(isa_program *program, const isa_machine *machine, GError **error)
{
	writer w = {.program = program, .machine = machine};
	bool notified, ok = true;
	g_autoptr(GPtrArray) queues = split(program, machine, &notified, error);

	if (!queues)
		return false;
	g_ptr_array_set_size(program->queues, 0);
	g_ptr_array_set_size(program->queue_insns, 0);
	if (program->insns->len && (machine->icu_barrier_cycles || machine->icu_queue_words))
		w.icu_node = icu_node(program);
	w.fetches = g_array_new(FALSE, FALSE, sizeof(int64_t));
	for (w.queue = 0; ok && w.queue < queues->len; w.queue++) {
		GArray *slots = g_ptr_array_index(queues, w.queue);
		enum isa_op barrier = barrier_for(program, machine, slots, &notified);

		w.words = g_array_new(FALSE, FALSE, sizeof(isa_word));
		w.ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		g_ptr_array_add(program->queues, w.words);
		g_ptr_array_add(program->queue_insns, w.ids);
		ok = write_queue(&w, slots, barrier, error);
	}
	g_array_unref(w.fetches);
	if (!ok) {
		g_ptr_array_set_size(program->queues, 0);
		g_ptr_array_set_size(program->queue_insns, 0);
	}
	return ok;
}
