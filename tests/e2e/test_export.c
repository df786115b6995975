/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim export: a small program whose times are worked out by hand, and generated kernels of several sub-cores,
 * exported and read back by the viewers' rules.
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/lib/tap.h"
#include "tests/unit/viewer_rules.h"

/* Instruction n is pushed in cycle n and could start in n + 1.  The copy, a miss, takes 392 cycles
 * (tests/timing/asc/pmu.def): 1 to 393; its pipe is free at 22, when the set begins; the flag is up at 393 + 8 = 401.
 * The wait could have gone on at 3; the sum starts behind its slot, at 402, and takes 31 + 2. */
static const char small[] = ".image 0x0 4096\n.stream vector sub=0 block=0\n.node \"load \\\"x\\\", then add\"\n"
			    "gm_to_ub dst=0x0 src=0x0 burst_bytes=512\n"
			    "set_flag from=MTE2 to=V id=3\n"
			    "wait_flag from=MTE2 to=V id=3\n"
			    "vadds type=fp32 dst=0x8000 src=0x0 repeat=2\n";

static char *folder;

static bool tool(const char *arguments)
{
	const char *built = g_getenv("TSPSIM_BUILDDIR");
	g_autofree char *line = g_strdup_printf("%s/tspsim %s", built ? built : ".", arguments);
	g_autofree char *out = NULL, *err = NULL;
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) words = NULL;
	int status = 1;

	if (!g_shell_parse_argv(line, NULL, &words, &error) ||
	    !g_spawn_sync(folder, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status, &error)) {
		tap_note("%s: %s", line, error->message);
		return false;
	}
	if (status != 0)
		tap_note("%s: status %d: %s", line, status, err);
	return status == 0;
}

static char *text_of(const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		tap_note("%s is missing", path);
	return text ? text : g_strdup("");
}

static jvalue *json_of(const char *name)
{
	g_autofree char *text = text_of(name);
	size_t where;
	jvalue *v = jvalue_read(text, &where);

	if (!v)
		tap_note("%s: no JSON from byte %zu on: %.40s", name, where, text + where);
	CU_ASSERT_PTR_NOT_NULL_FATAL(v);
	return v;
}

static void make_small(void)
{
	g_autofree char *path = g_build_filename(folder, "small.tsp", NULL);

	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, small, -1, NULL));
	CU_ASSERT_TRUE_FATAL(tool("run small.tsp -m ascend-910b --trace small.db"));
}

/* The first event with this phase, name and, where it is not NULL, the value of another key. */
static const jvalue *find(const jvalue *file, const char *ph, const char *name, const char *key, const char *value)
{
	const jvalue *events = jvalue_get(file, "traceEvents");

	for (guint i = 0; events && i < events->item->len; i++) {
		const jvalue *e = events->item->pdata[i];

		if (g_strcmp0(jvalue_text(e, "ph"), ph) == 0 && g_strcmp0(jvalue_text(e, "name"), name) == 0 &&
		    (!key || g_strcmp0(jvalue_text(e, key), value) == 0))
			return e;
	}
	tap_note("no event %s %s", ph, name);
	return NULL;
}

static void check_slice(const jvalue *file, const char *name, gint64 ts, gint64 dur)
{
	const jvalue *e = find(file, "X", name, NULL, NULL);

	CU_ASSERT_EQUAL(jvalue_int(e, "ts"), ts);
	CU_ASSERT_EQUAL(jvalue_int(e, "dur"), dur);
}

