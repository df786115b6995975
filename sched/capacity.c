/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at every layer before the first is scheduled: a table of a hundred layers whose last is too large is refused at
 * once.  Layers pass whose bytes fit but whose layout may not; back ends find those.
 */
#include "sched/capacity.h"

#include "sched/emit/banks.h"

uint64_t sched_layer_bytes(const graph *g)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < graph_size(g); i++) {
		const graph_node *n = graph_at(g, i);

		if (n->op == GRAPH_INPUT || n->op == GRAPH_CONST || n->output)
			bytes += graph_node_bytes(n);
	}
	return bytes;
}

/* What the machine stores; 0 and an error when its map is none. */
static uint64_t capacity_bytes(const isa_machine *machine, GError **error)
{
	bank_map *map;
	uint64_t blocks;

	if (!machine->hashed)
		return (uint64_t)isa_machine_sram_bytes(machine);
	map = bank_map_new(machine->sram_map, (unsigned)machine->sram_banks, (uint64_t)machine->sram_rows, error);
	if (!map)
		return 0;
	blocks = bank_map_capacity_blocks(map);
	bank_map_free(map);
	return blocks * (uint64_t)machine->sram_block_bytes;
}

bool sched_check_capacity(GPtrArray *graphs, const isa_machine *machine, GError **error)
{
	uint64_t capacity = capacity_bytes(machine, error);

	if (!capacity)
		return false;
	for (guint i = 0; i < graphs->len; i++) {
		const graph *g = g_ptr_array_index(graphs, i);
		uint64_t bytes = sched_layer_bytes(g);

		if (bytes <= capacity)
			continue;
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "layer '%s' does not fit into SRAM: its operands and results have %" G_GUINT64_FORMAT
		            " bytes, capacity %" G_GUINT64_FORMAT " bytes%s%s%s",
		            g->name, bytes, capacity, machine->hashed ? " with map '" : "",
		            machine->hashed ? machine->sram_map : "", machine->hashed ? "'" : "");
		return false;
	}
	return true;
}
