/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of addresses: the groups of every format, by hand, and what is said of bad ones.
 */
#include "bank/reader.h"
#include "tests/lib/tap.h"
#include "tests/unit/bank_text.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCKS = -1 }; /* for block_bytes below: numbers are block numbers */

static bank_reader_options options_of(int block_bytes, unsigned k, bank_format format)
{
	bank_reader_options options;

	bank_reader_options_init(&options);
	options.blocks = block_bytes == BLOCKS;
	options.block_bytes = block_bytes == BLOCKS ? 320 : (uint64_t)block_bytes;
	options.k = k;
	options.format = format;
	return options;
}

/* TEXT's groups, "! message" after them on error; twice, with a rewinding between. */
static char *groups_of(const char *text, size_t size, const bank_reader_options *options)
{
	GError *error = NULL;
	bank_source *source = bank_reader_of_bytes("x", text, size, options, &error);
	char *groups;

	if (!source) {
		groups = g_strdup_printf("! %s", error->message);
		g_clear_error(&error);
		return groups;
	}
	groups = bank_text(source, SIZE_MAX);
	if (!strchr(groups, '!')) {
		g_autofree char *again = NULL;

		CU_ASSERT_TRUE(bank_source_rewind(source, NULL));
		again = bank_text(source, SIZE_MAX);
		CU_ASSERT_STRING_EQUAL(again, groups);
	}
	bank_source_free(source);
	return groups;
}

static void reads(const char *text, int block_bytes, unsigned k, const char *expected)
{
	bank_reader_options options = options_of(block_bytes, k, BANK_FORMAT_AUTO);
	g_autofree char *groups = groups_of(text, strlen(text), &options);

	CU_ASSERT_STRING_EQUAL(groups, expected);
	if (strcmp(groups, expected) != 0)
		tap_note("%s", groups);
}

static void reads_as(bank_format format, const char *text, int block_bytes, unsigned k, const char *expected)
{
	bank_reader_options options = options_of(block_bytes, k, format);
	g_autofree char *groups = groups_of(text, strlen(text), &options);

	CU_ASSERT_STRING_EQUAL(groups, expected);
	if (strcmp(groups, expected) != 0)
		tap_note("%s", groups);
}

static void a_line_is_a_group(void)
{
	reads("1 2 3\n4 5\n\n6\n", BLOCKS, 0, "1 2 3 | 4 5 | 6");
	reads("# head\n 0x10\t17 # two\r\n\t\r\n  #\n0XfF\n", BLOCKS, 0, "16 17 | 255");
	reads("7", BLOCKS, 0, "7");
	reads("\xef\xbb\xbf"
	      "8 9\n",
	      BLOCKS, 0, "8 9");
	/* Bytes: 319 is in block 0, 320 in 1, 0x280 = 640 in 2. */
	reads("0 319 320 0x280\n", 320, 0, "0 0 1 2");
	reads("63 64 127 128\n", 64, 0, "0 1 1 2");
}

static void numbers_up_to_64_bits_are_taken(void)
{
	reads("18446744073709551615 0xffffffffffffffff 000000000000000000000000000000000005\n", BLOCKS, 0,
	      "18446744073709551615 18446744073709551615 5");
	/* 2^64 - 1 = 320 * 57646075230342348 + 255 */
	reads("18446744073709551615\n", 320, 0, "57646075230342348");
	/* and 144 * 128102389400760775 + 15 */
	reads("18446744073709551615 143 144\n", 144, 0, "128102389400760775 0 1");
}

static void division_is_exact_at_every_edge(void)
{
	static const uint64_t divisors[] = {
		1, 2, 3, 5, 7, 32, 144, 320, 641, 65535, UINT64_C(0xffffffff), UINT64_C(1) << 40};
	g_autoptr(GString) text = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(divisors); i++) {
		uint64_t d = divisors[i];
		uint64_t near[] = {0,
		                   d - 1,
		                   d,
		                   d + 1,
		                   12345 * d - 1,
		                   12345 * d,
		                   UINT64_MAX / d * d - 1,
		                   UINT64_MAX / d * d,
		                   UINT64_MAX};
		bank_reader_options options = options_of(1, 0, BANK_FORMAT_GROUPS);
		bank_batch batch = {0};
		bank_source *source;

		g_string_truncate(text, 0);
		for (size_t j = 0; j < G_N_ELEMENTS(near); j++)
			g_string_append_printf(text, "%" G_GUINT64_FORMAT " ", near[j]);
		options.block_bytes = d;
		source = bank_reader_of_bytes("x", text->str, text->len, &options, NULL);
		CU_ASSERT_TRUE_FATAL(bank_source_next(source, &batch, NULL));
		for (size_t j = 0; j < G_N_ELEMENTS(near); j++)
			CU_ASSERT_EQUAL(batch.blocks[j], near[j] / d);
		bank_batch_clear(&batch);
		bank_source_free(source);
	}
}

