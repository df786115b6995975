/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search found, as JSON: every number of the tables, conflicts of each source, certificates.
 */
#include "tools/bank_search.h"
#include "tools/json.h"

static void add_score(json *j, const char *key, const bank_score *score, const GPtrArray *sources)
{
	json_object(j, key);
	json_real(j, "request_conflict", score->mean_conflict);
	json_real(j, "worst_request_conflict", score->worst_conflict);
	json_string(j, "worst_source", bank_search_source_name(sources, score->worst));
	json_real(j, "slowdown", score->mean_slowdown);
	json_real(j, "grants_per_cycle", score->mean_grants);
	json_array(j, "request_conflicts");
	for (unsigned i = 0; i < sources->len; i++)
		json_real(j, NULL, score->conflict[i]);
	json_end(j);
	json_end(j);
}

static void add_rival(json *j, const bank_found *found, const bank_candidate *c)
{
	bank_rival rival;

	bank_rival_of(found->result, found->options->held->len, c, &rival);
	json_string(j, "dominated_by", rival.by ? bankmap_text(rival.by->map) : NULL);
	json_uint(j, "dominated_on_held_sources", rival.sources);
}

static void add_candidate(json *j, const bank_found *found, const bank_candidate *c)
{
	json_object(j, NULL);
	json_string(j, "map", bankmap_text(c->map));
	json_string(j, "origin", bank_origin_name(c->origin));
	json_bool(j, "on_front", c->on_front);
	if (c->linear) {
		json_uint(j, "xor2", c->xor2);
		json_uint(j, "xor2_unshared", c->xor2_plain);
	}
	json_string(j, "gates_class", bankmap_gate_class_name(c->gates_class));
	if (c->gates_class == BANKMAP_GATES_NONE)
		json_null(j, "gates_nand2");
	else
		json_real(j, "gates_nand2", c->gates_nand2);
	json_string(j, "gates_note", c->gates_note);
	json_uint(j, "address_bits", c->address_bits);
	json_uint(j, "banks_used", bankmap_banks_used(c->map));
	json_uint(j, "lost_words", c->lost_words);
	if (c->bound <= 1)
		json_real(j, "train_bound", c->bound);
	add_score(j, "train", &c->train, found->options->train);
	json_object(j, "held");
	for (unsigned m = 0; m < BANK_MODEL_COUNT; m++)
		add_score(j, bank_model_name((enum bank_model)m), &c->held[m], found->options->held);
	json_end(j);
	if (c->origin == BANK_CLASSIC || c->origin == BANK_GIVEN)
		add_rival(j, found, c);
	json_end(j);
}

static void add_names(json *j, const char *key, const GPtrArray *sources)
{
	json_array(j, key);
	for (unsigned i = 0; i < sources->len; i++)
		json_string(j, NULL, bank_search_source_name(sources, i));
	json_end(j);
}

static void add_certificate(json *j, const bank_found *found, const bank_certificate *c)
{
	static const char *const kinds[] = {"xor", "minus", "rows"};
	g_autofree char *claim = bank_certificate_text(found, c);

	json_object(j, NULL);
	json_string(j, "map", bankmap_text(c->candidate->map));
	json_string(j, "source",
	            bank_search_source_name(c->held ? found->options->held : found->options->train, c->source));
	json_bool(j, "held_out", c->held);
	json_string(j, "difference", kinds[c->kind]);
	json_uint(j, "groups", c->groups);
	json_uint(j, "requests", c->requests);
	json_uint(j, "pairs", c->pairs);
	json_uint(j, "differences", c->differences);
	json_string(j, "claim", claim);
	json_end(j);
}

char *bank_search_json(const bank_found *found)
{
	const bank_search_options *o = found->options;
	const bank_search_result *r = found->result;
	json *j = json_new();

	json_object(j, NULL);
	json_uint(j, "banks", o->banks);
	json_uint(j, "rows", o->rows);
	json_uint(j, "seed", o->seed);
	json_string(j, "held_out", bank_split_name(found->split));
	add_names(j, "train_sources", o->train);
	add_names(j, "held_sources", o->held);
	json_uint(j, "swept_maps", r->swept);
	json_uint(j, "annealing_steps", r->annealed_steps);
	json_uint(j, "differences", r->differences);
	json_uint(j, "train_groups", r->train_groups);
	json_uint(j, "train_groups_in_spectra", r->train_counted);
	json_array(j, "maps");
	for (unsigned i = 0; i < r->candidates->len; i++) {
		const bank_candidate *c = g_ptr_array_index(r->candidates, i);

		if (c->held_scored)
			add_candidate(j, found, c);
	}
	json_end(j);
	json_array(j, "certificates");
	for (unsigned i = 0; i < r->certificates->len; i++)
		add_certificate(j, found, &g_array_index(r->certificates, bank_certificate, i));
	json_end(j);
	json_end(j);
	return json_finish(j);
}
