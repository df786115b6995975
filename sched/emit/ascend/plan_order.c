/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of kernels, and a graph's kernels as a model: what each asks of an Ascend-style chip at least.
 *
 * Every core of the chip counts, as if all worked all the time: the cube takes a cycle for 16 x 16 results of as much
 * depth as it adds a cycle, the vector unit one for each row of operands of an element-wise node or reduction, operands
 * come in and results go out once.  Host data come from memory once.
 */
#include "sched/emit/ascend/plan.h"
#include "sched/sheet.h"

enum { CUBE, VECTOR, IN, OUT, MEMORY, RESOURCES };
static const char *const names[RESOURCES] = {"cube", "vector unit", "L2 to cores", "cores to L2", "global memory"};

static bool is_host(const graph_node *n)
{
	return n->op == GRAPH_INPUT || n->op == GRAPH_CONST;
}

static double bytes_of(const graph_node *n)
{
	return (double)n->rows * (double)n->lanes * isa_type_bytes(n->type);
}

static double ups(uint64_t amount, uint64_t unit)
{
	return (double)((amount + unit - 1) / unit);
}

/* Cycles of one cube. */
static double cube_cycles(const asc_machine *m, const graph *g, const graph_node *n)
{
	uint64_t size = isa_type_bytes(graph_at(g, n->in[0])->type), deep = (uint64_t)m->cube_k_bytes / size;
	uint64_t high = (uint64_t)m->cube_m, wide = (uint64_t)m->cube_n;

	if (n->op == GRAPH_MATMUL)
		return (double)n->batches * ups(n->m, high) * ups(n->n, wide) * ups(n->k, deep);
	if (n->op == GRAPH_CONV)
		return (double)(n->conv.images * n->conv.groups) * ups(n->conv.oh * n->conv.ow, high) *
		       ups(n->conv.n, wide) * ups(graph_conv_k(&n->conv), deep);
	return 0;
}

/* Cycles of one vector unit. */
static double vector_cycles(const asc_machine *m, const graph *g, const graph_node *n)
{
	if (n->op != GRAPH_UNARY && n->op != GRAPH_BINARY && n->op != GRAPH_REDUCE)
		return 0;
	return bytes_of(n->op == GRAPH_REDUCE ? graph_at(g, n->in[0]) : n) / (double)m->vector_bytes;
}

/* Kernel of each node; UINT32_MAX for the host's. */
static uint32_t *kernels_of(const graph *g, const GArray *parts)
{
	uint32_t *of = g_new(uint32_t, graph_size(g) + 1);

	for (uint32_t i = 0; i < graph_size(g); i++)
		of[i] = UINT32_MAX;
	for (guint p = 0; p < parts->len; p++) {
		const GArray *nodes = g_array_index(parts, ask_part, p).nodes;

		for (guint n = 0; n < nodes->len; n++)
			of[g_array_index(nodes, uint32_t, n)] = p;
	}
	return of;
}

static void add_before(GArray *before, uint32_t kernel)
{
	for (guint i = 0; i < before->len; i++)
		if (g_array_index(before, uint32_t, i) == kernel)
			return;
	g_array_append_val(before, kernel);
}

typedef struct counting {
	const graph *g;
	const asc_machine *m;
	const uint32_t *of;
	bool *seen; /* host data that came in already */
} counting;

/* What kernel PART reads from others, or the host. */
static void count_operands(const counting *c, guint part, const graph_node *n, sched_load *load, GArray *before)
{
	for (unsigned i = 0; i < graph_arity(n); i++) {
		const graph_node *x = graph_at(c->g, n->in[i]);
		bool view = n->op == GRAPH_ROWS || n->op == GRAPH_GATHER;

		if (c->of[n->in[i]] == part)
			continue;
		if (c->of[n->in[i]] != UINT32_MAX)
			add_before(before, c->of[n->in[i]]);
		/* Of a view only some rows may be wanted. */
		if (view || (is_host(x) && c->seen[n->in[i]]))
			continue;
		load[IN].cycles += bytes_of(x);
		if (is_host(x))
			load[MEMORY].cycles += bytes_of(x);
		c->seen[n->in[i]] |= is_host(x);
	}
}

static void add_kernel(sched_model *model, const counting *c, const GArray *parts, guint part, GArray *before)
{
	const ask_part *p = &g_array_index(parts, ask_part, part);
	const asc_machine *m = c->m;
	sched_load load[SCHED_RESOURCES] = {{0}};
	/* A copy to fetch, one to bring back. */
	int64_t in = m->mte2_start_cycles + m->l2_hit_cycles, out;
	double vectors = (double)m->cores * (m->coupled ? 1 : (double)m->core_vector_cores);
	bool alone = g_str_equal(p->pattern->name, "vector");

	out = alone ? m->mte3_start_cycles : 0;
	for (guint i = 0; i < p->nodes->len; i++) {
		uint32_t node = g_array_index(p->nodes, uint32_t, i);
		const graph_node *n = graph_at(c->g, node);

		count_operands(c, part, n, load, before);
		load[CUBE].cycles += cube_cycles(m, c->g, n) / (double)m->cores;
		/* Kernels that join operations may compute them in another way. */
		load[VECTOR].cycles += alone ? vector_cycles(m, c->g, n) / vectors : 0;
		if (ask_crosses(c->g, parts, part, node))
			load[OUT].cycles += bytes_of(n);
	}
	/* What nobody on the chip has read or written yet comes from far. */
	if (!before->len)
		in += m->hbm_miss_cycles;
	load[IN].cycles /= (double)m->cores * (double)MAX(m->l2_core_read_bytes_per_cycle, m->mte2_l1_bytes_per_cycle);
	load[OUT].cycles /= (double)m->cores * (double)m->l2_core_write_bytes_per_cycle;
	load[MEMORY].cycles /= (double)m->hbm_bytes_per_second / (double)m->clock_hz;
	for (unsigned r = 0; r < RESOURCES; r++) {
		load[r].lead = r == CUBE || r == VECTOR || r == OUT ? in : 0;
		load[r].trail = r == OUT ? 0 : out;
		load[r].early = (r == IN || r == MEMORY) && before->len;
	}
	sched_model_task(model, graph_at(c->g, g_array_index(p->nodes, uint32_t, p->nodes->len - 1))->name, in + out,
	                 load);
	for (guint i = 0; i < before->len; i++)
		sched_model_after(model, g_array_index(before, uint32_t, i), part, true);
}

void ask_plan_order(sched_sheet *sheet, const asc_machine *machine, const graph *g, const GArray *parts,
                    uint32_t *order)
{
	GPtrArray *before;
	sched_model *model;
	counting c = {g, machine, NULL, NULL};
	uint32_t *of;

	for (uint32_t i = 0; i < parts->len; i++)
		order[i] = i;
	if (!sheet)
		return;
	before = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	model = sched_model_new(names, RESOURCES);
	c.of = of = kernels_of(g, parts);
	c.seen = g_new0(bool, graph_size(g) + 1);
	for (guint p = 0; p < parts->len; p++) {
		GArray *list = g_array_new(FALSE, FALSE, sizeof(uint32_t));

		add_kernel(model, &c, parts, p, list);
		g_ptr_array_add(before, list);
	}
	g_free(c.seen);
	g_free(of);
	sched_describe(sheet, model);
	sched_decide_order(sheet, order, parts->len, before, NULL);
}
