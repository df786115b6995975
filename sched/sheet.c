/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of decisions, and models of graphs.
 *
 * A task of a model lasts as long as its operation must: from the first operand to the first result, or what its
 * busiest resource needs with the way there and back.  It demands of each resource what that resource's cycles are of
 * its length, rounded down: nothing here is more than any program has to spend.
 */
#include "sched/sheet.h"

#include <string.h>

#include "isa/error.h"

/* ------------------------------------------------------------------------------------------------------- models */

sched_model *sched_model_new(const char *const *names, unsigned resources)
{
	sched_model *model = g_new0(sched_model, 1);

	g_assert(resources <= SCHED_RESOURCES);
	model->problem = alg_problem_new();
	model->tasks = g_ptr_array_new_with_free_func(g_free);
	model->first = g_array_new(FALSE, FALSE, sizeof(int64_t));
	model->loads = g_array_new(FALSE, FALSE, sizeof(sched_load));
	model->arcs = g_array_new(FALSE, FALSE, sizeof(sched_arc));
	model->names = names;
	model->resources = resources;
	for (unsigned r = 0; r < resources; r++)
		alg_problem_add_shared_resource(model->problem, SCHED_WHOLE);
	return model;
}

void sched_model_free(sched_model *model)
{
	if (!model)
		return;
	alg_problem_free(model->problem);
	g_ptr_array_unref(model->tasks);
	g_array_unref(model->first);
	g_array_unref(model->loads);
	g_array_unref(model->arcs);
	g_free(model);
}

uint32_t sched_model_task(sched_model *model, const char *name, int64_t first, const sched_load *load)
{
	int64_t cycles = MAX(first, 1);
	uint32_t task;

	for (unsigned r = 0; r < model->resources; r++)
		if (load[r].cycles > 0 && !load[r].early)
			cycles = MAX(cycles, load[r].lead + (int64_t)load[r].cycles + load[r].trail);
	task = alg_problem_add_task(model->problem, cycles, ALG_ANY_PROCESSOR);
	for (unsigned r = 0; r < model->resources; r++) {
		uint32_t share = (uint32_t)MIN(load[r].cycles * SCHED_WHOLE / (double)cycles, SCHED_WHOLE);

		if (share)
			alg_problem_add_demand(model->problem, r, share);
	}
	g_ptr_array_add(model->tasks, g_strdup(name));
	g_array_append_val(model->first, first);
	g_array_append_vals(model->loads, load, model->resources);
	return task;
}

void sched_model_after(sched_model *model, uint32_t from, uint32_t to, bool whole)
{
	sched_arc arc = {from, to, whole};

	g_array_append_val(model->arcs, arc);
	alg_problem_add_lag(model->problem, from, to, g_array_index(model->first, int64_t, from));
}

static int64_t length_of(const sched_model *model, uint32_t task)
{
	return alg_problem_mode(model->problem, task, 0)->duration_cycles;
}

static int64_t path_bound(const sched_model *model)
{
	uint32_t count = model->tasks->len;
	g_autofree int64_t *start = g_new0(int64_t, count + 1);
	int64_t bound = 0;

	/* Arcs are in order of their heads, tasks in an order that keeps them. */
	for (guint i = 0; i < model->arcs->len; i++) {
		const sched_arc *arc = &g_array_index(model->arcs, sched_arc, i);
		int64_t first = start[arc->from] + g_array_index(model->first, int64_t, arc->from);

		if (arc->whole)
			start[arc->to] = MAX(start[arc->to], first);
		bound = MAX(bound, first + g_array_index(model->first, int64_t, arc->to));
	}
	for (uint32_t i = 0; i < count; i++)
		bound = MAX(bound, start[i] + length_of(model, i));
	return bound;
}

static int64_t resource_bound(const sched_model *model, unsigned r)
{
	double cycles = 0;
	int64_t lead = INT64_MAX, trail = INT64_MAX;

	for (uint32_t i = 0; i < model->tasks->len; i++) {
		const sched_load *load = &g_array_index(model->loads, sched_load, i * model->resources + r);

		if (load->cycles <= 0)
			continue;
		cycles += load->cycles;
		lead = MIN(lead, load->lead);
		trail = MIN(trail, load->trail);
	}
	return cycles > 0 ? lead + (int64_t)cycles + trail : 0;
}

int64_t sched_model_bounds(const sched_model *model, GArray *bounds)
{
	sched_bound path = {"critical path", model->before + path_bound(model)};
	int64_t best = path.cycles;

	g_array_set_size(bounds, 0);
	g_array_append_val(bounds, path);
	for (unsigned r = 0; r < model->resources; r++) {
		int64_t alone = resource_bound(model, r);
		sched_bound b = {model->names[r], alone ? model->before + alone : 0};

		best = MAX(best, b.cycles);
		if (b.cycles)
			g_array_append_val(bounds, b);
	}
	return best;
}

/* ------------------------------------------------------------------------------------------------------- sheets */

static void clear_decision(gpointer p)
{
	sched_decision *d = p;

	g_free(d->kind);
	g_free(d->item);
}

sched_sheet *sched_sheet_new(void)
{
	sched_sheet *sheet = g_new0(sched_sheet, 1);

	sheet->decisions = g_array_new(FALSE, FALSE, sizeof(sched_decision));
	g_array_set_clear_func(sheet->decisions, clear_decision);
	sheet->index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return sheet;
}

