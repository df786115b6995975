/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of a matrix of fp16 by all sub-cores, no computation: into the unified buffer in rows, into L1 in fractals.
 *
 * After asc-devkit, examples/01_simd_cpp_api/04_best_practices/04_memory_access/data_copy: data_copy_ub.h and
 * data_copy_l1.h, scenarios by name.  Rows are split over the sub-cores; a sub-core goes through its rows tile by tile,
 * columns first.  Every copy goes to the same place, as in the source, which waits for none of them; the model finds
 * that these writes race.  The sizes of the scalar loops are not published: counters and addresses are in registers.
 */
#include "tests/validation/valid.h"

enum { ELEMENT_BYTES = 2, ADDRESS = 1, INNER = 2, OUTER = 3, ROW = 4, PASS = 5 };

static void copy(asc_stream *s, const valid_copies *c, unsigned columns, bool bypass)
{
	int64_t bytes = columns * ELEMENT_BYTES;

	if (c->l1)
		PUT(s, ND2NZ, VN("type", ASC_F16), VN("dst", 0), VR("src", ADDRESS), VN("nd", 1), VN("n", c->tile_m),
		    VN("d", columns), VN("src_pitch", c->n), VN("dst_c0_stride", c->tile_m), VN("l2", !bypass));
	else
		PUT(s, GM_TO_UB, VN("dst", 0), VR("src", ADDRESS), VN("bursts", c->tile_m), VN("burst_bytes", bytes),
		    VN("src_gap", (int64_t)(c->n - columns) * ELEMENT_BYTES), VN("l2", !bypass));
}

/* COUNT tiles side by side from ADDRESS on; the last one may be narrower. */
static void columns(asc_stream *s, const valid_copies *c, unsigned wide, bool bypass)
{
	unsigned whole = wide / c->tile_n, rest = wide % c->tile_n;
	guint label;

	valid_movi(s, INNER, 0);
	label = s->insns->len;
	copy(s, c, c->tile_n, bypass);
	valid_addi(s, ADDRESS, ADDRESS, (int64_t)c->tile_n * ELEMENT_BYTES);
	valid_loop(s, INNER, whole, label);
	if (rest)
		copy(s, c, rest, bypass);
}

/* ROWS rows from row FIRST on, columns FROM to FROM + WIDE. */
static void region(asc_stream *s, const valid_copies *c, unsigned first, unsigned rows, unsigned from, unsigned wide,
                   bool bypass)
{
	guint label;

	valid_movi(s, ROW, VALID_X + ((int64_t)first * c->n + from) * ELEMENT_BYTES);
	valid_movi(s, OUTER, 0);
	label = s->insns->len;
	valid_addi(s, ADDRESS, ROW, 0);
	columns(s, c, wide, bypass);
	valid_addi(s, ROW, ROW, (int64_t)c->tile_m * c->n * ELEMENT_BYTES);
	valid_loop(s, OUTER, rows / c->tile_m, label);
}

static void repeated(asc_stream *s, const valid_copies *c, unsigned first, unsigned rows, unsigned from, unsigned wide)
{
	guint label;

	valid_movi(s, PASS, 0);
	label = s->insns->len;
	region(s, c, first, rows, from, wide, false);
	valid_loop(s, PASS, 4, label);
}

asc_program *valid_copies_program(const valid_copies *c)
{
	asc_program *program = asc_program_new();
	unsigned cores = c->l1 ? 24 : 48, rows = c->m / cores;

	program->blocks = 24;
	for (unsigned core = 0; core < cores; core++) {
		asc_stream *s = c->l1 ? valid_cube(program, core) : valid_vector(program, core);

		switch (c->what) {
		case VALID_ONCE:
			region(s, c, core * rows, rows, 0, c->n, false);
			break;
		case VALID_WHOLE_4:
			repeated(s, c, core * rows, rows, 0, c->n);
			break;
		case VALID_QUARTERS_4:
			for (unsigned q = 0; q < 4; q++)
				repeated(s, c, core * rows, rows, q * c->n / 4, c->n / 4);
			break;
		default:
			/* Every sub-core reads all rows, those of one sub-core after the other. */
			for (unsigned part = 0; part < cores; part++)
				region(s, c, (c->what == VALID_SAME ? part : (part + core) % cores) * rows, rows, 0,
				       c->n, true);
		}
	}
	return program;
}
