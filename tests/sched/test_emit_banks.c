/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's bank maps, what an access does to the banks, and the calendar of bank ports.  Maps are compared with
 * the oracle's definitions, beats and the calendar's promise with a queue simulated request by request.
 */
#include "sched/emit/banks.h"

#include <string.h>

#include "tests/lib/oracle.h"
#include "tests/lib/tap.h"
#include "tests/sched/replay.h"

static const char *const maps[] = {"mod:139",   "mod:144",       "mod:7",     "skew:144,5",    "skew:13,4",
                                   "xorfold:7", "swizzle:5,2,7", "poly:0x83", "poly:0x13",     "pdisp:7,9",
                                   "bsp:139",   "mersenne:7",    "crt:139",   "hybrid:9,0x13", "mult:7"};

static uint64_t lcg(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static bank_calendar *calendar_for(const char *map, const char *ports, const char *block, const char *port)
{
	g_autofree char *set_map = g_strconcat("sram.map=", map, NULL);
	g_autofree char *set_ports = g_strconcat("sram.ports=", ports, NULL);
	g_autofree char *set_block = g_strconcat("sram.block_bytes=", block, NULL);
	g_autofree char *set_port = g_strconcat("sram.port_bytes=", port, NULL);
	const char *settings[] = {set_map, set_ports, set_block, set_port, "sram.rows=1000", NULL};
	isa_machine *m = replay_machine("tsp", settings);
	bank_calendar *c = bank_calendar_new(m, NULL);

	isa_machine_free(m);
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	return c;
}

static void maps_follow_their_definitions(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
		bank_map *map = bank_map_new(maps[i], 144, 100000, NULL);
		uint64_t capacity = bank_map_capacity_blocks(map);

		for (int n = 0; n < 2000; n++) {
			uint64_t block = lcg(&state) % capacity;

			CU_ASSERT_EQUAL((int64_t)bank_map_bank(map, block), oracle_bank(maps[i], 144, 100000, block));
		}
		bank_map_free(map);
	}
}

/* 139 of 144 banks of 100,000 rows: 13,900,000 blocks; 2^7 banks; all; and x^7 + x + 1 reaches 2^7. */
static void capacity_is_that_of_the_banks_reached(void)
{
	const struct {
		const char *map;
		uint64_t blocks;
	} cases[] = {{"mod:139", 13900000},
	             {"skew:144,5", 14400000},
	             {"xorfold:7", 12800000},
	             {"poly:0x83", 12800000},
	             {"ideal", 14400000}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bank_map *map = bank_map_new(cases[i].map, 144, 100000, NULL);

		CU_ASSERT_EQUAL(bank_map_capacity_blocks(map), cases[i].blocks);
		bank_map_free(map);
	}
}

static void unknown_and_too_large_maps_are_refused(void)
{
	static const char *const texts[] = {"mod:145",   "mod",       "mod:0",     "fold:7",
	                                    "mod:139,1", "xorfold:8", "skew:145,1"};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;

		CU_ASSERT_PTR_NULL(bank_map_new(texts[i], 144, 1000, &error));
		CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	}
}

static unsigned beats_of(bank_calendar *c, uint64_t addr, uint32_t seg, int32_t pitch, uint32_t count)
{
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bank_access access = {addr, seg, pitch, count, NULL};

	return bank_calendar_beats(c, bank_calendar_print(c, &access, arena));
}

/* mod:139, 16-byte blocks.  640 bytes: 40 blocks, 40 banks: one beat, aligned or not (41 blocks).  2 bytes a row, 320
 * rows 640 bytes apart: blocks 40 i, 40 and 139 without a common factor, so 320 requests over 139 banks: ceil(320/139)
 * = 3. 139 blocks apart: all in one bank: 320. */
static void beats_are_those_of_the_fullest_bank(void)
{
	bank_calendar *c = calendar_for("mod:139", "1", "16", "16");

	CU_ASSERT_EQUAL(beats_of(c, 0, 640, 0, 1), 1);
	CU_ASSERT_EQUAL(beats_of(c, 8, 640, 0, 1), 1);
	CU_ASSERT_EQUAL(beats_of(c, 0, 2, 640, 320), 3);
	CU_ASSERT_EQUAL(beats_of(c, 0, 2, 139 * 16, 320), 320);
	bank_calendar_free(c);
}

/* 144 banks: stride 40 blocks meets 144 / gcd(40, 144) = 18 banks: ceil(320/18) = 18 beats; two ports halve it. */
static void ports_serve_beats_in_parallel(void)
{
	bank_calendar *one = calendar_for("mod:144", "1", "16", "16");
	bank_calendar *two = calendar_for("mod:144", "2", "16", "16");

	CU_ASSERT_EQUAL(beats_of(one, 0, 2, 640, 320), 18);
	CU_ASSERT_EQUAL(beats_of(two, 0, 2, 640, 320), 9);
	bank_calendar_free(one);
	bank_calendar_free(two);
}

