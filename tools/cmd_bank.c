/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank [eval]: bank maps on streams of accesses under three timing models; its other verbs are in
 * tools/bank_verbs.def.
 */
#include <string.h>

#include "tools/bank.h"
#include "tools/bank_effect.h"
#include "tools/bank_plot.h"
#include "tools/options.h"
#include "tools/tool.h"

bank_settings bank_setting = {
	.seed = 1,
	.steps = 10000,
	.restarts = 2,
};

/* Of effect. */
static char *workload, *machine;
static char **sets;
static gint tie_breaks;

static const GOptionEntry options[] = {
	{"map", 0, 0, G_OPTION_ARG_STRING_ARRAY, &bank_setting.maps,
         "bank map, such as skew:144,5 (`tspsim list maps`); may be repeated (default: mod:139)", "MAP"},
	{"pattern", 0, 0, G_OPTION_ARG_STRING_ARRAY, &bank_setting.patterns,
         "built-in pattern, such as s16, tr1024/32B, stride:1..1024 (`tspsim list patterns`); A..B, A..B:STEP and "
         "A..B*FACTOR are ranges; may be repeated",
         "PATTERN"},
	{"addresses", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &bank_setting.addresses,
         "file of addresses, a group a line, or a trace; - is standard input; may be repeated", "FILE"},
	{"from", 0, 0, G_OPTION_ARG_FILENAME, &bank_setting.from,
         "the accesses of a traced run (level full); memory and map are the machine's unless given", "FILE.db"},
	{"plot", 0, 0, G_OPTION_ARG_STRING, &bank_setting.plot,
         "draw the results: stride, pitch, queue, entropy or bars (`tspsim list plots`)", "KIND"},
	{"out", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &bank_setting.out, "--output", "FILE"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &bank_setting.out,
         "the file of --plot (.png, .svg, .pdf, or .tsv for its numbers); search: the front as CSV, found maps and "
         "certificates beside it",
         "FILE"},
	{"blocks", 0, 0, G_OPTION_ARG_NONE, &bank_setting.blocks, "numbers are blocks, not byte addresses", NULL},
	{"format", 0, 0, G_OPTION_ARG_STRING, &bank_setting.format, "format of the files (default: recognised)",
         "FORMAT"},
	{"only", 0, 0, G_OPTION_ARG_STRING, &bank_setting.only, "take the reads or the writes of files and traces only",
         "reads|writes"},
	{"phase", 0, 0, G_OPTION_ARG_INT, &bank_setting.phase,
         "present longer groups of the files in phases of N accesses (default: at once)", "N"},
	{"k", 'k', 0, G_OPTION_ARG_STRING, &bank_setting.k,
         "accesses of a group; several as 16,64 (default: 16 for patterns, the lines of a file)", "K"},
	{"model", 0, 0, G_OPTION_ARG_STRING, &bank_setting.models,
         "lockstep, fifo, closed; several separated by commas (default: lockstep)", "MODEL"},
	{"ports", 0, 0, G_OPTION_ARG_INT, &bank_setting.ports, "ports of a bank (default: 1)", "N"},
	{"busy", 0, 0, G_OPTION_ARG_INT, &bank_setting.busy, "cycles that a request holds a port (default: 1)", "N"},
	{"merge", 0, 0, G_OPTION_ARG_STRING, &bank_setting.merge,
         "on: accesses of a group to one block count once (default: off, but for patterns defined with it)", "on|off"},
	{"block-bytes", 0, 0, G_OPTION_ARG_INT64, &bank_setting.block_bytes, "bytes of a block (default: 320)", "N"},
	{"banks", 0, 0, G_OPTION_ARG_INT, &bank_setting.banks, "banks of the memory (default: 144)", "N"},
	{"rows", 0, 0, G_OPTION_ARG_INT64, &bank_setting.rows, "blocks of a bank (default: 5000)", "N"},
	{"rw", 0, 0, G_OPTION_ARG_STRING, &bank_setting.rw,
         "separate: ports for reads and as many for writes (default: shared)", "shared|separate"},
	{"bank-groups", 0, 0, G_OPTION_ARG_INT, &bank_setting.bank_groups,
         "bank b belongs to bank group b mod N, which begins one read and one write at a time (default: none)", "N"},
	{"rules", 0, 0, G_OPTION_ARG_STRING, &bank_setting.rules,
         "a published memory: ub, the Ascend unified buffer; sets what is not given otherwise", "NAME"},
	{"groups", 0, 0, G_OPTION_ARG_INT64, &bank_setting.groups,
         "groups of a pattern at most (default: 2048; fft: all)", "N"},
	{"footprint", 0, 0, G_OPTION_ARG_INT64, &bank_setting.footprint, "blocks that patterns use (default: 635000)",
         "N"},
	{"wave", 0, 0, G_OPTION_ARG_INT, &bank_setting.wave, "lanes of a wave, presented in phases of k (default: k)",
         "N"},
	{"element-bytes", 0, 0, G_OPTION_ARG_INT, &bank_setting.element_bytes,
         "bytes of an element (default: the pattern's)", "N"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &bank_setting.seed, "seed of random patterns (default: 1)", "N"},
	{"priority", 0, 0, G_OPTION_ARG_STRING, &bank_setting.priority,
         "closed: rotating (stream t mod k is first in cycle t; the default) or round-robin (per bank)", "PRIORITY"},
	{"warmup", 0, 0, G_OPTION_ARG_INT64, &bank_setting.warmup, "closed: cycles before counting (default: 0)", "N"},
	{"cycles", 0, 0, G_OPTION_ARG_INT64, &bank_setting.measure, "closed: cycles to count (default: to the end)",
         "N"},
	{"window", 0, 0, G_OPTION_ARG_INT, &bank_setting.window,
         "requests of a window for windowed entropy (default: k, at least 16)", "N"},
	{"latency", 0, 0, G_OPTION_ARG_DOUBLE, &bank_setting.latency,
         "T_lat, cycles of an access that does not wait (default: those of --busy)", "T"},
	{"base", 0, 0, G_OPTION_ARG_DOUBLE, &bank_setting.t_base,
         "T_base of the textbook's formula (default: as --latency)", "T"},
	{"allow-aliasing", 0, 0, G_OPTION_ARG_NONE, &bank_setting.allow_aliasing,
         "take maps under which blocks share a place, for analysis", NULL},
	{"summary", 0, 0, G_OPTION_ARG_NONE, &bank_setting.summary,
         "means over the sources of a pattern with ranges instead of a row for each", NULL},
	{"matrix", 0, 0, G_OPTION_ARG_STRING, &bank_setting.matrix,
         "one figure only, maps side by side: req, grp, exc, mean, p99, max, slow, cyc", "FIGURE"},
	{"details", 0, 0, G_OPTION_ARG_NONE, &bank_setting.details,
         "occupancy, entropies, access times, histograms for every row, not only for a single one", NULL},
	{"workload", 'w', 0, G_OPTION_ARG_FILENAME, &workload, "effect: the workload (default: `run`'s)", "WORKLOAD"},
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine, "effect: the machine (default: tsp)", "MACHINE"},
	{"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets, "effect: set a machine key; may be repeated", "KEY=VALUE"},
	{"tie-breaks", 0, 0, G_OPTION_ARG_INT, &tie_breaks, "effect: ways to break ties (default: 10)", "N"},
	{"hold-out", 0, 0, G_OPTION_ARG_STRING_ARRAY, &bank_setting.hold_out,
         "search: pattern or file that maps are scored on but not chosen by (default: every other group); repeatable",
         "PATTERN|FILE"},
	{"max-gates", 0, 0, G_OPTION_ARG_DOUBLE, &bank_setting.max_gates,
         "search: NAND2 equivalents of a map on the front at most (default: any)", "G"},
	{"steps", 0, 0, G_OPTION_ARG_INT64, &bank_setting.steps,
         "search: annealing steps of each chain; 0: no annealing (default: 10000)", "N"},
	{"restarts", 0, 0, G_OPTION_ARG_INT, &bank_setting.restarts,
         "search: chains for each price of an XOR2 (default: 2)", "N"},
	{"jobs", 'j', 0, G_OPTION_ARG_INT, &bank_setting.jobs,
         "search: threads; they change no result (default: processors)", "N"},
	{"yosys", 0, 0, G_OPTION_ARG_NONE, &bank_setting.yosys,
         "search: synthesise the reported maps with yosys instead of estimating their gates", NULL},
	{0},
};

