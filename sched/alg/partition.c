/* SPDX-License-Identifier: Apache-2.0
 *
 * The split of least maximum load, by a dynamic program over down-sets ("ideals") of a graph of groups.
 *
 * Groups: nodes that must share a device (a class, or groups on a cycle of precedences).  An edge between forward nodes
 * puts its source's group first; so does one between backward nodes, unless the backward part follows the forward one
 * and so runs through the devices the other way.  best[I][a][h] is the least maximum load of splitting down-set I over
 * a accelerators and h host cores; the device added last holds J minus I for every pair of down-sets I in J.  Pairs are
 * walked by adding groups one at a time to what a device holds, its load following along; a walk turns back where work
 * alone is beyond the best known result, which starts as the best cut of a few linear orders.
 */
#include "sched/alg/partition_int.h"

#include <math.h>
#include <string.h>

part_problem *part_problem_new(void)
{
	part_problem *p = g_new0(part_problem, 1);

	p->nodes = g_array_new(FALSE, TRUE, sizeof(part_node));
	p->edges = g_array_new(FALSE, TRUE, sizeof(part_edge));
	return p;
}

void part_problem_free(part_problem *p)
{
	if (!p)
		return;
	for (guint i = 0; i < p->nodes->len; i++)
		g_free(g_array_index(p->nodes, part_node, i).name);
	g_array_free(p->nodes, TRUE);
	g_array_free(p->edges, TRUE);
	g_free(p);
}

void part_result_fini(part_result *r)
{
	g_clear_pointer(&r->device, g_free);
}
/* A walker's state: what the device being filled holds. */
typedef struct holding {
	double work, host_work, bytes;
	double transfers;
	uint32_t *into; /* [nodes] edges of this node that end in what is held */
	uint32_t *out;  /* [nodes] edges of this node that end outside */
	bool *held;     /* [nodes] */
	unsigned stuck; /* groups held that no accelerator can take */
} holding;
typedef struct step {
	uint32_t group, to; /* adding GROUP gives down-set TO */
} step;
#define ON_HOST 0x80000000u

/* Down-sets times numbers of devices, words of all down-sets: each below a GB. */
enum { STATES_MAX = 1 << 26, WORDS_MAX = 1 << 27 };
/* Down-sets: */

static bool has(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static uint64_t *bits_of(const part_solver *s, uint64_t ideal)
{
	return &g_array_index(s->bits, uint64_t, ideal * s->words);
}

typedef struct key {
	const part_solver *s;
	uint64_t ideal;
} key;

static guint hash_bits(gconstpointer data)
{
	const key *k = data;
	const uint64_t *bits = bits_of(k->s, k->ideal);
	uint64_t hash = 0x9e3779b97f4a7c15u;

	for (unsigned i = 0; i < k->s->words; i++)
		hash = (hash ^ bits[i]) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
	return (guint)hash;
}

static gboolean same_bits(gconstpointer a, gconstpointer b)
{
	const key *x = a, *y = b;

	return memcmp(bits_of(x->s, x->ideal), bits_of(y->s, y->ideal), x->s->words * sizeof(uint64_t)) == 0;
}

/* The number of down-set IDEAL with GROUP, a new one if it must be. */
static uint32_t with(part_solver *s, GHashTable *known, uint64_t ideal, uint32_t group)
{
	key probe = {s, s->count}, *found;

	g_array_set_size(s->bits, (guint)((s->count + 1) * s->words));
	memcpy(bits_of(s, s->count), bits_of(s, ideal), s->words * sizeof(uint64_t));
	bits_of(s, s->count)[group / 64] |= UINT64_C(1) << group % 64;
	found = g_hash_table_lookup(known, &probe);
	if (found)
		return (uint32_t)found->ideal;
	g_hash_table_add(known, g_memdup2(&probe, sizeof(probe)));
	return (uint32_t)s->count++;
}

/* All of them, smaller ones first, each with its steps to larger ones; false when there are too many. */
static bool enumerate(part_solver *s, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(hash_bits, same_bits, g_free, NULL);
	key empty = {s, 0};

	s->words = (s->groups + 63) / 64;
	s->bits = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	s->next_at = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	s->step = g_array_new(FALSE, FALSE, sizeof(step));
	g_array_set_size(s->bits, s->words);
	g_hash_table_add(known, g_memdup2(&empty, sizeof(empty)));
	s->count = 1;
	for (uint64_t i = 0; i < s->count; i++) {
		g_array_append_val(s->next_at, s->step->len);
		for (uint32_t g = 0; g < s->groups; g++) {
			step next = {.group = g};
			bool may = !has(bits_of(s, i), g);

			for (uint32_t k = s->need_at[g]; may && k < s->need_at[g + 1]; k++)
				may = has(bits_of(s, i), s->need[k]);
			if (!may)
				continue;
			next.to = with(s, known, i, g);
			g_array_append_val(s->step, next);
		}
		if (s->count * s->words > WORDS_MAX) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
			            "more than %" G_GUINT64_FORMAT
			            " ways to cut %u groups of nodes in two: too many to keep",
			            s->count, s->groups);
			return false;
		}
		if (s->count > s->options->ideals_max) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
			            "more than %" G_GUINT64_FORMAT " ways to cut the graph in two: too many to try all",
			            s->options->ideals_max);
			return false;
		}
	}
	g_array_append_val(s->next_at, s->step->len);
	return true;
}

