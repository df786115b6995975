/* SPDX-License-Identifier: Apache-2.0
 *
 * Small helpers of the tests in tests/isa/: finished presets, a seeded generator of legal instructions, comparisons.
 */
#ifndef TSPSIM_TESTS_ISA_SUPPORT_H
#define TSPSIM_TESTS_ISA_SUPPORT_H

#include <string.h>

#include "isa/format.h"
#include "isa/program.h"
#include "tests/lib/tap.h"

/* A preset, finished; SETS is a NULL-terminated list of key, value pairs or NULL.  Ends the test case on error. */
static inline isa_machine *machine_with(const char *name, const char *const *sets)
{
	GError *error = NULL;
	isa_machine *m = isa_machine_load(name, &error);

	if (!m)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	for (; sets && sets[0]; sets += 2)
		CU_ASSERT_TRUE_FATAL(isa_machine_set(m, sets[0], sets[1], &error));
	if (!isa_machine_finish(m, &error))
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NULL_FATAL(error);
	return m;
}

static inline isa_machine *machine(const char *name)
{
	return machine_with(name, NULL);
}

static inline unsigned queue(const isa_machine *m, const char *name)
{
	int index = isa_machine_queue_by_name(m, name);

	CU_ASSERT_TRUE_FATAL(index >= 0);
	return (unsigned)index;
}

/* Fails the case unless ERROR is set and its text holds PART; clears it. */
static inline void expect_error(GError **error, const char *part)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(*error);
	if (!strstr((*error)->message, part))
		tap_note("got:      %s\nexpected: %s", (*error)->message, part);
	CU_ASSERT_PTR_NOT_NULL(strstr((*error)->message, part));
	g_clear_error(error);
}

/* A place that exists, any kind. */
static inline unsigned random_place(GRand *rand)
{
	switch (g_rand_int_range(rand, 0, 7)) {
	case 0:
		return (unsigned)g_rand_int_range(rand, 0, 1024);
	case 1:
		return (unsigned)ISA_PLACE_STREAM(g_rand_boolean(rand), g_rand_int_range(rand, 0, 32));
	case 2:
		return ISA_PLACE_ACT((unsigned)g_rand_int_range(rand, 0, 16));
	case 3:
		return ISA_PLACE_WT((unsigned)g_rand_int_range(rand, 0, 8));
	case 4:
		return ISA_PLACE_ALU((unsigned)g_rand_int_range(rand, 0, 32));
	case 5:
		return ISA_PLACE_IMM;
	default:
		return ISA_PLACE_NONE;
	}
}

/* A legal value of a field: often one of its limits. */
static inline int64_t random_value(GRand *rand, const isa_format_field *f)
{
	int64_t min, max;
	uint64_t span;

	if (f->kind == ISA_KIND_PLACE)
		return random_place(rand);
	if (f->kind == ISA_KIND_TYPE)
		return g_rand_int_range(rand, 0, ISA_TYPE_COUNT);
	isa_field_range(f, &min, &max);
	switch (g_rand_int_range(rand, 0, 4)) {
	case 0:
		return min;
	case 1:
		return max;
	default:
		span = (uint64_t)(max - min) + 1;
		return min + (int64_t)(((uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand)) % span);
	}
}

/* OP with random legal fields. */
static inline isa_insn random_insn(GRand *rand, enum isa_op op, unsigned q, int64_t cycle)
{
	isa_insn insn = isa_insn_make(op, q, cycle);

	for (const isa_format_field *f = isa_formats[isa_ops[op].format].fields; f->bits; f++)
		isa_field_set(&insn, f->field, random_value(rand, f));
	return insn;
}

static inline bool same_fields(const isa_insn *a, const isa_insn *b)
{
	bool same = a->op == b->op;

	for (unsigned field = 0; field < ISA_FIELD_MAX; field++)
		same = same && isa_field_get(a, field) == isa_field_get(b, field);
	return same;
}

/* Field by field: the structs have padding. */
static inline bool same_insn(const isa_insn *a, const isa_insn *b)
{
	return same_fields(a, b) && a->queue == b->queue && a->cycle == b->cycle &&
	       a->loop[0].count == b->loop[0].count && a->loop[1].count == b->loop[1].count &&
	       a->loop[1].interval == b->loop[1].interval && a->loop[1].step == b->loop[1].step;
}

#endif
