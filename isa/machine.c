/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine descriptions: the key table (isa/machine_keys.def) as data, values read, set, printed and copied through it.
 * Loading is in isa/machine_yaml.c, what follows from the values in isa/machine_finish.c.
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

const char *isa_class_name(enum isa_key_class class_)
{
	static const char *const names[] = {"published", "measured", "derived", "assumed", "set"};

	return names[class_];
}

char *isa_hint(const char *word, const char *const *candidates)
{
	const char *nearest = tsp_nearest(word, candidates);

	return nearest ? g_strdup_printf("; did you mean '%s'?", nearest) : g_strdup("");
}

/* value = value * 10 + digit; false on overflow. */
static bool push_digit(int64_t *value, int digit)
{
	return !__builtin_mul_overflow(*value, 10, value) && !__builtin_add_overflow(*value, digit, value);
}

/* Reads digits with single underscores between them; returns how many. */
static int read_digits(const char **at, int64_t *value, bool *overflow)
{
	int count = 0;

	while (g_ascii_isdigit(**at) || (**at == '_' && count && g_ascii_isdigit((*at)[1]))) {
		if (**at != '_') {
			*overflow |= !push_digit(value, **at - '0');
			count++;
		}
		(*at)++;
	}
	return count;
}

bool isa_parse_integer(const char *text, int64_t *value, GError **error)
{
	const char *at = text;
	bool negative = *at == '-';
	bool overflow = false;
	int digits, fraction = 0;
	int64_t exponent = 0;

	*value = 0;
	at += negative;
	digits = read_digits(&at, value, &overflow);
	if (*at == '.') {
		at++;
		fraction = read_digits(&at, value, &overflow);
	}
	if (digits && (*at | 32) == 'e') {
		at++;
		at += *at == '+';
		if (!read_digits(&at, &exponent, &overflow))
			digits = 0;
	}
	if (!digits || *at) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "expected an integer such as 144, 1_600_000 or 0.9e9, found '%s'", text);
		return false;
	}
	for (; fraction > exponent; fraction--) {
		if (*value % 10) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "'%s' is not an integer", text);
			return false;
		}
		*value /= 10;
	}
	for (; exponent > fraction && *value && !overflow; exponent--)
		overflow |= !push_digit(value, 0);
	if (overflow) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "'%s' does not fit 64 bits", text);
		return false;
	}
	if (negative)
		*value = -*value;
	return true;
}

static bool parse_in_range(int key, const char *text, int64_t *value, GError **error)
{
	const isa_key_info *info = &isa_keys[key];

	if (!isa_parse_integer(text, value, error)) {
		g_prefix_error(error, "%s: ", info->path);
		return false;
	}
	if (*value < info->min || *value > info->max) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: %" G_GINT64_FORMAT " is out of range, expected %" G_GINT64_FORMAT
		            " to %" G_GINT64_FORMAT "%s%s",
		            info->path, *value, info->min, info->max, *info->unit ? " " : "", info->unit);
		return false;
	}
	return true;
}

bool isa_key_store(isa_machine *m, int key, const char *const *texts, unsigned count, GError **error)
{
	const isa_key_info *info = &isa_keys[key];

	if (info->type == ISA_KEY_TABLE) {
		isa_table table = {{0}, count};

		if (count > ISA_TABLE_MAX) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %u entries, at most %d are possible",
			            info->path, count, ISA_TABLE_MAX);
			return false;
		}
		for (unsigned i = 0; i < count; i++)
			if (!parse_in_range(key, texts[i], &table.at[i], error))
				return false;
		*isa_key_table(m, key) = table;
		return true;
	}
	if (count != 1) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected one value, found a list", info->path);
		return false;
	}
	if (info->type == ISA_KEY_INT) {
		int64_t value;

		if (!parse_in_range(key, texts[0], &value, error))
			return false;
		*isa_key_int(m, key) = value;
		return true;
	}
	if (!*texts[0]) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected a text", info->path);
		return false;
	}
	g_free(*isa_key_string(m, key));
	*isa_key_string(m, key) = g_strdup(texts[0]);
	return true;
}

