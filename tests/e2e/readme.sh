#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The commands of README's five minutes do what it says: all succeed, but the one that runs a program on another map than it
# was scheduled for, which finds that out.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

mkdir bin
ln -s "$TSPSIM" bin/tspsim
PATH=$scratch/bin:$PATH

# Lines of the second block under "Five minutes", comments cut off.
awk '/^## Five minutes/ {section = 1} section && /^```/ {block++; next} section && block == 1 {print} /^## What is modelled/ {exit}' \
	"$TSPSIM_SRCDIR/README.md" | sed -E 's/ {2,}[^ ].*$//' >commands
is "there are commands" "$([ "$(wc -l <commands)" -ge 8 ] && echo yes)" yes

exits "tspsim --trace run.db" 0 tspsim --trace run.db
while read -r command; do
	case $command in
	*gnuplot* | *plot*) command -v gnuplot >/dev/null || continue ;;
	esac
	expected=0
	case $command in
	*freeze*) ;;
	*hw.*) expected=2 ;;
	esac
	exits "$command" $expected sh -c "$command"
done <commands
done_testing
