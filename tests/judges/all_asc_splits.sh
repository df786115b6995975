#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every key of Ascend-style machines on every program of tests/judges/test_asc_split.c, on both sides.
TSPSIM_SPLITS=all exec "$TSPSIM_BUILDDIR/tests/judges/test_asc_split"
