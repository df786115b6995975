/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs points as an array job of Slurm, several a task, since starting a task takes about as long as a small run.
 *
 * A task is `tspsim sweep --points ...` with a database of its own in the folder FILE.db.slurm, which is renamed when
 * the task is done (task-*.db to part-*.db), taken over, and removed.  Where the caller was killed and the job was
 * not, the next call finds the job's number in the folder and waits for it.  The job is asked for by squeue rather
 * than by `sbatch --wait`, so that results arrive as tasks end.  Accounting (sacct) is not needed.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/file.h"
#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/sweep_engine.h"

enum { LEAST_PER_TASK = 8, USUAL_TASKS = 100, FIRST_POLL_MS = 200, LAST_POLL_MS = 10000, MOST_SILENT_POLLS = 60 };

typedef struct cluster {
	sweep_job *job;
	char *folder;
	char *id; /* of the array job, NULL when there is none */
	progress *progress;
} cluster;

/* The standard output of ARGV without its last line feed, g_free; NULL and an error when it fails. */
static char *output_of(const char *const *argv, GError **error)
{
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	int status;

	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status, error))
		return NULL;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", argv[0], *err ? g_strchomp(err) : "failed");
		return NULL;
	}
	return g_strchomp(g_steal_pointer(&out));
}

/* ---- the folder ---- */

static char *in_folder(const cluster *c, const char *name)
{
	return g_build_filename(c->folder, name, NULL);
}

static bool write_in_folder(const cluster *c, const char *name, const char *text, GError **error)
{
	g_autofree char *path = in_folder(c, name);

	return tsp_file_write(path, text, strlen(text), error);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in the folder from PREFIX to SUFFIX, sorted; owned. */
static GPtrArray *names_in(const cluster *c, const char *prefix, const char *suffix)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(c->folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL)
		if (g_str_has_prefix(name, prefix) && g_str_has_suffix(name, suffix))
			g_ptr_array_add(names, g_strdup(name));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(names, compare_names);
	return names;
}

/* Takes over and removes the databases whose names begin with PREFIX. */
static bool collect(const cluster *c, const char *prefix, GError **error)
{
	g_autoptr(GPtrArray) names = names_in(c, prefix, ".db");

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *path = in_folder(c, g_ptr_array_index(names, i));
		g_autofree char *journal = g_strconcat(path, "-journal", NULL);

		if (!trace_sweep_collect(c->job->db, path, error))
			return false;
		unlink(path);
		unlink(journal);
	}
	return true;
}

/* Removes what this file made. */
static void remove_folder(const cluster *c)
{
	static const char *const suffixes[] = {".log", ".sh", ".yaml", ".txt"};

	for (size_t s = 0; s < G_N_ELEMENTS(suffixes); s++) {
		g_autoptr(GPtrArray) names = names_in(c, "", suffixes[s]);

		for (guint i = 0; i < names->len; i++) {
			g_autofree char *path = in_folder(c, g_ptr_array_index(names, i));

			unlink(path);
		}
	}
	rmdir(c->folder);
}

/* ---- the job ---- */

/* Tasks that one array job may have. */
static size_t most_tasks(void)
{
	const char *argv[] = {"scontrol", "show", "config", NULL};
	g_autofree char *config = output_of(argv, NULL);
	const char *at = config ? strstr(config, "MaxArraySize") : NULL;
	guint64 size = 0;

	if (at && (at = strchr(at, '=')) != NULL)
		size = g_ascii_strtoull(at + 1, NULL, 10);
	/* Slurm's own default. */
	return size ? (size_t)size : 1001;
}

static size_t points_per_task(const sweep_job *job)
{
	size_t count = job->pending_count;
	size_t most = most_tasks();
	size_t per_task = job->per_task ? job->per_task : MAX((count + USUAL_TASKS - 1) / USUAL_TASKS, LEAST_PER_TASK);

	return MAX(per_task, (count + most - 1) / most);
}

