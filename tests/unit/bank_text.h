/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources of groups as texts, for tests: blocks apart by a blank, groups by " | ", writes marked by "w", and after the
 * groups, when the source failed, " ! " and the message.
 */
#ifndef TSPSIM_TESTS_UNIT_BANK_TEXT_H
#define TSPSIM_TESTS_UNIT_BANK_TEXT_H

#include "bank/stream.h"

/* At most GROUPS groups from where SOURCE stands; freed by the caller. */
char *bank_text(bank_source *source, size_t groups);

#endif
