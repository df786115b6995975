/* SPDX-License-Identifier: Apache-2.0
 *
 * CSV files of buffers.  Columns are found by the names in the header; an "end" is the last cycle of a life, an "upper"
 * the first after it, as in the files of MiniMalloc.
 */
#include <string.h>

#include "sched/alg/alloc.h"

enum column { ID, LOWER, UPPER, END, SIZE, ALIGNMENT, OFFSET, GAPS, HINT, CYCLE, BYTE, FIRST, SECOND, COLUMNS };

typedef struct name {
	const char *name;
	enum column column;
} name;

static const name buffer_names[] = {
	{"id", ID},         {"buffer", ID},   {"buffer_id", ID}, {"lower", LOWER}, {"begin", LOWER},
	{"start", LOWER},   {"upper", UPPER}, {"end", END},      {"size", SIZE},   {"alignment", ALIGNMENT},
	{"offset", OFFSET}, {"gaps", GAPS},   {"hint", HINT},    {NULL, 0},
};
static const name access_names[] = {
	{"cycle", CYCLE}, {"id", ID},       {"buffer", ID},     {"buffer_id", ID},
	{"byte", BYTE},   {"first", FIRST}, {"second", SECOND}, {NULL, 0},
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

static bool unknown_column(const reader *r, const name *names, const char *word, GError **error)
{
	const char *candidates[COLUMNS + 4] = {0}, *near;
	g_autofree char *all = NULL, *expected = NULL;

	for (unsigned i = 0; names[i].name; i++)
		candidates[i] = names[i].name;
	near = tsp_nearest(word, candidates);
	all = g_strjoinv(", ", (char **)candidates);
	expected = near ? g_strdup_printf("the name of a column: did you mean '%s'?", near)
	                : g_strdup_printf("the name of a column: one of %s", all);
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

static bool read_header(reader *r, const name *names, GError **error)
{
	do {
		g_autofree char *text = field(r), *word = g_ascii_strdown(text, -1);
		unsigned i = 0;

		while (names[i].name && strcmp(word, names[i].name) != 0)
			i++;
		if (!names[i].name)
			return unknown_column(r, names, word, error);
		if (has(r, names[i].column) || (names[i].column == UPPER && has(r, END)) ||
		    (names[i].column == END && has(r, UPPER)))
			return fail(r, "each column once", error);
		r->columns[r->count++] = names[i].column;
	} while (next_field(r));
	return true;
}

static bool read_buffer_header(reader *r, GError **error)
{
	if (!read_header(r, buffer_names, error))
		return false;
	if (!has(r, ID) || !has(r, LOWER) || !(has(r, UPPER) || has(r, END)) || !has(r, SIZE))
		return fail(r, "columns id, lower, upper and size", error);
	return true;
}

static bool read_access_header(reader *r, GError **error)
{
	bool single, pair;

	if (!read_header(r, access_names, error))
		return false;
	single = has(r, CYCLE) || has(r, ID) || has(r, BYTE);
	pair = has(r, FIRST) || has(r, SECOND);
	if (single == pair || (single && (!has(r, CYCLE) || !has(r, ID))) ||
	    (pair && (!has(r, FIRST) || !has(r, SECOND))))
		return fail(r, "columns cycle and id, or first and second", error);
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
		return !*text ||
		       whole(r, text, 1, ALLOC_SIZE_MAX, "an alignment from 1 to 2^44", &b->alignment_bytes, error);
	case OFFSET:
		return !r->fixed || !*text ||
		       whole(r, text, 0, ALLOC_SIZE_MAX, "an address up to 2^44", &b->fixed, error);
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

/* What stands behind field I. */
static bool separator(reader *r, unsigned i, GError **error)
{
	bool more = i + 1 < r->count;

	return next_field(r) == more ||
	       fail(r, more ? "as many fields as in the header" : "the end of the line", error);
}

static bool read_row(reader *r, GError **error)
{
	alloc_buffer b = {.alignment_bytes = 1, .fixed = ALLOC_FREE};

	if (r->buffers->len == ALLOC_BUFFERS_MAX)
		return fail(r, "at most 65536 buffers", error);
	for (unsigned i = 0; i < r->count; i++)
		if (!read_field(r, r->columns[i], &b, error) || !separator(r, i, error)) {
			/* The table of ids does not own them. */
			if (b.id)
				g_hash_table_remove(r->ids, b.id);
			g_free(b.id);
			return false;
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
		fine = r.count ? read_row(&r, error) : read_buffer_header(&r, error);
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

static bool buffer_number(const reader *r, const char *id, uint32_t *out, GError **error)
{
	gpointer number;

	if (!g_hash_table_lookup_extended(r->ids, id, NULL, &number))
		return fail(r, "the id of a buffer", error);
	*out = GPOINTER_TO_UINT(number);
	return true;
}

static bool read_access(reader *r, const alloc_problem *p, alloc_accesses *a, GError **error)
{
	alloc_access one = {0};
	alloc_pair pair = {0};

	for (unsigned i = 0; i < r->count; i++) {
		g_autofree char *text = field(r);
		bool fine = false;

		switch (r->columns[i]) {
		case CYCLE:
			fine = whole(r, text, 0, INT64_C(1) << 62, "a cycle", &one.cycle, error);
			break;
		case BYTE:
			fine = !*text || whole(r, text, 0, ALLOC_SIZE_MAX, "a byte of the buffer", &one.byte, error);
			break;
		case FIRST:
			fine = buffer_number(r, text, &pair.first, error);
			break;
		case SECOND:
			fine = buffer_number(r, text, &pair.second, error);
			break;
		default:
			fine = buffer_number(r, text, &one.buffer, error);
			break;
		}
		if (!fine || !separator(r, i, error))
			return false;
	}
	r->at = r->line;
	if (has(r, FIRST) && pair.first == pair.second)
		return fail(r, "two different buffers", error);
	if (one.byte >= p->buffers[one.buffer].size_bytes)
		return fail(r, "a byte within the buffer", error);
	if (has(r, FIRST))
		g_array_append_val(a->pairs, pair);
	else
		g_array_append_val(a->single, one);
	return true;
}

alloc_accesses *alloc_read_accesses(const char *text, const char *file, const alloc_problem *p, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	reader r = {.file = file, .line = "", .at = "", .number = 1};
	alloc_accesses *a = g_new(alloc_accesses, 1);
	bool fine = true;

	*a = (alloc_accesses){g_array_new(FALSE, FALSE, sizeof(alloc_access)),
	                      g_array_new(FALSE, FALSE, sizeof(alloc_pair))};
	r.ids = g_hash_table_new(g_str_hash, g_str_equal);
	for (uint32_t i = 0; i < p->count; i++)
		g_hash_table_insert(r.ids, p->buffers[i].id, GUINT_TO_POINTER(i));
	for (guint i = 0; fine && lines[i]; i++) {
		r.line = r.at = lines[i];
		r.number = i + 1;
		if (!r.line[strspn(r.line, " \t\r")])
			continue;
		fine = r.count ? read_access(&r, p, a, error) : read_access_header(&r, error);
	}
	if (fine && !r.count)
		fine = fail(&r, "a header: cycle,id or first,second", error);
	g_hash_table_destroy(r.ids);
	if (!fine)
		g_clear_pointer(&a, alloc_accesses_free);
	return a;
}

void alloc_accesses_free(alloc_accesses *a)
{
	if (!a)
		return;
	g_array_free(a->single, TRUE);
	g_array_free(a->pairs, TRUE);
	g_free(a);
}
