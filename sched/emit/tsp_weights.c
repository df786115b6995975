/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights: from memory into the shadow buffers, and the install.
 *
 * The weights of a block come in a few bursts.  One unit alone takes them through the ports of its planes; units that
 * work on different rows with the same weights share the loads, through registers.  Beside rows that run all the time,
 * bursts keep to the cycles between them; where weights bind, rows run now and then, and only what is loaded meanwhile
 * keeps to that.
 */
#include "sched/emit/tsp_mxm.h"

#include <string.h>

enum {
	WEIGHT_BURSTS = 4,  /* that the weights of a block come in, at least */
	BETWEEN_LEAST = 16, /* rows of weights worth a burst between rows of activations */
	STRIPES_MAX = TSPE_QUEUES_MAX,
};

/* Units that get the same weights, and how far they are: row R of the block lies in stripe (R + OFFSET) mod STRIPES. */
typedef struct peers {
	mxm_unit *unit[TSPE_PLANES_MAX];
	unsigned count;
	uint32_t stripes, offset, stripe; /* STRIPE: the next one to load from */
	uint32_t loaded[STRIPES_MAX];     /* rows of each */
	uint32_t left;                    /* rows of all, still to come */
} peers;

/* COUNT rows of weights from FIRST on, STEP rows apart. */
typedef struct burst {
	const peers *to;
	uint32_t first, step, count;
	int lw;                         /* step of the first peer's */
	unsigned port[TSPE_PLANES_MAX]; /* of each peer, of its unit's */
} burst;

static void note_weights(tspe_kernel *k, void *state)
{
	const burst *b = state;

	for (unsigned u = 0; u < b->to->count; u++)
		for (uint32_t i = 0; i < k->n; i++) {
			const tspe_step *lw = &k->step[b->lw + (int)u];
			uint32_t row = b->first + (k->first + i) * b->step;

			b->to->unit[u]->loaded[row] = tspe_due_at(k, lw, i, 0);
			b->to->unit[u]->loader[row] = lw->instance + i;
			b->to->unit[u]->port_free[b->port[u]] = tspe_due_at(k, lw, i, 0);
		}
}

/* As many as find a place while the rows of the pass before this one are still loaded. */
static void load_between_rows(const mxm_pass *p, tspe_kernel *k)
{
	uint32_t interval = p->work->interval;
	int64_t room = (p->beat.last - tspe_earliest(k, 0, k->count, interval)) / interval;

	if (interval == 1 || room < BETWEEN_LEAST || k->count < BETWEEN_LEAST)
		return;
	k->strict = true;
	if (tspe_place(k, 0, (uint32_t)MIN(room, (int64_t)k->count), interval, TSPE_NEVER)) {
		if (tspe_issue_at(k, &k->step[0], k->n - 1, 0) < p->beat.last + BETWEEN_LEAST)
			tspe_commit(k);
		else
			tspe_unplace(k);
	}
	k->strict = false;
}

/* The port that is done with its bursts so far. */
static unsigned first_free(const mxm_unit *u, unsigned ports)
{
	unsigned best = 0;

	for (unsigned i = 1; i < ports; i++)
		if (u->port_free[i] < u->port_free[best])
			best = i;
	return best;
}

static int add_lw(tspe_kernel *k, const mxm_pass *p, const burst *b, unsigned peer)
{
	const mxm_unit *u = b->to->unit[peer];
	unsigned plane = u->plane + b->port[peer];
	int index = tspe_kernel_add(k, ISA_OP_LW, k->e->weights[plane].at, 1);
	tspe_step *s = &k->step[index];

	s->insn.count = 1;
	s->insn.type = (uint8_t)p->work->type;
	s->insn.lanes = (uint16_t)u->lanes;
	s->weight_bytes = u->lanes * p->work->w->element;
	s->not_before = u->state->shadow_free + 1 - s->delay - s->skew;
	/* A single plane's bursts follow each other: loads ahead of that would only keep registers. */
	if (p->work->stride == 1 && u->port_free[b->port[peer]] != TSPE_NEVER)
		s->not_before = MAX(s->not_before, u->port_free[b->port[peer]] + 1 - s->delay - s->skew);
	s->insn.src0 = (uint16_t)ISA_PLACE_WT(plane);
	s->addr = tspe_kernel_alloc(k, k->count * sizeof(int64_t));
	for (uint32_t i = 0; i < k->count; i++)
		s->addr[i] = b->first + i * b->step;
	return index;
}

