# SPDX-License-Identifier: Apache-2.0
#
# The test library itself, the parts of tools/, tests on the repository, and runs of the whole program.
check_PROGRAMS += tests/unit/test_tap tests/unit/test_tools tests/unit/test_options
tests_unit_test_tap_SOURCES = tests/unit/test_tap.c
tests_unit_test_tap_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_tap_LDADD = $(TAP_LIBS)
tests_unit_test_tools_SOURCES = tests/unit/test_tools.c
nodist_EXTRA_tests_unit_test_tools_SOURCES = tools/dummy.cxx
tests_unit_test_tools_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_tools_LDADD = libtools.a $(TEST_LIBS)
tests_unit_test_options_SOURCES = tests/unit/test_options.c
nodist_EXTRA_tests_unit_test_options_SOURCES = tools/dummy.cxx
tests_unit_test_options_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_options_LDADD = libtools.a libbank.a $(TEST_LIBS) $(ZLIB_LIBS)
TESTS += tests/unit/test_tap tests/unit/test_tools tests/unit/test_options

dist_tests = \
	tests/dist/includes.sh tests/dist/sources.sh tests/dist/headers.sh tests/dist/manpage.sh \
	tests/dist/reference.sh tests/dist/tarball.sh
TESTS += $(dist_tests)
EXTRA_DIST += $(dist_tests) tests/dist/files.sh

e2e_tests = \
	tests/e2e/default_run.sh tests/e2e/csv.sh tests/e2e/kernels.sh tests/e2e/workloads.sh tests/e2e/specials.sh tests/e2e/split.sh tests/e2e/keys.sh tests/e2e/programs.sh tests/e2e/installed.sh \
	tests/e2e/hazards.sh tests/e2e/garbage.sh tests/e2e/odd_machines.sh tests/e2e/endings.sh tests/e2e/views.sh tests/e2e/readme.sh tests/e2e/options.sh tests/e2e/full.sh
TESTS += $(e2e_tests)
EXTRA_DIST += $(e2e_tests) tests/data/small_conv.csv tests/data/small_gemm.csv tests/e2e/keys.allowed
BENCHES += tests/bench/program.sh
EXTRA_DIST += tests/bench/program.sh
LONG_TESTS += tests/long/scale_sim.sh tests/long/sizes.sh
# Shell tests run the program; C tests do not wait for it.
$(dist_tests:.sh=.log) $(e2e_tests:.sh=.log) $(LONG_TESTS:.sh=.log): tspsim$(EXEEXT)
EXTRA_DIST += $(LONG_TESTS)
EXTRA_DIST += \
	tests/isa/hazards/acc-overflow-none.tsp \
	tests/isa/hazards/acc-overflow.tsp \
	tests/isa/hazards/address-range-none.tsp \
	tests/isa/hazards/address-range.tsp \
	tests/isa/hazards/bank-conflict-none.tsp \
	tests/isa/hazards/bank-conflict.tsp \
	tests/isa/hazards/illegal-instruction-none.tsp \
	tests/isa/hazards/illegal-instruction.tsp \
	tests/isa/hazards/int-overflow-none.tsp \
	tests/isa/hazards/int-overflow.tsp \
	tests/isa/hazards/iw-before-weights-none.tsp \
	tests/isa/hazards/iw-before-weights.tsp \
	tests/isa/hazards/late-operand-none.tsp \
	tests/isa/hazards/late-operand.tsp \
	tests/isa/hazards/port-overuse-none.tsp \
	tests/isa/hazards/port-overuse.tsp \
	tests/isa/hazards/queue-underrun-none.tsp \
	tests/isa/hazards/queue-underrun.tsp \
	tests/isa/hazards/register-unwritten-none.tsp \
	tests/isa/hazards/register-unwritten.tsp \
	tests/isa/hazards/stream-collision-none.tsp \
	tests/isa/hazards/stream-collision.tsp \
	tests/isa/hazards/undriven-cell-none.tsp \
	tests/isa/hazards/undriven-cell.tsp \
	tests/isa/hazards/wrong-map-none.tsp \
	tests/isa/hazards/wrong-map.tsp \
	tests/isa/hazards/wrong-operand-none.tsp \
	tests/isa/hazards/wrong-operand.tsp

LONG_TESTS += tests/long/whole.sh
EXTRA_DIST += tests/long/whole.sh
