/* SPDX-License-Identifier: Apache-2.0
 *
 * Least lengths and uses of macro-operations, by closed formulas on the machine's keys.
 *
 *   matrix unit  a pass of a row through a block of weights takes an interval of one unit (a plane, or a pair of them)
 *   weights      every element enters once
 *   vector unit  an operation of a vector takes an ALU for a cycle
 *   memory       every vector that a step names is moved once; rows of a product once a round of columns
 *   slots        hashed memory: an access, of one vector at most, takes a queue for a cycle
 *   lanes        a movement of a vector takes a queue of the SXM for a cycle
 *
 * Nothing is charged for what a back end might avoid (waiting, conflicts, copies, padding), so the numbers are floors.
 */
#include "sched/lower/model.h"

enum { MXM, WEIGHTS, VXM, MEMORY, SLOTS, LANES, RESOURCES };
static const char *const names[RESOURCES] = {"MXM", "weights into the MXM", "VXM", "memory", "SRAM issue slots", "SXM"};

typedef struct lowest {
	const low_program *low;
	const isa_machine *m;
	int64_t load, store; /* cycles from a word of memory to a unit's input, from a unit's output back */
	double bytes;        /* that the memory moves a cycle */
	double slots;        /* accesses that begin in a cycle; 0: not bounded so */
} lowest;

static lowest lowest_of(const low_program *low, const isa_machine *m)
{
	lowest w = {.low = low, .m = m};

	if (m->hashed) {
		int64_t beats = (m->sram_block_bytes + m->sram_port_bytes - 1) / m->sram_port_bytes;

		w.load = w.store = m->sram_latency_cycles;
		w.slots = (double)m->sram_issue_per_cycle;
		w.bytes = (double)m->sram_banks * (double)m->sram_ports * (double)m->sram_block_bytes / (double)beats;
	} else {
		/* One hop at least; a slice reads or writes a word in each of its banks. */
		w.load = m->mem_read_cycles + m->stream_hop_cycles;
		w.store = m->mem_write_cycles + m->stream_hop_cycles;
		w.bytes = 2 * (double)m->mem_slices * (double)m->mem_banks_per_slice * (double)m->lanes;
	}
	return w;
}

static void load_slots(const lowest *w, sched_load *load, double accesses)
{
	if (w->slots > 0)
		load[SLOTS] = (sched_load){accesses / w->slots, 0, w->store - 1, load[MEMORY].early};
}

static const low_tensor *tensor_at(const lowest *w, uint32_t i)
{
	return &g_array_index(w->low->tensors, low_tensor, i);
}

static double blocks_of(const low_tensor *t)
{
	return (double)(t->blocks + (t->tail > 0));
}

/* ---- products ---- */

typedef struct product {
	const low_tensor *a, *w, *c;
	enum isa_type type;
	double rows, depth, depth_blocks, first_block;
	bool waits; /* is an operand some other macro's result? */
} product;

static product product_of(const lowest *w, const low_macro *macro)
{
	if (macro->kind == LOW_MATMUL) {
		const low_matmul *l = &macro->matmul;

		return (product){tensor_at(w, l->a),
		                 tensor_at(w, l->b),
		                 tensor_at(w, l->c),
		                 l->type,
		                 (double)l->m,
		                 (double)l->k,
		                 (double)((l->k + l->block_run - 1) / l->block_run),
		                 (double)MIN(l->block_run, l->k),
		                 macro->after->len > 0};
	}
	return (product){tensor_at(w, macro->conv.x),
	                 tensor_at(w, macro->conv.w),
	                 tensor_at(w, macro->conv.y),
	                 macro->conv.type,
	                 (double)(macro->conv.conv.oh * macro->conv.conv.ow),
	                 (double)graph_conv_k(&macro->conv.conv),
	                 (double)graph_conv_block_count(&macro->conv.conv),
	                 1,
	                 macro->after->len > 0};
}

