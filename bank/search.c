/* SPDX-License-Identifier: Apache-2.0
 *
 * The search in order: candidates, spectra of the training streams, bounds, annealing, scores of the promising ones on
 * training, the front, scores of what is reported on held-out streams, certificates.
 */
#include "bank/search.h"

#include <math.h>
#include <string.h>

enum {
	SPECTRUM_DIFFERENCES = 1 << 18, /* of a source; more: groups are sampled */
	MOST_SLOTS = 8,
	BEST_OF_FAMILY = 12, /* swept maps of a family that are scored in any case */
};

static const double lambdas[] = {0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01};

/* Progress at the end of each part. */
static const double after_spectra = 0.1, after_anneal = 0.5, after_train = 0.85, after_held = 0.97;

bank_search_source *bank_search_source_new(bank_source *source, bool merge)
{
	bank_search_source *s = g_new(bank_search_source, 1);

	*s = (bank_search_source){source, merge};
	return s;
}

void bank_search_source_free(gpointer source)
{
	bank_source_free(((bank_search_source *)source)->source);
	g_free(source);
}

/* Formulas for dividers are within this share of synthesis (isa/bankgates.def); XOR2 are counted. */
static const double gates_error = 0.11;

/* Is A no dearer than B for sure?  What is estimated may be larger than what is measured. */
bool bank_no_dearer(const bank_candidate *a, const bank_candidate *b)
{
	double error = a->gates_class == BANKMAP_GATES_DERIVED && b->gates_class == BANKMAP_GATES_MEASURED &&
	                               !a->linear && !b->linear
	                       ? gates_error
	                       : 0;

	return a->gates_class != BANKMAP_GATES_NONE && b->gates_class != BANKMAP_GATES_NONE &&
	       a->gates_nand2 * (1 + error) <= b->gates_nand2 && a->lost_words <= b->lost_words;
}

bool bank_dominates(const bank_candidate *a, double conflict_a, const bank_candidate *b, double conflict_b)
{
	return conflict_a <= conflict_b && bank_no_dearer(a, b) &&
	       (conflict_a < conflict_b || a->gates_nand2 < b->gates_nand2 || a->lost_words < b->lost_words);
}

/* Spectra of the sources of one list: spectra[source * slot_count + slot]. */
typedef struct spectra {
	GPtrArray *sources;
	struct {
		bank_difference kind;
		uint64_t base;
	} slots[MOST_SLOTS];
	unsigned slot_count;
	bank_spectrum *all;
	GError **errors;
	gint finished;
	const bank_search_options *options;
	double from, to;
} spectra;

/* The slot of a rule, made when it is new; -1 when there are too many. */
static int slot_of(spectra *s, const bank_rule *rule)
{
	for (unsigned i = 0; i < s->slot_count; i++)
		if (s->slots[i].kind == rule->kind && s->slots[i].base == rule->base)
			return (int)i;
	if (s->slot_count == MOST_SLOTS)
		return -1;
	s->slots[s->slot_count].kind = rule->kind;
	s->slots[s->slot_count].base = rule->base;
	return (int)s->slot_count++;
}

static void count_source(void *state, unsigned i)
{
	spectra *s = state;
	const bank_search_source *source = g_ptr_array_index(s->sources, i);
	bool ok = true;

	for (unsigned slot = 0; slot < s->slot_count && ok; slot++)
		ok = bank_spectrum_sample(source->source, s->slots[slot].kind, s->slots[slot].base, source->merge,
		                          SPECTRUM_DIFFERENCES, &s->all[i * s->slot_count + slot], &s->errors[i]);
	g_atomic_int_inc(&s->finished);
}

static void tell(const bank_search_options *o, double fraction)
{
	if (o->progress)
		o->progress(o->progress_state, fraction);
}

static void tell_spectra(void *state)
{
	spectra *s = state;
	double share = (double)g_atomic_int_get(&s->finished) / MAX(1, s->sources->len);

	tell(s->options, s->from + (s->to - s->from) * share);
}

static bool count_spectra(spectra *s, GPtrArray *sources, const bank_search_options *o, double from, double to,
                          GError **error)
{
	bool ok = true;

	s->sources = sources;
	s->options = o;
	s->from = from;
	s->to = to;
	s->all = g_new0(bank_spectrum, (size_t)sources->len * s->slot_count + 1);
	s->errors = g_new0(GError *, sources->len + 1);
	bank_search_parallel(o->threads, sources->len, count_source, s, tell_spectra);
	for (unsigned i = 0; i < sources->len; i++) {
		if (s->errors[i] && ok)
			g_propagate_error(error, s->errors[i]);
		else if (s->errors[i])
			g_error_free(s->errors[i]);
		ok &= !s->errors[i];
	}
	g_clear_pointer(&s->errors, g_free);
	return ok;
}

