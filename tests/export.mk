# SPDX-License-Identifier: Apache-2.0
#
# Hardware counters, and what is exported for other programs' viewers.
check_PROGRAMS += tests/timing/test_timing_asc_pmu
TESTS += tests/timing/test_timing_asc_pmu
EXTRA_DIST += tests/timing/asc/pmu.def
tests_timing_test_timing_asc_pmu_SOURCES = tests/timing/test_timing_asc_pmu.c
nodist_EXTRA_tests_timing_test_timing_asc_pmu_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_pmu_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_pmu_LDADD = libasctiming.a $(TEST_LIBS)