static void perfetto_shows_the_cycles_worked_out_by_hand(void)
{
	jvalue *file;
	const jvalue *set, *wait, *copy;

	CU_ASSERT_TRUE_FATAL(tool("export small.db -f perfetto -o small.json"));
	file = json_of("small.json");
	CU_ASSERT_EQUAL(viewer_perfetto(file), 0);
	check_slice(file, "gm_to_ub", 1, 425);
	check_slice(file, "set_flag", 22, 1);
	check_slice(file, "wait_flag", 3, 432);
	check_slice(file, "vadds", 435, 33);
	copy = find(file, "X", "gm_to_ub", NULL, NULL);
	CU_ASSERT_EQUAL(jvalue_int(jvalue_get(copy, "args"), "free"), 22);
	CU_ASSERT_EQUAL(jvalue_int(jvalue_get(copy, "args"), "bytes"), 512);
	set = find(file, "s", "flag", NULL, NULL);
	wait = find(file, "f", "flag", NULL, NULL);
	CU_ASSERT_EQUAL(jvalue_int(set, "ts"), 22);
	CU_ASSERT_EQUAL(jvalue_int(wait, "ts"), 434);
	CU_ASSERT_EQUAL(jvalue_int(set, "id"), jvalue_int(wait, "id"));
	CU_ASSERT_EQUAL(jvalue_int(set, "tid"), jvalue_int(copy, "tid"));
	CU_ASSERT_EQUAL(jvalue_int(wait, "tid"), jvalue_int(find(file, "X", "vadds", NULL, NULL), "tid"));
	CU_ASSERT_STRING_EQUAL(jvalue_text(jvalue_get(file, "otherData"), "time"), "1 us is 1 cycle");
	jvalue_free(file);
}

/* 1.85 GHz: 22 cycles are 0.011892 us, 434 are 0.234595, 435 0.235135, 426 0.230270, 468 0.252973; 425 cycles 0.229730.
 */
static void msprof_shows_the_same_in_microseconds(void)
{
	g_autofree char *table = NULL, *code = NULL;
	jvalue *file, *own;

	CU_ASSERT_TRUE_FATAL(tool("export small.db --format msprof -o ms"));
	file = json_of("ms/simulator/trace.json");
	CU_ASSERT_EQUAL(viewer_msprof(file), 0);
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(file, "X", "GM_TO_UB", "tid", "MTE2"), "ts"), "0.000541");
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(file, "X", "GM_TO_UB", "tid", "MTE2"), "dur"), "0.229729");
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(file, "B", "SET_FLAG", "tid", "MTE2"), "ts"), "0.011892");
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(file, "B", "WAIT_FLAG", "tid", "VECTOR"), "ts"), "0.001622");
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(file, "E", "WAIT_FLAG", "tid", "VECTOR"), "ts"), "0.235135");
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(file, "t", "flow", "tid", "VECTOR"), "cat"), "MTE2ToVECTOR");
	CU_ASSERT_STRING_EQUAL(jvalue_text(jvalue_get(find(file, "B", "SET_FLAG", NULL, NULL), "args"), "detail"),
	                       "PIPE:VECTOR,TRIGGERPIPE:MTE2,FLAGID:3,");
	jvalue_free(file);
	own = json_of("ms/simulator/core0.veccore0/trace.json");
	CU_ASSERT_STRING_EQUAL(jvalue_text(find(own, "X", "VADDS", NULL, NULL), "ts"), "0.235135");
	jvalue_free(own);
	/* 432, 425, 33 and 1 cycles; addresses 2^32 the stream and 4 the number. */
	table = text_of("ms/simulator/core0.veccore0/core0.veccore0_instr_exe.csv");
	CU_ASSERT_STRING_EQUAL(table, "instr,addr,pipe,call_count,cycles,running_time(us),detail\n"
	                              "WAIT_FLAG,8,VECTOR,1,432,0.233514,\"PIPE:VECTOR,TRIGGERPIPE:MTE2,FLAGID:3,\"\n"
	                              "GM_TO_UB,0,MTE2,1,425,0.229730,\"dst=0x0 src=0x0 burst_bytes=512\"\n"
	                              "VADDS,12,VECTOR,1,33,0.017838,\"type=fp32 dst=0x8000 src=0x0 repeat=2\"\n"
	                              "SET_FLAG,4,MTE2,1,1,0.000541,\"PIPE:VECTOR,TRIGGERPIPE:MTE2,FLAGID:3,\"\n");
	code = text_of("ms/simulator/core0.veccore0/core0.veccore0_code_exe.csv");
	/* All of the node: 432 + 425 + 33 + 1 cycles, from 1 to 468. */
	CU_ASSERT_STRING_EQUAL(code, "code,call_count,cycles,running_time(us)\n"
	                             "\"load \"\"x\"\", then add\",4,891,0.252432\n");
}

