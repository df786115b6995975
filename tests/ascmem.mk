# SPDX-License-Identifier: Apache-2.0
#
# Ascend-style cores: copy engines, memory, cube, without a chip around them.
ASCMEM_RIG = tests/unit/asc_rig.c tests/unit/asc_rig.h
ASCMEM_TESTS = tests/unit/test_asc_mte tests/unit/test_asc_memory tests/unit/test_asc_cube
check_PROGRAMS += $(ASCMEM_TESTS)
TESTS += $(ASCMEM_TESTS)

tests_unit_test_asc_mte_SOURCES = tests/unit/test_asc_mte.c $(ASCMEM_RIG)
tests_unit_test_asc_mte_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_mte_LDADD = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

tests_unit_test_asc_memory_SOURCES = tests/unit/test_asc_memory.c $(ASCMEM_RIG)
tests_unit_test_asc_memory_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_memory_LDADD = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

tests_unit_test_asc_cube_SOURCES = tests/unit/test_asc_cube.c $(ASCMEM_RIG)
tests_unit_test_asc_cube_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_asc_cube_LDADD = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
