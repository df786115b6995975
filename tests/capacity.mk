# SPDX-License-Identifier: Apache-2.0
#
# Memory that matrix work takes on the stream-style machine.
check_PROGRAMS += tests/sched/test_isca20_capacity
TESTS += tests/sched/test_isca20_capacity tests/e2e/capacity.sh
tests_sched_test_isca20_capacity_SOURCES = tests/sched/test_isca20_capacity.c
nodist_EXTRA_tests_sched_test_isca20_capacity_SOURCES = tools/dummy.cxx
tests_sched_test_isca20_capacity_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_isca20_capacity_LDADD = libiscachip.a $(TEST_LIBS)
EXTRA_DIST += tests/e2e/capacity.sh
tests/e2e/capacity.log: tspsim$(EXEEXT)
