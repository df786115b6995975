/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to pictures: variables and tables go to traces/plots/<name>.gp by gnuplot, or, as text, to a file of numbers.
 * The drawing finds its variables, its tables as files in data1, data2, ..., and TERMINAL, SCALE (terminal units a
 * pixel) and OUTPUT.  Nothing here knows where the numbers come from.
 */
#ifndef TSPSIM_TRACES_DRAW_H
#define TSPSIM_TRACES_DRAW_H

#include <glib.h>
#include <stdbool.h>

typedef struct trace_drawing trace_drawing;

trace_drawing *trace_drawing_new(void);
void trace_drawing_free(trace_drawing *drawing); /* NULL is fine */

/* Variables; NAME is a word. */
void trace_drawing_number(trace_drawing *drawing, const char *name, double value);
void trace_drawing_text(trace_drawing *drawing, const char *name, const char *text);
/* The next table: rows that end with a newline, tabs between columns.  Takes ROWS. */
void trace_drawing_table(trace_drawing *drawing, GString *rows);
/* Appends TEXT to ROWS as one cell (blanks for what a cell cannot hold), and END, '\t' or '\n'. */
void trace_drawing_cell(GString *rows, const char *text, char end);
void trace_drawing_value(GString *rows, double value, char end);

/* Can OUTPUT's ending be drawn (.png, .svg, .pdf, .tsv)? */
bool trace_draw_check(const char *output, GError **error);
/* Draws with traces/plots/<NAME>.gp into OUTPUT; .tsv: "# variable = value" lines, then each table after "# dataN". */
bool trace_draw(const trace_drawing *drawing, const char *name, const char *output, GError **error);

#endif
