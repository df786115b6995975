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

check_PROGRAMS += tests/e2e/test_export
TESTS += tests/e2e/test_export
tests_e2e_test_export_SOURCES = tests/e2e/test_export.c tests/unit/viewer_rules.c tests/unit/viewer_rules.h \
	tests/lib/jsonread.c tests/lib/jsonread.h
tests_e2e_test_export_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_e2e_test_export_LDADD = libtap.a $(CUNIT_LIBS) $(GLIB_LIBS)
