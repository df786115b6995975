# SPDX-License-Identifier: Apache-2.0
#
# Methods of the scheduler on machines.
TESTS += tests/e2e/methods.sh
LONG_TESTS += tests/long/methods.sh
EXTRA_DIST += tests/e2e/methods.sh tests/long/methods.sh tests/lib/method_set.sh tests/lib/method_kernels.txt tests/lib/method_graphs.sh \
	tests/lib/store_patterns.sh
tests/e2e/methods.log: tspsim$(EXEEXT)
# Twelve kernels and more on each machine, resumable: results stay in bench-methods/.
bench-methods: tspsim$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) TSPSIM='$(abs_builddir)/tspsim$(EXEEXT)' sh $(srcdir)/tests/lib/method_set.sh bench-methods
.PHONY: bench-methods