/* What a device holds: */

/* U has an edge to or from something on the other side. */
static double crossing(const part_solver *s, const holding *h, uint32_t u)
{
	bool crosses = h->held[u] ? h->out[u] > 0 : h->into[u] > 0;

	return crosses ? node_at(s->p, u)->transfer : 0;
}

static void take_node(const part_solver *s, holding *h, uint32_t v)
{
	h->transfers -= crossing(s, h, v);
	h->held[v] = true;
	h->transfers += crossing(s, h, v);
	for (uint32_t k = s->pred_at[v]; k < s->pred_at[v + 1]; k++) {
		uint32_t u = s->pred[k];

		h->transfers -= crossing(s, h, u);
		h->into[u]++;
		h->out[u]--;
		h->transfers += crossing(s, h, u);
	}
}

static void drop_node(const part_solver *s, holding *h, uint32_t v)
{
	for (uint32_t k = s->pred_at[v]; k < s->pred_at[v + 1]; k++) {
		uint32_t u = s->pred[k];

		h->into[u]--;
		h->out[u]++;
	}
	h->held[v] = false;
}

static void take(const part_solver *s, holding *h, uint32_t group)
{
	for (uint32_t i = s->first[group]; i < s->first[group + 1]; i++)
		take_node(s, h, s->member[i]);
	if (isinf(s->work[group]))
		h->stuck++;
	else
		h->work += s->work[group];
	h->host_work += s->host_work[group];
	h->bytes += s->bytes[group];
}

static void holding_init(const part_solver *s, holding *h)
{
	*h = (holding){0};
	h->into = g_new0(uint32_t, s->p->nodes->len + 1);
	h->out = g_new0(uint32_t, s->p->nodes->len + 1);
	h->held = g_new0(bool, s->p->nodes->len + 1);
	for (uint32_t i = 0; i < s->p->nodes->len; i++)
		h->out[i] = s->succ_at[i + 1] - s->succ_at[i];
}

static void holding_fini(holding *h)
{
	g_free(h->into);
	g_free(h->out);
	g_free(h->held);
}

static double accelerator_load(const part_solver *s, const holding *h)
{
	return h->stuck || h->bytes > s->p->memory_bytes ? INFINITY : h->work + h->transfers;
}

/* The program: */

static void improve(part_solver *s, uint32_t from, uint32_t to, double accelerator, double host)
{
	const double *old = s->best + (size_t)from * s->cells;
	double *best = s->best + (size_t)to * s->cells;
	uint32_t *whence = s->from + (size_t)to * s->cells, hosts = s->p->hosts + 1;

	for (uint32_t c = 0; c < s->cells; c++) {
		if (old[c] > s->bound)
			continue;
		if (c + hosts < s->cells && MAX(old[c], accelerator) < best[c + hosts]) {
			best[c + hosts] = MAX(old[c], accelerator);
			whence[c + hosts] = from;
		}
		if ((c + 1) % hosts && MAX(old[c], host) < best[c + 1]) {
			best[c + 1] = MAX(old[c], host);
			whence[c + 1] = from | ON_HOST;
		}
	}
}

