/* SPDX-License-Identifier: Apache-2.0
 *
 * tspsim bank search: what the command, its reports and the gate measurement share.
 */
#ifndef TSPSIM_TOOLS_BANK_SEARCH_H
#define TSPSIM_TOOLS_BANK_SEARCH_H

#include "bank/search.h"

/* How held-out streams came about. */
typedef enum bank_split { BANK_SPLIT_MIXES, BANK_SPLIT_GIVEN, BANK_SPLIT_ALTERNATE } bank_split;

typedef struct bank_found {
	const bank_search_options *options;
	const bank_search_result *result;
	bank_split split;
} bank_found;

/* What a classic map is up against on held-out streams (lockstep). */
typedef struct bank_rival {
	const bank_candidate *by; /* of the rest of the front, dominates it on the mean, the best; NULL: none does */
	unsigned sources;         /* held-out sources on which a member of the front dominates it */
	const bank_candidate
		*best; /* of the rest, the least mean conflict with gates and lost words no higher; or NULL */
} bank_rival;

void bank_rival_of(const bank_search_result *result, unsigned sources, const bank_candidate *classic,
                   bank_rival *rival);
const char *bank_split_name(bank_split split);
unsigned bank_certified(const bank_search_result *result, const bank_candidate *candidate, bool held);
const char *bank_search_source_name(const GPtrArray *sources, unsigned i);
/* One line: the claim, what was looked at, and the null space where there is one; g_free. */
char *bank_certificate_text(const bank_found *found, const bank_certificate *certificate);

char *bank_search_text(const bank_found *found); /* g_free */
char *bank_search_json(const bank_found *found); /* g_free */
char *bank_search_csv(const bank_found *found);  /* g_free */
/* The CSV at PATH; beside it the found GF(2) maps of the front (NAME.14xor.gf2) and NAME.certificates. */
bool bank_search_write(const bank_found *found, const char *path, GError **error);

/* Replaces a candidate's gates by what yosys makes of it; the measure function of bank_search_options. */
bool bank_yosys_measure(void *state, bank_candidate *candidate, GError **error);

#endif
