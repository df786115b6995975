#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# 5000 random programs of Ascend-style cores; TSPSIM_FUZZ_SEED in the environment takes others.
TSPSIM_FUZZ_PROGRAMS=${TSPSIM_FUZZ_PROGRAMS:-5000} exec "$TSPSIM_BUILDDIR/tests/differential/test_asc_values"
