/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of the logic that computes a map, in NAND2 equivalents: measured ones on record in isa/bankgates.def, for the
 * rest formulas whose unit costs were fitted to those.  Area-optimised logic; delay, wires and flip-flops are not
 * counted.  An estimate ranks maps, it does not replace synthesis.
 */
#include "isa/bankmap/bankmap_int.h"

#include <string.h>

#define GATES_UNIT(id, nand2, doc) static const double unit_##id = nand2;
#define GATES_MEASURED(text, address_bits, nand2, note)
#include "isa/bankgates.def"

static const struct measured {
	const char *text;
	unsigned address_bits;
	double nand2;
	const char *note;
} measured[] = {
#define GATES_UNIT(id, nand2, doc)
#define GATES_MEASURED(text, address_bits, nand2, note) {text, address_bits, nand2, note},
#include "isa/bankgates.def"
};

unsigned bankmap_bit_length(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

void bankmap_gates(bankmap_facts *facts, double nand2, const char *format, ...)
{
	va_list arguments;

	facts->gates_class = nand2 > 0 ? BANKMAP_GATES_DERIVED : BANKMAP_GATES_WIRES;
	facts->gates_nand2 = nand2;
	va_start(arguments, format);
	facts->gates_note = g_strdup_vprintf(format, arguments);
	va_end(arguments);
}

bool bankmap_gates_measured(const bankmap *map, bankmap_facts *facts)
{
	/* No hash at all is a modulus like any other. */
	g_autofree char *text =
		map->ops == &bankmap_family_identity ? g_strdup_printf("mod:%u", map->used) : g_strdup(map->text);

	for (size_t i = 0; i < G_N_ELEMENTS(measured); i++)
		if (strcmp(measured[i].text, text) == 0 && measured[i].address_bits == facts->address_bits) {
			facts->gates_class = BANKMAP_GATES_MEASURED;
			facts->gates_nand2 = measured[i].nand2;
			facts->gates_note = g_strdup(measured[i].note);
			return true;
		}
	return false;
}

/* Trailing zeros of the divisor are wires; a step compares and subtracts one bit more than the divisor has. */
static double steps(unsigned bits, uint64_t d, double unit)
{
	unsigned zeros = (unsigned)__builtin_ctzll(d), width = bankmap_bit_length(d >> zeros);

	if (width <= 1 || bits < zeros + width)
		return 0;
	return (bits - zeros - width + 1) * (width + 1) * unit;
}

double bankmap_gates_divide(unsigned bits, uint64_t d)
{
	return steps(bits, d, unit_divide);
}

double bankmap_gates_fold(unsigned bits, uint64_t d)
{
	return steps(bits, d, unit_fold);
}

double bankmap_gates_add(unsigned bits)
{
	return bits * unit_add;
}

double bankmap_gates_xor(unsigned count)
{
	return count * unit_xor;
}

double bankmap_gates_select(uint64_t inputs, unsigned bits)
{
	return (double)(inputs - 1) * bits * unit_select;
}

/* Rows as sets of signals; the pair in most rows becomes a signal of its own until no pair is in two. */
void bankmap_gates_linear(const uint64_t *masks, unsigned count, unsigned address_bits, unsigned *plain,
                          unsigned *shared)
{
	enum { SIGNALS = 1024 };
	g_autofree uint16_t *holds = g_new0(uint16_t, SIGNALS); /* bit r: row r has the signal */
	unsigned signals = address_bits, best;

	*plain = *shared = 0;
	for (unsigned r = 0; r < count; r++) {
		unsigned ones = 0;

		for (unsigned bit = 0; bit < address_bits && bit < 64; bit++)
			if (masks[r] >> bit & 1) {
				holds[bit] |= (uint16_t)(1U << r);
				ones++;
			}
		*plain += ones ? ones - 1 : 0;
	}
	*shared = *plain;
	do {
		unsigned pair[2] = {0, 0};

		best = 1;
		for (unsigned a = 0; a < signals; a++)
			for (unsigned b = a + 1; b < signals && holds[a]; b++) {
				unsigned rows = (unsigned)__builtin_popcount(holds[a] & holds[b]);

				if (rows > best) {
					best = rows;
					pair[0] = a;
					pair[1] = b;
				}
			}
		if (best > 1) {
			uint16_t both = holds[pair[0]] & holds[pair[1]];

			holds[signals++] = both;
			holds[pair[0]] &= (uint16_t)~both;
			holds[pair[1]] &= (uint16_t)~both;
			*shared -= best - 1;
		}
	} while (best > 1 && signals < SIGNALS);
}
