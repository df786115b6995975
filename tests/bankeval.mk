# SPDX-License-Identifier: Apache-2.0
#
# Timing models, metrics and the command `bank`.
BANK_TEST_LIBS = libtap.a libbank.a libisa.a $(ZLIB_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

BENCHES += tests/bench/bench_bank
EXTRA_PROGRAMS += tests/bench/bench_bank
tests_bench_bench_bank_SOURCES = tests/bench/bench_bank.c
tests_bench_bench_bank_LDADD = libbank.a libisa.a $(ZLIB_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm
