#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# solve_set.sh NAME DIR [OPTION...]: runs `tspsim solve` with the OPTIONs over a public set and prints the mean deviations.
# NAME is j30, j60, j90, j120, stg, or all, which runs the measurements of docs/engines-solve.md.  TSPSIM_DATA is where
# the sets lie.  Instances are taken in sorted order, each SOLVE_EVERY-th one (default: all).  Results are lines of a table
# in DIR, named by set and options; what is there already is not run again, so a run that was killed goes on where it
# was.  A schedule that is not valid, below a known bound, below the printed bound, and a bound above a known schedule
# are wrong, as is a run that fails; then the exit status is 1.
set -u
LC_ALL=C
export LC_ALL
name=$1 dir=$2
shift 2
every=${SOLVE_EVERY:-1}
mkdir -p "$dir" || exit 1

# STG has four rows a graph: an even step would take the same number of processors every time.
step_of()
{
	case $1 in
	stg) echo $((every | 1)) ;;
	*) echo "$every" ;;
	esac
}

# Sets that lie packed are unpacked into DIR.
unpack()
{
	packed=$TSPSIM_DATA/rcpsp/$1.sm.tar.gz
	[ ! -f "$packed" ] || [ -f "$dir/unpacked/$1" ] || {
		mkdir -p "$dir/unpacked/rcpsp" && gzip -dc "$packed" | tar -xf - -C "$dir/unpacked/rcpsp" && : >"$dir/unpacked/$1"
	}
}

path_of()
{
	if [ -f "$TSPSIM_DATA/$1" ]; then
		echo "$TSPSIM_DATA/$1"
	else
		echo "$dir/unpacked/$1"
	fi
}

# Lines "instance processors critical-path lower upper" of set $1.
instances()
{
	case $1 in
	stg) awk -F, 'NR > 1 {print "stg/" $1, $2, $6, $3, $4}' "$TSPSIM_DATA/stg/optimal.csv" ;;
	*) awk -F, -v set="$1" 'NR > 1 && $1 == set {print "rcpsp/" set ".sm/" $2, 1, $3, $4, $5}' "$TSPSIM_DATA/rcpsp/best_known.csv" ;;
	esac | while read -r file rest; do
		[ -f "$(path_of "$file")" ] && echo "$file $rest"
	done | sort | awk -v every="$(step_of "$1")" 'NR % every == 1 || every == 1'
}

# values KEY...: of the JSON in ./out of the last run, between tabs.
values()
{
	awk -v keys="$*" '
		/^  "/ {key = $1; gsub(/[":]/, "", key); sub(/^[^:]*: /, ""); gsub(/^"|"?,?$/, ""); value[key] = $0}
		END {n = split(keys, k, " "); for (i = 1; i <= n; i++) printf "%s%s", value[k[i]], i < n ? "\t" : "\n"}' "$dir/out.json"
}

# run SET OPTION...
run()
{
	set_name=$1
	shift
	table=$dir/$(printf '%s' "$set_name $* every $every" | tr -c 'A-Za-z0-9.\n-' _).tsv
	touch "$table"
	unpack "$set_name" || exit 1
	instances "$set_name" | while read -r file processors path lower upper; do
		grep -q "^$file	$processors	" "$table" && continue
		case $file in
		stg/*) on="--processors $processors" ;;
		*) on= ;;
		esac
		# shellcheck disable=SC2086
		"$TSPSIM" solve "$(path_of "$file")" $on "$@" --json >"$dir/out.json" || {
			[ $? = 130 ] && exit 130
			# A row that counts as wrong.
			echo '  "valid": false' >"$dir/out.json"
		}
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$file" "$processors" "$path" "$lower" "$upper" \
			"$(values makespan lower_bound schedules seconds valid)" >>"$table"
	done || exit
	awk -F'\t' -v what="$set_name $*" -v total="$dir/total" '
		{n++; best += $6 / $5 - 1; cpm += $6 / $3 - 1; known += $5 / $3 - 1; hits += $6 <= $5; s += $8; t += $9
		 bad += $10 != "true" || $6 < $4 || $7 > $5 || $6 < $7}
		END {if (n) printf "%-44s n %4d  over best %7.3f %%  over path %7.3f %% (best known %.3f)  reached %4d  wrong %d  " \
			"schedules %.0f  s %.3f\n", what, n, 100 * best / n, 100 * cpm / n, 100 * known / n, hits, bad + 0, s / n, t / n
			if (n) print n, s + 0, bad + 0 >>total}' "$table"
}

: >"$dir/total"
# The exit status says whether something was wrong.
summary()
{
	awk '{runs += $1; s += $2; bad += $3}
		END {printf "in all: %d answers, best of %.0f schedules, wrong %d\n", runs, s, bad; exit bad > 0}' "$dir/total"
}

if [ "$name" != all ]; then
	run "$name" "$@"
	summary >"$dir/summary"
	exit
fi
for s in j30 j60 j90 j120; do
	run $s --method list --schedules 1
	run $s --method list
	run $s --method anneal --schedules 5000
done
run stg --method list --schedules 1
run stg --method anneal
every=8
for s in j30 j60 j120; do
	run $s --method anneal --time 10
done
summary
