/* SPDX-License-Identifier: Apache-2.0
 *
 * Cutting loops that the vector unit cannot run in one go: too many operations and copies, too many bytes on streams,
 * or lane exchanges, whose results come back from the SXM so late that whatever meets them has to wait in memory.
 *
 * Steps get a stage: one more than that of any lane exchange they depend on.  Inside a stage steps are packed in order
 * into as few loops as fit.
 */
#include "sched/emit/isca20_loop.h"

enum { NOT_YET = UINT16_MAX };

typedef struct splitter {
	const isca *c;
	const low_vloop *loop;
	GArray *steps; /* low_step */
	const char *name;
	const isca_limits *limits;
	GArray *tensors;
	uint16_t part[ISCA_STEPS_MAX]; /* which part an operation went to */
	uint32_t temp[ISCA_STEPS_MAX]; /* tensor that carries its value to later parts, UINT32_MAX = none yet */
	uint16_t parts;
} splitter;

isca_loop *isca_loop_new(uint64_t n0, uint64_t n1, uint64_t lanes)
{
	isca_loop *loop = g_new0(isca_loop, 1);

	*loop = (isca_loop){.n0 = n0, .n1 = n1, .lanes = lanes};
	loop->steps = g_array_new(FALSE, FALSE, sizeof(low_step));
	return loop;
}

void isca_loop_free(isca_loop *loop)
{
	g_array_unref(loop->steps);
	g_free(loop);
}

static const low_step *step_at(const splitter *s, int i)
{
	return &g_array_index(s->steps, low_step, i);
}

static bool is_work(const low_step *step)
{
	return step->kind == LOW_OP || step->kind == LOW_LANES;
}

static bool reads(const low_step *step, int value)
{
	return is_work(step) && (step->in[0] == value || step->in[1] == value);
}

/* Is the value of step I read by work outside the first COUNT members? */
static bool read_elsewhere(const splitter *s, int i, const int *members, unsigned count)
{
	for (int j = i + 1; j < (int)s->steps->len; j++) {
		unsigned m = 0;

		while (m < count && members[m] != j)
			m++;
		if (m == count && reads(step_at(s, j), i))
			return true;
	}
	return false;
}

static low_ref temp_ref(const splitter *s, int value)
{
	return (low_ref){.tensor = s->temp[value], .section = 1, .step0 = 1, .step1 = (int64_t)s->loop->n0};
}

static int add_step(isca_loop *loop, low_step step)
{
	g_array_append_val(loop->steps, step);
	return (int)loop->steps->len - 1;
}

/* The step of LOOP that holds the value of step I: a member's own, or a load. */
static int16_t value_in(const splitter *s, isca_loop *loop, int16_t *at, int i)
{
	const low_step *step = step_at(s, i);
	low_step load = *step;

	if (at[i] >= 0)
		return at[i];
	if (step->kind != LOW_LOAD)
		load = (low_step){.kind = LOW_LOAD,
		                  .ref = temp_ref(s, i),
		                  .type = step->dtype,
		                  .dtype = step->dtype,
		                  .in = {-1, -1}};
	return at[i] = (int16_t)add_step(loop, load);
}

static void add_stores(const splitter *s, isca_loop *loop, const int16_t *at, const int *members, unsigned count)
{
	for (int i = 0; i < (int)s->steps->len; i++) {
		low_step store = *step_at(s, i);

		if (store.kind != LOW_STORE || s->part[store.in[0]] != s->parts)
			continue;
		store.in[0] = at[store.in[0]];
		add_step(loop, store);
	}
	for (unsigned m = 0; m < count; m++) {
		const low_step *step = step_at(s, members[m]);

		if (!read_elsewhere(s, members[m], members, count))
			continue;
		add_step(loop, (low_step){.kind = LOW_STORE,
		                          .ref = temp_ref(s, members[m]),
		                          .type = step->dtype,
		                          .dtype = step->dtype,
		                          .in = {at[members[m]], -1}});
	}
}

