/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame of random programs: data, what brings it into the buffers and out of them; and a run of the models.
 */
#include "tests/differential/asc_case.h"
#include "tests/differential/asc_random.h"

#include <string.h>

uint64_t case_below(asc_case *c, uint64_t limit)
{
	return rng_below(&c->r, limit);
}

bool case_chance(asc_case *c, unsigned percent)
{
	return rng_below(&c->r, 100) < percent;
}

static void put_number(asc_case *c, uint64_t at, enum asc_type type, uint64_t bits)
{
	for (unsigned i = 0; i < asc_type_bytes(type); i++)
		c->data[at + i] = (uint8_t)(bits >> 8 * i);
}

/* Two kilobytes of one style: plain numbers, special ones, any bits, offsets of gathers. */
static void fill_chunk(asc_case *c, uint64_t at, uint64_t bytes)
{
	unsigned size = asc_type_bytes(c->theme), style = (unsigned)case_below(c, 100);

	if (style < 15) {
		uint64_t scale = case_chance(c, 50) ? 4 : 32;

		for (uint64_t i = 0; i < bytes; i += 4)
			put_number(c, at + i, ASC_U32, case_below(c, 2048 / scale) * scale);
		return;
	}
	for (uint64_t i = 0; i < bytes; i += size)
		put_number(c, at + i, c->theme,
		           style < 25                        ? rng_next(&c->r)
		           : style < 45 || case_chance(c, 2) ? random_special(c, c->theme)
		                                             : random_plain(c, c->theme));
}

static void fill_data(asc_case *c)
{
	c->data = g_malloc0(CASE_BYTES);
	for (uint64_t at = 0; at < CASE_DATA_BYTES; at += 2048)
		fill_chunk(c, CASE_DATA + at, 2048);
	for (unsigned i = 0; i < 32; i++) /* two fractals: rows (or columns) 0 to 15 and 16 to 31 of 32 bytes */
		c->data[CASE_IDENTITY + i / 16 * 512 + i % 16 * 32 + i] = 1;
}

void case_append(asc_case *c, const asc_insn *insn, bool random)
{
	case_item item = {*insn, random, false};

	g_array_append_vals(c->items, &item, 1);
}

/* An instruction outside the random part, executed by the reference, with a barrier behind it. */
static void fixed(asc_case *c, enum asc_op op, ...)
{
	asc_insn insn = asc_insn_make(op), barrier = asc_insn_make(ASC_OP_BARRIER);
	const char *name;
	va_list args;

	va_start(args, op);
	while ((name = va_arg(args, const char *)) != NULL) {
		int field = asc_field_by_name(op, name);

		g_assert(field >= 0);
		insn.f[field] = va_arg(args, int64_t);
	}
	va_end(args);
	asc_ref_step(c->ref, &insn);
	g_assert(!c->ref->beyond && !c->ref->misaligned);
	case_append(c, &insn, false);
	case_append(c, &barrier, false);
}

#define I(x) ((int64_t)(x))

static void load_cube(asc_case *c)
{
	const case_window *l1 = &c->window[ASC_L1], *a = &c->window[ASC_L0A], *b = &c->window[ASC_L0B];
	int64_t bits = c->machine->bt_bytes;

	fixed(c, ASC_OP_GM_TO_L1, "dst", I(l1->base), "src", I(CASE_DATA), "burst_bytes", I(l1->bytes), NULL);
	fixed(c, ASC_OP_LOAD2D_A, "dst", I(a->base), "src", I(l1->base), "repeat", I(a->bytes / 512), NULL);
	fixed(c, ASC_OP_LOAD2D_B, "dst", I(b->base), "src", I(l1->base + 0x4000), "repeat", I(b->bytes / 512), NULL);
	fixed(c, ASC_OP_MMAD, "type", I(ASC_I8), "c", I(c->window[ASC_L0C].base), "a", I(a->base), "b", I(b->base), "m",
	      I(64), "n", I(128), "k", I(32), NULL);
	if (bits && c->kind == ASC_CUBE)
		fixed(c, ASC_OP_L1_TO_BT, "dst", I(0), "src", I(l1->base), "burst_bytes", bits, NULL);
}

static void out_of_l0c(asc_case *c, int64_t src, int64_t gm, int64_t m, int64_t n)
{
	if (c->kind == ASC_CUBE) {
		fixed(c, ASC_OP_FIX_GM, "type", I(ASC_I32), "dtype", I(ASC_I32), "dst", gm, "src", src, "m", m, "n", n,
		      "src_stride", m, "dst_pitch", n, NULL);
		return;
	}
	fixed(c, ASC_OP_L0C_TO_UB, "type", I(ASC_I32), "dtype", I(ASC_I32), "dst", I(0), "src", src, "m", m, "n", n,
	      "src_stride", m, "dst_pitch", n, NULL);
	fixed(c, ASC_OP_UB_TO_GM, "dst", gm, "src", I(0), "burst_bytes", 4 * m * n, NULL);
}

