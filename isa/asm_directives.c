/* SPDX-License-Identifier: Apache-2.0
 *
 * Directives of the assembler: what a container holds besides instructions.  One row of the table below each; the words
 * of a directive are rows of a small table of its own.  See docs/assembly.md.
 */
#include "isa/asm_int.h"
#include "isa/machine_int.h"
#include "isa/program_int.h"

#include <string.h>

#define NUMBER_MAX (ISA_NUMBER_MAX - 1)

/* A word "name=value" of a directive. */
enum word_kind { WORD_INT, WORD_REAL, WORD_TEXT, WORD_FLAG /* no value */ };
typedef struct word {
	const char *name;
	enum word_kind kind;
	void *out; /* int64_t, double, const isa_token * and value in text, bool */
	int64_t min, max;
	const char *text; /* of a WORD_TEXT */
	unsigned column;
	bool given;
} word;

static bool read_word(isa_assembler *as, const isa_token *token, word *w, const char *value)
{
	char *end;

	w->given = true;
	w->column = token->column;
	switch (w->kind) {
	case WORD_INT:
		return isa_asm_integer(as, token->column, w->name, value, w->min, w->max, w->out);
	case WORD_REAL:
		*(double *)w->out = g_ascii_strtod(value, &end);
		return (end != value && !*end) ||
		       isa_asm_fail(as, token->column, "%s: expected a number, found '%s'", w->name, value);
	case WORD_FLAG:
		*(bool *)w->out = true;
		return true;
	default:
		w->text = value;
		return true;
	}
}

/* Reads the words from token FIRST on; each at most once, in any order. */
static bool read_words(isa_assembler *as, unsigned first, word *words, unsigned count)
{
	for (unsigned i = first; i < as->tokens->len; i++) {
		const isa_token *token = isa_asm_token(as, i);
		const char *equals = strchr(token->text, '=');
		g_autofree char *name =
			equals ? g_strndup(token->text, (gsize)(equals - token->text)) : g_strdup(token->text);
		word *found = NULL;

		for (unsigned j = 0; j < count; j++)
			if (!token->quoted && strcmp(words[j].name, name) == 0 &&
			    (words[j].kind == WORD_FLAG) == !equals)
				found = &words[j];
		if (!found) {
			g_autofree const char **names = g_new0(const char *, count + 1);
			g_autofree char *hint = NULL;

			for (unsigned j = 0; j < count; j++)
				names[j] = words[j].name;
			hint = isa_hint(name, names);
			return isa_asm_fail(as, token->column, "'%s' does not belong to %s%s", token->text,
			                    isa_asm_token(as, 0)->text, hint);
		}
		if (found->given)
			return isa_asm_fail(as, token->column, "%s is given twice", name);
		if (!read_word(as, token, found, equals ? equals + 1 : NULL))
			return false;
	}
	return true;
}

/* The quoted text every named directive begins with, or NULL after an error. */
static const char *read_name(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 1);

	if (token && token->quoted)
		return token->text;
	isa_asm_fail(as, (token ? token : isa_asm_token(as, 0))->column, "%s: expected a name in quotes",
	             isa_asm_token(as, 0)->text);
	return NULL;
}

static bool no_more(isa_assembler *as, unsigned first)
{
	return read_words(as, first, NULL, 0);
}

static bool do_machine(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 1);

	if (!token || strcmp(token->text, as->machine->name) != 0)
		return isa_asm_fail(as, (token ? token : isa_asm_token(as, 0))->column,
		                    "the text is for machine '%s', it is assembled for '%s'", token ? token->text : "",
		                    as->machine->name);
	return no_more(as, 2);
}

static bool do_workload(isa_assembler *as)
{
	const char *name = read_name(as);

	if (!name)
		return false;
	g_free(as->program->workload);
	as->program->workload = g_strdup(name);
	return no_more(as, 2);
}

