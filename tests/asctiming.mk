# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style cores against published and measured times and rules.
ASC_TIMING_TESTS = tests/timing/test_timing_asc_vector
check_PROGRAMS += $(ASC_TIMING_TESTS)
TESTS += $(ASC_TIMING_TESTS)
ASC_TIMING_SOURCES = tests/timing/asc_micro.c tests/timing/asc_micro.h

tests_timing_test_timing_asc_vector_SOURCES = tests/timing/test_timing_asc_vector.c $(ASC_TIMING_SOURCES) \
	tests/timing/asc/banks.def tests/timing/asc/adds.def tests/timing/asc/vector.def
nodist_EXTRA_tests_timing_test_timing_asc_vector_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_vector_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_vector_LDADD = $(TEST_LIBS)
