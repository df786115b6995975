/* SPDX-License-Identifier: Apache-2.0
 *
 * Search for bank maps that suit given traffic: exhaustive sweeps of the families with one parameter and annealing over
 * GF(2) maps, both led by difference spectra of training streams, then the timing models on training and on held-out
 * streams, and the front of request conflict (lockstep, mean over training sources) against gates and lost words.
 * Held-out streams choose nothing.  Guided by the bound of search_spectrum.h, which is for one port and a busy time of
 * one cycle; other ports and times enter where the models score.
 * Not searched: maps that are not injective, and GF(2) maps whose row is not the high bits.
 */
#ifndef TSPSIM_BANK_SEARCH_H
#define TSPSIM_BANK_SEARCH_H

#include "bank/model.h"
#include "bank/search_linear.h"

#include <glib.h>

typedef struct bank_search_source {
	bank_source *source; /* owned by the list, see bank_search_source_free */
	bool merge;
} bank_search_source;

bank_search_source *bank_search_source_new(bank_source *source, bool merge);
void bank_search_source_free(gpointer source);

typedef enum bank_origin { BANK_CLASSIC, BANK_SWEPT, BANK_ANNEALED, BANK_GIVEN } bank_origin;

/* Means are over sources, each alike. */
typedef struct bank_score {
	double *conflict; /* request conflict of each source, 0 to 1; owned */
	double mean_conflict, worst_conflict;
	unsigned worst; /* source */
	double mean_slowdown;
	double mean_grants; /* requests served a cycle */
} bank_score;

typedef struct bank_candidate {
	bankmap *map;
	bank_origin origin;
	bool on_front;
	bool has_rule;
	bank_rule rule;
	double bound; /* mean over training sources of the bound; 2 when there is no rule */
	bool linear;
	unsigned xor2, xor2_plain; /* of a linear map, see search_linear.h */
	enum bankmap_gate_class gates_class;
	double gates_nand2;
	char *gates_note;      /* owned */
	unsigned address_bits; /* the gates are for */
	uint64_t lost_words;
	bool scored, held_scored;
	bank_score train;                  /* lockstep */
	bank_score held[BANK_MODEL_COUNT]; /* by model */
} bank_candidate;

/* No two accesses of a group of the source share a bank: none of the differences collides. */
typedef struct bank_certificate {
	const bank_candidate *candidate;
	unsigned source;
	bool held;
	bank_difference kind;
	uint64_t groups, requests, pairs;
	size_t differences; /* distinct */
} bank_certificate;

typedef struct bank_search_options {
	GPtrArray *train, *held; /* of bank_search_source */
	unsigned banks;
	uint64_t rows;
	bank_options model; /* ports, busy_cycles, rules; map and model are ignored */
	GPtrArray *given;   /* more maps to compare, texts; may be NULL */
	double most_gates;  /* NAND2 equivalents of maps on the front; 0: any */
	uint64_t steps;     /* of each annealing chain */
	unsigned restarts;  /* chains for each lambda */
	uint64_t seed;
	unsigned threads; /* 0: one */
	/* Replaces gates_nand2, gates_class and gates_note of maps that are reported; NULL: estimates stay. */
	bool (*measure)(void *state, bank_candidate *candidate, GError **error);
	void *measure_state;
	/* Called from the thread that searches, with the share done. */
	void (*progress)(void *state, double fraction);
	void *progress_state;
} bank_search_options;

typedef struct bank_search_result {
	GPtrArray *candidates; /* bank_candidate: scored ones, by gates, then conflict; owned */
	GArray *certificates;  /* bank_certificate, of candidates on the front and given or classic ones */
	uint64_t swept;        /* maps of swept families looked at */
	uint64_t annealed_steps;
	size_t differences;                   /* distinct, of training by xor */
	uint64_t train_groups, train_counted; /* groups of the training streams, and those in the spectra */
} bank_search_result;

/* NULL on error: a source that cannot be read twice, a map of `given` that is refused. */
bank_search_result *bank_search(const bank_search_options *options, GError **error);
void bank_search_result_free(bank_search_result *result);

/* Does A take no more gates and lose no more words than B?  An estimate must be below a measurement by its error. */
bool bank_no_dearer(const bank_candidate *a, const bank_candidate *b);
/* Does A dominate B on (conflict, gates, lost words): nowhere worse, somewhere better? */
bool bank_dominates(const bank_candidate *a, double conflict_a, const bank_candidate *b, double conflict_b);

const char *bank_origin_name(bank_origin origin);

/* search_family.c: maps of the swept families and the classic ones for a memory, as candidates without scores. */
void bank_search_classics(unsigned banks, uint64_t rows, GPtrArray *candidates);
void bank_search_sweeps(unsigned banks, uint64_t rows, GPtrArray *candidates);
double bank_search_xor2_nand2(void); /* NAND2 equivalents of an XOR2 */
/* NULL when the map is refused. */
bank_candidate *bank_candidate_new(const char *text, unsigned banks, uint64_t rows, bank_origin origin, GError **error);
void bank_candidate_free(gpointer candidate);

/* search_score.c */
/* Runs a model over all sources of a list for all CANDIDATES; scores go to score(candidate). */
bool bank_search_score(const bank_search_options *options, GPtrArray *sources, enum bank_model model,
                       GPtrArray *candidates, bank_score *(*score)(bank_candidate *c, enum bank_model model),
                       double progress_from, double progress_to, GError **error);
void bank_score_clear(bank_score *score);
/* Calls WORK(state, 0 .. count - 1) on THREADS threads; TELL from this one between. */
void bank_search_parallel(unsigned threads, unsigned count, void (*work)(void *state, unsigned i), void *state,
                          void (*tell)(void *state));

#endif
