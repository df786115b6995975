/* SPDX-License-Identifier: Apache-2.0
 *
 * The front door of the Ascend-style back end: places in global memory for what crosses kernels, one kernel after the
 * other, a meeting of all cores where one reads what another wrote.
 */
#include "sched/drive.h"
#include "sched/emit/ascend/build_int.h"
#include "sched/emit/ascend/plan.h"
#include "sched/search.h"

enum { ROW_ALIGN = 32 };

static const enum asc_type types[ISA_TYPE_COUNT] = {[ISA_TYPE_I8] = ASC_I8,
                                                    [ISA_TYPE_I16] = ASC_I16,
                                                    [ISA_TYPE_I32] = ASC_I32,
                                                    [ISA_TYPE_F16] = ASC_F16,
                                                    [ISA_TYPE_F32] = ASC_F32};

static ask_place place_of(const graph_node *n)
{
	ask_place p = {.pitch_bytes = n->lanes * isa_type_bytes(n->type)};

	/* Rows that begin inside a block cost copies a request more each. */
	if (n->rows > 1)
		p.pitch_bytes = (p.pitch_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
	return p;
}

static void place_tensor(asb *b, const graph *g, uint32_t node, ask_place *p)
{
	const graph_node *n = graph_at(g, node);
	const void *data = b->options.functional && (n->op == GRAPH_INPUT || n->op == GRAPH_CONST) ? n->data : NULL;

	*p = place_of(n);
	if ((n->op == GRAPH_INPUT || n->op == GRAPH_CONST) && ask_conv_dense(g, node))
		p->pitch_bytes = n->lanes * isa_type_bytes(n->type);
	p->address = asb_tensor(b, n->name, types[n->type], n->rows, n->lanes, p->pitch_bytes, n->output, data);
}

static void place_values(asb *b, const graph *g, const GArray *parts, ask_place *place)
{
	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);

		if (n->op == GRAPH_INPUT || n->op == GRAPH_CONST)
			place_tensor(b, g, i, &place[i]);
	}
	for (guint part = 0; part < parts->len; part++) {
		const GArray *nodes = g_array_index(parts, ask_part, part).nodes;

		for (guint k = 0; k < nodes->len; k++) {
			uint32_t i = g_array_index(nodes, uint32_t, k);

			if (!ask_crosses(g, parts, part, i))
				continue;
			if (graph_at(g, i)->output) {
				place_tensor(b, g, i, &place[i]);
			} else {
				place[i] = place_of(graph_at(g, i));
				place[i].address = asb_scratch(b, graph_at(g, i)->rows * place[i].pitch_bytes);
			}
		}
	}
}

/* Who wrote a value since the cores last met: nobody, one block (its number + 1), or several. */
enum { NOBODY = 0, SEVERAL = UINT32_MAX };

static uint32_t writer_now(const asb *b)
{
	return b->used_blocks == 1 ? asb_cube(b, 0) / b->subs + 1 : SEVERAL;
}

/* Does the kernel read what other cores wrote since they last met? */
static bool must_meet(const asb *b, const graph *g, const GArray *nodes, const uint32_t *fresh)
{
	for (guint k = 0; k < nodes->len; k++) {
		const graph_node *n = graph_at(g, g_array_index(nodes, uint32_t, k));

		for (unsigned i = 0; i < graph_arity(n); i++)
			if (fresh[n->in[i]] && (fresh[n->in[i]] == SEVERAL || fresh[n->in[i]] != writer_now(b)))
				return true;
	}
	return false;
}

/* On which blocks: all, or a share of them; from the first on, or from a later one. */
static void choose_blocks(asb *b)
{
	static const uint32_t shares[] = {1, 2, 3, 4, 6, 8, 12, 24, 0};
	enum { STARTS = 4 };
	uint32_t share = asb_decide(b, "cores", G_N_ELEMENTS(shares)), all = b->blocks, count;

	asb_window(b, 0, 0);
	count = shares[share] ? (all + shares[share] - 1) / shares[share] : 1;
	asb_window(b, all * asb_decide(b, "place", MIN(all, STARTS)) / MIN(all, STARTS), share ? count : 0);
}

