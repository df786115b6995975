/* SPDX-License-Identifier: Apache-2.0
 *
 * Candidates: the classic maps for a number of banks, and every member of the families with one parameter.
 */
#include "bank/search.h"

#include <math.h>
#include <string.h>

enum {
	LEAST_MODULUS_PARTS = 3, /* moduli from two thirds of the banks on, times this below */
	MOST_SKEWS = 1024,
	MOST_MODULI = 1024,
};

#define GATES_MEASURED(text, address_bits, nand2, note)
#define GATES_UNIT(id, nand2, doc) static const double unit_##id G_GNUC_UNUSED = nand2;
#include "isa/bankgates.def"

double bank_search_xor2_nand2(void)
{
	return unit_xor;
}

const char *bank_origin_name(bank_origin origin)
{
	static const char *const names[] = {"classic", "swept", "annealed", "given"};

	return names[origin];
}

static void describe(bank_candidate *c, unsigned banks, uint64_t rows)
{
	bankmap_facts facts;
	bank_linear linear;

	bankmap_describe_gates(c->map, &facts);
	c->address_bits = facts.address_bits;
	c->gates_class = facts.gates_class;
	c->gates_nand2 = facts.gates_nand2;
	c->gates_note = g_steal_pointer(&facts.gates_note);
	c->linear = bank_linear_of(c->map, facts.address_bits, &linear);
	if (c->linear) {
		uint64_t masks[BANK_LINEAR_BITS];

		bank_linear_masks(&linear, masks);
		c->xor2 = bank_xor2_shared(masks, linear.bits, &c->xor2_plain);
		/* Counts compare with counts; measurements on record are these, rounded. */
		if (c->xor2) {
			c->gates_nand2 = c->xor2 * unit_xor;
			g_free(c->gates_note);
			c->gates_note = g_strdup_printf("%u XOR2 of %.1f", c->xor2, unit_xor);
		}
	}
	c->lost_words = banks * rows - MIN(banks * rows, bankmap_capacity_blocks(c->map));
	c->has_rule = bank_rule_of(c->map, &c->rule);
	c->bound = 2;
	bankmap_facts_clear(&facts);
}

bank_candidate *bank_candidate_new(const char *text, unsigned banks, uint64_t rows, bank_origin origin, GError **error)
{
	bankmap *map = bankmap_new(text, banks, rows, error);
	bank_candidate *c;

	if (!map)
		return NULL;
	c = g_new0(bank_candidate, 1);
	c->map = map;
	c->origin = origin;
	describe(c, banks, rows);
	return c;
}

void bank_candidate_free(gpointer candidate)
{
	bank_candidate *c = candidate;

	bank_score_clear(&c->train);
	for (unsigned m = 0; m < BANK_MODEL_COUNT; m++)
		bank_score_clear(&c->held[m]);
	bankmap_free(c->map);
	g_free(c->gates_note);
	g_free(c);
}

static bool has_text(const GPtrArray *candidates, const char *text)
{
	for (unsigned i = 0; i < candidates->len; i++)
		if (!strcmp(bankmap_text(((bank_candidate *)g_ptr_array_index(candidates, i))->map), text))
			return true;
	return false;
}

/* Appends the map of a text, unless the family refuses it or the list has it. */
static void offer(GPtrArray *candidates, unsigned banks, uint64_t rows, bank_origin origin, const char *format, ...)
	G_GNUC_PRINTF(5, 6);

static void offer(GPtrArray *candidates, unsigned banks, uint64_t rows, bank_origin origin, const char *format, ...)
{
	g_autofree char *text = NULL;
	bank_candidate *c;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	if (has_text(candidates, text))
		return;
	c = bank_candidate_new(text, banks, rows, origin, NULL);
	if (c && has_text(candidates, bankmap_text(c->map)))
		bank_candidate_free(c);
	else if (c)
		g_ptr_array_add(candidates, c);
}

