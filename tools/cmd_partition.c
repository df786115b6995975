/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim partition FILE: the pipeline stages of least maximum load, checked by definition.
 */
#include <math.h>
#include <string.h>

#include "isa/file.h"
#include "sched/alg/partition.h"
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/tool.h"

static gint64 devices;
static gint64 hosts;
static gint64 limit = 200000;
static double bandwidth;

static const GOptionEntry options[] = {
	{"devices", 'k', 0, G_OPTION_ARG_INT64, &devices, "cut for K accelerators (default: the file's number, or 1)",
         "K"},
	{"hosts", 0, 0, G_OPTION_ARG_INT64, &hosts, "and for N host cores (default: the file's number, or 0)", "N"},
	{"bandwidth", 0, 0, G_OPTION_ARG_DOUBLE, &bandwidth,
         "profiles: what crosses from stage to stage takes time, at so many bytes a millisecond (default: none)",
         "BYTES"},
	{"limit", 0, 0, G_OPTION_ARG_INT64, &limit, "refuse graphs that can be cut in two in more than N ways (200000)",
         "N"},
	{0},
};

static part_problem *read_problem(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	gsize length;
	part_problem *p;
	bool is_json;

	if (!(text = tsp_file_read(tool_input(path), &length, error)))
		return NULL;
	is_json = text[strspn(text, " \t\r\n")] == '{';
	if (!options_check(is_json ? 0 : NEED_PROFILE, error))
		return NULL;
	if (is_json)
		p = part_read_json(text, length, path, error);
	else
		p = part_read_profile(text, path, bandwidth, error);
	if (p && options_given("devices"))
		p->accelerators = (uint32_t)devices;
	if (p && options_given("hosts"))
		p->hosts = (uint32_t)hosts;
	return p;
}

static bool interrupted(void *state)
{
	(void)state;
	return interrupt_happened();
}

typedef struct answer {
	const part_problem *p;
	part_result result;
	double *load;
	bool valid;
	double seconds;
} answer;

static const part_node *node_at(const part_problem *p, uint32_t i)
{
	return &g_array_index(p->nodes, part_node, i);
}

static char *answer_json(const answer *a)
{
	json *j = json_new();

	json_object(j, NULL);
	if (a->result.infeasible) {
		json_string(j, "status", "infeasible");
		json_null(j, "max_load");
		json_null(j, "lower_bound");
		json_bool(j, "proved", true);
		json_null(j, "valid");
	} else {
		json_string(j, "status", a->result.proved ? "optimal" : "feasible");
		json_real(j, "max_load", a->result.max_load);
		/* Over all contiguous splits; the bound from the load alone says less. */
		json_real(j, "lower_bound", a->result.proved ? a->result.max_load : a->result.lower_bound);
		json_bool(j, "proved", a->result.proved);
		json_bool(j, "valid", a->valid);
	}
	json_uint(j, "nodes", a->p->nodes->len);
	json_uint(j, "ideals", a->result.ideals);
	json_uint(j, "pairs", a->result.pairs);
	json_bool(j, "interrupted", interrupt_happened());
	json_real(j, "seconds", a->seconds);
	json_array(j, "stages");
	for (uint32_t d = 0; a->result.device && d < a->p->accelerators + a->p->hosts; d++) {
		double bytes = 0;

		json_object(j, NULL);
		json_string(j, "device", d < a->p->accelerators ? "accelerator" : "host");
		json_real(j, "load", a->load[d]);
		json_array(j, "nodes");
		for (uint32_t i = 0; i < a->p->nodes->len; i++)
			if (a->result.device[i] == d) {
				json_string(j, NULL, node_at(a->p, i)->name);
				bytes += node_at(a->p, i)->bytes;
			}
		json_end(j);
		json_real(j, "bytes", bytes);
		json_end(j);
	}
	json_end(j);
	json_end(j);
	return json_finish(j);
}