static void single_addresses_are_joined_to_groups_of_k(void)
{
	reads("1\n2\n3\n4\n5\n", BLOCKS, 2, "1 2 | 3 4 | 5");
	reads("1\n2\n", BLOCKS, 16, "1 2");
	reads("1\n2\n3\n", BLOCKS, 0, "1 | 2 | 3");
	reads("1\n2\n3\n", BLOCKS, 1, "1 | 2 | 3");
}

static void lines_of_several_are_groups_whatever_k_is(void)
{
	reads("1 2 3 4 5\n6\n7 8\n", BLOCKS, 2, "1 2 3 4 5 | 6 | 7 8");
	reads("1 2\n3 4\n", BLOCKS, 4, "1 2 | 3 4");
	reads_as(BANK_FORMAT_FLAT, "1 2\n3 4 5\n6\n", BLOCKS, 4, "1 2 3 4 | 5 6");
	reads_as(BANK_FORMAT_GROUPS, "1\n2\n", BLOCKS, 4, "1 2");
}

static void long_groups_are_presented_in_phases(void)
{
	static const struct {
		bank_format format;
		unsigned k;
		const char *text, *expected;
	} cases[] = {
		{0, 0, "1 2 3 4 5\n6\n7 8\n", "1 2 | 3 4 | 5 | 6 | 7 8"},
		{0, 3, "1\n2\n3\n4\n5\n6\n7\n", "1 2 | 3 | 4 5 | 6 | 7"},
		{BANK_FORMAT_STL, 0, "1: read 1\n1: read 2\n1: read 3\n2: read 4\n", "1 2 | 3 | 4"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bank_reader_options options = options_of(BLOCKS, cases[i].k, cases[i].format);
		g_autofree char *groups = NULL;

		options.phase_lanes = 2;
		groups = groups_of(cases[i].text, strlen(cases[i].text), &options);
		CU_ASSERT_STRING_EQUAL(groups, cases[i].expected);
	}
}

static void reads_or_writes_may_be_left_out(void)
{
	static const char text[] = "R 1 2 W 3 4\nW 5\n6\n";
	bank_reader_options options = options_of(BLOCKS, 0, BANK_FORMAT_AUTO);
	g_autofree char *reads_only = NULL;
	g_autofree char *writes_only = NULL;
	g_autofree char *cycles = NULL;
	g_autofree char *neither = NULL;
	static const char stl[] = "1: read 1\n2: write 2\n2: read 3\n2: read 4\n";

	options.no_writes = true;
	reads_only = groups_of(text, strlen(text), &options);
	CU_ASSERT_STRING_EQUAL(reads_only, "1 2 | 6");
	options.no_writes = false;
	options.no_reads = true;
	writes_only = groups_of(text, strlen(text), &options);
	CU_ASSERT_STRING_EQUAL(writes_only, "3w 4w | 5w");
	/* The write alone was in another cycle than the read before it. */
	options.no_reads = false;
	options.no_writes = true;
	cycles = groups_of(stl, strlen(stl), &options);
	CU_ASSERT_STRING_EQUAL(cycles, "1 | 3 4");
	options.no_reads = true;
	options.no_writes = false;
	neither = groups_of("1\n", 2, &options);
	CU_ASSERT_STRING_EQUAL(neither, "! x:2:1: expected at least one address, found none");
}

static void marks_make_writes_of_what_follows_on_the_line(void)
{
	reads("R 1 2 W 3 4 R 5\n6\nw 7\n", BLOCKS, 0, "1 2 3w 4w 5 | 6 | 7w");
	reads("1 W 2\n3 4\n", BLOCKS, 0, "1 2w | 3 4");
	reads("R 1\nW 2\nR 3\n", BLOCKS, 2, "1 2w | 3");
}

static void cpu_traces_of_ramulator_are_recognised(void)
{
	bank_reader_options options = options_of(64, 4, BANK_FORMAT_AUTO);
	static const char text[] = "0 9618752\n0 89528192 128000\n9 89618496\n";
	bank_source *source;

	/* 9618752 / 64 = 150293, 89528192 / 64 = 1398878, 128000 / 64 = 2000, 89618496 / 64 = 1400289 */
	reads(text, 64, 4, "150293 1398878 2000w 1400289");
	reads(text, 64, 0, "150293 | 1398878 2000w | 1400289");
	source = bank_reader_of_bytes("x", text, strlen(text), &options, NULL);
	CU_ASSERT_EQUAL(bank_reader_format(source), BANK_FORMAT_AUTO);
	g_free(bank_text(source, 1));
	CU_ASSERT_EQUAL(bank_reader_format(source), BANK_FORMAT_RAMULATOR_CPU);
	bank_source_free(source);
	/* Two numbers that are a group: block numbers, or addresses all of words, or one that no cache line begins
	 * with. */
	reads(text, BLOCKS, 0, "0 9618752 | 0 89528192 128000 | 9 89618496");
	reads("0 9618752\n64 89528192\n", 64, 0, "0 150293 | 1 1398878");
	reads("0 9618752\n9 89618497\n", 64, 0, "0 150293 | 0 1400289");
	reads("3 64\n", 64, 0, "0 1");
	reads_as(BANK_FORMAT_RAMULATOR_CPU, "3 64 # x\n# y\n5 0x80 1\n", 64, 0, "1 | 2 0w");
}

static void memory_traces_and_load_store_traces_are_recognised(void)
{
	reads("0x80 R\n64 W\n\n192 r # x\n", 64, 2, "2 1w | 3");
	reads("LD 0x80\nST 64\nld 192\n", 64, 0, "2 | 1w | 3");
	reads("# c\nST 64\nLD 128\nLD 0\n", 64, 2, "1w 2 | 0");
}

static void stl_traces_are_recognised(void)
{
	/* Addresses are hexadecimal with and without 0x. */
	reads("# c\n31:\tread\t0x400\n31: (32) WRITE 80 00ff\n33: read 40\n", 64, 0, "16 2w | 1");
	reads("31: read 0x400\n31: write 80\n33: read 40\n", 64, 2, "16 2w | 1");
	reads("31 read 0x40\n31 ( 4 ) write 0x80 0xff # x\n", 64, 0, "1 2w");
	reads("5: read 40\n6: read 80\n6: read c0\n6: read 100\n7: read 0\n", 64, 0, "1 | 2 3 4 | 0");
}

static void what_is_wrong_with_a_text_is_said_with_its_place(void)
{
	static const struct {
		bank_format format;
		const char *text, *expected;
	} cases[] = {
		{0, "", "! x:1:1: expected at least one address, found none"},
		{0, "# only\n\n", "! x:3:1: expected at least one address, found none"},
		{0, "1 2\n3 -5\n", "! x:2:3: expected a byte address, found '-5'"},
		{0, "1 2x\n", "! x:1:3: expected numbers apart by blanks, decimal or after 0x hexadecimal, found '2x'"},
		{0, "1,2\n", "! x:1:1: expected numbers apart by blanks, decimal or after 0x hexadecimal, found '1,2'"},
		{0, "  1.5\n",
	         "! x:1:3: expected numbers apart by blanks, decimal or after 0x hexadecimal, found '1.5'"},
		{0, "1 0x\n", "! x:1:3: expected numbers apart by blanks, decimal or after 0x hexadecimal, found '0x'"},
		{0, "1 2\n18446744073709551616\n",
	         "! x:2:1: expected a number of at most 64 bits, found '18446744073709551616'"},
		{0, "0x10000000000000000\n",
	         "! x:1:1: expected a number of at most 64 bits, found '0x10000000000000000'"},
		{0, "999999999999999999999999999999999999 1\n",
	         "! x:1:1: expected a number of at most 64 bits, found '999999999999999999999999...'"},
		{0, "1 \x01\n", "! x:1:3: expected a byte address, found byte 0x01"},
		{0, "1 2\n\xff\n", "! x:2:1: expected a byte address, found byte 0xff"},
		{0, "BZh9",
	         "! x: expected plain text or gzip, found bzip2 data; give `bzip2 -dc FILE` and the file '-'"},
		{0, "SQLite format 3",
	         "! x: expected a text of addresses, found a database; a traced run is given by --from"},
		{BANK_FORMAT_FLAT, "1\n", "! x: expected the lanes of a group (k) for the format flat"},
		{BANK_FORMAT_RAMULATOR_CPU, "3\n",
	         "! x:1:2: expected <instructions> <read address> [<write-back address>], found the end of the line"},
		{BANK_FORMAT_RAMULATOR_CPU, "3 64 128 192\n",
	         "! x:1:10: expected <instructions> <read address> [<write-back address>], found '192'"},
		{BANK_FORMAT_RAMULATOR_DRAM, "64 X\n", "! x:1:4: expected R or W, found 'X'"},
		{BANK_FORMAT_RAMULATOR_DRAM, "64\n", "! x:1:3: expected R or W, found the end of the line"},
		{0, "LD 64\nMV 64\n", "! x:2:1: expected LD or ST, found 'MV'"},
		{0, "LD\n", "! x:1:3: expected an address, decimal or after 0x hexadecimal, found the end of the line"},
		{0, "LD 64 5\n", "! x:1:7: expected the end of the line, found '5'"},
		{0, "31: raed 64\n", "! x:1:5: expected read or write, found 'raed'"},
		{0, "31: read zz\n", "! x:1:10: expected a hexadecimal address, found 'zz'"},
		{0, "31: (4 read 0\n", "! x:1:8: expected ')', found 'read'"},
		{0, "31: read 0 5\n", "! x:1:12: expected the end of the line, found '5'"},
		{0, "31: read 0\nx: read 0\n", "! x:2:1: expected <cycle>: read|write <address>, found 'x:'"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		reads_as(cases[i].format, cases[i].text, 64, 0, cases[i].expected);
	reads("1 -5\n", BLOCKS, 0, "! x:1:3: expected a block number, found '-5'");
}

static void binary_bytes_are_refused_wherever_they_stand(void)
{
	bank_reader_options options = options_of(64, 0, BANK_FORMAT_AUTO);
	g_autofree char *groups = groups_of("1 2\0 3\n", 7, &options);
	g_autoptr(GString) late = g_string_new(NULL);
	g_autofree char *other = NULL;

	CU_ASSERT_STRING_EQUAL(groups, "! x: expected a text of addresses, found a binary file");
	/* Behind the first buffer, where nobody looks ahead: in a comment it is skipped, elsewhere it is found. */
	while (late->len < 3 << 20)
		g_string_append(late, "64 128 192\n");
	g_string_append_len(late, "64 # \0\n\0\n", 9);
	other = groups_of(late->str, late->len, &options);
	CU_ASSERT_PTR_NOT_NULL(strstr(other, ":1: expected a byte address, found byte 0x00"));
}

static void a_line_with_more_after_lines_with_one_is_an_error(void)
{
	bank_reader_options options = options_of(BLOCKS, 2, BANK_FORMAT_AUTO);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *groups = NULL;
	g_autofree char *as_groups = NULL;

	for (int i = 0; i < 100; i++)
		g_string_append(text, "5\n");
	g_string_append(text, "6 7\n");
	groups = groups_of(text->str, text->len, &options);
	CU_ASSERT_PTR_NOT_NULL(strstr(groups, "! x:101:1: expected one number, as on the lines before"));
	/* With one more in the first hundred it is a group a line. */
	as_groups = groups_of(text->str + 2, text->len - 2, &options);
	CU_ASSERT_TRUE(g_str_has_prefix(as_groups, "5 | 5 | "));
	CU_ASSERT_TRUE(g_str_has_suffix(as_groups, "5 | 6 7"));
}

/* COUNT numbers 0, 3, 6, .. in lines of LANES. */
static GString *long_text(size_t count, size_t lanes)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < count; i++)
		g_string_append_printf(text, "%zu%c", 3 * i, i % lanes == lanes - 1 ? '\n' : ' ');
	return text;
}

/* Every number once and in order, groups of K (the last may be shorter). */
static void expect_all(bank_source *source, size_t count, size_t k)
{
	bank_batch batch = {0};
	GError *error = NULL;
	size_t next = 0, wrong = 0;

	while (bank_source_next(source, &batch, &error)) {
		CU_ASSERT_TRUE(batch.accesses < BANK_BATCH_ACCESSES + MAX(k, 1000));
		for (size_t g = 0; g < batch.groups; g++) {
			size_t length = batch.start[g + 1] - batch.start[g];

			wrong += length != MIN(k, count - next);
			for (size_t i = batch.start[g]; i < batch.start[g + 1]; i++)
				wrong += batch.blocks[i] != 3 * next++;
		}
		CU_ASSERT_EQUAL(batch.accesses, batch.start[batch.groups]);
	}
	CU_ASSERT_PTR_NULL(error);
	CU_ASSERT_EQUAL(next, count);
	CU_ASSERT_EQUAL(wrong, 0);
	bank_batch_clear(&batch);
}

static void texts_longer_than_the_buffer_lose_nothing(void)
{
	static const struct {
		size_t lanes;
		unsigned k;
		size_t expected;
	} cases[] = {{1, 16, 16}, {1, 7, 7}, {64, 0, 64}, {64, 64, 64}, {64, 16, 64}, {1, 0, 1}, {1000, 1000, 1000}};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bank_reader_options options = options_of(BLOCKS, cases[i].k, BANK_FORMAT_AUTO);
		g_autoptr(GString) text = long_text(400000, cases[i].lanes);
		bank_source *source = bank_reader_of_bytes("x", text->str, text->len, &options, NULL);

		CU_ASSERT_TRUE(text->len > 2 << 20);
		expect_all(source, 400000, cases[i].expected);
		CU_ASSERT_TRUE(bank_source_rewind(source, NULL));
		expect_all(source, 400000, cases[i].expected);
		bank_source_free(source);
	}
}

