/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates, occupancy, access times and entropies; definitions in bank/metrics.h.
 */
#include "bank/metrics.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double bank_request_conflict(const bank_result *r)
{
	return ratio(r->delayed, r->requests);
}

double bank_group_conflict(const bank_result *r)
{
	return ratio(r->conflict_groups, r->groups);
}

uint64_t bank_excess_cycles(const bank_result *r)
{
	return r->cycles > r->ideal_cycles ? r->cycles - r->ideal_cycles : 0;
}

double bank_excess(const bank_result *r)
{
	return ratio(bank_excess_cycles(r), r->cycles);
}

double bank_mean_delay(const bank_result *r)
{
	return ratio(r->delay_sum_cycles, r->requests);
}

bool bank_is_saturated(const bank_result *r, unsigned bank)
{
	return r->saturated && r->bank_requests[bank] >= r->saturation_requests;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void bank_occupancy_of(const bank_result *r, bank_occupancy *out)
{
	unsigned m = r->banks_used;
	g_autofree uint64_t *sorted = g_memdup2(r->bank_requests, r->banks * sizeof *sorted);
	double mean = m ? (double)r->requests / m : 0;
	double weighted = 0;

	*out = (bank_occupancy){.unused = r->banks - m, .entropy_limit = m ? log2(m) : 0};
	if (!r->requests)
		return;
	for (unsigned b = 0; b < m; b++) {
		double p = ratio(r->bank_requests[b], r->requests);
		double off = (double)r->bank_requests[b] - mean;

		out->empty += !r->bank_requests[b];
		out->entropy_bits -= p > 0 ? p * log2(p) : 0;
		out->chi_square += off * off / mean;
	}
	out->entropy_bits = MAX(out->entropy_bits, 0);
	out->chi_square_freedom = m - 1;
	qsort(sorted, m, sizeof *sorted, ascending);
	out->max_over_mean = (double)sorted[m - 1] / mean;
	out->min_over_mean = (double)sorted[0] / mean;
	for (unsigned i = 0; i < m; i++)
		weighted += (2.0 * i + 1 - m) * (double)sorted[i];
	out->gini = weighted / ((double)m * (double)r->requests);
}

void bank_access_time_of(const bank_result *r, double t_lat, double t_base, bank_access_time *out)
{
	double c = bank_request_conflict(r);
	double wait = bank_mean_delay(r);
	double bank_cycles = (double)r->cycles * r->banks;
	double busy = r->busy_cycles;

	*out = (bank_access_time){.measured = t_lat + wait, .replacement = t_lat + wait};
	/* Little: requests in a bank = arrivals a cycle x time in it. */
	out->q_mean = bank_cycles > 0 ? (double)r->requests * (wait + busy) / bank_cycles : 0;
	out->q_max = 1 + ceil((double)r->max_delay_cycles * r->ports / busy);
	out->q_waiting = 1 + (r->delayed ? ratio(r->delay_sum_cycles, r->delayed) / busy : 0);
	out->textbook_mean = t_base * (1 + c * (out->q_mean - 1));
	out->textbook_max = t_base * (1 + c * (out->q_max - 1));
	out->textbook_waiting = t_base * (1 + c * (out->q_waiting - 1));
}

static double entropy(uint64_t ones, uint64_t all)
{
	double p = ratio(ones, all);

	return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

void bank_bits_init(bank_bits *bits, unsigned window_accesses)
{
	*bits = (bank_bits){.window_accesses = window_accesses};
	for (unsigned ones = 0; ones <= window_accesses && window_accesses < BANK_BITS_TABLE; ones++)
		bits->entropy[ones] = entropy(ones, window_accesses);
}

static void end_window(bank_bits *bits)
{
	bool table = bits->window_accesses < BANK_BITS_TABLE;

	for (unsigned i = 0; i < BANK_BITS; i++) {
		uint32_t ones = bits->window_ones[i];

		if (ones)
			bits->window_sum[i] += table ? bits->entropy[ones] : entropy(ones, bits->window_accesses);
		bits->ones[i] += bits->window_ones[i];
		bits->window_ones[i] = 0;
	}
	bits->windows++;
	bits->filled = 0;
}

/* Adds 2^PLANE where ADDEND has ones to counters that stand upright: plane p holds bit p of all 64 of them. */
static inline void add_upright(uint64_t *planes, unsigned plane, uint64_t addend)
{
	for (; addend; plane++) {
		uint64_t carry = planes[plane] & addend;

		planes[plane] ^= addend;
		addend = carry;
	}
}

/* Ones of each bit in COUNT blocks, added to ONES; three blocks at a time become a sum and a carry. */
static void count_ones(const uint64_t *blocks, size_t count, uint32_t *ones)
{
	uint64_t planes[33] = {0}, any = 0;
	unsigned used = 0;
	size_t i = 0;

	for (; i + 3 <= count; i += 3) {
		uint64_t a = blocks[i], b = blocks[i + 1], c = blocks[i + 2];

		any |= a | b | c;
		add_upright(planes, 0, a ^ b ^ c);
		add_upright(planes, 1, (a & b) | (c & (a ^ b)));
	}
	for (; i < count; i++) {
		any |= blocks[i];
		add_upright(planes, 0, blocks[i]);
	}
	while (count >> used)
		used++;
	for (unsigned b = 0; b < BANK_BITS && any >> b; b++)
		for (unsigned p = 0; p < used; p++)
			ones[b] += (uint32_t)(planes[p] >> b & 1) << p;
}

void bank_bits_add(bank_bits *bits, const uint64_t *blocks, size_t count)
{
	bits->accesses += count;
	while (count) {
		size_t now = MIN(count, bits->window_accesses - bits->filled);

		count_ones(blocks, now, bits->window_ones);
		bits->filled += (unsigned)now;
		if (bits->filled == bits->window_accesses)
			end_window(bits);
		blocks += now;
		count -= now;
	}
}

double bank_bits_entropy(const bank_bits *bits, unsigned bit)
{
	return entropy(bits->ones[bit] + bits->window_ones[bit], bits->accesses);
}

double bank_bits_window_entropy(const bank_bits *bits, unsigned bit)
{
	return bits->windows ? bits->window_sum[bit] / (double)bits->windows : 0;
}

unsigned bank_bits_used(const bank_bits *bits)
{
	unsigned used = BANK_BITS;

	while (used && !(bits->ones[used - 1] + bits->window_ones[used - 1]))
		used--;
	return used;
}
