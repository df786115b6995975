/* SPDX-License-Identifier: Apache-2.0
 *
 * From the command line of `tspsim bank eval` to results.  Each source is read once and feeds the runs of all models
 * and maps, so pipes work, and a file of any size takes the memory of one batch.
 */
#include <string.h>

#include "bank/pattern.h"
#include "bank/reader.h"
#include "tools/bank.h"
#include "tools/bank_trace.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/tool.h"

enum {
	DEFAULT_BANKS = 144, /* of the textbook's memory, with its rows and words */
	DEFAULT_ROWS = 5000,
	DEFAULT_BLOCK_BYTES = 320,
	DEFAULT_K = 16,
	MAX_GROUP_SIZES = 64,
};

typedef struct rules_row {
	const char *name;
	unsigned banks, rows, block_bytes, groups;
	bool separate;
	const char *map;
} rules_row;

static const rules_row rules_table[] = {
#define BANK_RULES(name, banks, rows, block_bytes, groups, separate, map, doc, source)                                 \
	{#name, banks, rows, block_bytes, groups, separate, map},
#include "tools/bank_rules.def"
};

static const rules_row *find_rules(const char *name, GError **error)
{
	const char *names[G_N_ELEMENTS(rules_table) + 1] = {NULL};

	for (size_t i = 0; i < G_N_ELEMENTS(rules_table); i++) {
		names[i] = rules_table[i].name;
		if (strcmp(names[i], name) == 0)
			return &rules_table[i];
	}
	tool_unknown(error, "--rules", name, names);
	return NULL;
}

static bool word_of(const char *option, const char *value, const char *first, const char *second, GError **error)
{
	if (!value || strcmp(value, first) == 0 || strcmp(value, second) == 0)
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank: --%s takes %s or %s, not '%s'", option, first, second,
	            value);
	return false;
}

static void set_default(gint *value, gint otherwise)
{
	if (*value == 0)
		*value = otherwise;
}

static void set_default64(gint64 *value, gint64 otherwise)
{
	if (*value == 0)
		*value = otherwise;
}

bool bank_settings_finish(GError **error)
{
	bank_settings *s = &bank_setting;
	const rules_row *rules = s->rules ? find_rules(s->rules, error) : NULL;

	s->maps_given = s->maps != NULL;
	if (s->rules && !rules)
		return false;
	if (rules) {
		const char *map[] = {rules->map, NULL};

		set_default(&s->banks, (gint)rules->banks);
		set_default64(&s->rows, rules->rows);
		set_default64(&s->block_bytes, rules->block_bytes);
		set_default(&s->bank_groups, (gint)rules->groups);
		if (!s->rw)
			s->rw = g_strdup(rules->separate ? "separate" : "shared");
		if (!s->maps)
			s->maps = g_strdupv((char **)map);
	}
	if (s->from && !bank_trace_settings(s->from, s, error))
		return false;
	set_default(&s->banks, DEFAULT_BANKS);
	set_default64(&s->rows, DEFAULT_ROWS);
	set_default64(&s->block_bytes, DEFAULT_BLOCK_BYTES);
	set_default(&s->ports, 1);
	set_default(&s->busy, 1);
	if (!s->maps) {
		const char *map[] = {"mod:139", NULL};

		s->maps = g_strdupv((char **)map);
	}
	/* Those that a trace may have given. */
	return options_number("banks", s->banks, error) && options_number("rows", s->rows, error) &&
	       options_number("block-bytes", s->block_bytes, error) && options_number("ports", s->ports, error) &&
	       options_number("busy", s->busy, error) && word_of("merge", s->merge, "on", "off", error) &&
	       word_of("rw", s->rw, "shared", "separate", error) &&
	       word_of("only", s->only, "reads", "writes", error) && bank_matrix_check(error);
}

bankmap *bank_map_of(const char *text, GError **error)
{
	GError *refused = NULL;
	bankmap *map = bankmap_new(text, (unsigned)bank_setting.banks, (uint64_t)bank_setting.rows, &refused);

	if (map)
		return map;
	map = bankmap_new_analysis(text, (unsigned)bank_setting.banks, (uint64_t)bank_setting.rows, NULL);
	if (map && !bank_setting.allow_aliasing) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s; --allow-aliasing evaluates its conflicts all the same", refused->message);
		g_error_free(refused);
		bankmap_free(map);
		return NULL;
	}
	if (map)
		g_error_free(refused);
	else
		g_propagate_error(error, refused);
	return map;
}

