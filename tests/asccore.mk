# SPDX-License-Identifier: Apache-2.0
#
# The front end of Ascend-style cores, with units that take fixed times.
check_LIBRARIES += libasccorerig.a
libasccorerig_a_SOURCES = tests/unit/asc_core_rig.c tests/unit/asc_core_rig.h tests/unit/asc_core_stubs.c
libasccorerig_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
ASC_CORE_LIBS = libasccorerig.a libtap.a libmodels.a libasccorerig.a libsim.a libisa.a \
	$(SYSTEMC_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_asc_core
TESTS += tests/unit/test_asc_core
tests_unit_test_asc_core_SOURCES = tests/unit/test_asc_core.c
nodist_EXTRA_tests_unit_test_asc_core_SOURCES = tools/dummy.cxx
tests_unit_test_asc_core_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_core_LDADD = $(ASC_CORE_LIBS)

check_PROGRAMS += tests/unit/test_asc_flags
TESTS += tests/unit/test_asc_flags
tests_unit_test_asc_flags_SOURCES = tests/unit/test_asc_flags.c
nodist_EXTRA_tests_unit_test_asc_flags_SOURCES = tools/dummy.cxx
tests_unit_test_asc_flags_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_flags_LDADD = $(ASC_CORE_LIBS)

check_PROGRAMS += tests/unit/test_asc_cross
TESTS += tests/unit/test_asc_cross
tests_unit_test_asc_cross_SOURCES = tests/unit/test_asc_cross.c
nodist_EXTRA_tests_unit_test_asc_cross_SOURCES = tools/dummy.cxx
tests_unit_test_asc_cross_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_cross_LDADD = $(ASC_CORE_LIBS)

check_PROGRAMS += tests/unit/test_asc_races
TESTS += tests/unit/test_asc_races
tests_unit_test_asc_races_SOURCES = tests/unit/test_asc_races.c
nodist_EXTRA_tests_unit_test_asc_races_SOURCES = tools/dummy.cxx
tests_unit_test_asc_races_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_races_LDADD = $(ASC_CORE_LIBS)

check_PROGRAMS += tests/unit/test_asc_ranges
TESTS += tests/unit/test_asc_ranges
tests_unit_test_asc_ranges_SOURCES = tests/unit/test_asc_ranges.c
tests_unit_test_asc_ranges_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_ranges_LDADD = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_asc_data
TESTS += tests/unit/test_asc_data
tests_unit_test_asc_data_SOURCES = tests/unit/test_asc_data.c
nodist_EXTRA_tests_unit_test_asc_data_SOURCES = tools/dummy.cxx
tests_unit_test_asc_data_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_data_LDADD = $(ASC_CORE_LIBS)

check_PROGRAMS += tests/unit/test_asc_words
TESTS += tests/unit/test_asc_words
tests_unit_test_asc_words_SOURCES = tests/unit/test_asc_words.c
nodist_EXTRA_tests_unit_test_asc_words_SOURCES = tools/dummy.cxx
tests_unit_test_asc_words_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_words_LDADD = $(ASC_CORE_LIBS)
