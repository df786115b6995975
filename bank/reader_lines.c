/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of the formats of bank/reader.h, and how a format is told from its first lines:
 *   stl             the first line of accesses begins "NUMBER:" or "NUMBER (" or "NUMBER read|write"
 *   load-store      it begins with LD or ST
 *   ramulator-dram  it is "NUMBER R" or "NUMBER W"
 *   ramulator-cpu   numbers are byte addresses, and each of the first 100 lines is two or three decimal numbers, the
 *                   second and third multiples of 64 from 4096 on, while some first number is no multiple of 64
 *   groups          otherwise; joined to groups of k when each of the first 100 lines has one number
 * Not accepted: address vectors of Ramulator 2 ("R 0,1,2"), which name no byte address without its mapping.
 */
#include "bank/reader_int.h"

enum { SAMPLE_LINES = 100, LINE_BYTES_OF_CPU_TRACES = 64, LEAST_CPU_ADDRESS = 4096, SAFE_DIGITS = 19 };

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool is_end(char c)
{
	return is_blank(c) || c == '\n' || c == '#';
}

static inline const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* Not strchr, which a zero byte would stop; the buffer ends with a line feed. */
static const char *line_feed(const char *s)
{
	while (*s != '\n')
		s++;
	return s;
}

const char *reader_i_fail(const reader *r, const char *s, GError **error, const char *what)
{
	g_autofree char *found = NULL;
	size_t length = 0;

	while (length < 24 && s[length] > ' ' && s[length] <= '~')
		length++;
	if (length)
		found = g_strdup_printf("'%.*s%s'", (int)length, s, length == 24 ? "..." : "");
	else if (*s == '\n' || *s == '\r')
		found = g_strdup("the end of the line");
	else
		found = g_strdup_printf("byte 0x%02x", (unsigned char)*s);
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "%s:%" G_GUINT64_FORMAT ":%ld: expected %s, found %s",
	            r->base.name, r->line_number, (long)(s - r->line_start) + 1, what, found);
	return NULL;
}

/* A number at S in BASE (10 also takes 0x), ended by a blank, a comment, the line or EXTRA; the text after it. */
static const char *number(const reader *r, const char *s, unsigned base, char extra, const char *what, uint64_t *value,
                          GError **error)
{
	const char *begin = s;
	uint64_t v = 0;
	bool fits = true;

	if (s[0] == '0' && (s[1] | 0x20) == 'x') {
		base = 16;
		s += 2;
	}
	if (base == 16 ? !g_ascii_isxdigit(*s) : !g_ascii_isdigit(*s))
		return reader_i_fail(r, begin, error, what);
	for (;; s++) {
		int digit = base == 16 ? g_ascii_xdigit_value(*s) : g_ascii_digit_value(*s);

		if (digit < 0)
			break;
		fits = fits && v <= (UINT64_MAX - (unsigned)digit) / base;
		v = v * base + (unsigned)digit;
	}
	if (!fits)
		return reader_i_fail(r, begin, error, "a number of at most 64 bits");
	if (!is_end(*s) && *s != extra)
		return reader_i_fail(r, begin, error, what);
	*value = v;
	return s;
}

static inline void append(const reader *r, bank_batch *batch, uint64_t value, unsigned kind)
{
	if (batch->accesses == batch->access_room)
		bank_batch_reserve(batch, 0, 1);
	if (G_UNLIKELY(kind ? r->options.no_writes : r->options.no_reads))
		return;
	if (batch->has_kinds)
		batch->kinds[batch->accesses] = (uint8_t)kind;
	batch->blocks[batch->accesses++] = bank_divide(&r->by_block, value);
}

/* What is neither a decimal number of a safe length nor a blank: hexadecimal and long numbers, marks, comments. */
static const char *rarity(const reader *r, const char *s, bank_batch *batch, unsigned *kind, GError **error)
{
	uint64_t value;

	if (*s == '#')
		return line_feed(s);
	if (((*s | 0x20) == 'r' || (*s | 0x20) == 'w') && is_end(s[1])) {
		*kind = (*s | 0x20) == 'w' ? BANK_WRITE : 0;
		batch->has_kinds = true;
		return s + 1;
	}
	if (!g_ascii_isdigit(*s))
		return reader_i_fail(r, s, error, r->options.blocks ? "a block number" : "a byte address");
	s = number(r, s, 10, ' ', "numbers apart by blanks, decimal or after 0x hexadecimal", &value, error);
	if (s)
		append(r, batch, value, *kind);
	return s;
}