static void spectra_clear(spectra *s)
{
	for (unsigned i = 0; s->all && i < s->sources->len * s->slot_count; i++)
		bank_spectrum_clear(&s->all[i]);
	g_free(s->all);
}

typedef struct search {
	const bank_search_options *o;
	bank_search_result *result;
	GPtrArray *pool; /* all candidates, owned */
	spectra train;
	bank_linear_problem *problem;
	bank_archive *archives; /* of each chain */
	unsigned chains, most_xor2;
	gint steps_done; /* in units of 256 */
} search;

static bool collect(search *s, GError **error)
{
	const bank_search_options *o = s->o;

	bank_search_classics(o->banks, o->rows, s->pool);
	for (unsigned i = 0; o->given && i < o->given->len; i++) {
		bank_candidate *c =
			bank_candidate_new(g_ptr_array_index(o->given, i), o->banks, o->rows, BANK_GIVEN, error);
		bool known = false;

		if (!c)
			return false;
		for (unsigned j = 0; j < s->pool->len; j++)
			known |= !strcmp(bankmap_text(((bank_candidate *)g_ptr_array_index(s->pool, j))->map),
			                 bankmap_text(c->map));
		if (known)
			bank_candidate_free(c);
		else
			g_ptr_array_add(s->pool, c);
	}
	s->result->swept = s->pool->len;
	bank_search_sweeps(o->banks, o->rows, s->pool);
	s->result->swept = s->pool->len - s->result->swept;
	return true;
}

static void bound_candidates(search *s)
{
	unsigned count = s->o->train->len;

	for (unsigned i = 0; i < s->pool->len; i++) {
		bank_candidate *c = g_ptr_array_index(s->pool, i);
		int slot = c->has_rule ? slot_of(&s->train, &c->rule) : -1;

		if (slot < 0)
			continue;
		c->bound = 0;
		for (unsigned n = 0; n < count; n++) {
			const bank_spectrum *spectrum = &s->train.all[n * s->train.slot_count + (unsigned)slot];

			c->bound +=
				bank_conflict_bound(bank_spectrum_colliding(spectrum, &c->rule), spectrum->requests) /
				count;
		}
	}
}

static void tick(void *state, uint64_t steps)
{
	search *s = state;

	g_atomic_int_add(&s->steps_done, (gint)((steps + 255) / 256));
}

static void run_chain(void *state, unsigned i)
{
	search *s = state;
	bank_anneal how = {.lambda = lambdas[i % G_N_ELEMENTS(lambdas)],
	                   .steps = s->o->steps,
	                   .most_xor2 = s->most_xor2,
	                   .seed = s->o->seed,
	                   .stream = i};

	bank_archive_init(&s->archives[i]);
	bank_linear_anneal(s->problem, &how, &s->archives[i], tick, s);
}

static void tell_chains(void *state)
{
	search *s = state;
	double all = (double)s->chains * (double)(s->o->steps / 256 + 1);

	tell(s->o,
	     after_spectra + (after_anneal - after_spectra) * MIN(1, (double)g_atomic_int_get(&s->steps_done) / all));
}

static unsigned log2_floor(uint64_t n)
{
	return 63 - (unsigned)__builtin_clzll(n);
}

/* Is MAP one of the candidates under another name? */
static bool is_known(const search *s, const bank_linear *map)
{
	for (unsigned i = 0; i < s->pool->len; i++) {
		const bank_candidate *c = g_ptr_array_index(s->pool, i);
		bank_linear other;

		if (c->linear && bank_linear_of(c->map, map->address_bits, &other) && other.bits == map->bits &&
		    !memcmp(other.columns, map->columns, sizeof map->columns))
			return true;
	}
	return false;
}

/* Of the archive: maps better than all with fewer XOR2. */
static void take_archive(search *s, const bank_archive *archive)
{
	double best = 2;

	for (unsigned n = 0; n < BANK_LINEAR_ONES; n++) {
		g_autofree char *text = NULL;
		bank_candidate *c;

		if (archive->bound[n] >= best)
			continue;
		best = archive->bound[n];
		if (n == 0 || is_known(s, &archive->map[n])) /* 0: the modulus */
			continue;
		text = bank_linear_text(&archive->map[n]);
		c = bank_candidate_new(text, s->o->banks, s->o->rows, BANK_ANNEALED, NULL);
		if (!c)
			continue;
		c->bound = best;
		g_ptr_array_add(s->pool, c);
	}
}