bool isa_machine_set(isa_machine *machine, const char *key, const char *value, GError **error)
{
	int index = isa_key_find(key);
	isa_key_origin *origin;
	bool ok;

	if (index < 0) {
		g_autofree const char **paths = g_new0(const char *, isa_key_count + 1);
		g_autofree char *hint = NULL;

		for (size_t i = 0; i < isa_key_count; i++)
			paths[i] = isa_keys[i].path;
		hint = isa_hint(key, paths);
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "unknown machine key '%s'%s", key, hint);
		return false;
	}
	if (isa_keys[index].type == ISA_KEY_TABLE) {
		g_auto(GStrv) parts = g_strsplit(value, ",", -1);

		for (char **part = parts; *part; part++)
			g_strstrip(*part);
		ok = isa_key_store(machine, index, (const char *const *)parts, g_strv_length(parts), error);
	} else {
		ok = isa_key_store(machine, index, &value, 1, error);
	}
	if (!ok)
		return false;
	origin = &machine->origin[index];
	origin->class_ = ISA_CLASS_SET;
	g_free(origin->source);
	g_free(origin->note);
	origin->source = g_strdup("--set");
	origin->note = NULL;
	return true;
}

isa_machine *isa_machine_empty(void)
{
	isa_machine *m = g_new0(isa_machine, 1);

	m->origin = g_new0(isa_key_origin, isa_key_count);
	for (size_t i = 0; i < isa_key_count; i++)
		m->origin[i].class_ = ISA_CLASS_ASSUMED;
	m->queues = g_array_new(FALSE, TRUE, sizeof(isa_queue_info));
	return m;
}

isa_machine *isa_machine_copy(const isa_machine *machine)
{
	isa_machine *m = isa_machine_empty();
	isa_key_origin *origin = m->origin;
	GArray *queues = m->queues;

	*m = *machine;
	m->origin = origin;
	m->queues = g_array_append_vals(queues, machine->queues->data, machine->queues->len);
	m->name = g_strdup(machine->name);
	m->title = g_strdup(machine->title);
	for (size_t i = 0; i < isa_key_count; i++) {
		origin[i].class_ = machine->origin[i].class_;
		origin[i].source = g_strdup(machine->origin[i].source);
		origin[i].note = g_strdup(machine->origin[i].note);
		if (isa_keys[i].type == ISA_KEY_STRING)
			*isa_key_string(m, (int)i) = g_strdup(*isa_key_string(machine, (int)i));
	}
	return m;
}

void isa_machine_free(isa_machine *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < isa_key_count; i++) {
		g_free(machine->origin[i].source);
		g_free(machine->origin[i].note);
		if (isa_keys[i].type == ISA_KEY_STRING)
			g_free(*isa_key_string(machine, (int)i));
	}
	g_free(machine->origin);
	g_array_unref(machine->queues);
	g_free(machine->name);
	g_free(machine->title);
	g_free(machine);
}

char *isa_machine_get_text(const isa_machine *machine, int key)
{
	const isa_table *table;
	GString *text;

	if (isa_keys[key].type == ISA_KEY_STRING)
		return g_strdup(*isa_key_string(machine, key));
	if (isa_keys[key].type == ISA_KEY_INT)
		return g_strdup_printf("%" G_GINT64_FORMAT, *isa_key_int(machine, key));
	table = isa_key_table(machine, key);
	text = g_string_new(NULL);
	for (unsigned i = 0; i < table->count; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "," : "", table->at[i]);
	return g_string_free(text, FALSE);
}

char *isa_machine_dump(const isa_machine *machine)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < isa_key_count; i++) {
		g_autofree char *value = isa_machine_get_text(machine, (int)i);
		const isa_key_origin *origin = &machine->origin[i];

		g_string_append_printf(text, "%s = %s%s%s  [%s; %s]\n", isa_keys[i].path, value,
		                       *isa_keys[i].unit ? " " : "", isa_keys[i].unit, isa_class_name(origin->class_),
		                       origin->source ? origin->source : "");
	}
	return g_string_free(text, FALSE);
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
