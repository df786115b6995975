/* SPDX-License-Identifier: Apache-2.0
 *
 * What the reports of all kinds of machine have in common, line by line.
 */
#include "tools/report_lines.h"

#include <string.h>

#include "isa/ascend/machine.h"
#include "sched/sched.h"
#include "tools/json.h"
#include "tools/tool.h"

enum { LINE_WIDTH = 110, ASSUMED_SHOWN = 5 };

const char *report_red(bool colour)
{
	return colour ? "\033[31m" : "";
}

const char *report_plain(bool colour)
{
	return colour ? "\033[0m" : "";
}

void report_say_split(GString *out, const report_machine *sched, const report_machine *hw)
{
	for (size_t k = 0; k < hw->count; k++) {
		g_autofree char *planned = sched->text(sched->machine, (int)k);
		g_autofree char *simulated = hw->text(hw->machine, (int)k);

		if (strcmp(planned, simulated) != 0)
			tool_line(out, "split", "%s: scheduled for %s, simulated with %s", hw->keys[k].path, planned,
			          simulated);
	}
}

void report_say_notes(GString *out, const char *binds, const GString *notes)
{
	g_autofree char *first = binds ? tool_grouped(binds) : NULL;
	g_auto(GStrv) lines = notes ? g_strsplit(notes->str, "\n", -1) : NULL;

	if (first)
		tool_line(out, "binds", "%s", first);
	for (char **line = lines; line && *line; line++) {
		g_autofree char *grouped = tool_grouped(*line);

		if (**line)
			tool_line(out, "", "%s", grouped);
	}
}

void report_say_next(GString *out, const char *path, const char *level, uint64_t bytes, bool interrupted)
{
	g_autofree char *size = tool_bytes(bytes);

	if (!path) {
		tool_line(out, "next", "the same command with --trace run.db, then tspsim stat run.db");
		return;
	}
	tool_line(out, "trace", "%s (level %s, %s)%s", path, level, size, interrupted ? ", incomplete" : "");
	tool_line(out, "next", "tspsim stat %s", path);
	if (strcmp(level, "summary") != 0)
		tool_line(out, "", "tspsim plot occupancy %s -o occupancy.png", path);
}

typedef struct weighed {
	size_t key;
	double weight;
} weighed;

static gint heaviest_first(gconstpointer a, gconstpointer b)
{
	const weighed *p = a, *q = b;

	if (p->weight < q->weight || p->weight > q->weight)
		return p->weight < q->weight ? 1 : -1;
	return p->key < q->key ? -1 : p->key > q->key;
}

char **report_assumed_keys(const report_machine *m, report_weight weight, const void *state)
{
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(weighed));
	g_autoptr(GStrvBuilder) keys = g_strv_builder_new();

	for (size_t k = 0; k < m->count; k++) {
		const isa_key_origin *origin = &m->origin[k];
		weighed w = {k, weight(state, m->keys[k].path)};

		if (origin->class_ == ISA_CLASS_ASSUMED && w.weight >= 0 &&
		    !(origin->note && g_str_has_prefix(origin->note, "unused")))
			g_array_append_val(found, w);
	}
	g_array_sort(found, heaviest_first);
	for (guint i = 0; i < found->len; i++) {
		size_t k = g_array_index(found, weighed, i).key;
		g_autofree char *value = m->text(m->machine, (int)k);
		g_autofree char *text = g_strdup_printf("%s = %s", m->keys[k].path, value);

		g_strv_builder_add(keys, text);
	}
	return g_strv_builder_end(keys);
}

/* NAME as -m takes it, or a word for a file that says it is called so. */
static const char *name_for_option(const char *name)
{
	g_auto(GStrv) tsp = isa_machine_names();
	g_auto(GStrv) ascend = asc_machine_names();

	return g_strv_contains((const char *const *)tsp, name) || g_strv_contains((const char *const *)ascend, name)
	               ? name
	               : "MACHINE";
}

void report_say_assumed(GString *out, char *const *keys, const char *name)
{
	unsigned count = g_strv_length((char **)keys);
	g_autoptr(GString) row = g_string_new(NULL);
	const char *label = "assumed";

	for (unsigned i = 0; i < MIN(count, ASSUMED_SHOWN); i++) {
		if (row->len && row->len + strlen(keys[i]) + 2 > LINE_WIDTH - TOOL_LABEL_WIDTH) {
			tool_line(out, label, "%s,", row->str);
			g_string_truncate(row, 0);
			label = "";
		}
		g_string_append_printf(row, "%s%s", row->len ? ", " : "", keys[i]);
	}
	if (!count)
		return;
	tool_line(out, label, "%s%s", row->str, count > ASSUMED_SHOWN ? "," : "");
	if (count > ASSUMED_SHOWN)
		tool_line(out, "", "and %u more; with reasons: tspsim list assumed -m %s", count - ASSUMED_SHOWN,
		          name_for_option(name));
}

void report_json_strings(json *j, const char *key, char *const *strings)
{
	json_array(j, key);
	for (; *strings; strings++)
		json_string(j, NULL, *strings);
	json_end(j);
}

void report_json_intervals(json *j, const GArray *intervals)
{
	json_array(j, "intervals");
	for (guint n = 0; intervals && n < intervals->len; n++) {
		const sched_interval *i = &g_array_index(intervals, sched_interval, n);

		json_object(j, NULL);
		json_string(j, "loop", i->loop);
		json_string(j, "unit", i->unit);
		json_real(j, "interval", (double)i->cycles / (double)i->iterations);
		json_real(j, "bound", (double)i->bound_cycles / (double)i->bound_iterations);
		json_string(j, "binds", i->binds);
		json_bool(j, "proved", sched_interval_proved(i));
		json_int(j, "cycles", i->cycles);
		json_int(j, "iterations", i->iterations);
		json_end(j);
	}
	json_end(j);
}
