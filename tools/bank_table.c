/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of `tspsim bank` for people: cells row after row, columns as wide as their widest cell.
 */
#include <string.h>

#include "tools/bank.h"

void bank_table_heads(bank_table *t, const char *const *names)
{
	t->cells = g_ptr_array_new_with_free_func(g_free);
	for (t->columns = 0; names[t->columns]; t->columns++)
		bank_table_cell(t, g_strdup(names[t->columns]));
}

void bank_table_cell(bank_table *t, char *text)
{
	g_ptr_array_add(t->cells, text);
}

void bank_table_end(bank_table *t, GString *out)
{
	g_autofree size_t *width = g_new0(size_t, t->columns);

	for (unsigned i = 0; i < t->cells->len; i++)
		width[i % t->columns] = MAX(width[i % t->columns], strlen(g_ptr_array_index(t->cells, i)));
	for (unsigned i = 0; i < t->cells->len; i++) {
		unsigned c = i % t->columns;
		const char *cell = g_ptr_array_index(t->cells, i);

		if (c + 1 == t->columns && t->last_is_text)
			g_string_append_printf(out, "%s\n", cell);
		else if (c < t->left)
			g_string_append_printf(out, "%-*s  ", (int)width[c], cell);
		else
			g_string_append_printf(out, "%*s%s", (int)width[c], cell, c + 1 == t->columns ? "\n" : "  ");
	}
	g_clear_pointer(&t->cells, g_ptr_array_unref);
}
