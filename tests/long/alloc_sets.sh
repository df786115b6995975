#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The public sets of buffers: within 2^20 bytes in a minute each, least heights where they are known, and planning problems
# of compilers.  Rows that are in alloc_sets.csv are not run again.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/lib/alloc_set.sh"

table=${ALLOC_TABLE:-alloc_sets.csv}
[ -s "$table" ] || echo instance,mode,status,height,lower_bound,greedy_height,proved,nodes,valid,seconds >"$table"

# row FILE MODE OPTION...: one line of the table.
row()
{
	file=$1 name=$(basename "$1" .csv) mode=$2
	shift 2
	if ! grep -q "^$name,$mode," "$table"; then
		"$TSPSIM" alloc "$file" --json "$@" >answer
		line=$name,$mode
		for key in status height lower_bound greedy_height proved nodes valid seconds; do
			line=$line,$(value "$key" <answer)
		done
		echo "$line" >>"$table"
	fi
	grep "^$name,$mode," "$table" >line
}

{ instances minimalloc/benchmarks/challenging; instances dsa; } >files
[ -s files ] || { skip "public sets" "no benchmark inputs; see --with-data"; done_testing; exit; }
while read -r file; do
	case $file in
	*minimalloc*)
		row "$file" capacity --capacity 1048576 --time 60
		is "$name fits" "$(cut -d, -f3 line | sed 's/optimal/feasible/') $(cut -d, -f9 line)" "feasible true"
		;;
	esac
	row "$file" minimise --minimise --time 60
	is "$name: a valid layout no lower than the bound" \
		"$(awk -F, '{print ($4 >= $5), $9}' line)" "1 true"
done <files
cat "$table"
done_testing
