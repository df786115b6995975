/* SPDX-License-Identifier: Apache-2.0
 *
 * Races, double sets, flags left and deadlocks: random streams with random flags and barriers, judged by the models and
 * by brute force over every pair and byte.
 *
 * The models find, of several races of a place, the first.  So every pair they report must be a race, and every byte
 * that any two instructions race for must be one that a reported pair races for.  What a gather picks depends on
 * values, and those on the order of what races before it: of a pair with a gather it is enough that nothing orders them
 * and that the other writes the byte (test_asc_values.c and test_asc_data.c know what gathers read).
 *
 * TSPSIM_FUZZ_PROGRAMS and TSPSIM_FUZZ_SEED in the environment ask for more and for others.
 */
#include "tests/differential/asc_hb.h"
#include "tests/differential/asc_random.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { PROGRAMS = 80, REPORTED = 3, STEPS = 26, PENDING = 8 };

static const struct {
	const char *machine;
	enum asc_kind kind;
} targets[] = {
	{"ascend-910a", ASC_COUPLED},
	{"ascend-910b", ASC_CUBE},
	{"ascend-910b", ASC_VECTOR},
	{"ascend-310p", ASC_COUPLED},
};

static struct {
	unsigned programs, differing, racing, deadlocked, left, doubled;
	uint64_t steps, pairs, reported, ordered;
} tally;

/* The streams of one core: one, or a cube core's and two vector cores'. */
enum { PARTS = 3 };
typedef struct order_case {
	uint64_t seed;
	asc_case *part[PARTS];
	unsigned parts;
} order_case;

typedef struct pending {
	asc_insn wait[PENDING];
	unsigned count;
} pending;

static asc_insn flag(enum asc_op op, enum asc_pipe from, enum asc_pipe to, int64_t id)
{
	asc_insn insn = asc_insn_make(op);

	insn.f[0] = from;
	insn.f[1] = to;
	insn.f[2] = id;
	return insn;
}

static void append_wait(asc_case *c, pending *p)
{
	unsigned i;

	if (!p->count)
		return;
	i = (unsigned)case_below(c, p->count);
	/* Now and then forgotten, which leaves the flag set. */
	if (!case_chance(c, 2))
		case_append(c, &p->wait[i], true);
	p->wait[i] = p->wait[--p->count];
}

static void append_set(asc_case *c, pending *p)
{
	enum asc_pipe from, to;
	asc_insn set, wait;
	int64_t id = (int64_t)case_below(c, 2);

	do {
		from = (enum asc_pipe)case_below(c, ASC_PIPES);
		to = (enum asc_pipe)case_below(c, ASC_PIPES);
	} while (!asc_flag_pair(c->kind, from, to));
	set = flag(ASC_OP_SETFLAG, from, to, id);
	wait = flag(ASC_OP_WAITFLAG, from, to, id);
	for (unsigned i = 0; i < p->count && !case_chance(c, 5); i++)
		if (memcmp(p->wait[i].f, wait.f, 3 * sizeof(wait.f[0])) == 0)
			return; /* a double set, mostly */
	if (p->count == PENDING)
		return;
	/* Now and then the wait comes first, or its set never. */
	if (case_chance(c, 2)) {
		case_append(c, &wait, true);
		if (case_chance(c, 50))
			case_append(c, &set, true);
		return;
	}
	case_append(c, &set, true);
	p->wait[p->count++] = wait;
}

static void append_barrier(asc_case *c)
{
	asc_insn insn = asc_insn_make(ASC_OP_BARRIER);

	do
		insn.f[0] = (int64_t)case_below(c, case_chance(c, 25) ? ASC_PIPES + 1 : ASC_PIPES);
	while (insn.f[0] == ASC_PIPE_S ||
	       (insn.f[0] != ASC_PIPE_ALL && !asc_kind_has_pipe(c->kind, (enum asc_pipe)insn.f[0])));
	case_append(c, &insn, true);
}

/* About COUNT more steps. */
static void append_steps(asc_case *c, pending *p, unsigned syncs, unsigned count)
{
	guint end = c->items->len + count;

	while (c->items->len < end) {
		if (!case_chance(c, syncs)) {
			random_append(c, ASC_OP_COUNT);
			continue;
		}
		switch (case_below(c, 5)) {
		case 0:
			append_barrier(c);
			break;
		case 1:
		case 2:
			append_set(c, p);
			break;
		default:
			append_wait(c, p);
			break;
		}
	}
}

