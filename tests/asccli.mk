# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style machines in the command line and in traces.
check_PROGRAMS += tests/unit/test_asc_trace
TESTS += tests/unit/test_asc_trace
tests_unit_test_asc_trace_SOURCES = tests/unit/test_asc_trace.c $(TRACE_FIXTURE)
tests_unit_test_asc_trace_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_trace_LDADD = $(TRACE_TEST_LIBS)

asc_e2e_tests = tests/e2e/ascend.sh tests/e2e/asc_apart.sh tests/e2e/ascend_words.sh
TESTS += $(asc_e2e_tests)
EXTRA_DIST += $(asc_e2e_tests)
$(asc_e2e_tests:.sh=.log): tspsim$(EXEEXT)
