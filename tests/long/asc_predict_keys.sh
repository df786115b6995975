#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every key of Ascend-style machines halved and doubled: predictions stay within five percent of simulated times.
TSPSIM_KEYS="*" exec "$TSPSIM_BUILDDIR/tests/sched/test_asc_predict_keys"
