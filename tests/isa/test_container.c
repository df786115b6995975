/* SPDX-License-Identifier: Apache-2.0
 *
 * Container files: content survives, damage of any kind is found and named, nothing in a file is trusted.
 */
#include <glib/gstdio.h>

#include "isa/program_int.h"
#include "tests/isa/sample.h"
#include "tests/isa/support.h"

static char *temporary_file(void)
{
	g_autoptr(GError) error = NULL;
	char *path = NULL;
	int fd = g_file_open_tmp("tspsim-XXXXXX.tspo", &path, &error);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	g_close(fd, NULL);
	return path;
}

/* The sample, lowered; the machine's description is cut short to keep the file small. */
static isa_program *sample(const isa_machine *m)
{
	GError *error = NULL;
	isa_program *p = isa_assemble(sample_text, "sample", m, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	g_free(p->machine_text);
	p->machine_text = g_strdup("lanes = 320\n");
	CU_ASSERT_TRUE_FATAL(isa_lower(p, m, &error));
	return p;
}

static isa_program *through_a_file(const isa_program *p)
{
	g_autofree char *path = temporary_file();
	GError *error = NULL;
	isa_program *back;

	CU_ASSERT_TRUE_FATAL(isa_program_write(p, path, &error));
	back = isa_program_read(path, &error);
	if (!back)
		tap_note("%s", error->message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	g_unlink(path);
	return back;
}

static void expect_same(const isa_program *a, const isa_program *b, const isa_machine *m)
{
	g_autofree char *text_a = isa_disassemble(a, m);
	g_autofree char *text_b = isa_disassemble(b, m);
	g_autofree char *hash_a = isa_program_hash(a);
	g_autofree char *hash_b = isa_program_hash(b);

	CU_ASSERT_STRING_EQUAL(text_a, text_b);
	CU_ASSERT_STRING_EQUAL(hash_a, hash_b);
	CU_ASSERT_STRING_EQUAL(a->machine_name, b->machine_name);
	CU_ASSERT_STRING_EQUAL(a->machine_text, b->machine_text);
	CU_ASSERT_EQUAL_FATAL(a->queues->len, b->queues->len);
	for (guint q = 0; q < a->queues->len; q++) {
		const GArray *words_a = g_ptr_array_index(a->queues, q), *words_b = g_ptr_array_index(b->queues, q);
		const GArray *ids_a = g_ptr_array_index(a->queue_insns, q),
			     *ids_b = g_ptr_array_index(b->queue_insns, q);

		CU_ASSERT_EQUAL_FATAL(words_a->len, words_b->len);
		CU_ASSERT_EQUAL_FATAL(ids_a->len, ids_b->len);
		if (words_a->len)
			CU_ASSERT_EQUAL(memcmp(words_a->data, words_b->data, words_a->len * sizeof(isa_word)), 0);
		if (ids_a->len)
			CU_ASSERT_EQUAL(memcmp(ids_a->data, ids_b->data, ids_a->len * sizeof(uint32_t)), 0);
	}
	for (uint32_t id = 0; id < a->insns->len; id++)
		CU_ASSERT_EQUAL(isa_program_instance(a, id), isa_program_instance(b, id));
}

static void everything_survives_a_file(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = sample(m);
	isa_program *back = through_a_file(p);

	CU_ASSERT_EQUAL(back->queues->len, 42);
	CU_ASSERT_TRUE(back->has_predictions);
	expect_same(p, back, m);
	isa_program_free(back);
	isa_program_free(p);
	isa_machine_free(m);
}

static void empty_programs_survive_a_file(void)
{
	isa_machine *m = machine("tsp-isca20");
	isa_program *p = isa_program_new(m);
	isa_program *back = through_a_file(p);

	expect_same(p, back, m);
	CU_ASSERT_EQUAL(back->predicted_cycles, -1);
	CU_ASSERT_TRUE(strstr(back->machine_text, "icu.barrier_cycles = 35 cycles  [assumed; design]\n") != NULL);
	isa_program_free(back);
	isa_program_free(p);
	isa_machine_free(m);
}

/* Pieces of operands that were added in another order are the same content. */
static void order_of_adding_sources_does_not_change_the_hash(void)
{
	isa_machine *m = machine("tsp");
	isa_source piece[2] = {{.base = 1, .segments = 1, .seg_div = 1}, {.base = 2, .seg_div = 1}};
	char *hash[2];

	for (int order = 0; order < 2; order++) {
		isa_program *p = isa_program_new(m);
		isa_insn insn = isa_insn_make(ISA_OP_SEND, queue(m, "c2c.0"), 0);

		insn.src0 = 1;
		for (uint32_t i = 0; i < 2; i++) {
			insn.cycle = i;
			isa_program_add(p, &insn, 0);
		}
		for (uint32_t i = 0; i < 4; i++)
			isa_program_add_source(p, order ? i % 2 : i / 2, 0, &piece[order ? i / 2 : i % 2]);
		hash[order] = isa_program_hash(p);
		isa_program_free(p);
	}
	CU_ASSERT_STRING_EQUAL(hash[0], hash[1]);
	g_free(hash[0]);
	g_free(hash[1]);
	isa_machine_free(m);
}

static void hash_changes_with_every_part(void)
{
	isa_machine *m = machine("tsp");
	isa_program *p = sample(m);
	char *hash[8];

	hash[0] = isa_program_hash(p);
	isa_program_insn(p, 0)->addr++;
	hash[1] = isa_program_hash(p);
	g_array_index(p->predictions, isa_prediction, 1).result++;
	hash[2] = isa_program_hash(p);
	g_array_index(p->sources, isa_source, 1).step1++;
	hash[3] = isa_program_hash(p);
	g_array_index((GArray *)g_ptr_array_index(p->queues, 0), isa_word, 0).lo ^= 256;
	hash[4] = isa_program_hash(p);
	g_array_index(p->maps, isa_lane_map, 1).lane[5]--;
	hash[5] = isa_program_hash(p);
	g_array_index(p->tensors, isa_tensor, 0).term[0].stride++;
	hash[6] = isa_program_hash(p);
	g_array_index(p->epochs, isa_epoch, 1).start++;
	hash[7] = isa_program_hash(p);
	for (size_t i = 0; i < G_N_ELEMENTS(hash); i++)
		for (size_t j = 0; j < i; j++)
			CU_ASSERT_STRING_NOT_EQUAL(hash[i], hash[j]);
	for (size_t i = 0; i < G_N_ELEMENTS(hash); i++)
		g_free(hash[i]);
	isa_program_free(p);
	isa_machine_free(m);
}

static char *sample_bytes(size_t *bytes)
{
	g_autofree char *path = temporary_file();
	isa_machine *m = machine("tsp");
	isa_program *p = sample(m);
	char *data;
	gsize length;

	CU_ASSERT_TRUE_FATAL(isa_program_write(p, path, NULL));
	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &data, &length, NULL));
	*bytes = length;
	g_unlink(path);
	isa_program_free(p);
	isa_machine_free(m);
	return data;
}

