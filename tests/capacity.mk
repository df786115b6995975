# SPDX-License-Identifier: Apache-2.0
#
# Memory that matrix work takes on the stream-style machine.
check_PROGRAMS += tests/unit/test_capacity
TESTS += tests/unit/test_capacity tests/e2e/capacity.sh
tests_unit_test_capacity_SOURCES = tests/unit/test_capacity.c
tests_unit_test_capacity_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_capacity_LDADD = libtap.a libsched.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
EXTRA_DIST += tests/e2e/capacity.sh
tests/e2e/capacity.log: tspsim$(EXEEXT)
