/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of addresses as sources: one buffer, refilled from zlib (which passes plain files through), from which whole
 * lines are parsed straight into the batch; memory is that buffer, a batch and one group, whatever the file's size. The
 * formats are in bank/reader_lines.c.
 */
#include "bank/reader_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20, MAX_K = 65536 };

static const char *const format_names[BANK_FORMAT_COUNT + 1] = {
	[BANK_FORMAT_AUTO] = "auto",
	[BANK_FORMAT_GROUPS] = "groups",
	[BANK_FORMAT_FLAT] = "flat",
	[BANK_FORMAT_RAMULATOR_CPU] = "ramulator-cpu",
	[BANK_FORMAT_RAMULATOR_DRAM] = "ramulator-dram",
	[BANK_FORMAT_LOAD_STORE] = "load-store",
	[BANK_FORMAT_STL] = "stl",
};

void bank_reader_options_init(bank_reader_options *options)
{
	*options = (bank_reader_options){.block_bytes = 320};
}

const char *bank_format_name(bank_format format)
{
	return format_names[format];
}

bool bank_format_parse(const char *name, bank_format *format, GError **error)
{
	g_autofree char *known = NULL;
	const char *nearest;

	for (unsigned i = 0; i < BANK_FORMAT_COUNT; i++)
		if (!strcmp(name, format_names[i])) {
			*format = (bank_format)i;
			return true;
		}
	nearest = tsp_nearest(name, format_names);
	known = g_strjoinv(", ", (char **)(void *)format_names);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "expected a format (%s), found '%s'%s%s%s", known, name,
	            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return false;
}

static bool reader_error(reader *r, GError **error, int code, const char *what, const char *more)
{
	r->failed = true;
	g_set_error(error, TSP_ERROR, code, "%s: %s%s", r->base.name, what, more);
	return false;
}

/* Up to COUNT bytes of the text to TO; less only at its end. */
static bool read_bytes(reader *r, char *to, size_t count, size_t *got, GError **error)
{
	int result, status = Z_OK;
	const char *message;

	if (!r->file) {
		*got = MIN(count, r->size - r->read);
		if (*got)
			memcpy(to, r->data + r->read, *got);
		r->read += *got;
		return true;
	}
	errno = 0;
	result = gzread(r->file, to, (unsigned)count);
	*got = result > 0 ? (size_t)result : 0;
	if (*got == count)
		return true;
	message = gzerror(r->file, &status);
	if (status == Z_BUF_ERROR)
		return reader_error(r, error, TSP_ERROR_USER,
		                    "expected the rest of the compressed data, found the end of the file", "");
	if (status == Z_ERRNO)
		return reader_error(r, error, TSP_ERROR_IO, "cannot be read: ", g_strerror(errno));
	if (result < 0 || status != Z_OK)
		return reader_error(r, error, TSP_ERROR_USER, "expected sound compressed data: ", message);
	return true;
}

/* Files that are no text of addresses, and what to do with them. */
static bool check_text(reader *r, GError **error)
{
	static const struct {
		const char *magic, *what;
	} kinds[] = {
		{"SQLite format 3", "expected a text of addresses, found a database; a traced run is given by --from"},
		{"\x28\xb5\x2f\xfd",
	         "expected plain text or gzip, found zstd data; give `zstd -dc FILE` and the file '-'"},
		{"\xfd"
	         "7zXZ",
	         "expected plain text or gzip, found xz data; give `xz -dc FILE` and the file '-'"},
		{"BZh", "expected plain text or gzip, found bzip2 data; give `bzip2 -dc FILE` and the file '-'"},
	};
	const char *text = r->buffer + r->begin;
	size_t bytes = r->end - r->begin;

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (bytes >= strlen(kinds[i].magic) && !memcmp(text, kinds[i].magic, strlen(kinds[i].magic)))
			return reader_error(r, error, TSP_ERROR_USER, kinds[i].what, "");
	if (memchr(text, 0, bytes))
		return reader_error(r, error, TSP_ERROR_USER, "expected a text of addresses, found a binary file", "");
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r->begin = 3;
	r->text_begin = r->begin;
	return true;
}

