/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting differences in a table with open addressing, and the collision rules of the families that have one.
 */
#include "bank/search_spectrum.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

enum { ROW_SHIFT = 20, FIRST_SLOTS = 4096 };
#define ROW_ZERO (UINT64_C(1) << 19)

uint64_t bank_difference_key(bank_difference kind, uint64_t base, uint64_t a, uint64_t b)
{
	uint64_t high = MAX(a, b), low = MIN(a, b);

	if (kind == BANK_XOR)
		return a ^ b;
	if (kind == BANK_MINUS)
		return high - low;
	/* The higher block has the higher q, or the same q and the higher r. */
	return (high / base - low / base) << ROW_SHIFT | (high % base - low % base + ROW_ZERO);
}

static unsigned linear_bank(const bank_rule *rule, uint64_t block)
{
	unsigned bank = 0;

	for (; block; block &= block - 1)
		bank ^= rule->columns[__builtin_ctzll(block)];
	return bank;
}

bool bank_rule_collides(const bank_rule *rule, uint64_t key)
{
	uint64_t low;

	if (rule->kind == BANK_XOR)
		return linear_bank(rule, key) == 0;
	if (rule->kind == BANK_MINUS)
		return key % rule->modulus == 0;
	/* Multiples of the modulus keep dr positive; it is above -2^16. */
	low = (key & (2 * ROW_ZERO - 1)) + rule->modulus * ROW_ZERO - ROW_ZERO;
	return (low % rule->modulus + rule->multiplier % rule->modulus * ((key >> ROW_SHIFT) % rule->modulus)) %
	               rule->modulus ==
	       0;
}

bool bank_rule_of(const bankmap *map, bank_rule *rule)
{
	const char *text = bankmap_text(map);
	unsigned a, b;

	*rule = (bank_rule){.kind = BANK_MINUS, .modulus = bankmap_modulus(map)};
	if (rule->modulus)
		return true;
	if (sscanf(text, "skew:%u,%u", &a, &b) == 2) {
		*rule = (bank_rule){.kind = BANK_ROWS, .base = a, .modulus = a, .multiplier = b};
		return true;
	}
	if (sscanf(text, "pdisp:%u,%u", &a, &b) == 2) {
		uint64_t banks = UINT64_C(1) << a;

		*rule = (bank_rule){.kind = BANK_ROWS, .base = banks, .modulus = banks, .multiplier = b};
		return true;
	}
	if (bankmap_is_linear(map)) {
		rule->kind = BANK_XOR;
		for (unsigned j = 0; j < BANK_COLUMNS; j++)
			rule->columns[j] = (uint16_t)bankmap_bank(map, UINT64_C(1) << j);
		return true;
	}
	return false;
}

/* Slots with pairs 0 are free. */
typedef struct table {
	bank_spectrum_entry *slots;
	size_t mask, used;
} table;

static inline size_t slot_of(const table *t, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & t->mask;

	while (t->slots[at].pairs && t->slots[at].key != key)
		at = (at + 1) & t->mask;
	return at;
}

static void grow(table *t)
{
	table next = {.mask = 2 * t->mask + 1, .used = t->used};

	next.slots = g_new0(bank_spectrum_entry, next.mask + 1);
	for (size_t i = 0; i <= t->mask; i++)
		if (t->slots[i].pairs)
			next.slots[slot_of(&next, t->slots[i].key)] = t->slots[i];
	g_free(t->slots);
	*t = next;
}

static inline void add(table *t, uint64_t key)
{
	size_t at = slot_of(t, key);

	if (!t->slots[at].pairs++) {
		t->slots[at].key = key;
		if (2 * ++t->used > t->mask)
			grow(t);
	}
}

/* Keeps the first of equal blocks; their number. */
static size_t merged(const uint64_t *blocks, size_t count, uint64_t *distinct)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t j = 0;

		while (j < kept && distinct[j] != blocks[i])
			j++;
		if (j == kept)
			distinct[kept++] = blocks[i];
	}
	return kept;
}

static void count_group(table *t, const uint64_t *blocks, size_t count, bank_spectrum *s)
{
	s->groups++;
	s->requests += count;
	for (size_t i = 1; i < count; i++)
		for (size_t j = 0; j < i; j++) {
			if (blocks[i] == blocks[j])
				s->equal_pairs++;
			else if (s->kind == BANK_XOR)
				add(t, blocks[i] ^ blocks[j]);
			else
				add(t, bank_difference_key(s->kind, s->base, blocks[i], blocks[j]));
		}
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const bank_spectrum_entry *)a)->key, y = ((const bank_spectrum_entry *)b)->key;

	return x < y ? -1 : x > y;
}