static void anneal(search *s)
{
	const bank_search_options *o = s->o;
	unsigned bits = log2_floor(o->banks), address_bits = log2_floor((o->rows << bits) - 1) + 1;
	bank_spectrum *by_xor = g_new(bank_spectrum, o->train->len + 1);
	bank_rule xor_rule = {.kind = BANK_XOR};
	unsigned slot = (unsigned)slot_of(&s->train, &xor_rule);

	for (unsigned i = 0; i < o->train->len; i++)
		by_xor[i] = s->train.all[i * s->train.slot_count + slot];
	s->most_xor2 = BANK_LINEAR_ONES - 1;
	if (o->most_gates > 0) {
		/* Sharing may let a map with a few more ones in. */
		s->most_xor2 = (unsigned)MIN(o->most_gates / bank_search_xor2_nand2() + 2, s->most_xor2);
	}
	if (bits && bits <= BANK_LINEAR_BITS && address_bits <= BANK_LINEAR_ADDRESS_BITS && o->steps) {
		s->problem = bank_linear_problem_new(bits, address_bits, by_xor, o->train->len);
		s->result->differences = bank_linear_problem_differences(s->problem);
		s->chains = G_N_ELEMENTS(lambdas) * MAX(1, o->restarts);
		s->archives = g_new(bank_archive, s->chains);
		bank_search_parallel(o->threads, s->chains, run_chain, s, tell_chains);
		for (unsigned i = 1; i < s->chains; i++)
			bank_archive_merge(&s->archives[0], &s->archives[i]);
		bank_archive_polish(s->problem, s->most_xor2, &s->archives[0], NULL, NULL);
		take_archive(s, &s->archives[0]);
		s->result->annealed_steps = s->chains * o->steps;
		bank_linear_problem_free(s->problem);
		g_free(s->archives);
	}
	g_free(by_xor);
}

static size_t family_length(const bank_candidate *c)
{
	return strcspn(bankmap_text(c->map), ":");
}

static bool same_family(const bank_candidate *a, const bank_candidate *b)
{
	size_t length = family_length(a);

	return length == family_length(b) && !strncmp(bankmap_text(a->map), bankmap_text(b->map), length);
}

/* Swept maps that are scored: without a bound, not dominated by their bounds, or among the best of their family. */
static bool promising(const search *s, unsigned at)
{
	const bank_candidate *c = g_ptr_array_index(s->pool, at);
	bool dominated = false;
	unsigned better = 0;

	if (c->origin != BANK_SWEPT || c->bound > 1)
		return true;
	for (unsigned i = 0; i < s->pool->len; i++) {
		const bank_candidate *other = g_ptr_array_index(s->pool, i);

		dominated |= i != at && bank_dominates(other, other->bound, c, c->bound);
		if (same_family(c, other))
			better += other->bound < c->bound || (other->bound == c->bound && i < at);
	}
	return !dominated || better < BEST_OF_FAMILY;
}

static bank_score *train_score(bank_candidate *c, enum bank_model model)
{
	(void)model;
	c->scored = true;
	return &c->train;
}

static bank_score *held_score(bank_candidate *c, enum bank_model model)
{
	c->held_scored = true;
	return &c->held[model];
}

static void mark_front(const search *s, GPtrArray *scored)
{
	for (unsigned i = 0; i < scored->len; i++) {
		bank_candidate *c = g_ptr_array_index(scored, i);

		c->on_front = c->gates_class != BANKMAP_GATES_NONE &&
		              (s->o->most_gates <= 0 || c->gates_nand2 <= s->o->most_gates);
		for (unsigned j = 0; j < scored->len && c->on_front; j++) {
			const bank_candidate *other = g_ptr_array_index(scored, j);
			bool equal = other->train.mean_conflict == c->train.mean_conflict &&
			             other->gates_nand2 == c->gates_nand2 && other->lost_words == c->lost_words &&
			             other->gates_class != BANKMAP_GATES_NONE;

			if (bank_dominates(other, other->train.mean_conflict, c, c->train.mean_conflict) ||
			    (equal && j < i))
				c->on_front = false;
		}
	}
}

static bool score_all(search *s, GPtrArray *kept, GError **error)
{
	g_autoptr(GPtrArray) scored = g_ptr_array_new();
	const bank_search_options *o = s->o;

	for (unsigned i = 0; i < s->pool->len; i++)
		if (promising(s, i))
			g_ptr_array_add(scored, g_ptr_array_index(s->pool, i));
	if (!bank_search_score(o, o->train, BANK_LOCKSTEP, scored, train_score, after_anneal, after_train, error))
		return false;
	mark_front(s, scored);
	for (unsigned i = 0; i < scored->len; i++) {
		bank_candidate *c = g_ptr_array_index(scored, i);

		if (c->on_front || c->origin == BANK_CLASSIC || c->origin == BANK_GIVEN)
			g_ptr_array_add(kept, c);
	}
	if (o->measure) {
		/* Estimates and measurements do not compare: the front is among what was measured. */
		for (unsigned i = 0; i < kept->len; i++)
			if (!o->measure(o->measure_state, g_ptr_array_index(kept, i), error))
				return false;
		mark_front(s, kept);
	}
	for (unsigned m = 0; m < BANK_MODEL_COUNT; m++) {
		double step = (after_held - after_train) / BANK_MODEL_COUNT;

		if (!bank_search_score(o, o->held, (enum bank_model)m, kept, held_score, after_train + m * step,
		                       after_train + (m + 1) * step, error))
			return false;
	}
	return true;
}

