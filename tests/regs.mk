# SPDX-License-Identifier: Apache-2.0
#
# Register allocation: the engine, and what the register-style back end makes of few registers.
check_PROGRAMS += tests/unit/test_regalloc
TESTS += tests/unit/test_regalloc
tests_unit_test_regalloc_SOURCES = tests/unit/test_regalloc.c
tests_unit_test_regalloc_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_regalloc_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

TESTS += tests/e2e/registers.sh
LONG_TESTS += tests/long/registers.sh
EXTRA_DIST += tests/e2e/registers.sh tests/long/registers.sh tests/lib/registers_set.sh

check_PROGRAMS += tests/sched/test_registers
TESTS += tests/sched/test_registers
tests_sched_test_registers_SOURCES = tests/sched/test_registers.c tests/sched/replay.c tests/sched/replay.h
nodist_EXTRA_tests_sched_test_registers_SOURCES = tools/dummy.cxx
tests_sched_test_registers_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_registers_LDADD = liboracle.a $(TEST_LIBS)