static void take_entries(table *t, bank_spectrum *s)
{
	s->entries = g_new(bank_spectrum_entry, t->used + 1);
	for (size_t i = 0; i <= t->mask; i++)
		if (t->slots[i].pairs)
			s->entries[s->count++] = t->slots[i];
	qsort(s->entries, s->count, sizeof *s->entries, by_key);
	g_free(t->slots);
}

bool bank_spectrum_count(bank_source *source, bank_difference kind, uint64_t base, bool merge, uint64_t every,
                         size_t most, bank_spectrum *spectrum, GError **error)
{
	table t = {.slots = g_new0(bank_spectrum_entry, FIRST_SLOTS), .mask = FIRST_SLOTS - 1};
	bank_batch batch = {0};
	GError *failure = NULL;
	uint64_t *distinct = NULL;
	size_t room = 0;

	*spectrum = (bank_spectrum){.kind = kind, .base = base};
	if (!bank_source_rewind(source, &failure)) {
		g_propagate_error(error, failure);
		g_free(t.slots);
		return false;
	}
	while (!spectrum->full && bank_source_next(source, &batch, &failure))
		for (size_t g = 0; g < batch.groups && !spectrum->full; g++) {
			const uint64_t *blocks = batch.blocks + batch.start[g];
			size_t count = batch.start[g + 1] - batch.start[g];

			if (spectrum->all_groups++ % every)
				continue;
			if (merge) {
				if (count > room) {
					room = count;
					distinct = g_renew(uint64_t, distinct, room);
				}
				count = merged(blocks, count, distinct);
				blocks = distinct;
			}
			count_group(&t, blocks, count, spectrum);
			spectrum->full = t.used > most;
		}
	g_free(distinct);
	bank_batch_clear(&batch);
	take_entries(&t, spectrum);
	if (failure) {
		bank_spectrum_clear(spectrum);
		g_propagate_error(error, failure);
	}
	return !failure;
}

bool bank_spectrum_sample(bank_source *source, bank_difference kind, uint64_t base, bool merge, size_t most,
                          bank_spectrum *spectrum, GError **error)
{
	for (uint64_t every = 1;; every *= 4) {
		if (!bank_spectrum_count(source, kind, base, merge, every, most, spectrum, error))
			return false;
		/* A single group may be too much by itself. */
		if (!spectrum->full || spectrum->groups <= 1)
			return true;
		bank_spectrum_clear(spectrum);
	}
}

void bank_spectrum_clear(bank_spectrum *spectrum)
{
	g_free(spectrum->entries);
	*spectrum = (bank_spectrum){.kind = spectrum->kind, .base = spectrum->base};
}

uint64_t bank_spectrum_colliding(const bank_spectrum *spectrum, const bank_rule *rule)
{
	uint64_t pairs = spectrum->equal_pairs;

	for (size_t i = 0; i < spectrum->count; i++)
		if (bank_rule_collides(rule, spectrum->entries[i].key))
			pairs += spectrum->entries[i].pairs;
	return pairs;
}

typedef struct every_source {
	bank_source base;
	bank_source *inner;
	bank_batch batch;
	uint64_t step, first, group;
} every_source;

static bool every_next(bank_source *source, bank_batch *batch, GError **error)
{
	every_source *e = (every_source *)source;
	GError *failure = NULL;

	while (!batch->groups && bank_source_next(e->inner, &e->batch, &failure))
		for (size_t g = 0; g < e->batch.groups; g++, e->group++) {
			uint32_t start = e->batch.start[g], count = e->batch.start[g + 1] - start;

			if (e->group % e->step != e->first)
				continue;
			if (e->batch.has_kinds) {
				bank_batch_reserve(batch, 1, count);
				memcpy(batch->kinds + batch->accesses, e->batch.kinds + start, count);
				batch->has_kinds = true;
			}
			bank_batch_add(batch, e->batch.blocks + start, count);
		}
	if (failure)
		g_propagate_error(error, failure);
	return batch->groups > 0 && !failure;
}

static bool every_rewind(bank_source *source, GError **error)
{
	every_source *e = (every_source *)source;

	e->group = 0;
	return bank_source_rewind(e->inner, error);
}

static void every_free(bank_source *source)
{
	every_source *e = (every_source *)source;

	bank_source_free(e->inner);
	bank_batch_clear(&e->batch);
	g_free(e);
}

bank_source *bank_source_every(bank_source *inner, uint64_t step, uint64_t first)
{
	every_source *e = g_new0(every_source, 1);

	e->base = (bank_source){
		.next = every_next, .rewind = every_rewind, .free = every_free, .name = g_strdup(inner->name)};
	e->inner = inner;
	e->step = step;
	e->first = first;
	return &e->base;
}
