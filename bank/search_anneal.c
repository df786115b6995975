/* SPDX-License-Identifier: Apache-2.0
 *
 * Simulated annealing over the matrix A.  The state is the bank of every difference; changing one entry of A changes
 * one bit of the banks of the differences that have the column's address bit, so a proposal looks at those only, and of
 * them only those that enter or leave bank 0 matter.  Pairs are whole numbers: nothing drifts.
 */
#include "bank/search_linear.h"

#include "isa/rng.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Temperatures of a chain, as conflict rates: an increase of so much is accepted once in e. */
static const double first_temperature = 0.02, last_temperature = 0.00005;

enum { TICK_STEPS = 256, LINE = 8 };

/* A line of banks; unaligned, so that arrays of GLib's allocator will do. */
typedef uint16_t line __attribute__((vector_size(LINE * sizeof(uint16_t)), aligned(sizeof(uint16_t)), may_alias));
typedef uint64_t line_words __attribute__((vector_size(LINE * sizeof(uint16_t))));

static inline bool any(line v)
{
	line_words w = (line_words)v;

	return (w[0] | w[1]) != 0;
}

typedef struct weight {
	uint32_t source;
	uint32_t pairs;
} weight;

struct bank_linear_problem {
	unsigned bits, address_bits, sources;
	uint64_t *requests, *equal_pairs; /* of each source; equal_pairs: those that collide whatever the map */
	size_t count;                     /* distinct differences kept */
	uint64_t *keys;
	uint32_t *first; /* weights of difference d: first[d] .. first[d + 1] - 1 */
	weight *weights;
	size_t lines; /* of LINE differences, the last one filled up */
	uint16_t
		*without[BANK_LINEAR_ADDRESS_BITS]; /* of each difference: 0 with address bit bits + j, else all ones */
};

/* Where each spectrum's reading stands, to merge them by key. */
static uint64_t least_key(const bank_spectrum *spectra, const size_t *at, unsigned count)
{
	uint64_t key = UINT64_MAX;

	for (unsigned s = 0; s < count; s++)
		if (at[s] < spectra[s].count)
			key = MIN(key, spectra[s].entries[at[s]].key);
	return key;
}

static void merge_spectra(bank_linear_problem *p, const bank_spectrum *spectra, unsigned count)
{
	g_autofree size_t *at = g_new0(size_t, count);
	uint32_t used = 0;
	uint64_t key;

	while ((key = least_key(spectra, at, count)) != UINT64_MAX) {
		p->keys[p->count] = key;
		p->first[p->count++] = used;
		for (unsigned s = 0; s < count; s++) {
			uint64_t pairs;

			if (at[s] == spectra[s].count || spectra[s].entries[at[s]].key != key)
				continue;
			pairs = spectra[s].entries[at[s]++].pairs;
			p->weights[used++] = (weight){s, (uint32_t)MIN(pairs, UINT32_MAX)};
		}
	}
	p->first[p->count] = used;
}

static double share_of(const bank_linear_problem *p, size_t d)
{
	double share = 0;

	for (uint32_t w = p->first[d]; w < p->first[d + 1]; w++)
		share += (double)p->weights[w].pairs / (double)p->requests[p->weights[w].source];
	return share;
}

