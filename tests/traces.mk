# SPDX-License-Identifier: Apache-2.0
EXTRA_PROGRAMS += tests/bench/bench_trace
tests_bench_bench_trace_SOURCES = tests/bench/bench_trace.c
tests_bench_bench_trace_LDADD = libtraces.a libisa.a $(SQLITE_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm -lpthread
