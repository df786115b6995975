/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes as kernels.
 *
 * Where the machine has a transposer, rows go through it in groups: as many as are sixteen bytes of a column.  The
 * vector unit cuts wide elements into their bytes, a byte of a row to a register; of sixteen such registers the
 * transposer makes sixteen others, in which every superlane holds the group's piece of one column, and strided stores
 * put the pieces of all superlanes into their rows.  A last group that is not full has its last row several times: what
 * that leaves in the granules' ends nobody reads.  Without a transposer columns are read by strided loads of one
 * element a row; how many beats those take is the bank map's affair.
 *
 * Not done: elements of four bytes through the transposer.
 */
#include "sched/emit/tsp.h"
#include "sched/sheet.h"

enum {
	SIXTEEN = 16,    /* operands of the transposer, lanes of a superlane, bytes of a granule */
	REGISTERS = 128, /* fewer hold no chunk worth it */
	TURN_STEPS = 80, /* of a kernel */
	WIDE = 2,        /* bytes of an element, at most */
};

static const low_transpose *transpose_at(const tspe *e, guint macro)
{
	return &g_array_index(e->low->macros, low_macro, macro).transpose;
}

static uint64_t quotient(uint64_t amount, uint64_t by)
{
	return (amount + by - 1) / by;
}

/* Is it likely to be quicker?  By columns each takes a cycle for every row's block beyond what the banks deliver in
 * one, and one for its store; by groups accesses take queues, of which about a quarter stays empty. */
static bool is_quicker(const tspe *e, const low_tensor *x, const low_tensor *y)
{
	uint64_t banks = bank_map_banks_used(bank_calendar_map(e->cal.banks)) * (uint64_t)e->m->sram_ports;
	uint64_t groups = quotient(x->rows, SIXTEEN / isa_type_bytes(x->type));
	uint64_t rest = x->rows % y->vector_lanes, by_columns, by_groups;

	by_columns = x->rows / y->vector_lanes * (quotient(y->vector_lanes, banks) + 1) +
	             (rest ? quotient(rest, banks) + 1 : 0);
	by_groups = (x->rows + SIXTEEN * groups) * quotient(y->rows, x->vector_lanes);
	return by_groups * 4 / 3 < y->rows * by_columns * (uint64_t)e->m->sram_issue_per_cycle;
}

/* Groups of rows that MACRO takes through the transposer at a time; 0: it goes by columns. */
static uint32_t chunk_of(const tspe *e, guint macro)
{
	static const uint32_t chunks[] = {0, 2, 4, 3, 6, 0}; /* that a sheet chooses from; the first: as seems better */
	const low_macro *m = &g_array_index(e->low->macros, low_macro, macro);
	const low_tensor *x = tspe_low_tensor(e, m->transpose.x), *y = tspe_low_tensor(e, m->transpose.y);
	uint64_t element = isa_type_bytes(x->type);
	uint32_t choice;

	if (!e->transpose.count || e->m->lanes_per_superlane != SIXTEEN || e->registers < REGISTERS ||
	    e->m->vreg_read_ports < SIXTEEN || e->m->vreg_write_ports < SIXTEEN || element > WIDE ||
	    x->conv_input_of >= 0 || y->conv_input_of >= 0 || x->vector_lanes * element > (uint64_t)e->m->vreg_bytes ||
	    y->vector_lanes * element % SIXTEEN)
		return 0;
	choice = sched_decide(e->options->sheet, "turn", m->name, G_N_ELEMENTS(chunks));
	return choice ? chunks[choice] : is_quicker(e, x, y) ? chunks[1] : 0;
}

unsigned tspe_turned_pieces(const tspe *e, guint tensor)
{
	for (guint i = 0; i < e->low->macros->len; i++)
		if (g_array_index(e->low->macros, low_macro, i).kind == LOW_TRANSPOSE &&
		    transpose_at(e, i)->y == tensor && chunk_of(e, i))
			return (unsigned)(tspe_low_tensor(e, tensor)->vector_lanes *
			                  isa_type_bytes(tspe_low_tensor(e, tensor)->type) / SIXTEEN);
	return 0;
}

/* -------------------------------------------------------------------------------------------------- by columns */

