/* SPDX-License-Identifier: Apache-2.0
 *
 * The timing wheel against a linear search, and its edges: the last slot, the first cycle of the heap, wrapping round,
 * the end of time.
 */
#include "tests/lib/tap.h"

#include "sim/wheel.h"

enum { ITEMS = 200 };

static void the_next_cycle_is_found_at_every_distance_and_from_every_position(void)
{
	for (sim_time now = 0; now < 2 * SIM_WHEEL_SLOTS; now += 61) {
		for (sim_time distance = 1; distance < 3 * SIM_WHEEL_SLOTS; distance++) {
			sim_wheel wheel;
			sim_wheel_item start = {.due = SIM_NEVER};
			sim_wheel_item item = {.due = SIM_NEVER};
			bool right;

			sim_wheel_init(&wheel, 2);
			sim_wheel_put(&wheel, &start, now);
			right = sim_wheel_next(&wheel) == now && sim_wheel_take(&wheel, now) == &start;
			right = right && sim_wheel_next(&wheel) == SIM_NEVER;
			sim_wheel_put(&wheel, &item, now + distance);
			right = right && (item.heap != 0) == (distance >= SIM_WHEEL_SLOTS);
			right = right && sim_wheel_next(&wheel) == now + distance;
			right = right && sim_wheel_take(&wheel, now + distance) == &item && !item.next;
			right = right && sim_wheel_next(&wheel) == SIM_NEVER;
			sim_wheel_fini(&wheel);
			CU_ASSERT_TRUE(right);
			if (!right)
				return;
		}
	}
}

static void the_last_representable_cycle_can_be_filed(void)
{
	sim_wheel wheel;
	sim_wheel_item item = {.due = SIM_NEVER};

	sim_wheel_init(&wheel, 1);
	sim_wheel_put(&wheel, &item, SIM_NEVER - 1);
	CU_ASSERT_EQUAL(sim_wheel_next(&wheel), SIM_NEVER - 1);
	CU_ASSERT_PTR_EQUAL(sim_wheel_take(&wheel, SIM_NEVER - 1), &item);
	sim_wheel_fini(&wheel);
}

/* 100,000 random steps of put, remove and take on 200 items; distances up to four turns of the wheel. */
static void random_use_agrees_with_a_linear_search(void)
{
	sim_wheel wheel;
	sim_wheel_item item[ITEMS];
	sim_time due[ITEMS];
	GRand *random = g_rand_new_with_seed(7);
	unsigned wrong = 0;

	sim_wheel_init(&wheel, ITEMS);
	for (unsigned i = 0; i < ITEMS; i++) {
		item[i] = (sim_wheel_item){.due = SIM_NEVER};
		due[i] = SIM_NEVER;
	}
	for (unsigned step = 0; step < 100000; step++) {
		unsigned i = (unsigned)g_rand_int_range(random, 0, ITEMS);
		sim_time first = SIM_NEVER;

		if (due[i] != SIM_NEVER) {
			sim_wheel_remove(&wheel, &item[i]);
			due[i] = SIM_NEVER;
		} else {
			due[i] = wheel.now + g_rand_int_range(random, 1, step % 3 ? 100 : 4 * SIM_WHEEL_SLOTS);
			sim_wheel_put(&wheel, &item[i], due[i]);
		}
		for (unsigned j = 0; j < ITEMS; j++)
			first = MIN(first, due[j]);
		wrong += sim_wheel_next(&wheel) != first;
		if (step % 4 == 0 && first != SIM_NEVER) {
			unsigned taken = 0;

			for (sim_wheel_item *p = sim_wheel_take(&wheel, first); p; p = p->next, taken++) {
				wrong += due[p - item] != first;
				due[p - item] = SIM_NEVER;
			}
			for (unsigned j = 0; j < ITEMS; j++)
				wrong += due[j] == first;
			wrong += !taken;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	g_rand_free(random);
	sim_wheel_fini(&wheel);
}

/* 10,000 ranks span three summary words (4,096 ranks each). */
static void ready_ranks_come_out_in_order_and_later_ones_may_join(void)
{
	static const uint32_t ranks[] = {9999, 0, 63, 64, 4095, 4096, 8192, 1};
	static const int64_t expected[] = {0, 1, 63, 64, 4095, 4096, 4097, 8192, 9999, -1, -1};
	sim_ready ready;

	sim_ready_init(&ready, 10000);
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < G_N_ELEMENTS(ranks); i++)
			sim_ready_add(&ready, ranks[i]);
		for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
			int64_t rank = sim_ready_pop(&ready);

			CU_ASSERT_EQUAL(rank, expected[i]);
			if (rank == 4096)
				sim_ready_add(&ready, 4097);
		}
	}
	sim_ready_fini(&ready);
}

int main(void)
{
	static const tap_case cases[] = {
		{"the_next_cycle_is_found_at_every_distance_and_from_every_position",
	         the_next_cycle_is_found_at_every_distance_and_from_every_position},
		{"the_last_representable_cycle_can_be_filed", the_last_representable_cycle_can_be_filed},
		{"random_use_agrees_with_a_linear_search", random_use_agrees_with_a_linear_search},
		{"ready_ranks_come_out_in_order_and_later_ones_may_join",
	         ready_ranks_come_out_in_order_and_later_ones_may_join},
	};

	return tap_run("wheel", cases, G_N_ELEMENTS(cases));
}
