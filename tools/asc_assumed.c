/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a machine and its program a report speaks about: assumed keys that matter, what binds, the worst stalls.  A
 * timing key counts when an instruction of its class is in the program, other keys of a part when its pipe has work.
 */
#include <math.h>
#include <string.h>

#include "tools/asc_report.h"
#include "tools/tool.h"

/* What a key's weight is reckoned from: what the program has, and the busy cycles of each pipe in the run. */
typedef struct used {
	bool timing[ASC_TIMING_COUNT];
	unsigned timing_pipes[ASC_TIMING_COUNT]; /* bit asc_pipe: pipes of the instructions of a class */
	bool pipe[ASC_PIPES];
	bool op[ASC_OP_COUNT];
	double busy[ASC_PIPES];
	double waited; /* cycles for flags, barriers and counters */
	bool launch;
} used;

static void note_program(used *u, const asc_program *program)
{
	for (guint s = 0; s < program->streams->len; s++) {
		const GArray *insns = ((const asc_stream *)g_ptr_array_index(program->streams, s))->insns;

		for (guint i = 0; i < insns->len; i++) {
			enum asc_op op = (enum asc_op)g_array_index(insns, asc_insn, i).op;
			const asc_op_info *info = asc_op(op);

			u->op[op] = true;
			u->timing[info->timing] = true;
			u->timing_pipes[info->timing] |= 1u << info->pipe;
			u->pipe[info->pipe] = true;
		}
	}
}

static void note_run(used *u, const ascend_result *result)
{
	for (unsigned k = 0; k < ASC_KINDS; k++)
		for (unsigned p = 0; p < ASC_PIPES; p++) {
			const ascend_use *use = &result->use[k][p];

			u->busy[p] += (double)use->busy;
			u->waited += (double)(use->stall[ASC_STALL_FLAG] + use->stall[ASC_STALL_CROSS] +
			                      use->stall[ASC_STALL_BARRIER]);
		}
}

static double busy_of(const used *u, unsigned pipes)
{
	double sum = 0;

	for (unsigned p = 0; p < ASC_PIPES; p++)
		if (pipes >> p & 1)
			sum += u->busy[p];
	return sum;
}

static const char *const timing_keys[ASC_TIMING_COUNT][3] = {
#define ASC_TIMING(id, head, b16, b32, doc) [ASC_TIMING_##id] = {head, b16, b32},
#include "isa/ascend/timing.def"
};

/* Is KEY a delay of timing classes?  *PIPES gets those of the classes that the program has. */
static bool is_delay(const used *u, const char *key, unsigned *pipes)
{
	bool found = false;

	*pipes = 0;
	for (unsigned t = 0; t < ASC_TIMING_COUNT; t++)
		for (unsigned i = 0; i < 3; i++)
			if (g_strcmp0(timing_keys[t][i], key) == 0) {
				found = true;
				*pipes |= u->timing_pipes[t];
			}
	return found;
}

/* Keys by the first part of their names, and the pipes whose work they slow. */
static const struct key_pipes {
	const char *prefix;
	unsigned pipes; /* bit asc_pipe */
} key_pipes[] = {
	{"queue.v_", 1u << ASC_PIPE_V},
	{"queue.m_", 1u << ASC_PIPE_M},
	{"queue.mte1_", 1u << ASC_PIPE_MTE1},
	{"queue.mte2_", 1u << ASC_PIPE_MTE2},
	{"queue.mte3_", 1u << ASC_PIPE_MTE3},
	{"queue.fix_", 1u << ASC_PIPE_FIX},
	{"vector.", 1u << ASC_PIPE_V},
	{"ub.", 1u << ASC_PIPE_V},
	{"cube.", 1u << ASC_PIPE_M},
	{"l0", 1u << ASC_PIPE_M | 1u << ASC_PIPE_MTE1},
	{"l1.", 1u << ASC_PIPE_MTE1},
	{"mte1.", 1u << ASC_PIPE_MTE1},
	{"fix.", 1u << ASC_PIPE_FIX},
	{"fb.", 1u << ASC_PIPE_FIX},
	{"mte2.", 1u << ASC_PIPE_MTE2},
	{"mte3.", 1u << ASC_PIPE_MTE3},
	{"l2.", 1u << ASC_PIPE_MTE2 | 1u << ASC_PIPE_MTE3 | 1u << ASC_PIPE_FIX},
	{"hbm.", 1u << ASC_PIPE_MTE2 | 1u << ASC_PIPE_MTE3 | 1u << ASC_PIPE_FIX},
};

/* Cycles of the run that KEY has a say in; -1: it has none. */
static double weight(const void *state, const char *key)
{
	const used *u = state;
	unsigned pipes;

	if (is_delay(u, key, &pipes))
		return pipes ? busy_of(u, pipes) : -1;
	if (g_str_has_prefix(key, "launch"))
		return u->launch ? INFINITY : -1;
	if (g_str_has_prefix(key, "flag."))
		return u->op[ASC_OP_SETFLAG] || u->op[ASC_OP_WAITFLAG] || u->op[ASC_OP_BARRIER] ? u->waited : -1;
	if (!strcmp(key, "scalar.publish_cycles"))
		return u->op[ASC_OP_SETWORD] ? u->waited : -1;
	if (g_str_has_prefix(key, "cross."))
		return u->op[ASC_OP_SETCROSS] || u->op[ASC_OP_WAITCROSS] ? u->waited : -1;
	for (unsigned i = 0; i < G_N_ELEMENTS(key_pipes); i++) {
		if (!g_str_has_prefix(key, key_pipes[i].prefix))
			continue;
		pipes = 0;
		for (unsigned p = 0; p < ASC_PIPES; p++)
			pipes |= u->pipe[p] ? key_pipes[i].pipes & 1u << p : 0;
		return pipes ? busy_of(u, pipes) : -1;
	}
	return busy_of(u, 1u << ASC_PIPE_S);
}

