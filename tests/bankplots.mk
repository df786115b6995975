# SPDX-License-Identifier: Apache-2.0
#
# Traced runs under other maps, and the pictures of bank work.
bank_plot_tests = tests/e2e/bank_from.sh tests/e2e/bank_plots.sh
TESTS += $(bank_plot_tests)
EXTRA_DIST += $(bank_plot_tests)
$(bank_plot_tests:.sh=.log): tspsim$(EXEEXT)