/* Writes what the tasks read, and returns how many there are; 0 on error. */
static size_t write_files(const cluster *c, GError **error)
{
	const sweep_job *job = c->job;
	size_t per_task = points_per_task(job), tasks = 0;
	g_autoptr(GString) points = g_string_new(NULL);
	g_autoptr(GString) script = g_string_new("#!/bin/sh\n");
	g_autofree char *program = g_file_read_link("/proc/self/exe", error);
	g_autofree char *absolute = g_canonicalize_filename(c->folder, NULL);
	g_autofree char *quoted_program = NULL;
	g_autofree char *quoted_folder = g_shell_quote(absolute);

	if (!program)
		return 0;
	quoted_program = g_shell_quote(program);
	for (size_t at = 0; at < job->pending_count; at += per_task, tasks++) {
		g_autofree char *text = sweep_format_points(job->pending + at, MIN(per_task, job->pending_count - at));

		g_string_append_printf(points, "%s\n", text);
	}
	g_string_append_printf(
		script,
		"folder=%s\n"
		"name=$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID.db\n"
		"points=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" \"$folder/points.txt\")\n"
		"%s sweep \"$folder/sweep.yaml\" --points \"$points\" --output \"$folder/task-$name\" \\\n"
		"\t--jobs \"${SLURM_CPUS_PER_TASK:-1}\" --quiet\n"
		"status=$?\n"
		"# 2: some points have failed or found something; their outcomes are recorded.\n"
		"[ $status -ne 2 ] || status=0\n"
		"[ $status -ne 0 ] || mv \"$folder/task-$name\" \"$folder/part-$name\"\n"
		"exit $status\n",
		quoted_folder, quoted_program);
	if (g_mkdir_with_parents(c->folder, 0777) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "%s: %s", c->folder, g_strerror(errno));
		return 0;
	}
	return write_in_folder(c, "sweep.yaml", job->s->text, error) &&
	                       write_in_folder(c, "points.txt", points->str, error) &&
	                       write_in_folder(c, "job.sh", script->str, error)
	               ? tasks
	               : 0;
}

static bool submit(cluster *c, GError **error)
{
	size_t tasks = write_files(c, error);
	g_autofree char *array = g_strdup_printf("--array=0-%zu", tasks - 1);
	g_autofree char *log = g_strdup_printf("--output=%s/task-%%A-%%a.log", c->folder);
	g_autofree char *name = g_strdup_printf("--job-name=tspsim-%s", c->job->s->name);
	g_autofree char *script = in_folder(c, "job.sh");
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	char *words[] = {(char *)"sbatch", (char *)"--parsable", array, log, name};

	if (!tasks)
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		g_ptr_array_add(argv, words[i]);
	for (char **option = c->job->sbatch; option && *option; option++)
		g_ptr_array_add(argv, *option);
	g_ptr_array_add(argv, script);
	g_ptr_array_add(argv, NULL);
	c->id = output_of((const char *const *)argv->pdata, error);
	if (!c->id)
		return false;
	/* "ID;CLUSTER" where there are several clusters. */
	c->id[strcspn(c->id, ";")] = '\0';
	return write_in_folder(c, "job.txt", c->id, error);
}

/* Is the job queued or running?  *SILENT counts calls without an answer. */
static bool is_active(const cluster *c, unsigned *silent)
{
	g_autofree char *jobs = g_strdup_printf("--jobs=%s", c->id);
	const char *argv[] = {"squeue", "--noheader", "--format=%T", jobs, NULL};
	g_autoptr(GError) cause = NULL;
	g_autofree char *states = output_of(argv, &cause);

	if (states) {
		*silent = 0;
		return *states;
	}
	/* Ended jobs are forgotten after some minutes. */
	if (strstr(cause->message, "Invalid job id"))
		return false;
	++*silent;
	return true;
}

static void update_progress(const cluster *c)
{
	trace_sweep_count count = {0};

	if (!progress_is_shown() || !trace_sweep_tally(c->job->db, &count, NULL))
		return;
	progress_update(c->progress, (double)count.ended / (double)sweep_point_count(c->job->s));
	g_free(count.first_message);
}

static void cancel(const cluster *c)
{
	const char *argv[] = {"scancel", c->id, NULL};

	g_free(output_of(argv, NULL));
}

/* Until the job has ended; results are taken over as they come. */
static bool wait_for_job(cluster *c, GError **error)
{
	int pause_ms = FIRST_POLL_MS;
	unsigned silent = 0;
	bool cancelled = false;

	while (is_active(c, &silent)) {
		if (silent > MOST_SILENT_POLLS) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_IO,
			            "Slurm does not answer any more; the same command goes on with job %s", c->id);
			return false;
		}
		if (interrupt_happened() && !cancelled) {
			c->job->interrupted = cancelled = true;
			cancel(c);
			pause_ms = FIRST_POLL_MS;
		}
		if (!collect(c, "part-", error))
			return false;
		update_progress(c);
		poll(NULL, 0, pause_ms);
		pause_ms = MIN(pause_ms * 3 / 2, LAST_POLL_MS);
	}
	c->job->interrupted |= interrupt_happened();
	/* What tasks have done that did not come to their end counts, too. */
	return collect(c, "part-", error) && collect(c, "task-", error);
}