/* Value of COLUMN in the row that begins with PLACE, "block_id,sub_block_id". */
static char *cell(const char *table, const char *place, const char *column)
{
	g_autofree char *name = g_strdup_printf("ms/%s.csv", table);
	g_autofree char *text = text_of(name);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_auto(GStrv) heads = g_strsplit(lines[0] ? lines[0] : "", ",", -1);

	for (unsigned l = 1; lines[0] && lines[l]; l++) {
		g_auto(GStrv) cells = g_strsplit(lines[l], ",", -1);

		for (unsigned c = 0; g_str_has_prefix(lines[l], place) && heads[c] && cells[c]; c++)
			if (strcmp(heads[c], column) == 0)
				return g_strdup(cells[c]);
	}
	return g_strdup("?");
}

static void check_cell(const char *table, const char *place, const char *column, const char *value)
{
	g_autofree char *found = cell(table, place, column);

	if (strcmp(found, value) != 0)
		tap_note("%s %s %s: %s, by hand %s", table, place, column, found, value);
	CU_ASSERT_STRING_EQUAL(found, value);
}

/* The sub-core is done at 468: 0.252973 us.  Its counters are those of tests/timing/asc/pmu.def: MTE2 busy 425, vector
 * 33, waits 431, two repeats of fp32 of one operand and a result of 256 bytes, 4 beats of 128 bytes in. */
static void tables_of_the_board_have_the_values_worked_out_by_hand(void)
{
	static const char v[] = "0,vector0";

	check_cell("PipeUtilization", v, "aiv_total_cycles", "468");
	check_cell("PipeUtilization", v, "aiv_time(us)", "0.252973");
	check_cell("PipeUtilization", v, "aiv_mte2_ratio", "0.908120"); /* 425 / 468 */
	check_cell("PipeUtilization", v, "aiv_vec_time(us)", "0.017838");
	check_cell("PipeUtilization", v, "aiv_icache_miss_rate", "NA");
	check_cell("PipeUtilization", v, "aic_cube_ratio", "NA");
	check_cell("ResourceConflictRatio", v, "aiv_vec_wait_ratio", "0.920940"); /* 431 / 468 */
	check_cell("ArithmeticUtilization", v, "aiv_vec_fops", "128");            /* 2 x 64 */
	check_cell("ArithmeticUtilization", v, "aiv_vec_fp32_ratio", "0.070513"); /* 33 / 468, all of it */
	check_cell("Memory", v, "GM_to_UB_datas(KB)", "0.500000");
	check_cell("Memory", v, "aiv_mte2_instructions", "1");
	/* 512 bytes in 468 cycles of 1.85 GHz, in 2^30 bytes a second; of 128 bytes a cycle. */
	check_cell("Memory", v, "aiv_gm_to_ub_bw(GB/s)", "1.884933");
	check_cell("Memory", v, "GM_to_UB_bw_usage_rate(%)", "0.854701");
	check_cell("MemoryUB", v, "aiv_ub_read_bw_vector(GB/s)", "1.884933");
	check_cell("L2Cache", v, "aiv_r0_read_cache_miss_allocate", "1");
	check_cell("L2Cache", v, "aiv_r1_read_cache_hit", "NA");
	check_cell("L2Cache", v, "aiv_read_hit_rate(%)", "0.000000");
	check_cell("OpBasicInfo", "program", "Op Type", "vector");
	check_cell("OpBasicInfo", "program", "Task Duration(us)", "0.252973");
	check_cell("OpBasicInfo", "program", "Current Freq", "1850");
}

static void a_window_keeps_what_begins_in_it(void)
{
	jvalue *file;

	CU_ASSERT_TRUE_FATAL(tool("export small.db -f perfetto -o part.json --window 434:500"));
	file = json_of("part.json");
	CU_ASSERT_EQUAL(viewer_perfetto(file), 0);
	check_slice(file, "wait_flag", 3, 432);
	check_slice(file, "vadds", 435, 33);
	CU_ASSERT_PTR_NULL(find(file, "X", "gm_to_ub", NULL, NULL));
	CU_ASSERT_PTR_NULL(find(file, "s", "flag", NULL, NULL));
	jvalue_free(file);
	/* The set alone, and the wait alone: no arrow leads out of the window. */
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_TRUE_FATAL(tool(i ? "export small.db -f msprof -o cut --window 434:500"
		                            : "export small.db -f msprof -o cut --window 0:100"));
		file = json_of("cut/simulator/trace.json");
		CU_ASSERT_EQUAL(viewer_msprof(file), 0);
		CU_ASSERT_PTR_NOT_NULL(find(file, "B", i ? "WAIT_FLAG" : "SET_FLAG", NULL, NULL));
		CU_ASSERT_PTR_NULL(find(file, i ? "t" : "s", "flow", NULL, NULL));
		jvalue_free(file);
	}
}

