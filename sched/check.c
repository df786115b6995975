/* SPDX-License-Identifier: Apache-2.0
 *
 * The independent checker: replays a program's container against the machine it was scheduled for.
 *
 * Found are: queues needed twice in a cycle or by the wrong unit, places and addresses that do not exist, operands that
 * are late, were replaced or come from another producer than named, ports, banks, planes and links used beyond what
 * they have, results that outlive their epoch, and predictions that differ from the checker's own times.  Instruction
 * queues (encoding, fetching, the barrier's release) are not looked at: isa_lower() does that.
 */
#include "sched/check.h"

#include <stdlib.h>

#define I64 "%" G_GINT64_FORMAT

void check_offend(check *c, const check_issue *issue, const char *format, ...)
{
	va_list arguments;

	if (c->offences++ >= c->limit)
		return;
	g_string_append_printf(c->report, "@" I64 " %s: %s (instruction %u, issue %u): ", issue->t, issue->queue->name,
	                       isa_ops[issue->insn->op].mnemonic, issue->id, issue->index);
	va_start(arguments, format);
	g_string_append_vprintf(c->report, format, arguments);
	va_end(arguments);
	g_string_append_c(c->report, '\n');
}

bool check_named(const check *c, const check_issue *issue, unsigned operand, unsigned segment, uint32_t *instance)
{
	guint at = issue->id * ISA_OPERANDS + operand;
	const isa_source *s = NULL;
	uint32_t first = g_array_index(c->p->first_source, uint32_t, at);
	unsigned count = g_array_index(c->p->source_count, uint8_t, at);

	for (unsigned i = 0; i < count; i++) {
		s = &g_array_index(c->p->sources, isa_source, first + i);
		if (!s->segments || segment < s->segments)
			break;
		segment -= s->segments;
		s = NULL;
	}
	if (!s)
		return false;
	*instance = s->resident ? 0
	                        : s->base + issue->i0 * (uint32_t)s->step0 + issue->i1 * (uint32_t)s->step1 +
	                                  segment / s->seg_div * (uint32_t)s->seg_step;
	return true;
}

/* -------------------------------------------------------------------------------------- single instructions */

/* Which SXM or MXM queue may hold OP? */
static bool fits_role(const isa_insn *insn, const isa_queue_info *queue)
{
	static const uint8_t sxm[] = {ISA_OP_SHIFT,      ISA_OP_SELECT, ISA_OP_PERMUTE,
	                              ISA_OP_DISTRIBUTE, ISA_OP_ROTATE, ISA_OP_TRANSPOSE};

	if (queue->unit == ISA_UNIT_SXM)
		return sxm[queue->role] == insn->op;
	if (queue->unit != ISA_UNIT_MXM)
		return true;
	if (insn->op == ISA_OP_LW || insn->op == ISA_OP_IW)
		return queue->role == 0;
	return queue->role == (insn->op == ISA_OP_ABC ? 1 : 2);
}

static bool fits_queue(const check *c, const isa_insn *insn, const isa_queue_info *queue)
{
	const isa_op_info *op = &isa_ops[insn->op];

	if (op->unit == ISA_UNIT_ICU)
		return insn->op != ISA_OP_NOP && insn->op != ISA_OP_REPEAT;
	if (op->unit != queue->unit || !fits_role(insn, queue))
		return false;
	if (op->need == ISA_NEED_DIRECT)
		return !c->m->hashed;
	return op->need != ISA_NEED_HASHED || c->m->hashed;
}

static int64_t occupied_until(const check *c, const isa_insn *insn)
{
	bool barrier = insn->op == ISA_OP_SYNC || insn->op == ISA_OP_NOTIFY;

	return barrier ? insn->cycle + c->m->icu_barrier_cycles - 1 : isa_insn_last(insn);
}

static check_issue first_issue(const check *c, uint32_t id)
{
	const isa_insn *insn = isa_program_insn(c->p, id);

	return (check_issue){.insn = insn, .queue = isa_machine_queue(c->m, insn->queue), .id = id, .t = insn->cycle};
}

static void check_insn(check *c, uint32_t id)
{
	check_issue issue = first_issue(c, id);
	const isa_insn *insn = issue.insn;
	const isa_loop *loop = insn->loop;
	bool barrier = insn->op == ISA_OP_SYNC || insn->op == ISA_OP_NOTIFY;

	if (!fits_queue(c, insn, issue.queue))
		check_offend(c, &issue, "does not belong into this queue");
	if (!barrier && insn->cycle < c->m->icu_barrier_cycles)
		check_offend(c, &issue, "issues before the barrier is passed, in cycle " I64, c->m->icu_barrier_cycles);
	if ((loop[0].count > 1 && !loop[0].interval) ||
	    (loop[1].count > 1 && loop[1].interval <= (uint64_t)(loop[0].count - 1) * loop[0].interval))
		check_offend(c, &issue, "its loops overlap");
}

/* ------------------------------------------------------------------------------------------------- all issues */

