/* SPDX-License-Identifier: Apache-2.0
 *
 * The product's blocks follow one another on the MXM: weights are loaded and installed while the block before computes,
 * activations stream in, results leave through the VXM.  Latencies and counts only have to be plausible.
 */
#include "tests/unit/trace_fixture.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>

static const char *const ops[] = {"load", "store", "lw", "iw", "abc", "acc", "relu", "permute"};
static const char *const violations[] = {"bank-conflict", "late-operand", "queue-underrun"};

fixture *fixture_new(void)
{
	fixture *f = g_new0(fixture, 1);

	f->queues = g_array_new(FALSE, TRUE, sizeof(trace_queue));
	f->epochs = g_array_new(FALSE, TRUE, sizeof(trace_epoch));
	f->nodes = g_array_new(FALSE, TRUE, sizeof(trace_node));
	f->insns = g_array_new(FALSE, TRUE, sizeof(trace_insn));
	f->issues = g_array_new(FALSE, TRUE, sizeof(probe_issue));
	f->strings = g_string_chunk_new(4096);
	f->banks = 144;
	f->bank_requests = g_new0(uint64_t, f->banks);
	f->bank_wait = g_new0(uint64_t, f->banks);
	return f;
}

void fixture_free(fixture *f)
{
	if (!f)
		return;
	g_array_free(f->queues, TRUE);
	g_array_free(f->epochs, TRUE);
	g_array_free(f->nodes, TRUE);
	g_array_free(f->insns, TRUE);
	g_array_free(f->issues, TRUE);
	g_string_chunk_free(f->strings);
	g_free(f->bank_requests);
	g_free(f->bank_wait);
	g_free(f);
}

static const char *keep(fixture *f, const char *format, va_list arguments)
{
	g_autofree char *text = g_strdup_vprintf(format, arguments);

	return g_string_chunk_insert(f->strings, text);
}

unsigned fixture_queue(fixture *f, const char *unit, unsigned side, const char *format, ...)
{
	trace_queue queue = {.unit = unit, .side = side};
	va_list arguments;

	va_start(arguments, format);
	queue.name = keep(f, format, arguments);
	va_end(arguments);
	g_array_append_val(f->queues, queue);
	return f->queues->len - 1;
}

uint32_t fixture_epoch(fixture *f, const char *name, int64_t start, int64_t stop)
{
	trace_epoch epoch = {
		.name = g_string_chunk_insert(f->strings, name), .start = start, .stop = stop, .mxm_ceiling = -1};

	g_array_append_val(f->epochs, epoch);
	return f->epochs->len - 1;
}

uint32_t fixture_node(fixture *f, uint32_t epoch, const char *format, ...)
{
	trace_node node = {.epoch = epoch};
	va_list arguments;

	va_start(arguments, format);
	node.name = keep(f, format, arguments);
	va_end(arguments);
	g_array_append_val(f->nodes, node);
	return f->nodes->len - 1;
}

uint32_t fixture_insn(fixture *f, const trace_insn *insn)
{
	trace_insn row = *insn;

	row.count[0] = MAX(row.count[0], 1);
	row.count[1] = MAX(row.count[1], 1);
	if (!row.result)
		row.result = TRACE_NO_PREDICTION;
	if (!row.beats)
		row.beats = TRACE_NO_PREDICTION;
	g_array_append_val(f->insns, row);
	return f->insns->len - 1;
}

void fixture_issue_all(fixture *f, uint32_t id, int64_t latency, uint32_t work, uint16_t requests)
{
	const trace_insn *insn = &g_array_index(f->insns, trace_insn, id);

	for (uint32_t i = 0; i < insn->count[0] * insn->count[1]; i++) {
		int64_t cycle = insn->cycle + i % insn->count[0] * (int64_t)insn->interval[0] +
		                i / insn->count[0] * (int64_t)insn->interval[1];
		uint16_t beats = (uint16_t)(requests ? 1 + (cycle * 7 + id) % 5 / 4 : 0);
		probe_issue issue = {
			.cycle = cycle,
			.arrival = {cycle - 2, PROBE_NO_TIME, PROBE_NO_TIME},
			.result = cycle + latency + (beats ? beats - 1 : 0),
			.insn = id,
			.index = i,
			.queue = insn->queue,
			.beats = beats,
			.requests = requests,
			.delayed = (uint16_t)(beats > 1),
			.delay = (uint32_t)(beats > 1 && cycle % 3 == 0),
			.work = work,
		};

		g_array_append_val(f->issues, issue);
	}
}

