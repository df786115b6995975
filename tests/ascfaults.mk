# SPDX-License-Identifier: Apache-2.0
#
# Planted faults: scheduled programs of Ascend-style cores, changed in one place, before the models and a second judge.
ASC_FAULTS = tests/mutation/asc_faults.c tests/mutation/asc_faults.h tests/mutation/asc_faults.def \
	tests/mutation/asc_weigh.c tests/mutation/asc_weigh.h tests/mutation/asc_weigh_int.h \
	tests/mutation/asc_weigh_edges.c tests/mutation/asc_weigh_values.c
check_PROGRAMS += tests/mutation/test_asc_faults
TESTS += tests/mutation/test_asc_faults
tests_mutation_test_asc_faults_SOURCES = tests/mutation/test_asc_faults.c $(ASC_FAULTS)
nodist_EXTRA_tests_mutation_test_asc_faults_SOURCES = tools/dummy.cxx
tests_mutation_test_asc_faults_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_mutation_test_asc_faults_LDADD = libascsched.a libascref.a libtools.a $(TEST_LIBS)

# Programs on a machine other than the one they were made for.
check_PROGRAMS += tests/judges/test_asc_split
TESTS += tests/judges/test_asc_split
tests_judges_test_asc_split_SOURCES = tests/judges/test_asc_split.c tests/judges/asc_splits.def
nodist_EXTRA_tests_judges_test_asc_split_SOURCES = tools/dummy.cxx
tests_judges_test_asc_split_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_judges_test_asc_split_LDADD = libascsched.a $(TEST_LIBS)

LONG_TESTS += tests/mutation/all_faults.sh tests/judges/all_asc_splits.sh
EXTRA_DIST += tests/mutation/all_faults.sh tests/mutation/block.graph tests/judges/all_asc_splits.sh
