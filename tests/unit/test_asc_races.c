/* SPDX-License-Identifier: Apache-2.0
 *
 * The race detector: what orders two accesses and what does not, boxes of bytes, and random programs against an oracle
 * that compares every pair of accesses by reachability.
 */
#include "models/ascend/extents.h"
#include "models/ascend/front_int.h"
#include "tests/unit/asc_core_rig.h"

#define COUPLED .machine = "ascend-910a"
#define SINGLE  .sets = {"scalar.dual_issue=0", "flag.latency_cycles=8"}

/* Exactly one race, between OTHER and, later, INSN. */
static void one_race(const char *text, uint32_t insn, uint32_t other, bool met)
{
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){COUPLED, SINGLE});
	const asc_violation *v = asc_rig_find(r, ASC_FINDING_RACE);

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(v->insn, insn);
	CU_ASSERT_EQUAL(v->other_insn, other);
	CU_ASSERT_EQUAL(v->met, met);
	CU_ASSERT_EQUAL(r->counters->races_met, met);
	asc_rig_free(r);
}

static void clean(const char *text)
{
	asc_rig *r = asc_rig_run(text, &(asc_rig_setup){COUPLED, SINGLE});

	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void a_race_is_found_although_the_two_did_not_meet(void)
{
	/* Vector writes in 1 to 2; MTE3 reads from 53 on, held up by a longer copy. */
	one_race(".stream coupled\n"
	         "vabs dst=0 src=0x8000\n"
	         "ub_to_gm dst=0x1000 src=0x4000 bursts=50\n"
	         "ub_to_gm dst=0 src=0\n"
	         "end\n",
	         2, 0, false);
}

static void a_race_that_meets_is_told_apart(void)
{
	one_race(".stream coupled\n"
	         "vabs dst=0 src=0x8000 repeat=10\n"
	         "ub_to_gm dst=0 src=0\n"
	         "end\n",
	         1, 0, true);
}

static void a_flag_orders(void)
{
	clean(".stream coupled\n"
	      "vabs dst=0 src=0x8000 repeat=10\n"
	      "set_flag from=V to=MTE3 id=0\n"
	      "wait_flag from=V to=MTE3 id=0\n"
	      "ub_to_gm dst=0 src=0\n"
	      "end\n");
}

static void a_flag_set_too_early_does_not(void)
{
	one_race(".stream coupled\n"
	         "set_flag from=V to=MTE3 id=0\n"
	         "vabs dst=0 src=0x8000\n"
	         "wait_flag from=V to=MTE3 id=0\n"
	         "ub_to_gm dst=0 src=0\n"
	         "end\n",
	         3, 1, false);
}

static void a_wait_on_another_pipe_does_not(void)
{
	one_race(".stream coupled\n"
	         "vabs dst=0 src=0x8000\n"
	         "set_flag from=V to=MTE2 id=0\n"
	         "wait_flag from=V to=MTE2 id=0\n"
	         "ub_to_gm dst=0x1000 src=0x4000 bursts=50\n"
	         "ub_to_gm dst=0 src=0\n"
	         "end\n",
	         4, 0, false);
}

static void order_passes_through_a_third_pipe(void)
{
	clean(".stream coupled\n"
	      "gm_to_ub dst=0 src=0 bursts=10\n"
	      "set_flag from=MTE2 to=V id=0\n"
	      "wait_flag from=MTE2 to=V id=0\n"
	      "set_flag from=V to=MTE3 id=0\n"
	      "wait_flag from=V to=MTE3 id=0\n"
	      "ub_to_gm dst=0x1000 src=0 bursts=10\n"
	      "end\n");
}

static void order_passes_through_the_scalar_unit_to_what_it_pushes_later(void)
{
	clean(".stream coupled\n"
	      "vabs dst=0 src=0x8000\n"
	      "set_flag from=V to=S id=0\n"
	      "wait_flag from=V to=S id=0\n"
	      "ub_to_gm dst=0x1000 src=0\n"
	      "end\n");
}

static void what_raced_itself_is_not_forgotten(void)
{
	/* Vector and MTE2 write the same bytes, unordered; MTE3 reads after MTE2's, which orders nothing of vector's.
	 */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "vabs dst=0 src=0x8000\n"
	                         "gm_to_ub dst=0 src=0 burst_bytes=256\n"
	                         "set_flag from=MTE2 to=MTE3 id=0\n"
	                         "wait_flag from=MTE2 to=MTE3 id=0\n"
	                         "ub_to_gm dst=0x1000 src=0\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	CU_ASSERT_EQUAL(r->counters->violations, 2);
	CU_ASSERT_EQUAL(g_array_index(r->violations, asc_violation, 1).insn, 4);
	CU_ASSERT_EQUAL(g_array_index(r->violations, asc_violation, 1).other_insn, 0);
	asc_rig_free(r);
}

static void a_repeated_read_counts_as_the_last_one(void)
{
	/* The flag covers the first read only. */
	one_race(".stream coupled\n"
	         "ub_to_gm dst=0x1000 src=0\n"
	         "set_flag from=MTE3 to=V id=0\n"
	         "ub_to_gm dst=0x2000 src=0\n"
	         "wait_flag from=MTE3 to=V id=0\n"
	         "vabs dst=0 src=0x8000\n"
	         "end\n",
	         4, 2, false);
}

static void a_pipe_needs_a_barrier_between_its_own(void)
{
	static const char text[] = ".stream coupled\n"
				   "vabs dst=0 src=0x8000\n"
				   "%svabs dst=0x4000 src=0\n"
				   "end\n";
	g_autofree char *with = g_strdup_printf(text, "pipe_barrier pipe=V\n");
	g_autofree char *without = g_strdup_printf(text, "");

	clean(with);
	one_race(without, 1, 0, false);
}

static void a_barrier_of_another_pipe_does_not_help(void)
{
	one_race(".stream coupled\nvabs dst=0 src=0x8000\npipe_barrier pipe=MTE3\nvabs dst=0x4000 src=0\nend\n", 2, 0,
	         false);
}

static void reads_do_not_race(void)
{
	clean(".stream coupled\nvabs dst=0 src=0x8000\nub_to_gm dst=0 src=0x8000\nend\n");
}

static void a_write_after_a_read_races(void)
{
	/* The copy reads in 1 to 6, vector writes in 2. */
	one_race(".stream coupled\nub_to_gm dst=0 src=0x8000 bursts=5\nvabs dst=0x8000 src=0\nend\n", 1, 0, true);
}

/* The second reads the very bytes that the first reads, and then writes them. */
static void a_write_in_place_races_with_an_earlier_read(void)
{
	one_race(".stream coupled\nvabs dst=0 src=0x8000\nvabs dst=0x8000 src=0x8000\nend\n", 1, 0, false);
}

static void accumulating_on_the_same_block_is_ordered_by_hardware(void)
{
	/* isa/ascend/order.def: pipe M, L0C. */
	clean(".stream coupled\nmmad c=0 a=0 b=0 init=1\nmmad c=0 a=0 b=0 init=0\nend\n");
}

static void scalar_accesses_are_in_order_but_not_with_others(void)
{
	clean(".stream coupled\nmovi rd=r1 imm=5\nstg rn=r1 dst=64\nldg rd=r2 src=64\ngm_to_ub dst=0 src=64\nend\n");
	/* Both begin in 1; what is first in a cycle is the scalar unit. */
	one_race(".stream coupled\nub_to_gm dst=64 src=0\nldg rd=r2 src=64\nend\n", 0, 1, true);
}

static void cores_race_in_global_memory(void)
{
	asc_rig *r = asc_rig_run(".blocks 2\n.stream coupled\nub_to_gm dst=0x1000 src=0\nend\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});
	const asc_violation *v = asc_rig_find(r, ASC_FINDING_RACE);

	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(v->core, 1);
	CU_ASSERT_EQUAL(v->space, ASC_GM);
	CU_ASSERT_EQUAL(v->address, 0x1000);
	CU_ASSERT_EQUAL(v->bytes, 32);
	asc_rig_free(r);
}

static void blocks_of_one_core_do_not(void)
{
	asc_rig *r = asc_rig_run(".blocks 2\n.stream coupled\nub_to_gm dst=0x1000 src=0\nend\n",
	                         &(asc_rig_setup){COUPLED, .sets = {"cores=1"}});

	ASC_CLEAN(r);
	asc_rig_free(r);
}

static void strides_between_one_another_do_not_race(void)
{
	/* Blocks 0, 2, 4... and 1, 3, 5...; then blocks 0, 2, 4... and 2, 6, 10... of which block 2 is the first
	 * common. */
	static const char text[] = ".stream coupled\n"
				   "vabs dst=0 src=0x8000 dst_blk=2 dst_rep=16 repeat=4\n"
				   "ub_to_gm dst=0x1000 src=%d bursts=4 burst_bytes=32 src_gap=%d\n"
				   "end\n";
	g_autofree char *between = g_strdup_printf(text, 32, 32);
	g_autofree char *common = g_strdup_printf(text, 64, 96);
	asc_rig *r;

	clean(between);
	r = asc_rig_run(common, &(asc_rig_setup){COUPLED, SINGLE});
	CU_ASSERT_EQUAL(r->counters->violations, 1);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->address, 64);
	CU_ASSERT_EQUAL(asc_rig_find(r, ASC_FINDING_RACE)->bytes, 32);
	asc_rig_free(r);
}

static void masked_lanes_are_not_touched(void)
{
	/* fp16, 16 lanes: 32 bytes.  The copy takes what follows. */
	clean(".stream coupled\nset_mask lo=0xffff hi=0\nvabs dst=0 src=0x8000\nub_to_gm dst=0x1000 src=32\nend\n");
	one_race(".stream coupled\nset_mask lo=0x1ffff hi=0\nvabs dst=0 src=0x8000\nub_to_gm dst=0x1000 src=32\nend\n",
	         2, 1, false);
}

static void a_race_in_a_loop_is_reported_once(void)
{
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "movi rd=r1 imm=20\n"
	                         "again: vabs dst=0 src=0x8000 repeat=3\n"
	                         "ub_to_gm dst=0x1000 src=0 bursts=3\n"
	                         "sub rd=r1 rn=r1 rm=1\n"
	                         "bne rn=r1 rm=0 label=again\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});
	unsigned met[2] = {0};

	/* vabs-vabs, copy-vabs, vabs-copy, copy-copy, each once not met and at most once met. */
	for (guint i = 0; i < r->violations->len; i++)
		met[g_array_index(r->violations, asc_violation, i).met]++;
	CU_ASSERT_TRUE(met[0] <= 4 && met[1] <= 4 && met[0] + met[1] >= 4);
	CU_ASSERT_EQUAL(met[1], r->counters->races_met);
	asc_rig_free(r);
}

static uint32_t seed;
static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * n >> 32);
}

