# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/tap_test
tests_unit_tap_test_SOURCES = tests/unit/tap_test.c
tests_unit_tap_test_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_tap_test_LDADD = $(TAP_LIBS)
TESTS += tests/unit/tap_test
