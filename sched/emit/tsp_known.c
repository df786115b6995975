/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tries of one epoch need not find out again.
 *
 * An epoch is emitted in several ways (tsp.c), which differ in times and registers, and some in where tensors lie; what
 * follows from places alone is the same in all ways of one layout.
 */
#include "sched/emit/tsp.h"

GHashTable *tspe_known_new(void)
{
	return g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
}

void *tspe_recall(const tspe *e, const void *key, size_t size)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static(key, size);

	return g_hash_table_lookup(e->known, bytes);
}

void tspe_keep(tspe *e, const void *key, size_t size, void *found)
{
	g_hash_table_insert(e->known, g_bytes_new(key, size), found);
}