/* By the rules of both viewers, and byte for byte the same twice; flags and slices are there. */
static void check_kernel(const char *arguments, bool ascend)
{
	g_autofree char *run = g_strdup_printf("run %s --trace k.db", arguments);
	g_autofree char *first = NULL, *second = NULL;
	jvalue *file;

	CU_ASSERT_TRUE_FATAL(tool(run));
	CU_ASSERT_TRUE_FATAL(tool("export k.db -f perfetto -o k.json"));
	file = json_of("k.json");
	CU_ASSERT_EQUAL(viewer_perfetto(file), 0);
	CU_ASSERT_PTR_NOT_NULL(find(file, "C", ascend ? "l0c alive" : "banks", NULL, NULL));
	jvalue_free(file);
	CU_ASSERT_TRUE_FATAL(tool(run));
	CU_ASSERT_TRUE_FATAL(tool("export k.db -f perfetto -o again.json"));
	first = text_of("k.json");
	second = text_of("again.json");
	CU_ASSERT_STRING_EQUAL(first, second);
	if (ascend) {
		CU_ASSERT_TRUE_FATAL(tool("export k.db -f msprof -o kms"));
		file = json_of("kms/simulator/trace.json");
		CU_ASSERT_EQUAL(viewer_msprof(file), 0);
		jvalue_free(file);
	}
}

static void kernels_of_cube_sub_cores_keep_the_rules(void)
{
	check_kernel("-w gemm:256x256x256 -m ascend-910b", true);
}

static void kernels_of_coupled_cores_keep_the_rules(void)
{
	g_autofree char *table = NULL;

	check_kernel("-w gemm:512x512x512 -m ascend-310p", true);
	/* One row for all, 2 x 512^3 operations. */
	table = text_of("kms/ArithmeticUtilization.csv");
	CU_ASSERT_TRUE(g_str_has_prefix(table, "aic_time(us),aic_total_cycles,aic_cube_ratio,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(table, ",268435456,"));
}

/* By timestamp flags take no time and hold nothing: slices of no cycles, and no flow. */
static void runs_by_timestamp_keep_the_rules(void)
{
	g_autofree char *path = g_build_filename(folder, "timed.tsp", NULL);

	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path,
	                                         ".image 0x0 4096\n.stream vector sub=0 block=0\n"
	                                         "@1 gm_to_ub dst=0x0 src=0x0 burst_bytes=512\n"
	                                         "set_flag from=MTE2 to=V id=3\nwait_flag from=MTE2 to=V id=3\n"
	                                         "@443 vadds type=fp32 dst=0x8000 src=0x0 repeat=2\n",
	                                         -1, NULL));
	CU_ASSERT_TRUE_FATAL(tool("run timed.tsp -m ascend-910b --by-timestamp --trace k.db"));
	CU_ASSERT_TRUE_FATAL(tool("export k.db -f perfetto -o k.json"));
	CU_ASSERT_TRUE_FATAL(tool("export k.db -f msprof -o kms"));
	{
		jvalue *file = json_of("k.json"), *all = json_of("kms/simulator/trace.json");

		CU_ASSERT_EQUAL(viewer_perfetto(file), 0);
		CU_ASSERT_EQUAL(viewer_msprof(all), 0);
		check_slice(file, "vadds", 443, 33);
		CU_ASSERT_PTR_NULL(find(file, "s", "flag", NULL, NULL));
		jvalue_free(file);
		jvalue_free(all);
	}
}

