/* SPDX-License-Identifier: Apache-2.0
 *
 * No key is idle: changing the simulated machine's value by one unit, under a program made for the old value, changes
 * the outcome of some micro-program (a time, a violation, a value in memory, or the program is refused).  One row a
 * key; the keys with legitimate slack are rows too, with their reason.
 */
#include "tests/lib/tap.h"
#include "tests/timing/micro.h"

#include <string.h>

#define HASHED ".epoch \"e\" start=0\n.image 0 8192\n"
#define LOAD   HASHED "@0 mem0: load r0 addr=0 len=640\n"
#define STREAM                                                                                                         \
	".epoch \"e\" start=0\n.image $w43:0 320\nx: @40 mem.w43: read e0 addr=0\n@52 vxm0: copy w0, e0 type=int8 "    \
	"lanes=320\n"
#define SXM HASHED "@0 mem0: load r0 addr=0 len=640 x16 every 1 step 16 rot.dst=1\n.map 0: 0-319\n@19 sxm."
#define WEIGHTS(type)                                                                                                  \
	HASHED "@0 mem0: load wt.0 addr=0 len=640\n@4 mem0: load act.1 addr=640 len=640\n"                             \
	       "@4 mxm0.w: lw wt.0 addr=0 count=1 type=" type " lanes=320\n@5 mxm0.w: iw count=1 type=" type "\n"
#define MXM                                                                                                            \
	WEIGHTS("int8")                                                                                                \
	"@8 mxm0.a: abc act.1 addr=0 type=int8 lanes=320\n@21 mxm0.c: acc r0 addr=0 type=int8 lanes=320\n"
#define SEND    HASHED "@0 mem0: load r0 addr=0 len=640\n@4 c2c.0: send r0\n@20 c2c.0: recv r1\n"
#define FETCHED "tsp-isca20 icu.queue_words=8 icu.ifetch_words=4 icu.ifetch_cycles=4 "
#define EIGHT_READS                                                                                                    \
	".epoch \"e\" start=0\n.image $w43:0 3200\n"                                                                   \
	"@35 mem.w43: read e0 addr=0\n@37 mem.w43: read e0 addr=5\n@39 mem.w43: read e0 addr=1\n"                      \
	"@41 mem.w43: read e0 addr=7\n@43 mem.w43: read e0 addr=2\n@45 mem.w43: read e0 addr=9\n"                      \
	"@47 mem.w43: read e0 addr=3\n@49 mem.w43: read e0 addr=8\n"
/* fp16, 160 rows: weights 2^12 in row 0, 1 in rows 158 and 159 (row r is the two bytes at 2r), activations the same:
 * products 2^24, 1, 1. */
#define SUM_ROWS                                                                                                       \
	".epoch \"e\" start=0\n.image 0 2\n.hex 006c\n.image 2 312\n.image 316 4\n.hex 003c003c\n.image 314 2\n.hex "  \
	"0000\n"                                                                                                       \
	"@163 mem0: load act.1 addr=0 len=640\n.image 320 320\n"                                                       \
	"@0 mem1: load wt.0 addr=0 len=2 x160 every 1 step 2\n"                                                        \
	"@4 mxm0.w: lw wt.0 addr=0 count=1 type=fp16 lanes=1 x160 every 1 step 1\n"                                    \
	"@164 mxm0.w: iw count=160 type=fp16\n@167 mxm0.a: abc act.1 addr=0 type=fp16 lanes=160\n"                     \
	"@180 mxm0.c: acc r0 addr=0 type=fp16 lanes=1\n@214 mem0: store r0 addr=0 len=4\n"

