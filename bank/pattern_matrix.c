/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns laid out in bytes: element e of a pattern is at some byte, and its block is that byte div the block size;
 * with "/pt" an element is a block.  L is the lanes of a wave.
 *   tr, pitch  element (r, c) of a row-major matrix at byte r PITCH + OFFSET + c ELEMENT; column c = 0, 1, ..., in it
 *              rows 0 .. R - 1, L successive rows a wave, the last of a column maybe shorter.  tr: PITCH = COLS ELEMENT
 *   kv         head h = 0 .. PITCH div HEAD - 1, in it the blocks that hold the head's part of a token (one access for
 *              every block size within HEAD bytes), for each all tokens, L successive tokens a wave: byte
 *              token PITCH + h HEAD + i B.  With PAGE, token t stands at place page[t div PAGE] PAGE + t mod PAGE, page
 *              a random permutation
 *   fft        stage distance d = 1, 2, .. N/2; butterfly j = 0 .. N/2 - 1 of a stage has operands
 *              a = (j div d) 2 d + j mod d and a + d; a wave is L/2 successive butterflies, first all a, then all a + d
 *   bitrev     element reverse(i), i = 0 .. N - 1, L successive i a wave
 *   diag       diagonal q = 0 .. N - 1, in it r = 0 .. N - 1, element (r, (q + r) mod N); antidiag (r, (q - r) mod N)
 */
#include "bank/pattern_int.h"

enum { DEFAULT_PITCH_ROWS = 4096, DEFAULT_HEAD_BYTES = 128, MAX_PAGES = 1 << 24 };

/* Element and block sizes; a pattern of elements that are DEFAULT_BYTES long. */
static void lay_out(pattern *p, unsigned default_bytes)
{
	p->in_bytes = true;
	p->element_bytes = p->per_point ? 1 : p->options.element_bytes ? p->options.element_bytes : default_bytes;
	p->by_block = bank_divider_of(p->per_point ? 1 : p->options.block_bytes);
}

static unsigned matrix_wave(pattern *p, uint64_t *blocks)
{
	unsigned lanes = (unsigned)MIN(p->lanes, p->rows - p->at[1]);
	uint64_t byte = p->at[1] * p->row_bytes + p->offset_bytes + p->at[0] * p->element_bytes;

	if (p->at[0] == p->columns)
		return 0;
	for (unsigned i = 0; i < lanes; i++, byte += p->row_bytes)
		blocks[i] = bank_divide(&p->by_block, byte);
	p->at[1] += lanes;
	if (p->at[1] == p->rows) {
		p->at[1] = 0;
		p->at[0]++;
	}
	return lanes;
}

static bool matrix(pattern *p, GError **error)
{
	uint64_t bytes;

	if (!p->rows || !p->columns)
		return pattern_i_fail(p, error, "expected a matrix of at least one element");
	if (__builtin_mul_overflow(p->rows, p->row_bytes, &bytes) || bytes > UINT64_C(1) << 62)
		return pattern_i_fail(p, error, "expected a matrix of at most 2^62 bytes");
	p->wave = matrix_wave;
	return true;
}

bool pattern_i_tr(pattern *p, GError **error)
{
	lay_out(p, 2);
	p->rows = p->number[0];
	p->columns = p->count > 1 ? p->number[1] : p->number[0];
	if (p->count > 1 && !p->by[1])
		return pattern_i_fail(p, error, "expected tr:ROWSxCOLS");
	if (__builtin_mul_overflow(p->columns, p->element_bytes, &p->row_bytes))
		return pattern_i_fail(p, error, "expected rows of less than 2^64 bytes");
	return matrix(p, error);
}

bool pattern_i_pitch(pattern *p, GError **error)
{
	if (p->count > 1)
		p->options.element_bytes = (unsigned)MIN(p->number[1], UINT32_MAX);
	lay_out(p, 2);
	p->row_bytes = p->number[0];
	p->offset_bytes = p->count > 2 ? p->number[2] : 0;
	p->rows = p->count > 3 ? p->number[3] : DEFAULT_PITCH_ROWS;
	p->columns = p->row_bytes / p->element_bytes;
	return matrix(p, error);
}

/* The permutation of pages, which is drawn anew, and alike, after each rewinding. */
static void kv_begin(pattern *p)
{
	uint64_t pages = p->length ? p->rows / p->length : 0;

	if (!pages)
		return;
	p->table = g_renew(uint64_t, p->table, pages);
	for (uint64_t i = 0; i < pages; i++)
		p->table[i] = i;
	for (uint64_t i = pages; i > 1; i--) {
		uint64_t j = rng_below(&p->random, i), kept = p->table[i - 1];

		p->table[i - 1] = p->table[j];
		p->table[j] = kept;
	}
}

static unsigned kv_wave(pattern *p, uint64_t *blocks)
{
	unsigned lanes = (unsigned)MIN(p->lanes, p->rows - p->at[2]);
	uint64_t byte = p->at[0] * p->element_bytes + p->at[1] * p->by_block.divisor;

	if (p->at[0] == p->columns)
		return 0;
	for (unsigned i = 0; i < lanes; i++) {
		uint64_t token = p->at[2] + i;

		if (p->table)
			token = p->table[token / p->length] * p->length + token % p->length;
		blocks[i] = bank_divide(&p->by_block, token * p->row_bytes + byte);
	}
	p->at[2] += lanes;
	if (p->at[2] == p->rows) {
		p->at[2] = 0;
		if ((++p->at[1]) * p->by_block.divisor >= p->element_bytes) {
			p->at[1] = 0;
			p->at[0]++;
		}
	}
	return lanes;
}