/* The last line of the first log that has one, after ": "; g_free. */
static char *first_words(const cluster *c)
{
	g_autoptr(GPtrArray) names = names_in(c, "task-", ".log");

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *path = in_folder(c, g_ptr_array_index(names, i));
		g_autofree char *text = NULL;
		const char *last;

		if (!g_file_get_contents(path, &text, NULL, NULL) || !*g_strchomp(text))
			continue;
		last = strrchr(text, '\n');
		return g_strdup_printf(": %s", last ? last + 1 : text);
	}
	return g_strdup("");
}

/* Have all pending points ended? */
static bool check_all(const cluster *c, GError **error)
{
	g_autofree uint8_t *ended = trace_sweep_ended(c->job->db, error);
	g_autofree char *words = first_words(c);
	size_t missing = 0;

	if (!ended)
		return false;
	for (size_t i = 0; i < c->job->pending_count; i++)
		missing += !ended[c->job->pending[i]];
	if (!missing) {
		remove_folder(c);
		return true;
	}
	if (c->job->interrupted)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_IO,
	            "%zu points have no outcome, since tasks ended early (logs: %s/task-*.log)%s", missing, c->folder,
	            words);
	return false;
}

/* What an earlier call left: waits for its job, takes over its results. */
static bool resume(cluster *c, GError **error)
{
	g_autofree char *path = in_folder(c, "job.txt");

	if (!g_file_get_contents(path, &c->id, NULL, NULL))
		return true;
	if (!wait_for_job(c, error))
		return false;
	unlink(path);
	g_clear_pointer(&c->id, g_free);
	return true;
}

/* Takes points that have ended meanwhile out of job->pending; the new list is *LEFT. */
static bool drop_ended(sweep_job *job, uint32_t **left, GError **error)
{
	g_autofree uint8_t *ended = trace_sweep_ended(job->db, error);
	size_t count = 0;

	if (!ended)
		return false;
	*left = g_new(uint32_t, job->pending_count);
	for (size_t i = 0; i < job->pending_count; i++)
		if (!ended[job->pending[i]])
			(*left)[count++] = job->pending[i];
	job->pending = *left;
	job->pending_count = count;
	return true;
}

/* Runs the very first point here: a wrong name among the outputs shows before anything is submitted. */
static bool look_at_first(cluster *c, GError **error)
{
	g_autofree uint8_t *ended = NULL;
	sweep_job first = *c->job;
	bool fine;

	if (!first.fresh || first.interrupted)
		return true;
	ended = trace_sweep_ended(first.db, error);
	if (!ended)
		return false;
	if (ended[first.pending[0]])
		return true;
	first.pending_count = first.jobs = 1;
	fine = sweep_run_local(&first, error);
	c->job->interrupted = first.interrupted;
	return fine;
}

static bool run(cluster *c, uint32_t **left, GError **error)
{
	if (!resume(c, error) || !look_at_first(c, error) || !drop_ended(c->job, left, error))
		return false;
	if (c->job->interrupted)
		return true;
	if (c->job->pending_count && (!submit(c, error) || !wait_for_job(c, error)))
		return false;
	return check_all(c, error);
}

bool sweep_run_slurm(sweep_job *job, GError **error)
{
	cluster c = {.job = job, .folder = g_strconcat(job->path, ".slurm", NULL)};
	g_autofree char *sbatch = g_find_program_in_path("sbatch");
	g_autofree uint32_t *left = NULL;
	bool fine;

	if (!sbatch) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "--engine slurm: there is no sbatch here; run this where jobs are submitted, or with "
		            "--engine local");
		g_free(c.folder);
		return false;
	}
	c.progress = progress_begin(job->s->name);
	interrupt_defer(true);
	fine = run(&c, &left, error);
	interrupt_defer(false);
	progress_end(c.progress);
	job->pending = NULL;
	job->pending_count = 0;
	g_free(c.folder);
	g_free(c.id);
	return fine;
}
