/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse tagged memory; see store.h.  A page is filled from the images when the first write enters it, so the images
 * are copied only where they are about to change.
 */
#include "models/common/store.h"

#include <stdlib.h>

static inline uint64_t granule_of(const model_store *s, uint64_t location)
{
	return s->shift >= 0 ? location >> s->shift : location / s->granule_bytes;
}

static inline uint64_t page_bytes(const model_store *s)
{
	return (uint64_t)MODEL_PAGE_GRANULES * s->granule_bytes;
}

static uint64_t page_count(const model_store *s)
{
	return (s->bytes + page_bytes(s) - 1) / page_bytes(s);
}

void model_store_init(model_store *s, uint64_t bytes, uint32_t granule_bytes, bool carry, model_pool *pool)
{
	*s = (model_store){.bytes = bytes, .granule_bytes = granule_bytes, .carry = carry, .pool = pool, .shift = -1};
	for (int shift = 0; shift < 31; shift++)
		if (UINT32_C(1) << shift == granule_bytes)
			s->shift = shift;
	s->pages = g_new0(model_page *, page_count(s));
	s->live = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	s->spare = g_ptr_array_new();
	s->images = g_array_new(FALSE, FALSE, sizeof(isa_image));
}

static void free_page(model_page *page)
{
	g_free(page->bytes);
	g_free(page);
}

static void drop_write(model_store *s, model_write *w)
{
	model_value_unref(s->pool, w->value);
	model_value_unref(s->pool, w->index_value);
}

void model_store_fini(model_store *s)
{
	for (guint i = 0; i < s->live->len; i++)
		free_page(s->pages[g_array_index(s->live, uint64_t, i)]);
	for (guint i = 0; i < s->spare->len; i++)
		free_page(g_ptr_array_index(s->spare, i));
	for (uint32_t i = 0; i < s->count; i++)
		drop_write(s, &s->writes[s->first + i]);
	g_free(s->writes);
	g_free(s->pages);
	g_array_unref(s->live);
	g_ptr_array_unref(s->spare);
	g_array_unref(s->images);
}

static inline const isa_image *image_at(const model_store *s, guint i)
{
	return &g_array_index(s->images, isa_image, i);
}

static int compare_images(const void *a, const void *b)
{
	const isa_image *x = a;
	const isa_image *y = b;

	return x->location < y->location ? -1 : x->location > y->location;
}

static bool check_images(const model_store *s, GError **error)
{
	for (guint i = 0; i < s->images->len; i++) {
		const isa_image *image = image_at(s, i);

		if (image->location >= s->bytes || image->bytes > s->bytes - image->location) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "the host's data at %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT
			            " bytes) leaves the SRAM of %" G_GUINT64_FORMAT " bytes",
			            image->location, image->bytes, s->bytes);
			return false;
		}
		if (i && image[-1].location + image[-1].bytes > image->location) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
			            "the host's data at %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT
			            " bytes) and at %" G_GUINT64_FORMAT " overlap",
			            image[-1].location, image[-1].bytes, image->location);
			return false;
		}
	}
	return true;
}

bool model_store_begin(model_store *s, const GArray *images, GError **error)
{
	for (guint i = 0; i < s->live->len; i++) {
		uint64_t page = g_array_index(s->live, uint64_t, i);

		g_ptr_array_add(s->spare, s->pages[page]);
		s->pages[page] = NULL;
	}
	g_array_set_size(s->live, 0);
	g_array_set_size(s->images, 0);
	s->hint = 0;
	s->any_bytes = s->carry;
	for (guint i = 0; images && i < images->len; i++) {
		isa_image image = g_array_index(images, isa_image, i);

		if (!image.bytes)
			continue;
		s->any_bytes = s->any_bytes || image.data;
		g_array_append_val(s->images, image);
	}
	if (s->images->len)
		qsort(s->images->data, s->images->len, sizeof(isa_image), compare_images);
	return check_images(s, error);
}

