# SPDX-License-Identifier: Apache-2.0
#
# The exact scheduling engine.
if HAVE_CADICAL
check_PROGRAMS += tests/unit/test_exact
TESTS += tests/unit/test_exact
tests_unit_test_exact_SOURCES = tests/unit/test_exact.c tests/unit/small_problems.h
tests_unit_test_exact_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_exact_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
check_PROGRAMS += tests/unit/test_exact_learn
TESTS += tests/unit/test_exact_learn
tests_unit_test_exact_learn_SOURCES = tests/unit/test_exact_learn.c
tests_unit_test_exact_learn_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_exact_learn_LDADD = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm
LONG_TESTS += tests/long/exact_sets.sh
endif
# Without the solver it says so.
TESTS += tests/e2e/exact.sh
tests/e2e/exact.log: tspsim$(EXEEXT)
EXTRA_DIST += tests/e2e/exact.sh tests/lib/exact_there.sh tests/long/exact_sets.sh tests/lib/exact_set.sh tests/lib/moves_set.sh
# The public sets, resumable: results stay in bench-exact/.  EXACT_EVERY=8 takes every eighth instance.
bench-exact: tspsim$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' sh $(srcdir)/tests/lib/exact_set.sh all bench-exact
.PHONY: bench-exact
# Operators of the annealer and of the search for programs by UCB and evenly drawn, over ten seeds; resumable, in bench-moves/.
bench-moves: tspsim$(EXEEXT)
	@for set in j30 j60 j120; do $(AM_TESTS_ENVIRONMENT) SOLVE_EVERY=$${SOLVE_EVERY-24} TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' \
		sh $(srcdir)/tests/lib/moves_set.sh $$set bench-moves; done
	@$(AM_TESTS_ENVIRONMENT) TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' sh $(srcdir)/tests/lib/moves_programs.sh bench-moves
.PHONY: bench-moves
