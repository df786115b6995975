/* SPDX-License-Identifier: Apache-2.0
 *
 * State, scalar instructions and order of the reference.
 */
#include "tests/differential/asc_ref.h"

#include <string.h>

asc_ref *asc_ref_new(const asc_machine *machine, enum asc_kind kind, uint64_t gm_bytes)
{
	asc_ref *r = g_new0(asc_ref, 1);

	r->machine = machine;
	r->kind = kind;
	for (int s = 0; s < ASC_SPACES; s++) {
		if (s == ASC_GM)
			r->bytes[s] = gm_bytes;
		else if (asc_kind_has_space(kind, (enum asc_space)s))
			r->bytes[s] = (uint64_t)asc_space_bytes(machine, (enum asc_space)s);
		r->memory[s] = g_malloc0(r->bytes[s] + 1);
	}
	r->mask[0] = r->mask[1] = UINT64_MAX;
	r->accesses = g_array_new(FALSE, FALSE, sizeof(ref_access));
	r->undo = g_array_new(FALSE, FALSE, sizeof(ref_undo));
	return r;
}

void asc_ref_free(asc_ref *r)
{
	for (int s = 0; s < ASC_SPACES; s++)
		g_free(r->memory[s]);
	g_array_unref(r->accesses);
	g_array_unref(r->undo);
	g_free(r);
}

int64_t ref_field(const asc_ref *r, const char *name)
{
	int field = asc_field_by_name(r->op, name);

	g_assert(field >= 0);
	return r->f[field];
}

static bool note(asc_ref *r, enum asc_space space, bool write, uint64_t address, uint64_t bytes)
{
	ref_access *last;

	if (address > r->bytes[space] || bytes > r->bytes[space] - address) {
		r->beyond = true;
		return false;
	}
	for (guint back = 1; back <= 4 && back <= r->accesses->len; back++) {
		last = &g_array_index(r->accesses, ref_access, r->accesses->len - back);
		if (last->space == space && last->write == write && last->address + last->bytes == address) {
			last->bytes += bytes;
			return true;
		}
	}
	g_array_append_vals(r->accesses, &(ref_access){space, write, address, bytes}, 1);
	return true;
}

void ref_touch(asc_ref *r, enum asc_space space, bool write, uint64_t address, uint64_t bytes)
{
	if (bytes)
		note(r, space, write, address, bytes);
}

uint64_t ref_get(asc_ref *r, enum asc_space space, uint64_t address, unsigned bytes)
{
	uint64_t value = 0;

	if (!note(r, space, false, address, bytes))
		return 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)r->memory[space][address + i] << 8 * i;
	return value;
}

void ref_put(asc_ref *r, enum asc_space space, uint64_t address, unsigned bytes, uint64_t value)
{
	if (!note(r, space, true, address, bytes))
		return;
	for (unsigned i = 0; i < bytes; i++) {
		ref_undo u = {space, r->memory[space][address + i], address + i};

		g_array_append_vals(r->undo, &u, 1);
		r->memory[space][address + i] = (uint8_t)(value >> 8 * i);
	}
}

void asc_ref_undo(asc_ref *r)
{
	for (guint i = r->undo->len; i-- > 0;) {
		const ref_undo *u = &g_array_index(r->undo, ref_undo, i);

		r->memory[u->space][u->address] = u->old;
	}
	g_array_set_size(r->undo, 0);
}

static gint by_place(gconstpointer p, gconstpointer q)
{
	const ref_access *a = p, *b = q;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (a->write != b->write)
		return a->write ? 1 : -1;
	return a->address < b->address ? -1 : a->address > b->address;
}

void asc_ref_join(asc_ref *r)
{
	guint to = 0;

	g_array_sort(r->accesses, by_place);
	for (guint i = 1; i < r->accesses->len; i++) {
		ref_access *last = &g_array_index(r->accesses, ref_access, to),
			   *a = &g_array_index(r->accesses, ref_access, i);

		if (a->space == last->space && a->write == last->write && a->address <= last->address + last->bytes)
			last->bytes = MAX(last->bytes, a->address + a->bytes - last->address);
		else
			g_array_index(r->accesses, ref_access, ++to) = *a;
	}
	if (r->accesses->len)
		g_array_set_size(r->accesses, to + 1);
}

