/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of Ascend-style instructions: random programs on the reference and on the models, every byte equal.
 *
 * TSPSIM_FUZZ_PROGRAMS and TSPSIM_FUZZ_SEED in the environment ask for more and for others, TSPSIM_FUZZ_OP for one
 * instruction only.  A program that differs is cut down to the instructions that matter and printed as assembly.
 */
#include "tests/differential/asc_case.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { PROGRAMS = 400, REPORTED = 3, INSTRUCTIONS = 12 };

static const struct {
	const char *machine;
	enum asc_kind kind;
} targets[] = {
	{"ascend-910a", ASC_COUPLED},
	{"ascend-910b", ASC_CUBE},
	{"ascend-910b", ASC_VECTOR},
	{"ascend-310p", ASC_COUPLED},
};

static struct {
	unsigned programs, differing, refused, beyond;
	uint64_t instructions, bytes, executed[ASC_OP_COUNT];
} tally;

/* Findings that say nothing about values: buffers come up undefined, and operands may lie as they like. */
static bool is_expected(const asc_violation *v)
{
	return v->kind == ASC_FINDING_UNINITIALISED || v->kind == ASC_FINDING_OVERLAP;
}

static const char *place_of(uint64_t address)
{
	return address >= CASE_L0B         ? "l0b"
	       : address >= CASE_L0A       ? "l0a"
	       : address >= CASE_L0C       ? "l0c"
	       : address >= CASE_L1        ? "l1"
	       : address >= CASE_UB        ? "ub"
	       : address >= CASE_REGISTERS ? "registers"
	                                   : "gm";
}

/* Runs the reference again, over what is not left out; BEYOND gets a mark for each instruction that reached beyond a
 * buffer. */
static void run_reference(const asc_program *p, const asc_case *c, asc_ref *r, uint8_t *beyond)
{
	const asc_stream *s = p->streams->pdata[0];

	memcpy(r->memory[ASC_GM], c->data, CASE_BYTES);
	for (guint i = 0; i < s->insns->len; i++) {
		asc_ref_step(r, &g_array_index(s->insns, asc_insn, i));
		beyond[i] = r->beyond;
	}
}

static unsigned differences(const asc_case *c, GString *text)
{
	asc_program *p = asc_case_program(c);
	asc_ref *r = asc_ref_new(c->machine, c->kind, CASE_BYTES);
	unsigned found = 0, count = 0;
	asc_outcome *o = asc_outcome_of(p, c->machine, true);
	guint length = ((const asc_stream *)p->streams->pdata[0])->insns->len;
	g_autofree uint8_t *beyond = g_malloc0(length);

	run_reference(p, c, r, beyond);
	for (guint i = 0; i < o->violations->len; i++) {
		const asc_violation *v = &g_array_index(o->violations, asc_violation, i);

		if (v->kind == ASC_FINDING_ADDRESS_RANGE && beyond[v->insn]) {
			beyond[v->insn] = 2;
			continue;
		}
		if (is_expected(v))
			continue;
		if (text && count < 4)
			g_string_append_printf(text, "finding %s by instruction %u at %s 0x%" G_GINT64_MODIFIER "x\n",
			                       asc_violation_name(v->kind), v->insn, asc_space_name(v->space),
			                       v->address);
		count++;
	}
	for (guint i = 0; i < length; i++) {
		if (beyond[i] != 1)
			continue;
		if (text)
			g_string_append_printf(text, "instruction %u reaches beyond its buffer, not found\n", i);
		count++;
	}
	if (o->error || o->diagnosis) {
		if (text)
			g_string_append_printf(text, "%s\n", o->error ? o->error : o->diagnosis);
		count++;
	}
	for (uint64_t i = 0; o->gm && i < CASE_BYTES; i++) {
		if (o->gm[i] == r->memory[ASC_GM][i])
			continue;
		if (text && found < 6)
			g_string_append_printf(text, "0x%05" G_GINT64_MODIFIER "x (%s): models %02x, reference %02x\n",
			                       i, place_of(i), o->gm[i], r->memory[ASC_GM][i]);
		found++;
	}
	if (text && found > 6)
		g_string_append_printf(text, "%u bytes differ\n", found);
	asc_outcome_free(o);
	asc_program_free(p);
	asc_ref_free(r);
	return count + found;
}

