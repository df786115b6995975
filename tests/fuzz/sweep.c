/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweep files: one that is accepted has as many points as it may, each with a setting on every axis and a command, and
 * a list of points reads back.  Values are not tried on machines: that reads files.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/sweep_engine.h"

static void look_at(const sweep *s, uint32_t point)
{
	g_auto(GStrv) words = sweep_words(s, point);
	g_autofree char *text = sweep_command_text(s, point);
	g_auto(GStrv) again = NULL;

	FUZZ_EXPECT(g_shell_parse_argv(text, NULL, &again, NULL));
	FUZZ_EXPECT(g_strv_equal((const char *const *)words, (const char *const *)again));
	for (unsigned axis = 0; axis < s->axes->len; axis++)
		FUZZ_EXPECT(*sweep_setting(s, point, axis));
}

void fuzz_sweep(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	sweep *s = sweep_parse((const char *)data, size, "x.yaml", &error);
	uint32_t count;

	if (!fuzz_judge(s != NULL, &error))
		return;
	if (fuzz_judge(sweep_resolve(s, &error), &error)) {
		uint32_t points[3] = {0};
		g_autofree char *text = NULL;
		g_autofree uint8_t *chosen = NULL;

		count = sweep_point_count(s);
		FUZZ_EXPECT(count >= 1 && count <= SWEEP_MAX_POINTS);
		points[1] = count / 2;
		points[2] = count - 1;
		for (unsigned i = 0; i < 3; i++)
			look_at(s, points[i]);
		chosen = g_new0(uint8_t, count);
		text = sweep_format_points(points + (count < 3), count < 2 ? 1 : count < 3 ? 2 : 3);
		FUZZ_EXPECT(sweep_parse_points(text, count, chosen, &error));
		FUZZ_EXPECT(chosen[count - 1]);
	}
	sweep_free(s);
}
