/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of Ascend-style machines: the key table isa/ascend/keys.def as data, and what follows from the values.
 * Values, files, presets and bases are handled as for the other kind of machine, by isa/machine_table.c and
 * isa/machine_yaml.c.
 */
#include "isa/ascend/machine.h"
#include "isa/machine_int.h"

#include <stddef.h>
#include <string.h>

static const char kind_name[] = "ascend";

const isa_key_info asc_keys[] = {
#define KEY(path, field, type, min, max, unit, doc)                                                                    \
	{path, ISA_KEY_##type, min, max, unit, doc, offsetof(asc_machine, field)},
#include "isa/ascend/keys.def"
};
const size_t asc_key_count = G_N_ELEMENTS(asc_keys);

static isa_key_view view_of(const asc_machine *machine)
{
	asc_machine *m = (asc_machine *)machine;

	return (isa_key_view){kind_name, asc_keys, asc_key_count, m, m->origin, &m->name, &m->title};
}

int asc_key_find(const char *path)
{
	for (size_t i = 0; i < asc_key_count; i++)
		if (strcmp(asc_keys[i].path, path) == 0)
			return (int)i;
	return -1;
}

char **asc_machine_names(void)
{
	return isa_preset_names(kind_name);
}

bool asc_machine_is(const char *name)
{
	g_autofree char *kind = NULL;
	g_autofree char *file = isa_machine_file(name, &kind, NULL);

	return file && strcmp(kind, kind_name) == 0;
}

static asc_machine *empty(void)
{
	asc_machine *m = g_new0(asc_machine, 1);

	m->origin = isa_origins_new(asc_key_count);
	return m;
}

asc_machine *asc_machine_load(const char *name, GError **error)
{
	asc_machine *m = empty();
	isa_key_view view = view_of(m);

	if (isa_view_load(&view, name, error))
		return m;
	asc_machine_free(m);
	return NULL;
}

asc_machine *asc_machine_copy(const asc_machine *machine)
{
	asc_machine *m = empty();
	isa_key_origin *origin = m->origin;
	isa_key_view from = view_of(machine), to;

	*m = *machine;
	m->origin = origin;
	to = view_of(m);
	isa_view_copy(&to, &from);
	return m;
}

void asc_machine_free(asc_machine *machine)
{
	isa_key_view view;

	if (!machine)
		return;
	view = view_of(machine);
	isa_view_clear(&view);
	g_free(machine);
}

bool asc_machine_set(asc_machine *machine, const char *key, const char *value, GError **error)
{
	isa_key_view view = view_of(machine);

	return isa_view_set(&view, key, value, error);
}

char *asc_machine_get_text(const asc_machine *machine, int key)
{
	isa_key_view view = view_of(machine);

	return isa_view_text(&view, key);
}

char *asc_machine_dump(const asc_machine *machine)
{
	isa_key_view view = view_of(machine);

	return isa_view_dump(&view);
}

static int64_t value_of(const asc_machine *machine, const char *path)
{
	int key = path ? asc_key_find(path) : -1;
	isa_key_view view = view_of(machine);

	return key < 0 ? 0 : *isa_view_int(&view, (size_t)key);
}

static void derive_timing(asc_machine *m)
{
	static const struct {
		const char *head, *b16, *b32;
	} classes[ASC_TIMING_COUNT] = {
#define ASC_TIMING(id, head, b16, b32, doc) [ASC_TIMING_##id] = {head, b16, b32},
#include "isa/ascend/timing.def"
	};

	for (int i = 0; i < ASC_TIMING_COUNT; i++)
		m->timing[i] = (asc_timing_cycles){value_of(m, classes[i].head), value_of(m, classes[i].b16),
		                                   value_of(m, classes[i].b32)};
}

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

/* BANKS banks in GROUPS groups, of whole rows, fill BYTES. */
static bool check_banks(const char *name, int64_t bytes, int64_t banks, int64_t groups, int64_t row, GError **error)
{
	if (banks % groups)
		return refuse(error,
		              "%s.banks is %" G_GINT64_FORMAT ", expected a multiple of %s.groups, %" G_GINT64_FORMAT,
		              name, banks, name, groups);
	if (bytes % (banks * row))
		return refuse(error,
		              "%s.bytes is %" G_GINT64_FORMAT ", expected a multiple of %" G_GINT64_FORMAT
		              " banks x %" G_GINT64_FORMAT " B",
		              name, bytes, banks, row);
	return true;
}

static bool check_reserved(const char *name, int64_t bytes, int64_t reserved, GError **error)
{
	return reserved < bytes ||
	       refuse(error,
	              "%s.reserved_bytes is %" G_GINT64_FORMAT ", expected less than %s.bytes, %" G_GINT64_FORMAT, name,
	              reserved, name, bytes);
}

bool asc_machine_finish(asc_machine *machine, GError **error)
{
	asc_machine *m = machine;

	m->coupled = m->core_vector_cores == 0;
	m->subcores = 1 + (unsigned)m->core_vector_cores;
	m->queue_depth[ASC_PIPE_S] = 0;
	m->queue_depth[ASC_PIPE_V] = m->queue_v_depth;
	m->queue_depth[ASC_PIPE_M] = m->queue_m_depth;
	m->queue_depth[ASC_PIPE_MTE1] = m->queue_mte1_depth;
	m->queue_depth[ASC_PIPE_MTE2] = m->queue_mte2_depth;
	m->queue_depth[ASC_PIPE_MTE3] = m->queue_mte3_depth;
	m->queue_depth[ASC_PIPE_FIX] = m->queue_fix_depth;
	derive_timing(m);
	if (!check_banks("ub", m->ub_bytes, m->ub_banks, m->ub_groups, m->ub_row_bytes, error) ||
	    !check_reserved("ub", m->ub_bytes, m->ub_reserved_bytes, error) ||
	    !check_banks("l1", m->l1_bytes, m->l1_banks, m->l1_groups, m->l1_row_bytes, error) ||
	    !check_reserved("l1", m->l1_bytes, m->l1_reserved_bytes, error) ||
	    !check_banks("l0c", m->l0c_bytes, m->l0c_banks, 1, m->l0c_row_bytes, error))
		return false;
	if (m->vector_bytes % m->ub_row_bytes)
		return refuse(error,
		              "vector.bytes is %" G_GINT64_FORMAT
		              ", expected a multiple of ub.row_bytes, %" G_GINT64_FORMAT,
		              m->vector_bytes, m->ub_row_bytes);
	if (m->l2_bytes % (m->l2_line_bytes * m->l2_ways))
		return refuse(error,
		              "l2.bytes is %" G_GINT64_FORMAT ", expected a multiple of %" G_GINT64_FORMAT
		              " ways x %" G_GINT64_FORMAT " B",
		              m->l2_bytes, m->l2_ways, m->l2_line_bytes);
	if (m->coupled && m->cross_ids)
		return refuse(error,
		              "cross.ids is %" G_GINT64_FORMAT ", expected 0: coupled cores have no such counters",
		              m->cross_ids);
	return true;
}

int64_t asc_space_bytes(const asc_machine *machine, enum asc_space space)
{
	switch (space) {
	case ASC_L1:
		return machine->l1_bytes - machine->l1_reserved_bytes;
	case ASC_L0A:
		return machine->l0a_bytes;
	case ASC_L0B:
		return machine->l0b_bytes;
	case ASC_L0C:
		return machine->l0c_bytes;
	case ASC_UB:
		return machine->ub_bytes - machine->ub_reserved_bytes;
	case ASC_BT:
		return machine->bt_bytes;
	case ASC_FB:
		return 0; /* no instruction names it */
	default:
		return INT64_MAX;
	}
}

bool asc_machine_has_kind(const asc_machine *machine, enum asc_kind kind)
{
	return machine->coupled == (kind == ASC_COUPLED);
}

bool asc_kind_has_space(enum asc_kind kind, enum asc_space space)
{
	switch (space) {
	case ASC_GM:
		return true;
	case ASC_UB:
		return kind != ASC_CUBE;
	default:
		return kind != ASC_VECTOR;
	}
}