bool pattern_i_kv(pattern *p, GError **error)
{
	uint64_t page = p->count > 3 ? p->number[3] : 0;

	if (p->per_point)
		return pattern_i_fail(p, error, "expected /BYTESB; a head of a token is not a point");
	p->options.element_bytes = p->count > 2 ? (unsigned)MIN(p->number[2], UINT32_MAX) : DEFAULT_HEAD_BYTES;
	lay_out(p, DEFAULT_HEAD_BYTES);
	p->rows = p->number[0];
	p->row_bytes = p->number[1];
	if (!p->element_bytes || p->row_bytes < p->element_bytes)
		return pattern_i_fail(p, error, "expected a pitch of at least one head, and a head of at least a byte");
	p->columns = p->row_bytes / p->element_bytes;
	if (!matrix(p, error))
		return false;
	if (p->count > 3) {
		if (!page || p->rows % page || p->rows / page > MAX_PAGES)
			return pattern_i_fail(p, error, "expected pages that divide the tokens into at most %d",
			                      MAX_PAGES);
		p->length = page;
	}
	p->begin = kv_begin;
	p->wave = kv_wave;
	return true;
}

static unsigned fft_wave(pattern *p, uint64_t *blocks)
{
	uint64_t half = p->length / 2, stage = p->at[0], mask;
	unsigned flies = (unsigned)MIN(p->lanes / 2, half - p->at[1]);

	if (UINT64_C(1) << stage > half)
		return 0;
	mask = (UINT64_C(1) << stage) - 1;
	for (unsigned i = 0; i < flies; i++) {
		uint64_t j = p->at[1] + i;
		uint64_t a = (j & ~mask) * 2 + (j & mask);

		blocks[i] = bank_divide(&p->by_block, a * p->element_bytes);
		blocks[flies + i] = bank_divide(&p->by_block, (a + mask + 1) * p->element_bytes);
	}
	p->at[1] += flies;
	if (p->at[1] == half) {
		p->at[1] = 0;
		p->at[0]++;
	}
	return 2 * flies;
}

bool pattern_i_fft(pattern *p, GError **error)
{
	lay_out(p, 8);
	p->length = p->number[0];
	if (p->length < 2 || p->length & (p->length - 1) || p->length > UINT64_C(1) << 30)
		return pattern_i_fail(p, error, "expected a power of two from 2 to 2^30 points");
	if (p->lanes % 2)
		return pattern_i_fail(p, error, "expected an even number of lanes, two a butterfly, found %u",
		                      p->lanes);
	p->merge = p->merge || !p->per_point;
	p->default_groups = UINT64_MAX;
	p->wave = fft_wave;
	return true;
}

/* Order of patterns whose elements are blocks unless the text or the options give sizes. */
static void lay_out_points(pattern *p, unsigned default_bytes)
{
	p->per_point = !p->has_block_bytes && !p->options.element_bytes;
	lay_out(p, default_bytes);
}

static uint64_t reverse_bits(uint64_t x, unsigned bits)
{
	uint64_t reversed = 0;

	for (unsigned i = 0; i < bits; i++, x >>= 1)
		reversed = reversed << 1 | (x & 1);
	return reversed;
}

static unsigned bitrev_wave(pattern *p, uint64_t *blocks)
{
	unsigned lanes = (unsigned)MIN(p->lanes, p->length - p->at[0]);
	unsigned bits = (unsigned)__builtin_ctzll(p->length);

	for (unsigned i = 0; i < lanes; i++)
		blocks[i] = bank_divide(&p->by_block, reverse_bits(p->at[0] + i, bits) * p->element_bytes);
	p->at[0] += lanes;
	return lanes;
}

bool pattern_i_bitrev(pattern *p, GError **error)
{
	lay_out_points(p, 8);
	p->length = p->number[0];
	if (p->length < 1 || p->length & (p->length - 1) || p->length > UINT64_C(1) << 30)
		return pattern_i_fail(p, error, "expected a power of two from 1 to 2^30 points");
	p->merge = p->merge || !p->per_point;
	p->wave = bitrev_wave;
	return true;
}

static unsigned diagonal_wave(pattern *p, uint64_t *blocks)
{
	uint64_t n = p->rows, diagonal = p->at[0], row = p->at[1];
	unsigned lanes = (unsigned)MIN(p->lanes, n - row);

	if (diagonal == n)
		return 0;
	for (unsigned i = 0; i < lanes; i++, row++) {
		uint64_t column = p->step ? diagonal + row : diagonal + n - row;

		column -= column >= n ? n : 0;
		blocks[i] = bank_divide(&p->by_block, row * p->row_bytes + column * p->element_bytes);
	}
	p->at[1] = row;
	if (row == n) {
		p->at[1] = 0;
		p->at[0]++;
	}
	return lanes;
}

static bool diagonal(pattern *p, uint64_t step, GError **error)
{
	uint64_t pitch = p->count > 1 ? p->number[1] : p->number[0];

	lay_out_points(p, 2);
	p->rows = p->columns = p->number[0];
	p->step = step;
	if (pitch < p->columns)
		return pattern_i_fail(p, error, "expected a pitch of at least N elements");
	if (__builtin_mul_overflow(pitch, p->element_bytes, &p->row_bytes))
		return pattern_i_fail(p, error, "expected rows of less than 2^64 bytes");
	if (!matrix(p, error))
		return false;
	p->wave = diagonal_wave;
	return true;
}

bool pattern_i_diag(pattern *p, GError **error)
{
	return diagonal(p, 1, error);
}

bool pattern_i_antidiag(pattern *p, GError **error)
{
	return diagonal(p, 0, error);
}