/* Where a queue stands. */
typedef struct cursor {
	GArray *ids; /* uint32_t, by cycle */
	guint at;
	uint32_t index, i0, i1; /* of the next issue */
	int64_t q;              /* when it samples; INT64_MAX at the end */
} cursor;

static const isa_program *sorting; /* qsort has no context */

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t s = isa_program_insn(sorting, x)->cycle, t = isa_program_insn(sorting, y)->cycle;

	return s != t ? (s > t) - (s < t) : (x > y) - (x < y);
}

static void set_time(const check *c, cursor *u)
{
	const isa_insn *insn;

	if (u->at >= u->ids->len) {
		u->q = INT64_MAX;
		return;
	}
	insn = isa_program_insn(c->p, g_array_index(u->ids, uint32_t, u->at));
	u->q = insn->cycle + (int64_t)u->i0 * insn->loop[0].interval + (int64_t)u->i1 * insn->loop[1].interval +
	       isa_machine_skew(c->m, isa_ops[insn->op].unit);
}

static void step_cursor(const check *c, cursor *u)
{
	const isa_insn *insn = isa_program_insn(c->p, g_array_index(u->ids, uint32_t, u->at));

	u->index++;
	if (++u->i0 == insn->loop[0].count) {
		u->i0 = 0;
		u->i1++;
	}
	if (u->i1 == insn->loop[1].count) {
		u->at++;
		u->index = u->i0 = u->i1 = 0;
	}
	set_time(c, u);
}

static unsigned rotated(unsigned place, const isa_rotation *rotation, uint32_t index)
{
	int64_t by = (int64_t)index * rotation->step;

	if (isa_place_kind(place) != ISA_PLACE_KIND_VREG)
		return place;
	if (rotation->wrap)
		by = (by % rotation->wrap + rotation->wrap) % rotation->wrap;
	return (unsigned)((int64_t)place + by);
}

static check_issue issue_at(const check *c, const cursor *u)
{
	uint32_t id = g_array_index(u->ids, uint32_t, u->at);
	check_issue issue = first_issue(c, id);
	const isa_insn *insn = issue.insn;
	uint32_t step = u->i0 * (uint32_t)insn->loop[0].step + u->i1 * (uint32_t)insn->loop[1].step;

	issue.index = u->index;
	issue.i0 = u->i0;
	issue.i1 = u->i1;
	issue.instance = isa_program_instance(c->p, id) + u->index;
	issue.q = u->q;
	issue.t = u->q - isa_machine_skew(c->m, isa_ops[insn->op].unit);
	issue.addr = insn->addr + step;
	issue.waddr = insn->waddr + step;
	issue.dst = rotated(insn->dst, &insn->rot[ISA_ROT_DST], u->index);
	issue.src0 = rotated(insn->src0, &insn->rot[ISA_ROT_SRC0], u->index);
	issue.src1 = rotated(insn->src1, &insn->rot[ISA_ROT_SRC1], u->index);
	for (unsigned o = 0; o < ISA_OPERANDS; o++)
		issue.arrival[o] = ISA_NO_TIME;
	issue.result = ISA_NO_TIME;
	return issue;
}

static void compare_time(check *c, const check_issue *issue, const char *what, int64_t predicted, int64_t found)
{
	if (predicted == ISA_NO_TIME || predicted == found)
		return;
	if (found == ISA_NO_TIME)
		check_offend(c, issue, "%s is predicted, but there is none", what);
	else
		check_offend(c, issue, "%s is predicted for cycle " I64 " and comes in " I64, what,
		             issue->t + predicted, issue->t + found);
}

static void compare_predictions(check *c, const check_issue *issue)
{
	static const char *const names[ISA_OPERANDS] = {"arrival of operand 0", "arrival of operand 1",
	                                                "arrival of operand 2"};
	const isa_prediction *prediction;

	if (issue->id >= c->p->predictions->len)
		return;
	prediction = &g_array_index(c->p->predictions, isa_prediction, issue->id);
	for (unsigned o = 0; o < ISA_OPERANDS; o++)
		compare_time(c, issue, names[o], prediction->arrival[o], issue->arrival[o]);
	compare_time(c, issue, "the result", prediction->result, issue->result);
	if (prediction->beats && prediction->beats != issue->beats)
		check_offend(c, issue, "%d beats are predicted, it takes %d", prediction->beats, issue->beats);
}

/* Epochs begin before any issue of their first cycle. */
static void advance_epoch(check *c, int64_t cycle)
{
	while (c->epoch + 1 < c->p->epochs->len &&
	       g_array_index(c->p->epochs, isa_epoch, c->epoch + 1).start <= cycle) {
		c->epoch++;
		check_memory_epoch(c);
	}
}

static void check_epoch_end(check *c, const check_issue *issue)
{
	const isa_epoch *epoch;

	if (issue->result == ISA_NO_TIME || c->epoch >= c->p->epochs->len)
		return;
	epoch = &g_array_index(c->p->epochs, isa_epoch, c->epoch);
	if (issue->t + issue->result > epoch->end)
		check_offend(c, issue, "its result comes in cycle " I64 ", after the end of epoch %s in " I64,
		             issue->t + issue->result, epoch->name, epoch->end);
}

