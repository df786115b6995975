# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/test_sdf
TESTS += tests/unit/test_sdf tests/e2e/sdf.sh
EXTRA_DIST += tests/e2e/sdf.sh tests/data/ring.xml tests/lib/interrupt.sh
tests_unit_test_sdf_SOURCES = tests/unit/test_sdf.c
tests_unit_test_sdf_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_sdf_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_partition
TESTS += tests/unit/test_partition tests/e2e/partition.sh
EXTRA_DIST += tests/e2e/partition.sh
tests_unit_test_partition_SOURCES = tests/unit/test_partition.c
tests_unit_test_partition_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_partition_LDADD = libtap.a libsched.a libisa.a $(JSON_LIBS) $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_color
TESTS += tests/unit/test_color tests/e2e/color.sh
EXTRA_DIST += tests/e2e/color.sh
tests_unit_test_color_SOURCES = tests/unit/test_color.c
tests_unit_test_color_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_color_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_alloc
TESTS += tests/unit/test_alloc tests/e2e/alloc.sh
EXTRA_DIST += tests/e2e/alloc.sh tests/lib/alloc_set.sh
tests_unit_test_alloc_SOURCES = tests/unit/test_alloc.c
tests_unit_test_alloc_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_alloc_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
LONG_TESTS += tests/long/alloc_sets.sh
EXTRA_DIST += tests/long/alloc_sets.sh
