#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Everything that is kept under version control is in the tarball.  The fuzzers' corpora are distributed as one folder.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

(cd "$TSPSIM_SRCDIR" && git rev-parse --show-toplevel) >top 2>/dev/null || skip_all "not a git checkout"
[ "$(cat top)" = "$(cd "$TSPSIM_SRCDIR" && pwd -P)" ] || skip_all "not a git checkout"

# Make's own variables would make this one a sub-make of the running one.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$TSPSIM_BUILDDIR" print-distfiles | tr ' ' '\n' |
	sed "s,^$TSPSIM_SRCDIR/,," | sort -u >distributed
(cd "$TSPSIM_SRCDIR" && git ls-files) | grep -vxE '\.gitignore|\.gitattributes|\.ci/run|tests/fuzz/corpus/.*' | sort >tracked
comm -23 tracked distributed >offending
empty "every tracked file is distributed" offending
done_testing
