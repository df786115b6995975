/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory tracks: which slices their elements use, in bursts that one instruction can hold, and when the words allow it.
 *
 * A track may move over several slices, in stretches or taking turns.  Bursts of one slice are numbered on from element
 * to element; of slices that take turns, one after the other, all equally long, so that who reads them can still name
 * them by a double loop.
 */
#include "sched/emit/isca20.h"

/* The wire that a memory track keeps time with: what it samples, for READ what it drives. */
static isca_wire *timing_wire(const isca_template *t, const isca_track *k)
{
	return isca_wire_at(t, k->samples >= 0 ? k->samples : k->drives);
}

/* Issue of element I relative to the origin, on SLICE. */
static int64_t memory_issue(const isca_template *t, const isca_track *k, uint32_t slice, uint32_t i)
{
	const isca *c = t->c;
	const isca_wire *w = timing_wire(t, k);
	int64_t diagonal = w->diagonal + (int64_t)(i + k->offset) * t->interval;
	int64_t at = isca_passes(c, w->west, c->slices[slice].position, diagonal);

	return at - c->m->mem_skew_cycles - (k->samples >= 0 ? 0 : c->m->mem_read_cycles);
}

static void add_burst(isca_template *t, isca_track *k, uint32_t first, uint32_t stride, uint32_t count)
{
	isca_burst b = {.slice = k->place[first] >> 16, .first = first, .stride = stride, .count = count};
	uint32_t end = first + (count - 1) * stride + 1;
	unsigned words = k->spread ? t->c->superlanes : 1, sequences = 1;
	const uint32_t *all[ISCA_SUPERLANES_MAX + 1] = {k->place};

	for (unsigned j = 0; k->writers && j < words; j++)
		all[sequences++] = k->writers + (size_t)j * k->count;
	b.issue = memory_issue(t, k, b.slice, first);
	for (uint32_t i = first; i < end;) {
		isca_run run = isca_find_run(all, sequences, i, stride, end);

		b.words += 1u + (run.inner > 1) + (run.outer > 1);
		i += run.inner * run.outer * stride;
	}
	g_array_append_val(k->bursts, b);
}

/* After how many elements does the slice of element FIRST come again, with different ones between?  0 = never. */
static uint32_t find_period(const isca_track *k, uint32_t first)
{
	for (uint32_t p = 1; first + p < k->count; p++) {
		for (uint32_t j = 0; j < p; j++)
			if (k->place[first + j] >> 16 == k->place[first + p] >> 16)
				return j ? 0 : p;
	}
	return 0;
}

isca_word *isca_word_at(const isca *c, uint32_t place)
{
	isca_slice *s = &c->slices[place >> 16];

	if (!s->words)
		s->words = g_new0(isca_word, c->words_per_slice);
	return &s->words[place & 0xffff];
}

/* Number of words that element I of a track touches; PLACES[] gets them. */
unsigned isca_words_of(const isca *c, const isca_track *k, uint32_t i, uint32_t *places)
{
	places[0] = k->place[i];
	for (unsigned s = 0; k->spread && s < c->superlanes; s++)
		places[s] = (k->place[i] & 0xffff0000) | k->spread[(size_t)i * c->superlanes + s];
	return k->spread ? c->superlanes : 1;
}

/* Who wrote the words that a track reads. */
static void find_writers(const isca *c, isca_track *k)
{
	unsigned words = k->spread ? c->superlanes : 1;
	uint32_t places[ISCA_SUPERLANES_MAX];

	k->writers = g_new(uint32_t, (size_t)words * k->count);
	for (uint32_t i = 0; i < k->count; i++) {
		isca_words_of(c, k, i, places);
		for (unsigned j = 0; j < words; j++)
			k->writers[(size_t)j * k->count + i] = isca_word_at(c, places[j])->instance;
	}
}

/* Cuts a memory track by slices: stretches on one slice, or slices taking turns. */
void isca_cut_bursts(isca_template *t, isca_track *k)
{
	uint32_t i = 0;

	k->bursts = g_array_new(FALSE, FALSE, sizeof(isca_burst));
	if (k->drives >= 0)
		find_writers(t->c, k);
	while (i < k->count) {
		uint32_t period = find_period(k, i);
		uint32_t length = MAX(period, 1);

		while (period && i + length < k->count &&
		       k->place[i + length] >> 16 == k->place[i + length - period] >> 16)
			length++;
		for (uint32_t turn = 0; turn < MAX(period, 1); turn++)
			add_burst(t, k, i + turn, MAX(period, 1), period ? length / period : 1);
		i += period ? length / period * period : 1;
	}
}

/* The earliest origin at which every word a track reads is there and no word it writes is still wanted. */
int64_t isca_memory_origin(const isca_template *t, const isca_track *k)
{
	int64_t origin = INT64_MIN;
	uint32_t places[ISCA_SUPERLANES_MAX];

	for (uint32_t i = 0; i < k->count; i++) {
		int64_t access = memory_issue(t, k, k->place[i] >> 16, i) + t->c->m->mem_skew_cycles;
		unsigned words = isca_words_of(t->c, k, i, places);

		for (unsigned j = 0; j < words; j++) {
			const isca_word *w = isca_word_at(t->c, places[j]);

			if (!w->filled)
				continue;
			origin = MAX(origin, w->ready - access);
			if (k->drives < 0)
				origin = MAX(origin, w->read + 1 - access);
		}
	}
	return origin;
}
