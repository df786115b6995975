/* SPDX-License-Identifier: Apache-2.0
 *
 * Races by happens-before: two accesses to a byte, one of them a write, that neither flags, barriers, queue order nor
 * the hardware order. What is kept of the past is, for every byte, the accesses that a later one could still race with:
 * an access is forgotten when a later one covers it and is a write, or both are reads, and is ordered after it or
 * stands on the same pipe; whatever races with the older one then races with the younger one too.  So the first race of
 * a place is found, not all of them.
 *
 * Accesses are asked for in order of their start.  The cost is one search of extents an access and box, and a question
 * to each access whose extent overlaps; never one a byte.
 *
 * A race is reported once for each pair of instructions, and once more when the two have really met in time.
 */
#include "models/ascend/extents.h"
#include "models/ascend/front_int.h"

typedef struct node {
	asc_extent extent;
	asc_box box;
	uint32_t sub, stream, insn;
	uint8_t pipe, space;
	bool write, unit_flag, word;
	uint64_t epoch;
	int64_t start, done;
} node;

/* One address space: global memory, or a buffer of a sub-core. */
typedef struct place {
	asc_extents reads, writes;
} place;

struct asc_races {
	asc_chip *chip;
	place global;
	place *local;      /* [subs][ASC_SPACES] */
	GHashTable *read;  /* node by box, place and pipe: a read that is repeated is one */
	GHashTable *known; /* pairs reported, char * */
	GPtrArray *found;
	uint64_t numbers;
	size_t live;
};

static guint node_hash(gconstpointer p)
{
	const node *n = p;
	uint64_t h = n->box.low * 0x9e3779b97f4a7c15u;

	h = (h ^ n->box.high ^ (n->box.pitch << 20) ^ (n->box.bytes << 40)) * 0xbf58476d1ce4e5b9u;
	h ^= (uint64_t)n->sub << 16 ^ (uint64_t)n->pipe << 8 ^ n->space;
	return (guint)(h ^ h >> 29);
}

static gboolean node_equal(gconstpointer p, gconstpointer q)
{
	const node *a = p, *b = q;

	return a->sub == b->sub && a->pipe == b->pipe && a->space == b->space && a->box.low == b->box.low &&
	       a->box.high == b->box.high && a->box.bytes == b->box.bytes && a->box.pitch == b->box.pitch;
}

asc_races *asc_races_new(asc_chip *chip)
{
	asc_races *r = g_new0(asc_races, 1);

	r->chip = chip;
	r->local = g_new0(place, (size_t)chip->subs * ASC_SPACES);
	r->read = g_hash_table_new(node_hash, node_equal);
	r->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	r->found = g_ptr_array_new();
	return r;
}

static void free_nodes(asc_extent *e)
{
	if (!e)
		return;
	free_nodes(e->left);
	free_nodes(e->right);
	g_free(e);
}

void asc_races_free(asc_races *r)
{
	if (!r)
		return;
	free_nodes(r->global.reads.root);
	free_nodes(r->global.writes.root);
	for (size_t i = 0; i < (size_t)r->chip->subs * ASC_SPACES; i++) {
		free_nodes(r->local[i].reads.root);
		free_nodes(r->local[i].writes.root);
	}
	g_free(r->local);
	g_hash_table_destroy(r->read);
	g_hash_table_destroy(r->known);
	g_ptr_array_free(r->found, TRUE);
	g_free(r);
}

size_t asc_races_live(const asc_races *r)
{
	return r->live;
}

static place *place_of(asc_races *r, uint32_t sub, enum asc_space space)
{
	return space == ASC_GM ? &r->global : &r->local[(size_t)sub * ASC_SPACES + space];
}

static bool same_pipe(const node *old, const asc_access *a)
{
	return old->sub == a->sub && old->pipe == a->pipe;
}

/* Is OLD complete before A starts, by what flags, barriers and queues say? */
static bool ordered(const node *old, const asc_access *a)
{
	const asc_clock *clock = a->clock;

	if (old->sub == a->sub)
		return clock->local[old->pipe] >= old->epoch;
	return clock->foreign && clock->foreign->at[old->sub * ASC_PIPES + old->pipe] >= old->epoch;
}

/* Does the hardware keep the two apart: on one pipe by the table, between cube and fixpipe by unit flags, words of
 * global memory as a whole?  None of them says that the older access is complete to anybody else. */
