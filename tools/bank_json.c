/* SPDX-License-Identifier: Apache-2.0
 *
 * `tspsim bank eval --json`: one object for one combination, else {"results": [...]}; keys in docs/bank-eval.md.  Rates
 * are fractions, delays are cycles.
 */
#include "tools/bank.h"
#include "tools/json.h"
#include "tools/tool.h"

static void write_occupancy(json *j, const bank_result *r)
{
	bank_occupancy o;

	bank_occupancy_of(r, &o);
	json_object(j, "occupancy");
	json_real(j, "max_over_mean", o.max_over_mean);
	json_real(j, "min_over_mean", o.min_over_mean);
	json_uint(j, "empty_banks", o.empty);
	json_uint(j, "unused_banks", o.unused);
	json_real(j, "entropy_bits", o.entropy_bits);
	json_real(j, "entropy_limit_bits", o.entropy_limit);
	json_real(j, "chi_square", o.chi_square);
	json_uint(j, "degrees_of_freedom", o.chi_square_freedom);
	json_real(j, "gini", o.gini);
	json_uint(j, "windows", r->windows);
	json_real(j, "window_entropy_mean_bits", r->window_entropy_mean);
	json_real(j, "window_entropy_min_bits", r->window_entropy_min);
	json_real(j, "window_entropy_limit_bits", r->window_entropy_limit);
	json_end(j);
}

static void write_access_time(json *j, const bank_evaluation *e, const bank_result *r)
{
	bank_access_time t;
	double t_lat = e->latency > 0 ? e->latency : r->busy_cycles;
	double t_base = e->t_base > 0 ? e->t_base : t_lat;

	bank_access_time_of(r, t_lat, t_base, &t);
	json_object(j, "access_time");
	json_real(j, "t_lat", t_lat);
	json_real(j, "t_base", t_base);
	json_real(j, "measured", t.measured);
	json_real(j, "t_lat_plus_wait", t.replacement);
	json_real(j, "q_mean", t.q_mean);
	json_real(j, "textbook_q_mean", t.textbook_mean);
	json_real(j, "textbook_q_mean_error", t.textbook_mean - t.measured);
	json_real(j, "q_max", t.q_max);
	json_real(j, "textbook_q_max", t.textbook_max);
	json_real(j, "textbook_q_max_error", t.textbook_max - t.measured);
	json_real(j, "q_waiting", t.q_waiting);
	json_real(j, "textbook_q_waiting", t.textbook_waiting);
	json_real(j, "textbook_q_waiting_error", t.textbook_waiting - t.measured);
	json_end(j);
}

static void write_first(json *j, const bank_row *row)
{
	const bank_result *r = &row->result;
	g_autofree char *reason = bank_first_reason(r, row->map);

	if (!reason) {
		json_null(j, "first_conflict");
		return;
	}
	json_object(j, "first_conflict");
	json_uint(j, "group", r->first_group);
	json_uint(j, "other_group", r->first_other_group);
	json_uint(j, "lane", r->first_lane[1]);
	json_uint(j, "other_lane", r->first_lane[0]);
	json_uint(j, "block", r->first_block[1]);
	json_uint(j, "other_block", r->first_block[0]);
	json_uint(j, "bank", r->first_bank);
	json_uint(j, "row", bankmap_row(row->map, r->first_block[1]));
	json_uint(j, "other_row", bankmap_row(row->map, r->first_block[0]));
	json_string(j, "reason", reason);
	if (row->who[0] && row->who[1]) {
		json_string(j, "whose", row->who[1]);
		json_string(j, "other_whose", row->who[0]);
	}
	json_end(j);
}

static void write_arrays(json *j, const bank_row *row)
{
	const bank_result *r = &row->result;

	json_array(j, "bank_requests");
	for (unsigned b = 0; b < r->banks; b++)
		json_uint(j, NULL, r->bank_requests[b]);
	json_end(j);
	json_array(j, "delay_histogram");
	for (size_t d = 0; d < r->delays_count; d++)
		if (r->delays[d]) {
			json_object(j, NULL);
			json_uint(j, "delay", d);
			json_uint(j, "requests", r->delays[d]);
			json_end(j);
		}
	json_end(j);
	json_array(j, "address_bits");
	for (unsigned b = 0; row->bits && b < bank_bits_used(row->bits); b++) {
		json_object(j, NULL);
		json_uint(j, "bit", b);
		json_real(j, "entropy", bank_bits_entropy(row->bits, b));
		json_real(j, "window_entropy", bank_bits_window_entropy(row->bits, b));
		json_end(j);
	}
	json_end(j);
}