static order_case *case_of_one(uint64_t seed, asc_machine *machine, enum asc_kind kind)
{
	order_case *o = g_new0(order_case, 1);
	asc_case *c = asc_case_bare(seed, machine, kind);
	pending p = {.count = 0};

	o->seed = seed;
	o->part[o->parts++] = c;
	append_steps(c, &p, 10 + (unsigned)case_below(c, 70), STEPS);
	while (p.count)
		append_wait(c, &p);
	return o;
}

static void append_cross(asc_case *c, enum asc_pipe pipe, int64_t mode, int64_t id)
{
	asc_insn insn = asc_insn_make(ASC_OP_SETCROSS);

	insn.f[0] = pipe;
	insn.f[1] = mode;
	insn.f[2] = id;
	/* Now and then forgotten: who waits for it waits for ever. */
	if (!case_chance(c, 2))
		case_append(c, &insn, true);
}

static void append_cross_wait(asc_case *c, int64_t id)
{
	asc_insn insn = asc_insn_make(ASC_OP_WAITCROSS);

	insn.f[0] = ASC_PIPE_MTE2;
	insn.f[1] = id;
	if (!case_chance(c, 2))
		case_append(c, &insn, true);
}

/* Word NUMBER, behind what random instructions touch. */
static asc_insn word(enum asc_op op, unsigned number)
{
	enum { WORDS = CASE_BYTES - 4096, WORD_BYTES = 8 };
	asc_insn insn = asc_insn_make(op);

	insn.f[0] = WORDS + number * WORD_BYTES;
	insn.f[1] = HB_WORD;
	return insn;
}

/* One sub-core sets a word, others wait for it. */
static void append_word(order_case *o, unsigned number)
{
	unsigned by = (unsigned)case_below(o->part[0], PARTS);
	asc_insn set = word(ASC_OP_SETWORD, number), wait = word(ASC_OP_WAITWORD, number);

	/* Pipes are not known complete behind nothing. */
	if (case_chance(o->part[0], 70)) {
		asc_insn all = asc_insn_make(ASC_OP_BARRIER);

		case_append(o->part[by], &all, true);
	}
	if (!case_chance(o->part[0], 2))
		case_append(o->part[by], &set, true);
	for (unsigned s = 0; s < PARTS; s++)
		if (s != by && case_chance(o->part[0], 80))
			case_append(o->part[s], &wait, true);
}

/* Exchange NUMBER between the sub-cores; each id has its direction and pipe. */
static void append_exchange(order_case *o, unsigned number)
{
	asc_case *cube = o->part[0];

	switch (case_below(cube, 6)) {
	case 4:
	case 5:
		append_word(o, number);
		break;
	case 0:
		append_cross(cube, ASC_PIPE_FIX, 2, 0);
		append_cross_wait(o->part[1], 0);
		append_cross_wait(o->part[2], 0);
		break;
	case 1:
		append_cross(cube, ASC_PIPE_MTE2, 2, 1);
		append_cross_wait(o->part[1], 1);
		append_cross_wait(o->part[2], 1);
		break;
	case 2:
		append_cross(o->part[1], ASC_PIPE_MTE3, 2, 2);
		append_cross(o->part[2], ASC_PIPE_MTE3, 2, 2);
		append_cross_wait(cube, 2);
		break;
	default:
		for (unsigned s = 1; s < PARTS; s++) {
			append_cross(o->part[s], ASC_PIPE_MTE3, 1, 3);
			append_cross_wait(o->part[s], 3);
		}
		break;
	}
}

static order_case *case_of_three(uint64_t seed, asc_machine *machine)
{
	order_case *o = g_new0(order_case, 1);
	pending p[PARTS] = {{.count = 0}};
	unsigned exchanges, syncs;

	o->seed = seed;
	o->parts = PARTS;
	for (unsigned s = 0; s < PARTS; s++)
		o->part[s] = asc_case_bare(seed + s * 0x100000, machine, s ? ASC_VECTOR : ASC_CUBE);
	exchanges = (unsigned)case_below(o->part[0], 6);
	syncs = 10 + (unsigned)case_below(o->part[0], 60);
	for (unsigned e = 0; e <= exchanges; e++) {
		for (unsigned s = 0; s < PARTS; s++)
			append_steps(o->part[s], &p[s], syncs, (unsigned)case_below(o->part[0], 6));
		if (e < exchanges)
			append_exchange(o, e);
	}
	for (unsigned s = 0; s < PARTS; s++)
		while (p[s].count)
			append_wait(o->part[s], &p[s]);
	return o;
}

