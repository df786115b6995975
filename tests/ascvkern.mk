# SPDX-License-Identifier: Apache-2.0
#
# Vector kernels of the Ascend-style back end: values, and instructions and times.
ASCVKERN_TESTS = tests/sched/test_asc_vector tests/sched/test_asc_vector_times
check_PROGRAMS += $(ASCVKERN_TESTS)
TESTS += $(ASCVKERN_TESTS)
tests_sched_test_asc_vector_SOURCES = tests/sched/test_asc_vector.c
nodist_EXTRA_tests_sched_test_asc_vector_SOURCES = tools/dummy.cxx
tests_sched_test_asc_vector_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_vector_LDADD = libascsched.a $(TEST_LIBS)
tests_sched_test_asc_vector_times_SOURCES = tests/sched/test_asc_vector_times.c
nodist_EXTRA_tests_sched_test_asc_vector_times_SOURCES = tools/dummy.cxx
tests_sched_test_asc_vector_times_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_vector_times_LDADD = libascsched.a $(TEST_LIBS)
