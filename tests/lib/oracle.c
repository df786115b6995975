/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracle's clock: one cycle after the other, in each first what falls due, then what is sampled, then ALUs that
 * start, then the banks.  After docs/design.md, "Exact timing" and "Rules in detail", and the comments of isa/ and
 * models/tsp/chip.h.
 *
 * Where that text leaves a choice, the oracle reads it so:
 *
 * 1  An ABC occupies its plane, or both planes of its pair, for its own type's interval from q; one that comes sooner
 * is port-overuse and is done all the same.  Weight bytes of an LW: rows x lanes x element bytes.  One that has no
 * accumulator row samples its operands and occupies its plane, no more.
 *
 * 2  Two ABCs due in one row in one cycle (a pair's planes, of two types) both add to the row of the cycle before.
 *
 * 3  Addresses are stepped without wrapping; below 0 they are outside.  READWRITE with one address outside does
 * nothing.  A hashed access whose segments are all outside is due after the latency; under freeze it waits its turn
 * like any other.
 *
 * 4  In the freeze policy an access has delay 0; `delayed` counts requests behind another of their group in their bank.
 * READWRITEs that meet in their banks in one cycle cost one cycle of slip together.  A vector from a link arrived when
 * its SEND says, in program time.
 *
 * 5  A beginning epoch clears the SRAM only, and stores under way are not lost.
 *
 * 6  It is open when operands arrived of an issue that a violation is about.
 */
#include "tests/lib/oracle_int.h"

#include <string.h>

#define I64 "%" G_GINT64_FORMAT

static gint64 *cycle_key(int64_t cycle)
{
	gint64 *key = g_new(gint64, 1);

	*key = cycle;
	return key;
}

typedef struct or_slot {
	GPtrArray *phase[OR_PHASES];
} or_slot;

static void free_slot(gpointer at)
{
	or_slot *slot = at;

	for (int phase = 0; phase < OR_PHASES; phase++)
		g_ptr_array_unref(slot->phase[phase]);
	g_free(slot);
}

void or_file(or_run *run, int64_t cycle, enum or_phase phase, const or_item *item)
{
	or_slot *slot = g_hash_table_lookup(run->agenda, &cycle);

	g_assert(cycle >= run->now);
	if (!slot) {
		slot = g_new0(or_slot, 1);
		for (int i = 0; i < OR_PHASES; i++)
			slot->phase[i] = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(run->agenda, cycle_key(cycle), slot);
	}
	g_ptr_array_add(slot->phase[phase], g_memdup2(item, sizeof *item));
}

void or_violate_at(or_run *run, const or_issue *issue, int64_t cycle, enum isa_violation kind, uint32_t other,
                   int64_t detail)
{
	probe_violation v = {
		.cycle = cycle,
		.insn = issue->record.insn,
		.index = issue->record.index,
		.other = other,
		.queue = issue->record.queue,
		.kind = (uint16_t)kind,
		.detail = detail,
	};

	g_array_append_val(run->result->violations, v);
	run->result->by_kind[kind]++;
}

void or_violate(or_run *run, const or_issue *issue, enum isa_violation kind, uint32_t other, int64_t detail)
{
	or_violate_at(run, issue, run->now, kind, other, detail);
}

or_value *or_value_new(or_run *run, uint32_t tag, int64_t due, const void *bytes, unsigned size)
{
	or_value *value = g_malloc0(sizeof *value + size);

	value->tag = tag;
	value->due = due;
	value->size = size;
	if (bytes)
		memcpy(value->bytes, bytes, size);
	g_ptr_array_add(run->garbage, value);
	return value;
}

void or_due(or_run *run, int64_t due)
{
	run->last_due = run->any_due ? MAX(run->last_due, due) : due;
	run->any_due = true;
}

void or_result(or_run *run, or_issue *issue, int64_t due)
{
	issue->record.result = due;
	or_due(run, due);
}

bool or_find_instance(const isa_program *program, uint32_t tag, uint32_t *insn, uint32_t *index)
{
	for (uint32_t id = 0; id < program->insns->len; id++) {
		uint32_t base = isa_program_instance(program, id);

		if (tag - base < isa_insn_issues(isa_program_insn(program, id))) {
			*insn = id;
			*index = tag - base;
			return true;
		}
	}
	return false;
}

/* i * step mod wrap, never negative; without wrap i * step. */
static int64_t rotated(const isa_rotation *rot, uint64_t i)
{
	int64_t by = (int64_t)i * rot->step;

	if (!rot->wrap)
		return by;
	by %= rot->wrap;
	return by < 0 ? by + rot->wrap : by;
}

/* In cycle q. */
static void sample_issue(or_run *run, or_item *item)
{
	or_issue *issue = item->issue;

	/* These two may have nothing to write. */
	if (issue->insn->op != ISA_OP_RECV && issue->insn->op != ISA_OP_ACC)
		or_check_result(run, issue);
	switch (isa_ops[issue->insn->op].unit) {
	case ISA_UNIT_MEM:
		if (run->hw->hashed)
			or_mem_hashed(run, issue);
		else
			or_mem_direct(run, issue);
		break;
	case ISA_UNIT_VXM:
		or_vxm(run, issue);
		break;
	case ISA_UNIT_MXM:
		or_mxm(run, issue);
		break;
	case ISA_UNIT_SXM:
		or_sxm(run, issue);
		break;
	case ISA_UNIT_C2C:
		or_c2c(run, issue);
		break;
	default:
		break;
	}
}

/* Words that cannot be executed are reported once; they take their cycles and do nothing. */
static bool word_is_fine(or_run *run, const or_issue *issue)
{
	enum isa_violation fault = or_word_fault(run, issue);

	if (fault != ISA_VIOLATION_COUNT && issue->record.index == 0)
		or_violate(run, issue, fault, UINT32_MAX, issue->insn->op);
	return fault == ISA_VIOLATION_COUNT;
}

static void begin_issue(or_run *run, or_issue *issue)
{
	const isa_insn *insn = issue->insn;
	int64_t step = (int64_t)issue->i0 * insn->loop[0].step + (int64_t)issue->i1 * insn->loop[1].step;

	issue->q = run->now + isa_machine_skew(run->hw, isa_ops[insn->op].unit);
	issue->addr = insn->addr + step;
	issue->waddr = insn->waddr + step;
	issue->dst = insn->dst;
	issue->src0 = insn->src0;
	issue->src1 = insn->src1;
	issue->executes = word_is_fine(run, issue);
	if (!issue->executes)
		return;
	issue->rotation[OR_FIELD_DST] = rotated(&insn->rot[ISA_ROT_DST], issue->record.index);
	issue->rotation[OR_FIELD_SRC0] = rotated(&insn->rot[ISA_ROT_SRC0], issue->record.index);
	issue->rotation[OR_FIELD_SRC1] = rotated(&insn->rot[ISA_ROT_SRC1], issue->record.index);
	or_file(run, issue->q, OR_PHASE_SAMPLE, &(or_item){.run = sample_issue, .issue = issue});
}

static int compare_items(gconstpointer a, gconstpointer b)
{
	const or_issue *x = (*(or_item *const *)a)->issue;
	const or_issue *y = (*(or_item *const *)b)->issue;

	if (x->q != y->q)
		return x->q < y->q ? -1 : 1;
	return (int)x->record.queue - (int)y->record.queue;
}

/* Does all that is filed for this cycle and PHASE; more for later phases may be filed meanwhile. */
static void do_phase(or_run *run, enum or_phase phase)
{
	or_slot *slot = g_hash_table_lookup(run->agenda, &run->now);

	if (!slot)
		return;
	g_ptr_array_sort(slot->phase[phase], compare_items);
	for (unsigned i = 0; i < slot->phase[phase]->len; i++) {
		or_item *item = g_ptr_array_index(slot->phase[phase], i);

		item->run(run, item);
	}
}

static void begin_epochs(or_run *run)
{
	const GArray *epochs = run->program->epochs;

	for (unsigned i = 0; i < epochs->len; i++) {
		const isa_epoch *epoch = &g_array_index(epochs, isa_epoch, i);

		if (epoch->start != run->now)
			continue;
		if (i && run->options.epoch_end)
			run->options.epoch_end(run->options.epoch_state, run->memory, i - 1);
		or_mem_epoch(run, epoch);
	}
}

static void do_cycle(or_run *run)
{
	begin_epochs(run);
	run->reads = run->writes = run->weight_bytes = 0;
	run->earlier_slip = run->result->slip_cycles;
	or_shift_streams(run);
	do_phase(run, OR_PHASE_DUE);
	while (run->next_issue < run->issues->len) {
		or_issue *issue = g_ptr_array_index(run->issues, run->next_issue);

		if (issue->record.cycle != run->now)
			break;
		begin_issue(run, issue);
		run->next_issue++;
	}
	do_phase(run, OR_PHASE_SAMPLE);
	do_phase(run, OR_PHASE_START);
	or_mem_serve(run);
	g_hash_table_remove(run->agenda, &run->now);
}

static void walk(or_run *run)
{
	const GArray *epochs = run->program->epochs;
	int64_t last_epoch = INT64_MIN;

	run->now = run->issues->len ? ((or_issue *)g_ptr_array_index(run->issues, 0))->record.cycle : 0;
	run->result->first_issue = run->now;
	for (unsigned i = 0; i < epochs->len; i++) {
		run->now = MIN(run->now, g_array_index(epochs, isa_epoch, i).start);
		last_epoch = MAX(last_epoch, g_array_index(epochs, isa_epoch, i).start);
	}
	while (run->next_issue < run->issues->len || g_hash_table_size(run->agenda) || or_mem_busy(run) ||
	       run->now <= last_epoch) {
		do_cycle(run);
		run->now++;
	}
	if (epochs->len && run->options.epoch_end)
		run->options.epoch_end(run->options.epoch_state, run->memory, epochs->len - 1);
}

static int compare_violations(gconstpointer a, gconstpointer b)
{
	const probe_violation *x = a;
	const probe_violation *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->queue != y->queue)
		return (int)x->queue - (int)y->queue;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void free_issue(gpointer at)
{
	or_issue *issue = at;

	if (issue->ranges)
		g_array_unref(issue->ranges);
	if (issue->banks)
		g_array_unref(issue->banks);
	g_free(issue->row_lanes);
	g_free(issue->operand[0]);
	g_free(issue->operand[1]);
	g_free(issue->packed);
	g_free(issue);
}

static or_run *run_new(const isa_program *program, const isa_machine *hw, const oracle_options *options)
{
	or_run *run = g_new0(or_run, 1);
	oracle_result *result = g_new0(oracle_result, 1);
	unsigned planes = (unsigned)hw->mxm_planes;

	g_assert(planes <= OR_PLANES && hw->vxm_ops <= OR_ALUS && hw->link_count <= OR_LINKS);
	run->program = program;
	run->hw = hw;
	if (options)
		run->options = *options;
	result->issues = g_array_new(FALSE, TRUE, sizeof(probe_issue));
	result->violations = g_array_new(FALSE, TRUE, sizeof(probe_violation));
	result->slips = g_array_new(FALSE, TRUE, sizeof(probe_slip));
	run->result = result;
	run->issues = g_ptr_array_new_with_free_func(free_issue);
	run->by_tag = g_hash_table_new(NULL, NULL);
	run->agenda = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_slot);
	run->garbage = g_ptr_array_new_with_free_func(g_free);
	run->log = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	run->doubts = g_array_new(FALSE, TRUE, sizeof(or_doubt));
	run->presented = g_ptr_array_new();
	run->vreg = g_new0(or_value *, MAX(hw->vreg_count, 1));
	run->cells = MAX(hw->positions, 1) * hw->stream_hop_cycles;
	for (unsigned s = 0; s < OR_STREAMS; s++)
		run->cell[s] = g_new0(or_value *, run->cells);
	for (unsigned p = 0; p < planes; p++) {
		run->plane[p].shadow = g_new0(or_value *, hw->mxm_rows);
		run->plane[p].row = g_new0(or_value *, hw->mxm_acc_rows + 1);
		run->plane[p].busy_until = INT64_MIN;
	}
	for (unsigned l = 0; l < OR_LINKS; l++) {
		g_queue_init(&run->link[l].vectors);
		run->link[l].free_at = INT64_MIN;
	}
	run->memory = result->memory = oracle_memory_new(hw);
	return run;
}