/* The first image that ends beyond LOCATION; images->len when there is none. */
static guint find_image(const model_store *s, uint64_t location)
{
	guint low = 0;
	guint high = s->images->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const isa_image *image = image_at(s, middle);

		if (image->location + image->bytes > location)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The first granule in [FROM, TO) that no image touches, or TO. */
static uint64_t first_uncovered(model_store *s, uint64_t from, uint64_t to)
{
	uint64_t granule = from;

	while (granule < to) {
		uint64_t start = granule * s->granule_bytes;
		const isa_image *image;

		if (s->hint >= s->images->len || image_at(s, s->hint)->location > start ||
		    image_at(s, s->hint)->location + image_at(s, s->hint)->bytes <= start)
			s->hint = find_image(s, start);
		if (s->hint >= s->images->len)
			return granule;
		image = image_at(s, s->hint);
		if (image->location >= start + s->granule_bytes)
			return granule;
		granule = granule_of(s, image->location + image->bytes - 1) + 1;
	}
	return to;
}

/* Copies what the images have in [FROM, TO) to OUT (zeros elsewhere).  Are all these bytes known? */
static bool copy_images(const model_store *s, uint64_t from, uint64_t to, uint8_t *out)
{
	uint64_t known = 0;

	memset(out, 0, to - from);
	for (guint i = find_image(s, from); i < s->images->len; i++) {
		const isa_image *image = image_at(s, i);
		uint64_t first = MAX(from, image->location);
		uint64_t end = MIN(to, image->location + image->bytes);

		if (image->location >= to)
			break;
		if (!image->data)
			continue;
		memcpy(out + (first - from), image->data + (first - image->location), end - first);
		known += end - first;
	}
	return known == to - from;
}

/* Gives a page bytes: those of the images. */
static void add_bytes(model_store *s, model_page *page, uint64_t number)
{
	uint64_t start = number * page_bytes(s);
	uint64_t end = MIN(start + page_bytes(s), s->bytes);

	page->bytes = g_malloc0(page_bytes(s));
	copy_images(s, start, end, page->bytes);
	memset(page->known, 0, sizeof page->known);
	for (guint i = find_image(s, start); i < s->images->len && image_at(s, i)->location < end; i++) {
		const isa_image *image = image_at(s, i);
		uint64_t first = granule_of(s, MAX(start, image->location) - start);
		uint64_t last = granule_of(s, MIN(end, image->location + image->bytes) - 1 - start);

		for (uint64_t g = first; image->data && g <= last; g++)
			page->known[g / 64] |= UINT64_C(1) << (g % 64);
	}
}

static model_page *enter_page(model_store *s, uint64_t number)
{
	model_page *page = s->pages[number];
	uint64_t granule = number * MODEL_PAGE_GRANULES;
	uint64_t end = granule + MODEL_PAGE_GRANULES;

	if (G_LIKELY(page))
		return page;
	page = s->spare->len ? g_ptr_array_remove_index_fast(s->spare, s->spare->len - 1) : g_new0(model_page, 1);
	s->pages[number] = page;
	g_array_append_val(s->live, number);
	g_clear_pointer(&page->bytes, g_free);
	memset(page->tag, 0, sizeof page->tag);
	for (unsigned i = 0; i < MODEL_PAGE_GRANULES; i++)
		page->due[i] = INT64_MAX;
	for (uint64_t g = granule; g < end;) {
		uint64_t hole = first_uncovered(s, g, end);

		for (; g < hole; g++)
			page->due[g - granule] = INT64_MIN;
		g = hole + 1;
	}
	if (s->any_bytes)
		add_bytes(s, page, number);
	return page;
}

static void mark_known(model_page *page, unsigned granule, unsigned count, bool known)
{
	for (unsigned g = granule; g < granule + count; g++) {
		uint64_t bit = UINT64_C(1) << (g % 64);

		page->known[g / 64] = known ? page->known[g / 64] | bit : page->known[g / 64] & ~bit;
	}
}

static void apply_run(model_store *s, const model_write *w, uint64_t start, const uint8_t *bytes)
{
	uint64_t end = start + w->shape.run_bytes;
	uint64_t granule = granule_of(s, start);
	uint64_t granule_end = granule_of(s, end - 1) + 1;

	while (granule < granule_end) {
		uint64_t number = granule / MODEL_PAGE_GRANULES;
		unsigned at = (unsigned)(granule % MODEL_PAGE_GRANULES);
		unsigned n = (unsigned)MIN(granule_end - granule, MODEL_PAGE_GRANULES - at);
		model_page *page = enter_page(s, number);

		for (unsigned i = at; i < at + n; i++) {
			page->tag[i] = w->tag;
			page->due[i] = w->due;
		}
		if (bytes) {
			uint64_t page_start = number * page_bytes(s);
			uint64_t from = MAX(start, granule * s->granule_bytes);
			uint64_t to = MIN(end, (granule + n) * s->granule_bytes);

			if (!page->bytes)
				add_bytes(s, page, number);
			memcpy(page->bytes + (from - page_start), bytes + (from - start), to - from);
		}
		if (page->bytes)
			mark_known(page, at, n, bytes != NULL);
		granule += n;
	}
}

static void apply(model_store *s, const model_write *w)
{
	if (!w->shape.run_bytes)
		return;
	s->any_bytes = s->any_bytes || w->value;
	for (uint32_t i = 0; i < w->shape.runs; i++) {
		int64_t start = model_shape_run(&w->shape, i);
		const uint8_t *bytes = w->value ? w->value->data + w->offset + (uint64_t)i * w->shape.run_bytes : NULL;

		if (model_store_holds(s, start, w->shape.run_bytes))
			apply_run(s, w, (uint64_t)start, bytes);
	}
}

void model_store_settle(model_store *s, int64_t now)
{
	while (s->count && s->writes[s->first].due <= now) {
		model_write *w = &s->writes[s->first++];

		s->count--;
		apply(s, w);
		drop_write(s, w);
	}
	if (!s->count)
		s->first = 0;
}

static bool is_before(const model_write *a, const model_write *b)
{
	if (a->due != b->due)
		return a->due < b->due;
	if (a->filed != b->filed)
		return a->filed < b->filed;
	return a->queue < b->queue;
}

void model_store_write(model_store *s, const model_write *write)
{
	uint32_t at;

	if (s->first + s->count == s->capacity) {
		if (s->first <= s->capacity / 2) {
			s->capacity = MAX(64, 2 * s->capacity);
			s->writes = g_renew(model_write, s->writes, s->capacity);
		}
		memmove(s->writes, s->writes + s->first, s->count * sizeof *s->writes);
		s->first = 0;
	}
	for (at = s->first + s->count; at > s->first && is_before(write, &s->writes[at - 1]); at--)
		s->writes[at] = s->writes[at - 1];
	s->writes[at] = *write;
	s->count++;
}

static bool touches(const model_store *s, const model_shape *shape, uint64_t location)
{
	for (uint32_t i = 0; i < shape->runs; i++) {
		int64_t start = model_shape_run(shape, i);

		if (model_store_holds(s, start, shape->run_bytes) && (uint64_t)start < location + s->granule_bytes &&
		    (uint64_t)start + shape->run_bytes > location)
			return true;
	}
	return false;
}

bool model_store_is_filed(const model_store *s, uint32_t tag, uint64_t location, int64_t now)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const model_write *w = &s->writes[s->first + i];

		if (w->tag == tag && w->filed < now && touches(s, &w->shape, location))
			return true;
	}
	return false;
}

