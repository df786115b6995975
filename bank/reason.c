/* SPDX-License-Identifier: Apache-2.0
 *
 * The first offending pair in words.  For a progression under a modulo map the reason is arithmetic (stride s visits
 * M / gcd(s, M) banks); under a map that is linear over GF(2) it is the difference of the two blocks, which lies in the
 * map's null space; otherwise the pair itself is all there is to say.
 */
#include "bank/metrics.h"

#include <glib.h>
#include <string.h>

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Is the map linear over GF(2) as far as its unit vectors and a few sums tell? */
static bool looks_linear(const bankmap *map)
{
	if (bankmap_bank(map, 0) != 0 || bankmap_modulus(map))
		return false;
	for (unsigned i = 0; i < 20; i++)
		for (unsigned j = 0; j < i; j++) {
			uint64_t a = UINT64_C(1) << i | UINT64_C(1) << j / 2;
			uint64_t b = UINT64_C(1) << j | UINT64_C(1) << (i + j) / 2;

			if ((bankmap_bank(map, a) ^ bankmap_bank(map, b)) != bankmap_bank(map, a ^ b))
				return false;
		}
	return true;
}

static void append_where(GString *out, const bank_result *r)
{
	if (r->first_group == r->first_other_group)
		g_string_append_printf(out, "lanes %u and %u of group %" G_GUINT64_FORMAT, r->first_lane[0],
		                       r->first_lane[1], r->first_group);
	else
		g_string_append_printf(out,
		                       "lane %u of group %" G_GUINT64_FORMAT " and lane %u of group %" G_GUINT64_FORMAT,
		                       r->first_lane[0], r->first_other_group, r->first_lane[1], r->first_group);
}

static void append_rows(GString *out, const bank_result *r, const bankmap *map)
{
	uint64_t a = r->first_block[0];
	uint64_t b = r->first_block[1];
	uint64_t row_a, row_b;

	if (a == b) {
		g_string_append_printf(out, ": block %" G_GUINT64_FORMAT " twice, bank %u, same row (mergeable)", a,
		                       r->first_bank);
		return;
	}
	row_a = bankmap_row(map, a);
	row_b = bankmap_row(map, b);
	g_string_append_printf(out, ": blocks %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, a, b);
	if (r->first_bank != r->first_other_bank) {
		g_string_append_printf(out, " in banks %u and %u of one bank group", r->first_other_bank,
		                       r->first_bank);
		return;
	}
	g_string_append_printf(out, " in bank %u, ", r->first_bank);
	if (row_a == row_b)
		g_string_append_printf(out, "same row %" G_GUINT64_FORMAT " (aliased: the map is not injective)",
		                       row_a);
	else
		g_string_append_printf(out, "different rows %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, row_a,
		                       row_b);
}

static void append_why(GString *out, const bank_result *r, const bankmap *map)
{
	uint64_t modulus = bankmap_modulus(map);
	uint64_t difference = r->first_block[0] > r->first_block[1] ? r->first_block[0] - r->first_block[1]
	                                                            : r->first_block[1] - r->first_block[0];

	if (!difference || r->first_bank != r->first_other_bank)
		return;
	if (r->first_is_progression && modulus) {
		uint64_t stride = (uint64_t)(r->first_stride < 0 ? -r->first_stride : r->first_stride);
		uint64_t common = gcd(stride, modulus);

		g_string_append_printf(out,
		                       "; stride %" G_GINT64_FORMAT ": gcd(%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
		                       ") = %" G_GUINT64_FORMAT ", so %" G_GUINT64_FORMAT " bank%s",
		                       r->first_stride, stride, modulus, common, modulus / common,
		                       modulus / common == 1 ? "" : "s");
	} else if (modulus) {
		g_string_append_printf(
			out, "; difference %" G_GUINT64_FORMAT " = %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT,
			difference, difference / modulus, modulus);
	} else if (looks_linear(map)) {
		g_string_append_printf(out,
		                       "; difference 0x%" G_GINT64_MODIFIER "x (xor) lies in the null space of the map",
		                       r->first_block[0] ^ r->first_block[1]);
	} else if (r->first_is_progression) {
		g_string_append_printf(out, "; stride %" G_GINT64_FORMAT, r->first_stride);
	}
}

char *bank_first_reason(const bank_result *r, const bankmap *map)
{
	GString *out;

	if (r->first_group == UINT64_MAX)
		return NULL;
	out = g_string_new(NULL);
	append_where(out, r);
	append_rows(out, r, map);
	append_why(out, r, map);
	return g_string_free(out, FALSE);
}
