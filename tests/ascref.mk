# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style cores against an independent reference: values of every instruction, and what nothing orders.
check_LIBRARIES += libascref.a
libascref_a_SOURCES = \
	tests/differential/asc_num.c tests/differential/asc_num.h tests/differential/asc_ref.c tests/differential/asc_ref.h \
	tests/differential/asc_ref_copy.c tests/differential/asc_ref_cube.c tests/differential/asc_ref_vector.c \
	tests/differential/asc_case.c tests/differential/asc_case.h tests/differential/asc_random.c tests/differential/asc_random.h \
	tests/differential/asc_hb.c tests/differential/asc_hb.h
libascref_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
ASCREF_LIBS = libascref.a libtap.a libmodels.a libsim.a libisa.a $(SYSTEMC_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/differential/test_asc_values
TESTS += tests/differential/test_asc_values
tests_differential_test_asc_values_SOURCES = tests/differential/test_asc_values.c
nodist_EXTRA_tests_differential_test_asc_values_SOURCES = tools/dummy.cxx
tests_differential_test_asc_values_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_differential_test_asc_values_LDADD = $(ASCREF_LIBS)

check_PROGRAMS += tests/differential/test_asc_order
TESTS += tests/differential/test_asc_order
tests_differential_test_asc_order_SOURCES = tests/differential/test_asc_order.c
nodist_EXTRA_tests_differential_test_asc_order_SOURCES = tools/dummy.cxx
tests_differential_test_asc_order_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_differential_test_asc_order_LDADD = $(ASCREF_LIBS)

LONG_TESTS += tests/differential/many_values.sh tests/differential/many_order.sh
EXTRA_DIST += tests/differential/many_values.sh tests/differential/many_order.sh
