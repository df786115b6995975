/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine descriptions: one schema (isa/machine_keys.def), one YAML file a preset (isa/machines/), values with unit,
 * class and source.  A run has two of them, the one scheduled for and the one simulated.
 */
#ifndef TSPSIM_ISA_MACHINE_H
#define TSPSIM_ISA_MACHINE_H

#include "isa/isa.h"

enum isa_key_type { ISA_KEY_INT, ISA_KEY_STRING, ISA_KEY_TABLE };
enum isa_key_class { ISA_CLASS_PUBLISHED, ISA_CLASS_MEASURED, ISA_CLASS_DERIVED, ISA_CLASS_ASSUMED, ISA_CLASS_SET };

typedef struct isa_key_info {
	const char *path;
	enum isa_key_type type;
	int64_t min, max;
	const char *unit;
	const char *doc;
	size_t offset; /* of the value in struct isa_machine */
} isa_key_info;
extern const isa_key_info isa_keys[];
extern const size_t isa_key_count;
int isa_key_find(const char *path); /* -1 when unknown */

enum { ISA_TABLE_MAX = 8 };
typedef struct isa_table {
	int64_t at[ISA_TABLE_MAX];
	unsigned count;
} isa_table;

/* What stands at a queue index. */
typedef struct isa_queue_info {
	char name[20]; /* "mem0" "mem.w12" "vxm3" "mxm0.w" "sxm.e.permute0" "c2c.w0" */
	enum isa_unit unit;
	uint8_t side;   /* 0 west, 1 east; 0 for all when there are no hemispheres */
	uint8_t role;   /* MXM: 0 weights, 1 activations, 2 accumulators.  SXM: enum isa_sxm_role */
	uint16_t index; /* slice in its hemisphere, ALU, plane of the chip, unit of its role and side, link of the chip
	                 */
	int16_t position; /* stream position, -1 when there are none */
} isa_queue_info;
enum isa_sxm_role {
	ISA_SXM_SHIFT,
	ISA_SXM_SELECT,
	ISA_SXM_PERMUTE,
	ISA_SXM_DISTRIBUTE,
	ISA_SXM_ROTATE,
	ISA_SXM_TRANSPOSE,
	ISA_SXM_ROLES
};

struct isa_machine {
	char *name;  /* preset, "tsp" */
	char *title; /* one line for lists */
#define ISA_FIELD_INT(f)                            int64_t f;
#define ISA_FIELD_STRING(f)                         char *f;
#define ISA_FIELD_TABLE(f)                          isa_table f;
#define KEY(path, field, type, min, max, unit, doc) ISA_FIELD_##type(field)
#include "isa/machine_keys.def"
#undef ISA_FIELD_INT
#undef ISA_FIELD_STRING
#undef ISA_FIELD_TABLE
	/* derived by isa_machine_finish() */
	bool hashed;                   /* flat hashed SRAM (mem.slices_per_hemisphere = 0) */
	int64_t sram_bytes;            /* that addresses can reach */
	GArray *queues;                /* isa_queue_info */
	struct isa_key_origin *origin; /* [isa_key_count]: class, source, note; strings owned by the machine */
};
typedef struct isa_key_origin {
	enum isa_key_class class_;
	char *source;
	char *note; /* may be NULL */
} isa_key_origin;

/* Names of the presets found in $TSPSIM_MACHINES, $TSPSIM_DATADIR/isa/machines, the installed data directory and the
 * source tree (the first that has a name wins), NULL-terminated, sorted; g_strfreev.  A file may name an alias, which
 * loads too. */
char **isa_machine_names(void);
/* The other name of the preset NAME, of whatever kind, g_free; NULL when it has none. */
char *isa_machine_alias(const char *name);

/* Loads a preset by name, or a file by path when NAME holds a '/' or ends in ".yaml".  Unknown keys, missing keys,
 * wrong types and values out of range are errors with file:line:column. */
isa_machine *isa_machine_load(const char *name, GError **error);
isa_machine *isa_machine_copy(const isa_machine *machine);
void isa_machine_free(isa_machine *machine);

/* Sets KEY to the text VALUE (class becomes "set").  Tables take comma-separated numbers.  Unknown key: nearest name.
 */
bool isa_machine_set(isa_machine *machine, const char *key, const char *value, GError **error);
/* Checks combinations, derives queues.  Call after the last set; every refusal says why. */
bool isa_machine_finish(isa_machine *machine, GError **error);

/* The value as text, g_free. */
char *isa_machine_get_text(const isa_machine *machine, int key);
/* The complete resolved machine as text, "key = value unit  [class; source]" a line; for the manifest.  g_free. */
char *isa_machine_dump(const isa_machine *machine);
const char *isa_class_name(enum isa_key_class class_);

/* Delay of a timing class, from the key isa/timing.def names; 0 for NONE. */
int64_t isa_machine_timing(const isa_machine *machine, enum isa_timing timing);
/* Issue-to-sampling skew of a unit. */
int64_t isa_machine_skew(const isa_machine *machine, enum isa_unit unit);

unsigned isa_machine_queue_count(const isa_machine *machine);
const isa_queue_info *isa_machine_queue(const isa_machine *machine, unsigned queue);
int isa_machine_queue_by_name(const isa_machine *machine, const char *name); /* -1 */
/* First queue with this unit, side, role and index; -1 when there is none. */
int isa_machine_queue_find(const isa_machine *machine, enum isa_unit unit, unsigned side, unsigned role,
                           unsigned index);

/* Bytes of SRAM that addresses can reach: direct: slices x words x lanes; hashed: capacity of the map. */
int64_t isa_machine_sram_bytes(const isa_machine *machine);
/* Direct SRAM: flat byte location of a word, ((side*slices + slice)*words + addr) * lanes. */
static inline uint64_t isa_word_location(const isa_machine *m, unsigned side, unsigned slice, unsigned addr)
{
	uint64_t words = (uint64_t)(m->mem_banks_per_slice * m->mem_words_per_bank);

	return (((uint64_t)side * (uint64_t)m->mem_slices + slice) * words + addr) * (uint64_t)m->lanes;
}

#endif