static int64_t product_load(const lowest *w, const low_macro *macro, sched_load *load)
{
	const isa_machine *m = w->m;
	product p = product_of(w, macro);
	bool pair = p.type == ISA_TYPE_F16;
	double units = (double)m->mxm_planes / (pair ? 2 : 1), element = isa_type_bytes(p.type);
	double interval = (double)(pair ? m->mxm_fp16_interval_cycles : m->mxm_int8_interval_cycles);
	double columns = blocks_of(p.c), rounds = (double)(int64_t)((columns + units - 1) / units);
	double narrowest = (double)(p.c->tail ? p.c->tail : MIN(p.c->vector_lanes, p.c->lanes));
	double weight_bytes = (double)m->mxm_weight_bytes, enter = p.first_block * narrowest * element / weight_bytes;
	int64_t out = m->mxm_acc_cycles + w->store, first = w->load + m->mxm_abc_cycles + out;
	int64_t installed = w->load + (int64_t)enter + m->mxm_lw_cycles + m->mxm_iw_cycles;

	load[MXM] = (sched_load){p.rows * columns * p.depth_blocks * interval / units, p.waits ? w->load : installed,
	                         m->mxm_abc_cycles + out - 1, false};
	load[WEIGHTS] = (sched_load){p.depth * (double)p.c->lanes * element / weight_bytes, w->load,
	                             m->mxm_lw_cycles + m->mxm_iw_cycles + m->mxm_abc_cycles + out - 1, p.waits};
	load[MEMORY] = (sched_load){(p.rows * p.depth * element * (w->m->hashed ? rounds : 1) +
	                             p.depth * (double)p.c->lanes * element +
	                             p.rows * (double)p.c->lanes * isa_type_bytes(p.c->type)) /
	                                    w->bytes,
	                            0, w->store - 1, p.waits};
	/* A row's part in a block of weights, and of a result in a block of columns, is an access of its own. */
	load_slots(w, load,
	           p.rows * p.depth_blocks * rounds + p.rows * columns +
	                   p.depth * (double)p.c->lanes * element / (double)MAX(m->vreg_bytes, 1));
	return p.waits ? first : MAX(first, installed + m->mxm_abc_cycles + out);
}

/* ---- loops ---- */

static double vectors_of(const low_vloop *loop, const low_ref *ref)
{
	return (ref->step0 ? (double)loop->n0 : 1) * (ref->step1 ? (double)loop->n1 : 1);
}

/* Operations from a load to a store, on the shortest way. */
static unsigned depth_of(const low_vloop *loop)
{
	g_autofree unsigned *depth = g_new0(unsigned, loop->steps->len + 1);
	unsigned found = UINT_MAX;

	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = &g_array_index(loop->steps, low_step, i);
		unsigned best = UINT_MAX;

		for (unsigned o = 0; o < 2; o++)
			if (s->in[o] >= 0)
				best = MIN(best, depth[s->in[o]]);
		depth[i] = (best == UINT_MAX ? 0 : best) + (s->kind == LOW_OP);
		if (s->kind == LOW_STORE)
			found = MIN(found, depth[i]);
	}
	return found == UINT_MAX ? 0 : found;
}

static int64_t loop_load(const lowest *w, const low_vloop *loop, sched_load *load)
{
	const isa_machine *m = w->m;
	double total = (double)loop->n0 * (double)loop->n1, bytes = 0, ops = 0, moves = 0, vectors = 0;
	int64_t op = m->hashed ? m->vxm_entry_cycles + m->vxm_op_cycles : m->vxm_op_cycles, queues = 0;
	int64_t shortest = op * depth_of(loop);

	for (guint i = 0; i < loop->steps->len; i++) {
		const low_step *s = &g_array_index(loop->steps, low_step, i);

		if (s->kind == LOW_OP)
			ops += total;
		else if (s->kind == LOW_LANES)
			moves += total;
		if (s->kind != LOW_LOAD && s->kind != LOW_STORE)
			continue;
		vectors += vectors_of(loop, &s->ref);
		bytes += vectors_of(loop, &s->ref) * (double)loop->lanes *
		         isa_type_bytes(tensor_at(w, s->ref.tensor)->type);
	}
	for (unsigned r = 0; r < ISA_SXM_ROLES; r++)
		queues += m->sxm_queues.at[r];
	load[VXM] = (sched_load){ops / (double)m->vxm_ops, w->load, op + w->store - 1, false};
	load[MEMORY] = (sched_load){bytes / w->bytes, 0, w->store - 1, false};
	load_slots(w, load, vectors);
	load[LANES] = (sched_load){moves / (double)MAX(queues, 1), w->load, w->store, false};
	return w->load + shortest + w->store;
}

/* Vectors in and out, nothing more. */
static int64_t move_load(const lowest *w, const low_tensor *y, sched_load *load)
{
	double bytes = 2 * (double)y->rows * (double)y->lanes * isa_type_bytes(y->type);

	load[MEMORY] = (sched_load){bytes / w->bytes, 0, w->store - 1, false};
	return w->load + w->store;
}

