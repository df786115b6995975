/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of an Ascend-style core that take fixed times, for tests of the front end alone.  How long an instruction keeps
 * its pipe is said by the program itself: vector, load2d and load3d by repeat (load3d: m_extent), mmad by m, copies by
 * bursts, nd2nz by nd, fixpipe by m.  It is complete asc_stub_tail cycles after its pipe is free, and begins
 * asc_stub_delay after it is asked.  In functional mode the first burst of a copy moves its bytes; nothing else has
 * values.
 */
#include "tests/unit/asc_core_rig.h"

int64_t asc_stub_tail, asc_stub_delay;
GArray *asc_stub_asked; /* asc_stub_question, when not NULL */

struct asc_ub {
	int unused;
};
struct asc_vector {
	int unused;
};
struct asc_cube {
	bool marked; /* all of L0C is one unit */
};
struct asc_memory {
	int unused;
};
struct asc_mte {
	asc_data *data;
	asc_cube *cube;
	unsigned core;
};

static int64_t cycles_of(const asc_exec *x)
{
	static const char *const names[] = {"repeat", "bursts", "nd", "m", "m_extent"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		int field = asc_field_by_name((enum asc_op)x->insn->op, names[i]);

		if (field >= 0)
			return x->f[field];
	}
	return 1;
}

static void take(asc_exec *x, unsigned core)
{
	asc_stub_question q = {x->start, core, x->insn->op};

	x->start += asc_stub_delay;
	x->free = x->start + cycles_of(x);
	x->done = x->free + asc_stub_tail;
	x->work = 1;
	if (asc_stub_asked)
		g_array_append_val(asc_stub_asked, q);
}

unsigned asc_gathered(const asc_exec *x, const asc_machine *machine, asc_data *data, asc_range *ranges, unsigned room)
{
	(void)x;
	(void)machine;
	(void)data;
	(void)ranges;
	(void)room;
	return 0;
}

bool asc_gathered_written(const asc_exec *x, const asc_machine *machine, asc_data *data, uint64_t *first)
{
	(void)x;
	(void)machine;
	(void)data;
	(void)first;
	return true;
}

asc_ub *asc_ub_new(const asc_machine *machine)
{
	(void)machine;
	return g_new0(asc_ub, 1);
}

void asc_ub_free(asc_ub *ub)
{
	g_free(ub);
}

asc_vector *asc_vector_new(const asc_machine *machine, asc_ub *ub, asc_data *data)
{
	(void)machine;
	(void)ub;
	(void)data;
	return g_new0(asc_vector, 1);
}

void asc_vector_free(asc_vector *v)
{
	g_free(v);
}

void asc_vector_execute(asc_vector *v, asc_exec *x)
{
	(void)v;
	take(x, 0);
}

asc_cube *asc_cube_new(const asc_machine *machine, asc_data *data)
{
	(void)machine;
	(void)data;
	return g_new0(asc_cube, 1);
}

void asc_cube_free(asc_cube *c)
{
	g_free(c);
}

void asc_cube_execute(asc_cube *c, asc_exec *x)
{
	c->marked |= x->f[asc_field_by_name(ASC_OP_MMAD, "unit_flag")] != 0;
	take(x, 0);
}

bool asc_cube_unit_ready(const asc_cube *c, const asc_exec *x)
{
	return !x->f[asc_field_by_name((enum asc_op)x->insn->op, "unit_flag")] ||
	       c->marked == (x->insn->op != ASC_OP_MMAD);
}

asc_memory *asc_memory_new(const asc_machine *machine)
{
	(void)machine;
	return g_new0(asc_memory, 1);
}

void asc_memory_free(asc_memory *m)
{
	g_free(m);
}

asc_mte *asc_mte_new(const asc_machine *machine, unsigned core, asc_memory *memory, asc_ub *ub, asc_cube *cube,
                     asc_data *data)
{
	asc_mte *m = g_new0(asc_mte, 1);

	(void)machine;
	(void)memory;
	(void)ub;
	m->cube = cube;
	m->data = data;
	m->core = core;
	return m;
}

void asc_mte_free(asc_mte *m)
{
	g_free(m);
}

void asc_mte_execute(asc_mte *m, asc_exec *x)
{
	int bytes = asc_field_by_name((enum asc_op)x->insn->op, "burst_bytes");
	uint64_t n = bytes < 0 ? 0 : (uint64_t)x->f[bytes];
	uint8_t *to, *from;

	take(x, m->core);
	if (m->cube && asc_field_by_name((enum asc_op)x->insn->op, "unit_flag") >= 0)
		m->cube->marked = false;
	if (bytes < 0)
		return;
	x->bytes = n * (uint64_t)x->f[2];
	to = asc_data_at(m->data, x->info->field[0].space, (uint64_t)x->f[0], n);
	from = asc_data_at(m->data, x->info->field[1].space, (uint64_t)x->f[1], n);
	if (to && from)
		memcpy(to, from, n);
}
