/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever stands in the queues, the model must neither crash nor depend on the order inside a phase.  Programs are
 * made of legal words with unreasonable fields, of legal words with flipped bits, and of noise; each runs under every
 * policy, in both modes, in several orders.  Run it under the sanitizers.
 */
#include <string.h>

#include "isa/rng.h"
#include "tests/unit/model_rig.h"

enum { WORDS = 30, UNTIL = 600 };

/* Small numbers mostly, now and then anything. */
static uint32_t some(rng *random, uint32_t usual)
{
	switch (rng_below(random, 12)) {
	case 0:
		return (uint32_t)rng_next(random);
	case 1:
		return 0;
	default:
		return (uint32_t)rng_below(random, usual);
	}
}

static uint16_t some_place(rng *random, bool streams)
{
	switch (rng_below(random, 16)) {
	case 0:
		return (uint16_t)ISA_PLACE_ACT((int)rng_below(random, 16));
	case 1:
		return (uint16_t)ISA_PLACE_WT((int)rng_below(random, 8));
	case 2:
		return (uint16_t)ISA_PLACE_ALU((int)rng_below(random, 32));
	case 3:
		return ISA_PLACE_IMM;
	case 4:
		return ISA_PLACE_NONE;
	case 5:
		return (uint16_t)rng_below(random, 4096);
	default:
		return (uint16_t)(streams ? ISA_PLACE_STREAM(rng_below(random, 2) != 0, (int)rng_below(random, 8))
		                          : (int)rng_below(random, 12));
	}
}

/* An op that the unit has, if the dice allow. */
static enum isa_op some_op(rng *random, enum isa_unit unit)
{
	for (;;) {
		enum isa_op op = (enum isa_op)rng_below(random, ISA_OP_COUNT);

		if (isa_ops[op].unit == unit || rng_below(random, 200) == 0)
			return op;
	}
}

/* An instruction for QUEUE with every field set, also those its format lacks. */
static isa_insn some_insn(rng *random, const isa_machine *m, unsigned queue)
{
	isa_insn insn = isa_insn_make(some_op(random, isa_machine_queue(m, queue)->unit), queue, 0);

	insn.addr = rng_below(random, 3) ? some(random, 8) : 16 * some(random, 2000);
	insn.waddr = some(random, 8);
	insn.pitch = (int32_t)some(random, 5000) - 2500;
	insn.imm = (uint32_t)rng_next(random);
	insn.count = 1 + some(random, 8);
	insn.len = (uint16_t)some(random, 1280);
	insn.seg = (uint16_t)(1 + some(random, 40));
	insn.dst = some_place(random, m->streams > 0);
	insn.src0 = some_place(random, m->streams > 0);
	insn.src1 = some_place(random, m->streams > 0);
	insn.lanes = (uint16_t)(rng_below(random, 2) ? 320 : some(random, 512));
	insn.map = (uint16_t)some(random, 5);
	insn.distance = (int16_t)((int)(some(random, 600) % 512) - 256);
	insn.type = (uint8_t)rng_below(random, 5);
	insn.dtype = (uint8_t)(rng_below(random, 2) ? insn.type : rng_below(random, 5));
	insn.mode = (uint8_t)rng_below(random, 2);
	return insn;
}

/* Noise with the opcode of OP that decodes, if the dice allow. */
static isa_word noisy_word(rng *random, enum isa_op op)
{
	isa_word noise = {0, 0};

	for (int tries = 0; tries < 40; tries++) {
		isa_insn trial = {0};

		noise = (isa_word){(rng_next(random) << 8) | ((uint64_t)op + 1), rng_next(random)};
		if (isa_decode(noise, &trial))
			break;
	}
	return noise;
}

