# SPDX-License-Identifier: Apache-2.0
#
# The Ascend-style back end: its parts by hand, its programs in the models.
check_LIBRARIES += libascsched.a
libascsched_a_SOURCES = tests/sched/asc_sched.c tests/sched/asc_sched.h
libascsched_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)

check_PROGRAMS += tests/sched/test_asc_matmul
TESTS += tests/sched/test_asc_matmul
tests_sched_test_asc_matmul_SOURCES = tests/sched/test_asc_matmul.c
nodist_EXTRA_tests_sched_test_asc_matmul_SOURCES = tools/dummy.cxx
tests_sched_test_asc_matmul_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_matmul_LDADD = libascsched.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_asc_sync_random
TESTS += tests/sched/test_asc_sync_random
tests_sched_test_asc_sync_random_SOURCES = tests/sched/test_asc_sync_random.c
nodist_EXTRA_tests_sched_test_asc_sync_random_SOURCES = tools/dummy.cxx
tests_sched_test_asc_sync_random_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_sync_random_LDADD = libascsched.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_asc_build
TESTS += tests/sched/test_asc_build
tests_sched_test_asc_build_SOURCES = tests/sched/test_asc_build.c
nodist_EXTRA_tests_sched_test_asc_build_SOURCES = tools/dummy.cxx
tests_sched_test_asc_build_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_build_LDADD = libascsched.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_asc_touch
TESTS += tests/sched/test_asc_touch
tests_sched_test_asc_touch_SOURCES = tests/sched/test_asc_touch.c
tests_sched_test_asc_touch_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_touch_LDADD = libtap.a libsched.a libisa.a $(YAML_LIBS) $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/sched/test_asc_predict
TESTS += tests/sched/test_asc_predict
tests_sched_test_asc_predict_SOURCES = tests/sched/test_asc_predict.c
nodist_EXTRA_tests_sched_test_asc_predict_SOURCES = tools/dummy.cxx
tests_sched_test_asc_predict_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_predict_LDADD = libascsched.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_asc_attention
TESTS += tests/sched/test_asc_attention
tests_sched_test_asc_attention_SOURCES = tests/sched/test_asc_attention.c
nodist_EXTRA_tests_sched_test_asc_attention_SOURCES = tools/dummy.cxx
tests_sched_test_asc_attention_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_attention_LDADD = libascsched.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_asc_conv
TESTS += tests/sched/test_asc_conv
tests_sched_test_asc_conv_SOURCES = tests/sched/test_asc_conv.c
nodist_EXTRA_tests_sched_test_asc_conv_SOURCES = tools/dummy.cxx
tests_sched_test_asc_conv_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_conv_LDADD = libascsched.a $(TEST_LIBS)

check_PROGRAMS += tests/sched/test_asc_predict_keys
TESTS += tests/sched/test_asc_predict_keys
tests_sched_test_asc_predict_keys_SOURCES = tests/sched/test_asc_predict_keys.c
nodist_EXTRA_tests_sched_test_asc_predict_keys_SOURCES = tools/dummy.cxx
tests_sched_test_asc_predict_keys_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_predict_keys_LDADD = libascsched.a $(TEST_LIBS)

LONG_TESTS += tests/long/asc_predictions.sh tests/long/asc_predict_keys.sh
EXTRA_DIST += tests/long/asc_predictions.sh tests/long/asc_predict_keys.sh
tests/long/asc_predictions.log: tspsim$(EXEEXT)

check_PROGRAMS += tests/sched/test_asc_intervals
TESTS += tests/sched/test_asc_intervals
tests_sched_test_asc_intervals_SOURCES = tests/sched/test_asc_intervals.c
nodist_EXTRA_tests_sched_test_asc_intervals_SOURCES = tools/dummy.cxx
tests_sched_test_asc_intervals_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_asc_intervals_LDADD = libascsched.a $(TEST_LIBS)
