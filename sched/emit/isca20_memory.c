/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocation of tiles.  While memory is plentiful every tile gets words of its own, as far down as possible: words that
 * nothing else ever used cost no waiting.  Only when that fails are words of dead tiles taken again; the books on words
 * (isca_word) then keep new writes behind the last reads.
 */
#include "sched/emit/isca20_memory.h"

#include <stdlib.h>

typedef struct taken {
	uint32_t word, end;
	uint32_t first, last; /* life time */
} taken;

void isca_tile_add(isca_tile *tile, enum isca_dim dim, uint64_t div, uint64_t mod, int64_t slices, int64_t words)
{
	g_assert(tile->terms < ISCA_TERMS);
	tile->term[tile->terms++] = (isca_term){dim, div, mod, slices, words};
}

void isca_tile_filter(isca_tile *tile, enum isca_dim dim, uint64_t div, uint64_t mod, uint64_t value)
{
	g_assert(tile->filters < ISCA_FILTERS);
	tile->filter[tile->filters++] = (isca_filter){dim, div, mod, value};
}

enum { FOLDS_MAX = 4 };

static uint64_t parts_of(uint64_t count, uint64_t share)
{
	return (count - 1) / share + 1;
}

/* Cuts folds into equal shares so that the product of the shares is at most ROOM; the fewest parts, and among equals
 * the inner folds whole.  Returns the number of parts, 0 when it takes more than there are slices. */
static uint64_t choose_shares(const isca_fold *folds, unsigned count, uint64_t room, uint64_t *shares)
{
	uint64_t best = 0, rest[FOLDS_MAX];

	if (!count)
		return 1;
	for (uint64_t parts = 1; parts <= MIN(folds->count, ISCA_SLICES_MAX) && (!best || parts < best); parts++) {
		uint64_t share = parts_of(folds->count, parts), all;

		if (share > room || parts_of(folds->count, share) < parts)
			continue;
		all = parts * choose_shares(folds + 1, count - 1, room / share, rest);
		if (!all || (best && all >= best))
			continue;
		best = all;
		shares[0] = share;
		for (unsigned i = 1; i < count; i++)
			shares[i] = rest[i - 1];
	}
	return best;
}

uint64_t isca_tile_lay(isca_tile *tile, uint64_t unit, const isca_fold *folds, unsigned count, uint64_t part,
                       uint64_t pitch)
{
	uint64_t shares[FOLDS_MAX], words = unit, parts = 1;

	if (!choose_shares(folds, count, MAX(part / unit, 1), shares))
		for (unsigned i = 0; i < count; i++)
			shares[i] = 1;
	for (unsigned i = 0; i < count; i++) {
		const isca_fold *f = &folds[i];

		if (shares[i] > 1)
			isca_tile_add(tile, f->dim, f->div, shares[i] < f->count ? shares[i] : 0, 0, (int64_t)words);
		words *= shares[i];
		if (shares[i] < f->count)
			isca_tile_add(tile, f->dim, f->div * shares[i], 0, (int64_t)(pitch * parts), 0);
		parts *= parts_of(f->count, shares[i]);
	}
	return parts;
}

bool isca_tile_covers(const isca_tile *tile, uint64_t row, uint64_t block)
{
	uint64_t at = row - tile->first_row;
	uint64_t index[ISCA_DIMS] = {at / tile->period, at % tile->period, block - tile->first_block, 0};

	if (row < tile->first_row || index[ISCA_DIM_BATCH] >= tile->batches || index[ISCA_DIM_ROW] >= tile->rows ||
	    block < tile->first_block || block >= tile->first_block + tile->blocks)
		return false;
	for (unsigned i = 0; i < tile->filters; i++) {
		const isca_filter *f = &tile->filter[i];

		if (index[f->dim] / f->div % f->mod != f->value)
			return false;
	}
	return true;
}

uint32_t isca_tile_place(const isca_tile *tile, uint64_t row, uint64_t block, unsigned byte)
{
	uint64_t at = row - tile->first_row;
	uint64_t index[ISCA_DIMS] = {at / tile->period, at % tile->period, block - tile->first_block, byte};
	int64_t slice = tile->slice, word = tile->word;

	for (unsigned i = 0; i < tile->terms; i++) {
		const isca_term *term = &tile->term[i];
		uint64_t x = index[term->dim] / term->div;

		if (term->mod)
			x %= term->mod;
		slice += (int64_t)x * term->slices;
		word += (int64_t)x * term->words;
	}
	return (uint32_t)slice << 16 | (uint32_t)word;
}

