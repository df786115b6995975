/* SPDX-License-Identifier: Apache-2.0
 *
 * Setting a key of a machine, and telling a key of another kind of machine from one that there is not.
 */
#include "tools/keys.h"

#include <string.h>

#include "isa/ascend/machine.h"
#include "tools/tool.h"

static bool set_tsp(void *machine, const char *key, const char *value, GError **error)
{
	return isa_machine_set(machine, key, value, error);
}

static bool set_ascend(void *machine, const char *key, const char *value, GError **error)
{
	return asc_machine_set(machine, key, value, error);
}

static const char *name_tsp(const void *machine)
{
	return ((const isa_machine *)machine)->name;
}

static const char *name_ascend(const void *machine)
{
	return ((const asc_machine *)machine)->name;
}

static const struct keys_kind {
	const char *name;
	const isa_key_info *keys;
	const size_t *count;
	bool (*set)(void *machine, const char *key, const char *value, GError **error);
	const char *(*machine_name)(const void *machine);
} kinds[] = {
	{"tsp", isa_keys, &isa_key_count, set_tsp, name_tsp},
	{"ascend", asc_keys, &asc_key_count, set_ascend, name_ascend},
};

static bool has_key(const struct keys_kind *kind, const char *key)
{
	size_t i = 0;

	while (i < *kind->count && strcmp(kind->keys[i].path, key) != 0)
		i++;
	return i < *kind->count;
}

/* Parts of the two kinds of machine that do much the same, by the first words of their keys. */
static const char *const kin[][2] = {
	{"sram.", "ub."},   {"mem.", "ub."},     {"vreg.", "ub."},  {"vxm.", "vector."}, {"mxm.", "cube."},
	{"mxm.", "l0c."},   {"mxm.", "fix."},    {"sxm.", "mte1."}, {"sxm.", "mte2."},   {"sxm.", "mte3."},
	{"icu.", "queue."}, {"icu.", "scalar."}, {"sram.", "l1."},  {"sram.", "l2."},    {"link.", "hbm."},
};

/* The key of KIND that comes nearest to KEY of another kind; NULL when none does. */
static const char *nearest_kin(const struct keys_kind *kind, const char *key)
{
	g_autofree const char **paths = g_new0(const char *, *kind->count + 1);
	const char *near;

	for (size_t i = 0; i < *kind->count; i++)
		paths[i] = kind->keys[i].path;
	near = tsp_nearest(key, paths);
	for (size_t i = 0; i < 2 * G_N_ELEMENTS(kin) && !near; i++) {
		const char *theirs = kin[i / 2][i % 2], *ours = kin[i / 2][1 - i % 2];
		const char *last = key + strlen(theirs);
		g_autofree char *same = NULL;

		if (!g_str_has_prefix(key, theirs))
			continue;
		/* A map says what the banks are. */
		same = g_strconcat(ours, strcmp(last, "map") == 0 ? "banks" : last, NULL);
		near = tsp_nearest(same, paths);
		for (size_t k = 0; k < *kind->count && !near; k++)
			if (g_str_has_prefix(paths[k], ours))
				near = paths[k];
	}
	return near;
}

bool keys_set(const char *kind, void *machine, const char *key, const char *value, GError **error)
{
	const struct keys_kind *own = strcmp(kind, kinds[0].name) == 0 ? &kinds[0] : &kinds[1];
	const struct keys_kind *other = own == &kinds[0] ? &kinds[1] : &kinds[0];
	const char *near;

	if (has_key(own, key) || !has_key(other, key))
		return own->set(machine, key, value, error);
	near = nearest_kin(own, key);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "machine key '%s' is of machines of kind %s, and %s is of kind %s, which has no such key%s%s%s; "
	            "`tspsim list keys -m %s` shows those there are",
	            key, other->name, own->machine_name(machine), own->name, near ? "; the nearest is '" : "",
	            near ? near : "", near ? "'" : "", own->machine_name(machine));
	return false;
}
