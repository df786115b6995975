/* SPDX-License-Identifier: Apache-2.0
 *
 * Order of steps: list scheduling of a window of a sub-core's steps, so that results of the vector unit ripen while
 * others are computed and pipes start early.  Steps that touch the same bytes, one writing, keep their order.
 *
 * A window is a stretch of steps that follow one another without a step of another sub-core or a meeting between, so
 * nothing is moved past what another sub-core does.  A window keeps its kernel's order where the new one is not shorter
 * by the same reckoning; times are those of predict.c's formulas, memory alone.
 */
#include "sched/emit/ascend/predict.h"

enum { WINDOW = 48, LEAST_STEPS = 3, MOST_STEPS = 500000 };

typedef struct ready_step {
	asb_item item;
	enum asc_pipe pipe;
	unsigned boxes;
	asb_box box[ASB_BOXES];
	double busy, latency;      /* until the pipe is free, until the result is there */
	uint64_t before, own_pipe; /* bits: steps of the window it depends on; those of its pipe that need a barrier */
	unsigned users;
	double path; /* longest way to the end of the window */
	double start, done;
} ready_step;

typedef struct window {
	const asb *b;
	ready_step *step;
	unsigned count;
	double work[ASC_PIPES]; /* of a pipe in the window */
} window;

static bool touches(const ready_step *a, const ready_step *b, bool *hardware)
{
	bool any = false;

	*hardware = a->pipe == b->pipe;
	for (unsigned i = 0; i < a->boxes; i++)
		for (unsigned k = 0; k < b->boxes; k++) {
			const asb_box *x = &a->box[i], *y = &b->box[k];

			if (x->space != y->space || (!x->write && !y->write) || !asb_box_meet(x, y))
				continue;
			any = true;
			if (*hardware && !asc_ordered(a->pipe, (enum asc_space)x->space, x->write, y->write))
				*hardware = false;
		}
	return any;
}

/* Cycles alone on its pipe, and until its bytes are where they belong. */
static void time_step(const asb *b, ready_step *s)
{
	const asc_machine *m = b->machine;
	const asb_mode *mode = &g_array_index(b->modes, asb_mode, s->item.mode);
	double bytes = 0;

	for (unsigned i = 0; i < s->boxes; i++)
		if (s->box[i].space == ASC_GM)
			bytes += (double)(s->box[i].bytes * s->box[i].count);
	switch (s->pipe) {
	case ASC_PIPE_V:
		if (s->item.insn.op != ASC_OP_L0C_TO_UB) {
			s->busy = MAX(ask_vector_cycles(&s->item.insn, mode, m), 1);
			s->latency = s->busy + (double)m->timing[asc_op((enum asc_op)s->item.insn.op)->timing].head;
			s->busy = MAX(s->busy, (double)m->vector_gap_cycles);
			return;
		}
		s->busy = s->latency = ask_out_cycles(&s->item.insn, m);
		return;
	case ASC_PIPE_M:
		s->busy = ask_product_cycles(&s->item.insn, m) + (double)m->cube_gap_cycles;
		s->latency = s->busy + (double)m->cube_start_cycles;
		return;
	case ASC_PIPE_MTE1:
		s->busy = ask_load_cycles(&s->item.insn, m);
		s->latency = s->busy + (double)m->mte1_start_cycles;
		return;
	case ASC_PIPE_MTE2:
		s->busy = bytes / (double)m->l2_core_read_bytes_per_cycle;
		s->latency = s->busy + (double)(m->mte2_start_cycles + m->l2_hit_cycles);
		return;
	case ASC_PIPE_MTE3:
	case ASC_PIPE_FIX:
		s->busy = bytes / (double)m->l2_core_write_bytes_per_cycle;
		s->latency = s->busy + (double)(m->mte3_start_cycles + m->mte3_response_cycles);
		return;
	default:
		s->busy = s->latency = (double)m->scalar_load_cycles;
		return;
	}
}

static void relate(window *w)
{
	for (unsigned i = 0; i < w->count; i++) {
		ready_step *s = &w->step[i];

		s->before = s->own_pipe = 0;
		s->users = 0;
		for (unsigned k = 0; k < i; k++) {
			bool hardware;

			/* The scalar unit goes in order, and so does what it does with registers. */
			if (s->pipe == ASC_PIPE_S && w->step[k].pipe == ASC_PIPE_S)
				s->before |= (uint64_t)1 << k;
			else if (touches(&w->step[k], s, &hardware)) {
				s->before |= (uint64_t)1 << k;
				w->step[k].users++;
				if (w->step[k].pipe == s->pipe && !hardware)
					s->own_pipe |= (uint64_t)1 << k;
			}
		}
	}
	for (unsigned i = w->count; i-- > 0;) {
		w->step[i].path = w->step[i].latency;
		for (unsigned k = i + 1; k < w->count; k++)
			if (w->step[k].before >> i & 1)
				w->step[i].path = MAX(w->step[i].path, w->step[i].latency + w->step[k].path);
	}
}

