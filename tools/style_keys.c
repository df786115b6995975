/* SPDX-License-Identifier: Apache-2.0
 *
 * Setting a key of a machine, whatever its kind, and telling a key of another kind from one that there is not.
 */
#include <string.h>

#include "tools/styles.h"
#include "tools/tool.h"

/* Parts of the two kinds of machine that do much the same, by the first words of their keys. */
static const char *const kin[][2] = {
	{"sram.", "ub."},   {"mem.", "ub."},     {"vreg.", "ub."},  {"vxm.", "vector."}, {"mxm.", "cube."},
	{"mxm.", "l0c."},   {"mxm.", "fix."},    {"sxm.", "mte1."}, {"sxm.", "mte2."},   {"sxm.", "mte3."},
	{"icu.", "queue."}, {"icu.", "scalar."}, {"sram.", "l1."},  {"sram.", "l2."},    {"link.", "hbm."},
};

/* The key of PATHS that comes nearest to KEY of another kind of machine; NULL when none does. */
static const char *nearest_kin(const tool_style *style, const char *key, const char *const *paths)
{
	const char *near = tsp_nearest(key, paths);

	for (size_t i = 0; i < 2 * G_N_ELEMENTS(kin) && !near; i++) {
		const char *theirs = kin[i / 2][i % 2], *ours = kin[i / 2][1 - i % 2];
		const char *last = key + strlen(theirs);
		g_autofree char *same = NULL;

		if (!g_str_has_prefix(key, theirs))
			continue;
		/* A map says what the banks are. */
		same = g_strconcat(ours, strcmp(last, "map") == 0 ? "banks" : last, NULL);
		near = tsp_nearest(same, paths);
		for (size_t k = 0; k < *style->key_count && !near; k++)
			if (g_str_has_prefix(paths[k], ours))
				near = paths[k];
	}
	return near;
}

bool tool_style_set(const tool_style *style, void *machine, const char *key, const char *value, GError **error)
{
	const tool_style *const *other = tool_styles;
	g_autofree const char **paths = NULL;
	const char *near;

	while (*other && (*other == style || tool_style_key(*other, key) < 0))
		other++;
	if (tool_style_key(style, key) >= 0 || !*other)
		return style->set(machine, key, value, error);
	paths = g_new0(const char *, *style->key_count + 1);
	for (size_t i = 0; i < *style->key_count; i++)
		paths[i] = style->keys[i].path;
	near = nearest_kin(style, key, paths);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "machine key '%s' is of machines of kind %s, and %s is of kind %s, which has no such key%s%s%s; "
	            "`tspsim list keys -m %s` shows those there are",
	            key, (*other)->name, style->machine_name(machine), style->name, near ? "; the nearest is '" : "",
	            near ? near : "", near ? "'" : "", style->machine_name(machine));
	return false;
}
