/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of global memory by which cores without counters meet.  set_word stores a value past the data cache; it is seen
 * scalar.publish_cycles later, and with it goes what the setter's scalar unit knows to be complete.  wait_word is the
 * loop of a load past the data cache, a comparison and a branch: it looks every scalar.load_cycles +
 * scalar.branch_cycles until the value is there; a look finds what was seen when it began.  A wait knows what went with
 * the first set that is enough for it, whatever it happens to find: only that is so whenever it looks.
 *
 * A word that was ever set has the values of its sets; one that was not, what memory holds.  Looks do not load L2.
 */
#include "models/ascend/front_int.h"

typedef struct word_set {
	int64_t time; /* from when on it is seen */
	int64_t value;
	asc_who who;
	asc_foreign *clock; /* NULL: what memory held before */
} word_set;

struct asc_words {
	asc_chip *chip;
	GHashTable *sets; /* uint64_t address to GArray of word_set, by time */
};

static void free_sets(gpointer p)
{
	GArray *sets = p;

	for (guint i = 0; i < sets->len; i++)
		asc_foreign_unref(g_array_index(sets, word_set, i).clock);
	g_array_unref(sets);
}

asc_words *asc_words_new(asc_chip *chip)
{
	asc_words *w = g_new0(asc_words, 1);

	w->chip = chip;
	w->sets = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_sets);
	return w;
}

void asc_words_free(asc_words *w)
{
	if (w)
		g_hash_table_destroy(w->sets);
	g_free(w);
}

static int64_t in_memory(const asc_subcore *s, uint64_t address)
{
	const uint8_t *bytes = asc_data_at(s->data, ASC_GM, address, ASC_WORD_BYTES);
	int64_t value;

	if (!bytes)
		return (int64_t)asc_data_image(s->data, address, ASC_WORD_BYTES);
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* The value that is seen at NOW, and by which set; NULL: none. */
static int64_t seen(const asc_subcore *s, uint64_t address, int64_t now, const word_set **by)
{
	const GArray *sets = g_hash_table_lookup(s->chip->words->sets, &address);

	*by = NULL;
	if (!sets)
		return in_memory(s, address);
	for (guint i = sets->len; i-- > 0;)
		if (g_array_index(sets, word_set, i).time <= now) {
			*by = &g_array_index(sets, word_set, i);
			return (*by)->value;
		}
	return 0;
}

void asc_word_set(asc_subcore *s, asc_who who, uint64_t address, int64_t value, int64_t time, const asc_clock *clock)
{
	asc_chip *chip = s->chip;
	GArray *sets = g_hash_table_lookup(chip->words->sets, &address);
	word_set set = {time, value, who, asc_clock_export(clock, s->index, chip->subs * ASC_PIPES)};
	guint at;

	set.who.effect = time;
	if (!sets) {
		word_set before = {.time = INT64_MIN, .value = in_memory(s, address), .who = ASC_NOBODY};

		sets = g_array_new(FALSE, FALSE, sizeof(word_set));
		g_array_append_val(sets, before);
		g_hash_table_insert(chip->words->sets, g_memdup2(&address, sizeof(address)), sets);
	}
	for (at = sets->len; g_array_index(sets, word_set, at - 1).time > time; at--)
		continue;
	g_array_insert_val(sets, at, set);
	for (uint32_t i = 0; i < chip->subs; i++)
		if (chip->sub[i].scalar.stopped && chip->sub[i].scalar.polls &&
		    chip->sub[i].scalar.poll_address == address)
			asc_chip_dirty(&chip->sub[i]);
}

bool asc_word_reached(const asc_subcore *s, uint64_t address, int64_t value, int64_t now)
{
	const word_set *by;

	return seen(s, address, now, &by) >= value;
}

void asc_word_take(const asc_subcore *s, uint64_t address, int64_t value, asc_clock *clock, asc_who *setter)
{
	const GArray *sets = g_hash_table_lookup(s->chip->words->sets, &address);

	for (guint i = 0; sets && i < sets->len; i++) {
		const word_set *set = &g_array_index(sets, word_set, i);

		if (set->value < value)
			continue;
		if (!set->clock)
			return;
		*setter = set->who;
		asc_clock_import(clock, set->clock, s->index);
		return;
	}
}

int64_t asc_word_next(const asc_subcore *s, uint64_t address, int64_t value, int64_t from)
{
	const GArray *sets = g_hash_table_lookup(s->chip->words->sets, &address);

	if (asc_word_reached(s, address, value, from))
		return from;
	for (guint i = 0; sets && i < sets->len; i++) {
		const word_set *set = &g_array_index(sets, word_set, i);

		if (set->time > from && set->value >= value)
			return set->time;
	}
	return SIM_NEVER;
}
