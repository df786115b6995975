/* SPDX-License-Identifier: Apache-2.0
 *
 * The calendar of bank ports; see banks.h.
 *
 * The calendar holds, for each cycle, PORTS bit planes of one bit a bank; bit b of plane p is set when more than p
 * ports of bank b are taken.  Such unary counts add by shifting planes into each other, and two of them exceed the
 * ports exactly when plane i of one and plane PORTS-1-i of the other share a bit.  Pages of cycles are allocated when
 * first written and dropped when the scheduler has left them behind.
 */
#include "sched/emit/banks.h"

#include <string.h>

enum {
	PAGE_SHIFT = 9,
	PAGE_CYCLES = 1 << PAGE_SHIFT,
	WORK_SHIFT = 6,
	KNOWN_BITS = 13,
	KNOWN = 1 << KNOWN_BITS, /* prints kept */
	KNOWN_WAVES = 2,
};

/* The print of BLOCKS consecutive blocks from FIRST on; its words are in known_words. */
typedef struct known_print {
	uint64_t first, blocks; /* 0 blocks: none */
	bank_print print;
} known_print;

struct bank_calendar {
	bank_map *map;
	unsigned banks; /* the map reaches */
	unsigned modulus;
	bool ideal;
	unsigned ports;
	unsigned words;   /* of one plane */
	unsigned service; /* cycles a request holds its port */
	uint64_t block_bytes;
	uint32_t *count;       /* scratch, per bank */
	known_print *known;    /* [KNOWN] of maps that compute each block's bank; or NULL */
	uint64_t *known_words; /* KNOWN_WAVES waves each */
	int64_t base;          /* first page kept */
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
	c->banks = bank_map_banks_used(map);
	c->modulus = bank_map_modulus(map);
	c->ideal = bank_map_is_ideal(map);
	c->ports = (unsigned)machine->sram_ports;
	c->words = (c->banks + 63) / 64;
	c->service = (unsigned)((machine->sram_block_bytes + machine->sram_port_bytes - 1) / machine->sram_port_bytes);
	c->block_bytes = (uint64_t)machine->sram_block_bytes;
	c->count = g_new0(uint32_t, c->banks);
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
	g_free(calendar->known);
	g_free(calendar->known_words);
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
	unsigned from = (unsigned)(first % c->banks);
	unsigned head = (unsigned)MIN(blocks, c->banks - from);

	set_bits(plane, from, head);
	set_bits(plane, 0, (unsigned)blocks - head);
}

/* Counts the requests of each bank, and all of them; the fullest bank's. */
static uint32_t count_requests(bank_calendar *c, const bank_access *access, uint32_t *requests)
{
	uint32_t fullest = 0;

	memset(c->count, 0, c->banks * sizeof *c->count);
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

/* Counts the blocks that ACCESS asks for, bank by bank. */
static bank_print print_counted(bank_calendar *c, const bank_access *access, GArray *arena)
{
	bank_print print = {1, arena->len, 0};
	uint32_t fullest = count_requests(c, access, &print.requests);

	print.waves = (fullest + c->ports - 1) / c->ports;
	append_words(arena, print.waves * (size_t)c->ports * c->words);
	for (uint64_t b = 0; b < c->banks; b++)
		for (uint32_t i = 0; i < c->count[b]; i++)
			g_array_index(arena, uint64_t, print.first + (size_t)i * c->words + b / 64) |= UINT64_C(1)
			                                                                               << b % 64;
	return print;
}

/* Where the print of what begins at block FIRST is kept: by Fibonacci hashing, as vectors lie regularly. */
static size_t place_of(uint64_t first)
{
	return (size_t)(first * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS));
}

/* The same for one segment: loops are built again and again over the same vectors. */
static bank_print print_segment(bank_calendar *c, const bank_access *access, uint64_t first, uint64_t blocks,
                                GArray *arena)
{
	size_t wave_words = (size_t)c->ports * c->words, at = place_of(first);
	uint64_t *words;
	known_print *k;

	if (!c->known) {
		c->known = g_new0(known_print, KNOWN);
		c->known_words = g_new(uint64_t, KNOWN * KNOWN_WAVES * wave_words);
	}
	k = &c->known[at];
	words = c->known_words + at * KNOWN_WAVES * wave_words;
	if (k->blocks != blocks || k->first != first) {
		bank_print made = print_counted(c, access, arena);

		if (made.waves <= KNOWN_WAVES) {
			*k = (known_print){first, blocks, made};
			memcpy(words, &g_array_index(arena, uint64_t, made.first),
			       made.waves * wave_words * sizeof(*words));
		}
		return made;
	}
	k->print.first = arena->len;
	g_array_append_vals(arena, words, (guint)(k->print.waves * wave_words));
	return k->print;
}

