/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines, settings, workloads and programs of Ascend-style machines.
 */
#include "tools/asc.h"

#include <string.h>

#include "sched/emit/ascend/ascend.h"
#include "tools/method.h"
#include "tools/progress.h"
#include "tools/setup.h"

bool ascend_setup_init(ascend_setup *s, const char *name, char **sets, GError **error)
{
	setup_sides sides;

	*s = (ascend_setup){0};
	s->sched = asc_machine_load(name ? name : ASCEND_DEFAULT_MACHINE, error);
	if (!s->sched)
		return false;
	s->hw = asc_machine_copy(s->sched);
	sides = (setup_sides){"ascend", s->sched, s->hw, &s->frontend};
	if (setup_apply(&sides, sets, error) && asc_machine_finish(s->sched, error) && asc_machine_finish(s->hw, error))
		return true;
	ascend_setup_fini(s);
	return false;
}

void ascend_setup_fini(ascend_setup *s)
{
	asc_machine_free(s->sched);
	asc_machine_free(s->hw);
	setup_frontend_fini(&s->frontend);
	*s = (ascend_setup){0};
}

/* Kinds of sub-cores, bit asc_kind, that the .stream lines of assembly TEXT name. */
static unsigned kinds_of_text(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned kinds = 0;

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit_set(g_strstrip(*line), " \t;", 3);

		if (g_strcmp0(words[0], ".stream") != 0 || !words[1])
			continue;
		for (unsigned k = 0; k < ASC_KINDS; k++)
			kinds |= strcmp(words[1], asc_kind_name((enum asc_kind)k)) == 0 ? 1u << k : 0;
	}
	return kinds;
}

static unsigned kinds_of_program(const asc_program *program)
{
	unsigned kinds = 0;

	for (guint i = 0; i < program->streams->len; i++)
		kinds |= 1u << ((const asc_stream *)g_ptr_array_index(program->streams, i))->kind;
	return kinds;
}

static bool has_kinds(const char *name, unsigned kinds)
{
	asc_machine *machine = asc_machine_load(name, NULL);
	bool all = machine && asc_machine_finish(machine, NULL);

	for (unsigned k = 0; all && k < ASC_KINDS; k++)
		all = !(kinds >> k & 1) || asc_machine_has_kind(machine, (enum asc_kind)k);
	asc_machine_free(machine);
	return all;
}

/* The machine for a program of these KINDS that names none; g_free. */
static char *default_machine(unsigned kinds)
{
	g_auto(GStrv) names = asc_machine_names();

	for (char **name = names; *name && !has_kinds(ASCEND_DEFAULT_MACHINE, kinds); name++)
		if (has_kinds(*name, kinds))
			return g_strdup(*name);
	return g_strdup(ASCEND_DEFAULT_MACHINE);
}

/* Sets up the machines for a program of KINDS that names OWN (or NULL). */
static bool init_for(ascend_setup *s, const char *path, const char *own, unsigned kinds, const char *name, char **sets,
                     GError **error)
{
	g_autofree char *fallback = name || own ? NULL : default_machine(kinds);

	if (ascend_setup_init(s, name ? name : own ? own : fallback, sets, error))
		return true;
	if (!name && own)
		g_prefix_error(error, "%s is for machine '%s': ", path, own);
	return false;
}

static asc_program *read_file(ascend_setup *s, const char *path, const char *name, char **sets, GError **error)
{
	asc_program *program = asc_program_read(path, error);

	if (program && !init_for(s, path, program->machine_name, kinds_of_program(program), name, sets, error))
		g_clear_pointer(&program, asc_program_free);
	return program;
}

static asc_program *assemble(ascend_setup *s, const char *path, const char *name, char **sets, GError **error)
{
	g_autofree char *text = setup_read_text(path, error);
	g_autofree char *own = text ? setup_named_machine(text) : NULL;

	return text && init_for(s, path, own, kinds_of_text(text), name, sets, error)
	               ? asc_assemble(text, path, s->sched, error)
	               : NULL;
}

asc_program *ascend_open(ascend_setup *s, const char *path, const char *name, char **sets, GError **error)
{
	bool binary = setup_is_container(path);
	asc_program *program;

	*s = (ascend_setup){0};
	program = binary ? read_file(s, path, name, sets, error) : assemble(s, path, name, sets, error);
	if (program && !asc_check(program, s->hw, error)) {
		g_prefix_error(error, "%s: ", path);
		g_clear_pointer(&program, asc_program_free);
	}
	if (!program)
		ascend_setup_fini(s);
	return program;
}

asc_program *ascend_compile(const ascend_setup *s, const ascend_schedule *how, GPtrArray **graphs, sched_report *report,
                            GError **error)
{
	frontend_target target = frontend_target_ascend();
	sched_options options;
	asc_program *program;

	*graphs = NULL;
	if (!setup_check_workload(how->workload, error))
		return NULL;
	sched_options_init(&options);
	options.seed = how->seed;
	options.functional = how->functional;
	if (how->priority && !setup_parse_priority(how->priority, &options, error))
		return NULL;
	*graphs = frontend_read_for(how->workload, &target, &s->frontend, error);
	if (!*graphs)
		return NULL;
	if (how->functional && !setup_fill_inputs(*graphs, how->seed, how->specials, error)) {
		g_clear_pointer(graphs, g_ptr_array_unref);
		return NULL;
	}
	options.progress = progress_update;
	options.progress_state = progress_begin("scheduling");
	if (how->search)
		method_begin(how->search, &options);
	program = sched_ascend_compile(*graphs, s->sched, &options, report, error);
	method_end();
	progress_end(options.progress_state);
	if (program) {
		g_free(program->workload);
		program->workload = g_strdup(how->workload);
	} else {
		/* Of a table with many layers, the layer alone says little. */
		if (frontend_is_file(how->workload))
			g_prefix_error(error, "%s: ", how->workload);
		g_clear_pointer(graphs, g_ptr_array_unref);
	}
	return program;
}
