/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependences: steps are looked at in the order in which kernels wrote them; the bytes each touches are compared with
 * those that earlier ones touched, space by space, and what must be complete before it is handed to flags.c and, where
 * it belongs to another sub-core, to cross.c.
 *
 * What is remembered of a space is what a later step could still depend on: a write forgets what it covers, a read an
 * earlier one of its pipe that it covers.  Of global memory only what some step writes is looked at.
 */
#include "sched/emit/ascend/sync_int.h"
#include "sched/sheet.h"

/* Steps between two questions whether the search that emits still wants the result. */
enum { STOP_STEPS = 4096 };

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
		bool handed = new->box.space == ASC_L0C &&new->unit_flag && old->unit_flag &&new->pipe != old->pipe,
		     same = old->sub == new->sub;

		if ((same && old->pipe == new->pipe && old->step == new->step) || !asb_box_meet(&old->box, &new->box))
			continue;
		if (!same) {
			away a = {old->sub, old->step, old->pipe};

			if (!cross_knows(s, f, &a))
				g_array_append_val(s->away, a);
			continue;
		}
		if (!handed &&
		    (old->pipe != new->pipe || !asc_ordered((enum asc_pipe) new->pipe, (enum asc_space) new->box.space,
		                                            old->box.write, new->box.write))) {
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

			if (old->sub == new->sub && old->pipe == new->pipe &&asb_box_holds(&new->box, &old->box)) {
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
	g_array_set_size(s->away, 0);
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
		if (box[i].space == ASC_GM && f->asked[f->cursor]) {
			f->memory[p] = new.step;
			f->used |= f->asked[f->cursor] == ASKED_BY_OTHERS;
		}
		new.box = box[i];
		remember(s, box[i].write ? &where->writes : &where->reads, &new);
	}
}

static void visit(syncer *s, uint32_t core)
{
	front *f = &s->front[core];
	const asb_item *item = asb_item_at(f->sub, f->cursor);
	enum asc_pipe p = asb_queue_of(&item->insn);
	asb_box box[ASB_BOXES];
	unsigned boxes = asb_touch(&item->insn, &g_array_index(s->b->modes, asb_mode, item->mode), s->b->machine, box);
	needs n = {.of = {0}};
	queue *own = &f->pipe[p];

	find_needs(s, f, &item->insn, p, box, boxes, &n);
	if (s->away->len && !cross_connect(s, f))
		cross_meet(s, NULL);
	knowledge_join(&own->know, &f->pipe[ASC_PIPE_S].know);
	own->know.of[ASC_PIPE_S] = MAX(own->know.of[ASC_PIPE_S], complete(f->pipe[ASC_PIPE_S].count));
	cover(f, p, &n);
	g_array_append_val(own->past, own->know);
	g_array_append_val(own->item, f->cursor);
	own->count++;
	keep(s, f, &item->insn, p, box, boxes);
	f->cursor++;
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
	f->member = i % s->b->subs;
	cross_init(f);
	for (unsigned p = 0; p < ASC_PIPES; p++) {
		f->pipe[p].past = g_array_new(FALSE, FALSE, sizeof(knowledge));
		f->pipe[p].item = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		f->pipe[p].know = (knowledge){.of = {0}};
	}
	f->asked = g_new0(uint8_t, f->sub->items->len + 1);
	f->sub->last = g_new(uint32_t, f->sub->items->len + 1);
	for (uint32_t n = 0; n <= f->sub->items->len; n++)
		f->sub->last[n] = ASB_NONE;
}

static void fini_front(front *f)
{
	cross_fini(f);
	g_free(f->asked);
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
	bool kind[ASC_KINDS] = {false};

	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		if (b->sub[i].items->len)
			kind[b->sub[i].kind] = true;
	s->both = kind[ASC_CUBE] && kind[ASC_VECTOR];
	for (uint32_t i = 0; s->both && i < b->blocks * b->subs; i++)
		if (b->sub[i].items->len)
			for (uint32_t n = i / b->subs * b->subs, end = n + b->subs; n < end; n++)
				b->sub[n].joins = true;
}

/* Sub-core BY depends on OLD.  Counters go between the kinds of a core. */
static void asked_for(syncer *s, const asb_span *old, uint32_t by)
{
	const front *of = &s->front[old->sub], *f = &s->front[by];
	bool core = of->sub->block == f->sub->block && of->sub->kind != f->sub->kind;
	uint8_t *asked = &of->asked[old->step];

	if (!core)
		*asked = ASKED_BY_OTHERS;
	else if (!*asked)
		*asked = ASKED_BY_CORE;
}

