/* SPDX-License-Identifier: Apache-2.0
 *
 * Random machines: small ones of both styles, some keys drawn from short lists, and now and then one timing key of the
 * simulated machine one unit off the scheduled one.
 */
#include "tests/mutation/random_int.h"

#include <string.h>

static const char *const register_machine[] = {"lanes=32",
                                               "vreg.bytes=64",
                                               "vreg.count=24",
                                               "sram.banks=8",
                                               "sram.rows=48",
                                               "sram.map=mod:7",
                                               "mxm.planes=2",
                                               "mxm.rows=16",
                                               "mxm.acc_rows=3",
                                               "mxm.fp16_sum_rows=16",
                                               "vxm.ops_per_cycle=3",
                                               "link.count=1",
                                               "sram.issue_per_cycle=3",
                                               NULL};

static const char *const stream_machine[] = {"lanes=32",
                                             "streams.per_direction=8",
                                             "floorplan.positions=13",
                                             "floorplan.mxm=0,12",
                                             "floorplan.sxm=2,10",
                                             "floorplan.mem=5,7",
                                             "floorplan.vxm=6",
                                             "mem.slices_per_hemisphere=5",
                                             "mem.slices_per_group=2",
                                             "mem.words_per_bank=6",
                                             "mxm.rows=16",
                                             "mxm.fp16_sum_rows=16",
                                             "vxm.ops_per_cycle=3",
                                             "link.count=2",
                                             "icu.queue_words=0",
                                             NULL};

/* Values a key may take, separated by |. */
static const struct {
	const char *key, *values;
} common_keys[] =
	{
		{"vxm.op_cycles", "1|2|3"},
		{"vxm.transcendental_cycles", "3|5|12"},
		{"vxm.entry_cycles", "0|1|3"},
		{"vxm.skew_cycles", "0|1|2"},
		{"mxm.int8_interval_cycles", "1|2"},
		{"mxm.fp16_interval_cycles", "2|3"},
		{"mxm.weight_bytes_per_cycle", "64|128|2304"},
		{"mxm.acc_rows", "1|2|3|4|5"},
		{"mxm.rows", "16|20|24"},
		{"mxm.lw_cycles", "1|2"},
		{"mxm.iw_cycles", "1|3"},
		{"mxm.abc_cycles", "1|4|7"},
		{"mxm.acc_cycles", "1|5"},
		{"mxm.skew_cycles", "0|1|2"},
		{"sxm.skew_cycles", "0|1"},
		{"sxm.shift_cycles", "1|4"},
		{"sxm.permute_cycles", "1|4"},
		{"sxm.rotate_cycles", "1|2"},
		{"mem.skew_cycles", "0|1|2"},
		{"link.bytes_per_s", "15e9|25e9|400e9"},
		{"link.latency_cycles", "1|3|9"},
		{"link.receive_cycles", "1|2"},
},
  register_keys[] =
	  {
		  {"sram.map", "mod:7|mod:8|mod:5|skew:8,3|skew:7,2|xorfold:3|swizzle:2,1,3|poly:0xb|ideal|pdisp:3,5|"
                               "bsp:7|crt:7|prime:7,5|mersenne:3|bsg:6|hybrid:1,0x7|mult:5"},
		  {"sram.ports", "1|2|3"},
		  {"sram.block_bytes", "8|16|32|64"},
		  {"sram.port_bytes", "8|16|32"},
		  {"sram.latency_cycles", "1|2|4"},
		  {"vreg.read_ports", "2|3|4|32"},
		  {"vreg.write_ports", "1|2|16"},
},
  stream_keys[] = {
	  {"mem.read_cycles", "1|2"},      {"mem.gather_cycles", "1|2|3"},      {"mem.write_cycles", "1|2"},
	  {"streams.hop_cycles", "1|1|2"}, {"streams.per_direction", "8|8|20"}, {"icu.barrier_cycles", "0|5|35"},
	  {"icu.queue_words", "0|0|8|12"}, {"icu.ifetch_words", "2|3|4"},       {"icu.ifetch_cycles", "1|2|4"},
};