static const struct {
	const char *key;
	const char *change;  /* the settings that change the simulated machine; NULL: see slack */
	const char *machine; /* and settings for both */
	const char *text;
	const char *slack; /* why one unit moves nothing, or cannot be */
} rows[] = {
	{"clock_hz", "hw.clock_hz=900000001", "tsp link.bytes_per_s=576e9", SEND, NULL},
	{"lanes", "hw.lanes=304 hw.vreg.bytes=608 hw.mxm.rows=304", "tsp", MXM, NULL}, /* in units of a superlane */
	{"lanes_per_superlane", NULL, "tsp", LOAD, "16 is the only value the table admits"},
	{"mesh.rows", NULL, "tsp", LOAD, "a mesh of several processors is refused"},
	{"mesh.cols", NULL, "tsp", LOAD, "a mesh of several processors is refused"},
	{"sram.map", "hw.sram.map=mod:138", "tsp", HASHED "@0 mem0: loads r0 addr=0 seg=16 pitch=2208 count=2\n", NULL},
	{"sram.banks", "hw.sram.banks=3", "tsp sram.map=ideal sram.banks=4 sram.rows=2",
         ".epoch \"e\" start=0\n.image 112 16\n@0 mem0: load r0 addr=112 len=16\n", NULL},
	{"sram.rows", "hw.sram.rows=99999", "tsp",
         ".epoch \"e\" start=0\n.image 222399984 16\n@0 mem0: load r0 addr=222399984 len=16\n", NULL},
	{"sram.block_bytes", "hw.sram.block_bytes=32", "tsp", LOAD, NULL}, /* next legal value: it must fit the port */
	{"sram.port_bytes", "hw.sram.port_bytes=8", "tsp", LOAD, NULL},    /* likewise */
	{"sram.ports", "hw.sram.ports=2", "tsp", HASHED "@0 mem0: loads r0 addr=0 seg=16 pitch=2224 count=2\n", NULL},
	{"sram.latency_cycles", "hw.sram.latency_cycles=5", "tsp", LOAD, NULL},
	{"sram.issue_per_cycle", "hw.sram.issue_per_cycle=5", "tsp", MXM, NULL}, /* queues are other ones */
	{"mem.slices_per_hemisphere", "hw.mem.slices_per_hemisphere=45", "tsp-isca20", STREAM, NULL},
	{"mem.slices_per_group", "hw.mem.slices_per_group=5", "tsp-isca20", STREAM, NULL},
	{"mem.banks_per_slice", "hw.mem.banks_per_slice=1", "tsp-isca20",
         ".epoch \"e\" start=0\n.image $w0:4096 320\n@40 mem.w0: read e0 addr=4096\n", NULL},
	{"mem.words_per_bank", "hw.mem.words_per_bank=4095", "tsp-isca20",
         ".epoch \"e\" start=0\n.image $w0:8191 320\n@40 mem.w0: read e0 addr=8191\n", NULL},
	{"mem.read_cycles", "hw.mem.read_cycles=2", "tsp-isca20", STREAM, NULL},
	{"mem.gather_cycles", "hw.mem.gather_cycles=3", "tsp-isca20",
         STREAM ".image $w42:0 320\n@41 mem.w42: gather e1, e0\n", NULL},
	{"mem.write_cycles", "hw.mem.write_cycles=2", "tsp-isca20", STREAM "@41 mem.w42: write e0 addr=0\n", NULL},
	{"mem.skew_cycles", "hw.mem.skew_cycles=1", "tsp", LOAD, NULL},
	{"vreg.count", "hw.vreg.count=319", "tsp", HASHED "@0 mem0: load r319 addr=0 len=640\n", NULL},
	{"vreg.bytes", NULL, "tsp", LOAD, "tied to lanes: two bytes a lane"},
	{"vreg.read_ports", "hw.vreg.read_ports=1", "tsp vreg.read_ports=2",
         LOAD "@4 vxm0: add r1, r0, r0 type=int8 lanes=320\n", NULL},
	{"vreg.write_ports", "hw.vreg.write_ports=1", "tsp vreg.write_ports=2",
         HASHED "@0 mem0: load r0 addr=0 len=1280\n", NULL},
	{"streams.per_direction", "hw.streams.per_direction=31", "tsp-isca20",
         ".epoch \"e\" start=0\n.image $w0:0 320\n@40 mem.w0: read e31 addr=0\n", NULL},
	{"streams.hop_cycles", "hw.streams.hop_cycles=2", "tsp-isca20", STREAM, NULL},
	{"floorplan.positions", NULL, "tsp-isca20", STREAM, "no unit stands at the last position"},
	{"floorplan.mxm", "hw.floorplan.mxm=2,43", "tsp-isca20",
         ".epoch \"e\" start=0\n.image $w43:0 320\n@40 mem.w43: read w0 addr=0\n@51 mxm0.w: lw w0 addr=0 count=1 "
         "type=int8 lanes=320\n",
         NULL},
	{"floorplan.sxm", "hw.floorplan.sxm=8,37", "tsp-isca20",
         ".epoch \"e\" start=0\n.image $w43:0 320\n@40 mem.w43: read w0 addr=0\n@45 sxm.w.rotate0: rotate e0, w0 "
         "distance=1 type=int8\n",
         NULL},
	{"floorplan.mem", "hw.floorplan.mem=20,23", "tsp-isca20", STREAM, NULL},
	{"floorplan.vxm", "hw.floorplan.vxm=23", "tsp-isca20", STREAM, NULL},
	{"vxm.ops_per_cycle", "hw.vxm.ops_per_cycle=15", "tsp", LOAD "@4 vxm15: copy r1, r0 type=int8 lanes=320\n",
         NULL},
	{"vxm.op_cycles", "hw.vxm.op_cycles=4", "tsp", LOAD "@4 vxm0: copy r1, r0 type=int8 lanes=320\n", NULL},
	{"vxm.transcendental_cycles", "hw.vxm.transcendental_cycles=13", "tsp",
         LOAD "@4 vxm0: exp r1, r0 type=fp16 lanes=320\n", NULL},
	{"vxm.entry_cycles", "hw.vxm.entry_cycles=6", "tsp-isca20", STREAM, NULL},
	{"vxm.skew_cycles", "hw.vxm.skew_cycles=1", "tsp", LOAD "@4 vxm0: copy r1, r0 type=int8 lanes=320\n", NULL},
	{"mxm.planes", "hw.mxm.planes=2", "tsp",
         HASHED "@0 mem0: load wt.2 addr=0 len=320\n@4 mxm2.w: lw wt.2 addr=0 count=1 type=int8 lanes=320\n", NULL},
	{"mxm.rows", "hw.mxm.rows=319", "tsp",
         HASHED "@0 mem0: load wt.0 addr=0 len=320\n@4 mxm0.w: lw wt.0 addr=319 count=1 type=int8 lanes=320\n", NULL},
	{"mxm.int8_interval_cycles", "hw.mxm.int8_interval_cycles=2", "tsp",
         WEIGHTS("int8") "@8 mxm0.a: abc act.1 addr=0 type=int8 lanes=320 x2 every 1\n", NULL},
	{"mxm.fp16_interval_cycles", "hw.mxm.fp16_interval_cycles=3", "tsp",
         WEIGHTS("fp16") "@8 mxm0.a: abc act.1 addr=0 type=fp16 lanes=320 x2 every 2\n", NULL},
	{"mxm.fp16_sum_rows", "hw.mxm.fp16_sum_rows=159", "tsp", SUM_ROWS, NULL},
	{"mxm.weight_bytes_per_cycle", "hw.mxm.weight_bytes_per_cycle=319", "tsp mxm.weight_bytes_per_cycle=320",
         WEIGHTS("int8"), NULL},
	{"mxm.acc_rows", "hw.mxm.acc_rows=1023", "tsp",
         WEIGHTS("fp16") "@8 mxm0.a: abc act.1 addr=1023 type=fp16 lanes=320\n", NULL},
	{"mxm.lw_cycles", "hw.mxm.lw_cycles=2", "tsp", MXM, NULL},
	{"mxm.iw_cycles", "hw.mxm.iw_cycles=4", "tsp", MXM, NULL},
	{"mxm.abc_cycles", "hw.mxm.abc_cycles=14", "tsp", MXM, NULL},
	{"mxm.acc_cycles", "hw.mxm.acc_cycles=35", "tsp", MXM, NULL},
	{"mxm.skew_cycles", "hw.mxm.skew_cycles=1", "tsp", MXM, NULL},
	{"sxm.shift_cycles", "hw.sxm.shift_cycles=5", "tsp", SXM "shift0: shift r20, r0 distance=1 type=int8\n", NULL},
	{"sxm.select_cycles", "hw.sxm.select_cycles=5", "tsp", SXM "select0: select r20, r0, r1 map=0 type=int8\n",
         NULL},
	{"sxm.permute_cycles", "hw.sxm.permute_cycles=5", "tsp", SXM "permute0: permute r20, r0 map=0 type=int8\n",
         NULL},
	{"sxm.distribute_cycles", "hw.sxm.distribute_cycles=3", "tsp",
         SXM "distribute0: distribute r20, r0 map=0 type=int8\n", NULL},
	{"sxm.rotate_cycles", "hw.sxm.rotate_cycles=5", "tsp", SXM "rotate0: rotate r20, r0 distance=1 type=int8\n",
         NULL},
	{"sxm.transpose_cycles", "hw.sxm.transpose_cycles=5", "tsp", SXM "transpose0: transpose r20, r0\n", NULL},
	{"sxm.skew_cycles", "hw.sxm.skew_cycles=1", "tsp", SXM "transpose0: transpose r20, r0\n", NULL},
	{"sxm.queues", "hw.sxm.queues=1,1,1,1,1,0", "tsp", SXM "transpose0: transpose r20, r0\n", NULL},
	{"link.count", "hw.link.count=3", "tsp", HASHED "@0 mem0: load r0 addr=0 len=640\n@4 c2c.3: send r0\n", NULL},
	{"link.bytes_per_s", "hw.link.bytes_per_s=575999999999", "tsp link.bytes_per_s=576e9", SEND, NULL},
	{"link.overhead_bytes", "hw.link.overhead_bytes=1", "tsp link.bytes_per_s=576e9", SEND, NULL},
	{"link.latency_cycles", "hw.link.latency_cycles=3", "tsp", SEND, NULL},
	{"link.receive_cycles", "hw.link.receive_cycles=2", "tsp", SEND, NULL},
	{"icu.queue_words", "hw.icu.queue_words=7", FETCHED, EIGHT_READS, NULL},
	{"icu.ifetch_words", "hw.icu.ifetch_words=3", FETCHED, EIGHT_READS, NULL},
	{"icu.ifetch_cycles", "hw.icu.ifetch_cycles=5", FETCHED, EIGHT_READS, NULL},
	{"icu.barrier_cycles", "hw.icu.barrier_cycles=36", "tsp-isca20", STREAM, NULL},
};

