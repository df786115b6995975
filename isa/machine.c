/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine descriptions of tensor streaming processors: the key table (isa/machine_keys.def) as data, and what the
 * tables say of timing and queues.  Values go through isa/machine_table.c, files through isa/machine_yaml.c; what
 * follows from the values is in isa/machine_finish.c.
 */
#include "isa/machine_int.h"

#include <stddef.h>
#include <string.h>

const isa_key_info isa_keys[] = {
#define KEY(path, field, type, min, max, unit, doc)                                                                    \
	{path, ISA_KEY_##type, min, max, unit, doc, offsetof(isa_machine, field)},
#include "isa/machine_keys.def"
};
const size_t isa_key_count = G_N_ELEMENTS(isa_keys);

int isa_key_find(const char *path)
{
	for (size_t i = 0; i < isa_key_count; i++)
		if (strcmp(isa_keys[i].path, path) == 0)
			return (int)i;
	return -1;
}

isa_key_view isa_machine_view(const isa_machine *machine)
{
	isa_machine *m = (isa_machine *)machine;

	return (isa_key_view){"tsp", isa_keys, isa_key_count, m, m->origin, &m->name, &m->title};
}

isa_machine *isa_machine_empty(void)
{
	isa_machine *m = g_new0(isa_machine, 1);

	m->origin = isa_origins_new(isa_key_count);
	m->queues = g_array_new(FALSE, TRUE, sizeof(isa_queue_info));
	return m;
}

isa_machine *isa_machine_load(const char *name, GError **error)
{
	isa_machine *m = isa_machine_empty();
	isa_key_view view = isa_machine_view(m);

	if (isa_view_load(&view, name, error))
		return m;
	isa_machine_free(m);
	return NULL;
}

isa_machine *isa_machine_copy(const isa_machine *machine)
{
	isa_machine *m = isa_machine_empty();
	isa_key_origin *origin = m->origin;
	GArray *queues = m->queues;
	isa_key_view from = isa_machine_view(machine), to;

	*m = *machine;
	m->origin = origin;
	m->queues = g_array_append_vals(queues, machine->queues->data, machine->queues->len);
	to = isa_machine_view(m);
	isa_view_copy(&to, &from);
	return m;
}

void isa_machine_free(isa_machine *machine)
{
	isa_key_view view;

	if (!machine)
		return;
	view = isa_machine_view(machine);
	isa_view_clear(&view);
	g_array_unref(machine->queues);
	g_free(machine);
}

char **isa_machine_names(void)
{
	return isa_preset_names("tsp");
}

bool isa_machine_set(isa_machine *machine, const char *key, const char *value, GError **error)
{
	isa_key_view view = isa_machine_view(machine);

	return isa_view_set(&view, key, value, error);
}

char *isa_machine_get_text(const isa_machine *machine, int key)
{
	isa_key_view view = isa_machine_view(machine);

	return isa_view_text(&view, key);
}

char *isa_machine_dump(const isa_machine *machine)
{
	isa_key_view view = isa_machine_view(machine);

	return isa_view_dump(&view);
}

/* Key index of each timing class, -1 for none. */
static int timing_key(enum isa_timing timing)
{
	static const char *const paths[ISA_TIMING_COUNT] = {
#define TIMING(id, key, doc) [ISA_TIMING_##id] = key,
#include "isa/timing.def"
	};
	static int keys[ISA_TIMING_COUNT];
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		for (int i = 0; i < ISA_TIMING_COUNT; i++)
			keys[i] = paths[i] ? isa_key_find(paths[i]) : -1;
		g_once_init_leave(&ready, 1);
	}
	return keys[timing];
}

int64_t isa_machine_timing(const isa_machine *machine, enum isa_timing timing)
{
	int key = timing_key(timing);

	return key < 0 ? 0 : *isa_key_int(machine, key);
}

int64_t isa_machine_skew(const isa_machine *machine, enum isa_unit unit)
{
	switch (unit) {
	case ISA_UNIT_MEM:
		return machine->mem_skew_cycles;
	case ISA_UNIT_VXM:
		return machine->vxm_skew_cycles;
	case ISA_UNIT_MXM:
		return machine->mxm_skew_cycles;
	case ISA_UNIT_SXM:
		return machine->sxm_skew_cycles;
	default:
		return 0;
	}
}

unsigned isa_machine_queue_count(const isa_machine *machine)
{
	return machine->queues->len;
}

const isa_queue_info *isa_machine_queue(const isa_machine *machine, unsigned queue)
{
	return &g_array_index(machine->queues, isa_queue_info, queue);
}

int isa_machine_queue_by_name(const isa_machine *machine, const char *name)
{
	for (unsigned i = 0; i < machine->queues->len; i++)
		if (strcmp(isa_machine_queue(machine, i)->name, name) == 0)
			return (int)i;
	return -1;
}

int isa_machine_queue_find(const isa_machine *machine, enum isa_unit unit, unsigned side, unsigned role, unsigned index)
{
	for (unsigned i = 0; i < machine->queues->len; i++) {
		const isa_queue_info *q = isa_machine_queue(machine, i);

		if (q->unit == unit && q->side == side && q->role == role && q->index == index)
			return (int)i;
	}
	return -1;
}
