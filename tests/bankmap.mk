# SPDX-License-Identifier: Apache-2.0
#
# Bank maps: what each family is, and how fast.
BENCHES += tests/bench/bench_bankmap
check_PROGRAMS += tests/bench/bench_bankmap
tests_bench_bench_bankmap_SOURCES = tests/bench/bench_bankmap.c
tests_bench_bench_bankmap_LDADD = libisa.a $(YAML_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_bankmap_facts
TESTS += tests/unit/test_bankmap_facts
tests_unit_test_bankmap_facts_SOURCES = tests/unit/test_bankmap_facts.c
tests_unit_test_bankmap_facts_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bankmap_facts_LDADD = $(ISA_TEST_LIBS)

check_PROGRAMS += tests/sched/test_bank_maps
TESTS += tests/sched/test_bank_maps
tests_sched_test_bank_maps_SOURCES = tests/sched/test_bank_maps.c
tests_sched_test_bank_maps_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_sched_test_bank_maps_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

TESTS += tests/e2e/bank_maps.sh
EXTRA_DIST += tests/e2e/bank_maps.sh
tests/e2e/bank_maps.log: tspsim$(EXEEXT)
