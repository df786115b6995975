#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# 50,000 random programs on oracle and models; TSPSIM_FUZZ_SEED in the environment takes others.
TSPSIM_FUZZ_PROGRAMS=${TSPSIM_FUZZ_PROGRAMS:-50000} exec "$TSPSIM_BUILDDIR/tests/mutation/test_differential"