/* Numbers "16,64" to VALUES; their number, 0 on error. */
static unsigned group_sizes(const char *text, unsigned values[MAX_GROUP_SIZES], GError **error)
{
	unsigned count = 0;

	for (const char *at = text;; at++) {
		char *end;
		guint64 value = g_ascii_strtoull(at, &end, 10);

		if (!g_ascii_isdigit(*at) || (*end && *end != ',') || value < 1 || value > BANK_PATTERN_MAX_LANES ||
		    count == MAX_GROUP_SIZES) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "bank: --k takes numbers from 1 to %d, such as 16,64, not '%s'",
			            BANK_PATTERN_MAX_LANES, text);
			return 0;
		}
		values[count++] = (unsigned)value;
		at = end;
		if (!*at)
			return count;
	}
}

static unsigned timing_models(const char *text, enum bank_model values[BANK_MODEL_COUNT], GError **error)
{
	g_auto(GStrv) words = g_strsplit(text, ",", -1);
	unsigned count = 0;

	for (char **word = words; *word && count < BANK_MODEL_COUNT; word++)
		if (!bank_model_parse(*word, &values[count++], error))
			return 0;
	return count;
}

typedef struct job {
	bank_evaluation *e;
	const enum bank_model *models;
	unsigned model_count;
	progress *progress;
} job;

/* Requests of a window for windowed entropy. */
static unsigned window_of(unsigned k)
{
	return bank_setting.window ? (unsigned)bank_setting.window : MAX(k, 16);
}

/* The runs of one source: models by maps. */
static bool new_runs(const job *j, unsigned k, bool merge, GPtrArray *runs, GError **error)
{
	for (unsigned m = 0; m < j->model_count; m++)
		for (unsigned i = 0; i < j->e->maps->len; i++) {
			bank_options options = j->e->options;
			bank_run *run;

			options.map = g_ptr_array_index(j->e->maps, i);
			options.model = j->models[m];
			options.merge = merge;
			options.window_requests = bank_setting.summary ? 0 : window_of(k);
			if (options.model == BANK_CLOSED) {
				options.warmup_cycles = (uint64_t)bank_setting.warmup;
				options.measure_cycles = (uint64_t)bank_setting.measure;
			}
			run = bank_run_new(&options, error);
			if (!run)
				return false;
			g_ptr_array_add(runs, run);
		}
	return true;
}

static bool feed(bank_source *source, GPtrArray *runs, bank_bits *bits, uint64_t *highest, GError **error)
{
	GError *failure = NULL;
	bank_batch batch = {0};
	bool wanted = true;

	while (wanted && bank_source_next(source, &batch, &failure)) {
		uint64_t high = *highest;

		for (size_t i = 0; i < batch.accesses; i++)
			high = MAX(high, batch.blocks[i]);
		*highest = high;
		if (bits)
			bank_bits_add(bits, batch.blocks, batch.accesses);
		wanted = false;
		for (unsigned i = 0; i < runs->len; i++) {
			bank_run_push(g_ptr_array_index(runs, i), &batch);
			wanted |= !bank_run_done(g_ptr_array_index(runs, i));
		}
	}
	bank_batch_clear(&batch);
	if (failure)
		g_propagate_error(error, failure);
	return !failure;
}

static void find_who(bank_source *source, bank_row *row)
{
	const bank_result *r = &row->result;

	if (r->first_group == UINT64_MAX)
		return;
	row->who[0] = bank_trace_who(source, r->first_other_group, r->first_lane[0]);
	row->who[1] = bank_trace_who(source, r->first_group, r->first_lane[1]);
}

