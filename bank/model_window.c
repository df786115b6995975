/* SPDX-License-Identifier: Apache-2.0
 *
 * Entropy of the banks in windows of successive requests.  A whole run may be spread evenly while each group sits in
 * one bank (modulo 128 at stride 128): plain entropy does not see that, this does.  A last window that is not whole is
 * left out.
 */
#include "bank/model_int.h"

#include <math.h>

static const double unit = 1.0 / (UINT64_C(1) << 32);

struct bank_window {
	unsigned requests, filled;
	double limit;    /* bits */
	uint64_t *count; /* of each bank in this window, plus now; below now: none yet, so windows need no clearing */
	uint64_t now;
	uint64_t *step; /* [c]: (c + 1) log2 (c + 1) - c log2 c in units of 2^-32: integers add faster */
	uint64_t sum;   /* of c log2 c over banks */
	uint64_t windows;
	double total, least;
};

bank_window *bank_window_new(unsigned banks, unsigned requests)
{
	bank_window *w = g_new0(bank_window, 1);

	w->requests = requests;
	w->limit = log2(MIN(banks, requests));
	w->count = g_new0(uint64_t, banks);
	w->step = g_new0(uint64_t, requests);
	for (unsigned c = 1; c < requests; c++)
		w->step[c] = (uint64_t)(((c + 1) * log2(c + 1) - c * log2(c)) / unit + 0.5);
	return w;
}

static void end_window(bank_window *w)
{
	/* H = -sum (c/n) log2 (c/n) = log2 n - (sum c log2 c) / n. */
	double bits = log2(w->requests) - (double)w->sum * unit / w->requests;

	/* Sums of steps are rounded. */
	bits = bits < 1e-9 ? 0 : bits;
	w->total += bits;
	w->least = w->windows ? MIN(w->least, bits) : bits;
	w->windows++;
	w->filled = 0;
	w->sum = 0;
	w->now += w->requests;
}

void bank_window_add(bank_window *w, const uint16_t *banks, size_t count)
{
	while (count) {
		size_t now = MIN(count, w->requests - w->filled);

		for (size_t i = 0; i < now; i++) {
			uint64_t at = MAX(w->count[banks[i]], w->now);

			w->count[banks[i]] = at + 1;
			w->sum += w->step[at - w->now];
		}
		w->filled += (unsigned)now;
		if (w->filled == w->requests)
			end_window(w);
		banks += now;
		count -= now;
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
	g_free(w->step);
	g_free(w);
}
