/* SPDX-License-Identifier: Apache-2.0
 *
 * Directives of Ascend-style assembly: streams, blocks, nodes, images with their bytes, tensors, what the program is
 * for. The language is described in docs/ascend-assembly.md.
 */
#include "isa/ascend/asm_int.h"
#include "isa/machine_int.h"

#include <string.h>

/* A word of a directive: NAME=TEXT, or a bare NAME with TEXT NULL. */
typedef struct word {
	const char *name;
	const char *text;
	unsigned column;
} word;

/* The words from token FIRST on, each one of NAMES; WORDS[i] belongs to NAMES[i].  Values are cut off in the token. */
static bool read_words(asc_assembler *as, unsigned first, const char *const *names, word *words)
{
	for (unsigned i = first; i < as->tokens->len; i++) {
		isa_token *token = asc_asm_token(as, i);
		char *equals = token->quoted ? NULL : strchr(token->text, '=');
		unsigned w = 0;

		if (equals)
			*equals = 0;
		while (names[w] && strcmp(names[w], token->text) != 0)
			w++;
		if (!names[w]) {
			g_autofree char *hint = isa_hint(token->text, names);

			return asc_asm_fail(as, token->column, "%s: unknown word '%s'%s", asc_asm_token(as, 0)->text,
			                    token->text, hint);
		}
		if (words[w].name)
			return asc_asm_fail(as, token->column, "'%s' is given twice", token->text);
		words[w] = (word){names[w], equals ? equals + 1 : NULL, token->column};
	}
	return true;
}

static bool number(asc_assembler *as, const word *w, int64_t min, int64_t max, int64_t *value)
{
	if (!w->name)
		return true;
	if (!w->text)
		return asc_asm_fail(as, w->column, "expected %s=NUMBER", w->name);
	return asc_asm_integer(as, w->column, w->name, w->text, min, max, value);
}

/* The one token behind the directive. */
static isa_token *argument(asc_assembler *as, bool quoted, const char *what)
{
	isa_token *token = asc_asm_token(as, 1);

	if (token && token->quoted == quoted && as->tokens->len == 2)
		return token;
	asc_asm_fail(as, asc_asm_token(as, 0)->column, "%s: expected %s", asc_asm_token(as, 0)->text, what);
	return NULL;
}

static bool read_machine(asc_assembler *as)
{
	isa_token *token = argument(as, false, "the name of a machine");

	return token &&
	       (strcmp(token->text, as->machine->name) == 0 ||
	        asc_asm_fail(as, token->column, "this program is for %s, not for %s", token->text, as->machine->name));
}

static bool read_workload(asc_assembler *as)
{
	isa_token *token = argument(as, true, "a text");

	if (!token)
		return false;
	if (as->program->workload)
		return asc_asm_fail(as, token->column, ".workload stands here twice");
	as->program->workload = g_strdup(token->text);
	return true;
}

static bool read_blocks(asc_assembler *as)
{
	isa_token *token = argument(as, false, "a number");
	int64_t blocks;

	if (!token || !asc_asm_integer(as, token->column, ".blocks", token->text, 1, G_MAXINT32, &blocks))
		return false;
	if (as->blocks_given)
		return asc_asm_fail(as, token->column, ".blocks stands here twice");
	as->blocks_given = true;
	as->program->blocks = (uint32_t)blocks;
	return true;
}

static bool read_predicted(asc_assembler *as)
{
	isa_token *token = argument(as, false, "a number");

	return token && asc_asm_integer(as, token->column, ".predicted_cycles", token->text, 0, INT64_MAX,
	                                &as->program->predicted_cycles);
}

static bool read_useful(asc_assembler *as)
{
	static const char *const names[] = {"macs", "vector_ops", NULL};
	word words[2] = {{NULL, NULL, 0}};
	int64_t macs = 0, vector_ops = 0;

	if (!read_words(as, 1, names, words) || !number(as, &words[0], 0, INT64_MAX, &macs) ||
	    !number(as, &words[1], 0, INT64_MAX, &vector_ops))
		return false;
	as->program->macs = (uint64_t)macs;
	as->program->vector_ops = (uint64_t)vector_ops;
	return true;
}

/* "all" or a number. */
static bool all_or_number(asc_assembler *as, const word *w, int64_t max, int32_t *value)
{
	int64_t read = ASC_ALL_BLOCKS;

	*value = ASC_ALL_BLOCKS;
	if (!w->name || g_strcmp0(w->text, "all") == 0)
		return true;
	if (!number(as, w, 0, max, &read))
		return false;
	*value = (int32_t)read;
	return true;
}