static bool is_prime(unsigned n)
{
	for (unsigned d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n > 1;
}

static unsigned log2_floor(unsigned n)
{
	unsigned bits = 0;

	while (n >> (bits + 1))
		bits++;
	return bits;
}

/* The smallest polynomial of a degree over GF(2) without a factor of lower degree. */
static unsigned irreducible(unsigned degree)
{
	for (unsigned p = 1U << degree | 1;; p += 2) {
		bool divided = false;

		for (unsigned d = 2; d < 1U << (degree / 2 + 1) && !divided; d++) {
			unsigned rest = p, width = log2_floor(d);

			for (unsigned i = degree + 1; i-- > width;)
				if (rest >> i & 1)
					rest ^= d << (i - width);
			divided = rest == 0;
		}
		if (!divided)
			return p;
	}
}

/* The multiplier of the golden ratio, made coprime to the words. */
static uint64_t golden(uint64_t words)
{
	uint64_t a = (uint64_t)((double)words * 0.6180339887498949), x, y;

	for (;; a--) {
		for (x = a, y = words; y;) {
			uint64_t t = x % y;

			x = y;
			y = t;
		}
		if (x == 1)
			return a;
	}
}

void bank_search_classics(unsigned banks, uint64_t rows, GPtrArray *candidates)
{
	unsigned n = log2_floor(banks), prime = banks, zeros = (unsigned)__builtin_ctz(banks);

	while (prime > 2 && !is_prime(prime))
		prime--;
	offer(candidates, banks, rows, BANK_CLASSIC, "mod:%u", 1U << n);
	offer(candidates, banks, rows, BANK_CLASSIC, "mod:%u", banks);
	offer(candidates, banks, rows, BANK_CLASSIC, "mod:%u", prime);
	offer(candidates, banks, rows, BANK_CLASSIC, "bsp:%u", prime);
	offer(candidates, banks, rows, BANK_CLASSIC, "mod:%u", banks - !(banks & 1));
	offer(candidates, banks, rows, BANK_CLASSIC, "mersenne:%u", n);
	offer(candidates, banks, rows, BANK_CLASSIC, "skew:%u,1", banks);
	offer(candidates, banks, rows, BANK_CLASSIC, "skew:%u,5", banks);
	offer(candidates, banks, rows, BANK_CLASSIC, "skew:%u,7", banks);
	if (n < 2)
		return;
	offer(candidates, banks, rows, BANK_CLASSIC, "swizzle:%u,0,%u", n, n);
	offer(candidates, banks, rows, BANK_CLASSIC, "pdisp:%u,9", n);
	offer(candidates, banks, rows, BANK_CLASSIC, "poly:0x%x", irreducible(n));
	if (zeros >= 2 && banks >> zeros > 1)
		offer(candidates, banks, rows, BANK_CLASSIC, "hybrid:%u,0x%x", banks >> zeros, irreducible(zeros));
	offer(candidates, banks, rows, BANK_CLASSIC, "mult:%" G_GUINT64_FORMAT, golden(banks * rows));
}

static void sweep_products(unsigned banks, uint64_t rows, GPtrArray *candidates)
{
	for (unsigned n = 2; n <= log2_floor(banks); n++) {
		unsigned odd = banks >> n;

		odd -= !(odd & 1);
		if (odd < 3)
			continue;
		offer(candidates, banks, rows, BANK_SWEPT, "hybrid:%u,0x%x", odd, irreducible(n));
		offer(candidates, banks, rows, BANK_SWEPT, "amd:%u,%u", n, odd);
	}
}

void bank_search_sweeps(unsigned banks, uint64_t rows, GPtrArray *candidates)
{
	unsigned n = log2_floor(banks), least = banks - banks / LEAST_MODULUS_PARTS;

	if (banks - least > MOST_MODULI)
		least = banks - MOST_MODULI;
	for (unsigned m = least; m <= banks; m++) {
		offer(candidates, banks, rows, BANK_SWEPT, "mod:%u", m);
		offer(candidates, banks, rows, BANK_SWEPT, "crt:%u", m);
		if (m >> n)
			offer(candidates, banks, rows, BANK_SWEPT, "bsp:%u", m);
	}
	for (unsigned d = 1; d < banks && d < MOST_SKEWS; d++)
		offer(candidates, banks, rows, BANK_SWEPT, "skew:%u,%u", banks, d);
	offer(candidates, banks, rows, BANK_SWEPT, "mersenne:%u", n);
	if (n < 2)
		return;
	for (unsigned p = 1; p < 1U << n && p < MOST_SKEWS; p += 2)
		offer(candidates, banks, rows, BANK_SWEPT, "pdisp:%u,%u", n, p);
	for (unsigned s = 1; s <= 2 * n; s++)
		offer(candidates, banks, rows, BANK_SWEPT, "swizzle:%u,0,%u", n, s);
	for (unsigned p = 1U << n | 1; p < 2U << n && p < (1U << n) + 2 * MOST_SKEWS; p += 2)
		offer(candidates, banks, rows, BANK_SWEPT, "poly:0x%x", p);
	sweep_products(banks, rows, candidates);
}
