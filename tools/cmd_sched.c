/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim sched WORKLOAD -o FILE.tspo: schedule, check the schedule by the independent checker, write the program.
 */
#include "tools/json.h"
#include "tools/setup.h"
#include "tools/tool.h"

static char *machine_name;
static char *output;
static char **sets;
static char *priority;
static gint64 seed = 1;
static gboolean functional;
static gboolean specials;

static const GOptionEntry options[] = {
	{"machine", 'm', 0, G_OPTION_ARG_FILENAME, &machine_name, "schedule for MACHINE (default: tsp)", "MACHINE"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "write the program to FILE", "FILE"},
	{"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sets,
         "set a machine key, or csv.form, csv.dialect, csv.dtype; may be repeated", "KEY=VALUE"},
	{"priority", 0, 0, G_OPTION_ARG_STRING, &priority,
         "weights of critical path, resource use and fan-out in the list priority", "A,B,G"},
	{"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed of tie breaks and of input data (default: 1)", "N"},
	{"functional", 0, 0, G_OPTION_ARG_NONE, &functional, "put input data into the program", NULL},
	{"specials", 0, 0, G_OPTION_ARG_NONE, &specials,
         "put infinities, NaN and extreme integers among the seeded inputs", NULL},
	{0},
};

enum { CHECK_LINES = 10 };

static char *result_text(const isa_program *program, const sched_report *report, const setup *s)
{
	GString *out = g_string_new(NULL);
	g_autofree char *cycles = tool_count((uint64_t)MAX(program->predicted_cycles, 0));
	g_autofree char *time = tool_seconds((double)program->predicted_cycles / (double)s->sched->clock_hz);
	g_autofree char *insns = tool_count(program->insns->len);

	g_string_append_printf(out, "machine      %s\nworkload     %s\n", s->sched->name, program->workload);
	g_string_append_printf(out, "predicted    %s cycles (%s)\ninstructions %s, loops counted once\n", cycles, time,
	                       insns);
	if (report->binds)
		g_string_append_printf(out, "binds        %s\n", report->binds);
	if (report->notes && report->notes->len) {
		g_auto(GStrv) notes = g_strsplit(report->notes->str, "\n", -1);

		for (char **note = notes; *note; note++)
			if (**note)
				g_string_append_printf(out, "             %s\n", *note);
	}
	if (output)
		g_string_append_printf(out, "program      %s\nnext         tspsim run %s --trace run.db\n", output,
		                       output);
	return g_string_free(out, FALSE);
}

static char *result_json(const isa_program *program, const sched_report *report, const setup *s, bool clean)
{
	json *j = json_new();
	g_autofree char *hash = isa_program_hash(program);

	json_object(j, NULL);
	json_string(j, "machine", s->sched->name);
	json_string(j, "workload", program->workload);
	json_int(j, "predicted_cycles", program->predicted_cycles);
	json_uint(j, "instructions", program->insns->len);
	json_string(j, "binds", report->binds);
	json_uint(j, "macro_operations", report->macro_ops);
	json_uint(j, "bank_moves", report->bank_moves);
	json_int(j, "bank_move_cycles", report->bank_move_cycles);
	json_bool(j, "checker_clean", clean);
	json_string(j, "program_hash", hash);
	json_string(j, "program", output);
	json_end(j);
	return json_finish(j);
}

/* Checks, writes and prints; the exit status. */
static int finish(const isa_program *program, const sched_report *report, const setup *s, GError **error)
{
	g_autoptr(GString) offences = g_string_new(NULL);
	bool clean = sched_check(program, s->sched, offences, CHECK_LINES);
	g_autofree char *text = NULL;

	if (output && !isa_program_write(program, output, error))
		return TOOL_USER_ERROR;
	text = tool_json ? result_json(program, report, s, clean) : result_text(program, report, s);
	if ((!tool_quiet || tool_json) && !tool_print(text, error))
		return TOOL_USER_ERROR;
	if (!clean)
		fprintf(stderr, "tspsim: the checker refuses this schedule:\n%s", offences->str);
	return clean ? TOOL_OK : TOOL_FOUND;
}

static int run_sched(int argc, char **argv, GError **error)
{
	setup s;
	setup_schedule how = {.workload = argv[0],
	                      .priority = priority,
	                      .seed = (uint64_t)seed,
	                      .functional = functional,
	                      .specials = specials};
	g_autoptr(GPtrArray) graphs = NULL;
	sched_report report = {0};
	isa_program *program;
	int status = TOOL_USER_ERROR;

	(void)argc;
	if (!setup_init(&s, machine_name, sets, error))
		return TOOL_USER_ERROR;
	program = setup_compile(&s, &how, &graphs, &report, error);
	if (program)
		status = finish(program, &report, &s, error);
	isa_program_free(program);
	sched_report_fini(&report);
	setup_fini(&s);
	return status;
}

const tool_command cmd_sched = {
	.name = "sched",
	.synopsis = "WORKLOAD [-m MACHINE] [-o FILE.tspo] [OPTION...]",
	.doc = "Schedule a workload without simulating it.",
	.options = options,
	.min_args = 1,
	.max_args = 1,
	.run = run_sched,
};