/* Everything but the result. */
static void run_free(or_run *run)
{
	for (unsigned b = 0; run->bank && b < (unsigned)run->hw->sram_banks; b++)
		g_queue_clear_full(&run->bank[b].waiting, g_free);
	for (unsigned s = 0; s < OR_STREAMS; s++)
		g_free(run->cell[s]);
	for (unsigned p = 0; p < OR_PLANES; p++) {
		g_free(run->plane[p].shadow);
		g_free(run->plane[p].row);
	}
	for (unsigned l = 0; l < OR_LINKS; l++)
		g_queue_clear(&run->link[l].vectors);
	g_free(run->bank);
	g_free(run->vreg);
	g_ptr_array_unref(run->presented);
	g_array_unref(run->doubts);
	g_hash_table_unref(run->log);
	g_ptr_array_unref(run->garbage);
	g_hash_table_unref(run->agenda);
	g_ptr_array_unref(run->issues);
	g_hash_table_unref(run->by_tag);
	g_free(run);
}

oracle_result *oracle_execute(const isa_program *program, const isa_machine *hw, const oracle_options *options,
                              GError **error)
{
	or_run *run = run_new(program, hw, options);
	oracle_result *result = run->result;

	if (!or_enumerate(run, error) || !or_mem_init(run, error)) {
		run_free(run);
		oracle_result_free(result);
		return NULL;
	}
	for (unsigned i = 0; i < run->issues->len; i++) {
		or_issue *issue = g_ptr_array_index(run->issues, i);

		g_hash_table_insert(run->by_tag, GUINT_TO_POINTER(issue->tag), issue);
	}
	walk(run);
	or_judge_doubts(run);
	for (unsigned i = 0; i < run->issues->len; i++) {
		const or_issue *issue = g_ptr_array_index(run->issues, i);

		if (issue->executes)
			g_array_append_val(result->issues, issue->record);
	}
	if (result->issues->len)
		result->first_issue = g_array_index(result->issues, probe_issue, 0).cycle;
	g_array_sort(result->violations, compare_violations);
	result->cycles = run->any_due ? run->last_due - result->first_issue : 0;
	run_free(run);
	return result;
}

void oracle_result_free(oracle_result *result)
{
	if (!result)
		return;
	g_array_unref(result->issues);
	g_array_unref(result->violations);
	g_array_unref(result->slips);
	oracle_memory_free(result->memory);
	g_free(result);
}

uint64_t oracle_count(const oracle_result *result, enum isa_violation kind)
{
	return kind == ISA_VIOLATION_COUNT ? result->violations->len : result->by_kind[kind];
}

const probe_issue *oracle_issue(const oracle_result *result, uint32_t insn, uint32_t index)
{
	for (unsigned i = 0; i < result->issues->len; i++) {
		const probe_issue *record = &g_array_index(result->issues, probe_issue, i);

		if (record->insn == insn && record->index == index)
			return record;
	}
	return NULL;
}
