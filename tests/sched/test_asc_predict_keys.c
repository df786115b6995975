/* SPDX-License-Identifier: Apache-2.0
 *
 * Predictions follow the machine: keys that lengthen or shorten a program in the models do so in its prediction, which
 * stays near.  Keys whose effect is known; with TSPSIM_KEYS=PATTERN all of time that match, halved and doubled, on
 * every machine.
 */
#include "tests/sched/asc_sched.h"

#include <math.h>

typedef struct length {
	int64_t predicted, simulated;
	bool none; /* no machine or no program */
} length;

static length length_on(asc_machine *machine, const char *workload, const char *what)
{
	frontend_target target = frontend_target_ascend();
	GPtrArray *graphs = frontend_read_for(workload, &target, NULL, NULL);
	sched_options options;
	sched_report report;
	asc_program *program;
	length l = {.none = true};

	CU_ASSERT_PTR_NOT_NULL_FATAL(graphs);
	sched_options_init(&options);
	program = sched_ascend_compile(graphs, machine, &options, &report, NULL);
	if (program) {
		asc_run *r = asc_sched_run(program, machine, false, false);

		asc_run_clean(r, what);
		l = (length){program->predicted_cycles, r->counters->cycles, false};
		asc_run_free(r);
		asc_program_free(program);
	}
	sched_report_fini(&report);
	g_ptr_array_unref(graphs);
	return l;
}

static length length_with(const char *name, const char *key, const char *value, const char *workload)
{
	g_autofree char *set = g_strdup_printf("%s=%s", key, value);
	const char *sets[] = {"cores=2", set, NULL};
	asc_machine *machine = asc_sched_machine(name, sets);
	length l = length_on(machine, workload, workload);

	asc_machine_free(machine);
	return l;
}

static double off(const length *l)
{
	return fabs((double)(l->predicted - l->simulated)) / (double)l->simulated;
}

static const struct {
	const char *machine, *workload, *key, *shorter, *longer;
} rows[] = {
	/* Every line that is read is another than the last of its channel. */
	{"ascend-910b", "vmap:add,20000:fp32", "hbm.access_cycles", "0", "60"},
	{"ascend-310p", "softmax:64x64", "hbm.access_cycles", "0", "60"},
	/* A step writes 16 x 16 sums of four bytes: with half of the banks, or banks half as wide, it takes two cycles.
         */
	{"ascend-910a", "gemm:64x64x256:fp16", "l0c.banks", NULL, NULL},
	{"ascend-910b", "gemm:64x64x256:fp16", "l0c.banks", NULL, NULL},
	{"ascend-310p", "gemm:64x64x256:fp16", "l0c.row_bytes", NULL, NULL},
	/* Sums leave L0C through the unified buffer, a row of 64 elements of two bytes a beat, or eight beats. */
	{"ascend-910a", "gemm:64x64x64:fp16", "ub.mte_write_bytes_per_cycle", "128", "16"},
	{"ascend-310p", "vmap:add,20000:fp32", "ub.mte_write_bytes_per_cycle", "128", "16"},
	{"ascend-910b", "vmap:add,20000:fp32", "ub.mte_read_bytes_per_cycle", "128", "16"},
	/* Source and result of a repeat lie where a longer way through the pipe makes them meet, or not. */
	{"ascend-910b", "vmap:exp,20000", "vector.exp.head_cycles", "31", "300"},
	{"ascend-910a", "vmap:exp,20000", "vector.exp.b16_cycles", "4", "12"},
	{"ascend-310p", "transpose:64x64", "flag.latency_cycles", "8", "80"},
	{"ascend-910b", "attention:1x1x64x16", "cross.latency_cycles", "100", "900"},
	{"ascend-910a", "gemm:64x64x256:fp16", "l2.hit_cycles", "100", "400"},
	{"ascend-910b", "gemm:64x64x256:fp16", "mte2.outstanding", "64", "4"},
	{"ascend-910b", "gemm:64x64x256:fp16", "fix.elements_per_cycle", "16", "1"},
	{"ascend-910a", "gemm:64x64x64:fp16", "fix.elements_per_cycle", "64", "2"},
};

/* SHORTER and LONGER of rows without: the machine's own value, and half of it. */
static void half_of(const char *name, const char *key, char **own, char **half)
{
	asc_machine *machine = asc_sched_machine(name, NULL);

	for (size_t k = 0; k < asc_key_count; k++)
		if (!strcmp(asc_keys[k].path, key))
			*own = asc_machine_get_text(machine, (int)k);
	*half = g_strdup_printf("%" G_GINT64_FORMAT, g_ascii_strtoll(*own, NULL, 0) / 2);
	asc_machine_free(machine);
}

