/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search found, for people: the front and the classic maps beside it, what dominates what on held-out streams,
 * certificates; and the files that --output names.
 */
#include <string.h>

#include "isa/file.h"
#include "tools/bank_search.h"
#include "tools/tool.h"

const char *bank_split_name(bank_split split)
{
	static const char *const names[] = {"mixes", "given", "alternate groups"};

	return names[split];
}

const char *bank_search_source_name(const GPtrArray *sources, unsigned i)
{
	return sources->len ? ((const bank_search_source *)g_ptr_array_index(sources, i))->source->name : "-";
}

unsigned bank_certified(const bank_search_result *result, const bank_candidate *candidate, bool held)
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->certificates->len; i++) {
		const bank_certificate *c = &g_array_index(result->certificates, bank_certificate, i);

		count += c->candidate == candidate && c->held == held;
	}
	return count;
}

/* Does a member of the front dominate CLASSIC on held-out source I? */
static bool dominated_on(const bank_search_result *result, const bank_candidate *classic, unsigned i)
{
	for (unsigned n = 0; n < result->candidates->len; n++) {
		const bank_candidate *c = g_ptr_array_index(result->candidates, n);

		if (c->on_front && bank_dominates(c, c->held[BANK_LOCKSTEP].conflict[i], classic,
		                                  classic->held[BANK_LOCKSTEP].conflict[i]))
			return true;
	}
	return false;
}

void bank_rival_of(const bank_search_result *result, unsigned sources, const bank_candidate *classic, bank_rival *rival)
{
	const double conflict = classic->held[BANK_LOCKSTEP].mean_conflict;

	*rival = (bank_rival){0};
	for (unsigned i = 0; i < result->candidates->len; i++) {
		const bank_candidate *c = g_ptr_array_index(result->candidates, i);
		double mean = c->held[BANK_LOCKSTEP].mean_conflict;

		if (!c->on_front || c == classic)
			continue;
		if (bank_no_dearer(c, classic) &&
		    (!rival->best || mean < rival->best->held[BANK_LOCKSTEP].mean_conflict))
			rival->best = c;
		if (bank_dominates(c, mean, classic, conflict) &&
		    (!rival->by || mean < rival->by->held[BANK_LOCKSTEP].mean_conflict))
			rival->by = c;
	}
	for (unsigned i = 0; i < sources; i++)
		rival->sources += dominated_on(result, classic, i);
}

static const char *const difference_names[] = {"a ^ b", "|a - b|", "(dq, dr) of b = q base + r"};

char *bank_certificate_text(const bank_found *found, const bank_certificate *c)
{
	const bank_rule *rule = &c->candidate->rule;
	GString *text = g_string_new(NULL);
	bank_linear linear;

	g_string_append_printf(
		text,
		"%s has no conflict on %s (%s): %" G_GUINT64_FORMAT " request%s in %" G_GUINT64_FORMAT
		" group%s, %" G_GUINT64_FORMAT " pair%s, %zu distinct difference%s %s, ",
		bankmap_text(c->candidate->map),
		bank_search_source_name(c->held ? found->options->held : found->options->train, c->source),
		c->held ? "held out" : "training", c->requests, tsp_s(c->requests), c->groups, tsp_s(c->groups),
		c->pairs, tsp_s(c->pairs), c->differences, tsp_s(c->differences), difference_names[c->kind]);
	if (c->kind == BANK_MINUS)
		g_string_append_printf(text, "none a multiple of %" G_GUINT64_FORMAT, rule->modulus);
	else if (c->kind == BANK_ROWS)
		g_string_append_printf(text,
		                       "base %" G_GUINT64_FORMAT ", none with dr + %" G_GUINT64_FORMAT
		                       " dq a multiple of %" G_GUINT64_FORMAT,
		                       rule->base, rule->multiplier, rule->modulus);
	else
		g_string_append(text, "none in the null space");
	if (c->kind == BANK_XOR && bank_linear_of(c->candidate->map, c->candidate->address_bits, &linear)) {
		uint64_t basis[BANK_LINEAR_ADDRESS_BITS];

		bank_linear_null_space(&linear, basis);
		g_string_append_printf(text, " on %u address bit%s, spanned by", linear.address_bits,
		                       tsp_s(linear.address_bits));
		for (unsigned i = 0; i < linear.address_bits - linear.bits; i++)
			g_string_append_printf(text, " 0x%" G_GINT64_MODIFIER "x", basis[i]);
	}
	return g_string_free(text, FALSE);
}