static bool write_kernels(asb *b, const graph *g, const GArray *parts, const uint32_t *order, const ask_place *place,
                          GError **error)
{
	uint32_t *fresh = g_new0(uint32_t, graph_size(g) + 1);
	bool good = true;

	for (guint i = 0; good && i < parts->len; i++) {
		const ask_part *p = &g_array_index(parts, ask_part, order[i]);
		ask_kernel k = {g, p->nodes, place};

		asb_kernel(b, graph_at(g, g_array_index(p->nodes, uint32_t, 0))->name);
		choose_blocks(b);
		if (must_meet(b, g, p->nodes, fresh)) {
			asb_sync(b);
			memset(fresh, 0, graph_size(g) * sizeof(uint32_t));
		}
		good = !sched_stopped(b->options.sheet, error) && p->pattern->write(b, &k, error);
		for (guint n = 0; n < p->nodes->len; n++) {
			uint32_t node = g_array_index(p->nodes, uint32_t, n);

			fresh[node] = place[node].pitch_bytes ? writer_now(b) : NOBODY;
		}
	}
	asb_window(b, 0, 0);
	g_free(fresh);
	return good;
}

static bool compile_graph(asb *b, const graph *g, const GArray *parts, GError **error)
{
	ask_place *place = g_new0(ask_place, graph_size(g) + 1);
	uint32_t *order = g_new(uint32_t, parts->len + 1);
	bool good;

	place_values(b, g, parts, place);
	ask_plan_order(b->options.sheet, b->machine, g, parts, order);
	good = write_kernels(b, g, parts, order, place, error);
	g_free(place);
	g_free(order);
	return good;
}

/* Graphs in operations the machine has, cut into kernels; NULL with the error set. */
static GPtrArray *cut_all(GPtrArray *graphs, sched_report *report, GError **error)
{
	GPtrArray *cuts = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < graphs->len; i++) {
		GArray *parts = NULL;

		if (ask_legalise(g_ptr_array_index(graphs, i), report->notes, error))
			parts = ask_cut(g_ptr_array_index(graphs, i), error);
		if (!parts) {
			g_ptr_array_unref(cuts);
			return NULL;
		}
		g_ptr_array_add(cuts, parts);
	}
	return cuts;
}

/* Programs of so many steps take little time to write again. */
enum { SHORT_STEPS = 3000 };

typedef struct attempt {
	asc_program *program;
	sched_report report;
	uint64_t meeting_cycles; /* of cores without counters */
	uint32_t blocks;
	guint steps;
	bool may_halve; /* tiles of vector kernels may be smaller */
} attempt;

static void attempt_fini(attempt *a)
{
	if (a->program)
		asc_program_free(a->program);
	sched_report_fini(&a->report);
}

static bool write_all(asb *b, GPtrArray *graphs, GPtrArray *cuts, const sched_options *options, GError **error)
{
	for (guint i = 0; i < graphs->len; i++) {
		const graph *g = g_ptr_array_index(graphs, i);

		asb_layer(b, graphs->len > 1 ? g->name : NULL);
		b->options.sheet = options->sheets ? options->sheets[i] : NULL;
		if (!compile_graph(b, g, g_ptr_array_index(cuts, i), error)) {
			if (graphs->len > 1)
				g_prefix_error(error, "%s: ", g->name);
			return false;
		}
		if (options->progress)
			options->progress(options->progress_state, ASB_EMIT_SHARE * (i + 1) / graphs->len);
	}
	return true;
}

/* The program on as many cores as BLOCKS says, tiles of vector kernels HALVINGS times halved. */
static bool compile_for(GPtrArray *graphs, GPtrArray *cuts, const asc_machine *machine, const sched_options *options,
                        uint32_t blocks, uint32_t halvings, attempt *a, GError **error)
{
	asb *b;
	bool good;

	*a = (attempt){.program = asc_program_new(), .report = {.notes = g_string_new(NULL)}};
	b = asb_new(a->program, machine, options);
	asb_limit_blocks(b, blocks);
	b->halvings = halvings;
	good = write_all(b, graphs, cuts, options, error);
	good = good && asb_finish(b, &a->report, error);
	if (b->words)
		a->meeting_cycles = b->counts.syncs * asb_words_rounds(b) *
		                    (uint64_t)(machine->scalar_publish_cycles + machine->scalar_load_cycles);
	a->blocks = blocks;
	a->steps = b->sequence->len;
	a->may_halve = b->tiled && !b->halvings_decided;
	asb_free(b);
	if (!good)
		attempt_fini(a);
	return good;
}

/* BEST becomes OTHER, if that is shorter; the other one is gone. */
static bool take_shorter(attempt *best, attempt *other)
{
	bool shorter = other->program->predicted_cycles < best->program->predicted_cycles;

	if (shorter) {
		attempt longer = *best;

		*best = *other;
		*other = longer;
	}
	attempt_fini(other);
	return shorter;
}

