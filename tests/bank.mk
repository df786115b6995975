# SPDX-License-Identifier: Apache-2.0
#
# Bank maps on streams of accesses.
BANK_LIBS = libtap.a libbank.a libisa.a $(ZLIB_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
BANK_TESTS = \
	tests/unit/test_bank_patterns \
	tests/unit/test_bank_forms \
	tests/unit/test_bank_readers
check_PROGRAMS += $(BANK_TESTS)
TESTS += $(BANK_TESTS)

tests_unit_test_bank_patterns_SOURCES = tests/unit/test_bank_patterns.c tests/unit/bank_text.c tests/unit/bank_text.h
tests_unit_test_bank_patterns_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_patterns_LDADD = $(BANK_LIBS)
tests_unit_test_bank_forms_SOURCES = tests/unit/test_bank_forms.c
tests_unit_test_bank_forms_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_forms_LDADD = $(BANK_LIBS)
tests_unit_test_bank_readers_SOURCES = tests/unit/test_bank_readers.c tests/unit/bank_text.c tests/unit/bank_text.h
tests_unit_test_bank_readers_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_bank_readers_LDADD = $(BANK_LIBS)