static void one_line_may_be_longer_than_the_buffer(void)
{
	bank_reader_options options = options_of(BLOCKS, 0, BANK_FORMAT_AUTO);
	g_autoptr(GString) text = long_text(300000, SIZE_MAX);
	bank_source *source;

	CU_ASSERT_TRUE(text->len > 3 << 19);
	source = bank_reader_of_bytes("x", text->str, text->len, &options, NULL);
	{
		bank_batch batch = {0};

		CU_ASSERT_TRUE(bank_source_next(source, &batch, NULL));
		CU_ASSERT_EQUAL(batch.groups, 1);
		CU_ASSERT_EQUAL(batch.accesses, 300000);
		CU_ASSERT_FALSE(bank_source_next(source, &batch, NULL));
		bank_batch_clear(&batch);
	}
	bank_source_free(source);
}

static void endless_lines_are_refused(void)
{
	bank_reader_options options = options_of(BLOCKS, 0, BANK_FORMAT_AUTO);
	g_autofree char *blanks = g_strnfill(BANK_READER_MAX_LINE_BYTES + (4 << 20), ' ');
	g_autofree char *groups = groups_of(blanks, strlen(blanks), &options);
	g_autoptr(GString) numbers = g_string_new(NULL);
	g_autofree char *many = NULL;

	CU_ASSERT_STRING_EQUAL(groups, "! x:1:1: expected a line of at most 32 MiB, found byte 0x20");
	for (int i = 0; i <= BANK_READER_MAX_GROUP; i++)
		g_string_append(numbers, "1 ");
	many = groups_of(numbers->str, numbers->len, &options);
	CU_ASSERT_STRING_EQUAL(many, "! x:1:1: expected a line of at most 1048576 numbers, found '1'");
}