static void certify(search *s, spectra *of, bool held, GPtrArray *kept)
{
	for (unsigned i = 0; i < kept->len; i++) {
		const bank_candidate *c = g_ptr_array_index(kept, i);
		int slot = c->has_rule ? slot_of(of, &c->rule) : -1;

		for (unsigned n = 0; n < of->sources->len && slot >= 0; n++) {
			const bank_spectrum *spectrum = &of->all[n * of->slot_count + (unsigned)slot];
			bank_certificate certificate = {
				c, n, held, spectrum->kind, spectrum->groups, spectrum->requests, 0, spectrum->count};

			if (spectrum->full || spectrum->groups != spectrum->all_groups || !spectrum->groups ||
			    bank_spectrum_colliding(spectrum, &c->rule))
				continue;
			for (size_t d = 0; d < spectrum->count; d++)
				certificate.pairs += spectrum->entries[d].pairs;
			g_array_append_val(s->result->certificates, certificate);
		}
	}
}

static bool certify_held(search *s, GPtrArray *kept, GError **error)
{
	spectra held = {0};
	bool ok;

	for (unsigned i = 0; i < kept->len; i++) {
		const bank_candidate *c = g_ptr_array_index(kept, i);

		if (c->has_rule)
			slot_of(&held, &c->rule);
	}
	ok = count_spectra(&held, s->o->held, s->o, after_held, 1, error);
	if (ok)
		certify(s, &held, true, kept);
	spectra_clear(&held);
	return ok;
}

static int by_gates(gconstpointer a, gconstpointer b)
{
	const bank_candidate *x = *(bank_candidate *const *)a, *y = *(bank_candidate *const *)b;

	if ((x->gates_class == BANKMAP_GATES_NONE) != (y->gates_class == BANKMAP_GATES_NONE))
		return x->gates_class == BANKMAP_GATES_NONE ? 1 : -1;
	if (x->gates_nand2 != y->gates_nand2)
		return x->gates_nand2 < y->gates_nand2 ? -1 : 1;
	if (x->train.mean_conflict != y->train.mean_conflict)
		return x->train.mean_conflict < y->train.mean_conflict ? -1 : 1;
	return strcmp(bankmap_text(x->map), bankmap_text(y->map));
}

/* Scored candidates go to the result, the others away. */
static void hand_over(search *s)
{
	for (unsigned i = 0; i < s->pool->len; i++) {
		bank_candidate *c = g_ptr_array_index(s->pool, i);

		if (c->scored)
			g_ptr_array_add(s->result->candidates, c);
		else
			bank_candidate_free(c);
	}
	g_ptr_array_sort(s->result->candidates, by_gates);
}

static bool run_search(search *s, GError **error)
{
	g_autoptr(GPtrArray) kept = g_ptr_array_new();
	bank_rule xor_rule = {.kind = BANK_XOR};

	if (!collect(s, error))
		return false;
	slot_of(&s->train, &xor_rule);
	for (unsigned i = 0; i < s->pool->len; i++) {
		const bank_candidate *c = g_ptr_array_index(s->pool, i);

		if (c->has_rule)
			slot_of(&s->train, &c->rule);
	}
	if (!count_spectra(&s->train, s->o->train, s->o, 0, after_spectra, error))
		return false;
	for (unsigned i = 0; i < s->o->train->len; i++) {
		s->result->train_groups += s->train.all[i * s->train.slot_count].all_groups;
		s->result->train_counted += s->train.all[i * s->train.slot_count].groups;
	}
	bound_candidates(s);
	anneal(s);
	if (!score_all(s, kept, error))
		return false;
	certify(s, &s->train, false, kept);
	return certify_held(s, kept, error);
}

bank_search_result *bank_search(const bank_search_options *options, GError **error)
{
	search s = {.o = options, .result = g_new0(bank_search_result, 1), .pool = g_ptr_array_new()};
	bool ok;

	s.result->candidates = g_ptr_array_new_with_free_func(bank_candidate_free);
	s.result->certificates = g_array_new(FALSE, TRUE, sizeof(bank_certificate));
	ok = run_search(&s, error);
	spectra_clear(&s.train);
	hand_over(&s);
	g_ptr_array_free(s.pool, TRUE);
	if (ok)
		return s.result;
	bank_search_result_free(s.result);
	return NULL;
}

void bank_search_result_free(bank_search_result *result)
{
	g_ptr_array_free(result->candidates, TRUE);
	g_array_free(result->certificates, TRUE);
	g_free(result);
}