/* NEW, step ITEM of its sub-core, against older accesses of SET: whom does it ask for? */
static void ask(syncer *s, asb_spans *set, const asb_span *new)
{
	g_ptr_array_set_size(s->found, 0);
	asb_spans_find(set, new->box.low, new->box.high, s->found);
	for (guint i = 0; i < s->found->len; i++) {
		asb_span *old = g_ptr_array_index(s->found, i);

		if (!asb_box_meet(&old->box, &new->box))
			continue;
		if (old->sub != new->sub)
			asked_for(s, old, new->sub);
		if (new->box.write && asb_box_holds(&new->box, &old->box))
			asb_spans_remove(set, old);
	}
}

/* Steps that later ones of other sub-cores depend on: what meetings are for. */
static void find_asked(syncer *s)
{
	asb *b = s->b;
	g_autofree uint32_t *cursor = g_new0(uint32_t, (size_t)b->blocks * b->subs + 1);
	asb_box box[ASB_BOXES];

	for (guint i = 0; i < b->sequence->len; i++) {
		asb_core core = g_array_index(b->sequence, asb_core, i);
		const asb_item *item;
		asb_span new = {.sub = core};
		unsigned boxes;

		if (core == ASB_SYNC || core == ASB_HOLD)
			continue;
		new.step = cursor[core]++;
		item = asb_item_at(&b->sub[core], new.step);
		new.pipe = (uint8_t)asb_queue_of(&item->insn);
		if (new.pipe == ASC_PIPE_V || new.pipe == ASC_PIPE_M || new.pipe == ASC_PIPE_MTE1)
			continue;
		boxes = asb_touch(&item->insn, &g_array_index(b->modes, asb_mode, item->mode), b->machine, box);
		for (unsigned k = 0; k < boxes; k++) {
			if (box[k].space != ASC_GM || !is_written(s, &box[k]))
				continue;
			new.box = box[k];
			ask(s, &s->global.writes, &new);
			if (box[k].write)
				ask(s, &s->global.reads, &new);
			remember(s, box[k].write ? &s->global.writes : &s->global.reads, &new);
		}
	}
	asb_spans_clear(&s->global.reads);
	asb_spans_clear(&s->global.writes);
}

/* Cores and kinds with steps from AT in the sequence to the next meeting. */
static void find_present(const asb *b, guint at, bool *present)
{
	for (; at < b->sequence->len; at++) {
		asb_core core = g_array_index(b->sequence, asb_core, at);

		if (core == ASB_SYNC)
			return;
		if (core != ASB_HOLD)
			present[b->sub[core].block * ASC_KINDS + b->sub[core].kind] = true;
	}
}

bool asb_synchronise(asb *b, GError **error)
{
	syncer s = {.b = b};
	bool good = true;
	uint32_t subs = b->blocks * b->subs;

	s.front = g_new0(front, subs);
	s.written = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	s.found = g_ptr_array_new();
	s.away = g_array_new(FALSE, FALSE, sizeof(away));
	s.link = g_new0(core_link, b->blocks);
	find_written(&s);
	find_members(&s);
	for (uint32_t i = 0; i < subs; i++) {
		init_front(&s, i);
	}
	find_asked(&s);
	for (guint i = 0; i < b->sequence->len; i++) {
		asb_core core = g_array_index(b->sequence, asb_core, i);

		if (i % STOP_STEPS == 0 && sched_stopped(b->options.sheet, error)) {
			good = false;
			break;
		}
		if (core == ASB_HOLD)
			continue;
		if (core == ASB_SYNC) {
			s.pending = true;
			continue;
		}
		if (s.pending) {
			g_autofree bool *present = g_new0(bool, (size_t)b->blocks *ASC_KINDS);

			find_present(b, i, present);
			cross_meet(&s, present);
		}
		s.pending = false;
		visit(&s, core);
	}
	for (uint32_t i = 0; i < subs; i++)
		cross_settle(&s, &s.front[i]);
	for (uint32_t i = 0; i < subs; i++)
		fini_front(&s.front[i]);
	asb_spans_fini(&s.global.reads);
	asb_spans_fini(&s.global.writes);
	g_free(s.front);
	g_free(s.link);
	g_array_free(s.written, TRUE);
	g_ptr_array_free(s.found, TRUE);
	g_array_free(s.away, TRUE);
	return good;
}