typedef struct pipes_at {
	double free[ASC_PIPES], done[ASC_PIPES];
	uint32_t mode; /* of the vector unit */
} pipes_at;

/* When S can start after what is in C. */
static double start_of(const window *w, const pipes_at *c, const ready_step *s)
{
	double start = c->free[s->pipe];

	/* Mask and mode are written by the scalar unit, which then pushes late. */
	if (asb_masked((enum asc_op)s->item.insn.op) && s->item.mode != c->mode)
		start += 2 * (double)w->b->machine->scalar_spr_cycles;
	for (unsigned k = 0; k < w->count; k++)
		if (s->before >> k & 1 && w->step[k].pipe != s->pipe)
			start = MAX(start, w->step[k].done + (double)w->b->machine->flag_latency_cycles);
	if (s->own_pipe)
		for (unsigned k = 0; k < w->count; k++)
			if (s->own_pipe >> k & 1)
				start = MAX(start, w->step[k].done);
	return start;
}

static void place(pipes_at *c, ready_step *s, double start)
{
	if (asb_masked((enum asc_op)s->item.insn.op))
		c->mode = s->item.mode;
	s->start = start;
	s->done = start + s->latency;
	c->free[s->pipe] = start + s->busy;
	c->done[s->pipe] = MAX(c->done[s->pipe], s->done);
}

static double length(const pipes_at *c)
{
	double end = 0;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		end = MAX(end, c->done[p]);
	return end;
}

static double kernel_order(window *w)
{
	pipes_at c = {.mode = w->step[0].item.mode};

	for (unsigned i = 0; i < w->count; i++)
		place(&c, &w->step[i], start_of(w, &c, &w->step[i]));
	return length(&c);
}

/* Longest way to the end, work left on its pipe, users. */
static double priority(const window *w, const ready_step *s)
{
	const sched_options *o = &w->b->options;

	return o->alpha * s->path + o->beta * w->work[s->pipe] + o->gamma * s->users;
}

/* The order of steps in ORDER; of those that can start first, the most urgent. */
static double list_order(window *w, unsigned *order)
{
	pipes_at c = {.mode = w->step[0].item.mode};
	uint64_t placed = 0;

	for (unsigned n = 0; n < w->count; n++) {
		unsigned best = w->count;
		double best_start = 0;

		for (unsigned i = 0; i < w->count; i++) {
			double start;

			if (placed >> i & 1 || (w->step[i].before & ~placed))
				continue;
			start = start_of(w, &c, &w->step[i]);
			if (best < w->count &&
			    (start > best_start ||
			     (start >= best_start && priority(w, &w->step[i]) <= priority(w, &w->step[best]))))
				continue;
			best = i;
			best_start = start;
		}
		place(&c, &w->step[best], best_start);
		placed |= (uint64_t)1 << best;
		order[n] = best;
	}
	return length(&c);
}

static bool order_window(asb *b, window *w, asb_sub *s, uint32_t first)
{
	unsigned order[WINDOW], vectors = 0;
	double kernel, list;

	memset(w->work, 0, sizeof(w->work));
	for (unsigned i = 0; i < w->count; i++) {
		ready_step *r = &w->step[i];

		r->item = *asb_item_at(s, first + i);
		r->pipe = asb_queue_of(&r->item.insn);
		vectors += r->pipe == ASC_PIPE_V;
	}
	if (vectors < LEAST_STEPS)
		return false;
	for (unsigned i = 0; i < w->count; i++) {
		ready_step *r = &w->step[i];

		r->boxes =
			asb_touch(&r->item.insn, &g_array_index(b->modes, asb_mode, r->item.mode), b->machine, r->box);
		time_step(b, r);
		w->work[r->pipe] += r->busy;
	}
	relate(w);
	kernel = kernel_order(w);
	list = list_order(w, order);
	if (list >= kernel)
		return false;
	for (unsigned i = 0; i < w->count; i++)
		*asb_item_at(s, first + i) = w->step[order[i]].item;
	b->counts.windows++;
	return true;
}

bool asb_order(asb *b)
{
	uint32_t *cursor = g_new0(uint32_t, (size_t)b->blocks * b->subs + 1);
	window w = {.b = b, .step = g_new(ready_step, WINDOW)};
	bool any = false;

	/* Looking at every pair of a window takes its time. */
	for (guint i = 0; b->sequence->len <= MOST_STEPS && i < b->sequence->len;) {
		asb_core core = g_array_index(b->sequence, asb_core, i);
		guint end = i + 1;

		if (core == ASB_SYNC || core == ASB_HOLD) {
			i = end;
			continue;
		}
		while (end < b->sequence->len && end - i < WINDOW && g_array_index(b->sequence, asb_core, end) == core)
			end++;
		w.count = end - i;
		if (b->sub[core].kind != ASC_CUBE && w.count >= LEAST_STEPS)
			any |= order_window(b, &w, &b->sub[core], cursor[core]);
		cursor[core] += w.count;
		i = end;
	}
	g_free(w.step);
	g_free(cursor);
	return any;
}