/* Columns FROM .. FROM + COUNT - 1 of ROWS rows from ROW on, which are in one vector of the result. */
static bool run_columns(tspe *e, const low_transpose *t, uint64_t row, uint32_t rows, uint64_t from, uint32_t count,
                        int64_t *ready, GError **error)
{
	tspe_tensor *x = &e->tensors[t->x], *y = &e->tensors[t->y];
	g_autoptr(tspe_kernel) k = tspe_kernel_new(e, count);
	int load = tspe_kernel_add(k, ISA_OP_LOAD, e->mem.at, e->mem.count);
	int store = tspe_kernel_add(k, ISA_OP_STORE, e->mem.at, e->mem.count);
	tspe_policy policy;

	tspe_kernel_memory(k, load, x, x->element, (int32_t)x->row_pitch, rows);
	tspe_kernel_result(k, load, tspe_span(e->m, rows, x->low->type));
	tspe_kernel_memory(k, store, y, rows * y->element, 0, 1);
	tspe_kernel_link(k, store, 0, load);
	k->step[store].cell = tspe_kernel_alloc(k, count * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++) {
		k->step[load].addr[i] = (int64_t)tspe_element_addr(x, row, from + i);
		k->step[store].addr[i] = (int64_t)tspe_element_addr(y, from + i, row);
		k->step[store].cell[i] = tspe_cell_at(y, (uint64_t)k->step[store].addr[i]);
	}
	tspe_kernel_finish(k);
	k->ready = *ready;
	policy.interval_min = tspe_kernel_interval(k);
	policy.interval_max = MAX(policy.interval_min, (uint32_t)k->step[load].beats_max + k->step[store].beats_max);
	policy.chunk = 0;
	policy.reach = 0;
	if (!tspe_run(k, &policy, error))
		return false;
	*ready = MAX(*ready, tspe_issue_at(k, &k->step[load], k->n - 1, 0));
	return true;
}

static bool run_by_columns(tspe *e, const low_transpose *t, int64_t *ready, GError **error)
{
	const low_tensor *x = e->tensors[t->x].low, *y = e->tensors[t->y].low;

	for (uint64_t row = 0; row < x->rows; row += y->vector_lanes)
		for (uint64_t at = 0; at < y->rows; at += TSPE_ITERATIONS_MAX)
			if (!run_columns(e, t, row, (uint32_t)MIN(y->vector_lanes, x->rows - row), at,
			                 (uint32_t)MIN(y->rows - at, TSPE_ITERATIONS_MAX), ready, error))
				return false;
	return true;
}

/* ------------------------------------------------------------------------------------------- by the transposer */

/* COUNT groups of rows from group FIRST on, of LANES columns from COLUMN on, which are in one vector. */
typedef struct turn {
	tspe *e;
	tspe_tensor *x, *y;
	uint64_t first, column;
	uint32_t count, group, lanes; /* group: rows of one */
	uint32_t chunk;               /* groups at a time */
} turn;

static int add_row(tspe_kernel *k, const turn *t, uint32_t row)
{
	tspe *e = t->e;
	int load = tspe_kernel_add(k, ISA_OP_LOAD, e->mem.at, e->mem.count);
	uint64_t last = t->x->low->rows - 1;

	tspe_kernel_memory(k, load, t->x, t->lanes * t->x->element, 0, 1);
	tspe_kernel_result(k, load, 1);
	for (uint32_t i = 0; i < t->count; i++)
		k->step[load].addr[i] =
			(int64_t)tspe_element_addr(t->x, MIN((t->first + i) * t->group + row, last), t->column);
	return load;
}

static int add_op(tspe_kernel *k, const turn *t, enum isa_op op, enum isa_type to, uint32_t imm, int from)
{
	tspe *e = t->e;
	int step = tspe_kernel_add(k, op, e->vxm.at, e->vxm.count);
	isa_insn *insn = &k->step[step].insn;

	insn->type = ISA_TYPE_I16;
	insn->dtype = (uint8_t)to;
	insn->lanes = (uint16_t)t->lanes;
	if (op != ISA_OP_CVT) {
		insn->imm = imm;
		insn->src1 = ISA_PLACE_IMM;
	}
	tspe_kernel_result(k, step, 1);
	tspe_kernel_link(k, step, 0, from);
	return step;
}

/* Steps that make the sixteen registers of bytes; the first of them.  A low byte is shifted up and down again, so that
 * it is a number that fits. */
