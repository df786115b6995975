/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker's memories.  Every granule of the hashed SRAM, every word of a slice, knows who wrote it last; cells are
 * made page by page.  The banks of the hashed SRAM serve requests in the order in which they are presented, and no
 * access may end later than if it were alone.  Addresses of GATHER and SCATTER are read from the host's data when
 * their map vectors come straight from there; otherwise the words stay unknown.  So are the indices of LOADX; STOREX is
 * not followed.
 */
#include "sched/check.h"

#include <string.h>

#define I64 "%" G_GINT64_FORMAT
#define U64 "%" G_GUINT64_FORMAT

enum { PAGE = 1024, PORTS_MAX = 4 };

bool check_memory_init(check *c, GError **error)
{
	const isa_machine *m = c->m;
	uint64_t units;

	c->unit_bytes = m->hashed ? ISA_TAG_GRANULE : (uint64_t)m->lanes;
	units = (uint64_t)isa_machine_sram_bytes(m) / c->unit_bytes + 1;
	c->page_count = units / PAGE + 1;
	c->pages = g_new0(check_cell *, c->page_count);
	if (!m->hashed)
		return true;
	c->map = bankmap_new(m->sram_map, (unsigned)m->sram_banks, (uint64_t)m->sram_rows, error);
	c->bank_free = g_new(int64_t, (size_t)m->sram_banks * PORTS_MAX);
	for (int64_t i = 0; i < m->sram_banks * PORTS_MAX; i++)
		c->bank_free[i] = INT64_MIN;
	return c->map != NULL;
}

static void drop_pages(check *c)
{
	for (uint64_t i = 0; i < c->page_count; i++) {
		for (unsigned u = 0; c->pages[i] && u < PAGE; u++)
			check_cell_clear(&c->pages[i][u]);
		g_clear_pointer(&c->pages[i], g_free);
	}
}

void check_memory_fini(check *c)
{
	drop_pages(c);
	g_free(c->pages);
	g_free(c->bank_free);
	bankmap_free(c->map);
}

static check_cell *unit_at(const check *c, uint64_t unit)
{
	check_cell **page = &c->pages[unit / PAGE];

	if (!*page)
		*page = g_new0(check_cell, PAGE);
	return &(*page)[unit % PAGE];
}

void check_memory_epoch(check *c)
{
	const isa_epoch *epoch;
	uint64_t capacity = (uint64_t)isa_machine_sram_bytes(c->m);

	drop_pages(c);
	if (c->epoch >= c->p->epochs->len)
		return;
	epoch = &g_array_index(c->p->epochs, isa_epoch, c->epoch);
	for (guint i = 0; i < epoch->images->len; i++) {
		const isa_image *image = &g_array_index(epoch->images, isa_image, i);

		if (!image->bytes || image->location + image->bytes > capacity) {
			g_string_append_printf(c->report, "epoch %s: host data at " U64 " leave the memory\n",
			                       epoch->name, image->location);
			c->offences++;
			continue;
		}
		for (uint64_t u = image->location / c->unit_bytes;
		     u <= (image->location + image->bytes - 1) / c->unit_bytes; u++)
			*unit_at(c, u) = (check_cell){.count = 1, .first = {{epoch->start, 0}}};
	}
}

/* ----------------------------------------------------------------------------------------------------- slices */

static bool find_word(check *c, const check_issue *issue, uint32_t addr, uint64_t *unit)
{
	uint64_t words = (uint64_t)(c->m->mem_banks_per_slice * c->m->mem_words_per_bank);

	if (addr >= words) {
		check_offend(c, issue, "word %u of a slice of " U64, addr, words);
		return false;
	}
	*unit = isa_word_location(c->m, issue->queue->side, issue->queue->index, addr) / c->unit_bytes;
	return true;
}

/* The instruction that INSTANCE is an issue of, and which issue. */
static const isa_insn *insn_of(const check *c, uint32_t instance, uint32_t *index)
{
	uint32_t low = 0, high = c->p->insns->len;

	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;

		if (isa_program_instance(c->p, middle) <= instance)
			low = middle;
		else
			high = middle;
	}
	*index = instance - isa_program_instance(c->p, low);
	return isa_program_insn(c->p, low);
}

static uint64_t address_of(const isa_insn *insn, uint32_t index)
{
	return (uint32_t)(insn->addr + index % insn->loop[0].count * (uint32_t)insn->loop[0].step +
	                  index / insn->loop[0].count * (uint32_t)insn->loop[1].step);
}

/* BYTES of the host's data of this epoch at LOCATION; NULL when they are not known. */
static const uint8_t *host_bytes(const check *c, uint64_t location, uint64_t bytes)
{
	const isa_epoch *epoch = &g_array_index(c->p->epochs, isa_epoch, c->epoch);

	for (guint k = 0; k < epoch->images->len; k++) {
		const isa_image *image = &g_array_index(epoch->images, isa_image, k);

		if (image->data && location >= image->location && location + bytes <= image->location + image->bytes)
			return image->data + (location - image->location);
	}
	return NULL;
}