static const char *groups_line(reader *r, const char *s, bank_batch *batch, GError **error)
{
	unsigned kind = 0;

	for (;;) {
		unsigned digit = (unsigned char)*s - (unsigned)'0';

		if (digit <= 9) {
			const char *begin = s;
			uint64_t value = digit;

			while ((digit = (unsigned char)*++s - (unsigned)'0') <= 9)
				value = value * 10 + digit;
			if (G_LIKELY((is_blank(*s) || *s == '\n') && s - begin <= SAFE_DIGITS)) {
				append(r, batch, value, kind);
				continue;
			}
			s = begin;
		} else if (is_blank(*s)) {
			s++;
			continue;
		} else if (*s == '\n') {
			return s + 1;
		}
		s = rarity(r, s, batch, &kind, error);
		if (!s)
			return NULL;
	}
}

/* To the next line; anything but a comment is an error. */
static const char *line_end(const reader *r, const char *s, const char *what, GError **error)
{
	s = skip_blanks(s);
	if (*s == '#')
		s = line_feed(s);
	return *s == '\n' ? s + 1 : reader_i_fail(r, s, error, what);
}

static bool is_empty(const char *s)
{
	s = skip_blanks(s);
	return *s == '\n' || *s == '#';
}

static const char *cpu_line(reader *r, const char *s, bank_batch *batch, GError **error)
{
	static const char what[] = "<instructions> <read address> [<write-back address>]";
	uint64_t value[3];

	if (is_empty(s))
		return line_end(r, s, what, error);
	for (unsigned i = 0; i < 3; i++) {
		s = skip_blanks(s);
		if (i == 2 && is_end(*s))
			break;
		s = number(r, s, 10, ' ', what, &value[i], error);
		if (!s)
			return NULL;
		if (i > 0)
			append(r, batch, value[i], i == 2 ? BANK_WRITE : 0);
	}
	return line_end(r, s, what, error);
}

static const char *dram_line(reader *r, const char *s, bank_batch *batch, GError **error)
{
	static const char what[] = "<address> R|W";
	uint64_t value;

	if (is_empty(s))
		return line_end(r, s, what, error);
	s = number(r, skip_blanks(s), 10, ' ', what, &value, error);
	if (!s)
		return NULL;
	s = skip_blanks(s);
	if (((*s | 0x20) != 'r' && (*s | 0x20) != 'w') || !is_end(s[1]))
		return reader_i_fail(r, s, error, "R or W");
	append(r, batch, value, (*s | 0x20) == 'w' ? BANK_WRITE : 0);
	return line_end(r, s + 1, what, error);
}

/* Is WORD (lower case) at S, in whatever case?  Then the text after it. */
static const char *word_at(const char *s, const char *word)
{
	for (; *word; s++, word++)
		if (g_ascii_tolower(*s) != *word)
			return NULL;
	return is_end(*s) ? s : NULL;
}

static const char *load_store_line(reader *r, const char *s, bank_batch *batch, GError **error)
{
	const char *load, *store;
	uint64_t value;

	if (is_empty(s))
		return line_end(r, s, "LD|ST <address>", error);
	s = skip_blanks(s);
	load = word_at(s, "ld");
	store = word_at(s, "st");
	if (!load && !store)
		return reader_i_fail(r, s, error, "LD or ST");
	s = number(r, skip_blanks(load ? load : store), 10, ' ', "an address, decimal or after 0x hexadecimal", &value,
	           error);
	if (!s)
		return NULL;
	append(r, batch, value, store ? BANK_WRITE : 0);
	return line_end(r, s, "the end of the line", error);
}

static const char *stl_line(reader *r, const char *s, bank_batch *batch, GError **error)
{
	const char *read, *write;
	uint64_t value;

	if (is_empty(s))
		return line_end(r, s, "", error);
	s = number(r, skip_blanks(s), 10, ':', "<cycle>: read|write <address>", &r->cycle, error);
	if (!s)
		return NULL;
	s = skip_blanks(*s == ':' ? s + 1 : s);
	if (*s == '(') {
		s = number(r, skip_blanks(s + 1), 10, ')', "the number of bytes in parentheses", &value, error);
		if (!s)
			return NULL;
		s = skip_blanks(s);
		if (*s != ')')
			return reader_i_fail(r, s, error, "')'");
		s = skip_blanks(s + 1);
	}
	read = word_at(s, "read");
	write = word_at(s, "write");
	if (!read && !write)
		return reader_i_fail(r, s, error, "read or write");
	s = number(r, skip_blanks(read ? read : write), 16, ' ', "a hexadecimal address", &value, error);
	if (!s)
		return NULL;
	append(r, batch, value, write ? BANK_WRITE : 0);
	s = skip_blanks(s);
	if (write && g_ascii_isxdigit(*s)) { /* the data written, of any length */
		if (s[0] == '0' && (s[1] | 0x20) == 'x')
			s += 2;
		while (g_ascii_isxdigit(*s))
			s++;
	}
	return line_end(r, s, "the end of the line", error);
}