static double least(const part_solver *s, uint64_t ideal)
{
	double least_load = INFINITY;

	for (uint32_t c = 0; c < s->cells; c++)
		least_load = MIN(least_load, s->best[ideal * s->cells + c]);
	return least_load;
}

/* A frame of the walk: the down-set, what comes next, and sums as they were. */
typedef struct frame {
	uint32_t at, next, group;
	double work, host_work, bytes, transfers;
	unsigned stuck;
} frame;

static void undo(const part_solver *s, holding *h, const frame *f)
{
	for (uint32_t i = s->first[f->group + 1]; i-- > s->first[f->group];)
		drop_node(s, h, s->member[i]);
	h->work = f->work;
	h->host_work = f->host_work;
	h->bytes = f->bytes;
	h->transfers = f->transfers;
	h->stuck = f->stuck;
}

/* Could a device that holds this, or more, be within the bound? */
static bool worth(const part_solver *s, const holding *h)
{
	return (!h->stuck && h->bytes <= s->p->memory_bytes && h->work <= s->bound) ||
	       (s->p->hosts && h->host_work <= s->bound);
}

/* Every down-set above START, with the device that the difference makes. */
static void walk(part_solver *s, uint32_t start, holding *h, GArray *path)
{
	frame f = {.at = start, .next = g_array_index(s->next_at, uint32_t, start)};

	g_array_set_size(path, 0);
	g_array_append_val(path, f);
	while (path->len) {
		frame *top = &g_array_index(path, frame, path->len - 1);
		const step *next;

		if (top->next == g_array_index(s->next_at, uint32_t, top->at + 1)) {
			if (path->len > 1)
				undo(s, h, top);
			g_array_set_size(path, path->len - 1);
			continue;
		}
		next = &g_array_index(s->step, step, top->next++);
		if (s->stamp[next->to] == start + 1)
			continue;
		s->stamp[next->to] = start + 1;
		s->pairs++;
		f = (frame){next->to,     g_array_index(s->next_at, uint32_t, next->to),
		            next->group,  h->work,
		            h->host_work, h->bytes,
		            h->transfers, h->stuck};
		take(s, h, next->group);
		if (!worth(s, h)) {
			undo(s, h, &f);
			continue;
		}
		improve(s, start, next->to, accelerator_load(s, h), h->host_work);
		g_array_append_val(path, f);
	}
}

/* Devices of groups by FROM (position and cell before the last device), for N groups in ORDER that end in CELL. */
static void trace_order(const part_solver *s, const uint32_t *order, const uint32_t *from, uint32_t cell,
                        uint32_t *device)
{
	uint32_t accelerator = 0, host = s->p->accelerators;

	for (uint32_t at = s->groups; at;) {
		uint32_t whence = from[(size_t)at * s->cells + cell];
		uint32_t last = whence & ON_HOST ? host++ : accelerator++;

		cell -= whence & ON_HOST ? 1 : s->p->hosts + 1;
		for (whence &= ~ON_HOST; at > whence;)
			device[order[--at]] = last;
	}
}

/* Cuts the linear order of groups ORDER as well as can be: a first bound, and the devices where there is one. */
static double cut_order(const part_solver *s, const uint32_t *order, uint32_t *device)
{
	uint32_t n = s->groups, hosts = s->p->hosts + 1, cell = 0;
	g_autofree double *best = g_new(double, (size_t)(n + 1) * s->cells);
	g_autofree uint32_t *from = g_new0(uint32_t, (size_t)(n + 1) * s->cells);
	double bound = INFINITY;

	for (size_t i = 0; i < (size_t)(n + 1) * s->cells; i++)
		best[i] = i < s->cells ? 0 : INFINITY;
	for (uint32_t i = 0; i < n; i++) {
		holding h;
		const double *old = best + (size_t)i * s->cells;

		holding_init(s, &h);
		for (uint32_t k = i; k < n && worth(s, &h); k++) {
			double *to = best + (size_t)(k + 1) * s->cells, load;
			uint32_t *whence = from + (size_t)(k + 1) * s->cells;

			take(s, &h, order[k]);
			load = accelerator_load(s, &h);
			for (uint32_t c = 0; c < s->cells; c++) {
				if (c + hosts < s->cells && MAX(old[c], load) < to[c + hosts]) {
					to[c + hosts] = MAX(old[c], load);
					whence[c + hosts] = i;
				}
				if ((c + 1) % hosts && MAX(old[c], h.host_work) < to[c + 1]) {
					to[c + 1] = MAX(old[c], h.host_work);
					whence[c + 1] = i | ON_HOST;
				}
			}
		}
		holding_fini(&h);
	}
	for (uint32_t c = 0; c < s->cells; c++)
		if (best[(size_t)n * s->cells + c] < bound) {
			bound = best[(size_t)n * s->cells + c];
			cell = c;
		}
	if (!isinf(bound))
		trace_order(s, order, from, cell, device);
	return bound;
}