/* The bytes of the map vector that the issue samples, NULL when they are not the host's. */
static const uint8_t *map_bytes(const check *c, const check_issue *issue)
{
	uint32_t instance, index;
	const isa_queue_info *queue;
	const isa_insn *insn;

	if (!check_stream_at(c, issue, isa_place_index(issue->src1), issue->q, &instance) || !instance)
		return NULL;
	insn = insn_of(c, instance, &index);
	if (insn->op != ISA_OP_READ)
		return NULL;
	queue = isa_machine_queue(c->m, insn->queue);
	return host_bytes(c, isa_word_location(c->m, queue->side, queue->index, (unsigned)address_of(insn, index)),
	                  (uint64_t)c->m->lanes);
}

/* The indices that a LOADX samples, NULL when they are not the host's, loaded as they lie there. */
static const uint8_t *index_bytes(const check *c, const check_issue *issue)
{
	const check_version *v;
	const isa_insn *insn;
	uint32_t index;

	if (isa_place_kind(issue->src1) != ISA_PLACE_KIND_VREG || issue->src1 >= (uint64_t)c->m->vreg_count)
		return NULL;
	v = check_at(&c->vreg[issue->src1], issue->q);
	if (!v || !v->instance)
		return NULL;
	insn = insn_of(c, v->instance, &index);
	if (insn->op != ISA_OP_LOAD || insn->len < 4 * issue->insn->count)
		return NULL;
	return host_bytes(c, address_of(insn, index), 4 * (uint64_t)issue->insn->count);
}

static void read_word(check *c, check_issue *issue, unsigned segment, uint32_t addr)
{
	uint64_t unit;

	if (find_word(c, issue, addr, &unit))
		check_found(c, issue, 0, segment, check_at(unit_at(c, unit), issue->q), "the word");
}

static void write_word(check *c, check_issue *issue, uint32_t addr)
{
	int64_t due = issue->q + c->m->mem_write_cycles;
	uint64_t unit;

	if (find_word(c, issue, addr, &unit))
		check_put(issue, unit_at(c, unit), due);
	issue->result = due - issue->t;
}

/* Words whose addresses come on a stream. */
static void check_mapped(check *c, check_issue *issue)
{
	const uint8_t *map = map_bytes(c, issue);
	uint64_t lanes = (uint64_t)c->m->lanes, superlane = (uint64_t)c->m->lanes_per_superlane;
	bool gather = issue->insn->op == ISA_OP_GATHER;
	uint32_t seen[32];
	unsigned count = 0;

	check_sample(c, issue, 1, issue->src1, 1, lanes, 1, issue->q);
	if (!gather)
		check_sample(c, issue, 0, issue->src0, 1, lanes, 1, issue->q);
	for (uint64_t s = 0; map && s < lanes / superlane; s++) {
		uint32_t addr = (uint32_t)(map[s * superlane] | map[s * superlane + 1] << 8);
		bool again = false;

		if (gather) {
			read_word(c, issue, (unsigned)s, addr);
			continue;
		}
		for (unsigned k = 0; k < count; k++)
			again = again || seen[k] == addr;
		if (!again)
			write_word(c, issue, addr);
		seen[count++] = addr;
	}
	if (gather)
		check_write(c, issue, 1, lanes, 1, issue->q + c->m->mem_gather_cycles);
	else
		issue->result = issue->q + c->m->mem_write_cycles - issue->t;
}

static void check_direct(check *c, check_issue *issue)
{
	uint64_t lanes = (uint64_t)c->m->lanes;
	int64_t bank = c->m->mem_words_per_bank;

	issue->beats = 1;
	switch (issue->insn->op) {
	case ISA_OP_READ:
		read_word(c, issue, 0, issue->addr);
		check_write(c, issue, 1, lanes, 1, issue->q + c->m->mem_read_cycles);
		return;
	case ISA_OP_WRITE:
		check_sample(c, issue, 0, issue->src0, 1, lanes, 1, issue->q);
		write_word(c, issue, issue->addr);
		return;
	case ISA_OP_READWRITE:
		if (issue->addr / bank == issue->waddr / bank)
			check_offend(c, issue, "reads and writes one bank");
		read_word(c, issue, 0, issue->addr);
		check_sample(c, issue, 1, issue->src0, 1, lanes, 1, issue->q);
		write_word(c, issue, issue->waddr);
		check_write(c, issue, 1, lanes, 1, issue->q + c->m->mem_read_cycles);
		return;
	default:
		check_mapped(c, issue);
	}
}

/* -------------------------------------------------------------------------------------------------- hashed SRAM */

typedef struct access {
	uint64_t runs, bytes; /* of each run */
	int64_t pitch;
	bool load;
	const uint8_t *index; /* little-endian int32, NULL = by pitch */
} access;

/* Offset of run R from the access's address. */
static int64_t run_offset(const access *a, uint64_t r)
{
	int32_t offset;

	if (!a->index)
		return (int64_t)r * a->pitch;
	memcpy(&offset, a->index + 4 * r, sizeof offset);
	return GINT32_FROM_LE(offset);
}

