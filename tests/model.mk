# SPDX-License-Identifier: Apache-2.0
#
# The models against docs/design.md: every rule and violation with a bad and a good neighbour, on the reference kernel.
check_LIBRARIES += libmodelrig.a
libmodelrig_a_SOURCES = \
	tests/unit/model_rig.c tests/unit/model_rig.h tests/unit/model_values.c tests/unit/model_values.h
libmodelrig_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
MODEL_LIBS = libmodelrig.a libtap.a libmodels.a libsim.a libisa.a \
	$(SYSTEMC_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_model_queue
TESTS += tests/unit/test_model_queue
tests_unit_test_model_queue_SOURCES = tests/unit/test_model_queue.c
nodist_EXTRA_tests_unit_test_model_queue_SOURCES = tools/dummy.cxx
tests_unit_test_model_queue_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_queue_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_common
TESTS += tests/unit/test_model_common
tests_unit_test_model_common_SOURCES = tests/unit/test_model_common.c
tests_unit_test_model_common_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_common_LDADD = libtap.a libmodels.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

check_PROGRAMS += tests/unit/test_model_sram
TESTS += tests/unit/test_model_sram
tests_unit_test_model_sram_SOURCES = tests/unit/test_model_sram.c
nodist_EXTRA_tests_unit_test_model_sram_SOURCES = tools/dummy.cxx
tests_unit_test_model_sram_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_sram_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_units
TESTS += tests/unit/test_model_units
tests_unit_test_model_units_SOURCES = tests/unit/test_model_units.c
nodist_EXTRA_tests_unit_test_model_units_SOURCES = tools/dummy.cxx
tests_unit_test_model_units_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_units_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_mxm
TESTS += tests/unit/test_model_mxm
tests_unit_test_model_mxm_SOURCES = tests/unit/test_model_mxm.c
nodist_EXTRA_tests_unit_test_model_mxm_SOURCES = tools/dummy.cxx
tests_unit_test_model_mxm_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_mxm_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_streams
TESTS += tests/unit/test_model_streams
tests_unit_test_model_streams_SOURCES = tests/unit/test_model_streams.c
nodist_EXTRA_tests_unit_test_model_streams_SOURCES = tools/dummy.cxx
tests_unit_test_model_streams_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_streams_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_policy
TESTS += tests/unit/test_model_policy
tests_unit_test_model_policy_SOURCES = tests/unit/test_model_policy.c
nodist_EXTRA_tests_unit_test_model_policy_SOURCES = tools/dummy.cxx
tests_unit_test_model_policy_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_policy_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_vxm
TESTS += tests/unit/test_model_vxm
tests_unit_test_model_vxm_SOURCES = tests/unit/test_model_vxm.c
nodist_EXTRA_tests_unit_test_model_vxm_SOURCES = tools/dummy.cxx
tests_unit_test_model_vxm_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_vxm_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_math
TESTS += tests/unit/test_model_math
tests_unit_test_model_math_SOURCES = tests/unit/test_model_math.c
nodist_EXTRA_tests_unit_test_model_math_SOURCES = tools/dummy.cxx
tests_unit_test_model_math_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_math_LDADD = $(MODEL_LIBS)

check_PROGRAMS += tests/unit/test_model_fuzz
TESTS += tests/unit/test_model_fuzz
tests_unit_test_model_fuzz_SOURCES = tests/unit/test_model_fuzz.c
nodist_EXTRA_tests_unit_test_model_fuzz_SOURCES = tools/dummy.cxx
tests_unit_test_model_fuzz_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_model_fuzz_LDADD = $(MODEL_LIBS)

BENCHES += tests/bench/bench_chip
check_PROGRAMS += tests/bench/bench_chip
tests_bench_bench_chip_SOURCES = tests/bench/bench_chip.c
nodist_EXTRA_tests_bench_bench_chip_SOURCES = tools/dummy.cxx
tests_bench_bench_chip_LDADD = libmodels.a libsim.a libisa.a $(SYSTEMC_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm
