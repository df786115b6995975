/* SPDX-License-Identifier: Apache-2.0
 *
 * Pipeline stages: splits worked out by hand, and random graphs against every assignment there is.
 */
#include <math.h>
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/partition.h"
#include "tests/lib/tap.h"

static const part_options how = {.ideals_max = 1000};

static uint32_t add_node(part_problem *p, double work, double host_work, double transfer, double bytes)
{
	part_node n = {.name = g_strdup_printf("n%u", p->nodes->len),
	               .work = work,
	               .host_work = host_work,
	               .transfer = transfer,
	               .bytes = bytes,
	               .class = UINT32_MAX};

	g_array_append_val(p->nodes, n);
	return p->nodes->len - 1;
}

static void add_edge(part_problem *p, uint32_t from, uint32_t to)
{
	part_edge e = {from, to};

	g_array_append_val(p->edges, e);
}

/* A chain of works 3 1 4 2, transfers 1. */
static part_problem *chain(void)
{
	static const double work[] = {3, 1, 4, 2};
	part_problem *p = part_problem_new();

	for (unsigned i = 0; i < 4; i++) {
		add_node(p, work[i], 10 * work[i], 1, 100);
		if (i)
			add_edge(p, i - 1, i);
	}
	p->accelerators = 2;
	p->memory_bytes = 1000;
	return p;
}

/* 3+1 | 4+2: loads 4 + 1 and 1 + 6.  3+1+4 | 2: 8 + 1 and 1 + 2.  3 | 7: 4 and 8.  So 7. */
static void a_chain_is_cut_where_work_and_transfer_balance(void)
{
	part_problem *p = chain();
	part_result r;
	bool valid;
	double *load;

	CU_ASSERT_TRUE(part_solve(p, &how, &r, NULL));
	CU_ASSERT_EQUAL(r.max_load, 7.0);
	CU_ASSERT_TRUE(r.proved);
	CU_ASSERT_EQUAL(r.ideals, 5);
	CU_ASSERT_EQUAL(r.device[0], 0);
	CU_ASSERT_EQUAL(r.device[1], 0);
	CU_ASSERT_EQUAL(r.device[2], 1);
	CU_ASSERT_EQUAL(r.device[3], 1);
	load = part_check(p, r.device, &valid);
	CU_ASSERT_TRUE(valid);
	CU_ASSERT_EQUAL(load[r.device[0]], 5.0);
	CU_ASSERT_EQUAL(load[r.device[2]], 7.0);
	g_free(load);
	part_result_fini(&r);
	part_problem_free(p);
}

