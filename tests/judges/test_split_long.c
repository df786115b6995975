/* SPDX-License-Identifier: Apache-2.0
 *
 * Two judges on larger programs: every key of both machines, one unit less and more, on either side. No table says what
 * must come of each; what must hold for all of them is that no run breaks, that wrong values never pass without a
 * violation, and that the models need no predictions for what they find.
 *
 * Minutes: part of check-long.
 */
#include <string.h>

#include "tests/judges/split.h"
#include "tests/lib/tap.h"

static const char *const programs[] = {
	"gemm:200x330x700",
	"gemm:200x330x700:int8",
	"conv:1x20x14x14,24x3x3,stride=2,pad=1",
	"conv:1x32x9x9,32x3x3,groups=4:int8",
	"attention:1x2x48x64",
	"softmax:330x70",
	"layernorm:33x200",
	"fft:1024",
	"transpose:130x330",
	"vmap:tanh,100000:fp32",
};

/* What all outcomes together were, for the log. */
static unsigned seen[SPLIT_BROKEN + 1];

static void try_one(split_lab *lab, split_case *c, const char *key)
{
	split_outcome outcome = split_run(lab, c);
	bool silent = outcome.wrong && !outcome.violations && strcmp(key, "mxm.fp16_sum_rows") != 0;

	seen[outcome.verdict]++;
	if (outcome.verdict == SPLIT_BROKEN || silent || !outcome.blind)
		tap_note("%s %s, %s with %s: %s", c->machine, c->program,
		         c->side == SPLIT_SCHED ? "scheduled" : "simulated", c->changes,
		         outcome.message ? outcome.message
		         : silent        ? "wrong values and no violation"
		                         : "without predictions the models say something else");
	CU_ASSERT_NOT_EQUAL(outcome.verdict, SPLIT_BROKEN);
	CU_ASSERT_FALSE(silent);
	CU_ASSERT_TRUE(outcome.blind);
	split_outcome_fini(&outcome);
}

static void try_key(split_lab *lab, split_case *c, const isa_machine *machine, int key)
{
	int elements = split_elements(machine, key);

	if (isa_keys[key].type == ISA_KEY_STRING)
		return;
	for (int element = 0; element < MAX(elements, 1); element++)
		for (unsigned column = 0; column < 4; column++) {
			g_autofree char *changes = NULL;

			if (isa_keys[key].type == ISA_KEY_TABLE && !elements)
				continue;
			changes = split_one_unit(machine, key, elements ? element : -1, column % 2);
			c->side = column < 2 ? SPLIT_SCHED : SPLIT_HW;
			c->changes = changes;
			try_one(lab, c, isa_keys[key].path);
		}
}

static void try_machine(const char *name)
{
	split_lab *lab = split_lab_new();
	const isa_machine *machine = split_machine(lab, name, "");

	memset(seen, 0, sizeof seen);
	for (size_t p = 0; p < G_N_ELEMENTS(programs); p++) {
		split_case c = {name, "", programs[p], SPLIT_NEITHER, ""};
		split_outcome outcome = split_run(lab, &c);

		if (outcome.verdict != SPLIT_NOTHING)
			tap_note("%s %s: not clean where both sides agree", name, programs[p]);
		CU_ASSERT_EQUAL(outcome.verdict, SPLIT_NOTHING);
		split_outcome_fini(&outcome);
		for (int key = 0; key < (int)isa_key_count; key++)
			try_key(lab, &c, machine, key);
	}
	tap_note("%s: %u violate, %u slip, %u unfit, %u wrong only, %u differ only, %u nothing, %u not run", name,
	         seen[SPLIT_VIOLATES], seen[SPLIT_SLIPS], seen[SPLIT_UNFIT], seen[SPLIT_RESULT], seen[SPLIT_DIFFERS],
	         seen[SPLIT_NOTHING], seen[SPLIT_NO_PROGRAM] + seen[SPLIT_NO_MACHINE] + seen[SPLIT_LIMIT]);
	split_lab_free(lab);
}

static void no_wrong_value_passes_unnoticed_on_tsp(void)
{
	try_machine("tsp");
}

static void no_wrong_value_passes_unnoticed_on_tsp_isca20(void)
{
	try_machine("tsp-isca20");
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(no_wrong_value_passes_unnoticed_on_tsp),
		CASE(no_wrong_value_passes_unnoticed_on_tsp_isca20),
	};

	return tap_run("two judges, long", cases, G_N_ELEMENTS(cases));
}