const trace_names *fixture_names(fixture *f)
{
	f->names = (trace_names){
		.queue = (const trace_queue *)(void *)f->queues->data,
		.op = ops,
		.violation = violations,
		.epoch = (const trace_epoch *)(void *)f->epochs->data,
		.node = (const trace_node *)(void *)f->nodes->data,
		.insn = (const trace_insn *)(void *)f->insns->data,
		.queue_count = f->queues->len,
		.op_count = G_N_ELEMENTS(ops),
		.violation_count = G_N_ELEMENTS(violations),
		.epoch_count = f->epochs->len,
		.node_count = f->nodes->len,
		.insn_count = f->insns->len,
	};
	return &f->names;
}

typedef struct chip {
	unsigned mem, mems, vxm, mxm, sxm;
} chip;

static chip add_queues(fixture *f, bool streams)
{
	static const char *const ports[] = {"w", "a", "c"};
	chip c = {0};

	for (unsigned side = 0; side < 2 && streams; side++)
		for (unsigned i = 0; i < 44; i++)
			fixture_queue(f, "mem", side, "mem.%c%u", side ? 'e' : 'w', i);
	for (unsigned i = 0; i < 4 && !streams; i++)
		fixture_queue(f, "mem", 0, "mem%u", i);
	c.mems = streams ? 88 : 4;
	c.vxm = f->queues->len;
	for (unsigned i = 0; i < 16; i++)
		fixture_queue(f, "vxm", 0, "vxm%u", i);
	c.mxm = f->queues->len;
	for (unsigned i = 0; i < 12; i++)
		fixture_queue(f, "mxm", streams && i >= 6, "mxm%u.%s", i / 3, ports[i % 3]);
	c.sxm = f->queues->len;
	for (unsigned i = 0; i < (streams ? 24 : 4); i++)
		fixture_queue(f, "sxm", i >= 12, streams ? "sxm.%c.permute%u" : "sxm.%c%u", i >= 12 ? 'e' : 'w',
		              i % 12);
	return c;
}

/* COUNT issues, INTERVAL apart, of OP on QUEUE. */
static void add(fixture *f, unsigned queue, unsigned op, uint32_t node, int64_t cycle, uint32_t count,
                uint32_t interval, int64_t latency, uint32_t work, uint16_t requests)
{
	trace_insn insn = {.cycle = cycle,
	                   .count = {count, 1},
	                   .interval = {interval, 0},
	                   .node = node,
	                   .queue = (uint16_t)queue,
	                   .op = (uint16_t)op,
	                   .result = (int32_t)latency,
	                   .beats = requests ? 1 : 0};

	fixture_issue_all(f, fixture_insn(f, &insn), latency, work, requests);
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const probe_issue *p = a;
	const probe_issue *q = b;

	if (p->result != q->result)
		return p->result < q->result ? -1 : 1;
	return p->queue < q->queue ? -1 : p->queue > q->queue;
}

fixture *fixture_gemm(unsigned layers, unsigned blocks, bool streams)
{
	fixture *f = fixture_new();
	chip c = add_queues(f, streams);
	int64_t start = 0;

	for (unsigned layer = 0; layer < layers; layer++) {
		unsigned rows = 160 + 40 * (layer % 3);
		g_autofree char *name = g_strdup_printf("conv%u", layer + 1);
		uint32_t epoch = fixture_epoch(f, name, start, start);
		trace_epoch *row;

		for (unsigned b = 0; b < blocks; b++) {
			uint32_t node = fixture_node(f, epoch, "%s.block%u", name, b);
			unsigned plane = b % 4;
			int64_t t = start + 100 + (int64_t)(b / 4) * (rows + 12) + plane;
			unsigned spread = c.mems / 4;

			/* Two reads: the weights before the block, its activations with it. */
			for (unsigned i = 0; i < MIN(spread, 18U); i++)
				add(f, (plane * spread + i) % c.mems, FIXTURE_LOAD, node, t - 90 + (int64_t)i, 40, 1, 5,
				    640, 40);
			add(f, c.mxm + plane * 3, FIXTURE_LW, node, t - 84, 80, 1, 1, 640, 0);
			add(f, c.mxm + plane * 3, FIXTURE_IW, node, t - 3, 1, 1, 3, 0, 0);
			add(f, (plane * spread + spread / 2 + 1) % c.mems, FIXTURE_LOAD, node, t - 4, rows / 2, 1, 5,
			    640, 40);
			add(f, c.mxm + plane * 3 + 1, FIXTURE_ABC, node, t + 1, rows, 1, 13, 102400, 0);
			add(f, c.mxm + plane * 3 + 2, FIXTURE_ACC, node, t + 15, rows, 1, 34, 320, 0);
			for (unsigned i = 0; i < 3; i++)
				add(f, c.vxm + plane * 4 + i, FIXTURE_RELU, node, t + 50 + (int64_t)i * 3, rows / 4, 4,
				    3, 320, 0);
			if (b % 3 == 0)
				add(f, c.sxm + plane, FIXTURE_PERMUTE, node, t + 60, 40, 1, 4, 320, 0);
		}
		start += 300 + (int64_t)(blocks / 4) * (rows + 12);
		row = &g_array_index(f->epochs, trace_epoch, epoch);
		row->stop = start - 60;
		row->macs = (uint64_t)blocks * rows * 102400;
		row->mxm_ceiling = 0.8;
	}
	g_array_sort(f->issues, by_time);
	return f;
}