static int run_eval(int argc, char **argv, GError **error)
{
	bank_evaluation *e;
	int status = TOOL_USER_ERROR;

	if (argc) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank: unexpected argument '%s'", argv[0]);
		return TOOL_USER_ERROR;
	}
	if (!bank_setting.patterns && !bank_setting.addresses && !bank_setting.from) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "bank: nothing to evaluate; give --pattern (such as stride:1..16), --addresses or --from");
		return TOOL_USER_ERROR;
	}
	if (!bank_plot_check(bank_setting.plot, bank_setting.out, error))
		return TOOL_USER_ERROR;
	e = bank_evaluation_run(error);
	if (e && bank_setting.plot) {
		if (bank_plot(e, bank_setting.plot, bank_setting.out, error))
			status = TOOL_OK;
	} else if (e) {
		g_autofree char *text = tool_json ? bank_report_json(e) : bank_report_text(e);

		if (tool_print(text, error))
			status = TOOL_OK;
	}
	if (e)
		bank_evaluation_free(e);
	return status;
}

static int run_effect(int argc, char **argv, GError **error)
{
	bank_effect_options o = {.machine = machine,
	                         .workload = workload,
	                         .sets = sets,
	                         .maps = bank_setting.maps,
	                         .seeds = (unsigned)tie_breaks};

	if (argc) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "bank effect: unexpected argument '%s'", argv[0]);
		return TOOL_USER_ERROR;
	}
	return bank_effect_main(&o, error);
}