static void order_case_free(order_case *o)
{
	for (unsigned s = 0; s < o->parts; s++)
		asc_case_free(o->part[s]);
	g_free(o);
}

static asc_program *program_of(const order_case *o)
{
	asc_program *p = asc_case_program(o->part[0]);

	for (unsigned s = 1; s < o->parts; s++) {
		asc_program *q = asc_case_program(o->part[s]);
		const asc_stream *from = q->streams->pdata[0];
		asc_stream *to = asc_program_stream(p, ASC_VECTOR, (int32_t)s - 1, ASC_ALL_BLOCKS);

		g_array_append_vals(to->insns, from->insns->data, from->insns->len);
		asc_program_free(q);
	}
	return p;
}

/* Steps of what is not left out, with what each touches. */
static GArray *steps_of(const order_case *o, const asc_program *program)
{
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(hb_step));

	for (unsigned sub = 0; sub < o->parts; sub++) {
		const asc_stream *s = program->streams->pdata[sub];
		asc_ref *r = asc_ref_new(o->part[sub]->machine, o->part[sub]->kind, CASE_BYTES);

		r->blind = true;
		for (guint i = 0; i + 1 < s->insns->len; i++) {
			hb_step step = {g_array_index(s->insns, asc_insn, i), sub,
			                g_array_new(FALSE, FALSE, sizeof(ref_access))};

			asc_ref_step(r, &step.insn);
			asc_ref_join(r);
			if (!r->beyond)
				g_array_append_vals(step.accesses, r->accesses->data, r->accesses->len);
			g_array_append_val(steps, step);
		}
		asc_ref_free(r);
	}
	return steps;
}

/* The step of instruction INSN of STREAM. */
static unsigned step_at(const asc_hb *h, uint32_t stream, uint32_t insn)
{
	for (unsigned i = 0; i < h->count; i++)
		if (h->steps[i].sub == stream)
			return i + insn;
	return h->count;
}

static void steps_free(GArray *steps)
{
	for (guint i = 0; i < steps->len; i++)
		g_array_unref(g_array_index(steps, hb_step, i).accesses);
	g_array_unref(steps);
}

static bool is_pair(const asc_hb *h, const asc_violation *v, unsigned a, unsigned b)
{
	unsigned x, y;

	if (v->kind != ASC_FINDING_RACE)
		return false;
	x = step_at(h, v->stream, v->insn);
	y = step_at(h, v->other_stream, v->other_insn);
	return (x == a && y == b) || (x == b && y == a);
}

static unsigned complain(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);
static unsigned complain(GString *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (text && text->len < 1000)
		g_string_append_vprintf(text, format, args);
	va_end(args);
	return 1;
}

static const hb_race *race_of(const asc_hb *h, unsigned a, unsigned b)
{
	for (guint i = 0; i < h->races->len; i++) {
		const hb_race *r = &g_array_index(h->races, hb_race, i);

		if (r->earlier == MIN(a, b) && r->later == MAX(a, b))
			return r;
	}
	return NULL;
}

/* A gather that has values and a write of BYTE that nothing orders? */
static bool may_gather(const asc_hb *h, const asc_outcome *o, const asc_violation *v, uint64_t byte)
{
	unsigned a = step_at(h, v->stream, v->insn), b = step_at(h, v->other_stream, v->other_insn);

	if (!o->gm || v->kind != ASC_FINDING_RACE || v->space != ASC_UB || byte < v->address ||
	    byte >= v->address + v->bytes || h->steps[a].sub != h->steps[b].sub)
		return false;
	if (!asc_hb_gathers(&h->steps[a]) && !asc_hb_gathers(&h->steps[b]))
		return false;
	return !asc_hb_ordered(h, a, b) && !asc_hb_ordered(h, b, a) &&
	       (asc_hb_writes(&h->steps[a], ASC_UB, byte) || asc_hb_writes(&h->steps[b], ASC_UB, byte));
}

/* Is there a reported pair that races for BYTE? */
static bool is_reported(const asc_hb *h, const asc_outcome *o, enum asc_space space, uint64_t byte)
{
	for (guint i = 0; i < o->violations->len; i++) {
		const asc_violation *v = &g_array_index(o->violations, asc_violation, i);

		if (may_gather(h, o, v, byte))
			return true;
		if (v->kind == ASC_FINDING_RACE &&
		    asc_hb_clash_at(&h->steps[step_at(h, v->stream, v->insn)],
		                    &h->steps[step_at(h, v->other_stream, v->other_insn)], space, byte))
			return true;
	}
	return false;
}