static bool read_stream(asc_assembler *as)
{
	static const char *const names[] = {"sub", "block", NULL};
	const char *kinds[ASC_KINDS + 1] = {NULL};
	word words[2] = {{NULL, NULL, 0}};
	const isa_token *token = asc_asm_token(as, 1);
	g_autoptr(GError) cause = NULL;
	int32_t sub, block;
	asc_stream wanted = {0};
	int kind;

	if (as->pending->len)
		return asc_asm_fail(as, 1, "label '%s' has no instruction", (char *)as->pending->pdata[0]);
	if (!token || token->quoted)
		return asc_asm_fail(as, 1, ".stream: expected coupled, cube or vector");
	kind = asc_kind_by_name(token->text);
	if (kind < 0) {
		g_autofree char *hint = NULL;

		for (int i = 0; i < ASC_KINDS; i++)
			kinds[i] = asc_kind_name((enum asc_kind)i);
		hint = isa_hint(token->text, kinds);
		return asc_asm_fail(as, token->column,
		                    "unknown kind of sub-core '%s', expected coupled, cube or vector%s", token->text,
		                    hint);
	}
	if (!read_words(as, 2, names, words) || !all_or_number(as, &words[0], G_MAXINT32, &sub) ||
	    !all_or_number(as, &words[1], G_MAXINT32, &block))
		return false;
	if (kind != ASC_VECTOR && !words[0].name)
		sub = 0;
	wanted.kind = (enum asc_kind)kind;
	wanted.sub = sub;
	wanted.block = block;
	if (!asc_check_stream(&wanted, as->program, as->machine, &cause))
		return asc_asm_fail(as, token->column, "%s", cause->message);
	as->stream = asc_program_stream(as->program, wanted.kind, sub, block);
	return true;
}

static bool read_node(asc_assembler *as)
{
	isa_token *token = asc_asm_token(as, 1);
	int64_t node;

	if (!token || as->tokens->len != 2)
		return asc_asm_fail(as, 1, ".node: expected \"NAME\", a number or none");
	if (token->quoted) {
		as->node = as->program->nodes->len;
		g_ptr_array_add(as->program->nodes, g_strdup(token->text));
		return true;
	}
	if (strcmp(token->text, "none") == 0) {
		as->node = ASC_NO_NODE;
		return true;
	}
	if (!asc_asm_integer(as, token->column, ".node", token->text, 0, (int64_t)ASC_NO_NODE - 1, &node))
		return false;
	as->node = (uint32_t)node;
	return true;
}

static bool read_image(asc_assembler *as)
{
	isa_token *address = asc_asm_token(as, 1);
	isa_token *bytes = asc_asm_token(as, 2);
	asc_image image = {0};
	int64_t at, length;

	if (!bytes || as->tokens->len != 3)
		return asc_asm_fail(as, 1, ".image: expected ADDRESS BYTES");
	if (!asc_asm_integer(as, address->column, "address", address->text, 0, INT64_MAX, &at) ||
	    !asc_asm_integer(as, bytes->column, "bytes", bytes->text, 0, INT64_MAX - at, &length))
		return false;
	image.address = (uint64_t)at;
	image.bytes = (uint64_t)length;
	g_array_append_val(as->program->images, image);
	as->hex = true;
	as->image_bytes = 0;
	return true;
}

bool asc_asm_image_complete(asc_assembler *as)
{
	const asc_image *image;

	if (!as->hex || as->image_bytes == 0)
		return true;
	image = &g_array_index(as->program->images, asc_image, as->program->images->len - 1);
	return as->image_bytes == image->bytes ||
	       asc_asm_fail(as, 1, "the image above has %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT " are given",
	                    image->bytes, as->image_bytes);
}

