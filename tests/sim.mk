# SPDX-License-Identifier: Apache-2.0
check_PROGRAMS += tests/unit/test_kernel tests/unit/test_wheel
tests_unit_test_kernel_SOURCES = tests/unit/test_kernel.c tests/unit/kernel_oracle.c tests/unit/kernel_oracle.h
nodist_EXTRA_tests_unit_test_kernel_SOURCES = tools/dummy.cxx
tests_unit_test_kernel_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_kernel_LDADD = libtap.a libsim.a $(SYSTEMC_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS)
tests_unit_test_wheel_SOURCES = tests/unit/test_wheel.c
tests_unit_test_wheel_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_wheel_LDADD = libtap.a libsim.a $(CUNIT_LIBS) $(GLIB_LIBS)
TESTS += tests/unit/test_kernel tests/unit/test_wheel

BENCHES += tests/bench/bench_kernel
check_PROGRAMS += tests/bench/bench_kernel
tests_bench_bench_kernel_SOURCES = tests/bench/bench_kernel.c
nodist_EXTRA_tests_bench_bench_kernel_SOURCES = tools/dummy.cxx
tests_bench_bench_kernel_LDADD = libsim.a $(SYSTEMC_LIBS) $(GLIB_LIBS)