static void truncation_at_every_length_is_a_user_error_with_an_offset(void)
{
	size_t bytes;
	g_autofree char *data = sample_bytes(&bytes);

	for (size_t length = 0; length < bytes; length++) {
		g_autoptr(GError) error = NULL;
		isa_program *p = isa_program_parse("file", data, length, &error);

		CU_ASSERT_PTR_NULL_FATAL(p);
		CU_ASSERT_TRUE_FATAL(g_error_matches(error, TSP_ERROR, TSP_ERROR_USER));
		CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "offset "));
		CU_ASSERT_TRUE(g_str_has_prefix(error->message, "file: "));
	}
}

static void every_changed_byte_is_found(void)
{
	size_t bytes;
	g_autofree char *data = sample_bytes(&bytes);

	for (size_t at = 0; at < bytes; at++) {
		g_autoptr(GError) error = NULL;
		isa_program *p;

		data[at] = (char)(data[at] ^ 0x41);
		p = isa_program_parse("file", data, bytes, &error);
		data[at] = (char)(data[at] ^ 0x41);
		CU_ASSERT_PTR_NULL_FATAL(p);
		CU_ASSERT_PTR_NOT_NULL_FATAL(strstr(error->message, "offset "));
	}
}

/* Recomputes the checksum behind LENGTH bytes. */
static void sign(char *data, size_t length)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize size = 32;

	g_checksum_update(sum, (const guchar *)data, (gssize)length);
	g_checksum_get_digest(sum, (guint8 *)data + length, &size);
}