/* L0A and L0B are seen through products with the identity, of int8. */
static void store_cube(asc_case *c)
{
	const case_window *l1 = &c->window[ASC_L1], *a = &c->window[ASC_L0A], *b = &c->window[ASC_L0B];
	int64_t other = I(c->window[ASC_L0C].base);

	fixed(c, ASC_OP_L1_TO_GM, "dst", I(CASE_L1), "src", I(l1->base), "burst_bytes", I(l1->bytes), NULL);
	out_of_l0c(c, I(c->window[ASC_L0C].base), I(CASE_L0C), I(64), I(128));
	fixed(c, ASC_OP_GM_TO_L1, "dst", I(0), "src", I(CASE_IDENTITY), "burst_bytes", I(1024), NULL);
	fixed(c, ASC_OP_LOAD2D_B, "dst", I(0xfc00), "src", I(0), "repeat", I(2), NULL);
	fixed(c, ASC_OP_LOAD2D_A, "dst", I(0xfc00), "src", I(0), "repeat", I(2), NULL);
	fixed(c, ASC_OP_MMAD, "type", I(ASC_I8), "c", other, "a", I(a->base), "b", I(0xfc00), "m", I(a->bytes / 32),
	      "n", I(32), "k", I(32), NULL);
	out_of_l0c(c, other, I(CASE_L0A), I(a->bytes / 32), I(32));
	fixed(c, ASC_OP_MMAD, "type", I(ASC_I8), "c", other, "a", I(0xfc00), "b", I(b->base), "m", I(32), "n",
	      I(b->bytes / 32), "k", I(32), NULL);
	out_of_l0c(c, other, I(CASE_L0B), I(32), I(b->bytes / 32));
}

static void store_all(asc_case *c)
{
	const case_window *ub = &c->window[ASC_UB];

	for (int64_t i = 0; i < ASC_REGISTERS; i++)
		fixed(c, ASC_OP_STG, "rn", i, "dst", I(CASE_REGISTERS + 8 * i), NULL);
	if (ub->bytes)
		fixed(c, ASC_OP_UB_TO_GM, "dst", I(CASE_UB), "src", I(ub->base), "burst_bytes", I(ub->bytes), NULL);
	if (c->window[ASC_L1].bytes)
		store_cube(c);
}

static case_window window_in(asc_case *c, uint64_t bytes, uint64_t wanted, uint64_t align)
{
	return (case_window){case_below(c, (bytes - wanted) / align + 1) * align, wanted};
}

static void choose_windows(asc_case *c)
{
	static const uint64_t ub_sizes[] = {0x1000, 0x4000, 0x10000};

	c->window[ASC_GM] = (case_window){CASE_DATA, CASE_BYTES};
	if (c->kind != ASC_CUBE)
		c->window[ASC_UB] = window_in(c, c->ref->bytes[ASC_UB], ub_sizes[case_below(c, 3)], 32);
	if (c->kind == ASC_VECTOR)
		return;
	c->window[ASC_L1] = window_in(c, c->ref->bytes[ASC_L1], 0x10000, 32);
	c->window[ASC_L0A] = window_in(c, 0xfc00, 0x4000, 512);
	c->window[ASC_L0B] = window_in(c, 0xfc00, 0x4000, 512);
	c->window[ASC_L0C] = window_in(c, c->ref->bytes[ASC_L0C] - 0x10000, 0x8000, 1024);
	c->window[ASC_BT] = (case_window){0, (uint64_t)c->machine->bt_bytes};
}

static asc_case *case_frame(uint64_t seed, asc_machine *machine, enum asc_kind kind)
{
	static const enum asc_type themes[] = {ASC_F16, ASC_F16, ASC_F32, ASC_F32, ASC_I8, ASC_BF16,
	                                       ASC_I32, ASC_I16, ASC_U8,  ASC_U16, ASC_U32};
	asc_case *c = g_new0(asc_case, 1);

	rng_seed(&c->r, seed, 0xa5c);
	c->seed = seed;
	c->machine = machine;
	c->kind = kind;
	c->theme = themes[case_below(c, G_N_ELEMENTS(themes))];
	c->ref = asc_ref_new(machine, kind, CASE_BYTES);
	c->items = g_array_new(FALSE, FALSE, sizeof(case_item));
	return c;
}

