/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the on-board profiler from the hardware's counters of a trace: columns and formulas of board.def, as
 * its source has them (docs/sources.md, msOpProf).  A row a sub-core; parts whose core is one sub-core have one row for
 * all, whose times are those of a core.  GB/s is 2^30 bytes a second, as there.  A value that does not exist is NA.
 */
#include "traces/export_int.h"

#include <string.h>

enum { EVENTS = 7 };

enum form {
	FORM_TIME,
	FORM_CYCLES,
	FORM_PIPE_TIME,
	FORM_RATIO,
	FORM_SELF,
	FORM_BANDWIDTH,
	FORM_ACTIVE,
	FORM_KB,
	FORM_USAGE,
	FORM_SHARE_CUBE,
	FORM_SHARE_VEC,
	FORM_WEIGHTED,
	FORM_HITS,
	FORM_NA
};

enum { CORES_C = 1 << ASC_COUPLED, CORES_M = 1 << ASC_CUBE, CORES_V = 1 << ASC_VECTOR };
enum { CORES_MV = CORES_M | CORES_V, CORES_CMV = CORES_C | CORES_M | CORES_V };
enum { PARTS_SPLIT, PARTS_COUPLED };

typedef struct column {
	int parts;
	const char *table, *name;
	unsigned cores;
	enum form form;
	const char *parameter;
	uint8_t event[EVENTS + 1]; /* row of pmu.def + 1; ASC_PMU_COUNT + 1: none */
	bool where_any;            /* only where a row has a value other than 0 */
} column;

#define P(row) ASC_PMU_##row + 1
static const column columns[] = {
#define COL(parts_, table_, name_, cores_, form_, parameter_, ...)                                                     \
	{.parts = PARTS_##parts_,                                                                                      \
	 .table = #table_,                                                                                             \
	 .name = name_,                                                                                                \
	 .cores = CORES_##cores_,                                                                                      \
	 .form = FORM_##form_,                                                                                         \
	 .parameter = parameter_,                                                                                      \
	 .event = {__VA_ARGS__}},
#define WHERE_ANY(parts_, table_, name_, cores_, form_, parameter_, ...)                                               \
	{.parts = PARTS_##parts_,                                                                                      \
	 .table = #table_,                                                                                             \
	 .name = name_,                                                                                                \
	 .cores = CORES_##cores_,                                                                                      \
	 .form = FORM_##form_,                                                                                         \
	 .parameter = parameter_,                                                                                      \
	 .event = {__VA_ARGS__},                                                                                       \
	 .where_any = true},
#include "traces/board.def"
};
#undef P

/* A row of the tables. */
typedef struct board_row {
	int64_t core, sub;
	enum asc_kind kind;
	int64_t cycles;
	int64_t value[ASC_PMU_COUNT]; /* -1: not counted */
} board_row;

typedef struct board {
	trace_reader *reader;
	GArray *rows; /* board_row */
	double clock_hz;
	double share; /* of the row's cycles that is a core's time */
	bool coupled;
} board;

/* ---- formulas ---- */

static int64_t value_of(const board_row *r, const column *c, unsigned n)
{
	unsigned event = c->event[n];

	return event && event <= ASC_PMU_COUNT ? r->value[event - 1] : -1;
}

static int64_t bytes_of(const board_row *r, const column *c, unsigned n)
{
	return value_of(r, c, n) * (int64_t)asc_pmu((enum asc_pmu)(c->event[n] - 1))->bytes;
}

static unsigned events_of(const column *c)
{
	unsigned n = 0;

	while (n < EVENTS && c->event[n] && c->event[n] <= ASC_PMU_COUNT)
		n++;
	return n;
}

static int64_t sum_of(const board_row *r, const column *c, unsigned from, unsigned to)
{
	int64_t sum = 0;

	for (unsigned n = from; n < to; n++)
		sum += value_of(r, c, n);
	return sum;
}

static double over(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double gib(double bytes)
{
	enum { KIB = 1024 };

	return bytes / KIB / KIB / KIB;
}

/* The first event's bytes, less the second's, plus the third's. */
static double moved(const board_row *r, const column *c)
{
	double bytes = (double)bytes_of(r, c, 0);

	if (events_of(c) > 1)
		bytes -= (double)bytes_of(r, c, 1);
	if (events_of(c) > 2)
		bytes += (double)bytes_of(r, c, 2);
	return MAX(bytes, 0);
}

static double usage(const board *b, const board_row *r, const column *c)
{
	const char *peak = trace_reader_manifest(b->reader, c->parameter);
	double most = (peak ? (double)g_ascii_strtoll(peak, NULL, 10) : 0) * (double)r->cycles;

	return 100 * MIN(over(moved(r, c), most), 1);
}

static int64_t weighted(const board_row *r, const column *c)
{
	const char *weight = c->parameter;
	int64_t sum = 0;

	for (unsigned n = 0; n < events_of(c); n++) {
		char *end;

		sum += value_of(r, c, n) * g_ascii_strtoll(weight, &end, 10);
		weight = end;
	}
	return sum;
}

static void put_number(GString *out, double value)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(out, g_ascii_formatd(buffer, sizeof(buffer), "%.6f", value));
}