static void note_fault(const model_store *s, model_reading *r, enum model_fault fault, uint64_t granule, uint32_t found,
                       uint32_t want)
{
	if (r->fault)
		return;
	r->fault = fault;
	r->location = granule * s->granule_bytes;
	r->found = found;
	r->named = want;
}

/* N granules from GRANULE on which no write has touched. */
static void check_images_only(model_store *s, uint64_t granule, uint32_t n, model_expect *expect, model_reading *r)
{
	uint64_t uncovered = first_uncovered(s, granule, granule + n);

	while (n) {
		bool named;
		uint32_t want;
		uint32_t run = model_expect_run(expect, n, &named, &want);

		if (uncovered < granule + run)
			note_fault(s, r, MODEL_FAULT_UNWRITTEN, uncovered, 0, want);
		else if (named && want)
			note_fault(s, r, MODEL_FAULT_WRONG, granule, 0, want);
		granule += run;
		n -= run;
		if (uncovered < granule)
			uncovered = first_uncovered(s, granule, granule + n);
	}
}

static void check_page(model_store *s, const model_page *page, uint64_t granule, uint32_t n, model_expect *expect,
                       model_reading *r)
{
	int64_t latest = r->due;

	while (n) {
		bool named;
		uint32_t want;
		uint32_t run = model_expect_run(expect, n, &named, &want);
		const uint32_t *tag = page->tag + granule % MODEL_PAGE_GRANULES;
		const int64_t *due = page->due + granule % MODEL_PAGE_GRANULES;

		for (uint32_t i = 0; i < run; i++) {
			if (G_UNLIKELY(due[i] == INT64_MAX)) {
				note_fault(s, r, MODEL_FAULT_UNWRITTEN, granule + i, 0, want);
				continue;
			}
			if (G_UNLIKELY(named && tag[i] != want))
				note_fault(s, r, MODEL_FAULT_WRONG, granule + i, tag[i], want);
			latest = MAX(latest, due[i]);
		}
		granule += run;
		n -= run;
	}
	r->due = latest;
}