static const bank_verb verbs[] = {
#define BANK_VERB(name, function, doc) {name, doc, function},
#include "tools/bank_verbs.def"
};

/* Is one of the sources held out a file? */
static bool holds_out_file(void)
{
	for (char **text = bank_setting.hold_out; text && *text; text++)
		if (g_file_test(*text, G_FILE_TEST_EXISTS))
			return true;
	return false;
}

/* What options can need, as the command line says it; PLACES words follow the verb. */
static uint64_t what_holds(const bank_verb *verb, int places)
{
	const bank_settings *s = &bank_setting;
	g_auto(GStrv) models = g_strsplit(s->models ? s->models : "", ",", -1);
	uint64_t holds = verb->run == run_eval       ? NEED_EVAL
	                 : verb->run == bank_explain ? NEED_EXPLAIN | (places ? NEED_PLACES : 0)
	                 : verb->run == run_effect   ? NEED_EFFECT
	                                             : NEED_SEARCH;

	if (g_strv_contains((const char *const *)models, "closed"))
		holds |= NEED_CLOSED;
	if (!s->plot)
		holds |= NEED_PRINTED;
	if (!s->plot && !s->summary && !s->matrix)
		holds |= NEED_ROWS;
	if (!s->summary)
		holds |= NEED_EACH;
	if (s->steps)
		holds |= NEED_STEPS;
	return holds_out_file() ? holds | NEED_HELD_FILE : holds;
}

static int run_bank(int argc, char **argv, GError **error)
{
	const char *names[G_N_ELEMENTS(verbs) + 1] = {NULL};
	const bank_verb *verb = argc ? NULL : &verbs[0];

	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		names[i] = verbs[i].name;
		if (argc && strcmp(argv[0], verbs[i].name) == 0)
			verb = &verbs[i];
	}
	if (!verb) {
		tool_unknown(error, "verb of bank", argv[0], names);
		return TOOL_USER_ERROR;
	}
	if (!options_check(what_holds(verb, argc - 1), error) || !bank_settings_finish(error))
		return TOOL_USER_ERROR;
	return verb->run(MAX(argc - 1, 0), argv + MIN(argc, 1), error);
}

const tool_command cmd_bank = {
	.name = "bank",
	.synopsis = "[eval] --map MAP... --pattern PATTERN... | --addresses FILE | --from FILE.db [-k K,...] [--model "
		    "MODEL] [--plot KIND -o FILE] [OPTION...]\n"
		    "explain [ADDRESS...] --map MAP...\n"
		    "effect --map MAP... [-w WORKLOAD] [-m MACHINE] [--set KEY=VALUE] [--tie-breaks N]\n"
		    "search [--pattern PATTERN... | --addresses FILE...] [--hold-out PATTERN|FILE...] [-o FILE] "
		    "[OPTION...]",
	.doc = "Evaluate bank maps, and search for better ones: conflicts, delays and slowdown on patterns and files.",
	.details =
		"eval (the default) prints a row for each source, map, model and k.\n"
		"explain prints the bank and row of addresses or, without any, what the maps are: banks, words lost\n"
		"and shared, gates.\n"
		"effect schedules and simulates a workload under each map and tells their costs apart, or says that\n"
		"there is no difference.\n"
		"search looks for maps that suit the patterns or files (default: strides, an FFT, tiles, a transpose "
		"at\n"
		"k = 64) and prints the front of conflicts, gates and lost words, scored on held-out traffic.\n"
		"A map that is not injective is refused unless --allow-aliasing is given; explain takes any.\n",
	.options = options,
	.min_args = 0,
	.max_args = -1,
	.run = run_bank,
};
