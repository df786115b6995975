/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace of an Ascend-style machine says before and after the run: names and numbers of everything, and how full
 * buffers were.
 */
#include "traces/ascend_impl.h"

/* Rows of buffer_level that a buffer may have at level units. */
enum { LEVELS = 2048 };

enum asc_kind trace_i_asc_kind(const trace_asc *t, uint32_t sub)
{
	return t->subject.machine->coupled ? ASC_COUPLED : sub ? ASC_VECTOR : ASC_CUBE;
}

static uint32_t intern_enum(trace_asc *t, const char *(*name)(unsigned), unsigned count)
{
	g_autofree const char **texts = g_new(const char *, count);

	for (unsigned i = 0; i < count; i++)
		texts[i] = name(i);
	return trace_i_intern_list(&t->names, texts, count);
}

static const char *op_name(unsigned op)
{
	return asc_op((enum asc_op)op)->mnemonic;
}

static const char *space_name(unsigned space)
{
	return asc_space_name((enum asc_space)space);
}

static const char *pipe_name(unsigned pipe)
{
	return asc_pipe_name((enum asc_pipe)pipe);
}

static const char *kind_name(unsigned kind)
{
	return asc_kind_name((enum asc_kind)kind);
}

static void intern_lists(trace_asc *t)
{
	t->name_op = intern_enum(t, op_name, ASC_OP_COUNT);
	t->name_stall = trace_i_intern_list(&t->names, t->subject.stalls, t->subject.stall_count);
	t->name_finding = trace_i_intern_list(&t->names, t->subject.findings, t->subject.finding_count);
	t->name_space = intern_enum(t, space_name, ASC_SPACES);
	t->name_pipe = intern_enum(t, pipe_name, ASC_PIPES);
	t->name_kind = intern_enum(t, kind_name, ASC_KINDS);
}

static void bind_all(sqlite3_stmt *insert, const int64_t *values, int count)
{
	for (int i = 0; i < count; i++)
		if (values[i] == ASC_NO_TIME)
			sqlite3_bind_null(insert, i + 1);
		else
			sqlite3_bind_int64(insert, i + 1, values[i]);
}

/* Rows of one table; ROW fills the columns, ASC_NO_TIME is NULL. */
typedef void (*row_fn)(trace_asc *t, uint32_t i, int64_t *column);

static bool write_rows(trace_asc *t, const char *sql, int columns, row_fn row, uint32_t count, GError **error)
{
	sqlite3_stmt *insert = trace_i_prepare(t->db, t->path, sql, error);
	int64_t column[8];
	bool fine = insert != NULL;

	for (uint32_t i = 0; i < count && fine; i++) {
		row(t, i, column);
		bind_all(insert, column, columns);
		sqlite3_step(insert);
		fine = sqlite3_reset(insert) == SQLITE_OK;
		if (!fine)
			trace_i_sqlite_error(t->db, t->path, error);
	}
	sqlite3_finalize(insert);
	return fine;
}

static void subcore_row(trace_asc *t, uint32_t i, int64_t *column)
{
	uint32_t subs = t->subject.machine->subcores;

	column[0] = i;
	column[1] = i / subs;
	column[2] = i % subs;
	column[3] = t->name_kind + trace_i_asc_kind(t, i % subs);
}

static void node_row(trace_asc *t, uint32_t i, int64_t *column)
{
	const char *name = g_ptr_array_index(t->subject.program->nodes, i);

	column[0] = i;
	column[1] = trace_i_intern(&t->names, name ? name : "");
}

static void tensor_row(trace_asc *t, uint32_t i, int64_t *column)
{
	const asc_tensor *tensor = &g_array_index(t->subject.program->tensors, asc_tensor, i);

	column[0] = i;
	column[1] = trace_i_intern(&t->names, tensor->name ? tensor->name : "");
	column[2] = (int64_t)tensor->address;
	column[3] = (int64_t)tensor->bytes;
	column[4] = tensor->output;
}

static void stream_row(trace_asc *t, uint32_t i, int64_t *column)
{
	const asc_stream *stream = g_ptr_array_index(t->subject.program->streams, i);

	column[0] = i;
	column[1] = t->name_kind + stream->kind;
	column[2] = stream->sub == ASC_ALL_BLOCKS ? ASC_NO_TIME : stream->sub;
	column[3] = stream->block == ASC_ALL_BLOCKS ? ASC_NO_TIME : stream->block;
}

static bool write_pipes(trace_asc *t, GError **error)
{
	sqlite3_stmt *insert = trace_i_prepare(t->db, t->path, "INSERT INTO pipe VALUES (?1, ?2, ?3)", error);

	for (uint32_t i = 0; insert && i < t->subcores; i++)
		for (unsigned p = 0; p < ASC_PIPES; p++) {
			if (!asc_kind_has_pipe(trace_i_asc_kind(t, i % t->subject.machine->subcores), (enum asc_pipe)p))
				continue;
			bind_all(insert, (const int64_t[]){TRACE_ASC_PIPE_STEP * i + p, i, t->name_pipe + p}, 3);
			sqlite3_step(insert);
			sqlite3_reset(insert);
		}
	sqlite3_finalize(insert);
	return insert != NULL;
}

