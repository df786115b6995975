/* SPDX-License-Identifier: Apache-2.0
 *
 * The input of a convolution as words of taps.
 *
 * Slices deliver whole words and nothing moves lanes on the way to the matrix unit, so what an ABC takes, all channels
 * of some taps, lies in one word.  Output (row, column), filter row r and the tap block that begins with tap s meet
 * pixel (row * stride + r, column * stride + s); words are numbered so that equal pixels have one word: lines (pixel
 * rows) outside, in a line the phases of the stride, in a phase columns of the first tap block, then those that later
 * blocks add.
 */
#include "sched/emit/isca20_mxm.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

isca_taps isca_taps_of(const graph_conv *c)
{
	uint64_t common = common_divisor(c->block_taps, c->stride_w);
	isca_taps t = {
		.starts = (c->s - 1) / c->block_taps + 1,
		.span = MIN(c->block_taps / common, c->ow),
		.line_step = MIN(c->stride_h, c->r),
	};

	t.phases = MIN(t.starts, c->stride_w / common);
	t.line_words = (t.starts - t.phases) * t.span + t.phases * c->ow;
	t.lines = (c->oh - 1) * t.line_step + c->r;
	return t;
}

bool isca_taps_share(const isca_taps *t, const graph_conv *c)
{
	return t->lines * t->line_words < c->oh * c->r * c->ow * t->starts;
}

/* The first word of PHASE in a line; phases below the remainder have one start more. */
static uint64_t phase_word(const isca_taps *t, const graph_conv *c, uint64_t phase)
{
	return phase * c->ow + t->span * (phase * (t->starts / t->phases - 1) + MIN(phase, t->starts % t->phases));
}

uint64_t isca_taps_at(const isca_taps *t, const graph_conv *c, uint64_t row, uint64_t column, uint64_t r, uint64_t s)
{
	uint64_t line = row * t->line_step + r, start = s / c->block_taps;

	return line * t->line_words + phase_word(t, c, start % t->phases) + start / t->phases * t->span + column;
}

uint64_t isca_taps_height(const isca_taps *t, const graph_conv *c, uint64_t line)
{
	uint64_t row = MIN(line / t->line_step, c->oh - 1);

	return row * c->stride_h + line - row * t->line_step;
}

uint64_t isca_taps_pixel(const isca_taps *t, const graph_conv *c, uint64_t word)
{
	uint64_t phase = t->phases - 1, turns, turn;

	while (phase_word(t, c, phase) > word)
		phase--;
	word -= phase_word(t, c, phase);
	turns = (t->starts - phase - 1) / t->phases;
	turn = MIN(word / t->span, turns);
	return (word - turn * t->span) * c->stride_w + (phase + turn * t->phases) * c->block_taps;
}
