/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers: parts of the hashed SRAM whose data lies under a bank map of its own for as long as it lives, an epoch.  An
 * access says through which buffer's map it goes; data under another one would be found in other places, so that is a
 * violation and not another result.  Maps work on block numbers of the whole memory: two blocks of an epoch that would
 * share a bank and a row are refused before the run.  What is stored outside buffers and is not the host's is not
 * looked at for that.
 */
#include "models/tsp/internal.h"

#include <string.h>

static tsp_buffer *buffer_at(const tsp_sram *s, guint i)
{
	return &g_array_index(s->buffers, tsp_buffer, i);
}

static void clear_buffer(gpointer at)
{
	bankmap_free(((tsp_buffer *)at)->map);
}

static bool refuse(const tsp_buffer *b, const char *why, GError **error)
{
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "buffer '%s': %s", b->of->name, why);
	return false;
}

static bool read_buffer(tsp_chip *chip, const isa_buffer *of, GError **error)
{
	const isa_machine *m = chip->machine;
	uint64_t block = (uint64_t)m->sram_block_bytes;
	tsp_buffer b = {.of = of, .map = bankmap_new(of->map, (unsigned)m->sram_banks, (uint64_t)m->sram_rows, error)};

	if (!b.map) {
		g_prefix_error(error, "buffer '%s': ", of->name);
		return false;
	}
	g_array_append_val(chip->sram.buffers, b);
	if (bankmap_is_ideal(b.map))
		return refuse(&b, "map 'ideal' is no place for data", error);
	if (of->base % block || of->bytes % block)
		return refuse(&b, "expected base and bytes in whole blocks", error);
	if (of->base > chip->sram.banks.bytes || of->bytes > chip->sram.banks.bytes - of->base ||
	    (of->base + of->bytes) / block > bankmap_capacity_blocks(b.map))
		return refuse(&b, "it leaves the memory that its map and the machine's reach", error);
	for (guint i = 0; i + 1 < chip->sram.buffers->len; i++) {
		const isa_buffer *other = buffer_at(&chip->sram, i)->of;

		if (other->epoch == of->epoch && other->base < of->base + of->bytes &&
		    of->base < other->base + other->bytes)
			return refuse(&b, "it overlaps an earlier one", error);
	}
	model_banks_widen(&chip->sram.banks, bankmap_banks_used(b.map));
	return true;
}

/* Takes the places of COUNT blocks from FIRST on under MAP; false when one is taken. */
static bool take_places(const bankmap *map, uint64_t rows, uint64_t first, uint64_t count, uint8_t *taken)
{
	for (uint64_t b = first; b < first + count; b++) {
		uint64_t place = bankmap_bank(map, b) * rows + bankmap_row(map, b);

		if (taken[place / 8] >> (place % 8) & 1)
			return false;
		taken[place / 8] |= (uint8_t)(1u << (place % 8));
	}
	return true;
}

/* Blocks of the host's data that lie in no buffer. */
static bool take_images(const tsp_chip *chip, uint32_t epoch, uint8_t *taken)
{
	const tsp_sram *s = &chip->sram;
	const GArray *images = g_array_index(chip->program->epochs, isa_epoch, epoch).images;
	uint64_t block = s->banks.block_bytes, last = UINT64_MAX;

	for (guint i = 0; i < images->len; i++) {
		const isa_image *image = &g_array_index(images, isa_image, i);

		for (uint64_t at = image->location / block; at * block < image->location + image->bytes; at++) {
			/* Two images may share a block. */
			if (tsp_buffer_at(chip, at * block, epoch) || at == last)
				continue;
			last = at;
			if (!take_places(s->map, (uint64_t)chip->machine->sram_rows, at, 1, taken))
				return false;
		}
	}
	return true;
}

static bool check_places(const tsp_chip *chip, uint32_t epoch, GError **error)
{
	const tsp_sram *s = &chip->sram;
	uint64_t rows = (uint64_t)chip->machine->sram_rows;
	g_autofree uint8_t *taken = g_malloc0((uint64_t)chip->machine->sram_banks * rows / 8 + 1);

	for (guint i = 0; i < s->buffers->len; i++) {
		const tsp_buffer *b = buffer_at(s, i);

		if (b->of->epoch == epoch && !take_places(b->map, rows, b->of->base / s->banks.block_bytes,
		                                          b->of->bytes / s->banks.block_bytes, taken))
			return refuse(
				b, "blocks of it share bank and row with another buffer's: their maps need rows apart",
				error);
	}
	if (take_images(chip, epoch, taken))
		return true;
	g_set_error(error, TSP_ERROR, TSP_ERROR_USER,
	            "host data of epoch %u shares bank and row with a buffer's: their maps need rows apart", epoch);
	return false;
}

bool tsp_buffers_init(tsp_chip *chip, GError **error)
{
	const GArray *of = chip->program->buffers;

	chip->sram.buffers = g_array_new(FALSE, FALSE, sizeof(tsp_buffer));
	g_array_set_clear_func(chip->sram.buffers, clear_buffer);
	if (of->len && !chip->machine->hashed) {
		g_set_error(error, TSP_ERROR, TSP_ERROR_USER, "buffers need a hashed SRAM, machine '%s' has slices",
		            chip->machine->name);
		return false;
	}
	for (guint i = 0; i < of->len; i++)
		if (!read_buffer(chip, &g_array_index(of, isa_buffer, i), error))
			return false;
	for (uint32_t epoch = 0; of->len && epoch < chip->program->epochs->len; epoch++)
		if (!check_places(chip, epoch, error))
			return false;
	return true;
}

void tsp_buffers_fini(tsp_chip *chip)
{
	if (chip->sram.buffers)
		g_array_unref(chip->sram.buffers);
}

const tsp_buffer *tsp_buffer_at(const tsp_chip *chip, uint64_t location, uint32_t epoch)
{
	for (guint i = 0; i < chip->sram.buffers->len; i++) {
		const tsp_buffer *b = buffer_at(&chip->sram, i);

		if (b->of->epoch == epoch && location >= b->of->base && location - b->of->base < b->of->bytes)
			return b;
	}
	return NULL;
}

const bankmap *tsp_buffer_map(const tsp_queue *q)
{
	const tsp_sram *s = &q->chip->sram;

	return q->insn.buffer ? buffer_at(s, q->insn.buffer - 1u)->map : s->map;
}

void tsp_check_map(tsp_queue *q, const model_shape *shape)
{
	const tsp_chip *chip = q->chip;
	const char *through = bankmap_text(tsp_buffer_map(q));
	uint32_t epoch = chip->next_epoch ? chip->next_epoch - 1 : 0;
	uint64_t block = chip->sram.banks.block_bytes;

	for (uint32_t r = 0; r < shape->runs; r++) {
		int64_t first = model_shape_run(shape, r);

		if (!model_store_holds(&chip->store, first, shape->run_bytes))
			continue;
		for (uint64_t at = (uint64_t)first; at < (uint64_t)first + shape->run_bytes;
		     at = (at / block + 1) * block) {
			const tsp_buffer *b = tsp_buffer_at(chip, at, epoch);

			if (strcmp(bankmap_text(b ? b->map : chip->sram.map), through) == 0)
				continue;
			tsp_violate(q, ISA_VIOLATION_WRONG_MAP, q->now, TSP_NO_INSN, (int64_t)at);
			return;
		}
	}
}
