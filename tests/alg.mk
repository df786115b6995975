# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/test_alg
TESTS += tests/unit/test_alg
tests_unit_test_alg_SOURCES = tests/unit/test_alg.c
tests_unit_test_alg_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_alg_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
