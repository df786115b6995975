# SPDX-License-Identifier: Apache-2.0
#
# Methods of the scheduler on machines.
check_PROGRAMS += tests/unit/test_methods
TESTS += tests/unit/test_methods tests/e2e/methods.sh
tests_unit_test_methods_SOURCES = tests/unit/test_methods.c
tests_unit_test_methods_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_methods_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
LONG_TESTS += tests/long/methods.sh
EXTRA_DIST += tests/e2e/methods.sh tests/long/methods.sh tests/lib/method_set.sh tests/lib/method_kernels.txt tests/lib/method_graphs.sh \
	tests/lib/store_patterns.sh tests/lib/moves_programs.sh
tests/e2e/methods.log: tspsim$(EXEEXT)
# Twelve kernels and more on each machine, resumable: results stay in bench-methods/.
bench-methods: tspsim$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' sh $(srcdir)/tests/lib/method_set.sh bench-methods
.PHONY: bench-methods
# How fast programs are made, on each machine.
BENCHES += tests/bench/sched.sh
EXTRA_DIST += tests/bench/sched.sh
bench-sched: tspsim$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' sh $(srcdir)/tests/bench/sched.sh
.PHONY: bench-sched
