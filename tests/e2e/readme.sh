#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The commands of README's five minutes and of its second kind of machine do what it says: all succeed, but the one that
# runs a program on another map than it was scheduled for, which finds that out.  The program by hand reports the lines
# that stand there.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

mkdir bin
ln -s "$TSPSIM" bin/tspsim
PATH=$scratch/bin:$PATH

# block SECTION N: the lines of the N-th block below that heading.
block()
{
	awk -v heading="## $1" -v wanted="$2" '/^## / {section = $0 == heading} section && /^```/ {fences++; next}
		section && fences == 2 * wanted - 1' "$TSPSIM_SRCDIR/README.md"
}

# Comments cut off.
block "Five minutes" 1 | sed -E 's/ {2,}[^ ].*$//' >commands
is "there are commands" "$([ "$(wc -l <commands)" -ge 8 ] && echo yes)" yes
block "The second kind of machine" 1 | sed -E 's/ {2,}[^ ].*$//' >more
is "there are commands of the second kind of machine" "$([ "$(wc -l <more)" -ge 5 ] && echo yes)" yes
cat more >>commands

exits "tspsim --trace run.db" 0 tspsim --trace run.db
while read -r command; do
	case $command in
	*gnuplot* | *plot*) command -v gnuplot >/dev/null || continue ;;
	esac
	expected=0
	case $command in
	*freeze*) ;;
	*hw.sram.*) expected=2 ;;
	esac
	exits "$command" $expected sh -c "$command"
done <commands

# reports N: the lines of that block, each once and as it stands there.
reports()
{
	block "The second kind of machine" "$1" >lines
	is "block $1 has lines" "$([ -s lines ] && echo yes)" yes
	while IFS= read -r line; do
		is "$line" "$(grep -cFx -e "$line" out)" 1
	done <lines
}

block "The second kind of machine" 2 >add.tsp
exits "the program by hand" 0 tspsim run add.tsp
reports 3
sed 's/src1=0x10000/src1=0x10100/' add.tsp >moved.tsp
exits "with its operand moved" 0 tspsim run moved.tsp
reports 4
done_testing
