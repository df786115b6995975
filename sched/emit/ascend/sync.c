/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags, barriers and syncs: every dependence between steps is covered, and nothing is placed that no dependence needs.
 *
 * Steps are looked at in the order in which kernels wrote them.  Each pipe knows how far every other pipe of its
 * sub-core is complete; a step that depends on more than its pipe knows gets a wait before it, and the step depended on
 * a set right behind it.  A set carries what its pipe knew then, so one flag often stands for several; of what a step
 * needs only what no other of its needs brings along gets a flag.  Nothing is put in front of what is already placed,
 * so a flag that was needed stays needed: the flags are minimal for the order of steps.
 *
 * Sets stand before their waits in the stream, so one instruction after another always can go on, whatever the depth of
 * the queues: there are no deadlocks.  Ids: a set takes an id whose last wait the setting pipe is known to come after;
 * where there is none, a later place of the same pipe, and in the end a round trip.
 *
 * Times of knowledge: 2k is the moment before step k of a pipe (its waits taken), 2k + 1 that after which it is complete.
 */
#include "sched/emit/ascend/build_int.h"

enum { IDS = 16, LATER_STEPS = 32, SYNC_KIND_ID = 11, SYNC_CORE_ID = 12 };

typedef struct knowledge {
	uint32_t of[ASC_PIPES];
} knowledge;

typedef struct queue {
	uint32_t count;  /* steps so far */
	knowledge know;  /* of what starts next */
	GArray *past;    /* knowledge at each step's start */
	GArray *item;    /* uint32_t: the step's number in its sub-core */
} queue;

typedef struct place {
	asb_spans reads, writes;
} place;

typedef struct front {
	asb *b;
	asb_sub *sub;
	uint32_t index, cursor; /* cursor: number of the step at hand */
	bool used;              /* since the last sync */
	queue pipe[ASC_PIPES];
	uint32_t waited[ASC_PIPES][ASC_PIPES][IDS]; /* time on `to` of the last wait for (from, to, id) */
	place place[ASC_SPACES];
} front;

typedef struct syncer {
	asb *b;
	front *front; /* [sub-cores] */
	place global;
	GArray *written; /* uint64_t pairs: extents of global memory that any step writes */
	GPtrArray *found;
	bool pending, several, both; /* a sync is due; several sub-cores, both kinds have steps */
	bool crossed;                /* the step at hand depends on another sub-core */
	GError *error;
} syncer;

/* What the step at hand must know. */
typedef struct needs {
	uint32_t of[ASC_PIPES]; /* step number, 0: none */
} needs;

static void join(knowledge *into, const knowledge *from)
{
	for (unsigned p = 0; p < ASC_PIPES; p++)
		into->of[p] = MAX(into->of[p], from->of[p]);
}

static uint32_t complete(uint32_t step)
{
	return 2 * step + 1;
}

/* What a set right behind step STEP of pipe P tells. */
static knowledge told(const front *f, unsigned p, uint32_t step)
{
	knowledge k = {.of = {0}};

	if (step)
		k = g_array_index(f->pipe[p].past, knowledge, step - 1);
	k.of[p] = complete(step);
	return k;
}

/* What a set at the end of pipe P tells now. */
static knowledge told_now(const front *f, unsigned p)
{
	knowledge k = f->pipe[p].know;

	join(&k, &f->pipe[ASC_PIPE_S].know);
	k.of[ASC_PIPE_S] = complete(f->pipe[ASC_PIPE_S].count);
	k.of[p] = complete(f->pipe[p].count);
	return k;
}

static void note_before(front *f, enum asc_op op, unsigned a, unsigned b, unsigned c)
{
	asb_note n = {f->cursor, ASB_NONE, (uint16_t)op, (uint8_t)a, (uint8_t)b, (uint8_t)c};

	g_array_append_val(f->sub->before, n);
}

static void note_behind(front *f, uint32_t item, unsigned from, unsigned to, unsigned id)
{
	asb_note n = {item, f->sub->last[item], ASC_OP_SETFLAG, (uint8_t)from, (uint8_t)to, (uint8_t)id};

	f->sub->last[item] = f->sub->behind->len;
	g_array_append_val(f->sub->behind, n);
}