static void random_box(asc_range *range, asc_box *box, uint8_t *bytes, unsigned size)
{
	do {
		*range = (asc_range){.address = below(size / 2), .bytes = 1 + below(8), .count = 1 + below(6)};
		range->pitch = (int64_t)below(40) - 12;
	} while ((int64_t)range->address + range->pitch * (int64_t)(range->count - 1) < 0);
	memset(bytes, 0, size);
	for (uint32_t i = 0; i < range->count; i++)
		for (uint64_t b = 0; b < range->bytes; b++)
			bytes[(int64_t)range->address + range->pitch * i + (int64_t)b] = 1;
	CU_ASSERT_TRUE(asc_box_make(box, range));
}

static void boxes_overlap_as_bytes_do(void)
{
	enum { SIZE = 400 };
	unsigned overlaps = 0, covers = 0;

	seed = 1;
	for (unsigned n = 0; n < 20000; n++) {
		uint8_t x[SIZE], y[SIZE];
		asc_range p, q;
		asc_box a, b;
		uint64_t address = 0, bytes = 0;
		unsigned common = 0, first = SIZE, missing = 0;
		bool overlap;

		random_box(&p, &a, x, SIZE);
		random_box(&q, &b, y, SIZE);
		for (unsigned i = 0; i < SIZE; i++) {
			common += x[i] && y[i];
			missing += !x[i] && y[i];
			if (x[i] && y[i] && first == SIZE)
				first = i;
		}
		overlap = asc_box_overlap(&a, &b, &address, &bytes);
		CU_ASSERT_EQUAL(overlap, common > 0);
		if (overlap)
			CU_ASSERT_EQUAL(address, first);
		for (uint64_t i = 0; overlap && i < bytes; i++)
			CU_ASSERT_TRUE(x[address + i] && y[address + i]);
		/* Covering may be denied where it is the case, never claimed where it is not. */
		if (asc_box_covers(&a, &b))
			CU_ASSERT_EQUAL(missing, 0);
		overlaps += overlap;
		covers += asc_box_covers(&a, &b);
		CU_ASSERT_TRUE(asc_box_covers(&a, &a));
	}
	CU_ASSERT_TRUE(overlaps > 1000 && covers > 20);
}

