#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every mutant of the small programs and a sample of larger ones; some ten minutes.
TSPSIM_MUTANTS=all exec "$TSPSIM_BUILDDIR/tests/mutation/test_mutation"
