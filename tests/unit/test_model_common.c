/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts under the units, each against a plain re-implementation of its definition on seeded random traffic: bank
 * service against a queue of requests served cycle by cycle, the sparse store against a flat array, cells against a
 * list of all writes ever made, expected producers against the formula in isa/program.h.
 */
#include "isa/rng.h"
#include "models/common/banks.h"
#include "models/common/cell.h"
#include "models/common/source.h"
#include "models/common/store.h"
#include "tests/lib/tap.h"

#include <stdlib.h>

/* --- banks --- */

enum { BANKS = 12, ROWS = 64, BLOCK = 16 };

/* A bank as a row of ports; requests come one by one in their order of presentation. */
typedef struct plain_bank {
	int64_t port[4];
	uint64_t count, wait;
} plain_bank;

static unsigned plain_blocks(const model_shape *s, uint64_t bytes, uint64_t *blocks)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->runs; i++) {
		int64_t start = s->index ? s->base + s->index[i] : s->base + (int64_t)i * s->pitch;

		if (start < 0 || (uint64_t)start + s->run_bytes > bytes)
			continue;
		for (uint64_t b = (uint64_t)start / BLOCK; b <= ((uint64_t)start + s->run_bytes - 1) / BLOCK; b++)
			blocks[n++] = b;
	}
	return n;
}

/* Serves one request at NOW by definition: the port that is free first. */
static int64_t plain_serve(plain_bank *bank, unsigned ports, int64_t service, int64_t now, unsigned *delayed)
{
	unsigned best = 0;
	int64_t start;

	for (unsigned p = 1; p < ports; p++)
		if (bank->port[p] < bank->port[best])
			best = p;
	start = MAX(now, bank->port[best]);
	bank->port[best] = start + service;
	bank->count++;
	bank->wait += (uint64_t)(start - now);
	*delayed += start > now;
	return start + service - 1;
}

static void random_shape(rng *random, model_shape *s, int32_t *index)
{
	*s = (model_shape){.base = (int64_t)rng_below(random, 11000) - 100, .runs = 1, .run_bytes = 1};
	switch (rng_below(random, 3)) {
	case 0:
		s->run_bytes = 1 + (uint32_t)rng_below(random, 300);
		break;
	case 1:
		s->runs = 1 + (uint32_t)rng_below(random, 12);
		s->run_bytes = 1 + (uint32_t)rng_below(random, 40);
		s->pitch = (int64_t)rng_below(random, 500) - 250;
		break;
	default:
		s->runs = 1 + (uint32_t)rng_below(random, 12);
		s->run_bytes = 1 + (uint32_t)rng_below(random, 4);
		for (uint32_t i = 0; i < s->runs; i++)
			index[i] = (int32_t)rng_below(random, 3000) - 1500;
		s->index = index;
		break;
	}
}

