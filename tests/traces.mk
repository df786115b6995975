# SPDX-License-Identifier: Apache-2.0
TRACE_TESTS = tests/unit/test_trace_spans tests/unit/test_trace_writer tests/unit/test_trace_read tests/unit/test_trace_plots
TRACE_TEST_LIBS = libtap.a libtraces.a libisa.a $(SQLITE_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm -lpthread
TRACE_FIXTURE = tests/unit/trace_fixture.c tests/unit/trace_fixture.h
check_PROGRAMS += $(TRACE_TESTS)
TESTS += $(TRACE_TESTS)
tests_unit_test_trace_spans_SOURCES = tests/unit/test_trace_spans.c $(TRACE_FIXTURE)
tests_unit_test_trace_spans_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_trace_spans_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_writer_SOURCES = tests/unit/test_trace_writer.c $(TRACE_FIXTURE)
tests_unit_test_trace_writer_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_trace_writer_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_read_SOURCES = tests/unit/test_trace_read.c $(TRACE_FIXTURE)
tests_unit_test_trace_read_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_trace_read_LDADD = $(TRACE_TEST_LIBS)
tests_unit_test_trace_plots_SOURCES = tests/unit/test_trace_plots.c $(TRACE_FIXTURE)
tests_unit_test_trace_plots_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_trace_plots_LDADD = $(TRACE_TEST_LIBS)

BENCHES += tests/bench/bench_trace
check_PROGRAMS += tests/bench/bench_trace
tests_bench_bench_trace_SOURCES = tests/bench/bench_trace.c
tests_bench_bench_trace_LDADD = libtraces.a libisa.a $(SQLITE_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm -lpthread