static int64_t alu(enum asc_op op, int64_t n, int64_t m)
{
	uint64_t un = (uint64_t)n, um = (uint64_t)m;

	switch (op) {
	case ASC_OP_ADD:
		return (int64_t)(un + um);
	case ASC_OP_SUB:
		return (int64_t)(un - um);
	case ASC_OP_MUL:
		return (int64_t)(un * um);
	case ASC_OP_DIV:
		return m == 0 ? 0 : m == -1 ? (int64_t)(0 - un) : n / m;
	case ASC_OP_REM:
		return m == 0 ? n : m == -1 ? 0 : n % m;
	case ASC_OP_MIN:
		return MIN(n, m);
	case ASC_OP_MAX:
		return MAX(n, m);
	case ASC_OP_AND:
		return n & m;
	case ASC_OP_OR:
		return n | m;
	case ASC_OP_SHL:
		return um > 63 ? 0 : (int64_t)(un << um);
	default:
		return um > 63 ? 0 : (int64_t)(un >> um);
	}
}

static void scalar(asc_ref *r)
{
	switch (r->op) {
	case ASC_OP_MOVI:
		r->registers[r->f[0]] = r->f[1];
		break;
	case ASC_OP_LDG:
		r->registers[r->f[0]] = (int64_t)ref_get(r, ASC_GM, (uint64_t)r->f[1], (unsigned)ref_field(r, "bytes"));
		break;
	case ASC_OP_STG:
		ref_put(r, ASC_GM, (uint64_t)r->f[1], (unsigned)ref_field(r, "bytes"), (uint64_t)r->registers[r->f[0]]);
		break;
	case ASC_OP_SETWORD:
		ref_put(r, ASC_GM, (uint64_t)r->f[0], 8, (uint64_t)r->f[1]);
		break;
	case ASC_OP_WAITWORD:
		ref_get(r, ASC_GM, (uint64_t)r->f[0], 8);
		break;
	case ASC_OP_SETMASK:
		r->mask[0] = (uint64_t)ref_field(r, "lo");
		r->mask[1] = (uint64_t)ref_field(r, "hi");
		break;
	case ASC_OP_SETCTRL:
		r->counter = ref_field(r, "counter") != 0;
		break;
	default:
		if (r->op >= ASC_OP_ADD && r->op <= ASC_OP_SHR)
			r->registers[r->f[0]] = alu(r->op, r->registers[r->f[1]], r->f[2]);
		break;
	}
}

/* Values of the fields; false when an address is not aligned. */
static bool fetch(asc_ref *r, const asc_insn *insn)
{
	const asc_op_info *info = asc_op((enum asc_op)insn->op);

	r->op = (enum asc_op)insn->op;
	for (unsigned i = 0; i < info->fields; i++)
		r->f[i] = insn->regs >> i & 1 ? r->registers[insn->f[i]] : insn->f[i];
	for (unsigned i = 0; i < info->fields; i++)
		if (info->field[i].value == ASC_VALUE_ADDRESS && r->f[i] % asc_alignment(r->op, i, r->f, 0))
			return false;
	return true;
}

void asc_ref_step(asc_ref *r, const asc_insn *insn)
{
	r->beyond = false;
	g_array_set_size(r->accesses, 0);
	g_array_set_size(r->undo, 0);
	r->misaligned = !fetch(r, insn);
	if (r->misaligned)
		return;
	switch (asc_op(r->op)->pipe) {
	case ASC_PIPE_S:
		scalar(r);
		break;
	case ASC_PIPE_V:
		if (r->op == ASC_OP_L0C_TO_UB)
			ref_fixpipe(r);
		else
			ref_vector(r);
		break;
	case ASC_PIPE_M:
	case ASC_PIPE_MTE1:
		if (r->op == ASC_OP_L1_TO_BT)
			ref_copy(r);
		else
			ref_cube(r);
		break;
	case ASC_PIPE_FIX:
		ref_fixpipe(r);
		break;
	default:
		ref_copy(r);
		break;
	}
	if (r->beyond)
		asc_ref_undo(r);
}

static bool is_taken(const asc_ref *r, const asc_insn *insn)
{
	int64_t n = r->registers[insn->f[0]], m = insn->regs & 2 ? r->registers[insn->f[1]] : insn->f[1];

	switch (insn->op) {
	case ASC_OP_BEQ:
		return n == m;
	case ASC_OP_BNE:
		return n != m;
	case ASC_OP_BLT:
		return n < m;
	default:
		return n >= m;
	}
}

bool asc_ref_run(asc_ref *r, const asc_insn *insns, unsigned count, uint64_t steps)
{
	uint64_t at = 0;

	while (at < count && steps-- > 0) {
		const asc_insn *insn = &insns[at];

		if (insn->op == ASC_OP_END)
			return true;
		if (insn->op == ASC_OP_JUMP) {
			at = (uint64_t)insn->f[0];
		} else if (insn->op >= ASC_OP_BEQ && insn->op <= ASC_OP_BGE) {
			at = is_taken(r, insn) ? (uint64_t)insn->f[2] : at + 1;
		} else {
			asc_ref_step(r, insn);
			at++;
		}
	}
	return at >= count;
}