static char *text_of(const void *machine, int key)
{
	return asc_machine_get_text(machine, key);
}

report_machine ascend_report_machine(const asc_machine *machine)
{
	return (report_machine){asc_keys, asc_key_count, machine, machine->origin, text_of};
}

char **ascend_assumed(const ascend_report *r)
{
	used u = {.launch = r->launch_cycles > 0};
	report_machine m = ascend_report_machine(r->hw);

	note_program(&u, r->program);
	note_run(&u, r->result);
	return report_assumed_keys(&m, weight, &u);
}

char *ascend_binds(const ascend_report *r)
{
	const ascend_use *most = NULL;
	unsigned kind = 0, pipe = 0;
	g_autofree char *share = NULL;

	if (r->schedule && r->schedule->binds)
		return g_strdup(r->schedule->binds);
	for (unsigned k = 0; k < ASC_KINDS; k++)
		for (unsigned p = 0; p < ASC_PIPES; p++)
			if (r->result->use[k][p].most > (most ? most->most : 0)) {
				most = &r->result->use[k][p];
				kind = k;
				pipe = p;
			}
	if (!most || r->result->counters.cycles <= 0)
		return NULL;
	share = tool_percent((double)most->most / (double)r->result->counters.cycles);
	return g_strdup_printf("%s of a %s sub-core, busy for %s of the run", asc_pipe_name((enum asc_pipe)pipe),
	                       asc_kind_name((enum asc_kind)kind), share);
}

/* Bytes of an operand element of the first mmad; 0: there is none. */
static unsigned operand_bytes(const asc_program *program)
{
	int type = asc_field_by_name(ASC_OP_MMAD, "type");

	for (guint s = 0; s < program->streams->len; s++) {
		const GArray *insns = ((const asc_stream *)g_ptr_array_index(program->streams, s))->insns;

		for (guint i = 0; i < insns->len; i++) {
			const asc_insn *insn = &g_array_index(insns, asc_insn, i);

			if (insn->op == ASC_OP_MMAD && type >= 0)
				return asc_type_bytes((enum asc_type)insn->f[type]);
		}
	}
	return 0;
}

double ascend_cube_share(const ascend_report *r)
{
	const asc_machine *m = r->hw;
	unsigned bytes = operand_bytes(r->program);
	int64_t depth = bytes == 4 ? m->cube_f32_k : bytes ? m->cube_k_bytes / bytes : 0;
	double peak = (double)(m->cube_m * m->cube_n * depth * asc_tally_cores(m, r->program));
	uint64_t macs = r->program->macs ? r->program->macs : r->result->counters.macs;

	if (peak <= 0 || r->result->counters.cycles <= 0)
		return -1;
	return (double)macs / (peak * (double)r->result->counters.cycles);
}

bool ascend_stall_adds_up(enum asc_stall cause)
{
	return cause == ASC_STALL_OUTSTANDING || cause == ASC_STALL_LINE;
}

char *ascend_insn_text(const asc_program *program, uint32_t stream, uint32_t insn)
{
	const asc_stream *s = stream < program->streams->len ? g_ptr_array_index(program->streams, stream) : NULL;
	const asc_insn *at;
	g_autofree char *text = NULL;
	const char *node;

	if (!s || insn >= s->insns->len)
		return g_strdup("(no instruction)");
	at = &g_array_index(s->insns, asc_insn, insn);
	text = asc_insn_text(at);
	node = at->node < program->nodes->len ? g_ptr_array_index(program->nodes, at->node) : NULL;
	return g_strdup_printf("stream %u insn %u: %s%s%s%s", stream, insn, text, node ? " (" : "", node ? node : "",
	                       node ? ")" : "");
}

static gint worst_first(gconstpointer a, gconstpointer b)
{
	const ascend_stall *p = a, *q = b;

	if (p->cycles != q->cycles)
		return p->cycles < q->cycles ? 1 : -1;
	if (p->kind != q->kind)
		return (int)p->kind - (int)q->kind;
	return p->pipe != q->pipe ? (int)p->pipe - (int)q->pipe : (int)p->cause - (int)q->cause;
}

GArray *ascend_stalls(const ascend_result *result)
{
	GArray *stalls = g_array_new(FALSE, FALSE, sizeof(ascend_stall));

	for (unsigned k = 0; k < ASC_KINDS; k++)
		for (unsigned p = 0; p < ASC_PIPES; p++)
			for (unsigned c = 1; c < ASC_STALLS; c++) {
				const ascend_use *u = &result->use[k][p];
				ascend_stall stall = {(enum asc_kind)k, (enum asc_pipe)p, (enum asc_stall)c,
				                      u->stall[c], u->subcores};

				if (stall.cycles > 0)
					g_array_append_val(stalls, stall);
			}
	g_array_sort(stalls, worst_first);
	return stalls;
}

enum ascend_safe ascend_safe_of(const ascend_result *result)
{
	const asc_counters *c = &result->counters;

	if (c->races_met || c->violations > c->by_kind[ASC_FINDING_RACE])
		return ASCEND_UNSAFE;
	return c->violations ? ASCEND_BY_LUCK : ASCEND_SAFE;
}

const char *ascend_safe_name(enum ascend_safe safe)
{
	return safe == ASCEND_SAFE ? "safe" : safe == ASCEND_BY_LUCK ? "by luck" : "unsafe";
}

bool ascend_found_fault(const ascend_report *r)
{
	return r->result->counters.violations || (r->result->checked && r->result->verify.wrong) ||
	       (r->ordinary && r->ordinary->counters.violations);
}