/* The id of (from, to) whose last wait is longest ago. */
static unsigned oldest_id(const front *f, unsigned from, unsigned to)
{
	unsigned ids = MIN((unsigned)f->b->machine->flag_ids, IDS), best = 0;

	for (unsigned id = 1; id < ids; id++)
		if (f->waited[from][to][id] < f->waited[from][to][best])
			best = id;
	return best;
}

static void take_wait(front *f, unsigned from, unsigned to, unsigned id, const knowledge *what)
{
	note_before(f, ASC_OP_WAITFLAG, from, to, id);
	f->waited[from][to][id] = 2 * (f->pipe[to].count + 1);
	join(&f->pipe[to].know, what);
	f->b->counts.flags++;
}

/* Everything the sub-core has begun is complete. */
static void stop_all(front *f)
{
	note_before(f, ASC_OP_BARRIER, ASC_PIPE_ALL, 0, 0);
	for (unsigned p = 0; p < ASC_PIPES; p++)
		for (unsigned q = 0; q < ASC_PIPES; q++)
			f->pipe[p].know.of[q] = complete(f->pipe[q].count);
	memset(f->waited, 0, sizeof(f->waited));
	f->b->counts.barriers++;
}

/* A flag from the end of pipe FROM to pipe TO, both now; false when no id is safe. */
static bool signal_now(front *f, unsigned from, unsigned to)
{
	unsigned id = oldest_id(f, from, to);
	knowledge what = told_now(f, from);

	if (what.of[to] < f->waited[from][to][id])
		return false;
	note_before(f, ASC_OP_SETFLAG, from, to, id);
	take_wait(f, from, to, id, &what);
	return true;
}

/* Pipe TO, before its next step, waits for step STEP of pipe FROM. */
static void raise_flag(front *f, unsigned from, uint32_t step, unsigned to)
{
	unsigned id = oldest_id(f, from, to);
	uint32_t last = MIN(f->pipe[from].count, step + LATER_STEPS);

	for (uint32_t at = step; at <= last; at++) {
		knowledge what = told(f, from, at);

		if (what.of[to] < f->waited[from][to][id])
			continue;
		note_behind(f, g_array_index(f->pipe[from].item, uint32_t, at - 1), from, to, id);
		take_wait(f, from, to, id, &what);
		return;
	}
	if (signal_now(f, from, to))
		return;
	f->b->counts.round_trips++;
	if (!asc_flag_pair(f->sub->kind, (enum asc_pipe)to, (enum asc_pipe)from) || !signal_now(f, to, from) ||
	    !signal_now(f, from, to))
		stop_all(f);
}

/* A pipe between FROM and TO that has flags of both; ASC_PIPES when there is none. */
static unsigned between(const front *f, unsigned from, unsigned to)
{
	for (unsigned p = ASC_PIPE_S + 1; p < ASC_PIPES; p++)
		if (asc_flag_pair(f->sub->kind, (enum asc_pipe)from, (enum asc_pipe)p) &&
		    asc_flag_pair(f->sub->kind, (enum asc_pipe)p, (enum asc_pipe)to))
			return p;
	return ASC_PIPES;
}

static bool knows(const front *f, unsigned p, unsigned of, uint32_t step)
{
	return f->pipe[p].know.of[of] >= complete(step);
}

static void connect(front *f, unsigned from, uint32_t step, unsigned to)
{
	unsigned over;

	if (asc_flag_pair(f->sub->kind, (enum asc_pipe)from, (enum asc_pipe)to)) {
		raise_flag(f, from, step, to);
		return;
	}
	over = between(f, from, to);
	if (over == ASC_PIPES) {
		stop_all(f);
		return;
	}
	if (!knows(f, over, from, step))
		raise_flag(f, from, step, over);
	if (!knows(f, to, from, step) && !signal_now(f, over, to))
		stop_all(f);
}

