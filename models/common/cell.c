/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of a cell, sorted by (due, filed, queue).  See cell.h.
 */
#include "models/common/cell.h"

#include <string.h>

const model_version *model_cell_named(model_cell *cell, uint32_t tag)
{
	const model_version *v = model_cell_versions(cell);

	for (uint32_t i = cell->count; i-- > 0;)
		if (v[i].tag == tag)
			return &v[i];
	return NULL;
}

static bool is_before(const model_version *a, const model_version *b)
{
	if (a->due != b->due)
		return a->due < b->due;
	if (a->filed != b->filed)
		return a->filed < b->filed;
	return a->queue < b->queue;
}

/* Forgets the versions that others have superseded at NOW. */
static void prune(model_cell *cell, int64_t now, model_drop_fn drop, void *context)
{
	model_version *v = model_cell_versions(cell);
	uint32_t gone = 0;

	while (gone + 1 < cell->count && v[gone + 1].due <= now)
		gone++;
	if (!gone)
		return;
	for (uint32_t i = 0; i < gone; i++)
		if (v[i].payload)
			drop(context, v[i].payload);
	cell->count -= gone;
	if (cell->capacity)
		cell->first += gone;
	else
		memmove(v, v + gone, cell->count * sizeof *v);
}

/* Makes room for one more version; a long backlog moves only once in as many puts as it is long. */
static void make_room(model_cell *cell)
{
	if (!cell->capacity) {
		cell->capacity = 4 * MODEL_CELL_INLINE;
		cell->spill = g_new(model_version, cell->capacity);
		memcpy(cell->spill, cell->in, cell->count * sizeof *cell->in);
		return;
	}
	if (cell->first < cell->capacity / 2) {
		cell->capacity *= 2;
		cell->spill = g_renew(model_version, cell->spill, cell->capacity);
	}
	memmove(cell->spill, cell->spill + cell->first, cell->count * sizeof *cell->spill);
	cell->first = 0;
}

void model_cell_put(model_cell *cell, const model_version *version, model_drop_fn drop, void *context)
{
	model_version *v;
	uint32_t at;

	prune(cell, version->filed, drop, context);
	if (cell->first + cell->count == (cell->capacity ? cell->capacity : MODEL_CELL_INLINE))
		make_room(cell);
	v = model_cell_versions(cell);
	for (at = cell->count; at > 0 && is_before(version, &v[at - 1]); at--)
		v[at] = v[at - 1];
	v[at] = *version;
	cell->count++;
}

void model_cell_clear(model_cell *cell, model_drop_fn drop, void *context)
{
	model_version *v = model_cell_versions(cell);

	for (uint32_t i = 0; i < cell->count; i++)
		if (v[i].payload)
			drop(context, v[i].payload);
	if (cell->capacity)
		g_free(cell->spill);
	memset(cell, 0, sizeof *cell);
}