/* Encodes INSN with only the fields of its format. */
static bool encode_reduced(const isa_insn *full, isa_word *word)
{
	isa_insn insn = *full;

	for (int pass = 0; pass < 32; pass++) {
		GError *error = NULL;

		if (isa_encode(&insn, word, &error))
			return true;
		g_clear_error(&error);
		switch (pass) {
		case 0:
			insn.waddr = 0;
			break;
		case 1:
			insn.pitch = 0;
			break;
		case 2:
			insn.imm = 0;
			break;
		case 3:
			insn.len = 0;
			break;
		case 4:
			insn.seg = 0;
			break;
		case 5:
			insn.src1 = ISA_PLACE_NONE;
			break;
		case 6:
			insn.map = 0;
			break;
		case 7:
			insn.distance = 0;
			break;
		case 8:
			insn.mode = 0;
			break;
		case 9:
			insn.dtype = 0;
			break;
		case 10:
			insn.lanes = 0;
			break;
		case 11:
			insn.type = 0;
			break;
		case 12:
			insn.count = 0;
			break;
		case 13:
			insn.dst = ISA_PLACE_NONE;
			break;
		case 14:
			insn.src0 = ISA_PLACE_NONE;
			break;
		default:
			insn.addr = 0;
			break;
		}
	}
	return false;
}

static isa_word some_repeat(rng *random)
{
	isa_insn insn = isa_insn_make(ISA_OP_ADD, 0, 0);
	isa_word word = {0, 0};

	insn.loop[0] =
		(isa_loop){1 + (some(random, 6) & 0xffff), some(random, 8) & 0xfffff, (int32_t)some(random, 40) - 20};
	for (int i = 0; i < ISA_ROT_COUNT; i++)
		if (rng_below(random, 2))
			insn.rot[i] =
				(isa_rotation){(int8_t)(rng_below(random, 32) - 16), (uint16_t)rng_below(random, 9)};
	isa_encode_repeat(&insn, 0, &word, NULL);
	return word;
}

static void add_sources(rng *random, isa_program *p)
{
	for (uint32_t id = 0; id < p->insns->len; id++)
		for (unsigned operand = 0; operand < ISA_OPERANDS; operand++)
			while (rng_below(random, 3) == 0)
				isa_program_add_source(p, id, operand,
				                       &(isa_source){.base = (uint32_t)rng_below(random, 400),
				                                     .step0 = (int32_t)some(random, 3),
				                                     .seg_step = (int32_t)some(random, 3),
				                                     .seg_div = (uint16_t)rng_below(random, 4),
				                                     .segments = (uint16_t)rng_below(random, 4),
				                                     .resident = rng_below(random, 4) == 0});
}

/* Host data with and without bytes, maps good and bad. */
static void add_data(rng *random, isa_program *p)
{
	isa_epoch first = {.name = g_strdup("a"), .images = g_array_new(FALSE, FALSE, sizeof(isa_image))};
	isa_epoch second = {.name = g_strdup("b"),
	                    .start = (int64_t)rng_below(random, 100),
	                    .images = g_array_new(FALSE, FALSE, sizeof(isa_image))};
	isa_image known = {0, 3000, g_malloc(3000)};
	isa_image unknown = {5000, 20000, NULL};
	uint16_t map[320];

	for (unsigned i = 0; i < 3000; i++)
		known.data[i] = (uint8_t)(rng_below(random, 3) ? rng_below(random, 8) : rng_next(random));
	g_array_append_val(first.images, known);
	g_array_append_val(first.images, unknown);
	g_array_append_val(p->epochs, first);
	g_array_append_val(p->epochs, second);
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < 320; i++)
			map[i] = (uint16_t)(k == 0 ? 319 - i : k == 1 ? i ^ 3 : rng_next(random));
		isa_program_add_map(p, map);
	}
}

