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

enum {
	WEIGHT_BURSTS = 4,  /* that the weights of a block come in, at least */
	BETWEEN_LEAST = 16, /* rows of weights worth a burst between rows of activations */
};

/* Units that get the same weights. */
typedef struct peers {
	mxm_unit *unit[TSPE_PLANES_MAX];
	unsigned count;
} peers;

/* COUNT rows of weights from FIRST on, STEP rows apart. */
typedef struct burst {
	const peers *to;
	uint32_t first, step, count;
	int lw; /* step of the first peer's */
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

static int add_lw(tspe_kernel *k, const mxm_pass *p, const burst *b, mxm_unit *u)
{
	unsigned plane = u->plane + u->turn++ % p->work->stride;
	int index = tspe_kernel_add(k, ISA_OP_LW, k->e->weights[plane].at, 1);
	tspe_step *s = &k->step[index];

	s->insn.count = 1;
	s->insn.type = (uint8_t)p->work->type;
	s->insn.lanes = (uint16_t)u->lanes;
	s->weight_bytes = u->lanes * p->work->w->element;
	s->not_before = u->state->shadow_free + 1 - s->delay - s->skew;
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
		int lw = add_lw(k, p, b, b->to->unit[u]);

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

static uint32_t parts_of(const mxm_pass *p, const mxm_unit *u)
{
	return (WEIGHT_BURSTS + stripes_of(p, u) - 1) / stripes_of(p, u);
}

/* Burst number INDEX: stripe by stripe, each in a few parts, the planes of a unit in turn. */
static bool load_piece(const mxm_pass *p, const peers *to, uint32_t index, GError **error)
{
	uint32_t stripes = stripes_of(p, to->unit[0]), parts = parts_of(p, to->unit[0]);
	uint32_t stripe = index % stripes, part = index / stripes;
	/* Rows of the block in this stripe, and those of them in this part. */
	uint32_t first = (uint32_t)((stripe + stripes - p->block->weight_row % stripes) % stripes);
	uint32_t count = first < p->block->lanes ? (p->block->lanes - first - 1) / stripes + 1 : 0;
	uint32_t from = count * part / parts, end = count * (part + 1) / parts;
	burst b = {.to = to, .first = first + from * stripes, .step = stripes, .count = end - from};

	return !b.count || load_burst(p, &b, error);
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
	groups[at] = (peers){.unit = {u}, .count = 1};
	++*count;
}

/* Pairs have two ports: one group after the other, so that the first one's install frees its buffer while the next one
 * is being filled.  Single planes have one: in turn, so that all are ready together although there are fewer queues. */
static bool load_groups(const mxm_pass *p, const peers *groups, unsigned count, GError **error)
{
	bool in_turn = p->work->stride == 1;
	uint32_t most = 0;

	for (unsigned g = 0; g < count; g++)
		most = MAX(most, stripes_of(p, groups[g].unit[0]) * parts_of(p, groups[g].unit[0]));
	for (uint32_t n = 0; n < count * most; n++) {
		const peers *to = &groups[in_turn ? n % count : n / most];
		uint32_t index = in_turn ? n / count : n % most;

		if (index < stripes_of(p, to->unit[0]) * parts_of(p, to->unit[0]) && !load_piece(p, to, index, error))
			return false;
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
	e->macro_end = MAX(e->macro_end, u->state->installed);
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