/* The COUNT nodes of DEVICE, of many the first and the last, in the file's order. */
static void add_names(GString *out, const answer *a, uint32_t device, uint32_t count)
{
	enum { MOST_NAMES = 8, FIRST_NAMES = 3, LAST_NAMES = 2 };
	uint32_t seen = 0;

	for (uint32_t i = 0; i < a->p->nodes->len; i++) {
		if (a->result.device[i] != device)
			continue;
		seen++;
		if (count <= MOST_NAMES || seen <= FIRST_NAMES || seen > count - LAST_NAMES)
			g_string_append_printf(out, "%s %s", seen == 1 ? ":" : ",", node_at(a->p, i)->name);
		else if (seen == FIRST_NAMES + 1)
			g_string_append_printf(out, ", ... (%u more)", count - FIRST_NAMES - LAST_NAMES);
	}
	g_string_append_c(out, '\n');
}

static char *answer_text(const answer *a)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "nodes        %u, %u edge%s, %" G_GUINT64_FORMAT " way%s to cut in two\n",
	                       a->p->nodes->len, a->p->edges->len, tsp_s(a->p->edges->len), a->result.ideals,
	                       tsp_s(a->result.ideals));
	if (a->result.proved)
		g_string_append_printf(out, "max load     %.9g, proved to be the least of contiguous splits\n",
		                       a->result.max_load);
	else
		g_string_append_printf(out, "max load     %.9g, at least %.9g is needed%s\n", a->result.max_load,
		                       a->result.lower_bound, interrupt_ending(false));
	for (uint32_t d = 0; d < a->p->accelerators + a->p->hosts; d++) {
		uint32_t count = 0;
		double bytes = 0;

		for (uint32_t i = 0; i < a->p->nodes->len; i++)
			if (a->result.device[i] == d) {
				count++;
				bytes += node_at(a->p, i)->bytes;
			}
		g_string_append_printf(out, "stage        %s: load %.9g, %u node%s, %.0f byte%s",
		                       d < a->p->accelerators ? "accelerator" : "host", a->load[d], count, tsp_s(count),
		                       bytes, bytes == 1 ? "" : "s");
		add_names(out, a, d, count);
	}
	return g_string_free(out, FALSE);
}

/* That there is none is an answer; the error has its words. */
static int tell_infeasible(answer *a, gint64 start, GError **error)
{
	g_autofree char *text = NULL;
	GError *failed = NULL;

	a->seconds = (double)(g_get_monotonic_time() - start) / 1e6;
	text = tool_json ? answer_json(a) : g_strdup_printf("infeasible   %s\n", (*error)->message);
	if ((tool_quiet && !tool_json) || tool_print(text, &failed)) {
		g_clear_error(error);
		return TOOL_FOUND;
	}
	g_clear_error(error);
	g_propagate_error(error, failed);
	return TOOL_USER_ERROR;
}

static int run_partition(int argc, char **argv, GError **error)
{
	part_options how = {.ideals_max = (uint64_t)limit, .stop = interrupted};
	gint64 start = g_get_monotonic_time();
	answer a = {0};
	part_problem *p;
	int status = TOOL_USER_ERROR;

	(void)argc;
	p = read_problem(argv[0], error);
	if (!p)
		return status;
	interrupt_defer(true);
	if (p->accelerators + p->hosts == 0)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "no device to put anything on");
	else if (!part_solve(p, &how, &a.result, error)) {
		g_prefix_error(error, "%s: ", argv[0]);
		if (a.result.infeasible) {
			a.p = p;
			status = tell_infeasible(&a, start, error);
		} else if (interrupt_happened()) {
			status = TOOL_INTERRUPTED;
		}
	} else {
		g_autofree char *text = NULL;

		a.p = p;
		a.load = part_check(p, a.result.device, &a.valid);
		a.seconds = (double)(g_get_monotonic_time() - start) / 1e6;
		text = tool_json ? answer_json(&a) : answer_text(&a);
		if ((tool_quiet && !tool_json) || tool_print(text, error))
			status = interrupt_happened() ? TOOL_INTERRUPTED : TOOL_OK;
		if (!a.valid) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_INTERNAL, "the check refuses this split");
			status = TOOL_INTERNAL;
		}
		g_free(a.load);
	}
	interrupt_defer(false);
	part_result_fini(&a.result);
	part_problem_free(p);
	return status;
}

const tool_command cmd_partition = {
	.name = "partition",
	.synopsis = "FILE [OPTION...]",
	.doc = "Cut a graph of layers into pipeline stages of least maximum load.",
	.details = "FILE is JSON of the device placement benchmarks (nodes, edges, maxFPGAs ...) or a PipeDream "
		   "profile.  Exit status 2: no contiguous split fits.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_partition,
};