/* Flags and barriers before the next step of pipe P. */
static void cover(front *f, unsigned p, const needs *n)
{
	knowledge tells[ASC_PIPES];
	bool open[ASC_PIPES] = {false};

	for (unsigned q = 0; q < ASC_PIPES; q++) {
		open[q] = n->of[q] && !knows(f, p, q, n->of[q]) && q != p;
		if (open[q])
			tells[q] = told(f, q, n->of[q]);
	}
	for (unsigned q = 0; q < ASC_PIPES; q++)
		for (unsigned r = 0; open[q] && r < ASC_PIPES; r++)
			if (r != q && open[r] && tells[r].of[q] >= complete(n->of[q]))
				open[q] = false;
	for (unsigned q = 0; q < ASC_PIPES; q++)
		if (open[q] && !knows(f, p, q, n->of[q]))
			connect(f, q, n->of[q], p);
	if (!n->of[p] || knows(f, p, p, n->of[p]))
		return;
	note_before(f, ASC_OP_BARRIER, p, 0, 0);
	f->pipe[p].know.of[p] = complete(f->pipe[p].count);
	f->b->counts.barriers++;
}

/* ---- dependences ---- */

static bool has_unit_flag(const asc_insn *insn)
{
	int field;

	switch ((enum asc_op)insn->op) {
	case ASC_OP_MMAD:
	case ASC_OP_FIX_GM:
	case ASC_OP_FIX_L1:
	case ASC_OP_L0C_TO_UB:
		field = asc_field_by_name((enum asc_op)insn->op, "unit_flag");
		return field >= 0 && insn->f[field];
	default:
		return false;
	}
}

/* The step at hand against the older accesses of SET. */
static void against(syncer *s, front *f, asb_spans *set, const asb_span *new, needs *n)
{
	g_ptr_array_set_size(s->found, 0);
	asb_spans_find(set, new->box.low, new->box.high, s->found);
	for (guint i = 0; i < s->found->len; i++) {
		asb_span *old = g_ptr_array_index(s->found, i);
		bool handed = new->box.space == ASC_L0C && new->unit_flag && old->unit_flag &&
		              new->pipe != old->pipe, same = old->sub == new->sub;

		if ((same && old->pipe == new->pipe && old->step == new->step) || !asb_box_meet(&old->box, &new->box))
			continue;
		if (!same) {
			s->crossed = true;
			continue;
		}
		if (!handed && (old->pipe != new->pipe ||
		                !asc_ordered((enum asc_pipe) new->pipe, (enum asc_space) new->box.space, old->box.write,
		                             new->box.write))) {
			n->of[old->pipe] = MAX(n->of[old->pipe], old->step);
			f->b->counts.dependences++;
		}
		/* Whatever comes later and meets the old one meets the new one. */
		if (new->box.write && !handed && asb_box_holds(&new->box, &old->box))
			asb_spans_remove(set, old);
	}
}

static void remember(syncer *s, asb_spans *set, const asb_span *new)
{
	/* A read like an earlier one of the same pipe takes its place. */
	if (!new->box.write) {
		g_ptr_array_set_size(s->found, 0);
		asb_spans_find(set, new->box.low, new->box.high, s->found);
		for (guint i = 0; i < s->found->len; i++) {
			asb_span *old = g_ptr_array_index(s->found, i);

			if (old->sub == new->sub && old->pipe == new->pipe && asb_box_holds(&new->box, &old->box)) {
				if (old->box.low == new->box.low && old->box.high == new->box.high) {
					old->step = new->step;
					old->unit_flag = new->unit_flag;
					old->box = new->box;
					return;
				}
				asb_spans_remove(set, old);
			}
		}
	}
	asb_spans_add(set, new);
}

static bool is_written(const syncer *s, const asb_box *box)
{
	guint low = 0, high = s->written->len / 2;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(s->written, uint64_t, 2 * middle + 1) > box->low)
			high = middle;
		else
			low = middle + 1;
	}
	return low < s->written->len / 2 && g_array_index(s->written, uint64_t, 2 * low) < box->high;
}

static place *place_of(syncer *s, front *f, unsigned space)
{
	return space == ASC_GM ? &s->global : &f->place[space];
}

static void find_needs(syncer *s, front *f, const asc_insn *insn, enum asc_pipe p, const asb_box *box, unsigned boxes,
                       needs *n)
{
	asb_span new = {.sub = f->index, .pipe = (uint8_t)p, .step = f->pipe[p].count + 1};

	new.unit_flag = has_unit_flag(insn);
	s->crossed = false;
	for (unsigned i = 0; i < boxes; i++) {
		place *where = place_of(s, f, box[i].space);

		if (box[i].space == ASC_GM && !is_written(s, &box[i]))
			continue;
		new.box = box[i];
		against(s, f, &where->writes, &new, n);
		if (box[i].write)
			against(s, f, &where->reads, &new, n);
	}
}

