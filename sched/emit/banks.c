/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank maps and the calendar of bank ports; see banks.h.
 *
 * The calendar holds, for each cycle, PORTS bit planes of one bit a bank; bit b of plane p is set when more than p
 * ports of bank b are taken.  Such unary counts add by shifting planes into each other, and two of them exceed the
 * ports exactly when plane i of one and plane PORTS-1-i of the other share a bit.  Pages of cycles are allocated when
 * first written and dropped when the scheduler has left them behind.
 */
#include "sched/emit/banks.h"

#include <string.h>

enum { MAP_PARAMETERS = 3, MAP_BYTES = 8, PAGE_SHIFT = 9, PAGE_CYCLES = 1 << PAGE_SHIFT, WORK_SHIFT = 6 };

enum map_kind { MAP_MOD, MAP_SKEW, MAP_XORFOLD, MAP_SWIZZLE, MAP_POLY, MAP_IDEAL };

static const struct {
	const char *name;
	unsigned parameters;
} map_kinds[] = {
	[MAP_MOD] = {"mod", 1},         [MAP_SKEW] = {"skew", 2}, [MAP_XORFOLD] = {"xorfold", 1},
	[MAP_SWIZZLE] = {"swizzle", 3}, [MAP_POLY] = {"poly", 1}, [MAP_IDEAL] = {"ideal", 0},
};

struct bank_map {
	enum map_kind kind;
	uint64_t p[MAP_PARAMETERS];
	uint64_t used;        /* banks the map reaches */
	uint64_t capacity;    /* blocks */
	uint64_t reduced[64]; /* poly: x^i modulo the polynomial */
};

static bool read_map(bank_map *map, const char *text)
{
	size_t kind = 0;
	const char *at;

	while (kind < G_N_ELEMENTS(map_kinds) && !g_str_has_prefix(text, map_kinds[kind].name))
		kind++;
	if (kind == G_N_ELEMENTS(map_kinds))
		return false;
	map->kind = (enum map_kind)kind;
	at = text + strlen(map_kinds[kind].name);
	for (unsigned i = 0; i < map_kinds[kind].parameters; i++) {
		char *end;

		if (*at != (i ? ',' : ':'))
			return false;
		map->p[i] = g_ascii_strtoull(at + 1, &end, 0);
		if (end == at + 1)
			return false;
		at = end;
	}
	return *at == '\0';
}

/* x^i mod P by shift and subtract, bit by bit. */
static unsigned prepare_poly(bank_map *map)
{
	unsigned degree = map->p[0] ? 63 - (unsigned)__builtin_clzll(map->p[0]) : 0;
	uint64_t power = 1;

	for (unsigned i = 0; i < 64 && degree; i++) {
		map->reduced[i] = power;
		power <<= 1;
		if (power >> degree & 1)
			power ^= map->p[0];
	}
	return degree;
}

static uint64_t banks_reached(bank_map *map, unsigned banks)
{
	switch (map->kind) {
	case MAP_MOD:
	case MAP_SKEW:
		return map->p[0];
	case MAP_XORFOLD:
		return map->p[0] < 32 ? UINT64_C(1) << map->p[0] : 0;
	case MAP_SWIZZLE:
		return map->p[0] + map->p[1] < 32 ? UINT64_C(1) << (map->p[0] + map->p[1]) : 0;
	case MAP_POLY:
		return UINT64_C(1) << MIN(prepare_poly(map), 31);
	default:
		return banks;
	}
}

bank_map *bank_map_new(const char *text, unsigned banks, uint64_t rows, GError **error)
{
	bank_map *map = g_new0(bank_map, 1);

	if (read_map(map, text))
		map->used = banks_reached(map, banks);
	if (map->used < 1 || map->used > banks) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "the scheduler cannot place data under bank map '%s' in %u banks", text, banks);
		g_free(map);
		return NULL;
	}
	map->capacity = map->used * rows;
	return map;
}

