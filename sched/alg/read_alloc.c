/* SPDX-License-Identifier: Apache-2.0
 *
 * CSV files of buffers.  Columns are found by the names in the header; an "end" is the last cycle of a life, an "upper"
 * the first after it, as in the files of MiniMalloc.
 */
#include <string.h>

#include "sched/alg/alloc.h"

enum column { ID, LOWER, UPPER, END, SIZE, ALIGNMENT, OFFSET, GAPS, HINT, COLUMNS };

static const struct {
	const char *name;
	enum column column;
} names[] = {
	{"id", ID},     {"buffer", ID},   {"buffer_id", ID},        {"lower", LOWER},   {"begin", LOWER}, {"start", LOWER},
	{"upper", UPPER}, {"end", END}, {"size", SIZE}, {"alignment", ALIGNMENT}, {"offset", OFFSET}, {"gaps", GAPS},
	{"hint", HINT},
};

typedef struct reader {
	const char *file, *line, *at;
	unsigned number;
	enum column columns[COLUMNS];
	unsigned count;
	bool fixed;
	GArray *buffers;
	GHashTable *ids;
} reader;

static bool fail(const reader *r, const char *expected, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%u: expected %s", r->file, r->number,
	            (unsigned)(r->at - r->line) + 1, expected);
	return false;
}

/* The length of the field at the cursor; a carriage return ends a line. */
static size_t field_length(const reader *r)
{
	return strcspn(r->at, ",\r");
}

static char *field(reader *r)
{
	char *text = g_strndup(r->at, field_length(r));

	return g_strstrip(text);
}

static bool unknown_column(const reader *r, const char *name, GError **error)
{
	const char *candidates[G_N_ELEMENTS(names) + 1] = {0}, *near;
	g_autofree char *expected = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		candidates[i] = names[i].name;
	near = tsp_nearest(name, candidates);
	expected = g_strdup_printf("the name of a column: id, lower, upper or end, size, alignment, offset, gaps, hint%s%s%s",
	                           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return fail(r, expected, error);
}

static bool has(const reader *r, enum column column)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->columns[i] == column)
			return true;
	return false;
}

/* On to the next field; false at the end of the line. */
static bool next_field(reader *r)
{
	r->at += field_length(r);
	if (*r->at != ',')
		return false;
	r->at++;
	return true;
}

static bool read_header(reader *r, GError **error)
{
	do {
		g_autofree char *name = field(r), *lower = g_ascii_strdown(name, -1);
		unsigned i = 0;

		while (i < G_N_ELEMENTS(names) && strcmp(lower, names[i].name) != 0)
			i++;
		if (i == G_N_ELEMENTS(names))
			return unknown_column(r, lower, error);
		if (has(r, names[i].column) || (names[i].column == UPPER && has(r, END)) ||
		    (names[i].column == END && has(r, UPPER)))
			return fail(r, "each column once", error);
		r->columns[r->count++] = names[i].column;
	} while (next_field(r));
	if (!has(r, ID) || !has(r, LOWER) || !(has(r, UPPER) || has(r, END)) || !has(r, SIZE))
		return fail(r, "columns id, lower, upper and size", error);
	return true;
}

static bool whole(const reader *r, const char *text, int64_t min, int64_t max, const char *expected, int64_t *out,
                  GError **error)
{
	return g_ascii_string_to_signed(text, 10, min, max, out, NULL) || fail(r, expected, error);
}

static bool read_field(reader *r, enum column column, alloc_buffer *b, GError **error)
{
	g_autofree char *text = field(r);
	const int64_t far = INT64_C(1) << 62;

	switch (column) {
	case ID:
		if (!*text || !g_utf8_validate(text, -1, NULL) || g_hash_table_contains(r->ids, text))
			return fail(r, "an id that no other buffer has", error);
		b->id = g_steal_pointer(&text);
		g_hash_table_add(r->ids, b->id);
		return true;
	case LOWER:
		return whole(r, text, -far, far, "a cycle", &b->lower, error);
	case UPPER:
		return whole(r, text, -far, far, "a cycle", &b->upper, error);
	case END:
		if (!whole(r, text, -far, far, "a cycle", &b->upper, error))
			return false;
		b->upper++;
		return true;
	case SIZE:
		return whole(r, text, 1, ALLOC_SIZE_MAX, "a number of bytes from 1 to 2^44", &b->size_bytes, error);
	case ALIGNMENT:
		return !*text || whole(r, text, 1, ALLOC_SIZE_MAX, "an alignment from 1 to 2^44", &b->alignment_bytes, error);
	case OFFSET:
		return !r->fixed || !*text || whole(r, text, 0, ALLOC_SIZE_MAX, "an address up to 2^44", &b->fixed, error);
	case GAPS:
		if (!*text)
			return true;
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s:%u:%u: expected nothing: lives with gaps are not modelled", r->file, r->number,
		            (unsigned)(r->at - r->line) + 1);
		return false;
	default:
		return true;
	}
}

static bool read_row(reader *r, GError **error)
{
	alloc_buffer b = {.alignment_bytes = 1, .fixed = ALLOC_FREE};

	if (r->buffers->len == ALLOC_BUFFERS_MAX)
		return fail(r, "at most 65536 buffers", error);
	for (unsigned i = 0; i < r->count; i++) {
		bool fine = read_field(r, r->columns[i], &b, error);

		if (fine && next_field(r) != (i + 1 < r->count))
			fine = fail(r, i + 1 < r->count ? "as many fields as in the header" : "the end of the line", error);
		if (!fine) {
			/* The table of ids does not own them. */
			if (b.id)
				g_hash_table_remove(r->ids, b.id);
			g_free(b.id);
			return false;
		}
	}
	g_array_append_val(r->buffers, b);
	r->at = r->line;
	if (b.upper <= b.lower)
		return fail(r, "a life that ends after it begins", error);
	if (b.fixed != ALLOC_FREE && b.fixed % b.alignment_bytes != 0)
		return fail(r, "an offset that is aligned", error);
	return true;
}

alloc_problem *alloc_read(const char *text, const char *file, bool fixed, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	reader r = {.file = file, .fixed = fixed, .line = "", .at = "", .number = 1};
	alloc_problem *p = g_new0(alloc_problem, 1);
	bool fine = true;

	r.buffers = g_array_new(FALSE, FALSE, sizeof(alloc_buffer));
	r.ids = g_hash_table_new(g_str_hash, g_str_equal);
	for (guint i = 0; fine && lines[i]; i++) {
		r.line = r.at = lines[i];
		r.number = i + 1;
		if (!r.line[strspn(r.line, " \t\r")])
			continue;
		fine = r.count ? read_row(&r, error) : read_header(&r, error);
	}
	if (fine && !r.count)
		fine = fail(&r, "a header: id,lower,upper,size", error);
	g_hash_table_destroy(r.ids);
	p->count = r.buffers->len;
	p->buffers = (alloc_buffer *)g_array_free(r.buffers, FALSE);
	if (!fine)
		g_clear_pointer(&p, alloc_problem_free);
	return p;
}
