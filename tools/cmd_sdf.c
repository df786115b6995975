/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim sdf FILE: what can be known of a dataflow graph before it runs: the balance of its rates, whether it can go
 * on for ever, how fast, and with how much room.
 */
#include <string.h>

#include "isa/file.h"
#include "sched/alg/sdf.h"
#include "tools/interrupt.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/tool.h"

static gint64 limit = 100000;
static gboolean size_live;
static gboolean size_fast;

static const GOptionEntry options[] = {
	{"minimal", 0, 0, G_OPTION_ARG_NONE, &size_live, "find the least total of buffers that keeps the graph live",
         NULL},
	{"full-rate", 0, 0, G_OPTION_ARG_NONE, &size_fast, "find the least total of buffers that keeps the full rate",
         NULL},
	{"limit", 0, 0, G_OPTION_ARG_INT64, &limit, "look at N distributions of buffers at most (default: 100000)",
         "N"},
	{0},
};

typedef struct answer {
	const sdf_graph *g;
	const char *status; /* "live" "deadlocked" "inconsistent" */
	uint64_t *repetition;
	uint32_t unbalanced; /* channel */
	GArray *blocked;     /* of a deadlock */
	bool timed;          /* is every time known? */
	sdf_ratio period;
	GArray *cycle;
	uint64_t bounds; /* total */
	sdf_buffers live, fast;
	bool no_room; /* that keeps the full rate */
} answer;

static void answer_fini(answer *a)
{
	g_free(a->repetition);
	g_free(a->live.capacity);
	g_free(a->fast.capacity);
	if (a->blocked)
		g_array_free(a->blocked, TRUE);
	if (a->cycle)
		g_array_free(a->cycle, TRUE);
}

static bool every_time_known(const sdf_graph *g)
{
	for (uint32_t i = 0; i < g->actors->len; i++)
		for (uint32_t k = 0; k < sdf_actor_at(g, i)->phases; k++)
			if (sdf_actor_at(g, i)->time[k] < 0)
				return false;
	return true;
}

static bool interrupted(void *state)
{
	(void)state;
	return interrupt_happened();
}

static bool solve(answer *a, GError **error)
{
	sdf_effort effort = {.distributions = (uint64_t)limit, .stop = interrupted};

	a->timed = every_time_known(a->g);
	a->repetition = sdf_repetition(a->g, &a->unbalanced, error);
	if (!a->repetition && a->unbalanced == UINT32_MAX)
		return false;
	if (!a->repetition) {
		a->status = "inconsistent";
		return true;
	}
	for (uint32_t i = 0; i < a->g->channels->len; i++)
		if (sdf_channel_at(a->g, i)->from != sdf_channel_at(a->g, i)->to)
			a->bounds += sdf_buffer_bound(a->g, i);
	if (!sdf_is_live(a->g, a->repetition, NULL, &a->blocked)) {
		a->status = "deadlocked";
		return true;
	}
	a->status = "live";
	if (a->timed)
		a->period = sdf_period(a->g, a->repetition, NULL, &a->cycle);
	if (size_live)
		sdf_size_buffers(a->g, a->repetition, NULL, &effort, &a->live);
	if (size_fast && a->timed)
		a->no_room = !sdf_size_buffers(a->g, a->repetition, &a->period, &effort, &a->fast);
	return true;
}