void trace_i_asc_bind_insn(trace_asc *t, uint32_t stream, uint32_t number)
{
	const asc_program *program = t->subject.program;
	const asc_stream *s = g_ptr_array_index(program->streams, stream);
	const asc_insn *insn = &g_array_index(s->insns, asc_insn, number);
	int64_t column[] = {t->first[stream] + number,
	                    stream,
	                    number,
	                    t->name_op + insn->op,
	                    insn->node < program->nodes->len ? insn->node : ASC_NO_TIME,
	                    insn->start,
	                    insn->end};

	bind_all(t->insert[TRACE_ASC_INSN], column, G_N_ELEMENTS(column));
	sqlite3_bind_text(t->insert[TRACE_ASC_INSN], G_N_ELEMENTS(column) + 1, asc_insn_text(insn), -1, g_free);
}

static void count_insns(trace_asc *t)
{
	const GPtrArray *streams = t->subject.program->streams;

	t->first = g_new0(uint32_t, MAX(streams->len, 1));
	for (guint i = 0; i < streams->len; i++) {
		t->first[i] = t->insns;
		t->insns += ((const asc_stream *)g_ptr_array_index(streams, i))->insns->len;
	}
	if (t->options.level < TRACE_FULL)
		t->named = g_new0(uint8_t, MAX(t->insns, 1));
}

static void write_insns(trace_asc *t)
{
	const GPtrArray *streams = t->subject.program->streams;

	for (guint i = 0; i < streams->len; i++)
		for (guint k = 0; k < ((const asc_stream *)g_ptr_array_index(streams, i))->insns->len; k++) {
			trace_i_asc_bind_insn(t, i, k);
			trace_i_asc_step(t, TRACE_ASC_INSN);
		}
}

bool trace_i_asc_write_names(trace_asc *t, GError **error)
{
	const asc_program *program = t->subject.program;

	t->names.ids = g_hash_table_new(g_str_hash, g_str_equal);
	t->names.insert = trace_i_prepare(t->db, t->path, "INSERT INTO name VALUES (?1, ?2)", error);
	if (!t->names.insert)
		return false;
	count_insns(t);
	intern_lists(t);
	if (!write_rows(t, "INSERT INTO subcore VALUES (?1, ?2, ?3, ?4)", 4, subcore_row, t->subcores, error) ||
	    !write_pipes(t, error) ||
	    !write_rows(t, "INSERT INTO node VALUES (?1, ?2)", 2, node_row, program->nodes->len, error) ||
	    !write_rows(t, "INSERT INTO tensor VALUES (?1, ?2, ?3, ?4, ?5)", 5, tensor_row, program->tensors->len,
	                error) ||
	    !write_rows(t, "INSERT INTO stream VALUES (?1, ?2, ?3, ?4)", 4, stream_row, program->streams->len, error))
		return false;
	if (t->options.level == TRACE_FULL)
		write_insns(t);
	return true;
}

static void write_levels(trace_asc *t, uint32_t id, const GArray *levels)
{
	for (guint i = 0; i < levels->len; i++) {
		const alive_level *at = &g_array_index(levels, alive_level, i);

		bind_all(t->insert[TRACE_ASC_LEVEL], (const int64_t[]){id, at->cycle, at->bytes}, 3);
		trace_i_asc_step(t, TRACE_ASC_LEVEL);
	}
}

static void write_buffer(trace_asc *t, uint32_t subcore, enum asc_space space)
{
	uint32_t id = ASC_SPACES * subcore + space;
	int64_t column[] = {
		id,          subcore,    t->name_space + space, asc_space_bytes(t->subject.machine, space), ASC_NO_TIME,
		ASC_NO_TIME, ASC_NO_TIME};

	if (trace_asc_wants_touches(t)) {
		g_autoptr(GArray) exact =
			t->alive[id] ? alive_levels(t->alive[id]) : g_array_new(FALSE, FALSE, sizeof(alive_level));
		g_autoptr(GArray) thin =
			alive_thin(exact, t->options.level == TRACE_FULL ? G_MAXUINT : LEVELS, &column[6]);
		alive_level peak = alive_peak(exact);

		column[4] = peak.bytes;
		column[5] = peak.bytes ? peak.cycle : ASC_NO_TIME;
		write_levels(t, id, thin);
	}
	bind_all(t->insert[TRACE_ASC_BUFFER], column, G_N_ELEMENTS(column));
	trace_i_asc_step(t, TRACE_ASC_BUFFER);
}

void trace_i_asc_write_buffers(trace_asc *t)
{
	for (uint32_t i = 0; i < t->subcores; i++)
		for (unsigned space = ASC_GM + 1; space < ASC_SPACES; space++)
			if (asc_kind_has_space(trace_i_asc_kind(t, i % t->subject.machine->subcores),
			                       (enum asc_space)space) &&
			    asc_space_bytes(t->subject.machine, (enum asc_space)space) > 0)
				write_buffer(t, i, (enum asc_space)space);
}