static char *temporary(const char *data, size_t size, const char *mode)
{
	char *path = g_build_filename(g_get_tmp_dir(), "tspsim-bank-XXXXXX", NULL);
	int descriptor = g_mkstemp(path);
	gzFile file = gzdopen(descriptor, mode);

	CU_ASSERT_EQUAL(gzwrite(file, data, (unsigned)size), (int)size);
	gzclose(file);
	return path;
}

static void files_plain_and_compressed_are_the_same(void)
{
	g_autoptr(GString) text = long_text(400000, 1);
	bank_reader_options options = options_of(BLOCKS, 16, BANK_FORMAT_AUTO);

	for (int compressed = 0; compressed < 2; compressed++) {
		g_autofree char *path = temporary(text->str, text->len, compressed ? "wb1" : "wbT");
		bank_source *source = bank_reader_open(path, &options, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(source);
		CU_ASSERT_STRING_EQUAL(source->name, path);
		expect_all(source, 400000, 16);
		CU_ASSERT_TRUE(bank_source_rewind(source, NULL));
		expect_all(source, 400000, 16);
		bank_source_free(source);
		g_unlink(path);
	}
}

static void damaged_compressed_files_are_errors(void)
{
	g_autoptr(GString) text = long_text(400000, 1);
	bank_reader_options options = options_of(BLOCKS, 16, BANK_FORMAT_AUTO);
	g_autofree char *path = temporary(text->str, text->len, "wb1");
	g_autofree char *data = NULL;
	gsize size;

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &data, &size, NULL));
	for (int cut = 0; cut < 2; cut++) {
		GError *error = NULL;
		bank_batch batch = {0};
		bank_source *source;

		if (!cut)
			data[size / 2] ^= 0x55;
		CU_ASSERT_TRUE(g_file_set_contents(path, data, (gssize)(cut ? size / 4 : size), NULL));
		source = bank_reader_open(path, &options, NULL);
		while (bank_source_next(source, &batch, &error))
			;
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_TRUE(g_str_has_prefix(error->message, path));
		/* What a flipped byte decodes to may be found wrong as text before its checksum is. */
		CU_ASSERT_TRUE(!cut ||
		               g_str_has_suffix(error->message, ": expected the rest of the compressed data, found the "
		                                                "end of the file"));
		CU_ASSERT_FALSE(bank_source_next(source, &batch, NULL));
		g_clear_error(&error);
		bank_batch_clear(&batch);
		bank_source_free(source);
	}
	g_unlink(path);
}

