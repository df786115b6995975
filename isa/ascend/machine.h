/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine descriptions of Ascend-style chips: the keys of isa/ascend/keys.def, read from the same YAML schema, with the
 * same classes and sources, as those of isa/machine.h.
 */
#ifndef TSPSIM_ISA_ASCEND_MACHINE_H
#define TSPSIM_ISA_ASCEND_MACHINE_H

#include "isa/ascend/ascend.h"
#include "isa/machine.h"

/* Cycles of a timing class: issue to result beside the repeats, and a repeat of elements of up to 16, of 32 bits.
 * Classes of copies have the start as head and bytes a cycle in b16 and b32.  0 where the table names no key. */
typedef struct asc_timing_cycles {
	int64_t head, b16, b32;
} asc_timing_cycles;

struct asc_machine {
	char *name, *title;
#define ISA_FIELD_INT(f)                            int64_t f;
#define ISA_FIELD_STRING(f)                         char *f;
#define ISA_FIELD_TABLE(f)                          isa_table f;
#define KEY(path, field, type, min, max, unit, doc) ISA_FIELD_##type(field)
#include "isa/ascend/keys.def"
#undef ISA_FIELD_INT
#undef ISA_FIELD_STRING
#undef ISA_FIELD_TABLE
	/* derived by asc_machine_finish() */
	bool coupled;
	unsigned subcores;              /* of a core: 1, or 1 cube core and its vector cores */
	int64_t queue_depth[ASC_PIPES]; /* 0 for the scalar unit */
	asc_timing_cycles timing[ASC_TIMING_COUNT];
	isa_key_origin *origin;
};

extern const isa_key_info asc_keys[];
extern const size_t asc_key_count;
int asc_key_find(const char *path); /* -1 when unknown */
char **asc_machine_names(void);     /* presets, sorted, NULL-terminated; g_strfreev */

bool asc_machine_is(const char *name); /* does NAME (preset, alias or file) describe one of these? */
asc_machine *asc_machine_load(const char *name, GError **error);
asc_machine *asc_machine_copy(const asc_machine *machine);
void asc_machine_free(asc_machine *machine);
bool asc_machine_set(asc_machine *machine, const char *key, const char *value, GError **error);
bool asc_machine_finish(asc_machine *machine, GError **error);
char *asc_machine_get_text(const asc_machine *machine, int key); /* g_free */
char *asc_machine_dump(const asc_machine *machine);
/* Bytes programs may use, less what is reserved at the end; INT64_MAX for global memory. */
int64_t asc_space_bytes(const asc_machine *machine, enum asc_space space);
/* Does a sub-core of this kind exist on MACHINE, and has it this buffer? */
bool asc_machine_has_kind(const asc_machine *machine, enum asc_kind kind);
bool asc_kind_has_space(enum asc_kind kind, enum asc_space space);

#endif