/* 250 bytes hold two nodes: that forces the same cut; 150 hold one, and two devices do not do. */
static void memory_rules_splits_out(void)
{
	part_problem *p = chain();
	part_result r;
	GError *error = NULL;

	p->memory_bytes = 250;
	CU_ASSERT_TRUE(part_solve(p, &how, &r, NULL));
	CU_ASSERT_EQUAL(r.max_load, 7.0);
	part_result_fini(&r);
	p->memory_bytes = 150;
	CU_ASSERT_FALSE(part_solve(p, &how, &r, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	g_clear_error(&error);
	/* Four devices: the busiest is the third, 4 and a transfer on each side. */
	p->accelerators = 4;
	CU_ASSERT_TRUE(part_solve(p, &how, &r, NULL));
	CU_ASSERT_EQUAL(r.max_load, 6.0);
	part_result_fini(&r);
	part_problem_free(p);
}

/* A host core does the last node (20 of work, no transfer of its own) only where that is less than the best of
 * accelerators alone: with its work at 5, 3+1+4 | host gives 9 and 5; 3+1 | 4 | host 5, 6 and 5. */
static void a_host_core_takes_part_without_transfers(void)
{
	part_problem *p = chain();
	part_result r;

	g_array_index(p->nodes, part_node, 3).host_work = 5;
	p->hosts = 1;
	CU_ASSERT_TRUE(part_solve(p, &how, &r, NULL));
	CU_ASSERT_EQUAL(r.max_load, 6.0);
	CU_ASSERT_EQUAL(r.device[3], 2);
	part_result_fini(&r);
	part_problem_free(p);
}

/* The first and the last node of one class: everything between them shares their device. */
static void a_class_that_embraces_the_chain_leaves_no_cut(void)
{
	part_problem *p = chain();
	part_result r;

	g_array_index(p->nodes, part_node, 0).class = 7;
	g_array_index(p->nodes, part_node, 3).class = 7;
	CU_ASSERT_TRUE(part_solve(p, &how, &r, NULL));
	CU_ASSERT_EQUAL(r.max_load, 10.0);
	CU_ASSERT_EQUAL(r.ideals, 2);
	part_result_fini(&r);
	part_problem_free(p);
}

/* Forward 0 -> 1, backward 3 -> 2 with 1 -> 3; classes (0, 2) and (1, 3): two stages, mirrored.  Device of (0, 2): work
 * 1 + 2, moves 0 out and 3 in; of (1, 3): 4 + 3 and the same two transfers. */
static void the_backward_part_runs_through_the_stages_the_other_way(void)
{
	static const double work[] = {1, 4, 2, 3};
	part_problem *p = part_problem_new();
	part_result r;

	for (unsigned i = 0; i < 4; i++) {
		add_node(p, work[i], INFINITY, 0.5, 0);
		g_array_index(p->nodes, part_node, i).backward = i >= 2;
		g_array_index(p->nodes, part_node, i).class = i % 2;
	}
	add_edge(p, 0, 1);
	add_edge(p, 1, 3);
	add_edge(p, 3, 2);
	p->accelerators = 2;
	p->memory_bytes = 1;
	CU_ASSERT_TRUE(part_solve(p, &how, &r, NULL));
	CU_ASSERT_EQUAL(r.ideals, 3);
	CU_ASSERT_EQUAL(r.max_load, 8.0);
	part_result_fini(&r);
	part_problem_free(p);
}

/* A ladder without edges has 2^n down-sets. */
static void too_many_cuts_are_refused(void)
{
	part_problem *p = part_problem_new();
	part_result r;
	GError *error = NULL;

	for (unsigned i = 0; i < 20; i++)
		add_node(p, 1, 1, 0, 0);
	p->accelerators = 2;
	CU_ASSERT_FALSE(part_solve(p, &how, &r, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED));
	g_clear_error(&error);
	part_problem_free(p);
}

/* Splits are checked by definition, whichever solver they come from. */
static void splits_that_come_back_are_refused(void)
{
	static const uint32_t apart[] = {0, 1, 0, 1}, together[] = {0, 0, 1, 1}, nowhere[] = {0, 0, 1, 9};
	part_problem *p = chain();
	bool valid;

	g_free(part_check(p, apart, &valid));
	CU_ASSERT_FALSE(valid);
	g_free(part_check(p, together, &valid));
	CU_ASSERT_TRUE(valid);
	g_free(part_check(p, nowhere, &valid));
	CU_ASSERT_FALSE(valid);
	part_problem_free(p);
}

static part_problem *random_problem(rng *r)
{
	part_problem *p = part_problem_new();
	uint32_t nodes = 3 + (uint32_t)rng_below(r, 5);

	p->accelerators = 1 + (uint32_t)rng_below(r, 3);
	p->hosts = (uint32_t)rng_below(r, 2);
	p->memory_bytes = (double)(8 + rng_below(r, 12));
	for (uint32_t i = 0; i < nodes; i++) {
		add_node(p, rng_below(r, 12) ? (double)rng_below(r, 9) : INFINITY, (double)rng_below(r, 40),
		         (double)rng_below(r, 4), (double)rng_below(r, 5));
		for (uint32_t k = 0; k < i; k++)
			if (!rng_below(r, 3))
				add_edge(p, k, i);
	}
	return p;
}

/* The devices along a chain are in no order, so a split of which every part is contiguous need not be a chain of
 * down-sets: of those that PART_CHECK takes only chains count, which are found by the order of the devices. */
static bool is_chain(const part_problem *p, const uint32_t *device)
{
	uint32_t devices = p->accelerators + p->hosts;
	g_autofree bool *gone = g_new0(bool, devices);

	for (uint32_t round = 0; round < devices; round++)
		for (uint32_t d = 0; d < devices; d++) {
			bool first = !gone[d];

			for (guint i = 0; i < p->edges->len; i++) {
				const part_edge *e = &g_array_index(p->edges, part_edge, i);

				first = first && (device[e->to] != d || device[e->from] == d || gone[device[e->from]]);
			}
			gone[d] = gone[d] || first;
		}
	for (uint32_t d = 0; d < devices; d++)
		if (!gone[d])
			return false;
	return true;
}

static double try_all(const part_problem *p)
{
	uint32_t devices = p->accelerators + p->hosts, device[8] = {0};
	double best = INFINITY;

	for (;;) {
		bool valid;
		double *load = part_check(p, device, &valid), most = 0;
		uint32_t i = 0;

		for (uint32_t d = 0; d < devices; d++)
			most = MAX(most, load[d]);
		g_free(load);
		if (valid && is_chain(p, device))
			best = MIN(best, most);
		while (i < p->nodes->len && ++device[i] == devices)
			device[i++] = 0;
		if (i == p->nodes->len)
			return best;
	}
}

static void random_graphs_have_no_better_split(void)
{
	unsigned solved = 0, none = 0;
	rng r;

	rng_seed(&r, 5, 0);
	for (unsigned round = 0; round < 150; round++) {
		part_problem *p = random_problem(&r);
		double best = try_all(p);
		part_result result;
		bool valid;

		if (part_solve(p, &how, &result, NULL)) {
			CU_ASSERT_EQUAL(result.max_load, best);
			g_free(part_check(p, result.device, &valid));
			CU_ASSERT_TRUE(valid);
			CU_ASSERT_TRUE(result.lower_bound <= best);
			solved++;
		} else {
			CU_ASSERT_TRUE(isinf(best));
			none++;
		}
		part_result_fini(&result);
		part_problem_free(p);
	}
	CU_ASSERT_TRUE(solved > 50 && none > 5);
}

static void files_of_both_formats_are_read(void)
{
	static const char text[] =
		"{\"maxFPGAs\": 2, \"maxCPUs\": 1, \"maxSizePerFPGA\": 64.0, \"nodes\": [{\"id\": 4, "
		"\"supportedOnFpga\": 0, \"cpuLatency\": 2.5, \"fpgaLatency\": 1, \"size\": 3, "
		"\"isBackwardNode\": 0, \"colorClass\": 9}, {\"id\": 7, \"cpuLatency\": 1}], \"edges\": "
		"[{\"sourceId\": 4, \"destId\": 7, \"cost\": 0.25}]}";
	static const char profile[] =
		"\ta -- b\na -- Conv2d(1, 2) -- forward_compute_time=1.5, backward_compute_time=2, "
		"activation_size=[100.0; 20.0], parameter_size=8\nb -- ReLU -- "
		"forward_compute_time=0, backward_compute_time=0, activation_size=0, parameter_size=0\n";
	part_problem *p = part_read_json(text, strlen(text), "x.json", NULL);
	const part_node *n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	n = &g_array_index(p->nodes, part_node, 0);
	CU_ASSERT_EQUAL(p->accelerators, 2);
	CU_ASSERT_EQUAL(p->hosts, 1);
	CU_ASSERT_EQUAL(p->memory_bytes, 64.0);
	CU_ASSERT_TRUE(isinf(n->work));
	CU_ASSERT_EQUAL(n->host_work, 2.5);
	CU_ASSERT_EQUAL(n->transfer, 0.25);
	CU_ASSERT_EQUAL(n->class, 9);
	CU_ASSERT_EQUAL(g_array_index(p->edges, part_edge, 0).to, 1);
	part_problem_free(p);
	p = part_read_profile(profile, "x.txt", 40, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	n = &g_array_index(p->nodes, part_node, 0);
	CU_ASSERT_EQUAL(n->work, 3.5);
	CU_ASSERT_EQUAL(n->transfer, 3.0);
	CU_ASSERT_EQUAL(n->bytes, 8.0);
	CU_ASSERT_EQUAL(p->edges->len, 1);
	part_problem_free(p);
}

static void refusals_say_where(void)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"{", "x:1:1: Parse error: "},
		{"[]", "x:1:1: expected an object"},
		{"{\"nodes\": []}", "x: expected an array 'edges'"},
		{"{\"nodes\": [], \"edges\": []}", "x: expected at least one node"},
		{"{\"nodes\": [{\"id\": 1}, {\"id\": 1}], \"edges\": []}",
	         "x: nodes[1]: expected an id that no other node has"},
		{"{\"nodes\": [{\"id\": 1, \"size\": -4}], \"edges\": []}",
	         "x: nodes[0]: expected fpgaLatency, cpuLatency and size to be numbers from 0"},
		{"{\"nodes\": [{\"id\": 1}], \"edges\": [{\"sourceId\": 1, \"destId\": 2}]}",
	         "x: edges[0]: expected sourceId and destId to be ids of nodes"},
		{"{\"nodes\": [{\"id\": 1, \"size\": 3,\n \"size\": 4}], \"edges\": []}",
	         "x:2:2: member 'size' stands twice in this object"},
		/* Names are compared as what they spell; values and other objects may say the same. */
		{"{\"nodes\": [], \"a\": \"a\", \"b\": {\"a\": 1}, \"\\u0061\": 1, \"edges\": []}",
	         "x:1:40: member 'a' stands twice in this object"},
	};
	GError *error = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		CU_ASSERT_PTR_NULL(part_read_json(rows[i].text, strlen(rows[i].text), "x", &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_TRUE(g_str_has_prefix(error->message, rows[i].message));
		if (!g_str_has_prefix(error->message, rows[i].message))
			tap_note("%s", error->message);
		g_clear_error(&error);
	}
	CU_ASSERT_PTR_NULL(part_read_profile("a -- b -- c\n", "p", 0, &error));
	CU_ASSERT_TRUE(g_str_has_prefix(error->message, "p:1:1: expected 'NAME -- LAYER -- forward_compute_time=.., "));
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(part_read_profile("a -- b -- forward_compute_time=1, backward_compute_time=1, "
	                                     "activation_size=1, parameter_size=1, activation_size=2\n",
	                                     "p", 0, &error));
	CU_ASSERT_TRUE(g_str_has_suffix(error->message, "each once"));
	g_clear_error(&error);
	CU_ASSERT_PTR_NULL(part_read_profile("\ta -- b\n", "p", 0, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "p:1:1: expected 'NAME -- NAME', two nodes from above");
	g_clear_error(&error);
}

int main(void)
{
	static const tap_case cases[] = {
		{"a_chain_is_cut_where_work_and_transfer_balance", a_chain_is_cut_where_work_and_transfer_balance},
		{"memory_rules_splits_out", memory_rules_splits_out},
		{"a_host_core_takes_part_without_transfers", a_host_core_takes_part_without_transfers},
		{"a_class_that_embraces_the_chain_leaves_no_cut", a_class_that_embraces_the_chain_leaves_no_cut},
		{"the_backward_part_runs_through_the_stages_the_other_way",
	         the_backward_part_runs_through_the_stages_the_other_way},
		{"too_many_cuts_are_refused", too_many_cuts_are_refused},
		{"splits_that_come_back_are_refused", splits_that_come_back_are_refused},
		{"random_graphs_have_no_better_split", random_graphs_have_no_better_split},
		{"files_of_both_formats_are_read", files_of_both_formats_are_read},
		{"refusals_say_where", refusals_say_where},
	};

	return tap_run("partition", cases, G_N_ELEMENTS(cases));
}