static void files_that_cannot_be_read_are_errors(void)
{
	bank_reader_options options = options_of(BLOCKS, 16, BANK_FORMAT_AUTO);
	GError *error = NULL;
	bank_batch batch = {0};
	bank_source *source;

	CU_ASSERT_PTR_NULL(bank_reader_open("/nonexistent/x", &options, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "/nonexistent/x: cannot be opened: No such file or directory");
	CU_ASSERT_EQUAL(error->code, TSP_ERROR_IO);
	g_clear_error(&error);
	source = bank_reader_open("/", &options, NULL);
	CU_ASSERT_FALSE(bank_source_next(source, &batch, &error));
	CU_ASSERT_STRING_EQUAL(error->message, "/: cannot be read: Is a directory");
	g_clear_error(&error);
	bank_batch_clear(&batch);
	bank_source_free(source);
	options.k = 65537;
	CU_ASSERT_PTR_NULL(bank_reader_open("/", &options, NULL));
}

/* Standard input becomes a pipe that holds TEXT. */
static void a_short_pipe_can_be_read_twice(void)
{
	bank_reader_options options = options_of(BLOCKS, 0, BANK_FORMAT_AUTO);
	int ends[2], kept = dup(STDIN_FILENO);
	bank_source *source;

	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	CU_ASSERT_EQUAL(write(ends[1], "1 2\n3\n", 6), 6);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	source = bank_reader_open("-", &options, NULL);
	for (int i = 0; i < 2; i++) {
		g_autofree char *groups = bank_text(source, SIZE_MAX);

		CU_ASSERT_STRING_EQUAL(groups, "1 2 | 3");
		CU_ASSERT_TRUE(bank_source_rewind(source, NULL));
	}
	CU_ASSERT_STRING_EQUAL(source->name, "standard input");
	bank_source_free(source);
	dup2(kept, STDIN_FILENO);
	close(kept);
}

static void kinds_do_not_leak_into_other_batches(void)
{
	bank_reader_options options = options_of(BLOCKS, 0, BANK_FORMAT_AUTO);
	bank_source *writes = bank_reader_of_bytes("w", "W 1 2 3\n", 8, &options, NULL);
	bank_source *reads_only = bank_reader_of_bytes("r", "1 2 3\n", 6, &options, NULL);
	bank_batch batch = {0};

	CU_ASSERT_TRUE(bank_source_next(writes, &batch, NULL));
	CU_ASSERT_TRUE(batch.has_kinds && batch.kinds[2] == BANK_WRITE);
	CU_ASSERT_TRUE(bank_source_next(reads_only, &batch, NULL));
	CU_ASSERT_TRUE(!batch.has_kinds && batch.kinds[0] == 0 && batch.kinds[2] == 0);
	bank_batch_clear(&batch);
	bank_source_free(writes);
	bank_source_free(reads_only);
}

static void formats_have_names(void)
{
	bank_format format;
	GError *error = NULL;

	for (unsigned i = 0; i < BANK_FORMAT_COUNT; i++) {
		CU_ASSERT_TRUE(bank_format_parse(bank_format_name((bank_format)i), &format, NULL));
		CU_ASSERT_EQUAL(format, i);
	}
	CU_ASSERT_FALSE(bank_format_parse("stll", &format, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "found 'stll'; did you mean 'stl'?"));
	g_clear_error(&error);
}

/* The mean fullest of BANKS banks over windows of as many successive reads of a trace of 64-byte lines. */
static double mean_fullest(const char *path, unsigned banks, size_t *reads_count)
{
	bank_reader_options options = options_of(64, banks, BANK_FORMAT_AUTO);
	bank_source *source;
	bank_batch batch = {0};
	uint64_t sum = 0, windows = 0;

	options.no_writes = true;
	*reads_count = 0;
	source = bank_reader_open(path, &options, NULL);
	while (bank_source_next(source, &batch, NULL))
		for (size_t g = 0; g < batch.groups; g++) {
			unsigned load[32] = {0}, fullest = 0;

			*reads_count += batch.start[g + 1] - batch.start[g];
			if (batch.start[g + 1] - batch.start[g] < banks)
				continue;
			for (size_t i = batch.start[g]; i < batch.start[g + 1]; i++) {
				unsigned *l = &load[batch.blocks[i] % banks];

				(*l)++;
				fullest = MAX(fullest, *l);
			}
			sum += fullest;
			windows++;
		}
	bank_batch_clear(&batch);
	bank_source_free(source);
	return (double)sum / (double)windows;
}

static void public_cpu_traces_fill_banks_as_another_program_found(void)
{
	/* Reads of each trace and the means that another program found for 16 and 32 banks, to three digits. */
	static const struct {
		const char *name;
		size_t reads;
		double means[2];
	} traces[] = {
		{"403.gcc", 45675, {2.811, 3.165}},
		{"444.namd", 21403, {1.932, 2.114}},
		{"447.dealII", 23059, {2.375, 2.729}},
		{"481.wrf", 27328, {1.974, 2.307}},
	};
	const char *data = g_getenv("TSPSIM_DATA");

	if (!data || !*data) {
		tap_skip("TSPSIM_DATA names no folder with traces/ramulator");
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(traces); i++) {
		g_autofree char *path = g_strdup_printf("%s/traces/ramulator/%s.gz", data, traces[i].name);

		if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
			tap_skip("TSPSIM_DATA has no traces/ramulator");
			return;
		}
		for (unsigned j = 0; j < 2; j++) {
			size_t count;

			CU_ASSERT_DOUBLE_EQUAL(mean_fullest(path, 16U << j, &count), traces[i].means[j], 0.0005001);
			CU_ASSERT_EQUAL(count, traces[i].reads);
		}
	}
}

