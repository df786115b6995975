#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every key of both machines one unit off, on larger programs; see tests/judges/test_split_long.c.
exec "$TSPSIM_BUILDDIR/tests/judges/test_split_long"