/* By columns, or by rows and what the transposer makes of them, a byte a lane. */
static int64_t transpose_load(const lowest *w, const low_tensor *x, const low_tensor *y, sched_load *load)
{
	int64_t first = move_load(w, y, load);
	double columns = 2 * (double)y->rows * blocks_of(y);
	double rows = (double)x->rows * (double)((y->rows + x->vector_lanes - 1) / x->vector_lanes) +
	              (double)y->rows * (double)y->lanes * isa_type_bytes(y->type) / (double)w->m->lanes;

	load_slots(w, load, MIN(columns, rows));
	return first;
}

/* ---- dependences ---- */

typedef struct writers {
	uint32_t *count, *last; /* per tensor: macros that write it, and the last of them */
} writers;

/* Calls NOTE for each tensor that MACRO reads, or writes. */
static void each_tensor(const low_macro *macro, bool written, void (*note)(void *state, uint32_t tensor), void *state)
{
	switch (macro->kind) {
	case LOW_VLOOP:
		for (guint i = 0; i < macro->vloop.steps->len; i++) {
			const low_step *s = &g_array_index(macro->vloop.steps, low_step, i);

			if (s->kind == (written ? LOW_STORE : LOW_LOAD))
				note(state, s->ref.tensor);
		}
		return;
	case LOW_MATMUL:
		note(state, written ? macro->matmul.c : macro->matmul.a);
		if (!written)
			note(state, macro->matmul.b);
		return;
	case LOW_CONV:
		note(state, written ? macro->conv.y : macro->conv.x);
		return;
	case LOW_TRANSPOSE:
		note(state, written ? macro->transpose.y : macro->transpose.x);
		return;
	case LOW_GATHER:
		note(state, written ? macro->gather.y : macro->gather.x);
		return;
	}
}

typedef struct writing {
	writers *w;
	uint32_t macro;
} writing;

static void note_writer(void *state, uint32_t tensor)
{
	writing *x = state;

	if (!x->w->count[tensor] || x->w->last[tensor] != x->macro)
		x->w->count[tensor]++;
	x->w->last[tensor] = x->macro;
}

typedef struct reading {
	const writers *w;
	uint32_t from;
	bool sole;
} reading;

static void note_reader(void *state, uint32_t tensor)
{
	reading *x = state;

	x->sole |= x->w->count[tensor] == 1 && x->w->last[tensor] == x->from;
}

static void relate(sched_model *model, const low_program *low)
{
	writers w = {g_new0(uint32_t, low->tensors->len + 1), g_new0(uint32_t, low->tensors->len + 1)};

	for (guint i = 0; i < low->macros->len; i++) {
		writing x = {&w, i};

		each_tensor(&g_array_index(low->macros, low_macro, i), true, note_writer, &x);
	}
	for (guint i = 0; i < low->macros->len; i++) {
		const low_macro *macro = &g_array_index(low->macros, low_macro, i);

		for (guint a = 0; a < macro->after->len; a++) {
			reading x = {&w, g_array_index(macro->after, uint32_t, a), false};

			each_tensor(macro, false, note_reader, &x);
			sched_model_after(model, x.from, i, x.sole);
		}
	}
	g_free(w.count);
	g_free(w.last);
}

sched_model *low_model(const low_program *low, const isa_machine *machine)
{
	sched_model *model = sched_model_new(names, RESOURCES);
	lowest w = lowest_of(low, machine);

	model->before = machine->icu_barrier_cycles;
	for (guint i = 0; i < low->macros->len; i++) {
		const low_macro *macro = &g_array_index(low->macros, low_macro, i);
		sched_load load[SCHED_RESOURCES] = {{0}};
		int64_t first = 0;

		switch (macro->kind) {
		case LOW_MATMUL:
		case LOW_CONV:
			first = product_load(&w, macro, load);
			break;
		case LOW_VLOOP:
			first = loop_load(&w, &macro->vloop, load);
			break;
		case LOW_TRANSPOSE:
			first = transpose_load(&w, tensor_at(&w, macro->transpose.x), tensor_at(&w, macro->transpose.y),
			                       load);
			break;
		case LOW_GATHER:
			first = move_load(&w, tensor_at(&w, macro->gather.y), load);
			break;
		}
		sched_model_task(model, macro->name, first, load);
	}
	relate(model, low);
	return model;
}