/* The loop of COUNT members; values from and for other parts go through s->temp. */
static isca_loop *build(splitter *s, const int *members, unsigned count)
{
	isca_loop *loop = isca_loop_new(s->loop->n0, s->loop->n1, s->loop->lanes);
	int16_t at[ISCA_STEPS_MAX];

	for (unsigned i = 0; i < ISCA_STEPS_MAX; i++)
		at[i] = -1;
	for (unsigned m = 0; m < count; m++)
		s->part[members[m]] = s->parts;
	for (unsigned m = 0; m < count; m++) {
		low_step step = *step_at(s, members[m]);

		for (unsigned o = 0; o < 2; o++)
			if (step.in[o] >= 0)
				step.in[o] = value_in(s, loop, at, step.in[o]);
		at[members[m]] = (int16_t)add_step(loop, step);
	}
	add_stores(s, loop, at, members, count);
	return loop;
}

/* Does LOOP use some tensor more than once?  Temporary ones are laid out for it. */
static bool uses_twice(const splitter *s, const isca_loop *loop)
{
	for (unsigned i = 0; i < loop->steps->len; i++)
		for (unsigned j = 0; j < i; j++) {
			const low_step *a = isca_step(loop, i);
			const low_step *b = isca_step(loop, j);

			if (is_work(a) || is_work(b) || a->ref.tensor != b->ref.tensor || a->ref.tensor == UINT32_MAX)
				continue;
			if (g_array_index(s->tensors, isca_tensor, a->ref.tensor).node != UINT32_MAX)
				return true;
		}
	return false;
}

/* Do ALUs, streams and lane units suffice, wherever the tensors come to lie? */
static bool fits(const splitter *s, const isca_loop *loop)
{
	const isa_machine *m = s->c->m;
	unsigned loads = 0, stores = 0, lanes = 0, permutes = 0, distributes = 0;
	isca_chain chain;

	for (unsigned i = 0; i < loop->steps->len; i++) {
		const low_step *step = isca_step(loop, i);
		unsigned bytes = isa_type_bytes(step->dtype);

		if (step->kind == LOW_LOAD)
			loads += bytes;
		else if (step->kind == LOW_STORE)
			stores += bytes;
		else if (step->kind == LOW_LANES) {
			lanes += bytes;
			*(step->lane_xor < m->lanes_per_superlane ? &distributes : &permutes) += 1;
		}
	}
	return loads <= s->limits->load_bytes && loads + 2 * lanes <= s->c->stream_count &&
	       stores + lanes <= s->c->stream_count && permutes <= m->sxm_queues.at[ISA_SXM_PERMUTE] &&
	       distributes <= m->sxm_queues.at[ISA_SXM_DISTRIBUTE] && !(s->limits->single && uses_twice(s, loop)) &&
	       isca_time_chain(s->c, loop, &chain);
}

/* Values of the members that later parts want get tensors. */
static void add_temps(splitter *s, const int *members, unsigned count)
{
	for (unsigned m = 0; m < count; m++) {
		isca_tensor t = {
			.name = s->name,
			.type = step_at(s, members[m])->dtype,
			.rows = s->loop->n0 * s->loop->n1,
			.lanes = s->loop->lanes,
			.vector_lanes = s->c->lanes,
			.blocks = 1,
			.node = UINT32_MAX,
		};

		if (!read_elsewhere(s, members[m], members, count))
			continue;
		s->temp[members[m]] = s->tensors->len;
		g_array_append_val(s->tensors, t);
	}
}

static void close_part(splitter *s, GPtrArray *loops, const int *members, unsigned count)
{
	add_temps(s, members, count);
	g_ptr_array_add(loops, build(s, members, count));
	s->parts++;
}

