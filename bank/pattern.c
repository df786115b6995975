/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns as texts and as sources: reading a text, one source for each value of a range, and cutting the waves of a
 * generator into groups.  The generators are in bank/pattern_walk.c, pattern_matrix.c and pattern_conv.c.
 */
#include "bank/pattern_int.h"

#include <string.h>

typedef bool (*pattern_maker)(pattern *p, GError **error);

static const bank_pattern_row rows[] = {
#define BANK_PATTERN(id, name, least, most, syntax, example, doc, source) {name, syntax, example, doc, source},
#include "bank/patterns.def"
};

static const struct {
	pattern_maker make;
	unsigned least, most;
} makers[] = {
#define BANK_PATTERN(id, name, least, most, syntax, example, doc, source) {pattern_i_##id, least, most},
#include "bank/patterns.def"
};

void bank_pattern_options_init(bank_pattern_options *options)
{
	*options = (bank_pattern_options){.k = 16, .block_bytes = 320, .footprint_blocks = 635000, .seed = 1};
}

const bank_pattern_row *bank_pattern_rows(size_t *count)
{
	*count = G_N_ELEMENTS(rows);
	return rows;
}

bool pattern_i_fail(const pattern *p, GError **error, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "pattern '%s': %s", p->base.name, what);
	return false;
}

/* The row whose name TEXT begins with, the longest; -1 when there is none. */
static int find_row(const char *text)
{
	size_t longest = 0;
	int found = -1;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		size_t length = strlen(rows[i].name);

		if (length > longest && !strncmp(text, rows[i].name, length) && !g_ascii_isalpha(text[length])) {
			longest = length;
			found = (int)i;
		}
	}
	return found;
}

