# SPDX-License-Identifier: Apache-2.0
#
# Scheduling engines on problems in public formats.
check_PROGRAMS += tests/unit/test_solve
TESTS += tests/unit/test_solve tests/e2e/solve.sh
LONG_TESTS += tests/long/solve_sets.sh
BENCHES += tests/bench/solve_scale.sh
tests_unit_test_solve_SOURCES = tests/unit/test_solve.c tests/unit/small_problems.h
tests_unit_test_solve_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_solve_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
EXTRA_DIST += tests/e2e/solve.sh tests/long/solve_sets.sh tests/bench/solve_scale.sh tests/lib/solve_set.sh tests/lib/exact_set.sh
tests/e2e/solve.log: tspsim$(EXEEXT)
# The public sets, resumable: results stay in bench-solve/.  SOLVE_EVERY=8 takes every eighth instance.
bench-solve: tspsim$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' sh $(srcdir)/tests/lib/solve_set.sh all bench-solve
.PHONY: bench-solve