/* 320-byte blocks through 16-byte ports hold a port for 20 cycles: 640 bytes are two blocks, 20 beats. */
static void wide_blocks_hold_their_port(void)
{
	bank_calendar *c = calendar_for("mod:139", "1", "320", "16");

	CU_ASSERT_EQUAL(beats_of(c, 0, 640, 0, 1), 20);
	CU_ASSERT_EQUAL(beats_of(c, 0, 320, 139 * 320, 2), 40);
	bank_calendar_free(c);
}

/* Requests of all accesses, served first in first out per bank; no access may end later than alone. */
typedef struct admitted {
	int64_t cycle;
	bank_access access;
	unsigned beats;
} admitted;

static int by_cycle(const void *a, const void *b)
{
	const admitted *x = a, *y = b;

	return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

static int64_t serve(const bank_map *map, int64_t *free_at, unsigned ports, unsigned service, uint64_t block_bytes,
                     const admitted *a)
{
	int64_t end = a->cycle;
	uint64_t addr = a->access.addr;

	for (uint32_t s = 0; s < a->access.count; s++, addr += (uint64_t)(int64_t)a->access.pitch)
		for (uint64_t b = addr / block_bytes; b <= (addr + a->access.seg - 1) / block_bytes; b++) {
			int64_t *port = free_at + (size_t)bank_map_bank(map, b) * ports, *first = port;

			for (unsigned p = 1; p < ports; p++)
				first = port[p] < *first ? &port[p] : first;
			*first = MAX(*first, a->cycle) + service;
			end = MAX(end, *first - 1);
		}
	return end;
}

static void check_promise(const char *map, const char *ports, const char *block, const char *port)
{
	bank_calendar *c = calendar_for(map, ports, block, port);
	unsigned port_count = (unsigned)atoi(ports), service = (unsigned)((atoi(block) + atoi(port) - 1) / atoi(port));
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(admitted));
	g_autofree int64_t *free_at = g_new0(int64_t, (size_t)144 * port_count);
	uint64_t state = 7;
	unsigned late = 0;

	for (int n = 0; n < 4000; n++) {
		bool strided = lcg(&state) % 4 == 0;
		admitted a = {.cycle = (int64_t)(lcg(&state) % 1500)};
		bank_print print;

		a.access = (bank_access){lcg(&state) % 100000 * 2, strided ? 2 : 16 + (uint32_t)(lcg(&state) % 640),
		                         strided ? (int32_t)(16 * (1 + lcg(&state) % 200)) : 0,
		                         strided ? 1 + (uint32_t)(lcg(&state) % 200) : 1, NULL};
		print = bank_calendar_print(c, &a.access, arena);
		a.beats = bank_calendar_beats(c, print);
		if (bank_calendar_take(c, a.cycle, print, arena))
			g_array_append_val(all, a);
	}
	qsort(all->data, all->len, sizeof(admitted), by_cycle);
	for (guint i = 0; i < all->len; i++) {
		const admitted *a = &g_array_index(all, admitted, i);

		late += serve(bank_calendar_map(c), free_at, port_count, service, (uint64_t)atoi(block), a) !=
		        a->cycle + a->beats - 1;
	}
	CU_ASSERT_TRUE(all->len > 100);
	CU_ASSERT_EQUAL(late, 0);
	bank_calendar_free(c);
}

static void admitted_accesses_never_delay_each_other(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
		check_promise(maps[i], "1", "16", "16");
		check_promise(maps[i], "2", "16", "16");
	}
	check_promise("mod:139", "3", "32", "16");
	check_promise("xorfold:7", "4", "64", "16");
}

/* Whatever is given back can be taken again, and nothing else became free. */
static void release_undoes_take(void)
{
	bank_calendar *c = calendar_for("mod:139", "2", "16", "16");
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bank_access first = {0, 640, 0, 1, NULL}, second = {160, 640, 0, 1, NULL}, strided = {0, 2, 640, 320, NULL};
	bank_print a = bank_calendar_print(c, &first, arena);
	bank_print b = bank_calendar_print(c, &second, arena);
	bank_print s = bank_calendar_print(c, &strided, arena);

	CU_ASSERT_TRUE(bank_calendar_take(c, 10, a, arena));
	CU_ASSERT_TRUE(bank_calendar_take(c, 10, b, arena));
	CU_ASSERT_FALSE(bank_calendar_take(c, 10, a, arena));
	bank_calendar_release(c, 10, a, arena);
	CU_ASSERT_TRUE(bank_calendar_take(c, 10, a, arena));
	bank_calendar_release(c, 10, b, arena);
	bank_calendar_release(c, 10, a, arena);
	CU_ASSERT_TRUE(bank_calendar_take(c, 10, s, arena));
	CU_ASSERT_TRUE(bank_calendar_take(c, 12, s, arena));
	CU_ASSERT_FALSE(bank_calendar_take(c, 11, s, arena));
	bank_calendar_free(c);
}

