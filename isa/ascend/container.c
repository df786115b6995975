/* SPDX-License-Identifier: Apache-2.0
 *
 * An Ascend-style program as a file, little-endian: "ASCO", u32 version, head, streams, nodes, images, tensors, and the
 * SHA-256 of all before it.  Texts are u32 length and bytes, arrays u64 count and elements; an instruction has its
 * opcode, registers, node, times and as many fields as its format.  Nothing in a file is trusted: the checksum is
 * looked at first, every length before it is used, every enumeration against its table; limits of fields are
 * asc_check()'s.
 */
#include "isa/ascend/asc_int.h"

#include <string.h>

#include "isa/file.h"

enum { VERSION = 1, CHECKSUM_BYTES = 32, FRAME_BYTES = 8 };
static const char magic[] = ASC_MAGIC;

static void put(GByteArray *out, uint64_t value, unsigned bytes)
{
	guint8 raw[8];

	for (unsigned i = 0; i < bytes; i++)
		raw[i] = (guint8)(value >> 8 * i);
	g_byte_array_append(out, raw, bytes);
}

/* NULL and "" differ. */
static void put_text(GByteArray *out, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	put(out, text ? length : G_MAXUINT32, 4);
	g_byte_array_append(out, (const guint8 *)text, (guint)length);
}

static void put_streams(GByteArray *out, const asc_program *p)
{
	put(out, p->streams->len, 8);
	for (guint s = 0; s < p->streams->len; s++) {
		const asc_stream *stream = p->streams->pdata[s];

		put(out, stream->kind, 1);
		put(out, (uint32_t)stream->sub, 4);
		put(out, (uint32_t)stream->block, 4);
		put(out, stream->insns->len, 8);
		for (guint i = 0; i < stream->insns->len; i++) {
			const asc_insn *insn = &g_array_index(stream->insns, asc_insn, i);

			put(out, insn->op, 2);
			put(out, insn->regs, 2);
			put(out, insn->node, 4);
			put(out, (uint64_t)insn->start, 8);
			put(out, (uint64_t)insn->end, 8);
			for (unsigned f = 0; f < asc_op((enum asc_op)insn->op)->fields; f++)
				put(out, (uint64_t)insn->f[f], 8);
		}
	}
}

static void put_images(GByteArray *out, const asc_program *p)
{
	put(out, p->images->len, 8);
	for (guint i = 0; i < p->images->len; i++) {
		const asc_image *image = &g_array_index(p->images, asc_image, i);
		bool has_data = image->data && image->bytes;

		put(out, image->address, 8);
		put(out, image->bytes, 8);
		put(out, has_data, 1);
		if (has_data)
			g_byte_array_append(out, image->data, (guint)image->bytes);
	}
}

static void put_tensors(GByteArray *out, const asc_program *p)
{
	put(out, p->tensors->len, 8);
	for (guint i = 0; i < p->tensors->len; i++) {
		const asc_tensor *t = &g_array_index(p->tensors, asc_tensor, i);

		put_text(out, t->name);
		put(out, t->type, 1);
		put(out, t->output, 1);
		put(out, t->address, 8);
		put(out, t->bytes, 8);
		put(out, t->rank, 4);
		for (uint32_t j = 0; j < t->rank; j++) {
			put(out, t->shape[j], 8);
			put(out, (uint64_t)t->stride[j], 8);
		}
	}
}

static void put_checksum(GByteArray *out)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[CHECKSUM_BYTES];
	gsize length = sizeof digest;

	g_checksum_update(sum, out->data, out->len);
	g_checksum_get_digest(sum, digest, &length);
	g_byte_array_append(out, digest, sizeof digest);
}

/* Byte arrays of GLib hold below 4 GiB. */
static bool fits(const asc_program *p)
{
	uint64_t bytes = 0;

	for (guint i = 0; i < p->images->len; i++) {
		const asc_image *image = &g_array_index(p->images, asc_image, i);

		bytes += image->data ? MIN(image->bytes, G_MAXUINT32) : 0;
	}
	for (guint i = 0; i < p->streams->len; i++) {
		const asc_stream *stream = p->streams->pdata[i];

		bytes += (uint64_t)stream->insns->len * sizeof(asc_insn);
	}
	return bytes < G_MAXUINT32 / 2;
}

/* All of a file but its checksum. */
static GByteArray *encode(const asc_program *program)
{
	GByteArray *out = g_byte_array_new();

	g_byte_array_append(out, (const guint8 *)magic, 4);
	put(out, VERSION, 4);
	put_text(out, program->machine_name);
	put_text(out, program->machine_text);
	put_text(out, program->workload);
	put(out, program->blocks, 4);
	put(out, program->macs, 8);
	put(out, program->vector_ops, 8);
	put(out, (uint64_t)program->predicted_cycles, 8);
	put_streams(out, program);
	put(out, program->nodes->len, 8);
	for (guint i = 0; i < program->nodes->len; i++)
		put_text(out, program->nodes->pdata[i]);
	put_images(out, program);
	put_tensors(out, program);
	return out;
}

