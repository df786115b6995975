/* SPDX-License-Identifier: Apache-2.0
 *
 * From the command line of `tspsim bank search` to a search and its files.
 */
#include "tools/bank_search.h"

#include <string.h>

#include "tools/bank.h"
#include "tools/progress.h"
#include "tools/tool.h"

enum { SEARCH_K = 64 };

static const struct {
	bool train;
	const char *pattern;
} mixes[] = {
#define BANK_MIX(train, pattern) {train, pattern},
#include "tools/bank_mixes.def"
};

/* Accesses of a group; 0 when the command line says nothing. */
static bool group_size(unsigned *k, GError **error)
{
	guint64 value = 0;

	*k = 0;
	if (!bank_setting.k)
		return true;
	if (!g_ascii_string_to_unsigned(bank_setting.k, 10, 1, BANK_PATTERN_MAX_LANES, &value, NULL)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank search: --k takes one number from 1 to %d, not '%s'", BANK_PATTERN_MAX_LANES,
		            bank_setting.k);
		return false;
	}
	*k = (unsigned)value;
	return true;
}

/* Appends the sources of a pattern, or of a file; FIRST 0 or 1: every other group from that one, 2: all. */
static bool add(GPtrArray *list, const char *text, bool file, unsigned k, uint64_t seed, unsigned first, GError **error)
{
	g_autoptr(GPtrArray) sources = g_ptr_array_new();
	bank_pattern_options options;
	bool merge = bank_setting.merge && !strcmp(bank_setting.merge, "on");

	if (file) {
		bank_source *source = bank_file_source(text, k, error);

		if (!source)
			return false;
		g_ptr_array_add(sources, source);
	} else {
		bank_pattern_settings(k ? k : SEARCH_K, &options);
		options.seed = seed;
		if (!bank_pattern_sources(text, &options, sources, error))
			return false;
	}
	for (unsigned i = 0; i < sources->len; i++) {
		bank_source *source = g_ptr_array_index(sources, i);
		bool merges = bank_setting.merge ? merge : bank_pattern_merges(source);

		if (first < 2)
			source = bank_source_every(source, 2, first);
		g_ptr_array_add(list, bank_search_source_new(source, merges));
	}
	return true;
}

static bool add_mixes(bank_search_options *o, unsigned k, GError **error)
{
	uint64_t seed = (uint64_t)bank_setting.seed;

	for (size_t i = 0; i < G_N_ELEMENTS(mixes); i++) {
		bool train = mixes[i].train;

		if (train || !bank_setting.hold_out)
			if (!add(train ? o->train : o->held, mixes[i].pattern, false, k, train ? seed : seed + 1, 2,
			         error))
				return false;
	}
	return true;
}

static bool add_given(bank_search_options *o, unsigned k, bool alternate, GError **error)
{
	uint64_t seed = (uint64_t)bank_setting.seed;

	for (unsigned half = 0; half < (alternate ? 2 : 1); half++) {
		GPtrArray *list = half ? o->held : o->train;
		unsigned first = alternate ? half : 2;

		for (char **text = bank_setting.patterns; text && *text; text++)
			if (!add(list, *text, false, k, seed, first, error))
				return false;
		for (char **path = bank_setting.addresses; path && *path; path++)
			if (!add(list, *path, true, k, seed, first, error))
				return false;
	}
	return true;
}

static bool add_sources(bank_search_options *o, bank_split *split, GError **error)
{
	bool given = bank_setting.patterns || bank_setting.addresses;
	unsigned k;

	for (char **path = bank_setting.addresses; path && *path; path++)
		if (!strcmp(*path, "-")) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "bank search: expected a file; standard input cannot be read again");
			return false;
		}
	*split = bank_setting.hold_out ? BANK_SPLIT_GIVEN : given ? BANK_SPLIT_ALTERNATE : BANK_SPLIT_MIXES;
	if (!group_size(&k, error) ||
	    !(given ? add_given(o, k, *split == BANK_SPLIT_ALTERNATE, error) : add_mixes(o, k, error)))
		return false;
	for (char **text = bank_setting.hold_out; text && *text; text++)
		if (!add(o->held, *text, g_file_test(*text, G_FILE_TEST_EXISTS), k, (uint64_t)bank_setting.seed + 1, 2,
		         error))
			return false;
	return true;
}

static int search_with(bank_search_options *o, GError **error)
{
	bank_found found = {.options = o};
	progress *line = progress_begin("search");
	bank_search_result *result = NULL;
	g_autofree char *text = NULL;
	int status = TOOL_USER_ERROR;

	o->progress = progress_update;
	o->progress_state = line;
	if (add_sources(o, &found.split, error))
		result = bank_search(o, error);
	progress_end(line);
	if (!result)
		return status;
	found.result = result;
	text = tool_json ? bank_search_json(&found) : bank_search_text(&found);
	if ((!bank_setting.out || bank_search_write(&found, bank_setting.out, error)) && tool_print(text, error))
		status = TOOL_OK;
	bank_search_result_free(result);
	return status;
}

int bank_search_verb(int argc, char **argv, GError **error)
{
	const bank_settings *s = &bank_setting;
	bank_search_options o = {.banks = (unsigned)s->banks,
	                         .rows = (uint64_t)s->rows,
	                         .most_gates = s->max_gates,
	                         .steps = (uint64_t)s->steps,
	                         .restarts = (unsigned)s->restarts,
	                         .seed = (uint64_t)s->seed,
	                         .threads = s->jobs ? (unsigned)s->jobs : g_get_num_processors()};
	int status;

	if (argc) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank search: unexpected argument '%s'", argv[0]);
		return TOOL_USER_ERROR;
	}
	if (s->banks < 2) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank search: --banks takes a number from 2, not %d",
		            s->banks);
		return TOOL_USER_ERROR;
	}
	bank_options_init(&o.model);
	o.model.ports = (unsigned)s->ports;
	o.model.busy_cycles = (unsigned)s->busy;
	o.model.separate = s->rw && !strcmp(s->rw, "separate");
	o.model.groups = (unsigned)s->bank_groups;
	if (s->priority && !bank_priority_parse(s->priority, &o.model.priority, error))
		return TOOL_USER_ERROR;
	o.model.warmup_cycles = (uint64_t)s->warmup;
	o.model.measure_cycles = (uint64_t)s->measure;
	o.measure = s->yosys ? bank_yosys_measure : NULL;
	o.train = g_ptr_array_new_with_free_func(bank_search_source_free);
	o.held = g_ptr_array_new_with_free_func(bank_search_source_free);
	o.given = g_ptr_array_new();
	for (char **text = s->maps; *text && s->maps_given; text++)
		g_ptr_array_add(o.given, *text);
	status = search_with(&o, error);
	g_ptr_array_free(o.given, TRUE);
	g_ptr_array_free(o.train, TRUE);
	g_ptr_array_free(o.held, TRUE);
	return status;
}
