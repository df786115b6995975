/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim sweep FILE.yaml: runs a command for every point of a grid and keeps what it answers in one database.  A call
 * that finds a database of the same sweep goes on with it.
 */
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/sweep_engine.h"

static char *engine;
static char *output;
static char *points;
static char **collects;
static char **sbatch;
static gint jobs;
static gint per_task;
static gboolean retry;
static gboolean dry_run;

static const GOptionEntry options[] = {
	{"engine", 0, 0, G_OPTION_ARG_STRING, &engine,
         "local (processes on this host; default) or slurm (an array job)", "ENGINE"},
	{"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "local: run N points at a time (default: one a processor)", "N"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write results to FILE (default: the sweep's name with .db)",
         "FILE"},
	{"retry", 0, 0, G_OPTION_ARG_NONE, &retry, "run points again that have failed", NULL},
	{"points", 0, 0, G_OPTION_ARG_STRING, &points,
         "run these points only: numbers and ranges START:STOP, STOP not included, with commas between", "LIST"},
	{"collect", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &collects,
         "first take over results from FILE, another database of this sweep; may be repeated", "FILE"},
	{"dry-run", 'n', 0, G_OPTION_ARG_NONE, &dry_run, "print the command of every point and run none", NULL},
	{"per-task", 0, 0, G_OPTION_ARG_INT, &per_task,
         "slurm: points of a task (default: a hundredth of all, at least 8)", "N"},
	{"sbatch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sbatch,
         "slurm: an option for sbatch, as --sbatch=--partition=long; may be repeated", "OPTION"},
	{0},
};

static const struct engine {
	const char *name;
	bool (*run)(sweep_job *job, GError **error);
} engines[] = {
	{"local", sweep_run_local},
	{"slurm", sweep_run_slurm},
};

static const struct engine *find_engine(GError **error)
{
	const char *names[G_N_ELEMENTS(engines) + 1] = {0};

	for (size_t i = 0; i < G_N_ELEMENTS(engines); i++) {
		names[i] = engines[i].name;
		if (!engine || strcmp(engine, engines[i].name) == 0)
			return &engines[i];
	}
	tool_unknown(error, "engine", engine, names);
	return NULL;
}

bool sweep_look_at_first(const sweep_job *job, const char *answer, GError **error)
{
	unsigned index;
	g_autofree char *lack = trace_sweep_lacks(job->db, answer, &index);

	return !lack || sweep_fail(job->s, &g_array_index(job->s->outputs, sweep_text, index), error, "%s", lack);
}

/* ---- lists of points ---- */

char *sweep_format_points(const uint32_t *list, size_t count)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < count;) {
		size_t end = i + 1;

		while (end < count && list[end] == list[end - 1] + 1)
			end++;
		g_string_append_printf(text, "%s%u", i ? "," : "", list[i]);
		if (end > i + 1)
			g_string_append_printf(text, ":%u", list[end - 1] + 1);
		i = end;
	}
	return g_string_free(text, FALSE);
}

bool sweep_parse_points(const char *text, uint32_t count, uint8_t *chosen, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, ",", -1);

	for (char **part = parts; *part; part++) {
		g_auto(GStrv) ends = g_strsplit(*part, ":", 3);
		guint64 first, stop;

		if (!ends[0] || !g_ascii_string_to_unsigned(ends[0], 10, 0, count, &first, NULL) ||
		    (ends[1] && (ends[2] || !g_ascii_string_to_unsigned(ends[1], 10, 0, count, &stop, NULL))) ||
		    (stop = ends[1] ? stop : first + 1) > count || stop <= first) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "--points %s: expected numbers and ranges START:STOP in 0:%u", text, count);
			return false;
		}
		for (guint64 p = first; p < stop; p++)
			chosen[p] = 1;
	}
	if (parts[0])
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--points: expected numbers and ranges START:STOP in 0:%u",
	            count);
	return false;
}

/* ---- the plan ---- */

static char *plan_command(const void *state, uint32_t point)
{
	return sweep_command_text(state, point);
}

static const char *plan_setting(const void *state, uint32_t point, unsigned axis)
{
	return sweep_setting(state, point, axis);
}

typedef struct plan_lists {
	GPtrArray *axes, *outputs, *manifest;
} plan_lists;

