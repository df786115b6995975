/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs points as processes of this program, some at a time, and records each outcome when its process ends.
 *
 * What a point prints goes to files in memory, so nothing has to be read while it runs.  Processes end with this one,
 * however it ends.  A point that is stopped by a signal of the user is not recorded: it has no outcome.
 */
#define _GNU_SOURCE
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/sweep_engine.h"

/* Answers are some kB; more than this is no answer. */
enum { MOST_BYTES = 64 << 20, MOST_MESSAGE = 2000 };

typedef struct engine {
	sweep_job *job;
	GMainLoop *loop;
	size_t next, ended; /* of job->pending */
	unsigned running, most;
	GPtrArray *workers; /* worker, those that run */
	progress *progress;
	bool stopping; /* nothing more is started or recorded */
	GError *error;
} engine;

typedef struct worker {
	engine *e;
	GPid pid;
	guint watch;
	uint32_t point;
	int out, err;
	gint64 start;
} worker;

static void worker_free(gpointer data)
{
	worker *w = data;

	close(w->out);
	close(w->err);
	g_free(w);
}

/* All of the file in memory, g_free; NULL when it is too long. */
static char *read_all(int file)
{
	off_t size = lseek(file, 0, SEEK_END);
	char *text;

	if (size < 0 || size > MOST_BYTES)
		return NULL;
	text = g_malloc0((gsize)size + 1);
	for (off_t done = 0; done < size;) {
		ssize_t got = pread(file, text + done, (size_t)(size - done), done);

		if (got <= 0)
			break;
		done += got;
	}
	return text;
}

/* What TEXT, the process's standard error, says: tspsim's own line, or else the last one; g_free. */
static char *message_in(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	const char *last = "no message";

	for (char **line = lines; *line; line++) {
		if (g_str_has_prefix(*line, "tspsim: ")) {
			last = *line + strlen("tspsim: ");
			break;
		}
		if (**line)
			last = *line;
	}
	return g_utf8_make_valid(last, (gssize)strnlen(last, MOST_MESSAGE));
}

static void stop(engine *e)
{
	e->stopping = true;
	for (guint i = 0; i < e->workers->len; i++)
		kill(((worker *)g_ptr_array_index(e->workers, i))->pid, SIGTERM);
	if (!e->running)
		g_main_loop_quit(e->loop);
}

/* Takes over the error that ended it all, the first one. */
static void fail(engine *e, GError *error)
{
	if (e->error)
		g_error_free(error);
	else
		e->error = error;
	stop(e);
}

static void record(engine *e, const worker *w, int wait_status)
{
	g_autofree char *answer = read_all(w->out);
	g_autofree char *errors = read_all(w->err);
	g_autofree char *message = NULL;
	GError *error = NULL;
	trace_sweep_outcome outcome = {
		.point = w->point,
		.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status),
		.wall_s = (double)(g_get_monotonic_time() - w->start) / 1e6,
		.host = g_get_host_name(),
	};

	if (WIFSIGNALED(wait_status))
		message = g_strdup_printf("ended by signal %d (%s)", WTERMSIG(wait_status),
		                          g_strsignal(WTERMSIG(wait_status)));
	else if (outcome.status != TOOL_OK && outcome.status != TOOL_FOUND)
		message = message_in(errors);
	else
		outcome.answer = answer;
	outcome.message = message;
	if (outcome.answer && e->job->fresh && !sweep_look_at_first(e->job, answer, &error)) {
		fail(e, error);
		return;
	}
	if (!trace_sweep_record(e->job->db, &outcome, &error)) {
		fail(e, error);
		return;
	}
	e->job->fresh = false;
	e->ended++;
	progress_update(e->progress, (double)e->ended / (double)e->job->pending_count);
}

static bool was_interrupted(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) == TOOL_INTERRUPTED
	                              : WTERMSIG(wait_status) == SIGINT || WTERMSIG(wait_status) == SIGTERM ||
	                                        WTERMSIG(wait_status) == SIGHUP;
}

