#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Two judges, key by key: a schedule made with a machine key one unit off must not pass on the machine as it is, nor the right
# schedule on a machine that is one unit off.  Where that is legitimate tests/e2e/keys.allowed says why; what it lists must
# happen, too.
#
# One change of every other key here, the hardware one unit above the schedule; TSPSIM_KEYS=all tries all keys, both
# sides, up and down.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# workloads MACHINE: programs that between them use what it has; on tsp-isca20 more words than a queue holds, on tsp as many rows as there
# are accumulators, with a tile of one more where there were one more.
workloads()
{
	echo gemm:40x330x340 fft:64 softmax:33x40 gemm:40x330x340:int8 transpose:33x40
	case $1 in
	tsp) echo gemm:2048x16x16 gemm:2050x16x16 ;;
	*) echo softmax:330x700 ;;
	esac
}

# outcome MACHINE SETTING: found (a violation or difference), refused (before any run), or passes.
outcome()
{
	verdict=refused
	for workload in $(workloads "$1"); do
		"$TSPSIM" -m "$1" -w "$workload" --functional --set "$2" -q >/dev/null 2>err </dev/null
		case $? in
		0) verdict=passes ;;
		1) [ "$verdict" = passes ] || verdict=refused ;;
		2)
			echo found
			return
			;;
		*) echo "broken by $workload: $(head -1 err)" ;;
		esac
		# What is wrong with the machine is wrong with all workloads.
		[ "$verdict" = refused ] && ! grep -q 'layer\|workload' err && break
	done
	echo $verdict
}

"$TSPSIM" list keys | awk '{print $1}' >keys
case ${TSPSIM_KEYS-} in
all) sides='sched hw' changes='+ -' ;;
*)
	sides=hw changes=+
	awk 'NR % 2' keys >some && mv some keys
	;;
esac
grep -v '^#' "$TSPSIM_SRCDIR/tests/e2e/keys.allowed" | grep . |
	awk -v sides="* $sides" -v changes="* $changes" 'NR == FNR {tried[$1]; next}
		$4 in tried && index(sides, $2) && index(changes, $3)' keys - >allowed
: >passed
for machine in tsp tsp-isca20; do
	while read -r key; do
		value=$("$TSPSIM" explain "$key" -m $machine --json | sed -n 's/.*"value": "\([0-9]*\)",/\1/p')
		[ -n "$value" ] || continue
		for side in $sides; do
			for change in $changes; do
				setting=$side.$key=$((value ${change}1))
				result=$(outcome $machine "$setting")
				case $result in
				passes) echo "$machine $side $change $key" ;;
				found | refused) ;;
				*) echo "$machine $setting: $result" >>broken ;;
				esac
			done
		done
	done <keys
done >passed

# The list's columns: machine, side, change ("*" for any), key, reason.
awk 'NR == FNR {rule[NR] = $0; m[NR] = $1; s[NR] = $2; c[NR] = $3; k[NR] = $4; rules = NR; next}
	{hit = 0
	 for (i = 1; i <= rules; i++)
		if ((m[i] == "*" || m[i] == $1) && (s[i] == "*" || s[i] == $2) && (c[i] == "*" || c[i] == $3) && k[i] == $4)
			{hit = 1; used[i] = 1}
	 if (!hit) print > "offending"}
	END {for (i = 1; i <= rules; i++) if (!(i in used)) print rule[i] > "unused"}' allowed passed
touch offending unused broken
empty "a difference of one unit between scheduler and machine is found, for every key without legitimate slack" offending
empty "every listed exception occurs" unused
empty "no run breaks" broken

# Keys that are words: maps.
for side in sched hw; do
	is "$side.sram.map is found" "$(outcome tsp $side.sram.map=mod:137)" found
done
done_testing
