/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults: see asc_faults.h.  Each leaves instructions that the tables allow; what it does to the program is for others
 * to say.
 */
#include "tests/mutation/asc_faults.h"

#include <string.h>

enum { NONE = UINT32_MAX, FLAG_FIELDS = 3, FLAG_FROM = 0, FLAG_TO = 1, FLAG_ID = 2, MORE = 16 };

const char *asc_fault_doc(enum asc_fault_kind kind)
{
	static const char *const docs[ASC_FAULTS] = {
#define ASC_FAULT(id, doc) [ASC_FAULT_##id] = doc,
#include "tests/mutation/asc_faults.def"
	};

	return docs[kind];
}

typedef struct lister {
	const asc_program *program;
	const asc_machine *machine;
	const asc_stream *stream;
	asc_fault fault; /* being made */
	GArray *list;
} lister;

static const asc_insn *insn_at(const asc_stream *stream, uint32_t i)
{
	return &g_array_index(stream->insns, asc_insn, i);
}

static bool is_sync(const asc_insn *insn)
{
	return (insn->op >= ASC_OP_SETMASK && insn->op <= ASC_OP_END) || insn->op == ASC_OP_SETWORD ||
	       insn->op == ASC_OP_WAITWORD;
}

static void add(lister *l, uint32_t other, int field, int64_t value)
{
	asc_fault f = l->fault;

	f.other = other;
	f.field = field;
	f.value = value;
	g_array_append_val(l->list, f);
}

static bool same_flag(const asc_insn *a, const asc_insn *b)
{
	return memcmp(a->f, b->f, FLAG_FIELDS * sizeof(a->f[0])) == 0;
}

/* The wait of the set at AT: as many waits of the flag come before it as sets before the set. */
static uint32_t wait_of(const asc_stream *stream, uint32_t at)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < at; i++)
		before +=
			insn_at(stream, i)->op == ASC_OP_SETFLAG && same_flag(insn_at(stream, i), insn_at(stream, at));
	for (uint32_t i = 0; i < stream->insns->len; i++)
		if (insn_at(stream, i)->op == ASC_OP_WAITFLAG && same_flag(insn_at(stream, i), insn_at(stream, at)) &&
		    !before--)
			return i;
	return NONE;
}

/* The next wait, or instruction with work, of the same pipe. */
static uint32_t next_like(const asc_stream *stream, uint32_t at)
{
	const asc_insn *a = insn_at(stream, at);

	for (uint32_t i = at + 1; i < stream->insns->len; i++) {
		const asc_insn *b = insn_at(stream, i);

		if (a->op == ASC_OP_WAITFLAG
		            ? b->op == ASC_OP_WAITFLAG && a->f[FLAG_TO] == b->f[FLAG_TO]
		            : !is_sync(b) && asc_op((enum asc_op)a->op)->pipe == asc_op((enum asc_op)b->op)->pipe)
			return i;
	}
	return NONE;
}

static void list_flag(lister *l, const asc_insn *insn, uint32_t at)
{
	uint32_t wait = wait_of(l->stream, at);

	switch (l->fault.kind) {
	case ASC_FAULT_FLAG:
		add(l, wait, 0, 0);
		break;
	case ASC_FAULT_SET_ID:
	case ASC_FAULT_FLAG_ID:
		for (int64_t id = 0; id < l->machine->flag_ids; id++)
			if (id != insn->f[FLAG_ID] && (id + 1) % l->machine->flag_ids == insn->f[FLAG_ID])
				add(l, l->fault.kind == ASC_FAULT_FLAG_ID ? wait : NONE, FLAG_ID, id);
		break;
	case ASC_FAULT_SET_PIPES:
		for (int64_t to = 0; to < ASC_PIPES; to++)
			if (to != insn->f[FLAG_TO] &&
			    asc_flag_pair(l->stream->kind, (enum asc_pipe)insn->f[FLAG_FROM], (enum asc_pipe)to))
				add(l, NONE, FLAG_TO, to);
		break;
	default:
		add(l, NONE, 0, 0);
		break;
	}
}

