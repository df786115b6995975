# SPDX-License-Identifier: Apache-2.0
#
# The search for bank maps.
check_PROGRAMS += tests/unit/test_bank_search
TESTS += tests/unit/test_bank_search tests/e2e/bank_search.sh
LONG_TESTS += tests/long/bank_search.sh
tests_unit_test_bank_search_SOURCES = tests/unit/test_bank_search.c
tests_unit_test_bank_search_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_search_LDADD = $(BANK_LIBS) -lpthread
EXTRA_DIST += tests/e2e/bank_search.sh tests/long/bank_search.sh
tests/e2e/bank_search.log: tspsim$(EXEEXT)
