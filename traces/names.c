/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a TSP program: its queues, instructions, nodes and layers as arrays that a writer understands.
 */
#include "traces/trace.h"

/* The tensor of a layer in which ADDR lies, or in whose border before element 0 it does. */
static uint32_t tensor_at(const isa_program *program, uint32_t epoch, uint64_t addr)
{
	const isa_tensor *best = NULL;
	uint32_t found = UINT32_MAX;

	for (guint i = 0; i < program->tensors->len; i++) {
		const isa_tensor *t = &g_array_index(program->tensors, isa_tensor, i);
		bool inside = addr >= t->base && addr - t->base < t->bytes;

		if (t->epoch != epoch || (!inside && t->base <= addr))
			continue;
		/* Inside beats before; then the nearest one. */
		if (best && (addr >= best->base ? !inside || t->base < best->base : !inside && t->base > best->base))
			continue;
		best = t;
		found = i;
	}
	return found;
}

/* Of the memory instruction I. */
static uint32_t tensor_of(const isa_program *program, uint32_t i)
{
	uint32_t node = i < program->node_of->len ? g_array_index(program->node_of, uint32_t, i) : UINT32_MAX;

	if (node >= program->nodes->len)
		return UINT32_MAX;
	return tensor_at(program, g_array_index(program->nodes, isa_node, node).epoch,
	                 isa_program_insn(program, i)->addr);
}

/* Where the accesses of INSN, an instruction of the hashed memory, go. */
static void describe_access(const isa_insn *insn, trace_insn *out)
{
	bool whole = insn->op == ISA_OP_LOAD || insn->op == ISA_OP_STORE;

	out->segments = whole ? 1 : insn->count;
	out->segment_bytes = whole ? insn->len : insn->seg;
	out->addr = insn->addr;
	out->step[0] = insn->loop[0].step;
	out->step[1] = insn->loop[1].step;
	out->pitch = insn->pitch;
	out->indexed = insn->op == ISA_OP_LOADX || insn->op == ISA_OP_STOREX;
	out->write = insn->op == ISA_OP_STORE || insn->op == ISA_OP_STORES || insn->op == ISA_OP_STOREX;
}

static trace_insn *insns_new(const isa_program *program, bool hashed)
{
	trace_insn *insns = g_new0(trace_insn, program->insns->len);

	for (guint i = 0; i < program->insns->len; i++) {
		const isa_insn *insn = isa_program_insn(program, i);
		const isa_prediction *predicted = program->has_predictions && i < program->predictions->len
		                                          ? &g_array_index(program->predictions, isa_prediction, i)
		                                          : NULL;

		insns[i] = (trace_insn){
			.cycle = insn->cycle,
			.count = {insn->loop[0].count, insn->loop[1].count},
			.interval = {insn->loop[0].interval, insn->loop[1].interval},
			.node = i < program->node_of->len ? g_array_index(program->node_of, uint32_t, i) : UINT32_MAX,
			.queue = insn->queue,
			.op = insn->op,
			.result =
				predicted && predicted->result != ISA_NO_TIME ? predicted->result : TRACE_NO_PREDICTION,
			.beats = predicted && predicted->beats ? predicted->beats : TRACE_NO_PREDICTION,
			.tensor = hashed && isa_ops[insn->op].unit == ISA_UNIT_MEM ? tensor_of(program, i) : UINT32_MAX,
		};
		if (hashed && isa_ops[insn->op].unit == ISA_UNIT_MEM)
			describe_access(insn, &insns[i]);
	}
	return insns;
}

trace_names *trace_names_new(const isa_machine *machine, const isa_program *program)
{
	trace_names *names = g_new0(trace_names, 1);
	trace_queue *queues = g_new0(trace_queue, machine->queues->len);
	trace_epoch *epochs = g_new0(trace_epoch, program->epochs->len);
	trace_node *nodes = g_new0(trace_node, program->nodes->len);
	trace_tensor *tensors = g_new0(trace_tensor, program->tensors->len);
	const char **ops = g_new(const char *, ISA_OP_COUNT);
	const char **violations = g_new(const char *, ISA_VIOLATION_COUNT);

	for (guint i = 0; i < machine->queues->len; i++) {
		const isa_queue_info *queue = &g_array_index(machine->queues, isa_queue_info, i);

		queues[i] = (trace_queue){queue->name, isa_unit_name(queue->unit), queue->side};
	}
	for (guint i = 0; i < program->epochs->len; i++) {
		const isa_epoch *epoch = &g_array_index(program->epochs, isa_epoch, i);

		epochs[i] = (trace_epoch){epoch->name, epoch->start,   MAX(epoch->start, epoch->end),
		                          epoch->macs, epoch->vxm_ops, epoch->mxm_ceiling};
	}
	for (guint i = 0; i < program->nodes->len; i++) {
		const isa_node *node = &g_array_index(program->nodes, isa_node, i);

		nodes[i] = (trace_node){node->name, node->epoch};
	}
	for (guint i = 0; i < program->tensors->len; i++) {
		const isa_tensor *tensor = &g_array_index(program->tensors, isa_tensor, i);

		tensors[i] = (trace_tensor){tensor->name, tensor->epoch, tensor->base, tensor->bytes};
	}
	for (unsigned i = 0; i < ISA_OP_COUNT; i++)
		ops[i] = isa_ops[i].mnemonic;
	for (unsigned i = 0; i < ISA_VIOLATION_COUNT; i++)
		violations[i] = isa_violation_name((enum isa_violation)i);
	*names = (trace_names){
		.queue = queues,
		.op = ops,
		.violation = violations,
		.epoch = epochs,
		.node = nodes,
		.insn = insns_new(program, machine->hashed),
		.tensor = tensors,
		.queue_count = machine->queues->len,
		.op_count = ISA_OP_COUNT,
		.violation_count = ISA_VIOLATION_COUNT,
		.epoch_count = program->epochs->len,
		.node_count = program->nodes->len,
		.insn_count = program->insns->len,
		.tensor_count = program->tensors->len,
	};
	return names;
}

void trace_names_free(trace_names *names)
{
	if (!names)
		return;
	g_free((gpointer)names->queue);
	g_free((gpointer)names->op);
	g_free((gpointer)names->violation);
	g_free((gpointer)names->epoch);
	g_free((gpointer)names->node);
	g_free((gpointer)names->insn);
	g_free((gpointer)names->tensor);
	g_free(names);
}