bank_print bank_calendar_print(bank_calendar *c, const bank_access *access, GArray *arena)
{
	uint64_t first = access->addr / c->block_bytes;
	uint64_t blocks = (access->addr + access->seg - 1) / c->block_bytes - first + 1;
	bank_print print = {1, arena->len, 0};

	if (c->ideal)
		return print;
	if (access->count != 1 || access->index)
		return print_counted(c, access, arena);
	if (!c->modulus || blocks > c->banks)
		return print_segment(c, access, first, blocks, arena);
	print_run(c, first, blocks, append_words(arena, (size_t)c->ports * c->words));
	print.requests = (uint32_t)blocks;
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
	uint64_t whole = (uint64_t)(to - from) * c->banks * c->ports;
	uint64_t used = 0;

	for (int64_t p = from >> WORK_SHIFT; p <= (to - 1) >> WORK_SHIFT; p++)
		if (p >= c->used_base && p - c->used_base < (int64_t)c->used->len)
			used += g_array_index(c->used, uint64_t, p - c->used_base);
	return whole - MIN(used, whole);
}

static uint64_t *page_at(const bank_calendar *c, int64_t page)
{
	g_assert(page >= 0);
	return (guint)page < c->pages->len ? g_ptr_array_index(c->pages, page) : NULL;
}

/* The planes of CYCLE; NULL where nothing was ever taken near it. */
static const uint64_t *planes_there(const bank_calendar *c, int64_t cycle)
{
	const uint64_t *page = page_at(c, (cycle >> PAGE_SHIFT) - c->base);

	return page ? page + (size_t)c->ports * c->words * (size_t)(cycle & (PAGE_CYCLES - 1)) : NULL;
}

/* The planes of CYCLE, to be written. */
static uint64_t *planes_at(bank_calendar *c, int64_t cycle)
{
	int64_t number = (cycle >> PAGE_SHIFT) - c->base;
	size_t words = (size_t)c->ports * c->words;
	uint64_t *page = page_at(c, number);

	if (!page) {
		if ((guint)number >= c->pages->len)
			g_ptr_array_set_size(c->pages, (gint)number + 1);
		page = g_ptr_array_index(c->pages, number) = g_new0(uint64_t, words * PAGE_CYCLES);
	}
	return page + words * (size_t)(cycle & (PAGE_CYCLES - 1));
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

bool bank_calendar_meet(const bank_calendar *c, bank_print a, bank_print b, const GArray *arena)
{
	return !c->ideal &&
	       !wave_fits(c, &g_array_index(arena, uint64_t, a.first), &g_array_index(arena, uint64_t, b.first));
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

bool bank_calendar_free_for(const bank_calendar *c, int64_t cycle, bank_print print, const GArray *arena)
{
	size_t wave_words = (size_t)c->ports * c->words;
	const uint64_t *wave = &g_array_index(arena, uint64_t, print.first);

	if (c->ideal)
		return true;
	for (uint32_t w = 0; w < print.waves; w++, wave += wave_words)
		for (unsigned n = 0; n < c->service; n++, cycle++) {
			const uint64_t *taken = planes_there(c, cycle);

			if (taken && !wave_fits(c, taken, wave))
				return false;
		}
	return true;
}

/* The same for one beat of three words, where nothing has to be counted. */
static bool beat_fits(const uint64_t *taken, const uint64_t *wave)
{
	return !((taken[0] & wave[0]) | (taken[1] & wave[1]) | (taken[2] & wave[2]));
}

uint32_t bank_calendar_count_free(const bank_calendar *c, int64_t cycle, uint32_t interval, const bank_print *prints,
                                  uint32_t count, const GArray *arena)
{
	bool simple = c->ports == 1 && c->words == 3 && c->service == 1 && !c->ideal;

	for (uint32_t i = 0; i < count; i++, cycle += interval) {
		const uint64_t *taken;

		if (!simple || prints[i].waves != 1) {
			if (!bank_calendar_free_for(c, cycle, prints[i], arena))
				return i;
			continue;
		}
		taken = planes_there(c, cycle);
		if (taken && !beat_fits(taken, &g_array_index(arena, uint64_t, prints[i].first)))
			return i;
	}
	return count;
}

void bank_calendar_put(bank_calendar *c, int64_t cycle, bank_print print, const GArray *arena)
{
	size_t wave_words = (size_t)c->ports * c->words;

	if (c->ideal)
		return;
	for (uint32_t n = 0; n < print.waves * c->service; n++)
		wave_add(c, planes_at(c, cycle + n),
		         &g_array_index(arena, uint64_t, print.first + n / c->service * wave_words));
	count_work(c, cycle, bank_calendar_work(c, print));
}

bool bank_calendar_take(bank_calendar *c, int64_t cycle, bank_print print, const GArray *arena)
{
	if (!bank_calendar_free_for(c, cycle, print, arena))
		return false;
	bank_calendar_put(c, cycle, print, arena);
	return true;
}

void bank_calendar_release(bank_calendar *c, int64_t cycle, bank_print print, const GArray *arena)
{
	size_t wave_words = (size_t)c->ports * c->words;

	if (c->ideal)
		return;
	count_work(c, cycle, -bank_calendar_work(c, print));
	for (uint32_t n = 0; n < print.waves * c->service; n++)
		wave_subtract(c, planes_at(c, cycle + n),
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
