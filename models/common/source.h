/* SPDX-License-Identifier: Apache-2.0
 *
 * Which producer does a program name for an operand?  Walks the pieces of the side table (isa/program.h) segment by
 * segment, in runs that share one producer, so that a check costs per run and not per segment.
 */
#ifndef TSPSIM_MODELS_COMMON_SOURCE_H
#define TSPSIM_MODELS_COMMON_SOURCE_H

#include "isa/program.h"

typedef struct model_expect {
	const isa_source *piece;
	unsigned pieces;  /* left, this one included; 0 = nothing (more) is named */
	uint32_t i0, i1;  /* loop indices of the issue */
	uint32_t segment; /* next one, inside this piece */
} model_expect;

static inline void model_expect_begin(model_expect *e, const isa_source *piece, unsigned pieces, uint32_t i0,
                                      uint32_t i1)
{
	*e = (model_expect){piece, pieces, i0, i1, 0};
}

/* Takes the next segments, at most MAX, that share one producer; returns their number.  *NAMED tells whether the
 * program names that producer, *TAG is its instance (0 = host data). */
static inline uint32_t model_expect_run(model_expect *e, uint32_t max, bool *named, uint32_t *tag)
{
	const isa_source *p;
	uint32_t run = max;

	while (e->pieces && e->piece->segments && e->segment == e->piece->segments) {
		e->piece++;
		e->pieces--;
		e->segment = 0;
	}
	*named = e->pieces > 0;
	*tag = 0;
	if (!e->pieces)
		return max;
	p = e->piece;
	if (p->segments)
		run = MIN(run, p->segments - e->segment);
	if (!p->resident) {
		*tag = p->base + e->i0 * (uint32_t)p->step0 + e->i1 * (uint32_t)p->step1;
		if (p->seg_step) {
			uint32_t divisor = MAX(p->seg_div, 1u);

			*tag += e->segment / divisor * (uint32_t)p->seg_step;
			run = MIN(run, divisor - e->segment % divisor);
		}
	}
	e->segment += run;
	return run;
}

#endif