/* A topological order: of what may come next, the one that has been possible for the longest (BREADTH) or shortest
 * time. */
static void linear_order(const part_solver *s, bool breadth, uint32_t *order)
{
	g_autofree uint32_t *waits = g_new0(uint32_t, s->groups + 1), *ready = g_new(uint32_t, s->groups + 1);
	uint32_t head = 0, tail = 0;

	for (guint i = 0; i < s->before->len; i++)
		waits[g_array_index(s->before, part_edge, i).to]++;
	for (uint32_t g = 0; g < s->groups; g++)
		if (!waits[g])
			ready[tail++] = g;
	for (uint32_t n = 0; n < s->groups; n++) {
		uint32_t g = breadth ? ready[head++] : ready[--tail];

		order[n] = g;
		for (guint i = 0; i < s->before->len; i++) {
			const part_edge *e = &g_array_index(s->before, part_edge, i);

			if (e->from == g && --waits[e->to] == 0)
				ready[tail++] = e->to;
		}
	}
}

static void first_bound(part_solver *s)
{
	g_autofree uint32_t *order = g_new(uint32_t, s->groups + 1), *device = g_new(uint32_t, s->groups + 1);

	s->bound = s->linear_load = INFINITY;
	s->linear = g_new0(uint32_t, s->groups + 1);
	for (unsigned breadth = 0; breadth < 2; breadth++) {
		double bound;

		linear_order(s, breadth, order);
		bound = cut_order(s, order, device);
		if (bound >= s->linear_load)
			continue;
		s->linear_load = bound;
		memcpy(s->linear, device, s->groups * sizeof(*device));
	}
	/* Sums in another order round otherwise: a split as good as that must not be lost. */
	s->bound = s->linear_load * (1 + 1e-9);
}

static void run(part_solver *s)
{
	enum { ASK = 1 << 17 };
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(frame));
	uint64_t ask = 0;
	holding h;

	s->best = g_new(double, s->count * s->cells);
	s->from = g_new0(uint32_t, s->count * s->cells);
	s->stamp = g_new0(uint32_t, s->count);
	for (uint64_t i = 0; i < s->count * s->cells; i++)
		s->best[i] = INFINITY;
	s->best[0] = 0;
	holding_init(s, &h);
	for (uint64_t i = 0; i + 1 < s->count && !s->stopped; i++) {
		if (least(s, i) <= s->bound)
			walk(s, (uint32_t)i, &h, path);
		s->bound = MIN(s->bound, least(s, s->count - 1));
		if (s->pairs < ask)
			continue;
		ask = s->pairs + ASK;
		s->stopped = s->options->stop && s->options->stop(s->options->stop_state);
	}
	holding_fini(&h);
}

/* Devices of the best split. */
static bool trace_back(const part_solver *s, part_result *r)
{
	uint32_t ideal = (uint32_t)(s->count - 1), hosts = s->p->hosts + 1, cell = 0;
	const double *best = s->best + (size_t)ideal * s->cells;
	uint32_t accelerator = 0, host = s->p->accelerators;

	for (uint32_t c = 0; c < s->cells; c++)
		if (best[c] < best[cell])
			cell = c;
	if (isinf(best[cell]))
		return false;
	r->max_load = best[cell];
	r->device = g_new(uint32_t, s->p->nodes->len + 1);
	while (ideal) {
		uint32_t from = s->from[(size_t)ideal * s->cells + cell];
		uint32_t device = from & ON_HOST ? host++ : accelerator++;

		cell -= from & ON_HOST ? 1 : hosts;
		from &= ~ON_HOST;
		for (uint32_t i = 0; i < s->p->nodes->len; i++)
			if (has(bits_of(s, ideal), s->group[i]) && !has(bits_of(s, from), s->group[i]))
				r->device[i] = device;
		ideal = from;
	}
	return true;
}

