/* SPDX-License-Identifier: Apache-2.0
 *
 * SCALE-Sim topology files: one layer a row, "name, IFMAP H, W, filter H, W, channels, filters, stride" or "name, M, N,
 * K".
 *
 * Files in the wild differ more than their format says; accepted are: a missing or repeated closing comma, blank rows
 * and rows of commas, rows with a name only (section titles), `#` and what follows, further columns, a byte order mark,
 * no-break spaces, CR LF, tabs for commas, and headers in any spelling or none.  Refused, with file:line:column and
 * the field's name: sizes that are not positive whole numbers, rows too short, filters larger than their input, sizes
 * whose product cannot be right.
 *
 * Two dialects.  floor: output = floor((H - R) / s) + 1; a layer whose name has the token DP is depthwise.  scale-sim
 * (that tool's own arithmetic): output = ceil((H - R + s) / s); a name that contains DP anywhere is depthwise, each
 * channel having all the filters of the row.  A column whose header says "batch" gives the number of images.
 */
#include "sched/frontend/internal.h"

#include <stdarg.h>
#include <string.h>

enum csv_form { FORM_AUTO, FORM_CONV, FORM_GEMM };
enum { CONV_NUMBERS = 7, GEMM_NUMBERS = 3, FIELDS_MAX = 64 };

static const char *const conv_names[CONV_NUMBERS] = {
	"IFMAP height", "IFMAP width", "filter height", "filter width", "channels", "number of filters", "stride"};
static const char *const gemm_names[GEMM_NUMBERS] = {"M", "N", "K"};

typedef struct field {
	char *text; /* trimmed, ends at NUL */
	int column;
} field;

typedef struct reader {
	const char *file;
	unsigned number; /* of the line */
	field fields[FIELDS_MAX];
	unsigned count; /* up to the last one that is not empty */
	int end_column;
	enum csv_form asked, form;
	bool scale_sim;
	unsigned batch; /* column of the number of images; 0 = none */
	bool any;       /* a header or layer came before */
	enum isa_type type;
	const frontend_target *target;
	GHashTable *names;
	GPtrArray *graphs;
	GError **error;
} reader;

static bool G_GNUC_PRINTF(3, 4) fail(const reader *r, int column, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(r->error, TSP_ERROR, TSP_ERROR_USER, "%s:%u:%d: %s", r->file, r->number, column, text);
	return false;
}

/* Cuts LINE (changed) into trimmed fields. */
static void split(reader *r, char *line)
{
	char separator = strchr(line, ',') || !strchr(line, '\t') ? ',' : '\t';
	char *at = line;

	r->count = 0;
	r->end_column = (int)strlen(line) + 1;
	for (unsigned i = 0; i < FIELDS_MAX && at; i++) {
		char *end = strchr(at, separator);
		char *next = end ? end + 1 : NULL;

		if (end)
			*end = '\0';
		while (g_ascii_isspace(*at))
			at++;
		r->fields[i] = (field){g_strchomp(at), (int)(at - line) + 1};
		if (*at)
			r->count = i + 1;
		at = next;
	}
}

/* Makes plain ASCII blanks of no-break spaces (same length, so that columns hold), drops comments and CR. */
static void clean(char *line)
{
	char *mark = strchr(line, '#');
	size_t length;

	if (mark)
		*mark = '\0';
	length = strlen(line);
	if (length && line[length - 1] == '\r')
		line[length - 1] = '\0';
	for (char *at = line; (at = strstr(at, "\xC2\xA0"));)
		at[0] = at[1] = ' ';
}

static bool is_section_title(const reader *r)
{
	return r->count == 1;
}

static bool is_gemm_header(const reader *r)
{
	for (unsigned i = 0; i < GEMM_NUMBERS; i++)
		if (i + 1 >= r->count || g_ascii_strcasecmp(r->fields[i + 1].text, gemm_names[i]))
			return false;
	return true;
}

/* A header has a word that only headers have; the first row is also one when no number stands in it. */
static bool is_header(const reader *r)
{
	static const char *const words[] = {"ifmap", "filter", "channel", "stride"};
	bool numbers = false;

	if (is_gemm_header(r))
		return true;
	for (unsigned i = 1; i < r->count; i++) {
		g_autofree char *lower = g_ascii_strdown(r->fields[i].text, -1);

		numbers |= g_ascii_isdigit(*lower) || *lower == '-';
		for (unsigned w = 0; w < G_N_ELEMENTS(words); w++)
			if (strstr(lower, words[w]))
				return true;
	}
	return !r->any && !numbers;
}

