/* SPDX-License-Identifier: Apache-2.0
 *
 * Entropy of the banks in windows of successive requests.  A whole run may be spread evenly while each group sits in
 * one bank (modulo 128 at stride 128): plain entropy does not see that, this does.  A last window that is not whole is
 * left out.
 */
#include "bank/model_int.h"

#include <math.h>

struct bank_window {
	unsigned banks, requests, filled;
	double limit; /* bits */
	uint32_t *count; /* of each bank in this window */
	uint32_t *stamp; /* window that count belongs to */
	uint32_t now;
	double *log; /* c log2 c */
	double sum;  /* of log[count] over banks */
	uint64_t windows;
	double total, least;
};

bank_window *bank_window_new(unsigned banks, unsigned requests)
{
	bank_window *w = g_new0(bank_window, 1);

	w->banks = banks;
	w->requests = requests;
	w->limit = log2(MIN(banks, requests));
	w->count = g_new0(uint32_t, banks);
	w->stamp = g_new0(uint32_t, banks);
	w->now = 1;
	w->log = g_new0(double, (size_t)requests + 1);
	for (unsigned c = 1; c <= requests; c++)
		w->log[c] = c * log2(c);
	return w;
}

static void end_window(bank_window *w)
{
	/* H = -sum (c/n) log2 (c/n) = log2 n - (sum c log2 c) / n; exact zero for one bank. */
	double bits = (w->log[w->requests] - w->sum) / w->requests;

	bits = MAX(bits, 0);
	w->total += bits;
	w->least = w->windows ? MIN(w->least, bits) : bits;
	w->windows++;
	w->filled = 0;
	w->sum = 0;
	if (++w->now == 0) {
		for (unsigned b = 0; b < w->banks; b++)
			w->stamp[b] = 0;
		w->now = 1;
	}
}

void bank_window_add(bank_window *w, const uint16_t *banks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned b = banks[i];
		uint32_t c = w->stamp[b] == w->now ? w->count[b] : 0;

		w->stamp[b] = w->now;
		w->count[b] = c + 1;
		w->sum += w->log[c + 1] - w->log[c];
		if (++w->filled == w->requests)
			end_window(w);
	}
}

void bank_window_finish(const bank_window *w, bank_result *result)
{
	result->windows = w->windows;
	result->window_entropy_mean = w->windows ? w->total / (double)w->windows : 0;
	result->window_entropy_min = w->least;
	result->window_entropy_limit = w->limit;
}

void bank_window_free(bank_window *w)
{
	if (!w)
		return;
	g_free(w->count);
	g_free(w->stamp);
	g_free(w->log);
	g_free(w);
}