static trace_sweep_plan make_plan(const sweep *s, plan_lists *lists)
{
	const char *manifest[] = {"name", s->name, "file", s->file, "sweep", s->text, "command", tool_command_line};

	*lists = (plan_lists){g_ptr_array_new(), g_ptr_array_new(), g_ptr_array_new()};
	for (guint i = 0; i < s->axes->len; i++)
		g_ptr_array_add(lists->axes, g_array_index(s->axes, sweep_entry, i).key.text);
	for (guint i = 0; i < s->outputs->len; i++)
		g_ptr_array_add(lists->outputs, g_array_index(s->outputs, sweep_text, i).text);
	for (size_t i = 0; i < G_N_ELEMENTS(manifest); i++)
		g_ptr_array_add(lists->manifest, (gpointer)manifest[i]);
	g_ptr_array_add(lists->axes, NULL);
	g_ptr_array_add(lists->outputs, NULL);
	g_ptr_array_add(lists->manifest, NULL);
	return (trace_sweep_plan){
		.points = sweep_point_count(s),
		.axes = (const char *const *)lists->axes->pdata,
		.outputs = (const char *const *)lists->outputs->pdata,
		.optional = s->optional,
		.machines = (const char *const *)s->machines->pdata,
		.manifest = (const char *const *)lists->manifest->pdata,
		.points_digest = s->points_digest,
		.inputs_digest = s->inputs_digest,
		.version = PACKAGE_VERSION,
		.command = plan_command,
		.setting = plan_setting,
		.state = s,
	};
}

static void plan_lists_fini(plan_lists *lists)
{
	g_ptr_array_unref(lists->axes);
	g_ptr_array_unref(lists->outputs);
	g_ptr_array_unref(lists->manifest);
}

/* ---- the report ---- */

static char *report_as_json(const sweep_job *job, const trace_sweep_count *count, uint32_t before)
{
	json *j = json_new();

	json_object(j, NULL);
	json_string(j, "name", job->s->name);
	json_string(j, "database", job->path);
	json_uint(j, "points", sweep_point_count(job->s));
	json_uint(j, "ended", count->ended);
	json_uint(j, "ended_before", before);
	json_uint(j, "failed", count->failed);
	json_uint(j, "found", count->found);
	if (count->first_failed >= 0)
		json_int(j, "first_failed", count->first_failed);
	else
		json_null(j, "first_failed");
	json_string(j, "first_message", count->first_message);
	json_bool(j, "interrupted", job->interrupted);
	json_end(j);
	return json_finish(j);
}

static char *report_as_text(const sweep_job *job, const trace_sweep_count *count, uint32_t before)
{
	GString *out = g_string_new(NULL);
	g_autofree char *all = tool_count(sweep_point_count(job->s));
	g_autofree char *ended = tool_count(count->ended);
	g_autofree char *now = tool_count(count->ended - MIN(before, count->ended));

	g_string_append_printf(out, "sweep        %s\n", job->s->name);
	g_string_append_printf(out, "points       %s of %s have ended, %s in this call%s\n", ended, all, now,
	                       job->interrupted ? "; interrupted, the same command goes on" : "");
	if (count->failed)
		g_string_append_printf(out, "failed       %u, first point %" G_GINT64_FORMAT ": %s\n", count->failed,
		                       count->first_failed, count->first_message);
	if (count->found)
		g_string_append_printf(out, "found        %u with exit status 2: violations or differences\n",
		                       count->found);
	g_string_append_printf(out, "results      %s, view points\n", job->path);
	return g_string_free(out, FALSE);
}

static int print_report(const sweep_job *job, uint32_t before, GError **error)
{
	trace_sweep_count count;
	g_autofree char *text = NULL;
	int status;

	if (!trace_sweep_tally(job->db, &count, error))
		return TOOL_USER_ERROR;
	text = tool_json ? report_as_json(job, &count, before) : report_as_text(job, &count, before);
	status = job->interrupted ? TOOL_INTERRUPTED : count.failed || count.found ? TOOL_FOUND : TOOL_OK;
	g_free(count.first_message);
	if ((!tool_quiet || tool_json) && !tool_print(text, error))
		return TOOL_USER_ERROR;
	return status;
}

/* ---- the run ---- */

/* The points to run, g_free: chosen, and without an outcome. */
static uint32_t *find_pending(sweep_job *job, const uint8_t *chosen, uint32_t *before, GError **error)
{
	g_autofree uint8_t *ended = trace_sweep_ended(job->db, error);
	uint32_t all = sweep_point_count(job->s);
	uint32_t *pending;

	if (!ended)
		return NULL;
	pending = g_new(uint32_t, all);
	*before = 0;
	for (uint32_t p = 0; p < all; p++) {
		*before += ended[p];
		if (!ended[p] && (!chosen || chosen[p]))
			pending[job->pending_count++] = p;
	}
	job->pending = pending;
	return pending;
}

