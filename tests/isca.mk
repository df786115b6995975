# SPDX-License-Identifier: Apache-2.0
#
# The stream-style back end and the independent checker.
check_LIBRARIES += libiscachip.a
libiscachip_a_SOURCES = tests/sched/isca_chip.c tests/sched/isca_chip.h
libiscachip_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)

check_PROGRAMS += tests/sched/test_emit_isca20
TESTS += tests/sched/test_emit_isca20
tests_sched_test_emit_isca20_SOURCES = tests/sched/test_emit_isca20.c
nodist_EXTRA_tests_sched_test_emit_isca20_SOURCES = tools/dummy.cxx
tests_sched_test_emit_isca20_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_emit_isca20_LDADD = libiscachip.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_isca20_units
TESTS += tests/sched/test_isca20_units
tests_sched_test_isca20_units_SOURCES = tests/sched/test_isca20_units.c
nodist_EXTRA_tests_sched_test_isca20_units_SOURCES = tools/dummy.cxx
tests_sched_test_isca20_units_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_isca20_units_LDADD = libiscachip.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_check
TESTS += tests/sched/test_check
tests_sched_test_check_SOURCES = tests/sched/test_check.c
tests_sched_test_check_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_check_LDADD = libtap.a libsched.a libisa.a $(YAML_LIBS) $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/sched/test_isca20_intervals
TESTS += tests/sched/test_isca20_intervals
tests_sched_test_isca20_intervals_SOURCES = tests/sched/test_isca20_intervals.c
tests_sched_test_isca20_intervals_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_isca20_intervals_LDADD = libtap.a libsched.a libisa.a $(YAML_LIBS) $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