asc_case *asc_case_new(uint64_t seed, asc_machine *machine, enum asc_kind kind, unsigned count, enum asc_op only)
{
	asc_case *c = case_frame(seed, machine, kind);

	fill_data(c);
	memcpy(c->ref->memory[ASC_GM], c->data, CASE_BYTES);
	choose_windows(c);
	if (c->window[ASC_UB].bytes)
		fixed(c, ASC_OP_GM_TO_UB, "dst", I(c->window[ASC_UB].base), "src", I(CASE_DATA), "burst_bytes",
		      I(c->window[ASC_UB].bytes), NULL);
	if (c->window[ASC_L1].bytes)
		load_cube(c);
	for (unsigned i = 0; i < count; i++)
		random_append(c, only);
	store_all(c);
	return c;
}

asc_case *asc_case_bare(uint64_t seed, asc_machine *machine, enum asc_kind kind)
{
	asc_case *c = case_frame(seed, machine, kind);
	uint64_t more = 1u << 2 * case_below(c, 4);

	c->bare = true;
	c->data = g_malloc0(CASE_BYTES);
	c->window[ASC_GM] = (case_window){0, 0x4000 * more};
	if (kind != ASC_CUBE)
		c->window[ASC_UB] = (case_window){0x1000, 0xa00 * more};
	if (kind == ASC_VECTOR)
		return c;
	c->window[ASC_L1] = (case_window){0x2000, 0x1800 * more};
	c->window[ASC_L0A] = c->window[ASC_L0B] = (case_window){0, 0x1000 * MIN(more, 16)};
	c->window[ASC_L0C] = (case_window){0, 0x2000 * MIN(more, 16)};
	c->window[ASC_BT] = (case_window){0, (uint64_t)machine->bt_bytes};
	return c;
}

void asc_case_free(asc_case *c)
{
	g_free(c->data);
	g_array_unref(c->items);
	asc_ref_free(c->ref);
	g_free(c);
}

asc_program *asc_case_program(const asc_case *c)
{
	asc_program *p = asc_program_new();
	asc_stream *s = asc_program_stream(p, c->kind, c->kind == ASC_VECTOR ? 0 : ASC_ALL_BLOCKS, ASC_ALL_BLOCKS);
	asc_image image = {0, CASE_BYTES, g_memdup2(c->data, CASE_BYTES)};
	asc_insn end = asc_insn_make(ASC_OP_END);

	p->blocks = 1;
	g_free(p->machine_name);
	p->machine_name = g_strdup(c->machine->name);
	g_array_append_vals(p->images, &image, 1);
	for (guint i = 0; i < c->items->len; i++) {
		const case_item *item = &g_array_index(c->items, case_item, i);

		if (!item->left_out)
			g_array_append_vals(s->insns, &item->insn, 1);
	}
	g_array_append_vals(s->insns, &end, 1);
	return p;
}

static void on_violation(void *state, const asc_violation *v)
{
	g_array_append_vals(((asc_outcome *)state)->violations, v, 1);
}

static void on_deadlock(void *state, const char *diagnosis)
{
	asc_outcome *o = state;

	g_free(o->diagnosis);
	o->diagnosis = g_strdup(diagnosis);
}

asc_outcome *asc_outcome_of(const asc_program *program, const asc_machine *machine, bool functional)
{
	asc_outcome *o = g_new0(asc_outcome, 1);
	sim_kernel_options kernel_options = {0};
	asc_options options = {.functional = functional};
	asc_listener listener = {.state = o, .violation = on_violation, .deadlock = on_deadlock};
	g_autoptr(GError) error = NULL;
	sim_kernel *kernel;
	asc_chip *chip = NULL;

	o->violations = g_array_new(FALSE, FALSE, sizeof(asc_violation));
	if (!asc_check(program, machine, &error)) {
		o->error = g_strdup(error->message);
		return o;
	}
	kernel = sim_kernel_new("ref", &kernel_options, &error);
	chip = kernel ? asc_chip_new(machine, program, kernel, &listener, &options, &error) : NULL;
	if (chip && sim_kernel_run(kernel, SIM_NEVER - 1, &error)) {
		o->counters = *asc_chip_counters(chip);
		o->gm = g_malloc0(CASE_BYTES);
		if (functional && !asc_chip_read(chip, 0, o->gm, CASE_BYTES))
			o->error = g_strdup("global memory cannot be read");
	} else {
		o->error = g_strdup(error ? error->message : "no reason given");
	}
	asc_chip_free(chip);
	sim_kernel_free(kernel);
	return o;
}

void asc_outcome_free(asc_outcome *o)
{
	g_free(o->gm);
	g_array_unref(o->violations);
	g_free(o->diagnosis);
	g_free(o->error);
	g_free(o);
}