static bool do_predicted_cycles(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 1);

	if (!token)
		return isa_asm_fail(as, isa_asm_token(as, 0)->column, "expected a number of cycles");
	return isa_asm_integer(as, token->column, "cycles", token->text, 0, NUMBER_MAX,
	                       &as->program->predicted_cycles) &&
	       no_more(as, 2);
}

static bool do_epoch(isa_assembler *as)
{
	const char *name = read_name(as);
	int64_t macs = 0, vxm_ops = 0, graph = 0;
	isa_epoch epoch = {.mxm_ceiling = -1};
	word words[] = {
		{.name = "start", .kind = WORD_INT, .out = &epoch.start, .max = NUMBER_MAX},
		{.name = "end", .kind = WORD_INT, .out = &epoch.end, .max = NUMBER_MAX},
		{.name = "macs", .kind = WORD_INT, .out = &macs, .max = INT64_MAX},
		{.name = "vxm_ops", .kind = WORD_INT, .out = &vxm_ops, .max = INT64_MAX},
		{.name = "ceiling", .kind = WORD_REAL, .out = &epoch.mxm_ceiling},
		{.name = "graph", .kind = WORD_INT, .out = &graph, .max = UINT32_MAX},
	};

	if (!name || !read_words(as, 2, words, G_N_ELEMENTS(words)))
		return false;
	epoch.name = g_strdup(name);
	epoch.macs = (uint64_t)macs;
	epoch.vxm_ops = (uint64_t)vxm_ops;
	epoch.graph = (uint32_t)graph;
	epoch.images = g_array_new(FALSE, TRUE, sizeof(isa_image));
	g_array_append_val(as->program->epochs, epoch);
	return true;
}

static bool do_image(isa_assembler *as)
{
	const isa_token *directive = isa_asm_token(as, 0);
	const isa_token *location = isa_asm_token(as, 1);
	const isa_token *bytes = isa_asm_token(as, 2);
	GArray *epochs = as->program->epochs;
	int64_t at, size;
	isa_image image = {0};
	GArray *images;

	if (!epochs->len)
		return isa_asm_fail(as, directive->column, ".image must stand below its .epoch");
	if (!location || !bytes)
		return isa_asm_fail(as, directive->column, "expected .image LOCATION BYTES");
	if (!isa_asm_integer(as, location->column, "location", location->text, 0, NUMBER_MAX, &at) ||
	    !isa_asm_integer(as, bytes->column, "bytes", bytes->text, 0, NUMBER_MAX, &size) || !no_more(as, 3))
		return false;
	image.location = (uint64_t)at;
	image.bytes = (uint64_t)size;
	images = g_array_index(epochs, isa_epoch, epochs->len - 1).images;
	g_array_append_val(images, image);
	as->image = &g_array_index(images, isa_image, images->len - 1);
	as->image_bytes = 0;
	return true;
}

static bool do_hex(isa_assembler *as)
{
	if (!as->image)
		return isa_asm_fail(as, isa_asm_token(as, 0)->column, ".hex must stand below an .image");
	if (!as->image->data && as->image->bytes) {
		as->image->data = g_try_malloc(as->image->bytes);
		if (!as->image->data)
			return isa_asm_fail(as, 1, "no memory for an image of %" G_GUINT64_FORMAT " bytes",
			                    as->image->bytes);
	}
	for (unsigned i = 1; i < as->tokens->len; i++) {
		const isa_token *token = isa_asm_token(as, i);

		for (const char *digit = token->text; *digit; digit += 2) {
			int high = g_ascii_xdigit_value(digit[0]);
			int low = high < 0 ? -1 : g_ascii_xdigit_value(digit[1]);

			if (low < 0)
				return isa_asm_fail(as, token->column + (unsigned)(digit - token->text),
				                    "expected two hexadecimal digits");
			if (!as->image->data || as->image_bytes == as->image->bytes)
				return isa_asm_fail(as, token->column + (unsigned)(digit - token->text),
				                    "the image has only %" G_GUINT64_FORMAT " bytes", as->image->bytes);
			as->image->data[as->image_bytes++] = (uint8_t)(high << 4 | low);
		}
	}
	return true;
}

