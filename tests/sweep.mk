# SPDX-License-Identifier: Apache-2.0
#
# Sweeps: which points there are, results databases, runs that are killed; under check-long, a cluster.
check_PROGRAMS += tests/unit/test_sweep
TESTS += tests/unit/test_sweep tests/e2e/sweep.sh tests/e2e/sweep_docs.sh
tests_unit_test_sweep_SOURCES = tests/unit/test_sweep.c
nodist_EXTRA_tests_unit_test_sweep_SOURCES = tools/dummy.cxx
tests_unit_test_sweep_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_sweep_LDADD = libtools.a libbank.a $(TEST_LIBS) $(ZLIB_LIBS)
LONG_TESTS += tests/long/sweep_slurm.sh
EXTRA_DIST += tests/e2e/sweep.sh tests/e2e/sweep_docs.sh
tests/e2e/sweep.log tests/e2e/sweep_docs.log: tspsim$(EXEEXT)