/* What a line looks like. */
typedef struct look {
	unsigned numbers, others;
	uint64_t value[3];
	bool decimal; /* and so are all of them */
} look;

static void look_at(const char *s, look *l)
{
	*l = (look){.decimal = true};
	for (s = skip_blanks(s); *s != '\n' && *s != '#'; s = skip_blanks(s)) {
		const char *begin = s;
		uint64_t value = 0;
		bool decimal = true;

		for (; !is_end(*s); s++) {
			decimal = decimal && g_ascii_isdigit(*s) && s - begin < SAFE_DIGITS;
			value = value * 10 + (unsigned)(*s & 15);
		}
		if (g_ascii_isdigit(*begin)) {
			if (l->numbers < 3)
				l->value[l->numbers] = value;
			l->numbers++;
			l->decimal = l->decimal && decimal;
		} else {
			l->others++;
		}
	}
}

/* The formats that their first line of accesses betrays; BANK_FORMAT_AUTO for none. */
static bank_format betrayed(const char *s)
{
	s = skip_blanks(s);
	if (word_at(s, "ld") || word_at(s, "st"))
		return BANK_FORMAT_LOAD_STORE;
	if (!g_ascii_isdigit(*s))
		return BANK_FORMAT_AUTO;
	while (g_ascii_isalnum(*s))
		s++;
	if (*s == ':')
		return BANK_FORMAT_STL;
	s = skip_blanks(s);
	if (*s == '(' || word_at(s, "read") || word_at(s, "write"))
		return BANK_FORMAT_STL;
	if ((word_at(s, "r") || word_at(s, "w")) && is_empty(s + 1))
		return BANK_FORMAT_RAMULATOR_DRAM;
	return BANK_FORMAT_AUTO;
}

bool reader_i_recognise(reader *r, GError **error)
{
	static const reader_line lines[BANK_FORMAT_COUNT] = {
		[BANK_FORMAT_GROUPS] = groups_line,         [BANK_FORMAT_FLAT] = groups_line,
		[BANK_FORMAT_RAMULATOR_CPU] = cpu_line,     [BANK_FORMAT_RAMULATOR_DRAM] = dram_line,
		[BANK_FORMAT_LOAD_STORE] = load_store_line, [BANK_FORMAT_STL] = stl_line,
	};
	const char *s = r->buffer + r->begin, *end = r->buffer + r->complete;
	bank_format *format = &r->options.format;
	bool cpu = !r->options.blocks, odd = false, single = true;

	for (unsigned n = 0; n < SAMPLE_LINES && s < end; s = line_feed(s) + 1) {
		look l;

		look_at(s, &l);
		if (!l.numbers && !l.others)
			continue;
		if (n++ == 0 && *format == BANK_FORMAT_AUTO)
			*format = betrayed(s);
		single = single && l.numbers < 2;
		cpu = cpu && !l.others && l.decimal && (l.numbers == 2 || l.numbers == 3);
		for (unsigned i = 1; cpu && i < l.numbers; i++)
			cpu = l.value[i] % LINE_BYTES_OF_CPU_TRACES == 0 && l.value[i] >= LEAST_CPU_ADDRESS;
		odd = odd || l.value[0] % LINE_BYTES_OF_CPU_TRACES;
	}
	if (*format == BANK_FORMAT_AUTO)
		*format = cpu && odd ? BANK_FORMAT_RAMULATOR_CPU : BANK_FORMAT_GROUPS;
	r->line = lines[*format];
	r->single = *format == BANK_FORMAT_GROUPS && single && r->options.k > 0;
	r->joined = r->options.k > 0 && (*format != BANK_FORMAT_GROUPS || single);
	r->by_cycle = *format == BANK_FORMAT_STL && !r->joined;
	if (*format == BANK_FORMAT_FLAT && !r->options.k) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
		            "%s: expected the lanes of a group (k) for the format flat", r->base.name);
		return false;
	}
	return true;
}