static bool is_known(const board_row *r, const column *c)
{
	if (c->form == FORM_NA || !(c->cores >> r->kind & 1))
		return false;
	for (unsigned n = 0; n < events_of(c); n++)
		if (value_of(r, c, n) < 0)
			return false;
	return true;
}

static void put_value(GString *out, const board *b, const board_row *r, const column *c)
{
	enum { US = 1000000, KIB = 1024, PERCENT = 100 };
	double cycles = (double)r->cycles, seconds = cycles / b->clock_hz * b->share;
	unsigned n = events_of(c);

	if (!is_known(r, c)) {
		g_string_append(out, "NA");
		return;
	}
	switch (c->form) {
	case FORM_TIME:
		put_number(out, seconds * US);
		return;
	case FORM_PIPE_TIME:
		put_number(out, (double)value_of(r, c, 0) / b->clock_hz * b->share * US);
		return;
	case FORM_RATIO:
		put_number(out, over((double)sum_of(r, c, 0, n), cycles));
		return;
	case FORM_BANDWIDTH:
		put_number(out, over(gib(moved(r, c)), seconds));
		return;
	case FORM_ACTIVE:
		if (value_of(r, c, 1) == 0)
			g_string_append(out, "NA");
		else
			put_number(out, gib((double)bytes_of(r, c, 0)) / ((double)value_of(r, c, 1) / b->clock_hz));
		return;
	case FORM_KB:
		put_number(out, moved(r, c) / KIB);
		return;
	case FORM_USAGE:
		put_number(out, usage(b, r, c));
		return;
	case FORM_SHARE_CUBE:
		put_number(out, over((double)value_of(r, c, 0), cycles) *
		                        over((double)value_of(r, c, 1), (double)sum_of(r, c, 1, 3)));
		return;
	case FORM_SHARE_VEC:
		put_number(out, over((double)value_of(r, c, 0), cycles) *
		                        over((double)sum_of(r, c, 2, n), (double)value_of(r, c, 1)));
		return;
	case FORM_HITS:
		put_number(out, PERCENT * over((double)sum_of(r, c, 0, n / 2), (double)sum_of(r, c, 0, n)));
		return;
	case FORM_CYCLES:
		g_string_append_printf(out, "%" G_GINT64_FORMAT, r->cycles);
		return;
	case FORM_WEIGHTED:
		g_string_append_printf(out, "%" G_GINT64_FORMAT, weighted(r, c));
		return;
	default:
		g_string_append_printf(out, "%" G_GINT64_FORMAT, value_of(r, c, 0));
		return;
	}
}

/* ---- tables ---- */

