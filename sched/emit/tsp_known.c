/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tries of one epoch need not find out again.
 *
 * An epoch is emitted in several ways (tsp.c), which differ in times and registers; where tensors lie is the same in
 * all of them, and so is what follows from that alone.
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