static void list_addresses(lister *l, const asc_insn *insn)
{
	enum { BLOCK = 32, FRACTAL = 512, ACCUMULATORS = 1024 };
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	for (unsigned i = 0; i < info->fields; i++) {
		int64_t by = BLOCK;

		if (info->field[i].value != ASC_VALUE_ADDRESS ||
		    (insn->op == ASC_OP_MMAD && i == (unsigned)asc_field_by_name(ASC_OP_MMAD, "bias")))
			continue;
		if (info->field[i].space == ASC_L0A || info->field[i].space == ASC_L0B)
			by = FRACTAL;
		if (info->field[i].space == ASC_L0C)
			by = ACCUMULATORS;
		add(l, NONE, (int)i, insn->f[i] + by);
		if (insn->f[i] >= by)
			add(l, NONE, (int)i, insn->f[i] - by);
	}
}

/* A field that says how much a copy moves. */
static void list_half(lister *l, const asc_insn *insn)
{
	static const char *const names[] = {"bursts", "burst_bytes", "repeat", "n", "m"};
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	if (info->pipe == ASC_PIPE_V || info->pipe == ASC_PIPE_M)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		int field = asc_field_by_name((enum asc_op)insn->op, names[i]);
		int64_t half;

		if (field < 0)
			continue;
		half = insn->f[field] / 2 / info->field[field].align_bytes * info->field[field].align_bytes;
		if (half > 0 && half >= info->field[field].min)
			add(l, NONE, field, half);
	}
}

static void list_mask(lister *l, const asc_insn *insn)
{
	uint64_t low = (uint64_t)insn->f[0];

	if (!low)
		return;
	/* One lane less (an element, in counter mode one or none), one more where there is room. */
	add(l, NONE, 0, (int64_t)(low & (low - 1)));
	if (low != UINT64_MAX)
		add(l, NONE, 0, (int64_t)(low | (low + 1)));
}

static void list_work(lister *l, const asc_insn *insn, uint32_t at)
{
	int repeat = asc_field_by_name((enum asc_op)insn->op, "repeat");

	switch (l->fault.kind) {
	case ASC_FAULT_ADDRESS:
		list_addresses(l, insn);
		break;
	case ASC_FAULT_HALF:
		list_half(l, insn);
		break;
	case ASC_FAULT_SWAP:
		if (next_like(l->stream, at) != NONE)
			add(l, next_like(l->stream, at), 0, 0);
		break;
	case ASC_FAULT_REPEAT:
		if (repeat < 0 || insn->f[repeat] < 1)
			break;
		if (insn->f[repeat] < 255)
			add(l, NONE, repeat, insn->f[repeat] + 1);
		if (insn->f[repeat] > asc_op((enum asc_op)insn->op)->field[repeat].min)
			add(l, NONE, repeat, insn->f[repeat] - 1);
		break;
	case ASC_FAULT_LAST:
		if (next_like(l->stream, at) == NONE)
			add(l, NONE, 0, 0);
		break;
	default:
		break;
	}
}

