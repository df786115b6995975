# SPDX-License-Identifier: Apache-2.0
#
# Two judges: what happens where the scheduler's machine and the simulated machine are not the same.
check_LIBRARIES += libsplit.a
libsplit_a_SOURCES = tests/judges/split.c tests/judges/split.h
libsplit_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
SPLIT_LIBS = libsplit.a libtools.a $(TEST_LIBS)

check_PROGRAMS += tests/judges/test_split tests/judges/test_split_long
TESTS += tests/judges/test_split tests/judges/symbols.sh tests/judges/blind.sh
LONG_TESTS += tests/long/judges.sh
tests_judges_test_split_SOURCES = tests/judges/test_split.c tests/judges/splits.def
nodist_EXTRA_tests_judges_test_split_SOURCES = tools/dummy.cxx
tests_judges_test_split_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_judges_test_split_LDADD = $(SPLIT_LIBS)
tests_judges_test_split_long_SOURCES = tests/judges/test_split_long.c
nodist_EXTRA_tests_judges_test_split_long_SOURCES = tools/dummy.cxx
tests_judges_test_split_long_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_judges_test_split_long_LDADD = $(SPLIT_LIBS)

tests/judges/symbols.log: tspsim$(EXEEXT) liboracle.a
tests/judges/blind.log: tspsim$(EXEEXT)
EXTRA_DIST += \
	tests/judges/lanes.tsp tests/judges/lanes-isca20.tsp tests/judges/link.tsp tests/judges/link-isca20.tsp \
	tests/judges/acc-isca20.tsp tests/judges/fetch.tsp tests/judges/fetch-isca20.tsp tests/judges/sums.graph \
	tests/judges/symbols.sh tests/judges/blind.sh