/* Flags of the scalar unit and across cores, a loop whose instructions share cycles, barriers, copies in flight. */
static const char mixed[] =
	".image 0x0 65536\n"
	".stream cube block=0\n"
	"gm_to_l1 dst=0x0 src=0x0 burst_bytes=4096\nset_flag from=MTE2 to=MTE1 id=0\n"
	"wait_flag from=MTE2 to=MTE1 id=0\nload2d_a dst=0x0 src=0x0 repeat=4\n"
	"load2d_b dst=0x0 src=0x0 repeat=4\nset_flag from=MTE1 to=M id=0\n"
	"wait_flag from=MTE1 to=M id=0\n"
	"mmad type=fp16 c=0x0 a=0x0 b=0x0 m=16 k=64 n=16\npipe_barrier pipe=all\n"
	"set_cross pipe=FIX mode=2 id=1\n"
	".stream vector sub=all block=0\n"
	"movi rd=r1 imm=0\nmovi rd=r2 imm=0\n"
	"more: add rd=r1 rn=r1 rm=1\nadd rd=r2 rn=r2 rm=2\nblt rn=r1 rm=5 label=more\n"
	"gm_to_ub dst=0x0 src=0x0 burst_bytes=8192\ngm_to_ub dst=0x2000 src=0x2000 burst_bytes=512\n"
	"set_flag from=MTE2 to=S id=0\nwait_flag from=MTE2 to=S id=0\nwait_cross pipe=S id=1\n"
	"set_flag from=S to=V id=1\nwait_flag from=S to=V id=1\n"
	"vexp type=fp32 dst=0x8000 src=0x0 repeat=16\npipe_barrier pipe=V\n"
	"vadds type=fp32 dst=0x10000 src=0x8000 src_blk=16 repeat=2 src_rep=0\n";

static void flags_of_every_kind_keep_the_rules(void)
{
	g_autofree char *path = g_build_filename(folder, "mixed.tsp", NULL);
	jvalue *file;

	CU_ASSERT_TRUE_FATAL(g_file_set_contents(path, mixed, -1, NULL));
	check_kernel("mixed.tsp -m ascend-910b", true);
	file = json_of("k.json");
	CU_ASSERT_PTR_NOT_NULL(find(file, "s", "flag", NULL, NULL));
	CU_ASSERT_PTR_NOT_NULL(find(file, "f", "cross-core flag", NULL, NULL));
	/* vexp 16 repeats of 2 cycles: 15; vadds 2 repeats of 8 beats: 14. */
	CU_ASSERT_EQUAL(jvalue_int(jvalue_get(find(file, "C", "V stalls: resource", NULL, NULL), "args"), "cycles"),
	                15);
	CU_ASSERT_EQUAL(jvalue_int(jvalue_get(find(file, "C", "V stalls: bank-group", NULL, NULL), "args"), "cycles"),
	                14);
	jvalue_free(file);
}

static void a_kernel_of_queues_keeps_the_rules(void)
{
	check_kernel("-w gemm:64x64x64 -m tsp", false);
}

static void what_cannot_be_exported_is_refused(void)
{
	CU_ASSERT_FALSE(tool("export small.db -f chrome -o x"));
	CU_ASSERT_FALSE(tool("export small.db -f perfetto"));
	CU_ASSERT_FALSE(tool("export small.db -o x"));
	CU_ASSERT_FALSE(tool("export small.db -f perfetto -o x --window 5:5"));
	CU_ASSERT_FALSE(tool("export k.db -f msprof -o x")); /* of the machine with queues */
	CU_ASSERT_TRUE_FATAL(tool("run small.tsp -m ascend-910b --trace low.db --trace-level summary"));
	CU_ASSERT_FALSE(tool("export low.db -f perfetto -o x"));
	CU_ASSERT_TRUE_FATAL(tool("run small.tsp -m ascend-910b --trace mid.db --trace-level units"));
	CU_ASSERT_FALSE(tool("export mid.db -f msprof -o x"));
}

/* Spans instead of instructions: the rules hold. */
/* Is there something whose name begins with PREFIX in the folder of the tests? */
static bool any_named(const char *prefix)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;
	bool any = false;

	while (!any && (name = g_dir_read_name(dir)))
		any = g_str_has_prefix(name, prefix);
	g_dir_close(dir);
	return any;
}

