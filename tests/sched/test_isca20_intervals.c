/* SPDX-License-Identifier: Apache-2.0
 *
 * How many iterations of a loop over vectors the stream-style machine can begin in a cycle: by hand, and against every
 * way to put the operands of small random loops into hemispheres and to time their operations.
 */
#include "isa/machine.h"
#include "isa/rng.h"
#include "sched/emit/isca20_loop.h"
#include "tests/lib/tap.h"

enum { LOOPS = 300, MOST_OPS = 4, MOST_LOADS = 3 };

static isa_machine *machine;

static isca chip(void)
{
	return (isca){.m = machine,
	              .lanes = 320,
	              .slices_per_side = (unsigned)machine->mem_slices,
	              .alus = (unsigned)machine->vxm_ops,
	              .stream_count = (unsigned)machine->streams};
}

static int16_t add(isca_loop *loop, low_step step)
{
	g_array_append_val(loop->steps, step);
	return (int16_t)(loop->steps->len - 1);
}

static int16_t load(isca_loop *loop, enum isa_type type, bool moves)
{
	return add(loop, (low_step){.kind = LOW_LOAD,
	                            .ref = {.tensor = loop->steps->len, .step0 = moves},
	                            .type = type,
	                            .dtype = type,
	                            .in = {-1, -1}});
}

static int16_t op(isca_loop *loop, enum isa_op what, enum isa_type type, int16_t a, int16_t b)
{
	return add(loop, (low_step){.kind = LOW_OP, .op = what, .type = type, .dtype = type, .in = {a, b}});
}

static void store(isca_loop *loop, enum isa_type type, int16_t value)
{
	add(loop, (low_step){.kind = LOW_STORE,
	                     .ref = {.tensor = loop->steps->len, .step0 = 1},
	                     .type = type,
	                     .dtype = type,
	                     .in = {value, -1}});
}

static void most_is(isca_loop *loop, unsigned most, const char *binds)
{
	isca c = chip();
	const char *why;

	CU_ASSERT_EQUAL(isca_most_iterations(&c, loop, &why), most);
	CU_ASSERT_STRING_EQUAL(why, binds);
	isca_loop_free(loop);
}

/* 16 ALUs, one each; 16 x (2 + 2) bytes are the 64 that pass the VXM, in 64 of 88 slices. */
static void one_operation_on_halves_begins_sixteen_times(void)
{
	isca_loop *loop = isca_loop_new(1000, 1, 320);

	store(loop, ISA_TYPE_F16, op(loop, ISA_OP_RELU, ISA_TYPE_F16, load(loop, ISA_TYPE_F16, true), -1));
	most_is(loop, 16, "VXM");
}

/* 64 / (2 + 2 + 2) = 10. */
static void two_operands_bind_by_streams(void)
{
	isca_loop *loop = isca_loop_new(1000, 1, 320);
	int16_t x = load(loop, ISA_TYPE_F16, true), y = load(loop, ISA_TYPE_F16, true);

	store(loop, ISA_TYPE_F16, op(loop, ISA_OP_ADD, ISA_TYPE_F16, x, y));
	most_is(loop, 10, "streams");
}

/* The operand that all share takes 4 of 64: 60 / (4 + 4) = 7. */
static void what_stands_still_is_brought_once(void)
{
	isca_loop *loop = isca_loop_new(1000, 1, 320);
	int16_t x = load(loop, ISA_TYPE_F32, true), r = load(loop, ISA_TYPE_F32, false);

	store(loop, ISA_TYPE_F32, op(loop, ISA_OP_MUL, ISA_TYPE_F32, x, r));
	most_is(loop, 7, "streams");
}

/* exp takes 12 cycles, and x - m has to wait for it: four copies, seven ALUs an iteration, 16 / 7. */
static void waiting_takes_alus(void)
{
	isca_loop *loop = isca_loop_new(1000, 1, 320);
	int16_t d = op(loop, ISA_OP_ADD, ISA_TYPE_F16, load(loop, ISA_TYPE_F16, true), load(loop, ISA_TYPE_F16, false));

	store(loop, ISA_TYPE_F16, op(loop, ISA_OP_MUL, ISA_TYPE_F16, op(loop, ISA_OP_EXP, ISA_TYPE_F16, d, -1), d));
	most_is(loop, 2, "VXM");
}