/* A bare .image is resident data without bytes; one with .hex needs all of them. */
static bool end_image(isa_assembler *as)
{
	const isa_image *image = as->image;

	as->image = NULL;
	if (image && image->data && as->image_bytes != image->bytes)
		return isa_asm_fail(as, 1,
		                    "the image above has %" G_GUINT64_FORMAT " bytes, .hex gives %" G_GUINT64_FORMAT,
		                    image->bytes, as->image_bytes);
	return true;
}

/* "7", "none", "0-319", "15-0", each with "*N" behind it: lanes that follow one another in the map. */
static bool add_lanes(isa_assembler *as, const isa_token *token, isa_lane_map *map, unsigned *count)
{
	g_auto(GStrv) times = g_strsplit(token->text, "*", 2);
	g_auto(GStrv) ends = g_strsplit(times[0], "-", 2);
	int64_t repeats = 1, first = 0xffff, last = 0xffff;

	if (times[1] && !isa_asm_integer(as, token->column, "repetitions", times[1], 1, 320, &repeats))
		return false;
	if (strcmp(times[0], "none") != 0) {
		if (!isa_asm_integer(as, token->column, "lane", ends[0] ? ends[0] : "", 0, 319, &first))
			return false;
		last = first;
		if (ends[0] && ends[1] && !isa_asm_integer(as, token->column, "lane", ends[1], 0, 319, &last))
			return false;
	}
	while (repeats--)
		for (int64_t lane = first;; lane += first < last ? 1 : -1) {
			if (*count == 320)
				return isa_asm_fail(as, token->column, "a map has 320 lanes");
			map->lane[(*count)++] = (uint16_t)lane;
			if (lane == last)
				break;
		}
	return true;
}

static bool do_map(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 1);
	g_autofree char *expected = g_strdup_printf("%u:", as->program->maps->len);
	isa_lane_map map;
	unsigned count = 0;

	if (!token || strcmp(token->text, expected) != 0)
		return isa_asm_fail(as, (token ? token : isa_asm_token(as, 0))->column,
		                    "maps are numbered in order, expected '%s'", expected);
	for (unsigned i = 2; i < as->tokens->len; i++)
		if (!add_lanes(as, isa_asm_token(as, i), &map, &count))
			return false;
	if (count != 320)
		return isa_asm_fail(as, token->column, "a map has 320 lanes, found %u", count);
	g_array_append_val(as->program->maps, map);
	return true;
}

static bool do_node(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 1);
	int64_t epoch = 0, number;
	word words[] = {
		{.name = "epoch",
	         .kind = WORD_INT,
	         .out = &epoch,
	         .max = MAX((int64_t)as->program->epochs->len, 1) - 1},
	};

	if (token && !token->quoted) { /* back to a node that there is */
		if (!isa_asm_integer(as, token->column, "node", token->text, 0, (int64_t)as->program->nodes->len - 1,
		                     &number))
			return false;
		as->node = (uint32_t)number;
		return no_more(as, 2);
	}
	if (!read_name(as) || !read_words(as, 2, words, G_N_ELEMENTS(words)))
		return false;
	as->node = isa_program_add_node(as->program, token->text, (uint32_t)epoch);
	return true;
}

static bool read_type(isa_assembler *as, const word *w, enum isa_type *type)
{
	int value = isa_type_from_name(w->given ? w->text : "");
	const char *names[ISA_TYPE_COUNT + 1] = {NULL};
	g_autofree char *hint = NULL;

	if (value < 0) {
		for (unsigned i = 0; i < ISA_TYPE_COUNT; i++)
			names[i] = isa_type_name(i);
		hint = w->given ? isa_hint(w->text, names) : g_strdup("");
		return isa_asm_fail(as, w->given ? w->column : 1, "expected type=int8, int16, int32, fp16 or fp32%s",
		                    hint);
	}
	*type = (enum isa_type)value;
	return true;
}