static void extents_are_found_as_by_looking_at_all(void)
{
	enum { N = 300 };
	asc_extent e[N];
	bool in[N] = {false};
	asc_extents set = {NULL, 0};
	g_autoptr(GPtrArray) found = g_ptr_array_new();

	seed = 7;
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = below(N);
		uint64_t low = below(1000), high = low + 1 + below(60), count = 0;

		if (in[i]) {
			asc_extents_remove(&set, &e[i]);
		} else {
			e[i] = (asc_extent){.low = low, .high = high, .number = i};
			asc_extents_add(&set, &e[i]);
		}
		in[i] = !in[i];
		g_ptr_array_set_size(found, 0);
		asc_extents_find(&set, low, high, found);
		for (unsigned k = 0; k < N; k++)
			count += in[k] && e[k].low < high && low < e[k].high;
		CU_ASSERT_EQUAL(found->len, count);
		for (guint k = 1; k < found->len; k++) {
			const asc_extent *p = found->pdata[k - 1], *q = found->pdata[k];

			CU_ASSERT_TRUE(p->low < q->low || (p->low == q->low && p->number < q->number));
		}
	}
}

static void what_a_later_access_stands_for_is_forgotten(void)
{
	/* A thousand rounds of the same three instructions, all ordered: a handful of accesses stay. */
	asc_rig *r = asc_rig_run(".stream coupled\n"
	                         "movi rd=r1 imm=1000\n"
	                         "again: gm_to_ub dst=0 src=0\n"
	                         "pipe_barrier pipe=all\n"
	                         "vabs dst=0x1000 src=0\n"
	                         "pipe_barrier pipe=all\n"
	                         "ub_to_gm dst=0x1000 src=0x1000\n"
	                         "pipe_barrier pipe=all\n"
	                         "sub rd=r1 rn=r1 rm=1\n"
	                         "bne rn=r1 rm=0 label=again\n"
	                         "end\n",
	                         &(asc_rig_setup){COUPLED, SINGLE});

	ASC_CLEAN(r);
	/* Reads and writes of three instructions. */
	CU_ASSERT_EQUAL(asc_races_live(r->chip->races), 6);
	asc_rig_free(r);
}

