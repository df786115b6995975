/* SPDX-License-Identifier: Apache-2.0
 *
 * Two judges, key by key (splits.def): where the machine that a program was made for and the machine that runs it
 * differ by one unit of one key, the models find it by themselves; where they do not, the table says why not.
 *
 * `test_split --table` prints the tables of docs/judges.md.
 */
#include <stdio.h>
#include <string.h>

#include "tests/judges/split.h"
#include "tests/lib/tap.h"

typedef struct row {
	const char *machine, *key;
	const char *less, *more; /* NULL: one unit away; "": none */
	const char *settings, *program, *outcomes, *why;
	bool inert;
} row;

static const row rows[] = {
#define SPLIT(machine, key, settings, program, outcomes, why)                                                          \
	{machine, key, NULL, NULL, settings, program, outcomes, why, false},
#define SPLIT_TO(machine, key, less, more, settings, program, outcomes, why)                                           \
	{machine, key, less, more, settings, program, outcomes, why, false},
#define INERT(machine, key, settings, program, outcomes, why)                                                          \
	{machine, key, NULL, NULL, settings, program, outcomes, why, true},
#define INERT_TO(machine, key, less, more, settings, program, outcomes, why)                                           \
	{machine, key, less, more, settings, program, outcomes, why, true},
#include "tests/judges/splits.def"
};

static const char *const machines[] = {"tsp", "tsp-isca20"};

/* The four outcomes of a row, in the table's order. */
enum { OUTCOMES = 4 };
static const struct {
	enum split_side side;
	bool more;
	const char *name;
} columns[OUTCOMES] = {
	{SPLIT_SCHED, false, "scheduled for one less"},
	{SPLIT_SCHED, true, "scheduled for one more"},
	{SPLIT_HW, false, "simulated with one less"},
	{SPLIT_HW, true, "simulated with one more"},
};
static const char letters[] = {
	[SPLIT_NOTHING] = 'N',  [SPLIT_DIFFERS] = 'D', [SPLIT_RESULT] = 'R',     [SPLIT_SLIPS] = 'S',
	[SPLIT_VIOLATES] = 'V', [SPLIT_UNFIT] = 'U',   [SPLIT_NO_PROGRAM] = 'P', [SPLIT_NO_MACHINE] = 'X',
	[SPLIT_LIMIT] = 'L',    [SPLIT_BROKEN] = '!',
};

/* The key that a row names, and the element of a table, -1 when there is none. */
static int key_of(const row *r, int *element)
{
	const char *bracket = strchr(r->key, '[');
	g_autofree char *path = bracket ? g_strndup(r->key, (gsize)(bracket - r->key)) : g_strdup(r->key);

	*element = bracket ? (int)g_ascii_strtoll(bracket + 1, NULL, 10) : -1;
	return isa_key_find(path);
}

static char *changes_of(split_lab *lab, const row *r, bool more)
{
	const char *stated = more ? r->more : r->less;
	const isa_machine *m = split_machine(lab, r->machine, r->settings);
	int element, key = key_of(r, &element);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_TRUE_FATAL(key >= 0);
	return stated ? g_strdup_printf("%s=%s", isa_keys[key].path, stated) : split_one_unit(m, key, element, more);
}

/* A machine, its settings and a program with both sides the same; the first row that has them stands for all. */
static bool is_first_use(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(rows[k].machine, rows[i].machine) == 0 && strcmp(rows[k].settings, rows[i].settings) == 0 &&
		    strcmp(rows[k].program, rows[i].program) == 0)
			return false;
	return true;
}

static struct {
	split_lab *lab;
	char seen[G_N_ELEMENTS(rows)][OUTCOMES + 1];
	unsigned blind; /* runs that said something else without predictions */
	bool done;
} tried;

