# SPDX-License-Identifier: Apache-2.0
#
# Bank maps: what each family is, and how fast.
BENCHES += tests/bench/bench_bankmap
EXTRA_PROGRAMS += tests/bench/bench_bankmap
tests_bench_bench_bankmap_SOURCES = tests/bench/bench_bankmap.c
tests_bench_bench_bankmap_LDADD = libisa.a $(YAML_LIBS) $(GLIB_LIBS) -lm
