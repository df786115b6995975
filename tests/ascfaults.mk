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
tests_mutation_test_asc_faults_LDADD = libascsched.a libascref.a $(TEST_LIBS)

LONG_TESTS += tests/mutation/all_faults.sh
EXTRA_DIST += tests/mutation/all_faults.sh tests/mutation/block.graph
