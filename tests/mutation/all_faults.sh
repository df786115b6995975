#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every fault that can be planted in the programs of tests/mutation/test_asc_faults.c.
TSPSIM_MUTANTS=all exec "$TSPSIM_BUILDDIR/tests/mutation/test_asc_faults"
