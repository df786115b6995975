#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# 20000 random programs of Ascend-style cores; TSPSIM_FUZZ_SEED in the environment takes others.
TSPSIM_FUZZ_PROGRAMS=${TSPSIM_FUZZ_PROGRAMS:-20000} exec "$TSPSIM_BUILDDIR/tests/differential/test_asc_order"