static void cut_down(asc_case *c)
{
	for (unsigned step = 16; step; step /= 2)
		for (guint i = 0; i < c->items->len; i += step) {
			guint end = MIN(i + step, c->items->len);
			bool any = false;

			for (guint k = i; k < end; k++)
				any |= g_array_index(c->items, case_item, k).random &&
				       !g_array_index(c->items, case_item, k).left_out;
			if (!any)
				continue;
			for (guint k = i; k < end; k++)
				if (g_array_index(c->items, case_item, k).random)
					g_array_index(c->items, case_item, k).left_out ^= true;
			if (differences(c, NULL))
				continue;
			for (guint k = i; k < end; k++)
				if (g_array_index(c->items, case_item, k).random)
					g_array_index(c->items, case_item, k).left_out ^= true;
		}
}

static void print_random_part(const asc_case *c)
{
	asc_program *p = asc_program_new();
	asc_stream *s = asc_program_stream(p, c->kind, ASC_ALL_BLOCKS, ASC_ALL_BLOCKS);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	for (guint i = 0; i < c->items->len; i++) {
		const case_item *item = &g_array_index(c->items, case_item, i);

		if (item->random && !item->left_out)
			g_array_append_vals(s->insns, &item->insn, 1);
	}
	text = asc_disassemble(p, c->machine);
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		if (**line)
			tap_note("  %s", *line);
	asc_program_free(p);
}

static void explain(asc_case *c)
{
	g_autoptr(GString) report = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;

	cut_down(c);
	differences(c, report);
	tap_note("seed %" G_GUINT64_FORMAT ", %s, %s core, UB from 0x%" G_GINT64_MODIFIER
	         "x, L1 from 0x%" G_GINT64_MODIFIER "x",
	         c->seed, c->machine->name, asc_kind_name(c->kind), c->window[ASC_UB].base, c->window[ASC_L1].base);
	lines = g_strsplit(report->str, "\n", -1);
	for (char **line = lines; *line; line++)
		if (**line)
			tap_note("%s", *line);
	print_random_part(c);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = g_getenv(variable);

	return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

static void one_program(uint64_t seed, asc_machine *machine, enum asc_kind kind, enum asc_op only)
{
	asc_case *c = asc_case_new(seed, machine, kind, INSTRUCTIONS, only);

	tally.programs++;
	tally.instructions += c->items->len;
	tally.bytes += CASE_BYTES;
	tally.beyond += c->beyond;
	for (unsigned op = 0; op < ASC_OP_COUNT; op++)
		tally.executed[op] += c->executed[op];
	if (differences(c, NULL) && tally.differing++ < REPORTED)
		explain(c);
	asc_case_free(c);
}

static void reference_and_models_agree_on_every_byte(void)
{
	uint64_t programs = number_from("TSPSIM_FUZZ_PROGRAMS", PROGRAMS), seed = number_from("TSPSIM_FUZZ_SEED", 1);
	const char *name = g_getenv("TSPSIM_FUZZ_OP");
	enum asc_op only = name && *name ? (enum asc_op)asc_op_by_name(name) : ASC_OP_COUNT;
	asc_machine *machine[G_N_ELEMENTS(targets)];

	for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++) {
		machine[i] = asc_machine_load(targets[i].machine, NULL);
		CU_ASSERT_PTR_NOT_NULL_FATAL(machine[i]);
		CU_ASSERT_TRUE_FATAL(asc_machine_finish(machine[i], NULL));
	}
	for (uint64_t i = 0; i < programs; i++) {
		unsigned t = (unsigned)(i % G_N_ELEMENTS(targets));

		if (only != ASC_OP_COUNT && !(asc_op(only)->cores >> targets[t].kind & 1))
			continue;
		one_program(seed + i, machine[t], targets[t].kind, only);
	}
	tap_note("%u programs, %" G_GUINT64_FORMAT " instructions, %" G_GUINT64_FORMAT
	         " bytes compared, %u instructions beyond a buffer, %u programs differ",
	         tally.programs, tally.instructions, tally.bytes, tally.beyond, tally.differing);
	for (unsigned op = 0; op < ASC_OP_COUNT; op++)
		if (tally.executed[op] && g_getenv("TSPSIM_FUZZ_TALLY"))
			tap_note("%-12s %" G_GUINT64_FORMAT, asc_op((enum asc_op)op)->mnemonic, tally.executed[op]);
	CU_ASSERT_EQUAL(tally.differing, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++)
		asc_machine_free(machine[i]);
}

int main(void)
{
	static const tap_case cases[] = {
		{"reference_and_models_agree_on_every_byte", reference_and_models_agree_on_every_byte},
	};

	return tap_run("asc_values", cases, G_N_ELEMENTS(cases));
}