/* Tiles as large as buffers allow leave cores idle, or steps without overlap, where there is little to do.  Of short
 * programs smaller tiles are tried as well. */
static void try_smaller_tiles(GPtrArray *graphs, GPtrArray *cuts, const asc_machine *machine,
                              const sched_options *options, attempt *best)
{
	attempt other;

	for (uint32_t halvings = 1; halvings <= ASB_HALVINGS; halvings++) {
		if (!best->may_halve || best->steps > SHORT_STEPS)
			return;
		if (!compile_for(graphs, cuts, machine, options, best->blocks, halvings, &other, NULL))
			return;
		if (take_shorter(best, &other))
			g_string_append_printf(best->report.notes, "tiles of vector kernels are halved %s\n",
			                       halvings == 1 ? "once" : "twice");
	}
}

/* A meeting of cores without counters takes as long as many a kernel: small graphs may be done sooner by one core.  One
 * core takes no less than each of several but for the meetings, so it is only asked where those are half of all. */
static bool compile_blocks(GPtrArray *graphs, GPtrArray *cuts, const asc_machine *machine, const sched_options *options,
                           attempt *best, GError **error)
{
	attempt one;
	int64_t all_cycles;

	if (!compile_for(graphs, cuts, machine, options, (uint32_t)machine->cores, 0, best, error))
		return false;
	if (2 * best->meeting_cycles < (uint64_t)best->program->predicted_cycles)
		return true;
	/* What fits all cores may not fit one. */
	if (!compile_for(graphs, cuts, machine, options, 1, 0, &one, NULL))
		return true;
	all_cycles = best->program->predicted_cycles;
	if (take_shorter(best, &one))
		g_string_append_printf(best->report.notes,
		                       "one core: with meetings of all %" G_GINT64_FORMAT " cycle%s\n", all_cycles,
		                       tsp_s((uint64_t)all_cycles));
	return true;
}

static asc_program *compile(GPtrArray *graphs, const asc_machine *machine, const sched_options *options,
                            sched_report *report, GError **error)
{
	GPtrArray *cuts;
	attempt best;
	bool good;

	*report = (sched_report){.notes = g_string_new(NULL)};
	cuts = cut_all(graphs, report, error);
	if (!cuts)
		return NULL;
	good = compile_blocks(graphs, cuts, machine, options, &best, error);
	if (good)
		try_smaller_tiles(graphs, cuts, machine, options, &best);
	g_ptr_array_unref(cuts);
	if (!good)
		return NULL;
	g_string_prepend(best.report.notes, report->notes->str);
	sched_report_fini(report);
	*report = best.report;
	best.program->machine_name = g_strdup(machine->name);
	best.program->machine_text = asc_machine_dump(machine);
	if (graphs->len)
		best.program->workload = g_strdup(((const graph *)g_ptr_array_index(graphs, 0))->name);
	return best.program;
}

/* Rewrites all graphs first, so that no thread of the search does. */
static bool legalise_all(GPtrArray *graphs, GString *notes, GError **error)
{
	for (guint i = 0; i < graphs->len; i++)
		if (!ask_legalise(g_ptr_array_index(graphs, i), notes, error))
			return false;
	return true;
}

static gpointer compile_any(GPtrArray *graphs, const void *machine, const sched_options *options, sched_report *report,
                            GError **error)
{
	return compile(graphs, machine, options, report, error);
}

static void free_program(gpointer program)
{
	asc_program_free(program);
}

static int64_t cycles_of(gconstpointer program)
{
	return ((const asc_program *)program)->predicted_cycles;
}

asc_program *sched_ascend_compile(GPtrArray *graphs, const asc_machine *machine, const sched_options *options,
                                  sched_report *report, GError **error)
{
	static const sched_back_end back_end = {compile_any, free_program, cycles_of};
	g_autoptr(GString) notes = g_string_new(NULL);
	asc_program *program;

	*report = (sched_report){0};
	if (options->sheets || !sched_wants_search(options, graphs, machine->name))
		return compile(graphs, machine, options, report, error);
	if (!legalise_all(graphs, notes, error))
		return NULL;
	program = sched_drive(&back_end, graphs, machine, machine->name, options, report, error);
	if (program)
		g_string_prepend(report->notes, notes->str);
	return program;
}