static void append_row(GString *out, const bank_found *found, const bank_candidate *c)
{
	const bank_score *held = c->held;
	char xor2[16] = "-";
	double words = (double)found->options->banks * (double)found->options->rows;

	if (c->linear)
		g_snprintf(xor2, sizeof xor2, "%u", c->xor2);
	g_string_append_printf(out, "%c %-8s %5s", c->on_front ? '*' : ' ', bank_origin_name(c->origin), xor2);
	if (c->gates_class == BANKMAP_GATES_NONE)
		g_string_append(out, "       -         -");
	else
		g_string_append_printf(out, "  %6.0f  %8s", c->gates_nand2, bankmap_gate_class_name(c->gates_class));
	g_string_append_printf(
		out, "  %5.2f | %6.2f  %5.1f %-14s | %6.2f  %5.1f %-14s  %6.2f  %6.2f  %6.2f | %2u %2u  %s\n",
		100 * (double)c->lost_words / words, 100 * c->train.mean_conflict, 100 * c->train.worst_conflict,
		bank_search_source_name(found->options->train, c->train.worst), 100 * held[BANK_LOCKSTEP].mean_conflict,
		100 * held[BANK_LOCKSTEP].worst_conflict,
		bank_search_source_name(found->options->held, held[BANK_LOCKSTEP].worst),
		held[BANK_LOCKSTEP].mean_slowdown, 100 * held[BANK_FIFO].mean_conflict, held[BANK_CLOSED].mean_grants,
		bank_certified(found->result, c, false), bank_certified(found->result, c, true), bankmap_text(c->map));
}

static void append_rivals(GString *out, const bank_found *found)
{
	const GPtrArray *all = found->result->candidates;
	unsigned sources = found->options->held->len;

	g_string_append(out,
	                "\nEach classic map against the rest of the front on held-out sources (conflicts in lockstep, "
	                "gates, lost words):\n");
	for (unsigned i = 0; i < all->len; i++) {
		const bank_candidate *c = g_ptr_array_index(all, i);
		bank_rival rival;

		if (c->origin != BANK_CLASSIC && c->origin != BANK_GIVEN)
			continue;
		bank_rival_of(found->result, sources, c, &rival);
		g_string_append_printf(out, "  %-14s ", bankmap_text(c->map));
		if (rival.by)
			g_string_append_printf(out, "dominated by %s on the mean (%.2f against %.2f %%), and",
			                       bankmap_text(rival.by->map),
			                       100 * rival.by->held[BANK_LOCKSTEP].mean_conflict,
			                       100 * c->held[BANK_LOCKSTEP].mean_conflict);
		else if (rival.best)
			g_string_append_printf(out, "not dominated on the mean (nearest %s: %.2f against %.2f %%);",
			                       bankmap_text(rival.best->map),
			                       100 * rival.best->held[BANK_LOCKSTEP].mean_conflict,
			                       100 * c->held[BANK_LOCKSTEP].mean_conflict);
		else if (c->gates_class == BANKMAP_GATES_NONE)
			g_string_append(out, "not compared, its gates are not known;");
		else
			g_string_append(out,
			                "not dominated: nothing else of the front is as small and loses as little;");
		g_string_append_printf(out, " on %u of %u source%s by some member%s\n", rival.sources, sources,
		                       tsp_s(sources), c->on_front ? "; on the front itself" : "");
	}
}

static const char legend[] =
	"*: on the front of training conflicts, gates and lost words.  xor2: two-input XORs, pairs of address bits "
	"shared.\n"
	"gates: NAND2 equivalents.  lost: % of the memory's words.  train, held: requests delayed / requests in "
	"lockstep, %, mean\n"
	"over sources; worst: of a source.  slow: cycles / ideal, lockstep, held-out.  fifo: requests delayed / "
	"requests, %,\n"
	"held-out.  closed: requests served a cycle, held-out.  proof: training and held-out sources proven free of "
	"conflicts.\n";

char *bank_search_text(const bank_found *found)
{
	const bank_search_options *o = found->options;
	const bank_search_result *r = found->result;
	GString *out = g_string_new(NULL);

	g_string_append_printf(
		out,
		"%u banks of %" G_GUINT64_FORMAT " row%s; %u training and %u held-out source%s (%s), seed "
		"%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT " map%s swept, %" G_GUINT64_FORMAT
		" annealing step%s on %zu difference%s of %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " group%s\n\n",
		o->banks, o->rows, tsp_s(o->rows), o->train->len, o->held->len, tsp_s(o->held->len),
		bank_split_name(found->split), o->seed, r->swept, tsp_s(r->swept), r->annealed_steps,
		tsp_s(r->annealed_steps), r->differences, tsp_s(r->differences), r->train_counted, r->train_groups,
		tsp_s(r->train_groups));
	g_string_append_printf(out,
	                       "%-10s %5s  %6s  %8s  %5s | %6s  %5s %-14s | %6s  %5s %-14s  %6s  %6s  %6s | %5s  %s\n",
	                       "", "xor2", "gates", "class", "lost", "train", "worst", "", "held", "worst", "", "slow",
	                       "fifo", "closed", "proof", "map");
	for (unsigned i = 0; i < r->candidates->len; i++) {
		const bank_candidate *c = g_ptr_array_index(r->candidates, i);

		if (c->held_scored)
			append_row(out, found, c);
	}
	g_string_append(out, legend);
	append_rivals(out, found);
	return g_string_free(out, FALSE);
}