static unsigned stage_of(const splitter *s, int i, const unsigned *stages)
{
	const low_step *step = step_at(s, i);
	unsigned stage = 0;

	for (unsigned o = 0; o < 2; o++)
		if (step->in[o] >= 0 && is_work(step_at(s, step->in[o])))
			stage = MAX(stage, stages[step->in[o]] + (step_at(s, step->in[o])->kind == LOW_LANES));
	return stage;
}

static low_step copy_of(const GArray *steps, int16_t value)
{
	enum isa_type type = g_array_index(steps, low_step, (guint)value).dtype;

	return (low_step){.kind = LOW_OP, .op = ISA_OP_COPY, .type = type, .dtype = type, .in = {value, -1}};
}

static bool is_load(const GArray *steps, int16_t value)
{
	return value >= 0 && g_array_index(steps, low_step, (guint)value).kind == LOW_LOAD;
}

/* Does STEP need a copy of its last operand?  What is loaded only to be stored passes through an ALU; where a tensor
 * may be used once only, copies give other parts of the loop something to hold on to. */
static bool wants_copy(const GArray *steps, const low_step *step, bool single)
{
	const low_step *x, *y;

	if (step->kind == LOW_STORE)
		return single || is_load(steps, step->in[0]);
	if (!single || step->kind != LOW_OP || !is_load(steps, step->in[0]) || !is_load(steps, step->in[1]) ||
	    step->in[0] == step->in[1])
		return false;
	x = &g_array_index(steps, low_step, (guint)step->in[0]);
	y = &g_array_index(steps, low_step, (guint)step->in[1]);
	return x->ref.tensor == y->ref.tensor;
}

static GArray *copy_steps(const low_vloop *loop, bool single)
{
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(low_step));
	int16_t at[ISCA_STEPS_MAX];

	for (guint i = 0; i < loop->steps->len; i++) {
		low_step step = g_array_index(loop->steps, low_step, i);
		unsigned last = step.kind == LOW_OP && step.in[1] >= 0;

		for (unsigned o = 0; o < 2; o++)
			if (step.in[o] >= 0)
				step.in[o] = at[step.in[o]];
		if (wants_copy(steps, &step, single)) {
			low_step copy = copy_of(steps, step.in[last]);

			step.in[last] = (int16_t)steps->len;
			g_array_append_val(steps, copy);
		}
		at[i] = (int16_t)steps->len;
		g_array_append_val(steps, step);
	}
	return steps;
}

GPtrArray *isca_split_loop(const isca *c, const low_vloop *loop, const char *name, const isca_limits *limits,
                           GArray *tensors)
{
	g_autoptr(GArray) steps = copy_steps(loop, limits->single);
	splitter s = {.c = c, .loop = loop, .steps = steps, .name = name, .limits = limits, .tensors = tensors};
	GPtrArray *loops = g_ptr_array_new_with_free_func((GDestroyNotify)isca_loop_free);
	unsigned stages[ISCA_STEPS_MAX], last = 0, count = 0;
	int members[ISCA_STEPS_MAX];

	for (int i = 0; i < (int)steps->len; i++) {
		s.part[i] = NOT_YET;
		s.temp[i] = UINT32_MAX;
		stages[i] = is_work(step_at(&s, i)) ? stage_of(&s, i, stages) : 0;
		last = MAX(last, stages[i]);
	}
	for (unsigned stage = 0; stage <= last; stage++) {
		for (int i = 0; i < (int)steps->len; i++) {
			isca_loop *trial;
			bool good;

			if (!is_work(step_at(&s, i)) || stages[i] != stage)
				continue;
			members[count++] = i;
			trial = build(&s, members, count);
			good = fits(&s, trial);
			isca_loop_free(trial);
			if (good || count == 1)
				continue;
			s.part[i] = NOT_YET;
			close_part(&s, loops, members, count - 1);
			members[0] = i;
			count = 1;
		}
		if (count)
			close_part(&s, loops, members, count);
		count = 0;
	}
	return loops;
}