char *asc_program_hash(const asc_program *program)
{
	g_autoptr(GByteArray) out = fits(program) ? encode(program) : NULL;

	return out ? g_compute_checksum_for_data(G_CHECKSUM_SHA256, out->data, out->len) : NULL;
}

bool asc_program_write(const asc_program *program, const char *path, GError **error)
{
	g_autoptr(GByteArray) out = NULL;

	if (!fits(program)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED, "%s: programs of 2 GiB and more are not written",
		            path);
		return false;
	}
	out = encode(program);
	put_checksum(out);
	return tsp_file_write(path, out->data, out->len, error);
}

typedef struct cursor {
	const char *path;
	const guint8 *data;
	size_t at, end;
	GError **error;
	bool failed;
} cursor;

static void damaged(cursor *c, size_t at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Records the first failure only; every read behind it gives zeros. */
static void damaged(cursor *c, size_t at, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	if (c->failed)
		return;
	c->failed = true;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(c->error, TSP_ERROR, TSP_ERROR_USER, "%s: damaged at offset %zu: %s", c->path, at, text);
}

/* The next BYTES bytes, or NULL. */
static const guint8 *take(cursor *c, uint64_t bytes)
{
	const guint8 *at = c->data + c->at;

	if (c->failed || bytes > c->end - c->at) {
		damaged(c, c->at, "the file ends too early");
		return NULL;
	}
	c->at += (size_t)bytes;
	return at;
}

static uint64_t get(cursor *c, unsigned bytes)
{
	const guint8 *raw = take(c, bytes);
	uint64_t value = 0;

	for (unsigned i = 0; raw && i < bytes; i++)
		value |= (uint64_t)raw[i] << 8 * i;
	return value;
}

/* A number of BYTES bytes that must lie below LIMIT. */
static uint64_t get_below(cursor *c, unsigned bytes, uint64_t limit, const char *what)
{
	size_t at = c->at;
	uint64_t value = get(c, bytes);

	if (value < limit)
		return value;
	damaged(c, at, "%s %" G_GUINT64_FORMAT ", expected less than %" G_GUINT64_FORMAT, what, value, limit);
	return 0;
}

/* How many elements of at least BYTES bytes follow? */
static uint64_t get_count(cursor *c, unsigned bytes, const char *what)
{
	size_t at = c->at;
	uint64_t count = get(c, 8);

	if (count <= (c->end - c->at) / bytes)
		return c->failed ? 0 : count;
	damaged(c, at, "%" G_GUINT64_FORMAT " %s do not fit the file", count, what);
	return 0;
}

static char *get_text(cursor *c)
{
	size_t at = c->at;
	uint64_t length = get(c, 4);
	const guint8 *text;

	if (length == G_MAXUINT32)
		return NULL;
	text = take(c, length);
	if (text && memchr(text, 0, (size_t)length))
		damaged(c, at, "a text with a zero byte");
	return text ? g_strndup((const char *)text, (gsize)length) : NULL;
}

static void get_insn(cursor *c, asc_stream *stream)
{
	asc_insn insn = {.op = (uint16_t)get_below(c, 2, ASC_OP_COUNT, "opcode")};
	const asc_op_info *info = asc_op((enum asc_op)insn.op);
	size_t at = c->at;

	insn.regs = (uint16_t)get(c, 2);
	if (insn.regs >> info->fields)
		damaged(c, at, "a register behind the last field");
	insn.node = (uint32_t)get(c, 4);
	insn.start = (int64_t)get(c, 8);
	insn.end = (int64_t)get(c, 8);
	for (unsigned f = 0; f < info->fields; f++) {
		at = c->at;
		insn.f[f] = (int64_t)get(c, 8);
		if (c->failed)
			return;
		if (insn.regs >> f & 1 ? insn.f[f] < 0 || insn.f[f] >= ASC_REGISTERS
		                       : insn.f[f] < info->field[f].min || insn.f[f] > info->field[f].max)
			damaged(c, at, "%s of %s is out of range", info->field[f].name, info->mnemonic);
	}
	if (!c->failed)
		g_array_append_val(stream->insns, insn);
}

static int32_t get_i32(cursor *c, const char *what)
{
	size_t at = c->at;
	int32_t value = (int32_t)(uint32_t)get(c, 4);

	if (value < ASC_ALL_BLOCKS)
		damaged(c, at, "%s %d", what, value);
	return value;
}

static void get_streams(cursor *c, asc_program *p)
{
	enum { INSN_BYTES = 24, STREAM_BYTES = 17 };
	uint64_t streams = get_count(c, STREAM_BYTES, "streams");

	for (uint64_t s = 0; s < streams && !c->failed; s++) {
		size_t at = c->at;
		enum asc_kind kind = (enum asc_kind)get_below(c, 1, ASC_KINDS, "kind of sub-core");
		int32_t sub = get_i32(c, "sub-core");
		int32_t block = get_i32(c, "block");
		uint64_t insns = get_count(c, INSN_BYTES, "instructions");
		asc_stream *stream = asc_program_stream(p, kind, sub, block);

		if (p->streams->len != s + 1)
			damaged(c, at, "a stream stands here twice");
		for (uint64_t i = 0; i < insns && !c->failed; i++)
			get_insn(c, stream);
	}
}

static void get_images(cursor *c, asc_program *p)
{
	uint64_t images = get_count(c, 17, "images");

	for (uint64_t i = 0; i < images && !c->failed; i++) {
		size_t at = c->at;
		asc_image image = {.address = get(c, 8)};
		const guint8 *data = NULL;
		bool has_data;

		image.bytes = get(c, 8);
		has_data = get_below(c, 1, 2, "flag");
		if (image.address > INT64_MAX || image.bytes > INT64_MAX - image.address)
			damaged(c, at, "an image beyond 63 bits of address");
		if (has_data && image.bytes == 0)
			damaged(c, at, "data of no bytes");
		if (has_data && !c->failed)
			data = take(c, image.bytes);
		if (data)
			image.data = g_memdup2(data, (gsize)image.bytes);
		g_array_append_val(p->images, image);
	}
}

static void get_tensors(cursor *c, asc_program *p)
{
	uint64_t tensors = get_count(c, 26, "tensors");

	for (uint64_t i = 0; i < tensors && !c->failed; i++) {
		asc_tensor t = {.name = get_text(c)};

		if (!t.name)
			t.name = g_strdup("");
		t.type = (enum asc_type)get_below(c, 1, ASC_TYPES, "type");
		t.output = get_below(c, 1, 2, "flag");
		t.address = get_below(c, 8, (uint64_t)INT64_MAX + 1, "address");
		t.bytes = get_below(c, 8, (uint64_t)INT64_MAX + 1, "bytes");
		t.rank = (uint32_t)get_below(c, 4, ASC_RANK_MAX + 1, "rank");
		for (uint32_t j = 0; j < t.rank; j++) {
			t.shape[j] = get_below(c, 8, (uint64_t)INT64_MAX + 1, "dimension");
			t.stride[j] = (int64_t)get(c, 8);
		}
		g_array_append_val(p->tensors, t);
	}
}

static void get_program(cursor *c, asc_program *p)
{
	uint64_t nodes;
	size_t at;

	p->machine_name = get_text(c);
	p->machine_text = get_text(c);
	p->workload = get_text(c);
	at = c->at;
	p->blocks = (uint32_t)get_below(c, 4, (uint64_t)G_MAXINT32 + 1, "blocks");
	if (p->blocks == 0)
		damaged(c, at, "no blocks");
	p->macs = get_below(c, 8, (uint64_t)INT64_MAX + 1, "MACs");
	p->vector_ops = get_below(c, 8, (uint64_t)INT64_MAX + 1, "vector operations");
	at = c->at;
	p->predicted_cycles = (int64_t)get(c, 8);
	if (p->predicted_cycles < -1)
		damaged(c, at, "predicted cycles %" G_GINT64_FORMAT, p->predicted_cycles);
	get_streams(c, p);
	nodes = get_count(c, 4, "nodes");
	for (uint64_t i = 0; i < nodes && !c->failed; i++) {
		char *name = get_text(c);

		g_ptr_array_add(p->nodes, name ? name : g_strdup(""));
	}
	get_images(c, p);
	get_tensors(c, p);
	if (!c->failed && c->at != c->end)
		damaged(c, c->at, "%zu bytes too many", c->end - c->at);
}

/* Magic, version and checksum. */
static bool check_frame(const char *path, const guint8 *data, size_t length, GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[CHECKSUM_BYTES];
	gsize digest_length = sizeof digest;
	const char *wrong = NULL;

	if (length < FRAME_BYTES + CHECKSUM_BYTES || memcmp(data, magic, 4) != 0)
		wrong = "not an Ascend-style program";
	else if (data[4] != VERSION || data[5] || data[6] || data[7])
		wrong = "written by another version of tspsim";
	if (!wrong) {
		g_checksum_update(sum, data, (gssize)(length - CHECKSUM_BYTES));
		g_checksum_get_digest(sum, digest, &digest_length);
		if (memcmp(digest, data + length - CHECKSUM_BYTES, CHECKSUM_BYTES) != 0)
			wrong = "damaged: the checksum does not match";
	}
	if (wrong)
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: %s", path, wrong);
	return !wrong;
}

asc_program *asc_program_parse(const char *path, const guint8 *data, size_t length, bool checked, GError **error)
{
	cursor c = {.path = path, .data = data, .at = FRAME_BYTES, .error = error};
	asc_program *p;

	if (checked && !check_frame(path, data, length, error))
		return NULL;
	if (length < FRAME_BYTES + CHECKSUM_BYTES) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: not an Ascend-style program", path);
		return NULL;
	}
	c.end = length - CHECKSUM_BYTES;
	p = asc_program_new();
	get_program(&c, p);
	if (!c.failed)
		return p;
	asc_program_free(p);
	return NULL;
}

asc_program *asc_program_read(const char *path, GError **error)
{
	gsize length;
	g_autofree char *text = tsp_file_read(path, &length, error);

	return text ? asc_program_parse(path, (const guint8 *)text, length, true, error) : NULL;
}