/* Of a search that was stopped: the best cut of a linear order, where it has none as good. */
static bool take_linear(const part_solver *s, part_result *r)
{
	if (isinf(s->linear_load) || (r->device && r->max_load <= s->linear_load))
		return r->device != NULL;
	g_free(r->device);
	r->device = g_new(uint32_t, s->p->nodes->len + 1);
	r->max_load = s->linear_load;
	for (uint32_t i = 0; i < s->p->nodes->len; i++)
		r->device[i] = s->linear[s->group[i]];
	return true;
}

static void solver_fini(part_solver *s)
{
	g_free(s->group);
	g_free(s->first);
	g_free(s->member);
	g_free(s->succ_at);
	g_free(s->succ);
	g_free(s->pred_at);
	g_free(s->pred);
	g_free(s->need_at);
	g_free(s->need);
	g_free(s->work);
	g_free(s->host_work);
	g_free(s->bytes);
	g_free(s->best);
	g_free(s->from);
	g_free(s->stamp);
	g_free(s->linear);
	g_array_free(s->before, TRUE);
	if (s->bits)
		g_array_free(s->bits, TRUE);
	if (s->next_at)
		g_array_free(s->next_at, TRUE);
	if (s->step)
		g_array_free(s->step, TRUE);
}

/* All work spread evenly, and the largest group. */
static double lower_bound(const part_solver *s)
{
	double all = 0, largest = 0;

	for (uint32_t g = 0; g < s->groups; g++) {
		double least_work = s->p->hosts ? MIN(s->work[g], s->host_work[g]) : s->work[g];

		all += least_work;
		largest = MAX(largest, least_work);
	}
	return MAX(largest, all / MAX(1, s->p->accelerators + s->p->hosts));
}

/* Devices in use were counted from the last stage on: numbers each kind from the first one. */
static void number_from_first(const part_problem *p, part_result *r)
{
	uint32_t used[2] = {0};

	for (uint32_t i = 0; i < p->nodes->len; i++) {
		bool host = r->device[i] >= p->accelerators;

		used[host] = MAX(used[host], r->device[i] - (host ? p->accelerators : 0) + 1);
	}
	for (uint32_t i = 0; i < p->nodes->len; i++) {
		bool host = r->device[i] >= p->accelerators;

		r->device[i] = (host ? 2 * p->accelerators : 0) + used[host] - 1 - r->device[i];
	}
}

bool part_solve(const part_problem *p, const part_options *options, part_result *result, GError **error)
{
	part_solver s = {.p = p, .options = options, .cells = (p->accelerators + 1) * (p->hosts + 1)};
	bool done;

	*result = (part_result){0};
	part_make_groups(&s);
	done = enumerate(&s, error);
	if (done && s.count > STATES_MAX / s.cells) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%" G_GUINT64_FORMAT " ways to cut the graph in two, and %u numbers of accelerators and "
		            "hosts in use: more than %d pairs are too many to try all",
		            s.count, s.cells, STATES_MAX);
		done = false;
	}
	if (done) {
		first_bound(&s);
		run(&s);
		done = trace_back(&s, result);
		if (s.stopped)
			done = take_linear(&s, result);
		result->infeasible = !done && !s.stopped;
		if (!done)
			g_set_error(
				error, TSP_ERROR, TSP_ERROR_USER,
				s.stopped
					? "interrupted before a split was found"
					: "no contiguous split fits %u accelerator%s of %.0f bytes and %u host core%s",
				p->accelerators, tsp_s(p->accelerators), p->memory_bytes, p->hosts, tsp_s(p->hosts));
		result->ideals = s.count;
		result->pairs = s.pairs;
		result->lower_bound = lower_bound(&s);
		result->proved = done && !s.stopped;
	}
	if (result->device)
		number_from_first(p, result);
	solver_fini(&s);
	return done;
}