static bool kept_apart(const node *old, const node *new)
{
	if (old->word && new->word)
		return true;
	if (old->sub != new->sub)
		return false;
	if (old->pipe == new->pipe)
		return asc_ordered((enum asc_pipe) new->pipe, (enum asc_space) new->space, old->write, new->write);
	return new->space == ASC_L0C && old->unit_flag &&new->unit_flag;
}

static void report(asc_races *r, const node *old, const asc_access *a, enum asc_space space, uint64_t address,
                   uint64_t bytes)
{
	asc_subcore *s = &r->chip->sub[a->sub];
	bool met = old->start < a->done && a->start < old->done;
	char *key = g_strdup_printf("%u.%u %u.%u %d%d", old->stream, old->insn, a->stream, a->insn, space, met);
	asc_violation v = {ASC_FINDING_RACE, a->start,  s->core, s->sub,  a->stream, a->insn,
	                   old->stream,      old->insn, space,   address, bytes,     met};

	if (!g_hash_table_add(r->known, key))
		return;
	if (met)
		s->counters.races_met++;
	asc_violate_at(s, v);
}

static void forget(asc_races *r, asc_extents *set, node *n)
{
	if (!n->write)
		g_hash_table_remove(r->read, n);
	asc_extents_remove(set, &n->extent);
	r->live--;
	g_free(n);
}

/* NEW against what SET holds.  Returns nothing; reports, and forgets what NEW stands for from now on. */
static void compare(asc_races *r, asc_extents *set, const node *new, const asc_access *a)
{
	g_ptr_array_set_size(r->found, 0);
	asc_extents_find(set, new->box.low, new->box.high, r->found);
	for (guint i = 0; i < r->found->len; i++) {
		node *old = g_ptr_array_index(r->found, i);
		uint64_t address, bytes;
		bool safe;

		if ((same_pipe(old, a) && old->epoch == a->epoch) ||
		    !asc_box_overlap(&old->box, &new->box, &address, &bytes))
			continue;
		safe = ordered(old, a);
		if (!safe && !kept_apart(old, new))
			report(r, old, a, (enum asc_space) new->space, address, bytes);
		if (new->write && (safe || same_pipe(old, a)) && asc_box_covers(&new->box, &old->box))
			forget(r, set, old);
	}
}

static void remember(asc_races *r, asc_extents *set, const node *new)
{
	node *n = g_memdup2(new, sizeof(*new));

	n->extent = (asc_extent){.low = n->box.low, .high = n->box.high, .number = ++r->numbers};
	asc_extents_add(set, &n->extent);
	if (!n->write)
		g_hash_table_add(r->read, n);
	r->live++;
}

static bool node_make(node *n, const asc_access *a, const asc_range *range)
{
	*n = (node){.sub = a->sub,
	            .stream = a->stream,
	            .insn = a->insn,
	            .pipe = a->pipe,
	            .space = (uint8_t)range->space,
	            .write = range->write,
	            .unit_flag = a->unit_flag,
	            .word = a->word,
	            .epoch = a->epoch,
	            .start = a->start,
	            .done = a->done};
	return asc_box_make(&n->box, range);
}

/* A read that is repeated takes the place of the older one. */
static void remember_read(asc_races *r, const node *new)
{
	node *old = g_hash_table_lookup(r->read, new);

	if (!old) {
		remember(r, &place_of(r, new->sub, (enum asc_space) new->space)->reads, new);
		return;
	}
	old->epoch = new->epoch;
	old->unit_flag = new->unit_flag;
	old->word = new->word;
	old->stream = new->stream;
	old->insn = new->insn;
	old->start = new->start;
	old->done = new->done;
}

/* Reads are kept last: one of this instruction must not take the place of an older one before its writes have met that.
 */
void asc_races_access(asc_races *r, const asc_access *a, const asc_range *ranges, unsigned count)
{
	node new;

	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < count; i++) {
			place *where = place_of(r, a->sub, ranges[i].space);

			if (ranges[i].write != write || !node_make(&new, a, &ranges[i]))
				continue;
			compare(r, &where->writes, &new, a);
			if (!write)
				continue;
			compare(r, &where->reads, &new, a);
			remember(r, &where->writes, &new);
		}
	for (unsigned i = 0; i < count; i++)
		if (!ranges[i].write && node_make(&new, a, &ranges[i]))
			remember_read(r, &new);
}