static char try_column(const row *r, unsigned column)
{
	g_autofree char *changes = NULL;
	split_case c = {r->machine, r->settings, r->program, columns[column].side, NULL};
	split_outcome outcome;
	char letter;

	if (r->outcomes[column] == '_')
		return '_';
	changes = changes_of(tried.lab, r, columns[column].more);
	c.changes = changes;
	outcome = split_run(tried.lab, &c);
	letter = letters[outcome.verdict];
	if (letter != r->outcomes[column])
		tap_note("%s %s, %s (%s): expected %c, found %c: %" G_GUINT64_FORMAT " violations, %" G_GUINT64_FORMAT
		         " differences, %" G_GUINT64_FORMAT " wrong values, %s",
		         r->machine, r->program, columns[column].name, changes, r->outcomes[column], letter,
		         outcome.violations, outcome.mismatches, outcome.wrong,
		         outcome.message ? outcome.message : "no message");
	if (!outcome.blind) {
		tap_note("%s %s, %s (%s): without predictions the models say something else", r->machine, r->program,
		         columns[column].name, changes);
		tried.blind++;
	}
	split_outcome_fini(&outcome);
	return letter;
}

/* Runs the whole table, once for all cases. */
static void try_all(void)
{
	if (tried.done)
		return;
	tried.done = true;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		for (unsigned column = 0; column < OUTCOMES; column++)
			tried.seen[i][column] = try_column(&rows[i], column);
}

static void programs_are_clean_where_both_sides_agree(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		split_case c = {rows[i].machine, rows[i].settings, rows[i].program, SPLIT_NEITHER, ""};
		split_outcome outcome;

		if (!is_first_use(i))
			continue;
		outcome = split_run(tried.lab, &c);
		if (outcome.verdict != SPLIT_NOTHING)
			tap_note("%s %s %s: %c %s", c.machine, c.settings, c.program, letters[outcome.verdict],
			         outcome.message ? outcome.message : "");
		CU_ASSERT_EQUAL(outcome.verdict, SPLIT_NOTHING);
		CU_ASSERT_TRUE(outcome.blind);
		split_outcome_fini(&outcome);
	}
}

static void one_unit_has_the_outcome_that_the_table_says(void)
{
	try_all();
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		CU_ASSERT_STRING_EQUAL(tried.seen[i], rows[i].outcomes);
}

static void models_find_the_same_without_predictions_and_cycles(void)
{
	try_all();
	CU_ASSERT_EQUAL(tried.blind, 0);
}

/* Rows of KEY on MACHINE that are about ELEMENT (-1: about the key as a whole). */
static unsigned count_rows(const char *machine, int key, int element)
{
	unsigned count = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int of, k = key_of(&rows[i], &of);

		count += k == key && of == element && strcmp(rows[i].machine, machine) == 0;
	}
	return count;
}

static void check_rows(const char *machine, int key, int element)
{
	unsigned count = count_rows(machine, key, element);

	if (!count)
		tap_note("%s %s, element %d: no row", machine, isa_keys[key].path, element);
	CU_ASSERT_TRUE(count > 0);
}

static void every_key_and_element_of_both_machines_has_a_row(void)
{
	for (size_t m = 0; m < G_N_ELEMENTS(machines); m++) {
		const isa_machine *machine = split_machine(tried.lab, machines[m], "");

		for (int key = 0; key < (int)isa_key_count; key++) {
			int elements = split_elements(machine, key);

			if (!elements)
				check_rows(machines[m], key, -1);
			for (int element = 0; element < elements; element++)
				check_rows(machines[m], key, element);
		}
	}
}

/* Rows that belong together follow each other, in the order of the keys; machines likewise. */
static void rows_stand_in_the_order_of_the_keys(void)
{
	for (size_t i = 1; i < G_N_ELEMENTS(rows); i++) {
		int element, before = key_of(&rows[i - 1], &element), key = key_of(&rows[i], &element);

		if (strcmp(rows[i - 1].machine, rows[i].machine) == 0 && before > key)
			tap_note("%s %s stands after a later key", rows[i].machine, rows[i].key);
		CU_ASSERT_TRUE(strcmp(rows[i - 1].machine, rows[i].machine) != 0 || before <= key);
	}
}

