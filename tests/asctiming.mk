# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style cores against published and measured times and rules.
ASC_TIMING_TESTS = tests/timing/test_timing_asc_vector tests/timing/test_timing_asc_memory tests/timing/test_timing_asc_sync \
	tests/timing/test_timing_asc_rules tests/timing/test_timing_asc_faults
check_PROGRAMS += $(ASC_TIMING_TESTS)
TESTS += $(ASC_TIMING_TESTS)
check_LIBRARIES += libasctiming.a
libasctiming_a_SOURCES = tests/timing/asc_micro.c tests/timing/asc_micro.h tests/timing/asc/banks.def \
	tests/timing/asc/adds.def tests/timing/asc/vector.def tests/timing/asc/cube.def tests/timing/asc/copies.def \
	tests/timing/asc/limits.def tests/timing/asc/faults.def
libasctiming_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)

tests_timing_test_timing_asc_vector_SOURCES = tests/timing/test_timing_asc_vector.c
nodist_EXTRA_tests_timing_test_timing_asc_vector_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_vector_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_vector_LDADD = libasctiming.a $(TEST_LIBS)
tests_timing_test_timing_asc_memory_SOURCES = tests/timing/test_timing_asc_memory.c
nodist_EXTRA_tests_timing_test_timing_asc_memory_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_memory_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_memory_LDADD = libasctiming.a $(TEST_LIBS)
tests_timing_test_timing_asc_sync_SOURCES = tests/timing/test_timing_asc_sync.c
nodist_EXTRA_tests_timing_test_timing_asc_sync_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_sync_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_sync_LDADD = libasctiming.a $(TEST_LIBS)
tests_timing_test_timing_asc_rules_SOURCES = tests/timing/test_timing_asc_rules.c
nodist_EXTRA_tests_timing_test_timing_asc_rules_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_rules_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_rules_LDADD = libasctiming.a $(TEST_LIBS)
tests_timing_test_timing_asc_faults_SOURCES = tests/timing/test_timing_asc_faults.c
nodist_EXTRA_tests_timing_test_timing_asc_faults_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_faults_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_faults_LDADD = libasctiming.a $(TEST_LIBS)
