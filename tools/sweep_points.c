/* SPDX-License-Identifier: Apache-2.0
 *
 * Which points a sweep has, and the command line of each.
 *
 * The grid is the product of its dimensions: an axis, or several that move together (zip), which stand where the first
 * of them does.  The first dimension changes slowest.  Points that a rule excludes are taken out, and the rest is
 * numbered from 0.
 */
#include <stdarg.h>
#include <string.h>

#include "tools/options.h"
#include "tools/sweep.h"

bool sweep_fail(const sweep *s, const sweep_text *where, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: %s", s->file, where->line, where->column, text);
	return false;
}

static const sweep_text *text_at(const GArray *texts, guint i)
{
	return &g_array_index(texts, sweep_text, i);
}

static sweep_entry *entry_at(const GArray *entries, guint i)
{
	return &g_array_index(entries, sweep_entry, i);
}

/* ---- what the words mean ---- */

static bool find_command(sweep *s, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GError) cause = NULL;
	const char *name = s->command->len ? text_at(s->command, 0)->text : "run";

	s->tool = tool_command_find(name);
	if (s->tool && strcmp(name, "sweep") != 0)
		return true;
	if (s->tool)
		return sweep_fail(s, text_at(s->command, 0), error, "a sweep of sweeps is not run");
	for (const tool_command *const *command = tool_commands; *command; command++)
		g_ptr_array_add(names, (gpointer)(*command)->name);
	g_ptr_array_add(names, NULL);
	tool_unknown(&cause, "command", name, (const char *const *)names->pdata);
	return sweep_fail(s, text_at(s->command, 0), error, "%s", cause->message);
}

static bool check_value(const sweep *s, const sweep_entry *entry, const sweep_text *value, GError **error)
{
	if (entry->role == SWEEP_NUMBER &&
	    !g_ascii_string_to_signed(value->text, 10, G_MININT64, G_MAXINT64, NULL, NULL))
		return sweep_fail(s, value, error, "%s: expected an integer, found '%s'", entry->key.text, value->text);
	if (entry->role == SWEEP_FLAG && strcmp(value->text, "true") != 0 && strcmp(value->text, "false") != 0)
		return sweep_fail(s, value, error, "%s: expected true or false, found '%s'", entry->key.text,
		                  value->text);
	if (entry->role == SWEEP_ARGUMENT && value->text[0] == '-')
		return sweep_fail(s, value, error, "an argument that begins with '-' would be taken for an option");
	return true;
}

static bool check_entry(const sweep *s, sweep_entry *entry, GError **error)
{
	if (!sweep_find_role(s, entry, error))
		return false;
	for (guint i = 0; i < entry->values->len; i++)
		if (!check_value(s, entry, text_at(entry->values, i), error))
			return false;
	return true;
}

static bool check_base(const sweep *s, GError **error)
{
	for (guint i = 0; i < s->base->len; i++) {
		sweep_entry *entry = entry_at(s->base, i);

		if (!check_entry(s, entry, error))
			return false;
		if (entry->values->len > 1 && !entry->repeats)
			return sweep_fail(s, text_at(entry->values, 1), error,
			                  "%s: expected one value; several make an axis", entry->key.text);
	}
	return true;
}

static bool check_axes(const sweep *s, GError **error)
{
	if (s->axes->len > SWEEP_MAX_AXES)
		return sweep_fail(s, &entry_at(s->axes, SWEEP_MAX_AXES)->key, error, "more than %d axes",
		                  SWEEP_MAX_AXES);
	for (guint i = 0; i < s->axes->len; i++) {
		sweep_entry *axis = entry_at(s->axes, i);

		axis->index = g_hash_table_new(g_str_hash, g_str_equal);
		if (!check_entry(s, axis, error))
			return false;
		for (guint b = 0; b < s->base->len; b++)
			if (strcmp(entry_at(s->base, b)->key.text, axis->key.text) == 0)
				return sweep_fail(s, &axis->key, error, "'%s' stands in base, too", axis->key.text);
		for (guint v = 0; v < axis->values->len; v++)
			if (!g_hash_table_insert(axis->index, text_at(axis->values, v)->text, GUINT_TO_POINTER(v + 1)))
				return sweep_fail(s, text_at(axis->values, v), error, "%s: '%s' stands here twice",
				                  axis->key.text, text_at(axis->values, v)->text);
	}
	return true;
}