/* "4x320x2" */
static bool read_shape(isa_assembler *as, const word *w, isa_tensor *t)
{
	g_auto(GStrv) parts = g_strsplit(w->text, "x", -1);

	for (unsigned i = 0; parts[i]; i++) {
		int64_t extent;

		if (i == ISA_RANK_MAX)
			return isa_asm_fail(as, w->column, "shape: a tensor has at most %d dimensions", ISA_RANK_MAX);
		if (!isa_asm_integer(as, w->column, "shape", parts[i], 0, NUMBER_MAX, &extent))
			return false;
		t->shape[t->rank++] = (uint64_t)extent;
	}
	return true;
}

/* Reads the number at *TEXT and moves behind it. */
static bool read_part(isa_assembler *as, unsigned column, const char **text, int64_t min, int64_t max, int64_t *value)
{
	size_t length = strspn(*text, "-0123456789");
	g_autofree char *digits = g_strndup(*text, length);

	*text += length;
	return isa_asm_integer(as, column, "layout", digits, min, max, value);
}

/* Terms DIM[/DIV][%MOD]*STRIDE joined by '+'; DIM is a number or "byte". */
static bool read_layout(isa_assembler *as, const word *w, isa_tensor *t)
{
	const char *at = w->text;

	for (;;) {
		isa_layout_term term = {.div = 1};
		int64_t dim = t->rank, div = 1, mod = 0, stride;

		if (t->terms == ISA_LAYOUT_TERMS)
			return isa_asm_fail(as, w->column, "layout: at most %d terms", ISA_LAYOUT_TERMS);
		if (g_str_has_prefix(at, "byte"))
			at += 4;
		else if (!read_part(as, w->column, &at, 0, (int64_t)t->rank - 1, &dim))
			return false;
		if (*at == '/' && (at++, !read_part(as, w->column, &at, 0, INT64_MAX, &div)))
			return false;
		if (*at == '%' && (at++, !read_part(as, w->column, &at, 0, INT64_MAX, &mod)))
			return false;
		if (*at++ != '*')
			return isa_asm_fail(as, w->column,
			                    "layout: expected DIM[/DIV][%%MOD]*STRIDE, terms joined by '+'");
		if (!read_part(as, w->column, &at, -INT64_MAX, INT64_MAX, &stride))
			return false;
		term.dim = (uint32_t)dim;
		term.div = (uint64_t)div;
		term.mod = (uint64_t)mod;
		term.stride = stride;
		t->term[t->terms++] = term;
		if (!*at)
			return true;
		if (*at++ != '+')
			return isa_asm_fail(as, w->column, "layout: expected '+' between terms");
	}
}

static bool do_tensor(isa_assembler *as)
{
	const char *name = read_name(as);
	int64_t base = 0, bytes = 0, epoch = 0;
	isa_tensor t = {0};
	word words[] = {
		{.name = "type", .kind = WORD_TEXT},
		{.name = "shape", .kind = WORD_TEXT},
		{.name = "layout", .kind = WORD_TEXT},
		{.name = "base", .kind = WORD_INT, .out = &base, .max = NUMBER_MAX},
		{.name = "bytes", .kind = WORD_INT, .out = &bytes, .max = NUMBER_MAX},
		{.name = "epoch",
	         .kind = WORD_INT,
	         .out = &epoch,
	         .max = MAX((int64_t)as->program->epochs->len, 1) - 1},
		{.name = "output", .kind = WORD_FLAG, .out = &t.output},
	};

	if (!name || !read_words(as, 2, words, G_N_ELEMENTS(words)) || !read_type(as, &words[0], &t.type) ||
	    (words[1].given && !read_shape(as, &words[1], &t)) || (words[2].given && !read_layout(as, &words[2], &t)))
		return false;
	t.name = g_strdup(name);
	t.base = (uint64_t)base;
	t.bytes = (uint64_t)bytes;
	t.epoch = (uint32_t)epoch;
	g_array_append_val(as->program->tensors, t);
	return true;
}

