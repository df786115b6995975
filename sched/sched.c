/* SPDX-License-Identifier: Apache-2.0
 *
 * The front door: each graph becomes an epoch; lowering and the machine's back end fill it; the epochs follow each
 * other, the first one after the barrier at the start, where the machine has one; encoding comes last.
 *
 * Not done here: distribution over several processors (the mesh is 1 x 1).
 */
#include "sched/sched.h"

#include "sched/capacity.h"
#include "sched/drive.h"
#include "sched/emit/emit.h"
#include "sched/lower/model.h"
#include "sched/search.h"

/* Leaves of a REDUCE step: eight operands are in flight before the first level begins, unless it is decided otherwise.
 */
static const unsigned radixes[] = {8, 4, 16, 2};
/* Ways to move tensors that a sheet chooses from. */
enum { PLACEMENTS = 256 };

static bool has_reduction(const graph *g)
{
	for (uint32_t i = 0; i < graph_size(g); i++)
		if (graph_at(g, i)->op == GRAPH_REDUCE)
			return true;
	return false;
}

void sched_options_init(sched_options *options)
{
	*options = (sched_options){.alpha = 1.0, .beta = 0.1, .gamma = 0.05, .seed = 1};
}

void sched_report_fini(sched_report *report)
{
	g_clear_pointer(&report->search, sched_search_free);
	g_clear_pointer(&report->binds, g_free);
	if (report->notes)
		g_string_free(g_steal_pointer(&report->notes), TRUE);
	g_clear_pointer(&report->intervals, g_array_unref);
}

static bool check_machine(const isa_machine *machine, GError **error)
{
	if (machine->mesh_rows * machine->mesh_cols == 1)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
	            "mesh.rows x mesh.cols is %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
	            ": programs for more than one processor are not scheduled; use 1 x 1",
	            machine->mesh_rows, machine->mesh_cols);
	return false;
}

static uint32_t add_epoch(isa_program *program, const char *name, int64_t start)
{
	isa_epoch epoch = {.name = g_strdup(name), .start = start, .end = start, .mxm_ceiling = -1.0};

	epoch.images = g_array_new(FALSE, TRUE, sizeof(isa_image));
	epoch.graph = program->epochs->len;
	g_array_append_val(program->epochs, epoch);
	return program->epochs->len - 1;
}

/* One graph into one epoch; returns its end, or -1. */
static int64_t compile_graph(isa_program *program, const graph *g, int64_t start, const isa_machine *machine,
                             const sched_options *options, sched_report *report, GError **error)
{
	uint32_t epoch = add_epoch(program, g->name, start);
	sched_sheet *sheet = options->sheet;
	unsigned radix = radixes[sched_decide(sheet, "radix", "", has_reduction(g) ? G_N_ELEMENTS(radixes) : 1)];
	low_program *low = low_lower(g, machine, radix, error);
	int64_t end = start;
	bool done;

	if (!low)
		return -1;
	if (sheet)
		sched_describe(sheet, low_model(low, machine));
	done = (machine->hashed ? emit_tsp : emit_isca20)(program, low, epoch, start, machine, options, report, &end,
	                                                  error);
	low_free(low);
	if (!done)
		return -1;
	g_array_index(program->epochs, isa_epoch, epoch).end = end;
	return end;
}

/* Cycles of a run are counted from the first issue. */
static int64_t first_issue(const isa_program *program)
{
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < program->insns->len; i++)
		first = MIN(first, isa_program_insn(program, i)->cycle);
	return first == INT64_MAX ? 0 : first;
}

/* One graph's share of the whole. */
typedef struct share {
	const sched_options *options;
	guint number, of;
} share;

static void report_share(void *state, double fraction)
{
	const share *s = state;

	s->options->progress(s->options->progress_state, (s->number + fraction) / s->of);
}

static bool compile_all(isa_program *program, GPtrArray *graphs, const isa_machine *machine,
                        const sched_options *options, sched_report *report, GError **error)
{
	int64_t time = machine->icu_barrier_cycles;

	for (guint i = 0; i < graphs->len; i++) {
		sched_options own = *options;
		share part = {options, i, graphs->len};

		own.sheet = options->sheets ? options->sheets[i] : NULL;
		own.progress = options->progress ? report_share : NULL;
		own.progress_state = &part;
		if (machine->hashed && !own.placement)
			own.placement = sched_decide(own.sheet, "placement", "", PLACEMENTS);
		/* What is due in an epoch's last cycle must be there before the next one replaces the memory. */
		time = compile_graph(program, g_ptr_array_index(graphs, i), i ? time + 1 : time, machine, &own, report,
		                     error);
		if (time < 0)
			return false;
		if (options->progress)
			report_share(&part, 1);
	}
	if (!isa_lower(program, machine, error))
		return false;
	/* Encoding adds the barrier, whose issue is then the first. */
	program->has_predictions = true;
	program->predicted_cycles = program->insns->len ? time - first_issue(program) : 0;
	report->cycles = program->predicted_cycles;
	return true;
}

static isa_program *compile(GPtrArray *graphs, const isa_machine *machine, const sched_options *options,
                            sched_report *report, GError **error)
{
	isa_program *program = isa_program_new(machine);

	*report = (sched_report){.notes = g_string_new(NULL)};
	if (graphs->len == 1) {
		g_free(program->workload);
		program->workload = g_strdup(((const graph *)g_ptr_array_index(graphs, 0))->name);
	}
	if (compile_all(program, graphs, machine, options, report, error))
		return program;
	isa_program_free(program);
	return NULL;
}

static gpointer compile_for(GPtrArray *graphs, const void *machine, const sched_options *options, sched_report *report,
                            GError **error)
{
	return compile(graphs, machine, options, report, error);
}

static void free_program(gpointer program)
{
	isa_program_free(program);
}

static int64_t cycles_of(gconstpointer program)
{
	return ((const isa_program *)program)->predicted_cycles;
}

isa_program *sched_compile(GPtrArray *graphs, const isa_machine *machine, const sched_options *options,
                           sched_report *report, GError **error)
{
	static const sched_back_end back_end = {compile_for, free_program, cycles_of};

	*report = (sched_report){0};
	if (!check_machine(machine, error) || !sched_check_capacity(graphs, machine, error))
		return NULL;
	if (options->sheets || !sched_wants_search(options, graphs, machine->name))
		return compile(graphs, machine, options, report, error);
	return sched_drive(&back_end, graphs, machine, machine->name, options, report, error);
}