/* Timing keys by which the simulated machine may differ from the one scheduled for. */
static const char *const drift_keys[] = {
	"vxm.op_cycles",     "vxm.entry_cycles",    "mxm.lw_cycles",      "mxm.iw_cycles",    "mxm.abc_cycles",
	"mxm.acc_cycles",    "mxm.skew_cycles",     "sxm.skew_cycles",    "sxm.shift_cycles", "vxm.skew_cycles",
	"mem.skew_cycles",   "sram.latency_cycles", "mem.read_cycles",    "mem.write_cycles", "streams.hop_cycles",
	"icu.ifetch_cycles", "icu.barrier_cycles",  "link.latency_cycles"};

static void set(maker *m, isa_machine *machine, const char *key, const char *value)
{
	g_autoptr(GError) error = NULL;

	if (!isa_machine_set(machine, key, value, &error))
		g_error("%s", error->message);
	(void)m;
}

static void set_pair(maker *m, const char *pair)
{
	g_auto(GStrv) parts = g_strsplit(pair, "=", 2);
	char *settings = g_strdup_printf("%s %s", m->p->settings, pair);

	set(m, m->p->sched, parts[0], parts[1]);
	g_free(m->p->settings);
	m->p->settings = settings;
}

static void set_one_of(maker *m, const char *key, const char *values)
{
	g_auto(GStrv) choices = g_strsplit(values, "|", -1);
	g_autofree char *pair = g_strdup_printf("%s=%s", key, choices[random_below(m, g_strv_length(choices))]);

	if (random_chance(m, 50))
		set_pair(m, pair);
}

/* One timing key of the simulated machine one unit off. */
static void drift(maker *m)
{
	const char *key = m->p->sched->icu_queue_words && random_chance(m, 60)
	                          ? "icu.ifetch_cycles"
	                          : drift_keys[random_below(m, G_N_ELEMENTS(drift_keys))];
	int index = isa_key_find(key);
	g_autofree char *text = isa_machine_get_text(m->p->hw, index);
	int64_t value = g_ascii_strtoll(text, NULL, 10) + (random_chance(m, 50) ? 1 : -1);
	g_autofree char *changed = NULL;
	char *settings;

	if (value < isa_keys[index].min || (strcmp(key, "icu.barrier_cycles") == 0 && value < 5))
		return;
	changed = g_strdup_printf("%" G_GINT64_FORMAT, value);
	settings = g_strdup_printf("%s hw.%s=%s", m->p->settings, key, changed);
	set(m, m->p->hw, key, changed);
	g_free(m->p->settings);
	m->p->settings = settings;
}

static bool finish(isa_machine *machine)
{
	g_autoptr(GError) error = NULL;

	return isa_machine_finish(machine, &error);
}

void random_machine(maker *m, bool streams)
{
	const char *const *base = streams ? stream_machine : register_machine;

	do {
		g_clear_pointer(&m->p->sched, isa_machine_free);
		g_free(m->p->settings);
		m->p->settings = g_strdup(streams ? "tsp-isca20" : "tsp");
		m->p->sched = isa_machine_load(m->p->settings, NULL);
		for (unsigned i = 0; base[i]; i++)
			set_pair(m, base[i]);
		for (size_t i = 0; i < G_N_ELEMENTS(common_keys); i++)
			set_one_of(m, common_keys[i].key, common_keys[i].values);
		for (size_t i = 0; !streams && i < G_N_ELEMENTS(register_keys); i++)
			set_one_of(m, register_keys[i].key, register_keys[i].values);
		for (size_t i = 0; streams && i < G_N_ELEMENTS(stream_keys); i++)
			set_one_of(m, stream_keys[i].key, stream_keys[i].values);
	} while (!finish(m->p->sched));
	do {
		g_clear_pointer(&m->p->hw, isa_machine_free);
		m->p->hw = isa_machine_copy(m->p->sched);
		if (random_chance(m, m->p->sched->icu_queue_words ? 60 : 30))
			drift(m);
	} while (!finish(m->p->hw));
}
