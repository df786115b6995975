/* SPDX-License-Identifier: Apache-2.0
 *
 * Back ends: macro-operations of one epoch become timestamped instructions of one machine.
 *
 * A back end appends to PROGRAM: instructions with their producers and predictions, nodes, lane maps, tensors with
 * layouts, and, into the epoch numbered EPOCH (which exists already, with name and start), its images, useful work
 * (macs, vxm_ops) and mxm_ceiling.  It does not encode queues, insert SYNC, NOTIFY or IFETCH, or touch other epochs;
 * sched_compile() and isa_lower() do.
 *
 * Times: no instruction issues before START; *END is the cycle in which the epoch's last result is available; the
 * next epoch starts after it.  A back end leaves nothing in flight at *END.
 */
#ifndef TSPSIM_SCHED_EMIT_EMIT_H
#define TSPSIM_SCHED_EMIT_EMIT_H

#include "sched/lower/lower.h"
#include "sched/sched.h"

/* Register style: flat hashed SRAM, vector registers, operand ports. */
bool emit_tsp(isa_program *program, const low_program *low, uint32_t epoch, int64_t start, const isa_machine *machine,
              const sched_options *options, sched_report *report, int64_t *end, GError **error);

/* Stream style: slices, positions, streams. */
bool emit_isca20(isa_program *program, const low_program *low, uint32_t epoch, int64_t start,
                 const isa_machine *machine, const sched_options *options, sched_report *report, int64_t *end,
                 GError **error);

/* Epochs with a line in sched_report.notes: a longer report would hide what matters. */
enum { EMIT_NOTED_EPOCHS = 8 };

/* NUMBER, not negative, as "8,192"; g_free. */
static inline char *emit_grouped(int64_t number)
{
	g_autofree char *digits = g_strdup_printf("%" G_GINT64_FORMAT, number);
	GString *out = g_string_new(digits);

	for (gssize at = (gssize)out->len - 3; at > 0; at -= 3)
		g_string_insert_c(out, at, ',');
	return g_string_free(out, FALSE);
}

#endif