static bool unknown_name(const pattern *p, const char *text, GError **error)
{
	const char *names[G_N_ELEMENTS(rows) + 1] = {NULL};
	g_autofree char *word = g_strndup(text, strcspn(text, ":,/0123456789"));
	const char *nearest;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		names[i] = rows[i].name;
	nearest = *word ? tsp_nearest(word, names) : NULL;
	return pattern_i_fail(p, error, "expected the name of a pattern, found '%s'%s%s%s", word,
	                      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* A decimal number at *S, maybe with a fraction; *S moves on.  No hexadecimal: "0x9" is nought by nine. */
static bool read_number(const pattern *p, const char *text, const char **s, uint64_t *number, double *real,
                        GError **error)
{
	char *end = NULL;
	long column = *s - text + 1;

	if (!g_ascii_isdigit(**s))
		return pattern_i_fail(p, error, "column %ld: expected a number, found %s%c%s", column,
		                      **s ? "'" : "the end", **s ? **s : '.', **s ? "'" : "");
	*number = g_ascii_strtoull(*s, &end, 10);
	*real = (double)*number;
	if (*number > UINT64_C(1) << 40)
		return pattern_i_fail(p, error, "column %ld: expected a number of at most 2^40", column);
	if (*end == '.' && g_ascii_isdigit(end[1]))
		*real = g_ascii_strtod(*s, &end);
	*s = end;
	return true;
}

/* "/NB", "/pt", "/merge" or "u" at *S; false and no error when there is none of them. */
static bool read_suffix(pattern *p, const char **s)
{
	static const char *const words[] = {"/pt", "/merge", "u"};
	bool *const flags[] = {&p->per_point, &p->merge, &p->unaligned};

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_has_prefix(*s, words[i])) {
			*flags[i] = true;
			*s += strlen(words[i]);
			return true;
		}
	if ((*s)[0] == '/' && g_ascii_isdigit((*s)[1])) {
		char *end = NULL;
		uint64_t bytes = g_ascii_strtoull(*s + 1, &end, 10);

		if (*end == 'B') {
			p->options.block_bytes = bytes;
			p->has_block_bytes = true;
			*s = end + 1;
			return true;
		}
	}
	return false;
}

/* What follows the name: numbers apart by "," "x" or "/", then suffixes. */
static bool read_rest(pattern *p, const char *text, const char *s, const bank_pattern_row *row, GError **error)
{
	bool suffix = false;

	if (*s == ':')
		s++;
	else if (!*s)
		return true;
	for (bool first = true; *s; first = false) {
		bool by = *s == 'x';

		if (!(first && g_ascii_isdigit(*s)) && read_suffix(p, &s)) {
			suffix = true;
			continue;
		}
		if (!first && (suffix || !strchr(",x/", *s)))
			return pattern_i_fail(p, error, "column %ld: expected %s, found '%c'", (long)(s - text + 1),
			                      row->syntax, *s);
		if (p->count == PATTERN_NUMBERS)
			return pattern_i_fail(p, error, "column %ld: expected the end: %s", (long)(s - text + 1),
			                      row->syntax);
		s += !first;
		p->by[p->count] = by;
		if (!read_number(p, text, &s, &p->number[p->count], &p->real[p->count], error))
			return false;
		p->count++;
	}
	return true;
}

static bool check_options(const pattern *p, GError **error)
{
	const bank_pattern_options *o = &p->options;

	if (o->k < 1 || o->k > BANK_PATTERN_MAX_LANES || o->wave_lanes > BANK_PATTERN_MAX_LANES)
		return pattern_i_fail(p, error, "expected groups and waves of 1 to %d lanes, found %u and %u",
		                      BANK_PATTERN_MAX_LANES, o->k, o->wave_lanes);
	if (o->footprint_blocks < 1 || o->footprint_blocks > UINT64_C(1) << 56)
		return pattern_i_fail(p, error, "expected a footprint of 1 to 2^56 blocks");
	if (o->block_bytes < 1 || o->block_bytes > UINT64_C(1) << 40)
		return pattern_i_fail(p, error, "expected blocks of 1 to 2^40 bytes");
	return true;
}

/* Which texts may carry which suffix; what a text says and the pattern cannot hear is an error. */
static bool check_text(const pattern *p, const bank_pattern_row *row, unsigned least, unsigned most, GError **error)
{
	if (p->count < least || p->count > most)
		return pattern_i_fail(p, error, "expected %s, found %u number%s", row->syntax, p->count,
		                      p->count == 1 ? "" : "s");
	for (unsigned i = 0; i < p->count; i++)
		if (p->real[i] != (double)p->number[i] && strcmp(row->name, "zipf") != 0 &&
		    !(i == 1 && !strcmp(row->name, "embedding")))
			return pattern_i_fail(p, error, "expected %s with whole numbers", row->syntax);
	if (p->unaligned && strcmp(row->name, "s") != 0)
		return pattern_i_fail(p, error, "expected %s; suffix u belongs to sN", row->syntax);
	if (p->per_point && p->has_block_bytes)
		return pattern_i_fail(p, error, "expected one of /pt and /BYTESB, not both");
	return true;
}

static bool pattern_next(bank_source *source, bank_batch *batch, GError **error)
{
	pattern *p = (pattern *)source;
	unsigned k = p->options.k;

	(void)error;
	if (!p->begun && p->begin)
		p->begin(p);
	p->begun = true;
	while (p->groups_left && (batch->groups == 0 || batch->accesses + p->lanes <= BANK_BATCH_ACCESSES)) {
		unsigned lanes;

		bank_batch_reserve(batch, (p->lanes + k - 1) / k, p->lanes);
		lanes = p->wave(p, batch->blocks + batch->accesses);
		if (!lanes) {
			p->groups_left = 0;
			break;
		}
		for (unsigned lane = 0; lane < lanes && p->groups_left; lane += k, p->groups_left--) {
			batch->accesses += MIN(k, lanes - lane);
			batch->start[++batch->groups] = (uint32_t)batch->accesses;
		}
	}
	return batch->groups > 0;
}

static bool pattern_rewind(bank_source *source, GError **error)
{
	pattern *p = (pattern *)source;

	(void)error;
	memset(p->at, 0, sizeof p->at);
	rng_seed(&p->random, p->options.seed, 0);
	p->groups_left = p->groups;
	p->begun = false;
	return true;
}

static void pattern_free(bank_source *source)
{
	pattern *p = (pattern *)source;

	g_free(p->cumulative);
	g_free(p->table);
	g_free(p);
}

static bool pattern_make(pattern *p, const char *text, GError **error)
{
	int found = find_row(text);

	if (!check_options(p, error))
		return false;
	if (found < 0)
		return unknown_name(p, text, error);
	if (!read_rest(p, text, text + strlen(rows[found].name), &rows[found], error) ||
	    !check_text(p, &rows[found], makers[found].least, makers[found].most, error))
		return false;
	p->lanes = p->options.wave_lanes ? p->options.wave_lanes : p->options.k;
	p->default_groups = BANK_PATTERN_GROUPS;
	if (!check_options(p, error) || !makers[found].make(p, error))
		return false;
	if ((p->per_point || p->has_block_bytes) && !p->in_bytes)
		return pattern_i_fail(p, error, "expected %s; it is laid out in blocks, not in bytes",
		                      rows[found].syntax);
	p->groups = p->options.groups ? p->options.groups : p->default_groups;
	return true;
}

static bank_source *pattern_new(const char *text, const bank_pattern_options *options, GError **error)
{
	pattern *p = g_new0(pattern, 1);

	p->base = (bank_source){
		.next = pattern_next, .rewind = pattern_rewind, .free = pattern_free, .name = g_strdup(text)};
	p->options = *options;
	if (!pattern_make(p, text, error)) {
		bank_source_free(&p->base);
		return NULL;
	}
	pattern_rewind(&p->base, NULL);
	return &p->base;
}

/* A range at or after TEXT: what stands before it, first and last value, step or factor, what stands behind. */
typedef struct range {
	const char *begin, *end;
	uint64_t first, last, step, factor;
} range;

static bool find_range(const char *text, range *r)
{
	const char *dots = strstr(text, "..");
	char *end = NULL;

	if (!dots || dots == text || !g_ascii_isdigit(dots[-1]))
		return false;
	r->begin = dots;
	while (r->begin > text && g_ascii_isdigit(r->begin[-1]))
		r->begin--;
	r->first = g_ascii_strtoull(r->begin, NULL, 10);
	r->last = g_ascii_strtoull(dots + 2, &end, 10);
	r->step = 1;
	r->factor = 1;
	if (*end == ':')
		r->step = g_ascii_strtoull(end + 1, &end, 10);
	else if (*end == '*')
		r->factor = g_ascii_strtoull(end + 1, &end, 10);
	r->end = end;
	return true;
}

static bool expand(const char *text, const bank_pattern_options *options, GPtrArray *sources, guint limit,
                   GError **error)
{
	range r;

	if (!find_range(text, &r)) {
		bank_source *source;

		if (sources->len >= limit) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "expected ranges of at most %d patterns together",
			            BANK_PATTERN_MAX_SOURCES);
			return false;
		}
		source = pattern_new(text, options, error);
		if (source)
			g_ptr_array_add(sources, source);
		return source != NULL;
	}
	if (r.first > r.last || r.last > UINT64_C(1) << 40 || !r.step || !r.factor || (r.factor > 1 && !r.first)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "pattern '%s': expected a range A..B, A..B:STEP or A..B*FACTOR that rises", text);
		return false;
	}
	for (uint64_t value = r.first; value <= r.last;) {
		g_autofree char *one =
			g_strdup_printf("%.*s%" G_GUINT64_FORMAT "%s", (int)(r.begin - text), text, value, r.end);

		if (!expand(one, options, sources, limit, error))
			return false;
		if ((value && r.factor > UINT64_MAX / value) || r.step > UINT64_MAX - value)
			break;
		value = r.factor > 1 ? value * r.factor : value + r.step;
	}
	return true;
}

bool bank_pattern_sources(const char *text, const bank_pattern_options *options, GPtrArray *sources, GError **error)
{
	guint before = sources->len;
	GPtrArray *made = g_ptr_array_new();
	bool ok = expand(text, options, made, BANK_PATTERN_MAX_SOURCES, error);

	for (guint i = 0; i < made->len; i++) {
		bank_source *source = g_ptr_array_index(made, i);

		if (ok)
			g_ptr_array_add(sources, source);
		else
			bank_source_free(source);
	}
	g_ptr_array_free(made, TRUE);
	g_assert(ok || sources->len == before);
	return ok;
}

bank_source *bank_pattern_source(const char *text, const bank_pattern_options *options, GError **error)
{
	range r;

	if (find_range(text, &r)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "pattern '%s': expected one pattern, found a range",
		            text);
		return NULL;
	}
	return pattern_new(text, options, error);
}

bool bank_pattern_merges(const bank_source *source)
{
	return source->free == pattern_free && ((const pattern *)source)->merge;
}

uint64_t bank_pattern_block_bytes(const bank_source *source)
{
	const pattern *p = (const pattern *)source;

	return source->free == pattern_free && p->in_bytes && !p->per_point ? p->options.block_bytes : 0;
}
