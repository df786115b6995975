/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines, settings, workloads, programs: what the commands run, sched, asm and dis have in common.
 */
#include "tools/setup.h"

#include "isa/ascend/ascend.h"
#include "isa/file.h"

#include <string.h>
#include <unistd.h>

#include "sched/capacity.h"
#include "tools/keys.h"
#include "tools/method.h"
#include "tools/progress.h"
#include "tools/tool.h"

/* The CSV front end's keys and where their values go. */
static const struct csv_key {
	const char *name;
	size_t offset;
} csv_keys[] = {
	{"csv.form", G_STRUCT_OFFSET(frontend_options, csv_form)},
	{"csv.dialect", G_STRUCT_OFFSET(frontend_options, csv_dialect)},
	{"csv.dtype", G_STRUCT_OFFSET(frontend_options, csv_dtype)},
};

static const char **csv_value(frontend_options *options, const struct csv_key *key)
{
	return (const char **)(void *)((char *)options + key->offset);
}

static bool set_csv(frontend_options *options, const char *name, const char *value, GError **error)
{
	const char *names[G_N_ELEMENTS(csv_keys) + 1] = {0};

	for (size_t i = 0; i < G_N_ELEMENTS(csv_keys); i++) {
		names[i] = csv_keys[i].name;
		if (strcmp(name, csv_keys[i].name) == 0) {
			const char **slot = csv_value(options, &csv_keys[i]);

			g_free((char *)*slot);
			*slot = g_strdup(value);
			return true;
		}
	}
	tool_unknown(error, "key", name, names);
	return false;
}

static bool apply_set(const setup_sides *sides, const char *text, GError **error)
{
	const char *equals = strchr(text, '=');
	g_autofree char *key = NULL;
	const char *value;

	if (!equals || equals == text) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "--set %s: expected [sched.|hw.]KEY=VALUE", text);
		return false;
	}
	key = g_strndup(text, (gsize)(equals - text));
	value = equals + 1;
	if (g_str_has_prefix(key, "csv."))
		return set_csv(sides->frontend, key, value, error);
	if (g_str_has_prefix(key, "sched."))
		return keys_set(sides->kind, sides->sched, key + strlen("sched."), value, error);
	if (g_str_has_prefix(key, "hw."))
		return keys_set(sides->kind, sides->hw, key + strlen("hw."), value, error);
	return keys_set(sides->kind, sides->sched, key, value, error) &&
	       keys_set(sides->kind, sides->hw, key, value, error);
}

bool setup_apply(const setup_sides *sides, char **sets, GError **error)
{
	for (char **set = sets; set && *set; set++)
		if (!apply_set(sides, *set, error))
			return false;
	return true;
}

void setup_frontend_fini(frontend_options *options)
{
	for (size_t i = 0; i < G_N_ELEMENTS(csv_keys); i++)
		g_free((char *)*csv_value(options, &csv_keys[i]));
	*options = (frontend_options){0};
}

bool setup_init(setup *s, const char *name, char **sets, GError **error)
{
	setup_sides sides;

	*s = (setup){0};
	s->sched = isa_machine_load(name ? name : SETUP_DEFAULT_MACHINE, error);
	if (!s->sched)
		return false;
	s->hw = isa_machine_copy(s->sched);
	sides = (setup_sides){"tsp", s->sched, s->hw, &s->frontend};
	if (!setup_apply(&sides, sets, error) || !isa_machine_finish(s->sched, error) ||
	    !isa_machine_finish(s->hw, error))
		goto fail;
	return true;
fail:
	setup_fini(s);
	return false;
}

void setup_fini(setup *s)
{
	isa_machine_free(s->sched);
	isa_machine_free(s->hw);
	setup_frontend_fini(&s->frontend);
	*s = (setup){0};
}

bool setup_is_program(const char *word)
{
	return g_str_has_suffix(word, ".tsp") || (!frontend_is_file(word) && setup_is_container(word));
}

char *setup_read_text(const char *path, GError **error)
{
	char *text;
	gsize length;

	if (!(text = tsp_file_read(path, &length, error)))
		return NULL;
	if (strlen(text) == length)
		return text;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: a zero byte at offset %zu: not assembly text", path,
	            strlen(text));
	g_free(text);
	return NULL;
}

char *setup_named_machine(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit_set(g_strstrip(*line), " \t;", 3);

		if (g_strcmp0(words[0], ".machine") == 0 && words[1] && *words[1])
			return g_strdup(words[1]);
	}
	return NULL;
}

/* Sets up the machines for assembly TEXT and assembles it. */
static isa_program *assemble(setup *s, const char *path, const char *text, const char *name, char **sets,
                             GError **error)
{
	g_autofree char *own = setup_named_machine(text);
	isa_program *program;

	if (!setup_init(s, name ? name : own, sets, error)) {
		if (!name && own)
			g_prefix_error(error, "%s is for machine '%s': ", path, own);
		return NULL;
	}
	program = isa_assemble(text, path, s->sched, error);
	if (program && !isa_lower(program, s->sched, error)) {
		g_prefix_error(error, "%s: ", path);
		g_clear_pointer(&program, isa_program_free);
	}
	if (!program)
		setup_fini(s);
	return program;
}

