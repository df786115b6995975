/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified buffer against its oracle: random vector instructions and copies, in random succession, on several
 * geometries; every cycle and every stall the same.
 */
#include "tests/lib/tap.h"
#include "tests/unit/asc_ub_oracle.h"

#include <stdlib.h>

static uint64_t state;

static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static bool often(unsigned percent)
{
	return any(100) < percent;
}

/* Mostly what programs have: blocks in a row, repeats in a row, or a stride of powers of two; sometimes anything. */
static asc_ub_operand operand(unsigned blocks, uint64_t bytes)
{
	static const int64_t strides[] = {1, 1, 1, 1, 0, 2, 4, 8, 16, 17, 3, 144, 145};
	static const int64_t repeats[] = {8, 8, 8, 8, 8, 0, 1, 16, 4, 9, 12, 24};
	asc_ub_operand o = {.address = any(bytes / 32) * 32,
	                    .block_bytes = 32 * (often(90) ? strides[any(G_N_ELEMENTS(strides))] : (int64_t)any(300)),
	                    .repeat_bytes = 32 * (often(90) ? repeats[any(G_N_ELEMENTS(repeats))] : (int64_t)any(300))};

	if (often(5))
		o.repeat_bytes = 2 * (int64_t)any(40);
	if (often(40))
		o.address -= o.address % 0x4000;
	o.active = (1u << blocks) - 1;
	/* Some lane is on, in the last repeat too: without results there is no last write to compare. */
	if (often(10))
		o.active = 1 | (uint32_t)any(1u << blocks);
	o.last = o.active;
	if (often(20))
		o.last &= 1 | (uint32_t)any(1u << blocks);
	return o;
}

static void random_vector(asc_ub_vector *v, uint64_t bytes, int64_t start)
{
	unsigned blocks = often(80) ? 8 : (unsigned)any(16) + 1;

	memset(v, 0, sizeof(*v));
	v->reads = (unsigned)any(4);
	v->repeats = often(70) ? (unsigned)any(255) + 1 : (unsigned)any(8) + 1;
	v->interval = often(70) ? 1 : (int64_t)any(8) + 1;
	v->start = start;
	for (unsigned i = 0; i < v->reads; i++)
		v->read[i] = operand(blocks, bytes);
	v->write = operand(blocks, bytes);
	if (v->reads && often(20))
		v->write = v->read[0];
	if (v->reads > 1 && often(20))
		v->read[1].repeat_bytes = v->read[0].repeat_bytes;
}

static bool same(const asc_ub_vector *a, const asc_ub_vector *b)
{
	return a->start == b->start && a->read_end == b->read_end && a->write_end == b->write_end &&
	       memcmp(a->stall, b->stall, sizeof(a->stall)) == 0;
}

/* COPIES: how many of a hundred requests are a copy's.  Returns requests whose answers differ. */
static unsigned compare(const asc_machine *m, uint64_t seed, unsigned requests, unsigned copies)
{
	asc_ub *ub = asc_ub_new(m);
	asc_ub_oracle *oracle = asc_ub_oracle_new(m);
	asc_ub_vector before = {.repeats = 0};
	int64_t now = 0, free = 0;
	unsigned differ = 0;

	state = seed * 0x9e3779b97f4a7c15u + 1;
	for (unsigned i = 0; i < requests && !differ; i++) {
		if (often(copies)) {
			bool write = often(50);
			uint64_t bytes = (any(128) + 1) * 32, address = any(((uint64_t)m->ub_bytes - bytes) / 32) * 32;
			int64_t until = now + (int64_t)any(often(50) ? 64 : 512);
			int64_t end = asc_ub_copy(ub, write, address, bytes, now, until);

			differ += end != asc_ub_oracle_copy(oracle, write, address, bytes, now, until);
			now += (int64_t)any(100);
		} else {
			asc_ub_vector v, w;

			now = MAX(now, free + (often(50) ? 0 : (int64_t)any(40)));
			random_vector(&v, (uint64_t)m->ub_bytes / 4 * 3, now);
			/* As a loop would. */
			if (before.repeats && often(40)) {
				v = before;
				v.start = now;
			}
			before = w = v;
			asc_ub_access(ub, &v);
			asc_ub_oracle_access(oracle, &w);
			differ += !same(&v, &w);
			free = v.read_end;
			now = v.start + (int64_t)any(often(50) ? 10 : 400);
		}
		if (differ)
			tap_note("seed %" G_GUINT64_FORMAT ": request %u differs", seed, i);
	}
	asc_ub_free(ub);
	asc_ub_oracle_free(oracle);
	return differ;
}

static void set(asc_machine *m, const char *settings)
{
	g_auto(GStrv) words = g_strsplit(settings, " ", -1);

	for (unsigned i = 0; words[i] && *words[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);

		CU_ASSERT_TRUE_FATAL(asc_machine_set(m, pair[0], pair[1], NULL));
	}
	CU_ASSERT_TRUE_FATAL(asc_machine_finish(m, NULL));
}

static void agree(unsigned copies)
{
	static const char *const settings[] = {"",
	                                       "ub.write_delay_cycles=5",
	                                       "ub.write_delay_cycles=1",
	                                       "ub.bank_ports=2",
	                                       "ub.read_ports=2 ub.write_ports=1 ub.group_ports=3",
	                                       "ub.read_ports=2 ub.write_ports=2 ub.group_ports=4 ub.bank_ports=2",
	                                       "ub.group_ports=1",
	                                       "ub.groups=8 ub.banks=16 ub.bank_interleave_bytes=256",
	                                       "ub.mte_age_cycles=0",
	                                       "ub.mte_age_cycles=8",
	                                       "ub.mte_age_cycles=100"};
	const char *often_set = g_getenv("TSPSIM_ROUNDS");
	unsigned rounds = often_set ? (unsigned)strtoul(often_set, NULL, 10) : 12;

	for (unsigned s = 0; s < G_N_ELEMENTS(settings); s++) {
		asc_machine *m = asc_machine_load("ascend-910b", NULL);
		unsigned differ = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		set(m, settings[s]);
		for (unsigned round = 0; round < rounds; round++)
			differ += compare(m, 1000 * s + round + 1, 60, copies);
		if (differ)
			tap_note("%u of %u successions differ with %s", differ, rounds, settings[s]);
		CU_ASSERT_EQUAL(differ, 0);
		asc_machine_free(m);
	}
}

static void vector_instructions_alone_agree(void)
{
	agree(0);
}

static void copies_now_and_then_agree(void)
{
	agree(15);
}

static void many_copies_agree(void)
{
	agree(60);
}

int main(void)
{
	static const tap_case cases[] = {
		{"vector_instructions_alone_agree", vector_instructions_alone_agree},
		{"copies_now_and_then_agree", copies_now_and_then_agree},
		{"many_copies_agree", many_copies_agree},
	};

	return tap_run("asc_ub_oracle", cases, G_N_ELEMENTS(cases));
}
