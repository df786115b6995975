/* SPDX-License-Identifier: Apache-2.0
 *
 * Random instructions and numbers; shared by the files that make random programs.
 */
#ifndef TSPSIM_TESTS_DIFFERENTIAL_ASC_RANDOM_H
#define TSPSIM_TESTS_DIFFERENTIAL_ASC_RANDOM_H

#include "tests/differential/asc_case.h"

uint64_t random_special(asc_case *c, enum asc_type type); /* zeros, denormals, infinities, NaN, extremes */
uint64_t random_plain(asc_case *c, enum asc_type type);   /* of everyday size */
/* Appends a random instruction that the reference executes within the windows, and what must go before it. */
void random_append(asc_case *c, enum asc_op only);
void case_append(asc_case *c, const asc_insn *insn, bool random);
/* Random fields, addresses 0; false when OP is none for this sub-core. */
bool random_fields(asc_case *c, enum asc_op op, asc_insn *insn);
void random_addresses(asc_case *c, asc_insn *insn);

#endif
