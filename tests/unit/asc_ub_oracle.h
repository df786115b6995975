/* SPDX-License-Identifier: Apache-2.0
 *
 * The unified buffer stepped cycle by cycle: functions as in models/ascend/ub.h, results to be the same.
 */
#ifndef TSPSIM_TESTS_UNIT_ASC_UB_ORACLE_H
#define TSPSIM_TESTS_UNIT_ASC_UB_ORACLE_H

#include <string.h>

#include "models/ascend/ub.h"

typedef struct asc_ub_oracle asc_ub_oracle;

asc_ub_oracle *asc_ub_oracle_new(const asc_machine *m);
void asc_ub_oracle_free(asc_ub_oracle *ub);
void asc_ub_oracle_access(asc_ub_oracle *ub, asc_ub_vector *v);
int64_t asc_ub_oracle_copy(asc_ub_oracle *ub, bool write, uint64_t address, uint64_t bytes, int64_t start,
                           int64_t until);

#endif