static bool copy_page(const model_store *s, const model_page *page, uint64_t from, uint64_t to, uint8_t *out)
{
	uint64_t start = from % page_bytes(s);
	bool known = true;

	if (!page->bytes) {
		memset(out, 0, to - from);
		return false;
	}
	memcpy(out, page->bytes + start, to - from);
	for (uint64_t g = granule_of(s, start); g <= granule_of(s, start + (to - from) - 1); g++)
		known = known && (page->known[g / 64] >> (g % 64) & 1);
	return known;
}

static void read_run(model_store *s, uint64_t start, uint64_t end, model_expect *expect, uint8_t *out, model_reading *r)
{
	uint64_t granule = granule_of(s, start);
	uint64_t granule_end = granule_of(s, end - 1) + 1;

	while (granule < granule_end) {
		const model_page *page = s->pages[granule / MODEL_PAGE_GRANULES];
		uint32_t n = (uint32_t)MIN(granule_end - granule, MODEL_PAGE_GRANULES - granule % MODEL_PAGE_GRANULES);

		if (page)
			check_page(s, page, granule, n, expect, r);
		else
			check_images_only(s, granule, n, expect, r);
		if (out) {
			uint64_t from = MAX(start, granule * s->granule_bytes);
			uint64_t to = MIN(end, (granule + n) * s->granule_bytes);
			bool known = page ? copy_page(s, page, from, to, out + (from - start))
			                  : copy_images(s, from, to, out + (from - start));

			r->has_bytes = r->has_bytes && known;
		}
		granule += n;
	}
}

/* Segments of a run outside the memory count, but nothing is there to be checked. */
static void skip_run(const model_store *s, int64_t start, uint32_t bytes, model_expect *expect)
{
	uint64_t from = (uint64_t)start % s->granule_bytes;
	uint32_t left = (uint32_t)((from + bytes + s->granule_bytes - 1) / s->granule_bytes);

	while (left) {
		bool named;
		uint32_t want;

		left -= model_expect_run(expect, left, &named, &want);
	}
}

void model_store_read(model_store *s, const model_shape *shape, model_expect *expect, uint8_t *out, model_reading *r)
{
	*r = (model_reading){.due = INT64_MIN, .has_bytes = out != NULL};
	if (!shape->run_bytes)
		return;
	for (uint32_t i = 0; i < shape->runs; i++) {
		int64_t start = model_shape_run(shape, i);
		uint8_t *to = out ? out + (uint64_t)i * shape->run_bytes : NULL;

		if (G_LIKELY(model_store_holds(s, start, shape->run_bytes))) {
			read_run(s, (uint64_t)start, (uint64_t)start + shape->run_bytes, expect, to, r);
			continue;
		}
		skip_run(s, start, shape->run_bytes, expect);
		if (to)
			memset(to, 0, shape->run_bytes);
	}
}

bool model_store_peek(const model_store *s, uint64_t location, uint8_t *out, uint64_t bytes)
{
	uint64_t end;

	if (location >= s->bytes || bytes > s->bytes - location)
		return false;
	for (end = location + bytes; location < end;) {
		uint64_t number = location / page_bytes(s);
		uint64_t to = MIN(end, (number + 1) * page_bytes(s));
		const model_page *page = s->pages[number];

		if (page ? !copy_page(s, page, location, to, out) : !copy_images(s, location, to, out))
			return false;
		out += to - location;
		location = to;
	}
	return true;
}
