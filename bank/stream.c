/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches of groups, and the source over an array.
 */
#include "bank/stream.h"

#include <glib.h>
#include <string.h>

bool bank_source_next(bank_source *source, bank_batch *batch, GError **error)
{
	if (batch->has_kinds) /* kinds of a batch without any are zero */
		memset(batch->kinds, 0, batch->accesses);
	batch->groups = 0;
	batch->accesses = 0;
	batch->has_kinds = false;
	bank_batch_reserve(batch, 1, 1);
	batch->start[0] = 0;
	return source->next(source, batch, error);
}

bool bank_source_rewind(bank_source *source, GError **error)
{
	return source->rewind(source, error);
}

void bank_source_free(bank_source *source)
{
	char *name;

	if (!source)
		return;
	name = source->name;
	source->free(source);
	g_free(name);
}

void bank_batch_clear(bank_batch *batch)
{
	g_free(batch->start);
	g_free(batch->blocks);
	g_free(batch->kinds);
	*batch = (bank_batch){0};
}

void bank_batch_reserve(bank_batch *batch, size_t groups, size_t accesses)
{
	size_t want = batch->groups + groups + 1;

	if (want > batch->group_room) {
		batch->group_room = MAX(want, 2 * batch->group_room);
		batch->start = g_renew(uint32_t, batch->start, batch->group_room);
	}
	want = batch->accesses + accesses;
	if (want > batch->access_room) {
		size_t old = batch->access_room;

		batch->access_room = MAX(want, 2 * old);
		batch->blocks = g_renew(uint64_t, batch->blocks, batch->access_room);
		batch->kinds = g_renew(uint8_t, batch->kinds, batch->access_room);
		memset(batch->kinds + old, 0, batch->access_room - old);
	}
}

void bank_batch_add(bank_batch *batch, const uint64_t *blocks, size_t count)
{
	bank_batch_reserve(batch, 1, count);
	memcpy(batch->blocks + batch->accesses, blocks, count * sizeof *blocks);
	batch->accesses += count;
	batch->start[++batch->groups] = (uint32_t)batch->accesses;
}

typedef struct array_source {
	bank_source base;
	uint64_t *blocks;
	size_t count, at;
	unsigned k;
} array_source;

static bool array_next(bank_source *source, bank_batch *batch, GError **error)
{
	array_source *a = (array_source *)source;

	(void)error;
	if (a->at == a->count)
		return false;
	while (a->at < a->count && (batch->groups == 0 || batch->accesses + a->k <= BANK_BATCH_ACCESSES)) {
		size_t count = MIN(a->k, a->count - a->at);

		bank_batch_add(batch, a->blocks + a->at, count);
		a->at += count;
	}
	return true;
}

static bool array_rewind(bank_source *source, GError **error)
{
	(void)error;
	((array_source *)source)->at = 0;
	return true;
}

static void array_free(bank_source *source)
{
	g_free(((array_source *)source)->blocks);
	g_free(source);
}

bank_source *bank_source_of_blocks(const char *name, const uint64_t *blocks, size_t count, unsigned k)
{
	array_source *a = g_new0(array_source, 1);

	a->base = (bank_source){.next = array_next, .rewind = array_rewind, .free = array_free, .name = g_strdup(name)};
	a->blocks = g_memdup2(blocks, count * sizeof *blocks);
	a->count = count;
	a->k = k;
	return &a->base;
}
