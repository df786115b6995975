/* SPDX-License-Identifier: Apache-2.0
 *
 * The container as a file (suffix .tspo), little-endian:
 *   "TSPO", u32 version, then the sections of ISA_SECTIONS in their order, each tag, u64 length, payload;
 *   at the end the SHA-256 of all before it.
 * Texts are u32 length and bytes; arrays are u64 count and elements.  Pieces of operands' sources are written
 * instruction by instruction, so two containers of the same content are the same bytes.  Reading is in
 * isa/container_read.c.
 */
#include "isa/program_int.h"

#include <string.h>

#include "isa/file.h"

static void put(GByteArray *out, uint64_t value, unsigned bytes)
{
	guint8 raw[8];

	for (unsigned i = 0; i < bytes; i++)
		raw[i] = (guint8)(value >> 8 * i);
	g_byte_array_append(out, raw, bytes);
}

/* The same into raw memory; the place behind it. */
static inline guint8 *store(guint8 *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (guint8)(value >> 8 * i);
	return at + bytes;
}

static void put_text(GByteArray *out, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	put(out, length, 4);
	g_byte_array_append(out, (const guint8 *)text, (guint)length);
}

static void put_double(GByteArray *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	put(out, bits, 8);
}

static void write_head(GByteArray *out, const isa_program *p)
{
	put_text(out, p->machine_name);
	put_text(out, p->machine_text);
	put_text(out, p->workload);
	put(out, (uint64_t)p->predicted_cycles + 1, 8); /* unknown is -1 */
	put(out, p->has_predictions, 1);
}

static void write_epochs(GByteArray *out, const isa_program *p)
{
	put(out, p->epochs->len, 8);
	for (guint i = 0; i < p->epochs->len; i++) {
		const isa_epoch *e = &g_array_index(p->epochs, isa_epoch, i);
		guint images = e->images ? e->images->len : 0;

		put_text(out, e->name);
		put(out, (uint64_t)e->start, 8);
		put(out, (uint64_t)e->end, 8);
		put(out, e->macs, 8);
		put(out, e->vxm_ops, 8);
		put_double(out, e->mxm_ceiling);
		put(out, e->graph, 4);
		put(out, images, 8);
		for (guint j = 0; j < images; j++) {
			const isa_image *image = &g_array_index(e->images, isa_image, j);
			bool has_data = image->data && image->bytes;

			put(out, image->location, 8);
			put(out, image->bytes, 8);
			put(out, has_data, 1);
			if (has_data)
				g_byte_array_append(out, image->data, (guint)image->bytes);
		}
	}
}

static void write_nodes(GByteArray *out, const isa_program *p)
{
	put(out, p->nodes->len, 8);
	for (guint i = 0; i < p->nodes->len; i++) {
		const isa_node *node = &g_array_index(p->nodes, isa_node, i);

		put_text(out, node->name);
		put(out, node->epoch, 4);
	}
}

static void write_maps(GByteArray *out, const isa_program *p)
{
	put(out, p->maps->len, 8);
	for (guint i = 0; i < p->maps->len; i++)
		for (int lane = 0; lane < 320; lane++)
			put(out, g_array_index(p->maps, isa_lane_map, i).lane[lane], 2);
}

static void write_tensors(GByteArray *out, const isa_program *p)
{
	put(out, p->tensors->len, 8);
	for (guint i = 0; i < p->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(p->tensors, isa_tensor, i);

		put_text(out, t->name);
		put(out, t->type, 1);
		put(out, t->output, 1);
		put(out, t->epoch, 4);
		put(out, t->base, 8);
		put(out, t->bytes, 8);
		put(out, t->rank, 4);
		for (uint32_t j = 0; j < t->rank; j++)
			put(out, t->shape[j], 8);
		put(out, t->terms, 4);
		for (uint32_t j = 0; j < t->terms; j++) {
			put(out, t->term[j].dim, 4);
			put(out, t->term[j].div, 8);
			put(out, t->term[j].mod, 8);
			put(out, (uint64_t)t->term[j].stride, 8);
		}
	}
}

