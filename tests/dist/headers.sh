#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every header compiles alone, so that includes can stand in any order.  Where a source file includes its own header first,
# the build has shown that already.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/dist/files.sh"

for header in $(c_files | grep '\.h$'); do
	source=$TSPSIM_SRCDIR/${header%.h}.c
	if [ "$(grep -m 1 '^#include' "$source" 2>/dev/null)" = "#include \"$header\"" ]; then
		ok "$header, first in its source"
		continue
	fi
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" >alone.c
	# TEST_CPPFLAGS is a list of words.
	# shellcheck disable=SC2086
	if ${CC-cc} -std=gnu11 -fsyntax-only -Wall -Werror $TEST_CPPFLAGS alone.c >log 2>&1; then
		ok "$header"
	else
		not_ok "$header" "$(head -5 log)"
	fi
done
done_testing
