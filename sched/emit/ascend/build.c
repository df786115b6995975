/* SPDX-License-Identifier: Apache-2.0
 *
 * The builder's store: steps by sub-core, their order over all sub-cores, masks, nodes and tensors.
 */
#include "sched/emit/ascend/build_int.h"

#include "sched/sheet.h"

enum { GLOBAL_ALIGN = 512, GLOBAL_FIRST = 4096, SEQUENCE_FIRST = 1024 };

static void init_sub(asb *b, uint32_t i)
{
	asb_sub *s = &b->sub[i];
	unsigned number = i % b->subs;

	s->block = i / b->subs;
	s->kind = b->machine->coupled ? ASC_COUPLED : number ? ASC_VECTOR : ASC_CUBE;
	s->vector = number ? number - 1 : 0;
	s->items = g_array_new(FALSE, FALSE, sizeof(asb_item));
	s->before = g_array_new(FALSE, FALSE, sizeof(asb_note));
	s->behind = g_array_new(FALSE, FALSE, sizeof(asb_note));
}

asb *asb_new(asc_program *program, const asc_machine *machine, const sched_options *options)
{
	asb *b = g_new0(asb, 1);
	asb_mode all = {UINT64_MAX, UINT64_MAX, false};

	b->program = program;
	b->machine = machine;
	b->options = *options;
	b->progress_from = ASB_EMIT_SHARE;
	b->progress_share = 1 - ASB_EMIT_SHARE;
	b->blocks = (uint32_t)machine->cores;
	b->subs = machine->subcores;
	b->sub = g_new0(asb_sub, (size_t)b->blocks * b->subs);
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		init_sub(b, i);
	b->sequence = g_array_sized_new(FALSE, FALSE, sizeof(asb_core), SEQUENCE_FIRST);
	b->modes = g_array_new(FALSE, FALSE, sizeof(asb_mode));
	g_array_append_val(b->modes, all);
	b->loops = g_array_new(FALSE, FALSE, sizeof(asb_loop_name));
	b->tensors = g_array_new(FALSE, FALSE, sizeof(asb_block_tensor));
	b->remarks = g_string_new(NULL);
	b->node = ASC_NO_NODE;
	b->node_numbers = g_hash_table_new(g_str_hash, g_str_equal);
	b->global = GLOBAL_FIRST;
	program->blocks = b->blocks;
	return b;
}

void asb_free(asb *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->blocks * b->subs; i++) {
		g_array_free(b->sub[i].items, TRUE);
		g_array_free(b->sub[i].before, TRUE);
		g_array_free(b->sub[i].behind, TRUE);
		g_free(b->sub[i].last);
		if (b->sub[i].tags)
			g_array_unref(b->sub[i].tags);
	}
	g_free(b->sub);
	g_array_free(b->sequence, TRUE);
	g_array_free(b->modes, TRUE);
	g_array_free(b->loops, TRUE);
	g_array_free(b->tensors, TRUE);
	g_string_free(b->remarks, TRUE);
	g_hash_table_destroy(b->node_numbers);
	g_free(b->layer);
	g_free(b);
}

const asc_machine *asb_machine(const asb *b)
{
	return b->machine;
}

uint32_t asb_blocks(const asb *b)
{
	return b->used_blocks ? b->used_blocks : b->blocks;
}

static uint32_t place_of_block(const asb *b, uint32_t block)
{
	return (b->first_block + block) % b->blocks;
}

asb_core asb_cube(const asb *b, uint32_t block)
{
	return place_of_block(b, block) * b->subs;
}

uint32_t asb_block_of(const asb *b, asb_core core)
{
	return (core / b->subs + b->blocks - b->first_block) % b->blocks;
}

void asb_kernel(asb *b, const char *name)
{
	b->kernel = name;
	b->old_loops = b->loops->len;
	for (uint32_t i = 0; i < b->blocks * b->subs; i++)
		b->sub[i].tag = ASB_NO_TAG;
}

void asb_loop(asb *b, asb_core core, const char *unit)
{
	asb_loop_name loop = {b->node, unit};

	for (guint i = b->old_loops; i < b->loops->len; i++) {
		const asb_loop_name *l = &g_array_index(b->loops, asb_loop_name, i);

		if (l->node != loop.node || l->unit != unit || b->sub[core].tag >> ASB_TAG_BITS > i)
			continue;
		b->loop = i + 1;
		return;
	}
	g_array_append_val(b->loops, loop);
	b->loop = b->loops->len;
}

void asb_iteration(asb *b, asb_core core, uint64_t number)
{
	bool named = b->loop && b->loop < ASB_LOOPS && number >> ASB_TAG_BITS == 0;

	b->sub[core].tag = named ? b->loop << ASB_TAG_BITS | (uint32_t)number : ASB_NO_TAG;
}

uint32_t asb_decide(const asb *b, const char *kind, uint32_t count)
{
	return sched_decide(b->options.sheet, kind, b->kernel ? b->kernel : "", count);
}

void asb_window(asb *b, uint32_t first, uint32_t count)
{
	b->first_block = first % b->blocks;
	b->used_blocks = MIN(count, b->blocks);
}

unsigned asb_vectors(const asb *b)
{
	return b->machine->coupled ? 1 : b->subs - 1;
}

