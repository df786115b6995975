/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps of every family with random parameters on memories of random size, and streams that make them conflict.  The
 * sizes are small, so that walking a whole memory or simulating request by request takes no time.
 */
#include "tests/bank/random_case.h"

#include <glib.h>

static uint64_t between(rng *r, uint64_t least, uint64_t most)
{
	return least + rng_below(r, most - least + 1);
}

static uint64_t common(uint64_t a, uint64_t b)
{
	return b ? common(b, a % b) : a;
}

static void one_number(const char *name, oracle_map *map, char *text)
{
	map->banks = MAX(map->banks, (unsigned)map->a);
	g_snprintf(text, CASE_TEXT, "%s:%" G_GUINT64_FORMAT, name, map->a);
}

static void two_numbers(const char *name, unsigned banks, oracle_map *map, char *text)
{
	map->banks = MAX(map->banks, banks);
	g_snprintf(text, CASE_TEXT, "%s:%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT, name, map->a, map->b);
}

/* A modulus family: a, and where it has one, b. */
static void random_modulus(rng *r, oracle_map *map, char *text)
{
	unsigned log2 = 0;

	map->a = between(r, 1, map->banks);
	switch (map->family) {
	case ORACLE_PRIME:
		map->b = between(r, 1, map->a);
		two_numbers("prime", 1, map, text);
		break;
	case ORACLE_BSP:
		while (2u << log2 <= map->a)
			log2++;
		map->b = between(r, 0, log2);
		two_numbers("bsp", 1, map, text);
		break;
	case ORACLE_CRT:
		while (common(map->a, map->rows) > 1)
			map->a--;
		one_number("crt", map, text);
		break;
	case ORACLE_SKEW:
		map->b = rng_below(r, map->a);
		two_numbers("skew", 1, map, text);
		break;
	case ORACLE_BSG: {
		unsigned n = (unsigned)between(r, 0, 4), m = (unsigned)between(r, 1, 4);

		map->a = (1u << n) * ((1u << m) - 1);
		one_number("bsg", map, text);
		break;
	}
	default:
		one_number("mod", map, text);
	}
}

static void random_gf2(rng *r, oracle_map *map, char *text)
{
	GString *s = g_string_new("gf2:");
	bool identity = rng_below(r, 4) > 0;

	map->a = between(r, 1, 7);
	map->banks = MAX(map->banks, 1u << map->a);
	for (unsigned i = 0; i < map->a; i++) {
		uint64_t mask = rng_next(r) >> rng_below(r, 60);

		if (identity)
			mask = mask >> map->a << map->a | (uint64_t)1 << i;
		map->masks[i] = MAX(mask, 1);
		g_string_append_printf(s, "%s0x%" G_GINT64_MODIFIER "x", i ? "," : "", map->masks[i]);
	}
	g_strlcpy(text, s->str, CASE_TEXT);
	g_string_free(s, TRUE);
}

static void random_table(rng *r, oracle_map *map, char *text)
{
	GString *s = g_string_new("table:");
	g_autofree uint64_t *fill = g_new0(uint64_t, map->banks);

	map->b = rng_below(r, 3);
	map->a = map->b == 1 ? 1u << between(r, 0, 6) : between(r, 1, ORACLE_TABLE_ENTRIES);
	map->c = rng_below(r, map->a);
	for (unsigned i = 0; i < map->a; i++) {
		map->table[i] = (unsigned)rng_below(r, map->banks);
		g_string_append_printf(s, "%s%u", i ? "," : "", map->table[i]);
		/* A memory that is shorter than one turn has no such map. */
		map->rows = MAX(map->rows, ++fill[map->table[i]]);
	}
	if (map->b == 1)
		g_string_append(s, ",xor");
	else if (map->b == 2)
		g_string_append_printf(s, ",rotate=%u", (unsigned)map->c);
	g_strlcpy(text, s->str, CASE_TEXT);
	g_string_free(s, TRUE);
}

static void random_expr(rng *r, oracle_map *map, char *text)
{
	unsigned m = map->banks, a = (unsigned)between(r, 1, 40);

	/* So many that every bank occurs: else the banks that the program sees used are fewer than the expression's. */
	map->rows = MAX(map->rows, 64);
	map->a = a;
	map->c = rng_below(r, 3);
	if (map->c == 0)
		g_snprintf(text, CASE_TEXT, "expr:bank=(b+%u*(b/%u))%%%u;row=b/%u", a, m, m, m);
	else if (map->c == 1)
		g_snprintf(text, CASE_TEXT, "expr:bank=(b^b/%u)%%%u", a, m);
	else {
		map->rows = map->a * between(r, 1, 4);
		g_snprintf(text, CASE_TEXT, "expr:bank=b/%u%%%u;row=b/%u*%u+b%%%u", a, m, a * m, a, a);
	}
	if (map->c == 1) /* the row that stands in for none is b div banks used */
		g_strlcat(text, rng_below(r, 2) ? "" : ";row=b/0x1", CASE_TEXT);
}

/* Families of 2^n banks. */
static void random_power(rng *r, oracle_map *map, char *text)
{
	unsigned n = (unsigned)between(r, 1, 7);

	map->a = n;
	switch (map->family) {
	case ORACLE_MERSENNE:
		map->banks = MAX(map->banks, (1u << n) - 1);
		g_snprintf(text, CASE_TEXT, "mersenne:%u", n);
		break;
	case ORACLE_PDISP:
		map->b = rng_below(r, 1u << n) | 1;
		two_numbers("pdisp", 1u << n, map, text);
		break;
	case ORACLE_SWIZZLE:
		map->b = between(r, 0, 7 - n);
		map->c = between(r, MAX(n, 1), 12);
		map->banks = MAX(map->banks, 1u << (n + map->b));
		g_snprintf(text, CASE_TEXT, "swizzle:%u,%u,%u", n, (unsigned)map->b, (unsigned)map->c);
		break;
	case ORACLE_BITREV:
		map->banks = MAX(map->banks, 1u << n);
		g_snprintf(text, CASE_TEXT, "bitrev:%u", n);
		break;
	default:
		map->banks = MAX(map->banks, 1u << n);
		g_snprintf(text, CASE_TEXT, "xorfold:%u", n);
	}
}

static void random_polynomial(rng *r, oracle_map *map, char *text)
{
	unsigned n = (unsigned)between(r, 1, 7);
	uint64_t polynomial = (uint64_t)1 << n | rng_below(r, 1u << n) | 1;

	if (map->family == ORACLE_HYBRID) {
		n = (unsigned)between(r, 1, 4);
		map->a = between(r, 0, 4) * 2 + 1;
		map->b = (uint64_t)1 << n | rng_below(r, 1u << n) | 1;
		two_numbers("hybrid", (unsigned)map->a << n, map, text);
	} else if (map->family == ORACLE_IPOLYMOD) {
		map->a = polynomial;
		map->b = between(r, 1, (1u << n) - 1);
		two_numbers("ipolymod", (unsigned)map->b, map, text);
	} else {
		map->a = polynomial;
		map->b = between(r, n, 64);
		two_numbers("poly", 1u << n, map, text);
		if (rng_below(r, 2)) {
			map->b = 64;
			g_snprintf(text, CASE_TEXT, "poly:0x%" G_GINT64_MODIFIER "x", map->a);
		}
	}
}

static void random_other(rng *r, oracle_map *map, char *text)
{
	switch (map->family) {
	case ORACLE_AMD:
		map->a = between(r, 1, 4);
		map->b = between(r, 0, 4) * 2 + 1;
		two_numbers("amd", (unsigned)map->b << map->a, map, text);
		break;
	case ORACLE_MULT:
		map->b = map->banks;
		do
			map->a = between(r, 1, map->banks * map->rows + 100);
		while (common(map->a, map->banks * map->rows) > 1);
		g_snprintf(text, CASE_TEXT, "mult:%u", (unsigned)map->a);
		break;
	case ORACLE_XORMOD:
		map->a = between(r, 1, map->banks);
		map->b = between(r, 1, 12);
		map->c = rng_below(r, 2) ? between(r, 1, map->a) : 0;
		if (map->c)
			g_snprintf(text, CASE_TEXT, "xormod:%u,%u,%u", (unsigned)map->a, (unsigned)map->b,
			           (unsigned)map->c);
		else
			two_numbers("xormod", 1, map, text);
		break;
	case ORACLE_GIVEN:
		if (rng_below(r, 2))
			g_snprintf(text, CASE_TEXT, "random:%u", (unsigned)rng_below(r, 1000));
		else {
			map->banks = MAX(map->banks, 128);
			g_snprintf(text, CASE_TEXT, "pae:%u,%u", (unsigned)between(r, 1, 7),
			           (unsigned)rng_below(r, 1000));
		}
		break;
	case ORACLE_IDENTITY:
		g_strlcpy(text, "identity", CASE_TEXT);
		break;
	default:
		g_strlcpy(text, "ideal", CASE_TEXT);
	}
}

void random_map(rng *r, enum oracle_family family, oracle_map *map, char *text)
{
	*map = (oracle_map){.family = family, .banks = (unsigned)between(r, 1, 150), .rows = between(r, 4, 60)};
	switch (family) {
	case ORACLE_MOD:
	case ORACLE_PRIME:
	case ORACLE_BSP:
	case ORACLE_CRT:
	case ORACLE_BSG:
	case ORACLE_SKEW:
		random_modulus(r, map, text);
		break;
	case ORACLE_MERSENNE:
	case ORACLE_PDISP:
	case ORACLE_XORFOLD:
	case ORACLE_SWIZZLE:
	case ORACLE_BITREV:
		random_power(r, map, text);
		break;
	case ORACLE_HYBRID:
	case ORACLE_POLY:
	case ORACLE_IPOLYMOD:
		random_polynomial(r, map, text);
		break;
	case ORACLE_GF2:
		random_gf2(r, map, text);
		break;
	case ORACLE_TABLE:
		random_table(r, map, text);
		break;
	case ORACLE_EXPR:
		random_expr(r, map, text);
		break;
	default:
		random_other(r, map, text);
	}
}

void random_groups(rng *r, uint64_t limit, bool writes, random_stream *out)
{
	unsigned most = (unsigned)between(r, 1, CASE_MAX_LANES);

	out->groups = between(r, 1, CASE_MAX_GROUPS);
	out->count = 0;
	out->lanes = 0;
	out->even = !writes && rng_below(r, 2);
	for (size_t group = 0; group < out->groups; group++) {
		unsigned lanes = out->even ? most : (unsigned)between(r, 1, most);
		unsigned kind = (unsigned)rng_below(r, 4);
		uint64_t base = rng_below(r, limit), stride = rng_below(r, 200), few = between(r, 1, 8);

		out->lanes = MAX(out->lanes, lanes);
		for (unsigned lane = 0; lane < lanes; lane++) {
			uint64_t block = rng_below(r, limit);

			if (kind == 0)
				block = (base + stride * lane) % limit;
			else if (kind == 1)
				block = (base + rng_below(r, few)) % limit;
			out->a[out->count++] = (oracle_access){
				.group = group, .lane = lane, .block = block, .write = writes && rng_below(r, 2)};
		}
	}
}