static isa_program *some_program(uint64_t seed, const isa_machine *m)
{
	isa_program *p = isa_program_new(m);
	rng random;

	rng_seed(&random, seed, 0);
	add_data(&random, p);
	for (unsigned q = 0; q < isa_machine_queue_count(m); q++) {
		GArray *words = g_array_new(FALSE, FALSE, sizeof(isa_word));
		GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		unsigned count = rng_below(&random, 3) ? WORDS : 0;

		g_ptr_array_add(p->queues, words);
		g_ptr_array_add(p->queue_insns, ids);
		if (m->icu_barrier_cycles && rng_below(&random, 10)) {
			isa_word head = {q ? ISA_OP_SYNC + 1 : ISA_OP_NOTIFY + 1, 0};

			g_array_append_val(words, head);
		}
		for (unsigned i = 0; i < count; i++) {
			isa_insn insn = some_insn(&random, m, q);
			isa_word word = {0, 0};
			uint32_t id;

			switch (rng_below(&random, 10)) {
			case 0:
				word = some_repeat(&random);
				break;
			case 1:
				word = isa_encode_nop(some(&random, 5) & 0xffffff);
				break;
			case 2:
				word = noisy_word(&random, (enum isa_op)insn.op);
				break;
			case 3:
				word = (isa_word){rng_next(&random), rng_next(&random)};
				break;
			default:
				if (!encode_reduced(&insn, &word))
					word = noisy_word(&random, (enum isa_op)insn.op);
				break;
			}
			if (rng_below(&random, 20) == 0)
				word.lo ^= UINT64_C(1) << rng_below(&random, 64);
			g_array_append_val(words, word);
			insn.queue = (uint16_t)q;
			insn.loop[0] = insn.loop[1] = (isa_loop){1, 0, 0};
			id = isa_program_add(p, &insn, 0);
			if (rng_below(&random, 30))
				g_array_append_val(ids, id);
		}
	}
	add_sources(&random, p);
	return p;
}

static char *run_one(uint64_t seed, const char *name, const char *const *sets, enum tsp_policy policy, bool functional,
                     uint64_t shuffle)
{
	isa_machine *m = rig_machine(name, sets);
	rig *r = rig_run_program(
		some_program(seed, m), m,
		&(rig_setup){.policy = policy, .functional = functional, .shuffle = shuffle, .until = UNTIL});
	char *dump = rig_dump(r);

	rig_free(r);
	return dump;
}

static void torture(const char *name, const char *const *sets, uint64_t seeds)
{
	unsigned turn = 0;

	for (uint64_t seed = 1; seed <= seeds; seed++)
		for (int mode = 0; mode < 6; mode++) {
			if (!tap_part(turn++ + (unsigned)seed, 3))
				continue;
			enum tsp_policy policy = (enum tsp_policy)(mode / 2);
			g_autofree char *one = run_one(seed, name, sets, policy, mode % 2, 0);
			g_autofree char *two = run_one(seed, name, sets, policy, mode % 2, 1 + seed);

			if (strcmp(one, two) != 0) {
				tap_note("seed %d, mode %d", (int)seed, mode);
				CU_FAIL("the order inside a phase shows");
			}
		}
}

static void any_words_on_the_register_machine(void)
{
	torture("tsp", NULL, 25);
}

static void any_words_on_the_stream_machine(void)
{
	torture("tsp-isca20", NULL, 8);
}

static void any_words_on_odd_machines(void)
{
	static const char *const tight[] = {"lanes=32",
	                                    "vreg.bytes=64",
	                                    "mxm.rows=16",
	                                    "mxm.fp16_sum_rows=16",
	                                    "vreg.read_ports=2",
	                                    "vreg.write_ports=1",
	                                    "sram.map=skew:144,5",
	                                    "sram.ports=2",
	                                    "sram.port_bytes=8",
	                                    "icu.barrier_cycles=9",
	                                    "icu.queue_words=16",
	                                    "icu.ifetch_words=4",
	                                    "mem.skew_cycles=3",
	                                    "vxm.entry_cycles=4",
	                                    NULL};
	static const char *const slow[] = {"streams.hop_cycles=3",
	                                   "mem.skew_cycles=2",
	                                   "mxm.skew_cycles=5",
	                                   "mxm.acc_rows=1",
	                                   "mem.words_per_bank=40",
	                                   "sxm.skew_cycles=1",
	                                   NULL};

	torture("tsp", tight, 15);
	torture("tsp-isca20", slow, 4);
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(any_words_on_the_register_machine),
		CASE(any_words_on_the_stream_machine),
		CASE(any_words_on_odd_machines),
	};

	return tap_run("model fuzz", cases, G_N_ELEMENTS(cases));
}