/* Random programs of a coupled core: vector instructions and copies on a few blocks, flags in matching pairs, each used
 * once so that none can be set twice. */
enum { OPS = 40, BLOCKS = 4 };
static const char *const pipes[] = {"V", "MTE2", "MTE3"};
typedef struct op {
	int kind; /* 0 work, 1 set, 2 wait, 3 barrier */
	unsigned pipe, to, id;
	int write, read; /* block of the unified buffer, -1 none */
} op;

static unsigned random_program(op *ops, GString *text)
{
	unsigned n = 0, pending = 0, from[8], to[8], id[8], used[3][3] = {{0}};

	g_string_assign(text, ".stream coupled\n");
	while (n < OPS) {
		unsigned pipe = below(3), what = below(6);
		op *o = &ops[n++];

		*o = (op){.kind = 0, .pipe = pipe, .write = -1, .read = -1};
		if (what == 0 && pending < 4) {
			o->kind = 1;
			o->to = (pipe + 1 + below(2)) % 3;
			if (used[pipe][o->to] == 4)
				o->kind = 3;
			if (o->kind == 1) {
				from[pending] = pipe;
				to[pending] = o->to;
				o->id = id[pending++] = used[pipe][o->to]++;
				g_string_append_printf(text, "set_flag from=%s to=%s id=%u\n", pipes[pipe],
				                       pipes[o->to], o->id);
				continue;
			}
		}
		if (what == 1 && pending) {
			o->kind = 2;
			o->pipe = from[0];
			o->to = to[0];
			o->id = id[0];
			g_string_append_printf(text, "wait_flag from=%s to=%s id=%u\n", pipes[from[0]], pipes[to[0]],
			                       id[0]);
			for (unsigned i = 1; i < pending; i++) {
				from[i - 1] = from[i];
				to[i - 1] = to[i];
				id[i - 1] = id[i];
			}
			pending--;
			continue;
		}
		if (what == 2 || o->kind == 3) {
			o->kind = 3;
			g_string_append_printf(text, "pipe_barrier pipe=%s\n", pipes[pipe]);
			continue;
		}
		if (pipe == 0) {
			o->write = (int)below(BLOCKS);
			o->read = (int)below(BLOCKS);
			g_string_append_printf(text, "vabs dst=%d src=%d repeat=%u dst_rep=0 src_rep=0\n",
			                       o->write * 256, o->read * 256, 1 + below(9));
		} else if (pipe == 1) {
			o->write = (int)below(BLOCKS);
			g_string_append_printf(text, "gm_to_ub dst=%d src=0 bursts=%u burst_bytes=32\n", o->write * 256,
			                       1 + below(8));
		} else {
			o->read = (int)below(BLOCKS);
			g_string_append_printf(text, "ub_to_gm dst=%u src=%d bursts=%u burst_bytes=32\n",
			                       0x10000 + n * 4096, o->read * 256, 1 + below(8));
		}
	}
	for (unsigned i = 0; i < pending; i++)
		g_string_append_printf(text, "wait_flag from=%s to=%s id=%u\n", pipes[from[i]], pipes[to[i]], id[i]);
	g_string_append(text, "end\n");
	return n;
}