static void compare_banks(const char *text, unsigned ports, unsigned port_bytes, bool lockstep, uint64_t seed)
{
	bankmap *map = bankmap_new(text, BANKS, ROWS, NULL);
	uint64_t bytes = bankmap_capacity_blocks(map) * BLOCK;
	int64_t service = (BLOCK + port_bytes - 1) / port_bytes;
	plain_bank plain[BANKS] = {0};
	uint64_t totals[BANKS] = {0};
	rng random;
	model_banks banks;
	int64_t now = 0;
	unsigned wrong = 0;

	rng_seed(&random, seed, 0);
	model_banks_init(&banks, map, bytes, BLOCK, port_bytes, ports, lockstep);
	for (unsigned i = 0; i < 20000; i++) {
		plain_bank alone[BANKS] = {0};
		uint64_t blocks[400];
		int32_t index[16];
		model_shape shape;
		model_service got;
		int64_t end, alone_end;
		unsigned n, delayed = 0, none = 0;

		if (rng_below(&random, 3) == 0) {
			now += 1 + (int64_t)rng_below(&random, rng_below(&random, 8) ? 4 : 200);
			for (unsigned b = 0; lockstep && b < BANKS; b++)
				memset(plain[b].port, 0, sizeof plain[b].port);
		}
		random_shape(&random, &shape, index);
		n = plain_blocks(&shape, bytes, blocks);
		end = now;
		alone_end = now - 1;
		for (unsigned k = 0; k < n; k++) {
			unsigned bank = bankmap_bank(map, blocks[k]);

			int64_t done = plain_serve(&plain[bank], ports, service, now, &delayed);
			int64_t done_alone = plain_serve(&alone[bank], ports, service, now, &none);

			end = MAX(end, done);
			alone_end = MAX(alone_end, done_alone);
		}
		model_banks_serve(&banks, &shape, now, &got);
		wrong += got.end != end || got.requests != n || got.delayed != delayed ||
		         got.beats != alone_end - now + 1;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	model_banks_totals(&banks, totals);
	for (unsigned b = 0; b < BANKS; b++) {
		CU_ASSERT_EQUAL(totals[b], plain[b].count);
		CU_ASSERT_EQUAL(b < banks.banks ? banks.wait[b] : 0, plain[b].wait);
	}
	model_banks_fini(&banks);
	bankmap_free(map);
}

static void banks_serve_first_come_first_served(void)
{
	compare_banks("mod:11", 1, 16, false, 1);
	compare_banks("mod:12", 1, 16, false, 2);
	compare_banks("skew:12,5", 1, 16, false, 3);
}

static void banks_with_two_ports_or_slow_ports_do_too(void)
{
	compare_banks("mod:11", 2, 16, false, 4);
	compare_banks("mod:11", 1, 8, false, 5);
	compare_banks("xorfold:3", 3, 4, false, 6);
}

static void lockstep_banks_forget_the_cycle_before(void)
{
	compare_banks("mod:11", 1, 16, true, 7);
	compare_banks("mod:11", 2, 8, true, 8);
}

static void requests_never_meet_under_the_ideal_map(void)
{
	bankmap *map = bankmap_new("ideal", BANKS, ROWS, NULL);
	model_shape shape = {
		.base = 0, .runs = 40, .run_bytes = 16, .pitch = 12 * 16}; /* one bank, if there were any */
	model_banks banks;
	model_service got;

	model_banks_init(&banks, map, bankmap_capacity_blocks(map) * BLOCK, BLOCK, 16, 1, false);
	for (int i = 0; i < 3; i++) {
		model_banks_serve(&banks, &shape, 5, &got);
		CU_ASSERT_EQUAL(got.end, 5);
		CU_ASSERT_EQUAL(got.beats, 1);
		CU_ASSERT_EQUAL(got.delayed, 0);
		CU_ASSERT_EQUAL(got.requests, 40);
	}
	model_banks_fini(&banks);
	bankmap_free(map);
}

/* --- store --- */

enum { MEMORY = 16 * 1000, GRANULE = 16, GRANULES = MEMORY / GRANULE };

typedef struct plain_store {
	uint8_t bytes[MEMORY];
	uint32_t tag[GRANULES];
	int64_t due[GRANULES]; /* INT64_MIN host, INT64_MAX nothing */
} plain_store;

static void plain_begin(plain_store *p, const GArray *images)
{
	memset(p->bytes, 0, sizeof p->bytes);
	memset(p->tag, 0, sizeof p->tag);
	for (unsigned g = 0; g < GRANULES; g++)
		p->due[g] = INT64_MAX;
	for (guint i = 0; i < images->len; i++) {
		const isa_image *image = &g_array_index(images, isa_image, i);

		for (uint64_t b = 0; b < image->bytes; b++) {
			p->bytes[image->location + b] = image->data[b];
			p->due[(image->location + b) / GRANULE] = INT64_MIN;
		}
	}
}

/* Applies the writes that are due in order of (due, order made). */
static void plain_settle(plain_store *p, GArray *writes, const model_value *const *values, int64_t now)
{
	for (;;) {
		guint best = G_MAXUINT;
		model_write w;

		for (guint i = 0; i < writes->len; i++)
			if (g_array_index(writes, model_write, i).due <= now &&
			    (best == G_MAXUINT ||
			     g_array_index(writes, model_write, i).due < g_array_index(writes, model_write, best).due))
				best = i;
		if (best == G_MAXUINT)
			return;
		w = g_array_index(writes, model_write, best);
		for (uint32_t r = 0; r < w.shape.runs; r++)
			for (uint32_t b = 0; b < w.shape.run_bytes; b++) {
				int64_t start = w.shape.base + (int64_t)r * w.shape.pitch;
				int64_t at = start + b;

				if (start < 0 || start + w.shape.run_bytes > MEMORY)
					continue;
				p->bytes[at] = values[w.tag]->data[r * w.shape.run_bytes + b];
				p->tag[at / GRANULE] = w.tag;
				p->due[at / GRANULE] = w.due;
			}
		g_array_remove_index(writes, best);
	}
}

static void random_store_shape(rng *random, model_shape *s)
{
	*s = (model_shape){.base = (int64_t)rng_below(random, MEMORY + 100) - 50};
	s->runs = 1 + (uint32_t)rng_below(random, 4);
	s->run_bytes = 1 + (uint32_t)rng_below(random, 320);
	s->pitch = (int64_t)rng_below(random, 1000) - 500;
}

static void check_read(model_store *s, const plain_store *p, const model_shape *shape)
{
	uint8_t got[MODEL_VALUE_BYTES];
	int64_t due = INT64_MIN;
	model_reading reading;
	model_expect none = {0};
	bool unwritten = false, same = true;

	model_store_read(s, shape, &none, got, &reading);
	for (uint32_t r = 0; r < shape->runs; r++) {
		int64_t start = shape->base + (int64_t)r * shape->pitch;

		for (uint32_t b = 0; b < shape->run_bytes; b++) {
			bool inside = start >= 0 && start + shape->run_bytes <= MEMORY;
			int64_t at = start + b;

			same = same && got[r * shape->run_bytes + b] == (inside ? p->bytes[at] : 0);
			if (!inside)
				continue;
			unwritten = unwritten || p->due[at / GRANULE] == INT64_MAX;
			if (p->due[at / GRANULE] != INT64_MAX)
				due = MAX(due, p->due[at / GRANULE]);
		}
	}
	CU_ASSERT_TRUE_FATAL(same);
	CU_ASSERT_EQUAL_FATAL(reading.due, due);
	CU_ASSERT_EQUAL_FATAL(reading.fault, unwritten ? MODEL_FAULT_UNWRITTEN : MODEL_FAULT_NONE);
}

static void the_store_holds_what_was_written_and_is_due(void)
{
	enum { WRITES = 3000 };
	static uint8_t image_bytes[MEMORY];
	rng random;
	g_autoptr(GArray) images = g_array_new(FALSE, FALSE, sizeof(isa_image));
	g_autoptr(GArray) writes = g_array_new(FALSE, FALSE, sizeof(model_write));
	g_autofree const model_value **values = g_new0(const model_value *, WRITES + 1);
	g_autofree plain_store *plain = g_new(plain_store, 1);
	isa_image pieces[] = {{40, 3000, image_bytes}, {3040, 7, image_bytes + 5}, {8000, 5001, image_bytes + 100}};
	model_pool pool;
	model_store store;
	int64_t now = 0;

	rng_seed(&random, 11, 0);
	for (unsigned i = 0; i < MEMORY; i++)
		image_bytes[i] = (uint8_t)rng_below(&random, 256);
	g_array_append_vals(images, pieces, G_N_ELEMENTS(pieces));
	model_pool_init(&pool);
	model_store_init(&store, MEMORY, GRANULE, true, &pool);
	CU_ASSERT_TRUE_FATAL(model_store_begin(&store, images, NULL));
	plain_begin(plain, images);
	for (uint32_t tag = 1; tag <= WRITES; tag++) {
		model_write w = {.tag = tag, .filed = now, .due = now + 1 + (int64_t)rng_below(&random, 6)};
		model_shape shape;

		random_store_shape(&random, &w.shape);
		w.value = model_value_new(&pool);
		for (unsigned b = 0; b < MODEL_VALUE_BYTES; b++)
			w.value->data[b] = (uint8_t)rng_below(&random, 256);
		values[tag] = model_value_ref(w.value);
		g_array_append_val(writes, w);
		model_store_write(&store, &w);
		now += (int64_t)rng_below(&random, 3);
		/* The writes of one cycle keep their order: the plain store sorts by order made, the model by queue. */
		if (now == w.filed)
			now++;
		model_store_settle(&store, now);
		plain_settle(plain, writes, values, now);
		random_store_shape(&random, &shape);
		check_read(&store, plain, &shape);
		if (tag % 1000 == 0) {
			model_store_settle(&store, INT64_MAX);
			g_array_set_size(writes, 0);
			CU_ASSERT_TRUE_FATAL(model_store_begin(&store, images, NULL));
			plain_begin(plain, images);
		}
	}
	model_store_fini(&store);
	model_pool_fini(&pool);
}

static void the_store_names_the_first_granule_that_is_wrong(void)
{
	/* Producer 7 writes granules 0..3, producer 9 then granule 2; expected: 7 everywhere.  Pending: 8 into
	 * granule 3. */
	isa_source seven = {.base = 7, .seg_div = 1};
	isa_source eight = {.base = 8, .seg_div = 1};
	model_shape all = {.base = 0, .runs = 1, .run_bytes = 64};
	model_write w = {.due = 5, .shape = all, .tag = 7};
	model_store store;
	model_pool pool;
	model_reading r;
	model_expect e;

	model_pool_init(&pool);
	model_store_init(&store, MEMORY, GRANULE, false, &pool);
	model_store_begin(&store, NULL, NULL);
	model_store_write(&store, &w);
	w.due = 6;
	w.tag = 9;
	w.shape = (model_shape){.base = 40, .runs = 1, .run_bytes = 1};
	model_store_write(&store, &w);
	w.due = 9;
	w.tag = 8;
	w.shape.base = 48;
	model_store_write(&store, &w);
	model_store_settle(&store, 5);
	model_expect_begin(&e, &seven, 1, 0, 0);
	model_store_read(&store, &all, &e, NULL, &r);
	CU_ASSERT_EQUAL(r.fault, MODEL_FAULT_NONE);
	CU_ASSERT_EQUAL(r.due, 5);
	model_store_settle(&store, 6);
	model_expect_begin(&e, &seven, 1, 0, 0);
	model_store_read(&store, &all, &e, NULL, &r);
	CU_ASSERT_EQUAL(r.fault, MODEL_FAULT_WRONG);
	CU_ASSERT_EQUAL(r.found, 9);
	CU_ASSERT_EQUAL(r.location, 32);
	CU_ASSERT_EQUAL(r.due, 6);
	model_expect_begin(&e, &eight, 1, 0, 0);
	model_store_read(&store, &all, &e, NULL, &r);
	CU_ASSERT_EQUAL(r.fault, MODEL_FAULT_WRONG);
	CU_ASSERT_EQUAL(r.location, 0);
	CU_ASSERT_EQUAL(r.named, 8);
	/* 8 is on its way to granule 3, filed in cycle 0; 9 has arrived. */
	CU_ASSERT_TRUE(model_store_is_filed(&store, 8, 48, 1));
	CU_ASSERT_FALSE(model_store_is_filed(&store, 8, 48, 0));
	CU_ASSERT_FALSE(model_store_is_filed(&store, 8, 32, 1));
	CU_ASSERT_FALSE(model_store_is_filed(&store, 9, 32, 1));
	model_store_fini(&store);
	model_pool_fini(&pool);
}

static void images_outside_or_overlapping_are_refused(void)
{
	g_autoptr(GArray) images = g_array_new(FALSE, FALSE, sizeof(isa_image));
	isa_image a = {100, 50, NULL};
	isa_image b = {149, 50, NULL};
	isa_image c = {MEMORY - 10, 11, NULL};
	GError *error = NULL;
	model_store store;
	model_pool pool;

	model_pool_init(&pool);
	model_store_init(&store, MEMORY, GRANULE, false, &pool);
	g_array_append_val(images, b);
	CU_ASSERT_TRUE(model_store_begin(&store, images, &error));
	g_array_append_val(images, a);
	CU_ASSERT_FALSE(model_store_begin(&store, images, &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
	g_clear_error(&error);
	g_array_set_size(images, 0);
	g_array_append_val(images, c);
	CU_ASSERT_FALSE(model_store_begin(&store, images, &error));
	g_clear_error(&error);
	model_store_fini(&store);
	model_pool_fini(&pool);
}

/* --- cells --- */

static void no_drop(void *context, void *payload)
{
	(void)context;
	(void)payload;
}

static void a_cell_shows_the_latest_due_version(void)
{
	enum { WRITES = 5000 };
	rng random;
	g_autofree model_version *all = g_new0(model_version, WRITES);
	model_cell cell = {0};
	unsigned wrong = 0;
	int64_t now = 0;

	rng_seed(&random, 3, 0);
	for (uint32_t n = 0; n < WRITES; n++) {
		const model_version *want = NULL, *got;
		int64_t time;

		now += (int64_t)rng_below(&random, 3);
		all[n] = (model_version){.due = now + 1 + (int64_t)rng_below(&random, rng_below(&random, 50) ? 5 : 300),
		                         .filed = now,
		                         .tag = n + 1,
		                         .queue = (uint16_t)rng_below(&random, 1000)};
		model_cell_put(&cell, &all[n], no_drop, NULL);
		time = now + (int64_t)rng_below(&random, 10);
		for (uint32_t i = 0; i <= n; i++) {
			const model_version *v = &all[i];

			if (v->due > time)
				continue;
			if (!want || v->due > want->due ||
			    (v->due == want->due &&
			     (v->filed > want->filed || (v->filed == want->filed && v->queue >= want->queue))))
				want = v;
		}
		got = model_cell_at(&cell, time);
		wrong += (got != NULL) != (want != NULL) || (got && got->tag != want->tag);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	model_cell_clear(&cell, no_drop, NULL);
}

/* --- sources --- */

static void producers_follow_the_formula_piece_by_piece(void)
{
	/* Pieces of 3 segments (step 2 every 2 segments), 2 resident ones, the rest constant. */
	isa_source pieces[] = {
		{.base = 100, .step0 = 10, .step1 = 1000, .seg_step = 2, .seg_div = 2, .segments = 3},
		{.resident = true, .seg_div = 1, .segments = 2},
		{.base = 7, .step0 = -1, .seg_div = 1},
	};
	/* i0 = 3, i1 = 2: 100 + 30 + 2000 = 2130; last piece 7 - 3 = 4. */
	const uint32_t want[] = {2130, 2130, 2132, 0, 0, 4, 4, 4};

	for (uint32_t max = 1; max <= 8; max++) {
		model_expect e;
		uint32_t s = 0;

		model_expect_begin(&e, pieces, 3, 3, 2);
		while (s < 8) {
			bool named;
			uint32_t tag;
			uint32_t run = model_expect_run(&e, MIN(max, 8 - s), &named, &tag);

			CU_ASSERT_TRUE_FATAL(run > 0 && named);
			for (uint32_t i = 0; i < run; i++)
				CU_ASSERT_EQUAL(tag, want[s + i]);
			s += run;
		}
	}
}

static void segments_beyond_the_pieces_are_not_named(void)
{
	isa_source piece = {.base = 5, .seg_div = 1, .segments = 2};
	model_expect e;
	bool named;
	uint32_t tag;

	model_expect_begin(&e, &piece, 1, 0, 0);
	CU_ASSERT_EQUAL(model_expect_run(&e, 9, &named, &tag), 2);
	CU_ASSERT_TRUE(named);
	CU_ASSERT_EQUAL(model_expect_run(&e, 9, &named, &tag), 9);
	CU_ASSERT_FALSE(named);
}

int main(void)
{
	static const tap_case cases[] = {
		{"banks_serve_first_come_first_served", banks_serve_first_come_first_served},
		{"banks_with_two_ports_or_slow_ports_do_too", banks_with_two_ports_or_slow_ports_do_too},
		{"lockstep_banks_forget_the_cycle_before", lockstep_banks_forget_the_cycle_before},
		{"requests_never_meet_under_the_ideal_map", requests_never_meet_under_the_ideal_map},
		{"the_store_holds_what_was_written_and_is_due", the_store_holds_what_was_written_and_is_due},
		{"the_store_names_the_first_granule_that_is_wrong", the_store_names_the_first_granule_that_is_wrong},
		{"images_outside_or_overlapping_are_refused", images_outside_or_overlapping_are_refused},
		{"a_cell_shows_the_latest_due_version", a_cell_shows_the_latest_due_version},
		{"producers_follow_the_formula_piece_by_piece", producers_follow_the_formula_piece_by_piece},
		{"segments_beyond_the_pieces_are_not_named", segments_beyond_the_pieces_are_not_named},
	};

	return tap_run("model common", cases, G_N_ELEMENTS(cases));
}