/* Reads on, into more room if need be, until the buffer has a whole line or the text is at its end. */
static bool read_lines(reader *r, GError **error)
{
	while (!r->complete && !r->at_end) {
		size_t got, from = r->end;

		if (from > BANK_READER_MAX_LINE_BYTES) {
			r->line_start = r->buffer;
			r->failed = true;
			return reader_i_fail(r, r->buffer, error, "a line of at most 32 MiB") != NULL;
		}
		if (r->room - r->end < BUFFER_BYTES) {
			r->room = 2 * r->room + BUFFER_BYTES;
			r->buffer = g_realloc(r->buffer,
			                      r->room + 2); /* a line feed at the end of the text, and one behind */
		}
		if (!read_bytes(r, r->buffer + from, BUFFER_BYTES, &got, error))
			return false;
		r->end += got;
		r->at_end = got < BUFFER_BYTES;
		if (r->at_end && r->end && r->buffer[r->end - 1] != '\n')
			r->buffer[r->end++] = '\n';
		for (r->complete = r->end; r->complete > from && r->buffer[r->complete - 1] != '\n';)
			r->complete--;
		if (r->complete == from)
			r->complete = r->at_end ? r->end : 0;
	}
	/* What looks for the end of a line stops here at the latest. */
	r->buffer[r->end] = '\n';
	return true;
}

/* Some whole lines in the buffer, unless the text is at its end (then begin == complete). */
static bool refill(reader *r, GError **error)
{
	if (r->at_end && r->begin == r->end)
		return true;
	if (r->begin) {
		memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
		r->end -= r->begin;
		r->moved = true;
	}
	r->begin = r->complete = 0;
	if (!read_lines(r, error))
		return false;
	if (r->recognised)
		return true;
	r->recognised = check_text(r, error) && reader_i_recognise(r, error);
	r->failed = !r->recognised;
	return r->recognised;
}

/* BATCH's last accesses, which are no whole group, are kept for the next batch. */
static void keep(reader *r, bank_batch *batch, size_t count)
{
	batch->accesses -= count;
	r->kept = g_renew(uint64_t, r->kept, count);
	r->kept_kinds = g_renew(uint8_t, r->kept_kinds, count);
	memcpy(r->kept, batch->blocks + batch->accesses, count * sizeof *r->kept);
	memcpy(r->kept_kinds, batch->kinds + batch->accesses, count);
	memset(batch->kinds + batch->accesses, 0, count);
	r->kept_count = count;
}

static void take_kept(reader *r, bank_batch *batch)
{
	if (r->line != NULL && r->options.format >= BANK_FORMAT_RAMULATOR_CPU)
		batch->has_kinds = true;
	bank_batch_reserve(batch, 1, r->kept_count);
	for (size_t i = 0; i < r->kept_count; i++) {
		batch->has_kinds = batch->has_kinds || r->kept_kinds[i];
		batch->blocks[i] = r->kept[i];
		batch->kinds[i] = r->kept_kinds[i];
	}
	batch->accesses = r->kept_count;
	r->kept_count = 0;
}

/* Accesses FROM .. TO - 1 become a group, or its phases of LANES when it is longer; LANES 0: no phases. */
static void cut(bank_batch *batch, size_t from, size_t to, size_t lanes)
{
	size_t count = to - from, groups = lanes && count > lanes ? (count + lanes - 1) / lanes : 1;

	if (batch->groups + groups + 1 > batch->group_room)
		bank_batch_reserve(batch, groups, 0);
	for (size_t g = 1; g <= groups; g++)
		batch->start[++batch->groups] = (uint32_t)(g == groups ? to : from + g * lanes);
}

static bool too_many(reader *r, const char *line, GError **error, const char *what)
{
	r->line_start = line;
	r->failed = true;
	return reader_i_fail(r, line, error, what) != NULL;
}

/* One line, and the groups it completes unless accesses are joined. */
static bool take_line(reader *r, bank_batch *batch, GError **error)
{
	const char *line = r->buffer + r->begin, *after;
	size_t before = batch->accesses;

	r->line_start = line;
	after = r->line(r, line, batch, error);
	if (!after) {
		r->failed = true;
		return false;
	}
	if (r->by_cycle && batch->accesses > before) {
		if (before > batch->start[batch->groups] && r->group_cycle != r->cycle)
			cut(batch, batch->start[batch->groups], before, r->options.phase_lanes);
		if (batch->accesses - batch->start[batch->groups] > BANK_READER_MAX_GROUP)
			return too_many(r, line, error, "at most 1048576 accesses in a cycle");
		r->group_cycle = r->cycle;
	} else if (r->single && batch->accesses > before + 1) {
		return too_many(
			r, line, error,
			"one number, as on the lines before (the formats groups and flat take lines of any length)");
	} else if (!r->joined && batch->accesses > before) {
		cut(batch, before, batch->accesses, r->options.phase_lanes);
	}
	if (batch->accesses - before > BANK_READER_MAX_GROUP)
		return too_many(r, line, error, "a line of at most 1048576 numbers");
	r->accesses += batch->accesses - before;
	r->line_number++;
	r->begin = (size_t)(after - r->buffer);
	return true;
}

