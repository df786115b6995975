/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine descriptions of Ascend-style chips: the keys of isa/ascend/keys.def, read from the same YAML schema, with the
 * same classes and sources, as those of isa/machine.h.
 */
#ifndef TSPSIM_ISA_ASCEND_MACHINE_H
#define TSPSIM_ISA_ASCEND_MACHINE_H

#include "isa/ascend/ascend.h"
#include "isa/machine.h"

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
	unsigned subcores; /* of a core: 1, or 1 cube core and its vector cores */
	isa_key_origin *origin;
};

bool asc_machine_is(const char *name); /* does NAME (preset, alias or file) describe one of these? */
asc_machine *asc_machine_load(const char *name, GError **error);
asc_machine *asc_machine_copy(const asc_machine *machine);
void asc_machine_free(asc_machine *machine);
bool asc_machine_set(asc_machine *machine, const char *key, const char *value, GError **error);
bool asc_machine_finish(asc_machine *machine, GError **error);
char *asc_machine_dump(const asc_machine *machine);
int64_t asc_space_bytes(const asc_machine *machine, enum asc_space space); /* INT64_MAX for global memory */

#endif