bool setup_is_container(const char *path)
{
	char head[8] = {0};
	FILE *file;

	if (g_str_has_suffix(path, ".tspo"))
		return true;
	/* Opening a pipe would take what is in it. */
	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return false;
	file = fopen(path, "rb");
	if (!file)
		return false;
	if (!fread(head, 1, sizeof head - 1, file))
		head[0] = '\0';
	fclose(file);
	return g_str_has_prefix(head, ISA_MAGIC) || g_str_has_prefix(head, ASC_MAGIC);
}

isa_program *setup_open(setup *s, const char *path, const char *name, char **sets, GError **error)
{
	isa_program *program = NULL;
	g_autofree char *text = NULL;

	*s = (setup){0};
	if (setup_is_container(path)) {
		program = isa_program_read(path, error);
		if (!program)
			return NULL;
		if (!setup_init(s, name ? name : program->machine_name, sets, error)) {
			if (!name)
				g_prefix_error(error, "%s was made for machine '%s': ", path, program->machine_name);
			g_clear_pointer(&program, isa_program_free);
		}
		return program;
	}
	text = setup_read_text(path, error);
	return text ? assemble(s, path, text, name, sets, error) : NULL;
}

bool setup_parse_priority(const char *text, sched_options *options, GError **error)
{
	double *const weights[] = {&options->alpha, &options->beta, &options->gamma};
	g_auto(GStrv) parts = g_strsplit(text, ",", -1);

	for (unsigned i = 0; i < G_N_ELEMENTS(weights); i++) {
		char *end = NULL;

		if (g_strv_length(parts) != G_N_ELEMENTS(weights))
			break;
		*weights[i] = g_ascii_strtod(parts[i], &end);
		if (end == parts[i] || *end || !(*weights[i] >= 0 && *weights[i] <= 1e9))
			break;
		if (i + 1 == G_N_ELEMENTS(weights))
			return true;
	}
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "--priority %s: expected ALPHA,BETA,GAMMA, three numbers from 0 to 1e9", text);
	return false;
}

bool setup_fill_inputs(GPtrArray *graphs, uint64_t seed, bool specials, GError **error)
{
	uint64_t host = (uint64_t)MAX(sysconf(_SC_PHYS_PAGES), 0) * (uint64_t)MAX(sysconf(_SC_PAGESIZE), 0);

	for (guint i = 0; i < graphs->len; i++) {
		const graph *g = g_ptr_array_index(graphs, i);
		uint64_t bytes = sched_layer_bytes(g);

		if (host && bytes > host) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "layer '%s': its operands and results have %" G_GUINT64_FORMAT
			            " bytes, this host has %" G_GUINT64_FORMAT "; --functional needs them all",
			            g->name, bytes, host);
			return false;
		}
	}
	for (guint i = 0; i < graphs->len; i++)
		graph_fill_inputs(g_ptr_array_index(graphs, i), seed + i, specials);
	return true;
}

isa_program *setup_compile(const setup *s, const setup_schedule *how, GPtrArray **graphs, sched_report *report,
                           GError **error)
{
	sched_options options;
	isa_program *program;

	sched_options_init(&options);
	options.seed = how->seed;
	options.functional = how->functional;
	options.placement = how->placement;
	options.ideal_banks = how->ideal_banks;
	options.brief = how->brief || (tool_quiet && !tool_json);
	options.progress = progress_update;
	options.progress_state = progress_begin("scheduling");
	*graphs = NULL;
	if (!setup_check_workload(how->workload, error))
		return NULL;
	if (how->priority && !setup_parse_priority(how->priority, &options, error))
		return NULL;
	*graphs = frontend_read(how->workload, s->sched, &s->frontend, error);
	if (!*graphs)
		return NULL;
	/* The scheduler says what does not fit the machine, and needs no values for that. */
	if (how->functional && sched_check_capacity(*graphs, s->sched, NULL) &&
	    !setup_fill_inputs(*graphs, how->seed, how->specials, error)) {
		progress_end(options.progress_state);
		g_clear_pointer(graphs, g_ptr_array_unref);
		return NULL;
	}
	if (how->search)
		method_begin(how->search, &options);
	program = sched_compile(*graphs, s->sched, &options, report, error);
	method_end();
	if (program) {
		g_free(program->workload);
		program->workload = g_strdup(how->workload);
	}
	progress_end(options.progress_state);
	if (!program) {
		/* Of a table with many layers, the layer alone says little. */
		if (frontend_is_file(how->workload))
			g_prefix_error(error, "%s: ", how->workload);
		g_clear_pointer(graphs, g_ptr_array_unref);
	}
	return program;
}