/* All that a user could see of a run, as text. */
static char *outcome(const micro *m)
{
	GString *text = g_string_new(NULL);
	g_autofree char *memory = NULL;

	if (m->refused) {
		g_string_free(text, TRUE);
		return g_strdup("refused");
	}
	memory = micro_memory(m, 0, 4);
	g_string_append_printf(text, "%" G_GINT64_FORMAT " cycles, memory %s\n", micro_cycles(m), memory);
	for (unsigned i = 0; i < m->oracle->issues->len; i++) {
		const probe_issue *issue = &g_array_index(m->oracle->issues, probe_issue, i);

		g_string_append_printf(text, "%u.%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " beats %u\n", issue->insn,
		                       issue->index, issue->cycle, issue->result, issue->beats);
	}
	for (int kind = 0; kind < ISA_VIOLATION_COUNT; kind++)
		g_string_append_printf(text, "%s %" G_GUINT64_FORMAT "\n", isa_violation_name((enum isa_violation)kind),
		                       micro_count(m, (enum isa_violation)kind));
	return g_string_free(text, FALSE);
}

static void one_unit_of_every_key_changes_some_outcome(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(micro) before = micro_run(rows[i].machine, rows[i].text);
		g_autofree char *machine = NULL, *was = NULL, *is = NULL;
		g_autoptr(micro) after = NULL;

		if (micro_count(before, ISA_VIOLATION_COUNT))
			tap_note("%s: the program is wrong to begin with", rows[i].key);
		CU_ASSERT_EQUAL(micro_count(before, ISA_VIOLATION_COUNT), 0);
		if (!rows[i].change)
			continue;
		machine = g_strdup_printf("%s %s", rows[i].machine, rows[i].change);
		after = micro_try(machine, rows[i].text);
		was = outcome(before);
		is = outcome(after);
		if (strcmp(was, is) == 0)
			tap_note("%s: no difference", rows[i].key);
		CU_ASSERT_STRING_NOT_EQUAL(was, is);
		/* The change names the key it is about, and a machine that can be. */
		CU_ASSERT_PTR_NOT_NULL(strstr(rows[i].change, rows[i].key));
		if (!after->program || !after->program->queues->len)
			tap_note("%s: %s", rows[i].key, after->refusal);
		CU_ASSERT_PTR_NOT_NULL(after->program);
	}
}

