/* SPDX-License-Identifier: Apache-2.0
 *
 * Calendars of the stream-style back end: sorted arrays, because most reservations come in ascending order and a search
 * then ends after a few entries.  Where two bursts have the same interval their residues decide exactly; bursts with
 * different intervals that overlap in time are taken to meet (one of them always could be moved past the other).
 */
#include "sched/emit/isca20_calendar.h"

void isca_line_init(isca_line *line, uint32_t run_words)
{
	line->spans = g_array_new(FALSE, FALSE, sizeof(isca_span));
	line->run_words = run_words;
}

void isca_line_fini(isca_line *line)
{
	g_clear_pointer(&line->spans, g_array_unref);
}

static const isca_span *span_at(const isca_line *line, guint i)
{
	return &g_array_index(line->spans, isca_span, i);
}

/* Index of the first span that ends at TIME or later. */
static guint find_span(const isca_line *line, int64_t time)
{
	guint low = 0, high = line->spans->len;

	if (high && span_at(line, high - 1)->last < time)
		return high;
	while (low < high) {
		guint middle = (low + high) / 2;

		if (span_at(line, middle)->last < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Words of the spans that touch FIRST..LAST from both sides; NEXT is the first span behind. */
static uint32_t touching_words(const isca_line *line, int64_t first, int64_t last, guint next)
{
	uint32_t words = 0;

	for (guint i = next; i > 0 && span_at(line, i - 1)->last == first - 1; i--) {
		words += span_at(line, i - 1)->words;
		first = span_at(line, i - 1)->first;
	}
	for (guint i = next; i < line->spans->len && span_at(line, i)->first == last + 1; i++) {
		words += span_at(line, i)->words;
		last = span_at(line, i)->last;
	}
	return words;
}

int64_t isca_line_next(const isca_line *line, int64_t first, int64_t length, uint32_t words)
{
	/* More than the limit on its own: free cycles on both sides are all that can be asked for. */
	words = MIN(words, line->run_words);
	for (guint i = find_span(line, first);; i = find_span(line, first)) {
		if (i < line->spans->len && span_at(line, i)->first < first + length) {
			first = span_at(line, i)->last + 1;
			continue;
		}
		if (!line->run_words)
			return first;
		if (touching_words(line, first, first + length - 1, i) + words <= line->run_words)
			return first;
		first++;
	}
}

void isca_line_take(isca_line *line, int64_t first, int64_t last, uint32_t words)
{
	isca_span span = {first, last, words};
	guint at = find_span(line, first);

	g_assert(at == line->spans->len || span_at(line, at)->first > last);
	g_array_insert_val(line->spans, at, span);
}

void isca_stream_init(isca_stream *stream)
{
	stream->uses = g_array_new(FALSE, FALSE, sizeof(isca_use));
	stream->reach = 0;
}

void isca_stream_fini(isca_stream *stream)
{
	g_clear_pointer(&stream->uses, g_array_unref);
}

bool isca_use_meets(const isca_use *a, const isca_use *b)
{
	if (a->low > b->high || b->low > a->high)
		return false;
	if (a->first > isca_use_last(b) || b->first > isca_use_last(a))
		return false;
	if (a->interval == b->interval)
		return (a->first - b->first) % (int64_t)a->interval == 0;
	return true;
}

/* Index of the first use that begins behind TIME. */
static guint find_use(const isca_stream *stream, int64_t time)
{
	guint low = 0, high = stream->uses->len;

	while (low < high) {
		guint middle = (low + high) / 2;

		if (g_array_index(stream->uses, isca_use, middle).first <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Some use that meets U, or NULL. */
static const isca_use *find_meeting(const isca_stream *stream, const isca_use *u)
{
	for (guint i = find_use(stream, isca_use_last(u)); i-- > 0;) {
		const isca_use *other = &g_array_index(stream->uses, isca_use, i);

		if (other->first + stream->reach < u->first)
			return NULL;
		if (isca_use_meets(u, other))
			return other;
	}
	return NULL;
}

int64_t isca_stream_delay(const isca_stream *stream, const isca_use *use)
{
	isca_use u = *use;
	const isca_use *other;

	while ((other = find_meeting(stream, &u)))
		u.first = u.interval > 1 && u.interval == other->interval ? u.first + 1 : isca_use_last(other) + 1;
	return u.first - use->first;
}

void isca_stream_take(isca_stream *stream, const isca_use *use)
{
	g_array_insert_val(stream->uses, find_use(stream, use->first), *use);
	stream->reach = MAX(stream->reach, isca_use_last(use) - use->first);
}
