/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the file that isa/container.c writes.  Nothing in it is trusted: the frame and the checksum are looked at
 * first, every length is checked before it is used, every index against its table, every instruction must be encodable.
 * An error names the offset.
 */
#include "isa/program_int.h"

#include <string.h>

#include "isa/file.h"

typedef struct cursor {
	const char *path;
	const guint8 *data;
	size_t at;
	size_t end; /* of the section */
	GError **error;
	bool failed;
} cursor;

static bool damaged(cursor *c, size_t at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Records the first failure only. */
static bool damaged(cursor *c, size_t at, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	if (c->failed)
		return false;
	c->failed = true;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(c->error, TSP_ERROR, TSP_ERROR_USER, "%s: damaged at offset %zu: %s", c->path, at, text);
	return false;
}

/* The next BYTES bytes, or NULL. */
static const guint8 *take(cursor *c, uint64_t bytes)
{
	const guint8 *at = c->data + c->at;

	if (c->failed || bytes > c->end - c->at) {
		damaged(c, c->at, "the section ends too early");
		return NULL;
	}
	c->at += (size_t)bytes;
	return at;
}

static inline uint64_t get(cursor *c, unsigned bytes)
{
	uint64_t value = 0;

	if (c->failed || bytes > c->end - c->at) {
		take(c, bytes); /* says so */
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)c->data[c->at + i] << 8 * i;
	c->at += bytes;
	return value;
}

static int32_t get_i32(cursor *c)
{
	return (int32_t)(uint32_t)get(c, 4);
}

/* A number of BYTES bytes that must lie below LIMIT. */
static uint64_t get_below(cursor *c, unsigned bytes, uint64_t limit, const char *what)
{
	size_t at = c->at;
	uint64_t value = get(c, bytes);

	if (c->failed)
		return 0;
	if (value >= limit)
		damaged(c, at, "%s %" G_GUINT64_FORMAT ", expected less than %" G_GUINT64_FORMAT, what, value, limit);
	return c->failed ? 0 : value;
}

/* How many elements of at least BYTES bytes follow? */
static uint64_t get_count(cursor *c, unsigned bytes, const char *what)
{
	size_t at = c->at;
	uint64_t count = get(c, 8);

	if (c->failed)
		return 0;
	if (count > (c->end - c->at) / bytes || count > G_MAXUINT32 / 2)
		damaged(c, at, "%" G_GUINT64_FORMAT " %s do not fit the section", count, what);
	return c->failed ? 0 : count;
}

static char *get_text(cursor *c)
{
	size_t at = c->at;
	uint64_t length = get(c, 4);
	const guint8 *text = take(c, length);

	if (text && memchr(text, 0, (size_t)length))
		damaged(c, at, "a text with a zero byte");
	return text ? g_strndup((const char *)text, (gsize)length) : g_strdup("");
}

static void read_head(cursor *c, isa_program *p)
{
	p->machine_name = get_text(c);
	p->machine_text = get_text(c);
	p->workload = get_text(c);
	p->predicted_cycles = (int64_t)(get_below(c, 8, (uint64_t)ISA_NUMBER_MAX + 1, "predicted cycles + 1") - 1);
	p->has_predictions = get_below(c, 1, 2, "flag");
}

static void read_image(cursor *c, isa_epoch *epoch)
{
	isa_image image = {0};
	size_t at;
	bool has_data;

	image.location = get_below(c, 8, ISA_NUMBER_MAX, "location");
	at = c->at;
	image.bytes = get_below(c, 8, ISA_NUMBER_MAX, "image bytes");
	has_data = get_below(c, 1, 2, "flag");
	if (has_data && image.bytes == 0)
		damaged(c, at, "an image with data has no bytes");
	if (has_data) {
		const guint8 *data = take(c, image.bytes);

		if (data)
			image.data = g_memdup2(data, (gsize)image.bytes);
	}
	g_array_append_val(epoch->images, image);
}

static void read_epochs(cursor *c, isa_program *p)
{
	uint64_t count = get_count(c, 56, "epochs");

	for (uint64_t i = 0; i < count && !c->failed; i++) {
		isa_epoch epoch = {.name = get_text(c), .images = g_array_new(FALSE, TRUE, sizeof(isa_image))};
		uint64_t ceiling, images;

		epoch.start = (int64_t)get_below(c, 8, ISA_NUMBER_MAX, "epoch start");
		epoch.end = (int64_t)get_below(c, 8, ISA_NUMBER_MAX, "epoch end");
		epoch.macs = get(c, 8);
		epoch.vxm_ops = get(c, 8);
		ceiling = get(c, 8);
		memcpy(&epoch.mxm_ceiling, &ceiling, sizeof ceiling);
		epoch.graph = (uint32_t)get(c, 4);
		images = get_count(c, 17, "images");
		for (uint64_t j = 0; j < images && !c->failed; j++)
			read_image(c, &epoch);
		g_array_append_val(p->epochs, epoch);
	}
}

static void read_nodes(cursor *c, isa_program *p)
{
	uint64_t count = get_count(c, 8, "nodes");

	for (uint64_t i = 0; i < count && !c->failed; i++) {
		isa_node node = {.name = get_text(c)};

		node.epoch = (uint32_t)get_below(c, 4, MAX(p->epochs->len, 1), "epoch");
		g_array_append_val(p->nodes, node);
	}
}

static void read_maps(cursor *c, isa_program *p)
{
	uint64_t count = get_count(c, 640, "maps");

	for (uint64_t i = 0; i < count && !c->failed; i++) {
		isa_lane_map map;

		for (int lane = 0; lane < 320; lane++) {
			size_t at = c->at;

			map.lane[lane] = (uint16_t)get(c, 2);
			if (!c->failed && map.lane[lane] >= 320 && map.lane[lane] != 0xffff)
				damaged(c, at, "map entry %u is no lane", map.lane[lane]);
		}
		g_array_append_val(p->maps, map);
	}
}

static void read_tensors(cursor *c, isa_program *p)
{
	uint64_t count = get_count(c, 34, "tensors");

	for (uint64_t i = 0; i < count && !c->failed; i++) {
		isa_tensor t = {.name = get_text(c)};

		t.type = (enum isa_type)get_below(c, 1, ISA_TYPE_COUNT, "type");
		t.output = get_below(c, 1, 2, "flag");
		t.epoch = (uint32_t)get_below(c, 4, MAX(p->epochs->len, 1), "epoch");
		t.base = get_below(c, 8, ISA_NUMBER_MAX, "tensor base");
		t.bytes = get_below(c, 8, ISA_NUMBER_MAX, "tensor bytes");
		t.rank = (uint32_t)get_below(c, 4, ISA_RANK_MAX + 1, "rank");
		for (uint32_t j = 0; j < t.rank; j++)
			t.shape[j] = get_below(c, 8, ISA_NUMBER_MAX, "extent");
		t.terms = (uint32_t)get_below(c, 4, ISA_LAYOUT_TERMS + 1, "number of layout terms");
		for (uint32_t j = 0; j < t.terms; j++) {
			t.term[j].dim = (uint32_t)get_below(c, 4, t.rank + 1, "dimension");
			t.term[j].div = get(c, 8);
			t.term[j].mod = get(c, 8);
			t.term[j].stride = (int64_t)get(c, 8);
		}
		g_array_append_val(p->tensors, t);
	}
}

static void read_buffers(cursor *c, isa_program *p)
{
	uint64_t count = get_below(c, 8, ISA_BUFFERS_MAX + 1, "number of buffers");

	for (uint64_t i = 0; i < count && !c->failed; i++) {
		isa_buffer b = {.name = get_text(c)};

		b.map = get_text(c);
		b.epoch = (uint32_t)get_below(c, 4, MAX(p->epochs->len, 1), "epoch");
		b.base = get_below(c, 8, ISA_NUMBER_MAX, "buffer base");
		b.bytes = get_below(c, 8, ISA_NUMBER_MAX, "buffer bytes");
		g_array_append_val(p->buffers, b);
	}
}

static void read_insn(cursor *c, isa_program *p)
{
	size_t at = c->at;
	isa_insn insn = isa_insn_make(ISA_OP_SYNC, 0, 0);
	isa_word word;
	uint32_t node;
	unsigned extras;
	g_autofree char *problem = NULL;

	word.lo = get(c, 8);
	word.hi = get(c, 8);
	if (!c->failed && !isa_decode(word, &insn))
		damaged(c, at, "instruction %u: no legal instruction word", p->insns->len);
	insn.cycle = (int64_t)get(c, 8);
	insn.queue = (uint16_t)get(c, 2);
	node = (uint32_t)get_below(c, 4, MAX(p->nodes->len, 1), "node");
	extras = (unsigned)get_below(c, 1, 2 * ISA_EXTRA_ROTATIONS, "flags");
	for (int i = 0; i < ISA_LOOPS; i++) {
		if (!(extras >> i & 1))
			continue;
		insn.loop[i].count = (uint32_t)get(c, 4);
		insn.loop[i].interval = (uint32_t)get(c, 4);
		insn.loop[i].step = get_i32(c);
	}
	for (int i = 0; (extras & ISA_EXTRA_ROTATIONS) && i < ISA_ROT_COUNT; i++) {
		insn.rot[i].step = (int8_t)(uint8_t)get(c, 1);
		insn.rot[i].wrap = (uint16_t)get(c, 2);
	}
	if (c->failed)
		return;
	problem = isa_insn_problem(p, &insn);
	if (problem)
		damaged(c, at, "instruction %u: %s", p->insns->len, problem);
	else
		isa_program_add(p, &insn, node);
}

static void read_insns(cursor *c, isa_program *p)
{
	uint64_t count = get_count(c, ISA_INSN_BYTES, "instructions");

	for (uint64_t i = 0; i < count && !c->failed; i++)
		read_insn(c, p);
}

static void read_sources(cursor *c, isa_program *p)
{
	for (uint32_t at = 0; at < p->source_count->len && !c->failed; at++) {
		uint64_t count = get(c, 1);

		for (uint64_t i = 0; i < count && !c->failed; i++) {
			size_t offset = c->at;
			isa_source s;

			s.base = (uint32_t)get(c, 4);
			s.step0 = get_i32(c);
			s.step1 = get_i32(c);
			s.seg_step = get_i32(c);
			s.seg_div = (uint16_t)get(c, 2);
			s.segments = (uint16_t)get(c, 2);
			s.resident = get_below(c, 1, 2, "flag");
			if (!c->failed && !s.seg_div)
				damaged(c, offset, "a source with segment divisor 0");
			if (!c->failed)
				isa_program_add_source(p, at / ISA_OPERANDS, at % ISA_OPERANDS, &s);
		}
	}
}

static void read_predictions(cursor *c, isa_program *p)
{
	for (uint32_t id = 0; p->has_predictions && id < p->insns->len && !c->failed; id++) {
		isa_prediction prediction;

		for (int j = 0; j < ISA_OPERANDS; j++)
			prediction.arrival[j] = get_i32(c);
		prediction.result = get_i32(c);
		prediction.beats = get_i32(c);
		isa_program_set_prediction(p, id, &prediction);
	}
}

static bool is_real_word(isa_word word)
{
	unsigned opcode = word.lo & 255;

	return opcode != ISA_OP_NOP + 1 && opcode != ISA_OP_REPEAT + 1;
}

static void read_queue(cursor *c, isa_program *p)
{
	GArray *words = g_array_new(FALSE, FALSE, sizeof(isa_word));
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint64_t count, real = 0;
	size_t at;

	g_ptr_array_add(p->queues, words);
	g_ptr_array_add(p->queue_insns, ids);
	count = get_count(c, sizeof(isa_word), "words");
	for (uint64_t i = 0; i < count && !c->failed; i++) {
		isa_insn insn = isa_insn_make(ISA_OP_NOP, 0, 0);
		isa_word word;

		at = c->at;
		word.lo = get(c, 8);
		word.hi = get(c, 8);
		if (!c->failed && !isa_decode(word, &insn))
			damaged(c, at, "no legal instruction word");
		real += is_real_word(word);
		g_array_append_val(words, word);
	}
	at = c->at;
	count = get_count(c, 4, "instruction numbers");
	if (!c->failed && count != real)
		damaged(c, at, "%" G_GUINT64_FORMAT " instruction numbers for %" G_GUINT64_FORMAT " words", count,
		        real);
	for (uint64_t i = 0; i < count && !c->failed; i++) {
		uint32_t id = (uint32_t)get_below(c, 4, p->insns->len, "instruction number");

		g_array_append_val(ids, id);
	}
}

static void read_queues(cursor *c, isa_program *p)
{
	uint64_t count = get_count(c, 16, "queues");

	for (uint64_t q = 0; q < count && !c->failed; q++)
		read_queue(c, p);
	for (uint32_t id = 0; count && id < p->insns->len && !c->failed; id++)
		if (isa_program_insn(p, id)->queue >= count)
			damaged(c, c->at, "instruction %u stands in queue %u of %" G_GUINT64_FORMAT, id,
			        isa_program_insn(p, id)->queue, count);
}

static const struct section {
	char tag[5];
	void (*read)(cursor *c, isa_program *p);
} sections[] = {
#define SECTION(tag, id, hashed) {tag, read_##id},
	ISA_SECTIONS(SECTION)
#undef SECTION
};

static bool check_digest(cursor *c, size_t end)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[ISA_DIGEST_BYTES];
	gsize digest_bytes = ISA_DIGEST_BYTES;

	g_checksum_update(sum, c->data, (gssize)end);
	g_checksum_get_digest(sum, digest, &digest_bytes);
	return memcmp(digest, c->data + end, ISA_DIGEST_BYTES) == 0 || damaged(c, end, "the checksum does not match");
}

