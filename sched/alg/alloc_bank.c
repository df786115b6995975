/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses by cycle and bank.
 */
#include "sched/alg/alloc_bank.h"

#include <string.h>

enum { PAIR_BLOCKS_MAX = 4096, TABLE_MAX = 1 << 27 };

typedef struct use {
	uint32_t row; /* its cycle, as a number from 0 */
	uint32_t buffer;
	int64_t byte;
} use;

struct alloc_banks {
	const alloc_problem *p;
	alloc_bank_map map;
	uint32_t rows;
	GArray *uses;    /* use, by row */
	uint32_t *start; /* [buffers + 1] into of_buffer */
	use *of_buffer;
	uint32_t *table;  /* [rows][banks] accesses, without those of `lifted` */
	uint32_t lifted;  /* the buffer that is asked about, or UINT32_MAX */
	int64_t *address; /* [buffers] */
};

static int by_cycle(const void *a, const void *b)
{
	const alloc_access *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return x->byte < y->byte ? -1 : x->byte > y->byte;
}

static void add_single(alloc_banks *b, const alloc_accesses *a)
{
	g_autofree alloc_access *list = g_memdup2(a->single->data, a->single->len * sizeof(*list));

	if (list)
		qsort(list, a->single->len, sizeof(*list), by_cycle);
	for (guint i = 0; i < a->single->len; i++) {
		use u = {.buffer = list[i].buffer, .byte = list[i].byte};

		if (i == 0 || list[i].cycle != list[i - 1].cycle)
			b->rows++;
		u.row = b->rows - 1;
		g_array_append_val(b->uses, u);
	}
}

static void add_pairs(alloc_banks *b, const alloc_accesses *a)
{
	for (guint i = 0; i < a->pairs->len; i++) {
		const alloc_pair *pair = &g_array_index(a->pairs, alloc_pair, i);
		int64_t shorter = MIN(b->p->buffers[pair->first].size_bytes, b->p->buffers[pair->second].size_bytes);
		int64_t blocks = MIN((shorter - 1) / b->map.block_bytes + 1, PAIR_BLOCKS_MAX);

		for (int64_t k = 0; k < blocks; k++, b->rows++) {
			use both[] = {{b->rows, pair->first, k * b->map.block_bytes},
			              {b->rows, pair->second, k * b->map.block_bytes}};

			g_array_append_vals(b->uses, both, 2);
		}
	}
}

static void sort_by_buffer(alloc_banks *b)
{
	g_autofree uint32_t *at = g_new0(uint32_t, b->p->count + 1);

	b->start = g_new0(uint32_t, b->p->count + 2);
	b->of_buffer = g_new(use, b->uses->len + 1);
	for (guint i = 0; i < b->uses->len; i++)
		b->start[g_array_index(b->uses, use, i).buffer + 1]++;
	for (uint32_t i = 0; i < b->p->count; i++)
		at[i + 1] = b->start[i + 1] += b->start[i];
	for (guint i = 0; i < b->uses->len; i++) {
		const use *u = &g_array_index(b->uses, use, i);

		b->of_buffer[at[u->buffer]++] = *u;
	}
}

static uint32_t *cell(const alloc_banks *b, const use *u, int64_t address)
{
	unsigned bank = b->map.bank(b->map.state, (uint64_t)((address + u->byte) / b->map.block_bytes));

	return &b->table[(size_t)u->row * b->map.banks + bank];
}

/* Adds the accesses of BUFFER at ADDRESS; those that find their bank taken. */
static int64_t add(alloc_banks *b, uint32_t buffer, int64_t address)
{
	int64_t conflicts = 0;

	for (uint32_t i = b->start[buffer]; i < b->start[buffer + 1]; i++)
		conflicts += (*cell(b, &b->of_buffer[i], address))++ > 0;
	return conflicts;
}

static void take_out(alloc_banks *b, uint32_t buffer, int64_t address)
{
	for (uint32_t i = b->start[buffer]; i < b->start[buffer + 1]; i++)
		--*cell(b, &b->of_buffer[i], address);
}

alloc_banks *alloc_banks_new(const alloc_problem *p, const alloc_accesses *a, const alloc_bank_map *map,
                             const int64_t *address, GError **error)
{
	alloc_banks *b = g_new0(alloc_banks, 1);

	*b = (alloc_banks){.p = p, .map = *map, .lifted = UINT32_MAX};
	b->uses = g_array_new(FALSE, FALSE, sizeof(use));
	if (a->pairs->len <= TABLE_MAX / PAIR_BLOCKS_MAX) {
		add_single(b, a);
		add_pairs(b, a);
	}
	if (a->pairs->len > TABLE_MAX / PAIR_BLOCKS_MAX || (uint64_t)b->rows * b->map.banks > TABLE_MAX) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED,
		            "too many accesses: cycles x banks may be %d at most", TABLE_MAX);
		alloc_banks_free(b);
		return NULL;
	}
	sort_by_buffer(b);
	b->table = g_new0(uint32_t, (size_t)b->rows * b->map.banks + 1);
	b->address = g_memdup2(address, p->count * sizeof(*address));
	for (uint32_t i = 0; i < p->count; i++)
		add(b, i, address[i]);
	return b;
}

void alloc_banks_free(alloc_banks *b)
{
	if (!b)
		return;
	g_array_free(b->uses, TRUE);
	g_free(b->start);
	g_free(b->of_buffer);
	g_free(b->table);
	g_free(b->address);
	g_free(b);
}

static void put_down(alloc_banks *b)
{
	if (b->lifted != UINT32_MAX)
		add(b, b->lifted, b->address[b->lifted]);
	b->lifted = UINT32_MAX;
}

int64_t alloc_banks_cost(void *banks, uint32_t buffer, int64_t address)
{
	alloc_banks *b = banks;
	int64_t conflicts;

	if (b->lifted != buffer) {
		put_down(b);
		take_out(b, buffer, b->address[buffer]);
		b->lifted = buffer;
	}
	conflicts = add(b, buffer, address);
	take_out(b, buffer, address);
	return conflicts;
}

void alloc_banks_moved(void *banks, uint32_t buffer, int64_t from, int64_t to)
{
	alloc_banks *b = banks;

	(void)from;
	put_down(b);
	take_out(b, buffer, b->address[buffer]);
	b->address[buffer] = to;
	add(b, buffer, to);
}

alloc_occupancy alloc_banks_occupancy(const alloc_banks *b, const int64_t *address)
{
	alloc_occupancy o = {.accesses = b->uses->len, .cycles = b->rows};
	g_autofree uint32_t *count = g_new0(uint32_t, b->map.banks);

	for (guint i = 0; i < b->uses->len;) {
		uint32_t row = g_array_index(b->uses, use, i).row;
		uint64_t conflicts = 0;
		unsigned fullest = 0;

		memset(count, 0, b->map.banks * sizeof(*count));
		for (; i < b->uses->len && g_array_index(b->uses, use, i).row == row; i++) {
			const use *u = &g_array_index(b->uses, use, i);
			unsigned bank = b->map.bank(b->map.state,
			                            (uint64_t)((address[u->buffer] + u->byte) / b->map.block_bytes));

			conflicts += count[bank]++ > 0;
			fullest = MAX(fullest, count[bank]);
		}
		o.conflicts += conflicts;
		o.cycles_in_conflict += conflicts > 0;
		o.fullest = MAX(o.fullest, fullest);
		o.mean_fullest += fullest;
	}
	o.mean_fullest /= (double)MAX(b->rows, 1);
	return o;
}
