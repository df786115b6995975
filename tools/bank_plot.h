/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of `tspsim bank eval`, and of the front that a search found.  What a kind draws is one function that makes
 * numbers of an evaluation; traces/plots/bank_<drawing>.gp draws them.
 */
#ifndef TSPSIM_TOOLS_BANK_PLOT_H
#define TSPSIM_TOOLS_BANK_PLOT_H

#include "tools/bank.h"

typedef struct bank_plot_kind {
	const char *name, *doc;
} bank_plot_kind;

const bank_plot_kind *bank_plot_kinds(size_t *count);

/* Are --plot KIND and -o OUTPUT (each may be NULL) given together and known? */
bool bank_plot_check(const char *kind, const char *output, GError **error);
bool bank_plot(const bank_evaluation *e, const char *kind, const char *output, GError **error);

/* The CSV file of `tspsim bank search`: conflict rate of each map against its gates, by lost capacity. */
bool bank_front_plot(const char *csv, const char *output, GError **error);

#endif