static bool evaluate_source(const job *j, bank_source *source, const char *group_name, unsigned k, GError **error)
{
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func((GDestroyNotify)bank_run_free);
	bool merge = bank_setting.merge ? strcmp(bank_setting.merge, "on") == 0 : bank_pattern_merges(source);
	bank_bits *bits = NULL;
	uint64_t highest = 0;
	bool ok;

	/* Where they are reported or drawn. */
	if (!bank_setting.summary && (bank_setting.details || g_strcmp0(bank_setting.plot, "entropy") == 0 ||
	                              j->e->maps->len * j->model_count == 1)) {
		bits = g_new(bank_bits, 1);
		g_ptr_array_add(j->e->bits, bits);
		bank_bits_init(bits, window_of(k));
	}
	ok = new_runs(j, k, merge, runs, error) && feed(source, runs, bits, &highest, error);
	for (unsigned i = 0; ok && i < runs->len; i++) {
		bank_row *row = g_new0(bank_row, 1);

		row->pattern = g_strdup(source->name);
		row->group_name = group_name;
		row->k = k;
		row->map = g_ptr_array_index(j->e->maps, i % j->e->maps->len);
		row->merge = merge;
		row->block_bytes = bank_pattern_block_bytes(source);
		row->highest_block = highest;
		row->bits = bits;
		g_ptr_array_add(j->e->rows, row);
		ok = bank_run_end(g_ptr_array_index(runs, i), &row->result, error);
		if (!ok)
			g_prefix_error(error, "%s: ", source->name);
		else
			find_who(source, row);
		if (bank_setting.summary) {
			g_clear_pointer(&row->result.bank_requests, g_free);
			g_clear_pointer(&row->result.delays, g_free);
		}
	}
	return ok;
}

void bank_pattern_settings(unsigned k, bank_pattern_options *options)
{
	const bank_settings *s = &bank_setting;

	bank_pattern_options_init(options);
	options->k = k;
	options->wave_lanes = (unsigned)s->wave;
	options->block_bytes = (uint64_t)s->block_bytes;
	options->groups = (uint64_t)s->groups;
	options->element_bytes = (unsigned)s->element_bytes;
	options->seed = (uint64_t)s->seed;
	if (s->footprint)
		options->footprint_blocks = (uint64_t)s->footprint;
}

bank_source *bank_file_source(const char *path, unsigned k, GError **error)
{
	bank_reader_options options;

	bank_reader_options_init(&options);
	options.blocks = bank_setting.blocks;
	options.block_bytes = (uint64_t)bank_setting.block_bytes;
	options.k = k;
	options.phase_lanes = (unsigned)bank_setting.phase;
	options.no_writes = bank_setting.only && strcmp(bank_setting.only, "reads") == 0;
	options.no_reads = bank_setting.only && !options.no_writes;
	if (bank_setting.format && !bank_format_parse(bank_setting.format, &options.format, error))
		return NULL;
	return bank_reader_open(path, &options, error);
}

static bool evaluate_patterns(const job *j, unsigned k, GError **error)
{
	for (char **text = bank_setting.patterns; text && *text; text++) {
		g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func((GDestroyNotify)bank_source_free);
		bank_pattern_options options;

		bank_pattern_settings(k ? k : DEFAULT_K, &options);
		if (!bank_pattern_sources(*text, &options, sources, error))
			return false;
		for (unsigned i = 0; i < sources->len; i++) {
			if (!evaluate_source(j, g_ptr_array_index(sources, i), *text, options.k, error))
				return false;
			progress_update(j->progress, (double)(i + 1) / sources->len);
		}
	}
	return true;
}

static bool evaluate_files(const job *j, unsigned k, GError **error)
{
	for (char **path = bank_setting.addresses; path && *path; path++) {
		bank_source *source = bank_file_source(*path, k, error);
		bool ok;

		if (!source)
			return false;
		ok = evaluate_source(j, source, *path, k, error);
		bank_source_free(source);
		if (!ok)
			return false;
	}
	return true;
}

/* The traced run; its groups are what they are, whatever k. */
static bool evaluate_trace(const job *j, GError **error)
{
	const char *only = bank_setting.only;
	bank_source *source;
	bool ok;

	if (!bank_setting.from)
		return true;
	source = bank_trace_open(bank_setting.from, (uint64_t)bank_setting.block_bytes,
	                         only && strcmp(only, "writes") == 0, only && strcmp(only, "reads") == 0, error);
	if (!source)
		return false;
	ok = evaluate_source(j, source, bank_setting.from, 0, error);
	bank_source_free(source);
	return ok;
}

static void free_row(gpointer data)
{
	bank_row *row = data;

	g_free(row->pattern);
	g_free(row->who[0]);
	g_free(row->who[1]);
	bank_result_clear(&row->result);
	g_free(row);
}