static void replay(check *c, check_issue *issue)
{
	advance_epoch(c, issue->q);
	if (!fits_queue(c, issue->insn, issue->queue))
		return; /* said by check_insn() */
	switch (isa_ops[issue->insn->op].unit) {
	case ISA_UNIT_MEM:
		check_memory(c, issue);
		break;
	case ISA_UNIT_VXM:
		check_vxm(c, issue);
		break;
	case ISA_UNIT_MXM:
		check_mxm(c, issue);
		break;
	case ISA_UNIT_SXM:
		check_sxm(c, issue);
		break;
	case ISA_UNIT_C2C:
		check_c2c(c, issue);
		break;
	default:
		return;
	}
	compare_predictions(c, issue);
	check_epoch_end(c, issue);
}

/* ---------------------------------------------------------------------------------------- a heap of queues */

static bool earlier(const cursor *u, unsigned a, unsigned b)
{
	return u[a].q != u[b].q ? u[a].q < u[b].q : a < b;
}

static void sift(const cursor *u, unsigned *heap, unsigned count, unsigned at)
{
	for (;;) {
		unsigned least = at, left = 2 * at + 1;

		if (left < count && earlier(u, heap[left], heap[least]))
			least = left;
		if (left + 1 < count && earlier(u, heap[left + 1], heap[least]))
			least = left + 1;
		if (least == at)
			return;
		unsigned other = heap[at];

		heap[at] = heap[least];
		heap[least] = other;
		at = least;
	}
}

static void replay_all(check *c, cursor *cursors, unsigned count)
{
	g_autofree unsigned *heap = g_new(unsigned, count);

	for (unsigned i = 0; i < count; i++)
		heap[i] = i;
	for (unsigned i = count; i-- > 0;)
		sift(cursors, heap, count, i);
	while (count && cursors[heap[0]].q != INT64_MAX) {
		check_issue issue = issue_at(c, &cursors[heap[0]]);

		replay(c, &issue);
		step_cursor(c, &cursors[heap[0]]);
		sift(cursors, heap, count, 0);
	}
}

/* Sorts instructions into queues and checks that each queue is needed once a cycle. */
static cursor *sort_queues(check *c, unsigned count)
{
	cursor *cursors = g_new0(cursor, count);

	for (unsigned i = 0; i < count; i++)
		cursors[i].ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t id = 0; id < c->p->insns->len; id++) {
		check_insn(c, id);
		g_array_append_val(cursors[isa_program_insn(c->p, id)->queue].ids, id);
	}
	sorting = c->p;
	for (unsigned i = 0; i < count; i++) {
		GArray *ids = cursors[i].ids;

		if (ids->len)
			qsort(ids->data, ids->len, sizeof(uint32_t), compare_ids);
		for (guint k = 1; k < ids->len; k++) {
			check_issue issue = first_issue(c, g_array_index(ids, uint32_t, k));
			uint32_t before = g_array_index(ids, uint32_t, k - 1);
			int64_t until = occupied_until(c, isa_program_insn(c->p, before));

			if (issue.t <= until)
				check_offend(c, &issue, "instruction %u occupies the queue to cycle " I64, before,
				             until);
		}
		set_time(c, &cursors[i]);
	}
	return cursors;
}

static bool is_sound(const check *c, GString *report)
{
	unsigned queues = isa_machine_queue_count(c->m);

	for (uint32_t id = 0; id < c->p->insns->len; id++) {
		const isa_insn *insn = isa_program_insn(c->p, id);

		if (insn->queue < queues && insn->op < ISA_OP_COUNT && insn->loop[0].count && insn->loop[1].count)
			continue;
		g_string_append_printf(report, "instruction %u: its queue, operation or loops do not exist\n", id);
		return false;
	}
	return true;
}

bool sched_check(const isa_program *program, const isa_machine *machine, GString *report, unsigned count)
{
	check c = {.p = program, .m = machine, .report = report, .limit = count};
	g_autoptr(GError) error = NULL;
	unsigned queues = isa_machine_queue_count(machine);
	cursor *cursors;

	if (!is_sound(&c, report))
		return false;
	if (!check_memory_init(&c, &error)) {
		g_string_append_printf(report, "%s\n", error->message);
		return false;
	}
	check_places_init(&c);
	check_memory_epoch(&c);
	cursors = sort_queues(&c, queues);
	replay_all(&c, cursors, queues);
	for (unsigned i = 0; i < queues; i++)
		g_array_unref(cursors[i].ids);
	g_free(cursors);
	check_places_fini(&c);
	check_memory_fini(&c);
	if (c.offences > count)
		g_string_append_printf(report, "and %" G_GUINT64_FORMAT " more\n", c.offences - count);
	return c.offences == 0;
}
