/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace costs: synthetic issues of 144 queues pushed through a probe as fast as they can be made.  Prints the
 * time a record takes without listeners and at each level, bytes a row, and the time of the closing indexes.
 *
 *     bench_trace FILE [MILLIONS]
 */
#include "traces/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { QUEUES = 144, REPEATS = 320 };

static double now_s(void)
{
	return (double)g_get_monotonic_time() / 1e6;
}

/* INSNS instructions, dealt to the queues in turn, each repeated REPEATS times back to back, ten to a node. */
static trace_names *names_new(uint32_t insns)
{
	static const char *const ops[] = {"load", "abc"};
	static const char *const kinds[] = {"bank-conflict"};
	static const trace_epoch epoch = {"layer", 0, 1000000, 1, 1, 0.5};
	trace_names *names = g_new0(trace_names, 1);
	trace_queue *queue = g_new0(trace_queue, QUEUES);
	trace_insn *insn = g_new0(trace_insn, insns);
	trace_node *node = g_new0(trace_node, insns / 10 + 1);

	for (unsigned i = 0; i < QUEUES; i++)
		queue[i] = (trace_queue){g_strdup_printf("mem%u", i), "MEM", 0};
	for (uint32_t i = 0; i < insns; i++)
		insn[i] = (trace_insn){.cycle = (int64_t)(i / QUEUES) * REPEATS,
		                       .count = {REPEATS, 1},
		                       .interval = {1, 1},
		                       .node = i / 10,
		                       .queue = (uint16_t)(i % QUEUES),
		                       .op = i % 2,
		                       .result = 4,
		                       .beats = 1};
	for (uint32_t i = 0; i < insns / 10 + 1; i++)
		node[i] = (trace_node){"node", 0};
	*names = (trace_names){.queue = queue,
	                       .op = ops,
	                       .violation = kinds,
	                       .epoch = &epoch,
	                       .node = node,
	                       .insn = insn,
	                       .queue_count = QUEUES,
	                       .op_count = 2,
	                       .violation_count = 1,
	                       .epoch_count = 1,
	                       .node_count = insns / 10 + 1,
	                       .insn_count = insns};
	return names;
}

/* Pushes RECORDS issues through P, cycle by cycle over all queues. */
static double push(probe *p, uint64_t records)
{
	double start = now_s();
	uint64_t done = 0;

	for (int64_t cycle = 0; done < records; cycle++)
		for (uint32_t queue = 0; queue < QUEUES && done < records; queue++, done++) {
			probe_issue *r = probe_slot(p);

			*r = (probe_issue){
				.cycle = cycle,
				.arrival = {cycle - 3, PROBE_NO_TIME, PROBE_NO_TIME},
				.result = cycle + 4 + (int64_t)(done & 3),
				.insn = (uint32_t)(cycle / REPEATS) * QUEUES + queue,
				.index = (uint32_t)(cycle % REPEATS),
				.queue = (uint16_t)queue,
				.beats = 1,
				.requests = 40,
				.delayed = (uint16_t)(done & 3),
				.delay = (uint32_t)(done & 3),
				.work = 640,
			};
			probe_commit(p);
		}
	probe_flush(p);
	return now_s() - start;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "bench.db";
	uint64_t records = UINT64_C(1000000) * (argc > 2 ? (uint64_t)atoi(argv[2]) : 5);
	trace_names *names = names_new((uint32_t)(records / REPEATS + QUEUES) / QUEUES * QUEUES + QUEUES);
	probe quiet;

	probe_init(&quiet);
	printf("no listener: %.1f ns a record\n", push(&quiet, records) * 1e9 / (double)records);
	probe_fini(&quiet);
	for (int level = 0; level < TRACE_LEVEL_COUNT; level++) {
		trace_options options = {.level = (enum trace_level)level};
		g_autoptr(GError) error = NULL;
		trace_writer *writer = trace_writer_open(path, &options, names, &error);
		probe_listener listener;
		struct stat before = {0}, after = {0};
		double pushed, closed;
		probe p;

		if (!writer) {
			fprintf(stderr, "bench_trace: %s\n", error->message);
			return 1;
		}
		stat(path, &before);
		listener = trace_writer_listener(writer);
		probe_init(&p);
		probe_add_listener(&p, &listener);
		pushed = push(&p, records);
		probe_fini(&p);
		closed = now_s();
		if (!trace_writer_close(writer, TRACE_COMPLETE, &error)) {
			fprintf(stderr, "bench_trace: %s\n", error->message);
			return 1;
		}
		closed = now_s() - closed;
		stat(path, &after);
		printf("%s: %.1f ns a record (%.2f M/s), close %.2f s, %.1f MB, %.1f bytes a record\n",
		       trace_level_names[level], pushed * 1e9 / (double)records, (double)records / pushed / 1e6, closed,
		       (double)after.st_size / 1e6, (double)(after.st_size - before.st_size) / (double)records);
	}
	return 0;
}