static void keys_move_predictions_as_they_move_the_models(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *shorter = g_strdup(rows[i].shorter), *longer = g_strdup(rows[i].longer);
		length a, b;

		if (!shorter)
			half_of(rows[i].machine, rows[i].key, &shorter, &longer);
		a = length_with(rows[i].machine, rows[i].key, shorter, rows[i].workload);
		b = length_with(rows[i].machine, rows[i].key, longer, rows[i].workload);
		tap_note("%s %s %s=%s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT "; %s: %" G_GINT64_FORMAT
		         " of %" G_GINT64_FORMAT,
		         rows[i].machine, rows[i].workload, rows[i].key, shorter, a.predicted, a.simulated, longer,
		         b.predicted, b.simulated);
		CU_ASSERT_TRUE(!a.none && !b.none);
		CU_ASSERT_TRUE(a.simulated < b.simulated);
		CU_ASSERT_TRUE(a.predicted < b.predicted);
		CU_ASSERT_TRUE(off(&a) < 0.001 && off(&b) < 0.001);
	}
}

/* 8 us at 1850 MHz are 14,800 cycles. */
static void the_launch_is_said_apart(void)
{
	const char *sets[] = {"launch_us=8", "clock_hz=1850000000", NULL};
	asc_machine *machine = asc_sched_machine("ascend-910b", sets);
	frontend_target target = frontend_target_ascend();
	GPtrArray *graphs = frontend_read_for("vmap:relu,2000", &target, NULL, NULL);
	sched_report report;
	asc_program *program = asc_sched_compile(graphs, machine, false, &report);
	g_autofree char *line = g_strdup_printf("predicted with its launch: %" G_GINT64_FORMAT " cycles (launch_us 8)",
	                                        program->predicted_cycles + 14800);

	CU_ASSERT_PTR_NOT_NULL(strstr(report.notes->str, line));
	sched_report_fini(&report);
	asc_program_free(program);
	g_ptr_array_unref(graphs);
	asc_machine_free(machine);
}

/* Keys that say what is there, not how long it takes. */
static bool is_structure(const char *path)
{
	static const char *const keys[] = {
#define ASC_STRUCTURE(key, why) key,
#define ASC_UNUSED(key, machines, why)
#include "tests/judges/asc_splits.def"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		if (!strcmp(keys[i], path))
			return true;
	return false;
}

static void try_key(const char *name, size_t key, bool twice, unsigned *runs, double *worst)
{
	static const char *const workloads[] = {"gemm:80x100x120:fp16", "softmax:100x72", "attention:1x1x40x16",
	                                        "vmap:add,40000:fp32"};

	for (size_t i = 0; i < G_N_ELEMENTS(workloads); i++) {
		asc_machine *machine = asc_sched_machine(name, NULL);
		g_autofree char *own = asc_machine_get_text(machine, (int)key);
		int64_t value = g_ascii_strtoll(own, NULL, 0);
		g_autofree char *other = g_strdup_printf("%" G_GINT64_FORMAT, twice ? MAX(value * 2, 1) : value / 2);
		g_autofree char *what = g_strdup_printf("%s %s=%s %s", name, asc_keys[key].path, other, workloads[i]);
		length l = {.none = true};

		/* Without finishing twice: a machine that contradicts itself is none. */
		if (asc_machine_set(machine, asc_keys[key].path, other, NULL) && asc_machine_finish(machine, NULL))
			l = length_on(machine, workloads[i], what);
		asc_machine_free(machine);
		if (l.none)
			continue;
		++*runs;
		*worst = MAX(*worst, off(&l));
		if (off(&l) >= 0.01)
			tap_note("%s: predicted %" G_GINT64_FORMAT ", simulated %" G_GINT64_FORMAT, what, l.predicted,
			         l.simulated);
		CU_ASSERT_TRUE(off(&l) < 0.05);
	}
}

static void no_key_takes_predictions_away(void)
{
	static const char *const machines[] = {"ascend-910a", "ascend-910b", "ascend-310p"};
	const char *pattern = g_getenv("TSPSIM_KEYS");
	unsigned runs = 0;
	double worst = 0;

	if (!pattern)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(machines); i++)
		for (size_t key = 0; key < asc_key_count; key++) {
			if (is_structure(asc_keys[key].path) || !g_pattern_match_simple(pattern, asc_keys[key].path))
				continue;
			try_key(machines[i], key, false, &runs, &worst);
			try_key(machines[i], key, true, &runs, &worst);
		}
	tap_note("%u runs, the farthest prediction %.1f %% off", runs, 100 * worst);
}

int main(void)
{
	static const tap_case cases[] = {
		{"keys_move_predictions_as_they_move_the_models", keys_move_predictions_as_they_move_the_models},
		{"the_launch_is_said_apart", the_launch_is_said_apart},
		{"no_key_takes_predictions_away", no_key_takes_predictions_away},
	};

	return tap_run("ascend predictions and keys", cases, G_N_ELEMENTS(cases));
}