/* Bytes of a racing pair that no reported pair races for. */
static unsigned unreported(const asc_hb *h, const asc_outcome *o, const hb_race *race, GString *text)
{
	const hb_step *a = &h->steps[race->earlier], *b = &h->steps[race->later];

	for (guint i = 0; i < o->violations->len; i++)
		if (is_pair(h, &g_array_index(o->violations, asc_violation, i), race->earlier, race->later))
			return 0;
	for (guint i = 0; i < a->accesses->len; i++) {
		const ref_access *x = &g_array_index(a->accesses, ref_access, i);

		for (uint64_t byte = x->address; byte < x->address + x->bytes; byte++)
			if (asc_hb_clash_at(a, b, x->space, byte) && !is_reported(h, o, x->space, byte))
				return complain(text, "race of %u and %u for %s 0x%" G_GINT64_MODIFIER "x not found\n",
				                race->earlier, race->later, asc_space_name(x->space), byte);
	}
	return 0;
}

static bool has(const GArray *numbers, unsigned n)
{
	for (guint i = 0; i < numbers->len; i++)
		if (g_array_index(numbers, unsigned, i) == n)
			return true;
	return false;
}

static bool found(const asc_hb *h, const asc_outcome *o, enum asc_finding kind, unsigned step)
{
	for (guint i = 0; i < o->violations->len; i++) {
		const asc_violation *v = &g_array_index(o->violations, asc_violation, i);

		if (v->kind == kind && step_at(h, v->stream, v->insn) == step)
			return true;
	}
	return false;
}

/* Double sets: once one has really met its flag the n-th wait has not the n-th set any more, and nothing more is
 * compared. */
static bool is_broken(const asc_outcome *o)
{
	for (guint i = 0; i < o->violations->len; i++) {
		const asc_violation *v = &g_array_index(o->violations, asc_violation, i);

		if (v->kind == ASC_FINDING_FLAG_DOUBLE_SET && v->met)
			return true;
	}
	return false;
}

static bool has_kind(const asc_outcome *o, enum asc_finding kind)
{
	for (guint i = 0; i < o->violations->len; i++)
		if (g_array_index(o->violations, asc_violation, i).kind == kind)
			return true;
	return false;
}

static unsigned compare_flags(const asc_hb *h, const asc_outcome *o, GString *text)
{
	unsigned count = 0;

	for (unsigned i = 0; i < h->count; i++) {
		bool is_double = found(h, o, ASC_FINDING_FLAG_DOUBLE_SET, i),
		     is_left = found(h, o, ASC_FINDING_FLAG_LEFT_SET, i);

		if (is_double != has(h->unordered_sets, i))
			count += complain(text, "set %u: %s set twice\n", i, is_double ? "wrongly" : "not found to be");
		if (!h->deadlock && is_left != has(h->left, i))
			count += complain(text, "set %u: %s left\n", i, is_left ? "wrongly" : "not found to be");
	}
	return count;
}

static unsigned compare(const asc_hb *h, const asc_outcome *o, GString *text)
{
	unsigned count = 0;

	if (o->error)
		return complain(text, "%s\n", o->error);
	if (is_broken(o)) {
		tally.doubled++;
		return h->unordered_sets->len ? 0 : complain(text, "wrongly set twice\n");
	}
	if (h->deadlock != (o->diagnosis != NULL))
		count += complain(text, "%s\n", h->deadlock ? "deadlock not found" : o->diagnosis);
	if (!h->deadlock && h->cross_left != has_kind(o, ASC_FINDING_CROSS_LEFT))
		count += complain(text, "cross-core sets %s left\n", h->cross_left ? "not found to be" : "wrongly");
	for (guint i = 0; i < o->violations->len; i++) {
		const asc_violation *v = &g_array_index(o->violations, asc_violation, i);

		if (v->kind == ASC_FINDING_RACE && !may_gather(h, o, v, v->address) &&
		    !race_of(h, step_at(h, v->stream, v->insn), step_at(h, v->other_stream, v->other_insn)))
			count += complain(text, "%u/%u and %u/%u do not race for %s 0x%" G_GINT64_MODIFIER "x\n",
			                  v->other_stream, v->other_insn, v->stream, v->insn, asc_space_name(v->space),
			                  v->address);
	}
	for (guint i = 0; i < h->races->len; i++)
		count += unreported(h, o, &g_array_index(h->races, hb_race, i), text);
	return count + compare_flags(h, o, text);
}

