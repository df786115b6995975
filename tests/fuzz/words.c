/* SPDX-License-Identifier: Apache-2.0
 *
 * Instruction queues: whatever stands in them, the model neither crashes nor hangs.  A byte for machine and policy,
 * then records of a byte that names a queue and the 16 bytes of a word.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { RECORD_BYTES = 17, MAX_RECORDS = 200 };

void fuzz_words(const uint8_t *data, size_t size)
{
	const isa_machine *machine = fuzz_machine(size && data[0] & 4 ? "tsp-isca20" : "tsp");
	unsigned queues = isa_machine_queue_count(machine);
	isa_program *program = isa_program_new(machine);
	isa_epoch epoch = {.name = g_strdup("e"), .images = g_array_new(FALSE, FALSE, sizeof(isa_image))};
	isa_image image = {0, 8192, g_malloc(8192)};

	memset(image.data, 0x3c, 8192);
	g_array_append_val(epoch.images, image);
	g_array_append_val(program->epochs, epoch);
	for (unsigned q = 0; q < queues; q++) {
		g_ptr_array_add(program->queues, g_array_new(FALSE, FALSE, sizeof(isa_word)));
		g_ptr_array_add(program->queue_insns, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
	}
	for (size_t i = 0; i < MAX_RECORDS && 1 + (i + 1) * RECORD_BYTES <= size; i++) {
		const uint8_t *record = data + 1 + i * RECORD_BYTES;
		unsigned q = record[0] % queues;
		uint32_t id;
		isa_word word;
		isa_insn insn;

		memcpy(&word, record + 1, sizeof word);
		if (!isa_decode(word, &insn))
			insn = isa_insn_make(ISA_OP_ADD, q, 0);
		insn.queue = (uint16_t)q;
		insn.loop[0] = insn.loop[1] = (isa_loop){1, 0, 0};
		g_array_append_val(g_ptr_array_index(program->queues, q), word);
		id = isa_program_add(program, &insn, 0);
		g_array_append_val(g_ptr_array_index(program->queue_insns, q), id);
	}
	fuzz_simulate(program, machine, size ? data[0] & 3 : 0);
	isa_program_free(program);
}