/* Eight operands of four bytes and a sum: 36 of 64 bytes; seven of 16 ALUs. */
static void a_tree_of_eight_begins_once(void)
{
	isca_loop *loop = isca_loop_new(1000, 1, 320);
	int16_t v[8];

	for (unsigned i = 0; i < 8; i++)
		v[i] = load(loop, ISA_TYPE_F32, true);
	for (unsigned n = 8; n > 1; n /= 2)
		for (unsigned i = 0; i < n / 2; i++)
			v[i] = op(loop, ISA_OP_ADD, ISA_TYPE_F32, v[2 * i], v[2 * i + 1]);
	store(loop, ISA_TYPE_F32, v[0]);
	most_is(loop, 1, "streams");
}

/* ---- every way ---- */

typedef struct trial {
	const isca *c;
	const isca_loop *loop;
	int64_t start[ISCA_STEPS_MAX];
	int64_t horizon;
	unsigned least; /* copies */
} trial;

static bool reads(const low_step *s, unsigned value)
{
	return s->in[0] == (int)value || s->in[1] == (int)value;
}

static unsigned copies_now(const trial *t)
{
	unsigned all = 0;

	for (unsigned i = 0; i < t->loop->steps->len; i++) {
		const low_step *s = isca_step(t->loop, i);
		int64_t ready = s->kind == LOW_OP ? t->start[i] + isca_op_cycles(t->c, s->op) : INT64_MAX, last = 0;

		for (unsigned j = i + 1; s->kind == LOW_LOAD && j < t->loop->steps->len; j++)
			if (isca_step(t->loop, j)->kind == LOW_OP && reads(isca_step(t->loop, j), i))
				ready = MIN(ready, t->start[j]);
		for (unsigned j = i + 1; s->kind != LOW_STORE && j < t->loop->steps->len; j++)
			if (isca_step(t->loop, j)->kind == LOW_OP && reads(isca_step(t->loop, j), i)) {
				int64_t wait = t->start[j] - ready;

				if (wait < 0 || wait % t->c->m->vxm_op_cycles)
					return UINT_MAX;
				last = MAX(last, wait);
			}
		all += (unsigned)(last / t->c->m->vxm_op_cycles);
	}
	return all;
}

/* Longer than the shortest time, too. */
static void try_starts(trial *t, unsigned i)
{
	if (i == t->loop->steps->len) {
		t->least = MIN(t->least, copies_now(t));
		return;
	}
	if (isca_step(t->loop, i)->kind != LOW_OP) {
		try_starts(t, i + 1);
		return;
	}
	for (t->start[i] = 0; t->start[i] <= t->horizon; t->start[i] += t->c->m->vxm_op_cycles)
		try_starts(t, i + 1);
}

/* Vectors of one kind in an iteration or for all of a cycle, how many bytes each. */
typedef struct kind {
	unsigned count, bytes;
	bool stored, shared;
} kind;

/* Can K iterations' vectors be put into hemispheres so that neither direction past the VXM nor a hemisphere's slices
 * have too much?  Every number of each kind in the west. */
static bool can_lie(const isca *c, const kind *kinds, unsigned count, unsigned k, unsigned flow[2], unsigned slices[2])
{
	const kind *n = kinds;
	unsigned all;

	if (flow[0] > c->stream_count || flow[1] > c->stream_count || slices[0] > c->slices_per_side ||
	    slices[1] > c->slices_per_side)
		return false;
	if (!count)
		return true;
	all = n->shared ? n->count : n->count * k;
	for (unsigned west = 0; west <= all; west++) {
		unsigned f[2] = {flow[0], flow[1]}, s[2] = {slices[0], slices[1]};

		s[0] += west * n->bytes;
		s[1] += (all - west) * n->bytes;
		f[n->stored] += west * n->bytes; /* from the west eastward, to the west westward */
		f[!n->stored] += (all - west) * n->bytes;
		if (can_lie(c, kinds + 1, count - 1, k, f, s))
			return true;
	}
	return false;
}