void bank_map_free(bank_map *map)
{
	g_free(map);
}

unsigned bank_map_bank(const bank_map *map, uint64_t block)
{
	uint64_t bank = 0;

	switch (map->kind) {
	case MAP_SKEW:
		return (unsigned)((block + map->p[1] * (block / map->used)) % map->used);
	case MAP_XORFOLD:
		return (unsigned)((block ^ block >> map->p[0]) & (map->used - 1));
	case MAP_SWIZZLE:
		bank = (block >> map->p[2]) & ((UINT64_C(1) << map->p[0]) - 1) << map->p[1];
		return (unsigned)((block ^ bank) & (map->used - 1));
	case MAP_POLY:
		for (; block; block &= block - 1)
			bank ^= map->reduced[__builtin_ctzll(block)];
		return (unsigned)bank;
	default:
		return (unsigned)(block % map->used);
	}
}

uint64_t bank_map_capacity_blocks(const bank_map *map)
{
	return map->capacity;
}

unsigned bank_map_banks_used(const bank_map *map)
{
	return (unsigned)map->used;
}

unsigned bank_map_modulus(const bank_map *map)
{
	return map->kind == MAP_MOD ? (unsigned)map->used : 0;
}

bool bank_map_is_ideal(const bank_map *map)
{
	return map->kind == MAP_IDEAL;
}

struct bank_calendar {
	bank_map *map;
	bool ideal; /* no two requests meet */
	unsigned ports;
	unsigned words;   /* of one plane */
	unsigned service; /* cycles a request holds its port */
	uint64_t block_bytes;
	uint32_t *count; /* scratch, per bank */
	int64_t base;    /* first page kept */
	GPtrArray *pages;
	int64_t used_base;
	GArray *used; /* uint64_t: bank cycles taken by accesses presented in each 64 cycles */
};

bank_calendar *bank_calendar_new(const isa_machine *machine, GError **error)
{
	bank_map *map =
		bank_map_new(machine->sram_map, (unsigned)machine->sram_banks, (uint64_t)machine->sram_rows, error);
	bank_calendar *c;

	if (!map)
		return NULL;
	c = g_new0(bank_calendar, 1);
	c->map = map;
	c->ideal = bank_map_is_ideal(map);
	c->ports = (unsigned)machine->sram_ports;
	c->words = (unsigned)((map->used + 63) / 64);
	c->service = (unsigned)((machine->sram_block_bytes + machine->sram_port_bytes - 1) / machine->sram_port_bytes);
	c->block_bytes = (uint64_t)machine->sram_block_bytes;
	c->count = g_new0(uint32_t, map->used);
	c->pages = g_ptr_array_new_with_free_func(g_free);
	c->used = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	return c;
}

void bank_calendar_free(bank_calendar *calendar)
{
	if (!calendar)
		return;
	bank_map_free(calendar->map);
	g_ptr_array_unref(calendar->pages);
	g_array_unref(calendar->used);
	g_free(calendar->count);
	g_free(calendar);
}

const bank_map *bank_calendar_map(const bank_calendar *calendar)
{
	return calendar->map;
}

void bank_calendar_idealise(bank_calendar *calendar)
{
	calendar->ideal = true;
}

bool bank_calendar_is_ideal(const bank_calendar *calendar)
{
	return calendar->ideal;
}

static uint64_t *append_words(GArray *arena, size_t count)
{
	guint first = arena->len;

	g_array_set_size(arena, first + (guint)count);
	memset(&g_array_index(arena, uint64_t, first), 0, count * sizeof(uint64_t));
	return &g_array_index(arena, uint64_t, first);
}