/* With a right checksum the reader stands alone: each byte becomes 0, 1, 0x7f, 0x80 and 0xff; what is accepted must be
 * good enough to be printed, hashed and lowered. */
static void signed_nonsense_is_refused_or_harmless(void)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	isa_machine *m = machine("tsp");
	size_t bytes;
	g_autofree char *data = sample_bytes(&bytes);
	unsigned refused = 0, accepted = 0;

	for (size_t at = 0; at < bytes - 32; at++)
		for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
			g_autoptr(GError) error = NULL;
			char old = data[at];
			isa_program *p;

			data[at] = (char)values[v];
			sign(data, bytes - 32);
			p = isa_program_parse("file", data, bytes, &error);
			data[at] = old;
			if (!p) {
				refused++;
				CU_ASSERT_PTR_NOT_NULL_FATAL(strstr(error->message, "offset "));
				continue;
			}
			accepted++;
			if (at % 16 == 0) {
				g_autofree char *text = isa_disassemble(p, m);
				g_autofree char *hash = isa_program_hash(p);

				CU_ASSERT_PTR_NOT_NULL(text);
				CU_ASSERT_EQUAL(strlen(hash), 64);
				isa_lower(p, m, NULL);
			}
			isa_program_free(p);
		}
	tap_note("%zu bytes: %u refused, %u accepted", bytes, refused, accepted);
	CU_ASSERT_TRUE(refused > 1000);
	isa_machine_free(m);
}

/* Replaces the first LENGTH bytes equal to FROM. */
static void replace(char *data, size_t bytes, const void *from, const void *to, size_t length)
{
	for (size_t at = 0; at + length <= bytes; at++)
		if (memcmp(data + at, from, length) == 0) {
			memcpy(data + at, to, length);
			return;
		}
	CU_FAIL_FATAL("pattern not found");
}

static void wrong_frames_say_what_was_expected(void)
{
	static const struct {
		const char *from, *to, *error;
	} cases[] = {
		{"TSPO", "TSPX", "not a program container (offset 0: expected \"TSPO\")"},
		{"EPOC", "APOC", "expected section EPOC"},
		{"QUEU", "QUEV", "expected section QUEU"},
	};
	size_t bytes;
	g_autofree char *data = sample_bytes(&bytes);
	GError *error = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		replace(data, bytes, cases[i].from, cases[i].to, 4);
		sign(data, bytes - 32);
		CU_ASSERT_PTR_NULL(isa_program_parse("file", data, bytes, &error));
		expect_error(&error, cases[i].error);
		replace(data, bytes, cases[i].to, cases[i].from, 4);
	}
	data[4] = 3;
	CU_ASSERT_PTR_NULL(isa_program_parse("file", data, bytes, &error));
	expect_error(&error, "damaged at offset 4: container version is not 2");
	data[4] = 2;
	data[bytes - 1] = (char)(data[bytes - 1] ^ 1);
	CU_ASSERT_PTR_NULL(isa_program_parse("file", data, bytes, &error));
	expect_error(&error, "the checksum does not match");
	CU_ASSERT_PTR_NULL(isa_program_read("/nonexistent/x.tspo", &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_IO));
	g_clear_error(&error);
}

