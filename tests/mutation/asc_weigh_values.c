/* SPDX-License-Identifier: Apache-2.0
 *
 * What each step touches, and the values it leaves: the reference's instructions, one after the other.  A buffer a
 * sub-core, one global memory.  A byte is initialised when the host provides it or an earlier step has written it.
 */
#include "tests/mutation/asc_weigh_int.h"

#include <string.h>

typedef struct sub {
	asc_ref *ref;
	uint8_t *written[ASC_SPACES]; /* of global memory everybody's */
} sub;

static sub *subs_new(judge *j)
{
	guint count = j->program->streams->len;
	sub *subs = g_new0(sub, count + 1);
	uint8_t *written = g_malloc0(j->w->bytes + 1);

	for (guint k = 0; k < count; k++) {
		const asc_stream *stream = g_ptr_array_index(j->program->streams, k);

		subs[k].ref = asc_ref_new(j->machine, stream->kind, 0);
		g_free(subs[k].ref->memory[ASC_GM]);
		subs[k].ref->memory[ASC_GM] = j->w->memory;
		subs[k].ref->bytes[ASC_GM] = j->w->bytes;
		for (unsigned s = 0; s < ASC_SPACES; s++)
			subs[k].written[s] = s == ASC_GM ? written : g_malloc0(subs[k].ref->bytes[s] + 1);
	}
	for (guint i = 0; i < j->program->images->len; i++) {
		const asc_image *image = &g_array_index(j->program->images, asc_image, i);

		if (image->data)
			memcpy(j->w->memory + image->address, image->data, image->bytes);
		memset(written + image->address, 1, image->bytes);
	}
	subs[count].written[ASC_GM] = written;
	return subs;
}

static void subs_free(sub *subs, guint count)
{
	for (guint k = 0; k < count; k++) {
		subs[k].ref->memory[ASC_GM] = NULL;
		asc_ref_free(subs[k].ref);
		for (unsigned s = ASC_GM + 1; s < ASC_SPACES; s++)
			g_free(subs[k].written[s]);
	}
	g_free(subs[count].written[ASC_GM]);
	g_free(subs);
}

/* Fields of an operand of blocks and repeats; false when OP has no such operand. */
static bool operand_of(const asc_insn *insn, const char *name, int64_t *address, int64_t *block, int64_t *repeat)
{
	enum asc_op op = (enum asc_op)insn->op;
	g_autofree char *blk = g_strdup_printf("%s_blk", name), *rep = g_strdup_printf("%s_rep", name);
	int a = asc_field_by_name(op, name), b = asc_field_by_name(op, blk), r = asc_field_by_name(op, rep);

	if (a < 0 || b < 0 || r < 0)
		return false;
	*address = insn->f[a];
	*block = insn->f[b];
	*repeat = insn->f[r];
	return true;
}

/* Blocks of repeat R of two operands, all pairs. */
static bool repeat_overlaps(const step *s, const char *source, int64_t lanes)
{
	enum { BLOCK = 32, LANE_BITS = 64 };
	int64_t d, db, dr, a, ab, ar, blocks = 8, repeats;
	int64_t lane_bytes =
		asc_type_bytes((enum asc_type)s->insn->f[asc_field_by_name((enum asc_op)s->insn->op, "type")]);

	if (!operand_of(s->insn, "dst", &d, &db, &dr) || !operand_of(s->insn, source, &a, &ab, &ar))
		return false;
	while (lanes > 0 && !(s->mask[(lanes - 1) / LANE_BITS] >> (lanes - 1) % LANE_BITS & 1))
		lanes--;
	blocks = (lanes * lane_bytes + BLOCK - 1) / BLOCK;
	repeats = s->insn->f[asc_field_by_name((enum asc_op)s->insn->op, "repeat")];
	for (int64_t r = 0; r < repeats; r++)
		for (int64_t x = 0; x < blocks; x++)
			for (int64_t y = 0; y < blocks; y++) {
				int64_t to = d + (r * dr + x * db) * BLOCK, from = a + (r * ar + y * ab) * BLOCK;
				bool same = d + r * dr * BLOCK == a + r * ar * BLOCK && db == ab;

				if (!same && to < from + BLOCK && from < to + BLOCK)
					return true;
			}
	return false;
}

static bool overlaps(const judge *j, const step *s)
{
	static const char *const sources[] = {"src", "src0", "src1"};
	enum asc_op op = (enum asc_op)s->insn->op;
	int type = asc_field_by_name(op, "type");

	if (s->pipe != ASC_PIPE_V || type < 0 || s->counter || op == ASC_OP_VBRCB || op == ASC_OP_L0C_TO_UB ||
	    asc_field_by_name(op, "dtype") >= 0)
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++)
		if (repeat_overlaps(
			    s, sources[i],
			    MIN(j->machine->vector_bytes / asc_type_bytes((enum asc_type)s->insn->f[type]), 128)))
			return true;
	return false;
}

static void note_written(judge *j, const sub *u, const step *s)
{
	bool missing = false;

	for (guint i = 0; i < s->accesses->len; i++) {
		const ref_access *a = &g_array_index(s->accesses, ref_access, i);

		for (uint64_t b = 0; !a->write && b < a->bytes && !missing; b++)
			missing = !u->written[a->space][a->address + b];
	}
	j->w->count[WEIGH_UNINITIALISED] += missing;
	for (guint i = 0; i < s->accesses->len; i++) {
		const ref_access *a = &g_array_index(s->accesses, ref_access, i);

		if (a->write)
			memset(u->written[a->space] + a->address, 1, a->bytes);
	}
}

static void execute(judge *j, const sub *u, step *s)
{
	asc_ref *r = u->ref;

	if (s->insn->op >= ASC_OP_SETMASK && s->insn->op <= ASC_OP_END)
		return;
	r->mask[0] = s->mask[0];
	r->mask[1] = s->mask[1];
	r->counter = s->counter;
	asc_ref_step(r, s->insn);
	if (r->beyond || r->misaligned) {
		j->w->count[WEIGH_BEYOND]++;
		return;
	}
	j->w->count[WEIGH_OVERLAP] += overlaps(j, s);
	asc_ref_join(r);
	g_array_append_vals(s->accesses, r->accesses->data, r->accesses->len);
	note_written(j, u, s);
}

void judge_execute(judge *j)
{
	sub *subs;

	j->w->bytes = weigh_memory_bytes(j->program);
	j->w->memory = g_malloc0(j->w->bytes + 1);
	subs = subs_new(j);
	for (uint32_t n = 0; n < j->steps->len * EVENTS; n++)
		if (j->order[n] % EVENTS == START) {
			step *s = step_at(j, j->order[n] / EVENTS);

			execute(j, &subs[s->stream], s);
		}
	subs_free(subs, j->program->streams->len);
}