/* The exit status of an export of k.db into NAME that gets SIGINT as soon as it has begun to write. */
static int interrupted_export(const char *name)
{
	const char *built = g_getenv("TSPSIM_BUILDDIR");
	g_autofree char *program = g_strdup_printf("%s/tspsim", built ? built : "."),
			*stage = g_strconcat(name, ".", NULL);
	char *words[] = {program, "export", "k.db", "-qf", "msprof", "-o", (char *)name, NULL};
	int status = -1;
	GPid pid;

	CU_ASSERT_TRUE_FATAL(g_spawn_async(folder, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
	                                   NULL, NULL, &pid, NULL));
	while (!any_named(stage) && waitpid(pid, &status, WNOHANG) == 0)
		;
	kill(pid, SIGINT);
	if (status == -1)
		waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void an_interrupt_leaves_no_folder_and_what_was_there(void)
{
	enum { TRIES = 50 };
	g_autofree char *kept = g_build_filename(folder, "was", "simulator", NULL);
	g_autofree char *file = g_build_filename(kept, "trace.json", NULL), *now = NULL;
	int status = 0;

	CU_ASSERT_TRUE_FATAL(tool("run -m ascend-910b -w softmax:64x512 --trace k.db"));
	CU_ASSERT_EQUAL_FATAL(g_mkdir_with_parents(kept, 0777), 0);
	CU_ASSERT_TRUE_FATAL(g_file_set_contents(file, "old", -1, NULL));
	/* A signal may come when the folder is whole. */
	for (unsigned i = 0; i < TRIES && (status != 130 || any_named("new")); i++) {
		g_autofree char *remove = g_strdup_printf("rm -rf '%s/new'", folder);

		CU_ASSERT_EQUAL(system(remove), 0);
		status = interrupted_export("new");
		CU_ASSERT_FALSE(any_named("new."));
	}
	CU_ASSERT_EQUAL(status, 130);
	CU_ASSERT_FALSE(any_named("new"));
	for (unsigned i = 0; i < TRIES; i++) {
		g_free(now);
		CU_ASSERT_TRUE_FATAL(g_file_set_contents(file, "old", -1, NULL));
		status = interrupted_export("was");
		CU_ASSERT_FALSE(any_named("was."));
		now = text_of("was/simulator/trace.json");
		if (status == 130 && strcmp(now, "old") == 0)
			break;
	}
	CU_ASSERT_EQUAL(status, 130);
	CU_ASSERT_STRING_EQUAL(now, "old");
}

static void level_units_has_spans_and_waits(void)
{
	jvalue *file;

	CU_ASSERT_TRUE_FATAL(tool("export mid.db -f perfetto -o mid.json"));
	file = json_of("mid.json");
	CU_ASSERT_EQUAL(viewer_perfetto(file), 0);
	check_slice(file, "waits for flag", 3, 431);
	jvalue_free(file);
}

/* What the rules forbid is found: each of these texts breaks one. */
static void msprof_rules_can_be_broken(void)
{
#define TOP                                                                                                            \
	"{\"schemaVersion\":2,\"traceEvents\":["                                                                       \
	"{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":\"c\",\"tid\":\"NA\",\"args\":{\"sort_index\":1}"       \
	"}" PLACE("VECTOR") PLACE("MTE2")
#define PLACE(lane)                                                                                                    \
	",{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":\"c\",\"tid\":\"" lane "\",\"args\":{\"sort_index\":2}" \
	"}"
#define EVENT(ph, lane, id, ts)                                                                                        \
	",{\"name\":\"n\",\"cname\":\"good\",\"ph\":\"" ph "\",\"pid\":\"c\",\"tid\":\"" lane "\",\"id\":\"" id        \
	"\",\"dur\":1.0,\"args\":{\"pc_addr\":\"0x0\"},\"ts\":" #ts "}"
#define ARROW(ph, lane, cat, ts)                                                                                       \
	",{\"name\":\"flow\",\"ph\":\"" ph "\",\"pid\":\"c\",\"tid\":\"" lane "\",\"id\":\"1\",\"cat\":\"" cat         \
	"\",\"ts\":" #ts "}"
#define SET        EVENT("B", "MTE2", "a", 1) EVENT("E", "MTE2", "a", 2)
#define WAIT(from) EVENT("B", "VECTOR", "b", from) EVENT("E", "VECTOR", "b", 5)
	static const struct {
		const char *text;
		unsigned broken;
	} files[] = {
		{TOP SET ARROW("s", "MTE2", "MTE2ToVECTOR", 2) WAIT(1) ARROW("t", "VECTOR", "MTE2ToVECTOR", 5) "]}", 0},
		{TOP EVENT("X", "VECTOR", "x", 1) PLACE("VECTOR") "]}", 1}, /* a place twice */
		{TOP EVENT("X", "VEC", "x", 1) "]}", 2},                    /* no such lane, no place */
		{TOP SET SET "]}", 1},                                      /* one id, two flags */
		{TOP EVENT("B", "MTE2", "a", 1) "]}", 1},                   /* no end */
		{TOP SET ARROW("s", "MTE2", "MTE2ToVECTOR", 2) "]}", 1},    /* no other end */
		{TOP SET ARROW("s", "MTE2", "MTE2ToVECTOR", 9) WAIT(1) ARROW("t", "VECTOR", "MTE2ToVECTOR", 5) "]}",
	         2}, /* outside, and against time */
		{TOP SET ARROW("s", "MTE2", "CUBEToVECTOR", 2) WAIT(1) ARROW("t", "VECTOR", "CUBEToVECTOR", 5) "]}",
	         1}, /* of another lane */
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		size_t where;
		jvalue *file = jvalue_read(files[i].text, &where);

		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		CU_ASSERT_EQUAL(viewer_msprof(file), files[i].broken);
		jvalue_free(file);
	}
}

static void the_rules_can_be_broken(void)
{
#define HEAD                                                                                                           \
	"{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"p\"}},"    \
	"{\"ph\":\"M\",\"pid\":1,\"tid\":9,\"name\":\"thread_name\",\"args\":{\"name\":\"t\"}}"
#define X(ts, dur)   ",{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"x\",\"ts\":" #ts ",\"dur\":" #dur "}"
#define FLOW(ph, ts) ",{\"ph\":\"" ph "\",\"pid\":1,\"tid\":9,\"id\":1,\"cat\":\"c\",\"bp\":\"e\",\"ts\":" #ts "}"
	static const struct {
		const char *text;
		unsigned broken;
	} files[] = {
		{HEAD X(1, 5) X(2, 4) FLOW("s", 1) FLOW("f", 5) "]}", 0},
		{HEAD X(1, 5) X(2, 5) "]}", 1},                   /* overlap in part */
		{HEAD X(1, -1) "]}", 1},                          /* negative */
		{HEAD X(1, 5) FLOW("s", 6) FLOW("f", 5) "]}", 2}, /* outside, and against time */
		{HEAD X(1, 5) FLOW("s", 1) "]}", 1},              /* no end */
		{HEAD X(1, 5) FLOW("f", 1) "]}", 1},              /* no beginning */
		{HEAD X(1, 5) FLOW("s", 1) FLOW("f", 9) "]}", 1}, /* end outside */
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		size_t where;
		jvalue *file = jvalue_read(files[i].text, &where);

		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		CU_ASSERT_EQUAL(viewer_perfetto(file), files[i].broken);
		jvalue_free(file);
	}
	msprof_rules_can_be_broken();
	for (unsigned i = 0; i < 6; i++) {
		static const char *const wrong[] = {"{\"a\":1,}", "[1 2]", "{\"a\":01}", "\"\t\"", "[1]x", "{a:1}"};
		size_t where;

		CU_ASSERT_PTR_NULL(jvalue_read(wrong[i], &where));
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(the_rules_can_be_broken),
		CASE(make_small),
		CASE(perfetto_shows_the_cycles_worked_out_by_hand),
		CASE(msprof_shows_the_same_in_microseconds),
		CASE(tables_of_the_board_have_the_values_worked_out_by_hand),
		CASE(a_window_keeps_what_begins_in_it),
		CASE(kernels_of_cube_sub_cores_keep_the_rules),
		CASE(kernels_of_coupled_cores_keep_the_rules),
		CASE(runs_by_timestamp_keep_the_rules),
		CASE(flags_of_every_kind_keep_the_rules),
		CASE(a_kernel_of_queues_keeps_the_rules),
		CASE(what_cannot_be_exported_is_refused),
		CASE(level_units_has_spans_and_waits),
		CASE(an_interrupt_leaves_no_folder_and_what_was_there),
	};
	g_autofree char *remove = NULL;
	int status;

	folder = g_dir_make_tmp("tspsim-export-XXXXXX", NULL);
	status = tap_run("exports", cases, G_N_ELEMENTS(cases));
	remove = g_strdup_printf("rm -rf '%s'", folder);
	if (!g_spawn_command_line_sync(remove, NULL, NULL, NULL, NULL))
		status = 1;
	g_free(folder);
	return status;
}
