/* SPDX-License-Identifier: Apache-2.0
 *
 * Per instruction one record of a cache line: its predictions and where its loops stand.  Issues of one instruction
 * come in order nearly always, so the next expected cycle is kept and stepped; only an index out of order is divided
 * out.
 */
#include "tools/compare.h"

typedef struct expectation {
	int64_t cycle;   /* of issue number `next` */
	int64_t outer;   /* of the inner loop's first issue in that round */
	uint32_t next;   /* issue number expected */
	uint32_t inner;  /* its index in the inner loop */
	uint32_t seen;   /* issues so far, wrapping */
	uint32_t count0; /* of the inner loop */
	uint32_t interval0, interval1;
	int32_t arrival[ISA_OPERANDS];
	int32_t result;
	int32_t beats;
} expectation;

struct compare {
	const isa_program *program;
	expectation *expected;
	size_t insns;
	uint64_t events;
	uint64_t mismatches;
	unsigned kept;
	compare_difference difference[COMPARE_KEPT];
};

/* What the scheduler said about ID; instructions that lowering added (IFETCH) have an issue cycle only. */
static const isa_prediction *prediction_of(const isa_program *program, uint32_t id)
{
	static const isa_prediction nothing = {
		.arrival = {ISA_NO_TIME, ISA_NO_TIME, ISA_NO_TIME}, .result = ISA_NO_TIME, .beats = 0};

	return id < program->predictions->len ? &g_array_index(program->predictions, isa_prediction, id) : &nothing;
}

compare *compare_new(const isa_program *program)
{
	compare *c = g_new0(compare, 1);

	g_assert(program->has_predictions);
	c->program = program;
	c->insns = program->insns->len;
	c->expected = g_new0(expectation, c->insns);
	for (uint32_t id = 0; id < c->insns; id++) {
		const isa_insn *insn = isa_program_insn(program, id);
		const isa_prediction *prediction = prediction_of(program, id);
		expectation *e = &c->expected[id];

		*e = (expectation){
			.cycle = insn->cycle,
			.outer = insn->cycle,
			.count0 = insn->loop[0].count,
			.interval0 = insn->loop[0].interval,
			.interval1 = insn->loop[1].interval,
			.result = prediction->result,
			.beats = prediction->beats,
		};
		for (unsigned k = 0; k < ISA_OPERANDS; k++)
			e->arrival[k] = prediction->arrival[k];
	}
	return c;
}

void compare_free(compare *c)
{
	if (!c)
		return;
	g_free(c->expected);
	g_free(c);
}

static void differ(compare *c, uint32_t insn, uint32_t index, enum compare_what what, int64_t predicted,
                   int64_t simulated)
{
	c->mismatches++;
	if (c->kept < COMPARE_KEPT)
		c->difference[c->kept++] = (compare_difference){insn, index, what, predicted, simulated};
}

/* Puts E at issue number INDEX. */
static void seek(expectation *e, const isa_insn *insn, uint32_t index)
{
	e->next = index;
	e->inner = index % e->count0;
	e->cycle = insn->cycle + isa_insn_offset(insn, index);
	e->outer = e->cycle - (int64_t)e->inner * e->interval0;
}

/* Moves E to the next issue number. */
static inline void step(expectation *e)
{
	e->seen++;
	e->next++;
	if (++e->inner < e->count0) {
		e->cycle += e->interval0;
	} else {
		e->inner = 0;
		e->outer += e->interval1;
		e->cycle = e->outer;
	}
}

static void compare_issues(void *state, const probe_issue *records, size_t count)
{
	compare *c = state;
	uint64_t events = 0;

	for (const probe_issue *r = records; r < records + count; r++) {
		expectation *e;

		/* Instructions without a number in the container (a queue word that decodes to none) have no
		 * prediction. */
		if (G_UNLIKELY(r->insn >= c->insns))
			continue;
		e = &c->expected[r->insn];
		if (G_UNLIKELY(r->index != e->next))
			seek(e, isa_program_insn(c->program, r->insn), r->index);
		events++;
		if (G_UNLIKELY(r->cycle != e->cycle))
			differ(c, r->insn, r->index, COMPARE_ISSUE, e->cycle, r->cycle);
		for (unsigned k = 0; k < ISA_OPERANDS; k++) {
			if (e->arrival[k] == ISA_NO_TIME)
				continue;
			events++;
			if (G_UNLIKELY(r->arrival[k] != e->cycle + e->arrival[k]))
				differ(c, r->insn, r->index, COMPARE_ARRIVAL + k, e->cycle + e->arrival[k],
				       r->arrival[k]);
		}
		if (e->result != ISA_NO_TIME) {
			events++;
			if (G_UNLIKELY(r->result != e->cycle + e->result))
				differ(c, r->insn, r->index, COMPARE_RESULT, e->cycle + e->result, r->result);
		}
		if (e->beats) {
			events++;
			if (G_UNLIKELY(r->beats != e->beats))
				differ(c, r->insn, r->index, COMPARE_BEATS, e->beats, r->beats);
		}
		step(e);
	}
	c->events += events;
}

probe_listener compare_listener(compare *c)
{
	return (probe_listener){.state = c, .issues = compare_issues};
}

void compare_finish(compare *c, int64_t cycles)
{
	for (uint32_t id = 0; id < c->insns; id++) {
		uint32_t wanted = (uint32_t)isa_insn_issues(isa_program_insn(c->program, id));

		if (c->expected[id].seen != wanted)
			differ(c, id, 0, COMPARE_ISSUES, wanted, c->expected[id].seen);
	}
	if (c->program->predicted_cycles >= 0 && c->program->predicted_cycles != cycles)
		differ(c, UINT32_MAX, 0, COMPARE_LENGTH, c->program->predicted_cycles, cycles);
}

uint64_t compare_events(const compare *c)
{
	return c->events;
}

uint64_t compare_mismatches(const compare *c)
{
	return c->mismatches;
}

const compare_difference *compare_kept(const compare *c, unsigned *count)
{
	*count = c->kept;
	return c->difference;
}

const char *compare_what_name(enum compare_what what)
{
	static const char *const names[] = {
		[COMPARE_ISSUE] = "issue",
		[COMPARE_ARRIVAL] = "arrival of operand 0",
		[COMPARE_ARRIVAL + 1] = "arrival of operand 1",
		[COMPARE_ARRIVAL + 2] = "arrival of operand 2",
		[COMPARE_RESULT] = "result",
		[COMPARE_BEATS] = "beats",
		[COMPARE_ISSUES] = "number of issues",
		[COMPARE_LENGTH] = "length of the run",
	};

	return names[what];
}
