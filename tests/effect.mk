# SPDX-License-Identifier: Apache-2.0
#
# Bank maps in a whole run: every map schedules and simulates alike, freezing is lockstep, conflicts have names, and what
# a map costs is told from what it does not.
check_PROGRAMS += tests/unit/test_bank_run tests/unit/test_pick
TESTS += tests/unit/test_bank_run tests/unit/test_pick
tests_unit_test_bank_run_SOURCES = tests/unit/test_bank_run.c
nodist_EXTRA_tests_unit_test_bank_run_SOURCES = tools/dummy.cxx
tests_unit_test_bank_run_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_run_LDADD = libtools.a $(TEST_LIBS)
tests_unit_test_pick_SOURCES = tests/unit/test_pick.c
nodist_EXTRA_tests_unit_test_pick_SOURCES = tools/dummy.cxx
tests_unit_test_pick_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_pick_LDADD = libtools.a $(TEST_LIBS)

effect_tests = tests/e2e/maps.sh tests/e2e/conflicts.sh
TESTS += $(effect_tests)
LONG_TESTS += tests/long/maps.sh
EXTRA_DIST += $(effect_tests) tests/long/maps.sh
$(effect_tests:.sh=.log) tests/long/maps.log: tspsim$(EXEEXT)