/* done[i][j]: is i complete before j starts?  Set and wait match in order; a set knows what is before it on its pipe,
 * a barrier too, and a wait hands on what the set knows to what is behind it. */
static void reach(const op *ops, unsigned n, bool done[OPS][OPS])
{
	bool known[3][OPS] = {{false}}; /* to what starts next on the pipe */
	bool flag[3][3][4][OPS] = {{{{false}}}};

	for (unsigned j = 0; j < n; j++) {
		const op *o = &ops[j];

		switch (o->kind) {
		case 0:
			memcpy(done[j], known[o->pipe], sizeof(done[j]));
			break;
		case 1:
			memcpy(flag[o->pipe][o->to][o->id], known[o->pipe], sizeof(known[0]));
			for (unsigned i = 0; i < j; i++)
				if (ops[i].kind == 0 && ops[i].pipe == o->pipe)
					flag[o->pipe][o->to][o->id][i] = true;
			break;
		case 2:
			for (unsigned i = 0; i < n; i++)
				known[o->to][i] |= flag[o->pipe][o->to][o->id][i];
			break;
		default:
			for (unsigned i = 0; i < j; i++)
				if (ops[i].kind == 0 && ops[i].pipe == o->pipe)
					known[o->pipe][i] = true;
			break;
		}
	}
}

static bool conflict(const op *a, const op *b)
{
	return (a->write >= 0 && (a->write == b->write || a->write == b->read)) ||
	       (b->write >= 0 && b->write == a->read);
}