static int find_axis(const sweep *s, const char *name)
{
	for (guint i = 0; i < s->axes->len; i++)
		if (strcmp(entry_at(s->axes, i)->key.text, name) == 0)
			return (int)i;
	return -1;
}

static bool check_outputs(sweep *s, GError **error)
{
	s->optional = g_new0(bool, s->outputs->len);
	for (guint i = 0; i < s->outputs->len; i++) {
		const sweep_text *output = text_at(s->outputs, i);
		char *name = output->text;
		size_t length = strlen(name);

		if (length > 1 && name[length - 1] == '?') {
			s->optional[i] = true;
			name[length - 1] = '\0';
		}
		if (strchr(name, '"') || strstr(name, "..") || name[0] == '.' || g_str_has_suffix(name, "."))
			return sweep_fail(s, output, error,
			                  "expected a key of the answer, as 'cycles' or 'utilisation.mxm'");
		if (strcmp(name, "wall_s") == 0)
			return sweep_fail(s, output, error,
			                  "wall_s differs from run to run; table wall has the time of every point");
		for (guint j = 0; j < i; j++)
			if (g_ascii_strcasecmp(text_at(s->outputs, j)->text, name) == 0)
				return sweep_fail(s, output, error, "'%s' stands here twice", name);
		for (guint a = 0; a < s->axes->len; a++)
			if (g_ascii_strcasecmp(entry_at(s->axes, a)->key.text, name) == 0)
				return sweep_fail(s, output, error, "'%s' is an axis, and kept as such", name);
	}
	return true;
}

/* ---- the grid ---- */

static bool fail_axis(const sweep *s, const sweep_text *name, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GError) cause = NULL;

	for (guint i = 0; i < s->axes->len; i++)
		g_ptr_array_add(names, entry_at(s->axes, i)->key.text);
	g_ptr_array_add(names, NULL);
	tool_unknown(&cause, "axis", name->text, (const char *const *)names->pdata);
	return sweep_fail(s, name, error, "%s", cause->message);
}

/* Puts the axes of each zip group on one dimension, named by its first axis in LEADER. */
static bool join_zips(const sweep *s, int *leader, GError **error)
{
	for (guint g = 0; g < s->zips->len; g++) {
		const GArray *group = g_ptr_array_index(s->zips, g);
		int first = G_MAXINT;

		for (guint i = 0; i < group->len; i++) {
			const sweep_text *name = text_at(group, i);
			int axis = find_axis(s, name->text);

			if (axis < 0)
				return fail_axis(s, name, error);
			if (leader[axis] >= 0)
				return sweep_fail(s, name, error, "'%s' stands in zip twice", name->text);
			leader[axis] = axis;
			first = MIN(first, axis);
			if (entry_at(s->axes, (guint)axis)->values->len !=
			    entry_at(s->axes, (guint)find_axis(s, text_at(group, 0)->text))->values->len)
				return sweep_fail(
					s, name, error,
					"axes that move together have as many values: '%s' has %u, '%s' %u",
					text_at(group, 0)->text,
					entry_at(s->axes, (guint)find_axis(s, text_at(group, 0)->text))->values->len,
					name->text, entry_at(s->axes, (guint)axis)->values->len);
		}
		for (guint i = 0; i < group->len; i++)
			leader[find_axis(s, text_at(group, i)->text)] = first;
	}
	return true;
}

static bool make_dimensions(sweep *s, uint64_t *total, GError **error)
{
	int leader[SWEEP_MAX_AXES];

	memset(leader, -1, sizeof leader);
	if (!join_zips(s, leader, error))
		return false;
	s->dimension = g_new0(unsigned, s->axes->len);
	s->length = g_new0(uint64_t, s->axes->len);
	*total = 1;
	for (guint a = 0; a < s->axes->len; a++) {
		const sweep_entry *axis = entry_at(s->axes, a);

		if (leader[a] >= 0 && leader[a] < (int)a) {
			s->dimension[a] = s->dimension[leader[a]];
			continue;
		}
		s->dimension[a] = s->dimensions;
		s->length[s->dimensions++] = axis->values->len;
		/* At most 10^6 before, and as many values an axis: no overflow. */
		*total *= axis->values->len;
		if (*total > SWEEP_MAX_POINTS)
			return sweep_fail(s, &axis->key, error,
			                  "up to this axis %" G_GUINT64_FORMAT " points; a sweep has %d at most",
			                  *total, SWEEP_MAX_POINTS);
	}
	return true;
}