/* Through the port where one unit takes a steady stream; else through registers. */
static void link_load(tspe_kernel *k, const burst *b, int load, enum isa_type type)
{
	tspe_step *s = &k->step[load];

	if (b->to->count == 1 && s->beats_max == s->beats_min) {
		s->result = TSPE_PORT;
		s->insn.dst = k->step[b->lw].insn.src0;
	} else {
		tspe_kernel_result(k, load, tspe_span(k->e->m, b->to->unit[0]->lanes, type));
	}
	for (unsigned u = 0; u < b->to->count; u++)
		tspe_kernel_link(k, b->lw + (int)u, 0, load);
}

static bool load_burst(const mxm_pass *p, burst *b, GError **error)
{
	const mxm_work *work = p->work;
	tspe *e = work->e;
	const mxm_unit *first = b->to->unit[0];
	uint32_t bytes = first->lanes * work->w->element;
	g_autoptr(tspe_kernel) k = tspe_kernel_new(e, b->count);
	int load = tspe_kernel_add(k, ISA_OP_LOAD, e->mem.at, e->mem.count);
	tspe_policy policy = {0};

	tspe_kernel_memory(k, load, work->w, bytes, 0, 1);
	for (uint32_t i = 0; i < k->count; i++)
		k->step[load].addr[i] =
			(int64_t)tspe_element_addr(work->w, p->block->weight_row + b->first + i * b->step,
		                                   first->column * work->c->low->vector_lanes);
	for (unsigned u = 0; u < b->to->count; u++) {
		int lw;

		b->port[u] = first_free(b->to->unit[u], work->stride);
		lw = add_lw(k, p, b, u);
		b->lw = u ? b->lw : lw;
	}
	tspe_kernel_finish(k);
	link_load(k, b, load, work->type);
	k->placed = note_weights;
	k->placed_state = b;
	e->use.loaded_weight_bytes += (uint64_t)bytes * b->count;
	k->rhythm = work->interval;
	k->step[load].beat = p->beat.first + 1;
	if (!p->beside_rows)
		load_between_rows(p, k);
	k->rhythm = p->beside_rows ? work->interval : 0;
	policy.interval_min = MAX(tspe_kernel_interval(k), p->beside_rows ? work->interval : 1);
	policy.interval_max = policy.interval_min + 3;
	return tspe_run(k, &policy, error);
}

/* Stripes that the rows of the unit's weights are laid out in. */
static uint32_t stripes_of(const mxm_pass *p, const mxm_unit *u)
{
	const low_tensor *w = p->work->w->low;
	bool narrow = u->column * p->work->c->low->vector_lanes >= w->blocks * w->vector_lanes;

	return MAX(1, p->work->w->stripes[narrow].count);
}

static void begin_peers(const mxm_pass *p, peers *to, uint32_t stripe)
{
	to->stripes = stripes_of(p, to->unit[0]);
	to->offset = (uint32_t)(p->block->weight_row % to->stripes);
	to->stripe = stripe % to->stripes;
	to->left = p->block->lanes;
}

/* The first row of the block in a stripe. */
static uint32_t first_row(const peers *to, uint32_t stripe)
{
	return (stripe + to->stripes - to->offset) % to->stripes;
}

static uint32_t stripe_left(const mxm_pass *p, const peers *to, uint32_t stripe)
{
	uint32_t first = first_row(to, stripe);
	uint32_t rows = first < p->block->lanes ? (p->block->lanes - first - 1) / to->stripes + 1 : 0;

	return rows - to->loaded[stripe];
}

static uint32_t burst_rows(const mxm_pass *p, const peers *to)
{
	uint32_t bursts = (WEIGHT_BURSTS + to->stripes - 1) / to->stripes * to->stripes;

	return (p->block->lanes + bursts - 1) / bursts;
}

/* The next burst: stripe after stripe. */
static bool load_next(const mxm_pass *p, peers *to, GError **error)
{
	burst b = {.to = to, .step = to->stripes};

	while (!stripe_left(p, to, to->stripe))
		to->stripe = (to->stripe + 1) % to->stripes;
	b.first = first_row(to, to->stripe) + to->loaded[to->stripe] * to->stripes;
	b.count = MIN(burst_rows(p, to), stripe_left(p, to, to->stripe));
	to->loaded[to->stripe] += b.count;
	to->left -= b.count;
	to->stripe = (to->stripe + 1) % to->stripes;
	return load_burst(p, &b, error);
}

/* Are the block's weights installed already? */
static bool holds(const mxm_pass *p, const mxm_unit *u)
{
	return u->state->held == p->work->w && u->state->held_row == p->block->weight_row &&
	       u->state->held_rows == p->block->lanes && u->state->held_column == u->column;
}