/* 40 requests in cycle 0 of 139 x 64 bank cycles. */
static void free_work_is_what_is_left(void)
{
	bank_calendar *c = calendar_for("mod:139", "1", "16", "16");
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bank_access access = {0, 640, 0, 1, NULL};
	bank_print print = bank_calendar_print(c, &access, arena);

	CU_ASSERT_EQUAL(bank_calendar_free_work(c, 0, 64), 139 * 64);
	CU_ASSERT_TRUE(bank_calendar_take(c, 0, print, arena));
	CU_ASSERT_EQUAL(bank_calendar_free_work(c, 0, 64), 139 * 64 - 40);
	bank_calendar_release(c, 0, print, arena);
	CU_ASSERT_EQUAL(bank_calendar_free_work(c, 0, 64), 139 * 64);
	bank_calendar_free(c);
}

static void under_the_ideal_map_nothing_meets(void)
{
	bank_calendar *c = calendar_for("ideal", "1", "16", "16");
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bank_access access = {0, 2, 144 * 16, 320, NULL};
	bank_print print = bank_calendar_print(c, &access, arena);

	CU_ASSERT_EQUAL(bank_calendar_beats(c, print), 1);
	CU_ASSERT_TRUE(bank_calendar_take(c, 0, print, arena));
	CU_ASSERT_TRUE(bank_calendar_take(c, 0, print, arena));
	bank_calendar_free(c);
}

/* Under a map that computes banks the second print of a segment is a kept one: word for word the first. */
static void a_print_is_the_same_a_second_time(void)
{
	static const char *const hashes[] = {"xorfold:7", "poly:0x83", "hybrid:9,0x13"};

	for (size_t m = 0; m < G_N_ELEMENTS(hashes); m++) {
		bank_calendar *c = calendar_for(hashes[m], "1", "16", "16"), *fresh;
		g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		unsigned differ = 0;

		for (unsigned n = 0; n < 300; n++) {
			bank_access access = {n % 100 * 656, 640, 0, 1, NULL};
			bank_print print = bank_calendar_print(c, &access, arena), again;
			g_autoptr(GArray) other = g_array_new(FALSE, FALSE, sizeof(uint64_t));

			fresh = calendar_for(hashes[m], "1", "16", "16");
			again = bank_calendar_print(fresh, &access, other);
			differ += print.waves != again.waves || print.requests != again.requests ||
			          memcmp(&g_array_index(arena, uint64_t, print.first), other->data,
			                 other->len * sizeof(uint64_t)) != 0;
			bank_calendar_free(fresh);
		}
		CU_ASSERT_EQUAL(differ, 0);
		bank_calendar_free(c);
	}
}

/* Vectors of 40 blocks at 0, 40, 80 and 0 again, cycle after cycle, where blocks 70 to 99 are taken in cycle 12: the
 * second and the third meet them there, the others do not. */
static void free_accesses_are_counted_up_to_the_first_that_meets(void)
{
	bank_calendar *c = calendar_for("mod:139", "1", "16", "16");
	g_autoptr(GArray) arena = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bank_access taken = {70 * 16, 30 * 16, 0, 1, NULL};
	bank_print prints[4], there = bank_calendar_print(c, &taken, arena);

	for (unsigned i = 0; i < 4; i++) {
		bank_access access = {i % 3 * 640, 640, 0, 1, NULL};

		prints[i] = bank_calendar_print(c, &access, arena);
	}
	bank_calendar_put(c, 12, there, arena);
	CU_ASSERT_EQUAL(bank_calendar_count_free(c, 10, 1, prints, 4, arena), 2);
	CU_ASSERT_EQUAL(bank_calendar_count_free(c, 11, 1, prints, 4, arena), 1);
	CU_ASSERT_EQUAL(bank_calendar_count_free(c, 12, 1, prints, 4, arena), 4);
	CU_ASSERT_EQUAL(bank_calendar_count_free(c, 8, 2, prints, 4, arena), 2);
	CU_ASSERT_EQUAL(bank_calendar_count_free(c, 13, 1, prints, 4, arena), 4);
	bank_calendar_free(c);
}

int main(void)
{
	static const tap_case cases[] = {
		{"maps_follow_their_definitions", maps_follow_their_definitions},
		{"capacity_is_that_of_the_banks_reached", capacity_is_that_of_the_banks_reached},
		{"unknown_and_too_large_maps_are_refused", unknown_and_too_large_maps_are_refused},
		{"beats_are_those_of_the_fullest_bank", beats_are_those_of_the_fullest_bank},
		{"ports_serve_beats_in_parallel", ports_serve_beats_in_parallel},
		{"wide_blocks_hold_their_port", wide_blocks_hold_their_port},
		{"admitted_accesses_never_delay_each_other", admitted_accesses_never_delay_each_other},
		{"release_undoes_take", release_undoes_take},
		{"free_work_is_what_is_left", free_work_is_what_is_left},
		{"under_the_ideal_map_nothing_meets", under_the_ideal_map_nothing_meets},
		{"a_print_is_the_same_a_second_time", a_print_is_the_same_a_second_time},
		{"free_accesses_are_counted_up_to_the_first_that_meets",
	         free_accesses_are_counted_up_to_the_first_that_meets},
	};

	return tap_run("emit_banks", cases, G_N_ELEMENTS(cases));
}