int main(void)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(a_line_is_a_group),
		CASE(numbers_up_to_64_bits_are_taken),
		CASE(division_is_exact_at_every_edge),
		CASE(single_addresses_are_joined_to_groups_of_k),
		CASE(lines_of_several_are_groups_whatever_k_is),
		CASE(long_groups_are_presented_in_phases),
		CASE(reads_or_writes_may_be_left_out),
		CASE(public_cpu_traces_fill_banks_as_another_program_found),
		CASE(marks_make_writes_of_what_follows_on_the_line),
		CASE(cpu_traces_of_ramulator_are_recognised),
		CASE(memory_traces_and_load_store_traces_are_recognised),
		CASE(stl_traces_are_recognised),
		CASE(what_is_wrong_with_a_text_is_said_with_its_place),
		CASE(binary_bytes_are_refused_wherever_they_stand),
		CASE(a_line_with_more_after_lines_with_one_is_an_error),
		CASE(texts_longer_than_the_buffer_lose_nothing),
		CASE(one_line_may_be_longer_than_the_buffer),
		CASE(endless_lines_are_refused),
		CASE(files_plain_and_compressed_are_the_same),
		CASE(damaged_compressed_files_are_errors),
		CASE(files_that_cannot_be_read_are_errors),
		CASE(a_short_pipe_can_be_read_twice),
		CASE(kinds_do_not_leak_into_other_batches),
		CASE(formats_have_names),
	};

	return tap_run("bank readers", cases, G_N_ELEMENTS(cases));
}