static void random_programs_race_where_an_oracle_says_so(void)
{
	GString *text = g_string_new(NULL);
	unsigned raced = 0, ordered = 0;

	seed = 3;
	for (unsigned round = 0; round < 300; round++) {
		op ops[OPS];
		bool done[OPS][OPS] = {{false}};
		unsigned n = random_program(ops, text), expected = 0;
		asc_rig *r = asc_rig_run(text->str, &(asc_rig_setup){COUPLED, .sets = {"scalar.dual_issue=0"}});

		CU_ASSERT_PTR_NULL_FATAL(r->deadlock);
		reach(ops, n, done);
		for (unsigned j = 0; j < n; j++)
			for (unsigned i = 0; i < j; i++)
				if (ops[i].kind == 0 && ops[j].kind == 0 && conflict(&ops[i], &ops[j])) {
					expected += !done[j][i];
					ordered += done[j][i];
				}
		/* Each race reported is one; where there are any, one is reported. */
		for (guint k = 0; k < r->violations->len; k++) {
			const asc_violation *v = &g_array_index(r->violations, asc_violation, k);
			unsigned i = MIN(v->insn, v->other_insn), j = MAX(v->insn, v->other_insn);

			if (v->kind != ASC_FINDING_RACE)
				continue;
			CU_ASSERT_TRUE(j < n && conflict(&ops[i], &ops[j]) && !done[j][i]);
		}
		CU_ASSERT_EQUAL(asc_rig_count(r, ASC_FINDING_RACE) > 0, expected > 0);
		raced += expected > 0;
		asc_rig_free(r);
	}
	CU_ASSERT_TRUE(raced > 20 && ordered > 300);
	g_string_free(text, TRUE);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_race_is_found_although_the_two_did_not_meet", a_race_is_found_although_the_two_did_not_meet},
		{"a_race_that_meets_is_told_apart", a_race_that_meets_is_told_apart},
		{"a_flag_orders", a_flag_orders},
		{"a_flag_set_too_early_does_not", a_flag_set_too_early_does_not},
		{"a_wait_on_another_pipe_does_not", a_wait_on_another_pipe_does_not},
		{"order_passes_through_a_third_pipe", order_passes_through_a_third_pipe},
		{"order_passes_through_the_scalar_unit_to_what_it_pushes_later",
	         order_passes_through_the_scalar_unit_to_what_it_pushes_later},
		{"what_raced_itself_is_not_forgotten", what_raced_itself_is_not_forgotten},
		{"a_repeated_read_counts_as_the_last_one", a_repeated_read_counts_as_the_last_one},
		{"a_pipe_needs_a_barrier_between_its_own", a_pipe_needs_a_barrier_between_its_own},
		{"a_barrier_of_another_pipe_does_not_help", a_barrier_of_another_pipe_does_not_help},
		{"reads_do_not_race", reads_do_not_race},
		{"a_write_after_a_read_races", a_write_after_a_read_races},
		{"a_write_in_place_races_with_an_earlier_read", a_write_in_place_races_with_an_earlier_read},
		{"accumulating_on_the_same_block_is_ordered_by_hardware",
	         accumulating_on_the_same_block_is_ordered_by_hardware},
		{"scalar_accesses_are_in_order_but_not_with_others", scalar_accesses_are_in_order_but_not_with_others},
		{"cores_race_in_global_memory", cores_race_in_global_memory},
		{"blocks_of_one_core_do_not", blocks_of_one_core_do_not},
		{"strides_between_one_another_do_not_race", strides_between_one_another_do_not_race},
		{"masked_lanes_are_not_touched", masked_lanes_are_not_touched},
		{"a_race_in_a_loop_is_reported_once", a_race_in_a_loop_is_reported_once},
		{"boxes_overlap_as_bytes_do", boxes_overlap_as_bytes_do},
		{"extents_are_found_as_by_looking_at_all", extents_are_found_as_by_looking_at_all},
		{"what_a_later_access_stands_for_is_forgotten", what_a_later_access_stands_for_is_forgotten},
		{"random_programs_race_where_an_oracle_says_so", random_programs_race_where_an_oracle_says_so},
	};

	return tap_run("asc_races", cases, G_N_ELEMENTS(cases));
}