/* Values that nobody times are caught by the functional check alone: R counts. */
static void every_key_is_caught_unless_the_machine_has_no_use_for_it(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		bool caught = false;

		for (size_t k = 0; k < G_N_ELEMENTS(rows); k++)
			if (strcmp(rows[k].machine, rows[i].machine) == 0 && strcmp(rows[k].key, rows[i].key) == 0) {
				CU_ASSERT_EQUAL(rows[k].inert, rows[i].inert);
				caught = caught || strpbrk(rows[k].outcomes, "VSUR");
			}
		if (caught == rows[i].inert)
			tap_note("%s %s: %s", rows[i].machine, rows[i].key,
			         caught ? "caught, although it is said to be inert" : "never caught");
		CU_ASSERT_EQUAL(caught, !rows[i].inert);
	}
}

static void what_is_not_caught_has_a_reason(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const row *r = &rows[i];
		bool needed = r->inert || strpbrk(r->outcomes, "DRNPX");

		CU_ASSERT_EQUAL(strlen(r->outcomes), OUTCOMES);
		CU_ASSERT_EQUAL(strspn(r->outcomes, "VSUDRNPXL_"), OUTCOMES);
		/* Wrong values that nobody else notices: only where a key does nothing but round. */
		CU_ASSERT_TRUE(!strchr(r->outcomes, 'R') || strcmp(r->key, "mxm.fp16_sum_rows") == 0);
		if (needed != (*r->why != 0))
			tap_note("%s %s: %s", r->machine, r->key, needed ? "no reason" : "a reason for nothing");
		CU_ASSERT_EQUAL(needed, *r->why != 0);
	}
}

/* ---- the page ---- */

static void append_code(GString *out, const char *text, const char *none)
{
	if (*text)
		g_string_append_printf(out, " `%s` |", text);
	else
		g_string_append_printf(out, " %s |", none);
}

static void append_row(GString *out, const row *r)
{
	g_autofree char *values = NULL;

	if (r->less)
		values = g_strjoin(", ", *r->less ? r->less : r->more, *r->less && *r->more ? r->more : NULL, NULL);
	g_string_append_c(out, '|');
	append_code(out, r->key, "");
	append_code(out, values ? values : "", "one unit");
	append_code(out, r->settings, "");
	append_code(out, r->program, "");
	for (unsigned column = 0; column < OUTCOMES; column++)
		g_string_append_printf(out, " %c |", r->outcomes[column]);
	g_string_append_printf(out, " %s |\n", r->why);
}

static char *page_table(void)
{
	GString *out = g_string_new(NULL);

	for (size_t m = 0; m < G_N_ELEMENTS(machines); m++) {
		g_string_append_printf(out, "%s### %s\n\n", m ? "\n" : "", machines[m]);
		g_string_append(out, "| key | differs by, or has | both machines with | program | sched - | sched + | "
		                     "hw - | hw + | why |\n"
		                     "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
		for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
			if (strcmp(rows[i].machine, machines[m]) == 0)
				append_row(out, &rows[i]);
	}
	return g_string_free(out, FALSE);
}

/* To bring them in step: test_split --table, and its output into the page. */
static void page_has_the_table(void)
{
	const char *source = g_getenv("TSPSIM_SRCDIR");
	g_autofree char *path = g_build_filename(source ? source : TSPSIM_SRCDIR, "docs", "judges.md", NULL);
	g_autofree char *page = NULL, *table = page_table();

	CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &page, NULL, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(page, table));
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}
	static const tap_case cases[] = {
		CASE(every_key_and_element_of_both_machines_has_a_row),
		CASE(rows_stand_in_the_order_of_the_keys),
		CASE(every_key_is_caught_unless_the_machine_has_no_use_for_it),
		CASE(what_is_not_caught_has_a_reason),
		CASE(programs_are_clean_where_both_sides_agree),
		CASE(one_unit_has_the_outcome_that_the_table_says),
		CASE(models_find_the_same_without_predictions_and_cycles),
		CASE(page_has_the_table),
	};
	int status;

	if (argc == 2 && strcmp(argv[1], "--table") == 0) {
		g_autofree char *table = page_table();

		fputs(table, stdout);
		return 0;
	}
	tried.lab = split_lab_new();
	status = tap_run("two judges", cases, G_N_ELEMENTS(cases));
	split_lab_free(tried.lab);
	return status;
}