static void slack_is_what_it_is_said_to_be(void)
{
	g_autoptr(micro) rows_2 = micro_try("tsp hw.mesh.rows=2", LOAD);
	g_autoptr(micro) cols_2 = micro_try("tsp hw.mesh.cols=2", LOAD);
	g_autoptr(micro) bytes = micro_try("tsp hw.vreg.bytes=641", LOAD);
	g_autoptr(micro) superlane = micro_try("tsp hw.lanes_per_superlane=17", LOAD);
	g_autoptr(micro) shorter = micro_run("tsp-isca20 hw.floorplan.positions=44", STREAM);
	g_autoptr(micro) too_short = micro_try("tsp-isca20 hw.floorplan.positions=43", STREAM);

	CU_ASSERT_TRUE(rows_2->refused);
	CU_ASSERT_TRUE(cols_2->refused);
	CU_ASSERT_TRUE(bytes->refused);
	CU_ASSERT_TRUE(superlane->refused);
	CU_ASSERT_EQUAL(micro_count(shorter, ISA_VIOLATION_COUNT), 0);
	CU_ASSERT_TRUE(too_short->refused);
}

static void table_has_every_key_once(void)
{
	for (size_t k = 0; k < isa_key_count; k++) {
		unsigned found = 0;

		for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
			found += strcmp(rows[i].key, isa_keys[k].path) == 0;
		if (found != 1)
			tap_note("%s: %u rows", isa_keys[k].path, found);
		CU_ASSERT_EQUAL(found, 1);
	}
	CU_ASSERT_EQUAL(G_N_ELEMENTS(rows), isa_key_count);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		CU_ASSERT_TRUE(!rows[i].change == (rows[i].slack != NULL));
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(one_unit_of_every_key_changes_some_outcome),
		CASE(slack_is_what_it_is_said_to_be),
		CASE(table_has_every_key_once),
	};

	return tap_run("machine keys", cases, G_N_ELEMENTS(cases));
}