static int add_bytes(tspe_kernel *k, const turn *t)
{
	int load[SIXTEEN] = {0}, half[SIXTEEN] = {0}, first;

	for (uint32_t r = 0; r < t->group; r++)
		load[r] = add_row(k, t, r);
	first = load[0];
	for (uint32_t r = 0; t->x->element > 1 && r < t->group; r++) {
		int up = add_op(k, t, ISA_OP_SHL, ISA_TYPE_I16, 8, load[r]);

		half[2 * r] = add_op(k, t, ISA_OP_SHR, ISA_TYPE_I16, 8, up);
		half[2 * r + 1] = add_op(k, t, ISA_OP_SHR, ISA_TYPE_I16, 8, load[r]);
	}
	for (unsigned i = 0; t->x->element > 1 && i < SIXTEEN; i++) {
		int step = add_op(k, t, ISA_OP_CVT, ISA_TYPE_I8, 0, half[i]);

		first = i ? first : step;
	}
	for (int i = 0; i < SIXTEEN; i++) {
		k->step[first + i].member = (uint8_t)i;
		k->step[first + i].members = SIXTEEN;
	}
	return first;
}

static int add_transpose(tspe_kernel *k, const turn *t, int bytes)
{
	tspe *e = t->e;
	int step = tspe_kernel_add(k, ISA_OP_TRANSPOSE, e->transpose.at, e->transpose.count);
	tspe_step *s = &k->step[step];

	s->fan = SIXTEEN;
	s->members = SIXTEEN;
	s->insn.lanes = 0;
	tspe_kernel_result(k, step, 1);
	tspe_kernel_link(k, step, 0, bytes);
	return step;
}

/* The group's pieces of columns NUMBER, NUMBER + 16, ... */
static void add_pieces(tspe_kernel *k, const turn *t, int from, uint32_t number)
{
	tspe *e = t->e;
	int store = tspe_kernel_add(k, ISA_OP_STORE, e->mem.at, e->mem.count);
	tspe_step *s = &k->step[store];
	uint32_t pieces = (t->lanes - number + SIXTEEN - 1) / SIXTEEN;

	tspe_kernel_memory(k, store, t->y, SIXTEEN, (int32_t)(SIXTEEN * t->y->row_pitch), pieces);
	tspe_kernel_link(k, store, 0, from);
	s->in_member[0] = (uint8_t)number;
	s->cell = tspe_kernel_alloc(k, t->count * sizeof(uint32_t));
	s->cells = pieces;
	s->cell_step = SIXTEEN * t->y->parts;
	for (uint32_t i = 0; i < t->count; i++) {
		s->addr[i] = (int64_t)tspe_element_addr(t->y, t->column + number, (t->first + i) * t->group);
		s->cell[i] = tspe_cell_at(t->y, (uint64_t)s->addr[i]);
	}
}

static bool run_groups(const turn *t, int64_t *ready, GError **error)
{
	g_autoptr(tspe_kernel) k = tspe_kernel_new_sized(t->e, t->count, TURN_STEPS);
	tspe_policy policy = {.interval_min = 1, .interval_max = 2, .chunk = t->chunk};
	int step = add_transpose(k, t, add_bytes(k, t));

	for (uint32_t number = 0; number < MIN(SIXTEEN, t->lanes); number++)
		add_pieces(k, t, step, number);
	tspe_kernel_finish(k);
	k->ready = *ready;
	t->e->in_blocks = true;
	if (!tspe_run(k, &policy, error))
		return false;
	*ready = MAX(*ready, tspe_issue_at(k, &k->step[0], k->n - 1, 0));
	return true;
}

bool tspe_transpose(tspe *e, const low_macro *macro, int64_t ready, GError **error)
{
	const low_transpose *t = &macro->transpose;
	guint number = (guint)(macro - (const low_macro *)(void *)e->low->macros->data);
	turn w = {.e = e, .x = &e->tensors[t->x], .y = &e->tensors[t->y], .chunk = chunk_of(e, number)};
	const low_tensor *x = w.x->low;
	uint64_t groups, columns = w.y->low->rows; /* the first ones of x */

	if (!w.y->turned)
		return run_by_columns(e, t, &ready, error);
	w.group = SIXTEEN / w.x->element;
	groups = (x->rows + w.group - 1) / w.group;
	for (; w.column < columns; w.column += w.lanes) {
		w.lanes = (uint32_t)MIN(x->vector_lanes, columns - w.column);
		for (w.first = 0; w.first < groups; w.first += w.count) {
			w.count = (uint32_t)MIN(groups - w.first, TSPE_ITERATIONS_MAX);
			if (!run_groups(&w, &ready, error))
				return false;
		}
	}
	return true;
}