static unsigned most_by_trial(const isca *c, const isca_loop *loop)
{
	trial t = {.c = c, .loop = loop, .least = UINT_MAX};
	unsigned ops = 0, kinds = 0, k = 1;
	kind all[2 * ISCA_STEPS_MAX];

	for (unsigned i = 0; i < loop->steps->len; i++) {
		const low_step *s = isca_step(loop, i);

		if (s->kind == LOW_OP) {
			ops++;
			t.horizon += isca_op_cycles(c, s->op);
			continue;
		}
		all[kinds++] = (kind){1, isa_type_bytes(s->type), s->kind == LOW_STORE, !s->ref.step0};
	}
	try_starts(&t, 0);
	while ((k + 1) * (ops + t.least) <= c->alus &&
	       can_lie(c, all, kinds, k + 1, (unsigned[2]){0, 0}, (unsigned[2]){0, 0}))
		k++;
	return k;
}

static isca_loop *random_loop(rng *r)
{
	static const enum isa_type types[] = {ISA_TYPE_I8, ISA_TYPE_F16, ISA_TYPE_F32};
	static const enum isa_op ops[] = {ISA_OP_ADD, ISA_OP_MUL, ISA_OP_EXP};
	unsigned loads = 1 + (unsigned)rng_below(r, MOST_LOADS), count = 1 + (unsigned)rng_below(r, MOST_OPS);
	enum isa_type type = types[rng_below(r, G_N_ELEMENTS(types))];
	isca_loop *loop = isca_loop_new(1000, 1, 320);

	for (unsigned i = 0; i < loads; i++)
		load(loop, type, !i || rng_below(r, 3));
	for (unsigned i = 0; i < count; i++) {
		/* Each load has a reader, each operation but the last. */
		int16_t a = (int16_t)(i ? loads + i - 1 : 0), b = (int16_t)rng_below(r, loads + i);

		op(loop, ops[rng_below(r, G_N_ELEMENTS(ops))], type, a, i + 1 < loads ? (int16_t)(i + 1) : b);
	}
	store(loop, type, (int16_t)(loads + count - 1));
	return loop;
}

/* Loads that nobody reads would be dropped before. */
static bool all_read(const isca_loop *loop)
{
	for (unsigned i = 0; i < loop->steps->len; i++) {
		bool read = isca_step(loop, i)->kind == LOW_STORE;

		for (unsigned j = i + 1; j < loop->steps->len; j++)
			read |= reads(isca_step(loop, j), i);
		if (!read)
			return false;
	}
	return true;
}

static void the_bound_is_what_the_best_of_all_ways_reaches(void)
{
	isca c = chip();
	rng r;
	unsigned checked = 0, copied = 0;

	rng_seed(&r, 1, 0);
	for (unsigned n = 0; n < LOOPS; n++) {
		isca_loop *loop = random_loop(&r);
		const char *why;

		if (all_read(loop)) {
			checked++;
			copied += isca_least_copies(&c, loop) > 0;
			CU_ASSERT_EQUAL(isca_most_iterations(&c, loop, &why), most_by_trial(&c, loop));
		}
		isca_loop_free(loop);
	}
	CU_ASSERT_TRUE(checked > LOOPS / 2);
	CU_ASSERT_TRUE(copied > LOOPS / 10);
}

int main(void)
{
	static const tap_case cases[] = {
		{"one_operation_on_halves_begins_sixteen_times", one_operation_on_halves_begins_sixteen_times},
		{"two_operands_bind_by_streams", two_operands_bind_by_streams},
		{"what_stands_still_is_brought_once", what_stands_still_is_brought_once},
		{"waiting_takes_alus", waiting_takes_alus},
		{"a_tree_of_eight_begins_once", a_tree_of_eight_begins_once},
		{"the_bound_is_what_the_best_of_all_ways_reaches", the_bound_is_what_the_best_of_all_ways_reaches},
	};
	int status;

	machine = isa_machine_load("tsp-isca20", NULL);
	status = tap_run("intervals on the stream-style machine", cases, G_N_ELEMENTS(cases));
	isa_machine_free(machine);
	return status;
}