static int falling(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* Keeps the differences with the greatest shares, of equal ones the lowest.  Of the others a map can do no more than
 * spread them: they count as colliding once in 2^bits. */
static void keep_heaviest(bank_linear_problem *p, size_t most)
{
	g_autofree double *share = g_new(double, p->count + 1);
	g_autofree double *sorted = g_new(double, p->count + 1);
	g_autofree uint64_t *rest = g_new0(uint64_t, p->sources + 1);
	size_t kept = 0, equal = most;
	uint32_t used = 0;

	if (p->count <= most)
		return;
	for (size_t d = 0; d < p->count; d++)
		sorted[d] = share[d] = share_of(p, d);
	qsort(sorted, p->count, sizeof *sorted, falling);
	for (size_t d = 0; d < p->count && sorted[d] > sorted[most - 1]; d++)
		equal--;
	for (size_t d = 0; d < p->count; d++) {
		bool keep = share[d] > sorted[most - 1] || (share[d] == sorted[most - 1] && equal && equal--);
		uint32_t begin = p->first[d], end = p->first[d + 1];

		if (keep) {
			p->keys[kept] = p->keys[d];
			p->first[kept++] = used;
		}
		for (uint32_t w = begin; w < end; w++) {
			if (keep)
				p->weights[used++] = p->weights[w];
			else
				rest[p->weights[w].source] += p->weights[w].pairs;
		}
	}
	p->count = kept;
	p->first[kept] = used;
	for (unsigned s = 0; s < p->sources; s++)
		p->equal_pairs[s] += rest[s] >> p->bits;
}

bank_linear_problem *bank_linear_problem_new(unsigned bits, unsigned address_bits, const bank_spectrum *spectra,
                                             unsigned count)
{
	bank_linear_problem *p = g_new0(bank_linear_problem, 1);
	size_t all = 0;

	p->bits = bits;
	p->address_bits = address_bits;
	p->sources = count;
	p->requests = g_new(uint64_t, count + 1);
	p->equal_pairs = g_new(uint64_t, count + 1);
	for (unsigned s = 0; s < count; s++) {
		p->requests[s] = spectra[s].requests;
		p->equal_pairs[s] = spectra[s].equal_pairs;
		all += spectra[s].count;
	}
	p->keys = g_new(uint64_t, all + 1);
	p->first = g_new(uint32_t, all + 1);
	p->weights = g_new(weight, all + 1);
	merge_spectra(p, spectra, count);
	keep_heaviest(p, BANK_LINEAR_DIFFERENCES);
	p->lines = (p->count + LINE - 1) / LINE;
	for (unsigned j = 0; j < address_bits - bits; j++) {
		p->without[j] = g_new(uint16_t, p->lines * LINE + 1);
		memset(p->without[j], 0xff, p->lines * LINE * sizeof(uint16_t));
		for (size_t d = 0; d < p->count; d++)
			if (p->keys[d] >> (bits + j) & 1)
				p->without[j][d] = 0;
	}
	return p;
}

void bank_linear_problem_free(bank_linear_problem *p)
{
	if (!p)
		return;
	for (unsigned j = 0; j < p->address_bits - p->bits; j++)
		g_free(p->without[j]);
	g_free(p->requests);
	g_free(p->equal_pairs);
	g_free(p->keys);
	g_free(p->first);
	g_free(p->weights);
	g_free(p);
}

size_t bank_linear_problem_differences(const bank_linear_problem *p)
{
	return p->count;
}

typedef struct chain {
	const bank_linear_problem *p;
	bank_linear map;
	unsigned ones;
	uint16_t *banks;          /* of each difference */
	int64_t *pairs, *changed; /* colliding, of each source; changes of a proposal */
	double bound;             /* mean over sources */
} chain;

static unsigned difference_bank(const bank_linear *map, uint64_t key)
{
	unsigned bank = (unsigned)(key & ((UINT64_C(1) << map->bits) - 1));

	for (unsigned j = 0; j < map->address_bits - map->bits; j++)
		bank ^= (key >> (map->bits + j) & 1) ? map->columns[j] : 0;
	return bank;
}

static double bound_of(const bank_linear_problem *p, const int64_t *pairs, const int64_t *changed)
{
	double sum = 0;

	for (unsigned s = 0; s < p->sources; s++)
		sum += bank_conflict_bound((uint64_t)(pairs[s] + (changed ? changed[s] : 0)), p->requests[s]);
	return p->sources ? sum / p->sources : 0;
}

static void add_weights(const bank_linear_problem *p, size_t d, int64_t *pairs, int sign)
{
	for (uint32_t w = p->first[d]; w < p->first[d + 1]; w++)
		pairs[p->weights[w].source] += sign * (int64_t)p->weights[w].pairs;
}

static void chain_begin(chain *c, const bank_linear_problem *p, const bank_linear *map)
{
	*c = (chain){.p = p, .map = *map, .ones = bank_linear_ones(map)};
	c->banks = g_new0(uint16_t, p->lines * LINE + 1);
	c->pairs = g_new0(int64_t, p->sources + 1);
	c->changed = g_new0(int64_t, p->sources + 1);
	for (unsigned s = 0; s < p->sources; s++)
		c->pairs[s] = (int64_t)p->equal_pairs[s];
	for (size_t d = 0; d < p->count; d++) {
		c->banks[d] = (uint16_t)difference_bank(map, p->keys[d]);
		if (!c->banks[d])
			add_weights(p, d, c->pairs, 1);
	}
	c->bound = bound_of(p, c->pairs, NULL);
}

static void chain_end(chain *c)
{
	g_free(c->banks);
	g_free(c->pairs);
	g_free(c->changed);
}

double bank_linear_bound(const bank_linear_problem *p, const bank_linear *map)
{
	double bound;
	chain c;

	chain_begin(&c, p, map);
	bound = c.bound;
	chain_end(&c);
	return bound;
}

/* The bound after flipping bit I of column J; the change of pairs stays in c->changed. */
static double bound_after(chain *c, unsigned i, unsigned j)
{
	const bank_linear_problem *p = c->p;
	uint16_t bit = (uint16_t)(1U << i);

	memset(c->changed, 0, p->sources * sizeof *c->changed);
	for (size_t n = 0; n < p->lines; n++) {
		line banks = ((const line *)c->banks)[n], without = ((const line *)p->without[j])[n];

		if (!any((line)(((banks & (uint16_t)~bit) | without) == 0)))
			continue;
		for (size_t d = n * LINE; d < (n + 1) * LINE; d++)
			if (((c->banks[d] & (uint16_t)~bit) | p->without[j][d]) == 0)
				add_weights(p, d, c->changed, c->banks[d] ? 1 : -1);
	}
	return bound_of(p, c->pairs, c->changed);
}

/* After bound_after(): makes it so. */
static void flip(chain *c, unsigned i, unsigned j, double bound)
{
	const bank_linear_problem *p = c->p;
	uint16_t bit = (uint16_t)(1U << i);

	for (size_t n = 0; n < p->lines; n++)
		((line *)c->banks)[n] ^= ~((const line *)p->without[j])[n] & bit;
	for (unsigned s = 0; s < p->sources; s++)
		c->pairs[s] += c->changed[s];
	c->map.columns[j] ^= bit;
	c->ones = c->map.columns[j] & bit ? c->ones + 1 : c->ones - 1;
	c->bound = bound;
}

static void flip_at(chain *c, unsigned at)
{
	unsigned i = at % c->map.bits, j = at / c->map.bits;

	flip(c, i, j, bound_after(c, i, j));
}

void bank_archive_init(bank_archive *archive)
{
	for (unsigned n = 0; n < BANK_LINEAR_ONES; n++)
		archive->bound[n] = 2;
}

static void note(bank_archive *archive, const chain *c)
{
	if (c->ones < BANK_LINEAR_ONES && c->bound < archive->bound[c->ones]) {
		archive->bound[c->ones] = c->bound;
		archive->map[c->ones] = c->map;
	}
}

void bank_archive_merge(bank_archive *into, const bank_archive *from)
{
	for (unsigned n = 0; n < BANK_LINEAR_ONES; n++)
		if (from->bound[n] < into->bound[n]) {
			into->bound[n] = from->bound[n];
			into->map[n] = from->map[n];
		}
}

static bool is_one(const chain *c, unsigned at)
{
	return c->map.columns[at / c->map.bits] >> at % c->map.bits & 1;
}

/* One proposal: an entry is flipped, or, as often, a one moves to where a zero is. */
static void propose(chain *c, const bank_anneal *how, double temperature, rng *r)
{
	unsigned entries = (c->map.address_bits - c->map.bits) * c->map.bits;
	unsigned at = (unsigned)rng_below(r, entries), other = entries;
	double before = c->bound + how->lambda * c->ones, after, chance;
	unsigned ones = is_one(c, at) ? c->ones - 1 : c->ones + 1;

	if (rng_next(r) & 1) {
		other = (unsigned)rng_below(r, entries);
		if (other == at || is_one(c, other) == is_one(c, at))
			return;
		ones = c->ones;
	}
	if (ones > how->most_xor2 && ones > c->ones)
		return;
	if (other < entries)
		flip_at(c, at);
	else
		other = at;
	after = bound_after(c, other % c->map.bits, other / c->map.bits);
	chance = exp((before - after - how->lambda * ones) / temperature);
	if (chance >= 1 || rng_unit(r) < chance)
		flip(c, other % c->map.bits, other / c->map.bits, after);
	else if (other != at)
		flip_at(c, at);
}

void bank_linear_anneal(const bank_linear_problem *p, const bank_anneal *how, bank_archive *archive,
                        void (*tick)(void *state, uint64_t steps), void *state)
{
	bank_linear map = {.bits = p->bits, .address_bits = p->address_bits};
	chain c;
	rng r;

	for (unsigned j = 0; j < p->address_bits - p->bits && j < how->most_xor2; j++)
		map.columns[j] = (uint16_t)(1U << j % p->bits);
	rng_seed(&r, how->seed, how->stream);
	chain_begin(&c, p, &map);
	note(archive, &c);
	for (uint64_t step = 0; step < how->steps && p->address_bits > p->bits; step++) {
		double share = (double)step / (double)how->steps;

		propose(&c, how, first_temperature * pow(last_temperature / first_temperature, share), &r);
		note(archive, &c);
		if (tick && (step + 1) % TICK_STEPS == 0)
			tick(state, TICK_STEPS);
	}
	if (tick)
		tick(state, how->steps % TICK_STEPS);
	chain_end(&c);
}

/* Notes the map after flipping entry AT, and, when that is a one, after moving it to each zero of the matrix. */
static void note_neighbours(chain *c, unsigned at, unsigned most_xor2, bank_archive *archive)
{
	unsigned bits = c->map.bits, entries = (c->map.address_bits - bits) * bits;
	bool one = is_one(c, at);

	flip_at(c, at);
	if (c->ones <= most_xor2)
		note(archive, c);
	for (unsigned other = 0; one && other < entries; other++) {
		unsigned i = other % bits, j = other / bits;
		double bound;

		if (other == at || is_one(c, other))
			continue;
		bound = bound_after(c, i, j);
		if (bound < archive->bound[c->ones + 1]) {
			archive->bound[c->ones + 1] = bound;
			archive->map[c->ones + 1] = c->map;
			archive->map[c->ones + 1].columns[j] ^= (uint16_t)(1U << i);
		}
	}
	flip_at(c, at);
}

void bank_archive_polish(const bank_linear_problem *p, unsigned most_xor2, bank_archive *archive,
                         bool (*wanted)(void *state), void *state)
{
	unsigned entries = (p->address_bits - p->bits) * p->bits;
	bool again = true;
	double done[BANK_LINEAR_ONES];

	for (unsigned n = 0; n < BANK_LINEAR_ONES; n++)
		done[n] = 2;
	while (again) {
		double best = 2;

		again = false;
		/* Maps that are no better than one with fewer XOR2 lead nowhere. */
		for (unsigned n = 0; n < MIN(entries + 1, BANK_LINEAR_ONES - 1); n++) {
			bool better = archive->bound[n] < best;
			chain c;

			best = MIN(best, archive->bound[n]);
			if (!better || archive->bound[n] >= done[n])
				continue;
			again = true;
			done[n] = archive->bound[n];
			chain_begin(&c, p, &archive->map[n]);
			for (unsigned at = 0; at < entries; at++)
				note_neighbours(&c, at, most_xor2, archive);
			chain_end(&c);
			if (wanted && !wanted(state))
				return;
		}
	}
}