/* The number of AXIS's value in point GRID of the whole grid. */
static guint place(const sweep *s, uint64_t grid, unsigned axis)
{
	for (unsigned d = s->dimensions - 1; d > s->dimension[axis]; d--)
		grid /= s->length[d];
	return (guint)(grid % s->length[s->dimension[axis]]);
}

/* An exclusion rule: for each axis flags of its values, NULL where it says nothing. */
typedef struct rule {
	uint8_t *hit[SWEEP_MAX_AXES];
} rule;

static void clear_rule(gpointer data)
{
	for (unsigned a = 0; a < SWEEP_MAX_AXES; a++)
		g_free(((rule *)data)->hit[a]);
}

static bool read_condition(const sweep *s, const sweep_entry *condition, rule *r, GError **error)
{
	int number = find_axis(s, condition->key.text);
	const sweep_entry *axis;

	if (number < 0)
		return fail_axis(s, &condition->key, error);
	axis = entry_at(s->axes, (guint)number);
	r->hit[number] = g_new0(uint8_t, axis->values->len);
	for (guint c = 0; c < condition->values->len; c++) {
		const sweep_text *wanted = text_at(condition->values, c);
		guint v = GPOINTER_TO_UINT(g_hash_table_lookup(axis->index, wanted->text));

		if (!v)
			return sweep_fail(s, wanted, error, "axis '%s' has no value '%s'", condition->key.text,
			                  wanted->text);
		r->hit[number][v - 1] = 1;
	}
	return true;
}

static bool is_excluded(const sweep *s, const GArray *rules, uint64_t grid)
{
	guint places[SWEEP_MAX_AXES];

	for (unsigned a = 0; a < s->axes->len; a++)
		places[a] = place(s, grid, a);
	for (guint i = 0; i < rules->len; i++) {
		const rule *r = &g_array_index(rules, rule, i);
		bool all = true;

		for (unsigned a = 0; a < s->axes->len && all; a++)
			all = !r->hit[a] || r->hit[a][places[a]];
		if (all)
			return true;
	}
	return false;
}

static bool make_points(sweep *s, uint64_t total, GError **error)
{
	g_autoptr(GArray) rules = g_array_new(FALSE, TRUE, sizeof(rule));

	g_array_set_clear_func(rules, clear_rule);
	for (guint i = 0; i < s->excludes->len; i++) {
		const GArray *conditions = g_ptr_array_index(s->excludes, i);

		g_array_set_size(rules, i + 1);
		for (guint c = 0; c < conditions->len; c++)
			if (!read_condition(s, entry_at(conditions, c), &g_array_index(rules, rule, i), error))
				return false;
	}
	s->points = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t grid = 0; grid < total; grid++)
		if (!rules->len || !is_excluded(s, rules, grid))
			g_array_append_val(s->points, grid);
	return s->points->len ||
	       sweep_fail(s, &entry_at(g_ptr_array_index(s->excludes, 0), 0)->key, error, "every point is excluded");
}

/* ---- points ---- */

uint32_t sweep_point_count(const sweep *s)
{
	return s->points->len;
}

const char *sweep_setting(const sweep *s, uint32_t point, unsigned axis)
{
	return text_at(entry_at(s->axes, axis)->values, place(s, g_array_index(s->points, uint32_t, point), axis))
	        ->text;
}

/* A point whose settings are asked for. */
typedef struct asked {
	const sweep *s;
	uint32_t point;
} asked;

/* What ENTRY gives its option with VALUE; NULL when that is not an option, or one left out. */
static const char *given_by(const sweep_entry *entry, const char *value)
{
	if (entry->role != SWEEP_OPTION && entry->role != SWEEP_NUMBER && entry->role != SWEEP_FLAG)
		return NULL;
	return entry->role == SWEEP_FLAG && strcmp(value, "true") != 0 ? NULL : value;
}

/* What a point gives option NAME; NULL: nothing. */
static const char *given_value(void *state, const char *name)
{
	const asked *a = state;
	const sweep *s = a->s;
	size_t length = strlen(name);

	for (guint i = 0; i < s->base->len; i++)
		if (strcmp(entry_at(s->base, i)->key.text, name) == 0)
			return given_by(entry_at(s->base, i), text_at(entry_at(s->base, i)->values, 0)->text);
	for (guint i = 0; i < s->axes->len; i++)
		if (strcmp(entry_at(s->axes, i)->key.text, name) == 0)
			return given_by(entry_at(s->axes, i), sweep_setting(s, a->point, i));
	for (guint i = 1; i < s->command->len; i++) {
		const char *word = text_at(s->command, i)->text;

		if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, length) != 0)
			continue;
		if (word[2 + length] == '=')
			return word + 2 + length + 1;
		if (!word[2 + length])
			return i + 1 < s->command->len ? text_at(s->command, i + 1)->text : "true";
	}
	return NULL;
}