static void write_buffers(GByteArray *out, const isa_program *p)
{
	put(out, p->buffers->len, 8);
	for (guint i = 0; i < p->buffers->len; i++) {
		const isa_buffer *b = &g_array_index(p->buffers, isa_buffer, i);

		put_text(out, b->name);
		put_text(out, b->map);
		put(out, b->epoch, 4);
		put(out, b->base, 8);
		put(out, b->bytes, 8);
	}
}

unsigned isa_insn_extras(const isa_insn *insn)
{
	unsigned extras = 0;

	for (unsigned i = 0; i < ISA_LOOPS; i++)
		if (insn->loop[i].count != 1 || insn->loop[i].interval || insn->loop[i].step)
			extras |= 1u << i;
	for (int i = 0; i < ISA_ROT_COUNT; i++)
		if (insn->rot[i].step || insn->rot[i].wrap)
			extras |= ISA_EXTRA_ROTATIONS;
	return extras;
}

/* An instruction is its queue word, where and when it stands, and what of its loops and rotations is not neutral. */
static void write_insns(GByteArray *out, const isa_program *p)
{
	put(out, p->insns->len, 8);
	for (uint32_t id = 0; id < p->insns->len; id++) {
		const isa_insn *insn = isa_program_insn(p, id);
		unsigned extras = isa_insn_extras(insn);
		isa_word word = {0, 0};
		guint8 raw[ISA_INSN_BYTES_MAX];
		guint8 *at = raw;

		isa_encode(insn, &word,
		           NULL); /* isa_insn_problem() has asked; for the hash of what has one, anything does */
		at = store(at, word.lo, 8);
		at = store(at, word.hi, 8);
		at = store(at, (uint64_t)insn->cycle, 8);
		at = store(at, insn->queue, 2);
		at = store(at, g_array_index(p->node_of, uint32_t, id), 4);
		at = store(at, extras, 1);
		for (int i = 0; i < ISA_LOOPS; i++) {
			if (!(extras >> i & 1))
				continue;
			at = store(at, insn->loop[i].count, 4);
			at = store(at, insn->loop[i].interval, 4);
			at = store(at, (uint32_t)insn->loop[i].step, 4);
		}
		for (int i = 0; (extras & ISA_EXTRA_ROTATIONS) && i < ISA_ROT_COUNT; i++) {
			at = store(at, (uint8_t)insn->rot[i].step, 1);
			at = store(at, insn->rot[i].wrap, 2);
		}
		g_byte_array_append(out, raw, (guint)(at - raw));
	}
}

static void write_sources(GByteArray *out, const isa_program *p)
{
	for (guint at = 0; at < p->source_count->len; at++) {
		uint8_t count = g_array_index(p->source_count, uint8_t, at);

		put(out, count, 1);
		for (uint8_t i = 0; i < count; i++) {
			const isa_source *s = &g_array_index(p->sources, isa_source,
			                                     g_array_index(p->first_source, uint32_t, at) + i);
			guint8 raw[ISA_SOURCE_BYTES];
			guint8 *end = raw;

			end = store(end, s->base, 4);
			end = store(end, (uint32_t)s->step0, 4);
			end = store(end, (uint32_t)s->step1, 4);
			end = store(end, (uint32_t)s->seg_step, 4);
			end = store(end, s->seg_div, 2);
			end = store(end, s->segments, 2);
			end = store(end, s->resident, 1);
			g_byte_array_append(out, raw, (guint)(end - raw));
		}
	}
}

static void write_predictions(GByteArray *out, const isa_program *p)
{
	for (guint i = 0; i < p->predictions->len; i++) {
		const isa_prediction *prediction = &g_array_index(p->predictions, isa_prediction, i);
		guint8 raw[ISA_PREDICTION_BYTES];
		guint8 *at = raw;

		for (int j = 0; j < ISA_OPERANDS; j++)
			at = store(at, (uint32_t)prediction->arrival[j], 4);
		at = store(at, (uint32_t)prediction->result, 4);
		at = store(at, (uint32_t)prediction->beats, 4);
		g_byte_array_append(out, raw, (guint)(at - raw));
	}
}

