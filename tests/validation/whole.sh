#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The tables of docs/validation-ascend.md are what the fixed programs find, row by row.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

doc="$TSPSIM_SRCDIR/docs/validation-ascend.md"
"$TSPSIM_BUILDDIR/tests/validation/validate" >found 2>err
is "all programs run" "$?" 0
sed -n '/^<!-- found -->$/,/^<!-- end -->$/p' "$doc" | sed '1d;$d' >recorded
is "the document's tables are those" "$(diff recorded found)" ""
done_testing