static void list_at(lister *l, const asc_insn *insn, uint32_t at)
{
	enum asc_fault_kind kind = l->fault.kind;
	uint32_t next;

	switch (insn->op) {
	case ASC_OP_SETFLAG:
		if (kind == ASC_FAULT_FLAG || kind == ASC_FAULT_SET || kind == ASC_FAULT_SET_TWICE ||
		    kind == ASC_FAULT_SET_ID || kind == ASC_FAULT_FLAG_ID || kind == ASC_FAULT_SET_PIPES)
			list_flag(l, insn, at);
		break;
	case ASC_OP_WAITFLAG:
		if (kind == ASC_FAULT_WAIT)
			add(l, NONE, 0, 0);
		next = next_like(l->stream, at);
		if (kind == ASC_FAULT_WAITS && next != NONE && !same_flag(insn, insn_at(l->stream, next)))
			add(l, next, 0, 0);
		break;
	case ASC_OP_BARRIER:
		if (kind == (insn->f[0] == ASC_PIPE_ALL ? ASC_FAULT_STOP : ASC_FAULT_BARRIER))
			add(l, NONE, 0, 0);
		break;
	case ASC_OP_SETCROSS:
		if (kind == ASC_FAULT_CROSSING || kind == ASC_FAULT_CROSS_SET || kind == ASC_FAULT_CROSS_MORE)
			add(l, NONE, 0, 0);
		break;
	case ASC_OP_WAITCROSS:
		if (kind == ASC_FAULT_CROSS_WAIT)
			add(l, NONE, 0, 0);
		break;
	case ASC_OP_SETWORD:
		if (kind == ASC_FAULT_WORD_SET)
			add(l, NONE, 0, 0);
		break;
	case ASC_OP_WAITWORD:
		if (kind == ASC_FAULT_WORD_WAIT)
			add(l, NONE, 0, 0);
		if (kind == ASC_FAULT_WORD_VALUE)
			add(l, NONE, 1, insn->f[1] - 1);
		break;
	case ASC_OP_SETMASK:
		if (kind == ASC_FAULT_MASK)
			list_mask(l, insn);
		break;
	case ASC_OP_SETCTRL:
	case ASC_OP_END:
		break;
	default:
		list_work(l, insn, at);
		break;
	}
}

GArray *asc_faults_list(const asc_program *program, const asc_machine *machine, enum asc_fault_kind kind)
{
	lister l = {.program = program, .machine = machine, .fault = {.kind = kind}};

	l.list = g_array_new(FALSE, FALSE, sizeof(asc_fault));
	for (guint k = 0; k < program->streams->len; k++) {
		l.stream = g_ptr_array_index(program->streams, k);
		l.fault.stream = k;
		for (guint i = 0; i < l.stream->insns->len; i++) {
			l.fault.at = i;
			list_at(&l, insn_at(l.stream, i), i);
		}
	}
	return l.list;
}

static asc_program *copy_of(const asc_program *program)
{
	asc_program *copy = g_memdup2(program, sizeof(*program));

	copy->streams = g_ptr_array_new();
	for (guint k = 0; k < program->streams->len; k++) {
		asc_stream *stream = g_memdup2(program->streams->pdata[k], sizeof(*stream));

		stream->insns = g_array_copy(stream->insns);
		g_ptr_array_add(copy->streams, stream);
	}
	return copy;
}

void asc_fault_undo(asc_program *planted)
{
	for (guint k = 0; k < planted->streams->len; k++) {
		asc_stream *stream = planted->streams->pdata[k];

		g_array_free(stream->insns, TRUE);
		g_free(stream);
	}
	g_ptr_array_free(planted->streams, TRUE);
	g_free(planted);
}

/* A scalar instruction without effect keeps the numbers of the others. */
static void blank(asc_stream *stream, uint32_t at)
{
	if (at != NONE)
		g_array_index(stream->insns, asc_insn, at) = asc_insn_make(ASC_OP_MOVI);
}

/* The N-th instruction of OP of STREAM whose field FIELD is VALUE. */
static uint32_t nth(const asc_stream *stream, enum asc_op op, int field, int64_t value, uint32_t n)
{
	for (uint32_t i = 0; i < stream->insns->len; i++)
		if (insn_at(stream, i)->op == op && insn_at(stream, i)->f[field] == value && !n--)
			return i;
	return NONE;
}

