#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The small fixed programs find what docs/validation-ascend.md records of them.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

doc="$TSPSIM_SRCDIR/docs/validation-ascend.md"
"$TSPSIM_BUILDDIR/tests/validation/validate" quick >out 2>err
is "the small programs run" "$?" 0
grep '^| .* |$' out | grep -v '^| ---' >rows
is "there are figures, steps and findings" "$([ "$(wc -l <rows)" -gt 25 ] && echo yes)" yes
grep -v -x -F -f "$doc" rows >missing
is "the document has every row as it was found" "$(cat missing)" ""
done_testing
