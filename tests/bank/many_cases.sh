#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Many cases for the oracle of bank maps; `make check` runs the first 230 of each kind.
ORACLE_FIRST=${ORACLE_FIRST:-230} ORACLE_CASES=${ORACLE_CASES:-20000} exec "$TSPSIM_BUILDDIR/tests/bank/test_bank_oracle"