asb_core asb_vector(const asb *b, uint32_t block, unsigned number)
{
	return place_of_block(b, block) * b->subs + (b->machine->coupled ? 0 : 1 + number);
}

enum asc_kind asb_kind(const asb *b, asb_core core)
{
	return b->sub[core].kind;
}

void asb_layer(asb *b, const char *name)
{
	g_free(b->layer);
	b->layer = name ? g_strconcat(name, ".", NULL) : NULL;
}

void asb_node(asb *b, const char *bare)
{
	g_autofree char *name = g_strconcat(b->layer ? b->layer : "", bare, NULL);
	gpointer known;
	char *copy;

	if (g_hash_table_lookup_extended(b->node_numbers, name, NULL, &known)) {
		b->node = GPOINTER_TO_UINT(known);
		return;
	}
	b->node = b->program->nodes->len;
	copy = g_strdup(name);
	g_ptr_array_add(b->program->nodes, copy);
	g_hash_table_insert(b->node_numbers, copy, GUINT_TO_POINTER(b->node));
}

void asb_step(asb *b, asb_core core, const asc_insn *insn)
{
	asb_sub *s = &b->sub[core];
	asb_item item = {.insn = *insn, .mode = s->mode, .tag = s->tag};

	item.insn.node = b->node;
	item.insn.start = item.insn.end = ASC_NO_TIME;
	g_array_append_val(s->items, item);
	g_array_append_val(b->sequence, core);
}

static void set_mode(asb *b, asb_core core, asb_mode mode)
{
	asb_sub *s = &b->sub[core];

	/* Kernels go back and forth between few masks: the latest first. */
	for (guint i = b->modes->len; i-- > 0;) {
		const asb_mode *m = &g_array_index(b->modes, asb_mode, i);

		if (m->low == mode.low && m->high == mode.high && m->counter == mode.counter) {
			s->mode = i;
			return;
		}
	}
	s->mode = b->modes->len;
	g_array_append_val(b->modes, mode);
}

void asb_mask(asb *b, asb_core core, uint64_t low, uint64_t high)
{
	set_mode(b, core, (asb_mode){low, high, false});
}

void asb_count(asb *b, asb_core core, uint32_t elements)
{
	set_mode(b, core, (asb_mode){elements, 0, true});
}

void asb_sync(asb *b)
{
	asb_core mark = ASB_SYNC;

	if (b->sequence->len && g_array_index(b->sequence, asb_core, b->sequence->len - 1) != ASB_SYNC)
		g_array_append_val(b->sequence, mark);
}

void asb_hold(asb *b)
{
	asb_core mark = ASB_HOLD;

	g_array_append_val(b->sequence, mark);
}

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

uint64_t asb_scratch(asb *b, uint64_t bytes)
{
	uint64_t address = b->global;

	b->global = align_up(address + MAX(bytes, 1), GLOBAL_ALIGN);
	return address;
}

uint64_t asb_tensor(asb *b, const char *name, enum asc_type type, uint64_t rows, uint64_t lanes, uint64_t pitch_bytes,
                    bool output, const void *data)
{
	uint64_t row_bytes = lanes * asc_type_bytes(type), bytes = rows * pitch_bytes, address = asb_scratch(b, bytes);
	asc_tensor t = {.name = g_strdup(name),
	                .type = type,
	                .rank = 2,
	                .shape = {rows, lanes},
	                .stride = {(int64_t)pitch_bytes, (int64_t)asc_type_bytes(type)},
	                .address = address,
	                .bytes = bytes,
	                .output = output};
	asb_block_tensor known = {address, bytes, data != NULL, false};

	g_array_append_val(b->program->tensors, t);
	g_array_append_val(b->tensors, known);
	if (data) {
		asc_image image = {address, bytes, g_malloc0(MAX(bytes, 1))};

		for (uint64_t r = 0; r < rows; r++)
			memcpy(image.data + r * pitch_bytes, (const uint8_t *)data + r * row_bytes, row_bytes);
		g_array_append_val(b->program->images, image);
	}
	return address;
}

void asb_work(asb *b, uint64_t macs, uint64_t vector_ops)
{
	b->program->macs += macs;
	b->program->vector_ops += vector_ops;
}

void asb_remark(asb *b, const char *format, ...)
{
	va_list arguments;

	if (b->layer)
		g_string_append(b->remarks, b->layer);
	va_start(arguments, format);
	g_string_append_vprintf(b->remarks, format, arguments);
	va_end(arguments);
	g_string_append_c(b->remarks, '\n');
}

void asb_limit_blocks(asb *b, uint32_t blocks)
{
	for (uint32_t i = blocks * b->subs; i < b->blocks * b->subs; i++) {
		g_array_free(b->sub[i].items, TRUE);
		g_array_free(b->sub[i].before, TRUE);
		g_array_free(b->sub[i].behind, TRUE);
	}
	b->blocks = MIN(blocks, b->blocks);
	b->program->blocks = b->blocks;
}

uint32_t asb_halvings(asb *b)
{
	uint32_t decided = asb_decide(b, "pieces", ASB_HALVINGS + 1);

	b->tiled++;
	b->halvings_decided |= decided > 0;
	return decided ? decided : b->halvings;
}
