/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from a machine's values: is the combination one that the models can be, which instruction queues does it
 * have and where do they stand, how many bytes can addresses reach.
 *
 * Queues, register style: mem<i>, vxm<i>, mxm<plane>.{w,a,c}, sxm.<role><i>, c2c.<link>.
 * Stream style: mem.w<i>, mem.e<i>, vxm<i>, mxm<plane>.{w,a,c}, sxm.w.<role><i>, sxm.e.<role><i>, c2c.w<link>,
 * c2c.e<link>; the lower half of planes and links is west.  The order is the queue index.
 */
#include "isa/bankmap.h"
#include "isa/machine_int.h"

#include <string.h>

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool refuse(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		*error = g_error_new_valist(TSP_ERROR, TSP_ERROR_USER, format, arguments);
	va_end(arguments);
	return false;
}

#define I64 "%" G_GINT64_FORMAT

/* Gives the integer key at FIELD the value that others determine, unless it was set: then it must agree. */
static bool follow(isa_machine *m, int64_t *field, int64_t value, const char *from, GError **error)
{
	size_t key = 0;

	while (isa_keys[key].offset != (size_t)((char *)field - (char *)m))
		key++;
	if (*field == value)
		return true;
	if (m->origin[key].class_ == ISA_CLASS_SET)
		return refuse(error, "%s = " I64 " contradicts %s, from which it follows as " I64, isa_keys[key].path,
		              *field, from, value);
	*field = value;
	m->origin[key].class_ = ISA_CLASS_DERIVED;
	g_free(m->origin[key].source);
	m->origin[key].source = g_strdup(from);
	return true;
}

static bool finish_direct(isa_machine *m, GError **error)
{
	int64_t slices = 2 * m->mem_slices;

	if (strcmp(m->sram_map, "direct") != 0)
		return refuse(error, "sram.map must be 'direct' on a machine with MEM slices, not '%s'", m->sram_map);
	if (m->mem_banks_per_slice * m->mem_words_per_bank > 65536)
		return refuse(error,
		              "mem.banks_per_slice x mem.words_per_bank is above the 65536 words an address can name");
	m->sram_bytes = slices * m->mem_banks_per_slice * m->mem_words_per_bank * m->lanes;
	return follow(m, &m->sram_banks, slices * m->mem_banks_per_slice,
	              "mem.slices_per_hemisphere, mem.banks_per_slice", error) &&
	       follow(m, &m->sram_rows, m->mem_words_per_bank, "mem.words_per_bank", error) &&
	       follow(m, &m->sram_block_bytes, m->lanes, "lanes", error) &&
	       follow(m, &m->sram_port_bytes, m->lanes, "lanes", error);
}

static bool finish_hashed(isa_machine *m, GError **error)
{
	bankmap *map = bankmap_new(m->sram_map, (unsigned)m->sram_banks, (uint64_t)m->sram_rows, error);

	if (!map) {
		g_prefix_error(error, "sram.map: ");
		return false;
	}
	m->sram_bytes = (int64_t)bankmap_capacity_blocks(map) * m->sram_block_bytes;
	/* Files are read once: from here on the text is the map. */
	g_free(m->sram_map);
	m->sram_map = g_strdup(bankmap_text(map));
	bankmap_free(map);
	if (m->sram_block_bytes % m->sram_port_bytes && m->sram_port_bytes % m->sram_block_bytes)
		return refuse(error,
		              "sram.block_bytes (" I64 ") and sram.port_bytes (" I64 "): one must divide the other",
		              m->sram_block_bytes, m->sram_port_bytes);
	if (m->sram_bytes > (int64_t)UINT32_MAX + 1)
		return refuse(error, "the SRAM has " I64 " bytes, more than the 4294967296 an address can name",
		              m->sram_bytes);
	return true;
}

