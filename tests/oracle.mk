# SPDX-License-Identifier: Apache-2.0
#
# The oracle (tests/lib/oracle.h) and what is judged with it: timing tests, differential tests, mutants.
check_LIBRARIES += liboracle.a
liboracle_a_SOURCES = \
	tests/lib/oracle.h tests/lib/oracle_int.h tests/lib/oracle.c tests/lib/oracle_banks.c tests/lib/oracle_direct.c \
	tests/lib/oracle_legal.c tests/lib/oracle_mem.c tests/lib/oracle_mxm.c tests/lib/oracle_place.c tests/lib/oracle_queue.c \
	tests/lib/oracle_sxm.c tests/lib/oracle_vxm.c \
	tests/lib/judge.c tests/lib/judge.h tests/timing/micro.c tests/timing/micro.h
liboracle_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)

ORACLE_LIBS = liboracle.a $(TEST_LIBS)

TIMING_TESTS = tests/timing/test_timing_hashed tests/timing/test_timing_streams tests/timing/test_timing_units \
	tests/timing/test_timing_queues tests/timing/test_timing_rates tests/timing/test_timing_weights \
	tests/timing/test_timing_violations tests/timing/test_timing_keys tests/timing/test_values
check_PROGRAMS += $(TIMING_TESTS)
TESTS += $(TIMING_TESTS)
tests_timing_test_timing_hashed_SOURCES = tests/timing/test_timing_hashed.c
nodist_EXTRA_tests_timing_test_timing_hashed_SOURCES = tools/dummy.cxx
tests_timing_test_timing_hashed_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_hashed_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_streams_SOURCES = tests/timing/test_timing_streams.c
nodist_EXTRA_tests_timing_test_timing_streams_SOURCES = tools/dummy.cxx
tests_timing_test_timing_streams_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_streams_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_units_SOURCES = tests/timing/test_timing_units.c
nodist_EXTRA_tests_timing_test_timing_units_SOURCES = tools/dummy.cxx
tests_timing_test_timing_units_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_units_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_queues_SOURCES = tests/timing/test_timing_queues.c
nodist_EXTRA_tests_timing_test_timing_queues_SOURCES = tools/dummy.cxx
tests_timing_test_timing_queues_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_queues_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_rates_SOURCES = tests/timing/test_timing_rates.c
nodist_EXTRA_tests_timing_test_timing_rates_SOURCES = tools/dummy.cxx
tests_timing_test_timing_rates_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_rates_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_weights_SOURCES = tests/timing/test_timing_weights.c
nodist_EXTRA_tests_timing_test_timing_weights_SOURCES = tools/dummy.cxx
tests_timing_test_timing_weights_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_weights_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_violations_SOURCES = tests/timing/test_timing_violations.c
nodist_EXTRA_tests_timing_test_timing_violations_SOURCES = tools/dummy.cxx
tests_timing_test_timing_violations_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_violations_LDADD = $(ORACLE_LIBS)
tests_timing_test_timing_keys_SOURCES = tests/timing/test_timing_keys.c
nodist_EXTRA_tests_timing_test_timing_keys_SOURCES = tools/dummy.cxx
tests_timing_test_timing_keys_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_keys_LDADD = $(ORACLE_LIBS)
tests_timing_test_values_SOURCES = tests/timing/test_values.c
nodist_EXTRA_tests_timing_test_values_SOURCES = tools/dummy.cxx
tests_timing_test_values_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_values_LDADD = $(ORACLE_LIBS)

check_PROGRAMS += tests/mutation/test_differential
TESTS += tests/mutation/test_differential
tests_mutation_test_differential_SOURCES = \
	tests/mutation/test_differential.c tests/mutation/random_program.c tests/mutation/random_program.h \
	tests/mutation/random_int.h tests/mutation/random_machine.c tests/mutation/random_sources.c
nodist_EXTRA_tests_mutation_test_differential_SOURCES = tools/dummy.cxx
tests_mutation_test_differential_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_mutation_test_differential_LDADD = $(ORACLE_LIBS)

check_PROGRAMS += tests/mutation/test_mutation
TESTS += tests/mutation/test_mutation
tests_mutation_test_mutation_SOURCES = tests/mutation/test_mutation.c
nodist_EXTRA_tests_mutation_test_mutation_SOURCES = tools/dummy.cxx
tests_mutation_test_mutation_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_mutation_test_mutation_LDADD = $(ORACLE_LIBS)

LONG_TESTS += tests/mutation/all_mutants.sh tests/mutation/many_programs.sh
EXTRA_DIST += tests/mutation/all_mutants.sh tests/mutation/many_programs.sh
