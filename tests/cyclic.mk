# SPDX-License-Identifier: Apache-2.0
#
# Modulo schedules.
check_PROGRAMS += tests/unit/test_cyclic
TESTS += tests/unit/test_cyclic tests/e2e/cyclic.sh tests/e2e/intervals.sh
EXTRA_DIST += tests/e2e/cyclic.sh tests/e2e/intervals.sh tests/long/intervals.sh tests/long/tsp_intervals.sh tests/data/dot.loop tests/long/cyclic_sets.sh
LONG_TESTS += tests/long/cyclic_sets.sh tests/long/intervals.sh tests/long/tsp_intervals.sh
tests_unit_test_cyclic_SOURCES = tests/unit/test_cyclic.c
tests_unit_test_cyclic_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_cyclic_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