/* Sets COUNT bits from FROM. */
static void set_bits(uint64_t *plane, unsigned from, unsigned count)
{
	while (count) {
		unsigned bit = from % 64;
		unsigned n = MIN(64 - bit, count);

		plane[from / 64] |= (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << bit;
		from += n;
		count -= n;
	}
}

/* One run of blocks under a modulus meets no bank twice while it is not longer than that. */
static void print_run(const bank_calendar *c, uint64_t first, uint64_t blocks, uint64_t *plane)
{
	unsigned from = (unsigned)(first % c->map->used);
	unsigned head = (unsigned)MIN(blocks, c->map->used - from);

	set_bits(plane, from, head);
	set_bits(plane, 0, (unsigned)blocks - head);
}

/* Counts the requests of each bank, and all of them; the fullest bank's. */
static uint32_t count_requests(bank_calendar *c, const bank_access *access, uint32_t *requests)
{
	uint32_t fullest = 0;

	memset(c->count, 0, c->map->used * sizeof *c->count);
	for (uint32_t s = 0; s < access->count; s++) {
		int64_t offset = access->index ? access->index[s] : (int64_t)s * access->pitch;
		uint64_t addr = access->addr + (uint64_t)offset;

		for (uint64_t b = addr / c->block_bytes; b <= (addr + access->seg - 1) / c->block_bytes; b++) {
			uint32_t n = ++c->count[bank_map_bank(c->map, b)];

			fullest = MAX(fullest, n);
			++*requests;
		}
	}
	return fullest;
}

bank_print bank_calendar_print(bank_calendar *c, const bank_access *access, GArray *arena)
{
	uint64_t first = access->addr / c->block_bytes;
	uint64_t blocks = (access->addr + access->seg - 1) / c->block_bytes - first + 1;
	bank_print print = {1, arena->len, 0};
	size_t wave_words = (size_t)c->ports * c->words;
	uint32_t fullest;

	if (c->ideal)
		return print;
	if (c->map->kind == MAP_MOD && access->count == 1 && !access->index && blocks <= c->map->used) {
		print_run(c, first, blocks, append_words(arena, wave_words));
		print.requests = (uint32_t)blocks;
		return print;
	}
	fullest = count_requests(c, access, &print.requests);
	print.waves = (fullest + c->ports - 1) / c->ports;
	append_words(arena, print.waves * wave_words);
	for (uint64_t b = 0; b < c->map->used; b++)
		for (uint32_t i = 0; i < c->count[b]; i++)
			g_array_index(arena, uint64_t, print.first + (size_t)i * c->words + b / 64) |= UINT64_C(1)
			                                                                               << b % 64;
	return print;
}

unsigned bank_calendar_beats(const bank_calendar *calendar, bank_print print)
{
	return print.waves * calendar->service;
}

uint64_t bank_calendar_work(const bank_calendar *calendar, bank_print print)
{
	return (uint64_t)print.requests * calendar->service;
}

uint64_t bank_calendar_free_work(const bank_calendar *c, int64_t from, int64_t to)
{
	uint64_t whole = (uint64_t)(to - from) * c->map->used * c->ports;
	uint64_t used = 0;

	for (int64_t p = from >> WORK_SHIFT; p <= (to - 1) >> WORK_SHIFT; p++)
		if (p >= c->used_base && p - c->used_base < (int64_t)c->used->len)
			used += g_array_index(c->used, uint64_t, p - c->used_base);
	return whole - MIN(used, whole);
}

/* The planes of CYCLE; NULL when nothing is taken there and MAKE is false. */
static uint64_t *planes_at(bank_calendar *c, int64_t cycle, bool make)
{
	int64_t page = (cycle >> PAGE_SHIFT) - c->base;
	size_t words = (size_t)c->ports * c->words;
	gpointer *slot;

	g_assert(page >= 0);
	if ((guint)page >= c->pages->len) {
		if (!make)
			return NULL;
		g_ptr_array_set_size(c->pages, (gint)page + 1);
	}
	slot = &g_ptr_array_index(c->pages, page);
	if (!*slot) {
		if (!make)
			return NULL;
		*slot = g_new0(uint64_t, words * PAGE_CYCLES);
	}
	return (uint64_t *)*slot + words * (size_t)(cycle & (PAGE_CYCLES - 1));
}

static bool wave_fits(const bank_calendar *c, const uint64_t *taken, const uint64_t *wave)
{
	for (unsigned p = 0; p < c->ports; p++) {
		const uint64_t *mine = wave + (size_t)p * c->words;
		const uint64_t *theirs = taken + (size_t)(c->ports - 1 - p) * c->words;

		for (unsigned w = 0; w < c->words; w++)
			if (mine[w] & theirs[w])
				return false;
	}
	return true;
}

/* Unary addition: a sum above p means i of one and p - i of the other. */
static void wave_add(const bank_calendar *c, uint64_t *taken, const uint64_t *wave)
{
	for (unsigned w = 0; w < c->words; w++)
		for (unsigned p = c->ports; p-- > 0;) {
			uint64_t sum = taken[(size_t)p * c->words + w] | wave[(size_t)p * c->words + w];

			for (unsigned i = 0; i < p; i++)
				sum |= taken[(size_t)i * c->words + w] & wave[(size_t)(p - 1 - i) * c->words + w];
			taken[(size_t)p * c->words + w] = sum;
		}
}

/* The inverse, bank by bank: as many of the highest planes go as the wave had. */
static void wave_subtract(const bank_calendar *c, uint64_t *taken, const uint64_t *wave)
{
	for (unsigned w = 0; w < c->words; w++)
		for (unsigned i = 0; i < c->ports; i++) {
			uint64_t drop = wave[(size_t)i * c->words + w];

			for (unsigned p = c->ports; p-- > 0 && drop;) {
				uint64_t *plane = &taken[(size_t)p * c->words + w];
				uint64_t here = *plane & drop;

				*plane &= ~here;
				drop &= ~here;
			}
		}
}

/* Adds to the work begun in CYCLE's page. */
static void count_work(bank_calendar *c, int64_t cycle, uint64_t work)
{
	guint page = (guint)((cycle >> WORK_SHIFT) - c->used_base);

	if (page >= c->used->len)
		g_array_set_size(c->used, page + 1);
	g_array_index(c->used, uint64_t, page) += work;
}

bool bank_calendar_take(bank_calendar *c, int64_t cycle, bank_print print, const GArray *arena)
{
	size_t wave_words = (size_t)c->ports * c->words;

	if (c->ideal)
		return true;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t n = 0; n < print.waves * c->service; n++) {
			const uint64_t *wave =
				&g_array_index(arena, uint64_t, print.first + n / c->service * wave_words);
			uint64_t *taken = planes_at(c, cycle + n, pass == 1);

			if (pass == 1)
				wave_add(c, taken, wave);
			else if (taken && !wave_fits(c, taken, wave))
				return false;
		}
	count_work(c, cycle, bank_calendar_work(c, print));
	return true;
}

void bank_calendar_release(bank_calendar *c, int64_t cycle, bank_print print, const GArray *arena)
{
	size_t wave_words = (size_t)c->ports * c->words;

	if (c->ideal)
		return;
	count_work(c, cycle, -bank_calendar_work(c, print));
	for (uint32_t n = 0; n < print.waves * c->service; n++)
		wave_subtract(c, planes_at(c, cycle + n, true),
		              &g_array_index(arena, uint64_t, print.first + n / c->service * wave_words));
}

void bank_calendar_forget(bank_calendar *c, int64_t cycle)
{
	int64_t keep = cycle >> PAGE_SHIFT;
	guint drop;

	if (keep <= c->base)
		return;
	drop = (guint)MIN(keep - c->base, (int64_t)c->pages->len);
	if (drop)
		g_ptr_array_remove_range(c->pages, 0, drop);
	c->base = keep;
	keep = cycle >> WORK_SHIFT;
	drop = (guint)MIN(keep - c->used_base, (int64_t)c->used->len);
	if (drop)
		g_array_remove_range(c->used, 0, drop);
	c->used_base = keep;
}