static void append_csv_row(GString *out, const bank_found *found, const bank_candidate *c)
{
	const bank_score *held = c->held;
	double words = (double)found->options->banks * (double)found->options->rows;

	g_string_append_printf(out, "\"%s\",%s,%d,", bankmap_text(c->map), bank_origin_name(c->origin), c->on_front);
	if (c->linear)
		g_string_append_printf(out, "%u,%u,", c->xor2, c->xor2_plain);
	else
		g_string_append(out, ",,");
	if (c->gates_class != BANKMAP_GATES_NONE)
		g_string_append_printf(out, "%.1f", c->gates_nand2);
	g_string_append_printf(out, ",%s,%u,%" G_GUINT64_FORMAT ",%.4f,", bankmap_gate_class_name(c->gates_class),
	                       bankmap_banks_used(c->map), c->lost_words, 100 * (double)c->lost_words / words);
	if (c->bound <= 1)
		g_string_append_printf(out, "%.4f", 100 * c->bound);
	g_string_append_printf(out, ",%.4f,%.4f,\"%s\",%.4f,%.4f,%.4f,\"%s\",%.4f,%.4f,%.4f,%.4f,%.4f,%u,%u\n",
	                       100 * c->train.mean_conflict, 100 * c->train.worst_conflict,
	                       bank_search_source_name(found->options->train, c->train.worst), c->train.mean_slowdown,
	                       100 * held[BANK_LOCKSTEP].mean_conflict, 100 * held[BANK_LOCKSTEP].worst_conflict,
	                       bank_search_source_name(found->options->held, held[BANK_LOCKSTEP].worst),
	                       held[BANK_LOCKSTEP].mean_slowdown, 100 * held[BANK_FIFO].mean_conflict,
	                       held[BANK_FIFO].mean_slowdown, 100 * held[BANK_CLOSED].mean_conflict,
	                       held[BANK_CLOSED].mean_grants, bank_certified(found->result, c, false),
	                       bank_certified(found->result, c, true));
}

char *bank_search_csv(const bank_found *found)
{
	const GPtrArray *all = found->result->candidates;
	GString *out = g_string_new(
		"map,origin,on_front,xor2,xor2_unshared,gates_nand2,gates_class,banks_used,lost_words,lost_percent,"
		"train_bound_percent,train_conflict_percent,train_worst_percent,train_worst_source,train_slowdown,"
		"held_conflict_percent,held_worst_percent,held_worst_source,held_slowdown,held_fifo_conflict_percent,"
		"held_fifo_slowdown,held_closed_conflict_percent,held_closed_grants_per_cycle,certified_train_sources,"
		"certified_held_sources\n");

	for (unsigned i = 0; i < all->len; i++) {
		const bank_candidate *c = g_ptr_array_index(all, i);

		if (c->held_scored)
			append_csv_row(out, found, c);
	}
	return g_string_free(out, FALSE);
}

static bool write_file(const char *path, const char *text, GError **error)
{
	return tsp_file_write(path, text, strlen(text), error);
}

/* A map as `gf2:FILE` reads it. */
static bool write_map(const char *stem, const bank_candidate *c, GError **error)
{
	g_autofree char *path = g_strdup_printf("%s.%uxor.gf2", stem, c->xor2);
	g_auto(GStrv) masks = g_strsplit(bankmap_text(c->map) + strlen("gf2:"), ",", -1);
	g_autofree char *rows = g_strjoinv("\n", masks);
	g_autofree char *text = g_strdup_printf("# %u banks, %u XOR2; masks of block bits, bank bit 0 first\n%s\n",
	                                        bankmap_banks_used(c->map), c->xor2, rows);

	return write_file(path, text, error);
}

static bool write_certificates(const bank_found *found, const char *stem, GError **error)
{
	g_autofree char *path = g_strdup_printf("%s.certificates", stem);
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < found->result->certificates->len; i++) {
		g_autofree char *line =
			bank_certificate_text(found, &g_array_index(found->result->certificates, bank_certificate, i));

		g_string_append_printf(text, "%s\n", line);
	}
	return write_file(path, text->str, error);
}

bool bank_search_write(const bank_found *found, const char *path, GError **error)
{
	g_autofree char *stem = g_str_has_suffix(path, ".csv") ? g_strndup(path, strlen(path) - 4) : g_strdup(path);
	g_autofree char *csv = bank_search_csv(found);
	bool ok = write_file(path, csv, error) && write_certificates(found, stem, error);

	for (unsigned i = 0; i < found->result->candidates->len && ok; i++) {
		const bank_candidate *c = g_ptr_array_index(found->result->candidates, i);

		if (c->on_front && c->origin == BANK_ANNEALED)
			ok = write_map(stem, c, error);
	}
	return ok;
}