/* The banks a request of ISSUE goes to are made up: a stride that favours some of them, more so later. */
static void count_banks(fixture *f, const probe_issue *issue)
{
	for (unsigned i = 0; i < issue->requests; i++) {
		uint64_t block = (uint64_t)issue->insn * 37 + issue->index * 40 + i;
		unsigned bank = (unsigned)((block % 8 == 0 ? block / 8 % 18 * 8 : block) % 139);

		f->bank_requests[bank]++;
		f->bank_wait[bank] += issue->delayed && i % 8 == 0;
	}
}

bool fixture_write(fixture *f, trace_writer *writer, int64_t window, GError **error)
{
	probe_listener listener = trace_writer_listener(writer);
	uint64_t macs = 0;
	int64_t next = window;
	int64_t last = 0;
	g_autofree uint64_t *queue_issues = g_new0(uint64_t, f->queues->len);
	probe p;

	trace_writer_manifest(writer, "machine", "tsp");
	trace_writer_manifest(writer, "workload", "gemm:1024x1024x512:fp16");
	probe_init(&p);
	probe_add_listener(&p, &listener);
	for (guint i = 0; i < f->issues->len; i++) {
		const probe_issue *issue = &g_array_index(f->issues, probe_issue, i);

		while (window && issue->result >= next) {
			trace_writer_banks(writer, next, f->bank_requests, f->bank_wait, f->banks);
			next += window;
		}
		*probe_slot(&p) = *issue;
		probe_commit(&p);
		count_banks(f, issue);
		queue_issues[issue->queue]++;
		macs += g_array_index(f->insns, trace_insn, issue->insn).op == FIXTURE_ABC ? issue->work : 0;
		last = MAX(last, issue->result);
	}
	probe_flush(&p);
	probe_fini(&p);
	trace_writer_banks(writer, last, f->bank_requests, f->bank_wait, f->banks);
	trace_writer_counter(writer, "cycles", (uint64_t)last, "cycles");
	trace_writer_counter(writer, "predicted_cycles", (uint64_t)last, "cycles");
	trace_writer_counter(writer, "macs", macs, "MACs");
	trace_writer_counter(writer, "mxm_peak", 409600, "MACs a cycle");
	for (unsigned q = 0; q < f->queues->len; q++)
		trace_writer_queue_issues(writer, q, queue_issues[q]);
	return trace_writer_close(writer, TRACE_COMPLETE, error);
}

char *fixture_folder(void)
{
	char *folder = g_dir_make_tmp("tspsim-test-XXXXXX", NULL);

	g_assert(folder);
	return folder;
}

void fixture_remove(char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		if (g_unlink(path) != 0)
			g_rmdir(path);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(folder);
	g_free(folder);
}

char *fixture_rows(const char *path, const char *sql)
{
	GString *out = g_string_new(NULL);
	sqlite3 *db = NULL;
	sqlite3_stmt *query = NULL;
	int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_prepare_v2(db, sql, -1, &query, NULL);
	while (result == SQLITE_OK || result == SQLITE_ROW) {
		result = sqlite3_step(query);
		for (int i = 0; result == SQLITE_ROW && i < sqlite3_column_count(query); i++) {
			const char *text = (const char *)sqlite3_column_text(query, i);

			g_string_append_printf(out, "%s%s", i ? "|" : "", text ? text : "NULL");
		}
		if (result == SQLITE_ROW)
			g_string_append_c(out, '\n');
	}
	if (result != SQLITE_DONE)
		g_string_append_printf(out, "error: %s", sqlite3_errmsg(db));
	sqlite3_finalize(query);
	sqlite3_close(db);
	return g_string_free(out, FALSE);
}