static int run_points(sweep_job *job, const struct engine *runner, const uint8_t *chosen, GError **error)
{
	g_autofree uint32_t *pending = NULL;
	uint32_t before;

	for (char **file = collects; file && *file; file++)
		if (!trace_sweep_collect(job->db, *file, error))
			return TOOL_USER_ERROR;
	if (retry && !trace_sweep_forget_failures(job->db, error))
		return TOOL_USER_ERROR;
	pending = find_pending(job, chosen, &before, error);
	if (!pending)
		return TOOL_USER_ERROR;
	/* Of the first point only: then it does not matter which points a process is given. */
	job->fresh = before == 0 && job->pending_count && pending[0] == 0;
	if (job->pending_count && !runner->run(job, error))
		return TOOL_USER_ERROR;
	return print_report(job, before, error);
}

static int run_in_database(sweep_job *job, const struct engine *runner, const uint8_t *chosen, GError **error)
{
	plan_lists lists;
	trace_sweep_plan plan = make_plan(job->s, &lists);
	trace_sweep_count count = {0};
	bool fresh = false;
	int status = TOOL_USER_ERROR;

	job->db = trace_sweep_open(job->path, &plan, &fresh, error);
	if (job->db) {
		status = run_points(job, runner, chosen, error);
		/* Nothing is lost with a new file that holds nothing, and it would stand in the way of a corrected
		 * sweep. */
		if (status == TOOL_USER_ERROR && fresh && trace_sweep_tally(job->db, &count, NULL) && count.ended == 0)
			unlink(job->path);
		g_free(count.first_message);
		trace_sweep_close(job->db);
	}
	plan_lists_fini(&lists);
	return status;
}

static int print_commands(const sweep *s, const uint8_t *chosen, GError **error)
{
	for (uint32_t p = 0; p < sweep_point_count(s); p++)
		if (!chosen || chosen[p]) {
			g_autofree char *command = sweep_command_text(s, p);
			g_autofree char *line = g_strconcat(command, "\n", NULL);

			if (!tool_print(line, error))
				return TOOL_USER_ERROR;
		}
	return TOOL_OK;
}

static char *default_output(const char *file)
{
	g_autofree char *base = g_path_get_basename(file);

	if (g_str_has_suffix(base, ".yaml"))
		base[strlen(base) - strlen(".yaml")] = '\0';
	return g_strconcat(base, ".db", NULL);
}

static int run_sweep(int argc, char **argv, GError **error)
{
	const struct engine *runner = find_engine(error);
	g_autofree char *path = output ? g_strdup(output) : default_output(argv[0]);
	g_autofree uint8_t *chosen = NULL;
	sweep_job job = {.path = path, .per_task = (unsigned)per_task, .sbatch = sbatch};
	sweep *s;
	int status = TOOL_USER_ERROR;

	(void)argc;
	if (!runner)
		return status;
	if (!options_check((runner->run == sweep_run_slurm ? NEED_SLURM : NEED_LOCAL) | (dry_run ? 0 : NEED_PRINTED),
	                   error))
		return status;
	s = sweep_load(argv[0], error);
	if (!s)
		return status;
	job.s = s;
	job.jobs = jobs ? (unsigned)jobs : g_get_num_processors();
	if (points)
		chosen = g_new0(uint8_t, sweep_point_count(s));
	if (!points || sweep_parse_points(points, sweep_point_count(s), chosen, error))
		status = dry_run ? print_commands(s, chosen, error) : run_in_database(&job, runner, chosen, error);
	sweep_free(s);
	return status;
}

const tool_command cmd_sweep = {
	.name = "sweep",
	.synopsis = "FILE.yaml [--engine local|slurm] [-o FILE.db] [OPTION...]",
	.doc = "Run a command for every point of a grid; answers go into one database. The same call goes on after a "
	       "kill.",
	.details =
		"FILE.yaml names axes (options and machine keys with lists or ranges of values) and the keys of the "
		"answer that are\n"
		"kept; docs/sweep.md explains it. Exit status 2 when points have failed or ended with violations or\n"
		"differences.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_sweep,
};
