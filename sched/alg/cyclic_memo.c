/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers that are kept, by the problem's own text: names, and all numbers of resources, reservation tables, edges
 * and options in order.  Two problems with one text are one problem, so no answer depends on what was asked before.
 * When there are too many they are all forgotten.
 */
#include "sched/alg/cyclic_memo.h"

#include <string.h>

enum { ANSWERS_MAX = 1 << 14 };

struct cyclic_memo {
	GMutex lock;
	GHashTable *answers; /* GBytes to cyclic_result */
	uint64_t hits;
};

static void free_answer(gpointer p)
{
	cyclic_result_fini(p);
	g_free(p);
}

cyclic_memo *cyclic_memo_new(void)
{
	cyclic_memo *memo = g_new0(cyclic_memo, 1);

	g_mutex_init(&memo->lock);
	memo->answers = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, free_answer);
	return memo;
}

void cyclic_memo_free(cyclic_memo *memo)
{
	if (!memo)
		return;
	g_hash_table_destroy(memo->answers);
	g_mutex_clear(&memo->lock);
	g_free(memo);
}

uint64_t cyclic_memo_hits(cyclic_memo *memo)
{
	uint64_t hits;

	g_mutex_lock(&memo->lock);
	hits = memo->hits;
	g_mutex_unlock(&memo->lock);
	return hits;
}

/* Numbers and names in a row. */
typedef struct writer {
	guint8 *text;
	size_t size, room;
} writer;

static void put(writer *w, const void *bytes, size_t count)
{
	if (w->size + count > w->room) {
		w->room = 2 * (w->room + count);
		w->text = g_realloc(w->text, w->room);
	}
	memcpy(w->text + w->size, bytes, count);
	w->size += count;
}

#define PUT(w, ...)                                                                                                    \
	do {                                                                                                           \
		const uint64_t numbers[] = {__VA_ARGS__};                                                              \
		put(w, numbers, sizeof numbers);                                                                       \
	} while (0)

static void put_operations(writer *w, const cyclic_problem *p)
{
	for (uint32_t i = 0; i < p->ops->len; i++) {
		const cyclic_op *op = cyclic_op_at(p, i);

		PUT(w, op->modes);
		put(w, op->name, strlen(op->name) + 1);
	}
	for (uint32_t i = 0; i < p->modes->len; i++)
		PUT(w, g_array_index(p->modes, cyclic_mode, i).uses);
	for (uint32_t i = 0; i < p->uses->len; i++) {
		const cyclic_use *u = cyclic_use_at(p, i);

		PUT(w, (uint64_t)u->resource << 32 | u->amount, (uint64_t)u->offset << 32 | u->length);
	}
}

static GBytes *text_of(const cyclic_problem *p, const cyclic_options *o)
{
	writer text = {NULL, 0, 2048}, *w = &text;

	text.text = g_malloc(text.room);
	PUT(w, o->placements, o->conflicts, o->moves, o->seed, (uint64_t)o->from, (uint64_t)o->limit);
	PUT(w, p->resources->len, p->ops->len, p->modes->len, p->uses->len, p->edges->len);
	for (uint32_t i = 0; i < p->resources->len; i++) {
		const cyclic_resource *r = cyclic_resource_at(p, i);

		PUT(w, r->capacity);
		put(w, r->name, strlen(r->name) + 1);
	}
	put_operations(w, p);
	for (uint32_t i = 0; i < p->edges->len; i++) {
		const cyclic_edge *e = cyclic_edge_at(p, i);

		PUT(w, (uint64_t)e->from << 32 | e->to, (uint64_t)e->latency, (uint64_t)e->distance << 1 | e->value);
	}
	return g_bytes_new_take(text.text, text.size);
}

/* An answer to a problem of OPS operations, as the receiver's own. */
static cyclic_result copy_of(const cyclic_result *r, uint32_t ops)
{
	cyclic_result copy = *r;

	copy.bounds.resource_why = g_strdup(r->bounds.resource_why);
	copy.bounds.cycle = r->bounds.cycle ? g_array_copy(r->bounds.cycle) : NULL;
	copy.start = r->start ? g_memdup2(r->start, (ops + 1) * sizeof(*r->start)) : NULL;
	copy.mode = r->mode ? g_memdup2(r->mode, (ops + 1) * sizeof(*r->mode)) : NULL;
	return copy;
}

static bool recall(cyclic_memo *memo, GBytes *text, uint32_t ops, cyclic_result *result)
{
	const cyclic_result *known;

	g_mutex_lock(&memo->lock);
	known = g_hash_table_lookup(memo->answers, text);
	if (known) {
		*result = copy_of(known, ops);
		memo->hits++;
	}
	g_mutex_unlock(&memo->lock);
	return known;
}

static void keep(cyclic_memo *memo, GBytes *text, uint32_t ops, const cyclic_result *result)
{
	cyclic_result *answer = g_new(cyclic_result, 1);

	*answer = copy_of(result, ops);
	g_mutex_lock(&memo->lock);
	if (g_hash_table_size(memo->answers) >= ANSWERS_MAX)
		g_hash_table_remove_all(memo->answers);
	g_hash_table_insert(memo->answers, g_bytes_ref(text), answer);
	g_mutex_unlock(&memo->lock);
}

void cyclic_memo_solve(cyclic_memo *memo, const cyclic_problem *p, const cyclic_options *options, cyclic_result *result)
{
	g_autoptr(GBytes) text = NULL;

	g_assert(!options->stop);
	if (memo) {
		text = text_of(p, options);
		if (recall(memo, text, p->ops->len, result))
			return;
	}
	/* Two threads may both find out: the answer is the same. */
	cyclic_solve(p, options, result);
	if (memo)
		keep(memo, text, p->ops->len, result);
}