static char *ratio_text(sdf_ratio r)
{
	return r.iterations == 1 ? g_strdup_printf("%" G_GINT64_FORMAT, r.time)
	                         : g_strdup_printf("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, r.time, r.iterations);
}

static bool is_between(const sdf_graph *g, uint32_t i)
{
	return sdf_channel_at(g, i)->from != sdf_channel_at(g, i)->to;
}

static void put_sizes(json *j, const char *key, const answer *a, const uint64_t *capacity)
{
	json_object(j, key);
	for (uint32_t i = 0; i < a->g->channels->len; i++)
		if (is_between(a->g, i))
			json_uint(j, sdf_channel_at(a->g, i)->name, capacity ? capacity[i] : sdf_buffer_bound(a->g, i));
	json_end(j);
}

static void put_search(json *j, const char *key, const answer *a, const sdf_buffers *found)
{
	if (!found->capacity)
		return;
	json_object(j, key);
	json_uint(j, "total", found->total);
	json_bool(j, "proved", found->proved);
	json_uint(j, "tried", found->tried);
	put_sizes(j, "sizes", a, found->capacity);
	json_end(j);
}

/* How many of CHANNELS from I on are the same. */
static guint run_of(const GArray *channels, guint i)
{
	guint end = i + 1;

	while (end < channels->len && g_array_index(channels, uint32_t, end) == g_array_index(channels, uint32_t, i))
		end++;
	return end - i;
}

/* The same one several times in a row is one entry, with how often. */
static void put_channels(json *j, const char *key, const answer *a, const GArray *channels)
{
	json_array(j, key);
	for (guint i = 0, times; channels && i < channels->len; i += times) {
		uint32_t which = g_array_index(channels, uint32_t, i);

		times = run_of(channels, i);

		json_object(j, NULL);
		json_string(j, "channel", sdf_channel_at(a->g, which & ~SDF_NO_ROOM)->name);
		json_string(j, "lacks", which & SDF_NO_ROOM ? "room" : "tokens");
		if (times > 1)
			json_uint(j, "times", times);
		json_end(j);
	}
	json_end(j);
}

static char *answer_json(const answer *a)
{
	json *j = json_new();
	g_autofree char *exact = ratio_text(a->period);

	json_object(j, NULL);
	json_string(j, "graph", a->g->name);
	json_string(j, "status", a->status);
	json_bool(j, "interrupted", interrupt_happened());
	json_uint(j, "actors", a->g->actors->len);
	json_uint(j, "channels", a->g->channels->len);
	json_object(j, "repetition");
	for (uint32_t i = 0; a->repetition && i < a->g->actors->len; i++)
		json_uint(j, sdf_actor_at(a->g, i)->name, a->repetition[i]);
	json_end(j);
	if (!a->cycle)
		json_null(j, "period");
	else if (a->period.iterations == 1)
		json_int(j, "period", a->period.time);
	else
		json_real(j, "period", (double)a->period.time / (double)a->period.iterations);
	json_string(j, "period_exact", a->cycle ? exact : NULL);
	put_channels(j, "binds", a, a->cycle);
	if (a->repetition) {
		json_uint(j, "buffers", a->bounds);
		put_sizes(j, "buffer_bounds", a, NULL);
	} else {
		json_null(j, "buffers");
		json_string(j, "unbalanced", sdf_channel_at(a->g, a->unbalanced)->name);
	}
	if (strcmp(a->status, "deadlocked") == 0)
		put_channels(j, "blocked", a, a->blocked);
	put_search(j, "minimal", a, &a->live);
	put_search(j, "full_rate", a, &a->fast);
	if (a->no_room)
		json_null(j, "full_rate");
	json_end(j);
	return json_finish(j);
}

/* The actors along CYCLE, each as it begins. */
static void add_cycle(GString *out, const answer *a)
{
	guint shown = 0, i = 0, times;

	for (; i < a->cycle->len && shown < 8; i += times, shown++) {
		uint32_t which = g_array_index(a->cycle, uint32_t, i);
		const sdf_channel *c = sdf_channel_at(a->g, which & ~SDF_NO_ROOM);

		times = run_of(a->cycle, i);
		g_string_append_printf(out, "%s%s", i ? " -> " : "", sdf_actor_at(a->g, c->from)->name);
		if (times > 1)
			g_string_append_printf(out, " (%u times)", times);
	}
	if (i < a->cycle->len)
		g_string_append_printf(out, " -> ... (%u firings)", a->cycle->len);
}

static void add_search(GString *out, const answer *a, const char *what, const sdf_buffers *found)
{
	if (!found->capacity)
		return;
	g_string_append_printf(
		out, "%s %" G_GUINT64_FORMAT " token%s%s, %" G_GUINT64_FORMAT " distribution%s looked at:", what,
		found->total, tsp_s(found->total), found->proved ? ", the least" : ", not proved to be the least",
		found->tried, tsp_s(found->tried));
	for (uint32_t i = 0; i < a->g->channels->len; i++)
		if (is_between(a->g, i))
			g_string_append_printf(out, " %s %" G_GUINT64_FORMAT, sdf_channel_at(a->g, i)->name,
			                       found->capacity[i]);
	g_string_append_c(out, '\n');
}

static char *answer_text(const answer *a)
{
	GString *out = g_string_new(NULL);
	g_autofree char *period = ratio_text(a->period);
	uint64_t firings = 0;

	g_string_append_printf(out, "graph        %s: %u actor%s, %u channel%s\nstatus       %s%s\n", a->g->name,
	                       a->g->actors->len, tsp_s(a->g->actors->len), a->g->channels->len,
	                       tsp_s(a->g->channels->len), a->status, interrupt_ending(false));
	if (!a->repetition) {
		g_string_append_printf(
			out, "unbalanced   channel %s: no numbers of firings keep it from filling or running dry\n",
			sdf_channel_at(a->g, a->unbalanced)->name);
		return g_string_free(out, FALSE);
	}
	g_string_append(out, "repetition  ");
	for (uint32_t i = 0; i < a->g->actors->len; i++) {
		g_string_append_printf(out, " %s %" G_GUINT64_FORMAT, sdf_actor_at(a->g, i)->name, a->repetition[i]);
		firings += a->repetition[i];
	}
	g_string_append_printf(out, " (%" G_GUINT64_FORMAT " firing%s an iteration)\n", firings, tsp_s(firings));
	for (guint i = 0; strcmp(a->status, "deadlocked") == 0 && i < a->blocked->len; i++) {
		const sdf_channel *c = sdf_channel_at(a->g, g_array_index(a->blocked, uint32_t, i));

		g_string_append_printf(out, "waits        %s for tokens of %s from %s\n",
		                       sdf_actor_at(a->g, c->to)->name, c->name, sdf_actor_at(a->g, c->from)->name);
	}
	if (a->cycle && a->cycle->len) {
		g_string_append_printf(out, "period       %s an iteration, bound by ", period);
		add_cycle(out, a);
		g_string_append_c(out, '\n');
	} else if (a->cycle) {
		g_string_append(out, "period       0: no cycle bounds the rate\n");
	} else if (!a->timed) {
		g_string_append(out, "period       not known: an actor has no execution time\n");
	}
	g_string_append_printf(
		out, "buffers      %" G_GUINT64_FORMAT " token%s, the sum of what each channel needs by itself\n",
		a->bounds, tsp_s(a->bounds));
	add_search(out, a, "to be live  ", &a->live);
	add_search(out, a, "full rate   ", &a->fast);
	if (a->no_room)
		g_string_append(out, "full rate    no room is enough: any bounds the rate, and nothing else does\n");
	return g_string_free(out, FALSE);
}

static int run_sdf(int argc, char **argv, GError **error)
{
	g_autofree char *text = NULL, *out = NULL;
	gsize length;
	sdf_graph *g;
	answer a = {0};
	int status = TOOL_USER_ERROR;

	(void)argc;
	if (!options_check(NEED_TIMED, error) || !(text = tsp_file_read(tool_input(argv[0]), &length, error)))
		return status;
	g = sdf_read_sdf3(text, length, argv[0], error);
	if (!g)
		return status;
	a.g = g;
	interrupt_defer(true);
	if (options_check(every_time_known(g) ? NEED_TIMED : 0, error) && solve(&a, error)) {
		out = tool_json ? answer_json(&a) : answer_text(&a);
		if ((tool_quiet && !tool_json) || tool_print(out, error))
			status = interrupt_happened()            ? TOOL_INTERRUPTED
			         : strcmp(a.status, "live") == 0 ? TOOL_OK
			                                         : TOOL_FOUND;
	}
	interrupt_defer(false);
	answer_fini(&a);
	sdf_graph_free(g);
	return status;
}

const tool_command cmd_sdf = {
	.name = "sdf",
	.synopsis = "FILE.xml [OPTION...]",
	.doc = "Analyse a synchronous dataflow graph: balance, deadlock, rate, buffers.",
	.details =
		"FILE is XML of the SDF3 tools, sdf or csdf.  Exit status 2: the graph is inconsistent or deadlocks.\n",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_sdf,
};
