# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style models: speed, keys, oracles, determinism.
BENCHES += tests/bench/bench_ascend
check_PROGRAMS += tests/bench/bench_ascend
tests_bench_bench_ascend_SOURCES = tests/bench/bench_ascend.c
nodist_EXTRA_tests_bench_bench_ascend_SOURCES = tools/dummy.cxx
tests_bench_bench_ascend_LDADD = libmodels.a libsim.a libisa.a $(SYSTEMC_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_asc_ub_oracle
TESTS += tests/unit/test_asc_ub_oracle
tests_unit_test_asc_ub_oracle_SOURCES = tests/unit/test_asc_ub_oracle.c tests/unit/asc_ub_oracle.c tests/unit/asc_ub_oracle.h
tests_unit_test_asc_ub_oracle_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_ub_oracle_LDADD = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_asc_keys
TESTS += tests/unit/test_asc_keys
tests_unit_test_asc_keys_SOURCES = tests/unit/test_asc_keys.c tests/unit/asc/keys.def
nodist_EXTRA_tests_unit_test_asc_keys_SOURCES = tools/dummy.cxx
tests_unit_test_asc_keys_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_keys_LDADD = libtap.a libmodels.a libsim.a libisa.a $(SYSTEMC_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/timing/test_timing_asc_accesses
TESTS += tests/timing/test_timing_asc_accesses
tests_timing_test_timing_asc_accesses_SOURCES = tests/timing/test_timing_asc_accesses.c
nodist_EXTRA_tests_timing_test_timing_asc_accesses_SOURCES = tools/dummy.cxx
tests_timing_test_timing_asc_accesses_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_timing_test_timing_asc_accesses_LDADD = libasctiming.a $(TEST_LIBS)