/* Each word that is no NOP or REPEAT belongs to an instruction. */
static void queues_name_one_instruction_a_word(void)
{
	g_autofree char *path = temporary_file();
	isa_machine *m = machine("tsp");
	isa_program *p = sample(m);
	GError *error = NULL;
	GArray *ids = g_ptr_array_index(p->queue_insns, queue(m, "mem0"));

	g_array_set_size(ids, 0);
	CU_ASSERT_TRUE_FATAL(isa_program_write(p, path, &error));
	CU_ASSERT_PTR_NULL(isa_program_read(path, &error));
	expect_error(&error, "0 instruction numbers for 1 words");
	g_array_set_size(ids, 1);
	g_array_index(ids, uint32_t, 0) = 5;
	CU_ASSERT_TRUE_FATAL(isa_program_write(p, path, &error));
	CU_ASSERT_PTR_NULL(isa_program_read(path, &error));
	expect_error(&error, "instruction number 5, expected less than 5");
	g_unlink(path);
	isa_program_free(p);
	isa_machine_free(m);
}

static void unreadable_containers_are_not_written(void)
{
	g_autofree char *path = temporary_file();
	isa_machine *m = machine("tsp");
	isa_program *p = sample(m);
	GError *error = NULL;

	isa_program_insn(p, 1)->map = 9;
	CU_ASSERT_FALSE(isa_program_write(p, path, &error));
	expect_error(&error, "instruction 1: add has no field map, but it is set");
	isa_program_insn(p, 1)->map = 0;
	isa_program_insn(p, 2)->map = 9;
	CU_ASSERT_FALSE(isa_program_write(p, path, &error));
	expect_error(&error, "instruction 2: map 9 of 2");
	isa_program_insn(p, 2)->map = 1;
	g_array_index(p->node_of, uint32_t, 3) = 5;
	CU_ASSERT_FALSE(isa_program_write(p, path, &error));
	expect_error(&error, "instruction 3: node 5 of 3");
	g_array_index(p->node_of, uint32_t, 3) = 0;
	g_array_index(p->nodes, isa_node, 0).epoch = 2;
	CU_ASSERT_FALSE(isa_program_write(p, path, &error));
	expect_error(&error, "node 0 names an epoch that does not exist");
	g_array_index(p->nodes, isa_node, 0).epoch = 1;
	CU_ASSERT_TRUE(isa_program_write(p, path, &error));
	CU_ASSERT_FALSE(isa_program_write(p, "/nonexistent/folder/x.tspo", &error));
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_IO));
	g_clear_error(&error);
	g_unlink(path);
	isa_program_free(p);
	isa_machine_free(m);
}

int main(void)
{
	static const tap_case cases[] = {
		{"everything_survives_a_file", everything_survives_a_file},
		{"empty_programs_survive_a_file", empty_programs_survive_a_file},
		{"order_of_adding_sources_does_not_change_the_hash", order_of_adding_sources_does_not_change_the_hash},
		{"hash_changes_with_every_part", hash_changes_with_every_part},
		{"truncation_at_every_length_is_a_user_error_with_an_offset",
	         truncation_at_every_length_is_a_user_error_with_an_offset},
		{"every_changed_byte_is_found", every_changed_byte_is_found},
		{"signed_nonsense_is_refused_or_harmless", signed_nonsense_is_refused_or_harmless},
		{"wrong_frames_say_what_was_expected", wrong_frames_say_what_was_expected},
		{"queues_name_one_instruction_a_word", queues_name_one_instruction_a_word},
		{"unreadable_containers_are_not_written", unreadable_containers_are_not_written},
	};

	return tap_run("container", cases, G_N_ELEMENTS(cases));
}