static void start_more(engine *e);

static void on_exit_of(GPid pid, gint wait_status, gpointer data)
{
	worker *w = data;
	engine *e = w->e;

	g_spawn_close_pid(pid);
	e->running--;
	if (e->stopping) {
		if (!e->running)
			g_main_loop_quit(e->loop);
	} else if (was_interrupted(wait_status)) {
		/* Whoever stops a point means the sweep: a terminal sends its signal to all processes. */
		e->job->interrupted = true;
		stop(e);
	} else {
		record(e, w, wait_status);
	}
	g_ptr_array_remove(e->workers, w);
	start_more(e);
}

static void end_with_parent(gpointer data)
{
	(void)data;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Starts POINT; false and an error when this host cannot. */
static bool start(engine *e, uint32_t point, GError **error)
{
	g_auto(GStrv) words = sweep_words(e->job->s, point);
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	worker *w = g_new0(worker, 1);

	*w = (worker){.e = e, .point = point, .start = g_get_monotonic_time()};
	w->out = memfd_create("stdout", MFD_CLOEXEC);
	w->err = memfd_create("stderr", MFD_CLOEXEC);
	/* The running program itself, also when its file has been replaced. */
	g_ptr_array_add(argv, (gpointer) "/proc/self/exe");
	for (char **word = words; *word; word++)
		g_ptr_array_add(argv, *word);
	g_ptr_array_add(argv, NULL);
	if (w->out < 0 || w->err < 0 ||
	    !g_spawn_async_with_fds(NULL, (char **)argv->pdata, NULL,
	                            G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_FILE_AND_ARGV_ZERO, end_with_parent, NULL,
	                            &w->pid, -1, w->out, w->err, error)) {
		if (error && !*error)
			g_set_error(error, TSP_ERROR, TSP_ERROR_IO, "no file in memory can be made");
		worker_free(w);
		return false;
	}
	w->watch = g_child_watch_add(w->pid, on_exit_of, w);
	g_ptr_array_add(e->workers, w);
	e->running++;
	return true;
}

static void start_more(engine *e)
{
	GError *error = NULL;

	while (!e->stopping && e->next < e->job->pending_count && e->running < (e->job->fresh ? 1 : e->most)) {
		if (!start(e, e->job->pending[e->next], &error)) {
			fail(e, error);
			return;
		}
		e->next++;
	}
	if (!e->running)
		g_main_loop_quit(e->loop);
}

static gboolean on_signal(gpointer data)
{
	engine *e = data;

	e->job->interrupted = true;
	stop(e);
	return G_SOURCE_CONTINUE;
}

/* Ignored signals stay ignored, as a shell without job control wants it for background commands. */
static guint watch_signal(int number, engine *e)
{
	struct sigaction present;

	if (sigaction(number, NULL, &present) == 0 && present.sa_handler == SIG_IGN)
		return 0;
	return g_unix_signal_add(number, on_signal, e);
}

bool sweep_run_local(sweep_job *job, GError **error)
{
	engine e = {.job = job,
	            .loop = g_main_loop_new(NULL, FALSE),
	            .most = job->jobs,
	            .workers = g_ptr_array_new_with_free_func(worker_free),
	            .progress = progress_begin(job->s->name)};
	guint signals[] = {watch_signal(SIGINT, &e), watch_signal(SIGTERM, &e), watch_signal(SIGHUP, &e)};

	start_more(&e);
	if (e.running)
		g_main_loop_run(e.loop);
	progress_end(e.progress);
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		if (signals[i])
			g_source_remove(signals[i]);
	/* GLib leaves the default actions behind. */
	interrupt_install();
	g_ptr_array_unref(e.workers);
	g_main_loop_unref(e.loop);
	if (!e.error)
		return true;
	g_propagate_error(error, e.error);
	return false;
}