static bool write_text(const char *folder, const char *name, const GString *text, trace_export_counts *counts,
                       GError **error)
{
	g_autofree char *file = g_strconcat(name, ".csv", NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	export_file out;

	if (!trace_i_export_open(&out, path, error))
		return false;
	trace_i_export_put(&out, text->str);
	counts->files++;
	return trace_i_export_close(&out, error);
}

static bool is_shown(const board *b, const column *c, const char *table)
{
	bool any = !c->where_any;

	if (c->parts != (b->coupled ? PARTS_COUPLED : PARTS_SPLIT) || strcmp(c->table, table) != 0)
		return false;
	for (guint i = 0; i < b->rows->len; i++) {
		const board_row *r = &g_array_index(b->rows, board_row, i);

		any |= is_known(r, c) && value_of(r, c, 0) > 0;
	}
	return any;
}

static void put_place(GString *out, const board *b, const board_row *r)
{
	if (b->coupled)
		return;
	if (r->kind == ASC_VECTOR)
		g_string_append_printf(out, "%" G_GINT64_FORMAT ",vector%" G_GINT64_FORMAT, r->core, r->sub - 1);
	else
		g_string_append_printf(out, "%" G_GINT64_FORMAT ",cube%" G_GINT64_FORMAT, r->core, r->sub);
}

static bool write_table(const board *b, const char *table, const char *folder, trace_export_counts *counts,
                        GError **error)
{
	g_autoptr(GString) out = g_string_new(b->coupled ? "" : "block_id,sub_block_id");

	for (unsigned c = 0; c < G_N_ELEMENTS(columns); c++)
		if (is_shown(b, &columns[c], table))
			g_string_append_printf(out, "%s%s", out->len ? "," : "", columns[c].name);
	g_string_append_c(out, '\n');
	for (guint i = 0; i < b->rows->len; i++) {
		const board_row *r = &g_array_index(b->rows, board_row, i);
		gsize begin = out->len;

		put_place(out, b, r);
		for (unsigned c = 0; c < G_N_ELEMENTS(columns); c++)
			if (is_shown(b, &columns[c], table)) {
				if (out->len > begin)
					g_string_append_c(out, ',');
				put_value(out, b, r, &columns[c]);
			}
		g_string_append_c(out, '\n');
	}
	return write_text(folder, table, out, counts, error);
}

static bool write_basic(const board *b, const char *folder, trace_export_counts *counts, GError **error)
{
	enum { MHZ = 1000000 };
	g_autoptr(GString) out = g_string_new("Op Name,Op Type,Task Duration(us),Block Dim,");
	const char *workload = trace_reader_manifest(b->reader, "workload");
	const char *blocks = trace_reader_manifest(b->reader, "blocks");
	unsigned kinds = 0, vectors = 0;
	int64_t cycles = trace_reader_counter(b->reader, "cycles", -1), most = 0;

	for (guint i = 0; i < b->rows->len; i++) {
		const board_row *r = &g_array_index(b->rows, board_row, i);

		kinds |= r->cycles ? 1u << r->kind : 0;
		vectors += r->cycles && r->kind == ASC_VECTOR;
		most = MAX(most, r->cycles);
	}
	if (!b->coupled)
		g_string_append(out, "Mix Block Dim,");
	g_string_append(out, "Device Id,Pid,Current Freq,Rated Freq\n");
	trace_i_csv_text(out, workload && *workload ? workload : "program");
	g_string_append_printf(out, ",%s,", kinds == CORES_V ? "vector" : kinds == CORES_M ? "cube" : "mix");
	put_number(out, (double)(cycles >= 0 ? cycles : most) / b->clock_hz * MHZ);
	g_string_append_printf(out, ",%s,", blocks ? blocks : "NA");
	if (!b->coupled && kinds == CORES_MV)
		g_string_append_printf(out, "%u,", vectors);
	else if (!b->coupled)
		g_string_append(out, "N/A,");
	g_string_append_printf(out, "NA,NA,%.0f,%.0f\n", b->clock_hz / MHZ, b->clock_hz / MHZ);
	return write_text(folder, "OpBasicInfo", out, counts, error);
}

/* ---- reading ---- */

static bool subcore_row(void *state, sqlite3_stmt *row)
{
	board *b = state;
	const char *kind = (const char *)sqlite3_column_text(row, 2);
	board_row r = {.core = sqlite3_column_int64(row, 0),
	               .sub = sqlite3_column_int64(row, 1),
	               .cycles = sqlite3_column_int64(row, 3)};

	while (r.kind + 1 < ASC_KINDS && strcmp(asc_kind_name(r.kind), kind) != 0)
		r.kind++;
	for (unsigned i = 0; i < ASC_PMU_COUNT; i++)
		r.value[i] = -1;
	b->coupled |= r.kind == ASC_COUPLED;
	g_array_append_val(b->rows, r);
	return true;
}

static bool value_row(void *state, sqlite3_stmt *row)
{
	board *b = state;
	int event = asc_pmu_by_id((unsigned)sqlite3_column_int64(row, 1));

	if (event >= 0)
		g_array_index(b->rows, board_row, (guint)sqlite3_column_int64(row, 0)).value[event] =
			sqlite3_column_int64(row, 2);
	return true;
}

/* All cores of one sub-core as one. */
static void add_up(board *b)
{
	board_row sum = g_array_index(b->rows, board_row, 0);

	for (guint i = 1; i < b->rows->len; i++) {
		const board_row *r = &g_array_index(b->rows, board_row, i);

		sum.cycles += r->cycles;
		for (unsigned e = 0; e < ASC_PMU_COUNT; e++)
			sum.value[e] = sum.value[e] < 0 || r->value[e] < 0 ? -1 : sum.value[e] + r->value[e];
	}
	b->share = 1.0 / b->rows->len;
	g_array_set_size(b->rows, 0);
	g_array_append_val(b->rows, sum);
}

bool trace_i_export_board(trace_reader *reader, const char *path, trace_export_counts *counts, GError **error)
{
	static const char *const tables[] = {
		"ArithmeticUtilization", "L2Cache", "Memory", "MemoryL0", "MemoryUB", "PipeUtilization",
		"ResourceConflictRatio"};
	const char *clock = trace_reader_manifest(reader, "clock_hz");
	board b = {.reader = reader, .clock_hz = clock ? g_ascii_strtod(clock, NULL) : 0, .share = 1};
	bool fine;

	b.rows = g_array_new(FALSE, FALSE, sizeof(board_row));
	fine = trace_i_export_rows(reader,
	                           "SELECT s.core, s.sub, s.kind, coalesce((SELECT c.value FROM subcore_counter c "
	                           "JOIN name n ON n.id = c.name WHERE c.subcore = s.id AND n.text = 'cycles'), 0) "
	                           "FROM subcores s ORDER BY s.id",
	                           0, subcore_row, &b, error) &&
	       trace_i_export_rows(reader, "SELECT subcore, event, value FROM pmu ORDER BY subcore, event", 0,
	                           value_row, &b, error);
	for (guint i = b.rows->len; fine && i-- > 0;)
		if (!g_array_index(b.rows, board_row, i).cycles)
			g_array_remove_index(b.rows, i);
	if (fine && b.coupled && b.rows->len)
		add_up(&b);
	fine = fine && write_basic(&b, path, counts, error);
	for (unsigned t = 0; fine && t < G_N_ELEMENTS(tables); t++)
		fine = write_table(&b, tables[t], path, counts, error);
	g_array_free(b.rows, TRUE);
	return fine;
}