/* The n-th set of a counter by every member of its group, and the n-th wait of every target. */
static void blank_crossing(asc_program *program, const asc_fault *fault)
{
	const asc_stream *by = program->streams->pdata[fault->stream];
	int64_t mode = insn_at(by, fault->at)->f[1], id = insn_at(by, fault->at)->f[2];
	uint32_t n = 0;

	for (uint32_t i = 0; i < fault->at; i++)
		n += insn_at(by, i)->op == ASC_OP_SETCROSS && insn_at(by, i)->f[1] == mode &&
		     insn_at(by, i)->f[2] == id;
	for (guint k = 0; k < program->streams->len; k++) {
		asc_stream *s = program->streams->pdata[k];
		bool kind = s->kind == by->kind, core = s->block == by->block;
		uint32_t set = nth(s, ASC_OP_SETCROSS, 2, id, n), wait = nth(s, ASC_OP_WAITCROSS, 1, id, n);

		if (mode == 0 ? kind : kind && core)
			blank(s, set);
		if (mode == 2 ? !kind && core : mode == 0 ? kind : kind && core)
			blank(s, wait);
	}
}

asc_program *asc_fault_plant(const asc_program *program, const asc_fault *fault)
{
	asc_program *p = copy_of(program);
	asc_stream *stream;
	asc_insn *a, old;

	if (!fault)
		return p;
	stream = p->streams->pdata[fault->stream];
	a = &g_array_index(stream->insns, asc_insn, fault->at);
	old = *a;
	switch (fault->kind) {
	case ASC_FAULT_CROSSING:
		blank_crossing(p, fault);
		break;
	case ASC_FAULT_FLAG:
		blank(stream, fault->other);
		blank(stream, fault->at);
		break;
	case ASC_FAULT_SET:
	case ASC_FAULT_WAIT:
	case ASC_FAULT_BARRIER:
	case ASC_FAULT_STOP:
	case ASC_FAULT_CROSS_SET:
	case ASC_FAULT_CROSS_WAIT:
	case ASC_FAULT_WORD_SET:
	case ASC_FAULT_WORD_WAIT:
	case ASC_FAULT_LAST:
		blank(stream, fault->at);
		break;
	case ASC_FAULT_SET_TWICE:
		g_array_insert_val(stream->insns, fault->at + 1, old);
		break;
	case ASC_FAULT_CROSS_MORE:
		for (unsigned i = 0; i < MORE; i++)
			g_array_insert_val(stream->insns, fault->at + 1, old);
		break;
	case ASC_FAULT_WAITS:
	case ASC_FAULT_SWAP:
		*a = *insn_at(stream, fault->other);
		g_array_index(stream->insns, asc_insn, fault->other) = old;
		break;
	default:
		a->f[fault->field] = fault->value;
		if (fault->kind == ASC_FAULT_FLAG_ID)
			g_array_index(stream->insns, asc_insn, fault->other).f[fault->field] = fault->value;
		break;
	}
	return p;
}

char *asc_fault_text(const asc_program *program, const asc_fault *fault)
{
	const asc_stream *stream = program->streams->pdata[fault->stream];
	const asc_insn *insn = insn_at(stream, fault->at);
	g_autofree char *text = asc_insn_text(insn);
	GString *out = g_string_new(asc_fault_doc(fault->kind));

	g_string_append_printf(out, ": stream %u (%s), instruction %u: %s", fault->stream, asc_kind_name(stream->kind),
	                       fault->at, text);
	switch (fault->kind) {
	case ASC_FAULT_WAITS:
	case ASC_FAULT_SWAP:
		g_string_append_printf(out, ", with %u", fault->other);
		break;
	case ASC_FAULT_SET_ID:
	case ASC_FAULT_FLAG_ID:
	case ASC_FAULT_SET_PIPES:
	case ASC_FAULT_ADDRESS:
	case ASC_FAULT_HALF:
	case ASC_FAULT_MASK:
	case ASC_FAULT_REPEAT:
	case ASC_FAULT_WORD_VALUE:
		g_string_append_printf(out, ", %s=%" G_GINT64_FORMAT,
		                       asc_op((enum asc_op)insn->op)->field[fault->field].name, fault->value);
		break;
	default:
		break;
	}
	return g_string_free(out, FALSE);
}