static bool read_hex(asc_assembler *as)
{
	isa_token *token = argument(as, false, "hexadecimal digits");
	asc_image *image;
	size_t digits;

	if (!token)
		return false;
	if (!as->hex)
		return asc_asm_fail(as, 1, ".hex: no .image stands above");
	image = &g_array_index(as->program->images, asc_image, as->program->images->len - 1);
	digits = strlen(token->text);
	if (digits % 2 || digits / 2 > image->bytes - as->image_bytes)
		return asc_asm_fail(as, token->column,
		                    "expected two digits a byte and no more than %" G_GUINT64_FORMAT " bytes here",
		                    image->bytes - as->image_bytes);
	image->data = g_realloc(image->data, (gsize)(as->image_bytes + digits / 2));
	for (size_t i = 0; i < digits; i += 2) {
		int high = g_ascii_xdigit_value(token->text[i]);
		int low = g_ascii_xdigit_value(token->text[i + 1]);

		if (high < 0 || low < 0)
			return asc_asm_fail(as, token->column + (unsigned)i, "not hexadecimal digits");
		image->data[as->image_bytes++] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* "4x16x16" into the numbers of a tensor's dimensions. */
static bool read_list(asc_assembler *as, const word *w, int64_t min, int64_t *out, uint32_t *count)
{
	g_auto(GStrv) parts = NULL;

	*count = 0;
	if (!w->name)
		return true;
	parts = g_strsplit(w->text ? w->text : "", "x", -1);
	if (g_strv_length(parts) > ASC_RANK_MAX)
		return asc_asm_fail(as, w->column, "%s: at most %d dimensions", w->name, ASC_RANK_MAX);
	for (; parts[*count]; ++*count)
		if (!asc_asm_integer(as, w->column, w->name, parts[*count], min, INT64_MAX, &out[*count]))
			return false;
	return true;
}

static bool read_tensor(asc_assembler *as)
{
	enum { TYPE, SHAPE, STRIDE, ADDRESS, BYTES, OUTPUT, WORDS };
	static const char *const names[] = {"type", "shape", "stride", "address", "bytes", "output", NULL};
	word words[WORDS] = {{NULL, NULL, 0}};
	const isa_token *name = asc_asm_token(as, 1);
	int64_t shape[ASC_RANK_MAX] = {0}, address = 0, bytes = 0;
	asc_tensor tensor = {.type = ASC_F16};
	uint32_t strides;

	if (!name || !name->quoted)
		return asc_asm_fail(as, 1, ".tensor: expected \"NAME\"");
	if (!read_words(as, 2, names, words))
		return false;
	if (words[TYPE].name) {
		int type = words[TYPE].text ? asc_type_by_name(words[TYPE].text) : -1;

		if (type < 0)
			return asc_asm_fail(as, words[TYPE].column, "unknown type '%s'",
			                    words[TYPE].text ? words[TYPE].text : "");
		tensor.type = (enum asc_type)type;
	}
	if (!read_list(as, &words[SHAPE], 0, shape, &tensor.rank) ||
	    !read_list(as, &words[STRIDE], INT64_MIN, tensor.stride, &strides) ||
	    !number(as, &words[ADDRESS], 0, INT64_MAX, &address) || !number(as, &words[BYTES], 0, INT64_MAX, &bytes))
		return false;
	if (strides != tensor.rank)
		return asc_asm_fail(as, name->column, "shape and stride have %u and %u dimensions", tensor.rank,
		                    strides);
	for (unsigned i = 0; i < tensor.rank; i++)
		tensor.shape[i] = (uint64_t)shape[i];
	tensor.address = (uint64_t)address;
	tensor.bytes = (uint64_t)bytes;
	tensor.output = words[OUTPUT].name != NULL;
	tensor.name = g_strdup(name->text);
	g_array_append_val(as->program->tensors, tensor);
	return true;
}

bool asc_asm_directive(asc_assembler *as)
{
	static const struct {
		const char *name;
		bool (*read)(asc_assembler *as);
	} directives[] = {
		{".machine", read_machine}, {".workload", read_workload}, {".blocks", read_blocks},
		{".useful", read_useful},   {".stream", read_stream},     {".predicted_cycles", read_predicted},
		{".node", read_node},       {".image", read_image},       {".hex", read_hex},
		{".tensor", read_tensor},
	};
	const char *names[G_N_ELEMENTS(directives) + 1] = {NULL};
	const isa_token *token = asc_asm_token(as, 0);
	g_autofree char *hint = NULL;

	if (strcmp(token->text, ".hex") != 0) {
		if (!asc_asm_image_complete(as))
			return false;
		as->hex = false;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(directives); i++) {
		if (strcmp(directives[i].name, token->text) == 0)
			return directives[i].read(as);
		names[i] = directives[i].name;
	}
	hint = isa_hint(token->text, names);
	return asc_asm_fail(as, token->column, "unknown directive '%s'%s", token->text, hint);
}
