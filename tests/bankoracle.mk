# SPDX-License-Identifier: Apache-2.0
#
# The independent judge of the evaluation of bank maps (tests/bank/oracle.h).
BANK_ORACLE_SOURCES = tests/bank/oracle.c tests/bank/oracle_maps.c tests/bank/oracle.h \
	tests/bank/random_case.c tests/bank/random_case.h

check_PROGRAMS += tests/bank/test_bank_oracle
TESTS += tests/bank/test_bank_oracle
tests_bank_test_bank_oracle_SOURCES = tests/bank/test_bank_oracle.c $(BANK_ORACLE_SOURCES)
tests_bank_test_bank_oracle_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_bank_test_bank_oracle_LDADD = $(BANK_LIBS)

# The first needs public traces and is skipped without them.
TESTS += tests/bank/anchor.sh tests/regress/bank_reports.sh tests/regress/bank_whole_runs.sh
EXTRA_DIST += tests/bank/anchor.sh tests/regress/bank_reports.sh tests/regress/bank_whole_runs.sh

LONG_TESTS += tests/bank/many_cases.sh
EXTRA_DIST += tests/bank/many_cases.sh
