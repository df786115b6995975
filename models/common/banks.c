/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank service; see banks.h.
 */
#include "models/common/banks.h"

/* Arrays for b->banks. */
static void make_room(model_banks *b)
{
	b->words = (b->banks + 63) / 64;
	b->mask = g_new0(uint64_t, b->words);
	b->free = g_new(int64_t, (gsize)b->banks * b->ports);
	for (gsize i = 0; i < (gsize)b->banks * b->ports; i++)
		b->free[i] = INT64_MIN;
	b->own = g_new0(uint32_t, b->banks);
	b->touched = g_new(uint16_t, b->banks);
	b->count_edge = g_new0(int64_t, b->banks + 1);
	b->wait = g_new0(uint64_t, b->banks);
	b->last = g_new0(uint32_t, b->banks);
	b->before = g_new0(uint32_t, b->banks);
}

static void free_room(model_banks *b)
{
	g_free(b->mask);
	g_free(b->free);
	g_free(b->own);
	g_free(b->touched);
	g_free(b->count_edge);
	g_free(b->wait);
	g_free(b->last);
	g_free(b->before);
}

void model_banks_init(model_banks *b, const bankmap *map, uint64_t bytes, uint32_t block_bytes, uint32_t port_bytes,
                      uint32_t ports, bool lockstep)
{
	*b = (model_banks){
		.map = map,
		.bytes = bytes,
		.block_bytes = block_bytes,
		.shift = -1,
		.banks = bankmap_banks_used(map),
		.ideal = bankmap_is_ideal(map),
		.service = (block_bytes + port_bytes - 1) / port_bytes,
		.ports = ports,
		.lockstep = lockstep,
		.now = INT64_MIN,
		.busy_until = INT64_MIN,
	};
	for (int shift = 0; shift < 31; shift++)
		if (UINT32_C(1) << shift == block_bytes)
			b->shift = shift;
	/* The ideal map names banks by block mod banks, for statistics. */
	b->modulus = b->ideal ? b->banks : bankmap_modulus(map);
	b->simple = b->modulus && b->service == 1 && ports == 1;
	make_room(b);
	b->masks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	b->masked = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void model_banks_fini(model_banks *b)
{
	free_room(b);
	g_array_unref(b->masks);
	g_array_unref(b->masked);
}

void model_banks_widen(model_banks *b, uint32_t banks)
{
	if (banks <= b->banks)
		return;
	free_room(b);
	b->banks = banks;
	make_room(b);
}

static inline uint64_t block_of(const model_banks *b, uint64_t location)
{
	return b->shift >= 0 ? location >> b->shift : location / b->block_bytes;
}

/* Blocks of run I of SHAPE: their number (0 when it leaves the memory) and the first. */
static inline uint32_t run_blocks(const model_banks *b, const model_shape *shape, uint32_t i, uint64_t *first)
{
	int64_t start = model_shape_run(shape, i);

	if (!shape->run_bytes || start < 0 || (uint64_t)start >= b->bytes ||
	    shape->run_bytes > b->bytes - (uint64_t)start)
		return 0;
	*first = block_of(b, (uint64_t)start);
	return (uint32_t)(block_of(b, (uint64_t)start + shape->run_bytes - 1) - *first) + 1;
}

/* Counts one request for each of N banks from BANK on, around the modulus. */
static inline void count_interval(model_banks *b, uint32_t bank, uint32_t n)
{
	while (n) {
		uint32_t part = MIN(n, b->modulus - bank);

		b->count_edge[bank]++;
		b->count_edge[bank + part]--;
		n -= part;
		bank = 0;
	}
}

/* Sets bits FROM..TO-1 of MASK; returns false, and may have set some, when one of them is set in MASK or OTHER. */
static inline bool take_bits(uint64_t *mask, const uint64_t *other, uint32_t from, uint32_t to)
{
	uint64_t clash = 0;

	while (from < to) {
		uint32_t word = from / 64;
		uint32_t end = MIN(to, (word + 1) * 64);
		uint64_t bits = (~UINT64_C(0) >> (64 - (end - from))) << (from % 64);

		clash |= (mask[word] | other[word]) & bits;
		mask[word] |= bits;
		from = end;
	}
	return !clash;
}

/* Serves an access whose requests all meet free banks; false, with nothing changed, when two meet. */
static bool serve_free(model_banks *b, const model_shape *shape, model_service *service)
{
	uint64_t taken[MODEL_BANKS_MAX / 64];
	uint32_t requests = 0;

	memset(taken, 0, b->words * sizeof *taken);
	for (uint32_t i = 0; i < shape->runs; i++) {
		uint64_t first = 0;
		uint32_t n = run_blocks(b, shape, i, &first);
		uint32_t bank;

		if (!n)
			continue;
		bank = (uint32_t)(first % b->modulus);
		if (n > b->modulus || !take_bits(taken, b->mask, bank, MIN(bank + n, b->modulus)))
			return false;
		if (bank + n > b->modulus && !take_bits(taken, b->mask, 0, bank + n - b->modulus))
			return false;
		requests += n;
	}
	for (uint32_t i = 0; i < shape->runs; i++) {
		uint64_t first = 0;
		uint32_t n = run_blocks(b, shape, i, &first);

		if (n)
			count_interval(b, (uint32_t)(first % b->modulus), n);
	}
	/* Nothing of this is left in the next cycle, so busy_until stays as it is. */
	for (uint32_t i = 0; i < b->words; i++)
		b->mask[i] |= taken[i];
	g_array_append_vals(b->masks, taken, b->words);
	g_array_append_val(b->masked, b->who);
	*service = (model_service){.end = b->now, .requests = requests, .beats = requests > 0};
	return true;
}

static void serve_ideal(model_banks *b, const model_shape *shape, model_service *service)
{
	uint32_t requests = 0;

	for (uint32_t i = 0; i < shape->runs; i++) {
		uint64_t first = 0;
		uint32_t n = run_blocks(b, shape, i, &first);

		if (n)
			count_interval(b, (uint32_t)(first % b->modulus), n);
		requests += n;
	}
	*service = (model_service){.end = b->now, .requests = requests};
	if (requests) {
		service->beats = b->service;
		service->end = b->now + b->service - 1;
		b->busy_until = b->now + b->service;
	}
}

static inline void note_asker(model_banks *b, uint32_t bank, uint32_t who)
{
	if (b->last[bank] == who)
		return;
	b->before[bank] = b->last[bank];
	b->last[bank] = who;
}

/* From masks to free times, for the rest of this cycle. */
static void leave_masks(model_banks *b)
{
	for (guint i = 0; i < b->masked->len; i++)
		for (uint32_t bank = 0; bank < b->banks; bank++)
			if (g_array_index(b->masks, uint64_t, i * b->words + bank / 64) >> (bank % 64) & 1)
				note_asker(b, bank, g_array_index(b->masked, uint32_t, i));
	for (uint32_t bank = 0; bank < b->banks; bank++)
		if (b->mask[bank / 64] >> (bank % 64) & 1)
			b->free[bank] = b->now + 1;
	b->queued = true;
}

static inline void serve_request(model_banks *b, uint32_t bank, model_service *service)
{
	int64_t *port = b->free + (gsize)bank * b->ports;
	int64_t start = b->now;

	for (uint32_t p = 1; p < b->ports; p++)
		if (b->free[(gsize)bank * b->ports + p] < *port)
			port = b->free + (gsize)bank * b->ports + p;
	if (*port > start) {
		start = *port;
		service->delayed++;
		b->wait[bank] += (uint64_t)(start - b->now);
	}
	note_asker(b, bank, b->who);
	*port = start + b->service;
	b->busy_until = MAX(b->busy_until, *port);
	if (*port - 1 > service->end || !service->requests) {
		service->end = *port - 1;
		service->bank = bank;
	}
	service->requests++;
	b->count_edge[bank]++;
	b->count_edge[bank + 1]--;
}

static void serve_queued(model_banks *b, const bankmap *map, const model_shape *shape, model_service *service)
{
	uint32_t modulus = map == b->map ? b->modulus : 0;
	uint32_t touched = 0;

	*service = (model_service){.end = b->now};
	for (uint32_t i = 0; i < shape->runs; i++) {
		uint64_t first = 0;
		uint32_t n = run_blocks(b, shape, i, &first);
		uint32_t bank = modulus && n ? (uint32_t)(first % modulus) : 0;

		for (uint32_t k = 0; k < n; k++) {
			if (!modulus)
				bank = bankmap_bank(map, first + k);
			if (!b->own[bank]++)
				b->touched[touched++] = (uint16_t)bank;
			serve_request(b, bank, service);
			if (modulus && ++bank == modulus)
				bank = 0;
		}
	}
	for (uint32_t i = 0; i < touched; i++) {
		uint32_t bank = b->touched[i];

		service->beats = MAX(service->beats, (b->own[bank] + b->ports - 1) / b->ports * b->service);
		b->own[bank] = 0;
	}
	service->other = b->before[service->bank];
}

/* Forgets the cycle before NOW. */
static inline void begin_cycle(model_banks *b, int64_t now)
{
	if (b->now == now)
		return;
	b->now = now;
	memset(b->mask, 0, b->words * sizeof *b->mask);
	g_array_set_size(b->masks, 0);
	g_array_set_size(b->masked, 0);
	if (b->lockstep && b->busy_until > now) {
		for (gsize i = 0; i < (gsize)b->banks * b->ports; i++)
			b->free[i] = INT64_MIN;
		b->busy_until = INT64_MIN;
	}
	b->queued = !b->simple || b->busy_until > now;
}

void model_banks_serve(model_banks *b, const model_shape *shape, int64_t now, model_service *service)
{
	begin_cycle(b, now);
	if (b->ideal) {
		serve_ideal(b, shape, service);
		return;
	}
	if (!b->queued) {
		if (serve_free(b, shape, service))
			return;
		leave_masks(b);
	}
	serve_queued(b, b->map, shape, service);
}

void model_banks_serve_under(model_banks *b, const bankmap *map, const model_shape *shape, int64_t now,
                             model_service *service)
{
	begin_cycle(b, now);
	if (bankmap_is_ideal(map)) {
		serve_ideal(b, shape, service);
		return;
	}
	if (!b->queued)
		leave_masks(b);
	serve_queued(b, map, shape, service);
}

void model_banks_count(const model_banks *b, const bankmap *map, const model_shape *shape, uint32_t *count)
{
	for (uint32_t i = 0; i < shape->runs; i++) {
		uint64_t first = 0;
		uint32_t n = run_blocks(b, shape, i, &first);

		for (uint32_t k = 0; k < n; k++)
			count[bankmap_bank(map, first + k)]++;
	}
}

void model_banks_totals(const model_banks *b, uint64_t *count)
{
	int64_t sum = 0;

	for (uint32_t bank = 0; bank < b->banks; bank++) {
		sum += b->count_edge[bank];
		count[bank] += (uint64_t)sum;
	}
}