static uint64_t dim_size(const isca_tile *tile, enum isca_dim dim)
{
	switch (dim) {
	case ISCA_DIM_BATCH:
		return tile->batches;
	case ISCA_DIM_ROW:
		return tile->rows;
	case ISCA_DIM_BLOCK:
		return tile->blocks;
	default:
		return tile->bytes;
	}
}

/* Slices of the tile relative to its origin, and its height. */
static void measure(isca_tile *tile)
{
	isca_set reached = {{1}};
	uint64_t height = 1 + tile->spare;

	for (unsigned i = 0; i < tile->terms; i++) {
		const isca_term *term = &tile->term[i];
		uint64_t values = (dim_size(tile, term->dim) - 1) / term->div + 1;
		isca_set next = {{0}};

		if (term->mod)
			values = MIN(values, term->mod);
		height += (values - 1) * (uint64_t)term->words;
		/* More slices than there are: it must not seem to fit. */
		if ((values - 1) * (uint64_t)term->slices >= ISCA_SLICES_MAX) {
			height = UINT32_MAX;
			continue;
		}
		for (unsigned s = 0; s < ISCA_SLICES_MAX && term->slices; s++)
			for (uint64_t v = 0; isca_set_has(&reached, s) && v < values; v++)
				if (s + v * (uint64_t)term->slices < ISCA_SLICES_MAX)
					isca_set_add(&next, s + (unsigned)(v * (uint64_t)term->slices));
				else
					height = UINT32_MAX;
		if (term->slices)
			reached = next;
	}
	tile->slices = reached;
	tile->height = (uint32_t)MIN(height, UINT32_MAX);
}

static GArray *taken_of(const isca *c, unsigned slice)
{
	return g_ptr_array_index(c->memory->slices, slice);
}

/* The lowest word above everything that the slices at ORIGIN ever held, UINT32_MAX where the tile may not lie. */
static uint32_t lowest_unused(const isca *c, const isca_tile *tile, const isca_wish *wish, unsigned origin)
{
	unsigned side = origin / c->slices_per_side;
	uint32_t word = 0;

	if ((wish->side >= 0 && side != (unsigned)wish->side) || (wish->align && origin % wish->align))
		return UINT32_MAX;
	for (unsigned s = 0; s < ISCA_SLICES_MAX; s++) {
		unsigned slice = origin + s;

		if (!isca_set_has(&tile->slices, s))
			continue;
		if (slice >= 2 * c->slices_per_side || isca_set_has(&wish->avoid, slice) ||
		    (wish->bound && !isca_set_has(&wish->within, slice)))
			return UINT32_MAX;
		if (!wish->wide && slice / c->slices_per_side != side + (wish->split ? s / c->slices_per_side : 0))
			return UINT32_MAX;
		word = MAX(word, c->memory->top[slice]);
	}
	return word;
}

static unsigned count_shunned(const isca_tile *tile, const isca_wish *wish, unsigned origin)
{
	unsigned count = 0;

	for (unsigned s = 0; s + origin < ISCA_SLICES_MAX; s++)
		count += isca_set_has(&tile->slices, s) && isca_set_has(&wish->shun, origin + s);
	return count;
}

/* How many slices of this hemisphere are out of bounds?  The emptier one is better: others will want to be apart, too.
 */
static unsigned count_avoided(const isca *c, const isca_wish *wish, unsigned origin)
{
	unsigned first = origin / c->slices_per_side * c->slices_per_side, count = 0;

	for (unsigned s = first; s < first + c->slices_per_side; s++)
		count += isca_set_has(&wish->avoid, s);
	return count;
}

/* By how many slices more does a wide tile take of one hemisphere than of the other?  What it leaves should be in both.
 */
static unsigned imbalance(const isca *c, const isca_tile *tile, unsigned origin)
{
	unsigned count[2] = {0, 0};

	for (unsigned s = 0; s + origin < 2 * c->slices_per_side; s++)
		count[isca_is_east(c, s + origin)] += isca_set_has(&tile->slices, s);
	return count[0] > count[1] ? count[0] - count[1] : count[1] - count[0];
}

/* The lower the better. */
static uint64_t rate_place(const isca *c, const isca_tile *tile, const isca_wish *wish, unsigned origin, uint32_t word)
{
	uint64_t rate = count_shunned(tile, wish, origin);

	rate = rate << 8 | (wish->wide ? imbalance(c, tile, origin) : 0);
	rate = rate << 8 | count_avoided(c, wish, origin);
	rate = rate << 8 | (wish->outward ? c->slices_per_side - 1 - origin % c->slices_per_side : 0);
	return rate << 20 | word;
}

