/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups as text.
 */
#include "tests/unit/bank_text.h"

#include <glib.h>

char *bank_text(bank_source *source, size_t groups)
{
	GString *text = g_string_new(NULL);
	bank_batch batch = {0};
	GError *error = NULL;

	while (groups && bank_source_next(source, &batch, &error))
		for (size_t g = 0; g < batch.groups && groups; g++, groups--) {
			if (text->len)
				g_string_append(text, " | ");
			for (uint32_t i = batch.start[g]; i < batch.start[g + 1]; i++)
				g_string_append_printf(text, "%s%" G_GUINT64_FORMAT "%s", i > batch.start[g] ? " " : "",
				                       batch.blocks[i], batch.kinds[i] & BANK_WRITE ? "w" : "");
		}
	if (error)
		g_string_append_printf(text, "%s! %s", text->len ? " " : "", error->message);
	g_clear_error(&error);
	bank_batch_clear(&batch);
	return g_string_free(text, FALSE);
}
