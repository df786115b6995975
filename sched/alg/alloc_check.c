/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of an allocation: cycle by cycle in the order of lives, nothing of the engines.
 */
#include "sched/alg/alloc.h"

static int by_lower(const void *a, const void *b, void *state)
{
	const alloc_problem *p = state;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (p->buffers[i].lower != p->buffers[k].lower)
		return p->buffers[i].lower < p->buffers[k].lower ? -1 : 1;
	return i < k ? -1 : i > k;
}

static char *check_one(const alloc_buffer *b, int64_t address, int64_t limit_bytes)
{
	if (address < 0 || b->size_bytes > limit_bytes || address > limit_bytes - b->size_bytes)
		return g_strdup_printf("buffer %s is outside", b->id);
	if (address % b->alignment_bytes != 0)
		return g_strdup_printf("buffer %s is not aligned", b->id);
	if (b->fixed != ALLOC_FREE && b->fixed != address)
		return g_strdup_printf("buffer %s is not where it must be", b->id);
	return NULL;
}

char *alloc_check(const alloc_problem *p, const int64_t *address, int64_t limit_bytes)
{
	g_autofree uint32_t *order = g_new(uint32_t, p->count + 1);
	g_autofree uint32_t *live = g_new(uint32_t, p->count + 1);
	uint32_t living = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		char *wrong = check_one(&p->buffers[i], address[i], limit_bytes);

		if (wrong)
			return wrong;
		order[i] = i;
	}
	g_qsort_with_data(order, (gint)p->count, sizeof(*order), by_lower, (gpointer)p);
	for (uint32_t i = 0; i < p->count; i++) {
		const alloc_buffer *b = &p->buffers[order[i]];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < living; k++) {
			const alloc_buffer *other = &p->buffers[live[k]];

			if (other->upper <= b->lower)
				continue;
			live[kept++] = live[k];
			if (address[live[k]] < address[order[i]] + b->size_bytes &&
			    address[order[i]] < address[live[k]] + other->size_bytes)
				return g_strdup_printf("buffers %s and %s share bytes", other->id, b->id);
		}
		live[kept] = order[i];
		living = kept + 1;
	}
	return NULL;
}