/* "A/B/C" into VALUES; missing ones keep theirs, "-" is NO_TIME when that is allowed. */
static bool read_numbers(isa_assembler *as, const word *w, int64_t min, int64_t max, bool dash, int64_t *values,
                         unsigned count)
{
	g_auto(GStrv) parts = g_strsplit(w->text, "/", -1);

	if (g_strv_length(parts) > count)
		return isa_asm_fail(as, w->column, "%s: at most %u numbers", w->name, count);
	for (unsigned i = 0; parts[i]; i++) {
		if (dash && strcmp(parts[i], "-") == 0)
			values[i] = ISA_NO_TIME;
		else if (!isa_asm_integer(as, w->column, w->name, parts[i], min, max, &values[i]))
			return false;
	}
	return true;
}

/* from=LABEL[+K] */
static bool read_from(isa_assembler *as, const word *w, isa_asm_source *s)
{
	g_auto(GStrv) parts = g_strsplit(w->text, "+", 2);
	int64_t plus = 0;

	if (parts[0] && parts[1] && !isa_asm_integer(as, w->column, "from", parts[1], 0, UINT32_MAX, &plus))
		return false;
	s->label = g_strdup(parts[0] ? parts[0] : "");
	s->plus = (uint32_t)plus;
	s->line = as->line;
	s->column = w->column;
	return true;
}

static bool do_source(isa_assembler *as)
{
	const isa_token *directive = isa_asm_token(as, 0);
	const isa_token *token = isa_asm_token(as, 1);
	int64_t operand, instance = 0, segments = 0;
	int64_t step[2] = {0, 0}, seg[2] = {0, 1};
	isa_asm_source s = {.insn = (uint32_t)as->last};
	word words[] = {
		{.name = "from", .kind = WORD_TEXT},
		{.name = "instance", .kind = WORD_INT, .out = &instance, .max = UINT32_MAX},
		{.name = "resident", .kind = WORD_FLAG, .out = &s.source.resident},
		{.name = "step", .kind = WORD_TEXT},
		{.name = "seg", .kind = WORD_TEXT},
		{.name = "segments", .kind = WORD_INT, .out = &segments, .max = UINT16_MAX},
	};

	if (as->last < 0)
		return isa_asm_fail(as, directive->column, ".source must stand below its instruction");
	if (!token)
		return isa_asm_fail(as, directive->column,
		                    "expected .source OPERAND from=LABEL, instance=NUMBER or resident");
	if (!isa_asm_integer(as, token->column, "operand", token->text, 0, ISA_OPERANDS - 1, &operand) ||
	    !read_words(as, 2, words, G_N_ELEMENTS(words)) ||
	    (words[3].given && !read_numbers(as, &words[3], INT32_MIN, INT32_MAX, false, step, 2)) ||
	    (words[4].given && !read_numbers(as, &words[4], INT32_MIN, INT32_MAX, false, seg, 2)))
		return false;
	if (seg[1] < 1 || seg[1] > UINT16_MAX)
		return isa_asm_fail(as, words[4].column, "seg: the divisor must be 1 to %u", UINT16_MAX);
	if (!words[0].given && !words[1].given && !words[2].given)
		return isa_asm_fail(as, token->column, "expected from=LABEL, instance=NUMBER or resident");
	if (words[0].given && words[1].given)
		return isa_asm_fail(as, words[1].column, "from= and instance= exclude one another");
	if (words[0].given && !read_from(as, &words[0], &s))
		return false;
	s.operand = (unsigned)operand;
	s.source.base = (uint32_t)instance;
	s.source.step0 = (int32_t)step[0];
	s.source.step1 = (int32_t)step[1];
	s.source.seg_step = (int32_t)seg[0];
	s.source.seg_div = (uint16_t)seg[1];
	s.source.segments = (uint16_t)segments;
	g_array_append_val(as->sources, s);
	return true;
}

