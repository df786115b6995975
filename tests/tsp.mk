# SPDX-License-Identifier: Apache-2.0
#
# The register-style back end: its bank calendar, its bookkeeping, and what it compiles, executed by models and oracle.
TSP_TEST_LIBS = liboracle.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_emit_banks
TESTS += tests/sched/test_emit_banks
tests_sched_test_emit_banks_SOURCES = tests/sched/test_emit_banks.c tests/sched/replay.c tests/sched/replay.h
nodist_EXTRA_tests_sched_test_emit_banks_SOURCES = tools/dummy.cxx
tests_sched_test_emit_banks_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_emit_banks_LDADD = $(TSP_TEST_LIBS)

check_PROGRAMS += tests/sched/test_emit_tsp
TESTS += tests/sched/test_emit_tsp
tests_sched_test_emit_tsp_SOURCES = tests/sched/test_emit_tsp.c tests/sched/replay.c tests/sched/replay.h
nodist_EXTRA_tests_sched_test_emit_tsp_SOURCES = tools/dummy.cxx
tests_sched_test_emit_tsp_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_emit_tsp_LDADD = $(TSP_TEST_LIBS)