static void read_header(reader *r)
{
	r->form = r->asked != FORM_AUTO ? r->asked : is_gemm_header(r) ? FORM_GEMM : FORM_CONV;
	r->batch = 0;
	for (unsigned i = 1; i < r->count; i++) {
		g_autofree char *lower = g_ascii_strdown(r->fields[i].text, -1);

		if (strstr(lower, "batch"))
			r->batch = i;
	}
}

static bool choose_form(reader *r)
{
	bool sparsity = r->count == 1 + GEMM_NUMBERS + 1 && strchr(r->fields[1 + GEMM_NUMBERS].text, ':');

	if (r->form != FORM_AUTO)
		return true;
	if (r->count >= 1 + CONV_NUMBERS)
		r->form = FORM_CONV;
	else if (r->count == 1 + GEMM_NUMBERS || sparsity)
		r->form = FORM_GEMM;
	else
		return fail(r, r->end_column, "expected a name and %d numbers (convolution) or %d (M, N, K), found %u",
		            CONV_NUMBERS, GEMM_NUMBERS, r->count - 1);
	return true;
}

static bool read_number(const reader *r, unsigned index, const char *what, uint64_t *value)
{
	const field *f = &r->fields[index];
	uint64_t number = 0;
	const char *at;

	if (index >= r->count)
		return fail(r, r->end_column, "expected %s, the row ends", what);
	for (at = f->text; g_ascii_isdigit(*at) && number < (uint64_t)1 << 40; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	if (!*f->text)
		return fail(r, f->column, "expected %s, a positive whole number, found nothing", what);
	if (number == 0 || *at)
		return fail(r, f->column, "expected %s, a positive whole number below 2^40, found '%s'", what, f->text);
	*value = number;
	return true;
}

static bool read_numbers(const reader *r, const char *const *names, unsigned count, uint64_t *values)
{
	for (unsigned i = 0; i < count; i++)
		if (!read_number(r, i + 1, names[i], &values[i]))
			return false;
	return true;
}

static bool fits(const reader *r, const uint64_t *values, unsigned count)
{
	unsigned __int128 product = 1;

	for (unsigned i = 0; i < count; i++) {
		product *= values[i];
		if (product >> 60)
			return fail(r, r->fields[1].column, "the sizes multiply to more than 2^60");
	}
	return true;
}

/* Does the dialect take NAME for a depthwise layer? */
static bool is_depthwise(const reader *r, const char *name)
{
	for (const char *at = name; (at = strstr(at, "DP")); at += 2)
		if (r->scale_sim || ((at == name || !g_ascii_isalnum(at[-1])) && !g_ascii_isalnum(at[2])))
			return true;
	return false;
}

/* Filters of all channels of a depthwise layer. */
static bool depthwise_filters(const reader *r, conv_shape *shape)
{
	shape->groups = shape->c;
	if (r->scale_sim || shape->n == 1)
		shape->n *= shape->c;
	else if (shape->n % shape->c)
		return fail(r, r->fields[6].column,
		            "expected number of filters of a depthwise layer, 1 or a multiple of its %" G_GUINT64_FORMAT
		            " channels, found %" G_GUINT64_FORMAT,
		            shape->c, shape->n);
	return true;
}

static graph *read_conv(const reader *r, const char *name)
{
	uint64_t v[CONV_NUMBERS], images = 1;
	conv_shape shape;

	if (!read_numbers(r, conv_names, CONV_NUMBERS, v) ||
	    (r->batch > CONV_NUMBERS && r->batch < r->count && !read_number(r, r->batch, "batch size", &images)))
		return NULL;
	for (unsigned i = 0; i < 2; i++) {
		if (v[2 + i] > v[i]) {
			fail(r, r->fields[3 + i].column,
			     "%s %" G_GUINT64_FORMAT " is larger than %s %" G_GUINT64_FORMAT, conv_names[2 + i],
			     v[2 + i], conv_names[i], v[i]);
			return NULL;
		}
	}
	if (!fits(r, (uint64_t[]){images, v[0], v[1], v[2], v[3], v[4], v[5]}, 7))
		return NULL;
	shape = (conv_shape){.images = images,
	                     .groups = 1,
	                     .c = v[4],
	                     .h = v[0],
	                     .w = v[1],
	                     .n = v[5],
	                     .r = v[2],
	                     .s = v[3],
	                     .stride_h = v[6],
	                     .stride_w = v[6],
	                     .ceil_form = r->scale_sim};
	if (is_depthwise(r, r->fields[0].text) && !depthwise_filters(r, &shape))
		return NULL;
	return frontend_i_build_conv(name, r->target, r->type, &shape);
}

static graph *read_gemm(const reader *r, const char *name)
{
	uint64_t v[GEMM_NUMBERS];

	if (!read_numbers(r, gemm_names, GEMM_NUMBERS, v) || !fits(r, v, GEMM_NUMBERS))
		return NULL;
	return frontend_i_build_matmul(name, r->target, r->type, 1, v[0], v[1], v[2], 1);
}

/* The layer's name, with the line's number when an earlier layer has it or it is empty. */
static char *layer_name(reader *r)
{
	const char *name = *r->fields[0].text ? r->fields[0].text : "layer";

	if (*r->fields[0].text && g_hash_table_add(r->names, g_strdup(name)))
		return g_strdup(name);
	return g_strdup_printf("%s@%u", name, r->number);
}

static bool read_layer(reader *r)
{
	g_autofree char *name = NULL;
	graph *g;

	r->any = true;
	if (!choose_form(r))
		return false;
	name = layer_name(r);
	g = r->form == FORM_GEMM ? read_gemm(r, name) : read_conv(r, name);
	if (!g)
		return false;
	g_ptr_array_add(r->graphs, g);
	return graph_verify(g, r->error);
}

static bool choice(const char *key, const char *value, const char *const *names, unsigned *index, GError **error)
{
	GString *text;

	*index = 0;
	for (unsigned i = 0; value && names[i]; i++) {
		if (!strcmp(value, names[i])) {
			*index = i;
			return true;
		}
	}
	if (!value)
		return true;
	text = g_string_new(NULL);
	g_string_append_printf(text, "%s: expected %s", key, names[0]);
	for (unsigned i = 1; names[i]; i++)
		g_string_append_printf(text, "%s%s", names[i + 1] ? ", " : " or ", names[i]);
	g_string_append_printf(text, ", found '%s'", value);
	if (tsp_nearest(value, names))
		g_string_append_printf(text, "; nearest is '%s'", tsp_nearest(value, names));
	g_set_error_literal(error, TSP_ERROR, TSP_ERROR_USER, text->str);
	g_string_free(text, TRUE);
	return false;
}

static bool read_options(reader *r, const frontend_options *options)
{
	static const char *const forms[] = {"auto", "conv", "gemm", NULL};
	static const char *const dialects[] = {"floor", "scale-sim", NULL};
	static const char *const types[] = {"fp16", "int8", NULL};
	unsigned form, dialect, type;

	if (!choice("csv.form", options ? options->csv_form : NULL, forms, &form, r->error) ||
	    !choice("csv.dialect", options ? options->csv_dialect : NULL, dialects, &dialect, r->error) ||
	    !choice("csv.dtype", options ? options->csv_dtype : NULL, types, &type, r->error))
		return false;
	r->asked = r->form = (enum csv_form)form;
	r->scale_sim = dialect == 1;
	r->type = type == 0 ? ISA_TYPE_F16 : ISA_TYPE_I8;
	return true;
}

bool frontend_i_read_csv(char *text, const char *file, const frontend_target *target, const frontend_options *options,
                         GPtrArray *graphs, GError **error)
{
	reader r = {.file = file, .target = target, .graphs = graphs, .error = error};
	char *line = g_str_has_prefix(text, "\xEF\xBB\xBF") ? text + 3 : text;
	bool ok = read_options(&r, options);

	r.names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	while (ok && line) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		r.number++;
		clean(line);
		split(&r, line);
		if (r.count && !is_section_title(&r)) {
			if (is_header(&r)) {
				read_header(&r);
				r.any = true;
			} else {
				ok = read_layer(&r);
			}
		}
		line = end ? end + 1 : NULL;
	}
	g_hash_table_unref(r.names);
	if (ok && !graphs->len) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: expected at least one layer", file);
		ok = false;
	}
	return ok;
}
