# SPDX-License-Identifier: Apache-2.0
#
# Register allocation: the engine, and what the register-style back end makes of few registers.
check_PROGRAMS += tests/unit/test_regalloc
TESTS += tests/unit/test_regalloc
tests_unit_test_regalloc_SOURCES = tests/unit/test_regalloc.c
tests_unit_test_regalloc_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_regalloc_LDADD = libtap.a libsched.a libisa.a $(CUNIT_LIBS) $(GLIB_LIBS) -lm

TESTS += tests/e2e/registers.sh
LONG_TESTS += tests/long/registers.sh
EXTRA_DIST += tests/e2e/registers.sh tests/long/registers.sh tests/lib/registers_set.sh
