/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank: what its verbs share, and the evaluation that `eval` reports.  An evaluation is the product of sources
 * (patterns or address files, for each k), timing models and maps; each combination is one bank_row.
 */
#ifndef TSPSIM_TOOLS_BANK_H
#define TSPSIM_TOOLS_BANK_H

#include "bank/metrics.h"
#include "bank/model.h"
#include "bank/pattern.h"
#include "tools/json.h"

#include <glib.h>

/* Options of the command line as typed; numbers are 0 when not given. */
typedef struct bank_settings {
	char **maps, **patterns, **addresses; /* NULL-terminated or NULL */
	char *from, *plot;
	char *k, *models, *merge, *rw, *rules, *format, *priority, *only, *matrix;
	gint ports, busy, banks, bank_groups, wave, phase, window, element_bytes;
	gint64 rows, block_bytes, groups, footprint, warmup, measure, seed;
	gdouble latency, t_base;
	gboolean blocks, allow_aliasing, details, summary;
	gboolean maps_given; /* on the command line */
	/* search */
	char **hold_out;
	char *out;
	gint restarts, jobs;
	gint64 steps;
	gdouble max_gates;
	gboolean yosys;
} bank_settings;

extern bank_settings bank_setting;

/* A verb of `tspsim bank`, a row of tools/bank_verbs.def. */
typedef struct bank_verb {
	const char *name, *doc;
	int (*run)(int argc, char **argv, GError **error); /* words after the verb */
} bank_verb;

typedef struct bank_row {
	char *pattern;
	const char *group_name; /* the text on the command line that the pattern came from */
	unsigned k;             /* 0: groups are the lines of the file */
	const bankmap *map;
	bool merge;
	uint64_t block_bytes; /* 0: laid out in blocks */
	uint64_t highest_block;
	bank_result result;
	const bank_bits *bits; /* of the source; NULL in summaries */
	char *who[2];          /* of a trace: whose the first conflict's requests are, as bank_result's first_block */
} bank_row;

typedef struct bank_evaluation {
	GPtrArray *maps; /* bankmap */
	GPtrArray *rows; /* bank_row */
	GPtrArray *bits; /* bank_bits */
	unsigned banks;
	uint64_t rows_per_bank, block_bytes, seed;
	bank_options options; /* ports, busy, rules as used */
	double latency, t_base;
} bank_evaluation;

/* Fills in what --rules says where the command line is silent; checks ranges. */
bool bank_settings_finish(GError **error);
/* A map of the command line, refused when it is not injective unless --allow-aliasing. */
bankmap *bank_map_of(const char *text, GError **error);
/* What the command line says of patterns. */
void bank_pattern_settings(unsigned k, bank_pattern_options *options);
/* A file of addresses; k 0: groups are its lines. */
bank_source *bank_file_source(const char *path, unsigned k, GError **error);
bank_evaluation *bank_evaluation_run(GError **error);
void bank_evaluation_free(bank_evaluation *e);

char *bank_report_text(const bank_evaluation *e); /* g_free */
char *bank_report_json(const bank_evaluation *e); /* g_free */

/* Means over the rows that came from one text on the command line with one k, map and model. */
typedef struct bank_summary {
	const bank_row *first;
	unsigned sources;
	double request_conflict, group_conflict, excess, mean_delay, slowdown; /* means, each source alike */
	const bank_row *worst;                                                 /* by request conflict */
} bank_summary;

GArray *bank_summaries(const bank_evaluation *e); /* of bank_summary, in order of appearance */

/* A table for people.  Heads first, then a row's cells from left to right; the table owns their texts. */
typedef struct bank_table {
	GPtrArray *cells;
	unsigned columns;
	unsigned left;     /* columns that are aligned to the left; the rest to the right */
	bool last_is_text; /* the last column is, too */
} bank_table;

void bank_table_heads(bank_table *t, const char *const *names); /* NULL-terminated; first of all */
void bank_table_cell(bank_table *t, char *text);
void bank_table_end(bank_table *t, GString *out); /* prints and frees the cells */

/* --matrix: is the figure one?  The table. */
bool bank_matrix_check(GError **error);
void bank_matrix_text(GString *out, const bank_evaluation *e);

/* FACTS as an object of J, an element of an array or the whole. */
void bank_facts_json(json *j, const bankmap *map, const bankmap_facts *facts);

int bank_search_verb(int argc, char **argv, GError **error);
int bank_explain(int argc, char **argv, GError **error);

#endif