static void keep(syncer *s, front *f, const asc_insn *insn, enum asc_pipe p, const asb_box *box, unsigned boxes)
{
	asb_span new = {.sub = f->index, .pipe = (uint8_t)p, .step = f->pipe[p].count};

	new.unit_flag = has_unit_flag(insn);
	for (unsigned i = 0; i < boxes; i++) {
		place *where = place_of(s, f, box[i].space);

		if (box[i].space == ASC_GM && !is_written(s, &box[i]))
			continue;
		new.box = box[i];
		remember(s, box[i].write ? &where->writes : &where->reads, &new);
	}
}

/* ---- syncs ---- */

static void forget_local(front *f)
{
	for (unsigned i = 0; i < ASC_SPACES; i++) {
		asb_spans_clear(&f->place[i].reads);
		asb_spans_clear(&f->place[i].writes);
	}
}

static void cross(front *f, enum asc_pipe pipe, unsigned mode, unsigned id)
{
	note_before(f, ASC_OP_SETCROSS, pipe, mode, id);
	note_before(f, ASC_OP_WAITCROSS, ASC_PIPE_S, id, 0);
}

/* All sub-cores meet: those of a kind by mode 0, then both kinds of a core by mode 2. */
static bool synchronise_all(syncer *s)
{
	asb *b = s->b;

	if (s->several && !b->machine->cross_ids) {
		g_set_error(&s->error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "%s has no counters between cores: a program on several of them cannot hand values over",
		            b->machine->name);
		return false;
	}
	for (uint32_t i = 0; i < b->blocks * b->subs; i++) {
		front *f = &s->front[i];
		enum asc_pipe out = f->sub->kind == ASC_CUBE ? ASC_PIPE_FIX : ASC_PIPE_MTE3;

		if (!f->sub->items->len && !f->sub->joins)
			continue;
		if (f->used)
			stop_all(f);
		f->used = false;
		if (s->several)
			cross(f, out, 0, SYNC_KIND_ID);
		if (s->both)
			cross(f, out, 2, SYNC_CORE_ID);
		forget_local(f);
	}
	asb_spans_clear(&s->global.reads);
	asb_spans_clear(&s->global.writes);
	b->counts.syncs++;
	return true;
}

/* ---- all steps ---- */

static bool visit(syncer *s, uint32_t core)
{
	front *f = &s->front[core];
	const asb_item *item = asb_item_at(f->sub, f->cursor);
	enum asc_pipe p = asb_queue_of(&item->insn);
	asb_box box[ASB_BOXES];
	unsigned boxes = asb_touch(&item->insn, &g_array_index(s->b->modes, asb_mode, item->mode), s->b->machine, box);
	needs n = {.of = {0}};
	queue *own = &f->pipe[p];

	find_needs(s, f, &item->insn, p, box, boxes, &n);
	if (s->crossed) {
		if (!synchronise_all(s))
			return false;
		n = (needs){.of = {0}};
	}
	join(&own->know, &f->pipe[ASC_PIPE_S].know);
	own->know.of[ASC_PIPE_S] = MAX(own->know.of[ASC_PIPE_S], complete(f->pipe[ASC_PIPE_S].count));
	cover(f, p, &n);
	g_array_append_val(own->past, own->know);
	g_array_append_val(own->item, f->cursor);
	own->count++;
	keep(s, f, &item->insn, p, box, boxes);
	f->used = true;
	f->cursor++;
	return true;
}

