/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of the buffers of a sub-core and of global memory, in functional mode, with a bit a byte that says whether
 * anything has been written there.
 *
 * Global memory is one sparse mapping, so that any run of bytes is contiguous: pages exist once they are touched.  The
 * mapping is as large as the system gives, up to a limit that is far above the chip's memory; addresses beyond it are
 * out of range in functional mode.
 *
 * In timing mode there are no bytes, but what the host provides can still be read by scalar loads, so that loops whose
 * counts stand in memory run as they should.
 */
#include "models/ascend/front_int.h"

#include <string.h>
#include <sys/mman.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum { LARGEST = 40, SMALLEST = 30 }; /* log2 of the mapping's bytes */

typedef struct buffer {
	uint8_t *at;
	uint8_t *written; /* bit a byte */
	uint64_t bytes;
} buffer;

struct asc_data {
	const asc_program *program;
	asc_data *global; /* NULL: this is it */
	bool functional;
	buffer space[ASC_SPACES];
};

static void *map(uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void map_global(buffer *b)
{
	for (unsigned log = LARGEST; log >= SMALLEST && !b->at; log--) {
		b->bytes = (uint64_t)1 << log;
		b->at = map(b->bytes);
		b->written = b->at ? map(b->bytes / 8) : NULL;
		if (b->at && !b->written) {
			munmap(b->at, b->bytes);
			b->at = NULL;
		}
	}
	if (!b->at)
		g_error("no address space for global memory");
}

asc_data *asc_data_new_global(const asc_program *program, bool functional)
{
	asc_data *data = g_new0(asc_data, 1);

	data->program = program;
	data->functional = functional;
	if (!functional)
		return data;
	map_global(&data->space[ASC_GM]);
	for (guint i = 0; i < program->images->len; i++) {
		const asc_image *image = &g_array_index(program->images, asc_image, i);
		uint8_t *at = asc_data_at(data, ASC_GM, image->address, image->bytes);

		if (!at)
			continue;
		if (image->data)
			memcpy(at, image->data, image->bytes);
		asc_data_mark(data, ASC_GM, image->address, image->bytes);
	}
	return data;
}

asc_data *asc_data_new(const asc_machine *machine, asc_data *global)
{
	asc_data *data = g_new0(asc_data, 1);

	data->global = global;
	data->program = global->program;
	data->functional = global->functional;
	for (unsigned space = ASC_GM + 1; data->functional && space < ASC_SPACES; space++) {
		buffer *b = &data->space[space];

		b->bytes = (uint64_t)asc_space_bytes(machine, (enum asc_space)space);
		b->at = g_malloc0(b->bytes + 1);
		b->written = g_malloc0(b->bytes / 8 + 1);
	}
	return data;
}

void asc_data_free(asc_data *data)
{
	if (!data)
		return;
	if (data->space[ASC_GM].at) {
		munmap(data->space[ASC_GM].at, data->space[ASC_GM].bytes);
		munmap(data->space[ASC_GM].written, data->space[ASC_GM].bytes / 8);
	}
	for (unsigned space = ASC_GM + 1; space < ASC_SPACES; space++) {
		g_free(data->space[space].at);
		g_free(data->space[space].written);
	}
	g_free(data);
}

bool asc_data_functional(const asc_data *data)
{
	return data && data->functional;
}

static const buffer *buffer_of(const asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes)
{
	const buffer *b;

	if (!data || !data->functional)
		return NULL;
	b = space == ASC_GM && data->global ? &data->global->space[ASC_GM] : &data->space[space];
	return address <= b->bytes && bytes <= b->bytes - address ? b : NULL;
}

uint8_t *asc_data_at(asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes)
{
	const buffer *b = buffer_of(data, space, address, bytes);

	return b ? b->at + address : NULL;
}

/* Have all of these bytes been written?  FIRST: the first that has not. */
bool asc_data_written(const asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes, uint64_t *first)
{
	const buffer *b = buffer_of(data, space, address, bytes);

	for (uint64_t i = address; b && i < address + bytes;) {
		uint8_t bits = b->written[i / 8];

		if (i % 8 == 0 && bits == UINT8_MAX) {
			i += 8;
			continue;
		}
		if (!(bits >> i % 8 & 1)) {
			*first = i;
			return false;
		}
		i++;
	}
	return true;
}

void asc_data_mark(asc_data *data, enum asc_space space, uint64_t address, uint64_t bytes)
{
	const buffer *b = buffer_of(data, space, address, bytes);
	uint64_t end = address + bytes;

	if (!b || !bytes)
		return;
	for (; address < end && address % 8; address++)
		b->written[address / 8] |= (uint8_t)(1u << address % 8);
	if (address < end)
		memset(b->written + address / 8, UINT8_MAX, (end - address) / 8);
	for (address = MAX(address, end & ~(uint64_t)7); address < end; address++)
		b->written[address / 8] |= (uint8_t)(1u << address % 8);
}

uint64_t asc_data_image(const asc_data *data, uint64_t address, unsigned bytes)
{
	const GArray *images = data->program->images;
	uint64_t value = 0;

	for (guint i = images->len; i-- > 0;) {
		const asc_image *image = &g_array_index(images, asc_image, i);

		if (!image->data || address < image->address || bytes > image->bytes ||
		    address - image->address > image->bytes - bytes)
			continue;
		memcpy(&value, image->data + (address - image->address), bytes);
		break;
	}
	return value;
}
