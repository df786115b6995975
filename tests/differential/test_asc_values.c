/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of Ascend-style instructions: random programs on the reference and on the models, every byte equal.
 *
 * TSPSIM_FUZZ_PROGRAMS and TSPSIM_FUZZ_SEED in the environment ask for more and for others, TSPSIM_FUZZ_OP for one
 * instruction only.  A program that differs is cut down to the instructions that matter and printed as assembly.
 */
#include "tests/differential/asc_num.h"
#include "tests/differential/asc_random.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

enum { PROGRAMS = 40, REPORTED = 3, INSTRUCTIONS = 12 };

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

enum { LOOP_BODY = 14, COUNTER = 31 - 8, POINTER = 24 };

static void push(GArray *insns, enum asc_op op, int64_t a, int64_t b, int64_t m, bool in_register)
{
	asc_insn insn = asc_insn_make(op);

	insn.f[0] = a;
	insn.f[1] = b;
	insn.f[2] = m;
	if (in_register)
		insn.regs = op == ASC_OP_STG ? 1u << 1 : op >= ASC_OP_BEQ && op <= ASC_OP_BGE ? 1u << 1 : 1u << 2;
	g_array_append_val(insns, insn);
}

/* A counted loop whose body computes, branches ahead and stores a register to the next place each time. */
static GArray *random_loop(rng *r)
{
	GArray *insns = g_array_new(FALSE, FALSE, sizeof(asc_insn));
	guint top;

	for (int64_t i = 0; i < 20; i++)
		push(insns, ASC_OP_MOVI, i, rng_below(r, 2) ? (int64_t)rng_next(r) : (int64_t)rng_below(r, 70) - 3, 0,
		     false);
	push(insns, ASC_OP_MOVI, COUNTER, (int64_t)rng_below(r, 12) + 1, 0, false);
	push(insns, ASC_OP_MOVI, POINTER, CASE_WRITTEN, 0, false);
	top = insns->len;
	for (unsigned i = 0; i < LOOP_BODY; i++) {
		enum asc_op op = (enum asc_op)(ASC_OP_ADD + rng_below(r, ASC_OP_SHR - ASC_OP_ADD + 1));
		int64_t a = (int64_t)rng_below(r, 20), b = (int64_t)rng_below(r, 20), m = (int64_t)rng_below(r, 20);

		if (rng_below(r, 4) == 0)
			push(insns, (enum asc_op)(ASC_OP_JUMP + 1 + rng_below(r, 4)), a, b,
			     (int64_t)(top + i + 1 + rng_below(r, LOOP_BODY - i)), true);
		else
			push(insns, op, a, b, m, rng_below(r, 4) > 0);
	}
	push(insns, ASC_OP_STG, (int64_t)rng_below(r, 20), POINTER, 8, true);
	push(insns, ASC_OP_ADD, POINTER, POINTER, 8, false);
	push(insns, ASC_OP_SUB, COUNTER, COUNTER, 1, false);
	push(insns, ASC_OP_BNE, COUNTER, 0, top, false);
	for (int64_t i = 0; i < ASC_REGISTERS; i++)
		push(insns, ASC_OP_STG, i, CASE_REGISTERS + 8 * i, 8, false);
	return insns;
}

static void loops_and_branches_lead_where_they_say(void)
{
	asc_machine *machine = asc_machine_load("ascend-910b", NULL);
	uint64_t programs = number_from("TSPSIM_FUZZ_PROGRAMS", PROGRAMS), seed = number_from("TSPSIM_FUZZ_SEED", 1);
	unsigned differing = 0;

	CU_ASSERT_TRUE_FATAL(machine && asc_machine_finish(machine, NULL));
	for (uint64_t i = 0; i < programs; i++) {
		asc_case c = {
			.machine = machine, .kind = ASC_VECTOR, .items = g_array_new(FALSE, FALSE, sizeof(case_item))};
		asc_ref *ref = asc_ref_new(machine, ASC_VECTOR, CASE_BYTES);
		asc_program *p;
		asc_outcome *o;
		GArray *insns;
		rng r;

		rng_seed(&r, seed + i, 0x100b);
		insns = random_loop(&r);
		c.data = g_malloc0(CASE_BYTES);
		for (guint k = 0; k < insns->len; k++)
			case_append(&c, &g_array_index(insns, asc_insn, k), false);
		p = asc_case_program(&c);
		o = asc_outcome_of(p, machine, true);
		CU_ASSERT_TRUE(asc_ref_run(ref, (const asc_insn *)insns->data, insns->len, 10000));
		if (o->error || !o->gm || memcmp(o->gm, ref->memory[ASC_GM], CASE_BYTES) != 0)
			differing++;
		asc_outcome_free(o);
		asc_program_free(p);
		asc_ref_free(ref);
		g_array_unref(insns);
		g_array_unref(c.items);
		g_free(c.data);
	}
	tap_note("%" G_GUINT64_FORMAT " loops, %u differ", programs, differing);
	CU_ASSERT_EQUAL(differing, 0);
	asc_machine_free(machine);
}

static uint64_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return isnan(f) ? 0x7fc00000 : bits;
}

/* The host's single-precision arithmetic rounds the same way. */
static void numbers_of_the_reference_are_those_of_the_host(void)
{
	uint64_t wrong = 0;
	rng r;

	rng_seed(&r, 1, 0xf10a7);
	for (unsigned i = 0; i < 200000; i++) {
		uint32_t bits[3];
		float f[3];
		big x[3];

		for (unsigned k = 0; k < 3; k++) {
			/* All of the range, or near one another so that sums cancel. */
			bits[k] = (uint32_t)rng_next(&r);
			if (i % 2)
				bits[k] = (bits[k] & 0x81ffffff) | 0x3e000000;
			memcpy(&f[k], &bits[k], sizeof(f[k]));
			x[k] = big_from_bits(ASC_F32, bits[k]);
		}
		wrong += big_round(big_add(x[0], x[1]), ASC_F32, ROUND_EVEN) != bits_of(f[0] + f[1]);
		wrong += big_round(big_mul(x[0], x[1]), ASC_F32, ROUND_EVEN) != bits_of(f[0] * f[1]);
		wrong += big_round(big_div(x[0], x[1]), ASC_F32, ROUND_EVEN) != bits_of(f[0] / f[1]);
		wrong += big_round(big_sqrt(x[0]), ASC_F32, ROUND_EVEN) != bits_of(sqrtf(f[0]));
		wrong += big_round(big_add(big_mul(x[0], x[1]), x[2]), ASC_F32, ROUND_EVEN) !=
		         bits_of(fmaf(f[0], f[1], f[2]));
	}
	CU_ASSERT_EQUAL(wrong, 0);
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
	/* Everything that has a value came up; mask and mode do between others. */
	for (unsigned op = 0; only == ASC_OP_COUNT && programs >= PROGRAMS && op < ASC_OP_COUNT; op++)
		if (asc_op((enum asc_op)op)->pipe != ASC_PIPE_S)
			CU_ASSERT_TRUE(tally.executed[op] > 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++)
		asc_machine_free(machine[i]);
}

int main(void)
{
	static const tap_case cases[] = {
		{"numbers_of_the_reference_are_those_of_the_host", numbers_of_the_reference_are_those_of_the_host},
		{"loops_and_branches_lead_where_they_say", loops_and_branches_lead_where_they_say},
		{"reference_and_models_agree_on_every_byte", reference_and_models_agree_on_every_byte},
	};

	return tap_run("asc_values", cases, G_N_ELEMENTS(cases));
}