static int by_low(gconstpointer a, gconstpointer b)
{
	const uint64_t *x = a, *y = b;

	return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* Extents of global memory that steps write, merged. */
static void find_written(syncer *s)
{
	GArray *all = g_array_new(FALSE, FALSE, 2 * sizeof(uint64_t));
	asb_box box[ASB_BOXES];
	uint64_t pair[2];

	for (uint32_t i = 0; i < s->b->blocks * s->b->subs; i++) {
		const asb_sub *sub = &s->b->sub[i];

		for (uint32_t n = 0; n < sub->items->len; n++) {
			const asc_insn *insn = &asb_item_at(sub, n)->insn;
			unsigned boxes;

			if (insn->op != ASC_OP_STG && insn->op != ASC_OP_UB_TO_GM && insn->op != ASC_OP_L1_TO_GM &&
			    insn->op != ASC_OP_FIX_GM)
				continue;
			boxes = asb_touch(insn, &g_array_index(s->b->modes, asb_mode, 0), s->b->machine, box);
			for (unsigned k = 0; k < boxes; k++)
				if (box[k].space == ASC_GM && box[k].write) {
					pair[0] = box[k].low;
					pair[1] = box[k].high;
					g_array_append_val(all, pair);
				}
		}
	}
	g_array_sort(all, by_low);
	for (guint i = 0; i < all->len; i++) {
		const uint64_t *next = (const uint64_t *)(void *)all->data + 2 * (size_t)i;
		guint len = s->written->len;

		if (len && g_array_index(s->written, uint64_t, len - 1) >= next[0])
			g_array_index(s->written, uint64_t, len - 1) =
				MAX(g_array_index(s->written, uint64_t, len - 1), next[1]);
		else
			g_array_append_vals(s->written, next, 2);
	}
	g_array_free(all, TRUE);
	for (guint i = 0; i < s->b->tensors->len; i++) {
		asb_block_tensor *t = &g_array_index(s->b->tensors, asb_block_tensor, i);
		asb_box whole = {.low = t->address, .high = t->address + t->bytes};

		t->written = is_written(s, &whole);
	}
}

static void init_front(syncer *s, uint32_t i)
{
	front *f = &s->front[i];

	f->b = s->b;
	f->sub = &s->b->sub[i];
	f->index = i;
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		f->pipe[p].past = g_array_new(FALSE, FALSE, sizeof(knowledge));
		f->pipe[p].item = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		f->pipe[p].know = (knowledge){.of = {0}};
	}
	f->sub->last = g_new(uint32_t, f->sub->items->len + 1);
	for (uint32_t n = 0; n <= f->sub->items->len; n++)
		f->sub->last[n] = ASB_NONE;
}

static void fini_front(front *f)
{
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		g_array_free(f->pipe[p].past, TRUE);
		g_array_free(f->pipe[p].item, TRUE);
	}
	for (unsigned i = 0; i < ASC_SPACES; i++) {
		asb_spans_fini(&f->place[i].reads);
		asb_spans_fini(&f->place[i].writes);
	}
}

/* Who has steps, and so takes part in syncs.  Where both kinds have some, every sub-core of those cores must. */
static void find_members(syncer *s)
{
	asb *b = s->b;
	uint32_t members = 0;
	bool kind[ASC_KINDS] = {false};

	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		if (b->sub[i].items->len) {
			members++;
			kind[b->sub[i].kind] = true;
		}
	s->several = members > 1;
	s->both = kind[ASC_CUBE] && kind[ASC_VECTOR];
}

static bool has_syncs(const asb *b)
{
	for (guint i = 0; i + 1 < b->sequence->len; i++)
		if (g_array_index(b->sequence, asb_core, i) == ASB_SYNC)
			return true;
	return false;
}

bool asb_synchronise(asb *b, GError **error)
{
	syncer s = {.b = b};
	bool good = true, wanted = has_syncs(b);
	uint32_t subs = b->blocks * b->subs;

	s.front = g_new0(front, subs);
	s.written = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	s.found = g_ptr_array_new();
	find_written(&s);
	find_members(&s);
	for (uint32_t i = 0; i < subs; i++) {
		init_front(&s, i);
		b->sub[i].joins = s.both && wanted;
	}
	for (guint i = 0; good && i < b->sequence->len; i++) {
		asb_core core = g_array_index(b->sequence, asb_core, i);

		if (core == ASB_SYNC) {
			s.pending = true;
			continue;
		}
		if (s.pending)
			good = synchronise_all(&s);
		s.pending = false;
		good = good && visit(&s, core);
	}
	for (uint32_t i = 0; i < subs; i++)
		fini_front(&s.front[i]);
	asb_spans_fini(&s.global.reads);
	asb_spans_fini(&s.global.writes);
	g_free(s.front);
	g_array_free(s.written, TRUE);
	g_ptr_array_free(s.found, TRUE);
	if (s.error)
		g_propagate_error(error, s.error);
	return good;
}
