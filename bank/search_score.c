/* SPDX-License-Identifier: Apache-2.0
 *
 * Scoring candidates by the timing models: each source is read once and feeds the runs of all candidates; sources are
 * shared out among threads, results have their places, so the number of threads changes nothing.
 */
#include "bank/metrics.h"
#include "bank/search.h"

#include <string.h>

enum { TELL_EVERY_US = 100000 };

typedef struct crew {
	GMutex lock;
	GCond done;
	unsigned next, count, working;
	void (*work)(void *state, unsigned i);
	void *state;
} crew;

static gpointer crew_member(gpointer data)
{
	crew *c = data;

	g_mutex_lock(&c->lock);
	while (c->next < c->count) {
		unsigned i = c->next++;

		g_mutex_unlock(&c->lock);
		c->work(c->state, i);
		g_mutex_lock(&c->lock);
	}
	c->working--;
	g_cond_signal(&c->done);
	g_mutex_unlock(&c->lock);
	return NULL;
}

void bank_search_parallel(unsigned threads, unsigned count, void (*work)(void *state, unsigned i), void *state,
                          void (*tell)(void *state))
{
	crew c = {.count = count, .work = work, .state = state};
	GPtrArray *members = g_ptr_array_new();

	g_mutex_init(&c.lock);
	g_cond_init(&c.done);
	c.working = MAX(1, MIN(threads, count));
	for (unsigned t = c.working; t-- > 0;)
		g_ptr_array_add(members, g_thread_new("search", crew_member, &c));
	g_mutex_lock(&c.lock);
	while (c.working) {
		g_cond_wait_until(&c.done, &c.lock, g_get_monotonic_time() + TELL_EVERY_US);
		if (tell) {
			g_mutex_unlock(&c.lock);
			tell(state);
			g_mutex_lock(&c.lock);
		}
	}
	g_mutex_unlock(&c.lock);
	for (unsigned t = 0; t < members->len; t++)
		g_thread_join(g_ptr_array_index(members, t));
	g_ptr_array_free(members, TRUE);
	g_mutex_clear(&c.lock);
	g_cond_clear(&c.done);
}

void bank_score_clear(bank_score *score)
{
	g_free(score->conflict);
	*score = (bank_score){0};
}

typedef struct scoring {
	const bank_search_options *options;
	GPtrArray *sources, *candidates;
	enum bank_model model;
	double *conflict, *slowdown, *grants; /* [candidate][source] */
	GError **errors;                      /* of each source */
	gint finished;                        /* sources */
	double from, to;
} scoring;

static bool run_source(scoring *s, const bank_search_source *source, GPtrArray *runs, GError **error)
{
	GError *failure = NULL;
	bank_batch batch = {0};

	for (unsigned c = 0; c < s->candidates->len; c++) {
		bank_options options = s->options->model;
		bank_run *run;

		options.map = ((bank_candidate *)g_ptr_array_index(s->candidates, c))->map;
		options.model = s->model;
		options.merge = source->merge;
		options.banks = s->options->banks;
		run = bank_run_new(&options, error);
		if (!run)
			return false;
		g_ptr_array_add(runs, run);
	}
	if (!bank_source_rewind(source->source, error))
		return false;
	while (bank_source_next(source->source, &batch, &failure))
		for (unsigned c = 0; c < runs->len; c++)
			bank_run_push(g_ptr_array_index(runs, c), &batch);
	bank_batch_clear(&batch);
	if (failure)
		g_propagate_error(error, failure);
	return !failure;
}

static void score_source(void *state, unsigned i)
{
	scoring *s = state;
	const bank_search_source *source = g_ptr_array_index(s->sources, i);
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func((GDestroyNotify)bank_run_free);
	bool ok = run_source(s, source, runs, &s->errors[i]);

	for (unsigned c = 0; ok && c < runs->len; c++) {
		size_t at = (size_t)c * s->sources->len + i;
		bank_result result;

		ok = bank_run_end(g_ptr_array_index(runs, c), &result, &s->errors[i]);
		if (!ok)
			break;
		s->conflict[at] = bank_request_conflict(&result);
		s->slowdown[at] = result.slowdown;
		s->grants[at] = result.grants_per_cycle;
		bank_result_clear(&result);
	}
	g_atomic_int_inc(&s->finished);
}

static void tell_scoring(void *state)
{
	scoring *s = state;
	double share = (double)g_atomic_int_get(&s->finished) / MAX(1, s->sources->len);

	if (s->options->progress)
		s->options->progress(s->options->progress_state, s->from + (s->to - s->from) * share);
}

static void take_score(const scoring *s, unsigned c, bank_score *score)
{
	unsigned count = s->sources->len;
	size_t at = (size_t)c * count;

	bank_score_clear(score);
	score->conflict = g_memdup2(s->conflict + at, count * sizeof *s->conflict);
	for (unsigned i = 0; i < count; i++) {
		score->mean_conflict += s->conflict[at + i] / count;
		score->mean_slowdown += s->slowdown[at + i] / count;
		score->mean_grants += s->grants[at + i] / count;
		if (s->conflict[at + i] > s->conflict[at + score->worst])
			score->worst = i;
	}
	score->worst_conflict = count ? s->conflict[at + score->worst] : 0;
}

bool bank_search_score(const bank_search_options *options, GPtrArray *sources, enum bank_model model,
                       GPtrArray *candidates, bank_score *(*score)(bank_candidate *c, enum bank_model model),
                       double progress_from, double progress_to, GError **error)
{
	size_t cells = (size_t)candidates->len * sources->len + 1;
	scoring s = {.options = options,
	             .sources = sources,
	             .candidates = candidates,
	             .model = model,
	             .from = progress_from,
	             .to = progress_to};
	bool ok = true;

	s.conflict = g_new0(double, cells);
	s.slowdown = g_new0(double, cells);
	s.grants = g_new0(double, cells);
	s.errors = g_new0(GError *, sources->len + 1);
	bank_search_parallel(options->threads, sources->len, score_source, &s, tell_scoring);
	for (unsigned i = 0; i < sources->len; i++) {
		if (s.errors[i] && ok)
			g_propagate_error(error, s.errors[i]);
		else if (s.errors[i])
			g_error_free(s.errors[i]);
		ok &= !s.errors[i];
	}
	for (unsigned c = 0; ok && c < candidates->len; c++)
		take_score(&s, c, score(g_ptr_array_index(candidates, c), model));
	g_free(s.conflict);
	g_free(s.slowdown);
	g_free(s.grants);
	g_free(s.errors);
	return ok;
}
