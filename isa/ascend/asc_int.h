/* SPDX-License-Identifier: Apache-2.0
 *
 * What assembler, checker and container of Ascend-style programs share; private to isa/ascend/.
 */
#ifndef TSPSIM_ISA_ASCEND_ASC_INT_H
#define TSPSIM_ISA_ASCEND_ASC_INT_H

#include "isa/ascend/machine.h"

enum asc_rule {
#define ASC_RULE(id, name, source, doc) ASC_RULE_##id,
#include "isa/ascend/rules.def"
	ASC_RULE_COUNT
};

/* Does INSN of a stream of KIND with LENGTH instructions keep the rules?  If not, *FIELD is the field at fault, or -1,
 * and the text of ERROR names the rule, but neither place nor mnemonic.  Length INT64_MAX: labels are not known yet. */
bool asc_check_insn(const asc_insn *insn, enum asc_kind kind, int64_t length, const asc_machine *machine, int *field,
                    GError **error);
/* The same for a stream without its instructions. */
bool asc_check_stream(const asc_stream *stream, const asc_program *program, const asc_machine *machine, GError **error);

/* The program of the file's bytes; CHECKED false leaves out magic, version and checksum, as a fuzzer wants it. */
asc_program *asc_program_parse(const char *path, const guint8 *data, size_t length, bool checked, GError **error);

/* Pipe of a name, ASC_PIPE_ALL for "all", -1. */
int asc_pipe_by_name(const char *name);
int asc_kind_by_name(const char *name); /* -1 */

#endif