static int compare_words(const void *a, const void *b)
{
	const taken *x = a;
	const taken *y = b;

	return (x->word > y->word) - (x->word < y->word);
}

/* The lowest word from which the slices at ORIGIN are free for the tile's height and life. */
static uint32_t lowest_free(const isca *c, const isca_tile *tile, const isca_wish *wish, unsigned origin)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(taken));
	uint32_t word = 0;

	for (unsigned s = 0; s < ISCA_SLICES_MAX; s++) {
		const GArray *list;

		if (!isca_set_has(&tile->slices, s))
			continue;
		list = taken_of(c, origin + s);
		for (guint i = 0; i < list->len; i++) {
			const taken *k = &g_array_index(list, taken, i);

			if (k->first <= wish->last && wish->first <= k->last)
				g_array_append_val(all, *k);
		}
	}
	qsort(all->data, all->len, sizeof(taken), compare_words);
	for (guint i = 0; i < all->len; i++) {
		const taken *k = &g_array_index(all, taken, i);

		if (k->word >= word + tile->height)
			break;
		word = MAX(word, k->end);
	}
	return word;
}

/* Finds the best origin; words of dead tiles only when REUSE. */
static bool find_place(isca *c, isca_tile *tile, const isca_wish *wish, bool reuse)
{
	uint64_t best = UINT64_MAX;

	for (unsigned n = 0; n < 2 * c->slices_per_side; n++) {
		/* Among equals the first: the one from which the search begins decides. */
		unsigned origin = (n + c->first_origin) % (2 * c->slices_per_side);
		uint32_t word = lowest_unused(c, tile, wish, origin);
		uint64_t cost;

		if (word == UINT32_MAX)
			continue;
		if (reuse)
			word = lowest_free(c, tile, wish, origin);
		if ((uint64_t)word + tile->height > c->words_per_slice)
			continue;
		cost = rate_place(c, tile, wish, origin, word);
		if (cost >= best)
			continue;
		best = cost;
		tile->slice = origin;
		tile->word = word;
	}
	return best != UINT64_MAX;
}

static unsigned count_slices(const isca_set *s)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ISCA_SLICES_MAX; i++)
		count += isca_set_has(s, i);
	return count;
}

bool isca_allocate(isca *c, isca_tile *tile, const isca_wish *wish)
{
	taken k = {.first = wish->first, .last = wish->last};
	isca_set relative;

	measure(tile);
	c->memory->asked_words += (uint64_t)count_slices(&tile->slices) * tile->height;
	if (tile->height > c->words_per_slice ||
	    (!find_place(c, tile, wish, false) && !find_place(c, tile, wish, true)))
		return false;
	k.word = tile->word;
	k.end = tile->word + tile->height;
	relative = tile->slices;
	tile->slices = (isca_set){{0}};
	for (unsigned s = 0; s < ISCA_SLICES_MAX; s++) {
		unsigned slice = tile->slice + s;

		if (!isca_set_has(&relative, s))
			continue;
		isca_set_add(&tile->slices, slice);
		g_array_append_val(taken_of(c, slice), k);
		c->memory->top[slice] = MAX(c->memory->top[slice], k.end);
	}
	return true;
}

void isca_memory_init(isca *c)
{
	c->memory = g_new0(struct isca_memory, 1);
	c->memory->slices = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (unsigned s = 0; s < 2 * c->slices_per_side; s++)
		g_ptr_array_add(c->memory->slices, g_array_new(FALSE, FALSE, sizeof(taken)));
	c->memory->top = g_new0(uint32_t, 2 * c->slices_per_side);
}

void isca_memory_fini(isca *c)
{
	if (!c->memory)
		return;
	g_ptr_array_unref(c->memory->slices);
	g_free(c->memory->top);
	g_clear_pointer(&c->memory, g_free);
}

uint32_t isca_tensor_place(const isca_tensor *t, unsigned section, uint64_t v, unsigned byte)
{
	uint64_t block = section ? t->full_blocks : v / t->rows;
	uint64_t row = section ? v : v % t->rows;

	for (guint i = 0; i < t->tiles->len; i++) {
		const isca_tile *tile = &g_array_index(t->tiles, isca_tile, i);

		if (isca_tile_covers(tile, row, block))
			return isca_tile_place(tile, row, block, byte);
	}
	g_assert_not_reached();
}