static bool check_positions(const isa_machine *m, GError **error)
{
	const struct {
		const char *path;
		const isa_table *table;
	} taps[] = {{"floorplan.mxm", &m->pos_mxm}, {"floorplan.sxm", &m->pos_sxm}, {"floorplan.mem", &m->pos_mem}};
	int64_t groups = (m->mem_slices + m->mem_slices_per_group - 1) / m->mem_slices_per_group;

	if (m->positions < 1)
		return refuse(error, "floorplan.positions must be at least 1 on a machine with streams");
	if (m->pos_vxm >= m->positions)
		return refuse(error, "floorplan.vxm (" I64 ") lies outside the " I64 " positions", m->pos_vxm,
		              m->positions);
	for (size_t i = 0; i < G_N_ELEMENTS(taps); i++) {
		if (taps[i].table->count != 2)
			return refuse(error, "%s: expected two positions, west and east", taps[i].path);
		for (unsigned side = 0; side < 2; side++)
			if (taps[i].table->at[side] >= m->positions)
				return refuse(error, "%s: position " I64 " lies outside the " I64 " positions",
				              taps[i].path, taps[i].table->at[side], m->positions);
		if (taps[i].table->at[0] > m->pos_vxm || taps[i].table->at[1] < m->pos_vxm)
			return refuse(error, "%s: the first position must lie west of the VXM, the second east",
			              taps[i].path);
	}
	if (groups && (m->pos_mem.at[0] - (groups - 1) < 0 || m->pos_mem.at[1] + (groups - 1) >= m->positions))
		return refuse(error,
		              "floorplan.mem: " I64 " groups outward of " I64 " and " I64 " leave the " I64
		              " positions",
		              groups, m->pos_mem.at[0], m->pos_mem.at[1], m->positions);
	return true;
}

static bool check_style(const isa_machine *m, GError **error)
{
	if (m->vreg_count && m->streams)
		return refuse(
			error,
			"vreg.count and streams.per_direction are both above 0; a machine has registers or streams");
	if (!m->vreg_count && !m->streams)
		return refuse(error,
		              "vreg.count and streams.per_direction are both 0; a machine has registers or streams");
	if (m->streams && !m->mem_slices)
		return refuse(error, "a machine with streams needs MEM slices (mem.slices_per_hemisphere)");
	if (m->vreg_count && m->mem_slices)
		return refuse(error, "a machine with registers needs hashed SRAM (mem.slices_per_hemisphere = 0)");
	if (m->streams)
		return check_positions(m, error);
	if (m->vreg_bytes != 2 * m->lanes)
		return refuse(error, "vreg.bytes must be two bytes a lane (" I64 "), not " I64, 2 * m->lanes,
		              m->vreg_bytes);
	if (!m->vreg_read_ports || !m->vreg_write_ports)
		return refuse(error,
		              "vreg.read_ports and vreg.write_ports must be above 0 on a machine with registers");
	return true;
}

static bool check_units(const isa_machine *m, GError **error)
{
	if (m->mesh_rows != 1 || m->mesh_cols != 1) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "mesh.rows x mesh.cols = " I64 " x " I64 ": several stream processors are not modelled yet",
		            m->mesh_rows, m->mesh_cols);
		return false;
	}
	if (m->lanes % m->lanes_per_superlane)
		return refuse(error, "lanes (" I64 ") must be a multiple of lanes_per_superlane (" I64 ")", m->lanes,
		              m->lanes_per_superlane);
	if (m->mxm_planes % 2)
		return refuse(error, "mxm.planes (" I64 ") must be even, a pair serves fp16", m->mxm_planes);
	if (m->mxm_fp16_sum_rows > m->mxm_rows)
		return refuse(error, "mxm.fp16_sum_rows (" I64 ") is above mxm.rows (" I64 ")", m->mxm_fp16_sum_rows,
		              m->mxm_rows);
	if (m->streams && m->mxm_planes % 4)
		return refuse(error,
		              "mxm.planes (" I64 ") must be 4 on a machine with streams: a pair in each hemisphere",
		              m->mxm_planes);
	if (m->sxm_queues.count != ISA_SXM_ROLES)
		return refuse(error,
		              "sxm.queues: expected %d numbers (shift, select, permute, distribute, rotate, "
		              "transpose), found %u",
		              ISA_SXM_ROLES, m->sxm_queues.count);
	if (m->icu_queue_words && m->icu_queue_words < 4)
		return refuse(error, "icu.queue_words (" I64 ") must be 0 (ideal fetch) or at least 4",
		              m->icu_queue_words);
	if (m->icu_queue_words && m->icu_ifetch_words > m->icu_queue_words)
		return refuse(error,
		              "icu.ifetch_words (" I64 ") is above icu.queue_words (" I64 "), a fetch would never fit",
		              m->icu_ifetch_words, m->icu_queue_words);
	return true;
}