static void write_queues(GByteArray *out, const isa_program *p)
{
	put(out, p->queues->len, 8);
	for (guint q = 0; q < p->queues->len; q++) {
		const GArray *words = g_ptr_array_index(p->queues, q);
		const GArray *ids = g_ptr_array_index(p->queue_insns, q);

		put(out, words->len, 8);
		for (guint i = 0; i < words->len; i++) {
			guint8 raw[16];

			store(store(raw, g_array_index(words, isa_word, i).lo, 8), g_array_index(words, isa_word, i).hi,
			      8);
			g_byte_array_append(out, raw, sizeof raw);
		}
		put(out, ids->len, 8);
		for (guint i = 0; i < ids->len; i++)
			put(out, g_array_index(ids, uint32_t, i), 4);
	}
}

static const struct section {
	char tag[5];
	bool hashed; /* part of isa_program_hash() */
	void (*write)(GByteArray *out, const isa_program *p);
} sections[] = {
#define SECTION(tag, id, hashed) {tag, hashed, write_##id},
	ISA_SECTIONS(SECTION)
#undef SECTION
};

static GByteArray *serialise(const isa_program *program, const struct section *section)
{
	GByteArray *out = g_byte_array_new();

	section->write(out, program);
	return out;
}

char *isa_program_hash(const isa_program *program)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
		if (sections[i].hashed) {
			g_autoptr(GByteArray) payload = serialise(program, &sections[i]);

			g_checksum_update(sum, payload->data, payload->len);
		}
	return g_strdup(g_checksum_get_string(sum));
}

char *isa_insn_problem(const isa_program *p, const isa_insn *insn)
{
	g_autoptr(GError) cause = NULL;
	isa_word word;

	if (insn->cycle < 0 || insn->cycle >= ISA_CYCLE_MAX)
		return g_strdup_printf("cycle %" G_GINT64_FORMAT, insn->cycle);
	if (insn->op == ISA_OP_NOP || insn->op == ISA_OP_REPEAT)
		return g_strdup("nop and repeat do not stand in a container");
	if (!isa_encode(insn, &word, &cause) || (isa_insn_extras(insn) && (!isa_encode_repeat(insn, 0, &word, &cause) ||
	                                                                   !isa_encode_repeat(insn, 1, &word, &cause))))
		return g_strdup(cause->message);
	if (insn->map && insn->map >= p->maps->len)
		return g_strdup_printf("map %u of %u", insn->map, p->maps->len);
	if (insn->buffer > p->buffers->len)
		return g_strdup_printf("buffer %u of %u", insn->buffer, p->buffers->len);
	return NULL;
}

/* Would a reader refuse this container? */
static bool check_before_writing(const isa_program *p, const char *path, GError **error)
{
	for (uint32_t id = 0; id < p->insns->len; id++) {
		g_autofree char *problem = isa_insn_problem(p, isa_program_insn(p, id));
		uint32_t node = g_array_index(p->node_of, uint32_t, id);

		if (!problem && node >= MAX(p->nodes->len, 1))
			problem = g_strdup_printf("node %u of %u", node, p->nodes->len);
		if (problem) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: instruction %u: %s", path, id, problem);
			return false;
		}
	}
	for (uint32_t i = 0; i < p->nodes->len; i++)
		if (g_array_index(p->nodes, isa_node, i).epoch >= MAX(p->epochs->len, 1)) {
			g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s: node %u names an epoch that does not exist",
			            path, i);
			return false;
		}
	return true;
}

bool isa_program_write(const isa_program *program, const char *path, GError **error)
{
	g_autoptr(GByteArray) file = g_byte_array_new();
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[ISA_DIGEST_BYTES];
	gsize digest_bytes = ISA_DIGEST_BYTES;

	if (!check_before_writing(program, path, error))
		return false;
	g_byte_array_append(file, (const guint8 *)ISA_MAGIC, 4);
	put(file, ISA_CONTAINER_VERSION, 4);
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		g_autoptr(GByteArray) payload = serialise(program, &sections[i]);

		g_byte_array_append(file, (const guint8 *)sections[i].tag, 4);
		put(file, payload->len, 8);
		g_byte_array_append(file, payload->data, payload->len);
	}
	g_checksum_update(sum, file->data, file->len);
	g_checksum_get_digest(sum, digest, &digest_bytes);
	g_byte_array_append(file, digest, ISA_DIGEST_BYTES);
	return tsp_file_write(path, file->data, file->len, error);
}