static bool reader_next(bank_source *source, bank_batch *batch, GError **error)
{
	reader *r = (reader *)source;
	size_t open;
	bool ended = false;

	if (r->failed)
		return false;
	take_kept(r, batch);
	while (!ended && (batch->accesses < BANK_BATCH_ACCESSES || (!batch->groups && !r->joined))) {
		if (r->begin < r->complete) {
			if (!take_line(r, batch, error))
				return false;
			continue;
		}
		if (!refill(r, error))
			return false;
		batch->has_kinds = batch->has_kinds || r->options.format >= BANK_FORMAT_RAMULATOR_CPU;
		ended = r->begin == r->complete;
	}
	for (size_t k = r->options.k, at = 0; r->joined && at + k <= batch->accesses; at += k)
		cut(batch, at, at + k, r->options.phase_lanes);
	open = batch->accesses - batch->start[batch->groups];
	if (open && ended)
		cut(batch, batch->start[batch->groups], batch->accesses, r->options.phase_lanes);
	else if (open)
		keep(r, batch, open);
	if (batch->groups || r->accesses)
		return batch->groups > 0;
	r->failed = true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "%s:%" G_GUINT64_FORMAT ":1: expected at least one address, found none", r->base.name,
	            r->line_number);
	return false;
}

static bool reader_rewind(bank_source *source, GError **error)
{
	reader *r = (reader *)source;

	/* A text that is whole in the buffer needs no seeking, which pipes cannot do. */
	if (r->moved) {
		if (r->file && gzrewind(r->file) != 0)
			return reader_error(r, error, TSP_ERROR_IO, "cannot be read a second time; give a file", "");
		r->read = 0;
		r->end = r->complete = 0;
		r->at_end = false;
		r->moved = false;
		r->recognised = false;
		r->text_begin = 0;
		r->options.format = r->given;
	}
	r->begin = r->text_begin;
	r->line_number = 1;
	r->kept_count = 0;
	r->accesses = 0;
	r->failed = false;
	return true;
}

static void reader_free(bank_source *source)
{
	reader *r = (reader *)source;

	if (r->file)
		gzclose(r->file);
	g_free(r->data);
	g_free(r->buffer);
	g_free(r->kept);
	g_free(r->kept_kinds);
	g_free(r);
}

static reader *reader_new(const char *name, const bank_reader_options *options, GError **error)
{
	reader *r;

	if (options->k > MAX_K || options->phase_lanes > MAX_K || (!options->blocks && !options->block_bytes)) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: expected groups of at most %d lanes and blocks of at least a byte", name, MAX_K);
		return NULL;
	}
	r = g_new0(reader, 1);
	r->base = (bank_source){
		.next = reader_next, .rewind = reader_rewind, .free = reader_free, .name = g_strdup(name)};
	r->options = *options;
	r->given = options->format;
	r->by_block = bank_divider_of(options->blocks ? 1 : options->block_bytes);
	r->line_number = 1;
	return r;
}

bank_source *bank_reader_of_bytes(const char *name, const void *data, size_t size, const bank_reader_options *options,
                                  GError **error)
{
	reader *r = reader_new(name, options, error);

	if (!r)
		return NULL;
	r->data = g_memdup2(data, size);
	r->size = size;
	return &r->base;
}

bank_source *bank_reader_open(const char *path, const bank_reader_options *options, GError **error)
{
	bool standard = !strcmp(path, "-");
	reader *r = reader_new(standard ? "standard input" : path, options, error);
	int descriptor;

	if (!r)
		return NULL;
	descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor >= 0)
		r->file = gzdopen(descriptor, "rb");
	if (!r->file) {
		int reason = errno;

		if (descriptor >= 0)
			close(descriptor);
		reader_error(r, error, TSP_ERROR_IO, "cannot be opened: ", g_strerror(reason));
		bank_source_free(&r->base);
		return NULL;
	}
	return &r->base;
}

bank_format bank_reader_format(const bank_source *source)
{
	return source->free == reader_free ? ((const reader *)source)->options.format : BANK_FORMAT_AUTO;
}