/* Walks the sections of a file of LENGTH bytes; reads them into P when that is not NULL, else checks their frames only.
 */
static bool walk_sections(cursor *c, size_t length, isa_program *p)
{
	size_t limit = length - ISA_DIGEST_BYTES;

	c->at = ISA_MAGIC_BYTES;
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		size_t start = c->at;
		uint64_t bytes;

		c->end = limit;
		if (limit - start < ISA_SECTION_HEAD_BYTES)
			return damaged(c, start, "section %s is missing", sections[i].tag);
		if (memcmp(c->data + start, sections[i].tag, 4) != 0)
			return damaged(c, start, "expected section %s", sections[i].tag);
		c->at += 4;
		bytes = get(c, 8);
		if (bytes > limit - c->at)
			return damaged(c, start, "section %s ends beyond the file", sections[i].tag);
		c->end = c->at + (size_t)bytes;
		if (p)
			sections[i].read(c, p);
		else
			c->at = c->end;
		if (c->failed)
			return false;
		if (c->at != c->end)
			return damaged(c, c->at, "section %s is longer than its content", sections[i].tag);
	}
	return c->at == limit || damaged(c, c->at, "bytes after the last section");
}

isa_program *isa_program_parse(const char *path, const void *data, size_t length, GError **error)
{
	cursor c = {.path = path, .data = data, .end = length, .error = error};
	isa_program *p;

	if (length < 4 || memcmp(data, ISA_MAGIC, 4) != 0) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: not a program container (offset 0: expected \"%s\")",
		            path, ISA_MAGIC);
		return NULL;
	}
	c.at = 4;
	if (get(&c, 4) != ISA_CONTAINER_VERSION && !c.failed)
		damaged(&c, 4, "container version is not %d", ISA_CONTAINER_VERSION);
	if (!c.failed && length < ISA_MAGIC_BYTES + ISA_DIGEST_BYTES)
		damaged(&c, length, "the file ends too early");
	if (c.failed || !walk_sections(&c, length, NULL) || !check_digest(&c, length - ISA_DIGEST_BYTES))
		return NULL;
	p = isa_program_blank();
	if (!walk_sections(&c, length, p)) {
		isa_program_free(p);
		return NULL;
	}
	return p;
}

isa_program *isa_program_read(const char *path, GError **error)
{
	gsize length;
	g_autofree char *data = tsp_file_read(path, &length, error);

	return data ? isa_program_parse(path, data, length, error) : NULL;
}