typedef struct builder {
	isa_machine *m;
	bool streams;
} builder;

/* Appends a queue; NAME is printed from what follows. */
static void add_queue(builder *b, isa_queue_info info, int64_t position, const char *format, ...) G_GNUC_PRINTF(4, 5);

static void add_queue(builder *b, isa_queue_info info, int64_t position, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_vsnprintf(info.name, sizeof info.name, format, arguments);
	va_end(arguments);
	info.position = b->streams ? (int16_t)position : -1;
	g_array_append_val(b->m->queues, info);
}

static void add_mem_queues(builder *b)
{
	isa_machine *m = b->m;

	for (uint16_t i = 0; m->hashed && i < m->sram_issue_per_cycle; i++)
		add_queue(b, (isa_queue_info){.unit = ISA_UNIT_MEM, .index = i}, -1, "mem%u", i);
	for (uint8_t side = 0; !m->hashed && side < 2; side++)
		for (uint16_t i = 0; i < m->mem_slices; i++) {
			int64_t group = i / m->mem_slices_per_group;

			add_queue(b, (isa_queue_info){.unit = ISA_UNIT_MEM, .side = side, .index = i},
			          side ? m->pos_mem.at[1] + group : m->pos_mem.at[0] - group, "mem.%c%u", "we"[side],
			          i);
		}
}

static void add_sxm_queues(builder *b, uint8_t side)
{
	static const char *const roles[ISA_SXM_ROLES] = {"shift",      "select", "permute",
	                                                 "distribute", "rotate", "transpose"};

	for (uint8_t role = 0; role < ISA_SXM_ROLES; role++)
		for (uint16_t i = 0; i < b->m->sxm_queues.at[role]; i++)
			add_queue(b, (isa_queue_info){.unit = ISA_UNIT_SXM, .side = side, .role = role, .index = i},
			          b->m->pos_sxm.at[side], "sxm.%s%s%u", b->streams ? side ? "e." : "w." : "",
			          roles[role], i);
}

/* Which side is item I of COUNT on? */
static uint8_t side_of(const builder *b, int64_t i, int64_t count)
{
	return b->streams && 2 * i >= count;
}

static void add_queues(isa_machine *m)
{
	builder b = {m, m->streams > 0};

	g_array_set_size(m->queues, 0);
	add_mem_queues(&b);
	for (uint16_t i = 0; i < m->vxm_ops; i++)
		add_queue(&b, (isa_queue_info){.unit = ISA_UNIT_VXM, .index = i}, m->pos_vxm, "vxm%u", i);
	for (uint16_t i = 0; i < m->mxm_planes; i++)
		for (uint8_t role = 0; role < 3; role++) {
			uint8_t side = side_of(&b, i, m->mxm_planes);

			add_queue(&b, (isa_queue_info){.unit = ISA_UNIT_MXM, .side = side, .role = role, .index = i},
			          m->pos_mxm.at[side], "mxm%u.%c", i, "wac"[role]);
		}
	for (uint8_t side = 0; side < (b.streams ? 2 : 1); side++)
		add_sxm_queues(&b, side);
	for (uint16_t i = 0; i < m->link_count; i++) {
		uint8_t side = side_of(&b, i, m->link_count);

		add_queue(&b, (isa_queue_info){.unit = ISA_UNIT_C2C, .side = side, .index = i}, m->pos_sxm.at[side],
		          "c2c.%s%u", b.streams ? side ? "e" : "w" : "", i);
	}
}

bool isa_machine_finish(isa_machine *machine, GError **error)
{
	machine->hashed = machine->mem_slices == 0;
	if (!check_units(machine, error) || !check_style(machine, error))
		return false;
	if (machine->mxm_rows > machine->lanes)
		return refuse(error,
		              "mxm.rows (" I64 ") is above lanes (" I64
		              "): a row takes one lane of an activation vector",
		              machine->mxm_rows, machine->lanes);
	if (!(machine->hashed ? finish_hashed : finish_direct)(machine, error))
		return false;
	add_queues(machine);
	return true;
}

int64_t isa_machine_sram_bytes(const isa_machine *machine)
{
	return machine->sram_bytes;
}