static bool do_predict(isa_assembler *as)
{
	int64_t arrival[ISA_OPERANDS] = {ISA_NO_TIME, ISA_NO_TIME, ISA_NO_TIME};
	int64_t result = ISA_NO_TIME, beats = 0;
	isa_prediction prediction;
	word words[] = {
		{.name = "arrival", .kind = WORD_TEXT},
		{.name = "result", .kind = WORD_TEXT},
		{.name = "beats", .kind = WORD_INT, .out = &beats, .max = INT32_MAX},
	};

	if (as->last < 0)
		return isa_asm_fail(as, isa_asm_token(as, 0)->column, ".predict must stand below its instruction");
	if (!read_words(as, 1, words, G_N_ELEMENTS(words)) ||
	    (words[0].given && !read_numbers(as, &words[0], -INT32_MAX, INT32_MAX, true, arrival, ISA_OPERANDS)) ||
	    (words[1].given && !read_numbers(as, &words[1], -INT32_MAX, INT32_MAX, true, &result, 1)))
		return false;
	for (int i = 0; i < ISA_OPERANDS; i++)
		prediction.arrival[i] = (int32_t)arrival[i];
	prediction.result = (int32_t)result;
	prediction.beats = (int32_t)beats;
	isa_program_set_prediction(as->program, (uint32_t)as->last, &prediction);
	return true;
}

static bool do_buffer(isa_assembler *as)
{
	const char *name = read_name(as);
	int64_t base = 0, bytes = 0, epoch = 0;
	isa_buffer b = {0};
	word words[] = {
		{.name = "base", .kind = WORD_INT, .out = &base, .max = NUMBER_MAX},
		{.name = "bytes", .kind = WORD_INT, .out = &bytes, .min = 1, .max = NUMBER_MAX},
		{.name = "epoch",
	         .kind = WORD_INT,
	         .out = &epoch,
	         .max = MAX((int64_t)as->program->epochs->len, 1) - 1},
	};

	if (!name)
		return false;
	if (as->tokens->len < 3 || !isa_asm_token(as, 2)->quoted)
		return isa_asm_fail(as, isa_asm_token(as, 0)->column, "expected a bank map in quotes after the name");
	if (!read_words(as, 3, words, G_N_ELEMENTS(words)))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (!words[i].given)
			return isa_asm_fail(as, isa_asm_token(as, 0)->column, ".buffer needs %s=", words[i].name);
	if (as->program->buffers->len == ISA_BUFFERS_MAX)
		return isa_asm_fail(as, isa_asm_token(as, 0)->column, "a program has at most %d buffers",
		                    ISA_BUFFERS_MAX);
	b = (isa_buffer){g_strdup(name), (uint64_t)base, (uint64_t)bytes, g_strdup(isa_asm_token(as, 2)->text),
	                 (uint32_t)epoch};
	g_array_append_val(as->program->buffers, b);
	return true;
}

static const struct {
	const char *name;
	bool (*run)(isa_assembler *as);
} directives[] = {
	{".machine", do_machine}, {".workload", do_workload}, {".predicted_cycles", do_predicted_cycles},
	{".epoch", do_epoch},     {".image", do_image},       {".hex", do_hex},
	{".map", do_map},         {".node", do_node},         {".tensor", do_tensor},
	{".buffer", do_buffer},   {".source", do_source},     {".predict", do_predict},
};

bool isa_asm_directive(isa_assembler *as)
{
	const isa_token *token = isa_asm_token(as, 0);
	const char *names[G_N_ELEMENTS(directives) + 1] = {NULL};
	g_autofree char *hint = NULL;

	if (strcmp(token->text, ".hex") != 0 && !end_image(as))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(directives); i++) {
		names[i] = directives[i].name;
		if (strcmp(names[i], token->text) == 0)
			return directives[i].run(as);
	}
	hint = isa_hint(token->text, names);
	return isa_asm_fail(as, token->column, "unknown directive '%s'%s", token->text, hint);
}

bool isa_asm_directives_end(isa_assembler *as)
{
	return end_image(as);
}