void sched_sheet_free(sched_sheet *sheet)
{
	if (!sheet)
		return;
	g_array_unref(sheet->decisions);
	g_hash_table_destroy(sheet->index);
	g_free(sheet->order);
	g_free(sheet->asked);
	g_free(sheet->task_of);
	if (sheet->pairs)
		g_ptr_array_unref(sheet->pairs);
	sched_model_free(sheet->model);
	g_free(sheet);
}

static sched_decision *find(const sched_sheet *sheet, const char *key)
{
	guint at = GPOINTER_TO_UINT(g_hash_table_lookup(sheet->index, key));

	return at ? &g_array_index(sheet->decisions, sched_decision, at - 1) : NULL;
}

static sched_decision *add(sched_sheet *sheet, const char *kind, const char *item, uint32_t count)
{
	sched_decision d = {g_strdup(kind), g_strdup(item), count, 0};

	g_array_append_val(sheet->decisions, d);
	g_hash_table_insert(sheet->index, g_strconcat(kind, "\n", item, NULL), GUINT_TO_POINTER(sheet->decisions->len));
	return &g_array_index(sheet->decisions, sched_decision, sheet->decisions->len - 1);
}

sched_sheet *sched_sheet_copy(const sched_sheet *sheet)
{
	sched_sheet *copy = sched_sheet_new();

	for (guint i = 0; i < sheet->decisions->len; i++) {
		const sched_decision *d = &g_array_index(sheet->decisions, sched_decision, i);

		add(copy, d->kind, d->item, d->count)->value = d->value;
	}
	copy->order = sheet->order ? g_memdup2(sheet->order, sheet->order_count * sizeof(uint32_t)) : NULL;
	copy->order_count = sheet->order_count;
	copy->asked = sheet->asked ? g_memdup2(sheet->asked, sheet->asked_count * sizeof(uint32_t)) : NULL;
	copy->asked_count = sheet->asked_count;
	copy->task_of = sheet->task_of ? g_memdup2(sheet->task_of, sheet->asked_count * sizeof(uint32_t)) : NULL;
	copy->stop = sheet->stop;
	copy->stop_state = sheet->stop_state;
	copy->pairs = sheet->pairs ? g_ptr_array_ref(sheet->pairs) : NULL;
	return copy;
}

/* Which of its kind is decision PLACE? */
static unsigned number_of(const sched_sheet *sheet, guint place)
{
	unsigned number = 0;

	for (guint i = 0; i < place; i++)
		number += strcmp(g_array_index(sheet->decisions, sched_decision, i).kind,
		                 g_array_index(sheet->decisions, sched_decision, place).kind) == 0;
	return number;
}

char *sched_sheet_text(const sched_sheet *sheet, bool with_order)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < sheet->decisions->len; i++) {
		const sched_decision *d = &g_array_index(sheet->decisions, sched_decision, i);

		if (!d->value)
			continue;
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", d->kind);
		if (*d->item)
			g_string_append_printf(text, "[%u]", number_of(sheet, i));
		g_string_append_printf(text, "=%u", d->value);
	}
	if (sheet->order && with_order) {
		g_string_append_printf(text, "%sorder=", text->len ? ", " : "");
		for (uint32_t i = 0; i < sheet->order_count; i++)
			g_string_append_printf(text, i ? " %u" : "%u", sheet->order[i]);
	}
	return g_string_free(text, FALSE);
}

uint32_t sched_decide(sched_sheet *sheet, const char *kind, const char *item, uint32_t count)
{
	g_autofree char *key = NULL;
	sched_decision *d;

	if (!sheet || count < 2)
		return 0;
	key = g_strconcat(kind, "\n", item, NULL);
	d = find(sheet, key);
	if (!d)
		d = add(sheet, kind, item, count);
	/* Another decision may have changed how much there is to choose from. */
	d->count = count;
	return d->value < count ? d->value : 0;
}

bool sched_keeps_order(const GPtrArray *before, const uint32_t *order, uint32_t count)
{
	g_autofree uint32_t *place = g_new(uint32_t, MAX(count, 1));

	for (uint32_t i = 0; i < count; i++)
		place[i] = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (order[i] >= count || place[order[i]] != UINT32_MAX)
			return false;
		place[order[i]] = i;
	}
	for (uint32_t i = 0; i < count; i++) {
		const GArray *list = g_ptr_array_index(before, i);

		for (guint b = 0; b < list->len; b++)
			if (place[g_array_index(list, uint32_t, b)] > place[i])
				return false;
	}
	return true;
}

void sched_decide_order(sched_sheet *sheet, uint32_t *order, uint32_t count, GPtrArray *before, uint32_t *task_of)
{
	if (!sheet) {
		g_ptr_array_unref(before);
		g_free(task_of);
		return;
	}
	if (sheet->pairs)
		g_ptr_array_unref(sheet->pairs);
	g_free(sheet->task_of);
	sheet->pairs = before;
	sheet->task_of = task_of;
	if (count && sheet->order && sheet->order_count == count && sched_keeps_order(before, sheet->order, count))
		memcpy(order, sheet->order, count * sizeof(uint32_t));
	g_free(sheet->asked);
	sheet->asked = count ? g_memdup2(order, count * sizeof(uint32_t)) : NULL;
	sheet->asked_count = count;
}

void sched_describe(sched_sheet *sheet, sched_model *model)
{
	if (!sheet) {
		sched_model_free(model);
		return;
	}
	sched_model_free(sheet->model);
	sheet->model = model;
}

bool sched_stopped(const sched_sheet *sheet, GError **error)
{
	if (!sheet || !sheet->stop || !sheet->stop(sheet->stop_state))
		return false;
	g_set_error_literal(error, TSP_ERROR, TSP_ERROR_USER, "the search ended first");
	return true;
}
