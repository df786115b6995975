# SPDX-License-Identifier: Apache-2.0
#
# Timing models, metrics and the command `bank`.

BENCHES += tests/bench/bench_bank
check_PROGRAMS += tests/bench/bench_bank
tests_bench_bench_bank_SOURCES = tests/bench/bench_bank.c
tests_bench_bench_bank_LDADD = libbank.a libisa.a $(ZLIB_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_bank_model
TESTS += tests/unit/test_bank_model
tests_unit_test_bank_model_SOURCES = tests/unit/test_bank_model.c tests/unit/bank_rig.c tests/unit/bank_rig.h
tests_unit_test_bank_model_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_model_LDADD = $(BANK_LIBS)

check_PROGRAMS += tests/unit/test_bank_metrics
TESTS += tests/unit/test_bank_metrics
tests_unit_test_bank_metrics_SOURCES = tests/unit/test_bank_metrics.c tests/unit/bank_rig.c tests/unit/bank_rig.h
tests_unit_test_bank_metrics_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_metrics_LDADD = $(BANK_LIBS)

check_PROGRAMS += tests/unit/test_bank_reports
TESTS += tests/unit/test_bank_reports
tests_unit_test_bank_reports_SOURCES = tests/unit/test_bank_reports.c tests/unit/bank_rig.c tests/unit/bank_rig.h
tests_unit_test_bank_reports_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_reports_LDADD = $(BANK_LIBS)

bank_e2e_tests = tests/e2e/bank_table.sh tests/e2e/bank.sh tests/e2e/bank_hashing.sh
TESTS += $(bank_e2e_tests)
EXTRA_DIST += $(bank_e2e_tests) tests/data/bank_table_k16.tsv
$(bank_e2e_tests:.sh=.log): tspsim$(EXEEXT)