static void write_what(json *j, const bank_evaluation *e, const bank_row *row)
{
	const bank_result *r = &row->result;

	json_string(j, "pattern", row->pattern);
	if (row->k)
		json_uint(j, "k", row->k);
	else
		json_null(j, "k");
	json_string(j, "map", bankmap_text(row->map));
	json_string(j, "model", bank_model_name(r->model));
	if (r->model == BANK_CLOSED)
		json_string(j, "priority", bank_priority_name(e->options.priority));
	json_uint(j, "banks", e->banks);
	json_uint(j, "banks_used", r->banks_used);
	json_uint(j, "rows", e->rows_per_bank);
	json_uint(j, "capacity_blocks", bankmap_capacity_blocks(row->map));
	json_uint(j, "block_bytes", row->block_bytes ? row->block_bytes : e->block_bytes);
	json_uint(j, "ports", r->ports);
	json_uint(j, "busy_cycles", r->busy_cycles);
	json_bool(j, "merge", row->merge);
	json_bool(j, "separate", e->options.separate);
	json_uint(j, "bank_groups", e->options.groups);
	json_uint(j, "seed", e->seed);
}

static void write_row(json *j, const bank_evaluation *e, const bank_row *row)
{
	const bank_result *r = &row->result;

	write_what(j, e, row);
	json_uint(j, "accesses", r->accesses);
	json_uint(j, "requests", r->requests);
	json_uint(j, "delayed", r->delayed);
	json_real(j, "request_conflict", bank_request_conflict(r));
	json_uint(j, "groups", r->groups);
	json_uint(j, "conflict_groups", r->conflict_groups);
	json_real(j, "group_conflict", bank_group_conflict(r));
	json_uint(j, "cycles", r->cycles);
	json_uint(j, "ideal_cycles", r->ideal_cycles);
	json_uint(j, "excess_cycles", bank_excess_cycles(r));
	json_real(j, "excess", bank_excess(r));
	json_real(j, "mean_delay", bank_mean_delay(r));
	json_uint(j, "p99_delay", r->p99_delay_cycles);
	json_bool(j, "p99_exact", r->p99_exact);
	json_uint(j, "max_delay", r->max_delay_cycles);
	json_real(j, "slowdown", r->slowdown);
	json_real(j, "grants_per_cycle", r->grants_per_cycle);
	json_bool(j, "saturated", r->saturated);
	if (r->bank_requests) {
		json_array(j, "saturated_banks");
		for (unsigned b = 0; b < r->banks; b++)
			if (bank_is_saturated(r, b))
				json_uint(j, NULL, b);
		json_end(j);
		json_uint(j, "reads", r->kind_requests[0]);
		json_uint(j, "reads_delayed", r->kind_delayed[0]);
		json_uint(j, "writes", r->kind_requests[1]);
		json_uint(j, "writes_delayed", r->kind_delayed[1]);
		json_uint(j, "highest_block", row->highest_block);
		json_bool(j, "lookahead_limited", r->lookahead_limited);
		write_occupancy(j, r);
		write_access_time(j, e, r);
		write_first(j, row);
	}
	if (bank_setting.details)
		write_arrays(j, row);
}

static void write_summary(json *j, const bank_summary *s)
{
	json_object(j, NULL);
	json_string(j, "pattern", s->first->group_name);
	if (s->first->k)
		json_uint(j, "k", s->first->k);
	else
		json_null(j, "k");
	json_string(j, "map", bankmap_text(s->first->map));
	json_string(j, "model", bank_model_name(s->first->result.model));
	json_uint(j, "sources", s->sources);
	json_real(j, "request_conflict", s->request_conflict);
	json_real(j, "group_conflict", s->group_conflict);
	json_real(j, "excess", s->excess);
	json_real(j, "mean_delay", s->mean_delay);
	json_real(j, "slowdown", s->slowdown);
	json_string(j, "worst", s->worst->pattern);
	json_real(j, "worst_request_conflict", bank_request_conflict(&s->worst->result));
	json_end(j);
}

static void write_units(json *j)
{
	json_object(j, "units");
	json_string(j, "request_conflict", "delayed requests / requests");
	json_string(j, "group_conflict", "groups above their ideal beats / groups");
	json_string(j, "excess", "cycles beyond ideal / cycles");
	json_string(j, "delay", "cycles");
	json_string(j, "slowdown", "cycles / ideal cycles");
	json_end(j);
}

char *bank_report_json(const bank_evaluation *e)
{
	json *j = json_new();

	json_object(j, NULL);
	if (bank_setting.summary) {
		g_autoptr(GArray) all = bank_summaries(e);

		json_array(j, "summaries");
		for (unsigned i = 0; i < all->len; i++)
			write_summary(j, &g_array_index(all, bank_summary, i));
		json_end(j);
	} else if (e->rows->len == 1) {
		write_row(j, e, g_ptr_array_index(e->rows, 0));
	} else {
		json_array(j, "results");
		for (unsigned i = 0; i < e->rows->len; i++) {
			json_object(j, NULL);
			write_row(j, e, g_ptr_array_index(e->rows, i));
			json_end(j);
		}
		json_end(j);
	}
	write_units(j);
	json_end(j);
	return json_finish(j);
}