/* Adds U to those that need its column, or begins a new group of them; the widest column first: it takes longest. */
static void add_peer(peers *groups, unsigned *count, mxm_unit *u)
{
	unsigned at = *count;

	for (unsigned g = 0; g < *count; g++)
		if (groups[g].unit[0]->column == u->column) {
			groups[g].unit[groups[g].count++] = u;
			return;
		}
	for (; at > 0 && groups[at - 1].unit[0]->lanes < u->lanes; at--)
		groups[at] = groups[at - 1];
	memset(&groups[at], 0, sizeof groups[at]);
	groups[at].unit[0] = u;
	groups[at].count = 1;
	++*count;
}

/* Beside rows of a pair one group after the other, so that the first one's install frees its buffer while the next one
 * is being filled.  Else in turn, from different stripes: single planes have one port each, and where weights bind all
 * queues are to work all the time. */
static bool load_groups(const mxm_pass *p, peers *groups, unsigned count, GError **error)
{
	bool in_turn = p->work->stride == 1 || !p->beside_rows;
	unsigned left = count;

	for (unsigned g = 0; g < count; g++)
		begin_peers(p, &groups[g], in_turn ? g : 0);
	for (unsigned g = 0; left; g = in_turn || !groups[g].left ? (g + 1) % count : g) {
		if (!groups[g].left)
			continue;
		if (!load_next(p, &groups[g], error))
			return false;
		left -= !groups[g].left;
	}
	return true;
}

/* The rows' producers, as few pieces as they make. */
static void add_row_sources(tspe *e, uint32_t id, const mxm_unit *u, uint32_t rows)
{
	for (uint32_t r = 0, pieces = 0; r < rows && pieces < UINT8_MAX; pieces++) {
		isa_source source = {.base = u->loader[r], .seg_div = 1, .segments = 1};

		if (r + 1 < rows)
			source.seg_step = (int32_t)(u->loader[r + 1] - u->loader[r]);
		while (r + source.segments < rows &&
		       u->loader[r + source.segments] - source.base == (uint32_t)source.seg_step * source.segments)
			source.segments++;
		isa_program_add_source(e->program, id, 0, &source);
		r += source.segments;
	}
}

/* Installs the block as soon as its weights are there and the rows of the pass before it are through. */
static void install(const mxm_pass *p, mxm_unit *u)
{
	tspe *e = p->work->e;
	int32_t skew = (int32_t)isa_machine_skew(e->m, ISA_UNIT_MXM);
	int64_t sample = u->state->active_until + 1 - e->m->mxm_iw_cycles;
	int64_t arrival = TSPE_NEVER;
	int64_t start, until;
	isa_insn insn;
	isa_prediction prediction = {{ISA_NO_TIME, ISA_NO_TIME, ISA_NO_TIME}, ISA_NO_TIME, 0};
	uint32_t id;

	for (uint32_t r = 0; r < p->block->lanes; r++)
		arrival = MAX(arrival, u->loaded[r]);
	sample = MAX(MAX(sample, arrival), e->cal.floor + skew);
	tspe_find_queue(&e->cal, e->weights[u->plane].at, 1, sample - skew, 1, &start, &until);
	tspe_take_queue(&e->cal, e->weights[u->plane].at[0], start, 1);
	insn = isa_insn_make(ISA_OP_IW, e->weights[u->plane].at[0], start);
	insn.count = p->block->lanes;
	insn.type = (uint8_t)p->work->type;
	id = isa_program_add(e->program, &insn, e->node);
	add_row_sources(e, id, u, p->block->lanes);
	prediction.arrival[0] = (int32_t)(arrival - start);
	prediction.result = skew + (int32_t)e->m->mxm_iw_cycles;
	isa_program_set_prediction(e->program, id, &prediction);
	u->state->installer = isa_program_instance(e->program, id);
	u->state->installed = start + prediction.result;
	u->state->shadow_free = start + skew;
	u->state->held = p->work->w;
	u->state->held_row = p->block->weight_row;
	u->state->held_rows = p->block->lanes;
	u->state->held_column = u->column;
	e->end = MAX(e->end, u->state->installed);
	e->cal.horizon = MAX(e->cal.horizon, u->state->installed + 1);
}

bool mxm_prepare(const mxm_pass *passes, unsigned count, GError **error)
{
	peers groups[TSPE_PLANES_MAX];
	unsigned group_count = 0;

	for (unsigned j = 0; j < count; j++)
		for (unsigned i = 0; i < passes[j].job->units; i++)
			if (!holds(&passes[j], &passes[j].units[i]))
				add_peer(groups, &group_count, &passes[j].units[i]);
	if (!load_groups(&passes[0], groups, group_count, error))
		return false;
	for (unsigned j = 0; j < count; j++)
		for (unsigned i = 0; i < passes[j].job->units; i++)
			if (!holds(&passes[j], &passes[j].units[i]))
				install(&passes[j], &passes[j].units[i]);
	return true;
}