static access access_of(const check_issue *issue)
{
	const isa_insn *insn = issue->insn;

	switch (insn->op) {
	case ISA_OP_LOAD:
	case ISA_OP_STORE:
		return (access){1, insn->len, 0, insn->op == ISA_OP_LOAD, NULL};
	default:
		return (access){insn->count, insn->seg, insn->pitch,
		                insn->op == ISA_OP_LOADS || insn->op == ISA_OP_LOADX, NULL};
	}
}

/* Asks one bank from cycle Q on; returns the cycle in which it is done. */
static int64_t ask_bank(check *c, unsigned bank, int64_t q)
{
	int64_t hold = (c->m->sram_block_bytes + c->m->sram_port_bytes - 1) / c->m->sram_port_bytes;
	int64_t *free = &c->bank_free[(size_t)bank * PORTS_MAX];
	unsigned best = 0;

	for (unsigned port = 1; port < (uint64_t)c->m->sram_ports; port++)
		if (free[port] < free[best])
			best = port;
	free[best] = MAX(free[best], q) + hold;
	return free[best] - 1;
}

/* All requests of an access: the cycle of the last one's end, and the beats it would take alone. */
static int64_t ask_banks(check *c, const check_issue *issue, const access *a, int64_t *beats)
{
	uint64_t block = (uint64_t)c->m->sram_block_bytes;
	int64_t hold = (c->m->sram_block_bytes + c->m->sram_port_bytes - 1) / c->m->sram_port_bytes;
	g_autofree uint32_t *own = g_new0(uint32_t, (size_t)c->m->sram_banks);
	int64_t end = issue->q;

	*beats = bankmap_is_ideal(c->map) ? hold : 0;
	for (uint64_t r = 0; r < a->runs; r++) {
		uint64_t first = issue->addr + (uint64_t)run_offset(a, r);

		for (uint64_t b = first / block; b <= (first + a->bytes - 1) / block; b++) {
			unsigned bank = bankmap_bank(c->map, b);
			int64_t ports = c->m->sram_ports, done;

			if (bankmap_is_ideal(c->map))
				continue;
			own[bank]++;
			done = ask_bank(c, bank, issue->q);
			*beats = MAX(*beats, (own[bank] + ports - 1) / ports * hold);
			end = MAX(end, done);
		}
	}
	return bankmap_is_ideal(c->map) ? issue->q + hold - 1 : end;
}

/* Granules of all runs, in packed order. */
static void visit_granules(check *c, check_issue *issue, const access *a, int64_t due)
{
	unsigned segment = 0;

	for (uint64_t r = 0; r < a->runs; r++) {
		uint64_t first = issue->addr + (uint64_t)run_offset(a, r);

		for (uint64_t u = first / ISA_TAG_GRANULE; u <= (first + a->bytes - 1) / ISA_TAG_GRANULE; u++) {
			check_cell *cell = unit_at(c, u);

			if (a->load)
				check_found(c, issue, 0, segment++, check_at(cell, issue->q), "the granule");
			else if (!check_has(cell, issue->instance))
				check_put(issue, cell, due);
		}
	}
}

static bool in_memory(check *c, const check_issue *issue, const access *a)
{
	int64_t capacity = isa_machine_sram_bytes(c->m), least = INT64_MAX, most = 0;

	for (uint64_t r = 0; r < a->runs; r++) {
		least = MIN(least, (int64_t)issue->addr + run_offset(a, r));
		most = MAX(most, (int64_t)issue->addr + run_offset(a, r));
	}
	if (least >= 0 && most + (int64_t)a->bytes <= capacity)
		return true;
	check_offend(c, issue, "leaves the memory of " I64 " bytes", capacity);
	return false;
}

static void check_hashed(check *c, check_issue *issue)
{
	access a = access_of(issue);
	int64_t beats, end, due;

	if (!a.runs || !a.bytes) {
		check_offend(c, issue, "moves nothing");
		return;
	}
	if (issue->insn->op == ISA_OP_STOREX)
		return;
	if (issue->insn->op == ISA_OP_LOADX) {
		check_sample(c, issue, 1, issue->src1, 4, 4 * a.runs, 1, issue->q);
		a.index = index_bytes(c, issue);
		if (!a.index)
			return;
	}
	if (!in_memory(c, issue, &a))
		return;
	end = ask_banks(c, issue, &a, &beats);
	issue->beats = (int32_t)beats;
	if (end > issue->q + beats - 1)
		check_offend(c, issue, "ends " I64 " cycles later than alone: a bank is busy",
		             end - issue->q - beats + 1);
	due = end + c->m->sram_latency_cycles;
	if (a.load) {
		visit_granules(c, issue, &a, due);
		check_write(c, issue, 1, a.runs * a.bytes, 1, due);
		return;
	}
	check_sample(c, issue, 0, issue->src0, 1, a.runs * a.bytes, 1, issue->q);
	visit_granules(c, issue, &a, due);
	issue->result = due - issue->t;
}

void check_memory(check *c, check_issue *issue)
{
	if (c->m->hashed)
		check_hashed(c, issue);
	else
		check_direct(c, issue);
}