/* Has ENTRY, which is conditional, an effect at POINT?  If not, NEEDS is what it lacks; g_free. */
static bool has_effect(const sweep *s, uint32_t point, const sweep_entry *entry, char **needs)
{
	asked a = {s, point};

	return options_effective(s->tool->name, entry->key.text, given_value, &a, needs);
}

static bool is_left_out(const sweep *s, uint32_t point, const sweep_entry *entry)
{
	g_autofree char *needs = NULL;

	return entry->conditional && !has_effect(s, point, entry, &needs);
}

/* Does every entry of LIST have an effect at some point? */
static bool check_effects(const sweep *s, GArray *list, GError **error)
{
	for (guint i = 0; i < list->len; i++) {
		sweep_entry *entry = entry_at(list, i);
		g_autofree char *needs = NULL;
		bool some = false, given = false;

		entry->conditional = options_conditional(s->tool->name, entry->key.text);
		if (!entry->conditional)
			continue;
		for (guint v = 0; v < entry->values->len; v++)
			given |= given_by(entry, text_at(entry->values, v)->text) != NULL;
		for (uint32_t p = 0; given && !some && p < sweep_point_count(s); p++) {
			g_free(needs);
			some = has_effect(s, p, entry, &needs);
		}
		if (given && !some)
			return sweep_fail(s, &entry->key, error, "'%s' has no effect at any point; it needs %s",
			                  entry->key.text, needs);
	}
	return true;
}

bool sweep_resolve(sweep *s, GError **error)
{
	uint64_t total;

	return find_command(s, error) && check_base(s, error) && check_axes(s, error) && check_outputs(s, error) &&
	       make_dimensions(s, &total, error) && make_points(s, total, error) && check_effects(s, s->base, error) &&
	       check_effects(s, s->axes, error);
}

/* Appends KEY with VALUE to WORDS; arguments go to ARGUMENTS, which come last. */
static void add_words(const sweep_entry *entry, const char *value, GPtrArray *words, GPtrArray *arguments)
{
	switch (entry->role) {
	case SWEEP_OPTION:
	case SWEEP_NUMBER:
		g_ptr_array_add(words, g_strdup_printf("--%s=%s", entry->key.text, value));
		break;
	case SWEEP_FLAG:
		if (strcmp(value, "true") == 0)
			g_ptr_array_add(words, g_strdup_printf("--%s", entry->key.text));
		break;
	case SWEEP_SET:
		g_ptr_array_add(words, g_strdup("--set"));
		g_ptr_array_add(words, g_strdup_printf("%s=%s", entry->key.text, value));
		break;
	case SWEEP_ARGUMENT:
		g_ptr_array_add(arguments, g_strdup(value));
		break;
	}
}

char **sweep_words(const sweep *s, uint32_t point)
{
	GPtrArray *words = g_ptr_array_new();
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();

	g_ptr_array_add(words, g_strdup("tspsim"));
	g_ptr_array_add(words, g_strdup(s->tool->name));
	for (guint i = 1; i < s->command->len; i++)
		g_ptr_array_add(words, g_strdup(text_at(s->command, i)->text));
	for (guint b = 0; b < s->base->len; b++)
		for (guint v = 0; v < entry_at(s->base, b)->values->len && !is_left_out(s, point, entry_at(s->base, b));
		     v++)
			add_words(entry_at(s->base, b), text_at(entry_at(s->base, b)->values, v)->text, words,
			          arguments);
	for (guint a = 0; a < s->axes->len; a++)
		if (!is_left_out(s, point, entry_at(s->axes, a)))
			add_words(entry_at(s->axes, a), sweep_setting(s, point, a), words, arguments);
	g_ptr_array_add(words, g_strdup("--json"));
	for (guint i = 0; i < arguments->len; i++)
		g_ptr_array_add(words, g_ptr_array_index(arguments, i));
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}

char *sweep_command_text(const sweep *s, uint32_t point)
{
	g_auto(GStrv) words = sweep_words(s, point);

	return tool_join_words(words);
}