static void add_up(const asc_hb *h, const asc_outcome *o)
{
	tally.programs++;
	tally.steps += h->count;
	tally.racing += h->races->len > 0;
	tally.pairs += h->races->len;
	tally.deadlocked += h->deadlock;
	tally.left += h->left->len > 0;
	tally.ordered += (uint64_t)h->count * (h->count - 1) / 2;
	for (guint i = 0; i < h->races->len; i++) {
		const hb_race *r = &g_array_index(h->races, hb_race, i);

		for (guint k = 0; k < o->violations->len; k++)
			if (is_pair(h, &g_array_index(o->violations, asc_violation, k), r->earlier, r->later)) {
				tally.reported++;
				break;
			}
	}
}

static unsigned differences(const order_case *c, GString *text, bool count_it)
{
	asc_program *p = program_of(c);
	GArray *steps = steps_of(c, p);
	asc_hb *h = asc_hb_new((const hb_step *)steps->data, steps->len);
	asc_outcome *o = asc_outcome_of(p, c->part[0]->machine, c->seed / 4 % 2);
	unsigned count = compare(h, o, text);

	if (count_it)
		add_up(h, o);
	asc_outcome_free(o);
	asc_hb_free(h);
	steps_free(steps);
	asc_program_free(p);
	return count;
}

static void explain(order_case *c)
{
	g_autoptr(GString) report = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;
	g_autofree char *assembly = NULL;
	asc_program *p;

	for (unsigned s = 0; s < c->parts; s++)
		for (guint i = 0; i < c->part[s]->items->len; i++) {
			case_item *item = &g_array_index(c->part[s]->items, case_item, i);

			item->left_out = true;
			item->left_out = differences(c, NULL, false) > 0;
		}
	differences(c, report, false);
	p = program_of(c);
	g_array_set_size(p->images, 0);
	assembly = asc_disassemble(p, c->part[0]->machine);
	g_string_append_printf(report, "seed %" G_GUINT64_FORMAT ", %s:\n%s", c->seed, c->part[0]->machine->name,
	                       assembly);
	lines = g_strsplit(report->str, "\n", -1);
	for (char **line = lines; *line; line++)
		if (**line)
			tap_note("%s", *line);
	asc_program_free(p);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = g_getenv(variable);

	return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

static void models_and_brute_force_agree_on_what_is_not_ordered(void)
{
	uint64_t programs = number_from("TSPSIM_FUZZ_PROGRAMS", PROGRAMS), seed = number_from("TSPSIM_FUZZ_SEED", 1);
	asc_machine *machine[G_N_ELEMENTS(targets)];

	for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++) {
		machine[i] = asc_machine_load(targets[i].machine, NULL);
		CU_ASSERT_PTR_NOT_NULL_FATAL(machine[i]);
		CU_ASSERT_TRUE_FATAL(asc_machine_finish(machine[i], NULL));
	}
	for (uint64_t i = 0; i < programs; i++) {
		unsigned t = (unsigned)(i % (G_N_ELEMENTS(targets) + 1));
		order_case *c = t < G_N_ELEMENTS(targets) ? case_of_one(seed + i, machine[t], targets[t].kind)
		                                          : case_of_three(seed + i, machine[1]);

		if (differences(c, NULL, true) && tally.differing++ < REPORTED)
			explain(c);
		order_case_free(c);
	}
	tap_note("%u programs of %" G_GUINT64_FORMAT " instructions, %" G_GUINT64_FORMAT
	         " pairs of which %" G_GUINT64_FORMAT " race, %" G_GUINT64_FORMAT
	         " of those reported as such; %u programs race, %u deadlock, %u leave a flag set, "
	         "%u set one twice; %u differ",
	         tally.programs, tally.steps, tally.ordered, tally.pairs, tally.reported, tally.racing,
	         tally.deadlocked, tally.left, tally.doubled, tally.differing);
	CU_ASSERT_EQUAL(tally.differing, 0);
	/* They must be worth comparing. */
	CU_ASSERT_TRUE(programs < PROGRAMS || (tally.racing > programs / 4 && tally.racing < programs &&
	                                       tally.deadlocked && tally.left && tally.doubled));
	for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++)
		asc_machine_free(machine[i]);
}

int main(void)
{
	static const tap_case cases[] = {
		{"models_and_brute_force_agree_on_what_is_not_ordered",
	         models_and_brute_force_agree_on_what_is_not_ordered},
	};

	return tap_run("asc_order", cases, G_N_ELEMENTS(cases));
}
