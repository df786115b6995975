# SPDX-License-Identifier: Apache-2.0
dist_man_MANS += docs/man/tspsim.1
EXTRA_DIST += docs/workloads.md docs/judges.md docs/bank-eval.md docs/bank-search.md
EXTRA_DIST += docs/design.md docs/style.md docs/deviations.md docs/isa.md docs/bank-maps.md docs/machines.md docs/trace.md