static bank_evaluation *evaluation_new(void)
{
	const bank_settings *s = &bank_setting;
	bank_evaluation *e = g_new0(bank_evaluation, 1);

	e->maps = g_ptr_array_new_with_free_func((GDestroyNotify)bankmap_free);
	e->rows = g_ptr_array_new_with_free_func(free_row);
	e->bits = g_ptr_array_new_with_free_func(g_free);
	e->banks = (unsigned)s->banks;
	e->rows_per_bank = (uint64_t)s->rows;
	e->block_bytes = (uint64_t)s->block_bytes;
	e->seed = (uint64_t)s->seed;
	e->latency = s->latency;
	e->t_base = s->t_base;
	bank_options_init(&e->options);
	e->options.ports = (unsigned)s->ports;
	e->options.busy_cycles = (unsigned)s->busy;
	e->options.banks = e->banks;
	e->options.separate = s->rw && strcmp(s->rw, "separate") == 0;
	e->options.groups = (unsigned)s->bank_groups;
	return e;
}

static bool evaluate_all(bank_evaluation *e, GError **error)
{
	enum bank_model models[BANK_MODEL_COUNT];
	unsigned sizes[MAX_GROUP_SIZES] = {0};
	unsigned size_count = 1;
	job j = {.e = e, .models = models};
	bool ok = true;

	if (bank_setting.priority && !bank_priority_parse(bank_setting.priority, &e->options.priority, error))
		return false;
	j.model_count = timing_models(bank_setting.models ? bank_setting.models : "lockstep", models, error);
	if (!j.model_count)
		return false;
	if (bank_setting.k)
		size_count = group_sizes(bank_setting.k, sizes, error);
	if (!size_count)
		return false;
	for (char **text = bank_setting.maps; *text; text++) {
		bankmap *map = bank_map_of(*text, error);

		if (!map)
			return false;
		g_ptr_array_add(e->maps, map);
	}
	j.progress = progress_begin("evaluating");
	for (unsigned i = 0; i < size_count && ok; i++)
		ok = evaluate_patterns(&j, sizes[i], error) && evaluate_files(&j, sizes[i], error);
	ok = ok && evaluate_trace(&j, error);
	progress_end(j.progress);
	return ok;
}

bank_evaluation *bank_evaluation_run(GError **error)
{
	bank_evaluation *e = evaluation_new();

	if (evaluate_all(e, error))
		return e;
	bank_evaluation_free(e);
	return NULL;
}

void bank_evaluation_free(bank_evaluation *e)
{
	g_ptr_array_free(e->rows, TRUE);
	g_ptr_array_free(e->bits, TRUE);
	g_ptr_array_free(e->maps, TRUE);
	g_free(e);
}

GArray *bank_summaries(const bank_evaluation *e)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(bank_summary));

	for (unsigned i = 0; i < e->rows->len; i++) {
		const bank_row *row = g_ptr_array_index(e->rows, i);
		bank_summary *s = NULL;

		for (unsigned n = all->len; n-- > 0 && !s;) {
			bank_summary *other = &g_array_index(all, bank_summary, n);

			if (other->first->group_name == row->group_name && other->first->k == row->k &&
			    other->first->map == row->map && other->first->result.model == row->result.model)
				s = other;
		}
		if (!s) {
			g_array_set_size(all, all->len + 1);
			s = &g_array_index(all, bank_summary, all->len - 1);
			s->first = s->worst = row;
		}
		s->sources++;
		s->request_conflict += bank_request_conflict(&row->result);
		s->group_conflict += bank_group_conflict(&row->result);
		s->excess += bank_excess(&row->result);
		s->mean_delay += bank_mean_delay(&row->result);
		s->slowdown += row->result.slowdown;
		if (bank_request_conflict(&row->result) > bank_request_conflict(&s->worst->result))
			s->worst = row;
	}
	for (unsigned n = 0; n < all->len; n++) {
		bank_summary *s = &g_array_index(all, bank_summary, n);
		double count = s->sources;

		s->request_conflict /= count;
		s->group_conflict /= count;
		s->excess /= count;
		s->mean_delay /= count;
		s->slowdown /= count;
	}
	return all;
}
