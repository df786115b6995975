# SPDX-License-Identifier: Apache-2.0
#
# The vector side of Ascend-style cores alone: unified buffer, times and values of vector instructions.
ASCVEC_LIBS = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_asc_ub
TESTS += tests/unit/test_asc_ub
tests_unit_test_asc_ub_SOURCES = tests/unit/test_asc_ub.c
tests_unit_test_asc_ub_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_ub_LDADD = $(ASCVEC_LIBS)

check_PROGRAMS += tests/unit/test_asc_vector
TESTS += tests/unit/test_asc_vector
tests_unit_test_asc_vector_SOURCES = tests/unit/test_asc_vector.c
tests_unit_test_asc_vector_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_vector_LDADD = $(ASCVEC_LIBS)

check_PROGRAMS += tests/unit/test_asc_vector_math
TESTS += tests/unit/test_asc_vector_math
tests_unit_test_asc_vector_math_SOURCES = tests/unit/test_asc_vector_math.c
tests_unit_test_asc_vector_math_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_vector_math_LDADD = $(ASCVEC_LIBS)
